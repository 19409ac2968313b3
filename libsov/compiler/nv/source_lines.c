// SPDX-License-Identifier: MIT
/*
 * Line tables: an instruction has its line of the PTX text, and .loc maps that to the original
 * source. Each kernel gets a table of these locations for the image. An inserted instruction (a
 * move, a NOP) belongs to the line before it.
 */
#include "libsov/compiler/image/cubin_write.h"
#include "libsov/compiler/nv/mir.h"
#include "libsov/compiler/nv/module.h"

static void add_function_lines(const struct nv_module *n, const struct mir_func *f,
			       struct line_table *t)
{
	const struct ir_module *m = f->ir->module;
	struct line_row row = {.file = 1}; /* unknown up to the first .loc */

	mir_for_each_block(f, b)
		mir_for_each(f, b, i) {
			line_row_locate(&n->plan->files, m, i->line, &row);
			row.offset = i->offset;
			line_table_append(f->arena, t, row);
		}
}

void nv_build_line_table(const struct nv_module *n, const struct nv_text *text, uint32_t code_bytes,
			 struct line_table *t)
{
	t->end = code_bytes;
	if (!text->functions_first)
		add_function_lines(n, text->kernel, t);
	for (uint32_t k = 0; k < text->nfuncs; k++)
		add_function_lines(n, text->funcs[k], t);
	if (text->functions_first)
		add_function_lines(n, text->kernel, t);
}
