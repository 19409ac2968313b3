// SPDX-License-Identifier: MIT
/*
 * The instruction table as a whole: rows in the order of enum amd_op, an index from opcodes back to
 * rows, and the properties of operand types.
 */
#include <pthread.h>

#include "libsov/isa/amd/amd_row.h"

/* A row's latency class follows from its format, its types and two flags. */
#define LATENCY(format, d, s0, s1, s2, flags) \
	((format) >= AMD_FLAT                           ? AMD_LATENCY_VMEM \
	 : (format) == AMD_DS || (format) == AMD_SMEM   ? AMD_LATENCY_LGKM \
	 : (format) <= AMD_SOP2 || (format) == AMD_SOPC ? AMD_LATENCY_SALU \
	 : (d) == TYPE_F64 || (s0) == TYPE_F64 || (s1) == TYPE_F64 || (s2) == TYPE_F64 \
		 ? AMD_LATENCY_F64 \
	 : (flags) & TRANS    ? AMD_LATENCY_TRANS \
	 : (flags) & SLOW_MUL ? AMD_LATENCY_SLOW_MUL \
			      : AMD_LATENCY_VALU)

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
		  [AMD_SX] = (flags_) & CARRY                                ? TYPE_M \
			     : (flags_) & BARE || AMD_##format_ != AMD_MUBUF ? TYPE_NO \
									     : TYPE_L32}, \
	 .flags = flags_, \
	 .latency = \
		 LATENCY(AMD_##format_, TYPE_##d_, TYPE_##s0_, TYPE_##s1_, TYPE_##s2_, flags_)},
#include "libsov/isa/amd/amd_rows.h"
};

const struct amd_latency amd_latencies[AMD_LATENCY_CLASSES] = {
	[AMD_LATENCY_VALU] = {1, 5},   [AMD_LATENCY_SALU] = {1, 2},
	[AMD_LATENCY_TRANS] = {4, 10}, [AMD_LATENCY_SLOW_MUL] = {4, 8},
	[AMD_LATENCY_F64] = {16, 22},  [AMD_LATENCY_LGKM] = {1, 20},
	[AMD_LATENCY_VMEM] = {1, 320},
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
