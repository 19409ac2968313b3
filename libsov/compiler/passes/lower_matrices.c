// SPDX-License-Identifier: MIT
/*
 * Matrix products and loads for targets that lack them. For a product, each lane collects the rows
 * of A and the columns of B of its elements of D by shuffles, and adds the products in the order of
 * k, to f32, f64 or s32. PTX leaves the order and the rounding of products of 16 bits and tf32
 * open; these are fused multiply-adds.
 */
#include "libsov/compiler/passes/expand.h"
#include "libsov/compiler/passes/lower.h"
#include "libsov/isa/mma.h"

#define GROUP_LANES 4  /* lanes that share a row */
#define MAX_K       32 /* factors of an element of D; of bytes and bits, registers */
#define TF32_BITS   0xffffe000u

struct product {
	struct expand e;
	const struct mma_kind *kind;
	struct mma_registers n;
	uint32_t warp_lanes;
	ir_val members;
	ir_val group;    /* the first lane of the group of four */
	ir_val metadata; /* of sparse products */
	uint32_t selector;
	ir_val odd[2][MAX_K], high[2][MAX_K];     /* bits of the numbers of a row's units */
	ir_val rows[2][MAX_K], columns[2][MAX_K]; /* factors, in the order of k */
};

static ir_val shuffle(struct product *p, ir_val value, ir_val lane)
{
	struct expand *e = &p->e;
	ir_val low, high;

	if (e->f->values[value].type == IR_B32)
		return expand_shuffle(e, value, lane, p->members, p->warp_lanes);
	low = expand_convert(e, IR_TRUNC, IR_B32, value);
	high = expand_convert(e, IR_TRUNC, IR_B32, expand_shift(e, IR_SHR_U, value, 32));
	low = expand_shuffle(e, low, lane, p->members, p->warp_lanes);
	high = expand_shuffle(e, high, lane, p->members, p->warp_lanes);
	low = expand_convert(e, IR_ZEXT, IR_B64, low);
	high = expand_shift(e, IR_SHL, expand_convert(e, IR_ZEXT, IR_B64, high), 32);
	return expand_op(e, IR_OR, IR_B64, low, high, 0);
}

static uint32_t factors_per_word(const struct mma_kind *kind)
{
	return kind->factors == MMA_F16 || kind->factors == MMA_BF16 ? 2 : 1;
}

/* Element number k of a register, as f32; bytes, bits, f64 and tf32 are a register. */
static ir_val factor_of(struct product *p, ir_val word, uint32_t k)
{
	struct expand *e = &p->e;

	switch (p->kind->factors) {
	case MMA_F16:
		if (k)
			word = expand_shift(e, IR_SHR_U, word, 16);
		return expand_convert(e, IR_FTOF, IR_B32,
				      expand_convert(e, IR_TRUNC, IR_B16, word));
	case MMA_BF16:
		return k ? expand_op_imm(e, IR_AND, word, 0xffff0000u)
			 : expand_shift(e, IR_SHL, word, 16);
	case MMA_TF32:
		return expand_op_imm(e, IR_AND, word, TF32_BITS);
	default:
		return word;
	}
}

/* Collects the factors of a row or column, which four lanes hold. */
static void collect(struct product *p, const ir_val *words, uint32_t count, uint32_t step,
		    ir_val first_lane, ir_val *factors)
{
	uint32_t per = factors_per_word(p->kind), n = 0;

	for (uint32_t w = 0; w < count; w += step)
		for (uint32_t t = 0; t < GROUP_LANES; t++) {
			ir_val lane = expand_op_imm(&p->e, IR_OR, first_lane, t);
			ir_val word = shuffle(p, words[w], lane);

			for (uint32_t k = 0; k < per; k++)
				factors[n++] = factor_of(p, word, k);
		}
}

static ir_val dot(struct product *p, ir_val a, ir_val b, ir_val sum)
{
	static const uint8_t subs[] = {[0] = IR_DOT4_UU,
				       [MMA_SIGNED_A] = IR_DOT4_SU,
				       [MMA_SIGNED_B] = IR_DOT4_US,
				       [MMA_SIGNS] = IR_DOT4_SS};
	ir_val d = expand_op(&p->e, IR_DOT, IR_B32, a, b, sum);

	ir_at(p->e.f, p->e.f->values[d].def)->sub = subs[p->kind->flags & MMA_SIGNS];
	return d;
}

/* The number of bits that both have, or that differ. */
static ir_val count_bits(struct product *p, ir_val a, ir_val b, ir_val sum)
{
	struct expand *e = &p->e;
	ir_val bits = expand_op(e, p->kind->flags & MMA_XOR ? IR_XOR : IR_AND, IR_B32, a, b, 0);

	return expand_op(e, IR_ADD, IR_B32, sum, expand_op(e, IR_POPC, IR_B32, bits, 0, 0), 0);
}

static ir_val multiply_add(struct product *p, ir_val a, ir_val b, ir_val sum)
{
	switch (p->kind->factors) {
	case MMA_I8:
		return dot(p, a, b, sum);
	case MMA_B1:
		return count_bits(p, a, b, sum);
	default:
		return expand_op(&p->e, IR_FMA, p->e.f->values[sum].type, a, b, sum);
	}
}

/* Bit k of the metadata of a chunk of row group + 8 half, shifted to bit 0; others are above. */
static ir_val chunk_bits(struct product *p, uint32_t half, uint32_t chunk)
{
	struct mma_metadata_place at = mma_metadata_place(p->kind, half, chunk, p->selector);
	ir_val word = shuffle(p, p->metadata, expand_op_imm(&p->e, IR_OR, p->group, at.lane));

	return expand_shift(&p->e, IR_SHR_U, word, at.bit);
}

/* Byte k of two that a chunk of A holds, at its place among four. */
static ir_val place_byte(struct product *p, ir_val bytes, ir_val bits, uint32_t k)
{
	struct expand *e = &p->e;
	ir_val byte = expand_shift(e, IR_SHR_U, bytes, 8 * k), number;

	byte = expand_op_imm(e, IR_AND, byte, 0xff);
	number = expand_op_imm(e, IR_AND, expand_shift(e, IR_SHR_U, bits, 2 * k), 3);
	return expand_op(e, IR_SHL, IR_B32, byte, expand_shift(e, IR_SHL, number, 3), 0);
}

/* The row of A with zeros for the bytes that it does not hold. */
static void fill_rows(struct product *p, uint32_t half)
{
	uint32_t count = p->kind->k / 4u;
	ir_val held[MAX_K];

	for (uint32_t k = 0; k < count / 2; k++)
		held[k] = p->rows[half][k];
	for (uint32_t k = 0; k < count; k++) {
		ir_val bits = chunk_bits(p, half, k);
		ir_val bytes = expand_shift(&p->e, IR_SHR_U, held[k / 2], k % 2 * 16);

		p->rows[half][k] = expand_op(&p->e, IR_OR, IR_B32, place_byte(p, bytes, bits, 0),
					     place_byte(p, bytes, bits, 1), 0);
	}
}

/* The conditions that select_factor needs for the floats of a row. */
static void read_numbers(struct product *p, uint32_t half)
{
	uint32_t units = p->kind->factors == MMA_TF32 ? 1 : 2; /* of a chunk that are read */
	struct expand *e = &p->e;

	for (uint32_t k = 0; k < p->kind->k / 2u; k++) {
		ir_val bits = chunk_bits(p, half, k / units);

		bits = expand_shift(e, IR_SHR_U, bits, k % units * 2);
		p->odd[half][k] =
			expand_compare_imm(e, IR_NE, expand_op_imm(e, IR_AND, bits, 1), 0);
		p->high[half][k] =
			expand_compare_imm(e, IR_NE, expand_op_imm(e, IR_AND, bits, 2), 0);
	}
}

/* The factor of B for element k of a row that A holds: one of two tf32, one of four others. A zero
 * in A instead would make NaNs of the infinities of B. */
static ir_val select_factor(struct product *p, uint32_t half, uint32_t column, uint32_t k)
{
	const ir_val *b = &p->columns[column][k / 2 * 4];
	ir_val odd = p->odd[half][k], high = p->high[half][k];

	if (p->kind->factors == MMA_TF32) {
		b = &p->columns[column][k * 2];
		return expand_select(&p->e, high, b[1], b[0]);
	}
	return expand_select(&p->e, high, expand_select(&p->e, odd, b[3], b[2]),
			     expand_select(&p->e, odd, b[1], b[0]));
}

static ir_val element(struct product *p, uint32_t half, uint32_t column, ir_val sum)
{
	const ir_val *a = p->rows[half], *b = p->columns[column];
	uint32_t count = p->kind->k;
	bool saturates = p->kind->flags & MMA_SATURATE;
	bool selects = p->kind->sums != MMA_S32 && p->kind->flags & MMA_SPARSE;
	ir_val addend = sum;

	if (p->kind->sums == MMA_S32)
		count /= mma_elements_per_register(p->kind->factors);
	else if (selects)
		count /= 2;
	if (saturates)
		sum = expand_const(&p->e, IR_B32, 0);
	for (uint32_t k = 0; k < count; k++)
		sum = multiply_add(p, a[k], selects ? select_factor(p, half, column, k) : b[k],
				   sum);
	return saturates ? expand_add_saturating(&p->e, sum, addend) : sum;
}

/* Two neighbouring f16 elements in a register. */
static ir_val half_elements(struct product *p, uint32_t half, ir_val c)
{
	struct expand *e = &p->e;
	ir_val parts[2];

	for (uint32_t k = 0; k < 2; k++) {
		ir_val word = k ? expand_shift(e, IR_SHR_U, c, 16) : c, sum;

		sum = expand_convert(e, IR_FTOF, IR_B32, expand_convert(e, IR_TRUNC, IR_B16, word));
		sum = expand_convert(e, IR_FTOF, IR_B16, element(p, half, k, sum));
		parts[k] = expand_convert(e, IR_ZEXT, IR_B32, sum);
	}
	return expand_op(e, IR_OR, IR_B32, parts[0], expand_shift(e, IR_SHL, parts[1], 16), 0);
}

void lower_mma(struct ir_func *f, ir_id at, uint32_t warp_lanes)
{
	const struct ir_inst in = *ir_at(f, at);
	const struct mma_kind *kind = &mma_kinds[in.sub];
	struct product p = {.e = {.f = f, .at = at, .line = in.line},
			    .kind = kind,
			    .n = mma_registers(kind),
			    .warp_lanes = warp_lanes,
			    .members = in.args[in.nargs - 1],
			    .metadata = in.args[in.nargs - 2],
			    .selector = (uint32_t)in.imm};
	const ir_val *a = in.args, *b = a + p.n.a, *c = b + p.n.b;
	uint32_t halves = kind->m / 8u;
	struct expand *e = &p.e;
	ir_val lane = expand_leaf(e, IR_SREG, IR_LANEID);
	ir_val group = expand_op_imm(e, IR_AND, lane, ~(GROUP_LANES - 1u));
	ir_val column = expand_shift(e, IR_SHL, expand_op_imm(e, IR_AND, lane, GROUP_LANES - 1), 3);

	p.group = group;
	for (uint32_t h = 0; h < halves; h++) {
		collect(&p, a + h, p.n.a - h, halves, group, p.rows[h]);
		if (kind->flags & MMA_SPARSE && kind->sums == MMA_S32)
			fill_rows(&p, h);
		else if (kind->flags & MMA_SPARSE)
			read_numbers(&p, h);
	}
	for (uint32_t k = 0; k < 2; k++)
		collect(&p, b, p.n.b, 1, expand_op_imm(e, IR_OR, column, k * GROUP_LANES),
			p.columns[k]);
	for (uint32_t k = 0; k < p.n.c; k++)
		ir_replace_uses(f, in.res + k,
				kind->sums == MMA_F16 ? half_elements(&p, k, c[k])
						      : element(&p, k / 2, k % 2, c[k]));
	ir_remove(f, at);
}

/* Loads some bytes of shared memory, as b32. */
static ir_val load_part(struct expand *e, ir_val address, enum ir_type from)
{
	ir_id i = ir_inst_new(e->f, IR_LOAD, IR_B32, &address, 1, 1);
	struct ir_inst *in = ir_at(e->f, i);

	in->space = IR_SHARED;
	in->from = (uint8_t)from;
	in->align = ir_type_bits(from) / 8;
	in->line = e->line;
	ir_insert_before(e->f, e->at, i);
	return ir_at(e->f, i)->res;
}

/* The word of a lane is in one row, or its halves are in two. */
void lower_loadmatrix(struct ir_func *f, ir_id at, uint32_t warp_lanes)
{
	const struct ir_inst in = *ir_at(f, at);
	struct expand e = {.f = f, .at = at, .line = in.line};
	ir_val lane = expand_leaf(&e, IR_SREG, IR_LANEID);
	ir_val group = expand_shift(&e, IR_SHR_U, lane, 2);
	ir_val in_group = expand_op_imm(&e, IR_AND, lane, GROUP_LANES - 1);
	bool columns = in.sub == IR_MATRIX_COLUMNS;
	ir_val row = columns ? expand_shift(&e, IR_SHL, in_group, 1) : group;
	ir_val offset = expand_shift(&e, IR_SHL, columns ? group : in_group, columns ? 1 : 2);

	for (uint32_t m = 0; m < in.nres; m++) {
		ir_val parts[2];

		for (uint32_t k = 0; k < (columns ? 2u : 1u); k++) {
			ir_val from = expand_op_imm(&e, IR_ADD, row, 8 * m + k), address;

			address = expand_shuffle(&e, in.args[0], from, in.args[1], warp_lanes);
			address = expand_op(&e, IR_ADD, IR_B32, address, offset, 0);
			parts[k] = load_part(&e, address, columns ? IR_B16 : IR_B32);
		}
		if (columns)
			parts[0] = expand_op(&e, IR_OR, IR_B32, parts[0],
					     expand_shift(&e, IR_SHL, parts[1], 16), 0);
		ir_replace_uses(f, in.res + m, parts[0]);
	}
	ir_remove(f, at);
}
