// SPDX-License-Identifier: MIT
/*
 * Call graph. The code of each kernel contains every function that it can reach, so the image may
 * contain a function several times. If addresses of functions are taken, these functions come first
 * in every kernel that calls anything, in the same order: an address, which is an offset from the
 * kernel's first byte, then is the same in all kernels of the module.
 */
#include <stdlib.h>
#include "hw/nv/cubin.h"
#include "libsov/compiler/nv/mir.h"
#include "libsov/compiler/nv/module.h"

static void mark_address_taken(struct nv_module *n, uint32_t function)
{
	n->address_taken[function] = n->function_addresses = true;
}

void nv_analyse_calls(struct nv_module *n, const struct ir_module *m)
{
	n->address_taken = arena_array(&n->job->arena, m->nfuncs + 1, sizeof(*n->address_taken));
	if (n->job->options.relocatable)
		return; /* addresses are absolute */
	for (const struct ir_func *f = m->funcs; f; f = f->next)
		ir_for_each_block(f, b)
			ir_for_each_inst(f, b, i)
				if (ir_at(f, i)->op == IR_FUNCADDR)
					mark_address_taken(n, ir_at(f, i)->symbol);
	for (uint32_t k = 0; k < m->nsymbols; k++) {
		for (uint32_t j = 0; j < m->symbols[k].naddresses; j++) {
			if (m->symbols[k].addresses[j].function)
				mark_address_taken(n, m->symbols[k].addresses[j].target);
		}
	}
}

uint32_t *nv_function_offsets(const struct nv_module *n, const struct ir_module *m,
			      struct mir_func **funcs)
{
	uint32_t *offsets = arena_array(&n->job->arena, m->nfuncs + 1, sizeof(*offsets));
	uint32_t at = NV_FUNCTIONS_OFFSET;

	for (uint32_t k = 0; k < m->nfuncs; k++) {
		if (!n->address_taken[k] || !funcs[k])
			continue;
		offsets[k] = at;
		at += nv_function_bytes(funcs[k]);
	}
	return offsets;
}

struct call_walk {
	const struct ir_module *m;
	struct mir_func **funcs;
	bool *reached;             /* by function */
	bool *on_path;             /* on the current call path: a call of it is recursion */
	uint32_t *stack;           /* stack bytes that a call needs; NV_STACK_UNKNOWN: unbounded */
	const bool *address_taken; /* its address is taken */
	uint32_t *list, nlist;     /* the functions that are reached */
};

static uint32_t stack_depth(struct call_walk *w, uint32_t index);

static uint32_t max_indirect_depth(struct call_walk *w)
{
	uint32_t max_bytes = 0;

	for (uint32_t k = 0; k < w->m->nfuncs && max_bytes != NV_STACK_UNKNOWN; k++) {
		uint32_t bytes = w->address_taken[k] && w->funcs[k] ? stack_depth(w, k) : 0;

		max_bytes = bytes > max_bytes ? bytes : max_bytes;
	}
	return max_bytes;
}

/* Stack depth of a function with all of its callees; marks the functions that it reaches. */
static uint32_t stack_depth(struct call_walk *w, uint32_t index)
{
	const struct mir_func *f = w->funcs[index];
	uint32_t max_bytes = 0;

	if (w->on_path[index])
		return NV_STACK_UNKNOWN;
	if (w->reached[index])
		return w->stack[index];
	w->reached[index] = w->on_path[index] = true;
	w->list[w->nlist++] = index;
	mir_for_each_block(f, b)
		mir_for_each(f, b, i) {
			uint32_t bytes = 0;

			if (i->abi)
				continue; /* the loader or linker of the image knows */
			if (i->sass.op == SASS_CALL_REL_REG)
				bytes = max_indirect_depth(w);
			else if (mir_is_call(i))
				bytes = stack_depth(w, i->callee - 1);
			else if (i->callee)
				stack_depth(w, i->callee - 1); /* only marks it as reached */
			max_bytes = bytes > max_bytes ? bytes : max_bytes;
		}
	w->on_path[index] = false;
	w->stack[index] = f->has_alloca || max_bytes == NV_STACK_UNKNOWN
				  ? NV_STACK_UNKNOWN
				  : max_bytes + f->frame_bytes;
	return w->stack[index];
}

static int compare_numbers(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

struct call_walk *nv_call_walk_new(const struct nv_module *n, const struct ir_module *m,
				   struct mir_func **funcs)
{
	struct arena *a = &n->job->arena;
	struct call_walk *w = arena_alloc(a, sizeof(*w));

	*w = (struct call_walk){.m = m, .funcs = funcs, .address_taken = n->address_taken};
	w->reached = arena_array(a, m->nfuncs + 1, sizeof(*w->reached));
	w->on_path = arena_array(a, m->nfuncs + 1, sizeof(*w->on_path));
	w->stack = arena_array(a, m->nfuncs + 1, sizeof(*w->stack));
	w->list = arena_array(a, m->nfuncs + 1, sizeof(*w->list));
	return w;
}

void nv_collect_callees(const struct nv_module *n, struct call_walk *w, struct nv_text *text)
{
	while (w->nlist)
		w->reached[w->list[--w->nlist]] = false;
	text->stack_bytes = stack_depth(w, text->kernel->ir->index);
	text->functions_first = n->function_addresses && (w->nlist > 1 || text->kernel->calls);
	/* Functions whose addresses are taken have the same order in all kernels, needed here or
	 * not, as do their callees. */
	for (uint32_t k = 0; text->functions_first && k < w->m->nfuncs; k++) {
		if (w->address_taken[k] && w->funcs[k])
			stack_depth(w, k);
	}
	qsort(w->list, w->nlist, sizeof(*w->list), compare_numbers);
	text->funcs = arena_array(&n->job->arena, w->nlist, sizeof(struct mir_func *));
	for (int address_taken = 1; address_taken >= 0; address_taken--) {
		for (uint32_t k = 0; k < w->nlist; k++) {
			struct mir_func *f = w->funcs[w->list[k]];

			if (w->address_taken[w->list[k]] == (bool)address_taken &&
			    f != text->kernel)
				text->funcs[text->nfuncs++] = f;
		}
	}
}
