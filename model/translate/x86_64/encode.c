// SPDX-License-Identifier: MIT
#include <string.h>

#include "model/translate/x86_64/encode.h"

#if defined(__x86_64__)

void x86_byte(struct emit *e, uint8_t byte)
{
	if (e->at == e->end) {
		e->failed = true;
		return;
	}
	*e->at++ = byte;
}

void x86_word(struct emit *e, uint32_t word)
{
	for (uint32_t i = 0; i < 32; i += 8)
		x86_byte(e, (uint8_t)(word >> i));
}

/* ModRM, SIB and displacement. */
static void modrm(struct emit *e, int reg, struct x86_operand rm)
{
	uint8_t field = (uint8_t)((reg & 7) << 3);

	if (!rm.memory) {
		x86_byte(e, (uint8_t)(0xc0 | field | (rm.reg & 7)));
		return;
	}
	if (rm.reg == X86_RIP) {
		x86_byte(e, 0x05 | field);
	} else {
		x86_byte(e, (uint8_t)(0x80 | field | (rm.reg & 7)));
		if ((rm.reg & 7) == RSP)
			x86_byte(e, 0x24);
	}
	x86_word(e, (uint32_t)rm.offset);
}

static uint8_t high_bit(int reg)
{
	return reg != X86_RIP && reg & 8 ? 1 : 0;
}

static void vex(struct emit *e, const struct x86_op *op, uint32_t bits, int reg, int second,
		struct x86_operand rm)
{
	x86_byte(e, 0xc4);
	x86_byte(e, (uint8_t)(!high_bit(reg) << 7 | 1 << 6 | !high_bit(rm.reg) << 5 | op->map));
	x86_byte(e, (uint8_t)((~second & 15) << 3 | (bits == 256) << 2 | op->prefix));
}

static void evex(struct emit *e, const struct x86_op *op, int reg, int second,
		 struct x86_operand rm, int mask)
{
	bool x = !rm.memory && rm.reg & 16; /* bit 4 of a register */

	x86_byte(e, 0x62);
	x86_byte(e, (uint8_t)(!high_bit(reg) << 7 | !x << 6 | !high_bit(rm.reg) << 5 |
			      !(reg & 16) << 4 | op->map));
	x86_byte(e, (uint8_t)(op->wide << 7 | (~second & 15) << 3 | 1 << 2 | op->prefix));
	x86_byte(e, (uint8_t)(2 << 5 | !(second & 16) << 3 | mask));
}

void x86_vector(struct emit *e, const struct x86_op *op, uint32_t bits, int reg, int second,
		struct x86_operand rm, int mask)
{
	if (bits == 512)
		evex(e, op, reg, second, rm, mask);
	else
		vex(e, op, bits, reg, second, rm);
	x86_byte(e, op->opcode);
	modrm(e, reg, rm);
}

void x86_scalar(struct emit *e, bool wide, bool escape, uint8_t opcode, int reg,
		struct x86_operand rm)
{
	x86_byte(e, (uint8_t)(0x40 | wide << 3 | high_bit(reg) << 2 | high_bit(rm.reg)));
	if (escape)
		x86_byte(e, 0x0f);
	x86_byte(e, opcode);
	modrm(e, reg, rm);
}

void x86_constant(struct emit *e, int reg, uint64_t value)
{
	bool wide = value > UINT32_MAX;

	x86_byte(e, (uint8_t)(0x40 | wide << 3 | high_bit(reg)));
	x86_byte(e, (uint8_t)(0xb8 | (reg & 7)));
	x86_word(e, (uint32_t)value);
	if (wide)
		x86_word(e, (uint32_t)(value >> 32));
}

#endif
