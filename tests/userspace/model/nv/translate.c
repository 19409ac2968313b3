// SPDX-License-Identifier: MIT
/* Translated code computes what the interpreter computes, bit for bit: random loops of the
 * translator's instructions, with all forms of operands, guards, divergence and lanes that have
 * exited, run in both and by every instruction set that the host has. */
#include "model/nv/exec.h"
#include "model/translate/emit.h"
#include "tests/userspace/model/nv/_rig.h"

#define PROGRAMS   160u
#define BODY       24u
#define ITERATIONS 3u
#define THREADS    96u /* the last warp has lanes that exit early */
#define BLOCKS     2u
#define FIRST      8u /* registers with values */
#define LAST       24u
#define RESULTS    (LAST - FIRST + 6) /* registers, predicates, uniform registers, clock */
#define IN_WORDS   (RESULTS * THREADS * BLOCKS)
#define OUT        (RIG_DATA + 0x100000)
#define OUT_BYTES  (4ull * RESULTS * THREADS * BLOCKS)
#define SCRATCH    (RIG_DATA + 0x200000)
#define MAX_TRIES  100000u

static uint64_t state;

static uint32_t noise(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state * 0x9e3779b97f4a7c15 >> 32);
}

static uint32_t below(uint32_t n)
{
	return noise() % n;
}

/* Operations that have code of their own; half of the instructions are of these. */
static const uint16_t own[] = {
	SASS_FADD,  SASS_FMUL,  SASS_FFMA,  SASS_FSETP,  SASS_FSEL,      SASS_MUFU, SASS_SEL,
	SASS_MOV,   SASS_IADD3, SASS_VIADD, SASS_IMAD,   SASS_IMAD_WIDE, SASS_LOP3, SASS_LEA,
	SASS_ISETP, SASS_IMNMX, SASS_SHF,   SASS_VIMNMX, SASS_UIADD3,    SASS_UMOV, SASS_USHF,
	SASS_LDC,   SASS_ULDC,  SASS_CS2R,  SASS_LEA_HI, SASS_F2F,
};
#define OWN (sizeof(own) / sizeof(own[0]))

static uint32_t pick(void)
{
	static const uint32_t corners[] = {
		0,          1,          31,         32,         63,         0x80000000, 0x007fffff,
		0x00800000, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345, 0x3f800000,
		0x807fffff, 0x80800000, ~0u,        0x7fffffff, 0x1f800000, 0x20000000, 4,
	};

	return below(3) ? noise() : corners[below(sizeof(corners) / sizeof(corners[0]))];
}

static uint64_t next_random(void *unused)
{
	(void)unused;
	return (uint64_t)noise() << 32 | noise();
}

/* Keeps to the registers and constants that the program has. */
static void confine(struct rig *r, struct sass_operand *o)
{
	switch (o->kind) {
	case SASS_GPR:
		if (o->reg != SASS_RZ)
			o->reg = (uint8_t)(FIRST + below(LAST - FIRST));
		break;
	case SASS_UGPR:
		if (o->reg != SASS_URZ)
			o->reg = (uint8_t)(4 + below(4));
		break;
	case SASS_PRED:
		if (o->reg != SASS_PT)
			o->reg = (uint8_t)below(6);
		break;
	case SASS_CONST:
		o->aux = 0;
		o->reg = SASS_RZ;
		o->value = (int64_t)(r->params + 8 * below(4));
		break;
	case SASS_IMM:
		if (below(2) && o->value > UINT16_MAX)
			o->value = pick();
		break;
	}
}

static bool is_own(uint16_t op)
{
	for (size_t i = 0; i < OWN; i++)
		if (own[i] == op)
			return true;
	return false;
}

/* Only instructions that are computed from operands, in the registers of the program. A shuffle
 * could read a lane that has exited, whose value is undefined. */
static bool is_usable(const struct sass_inst *in)
{
	struct op op = {.inst = in};

	if (sass_is_misaligned(in) || op_prepare(&op, in) || op.top > LAST)
		return false;
	if (in->op == SASS_CS2R)
		return op.imm[0] == SASS_SR_ZERO;
	return op.run == run_vector || op.run == run_uniform || in->op == SASS_LDC ||
	       in->op == SASS_ULDC || in->op == SASS_VOTE;
}

/* Appends a random instruction; forms that do not exist are tried again. */
static void random_instruction(struct rig *r)
{
	struct sass_word *code = rig_at(r, RIG_CODE);
	bool want_own = below(4);

	for (uint32_t k = 0; k < MAX_TRIES; k++) {
		const struct sass_form *f = sass_form_at(below(sass_form_count()));
		struct sass_inst in, back;

		if (!sass_form_in(f, 90) || is_own(sass_form_op(f)) != want_own)
			continue;
		sass_random(f, 90, next_random, NULL, &in);
		for (uint32_t i = 0; i < in.nops; i++)
			confine(r, &in.ops[i]);
		in.guard = below(3) ? SASS_PT : (uint8_t)below(6);
		in.guard_not = in.guard != SASS_PT && below(2);
		if (!sass_encode(90, &in, &code[r->code], NULL) ||
		    !sass_decode(90, code[r->code], &back) || !is_usable(&back))
			continue;
		r->code++;
		return;
	}
	diag("no instruction found");
	abort();
}

/* Loads and stores of words, pairs and quads: lanes side by side, spread, or all alike. */
static void random_access(struct rig *r)
{
	static const uint8_t widths[] = {SASS_WIDTH_32, SASS_WIDTH_64, SASS_WIDTH_128};
	uint32_t width = below(3), bytes = 4u << width, reg = FIRST + 4 * below(4);
	uint8_t guard = below(2) ? SASS_PT : (uint8_t)below(6);
	uint32_t stride = below(3) ? bytes : below(2) ? 0 : 48;

	INS(r, SASS_LOP3, (PT, R(26), R(0), IMM(31), RZ, IMM(0xc0), with(PT, SASS_NEG)));
	INS(r, SASS_IMAD, (R(26), R(26), IMM(stride), RZ));
	switch (below(4)) {
	case 0:
		INS(r, SASS_LDS, (R(reg), AT32(26, 0)), in.mod[SASS_M_WIDTH] = widths[width],
		    in.guard = guard);
		break;
	case 1: /* each thread its own words */
		INS(r, SASS_IMAD, (R(26), R(0), IMM(16), RZ));
		INS(r, SASS_STS, (AT32(26, 0), R(reg)), in.mod[SASS_M_WIDTH] = widths[width],
		    in.guard = guard);
		break;
	case 2:
		INS(r, SASS_IMAD_WIDE, (R(26), PT, R(1), IMM(stride), R(4)));
		INS(r, SASS_LDG, (PT, R(reg), AT(26, 0)), in.mod[SASS_M_WIDTH] = widths[width],
		    in.guard = guard);
		break;
	default:
		INS(r, SASS_IMAD_WIDE, (R(26), PT, R(1), IMM(below(2) ? bytes : 80), R(6)));
		INS(r, SASS_STG, (AT(26, 0), R(reg)), in.mod[SASS_M_WIDTH] = widths[width],
		    in.guard = guard);
	}
}

static void random_body(struct rig *r, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (below(8))
			random_instruction(r);
		else
			random_access(r);
	}
}

/* R0: thread, R1: thread of the grid, R2: results, R4: input, R6: scratch, R25: loop counter. */
static void random_program(struct rig *r)
{
	uint32_t top, end;

	rig_code(r);
	INS(r, SASS_S2R, (R(0), SR(SASS_SR_TID_X)));
	INS(r, SASS_S2R, (R(1), SR(SASS_SR_CTAID_X)));
	INS(r, SASS_IMAD, (R(1), R(1), IMM(THREADS), R(0)));
	for (uint32_t i = 0; i < 6; i++)
		INS(r, SASS_MOV, (R(2 + i), C0(r->params + 32 + 4 * i)));
	INS(r, SASS_IMAD_WIDE, (R(26), PT, R(1), IMM(4 * RESULTS), R(4)));
	for (uint32_t i = FIRST; i < LAST; i++)
		INS(r, SASS_LDG, (PT, R(i), AT(26, 4 * (i - FIRST))));
	for (uint32_t i = 0; i < 4; i++)
		INS(r, SASS_ULDC, (UR(4 + i), C0(r->params + 4 * i)));
	INS(r, SASS_LDG, (PT, R(25), AT(26, 4 * (LAST - FIRST))));
	INS(r, SASS_R2P, (op_reg(SASS_NONE, 0), R(25), IMM(0x3f)));
	INS(r, SASS_ISETP, (P(6), PT, R(0), IMM(THREADS - 7), PT),
	    in.mod[SASS_M_CMP] = SASS_CMP_GE);
	INS(r, SASS_EXIT, (PT), in.guard = 6);
	INS(r, SASS_MOV, (R(25), IMM(ITERATIONS)));
	top = r->code;
	random_body(r, BODY);
	/* A part for some lanes of each warp. */
	INS(r, SASS_LOP3, (P(6), RZ, R(0), IMM(1u << below(5)), RZ, IMM(0xc0), with(PT, SASS_NEG)));
	end = r->code + 11;
	INS(r, SASS_BSSY, (B(0), TO(end)));
	INS(r, SASS_BRA, (PT, TO(end)), in.guard = 6);
	for (uint32_t i = 0; i < 8; i++)
		random_instruction(r);
	INS0(r, SASS_NOP);
	INS(r, SASS_BSYNC, (B(0)));
	INS(r, SASS_IADD3, (R(25), PT, PT, R(25), IMM(~0u), RZ));
	INS(r, SASS_ISETP, (P(6), PT, R(25), RZ, PT), in.mod[SASS_M_CMP] = SASS_CMP_NE);
	INS(r, SASS_BRA, (PT, TO(top)), in.guard = 6);
	INS(r, SASS_P2R, (R(28), op_reg(SASS_NONE, 0), RZ, IMM(0x3f)));
	for (uint32_t i = 0; i < 4; i++)
		INS(r, SASS_MOV, (R(29 + i), UR(4 + i)));
	/* The clock counts instructions. */
	INS(r, SASS_CS2R, (R(33), SR(SASS_SR_CLOCKLO)), in.mod[SASS_M_WIDTH] = SASS_WIDTH_32);
	INS(r, SASS_IMAD_WIDE, (R(26), PT, R(1), IMM(4 * RESULTS), R(2)));
	for (uint32_t i = 0; i < RESULTS; i++)
		INS(r, SASS_STG,
		    (AT(26, 4 * i), R(i < LAST - FIRST ? FIRST + i : 28 + i - (LAST - FIRST))));
	INS(r, SASS_EXIT, (PT));
}

static void fill(struct rig *r)
{
	uint32_t *in = rig_words(r, RIG_DATA);

	for (uint32_t i = 0; i < IN_WORDS; i++)
		in[i] = pick();
}

/* Runs the program; true: it ended. Clears what it writes before. */
static bool run(struct rig *r, const uint64_t params[7])
{
	memset(rig_at(r, OUT), 0, OUT_BYTES);
	memset(rig_at(r, SCRATCH), 0, 0x10000);
	return rig_run(r, BLOCKS, THREADS, params, 7);
}

static bool same(struct rig *a, struct rig *b)
{
	const uint32_t *x = rig_at(a, OUT), *y = rig_at(b, OUT);

	for (uint32_t i = 0; i < OUT_BYTES / 4; i++) {
		if (x[i] == y[i])
			continue;
		diag("thread %u, result %u: 0x%08x interpreted, 0x%08x translated", i / RESULTS,
		     i % RESULTS, x[i], y[i]);
		return false;
	}
	return !memcmp(rig_at(a, SCRATCH), rig_at(b, SCRATCH), 0x10000);
}

static void print_program(struct rig *r)
{
	const struct sass_word *code = rig_at(r, RIG_CODE);
	char text[128];

	for (uint32_t i = 0; i < r->code; i++) {
		struct sass_inst in;

		if (!sass_decode(90, code[i], &in))
			continue;
		sass_print(90, &in, 16ull * i, text, sizeof(text));
		diag("%03x %s", 16 * i, text);
	}
}

/* Faults in the middle of a block that has run before: the address of one lane, or of all lanes of
 * the second warp, is wrong in the last iteration. */
static const struct {
	uint16_t op;
	bool warp;
	uint32_t distance, high;
} faults[] = {
	{SASS_LDG, false, 0, 1},          {SASS_STG, false, 0, 1},
	{SASS_LDS, false, 0x800, 0},      {SASS_LDG, false, 2, 0},
	{SASS_LDG, false, 0x40000000, 0}, {SASS_STG, false, 0x40000000, 0},
	{SASS_LDS, true, 0x800, 0},       {SASS_LDS, true, 2, 0},
	{SASS_LDG, true, 2, 0},           {SASS_LDG, true, 0x40000000, 0},
	{SASS_STG, true, 2, 0},           {SASS_STG, true, 0x40000000, 0},
	{SASS_STS, true, 0x800, 0},       {SASS_STS, true, 2, 0},
};
#define FAULTS (sizeof(faults) / sizeof(faults[0]))

static void fault_program(struct rig *r, uint32_t kind)
{
	uint16_t op = faults[kind].op;
	uint32_t top;

	rig_code(r);
	INS(r, SASS_S2R, (R(0), SR(SASS_SR_TID_X)));
	INS(r, SASS_MOV, (R(4), C0(r->params)));
	INS(r, SASS_MOV, (R(5), C0(r->params + 4)));
	INS(r, SASS_MOV, (R(25), IMM(ITERATIONS)));
	top = r->code;
	INS(r, SASS_IADD3, (R(25), PT, PT, R(25), IMM(~0u), RZ));
	INS(r, SASS_ISETP, (P(0), PT, R(0), IMM(faults[kind].warp ? 32 : 37), PT),
	    in.mod[SASS_M_CMP] = faults[kind].warp ? SASS_CMP_GE : SASS_CMP_EQ);
	INS(r, SASS_ISETP, (P(0), PT, R(25), RZ, P(0)), in.mod[SASS_M_CMP] = SASS_CMP_EQ);
	INS(r, SASS_IMAD, (R(6), R(0), IMM(4), RZ));
	INS(r, SASS_IADD3, (R(6), PT, PT, R(6), IMM(faults[kind].distance), RZ), in.guard = 0);
	INS(r, SASS_IMAD_WIDE, (R(8), PT, R(6), IMM(1), R(4)));
	INS(r, SASS_IADD3, (R(9), PT, PT, R(9), IMM(faults[kind].high), RZ), in.guard = 0);
	if (op == SASS_LDS)
		INS(r, SASS_LDS, (R(10), AT32(6, 0)));
	else if (op == SASS_STS)
		INS(r, SASS_STS, (AT32(6, 0), R(6)));
	else if (op == SASS_STG)
		INS(r, SASS_STG, (AT(8, 0), R(6)));
	else
		INS(r, SASS_LDG, (PT, R(10), AT(8, 0)));
	INS(r, SASS_FADD, (R(11), R(10), R(10)));
	INS(r, SASS_ISETP, (P(1), PT, R(25), RZ, PT), in.mod[SASS_M_CMP] = SASS_CMP_NE);
	INS(r, SASS_BRA, (PT, TO(top)), in.guard = 1);
	INS(r, SASS_EXIT, (PT));
}

static void compare_faults(struct rig *plain, struct rig *fast, const char *name)
{
	const uint64_t data = SCRATCH;
	uint32_t same_faults = 0;

	for (uint32_t kind = 0; kind < FAULTS; kind++) {
		uint32_t thread = faults[kind].warp ? 32 : 37;
		struct model_error x, y;

		fault_program(plain, kind);
		memcpy(rig_at(fast, RIG_CODE), rig_at(plain, RIG_CODE), 0x10000);
		rig_run(plain, 1, 64, &data, 1);
		rig_run(fast, 1, 64, &data, 1);
		rig_error(plain, &x);
		rig_error(fast, &y);
		if (x.fault && x.fault == y.fault && x.pc == y.pc && x.address == y.address &&
		    x.thread[0] == thread && y.thread[0] == thread && !strcmp(x.text, y.text))
			same_faults++;
		else
			diag("fault %u: %s at 0x%llx, thread %u; interpreted: %s", kind, y.text,
			     (unsigned long long)y.pc, y.thread[0], x.text);
		rig_renew(plain);
		rig_renew(fast);
	}
	ok(same_faults == FAULTS,
	   "faults have the interpreter's message, instruction and thread when translated for %s",
	   name);
}

/* A loop with more uses of constants than a block may have, so that it becomes several blocks, the
 * last of which replaces the rows in vector registers. Its first instruction reads R8, which the
 * block would have written had it not been too long. */
static void long_program(struct rig *r)
{
	uint32_t top;

	rig_code(r);
	INS(r, SASS_S2R, (R(0), SR(SASS_SR_TID_X)));
	for (uint32_t i = 0; i < 2; i++)
		INS(r, SASS_MOV, (R(4 + i), C0(r->params + 4 * i)));
	INS(r, SASS_MOV, (R(25), IMM(ITERATIONS)));
	for (uint32_t i = FIRST; i < LAST; i++)
		INS(r, SASS_MOV, (R(i), R(0)));
	top = r->code;
	INS(r, SASS_IADD3, (R(9), PT, PT, R(8), R(9), RZ));
	for (uint32_t i = 0; i < 56; i++)
		INS(r, SASS_FFMA, (R(10 + i % 8), R(10), R(11), R(12)), in.mod[SASS_M_FTZ] = 1);
	for (uint32_t i = 18; i < LAST; i++)
		INS(r, SASS_IADD3, (R(i), PT, PT, R(i), IMM(i), RZ));
	INS(r, SASS_IADD3, (R(8), PT, PT, R(8), IMM(3), RZ));
	for (uint32_t i = 10; i < LAST; i++) /* in the next block */
		INS(r, SASS_IADD3, (R(i), PT, PT, R(i), IMM(i), RZ));
	INS(r, SASS_IADD3, (R(25), PT, PT, R(25), IMM(~0u), RZ));
	INS(r, SASS_ISETP, (P(0), PT, R(25), RZ, PT), in.mod[SASS_M_CMP] = SASS_CMP_NE);
	INS(r, SASS_BRA, (PT, TO(top)), in.guard = 0);
	INS(r, SASS_IMAD_WIDE, (R(26), PT, R(0), IMM(8), R(4)));
	INS(r, SASS_STG, (AT(26, 0), R(8)));
	INS(r, SASS_STG, (AT(26, 4), R(9)));
	INS(r, SASS_EXIT, (PT));
}

static void compare_long(struct rig *plain, struct rig *fast, const char *name)
{
	const uint64_t data = OUT;
	bool good;

	long_program(plain);
	memcpy(rig_at(fast, RIG_CODE), rig_at(plain, RIG_CODE), 0x10000);
	memset(rig_at(plain, OUT), 0, OUT_BYTES);
	memset(rig_at(fast, OUT), 0, OUT_BYTES);
	good = rig_run(plain, 1, 64, &data, 1) && rig_run(fast, 1, 64, &data, 1) &&
	       same(plain, fast);
	ok(good && rig_words(plain, OUT)[3], /* R9 of thread 1 */
	   "a block with too many constants gives the interpreter's results when translated for %s",
	   name);
}

static void compare_with(enum emit_isa isa, const char *name)
{
	struct model_config c = {
		.chip = model_chip_find("gh100"), .vram_bytes = RIG_BYTES, .threads = 1};
	static struct rig plain, fast;
	uint64_t params[7] = {0, 0, 0, 0, OUT, RIG_DATA, SCRATCH};
	bool good = true;

	rig_open_config(&plain, &c);
	c.translate = isa;
	c.translate_visits = 1;
	rig_open_config(&fast, &c);
	state = 0x2545f4914f6cdd1d;
	for (uint32_t i = 0; i < PROGRAMS && good; i++) {
		random_program(&plain);
		fill(&plain);
		for (uint32_t k = 0; k < 4; k++)
			params[k] = (uint64_t)pick() << 32 | pick();
		memcpy(rig_at(&fast, RIG_CODE), rig_at(&plain, RIG_CODE), 0x10000);
		memcpy(rig_at(&fast, RIG_DATA), rig_at(&plain, RIG_DATA), 4ull * IN_WORDS);
		good = run(&plain, params);
		if (!good) {
			struct model_error e;

			diag("program %u: %s", i, rig_error(&plain, &e));
			break;
		}
		good = run(&fast, params) && same(&plain, &fast);
		if (!good) {
			struct model_error e;

			diag("program %u: %s", i, rig_error(&fast, &e));
			print_program(&plain);
		}
	}
	ok(good, "%u random programs give the interpreter's results when translated for %s",
	   PROGRAMS, name);
	compare_long(&plain, &fast, name);
	compare_faults(&plain, &fast, name);
	rig_close(&plain);
	rig_close(&fast);
}

int main(void)
{
	static const struct {
		enum emit_isa isa;
		const char *name;
	} all[] = {{EMIT_AVX2, "AVX2"}, {EMIT_AVX512, "AVX-512"}};

	for (uint32_t i = 0; i < 2; i++) {
		if (emit_isa_of_host(all[i].isa) == all[i].isa) {
			compare_with(all[i].isa, all[i].name);
			continue;
		}
		ok(true, "translated code for %s # SKIP this host has none", all[i].name);
	}
	return tap_done();
}
