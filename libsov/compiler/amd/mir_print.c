// SPDX-License-Identifier: MIT
/* Prints MIR: LLVM's assembly syntax, followed by the virtual registers of the operands. */
#include "libsov/compiler/amd/mir.h"

static void print_inst(const struct gcn_func *f, const struct gcn_inst *i, struct text *t)
{
	static const char *const slots[AMD_SLOTS] = {"d", "x", "0", "1", "2"};
	char line[200];

	amd_print(&i->in, line, sizeof(line));
	text_printf(t, "%s", line);
	for (uint32_t s = 0; s < AMD_SLOTS; s++)
		if (i->ref[s].vreg)
			text_printf(t, " %s=%%%c%u.%u", slots[s],
				    f->vregs[i->ref[s].vreg].class == GCN_VECTOR ? 'v' : 's',
				    i->ref[s].vreg, i->ref[s].part);
	if (i->target)
		text_printf(t, " -> b%u", i->target);
}

char *gcn_print_inst(const struct gcn_func *f, const struct gcn_inst *i)
{
	struct text t = {.arena = f->arena};

	print_inst(f, i, &t);
	return t.s;
}

char *gcn_print(const struct gcn_func *f)
{
	struct text t = {.arena = f->arena};

	gcn_for_each_block(f, b) {
		text_printf(&t, "b%u:\n", b);
		gcn_for_each(f, b, i) {
			text_printf(&t, "\t");
			print_inst(f, i, &t);
			text_printf(&t, "\n");
		}
	}
	return t.s ? t.s : "";
}
