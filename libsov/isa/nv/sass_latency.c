/* SPDX-License-Identifier: MIT */
/*
 * When a result can be used. Fixed latencies are cycles from issue to issue, a matrix of what makes
 * a value over what takes it; everything else needs a scoreboard.
 *
 * All figures are mined: the least distance that ptxas 12.4 and 13.0 leave between a writer and a
 * reader in the straight-line code of random kernels (tests/oracles/ptx_random.py), for SM80 to
 * SM90; tests/oracles/sass_hazards.c runs such code through the functions below and finds no
 * violation. So they are what ptxas believes, not what silicon was seen to need. Where a pair is
 * too rare to say, the figure of the neighbouring class stands in. The SM80 figures agree with
 * those that NVIDIA gave Mesa (src/nouveau/compiler/nak/sm80_instr_latencies.rs) where both were
 * compared.
 */
#include "libsov/isa/nv/sass_row.h"

/* What makes a value. */
enum maker {
	MAKE_ALU, MAKE_FMA,
	MAKE_WIDE_LOW, MAKE_WIDE_HIGH,   /* halves of IMAD.WIDE; IMAD.HI makes a high one */
	MAKE_HALF, MAKE_WIDENED,         /* HADD2.F32, which has a unit of its own */
	MAKE_MMA, MAKE_FP64, MAKERS
};

/* What takes it. */
enum taker {
	TAKE_ALU, TAKE_FMA,
	TAKE_WIDE, TAKE_WIDE_LOW, TAKE_WIDE_HIGH, /* factors, addend of IMAD.WIDE and IMAD.HI */
	TAKE_HALF, TAKE_WIDENED, TAKE_MMA, TAKE_FP64,
	TAKE_QUEUE,                      /* MUFU, conversions, R2UR, REDUX, MATCH, LDC, RET, BRX */
	TAKE_MEMORY,                     /* addresses, data of stores and atomics, SHFL, BAR */
	TAKE_BRANCH, TAKERS
};

/* SM86 and SM89 are as SM80. */
enum { SM80, SM90, SMS };

/* General registers. */
static const uint8_t gpr_latency[SMS][MAKERS][TAKERS] = {
	[SM80] = {
		/*                  alu fma wide +low +high half widened mma fp64 queue memory branch */
		[MAKE_ALU]       = {4,  5,  5,   5,   5,    5,   5,      6,  6,   4,    5,     4},
		[MAKE_FMA]       = {5,  4,  4,   4,   4,    5,   5,      6,  6,   4,    5,     4},
		[MAKE_WIDE_LOW]  = {5,  4,  6,   6,   6,    5,   5,      6,  6,   4,    5,     4},
		[MAKE_WIDE_HIGH] = {5,  4,  6,   6,   6,    5,   5,      6,  6,   4,    5,     4},
		[MAKE_HALF]      = {5,  5,  5,   5,   5,    4,   5,      6,  6,   4,    5,     4},
		[MAKE_WIDENED]   = {5,  5,  5,   5,   5,    5,   5,      6,  6,   4,    5,     4},
		[MAKE_MMA]       = {10, 10, 10,  10,  10,   10,  10,     6,  6,   6,    7,     6},
		[MAKE_FP64]      = {10, 10, 10,  10,  10,   10,  10,     10, 6,   6,    7,     10},
	},
	[SM90] = { /* IMAD.WIDE makes its low half, and takes its high addend, two cycles apart */
		[MAKE_ALU]       = {4,  5,  5,   5,   3,    5,   5,      6,  6,   4,    5,     7},
		[MAKE_FMA]       = {5,  4,  4,   4,   2,    5,   5,      6,  6,   4,    5,     7},
		[MAKE_WIDE_LOW]  = {3,  4,  4,   4,   4,    5,   5,      6,  6,   4,    5,     7},
		[MAKE_WIDE_HIGH] = {5,  4,  6,   4,   4,    5,   5,      6,  6,   4,    5,     7},
		[MAKE_HALF]      = {5,  5,  5,   5,   5,    4,   5,      6,  6,   4,    5,     7},
		[MAKE_WIDENED]   = {5,  5,  5,   5,   5,    5,   5,      6,  6,   4,    5,     7},
		[MAKE_MMA]       = {10, 10, 10,  10,  8,    10,  10,     8,  8,   6,    7,     10},
		[MAKE_FP64]      = {10, 10, 10,  10,  10,   10,  10,     10, 8,   6,    7,     10},
	},
};

/* Predicates: as data of arithmetic (selection, carry, chained comparison), as guard, for anything
 * else. */
enum { PRED_ALU, PRED_FMA, PRED_FP64, PRED_GUARD, PRED_OTHER, PRED_TAKERS };
static const uint8_t pred_latency[MAKERS][PRED_TAKERS] = {
	[MAKE_ALU]       = {4, 5, 13, 13, 13},
	[MAKE_FMA]       = {5, 4, 13, 13, 13},
	[MAKE_WIDE_LOW]  = {5, 4, 13, 13, 13},
	[MAKE_WIDE_HIGH] = {5, 4, 13, 13, 13},
	[MAKE_HALF]      = {5, 5, 13, 13, 13},
	[MAKE_WIDENED]   = {5, 5, 13, 13, 13},
	[MAKE_MMA]       = {10, 10, 13, 13, 13},
	[MAKE_FP64]      = {6, 6, 6, 14, 14}, /* DSETP */
};

/* Uniform registers and predicates. Moves, constants and votes are there at once for most. What
 * ptxas was not seen to do is no shorter than its neighbours: IMAD.WIDE before Hopper and 64-bit
 * floats of what arithmetic makes, shared addresses of what is there at once. */
enum { UNIFORM_FAST, UNIFORM_ARITH, UNIFORM_FROM_VECTOR, UNIFORM_MAKERS };
enum {
	UTAKE_UNIFORM, UTAKE_MOVE, UTAKE_VECTOR, UTAKE_WIDE, UTAKE_FP64, UTAKE_QUEUE, UTAKE_BRANCH,
	UTAKE_ADDRESS, UTAKE_SHARED, UTAKERS
};
static const uint8_t ureg_latency[SMS][UNIFORM_MAKERS][UTAKERS] = {
	[SM80] = {
		/*                       uniform move vector wide fp64 queue branch address shared */
		[UNIFORM_FAST]        = {2, 2, 2, 8, 2, 2, 3, 2, 9},
		[UNIFORM_ARITH]       = {4, 7, 6, 9, 9, 9, 9, 9, 9},
		[UNIFORM_FROM_VECTOR] = {2, 2, 2, 2, 2, 2, 2, 2, 2}, /* R2UR sets a scoreboard */
	},
	[SM90] = {
		[UNIFORM_FAST]        = {2, 2, 2, 2, 2, 2, 3, 2, 9},
		[UNIFORM_ARITH]       = {4, 7, 6, 9, 9, 9, 9, 9, 9},
		[UNIFORM_FROM_VECTOR] = {13, 13, 13, 13, 13, 13, 13, 13, 13},
	},
};
enum { UPRED_UNIFORM = 4, UPRED_GUARD = 11, UPRED_GUARD_FAST = 7, UPRED_VECTOR = 6 };

/* What 64 bits of a clock or timer take longer than other results of the ALU: ptxas stalls 7 where
 * others have 4, and on an H200 4 gave the register's old value. */
#define CLOCK_TAKES_LONGER 3

/* Least distance between setting a scoreboard and waiting for it. */
#define SCOREBOARD_SETTLES 2

static uint32_t index_of(uint32_t sm)
{
	return sm >= 90 ? SM90 : SM80;
}

enum sass_pipe sass_pipe(uint32_t sm, const struct sass_inst *in)
{
	(void)sm; /* so far no instruction has moved */
	return sass_row(in)->pipe;
}

static bool has_result(const struct sass_form *row)
{
	for (uint32_t i = 0; i < SASS_MAX_OPERANDS && row->ops[i].type; i++)
		if (row->ops[i].flags & SLOT_WRITE && row->ops[i].type != SLOT_BREG)
			return true;
	return false;
}

bool sass_has_variable_latency(uint32_t sm, const struct sass_inst *in)
{
	const struct sass_form *row = sass_row(in);

	switch (row->pipe) {
	case SASS_PIPE_ALU: case SASS_PIPE_FMA: case SASS_PIPE_FP16:
		return false;
	case SASS_PIPE_FP64: /* SM90 runs 64-bit floats at full rate and in lock step */
		return sm < 90;
	case SASS_PIPE_UNIFORM:
		return row->op == SASS_R2UR && sm < 90;
	}
	return has_result(row);
}

bool sass_completes_in_order(uint32_t sm, const struct sass_inst *in)
{
	switch (sass_pipe(sm, in)) {
	case SASS_PIPE_FP64: case SASS_PIPE_MUFU: case SASS_PIPE_LANE: case SASS_PIPE_SHARED:
	case SASS_PIPE_SPECIAL:
		return true;
	default:
		return false;
	}
}

/* In which queue an instruction waits until its general registers are read; none: at issue. All
 * kinds of memory and the lanes share one. */
enum queue { QUEUE_NONE, QUEUE_MEMORY, QUEUE_MUFU, QUEUE_FP64, QUEUE_BARRIER };

static enum queue queue(uint32_t sm, const struct sass_inst *in)
{
	switch (sass_pipe(sm, in)) {
	case SASS_PIPE_FP64:
		return sm < 90 ? QUEUE_FP64 : QUEUE_NONE;
	case SASS_PIPE_MUFU:
		return QUEUE_MUFU;
	case SASS_PIPE_LANE: case SASS_PIPE_MEMORY: case SASS_PIPE_SHARED: case SASS_PIPE_CONSTANT:
		return QUEUE_MEMORY;
	case SASS_PIPE_BARRIER:
		return QUEUE_BARRIER;
	default:
		return QUEUE_NONE;
	}
}

bool sass_reads_late(uint32_t sm, const struct sass_inst *in)
{
	return queue(sm, in) != QUEUE_NONE;
}

bool sass_same_queue(uint32_t sm, const struct sass_inst *a, const struct sass_inst *b)
{
	return queue(sm, a) != QUEUE_NONE && queue(sm, a) == queue(sm, b);
}

bool sass_drains_queues(uint32_t sm, const struct sass_inst *in)
{
	(void)sm;
	return in->op == SASS_BAR;
}

static enum maker maker(const struct sass_form *row, bool high)
{
	if (row->op == SASS_IMAD_WIDE)
		return high ? MAKE_WIDE_HIGH : MAKE_WIDE_LOW;
	if (row->op == SASS_IMAD_HI)
		return MAKE_WIDE_HIGH;
	if (row->op == SASS_HFMA2_MMA)
		return MAKE_MMA;
	if (row->op == SASS_HADD2_F32)
		return MAKE_WIDENED;
	if (row->op == SASS_HSET2)
		return MAKE_ALU;
	switch (row->pipe) {
	case SASS_PIPE_FMA:
		return MAKE_FMA;
	case SASS_PIPE_FP16:
		return MAKE_HALF;
	case SASS_PIPE_FP64:
		return MAKE_FP64;
	}
	return MAKE_ALU;
}

static enum taker taker(const struct sass_form *row, uint8_t operand, bool high)
{
	if (row->op == SASS_IMAD_WIDE || row->op == SASS_IMAD_HI)
		return row->ops[operand].type != SLOT_C ? TAKE_WIDE : TAKE_WIDE_LOW + high;
	if (row->op == SASS_HFMA2_MMA)
		return TAKE_MMA;
	switch (row->op) {
	case SASS_REDUX: case SASS_MATCH_ALL: case SASS_MATCH_ANY:
	case SASS_RET_REL: case SASS_BRX: case SASS_BRXU: case SASS_CALL_REL_REG: case SASS_CALL_ABS_REG:
	case SASS_RET_ABS:
		return TAKE_QUEUE;
	case SASS_HADD2_F32: /* ptxas leaves five after halves, 2,138 times; an H200 got the old half after four */
		return TAKE_WIDENED;
	case SASS_HSET2: case SASS_HSETP2: /* as HMNMX2; an H200 needs the fifth cycle after HADD2 */
		return TAKE_ALU;
	}
	switch (row->pipe) {
	case SASS_PIPE_ALU:
		return TAKE_ALU;
	case SASS_PIPE_FMA:
		return TAKE_FMA;
	case SASS_PIPE_FP16:
		return TAKE_HALF;
	case SASS_PIPE_FP64:
		return TAKE_FP64;
	case SASS_PIPE_MUFU: case SASS_PIPE_UNIFORM: case SASS_PIPE_CONSTANT:
		return TAKE_QUEUE;
	case SASS_PIPE_BRANCH:
		return TAKE_BRANCH;
	}
	return TAKE_MEMORY;
}

static uint32_t clock_delay(const struct sass_inst *in)
{
	return in->op == SASS_CS2R && in->mod[SASS_M_WIDTH] == SASS_WIDTH_64 &&
			       in->ops[1].value != SASS_SR_ZERO
		       ? CLOCK_TAKES_LONGER
		       : 0;
}

/* The slowest of the registers that both have. */
static uint32_t gpr(uint32_t sm, const struct sass_inst *writer, const struct sass_reg_use *written,
		    const struct sass_inst *reader, const struct sass_reg_use *read)
{
	const struct sass_form *from = sass_row(writer), *to = sass_row(reader);
	uint8_t d = writer->ops[written->operand].reg, s = reader->ops[read->operand].reg;
	uint32_t low = written->reg > read->reg ? written->reg : read->reg, most = 0;
	uint32_t w_end = written->reg + written->count, r_end = read->reg + read->count, r;

	for (r = low; r < w_end && r < r_end; r++) {
		enum maker make = maker(from, r > d);
		enum taker take = taker(to, read->operand, r > s);

		if (gpr_latency[index_of(sm)][make][take] > most)
			most = gpr_latency[index_of(sm)][make][take];
	}
	return most + clock_delay(writer);
}

static uint32_t predicate(uint32_t sm, const struct sass_form *from, const struct sass_form *to,
			  const struct sass_reg_use *read)
{
	uint32_t where = PRED_OTHER;

	/* VOTE takes its predicate as late as a guard: ptxas stalls 13, and on an H200 a stall of 4
	 * gave each lane of VOTE.ALL its own predicate. */
	if (read->operand == SASS_USE_GUARD || to->op == SASS_VOTE)
		where = PRED_GUARD;
	else if (to->pipe == SASS_PIPE_ALU || (to->pipe == SASS_PIPE_BARRIER && sm < 90))
		where = PRED_ALU;
	else if (to->pipe == SASS_PIPE_FMA)
		where = PRED_FMA;
	else if (to->pipe == SASS_PIPE_FP64)
		where = PRED_FP64;
	return pred_latency[maker(from, false)][where];
}

static bool is_fast_uniform(uint16_t op)
{
	return op == SASS_UMOV || op == SASS_ULDC || op == SASS_ULDC_UREG || op == SASS_VOTEU || op == SASS_ELECT ||
	       op == SASS_ELECT_PRED;
}

static uint32_t uniform_register(uint32_t sm, const struct sass_form *from,
				 const struct sass_inst *reader, const struct sass_form *to,
				 const struct sass_reg_use *read)
{
	uint32_t made = UNIFORM_ARITH, taken = UTAKE_VECTOR;

	if (is_fast_uniform(from->op))
		made = UNIFORM_FAST;
	else if (from->op == SASS_R2UR)
		made = UNIFORM_FROM_VECTOR;
	if (reader->ops[read->operand].kind == SASS_ADDR)
		taken = to->pipe == SASS_PIPE_SHARED ? UTAKE_SHARED : UTAKE_ADDRESS;
	else if (to->op == SASS_UMOV)
		taken = UTAKE_MOVE;
	else if (to->pipe == SASS_PIPE_UNIFORM)
		taken = UTAKE_UNIFORM;
	else if (to->pipe == SASS_PIPE_BRANCH)
		taken = UTAKE_BRANCH;
	else if (to->pipe > SASS_PIPE_FP64)
		taken = UTAKE_QUEUE;
	else if (to->pipe == SASS_PIPE_FP64)
		taken = UTAKE_FP64;
	else if (to->op == SASS_IMAD_WIDE || to->op == SASS_IMAD_HI)
		taken = UTAKE_WIDE;
	return ureg_latency[index_of(sm)][made][taken];
}

uint32_t sass_raw_latency(uint32_t sm, const struct sass_inst *writer, const struct sass_reg_use *written,
		  const struct sass_inst *reader, const struct sass_reg_use *read)
{
	const struct sass_form *from = sass_row(writer), *to = sass_row(reader);

	if (written->kind == SASS_BREG)
		return 1;
	/* SM80's 64-bit floats need their distance besides the scoreboard. */
	if (sass_has_variable_latency(sm, writer) && from->pipe != SASS_PIPE_FP64)
		return SCOREBOARD_SETTLES;
	switch (written->kind) {
	case SASS_GPR:
		return gpr(sm, writer, written, reader, read);
	case SASS_PRED:
		return predicate(sm, from, to, read);
	case SASS_UPRED:
		if (read->operand == SASS_USE_GUARD)
			return is_fast_uniform(from->op) ? UPRED_GUARD_FAST : UPRED_GUARD;
		return to->pipe == SASS_PIPE_UNIFORM ? UPRED_UNIFORM : UPRED_VECTOR;
	}
	return uniform_register(sm, from, reader, to, read);
}

/* Cycles until the result of a unit of fixed latency is in its register. */
static uint32_t written_after(uint32_t sm, const struct sass_inst *in)
{
	switch (sass_pipe(sm, in)) {
	case SASS_PIPE_FP64:
		return 9;
	case SASS_PIPE_FP16:
		return in->op == SASS_HFMA2_MMA ? 9 : in->op == SASS_HADD2_F32 && sm >= 90 ? 5 : 4;
	case SASS_PIPE_UNIFORM: /* ptxas leaves 7 cycles between an addition and a move to its register */
		return is_fast_uniform(in->op) ? 2 : 8;
	default:
		return 4 + clock_delay(in);
	}
}

uint32_t sass_waw_latency(uint32_t sm, const struct sass_inst *first, const struct sass_inst *second)
{
	uint32_t a, b;

	if (sass_has_variable_latency(sm, first))
		return SCOREBOARD_SETTLES;
	a = written_after(sm, first);
	b = sass_has_variable_latency(sm, second) ? 4 : written_after(sm, second);
	return a > b ? a - b + 1 : 1;
}

/* Uniform arithmetic reads after its issue, and what is there at once is there before that: ptxas 13.0 leaves
 * three cycles before UMOV and ULDC (81 times) and two before others (161). On an H200 a ULOP3 that was two cycles
 * ahead of a UMOV took what that brought. */
uint32_t sass_war_latency(const struct sass_inst *reader, const struct sass_inst *writer, enum sass_kind kind)
{
	if (kind != SASS_UGPR || sass_row(reader)->pipe != SASS_PIPE_UNIFORM || is_fast_uniform(reader->op))
		return 1;
	return is_fast_uniform(writer->op) ? 3 : 2;
}

uint32_t sass_min_stall(uint32_t sm, const struct sass_inst *in)
{
	switch (in->op) {
	case SASS_BRA: case SASS_BRA_UREG: case SASS_BRX: case SASS_BRXU: case SASS_RET_REL:
	case SASS_CALL_REL_REG: case SASS_CALL_ABS: case SASS_CALL_ABS_REG: case SASS_RET_ABS:
	case SASS_EXIT: case SASS_BSYNC:
		return 5;
	case SASS_WARPSYNC: case SASS_WARPSYNC_ALL: case SASS_WARPSYNC_COLLECTIVE:
	case SASS_WARPSYNC_COLLECTIVE_ALL: case SASS_YIELD: case SASS_NANOSLEEP: case SASS_BREAK:
	case SASS_CALL_REL:
		return sm >= 90 ? 5 : 1;
	case SASS_MEMBAR: case SASS_CGAERRBAR:
		return 6;
	case SASS_DEPBAR:
		return 4;
	case SASS_CCTL: case SASS_CCTL_IVALL:
		return sm >= 90 ? 1 : 5;
	}
	return 1;
}

uint32_t sass_min_distance(uint32_t sm, const struct sass_inst *first, const struct sass_inst *second)
{
	enum sass_pipe next = sass_pipe(sm, second);

	/* A block barrier before memory, control flow and other queues. Two cycles between two barriers
	 * let warps of an H200 pass too early, or wait for ever. */
	if (first->op == SASS_BAR && next > SASS_PIPE_FP16)
		return second->op == SASS_BAR && sm >= 90 ? 8 : 6;
	return sass_min_stall(sm, first);
}

uint32_t sass_stall_cycles(const struct sass_inst *in)
{
	return in->stall ? in->stall : 16;
}

/*
 * Where ptxas keeps an operand, reader and next reader are both of the 64-bit floats' unit or neither
 * is (1,298 of 1,298 in its code of 22 kernels for two SMs). An H200 whose ISETP kept R6 for a DFMA that read R6 and R7 gave a
 * later ISETP the R6 of then, though it had been written since.
 */
bool sass_reuse_hits(uint32_t sm, const struct sass_inst *first, const struct sass_inst *second)
{
	enum sass_pipe a = sass_pipe(sm, first), b = sass_pipe(sm, second);

	return a == b || (a <= SASS_PIPE_FMA && b <= SASS_PIPE_FMA);
}

uint32_t sass_typical_latency(uint32_t sm, const struct sass_inst *in)
{
	/* Round figures for a scheduler's priorities, L1 and bank conflicts aside. */
	switch (sass_pipe(sm, in)) {
	case SASS_PIPE_MUFU:
		return 18;
	case SASS_PIPE_LANE: case SASS_PIPE_SHARED:
		return 24;
	case SASS_PIPE_MEMORY:
		return 300;
	case SASS_PIPE_CONSTANT:
		return 40;
	case SASS_PIPE_SPECIAL: case SASS_PIPE_BARRIER:
		return 25;
	case SASS_PIPE_FP64:
		return 10;
	default:
		return 5;
	}
}
