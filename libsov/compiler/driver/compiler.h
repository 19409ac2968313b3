/* SPDX-License-Identifier: MIT */
/*
 * Interface of the compiler: source text in, loadable image out. It is reentrant: a compilation
 * owns all of its memory, so any number of threads can compile concurrently. The compiler knows
 * nothing about devices.
 *
 * compile() compiles a whole module. To compile one kernel at a time, compilation_open() parses and
 * checks the text and assigns variable addresses; compilation_unit() then compiles single units
 * (unit.h), each to an image.
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
	const char *target; /* "sm_80", "sm_86", "sm_89", "sm_90", "gfx1030", "dummy" */
	bool unoptimised;   /* -O0: mandatory passes only; separates optimiser bugs from others */
	/* every instruction waits for all earlier ones; separates scheduling bugs from others */
	bool serial;
	bool spill; /* few registers: exercises the spiller */
	/* exports the device services (device_services.h) that the module defines as entries of the
	 * image */
	bool library;
	/* no uniform registers: separates their bugs from others and shows their benefit */
	bool no_uniform;
	bool keep_calls; /* no inlining: separates bugs in calls from others */
	/* print the IR or machine code after this pass; "all": after each */
	const char *print_pass;
	FILE *print_to;
	bool stats;
	/* run the verifier after every pass (builds with SOV_VERIFY always do) */
	bool verify;
	size_t memory_limit; /* limit in bytes for each thread of a compilation; 0: 1 GiB */
	/* Threads that compile a module's units; 0: one per processor. The image does not depend on
	 * it. Printing uses one thread. */
	uint32_t threads;
};

struct kernel_stats {
	const char *name;
	uint32_t instructions;
	uint32_t registers;        /* per thread: NVIDIA's registers, AMD's VGPRs */
	uint32_t predicates;       /* NVIDIA */
	uint32_t scalar_registers; /* AMD: SGPRs */
	uint32_t shared_bytes, stack_bytes, code_bytes;
	uint32_t static_cycles; /* NVIDIA: sum of the stall counts */
};

/* State of one thread of a compilation: of the whole module or of one unit. Back ends receive
 * it. */
struct compile_job {
	struct arena arena;
	struct diag diag;
	struct compile_options options;
	const struct target *target;
};

/* Output of a back end, in an arena. */
struct compile_image {
	uint8_t *data;
	size_t size;
	struct kernel_stats *stats;
	uint32_t nstats;
};
bool compile_verifies(const struct compile_job *job); /* verify option or SOV_VERIFY build */

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
/* Returns NULL on failure, with the reason in r->messages. The caller may free the text
 * afterwards. */
struct compilation *compilation_open(const char *text, size_t length,
				     const struct compile_options *o, struct compile_result *r);
uint32_t compilation_kernels(const struct compilation *c);
uint32_t compilation_units(const struct compilation *c);
/* Compiles all units. Call it at most once, and not concurrently with compilation_unit(). */
bool compilation_all(struct compilation *c, struct compile_result *r);
/* The head: all variables, and the kernel names with their unit numbers; no code. */
bool compilation_head(struct compilation *c, struct compile_result *r);
/* The kernels of one unit. Variables have the addresses of the head but no initial bytes. Different
 * threads may compile different units concurrently, each unit at most once. */
bool compilation_unit(struct compilation *c, uint32_t unit, struct compile_result *r);
void compilation_close(struct compilation *c); /* NULL is a no-op */
void compile_result_free(struct compile_result *r);

#endif
