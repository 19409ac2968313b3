/* SPDX-License-Identifier: MIT */
/* The SASS executor. Each instruction is decoded once into a struct op. A warp is 32 lanes whose
 * registers are rows, r[register][lane], so that an operation is a loop over lanes that compilers
 * vectorise. A core computes an operation for all lanes and ignores the active mask; run_vector and
 * run_uniform fetch its operands, call it and write the results of the active lanes. One host
 * thread executes all warps of a cluster's blocks; clusters are spread over threads. */
#ifndef MODEL_EXEC_H
#define MODEL_EXEC_H

#include "libsov/isa/nv/sass.h"
#include "model/core/model_internal.h"
#include "model/core/warp_order.h"

#define LANES      32u
#define ALL_LANES  0xffffffffu
#define WORD_BYTES 16u /* size of an instruction */

/* Rows after the registers: RZ reads as zero (up to four registers wide); writes to it go to the
 * sink. */
#define ROW_ZERO     SASS_RZ
#define ROW_SINK     (ROW_ZERO + 4)
#define ROW_COUNT    (ROW_SINK + 4)
#define UREG_ZERO    SASS_URZ
#define UREG_SINK    (UREG_ZERO + 4)
#define UREG_COUNT   (UREG_SINK + 4)
/* Predicates are lane masks; uniform predicates follow them and are 0 or ALL_LANES. */
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

/* Operands of one operation. A source is a row of 32 words, a 64-bit source two rows; a source may
 * alias the destination. Predicates are lane masks. */
struct operands {
	uint32_t *d;
	const uint32_t *s[3];
	uint32_t x[3]; /* source predicates */
	uint32_t p[2]; /* destination predicates */
};
typedef void core_fn(const struct op *op, struct operands *o);
typedef void run_fn(struct warp *w, const struct op *op, uint32_t mask);

enum source_kind { SOURCE_ROW, SOURCE_IMMEDIATE, SOURCE_CONSTANT, SOURCE_UNIFORM };

/* The core computes ((raw & keep) ^ flip) + plus: a float's sign modifiers, or -x, ~x. For pairs
 * this applies to the high word (floats) or to the whole (integers, by negate). */
struct source {
	uint8_t kind, words, bank;
	bool negate;
	uint16_t row; /* register or uniform register */
	uint32_t keep, flip, plus;
	uint32_t value, high; /* immediate; for a constant, value is the byte offset */
	uint8_t index;        /* constant: index register, SASS_RZ: none */
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
	uint16_t top; /* register count needed: highest number + 1 */
	uint8_t breg;
	uint8_t span_site; /* of an access: index in mmu_reader.sites */
	struct source s[3];
	int64_t imm[3];
	struct {
		uint16_t row, urow; /* ROW_ZERO, UREG_ZERO: none */
		bool wide, uwide;
		int64_t offset;
	} address;
	int64_t target;                  /* byte offset from the end of the instruction */
	uint32_t data[2];                /* filled by the op's prepare for its handler */
	const char *reason;              /* why the instruction is illegal */
	const struct timing *timing;     /* hazard mode only */
	const struct profile_site *site; /* where instructions are counted only */
};

/* code_cache.c: decoded instructions of an address space, page by page, until caches are
 * invalidated. */
#define PAGE_OPS (MMU_PAGE_BYTES / WORD_BYTES)

struct code_page {
	uint64_t va;
	struct code_page *next;
	struct op ops[PAGE_OPS];
	struct sass_inst insts[PAGE_OPS];
	struct timing *timings;          /* NULL outside hazard mode */
	struct translation *translation; /* NULL: the code is interpreted */
	struct profile_sites *sites;     /* NULL: nothing is counted */
};

/* Returns the page that holds va, or NULL and *why if it cannot be read (MMU_OK: out of memory). */
const struct code_page *code_find(struct code *c, struct mmu_reader *r, uint64_t va,
				  enum mmu_result *why);

/* A grid launch. */
struct bank {
	uint8_t *data;
	uint32_t bytes;
};

struct grid {
	struct work work; /* must be first */
	const struct model_chip *chip;
	struct code *code;
	uint64_t id;
	uint32_t size[3], block[3], threads, warps;
	uint32_t cluster[3], cluster_blocks; /* 1 if the launch has no clusters */
	bool has_clusters;
	uint32_t registers, barriers, shared_bytes, local_low, local_high;
	uint64_t shared_window, local_window;
	bool sampler_by_header;
	uint64_t texture_headers, texture_samplers; /* pools; 0: not set */
	uint32_t max_header, max_sampler;
	struct bank banks[NV_QMD_BANKS];
	bool hazard;
	struct profile *profile;    /* NULL: nothing is counted */
	struct check_launch *check; /* NULL: not checked */
};
extern const struct work_kind grid_kind;

/* Why a lane is blocked. */
enum wait { WAIT_NOTHING, WAIT_BSYNC, WAIT_WARPSYNC, WAIT_COLLECTIVE, WAIT_BAR, WAIT_CLUSTER };

enum { HALT_FAULT = 1, HALT_YIELD = 2 };

/* A warp at the cluster's barrier: it has arrived, and all others have since. */
enum cluster_state { CLUSTER_AWAY, CLUSTER_ARRIVED, CLUSTER_COMPLETE };

#define BARRIERS 16
#define BREGS    16

struct warp {
	struct cta *cta;
	struct grid *grid;
	struct exec *exec;
	uint32_t (*r)[LANES];
	uint32_t registers; /* that each thread has (exec_registers.c) */
	uint32_t p[PRED_COUNT];
	uint32_t ur[UREG_COUNT];
	/* Divergence: the lanes of mask are active at pc. Every other live lane has a pc and is
	 * ready or blocked, together with the lanes of its group, which it rejoins when it
	 * resumes. */
	uint32_t live, mask, ready;
	uint32_t active; /* lanes of mask whose guard predicate is true */
	uint64_t pc, next;
	uint64_t readied; /* how often lanes became ready */
	uint32_t late;    /* released by WARPSYNC or BREAK, or yielded, and not scheduled since */
	uint8_t wait[LANES];   /* enum wait */
	uint32_t moved[BREGS]; /* lanes whose register was read or written by BMOV */
	uint32_t arrived[BARRIERS];
	uint32_t bar_result;
	uint8_t cluster_state;  /* enum cluster_state */
	bool has_run;           /* its registers are initialised */
	uint32_t index, leader; /* leader: lane that determined the last scheduled group */
	uint8_t halt;           /* ends the scheduling quantum: HALT_* */
	uint64_t clock;         /* instructions issued; in hazard mode, cycles */
	struct hazard *hazard;
	struct weak_unit *weak; /* the block's; NULL: memory is strongly ordered */
	/* What follows is not cleared when a block starts. Thread indices are those of all blocks;
	 * the others have a value when a lane has become ready or waits. */
	uint32_t tid[3][LANES];
	uint64_t lane_pc[LANES], ready_since[LANES];
	uint32_t group[LANES];
	/* Member mask (WARPSYNC), convergence barrier register, or barrier number. */
	uint32_t wait_on[LANES];
	/* Cleared if a warp of the last block wrote to one of these. */
	bool rare_written;
	struct {
		uint32_t breg[BREGS][LANES];
		uint64_t collective[LANES]; /* return address of ENDCOLLECTIVE */
		uint32_t rpc[2][LANES];     /* RPCMOV: low and high words */
	} rare;
};

struct cta {
	struct grid *grid;
	struct exec *exec;
	struct cluster *cluster;
	uint32_t id[3], rank; /* rank: in the cluster */
	struct warp_order order;
	uint32_t live;           /* live threads */
	uint32_t free_registers; /* per lane, that warps have given up */
	struct {
		uint32_t expected; /* threads; 0: all live threads */
		uint32_t votes, voters;
		uint8_t kind; /* SASS_BAR_* */
	} bar[BARRIERS];
	uint8_t *shared, *local;
	struct copies *copies; /* hazard mode only */
	struct profile_unit *profile;
	struct check_block *check; /* NULL: not checked */
	struct warp *warps;
	void *rows, *hazards;
	struct weak_unit
		*weak; /* the block has an SM to itself; NULL: memory is strongly ordered */
};

/* The blocks of a cluster run on one host thread, so that they can wait for each other. */
struct cluster {
	struct grid *grid;
	uint32_t count;
	struct cta *ctas[]; /* by rank */
};

/* One host thread that executes blocks. */
#define PAGE_CACHE 16
struct exec {
	struct thread thread; /* must be first */
	const struct code_page *pages[PAGE_CACHE];
	_Alignas(16) uint8_t dropped[128]; /* in the place of memory that may not be accessed */
};

/* Records the first fault of the grid. lane: LANES means the first active lane. */
__attribute__((format(printf, 5, 6))) void warp_fault(struct warp *w, uint32_t lane,
						      enum model_fault fault, uint64_t address,
						      const char *format, ...);

/* exec_control.c: schedules the ready group of lanes with the lowest pc, or round-robin. Returns
 * false if no lane is ready. */
bool warp_schedule(struct warp *w, bool rotate);
/* Blocked lanes keep the pc of the instruction that blocks them and continue after it. */
void block_lanes(struct warp *w, uint32_t lanes, enum wait kind, uint32_t on);
void release_lanes(struct warp *w, uint32_t lanes);

/* exec_cluster.c: ends the phase of the cluster's barrier if all warps have arrived or exited. */
void cluster_complete(struct cluster *k);

/* Operand access for handlers. */
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

/* exec_control.c: bits of the lanes. A shift by i would keep compilers from vectorising. */
extern const uint32_t lane_bit[LANES];

static inline void row_blend(uint32_t *d, const uint32_t *value, uint32_t mask)
{
	EACH_LANE(i)
		d[i] = mask & lane_bit[i] ? value[i] : d[i];
}

static inline void row_splat(uint32_t *d, uint32_t value)
{
	EACH_LANE(i)
		d[i] = value;
}

/* Copies sources and modifiers into locals of a core, since compilers must assume that a store to a
 * row may alias them. */
#define LOCAL_SOURCES \
	const uint32_t *const row0 = o->s[0], *const row1 = o->s[1], *const row2 = o->s[2]; \
	const uint32_t keep0 = op->s[0].keep, keep1 = op->s[1].keep, keep2 = op->s[2].keep; \
	const uint32_t flip0 = op->s[0].flip, flip1 = op->s[1].flip, flip2 = op->s[2].flip; \
	const uint32_t plus0 = op->s[0].plus, plus1 = op->s[1].plus, plus2 = op->s[2].plus; \
	(void)row0, (void)row1, (void)row2, (void)keep0, (void)keep1, (void)keep2; \
	(void)flip0, (void)flip1, (void)flip2, (void)plus0, (void)plus1, (void)plus2

/* Fused multiply-add is one instruction on every host but baseline x86-64, where compilers call a
 * function and do not vectorise the loop. There, cores that need it are compiled twice, and prepare
 * selects the version that the processor supports. */
#if defined(__x86_64__) && !defined(__FMA__)
#define FUSED_TWICE 1
#define FUSED       __attribute__((target("avx2,fma")))
static inline bool host_has_fma(void)
{
	return __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2");
}
#endif

/* Returns the rows of source i. space: two rows for a broadcast uniform value. */
const uint32_t *fetch_source(struct warp *w, const struct op *op, uint32_t i, uint32_t *space);
bool constant_read(struct warp *w, uint32_t bank, uint32_t offset, uint32_t bytes, uint32_t *out);

run_fn run_vector, run_uniform, run_illegal;

/*
 * A row of the executor's table. shape maps the operands of an operation to struct op, one letter
 * each in the order of libsov/isa/nv/sass_ops.h:
 *   d D  destination register, pair       p  destination predicate
 *   s S  source word, pair, as integer    f F  source word, pair, as float
 *   x    source predicate                 i  immediate
 *   a    address                          c  constant, perhaps indexed
 *   v    special register                 b  convergence barrier
 *   t    branch target                    -  not needed
 * prepare may choose another core; it returns NULL, or why the form is not modelled.
 */
struct op_row {
	uint16_t op;
	const char *shape;
	run_fn *run;
	core_fn *core;
	const char *(*prepare)(struct op *op, const struct sass_inst *in);
};
#define OP_ROWS_END {0, NULL, NULL, NULL, NULL}
run_fn run_nothing; /* of instructions without an effect here; in exec_control.c */
extern const struct op_row rows_control[], rows_convert[], rows_double[], rows_float[], rows_half[],
	rows_matrix[], rows_integer[], rows_lane[], rows_memory[], rows_move[], rows_atomic[],
	rows_syncs[], rows_bulk[], rows_tensor[], rows_cluster[], rows_registers[], rows_group[],
	rows_remote[], rows_texture[], rows_volta[];

/* exec_table.c: fills everything but timing. Returns NULL, or why this form is not modelled. */
const char *op_prepare(struct op *op, const struct sass_inst *in);

/* copies.c: asynchronous copies in flight, in hazard mode */
struct copies *copies_create(uint32_t shared_bytes);
void copies_destroy(struct copies *c);
void copies_reset(struct copies *c, uint32_t shared_bytes);
/* Holds back the data of a copy to a block's shared memory; false: out of memory. reduction: the
 * atomic by which the words are combined with memory, NULL: they are stored. */
#define NO_BARRIER UINT32_MAX
bool copies_hold(struct warp *w, struct cta *cta, uint32_t to, const void *words, uint32_t bytes,
		 uint32_t barrier, const struct op *reduction);
/* exec_atomic.c: combines a word or a pair with memory by the operation's modifiers. */
void atomic_reduce(const struct op *op, uint8_t *at, const uint32_t *words);
/* The bulk copies with this barrier; returns their bytes. */
uint32_t copies_arrive_at(struct cta *cta, uint32_t barrier);
/* The warp's copies that have no ticket yet arrive when this one is retired. */
void copies_end_group(struct warp *w, uint8_t scoreboard, uint64_t ticket);
void copies_arrive(struct warp *w, uint8_t scoreboard, uint64_t settled);
void copies_complete(struct warp *w); /* all of the warp */
/* Whether a copy to one of these bytes of shared memory is in flight, and its instruction. */
bool copies_pending(const struct cta *cta, uint64_t address, uint32_t bytes, uint64_t *pc);
bool copies_any_pending(const struct cta *cta);

/* hazard.c */
struct timing *timing_create(uint32_t count);
const struct timing *timing_prepare(struct timing *all, uint32_t index, const struct sass_inst *in,
				    uint32_t sm);
struct hazard *hazard_create(void);
void hazard_reset(struct hazard *h);
void hazard_issue(struct warp *w, const struct op *op, uint32_t mask);

#endif
