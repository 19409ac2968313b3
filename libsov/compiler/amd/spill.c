// SPDX-License-Identifier: MIT
/*
 * Spilling: every instruction that uses a spilled vreg gets a temporary, with a reload before it
 * and a store after it. VGPR words go to scratch, after the function's variables. SGPR words go to
 * lanes of VGPRs that are live in the whole function (banks); v_readlane_b32 and v_writelane_b32
 * ignore EXEC. Lanes have live intervals like SGPRs, and regalloc.c assigns them. A constant is
 * rematerialised instead.
 */
#include <string.h>
#include "libsov/compiler/amd/mir.h"

#define MAX_SCRATCH_OFFSET 2047

struct spill {
	struct gcn_func *f;
	uint32_t vreg, at;            /* frame offset */
	uint32_t lane[GCN_MAX_WORDS]; /* by word */
	uint32_t writes;
	struct gcn_inst *def;    /* the last that writes it */
	struct gcn_src constant; /* its value if it is rematerialised */
	bool rematerialise;
};

static void allocate_lanes(struct spill *s)
{
	for (uint32_t k = 0; k < s->f->vregs[s->vreg].words; k++) {
		s->lane[k] = gcn_vreg_new(s->f, GCN_LANE, 1);
		s->f->vregs[s->lane[k]].unspillable = true;
		s->f->sgpr_spills++;
	}
}

bool gcn_reserve_banks(struct gcn_func *f, uint32_t count)
{
	bool more = false;

	for (; f->nbanks * GCN_BANK_LANES < count; more = true) {
		uint32_t bank = gcn_vreg_new(f, GCN_VECTOR, 1);

		f->vregs[bank].whole_function = true;
		f->banks[f->nbanks++] = bank;
	}
	return more;
}

/*
 * Adds an offset beyond the instruction's range to the frame register. Uses instructions that
 * preserve SCC.
 */
static struct gcn_src materialise_address(struct gcn_func *f, uint32_t b, struct gcn_inst *before,
					  uint32_t at)
{
	bool kernel = f->ir->kind == IR_KERNEL;
	uint32_t t = gcn_vreg_new(f, kernel ? GCN_SCALAR : GCN_VECTOR, 1);
	struct gcn_inst *i;

	f->vregs[t].unspillable = true;
	if (kernel) {
		gcn_move(f, b, before, gcn_word(f, t, 0), gcn_imm(at));
		return gcn_word(f, t, 0);
	}
	gcn_move(f, b, before, gcn_word(f, t, 0), gcn_imm(at));
	i = gcn_inst_new(f, AMD_v_add_nc_u32, AMD_PLAIN);
	gcn_set_operand(f, i, AMD_D, gcn_word(f, t, 0));
	gcn_set_operand(f, i, AMD_S0, gcn_reg(gcn_frame_register(f)));
	gcn_set_operand(f, i, AMD_S1, gcn_word(f, t, 0));
	gcn_insert(f, b, before, i);
	return gcn_word(f, t, 0);
}

/* Emits a scratch access; an offset beyond the range goes to a register. */
static struct gcn_inst *emit_scratch_access(struct spill *s, uint32_t b, struct gcn_inst *before,
					    enum amd_op op, uint32_t at)
{
	struct gcn_func *f = s->f;
	struct gcn_inst *i = gcn_inst_new(f, op, AMD_PLAIN);

	gcn_set_operand(f, i, AMD_S0, gcn_reg(AMD_VGPR));
	gcn_set_operand(f, i, AMD_S2,
			gcn_reg(f->ir->kind == IR_KERNEL ? AMD_EXEC_HI : gcn_frame_register(f)));
	i->in.field[AMD_F_OFFSET] = (int32_t)at;
	if (at > MAX_SCRATCH_OFFSET) {
		struct gcn_src far = materialise_address(f, b, before, at);

		if (gcn_is_vector(f, far))
			gcn_set_operand(f, i, AMD_S0, far);
		gcn_set_operand(f, i, AMD_S2, gcn_is_vector(f, far) ? gcn_reg(AMD_NULL) : far);
		i->in.field[AMD_F_OFFSET] = 0;
	}
	gcn_insert(f, b, before, i);
	return i;
}

static void transfer_word(struct spill *s, uint32_t b, struct gcn_inst *before, struct gcn_src x,
			  uint32_t k, bool store)
{
	struct gcn_func *f = s->f;
	struct gcn_inst *i;

	if (s->rematerialise) {
		if (!store)
			gcn_move(f, b, before, x, s->constant);
		return;
	}
	if (f->vregs[s->vreg].class == GCN_VECTOR) {
		i = emit_scratch_access(s, b, before,
					store ? AMD_scratch_store_dword : AMD_scratch_load_dword,
					s->at + 4 * k);
		gcn_set_operand(f, i, store ? AMD_S1 : AMD_D, x);
		return;
	}
	i = gcn_inst_new(f, store ? AMD_v_writelane_b32 : AMD_v_readlane_b32, AMD_PLAIN);
	gcn_set_operand(f, i, store ? AMD_S0 : AMD_D, x);
	gcn_add_implicit(f, i, s->lane[k], 1, store);
	gcn_insert(f, b, before, i);
}

static void rewrite_instruction(struct spill *s, uint32_t b, struct gcn_inst *i)
{
	struct gcn_func *f = s->f;
	uint32_t words = f->vregs[s->vreg].words, read = 0, written = 0, n, t;
	struct gcn_use uses[GCN_MAX_USES];
	struct gcn_inst *next = i->next;

	if (s->rematerialise && i == s->def) {
		gcn_remove(f, b, i);
		return;
	}
	n = gcn_uses(i, uses);
	for (uint32_t u = 0; u < n; u++)
		for (uint32_t k = 0; uses[u].ref.vreg == s->vreg && k < uses[u].count; k++)
			*(uses[u].write ? &written : &read) |= 1u << (uses[u].ref.part + k);
	if (!read && !written)
		return;
	t = gcn_vreg_new(f, f->vregs[s->vreg].class, words);
	f->vregs[t].unspillable = true;
	for (uint32_t slot = 0; slot < AMD_SLOTS; slot++)
		if (i->ref[slot].vreg == s->vreg)
			i->ref[slot].vreg = t;
	for (uint32_t k = 0; k < words; k++) {
		if (read >> k & 1)
			transfer_word(s, b, i, gcn_word(f, t, k), k, false);
		if (written >> k & 1)
			transfer_word(s, b, next, gcn_word(f, t, k), k, true);
	}
}

/* A spilled input is stored at function entry. */
static void spill_input(struct spill *s)
{
	struct gcn_func *f = s->f;
	uint32_t words = f->vregs[s->vreg].words,
		 t = gcn_vreg_new(f, f->vregs[s->vreg].class, words);
	struct gcn_inst *first = f->blocks[f->first].first;

	f->vregs[t].unspillable = true;
	for (uint32_t k = 0; k < GCN_INPUTS; k++) {
		f->input[k] = f->input[k] == s->vreg ? t : f->input[k];
		f->input_copy[k] = f->input_copy[k] == s->vreg ? t : f->input_copy[k];
	}
	f->vregs[s->vreg].fixed = -1;
	f->vregs[s->vreg].live_at_entry = false;
	for (uint32_t k = 0; k < words; k++)
		transfer_word(s, f->first, first, gcn_word(f, t, k), k, true);
}

static bool is_constant(struct gcn_src x)
{
	return !x.ref.vreg &&
	       (x.reg == AMD_LITERAL || (x.reg >= AMD_INT_0 && x.reg < AMD_INT_M1 + 16) ||
		(x.reg >= AMD_HALF && x.reg < AMD_HALF + 9));
}

/* A vreg that is written once, with a constant. */
static bool can_rematerialise(struct spill *s)
{
	const struct gcn_vreg *v = &s->f->vregs[s->vreg];
	const struct gcn_inst *i = s->def;

	if (s->writes != 1 || v->words != 1 || v->phi || v->fixed >= 0 || i->in.form != AMD_PLAIN ||
	    i->address.present || i->far ||
	    (i->in.row->op != AMD_s_mov_b32 && i->in.row->op != AMD_v_mov_b32))
		return false;
	s->constant = (struct gcn_src){i->ref[AMD_S0], i->in.reg[AMD_S0], i->in.literal};
	return is_constant(s->constant);
}

static void allocate_slot(struct spill *s)
{
	struct gcn_func *f = s->f;

	s->rematerialise = can_rematerialise(s);
	if (s->rematerialise)
		return;
	if (f->vregs[s->vreg].class != GCN_VECTOR) {
		allocate_lanes(s);
		return;
	}
	s->at = (f->frame_bytes + 3) & ~3u;
	f->frame_bytes = s->at + 4 * f->vregs[s->vreg].words;
	f->vgpr_spills += f->vregs[s->vreg].words;
	gcn_enable_scratch(f);
}

/* The spilled vregs that an instruction uses, by number in the list and without duplicates. */
static uint32_t list_spilled(const struct gcn_inst *i, const uint32_t *spill_of, uint32_t nvregs,
			     uint32_t list[GCN_MAX_USES])
{
	struct gcn_use uses[GCN_MAX_USES];
	uint32_t n = gcn_uses(i, uses), count = 0;

	for (uint32_t u = 0; u < n; u++) {
		uint32_t spill = uses[u].ref.vreg < nvregs ? spill_of[uses[u].ref.vreg] : 0,
			 k = count;

		if (!spill)
			continue;
		while (k && list[k - 1] > spill)
			k--;
		if (k && list[k - 1] == spill)
			continue;
		memmove(&list[k + 1], &list[k], (count++ - k) * sizeof(*list));
		list[k] = spill;
	}
	return count;
}

static void find_definitions(struct spill *spills, const uint32_t *spill_of, struct gcn_func *f)
{
	gcn_for_each_block(f, b)
		gcn_for_each(f, b, i) {
			struct gcn_use uses[GCN_MAX_USES];
			uint32_t n = gcn_uses(i, uses);

			for (uint32_t u = 0; u < n; u++) {
				uint32_t spill = spill_of[uses[u].ref.vreg];

				if (!spill || !uses[u].write)
					continue;
				spills[spill].writes++;
				spills[spill].def = i;
			}
		}
}

void gcn_spill(struct gcn_func *f, const uint32_t *vregs, uint32_t count)
{
	struct spill *spills = arena_array(f->arena, count + 1, sizeof(*spills));
	uint32_t nvregs = f->nvregs, *spill_of = arena_array(f->arena, nvregs, sizeof(*spill_of));

	if (!count)
		return;
	for (uint32_t k = 1; k <= count; k++) {
		spills[k] = (struct spill){.f = f, .vreg = vregs[k - 1]};
		spill_of[vregs[k - 1]] = k;
	}
	find_definitions(spills, spill_of, f);
	for (uint32_t k = 1; k <= count; k++)
		allocate_slot(&spills[k]);
	gcn_for_each_block(f, b)
		gcn_for_each_safe(f, b, i) {
			uint32_t list[GCN_MAX_USES], n = list_spilled(i, spill_of, nvregs, list);

			for (uint32_t k = 0; k < n; k++)
				rewrite_instruction(&spills[list[k]], b, i);
		}
	for (uint32_t k = 1; k <= count; k++)
		if (f->vregs[spills[k].vreg].fixed >= 0)
			spill_input(&spills[k]);
}
