// SPDX-License-Identifier: MIT
/*
 * Rows 0x1f0–0x1f3 of the instruction table: matrix products of a warp group (SM90). The number of
 * columns is in the name, and a row exists twice: with A in shared memory and in registers. Four
 * uniform registers hold the descriptors of A and B; those of A are not read if it is in registers.
 * The text was compared with nvdisasm 12.4, the codes of the numbers of columns come from it.
 */
#include "libsov/isa/nv/sass_row_macros.h"

/* clang-format off */
static const struct sass_choice tiles_k16[32] = {
	[0] = {".64x8x16", 0}, [1] = {".64x16x16", 1}, [2] = {".64x24x16", 2},
	[3] = {".64x32x16", 3}, [4] = {".64x40x16", 4}, [5] = {".64x48x16", 5},
	[6] = {".64x56x16", 6}, [7] = {".64x64x16", 7}, [8] = {".64x72x16", 8},
	[9] = {".64x80x16", 9}, [10] = {".64x88x16", 10}, [11] = {".64x96x16", 11},
	[12] = {".64x104x16", 12}, [13] = {".64x112x16", 13}, [14] = {".64x120x16", 14},
	[15] = {".64x128x16", 15}, [16] = {".64x136x16", 16}, [17] = {".64x144x16", 17},
	[18] = {".64x152x16", 18}, [19] = {".64x160x16", 19}, [20] = {".64x168x16", 20},
	[21] = {".64x176x16", 21}, [22] = {".64x184x16", 22}, [23] = {".64x192x16", 23},
	[24] = {".64x200x16", 24}, [25] = {".64x208x16", 25}, [26] = {".64x216x16", 26},
	[27] = {".64x224x16", 27}, [28] = {".64x232x16", 28}, [29] = {".64x240x16", 29},
	[30] = {".64x248x16", 30}, [31] = {".64x256x16", 31},
};
static const struct sass_choice tiles_k8[32] = {
	[0] = {".64x8x8", 0}, [1] = {".64x16x8", 1}, [2] = {".64x24x8", 2}, [3] = {".64x32x8", 3},
	[4] = {".64x40x8", 4}, [5] = {".64x48x8", 5}, [6] = {".64x56x8", 6},
	[7] = {".64x64x8", 7}, [8] = {".64x72x8", 8}, [9] = {".64x80x8", 9},
	[10] = {".64x88x8", 10}, [11] = {".64x96x8", 11}, [12] = {".64x104x8", 12},
	[13] = {".64x112x8", 13}, [14] = {".64x120x8", 14}, [15] = {".64x128x8", 15},
	[16] = {".64x136x8", 16}, [17] = {".64x144x8", 17}, [18] = {".64x152x8", 18},
	[19] = {".64x160x8", 19}, [20] = {".64x168x8", 20}, [21] = {".64x176x8", 21},
	[22] = {".64x184x8", 22}, [23] = {".64x192x8", 23}, [24] = {".64x200x8", 24},
	[25] = {".64x208x8", 25}, [26] = {".64x216x8", 26}, [27] = {".64x224x8", 27},
	[28] = {".64x232x8", 28}, [29] = {".64x240x8", 29}, [30] = {".64x248x8", 30},
	[31] = {".64x256x8", 31},
};
static const struct sass_choice tiles_floats8[64] = {
	[0] = {".64x8x32", 0}, [1] = {".64x16x32", 1}, [2] = {".64x24x32", 2},
	[3] = {".64x32x32", 3}, [4] = {".64x40x32", 4}, [5] = {".64x48x32", 5},
	[6] = {".64x56x32", 6}, [7] = {".64x64x32", 7}, [8] = {".64x72x32", 8},
	[9] = {".64x80x32", 9}, [10] = {".64x88x32", 10}, [11] = {".64x96x32", 11},
	[12] = {".64x104x32", 12}, [13] = {".64x112x32", 13}, [14] = {".64x120x32", 14},
	[15] = {".64x128x32", 15}, [16] = {".64x136x32", 16}, [17] = {".64x144x32", 17},
	[18] = {".64x152x32", 18}, [19] = {".64x160x32", 19}, [20] = {".64x168x32", 20},
	[21] = {".64x176x32", 21}, [22] = {".64x184x32", 22}, [23] = {".64x192x32", 23},
	[24] = {".64x200x32", 24}, [25] = {".64x208x32", 25}, [26] = {".64x216x32", 26},
	[27] = {".64x224x32", 27}, [28] = {".64x232x32", 28}, [29] = {".64x240x32", 29},
	[30] = {".64x248x32", 30}, [31] = {".64x256x32", 31},
};
static const struct sass_choice tiles_bytes[64] = {
	[0] = {".64x8x32", 0}, [3] = {".64x16x32", 1}, [6] = {".64x24x32", 2},
	[9] = {".64x32x32", 3}, [12] = {".64x48x32", 5}, [15] = {".64x64x32", 7},
	[18] = {".64x80x32", 9}, [21] = {".64x96x32", 11}, [24] = {".64x112x32", 13},
	[27] = {".64x128x32", 15}, [30] = {".64x144x32", 17}, [33] = {".64x160x32", 19},
	[36] = {".64x176x32", 21}, [39] = {".64x192x32", 23}, [42] = {".64x208x32", 25},
	[45] = {".64x224x32", 27}, [48] = {".64x240x32", 29}, [51] = {".64x256x32", 31},
};
static const struct sass_choice tiles_bits[64] = {
	[0] = {".64x8x256", 0}, [1] = {".64x16x256", 1}, [2] = {".64x24x256", 2},
	[3] = {".64x32x256", 3}, [4] = {".64x48x256", 5}, [5] = {".64x64x256", 7},
	[6] = {".64x80x256", 9}, [7] = {".64x96x256", 11}, [8] = {".64x112x256", 13},
	[9] = {".64x128x256", 15}, [10] = {".64x144x256", 17}, [11] = {".64x160x256", 19},
	[12] = {".64x176x256", 21}, [13] = {".64x192x256", 23}, [14] = {".64x208x256", 25},
	[15] = {".64x224x256", 27}, [16] = {".64x240x256", 29}, [17] = {".64x256x256", 31},
};
static const struct sass_choice tiles_k32[32] = {
	[0] = {".64x8x32", 0}, [1] = {".64x16x32", 1}, [2] = {".64x24x32", 2},
	[3] = {".64x32x32", 3}, [4] = {".64x40x32", 4}, [5] = {".64x48x32", 5},
	[6] = {".64x56x32", 6}, [7] = {".64x64x32", 7}, [8] = {".64x72x32", 8},
	[9] = {".64x80x32", 9}, [10] = {".64x88x32", 10}, [11] = {".64x96x32", 11},
	[12] = {".64x104x32", 12}, [13] = {".64x112x32", 13}, [14] = {".64x120x32", 14},
	[15] = {".64x128x32", 15}, [16] = {".64x136x32", 16}, [17] = {".64x144x32", 17},
	[18] = {".64x152x32", 18}, [19] = {".64x160x32", 19}, [20] = {".64x168x32", 20},
	[21] = {".64x176x32", 21}, [22] = {".64x184x32", 22}, [23] = {".64x192x32", 23},
	[24] = {".64x200x32", 24}, [25] = {".64x208x32", 25}, [26] = {".64x216x32", 26},
	[27] = {".64x224x32", 27}, [28] = {".64x232x32", 28}, [29] = {".64x240x32", 29},
	[30] = {".64x248x32", 30}, [31] = {".64x256x32", 31},
};
static const struct sass_choice tiles_floats8_k64[64] = {
	[32] = {".64x8x64", 0}, [33] = {".64x16x64", 1}, [34] = {".64x24x64", 2},
	[35] = {".64x32x64", 3}, [36] = {".64x40x64", 4}, [37] = {".64x48x64", 5},
	[38] = {".64x56x64", 6}, [39] = {".64x64x64", 7}, [40] = {".64x72x64", 8},
	[41] = {".64x80x64", 9}, [42] = {".64x88x64", 10}, [43] = {".64x96x64", 11},
	[44] = {".64x104x64", 12}, [45] = {".64x112x64", 13}, [46] = {".64x120x64", 14},
	[47] = {".64x128x64", 15}, [48] = {".64x136x64", 16}, [49] = {".64x144x64", 17},
	[50] = {".64x152x64", 18}, [51] = {".64x160x64", 19}, [52] = {".64x168x64", 20},
	[53] = {".64x176x64", 21}, [54] = {".64x184x64", 22}, [55] = {".64x192x64", 23},
	[56] = {".64x200x64", 24}, [57] = {".64x208x64", 25}, [58] = {".64x216x64", 26},
	[59] = {".64x224x64", 27}, [60] = {".64x232x64", 28}, [61] = {".64x240x64", 29},
	[62] = {".64x248x64", 30}, [63] = {".64x256x64", 31},
};
static const struct sass_choice tiles_bytes_k64[64] = {
	[1] = {".64x8x64", 0}, [4] = {".64x16x64", 1}, [7] = {".64x24x64", 2},
	[10] = {".64x32x64", 3}, [13] = {".64x48x64", 5}, [16] = {".64x64x64", 7},
	[19] = {".64x80x64", 9}, [22] = {".64x96x64", 11}, [25] = {".64x112x64", 13},
	[28] = {".64x128x64", 15}, [31] = {".64x144x64", 17}, [34] = {".64x160x64", 19},
	[37] = {".64x176x64", 21}, [40] = {".64x192x64", 23}, [43] = {".64x208x64", 25},
	[46] = {".64x224x64", 27}, [49] = {".64x240x64", 29}, [52] = {".64x256x64", 31},
};
static const struct sass_choice quiet[2] = {{"", 0}, {"", 1}}; /* printed with the descriptors */
static const struct sass_choice halves[4] = {{"", SASS_HALF_F16}, {".BF16", SASS_HALF_BF16}};
static const struct sass_choice tf32[4] = {[2] = {".TF32", SASS_HALF_TF32}};
static const struct sass_choice sums[2] = {{".F16", SASS_SUMS_F16}, {".F32", SASS_SUMS_F32}};
static const struct sass_choice bytes[4] = {
	{".U8.U8", SASS_DOT_U8_U8}, {".S8.U8", SASS_DOT_S8_U8}, {".U8.S8", SASS_DOT_U8_S8},
	{".S8.S8", SASS_DOT_S8_S8},
};
static const struct sass_choice floats8[4] = {
	{".E4M3.E4M3", SASS_DOT_E4M3_E4M3}, {".E5M2.E4M3", SASS_DOT_E5M2_E4M3},
	{".E4M3.E5M2", SASS_DOT_E4M3_E5M2}, {".E5M2.E5M2", SASS_DOT_E5M2_E5M2},
};
/* clang-format on */

#define NO_SCOREBOARD 7

static bool legal_scoreboard(uint32_t sm, const struct sass_inst *in)
{
	int64_t gsb = in->ops[in->nops - 1].value;

	(void)sm;
	return gsb == 0 || gsb == NO_SCOREBOARD;
}

/* Only products of f16 may be added to f16. */
static bool legal_sums(uint32_t sm, const struct sass_inst *in)
{
	return legal_scoreboard(sm, in) && (in->mod[SASS_M_SUMS] == SASS_SUMS_F32 ||
					    in->mod[SASS_M_HFORMAT] == SASS_HALF_F16);
}

/* clang-format off */
#define GROUP      SM_90, SASS_PIPE_TENSOR, .sb = SB_NONE
#define GDESC(at)  {.type = SLOT_UGPR, .lo = at, .flags = SLOT_GDESC, .count = COUNT_4}
#define ADD(n)     R(64, .count = n, .reuse = REUSE_NONE), \
		   {.type = SLOT_UPRED, .lo = 87, .neg = 90, \
		    .flags = SLOT_INVERT | SLOT_QUIET, TRUE_}, \
		   I(84, 3, .flags = SLOT_GSB | SLOT_QUIET, .otherwise = DEFAULT_7)
#define SHARED(n)  .ops = {D(.count = n), GDESC(24), ADD(n)}
#define FACTOR(f)  R(24, .flags = f, .count = COUNT_4, .reuse = REUSE_NONE)
#define FROM_REGISTERS(n, f) .ops = {D(.count = n), FACTOR(f), GDESC(32), ADD(n)}
/* With a sparse A, the metadata and the selector precede the scoreboard. */
#define ADD_SPARSE(n, f) R(64, .count = n, .reuse = REUSE_NONE), \
		   {.type = SLOT_UPRED, .lo = 87, .neg = 90, \
		    .flags = SLOT_INVERT | SLOT_QUIET, TRUE_}, \
		   R(40, .reuse = REUSE_NONE), I(48, 2, .flags = f, .otherwise = DEFAULT_0), \
		   I(84, 3, .flags = SLOT_GSB | SLOT_QUIET, .otherwise = DEFAULT_7)
#define SHARED_SP(n, f) .ops = {D(.count = n), GDESC(24), ADD_SPARSE(n, f)}
#define REGISTERS_SP(n, neg, f) .ops = {D(.count = n), FACTOR(neg), GDESC(32), ADD_SPARSE(n, f)}
#define READS      {91, 1, 1}
#define NEG_A      FLAG(NEG_A, 72, quiet)
#define NEG_B      FLAG(NEG_B, 63, quiet)
#define TRANS_A    FLAG(TRANS_A, 61, quiet)
#define TRANS_B    FLAG(TRANS_B, 62, quiet)
#define SUMS       FLAG(SUMS, 75, sums)
#define BYTES      FIELD(TILES, 53, 6, tiles_bytes), FIELDS2(DOT, 76, 1, 82, 1, bytes), \
		   {.mod = SASS_M_SAT, .lo = 75, .width = 1, .choices = YES(".SAT")}
#define BYTES_SP   FIELD(TILES, 53, 6, tiles_bytes_k64), FIELDS2(DOT, 76, 1, 82, 1, bytes), \
		   {.mod = SASS_M_SAT, .lo = 75, .width = 1, .choices = YES(".SAT")}
#define FLOATS8_SP FIELD(TILES, 53, 6, tiles_floats8_k64), SUMS, FIELD(DOT, 76, 2, floats8), NEG_B
#define SP         {73, 1, 1}
#define BITS       FIELD(TILES, 53, 6, tiles_bits)
#define FLOATS8    FIELD(TILES, 53, 6, tiles_floats8), SUMS, FIELD(DOT, 76, 2, floats8), NEG_B

const struct sass_form sass_group_rows[] = {
	{"HGMMA", SASS_HGMMA, 0x1f0, FORM(4), GROUP, SHARED(COUNT_TILES_SUMS),
	 .fields = {FIELD(TILES, 53, 5, tiles_k16), SUMS, FIELD(HFORMAT, 76, 2, halves), NEG_A, NEG_B,
		    TRANS_A, TRANS_B},
	 .fixed = {READS, {58, 1, 0}}, .legal = legal_sums},
	{"HGMMA", SASS_HGMMA, 0x1f0, FORM(4), GROUP, SHARED(COUNT_TILES_SUMS),
	 .fields = {FIELD(TILES, 53, 5, tiles_k8), SUMS, FIELD(HFORMAT, 76, 2, tf32), NEG_A, NEG_B},
	 .fixed = {READS, {58, 1, 1}}, .legal = legal_sums},
	{"HGMMA", SASS_HGMMA_REG, 0x1f0, FORM(6), GROUP, FROM_REGISTERS(COUNT_TILES_SUMS, NEG),
	 .fields = {FIELD(TILES, 53, 5, tiles_k16), SUMS, FIELD(HFORMAT, 76, 2, halves), NEG_B, TRANS_B},
	 .fixed = {READS, {58, 1, 0}}, .legal = legal_sums},
	{"HGMMA", SASS_HGMMA_REG, 0x1f0, FORM(6), GROUP, FROM_REGISTERS(COUNT_TILES_SUMS, NEG),
	 .fields = {FIELD(TILES, 53, 5, tiles_k8), SUMS, FIELD(HFORMAT, 76, 2, tf32), NEG_B},
	 .fixed = {READS, {58, 1, 1}}, .legal = legal_sums},
	{"HGMMA.SP", SASS_HGMMA_SP, 0x1f0, FORM(4), GROUP, SHARED_SP(COUNT_TILES_SUMS, 0),
	 .fields = {FIELD(TILES, 53, 5, tiles_k32), SUMS, FIELD(HFORMAT, 76, 2, halves), NEG_A, NEG_B,
		    TRANS_A, TRANS_B},
	 .fixed = {READS, SP, {58, 2, 2}}, .legal = legal_sums},
	{"HGMMA.SP", SASS_HGMMA_SP, 0x1f0, FORM(4), GROUP, SHARED_SP(COUNT_TILES_SUMS, 0),
	 .fields = {FIELD(TILES, 53, 5, tiles_k16), SUMS, FIELD(HFORMAT, 76, 2, tf32), NEG_A, NEG_B},
	 .fixed = {READS, SP, {58, 2, 0}}, .legal = legal_sums},
	{"HGMMA.SP", SASS_HGMMA_SP_REG, 0x1f0, FORM(6), GROUP,
	 REGISTERS_SP(COUNT_TILES_SUMS, NEG, 0),
	 .fields = {FIELD(TILES, 53, 5, tiles_k32), SUMS, FIELD(HFORMAT, 76, 2, halves), NEG_B, TRANS_B},
	 .fixed = {READS, SP, {58, 2, 2}}, .legal = legal_sums},
	{"HGMMA.SP", SASS_HGMMA_SP_REG, 0x1f0, FORM(6), GROUP,
	 REGISTERS_SP(COUNT_TILES_SUMS, NEG, 0),
	 .fields = {FIELD(TILES, 53, 5, tiles_k16), SUMS, FIELD(HFORMAT, 76, 2, tf32), NEG_B},
	 .fixed = {READS, SP, {58, 2, 0}}, .legal = legal_sums},
	{"IGMMA", SASS_IGMMA, 0x1f1, FORM(4), GROUP, SHARED(COUNT_TILES), .fields = {BYTES},
	 .fixed = {READS}, .legal = legal_scoreboard},
	{"IGMMA", SASS_IGMMA_REG, 0x1f1, FORM(6), GROUP, FROM_REGISTERS(COUNT_TILES, 0),
	 .fields = {BYTES}, .fixed = {READS}, .legal = legal_scoreboard},
	{"IGMMA.SP", SASS_IGMMA_SP, 0x1f1, FORM(4), GROUP, SHARED_SP(COUNT_TILES, SLOT_QUIET),
	 .fields = {BYTES_SP}, .fixed = {READS, SP}, .legal = legal_scoreboard},
	{"IGMMA.SP", SASS_IGMMA_SP_REG, 0x1f1, FORM(6), GROUP,
	 REGISTERS_SP(COUNT_TILES, 0, SLOT_QUIET), .fields = {BYTES_SP}, .fixed = {READS, SP},
	 .legal = legal_scoreboard},
	{"BGMMA", SASS_BGMMA, 0x1f2, FORM(4), GROUP, SHARED(COUNT_TILES), .fields = {BITS},
	 .fixed = {READS, {78, 1, 1}, {80, 1, 1}}, .suffix = ".AND.POPC", .legal = legal_scoreboard},
	{"BGMMA", SASS_BGMMA_REG, 0x1f2, FORM(6), GROUP, FROM_REGISTERS(COUNT_TILES, 0),
	 .fields = {BITS}, .fixed = {READS, {78, 1, 1}, {80, 1, 1}}, .suffix = ".AND.POPC",
	 .legal = legal_scoreboard},
	{"QGMMA", SASS_QGMMA, 0x1f3, FORM(4), GROUP, SHARED(COUNT_TILES_SUMS),
	 .fields = {FLOATS8, NEG_A}, .fixed = {READS}, .legal = legal_scoreboard},
	{"QGMMA", SASS_QGMMA_REG, 0x1f3, FORM(6), GROUP, FROM_REGISTERS(COUNT_TILES_SUMS, NEG),
	 .fields = {FLOATS8}, .fixed = {READS}, .legal = legal_scoreboard},
	{"QGMMA.SP", SASS_QGMMA_SP, 0x1f3, FORM(4), GROUP, SHARED_SP(COUNT_TILES_SUMS, SLOT_QUIET),
	 .fields = {FLOATS8_SP, NEG_A}, .fixed = {READS, SP}, .legal = legal_scoreboard},
	{"QGMMA.SP", SASS_QGMMA_SP_REG, 0x1f3, FORM(6), GROUP,
	 REGISTERS_SP(COUNT_TILES_SUMS, NEG, SLOT_QUIET), .fields = {FLOATS8_SP},
	 .fixed = {READS, SP}, .legal = legal_scoreboard},
};
/* clang-format on */
const uint32_t sass_group_count = sizeof(sass_group_rows) / sizeof(sass_group_rows[0]);
