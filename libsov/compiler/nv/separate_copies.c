// SPDX-License-Identifier: MIT
/*
 * Between an access to shared memory and the next asynchronous copy into it, ptxas 13.0 places
 * three loads that no lane executes, "@!PT LDS RZ, [RZ]": for SM80, SM86 and SM90, after each kind
 * of access, also across a block barrier, and on SM90 before the first copy of a kernel, too. What
 * happens without them is not known; presumably the copy may overtake the access. The same here,
 * before each copy that does not follow another one in its block.
 */
#include "libsov/compiler/nv/mir.h"

#define LOADS 3

static struct mir_inst *new_load(struct mir_func *f, uint32_t line)
{
	struct mir_inst *i = mir_inst_new(f, SASS_LDS);
	struct mir_source zero = {.op = {.kind = SASS_GPR, .reg = SASS_RZ}};
	struct mir_source at = {.op = {.kind = SASS_ADDR, .reg = SASS_RZ, .aux = SASS_NO_UREG}};

	mir_set_operand(i, 0, zero);
	mir_set_operand(i, 1, at);
	mir_set_guard(i, mir_pred_const(false));
	i->sass.mod[SASS_M_WIDTH] = SASS_WIDTH_32;
	i->line = line;
	return i;
}

void nv_separate_copies(struct mir_func *f)
{
	mir_for_each_block(f, b) {
		bool separate = false;

		mir_for_each(f, b, i) {
			if (i->sass.op == SASS_LDGSTS) {
				for (uint32_t k = 0; !separate && k < LOADS; k++)
					mir_insert(f, b, i, new_load(f, i->line));
				separate = true;
			} else if (sass_pipe(f->sm, &i->sass) == SASS_PIPE_SHARED || i->members) {
				separate = false;
			}
		}
	}
}
