/* SPDX-License-Identifier: MIT */
/*
 * Macros for the rows of the table: operands, modifiers and their values. Only the sass_table_*.c
 * files include this header.
 */
#ifndef SOV_ISA_SASS_ROW_MACROS_H
#define SOV_ISA_SASS_ROW_MACROS_H

#include "libsov/isa/nv/sass_row.h"

/* Forms: bit n for form n. nvdisasm accepts these, found by sweeping bits 9–11. */
#define FORM(n)   (1u << (n))
#define FORMS_B   (FORM(1) | FORM(4) | FORM(5) | FORM(6)) /* the odd source is b */
#define FORMS_C   (FORM(1) | FORM(2) | FORM(3) | FORM(7)) /* … c */
#define FORMS_BC  (FORMS_B | FORMS_C)
#define FORMS_U   (FORM(1) | FORM(4))                     /* uniform: register or immediate */

#define NEG  SLOT_NEG
#define NA   (SLOT_NEG | SLOT_ABS)
#define NNOT (SLOT_NEG | SLOT_NOT)

#define NOTHING      {.type = SLOT_END}

/* Operands. The variable arguments are further designated initialisers. */
#define D(...)       {.type = SLOT_GPR, .lo = 16, .flags = SLOT_WRITE, __VA_ARGS__}
#define D_QUIET      {.type = SLOT_GPR, .lo = 16, .flags = SLOT_WRITE | SLOT_QUIET, \
		      .otherwise = DEFAULT_ZERO_REG}
#define A(f, ...)    {.type = SLOT_GPR, .lo = 24, .flags = f, __VA_ARGS__}
#define R(at, ...)   {.type = SLOT_GPR, .lo = at, __VA_ARGS__}
#define ODD(f, ...)  {.type = SLOT_ODD, .flags = f, __VA_ARGS__}
#define B(f, ...)    {.type = SLOT_B, .flags = f, __VA_ARGS__}
#define C(f, ...)    {.type = SLOT_C, .flags = f, __VA_ARGS__}
#define PD(at, ...)  {.type = SLOT_PRED, .lo = at, .flags = SLOT_WRITE, __VA_ARGS__}
#define PDQ(at, ...) {.type = SLOT_PRED, .lo = at, .flags = SLOT_WRITE | SLOT_QUIET, \
		      .otherwise = DEFAULT_TRUE, __VA_ARGS__}
#define P(at, not, ...) {.type = SLOT_PRED, .lo = at, .neg = not, __VA_ARGS__}
#define PQ(at, not)  {.type = SLOT_PRED, .lo = at, .neg = not, .flags = SLOT_QUIET, \
		      .otherwise = DEFAULT_TRUE}
#define UD(...)      {.type = SLOT_UGPR, .lo = 16, .flags = SLOT_WRITE, __VA_ARGS__}
#define UD_QUIET     {.type = SLOT_UGPR, .lo = 16, .flags = SLOT_WRITE | SLOT_QUIET, \
		      .otherwise = DEFAULT_ZERO_REG}
#define UPD(at, ...) {.type = SLOT_UPRED, .lo = at, .flags = SLOT_WRITE, __VA_ARGS__}
#define UPDQ(at, ...) {.type = SLOT_UPRED, .lo = at, .flags = SLOT_WRITE | SLOT_QUIET, \
		      .otherwise = DEFAULT_TRUE, __VA_ARGS__}
#define UP(at, not, ...) {.type = SLOT_UPRED, .lo = at, .neg = not, __VA_ARGS__}
#define I(at, bits, ...) {.type = SLOT_IMM, .lo = at, .width = bits, __VA_ARGS__}
/* The first lookup table of PLOP3 is split over two fields. */
#define LUT          {.type = SLOT_SPLIT, .lo = 64, .neg = 72}
#define PAIR         .count = COUNT_2
#define TRUE_        .otherwise = DEFAULT_TRUE
#define FALSE_       .otherwise = DEFAULT_FALSE
#define IF(m)        .if_mod = SASS_M_##m + 1

/* Modifiers. */
#define FIELD(m, at, bits, list) {.mod = SASS_M_##m, .lo = at, .width = bits, .choices = list}
#define FIELDS2(m, at, bits, at2, bits2, list) \
	{.mod = SASS_M_##m, .lo = at, .width = bits, .lo2 = at2, .width2 = bits2, .choices = list}
#define FLAG(m, at, list)        FIELD(m, at, 1, list)

#define YES(text_) ((const struct sass_choice[]){{"", 0}, {text_, 1}})
#define NO(text_)  ((const struct sass_choice[]){{text_, 0}, {"", 1}}) /* printed when 0 */

#define FTZ        FLAG(FTZ, 80, YES(".FTZ"))
#define SAT        FLAG(SAT, 77, YES(".SAT"))
#define RND        FIELD(RND, 78, 2, sass_rnd)
#define XMOD       FLAG(X, 74, YES(".X"))
#define U32        FLAG(SIGNED, 73, NO(".U32"))
#define CMP4       FIELD(CMP, 76, 4, sass_cmp4)
#define CMP3       FIELD(CMP, 76, 3, sass_cmp3)
#define BOOL       FIELD(BOOL, 74, 2, sass_bool)
#define BYTE       FIELD(BYTE, 76, 2, sass_byte)

/* Lists that more than one family uses; in sass_table.c. */
extern const struct sass_choice sass_rnd[4], sass_cmp3[8], sass_cmp4[16], sass_bool[4],
	sass_width[8], sass_width_const[8], sass_shift_type[4], sass_left_right[2], sass_prmt[8],
	sass_vote[4], sass_byte[4];

/* The families of rows, in the order of their opcodes. */
extern const struct sass_form sass_alu_rows[], sass_uniform_rows[], sass_control_rows[],
	sass_texture_rows[], sass_memory_rows[], sass_group_rows[];
extern const uint32_t sass_alu_count, sass_uniform_count, sass_control_count, sass_texture_count,
	sass_memory_count, sass_group_count;

#endif
