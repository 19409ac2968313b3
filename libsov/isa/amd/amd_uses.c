// SPDX-License-Identifier: MIT
/*
 * Registers that an instruction reads and writes, for dependence analysis, allocation and the
 * software GPU's hazard mode: the operands, and the implicit registers of the row's flags.
 */
#include "libsov/isa/amd/amd_row.h"

struct use_list {
	struct amd_use *uses;
	uint32_t n;
};

static void add_use(struct use_list *l, uint32_t reg, uint32_t count, uint32_t slot, bool write)
{
	if (reg == AMD_SCC)
		count = 1; /* one bit, whatever the width of the operand */
	if (reg != AMD_NULL && count && (reg < AMD_INT_0 || reg >= AMD_VGPR || reg == AMD_SCC))
		l->uses[l->n++] =
			(struct amd_use){(uint16_t)reg, (uint8_t)count, (uint8_t)slot, write};
}

/* Whether DPP disables lanes: those without a source, unless they read 0, and those masked out. */
static bool disables_lanes(const struct amd_inst *in)
{
	return in->form == AMD_DPP8 ||
	       (in->form == AMD_DPP &&
		(!in->field[AMD_F_BOUND_CTRL] ||
		 (in->field[AMD_F_ROW_MASK] & in->field[AMD_F_BANK_MASK]) != 15));
}

/* Whether the result depends on the destination's earlier value: an operand of the operation, lanes
 * that DPP disables, or bits that SDWA preserves. */
static bool reads_destination(const struct amd_inst *in)
{
	return in->row->flags & (READS_D | D_SOURCE | SWAPS) || disables_lanes(in) ||
	       (in->form == AMD_SDWA && in->field[AMD_F_DST_UNUSED] == AMD_UNUSED_PRESERVE);
}

static void add_destination(struct use_list *l, const struct amd_inst *in)
{
	const struct amd_row *row = in->row;
	uint32_t words = amd_words(in, AMD_D);
	bool no_result = row->flags & ATOMIC && !in->field[AMD_F_GLC];

	if (!row->type[AMD_D])
		return;
	if (reads_destination(in))
		add_use(l, in->reg[AMD_D], words, AMD_D, false);
	if (!(row->flags & D_SOURCE) && !no_result)
		add_use(l, in->reg[AMD_D], words, AMD_D, true);
}

uint32_t amd_uses(const struct amd_inst *in, struct amd_use uses[AMD_MAX_USES])
{
	static const struct {
		uint32_t flag;
		uint16_t reg;
		bool write;
	} implicit[] = {
		{SCC_IN, AMD_SCC, false},   {SCC_OUT, AMD_SCC, true},   {VCC_IN, AMD_VCC, false},
		{EXEC_IN, AMD_EXEC, false}, {EXEC_OUT, AMD_EXEC, true}, {M0_IN, AMD_M0, false},
	};
	const struct amd_row *row = in->row;
	struct use_list l = {uses, 0};

	add_destination(&l, in);
	add_use(&l, in->reg[AMD_SX], row->type[AMD_SX] ? 1 : 0, AMD_SX, row->flags & CARRY);
	for (uint32_t s = AMD_S0; s <= AMD_S2; s++)
		if (row->type[s])
			add_use(&l, in->reg[s], amd_words(in, s), s, false);
	if (row->flags & SWAPS)
		add_use(&l, in->reg[AMD_S0], amd_words(in, AMD_S0), AMD_S0, true);
	if (row->format >= AMD_VOP1) /* EXEC masks the lanes */
		add_use(&l, AMD_EXEC, 1, AMD_SLOTS, false);
	for (uint32_t i = 0; i < sizeof(implicit) / sizeof(implicit[0]); i++)
		if (row->flags & implicit[i].flag &&
		    !(implicit[i].flag == EXEC_OUT && row->type[AMD_D] == TYPE_X))
			add_use(&l, implicit[i].reg, 1, AMD_SLOTS, implicit[i].write);
	return l.n;
}

uint32_t amd_wait_counters(const struct amd_inst *in)
{
	const struct amd_row *row = in->row;
	bool loads = row->type[AMD_D] && (!(row->flags & ATOMIC) || in->field[AMD_F_GLC]);

	if (row->flags & BARE && !row->type[AMD_D])
		return 0;
	switch (row->format) {
	case AMD_SMEM:
	case AMD_DS:
		return 1 << AMD_LGKMCNT;
	case AMD_FLAT:
		return 1 << AMD_LGKMCNT | 1 << (loads ? AMD_VMCNT : AMD_VSCNT);
	case AMD_GLOBAL:
	case AMD_SCRATCH:
	case AMD_MUBUF:
		return 1 << (loads ? AMD_VMCNT : AMD_VSCNT);
	default:
		return 0;
	}
}
