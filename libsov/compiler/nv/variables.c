// SPDX-License-Identifier: MIT
/*
 * The module's own variables. Those in global memory lie in two sections, with initial values and
 * without; code finds their addresses in a table in constant bank 4, which whoever loads the module
 * fills in. Constants lie in bank 3 from the start, so their places are known here. Shared variables
 * belong to kernels and local ones to frames: these are not here.
 */
#include <string.h>
#include "libsov/compiler/nv/module.h"

#define MOST_CONSTANT_BYTES 0x10000

static uint64_t align_up(uint64_t at, uint64_t align)
{
	return align > 1 ? (at + align - 1) / align * align : at;
}

static void find_used(struct nv_module *n, const struct ir_module *m)
{
	for (const struct ir_func *f = m->funcs; f; f = f->next)
		ir_for_each_block(f, b)
			ir_for_each_inst(f, b, i)
				if (ir_at(f, i)->op == IR_ADDR)
					n->used[ir_at(f, i)->symbol] = true;
}

/* Services that are called, after the variables of which code takes the address. */
static void place_services(struct nv_module *n, const struct ir_module *m)
{
	bool called[SERVICES] = {false};

	for (const struct ir_func *f = m->funcs; f; f = f->next)
		ir_for_each_block(f, b)
			ir_for_each_inst(f, b, i) {
				const struct ir_inst *in = ir_at(f, i);
				enum service s = in->op == IR_CALL &&
						 m->table[in->symbol]->kind == IR_EXTERNAL
							 ? service_find(m->table[in->symbol]->name)
							 : SERVICES;

				if (s < SERVICES)
					called[s] = true;
			}
	for (uint32_t s = 0; s < SERVICES; s++) {
		if (!called[s])
			continue;
		n->service_offset[s] = (uint32_t)n->out.bytes[CUBIN_ADDRESSES];
		n->out.bytes[CUBIN_ADDRESSES] += 8;
		n->addresses = arena_grow(&n->job->arena, n->addresses, &n->addresses_capacity,
					  n->out.naddresses + 1, sizeof(*n->addresses));
		n->addresses[n->out.naddresses++] = (struct cubin_address){
			.place = CUBIN_ADDRESSES,
			.offset = n->service_offset[s],
			.variable = CUBIN_EXTERNAL + s,
		};
		n->out.externals[s] = services[s].name;
	}
}

static struct cubin_address *add_address(struct nv_module *n, enum cubin_place place,
					 uint64_t offset, uint32_t symbol, uint64_t addend)
{
	struct cubin_address *a;

	n->addresses = arena_grow(&n->job->arena, n->addresses, &n->addresses_capacity,
				  n->out.naddresses + 1, sizeof(*n->addresses));
	a = &n->addresses[n->out.naddresses++];
	*a = (struct cubin_address){(uint8_t)place, offset, n->variable[symbol], addend};
	return a;
}

/* How many of these make one address: one, or eight that have a byte of it each; 0: they do not. */
static uint32_t pieces(const struct ir_address *a, uint32_t left)
{
	uint32_t bytes = 0;

	for (uint32_t k = 0; k < left && bytes < 8; k++) {
		if (a[k].offset != a->offset + bytes || a[k].shift != 8 * bytes ||
		    a[k].target != a->target || a[k].addend != a->addend ||
		    a[k].function != a->function)
			return 0;
		bytes += a[k].bytes;
		if (bytes == 8)
			return k + 1;
	}
	return 0;
}

/* An address among the initial values of a variable. */
static bool place_address(struct nv_module *n, const struct ir_module *m, uint32_t symbol,
			  const struct ir_address *a, uint32_t count)
{
	struct cubin_variable *var = &n->variables[n->variable[symbol]];
	const struct ir_symbol *to = &m->symbols[a->target];

	if (a->function && count && m->table[a->target]->kind == IR_FUNCTION)
		return true; /* nv_fill_in_functions */
	if (a->function || !count || to->space != IR_GLOBAL) {
		diag_error(&n->job->diag, 0, 0,
			   "variable '%s': %s at byte %llu is not supported on %s yet",
			   m->symbols[symbol].name,
			   !count	 ? "a part of an address"
			   : a->function ? "the address of a function without a body"
					 : "an address that is not one in global memory",
			   (unsigned long long)a->offset, n->job->target->name);
		return false;
	}
	add_address(n, var->place, var->offset + a->offset, a->target, a->addend);
	return true;
}

static bool place_variable(struct nv_module *n, const struct ir_symbol *symbol, uint32_t k)
{
	bool constant = symbol->space == IR_CONSTANT;
	enum cubin_place place = constant                              ? CUBIN_CONSTANTS
				 : symbol->init || symbol->naddresses ? CUBIN_INITIAL
								      : CUBIN_ZERO;
	uint64_t at = align_up(n->out.bytes[place], symbol->align);

	if (symbol->external) {
		diag_error(&n->job->diag, 0, 0,
			   "variable '%s' is external, and nothing is linked here; define it",
			   symbol->name);
		return false;
	}
	if (symbol->size > UINT32_MAX - at ||
	    (constant && at + symbol->size > MOST_CONSTANT_BYTES)) {
		diag_error(&n->job->diag, 0, 0,
			   "variable '%s' of %llu bytes does not fit: there are %u bytes of %s",
			   symbol->name, (unsigned long long)symbol->size,
			   constant ? MOST_CONSTANT_BYTES : UINT32_MAX,
			   constant ? "constants" : "variables");
		return false;
	}
	n->variable[k] = n->out.nvariables;
	n->variables[n->out.nvariables++] = (struct cubin_variable){
		symbol->name, (uint8_t)place, symbol->align, at, symbol->size, symbol->init};
	n->out.bytes[place] = at + symbol->size;
	if (constant)
		n->offset[k] = (uint32_t)at;
	return true;
}

void nv_fill_in_functions(struct nv_module *n, const struct ir_module *m, const uint32_t *offsets)
{
	for (uint32_t k = 0; k < m->nsymbols; k++) {
		const struct ir_symbol *symbol = &m->symbols[k];
		uint8_t *init = NULL;

		for (uint32_t j = 0; j < symbol->naddresses; j++) {
			const struct ir_address *a = &symbol->addresses[j];
			uint64_t value = a->function ? offsets[a->target] + a->addend : 0;

			if (!a->function)
				continue;
			if (!init) {
				init = arena_alloc(&n->job->arena, symbol->size);
				if (symbol->init)
					memcpy(init, symbol->init, symbol->size);
				n->variables[n->variable[k]].init = init;
			}
			for (uint32_t byte = 0; byte < a->bytes; byte++)
				init[a->offset + byte] = (uint8_t)(value >> (8 * byte + a->shift));
		}
	}
}

bool nv_place_variables(struct nv_module *n, const struct ir_module *m)
{
	struct arena *a = &n->job->arena;

	n->used = arena_array(a, m->nsymbols + 1, sizeof(*n->used));
	n->offset = arena_array(a, m->nsymbols + 1, sizeof(*n->offset));
	n->variable = arena_array(a, m->nsymbols + 1, sizeof(*n->variable));
	n->variables = arena_array(a, m->nsymbols + 1, sizeof(*n->variables));
	find_used(n, m);
	for (uint32_t k = 0; k < m->nsymbols; k++) {
		const struct ir_symbol *symbol = &m->symbols[k];

		if ((symbol->space == IR_GLOBAL || symbol->space == IR_CONSTANT) &&
		    !place_variable(n, symbol, k))
			return false;
	}
	for (uint32_t k = 0; k < m->nsymbols; k++) {
		const struct ir_symbol *symbol = &m->symbols[k];

		if (symbol->space == IR_GLOBAL && n->used[k]) {
			n->offset[k] = (uint32_t)n->out.bytes[CUBIN_ADDRESSES];
			n->out.bytes[CUBIN_ADDRESSES] += 8;
			add_address(n, CUBIN_ADDRESSES, n->offset[k], k, 0);
		}
		if (symbol->space != IR_GLOBAL && symbol->space != IR_CONSTANT)
			continue;
		for (uint32_t j = 0; j < symbol->naddresses;) {
			const struct ir_address *first = &symbol->addresses[j];
			uint32_t count = pieces(first, symbol->naddresses - j);

			if (!place_address(n, m, k, first, count))
				return false;
			j += count;
		}
	}
	place_services(n, m);
	n->out.variables = n->variables;
	n->out.addresses = n->addresses;
	return true;
}
