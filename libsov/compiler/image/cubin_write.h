/* SPDX-License-Identifier: MIT */
/*
 * Writing a cubin: finished kernels in, the bytes of an ELF file out. Equal kernels give equal
 * bytes. What is written is what ptxas 12 would write as far as a driver needs it; image.h reads it
 * back.
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

/* An instruction whose immediate becomes half of a variable's address when the module is loaded. */
struct cubin_code_address {
	uint32_t offset; /* in the code */
	uint32_t variable;
	uint64_t addend;
	bool high;
};

struct cubin_kernel {
	const char *name;
	const uint8_t *code; /* a multiple of NV_TEXT_ALIGN bytes */
	uint32_t code_bytes;
	uint32_t registers; /* to declare: with the two that the hardware keeps */
	uint32_t barriers;
	bool shared;           /* has any, static or dynamic */
	uint32_t shared_bytes; /* static, with what the system reserves at the start */
	uint32_t shared_align;
	uint32_t frame_bytes; /* of local memory, per thread: the kernel's own */
	uint32_t
		stack_bytes; /* with that of what it calls; a multiple of 16, or NV_STACK_UNKNOWN */
	uint32_t param_base, param_bytes, nparams;
	const struct cubin_param *params;
	const uint32_t *exits; /* code offsets of the EXIT instructions */
	uint32_t nexits;
	const uint32_t *branches; /* records of NV_INFO_BRANCH_TARGETS in a row, and their words */
	uint32_t nbranches;
	uint32_t max_threads[3], required_threads[3]; /* x 0: not stated */
	uint32_t externals;                           /* those that it calls: a mask */
	const struct cubin_code_address *addresses;
	uint32_t naddresses;
};

/* Where a module's variables are: global memory, with initial values or zero; constant bank 3; and
 * the table of addresses in constant bank 4, which has no variables of its own. */
enum cubin_data_section { CUBIN_GLOBAL_INIT, CUBIN_GLOBAL_ZERO, CUBIN_CONSTANT_VARIABLES, CUBIN_CONSTANT_ADDRESSES, CUBIN_DATA_SECTIONS };

struct cubin_variable {
	const char *name;
	uint8_t place; /* enum cubin_data_section */
	uint32_t align;
	uint64_t offset, size; /* in its place */
	const uint8_t *init;   /* NULL: zero */
};

/* Functions that the module calls and whoever loads it has. */
#define CUBIN_MAX_EXTERNALS 8

/* 64 bits that become the address of a variable or function when the module is loaded. */
struct cubin_address {
	uint8_t place; /* not CUBIN_GLOBAL_ZERO */
	uint64_t offset;
	uint32_t variable; /* its number; CUBIN_EXTERNAL and up: that of an external function */
#define CUBIN_EXTERNAL 0x80000000u
	uint64_t addend;
};

/* A kernel that another image has the code of. */
struct cubin_declaration {
	const char *name;
	uint32_t unit; /* which image, as far as whoever loads it knows */
};

struct cubin_module {
	uint32_t sm;
	const struct cubin_kernel *kernels;
	uint32_t nkernels;
	const struct cubin_declaration *declarations;
	uint32_t ndeclarations;
	const struct cubin_variable *variables;
	uint32_t nvariables;
	bool variables_elsewhere; /* another image has their first bytes; here they have places alone */
	const char *externals[CUBIN_MAX_EXTERNALS]; /* names; NULL: none of this number */
	const struct cubin_address *addresses;
	uint32_t naddresses;
	uint64_t bytes[CUBIN_DATA_SECTIONS];
	const char *const *files; /* that lines are of, from number 1 on */
	uint32_t nfiles;          /* 0: no lines are known */
	struct line_table *lines; /* by kernel */
};

/* In the arena. */
uint8_t *cubin_write(struct arena *a, const struct cubin_module *m, size_t *size);

#endif
