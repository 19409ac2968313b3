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
#include "libsov/compiler/image/amd_abi.h"
#include "libsov/compiler/base/bytes.h"
#include "libsov/compiler/driver/compiler.h"
#include "libsov/compiler/ir/ir.h"
#include "libsov/compiler/image/line_table.h"
#include "libsov/compiler/ir/device_services.h"

/* Pieces beside those of functions (calls.c), among indices of these: the table of functions, and where it
 * leads for numbers that are no function's. */
#define AMD_TABLE_INDEX            UINT32_MAX
#define AMD_TRAP_INDEX             (UINT32_MAX - 1)
/* What the address of a function is among a variable's first bytes, and everywhere: its place in that table, which
 * has four bytes for each function of the module, and something else at 0. */
#define AMD_FUNCTION_NUMBER(index) (4 * ((uint64_t)(index) + 1))

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
	AMD_TO_SERVICE, /* index: enum service. S is where its address is kept, 64 bits to be loaded */
};

struct amd_reference {
	uint32_t offset; /* of the 32 bits, in the piece's code */
	uint8_t kind;    /* enum amd_reference_kind */
	uint8_t target;  /* enum amd_target */
	uint32_t index;
	int64_t addend;
};

struct amd_param {
	uint32_t offset, size;
	bool pointer; /* to global memory */
};

/* The code of a kernel, or of a function that kernels call. */
struct amd_piece {
	const char *name;
	uint32_t index; /* ir_func.index: the order of the text */
	bool kernel;
	bool data;           /* no instructions, but what code reads beside it */
	const uint8_t *code; /* a multiple of 4 bytes */
	uint32_t code_bytes;
	const struct amd_reference *references; /* by offset */
	uint32_t nreferences;
	struct line_table lines;
	/* Of kernels alone, with what they call counted in: */
	uint32_t vgprs, sgprs; /* used; sgprs without VCC, FLAT_SCRATCH and the like */
	uint32_t lds_bytes;    /* static */
	uint32_t
		private_bytes; /* of a lane: frame and spills, and what is called as far as known */
	uint32_t sgpr_spills, vgpr_spills; /* for metadata */
	bool calls; /* through pointers or in circles: nobody knows how much stack */
	bool vcc;
	uint8_t float_mode;    /* rsrc1 19:12: AMD_FLOAT_MODE_DEFAULT unless it wants another */
	bool ieee, dx10_clamp; /* bits of the mode register at the start */
	bool cu_mode; /* a workgroup on one compute unit, whose L0 is then all its waves' */
	struct amd_initial_state start;
	uint32_t hidden; /* mask by enum amd_hidden: those that it reads */
	const struct amd_param *params;
	uint32_t nparams, param_bytes;             /* up to the last one's end */
	uint32_t max_threads, required_threads[3]; /* 0: not stated */
	uint32_t services;                         /* that it calls: a mask */
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
enum amd_data_place { AMD_DATA, AMD_BSS, AMD_PLACES };

struct amd_variable {
	uint8_t place;   /* enum amd_data_place */
	uint64_t offset; /* in it */
};

/* 64 bits of a variable's first bytes that hold the address of another. */
struct amd_address {
	uint32_t symbol, to;
	uint64_t offset; /* in the first */
	uint64_t addend;
};

/* 64 bits of a variable's first bytes that are a function's number. */
struct amd_number {
	uint32_t symbol;
	uint64_t offset, value;
};

struct amd_plan {
	const struct ir_module *module; /* its variables; no functions any more */
	struct amd_variable *variables; /* by symbol; place AMD_PLACES: it is none of memory's */
	uint64_t bytes[AMD_PLACES];
	uint32_t align[AMD_PLACES];
	struct amd_address *addresses;
	uint32_t naddresses, addresses_capacity;
	struct amd_number *numbers;
	uint32_t nnumbers, numbers_capacity;
	uint64_t service_offset[SERVICES]; /* in AMD_DATA, of those that are called */
	uint32_t services;                 /* a mask of these */
	struct line_files files;     /* a row of piece.lines has its file's number from here */
	const char *const *declared; /* names of all kernels, with the unit of each */
	const uint32_t *declared_unit;
	uint32_t ndeclared;
};

/* Kernels, and services in the library that has them: what others start or call by name. */
static inline bool amd_is_entry(const struct compile_job *job, const struct ir_func *f)
{
	return f->kind == IR_KERNEL || (job->options.library && f->kind == IR_FUNCTION &&
					service_find(f->name) != SERVICES);
}

/* Generation. NULL: errors are in job->diag. */
void *amd_generate(struct compile_job *job, const void *plan, struct ir_module *unit,
		   struct arena *keep);
/* Plan and link (link.c). */
void *amd_plan(struct compile_job *job, const struct ir_module *m, const uint32_t *unit_of);
void amd_link(struct compile_job *job, const void *plan, void *const *code, uint32_t units,
	      enum image_content content, struct compile_image *out);

/* The code object (code_object_write.c), in the arena; pieces in the order of the text. */
uint8_t *amd_object_write(struct arena *a, const struct amd_plan *p,
			  struct amd_piece *const *pieces, uint32_t npieces,
			  enum image_content content, size_t *size);
/* Metadata of its kernels (metadata_write.c): MessagePack, appended. */
void amd_metadata_write(struct bytes *out, struct amd_piece *const *pieces, uint32_t npieces);

#endif
