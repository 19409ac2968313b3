/* SPDX-License-Identifier: MIT */
/*
 * Minimum distances between pairs of instruction classes, mined from another compiler's code. The
 * classes are coarser than instructions, so that each pair is frequent, and finer than those of
 * sass_latency.c where instructions are known to differ.
 */
#ifndef TESTS_ORACLES_MINED_H
#define TESTS_ORACLES_MINED_H

#include <stdio.h>
#include <string.h>

#include "libsov/isa/nv/sass_row.h"

#define MAX_PAIRS 4096

static struct mined_pair {
	const char *rule, *producer, *consumer;
	uint8_t kind, reg;
	uint32_t min, at_min, count;
	struct sass_word first, second;
} mined[MAX_PAIRS];
static uint32_t mined_count;

static const char *const mined_pipes[SASS_PIPE_COUNT] = {
	"alu",  "fma",    "fp16",   "tensor", "fp64",    "uniform", "mufu",
	"lane", "memory", "shared", "const",  "special", "branch",  "barrier",
};

static const char *mined_producer(uint32_t sm, const struct sass_inst *in, uint8_t kind,
				  uint8_t reg)
{
	bool high = kind == SASS_GPR && reg > in->ops[0].reg;

	switch (in->op) {
	case SASS_IMAD_WIDE:
		return kind == SASS_PRED ? "IMAD.WIDE" : high ? "IMAD.WIDE.high" : "IMAD.WIDE.low";
	case SASS_CS2R:
		if (in->mod[SASS_M_WIDTH] == SASS_WIDTH_64 && in->ops[1].value != SASS_SR_ZERO)
			return "CS2R.64";
		break;
	case SASS_IMAD_HI:
	case SASS_HFMA2_MMA:
	case SASS_HADD2_F32:
	case SASS_HSET2:
	case SASS_R2UR:
	case SASS_UMOV:
	case SASS_ULDC:
	case SASS_VOTEU:
	case SASS_DSETP:
		return sass_op_name(in->op);
	}
	return mined_pipes[sass_pipe(sm, in)];
}

static const char *mined_consumer(uint32_t sm, const struct sass_inst *in,
				  const struct sass_reg_use *u, uint8_t reg)
{
	static const char *const addend[] = {"IMAD.WIDE+low", "IMAD.WIDE+high"};

	if (u->operand == SASS_USE_GUARD)
		return "guard";
	if (in->ops[u->operand].kind == SASS_ADDR)
		return sass_pipe(sm, in) == SASS_PIPE_SHARED ? "shared.address" : "address";
	switch (in->op) {
	case SASS_IMAD_WIDE:
	case SASS_IMAD_HI:
		return u->kind == SASS_GPR && sass_row(in)->ops[u->operand].type == SLOT_C
			       ? addend[reg > in->ops[u->operand].reg]
			       : sass_op_name(in->op);
	case SASS_HFMA2_MMA:
	case SASS_HADD2_F32:
	case SASS_HSET2:
	case SASS_HSETP2:
	case SASS_VOTE:
	case SASS_UMOV:
	case SASS_R2UR:
	case SASS_REDUX:
		return sass_op_name(in->op);
	}
	return mined_pipes[sass_pipe(sm, in)];
}

static void mine_pair(const char *rule, uint8_t kind, const char *producer, const char *consumer,
		      uint32_t distance, struct sass_word first, struct sass_word second,
		      uint8_t reg)
{
	struct mined_pair *p = mined;

	while (p < mined + mined_count &&
	       (p->kind != kind || strcmp(p->rule, rule) || strcmp(p->producer, producer) ||
		strcmp(p->consumer, consumer)))
		p++;
	if (p == mined + MAX_PAIRS)
		return;
	if (p == mined + mined_count) {
		*p = (struct mined_pair){rule,       producer, consumer, kind,   0,
					 UINT32_MAX, 0,        0,        {0, 0}, {0, 0}};
		mined_count++;
	}
	p->count++;
	p->at_min += distance == p->min;
	if (distance < p->min) {
		p->min = distance;
		p->at_min = 1;
		p->first = first;
		p->second = second;
		p->reg = reg;
	}
}

static int print_mined(uint32_t sm)
{
	for (struct mined_pair *p = mined; p < mined + mined_count; p++)
		printf("%u %s %c%u %s %s %u %u %u %016llx%016llx %016llx%016llx\n", sm, p->rule,
		       "-RUPQB"[p->kind], p -> reg, p -> producer, p -> consumer, p -> min,
		       p -> at_min, p -> count, (unsigned long long)p -> first.hi,
		       (unsigned long long)p->first.lo, (unsigned long long)p->second.hi,
		       (unsigned long long)p->second.lo);
	return !mined_count;
}

#endif
