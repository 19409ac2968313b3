// SPDX-License-Identifier: MIT
/*
 * Matrix products as other products, for targets that lack them. The sum over k may be taken in any
 * order, so a register of nibbles is split where it stands: into those at even and at odd places.
 */
#include "libsov/compiler/passes/expand.h"
#include "libsov/compiler/passes/lower.h"
#include "libsov/isa/mma.h"

#define MAX_WORDS   8 /* registers of a split operand */
#define HIGH_HALVES 0xf0f0f0f0u

struct product {
	struct expand e;
	const struct mma_kind *kind;
	struct mma_registers n;
	const ir_val *a, *b, *c;
	ir_val members, metadata; /* metadata: of sparse products */
	uint32_t selector, warp_lanes;
	ir_val sums[IR_MAX_ELEMENTS];
};

/* Multiplies a and b by a product that the target has, and adds to p->sums. */
static void multiply(struct product *p, struct mma_kind like, const ir_val *a, const ir_val *b)
{
	uint32_t number = mma_find(&like), n = 0;
	struct mma_registers r = mma_registers(&mma_kinds[number]);
	ir_val args[3 * MAX_WORDS];
	struct ir_inst *in;
	ir_id i;

	for (uint32_t k = 0; k < r.a; k++)
		args[n++] = a[k];
	for (uint32_t k = 0; k < r.b; k++)
		args[n++] = b[k];
	for (uint32_t k = 0; k < r.c; k++)
		args[n++] = p->sums[k];
	if (like.flags & MMA_SPARSE)
		args[n++] = p->metadata;
	args[n++] = p->members;
	i = ir_inst_new(p->e.f, IR_MMA, IR_B32, args, n, r.c);
	in = ir_at(p->e.f, i);
	in->sub = (uint8_t)number;
	in->imm = p->selector;
	in->line = p->e.line;
	ir_insert_before(p->e.f, p->e.at, i);
	for (uint32_t k = 0; k < r.c; k++)
		p->sums[k] = ir_at(p->e.f, i)->res + k;
}

static void clear_sums(struct product *p)
{
	for (uint32_t k = 0; k < p->n.c; k++)
		p->sums[k] = expand_const(&p->e, IR_B32, 0);
}

/* The nibbles at even or odd places of a register as bytes: unsigned ones in the low half of the
 * byte, signed ones in the high half, where they are 16 times as great. */
static ir_val nibbles(struct expand *e, ir_val word, bool odd, bool is_signed)
{
	if (is_signed)
		return expand_op_imm(e, IR_AND, odd ? word : expand_shift(e, IR_SHL, word, 4),
				     HIGH_HALVES);
	return expand_op_imm(e, IR_AND, odd ? expand_shift(e, IR_SHR_U, word, 4) : word,
			     HIGH_HALVES >> 4);
}

/* Adds the addends to products that are too great by a factor of 2^shift. */
static void add_shifted(struct product *p, uint32_t shift)
{
	struct expand *e = &p->e;

	for (uint32_t k = 0; k < p->n.c; k++) {
		ir_val v = expand_shift(e, IR_SHR_S, p->sums[k], shift);

		p->sums[k] = p->kind->flags & MMA_SATURATE
				     ? expand_add_saturating(e, v, p->c[k])
				     : expand_op(e, IR_ADD, IR_B32, v, p->c[k], 0);
	}
}

/* Even and odd nibbles are the two halves of k: in one product of 16 rows, or in two. Those of
 * sparse products are at the places of their pairs, so both have the metadata of the pairs. */
static void widen_nibbles(struct product *p)
{
	bool signed_a = p->kind->flags & MMA_SIGNED_A, signed_b = p->kind->flags & MMA_SIGNED_B;
	struct mma_kind like = {p->kind->text, p->kind->m, p->kind->k,
				MMA_I8,        MMA_S32,    p->kind->flags};
	uint32_t shift = 4u * signed_a + 4u * signed_b;
	bool sparse = p->kind->flags & MMA_SPARSE, one = p->n.a == 2 && !sparse;
	ir_val a[MAX_WORDS], b[MAX_WORDS];

	if (shift) {
		like.flags &= MMA_SIGNS | MMA_SPARSE;
		clear_sums(p);
	}
	if (!one)
		like.k /= 2;
	for (uint32_t odd = 0; odd < 2; odd++) {
		for (uint32_t k = 0; k < p->n.a; k++)
			a[odd * p->n.a + k] = nibbles(&p->e, p->a[k], odd, signed_a);
		for (uint32_t k = 0; k < p->n.b; k++)
			b[odd * p->n.b + k] = nibbles(&p->e, p->b[k], odd, signed_b);
	}
	multiply(p, like, a, b);
	if (!one)
		multiply(p, like, a + p->n.a, b + p->n.b);
	if (shift)
		add_shifted(p, shift);
}

/* Bits that differ are those of A and not B, and those of B and not A. */
static void split_differences(struct product *p)
{
	struct mma_kind like = *p->kind;
	ir_val words[MAX_WORDS];

	like.flags &= (uint8_t)~MMA_XOR;
	for (uint32_t k = 0; k < p->n.b; k++)
		words[k] = expand_op_imm(&p->e, IR_XOR, p->b[k], UINT32_MAX);
	multiply(p, like, p->a, words);
	for (uint32_t k = 0; k < p->n.a; k++)
		words[k] = expand_op_imm(&p->e, IR_XOR, p->a[k], UINT32_MAX);
	multiply(p, like, words, p->b);
}

/* Two 8-bit floats, the lower or the upper bytes of a register, as two f16. */
static ir_val halves_of_bytes(struct expand *e, ir_val word, bool upper, bool e5m2)
{
	struct ir_inst *in;
	ir_val v;

	if (upper)
		word = expand_shift(e, IR_SHR_U, word, 16);
	v = expand_convert(e, IR_FTOF, IR_B32, expand_convert(e, IR_TRUNC, IR_B16, word));
	in = ir_at(e->f, e->f->values[v].def);
	in->format = e5m2 ? IR_E5M2X2 : IR_E4M3X2;
	return v;
}

static void add_floats(struct product *p)
{
	for (uint32_t k = 0; k < p->n.c; k++) {
		ir_val v = expand_op(&p->e, IR_FADD, IR_B32, p->sums[k], p->c[k], 0);

		if (p->kind->sums == MMA_F16)
			ir_at(p->e.f, p->e.f->values[v].def)->format = IR_F16X2;
		p->sums[k] = v;
	}
}

/*
 * A sparse product becomes two, of the halves of k, because chunks of f16 are twice as long. A lane
 * needs the bytes of the lower or upper half of a register that another lane of its group holds.
 */
struct regroup {
	ir_val group; /* the first lane of the group */
	ir_val pair;  /* half of the lane's number in the group */
	ir_val shift; /* 16 in odd lanes, otherwise 0 */
};

static ir_val read_lane(struct product *p, const struct regroup *g, ir_val word, ir_val in_group)
{
	ir_val lane = expand_op(&p->e, IR_OR, IR_B32, g->group, in_group, 0);

	return expand_shuffle(&p->e, word, lane, p->members, p->warp_lanes);
}

static ir_val regroup_bytes(struct product *p, const struct regroup *g, ir_val word, uint32_t upper,
			    bool e5m2)
{
	ir_val v = read_lane(p, g, word, expand_op_imm(&p->e, IR_OR, g->pair, 2 * upper));

	v = expand_op(&p->e, IR_SHR_U, IR_B32, v, g->shift, 0);
	return halves_of_bytes(&p->e, v, false, e5m2);
}

/* Lanes 0 and 1 of a group have the metadata of four chunks of both rows. */
static ir_val regroup_metadata(struct product *p, const struct regroup *g, ir_val metadata,
			       uint32_t part)
{
	struct expand *e = &p->e;
	ir_val rows[2];

	for (uint32_t k = 0; k < 2; k++) {
		rows[k] = read_lane(p, g, metadata, expand_const(e, IR_B32, 2 * part + k));
		rows[k] = expand_op(e, IR_SHR_U, IR_B32, rows[k], g->shift, 0);
		rows[k] = expand_op_imm(e, IR_AND, rows[k], 0xffff);
	}
	return expand_op(e, IR_OR, IR_B32, rows[0], expand_shift(e, IR_SHL, rows[1], 16), 0);
}

static void widen_sparse_floats(struct product *p)
{
	struct expand *e = &p->e;
	struct mma_kind like = {NULL, 16, 32, MMA_F16, MMA_F32, MMA_SPARSE};
	ir_val lane = expand_leaf(e, IR_SREG, IR_LANEID), metadata = p->metadata;
	struct regroup g = {.group = expand_op_imm(e, IR_AND, lane, 28)};
	ir_val a[4], b[4];

	g.pair = expand_shift(e, IR_SHR_U, expand_op_imm(e, IR_AND, lane, 2), 1);
	g.shift = expand_shift(e, IR_SHL, expand_op_imm(e, IR_AND, lane, 1), 4);
	clear_sums(p);
	for (uint32_t part = 0; part < 2; part++) {
		for (uint32_t k = 0; k < 4; k++) {
			a[k] = regroup_bytes(p, &g, p->a[2 * part + k % 2], k / 2,
					     p->kind->flags & MMA_E5M2_A);
			b[k] = regroup_bytes(p, &g, p->b[2 * part + k / 2], k % 2,
					     p->kind->flags & MMA_E5M2_B);
		}
		p->metadata = regroup_metadata(p, &g, metadata, part);
		multiply(p, like, a, b);
	}
	add_floats(p);
}

/* The values of these products: isa/mma.c. */
static void widen_floats(struct product *p)
{
	struct mma_kind like = {NULL,    p->kind->m,    (uint16_t)(p->kind->k / 2),
				MMA_F16, p->kind->sums, 0};
	ir_val a[MAX_WORDS], b[MAX_WORDS];

	clear_sums(p);
	for (uint32_t upper = 0; upper < 2; upper++) {
		for (uint32_t k = 0; k < p->n.a; k++)
			a[k] = halves_of_bytes(&p->e, p->a[k], upper, p->kind->flags & MMA_E5M2_A);
		for (uint32_t k = 0; k < p->n.b; k++)
			b[k] = halves_of_bytes(&p->e, p->b[k], upper, p->kind->flags & MMA_E5M2_B);
		multiply(p, like, a, b);
	}
	add_floats(p);
}

void lower_narrow_mma(struct ir_func *f, ir_id at, uint32_t warp_lanes)
{
	const struct ir_inst in = *ir_at(f, at);
	const struct mma_kind *kind = &mma_kinds[in.sub];
	struct product p = {.e = {.f = f, .at = at, .line = in.line},
			    .kind = kind,
			    .n = mma_registers(kind),
			    .a = in.args,
			    .metadata = in.args[in.nargs - 2],
			    .selector = (uint32_t)in.imm,
			    .warp_lanes = warp_lanes,
			    .members = in.args[in.nargs - 1]};

	p.b = p.a + p.n.a;
	p.c = p.b + p.n.b;
	for (uint32_t k = 0; k < p.n.c; k++)
		p.sums[k] = p.c[k];
	if (kind->factors == MMA_I4)
		widen_nibbles(&p);
	else if (kind->factors == MMA_F8 && kind->flags & MMA_SPARSE)
		widen_sparse_floats(&p);
	else if (kind->factors == MMA_F8)
		widen_floats(&p);
	else
		split_differences(&p);
	for (uint32_t k = 0; k < p.n.c; k++)
		ir_replace_uses(f, in.res + k, p.sums[k]);
	ir_remove(f, at);
}
