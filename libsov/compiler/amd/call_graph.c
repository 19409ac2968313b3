// SPDX-License-Identifier: MIT
/*
 * Functions that are called: what they have in common, and what a kernel needs for all that it can get to. Calls
 * are as LLVM has them for amdgcn ("User Guide for AMDGPU Backend", non-kernel functions), as far as this compiler
 * has a use for it:
 *
 *	v0 – v30	words of arguments, and of results
 *	v31		the thread's numbers, ten bits each (only where a function of the unit asks)
 *	s[8:9]		where the hidden arguments are, s12 – s14 the block's numbers (the same)
 *	s[30:31]	where to return to
 *	s32		the first free byte of the stack, a lane's address in scratch; the callee's frame begins there
 *	s33		the frame of a function that calls others
 *
 * A callee leaves s32 and up as they are, and of the vector registers from v40 on the upper eight of each sixteen.
 * It writes other vector registers in lanes only that are on, so lanes that wait elsewhere keep what they have.
 * Scratch is addressed by scratch instructions, not by a buffer: s0 – s3 mean nothing.
 */
#include "libsov/compiler/amd/mir.h"

#define STACK_ALIGN 16

bool gcn_calls(const struct ir_func *f)
{
	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i)
			if (ir_at(f, i)->op == IR_CALL || ir_at(f, i)->op == IR_CALLPTR)
				return true;
	return ir_has_dynamic_frame(f);
}

static uint16_t wants(const struct ir_inst *in)
{
	if (in->op != IR_SREG)
		return 0;
	if (in->sub <= IR_TID_Z)
		return 1 << GCN_THREADS;
	if (in->sub >= IR_CTAID_X && in->sub <= IR_CTAID_Z)
		return (uint16_t)(1 << (GCN_GROUP_X + in->sub - IR_CTAID_X));
	if (in->sub == IR_WARPID)
		return 1 << GCN_THREADS | 1 << GCN_HIDDEN;
	return in->sub >= IR_LANEID && in->sub <= IR_LANEMASK_GE ? 0 : 1 << GCN_HIDDEN;
}

static void survey(struct gcn_unit *u, const struct ir_func *f)
{
	bool calls = gcn_calls(f), function = f->kind == IR_FUNCTION;

	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i) {
			const struct ir_inst *in = ir_at(f, i);

			if (function)
				u->wants |= wants(in);
			u->exits |=
				(function && in->op == IR_EXIT) ||
				(in->op == IR_CALL && u->m->table[in->symbol]->kind == IR_EXTERNAL);
			u->by_address |= in->op == IR_CALLPTR;
			u->counter |= (calls || function) && in->op == IR_BARRIER_RED;
			if (in->op == IR_ADDR && (calls || function) &&
			    u->m->symbols[in->symbol].space == IR_SHARED)
				u->shared[in->symbol] = true;
		}
}

static bool has_partial_barrier(const struct ir_func *f)
{
	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i)
			if ((ir_at(f, i)->op == IR_BARRIER || ir_at(f, i)->op == IR_BARRIER_RED) &&
			    !gcn_is_whole_barrier(f, ir_at(f, i)))
				return true;
	return false;
}

struct gcn_unit *gcn_survey(struct ir_module *m, struct arena *a)
{
	struct gcn_unit *u = arena_alloc(a, sizeof(*u));

	*u = (struct gcn_unit){.m = m, .stack_align = STACK_ALIGN};
	for (const struct ir_func *f = m->funcs; f; f = f->next)
		if (!u->barriers && has_partial_barrier(f))
			u->barriers = gcn_barrier_words(m);
	u->shared = arena_array(a, m->nsymbols + 1, sizeof(*u->shared));
	u->funcs = arena_array(a, m->nfuncs + 1, sizeof(*u->funcs));
	for (const struct ir_func *f = m->funcs; f; f = f->next)
		survey(u, f);
	if (u->barriers) {
		u->shared[u->barriers - 1] = true;
		u->wants |= 1 << GCN_THREADS | 1 << GCN_HIDDEN;
	}
	for (uint32_t k = 0; k < m->nsymbols; k++)
		if (m->symbols[k].space == IR_LOCAL && m->symbols[k].align > u->stack_align)
			u->stack_align = m->symbols[k].align;
	return u;
}

bool gcn_may_exit(const struct gcn_unit *u, const struct ir_inst *in)
{
	return (in->op == IR_CALL && u->exits) || (in->op == IR_CALLPTR && u->exits);
}

static uint32_t bytes_of(const uint8_t *types, uint32_t n)
{
	uint32_t words = 0;

	for (uint32_t k = 0; k < n; k++)
		words += types[k] == IR_B64 ? 2 : 1;
	return words > GCN_PASSED_WORDS ? 4 * (words - GCN_PASSED_WORDS) : 0;
}

uint32_t gcn_passing_bytes(const struct ir_func *f)
{
	uint32_t args = bytes_of(f->arg_types, f->nargs),
		 results = bytes_of(f->result_types, f->nresults);

	return args > results ? args : results;
}

/* ---- calls by address ---- */

static const uint32_t trap[] = {0xbf920002, 0xbf810000}; /* s_trap 2, s_endpgm */

void gcn_function_table(const struct gcn_unit *u, struct amd_code *out, struct arena *keep)
{
	uint32_t n = u->m->nfuncs + 1, *words = arena_array(keep, n, sizeof(*words));
	struct amd_reference *references = arena_array(keep, n, sizeof(*references));

	for (uint32_t k = 0; k < n; k++) {
		bool function = k && u->funcs[k - 1] && u->funcs[k - 1]->ir->kind == IR_FUNCTION;

		references[k] = (struct amd_reference){.offset = 4 * k,
						       .kind = AMD_REL32_LO,
						       .target = AMD_TO_FUNCTION,
						       .index = function ? k - 1 : AMD_TRAP_INDEX};
	}
	out->pieces[out->npieces++] = (struct amd_piece){
		.name = ".no_function",
		.index = AMD_TRAP_INDEX,
		.code = (const uint8_t *)trap,
		.code_bytes = sizeof(trap),
		.lines = {.end = sizeof(trap)},
	};
	out->pieces[out->npieces++] = (struct amd_piece){
		.name = ".functions",
		.index = AMD_TABLE_INDEX,
		.data = true,
		.code = (const uint8_t *)words,
		.code_bytes = 4 * n,
		.references = references,
		.nreferences = n,
		.lines = {.end = 4 * n},
	};
}

/* ---- what a kernel gets to ---- */

struct walk {
	const struct gcn_unit *u;
	bool *reached, *open;
	uint32_t *stack; /* by function: bytes that a call of it needs, as far as known */
	uint32_t vgprs;
	bool unknown; /* in circles, or by an address: nobody can say */
};

static uint32_t stack_of(struct walk *w, uint32_t index);

/* By an address a call gets to any function. */
static uint32_t stack_of_any(struct walk *w)
{
	uint32_t most = 0;

	for (uint32_t k = 0; k < w->u->m->nfuncs; k++) {
		uint32_t bytes = w->u->funcs[k] && w->u->funcs[k]->ir->kind == IR_FUNCTION
					 ? stack_of(w, k)
					 : 0;

		most = bytes > most ? bytes : most;
	}
	return most;
}

static uint32_t stack_of_callees(struct walk *w, const struct gcn_func *f)
{
	uint32_t most = 0;

	ir_for_each_block(f->ir, b)
		ir_for_each_inst(f->ir, b, i) {
			const struct ir_inst *in = ir_at(f->ir, i);
			uint32_t bytes = 0;

			if (in->op == IR_CALL && w->u->funcs[in->symbol])
				bytes = stack_of(w, in->symbol);
			else if (in->op == IR_CALLPTR)
				bytes = stack_of_any(w);
			most = bytes > most ? bytes : most;
		}
	return most;
}

static uint32_t stack_of(struct walk *w, uint32_t index)
{
	const struct gcn_func *f = w->u->funcs[index];

	if (w->open[index]) {
		w->unknown = true;
		return 0;
	}
	if (w->reached[index])
		return w->stack[index];
	w->reached[index] = w->open[index] = true;
	w->vgprs = f->vgprs > w->vgprs ? f->vgprs : w->vgprs;
	w->unknown |= ir_has_dynamic_frame(f->ir);
	w->stack[index] = stack_of_callees(w, f) + f->frame_bytes;
	w->open[index] = false;
	return w->stack[index];
}

void gcn_collect(const struct gcn_unit *u, const struct gcn_func *kernel, struct amd_piece *p)
{
	struct arena *a = kernel->arena;
	struct walk w = {.u = u};

	w.reached = arena_array(a, u->m->nfuncs + 1, sizeof(*w.reached));
	w.open = arena_array(a, u->m->nfuncs + 1, sizeof(*w.open));
	w.stack = arena_array(a, u->m->nfuncs + 1, sizeof(*w.stack));
	p->private_bytes = stack_of(&w, kernel->ir->index);
	if (kernel->start.scratch &&
	    !p->private_bytes) /* none of it, or some: there is no third way */
		p->private_bytes = STACK_ALIGN;
	p->vgprs = w.vgprs;
	p->calls = w.unknown;
	p->stats.registers = w.vgprs;
	p->stats.stack_bytes = p->private_bytes;
	if (!kernel->calls)
		return;
	p->hidden |= u->hidden;
	p->services |= u->services;
}
