// SPDX-License-Identifier: MIT
/*
 * Rows 0x100–0x17f of the instruction table: conversions and other units of variable latency,
 * barriers, special registers, control flow. Evidence as in sass_table_alu.c.
 */
#include "libsov/isa/nv/sass_row_macros.h"

static const struct sass_choice mufu[16] = {
	{".COS", SASS_MUFU_COS}, {".SIN", SASS_MUFU_SIN}, {".EX2", SASS_MUFU_EX2},
	{".LG2", SASS_MUFU_LG2}, {".RCP", SASS_MUFU_RCP}, {".RSQ", SASS_MUFU_RSQ},
	{".RCP64H", SASS_MUFU_RCP64H}, {".RSQ64H", SASS_MUFU_RSQ64H}, {".SQRT", SASS_MUFU_SQRT},
	{".TANH", SASS_MUFU_TANH},
};
static const struct sass_choice mufu_70[16] = {
	{".COS", SASS_MUFU_COS}, {".SIN", SASS_MUFU_SIN}, {".EX2", SASS_MUFU_EX2},
	{".LG2", SASS_MUFU_LG2}, {".RCP", SASS_MUFU_RCP}, {".RSQ", SASS_MUFU_RSQ},
	{".RCP64H", SASS_MUFU_RCP64H}, {".RSQ64H", SASS_MUFU_RSQ64H}, {".SQRT", SASS_MUFU_SQRT},
};
/* Number formats. Integers: bit 0 signed, bits 1–2 size. Floats: size; nvdisasm prints 32 bits only
 * in conversions between floats. */
static const struct sass_choice integer[8] = {
	{".U8", SASS_TYPE_U8}, {".S8", SASS_TYPE_S8}, {".U16", SASS_TYPE_U16},
	{".S16", SASS_TYPE_S16}, {".U32", SASS_TYPE_U32}, {"", SASS_TYPE_S32},
};
static const struct sass_choice integer8[8] = {{".U8", SASS_TYPE_U8}, {".S8", SASS_TYPE_S8}};
static const struct sass_choice integer16[8] = {
	[2] = {".U16", SASS_TYPE_U16}, {".S16", SASS_TYPE_S16},
};
static const struct sass_choice integer32[8] = {[4] = {".U32", SASS_TYPE_U32}, {"", SASS_TYPE_S32}};
static const struct sass_choice only_i64[8] = {
	[6] = {".U64", SASS_TYPE_U64}, {".S64", SASS_TYPE_S64},
};
static const struct sass_choice integer64[8] = {
	{".U8", SASS_TYPE_U8}, {".S8", SASS_TYPE_S8}, {".U16", SASS_TYPE_U16},
	{".S16", SASS_TYPE_S16}, {".U32", SASS_TYPE_U32}, {"", SASS_TYPE_S32},
	{".U64", SASS_TYPE_U64}, {".S64", SASS_TYPE_S64},
};
static const struct sass_choice floating[4] = {
	{NULL, 0}, {".F16", SASS_TYPE_F16}, {"", SASS_TYPE_F32},
};
static const struct sass_choice floating64[4] = {
	{NULL, 0}, {".F16", SASS_TYPE_F16}, {"", SASS_TYPE_F32}, {".F64", SASS_TYPE_F64},
};
static const struct sass_choice only_f16[8] = {[1] = {".F16", SASS_TYPE_F16}};
static const struct sass_choice only_f32[8] = {[2] = {"", SASS_TYPE_F32}};
static const struct sass_choice only_f64[8] = {[3] = {".F64", SASS_TYPE_F64}};
static const struct sass_choice only_bf16[8] = {[4] = {".BF16", SASS_TYPE_BF16}};
static const struct sass_choice explicit_f32[8] = {[2] = {".F32", SASS_TYPE_F32}};
static const struct sass_choice f16_f32[8] = {
	[1] = {".F16", SASS_TYPE_F16}, {".F32", SASS_TYPE_F32},
};
static const struct sass_choice f16_bf16[8] = {
	[1] = {".F16", SASS_TYPE_F16}, [4] = {".BF16", SASS_TYPE_BF16},
};
static const struct sass_choice half_8x[4] = {[2] = {".F16", SASS_TYPE_F16}};
static const struct sass_choice half_90[4] = {
	[1] = {".F16", SASS_TYPE_F16}, {".BF16", SASS_TYPE_BF16},
};
static const struct sass_choice frnd_bf16[64] = {[36] = {".BF16", SASS_TYPE_BF16}};
static const struct sass_choice frnd16[16] = {[5] = {".F16", SASS_TYPE_F16}};
static const struct sass_choice frnd32[16] = {[10] = {"", SASS_TYPE_F32}};
static const struct sass_choice frnd64[16] = {[15] = {".F64", SASS_TYPE_F64}};
static const struct sass_choice round_integer[4] = {
	{"", SASS_RN}, {".FLOOR", SASS_RM}, {".CEIL", SASS_RP}, {".TRUNC", SASS_RZ_MODE},
};
static const struct sass_choice bar[32] = {
	[0] = {".SYNC", SASS_BAR_SYNC}, [4] = {".ARV", SASS_BAR_ARV},
	[8] = {".RED.POPC", SASS_BAR_RED_POPC}, [9] = {".RED.AND", SASS_BAR_RED_AND},
	[10] = {".RED.OR", SASS_BAR_RED_OR},
};
static const struct sass_choice bra[4] = {
	{"", SASS_BRA_PLAIN}, {".U", SASS_BRA_U}, {".DIV", SASS_BRA_DIV}, {".CONV", SASS_BRA_CONV},
};
static const struct sass_choice bra_any[8] = {
	{"", SASS_BRA_PLAIN}, {".U", SASS_BRA_U}, {".DIV", SASS_BRA_DIV}, {".CONV", SASS_BRA_CONV},
	[5] = {".U.ANY", SASS_BRA_U_ANY},
};
static const struct sass_choice bra_uniform[4] = {
	{NULL, 0}, {NULL, 0}, {".DIV", SASS_BRA_DIV}, {".CONV", SASS_BRA_CONV},
};
static const struct sass_choice exit_kind[4] = {
	{"", SASS_EXIT_PLAIN}, {".KEEPREFCOUNT", SASS_EXIT_KEEPREFCOUNT},
	{".PREEMPTED", SASS_EXIT_PREEMPTED},
};
static const struct sass_choice nanosleep[4] = {
	{"", SASS_SLEEP_PLAIN}, {NULL, 0}, {".WARP", SASS_SLEEP_WARP}, {NULL, 0},
};
static const struct sass_choice nanosleep_90[4] = {
	{"", SASS_SLEEP_PLAIN}, {".SYNCS", SASS_SLEEP_SYNCS}, {".WARP", SASS_SLEEP_WARP},
	{".WARP.SYNCS", SASS_SLEEP_WARP_SYNCS},
};

/* BAR.ARV needs a number of threads and cannot defer. In form 1 one register holds the barrier's
 * number and the number of threads. */
static bool legal_bar(uint32_t sm, const struct sass_inst *in)
{
	const struct sass_operand *a = &in->ops[0], *b = &in->ops[1];

	(void)sm;
	if (in->mod[SASS_M_BAR] == SASS_BAR_ARV &&
	    (in->mod[SASS_M_DEFER] || (b->kind == SASS_IMM && !b->value)))
		return false;
	if (b->kind == SASS_GPR && b->reg == SASS_RZ)
		return false; /* form 5 with 0 encodes all threads */
	return a->kind != SASS_GPR || b->kind != SASS_GPR || a->reg == b->reg;
}

static bool legal_depbar_set(uint32_t sm, const struct sass_inst *in)
{
	(void)sm;
	return in->ops[0].value;
}

/* MUFU on halves has no 64-bit functions. */
static bool legal_mufu_half(uint32_t sm, const struct sass_inst *in)
{
	uint8_t function = in->mod[SASS_M_FUNC];

	(void)sm;
	return function != SASS_MUFU_RCP64H && function != SASS_MUFU_RSQ64H;
}

/* Absolute targets are not negative. */
static bool legal_call(uint32_t sm, const struct sass_inst *in)
{
	(void)sm;
	return in->ops[1].value >= 0;
}

static bool legal_depbar(uint32_t sm, const struct sass_inst *in)
{
	(void)sm;
	return in->ops[0].value < 6;
}

#define DT      D(.count = COUNT_DTYPE)
#define ODDT(f) ODD(f, .count = COUNT_STYPE)
#define BRANCH  SASS_PIPE_BRANCH, .sb = SB_NONE
#define X_      PQ(87, 90)
#define BARMODS FIELDS2(BAR, 74, 2, 77, 3, bar), FLAG(DEFER, 80, YES(".DEFER_BLOCKING"))
#define BARX    P(87, 90, TRUE_, .flags = SLOT_RED)
#define NEAR    {.type = SLOT_TARGET, .width = 48}
#define NEAR90  {.type = SLOT_TARGET8, .width = 48}
#define AT      {.type = SLOT_TARGET, .width = 48, .flags = SLOT_RAW}
#define AT90    {.type = SLOT_TARGET8, .width = 48, .flags = SLOT_RAW}
#define AT_QUIET {.type = SLOT_TARGET, .width = 48, .flags = SLOT_RAW | SLOT_QUIET}
#define AT90_QUIET {.type = SLOT_TARGET8, .width = 48, .flags = SLOT_RAW | SLOT_QUIET}
#define NO_INC  FLAG(NODEC, 86, YES(".NOINC"))
#define NO_DEC  FLAG(NODEC, 86, YES(".NODEC"))
#define RPC    I(31, 1, .flags = SLOT_RPC)
#define BREG(at) {.type = SLOT_BREG, .lo = at}
#define BREG_W(at) {.type = SLOT_BREG, .lo = at, .flags = SLOT_WRITE}
#define X_FIRST {.type = SLOT_PRED, .lo = 87, .neg = 90, .flags = SLOT_QUIET | SLOT_FIRST, \
		 .otherwise = DEFAULT_TRUE}

const struct sass_form sass_control_rows[] = {
	{"FLO", SASS_FLO, 0x100, FORMS_B, SM_ALL, SASS_PIPE_MUFU,
	 .ops = {D(), PDQ(81), ODD(SLOT_NOT)}, .fields = {U32, FLAG(SH, 74, YES(".SH"))}},
	{"BREV", SASS_BREV, 0x101, FORMS_B, SM_ALL, SASS_PIPE_MUFU, .ops = {D(), ODD(0)}},
	{"FCHK", SASS_FCHK, 0x102, FORMS_B, SM_ALL, SASS_PIPE_MUFU, .imm = IMM_FLOAT,
	 .ops = {PD(81), A(NA), ODD(NA)}},
	{"F2F", SASS_F2F, 0x104, FORMS_B, SM_7X, SASS_PIPE_MUFU, .imm = IMM_FLOAT,
	 .ops = {DT, ODDT(NA)},
	 .fields = {FTZ, FIELD(DTYPE, 75, 3, only_f16), FIELD(STYPE, 84, 3, explicit_f32), RND}},
	{"F2F", SASS_F2F, 0x104, FORMS_B, SM_80_UP, SASS_PIPE_MUFU, .imm = IMM_FLOAT,
	 .ops = {DT, ODDT(NA)},
	 .fields = {FTZ, FIELD(DTYPE, 75, 3, f16_bf16), FIELD(STYPE, 84, 3, explicit_f32), RND}},
	{"F2F", SASS_F2F, 0x104, FORM(1), SM_ALL, SASS_PIPE_MUFU,
	 .ops = {DT, ODDT(NA | SLOT_HALF1)},
	 .fields = {FTZ, FIELD(DTYPE, 75, 3, explicit_f32), FIELD(STYPE, 84, 3, only_f16), RND}},
	{"F2F", SASS_F2F, 0x104, FORM(1), SM_90, SASS_PIPE_MUFU, .ops = {DT, ODDT(NA | SLOT_HALF1)},
	 .fields = {FTZ, FIELD(DTYPE, 75, 3, explicit_f32), FIELD(STYPE, 84, 3, only_bf16), RND}},
	{"F2F", SASS_F2F, 0x104, FORM(1), SM_90, SASS_PIPE_MUFU, .ops = {DT, ODDT(NA | SLOT_HALF1)},
	 .fields = {FTZ, FIELD(DTYPE, 75, 3, only_f16), FIELD(STYPE, 84, 3, only_bf16), RND}},
	{"F2F", SASS_F2F, 0x104, FORM(1), SM_90, SASS_PIPE_MUFU, .ops = {DT, ODDT(NA | SLOT_HALF1)},
	 .fields = {FTZ, FIELD(DTYPE, 75, 3, only_bf16), FIELD(STYPE, 84, 3, only_f16), RND}},
	{"F2I", SASS_F2I, 0x105, FORMS_B, SM_ALL, SASS_PIPE_MUFU, .imm = IMM_FLOAT,
	 .ops = {DT, ODDT(NA)},
	 .fields = {FTZ, FIELDS2(DTYPE, 72, 1, 75, 2, integer), FIELD(STYPE, 84, 2, only_f32),
		    FIELD(RND, 78, 2, round_integer), FLAG(NTZ, 77, YES(".NTZ"))}},
	{"F2I", SASS_F2I, 0x105, FORM(1), SM_ALL, SASS_PIPE_MUFU,
	 .ops = {DT, ODDT(NA | SLOT_HALF1)},
	 .fields = {FTZ, FIELDS2(DTYPE, 72, 1, 75, 2, integer), FIELD(STYPE, 84, 2, only_f16),
		 FIELD(RND, 78, 2, round_integer), FLAG(NTZ, 77, YES(".NTZ"))}},
	{"F2I", SASS_F2I, 0x105, FORM(1), SM_90, SASS_PIPE_MUFU, .ops = {DT, ODDT(NA | SLOT_HALF1)},
	 .fields = {FTZ, FIELDS2(DTYPE, 72, 1, 75, 2, integer), FIELD(STYPE, 84, 3, only_bf16),
		 FIELD(RND, 78, 2, round_integer), FLAG(NTZ, 77, YES(".NTZ"))}},
	{"I2F", SASS_I2F, 0x106, FORMS_B, SM_90, SASS_PIPE_MUFU, .imm = IMM_STYPE,
	 .ops = {DT, ODDT(0)},
	 .fields = {FIELD(DTYPE, 75, 3, only_bf16), FIELDS2(STYPE, 74, 1, 84, 2, integer32), RND}},
	{"I2F", SASS_I2F, 0x106, FORM(1) | FORM(6), SM_90, SASS_PIPE_MUFU,
	 .ops = {DT, ODDT(SLOT_BYTE)},
	 .fields = {FIELD(DTYPE, 75, 3, only_bf16), FIELDS2(STYPE, 74, 1, 84, 2, integer8), RND}},
	{"I2F", SASS_I2F, 0x106, FORM(1) | FORM(6), SM_90, SASS_PIPE_MUFU,
	 .ops = {DT, ODDT(SLOT_HALF1)},
	 .fields = {FIELD(DTYPE, 75, 3, only_bf16), FIELDS2(STYPE, 74, 1, 84, 2, integer16), RND}},
	{"I2F", SASS_I2F, 0x106, FORMS_B, SM_ALL, SASS_PIPE_MUFU, .imm = IMM_STYPE,
	 .ops = {DT, ODDT(0)},
	 .fields = {FIELD(DTYPE, 75, 2, floating), FIELDS2(STYPE, 74, 1, 84, 2, integer32), RND}},
	{"I2F", SASS_I2F, 0x106, FORM(1) | FORM(6), SM_ALL, SASS_PIPE_MUFU,
	 .ops = {DT, ODDT(SLOT_BYTE)},
	 .fields = {FIELD(DTYPE, 75, 2, floating), FIELDS2(STYPE, 74, 1, 84, 2, integer8), RND}},
	{"I2F", SASS_I2F, 0x106, FORM(1) | FORM(6), SM_ALL, SASS_PIPE_MUFU,
	 .ops = {DT, ODDT(SLOT_HALF1)},
	 .fields = {FIELD(DTYPE, 75, 2, floating), FIELDS2(STYPE, 74, 1, 84, 2, integer16), RND}},
	{"FRND", SASS_FRND, 0x107, FORMS_B, SM_ALL, SASS_PIPE_MUFU, .imm = IMM_FLOAT,
	 .ops = {DT, ODD(NA, .count = COUNT_DTYPE)},
	 .fields = {FTZ, FIELDS2(DTYPE, 75, 2, 84, 2, frnd32), FIELD(RND, 78, 2, round_integer)}},
	{"FRND", SASS_FRND, 0x107, FORM(1), SM_ALL, SASS_PIPE_MUFU,
	 .ops = {DT, ODD(NA | SLOT_HALF1, .count = COUNT_DTYPE)},
	 .fields = {FTZ, FIELDS2(DTYPE, 75, 2, 84, 2, frnd16), FIELD(RND, 78, 2, round_integer)}},
	{"FRND", SASS_FRND, 0x107, FORM(1), SM_90, SASS_PIPE_MUFU,
	 .ops = {DT, ODD(NA | SLOT_HALF1, .count = COUNT_DTYPE)},
	 .fields = {FTZ, FIELDS2(DTYPE, 75, 3, 84, 3, frnd_bf16),
		    FIELD(RND, 78, 2, round_integer)}},
	{"MUFU", SASS_MUFU, 0x108, FORMS_B, SM_70, SASS_PIPE_MUFU, .imm = IMM_MUFU,
	 .ops = {D(), ODD(NA)}, .fields = {FIELD(FUNC, 74, 4, mufu_70)}},
	{"MUFU", SASS_MUFU, 0x108, FORMS_B, SM_75_UP, SASS_PIPE_MUFU, .imm = IMM_MUFU,
	 .ops = {D(), ODD(NA)}, .fields = {FIELD(FUNC, 74, 4, mufu)}},
	{"MUFU", SASS_MUFU, 0x108, FORM(1) | FORM(6), SM_75_TO_89, SASS_PIPE_MUFU,
	 .ops = {D(), ODD(NA | SLOT_HALF1)},
	 .fields = {FIELD(FUNC, 74, 4, mufu), FIELD(DTYPE, 72, 2, half_8x)},
	 .legal = legal_mufu_half},
	{"MUFU", SASS_MUFU, 0x108, FORM(1) | FORM(6), SM_90, SASS_PIPE_MUFU,
	 .ops = {D(), ODD(NA | SLOT_HALF1)},
	 .fields = {FIELD(FUNC, 74, 4, mufu), FIELD(DTYPE, 72, 2, half_90)},
	 .legal = legal_mufu_half},
	{"POPC", SASS_POPC, 0x109, FORMS_B, SM_ALL, SASS_PIPE_MUFU, .ops = {D(), ODD(SLOT_NOT)}},
	{"F2F", SASS_F2F, 0x110, FORMS_B, SM_ALL, SASS_PIPE_MUFU, .imm = IMM_DOUBLE,
	 .ops = {DT, ODDT(NA)},
	 .fields = {FTZ, FIELD(DTYPE, 75, 3, f16_f32), FIELD(STYPE, 84, 3, only_f64), RND}},
	{"F2F", SASS_F2F, 0x110, FORMS_B, SM_ALL, SASS_PIPE_MUFU, .imm = IMM_FLOAT,
	 .ops = {DT, ODDT(NA)},
	 .fields = {FTZ, FIELD(DTYPE, 75, 3, only_f64), FIELD(STYPE, 84, 3, explicit_f32), RND}},
	{"F2F", SASS_F2F, 0x110, FORM(1), SM_ALL, SASS_PIPE_MUFU,
	 .ops = {DT, ODDT(NA | SLOT_HALF1)},
	 .fields = {FTZ, FIELD(DTYPE, 75, 3, only_f64), FIELD(STYPE, 84, 3, only_f16), RND}},
	{"F2F", SASS_F2F, 0x110, FORMS_B, SM_90, SASS_PIPE_MUFU, .imm = IMM_DOUBLE,
	 .ops = {DT, ODDT(NA)},
	 .fields = {FTZ, FIELD(DTYPE, 75, 3, only_bf16), FIELD(STYPE, 84, 3, only_f64), RND}},
	{"F2F", SASS_F2F, 0x110, FORM(1), SM_90, SASS_PIPE_MUFU, .ops = {DT, ODDT(NA | SLOT_HALF1)},
	 .fields = {FTZ, FIELD(DTYPE, 75, 3, only_f64), FIELD(STYPE, 84, 3, only_bf16), RND}},
	{"F2I", SASS_F2I, 0x111, FORM(1), SM_ALL, SASS_PIPE_MUFU,
	 .ops = {DT, ODDT(NA | SLOT_HALF1)},
	 .fields = {FTZ, FIELDS2(DTYPE, 72, 1, 75, 2, only_i64), FIELD(STYPE, 84, 3, only_f16),
		    FIELD(RND, 78, 2, round_integer), FLAG(NTZ, 77, YES(".NTZ"))}},
	{"F2I", SASS_F2I, 0x111, FORM(1), SM_90, SASS_PIPE_MUFU, .ops = {DT, ODDT(NA | SLOT_HALF1)},
	 .fields = {FTZ, FIELDS2(DTYPE, 72, 1, 75, 2, only_i64), FIELD(STYPE, 84, 3, only_bf16),
		    FIELD(RND, 78, 2, round_integer), FLAG(NTZ, 77, YES(".NTZ"))}},
	{"F2I", SASS_F2I, 0x111, FORMS_B, SM_ALL, SASS_PIPE_MUFU, .imm = IMM_DOUBLE,
	 .ops = {DT, ODDT(NA)},
	 .fields = {FTZ, FIELDS2(DTYPE, 72, 1, 75, 2, integer64), FIELD(STYPE, 84, 2, only_f64),
		    FIELD(RND, 78, 2, round_integer), FLAG(NTZ, 77, YES(".NTZ"))}},
	{"F2I", SASS_F2I, 0x111, FORMS_B, SM_ALL, SASS_PIPE_MUFU, .imm = IMM_FLOAT,
	 .ops = {DT, ODDT(NA)},
	 .fields = {FTZ, FIELDS2(DTYPE, 72, 1, 75, 2, only_i64), FIELD(STYPE, 84, 2, only_f32),
		    FIELD(RND, 78, 2, round_integer), FLAG(NTZ, 77, YES(".NTZ"))}},
	{"I2F", SASS_I2F, 0x112, FORMS_B, SM_ALL, SASS_PIPE_MUFU, .imm = IMM_STYPE,
	 .ops = {DT, ODDT(0)},
	 .fields = {FIELD(DTYPE, 75, 2, only_f64), FIELDS2(STYPE, 74, 1, 84, 2, integer32), RND}},
	{"I2F", SASS_I2F, 0x112, FORM(1) | FORM(6), SM_ALL, SASS_PIPE_MUFU,
	 .ops = {DT, ODDT(SLOT_BYTE)},
	 .fields = {FIELD(DTYPE, 75, 2, only_f64), FIELDS2(STYPE, 74, 1, 84, 2, integer8), RND}},
	{"I2F", SASS_I2F, 0x112, FORM(1) | FORM(6), SM_ALL, SASS_PIPE_MUFU,
	 .ops = {DT, ODDT(SLOT_HALF1)},
	 .fields = {FIELD(DTYPE, 75, 2, only_f64), FIELDS2(STYPE, 74, 1, 84, 2, integer16), RND}},
	{"I2F", SASS_I2F, 0x112, FORMS_B, SM_ALL, SASS_PIPE_MUFU, .imm = IMM_STYPE,
	 .ops = {DT, ODDT(0)},
	 .fields = {FIELD(DTYPE, 75, 2, floating64), FIELDS2(STYPE, 74, 1, 84, 2, only_i64), RND}},
	{"I2F", SASS_I2F, 0x112, FORMS_B, SM_90, SASS_PIPE_MUFU, .imm = IMM_STYPE,
	 .ops = {DT, ODDT(0)},
	 .fields = {FIELD(DTYPE, 75, 3, only_bf16), FIELDS2(STYPE, 74, 1, 84, 2, only_i64), RND}},
	{"FRND", SASS_FRND, 0x113, FORMS_B, SM_ALL, SASS_PIPE_MUFU, .imm = IMM_DOUBLE,
	 .ops = {DT, ODD(NA, .count = COUNT_DTYPE)},
	 .fields = {FTZ, FIELDS2(DTYPE, 75, 2, 84, 2, frnd64), FIELD(RND, 78, 2, round_integer)}},
	{"NOP", SASS_NOP, 0x118, FORM(4), SM_ALL, SASS_PIPE_ALU, .ops = {NOTHING}},
	{"S2R", SASS_S2R, 0x119, FORM(4), SM_ALL, SASS_PIPE_SPECIAL,
	 .ops = {D(), {.type = SLOT_SREG, .lo = 72, .width = 8}}},
	{"DEPBAR.LE", SASS_DEPBAR, 0x11a, FORM(4), SM_ALL, SASS_PIPE_BARRIER, .sb = SB_NONE,
	 .ops = {I(44, 3, .flags = SLOT_SB), I(38, 6),
		 I(32, 6, .flags = SLOT_QUIET | SLOT_SET, .otherwise = DEFAULT_0)},
	 .fixed = {{47, 1, 1}}, .legal = legal_depbar},
	{"DEPBAR", SASS_DEPBAR_SET, 0x11a, FORM(4), SM_90, SASS_PIPE_BARRIER, .sb = SB_NONE,
	 .ops = {I(32, 6, .flags = SLOT_SET)}, .fixed = {{47, 1, 0}}, .legal = legal_depbar_set},
	{"ENDCOLLECTIVE", SASS_ENDCOLLECTIVE, 0x11b, FORM(4), SM_90, BRANCH, .ops = {X_}},
	{"B2R.RESULT", SASS_B2R, 0x11c, FORM(1), SM_ALL, SASS_PIPE_BARRIER,
	 .ops = {D(.otherwise = DEFAULT_ZERO_REG), PDQ(81)}, .fixed = {{78, 2, 1}}},
	{"BAR", SASS_BAR, 0x11d, FORM(1), SM_ALL, SASS_PIPE_BARRIER, .sb = SB_READ,
	 .ops = {R(32), R(32), BARX}, .fields = {BARMODS}, .legal = legal_bar},
	{"BAR", SASS_BAR, 0x11d, FORM(2), SM_ALL, SASS_PIPE_BARRIER, .sb = SB_READ,
	 .ops = {R(32), I(42, 12, .flags = SLOT_QUIET, .otherwise = DEFAULT_0), BARX},
	 .fields = {BARMODS}, .legal = legal_bar},
	{"BAR", SASS_BAR, 0x11d, FORM(5), SM_ALL, SASS_PIPE_BARRIER, .sb = SB_READ,
	 .ops = {I(54, 4), I(42, 12, .flags = SLOT_QUIET, .otherwise = DEFAULT_0), BARX},
	 .fields = {BARMODS}, .legal = legal_bar},
	{"BAR", SASS_BAR, 0x11d, FORM(4), SM_ALL, SASS_PIPE_BARRIER, .sb = SB_READ,
	 .ops = {I(54, 4), R(32), BARX},
	 .fields = {BARMODS}, .legal = legal_bar},
	{"BSYNC", SASS_BSYNC, 0x141, FORM(4), SM_ALL, BRANCH, .ops = {BREG(16), X_FIRST}},
	{"BREAK", SASS_BREAK, 0x142, FORM(4), SM_ALL, BRANCH, .ops = {BREG_W(16), X_FIRST}},
	{"CALL.ABS", SASS_CALL_ABS, 0x143, FORM(4), SM_TO_89, BRANCH, .ops = {X_, AT},
	 .fields = {NO_INC}, .legal = legal_call},
	{"CALL.ABS", SASS_CALL_ABS, 0x143, FORM(4), SM_90, BRANCH, .ops = {X_, AT90},
	 .fields = {NO_INC}, .legal = legal_call},
	{"CALL.ABS", SASS_CALL_ABS_REG, 0x143, FORM(1), SM_TO_89, BRANCH,
	 .ops = {X_, R(24, PAIR, .flags = SLOT_BLANK), AT_QUIET}, .fields = {NO_INC}},
	{"CALL.ABS", SASS_CALL_ABS_REG, 0x143, FORM(1), SM_90, BRANCH,
	 .ops = {X_, R(24, PAIR, .flags = SLOT_BLANK), AT90_QUIET}, .fields = {NO_INC}},
	{"CALL.REL", SASS_CALL_REL, 0x144, FORM(4), SM_TO_89, BRANCH, .ops = {X_, NEAR},
	 .fields = {NO_INC}},
	{"CALL.REL", SASS_CALL_REL, 0x144, FORM(4), SM_90, BRANCH, .ops = {X_, NEAR90},
	 .fields = {NO_INC}},
	{"CALL.REL", SASS_CALL_REL_REG, 0x144, FORM(1), SM_TO_89, BRANCH,
	 .ops = {X_, R(24, PAIR, .flags = SLOT_BLANK), NEAR},
	 .fields = {NO_INC}},
	{"CALL.REL", SASS_CALL_REL_REG, 0x144, FORM(1), SM_90, BRANCH,
	 .ops = {X_, R(24, PAIR, .flags = SLOT_BLANK), NEAR90},
	 .fields = {NO_INC}},
	{"BSSY", SASS_BSSY, 0x145, FORM(4), SM_ALL, BRANCH,
	 .ops = {BREG_W(16), {.type = SLOT_TARGET, .width = 30}, X_FIRST}},
	{"YIELD", SASS_YIELD, 0x146, FORM(4), SM_ALL, BRANCH, .ops = {X_}},
	{"BRA", SASS_BRA, 0x147, FORM(4), SM_TO_89, BRANCH, .ops = {X_, NEAR},
	 .fields = {FIELD(UNIFORM, 32, 2, bra)}},
	{"BRA", SASS_BRA, 0x147, FORM(4), SM_90, BRANCH, .ops = {X_, NEAR90},
	 .fields = {FIELDS2(UNIFORM, 32, 2, 84, 1, bra_any)}},
	{"BRA.U", SASS_BRA_UPRED, 0x147, FORM(2), SM_90, BRANCH, .ops = {X_, UP(24, 27), NEAR90},
	 .fixed = {{32, 2, 1}, {91, 1, 1}}},
	{"BRA", SASS_BRA_UREG, 0x147, FORM(4), SM_8X, BRANCH,
	 .ops = {X_, {.type = SLOT_UGPR, .lo = 24, .neg = 30, .flags = SLOT_NOT}, NEAR},
	 .fields = {FIELD(UNIFORM, 32, 2, bra_uniform)}, .fixed = {{91, 1, 1}}},
	{"BRA", SASS_BRA_UREG, 0x147, FORM(4), SM_90, BRANCH,
	 .ops = {X_, {.type = SLOT_UGPR, .lo = 24, .neg = 30, .flags = SLOT_NOT}, NEAR90},
	 .fields = {FIELD(UNIFORM, 32, 2, bra_uniform)}, .fixed = {{91, 1, 1}}},
	{"WARPSYNC", SASS_WARPSYNC, 0x148, FORM(1), SM_7X, BRANCH, .ops = {X_, ODD(0)}},
	{"WARPSYNC", SASS_WARPSYNC, 0x148, FORM(1), SM_8X, BRANCH, .ops = {X_, ODD(0)},
	 .fields = {FLAG(EXCLUSIVE, 86, YES(".EXCLUSIVE"))}},
	{"WARPSYNC", SASS_WARPSYNC, 0x148, FORM(4), SM_TO_89, BRANCH, .ops = {X_, ODD(0)}},
	{"WARPSYNC", SASS_WARPSYNC, 0x148, FORM(1), SM_90, BRANCH, .ops = {X_, R(24)},
	 .fields = {FLAG(EXCLUSIVE, 85, YES(".EXCLUSIVE"))}, .fixed = {{86, 1, 0}}},
	{"WARPSYNC.COLLECTIVE", SASS_WARPSYNC_COLLECTIVE, 0x148, FORM(1), SM_90, BRANCH,
	 .ops = {X_, R(24), NEAR90}, .fixed = {{86, 1, 1}}},
	{"WARPSYNC.COLLECTIVE.ALL", SASS_WARPSYNC_COLLECTIVE_ALL, 0x148, FORM(4), SM_90, BRANCH,
	 .ops = {X_, NEAR90}, .fixed = {{86, 1, 1}}},
	{"WARPSYNC.ALL", SASS_WARPSYNC_ALL, 0x148, FORM(4), SM_90, BRANCH, .ops = {X_}},
	{"BRX", SASS_BRX, 0x149, FORM(4), SM_TO_89, BRANCH,
	 .ops = {X_, R(24, PAIR, .flags = SLOT_BLANK),
		 AT_QUIET}},
	{"BRX", SASS_BRX, 0x149, FORM(4), SM_90, BRANCH,
	 .ops = {X_, R(24, PAIR, .flags = SLOT_BLANK),
		 AT90_QUIET}},
	{"EXIT", SASS_EXIT, 0x14d, FORM(4), SM_ALL, BRANCH, .ops = {X_},
	 .fields = {FIELD(EXIT, 84, 2, exit_kind), FLAG(NO_ATEXIT, 86, YES(".NO_ATEXIT"))}},
	{"LEPC", SASS_LEPC, 0x14e, FORM(1), SM_TO_89, SASS_PIPE_ALU, .sb = SB_NONE,
	 .ops = {D(PAIR)}},
	{"LEPC", SASS_LEPC_TARGET, 0x14e, FORM(4), SM_90, SASS_PIPE_ALU, .sb = SB_NONE,
	 .ops = {D(PAIR), {.type = SLOT_TARGET24, .width = 58}}},
	{"RET.ABS", SASS_RET_ABS, 0x150, FORM(4), SM_TO_89, BRANCH,
	 .ops = {X_, R(24, PAIR, .flags = SLOT_BLANK), AT}, .fields = {NO_DEC},
	 .fixed = {{85, 1, 1}}},
	{"RET.ABS", SASS_RET_ABS, 0x150, FORM(4), SM_90, BRANCH,
	 .ops = {X_, R(24, PAIR, .flags = SLOT_BLANK), AT90}, .fields = {NO_DEC},
	 .fixed = {{85, 1, 1}}},
	{"RET.REL", SASS_RET_REL, 0x150, FORM(4), SM_TO_89, BRANCH,
	 .ops = {X_, R(24, PAIR, .flags = SLOT_BLANK), NEAR},
	 .fields = {NO_DEC}},
	{"RET.REL", SASS_RET_REL, 0x150, FORM(4), SM_90, BRANCH,
	 .ops = {X_, R(24, PAIR, .flags = SLOT_BLANK), NEAR90},
	 .fields = {NO_DEC}},
	{"RPCMOV.32", SASS_RPCMOV_WRITE, 0x152, FORM(1) | FORM(4) | FORM(5), SM_90, SASS_PIPE_ALU,
	 .sb = SB_NONE, .ops = {RPC, ODD(0)}},
	{"RPCMOV.32", SASS_RPCMOV_READ, 0x153, FORM(1), SM_90, SASS_PIPE_ALU, .sb = SB_NONE,
	 .ops = {D(), RPC}},
	{"BMOV.32", SASS_BMOV_READ, 0x155, FORM(1), SM_ALL, SASS_PIPE_BRANCH, .sb = SB_WRITE,
	 .ops = {D(), BREG(24)},
	 .fields = {FLAG(CLEAR, 84, YES(".CLEAR"))}},
	{"BMOV.32", SASS_BMOV_WRITE, 0x156, FORM(1), SM_ALL, SASS_PIPE_BRANCH, .sb = SB_READ,
	 .ops = {BREG_W(24), ODD(0)}},
	{"BMOV.32", SASS_BMOV_WRITE, 0x156, FORMS_B & ~FORM(1), SM_ALL, BRANCH,
	 .ops = {BREG_W(24), ODD(0)}},
	{"BRXU", SASS_BRXU, 0x158, FORM(4), SM_75_TO_89, BRANCH,
	 .ops = {X_, {.type = SLOT_UGPR, .lo = 24, PAIR, .flags = SLOT_BLANK}, AT_QUIET},
	 .fixed = {{91, 1, 1}}},
	{"BRXU", SASS_BRXU, 0x158, FORM(4), SM_90, BRANCH,
	 .ops = {X_, {.type = SLOT_UGPR, .lo = 24, PAIR, .flags = SLOT_BLANK}, AT90_QUIET},
	 .fixed = {{91, 1, 1}}},
	{"BPT.TRAP", SASS_BPT, 0x15c, FORM(4), SM_ALL, BRANCH,
	 .ops = {I(34, 3, .flags = SLOT_QUIET, .otherwise = DEFAULT_0)}, .fixed = {{84, 3, 3}}},
	{"NANOSLEEP", SASS_NANOSLEEP, 0x15d, FORMS_B, SM_TO_89, BRANCH, .ops = {X_, ODD(0)},
	 .fields = {FIELD(SLEEP, 84, 2, nanosleep)}},
	{"NANOSLEEP", SASS_NANOSLEEP, 0x15d, FORMS_B, SM_90, BRANCH, .ops = {X_, ODD(0)},
	 .fields = {FIELD(SLEEP, 84, 2, nanosleep_90)}},
};
const uint32_t sass_control_count = sizeof(sass_control_rows) / sizeof(sass_control_rows[0]);
