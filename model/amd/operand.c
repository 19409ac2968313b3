// SPDX-License-Identifier: MIT
/* Operands: constants by operand type, sign modifiers, halves and bytes (op_sel, SDWA), values of
 * other lanes (DPP), and partial writes of results. */
#include <string.h>

#include "hw/amd/kernel_descriptor.h"
#include "model/amd/wave.h"

/* 0.5 -0.5 1 -1 2 -2 4 -4 1/(2 pi), RDNA2 manual, table of scalar source operands. */
static const uint16_t half[9] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000,
				 0xc000, 0x4400, 0xc400, 0x3118};
static const uint64_t twice[9] = {
	0x3fe0000000000000, 0xbfe0000000000000, 0x3ff0000000000000,
	0xbff0000000000000, 0x4000000000000000, 0xc000000000000000,
	0x4010000000000000, 0xc010000000000000, 0x3fc45f306dc9c882,
};

static uint64_t special_source(const struct wave *w, uint32_t reg)
{
	switch (reg) {
	case AMD_SHARED_BASE: /* the upper word of 64 bits; the same as 32 bits */
		return AMD_APERTURE_LDS;
	case AMD_SHARED_LIMIT:
		return AMD_APERTURE_LDS | 0xffffffff;
	case AMD_PRIVATE_BASE:
		return AMD_APERTURE_PRIVATE;
	case AMD_PRIVATE_LIMIT:
		return AMD_APERTURE_PRIVATE | 0xffffffff;
	case AMD_VCCZ:
		return !w->s[AMD_VCC];
	case AMD_EXECZ:
		return !w->s[AMD_EXEC];
	case AMD_SCC:
		return w->scc;
	default:
		return 0;
	}
}

/* A constant in the width and format of the operand's type. A literal is the upper half of a 64-bit
 * float; otherwise it is sign-extended for signed operands. */
static uint64_t constant_source(const struct wave *w, const struct op *op, enum amd_slot slot,
				uint8_t type)
{
	uint32_t reg = op->in.reg[slot];
	bool wide = amd_types[type].words == 2;

	if (reg == AMD_LITERAL) {
		if (type == TYPE_F64)
			return (uint64_t)op->in.literal << 32;
		return wide && strstr(op->in.row->name, "i64") ? (uint64_t)(int32_t)op->in.literal
							       : op->in.literal;
	}
	if (reg < AMD_INT_M1)
		return reg - AMD_INT_0;
	if (reg < AMD_SHARED_BASE)
		return (uint64_t)-(int64_t)(reg - AMD_INT_M1 + 1);
	if (reg >= AMD_HALF && reg <= AMD_INV_2PI) {
		if (wide)
			return twice[reg - AMD_HALF];
		if (type == TYPE_F16 || type == TYPE_P16 || type == TYPE_PF16)
			return half[reg - AMD_HALF];
		return amd_constant_single[reg - AMD_HALF];
	}
	return special_source(w, reg) >> (wide || reg > AMD_PRIVATE_LIMIT ? 0 : 32);
}

uint32_t amd_read_scalar(const struct wave *w, const struct op *op, enum amd_slot slot,
			 uint32_t word)
{
	uint32_t reg = op->in.reg[slot];

	if (reg < AMD_INT_0)
		return reg == AMD_NULL ? 0 : w->s[reg + word];
	return (uint32_t)(constant_source(w, op, slot, op->in.row->type[slot]) >> (32 * word));
}

uint64_t amd_read_scalar64(const struct wave *w, const struct op *op, enum amd_slot slot)
{
	return amd_read_scalar(w, op, slot, 0) | (uint64_t)amd_read_scalar(w, op, slot, 1) << 32;
}

void amd_write_scalar(struct wave *w, uint32_t reg, uint32_t value)
{
	if (reg != AMD_NULL)
		w->s[reg] = value;
}

void amd_write_scalar64(struct wave *w, uint32_t reg, uint64_t value)
{
	if (reg == AMD_NULL)
		return;
	w->s[reg] = (uint32_t)value;
	w->s[reg + 1] = (uint32_t)(value >> 32);
}

/* The type of a source: in mixed instructions op_sel_hi selects halves. */
static uint8_t source_type(const struct op *op, uint32_t source)
{
	uint8_t type = op->in.row->type[AMD_S0 + source];

	if (type == TYPE_MIX)
		return op->in.field[AMD_F_OP_SEL_HI] >> source & 1 ? TYPE_F16 : TYPE_F32;
	return type;
}

static void fill_source(struct wave *w, const struct op *op, uint32_t source, row *to,
			uint32_t words)
{
	enum amd_slot slot = AMD_S0 + source;
	uint32_t reg = op->in.reg[slot];

	for (uint32_t k = 0; k < words; k++) {
		uint32_t value;

		if (reg >= AMD_VGPR) {
			memcpy(to[k], w->v[reg - AMD_VGPR + k], sizeof(row));
			continue;
		}
		value = reg < AMD_INT_0 ? amd_read_scalar(w, op, slot, k)
					: (uint32_t)(constant_source(w, op, slot,
								     source_type(op, source)) >>
						     (32 * k));
		for (uint32_t i = 0; i < LANES; i++)
			to[k][i] = value;
	}
}

/* The lane that a lane reads, or LANES: none. Rows have 16 lanes. */
static uint32_t dpp_source(uint32_t c, uint32_t lane)
{
	uint32_t at = lane & 15, base = lane & ~15u, by = c & 15;

	if (c < AMD_DPP_ROW_SHL)
		return (lane & ~3u) | (c >> (2 * (lane & 3)) & 3);
	switch (c & ~15u) {
	case AMD_DPP_ROW_SHL:
		return at + by > 15 ? LANES : lane + by;
	case AMD_DPP_ROW_SHR:
		return at < by ? LANES : lane - by;
	case AMD_DPP_ROW_ROR:
		return base | ((at - by) & 15);
	case AMD_DPP_ROW_MIRROR: /* and half mirror */
		return c == AMD_DPP_ROW_MIRROR ? base | (15 - at) : (lane & ~7u) | (7 - (lane & 7));
	case AMD_DPP_ROW_SHARE:
		return base | by;
	default:
		return lane ^ by;
	}
}

/* Permutes the lanes of the first source; returns the lanes that may be written. */
static uint32_t move_lanes(const struct op *op, uint32_t exec, row *s)
{
	const int32_t *f = op->in.field;
	uint32_t may = 0;
	row old;

	memcpy(old, *s, sizeof(row));
	for (uint32_t i = 0; i < LANES; i++) {
		uint32_t from;
		bool valid;

		if (op->in.form == AMD_DPP8)
			from = (i & ~7u) | ((uint32_t)f[AMD_F_DPP8] >> (3 * (i & 7)) & 7);
		else
			from = dpp_source((uint32_t)f[AMD_F_DPP_CTRL], i);
		valid = from < LANES && (exec >> from & 1 || f[AMD_F_FI]);
		(*s)[i] = valid ? old[from] : 0;
		if (op->in.form == AMD_DPP8)
			may |= 1u << i;
		else if ((valid || f[AMD_F_BOUND_CTRL]) && f[AMD_F_ROW_MASK] >> (i / 16) & 1 &&
			 f[AMD_F_BANK_MASK] >> (i / 4 & 3) & 1)
			may |= 1u << i;
	}
	return may;
}

static uint32_t select_part(uint32_t x, uint32_t sel, bool sign)
{
	uint32_t bits = sel < AMD_WORD_0 ? 8 : 16;

	if (sel == AMD_DWORD)
		return x;
	x >>= sel < AMD_WORD_0 ? 8 * sel : 16 * (sel - AMD_WORD_0);
	return sign ? (uint32_t)((int32_t)(x << (32 - bits)) >> (32 - bits))
		    : x & ((1u << bits) - 1);
}

/* Selects bytes or halves, then applies |x|, then -x: RDNA2 manual, input modifiers. */
static void apply_modifiers(const struct op *op, uint32_t source, row *s)
{
	const int32_t *f = op->in.field;
	uint8_t type = source_type(op, source);
	bool packed =
		op->in.row->format == AMD_VOP3P && op->in.row->type[AMD_S0 + source] != TYPE_MIX;
	bool abs = f[AMD_F_ABS] >> source & 1, neg = f[AMD_F_NEG] >> source & 1;
	uint32_t sign = type == TYPE_F16 ? 0x8000 : 0x80000000;
	row *top = &s[amd_types[type].words - 1];

	if (op->in.form == AMD_SDWA)
		for (uint32_t i = 0; i < LANES; i++)
			(*s)[i] = select_part((*s)[i],
					      (uint32_t)f[source ? AMD_F_SRC1_SEL : AMD_F_SRC0_SEL],
					      f[AMD_F_SEXT] >> source & 1);
	else if (amd_types[type].is_half && f[AMD_F_OP_SEL] >> source & 1)
		for (uint32_t i = 0; i < LANES; i++)
			(*s)[i] >>= 16;
	if (packed)
		return; /* packed cores select and negate halves themselves */
	if (abs)
		for (uint32_t i = 0; i < LANES; i++)
			(*top)[i] &= ~sign;
	if (neg)
		for (uint32_t i = 0; i < LANES; i++)
			(*top)[i] ^= sign;
}

static bool is_unmodified(const struct op *op, uint32_t source)
{
	return op->in.reg[AMD_S0 + source] >= AMD_VGPR && op->in.form <= AMD_E64 &&
	       !((op->in.field[AMD_F_NEG] | op->in.field[AMD_F_ABS] | op->in.field[AMD_F_OP_SEL]) >>
			 source &
		 1);
}

#define MAX_WORDS 4

/* Fetches all sources; returns the lanes that may be written. */
static uint32_t fetch_sources(struct wave *w, const struct op *op, struct operands *o,
			      row space[3][MAX_WORDS])
{
	static const row zeros[MAX_WORDS];
	uint32_t may = ALL_LANES;

	if (op->in.row->flags & VCC_IN)
		o->carry = w->s[AMD_VCC];
	for (uint32_t k = 0; k < 3; k++) {
		uint8_t type = op->in.row->type[AMD_S0 + k];

		o->s[k] = type == TYPE_NO || type == TYPE_M ? zeros : space[k];
		if (type == TYPE_NO)
			continue;
		if (type == TYPE_M) {
			o->carry = w->s[op->in.reg[AMD_S0 + k]];
			if (op->in.reg[AMD_S0 + k] == AMD_NULL)
				o->carry = 0;
			continue;
		}
		if (is_unmodified(op, k) &&
		    !(w->mode != AMD_FLOAT_MODE_DEFAULT && amd_mode_flushes(w, op, k))) {
			o->s[k] = &w->v[op->in.reg[AMD_S0 + k] - AMD_VGPR];
			continue;
		}
		fill_source(w, op, k, space[k], amd_types[type].words);
		if (!k && op->in.form >= AMD_DPP)
			may = move_lanes(op, w->s[AMD_EXEC], space[k]);
		apply_modifiers(op, k, space[k]);
		if (w->mode != AMD_FLOAT_MODE_DEFAULT && amd_mode_flushes(w, op, k))
			amd_mode_flush(space[k], type);
	}
	return may;
}

static uint32_t clamp32(uint32_t x)
{
	if (x & 0x80000000 || (x & 0x7fffffff) > 0x7f800000)
		return 0;
	return x > 0x3f800000 ? 0x3f800000 : x;
}

static uint32_t clamp16(uint32_t x)
{
	if (x & 0x8000 || (x & 0x7fff) > 0x7c00)
		return 0;
	return x > 0x3c00 ? 0x3c00 : x;
}

static void clamp64(uint32_t *low, uint32_t *high)
{
	uint64_t x = *low | (uint64_t)*high << 32;

	if (x >> 63 || (x << 1) > 0xffe0000000000000)
		x = 0;
	else if (x > 0x3ff0000000000000)
		x = 0x3ff0000000000000;
	*low = (uint32_t)x;
	*high = (uint32_t)(x >> 32);
}

/* Clamps to [0, 1]; NaN becomes 0 (DX10_CLAMP, which compilers set). Integers saturate in their
 * cores. The output multiplier has no effect: denormal results are on, RDNA2 manual, output
 * modifiers. */
static void clamp_result(const struct op *op, row *d)
{
	for (uint32_t i = 0; i < LANES; i++)
		switch (op->in.row->type[AMD_D]) {
		case TYPE_F32:
			d[0][i] = clamp32(d[0][i]);
			break;
		case TYPE_F16:
			d[0][i] = clamp16(d[0][i] & 0xffff);
			break;
		case TYPE_PF16:
			d[0][i] = clamp16(d[0][i] & 0xffff) | clamp16(d[0][i] >> 16) << 16;
			break;
		case TYPE_F64:
			clamp64(&d[0][i], &d[1][i]);
			break;
		default:
			return;
		}
}

/* SDWA: writes a part of the destination; dst_unused determines the rest. */
static void merge_sdwa_part(const struct op *op, const row old, row d)
{
	uint32_t sel = (uint32_t)op->in.field[AMD_F_DST_SEL];
	uint32_t unused = (uint32_t)op->in.field[AMD_F_DST_UNUSED];
	uint32_t bits = sel < AMD_WORD_0 ? 8 : 16;
	uint32_t at = sel < AMD_WORD_0 ? 8 * sel : 16 * (sel - AMD_WORD_0);
	uint32_t mask = ((1u << bits) - 1) << at;

	for (uint32_t i = 0; i < LANES; i++) {
		uint32_t x = d[i] << at & mask;

		if (unused == AMD_UNUSED_PRESERVE)
			x |= old[i] & ~mask;
		else if (unused == AMD_UNUSED_SEXT && x >> (at + bits - 1) & 1)
			x |= at + bits < 32 ? ~0u << (at + bits) : 0;
		d[i] = x;
	}
}

/* 16-bit results preserve the other half, except in SDWA, which clears it. */
static void merge_result(const struct op *op, const row old, row d)
{
	bool mixed = op->in.row->format == AMD_VOP3P;
	bool high = mixed ? op->in.row->op == AMD_v_fma_mixhi_f16 : op->in.field[AMD_F_OP_SEL] & 8;

	if (op->in.form == AMD_SDWA && op->in.field[AMD_F_DST_SEL] != AMD_DWORD) {
		merge_sdwa_part(op, old, d);
		return;
	}
	if (!amd_types[op->in.row->type[AMD_D]].is_half)
		return;
	for (uint32_t i = 0; i < LANES; i++) {
		uint32_t kept = op->in.form == AMD_SDWA ? 0 : old[i];

		d[i] = high ? d[i] << 16 | (kept & 0xffff) : (d[i] & 0xffff) | (kept & 0xffff0000);
	}
}

void amd_run_vector(struct wave *w, const struct op *op)
{
	const struct amd_inst *in = &op->in;
	uint32_t words = amd_types[in->row->type[AMD_D]].words, may;
	row space[3][MAX_WORDS], result[MAX_WORDS];
	row *d = &w->v[in->reg[AMD_D] - AMD_VGPR];
	struct operands o = {.d = result, .exec = w->s[AMD_EXEC], .inexact = w->grid->inexact};

	may = fetch_sources(w, op, &o, space) & o.exec;
	memcpy(result, d, words * sizeof(row));
	if (w->mode == AMD_FLOAT_MODE_DEFAULT)
		op->handler->core(op, &o);
	else
		amd_mode_run(w, op, &o);
	if (in->field[AMD_F_CLAMP])
		clamp_result(op, result);
	merge_result(op, d[0], result[0]);
	for (uint32_t k = 0; k < words; k++) {
		if (may == ALL_LANES)
			memcpy(d[k], result[k], sizeof(row));
		else
			for (uint32_t i = 0; i < LANES; i++)
				d[k][i] = may >> i & 1 ? result[k][i] : d[k][i];
	}
	if (in->row->flags & CARRY)
		amd_write_scalar(w, in->reg[AMD_SX], o.carry & o.exec);
}

void amd_run_compare(struct wave *w, const struct op *op)
{
	row space[3][MAX_WORDS];
	struct operands o = {.exec = w->s[AMD_EXEC]};

	fetch_sources(w, op, &o, space);
	op->handler->core(op, &o);
	amd_write_scalar(w, op->in.reg[AMD_D], o.mask & o.exec);
}
