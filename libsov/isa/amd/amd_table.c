// SPDX-License-Identifier: MIT
/*
 * The instruction table as a whole: rows in the order of enum amd_op, an index from opcodes back to
 * rows, and the properties of operand types.
 */
#include <pthread.h>

#include "libsov/isa/amd/amd_row.h"

static const struct amd_row rows[AMD_OP_COUNT] = {
#define ROW(format_, name_, opcode_, d_, s0_, s1_, s2_, flags_) \
	{.name = #name_, \
	 .op = AMD_##name_, \
	 .format = AMD_##format_, \
	 .opcode = {opcode_}, \
	 .type = {[AMD_D] = TYPE_##d_, \
		  [AMD_S0] = TYPE_##s0_, \
		  [AMD_S1] = TYPE_##s1_, \
		  [AMD_S2] = TYPE_##s2_, \
		  [AMD_SX] = (flags_)&CARRY                                ? TYPE_M \
			     : (flags_)&BARE || AMD_##format_ != AMD_MUBUF ? TYPE_NO \
									   : TYPE_L32}, \
	 .flags = flags_},
#include "libsov/isa/amd/amd_rows.h"
};

#define ANY      .scalar = true, .vector = true, .constant = true, .literal = true
#define REGISTER .vector = true
const struct amd_type_info amd_types[TYPE_COUNT] = {
	[TYPE_B16] = {1, ANY, .is_half = true, .no_float = true},
	[TYPE_B32] = {1, ANY},
	[TYPE_B64] = {2, ANY},
	[TYPE_B96] = {3, ANY},
	[TYPE_B128] = {4, ANY},
	[TYPE_B256] = {8, ANY},
	[TYPE_B512] = {16, ANY},
	[TYPE_F16] = {1, ANY, .is_float = true, .is_half = true},
	[TYPE_F32] = {1, ANY, .is_float = true},
	[TYPE_F64] = {2, ANY, .is_float = true},
	[TYPE_P16] = {1, ANY},
	[TYPE_PF16] = {1, ANY},
	[TYPE_MIX] = {1, .scalar = true, .vector = true, .constant = true, .is_float = true},
	[TYPE_R32] = {1, .scalar = true},
	[TYPE_R64] = {2, .scalar = true},
	[TYPE_S32] = {1, .scalar = true, .constant = true, .literal = true},
	[TYPE_L32] = {1, .scalar = true, .constant = true},
	[TYPE_V32] = {1, REGISTER},
	[TYPE_V64] = {2, REGISTER},
	[TYPE_V96] = {3, REGISTER},
	[TYPE_V128] = {4, REGISTER},
	[TYPE_M] = {1, .scalar = true},
	[TYPE_X] = {1, .scalar = true},
	[TYPE_K16] = {1, .literal = true, .is_half = true},
	[TYPE_K32] = {1, .literal = true},
	[TYPE_ADDR] = {2, REGISTER},
	[TYPE_SADDR] = {2, .scalar = true},
	[TYPE_VBUF] = {2, REGISTER},
	[TYPE_RSRC] = {4, .scalar = true},
};

#define OPCODES 1024
static uint16_t by_opcode[AMD_CHIPS][AMD_FORMATS][OPCODES]; /* row + 1 */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void index_rows(void)
{
	for (uint32_t chip = 0; chip < AMD_CHIPS; chip++)
		for (uint32_t i = 0; i < AMD_OP_COUNT; i++) {
			const struct amd_row *r = &rows[i];

			by_opcode[chip][r->format][r->opcode[chip]] = (uint16_t)(i + 1);
			if (r->flags & E64)
				by_opcode[chip][AMD_VOP3][amd_layout_opcode(chip, r, AMD_E64)] =
					(uint16_t)(i + 1);
		}
}

const struct amd_row *amd_row_of(enum amd_chip chip, enum amd_format format, uint32_t opcode)
{
	uint32_t n;

	pthread_once(&once, index_rows);
	n = opcode < OPCODES ? by_opcode[chip][format][opcode] : 0;
	return n ? &rows[n - 1] : NULL;
}

const struct amd_row *amd_row(enum amd_op op)
{
	return op < AMD_OP_COUNT ? &rows[op] : NULL;
}

const char *amd_op_name(enum amd_op op)
{
	return op < AMD_OP_COUNT ? rows[op].name : "?";
}
