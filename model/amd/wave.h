/* SPDX-License-Identifier: MIT */
/*
 * The executor. A wave is 32 lanes whose vector registers are rows, v[register][lane], so that an
 * operation is a loop over lanes that compilers vectorise. Scalar registers lie at the numbers that
 * operands give them. A core computes an operation for all lanes; amd_run_vector fetches its
 * operands with their modifiers, calls it and keeps what the lanes of EXEC may keep.
 */
#ifndef MODEL_AMD_WAVE_H
#define MODEL_AMD_WAVE_H

#include <string.h>
#include "libsov/isa/amd/row.h"
#include "model/amd/amd.h"

#define LANES     32u
#define ALL_LANES 0xffffffffu

#if defined(__clang__)
#define EACH_LANE(i) \
	_Pragma("clang loop vectorize(assume_safety)") for (uint32_t i = 0; i < LANES; i++)
#else
#define EACH_LANE(i) _Pragma("GCC ivdep") for (uint32_t i = 0; i < LANES; i++)
#endif
/* Lanes that are on, one after the other. */
#define EACH_ACTIVE(i, exec) \
	for (uint32_t i = 0, left_ = (exec); left_; left_ &= left_ - 1) \
		if ((i = (uint32_t)__builtin_ctz(left_)), 1)

typedef uint32_t row[LANES];

struct op;
struct wave;

struct operands {
	row *d;          /* words of the destination; holds its old value */
	const row *s[3]; /* words of the sources */
	uint32_t carry;  /* lane mask: in from the third source, out to the second result */
	uint32_t mask;   /* lane mask: a comparison's result */
	uint32_t exec;
};
typedef void core_fn(const struct op *op, struct operands *o);
typedef void run_fn(struct wave *w, const struct op *op);

/* What an instruction does; exec_*.c have tables of these. */
struct handler {
	uint16_t op; /* enum amd_op */
	run_fn *run;
	core_fn *core;
	uint8_t data; /* what the core wants to know beside its name */
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
	uint8_t uses_count;
	struct amd_use uses[AMD_MAX_USES];
};

enum state { RUNS, WAITS, ENDED };

/* Hardware registers that s_getreg and s_setreg reach. */
enum { HWREG_MODE = 1, HWREG_FLAT_SCR_LO = 20, HWREG_FLAT_SCR_HI = 21, HWREG_SHADER_CYCLES = 29 };

struct hazard; /* hazard.c */

struct wave {
	struct group *group;
	const struct amd_launch *launch;
	row *v;
	uint32_t vgprs;
	uint32_t s[128];
	bool scc;
	uint64_t pc, next;      /* of this instruction and the one after it */
	uint64_t steps;
	uint64_t flat_scratch;
	uint32_t mode;
	uint32_t index;
	uint8_t state;
	struct hazard *hazard;
};

struct group {
	const struct amd_launch *launch;
	uint32_t id[3];
	uint8_t *lds;
	uint32_t waves_count, waiting;
	struct wave *waves;
	struct code *code;
	char *message;
	size_t size;
	bool failed;
};

/* The first complaint of a launch stands. lane may be LANES: it is about the wave. */
__attribute__((format(printf, 3, 4))) void amd_wave_fault(struct wave *w, uint32_t lane,
						      const char *format, ...);

/* operand.c */
uint32_t amd_read_scalar(const struct wave *w, const struct op *op, enum amd_slot slot,
			 uint32_t word);
uint64_t amd_read_scalar64(const struct wave *w, const struct op *op, enum amd_slot slot);
void amd_write_scalar(struct wave *w, uint32_t reg, uint32_t value);
void amd_write_scalar64(struct wave *w, uint32_t reg, uint64_t value);
run_fn amd_run_vector, amd_run_compare;

/* code.c: instructions, decoded once. */
struct code *amd_code_create(const struct amd_memory *memory);
void amd_code_destroy(struct code *c);
/* NULL: *why says what is wrong with the words at pc. */
const struct op *amd_code_at(struct code *c, uint64_t pc, const char **why);

/* handler.data of loads and stores: bytes of memory, signed, the half of a register that it is about. */
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

/* memory.c: any number of bytes at any address. false: not mapped. */
bool amd_memory_read(const struct amd_memory *m, uint64_t va, void *to, uint32_t bytes);
bool amd_memory_write(const struct amd_memory *m, uint64_t va, const void *from, uint32_t bytes);
/* Where LDS and scratch lie among flat addresses. */
#define SHARED_APERTURE  0x0001000000000000ull
#define PRIVATE_APERTURE 0x0002000000000000ull
/* A lane's private memory: words of all lanes lie side by side. */
static inline uint64_t private_address(uint64_t base, uint32_t lane, uint32_t offset)
{
	return base + (uint64_t)(offset / 4) * 4 * LANES + lane * 4 + offset % 4;
}

/* Atomic operations, for memory and LDS alike (atomic.c). Returns what is to be stored. */
enum atomic {
	ATOMIC_SWAP, ATOMIC_CMPSWAP, ATOMIC_ADD, ATOMIC_SUB, ATOMIC_RSUB, ATOMIC_SMIN, ATOMIC_UMIN,
	ATOMIC_SMAX, ATOMIC_UMAX, ATOMIC_AND, ATOMIC_OR, ATOMIC_XOR, ATOMIC_INC, ATOMIC_DEC,
	ATOMIC_FADD, ATOMIC_FMIN, ATOMIC_FMAX, ATOMIC_CSUB,
};
uint64_t amd_atomic_result(enum atomic a, uint32_t bytes, uint64_t old, uint64_t data,
			   uint64_t compare);

/* hazard.c */
struct hazard *amd_hazard_create(void);
/* Checks an instruction before it runs. false: the wave has failed. */
bool amd_hazard_check(struct wave *w, const struct op *op);

#endif
