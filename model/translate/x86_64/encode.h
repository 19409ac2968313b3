/* SPDX-License-Identifier: MIT */
/* Encoder of x86-64 instructions (Intel SDM, volume 2): VEX and EVEX forms of vector operations
 * from rows, and the scalar instructions that generated code needs. Registers are numbered as in
 * the encoding, 0 to 15, and to 31 in EVEX forms. Memory operands are a register and a displacement
 * of 32 bits. */
#ifndef MODEL_X86_64_ENCODE_H
#define MODEL_X86_64_ENCODE_H

#include "model/translate/emit.h"

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15 };

/* One row: map 1 is 0F, 2 is 0F38, 3 is 0F3A; prefix 1 is 66, 2 is F3, 3 is F2; wide: W in the EVEX
 * form. */
struct x86_op {
	uint8_t map, prefix, opcode, wide;
};

struct x86_operand {
	int reg; /* register, or base of a memory operand; RIP: relative to the next instruction */
	bool memory;
	int32_t offset;
};
#define X86_RIP       (-1)
#define X86_REG(r)    ((struct x86_operand){.reg = (r)})
#define X86_MEM(b, o) ((struct x86_operand){.reg = (b), .memory = true, .offset = (int32_t)(o)})

void x86_byte(struct emit *e, uint8_t byte);
void x86_word(struct emit *e, uint32_t word);
/* bits: 128 and 256 select VEX, 512 EVEX. mask: k register of the EVEX form, 0: none. */
void x86_vector(struct emit *e, const struct x86_op *op, uint32_t bits, int reg, int second,
		struct x86_operand rm, int mask);
/* A scalar instruction with a ModRM byte. wide: 64 bits. escape: 0F precedes the opcode. */
void x86_scalar(struct emit *e, bool wide, bool escape, uint8_t opcode, int reg,
		struct x86_operand rm);
void x86_constant(struct emit *e, int reg, uint64_t value);

#endif
