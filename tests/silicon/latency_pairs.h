/* SPDX-License-Identifier: MIT */
/*
 * Kernels that measure how many cycles a reader must follow a writer. For each pair of a producer
 * and a consumer one kernel computes a register, lets a given number of cycles pass, and reads it.
 * If the distance is too short, the consumer reads the register's earlier value, and the kernel's
 * results differ from those at a long distance.
 *
 * Thread t has 64 bytes of the buffer: eight input words and four output words.
 */
#ifndef TESTS_SILICON_LATENCY_PAIRS_H
#define TESTS_SILICON_LATENCY_PAIRS_H

#include "tests/silicon/patched_kernel.h"

#define PAIR_THREADS  128u /* one warp per scheduler of an SM */
#define PAIR_WORDS    16u  /* of the buffer, per thread */
#define PAIR_OUTPUT   8u   /* the first output word */
#define LONG_DISTANCE 15u

/* Registers: 0 thread, 2–3 address, 4–9 inputs, 10–11 the pair under test, 20–21 the result. */
enum { PAIR_REG = 10, PAIR_RESULT = 20, PAIR_UREG = 8 };

static void build_from_word(struct sass_inst *in, uint64_t hi, uint64_t lo)
{
	if (!sass_decode(PATCHED_SM, (struct sass_word){lo, hi}, in))
		abort();
	in->wait = in->reuse = 0;
	in->read_barrier = in->write_barrier = SASS_NO_SB;
	in->form = NULL;
}

/* LDG.E.128 and STG.E.64 through the descriptor in UR4. */
static void build_load(struct sass_inst *in, uint8_t to, int64_t offset)
{
	build_from_word(in, 0x000ea2000c1e1b00, 0x0000000406067981); /* LDG.E.64 */
	in->mod[SASS_M_WIDTH] = SASS_WIDTH_128;
	for (uint32_t i = 0; i < in->nops; i++) {
		if (in->ops[i].kind == SASS_GPR)
			in->ops[i].reg = to;
		if (in->ops[i].kind == SASS_ADDR) {
			in->ops[i].reg = 2;
			in->ops[i].value = offset;
		}
	}
}

static void build_store(struct sass_inst *in, uint8_t from)
{
	build_from_word(in, 0x000fe2000c101b04, 0x0000000602007986); /* STG.E.64 [R2], R6 */
	in->ops[0].value = 4 * PAIR_OUTPUT;
	in->ops[1].reg = from;
}

static void build_widened(struct sass_inst *in, uint8_t to, uint8_t from)
{
	build_from_word(in, 0x000fe40000004100,
			0x20000003ff067230); /* HADD2.F32 R6, -RZ, R3.H0_H0 */
	in->ops[0].reg = to;
	in->ops[2].reg = from;
}

/* ---- producers: write register r, or the pair of which it is a half ---- */

static void produce_alu(struct sass_inst *in, uint8_t r)
{
	BUILD_INST(in, IADD3, REG(r), ABSENT, ABSENT, REG(4), REG(6), REG(SASS_RZ));
}
static void produce_fma(struct sass_inst *in, uint8_t r)
{
	BUILD_INST(in, IMAD, REG(r), REG(4), REG(6), REG(8));
}
static void produce_wide(struct sass_inst *in, uint8_t r)
{
	(void)r;
	BUILD_INST(in, IMAD_WIDE, REG(PAIR_REG), ABSENT, REG(4), REG(6), REG(8));
}
static void produce_half(struct sass_inst *in, uint8_t r)
{
	BUILD_INST(in, HADD2, REG(r), REG(4), REG(6));
}
static void produce_widened(struct sass_inst *in, uint8_t r)
{
	build_widened(in, r, 4);
}
static void produce_mma(struct sass_inst *in, uint8_t r)
{
	BUILD_INST(in, HFMA2_MMA, REG(r), REG(4), REG(6), REG(8));
}
static void produce_double(struct sass_inst *in, uint8_t r)
{
	(void)r;
	BUILD_INST(in, DADD, REG(PAIR_REG), REG(4), REG(6));
}
static void produce_predicate(struct sass_inst *in, uint8_t r)
{
	(void)r;
	BUILD_INST(in, ISETP, PREDICATE(0), ABSENT, REG(4), REG(6), ABSENT);
	in->mod[SASS_M_CMP] = SASS_CMP_GE;
}
static void produce_double_predicate(struct sass_inst *in, uint8_t r)
{
	(void)r;
	BUILD_INST(in, DSETP, PREDICATE(0), ABSENT, REG(4), REG(6), ABSENT);
	in->mod[SASS_M_CMP] = SASS_CMP_GE;
}
static void produce_umov(struct sass_inst *in, uint8_t r)
{
	BUILD_INST(in, UMOV, UREG(r), NUMBER(0x40100000));
}
static void produce_uniform(struct sass_inst *in, uint8_t r)
{
	BUILD_INST(in, UIADD3, UREG(r), ABSENT, ABSENT, UREG(10), UREG(10), UREG(SASS_URZ));
}
static void produce_from_vector(struct sass_inst *in, uint8_t r)
{
	BUILD_INST(in, R2UR, ABSENT, UREG(r), REG(4));
}

/* ---- consumers: write R20, or R20 and R21, or store the pair itself ---- */

static void consume_alu(struct sass_inst *in, uint8_t r)
{
	BUILD_INST(in, IADD3, REG(PAIR_RESULT), ABSENT, ABSENT, REG(r), REG(5), REG(SASS_RZ));
}
static void consume_fma(struct sass_inst *in, uint8_t r)
{
	BUILD_INST(in, IMAD, REG(PAIR_RESULT), REG(r), REG(5), REG(7));
}
static void consume_factor(struct sass_inst *in, uint8_t r)
{
	BUILD_INST(in, IMAD_WIDE, REG(PAIR_RESULT), ABSENT, REG(r), REG(5), REG(6));
}
static void consume_addend(struct sass_inst *in, uint8_t r)
{
	(void)r;
	BUILD_INST(in, IMAD_WIDE, REG(PAIR_RESULT), ABSENT, REG(5), REG(7), REG(PAIR_REG));
}
static void consume_half(struct sass_inst *in, uint8_t r)
{
	BUILD_INST(in, HADD2, REG(PAIR_RESULT), REG(r), REG(5));
}
static void consume_widened(struct sass_inst *in, uint8_t r)
{
	build_widened(in, PAIR_RESULT, r);
}
static void consume_mma(struct sass_inst *in, uint8_t r)
{
	BUILD_INST(in, HFMA2_MMA, REG(PAIR_RESULT), REG(r), REG(5), REG(7));
}
static void consume_double(struct sass_inst *in, uint8_t r)
{
	(void)r;
	BUILD_INST(in, DADD, REG(PAIR_RESULT), REG(PAIR_REG), REG(SASS_RZ));
}
static void consume_mufu(struct sass_inst *in, uint8_t r)
{
	BUILD_INST(in, MUFU, REG(PAIR_RESULT), REG(r));
	in->mod[SASS_M_FUNC] = SASS_MUFU_RCP;
	in->write_barrier = 2;
}
static void consume_shuffle(struct sass_inst *in, uint8_t r)
{
	BUILD_INST(in, SHFL, ABSENT, REG(PAIR_RESULT), REG(r), NUMBER(1), NUMBER(0x1f));
	in->mod[SASS_M_SHFL] = SASS_SHFL_BFLY;
	in->write_barrier = 2;
}
static void consume_store(struct sass_inst *in, uint8_t r)
{
	(void)r;
	build_store(in, PAIR_REG);
	in->read_barrier = 2;
}
static void consume_to_uniform(struct sass_inst *in, uint8_t r)
{
	BUILD_INST(in, R2UR, ABSENT, UREG(12), REG(r));
}
static void consume_reduction(struct sass_inst *in, uint8_t r)
{
	BUILD_INST(in, REDUX, UREG(12), REG(r));
	in->mod[SASS_M_REDUX] = SASS_REDUX_XOR;
	in->mod[SASS_M_STYPE] = SASS_TYPE_U32;
	in->write_barrier = 2;
}
static void consume_match(struct sass_inst *in, uint8_t r)
{
	BUILD_INST(in, MATCH_ANY, REG(PAIR_RESULT), REG(r));
	in->mod[SASS_M_STYPE] = SASS_TYPE_U32;
	in->write_barrier = 2;
}
static void consume_select(struct sass_inst *in, uint8_t r)
{
	(void)r;
	BUILD_INST(in, SEL, REG(PAIR_RESULT), REG(5), REG(7), PREDICATE(0));
}
static void consume_guard(struct sass_inst *in, uint8_t r)
{
	(void)r;
	BUILD_INST(in, MOV, REG(PAIR_RESULT), REG(5));
	in->guard = 0;
}
static void consume_vote(struct sass_inst *in, uint8_t r)
{
	(void)r;
	BUILD_INST(in, VOTE, REG(PAIR_RESULT), ABSENT, PREDICATE(0));
	in->mod[SASS_M_VOTE] = SASS_VOTE_ANY;
}
static void consume_ureg_alu(struct sass_inst *in, uint8_t r)
{
	BUILD_INST(in, IADD3, REG(PAIR_RESULT), ABSENT, ABSENT, REG(5), UREG(r), REG(SASS_RZ));
}
static void consume_ureg_wide(struct sass_inst *in, uint8_t r)
{
	BUILD_INST(in, IMAD_WIDE, REG(PAIR_RESULT), ABSENT, REG(5), UREG(r), REG(6));
}
static void consume_ureg_mufu(struct sass_inst *in, uint8_t r)
{
	BUILD_INST(in, MUFU, REG(PAIR_RESULT), UREG(r));
	in->mod[SASS_M_FUNC] = SASS_MUFU_RCP;
	in->write_barrier = 2;
}
static void consume_uniform(struct sass_inst *in, uint8_t r)
{
	BUILD_INST(in, UIADD3, UREG(12), ABSENT, ABSENT, UREG(r), UREG(10), UREG(SASS_URZ));
}
static void consume_umov(struct sass_inst *in, uint8_t r)
{
	BUILD_INST(in, UMOV, UREG(12), UREG(r));
}

struct pair_side {
	const char *name;
	enum sass_kind kind; /* of the register under test */
	bool pair;           /* uses R10 and R11 */
	void (*build)(struct sass_inst *in, uint8_t r);
};

static const struct pair_side producers[] = {
	{"IADD3", SASS_GPR, false, produce_alu},
	{"IMAD", SASS_GPR, false, produce_fma},
	{"IMAD.WIDE", SASS_GPR, true, produce_wide},
	{"HADD2", SASS_GPR, false, produce_half},
	{"HADD2.F32", SASS_GPR, false, produce_widened},
	{"HFMA2.MMA", SASS_GPR, false, produce_mma},
	{"DADD", SASS_GPR, true, produce_double},
	{"ISETP", SASS_PRED, false, produce_predicate},
	{"DSETP", SASS_PRED, false, produce_double_predicate},
	{"UMOV", SASS_UGPR, false, produce_umov},
	{"UIADD3", SASS_UGPR, false, produce_uniform},
	{"R2UR", SASS_UGPR, false, produce_from_vector},
};
static const struct pair_side consumers[] = {
	{"IADD3", SASS_GPR, false, consume_alu},
	{"IMAD", SASS_GPR, false, consume_fma},
	{"IMAD.WIDE factor", SASS_GPR, false, consume_factor},
	{"IMAD.WIDE addend", SASS_GPR, true, consume_addend},
	{"HADD2", SASS_GPR, false, consume_half},
	{"HADD2.F32", SASS_GPR, false, consume_widened},
	{"HFMA2.MMA", SASS_GPR, false, consume_mma},
	{"DADD", SASS_GPR, true, consume_double},
	{"MUFU", SASS_GPR, false, consume_mufu},
	{"SHFL", SASS_GPR, false, consume_shuffle},
	{"STG data", SASS_GPR, true, consume_store},
	{"R2UR", SASS_GPR, false, consume_to_uniform},
	{"REDUX", SASS_GPR, false, consume_reduction},
	{"MATCH", SASS_GPR, false, consume_match},
	{"SEL", SASS_PRED, false, consume_select},
	{"guard", SASS_PRED, false, consume_guard},
	{"VOTE", SASS_PRED, false, consume_vote},
	{"IADD3", SASS_UGPR, false, consume_ureg_alu},
	{"IMAD.WIDE factor", SASS_UGPR, false, consume_ureg_wide},
	{"MUFU", SASS_UGPR, false, consume_ureg_mufu},
	{"UIADD3", SASS_UGPR, false, consume_uniform},
	{"UMOV", SASS_UGPR, false, consume_umov},
};
#define PRODUCERS (sizeof(producers) / sizeof(producers[0]))
#define CONSUMERS (sizeof(consumers) / sizeof(consumers[0]))

struct pair {
	const struct pair_side *from, *to;
	uint8_t reg;
	uint32_t distance; /* that sass_latency.c asks for */
	struct sass_inst first, second;
};

/* Builds a pair; false: the registers do not make a pair. high: R11 instead of R10. */
static bool build_pair(struct pair *p, uint32_t from, uint32_t to, bool high)
{
	struct sass_reg_use a[SASS_MAX_USES], b[SASS_MAX_USES];
	uint32_t n, m;

	*p = (struct pair){.from = &producers[from], .to = &consumers[to]};
	if (p->from->kind != p->to->kind || (high && p->from->pair == p->to->pair))
		return false;
	p->reg = (uint8_t)(p->from->kind == SASS_UGPR  ? PAIR_UREG
			   : p->from->kind == SASS_GPR ? PAIR_REG + high
						       : 0);
	p->from->build(&p->first, p->reg);
	p->to->build(&p->second, p->reg);
	n = sass_uses(&p->first, a);
	m = sass_uses(&p->second, b);
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < m; k++)
			if (a[i].write && !b[k].write && a[i].kind == b[k].kind &&
			    a[i].reg < b[k].reg + b[k].count && b[k].reg < a[i].reg + a[i].count) {
				uint32_t d = sass_raw_latency(PATCHED_SM, &p->first, &a[i],
							      &p->second, &b[k]);

				p->distance = d > p->distance ? d : p->distance;
			}
	return p->distance > 1;
}

/* Calls use for every pair; returns their number. */
static uint32_t for_each_pair(void (*use)(const struct pair *p, void *state), void *state)
{
	uint32_t count = 0;
	struct pair p;

	for (uint32_t from = 0; from < PRODUCERS; from++)
		for (uint32_t to = 0; to < CONSUMERS; to++)
			for (int high = 0; high < 2; high++)
				if (build_pair(&p, from, to, high)) {
					count++;
					use(&p, state);
				}
	return count;
}

/* ---- the kernel ---- */

static void append_prologue(struct patched_code *c)
{
	struct sass_inst in;

	BUILD_INST(&in, S2R, REG(0), {.kind = SASS_SREG, .value = SASS_SR_TID_X});
	in.write_barrier = 0;
	append_inst(c, &in, 15, 0);
	BUILD_INST(&in, ULDC, UREG(4), PARAM(0x208)); /* the descriptor of global memory */
	in.mod[SASS_M_WIDTH] = SASS_WIDTH_64;
	append_inst(c, &in, 15, 0);
	BUILD_INST(&in, MOV, REG(2), PARAM(0x210)); /* the first parameter */
	append_inst(c, &in, 15, 0);
	BUILD_INST(&in, MOV, REG(3), PARAM(0x214));
	append_inst(c, &in, 15, 0);
	BUILD_INST(&in, IMAD_WIDE, REG(2), ABSENT, REG(0), NUMBER(4 * PAIR_WORDS), REG(2));
	append_inst(c, &in, 15, 1);
	build_load(&in, 4, 0);
	in.write_barrier = 0;
	append_inst(c, &in, 15, 0);
	build_load(&in, 8, 16);
	in.write_barrier = 1;
	append_inst(c, &in, 15, 0);
	append_nop(c, 3);
	BUILD_INST(&in, MOV, REG(PAIR_RESULT), REG(7));
	append_inst(c, &in, 15, 0);
	BUILD_INST(&in, MOV, REG(PAIR_RESULT + 1), REG(9));
	append_inst(c, &in, 15, 0);
	BUILD_INST(&in, ISETP, PREDICATE(0), ABSENT, REG(SASS_RZ), REG(SASS_RZ), ABSENT);
	in.mod[SASS_M_CMP] = SASS_CMP_NE;
	append_inst(c, &in, 15, 0);
	BUILD_INST(&in, UMOV, UREG(PAIR_UREG), NUMBER(0x3f800000));
	append_inst(c, &in, 15, 0);
	BUILD_INST(&in, UMOV, UREG(10), NUMBER(0x20300000));
	append_inst(c, &in, 15, 0);
	BUILD_INST(&in, UMOV, UREG(12), NUMBER(0));
	append_inst(c, &in, 15, 0);
}

/* Replaces the image's code by the kernel of a pair at a distance of 1 to LONG_DISTANCE cycles. */
static bool patch_pair(struct patched_image *im, const struct pair *p, uint32_t distance)
{
	struct patched_code c = {.n = 0, .why = NULL};
	struct sass_inst in;

	append_prologue(&c);
	while (c.n % 8 != 4) /* both words in one line of 128 bytes */
		append_nop(&c, 0);
	in = p->first;
	append_inst(&c, &in, distance, 0);
	in = p->second;
	append_inst(&c, &in, 15, 0);
	append_nop(&c, 4);
	if (p->second.ops[0].kind == SASS_UGPR || p->second.ops[1].kind == SASS_UGPR) {
		BUILD_INST(&in, MOV, REG(PAIR_RESULT), UREG(12));
		append_inst(&c, &in, 15, 0);
	}
	if (p->to->build != consume_store) {
		build_store(&in, PAIR_RESULT);
		in.read_barrier = 0;
		append_inst(&c, &in, 15, 0);
	}
	append_nop(&c, 0x3f);
	return patch_image(im, &c);
}

/* Words that are normal numbers as halves, floats and high words of doubles. */
static void fill_inputs(uint32_t *buffer)
{
	uint64_t state = 1;

	for (uint32_t i = 0; i < PAIR_THREADS * PAIR_WORDS; i++) {
		uint32_t a, b;

		state = state * 6364136223846793005 + 1442695040888963407; /* Knuth, MMIX */
		a = 0x3c00 + (uint32_t)(state >> 33) % 0x800;
		b = 0x3c00 + (uint32_t)(state >> 48) % 0x800;
		buffer[i] = i % PAIR_WORDS < PAIR_OUTPUT ? a << 16 | b : 0;
	}
}

#endif
