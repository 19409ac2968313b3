/* SPDX-License-Identifier: MIT */
/*
 * Random PTX kernels whose flow of control is as bad as PTX allows: branches into and out of loops,
 * several exits, early ends of threads, deep nests, guards on anything, registers written on every
 * path. A piece of code knows how much its threads have in common: all threads of a block (LEVEL_BLOCK)
 * may meet at barriers, all members of a mask (LEVEL_WARP) may exchange values, threads that go their
 * own ways (LEVEL_THREAD) may do neither. Every cycle runs on fuel, so every kernel ends.
 */
#ifndef TESTS_COMPILER_RANDOM_H
#define TESTS_COMPILER_RANDOM_H

#include <stdarg.h>
#include "tests/userspace/compiler/_agree.h"

#define RANDOM_WORDS 12 /* registers of 32 bits */
#define RANDOM_LONGS 6
#define RANDOM_HALVES 4
#define RANDOM_PREDICATES 10
#define RANDOM_UNIFORM 4
#define RANDOM_MAX_DEPTH 4
/* Around what is random. What stands outside keeps threads apart: without it a kernel says nothing. */
#define RANDOM_BEGIN "\t// begin\n"
#define RANDOM_END   "\t// end\n"

/* Lanes whose number has a bit. */
static const uint32_t random_masks[] = {0xaaaaaaaa, 0xcccccccc, 0xf0f0f0f0, 0xff00ff00, 0xffff0000};

enum random_level { LEVEL_THREAD, LEVEL_WARP, LEVEL_BLOCK };

struct random_ptx {
	uint64_t seed;
	char *text;
	size_t size, capacity;
	uint32_t labels, fuels, budget;
	bool ends; /* threads may end early; then nothing is read from other lanes */
};

struct random_place {
	enum random_level level;
	uint32_t members, split; /* lanes that are here together; lane bits that tell them from others */
	uint32_t depth;
};

static inline uint32_t pick(struct random_ptx *k, uint32_t n)
{
	return (uint32_t)(agree_random(&k->seed) >> 33) % n;
}

__attribute__((format(printf, 2, 3))) static inline void put(struct random_ptx *k, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (k->capacity - k->size < 1024) {
		k->capacity *= 2;
		k->text = realloc(k->text, k->capacity);
		if (!k->text)
			abort();
	}
	va_start(ap, fmt);
	n = vsnprintf(k->text + k->size, k->capacity - k->size, fmt, ap);
	va_end(ap);
	k->size += (size_t)n;
}

/* What a NaN keeps of a NaN of f64 that it came from is up to the machine; here it keeps nothing. */
#define F32(operation)                                                                                            \
	"{.reg .f32 d; .reg .pred n; " operation " setp.nan.f32 n, d, d; selp.f32 $r, 0f7FFFFFFF, d, n;}"
#define F64(operation)                                                                                            \
	"{.reg .f64 d; .reg .pred n; " operation " setp.nan.f64 n, d, d; selp.f64 $l, 0d7FF8000000000000, d, n;}"

/* Operations; $r $l $h $p are registers, $R $L may be numbers, $o an offset into a thread's own words. */
static const char *const random_operations[] = {
	"add.s32 $r, $r, $R;", "sub.s32 $r, $r, $R;", "mul.lo.s32 $r, $r, $R;", "mad.lo.s32 $r, $r, $r, $R;",
	"mul.hi.u32 $r, $r, $r;", "mul.hi.s32 $r, $r, $r;", "and.b32 $r, $r, $R;", "or.b32 $r, $r, $R;",
	"xor.b32 $r, $r, $R;", "not.b32 $r, $r;", "shl.b32 $r, $r, $R;", "shr.u32 $r, $r, $R;",
	"shr.s32 $r, $r, $R;", "min.s32 $r, $r, $R;", "max.u32 $r, $r, $r;", "abs.s32 $r, $r;",
	"neg.s32 $r, $r;", "popc.b32 $r, $r;", "clz.b32 $r, $r;", "brev.b32 $r, $r;", "rem.u32 $r, $r, $R;",
	"div.s32 $r, $r, $r;", "mov.b32 $r, $r;", "mov.b32 $r, $r;", "mov.u32 $r, $R;",
	"add.s64 $l, $l, $L;", "sub.s64 $l, $l, $l;", "mul.lo.s64 $l, $l, $L;", "mul.hi.u64 $l, $l, $l;",
	"and.b64 $l, $l, $L;", "xor.b64 $l, $l, $l;", "not.b64 $l, $l;", "shl.b64 $l, $l, $r;",
	"shr.s64 $l, $l, $R;", "shr.u64 $l, $l, $r;", "min.s64 $l, $l, $l;", "max.u64 $l, $l, $L;",
	"mov.b64 $l, $l;", "mov.b64 $l, {$r, $r};", "mov.b64 {%r1, %r2}, $l;", "popc.b64 $r, $l;",
	"mul.wide.u32 $l, $r, $r;", "mul.wide.s32 $l, $r, $R;", "mad.wide.u32 $l, $r, $r, $l;",
	"cvt.u64.u32 $l, $r;", "cvt.s64.s32 $l, $r;", "cvt.u32.u64 $r, $l;", "cvt.s32.s8 $r, $r;",
	"cvt.u16.u32 $h, $r;", "cvt.s32.s16 $r, $h;", "add.s16 $h, $h, $h;", "mul.lo.u16 $h, $h, $h;",
	"shr.s16 $h, $h, $r;", "xor.b16 $h, $h, $h;", "mov.b32 $r, {$h, $h};", "min.u16 $h, $h, $h;",
	"add.f32 $r, $r, $r;", "mul.f32 $r, $r, $r;", "fma.rn.f32 $r, $r, $r, $r;", "neg.f32 $r, $r;",
	"max.f32 $r, $r, $r;", "add.rz.ftz.f32 $r, $r, $r;",
	"div.rn.f32 $r, $r, $r;", "div.rz.ftz.f32 $r, $r, $r;", "rcp.rn.f32 $r, $r;", "rcp.rp.f32 $r, $r;",
	"sqrt.rn.f32 $r, $r;", "sqrt.rm.ftz.f32 $r, $r;", F64("fma.rn.f64 d, $l, $l, $l;"), F64("add.rp.f64 d, $l, $l;"),
	F64("mul.f64 d, $l, $l;"), F64("div.rn.f64 d, $l, $l;"), F64("div.rm.f64 d, $l, $l;"), F64("rcp.rn.f64 d, $l;"),
	F64("sqrt.rn.f64 d, $l;"), F64("sqrt.rz.f64 d, $l;"), F64("min.f64 d, $l, $l;"), "setp.lt.f64 $p, $l, $l;",
	"div.u64 $l, $l, $l;", "rem.s64 $l, $l, $l;", "div.s64 $l, $l, $L;", "rem.u64 $l, $l, 10;",
	"div.u32 $r, $r, 7;", "div.s32 $r, $r, -12;", "rem.s32 $r, $r, 1000;", "div.s16 $h, $h, 3;", "rem.u16 $h, $h, $h;",
	"bfe.u32 $r, $r, $R, $R;", "bfe.s64 $l, $l, $r, $r;", "bfi.b32 $r, $r, $r, $R, $R;", "prmt.b32 $r, $r, $r, $R;",
	"lop3.b32 $r, $r, $r, $r, 0x96;", "dp4a.s32.u32 $r, $r, $r, $r;", "{add.cc.u32 %r5, $r, $r; addc.u32 %r6, $r, $R;}",
	"{.reg .b32 d; call (d), mix, ($r, $r); mov.b32 $r, d;}", "{.reg .b32 d; call (d), mix, ($R, 3); mov.b32 $r, d;}",
	"shf.l.wrap.b32 $r, $r, $r, $R;", "cvt.rn.f32.s32 $r, $r;", "cvt.rzi.s32.f32 $r, $r;", F64("cvt.f64.f32 d, $r;"),
	F32("cvt.rn.f32.f64 d, $l;"), "cvt.rni.u64.f64 $l, $l;", "cvt.rz.f64.s64 $l, $l;",
	"setp.lt.s32 $p, $r, $R;", "setp.ge.u32 $p, $r, $r;", "setp.eq.s32 $p, $r, $R;",
	"setp.gt.s64 $p, $l, $l;", "setp.ne.u64 $p, $l, $L;", "setp.le.u64 $p, $l, $l;",
	"setp.lt.and.s32 $p, $r, $R, $p;", "setp.hi.or.u32 %p1|%p2, $r, $r, !$p;", "setp.ltu.f32 $p, $r, $r;",
	"setp.lt.xor.s64 %p3|%p0, $l, $l, $p;", "setp.ne.u16 $p, $h, $h;",
	"and.pred $p, $p, $p;", "or.pred $p, $p, $p;", "xor.pred $p, $p, $p;", "not.pred $p, $p;",
	"mov.pred $p, $p;", "selp.b32 $r, $r, $R, $p;", "selp.b64 $l, $l, $l, $p;", "selp.b16 $h, $h, $h, $p;",
	"ld.global.u32 $r, [%own+$o4];", "ld.global.s8 $r, [%own+$o1];", "ld.global.u64 $l, [%own+$o8];",
	"ld.global.v2.u32 {%r3, %r5}, [%own+$o8];", "ld.global.v4.u32 {%r8, %r7, %r6, %r4}, [%own+16];",
	"st.global.u32 [%own+$o4], $r;", "st.global.u8 [%own+$o1], $r;", "st.global.u64 [%own+$o8], $l;",
	"st.global.v2.u32 [%own+$o8], {$r, $r};", "st.global.v2.u64 [%own+32], {$l, $l};",
	"st.global.u16 [%own+$o2], $h;", "ld.shared.u32 $r, [%mine+$o4];", "ld.shared.u64 $l, [%mine+$o8];",
	"st.shared.u32 [%mine+$o4], $r;", "st.shared.v2.u32 [%mine+$o8], {$r, $r};", "st.shared.u8 [%mine+$o1], $r;",
	"ld.shared.v4.u32 {%r0, %r1, %r9, %r2}, [%mine+32];", "atom.global.add.u32 $r, [%own+$o4], $r;",
	"atom.shared.xor.b32 $r, [%mine+$o4], $r;", "atom.global.cas.b32 $r, [%own+$o4], $r, $r;",
	"atom.shared.add.u64 $l, [%mine+$o8], $l;", "red.global.add.u32 [%common+4], $r;",
	"red.global.max.u64 [%common+8], $l;",
	"{.reg .b32 i; .reg .b64 j; and.b32 i, $r, 60; cvt.u64.u32 j, i; add.s64 j, j, %own; ld.global.u32 $r, [j];}",
	"{.reg .b32 i; .reg .b64 j; and.b32 i, $r, 56; cvt.u64.u32 j, i; add.s64 j, j, %mine; st.shared.u64 [j], $l;}",
	"{.reg .b32 i; .reg .b64 j; and.b32 i, $r, 63; mul.wide.u32 j, i, 8; add.s64 j, j, %input; ld.global.nc.u64 $l, [j];}",
	"{.reg .b32 i; .reg .b64 j; and.b32 i, $r, 63; mul.wide.u32 j, i, 8; add.s64 j, j, %input; ld.global.u32 $r, [j+4];}",
};

static inline void put_number(struct random_ptx *k, bool wide)
{
	static const char *const numbers[] = {"0", "1", "-1", "2", "31", "32", "33", "64", "0x7fffffff", "0x80000000",
					      "255", "-128", "0xffff0000", "12345678"};

	if (wide && !pick(k, 3))
		put(k, "0x%llx", (unsigned long long)agree_random(&k->seed));
	else if (pick(k, 3))
		put(k, "%s", numbers[pick(k, sizeof(numbers) / sizeof(numbers[0]))]);
	else
		put(k, "%u", pick(k, 0x7fffffff));
}

static inline void put_operation(struct random_ptx *k, const char *t)
{
	for (; *t; t++) {
		if (*t != '$') {
			put(k, "%c", *t);
			continue;
		}
		switch (*++t) {
		case 'R':
		case 'r':
			if (*t == 'R' && pick(k, 2))
				put_number(k, false);
			else
				put(k, "%%r%u", pick(k, RANDOM_WORDS));
			break;
		case 'L':
		case 'l':
			if (*t == 'L' && pick(k, 2))
				put_number(k, true);
			else
				put(k, "%%l%u", pick(k, RANDOM_LONGS));
			break;
		case 'h':
			put(k, "%%h%u", pick(k, RANDOM_HALVES));
			break;
		case 'p':
			put(k, "%%p%u", pick(k, RANDOM_PREDICATES));
			break;
		case 'o': {
			uint32_t size = (uint32_t)(*++t - '0');

			put(k, "%u", size * pick(k, AGREE_SLOTS * 8 / size));
			break;
		}
		}
	}
}

static inline void add_operation(struct random_ptx *k)
{
	const char *t = random_operations[pick(k, sizeof(random_operations) / sizeof(random_operations[0]))];

	put(k, "\t");
	if (*t != '{' && !pick(k, 4))
		put(k, "@%s%%p%u ", pick(k, 2) ? "!" : "", pick(k, RANDOM_PREDICATES));
	put_operation(k, t);
	put(k, "\n");
}

/* Members fall into two groups by a bit of their lane's number, and each group works for itself at the
 * same instructions. */
static inline void add_groups(struct random_ptx *k, struct random_place at)
{
	static const char *const operations[] = {
		"vote.sync.ballot.b32 $r, $p, %t;",   "vote.sync.any.pred $p, $p, %t;",
		"vote.sync.all.pred $p, !$p, %t;",    "vote.sync.uni.pred $p, $p, %t;",
		"match.any.sync.b32 $r, $r, %t;",     "match.all.sync.b32 %r2|%p3, $r, %t;",
		"redux.sync.add.u32 $r, $r, %t;",     "redux.sync.min.s32 $r, $r, %t;",
		"redux.sync.xor.b32 $r, $r, %t;",     "match.any.sync.b64 $r, $l, %t;",
	};
	uint32_t n = k->fuels++, bit = pick(k, 5), i;

	put(k, "\tand.b32 %%t, %%lane, %u;\n\tsetp.ne.s32 %%q%u, %%t, 0;\n", 1u << bit, n);
	put(k, "\tselp.b32 %%t, 0x%x, 0x%x, %%q%u;\n", at.members & random_masks[bit],
	    at.members & ~random_masks[bit], n);
	for (i = 1 + pick(k, 2); i > 0; i--) {
		put(k, "\t");
		put_operation(k, operations[pick(k, sizeof(operations) / sizeof(operations[0]))]);
		put(k, "\n");
	}
}

/* What members of a mask, or a whole block, do together. */
static inline void add_together(struct random_ptx *k, struct random_place at)
{
	uint32_t what = pick(k, at.level == LEVEL_BLOCK ? 8 : 6);
	uint32_t p = pick(k, RANDOM_PREDICATES), q = pick(k, RANDOM_PREDICATES), r = pick(k, RANDOM_WORDS),
		 s = pick(k, RANDOM_WORDS);

	if (what == 0)
		put(k, "\tvote.sync.ballot.b32 %%r%u, %%p%u, 0x%x;\n", r, p, at.members);
	else if (what == 1)
		put(k, "\tvote.sync.%s.pred %%p%u, %s%%p%u, 0x%x;\n", pick(k, 2) ? "all" : "any", p,
		    pick(k, 2) ? "!" : "", q, at.members);
	else if (what <= 3 && !k->ends)
		put(k, "\tshfl.sync.bfly.b32 %%r%u, %%r%u, %u, 31, 0x%x;\n", r, s, pick(k, 32) & ~at.split,
		    at.members);
	else if (what == 4 && !k->ends && !at.split)
		put(k, "\tshfl.sync.%s|%%p%u, %%r%u, %u, %s, -1;\n",
		    pick(k, 2) ? "down.b32 %r0" : "idx.b32 %r3", p, s, pick(k, 32), "31");
	else if (what == 5)
		add_groups(k, at);
	else if (what == 6)
		put(k, "\tbar.sync %u;\n", pick(k, 3));
	else if (what == 7) /* a neighbour's word */
		put(k, "\tst.shared.u32 [%%mine+%u], %%r%u;\n\tbar.sync 0;\n"
		       "\tld.shared.u32 %%r%u, [%%next+%u];\n\tbar.sync 0;\n",
		    4 * (s % 4), s, r, 4 * (s % 4));
}

/* A condition that all who are here agree on, or not; as a guard. */
static inline void put_condition(struct random_ptx *k, struct random_place at)
{
	uint32_t n = k->fuels++;

	if (at.level == LEVEL_BLOCK)
		put(k, "\tand.b32 %%t, %%u%u, %u;\n\tsetp.ne.s32 %%q%u, %%t, 0;\n", pick(k, RANDOM_UNIFORM),
		    1 + pick(k, 255), n);
	else if (at.level == LEVEL_WARP && pick(k, 2))
		put(k, "\tvote.sync.any.pred %%q%u, %%p%u, 0x%x;\n", n, pick(k, RANDOM_PREDICATES), at.members);
	else if (at.level == LEVEL_WARP)
		put(k, "\txor.b32 %%t, %%warp, %%u%u;\n\tand.b32 %%t, %%t, 3;\n\tsetp.ne.s32 %%q%u, %%t, 0;\n",
		    pick(k, RANDOM_UNIFORM), n);
	else if (pick(k, 2))
		put(k, "\tand.b32 %%t, %%lane, %u;\n\tsetp.eq.s32 %%q%u, %%t, %u;\n", 1 + pick(k, 31), n,
		    pick(k, 4));
	else
		put(k, "\tmov.pred %%q%u, %%p%u;\n", n, pick(k, RANDOM_PREDICATES));
	put(k, "\t@%s%%q%u ", pick(k, 2) ? "!" : "", n);
}

static inline void add_code(struct random_ptx *k, struct random_place at);

static inline struct random_place inside(struct random_place at, enum random_level most)
{
	at.depth++;
	if (at.level > most)
		at.level = most;
	return at;
}

static inline void add_if(struct random_ptx *k, struct random_place at)
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

/* Both sides of a bit of the lane's number work together among themselves. */
static inline void add_split(struct random_ptx *k, struct random_place at)
{
	uint32_t n = k->labels++, bit = pick(k, 5), mask = random_masks[bit];
	struct random_place yes = inside(at, LEVEL_WARP), no = yes;

	if (!(at.members & mask) || !(at.members & ~mask))
		return;
	yes.split = no.split = at.split | 1u << bit;
	yes.members &= mask;
	no.members &= ~mask;
	put(k, "\tand.b32 %%t, %%lane, %u;\n\tsetp.ne.s32 %%q%u, %%t, 0;\n\t@!%%q%u bra L%u_else;\n", 1u << bit,
	    k->fuels, k->fuels, n);
	k->fuels++;
	add_code(k, yes);
	put(k, "\tbra L%u_end;\nL%u_else:\n", n, n);
	add_code(k, no);
	put(k, "L%u_end:\n", n);
}

/* Fuel for a cycle; how much is as common as those who are here. */
static inline uint32_t add_fuel(struct random_ptx *k, struct random_place at)
{
	uint32_t n = k->fuels++, mask = at.depth < 2 ? 7 : at.depth < 3 ? 3 : 1;

	if (at.level == LEVEL_THREAD)
		put(k, "\tand.b32 %%c%u, %%r%u, %u;\n", n, pick(k, RANDOM_WORDS), mask);
	else
		put(k, "\tand.b32 %%c%u, %%u%u, %u;\n", n, pick(k, RANDOM_UNIFORM), mask);
	return n;
}

static inline void add_loop(struct random_ptx *k, struct random_place at)
{
	uint32_t n = k->labels++, fuel = add_fuel(k, at);
	bool first = pick(k, 2); /* where the test stands */

	put(k, "L%u_head:\n", n);
	if (first)
		put(k, "\tsetp.lt.s32 %%q%u, %%c%u, 1;\n\t@%%q%u bra L%u_end;\n", fuel, fuel, fuel, n);
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
		put(k, "\tsetp.gt.s32 %%q%u, %%c%u, 0;\n\t@%%q%u bra L%u_head;\n", fuel, fuel, fuel, n);
	}
	put(k, "L%u_end:\n", n);
}

/* A loop that counts, up or down and in any step, and loads on the way: what unrolling looks for. */
static inline void add_count(struct random_ptx *k)
{
	static const char *const ends[] = {"add.s32 %%c%u, %%c%u, %u", "lt.u32", "add.s32 %%c%u, %%c%u, %u", "lt.s32",
					   "sub.s32 %%c%u, %%c%u, %u", "gt.s32", "add.s32 %%c%u, %%c%u, s", "lt.u32"};
	uint32_t n = k->labels++, c = k->fuels++, how = pick(k, 5), step = how == 4 ? 1 : 1 + pick(k, 5);
	uint32_t limit = how == 2 ? 0 : 16 + pick(k, 30);

	put(k, "\t{.reg .b32 s;\n\tand.b32 %%c%u, %%r%u, 15;\n\tand.b32 s, %%r%u, 7;\n\tadd.s32 s, s, 1;\nL%u_head:\n", c,
	    pick(k, RANDOM_WORDS), pick(k, RANDOM_WORDS), n);
	put(k, "\t{.reg .b32 i; .reg .b64 j; and.b32 i, %%c%u, 15; mad.wide.u32 j, i, 4, %%own; ld.global.u32 i, [j]; "
	       "add.s32 %%r%u, %%r%u, i;}\n", c, n % RANDOM_WORDS, n % RANDOM_WORDS);
	for (uint32_t i = pick(k, 4); i > 0; i--)
		add_operation(k);
	put(k, "\t");
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	put(k, ends[how == 4 ? 0 : 2 * how], c, c, step);
#pragma GCC diagnostic pop
	put(k, ";\n\tsetp.%s %%q%u, %%c%u, %u;\n\t@%%q%u bra L%u_head;}\n", how == 4 ? "ne.s32" : ends[2 * how + 1], c, c,
	    limit, c, n);
}

/* Blocks that branch to each other at will. */
static inline void add_soup(struct random_ptx *k, struct random_place at)
{
	uint32_t n = k->labels++, fuel = add_fuel(k, at), blocks = 2 + pick(k, 4), i;

	for (i = 0; i < blocks; i++) {
		put(k, "L%u_%u:\n", n, i);
		add_code(k, at);
		put(k, "\tsub.s32 %%c%u, %%c%u, 1;\n\tsetp.lt.s32 %%q%u, %%c%u, 0;\n\t@%%q%u bra L%u_%u;\n", fuel,
		    fuel, fuel, fuel, fuel, n, blocks);
		if (pick(k, 4)) {
			put_condition(k, at);
			put(k, "bra L%u_%u;\n", n, pick(k, blocks + 1));
		}
		if (pick(k, 2))
			put(k, "\tbra L%u_%u;\n", n, pick(k, blocks + 1));
	}
	put(k, "L%u_%u:\n", n, blocks);
}

/* More levels of divergence than there are barriers for it in the hardware. */
static inline void add_nest(struct random_ptx *k, struct random_place at)
{
	uint32_t n = k->labels++, levels = 10 + pick(k, 14), i;

	for (i = 0; i < levels; i++) {
		put(k, "\tsetp.%s.s32 %%q%u, %%lane, %u;\n\t@%%q%u bra L%u_%u;\n", pick(k, 2) ? "lt" : "eq", k->fuels,
		    pick(k, 32), k->fuels, n, pick(k, 3) ? i : 0);
		k->fuels++;
		add_operation(k);
	}
	at.depth = RANDOM_MAX_DEPTH;
	add_code(k, inside(at, LEVEL_THREAD));
	while (i--) {
		put(k, "L%u_%u:\n", n, i);
		add_operation(k);
	}
}

static inline void add_code(struct random_ptx *k, struct random_place at)
{
	uint32_t n = 1 + pick(k, 7);

	for (uint32_t i = 0; i < n && k->budget; i++) {
		uint32_t what = pick(k, 25);
		struct random_place deeper = inside(at, (enum random_level)pick(k, 3));

		k->budget--;
		if (what < 6 && at.depth >= RANDOM_MAX_DEPTH)
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
		else if (what == 24)
			add_count(k);
		else if (what == 6 && k->ends && at.level == LEVEL_THREAD)
			put(k, "\t@%%p%u %s;\n", pick(k, RANDOM_PREDICATES), pick(k, 2) ? "exit" : "ret");
		else if (what <= 10 && at.level >= LEVEL_WARP)
			add_together(k, at);
		else
			add_operation(k);
	}
}

static inline void add_start(struct random_ptx *k)
{
	put(k, "\tld.param.u64 %%own, [scratch];\n\tld.param.u64 %%input, [in];\n\tld.param.u64 %%result, [out];\n"
	       "\tadd.s64 %%common, %%own, %u;\n\tmov.u32 %%lane, %%laneid;\n\tmov.u32 %%thread, %%tid.x;\n"
	       "\tshr.u32 %%warp, %%thread, 5;\n\tmov.u32 %%r0, %%ctaid.x;\n\tmov.u32 %%r1, %%ntid.x;\n"
	       "\tmad.lo.s32 %%r2, %%r0, %%r1, %%thread;\n\tmul.wide.u32 %%l0, %%r2, %u;\n"
	       "\tadd.s64 %%own, %%own, %%l0;\n\tadd.s64 %%result, %%result, %%l0;\n\tmov.u64 %%mine, slots;\n"
	       "\tadd.s32 %%t, %%thread, 1;\n\trem.u32 %%t, %%t, %%r1;\n\tmad.wide.u32 %%next, %%t, %u, %%mine;\n"
	       "\tmad.wide.u32 %%mine, %%thread, %u, %%mine;\n\tmov.u32 %%u0, %%ctaid.x;\n"
	       "\tld.param.u32 %%u1, [a];\n\tld.global.u32 %%u2, [%%input+8];\n\tadd.s32 %%u3, %%u0, 5;\n",
	    8 * (AGREE_WORDS - AGREE_SHARED), 8 * AGREE_SLOTS, 8 * AGREE_SLOTS, 8 * AGREE_SLOTS);
	for (uint32_t i = 0; i < AGREE_SLOTS; i++)
		put(k, "\tst.shared.u64 [%%mine+%u], %%l0;\n", 8 * i);
	put(k, "\tbar.sync 0;\n\tmov.u32 %%r3, %%u1;\n\tmov.u32 %%r4, %%lane;\n");
	for (uint32_t i = 5; i < RANDOM_WORDS; i++)
		put(k, "\tld.global.u32 %%r%u, [%%own+%u];\n", i, 4 * i);
	for (uint32_t i = 1; i < RANDOM_LONGS; i++)
		put(k, "\tld.global.u64 %%l%u, [%%input+%u];\n", i, 8 * pick(k, AGREE_INPUTS));
	put(k, "\tld.param.u64 %%l1, [b];\n");
	for (uint32_t i = 0; i < RANDOM_HALVES; i++)
		put(k, "\tcvt.u16.u32 %%h%u, %%r%u;\n", i, 4 + i);
	for (uint32_t i = 0; i < RANDOM_PREDICATES; i++)
		put(k, "\tsetp.lt.s32 %%p%u, %%r%u, %u;\n", i, pick(k, RANDOM_WORDS), pick(k, 100));
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
	put(k, "\tst.global.u32 [%%result+52], %%t;\n\tld.shared.u64 %%l0, [%%mine+8];\n"
	       "\tst.global.u64 [%%result+56], %%l0;\n");
	if (pick(k, 2))
		put(k, "\tret;\n");
	put(k, "}\n");
}

/* The text is malloc'ed. *threads: how many a block must have. */
static inline char *random_ptx(uint64_t seed, uint32_t *threads)
{
	struct random_ptx body = {.seed = seed, .capacity = 1 << 16}, whole = {.capacity = 1 << 16};
	struct random_place top = {LEVEL_BLOCK, UINT32_MAX, 0, 0};

	body.text = malloc(body.capacity);
	whole.text = malloc(whole.capacity);
	if (!body.text || !whole.text)
		abort();
	body.ends = !pick(&body, 3);
	*threads = body.ends ? 1 + pick(&body, AGREE_MAX_THREADS) : AGREE_MAX_THREADS;
	body.budget = 10 + pick(&body, 110);
	add_start(&body);
	put(&body, RANDOM_BEGIN);
	while (body.budget)
		add_code(&body, top);
	put(&body, RANDOM_END);
	add_end(&body);
	put(&whole,
	    ".version 8.0\n.target sm_80\n.address_size 64\n"
	    ".func (.reg .b32 r) step(.reg .b32 a)\n{\n\tmad.lo.s32 r, a, 69069, 1;\n\tret;\n}\n"
	    ".func (.reg .b32 r) mix(.reg .b32 a, .reg .b32 n)\n{\n\t.reg .pred p; .reg .b32 k, t;\n"
	    "\t.local .align 4 .b8 kept[8];\n\tst.local.u32 [kept+4], a;\n\tand.b32 k, n, 3;\n\tmov.b32 r, a;\nagain:\n"
	    "\tsetp.eq.s32 p, k, 0;\n\t@p bra done;\n\tcall (t), step, (r);\n\tmov.b32 r, t;\n\tsub.s32 k, k, 1;\n"
	    "\tbra again;\ndone:\n\tsetp.lt.s32 p, r, 0;\n\t@p ret;\n\tld.local.u32 t, [kept+4];\n\txor.b32 r, r, t;\n"
	    "\tret;\n}\n"
	    ".visible .entry k(.param .u64 out, .param .u64 in, .param .u64 scratch, .param .u32 a, .param .u64 b)\n{\n"
	    "\t.reg .b32 %%r<%u>, %%c<%u>, %%u<%u>, %%t, %%lane, %%warp, %%thread;\n\t.reg .b16 %%h<%u>;\n"
	    "\t.reg .b64 %%l<%u>, %%own, %%input, %%result, %%mine, %%next, %%common;\n"
	    "\t.reg .pred %%p<%u>, %%q<%u>;\n\t.shared .align 16 .b8 slots[%u];\n",
	    RANDOM_WORDS, body.fuels + 1, RANDOM_UNIFORM, RANDOM_HALVES, RANDOM_LONGS, RANDOM_PREDICATES,
	    body.fuels + 1, AGREE_MAX_THREADS * AGREE_SLOTS * 8);
	whole.capacity = whole.size + body.size + 1;
	whole.text = realloc(whole.text, whole.capacity);
	if (!whole.text)
		abort();
	memcpy(whole.text + whole.size, body.text, body.size + 1);
	free(body.text);
	return whole.text;
}

#endif
