// SPDX-License-Identifier: MIT
/*
 * Lowering of wmma: loads and stores of matrices, and their products. PTX leaves open which
 * register of which lane holds which element, so fragments are those of the smaller products of mma
 * (libsov/isa/mma.h), one after the other. A product of 8 rows and 32 columns is computed as its
 * transpose, with A and B exchanged. The fragments of f16 have more registers than elements; those
 * that are left repeat the first ones.
 */
#include <stdio.h>
#include <string.h>
#include "libsov/compiler/ptx/front_end.h"
#include "libsov/isa/mma.h"

#define MAX_REGISTERS 8 /* of a fragment */
#define TILE_COLUMNS  8

static const struct shape {
	const char *text;
	uint8_t m, n, k;
} shapes[] = {{".m16n16k16", 16, 16, 16}, {".m32n8k16", 32, 8, 16}, {".m8n32k16", 8, 32, 16},
	      {".m16n16k8", 16, 16, 8},   {".m8n8k4", 8, 8, 4},     {".m8n8k32", 8, 8, 32},
	      {".m8n8k128", 8, 8, 128}};

static struct shape shape_of(const struct ptx_inst *in)
{
	uint32_t k = 0;

	while (!ptx_is_spelled(in, shapes[k].text))
		k++;
	return shapes[k];
}

static bool is_transposed(struct shape s)
{
	return s.m == 8 && s.n == 32;
}

/* ---- fragments ---- */

/* A matrix of a product: its registers in the tiles of mma. Rows and columns are those of the
 * tiles, which for a transposed product are exchanged. */
struct matrix {
	enum { MATRIX_A, MATRIX_B, MATRIX_C } role;
	uint32_t bits; /* of an element */
	uint32_t tiles;
	uint32_t words;     /* registers of a tile */
	uint32_t registers; /* of the fragment */
	bool small;         /* tiles of eight rows */
	bool down;          /* the tiles of C are in a column, otherwise in a row */
	bool transposed;
};

static struct matrix matrix_of(struct shape s, char role, uint32_t bits)
{
	bool swap = is_transposed(s);
	uint32_t m = swap ? s.n : s.m, n = swap ? s.m : s.n, word = bits == 64 ? 64 : 32;
	struct matrix a = {.bits = bits, .small = m == 8, .down = m == 32, .transposed = swap};
	uint32_t rows = a.small ? 8 : 16;

	a.role = role == 'c' || role == 'd' ? MATRIX_C
		 : (role == 'a') != swap    ? MATRIX_A
					    : MATRIX_B;
	if (a.role == MATRIX_A) {
		a.tiles = m / rows;
		a.words = rows * s.k * bits / word / 32;
	} else if (a.role == MATRIX_B) {
		a.tiles = n / TILE_COLUMNS;
		a.words = TILE_COLUMNS * s.k * bits / word / 32;
	} else {
		a.tiles = m / rows * (n / TILE_COLUMNS);
		a.words = rows * TILE_COLUMNS * bits / word / 32;
	}
	a.registers = a.tiles * a.words;
	return a;
}

/* The number of registers that PTX gives the fragment. */
static uint32_t fragment_registers(const struct matrix *a, const struct ptx_type *t)
{
	bool halves = t->bits == 16 && t->format != IR_BF16;

	return a->role != MATRIX_C && halves ? 8 : a->registers;
}

/* An element: constant parts, and factors of the lane's group and of its number in the group. */
struct element {
	uint32_t row, column;               /* constant */
	uint32_t row_by_group, row_by_lane; /* factors */
	uint32_t column_by_group, column_by_lane;
};

/* Element number k of a register of a fragment. */
static struct element element_of(const struct matrix *a, uint32_t reg, uint32_t k)
{
	uint32_t tile = reg / a->words, w = reg % a->words, halves = a->small ? 1 : 2;
	uint32_t per = (a->bits == 64 ? 64 : 32) / a->bits;
	struct element e = {0};

	if (a->role == MATRIX_A) {
		e.row = tile * 8 * halves + w % halves * 8;
		e.row_by_group = 1;
		e.column = w / halves * 4 * per + k;
		e.column_by_lane = per;
	} else if (a->role == MATRIX_B) {
		e.column = tile * TILE_COLUMNS;
		e.column_by_group = 1;
		e.row = w * 4 * per + k;
		e.row_by_lane = per;
	} else {
		e.row_by_group = 1;
		e.column_by_lane = 2;
		e.row = (per == 2 ? w : w / 2) * 8;
		e.column = per == 2 ? k : w % 2;
		if (a->down)
			e.row += tile * 16;
		else
			e.column += tile * TILE_COLUMNS;
	}
	return e;
}

static struct element transpose(struct element e)
{
	return (struct element){
		.row = e.column,
		.column = e.row,
		.row_by_group = e.column_by_group,
		.row_by_lane = e.column_by_lane,
		.column_by_group = e.row_by_group,
		.column_by_lane = e.row_by_lane,
	};
}

/* ---- memory ---- */

/* A matrix in memory. */
struct access {
	struct ptx *x;
	struct matrix matrix;
	enum ir_space space;
	enum ir_type type; /* of addresses */
	bool columns;      /* a column after the other */
	ir_val base;
	ir_val number, group, lane; /* of the lane: in the warp, of its group, in the group */
	ir_val stride;              /* bytes */
};

static ir_val constant(const struct access *a, uint64_t k)
{
	return ptx_emit_constant(a->x, a->type, k);
}

static ir_val product(const struct access *a, ir_val v, uint32_t factor)
{
	return ptx_op(a->x, IR_MUL, a->type, v, constant(a, factor), 0);
}

static ir_val sum(const struct access *a, ir_val v, ir_val w)
{
	return !v || !w ? v | w : ptx_op(a->x, IR_ADD, a->type, v, w, 0);
}

/* The part of a coordinate that depends on the lane; 0, no value: none does. */
static ir_val lane_part(const struct access *a, uint32_t by_group, uint32_t by_lane)
{
	ir_val group = by_group ? product(a, a->group, by_group) : 0;

	return sum(a, group, by_lane ? product(a, a->lane, by_lane) : 0);
}

/* As in memory: row is the column if columns follow each other. */
static struct element memory_element(const struct access *a, uint32_t reg, uint32_t k)
{
	struct element e = element_of(&a->matrix, reg, k);

	return a->matrix.transposed != a->columns ? transpose(e) : e;
}

/* The lane's part of the sum comes before the element's, so that all elements of all matrices at
 * constant distances share it and differ in the offset of their instructions. */
static ir_val element_address(const struct access *a, ir_val lane, const struct element *e)
{
	ir_val v = sum(a, a->base, lane);

	if (e->row)
		v = sum(a, v, product(a, a->stride, e->row));
	return sum(a, v, constant(a, (uint64_t)e->column * a->matrix.bits / 8));
}

static ir_val address_of(const struct access *a, uint32_t reg, uint32_t k)
{
	struct element e = memory_element(a, reg, k);
	uint32_t bits = a->matrix.bits;
	ir_val rows = lane_part(a, e.row_by_group, e.row_by_lane);
	ir_val columns = lane_part(a, e.column_by_group * bits / 8, e.column_by_lane * bits / 8);
	ir_val v = rows ? ptx_op(a->x, IR_MUL, a->type, rows, a->stride, 0) : 0;

	return element_address(a, sum(a, v, columns), &e);
}

/* Whether the elements of a register are neighbours in memory. */
static bool is_contiguous(const struct access *a, uint32_t reg, uint32_t per)
{
	for (uint32_t k = 1; k < per; k++) {
		struct element first = memory_element(a, reg, 0), e = memory_element(a, reg, k);

		if (e.row != first.row || e.column != first.column + k)
			return false;
	}
	return true;
}

static void set_memory(const struct access *a, ir_id i, uint32_t bits)
{
	struct ir_inst *in = ir_at(a->x->func, i);

	in->space = (uint8_t)a->space;
	in->from = bits == 64 ? IR_B64 : bits == 32 ? IR_B32 : bits == 16 ? IR_B16 : IR_B8;
	in->align = bits / 8;
}

static ir_val load_bits(const struct access *a, ir_val address, uint32_t bits)
{
	ir_id i = ptx_emit(a->x, IR_LOAD, bits == 64 ? IR_B64 : IR_B32, 1, 1, &address);

	set_memory(a, i, bits);
	return ir_at(a->x->func, i)->res;
}

static ir_val load_register(const struct access *a, uint32_t reg)
{
	uint32_t bits = a->matrix.bits, word = bits == 64 ? 64 : 32, per = word / bits;
	ir_val v = 0;

	if (is_contiguous(a, reg, per))
		return load_bits(a, address_of(a, reg, 0), word);
	for (uint32_t k = 0; k < per; k++) {
		ir_val e = load_bits(a, address_of(a, reg, k), bits);

		e = ptx_op(a->x, IR_SHL, IR_B32, e, ptx_emit_constant(a->x, IR_B32, k * bits), 0);
		v = v ? ptx_op(a->x, IR_OR, IR_B32, v, e, 0) : e;
	}
	return v;
}

#define NO_MATRIX UINT32_MAX

/* What ldmatrix does to load a register: IR_MATRIX_ROWS for eight rows of 16 bytes,
 * IR_MATRIX_COLUMNS for 16-bit elements whose columns become rows, or NO_MATRIX: it cannot. */
static uint32_t matrix_order(const struct access *a, uint32_t reg)
{
	uint32_t bits = a->matrix.bits;
	struct element e = memory_element(a, reg, 0);

	if (a->space != IR_SHARED || bits > 16 || a->matrix.role == MATRIX_C)
		return NO_MATRIX;
	if (e.row_by_group == 1 && e.column_by_lane * bits / 8 == sizeof(uint32_t))
		return IR_MATRIX_ROWS;
	return bits == 16 && e.column_by_group == 1 && e.row_by_lane == 2 ? IR_MATRIX_COLUMNS
									  : NO_MATRIX;
}

/* Whether four matrices are at the corners of a parallelogram, so that the distance of each from
 * the first follows from two bits of its number. */
static bool is_parallelogram(const struct element e[4])
{
	return e[1].row + e[2].row == e[0].row + e[3].row &&
	       e[1].column + e[2].column == e[0].column + e[3].column && e[1].row >= e[0].row &&
	       e[1].column >= e[0].column && e[2].row >= e[0].row && e[2].column >= e[0].column;
}

/* The number of matrices from register reg on that one ldmatrix loads. */
static uint32_t matrices_at_once(const struct access *a, uint32_t reg, struct element e[4])
{
	uint32_t left = a->matrix.registers - reg, count = left >= 4 ? 4 : left >= 2 ? 2 : 1;

	for (uint32_t k = 0; k < 4; k++)
		e[k] = memory_element(a, reg + k % count, 0);
	return count < 4 || is_parallelogram(e) ? count : 2;
}

/* A bit of the lane's number, times a factor; 0, no value, if the factor is 0. */
static ir_val bit_part(const struct access *a, uint32_t bit, uint32_t factor)
{
	ir_val v;

	if (!factor)
		return 0;
	v = ptx_op(a->x, IR_SHR_U, a->type, a->number, ptx_emit_constant(a->x, IR_B32, bit), 0);
	v = ptx_op(a->x, IR_AND, a->type, v, constant(a, 1), 0);
	return product(a, v, factor);
}

/* Loads registers from reg on by ldmatrix and returns their number: eight lanes after eight lanes
 * give the addresses of the rows of one matrix after the other. */
static uint32_t load_matrices(const struct access *a, uint32_t reg, ir_val loaded[4])
{
	struct element e[4];
	uint32_t count = matrices_at_once(a, reg, e);
	ir_val row = ptx_op(a->x, IR_AND, a->type, a->number, constant(a, 7), 0), args[2];
	ir_val column = 0;
	ir_id i;

	for (uint32_t k = 1; k < count; k *= 2) {
		uint32_t bit = k == 1 ? 3 : 4;

		row = sum(a, row, bit_part(a, bit, e[k].row - e[0].row));
		column = sum(a, column,
			     bit_part(a, bit, (e[k].column - e[0].column) * a->matrix.bits / 8));
	}
	args[0] = sum(a, ptx_op(a->x, IR_MUL, a->type, row, a->stride, 0), column);
	args[0] = element_address(a, args[0], &e[0]);
	if (a->type == IR_B64)
		args[0] = ptx_convert(a->x, IR_TRUNC, IR_B64, IR_B32, args[0]);
	args[1] = ptx_emit_constant(a->x, IR_B32, UINT32_MAX);
	i = ptx_emit(a->x, IR_LOADMATRIX, IR_B32, count, 2, args);
	ir_at(a->x->func, i)->sub = (uint8_t)matrix_order(a, reg);
	for (uint32_t k = 0; k < count; k++)
		loaded[k] = ir_at(a->x->func, i)->res + k;
	return count;
}

static void store_bits(const struct access *a, ir_val address, ir_val v, uint32_t bits)
{
	ir_val args[] = {address, v};

	set_memory(a, ptx_emit(a->x, IR_STORE, bits == 64 ? IR_B64 : IR_B32, 0, 2, args), bits);
}

static void store_register(const struct access *a, uint32_t reg, ir_val v)
{
	uint32_t bits = a->matrix.bits, word = bits == 64 ? 64 : 32, per = word / bits;

	if (is_contiguous(a, reg, per)) {
		store_bits(a, address_of(a, reg, 0), v, word);
		return;
	}
	for (uint32_t k = 0; k < per; k++)
		store_bits(a, address_of(a, reg, k),
			   ptx_op(a->x, IR_SHR_U, IR_B32, v,
				  ptx_emit_constant(a->x, IR_B32, k * bits), 0),
			   bits);
}

static ir_val widen(const struct access *a, ir_val v)
{
	return a->type == IR_B64 ? ptx_convert(a->x, IR_ZEXT, IR_B32, IR_B64, v) : v;
}

/* The length of a row in memory, or of a column, if the instruction does not give it. */
static uint32_t default_stride(struct shape s, char role, bool columns)
{
	uint32_t rows = role == 'b' ? s.k : s.m, width = role == 'a' ? s.k : s.n;

	return columns ? rows : width;
}

/* The letter after .load or .store. */
static char role_of(const struct ptx_inst *in)
{
	return ptx_is_spelled(in, ".a") ? 'a' : ptx_is_spelled(in, ".b") ? 'b' : 'c';
}

static bool begin_access(struct ptx *x, const struct ptx_inst *in, enum ptx_role stride,
			 struct access *a)
{
	const struct ptx_type *t = ptx_inst_type(in, SLOT_TYPE);
	struct shape s = shape_of(in);
	uint64_t offset;
	ir_val lane;

	*a = (struct access){.x = x,
			     .matrix = matrix_of(s, role_of(in), t->bits),
			     .space = ptx_has_modifier(in, SLOT_SPACE) ? in->value[SLOT_SPACE]
								       : IR_GENERIC_SPACE,
			     .columns = ptx_is_spelled(in, ".col")};
	if (!ptx_read_address(x, in, in->role[ROLE_A], a->space, t->bits < 8 ? 1 : t->bits / 8,
			      &a->base, &offset))
		return false;
	a->type = a->base ? x->func->values[a->base].type : IR_B64;
	a->base = a->base ? ptx_op(x, IR_ADD, a->type, a->base, constant(a, offset), 0)
			  : constant(a, offset);
	a->stride = in->role[stride] ? widen(a, ptx_read_role(x, in, stride))
				     : constant(a, default_stride(s, role_of(in), a->columns));
	a->stride = t->bits < 8 ? ptx_op(x, IR_SHR_U, a->type, a->stride,
					 ptx_emit_constant(x, IR_B32, t->bits == 4 ? 1 : 3), 0)
				: product(a, a->stride, t->bits / 8);
	lane = ptx_lane_number(x);
	a->number = widen(a, lane);
	a->group = widen(a, ptx_op(x, IR_SHR_U, IR_B32, lane, ptx_emit_constant(x, IR_B32, 2), 0));
	a->lane = widen(a, ptx_op(x, IR_AND, IR_B32, lane, ptx_emit_constant(x, IR_B32, 3), 0));
	return true;
}

/* ---- instructions ---- */

void ptx_lower_wmma_load(struct ptx *x, const struct ptx_inst *in)
{
	const struct ptx_operand *d = in->role[ROLE_D];
	ir_val loaded[MAX_REGISTERS];
	struct access a;
	uint32_t count;

	if (!begin_access(x, in, ROLE_B, &a))
		return;
	count = fragment_registers(&a.matrix, ptx_inst_type(in, SLOT_TYPE));
	if (!ptx_check_fragment(x, in, ROLE_D, count))
		return;
	for (uint32_t k = 0, n; k < a.matrix.registers; k += n) {
		n = 1;
		if (matrix_order(&a, k) != NO_MATRIX)
			n = load_matrices(&a, k, &loaded[k]);
		else
			loaded[k] = load_register(&a, k);
	}
	for (uint32_t k = 0; k < count; k++)
		ptx_write_operand(x, ptx_fragment_register(d, k), loaded[k % a.matrix.registers]);
}

void ptx_lower_wmma_store(struct ptx *x, const struct ptx_inst *in)
{
	const struct ptx_operand *b = in->role[ROLE_B];
	struct access a;

	if (!begin_access(x, in, ROLE_C, &a) ||
	    !ptx_check_fragment(x, in, ROLE_B, a.matrix.registers))
		return;
	for (uint32_t k = 0; k < a.matrix.registers; k++)
		store_register(&a, k, ptx_read_operand(x, ptx_fragment_register(b, k)));
}

/* ---- products ---- */

static uint8_t factors_of(const struct ptx_type *t)
{
	switch (t->bits) {
	case 64:
		return MMA_F64;
	case 32:
		return MMA_TF32;
	case 16:
		return t->format == IR_BF16 ? MMA_BF16 : MMA_F16;
	default:
		return t->bits == 8 ? MMA_I8 : t->bits == 4 ? MMA_I4 : MMA_B1;
	}
}

/* Finds the kind of the smaller products. */
static const struct mma_kind *find_kind(struct shape s, const struct ptx_type *a,
					const struct ptx_type *b, uint8_t sums, uint8_t flags)
{
	bool swap = is_transposed(s);
	uint8_t signs = (a->class == CLASS_SIGNED ? (swap ? MMA_SIGNED_B : MMA_SIGNED_A) : 0) |
			(b->class == CLASS_SIGNED ? (swap ? MMA_SIGNED_A : MMA_SIGNED_B) : 0);
	struct mma_kind like = {
		NULL, s.m == 8 && s.n == 8 ? 8 : 16, s.k, factors_of(a), sums, signs | flags};

	return &mma_kinds[mma_find(&like)];
}

/* The types of a product in the order D, A, B, C; those of f16 factors are not spelled. */
static void read_types(const struct ptx_inst *in, const struct ptx_type *types[4])
{
	const struct ptx_type *half = ptx_type_find(".f16", 4), *found[4] = {NULL};
	uint32_t n = 0;

	for (uint32_t k = 0; k < in->nmodifiers && n < 4; k++) {
		const struct ptx_type *t =
			ptx_type_find(in->modifiers[k].text, in->modifiers[k].length);

		if (t)
			found[n++] = t;
	}
	types[0] = found[0];
	types[1] = n == 2 ? half : found[1];
	types[2] = n == 2 ? half : found[2];
	types[3] = n == 2 ? found[1] : found[3];
}

ir_val ptx_half_to_single(struct ptx *x, ir_val word, uint32_t k)
{
	if (k)
		word = ptx_op(x, IR_SHR_U, IR_B32, word, ptx_emit_constant(x, IR_B32, 16), 0);
	return ptx_convert(x, IR_FTOF, IR_B16, IR_B32,
			   ptx_convert(x, IR_TRUNC, IR_B32, IR_B16, word));
}

ir_val ptx_halves_of_singles(struct ptx *x, const ir_val *v)
{
	ir_val parts[2];

	for (uint32_t k = 0; k < 2; k++)
		parts[k] = ptx_convert(x, IR_ZEXT, IR_B16, IR_B32,
				       ptx_convert(x, IR_FTOF, IR_B32, IR_B16, v[k]));
	parts[1] = ptx_op(x, IR_SHL, IR_B32, parts[1], ptx_emit_constant(x, IR_B32, 16), 0);
	return ptx_op(x, IR_OR, IR_B32, parts[0], parts[1], 0);
}

/* A product with the registers of all matrices. */
struct product {
	struct ptx *x;
	const struct mma_kind *kind;
	ir_val a[MAX_REGISTERS], b[MAX_REGISTERS], c[MAX_REGISTERS], d[MAX_REGISTERS];
};

static void multiply_tile(struct product *p, const ir_val *a, const ir_val *b, uint32_t first)
{
	struct mma_registers n = mma_registers(p->kind);
	ir_val args[3 * MAX_REGISTERS];
	ir_id i;

	memcpy(args, a, n.a * sizeof(*a));
	memcpy(args + n.a, b, n.b * sizeof(*b));
	memcpy(args + n.a + n.b, &p->c[first], n.c * sizeof(*args));
	args[n.a + n.b + n.c] = ptx_emit_constant(p->x, IR_B32, UINT32_MAX);
	i = ptx_emit(p->x, IR_MMA, p->kind->factors == MMA_F64 ? IR_B64 : IR_B32, n.c,
		     n.a + n.b + n.c + 1u, args);
	ir_at(p->x->func, i)->sub = (uint8_t)(p->kind - mma_kinds);
	for (uint32_t k = 0; k < n.c; k++)
		p->d[first + k] = ir_at(p->x->func, i)->res + k;
}

static void read_registers(struct ptx *x, const struct ptx_operand *o, uint32_t count, ir_val *v)
{
	for (uint32_t k = 0; k < count; k++)
		v[k] = ptx_read_operand(x, ptx_fragment_register(o, k));
}

/* Sums of f16 and of f32 may be mixed; then the product is one of f32. */
void ptx_lower_wmma_mma(struct ptx *x, const struct ptx_inst *in)
{
	const struct ptx_type *types[4]; /* D, A, B, C */
	struct shape s = shape_of(in);
	bool swap = is_transposed(s), halves, mixed;
	struct matrix a, b, c, d;
	struct product p = {.x = x};
	struct mma_registers n;
	ir_val words[MAX_REGISTERS];

	read_types(in, types);
	a = matrix_of(s, 'a', types[1]->bits);
	b = matrix_of(s, 'b', types[2]->bits);
	c = matrix_of(s, 'c', types[3]->bits);
	d = matrix_of(s, 'd', types[0]->bits);
	if (!ptx_check_fragment(x, in, ROLE_D, d.registers) ||
	    !ptx_check_fragment(x, in, ROLE_A, fragment_registers(&a, types[1])) ||
	    !ptx_check_fragment(x, in, ROLE_B, fragment_registers(&b, types[2])) ||
	    !ptx_check_fragment(x, in, ROLE_C, c.registers))
		return;
	halves = types[0]->bits == 16 && types[3]->bits == 16;
	mixed = types[0]->bits != types[3]->bits;
	p.kind = find_kind(s, types[1], types[2],
			   types[0]->bits == 64  ? MMA_F64
			   : halves              ? MMA_F16
			   : types[1]->bits <= 8 ? MMA_S32
						 : MMA_F32,
			   (ptx_has_modifier(in, SLOT_FINITE) ? MMA_SATURATE : 0) |
				   (ptx_is_spelled(in, ".xor") ? MMA_XOR : 0));
	read_registers(x, in->role[swap ? ROLE_B : ROLE_A], (swap ? &b : &a)->registers, p.a);
	read_registers(x, in->role[swap ? ROLE_A : ROLE_B], (swap ? &a : &b)->registers, p.b);
	read_registers(x, in->role[ROLE_C], c.registers, words);
	for (uint32_t k = 0; k < (mixed ? MAX_REGISTERS : c.registers); k++)
		p.c[k] = mixed && types[3]->bits == 16 ? ptx_half_to_single(x, words[k / 2], k % 2)
						       : words[k];
	n = mma_registers(p.kind);
	for (uint32_t r = 0; r < (swap ? &b : &a)->tiles; r++)
		for (uint32_t q = 0; q < (swap ? &a : &b)->tiles; q++)
			multiply_tile(&p, &p.a[r * n.a], &p.b[q * n.b], (r + q) * n.c);
	for (uint32_t k = 0; k < d.registers; k++)
		ptx_write_operand(x, ptx_fragment_register(in->role[ROLE_D], k),
				  mixed && types[0]->bits == 16
					  ? ptx_halves_of_singles(x, &p.d[2 * k])
					  : p.d[k]);
}
