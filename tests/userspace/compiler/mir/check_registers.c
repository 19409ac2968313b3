// SPDX-License-Identifier: MIT
/*
 * The register verifier on small abstract functions: straight-line code, a diamond and a loop, each
 * correct and with one fault.
 */
#include "libsov/compiler/mir/check_registers.h"
#include "tests/tap.h"

enum { A = 0, B = 1, C = 2, UNITS = 8, REGS = 4, MAX_INSTS = 6, MAX_BLOCKS = 4 };

struct inst {
	struct regcheck_access access[3]; /* up to the first with count 0 */
};

struct func {
	struct inst insts[MAX_BLOCKS][MAX_INSTS]; /* up to the first without accesses */
	uint32_t succ[MAX_BLOCKS][2], nsucc[MAX_BLOCKS];
	uint64_t edge_clobbers[MAX_BLOCKS];
	uint32_t nblocks;
	struct regcheck_access input;
};

#define READ(r, u)  {.kind = REGCHECK_READ, .reg = r, .unit = u, .count = 1}
#define WRITE(r, u) {.kind = REGCHECK_WRITE, .reg = r, .unit = u, .count = 1}
#define ALIAS(r, u) {.kind = REGCHECK_ALIAS, .reg = r, .unit = u, .count = 1}
#define CALL()      {.kind = REGCHECK_CLOBBER, .reg = 0, .count = REGS}

static const uint32_t *successors(const void *func, uint32_t b, uint32_t *count)
{
	const struct func *f = func;

	*count = f->nsucc[b];
	return f->succ[b];
}

static const void *next_inst(const void *func, uint32_t b, const void *i)
{
	const struct func *f = func;
	const struct inst *next = i ? (const struct inst *)i + 1 : f->insts[b];

	return next < &f->insts[b][MAX_INSTS] && next->access[0].count ? next : NULL;
}

static uint32_t list_accesses(const void *func, uint32_t b, const void *i,
			      struct regcheck_access *out)
{
	const struct inst *in = i;
	uint32_t n = 0;

	(void)func;
	(void)b;
	for (; in && n < 3 && in->access[n].count; n++)
		out[n] = in->access[n];
	return n;
}

static uint32_t list_inputs(const void *func, struct regcheck_access *out)
{
	const struct func *f = func;

	*out = f->input;
	return f->input.count ? 1 : 0;
}

static void add_edge_clobbers(const void *func, uint32_t b, uint64_t *regs)
{
	const struct func *f = func;

	*regs |= f->edge_clobbers[b];
}

static void report(const void *func, uint32_t b, const void *i, const struct regcheck_access *a,
		   enum regcheck_fault fault, struct text *why)
{
	const struct func *f = func;

	text_printf(why, "b%u.%u: register %u, unit %u: %s", b,
		    (uint32_t)((const struct inst *)i - f->insts[b]), a->reg, a->unit,
		    regcheck_texts[fault]);
}

/* Expected NULL: the function is correct. */
static void check(const struct func *f, bool ssa, const char *expected, const char *name)
{
	uint32_t order[MAX_BLOCKS] = {0, 1, 2, 3};
	struct arena a;
	struct text why = {.arena = &a};
	struct regcheck c = {.arena = &a,
			     .func = f,
			     .nblocks = f->nblocks,
			     .nregs = REGS,
			     .nunits = UNITS,
			     .ssa = ssa,
			     .order = order,
			     .count = f->nblocks,
			     .successors = successors,
			     .next_inst = next_inst,
			     .list_accesses = list_accesses,
			     .list_inputs = list_inputs,
			     .add_edge_clobbers = add_edge_clobbers,
			     .report = report};
	bool good;

	arena_init(&a, 0, NULL);
	good = regcheck_run(&c, &why);
	if (!ok(expected ? !good && why.s && !strcmp(why.s, expected) : good, "%s", name))
		diag("%s", why.s ? why.s : "accepted");
	arena_free(&a);
}

static void check_straight_line(void)
{
	struct func f = {.nblocks = 1,
			 .insts = {{{{WRITE(0, A)}}, {{WRITE(1, B)}}, {{READ(0, A), READ(1, B)}}}}};

	check(&f, true, NULL, "straight-line code that reads units where they are is accepted");
	f.insts[0][2].access[0].reg = 1;
	check(&f, true, "b0.2: register 1, unit 0: the register holds another value",
	      "a read from the register of another unit is rejected");
	f.insts[0][2].access[0].reg = 0;
	f.insts[0][1].access[0].reg = 0;
	check(&f, true, "b0.2: register 0, unit 0: the register holds another value",
	      "a unit overwritten before its read is rejected");
	f = (struct func){.nblocks = 1,
			  .insts = {{{{WRITE(0, A)}}, {{CALL(), WRITE(1, B)}}, {{READ(1, B)}}}}};
	check(&f, true, NULL, "the result of an instruction that clobbers all registers is held");
	f.insts[0][2].access[0] = (struct regcheck_access)READ(0, A);
	check(&f, true, "b0.2: register 0, unit 0: the register holds another value",
	      "a unit read after a call that clobbers its register is rejected");
	f = (struct func){.nblocks = 1, .insts = {{{{READ(2, C)}}}}};
	check(&f, true, "b0.0: register 2, unit 2: the register holds another value",
	      "an undefined unit is rejected in SSA form");
	check(&f, false, NULL, "an undefined unit is accepted in other code");
	f.input = (struct regcheck_access)WRITE(2, C);
	check(&f, true, NULL, "an input that is read from its register is accepted");
	f.input.reg = 3;
	check(&f, false, "b0.0: register 2, unit 2: the register holds another value",
	      "an input that is read from another register is rejected");
	f = (struct func){.nblocks = 1, .insts = {{{{WRITE(1, A)}}, {{READ(1, A)}}}}};
	f.insts[0][0].access[0].fault = REGCHECK_MISALIGNED;
	check(&f, true, "b0.0: register 1, unit 0: the register is not aligned",
	      "a misaligned register is rejected");
	f.insts[0][0].access[0].fault = REGCHECK_NO_REGISTER;
	check(&f, true, "b0.0: register 1, unit 0: there is no such register",
	      "a register outside of the function's range is rejected");
}

static void check_copies(void)
{
	struct func f = {.nblocks = 1,
			 .insts = {{{{WRITE(0, A)}},
				    {{READ(0, A), ALIAS(0, B)}},
				    {{READ(0, A), READ(0, B)}}}}};

	check(&f, false, NULL, "a coalesced copy leaves both units in the register");
	f.insts[0][1].access[1].kind = REGCHECK_WRITE;
	check(&f, false, "b0.2: register 0, unit 0: the register holds another value",
	      "a write to the register of another unit removes that unit");
	f = (struct func){.nblocks = 1,
			  .insts = {{{{WRITE(0, A)}}, {{WRITE(1, A)}}, {{READ(0, A)}}}}};
	check(&f, true, NULL, "in SSA form a unit may be in two registers");
	check(&f, false, "b0.2: register 0, unit 0: the register holds another value",
	      "in other code a new definition makes the old register stale");
}

/* 0 to 1 and 2, both to 3. */
static void check_joins(void)
{
	struct func f = {
		.nblocks = 4,
		.succ = {{1, 2}, {3}, {3}},
		.nsucc = {2, 1, 1},
		.insts = {
			{{{WRITE(0, B)}}}, {{{WRITE(0, A)}}}, {{{WRITE(0, A)}}}, {{{READ(0, A)}}}}};

	check(&f, false, NULL, "a unit that both sides of a branch write to one register is held");
	f.insts[2][0].access[0].reg = 1;
	check(&f, false, "b3.0: register 0, unit 0: the register holds another value",
	      "a unit that two sides of a branch write to two registers is rejected");
	f.insts[2][0].access[0] = (struct regcheck_access)WRITE(2, C);
	check(&f, false, NULL, "a path that jumps over the definition is accepted outside of SSA");
	check(&f, true, "b3.0: register 0, unit 0: the register holds another value",
	      "a path that jumps over the definition is rejected in SSA form");
	f.insts[0][0].access[0] = (struct regcheck_access)WRITE(0, A);
	f.insts[1][0].access[0] = (struct regcheck_access)WRITE(3, C);
	check(&f, false, NULL, "a unit defined before a branch is held after it");
	f.insts[1][0].access[0].reg = 0;
	check(&f, false, "b3.0: register 0, unit 0: the register holds another value",
	      "a unit that one side of a branch overwrites is rejected");
	f.insts[1][0].access[0].reg = 3;
	f.edge_clobbers[2] = 1;
	check(&f, true, "b3.0: register 0, unit 0: the register holds another value",
	      "a unit whose register changes on an edge is rejected");
}

/* 0 to 1, 1 to itself and to 2. The fault is visible in the second iteration only. */
static void check_loops(void)
{
	struct func f = {.nblocks = 3,
			 .succ = {{1}, {1, 2}},
			 .nsucc = {1, 2},
			 .insts = {{{{WRITE(0, A)}}},
				   {{{READ(0, A), WRITE(1, B)}}, {{READ(1, B)}}},
				   {{{READ(0, A)}}}}};

	check(&f, true, NULL, "a unit that a loop only reads is held in every iteration");
	f.insts[1][0].access[1].reg = f.insts[1][1].access[0].reg = 0;
	check(&f, true, "b1.0: register 0, unit 0: the register holds another value",
	      "a unit that the first iteration of a loop overwrites is rejected");
	check(&f, false, "b1.0: register 0, unit 0: the register holds another value",
	      "a unit that the first iteration overwrites is rejected outside of SSA, too");
}

int main(void)
{
	check_straight_line();
	check_copies();
	check_joins();
	check_loops();
	return tap_done();
}
