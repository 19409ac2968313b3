// SPDX-License-Identifier: MIT
/*
 * The module around AMD's code: variables get their places before there is any, and pieces of code that
 * units leave become a code object. Constants are variables like others: gfx10 has no constant memory but
 * what scalar loads read.
 */
#include <stdlib.h>
#include "libsov/compiler/amd/module.h"

#define MOST_KERNELS 65536
#define MOST_BYTES \
	(1u << 30) /* of variables of one kind: offsets in ELF files of ours have 32 bits */
#define MOST_ALIGN 256

static bool place_variable(struct compile_job *job, struct amd_plan *p, uint32_t k)
{
	const struct ir_symbol *s = &p->module->symbols[k];
	enum amd_data_place place = s->init || s->naddresses ? AMD_DATA : AMD_BSS;
	uint32_t align = s->align ? s->align : 1;
	uint64_t at = (p->bytes[place] + align - 1) / align * align;

	if (s->external) {
		diag_error(&job->diag, 0, 0,
			   "variable '%s' is external, and nothing is linked here; define it",
			   s->name);
		return false;
	}
	if (align > MOST_ALIGN || at > MOST_BYTES || s->size > MOST_BYTES - at) {
		diag_error(&job->diag, 0, 0,
			   "variable '%s' of %llu bytes, aligned to %u, does not fit: there are %u "
			   "bytes, "
			   "aligned to %u at most",
			   s->name, (unsigned long long)s->size, align, MOST_BYTES, MOST_ALIGN);
		return false;
	}
	p->variables[k] = (struct amd_variable){(uint8_t)place, at};
	p->bytes[place] = at + s->size;
	return true;
}

/* The addresses among a variable's first bytes. */
static bool place_addresses(struct compile_job *job, struct amd_plan *p, uint32_t k)
{
	const struct ir_module *m = p->module;
	const struct ir_symbol *s = &m->symbols[k];

	for (uint32_t j = 0; j < s->naddresses;) {
		const struct ir_address *a = &s->addresses[j];
		uint32_t pieces = ir_address_parts(a, s->naddresses - j);

		if (pieces && a->function) {
			p->numbers = arena_grow(&job->arena, p->numbers, &p->numbers_capacity,
						p->nnumbers + 1, sizeof(*p->numbers));
			p->numbers[p->nnumbers++] = (struct amd_number){
				k, a->offset, AMD_FUNCTION_NUMBER(a->target) + a->addend};
			j += pieces;
			continue;
		}
		if (!pieces || p->variables[a->target].place == AMD_PLACES) {
			diag_error(&job->diag, 0, 0,
				   "variable '%s': %s at byte %llu is not supported on %s yet",
				   s->name,
				   !pieces ? "a part of an address"
					   : "an address that is not one in global memory",
				   (unsigned long long)a->offset, job->target->name);
			return false;
		}
		p->addresses = arena_grow(&job->arena, p->addresses, &p->addresses_capacity,
					  p->naddresses + 1, sizeof(*p->addresses));
		p->addresses[p->naddresses++] =
			(struct amd_address){k, a->target, a->offset, a->addend};
		j += pieces;
	}
	return true;
}

static bool place_variables(struct compile_job *job, struct amd_plan *p)
{
	const struct ir_module *m = p->module;

	p->variables = arena_array(&job->arena, m->nsymbols + 1, sizeof(*p->variables));
	for (uint32_t k = 0; k < m->nsymbols; k++) {
		uint8_t space = m->symbols[k].space;

		p->variables[k].place = AMD_PLACES;
		if ((space == IR_GLOBAL || space == IR_CONSTANT) && !place_variable(job, p, k))
			return false;
	}
	for (uint32_t k = 0; k < m->nsymbols; k++)
		if (p->variables[k].place != AMD_PLACES && !place_addresses(job, p, k))
			return false;
	return true;
}

static void place_services(struct amd_plan *p, const struct ir_module *m)
{
	p->services = services_called(m);
	for (uint32_t s = 0; s < SERVICES; s++) {
		if (!(p->services >> s & 1))
			continue;
		p->service_offset[s] = (p->bytes[AMD_DATA] + 7) / 8 * 8;
		p->bytes[AMD_DATA] = p->service_offset[s] + 8;
	}
}

static bool declare_kernels(struct compile_job *job, struct amd_plan *p, const struct ir_module *m,
			    const uint32_t *unit_of)
{
	const char **names = arena_array(&job->arena, m->nfuncs + 1, sizeof(*names));
	uint32_t *units = arena_array(&job->arena, m->nfuncs + 1, sizeof(*units));

	p->declared = names;
	p->declared_unit = units;
	for (const struct ir_func *f = m->funcs; f; f = f->next) {
		if (!amd_is_entry(job, f))
			continue;
		names[p->ndeclared] = f->name;
		units[p->ndeclared++] = unit_of ? unit_of[f->index] : 0;
	}
	if (p->ndeclared && p->ndeclared <= MOST_KERNELS)
		return true;
	diag_error(&job->diag, 0, 0, "the module has %u kernels; 1 to %u fit into a code object",
		   p->ndeclared, MOST_KERNELS);
	return false;
}

void *amd_plan(struct compile_job *job, const struct ir_module *m, const uint32_t *unit_of)
{
	struct amd_plan *p = arena_alloc(&job->arena, sizeof(*p));

	p->module = m;
	if (!declare_kernels(job, p, m, unit_of) || !place_variables(job, p))
		return NULL;
	place_services(p, m);
	p->files = line_files_new(&job->arena, m);
	return p;
}

static int by_index(const void *a, const void *b)
{
	const struct amd_piece *const *x = a, *const *y = b;

	return ((*x)->index > (*y)->index) - ((*x)->index < (*y)->index);
}

void amd_link(struct compile_job *job, const void *plan, void *const *code, uint32_t units,
	      enum image_content content, struct compile_image *out)
{
	struct arena *a = &job->arena;
	struct amd_piece **pieces;
	uint32_t n = 0;

	for (uint32_t u = 0; u < units; u++)
		n += ((const struct amd_code *)code[u])->npieces;
	pieces = arena_array(a, n + 1, sizeof(*pieces));
	n = 0;
	for (uint32_t u = 0; u < units; u++) {
		const struct amd_code *c = code[u];

		for (uint32_t k = 0; k < c->npieces; k++)
			pieces[n++] = &c->pieces[k];
	}
	qsort(pieces, n, sizeof(*pieces), by_index);
	out->stats = arena_array(a, n + 1, sizeof(*out->stats));
	for (uint32_t k = 0; k < n; k++)
		if (pieces[k]->kernel)
			out->stats[out->nstats++] = pieces[k]->stats;
	out->data = amd_object_write(a, plan, pieces, n, content, &out->size);
}
