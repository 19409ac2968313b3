// SPDX-License-Identifier: MIT
/*
 * Initializers: .global .u32 table[2][3] = {{1, 2}, {3, 4, 5}}. A pair of braces encloses a row of
 * the array (or a vector); omitted elements are zero. An element is a constant or the address of a
 * variable or function plus an offset: in its state space or generic(name), whole or some of its
 * bytes selected by a mask, 0xff00(name).
 */
#include <string.h>
#include "libsov/compiler/ptx/front_end.h"

#define MAX_INITIALIZED (UINT64_C(16) << 20) /* bytes of a variable with an initializer */

struct initializer {
	const struct ptx_type *type;
	uint8_t *bytes;
	uint32_t capacity;
	uint64_t count, limit;                 /* elements */
	uint64_t rows[PTX_MAX_DIMENSIONS + 2]; /* elements of a pair of braces, by depth */
	uint32_t depth, max_depth;
	struct ir_address *addresses;
	uint32_t naddresses, addresses_capacity;
};

static bool append_element(struct ptx *x, struct initializer *init, const struct ptx_token *t,
			   uint64_t bits)
{
	uint32_t size = init->type->bits / 8;

	if (init->count == init->limit) {
		ptx_error(x, t, "more than %llu initial values", (unsigned long long)init->limit);
		return false;
	}
	init->bytes = arena_grow(x->arena, init->bytes, &init->capacity,
				 (uint32_t)(init->count + 1) * size, 1);
	for (uint32_t i = 0; i < size; i++)
		init->bytes[init->count * size + i] = i < 8 ? (uint8_t)(bits >> 8 * i) : 0;
	init->count++;
	return true;
}

/* "+4" or "-4" after a name or its parenthesis. */
static bool parse_addend(struct ptx *x, struct ir_address *a)
{
	struct ptx_token t = x->token;
	struct ptx_constant c;

	if (t.kind != '+' && t.kind != '-')
		return true;
	ptx_accept(x, '+');
	if (!ptx_parse_constant(x, &c))
		return false;
	if (c.is_float)
		ptx_error(x, &t, "an offset must be an integer");
	a->addend += c.value;
	return !c.is_float;
}

/* "name" or "name+4". */
static bool parse_symbol(struct ptx *x, struct ir_address *a)
{
	struct ptx_token t = x->token;
	const struct ptx_name *n;

	if (!ptx_expect(x, TOKEN_NAME, "the name of a variable or function", "'('"))
		return false;
	n = ptx_lookup(x, &t);
	if (!n || (n->kind != NAME_VARIABLE && n->kind != NAME_FUNCTION) ||
	    (n->kind == NAME_FUNCTION && !n->func)) {
		ptx_error(x, &t, "'%.*s' is no variable or function that has been declared",
			  TEXT(&t));
		return false;
	}
	a->function = n->kind == NAME_FUNCTION;
	a->target = a->function ? n->func->index : n->symbol;
	return parse_addend(x, a);
}

static bool is_generic(const struct ptx_token *t)
{
	return t->kind == TOKEN_NAME && t->length == 7 && !memcmp(t->text, "generic", 7);
}

/* Decodes a mask of consecutive whole bytes into shift and size; false: it is not one. */
static bool decode_mask(uint64_t mask, struct ir_address *a)
{
	uint32_t shift = mask ? (uint32_t)__builtin_ctzll(mask) : 1;
	uint64_t low = mask >> (shift & 63);

	a->shift = (uint8_t)shift;
	a->bytes = 0;
	while (low & 0xff && (low & 0xff) == 0xff) {
		a->bytes++;
		low >>= 8;
	}
	return mask && !(shift % 8) && a->bytes && !low;
}

static bool parse_address(struct ptx *x, struct initializer *init, const struct ptx_token *t,
			  const uint64_t *mask)
{
	struct ir_address a = {.offset = init->count * (init->type->bits / 8), .bytes = 8};
	bool parentheses;

	if (mask && (!decode_mask(*mask, &a) || a.bytes > init->type->bits / 8)) {
		ptx_error(x, t, "mask 0x%llx is not one of whole bytes that fit %s",
			  (unsigned long long)*mask, init->type->name);
		return false;
	}
	if (!mask && (init->type->bits != 64 || init->type->class == CLASS_FLOAT)) {
		ptx_error(x, t, "an address does not fit %s", init->type->name);
		return false;
	}
	a.generic = is_generic(&x->token);
	if (a.generic)
		ptx_next(x);
	parentheses = a.generic && ptx_accept(x, '(');
	if (!parse_symbol(x, &a))
		return false;
	if (parentheses && (!ptx_expect(x, ')', "')'", "the variable") || !parse_addend(x, &a)))
		return false;
	init->addresses = arena_grow(x->arena, init->addresses, &init->addresses_capacity,
				     init->naddresses + 1, sizeof(*init->addresses));
	init->addresses[init->naddresses++] = a;
	return append_element(x, init, t, 0);
}

/* The bits of a constant. As in ptxas, untyped words hold floats. */
static bool constant_bits(const struct ptx_constant *c, const struct ptx_type *t, uint64_t *bits)
{
	if (c->is_float && t->class == CLASS_BITS && t->bits >= 32)
		t = ptx_type_find(t->bits == 32 ? ".f32" : ".f64", 4);
	return ptx_constant_bits(c, t, bits);
}

static bool parse_element(struct ptx *x, struct initializer *init)
{
	struct ptx_token t = x->token;
	struct ptx_constant c;
	uint64_t bits;

	if (t.kind == TOKEN_NAME && !ptx_constant_starts(&t))
		return parse_address(x, init, &t, NULL);
	if (!ptx_parse_constant(x, &c))
		return false;
	if (!c.is_float && ptx_accept(x, '('))
		return parse_address(x, init, &t, &c.value) &&
		       ptx_expect(x, ')', "')'", "the variable");
	if (!constant_bits(&c, init->type, &bits)) {
		ptx_error(x, &t, "initial value does not fit %s", init->type->name);
		return false;
	}
	return append_element(x, init, &t, bits);
}

/* Handles '}' and fills the rest of the row with zeros. */
static bool close_row(struct ptx *x, struct initializer *init)
{
	uint64_t row = init->rows[init->depth];
	struct ptx_token t = x->token;

	ptx_next(x);
	x->braces--;
	init->depth--;
	while (init->depth && row && init->count % row)
		if (!append_element(x, init, &t, 0))
			return false;
	return true;
}

static bool parse_rows(struct ptx *x, struct initializer *init)
{
	do {
		while (x->token.kind == '{') {
			if (init->depth == init->max_depth) {
				ptx_error(x, &x->token,
					  "initial value has more braces than dimensions");
				return false;
			}
			ptx_next(x);
			x->braces++;
			init->depth++;
		}
		if (!(init->depth && x->token.kind == '}') && !parse_element(x, init))
			return false;
		while (init->depth && x->token.kind == '}')
			if (!close_row(x, init))
				return false;
		if (!init->depth)
			return true;
	} while (ptx_expect(x, ',', "',' or '}'", "an initial value"));
	return false;
}

/* Elements per pair of braces, by depth: the outermost encloses all, each inner one a dimension
 * less. */
static void compute_row_sizes(struct initializer *init, const struct ptx_shape *s)
{
	uint64_t row = 1;

	init->max_depth = (s->ndimensions ? s->ndimensions : 1) + (s->vector > 1 && s->ndimensions);
	for (uint32_t depth = init->max_depth; depth > 1; depth--) {
		bool vector = s->vector > 1 && depth == s->ndimensions + 1;

		row *= vector ? s->vector : s->dimensions[depth - 1];
		init->rows[depth] = row;
	}
}

bool ptx_parse_initializer(struct ptx *x, struct ptx_shape *s, struct ir_symbol *out)
{
	struct initializer init = {.type = s->type};
	struct ptx_token t = x->token;
	uint64_t row = s->vector;
	uint8_t *all;

	for (uint32_t i = 1; i < s->ndimensions; i++)
		row *= s->dimensions[i];
	init.limit = s->count ? s->count * s->vector : MAX_INITIALIZED / (s->type->bits / 8);
	if (out->space != IR_GLOBAL && out->space != IR_CONSTANT) {
		ptx_error(x, &t, "only .global and .const variables have initial values");
		return false;
	}
	if (ptx_shape_bytes(s) > MAX_INITIALIZED) {
		ptx_error(x, &t, "a variable with an initial value has at most %llu bytes",
			  (unsigned long long)MAX_INITIALIZED);
		return false;
	}
	compute_row_sizes(&init, s);
	ptx_next(x);
	if (!parse_rows(x, &init))
		return false;
	if (!s->count)
		s->count = (init.count + row - 1) / row * row / s->vector;
	all = arena_alloc(x->arena, ptx_shape_bytes(s));
	if (init.count)
		memcpy(all, init.bytes, init.count * (s->type->bits / 8));
	out->init = all;
	out->addresses = init.addresses;
	out->naddresses = init.naddresses;
	return true;
}
