/* SPDX-License-Identifier: MIT */
/*
 * The executor. An instruction is decoded once into a struct op; a warp is 32 lanes whose registers
 * are rows, r[register][lane], so that an operation is a loop over lanes that compilers vectorise.
 * A core computes an operation for all lanes and knows nothing of masks; run_vector and run_uniform
 * fetch its operands, call it and keep what the active lanes may keep. Warps of a block share
 * one host thread; blocks are spread over threads.
 */
#ifndef MODEL_EXEC_H
#define MODEL_EXEC_H

#include "libsov/isa/nv/sass.h"
#include "model/core/model_internal.h"

#define LANES      32u
#define ALL_LANES  0xffffffffu
#define WORD_BYTES 16u /* an instruction */

/* Rows behind the registers: RZ reads as zero (up to four registers wide), writes to it sink. */
#define ROW_ZERO     SASS_RZ
#define ROW_SINK     (ROW_ZERO + 4)
#define ROW_COUNT    (ROW_SINK + 4)
#define UREG_ZERO    SASS_URZ
#define UREG_SINK    (UREG_ZERO + 4)
#define UREG_COUNT   (UREG_SINK + 4)
/* Predicates are lane masks; uniform ones lie behind, none or all lanes. */
#define PRED_SINK    8
#define PRED_UNIFORM 9
#define PRED_COUNT   (2 * PRED_UNIFORM)

#if defined(__clang__)
#define EACH_LANE(i) \
	_Pragma("clang loop vectorize(assume_safety)") for (uint32_t i = 0; i < LANES; i++)
#else
#define EACH_LANE(i) _Pragma("GCC ivdep") for (uint32_t i = 0; i < LANES; i++)
#endif

struct op;
struct warp;
struct cta;

/* One operation's operands. Sources are rows of 32 words, pairs are two rows; a source may be the
 * destination. Predicates are lane masks. */
struct operands {
	uint32_t *d;
	const uint32_t *s[3];
	uint32_t x[3]; /* source predicates */
	uint32_t p[2]; /* predicates that come out */
};
typedef void core_fn(const struct op *op, struct operands *o);
typedef void run_fn(struct warp *w, const struct op *op, uint32_t mask);

enum source_kind { SOURCE_ROW, SOURCE_IMMEDIATE, SOURCE_CONSTANT, SOURCE_UNIFORM };

/* The value is ((raw & keep) ^ flip) + plus, applied by the core: a float's sign, or -x, ~x. For
 * pairs it applies to the high word (floats) or the whole (integers, by negate). */
struct source {
	uint8_t kind, words, bank;
	bool negate;
	uint16_t row; /* register, or uniform register */
	uint32_t keep, flip, plus;
	uint32_t value, high; /* immediate; constant: byte offset in value */
	uint8_t index;        /* constant: register that is added, SASS_RZ = none */
};

struct op {
	run_fn *run;
	core_fn *core;
	const struct sass_inst *inst;
	uint8_t guard, p[2], px[3];
	uint32_t guard_flip, px_flip[3];
	uint8_t sources, px_count, p_count;
	uint16_t d;
	uint8_t dwords;
	uint16_t top; /* registers needed: highest + 1 */
	uint8_t breg;
	struct source s[3];
	int64_t imm[3];
	struct {
		uint16_t row, urow; /* ROW_ZERO, UREG_ZERO: none */
		bool wide, uwide;
		int64_t offset;
	} address;
	int64_t target;              /* bytes from the end of the instruction */
	uint32_t data[2];            /* what the op's prepare left for its handler */
	const char *reason;          /* why it is illegal */
	const struct timing *timing; /* hazard mode */
};

/* code.c: decoded instructions of an address space, page by page, until caches are invalidated. */
#define PAGE_OPS (MMU_PAGE_BYTES / WORD_BYTES)

struct code_page {
	uint64_t va;
	struct code_page *next;
	struct op ops[PAGE_OPS];
	struct sass_inst insts[PAGE_OPS];
	struct timing *timings; /* NULL unless hazards are checked */
};

/* The page that holds va; NULL and *why if it cannot be read, MMU_OK there means no memory. */
const struct code_page *code_find(struct code *c, struct mmu_reader *r, uint64_t va,
				  enum mmu_result *why);

/* A launch. */
struct bank {
	uint8_t *data;
	uint32_t bytes;
};

struct grid {
	struct work work; /* first */
	const struct model_chip *chip;
	struct code *code;
	uint64_t id;
	uint32_t size[3], block[3], threads, warps;
	uint32_t registers, barriers, shared_bytes, local_low, local_high;
	uint64_t shared_window, local_window;
	struct bank banks[NV_QMD_BANKS];
	bool hazard;
};
extern const struct work_kind grid_kind;

/* Why a lane does not run. */
enum wait { WAIT_NOTHING, WAIT_BSYNC, WAIT_WARPSYNC, WAIT_COLLECTIVE, WAIT_BAR };

enum { HALT_FAULT = 1, HALT_YIELD = 2 };

#define BARRIERS 16
#define BREGS    16

struct warp {
	struct cta *cta;
	struct grid *grid;
	struct exec *exec;
	uint32_t (*r)[LANES];
	uint32_t p[PRED_COUNT];
	uint32_t ur[UREG_COUNT];
	/* Divergence: the lanes of mask run at pc; every other live lane has its own pc and is
	 * ready or waits, with the lanes of its group, who go on when it does. */
	uint32_t live, mask, ready;
	uint32_t active; /* of mask, those that the guard lets execute */
	uint64_t pc, next;
	uint64_t lane_pc[LANES];
	uint32_t group[LANES];
	uint32_t late;           /* let go by WARPSYNC and not running since */
	uint8_t wait[LANES];     /* enum wait */
	uint32_t wait_on[LANES]; /* lanes (WARPSYNC), B register, or barrier */
	uint32_t breg[BREGS][LANES];
	uint32_t moved[BREGS];      /* lanes whose register came from BMOV */
	uint64_t collective[LANES]; /* where ENDCOLLECTIVE goes */
	uint32_t arrived[BARRIERS];
	uint32_t bar_result;
	uint32_t tid[3][LANES];
	uint32_t index, leader; /* leader: lane that decided which group ran last */
	uint8_t halt;           /* the turn ends here: HALT_* */
	uint64_t clock;         /* instructions issued; in hazard mode cycles */
	struct hazard *hazard;
};

struct cta {
	struct grid *grid;
	struct exec *exec;
	uint32_t id[3];
	uint32_t live; /* threads */
	struct {
		uint32_t expected; /* threads; 0 = all that live */
		uint32_t votes, voters;
		uint8_t kind; /* SASS_BAR_* */
	} bar[BARRIERS];
	uint8_t *shared, *local;
	struct warp *warps;
	void *rows, *hazards;
};

/* One host thread at work. */
#define PAGE_CACHE 16
struct exec {
	struct thread thread; /* first */
	const struct code_page *pages[PAGE_CACHE];
};

/* The first fault of a grid stands. lane may be LANES: the first that is active. */
__attribute__((format(printf, 5, 6))) void warp_fault(struct warp *w, uint32_t lane,
						      enum model_fault fault, uint64_t address,
						      const char *format, ...);

/* exec_control.c: makes the next group of lanes run, the one with the lowest pc, or in rotation.
 * false: none is ready. */
bool warp_schedule(struct warp *w, bool rotate);

/* Operand access that handlers share. */
static inline uint32_t first_lane(uint32_t mask)
{
	return (uint32_t)__builtin_ctz(mask);
}

static inline uint32_t pred_read(const struct warp *w, const struct op *op, uint32_t i)
{
	return w->p[op->px[i]] ^ op->px_flip[i];
}

static inline void pred_write(struct warp *w, uint32_t p, uint32_t bits, uint32_t mask)
{
	w->p[p] = (w->p[p] & ~mask) | (bits & mask);
}

static inline void row_blend(uint32_t *d, const uint32_t *value, uint32_t mask)
{
	EACH_LANE(i)
		d[i] = mask >> i & 1 ? value[i] : d[i];
}

static inline void row_splat(uint32_t *d, uint32_t value)
{
	EACH_LANE(i)
		d[i] = value;
}

/*
 * For cores: sources and their modifiers as local names, since a store to a row could otherwise be
 * one to them for all that the compiler knows.
 */
#define LOCAL_SOURCES \
	const uint32_t *const row0 = o->s[0], *const row1 = o->s[1], *const row2 = o->s[2]; \
	const uint32_t keep0 = op->s[0].keep, keep1 = op->s[1].keep, keep2 = op->s[2].keep; \
	const uint32_t flip0 = op->s[0].flip, flip1 = op->s[1].flip, flip2 = op->s[2].flip; \
	const uint32_t plus0 = op->s[0].plus, plus1 = op->s[1].plus, plus2 = op->s[2].plus; \
	(void)row0, (void)row1, (void)row2, (void)keep0, (void)keep1, (void)keep2; \
	(void)flip0, (void)flip1, (void)flip2, (void)plus0, (void)plus1, (void)plus2

/*
 * A fused multiply-add is an instruction on every host but the first x86-64, whose compilers call a
 * function for it, which also keeps loops from being vectorised. There cores that need one exist a
 * second time, and what prepares an operation picks those that the processor can run.
 */
#if defined(__x86_64__) && !defined(__FMA__)
#define FUSED_TWICE 1
#define FUSED       __attribute__((target("avx2,fma")))
static inline bool fused(void)
{
	return __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2");
}
#endif

/* Rows of source i; space: two rows to put a uniform value into. */
const uint32_t *fetch(struct warp *w, const struct op *op, uint32_t i, uint32_t *space);
bool constant_read(struct warp *w, uint32_t bank, uint32_t offset, uint32_t bytes, uint32_t *out);

run_fn run_vector, run_uniform, run_illegal;

/*
 * A row of the executor's table: how the operands of an operation map to struct op, one letter each
 * in the order of libsov/isa/nv/sass_ops.h:
 *   d D  destination register, pair       p  destination predicate
 *   s S  source word, pair, as integer    f F  source word, pair, as float
 *   x    source predicate                 i  immediate
 *   a    address                          c  constant, perhaps indexed
 *   v    special register                 b  convergence barrier
 *   t    branch target                    -  not needed
 * prepare may choose another core or refuse: NULL, or why the form is not modelled.
 */
struct op_row {
	uint16_t op;
	const char *shape;
	run_fn *run;
	core_fn *core;
	const char *(*prepare)(struct op *op, const struct sass_inst *in);
};
#define OP_ROWS_END \
	{ \
		0, NULL, NULL, NULL, NULL \
	}
extern const struct op_row rows_control[], rows_convert[], rows_double[], rows_float[], rows_half[],
	rows_integer[], rows_lane[], rows_memory[], rows_move[], rows_atomic[];

/* exec_table.c: fills everything but timing. NULL, or why this form is not modelled. */
const char *op_prepare(struct op *op, const struct sass_inst *in);

/* hazard.c */
struct timing *timing_create(uint32_t count);
const struct timing *timing_prepare(struct timing *all, uint32_t index, const struct sass_inst *in,
				    uint32_t sm);
struct hazard *hazard_create(void);
void hazard_reset(struct hazard *h);
void hazard_issue(struct warp *w, const struct op *op, uint32_t mask);

#endif
