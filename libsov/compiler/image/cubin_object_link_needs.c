// SPDX-License-Identifier: MIT
/*
 * Linker of relocatable cubins: what each kernel needs, from the call graph. Functions exist once,
 * so a shared variable that a function names has one address in all kernels; such variables come
 * first. Dynamic shared memory likewise begins at one offset in all kernels that use it.
 */
#include "hw/nv/bank0.h"
#include "hw/nv/cubin.h"
#include "libsov/compiler/image/cubin_object_link_state.h"

#define MAX_REGISTERS 255

struct needs {
	uint32_t registers, barriers, services;
	bool dynamic_shared, common_shared;
};

static void visit(struct linker *l, uint32_t index)
{
	if (l->functions[index].visited == l->walk)
		return;
	l->functions[index].visited = l->walk;
	l->work[l->nwork++] = index;
}

/* The needs of a kernel and of all functions that it reaches. */
static void add_needs(struct linker *l, struct needs *n, uint32_t index)
{
	bool indirect = false;

	l->nwork = 0;
	visit(l, index);
	while (l->nwork) {
		const struct function *f = &l->functions[l->work[--l->nwork]];

		if (f->out.registers > n->registers)
			n->registers = f->out.registers;
		if (f->out.barriers > n->barriers)
			n->barriers = f->out.barriers;
		n->services |= f->services;
		n->dynamic_shared |= f->dynamic_shared;
		for (uint32_t k = 0; k < f->nshared; k++)
			n->common_shared |= f->shared[k]->named_by_function;
		for (uint32_t k = 0; k < f->ncallees; k++)
			visit(l, f->callees[k]);
		for (uint32_t k = 0; f->indirect && !indirect && k < l->nfunctions; k++)
			if (l->functions[k].address_taken)
				visit(l, k);
		indirect |= f->indirect;
	}
}

#define MAX_CALL_DEPTH 4096

static uint32_t stack_depth(struct linker *l, uint32_t index, uint32_t depth);

/* The deepest of the functions whose addresses are taken, once per walk. */
static uint32_t indirect_depth(struct linker *l, uint32_t depth)
{
	uint32_t deepest = 0;

	if (l->indirect_walk == l->walk)
		return l->indirect_stack;
	l->indirect_walk = l->walk;
	l->indirect_stack = NV_STACK_UNKNOWN; /* for an indirect call in one of them */
	for (uint32_t k = 0; k < l->nfunctions; k++) {
		uint32_t bytes = l->functions[k].address_taken ? stack_depth(l, k, depth) : 0;

		deepest = bytes > deepest ? bytes : deepest;
	}
	l->indirect_stack = deepest;
	return deepest;
}

/* Stack bytes of a function with its callees; recursion and deep chains count as unknown. */
static uint32_t stack_depth(struct linker *l, uint32_t index, uint32_t depth)
{
	struct function *f = &l->functions[index];
	uint32_t deepest = 0;

	if (f->on_path == l->walk || depth > MAX_CALL_DEPTH)
		return NV_STACK_UNKNOWN;
	if (f->visited == l->walk)
		return f->stack;
	f->visited = f->on_path = l->walk;
	if (f->indirect)
		deepest = indirect_depth(l, depth + 1);
	for (uint32_t k = 0; k < f->ncallees; k++) {
		uint32_t bytes = stack_depth(l, f->callees[k], depth + 1);

		deepest = bytes > deepest ? bytes : deepest;
	}
	f->on_path = 0;
	f->stack = deepest == NV_STACK_UNKNOWN ? NV_STACK_UNKNOWN : deepest + f->out.frame_bytes;
	return f->stack;
}

static uint32_t place_shared(struct symbol *s, uint32_t at)
{
	at = (uint32_t)((at + s->value - 1) / s->value * s->value);
	s->shared_at = at;
	return at + (uint32_t)s->size;
}

/* Variables that functions or several kernels name, at one address in all of them. */
static uint32_t place_common_shared(struct linker *l)
{
	uint32_t at = 0;

	for (uint32_t k = 0; k < l->nfunctions; k++) {
		for (uint32_t v = 0; v < l->functions[k].nshared; v++) {
			struct symbol *s = l->functions[k].shared[v];

			s->named_by_function |= s->shared_users > 1;
			if (!s->shared || !s->named_by_function || s->shared_at)
				continue;
			at = place_shared(s, at);
			s->shared_at++; /* 0: not placed yet */
		}
	}
	for (uint32_t k = 0; k < l->nfunctions; k++)
		for (uint32_t v = 0; v < l->functions[k].nshared; v++)
			l->functions[k].shared[v]->shared_users = 0;
	return at;
}

uint32_t link_shared_address(const struct symbol *s, uint32_t dynamic_at)
{
	return !s->shared ? dynamic_at : s->named_by_function ? s->shared_at - 1 : s->shared_at;
}

static const char *const *service_names(struct linker *l, uint32_t mask, uint32_t *count)
{
	const char **names = arena_array(&l->arena, SERVICES, sizeof(*names));

	for (uint32_t s = 0; s < SERVICES; s++)
		if (mask >> s & 1)
			names[(*count)++] = services[s].name;
	return names;
}

static bool measure_kernel(struct linker *l, uint32_t index, uint32_t common, struct needs *n)
{
	struct function *f = &l->functions[index];
	uint32_t at;

	*n = (struct needs){0};
	l->walk++;
	add_needs(l, n, index);
	at = n->common_shared ? common : 0;
	for (uint32_t v = 0; v < f->nshared; v++)
		if (f->shared[v]->shared && !f->shared[v]->named_by_function)
			at = place_shared(f->shared[v], at);
	if (n->registers > MAX_REGISTERS)
		return link_fail(l, "kernel '%.64s' needs %u registers", f->out.name, n->registers);
	f->out.registers = n->registers;
	f->out.barriers = n->barriers;
	f->out.shared_bytes = at;
	f->out.shared = at || n->dynamic_shared;
	f->out.callees = service_names(l, n->services, &f->out.ncallees);
	l->walk++;
	f->out.stack_bytes = stack_depth(l, index, 0);
	return true;
}

bool link_measure_kernels(struct linker *l, uint32_t *dynamic_at)
{
	uint32_t common = place_common_shared(l),
		 reserved = l->sm >= 90 ? NV_SM90_RESERVED_SHARED : 0;
	struct needs *needs = arena_array(&l->arena, l->nfunctions + 1, sizeof(*needs));

	l->work = arena_array(&l->arena, l->nfunctions + 1, sizeof(*l->work));
	*dynamic_at = 0;
	for (uint32_t k = 0; k < l->nfunctions; k++) {
		struct cubin_kernel *out = &l->functions[k].out;

		if (out->function)
			continue;
		if (!measure_kernel(l, k, common, &needs[k]))
			return false;
		if (needs[k].dynamic_shared && out->shared_bytes > *dynamic_at)
			*dynamic_at = out->shared_bytes;
	}
	*dynamic_at =
		(*dynamic_at + LINK_DYNAMIC_ALIGN - 1) / LINK_DYNAMIC_ALIGN * LINK_DYNAMIC_ALIGN;
	for (uint32_t k = 0; k < l->nfunctions; k++) {
		struct cubin_kernel *out = &l->functions[k].out;

		if (needs[k].dynamic_shared)
			out->shared_bytes = *dynamic_at;
		if (out->shared)
			out->shared_bytes += reserved;
	}
	return true;
}
