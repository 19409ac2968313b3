// SPDX-License-Identifier: MIT
/*
 * Selection of asynchronous accesses to shared memory of any block of the cluster (SM90), as ptxas
 * does it: STAS and REDAS take the address and the barrier's address in a pair of registers.
 * ACQBULK waits for the grids before.
 */
#include "libsov/compiler/nv/select.h"

#define MAX_WORDS 4

/* The access is made in another block, too, and at any time until its barrier completes. */
static const struct mir_memory all_memory = {MIR_READS | MIR_WRITES | MIR_ORDERED, IR_SPACE_COUNT,
					     0};

static struct mir_source address_and_barrier(struct select *s, ir_val address, ir_val barrier)
{
	struct arg words[2] = {arg_word(s, address), arg_word(s, barrier)};
	struct mir_source at = in_vector(s, words, 2);

	at.op.kind = SASS_ADDR;
	at.op.aux = SASS_NO_UREG;
	at.op.flags = SASS_A64;
	return at;
}

bool select_store_async(struct select *s, const struct ir_inst *in)
{
	static const uint8_t widths[MAX_WORDS + 1] = {
		[1] = SASS_WIDTH_32, [2] = SASS_WIDTH_64, [4] = SASS_WIDTH_128};
	struct mir_source at = address_and_barrier(s, in->args[0], in->args[1]), data;
	uint32_t count = in->nargs - 2;
	struct arg words[MAX_WORDS];
	struct mir_inst *i;

	for (uint32_t k = 0; k < count; k++)
		words[k] = arg_word(s, in->args[2 + k]);
	data = count == 1 ? in_reg(s, words[0]) : in_vector(s, words, count);
	i = EMIT(s, STAS, at, data);
	set_mod(i, SASS_M_WIDTH, widths[count]);
	i->memory = all_memory;
	return true;
}

bool select_red_async(struct select *s, const struct ir_inst *in)
{
	struct mir_source at = address_and_barrier(s, in->args[1], in->args[2]),
			  data = in->type == IR_B64 ? in_pair(s, arg_pair(s, in->args[0]))
						    : in_reg(s, arg_word(s, in->args[0]));
	struct mir_inst *i = EMIT(s, REDAS, at, data);

	set_mod(i, SASS_M_ATOM, select_atom_op(in));
	set_mod(i, SASS_M_ATYPE, select_atom_type(in));
	i->memory = all_memory;
	return true;
}

bool select_grid_wait(struct select *s, const struct ir_inst *in)
{
	(void)in;
	emit(s, SASS_ACQBULK, NULL, 0)->memory = all_memory;
	return true;
}
