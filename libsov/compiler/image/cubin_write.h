/* SPDX-License-Identifier: MIT */
/*
 * The cubin writer: converts finished kernels to the bytes of an ELF file. Its output is
 * deterministic and has those of ptxas 12's sections and attributes that a driver needs; image.h
 * reads it back.
 */
#ifndef SOV_COMPILER_NV_CUBIN_H
#define SOV_COMPILER_NV_CUBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libsov/compiler/base/arena.h"
#include "libsov/compiler/image/line_table.h"

struct cubin_param {
	uint32_t offset, size;
};

/* An instruction whose immediate the loader sets to half of a variable's address. */
struct cubin_code_address {
	uint32_t offset; /* in the code */
	uint32_t variable;
	uint64_t addend;
	bool high;
	/* In an object: the function or variable, and NV_R_CODE_*. */
	const char *symbol;
	uint8_t relocation;
};

struct cubin_kernel {
	const char *name;
	const uint8_t *code; /* a multiple of NV_TEXT_ALIGN bytes */
	uint32_t code_bytes;
	uint32_t registers; /* to declare, with the two that the hardware reserves */
	uint32_t barriers;
	bool shared;           /* uses shared memory, static or dynamic */
	uint32_t shared_bytes; /* static, with the bytes that the system reserves at the start */
	uint32_t shared_align;
	uint32_t frame_bytes; /* local memory per thread, callees excluded */
	uint32_t stack_bytes; /* callees included; a multiple of 16, or NV_STACK_UNKNOWN */
	uint32_t param_base, param_bytes, nparams;
	const struct cubin_param *params;
	const uint32_t *exits; /* code offsets of the EXIT instructions */
	uint32_t nexits;
	const uint32_t *branches; /* consecutive NV_INFO_BRANCH_TARGETS records; nbranches words */
	uint32_t nbranches;
	uint32_t max_threads[3], required_threads[3]; /* x 0: not stated */
	uint32_t cluster[3], max_cluster;             /* blocks; x 0, 0: not stated */
	bool explicit_cluster;                        /* every launch has clusters */
	bool independent_samplers;                    /* handles name them */
	bool moves_registers;                         /* between warps (USETMAXREG) */
	uint32_t externals;                           /* mask of the external functions it calls */
	const struct cubin_code_address *addresses;
	uint32_t naddresses;
	/* In an object: also functions have sections, and the linker needs the call graph. */
	bool function;
	uint8_t linkage;                /* enum ir_linkage */
	const char *const *callees;     /* by name; the linker finds the rest */
	const char *const *prototypes;  /* of indirect calls */
	uint32_t ncallees, nprototypes; /* each may occur several times */
};

/* The data sections of a module. */
enum cubin_data_section {
	CUBIN_GLOBAL_INIT,        /* .nv.global.init: initialised global variables */
	CUBIN_GLOBAL_ZERO,        /* .nv.global: zero-initialised global variables */
	CUBIN_CONSTANT_VARIABLES, /* .nv.constant3: constant variables, in bank 3 */
	CUBIN_CONSTANT_ADDRESSES, /* .nv.constant4: a table of addresses, in bank 4; no variables */
	CUBIN_SHARED,             /* .nv_debug.shared: shared variables; only in objects */
	CUBIN_DATA_SECTIONS
};

struct cubin_variable {
	const char *name;
	uint8_t section; /* enum cubin_data_section */
	uint32_t align;
	uint64_t offset, size; /* offset in the section */
	const uint8_t *init;   /* NULL: zero */
	/* In an object: */
	uint8_t linkage; /* enum ir_linkage */
	bool external;   /* another object defines it */
};

/* Functions that the module calls and the loader provides. */
#define CUBIN_MAX_EXTERNALS 8

/* A 64-bit field that the loader sets to the address of a variable or function. */
struct cubin_address {
	uint8_t section; /* not CUBIN_GLOBAL_ZERO */
	uint64_t offset;
	uint32_t variable; /* index; from CUBIN_EXTERNAL on: index of an external function */
#define CUBIN_EXTERNAL 0x80000000u
	uint64_t addend;
	const char *function; /* in an object: the field holds the address of this function */
};

/* In an object: the signature of a function, as the linker matches it; of a kernel whose address is
 * taken, none. */
struct cubin_prototype {
	const char *function, *prototype;
	bool address_taken;
};

/* In a linked program: a 64-bit field of .debug_line that holds the address of a function. */
struct cubin_line_start {
	uint64_t offset;
	const char *function;
	uint64_t addend;
};

/* A kernel that another image defines. */
struct cubin_declaration {
	const char *name;
	uint32_t unit; /* compilation unit of the image that defines it */
};

struct cubin_module {
	uint32_t sm;
	const struct cubin_kernel *kernels;
	uint32_t nkernels;
	const struct cubin_declaration *declarations;
	uint32_t ndeclarations;
	const struct cubin_variable *variables;
	uint32_t nvariables;
	bool variables_elsewhere; /* another image initialises them; here they have offsets only */
	const char *externals[CUBIN_MAX_EXTERNALS]; /* names; NULL: none with this index */
	const struct cubin_address *addresses;
	uint32_t naddresses;
	uint64_t bytes[CUBIN_DATA_SECTIONS];
	const char *const *files; /* source files; number k at k - 1 */
	uint32_t nfiles;          /* 0: no line information */
	struct line_table *lines; /* by kernel */
	/* In a linked program, instead of files and lines: */
	const uint8_t *line_section;
	uint32_t line_bytes; /* 0: no line information */
	const struct cubin_line_start *line_starts;
	uint32_t nline_starts;
	const struct cubin_prototype *prototypes;
	uint32_t nprototypes;
	bool linked; /* cubin_write_object() writes a program, not an object */
};

/* Returns the file, allocated in the arena. */
uint8_t *cubin_write(struct arena *a, const struct cubin_module *m, size_t *size);
/* The same for a relocatable object (cubin_object.c). */
uint8_t *cubin_write_object(struct arena *a, const struct cubin_module *m, size_t *size);

#endif
