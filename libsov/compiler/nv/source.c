// SPDX-License-Identifier: MIT
/*
 * Where code comes from: an instruction knows its line of the PTX text, and .loc says what that was
 * compiled from. Each kernel gets a table of these places for the image. An instruction that was added
 * (a move, a NOP) belongs to what stands before it.
 */
#include "libsov/compiler/cubin.h"
#include "libsov/compiler/nv/mir.h"
#include "libsov/compiler/nv/module.h"

void nv_list_files(struct compile_job *job, struct nv_plan *p, const struct ir_module *m)
{
	const char **names = arena_array(&job->arena, m->nfiles + 1, sizeof(*names));

	if (!m->nplaces)
		return;
	p->file = arena_array(&job->arena, m->nfiles + 1, sizeof(*p->file));
	for (uint32_t k = 0; k < m->nfiles; k++) {
		if (!m->files[k])
			continue;
		names[p->out.nfiles] = m->files[k];
		p->file[k] = ++p->out.nfiles;
	}
	p->out.files = names;
}

static void add_row(const struct mir_func *f, struct line_table *t, struct line_row row)
{
	const struct line_row *last = t->count ? &t->rows[t->count - 1] : NULL;

	if (last && last->line == row.line && last->file == row.file)
		return;
	t->rows = arena_grow(f->arena, t->rows, &t->capacity, t->count + 1, sizeof(*t->rows));
	t->rows[t->count++] = row;
}

static void add_function(const struct nv_module *n, const struct mir_func *f, struct line_table *t)
{
	const struct ir_module *m = f->ir->module;
	struct line_row row = {.file = 1}; /* nobody knows, up to the first that says */

	mir_for_each_block(f, b)
		mir_for_each(f, b, i) {
			const struct ir_place *p = ir_place_of(m, i->line);

			if (p && p->file < m->nfiles && n->plan->file[p->file]) {
				row.file = n->plan->file[p->file];
				row.line = p->line;
			}
			row.offset = i->offset;
			add_row(f, t, row);
		}
}

void nv_list_lines(const struct nv_module *n, const struct nv_text *text, uint32_t code_bytes,
		   struct line_table *t)
{
	t->end = code_bytes;
	if (!text->functions_first)
		add_function(n, text->kernel, t);
	for (uint32_t k = 0; k < text->nfuncs; k++)
		add_function(n, text->funcs[k], t);
	if (text->functions_first)
		add_function(n, text->kernel, t);
}
