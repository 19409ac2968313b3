/* SPDX-License-Identifier: MIT */
/*
 * The compiler's door: source text in, loadable image out. Reentrant: a compilation owns all of its
 * memory, and any number of threads compile at once. It knows nothing of devices.
 *
 * All at once is compile(). Who wants a kernel at a time opens a compilation, which reads and checks the
 * text and gives variables their places, and asks it for units (unit.h), each an image of its own.
 */
#ifndef SOV_COMPILER_COMPILER_H
#define SOV_COMPILER_COMPILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "libsov/compiler/base/arena.h"
#include "libsov/compiler/base/diag.h"
#include "libsov/compiler/base/target.h"

enum compile_source { COMPILE_PTX, COMPILE_IR };

struct compile_options {
	enum compile_source source;
	const char *target; /* "sm_80", "sm_86", "sm_89", "sm_90", "dummy" */
	bool unoptimised; /* -O0: no pass that only makes code better: splits faults of these from others */
	bool serial; /* every instruction waits for everything: splits scheduling faults from code faults */
	bool spill;   /* few registers: exercises spilling */
	bool library; /* services (services.h) that are defined are entries of the image */
	bool no_uniform; /* no uniform registers: splits faults of these from others, and shows what they bring */
	bool keep_calls;        /* no call is inlined: splits faults of calls from faults of code */
	const char *print_pass; /* print the IR (or machine code) after this pass; "all" for each */
	FILE *print_to;
	bool stats;
	bool verify;         /* check the IR after every pass (builds with SOV_VERIFY always do) */
	size_t memory_limit; /* bytes that each thread of a compilation may take; 0 = 1 GiB */
	/* How many threads compile a module's units; 0: as many as there are processors. The image does
	 * not depend on it. Printing takes one. */
	uint32_t threads;
};

struct kernel_stats {
	const char *name;
	uint32_t instructions;
	uint32_t registers;        /* of a thread: NVIDIA's registers, AMD's VGPRs */
	uint32_t predicates;       /* NVIDIA */
	uint32_t scalar_registers; /* AMD: SGPRs */
	uint32_t shared_bytes, stack_bytes, code_bytes;
	uint32_t static_cycles; /* NVIDIA: sum of the stall counts */
};

/* State of one thread's work on a compilation: the module as a whole, or a unit. Back ends see it. */
struct compile_job {
	struct arena arena;
	struct diag diag;
	struct compile_options options;
	const struct target *target;
};

/* What a back end makes, in an arena. */
struct compile_image {
	uint8_t *data;
	size_t size;
	struct kernel_stats *stats;
	uint32_t nstats;
};
bool compile_verifies(const struct compile_job *job); /* asked for, or built with SOV_VERIFY */

struct compile_result {
	uint8_t *image; /* malloc; NULL on failure */
	size_t image_size;
	char *messages;             /* malloc; one per line, "" when there are none */
	struct kernel_stats *stats; /* malloc; names point into the block */
	uint32_t nstats;
};

bool compile(const char *text, size_t length, const struct compile_options *o,
	     struct compile_result *r);

struct compilation;
/* NULL: r->messages says why. The text may go when this returns. */
struct compilation *compilation_open(const char *text, size_t length,
				     const struct compile_options *o, struct compile_result *r);
uint32_t compilation_kernels(const struct compilation *c);
uint32_t compilation_units(const struct compilation *c);
/* All of it. Like the others, once for each unit; not while others compile it. */
bool compilation_all(struct compilation *c, struct compile_result *r);
/* The variables, and the names of kernels with the number of their unit; no code. */
bool compilation_head(struct compilation *c, struct compile_result *r);
/* The kernels of a unit; variables are where they are in the head, without their first bytes. Several
 * threads may ask for several units. */
bool compilation_unit(struct compilation *c, uint32_t unit, struct compile_result *r);
void compilation_close(struct compilation *c); /* NULL: nothing */
void compile_result_free(struct compile_result *r);

#endif
