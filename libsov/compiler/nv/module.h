/* SPDX-License-Identifier: MIT */
/*
 * Data that all code of a module shares, planned before any code exists: layout of variables, the
 * bank of addresses, source files; and data that the functions of one compilation unit share.
 */
#ifndef SOV_COMPILER_NV_MODULE_H
#define SOV_COMPILER_NV_MODULE_H

#include "libsov/compiler/base/compile_job.h"
#include "libsov/compiler/image/cubin_write.h"
#include "libsov/compiler/ir/ir.h"
#include "libsov/compiler/ir/device_services.h"

struct nv_plan {
	const struct ir_module *module; /* symbols; its functions are already gone */
	struct cubin_module out;
	/* By symbol: offset of a constant in its bank; of a global variable, of its
	 * address in the bank of addresses. */
	uint32_t *offset;
	uint32_t *variable;                /* by symbol: number among the image's variables */
	uint32_t service_offset[SERVICES]; /* in the bank of addresses */
	struct cubin_variable *variables;
	struct cubin_address *addresses;
	uint32_t addresses_capacity;
	struct line_files files;
	const struct cubin_declaration *declarations; /* of all kernels */
	uint32_t ndeclarations;
};

/* What the callers of a function know about it (call_registers.c). */
#define NV_MAX_PASSED   8
#define NV_NOT_PASSED   0xff
#define NV_CHANGE_WORDS 4
#define NV_MAX_WEIGHT   (UINT64_C(1) << 32)
struct nv_callee {
	/* Registers of the low and high words. */
	uint8_t args[NV_MAX_PASSED][2], results[NV_MAX_PASSED][2];
	uint64_t changes[NV_CHANGE_WORDS]; /* set of general-purpose registers */
	uint32_t nchanges;
	bool abi; /* it has NVIDIA's calling convention (call_abi.c) */
	/* Its instructions and those of its callees, weighted by loop depth; at most
	 * NV_MAX_WEIGHT. */
	uint64_t weight;
	bool changes_uniform; /* some uniform register */
	bool uses_stack;      /* itself, or a function that it calls */
	uint32_t barriers;    /* mask of the convergence barriers that it changes */
};

struct nv_module {
	struct compile_job *job;
	const struct nv_plan *plan;
	bool *common; /* by symbol: shared variable at one offset in all kernels of the unit */
	bool *address_taken; /* by function: its address is taken */
	/* Some address is taken, so functions lie at equal offsets in all kernels. */
	bool function_addresses;
	/* By function, in objects also by prototype; NULL: it uses memory. NULL as a whole: all
	 * do. */
	struct nv_callee **callees;
	uint32_t function_registers; /* limit of functions: the lowest of the unit's kernels */
};

/* Stack layout of a call: arguments and then results that are not passed in registers, from the
 * caller's stack pointer up, each aligned to its size of 4 or 8 bytes. */
struct nv_call_layout {
	uint32_t bytes;
	uint32_t results; /* offset of the first result */
};
struct nv_call_layout nv_call_layout(const struct nv_module *n, const struct ir_func *callee);
/* Returns the offset of the next argument or result of a type and advances at. */
uint32_t nv_next_call_slot(uint32_t *at, uint8_t type);

/* NVIDIA's calling convention (call_abi.c). */
struct nv_abi_value {
	uint8_t type;
	bool on_stack;
	uint8_t reg;   /* first register, unless it is on the stack or in memory */
	uint32_t slot; /* its call slot */
};
struct nv_abi {
	struct nv_abi_value args[IR_MAX_RESULTS], results[IR_MAX_RESULTS];
	uint32_t nargs, nresults;
	uint32_t stack_bytes;  /* parameters on the stack */
	bool result_in_memory; /* R4 holds its address */
	uint32_t results_at, result_bytes;
	uint32_t bytes; /* of all call slots */
};
void nv_abi_of(const struct ir_func *f, struct nv_abi *abi);
/* Whether a callee preserves the register. */
bool nv_abi_preserves(uint32_t number);
/* What the callers of any function with NVIDIA's calling convention know. */
struct nv_callee *nv_abi_callee(struct arena *a, const struct ir_func *f);
/* The text by which NVIDIA's linker matches functions and indirect calls. */
const char *nv_prototype(struct arena *a, const struct ir_func *f);
/* The function has its own section and NVIDIA's calling convention. */
bool nv_is_exported(const struct compile_job *job, const struct ir_func *f);
/* Calls of the function use NVIDIA's calling convention. */
bool nv_call_uses_abi(const struct compile_job *job, const struct ir_func *callee);
/* Bytes of the call slots of a call; 0: all values are operands. */
uint32_t nv_call_slot_bytes(const struct nv_module *n, const struct ir_func *callee);

/* Interprocedural register allocation (call_registers.c). */
/* Lists the functions that pass values in registers, callees before callers; returns their
 * number. */
uint32_t nv_order_callees(struct nv_module *n, const struct ir_module *m, uint32_t **order);
/* The number of the first arguments and results that are operands: of a call of a function, and of
 * the function's own start and end. They differ only in NVIDIA's calling convention, which defines
 * the registers. */
struct nv_passed {
	uint32_t args, results;
};
struct nv_passed nv_passed_by_call(const struct nv_callee *known, const struct ir_func *callee);
struct nv_passed nv_passed_by_function(const struct nv_callee *own, const struct ir_func *f);
struct mir_func;
struct nv_callee *nv_known_callee(const struct nv_module *n, uint32_t function);
/* Registers, without the reserved ones: those that it takes to keep some units clear of what a
 * callee changes, and how many of the first ones the callee changes. */
uint32_t nv_clear_registers(const struct mir_func *f, const struct nv_callee *known,
			    uint32_t units);
uint32_t nv_changed_registers(const struct mir_func *f, const struct nv_callee *known,
			      uint32_t count);
/* Finds what a function changes, once its code is final. */
void nv_find_changes(const struct mir_func *f);

/* Call graph (call_graph.c). */
struct nv_text;
struct call_walk;
void nv_analyse_calls(struct nv_module *n, const struct ir_module *m);
/* Offsets of the functions whose addresses are taken, by function. */
uint32_t *nv_function_offsets(const struct nv_module *n, const struct ir_module *m,
			      struct mir_func **funcs);
/* Finds what each of many kernels reaches; one at a time. */
struct call_walk *nv_call_walk_new(const struct nv_module *n, const struct ir_module *m,
				   struct mir_func **funcs);
void nv_collect_callees(const struct nv_module *n, struct call_walk *w, struct nv_text *text);

/* Line table of one kernel, built after it is encoded (source_lines.c). */
void nv_build_line_table(const struct nv_module *n, const struct nv_text *text, uint32_t code_bytes,
			 struct line_table *t);

/* On the IR: lanes at different sites of one warp sync execute it at one site
 * (merge_divergent_syncs.c). */
void nv_merge_divergent_syncs(struct ir_module *m);

/* Variables (variables.c). False: errors are in job->diag. */
bool nv_layout_variables(struct compile_job *job, struct nv_plan *p, const struct ir_module *m);
/* Returns a copy of the variables whose initial values hold function addresses; offsets is
 * indexed by function. */
struct cubin_variable *nv_patch_function_addresses(struct arena *a, const struct nv_plan *p,
						   const uint32_t *offsets);
/* Finds shared variables that need the same offset in all kernels. */
void nv_find_common_shared(struct nv_module *n, const struct ir_module *m);

#endif
