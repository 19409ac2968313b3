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

static void take(struct nv_module *n, uint32_t function)
{
	n->taken[function] = n->function_addresses = true;
}

void nv_survey_calls(struct nv_module *n, const struct ir_module *m)
{
	n->taken = arena_array(&n->job->arena, m->nfuncs + 1, sizeof(*n->taken));
	for (const struct ir_func *f = m->funcs; f; f = f->next)
		ir_for_each_block(f, b)
			ir_for_each_inst(f, b, i)
				if (ir_at(f, i)->op == IR_FUNCADDR)
					take(n, ir_at(f, i)->symbol);
	for (uint32_t k = 0; k < m->nsymbols; k++) {
		for (uint32_t j = 0; j < m->symbols[k].naddresses; j++) {
			if (m->symbols[k].addresses[j].function)
				take(n, m->symbols[k].addresses[j].target);
		}
	}
}

uint32_t *nv_function_offsets(const struct nv_module *n, const struct ir_module *m,
			      struct mir_func **funcs)
{
	uint32_t *offsets = arena_array(&n->job->arena, m->nfuncs + 1, sizeof(*offsets));
	uint32_t at = NV_FIRST_FUNCTION;

	for (uint32_t k = 0; k < m->nfuncs; k++) {
		if (!n->taken[k] || !funcs[k])
			continue;
		offsets[k] = at;
		at += nv_function_bytes(funcs[k]);
	}
	return offsets;
}

struct walk {
	const struct ir_module *m;
	struct mir_func **funcs;
	bool *reached;     /* by function */
	bool *open;        /* … is being looked at: a call of it is recursion */
	uint32_t *stack;   /* … bytes that a call of it needs; NV_STACK_UNKNOWN: nobody can say */
	const bool *taken; /* … its address is taken */
};

static uint32_t stack_of(struct walk *w, uint32_t index);

static uint32_t deepest_of_taken(struct walk *w)
{
	uint32_t most = 0;

	for (uint32_t k = 0; k < w->m->nfuncs && most != NV_STACK_UNKNOWN; k++) {
		uint32_t bytes = w->taken[k] && w->funcs[k] ? stack_of(w, k) : 0;

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

			if (i->service)
				continue; /* whoever loads the image knows */
			if (i->sass.op == SASS_CALL_REL_REG)
				bytes = deepest_of_taken(w);
			else if (mir_is_call(i))
				bytes = stack_of(w, i->callee - 1);
			else if (i->callee)
				stack_of(w, i->callee - 1); /* to have it there */
			most = bytes > most ? bytes : most;
		}
	w->open[index] = false;
	w->stack[index] =
		f->dynamic || most == NV_STACK_UNKNOWN ? NV_STACK_UNKNOWN : most + f->frame_bytes;
	return w->stack[index];
}

void nv_collect_calls(const struct nv_module *n, const struct ir_module *m, struct mir_func **funcs,
		      struct nv_text *text)
{
	struct arena *a = &n->job->arena;
	struct walk w = {.m = m, .funcs = funcs, .taken = n->taken};

	w.reached = arena_array(a, m->nfuncs + 1, sizeof(*w.reached));
	w.open = arena_array(a, m->nfuncs + 1, sizeof(*w.open));
	w.stack = arena_array(a, m->nfuncs + 1, sizeof(*w.stack));
	text->stack_bytes = stack_of(&w, text->kernel->ir->index);
	for (uint32_t k = 0; k < m->nfuncs; k++)
		text->functions_first |=
			n->function_addresses && w.reached[k] && funcs[k] != text->kernel;
	text->functions_first |= n->function_addresses && text->kernel->calls;
	text->funcs = arena_array(a, m->nfuncs + 1, sizeof(struct mir_func *));
	/* Those with addresses in the same order everywhere, whether this kernel needs them or not;
	 * what they call, too. */
	for (uint32_t k = 0; text->functions_first && k < m->nfuncs; k++) {
		if (w.taken[k] && funcs[k])
			stack_of(&w, k);
	}
	for (int taken = 1; taken >= 0; taken--) {
		for (uint32_t k = 0; k < m->nfuncs; k++) {
			if (w.reached[k] && w.taken[k] == (bool)taken && funcs[k] != text->kernel)
				text->funcs[text->nfuncs++] = funcs[k];
		}
	}
}
