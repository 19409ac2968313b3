// SPDX-License-Identifier: MIT
/*
 * Lowering of video instructions (PTX ISA, "Video Instructions"). A scalar one takes a byte, a half
 * or the whole of each operand, computes with more than 32 bits, optionally saturates the result,
 * and either combines it with c or inserts it into c. A SIMD one does the same for two halves or
 * four bytes, each of which is selected from the bytes of a and b; it merges its results with those
 * of c that the mask leaves out, or adds them to c.
 */
#include <string.h>
#include "libsov/compiler/ptx/front_end.h"

#define WORD_BITS 32

enum video {
	VIDEO_ADD,
	VIDEO_SUB,
	VIDEO_ABSDIFF,
	VIDEO_AVERAGE,
	VIDEO_MIN,
	VIDEO_MAX,
	VIDEO_SET,
	VIDEO_SHL,
	VIDEO_SHR,
	VIDEO_MAD
};

static const struct {
	const char *name; /* without the number of lanes */
	enum video op;
} names[] = {
	{"vadd", VIDEO_ADD},      {"vsub", VIDEO_SUB}, {"vabsdiff", VIDEO_ABSDIFF},
	{"vavrg", VIDEO_AVERAGE}, {"vmin", VIDEO_MIN}, {"vmax", VIDEO_MAX},
	{"vset", VIDEO_SET},      {"vshl", VIDEO_SHL}, {"vshr", VIDEO_SHR},
	{"vmad", VIDEO_MAD},
};

static enum video video_of(const struct ptx_inst *in)
{
	uint32_t length = in->name.length;
	char last = in->name.text[length - 1];
	size_t i = 0;

	length -= last == '2' || last == '4';
	while (strlen(names[i].name) != length || memcmp(names[i].name, in->name.text, length))
		i++;
	return names[i].op;
}

static bool is_signed(const struct ptx_inst *in, enum ptx_slot s)
{
	return ptx_has_modifier(in, s) && ptx_inst_type(in, s)->class == CLASS_SIGNED;
}

static ir_val number(struct ptx *x, enum ir_type t, int64_t value)
{
	return ptx_emit_constant(x, t, (uint64_t)value);
}

static ir_val binary(struct ptx *x, enum ir_op op, enum ir_type t, ir_val a, ir_val b)
{
	return ptx_op(x, op, t, a, b, 0);
}

/* ---- selectors ---- */

static struct ptx_token selector_token(const struct ptx_operand *o)
{
	struct ptx_token t = o->at;

	t.text += o->selector_at;
	t.column += o->selector_at;
	t.length = o->selector_length;
	return t;
}

/* The letter and digits of an operand's selector, the first digit for the highest lane, or the
 * default. letters: those allowed, and the highest digit after each. */
static bool read_selector(struct ptx *x, const struct ptx_inst *in, const struct ptx_operand *o,
			  const char *letters, const char *otherwise, uint32_t digits,
			  const char **out, uint32_t *count)
{
	const struct ptx_token selector = selector_token(o), *t = &selector;
	const char *letter = t->length >= 3 ? strchr(letters, t->text[1]) : NULL;
	bool good = letter && t->length - 2 <= digits;

	*out = otherwise;
	*count = (uint32_t)strlen(otherwise);
	if (!t->length)
		return true;
	for (uint32_t i = 2; good && i < t->length; i++)
		good = t->text[i] >= '0' && t->text[i] <= letter[1];
	*out = t->text + 1;
	*count = t->length - 1;
	if (!good)
		ptx_error(x, t, "'%s' has no selector '%.*s'", ptx_spelling(x, in), TEXT(t));
	return good;
}

/* ---- values of lanes ---- */

/* Bits at a position of a word, extended to t. */
static ir_val extract(struct ptx *x, ir_val word, uint32_t at, uint32_t bits, bool sign,
		      enum ir_type t)
{
	if (bits < 32) {
		word = binary(x, IR_SHL, IR_B32, word, number(x, IR_B32, 32 - bits - at));
		word = binary(x, sign ? IR_SHR_S : IR_SHR_U, IR_B32, word,
			      number(x, IR_B32, 32 - bits));
	}
	return ptx_convert(x, sign ? IR_SEXT : IR_ZEXT, IR_B32, t, word);
}

static ir_val clamp(struct ptx *x, enum ir_type t, ir_val v, bool sign, uint32_t bits)
{
	int64_t highest = (INT64_C(1) << (bits - sign)) - 1, lowest = sign ? -highest - 1 : 0;

	v = binary(x, IR_MAX_S, t, v, number(x, t, lowest));
	return binary(x, IR_MIN_S, t, v, number(x, t, highest));
}

/* (a + b + 1) >> 1, or (a + b) >> 1 if the sum is negative. */
static ir_val average(struct ptx *x, enum ir_type t, ir_val a, ir_val b)
{
	ir_val sum = binary(x, IR_ADD, t, a, b);
	ir_val p = ptx_compare(x, IR_ICMP, t, IR_GE_S, sum, number(x, t, 0));
	ir_val up = ptx_op(x, IR_SELECT, t, p, number(x, t, 1), number(x, t, 0));

	return binary(x, IR_SHR_S, t, binary(x, IR_ADD, t, sum, up), number(x, IR_B32, 1));
}

static ir_val compare_lane(struct ptx *x, const struct ptx_inst *in, enum ir_type t, ir_val a,
			   ir_val b)
{
	static const uint8_t conditions[] = {IR_EQ, IR_NE, IR_LT_S, IR_LE_S, IR_GT_S, IR_GE_S};
	ir_val p = ptx_compare(x, IR_ICMP, t, conditions[in->value[SLOT_COMPARE]], a, b);

	return ptx_op(x, IR_SELECT, t, p, number(x, t, 1), number(x, t, 0));
}

/* A left shift by 32 of 33 bits would lose the sign in 64; its result is beyond every range that
 * saturation can ask for unless it is 0, so a bounded operand does. */
static ir_val shift_lane(struct ptx *x, const struct ptx_inst *in, bool left, ir_val a, ir_val b)
{
	ir_val n = in->value[SLOT_WRAP] ? binary(x, IR_AND, IR_B32, b, number(x, IR_B32, 31))
					: binary(x, IR_MIN_U, IR_B32, b, number(x, IR_B32, 32));

	if (left && ptx_has_modifier(in, SLOT_SAT) && !in->value[SLOT_WRAP]) {
		ir_val p = ptx_compare(x, IR_ICMP, IR_B32, IR_EQ, n, number(x, IR_B32, 32));

		a = ptx_op(x, IR_SELECT, IR_B64, p, clamp(x, IR_B64, a, true, 31), a);
	}
	return binary(x, left ? IR_SHL : IR_SHR_S, IR_B64, a, n);
}

static ir_val compute(struct ptx *x, const struct ptx_inst *in, enum ir_type t, ir_val a, ir_val b)
{
	enum video op = video_of(in);
	ir_val v;

	switch (op) {
	case VIDEO_ADD:
		return binary(x, IR_ADD, t, a, b);
	case VIDEO_SUB:
		return binary(x, IR_SUB, t, a, b);
	case VIDEO_ABSDIFF:
		v = binary(x, IR_SUB, t, a, b);
		return binary(x, IR_MAX_S, t, v, ptx_op(x, IR_NEG, t, v, 0, 0));
	case VIDEO_AVERAGE:
		return average(x, t, a, b);
	case VIDEO_MIN:
		return binary(x, IR_MIN_S, t, a, b);
	case VIDEO_MAX:
		return binary(x, IR_MAX_S, t, a, b);
	case VIDEO_SET:
		return compare_lane(x, in, t, a, b);
	default:
		return shift_lane(x, in, op == VIDEO_SHL, a,
				  ptx_convert(x, IR_TRUNC, t, IR_B32, b));
	}
}

/* Inserts the low bits of v into a word. */
static ir_val insert(struct ptx *x, ir_val word, ir_val v, uint32_t at, uint32_t bits)
{
	uint32_t mask = (bits == 32 ? UINT32_MAX : (1u << bits) - 1) << at;

	v = binary(x, IR_SHL, IR_B32, v, number(x, IR_B32, at));
	v = binary(x, IR_AND, IR_B32, v, number(x, IR_B32, mask));
	word = binary(x, IR_AND, IR_B32, word, number(x, IR_B32, ~mask));
	return binary(x, IR_OR, IR_B32, word, v);
}

/* ---- scalar instructions ---- */

/* The part of an operand that a selector names: .b0 to .b3, .h0, .h1, or all of it. */
static bool scalar_part(struct ptx *x, const struct ptx_inst *in, const struct ptx_operand *o,
			uint32_t *at, uint32_t *bits)
{
	const char *s;
	uint32_t n;

	if (!read_selector(x, in, o, "b3h1", "", 1, &s, &n))
		return false;
	*bits = !n ? 32 : *s == 'b' ? 8 : 16;
	*at = n ? (uint32_t)(s[1] - '0') * *bits : 0;
	return true;
}

static bool scalar_operand(struct ptx *x, const struct ptx_inst *in, enum ptx_role role,
			   enum ptx_slot type, ir_val *v)
{
	uint32_t at, bits;

	if (!scalar_part(x, in, in->role[role], &at, &bits))
		return false;
	*v = extract(x, ptx_read_role(x, in, role), at, bits, is_signed(in, type), IR_B64);
	return true;
}

/* The secondary operation with c, which has the destination's sign. */
static ir_val combine(struct ptx *x, const struct ptx_inst *in, ir_val v, ir_val c)
{
	bool sign = is_signed(in, SLOT_TYPE);
	enum ir_op op = in->value[SLOT_ATOM] == IR_ATOM_ADD     ? IR_ADD
			: in->value[SLOT_ATOM] == IR_ATOM_MIN_U ? IR_MIN_S
								: IR_MAX_S;

	return binary(x, op, IR_B64, v, extract(x, c, 0, 32, sign, IR_B64));
}

void ptx_lower_video(struct ptx *x, const struct ptx_inst *in)
{
	const struct ptx_operand *d = in->role[ROLE_D];
	bool combines = ptx_has_modifier(in, SLOT_ATOM);
	uint32_t at, bits;
	ir_val a, b, c, v;

	if (!scalar_part(x, in, d, &at, &bits) ||
	    !scalar_operand(x, in, ROLE_A, SLOT_SOURCE_TYPE, &a) ||
	    !scalar_operand(x, in, ROLE_B, SLOT_THIRD_TYPE, &b))
		return;
	c = ptx_read_role(x, in, ROLE_C);
	if (combines ? bits < 32 || !c : bits < 32 && !c) {
		ptx_error(x, &in->name, "'%s' takes operand c, %s", ptx_spelling(x, in),
			  combines ? "and d without a selector" : "as d has a selector");
		return;
	}
	v = compute(x, in, IR_B64, a, b);
	if (ptx_has_modifier(in, SLOT_SAT))
		v = clamp(x, IR_B64, v, is_signed(in, SLOT_TYPE), bits);
	if (combines)
		v = combine(x, in, v, c);
	v = ptx_convert(x, IR_TRUNC, IR_B64, IR_B32, v);
	ptx_write_operand(x, d, bits < 32 ? insert(x, c, v, at, bits) : v);
}

/*
 * vmad: (a * b) + c with more than 64 bits. Only saturation looks at the bits above 64, and only
 * the product of two unsigned numbers can reach them in a signed sum: it is bounded first.
 */
void ptx_lower_vmad(struct ptx *x, const struct ptx_inst *in)
{
	const struct ptx_operand *oc = in->role[ROLE_C];
	bool negated = in->role[ROLE_A]->minus != in->role[ROLE_B]->minus, minus = oc->minus;
	bool more = ptx_has_modifier(in, SLOT_PLUS_ONE), saturates = ptx_has_modifier(in, SLOT_SAT);
	bool is_signed_product = is_signed(in, SLOT_SOURCE_TYPE) || is_signed(in, SLOT_THIRD_TYPE);
	bool final = is_signed_product || negated || minus;
	ir_val a, b, c, v;

	if (!scalar_operand(x, in, ROLE_A, SLOT_SOURCE_TYPE, &a) ||
	    !scalar_operand(x, in, ROLE_B, SLOT_THIRD_TYPE, &b))
		return;
	if ((more && (negated || minus)) || (negated && minus)) {
		ptx_error(x, &in->name, "'%s' negates the product or c, and neither with .po",
			  ptx_spelling(x, in));
		return;
	}
	v = binary(x, IR_MUL, IR_B64, a, b);
	if (saturates && final && !is_signed_product)
		v = binary(x, IR_MIN_U, IR_B64, v, number(x, IR_B64, INT64_C(1) << 62));
	if (negated)
		v = ptx_op(x, IR_NEG, IR_B64, v, 0, 0);
	c = extract(x, ptx_read_role(x, in, ROLE_C), 0, 32, final, IR_B64);
	v = binary(x, minus ? IR_SUB : IR_ADD, IR_B64, v, c);
	if (more)
		v = binary(x, IR_ADD, IR_B64, v, number(x, IR_B64, 1));
	if (ptx_has_modifier(in, SLOT_SCALE))
		v = binary(x, final ? IR_SHR_S : IR_SHR_U, IR_B64, v,
			   number(x, IR_B32, in->value[SLOT_SCALE]));
	if (saturates)
		v = final ? clamp(x, IR_B64, v, true, 32)
			  : binary(x, IR_MIN_U, IR_B64, v, number(x, IR_B64, UINT32_MAX));
	ptx_write_operand(x, in->role[ROLE_D], ptx_convert(x, IR_TRUNC, IR_B64, IR_B32, v));
}

/* ---- SIMD instructions ---- */

/* The lanes that d's selector names, as a mask. */
static bool read_mask(struct ptx *x, const struct ptx_inst *in, uint32_t lanes, uint32_t *mask)
{
	const char *s;
	uint32_t n;

	if (!read_selector(x, in, in->role[ROLE_D], lanes == 2 ? "h1" : "b3",
			   lanes == 2 ? "h10" : "b3210", lanes, &s, &n))
		return false;
	*mask = 0;
	for (uint32_t i = 1; i < n; i++)
		*mask |= 1u << (s[i] - '0');
	return true;
}

/* The lanes of an operand, each from one of the parts of a and b. */
static bool read_lanes(struct ptx *x, const struct ptx_inst *in, enum ptx_role role,
		       enum ptx_slot type, uint32_t lanes, const ir_val words[2], ir_val *out)
{
	static const char *const defaults[2][2] = {{"h10", "h32"}, {"b3210", "b7654"}};
	const char *otherwise = defaults[lanes == 4][role == ROLE_B], *s;
	uint32_t bits = WORD_BITS / lanes, n;

	if (!read_selector(x, in, in->role[role], lanes == 2 ? "h3" : "b7", otherwise, lanes, &s,
			   &n))
		return false;
	if (n != lanes + 1) {
		struct ptx_token selector = selector_token(in->role[role]);

		ptx_error(x, &selector, "'%s' selects %u parts of an operand", ptx_spelling(x, in),
			  lanes);
		return false;
	}
	for (uint32_t i = 0; i < lanes; i++) {
		uint32_t part = (uint32_t)(s[lanes - i] - '0');

		out[i] = extract(x, words[part / lanes], part % lanes * bits, bits,
				 is_signed(in, type), IR_B32);
	}
	return true;
}

/* The absolute differences of all four unsigned bytes, in order, or their sum and c. */
static bool lower_distances(struct ptx *x, const struct ptx_inst *in, const ir_val words[2])
{
	ir_val v;

	if (video_of(in) != VIDEO_ABSDIFF || in->name.text[in->name.length - 1] != '4' ||
	    is_signed(in, SLOT_TYPE) || is_signed(in, SLOT_SOURCE_TYPE) ||
	    is_signed(in, SLOT_THIRD_TYPE) || in->role[ROLE_D]->selector_length ||
	    in->role[ROLE_A]->selector_length || in->role[ROLE_B]->selector_length)
		return false;
	v = binary(x, IR_ABSDIFF4, IR_B32, words[0], words[1]);
	if (ptx_has_modifier(in, SLOT_ATOM))
		v = ptx_op(x, IR_DOT, IR_B32, v, number(x, IR_B32, 0x01010101),
			   ptx_read_role(x, in, ROLE_C));
	ptx_write_operand(x, in->role[ROLE_D], v);
	return true;
}

void ptx_lower_video_simd(struct ptx *x, const struct ptx_inst *in)
{
	uint32_t lanes = (uint32_t)(in->name.text[in->name.length - 1] - '0'),
		 bits = WORD_BITS / lanes, mask;
	bool adds = ptx_has_modifier(in, SLOT_ATOM);
	ir_val words[2] = {ptx_read_role(x, in, ROLE_A), ptx_read_role(x, in, ROLE_B)};
	ir_val a[4], b[4], d = ptx_read_role(x, in, ROLE_C), v;

	if (lower_distances(x, in, words))
		return;
	if (!read_mask(x, in, lanes, &mask) ||
	    !read_lanes(x, in, ROLE_A, SLOT_SOURCE_TYPE, lanes, words, a) ||
	    !read_lanes(x, in, ROLE_B, SLOT_THIRD_TYPE, lanes, words, b))
		return;
	for (uint32_t i = 0; i < lanes; i++) {
		if (!(mask >> i & 1))
			continue;
		v = compute(x, in, IR_B32, a[i], b[i]);
		if (ptx_has_modifier(in, SLOT_SAT))
			v = clamp(x, IR_B32, v, is_signed(in, SLOT_TYPE), bits);
		d = adds ? binary(x, IR_ADD, IR_B32, d, v) : insert(x, d, v, i * bits, bits);
	}
	ptx_write_operand(x, in->role[ROLE_D], d);
}
