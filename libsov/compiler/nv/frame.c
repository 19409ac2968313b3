// SPDX-License-Identifier: MIT
/*
 * The frame: a function's part of the stack, which is local memory. R1 points to its lowest byte,
 * and spilled registers and local variables lie above at fixed distances. The stack grows down; a
 * launch puts its top into constant bank 0.
 */
#include "hw/nv/bank0.h"
#include "libsov/compiler/nv/mir.h"

static struct mir_source stack_pointer(void)
{
	return (struct mir_source){.op = {.kind = SASS_GPR, .reg = MIR_STACK}};
}

void nv_prologue(struct mir_func *f)
{
	struct mir_inst *first = f->blocks[f->entry].first, *i;
	uint32_t bytes = (f->frame_bytes + 15) / 16 * 16;

	if (!f->stack)
		return;
	i = mir_inst_new(f, SASS_MOV);
	mir_set(i, 0, stack_pointer());
	mir_set(i, 1, (struct mir_source){.op = {.kind = SASS_CONST, .reg = SASS_RZ,
						 .value = NV_BANK0_STACK}});
	mir_insert(f, f->entry, first, i);
	i = mir_inst_new(f, SASS_IADD3);
	mir_set(i, 0, stack_pointer());
	mir_set(i, 3, stack_pointer());
	mir_set(i, 4, mir_imm(0u - bytes));
	mir_set(i, 5, (struct mir_source){.op = {.kind = SASS_GPR, .reg = SASS_RZ}});
	mir_insert(f, f->entry, first, i);
}
