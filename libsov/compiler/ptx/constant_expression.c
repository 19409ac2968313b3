// SPDX-License-Identifier: MIT
/*
 * Constant expressions, by precedence climbing: 64-bit integers with C's operators and precedence,
 * signed unless an operand is unsigned, and doubles with arithmetic and comparisons. The
 * instruction's operand type determines the bits of a constant (ptx_constant_bits).
 */
#include <string.h>
#include "libsov/compiler/ptx/front_end.h"

/* clang-format off */
static const struct binary_operator {
	int token;
	uint8_t precedence; /* a higher one binds tighter */
} binary_operators[] = {
	{PAIR('|', '|'), 1}, {PAIR('&', '&'), 2}, {'|', 3},  {'^', 4},
	{'&', 5},            {PAIR('=', '='), 6}, {PAIR('!', '='), 6},
	{'<', 7},            {'>', 7},            {PAIR('<', '='), 7}, {PAIR('>', '='), 7},
	{PAIR('<', '<'), 8}, {PAIR('>', '>'), 8}, {'+', 9},  {'-', 9},
	{'*', 10},           {'/', 10},           {'%', 10},
};
/* clang-format on */

static bool parse_ternary(struct ptx *x, struct ptx_constant *c);
static bool parse_unary(struct ptx *x, struct ptx_constant *c);

bool ptx_constant_starts(const struct ptx_token *t)
{
	return t->kind == TOKEN_INTEGER || t->kind == TOKEN_FLOAT || t->kind == '-' ||
	       t->kind == '+' || t->kind == '~' || t->kind == '!' || t->kind == '(' ||
	       (t->kind == TOKEN_NAME && t->length == 7 && !memcmp(t->text, "WARP_SZ", 7));
}

static bool enter_nesting(struct ptx *x, const struct ptx_token *t)
{
	if (x->depth < PTX_MAX_DEPTH)
		return ++x->depth;
	ptx_error(x, t, "constant expression is nested deeper than %d", PTX_MAX_DEPTH);
	return false;
}

static bool starts_cast(const struct ptx_token *t)
{
	return ptx_is_keyword(t, ".s64") || ptx_is_keyword(t, ".u64");
}

/* "(.s64)" or "(.u64)", after the parenthesis, and the constant that it converts. */
static bool parse_cast(struct ptx *x, struct ptx_constant *c)
{
	bool is_unsigned = x->token.text[1] == 'u';
	struct ptx_token t = x->token;
	bool good;

	ptx_next(x);
	if (!ptx_expect(x, ')', "')'", "the type of a constant") || !enter_nesting(x, &t))
		return false;
	good = parse_unary(x, c);
	x->depth--;
	if (good && c->is_float)
		ptx_error(x, &t, "'(%.*s)' does not take a floating-point constant", TEXT(&t));
	c->is_unsigned = is_unsigned;
	return good && !c->is_float;
}

static bool parse_primary(struct ptx *x, struct ptx_constant *c)
{
	struct ptx_token t = x->token;

	if (!ptx_constant_starts(&t) && t.kind != TOKEN_BAD) {
		ptx_error(x, &t, "expected a constant, found %s", ptx_token_name(x, &t));
		return false;
	}
	ptx_next(x);
	if (t.kind == '(' && starts_cast(&x->token))
		return parse_cast(x, c);
	if (t.kind == '(')
		return parse_ternary(x, c) && ptx_expect(x, ')', "')'", "the constant expression");
	*c = (struct ptx_constant){t.kind == TOKEN_FLOAT, t.is_unsigned, t.bits, t.integer};
	if (t.kind == TOKEN_NAME)
		c->value = 32; /* WARP_SZ */
	return t.kind != TOKEN_BAD;
}

static bool parse_unary(struct ptx *x, struct ptx_constant *c)
{
	struct ptx_token t = x->token;
	bool good;

	if (t.kind != '-' && t.kind != '+' && t.kind != '~' && t.kind != '!')
		return parse_primary(x, c);
	if (!enter_nesting(x, &t))
		return false;
	ptx_next(x);
	good = parse_unary(x, c);
	x->depth--;
	if (!good)
		return false;
	if (c->is_float) {
		if (t.kind == '-')
			c->value ^= UINT64_C(1) << (c->bits == 32 ? 31 : 63);
		else if (t.kind != '+')
			ptx_error(x, &t, "'%c' does not take a floating-point constant", t.kind);
		return t.kind == '-' || t.kind == '+';
	}
	if (t.kind == '-')
		c->value = 0 - c->value;
	else if (t.kind == '~')
		c->value = ~c->value;
	else if (t.kind == '!')
		c->value = !c->value;
	return true;
}

static bool constant_less(const struct ptx_constant *a, const struct ptx_constant *b,
			  bool is_unsigned)
{
	return is_unsigned ? a->value < b->value : (int64_t)a->value < (int64_t)b->value;
}

static uint64_t shift_right(const struct ptx_constant *a, uint64_t by)
{
	bool negative = !a->is_unsigned && (int64_t)a->value < 0;
	uint64_t fill = negative ? UINT64_MAX : 0;

	if (by >= 64)
		return fill;
	return by ? a->value >> by | fill << (64 - by) : a->value;
}

static uint64_t divide(const struct ptx_constant *a, const struct ptx_constant *b, bool is_unsigned,
		       bool remainder)
{
	if (is_unsigned)
		return remainder ? a->value % b->value : a->value / b->value;
	if (b->value == UINT64_MAX) /* by -1: INT64_MIN / -1 overflows and wraps */
		return remainder ? 0 : 0 - a->value;
	return (uint64_t)(remainder ? (int64_t)a->value % (int64_t)b->value
				    : (int64_t)a->value / (int64_t)b->value);
}

static uint64_t fold_binary(int op, const struct ptx_constant *a, const struct ptx_constant *b)
{
	bool is_unsigned = a->is_unsigned || b->is_unsigned;

	/* clang-format off */
	switch (op) {
	case PAIR('|', '|'): return a->value || b->value;
	case PAIR('&', '&'): return a->value && b->value;
	case PAIR('=', '='): return a->value == b->value;
	case PAIR('!', '='): return a->value != b->value;
	case PAIR('<', '='): return !constant_less(b, a, is_unsigned);
	case PAIR('>', '='): return !constant_less(a, b, is_unsigned);
	case PAIR('<', '<'): return b->value < 64 ? a->value << b->value : 0;
	case PAIR('>', '>'): return shift_right(a, b->value);
	case '<': return constant_less(a, b, is_unsigned);
	case '>': return constant_less(b, a, is_unsigned);
	case '|': return a->value | b->value;
	case '^': return a->value ^ b->value;
	case '&': return a->value & b->value;
	case '+': return a->value + b->value;
	case '-': return a->value - b->value;
	case '*': return a->value * b->value;
	default: return divide(a, b, is_unsigned, op == '%');
	}
	/* clang-format on */
}

static bool fold_float_comparison(int op, double a, double b, struct ptx_constant *c)
{
	bool holds;

	/* clang-format off */
	switch (op) {
	case '<': holds = a < b; break;
	case '>': holds = a > b; break;
	case PAIR('<', '='): holds = a <= b; break;
	case PAIR('>', '='): holds = a >= b; break;
	case PAIR('=', '='): holds = a == b; break;
	case PAIR('!', '='): holds = a != b; break;
	default: return false;
	}
	/* clang-format on */
	*c = (struct ptx_constant){.value = holds};
	return true;
}

/* Doubles have arithmetic and comparisons (PTX ISA, "Constant Expressions"); 0f, a single, has
 * none. false: no such operator. */
static bool fold_float(int op, struct ptx_constant *c, const struct ptx_constant *right)
{
	double a, b, result;

	if (c->bits == 32 || right->bits == 32)
		return false;
	memcpy(&a, &c->value, sizeof(a));
	memcpy(&b, &right->value, sizeof(b));
	/* clang-format off */
	switch (op) {
	case '+': result = a + b; break;
	case '-': result = a - b; break;
	case '*': result = a * b; break;
	case '/': result = a / b; break;
	default: return fold_float_comparison(op, a, b, c);
	}
	/* clang-format on */
	memcpy(&c->value, &result, sizeof(result));
	return true;
}

static const struct binary_operator *find_operator(const struct ptx_token *t)
{
	for (size_t i = 0; i < sizeof(binary_operators) / sizeof(binary_operators[0]); i++)
		if (binary_operators[i].token == t->kind)
			return &binary_operators[i];
	return NULL;
}

static bool parse_binary(struct ptx *x, struct ptx_constant *c, uint8_t precedence)
{
	const struct binary_operator *op;

	if (!parse_unary(x, c))
		return false;
	while ((op = find_operator(&x->token)) && op->precedence >= precedence) {
		struct ptx_token t = x->token;
		struct ptx_constant right;

		ptx_next(x);
		if (!parse_binary(x, &right, op->precedence + 1))
			return false;
		if (c->is_float && right.is_float && fold_float(t.kind, c, &right))
			continue;
		if (c->is_float || right.is_float) {
			ptx_error(x, &t, "'%.*s' does not take %s", TEXT(&t),
				  c->is_float && right.is_float
					  ? "these floating-point constants"
					  : "an integer and a floating-point constant");
			return false;
		}
		if (op->precedence == 10 && t.kind != '*' && !right.value) {
			ptx_error(x, &t, "division by zero in a constant expression");
			return false;
		}
		c->value = fold_binary(t.kind, c, &right);
		/* Comparisons are signed; a shift has the type of its left operand. */
		if (op->precedence < 3 || op->precedence == 6 || op->precedence == 7)
			c->is_unsigned = false;
		else if (op->precedence != 8)
			c->is_unsigned |= right.is_unsigned;
	}
	return true;
}

static bool parse_ternary(struct ptx *x, struct ptx_constant *c)
{
	struct ptx_constant otherwise;
	struct ptx_token t = x->token;
	bool good, choose;

	if (!enter_nesting(x, &t))
		return false;
	good = parse_binary(x, c, 1);
	if (good && x->token.kind == '?') {
		ptx_next(x);
		choose = c->value != 0;
		good = parse_ternary(x, c) &&
		       ptx_expect(x, ':', "':'", "'?' and its first value") &&
		       parse_ternary(x, &otherwise);
		if (good && !choose)
			*c = otherwise;
	}
	x->depth--;
	return good;
}

bool ptx_parse_constant(struct ptx *x, struct ptx_constant *c)
{
	return parse_ternary(x, c);
}

bool ptx_parse_integer(struct ptx *x, const char *what, uint64_t min, uint64_t max, uint64_t *value)
{
	struct ptx_token t = x->token;
	struct ptx_constant c;

	if (!ptx_parse_constant(x, &c))
		return false;
	*value = c.value;
	if (!c.is_float && c.value >= min && c.value <= max &&
	    (c.is_unsigned || c.value <= INT64_MAX))
		return true;
	ptx_error(x, &t, "%s must be an integer from %llu to %llu", what, (unsigned long long)min,
		  (unsigned long long)max);
	return false;
}

/* The bits of a double, rounded to 32 bits if need be. */
static uint64_t float_bits(uint64_t value, uint8_t bits)
{
	uint32_t narrow;
	double d;
	float f;

	if (bits == 64)
		return value;
	memcpy(&d, &value, sizeof(d));
	f = (float)d;
	memcpy(&narrow, &f, sizeof(f));
	return narrow;
}

/* An integer has 64 bits and is converted to the width of its use (PTX ISA, "Integer Constants");
 * zeros extend it to 128 bits. A float may stand for untyped bits of its width: 0f for 32, 0d and
 * decimals for 64. Doubles are rounded to singles. 0f for a double is rejected, because ptxas
 * silently uses its bits as a double's (seen on an H200: mov.f64 of 0fC0000000 gives
 * 0x00000000c0000000). */
bool ptx_constant_bits(const struct ptx_constant *c, const struct ptx_type *t, uint64_t *bits)
{
	*bits = c->value;
	if (t->class == CLASS_PREDICATE) {
		*bits = c->value != 0;
		return !c->is_float;
	}
	if (c->is_float) {
		if (t->class == CLASS_BITS)
			return (c->bits ? c->bits : 64) == t->bits;
		/* The bits of a single are the low word of a double, as in ptxas. */
		if (t->class != CLASS_FLOAT || t->bits < 32 || t->format)
			return false;
		if (c->bits != 32)
			*bits = float_bits(c->value, t->bits);
		return true;
	}
	if (t->class == CLASS_FLOAT)
		return false;
	if (t->bits < 64)
		*bits = c->value & ((UINT64_C(1) << t->bits) - 1);
	return true;
}
