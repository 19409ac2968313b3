// SPDX-License-Identifier: MIT
/*
 * Checks the basic blocks of machine code that another compiler scheduled against the timing
 * functions of libsov/isa and prints every instruction that violates one. The code is assumed to be
 * right, so each line that this program prints is a wrong figure in sass_latency.c.
 *
 * Two instructions with complementary guards never execute in the same lane and are no hazard for
 * each other.
 *
 * That finds figures that are too large. For those that are too small, --mine prints the minimum
 * distance of each pair of instruction classes in the same code: class names, the minimum, how
 * often it occurs, the number of dependences, and the two words that have it (mined_distances.c
 * compares such lines with sass_latency.c).
 *   usage: sass_hazards [--mine] SM cubin...
 */
#include "tests/oracles/_cubin.h"
#include "tests/oracles/_mined.h"
#include "libsov/isa/nv/sass.h"

#define MAX_INSTS 20000 /* per function */
#define KINDS     (SASS_BREG + 1)

struct step {
	struct sass_inst in;
	struct sass_reg_use uses[SASS_MAX_USES];
	uint32_t n;
	uint32_t time;
	struct sass_word word;
	bool known, target;
};

static struct step steps[MAX_INSTS];
static int writer[KINDS][256], write_use[KINDS][256]; /* last writer + 1, and which of its uses */
static int reader[KINDS][256];                        /* last late reader + 1 */
static int reuse_setter[SASS_REUSE_SLOTS]; /* instruction whose reuse flag is in effect + 1 */
static uint32_t sm, checks, tight, uniform, reuses, violations;
static const char *path;
static bool mine;

static void report_violation(const char *rule, int first, int second, const struct sass_reg_use *u,
			     uint32_t need)
{
	char a[256], b[256];

	sass_print(sm, &steps[first].in, first * 16, a, sizeof(a));
	sass_print(sm, &steps[second].in, second * 16, b, sizeof(b));
	printf("%s: %s kind %u register %u: %04x %s -> %04x %s: %u cycles, needs %u\n", path, rule,
	       u->kind, u->reg, first * 16, a, second * 16, b,
	       steps[second].time - steps[first].time, need);
	violations++;
}

static bool guards_exclude(int a, int b)
{
	const struct sass_inst *x = &steps[a].in, *y = &steps[b].in;

	return x->guard == y->guard && x->guard != SASS_PT && x->guard_not != y->guard_not;
}

/* Returns whether an instruction after from, up to to, waits for sb, which had time to be set. */
static bool waits_for(uint8_t sb, int from, int to)
{
	for (int i = from + 1; sb != SASS_NO_SB && i <= to; i++) {
		const struct sass_inst *in = &steps[i].in;

		if (in->op == SASS_DEPBAR &&
		    ((in->ops[0].value == sb && !in->ops[1].value) || in->ops[2].value >> sb & 1))
			return true;
		if (in->wait >> sb & 1 && steps[i].time - steps[from].time >= 2)
			return true;
	}
	return false;
}

/* SM80's 64-bit floats need the distance in addition to the scoreboard. */
static bool has_fixed_distance(uint32_t version, const struct sass_inst *in)
{
	return !sass_has_variable_latency(version, in) || sass_pipe(version, in) == SASS_PIPE_FP64;
}

static bool same_pipe(int a, int b)
{
	return sass_pipe(sm, &steps[a].in) == sass_pipe(sm, &steps[b].in);
}

/* In an in-order pipe, a later instruction's completion implies that of from. */
static bool has_written(int from, int to)
{
	for (int i = from; i < to; i++)
		if ((i == from ||
		     (sass_completes_in_order(sm, &steps[from].in) && same_pipe(from, i))) &&
		    waits_for(steps[i].in.write_barrier, i, to))
			return true;
	return false;
}

static bool has_read(int from, int to)
{
	for (int i = from; i < to; i++)
		if (sass_drains_queues(sm, &steps[i].in))
			return true;
		else if ((i == from || sass_same_queue(sm, &steps[from].in, &steps[i].in)) &&
			 (waits_for(steps[i].in.read_barrier, i, to) ||
			  waits_for(steps[i].in.write_barrier, i, to)))
			return true;
	return false;
}

static void check_read(int i, const struct sass_reg_use *u, uint8_t reg)
{
	int w = writer[u->kind][reg] - 1;
	const struct sass_reg_use *result;
	uint32_t need;

	if (w < 0 || guards_exclude(w, i))
		return;
	if (mine && has_fixed_distance(sm, &steps[w].in))
		mine_pair("raw", u->kind, mined_producer(sm, &steps[w].in, u->kind, reg),
			  mined_consumer(sm, &steps[i].in, u, reg), steps[i].time - steps[w].time,
			  steps[w].word, steps[i].word, reg);
	checks++;
	uniform += u->kind == SASS_UGPR || u->kind == SASS_UPRED;
	result = &steps[w].uses[write_use[u->kind][reg]];
	need = sass_raw_latency(sm, &steps[w].in, result, &steps[i].in,
				&(struct sass_reg_use){u->kind, reg, 1, u->operand, false});
	tight += steps[i].time - steps[w].time == need &&
		 !sass_needs_scoreboard(sm, &steps[w].in, &steps[i].in);
	if (steps[i].time - steps[w].time < need &&
	    !sass_needs_scoreboard(sm, &steps[w].in, &steps[i].in))
		report_violation("too early", w, i, u, need);
	/* An atomic has written its predicate once it has read its operands. */
	if (sass_needs_scoreboard(sm, &steps[w].in, &steps[i].in) && !has_written(w, i) &&
	    !(u->kind == SASS_PRED && has_read(w, i)))
		report_violation("no scoreboard", w, i, u, need);
}

static void check_write(int i, const struct sass_reg_use *u, uint8_t reg)
{
	int w = writer[u->kind][reg] - 1, r = reader[u->kind][reg] - 1;

	if (w >= 0 && !guards_exclude(w, i)) {
		uint32_t need = sass_waw_latency(sm, &steps[w].in, &steps[i].in);

		checks++;
		if (!sass_needs_scoreboard(sm, &steps[w].in, NULL)) {
			if (steps[i].time - steps[w].time < need)
				report_violation("overtakes", w, i, u, need);
		} else if (!has_written(w, i) && !same_pipe(w, i)) {
			report_violation("overwrites a result in flight", w, i, u, need);
		}
	}
	if (r >= 0 && r != i && !guards_exclude(r, i)) {
		checks++;
		if (!has_read(r, i) && !sass_same_queue(sm, &steps[r].in, &steps[i].in))
			report_violation("overwrites an operand in use", r, i, u, 0);
	}
}

static void reset_state(void)
{
	memset(writer, 0, sizeof(writer));
	memset(reader, 0, sizeof(reader));
	memset(reuse_setter, 0, sizeof(reuse_setter));
}

/*
 * An operand cached by a reuse flag must be used by an operand that can hit the cache before its
 * register is written. An operand that cannot hit reads the register.
 */
static void check_reuse(int i)
{
	struct sass_reuse_slot now[SASS_REUSE_SLOTS], was[SASS_REUSE_SLOTS];

	sass_reuse_slots(&steps[i].in, now);
	for (int k = 0; k < SASS_REUSE_SLOTS; k++) {
		int from = reuse_setter[k] - 1;
		bool overwritten = false;

		if (from >= 0 && (i != from + 1 || !steps[from].in.yield)) {
			sass_reuse_slots(&steps[from].in, was);
			for (uint32_t u = 0; u < steps[i].n; u++)
				overwritten |= steps[i].uses[u].write &&
					       steps[i].uses[u].kind == SASS_GPR &&
					       was[k].reg < steps[i].uses[u].reg +
								    steps[i].uses[u].count &&
					       steps[i].uses[u].reg < was[k].reg + was[k].count;
			if (was[k].reg >= now[k].reg && was[k].reg < now[k].reg + now[k].count &&
			    sass_reuse_hits(sm, &steps[from].in, &steps[i].in)) {
				reuses++;
				reuse_setter[k] = 0;
			} else if (overwritten) {
				reuse_setter[k] = 0;
				report_violation("overwrites a cached operand", from, i,
						 steps[i].uses, 0);
			}
		}
		if (steps[i].in.yield)
			reuse_setter[k] = 0;
		else if (steps[i].in.reuse >> k & 1)
			reuse_setter[k] = i + 1;
	}
}

/* The distance that a block barrier needs to any later instruction of its block. */
static void check_barrier(int bar, int i)
{
	uint32_t need = sass_min_distance(sm, &steps[bar].in, &steps[i].in);

	if (steps[i].time - steps[bar].time < need)
		report_violation("too early after a barrier", bar, i, steps[i].uses, need);
}

static void check_function(int n)
{
	uint32_t time = 0;
	int bar = 0; /* last block barrier + 1 */

	reset_state();
	for (int i = 0; i < n; i++) {
		struct step *s = &steps[i];

		if (s->target || !s->known) {
			reset_state();
			bar = 0;
		}
		s->time = time;
		if (!s->known)
			continue;
		if (bar)
			check_barrier(bar - 1, i);
		if (s->in.op == SASS_BAR)
			bar = i + 1;
		time += sass_stall_cycles(&s->in);
		if (mine && s->in.stall && i + 1 < n && steps[i + 1].known)
			mine_pair("stall", 0, sass_op_name(s->in.op), "-", s->in.stall,
				  steps[i].word, steps[i + 1].word, 0);
		if (s->in.stall && s->in.stall < sass_min_stall(sm, &s->in))
			report_violation("stall too short", i, i, s->uses,
					 sass_min_stall(sm, &s->in));
		check_reuse(i);
		for (uint32_t k = 0; k < s->n; k++)
			for (int r = 0; r < s->uses[k].count; r++)
				(s->uses[k].write ? check_write : check_read)(i, &s->uses[k],
									      s->uses[k].reg + r);
		for (uint32_t k = 0; k < s->n; k++) {
			const struct sass_reg_use *u = &s->uses[k];

			for (int r = 0; r < u->count; r++) {
				if (u->write) {
					writer[u->kind][u->reg + r] = i + 1;
					write_use[u->kind][u->reg + r] = k;
					reader[u->kind][u->reg + r] = 0;
				}
			}
		}
		for (uint32_t k = 0; k < s->n; k++)
			for (int r = 0; r < s->uses[k].count; r++)
				if (!s->uses[k].write && s->uses[k].kind == SASS_GPR &&
				    sass_reads_late(sm, &s->in))
					reader[s->uses[k].kind][s->uses[k].reg + r] = i + 1;
	}
}

/* Returns whether control never falls through to the next instruction. */
static bool never_falls_through(const struct sass_inst *in)
{
	switch (in->op) {
	case SASS_BRA:
	case SASS_BRX:
	case SASS_BRXU:
	case SASS_CALL_REL:
	case SASS_CALL_REL_REG:
	case SASS_EXIT:
	case SASS_RET_REL:
	case SASS_CALL_ABS:
	case SASS_CALL_ABS_REG:
	case SASS_RET_ABS:
		return in->guard == SASS_PT && !in->guard_not;
	}
	return false;
}

static void load_function(const uint8_t *code, size_t size, int *count)
{
	int n = 0, i, k;

	memset(steps, 0, sizeof(steps));
	for (; n < MAX_INSTS && (size_t)n * 16 + 16 <= size; n++) {
		struct sass_word w;

		memcpy(&w, code + n * 16, 16);
		steps[n].word = w;
		steps[n].known = sass_decode(sm, w, &steps[n].in);
		steps[n].n = steps[n].known ? sass_uses(&steps[n].in, steps[n].uses) : 0;
	}
	for (i = 0; i + 1 < n; i++)
		steps[i + 1].target = steps[i].known && never_falls_through(&steps[i].in);
	for (i = 0; i < n; i++)
		for (k = 0; steps[i].known && k < steps[i].in.nops; k++)
			if (steps[i].in.ops[k].kind == SASS_TARGET) {
				int64_t t = i + 1 + steps[i].in.ops[k].value / 16;

				if (t >= 0 && t < n)
					steps[t].target = true;
			}
	*count = n;
}

int main(int argc, char **argv)
{
	mine = argc > 1 && !strcmp(argv[1], "--mine");
	argc -= mine;
	argv += mine;
	if (argc < 3)
		return fprintf(stderr, "usage: sass_hazards [--mine] SM cubin...\n"), 2;
	sm = strtoul(argv[1], NULL, 0);
	for (int i = 2; i < argc; i++) {
		const uint8_t *code;
		uint32_t section = 0;
		struct cubin c;
		size_t size;
		int n;

		if (!cubin_read(path = argv[i], &c))
			return fprintf(stderr, "%s: not a cubin\n", path), 1;
		while ((code = cubin_function(&c, &section, &size))) {
			load_function(code, size, &n);
			check_function(n);
		}
		free(c.bytes);
	}
	if (mine)
		return print_mined(sm);
	printf("SM%u: %u dependences, %u of them as tight as the rules allow, %u through uniform "
	       "registers and predicates, %u operands reused, %u violations\n",
	       sm, checks, tight, uniform, reuses, violations);
	return violations != 0;
}
