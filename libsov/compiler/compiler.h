/* SPDX-License-Identifier: MIT */
/*
 * The compiler's door: source text in, loadable image out. Reentrant: a compilation owns all of its
 * memory, and any number of threads compile at once. It knows nothing of devices.
 */
#ifndef SOV_COMPILER_COMPILER_H
#define SOV_COMPILER_COMPILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "libsov/compiler/arena.h"
#include "libsov/compiler/diag.h"
#include "libsov/compiler/target.h"

enum compile_source { COMPILE_PTX, COMPILE_IR };

struct compile_options {
	enum compile_source source;
	const char *target;     /* "sm_80", "sm_86", "sm_89", "sm_90", "dummy" */
	bool unoptimised;       /* -O0: no pass that only makes code better: splits faults of these from others */
	bool serial;            /* every instruction waits for everything: splits scheduling faults from code faults */
	bool spill;             /* few registers: exercises spilling */
	bool library;           /* services (services.h) that are defined are entries of the image */
	bool no_uniform;        /* no uniform registers: splits faults of these from others, and shows what they bring */
	bool keep_calls;        /* no call is inlined: splits faults of calls from faults of code */
	const char *print_pass; /* print the IR (or machine code) after this pass; "all" for each */
	FILE *print_to;
	bool stats;
	bool verify;            /* check the IR after every pass (builds with SOV_VERIFY always do) */
	size_t memory_limit;    /* bytes that one compilation may take; 0 = 1 GiB */
};

struct kernel_stats {
	const char *name;
	uint32_t instructions, registers, predicates, shared_bytes, stack_bytes, code_bytes,
		static_cycles;
};

/* State of one compilation; back ends see it. */
struct compile_job {
	struct arena arena;
	struct diag diag;
	struct compile_options options;
	const struct target *target;
	uint8_t *image; /* in the arena */
	size_t image_size;
	struct kernel_stats *stats;
	uint32_t nstats;
};
bool compile_verifies(const struct compile_job *job); /* asked for, or built with SOV_VERIFY */

struct compile_result {
	uint8_t *image; /* malloc; NULL on failure */
	size_t image_size;
	char *messages; /* malloc; one per line, "" when there are none */
	struct kernel_stats *stats; /* malloc; names point into the block */
	uint32_t nstats;
};

bool compile(const char *text, size_t length, const struct compile_options *o, struct compile_result *r);
void compile_result_free(struct compile_result *r);

#endif
