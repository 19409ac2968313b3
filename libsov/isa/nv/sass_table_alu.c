// SPDX-License-Identifier: MIT
/*
 * Rows 0x000–0x07f of the instruction table: vector arithmetic of fixed latency. Opcodes, bit
 * positions and names come from sweeping the bits of words through nvdisasm 12.4 for SM70 to SM90,
 * and from words that ptxas emits.
 */
#include "libsov/isa/nv/sass_row_macros.h"

static const struct sass_choice scale[8] = {
	{NULL, 0}, {".D8", SASS_SCALE_D8}, {".D4", SASS_SCALE_D4}, {".D2", SASS_SCALE_D2},
	{"", SASS_SCALE_1}, {".M2", SASS_SCALE_M2}, {".M4", SASS_SCALE_M4}, {".M8", SASS_SCALE_M8},
};
static const struct sass_choice dsetp_cmp[16] = { /* DSETP.MIN and DSETP.MAX order NaNs too */
	{".MIN", SASS_CMP_F}, {".LT", SASS_CMP_LT}, {".EQ", SASS_CMP_EQ}, {".LE", SASS_CMP_LE},
	{".GT", SASS_CMP_GT}, {".NE", SASS_CMP_NE}, {".GE", SASS_CMP_GE}, {".NUM", SASS_CMP_NUM},
	{".NAN", SASS_CMP_NAN}, {".LTU", SASS_CMP_LTU}, {".EQU", SASS_CMP_EQU},
	{".LEU", SASS_CMP_LEU}, {".GTU", SASS_CMP_GTU}, {".NEU", SASS_CMP_NEU},
	{".GEU", SASS_CMP_GEU}, {".MAX", SASS_CMP_T},
};

static const struct sass_choice half_format[2] = {
	{"", SASS_HALF_F16}, {".BF16_V2", SASS_HALF_BF16},
};

static const struct sass_choice half_format_set[4] = {
	{"", SASS_HALF_F16}, [2] = {".BF16_V2", SASS_HALF_BF16},
};
static const struct sass_choice only_half[4] = {{"", SASS_HALF_F16}};
static const struct sass_choice oob[4] = {[3] = {".OOB", 1}};

/* Up to SM86 nvdisasm does not print the default format. */
static const struct sass_choice f2fp_pack_old[2] = {
	{".PACK_AB", SASS_HALF_F16}, {".BF16.PACK_AB", SASS_HALF_BF16},
};
static const struct sass_choice f2fp_pack[2] = {
	{".F16.F32.PACK_AB", SASS_HALF_F16}, {".BF16.F32.PACK_AB", SASS_HALF_BF16},
};
static const struct sass_choice f2fp_merge_old[2] = {
	{".MERGE_C", SASS_HALF_F16}, {".BF16.MERGE_C", SASS_HALF_BF16},
};
static const struct sass_choice f2fp_merge[2] = {
	{".F16.F32.MERGE_C", SASS_HALF_F16}, {".BF16.F32.MERGE_C", SASS_HALF_BF16},
};
static const struct sass_choice f2fp_tf32[2] = {[1] = {".TF32.F32.PACK_B", SASS_HALF_BF16}};
static const struct sass_choice f2fp_bytes[2] = {
	{".E5M2", SASS_HALF_E5M2}, {".E4M3", SASS_HALF_E4M3},
};
static const struct sass_choice f2fp_unpack[2] = {
	{".F16.E5M2", SASS_HALF_E5M2}, {".F16.E4M3", SASS_HALF_E4M3},
};
static const struct sass_choice f2fp_finite[2] = {{NULL, 0}, {".SATFINITE", 1}};
static const struct sass_choice f2fp_round[8] = {{"", SASS_RN}, [3] = {".RZ", SASS_RZ_MODE}};
static const struct sass_choice f2ip_type[4] = {
	{".U8.F32", SASS_TYPE_U8}, {".S8.F32", SASS_TYPE_S8},
};
static const struct sass_choice f2ip_round[4] = {
	{"", SASS_RN}, [3] = {".TRUNC", SASS_RZ_MODE},
};
static const struct sass_choice dot2[4] = {
	{".U16.U8", SASS_DOT_U8_U8}, {".S16.U8", SASS_DOT_S8_U8}, {".U16.S8", SASS_DOT_U8_S8},
	{".S16.S8", SASS_DOT_S8_S8},
};
static const struct sass_choice low_high[2] = {{".LO", 0}, {".HI", 1}};
static const struct sass_choice min_16x2[2] = {{".U16x2", 0}, {".S16x2", 1}};
static const struct sass_choice i2i_type[4] = {
	{".U8", SASS_TYPE_U8}, {".S8", SASS_TYPE_S8}, {".U16", SASS_TYPE_U16},
	{".S16", SASS_TYPE_S16},
};
static const struct sass_choice i2fp_type[2] = {{".U32", SASS_TYPE_U32}, {".S32", SASS_TYPE_S32}};
static const struct sass_choice i2fp_round[4] = {{"", SASS_RN}, [3] = {".RZ", SASS_RZ_MODE}};
static const struct sass_choice dot[4] = {
	{".U8.U8", SASS_DOT_U8_U8}, {".S8.U8", SASS_DOT_S8_U8}, {".U8.S8", SASS_DOT_U8_S8},
	{".S8.S8", SASS_DOT_S8_S8},
};

static const struct sass_choice dot_nibbles[4] = {
	{".U4.U4", SASS_DOT_U4_U4}, {".S4.U4", SASS_DOT_S4_U4}, {".U4.S4", SASS_DOT_U4_S4},
	{".S4.S4", SASS_DOT_S4_S4},
};
static const struct sass_choice dot_floats[4] = {
	{".E4M3.E4M3", SASS_DOT_E4M3_E4M3}, {".E5M2.E4M3", SASS_DOT_E5M2_E4M3},
	{".E4M3.E5M2", SASS_DOT_E4M3_E5M2}, {".E5M2.E5M2", SASS_DOT_E5M2_E5M2},
};
static const struct sass_choice dot_bits[2] = {{".XOR", SASS_XOR}, {".AND", SASS_AND}};
static const struct sass_choice dot_xor[2] = {{".XOR", SASS_XOR}}; /* SM75 */
static const struct sass_choice dot_and[2] = {[1] = {".AND", SASS_AND}}; /* SM90 */

static const struct sass_choice halves[4] = {{"", SASS_HALF_F16}, {".BF16", SASS_HALF_BF16}};
static const struct sass_choice tf32[4] = {[2] = {".TF32", SASS_HALF_TF32}};
static const struct sass_choice sums[2] = {{".F16", SASS_SUMS_F16}, {".F32", SASS_SUMS_F32}};
static const struct sass_choice sums_f32[2] = {[1] = {".F32", SASS_SUMS_F32}};
static const struct sass_choice steps[4] = {{".STEP0", 0}, {".STEP1", 1}, {".STEP2", 2}, {".STEP3", 3}};
static const struct sass_choice columns_0[4] = {{"", 0}};
static const struct sass_choice columns_1[4] = {[1] = {"", 1}};
static const struct sass_choice columns_2[4] = {[2] = {"", 2}};
static const struct sass_choice columns_3[4] = {[3] = {"", 3}};
static const struct sass_choice matrix_rows[2] = {{".M88", 0}, {".MT88", 1}};
static const struct sass_choice matrices[4] = {
	{"", SASS_WIDTH_32}, {".2", SASS_WIDTH_64}, {".4", SASS_WIDTH_128},
};

/* f32 is not added to f16, which has two steps. */
static bool legal_884(uint32_t sm, const struct sass_inst *in)
{
	(void)sm;
	return in->mod[SASS_M_SUMS] == SASS_SUMS_F32 ||
	       (in->mod[SASS_M_ADDEND] == SASS_SUMS_F16 && in->mod[SASS_M_STEP] < 2);
}

/* Only products of f16 may be added to f16. */
static bool legal_sums(uint32_t sm, const struct sass_inst *in)
{
	(void)sm;
	return in->mod[SASS_M_SUMS] == SASS_SUMS_F32 || in->mod[SASS_M_HFORMAT] == SASS_HALF_F16;
}

/* SM90 has no fourth selector, 32-bit floats as sources. */
static bool legal_halves(uint32_t sm, const struct sass_inst *in)
{
	uint32_t i;

	(void)sm;
	for (i = 0; i < in->nops; i++)
		if (in->form->ops[i].flags & SLOT_HALF &&
		    (in->ops[i].kind == SASS_CONST ? in->ops[i].aux >> 5 : in->ops[i].aux) == 1)
			return false;
	return true;
}

/* nvdisasm's names for an IMAD that only moves, adds or shifts. */
static const char *imad_alias(const struct sass_inst *in)
{
	const struct sass_operand *a = &in->ops[1], *b = &in->ops[2], *c = &in->ops[3];
	bool zero_c = c->kind == SASS_GPR && c->reg == SASS_RZ;

	if (in->mod[SASS_M_X] || b->kind == SASS_UGPR || c->kind == SASS_UGPR)
		return NULL;
	if (a->reg == SASS_RZ || (b->kind == SASS_GPR && b->reg == SASS_RZ) ||
	    (b->kind == SASS_IMM && (!b->value || (b->value == 1 && zero_c))))
		return "IMAD.MOV";
	if (b->kind == SASS_IMM && b->value == 1)
		return "IMAD.IADD";
	if (b->kind == SASS_IMM && zero_c && !(b->value & (b->value - 1)) &&
	    b->value != 0x10000 && b->value != 0x80000000)
		return "IMAD.SHL";
	return NULL;
}

#define NAH     (NA | SLOT_HALF)
#define RELU1   FLAG(RELU, 79, ((const struct sass_choice[]){{NULL, 0}, {".RELU", 1}}))
#define HFORMAT FIELD(HFORMAT, 85, 1, half_format)
#define HFORMAT64 FIELD(HFORMAT, 64, 2, half_format_set)
#define NAN_    FLAG(NAN, 81, YES(".NAN"))
#define XORSIGN FLAG(XORSIGN, 82, YES(".XORSIGN"))
#define HBOOL   FIELD(BOOL, 69, 2, sass_bool)
#define HAND    FLAG(HAND, 71, YES(".H_AND"))
#define BF      FLAG(BF, 71, YES(".BF"))
#define OOB     FIELDS2(OOB, 76, 1, 80, 1, oob)
#define F2FP_FINITE {.mod = SASS_M_SAT, .lo = 77, .width = 1, .choices = f2fp_finite}
#define F2FP_BYTES FIELD(HFORMAT, 76, 1, f2fp_bytes)
#define F2FP_RND FIELD(RND, 79, 3, f2fp_round)

#define FOUR    .count = COUNT_4
#define SUM(...) C(0, .reuse = REUSE_NONE, __VA_ARGS__)
#define DMMA    .ops = {D(FOUR), A(0, PAIR), B(0, PAIR), SUM(FOUR)}
#define DMMA16(a, b) .ops = {D(.count = COUNT_8), A(0, .count = a), B(0, .count = b), \
			    SUM(.count = COUNT_8)}
#define HMMA_884(a, b) .ops = {D(PAIR), A(a | NEG, PAIR), B(b | NEG, PAIR), R(64, PAIR, .reuse = 4)}
#define HMMA_884_MODS FLAG(SUMS, 76, sums), FLAG(ADDEND, 78, sums), FIELD(STEP, 79, 2, steps), \
	{.mod = SASS_M_SAT, .lo = 77, .width = 1, .choices = YES(".SATFINITE")}
#define HSUMS   FLAG(SUMS, 76, sums)
#define HMMA_SHORT .ops = {D(.count = COUNT_SUMS), A(0, PAIR), B(0), SUM(.count = COUNT_SUMS)}
#define HMMA_LONG \
	.ops = {D(.count = COUNT_SUMS), A(0, FOUR), B(0, PAIR), SUM(.count = COUNT_SUMS)}
#define MATRIX_SAT {.mod = SASS_M_SAT, .lo = 82, .width = 1, .choices = YES(".SAT")}
#define IMMA       FIELDS2(DOT, 76, 1, 78, 1, dot), MATRIX_SAT
#define IMMA4      FIELDS2(DOT, 76, 1, 78, 1, dot_nibbles), MATRIX_SAT
#define M8_OPS     .ops = {D(PAIR), A(SLOT_ROW), B(SLOT_COL), SUM(PAIR)}
#define SHORT_OPS  .ops = {D(FOUR), A(SLOT_ROW, PAIR), B(SLOT_COL), SUM(FOUR)}
#define LONG_OPS   .ops = {D(FOUR), A(SLOT_ROW, FOUR), B(SLOT_COL, PAIR), SUM(FOUR)}
#define QMMA_OPS(a, b) \
	.ops = {D(.count = COUNT_SUMS), A(SLOT_ROW, a), B(SLOT_COL, b), SUM(.count = COUNT_SUMS)}
#define QMMA       FLAG(SUMS, 77, sums), FIELD(DOT, 78, 2, dot_floats)
/* Sparse: a has half of the columns, a register (40) and a number (48) say which. */
#define SPARSE     R(40, .reuse = REUSE_NONE), I(48, 2)
#define HMMA_SP(a) .ops = {D(.count = COUNT_SUMS), A(0, a), B(0, a), \
			   SUM(.count = COUNT_SUMS), SPARSE}
#define IMMA_SP(a) .ops = {D(FOUR), A(SLOT_ROW, a), B(SLOT_COL, a), SUM(FOUR), SPARSE}

const struct sass_form sass_alu_rows[] = {
	{"MOV", SASS_MOV, 0x002, FORMS_B, SM_ALL, SASS_PIPE_ALU,
	 .ops = {D(), ODD(0), I(72, 4, .flags = SLOT_QUIET, .otherwise = DEFAULT_15)}},
	{"P2R", SASS_P2R, 0x003, FORMS_B, SM_TO_89, SASS_PIPE_ALU, .imm = IMM_SIGNED,
	 .ops = {D(), {.type = SLOT_PR}, A(0), ODD(0)}, .fields = {BYTE}},
	{"P2R", SASS_P2R, 0x003, FORMS_B, SM_90, SASS_PIPE_ALU,
	 .ops = {D(), {.type = SLOT_PR}, A(0), ODD(0)}, .fields = {BYTE}},
	{"R2P", SASS_R2P, 0x004, FORMS_B, SM_ALL, SASS_PIPE_ALU,
	 .ops = {{.type = SLOT_PR, .flags = SLOT_WRITE}, A(SLOT_BYTE, .width = 76), ODD(0)}},
	{"CS2R", SASS_CS2R, 0x005, FORM(4), SM_ALL, SASS_PIPE_ALU,
	 .ops = {D(.count = COUNT_WIDTH), {.type = SLOT_SREG, .lo = 72, .width = 8}},
	 .fields = {FIELD(WIDTH, 80, 1, ((const struct sass_choice[]){{".32", SASS_WIDTH_32},
								      {"", SASS_WIDTH_64}}))}},
	{"VOTE", SASS_VOTE, 0x006, FORM(4), SM_ALL, SASS_PIPE_ALU,
	 .ops = {D_QUIET, PD(81, TRUE_), P(87, 90)},
	 .fields = {FIELD(VOTE, 72, 2, sass_vote)}},
	{"SEL", SASS_SEL, 0x007, FORMS_B, SM_ALL, SASS_PIPE_ALU,
	 .ops = {D(), A(0), ODD(0), P(87, 90)}},
	{"FSEL", SASS_FSEL, 0x008, FORMS_B, SM_ALL, SASS_PIPE_ALU, .imm = IMM_FLOAT,
	 .ops = {D(), A(NA), ODD(NA), P(87, 90)}, .fields = {FTZ}},
	{"FMNMX", SASS_FMNMX, 0x009, FORMS_B, SM_7X, SASS_PIPE_ALU, .imm = IMM_FLOAT,
	 .ops = {D(), A(NA), ODD(NA), P(87, 90)}, .fields = {FTZ}},
	{"FMNMX", SASS_FMNMX, 0x009, FORMS_B, SM_80, SASS_PIPE_ALU, .imm = IMM_FLOAT,
	 .ops = {D(), A(NA), ODD(NA), P(87, 90)}, .fields = {FTZ, NAN_}},
	{"FMNMX", SASS_FMNMX, 0x009, FORMS_B, SM_86_UP, SASS_PIPE_ALU, .imm = IMM_FLOAT,
	 .ops = {D(), A(NA), ODD(NA), P(87, 90)}, .fields = {FTZ, NAN_, XORSIGN}},
	{"FSET.BF", SASS_FSET, 0x00a, FORMS_B, SM_ALL, SASS_PIPE_ALU, .imm = IMM_FLOAT,
	 .ops = {D(), A(NA), ODD(NA), P(87, 90, TRUE_)},
	 .fields = {CMP4, FTZ, BOOL}},
	{"FSETP", SASS_FSETP, 0x00b, FORMS_B, SM_ALL, SASS_PIPE_ALU, .imm = IMM_FLOAT,
	 .ops = {PD(81), PD(84, TRUE_), A(NA), ODD(NA), P(87, 90, TRUE_)},
	 .fields = {CMP4, FTZ, BOOL}},
	{"ISETP", SASS_ISETP, 0x00c, FORMS_B, SM_7X, SASS_PIPE_ALU, .imm = IMM_SIGNED,
	 .ops = {PD(81), PD(84, TRUE_), A(0), ODD(0), P(87, 90, TRUE_), PQ(68, 71)},
	 .fields = {CMP3, U32, BOOL, FLAG(EX, 72, YES(".EX"))}},
	{"ISETP", SASS_ISETP, 0x00c, FORMS_B, SM_80_UP, SASS_PIPE_ALU, .imm = IMM_SIGNED,
	 .ops = {PD(81), PD(84, TRUE_), A(0), ODD(0), P(87, 90, TRUE_), P(68, 71, TRUE_, IF(EX))},
	 .fields = {CMP3, U32, BOOL, FLAG(EX, 72, YES(".EX"))}},
	{"VIMNMX3", SASS_VIMNMX3, 0x00f, FORMS_B, SM_90, SASS_PIPE_ALU,
	 .ops = {D(), A(0), B(0), C(0), P(87, 90)},
	 .fields = {FLAG(SIGNED, 72, NO(".U32")), FLAG(RELU, 76, YES(".RELU"))},
	 .fixed = {{73, 1, 0}}},
	{"VIMNMX3", SASS_VIMNMX3_16X2, 0x00f, FORMS_B, SM_90, SASS_PIPE_ALU,
	 .ops = {D(), A(0), B(0), C(0), P(87, 90)},
	 .fields = {FLAG(SIGNED, 72, min_16x2), FLAG(RELU, 76, YES(".RELU"))},
	 .fixed = {{73, 1, 1}}},
	{"IADD3", SASS_IADD3, 0x010, FORMS_B, SM_ALL, SASS_PIPE_ALU, .imm = IMM_SIGNED,
	 .ops = {D(), PDQ(81), PDQ(84), A(NNOT), B(NNOT), C(NNOT), P(87, 90, FALSE_, IF(X)),
		 P(77, 80, FALSE_, IF(X))},
	 .fields = {XMOD}},
	{"LEA", SASS_LEA, 0x011, FORMS_B, SM_ALL, SASS_PIPE_ALU,
	 .ops = {D(), PDQ(81), A(NNOT), ODD(NNOT), I(75, 5), P(87, 90, FALSE_, IF(X))},
	 .fields = {XMOD}, .fixed = {{80, 1, 0}, {64, 8, 255}}},
	{"LEA.HI", SASS_LEA_HI, 0x011, FORMS_B, SM_ALL, SASS_PIPE_ALU,
	 .ops = {D(), PDQ(81), A(NNOT), B(NNOT), C(0), I(75, 5), P(87, 90, FALSE_, IF(X))},
	 .fields = {XMOD}, .fixed = {{80, 1, 1}, {73, 1, 0}}},
	/* With an immediate c, b cannot be negated. */
	{"LEA.HI", SASS_LEA_HI, 0x011, FORM(2), SM_ALL, SASS_PIPE_ALU,
	 .ops = {D(), PDQ(81), A(NNOT), B(0), C(0), I(75, 5), P(87, 90, FALSE_, IF(X))},
	 .fields = {XMOD}, .fixed = {{80, 1, 1}, {73, 1, 0}}},
	{"LEA.HI", SASS_LEA_HI_SX32, 0x011, FORMS_B, SM_ALL, SASS_PIPE_ALU,
	 .ops = {D(), PDQ(81), A(NNOT), ODD(NNOT), I(75, 5), P(87, 90, FALSE_, IF(X))},
	 .fields = {XMOD}, .fixed = {{80, 1, 1}, {73, 1, 1}, {64, 8, 255}}, .suffix = ".SX32"},
	{"LOP3.LUT", SASS_LOP3, 0x012, FORMS_B, SM_ALL, SASS_PIPE_ALU,
	 .ops = {PDQ(81), D(), A(0), B(0), C(0), I(72, 8), P(87, 90, FALSE_)},
	 .fields = {FLAG(PAND, 80, YES(".PAND"))}},
	{"IABS", SASS_IABS, 0x013, FORMS_B, SM_ALL, SASS_PIPE_ALU, .imm = IMM_SIGNED,
	 .ops = {D(), ODD(0)}},
	{"VABSDIFF", SASS_VABSDIFF, 0x014, FORMS_BC, SM_ALL, SASS_PIPE_ALU,
	 .ops = {D(), A(0), B(0), C(0)}, .fields = {U32}, .fixed = {{81, 3, 7}}},
	{"VABSDIFF4", SASS_VABSDIFF4, 0x015, FORMS_BC, SM_ALL, SASS_PIPE_ALU,
	 .ops = {D(), A(0), B(0), C(0)},
	 .fields = {FLAG(SIGNED, 73, NO(".U8")), FLAG(ACC, 75, YES(".ACC"))},
	 .fixed = {{81, 3, 7}}},
	{"PRMT", SASS_PRMT, 0x016, FORMS_BC, SM_ALL, SASS_PIPE_ALU, .ops = {D(), A(0), B(0), C(0)},
	 .fields = {FIELD(PRMT, 72, 3, sass_prmt)}},
	{"IMNMX", SASS_IMNMX, 0x017, FORMS_B, SM_75_UP, SASS_PIPE_ALU, .imm = IMM_SIGNED,
	 .ops = {D(), A(0), ODD(0), P(87, 90)}, .fields = {U32}},
	{"SHF", SASS_SHF, 0x019, FORMS_BC, SM_ALL, SASS_PIPE_ALU, .ops = {D(), A(0), B(0), C(0)},
	 .fields = {FIELD(RIGHT, 76, 1, sass_left_right),
		    FLAG(WRAP, 75, YES(".W")), FIELD(SHTYPE, 73, 2, sass_shift_type),
		    FLAG(HI, 80, YES(".HI"))}},
	{"SGXT", SASS_SGXT, 0x01a, FORMS_B, SM_ALL, SASS_PIPE_ALU, .ops = {D(), A(0), ODD(0)},
	 .fields = {FLAG(WRAP, 75, YES(".W")), U32}},
	{"BMSK", SASS_BMSK, 0x01b, FORMS_B, SM_ALL, SASS_PIPE_ALU, .ops = {D(), A(0), ODD(0)},
	 .fields = {FLAG(WRAP, 75, YES(".W"))}},
	{"PLOP3.LUT", SASS_PLOP3, 0x01c, FORM(4), SM_ALL, SASS_PIPE_ALU,
	 .ops = {PD(81), PD(84, TRUE_), P(87, 90), P(77, 80), P(68, 71), LUT, I(16, 8)}},
	{"PLOP3.LUT", SASS_PLOP3_UPRED, 0x01c, FORM(4), SM_75_UP, SASS_PIPE_ALU,
	 .ops = {PD(81), PD(84, TRUE_), P(87, 90), P(77, 80), UP(68, 71), LUT, I(16, 8)},
	 .fixed = {{67, 1, 1}}},
	{"PLOP3.LUT", SASS_PLOP3_SIGN, 0x01f, FORM(1) | FORM(5) | FORM(6), SM_ALL, SASS_PIPE_ALU,
	 .ops = {PD(81), PD(84, TRUE_), A(SLOT_SIGN), B(SLOT_SIGN), C(SLOT_SIGN), I(72, 8),
		 I(16, 8)}},
	{"FMUL", SASS_FMUL, 0x020, FORMS_B, SM_ALL, SASS_PIPE_FMA, .imm = IMM_FLOAT,
	 .ops = {D(), A(NA), ODD(NA)}, .fields = {FTZ, FIELD(SCALE, 84, 3, scale), RND, SAT}},
	{"FADD", SASS_FADD, 0x021, FORMS_C, SM_ALL, SASS_PIPE_FMA, .imm = IMM_FLOAT,
	 .ops = {D(), A(NA), ODD(NA)}, .fields = {FTZ, RND, SAT}},
	{"FFMA", SASS_FFMA, 0x023, FORMS_BC, SM_ALL, SASS_PIPE_FMA, .imm = IMM_FLOAT,
	 .ops = {D(), A(NA), B(NA), C(NA)}, .fields = {FTZ, RND, SAT}},
	{"IMAD", SASS_IMAD, 0x024, FORMS_BC, SM_ALL, SASS_PIPE_FMA, .imm = IMM_SIGNED,
	 .alias = imad_alias, .ops = {D(), A(0), B(0), C(NNOT), P(87, 90, FALSE_, IF(X))},
	 .fields = {U32, XMOD}, .fixed = {{81, 3, 7}}},
	{"IMAD.WIDE", SASS_IMAD_WIDE, 0x025, FORMS_BC & ~FORM(2), SM_ALL, SASS_PIPE_FMA,
	 .imm = IMM_SIGNED,
	 .ops = {D(PAIR), PDQ(81), A(0), B(0), C(NNOT, PAIR), P(87, 90, FALSE_, IF(X))},
	 .fields = {U32, XMOD}},
	{"IDP.4A", SASS_IDP, 0x026, FORM(1) | FORM(5), SM_70, SASS_PIPE_FMA,
	 .ops = {D(), A(0), B(0), C(0)}, .fields = {FIELD(DOT, 73, 2, dot)}},
	{"IDP.2A", SASS_IDP_2A, 0x026, FORM(1) | FORM(5), SM_70, SASS_PIPE_FMA,
	 .ops = {D(), A(0), B(0), C(0)},
	 .fields = {FLAG(HI, 77, low_high), FIELD(DOT, 73, 2, dot2)}, .fixed = {{76, 1, 1}}},
	{"IDP.4A", SASS_IDP, 0x026, FORM(1) | FORM(5) | FORM(6), SM_75_UP, SASS_PIPE_FMA,
	 .ops = {D(), A(0), B(0), C(NEG)}, .fields = {FIELD(DOT, 73, 2, dot)}},
	{"IDP.2A", SASS_IDP_2A, 0x026, FORM(1) | FORM(5) | FORM(6), SM_75_UP, SASS_PIPE_FMA,
	 .ops = {D(), A(0), B(0), C(NEG)},
	 .fields = {FLAG(HI, 77, low_high), FIELD(DOT, 73, 2, dot2)}, .fixed = {{76, 1, 1}}},
	{"IMAD.HI", SASS_IMAD_HI, 0x027, FORMS_BC & ~FORM(2), SM_75_UP, SASS_PIPE_FMA,
	 .imm = IMM_SIGNED,
	 .ops = {D(), PDQ(81), A(0), B(0), C(NNOT, PAIR), P(87, 90, FALSE_, IF(X))},
	 .fields = {U32, XMOD}},
	{"DMUL", SASS_DMUL, 0x028, FORMS_B, SM_ALL, SASS_PIPE_FP64, .imm = IMM_DOUBLE,
	 .ops = {D(PAIR), A(NA, PAIR), ODD(NA, PAIR)}, .fields = {RND}},
	{"DADD", SASS_DADD, 0x029, FORMS_C, SM_ALL, SASS_PIPE_FP64, .imm = IMM_DOUBLE,
	 .ops = {D(PAIR), A(NA, PAIR), C(NA, PAIR)}, .fields = {RND}},
	{"DSETP", SASS_DSETP, 0x02a, FORMS_C, SM_ALL, SASS_PIPE_FP64, .imm = IMM_DOUBLE,
	 .ops = {PD(81), PD(84, TRUE_), A(NA, PAIR), ODD(NA, PAIR), P(87, 90, TRUE_)},
	 .fields = {FIELD(CMP, 76, 4, dsetp_cmp), BOOL}},
	{"DFMA", SASS_DFMA, 0x02b, FORMS_BC, SM_ALL, SASS_PIPE_FP64, .imm = IMM_DOUBLE,
	 .ops = {D(PAIR), A(NA, PAIR), B(NA, PAIR), C(NA, PAIR)}, .fields = {RND}},
	{"PREEXIT", SASS_PREEXIT, 0x02d, FORM(4), SM_90, SASS_PIPE_ALU, .ops = {NOTHING}},
	{"ACQBULK", SASS_ACQBULK, 0x02e, FORM(4), SM_90, SASS_PIPE_ALU, .ops = {NOTHING}},
	{"ELECT", SASS_ELECT, 0x02f, FORM(4), SM_90, SASS_PIPE_UNIFORM,
	 .ops = {PD(81), UD(), {.type = SLOT_UGPR, .lo = 24, .neg = 72, .flags = SLOT_NOT}},
	 .fixed = {{91, 1, 1}}},
	{"ELECT", SASS_ELECT_PRED, 0x02f, FORM(4), SM_90, SASS_PIPE_UNIFORM,
	 .ops = {PD(81), UD(), P(87, 90)}},
	{"HADD2", SASS_HADD2, 0x030, FORMS_C, SM_TO_89, SASS_PIPE_FP16, .imm = IMM_HALF2,
	 .ops = {D(), A(NAH), ODD(NAH)}, .fields = {FTZ, SAT}, .legal = legal_halves},
	{"HADD2", SASS_HADD2, 0x030, FORMS_C, SM_90, SASS_PIPE_FP16, .imm = IMM_HALF2,
	 .ops = {D(), A(NAH), ODD(NAH)}, .fields = {HFORMAT, FTZ, SAT}, .fixed = {{78, 1, 0}},
	 .legal = legal_halves},
	{"HADD2.F32", SASS_HADD2_F32, 0x030, FORM(1) | FORM(3), SM_7X, SASS_PIPE_FP16,
	 .imm = IMM_HALF2, .ops = {D(), A(NAH), ODD(NAH, .reuse = 4)}, .fixed = {{78, 1, 1}},
	 .legal = legal_halves},
	{"HADD2.F32", SASS_HADD2_F32, 0x030, FORM(1) | FORM(3), SM_80, SASS_PIPE_FP16,
	 .imm = IMM_HALF2, .ops = {D(), A(NEG | SLOT_HALF), ODD(NAH, .reuse = 4)},
	 .fixed = {{78, 1, 1}}, .legal = legal_halves},
	{"HADD2.F32", SASS_HADD2_F32, 0x030, FORM(1) | FORM(3), SM_86_UP, SASS_PIPE_FP16,
	 .imm = IMM_HALF2,
	 .ops = {D(), A(NEG | SLOT_HALF, .reuse = REUSE_NONE), ODD(NAH, .reuse = 4)},
	 .fixed = {{78, 1, 1}}, .legal = legal_halves},
	{"HFMA2", SASS_HFMA2, 0x031, FORMS_BC, SM_7X, SASS_PIPE_FP16, .imm = IMM_HALF2,
	 .ops = {D(), A(NAH), B(NAH), C(NAH)}, .fields = {FTZ, SAT}, .legal = legal_halves},
	{"HFMA2", SASS_HFMA2, 0x031, FORMS_BC, SM_80_UP, SASS_PIPE_FP16, .imm = IMM_HALF2,
	 .ops = {D(), A(NAH), B(NAH), C(NAH)}, .fields = {HFORMAT, FTZ, SAT},
	 .legal = legal_halves},
	{"HFMA2", SASS_HFMA2, 0x031, FORMS_BC, SM_80_UP, SASS_PIPE_FP16, .imm = IMM_HALF2,
	 .ops = {D(), A(NAH), B(NAH), C(NAH)}, .fields = {HFORMAT, FTZ, RELU1},
	 .fixed = {{87, 3, 7}}, .legal = legal_halves},
	{"HFMA2", SASS_HFMA2, 0x031, FORMS_BC, SM_90, SASS_PIPE_FP16, .imm = IMM_HALF2,
	 .ops = {D(), A(NAH), B(NAH), C(NAH)}, .fields = {HFORMAT, OOB}, .legal = legal_halves},
	{"HFMA2", SASS_HFMA2, 0x031, FORMS_BC, SM_90, SASS_PIPE_FP16, .imm = IMM_HALF2,
	 .ops = {D(), A(NAH), B(NAH), C(NAH)}, .fields = {HFORMAT, OOB, RELU1},
	 .fixed = {{87, 3, 7}}, .legal = legal_halves},
	{"HMUL2", SASS_HMUL2, 0x032, FORMS_B, SM_TO_89, SASS_PIPE_FP16, .imm = IMM_HALF2,
	 .ops = {D(), A(NAH), ODD(NAH)}, .fields = {FTZ, SAT}, .legal = legal_halves},
	{"HMUL2", SASS_HMUL2, 0x032, FORMS_B, SM_90, SASS_PIPE_FP16, .imm = IMM_HALF2,
	 .ops = {D(), A(NAH), ODD(NAH)}, .fields = {HFORMAT, FTZ, SAT},
	 .legal = legal_halves},
	{"HSET2", SASS_HSET2, 0x033, FORMS_C, SM_TO_89, SASS_PIPE_FP16, .imm = IMM_HALF2,
	 .ops = {D(), A(NAH), ODD(NAH), P(87, 90, TRUE_)},
	 .fields = {FIELD(HFORMAT, 64, 2, only_half), BF, CMP4, FTZ, HBOOL}, .legal = legal_halves},
	{"HSET2", SASS_HSET2, 0x033, FORMS_C, SM_90, SASS_PIPE_FP16, .imm = IMM_HALF2,
	 .ops = {D(), A(NAH), ODD(NAH), P(87, 90, TRUE_)},
	 .fields = {HFORMAT64, BF, CMP4, FTZ, HBOOL}, .legal = legal_halves},
	{"HSETP2", SASS_HSETP2, 0x034, FORMS_C, SM_TO_89, SASS_PIPE_FP16, .imm = IMM_HALF2,
	 .ops = {PD(81), PD(84, TRUE_), A(NAH), ODD(NAH), P(87, 90, TRUE_)},
	 .fields = {FIELD(HFORMAT, 64, 2, only_half), CMP4, HAND, FTZ, HBOOL},
	 .legal = legal_halves},
	{"HSETP2", SASS_HSETP2, 0x034, FORMS_C, SM_90, SASS_PIPE_FP16, .imm = IMM_HALF2,
	 .ops = {PD(81), PD(84, TRUE_), A(NAH), ODD(NAH), P(87, 90, TRUE_)},
	 .fields = {HFORMAT64, CMP4, HAND, FTZ, HBOOL}, .legal = legal_halves},
	{"HFMA2.MMA", SASS_HFMA2_MMA, 0x035, FORMS_BC, SM_8X, SASS_PIPE_FP16, .imm = IMM_HALF2,
	 .ops = {D(), A(NA), B(NA), C(NA)}, .fields = {FTZ, SAT}},
	{"HFMA2.MMA", SASS_HFMA2_MMA, 0x035, FORMS_BC, SM_8X, SASS_PIPE_FP16, .imm = IMM_HALF2,
	 .ops = {D(), A(NA), B(NA), C(NA)}, .fields = {FTZ, RELU1}, .fixed = {{87, 3, 7}}},
	{"HFMA2.MMA", SASS_HFMA2_MMA, 0x035, FORMS_BC, SM_90, SASS_PIPE_FP16, .imm = IMM_HALF2,
	 .ops = {D(), A(NA), B(NA), C(NA)}, .fields = {HFORMAT, FTZ, SAT}},
	{"HFMA2.MMA", SASS_HFMA2_MMA, 0x035, FORMS_BC, SM_90, SASS_PIPE_FP16, .imm = IMM_HALF2,
	 .ops = {D(), A(NA), B(NA), C(NA)}, .fields = {HFORMAT, FTZ, RELU1}, .fixed = {{87, 3, 7}}},
	{"VIADD", SASS_VIADD, 0x036, FORMS_B, SM_90, SASS_PIPE_FMA,
	 .ops = {D(), A(0), ODD(NEG)}},
	{"VIADD.16x2", SASS_VIADD_16X2, 0x036, FORMS_B, SM_90, SASS_PIPE_FMA,
	 .ops = {D(), A(0), ODD(NEG)}, .fixed = {{73, 1, 1}}},
	{"HMMA.884", SASS_HMMA_884, 0x036, FORM(1), SM_70, SASS_PIPE_TENSOR, HMMA_884(SLOT_ROW, SLOT_ROW),
	 .fields = {HMMA_884_MODS, FIELD(COLUMNS, 73, 2, columns_0)}, .fixed = {{75, 1, 0}},
	 .legal = legal_884},
	{"HMMA.884", SASS_HMMA_884, 0x036, FORM(1), SM_70, SASS_PIPE_TENSOR, HMMA_884(SLOT_ROW, SLOT_COL),
	 .fields = {HMMA_884_MODS, FIELD(COLUMNS, 73, 2, columns_2)}, .fixed = {{75, 1, 0}},
	 .legal = legal_884},
	{"HMMA.884", SASS_HMMA_884, 0x036, FORM(1), SM_70, SASS_PIPE_TENSOR, HMMA_884(SLOT_COL, SLOT_ROW),
	 .fields = {HMMA_884_MODS, FIELD(COLUMNS, 73, 2, columns_1)}, .fixed = {{75, 1, 0}},
	 .legal = legal_884},
	{"HMMA.884", SASS_HMMA_884, 0x036, FORM(1), SM_70, SASS_PIPE_TENSOR, HMMA_884(SLOT_COL, SLOT_COL),
	 .fields = {HMMA_884_MODS, FIELD(COLUMNS, 73, 2, columns_3)}, .fixed = {{75, 1, 0}},
	 .legal = legal_884},
	{"IMMA.8816", SASS_IMMA_M8, 0x037, FORM(1), SM_75_UP, SASS_PIPE_TENSOR, M8_OPS,
	 .fields = {IMMA}, .fixed = {{74, 2, 1}, {85, 2, 0}}},
	{"IMMA.16816", SASS_IMMA_SHORT, 0x037, FORM(1), SM_80_UP, SASS_PIPE_TENSOR, SHORT_OPS,
	 .fields = {IMMA}, .fixed = {{74, 2, 1}, {85, 2, 2}}},
	{"IMMA.16832", SASS_IMMA_LONG, 0x037, FORM(1), SM_80_UP, SASS_PIPE_TENSOR, LONG_OPS,
	 .fields = {IMMA}, .fixed = {{74, 2, 3}, {85, 2, 2}}},
	{"IMMA.8832", SASS_IMMA_M8, 0x037, FORM(1), SM_75_TO_89, SASS_PIPE_TENSOR, M8_OPS,
	 .fields = {IMMA4}, .fixed = {{83, 2, 3}, {74, 2, 1}, {85, 2, 1}}},
	{"IMMA.16832", SASS_IMMA_SHORT, 0x037, FORM(1), SM_8X, SASS_PIPE_TENSOR, SHORT_OPS,
	 .fields = {IMMA4}, .fixed = {{83, 2, 3}, {74, 2, 3}, {85, 2, 2}}},
	{"IMMA.16864", SASS_IMMA_LONG, 0x037, FORM(1), SM_8X, SASS_PIPE_TENSOR, LONG_OPS,
	 .fields = {IMMA4}, .fixed = {{83, 2, 3}, {74, 2, 1}, {85, 2, 3}}},
	{"IMMA.SP.16832", SASS_IMMA_SP_SHORT, 0x037, FORM(1), SM_80_UP, SASS_PIPE_TENSOR, IMMA_SP(PAIR),
	 .fields = {IMMA}, .fixed = {{72, 1, 1}, {74, 2, 3}, {85, 2, 2}}},
	{"IMMA.SP.16864", SASS_IMMA_SP_LONG, 0x037, FORM(1), SM_80_UP, SASS_PIPE_TENSOR, IMMA_SP(FOUR),
	 .fields = {IMMA}, .fixed = {{72, 1, 1}, {74, 2, 1}, {85, 2, 3}}},
	{"IMMA.SP.16864", SASS_IMMA_SP_SHORT, 0x037, FORM(1), SM_8X, SASS_PIPE_TENSOR, IMMA_SP(PAIR),
	 .fields = {IMMA4}, .fixed = {{72, 1, 1}, {83, 2, 3}, {74, 2, 1}, {85, 2, 3}}},
	{"IMMA.SP.168128", SASS_IMMA_SP_LONG, 0x037, FORM(1), SM_8X, SASS_PIPE_TENSOR, IMMA_SP(FOUR),
	 .fields = {IMMA4}, .fixed = {{72, 1, 1}, {83, 2, 3}, {74, 2, 3}, {85, 2, 3}}},
	{"I2I", SASS_I2I, 0x038, FORMS_B, SM_75_UP, SASS_PIPE_ALU, .imm = IMM_SIGNED,
	 .ops = {D(), ODD(0)}, .fields = {FIELD(DTYPE, 76, 2, i2i_type)}, .suffix = ".S32.SAT"},
	{"MOVM.16.MT88", SASS_MOVM, 0x03a, FORM(1), SM_75_UP, SASS_PIPE_SHARED,
	 .ops = {D(), A(0, .reuse = REUSE_NONE)}, .fixed = {{78, 2, 0}}},
	{"LDSM.16", SASS_LDSM, 0x03b, FORM(4), SM_75, SASS_PIPE_SHARED,
	 .ops = {D(.count = COUNT_WIDTH),
		 {.type = SLOT_ADDR, .lo = 32, .width = ADDR_MAYBE_UREG,
		  .flags = SLOT_UNSIGNED_UREG}},
	 .fields = {FLAG(TRANSPOSE, 78, matrix_rows), FIELD(WIDTH, 72, 2, matrices)}},
	{"LDSM.16", SASS_LDSM, 0x03b, FORM(4), SM_80_UP, SASS_PIPE_SHARED,
	 .ops = {D(.count = COUNT_WIDTH),
		 {.type = SLOT_ADDR, .lo = 32, .width = ADDR_MAYBE_UREG, .flags = SLOT_SIGNED}},
	 .fields = {FLAG(TRANSPOSE, 78, matrix_rows), FIELD(WIDTH, 72, 2, matrices)}},
	{"HMMA.1688", SASS_HMMA_SHORT, 0x03c, FORM(1), SM_80_UP, SASS_PIPE_TENSOR, HMMA_SHORT,
	 .fields = {HSUMS, FIELD(HFORMAT, 82, 2, halves)}, .fixed = {{75, 1, 0}, {78, 1, 0}},
	 .legal = legal_sums},
	{"HMMA.1688", SASS_HMMA_SHORT, 0x03c, FORM(1), SM_75, SASS_PIPE_TENSOR,
	 .ops = {D(.count = COUNT_SUMS), A(0, PAIR, .reuse = REUSE_NONE), B(0),
		 SUM(.count = COUNT_SUMS)},
	 .fields = {HSUMS}},
	{"HMMA.1684", SASS_HMMA_SHORT, 0x03c, FORM(1), SM_80_UP, SASS_PIPE_TENSOR, HMMA_SHORT,
	 .fields = {HSUMS, FIELD(HFORMAT, 82, 2, tf32)}, .fixed = {{75, 1, 0}, {78, 1, 1}},
	 .legal = legal_sums},
	{"HMMA.16816", SASS_HMMA_LONG, 0x03c, FORM(1), SM_80_UP, SASS_PIPE_TENSOR, HMMA_LONG,
	 .fields = {HSUMS, FIELD(HFORMAT, 82, 2, halves)}, .fixed = {{75, 1, 1}, {78, 1, 0}},
	 .legal = legal_sums},
	{"HMMA.1688", SASS_HMMA_LONG, 0x03c, FORM(1), SM_80_UP, SASS_PIPE_TENSOR, HMMA_LONG,
	 .fields = {HSUMS, FIELD(HFORMAT, 82, 2, tf32)}, .fixed = {{75, 1, 0}, {78, 1, 0}},
	 .legal = legal_sums},
	{"HMMA.SP.16816", SASS_HMMA_SP_SHORT, 0x03c, FORM(1), SM_80_UP, SASS_PIPE_TENSOR, HMMA_SP(PAIR),
	 .fields = {HSUMS, FIELD(HFORMAT, 82, 2, halves)}, .fixed = {{73, 1, 1}, {75, 1, 1}, {78, 1, 0}},
	 .legal = legal_sums},
	{"HMMA.SP.1688", SASS_HMMA_SP_SHORT, 0x03c, FORM(1), SM_80_UP, SASS_PIPE_TENSOR, HMMA_SP(PAIR),
	 .fields = {HSUMS, FIELD(HFORMAT, 82, 2, tf32)}, .fixed = {{73, 1, 1}, {75, 1, 0}, {78, 1, 0}},
	 .legal = legal_sums},
	{"HMMA.SP.16832", SASS_HMMA_SP_LONG, 0x03c, FORM(1), SM_80_UP, SASS_PIPE_TENSOR, HMMA_SP(FOUR),
	 .fields = {HSUMS, FIELD(HFORMAT, 82, 2, halves)}, .fixed = {{73, 1, 1}, {75, 1, 1}, {78, 1, 1}},
	 .legal = legal_sums},
	{"HMMA.SP.16816", SASS_HMMA_SP_LONG, 0x03c, FORM(1), SM_80_UP, SASS_PIPE_TENSOR, HMMA_SP(FOUR),
	 .fields = {HSUMS, FIELD(HFORMAT, 82, 2, tf32)}, .fixed = {{73, 1, 1}, {75, 1, 1}, {78, 1, 0}},
	 .legal = legal_sums},
	{"BMMA.88128", SASS_BMMA_M8, 0x03d, FORM(1), SM_75, SASS_PIPE_TENSOR, M8_OPS,
	 .fields = {FIELD(BOOL, 78, 1, dot_xor)}, .fixed = {{74, 3, 1}, {80, 1, 1}}, .suffix = ".POPC"},
	{"BMMA.88128", SASS_BMMA_M8, 0x03d, FORM(1), SM_8X, SASS_PIPE_TENSOR, M8_OPS,
	 .fields = {FIELD(BOOL, 78, 1, dot_bits)}, .fixed = {{74, 3, 1}, {80, 1, 1}}, .suffix = ".POPC"},
	{"BMMA.168128", SASS_BMMA_SHORT, 0x03d, FORM(1), SM_8X, SASS_PIPE_TENSOR, SHORT_OPS,
	 .fields = {FIELD(BOOL, 78, 1, dot_bits)}, .fixed = {{74, 3, 3}, {80, 1, 1}}, .suffix = ".POPC"},
	{"BMMA.168256", SASS_BMMA_LONG, 0x03d, FORM(1), SM_8X, SASS_PIPE_TENSOR, LONG_OPS,
	 .fields = {FIELD(BOOL, 78, 1, dot_bits)}, .fixed = {{74, 3, 5}, {80, 1, 1}}, .suffix = ".POPC"},
	{"BMMA.88128", SASS_BMMA_M8, 0x03d, FORM(1), SM_90, SASS_PIPE_TENSOR, M8_OPS,
	 .fields = {FIELD(BOOL, 78, 1, dot_and)}, .fixed = {{74, 3, 1}, {80, 1, 1}}, .suffix = ".POPC"},
	{"BMMA.168128", SASS_BMMA_SHORT, 0x03d, FORM(1), SM_90, SASS_PIPE_TENSOR, SHORT_OPS,
	 .fields = {FIELD(BOOL, 78, 1, dot_and)}, .fixed = {{74, 3, 3}, {80, 1, 1}}, .suffix = ".POPC"},
	{"BMMA.168256", SASS_BMMA_LONG, 0x03d, FORM(1), SM_90, SASS_PIPE_TENSOR, LONG_OPS,
	 .fields = {FIELD(BOOL, 78, 1, dot_and)}, .fixed = {{74, 3, 5}, {80, 1, 1}}, .suffix = ".POPC"},
	{"F2FP", SASS_F2FP, 0x03e, FORMS_B, SM_80 | SM_86, SASS_PIPE_ALU, .imm = IMM_FLOAT,
	 .ops = {D(), A(0), ODD(0)},
	 .fields = {FLAG(RELU, 75, YES(".RELU")), FIELD(HFORMAT, 76, 1, f2fp_pack_old), F2FP_RND},
	 .fixed = {{64, 8, 255}}},
	{"F2FP", SASS_F2FP_MERGE, 0x03e, FORM(1) | FORM(4) | FORM(5) | FORM(6), SM_80 | SM_86,
	 SASS_PIPE_ALU, .imm = IMM_FLOAT,
	 .ops = {D(), ODD(0), R(64, .flags = SLOT_HALF1, .reuse = 4)},
	 .fields = {FLAG(RELU, 75, YES(".RELU")), FIELD(HFORMAT, 76, 1, f2fp_merge_old), F2FP_RND},
	 .fixed = {{24, 8, 255}, {78, 1, 1}}},
	{"F2FP", SASS_F2FP, 0x03e, FORMS_B, SM_89 | SM_90, SASS_PIPE_ALU, .imm = IMM_FLOAT,
	 .ops = {D(), A(0), ODD(0)},
	 .fields = {FLAG(RELU, 75, YES(".RELU")), FIELD(HFORMAT, 76, 1, f2fp_pack), F2FP_RND},
	 .fixed = {{64, 8, 255}}},
	{"F2FP", SASS_F2FP_MERGE, 0x03e, FORM(1) | FORM(4) | FORM(5) | FORM(6), SM_89 | SM_90,
	 SASS_PIPE_ALU, .imm = IMM_FLOAT,
	 .ops = {D(), ODD(0), R(64, .flags = SLOT_HALF1, .reuse = 4)},
	 .fields = {FLAG(RELU, 75, YES(".RELU")), FIELD(HFORMAT, 76, 1, f2fp_merge), F2FP_RND},
	 .fixed = {{24, 8, 255}, {78, 1, 1}}},
	{"F2FP", SASS_F2FP_TF32, 0x03e, FORMS_B, SM_90, SASS_PIPE_ALU, .imm = IMM_FLOAT,
	 .ops = {D(), ODD(0)},
	 .fields = {FLAG(RELU, 75, YES(".RELU")), FIELD(HFORMAT, 76, 1, f2fp_tf32), F2FP_RND},
	 .fixed = {{24, 8, 255}, {64, 8, 255}, {78, 1, 1}, {86, 1, 1}, {89, 1, 1}}},
	{"F2FP", SASS_F2FP_SINGLES, 0x03e, FORMS_B, SM_89 | SM_90, SASS_PIPE_ALU, .imm = IMM_FLOAT,
	 .ops = {D(), A(0), ODD(0), R(64, .flags = SLOT_HALF1, .reuse = 4)},
	 .fields = {F2FP_FINITE, FLAG(RELU, 75, YES(".RELU")), F2FP_BYTES},
	 .fixed = {{78, 1, 1}, {87, 1, 1}, {90, 1, 1}}, .suffix = ".F32.PACK_AB_MERGE_C"},
	{"F2FP", SASS_F2FP_HALVES, 0x03e, FORM(1), SM_89 | SM_90, SASS_PIPE_ALU,
	 .ops = {D(), ODD(0), R(64, .flags = SLOT_HALF1, .reuse = 4)},
	 .fields = {F2FP_FINITE, FLAG(RELU, 75, YES(".RELU")), F2FP_BYTES},
	 .fixed = {{24, 8, 255}, {73, 1, 1}, {87, 1, 1}, {90, 1, 1}},
	 .suffix = ".F16.UNPACK_B_MERGE_C"},
	{"F2FP", SASS_F2FP_UNPACK, 0x03e, FORM(1), SM_89 | SM_90, SASS_PIPE_ALU,
	 .ops = {D(), ODD(SLOT_HALF1, .width = 88)},
	 .fields = {FLAG(RELU, 75, YES(".RELU")), FIELD(HFORMAT, 73, 1, f2fp_unpack)},
	 .fixed = {{24, 8, 255}, {64, 8, 255}, {74, 1, 1}, {89, 1, 1}}, .suffix = ".UNPACK_B"},
	{"DMMA.884", SASS_DMMA_884, 0x03f, FORM(1), SM_8X, SASS_PIPE_TENSOR, DMMA},
	{"DMMA.8x8x4", SASS_DMMA_884, 0x03f, FORM(1), SM_90, SASS_PIPE_TENSOR, DMMA,
	 .fixed = {{76, 2, 0}}},
	{"DMMA.16x8x4", SASS_DMMA_16X8X4, 0x03f, FORM(1), SM_90, SASS_PIPE_TENSOR,
	 DMMA16(COUNT_4, COUNT_2), .fixed = {{76, 2, 1}}},
	{"DMMA.16x8x8", SASS_DMMA_16X8X8, 0x03f, FORM(1), SM_90, SASS_PIPE_TENSOR,
	 DMMA16(COUNT_8, COUNT_4), .fixed = {{76, 2, 2}}},
	{"DMMA.16x8x16", SASS_DMMA_16X8X16, 0x03f, FORM(1), SM_90, SASS_PIPE_TENSOR,
	 DMMA16(COUNT_16, COUNT_8), .fixed = {{76, 2, 3}}},
	{"HMNMX2", SASS_HMNMX2, 0x040, FORMS_B, SM_80, SASS_PIPE_ALU, .imm = IMM_HALF2,
	 .ops = {D(), A(NAH), ODD(NAH), P(87, 90)}, .fields = {HFORMAT, FTZ, NAN_},
	 .legal = legal_halves},
	{"HMNMX2", SASS_HMNMX2, 0x040, FORMS_B, SM_86_UP, SASS_PIPE_ALU, .imm = IMM_HALF2,
	 .ops = {D(), A(NAH), ODD(NAH), P(87, 90)}, .fields = {HFORMAT, FTZ, NAN_, XORSIGN},
	 .legal = legal_halves},
	{"F2IP", SASS_F2IP, 0x043, FORM(1) | FORM(4) | FORM(5) | FORM(6), SM_86_UP, SASS_PIPE_ALU,
	 .imm = IMM_FLOAT, .ops = {D(), A(0), B(0), R(64, .flags = SLOT_HALF1, .reuse = 4)},
	 .fields = {FIELD(DTYPE, 76, 2, f2ip_type), FIELD(RND, 78, 2, f2ip_round),
		    FLAG(NTZ, 74, YES(".NTZ")), FLAG(RELU, 75, YES(".RELU"))}},
	{"STSM.16", SASS_STSM, 0x044, FORM(4), SM_90, SASS_PIPE_SHARED, .sb = SB_READ,
	 .ops = {{.type = SLOT_ADDR, .lo = 64, .width = ADDR_MAYBE_UREG, .flags = SLOT_SIGNED},
		 R(32, .count = COUNT_WIDTH, .reuse = REUSE_NONE)},
	 .fields = {FLAG(TRANSPOSE, 78, matrix_rows), FIELD(WIDTH, 72, 2, matrices)}},
	{"I2FP.F32", SASS_I2FP, 0x045, FORMS_B, SM_86_UP, SASS_PIPE_ALU, .imm = IMM_STYPE,
	 .ops = {D(), ODD(0)},
	 .fields = {FIELD(STYPE, 74, 1, i2fp_type), FIELD(RND, 78, 2, i2fp_round)},
	 .fixed = {{75, 3, 2}, {84, 3, 2}}},
	{"VIADDMNMX", SASS_VIADDMNMX, 0x046, FORMS_BC, SM_90, SASS_PIPE_ALU,
	 .ops = {D(), A(0), B(NEG), C(0), P(87, 90)},
	 .fields = {FLAG(SIGNED, 72, NO(".U32")), FLAG(RELU, 76, YES(".RELU"))},
	 .fixed = {{73, 1, 0}}},
	{"VIADDMNMX", SASS_VIADDMNMX_16X2, 0x046, FORMS_BC, SM_90, SASS_PIPE_ALU,
	 .ops = {D(), A(0), B(NEG), C(0), P(87, 90)},
	 .fields = {FLAG(SIGNED, 72, min_16x2), FLAG(RELU, 76, YES(".RELU"))},
	 .fixed = {{73, 1, 1}}},
	{"VIMNMX", SASS_VIMNMX, 0x048, FORMS_B, SM_90, SASS_PIPE_ALU, .imm = IMM_SIGNED,
	 .ops = {D(), A(0), ODD(0), P(87, 90)},
	 .fields = {FLAG(SIGNED, 72, NO(".U32")), FLAG(RELU, 76, YES(".RELU"))},
	 .fixed = {{73, 1, 0}, {81, 3, 7}, {84, 3, 7}}},
	{"VIMNMX", SASS_VIMNMX_16X2, 0x048, FORMS_B, SM_90, SASS_PIPE_ALU, .imm = IMM_SIGNED,
	 .ops = {D(), A(0), ODD(0), P(87, 90)},
	 .fields = {FLAG(SIGNED, 72, min_16x2), FLAG(RELU, 76, YES(".RELU"))},
	 .fixed = {{73, 1, 1}, {81, 3, 7}, {84, 3, 7}}},
	{"QMMA.16816", SASS_QMMA_SHORT, 0x07a, FORM(1), SM_89, SASS_PIPE_TENSOR, QMMA_OPS(PAIR, .count = COUNT_1),
	 .fields = {QMMA}, .fixed = {{74, 3, 1}, {80, 1, 0}}},
	{"QMMA.16832", SASS_QMMA_LONG, 0x07a, FORM(1), SM_89, SASS_PIPE_TENSOR, QMMA_OPS(FOUR, PAIR),
	 .fields = {QMMA}, .fixed = {{74, 3, 3}, {80, 1, 0}}},
	{"QMMA.SP.16864", SASS_QMMA_SP, 0x07a, FORM(1), SM_89, SASS_PIPE_TENSOR, IMMA_SP(FOUR),
	 .fields = {FLAG(SUMS, 77, sums_f32), FIELD(DOT, 78, 2, dot_floats)},
	 .fixed = {{74, 3, 5}, {80, 1, 1}}},
};
const uint32_t sass_alu_count = sizeof(sass_alu_rows) / sizeof(sass_alu_rows[0]);
