/* SPDX-License-Identifier: MIT */
/* The RDNA2 executor. A wave is 32 lanes whose vector registers are rows, v[register][lane], so
 * that an operation is a loop over lanes that compilers vectorise. Scalar registers are indexed by
 * operand number. A core computes an operation for all lanes; amd_run_vector fetches its operands
 * with their modifiers, calls it and writes the results of the lanes in EXEC. */
#ifndef MODEL_AMD_WAVE_H
#define MODEL_AMD_WAVE_H

#include <string.h>
#include "hw/amd/queue.h"
#include "hw/amd/trap.h"
#include "libsov/isa/amd/amd_row.h"
#include "model/amd/amd.h"
#include "model/core/model_internal.h"
#include "model/core/warp_order.h"

#define LANES     32u
#define ALL_LANES 0xffffffffu

#if defined(__clang__)
#define EACH_LANE(i) \
	_Pragma("clang loop vectorize(assume_safety)") for (uint32_t i = 0; i < LANES; i++)
#else
#define EACH_LANE(i) _Pragma("GCC ivdep") for (uint32_t i = 0; i < LANES; i++)
#endif
/* Iterates over the active lanes. */
#define EACH_ACTIVE(i, exec) \
	for (uint32_t i = 0, left_ = (exec); left_; left_ &= left_ - 1) \
		if ((i = (uint32_t)__builtin_ctz(left_)), 1)

typedef uint32_t row[LANES];

struct op;
struct wave;

struct operands {
	row *d;          /* words of the destination; holds the old value */
	const row *s[3]; /* words of the sources */
	uint32_t carry;  /* lane mask: carry in (third source) and carry out (second result) */
	uint32_t mask;   /* lane mask: a comparison's result */
	uint32_t exec;
	bool inexact; /* approximated functions have errors (approximate.c) */
};
typedef void core_fn(const struct op *op, struct operands *o);
typedef void run_fn(struct wave *w, const struct op *op);

/* The implementation of an instruction; exec_*.c have tables of these. */
struct handler {
	uint16_t op; /* enum amd_op */
	run_fn *run;
	core_fn *core;
	uint8_t data; /* extra parameter of the core */
};
#define HANDLERS_END {AMD_OP_COUNT, NULL, NULL, 0}
extern const struct handler amd_handlers_scalar[], amd_handlers_integer[], amd_handlers_float[],
	amd_handlers_half[], amd_handlers_double[], amd_handlers_convert[], amd_handlers_compare[],
	amd_handlers_lane[], amd_handlers_memory[], amd_handlers_lds[];
/* NULL: not modelled. */
const struct handler *amd_handler_of(enum amd_op op);

struct op {
	const struct handler *handler;
	struct amd_inst in;
	uint16_t vgprs; /* register count needed: highest number + 1 */
	uint8_t uses_count;
	struct amd_use uses[AMD_MAX_USES];
};

enum wave_state { WAVE_RUNNING, WAVE_AT_BARRIER, WAVE_ENDED };

/* Hardware registers for s_getreg and s_setreg. */
enum { HWREG_MODE = 1, HWREG_FLAT_SCR_LO = 20, HWREG_FLAT_SCR_HI = 21, HWREG_SHADER_CYCLES = 29 };

struct hazard;  /* hazard.c */
struct release; /* release.c */
struct amd_writer;

/* A dispatch, or a launch without a queue. */
struct amd_grid {
	struct work work;                /* must be first */
	const struct amd_memory *memory; /* NULL: the channel's address space */
	struct code *code;
	uint32_t user[AMD_COMPUTE_USER_DATA_COUNT]; /* initial scalar registers from s0 on */
	uint32_t rsrc1, rsrc2, vgprs;
	uint32_t lds_bytes, private_bytes; /* per workgroup, per lane */
	uint64_t wave_private;             /* bytes per wave */
	uint32_t slots; /* waves that can have private memory concurrently; 0: none needs it */
	_Atomic uint64_t taken[AMD_TMPRING_WAVES(~0u) / 64 + 1]; /* bitmap of used slots */
	uint32_t groups[3], threads[3], thread_count, waves;
	bool hazard, inexact;
	struct release *release;    /* NULL: none; freed by the code that runs the grid */
	struct amd_lines *lines;    /* NULL: no caches between dispatches */
	uint64_t dispatch;          /* number of the dispatch in lines */
	struct profile *profile;    /* NULL: nothing is counted */
	struct check_launch *check; /* NULL: nothing is checked */
	struct amd_probe *probe;    /* NULL: none */
	uint64_t limit;             /* maximum instructions per wave; 0: no limit */
};
extern const struct work_kind amd_grid_kind;
/* Computes the derived members. Returns NULL, or why the grid cannot run. */
const char *amd_grid_prepare(struct amd_grid *g);

/* One host thread that executes workgroups. */
#define PAGE_CACHE 16
struct amd_thread {
	struct thread thread; /* must be first */
	struct code_page *pages[PAGE_CACHE];
};

struct wave {
	struct workgroup *group;
	const struct amd_grid *grid;
	struct mmu_reader *reader;
	row *v;
	uint32_t vgprs;
	uint32_t s[128];
	bool scc, yields;  /* yields: ends its scheduling quantum */
	uint64_t pc, next; /* of this instruction and the next one */
	uint64_t steps;
	uint64_t flat_scratch;
	uint32_t mode;
	uint32_t index, slot; /* in the workgroup; of private memory */
	uint8_t state;
	struct hazard *hazard;
	struct weak_unit *weak; /* its compute unit; NULL: memory is strongly ordered */
	uint64_t stores;        /* instructions that incremented vscnt */
	uint64_t loads, loaded; /* instructions that incremented vmcnt, and were waited for */
	/* the wave in release.c's tables; NULL: it has written nothing */
	struct amd_writer *writer;
	bool privileged; /* in the trap handler */
	uint32_t trapsts;
	struct model_error fault; /* why the handler was entered; MODEL_FAULT_NONE: s_trap */
};

struct workgroup {
	struct amd_grid *grid;
	struct amd_thread *thread;
	uint32_t id[3];
	uint8_t *lds;
	uint32_t waves_count, waiting;
	uint32_t unit; /* lines.c: compute unit */
	struct warp_order order;
	struct profile_unit *profile; /* NULL: nothing is counted */
	struct check_block *check;    /* NULL: nothing is checked */
	struct weak_unit *weak[2];    /* in CU mode the second is NULL; NULL: strongly ordered */
	struct wave *waves;
	row *rows;
};

/* Records the first fault of the launch. lane: LANES means the whole wave. address: the accessed
 * address, if any. */
__attribute__((format(printf, 5, 6))) void amd_wave_fault(struct wave *w, uint32_t lane,
							  enum model_fault fault, uint64_t address,
							  const char *format, ...);

/* operand.c */
uint32_t amd_read_scalar(const struct wave *w, const struct op *op, enum amd_slot slot,
			 uint32_t word);
uint64_t amd_read_scalar64(const struct wave *w, const struct op *op, enum amd_slot slot);
void amd_write_scalar(struct wave *w, uint32_t reg, uint32_t value);
void amd_write_scalar64(struct wave *w, uint32_t reg, uint64_t value);
run_fn amd_run_vector, amd_run_compare;

/* float_modes.c: arithmetic where MODE is not AMD_FLOAT_MODE_DEFAULT. */
bool amd_mode_is_known(uint32_t mode);
bool amd_mode_flushes(const struct wave *w, const struct op *op, uint32_t source);
void amd_mode_flush(row *r, uint8_t type);
void amd_mode_run(struct wave *w, const struct op *op, struct operands *o);

/* code_cache.c: decoded instructions, shared by all threads. */
#define PAGE_WORDS (MMU_PAGE_BYTES / 4)
struct code_page {
	uint64_t va;
	struct code_page *next;
	_Atomic(struct op *) ops[PAGE_WORDS];
};

struct code *amd_code_create(const struct model *m);
struct code *amd_code_get(struct code *c);
void amd_code_put(struct code *c);
/* Returns the page of that address; NULL: out of host memory. */
struct code_page *amd_code_page(struct code *c, uint64_t va);
/* Decodes the instruction at the wave's pc. Returns NULL and *why if the words are invalid. */
const struct op *amd_code_decode(struct wave *w, struct code_page *p, const char **why);

/* handler.data of loads and stores: bytes in memory, sign extension, the half of a register. */
enum { MEM_BYTES = 31, MEM_SIGNED = 32, MEM_LOW = 64, MEM_HIGH = 128 };

static inline void put_loaded(row *d, uint32_t lane, uint32_t kind, uint32_t data[4])
{
	uint32_t bytes = kind & MEM_BYTES, x = data[0];

	if (kind & MEM_SIGNED)
		x = bytes == 1 ? (uint32_t)(int8_t)x : (uint32_t)(int16_t)x;
	if (kind & MEM_LOW)
		x = (d[0][lane] & 0xffff0000) | (x & 0xffff);
	if (kind & MEM_HIGH)
		x = (d[0][lane] & 0xffff) | x << 16;
	data[0] = x;
	for (uint32_t k = 0; k < (bytes + 3) / 4; k++)
		d[k][lane] = data[k];
}

static inline void get_stored(const row *s, uint32_t lane, uint32_t kind, uint32_t data[4])
{
	for (uint32_t k = 0; k < ((kind & MEM_BYTES) + 3) / 4; k++)
		data[k] = s[k][lane];
	if (kind & MEM_HIGH)
		data[0] >>= 16;
}

static inline float float_of(uint32_t x)
{
	float f;

	memcpy(&f, &x, 4);
	return f;
}

static inline uint32_t bits_of(float f)
{
	uint32_t x;

	memcpy(&x, &f, 4);
	return x;
}

/* memory_access.c: any number of bytes at any address. On failure *fault is the first unmapped
 * address. The path is that of weak memory mode; private memory and code are strongly ordered. */
enum amd_path {
	AMD_CACHED = WEAK_CACHED,
	AMD_GLC = WEAK_SHARED,
	AMD_GLC_DLC = WEAK_STRONG,
	AMD_SCALAR = WEAK_SCALAR,
	AMD_ORDERED,
};
enum mmu_result amd_memory_read(struct wave *w, uint64_t va, void *to, uint32_t bytes,
				enum amd_path path, uint64_t *fault);
enum mmu_result amd_memory_write(struct wave *w, uint64_t va, const void *from, uint32_t bytes,
				 enum amd_path path, uint64_t *fault);
/* Host address of bytes that do not cross a page. */
static inline uint8_t *amd_host_address(struct wave *w, uint64_t va, uint32_t bytes,
					uint32_t access, enum mmu_result *why)
{
	const struct amd_memory *m = w->grid->memory;

	if (!m)
		return mmu_translate(w->reader, va, access, why);
	*why = MMU_UNMAPPED;
	return m->at(m->context, va, bytes, access != MODEL_READ);
}
/* A lane's private memory: words of all lanes are interleaved. */
static inline uint64_t private_address(uint64_t base, uint32_t lane, uint32_t offset)
{
	return base + (uint64_t)(offset / 4) * 4 * LANES + lane * 4 + offset % 4;
}

/* Atomic operations on memory and LDS (atomic.c): computes the value to store. */
enum atomic {
	ATOMIC_SWAP,
	ATOMIC_CMPSWAP,
	ATOMIC_ADD,
	ATOMIC_SUB,
	ATOMIC_RSUB,
	ATOMIC_SMIN,
	ATOMIC_UMIN,
	ATOMIC_SMAX,
	ATOMIC_UMAX,
	ATOMIC_AND,
	ATOMIC_OR,
	ATOMIC_XOR,
	ATOMIC_INC,
	ATOMIC_DEC,
	ATOMIC_FADD,
	ATOMIC_FMIN,
	ATOMIC_FMAX,
	ATOMIC_CSUB,
};
uint64_t amd_atomic_result(enum atomic a, uint32_t bytes, uint64_t old, uint64_t data,
			   uint64_t compare);

/* approximate.c: the result for the operand x whose exact result is given, with an error. */
float amd_approximate_f32(const struct op *op, float x, double exact);
float amd_approximate_angle(const struct op *op, float x, double exact); /* sine and cosine */
float amd_approximate_f16(const struct op *op, float x, double exact);   /* not yet rounded */
double amd_approximate_f64(const struct op *op, double x, double exact);
float amd_flush_f32(float x); /* subnormals are zero */

/* hazard.c */
struct hazard *amd_hazard_create(void);
void amd_hazard_reset(struct hazard *h);
/* Checks an instruction before it executes. Returns false if the wave has failed. */
bool amd_hazard_check(struct wave *w, const struct op *op);
/* Sequence number of the counter's last operation. */
uint64_t amd_hazard_issued(const struct wave *w, uint32_t counter);

/* lines.c: lines that a dispatch leaves in caches for later ones. */
bool amd_lines_begin(struct amd_grid *g); /* false: out of host memory */
uint32_t amd_lines_unit(struct amd_lines *l);
/* True if the load hits a line of an earlier dispatch, whose bytes it then has. Otherwise the line
 * of memory at host becomes part of the cache. */
bool amd_lines_load(const struct wave *w, enum amd_path path, uint64_t va, const uint8_t *host,
		    void *out, uint32_t bytes);
/* The wave stores to these bytes, or changes them by an atomic. */
void amd_lines_store(const struct wave *w, uint64_t va, uint32_t bytes);
/* By an instruction of the wave. */
void amd_lines_invalidate_vector(const struct wave *w);
void amd_lines_invalidate_scalar(const struct wave *w);

/* trap.c: the wave enters the trap handler of its address space, at next, if there is one. */
void amd_trap_enter(struct wave *w, uint32_t id);
/* Returns whether it does. */
bool amd_trap_enter_fault(struct wave *w, const struct model_error *e);
/* The handler ends or is left: reports the fault for which it was entered, if any. */
void amd_trap_leave(struct wave *w);
uint32_t amd_trap_status(const struct wave *w);

/* release.c: visibility of stores between waves. One per grid; NULL: out of host memory. */
struct release *amd_release_create(void);
void amd_release_destroy(struct release *r);
/* The wave wrote memory with the operation that last incremented the counter; waited for the
 * counter; reads memory (false: the store is not visible to it). */
void amd_release_wrote(struct wave *w, uint64_t va, uint32_t bytes, uint32_t counter);
void amd_release_waited(struct wave *w, uint32_t counter, uint64_t done);
bool amd_release_read(struct wave *w, uint32_t lane, uint64_t va, uint32_t bytes);

#endif
