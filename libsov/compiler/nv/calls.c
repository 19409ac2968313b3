// SPDX-License-Identifier: MIT
/*
 * Who calls whom. Each kernel's code is one piece that holds all functions that it can get to, so a
 * function may be in the image several times. Where addresses of functions are taken, all of these
 * stand at the start of every kernel that calls anything, at the same places: an address, which is
 * a distance from the kernel's first byte, then means the same in all kernels of the module.
 */
#include "hw/nv/cubin.h"
#include "libsov/compiler/nv/mir.h"
#include "libsov/compiler/nv/module.h"

static bool takes_address(const struct ir_inst *in)
{
	return in->op == IR_FUNCADDR;
}

void nv_survey_calls(struct nv_module *n, const struct ir_module *m)
{
	for (const struct ir_func *f = m->funcs; f; f = f->next) {
		n->functions |= f->kind == IR_FUNCTION;
		ir_for_each_block(f, b)
			ir_for_each_inst(f, b, i)
				n->function_addresses |= takes_address(ir_at(f, i));
	}
}

struct walk {
	const struct ir_module *m;
	struct mir_func **funcs;
	bool *reached;   /* by function */
	bool *open;      /* … is being looked at: a call of it is recursion */
	uint32_t *stack; /* … bytes that a call of it needs; NV_STACK_UNKNOWN: nobody can say */
	bool *taken;     /* … its address is taken */
};

static uint32_t stack_of(struct walk *w, uint32_t index);

static uint32_t deepest_of_taken(struct walk *w)
{
	uint32_t most = 0;

	for (uint32_t k = 0; k < w->m->nfuncs && most != NV_STACK_UNKNOWN; k++) {
		uint32_t bytes = w->taken[k] ? stack_of(w, k) : 0;

		most = bytes > most ? bytes : most;
	}
	return most;
}

/* Stack that a function and all that it calls need; marks what it can get to. */
static uint32_t stack_of(struct walk *w, uint32_t index)
{
	const struct mir_func *f = w->funcs[index];
	uint32_t most = 0;

	if (w->open[index])
		return NV_STACK_UNKNOWN;
	if (w->reached[index])
		return w->stack[index];
	w->reached[index] = w->open[index] = true;
	mir_for_each_block(f, b)
		mir_for_each(f, b, i) {
			uint32_t bytes = 0;

			if (i->sass.op == SASS_CALL_REL_REG)
				bytes = deepest_of_taken(w);
			else if (mir_is_call(i))
				bytes = stack_of(w, i->callee - 1);
			else if (i->callee)
				stack_of(w, i->callee - 1); /* to have it there */
			most = bytes > most ? bytes : most;
		}
	w->open[index] = false;
	w->stack[index] = most == NV_STACK_UNKNOWN ? most : most + f->frame_bytes;
	return w->stack[index];
}

static void find_taken(struct walk *w)
{
	for (const struct ir_func *f = w->m->funcs; f; f = f->next)
		ir_for_each_block(f, b)
			ir_for_each_inst(f, b, i)
				if (takes_address(ir_at(f, i)))
					w->taken[ir_at(f, i)->symbol] = true;
}

void nv_collect_calls(const struct nv_module *n, const struct ir_module *m, struct mir_func **funcs,
		      struct nv_text *text)
{
	struct arena *a = &n->job->arena;
	struct walk w = {.m = m, .funcs = funcs};

	w.reached = arena_array(a, m->nfuncs + 1, sizeof(*w.reached));
	w.open = arena_array(a, m->nfuncs + 1, sizeof(*w.open));
	w.stack = arena_array(a, m->nfuncs + 1, sizeof(*w.stack));
	w.taken = arena_array(a, m->nfuncs + 1, sizeof(*w.taken));
	find_taken(&w);
	text->stack_bytes = stack_of(&w, text->kernel->ir->index);
	for (uint32_t k = 0; k < m->nfuncs; k++)
		text->functions_first |= n->function_addresses && w.reached[k] &&
					 funcs[k] != text->kernel;
	text->functions_first |= n->function_addresses && text->kernel->calls;
	text->funcs = arena_array(a, m->nfuncs + 1, sizeof(struct mir_func *));
	/* Those with addresses in the same order everywhere, whether this kernel needs them or not;
	 * what they call, too. */
	for (uint32_t k = 0; text->functions_first && k < m->nfuncs; k++) {
		if (w.taken[k])
			stack_of(&w, k);
	}
	for (int taken = 1; taken >= 0; taken--) {
		for (uint32_t k = 0; k < m->nfuncs; k++) {
			if (w.reached[k] && w.taken[k] == (bool)taken &&
			    funcs[k] != text->kernel)
				text->funcs[text->nfuncs++] = funcs[k];
		}
	}
}
