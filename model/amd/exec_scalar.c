// SPDX-License-Identifier: MIT
/* Scalar instructions: arithmetic that sets SCC, control flow, EXEC. SCC follows the RDNA2 manual:
 * carry, signed overflow, result not zero, or unchanged. */
#include "model/amd/wave.h"

#define A32  amd_read_scalar(w, op, AMD_S0, 0)
#define B32_ amd_read_scalar(w, op, AMD_S1, 0)
#define A64  amd_read_scalar64(w, op, AMD_S0)
#define B64_ amd_read_scalar64(w, op, AMD_S1)
#define IMM  ((uint32_t)op->in.field[AMD_F_IMM])
#define SIMM ((int32_t)(int16_t)op->in.field[AMD_F_IMM])
#define D    (op->in.reg[AMD_D])

/* 32-bit: d from a, b; then scc. 64-bit likewise; shifts have a 32-bit b. */
#define OP32(name, result, condition) \
	static void run_##name(struct wave *w, const struct op *op) \
	{ \
		uint32_t a = A32, b = op->in.row->type[AMD_S1] ? B32_ : 0, d = (result); \
		bool scc = w->scc; \
		(void)b; \
		w->scc = (condition); \
		amd_write_scalar(w, D, d); \
		(void)scc; \
	}
#define OP64(name, result, condition) \
	static void run_##name(struct wave *w, const struct op *op) \
	{ \
		uint64_t a = op->in.row->type[AMD_S0] == TYPE_B32 ? A32 : A64; \
		uint64_t b = !op->in.row->type[AMD_S1] ? 0 : \
			     op->in.row->type[AMD_S1] == TYPE_B32 ? B32_ : B64_; \
		uint64_t d = (result); \
		bool scc = w->scc; \
		(void)b; \
		w->scc = (condition); \
		if (amd_types[op->in.row->type[AMD_D]].words == 2) \
			amd_write_scalar64(w, D, d); \
		else \
			amd_write_scalar(w, D, (uint32_t)d); \
		(void)scc; \
	}
#define KEEP scc
#define NOT_ZERO (d != 0)

static uint32_t field_unsigned(uint32_t a, uint32_t b)
{
	uint32_t offset = b & 31, width = b >> 16 & 127;

	return width >= 32 ? a >> offset : a >> offset & ((1u << width) - 1);
}

static uint32_t field_signed(uint32_t a, uint32_t b)
{
	uint32_t offset = b & 31, width = b >> 16 & 127;

	if (!width)
		return 0;
	if (offset + width >= 32)
		return (uint32_t)((int32_t)a >> offset);
	return (uint32_t)((int32_t)(a << (32 - offset - width)) >> (32 - width));
}

static uint64_t field_unsigned64(uint64_t a, uint64_t b)
{
	uint32_t offset = b & 63, width = b >> 16 & 127;

	return width >= 64 ? a >> offset : a >> offset & ((1ull << width) - 1);
}

static uint64_t field_signed64(uint64_t a, uint64_t b)
{
	uint32_t offset = b & 63, width = b >> 16 & 127;

	if (!width)
		return 0;
	if (offset + width >= 64)
		return (uint64_t)((int64_t)a >> offset);
	return (uint64_t)((int64_t)(a << (64 - offset - width)) >> (64 - width));
}

static uint64_t reverse64(uint64_t x)
{
	uint64_t r = 0;

	for (uint32_t i = 0; i < 64; i++)
		r |= (x >> i & 1) << (63 - i);
	return r;
}

/* Position of the first sign change from the top; -1: none. */
static uint32_t sign_length(uint64_t x, uint32_t bits)
{
	uint64_t sign = x >> (bits - 1) & 1;

	for (uint32_t i = 1; i < bits; i++)
		if ((x >> (bits - 1 - i) & 1) != sign)
			return i;
	return ~0u;
}

static uint64_t quads(uint64_t x, bool whole)
{
	uint64_t r = 0;

	for (uint32_t i = 0; i < 16; i++)
		if (x >> (4 * i) & 15)
			r |= whole ? 15ull << (4 * i) : 1ull << i;
	return r;
}

static uint64_t twice_each(uint32_t x)
{
	uint64_t r = 0;

	for (uint32_t i = 0; i < 32; i++)
		r |= (uint64_t)(x >> i & 1) * 3 << (2 * i);
	return r;
}

static bool add_overflows(uint32_t a, uint32_t b, uint32_t d)
{
	return (~(a ^ b) & (a ^ d)) >> 31;
}

static bool sub_overflows(uint32_t a, uint32_t b, uint32_t d)
{
	return ((a ^ b) & (a ^ d)) >> 31;
}

OP32(s_add_u32, a + b, d < a)
OP32(s_sub_u32, a - b, b > a)
OP32(s_add_i32, a + b, add_overflows(a, b, d))
OP32(s_sub_i32, a - b, sub_overflows(a, b, d))
OP32(s_addc_u32, a + b + w->scc, (uint64_t)a + b + scc > 0xffffffff)
OP32(s_subb_u32, a - b - w->scc, (uint64_t)b + scc > a)
OP32(s_min_i32, (int32_t)a < (int32_t)b ? a : b, (int32_t)a < (int32_t)b)
OP32(s_min_u32, a < b ? a : b, a < b)
OP32(s_max_i32, (int32_t)a > (int32_t)b ? a : b, (int32_t)a > (int32_t)b)
OP32(s_max_u32, a > b ? a : b, a > b)
OP32(s_cselect_b32, w->scc ? a : b, KEEP)
OP64(s_cselect_b64, w->scc ? a : b, KEEP)
OP32(s_and_b32, a & b, NOT_ZERO)
OP64(s_and_b64, a & b, NOT_ZERO)
OP32(s_or_b32, a | b, NOT_ZERO)
OP64(s_or_b64, a | b, NOT_ZERO)
OP32(s_xor_b32, a ^ b, NOT_ZERO)
OP64(s_xor_b64, a ^ b, NOT_ZERO)
OP32(s_andn2_b32, a & ~b, NOT_ZERO)
OP64(s_andn2_b64, a & ~b, NOT_ZERO)
OP32(s_orn2_b32, a | ~b, NOT_ZERO)
OP64(s_orn2_b64, a | ~b, NOT_ZERO)
OP32(s_nand_b32, ~(a & b), NOT_ZERO)
OP64(s_nand_b64, ~(a & b), NOT_ZERO)
OP32(s_nor_b32, ~(a | b), NOT_ZERO)
OP64(s_nor_b64, ~(a | b), NOT_ZERO)
OP32(s_xnor_b32, ~(a ^ b), NOT_ZERO)
OP64(s_xnor_b64, ~(a ^ b), NOT_ZERO)
OP32(s_lshl_b32, a << (b & 31), NOT_ZERO)
OP64(s_lshl_b64, a << (b & 63), NOT_ZERO)
OP32(s_lshr_b32, a >> (b & 31), NOT_ZERO)
OP64(s_lshr_b64, a >> (b & 63), NOT_ZERO)
OP32(s_ashr_i32, (uint32_t)((int32_t)a >> (b & 31)), NOT_ZERO)
OP64(s_ashr_i64, (uint64_t)((int64_t)a >> (b & 63)), NOT_ZERO)
OP32(s_bfm_b32, ((1u << (a & 31)) - 1) << (b & 31), KEEP)
OP64(s_bfm_b64, ((1ull << (a & 63)) - 1) << (b & 63), KEEP)
OP32(s_mul_i32, a * b, KEEP)
OP32(s_bfe_u32, field_unsigned(a, b), NOT_ZERO)
OP32(s_bfe_i32, field_signed(a, b), NOT_ZERO)
OP64(s_bfe_u64, field_unsigned64(a, b), NOT_ZERO)
OP64(s_bfe_i64, field_signed64(a, b), NOT_ZERO)
OP32(s_absdiff_i32, (int32_t)(a - b) < 0 ? b - a : a - b, NOT_ZERO)
OP32(s_lshl1_add_u32, (a << 1) + b, ((uint64_t)a << 1) + b > 0xffffffff)
OP32(s_lshl2_add_u32, (a << 2) + b, ((uint64_t)a << 2) + b > 0xffffffff)
OP32(s_lshl3_add_u32, (a << 3) + b, ((uint64_t)a << 3) + b > 0xffffffff)
OP32(s_lshl4_add_u32, (a << 4) + b, ((uint64_t)a << 4) + b > 0xffffffff)
OP32(s_pack_ll_b32_b16, (a & 0xffff) | b << 16, KEEP)
OP32(s_pack_lh_b32_b16, (a & 0xffff) | (b & 0xffff0000), KEEP)
OP32(s_pack_hh_b32_b16, a >> 16 | (b & 0xffff0000), KEEP)
OP32(s_mul_hi_u32, (uint32_t)((uint64_t)a * b >> 32), KEEP)
OP32(s_mul_hi_i32, (uint32_t)((int64_t)(int32_t)a * (int32_t)b >> 32), KEEP)

OP32(s_mov_b32, a, KEEP)
OP64(s_mov_b64, a, KEEP)
OP32(s_cmov_b32, w->scc ? a : w->s[D], KEEP)
OP64(s_cmov_b64, w->scc ? a : w->s[D] | (uint64_t)w->s[D + 1] << 32, KEEP)
OP32(s_not_b32, ~a, NOT_ZERO)
OP64(s_not_b64, ~a, NOT_ZERO)
OP32(s_wqm_b32, (uint32_t)quads(a, true), NOT_ZERO)
OP64(s_wqm_b64, quads(a, true), NOT_ZERO)
OP32(s_brev_b32, (uint32_t)(reverse64(a) >> 32), KEEP)
OP64(s_brev_b64, reverse64(a), KEEP)
OP32(s_bcnt0_i32_b32, 32 - (uint32_t)__builtin_popcount(a), NOT_ZERO)
OP64(s_bcnt0_i32_b64, 64 - (uint64_t)__builtin_popcountll(a), NOT_ZERO)
OP32(s_bcnt1_i32_b32, (uint32_t)__builtin_popcount(a), NOT_ZERO)
OP64(s_bcnt1_i32_b64, (uint64_t)__builtin_popcountll(a), NOT_ZERO)
OP32(s_ff0_i32_b32, ~a ? (uint32_t)__builtin_ctz(~a) : ~0u, KEEP)
OP64(s_ff0_i32_b64, ~a ? (uint64_t)__builtin_ctzll(~a) : ~0u, KEEP)
OP32(s_ff1_i32_b32, a ? (uint32_t)__builtin_ctz(a) : ~0u, KEEP)
OP64(s_ff1_i32_b64, a ? (uint64_t)__builtin_ctzll(a) : ~0u, KEEP)
OP32(s_flbit_i32_b32, a ? (uint32_t)__builtin_clz(a) : ~0u, KEEP)
OP64(s_flbit_i32_b64, a ? (uint64_t)__builtin_clzll(a) : ~0u, KEEP)
OP32(s_flbit_i32, sign_length(a, 32), KEEP)
OP64(s_flbit_i32_i64, sign_length(a, 64), KEEP)
OP32(s_sext_i32_i8, (uint32_t)(int8_t)a, KEEP)
OP32(s_sext_i32_i16, (uint32_t)(int16_t)a, KEEP)
OP32(s_bitset0_b32, w->s[D] & ~(1u << (a & 31)), KEEP)
OP32(s_bitset1_b32, w->s[D] | 1u << (a & 31), KEEP)
OP32(s_quadmask_b32, (uint32_t)quads(a, false), NOT_ZERO)
OP64(s_quadmask_b64, quads(a, false), NOT_ZERO)
OP32(s_abs_i32, (int32_t)a < 0 ? 0 - a : a, NOT_ZERO)
OP64(s_bitreplicate_b64_b32, twice_each((uint32_t)a), KEEP)

/* Changes EXEC and saves its old value in the destination. */
#define SAVEEXEC(name, result) \
	static void run_##name(struct wave *w, const struct op *op) \
	{ \
		uint32_t a = A32, exec = w->s[AMD_EXEC]; \
		amd_write_scalar(w, D, exec); \
		w->s[AMD_EXEC] = (result); \
		w->scc = w->s[AMD_EXEC] != 0; \
	}
#define WREXEC(name, result) \
	static void run_##name(struct wave *w, const struct op *op) \
	{ \
		uint32_t a = A32, exec = w->s[AMD_EXEC]; \
		w->s[AMD_EXEC] = (result); \
		amd_write_scalar(w, D, w->s[AMD_EXEC]); \
		w->scc = w->s[AMD_EXEC] != 0; \
	}
SAVEEXEC(s_and_saveexec_b32, a & exec)
SAVEEXEC(s_or_saveexec_b32, a | exec)
SAVEEXEC(s_xor_saveexec_b32, a ^ exec)
SAVEEXEC(s_andn2_saveexec_b32, a & ~exec)
SAVEEXEC(s_orn2_saveexec_b32, a | ~exec)
SAVEEXEC(s_nand_saveexec_b32, ~(a & exec))
SAVEEXEC(s_nor_saveexec_b32, ~(a | exec))
SAVEEXEC(s_xnor_saveexec_b32, ~(a ^ exec))
SAVEEXEC(s_andn1_saveexec_b32, ~a & exec)
SAVEEXEC(s_orn1_saveexec_b32, ~a | exec)
WREXEC(s_andn1_wrexec_b32, ~a & exec)
WREXEC(s_andn2_wrexec_b32, a & ~exec)

/* Comparisons. */
#define CMP(name, type, condition) \
	static void run_##name(struct wave *w, const struct op *op) \
	{ \
		type a = (type)A32, b = (type)B32_; \
		w->scc = (condition); \
	}
#define CMPK(name, type, constant, condition) \
	static void run_##name(struct wave *w, const struct op *op) \
	{ \
		type a = (type)w->s[D], b = (type)(constant); \
		w->scc = (condition); \
	}
CMP(s_cmp_eq_i32, int32_t, a == b)
CMP(s_cmp_lg_i32, int32_t, a != b)
CMP(s_cmp_gt_i32, int32_t, a > b)
CMP(s_cmp_ge_i32, int32_t, a >= b)
CMP(s_cmp_lt_i32, int32_t, a < b)
CMP(s_cmp_le_i32, int32_t, a <= b)
CMP(s_cmp_eq_u32, uint32_t, a == b)
CMP(s_cmp_lg_u32, uint32_t, a != b)
CMP(s_cmp_gt_u32, uint32_t, a > b)
CMP(s_cmp_ge_u32, uint32_t, a >= b)
CMP(s_cmp_lt_u32, uint32_t, a < b)
CMP(s_cmp_le_u32, uint32_t, a <= b)
CMP(s_bitcmp0_b32, uint32_t, !(a >> (b & 31) & 1))
CMP(s_bitcmp1_b32, uint32_t, a >> (b & 31) & 1)
CMPK(s_cmpk_eq_i32, int32_t, SIMM, a == b)
CMPK(s_cmpk_lg_i32, int32_t, SIMM, a != b)
CMPK(s_cmpk_gt_i32, int32_t, SIMM, a > b)
CMPK(s_cmpk_ge_i32, int32_t, SIMM, a >= b)
CMPK(s_cmpk_lt_i32, int32_t, SIMM, a < b)
CMPK(s_cmpk_le_i32, int32_t, SIMM, a <= b)
CMPK(s_cmpk_eq_u32, uint32_t, IMM, a == b)
CMPK(s_cmpk_lg_u32, uint32_t, IMM, a != b)
CMPK(s_cmpk_gt_u32, uint32_t, IMM, a > b)
CMPK(s_cmpk_ge_u32, uint32_t, IMM, a >= b)
CMPK(s_cmpk_lt_u32, uint32_t, IMM, a < b)
CMPK(s_cmpk_le_u32, uint32_t, IMM, a <= b)

static void run_s_cmp_eq_u64(struct wave *w, const struct op *op)
{
	w->scc = A64 == B64_;
}

static void run_s_cmp_lg_u64(struct wave *w, const struct op *op)
{
	w->scc = A64 != B64_;
}

static void run_s_bitcmp0_b64(struct wave *w, const struct op *op)
{
	w->scc = !(A64 >> (B32_ & 63) & 1);
}

static void run_s_bitcmp1_b64(struct wave *w, const struct op *op)
{
	w->scc = A64 >> (B32_ & 63) & 1;
}

static void run_s_movk_i32(struct wave *w, const struct op *op)
{
	amd_write_scalar(w, D, (uint32_t)SIMM);
}

static void run_s_cmovk_i32(struct wave *w, const struct op *op)
{
	if (w->scc)
		amd_write_scalar(w, D, (uint32_t)SIMM);
}

static void run_s_addk_i32(struct wave *w, const struct op *op)
{
	uint32_t a = w->s[D], d = a + (uint32_t)SIMM;

	w->scc = add_overflows(a, (uint32_t)SIMM, d);
	amd_write_scalar(w, D, d);
}

static void run_s_mulk_i32(struct wave *w, const struct op *op)
{
	amd_write_scalar(w, D, w->s[D] * (uint32_t)SIMM);
}

/* Control flow. Offsets are in words from the next instruction. */
static void run_s_branch(struct wave *w, const struct op *op)
{
	w->next += (uint64_t)(int64_t)SIMM * 4;
}

#define BRANCH_IF(name, condition) \
	static void run_##name(struct wave *w, const struct op *op) \
	{ \
		if (condition) \
			w->next += (uint64_t)(int64_t)SIMM * 4; \
	}
BRANCH_IF(s_cbranch_scc0, !w->scc)
BRANCH_IF(s_cbranch_scc1, w->scc)
BRANCH_IF(s_cbranch_vccz, !w->s[AMD_VCC])
BRANCH_IF(s_cbranch_vccnz, w->s[AMD_VCC])
BRANCH_IF(s_cbranch_execz, !w->s[AMD_EXEC])
BRANCH_IF(s_cbranch_execnz, w->s[AMD_EXEC])

static void run_s_getpc_b64(struct wave *w, const struct op *op)
{
	amd_write_scalar64(w, D, w->next);
}

static void run_s_setpc_b64(struct wave *w, const struct op *op)
{
	w->next = A64;
}

static void run_s_swappc_b64(struct wave *w, const struct op *op)
{
	uint64_t to = A64;

	amd_write_scalar64(w, D, w->next);
	w->next = to;
}

static void run_s_call_b64(struct wave *w, const struct op *op)
{
	amd_write_scalar64(w, D, w->next);
	w->next += (uint64_t)(int64_t)SIMM * 4;
}

static void run_s_endpgm(struct wave *w, const struct op *op)
{
	(void)op;
	w->state = WAVE_ENDED;
	amd_trap_leave(w);
}

static void run_s_barrier(struct wave *w, const struct op *op)
{
	(void)op;
	w->state = WAVE_AT_BARRIER;
	w->group->waiting++;
}

static void run_nothing(struct wave *w, const struct op *op)
{
	(void)w;
	(void)op;
}

static void wait_for_loads(struct wave *w, uint32_t left)
{
	if (left < w->loads && w->loaded < w->loads - left)
		w->loaded = w->loads - left;
}

static void run_s_waitcnt(struct wave *w, const struct op *op)
{
	wait_for_loads(w, (IMM & 15) | (IMM >> 14 & 3) << 4);
}

static void run_s_waitcnt_vmcnt(struct wave *w, const struct op *op)
{
	wait_for_loads(w, IMM + (D == AMD_NULL ? 0 : w->s[D]));
}

/* In weak memory mode, performs the wave's oldest stores. */
static void run_s_waitcnt_vscnt(struct wave *w, const struct op *op)
{
	uint32_t left = IMM + (D == AMD_NULL ? 0 : w->s[D]);

	if (w->weak && left < w->stores)
		weak_perform_until(w->weak, w->index, w->stores - left);
}

static void run_s_wait_idle(struct wave *w, const struct op *op)
{
	(void)op;
	wait_for_loads(w, 0);
	if (w->weak)
		weak_perform_until(w->weak, w->index, w->stores);
}

/* A sleeping wave usually waits for another: ends its quantum. */
static void run_s_sleep(struct wave *w, const struct op *op)
{
	(void)op;
	w->yields = true;
}

/* Without a trap handler, the wave continues after the instruction, as amdkfd's first-level handler
 * does without a second-level one. */
static void run_s_trap(struct wave *w, const struct op *op)
{
	amd_trap_enter(w, (uint32_t)IMM & 0xff);
}

static void run_s_rfe_b64(struct wave *w, const struct op *op)
{
	if (!w->privileged) {
		amd_wave_fault(w, LANES, MODEL_FAULT_ILLEGAL_INSTRUCTION, w->pc,
			       "s_rfe_b64 outside of a trap handler");
		return;
	}
	w->next = A64 & 0xffffffffffff;
	w->privileged = false;
	amd_trap_leave(w);
}

static void run_s_code_end(struct wave *w, const struct op *op)
{
	(void)op;
	amd_wave_fault(w, LANES, MODEL_FAULT_ILLEGAL_INSTRUCTION, 0,
		       "execution ran past the end of the program");
}

static uint32_t *hwreg(struct wave *w, uint32_t id, uint32_t *copy)
{
	switch (id) {
	case HWREG_MODE:
		return &w->mode;
	case AMD_HWREG_STATUS:
		*copy = amd_trap_status(w);
		return copy;
	case AMD_HWREG_TRAPSTS:
		return &w->trapsts;
	case HWREG_FLAT_SCR_LO:
		*copy = (uint32_t)w->flat_scratch;
		return copy;
	case HWREG_FLAT_SCR_HI:
		*copy = (uint32_t)(w->flat_scratch >> 32);
		return copy;
	case HWREG_SHADER_CYCLES:
		*copy = (uint32_t)w->steps & 0xfffff;
		return copy;
	default:
		amd_wave_fault(w, LANES, MODEL_FAULT_ILLEGAL_INSTRUCTION, 0,
			       "hardware register %u is not modelled", id);
		return NULL;
	}
}

static void run_s_getreg_b32(struct wave *w, const struct op *op)
{
	uint32_t copy, width = (IMM >> 11) + 1, *r = hwreg(w, IMM & 63, &copy);

	if (r)
		amd_write_scalar(w, D, *r >> (IMM >> 6 & 31) & (uint32_t)((1ull << width) - 1));
}

static void set_hwreg(struct wave *w, uint32_t imm, uint32_t value)
{
	uint32_t id = imm & 63, offset = imm >> 6 & 31, copy, old;
	uint32_t mask = (uint32_t)((1ull << ((imm >> 11) + 1)) - 1) << offset;
	uint32_t *r = hwreg(w, id, &copy);

	if (!r)
		return;
	old = *r;
	value = (old & ~mask) | (value << offset & mask);
	if (id == HWREG_FLAT_SCR_LO)
		w->flat_scratch = (w->flat_scratch & ~0xffffffffull) | value;
	else if (id == HWREG_FLAT_SCR_HI)
		w->flat_scratch = (w->flat_scratch & 0xffffffff) | (uint64_t)value << 32;
	else if (id == HWREG_MODE && !amd_mode_is_known(value))
		amd_wave_fault(w, LANES, MODEL_FAULT_ILLEGAL_INSTRUCTION, 0,
			       "denormal mode 0x%x, which flushes sources or results alone, is not "
			       "modelled",
			       value & 0xff);
	else if (id == HWREG_MODE)
		w->mode = value;
	else if (id == AMD_HWREG_STATUS && w->privileged)
		w->scc = value & AMD_STATUS_SCC;
}

static void run_s_setreg_b32(struct wave *w, const struct op *op)
{
	set_hwreg(w, IMM, w->s[D]);
}

static void run_s_setreg_imm32_b32(struct wave *w, const struct op *op)
{
	set_hwreg(w, IMM, op->in.literal);
}

/* Rounding and denormal mode: four bits each of MODE. */
static void run_s_round_mode(struct wave *w, const struct op *op)
{
	set_hwreg(w, HWREG_MODE | 3 << 11, IMM & 15);
}

static void run_s_denorm_mode(struct wave *w, const struct op *op)
{
	set_hwreg(w, HWREG_MODE | 4 << 6 | 3 << 11, IMM & 15);
}

#define H(name) {AMD_##name, run_##name, NULL, 0}
const struct handler amd_handlers_scalar[] = {
	H(s_add_u32), H(s_sub_u32), H(s_add_i32), H(s_sub_i32), H(s_addc_u32), H(s_subb_u32),
	H(s_min_i32), H(s_min_u32), H(s_max_i32), H(s_max_u32), H(s_cselect_b32), H(s_cselect_b64),
	H(s_and_b32), H(s_and_b64), H(s_or_b32), H(s_or_b64), H(s_xor_b32), H(s_xor_b64),
	H(s_andn2_b32), H(s_andn2_b64), H(s_orn2_b32), H(s_orn2_b64), H(s_nand_b32), H(s_nand_b64),
	H(s_nor_b32), H(s_nor_b64), H(s_xnor_b32), H(s_xnor_b64), H(s_lshl_b32), H(s_lshl_b64),
	H(s_lshr_b32), H(s_lshr_b64), H(s_ashr_i32), H(s_ashr_i64), H(s_bfm_b32), H(s_bfm_b64),
	H(s_mul_i32), H(s_bfe_u32), H(s_bfe_i32), H(s_bfe_u64), H(s_bfe_i64), H(s_absdiff_i32),
	H(s_lshl1_add_u32), H(s_lshl2_add_u32), H(s_lshl3_add_u32), H(s_lshl4_add_u32),
	H(s_pack_ll_b32_b16), H(s_pack_lh_b32_b16), H(s_pack_hh_b32_b16), H(s_mul_hi_u32),
	H(s_mul_hi_i32), H(s_mov_b32), H(s_mov_b64), H(s_cmov_b32), H(s_cmov_b64), H(s_not_b32),
	H(s_not_b64), H(s_wqm_b32), H(s_wqm_b64), H(s_brev_b32), H(s_brev_b64), H(s_bcnt0_i32_b32),
	H(s_bcnt0_i32_b64), H(s_bcnt1_i32_b32), H(s_bcnt1_i32_b64), H(s_ff0_i32_b32),
	H(s_ff0_i32_b64), H(s_ff1_i32_b32), H(s_ff1_i32_b64), H(s_flbit_i32_b32),
	H(s_flbit_i32_b64), H(s_flbit_i32), H(s_flbit_i32_i64), H(s_sext_i32_i8), H(s_sext_i32_i16),
	H(s_bitset0_b32), H(s_bitset1_b32), H(s_quadmask_b32), H(s_quadmask_b64), H(s_abs_i32),
	H(s_bitreplicate_b64_b32), H(s_and_saveexec_b32), H(s_or_saveexec_b32),
	H(s_xor_saveexec_b32), H(s_andn2_saveexec_b32), H(s_orn2_saveexec_b32),
	H(s_nand_saveexec_b32), H(s_nor_saveexec_b32), H(s_xnor_saveexec_b32),
	H(s_andn1_saveexec_b32), H(s_orn1_saveexec_b32), H(s_andn1_wrexec_b32),
	H(s_andn2_wrexec_b32), H(s_cmp_eq_i32), H(s_cmp_lg_i32), H(s_cmp_gt_i32), H(s_cmp_ge_i32),
	H(s_cmp_lt_i32), H(s_cmp_le_i32), H(s_cmp_eq_u32), H(s_cmp_lg_u32), H(s_cmp_gt_u32),
	H(s_cmp_ge_u32), H(s_cmp_lt_u32), H(s_cmp_le_u32), H(s_bitcmp0_b32), H(s_bitcmp1_b32),
	H(s_bitcmp0_b64), H(s_bitcmp1_b64), H(s_cmp_eq_u64), H(s_cmp_lg_u64), H(s_cmpk_eq_i32),
	H(s_cmpk_lg_i32), H(s_cmpk_gt_i32), H(s_cmpk_ge_i32), H(s_cmpk_lt_i32), H(s_cmpk_le_i32),
	H(s_cmpk_eq_u32), H(s_cmpk_lg_u32), H(s_cmpk_gt_u32), H(s_cmpk_ge_u32), H(s_cmpk_lt_u32),
	H(s_cmpk_le_u32), H(s_movk_i32), H(s_cmovk_i32), H(s_addk_i32), H(s_mulk_i32), H(s_branch),
	H(s_cbranch_scc0), H(s_cbranch_scc1), H(s_cbranch_vccz), H(s_cbranch_vccnz),
	H(s_cbranch_execz), H(s_cbranch_execnz), H(s_getpc_b64), H(s_setpc_b64), H(s_swappc_b64),
	H(s_call_b64), H(s_endpgm), H(s_barrier), H(s_trap), H(s_rfe_b64), H(s_code_end), H(s_getreg_b32),
	H(s_setreg_b32), H(s_setreg_imm32_b32), H(s_round_mode), H(s_denorm_mode),
	/* Hints, and waits, which matter in weak memory mode; hazard.c checks them. */
	{AMD_s_nop, run_nothing, NULL, 0}, H(s_sleep),
	{AMD_s_setprio, run_nothing, NULL, 0}, {AMD_s_clause, run_nothing, NULL, 0},
	{AMD_s_inst_prefetch, run_nothing, NULL, 0}, H(s_waitcnt),
	{AMD_s_waitcnt_depctr, run_nothing, NULL, 0}, H(s_waitcnt_vscnt),
	H(s_waitcnt_vmcnt), {AMD_s_waitcnt_expcnt, run_nothing, NULL, 0},
	{AMD_s_waitcnt_lgkmcnt, run_nothing, NULL, 0}, H(s_wait_idle),
	{AMD_s_icache_inv, run_nothing, NULL, 0}, {AMD_s_wakeup, run_nothing, NULL, 0},
	{AMD_s_incperflevel, run_nothing, NULL, 0}, {AMD_s_decperflevel, run_nothing, NULL, 0},
	{AMD_v_nop, run_nothing, NULL, 0}, {AMD_v_pipeflush, run_nothing, NULL, 0},
	HANDLERS_END,
};
