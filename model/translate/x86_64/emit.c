// SPDX-License-Identifier: MIT
/* The host x86-64. A row of 32 lanes is four ymm registers with AVX2 and two zmm registers with
 * AVX-512, whose k1 holds the chunk's lanes of a mask; AVX2 widens masks to vectors. The last two
 * vector registers and r10, r11 are scratch here. */
#include <string.h>

#include "model/translate/x86_64/encode.h"

#if defined(__x86_64__)

#define VA 14
#define VB 15
#define K1 1

static const uint8_t scalars[S_COUNT] = {R12, RBX, R13, R14, R15, RBP, RAX, RCX, RDX, RSI, RDI};

enum emit_isa emit_isa_of_host(enum emit_isa limit)
{
	bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
	bool avx512 = avx2 && __builtin_cpu_supports("avx512f");

	if (limit == EMIT_AVX512 && avx512)
		return EMIT_AVX512;
	return limit >= EMIT_AVX2 && avx2 ? EMIT_AVX2 : EMIT_NONE;
}

/* Rows of instructions: map, prefix, opcode, W of EVEX. */
static const struct x86_op vector_ops[V_OP_COUNT] = {
	[V_ADD] = {1, 1, 0xfe, 0},         [V_SUB] = {1, 1, 0xfa, 0},
	[V_MUL] = {2, 1, 0x40, 0},         [V_AND] = {1, 1, 0xdb, 0},
	[V_OR] = {1, 1, 0xeb, 0},          [V_XOR] = {1, 1, 0xef, 0},
	[V_AND_NOT] = {1, 1, 0xdf, 0},     [V_SHIFT_LEFT] = {2, 1, 0x47, 0},
	[V_SHIFT_RIGHT] = {2, 1, 0x45, 0}, [V_SHIFT_SIGNED] = {2, 1, 0x46, 0},
	[V_MIN_SIGNED] = {2, 1, 0x39, 0},  [V_MAX_SIGNED] = {2, 1, 0x3d, 0},
	[V_MIN] = {2, 1, 0x3b, 0},         [V_MAX] = {2, 1, 0x3f, 0},
	[V_FADD] = {1, 0, 0x58, 0},        [V_FMUL] = {1, 0, 0x59, 0},
	[V_FMA] = {2, 1, 0xb8, 0},         [V_ADD64] = {1, 1, 0xd4, 1},
	[V_MUL_EVEN] = {1, 1, 0xf4, 1},    [V_MUL_EVEN_SIGNED] = {2, 1, 0x28, 1},
};
static const struct {
	struct x86_op op;
	uint8_t extension; /* in the register field of ModRM */
} vector_shifts[V_SHIFT_COUNT] = {
	[V_LEFT] = {{1, 1, 0x72, 0}, 6},         [V_RIGHT] = {{1, 1, 0x72, 0}, 2},
	[V_RIGHT_SIGNED] = {{1, 1, 0x72, 0}, 4}, [V_LEFT64] = {{1, 1, 0x73, 1}, 6},
	[V_RIGHT64] = {{1, 1, 0x73, 1}, 2},
};
static const struct x86_op vmovups_load = {1, 0, 0x10, 0}, vmovups_store = {1, 0, 0x11, 0},
			   vbroadcastss = {2, 1, 0x18, 0}, vmovd = {1, 1, 0x6e, 0},
			   vpbroadcastd = {2, 1, 0x58, 0}, vpcmpeqd = {1, 1, 0x76, 0},
			   vpcmpgtd = {1, 1, 0x66, 0}, vcmpps = {1, 0, 0xc2, 0},
			   vmovmskps = {1, 0, 0x50, 0}, vblendvps = {3, 1, 0x4a, 0},
			   vpblendd = {3, 1, 0x02, 0}, vptest = {2, 1, 0x17, 0},
			   vcvtdq2ps = {1, 0, 0x5b, 0};
/* AVX-512 only */
static const struct x86_op vpcmpd = {3, 1, 0x1f, 0}, vpcmpud = {3, 1, 0x1e, 0},
			   vpblendmd = {2, 1, 0x64, 0}, vpternlogd = {3, 1, 0x25, 0},
			   vptestnmd = {2, 2, 0x27, 0}, vcvtudq2ps = {1, 3, 0x7a, 0},
			   vptestmd = {2, 1, 0x27, 0}, kortestw = {1, 0, 0x98, 0},
			   kmovw_to = {1, 0, 0x92, 0}, kmovw_from = {1, 0, 0x93, 0};

static bool is_512(const struct emit *e)
{
	return e->isa == EMIT_AVX512;
}

static uint32_t bits(const struct emit *e)
{
	return is_512(e) ? 512 : 256;
}

static struct x86_operand memory(enum scalar base, uint32_t offset)
{
	return X86_MEM(scalars[base], offset);
}

/* A vector operation of registers. */
static void rrr(struct emit *e, const struct x86_op *op, int d, int a, int b)
{
	x86_vector(e, op, bits(e), d, a, X86_REG(b), 0);
}

/* The buffer begins with the bits of 32 lanes and the offsets of 16 words. */
#define WORD_OFFSETS_AT 128

static void load_table(struct emit *e, int v, ptrdiff_t at)
{
	/* the length of the instruction in its VEX and EVEX forms */
	ptrdiff_t from = e->at - e->buffer->write + (is_512(e) ? 10 : 9);

	x86_vector(e, &vmovups_load, bits(e), v, 0, X86_MEM(X86_RIP, at - from), 0);
}

void emit_word_offsets(struct emit *e, int v, uint32_t first)
{
	load_table(e, v, WORD_OFFSETS_AT + 4 * (ptrdiff_t)first);
}

static void constant_operand(struct emit *e, const struct x86_op *op, int v, uint32_t value,
			     int mask)
{
	uint32_t i = 0;

	while (i < e->constant_count && e->constants[i] != value)
		i++;
	if (i == EMIT_CONSTANTS || e->use_count == EMIT_USES) {
		e->failed = true;
		return;
	}
	if (i == e->constant_count)
		e->constants[e->constant_count++] = value;
	x86_vector(e, op, bits(e), v, 0, X86_MEM(X86_RIP, 0), mask);
	e->uses[e->use_count].at = e->at - 4;
	e->uses[e->use_count++].constant = i;
}

/* Begin, end. */

void emit_start(struct emit *e, struct code_buffer *b, enum emit_isa isa)
{
	e->isa = isa;
	e->buffer = b;
	e->at = b->write + b->used;
	e->end = b->write + b->bytes;
	e->failed = false;
	e->lanes = isa == EMIT_AVX512 ? 16 : 8;
	e->chunks = 32 / e->lanes;
	e->kept = isa == EMIT_AVX512 ? 16 : 0;
	e->constant_count = e->use_count = 0;
}

const void *emit_finish(struct emit *e)
{
	const uint8_t *start = e->buffer->execute + e->buffer->used;
	uint8_t *pool;

	while ((uintptr_t)e->at & 3 && !e->failed)
		x86_byte(e, 0xcc);
	pool = e->at;
	for (uint32_t i = 0; i < e->constant_count; i++)
		x86_word(e, e->constants[i]);
	while ((uintptr_t)e->at & 31 && !e->failed)
		x86_byte(e, 0xcc);
	if (e->failed)
		return NULL;
	for (uint32_t i = 0; i < e->use_count; i++) {
		int32_t offset = (int32_t)(pool + 4 * e->uses[i].constant - e->uses[i].at - 4);

		memcpy(e->uses[i].at, &offset, 4);
	}
	e->buffer->used = (size_t)(e->at - e->buffer->write);
	return start;
}

const uint8_t *emit_position(const struct emit *e)
{
	return e->buffer->execute + (e->at - e->buffer->write);
}

static const uint8_t saved[] = {RBX, RBP, R12, R13, R14, R15};
#define SAVED sizeof(saved)

static void push(struct emit *e, int reg)
{
	if (reg & 8)
		x86_byte(e, 0x41);
	x86_byte(e, (uint8_t)(0x50 | (reg & 7)));
}

static void pop(struct emit *e, int reg)
{
	if (reg & 8)
		x86_byte(e, 0x41);
	x86_byte(e, (uint8_t)(0x58 | (reg & 7)));
}

static void vzeroupper(struct emit *e)
{
	x86_byte(e, 0xc5);
	x86_byte(e, 0xf8);
	x86_byte(e, 0x77);
}

/* The arguments are in RDI, ESI, RDX (System V ABI). */
bool emit_frame(struct emit *e, const struct emit_layout *layout, struct emit_frame *f)
{
	const uint8_t *start;

	for (uint32_t i = 0; i < 32; i++)
		x86_word(e, 1u << i);
	for (uint32_t i = 0; i < 16; i++)
		x86_word(e, 4 * i);
	start = emit_position(e);
	for (uint32_t i = 0; i < SAVED; i++)
		push(e, saved[i]);
	x86_scalar(e, true, false, 0x83, 5, X86_REG(RSP)); /* sub rsp, 8: aligns calls */
	x86_byte(e, 8);
	x86_scalar(e, true, false, 0x8b, R12, X86_REG(RDI));
	x86_scalar(e, false, false, 0x8b, R14, X86_REG(RSI));
	emit_scalar_load64(e, S_ROWS, S_WARP, (uint32_t)layout->rows);
	emit_scalar_load64(e, S_GRID, S_WARP, (uint32_t)layout->grid);
	emit_scalar_load(e, S_MASK, S_WARP, (uint32_t)layout->mask);
	emit_jump_register(e, S_2);
	f->leave = emit_position(e);
	vzeroupper(e);
	x86_scalar(e, true, false, 0xc1, 4, X86_REG(RAX)); /* shl rax, 32 */
	x86_byte(e, 32);
	x86_scalar(e, false, false, 0x8b, R14, X86_REG(R14)); /* clears the upper half */
	x86_scalar(e, true, false, 0x0b, RAX, X86_REG(R14));
	x86_scalar(e, true, false, 0x83, 0, X86_REG(RSP));
	x86_byte(e, 8);
	for (uint32_t i = SAVED; i-- > 0;)
		pop(e, saved[i]);
	x86_byte(e, 0xc3);
	memcpy(&f->enter, &start, sizeof(start));
	return emit_finish(e) != NULL;
}

/* Vectors. */

void emit_load(struct emit *e, int v, enum scalar base, uint32_t offset)
{
	x86_vector(e, &vmovups_load, bits(e), v, 0, memory(base, offset), 0);
}

void emit_store(struct emit *e, enum scalar base, uint32_t offset, int v)
{
	x86_vector(e, &vmovups_store, bits(e), v, 0, memory(base, offset), 0);
}

/* AVX2: VB becomes a vector of the mask's lanes; AVX-512: k1. */
static void widen_mask(struct emit *e, enum scalar mask, uint32_t chunk)
{
	if (!is_512(e)) {
		x86_vector(e, &vmovd, 128, VB, 0, X86_REG(scalars[mask]), 0);
		x86_vector(e, &vpbroadcastd, 256, VB, 0, X86_REG(VB), 0);
		load_table(e, VA, 32 * (ptrdiff_t)chunk);
		rrr(e, &vector_ops[V_AND], VB, VB, VA);
		rrr(e, &vpcmpeqd, VB, VB, VA);
		return;
	}
	x86_scalar(e, false, false, 0x8b, R11, X86_REG(scalars[mask]));
	if (chunk) {
		x86_scalar(e, false, false, 0xc1, 5, X86_REG(R11));
		x86_byte(e, (uint8_t)(chunk * e->lanes));
	}
	x86_vector(e, &kmovw_to, 128, K1, 0, X86_REG(R11), 0);
}

void emit_store_lanes(struct emit *e, enum scalar base, uint32_t offset, int v, enum scalar mask,
		      uint32_t chunk)
{
	widen_mask(e, mask, chunk);
	if (is_512(e)) {
		x86_vector(e, &vmovups_store, 512, v, 0, memory(base, offset), K1);
		return;
	}
	emit_load(e, VA, base, offset);
	rrr(e, &vblendvps, VA, VA, v);
	x86_byte(e, VB << 4);
	emit_store(e, base, offset, VA);
}

void emit_keep(struct emit *e, uint32_t number, int v)
{
	x86_vector(e, &vmovups_load, 512, 16 + (int)number, 0, X86_REG(v), 0);
}

void emit_keep_lanes(struct emit *e, uint32_t number, int v, enum scalar mask, uint32_t chunk)
{
	widen_mask(e, mask, chunk);
	x86_vector(e, &vmovups_load, 512, 16 + (int)number, 0, X86_REG(v), K1);
}

void emit_kept(struct emit *e, int v, uint32_t number)
{
	x86_vector(e, &vmovups_load, 512, v, 0, X86_REG(16 + (int)number), 0);
}

void emit_load_kept(struct emit *e, uint32_t number, enum scalar base, uint32_t offset)
{
	x86_vector(e, &vmovups_load, 512, 16 + (int)number, 0, memory(base, offset), 0);
}

void emit_broadcast(struct emit *e, int v, enum scalar base, uint32_t offset)
{
	x86_vector(e, &vbroadcastss, bits(e), v, 0, memory(base, offset), 0);
}

void emit_broadcast_constant(struct emit *e, int v, uint32_t value)
{
	constant_operand(e, &vbroadcastss, v, value, 0);
}

void emit_vector(struct emit *e, enum vector_op op, int d, int a, int b)
{
	rrr(e, &vector_ops[op], d, a, b);
}

void emit_vector_constant(struct emit *e, enum vector_op op, int d, int a, uint32_t value)
{
	emit_broadcast_constant(e, VB, value);
	rrr(e, &vector_ops[op], d, a, VB);
}

void emit_shift(struct emit *e, enum vector_shift op, int d, int a, uint32_t by)
{
	x86_vector(e, &vector_shifts[op].op, bits(e), vector_shifts[op].extension, d, X86_REG(a),
		   0);
	x86_byte(e, (uint8_t)by);
}

void emit_interleave(struct emit *e, int d, int a, int b)
{
	if (!is_512(e)) {
		rrr(e, &vpblendd, d, a, b);
		x86_byte(e, 0xaa);
		return;
	}
	x86_constant(e, R11, 0xaaaa);
	x86_vector(e, &kmovw_to, 128, K1, 0, X86_REG(R11), 0);
	x86_vector(e, &vpblendmd, 512, d, a, X86_REG(b), K1);
}

/* out |= the bits in r11 of the chunk */
static void add_bits(struct emit *e, enum scalar out, uint32_t chunk)
{
	if (chunk) {
		x86_scalar(e, false, false, 0xc1, 4, X86_REG(R11));
		x86_byte(e, (uint8_t)(chunk * e->lanes));
	}
	x86_scalar(e, false, false, 0x0b, scalars[out], X86_REG(R11));
}

static void compare_avx2(struct emit *e, uint32_t relation, bool is_signed, int a, int b)
{
	bool greater = relation == RELATION_GREATER || relation == (RELATION_LESS | RELATION_EQUAL);
	bool inverted = relation == (RELATION_LESS | RELATION_EQUAL) ||
			relation == (RELATION_GREATER | RELATION_EQUAL) ||
			relation == (RELATION_LESS | RELATION_GREATER);

	if (relation == RELATION_EQUAL || relation == (RELATION_LESS | RELATION_GREATER)) {
		rrr(e, &vpcmpeqd, VB, a, b);
	} else {
		if (!is_signed) {
			emit_broadcast_constant(e, VB, 0x80000000);
			rrr(e, &vector_ops[V_XOR], VA, a, VB);
			rrr(e, &vector_ops[V_XOR], VB, b, VB);
			a = VA;
			b = VB;
		}
		rrr(e, &vpcmpgtd, VB, greater ? a : b, greater ? b : a);
	}
	x86_vector(e, &vmovmskps, 256, R11, 0, X86_REG(VB), 0);
	if (inverted) {
		x86_scalar(e, false, false, 0x81, 6, X86_REG(R11));
		x86_word(e, 0xff);
	}
}

void emit_compare(struct emit *e, enum scalar out, uint32_t relation, bool is_signed, int a, int b,
		  uint32_t chunk)
{
	/* predicates of VPCMPD by relation */
	static const uint8_t codes[8] = {3, 1, 0, 2, 6, 4, 5, 7};

	if (is_512(e)) {
		x86_vector(e, is_signed ? &vpcmpd : &vpcmpud, 512, K1, a, X86_REG(b), 0);
		x86_byte(e, codes[relation & 7]);
		x86_vector(e, &kmovw_from, 128, R11, 0, X86_REG(K1), 0);
	} else if (relation == 0) {
		x86_constant(e, R11, 0);
	} else if (relation == 7) {
		x86_constant(e, R11, 0xff);
	} else {
		compare_avx2(e, relation, is_signed, a, b);
	}
	add_bits(e, out, chunk);
}

void emit_compare_float(struct emit *e, enum scalar out, uint32_t relation, int a, int b,
			uint32_t chunk)
{
	/* predicates of VCMPPS by relation, none of which signals */
	static const uint8_t codes[16] = {0x0b, 0x11, 0x00, 0x12, 0x1e, 0x0c, 0x1d, 0x07,
					  0x03, 0x19, 0x08, 0x1a, 0x16, 0x04, 0x15, 0x0f};

	x86_vector(e, &vcmpps, bits(e), is_512(e) ? K1 : VB, a, X86_REG(b), 0);
	x86_byte(e, codes[relation & 15]);
	if (is_512(e))
		x86_vector(e, &kmovw_from, 128, R11, 0, X86_REG(K1), 0);
	else
		x86_vector(e, &vmovmskps, 256, R11, 0, X86_REG(VB), 0);
	add_bits(e, out, chunk);
}

void emit_select(struct emit *e, int d, int a, int b, enum scalar mask, uint32_t chunk)
{
	widen_mask(e, mask, chunk);
	if (is_512(e)) {
		x86_vector(e, &vpblendmd, 512, d, b, X86_REG(a), K1);
		return;
	}
	rrr(e, &vblendvps, d, b, a);
	x86_byte(e, VB << 4);
}

/* Function of two bits; bit a:b of the table. Destroys VA. */
static void logic_of_two(struct emit *e, uint32_t table, int d, int a, int b)
{
	const struct x86_op *xor = &vector_ops[V_XOR], *and = &vector_ops[V_AND],
			    *and_not = &vector_ops[V_AND_NOT], *or = &vector_ops[V_OR];
	bool inverted = table & 1; /* the other table has bit 0 clear */

	switch (inverted ? ~table & 15 : table) {
	case 0:
		rrr(e, xor, d, d, d);
		break;
	case 2:
		rrr(e, and_not, d, a, b);
		break;
	case 4:
		rrr(e, and_not, d, b, a);
		break;
	case 6:
		rrr(e, xor, d, a, b);
		break;
	case 8:
		rrr(e, and, d, a, b);
		break;
	case 10:
		rrr(e, or, d, b, b);
		break;
	case 12:
		rrr(e, or, d, a, a);
		break;
	default:
		rrr(e, or, d, a, b);
	}
	if (inverted) {
		rrr(e, &vpcmpeqd, VA, VA, VA);
		rrr(e, xor, d, d, VA);
	}
}

void emit_logic(struct emit *e, uint32_t table, int d, int a, int b, int c)
{
	uint32_t zero = 0, one = 0;

	if (is_512(e)) {
		rrr(e, &vector_ops[V_OR], d, a, a);
		rrr(e, &vpternlogd, d, b, c);
		x86_byte(e, (uint8_t)table);
		return;
	}
	for (uint32_t i = 0; i < 4; i++) {
		zero |= (table >> 2 * i & 1) << i;
		one |= (table >> (2 * i + 1) & 1) << i;
	}
	logic_of_two(e, zero, d, a, b);
	if (one == zero)
		return;
	logic_of_two(e, one ^ zero, VB, a, b);
	rrr(e, &vector_ops[V_AND], VB, VB, c);
	rrr(e, &vector_ops[V_XOR], d, d, VB);
}

void emit_float_of_integer(struct emit *e, int d, int a, bool is_signed)
{
	x86_vector(e, is_signed ? &vcvtdq2ps : &vcvtudq2ps, bits(e), d, 0, X86_REG(a), 0);
}

void emit_canonical_nan(struct emit *e, int v, uint32_t nan)
{
	x86_vector(e, &vcmpps, bits(e), is_512(e) ? K1 : VB, v, X86_REG(v), 0);
	x86_byte(e, 3); /* unordered */
	if (is_512(e)) {
		constant_operand(e, &vbroadcastss, v, nan, K1);
		return;
	}
	emit_broadcast_constant(e, VA, nan);
	rrr(e, &vblendvps, v, v, VA);
	x86_byte(e, VB << 4);
}

void emit_flush(struct emit *e, int v)
{
	const struct x86_op *and = &vector_ops[V_AND];

	emit_broadcast_constant(e, VB, 0x7f800000);
	if (is_512(e)) {
		x86_vector(e, &vptestnmd, 512, K1, v, X86_REG(VB), 0);
		emit_broadcast_constant(e, VB, 0x80000000);
		x86_vector(e, and, 512, v, v, X86_REG(VB), K1);
		return;
	}
	rrr(e, and, VA, v, VB);
	rrr(e, &vector_ops[V_XOR], VB, VB, VB);
	rrr(e, &vpcmpeqd, VA, VA, VB);
	emit_broadcast_constant(e, VB, 0x7fffffff);
	rrr(e, and, VA, VA, VB);
	rrr(e, &vector_ops[V_AND_NOT], v, VA, v);
}

/* Scalars. */

void emit_scalar_load(struct emit *e, enum scalar d, enum scalar base, uint32_t offset)
{
	x86_scalar(e, false, false, 0x8b, scalars[d], memory(base, offset));
}

void emit_scalar_load64(struct emit *e, enum scalar d, enum scalar base, uint32_t offset)
{
	x86_scalar(e, true, false, 0x8b, scalars[d], memory(base, offset));
}

void emit_scalar_store(struct emit *e, enum scalar base, uint32_t offset, enum scalar s)
{
	x86_scalar(e, false, false, 0x89, scalars[s], memory(base, offset));
}

void emit_scalar_store64(struct emit *e, enum scalar base, uint32_t offset, enum scalar s)
{
	x86_scalar(e, true, false, 0x89, scalars[s], memory(base, offset));
}

void emit_scalar_move(struct emit *e, enum scalar d, enum scalar s)
{
	x86_scalar(e, false, false, 0x8b, scalars[d], X86_REG(scalars[s]));
}

void emit_scalar_constant(struct emit *e, enum scalar d, uint64_t value)
{
	x86_constant(e, scalars[d], value);
}

/* Opcodes of "reg, r/m", and extensions of the form with a constant. */
static const uint8_t scalar_opcodes[] = {
	[S_ADD] = 0x03, [S_OR] = 0x0b,  [S_AND] = 0x23, [S_SUB] = 0x2b,
	[S_XOR] = 0x33, [S_CMP] = 0x3b, [S_MUL] = 0xaf,
};

void emit_scalar(struct emit *e, enum scalar_op op, enum scalar d, enum scalar s)
{
	x86_scalar(e, false, op == S_MUL, scalar_opcodes[op], scalars[d], X86_REG(scalars[s]));
}

void emit_scalar_op_constant(struct emit *e, enum scalar_op op, enum scalar d, uint32_t value)
{
	if (op == S_MUL)
		x86_scalar(e, false, false, 0x69, scalars[d], X86_REG(scalars[d]));
	else
		x86_scalar(e, false, false, 0x81, scalar_opcodes[op] >> 3, X86_REG(scalars[d]));
	x86_word(e, value);
}

void emit_scalar_not(struct emit *e, enum scalar d)
{
	x86_scalar(e, false, false, 0xf7, 2, X86_REG(scalars[d]));
}

static void scalar_shift(struct emit *e, bool wide, enum vector_shift op, enum scalar d,
			 uint32_t by)
{
	static const uint8_t opcodes[] = {[V_LEFT] = 4, [V_RIGHT] = 5, [V_RIGHT_SIGNED] = 7};

	x86_scalar(e, wide, false, 0xc1, opcodes[op], X86_REG(scalars[d]));
	x86_byte(e, (uint8_t)by);
}

void emit_scalar_shift(struct emit *e, enum vector_shift op, enum scalar d, uint32_t by)
{
	scalar_shift(e, false, op, d, by);
}

void emit_scalar64(struct emit *e, enum scalar_op op, enum scalar d, enum scalar s)
{
	x86_scalar(e, true, op == S_MUL, scalar_opcodes[op], scalars[d], X86_REG(scalars[s]));
}

void emit_scalar64_memory(struct emit *e, enum scalar_op op, enum scalar d, enum scalar base,
			  uint32_t offset)
{
	x86_scalar(e, true, op == S_MUL, scalar_opcodes[op], scalars[d], memory(base, offset));
}

void emit_scalar64_constant(struct emit *e, enum scalar_op op, enum scalar d, int32_t value)
{
	x86_scalar(e, true, false, 0x81, scalar_opcodes[op] >> 3, X86_REG(scalars[d]));
	x86_word(e, (uint32_t)value);
}

void emit_scalar_shift64(struct emit *e, enum vector_shift op, enum scalar d, uint32_t by)
{
	scalar_shift(e, true, op, d, by);
}

void emit_test_constant(struct emit *e, enum scalar s, uint32_t bits)
{
	x86_scalar(e, false, false, 0xf7, 0, X86_REG(scalars[s]));
	x86_word(e, bits);
}

void emit_compare_memory(struct emit *e, enum scalar base, uint32_t offset, uint32_t value)
{
	x86_scalar(e, false, false, 0x81, 7, memory(base, offset));
	x86_word(e, value);
}

void emit_compare_memory_byte(struct emit *e, enum scalar base, uint32_t offset, uint8_t value)
{
	x86_scalar(e, false, false, 0x80, 7, memory(base, offset));
	x86_byte(e, value);
}

/* Jumps. */

static void jump_opcode(struct emit *e, enum condition c)
{
	static const uint8_t codes[] = {
		[IF_ZERO] = 0x84,    [IF_NOT_ZERO] = 0x85, [IF_LESS_OR_EQUAL] = 0x8e,
		[IF_GREATER] = 0x8f, [IF_BELOW] = 0x82,    [IF_NOT_BELOW] = 0x83,
		[IF_ABOVE] = 0x87,
	};

	if (c == ALWAYS) {
		x86_byte(e, 0xe9);
		return;
	}
	x86_byte(e, 0x0f);
	x86_byte(e, codes[c]);
}

emit_jump_at emit_jump(struct emit *e, enum condition c)
{
	jump_opcode(e, c);
	x86_word(e, 0);
	return e->at - 4;
}

emit_jump_at emit_jump_any(struct emit *e, int v)
{
	if (is_512(e)) {
		x86_vector(e, &vptestmd, 512, K1, v, X86_REG(v), 0);
		x86_vector(e, &kortestw, 128, K1, 0, X86_REG(K1), 0);
	} else {
		x86_vector(e, &vptest, 256, v, 0, X86_REG(v), 0);
	}
	return emit_jump(e, IF_NOT_ZERO);
}

void emit_here(struct emit *e, emit_jump_at from)
{
	int32_t offset = (int32_t)(e->at - from - 4);

	if (!e->failed)
		memcpy(from, &offset, 4);
}

void emit_jump_to(struct emit *e, enum condition c, const uint8_t *execute)
{
	jump_opcode(e, c);
	x86_word(e, (uint32_t)(execute - emit_position(e) - 4));
}

void emit_jump_register(struct emit *e, enum scalar s)
{
	x86_scalar(e, false, false, 0xff, 4, X86_REG(scalars[s]));
}

void emit_call(struct emit *e, const void *fn, const void *pointer, enum scalar lanes, bool legacy)
{
	x86_scalar(e, false, false, 0x8b, RDX, X86_REG(scalars[lanes]));
	x86_constant(e, RSI, (uintptr_t)pointer);
	x86_scalar(e, true, false, 0x8b, RDI, X86_REG(R12));
	if (legacy)
		vzeroupper(e);
	x86_constant(e, RAX, (uintptr_t)fn);
	x86_scalar(e, false, false, 0xff, 2, X86_REG(RAX));
}

#endif
