/* SPDX-License-Identifier: MIT */
/*
 * The interface between code generation and linking for AMD. Each kernel and each called function
 * is a separate code fragment. Fragments refer to each other and to variables by PC-relative
 * references, so a code object can be loaded at any address without patching its code.
 *
 * Kernel arguments and initial registers follow HSA (LLVM's "User Guide for AMDGPU Backend", code
 * object version 5, initial kernel execution state).
 */
#ifndef SOV_COMPILER_AMD_MODULE_H
#define SOV_COMPILER_AMD_MODULE_H

#include <stdbool.h>
#include <stdint.h>
#include "libsov/compiler/image/amd_abi.h"
#include "libsov/compiler/base/bytes.h"
#include "libsov/compiler/base/compile_job.h"
#include "libsov/compiler/ir/ir.h"
#include "libsov/compiler/image/line_table.h"
#include "libsov/compiler/ir/device_services.h"

/*
 * Indices of fragments that are not functions (call_graph.c): the function table, and the trap that
 * its other entries lead to.
 */
#define AMD_TABLE_INDEX                  UINT32_MAX
#define AMD_TRAP_INDEX                   (UINT32_MAX - 1)
/*
 * A function pointer is the function's byte offset in the function table, which has four bytes per
 * function of the module; entry 0, the null pointer's, leads to the trap.
 */
#define AMD_FUNCTION_TABLE_OFFSET(index) (4 * ((uint64_t)(index) + 1))

/*
 * Relocation formulas: S is the target's address, A the addend, P the address of the patched
 * literal. A literal after s_getpc_b64 lies 4 (s_add_u32) or 12 (s_addc_u32) bytes above the
 * program counter that was read; A compensates for that.
 */
enum amd_reference_kind {
	AMD_REL32_LO, /* bits 31:0 of S + A - P */
	AMD_REL32_HI, /* bits 63:32 of it */
};

enum amd_reference_target {
	AMD_TO_VARIABLE, /* index: the module's symbol, in global or constant memory */
	AMD_TO_FUNCTION, /* index: ir_func.index in the unit */
	AMD_TO_SERVICE,  /* index: enum service; its 64-bit address is stored at S */
};

struct amd_reference {
	uint32_t offset; /* of the literal, in the fragment's code */
	uint8_t kind;    /* enum amd_reference_kind */
	uint8_t target;  /* enum amd_reference_target */
	uint32_t index;
	int64_t addend;
};

struct amd_param {
	uint32_t offset, size;
	bool pointer; /* to global memory */
};

/* The code of a kernel or function. */
struct amd_fragment {
	const char *name;
	uint32_t unit, index; /* ir_func.index in its unit */
	uint32_t order;       /* ir_func.order: order in .text */
	bool kernel;
	bool data;           /* no instructions, but data that code addresses */
	const uint8_t *code; /* a multiple of 4 bytes */
	uint32_t code_bytes;
	const struct amd_reference *references; /* by offset */
	uint32_t nreferences;
	struct line_table lines;
	/* Kernels only, callees included: */
	uint32_t vgprs, sgprs;             /* allocated; sgprs without VCC, FLAT_SCRATCH etc. */
	uint32_t lds_bytes;                /* static */
	uint32_t private_bytes;            /* scratch per lane, with callees as far as known */
	uint32_t sgpr_spills, vgpr_spills; /* for metadata */
	bool dynamic_stack;                /* recursion or indirect calls: stack depth is unknown */
	bool vcc;
	uint8_t float_mode;    /* rsrc1 19:12, usually AMD_FLOAT_MODE_DEFAULT */
	bool ieee, dx10_clamp; /* initial MODE bits */
	bool cu_mode; /* the workgroup runs on one compute unit, whose L0 its waves share */
	struct amd_initial_state start;
	uint32_t hidden; /* mask by enum amd_hidden: those that it reads */
	const struct amd_param *params;
	uint32_t nparams, param_bytes;             /* up to the end of the last one */
	uint32_t max_threads, required_threads[3]; /* 0: unspecified */
	uint32_t services;                         /* mask of those that it calls */
	struct kernel_stats stats;
};

/* The result of amd_generate(), in the keep arena. */
struct amd_code {
	struct amd_fragment *fragments;
	uint32_t nfragments;
};

/* ---- the plan: module layout, common to all units ---- */

/*
 * Initialised and zeroed variables. Constants are variables, too: the host may write them between
 * launches. Addresses of device services follow the initialised variables.
 */
enum amd_data_section { AMD_DATA, AMD_BSS, AMD_DATA_SECTIONS };

struct amd_variable {
	uint8_t section; /* enum amd_data_section */
	uint64_t offset; /* in the section */
};

/* Eight bytes of a variable's initial value that hold another variable's address. */
struct amd_address {
	uint32_t symbol, to;
	uint64_t offset; /* in symbol */
	uint64_t addend;
};

/* Eight bytes of a variable's initial value that hold a function pointer. */
struct amd_function_pointer {
	uint32_t symbol;
	uint64_t offset, value;
};

struct amd_plan {
	const struct ir_module *module; /* its variables; functions are gone by now */
	struct amd_variable *variables; /* by symbol; AMD_DATA_SECTIONS: not in global memory */
	uint64_t bytes[AMD_DATA_SECTIONS];
	uint32_t align; /* of all data */
	struct amd_address *addresses;
	uint32_t naddresses, addresses_capacity;
	struct amd_function_pointer *function_pointers;
	uint32_t nfunction_pointers, function_pointers_capacity;
	uint64_t service_offset[SERVICES]; /* in AMD_DATA, of services that are called */
	uint32_t services;                 /* a mask of these */
	struct line_files files;           /* numbers the files of fragment.lines */
	const char *const *declared;       /* names of all kernels, and the unit of each */
	const uint32_t *declared_unit;
	uint32_t ndeclared;
};

/*
 * Kernels, and device services in the library that defines them: entry points with global symbols.
 */
static inline bool amd_is_entry(const struct compile_job *job, const struct ir_func *f)
{
	return f->kind == IR_KERNEL || (job->options.library && f->kind == IR_FUNCTION &&
					service_find(f->name) != SERVICES);
}

/* Code generation. NULL: errors are in job->diag. */
void *amd_generate(struct compile_job *job, const void *plan, struct ir_module *unit,
		   struct arena *keep);
/* Module layout and linking (link.c). */
void *amd_plan(struct compile_job *job, const struct ir_module *m, const uint32_t *unit_of);
void amd_link(struct compile_job *job, const void *plan, void *const *code, uint32_t units,
	      enum image_content content, struct compile_image *out);

/* Writes the code object (code_object_write.c) to the arena; fragments in .text order. */
uint8_t *amd_object_write(struct arena *a, const struct amd_plan *p,
			  struct amd_fragment *const *fragments, uint32_t nfragments,
			  enum image_content content, size_t *size);
/* Appends the kernels' metadata as MessagePack (metadata_write.c). */
void amd_metadata_write(struct bytes *out, struct amd_fragment *const *fragments,
			uint32_t nfragments);

#endif
