// SPDX-License-Identifier: MIT
/*
 * Latencies. Fixed latencies are cycles from issue to issue, in a matrix of producers over
 * consumers; all other results need a scoreboard.
 *
 * All figures are mined from ptxas: the minimum distance that versions 12.4 and 13.0 leave
 * between a writer and a reader in the straight-line code of random kernels
 * (tests/oracles/ptx_random.py), for SM70 to SM90. tests/oracles/sass_hazards.c runs such code
 * through the functions below and finds no violation. So the figures are ptxas' model, not
 * measurements of silicon. Pairs that are too rare have the figure of the neighbouring class.
 * Where compared, the SM80 figures agree with those that NVIDIA gave Mesa
 * (src/nouveau/compiler/nak/sm80_instr_latencies.rs).
 */
#include "libsov/isa/nv/sass_row.h"

enum producer {
	PROD_ALU, PROD_FMA,
	PROD_WIDE_LOW, PROD_WIDE_HIGH,   /* halves of IMAD.WIDE; IMAD.HI produces a high one */
	PROD_HALF, PROD_WIDENED,         /* WIDENED: HADD2.F32, which has a separate unit */
	PROD_MMA, PROD_FP64,
	PROD_TENSOR_LONG, PROD_TENSOR_SHORT, PROD_TENSOR_M8, PROD_DMMA, PRODUCERS
};

enum consumer {
	CONS_ALU, CONS_FMA,
	CONS_WIDE, CONS_WIDE_LOW, CONS_WIDE_HIGH, /* factors, addend of IMAD.WIDE and IMAD.HI */
	CONS_HALF, CONS_WIDENED, CONS_MMA, CONS_FP64,
	CONS_QUEUE,                      /* MUFU, conversions, REDUX, MATCH, LDC, RET, BRX */
	CONS_MEMORY,                     /* addresses, data of stores and atomics, SHFL, BAR */
	CONS_BRANCH, CONS_TENSOR, CONSUMERS
};

/* SM75 has the latencies of SM70, SM86 and SM89 those of SM80. */
enum { SM70, SM80, SM90, SMS };

/* Products of matrices, the same on all chips (docs/results/2026-11-17-h200-matrix-products.md);
 * long ones 22 cycles before MUFU.TANH (flash attention of ggml, ptxas 13.0). */
#define TENSOR_LATENCIES \
	[PROD_TENSOR_LONG]  = {24, 24, 24, 24, 24, 24, 24, 24, 24, 22, 23, 24, 24}, \
	[PROD_TENSOR_SHORT] = {16, 16, 16, 16, 16, 16, 16, 16, 16, 14, 15, 16, 16}, \
	[PROD_TENSOR_M8]  = {13, 13, 13, 13, 13, 13, 13, 13, 13, 12, 12, 13, 14}

/* General registers. */
static const uint8_t gpr_latency[SMS][PRODUCERS][CONSUMERS] = {
	[SM70] = {
		/*                  alu fma wide +low +high half widened mma fp64 queue memory br tensor */
		[PROD_ALU]       = {4,  5,  5,   5,   5,    6,   6,      6,  6,   6,    8,     8, 6},
		[PROD_FMA]       = {5,  4,  4,   4,   4,    6,   6,      6,  6,   6,    8,     8, 6},
		[PROD_WIDE_LOW]  = {5,  4,  6,   6,   6,    6,   6,      6,  6,   6,    8,     8, 6},
		[PROD_WIDE_HIGH] = {5,  4,  6,   6,   6,    6,   6,      6,  6,   6,    8,     8, 6},
		[PROD_HALF]      = {8,  8,  8,   8,   8,    6,   6,      6,  8,   8,    8,     8, 8},
		[PROD_WIDENED]   = {8,  8,  8,   8,   8,    6,   6,      6,  8,   8,    8,     8, 8},
		[PROD_FP64]      = {9,  9,  9,   9,   9,    9,   9,      9,  8,   9,    9,     9, 9},
		TENSOR_LATENCIES,
	},
	[SM80] = {
		/*                  alu fma wide +low +high half widened mma fp64 queue memory br tensor */
		[PROD_ALU]       = {4,  5,  5,   5,   5,    5,   5,      6,  6,   4,    5,     4, 7},
		[PROD_FMA]       = {5,  4,  4,   4,   4,    5,   5,      6,  6,   4,    5,     4, 7},
		[PROD_WIDE_LOW]  = {5,  4,  6,   6,   6,    5,   5,      6,  6,   4,    5,     4, 7},
		[PROD_WIDE_HIGH] = {5,  4,  6,   6,   6,    5,   5,      6,  6,   4,    5,     4, 7},
		[PROD_HALF]      = {5,  5,  5,   5,   5,    4,   5,      6,  6,   4,    5,     4, 7},
		[PROD_WIDENED]   = {5,  5,  5,   5,   5,    5,   5,      6,  6,   4,    5,     4, 7},
		[PROD_MMA]       = {10, 10, 10,  10,  10,   10,  10,     6,  6,   6,    7,     6, 10},
		[PROD_FP64]      = {10, 10, 10,  10,  10,   10,  10,     10, 6,   6,    7,     10, 10},
		TENSOR_LATENCIES,
		[PROD_DMMA]      = {25, 25, 25,  25,  25,   25,  25,     25, 25,  24,   24,    25, 18},
	},
	[SM90] = { /* two cycles between the halves of IMAD.WIDE, and of its addend */
		[PROD_ALU]       = {4,  5,  5,   5,   3,    5,   5,      6,  6,   4,    5,     7, 7},
		[PROD_FMA]       = {5,  4,  4,   4,   2,    5,   5,      6,  6,   4,    5,     7, 7},
		[PROD_WIDE_LOW]  = {3,  4,  4,   4,   4,    5,   5,      6,  6,   4,    5,     7, 7},
		[PROD_WIDE_HIGH] = {5,  4,  6,   4,   4,    5,   5,      6,  6,   4,    5,     7, 7},
		[PROD_HALF]      = {5,  5,  5,   5,   5,    4,   5,      6,  6,   4,    5,     7, 7},
		[PROD_WIDENED]   = {5,  5,  5,   5,   5,    5,   5,      6,  6,   4,    5,     7, 7},
		[PROD_MMA]       = {10, 10, 10,  10,  8,    10,  10,     8,  8,   6,    7,     10, 10},
		[PROD_FP64]      = {10, 10, 10,  10,  10,   10,  10,     10, 8,   6,    7,     10, 10},
		TENSOR_LATENCIES,
		[PROD_DMMA]      = {2,  2,  2,   2,   2,    2,   2,      2,  16,  2,    2,     2, 16},
	},
};

/* Predicates, by consumer: data of arithmetic (selection, carry, chained comparison), guards,
 * others. */
enum { PRED_ALU, PRED_FMA, PRED_FP64, PRED_GUARD, PRED_OTHER, PRED_CONSUMERS };
static const uint8_t pred_latency_70[PRODUCERS][PRED_CONSUMERS] = {
	[PROD_ALU]       = {4, 5, 12, 12, 12},
	[PROD_FMA]       = {5, 4, 12, 12, 12},
	[PROD_WIDE_LOW]  = {5, 4, 12, 12, 12},
	[PROD_WIDE_HIGH] = {5, 4, 12, 12, 12},
	[PROD_HALF]      = {8, 8, 12, 12, 12},
	[PROD_WIDENED]   = {8, 8, 12, 12, 12},
	[PROD_FP64]      = {9, 9, 9, 15, 15}, /* DSETP */
};
static const uint8_t pred_latency[PRODUCERS][PRED_CONSUMERS] = {
	[PROD_ALU]       = {4, 5, 13, 13, 13},
	[PROD_FMA]       = {5, 4, 13, 13, 13},
	[PROD_WIDE_LOW]  = {5, 4, 13, 13, 13},
	[PROD_WIDE_HIGH] = {5, 4, 13, 13, 13},
	[PROD_HALF]      = {5, 5, 13, 13, 13},
	[PROD_WIDENED]   = {5, 5, 13, 13, 13},
	[PROD_MMA]       = {10, 10, 13, 13, 13},
	[PROD_FP64]      = {6, 6, 6, 14, 14}, /* DSETP */
};

enum { R2UR_OR = 2 };

/* Uniform registers and predicates. Most consumers can read moves, constants and votes without delay.
 * ptxas was not seen to emit these pairs, which have the figures of their neighbours: uniform
 * arithmetic to 64-bit floats, fast producers to shared memory addresses but for UMOV_TO_SHARED. */
enum { UNIFORM_FAST, UNIFORM_ARITH, UNIFORM_FROM_VECTOR, UNIFORM_PRODUCERS };
enum {
	UCONS_UNIFORM, UCONS_MOVE, UCONS_VECTOR, UCONS_WIDE, UCONS_FP64, UCONS_QUEUE, UCONS_BRANCH,
	UCONS_ADDRESS, UCONS_SHARED, UCONSUMERS
};
static const uint8_t ureg_latency[SMS][UNIFORM_PRODUCERS][UCONSUMERS] = {
	[SM70] = { /* SM75; SM70 has none */
		[UNIFORM_FAST]        = {2, 2, 2, 8, 2, 2, 3, 2, 9},
		[UNIFORM_ARITH]       = {4, 8, 6, 7, 9, 9, 9, 9, 9},
		[UNIFORM_FROM_VECTOR] = {2, 2, 2, 2, 2, 2, 2, 2, 2},
	},
	[SM80] = {
		/*                       uniform move vector wide fp64 queue branch addr shared */
		[UNIFORM_FAST]        = {2, 2, 2, 8, 2, 2, 3, 2, 9},
		/* wide: UIADD3 6 cycles before IMAD.WIDE.U32 and IMAD.HI.U32 (ggml, ptxas 13.0) */
		[UNIFORM_ARITH]       = {4, 7, 6, 6, 9, 9, 9, 9, 9},
		[UNIFORM_FROM_VECTOR] = {2, 2, 2, 2, 2, 2, 2, 2, 2}, /* R2UR sets a scoreboard */
	},
	[SM90] = {
		[UNIFORM_FAST]        = {2, 2, 2, 2, 2, 2, 3, 2, 9},
		[UNIFORM_ARITH]       = {4, 7, 6, 6, 9, 9, 9, 9, 9},
		[UNIFORM_FROM_VECTOR] = {13, 13, 13, 13, 13, 13, 13, 13, 13},
	},
};
/* The descriptors of a warp group's product: the minimum that ptxas 13.0 leaves in small kernels.
 * After R2UR it leaves 13, as before others. Its results are ready after a WARPGROUP.DEPBAR,
 * whatever the distance. */
enum { GROUP_AFTER_UMOV = 4, GROUP_AFTER_ULDC = 6, GROUP_AFTER_ARITH = 9 };
/* SYNCS.EXCH reads the new object early: ptxas 13.0 leaves 12 cycles after USHF. After R2UR 13 were
 * enough on an H200. */
enum { EXCH_AFTER_ARITH = 12 };
/* On SM90: a UMOV 6 cycles before an LDS (HeCBench mdh, ptxas 13.0). */
#define UMOV_TO_SHARED 6
/* The index of a constant load, on every chip: ptxas 12.4 and 13.0 leave 5 cycles after ULDC, 12
 * after uniform arithmetic, and were not seen to leave fewer than 7 after UMOV. */
enum { INDEX_AFTER_ULDC = 5, INDEX_AFTER_UMOV = 7, INDEX_AFTER_ARITH = 12, INDEX_AFTER_R2UR = 13 };
enum { UPRED_UNIFORM = 4, UPRED_GUARD = 11, UPRED_GUARD_FAST = 7, UPRED_VECTOR = 6 };
/* VOTEU: ptxas 13.0 reads its predicate one cycle later in PLOP3 and five later as a guard (once
 * each, in a public program). */
enum { UPRED_VOTE_GUARD = 5, UPRED_VOTE = 1 };

/*
 * Additional cycles of a 64-bit clock or timer read over other ALU results. ptxas 12.4 and 13.0
 * leave 6 cycles to the ALU on every chip; to the FMA pipe 7 on Hopper and 6 before it (CUDA samples
 * cudaGraphsPerfScaling, p2pBandwidthLatencyTest, simpleHyperQ). On an H200 a stall of 4 read the
 * register's old value.
 */
enum { CLOCK_EXTRA_CYCLES = 2, CLOCK_CYCLES_BEFORE_SM90 = 6 };

/* Minimum distance between setting a scoreboard and waiting for it. */
#define SCOREBOARD_SET_CYCLES 2

static uint32_t latency_index(uint32_t sm)
{
	return sm >= 90 ? SM90 : sm >= 80 ? SM80 : SM70;
}

enum sass_pipe sass_pipe(uint32_t sm, const struct sass_inst *in)
{
	(void)sm; /* no instruction has changed its pipe so far */
	return sass_row(in)->pipe;
}

bool sass_is_group_product(const struct sass_inst *in)
{
	return in->op >= SASS_HGMMA && in->op <= SASS_QGMMA_SP_REG;
}

static bool is_dmma(uint16_t op)
{
	return op >= SASS_DMMA_884 && op <= SASS_DMMA_16X8X16;
}

bool sass_is_matrix_product(const struct sass_inst *in)
{
	return sass_row(in)->pipe == SASS_PIPE_TENSOR;
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

	if (in->op == SASS_BMOV_READ && in->ops[0].reg == SASS_RZ && in->mod[SASS_M_CLEAR])
		return false; /* it only clears the barrier */
	switch (row->pipe) {
	case SASS_PIPE_ALU: case SASS_PIPE_FMA: case SASS_PIPE_FP16:
		return false;
	case SASS_PIPE_TENSOR: /* for SM75 ptxas waits for scoreboards of all products */
		return is_dmma(row->op) || sm < 80;
	case SASS_PIPE_FP64: /* SM90 runs 64-bit floats at full rate and in lock step */
		return sm < 90;
	case SASS_PIPE_UNIFORM:
		return row->op == SASS_R2UR && sm < 90;
	}
	return has_result(row);
}

/* ptxas reads the result of a DMMA of eight rows without its scoreboard in other such products, on SM90 in
 * f64 arithmetic too, and overwrites it later without. Those of 16 rows are waited for. */
bool sass_needs_scoreboard(uint32_t sm, const struct sass_inst *in, const struct sass_inst *next)
{
	/* The steps of Volta's products are in order: ptxas 12.4 waits for the last one. */
	if (in->op == SASS_HMMA_884 && next && next->op == SASS_HMMA_884)
		return false;
	if (in->op == SASS_DMMA_884 && (!next || is_dmma(next->op) ||
					(sm >= 90 && sass_pipe(sm, next) == SASS_PIPE_FP64)))
		return false;
	return sass_has_variable_latency(sm, in);
}

bool sass_completes_in_order(uint32_t sm, const struct sass_inst *in)
{
	switch (sass_pipe(sm, in)) {
	case SASS_PIPE_FP64: case SASS_PIPE_MUFU: case SASS_PIPE_LANE: case SASS_PIPE_SHARED:
	case SASS_PIPE_SPECIAL:
		return true;
	default:
		return in->op == SASS_HMMA_884;
	}
}

enum sass_queue sass_queue(uint32_t sm, const struct sass_inst *in)
{
	switch (sass_pipe(sm, in)) {
	case SASS_PIPE_FP64:
		return sm < 90 ? SASS_QUEUE_FP64 : SASS_QUEUE_NONE;
	case SASS_PIPE_TENSOR:
		return sm < 80 ? SASS_QUEUE_TENSOR : SASS_QUEUE_NONE;
	case SASS_PIPE_MUFU:
		return SASS_QUEUE_MUFU;
	case SASS_PIPE_LANE: case SASS_PIPE_MEMORY: case SASS_PIPE_SHARED: case SASS_PIPE_CONSTANT:
		return SASS_QUEUE_MEMORY;
	case SASS_PIPE_BARRIER:
		return SASS_QUEUE_BARRIER;
	default:
		return SASS_QUEUE_NONE;
	}
}

bool sass_reads_late(uint32_t sm, const struct sass_inst *in)
{
	/* ptxas waits for a scoreboard before it overwrites what a DMMA reads, its addend too. */
	return sass_queue(sm, in) != SASS_QUEUE_NONE || is_dmma(in->op);
}

bool sass_same_queue(uint32_t sm, const struct sass_inst *a, const struct sass_inst *b)
{
	/* Whether HMMA and IMMA read in order is not known, but for Volta's. */
	if (a->op == SASS_HMMA_884 && b->op == SASS_HMMA_884)
		return true;
	if (is_dmma(a->op) && is_dmma(b->op))
		return true;
	return sass_queue(sm, a) != SASS_QUEUE_NONE && sass_queue(sm, a) != SASS_QUEUE_TENSOR &&
	       sass_queue(sm, a) == sass_queue(sm, b);
}

bool sass_drains_queues(uint32_t sm, const struct sass_inst *in)
{
	(void)sm;
	return in->op == SASS_BAR;
}

static enum producer producer_of(const struct sass_form *row, bool high)
{
	if (row->op == SASS_IMAD_WIDE)
		return high ? PROD_WIDE_HIGH : PROD_WIDE_LOW;
	if (row->op == SASS_IMAD_HI)
		return PROD_WIDE_HIGH;
	if (row->op == SASS_HFMA2_MMA)
		return PROD_MMA;
	if (row->op == SASS_HADD2_F32)
		return PROD_WIDENED;
	if (row->op == SASS_HSET2)
		return PROD_ALU;
	if (is_dmma(row->op))
		return PROD_DMMA;
	switch (row->pipe) {
	case SASS_PIPE_TENSOR: /* by the registers of a */
		return row->ops[1].count == COUNT_4   ? PROD_TENSOR_LONG
		       : row->ops[1].count == COUNT_2 ? PROD_TENSOR_SHORT
						      : PROD_TENSOR_M8;
	case SASS_PIPE_FMA:
		return PROD_FMA;
	case SASS_PIPE_FP16:
		return PROD_HALF;
	case SASS_PIPE_FP64:
		return PROD_FP64;
	}
	return PROD_ALU;
}

static enum consumer consumer_of(uint32_t sm, const struct sass_form *row, uint8_t operand,
				 bool high)
{
	if (row->op == SASS_IMAD_WIDE || row->op == SASS_IMAD_HI)
		return row->ops[operand].type != SLOT_C ? CONS_WIDE : CONS_WIDE_LOW + high;
	if (row->op == SASS_HFMA2_MMA)
		return CONS_MMA;
	/* ptxas leaves seven cycles after arithmetic, 118 times on SM90, and never fewer; with six an
	 * H200 read old factors now and then. */
	if (row->pipe == SASS_PIPE_TENSOR)
		return CONS_TENSOR;
	switch (row->op) {
	case SASS_REDUX: case SASS_MATCH_ALL: case SASS_MATCH_ANY:
	case SASS_RET_REL: case SASS_RET_ABS: case SASS_BRX: case SASS_BRXU:
	case SASS_CALL_REL_REG: case SASS_CALL_ABS_REG:
	case SASS_WARPSYNC: /* ptxas leaves four cycles on SM90, too (4 of 5 times) */
	case SASS_NANOSLEEP: /* the same (12 of 12 times after SHF) */
	case SASS_SYNCS_ARRIVE: case SASS_SYNCS_PHASECHK: /* 4 cycles after LOP3 (ptxas 13.0) */
		return CONS_QUEUE;
	case SASS_R2UR: /* on an H200 as if it were arithmetic: 4 cycles after IADD3, 5 after IMAD */
		return CONS_ALU;
	/* ptxas leaves five cycles after halves, 2,138 times; an H200 read the old half after
	 * four. */
	case SASS_HADD2_F32:
		return CONS_WIDENED;
	/* Like HMNMX2; an H200 needs the fifth cycle after HADD2. Before Hopper ptxas leaves five
	 * cycles after the ALU too, and never fewer (25 times for each of SM80, SM86, SM89). */
	case SASS_HSET2: case SASS_HSETP2:
		return sm >= 90 ? CONS_ALU : CONS_WIDENED;
	}
	switch (row->pipe) {
	case SASS_PIPE_ALU:
		return CONS_ALU;
	case SASS_PIPE_FMA:
		return CONS_FMA;
	case SASS_PIPE_FP16:
		return CONS_HALF;
	case SASS_PIPE_FP64:
		return CONS_FP64;
	case SASS_PIPE_MUFU: case SASS_PIPE_UNIFORM: case SASS_PIPE_CONSTANT:
		return CONS_QUEUE;
	case SASS_PIPE_BRANCH:
		return CONS_BRANCH;
	}
	return CONS_MEMORY;
}

/* The latency of a result that other ALU instructions have after a number of cycles. */
static uint32_t with_clock_delay(uint32_t sm, const struct sass_inst *in, uint32_t cycles)
{
	if (in->op != SASS_CS2R || in->mod[SASS_M_WIDTH] != SASS_WIDTH_64 ||
	    in->ops[1].value == SASS_SR_ZERO)
		return cycles;
	if (sm < 90 && cycles <= CLOCK_CYCLES_BEFORE_SM90)
		return CLOCK_CYCLES_BEFORE_SM90;
	return cycles + CLOCK_EXTRA_CYCLES;
}

/* The maximum over the registers that both uses have. */
static uint32_t gpr_raw(uint32_t sm, const struct sass_inst *writer,
			const struct sass_reg_use *written, const struct sass_inst *reader,
			const struct sass_reg_use *read)
{
	const struct sass_form *from = sass_row(writer), *to = sass_row(reader);
	uint8_t d = writer->ops[written->operand].reg, s = reader->ops[read->operand].reg;
	uint32_t low = written->reg > read->reg ? written->reg : read->reg, max = 0;
	uint32_t w_end = written->reg + written->count, r_end = read->reg + read->count, r;

	for (r = low; r < w_end && r < r_end; r++) {
		enum producer make = producer_of(from, r > d);
		enum consumer take = consumer_of(sm, to, read->operand, r > s);

		if (gpr_latency[latency_index(sm)][make][take] > max)
			max = gpr_latency[latency_index(sm)][make][take];
	}
	return with_clock_delay(sm, writer, max);
}

static uint32_t predicate_raw(uint32_t sm, const struct sass_form *from, const struct sass_form *to,
			  const struct sass_reg_use *read)
{
	uint32_t where = PRED_OTHER;

	/* R2UR.OR changes its predicate late: ptxas leaves two cycles after R2UR and PLOP3. */
	if (to->op == SASS_R2UR && read->operand == 0)
		return R2UR_OR;
	/* VOTE needs its predicate as early as a guard: ptxas stalls 13, and on an H200 a stall
	 * of 4 gave each lane of VOTE.ALL its own predicate. */
	if (read->operand == SASS_USE_GUARD || to->op == SASS_VOTE)
		where = PRED_GUARD;
	else if (to->pipe == SASS_PIPE_ALU || (to->pipe == SASS_PIPE_BARRIER && sm < 90))
		where = PRED_ALU;
	else if (to->pipe == SASS_PIPE_FMA)
		where = PRED_FMA;
	else if (to->pipe == SASS_PIPE_FP64)
		where = PRED_FP64;
	return (sm < 80 ? pred_latency_70 : pred_latency)[producer_of(from, false)][where];
}

static bool is_fast_uniform(uint16_t op)
{
	return op == SASS_UMOV || op == SASS_ULDC || op == SASS_ULDC_UREG || op == SASS_VOTEU ||
	       op == SASS_ELECT || op == SASS_ELECT_PRED;
}

static uint32_t index_raw(const struct sass_form *from)
{
	switch (from->op) {
	case SASS_ULDC: case SASS_ULDC_UREG:
		return INDEX_AFTER_ULDC;
	case SASS_R2UR:
		return INDEX_AFTER_R2UR;
	default:
		return is_fast_uniform(from->op) ? INDEX_AFTER_UMOV : INDEX_AFTER_ARITH;
	}
}

static uint32_t ureg_raw(uint32_t sm, const struct sass_form *from,
				 const struct sass_inst *reader, const struct sass_form *to,
				 const struct sass_reg_use *read)
{
	uint32_t made = UNIFORM_ARITH, taken = UCONS_VECTOR;

	if (to->op == SASS_ULDC_UREG)
		return index_raw(from);
	if (sass_is_group_product(reader) && from->op != SASS_R2UR)
		return from->op == SASS_UMOV          ? GROUP_AFTER_UMOV
		       : is_fast_uniform(from->op) ? GROUP_AFTER_ULDC
						   : GROUP_AFTER_ARITH;
	if (is_fast_uniform(from->op))
		made = UNIFORM_FAST;
	else if (from->op == SASS_R2UR)
		made = UNIFORM_FROM_VECTOR;
	if (reader->ops[read->operand].kind == SASS_ADDR)
		taken = to->pipe == SASS_PIPE_SHARED ? UCONS_SHARED : UCONS_ADDRESS;
	else if (to->op == SASS_UMOV)
		taken = UCONS_MOVE;
	else if (to->pipe == SASS_PIPE_UNIFORM)
		taken = UCONS_UNIFORM;
	else if (to->pipe == SASS_PIPE_BRANCH)
		taken = UCONS_BRANCH;
	else if (to->pipe > SASS_PIPE_FP64)
		taken = UCONS_QUEUE;
	else if (to->pipe == SASS_PIPE_FP64)
		taken = UCONS_FP64;
	else if (to->op == SASS_IMAD_WIDE || to->op == SASS_IMAD_HI)
		taken = UCONS_WIDE;
	if (from->op == SASS_UMOV && taken == UCONS_SHARED && sm >= 90)
		return UMOV_TO_SHARED;
	if (made == UNIFORM_ARITH && to->op == SASS_SYNCS_EXCH && taken == UCONS_QUEUE)
		return EXCH_AFTER_ARITH;
	return ureg_latency[latency_index(sm)][made][taken];
}

uint32_t sass_raw_latency(uint32_t sm, const struct sass_inst *writer,
			  const struct sass_reg_use *written, const struct sass_inst *reader,
			  const struct sass_reg_use *read)
{
	const struct sass_form *from = sass_row(writer), *to = sass_row(reader);

	if (written->kind == SASS_BREG)
		return 1;
	/* SM80's 64-bit floats need the distance in addition to the scoreboard. */
	if (sass_has_variable_latency(sm, writer) && from->pipe != SASS_PIPE_FP64 &&
	    !is_dmma(from->op))
		return SCOREBOARD_SET_CYCLES;
	switch (written->kind) {
	case SASS_GPR:
		return sass_is_group_product(writer) ? 1
						     : gpr_raw(sm, writer, written, reader, read);
	case SASS_PRED:
		return predicate_raw(sm, from, to, read);
	case SASS_UPRED:
		if (from->op == SASS_VOTEU)
			return read->operand == SASS_USE_GUARD ? UPRED_VOTE_GUARD : UPRED_VOTE;
		if (read->operand == SASS_USE_GUARD)
			return is_fast_uniform(from->op) ? UPRED_GUARD_FAST : UPRED_GUARD;
		return to->pipe == SASS_PIPE_UNIFORM ? UPRED_UNIFORM : UPRED_VECTOR;
	}
	return ureg_raw(sm, from, reader, to, read);
}

/* Cycles until a result of fixed latency is in its register. */
static uint32_t written_after(uint32_t sm, const struct sass_inst *in)
{
	if (sass_is_group_product(in))
		return 1;
	switch (sass_pipe(sm, in)) {
	case SASS_PIPE_FP64:
		return 9;
	case SASS_PIPE_TENSOR:
		return gpr_latency[latency_index(sm)][producer_of(sass_row(in), false)][CONS_TENSOR] -
		       1;
	case SASS_PIPE_FP16:
		return in->op == SASS_HFMA2_MMA ? 9 : in->op == SASS_HADD2_F32 && sm >= 90 ? 5 : 4;
	case SASS_PIPE_UNIFORM: /* ptxas leaves 7 cycles from an addition to a move to its result */
		return is_fast_uniform(in->op) ? 2 : 8;
	default:
		return with_clock_delay(sm, in, 4);
	}
}

uint32_t sass_max_latency(uint32_t sm, const struct sass_inst *in)
{
	const struct sass_form *row = sass_row(in);
	const uint8_t *low = gpr_latency[latency_index(sm)][producer_of(row, false)];
	const uint8_t *high = gpr_latency[latency_index(sm)][producer_of(row, true)];
	uint32_t max = written_after(sm, in);

	if (sass_is_group_product(in))
		return max;
	for (uint32_t k = 0; k < CONSUMERS; k++) {
		uint32_t latency = with_clock_delay(sm, in, low[k] > high[k] ? low[k] : high[k]);

		max = latency > max ? latency : max;
	}
	return max;
}

uint32_t sass_waw_latency(uint32_t sm, const struct sass_inst *first,
			  const struct sass_inst *second)
{
	uint32_t a, b;

	if (sass_needs_scoreboard(sm, first, NULL))
		return SCOREBOARD_SET_CYCLES;
	a = written_after(sm, first);
	b = sass_has_variable_latency(sm, second) ? 4 : written_after(sm, second);
	return a > b ? a - b + 1 : 1;
}

/* Uniform arithmetic reads its sources after issue, later than a fast uniform write arrives:
 * ptxas 13.0 leaves three cycles before UMOV and ULDC (81 times) and two before others (161). On
 * an H200 a ULOP3 issued two cycles before a UMOV read the UMOV's result. A constant load reads its
 * index at issue: ptxas leaves one cycle before an addition to it; it was not seen to leave fewer
 * than three before other constant loads. S2UR writes much later: ptxas leaves one cycle. */
uint32_t sass_war_latency(const struct sass_inst *reader, const struct sass_inst *writer,
			  enum sass_kind kind)
{
	bool at_issue = is_fast_uniform(reader->op) &&
			(reader->op != SASS_ULDC_UREG || !is_fast_uniform(writer->op));

	/* R2UR writes late: ptxas 13.0 has it right behind a ULEA that reads its result's register. */
	if (writer->op == SASS_R2UR)
		return 1;
	if (kind != SASS_UGPR || sass_row(reader)->pipe != SASS_PIPE_UNIFORM ||
	    sass_row(writer)->pipe != SASS_PIPE_UNIFORM || at_issue)
		return 1;
	return is_fast_uniform(writer->op) ? 3 : 2;
}

uint32_t sass_min_stall(uint32_t sm, const struct sass_inst *in)
{
	switch (in->op) {
	case SASS_BRA: case SASS_BRA_UREG: case SASS_BRA_UPRED: case SASS_BRX: case SASS_BRXU: case SASS_RET_REL:
	case SASS_CALL_REL_REG: case SASS_CALL_ABS: case SASS_CALL_ABS_REG: case SASS_RET_ABS:
	case SASS_EXIT: case SASS_BSYNC:
		return 5;
	case SASS_WARPSYNC: case SASS_WARPSYNC_ALL: case SASS_WARPSYNC_COLLECTIVE:
	case SASS_WARPSYNC_COLLECTIVE_ALL:
		return sm >= 90 ? 5 : sm < 80 ? 4 : 1;
	case SASS_YIELD: case SASS_NANOSLEEP: case SASS_BREAK:
		return sm >= 90 ? 5 : 1;
	case SASS_CALL_REL:
		return sm >= 90 || sm < 80 ? 5 : 1;
	case SASS_BAR:
		return sm < 80 ? 5 : 1;
	case SASS_MEMBAR: case SASS_CGAERRBAR:
		return sm < 80 ? 5 : 6;
	case SASS_DEPBAR: case SASS_DEPBAR_SET:
		return 4;
	case SASS_RPCMOV_WRITE: /* 28 of 28 times (ptxas 12.4) */
		return 6;
	case SASS_WARPGROUP_DEPBAR: /* ptxas 13.0 reads the results two cycles later */
		return 2;
	case SASS_CCTL: case SASS_CCTL_IVALL:
		return sm >= 90 ? 1 : 5;
	}
	return 1;
}

/*
 * The least that ptxas 13.0 leaves between two products of a warp group, with NOPs if need be (chains of
 * four products of 8 to 256 columns): by the columns of the first one, eight a tile, and alike for f16,
 * bf16, tf32 and 8-bit floats. Whether the hardware needs it is not known.
 */
static uint32_t group_product_cycles(const struct sass_inst *in)
{
	uint32_t tiles = in->mod[SASS_M_TILES] + 1u, cycles = tiles, least = 4;

	switch (in->op) {
	case SASS_IGMMA: case SASS_IGMMA_SP:
		return least;
	case SASS_IGMMA_REG: case SASS_IGMMA_SP_REG:
		return 10;
	case SASS_BGMMA: case SASS_BGMMA_REG:
		cycles = tiles / 2 > 2 ? tiles / 2 - 2 : 0;
		break;
	case SASS_HGMMA_SP: case SASS_QGMMA_SP: case SASS_HGMMA_SP_REG: case SASS_QGMMA_SP_REG:
		least = 5;
		break;
	default:
		cycles = tiles > 4 ? tiles - 4 : 0;
	}
	if (in->ops[1].kind == SASS_GPR)
		least = 10;
	return cycles > least ? cycles : least;
}

static uint32_t dmma_cycles(uint32_t sm, uint16_t op)
{
	if (sm < 90)
		return 1;
	return op == SASS_DMMA_16X8X16 || op == SASS_DMMA_16X8X8 ? 32 : 16;
}

/*
 * Cycles for which a pipe is busy with an instruction: the width of a warp over the lanes of a
 * partition (CUDA C++ Programming Guide, "Arithmetic Instructions"), twice as long for results of
 * two words. ptxas 13.0 never leaves fewer cycles between two instructions of a pipe: of 11,866
 * pairs of ALU instructions for SM90 none has fewer than 2, of 331 IMADs after IMAD.WIDE none fewer
 * than 4, of 1,278 pairs of LDG none fewer than 4, of 25 pairs of MUFU none fewer than 8; for SM80
 * the figures are the same but for floats: 2 cycles for 32 bits (8,342 pairs), 4 for 64 (8,127).
 * Between products of matrices it leaves 4 cycles, and after those with two words of the second
 * factor 6 for SM90 (3,515 pairs) and 8 for SM80 (68). After a DMMA for SM90 it leaves 16 cycles, 32 with
 * 16 rows and eight of k, 64 (of which we leave 32) with sixteen: the smallest one multiplies at half the
 * speed. Other pipes have 1: not known.
 */
uint32_t sass_issue_cycles(uint32_t sm, const struct sass_inst *in)
{
	switch (sass_pipe(sm, in)) {
	case SASS_PIPE_ALU:
		return 2;
	case SASS_PIPE_FMA:
		if (in->op == SASS_IMAD_WIDE || in->op == SASS_IMAD_HI)
			return 4;
		return sm != 80 && (in->op == SASS_FADD || in->op == SASS_FMUL ||
				    in->op == SASS_FFMA)
			       ? 1
			       : 2;
	case SASS_PIPE_FP64:
		return sm >= 90 ? 2 : 4;
	case SASS_PIPE_MEMORY: case SASS_PIPE_SHARED:
		return 4;
	case SASS_PIPE_MUFU: case SASS_PIPE_CONSTANT:
		return 8;
	case SASS_PIPE_TENSOR:
		if (sass_is_group_product(in))
			return group_product_cycles(in);
		if (producer_of(sass_row(in), false) == PROD_TENSOR_LONG)
			return sm >= 90 ? 6 : 8;
		return is_dmma(in->op) ? dmma_cycles(sm, in->op) : 4;
	default:
		return 1;
	}
}

bool sass_keeps_distance(const struct sass_inst *in)
{
	return in->op == SASS_BAR || in->op == SASS_UCGABAR_ARV || sass_is_group_product(in) ||
	       is_dmma(in->op);
}

uint32_t sass_min_distance(uint32_t sm, const struct sass_inst *first,
			   const struct sass_inst *second)
{
	enum sass_pipe next = sass_pipe(sm, second);

	/* A block barrier before memory, control flow and other queues, and before uniform moves
	 * and constants (ptxas leaves 6 cycles or more 131 times on SM90), but not before uniform
	 * arithmetic (1 to 5 cycles 38 times). With two cycles between two barriers, warps of an
	 * H200 passed too early or waited for ever. */
	if (first->op == SASS_BAR && next > SASS_PIPE_TENSOR &&
	    (next != SASS_PIPE_UNIFORM || is_fast_uniform(second->op)))
		return second->op == SASS_BAR && sm >= 90 ? 8 : sm < 80 ? 5 : 6;
	/* The cluster's barrier: ptxas 13.0 leaves eight cycles after the error barrier of a release
	 * and six between arrival and wait. */
	if (first->op == SASS_CGAERRBAR && second->op == SASS_UCGABAR_ARV)
		return 8;
	if (first->op == SASS_UCGABAR_ARV && second->op == SASS_UCGABAR_WAIT)
		return 6;
	/* The minimum that ptxas 13.0 leaves around products of a warp group. */
	if (sass_is_group_product(first) && sass_is_group_product(second))
		return group_product_cycles(first);
	if (is_dmma(first->op) && is_dmma(second->op))
		return dmma_cycles(sm, first->op);
	if (first->op == SASS_WARPGROUP_ARRIVE && sass_is_group_product(second))
		return 6;
	if (sass_is_group_product(first) && second->op == SASS_WARPGROUP_DEPBAR)
		return 3;
	return sass_min_stall(sm, first);
}

uint32_t sass_stall_cycles(const struct sass_inst *in)
{
	return in->stall ? in->stall : 16;
}

/*
 * ptxas sets a reuse flag only if both readers run on the FP64 unit or neither does (1,298 of
 * 1,298 flags in its code of 22 kernels for two SM versions). On an H200, an ISETP that kept R6
 * for a DFMA reading R6 and R7 made a later ISETP read the old R6, although R6 had been written
 * in between.
 */
bool sass_reuse_hits(uint32_t sm, const struct sass_inst *first, const struct sass_inst *second)
{
	enum sass_pipe a = sass_pipe(sm, first), b = sass_pipe(sm, second);

	/* SM75's products of matrices have other reuse flags: nvdisasm accepts only that of b. */
	if (a == SASS_PIPE_TENSOR && sm < 80)
		return first->op == SASS_HMMA_884 && second->op == SASS_HMMA_884;
	return a == b || (a <= SASS_PIPE_FMA && b <= SASS_PIPE_FMA);
}

uint32_t sass_typical_latency(uint32_t sm, const struct sass_inst *in)
{
	/* Round figures without cache misses and bank conflicts. */
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
	case SASS_PIPE_TENSOR:
		return 24;
	default:
		return 5;
	}
}
