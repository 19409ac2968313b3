/* SPDX-License-Identifier: MIT */
/*
 * A compilation job as front end, passes and back ends see it: its options, its arena and
 * diagnostics, and what a back end returns. driver/compiler.h is the interface of the compiler.
 */
#ifndef SOV_COMPILER_COMPILE_JOB_H
#define SOV_COMPILER_COMPILE_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "libsov/compiler/base/arena.h"
#include "libsov/compiler/base/diag.h"
#include "libsov/compiler/base/spirv_options.h"
#include "libsov/compiler/base/target.h"

/* Data that begins with the magic number of SPIR-V is SPIR-V, whatever the source says. */
enum compile_source { COMPILE_PTX, COMPILE_IR, COMPILE_SPIRV };

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
	bool keep_calls;     /* no inlining: separates bugs in calls from others */
	bool no_contraction; /* never fuse a multiplication and an addition to fma */
	/* addresses of shared memory contain the block's rank even if the source names no
	 * clusters */
	bool clusters;
	bool no_lines; /* leave the source lines out of the image */
	/* a relocatable object for NVIDIA's linker: undefined symbols are allowed, functions have
	 * sections of their own and NVIDIA's calling convention */
	bool relocatable;
	/* Kernel directives: the defaults of kernels that state none themselves, or values for all
	 * kernels if override_directives is set. 0: not stated. */
	uint32_t max_registers, max_threads[3], min_ctas;
	bool override_directives;
	/* Compile only these kernels; NULL ends the list. NULL: all. */
	const char *const *kernels;
	/* print the IR or machine code after this pass; "all": after each */
	const char *print_pass;
	FILE *print_to;
	bool stats;
	/* run the verifier after every pass (builds with SOV_VERIFY always do) */
	bool verify;
	const struct spirv_options *spirv; /* NULL: defaults */
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
	/* NVIDIA: stack frame without callees; bytes that spill code stores and loads; barriers */
	uint32_t frame_bytes, spill_store_bytes, spill_load_bytes, barriers;
	bool function; /* not a kernel; has its own row in relocatable objects only */
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
	struct kernel_stats *stats; /* of the kernels, then of the functions that they call */
	uint32_t nstats, nfunctions;
};

/* Whether IR and machine code are verified after every pass. */
static inline bool compile_verifies(const struct compile_job *job)
{
#ifdef SOV_VERIFY
	(void)job;
	return true;
#else
	return job->options.verify;
#endif
}

#endif
