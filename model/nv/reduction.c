// SPDX-License-Identifier: MIT
#include "model/nv/reduction.h"
#include "libsov/isa/nv/sass.h"
#include "model/core/softfloat.h"

#define INVALID_F64 0xfff8000000000000ull /* infinity - infinity */

const struct element *atomic_element(uint32_t type)
{
	static const struct element elements[] = {
		[SASS_ATYPE_U32] = {NULL, 4, false, false, false},
		[SASS_ATYPE_S32] = {NULL, 4, false, true, false},
		[SASS_ATYPE_U64] = {NULL, 8, false, false, false},
		[SASS_ATYPE_S64] = {NULL, 8, false, true, false},
		[SASS_ATYPE_F32_FTZ] = {&float_f32, 4, false, false, true},
		[SASS_ATYPE_F32] = {&float_f32, 4, false, false, false},
		[SASS_ATYPE_F64] = {&float_f64, 8, false, false, false},
		[SASS_ATYPE_F16X2] = {&float_f16, 4, true, false, false},
		[SASS_ATYPE_BF16X2] = {&float_bf16, 4, true, false, false},
		[SASS_ATYPE_B128] = {NULL, 16, false, false, false},
	};

	return &elements[type];
}

static uint64_t add_float(const struct element *e, uint64_t a, uint64_t b)
{
	uint64_t sum;

	if (e->flush)
		return float_flush(e->format, float_add(e->format, float_flush(e->format, a),
							float_flush(e->format, b), FLOAT_NEAREST));
	if (e->format != &float_f64)
		return float_add(e->format, a, b, FLOAT_NEAREST);
	/* An f64 NaN is passed through unchanged (measured on an H200). */
	if (float_is_nan(e->format, b) || float_is_nan(e->format, a))
		return float_is_nan(e->format, b) ? b : a;
	sum = float_add(e->format, a, b, FLOAT_NEAREST);
	return float_is_nan(e->format, sum) ? INVALID_F64 : sum;
}

static int64_t sign_extended(uint64_t x, uint32_t bytes)
{
	return (int64_t)(x << (64 - 8 * bytes)) >> (64 - 8 * bytes);
}

/* Orders floats as their bits, of which all but the sign of negative ones are inverted. */
static int64_t float_order(uint64_t x, uint32_t bytes)
{
	int64_t wide = sign_extended(x, bytes);

	return wide < 0 ? wide ^ INT64_MAX : wide;
}

/* The lesser or the greater of two; of a number and a NaN, the number. */
static uint64_t choose(const struct element *e, uint64_t a, uint64_t b, bool lesser)
{
	uint32_t bytes = e->is_pair ? 2 : e->bytes;
	bool less = a < b;

	if (e->format) {
		if (float_is_nan(e->format, a))
			return float_is_nan(e->format, b) ? float_nan(e->format) : b;
		if (float_is_nan(e->format, b))
			return a;
		less = float_order(a, bytes) < float_order(b, bytes);
	} else if (e->is_signed) {
		less = sign_extended(a, bytes) < sign_extended(b, bytes);
	}
	return less == lesser ? a : b;
}

static uint64_t combine_one(const struct element *e, uint32_t how, uint64_t old, uint64_t x)
{
	switch (how) {
	case SASS_ATOM_ADD:
		return e->format ? add_float(e, old, x) : old + x;
	case SASS_ATOM_MIN:
		return choose(e, old, x, true);
	case SASS_ATOM_MAX:
		return choose(e, old, x, false);
	case SASS_ATOM_INC:
		return old >= x ? 0 : old + 1;
	case SASS_ATOM_DEC:
		return !old || old > x ? x : old - 1;
	case SASS_ATOM_AND:
		return old & x;
	case SASS_ATOM_OR:
		return old | x;
	case SASS_ATOM_XOR:
		return old ^ x;
	default: /* exchange */
		return x;
	}
}

uint64_t element_combine(const struct element *e, uint32_t how, uint64_t old, uint64_t x)
{
	if (!e->is_pair)
		return combine_one(e, how, old, x);
	return combine_one(e, how, old & 0xffff, x & 0xffff) |
	       combine_one(e, how, old >> 16, x >> 16) << 16;
}

/* Sets *old_ to the value before; new_ may use it, and is computed again if the element changed. */
#define UPDATE(type, at, old_, new_) \
	do { \
		type seen_ = __atomic_load_n((type *)(void *)(at), __ATOMIC_RELAXED); \
\
		do { \
			*(old_) = seen_; \
		} while (!__atomic_compare_exchange_n((type *)(void *)(at), &seen_, (type)(new_), \
						      true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)); \
	} while (0)

uint64_t element_reduce(const struct element *e, uint8_t *at, uint32_t how, uint64_t x)
{
	uint64_t old;

	if (e->bytes == 8)
		UPDATE(uint64_t, at, &old, element_combine(e, how, old, x));
	else if (e->bytes == 4)
		UPDATE(uint32_t, at, &old, element_combine(e, how, old, x));
	else
		UPDATE(uint16_t, at, &old, element_combine(e, how, old, x));
	return old;
}

uint64_t element_compare_and_swap(const struct element *e, uint8_t *at, uint64_t compare,
				  uint64_t x)
{
	uint64_t old;

	if (e->bytes == 8)
		UPDATE(uint64_t, at, &old, old == compare ? x : old);
	else
		UPDATE(uint32_t, at, &old, old == compare ? x : old);
	return old;
}
