// SPDX-License-Identifier: MIT
/*
 * The call graph of a unit: properties that all its functions share, and the registers and stack
 * that a kernel needs including everything it can reach.
 *
 * The calling convention is LLVM's for amdgcn ("User Guide for AMDGPU Backend", non-kernel
 * functions), as far as this compiler needs it:
 *	v0 - v30    argument words, and result words
 *	v31         thread indices, ten bits each (only if a function of the unit reads them)
 *	s[8:9]      address of the hidden arguments, s12 - s14 workgroup indices (likewise)
 *	s[30:31]    return address
 *	s32         stack pointer: per-lane scratch address of the first free byte, where
 *	            the callee's frame starts
 *	s33         frame pointer of a function that makes calls
 *
 * A callee preserves s32 and above and, from v40 on, the upper eight of every sixteen VGPRs. A
 * callee writes the other VGPRs only in active lanes, so inactive lanes keep their values. Scratch
 * instructions address the stack, not a buffer resource, so s0 - s3 carry nothing.
 */
#include "libsov/compiler/amd/mir.h"

#define STACK_ALIGN 16

bool gcn_has_calls(const struct ir_func *f)
{
	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i)
			if (ir_at(f, i)->op == IR_CALL || ir_at(f, i)->op == IR_CALLPTR)
				return true;
	return ir_has_dynamic_frame(f);
}

static uint16_t inputs_of_inst(const struct ir_inst *in)
{
	if (in->op != IR_SREG)
		return 0;
	if (in->sub <= IR_TID_Z)
		return 1 << GCN_THREAD_IDS;
	if (in->sub >= IR_CTAID_X && in->sub <= IR_CTAID_Z)
		return (uint16_t)(1 << (GCN_GROUP_X + in->sub - IR_CTAID_X));
	if (in->sub == IR_WARPID)
		return 1 << GCN_THREAD_IDS | 1 << GCN_HIDDEN_ARGS;
	return in->sub >= IR_LANEID && in->sub <= IR_LANEMASK_GE ? 0 : 1 << GCN_HIDDEN_ARGS;
}

static void analyse_function(struct gcn_module_info *module, const struct ir_func *f)
{
	bool has_calls = gcn_has_calls(f), function = f->kind == IR_FUNCTION;

	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i) {
			const struct ir_inst *in = ir_at(f, i);

			if (function)
				module->inputs |= inputs_of_inst(in);
			module->may_exit |= (function && in->op == IR_EXIT) ||
					    (in->op == IR_CALL &&
					     module->m->table[in->symbol]->kind == IR_EXTERNAL);
			module->indirect_calls |= in->op == IR_CALLPTR;
			module->reduction_counter |=
				(has_calls || function) && in->op == IR_BARRIER_RED;
			if (in->op == IR_ADDR && (has_calls || function) &&
			    module->m->symbols[in->symbol].space == IR_SHARED)
				module->lds_symbols[in->symbol] = true;
		}
}

static bool has_partial_barrier(const struct ir_func *f)
{
	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i)
			if ((ir_at(f, i)->op == IR_BARRIER || ir_at(f, i)->op == IR_BARRIER_RED) &&
			    !gcn_is_workgroup_barrier(f, ir_at(f, i)))
				return true;
	return false;
}

struct gcn_module_info *gcn_module_analyse(struct ir_module *m, struct arena *a)
{
	struct gcn_module_info *module = arena_alloc(a, sizeof(*module));

	*module = (struct gcn_module_info){.m = m, .stack_align = STACK_ALIGN};
	for (const struct ir_func *f = m->funcs; f; f = f->next)
		if (!module->barrier_symbol && has_partial_barrier(f))
			module->barrier_symbol = gcn_barrier_symbol_new(m);
	module->lds_symbols = arena_array(a, m->nsymbols + 1, sizeof(*module->lds_symbols));
	module->funcs = arena_array(a, m->nfuncs + 1, sizeof(*module->funcs));
	for (const struct ir_func *f = m->funcs; f; f = f->next)
		analyse_function(module, f);
	if (module->barrier_symbol) {
		module->lds_symbols[module->barrier_symbol - 1] = true;
		module->inputs |= 1 << GCN_THREAD_IDS | 1 << GCN_HIDDEN_ARGS;
	}
	for (uint32_t k = 0; k < m->nsymbols; k++)
		if (m->symbols[k].space == IR_LOCAL && m->symbols[k].align > module->stack_align)
			module->stack_align = m->symbols[k].align;
	return module;
}

bool gcn_may_exit(const struct gcn_module_info *module, const struct ir_inst *in)
{
	return (in->op == IR_CALL && module->may_exit) ||
	       (in->op == IR_CALLPTR && module->may_exit);
}

static uint32_t stack_bytes_of(const uint8_t *types, uint32_t n)
{
	uint32_t words = 0;

	for (uint32_t k = 0; k < n; k++)
		words += types[k] == IR_B64 ? 2 : 1;
	return words > GCN_ABI_ARG_VGPRS ? 4 * (words - GCN_ABI_ARG_VGPRS) : 0;
}

uint32_t gcn_stack_arg_bytes(const struct ir_func *f)
{
	uint32_t args = stack_bytes_of(f->arg_types, f->nargs),
		 results = stack_bytes_of(f->result_types, f->nresults);

	return args > results ? args : results;
}

/* ---- indirect calls ---- */

/* As lower_branches.c lowers a trap. */
static const uint32_t trap_code[] = {
	0xbf920002,                                  /* s_trap 2 */
	0x7e0002ff, (uint32_t)AMD_TRAP_PAGE,         /* v_mov_b32 v0, literal */
	0x7e0202ff, (uint32_t)(AMD_TRAP_PAGE >> 32), /* v_mov_b32 v1, literal */
	0xdc708000, 0x007d0000,                      /* global_store_dword v[0:1], v0, off */
	0xbf810000,                                  /* s_endpgm */
};

void gcn_function_table(const struct gcn_module_info *module, struct amd_code *out,
			struct arena *keep)
{
	uint32_t n = module->m->nfuncs + 1, *words = arena_array(keep, n, sizeof(*words));
	struct amd_reference *references = arena_array(keep, n, sizeof(*references));

	for (uint32_t k = 0; k < n; k++) {
		bool function =
			k && module->funcs[k - 1] && module->funcs[k - 1]->ir->kind == IR_FUNCTION;

		references[k] = (struct amd_reference){.offset = 4 * k,
						       .kind = AMD_REL32_LO,
						       .target = AMD_TO_FUNCTION,
						       .index = function ? k - 1 : AMD_TRAP_INDEX};
	}
	out->fragments[out->nfragments++] = (struct amd_fragment){
		.name = ".no_function",
		.index = AMD_TRAP_INDEX,
		.order = AMD_TRAP_INDEX,
		.code = (const uint8_t *)trap_code,
		.code_bytes = sizeof(trap_code),
		.lines = {.end = sizeof(trap_code)},
	};
	out->fragments[out->nfragments++] = (struct amd_fragment){
		.name = ".functions",
		.index = AMD_TABLE_INDEX,
		.order = AMD_TABLE_INDEX,
		.data = true,
		.code = (const uint8_t *)words,
		.code_bytes = 4 * n,
		.references = references,
		.nreferences = n,
		.lines = {.end = 4 * n},
	};
}

/* ---- resources of a kernel and its callees ---- */

struct stack_walk {
	const struct gcn_module_info *module;
	bool *reached, *on_path;
	uint32_t *stack; /* by function: stack bytes of a call, as far as known */
	uint32_t vgprs;
	bool unknown; /* recursion or an indirect call: the depth is not bounded */
};

static uint32_t call_stack_bytes(struct stack_walk *w, uint32_t index);

/* An indirect call may reach any function. */
static uint32_t indirect_call_stack_bytes(struct stack_walk *w)
{
	uint32_t max = 0;

	for (uint32_t k = 0; k < w->module->m->nfuncs; k++) {
		uint32_t bytes = w->module->funcs[k] && w->module->funcs[k]->ir->kind == IR_FUNCTION
					 ? call_stack_bytes(w, k)
					 : 0;

		max = bytes > max ? bytes : max;
	}
	return max;
}

static uint32_t callee_stack_bytes(struct stack_walk *w, const struct gcn_func *f)
{
	uint32_t max = 0;

	ir_for_each_block(f->ir, b)
		ir_for_each_inst(f->ir, b, i) {
			const struct ir_inst *in = ir_at(f->ir, i);
			uint32_t bytes = 0;

			if (in->op == IR_CALL && w->module->funcs[in->symbol])
				bytes = call_stack_bytes(w, in->symbol);
			else if (in->op == IR_CALLPTR)
				bytes = indirect_call_stack_bytes(w);
			max = bytes > max ? bytes : max;
		}
	return max;
}

static uint32_t call_stack_bytes(struct stack_walk *w, uint32_t index)
{
	const struct gcn_func *f = w->module->funcs[index];

	if (w->on_path[index]) {
		w->unknown = true;
		return 0;
	}
	if (w->reached[index])
		return w->stack[index];
	w->reached[index] = w->on_path[index] = true;
	w->vgprs = f->vgprs > w->vgprs ? f->vgprs : w->vgprs;
	w->unknown |= ir_has_dynamic_frame(f->ir);
	w->stack[index] = callee_stack_bytes(w, f) + f->frame_bytes;
	w->on_path[index] = false;
	return w->stack[index];
}

void gcn_kernel_resources(const struct gcn_module_info *module, const struct gcn_func *kernel,
			  struct amd_fragment *fragment)
{
	struct arena *a = kernel->arena;
	struct stack_walk w = {.module = module};

	w.reached = arena_array(a, module->m->nfuncs + 1, sizeof(*w.reached));
	w.on_path = arena_array(a, module->m->nfuncs + 1, sizeof(*w.on_path));
	w.stack = arena_array(a, module->m->nfuncs + 1, sizeof(*w.stack));
	fragment->private_bytes = call_stack_bytes(&w, kernel->ir->index);
	/* The descriptor enables scratch, so request at least some. */
	if (kernel->start.scratch && !fragment->private_bytes)
		fragment->private_bytes = STACK_ALIGN;
	fragment->vgprs = w.vgprs;
	fragment->dynamic_stack = w.unknown;
	fragment->stats.registers = w.vgprs;
	fragment->stats.stack_bytes = fragment->private_bytes;
	if (!kernel->has_calls)
		return;
	fragment->hidden |= module->hidden;
	fragment->services |= module->services;
}
