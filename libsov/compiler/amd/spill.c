// SPDX-License-Identifier: MIT
/*
 * Spilling: a register goes, and each instruction that mentions it has one of its own for the moment. Words
 * of vector registers go to scratch, behind the function's variables. Words of scalar registers go to lanes
 * of vector registers that live everywhere; reading and writing a lane asks nobody which lanes are on. Lanes
 * live as scalar registers do, and are assigned with them.
 */
#include "libsov/compiler/amd/mir.h"

#define MOST_OFFSET 2047

struct spill {
	struct gcn_func *f;
	uint32_t vreg, at; /* bytes in the frame */
	uint32_t lane[16]; /* by word */
};

static void find_lanes(struct spill *s)
{
	for (uint32_t k = 0; k < s->f->vregs[s->vreg].words; k++) {
		s->lane[k] = gcn_vreg_new(s->f, GCN_LANE, 1);
		s->f->vregs[s->lane[k]].fetched = true;
		s->f->sgpr_spills++;
	}
}

bool gcn_need_lanes(struct gcn_func *f, uint32_t count)
{
	bool more = false;

	for (; f->nbanks * GCN_BANK_LANES < count; more = true) {
		uint32_t bank = gcn_vreg_new(f, GCN_VECTOR, 1);

		f->vregs[bank].everywhere = true;
		f->banks[f->nbanks++] = bank;
	}
	return more;
}

/* The frame's register and what an instruction cannot say beside it, added where SCC is left alone. */
static struct gcn_src far_address(struct gcn_func *f, uint32_t b, struct gcn_inst *before,
				  uint32_t at)
{
	bool kernel = f->ir->kind == IR_KERNEL;
	uint32_t t = gcn_vreg_new(f, kernel ? GCN_SCALAR : GCN_VECTOR, 1);
	struct gcn_inst *i;

	f->vregs[t].fetched = true;
	if (kernel) {
		gcn_move(f, b, before, gcn_at(f, t, 0), gcn_imm(at));
		return gcn_at(f, t, 0);
	}
	gcn_move(f, b, before, gcn_at(f, t, 0), gcn_imm(at));
	i = gcn_inst_new(f, AMD_v_add_nc_u32, AMD_PLAIN);
	gcn_set(f, i, AMD_D, gcn_at(f, t, 0));
	gcn_set(f, i, AMD_S0, gcn_reg(gcn_frame(f)));
	gcn_set(f, i, AMD_S1, gcn_at(f, t, 0));
	gcn_insert(f, b, before, i);
	return gcn_at(f, t, 0);
}

/* An address behind the reach of an instruction is in a register. */
static struct gcn_inst *scratch(struct spill *s, uint32_t b, struct gcn_inst *before,
				enum amd_op op, uint32_t at)
{
	struct gcn_func *f = s->f;
	struct gcn_inst *i = gcn_inst_new(f, op, AMD_PLAIN);

	gcn_set(f, i, AMD_S0, gcn_reg(AMD_VGPR));
	gcn_set(f, i, AMD_S2, gcn_reg(f->ir->kind == IR_KERNEL ? AMD_EXEC_HI : gcn_frame(f)));
	i->in.field[AMD_F_OFFSET] = (int32_t)at;
	if (at > MOST_OFFSET) {
		struct gcn_src far = far_address(f, b, before, at);

		if (gcn_is_vector(f, far))
			gcn_set(f, i, AMD_S0, far);
		gcn_set(f, i, AMD_S2, gcn_is_vector(f, far) ? gcn_reg(AMD_NULL) : far);
		i->in.field[AMD_F_OFFSET] = 0;
	}
	gcn_insert(f, b, before, i);
	return i;
}

static void move_word(struct spill *s, uint32_t b, struct gcn_inst *before, struct gcn_src x,
		      uint32_t k, bool store)
{
	struct gcn_func *f = s->f;
	struct gcn_inst *i;

	if (f->vregs[s->vreg].class == GCN_VECTOR) {
		i = scratch(s, b, before, store ? AMD_scratch_store_dword : AMD_scratch_load_dword,
			    s->at + 4 * k);
		gcn_set(f, i, store ? AMD_S1 : AMD_D, x);
		return;
	}
	i = gcn_inst_new(f, store ? AMD_v_writelane_b32 : AMD_v_readlane_b32, AMD_PLAIN);
	gcn_set(f, i, store ? AMD_S0 : AMD_D, x);
	gcn_carry(f, i, s->lane[k], 1, store);
	gcn_insert(f, b, before, i);
}

static void replace(struct spill *s, uint32_t b, struct gcn_inst *i)
{
	struct gcn_func *f = s->f;
	uint32_t words = f->vregs[s->vreg].words, read = 0, written = 0, n, t;
	struct gcn_use uses[GCN_MAX_USES];
	struct gcn_inst *next = i->next;

	n = gcn_uses(i, uses);
	for (uint32_t u = 0; u < n; u++)
		for (uint32_t k = 0; uses[u].ref.vreg == s->vreg && k < uses[u].count; k++)
			*(uses[u].write ? &written : &read) |= 1u << (uses[u].ref.part + k);
	if (!read && !written)
		return;
	t = gcn_vreg_new(f, f->vregs[s->vreg].class, words);
	f->vregs[t].fetched = true;
	for (uint32_t slot = 0; slot < AMD_SLOTS; slot++)
		if (i->ref[slot].vreg == s->vreg)
			i->ref[slot].vreg = t;
	for (uint32_t k = 0; k < words; k++) {
		if (read >> k & 1)
			move_word(s, b, i, gcn_at(f, t, k), k, false);
		if (written >> k & 1)
			move_word(s, b, next, gcn_at(f, t, k), k, true);
	}
}

/* What comes in a register is put away first. */
static void keep_first(struct spill *s)
{
	struct gcn_func *f = s->f;
	uint32_t words = f->vregs[s->vreg].words,
		 t = gcn_vreg_new(f, f->vregs[s->vreg].class, words);
	struct gcn_inst *first = f->blocks[f->first].first;

	f->vregs[t].fetched = true;
	for (uint32_t k = 0; k < GCN_COMES; k++) {
		f->come[k] = f->come[k] == s->vreg ? t : f->come[k];
		f->kept[k] = f->kept[k] == s->vreg ? t : f->kept[k];
	}
	f->vregs[s->vreg].fixed = -1;
	f->vregs[s->vreg].comes = false;
	for (uint32_t k = 0; k < words; k++)
		move_word(s, f->first, first, gcn_at(f, t, k), k, true);
}

void gcn_spill(struct gcn_func *f, uint32_t vreg)
{
	struct spill s = {.f = f, .vreg = vreg};

	if (!vreg)
		return;
	if (f->vregs[vreg].class == GCN_VECTOR) {
		s.at = (f->frame_bytes + 3) & ~3u;
		f->frame_bytes = s.at + 4 * f->vregs[vreg].words;
		f->vgpr_spills += f->vregs[vreg].words;
		gcn_need_scratch(f);
	} else {
		find_lanes(&s);
	}
	gcn_for_each_block(f, b)
		gcn_for_each_safe(f, b, i)
			replace(&s, b, i);
	if (f->vregs[vreg].fixed >= 0)
		keep_first(&s);
}
