// SPDX-License-Identifier: MIT
/* Cross-lane operations, and moves between vector and scalar registers: read, write, permute,
 * indexed moves. */
#include <string.h>

#include "model/amd/wave.h"

#define D_ROW  (w->v[op->in.reg[AMD_D] - AMD_VGPR])
#define S0_ROW (w->v[op->in.reg[AMD_S0] - AMD_VGPR])

static void run_v_readfirstlane_b32(struct wave *w, const struct op *op)
{
	uint32_t exec = w->s[AMD_EXEC];

	amd_write_scalar(w, op->in.reg[AMD_D], S0_ROW[exec ? __builtin_ctz(exec) : 0]);
}

static void run_v_readlane_b32(struct wave *w, const struct op *op)
{
	amd_write_scalar(w, op->in.reg[AMD_D], S0_ROW[amd_read_scalar(w, op, AMD_S1, 0) % LANES]);
}

static void run_v_writelane_b32(struct wave *w, const struct op *op)
{
	D_ROW[amd_read_scalar(w, op, AMD_S1, 0) % LANES] = amd_read_scalar(w, op, AMD_S0, 0);
}

/* Sixteen lane numbers of four bits; permlanex16 reads from the other row of sixteen. op_sel:
 * inactive lanes are read too, and lanes without a source read 0. */
static void run_permlane16(struct wave *w, const struct op *op)
{
	uint64_t table = amd_read_scalar(w, op, AMD_S1, 0) |
			 (uint64_t)amd_read_scalar(w, op, AMD_S2, 0) << 32;
	uint32_t exec = w->s[AMD_EXEC], sel = (uint32_t)op->in.field[AMD_F_OP_SEL];
	uint32_t cross = op->in.row->op == AMD_v_permlanex16_b32 ? 16 : 0;
	row result;

	memcpy(result, D_ROW, sizeof(row));
	EACH_ACTIVE(i, exec) {
		uint32_t from = ((i & 16) ^ cross) | (table >> (4 * (i & 15)) & 15);

		if (exec >> from & 1 || sel & 1)
			result[i] = S0_ROW[from];
		else if (sel & 2)
			result[i] = 0;
	}
	memcpy(D_ROW, result, sizeof(row));
}

static void run_v_swap_b32(struct wave *w, const struct op *op)
{
	EACH_ACTIVE(i, w->s[AMD_EXEC]) {
		uint32_t x = D_ROW[i];

		D_ROW[i] = S0_ROW[i];
		S0_ROW[i] = x;
	}
}

/* Indexed by M0; v_movrelsd_2 has one index for source and one for destination. */
static void run_movrel(struct wave *w, const struct op *op)
{
	bool two = op->in.row->op == AMD_v_movrelsd_2_b32;
	bool to = op->in.row->op != AMD_v_movrels_b32, from = op->in.row->op != AMD_v_movreld_b32;
	uint32_t m0 = w->s[AMD_M0];
	uint32_t d = op->in.reg[AMD_D] - AMD_VGPR + (to ? two ? m0 >> 16 & 0x3ff : m0 : 0);
	uint32_t s = op->in.reg[AMD_S0] - AMD_VGPR + (from ? two ? m0 & 0x3ff : m0 : 0);

	if (d >= w->vgprs || (from && s >= w->vgprs)) {
		amd_wave_fault(w, LANES, MODEL_FAULT_ILLEGAL_INSTRUCTION, 0,
			       "m0 = 0x%x indexes beyond the %u vector registers", m0, w->vgprs);
		return;
	}
	EACH_ACTIVE(i, w->s[AMD_EXEC])
		w->v[d][i] = op->in.reg[AMD_S0] >= AMD_VGPR ? w->v[s][i]
							    : amd_read_scalar(w, op, AMD_S0, 0);
}

static void run_s_movrel(struct wave *w, const struct op *op)
{
	bool from = op->in.row->op == AMD_s_movrels_b32 || op->in.row->op == AMD_s_movrels_b64;
	uint32_t words = amd_types[op->in.row->type[AMD_D]].words, m0 = w->s[AMD_M0];
	uint32_t d = op->in.reg[AMD_D] + (from ? 0 : m0), s = op->in.reg[AMD_S0] + (from ? m0 : 0);
	uint64_t value;

	if (m0 >= AMD_SGPRS || (from ? s : d) + words > AMD_SGPRS) {
		amd_wave_fault(w, LANES, MODEL_FAULT_ILLEGAL_INSTRUCTION, 0,
			       "m0 = 0x%x indexes beyond the scalar registers", m0);
		return;
	}
	if (from)
		value = w->s[s] | (words > 1 ? (uint64_t)w->s[s + 1] << 32 : 0);
	else
		value = words > 1 ? amd_read_scalar64(w, op, AMD_S0)
				  : amd_read_scalar(w, op, AMD_S0, 0);
	amd_write_scalar(w, d, (uint32_t)value);
	if (words > 1)
		amd_write_scalar(w, d + 1, (uint32_t)(value >> 32));
}

const struct handler amd_handlers_lane[] = {
	{AMD_v_readfirstlane_b32, run_v_readfirstlane_b32, NULL, 0},
	{AMD_v_readlane_b32, run_v_readlane_b32, NULL, 0},
	{AMD_v_writelane_b32, run_v_writelane_b32, NULL, 0},
	{AMD_v_permlane16_b32, run_permlane16, NULL, 0},
	{AMD_v_permlanex16_b32, run_permlane16, NULL, 0},
	{AMD_v_swap_b32, run_v_swap_b32, NULL, 0},
	{AMD_v_movreld_b32, run_movrel, NULL, 0},
	{AMD_v_movrels_b32, run_movrel, NULL, 0},
	{AMD_v_movrelsd_b32, run_movrel, NULL, 0},
	{AMD_v_movrelsd_2_b32, run_movrel, NULL, 0},
	{AMD_s_movrels_b32, run_s_movrel, NULL, 0},
	{AMD_s_movrels_b64, run_s_movrel, NULL, 0},
	{AMD_s_movreld_b32, run_s_movrel, NULL, 0},
	{AMD_s_movreld_b64, run_s_movrel, NULL, 0},
	HANDLERS_END,
};
