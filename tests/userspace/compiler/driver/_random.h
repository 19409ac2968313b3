/* SPDX-License-Identifier: MIT */
/*
 * Random PTX kernels with the worst control flow that PTX allows: branches into and out of loops,
 * several exits, early ends of threads, deep nests, guards on anything, registers written on every
 * path. Each piece of code knows which threads execute it together: all threads of a block
 * (LEVEL_BLOCK) may use barriers, all members of a mask (LEVEL_WARP) may exchange values, single
 * threads (LEVEL_THREAD) may do neither. Every cycle consumes fuel, so every kernel ends.
 */
#ifndef TESTS_COMPILER_RANDOM_H
#define TESTS_COMPILER_RANDOM_H

#include "tests/userspace/compiler/driver/_random_together.h"

/* Kernels from this number on have nests of loops with jumps between them, too; the others stay
 * what they were. */
#define RANDOM_LOOPS 1000000
/* Kernels from this number on call their functions by name only and more often, and these call only
 * functions before them, so that values are passed in registers. */
#define RANDOM_CALLS 2000000
/* Kernel RANDOM_OLD + n is kernel n without the lines that need sm_80. */
#define RANDOM_OLD   1000000000

/* A guard whose condition is uniform at the current level, or divergent. */
static inline void put_condition(struct random_ptx *k, struct random_context at)
{
	uint32_t n = k->fuels++, number;

	if (at.level == LEVEL_BLOCK) {
		number = 1 + pick(k, 255);
		put(k, "\tand.b32 %%t, %%u%u, %u;\n\tsetp.ne.s32 %%q%u, %%t, 0;\n",
		    pick(k, RANDOM_UNIFORM), number, n);
	} else if (at.level == LEVEL_WARP && pick(k, 2)) {
		put(k, "\tvote.sync.any.pred %%q%u, %%p%u, 0x%x;\n", n, pick(k, RANDOM_PREDICATES),
		    at.members);
	} else if (at.level == LEVEL_WARP) {
		put(k,
		    "\txor.b32 %%t, %%warp, %%u%u;\n\tand.b32 %%t, %%t, 3;\n\tsetp.ne.s32 %%q%u, "
		    "%%t, 0;\n",
		    pick(k, RANDOM_UNIFORM), n);
	} else if (pick(k, 2)) {
		number = pick(k, 4);
		put(k, "\tand.b32 %%t, %%lane, %u;\n\tsetp.eq.s32 %%q%u, %%t, %u;\n",
		    1 + pick(k, 31), n, number);
	} else {
		put(k, "\tmov.pred %%q%u, %%p%u;\n", n, pick(k, RANDOM_PREDICATES));
	}
	put(k, "\t@%s%%q%u ", pick(k, 2) ? "!" : "", n);
}

static inline struct random_context nested(struct random_context at, enum random_level max_level)
{
	at.depth++;
	if (at.level > max_level)
		at.level = max_level;
	return at;
}

static inline void add_if(struct random_ptx *k, struct random_context at)
{
	uint32_t n = k->labels++;
	bool both = pick(k, 2);

	put_condition(k, at);
	put(k, "bra L%u_%s;\n", n, both ? "else" : "end");
	add_code(k, at);
	if (both) {
		put(k, "\tbra L%u_end;\nL%u_else:\n", n, n);
		add_code(k, at);
	}
	put(k, "L%u_end:\n", n);
}

/* Splits the lanes by a bit of the lane number; each side may sync among itself. */
static inline void add_split(struct random_ptx *k, struct random_context at)
{
	uint32_t n = k->labels++, bit = pick(k, 5), mask = random_masks[bit];
	struct random_context yes = nested(at, LEVEL_WARP), no = yes;

	if (!(at.members & mask) || !(at.members & ~mask))
		return;
	yes.split = no.split = at.split | 1u << bit;
	yes.members &= mask;
	no.members &= ~mask;
	put(k,
	    "\tand.b32 %%t, %%lane, %u;\n\tsetp.ne.s32 %%q%u, %%t, 0;\n\t@!%%q%u bra L%u_else;\n",
	    1u << bit, k->fuels, k->fuels, n);
	k->fuels++;
	add_code(k, yes);
	put(k, "\tbra L%u_end;\nL%u_else:\n", n, n);
	add_code(k, no);
	put(k, "L%u_end:\n", n);
}

/* Fuel for a cycle; as uniform as the current level. */
static inline uint32_t add_fuel(struct random_ptx *k, struct random_context at)
{
	uint32_t n = k->fuels++, mask = at.depth < 2 ? 7 : at.depth < 3 ? 3 : 1;

	if (at.level == LEVEL_THREAD)
		put(k, "\tand.b32 %%c%u, %%r%u, %u;\n", n, pick(k, RANDOM_WORDS), mask);
	else
		put(k, "\tand.b32 %%c%u, %%u%u, %u;\n", n, pick(k, RANDOM_UNIFORM), mask);
	return n;
}

static inline void add_loop(struct random_ptx *k, struct random_context at)
{
	uint32_t n = k->labels++, fuel = add_fuel(k, at);
	bool first = pick(k, 2); /* whether the test is at the top */

	put(k, "L%u_head:\n", n);
	if (first)
		put(k, "\tsetp.lt.s32 %%q%u, %%c%u, 1;\n\t@%%q%u bra L%u_end;\n", fuel, fuel, fuel,
		    n);
	put(k, "\tsub.s32 %%c%u, %%c%u, 1;\n", fuel, fuel);
	add_code(k, at);
	if (!pick(k, 2)) {
		put_condition(k, at);
		put(k, "bra L%u_end;\n", n);
		add_code(k, at);
	}
	if (first) {
		if (pick(k, 2)) {
			put_condition(k, at);
			put(k, "bra L%u_head;\n", n); /* continue */
			add_code(k, at);
		}
		put(k, "\tbra L%u_head;\n", n);
	} else {
		put(k, "\tsetp.gt.s32 %%q%u, %%c%u, 0;\n\t@%%q%u bra L%u_head;\n", fuel, fuel, fuel,
		    n);
	}
	put(k, "L%u_end:\n", n);
}

/* A counted loop, up or down and with any step, that loads: input for unrolling. */
static inline void add_count(struct random_ptx *k)
{
	static const char *const ends[] = {
		"add.s32 %%c%u, %%c%u, %u", "lt.u32", "add.s32 %%c%u, %%c%u, %u", "lt.s32",
		"sub.s32 %%c%u, %%c%u, %u", "gt.s32", "add.s32 %%c%u, %%c%u, s",  "lt.u32"};
	uint32_t n = k->labels++, c = k->fuels++, how = pick(k, 5),
		 step = 1 + (how == 4 ? n % 5 : pick(k, 5));
	uint32_t limit = how == 2 ? 0 : 16 + pick(k, 30), stride = pick(k, RANDOM_WORDS);
	bool until = how == 4; /* until equal: the start and the limit are multiples of the step */

	put(k,
	    "\t{.reg .b32 s;\n\tand.b32 %%c%u, %%r%u, 15;\n\tmul.lo.s32 %%c%u, %%c%u, %u;\n"
	    "\tand.b32 s, %%r%u, 7;\n\tadd.s32 s, s, 1;\nL%u_head:\n",
	    c, pick(k, RANDOM_WORDS), c, c, until ? step : 1, stride, n);
	put(k,
	    "\t{.reg .b32 i; .reg .b64 j; and.b32 i, %%c%u, 15; mad.wide.u32 j, i, 4, %%own; "
	    "ld.%sglobal.u32 i, [j]; "
	    "add.s32 %%r%u, %%r%u, i;}\n",
	    c, n % 4 ? "" : "volatile.", n % RANDOM_WORDS, n % RANDOM_WORDS);
	for (uint32_t i = pick(k, 4); i > 0; i--)
		add_operation(k);
	put(k, "\t");
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	put(k, ends[until ? 0 : 2 * how], c, c, step);
#pragma GCC diagnostic pop
	put(k, ";\n\tsetp.%s %%q%u, %%c%u, %u;\n\t@%%q%u bra L%u_head;}\n",
	    until ? "ne.s32" : ends[2 * how + 1], c, c, until ? limit * step : limit, c, n);
}

/* Blocks that branch to each other arbitrarily. */
static inline void add_soup(struct random_ptx *k, struct random_context at)
{
	uint32_t n = k->labels++, fuel = add_fuel(k, at), blocks = 2 + pick(k, 4), i;

	for (i = 0; i < blocks; i++) {
		put(k, "L%u_%u:\n", n, i);
		add_code(k, at);
		put(k,
		    "\tsub.s32 %%c%u, %%c%u, 1;\n\tsetp.lt.s32 %%q%u, %%c%u, 0;\n\t@%%q%u bra "
		    "L%u_%u;\n",
		    fuel, fuel, fuel, fuel, fuel, n, blocks);
		if (pick(k, 4)) {
			put_condition(k, at);
			put(k, "bra L%u_%u;\n", n, pick(k, blocks + 1));
		}
		if (pick(k, 2))
			put(k, "\tbra L%u_%u;\n", n, pick(k, blocks + 1));
	}
	put(k, "L%u_%u:\n", n, blocks);
}

/* A jump from inside a nest of loops: the next iteration of one, or out of one or several. */
static inline void add_loop_jump(struct random_ptx *k, struct random_context at, uint32_t n,
				 uint32_t level)
{
	const char *to;

	put_condition(k, at);
	to = pick(k, 2) ? "next" : "end";
	put(k, "bra L%u_%s%u;\n", n, to, pick(k, level + 1));
}

/* Loops inside each other, often with one header, since nothing precedes the inner loop. All share
 * their fuel, and each iteration of any consumes some. */
static inline void add_loops(struct random_ptx *k, struct random_context at)
{
	uint32_t n = k->labels++, fuel = k->fuels++, levels = 2 + pick(k, 2), level;
	uint32_t mask = at.depth < 2 ? 31 : at.depth < 3 ? 7 : 3;

	if (at.level == LEVEL_THREAD)
		put(k, "\tand.b32 %%c%u, %%r%u, %u;\n", fuel, pick(k, RANDOM_WORDS), mask);
	else
		put(k, "\tand.b32 %%c%u, %%u%u, %u;\n", fuel, pick(k, RANDOM_UNIFORM), mask);
	for (level = 0; level < levels; level++) {
		put(k, "L%u_head%u:\n", n, level);
		if (level + 1 == levels || !pick(k, 3))
			add_code(k, at);
		if (pick(k, 2))
			add_loop_jump(k, at, n, level);
	}
	while (level-- > 0) {
		for (uint32_t i = pick(k, 3); i > 0; i--) {
			add_operation(k);
			add_loop_jump(k, at, n, level);
		}
		if (pick(k, 2))
			add_code(k, at);
		put(k,
		    "L%u_next%u:\n\tsub.s32 %%c%u, %%c%u, 1;\n\tsetp.ge.s32 %%q%u, %%c%u, "
		    "0;\n\t@%%q%u bra L%u_head%u;\nL%u_end%u:\n",
		    n, level, fuel, fuel, fuel, fuel, fuel, n, level, n, level);
	}
}

/* More levels of divergence than the hardware has convergence barriers. */
static inline void add_nest(struct random_ptx *k, struct random_context at)
{
	uint32_t n = k->labels++, levels = 10 + pick(k, 14), i;

	for (i = 0; i < levels; i++) {
		uint32_t level = pick(k, 3) ? i : 0, lane = pick(k, 32);

		put(k, "\tsetp.%s.s32 %%q%u, %%lane, %u;\n\t@%%q%u bra L%u_%u;\n",
		    pick(k, 2) ? "lt" : "eq", k->fuels, lane, k->fuels, n, level);
		k->fuels++;
		add_operation(k);
	}
	at.depth = RANDOM_MAX_DEPTH;
	add_code(k, nested(at, LEVEL_THREAD));
	while (i--) {
		put(k, "L%u_%u:\n", n, i);
		add_operation(k);
	}
}

/* A switch under construction. Register numbers: the index, which may be read again, and fuel. */
struct random_switch {
	uint32_t n, cases, index, fuel, loop_fuel;
	bool loop; /* cases may branch back to the switch */
};

/* Dispatch by a table, in which several numbers may lead to one case, or by comparisons, of which
 * many become a table. */
static inline void add_dispatch(struct random_ptx *k, const struct random_switch *w,
				uint32_t numbers)
{
	bool table = pick(k, 3);
	uint32_t q = k->fuels++;

	if (table)
		put(k, "L%u_ways: .branchtargets ", w->n);
	for (uint32_t i = 0; i < numbers; i++) {
		uint32_t index = i < w->cases ? i : pick(k, w->cases);

		if (table)
			put(k, "L%u_%u%s", w->n, index, i + 1 < numbers ? ", " : ";\n");
		else if (i + 1 < numbers)
			put(k, "\tsetp.eq.u32 %%q%u, %%c%u, %u;\n\t@%%q%u bra L%u_%u;\n", q,
			    w->index, i, q, w->n, index);
		else
			put(k, "\tbra L%u_%u;\n", w->n, index);
	}
	if (table)
		put(k, "\tbrx.idx %%c%u, L%u_ways;\n", w->index, w->n);
}

/* A case may be a loop from its first instruction on, and end in the next case, after the switch or
 * before it. */
static inline void add_case(struct random_ptx *k, struct random_context at,
			    const struct random_switch *w, uint32_t i)
{
	bool cycle = !pick(k, 3);
	uint32_t word;

	put(k, "L%u_%u:\n", w->n, i);
	if (pick(k, 2)) {
		word = pick(k, RANDOM_WORDS);
		put(k, "\tadd.s32 %%r%u, %%r%u, %%c%u;\n", pick(k, RANDOM_WORDS), word, w->index);
	}
	add_code(k, at);
	if (cycle)
		put(k,
		    "\tsub.s32 %%c%u, %%c%u, 1;\n\tsetp.gt.s32 %%q%u, %%c%u, 0;\n\t@%%q%u bra "
		    "L%u_%u;\n",
		    w->fuel, w->fuel, w->fuel, w->fuel, w->fuel, w->n, i);
	if (w->loop && pick(k, 2))
		put(k, "\tbra L%u_head;\n", w->n);
	else if (pick(k, 3))
		put(k, "\tbra L%u_end;\n", w->n);
}

/* Selects one of several cases by number; some fall through. */
static inline void add_switch(struct random_ptx *k, struct random_context at)
{
	uint32_t cases = 2 + pick(k, 7), loop = !pick(k, 3);
	struct random_switch w = {.n = k->labels++, .cases = cases, .loop = loop};
	uint32_t numbers = pick(k, 2) ? w.cases : w.cases + 8, word;

	w.fuel = add_fuel(k, at);
	w.loop_fuel = w.loop ? add_fuel(k, at) : 0;
	w.index = k->fuels++;
	if (at.level == LEVEL_THREAD)
		put(k, "\tmov.u32 %%c%u, %%r%u;\n", w.index, pick(k, RANDOM_WORDS));
	else
		put(k, "\tmov.u32 %%c%u, %%u%u;\n", w.index, pick(k, RANDOM_UNIFORM));
	if (w.loop)
		put(k,
		    "L%u_head:\n\tsub.s32 %%c%u, %%c%u, 1;\n\tsetp.lt.s32 %%q%u, %%c%u, "
		    "0;\n\t@%%q%u bra L%u_end;\n"
		    "\tadd.s32 %%c%u, %%c%u, %u;\n",
		    w.n, w.loop_fuel, w.loop_fuel, w.loop_fuel, w.loop_fuel, w.loop_fuel, w.n,
		    w.index, w.index, pick(k, 8));
	put(k, "\trem.u32 %%c%u, %%c%u, %u;\n", w.index, w.index, numbers);
	add_dispatch(k, &w, numbers);
	for (uint32_t i = 0; i < w.cases; i++)
		add_case(k, at, &w, i);
	if (w.loop && pick(k, 2))
		put(k, "\tbra L%u_head;\n", w.n);
	put(k, "L%u_end:\n", w.n);
	if (pick(k, 2)) {
		word = pick(k, RANDOM_WORDS);
		put(k, "\txor.b32 %%r%u, %%r%u, %%c%u;\n", pick(k, RANDOM_WORDS), word, w.index);
	}
}

#define RANDOM_ARGUMENTS "%own, %mine, %heap, %input, %common, "

/* Calls one of the kernel's functions, by name or by one of two addresses. */
static inline void add_call(struct random_ptx *k, const char *deep)
{
	uint32_t f = pick(k, k->functions), n = k->labels++, guard;

	put(k, "\t{.reg .b32 d;\n");
	if (k->number >= RANDOM_CALLS || pick(k, 3)) {
		put(k, "\tcall (d), f%" PRIu64 "_%u, (", k->number, f);
	} else {
		guard = pick(k, RANDOM_PREDICATES);
		put(k,
		    "\t.reg .b64 x, y;\n\tmov.u64 x, f%" PRIu64 "_%u;\n\tmov.u64 y, f%" PRIu64
		    "_%u;\n"
		    "\tselp.b64 x, x, y, %%p%u;\nL%u_kind: .callprototype (.reg .b32 _) _ (.reg "
		    ".b32 _, .reg .b64 _, "
		    ".reg .b64 _, .reg .b64 _, .reg .b64 _, .reg .b64 _, .reg .b64 _, .reg .b32 "
		    "_);\n\tcall (d), x, (",
		    k->number, f, k->number, pick(k, k->functions), guard, n);
		f = UINT32_MAX;
	}
	put_row(k, "b32", "$r, $l, " RANDOM_ARGUMENTS);
	if (f == UINT32_MAX)
		put(k, "%s), L%u_kind;\n", deep, n);
	else
		put(k, "%s);\n", deep);
	put_row(k, "b32", "\tmov.b32 $r, d;}\n");
}

static inline void put_end(struct random_ptx *k)
{
	const char *how = pick(k, 2) ? "exit" : "ret";

	put(k, "\t@%%p%u %s;\n", pick(k, RANDOM_PREDICATES), how);
}

static inline void add_code(struct random_ptx *k, struct random_context at)
{
	uint32_t n = 1 + pick(k, 7);

	for (uint32_t i = 0; i < n && k->budget; i++) {
		uint32_t what = pick(k, k->number < RANDOM_LOOPS   ? 28
					: k->number < RANDOM_CALLS ? 31
								   : 36);
		struct random_context deeper = nested(at, (enum random_level)pick(k, 3));

		k->budget--;
		if ((what < 7 || what > 27) && at.depth >= RANDOM_MAX_DEPTH)
			what = 23;
		if (what == 0 || what == 1)
			add_if(k, deeper);
		else if (what == 2)
			add_loop(k, deeper);
		else if (what == 3)
			add_soup(k, deeper);
		else if (what == 4 && at.level >= LEVEL_WARP)
			add_split(k, at);
		else if (what == 5 && !pick(k, 4))
			add_nest(k, at);
		else if (what == 6)
			add_switch(k, deeper);
		else if (what > 27 && what < 31)
			add_loops(k, deeper);
		else if (what == 24)
			add_count(k);
		else if ((what == 25 || what > 30) && k->functions && !k->function)
			add_call(k, pick(k, 2) ? "2" : "0");
		else if (what == 7 && k->ends && at.level == LEVEL_THREAD)
			put_end(k);
		else if (what <= 11 && at.level >= LEVEL_WARP)
			add_together(k, at);
		else
			add_operation(k);
	}
}

/* Declares the names of a body. */
static inline void add_registers(struct random_ptx *k, const struct random_ptx *body)
{
	put(k,
	    "\t.reg .b32 %%r<%u>, %%c<%u>, %%u<%u>, %%t, %%lane, %%warp, %%thread;\n\t.reg .b16 "
	    "%%h<%u>;\n"
	    "\t.reg .b64 %%l<%u>, %%stack, %%any, %%far, %%own_any, %%mine_any, %%heap_any, "
	    "%%stack_any, %%next, %%first;\n"
	    "\t.reg .pred %%p<%u>, %%q<%u>;\n\t.local .align 16 .b8 stack[%u], kept[%u];\n",
	    RANDOM_WORDS, body->fuels + 1, RANDOM_UNIFORM, RANDOM_HALVES, RANDOM_LONGS,
	    RANDOM_PREDICATES, body->fuels + 1, AGREE_SLOTS * 8, AGREE_SLOTS * 8);
}

/* Initialises everything before its use: private memory, */
static inline void add_memory(struct random_ptx *k, const char *spaces)
{
	put(k, "\tmov.u64 %%stack, stack;\n\tcvta.local.u64 %%stack_any, "
	       "%%stack;\n\tcvta.global.u64 %%own_any, %%own;\n"
	       "\tcvta.shared.u64 %%mine_any, %%mine;\n\tcvta.global.u64 %%heap_any, %%heap;\n"
	       "\tmov.u64 %%any, %%own_any;\n\tmov.u64 %%far, %%mine_any;\n");
	for (; *spaces; spaces++)
		for (uint32_t i = 0; i < AGREE_SLOTS; i++) {
			uint32_t l = pick(k, RANDOM_LONGS);

			if (*spaces == 'l')
				put(k,
				    "\tst.local.u64 [stack+%u], %%l%u;\n\tst.local.u64 [kept+%u], "
				    "%%l%u;\n",
				    8 * i, l, 8 * i, l);
			else
				put(k, "\tst.%s+%u], %%l%u;\n",
				    *spaces == 's' ? "shared.u64 [%mine" : "global.u64 [%heap",
				    8 * i, l);
		}
}

/* and the registers other than the first words and longs. */
static inline void add_values(struct random_ptx *k)
{
	for (uint32_t i = 0; i < RANDOM_HALVES; i++)
		put(k, "\tcvt.u16.u32 %%h%u, %%r%u;\n", i, 4 + i);
	for (uint32_t i = 0; i < RANDOM_PREDICATES; i++) {
		uint32_t number = pick(k, 100);

		put(k, "\tsetp.lt.s32 %%p%u, %%r%u, %u;\n", i, pick(k, RANDOM_WORDS), number);
	}
}

static inline void add_start(struct random_ptx *k)
{
	put(k,
	    "\tld.param.u64 %%own, [scratch];\n\tld.param.u64 %%input, [in];\n\tld.param.u64 "
	    "%%result, [out];\n"
	    "\tadd.s64 %%common, %%own, %u;\n\tmov.u32 %%lane, %%laneid;\n\tmov.u32 %%thread, "
	    "%%tid.x;\n"
	    "\tshr.u32 %%warp, %%thread, 5;\n\tmov.u32 %%r0, %%ctaid.x;\n\tmov.u32 %%r1, "
	    "%%ntid.x;\n"
	    "\tmad.lo.s32 %%r2, %%r0, %%r1, %%thread;\n\tmul.wide.u32 %%l0, %%r2, %u;\n"
	    "\tadd.s64 %%own, %%own, %%l0;\n\tadd.s64 %%result, %%result, %%l0;\n\tmov.u64 %%heap, "
	    "heap;\n"
	    "\tadd.s64 %%heap, %%heap, %%l0;\n\tmov.u64 %%mine, slots;\n\tadd.s32 %%t, %%thread, "
	    "1;\n"
	    "\trem.u32 %%t, %%t, %%r1;\n\tmad.wide.u32 %%next, %%t, %u, %%mine;\n\tmad.wide.u32 "
	    "%%first, %%lane, %u, %%mine;\n"
	    "\tmad.wide.u32 %%mine, %%thread, %u, %%mine;\n\tmov.u32 %%u0, %%ctaid.x;\n"
	    "\tld.param.u32 %%u1, [a];\n\tld.global.u32 %%u2, [%%input+8];\n\tadd.s32 %%u3, %%u0, "
	    "5;\n",
	    8 * (AGREE_WORDS - AGREE_SHARED), 8 * AGREE_SLOTS, 8 * AGREE_SLOTS, 8 * AGREE_SLOTS,
	    8 * AGREE_SLOTS);
	put(k, "\tmov.u32 %%r3, %%u1;\n\tmov.u32 %%r4, %%lane;\n");
	for (uint32_t i = 5; i < RANDOM_WORDS; i++)
		put(k, "\tld.global.u32 %%r%u, [%%own+%u];\n", i, 4 * i);
	put(k, "\tld.param.u64 %%l1, [b];\n");
	for (uint32_t i = 2; i < RANDOM_LONGS; i++)
		put(k, "\tld.global.u64 %%l%u, [%%input+%u];\n", i, 8 * pick(k, AGREE_INPUTS));
	add_memory(k, "lsh");
	add_values(k);
	put(k, "\tst.shared.u64 [tally], 0;\n\tst.shared.u64 [tally+8], 0;\n\tbar.sync 0;\n");
}

/* A function starts from its arguments. Argument %deep limits the depth of its calls. */
static inline void add_function(struct random_ptx *k, struct random_ptx *out, uint32_t n)
{
	struct random_context top = {LEVEL_THREAD, 0, 0, 2};
	struct random_ptx body = *k;
	uint32_t label;

	body.capacity = 1 << 16;
	body.text = malloc(body.capacity);
	if (!body.text)
		abort();
	body.size = body.fuels = 0;
	body.function = true;
	if (k->number >= RANDOM_CALLS)
		body.functions = n;
	body.budget = 3 + pick(&body, 12);
	put(&body, "\tmov.b32 %%r0, %%a;\n\tmov.b64 %%l0, %%b;\n\tmov.b32 %%r1, %%deep;\n\tmov.b32 "
		   "%%result, %%a;\n"
		   "\tmov.u32 %%lane, %%laneid;\n\tmov.u32 %%thread, %%tid.x;\n");
	for (uint32_t i = 2; i < RANDOM_WORDS; i++) {
		uint32_t number = pick(&body, 1 << 20);

		put(&body, "\tmad.lo.s32 %%r%u, %%r%u, %u, %u;\n", i, i - 2, pick(&body, 1 << 20),
		    number);
	}
	for (uint32_t i = 1; i < RANDOM_LONGS; i++)
		put(&body, "\tmad.wide.u32 %%l%u, %%r%u, %u, %%l%u;\n", i, i, pick(&body, 1 << 20),
		    i - 1);
	add_memory(&body, "l");
	add_values(&body);
	put(&body, RANDOM_BEGIN);
	while (body.budget)
		add_code(&body, top);
	put(&body, RANDOM_END);
	if (body.functions) {
		label = body.labels++;
		put(&body,
		    "\tsetp.lt.s32 %%q0, %%deep, 1;\n\t@%%q0 bra L%u_end;\n\tsub.s32 %%deep, "
		    "%%deep, 1;\n",
		    label);
		add_call(&body, "%deep");
		put(&body, "L%u_end:\n", label);
	}
	for (uint32_t i = 0; i < 4; i++)
		add_operation(&body);
	put_row(&body, "b32",
		"\txor.b32 %result, $r, $r;\n\t@$p ret;\n\tadd.s32 %result, %result, "
		"$r;\n\tret;\n}\n");
	put(out,
	    ".func (.reg .b32 %%result) f%" PRIu64
	    "_%u(.reg .b32 %%a, .reg .b64 %%b, .reg .b64 %%own, .reg .b64 %%mine, "
	    ".reg .b64 %%heap, .reg .b64 %%input, .reg .b64 %%common, .reg .b32 %%deep)\n{\n",
	    k->number, n);
	add_registers(out, &body);
	put_text(out, body.text, body.size);
	k->seed = body.seed;
	free(body.text);
}

static inline void add_end(struct random_ptx *k)
{
	for (uint32_t i = 0; i < RANDOM_LONGS; i++)
		put(k, "\tst.global.u64 [%%result+%u], %%l%u;\n", 8 * i, i);
	put(k, "\tmov.u32 %%t, 0;\n");
	for (uint32_t i = 0; i < RANDOM_WORDS; i++)
		put(k, "\tmad.lo.s32 %%t, %%t, 31, %%r%u;\n", i);
	put(k, "\tst.global.u32 [%%result+48], %%t;\n\tmov.u32 %%t, 0;\n");
	for (uint32_t i = 0; i < RANDOM_PREDICATES; i++)
		put(k, "\t@%%p%u or.b32 %%t, %%t, %u;\n", i, 1u << i);
	for (uint32_t i = 0; i < RANDOM_HALVES; i++)
		put(k, "\tcvt.u32.u16 %%warp, %%h%u;\n\tmad.lo.s32 %%t, %%t, 17, %%warp;\n", i);
	put(k, "\tst.global.u32 [%%result+52], %%t;\n\tmov.b64 %%l0, 0;\n");
	/* Hash of the memory. */
	for (uint32_t i = 0; i < AGREE_SLOTS; i++)
		put(k,
		    "\tld.shared.u64 %%l1, [%%mine+%u];\n\tmad.lo.s64 %%l0, %%l0, 31, %%l1;\n"
		    "\tld.local.u64 %%l1, [%%stack+%u];\n\tmad.lo.s64 %%l0, %%l0, 31, %%l1;\n"
		    "\tld.local.u64 %%l1, [kept+%u];\n\tmad.lo.s64 %%l0, %%l0, 31, %%l1;\n"
		    "\tld.global.u64 %%l1, [%%heap+%u];\n\tmad.lo.s64 %%l0, %%l0, 31, %%l1;\n",
		    8 * i, 8 * i, 8 * i, 8 * i);
	if (!k->ends)
		put(k, "\tbar.sync 0;\n\tld.shared.u64 %%l1, [tally];\n\tmad.lo.s64 %%l0, %%l0, "
		       "31, %%l1;\n"
		       "\tld.shared.u64 %%l1, [tally+8];\n\tmad.lo.s64 %%l0, %%l0, 31, %%l1;\n");
	put(k, "\tst.global.u64 [%%result+56], %%l0;\n");
	if (pick(k, 2))
		put(k, "\tret;\n");
	put(k, "}\n");
}

static inline void random_open(struct random_ptx *k)
{
	k->capacity = 1 << 16;
	k->text = malloc(k->capacity);
	if (!k->text)
		abort();
}

/* The prelude of a file: functions, constants and variables that all kernels may use. */
static inline void add_prelude(struct random_ptx *k)
{
	uint64_t seed = 1;

	put(k,
	    ".version 8.0\n.target sm_80\n.address_size 64\n"
	    ".global .align 16 .b8 heap[%u];\n.shared .align 8 .b8 tally[16];\n.const .align 16 "
	    ".b32 constants[16] = {",
	    AGREE_BLOCKS * AGREE_MAX_THREADS * AGREE_SLOTS * 8);
	for (uint32_t i = 0; i < 16; i++)
		put(k, "%s%u", i ? ", " : "", (uint32_t)agree_random(&seed));
	put(k, "};\n"
	       ".func (.reg .b32 r) step(.reg .b32 a)\n{\n\tmad.lo.s32 r, a, 69069, 1;\n\tret;\n}\n"
	       ".func (.reg .b32 r) mix(.reg .b32 a, .reg .b32 n)\n{\n\t.reg .pred p; .reg .b32 k, "
	       "t;\n"
	       "\t.local .align 4 .b8 kept[8];\n\tst.local.u32 [kept+4], a;\n\tand.b32 k, n, "
	       "3;\n\tmov.b32 r, a;\nagain:\n"
	       "\tsetp.eq.s32 p, k, 0;\n\t@p bra done;\n\tcall (t), step, (r);\n\tmov.b32 r, "
	       "t;\n\tsub.s32 k, k, 1;\n"
	       "\tbra again;\ndone:\n\tsetp.lt.s32 p, r, 0;\n\t@p ret;\n\tld.local.u32 t, "
	       "[kept+4];\n\txor.b32 r, r, t;\n"
	       "\tret;\n}\n"
	       ".func (.param .align 8 .b8 r[16]) turn(.param .align 8 .b8 x[16])\n{\n\t.reg .b64 "
	       "a; .reg .b32 b, c;\n"
	       "\tld.param.b64 a, [x];\n\tld.param.b32 b, [x+8];\n\tld.param.b32 c, "
	       "[x+12];\n\tst.param.b64 [r+8], a;\n"
	       "\tst.param.b32 [r], c;\n\tst.param.b32 [r+4], b;\n\tret;\n}\n");
}

/* A kernel and its functions. Returns the required number of threads per block. */
static inline uint32_t add_kernel(struct random_ptx *whole, uint64_t number, const char *name)
{
	struct random_ptx body = {.seed = number, .number = number};
	struct random_context top = {LEVEL_BLOCK, UINT32_MAX, 0, 0};
	uint32_t threads, n;

	random_open(&body);
	body.ends = !pick(&body, 3);
	threads = body.ends ? 1 + pick(&body, AGREE_MAX_THREADS) : AGREE_MAX_THREADS;
	if (number >= RANDOM_CALLS)
		body.functions = 1 + pick(&body, 4);
	else
		body.functions = pick(&body, 2) ? 0 : 1 + pick(&body, 3);
	for (n = 0; n < body.functions; n++)
		put(whole,
		    ".func (.reg .b32 %%result) f%" PRIu64
		    "_%u(.reg .b32 %%a, .reg .b64 %%b, .reg .b64 %%own, .reg .b64 %%mine, "
		    ".reg .b64 %%heap, .reg .b64 %%input, .reg .b64 %%common, .reg .b32 %%deep);\n",
		    body.number, n);
	for (n = 0; n < body.functions; n++)
		add_function(&body, whole, n);
	body.budget = 10 + pick(&body, 110);
	add_start(&body);
	put(&body, RANDOM_BEGIN);
	while (body.budget)
		add_code(&body, top);
	put(&body, RANDOM_END);
	add_end(&body);
	put(whole,
	    ".visible .entry %s(.param .u64 out, .param .u64 in, .param .u64 scratch, .param .u32 "
	    "a, .param .u64 b)\n{\n",
	    name);
	add_registers(whole, &body);
	put(whole,
	    "\t.reg .b64 %%own, %%input, %%result, %%mine, %%heap, %%common;\n\t.shared .align 16 "
	    ".b8 slots[%u];\n",
	    AGREE_MAX_THREADS * AGREE_SLOTS * 8);
	put_text(whole, body.text, body.size);
	free(body.text);
	return threads;
}

/* Whether PTX has the statements of a line on sm_70. Matrix products are not supported there. */
static inline bool is_old_line(const char *line, size_t length)
{
	static const char *const newer[] = {"bf16",      "redux.",   ".relu",       ".NaN.",
					    "min.f16",   "max.f16",  "min.ftz.f16", "max.ftz.f16",
					    "f16x2.f32", "mma.sync."};
	char text[1024];

	snprintf(text, sizeof(text), "%.*s", (int)length, line);
	for (size_t k = 0; k < sizeof(newer) / sizeof(newer[0]); k++)
		if (strstr(text, newer[k]))
			return false;
	return true;
}

static inline void drop_newer_lines(char *text)
{
	char *to = text;

	for (const char *from = text; *from;) {
		size_t length = strcspn(from, "\n") + 1;

		if (is_old_line(from, length)) {
			memmove(to, from, length);
			to += length;
		}
		from += length;
	}
	*to = 0;
}

/* malloc'ed text. *threads: the required number of threads per block. */
static inline char *random_ptx(uint64_t number, uint32_t *threads)
{
	struct random_ptx whole = {0};

	random_open(&whole);
	add_prelude(&whole);
	*threads = add_kernel(&whole, number % RANDOM_OLD, "k");
	if (number >= RANDOM_OLD)
		drop_newer_lines(whole.text);
	return whole.text;
}

#endif
