/* SPDX-License-Identifier: MIT */
/*
 * A target: what the common passes may know of a machine, and the function that turns finished IR
 * into a loadable image. One table row per target (target.c); the test target "dummy" ends at the
 * IR and shows that no common pass depends on a vendor.
 */
#ifndef SOV_COMPILER_TARGET_H
#define SOV_COMPILER_TARGET_H

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct compile_image;
struct compile_job;
struct ir_module;

/* What machines lack, and legalising makes up for. */
enum {
	TARGET_FLOAT_DIVIDE = 1 << 0,           /* fdiv, frcp, fsqrt */
	TARGET_SUBNORMAL_APPROX = 1 << 1, /* approx of f32 without ftz */
	TARGET_INT_DIVIDE = 1 << 2,            /* integers by constants, and of 64 bits */
	TARGET_CVT_TO_BF16 = 1 << 3,     /* conversions to bf16, but from f32 and small integers */
	TARGET_PRESERVING_CALLS = 1 << 4, /* calls that change no register: slow paths are written out */
	TARGET_SYNC_IN_CALLEES =
		1 << 5, /* places in functions that are called where lanes meet that are apart */
};

/* Which parts of a module an image has. */
enum image_content { IMAGE_WHOLE, IMAGE_HEAD, IMAGE_UNIT };

/* A back end: units of finished IR become machine code, and that becomes images. What fails has its
 * errors in job->diag. */
struct backend {
	/* What all units have to know, in job->arena, before there is any code; NULL: errors. unit_of: by
	 * function, or NULL: there is one unit. */
	void *(*plan)(struct compile_job *job, const struct ir_module *m, const uint32_t *unit_of);
	/* The code of a unit's kernels; in keep, which outlives job->arena. NULL: errors. */
	void *(*generate)(struct compile_job *job, const void *plan, struct ir_module *unit,
			  struct arena *keep);
	/* An image with the code of these units, in job->arena. */
	void (*link)(struct compile_job *job, const void *plan, void *const *code, uint32_t units,
		     enum image_content content, struct compile_image *out);
};

struct target {
	const char *name;   /* "sm_90" */
	const char *family; /* "nv", "amd", "dummy" */
	uint32_t version;   /* within the family: 90 */
	uint32_t warp_lanes;
	int32_t offset_min, offset_max; /* immediate byte offsets of memory instructions */
	uint32_t lacks;
	bool native_rn_divide; /* of those that it lacks it has what is rounded to nearest and not flushed */
	bool element_aligned_vectors; /* of global memory need the alignment of their elements only */
	bool hides_load_latency; /* others of its many waves run while a loop's loads are on their way: no unrolling */
	uint32_t max_threads, max_shared_bytes; /* of one block */
	const struct backend *backend;          /* NULL: the pipeline ends at the IR */
};

const struct target *target_find(const char *name); /* NULL: unknown */
const struct target *target_at(uint32_t index);     /* NULL: past the end */

#endif
