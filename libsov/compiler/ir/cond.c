// SPDX-License-Identifier: MIT
/* The tables of cond.h, in the order of enum ir_cond. */
#include "libsov/compiler/ir/cond.h"

const uint8_t cond_mirrored[IR_COND_COUNT] = {
	[IR_EQ] = IR_EQ,     [IR_NE] = IR_NE,     [IR_LT_S] = IR_GT_S, [IR_LE_S] = IR_GE_S,
	[IR_GT_S] = IR_LT_S, [IR_GE_S] = IR_LE_S, [IR_LT_U] = IR_GT_U, [IR_LE_U] = IR_GE_U,
	[IR_GT_U] = IR_LT_U, [IR_GE_U] = IR_LE_U, [IR_FEQ] = IR_FEQ,   [IR_FNE] = IR_FNE,
	[IR_FLT] = IR_FGT,   [IR_FLE] = IR_FGE,   [IR_FGT] = IR_FLT,   [IR_FGE] = IR_FLE,
	[IR_FEQU] = IR_FEQU, [IR_FNEU] = IR_FNEU, [IR_FLTU] = IR_FGTU, [IR_FLEU] = IR_FGEU,
	[IR_FGTU] = IR_FLTU, [IR_FGEU] = IR_FLEU, [IR_FNUM] = IR_FNUM, [IR_FNAN] = IR_FNAN,
};

const uint8_t cond_inverse[IR_COND_COUNT] = {
	[IR_EQ] = IR_NE,     [IR_NE] = IR_EQ,     [IR_LT_S] = IR_GE_S, [IR_LE_S] = IR_GT_S,
	[IR_GT_S] = IR_LE_S, [IR_GE_S] = IR_LT_S, [IR_LT_U] = IR_GE_U, [IR_LE_U] = IR_GT_U,
	[IR_GT_U] = IR_LE_U, [IR_GE_U] = IR_LT_U, [IR_FEQ] = IR_FNEU,  [IR_FNE] = IR_FEQU,
	[IR_FLT] = IR_FGEU,  [IR_FLE] = IR_FGTU,  [IR_FGT] = IR_FLEU,  [IR_FGE] = IR_FLTU,
	[IR_FEQU] = IR_FNE,  [IR_FNEU] = IR_FEQ,  [IR_FLTU] = IR_FGE,  [IR_FLEU] = IR_FGT,
	[IR_FGTU] = IR_FLE,  [IR_FGEU] = IR_FLT,  [IR_FNUM] = IR_FNAN, [IR_FNAN] = IR_FNUM,
};
