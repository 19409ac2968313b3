/* SPDX-License-Identifier: MIT */
/*
 * A target: the machine properties that the common passes may depend on, and the back end that
 * compiles finished IR to a loadable image. target.c has one table row per target. The test target
 * "dummy" has no back end and shows that no common pass depends on a vendor.
 */
#ifndef SOV_COMPILER_TARGET_H
#define SOV_COMPILER_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct compile_image;
struct compile_job;
struct ir_module;

/* Operations that a target lacks: the pass `legalise` expands them, others avoid them. */
enum {
	TARGET_FLOAT_DIVIDE = 1 << 0,     /* fdiv, frcp, fsqrt */
	TARGET_SUBNORMAL_APPROX = 1 << 1, /* f32 approx without ftz */
	TARGET_INT_DIVIDE = 1 << 2,       /* division by constants, and in 64 bits */
	TARGET_CVT_TO_BF16 = 1 << 3,      /* except from f32 and from integers of at most 16 bits */
	TARGET_PRESERVING_CALLS = 1 << 4, /* calls that preserve all registers, for slow paths */
	TARGET_SYNC_IN_CALLEES = 1 << 5,  /* warp syncs in functions called from divergent code */
	TARGET_INT32_DIVIDE = 1 << 6,     /* division of up to 32 bits by a variable */
};

/* The parts of a module that an image contains. */
enum image_content { IMAGE_WHOLE, IMAGE_HEAD, IMAGE_UNIT };

/* A file to be linked with others. */
struct link_input {
	const char *name; /* for messages */
	const void *data;
	size_t bytes;
};

/* A back end compiles units of finished IR to machine code and links code to images. All functions
 * report errors in job->diag. */
struct backend {
	/* Collects, in job->arena, the facts that the code of every unit depends on. unit_of maps
	 * functions to units; NULL: there is one unit. Returns NULL on errors. */
	void *(*plan)(struct compile_job *job, const struct ir_module *m, const uint32_t *unit_of);
	/* Compiles the kernels of a unit. The code is in keep, which outlives job->arena. Returns
	 * NULL on errors. */
	void *(*generate)(struct compile_job *job, const void *plan, struct ir_module *unit,
			  struct arena *keep);
	/* Links the code of these units to an image in job->arena. */
	void (*link)(struct compile_job *job, const void *plan, void *const *code, uint32_t units,
		     enum image_content content, struct compile_image *out);
	/* Links relocatable objects to an image, which the caller frees. NULL: message holds one
	 * sentence. A back end without this function has no relocatable objects. */
	uint8_t *(*link_objects)(const struct link_input *objects, uint32_t count, size_t *bytes,
				 char *message, size_t message_size);
};

struct target {
	const char *name;   /* "sm_90" */
	const char *family; /* "nv", "amd", "dummy" */
	uint32_t version;   /* within the family: 90 */
	uint32_t warp_lanes;
	int32_t offset_min, offset_max; /* immediate byte offsets of memory instructions */
	uint32_t lacks;                 /* TARGET_* */
	bool native_rn_divide;          /* despite TARGET_FLOAT_DIVIDE: round to nearest, no ftz */
	bool element_aligned_vectors;   /* global vectors need only their elements' alignment */
	bool narrow_constants;          /* constants have 32-bit addresses, as shared memory has */
	bool reserves_shared;           /* has the special registers IR_RESERVED_SMEM… */
	/* The f32 approximations of reciprocal and root are so good that one step corrects each of
	 * them to the nearest number, and there is an fchk. */
	bool corrects_f32_in_one_step;
	bool rounding_is_a_mode;     /* not a field of instructions: changing it costs time */
	bool reads_conditions_early; /* a branch hardly waits for a comparison before it */
	bool hides_load_latency;     /* other waves run during a loop's loads: do not unroll */
	/* The address that the alignment of parameters counts from is this far before the first of
	 * them, or the other number if they have more bytes than small_params. */
	uint32_t params_at, small_params, large_params_at;
	uint32_t max_threads, max_shared_bytes; /* of one block */
	bool clusters;                          /* blocks can be in clusters */
	bool cache_policies;                    /* accesses can have policies for L2 */
	bool moves_registers;                   /* warps of a block can give registers to others */
	bool calls_for_textures; /* has no instructions for them that are used: library/ */
	uint32_t sampler_shift;  /* in a handle: of the sampler's number, above the texture's */
	const struct backend *backend; /* NULL: compilation ends at the IR */
};

/* Returns NULL for an unknown name. */
const struct target *target_find(const char *name);
/* Enumerates the targets; returns NULL past the end. */
const struct target *target_at(uint32_t index);

#endif
