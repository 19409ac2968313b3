// SPDX-License-Identifier: MIT
/* Selection of matrix products and loads. */
#include "libsov/compiler/nv/select.h"
#include "libsov/isa/mma.h"

#define MAX_WORDS  4 /* registers of an operand of an instruction */
#define OFFSET_MAX 0x7fffff
#define OFFSET_MIN (-0x800000)

/* Consecutive registers for some of the instruction's arguments. */
static struct mir_source fragment(struct select *s, const ir_val *args, uint32_t count)
{
	struct arg words[MAX_WORDS];

	for (uint32_t k = 0; k < count; k++)
		words[k] = arg_word(s, args[k]);
	return count == 1 ? in_reg(s, words[0]) : in_vector(s, words, count);
}

static bool are_zero(const struct select *s, const ir_val *v, uint32_t count)
{
	uint64_t constant;

	for (uint32_t k = 0; k < count; k++)
		if (!ir_is_const(s->ir, v[k], &constant) || constant)
			return false;
	return true;
}

/* The sums that a product adds to. Zeros take no registers: RZ stands for as many as are read. */
static struct mir_source addend(struct select *s, const ir_val *c, uint32_t count)
{
	return are_zero(s, c, count) ? rz() : fragment(s, c, count);
}

/* By the registers of A: 1, 2 or 4. */
static enum sass_op product_op(const struct mma_kind *kind)
{
	static const uint16_t floats[] = {SASS_HMMA_SHORT, SASS_HMMA_SHORT, SASS_HMMA_LONG};
	static const uint16_t integers[] = {SASS_IMMA_M8, SASS_IMMA_SHORT, SASS_IMMA_LONG};
	static const uint16_t floats8[] = {SASS_QMMA_SHORT, SASS_QMMA_SHORT, SASS_QMMA_LONG};
	static const uint16_t bits[] = {SASS_BMMA_M8, SASS_BMMA_SHORT, SASS_BMMA_LONG};
	const uint16_t *ops = kind->factors == MMA_B1   ? bits
			      : kind->factors == MMA_F8 ? floats8
			      : kind->sums == MMA_S32   ? integers
							: floats;

	return ops[mma_registers(kind).a / 2];
}

static enum sass_op sparse_op(const struct mma_kind *kind)
{
	bool is_long = mma_registers(kind).a == 4;

	if (kind->factors == MMA_F8)
		return SASS_QMMA_SP;
	if (kind->sums == MMA_S32)
		return is_long ? SASS_IMMA_SP_LONG : SASS_IMMA_SP_SHORT;
	return is_long ? SASS_HMMA_SP_LONG : SASS_HMMA_SP_SHORT;
}

static void set_float_mods(struct mir_inst *i, const struct mma_kind *kind)
{
	static const uint8_t formats[] = {[MMA_F16] = SASS_HALF_F16,
					  [MMA_BF16] = SASS_HALF_BF16,
					  [MMA_TF32] = SASS_HALF_TF32};

	set_mod(i, SASS_M_HFORMAT, formats[kind->factors]);
	set_mod(i, SASS_M_SUMS, kind->sums == MMA_F32 ? SASS_SUMS_F32 : SASS_SUMS_F16);
}

static void set_float8_mods(struct mir_inst *i, const struct mma_kind *kind)
{
	bool a = kind->flags & MMA_E5M2_A, b = kind->flags & MMA_E5M2_B;

	set_mod(i, SASS_M_DOT, (uint8_t)(SASS_DOT_E4M3_E4M3 + a + 2 * b));
	set_mod(i, SASS_M_SUMS, kind->sums == MMA_F32 ? SASS_SUMS_F32 : SASS_SUMS_F16);
}

static void set_integer_mods(struct mir_inst *i, const struct mma_kind *kind)
{
	static const uint8_t bytes[] = {[0] = SASS_DOT_U8_U8,
					[MMA_SIGNED_A] = SASS_DOT_S8_U8,
					[MMA_SIGNED_B] = SASS_DOT_U8_S8,
					[MMA_SIGNS] = SASS_DOT_S8_S8};
	static const uint8_t nibbles[] = {[0] = SASS_DOT_U4_U4,
					  [MMA_SIGNED_A] = SASS_DOT_S4_U4,
					  [MMA_SIGNED_B] = SASS_DOT_U4_S4,
					  [MMA_SIGNS] = SASS_DOT_S4_S4};

	set_mod(i, SASS_M_DOT,
		(kind->factors == MMA_I4 ? nibbles : bytes)[kind->flags & MMA_SIGNS]);
	set_mod(i, SASS_M_SAT, kind->flags & MMA_SATURATE ? 1 : 0);
}

/* sm_75 has only products of eight in k, for bytes of eight rows: a larger product is two. The
 * order of the sums differs, which PTX leaves open. */
static void select_in_parts(struct select *s, const struct ir_inst *in, const struct mma_kind *kind)
{
	bool integers = kind->factors == MMA_I8;
	struct mma_registers n = mma_registers(kind);
	const ir_val *a = in->args, *b = a + n.a, *c = b + n.b;
	struct mir_source sum = addend(s, c, integers ? 2 : n.c);
	struct ir_inst part = *in;

	part.nres = integers ? 2 : n.c;
	for (uint32_t half = 0; half < 2; half++) {
		struct mir_source d = new_temp(s, SASS_GPR, part.nres);
		struct mir_source ops[] = {d, fragment(s, a + half * n.a / 2, n.a / 2u),
					   fragment(s, b + (integers ? 0 : half), 1), sum};
		struct mir_inst *i = emit(s, integers ? SASS_IMMA_M8 : SASS_HMMA_SHORT, ops, 4);

		if (integers)
			set_integer_mods(i, kind);
		else
			set_float_mods(i, kind);
		set_members(s, i, in->args[in->nargs - 1]);
		sum = integers && !half ? addend(s, c + 2, 2) : d;
		part.res = in->res + (integers ? 2 * half : 0);
		if (integers || half)
			define_results(s, &part, d);
	}
}

static bool needs_parts(const struct select *s, const struct mma_kind *kind)
{
	return s->f->sm < 80 && kind->m == 16 && kind->k == 16;
}

static void select_words(struct select *s, const struct ir_inst *in, const struct mma_kind *kind)
{
	struct mma_registers n = mma_registers(kind);
	const ir_val *a = in->args, *b = a + n.a, *c = b + n.b;
	struct mir_source d = new_temp(s, SASS_GPR, n.c);
	struct mir_source ops[6] = {d, fragment(s, a, n.a), fragment(s, b, n.b), addend(s, c, n.c)};
	struct mir_inst *i;

	if (kind->flags & MMA_SPARSE) {
		ops[4] = in_reg(s, arg_word(s, c[n.c]));
		ops[5] = mir_imm((uint32_t)in->imm);
		i = emit(s, sparse_op(kind), ops, 6);
	} else {
		i = emit(s, product_op(kind), ops, 4);
	}
	if (kind->factors == MMA_B1)
		set_mod(i, SASS_M_BOOL, kind->flags & MMA_XOR ? SASS_XOR : SASS_AND);
	else if (kind->factors == MMA_F8)
		set_float8_mods(i, kind);
	else if (kind->sums == MMA_S32)
		set_integer_mods(i, kind);
	else
		set_float_mods(i, kind);
	set_members(s, i, in->args[in->nargs - 1]);
	define_results(s, in, d);
}

#define MAX_DOUBLES 8 /* of an operand */

/* Consecutive register pairs. */
static struct mir_source doubles(struct select *s, const ir_val *v, uint32_t count)
{
	struct arg words[2 * MAX_DOUBLES];

	for (uint32_t k = 0; k < 2 * count; k++)
		words[k] = arg_half(s, v[k / 2], k % 2);
	return in_vector(s, words, 2 * count);
}

/* SM90 multiplies 16 rows in the time that eight rows take. */
static void select_tall_doubles(struct select *s, const struct ir_inst *in,
				const struct mma_kind *kind)
{
	struct mma_registers n = mma_registers(kind);
	const ir_val *a = in->args, *b = a + n.a, *c = b + n.b;
	struct mir_source d = new_temp(s, SASS_GPR, 2u * n.c);
	struct mir_source ops[] = {d, doubles(s, a, n.a),
				   n.b == 1 ? in_pair(s, arg_pair(s, b[0])) : doubles(s, b, n.b),
				   are_zero(s, c, n.c) ? rz() : doubles(s, c, n.c)};
	enum sass_op op = kind->k == 4   ? SASS_DMMA_16X8X4
			  : kind->k == 8 ? SASS_DMMA_16X8X8
					 : SASS_DMMA_16X8X16;

	set_members(s, emit(s, op, ops, 4), in->args[in->nargs - 1]);
	define_results(s, in, d);
}

/* The instruction of other targets multiplies eight rows and four of k: a product of more rows is
 * two products, one of more k is a chain, in the order of k, as the larger instructions of SM90 add
 * them. */
static void select_doubles(struct select *s, const struct ir_inst *in, const struct mma_kind *kind)
{
	struct mma_registers n = mma_registers(kind);
	const ir_val *a = in->args, *b = a + n.a, *c = b + n.b;
	uint32_t halves = kind->m / 8u;
	struct ir_inst part = *in;

	part.nres = 2;
	for (uint32_t half = 0; half < halves; half++) {
		struct mir_source sum =
			are_zero(s, &c[2 * half], 2) ? rz() : doubles(s, &c[2 * half], 2);

		for (uint32_t k = 0; k < kind->k / 4u; k++) {
			struct mir_source d = new_temp(s, SASS_GPR, 4);
			struct mir_inst *i =
				EMIT(s, DMMA_884, d, in_pair(s, arg_pair(s, a[half + halves * k])),
				     in_pair(s, arg_pair(s, b[k])), sum);

			set_members(s, i, in->args[in->nargs - 1]);
			sum = d;
		}
		part.res = in->res + 2 * half;
		define_results(s, &part, sum);
	}
}

bool select_loadmatrix(struct select *s, const struct ir_inst *in)
{
	static const uint8_t widths[] = {
		[1] = SASS_WIDTH_32, [2] = SASS_WIDTH_64, [4] = SASS_WIDTH_128};
	struct mir_source at = select_shared_address(s, in->args[0], OFFSET_MIN, OFFSET_MAX);
	struct mir_source d = in->nres == 1 ? result(s, in->res) : new_temp(s, SASS_GPR, in->nres);
	struct mir_inst *i = EMIT(s, LDSM, d, at);

	set_mod(i, SASS_M_WIDTH, widths[in->nres]);
	set_mod(i, SASS_M_TRANSPOSE, in->sub == IR_MATRIX_COLUMNS);
	i->memory = (struct mir_memory){MIR_READS, IR_SHARED, 16};
	set_members(s, i, in->args[1]);
	if (in->nres > 1)
		define_results(s, in, d);
	return true;
}

bool select_mma(struct select *s, const struct ir_inst *in)
{
	const struct mma_kind *kind = &mma_kinds[in->sub];

	/* sm_70 has only products of another layout, HMMA.884. */
	if (s->f->sm < 75 || (kind->factors == MMA_F8 && s->f->sm < 89))
		return false;
	if (kind->factors == MMA_F64 && kind->m == 16 && s->f->sm >= 90)
		select_tall_doubles(s, in, kind);
	else if (kind->factors == MMA_F64)
		select_doubles(s, in, kind);
	else if (needs_parts(s, kind))
		select_in_parts(s, in, kind);
	else
		select_words(s, in, kind);
	return true;
}
