/* SPDX-License-Identifier: MIT */
/*
 * State of the linker of relocatable cubins, which its parts share: cubin_object_link.c reads the
 * objects and writes the program, cubin_object_link_needs.c computes what kernels need, and
 * cubin_object_link_lines.c joins the line tables.
 */
#ifndef SOV_COMPILER_OBJECT_LINK_STATE_H
#define SOV_COMPILER_OBJECT_LINK_STATE_H

#include <setjmp.h>
#include "libsov/compiler/base/bytes.h"
#include "libsov/compiler/base/name_map.h"
#include "libsov/compiler/image/cubin_read.h"
#include "libsov/compiler/image/cubin_write.h"
#include "libsov/compiler/image/cubin_object_link.h"

#define LINK_DYNAMIC_ALIGN 16 /* of dynamic shared memory */

struct symbol {
	const char *name; /* unique in the output */
	bool function, defined, weak, local, entry, dynamic_shared;
	uint32_t object, section; /* where it is defined */
	uint64_t value, size;
	uint8_t linkage;
	uint32_t code;     /* 1 + index of the function; 0: none */
	uint32_t variable; /* 1 + index of the variable; 0: none */
	bool shared;
	uint32_t shared_at;     /* offset, from the start of static shared memory */
	uint32_t shared_users;  /* kernels that name it */
	bool named_by_function; /* some function names it */
};

struct object {
	const char *name;
	struct cubin_reader reader;
	char text[256];     /* message of the reader */
	struct image image; /* only its target is used */
	struct symbol **symbols;
	uint32_t nsymbols;
	uint32_t *first;   /* by ELF section: first symbol defined there; 0: none */
	uint32_t *next;    /* by symbol: next of the same section */
	uint32_t *code_of; /* by ELF section: 1 + function whose code it is */
	uint8_t *data_of;  /* by ELF section: 1 + enum cubin_data_section */
	uint64_t *base;    /* by ELF section: its offset in the merged section */
};

/* A kernel or function. */
struct function {
	struct symbol *symbol;
	uint32_t object, section;
	struct cubin_kernel out;
	struct cubin_param *params;
	struct cubin_code_address *addresses;
	uint32_t addresses_capacity;
	uint32_t *callees, ncallees, callees_capacity;
	uint32_t services; /* mask of those it calls */
	bool indirect, address_taken;
	bool dynamic_shared;
	struct symbol **shared;
	uint32_t nshared, shared_capacity;
	/* Scratch of a walk over the call graph. */
	uint32_t visited, on_path;
	uint32_t stack;
};

struct linker {
	struct arena arena;
	jmp_buf no_memory;
	struct object *objects;
	uint32_t nobjects, sm;
	struct name_map names;  /* global name -> 1 + index in globals */
	struct name_map unique; /* output name -> number of uses */
	struct symbol **globals;
	uint32_t nglobals, globals_capacity;
	struct function *functions;
	uint32_t nfunctions, functions_capacity;
	struct cubin_variable *variables;
	uint32_t nvariables, variables_capacity;
	struct cubin_address *addresses;
	uint32_t naddresses, addresses_capacity;
	uint64_t bytes[CUBIN_DATA_SECTIONS];
	struct bytes lines; /* .debug_line */
	struct cubin_line_start *line_starts;
	uint32_t nline_starts, line_starts_capacity;
	uint32_t walk; /* number of the current walk over the call graph */
	uint32_t *work, nwork;
	uint32_t indirect_walk, indirect_stack;
	char *message;
	size_t message_size;
	uint8_t *result;
	size_t result_size;
};

/* Writes the message; returns false. */
bool link_fail(struct linker *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Adds the line table of an object whose definitions have been read
 * (cubin_object_link_lines.c). */
void link_add_lines(struct linker *l, uint32_t object);

/* Sets registers, barriers, stack and shared memory of all kernels and assigns addresses in shared
 * memory (cubin_object_link_needs.c). *dynamic_at: offset of dynamic shared memory, from the start
 * of static shared memory. */
bool link_measure_kernels(struct linker *l, uint32_t *dynamic_at);
uint32_t link_shared_address(const struct symbol *s, uint32_t dynamic_at);

#endif
