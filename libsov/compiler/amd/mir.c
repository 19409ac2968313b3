// SPDX-License-Identifier: MIT
/* Building MIR: registers, blocks, instructions and operands. */
#include <string.h>
#include "libsov/compiler/amd/mir.h"
#include "libsov/compiler/mir/inst_list.h"

uint32_t gcn_vreg_new(struct gcn_func *f, enum gcn_class class, uint32_t words)
{
	f->vregs = arena_grow(f->arena, f->vregs, &f->vregs_capacity, f->nvregs + 1,
			      sizeof(*f->vregs));
	f->vregs[f->nvregs] =
		(struct gcn_vreg){.class = (uint8_t)class, .words = (uint8_t)words, .fixed = -1};
	return f->nvregs++;
}

uint32_t gcn_block_new(struct gcn_func *f)
{
	f->blocks = arena_grow(f->arena, f->blocks, &f->blocks_capacity, f->nblocks + 1,
			       sizeof(*f->blocks));
	f->blocks[f->nblocks] = (struct gcn_block){0};
	return f->nblocks++;
}

void gcn_layout_append(struct gcn_func *f, uint32_t b)
{
	if (f->last)
		f->blocks[f->last].next = b;
	else
		f->first = b;
	f->last = b;
}

void gcn_insert(struct gcn_func *f, uint32_t b, struct gcn_inst *before, struct gcn_inst *i)
{
	struct gcn_block *block = &f->blocks[b];

	inst_list_insert(block, before, i);
}

void gcn_remove(struct gcn_func *f, uint32_t b, struct gcn_inst *i)
{
	struct gcn_block *block = &f->blocks[b];

	inst_list_remove(block, i);
}

struct gcn_inst *gcn_inst_new(struct gcn_func *f, enum amd_op op, enum amd_form form)
{
	struct gcn_inst *i = arena_alloc(f->arena, sizeof(*i));

	amd_init(&i->in, op, form);
	i->mode = GCN_MODE_ANY;
	return i;
}

void gcn_set_operand(struct gcn_func *f, struct gcn_inst *i, enum amd_slot slot, struct gcn_src s)
{
	i->ref[slot] = s.ref;
	if (s.ref.vreg)
		s.reg = f->vregs[s.ref.vreg].class == GCN_VECTOR ? AMD_VGPR : 0;
	else if (s.reg == AMD_LITERAL)
		i->in.literal = s.literal;
	i->in.reg[slot] = s.reg;
}

struct gcn_inst *gcn_append_scalar(struct gcn_func *f, uint32_t b, enum amd_op op, struct gcn_src d,
				   struct gcn_src x, struct gcn_src y)
{
	struct gcn_inst *i = gcn_inst_new(f, op, AMD_PLAIN);

	gcn_set_operand(f, i, AMD_D, d);
	gcn_set_operand(f, i, AMD_S0, x);
	gcn_set_operand(f, i, AMD_S1, y);
	gcn_insert(f, b, NULL, i);
	return i;
}

/* A VGPR word moves to an SGPR from the first active lane. */
struct gcn_inst *gcn_move(struct gcn_func *f, uint32_t b, struct gcn_inst *before, struct gcn_src d,
			  struct gcn_src s)
{
	struct gcn_inst *i = gcn_inst_new(f,
					  gcn_is_vector(f, d)   ? AMD_v_mov_b32
					  : gcn_is_vector(f, s) ? AMD_v_readfirstlane_b32
								: AMD_s_mov_b32,
					  AMD_PLAIN);

	gcn_set_operand(f, i, AMD_D, d);
	gcn_set_operand(f, i, AMD_S0, s);
	i->copy = true;
	gcn_insert(f, b, before, i);
	if (d.ref.vreg && s.ref.vreg && f->vregs[d.ref.vreg].class == f->vregs[s.ref.vreg].class) {
		f->vregs[d.ref.vreg].hint = s.ref.vreg;
		f->vregs[s.ref.vreg].hint = d.ref.vreg;
	}
	return i;
}

void gcn_jump(struct gcn_func *f, uint32_t b, enum amd_op op, uint32_t target)
{
	struct gcn_inst *i = gcn_inst_new(f, op, AMD_PLAIN);
	struct gcn_block *block = &f->blocks[b];

	i->target = target;
	gcn_insert(f, b, NULL, i);
	if (target)
		block->linear_succ[block->nlinear_succ++] = target;
}

struct gcn_src gcn_imm(uint32_t value)
{
	int32_t v = (int32_t)value;

	if (v >= 0 && v <= 64)
		return gcn_reg((uint16_t)(AMD_INT_0 + v));
	if (v < 0 && v >= -16)
		return gcn_reg((uint16_t)(AMD_INT_M1 - 1 - v));
	for (uint32_t k = 0; k < 9; k++)
		if (amd_constant_single[k] == value)
			return gcn_reg((uint16_t)(AMD_HALF + k));
	return (struct gcn_src){.reg = AMD_LITERAL, .literal = value};
}

struct gcn_src gcn_word(const struct gcn_func *f, uint32_t vreg, uint32_t part)
{
	return (struct gcn_src){
		.ref = {vreg, (uint8_t)part},
		.reg = f->vregs[vreg].class == GCN_VECTOR ? AMD_VGPR : 0,
	};
}

uint32_t gcn_uses(const struct gcn_inst *i, struct gcn_use uses[GCN_MAX_USES])
{
	struct amd_use all[AMD_MAX_USES];
	uint32_t n = amd_uses(&i->in, all), count = 0;

	for (uint32_t u = 0; u < n; u++)
		if (all[u].slot < AMD_SLOTS && i->ref[all[u].slot].vreg)
			uses[count++] =
				(struct gcn_use){i->ref[all[u].slot], all[u].count, all[u].write};
	for (uint32_t k = 0; k < i->nimplicit; k++)
		uses[count++] = i->implicit[k];
	return count;
}

uint32_t gcn_vreg_fixed(struct gcn_func *f, enum gcn_class class, uint32_t words, uint32_t reg)
{
	uint32_t v = gcn_vreg_new(f, class, words);

	f->vregs[v].fixed = (int16_t)reg;
	f->vregs[v].unspillable = true;
	return v;
}

void gcn_add_implicit(struct gcn_func *f, struct gcn_inst *i, uint32_t vreg, uint32_t words,
		      bool write)
{
	if (!words)
		return;
	if (!i->implicit)
		i->implicit = arena_array(f->arena, GCN_MAX_IMPLICIT, sizeof(*i->implicit));
	i->implicit[i->nimplicit++] = (struct gcn_use){{vreg, 0}, (uint8_t)words, write};
}

/* Calls clobber input registers, so with calls an input is copied. */
struct gcn_src gcn_input(struct gcn_func *f, enum gcn_input what, enum gcn_class class,
			 uint32_t words)
{
	if (!f->input[what]) {
		f->input[what] = gcn_vreg_new(f, class, words);
		f->input_copy[what] = f->has_calls ? gcn_vreg_new(f, class, words) : f->input[what];
	}
	return gcn_word(f, f->input_copy[what], 0);
}
