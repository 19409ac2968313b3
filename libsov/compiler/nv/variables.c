// SPDX-License-Identifier: MIT
/*
 * Layout of the module's variables. Global variables lie in two sections, initialised and zero;
 * code reads their addresses from a table in constant bank 4 that the loader fills in. Constants
 * lie in bank 3 from the start, so their offsets are known here. Shared variables belong to kernels
 * and local variables to frames: select.c lays those out.
 */
#include <string.h>
#include "hw/nv/bank0.h"
#include "libsov/compiler/nv/module.h"

static uint64_t align_up(uint64_t at, uint64_t align)
{
	return align > 1 ? (at + align - 1) / align * align : at;
}

static void mark_used_symbols(const struct ir_func *f, bool *used)
{
	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i)
			if (ir_at(f, i)->op == IR_ADDR)
				used[ir_at(f, i)->symbol] = true;
}

/* Shared variables that functions name. If one of them has dynamic size, which is laid out last:
 * all. */
void nv_find_common_shared(struct nv_module *n, const struct ir_module *m)
{
	bool dynamic = false;

	n->common = arena_array(&n->job->arena, m->nsymbols + 1, sizeof(*n->common));
	for (const struct ir_func *f = m->funcs; f; f = f->next)
		if (f->kind == IR_FUNCTION)
			mark_used_symbols(f, n->common);
	for (uint32_t k = 0; k < m->nsymbols; k++)
		dynamic |= n->common[k] && m->symbols[k].external;
	for (const struct ir_func *f = m->funcs; f && dynamic; f = f->next)
		mark_used_symbols(f, n->common);
}

/* Device services that are called, after the addresses of variables. */
static void layout_services(struct compile_job *job, struct nv_plan *p, const struct ir_module *m)
{
	uint32_t called = services_called(m);

	for (uint32_t s = 0; s < SERVICES; s++) {
		if (!(called >> s & 1))
			continue;
		p->service_offset[s] = (uint32_t)p->out.bytes[CUBIN_CONSTANT_ADDRESSES];
		p->out.bytes[CUBIN_CONSTANT_ADDRESSES] += 8;
		p->addresses = arena_grow(&job->arena, p->addresses, &p->addresses_capacity,
					  p->out.naddresses + 1, sizeof(*p->addresses));
		p->addresses[p->out.naddresses++] = (struct cubin_address){
			.section = CUBIN_CONSTANT_ADDRESSES,
			.offset = p->service_offset[s],
			.variable = CUBIN_EXTERNAL + s,
		};
		p->out.externals[s] = services[s].name;
	}
}

static void add_address(struct compile_job *job, struct nv_plan *p, enum cubin_data_section section,
			uint64_t offset, uint32_t symbol, uint64_t addend)
{
	p->addresses = arena_grow(&job->arena, p->addresses, &p->addresses_capacity,
				  p->out.naddresses + 1, sizeof(*p->addresses));
	p->addresses[p->out.naddresses++] = (struct cubin_address){.section = (uint8_t)section,
								   .offset = offset,
								   .variable = p->variable[symbol],
								   .addend = addend};
}

/* An address in the initial value of a variable. */
static bool layout_initial_address(struct compile_job *job, struct nv_plan *p,
				   const struct ir_module *m, uint32_t symbol,
				   const struct ir_address *a, uint32_t count)
{
	struct cubin_variable *var = &p->variables[p->variable[symbol]];
	const struct ir_symbol *to = &m->symbols[a->target];

	if (a->function && count && job->options.relocatable) {
		add_address(job, p, var->section, var->offset + a->offset, 0, a->addend);
		p->addresses[p->out.naddresses - 1].function = m->table[a->target]->name;
		return true;
	}
	if (a->function && count && m->table[a->target]->kind == IR_FUNCTION)
		return true; /* see nv_patch_function_addresses() */
	if (a->function || !count || to->space != IR_GLOBAL) {
		diag_error(&job->diag, 0, 0,
			   "variable '%s': %s at byte %llu is not supported on %s yet",
			   m->symbols[symbol].name,
			   !count        ? "a part of an address"
			   : a->function ? "the address of a function without a body"
					 : "an address that is not one in global memory",
			   (unsigned long long)a->offset, job->target->name);
		return false;
	}
	add_address(job, p, var->section, var->offset + a->offset, a->target, a->addend);
	return true;
}

static bool layout_variable(struct compile_job *job, struct nv_plan *p,
			    const struct ir_symbol *symbol, uint32_t k)
{
	bool constant = symbol->space == IR_CONSTANT;
	enum cubin_data_section section = constant                     ? CUBIN_CONSTANT_VARIABLES
					  : symbol->space == IR_SHARED ? CUBIN_SHARED
					  : symbol->init || symbol->naddresses ? CUBIN_GLOBAL_INIT
									       : CUBIN_GLOBAL_ZERO;
	uint64_t at = align_up(p->out.bytes[section], symbol->align);

	if (symbol->external && !job->options.relocatable) {
		diag_error(&job->diag, 0, 0,
			   "variable '%s' is external, and nothing is linked here; define it",
			   symbol->name);
		return false;
	}
	if (symbol->size > UINT32_MAX - at || (constant && at + symbol->size > NV_BANK_BYTES)) {
		diag_error(&job->diag, 0, 0,
			   "variable '%s' of %llu bytes does not fit: there are %u bytes of %s",
			   symbol->name, (unsigned long long)symbol->size,
			   constant ? NV_BANK_BYTES : UINT32_MAX,
			   constant ? "constants" : "variables");
		return false;
	}
	p->variable[k] = p->out.nvariables;
	p->variables[p->out.nvariables++] = (struct cubin_variable){
		symbol->name, (uint8_t)section, symbol->align,   at,
		symbol->size, symbol->init,     symbol->linkage, symbol->external};
	if (!symbol->external)
		p->out.bytes[section] = at + symbol->size;
	if (constant)
		p->offset[k] = (uint32_t)at;
	return true;
}

struct cubin_variable *nv_patch_function_addresses(struct arena *arena, const struct nv_plan *p,
						   const uint32_t *offsets)
{
	struct cubin_variable *variables =
		arena_array(arena, p->out.nvariables + 1, sizeof(*variables));

	memcpy(variables, p->variables, p->out.nvariables * sizeof(*variables));
	for (uint32_t k = 0; k < p->module->nsymbols; k++) {
		const struct ir_symbol *symbol = &p->module->symbols[k];
		uint8_t *init = NULL;

		for (uint32_t j = 0; j < symbol->naddresses; j++) {
			const struct ir_address *a = &symbol->addresses[j];
			uint64_t value = a->function ? offsets[a->target] + a->addend : 0;

			if (!a->function)
				continue;
			if (!init) {
				init = arena_alloc(arena, symbol->size);
				if (symbol->init)
					memcpy(init, symbol->init, symbol->size);
				variables[p->variable[k]].init = init;
			}
			for (uint32_t byte = 0; byte < a->bytes; byte++)
				init[a->offset + byte] = (uint8_t)(value >> (8 * byte + a->shift));
		}
	}
	return variables;
}

/* Addresses of variables that code names, and addresses in initial values. */
static bool layout_addresses(struct compile_job *job, struct nv_plan *p, const struct ir_module *m,
			     const bool *used)
{
	for (uint32_t k = 0; k < m->nsymbols; k++) {
		const struct ir_symbol *symbol = &m->symbols[k];

		if (symbol->space == IR_GLOBAL && used[k] && !job->options.relocatable) {
			p->offset[k] = (uint32_t)p->out.bytes[CUBIN_CONSTANT_ADDRESSES];
			p->out.bytes[CUBIN_CONSTANT_ADDRESSES] += 8;
			add_address(job, p, CUBIN_CONSTANT_ADDRESSES, p->offset[k], k, 0);
		}
		if (symbol->space != IR_GLOBAL && symbol->space != IR_CONSTANT)
			continue;
		for (uint32_t j = 0; j < symbol->naddresses;) {
			const struct ir_address *first = &symbol->addresses[j];
			uint32_t count = ir_address_parts(first, symbol->naddresses - j);

			if (!layout_initial_address(job, p, m, k, first, count))
				return false;
			j += count;
		}
	}
	return true;
}

bool nv_layout_variables(struct compile_job *job, struct nv_plan *p, const struct ir_module *m)
{
	struct arena *a = &job->arena;
	bool *used = arena_array(a, m->nsymbols + 1, sizeof(*used));

	p->module = m;
	p->offset = arena_array(a, m->nsymbols + 1, sizeof(*p->offset));
	p->variable = arena_array(a, m->nsymbols + 1, sizeof(*p->variable));
	p->variables = arena_array(a, m->nsymbols + 1, sizeof(*p->variables));
	for (const struct ir_func *f = m->funcs; f; f = f->next)
		mark_used_symbols(f, used);
	for (uint32_t k = 0; k < m->nsymbols; k++) {
		const struct ir_symbol *symbol = &m->symbols[k];

		if ((symbol->space == IR_GLOBAL || symbol->space == IR_CONSTANT ||
		     (symbol->space == IR_SHARED && job->options.relocatable)) &&
		    !layout_variable(job, p, symbol, k))
			return false;
	}
	if (!layout_addresses(job, p, m, used))
		return false;
	if (!job->options.relocatable)
		layout_services(job, p, m);
	p->out.variables = p->variables;
	p->out.addresses = p->addresses;
	return true;
}
