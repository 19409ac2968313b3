// SPDX-License-Identifier: MIT
/*
 * Where code comes from: an instruction knows its line of the PTX text, and .loc says what that was
 * compiled from. Each kernel gets a table of these places for the image. An instruction that was added
 * (a move, a NOP) belongs to what stands before it.
 */
#include "libsov/compiler/image/cubin_write.h"
#include "libsov/compiler/nv/mir.h"
#include "libsov/compiler/nv/module.h"

static void add_function(const struct nv_module *n, const struct mir_func *f, struct line_table *t)
{
	const struct ir_module *m = f->ir->module;
	struct line_row row = {.file = 1}; /* nobody knows, up to the first that says */

	mir_for_each_block(f, b)
		mir_for_each(f, b, i) {
			line_row_locate(&n->plan->files, m, i->line, &row);
			row.offset = i->offset;
			line_table_append(f->arena, t, row);
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
