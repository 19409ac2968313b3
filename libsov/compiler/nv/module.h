/* SPDX-License-Identifier: MIT */
/*
 * What all code of a module shares, which is planned before there is any: variables with their places,
 * the bank of addresses, files. And what the functions of a unit (unit.h) share beyond that.
 */
#ifndef SOV_COMPILER_NV_MODULE_H
#define SOV_COMPILER_NV_MODULE_H

#include "libsov/compiler/driver/compiler.h"
#include "libsov/compiler/image/cubin_write.h"
#include "libsov/compiler/ir/ir.h"
#include "libsov/compiler/ir/device_services.h"

struct nv_plan {
	const struct ir_module *module; /* its variables; no functions any more */
	struct cubin_module out;
	uint32_t *
		offset; /* by symbol: of a constant, in its bank; of a global variable, of its address
			     * in the bank of addresses */
	uint32_t *variable;                /* by symbol: number among those of the image */
	uint32_t service_offset[SERVICES]; /* of those that are called: in the bank of addresses */
	struct cubin_variable *variables;
	struct cubin_address *addresses;
	uint32_t addresses_capacity;
	struct line_files files;
	const struct cubin_declaration *declarations; /* of all kernels */
	uint32_t ndeclarations;
};

struct nv_module {
	struct compile_job *job;
	const struct nv_plan *plan;
	bool *common; /* by symbol: a shared variable that lies alike in all kernels of the unit */
	bool *taken;  /* by function: its address is taken … */
	bool function_addresses; /* … as is one's at least: these lie alike in all kernels, too */
};

/* How a call passes arguments and results: in memory, from the caller's stack pointer up; first
 * the arguments, then the results, each aligned to its size of 4 or 8 bytes. */
struct nv_passing {
	uint32_t bytes;
	uint32_t results; /* where they start */
};
struct nv_passing nv_passing(const struct ir_func *callee);
/* Where the next of a type is; moves on. */
uint32_t nv_pass(uint32_t *at, uint8_t type);

/* Calls (calls.c): what there is in a module, and what a kernel needs of it. */
struct mir_func;
struct nv_text;
void nv_survey_calls(struct nv_module *n, const struct ir_module *m);
/* Places of functions whose addresses are taken, by function. */
uint32_t *nv_function_offsets(const struct nv_module *n, const struct ir_module *m,
			      struct mir_func **funcs);
void nv_collect_calls(const struct nv_module *n, const struct ir_module *m, struct mir_func **funcs,
		      struct nv_text *text);

/* Lines (source.c): the kernels' tables, right after each kernel is encoded. */
void nv_list_lines(const struct nv_module *n, const struct nv_text *text, uint32_t code_bytes,
		   struct line_table *t);

/* On the IR (apart.c): lanes that wait for each other in different places find each other. */
void nv_meet_apart(struct ir_module *m);

/* Variables (variables.c). False: errors are in job->diag. */
bool nv_place_variables(struct compile_job *job, struct nv_plan *p, const struct ir_module *m);
/* Initial values with the addresses of functions in them, once these have their places: by function. A
 * copy of the variables. */
struct cubin_variable *nv_fill_in_functions(struct arena *a, const struct nv_plan *p,
					    const uint32_t *offsets);
/* Which shared variables have to lie alike in all kernels. */
void nv_find_common(struct nv_module *n, const struct ir_module *m);

#endif
