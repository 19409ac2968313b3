// SPDX-License-Identifier: MIT
/*
 * Module layout and linking: amd_plan() lays out variables before any code exists, and amd_link()
 * assembles the units' code fragments into a code object. Constants are ordinary variables: gfx10
 * has no constant memory other than what scalar loads read.
 */
#include <stdlib.h>
#include "libsov/compiler/amd/module.h"
#include "libsov/compiler/image/image.h"

#define MAX_KERNELS 65536
#define MAX_BYTES   (1u << 30) /* per section: the writer's offsets have 32 bits */
#define MAX_ALIGN   IMAGE_MAX_ALIGN

static bool layout_variable(struct compile_job *job, struct amd_plan *p, uint32_t k)
{
	const struct ir_symbol *s = &p->module->symbols[k];
	enum amd_data_section section = s->init || s->naddresses ? AMD_DATA : AMD_BSS;
	uint32_t align = s->align ? s->align : 1;
	uint64_t at = (p->bytes[section] + align - 1) / align * align;

	if (s->external) {
		diag_error(&job->diag, 0, 0,
			   "variable '%s' is external, and nothing is linked here; define it",
			   s->name);
		return false;
	}
	if (align > MAX_ALIGN || at > MAX_BYTES || s->size > MAX_BYTES - at) {
		diag_error(&job->diag, 0, 0,
			   "variable '%s' of %llu bytes, aligned to %u, does not fit: there are %u "
			   "bytes, "
			   "aligned to %u at most",
			   s->name, (unsigned long long)s->size, align, MAX_BYTES, MAX_ALIGN);
		return false;
	}
	p->variables[k] = (struct amd_variable){(uint8_t)section, at};
	p->bytes[section] = at + s->size;
	if (align > p->align)
		p->align = align;
	return true;
}

/* Lays out the pointers among a variable's initial bytes. */
static bool layout_pointers(struct compile_job *job, struct amd_plan *p, uint32_t k)
{
	const struct ir_module *m = p->module;
	const struct ir_symbol *s = &m->symbols[k];

	for (uint32_t j = 0; j < s->naddresses;) {
		const struct ir_address *a = &s->addresses[j];
		uint32_t pieces = ir_address_parts(a, s->naddresses - j);

		if (pieces && a->function) {
			p->function_pointers = arena_grow(
				&job->arena, p->function_pointers, &p->function_pointers_capacity,
				p->nfunction_pointers + 1, sizeof(*p->function_pointers));
			p->function_pointers[p->nfunction_pointers++] =
				(struct amd_function_pointer){k, a->offset,
							      AMD_FUNCTION_TABLE_OFFSET(a->target) +
								      a->addend};
			j += pieces;
			continue;
		}
		if (!pieces || p->variables[a->target].section == AMD_DATA_SECTIONS) {
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

static bool layout_variables(struct compile_job *job, struct amd_plan *p)
{
	const struct ir_module *m = p->module;

	p->variables = arena_array(&job->arena, m->nsymbols + 1, sizeof(*p->variables));
	for (uint32_t k = 0; k < m->nsymbols; k++) {
		uint8_t space = m->symbols[k].space;

		p->variables[k].section = AMD_DATA_SECTIONS;
		if ((space == IR_GLOBAL || space == IR_CONSTANT) && !layout_variable(job, p, k))
			return false;
	}
	for (uint32_t k = 0; k < m->nsymbols; k++)
		if (p->variables[k].section != AMD_DATA_SECTIONS && !layout_pointers(job, p, k))
			return false;
	return true;
}

static void layout_services(struct amd_plan *p, const struct ir_module *m)
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
	if (p->ndeclared <= MAX_KERNELS)
		return true;
	diag_error(&job->diag, 0, 0, "the module has %u kernels; up to %u fit into a code object",
		   p->ndeclared, MAX_KERNELS);
	return false;
}

void *amd_plan(struct compile_job *job, const struct ir_module *m, const uint32_t *unit_of)
{
	struct amd_plan *p = arena_alloc(&job->arena, sizeof(*p));

	p->module = m;
	if (!declare_kernels(job, p, m, unit_of) || !layout_variables(job, p))
		return NULL;
	layout_services(p, m);
	p->files = line_files_new(&job->arena, m);
	return p;
}

/* Functions that a unit has added have no order among those of other units. */
static int compare_fragment_order(const void *a, const void *b)
{
	const struct amd_fragment *const *x = a, *const *y = b;

	if ((*x)->order != (*y)->order)
		return (*x)->order > (*y)->order ? 1 : -1;
	if ((*x)->unit != (*y)->unit)
		return (*x)->unit > (*y)->unit ? 1 : -1;
	return ((*x)->index > (*y)->index) - ((*x)->index < (*y)->index);
}

void amd_link(struct compile_job *job, const void *plan, void *const *code, uint32_t units,
	      enum image_content content, struct compile_image *out)
{
	struct arena *a = &job->arena;
	struct amd_fragment **fragments;
	uint32_t n = 0;

	for (uint32_t u = 0; u < units; u++)
		n += ((const struct amd_code *)code[u])->nfragments;
	fragments = arena_array(a, n + 1, sizeof(*fragments));
	n = 0;
	for (uint32_t u = 0; u < units; u++) {
		const struct amd_code *c = code[u];

		for (uint32_t k = 0; k < c->nfragments; k++) {
			c->fragments[k].unit = u;
			fragments[n++] = &c->fragments[k];
		}
	}
	qsort(fragments, n, sizeof(*fragments), compare_fragment_order);
	out->stats = arena_array(a, n + 1, sizeof(*out->stats));
	for (uint32_t k = 0; k < n; k++)
		if (fragments[k]->kernel)
			out->stats[out->nstats++] = fragments[k]->stats;
	out->data = amd_object_write(a, plan, fragments, n, content, &out->size);
}
