/* SPDX-License-Identifier: MIT */
/*
 * Where AMD's two halves meet: what generation makes of a unit (unit.h), and the linker makes a code
 * object of. Each kernel and each function that is called is a piece of code for itself; pieces refer to
 * each other and to variables by references, relative to the code that has them: a code object lies
 * anywhere in memory without its code being changed. Kernels start and get their arguments as HSA has it
 * (LLVM's "User Guide for AMDGPU Backend", code object version 5, initial kernel execution state).
 */
#ifndef SOV_COMPILER_AMD_MODULE_H
#define SOV_COMPILER_AMD_MODULE_H

#include <stdbool.h>
#include <stdint.h>
#include "hw/amd/kernel_descriptor.h"
#include "libsov/compiler/compiler.h"
#include "libsov/compiler/ir.h"
#include "libsov/compiler/lines.h"
#include "libsov/compiler/services.h"

/* What a reference puts into the code, with S the target's address, A the addend and P the address of
 * the place itself: a literal after s_getpc_b64 is 4 (s_add_u32) or 12 (s_addc_u32) bytes behind the
 * address that was got, which is what A is for. */
enum amd_reference_kind {
	AMD_REL32_LO, /* bits 31:0 of S + A - P */
	AMD_REL32_HI, /* bits 63:32 of it */
};

enum amd_target {
	AMD_TO_VARIABLE, /* index: of the module's symbols; in global or constant memory */
	AMD_TO_FUNCTION, /* index: of the function in the module's table (ir_func.index) */
	AMD_TO_SERVICE,  /* index: enum service. S is where its address is kept, 64 bits to be loaded */
};

struct amd_reference {
	uint32_t offset; /* of the 32 bits, in the piece's code */
	uint8_t kind;    /* enum amd_reference_kind */
	uint8_t target;  /* enum amd_target */
	uint32_t index;
	int64_t addend;
};

/* Arguments that the runtime adds behind those of the programmer, each at its place from the next multiple
 * of 8 on (abi.c has the table); a kernel says which it reads, and pays for no others. */
enum amd_hidden {
	AMD_HIDDEN_BLOCK_COUNT_X, AMD_HIDDEN_BLOCK_COUNT_Y, AMD_HIDDEN_BLOCK_COUNT_Z,
	AMD_HIDDEN_GROUP_SIZE_X, AMD_HIDDEN_GROUP_SIZE_Y, AMD_HIDDEN_GROUP_SIZE_Z,
	AMD_HIDDEN_REMAINDER_X, AMD_HIDDEN_REMAINDER_Y, AMD_HIDDEN_REMAINDER_Z,
	AMD_HIDDEN_GLOBAL_OFFSET_X, AMD_HIDDEN_GLOBAL_OFFSET_Y, AMD_HIDDEN_GLOBAL_OFFSET_Z,
	AMD_HIDDEN_GRID_DIMS,
	AMD_HIDDEN_PRINTF_BUFFER, AMD_HIDDEN_HOSTCALL_BUFFER, AMD_HIDDEN_MULTIGRID_SYNC_ARG,
	AMD_HIDDEN_HEAP_V1, AMD_HIDDEN_DEFAULT_QUEUE, AMD_HIDDEN_COMPLETION_ACTION,
	AMD_HIDDEN_DYNAMIC_LDS_SIZE,
	AMD_HIDDEN_PRIVATE_BASE, AMD_HIDDEN_SHARED_BASE, AMD_HIDDEN_QUEUE_PTR,
	AMD_HIDDENS,
};
struct amd_hidden_place {
	const char *kind; /* in metadata: "hidden_block_count_x" */
	uint16_t offset, bytes;
};
extern const struct amd_hidden_place amd_hiddens[AMD_HIDDENS];
#define AMD_HIDDEN_BYTES 256 /* of all of them */

/* Where the first of them would be, behind this many bytes of parameters. */
uint32_t amd_hidden_base(uint32_t param_bytes);
/* Bytes of arguments: parameters, and hidden ones up to the last of the mask. */
uint32_t amd_kernarg_bytes(uint32_t param_bytes, uint32_t hidden);

/* What a kernel finds in scalar registers when it starts: pointers that the descriptor asks for by
 * AMD_* of its properties, then ids of the workgroup, then the offset of the wave's scratch. */
struct amd_start {
	uint16_t user;      /* mask of AMD_PRIVATE_SEGMENT_BUFFER … AMD_PRIVATE_SEGMENT_SIZE */
	uint8_t group_ids;  /* mask: x 1, y 2, z 4 */
	uint8_t thread_ids; /* 1 to 3: x, y, z in v0 to v2 */
	bool scratch;       /* offset of the wave's scratch, after the ids */
};
/* First register of one of the user's (a single bit); of the id of an axis; of the offset of scratch. */
uint32_t amd_user_sgpr(const struct amd_start *s, uint32_t bit);
uint32_t amd_group_id_sgpr(const struct amd_start *s, uint32_t axis);
uint32_t amd_scratch_sgpr(const struct amd_start *s);

struct amd_param {
	uint32_t offset, size;
	bool pointer; /* to global memory */
};

/* The code of a kernel, or of a function that kernels call. */
struct amd_piece {
	const char *name;
	uint32_t index; /* ir_func.index: the order of the text */
	bool kernel;
	const uint8_t *code; /* a multiple of 4 bytes */
	uint32_t code_bytes;
	const struct amd_reference *references; /* by offset */
	uint32_t nreferences;
	struct line_table lines;
	/* Of kernels alone, with what they call counted in: */
	uint32_t vgprs, sgprs;   /* used; sgprs without VCC, FLAT_SCRATCH and the like */
	uint32_t lds_bytes;      /* static */
	uint32_t private_bytes;  /* of a lane: frame and spills, and what is called as far as known */
	uint32_t sgpr_spills, vgpr_spills; /* for metadata */
	bool calls;              /* through pointers or in circles: nobody knows how much stack */
	bool vcc;
	uint8_t float_mode;      /* rsrc1 19:12: AMD_FLOAT_MODE_DEFAULT unless it wants another */
	bool ieee, dx10_clamp;   /* bits of the mode register at the start */
	bool cu_mode;            /* a workgroup on one compute unit, whose L0 is then all its waves' */
	struct amd_start start;
	uint32_t hidden;         /* mask by enum amd_hidden: those that it reads */
	const struct amd_param *params;
	uint32_t nparams, param_bytes; /* up to the last one's end */
	uint32_t max_threads, required_threads[3]; /* 0: not stated */
	uint32_t services;       /* that it calls: a mask */
	struct kernel_stats stats;
};

/* What generate() returns, in the arena that lasts. */
struct amd_code {
	struct amd_piece *pieces;
	uint32_t npieces;
};

/* ---- the plan: what all units know ---- */

/* Where variables lie: those with initial values, and zeros. Constants too: the host may write them
 * between launches. Addresses of services are behind the variables with initial values. */
enum amd_place { AMD_DATA, AMD_BSS, AMD_PLACES };

struct amd_variable {
	uint8_t place;   /* enum amd_place */
	uint64_t offset; /* in it */
};

/* 64 bits of a variable's first bytes that hold an address. */
struct amd_address {
	uint32_t symbol; /* which has it */
	uint64_t offset; /* in it */
	uint8_t target;  /* enum amd_target */
	uint32_t index;
	uint64_t addend;
};

struct amd_plan {
	const struct ir_module *module; /* its variables; no functions any more */
	struct amd_variable *variables; /* by symbol; place AMD_PLACES: it is none of memory's */
	uint64_t bytes[AMD_PLACES];
	uint32_t align[AMD_PLACES];
	struct amd_address *addresses;
	uint32_t naddresses, addresses_capacity;
	uint64_t service_offset[SERVICES]; /* in AMD_DATA, of those that are called */
	uint32_t services; /* a mask of these */
	struct line_files files; /* a row of piece.lines has its file's number from here */
	const char *const *declared; /* names of all kernels, with the unit of each */
	const uint32_t *declared_unit;
	uint32_t ndeclared;
};

/* Generation (gcn's half). NULL: errors are in job->diag. */
void *amd_generate(struct compile_job *job, const void *plan, struct ir_module *unit,
		   struct arena *keep);
/* Plan and link (obj's half). */
void *amd_plan(struct compile_job *job, const struct ir_module *m, const uint32_t *unit_of);
void amd_link(struct compile_job *job, const void *plan, void *const *code, uint32_t units,
	      enum image_content content, struct compile_image *out);

#endif
