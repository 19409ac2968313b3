// SPDX-License-Identifier: MIT
/* Moves: between registers, from special registers and constants, between the vector and the
 * uniform datapath, and of predicates to and from register bits. */
#include <string.h>

#include "hw/nv/compute.h"
#include "model/nv/exec.h"

static void core_mov(const struct op *op, struct operands *o)
{
	uint32_t *d = o->d;

	EACH_LANE(i)
		d[i] = (o->s[0][i] ^ op->s[0].flip) + op->s[0].plus;
}

static const char *prepare_mov(struct op *op, const struct sass_inst *in)
{
	(void)in;
	return op->imm[0] == 15 ? NULL : "a move with a lane mask is not modelled";
}

/* Special registers: one value per lane, or one for the warp. */

static uint64_t special_wide(struct warp *w, uint32_t number)
{
	switch (number) {
	case SASS_SR_CLOCKLO:
		return w->clock;
	case SASS_SR_GLOBALTIMERLO:
		return model_nanoseconds();
	default:
		return 0;
	}
}

static uint32_t special_common(struct warp *w, uint32_t number)
{
	const struct grid *g = w->grid;

	switch (number) {
	case SASS_SR_CTAID_X:
	case SASS_SR_CTAID_Y:
	case SASS_SR_CTAID_Z:
		return w->cta->id[number - SASS_SR_CTAID_X];
	case SASS_SR_SWINLO:
		return (uint32_t)g->shared_window;
	case SASS_SR_SWINHI:
		return (uint32_t)(g->shared_window >> 32);
	case SASS_SR_LWINLO:
		return (uint32_t)g->local_window;
	case SASS_SR_LWINHI:
		return (uint32_t)(g->local_window >> 32);
	case SASS_SR_LMEMLOSZ: /* local memory: end of the low part, start of the high part */
		return g->local_low;
	case SASS_SR_LMEMHIOFF:
		return NV_LOCAL_MEMORY_TOP - g->local_high;
	case SASS_SR_VIRTID: /* the warp's slot on its SM in bits 8–14 */
		return w->index << 8;
	case SASS_SR_VIRTCFG: /* the number of warp slots in bits 8–15 */
		return g->chip->warps_per_sm << 8;
	case SASS_SR_SMEMSZ:
		return g->shared_bytes;
	case SASS_SR_VIRTUALSMID: /* blocks are assigned to SMs round-robin */
		return (uint32_t)((w->cta->id[0] +
				   (uint64_t)g->size[0] *
					   (w->cta->id[1] + (uint64_t)g->size[1] * w->cta->id[2])) %
				  g->chip->sm_count);
	case SASS_SR_CLOCKHI:
		return (uint32_t)(w->clock >> 32);
	case SASS_SR_GLOBALTIMERHI:
		return (uint32_t)(model_nanoseconds() >> 32);
	case SASS_SR_CLOCKLO:
	case SASS_SR_GLOBALTIMERLO:
		return (uint32_t)special_wide(w, number);
	case SASS_SR_CGACTAID:
		return w->cta->rank;
	default: /* SRZ */
		return 0;
	}
}

static void special_row(struct warp *w, uint32_t number, uint32_t row[LANES])
{
	switch (number) {
	case SASS_SR_LANEID:
		EACH_LANE(i)
			row[i] = i;
		break;
	case SASS_SR_TID_X:
	case SASS_SR_TID_Y:
	case SASS_SR_TID_Z:
		memcpy(row, w->tid[number - SASS_SR_TID_X], LANES * sizeof(row[0]));
		break;
	case SASS_SR_EQMASK:
		EACH_LANE(i)
			row[i] = 1u << i;
		break;
	case SASS_SR_LTMASK:
		EACH_LANE(i)
			row[i] = (1u << i) - 1;
		break;
	case SASS_SR_LEMASK:
		EACH_LANE(i)
			row[i] = (1u << i) | ((1u << i) - 1);
		break;
	case SASS_SR_GTMASK:
		EACH_LANE(i)
			row[i] = ~((1u << i) | ((1u << i) - 1));
		break;
	case SASS_SR_GEMASK:
		EACH_LANE(i)
			row[i] = ~((1u << i) - 1);
		break;
	default:
		row_splat(row, special_common(w, number));
	}
}

static void run_s2r(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t row[LANES];

	special_row(w, (uint32_t)op->imm[0], row);
	row_blend(w->r[op->d], row, mask);
}

static void run_cs2r(struct warp *w, const struct op *op, uint32_t mask)
{
	uint64_t value = special_wide(w, (uint32_t)op->imm[0]);
	uint32_t row[LANES];

	row_splat(row, (uint32_t)value);
	row_blend(w->r[op->d], row, mask);
	if (op->inst->mod[SASS_M_WIDTH] == SASS_WIDTH_32)
		return;
	row_splat(row, (uint32_t)(value >> 32));
	row_blend(w->r[op->d + 1], row, mask);
}

static void run_s2ur(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t row[LANES];

	if (!mask)
		return;
	special_row(w, (uint32_t)op->imm[0], row);
	w->ur[op->d] = row[first_lane(mask)];
}

static const char *prepare_special(struct op *op, const struct sass_inst *in)
{
	static const uint8_t known[] = {
		SASS_SR_LMEMLOSZ,      SASS_SR_LMEMHIOFF,     SASS_SR_VIRTID,   SASS_SR_VIRTCFG,
		SASS_SR_LANEID,        SASS_SR_TID_X,         SASS_SR_TID_Y,    SASS_SR_TID_Z,
		SASS_SR_CTAID_X,       SASS_SR_CTAID_Y,       SASS_SR_CTAID_Z,  SASS_SR_SWINHI,
		SASS_SR_SWINLO,        SASS_SR_LWINHI,        SASS_SR_LWINLO,   SASS_SR_SMEMSZ,
		SASS_SR_EQMASK,        SASS_SR_LTMASK,        SASS_SR_LEMASK,   SASS_SR_GTMASK,
		SASS_SR_GEMASK,        SASS_SR_VIRTUALSMID,   SASS_SR_CLOCKLO,  SASS_SR_CLOCKHI,
		SASS_SR_GLOBALTIMERLO, SASS_SR_GLOBALTIMERHI, SASS_SR_CGACTAID, SASS_SR_ZERO,
	};
	static const uint8_t known_wide[] = {SASS_SR_CLOCKLO, SASS_SR_GLOBALTIMERLO, SASS_SR_ZERO};
	bool wide = in->op == SASS_CS2R;

	if (memchr(wide ? known_wide : known, (int)op->imm[0],
		   wide ? sizeof(known_wide) : sizeof(known)))
		return NULL;
	return "this special register is not modelled";
}

/* Constants. */

static const uint8_t constant_bytes[] = {
	[SASS_WIDTH_U8] = 1,  [SASS_WIDTH_S8] = 1, [SASS_WIDTH_U16] = 2,
	[SASS_WIDTH_S16] = 2, [SASS_WIDTH_32] = 4, [SASS_WIDTH_64] = 8,
};

static void load_constant(struct warp *w, const struct op *op, uint32_t offset, uint32_t value[2])
{
	uint32_t width = op->inst->mod[SASS_M_WIDTH], bytes = constant_bytes[width];

	value[0] = value[1] = 0;
	if (offset % bytes) {
		warp_fault(w, LANES, MODEL_FAULT_MISALIGNED, offset,
			   "misaligned constant of %u bytes at c[0x%x][0x%x]", bytes, op->s[0].bank,
			   offset);
		return;
	}
	constant_read(w, op->s[0].bank, offset, bytes, value);
	if (width == SASS_WIDTH_S8)
		value[0] = (uint32_t)(int8_t)value[0];
	if (width == SASS_WIDTH_S16)
		value[0] = (uint32_t)(int16_t)value[0];
}

/* With an index register the offset is a signed 16-bit number. */
static uint32_t constant_offset(const struct warp *w, const struct source *s, uint32_t lane)
{
	return s->index == SASS_RZ ? s->value : w->r[s->index][lane] + (uint32_t)(int16_t)s->value;
}

static void run_ldc(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t value[2];

	for (uint32_t i = 0; i < LANES && !w->halt; i++) {
		if (!(mask >> i & 1))
			continue;
		w->active = 1u << i; /* a fault names this lane */
		load_constant(w, op, constant_offset(w, &op->s[0], i), value);
		w->r[op->d][i] = value[0];
		if (op->inst->mod[SASS_M_WIDTH] == SASS_WIDTH_64)
			w->r[op->d + 1][i] = value[1];
	}
}

static void run_uldc(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t value[2], offset = op->s[0].value;

	if (!mask)
		return;
	if (op->inst->op == SASS_ULDC_UREG)
		offset = (uint32_t)(int16_t)offset +
			 w->ur[op->s[0].index == SASS_URZ ? UREG_ZERO : op->s[0].index];
	load_constant(w, op, offset, value);
	w->ur[op->d] = value[0];
	if (op->inst->mod[SASS_M_WIDTH] == SASS_WIDTH_64)
		w->ur[op->d + 1] = value[1];
}

static const char *prepare_ldc(struct op *op, const struct sass_inst *in)
{
	(void)op;
	return in->mod[SASS_M_INDEX] ? "constant index modes are not modelled" : NULL;
}

/* Moves between the datapaths. */

static void run_r2ur(struct warp *w, const struct op *op, uint32_t mask)
{
	const uint32_t *a = w->r[op->s[0].row];
	uint32_t value, others = 0;

	if (!mask)
		return;
	value = a[first_lane(mask)];
	EACH_LANE(i)
		others |= (uint32_t)(a[i] != value) << i;
	w->ur[op->d] = value;
	if (op->inst->mod[SASS_M_BOOL] == SASS_OR)
		others |= w->p[op->p[0]];
	pred_write(w, op->p[0], others, mask);
}

static void run_rpcmov_read(struct warp *w, const struct op *op, uint32_t mask)
{
	row_blend(w->r[op->d], w->rare.rpc[op->imm[0]], mask);
}

static void run_rpcmov_write(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t space[2 * LANES];

	row_blend(w->rare.rpc[op->imm[0]], fetch_source(w, op, 0, space), mask);
	w->rare_written = true;
}

/* P0 to P6 are bits 0 to 6. */

/* P2R.B1: the selected predicates replace bits of byte 1. */
static uint32_t insert_predicates(uint32_t word, uint32_t bits, uint32_t select, uint32_t shift)
{
	return (word & ~(select << shift)) | (bits & select) << shift;
}

static void run_p2r(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t space[2][2 * LANES], row[LANES], shift = 8u * op->inst->mod[SASS_M_BYTE];
	const uint32_t *a = fetch_source(w, op, 0, space[0]),
		       *select = fetch_source(w, op, 1, space[1]);

	for (uint32_t i = 0; i < LANES; i++) {
		uint32_t bits = 0;

		for (uint32_t p = 0; p < SASS_PT; p++)
			bits |= (w->p[p] >> i & 1) << p;
		row[i] = insert_predicates(a[i], bits, select[i], shift);
	}
	row_blend(w->r[op->d], row, mask);
}

static void run_r2p(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t space[2][2 * LANES], shift = 8u * op->inst->ops[1].aux;
	const uint32_t *a = fetch_source(w, op, 0, space[0]),
		       *select = fetch_source(w, op, 1, space[1]);

	for (uint32_t p = 0; p < SASS_PT; p++) {
		uint32_t bits = 0, chosen = 0;

		for (uint32_t i = 0; i < LANES; i++) {
			bits |= (a[i] >> shift >> p & 1) << i;
			chosen |= (select[i] >> p & 1) << i;
		}
		pred_write(w, p, bits, mask & chosen);
	}
}

/* UP0 to UP6 likewise. Cores do not see predicates, so these have handlers. */

static void run_up2ur(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t space[2][2 * LANES], bits = 0, select = fetch_source(w, op, 1, space[1])[0];

	if (!mask)
		return;
	for (uint32_t p = 0; p < SASS_PT; p++)
		bits |= (w->p[PRED_UNIFORM + p] & 1) << p;
	w->ur[op->d] = insert_predicates(fetch_source(w, op, 0, space[0])[0], bits, select,
					 8u * op->inst->mod[SASS_M_BYTE]);
}

static void run_ur2up(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t space[2][2 * LANES];
	uint32_t a = fetch_source(w, op, 0, space[0])[0] >> 8 * op->inst->ops[1].aux,
		 select = fetch_source(w, op, 1, space[1])[0];

	for (uint32_t p = 0; mask && p < SASS_PT; p++)
		if (select >> p & 1)
			w->p[PRED_UNIFORM + p] = a >> p & 1 ? ALL_LANES : 0;
}

const struct op_row rows_move[] = {
	{SASS_MOV, "dsi", run_vector, core_mov, prepare_mov},
	{SASS_UMOV, "ds", run_uniform, core_mov, NULL},
	{SASS_S2R, "dv", run_s2r, NULL, prepare_special},
	{SASS_CS2R, "dv", run_cs2r, NULL, prepare_special},
	{SASS_S2UR, "dv", run_s2ur, NULL, prepare_special},
	{SASS_R2UR, "pds", run_r2ur, NULL, NULL},
	{SASS_RPCMOV_READ, "di", run_rpcmov_read, NULL, NULL},
	{SASS_RPCMOV_WRITE, "is", run_rpcmov_write, NULL, NULL},
	{SASS_LDC, "dc", run_ldc, NULL, prepare_ldc},
	{SASS_ULDC, "dc", run_uldc, NULL, NULL},
	{SASS_ULDC_UREG, "dc", run_uldc, NULL, NULL},
	{SASS_UP2UR, "d-ss", run_up2ur, NULL, NULL},
	{SASS_UR2UP, "-ss", run_ur2up, NULL, NULL},
	{SASS_P2R, "d-ss", run_p2r, NULL, NULL},
	{SASS_R2P, "-ss", run_r2p, NULL, NULL},
	OP_ROWS_END,
};
