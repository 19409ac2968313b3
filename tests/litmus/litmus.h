/* SPDX-License-Identifier: MIT */
/*
 * Litmus tests of PTX's memory model: their notation, which outcomes are legal, the kernels that
 * run them, and the GPUs they run on. README.md explains the parts.
 */
#ifndef TESTS_LITMUS_LITMUS_H
#define TESTS_LITMUS_LITMUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LITMUS_THREADS     4
#define LITMUS_OPS         12 /* of one thread */
#define LITMUS_VARS        4  /* x y z w */
#define LITMUS_REGISTERS   8  /* of all threads */
#define LITMUS_OBSERVABLES 8  /* registers and final values */
#define LITMUS_BITS        2  /* of an observed value; larger values count as 3 */
#define LITMUS_VALUES      (1 << LITMUS_BITS)
#define LITMUS_NO_VAR      UINT8_MAX /* padding in a vector */
#define LITMUS_PADDING     LITMUS_NO_VAR

/* ---- programs (program.c) ---- */

enum litmus_kind {
	LITMUS_LOAD,
	LITMUS_STORE,
	LITMUS_ATOM,
	LITMUS_RED, /* an atom without result */
	LITMUS_FENCE,
	LITMUS_BARRIER /* bar.sync of the block's threads of the test */
};

enum litmus_order {
	LITMUS_WEAK,
	LITMUS_VOLATILE, /* relaxed.sys, by the manual */
	LITMUS_RELAXED,
	LITMUS_ACQUIRE,
	LITMUS_RELEASE,
	LITMUS_ACQ_REL,
	LITMUS_SC /* of fences alone */
};

enum litmus_scope { LITMUS_CTA, LITMUS_CLUSTER, LITMUS_GPU, LITMUS_SYS };
enum litmus_rmw { LITMUS_EXCH, LITMUS_ADD, LITMUS_CAS };

struct litmus_op {
	uint8_t kind, order, scope, rmw;
	bool is_membar;         /* a fence that is spelled membar */
	bool value_is_register; /* value is the number of a register of the thread */
	uint8_t width;          /* elements of a vector access; 1: a scalar */
	uint8_t var[4];
	uint8_t reg; /* first result: number of a register of the thread */
	int value, compare;
};

struct litmus_program {
	uint32_t threads, vars;
	uint32_t op_count[LITMUS_THREADS], register_count[LITMUS_THREADS];
	uint32_t first_register[LITMUS_THREADS]; /* in the list of all observables */
	struct litmus_op ops[LITMUS_THREADS][LITMUS_OPS];
	/* Variables of one vector share a line. */
	uint8_t line[LITMUS_VARS], element[LITMUS_VARS];
	uint32_t registers, finals, observables;
	uint8_t final_var[LITMUS_VARS]; /* whose final value is observed */
};

/*
 * Parses the notation: operations in PTX's words, ";" between the operations of a thread, "|"
 * between threads, "||" before the variables whose final values are observed:
 *
 *   st.weak x 1; st.release.gpu y 1 | ld.acquire.gpu y; ld.weak x || x
 *
 * Loads and atoms write r0, r1, ... of their thread. An error message goes to error, of 256 bytes.
 */
bool litmus_parse(const char *text, struct litmus_program *p, char *error);

/* An outcome is a number: LITMUS_BITS per observable, registers first. */
#define LITMUS_OUTCOMES(p) ((uint32_t)1 << LITMUS_BITS * (p)->observables)
static inline uint32_t litmus_observed(uint32_t outcome, uint32_t k)
{
	return outcome >> LITMUS_BITS * k & (LITMUS_VALUES - 1);
}
/* "1:r0=1 1:r1=0 x=2" */
const char *litmus_outcome_text(const struct litmus_program *p, uint32_t outcome, char text[128]);
/* Parses a part of such a text into a mask and a value; false: it names an unknown observable. */
bool litmus_condition(const struct litmus_program *p, const char *text, uint32_t *mask,
		      uint32_t *value);

/* ---- which outcomes are legal (ptx_model.c) and which are sequentially consistent ---- */

/* Threads in the same block have the same number; blocks are clusters of their own. */
typedef uint8_t litmus_blocks[LITMUS_THREADS];

/* Sets legal[outcome] for every outcome of an execution that satisfies PTX's axioms. */
void litmus_legal(const struct litmus_program *p, const litmus_blocks blocks, uint8_t *legal);
/* Sets consistent[outcome] for every outcome of an interleaving. */
void litmus_interleavings(const struct litmus_program *p, uint8_t *consistent);

/* Verdicts that others have published (verdicts.c). */
struct litmus_verdict {
	const char *name, *source;
	const char *program, *blocks; /* blocks: a digit per thread */
	const char *condition;        /* a part of an outcome */
	bool allowed;
};
extern const struct litmus_verdict litmus_verdicts[];
extern const uint32_t litmus_verdict_count;

/* ---- the table of tests (table.c) ---- */

enum litmus_placement { LITMUS_SAME_WARP, LITMUS_SAME_BLOCK, LITMUS_BLOCKS, LITMUS_SPLIT };
enum litmus_space {
	LITMUS_GLOBAL,
	LITMUS_SHARED,
	LITMUS_GENERIC_GLOBAL,
	LITMUS_GENERIC_SHARED,
	LITMUS_MIXED /* x is global, the others are shared */
};

struct litmus_test {
	char name[64];
	char text[512];
	uint8_t placement, space;
	bool important; /* runs a million times at least on hardware */
	struct litmus_program program;
	litmus_blocks blocks;
};

/* All tests, in an array that the caller frees. */
struct litmus_test *litmus_tests(uint32_t *count);

/* ---- kernels (kernel.c) ---- */

#define LITMUS_LANES 64u /* instances of a test per block */

/* Parameters of both kernels, in order. */
struct litmus_launch {
	uint64_t vars, regs, scratch, histogram;
	uint32_t pitch;     /* bytes from instance to instance, a multiple of 16 */
	uint32_t var_pitch; /* bytes from variable to variable */
	uint32_t pairs;     /* sets of blocks that run tests; further blocks are stress */
	uint32_t seed;
	uint32_t delay;      /* mask of random iterations before a thread begins */
	uint32_t stress;     /* accesses of a stress thread */
	uint32_t polls;      /* how often a thread reads its first variable while it is 0 */
	uint32_t touch;      /* 1: threads first load what they read weakly, to have it in L1 */
	uint32_t rendezvous; /* how often a block polls for its partners before it begins */
	uint32_t shift;      /* rotation of instances between partner blocks */
};
#define LITMUS_PARAMETERS 14

/* Bytes of scratch: a counter per pair, then the lines that stress threads use. */
#define LITMUS_MAX_PAIRS     4096u
#define LITMUS_STRESS_BYTES  (1u << 20)
#define LITMUS_SCRATCH_BYTES (4 * LITMUS_MAX_PAIRS + LITMUS_STRESS_BYTES + 256)

/* PTX with the kernels "litmus" and "collect"; the caller frees it. */
char *litmus_ptx(const struct litmus_test *t);
uint32_t litmus_groups(const struct litmus_test *t);        /* blocks of one set */
uint32_t litmus_block_threads(const struct litmus_test *t); /* threads of a block */

/* ---- GPUs (gpu_sov.c, gpu_cuda.c) ---- */

enum { LITMUS_KERNEL, LITMUS_COLLECT };

/* Each function ends the program with status 2 and a message if it fails. */
struct litmus_gpu {
	const char *name;
	/* Returns the name of the device; NULL: the first. */
	const char *(*open)(const char *device, bool *is_software);
	uint64_t (*alloc)(size_t bytes);
	/* false: the compiler rejects it, with its message. */
	bool (*load)(const char *ptx, char *message, size_t bytes);
	void (*unload)(void);
	void (*fill)(uint64_t address, uint32_t word, size_t words);
	void (*launch)(int kernel, uint32_t grid, uint32_t block, const struct litmus_launch *l);
	void (*read)(void *to, uint64_t from, size_t bytes); /* waits */
};
extern const struct litmus_gpu litmus_gpu_sov, litmus_gpu_cuda;

#endif
