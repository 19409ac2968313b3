// SPDX-License-Identifier: MIT
/*
 * Rows 0x160–0x17f of the instruction table: textures. All four channels are written. The level is
 * 0 (.LZ) or an operand (.LL); the chip derives none from neighbours. ptxas names the handle in uniform registers on SM90, and before that in a register (.B)
 * unless it is in a constant bank, which these rows do not describe. Evidence as in
 * sass_table_alu.c.
 */
#include "libsov/isa/nv/sass_row_macros.h"
#include "libsov/isa/texture.h"

/* clang-format off */
static const struct sass_choice sampled[8] = {
	{", 1D", TEXTURE_1D}, {", 2D", TEXTURE_2D}, {", 3D", TEXTURE_3D}, {", CUBE", TEXTURE_CUBE},
	{", ARRAY_1D", TEXTURE_1D_LAYERS}, {", ARRAY_2D", TEXTURE_2D_LAYERS},
	[7] = {", ARRAY_CUBE", TEXTURE_CUBE_LAYERS},
};
static const struct sass_choice fetched[8] = {
	{", 1D", TEXTURE_1D}, {", 2D", TEXTURE_2D}, {", 3D", TEXTURE_3D},
	[4] = {", ARRAY_1D", TEXTURE_1D_LAYERS}, {", ARRAY_2D", TEXTURE_2D_LAYERS},
};
static const struct sass_choice gathered[8] = {
	[1] = {", 2D", TEXTURE_2D}, [3] = {", CUBE", TEXTURE_CUBE},
	[5] = {", ARRAY_2D", TEXTURE_2D_LAYERS}, [7] = {", ARRAY_CUBE", TEXTURE_CUBE_LAYERS},
};
static const struct sass_choice derived[8] = {
	{", 1D", TEXTURE_1D}, {", 2D", TEXTURE_2D}, [4] = {", ARRAY_1D", TEXTURE_1D_LAYERS},
	{", ARRAY_2D", TEXTURE_2D_LAYERS},
};
static const struct sass_choice levels[8] = {[1] = {".LZ", 0}, [3] = {".LL", 1}};
static const struct sass_choice channels[4] = {{".R", 0}, {".G", 1}, {".B", 2}, {".A", 3}};
static const struct sass_choice b_channels[4] = {{".R.B", 0}, {".G.B", 1}, {".B.B", 2}, {".A.B", 3}};

static const struct sass_choice sizes[16] = {
	[1] = {", 0x1", TEXTURE_WIDTH}, [2] = {", 0x2", TEXTURE_HEIGHT},
	[4] = {", 0x4", TEXTURE_DEPTH}, [8] = {", 0x8", TEXTURE_LEVELS},
};

/* Coordinates and handles are registers other than RZ. */
static bool legal_registers(uint32_t sm, const struct sass_inst *in)
{
	(void)sm;
	return in->ops[2].reg != SASS_RZ &&
	       in->ops[3].reg != (in->ops[3].kind == SASS_GPR ? SASS_RZ : SASS_URZ);
}

/* One extra operand at least: without any another row is meant. */
static bool legal_more(uint32_t sm, const struct sass_inst *in)
{
	(void)sm;
	return in->ops[2].reg != SASS_RZ && in->ops[3].reg != SASS_RZ &&
	       (in->mod[SASS_M_LEVEL] || in->mod[SASS_M_OFFSET] || in->mod[SASS_M_COMPARE]) &&
	       in->mod[SASS_M_CLAMP] <= in->mod[SASS_M_LEVEL] && in->ops[4].reg != SASS_URZ;
}

/* ptxas sets .CL with .LL. */
static bool legal_texel(uint32_t sm, const struct sass_inst *in)
{
	return in->mod[SASS_M_CLAMP] == in->mod[SASS_M_LEVEL] &&
	       (in->nops > 4 ? legal_more(sm, in) : legal_registers(sm, in));
}

static bool legal_gradient(uint32_t sm, const struct sass_inst *in)
{
	(void)sm;
	return in->ops[2].reg != SASS_RZ && in->ops[3].reg != SASS_RZ &&
	       (in->nops < 5 || in->ops[4].reg != SASS_URZ);
}

static bool legal_query(uint32_t sm, const struct sass_inst *in)
{
	(void)sm;
	return !in->ops[3].value && in->ops[2].reg != SASS_RZ &&
	       (in->nops < 5 || in->ops[4].reg != SASS_URZ);
}

#define D2        {.type = SLOT_GPR, .lo = 64, .flags = SLOT_WRITE, PAIR, .reuse = REUSE_NONE}
#define AT        R(24, .count = COUNT_COORDINATES, .reuse = REUSE_NONE)
#define EXTRAS    R(32, .count = COUNT_EXTRAS, .reuse = REUSE_NONE)
#define HANDLE_EXTRAS R(32, .count = COUNT_1_EXTRAS, .reuse = REUSE_NONE)
#define UNIFORM   {.type = SLOT_UGPR, .lo = 40, PAIR}, I(46, 8, .otherwise = DEFAULT_0)
#define LEVEL     FIELD(LEVEL, 87, 3, levels)
#define OFFSET    FLAG(OFFSET, 76, YES(".AOFFI"))
#define CLAMP     FLAG(CLAMP, 77, YES(".CL"))
#define COMPARE   FLAG(COMPARE, 78, YES(".DC"))
#define DERIVATIVES R(32, .count = COUNT_DERIVATIVES, .reuse = REUSE_NONE)
#define D2_ONE    {.type = SLOT_GPR, .lo = 64, .flags = SLOT_WRITE, .reuse = REUSE_NONE}
#define DIMENSION I(62, 2, .flags = SLOT_DIMENSION, .otherwise = DEFAULT_0)
#define SIZES     FIELD(QUERY, 72, 4, sizes)
#define TEXTURE   SASS_PIPE_MEMORY
#define GEOMETRY(list) FIELD(GEOMETRY, 61, 3, list)
#define ALL       {72, 4, 15}
#define NO_RESIDENT {81, 3, 7}
#define EVICT_NORMAL {84, 3, 1}
#define LEVEL_0   {87, 3, 1}
#define NO_MORE   {32, 8, 255}
#define IS_UNIFORM {91, 1, 1}
#define IS_B      {59, 1, 1}

const struct sass_form sass_texture_rows[] = {
	{"TEX.LZ", SASS_TEX, 0x160, FORM(7), SM_90, TEXTURE, .ops = {D2, D(PAIR), AT, UNIFORM},
	 .fields = {GEOMETRY(sampled)},
	 .fixed = {ALL, NO_RESIDENT, EVICT_NORMAL, LEVEL_0, NO_MORE, IS_UNIFORM}, .legal = legal_registers},
	{"TEX", SASS_TEX_MORE, 0x160, FORM(7), SM_90, TEXTURE, .ops = {D2, D(PAIR), AT, EXTRAS, UNIFORM},
	 .fields = {LEVEL, OFFSET, COMPARE, GEOMETRY(sampled)},
	 .fixed = {ALL, NO_RESIDENT, EVICT_NORMAL, IS_UNIFORM}, .legal = legal_more},
	{"TEX.B", SASS_TEX_B, 0x161, FORM(1), SM_TO_89, TEXTURE, .ops = {D2, D(PAIR), AT, HANDLE_EXTRAS},
	 .fields = {LEVEL, OFFSET, COMPARE, GEOMETRY(sampled)},
	 .fixed = {ALL, NO_RESIDENT, EVICT_NORMAL, IS_B}, .legal = legal_registers},
	{"TLD4", SASS_TLD4, 0x163, FORM(7), SM_90, TEXTURE, .ops = {D2, D(PAIR), AT, UNIFORM},
	 .fields = {FIELD(CHANNEL, 87, 2, channels), GEOMETRY(gathered)},
	 .fixed = {ALL, NO_RESIDENT, EVICT_NORMAL, NO_MORE, IS_UNIFORM}, .legal = legal_registers},
	{"TLD4", SASS_TLD4_MORE, 0x163, FORM(7), SM_90, TEXTURE, .ops = {D2, D(PAIR), AT, EXTRAS, UNIFORM},
	 .fields = {FIELD(CHANNEL, 87, 2, channels), OFFSET, COMPARE, GEOMETRY(gathered)},
	 .fixed = {ALL, NO_RESIDENT, EVICT_NORMAL, IS_UNIFORM}, .legal = legal_more},
	{"TLD4", SASS_TLD4_B, 0x164, FORM(1), SM_TO_89, TEXTURE, .ops = {D2, D(PAIR), AT, HANDLE_EXTRAS},
	 .fields = {FIELD(CHANNEL, 87, 2, b_channels), OFFSET, COMPARE, GEOMETRY(gathered)},
	 .fixed = {ALL, NO_RESIDENT, EVICT_NORMAL, IS_B}, .legal = legal_registers},
	{"TLD.LZ", SASS_TLD, 0x166, FORM(7), SM_90, TEXTURE, .ops = {D2, D(PAIR), AT, UNIFORM},
	 .fields = {GEOMETRY(fetched)},
	 .fixed = {ALL, NO_RESIDENT, EVICT_NORMAL, LEVEL_0, NO_MORE, IS_UNIFORM}, .legal = legal_registers},
	{"TLD", SASS_TLD_MORE, 0x166, FORM(7), SM_90, TEXTURE, .ops = {D2, D(PAIR), AT, EXTRAS, UNIFORM},
	 .fields = {LEVEL, OFFSET, CLAMP, GEOMETRY(fetched)},
	 .fixed = {ALL, NO_RESIDENT, EVICT_NORMAL, IS_UNIFORM}, .legal = legal_texel},
	{"TLD.B", SASS_TLD_B, 0x167, FORM(1), SM_TO_89, TEXTURE, .ops = {D2, D(PAIR), AT, HANDLE_EXTRAS},
	 .fields = {LEVEL, OFFSET, CLAMP, GEOMETRY(fetched)},
	 .fixed = {ALL, NO_RESIDENT, EVICT_NORMAL, IS_B}, .legal = legal_texel},
	{"TXD", SASS_TXD, 0x16c, FORM(7), SM_90, TEXTURE,
	 .ops = {D2, D(PAIR), R(24, .count = COUNT_GRADIENT, .reuse = REUSE_NONE), DERIVATIVES, UNIFORM},
	 .fields = {OFFSET, GEOMETRY(derived)},
	 .fixed = {ALL, NO_RESIDENT, EVICT_NORMAL, IS_UNIFORM}, .legal = legal_gradient},
	{"TXD.B", SASS_TXD_B, 0x16d, FORM(1), SM_TO_89, TEXTURE,
	 .ops = {D2, D(PAIR), R(24, .count = COUNT_1_GRADIENT, .reuse = REUSE_NONE), DERIVATIVES},
	 .fields = {OFFSET, GEOMETRY(derived)},
	 .fixed = {ALL, NO_RESIDENT, EVICT_NORMAL, IS_B}, .legal = legal_gradient},
	{"TXQ", SASS_TXQ, 0x16f, FORM(7), SM_90, TEXTURE,
	 .ops = {D2_ONE, D(), R(24, .reuse = REUSE_NONE), DIMENSION, UNIFORM}, .fields = {SIZES},
	 .fixed = {IS_UNIFORM}, .legal = legal_query},
	{"TXQ.B", SASS_TXQ_B, 0x170, FORM(1), SM_TO_89, TEXTURE,
	 .ops = {D2_ONE, D(), R(24, PAIR, .reuse = REUSE_NONE), DIMENSION}, .fields = {SIZES},
	 .fixed = {IS_B}, .legal = legal_query},
};
/* clang-format on */
const uint32_t sass_texture_count = sizeof(sass_texture_rows) / sizeof(sass_texture_rows[0]);
