/* SPDX-License-Identifier: MIT */
/*
 * When a result is there. Fixed-latency units: one matrix of cycles over producer and consumer,
 * as ptxas 12.4 leaves between them (least stall over hundreds of random kernels an SM; SM80 equals
 * what NVIDIA gave Mesa wherever both were compared). Other units: a scoreboard, and for those that
 * answer in the order of issue a later one's scoreboard covers earlier ones.
 */
#include "libsov/isa/sass_row.h"

/* What a unit is to another's timing: its pipe, with the unit's readers grouped. */
enum reader { TO_ALU, TO_FMA, TO_HALF, TO_FP64, TO_UNIFORM, TO_OTHER, TO_GUARD, READERS };

static const uint8_t fixed90[][READERS] = {
	/*                     ALU FMA half FP64 uniform other guard */
	[SASS_PIPE_ALU] =     {4,  5,  5,   6,   13,     6,    13},
	[SASS_PIPE_FMA] =     {5,  4,  5,   6,   13,     6,    13},
	[SASS_PIPE_FP16] =    {10, 10, 10,  10,  13,     10,   13},
	[SASS_PIPE_FP64] =    {10, 10, 10,  8,   13,     10,   13},
	[SASS_PIPE_UNIFORM] = {6,  6,  6,   6,   6,      6,    13},
};
static const uint8_t fixed80[][READERS] = {
	[SASS_PIPE_ALU] =     {4,  5,  5,   6,   13,     6,    13},
	[SASS_PIPE_FMA] =     {5,  4,  5,   6,   13,     6,    13},
	[SASS_PIPE_FP16] =    {10, 10, 10,  10,  13,     10,   13},
	[SASS_PIPE_FP64] =    {10, 10, 10,  6,   13,     10,   13},
	[SASS_PIPE_UNIFORM] = {6,  6,  6,   6,   6,      6,    13},
};

enum sass_pipe sass_pipe(uint32_t sm, const struct sass_inst *in)
{
	struct sass_inst copy = *in;
	struct sass_word w;
	const struct sass_form *f = in->form ? in->form : sass_select(sm, &copy, &w, NULL);

	return f ? f->pipe : SASS_PIPE_ALU;
}

bool sass_variable(uint32_t sm, const struct sass_inst *in)
{
	enum sass_pipe p = sass_pipe(sm, in);

	if (p == SASS_PIPE_FP64)
		return sm < 90;
	return p > SASS_PIPE_UNIFORM || in->op == SASS_S2UR || in->op == SASS_R2UR;
}

bool sass_in_order(uint32_t sm, const struct sass_inst *in)
{
	return sass_pipe(sm, in) == SASS_PIPE_LANE;
}

bool sass_reads_late(uint32_t sm, const struct sass_inst *in)
{
	return sass_variable(sm, in);
}

static enum reader reader_of(uint32_t sm, const struct sass_inst *in, const struct sass_reg_use *use)
{
	if (use->operand == SASS_USE_GUARD)
		return TO_GUARD;
	switch (sass_pipe(sm, in)) {
	case SASS_PIPE_ALU:
		return TO_ALU;
	case SASS_PIPE_FMA:
		return TO_FMA;
	case SASS_PIPE_FP16:
		return TO_HALF;
	case SASS_PIPE_FP64:
		return TO_FP64;
	case SASS_PIPE_UNIFORM:
		return TO_UNIFORM;
	case SASS_PIPE_BRANCH:
	case SASS_PIPE_BARRIER:
		return use->kind == SASS_PRED ? TO_GUARD : TO_OTHER;
	default:
		return TO_OTHER;
	}
}

uint32_t sass_raw(uint32_t sm, const struct sass_inst *writer, const struct sass_reg_use *written,
		  const struct sass_inst *reader, const struct sass_reg_use *read)
{
	enum sass_pipe p = sass_pipe(sm, writer);

	(void)written;
	if (p > SASS_PIPE_UNIFORM || writer->op == SASS_S2UR || writer->op == SASS_R2UR)
		return 2;
	return (sm >= 90 ? fixed90 : fixed80)[p][reader_of(sm, reader, read)];
}

uint32_t sass_waw(uint32_t sm, const struct sass_inst *first, const struct sass_inst *second)
{
	static const struct sass_reg_use none = {.kind = SASS_GPR};
	uint32_t a = sass_raw(sm, first, &none, second, &none);

	return sass_variable(sm, first) || sass_pipe(sm, first) == sass_pipe(sm, second) ? 1 : a;
}

uint32_t sass_min_stall(uint32_t sm, const struct sass_inst *in)
{
	enum sass_pipe p = sass_pipe(sm, in);

	return p == SASS_PIPE_BRANCH ? 5 : p == SASS_PIPE_BARRIER ? 6 : 1;
}

uint32_t sass_estimate(uint32_t sm, const struct sass_inst *in)
{
	static const uint16_t cycles[SASS_PIPE_COUNT] = {
		4, 4, 6, 8, 6, 20, 24, 500, 30, 40, 25, 5, 20,
	};

	return cycles[sass_pipe(sm, in)];
}
