// SPDX-License-Identifier: MIT
/*
 * Cooperative matrices of a subgroup (SPV_KHR_cooperative_matrix), as the matrix products of the IR
 * spread them over lanes (libsov/isa/mma.h). A matrix is an array of the elements that a lane has,
 * so that operations by element, copies, variables and phis are those of arrays. A has 16 rows, and
 * B and C have 8 or 16 columns in tiles of 8. Where an element is depends on the matrix's use and,
 * for A and B, on whether elements are bytes.
 */
#include <string.h>
#include "libsov/compiler/spirv/front_end.h"
#include "libsov/isa/mma.h"

#define ROWS         16
#define TILE_COLUMNS 8
#define MAX_ELEMENTS 16 /* of a lane */
#define WORD_BITS    32

enum { USE_A, USE_B, USE_ACCUMULATOR };
enum { ROW_MAJOR, COLUMN_MAJOR };
enum {
	OPERAND_SIGNED_A = 1,
	OPERAND_SIGNED_B = 2,
	OPERAND_SIGNED_C = 4,
	OPERAND_SIGNED_RESULT = 8,
	OPERAND_SATURATING = 16
};

static ir_val word(struct spirv *s, uint64_t n)
{
	return spirv_const(s, IR_B32, n);
}

static uint32_t use_of(const struct spirv_type *t)
{
	return t->use - 1;
}

/* ---- types ---- */

static uint32_t dimension(struct spirv *s, uint32_t k, const char *what)
{
	uint64_t n = spirv_constant_integer(s, spirv_word(s, k), what);

	if (!n || n > 64)
		spirv_fail(s, "%s of a cooperative matrix is %llu", what, (unsigned long long)n);
	return (uint32_t)n;
}

static bool has_shape(uint32_t use, uint32_t rows, uint32_t columns, uint32_t bits)
{
	uint32_t k = use == USE_A ? columns : rows;
	bool factor = bits == 8 ? k == 16 || k == 32 : k == 8 || k == 16;

	if (use != USE_B && rows != ROWS)
		return false;
	if (use == USE_A)
		return factor;
	return (columns == TILE_COLUMNS || columns == 2 * TILE_COLUMNS) &&
	       (use == USE_ACCUMULATOR || factor);
}

void spirv_read_cooperative_matrix(struct spirv *s, struct spirv_type *t)
{
	const struct spirv_type *e = spirv_type_of(s, spirv_word(s, 2));
	uint64_t scope = spirv_constant_integer(s, spirv_word(s, 3), "the scope"),
		 use = spirv_constant_integer(s, spirv_word(s, 6), "the use");

	t->rows = (uint8_t)dimension(s, 4, "the number of rows");
	t->columns = (uint8_t)dimension(s, 5, "the number of columns");
	if (scope != 3)
		spirv_fail(s, "a cooperative matrix of scope %llu; known: Subgroup",
			   (unsigned long long)scope);
	if (use > USE_ACCUMULATOR)
		spirv_fail(s, "a cooperative matrix has use %llu", (unsigned long long)use);
	if ((e->kind != SPIRV_INT && e->kind != SPIRV_FLOAT) || e->bits > 32)
		spirv_fail(s, "a cooperative matrix of %s", spirv_id_name(s, e->id));
	if (!has_shape((uint32_t)use, t->rows, t->columns, e->bits))
		spirv_fail(s,
			   "a cooperative matrix of %u x %u elements of %u bits for use %llu; "
			   "known: A of 16 rows, B and accumulators of 8 or 16 columns, 8 or 16 "
			   "factors, of bytes 16 or 32",
			   t->rows, t->columns, e->bits, (unsigned long long)use);
	t->use = (uint8_t)use + 1;
	t->element = e;
	t->count = t->leaves = (uint32_t)t->rows * t->columns / MMA_LANES;
	t->stride = e->bytes;
	t->bytes = e->bytes * t->count;
	t->align = e->align;
	t->depth = e->depth + 1;
}

void spirv_lower_matrix_length(struct spirv *s, uint32_t detail)
{
	const struct spirv_type *t = spirv_type_of(s, spirv_word(s, 3));

	(void)detail;
	if (!t->use)
		spirv_fail(s, "%s is no cooperative matrix", spirv_id_name(s, t->id));
	spirv_set_scalar(s, word(s, t->leaves));
}

/* Elements of A and B that follow each other in a register. */
static uint32_t per_word(const struct spirv_type *t)
{
	return t->element->bits == 8 ? 4 : 2;
}

bool spirv_matrices_correspond(const struct spirv_type *a, const struct spirv_type *b)
{
	return a->use == b->use && a->rows == b->rows && a->columns == b->columns &&
	       (use_of(a) == USE_ACCUMULATOR || per_word(a) == per_word(b));
}

/* ---- elements ---- */

/* Where an element of a lane is: constant parts, and factors of the lane's group (of four lanes)
 * and of its number in the group. */
struct place {
	uint32_t row, column;
	uint32_t row_by_group, row_by_lane, column_by_group, column_by_lane;
};

static struct place place_of(const struct spirv_type *t, uint32_t element)
{
	uint32_t per = per_word(t), w = element / per, k = element % per;
	struct place p = {0};

	switch (use_of(t)) {
	case USE_A:
		p.row = w % 2 * 8;
		p.row_by_group = 1;
		p.column = w / 2 * 4 * per + k;
		p.column_by_lane = per;
		break;
	case USE_B:
		w %= t->rows / 4 / per;
		p.column = element / (t->rows / 4) * TILE_COLUMNS;
		p.column_by_group = 1;
		p.row = w * 4 * per + k;
		p.row_by_lane = per;
		break;
	default:
		p.row = element % 4 / 2 * 8;
		p.row_by_group = 1;
		p.column = element / 4 * TILE_COLUMNS + element % 2;
		p.column_by_lane = 2;
		break;
	}
	return p;
}

/* ---- memory ---- */

struct access {
	struct spirv_pointer p;
	const struct spirv_type *matrix;
	bool columns;      /* a column after the other */
	enum ir_type type; /* of addresses */
	ir_val stride;     /* bytes */
	ir_val group, lane;
};

/* As in memory: row is the column if columns follow each other. */
static struct place memory_place(const struct access *a, uint32_t element)
{
	struct place p = place_of(a->matrix, element);

	if (!a->columns)
		return p;
	return (struct place){.row = p.column,
			      .column = p.row,
			      .row_by_group = p.column_by_group,
			      .row_by_lane = p.column_by_lane,
			      .column_by_group = p.row_by_group,
			      .column_by_lane = p.row_by_lane};
}

static ir_val times(struct spirv *s, const struct access *a, ir_val v, uint64_t factor)
{
	return spirv_op(s, IR_MUL, a->type, v, spirv_const(s, a->type, factor), 0);
}

static ir_val sum(struct spirv *s, const struct access *a, ir_val v, ir_val w)
{
	return !v || !w ? v | w : spirv_op(s, IR_ADD, a->type, v, w, 0);
}

/* The pointer to an element; count: how many follow it. */
static struct spirv_pointer element_pointer(struct spirv *s, const struct access *a,
					    uint32_t element, uint32_t count)
{
	struct spirv_pointer p = a->p;
	struct place at = memory_place(a, element);
	uint64_t bytes = a->matrix->element->bytes;
	ir_val row = 0, offset;

	if (at.row_by_group)
		row = times(s, a, a->group, at.row_by_group);
	if (at.row_by_lane)
		row = sum(s, a, row, times(s, a, a->lane, at.row_by_lane));
	offset = row ? spirv_op(s, IR_MUL, a->type, row, a->stride, 0) : 0;
	if (at.column_by_group)
		offset = sum(s, a, offset, times(s, a, a->group, at.column_by_group * bytes));
	if (at.column_by_lane)
		offset = sum(s, a, offset, times(s, a, a->lane, at.column_by_lane * bytes));
	offset = sum(s, a, p.offset, offset);
	if (at.row)
		offset = sum(s, a, offset, times(s, a, a->stride, at.row));
	p.offset = offset;
	p.imm += (int64_t)(at.column * bytes);
	p.pointee = a->matrix->element;
	/* Vulkan aligns matrices and their rows to 16 bytes, or to the row's size. */
	p.align = (uint32_t)(count * bytes);
	return p;
}

/* Elements from one on that are neighbours in memory. */
static uint32_t neighbours(const struct access *a, uint32_t element)
{
	uint32_t most = use_of(a->matrix) == USE_ACCUMULATOR ? 2 : per_word(a->matrix), n = 1;
	struct place first = memory_place(a, element);

	while (n < most) {
		struct place p = memory_place(a, element + n);

		if (p.row != first.row || p.column != first.column + n)
			return 1;
		n++;
	}
	return n;
}

static void transfer(struct spirv *s, const struct access *a, ir_val *leaves, bool store)
{
	struct spirv_type vector = {.kind = SPIRV_VECTOR, .element = a->matrix->element};

	vector.stride = a->matrix->element->bytes;
	for (uint32_t k = 0, n; k < a->matrix->leaves; k += n) {
		struct spirv_pointer p;
		const struct spirv_type *t = &vector;

		n = neighbours(a, k);
		p = element_pointer(s, a, k, n);
		vector.count = vector.leaves = n;
		vector.bytes = vector.stride * n;
		if (n == 1)
			t = vector.element;
		if (store)
			spirv_store(s, &p, t, leaves + k);
		else
			spirv_load(s, &p, t, leaves + k);
	}
}

/* from: the word of the layout, after which the stride and memory operands come. */
static void begin_access(struct spirv *s, uint32_t pointer, uint32_t from,
			 const struct spirv_type *matrix, struct access *a)
{
	const struct spirv_pointer *given = spirv_pointer_of(s, spirv_word(s, pointer));
	uint64_t layout = spirv_constant_integer(s, spirv_word(s, from), "the layout");
	const struct spirv_type *e;
	ir_val lane = spirv_sreg(s, IR_LANEID);

	if (!matrix->use)
		spirv_fail(s, "%s is no cooperative matrix", spirv_id_name(s, matrix->id));
	if (layout > COLUMN_MAJOR)
		spirv_fail(s, "a matrix in memory has layout %llu; known: RowMajor, ColumnMajor",
			   (unsigned long long)layout);
	if (s->in.count <= from + 1)
		spirv_fail(s, "the instruction has no stride");
	*a = (struct access){.p = spirv_resolve(s, given), .matrix = matrix, .columns = layout};
	e = a->p.pointee;
	if (e && (e->kind == SPIRV_ARRAY || e->kind == SPIRV_RUNTIME_ARRAY))
		e = e->element;
	if (!e || spirv_scalar(e)->kind > SPIRV_FLOAT || spirv_is_bool(e))
		spirv_fail(s, "%s does not point to numbers",
			   spirv_id_name(s, spirv_word(s, pointer)));
	spirv_memory_operands(s, &a->p, from + 2);
	a->p.matrix_stride = 0;
	a->p.column = a->p.row_major = false;
	a->type = a->p.space == IR_GLOBAL || a->p.space == IR_GENERIC_SPACE ? IR_B64 : IR_B32;
	a->stride = times(s, a, spirv_integer_operand(s, from + 1, a->type), e->bytes);
	a->group =
		spirv_resize(s, spirv_op(s, IR_SHR_U, IR_B32, lane, word(s, 2), 0), a->type, false);
	a->lane = spirv_resize(s, spirv_op(s, IR_AND, IR_B32, lane, word(s, 3), 0), a->type, false);
}

void spirv_lower_matrix_load(struct spirv *s, uint32_t detail)
{
	const struct spirv_type *t = spirv_result_type(s);
	ir_val leaves[MAX_ELEMENTS];
	struct access a;

	(void)detail;
	begin_access(s, 3, 4, t, &a);
	transfer(s, &a, leaves, false);
	memcpy(spirv_result(s, t), leaves, t->leaves * sizeof(*leaves));
}

void spirv_lower_matrix_store(struct spirv *s, uint32_t detail)
{
	const struct spirv_type *t = spirv_value_type(s, spirv_word(s, 2));
	struct access a;

	(void)detail;
	begin_access(s, 1, 3, t, &a);
	if (a.p.space == IR_PARAM || a.p.space == IR_CONSTANT)
		spirv_fail(s, "the memory cannot be written");
	transfer(s, &a, (ir_val *)spirv_leaves(s, spirv_word(s, 2)), true);
}

/* ---- products ---- */

/* Packs elements into registers. Returns their number. */
static uint32_t pack(struct spirv *s, const ir_val *leaves, uint32_t count, ir_val *registers)
{
	uint32_t bits = ir_type_bits(spirv_type_of_val(s, leaves[0])), per = WORD_BITS / bits;

	for (uint32_t k = 0; k < count; k++) {
		ir_val v = spirv_resize(s, leaves[k], IR_B32, false), *r = &registers[k / per];

		if (!(k % per)) {
			*r = v;
			continue;
		}
		v = spirv_op(s, IR_SHL, IR_B32, v, word(s, k % per * bits), 0);
		*r = spirv_op(s, IR_OR, IR_B32, *r, v, 0);
	}
	return count / per;
}

static void unpack(struct spirv *s, const ir_val *registers, uint32_t count, enum ir_type t,
		   ir_val *leaves)
{
	uint32_t bits = ir_type_bits(t), per = WORD_BITS / bits;

	for (uint32_t k = 0; k < count; k++) {
		ir_val v = registers[k / per];

		if (k % per)
			v = spirv_op(s, IR_SHR_U, IR_B32, v, word(s, k % per * bits), 0);
		leaves[k] = spirv_resize(s, v, t, false);
	}
}

static const struct mma_kind *find_kind(struct spirv *s, const struct spirv_type *a,
					const struct spirv_type *c, uint32_t operands)
{
	const struct spirv_type *e = a->element, *sums = c->element;
	struct mma_kind like = {.m = ROWS, .k = a->columns};
	uint32_t found = MMA_KINDS;

	if (e->kind == SPIRV_INT && sums->kind == SPIRV_INT && e->bits == 8 && sums->bits == 32) {
		like.factors = MMA_I8;
		like.sums = MMA_S32;
		like.flags = (operands & OPERAND_SIGNED_A ? MMA_SIGNED_A : 0) |
			     (operands & OPERAND_SIGNED_B ? MMA_SIGNED_B : 0) |
			     (operands & OPERAND_SATURATING ? MMA_SATURATE : 0);
		found = mma_find(&like);
	} else if (e->kind == SPIRV_FLOAT && sums->kind == SPIRV_FLOAT && e->bits == 16) {
		like.factors = MMA_F16;
		like.sums = sums->bits == 16 ? MMA_F16 : MMA_F32;
		found = mma_find(&like);
	}
	if (found == MMA_KINDS || (like.sums == MMA_S32 && operands & OPERAND_SATURATING &&
				   !(operands & OPERAND_SIGNED_RESULT)))
		spirv_fail(s,
			   "no product of elements of %u bits with sums of %u bits and operands "
			   "0x%x; known: f16 with f16 or f32, bytes with 32-bit integers",
			   e->bits, sums->bits, operands);
	return &mma_kinds[found];
}

static void check_factors(struct spirv *s, const struct spirv_type *a, const struct spirv_type *b,
			  const struct spirv_type *c, const struct spirv_type *d)
{
	if (!a->use || !b->use || !c->use || !d->use || use_of(a) != USE_A || use_of(b) != USE_B ||
	    use_of(c) != USE_ACCUMULATOR || use_of(d) != USE_ACCUMULATOR)
		spirv_fail(s, "an operand or the result has another use");
	if (a->columns != b->rows || b->columns != c->columns || c->columns != d->columns)
		spirv_fail(s, "a product of %u x %u by %u x %u to %u x %u", a->rows, a->columns,
			   b->rows, b->columns, d->rows, d->columns);
	if (a->element->ir != b->element->ir || a->element->kind != b->element->kind ||
	    c->element->ir != d->element->ir || c->element->kind != d->element->kind)
		spirv_fail(s, "the factors, or the sums, have different types");
}

void spirv_lower_matrix_multiply(struct spirv *s, uint32_t detail)
{
	const struct spirv_type *t = spirv_result_type(s), *a, *b, *c;
	uint32_t tiles, from_a, from_b, from_c;
	ir_val wa[MAX_ELEMENTS], wb[MAX_ELEMENTS], wc[MAX_ELEMENTS], wd[MAX_ELEMENTS];
	const struct mma_kind *kind;
	struct mma_registers n;

	(void)detail;
	a = spirv_value_type(s, spirv_word(s, 3));
	b = spirv_value_type(s, spirv_word(s, 4));
	c = spirv_value_type(s, spirv_word(s, 5));
	check_factors(s, a, b, c, t);
	kind = find_kind(s, a, c, spirv_optional(s, 6, 0));
	n = mma_registers(kind);
	tiles = b->columns / TILE_COLUMNS;
	from_a = pack(s, spirv_leaves(s, spirv_word(s, 3)), a->leaves, wa);
	from_b = pack(s, spirv_leaves(s, spirv_word(s, 4)), b->leaves, wb);
	from_c = pack(s, spirv_leaves(s, spirv_word(s, 5)), c->leaves, wc);
	if (from_a != n.a || from_b != n.b * tiles || from_c != n.c * tiles)
		spirv_fail(s, "the matrices have %u, %u and %u registers", from_a, from_b, from_c);
	for (uint32_t k = 0; k < tiles; k++) {
		ir_val args[3 * MMA_MAX_WORDS + 1];
		ir_id i;

		memcpy(args, wa, n.a * sizeof(*args));
		memcpy(args + n.a, wb + k * n.b, n.b * sizeof(*args));
		memcpy(args + n.a + n.b, wc + k * n.c, n.c * sizeof(*args));
		args[n.a + n.b + n.c] = word(s, UINT32_MAX);
		i = spirv_emit(s, IR_MMA, IR_B32, n.c, n.a + n.b + n.c + 1u, args);
		ir_at(s->f, i)->sub = (uint8_t)(kind - mma_kinds);
		for (uint32_t r = 0; r < n.c; r++)
			wd[k * n.c + r] = ir_at(s->f, i)->res + r;
	}
	unpack(s, wd, t->leaves, t->element->ir, spirv_result(s, t));
}
