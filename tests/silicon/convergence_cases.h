/* SPDX-License-Identifier: MIT */
/*
 * Kernels that show what convergence barriers do. The lanes of one warp form four groups of eight,
 * A to D, and each group executes its own sequence of steps; every step that records something
 * writes the lanes that are active, or a barrier register, and the time. A second warp is the
 * watchdog: if a lane has not ended after some milliseconds, it stores to address 0, and
 * the launch fails instead of waiting for ever.
 *
 * A sequence is a string of steps:
 *	s t   BSSY B0, BSSY B1        l     record the active lanes
 *	y u   BSYNC B0, BSYNC B1      r     record B0
 *	k     BREAK B0                c     record B0 and clear it (BMOV.CLEAR)
 *	wXY;  B0 = lanes of groups X and Y (BMOV)
 *	eXY;  WARPSYNC.EXCLUSIVE with these members
 *	1…9   wait in a loop until that many units of time after the start
 *	x     exit                    J     go on with the sequence that the groups share
 *
 * Lanes in a loop may keep others of their warp from running, and an instruction in the loop that
 * lets those run may change what a barrier waits for. So each case runs with several loops.
 */
#ifndef TESTS_SILICON_CONVERGENCE_CASES_H
#define TESTS_SILICON_CONVERGENCE_CASES_H

#include "tests/silicon/patched_kernel.h"

#define CONV_GROUPS  4u
#define CONV_LANES   8u /* of a group */
#define CONV_RECORDS 15u
#define CONV_WORDS   32u    /* per lane: records of two words, and whether the lane has ended */
#define CONV_UNIT    20000u /* cycles */
#define CONV_THREADS 64u
#define CONV_LIMIT   5000000u /* cycles until the watchdog acts: some milliseconds */

struct conv_case {
	const char *name;
	const char *question;
	const char *before;              /* steps of all lanes */
	const char *half;                /* then of groups A and B only */
	const char *groups[CONV_GROUPS]; /* then of each group */
	const char *after;               /* steps that J leads to */
};

static const struct conv_case conv_cases[] = {
	{"complete", "Does a complete BSYNC clear B0?", "rsr", "", {"1J", "J", "J", "J"}, "ylr"},
	{"again",
	 "Does BSYNC wait after a complete BSYNC without a new BSSY?",
	 "sy",
	 "",
	 {"lJ", "5lJ", "5lJ", "5lJ"},
	 "ylr"},
	{"again elsewhere",
	 "The same, while lanes that have left wait at another barrier?",
	 "tsy",
	 "",
	 {"ul", "1ylul", "3ylul", "5ylul"},
	 ""},
	{"not a member",
	 "Does BSYNC wait in a lane that is not in B0 (C; A and B are)?",
	 "",
	 "s",
	 {"ryl", "6ryl", "3lylr", "3l"},
	 ""},
	{"exited before",
	 "Does an exited lane stay in B0?",
	 "s",
	 "",
	 {"x", "2rJ", "2J", "2J"},
	 "ylr"},
	{"exit releases",
	 "Does the exit of a member release the lanes that wait?",
	 "s",
	 "",
	 {"5x", "J", "J", "J"},
	 "ylr"},
	{"two sites",
	 "Do lanes at several BSYNCs of B0 release each other?",
	 "s",
	 "",
	 {"yl", "2yl", "4yl", "6ylr"},
	 ""},
	{"one per warp",
	 "Do other lanes see a BSSY of group A?",
	 "s",
	 "",
	 {"sr", "2r", "3r", "4r"},
	 ""},
	{"BSSY merges",
	 "Does BSSY add to B0 or replace it?",
	 "",
	 "",
	 {"s8r", "2sr", "4sr", "6sr"},
	 ""},
	{"BSSY over waiters",
	 "BSSY by B, while A waits: who waits for whom?",
	 "s",
	 "",
	 {"ylr", "2srylr", "5rylr", "7rylr"},
	 ""},
	{"BREAK",
	 "BREAK by B, which then syncs all the same",
	 "s",
	 "",
	 {"yl", "2kr1yl", "5yl", "7ylr"},
	 ""},
	{"BREAK releases",
	 "Does the BREAK of the last member release the others?",
	 "s",
	 "",
	 {"yl", "1yl", "2yl", "5kr"},
	 ""},
	{"BREAK outside",
	 "BREAK by a lane that is not in B0",
	 "",
	 "s",
	 {"yl", "6yl", "3kr", ""},
	 ""},
	{"BREAK, then another",
	 "Are lanes that a BREAK has released waited for at the next barrier?",
	 "ts",
	 "",
	 {"yJ", "1kJ", "3kJ", "2kJ"},
	 "ul"},
	{"write",
	 "B writes A and B to B0, while A waits, and syncs",
	 "s",
	 "",
	 {"ylr", "2wAB;rylr", "5rylr", "7rylr"},
	 ""},
	{"write releases",
	 "B writes A to B0, while A waits, and does not sync",
	 "s",
	 "",
	 {"yl", "2wA;r", "5ryl", "7ryl"},
	 ""},
	{"clear",
	 "B clears B0, while A waits, and does not sync",
	 "s",
	 "",
	 {"yl", "2cr", "5ryl", "7ryl"},
	 ""},
	{"late",
	 "Are lanes that spin, yield or sleep waited for?",
	 "s",
	 "",
	 {"yl", "5l", "5l", "5lyl"},
	 ""},
	{"exclusive",
	 "Does WARPSYNC.EXCLUSIVE of A and B wait for members that come later?",
	 "",
	 "",
	 {"J", "3J", "", ""},
	 "eAB;l"},
	{"exclusive, elsewhere",
	 "The same, if B does not come?",
	 "",
	 "",
	 {"J", "5l", "", ""},
	 "eAB;l"},
	{"exclusive, no member",
	 "WARPSYNC.EXCLUSIVE of B and C by A, while these are elsewhere",
	 "",
	 "",
	 {"J", "5l", "5l", ""},
	 "eBC;l"},
	{"exclusive, two sites",
	 "Do lanes at two of them release each other?",
	 "",
	 "",
	 {"eAB;l", "3eAB;l", "", ""},
	 ""},
	{"deadlock",
	 "A waits at B1 for all, the others at B0 for all: must not end",
	 "ts",
	 "",
	 {"ul", "ylul", "ylul", "ylul"},
	 ""},
};
#define CONV_CASES (sizeof(conv_cases) / sizeof(conv_cases[0]))

/* Registers: 0 thread, 2–3 address of the lane's words, 4 lane, 20–21 a record, 22 the time of the
 * start, 23 the time since.
 * Predicates: 0–3 the groups, 4 groups A and B, 5 for loops. */
enum { CONV_HALF = 4, CONV_LOOP = 5 };
enum conv_label {
	CONV_TAIL = CONV_GROUPS,
	CONV_FORK,
	CONV_END,
	CONV_EXIT,
	CONV_WATCH,
	CONV_LABELS
};

enum conv_loop { CONV_SPIN, CONV_YIELD, CONV_SLEEP, CONV_LOOPS };

struct conv_code {
	struct patched_code code;
	uint32_t at[CONV_LABELS]; /* index of a label's instruction */
	struct {
		uint32_t index, label;
		struct sass_inst in;
	} fixups[64];
	uint32_t nfixups, records;
	enum conv_loop loop;
};

static void conv_append(struct conv_code *c, struct sass_inst *in)
{
	append_inst(&c->code, in, 15, 0);
}

/* Appends an instruction and waits for its scoreboard. */
static void conv_append_wait(struct conv_code *c, struct sass_inst *in, bool writes)
{
	if (writes)
		in->write_barrier = 0;
	else
		in->read_barrier = 0;
	append_inst(&c->code, in, 15, 0);
	append_nop(&c->code, 1);
}

/* Appends an instruction whose second operand is the address of a label. */
static void conv_append_target(struct conv_code *c, struct sass_inst *in, uint32_t label)
{
	c->fixups[c->nfixups].index = c->code.n;
	c->fixups[c->nfixups].label = label;
	c->fixups[c->nfixups++].in = *in;
	conv_append(c, in);
}

static void conv_branch(struct conv_code *c, uint32_t label, uint8_t guard, bool negate)
{
	struct sass_inst in;

	BUILD_INST(&in, BRA, ABSENT, {.kind = SASS_TARGET});
	in.guard = guard;
	in.guard_not = negate;
	conv_append_target(c, &in, label);
}

static void conv_bssy(struct conv_code *c, uint8_t barrier)
{
	struct sass_inst in;

	BUILD_INST(&in, BSSY, {.kind = SASS_BREG, .reg = barrier}, {.kind = SASS_TARGET});
	conv_append_target(c, &in, CONV_END);
}

static void conv_compare(struct conv_code *c, uint8_t predicate, uint8_t reg, uint8_t how,
			 uint32_t number)
{
	struct sass_inst in;

	BUILD_INST(&in, ISETP, PREDICATE(predicate), ABSENT, REG(reg), NUMBER(number), ABSENT);
	in.mod[SASS_M_CMP] = how;
	conv_append(c, &in);
}

static void conv_clock(struct conv_code *c, uint8_t reg)
{
	struct sass_inst in;

	BUILD_INST(&in, CS2R, REG(reg), {.kind = SASS_SREG, .value = SASS_SR_CLOCKLO});
	in.mod[SASS_M_WIDTH] = SASS_WIDTH_32;
	conv_append(c, &in);
}

static void conv_memory(struct conv_code *c, bool load, uint8_t reg, uint8_t address, uint32_t word,
			uint8_t width)
{
	struct sass_operand at = {.kind = SASS_ADDR,
				  .reg = address,
				  .aux = SASS_NO_UREG,
				  .flags = SASS_A64,
				  .value = 4 * word};
	struct sass_inst in;

	if (load)
		BUILD_INST(&in, LDG, ABSENT, REG(reg), at, ABSENT);
	else
		BUILD_INST(&in, STG, at, REG(reg));
	in.mod[SASS_M_E] = 1;
	in.mod[SASS_M_WIDTH] = width;
	in.mod[SASS_M_ORDER] = SASS_ORDER_STRONG_SYS;
	conv_append_wait(c, &in, load);
}

/* Records the active lanes or, if that was read before, the barrier register in R20. */
static void conv_record(struct conv_code *c, bool active)
{
	struct sass_inst in;

	if (active) {
		BUILD_INST(&in, VOTE, REG(20), ABSENT, PREDICATE(SASS_PT));
		in.mod[SASS_M_VOTE] = SASS_VOTE_ANY;
		conv_append(c, &in);
	}
	conv_clock(c, 21);
	conv_memory(c, false, 20, 2, 2 * c->records++, SASS_WIDTH_64);
}

static void conv_read_barrier(struct conv_code *c, bool clear)
{
	struct sass_inst in;

	BUILD_INST(&in, BMOV_READ, REG(20), {.kind = SASS_BREG, .reg = 0});
	in.mod[SASS_M_CLEAR] = clear;
	conv_append_wait(c, &in, true);
	conv_record(c, false);
}

/* Appends the end of a loop that runs until some time after the start. */
static void conv_loop_until(struct conv_code *c, uint32_t start, uint32_t cycles)
{
	struct sass_inst in;

	conv_clock(c, 23);
	BUILD_INST(&in, IADD3, REG(23), ABSENT, ABSENT, REG(23),
		   {.kind = SASS_GPR, .reg = 22, .flags = SASS_NEG}, REG(SASS_RZ));
	conv_append(c, &in);
	conv_compare(c, CONV_LOOP, 23, SASS_CMP_LT, cycles);
	BUILD_INST(&in, BRA, ABSENT, {.kind = SASS_TARGET});
	in.guard = CONV_LOOP;
	in.ops[1].value = 16 * ((int64_t)start - (int64_t)c->code.n - 1);
	conv_append(c, &in);
}

static void conv_delay(struct conv_code *c, uint32_t units)
{
	uint32_t start = c->code.n;
	struct sass_inst in;

	if (c->loop == CONV_YIELD) {
		BUILD_INST(&in, YIELD, ABSENT);
		conv_append(c, &in);
	} else if (c->loop == CONV_SLEEP) {
		BUILD_INST(&in, NANOSLEEP, ABSENT, NUMBER(500));
		conv_append(c, &in);
	}
	conv_loop_until(c, start, units * CONV_UNIT);
}

static void conv_finish(struct conv_code *c)
{
	struct sass_inst in;

	BUILD_INST(&in, MOV, REG(20), NUMBER(1));
	conv_append(c, &in);
	conv_memory(c, false, 20, 2, CONV_WORDS - 2, SASS_WIDTH_32);
	conv_branch(c, CONV_EXIT, SASS_PT, false);
}

/* Reads the groups of a step up to its semicolon; returns their lanes. */
static uint32_t conv_members(const char **steps)
{
	uint32_t mask = 0;

	while (*++*steps != ';')
		mask |= 0xffu << CONV_LANES * (uint32_t)(**steps - 'A');
	return mask;
}

/* Appends a sequence; returns whether it ends elsewhere (J or x). */
static bool conv_steps(struct conv_code *c, const char *steps)
{
	struct sass_inst in;

	for (; *steps; steps++) {
		uint32_t mask;

		switch (*steps) {
		case 's':
		case 't':
			conv_bssy(c, *steps == 't');
			break;
		case 'y':
		case 'u':
			BUILD_INST(&in, BSYNC, {.kind = SASS_BREG, .reg = *steps == 'u'});
			conv_append(c, &in);
			break;
		case 'k':
			BUILD_INST(&in, BREAK, {.kind = SASS_BREG, .reg = 0});
			conv_append(c, &in);
			break;
		case 'e':
			mask = conv_members(&steps);
			BUILD_INST(&in, MOV, REG(20), NUMBER(mask));
			conv_append(c, &in);
			BUILD_INST(&in, WARPSYNC, ABSENT, REG(20));
			in.mod[SASS_M_EXCLUSIVE] = 1;
			conv_append(c, &in);
			break;
		case 'w':
			mask = conv_members(&steps);
			BUILD_INST(&in, MOV, REG(20), NUMBER(mask));
			conv_append(c, &in);
			BUILD_INST(&in, BMOV_WRITE, {.kind = SASS_BREG, .reg = 0}, REG(20));
			conv_append_wait(c, &in, false);
			break;
		case 'l':
			conv_record(c, true);
			break;
		case 'r':
		case 'c':
			conv_read_barrier(c, *steps == 'c');
			break;
		case 'x':
			conv_finish(c);
			return true;
		case 'J':
			conv_branch(c, CONV_TAIL, SASS_PT, false);
			return true;
		default:
			conv_delay(c, (uint32_t)(*steps - '0'));
		}
	}
	return false;
}

static void conv_prologue(struct conv_code *c)
{
	struct sass_inst in;

	BUILD_INST(&in, S2R, REG(0), {.kind = SASS_SREG, .value = SASS_SR_TID_X});
	conv_append_wait(c, &in, true);
	BUILD_INST(&in, S2R, REG(4), {.kind = SASS_SREG, .value = SASS_SR_LANEID});
	conv_append_wait(c, &in, true);
	BUILD_INST(&in, MOV, REG(2), PARAM(0x210)); /* the parameter */
	conv_append(c, &in);
	BUILD_INST(&in, MOV, REG(3), PARAM(0x214));
	conv_append(c, &in);
	BUILD_INST(&in, IMAD_WIDE, REG(2), ABSENT, REG(4), NUMBER(4 * CONV_WORDS), REG(2));
	conv_append(c, &in);
	conv_clock(c, 22);
	conv_compare(c, CONV_LOOP, 0, SASS_CMP_GE, 32);
	conv_branch(c, CONV_WATCH, CONV_LOOP, false);
	for (uint8_t g = 0; g < CONV_GROUPS; g++) { /* groups 0 to g, then g alone */
		conv_compare(c, g, 4, SASS_CMP_LT, CONV_LANES * (g + 1u));
		if (!g)
			continue;
		BUILD_INST(&in, ISETP, PREDICATE(g), ABSENT, REG(4), NUMBER(CONV_LANES * g),
			   PREDICATE(g));
		in.mod[SASS_M_CMP] = SASS_CMP_GE;
		conv_append(c, &in);
	}
	conv_compare(c, CONV_HALF, 4, SASS_CMP_LT, 2 * CONV_LANES);
}

/* Polls whether the lane of the first warp with the same number has ended. */
static void conv_watchdog(struct conv_code *c)
{
	uint32_t start = c->code.n;

	conv_memory(c, true, 20, 2, CONV_WORDS - 2, SASS_WIDTH_32);
	conv_compare(c, CONV_LOOP, 20, SASS_CMP_NE, 0);
	conv_branch(c, CONV_EXIT, CONV_LOOP, false);
	conv_loop_until(c, start, CONV_LIMIT);
	conv_memory(c, false, 20, SASS_RZ, 0, SASS_WIDTH_32);
}

/* Writes a case into the image. */
static bool conv_patch(struct patched_image *im, const struct conv_case *k, enum conv_loop loop)
{
	static struct conv_code c;
	uint32_t records, end;

	memset(&c, 0, sizeof(c));
	c.loop = loop;
	conv_prologue(&c);
	conv_record(&c, true);
	conv_steps(&c, k->before);
	if (*k->half) {
		conv_branch(&c, CONV_FORK, CONV_HALF, true);
		conv_steps(&c, k->half);
	}
	c.at[CONV_FORK] = c.code.n;
	for (uint32_t g = 0; g + 1 < CONV_GROUPS; g++)
		conv_branch(&c, g, (uint8_t)g, false);
	records = c.records;
	for (uint32_t g = CONV_GROUPS; g-- > 0;) {
		c.at[g] = c.code.n;
		c.records = records;
		if (!conv_steps(&c, k->groups[g]))
			conv_branch(&c, CONV_END, SASS_PT, false);
	}
	c.at[CONV_TAIL] = c.code.n;
	c.records = CONV_RECORDS - 3; /* after those of the groups */
	conv_steps(&c, k->after);
	c.at[CONV_END] = c.code.n;
	conv_finish(&c);
	c.at[CONV_WATCH] = c.code.n;
	conv_watchdog(&c);
	c.at[CONV_EXIT] = im->words;
	end = c.code.n;
	for (uint32_t i = 0; i < c.nfixups; i++) {
		c.fixups[i].in.ops[1].value =
			16 * ((int64_t)c.at[c.fixups[i].label] - c.fixups[i].index - 1);
		c.code.n = c.fixups[i].index;
		conv_append(&c, &c.fixups[i].in);
	}
	c.code.n = end;
	return patch_image(im, &c.code);
}
/* Prints what the lanes of a case recorded: the time in units, and the active lanes or B0 in hex;
 * "!" if the lanes of a group recorded different words, "-" if a group has not ended. */
static void conv_print(const struct conv_case *k, const uint32_t *words)
{
	for (uint32_t g = 0; g < CONV_GROUPS; g++) {
		const uint32_t *lane = words + g * CONV_LANES * CONV_WORDS;

		printf("    %c %-9s", 'A' + g, k->groups[g]);
		for (uint32_t r = 1; r < CONV_RECORDS; r++) {
			uint32_t time = lane[2 * r + 1] - lane[1]; /* since the first record */
			bool same = true;

			for (uint32_t i = 1; i < CONV_LANES; i++)
				same &= lane[2 * r] == lane[i * CONV_WORDS + 2 * r];
			if (lane[2 * r + 1])
				printf("  %4.1f %08x%s", time / (double)CONV_UNIT, lane[2 * r],
				       same ? "" : "!");
		}
		printf("%s\n", lane[CONV_WORDS - 2] ? "" : "  -");
	}
}

#endif
