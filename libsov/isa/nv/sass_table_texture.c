// SPDX-License-Identifier: MIT
/*
 * Rows 0x160–0x17f of the instruction table: textures. All four channels are written, and the level
 * is 0 (LZ). ptxas names the handle in uniform registers on SM90, and before that in a register (.B)
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
static const struct sass_choice channels[4] = {{".R", 0}, {".G", 1}, {".B", 2}, {".A", 3}};

static const struct sass_choice sizes[16] = {
	[1] = {", 0x1", TEXTURE_WIDTH}, [2] = {", 0x2", TEXTURE_HEIGHT},
	[4] = {", 0x4", TEXTURE_DEPTH},
};

/* Coordinates and handles are registers other than RZ. */
static bool legal_registers(uint32_t sm, const struct sass_inst *in)
{
	(void)sm;
	return in->ops[2].reg != SASS_RZ &&
	       in->ops[3].reg != (in->ops[3].kind == SASS_GPR ? SASS_RZ : SASS_URZ);
}

static bool legal_query(uint32_t sm, const struct sass_inst *in)
{
	(void)sm;
	return !in->ops[3].value && in->ops[2].reg != SASS_RZ &&
	       (in->nops < 5 || in->ops[4].reg != SASS_URZ);
}

#define D2        {.type = SLOT_GPR, .lo = 64, .flags = SLOT_WRITE, PAIR, .reuse = REUSE_NONE}
#define AT        R(24, .count = COUNT_COORDINATES, .reuse = REUSE_NONE)
#define UNIFORM   {.type = SLOT_UGPR, .lo = 40, PAIR}, I(46, 8, .otherwise = DEFAULT_0)
#define HANDLE    R(32, .reuse = REUSE_NONE)
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
	{"TEX.B.LZ", SASS_TEX_B, 0x161, FORM(1), SM_TO_89, TEXTURE, .ops = {D2, D(PAIR), AT, HANDLE},
	 .fields = {GEOMETRY(sampled)},
	 .fixed = {ALL, NO_RESIDENT, EVICT_NORMAL, LEVEL_0, IS_B}, .legal = legal_registers},
	{"TLD4", SASS_TLD4, 0x163, FORM(7), SM_90, TEXTURE, .ops = {D2, D(PAIR), AT, UNIFORM},
	 .fields = {FIELD(CHANNEL, 87, 2, channels), GEOMETRY(gathered)},
	 .fixed = {ALL, NO_RESIDENT, EVICT_NORMAL, NO_MORE, IS_UNIFORM}, .legal = legal_registers},
	{"TLD4", SASS_TLD4_B, 0x164, FORM(1), SM_TO_89, TEXTURE, .ops = {D2, D(PAIR), AT, HANDLE},
	 .fields = {FIELD(CHANNEL, 87, 2, channels), GEOMETRY(gathered)},
	 .fixed = {ALL, NO_RESIDENT, EVICT_NORMAL, IS_B}, .suffix = ".B", .legal = legal_registers},
	{"TLD.LZ", SASS_TLD, 0x166, FORM(7), SM_90, TEXTURE, .ops = {D2, D(PAIR), AT, UNIFORM},
	 .fields = {GEOMETRY(fetched)},
	 .fixed = {ALL, NO_RESIDENT, EVICT_NORMAL, LEVEL_0, NO_MORE, IS_UNIFORM}, .legal = legal_registers},
	{"TLD.B.LZ", SASS_TLD_B, 0x167, FORM(1), SM_TO_89, TEXTURE, .ops = {D2, D(PAIR), AT, HANDLE},
	 .fields = {GEOMETRY(fetched)},
	 .fixed = {ALL, NO_RESIDENT, EVICT_NORMAL, LEVEL_0, IS_B}, .legal = legal_registers},
	{"TXQ", SASS_TXQ, 0x16f, FORM(7), SM_90, TEXTURE,
	 .ops = {D2_ONE, D(), R(24, .reuse = REUSE_NONE), DIMENSION, UNIFORM}, .fields = {SIZES},
	 .fixed = {IS_UNIFORM}, .legal = legal_query},
	{"TXQ.B", SASS_TXQ_B, 0x170, FORM(1), SM_TO_89, TEXTURE,
	 .ops = {D2_ONE, D(), R(24, PAIR, .reuse = REUSE_NONE), DIMENSION}, .fields = {SIZES},
	 .fixed = {IS_B}, .legal = legal_query},
};
/* clang-format on */
const uint32_t sass_texture_count = sizeof(sass_texture_rows) / sizeof(sass_texture_rows[0]);
