// SPDX-License-Identifier: MIT
/*
 * The instruction table as a whole. Rows are in the order of their opcodes, one file per range,
 * so that the decoder finds them by binary search. Value lists that several files use are here
 * too.
 */
#include <pthread.h>

#include "libsov/isa/nv/sass_row_macros.h"

const struct sass_choice sass_rnd[4] = {
	{"", SASS_RN}, {".RM", SASS_RM}, {".RP", SASS_RP}, {".RZ", SASS_RZ_MODE},
};
const struct sass_choice sass_cmp3[8] = {
	{".F", SASS_CMP_F}, {".LT", SASS_CMP_LT}, {".EQ", SASS_CMP_EQ}, {".LE", SASS_CMP_LE},
	{".GT", SASS_CMP_GT}, {".NE", SASS_CMP_NE}, {".GE", SASS_CMP_GE}, {".T", SASS_CMP_T},
};
const struct sass_choice sass_cmp4[16] = {
	{".F", SASS_CMP_F},	{".LT", SASS_CMP_LT},	{".EQ", SASS_CMP_EQ},
	{".LE", SASS_CMP_LE},	{".GT", SASS_CMP_GT},	{".NE", SASS_CMP_NE},
	{".GE", SASS_CMP_GE},	{".NUM", SASS_CMP_NUM}, {".NAN", SASS_CMP_NAN},
	{".LTU", SASS_CMP_LTU}, {".EQU", SASS_CMP_EQU}, {".LEU", SASS_CMP_LEU},
	{".GTU", SASS_CMP_GTU}, {".NEU", SASS_CMP_NEU}, {".GEU", SASS_CMP_GEU},
	{".T", SASS_CMP_T},
};
const struct sass_choice sass_bool[4] = {{".AND", SASS_AND}, {".OR", SASS_OR}, {".XOR", SASS_XOR}};
const struct sass_choice sass_width[8] = {
	{".U8", SASS_WIDTH_U8},	  {".S8", SASS_WIDTH_S8}, {".U16", SASS_WIDTH_U16},
	{".S16", SASS_WIDTH_S16}, {"", SASS_WIDTH_32},	  {".64", SASS_WIDTH_64},
	{".128", SASS_WIDTH_128},
};
const struct sass_choice sass_width_const[8] = { /* at most 64 bits */
	{".U8", SASS_WIDTH_U8}, {".S8", SASS_WIDTH_S8}, {".U16", SASS_WIDTH_U16},
	{".S16", SASS_WIDTH_S16}, {"", SASS_WIDTH_32}, {".64", SASS_WIDTH_64},
};
const struct sass_choice sass_left_right[2] = {{".L", 0}, {".R", 1}};
const struct sass_choice sass_shift_type[4] = {
	{".S64", SASS_SH_S64}, {".U64", SASS_SH_U64}, {".S32", SASS_SH_S32}, {".U32", SASS_SH_U32},
};
const struct sass_choice sass_prmt[8] = {
	{"", SASS_PRMT_IDX},	   {".F4E", SASS_PRMT_F4E}, {".B4E", SASS_PRMT_B4E},
	{".RC8", SASS_PRMT_RC8},   {".ECL", SASS_PRMT_ECL}, {".ECR", SASS_PRMT_ECR},
	{".RC16", SASS_PRMT_RC16},
};
const struct sass_choice sass_vote[4] = {
	{".ALL", SASS_VOTE_ALL}, {".ANY", SASS_VOTE_ANY}, {".EQ", SASS_VOTE_EQ},
};
const struct sass_choice sass_byte[4] = {{"", 0}, {".B1", 1}, {".B2", 2}, {".B3", 3}};

static const struct {
	const struct sass_form *rows;
	const uint32_t *count;
} families[] = {
	{sass_alu_rows, &sass_alu_count},         {sass_uniform_rows, &sass_uniform_count},
	{sass_control_rows, &sass_control_count}, {sass_texture_rows, &sass_texture_count},
	{sass_memory_rows, &sass_memory_count},   {sass_group_rows, &sass_group_count},
};
#define FAMILIES (sizeof(families) / sizeof(families[0]))

uint32_t sass_form_count(void)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < FAMILIES; i++)
		n += *families[i].count;
	return n;
}

const struct sass_form *sass_form_at(uint32_t index)
{
	for (uint32_t i = 0; i < FAMILIES; i++) {
		if (index < *families[i].count)
			return &families[i].rows[index];
		index -= *families[i].count;
	}
	return NULL;
}

/* Linked lists of the rows of each op; row numbers count from 1, and 0 ends a list. */
static uint16_t first_row[SASS_OP_COUNT], next_row[SASS_MAX_FORMS + 1];
static pthread_once_t rows_once = PTHREAD_ONCE_INIT;

static void link_rows(void)
{
	uint32_t n = sass_form_count();

	for (uint32_t i = FAMILIES; i-- > 0;)
		for (uint32_t k = *families[i].count; k-- > 0; n--) {
			uint16_t op = families[i].rows[k].op;

			next_row[n] = first_row[op];
			first_row[op] = (uint16_t)n;
		}
}

static uint32_t row_number(const struct sass_form *row)
{
	uint32_t before = 0;

	for (uint32_t i = 0; i < FAMILIES; i++) {
		if (row >= families[i].rows && row < families[i].rows + *families[i].count)
			return before + (uint32_t)(row - families[i].rows) + 1;
		before += *families[i].count;
	}
	return 0;
}

const struct sass_form *sass_next_row(uint16_t op, const struct sass_form *row)
{
	uint32_t n;

	pthread_once(&rows_once, link_rows);
	n = row ? next_row[row_number(row)] : op < SASS_OP_COUNT ? first_row[op] : 0;
	return n ? sass_form_at(n - 1) : NULL;
}

const struct sass_form *sass_rows(uint16_t opcode, uint32_t *n)
{
	uint32_t family = 0, low = 0, high, count;
	const struct sass_form *rows;

	while (family + 1 < FAMILIES && families[family + 1].rows[0].opcode <= opcode)
		family++;
	rows = families[family].rows;
	count = *families[family].count;
	for (high = count; low < high;) {
		uint32_t middle = (low + high) / 2;

		if (rows[middle].opcode < opcode)
			low = middle + 1;
		else
			high = middle;
	}
	for (*n = 0; low + *n < count && rows[low + *n].opcode == opcode;)
		++*n;
	return &rows[low];
}

uint8_t sass_sm_mask(uint32_t sm)
{
	switch (sm) {
#define SM_CASE(version) \
	case version: \
		return SM_##version;
		SASS_SM_VERSIONS(SM_CASE)
#undef SM_CASE
	default:
		return 0;
	}
}

bool sass_form_in(const struct sass_form *f, uint32_t sm)
{
	return f->sms & sass_sm_mask(sm);
}

uint16_t sass_form_op(const struct sass_form *f)
{
	return f->op;
}
