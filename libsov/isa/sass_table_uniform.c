/* SPDX-License-Identifier: MIT */
/*
 * Rows 0x080–0x0ff of the instruction table: the uniform datapath. Its layouts are those of the
 * vector instructions with 6-bit registers; bit 91 is set whenever a uniform register is read.
 * Evidence as in sass_table_alu.c.
 */
#include "libsov/isa/sass_row_macros.h"

#define UNIFORM SASS_PIPE_UNIFORM, .uniform = true
#define READS   {91, 1, 1}

const struct sass_form sass_uniform_rows[] = {
	{"UMOV", SASS_UMOV, 0x082, FORM(4), SM_ALL, UNIFORM, .ops = {UD(), ODD(0)}},
	{"UMOV", SASS_UMOV, 0x082, FORM(6), SM_ALL, UNIFORM, .ops = {UD(), ODD(0)},
	 .fixed = {READS}},
	{"VOTEU", SASS_VOTEU, 0x086, FORM(4), SM_ALL, SASS_PIPE_UNIFORM,
	 .ops = {UD_QUIET, UPD(81, TRUE_), P(87, 90)}, .fields = {FIELD(VOTE, 72, 2, sass_vote)}},
	{"USEL", SASS_USEL, 0x087, FORMS_U, SM_ALL, UNIFORM,
	 .ops = {UD(), A(0), ODD(0), UP(87, 90)}, .fixed = {READS}},
	{"UISETP", SASS_UISETP, 0x08c, FORMS_U, SM_ALL, UNIFORM, .imm = IMM_SIGNED,
	 .ops = {UPD(81), UPD(84, TRUE_), A(0), ODD(0), UP(87, 90, TRUE_),
		 UP(68, 71, TRUE_, IF(EX))}, .fields = {CMP3, U32, BOOL, FLAG(EX, 72, YES(".EX"))},
	 .fixed = {READS}},
	{"UIADD3", SASS_UIADD3, 0x090, FORMS_U, SM_ALL, UNIFORM, .imm = IMM_SIGNED,
	 .ops = {UD(), UPDQ(81), UPDQ(84), A(NNOT), B(NNOT), C(NNOT), UP(87, 90, FALSE_, IF(X)),
		 UP(77, 80, FALSE_, IF(X))},
	 .fields = {XMOD}, .fixed = {READS}},
	{"ULEA", SASS_ULEA, 0x091, FORMS_U, SM_ALL, UNIFORM,
	 .ops = {UD(), UPDQ(81), A(NNOT), ODD(NNOT), I(75, 5), UP(87, 90, FALSE_, IF(X))},
	 .fields = {XMOD}, .fixed = {READS, {80, 1, 0}, {64, 8, 63}}},
	{"ULEA.HI", SASS_ULEA_HI, 0x091, FORMS_U, SM_ALL, UNIFORM,
	 .ops = {UD(), UPDQ(81), A(NNOT), B(NNOT), C(0), I(75, 5), UP(87, 90, FALSE_, IF(X))},
	 .fields = {XMOD}, .fixed = {READS, {80, 1, 1}, {73, 1, 0}}},
	{"ULOP3.LUT", SASS_ULOP3, 0x092, FORMS_U, SM_ALL, UNIFORM,
	 .ops = {UPDQ(81), UD(), A(0), B(0), C(0), I(72, 8), UP(87, 90, FALSE_)},
	 .fields = {FLAG(PAND, 80, YES(".PAND"))}, .fixed = {READS}},
	{"UPRMT", SASS_UPRMT, 0x096, FORMS_U, SM_ALL, UNIFORM, .ops = {UD(), A(0), B(0), C(0)},
	 .fixed = {READS}},
	{"USHF", SASS_USHF, 0x099, FORMS_U | FORM(2), SM_ALL, UNIFORM,
	 .ops = {UD(), A(0), B(0), C(0)},
	 .fields = {FIELD(RIGHT, 76, 1, sass_left_right), FLAG(WRAP, 75, YES(".W")),
		 FIELD(SHTYPE, 73, 2, sass_shift_type), FLAG(HI, 80, YES(".HI"))},
	 .fixed = {READS}},
	{"USGXT", SASS_USGXT, 0x09a, FORMS_U, SM_ALL, UNIFORM, .ops = {UD(), A(0), ODD(0)},
	 .fields = {FLAG(WRAP, 75, YES(".W")), U32}, .fixed = {READS}},
	{"UBMSK", SASS_UBMSK, 0x09b, FORMS_U, SM_ALL, UNIFORM, .ops = {UD(), A(0), ODD(0)},
	 .fields = {FLAG(WRAP, 75, YES(".W"))}, .fixed = {READS}},
	{"UPLOP3.LUT", SASS_UPLOP3, 0x09c, FORM(4), SM_ALL, UNIFORM,
	 .ops = {UPD(81), UPD(84, TRUE_), UP(87, 90), UP(77, 80), UP(68, 71), LUT, I(16, 8)}},
	{"UIMAD", SASS_UIMAD, 0x0a4, FORMS_U | FORM(2), SM_ALL, UNIFORM, .imm = IMM_SIGNED,
	 .ops = {UD(), A(0), B(0), C(NEG)}, .fields = {U32},
	 .fixed = {READS, {81, 3, 7}, {87, 4, 15}}},
	{"UIMAD.WIDE", SASS_UIMAD_WIDE, 0x0a5, FORMS_U, SM_ALL, UNIFORM, .imm = IMM_SIGNED,
	 .ops = {UD(PAIR), UPDQ(81), A(0), B(0), C(NNOT, PAIR), UP(87, 90, FALSE_, IF(X))},
	 .fields = {U32, XMOD}, .fixed = {READS}},
	{"ULDC", SASS_ULDC, 0x0b9, FORM(5), SM_ALL, UNIFORM,
	 .ops = {UD(.count = COUNT_WIDTH), {.type = SLOT_CONST}},
	 .fields = {FIELD(WIDTH, 73, 3, sass_width_const)}},
	{"UFLO", SASS_UFLO, 0x0bd, FORMS_U, SM_ALL, UNIFORM,
	 .ops = {UD(), UPDQ(81), ODD(SLOT_NOT)}, .fields = {U32, FLAG(SH, 74, YES(".SH"))},
	 .fixed = {READS}},
	{"UBREV", SASS_UBREV, 0x0be, FORMS_U, SM_ALL, UNIFORM, .ops = {UD(), ODD(0)},
	 .fixed = {READS}},
	{"UPOPC", SASS_UPOPC, 0x0bf, FORMS_U, SM_ALL, UNIFORM, .ops = {UD(), ODD(SLOT_NOT)},
	 .fixed = {READS}},
	{"R2UR", SASS_R2UR, 0x0ca, FORM(1), SM_90, SASS_PIPE_UNIFORM,
	 .ops = {PDQ(81), UD(), A(0, .reuse = 1)}},
};
const uint32_t sass_uniform_count = sizeof(sass_uniform_rows) / sizeof(sass_uniform_rows[0]);
