// SPDX-License-Identifier: MIT
/*
 * Values of matrix products. PTX leaves the accuracy of products with 16-bit and tf32 factors open;
 * these are the values of an H200 (docs/results/2026-11-17-h200-matrix-products.md): all products
 * of a row and a column and the addend are truncated to a multiple of 2^-25 of the power of two
 * that the greatest has, added exactly, and the sum is rounded towards zero to f32, or to the
 * nearest f16. Products of f64 are fused multiply-adds, in the order of k.
 *
 * Products of 8-bit floats have the values of the code that ptxas 13.0 emits for SM90, which lacks
 * them: those of the lower two bytes of each register as a product of f16 without an addend,
 * then those of the upper two with that sum as the addend, and the addend of the instruction is
 * added at last, rounded to the nearest. Of sparse ones, the first product is that of the first
 * half of k, the second that of the other half. The values of Ada's own instruction are not known.
 */
#include <math.h>
#include <string.h>
#include "libsov/isa/mma.h"

const struct mma_kind mma_kinds[MMA_KINDS] = {
#define MMA(name, text, m, k, factors, sums, flags) \
	[MMA_KIND_##name] = {text, m, k, factors, sums, flags},
#include "libsov/isa/mma_kinds.h"
};

uint32_t mma_find(const struct mma_kind *like)
{
	uint32_t i = 0;

	for (; i < MMA_KINDS; i++) {
		const struct mma_kind *k = &mma_kinds[i];

		if (k->m == like->m && k->k == like->k && k->factors == like->factors &&
		    k->sums == like->sums && k->flags == like->flags)
			break;
	}
	return i;
}

#define MAX_K      256
#define GUARD_BITS 25 /* fraction bits of the greatest term that the sum keeps */

static uint32_t element_bits(uint8_t e)
{
	static const uint8_t bits[] = {
		[MMA_F16] = 16, [MMA_BF16] = 16, [MMA_TF32] = 32, [MMA_F32] = 32, [MMA_F64] = 64,
		[MMA_I8] = 8,   [MMA_I4] = 4,    [MMA_B1] = 1,    [MMA_F8] = 8,   [MMA_S32] = 32};

	return bits[e];
}

static uint32_t register_bits(uint8_t e)
{
	return e == MMA_F64 ? 64 : 32;
}

uint32_t mma_elements_per_register(uint8_t e)
{
	return register_bits(e) / element_bits(e);
}

struct mma_registers mma_registers(const struct mma_kind *kind)
{
	uint32_t factors = mma_elements_per_register(kind->factors) * MMA_LANES;
	uint32_t sums = mma_elements_per_register(kind->sums) * MMA_LANES;
	uint32_t columns = kind->k / (kind->flags & MMA_SPARSE ? 2u : 1u);

	return (struct mma_registers){(uint8_t)(kind->m * columns / factors),
				      (uint8_t)(8u * kind->k / factors),
				      (uint8_t)(kind->m * 8u / sums)};
}

static uint32_t unit_bits(const struct mma_kind *kind)
{
	return element_bits(kind->factors) > 8 ? 16 : 8;
}

static uint32_t chunks(const struct mma_kind *kind)
{
	return kind->k * element_bits(kind->factors) / (4 * unit_bits(kind));
}

/* PTX ISA, "Matrix Fragments for sparse mma": 16 bits hold four chunks of a row. With units of 16
 * bits, a word has those of both rows, otherwise of one. */
struct mma_metadata_place mma_metadata_place(const struct mma_kind *kind, uint32_t half,
					     uint32_t chunk, uint32_t selector)
{
	if (unit_bits(kind) == 16)
		return (struct mma_metadata_place){selector * (chunks(kind) / 4) + chunk / 4,
						   16 * half + chunk % 4 * 4};
	return (struct mma_metadata_place){2 * (selector + chunk / 8) + half, chunk % 8 * 4};
}

/* A group has four lanes with 32 bits of metadata. */
uint32_t mma_selectors(const struct mma_kind *kind)
{
	return kind->flags & MMA_SPARSE ? 4 * 32 / (2 * chunks(kind) * 4) : 1;
}

/*
 * Where elements are. A lane belongs to one of eight groups of four. It holds rows group and
 * group + 8 of A, C and D and column group of B; of k, as many neighbours as a register has
 * elements, beginning with its number in the group, and the same again after those of its group.
 */
struct place {
	uint32_t word, lane, shift;
};

static struct place place_of(uint32_t row, uint32_t k, uint32_t rows, uint32_t per_word,
			     uint32_t bits)
{
	uint32_t halves = rows > 8 ? 2 : 1, span = 4 * per_word;

	return (struct place){.word = row / 8 + k / span * halves,
			      .lane = row % 8 * 4 + k % span / per_word,
			      .shift = k % per_word * bits};
}

static uint64_t read_element(const mma_fragment f, struct place p, uint32_t bits)
{
	return f[p.word][p.lane] >> p.shift & UINT64_MAX >> (64 - bits);
}

/* Element of A (row, k) or of B (column, k). */
static uint64_t factor(const struct mma_kind *kind, const mma_fragment f, uint32_t row, uint32_t k,
		       uint32_t rows)
{
	uint32_t bits = element_bits(kind->factors), word = register_bits(kind->factors);

	return read_element(f, place_of(row, k, rows, word / bits, bits), bits);
}

/* Two neighbouring columns of C or D are in a register of two halves, or in two registers. */
static struct place place_of_sum(const struct mma_kind *kind, uint32_t row, uint32_t column)
{
	uint32_t halves = kind->sums == MMA_F16;

	return (struct place){.word = halves ? row / 8 : row / 8 * 2 + column % 2,
			      .lane = row % 8 * 4 + column / 2,
			      .shift = halves ? column % 2 * 16 : 0};
}

/* ---- floats ---- */

static const struct {
	uint8_t exponent, fraction; /* bits */
	uint8_t unused;             /* bits below the fraction */
} formats[] = {[MMA_F16] = {5, 10, 0},
	       [MMA_BF16] = {8, 7, 0},
	       [MMA_TF32] = {8, 10, 13},
	       [MMA_F32] = {8, 23, 0}};

enum class { FINITE, INFINITE, NOT_A_NUMBER };

/* The value mantissa 2^exponent; mantissa has the leading bit at fraction, or lower if it is
 * subnormal. */
struct number {
	enum class class;
	bool minus;
	int32_t exponent, fraction;
	uint64_t mantissa;
};

static struct number decode(uint8_t element, uint64_t bits)
{
	uint32_t e = formats[element].exponent, f = formats[element].fraction;
	int32_t bias = (1 << (e - 1)) - 1;
	uint64_t exponent, fraction;

	bits >>= formats[element].unused;
	exponent = bits >> f & ((1u << e) - 1);
	fraction = bits & ((1u << f) - 1);
	return (struct number){.class = exponent < (1u << e) - 1 ? FINITE
					: fraction               ? NOT_A_NUMBER
								 : INFINITE,
			       .minus = bits >> (e + f) & 1,
			       .exponent = (int32_t)(exponent ? exponent : 1) - bias - (int32_t)f,
			       .fraction = (int32_t)f,
			       .mantissa = fraction | (uint64_t)(exponent != 0) << f};
}

static struct number multiply(struct number x, struct number y)
{
	struct number p = {.minus = x.minus != y.minus,
			   .exponent = x.exponent + y.exponent,
			   .fraction = x.fraction + y.fraction,
			   .mantissa = x.mantissa * y.mantissa};

	if (x.class == NOT_A_NUMBER || y.class == NOT_A_NUMBER)
		p.class = NOT_A_NUMBER;
	else if (x.class == INFINITE || y.class == INFINITE)
		p.class = (x.class == FINITE && !x.mantissa) || (y.class == FINITE && !y.mantissa)
				  ? NOT_A_NUMBER
				  : INFINITE;
	return p;
}

/* Rounds to f32 towards zero, or to the nearest f16; what is too great becomes infinite. */
static uint64_t encode(uint8_t element, bool minus, uint64_t mantissa, int32_t exponent)
{
	uint32_t e = formats[element].exponent, f = formats[element].fraction;
	int32_t bias = (1 << (e - 1)) - 1, low = 1 - bias - (int32_t)f, top;
	uint64_t sign = (uint64_t)minus << (e + f), infinite = (uint64_t)((1u << e) - 1) << f, rest;

	if (!mantissa)
		return sign;
	top = exponent + 63 - __builtin_clzll(mantissa);
	if (top - (int32_t)f > low)
		low = top - (int32_t)f;
	if (low - exponent > 63)
		return sign;
	if (low <= exponent) {
		mantissa <<= exponent - low;
	} else {
		uint32_t n = (uint32_t)(low - exponent);
		uint64_t half = UINT64_C(1) << (n - 1);

		rest = mantissa & ((half << 1) - 1);
		mantissa >>= n;
		if (element == MMA_F16 && (rest > half || (rest == half && mantissa & 1)))
			mantissa++;
	}
	if (mantissa >> (f + 1)) {
		mantissa >>= 1;
		low++;
	}
	if (!(mantissa >> f))
		return sign | mantissa;
	if (low + (int32_t)f + bias >= (1 << e) - 1)
		return sign | infinite;
	return sign | (uint64_t)(low + (int32_t)f + bias) << f | (mantissa & ((1u << f) - 1));
}

static uint64_t not_a_number(uint8_t element)
{
	return element == MMA_F16 ? 0x7fff : 0x7fffffff;
}

/* Below the exponents of all products. */
#define MIN_EXPONENT (-(1 << 20))

static uint64_t special_sum(uint8_t element, const struct number *terms, uint32_t n)
{
	bool plus = false, minus = false;

	for (uint32_t i = 0; i < n; i++) {
		if (terms[i].class == NOT_A_NUMBER)
			return not_a_number(element);
		if (terms[i].class == INFINITE)
			*(terms[i].minus ? &minus : &plus) = true;
	}
	if (plus && minus)
		return not_a_number(element);
	return encode(element, minus, UINT64_C(1) << 62, 1 << 20);
}

static uint64_t sum_of(uint8_t element, const struct number *terms, uint32_t n)
{
	int32_t top = MIN_EXPONENT, unit;
	int64_t sum = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (terms[i].class != FINITE)
			return special_sum(element, terms, n);
		if (terms[i].mantissa && terms[i].exponent + terms[i].fraction > top)
			top = terms[i].exponent + terms[i].fraction;
	}
	unit = top - GUARD_BITS;
	for (uint32_t i = 0; i < n; i++) {
		int32_t shift = unit - terms[i].exponent;
		uint64_t m = terms[i].mantissa;

		m = !m || shift > 63 ? 0 : shift > 0 ? m >> shift : m << -shift;
		sum += terms[i].minus ? -(int64_t)m : (int64_t)m;
	}
	return encode(element, sum < 0, (uint64_t)(sum < 0 ? -sum : sum), unit);
}

/* ---- elements of D ---- */

static uint64_t float_element(const struct mma_kind *kind, const uint64_t *a, const uint64_t *b,
			      uint64_t c)
{
	struct number terms[MAX_K + 1];

	for (uint32_t k = 0; k < kind->k; k++)
		terms[k] = multiply(decode(kind->factors, a[k]), decode(kind->factors, b[k]));
	terms[kind->k] = decode(kind->sums, c);
	return sum_of(kind->sums, terms, kind->k + 1u);
}

/* The f16 with the same value. */
static uint64_t half_of_float8(uint64_t x, bool e5m2)
{
	uint64_t sign = (x & 0x80) << 8, exponent = x >> 3 & 15, fraction = x & 7;
	uint32_t top;

	if (e5m2)
		return x << 8;
	if ((x & 0x7f) == 0x7f)
		return not_a_number(MMA_F16);
	if (exponent)
		return sign | (exponent + 8) << 10 | fraction << 7;
	if (!fraction)
		return sign;
	top = 63 - (uint32_t)__builtin_clzll(fraction); /* subnormal: fraction 2^-9 */
	return sign | (uint64_t)(top + 6) << 10 | (fraction << (10 - top) & 0x3ff);
}

/* Rounds to the nearest. */
static uint64_t add_floats(uint8_t element, uint64_t x, uint64_t y)
{
	struct number terms[] = {decode(element, x), decode(element, y)};
	uint32_t bits[] = {(uint32_t)x, (uint32_t)y};
	float f[2];

	if (element == MMA_F16 || terms[0].class != FINITE || terms[1].class != FINITE)
		return sum_of(element, terms, 2);
	memcpy(f, bits, sizeof(f));
	f[0] += f[1];
	memcpy(bits, f, sizeof(f));
	return bits[0];
}

static uint64_t float8_element(const struct mma_kind *kind, const uint64_t *a, const uint64_t *b,
			       uint64_t c)
{
	struct number terms[MAX_K + 1];
	uint64_t sum = 0;

	for (uint32_t half = 0; half < 2; half++) {
		uint32_t n = 0;

		for (uint32_t k = 0; k < kind->k; k++) {
			uint64_t x = half_of_float8(a[k], kind->flags & MMA_E5M2_A);
			uint64_t y = half_of_float8(b[k], kind->flags & MMA_E5M2_B);

			if ((kind->flags & MMA_SPARSE ? k / 16 : k % 4 / 2) == half)
				terms[n++] = multiply(decode(MMA_F16, x), decode(MMA_F16, y));
		}
		terms[n++] = decode(kind->sums, sum);
		sum = sum_of(kind->sums, terms, n);
	}
	return add_floats(kind->sums, sum, c);
}

#define INVALID   UINT64_C(0xfff8000000000000) /* result of an invalid operation */
#define QUIET_BIT UINT64_C(0x0008000000000000)

static bool is_double_nan(uint64_t x)
{
	return (x & UINT64_MAX >> 1) > UINT64_C(0x7ff0000000000000);
}

/* A NaN among the operands is passed on: of B, else the sum so far, else of A. */
static uint64_t double_fma(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t nan = is_double_nan(b) ? b : is_double_nan(c) ? c : a;
	double x, y, sum;

	if (is_double_nan(nan))
		return nan | QUIET_BIT;
	memcpy(&x, &a, sizeof(x));
	memcpy(&y, &b, sizeof(y));
	memcpy(&sum, &c, sizeof(sum));
	sum = fma(x, y, sum);
	memcpy(&c, &sum, sizeof(c));
	return isnan(sum) ? INVALID : c;
}

static uint64_t double_element(const struct mma_kind *kind, const uint64_t *a, const uint64_t *b,
			       uint64_t c)
{
	for (uint32_t k = 0; k < kind->k; k++)
		c = double_fma(a[k], b[k], c);
	return c;
}

static int64_t integer_value(const struct mma_kind *kind, uint64_t bits, uint8_t sign_flag)
{
	uint64_t sign = UINT64_C(1) << (element_bits(kind->factors) - 1);

	return (int64_t)bits - (kind->flags & sign_flag && bits & sign ? (int64_t)(2 * sign) : 0);
}

static uint64_t integer_element(const struct mma_kind *kind, const uint64_t *a, const uint64_t *b,
				uint64_t c)
{
	int64_t sum = (int32_t)(uint32_t)c;

	for (uint32_t k = 0; k < kind->k; k++)
		sum += integer_value(kind, a[k], MMA_SIGNED_A) *
		       integer_value(kind, b[k], MMA_SIGNED_B);
	if (kind->flags & MMA_SATURATE)
		sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
	return (uint32_t)sum;
}

static uint64_t bit_element(const struct mma_kind *kind, const uint64_t *a, const uint64_t *b,
			    uint64_t c)
{
	for (uint32_t k = 0; k < kind->k; k++)
		c += kind->flags & MMA_XOR ? a[k] ^ b[k] : a[k] & b[k];
	return (uint32_t)c;
}

static uint64_t element_of(const struct mma_kind *kind, const uint64_t *a, const uint64_t *b,
			   uint64_t c)
{
	switch (kind->factors) {
	case MMA_F64:
		return double_element(kind, a, b, c);
	case MMA_I8:
	case MMA_I4:
		return integer_element(kind, a, b, c);
	case MMA_B1:
		return bit_element(kind, a, b, c);
	case MMA_F8:
		return float8_element(kind, a, b, c);
	default:
		return float_element(kind, a, b, c);
	}
}

/* The column of A, which is a row of B, of element j that a row of A holds. */
static uint32_t column_of(const struct mma_kind *kind, const struct mma_metadata *m, uint32_t row,
			  uint32_t j)
{
	uint32_t bits = element_bits(kind->factors), unit = j * bits / unit_bits(kind), number;
	struct mma_metadata_place at;

	if (!(kind->flags & MMA_SPARSE))
		return j;
	at = mma_metadata_place(kind, row / 8, unit / 2, m->selector);
	number = m->words[row % 8 * 4 + at.lane] >> (at.bit + unit % 2 * 2) & 3;
	number += unit / 2 * 4;
	return bits == 32 ? number / 2 : bits == 4 ? number * 2 + j % 2 : number;
}

void mma_eval(const struct mma_kind *kind, const mma_fragment a, const mma_fragment b,
	      const mma_fragment c, const struct mma_metadata *metadata, mma_fragment d)
{
	uint32_t bits = element_bits(kind->sums);
	uint64_t row[MAX_K], column[MAX_K];
	struct mma_kind held = *kind; /* elements that A holds */

	if (kind->flags & MMA_SPARSE)
		held.k /= 2;
	memset(d, 0, sizeof(mma_fragment));
	for (uint32_t r = 0; r < kind->m; r++)
		for (uint32_t q = 0; q < 8; q++) {
			struct place at = place_of_sum(kind, r, q);

			for (uint32_t k = 0; k < held.k; k++) {
				uint32_t from = column_of(kind, metadata, r, k);

				row[k] = factor(kind, a, r, k, kind->m);
				column[k] = factor(kind, b, q, from, 8);
			}
			d[at.word][at.lane] |=
				element_of(&held, row, column, read_element(c, at, bits))
				<< at.shift;
		}
}
