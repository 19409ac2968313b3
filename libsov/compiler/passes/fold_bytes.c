// SPDX-License-Identifier: MIT
/*
 * Bytes that are extracted and put together again. Programs store a word byte by byte, and front
 * ends merge such stores: shifts, masks, permutations and conversions then only move bytes. Each
 * byte of the result is followed to the value that it comes from. If all of them are consecutive
 * bytes of one value, the result is a part of that value.
 */
#include "libsov/compiler/passes/fold.h"

/* Operations between a byte and its origin that are followed. */
#define MAX_DEPTH 6

/* Where a byte comes from: a byte of a value, or a constant. */
struct byte_origin {
	ir_val value; /* 0: constant */
	uint32_t byte;
};

static const struct byte_origin zero_byte = {0};

static uint32_t bytes_of(const struct fold *fold, ir_val v)
{
	return ir_type_bits(fold->f->values[v].type) / 8;
}

static struct byte_origin origin_of(const struct fold *fold, ir_val v, uint32_t byte,
				    uint32_t depth);

static bool is_zero_byte(struct byte_origin o)
{
	return !o.value && !o.byte;
}

/* A shift by whole bytes. */
static bool follow_shift(const struct fold *fold, const struct ir_inst *in, uint32_t byte,
			 uint32_t depth, struct byte_origin *o)
{
	uint32_t size = ir_type_bits(in->type) / 8;
	uint64_t k;

	if (!ir_is_const(fold->f, in->args[1], &k) || k % 8 || k / 8 >= size)
		return false;
	byte = in->op == IR_SHL ? byte - (uint32_t)k / 8 : byte + (uint32_t)k / 8;
	*o = byte < size ? origin_of(fold, in->args[0], byte, depth) : zero_byte;
	return true;
}

static bool follow_mask(const struct fold *fold, const struct ir_inst *in, uint32_t byte,
			uint32_t depth, struct byte_origin *o)
{
	uint64_t k;

	if (!ir_is_const(fold->f, in->args[1], &k))
		return false;
	k = k >> 8 * byte & 0xff;
	if (k && k != 0xff)
		return false;
	*o = k ? origin_of(fold, in->args[0], byte, depth) : zero_byte;
	return true;
}

static bool follow_union(const struct fold *fold, const struct ir_inst *in, uint32_t byte,
			 uint32_t depth, struct byte_origin *o)
{
	struct byte_origin a = origin_of(fold, in->args[0], byte, depth);
	struct byte_origin b = origin_of(fold, in->args[1], byte, depth);

	*o = is_zero_byte(a) ? b : a;
	return is_zero_byte(a) || is_zero_byte(b);
}

/* Without selectors that replicate a sign. */
static bool follow_permute(const struct fold *fold, const struct ir_inst *in, uint32_t byte,
			   uint32_t depth, struct byte_origin *o)
{
	uint64_t k;

	if (!ir_is_const(fold->f, in->args[2], &k))
		return false;
	k = k >> 4 * byte & 0xf;
	if (k >= 8)
		return false;
	*o = origin_of(fold, in->args[k / 4], k % 4, depth);
	return true;
}

static bool follow_convert(const struct fold *fold, const struct ir_inst *in, uint32_t byte,
			   uint32_t depth, struct byte_origin *o)
{
	if (in->from < IR_B8)
		return false;
	*o = byte < bytes_of(fold, in->args[0]) ? origin_of(fold, in->args[0], byte, depth)
						: zero_byte;
	return true;
}

static bool follow_halves(const struct fold *fold, const struct ir_inst *in, uint32_t byte,
			  uint32_t depth, struct byte_origin *o)
{
	uint32_t half = ir_type_bits(in->type) / 16;

	*o = origin_of(fold, in->args[byte / half], byte % half, depth);
	return true;
}

static bool (*const follow[IR_OP_COUNT])(const struct fold *fold, const struct ir_inst *in,
					 uint32_t byte, uint32_t depth, struct byte_origin *o) = {
	[IR_SHL] = follow_shift,     [IR_SHR_U] = follow_shift,     [IR_AND] = follow_mask,
	[IR_OR] = follow_union,      [IR_PERMUTE] = follow_permute, [IR_ZEXT] = follow_convert,
	[IR_TRUNC] = follow_convert, [IR_PACK] = follow_halves,
};

static struct byte_origin origin_of(const struct fold *fold, ir_val v, uint32_t byte,
				    uint32_t depth)
{
	const struct ir_inst *in = fold_def(fold, v);
	struct byte_origin o;

	if (in->op == IR_CONST)
		return (struct byte_origin){.byte = in->imm >> 8 * byte & 0xff};
	/* The halves of 64 bits are registers of their own. */
	if (in->op == IR_UNPACK && in->type != IR_B64 && depth) {
		byte += v == in->res ? 0 : bytes_of(fold, v);
		return origin_of(fold, in->args[0], byte, depth - 1);
	}
	if (depth && follow[in->op] && follow[in->op](fold, in, byte, depth - 1, &o))
		return o;
	return (struct byte_origin){v, byte};
}

/* Whether the instruction is what it would be replaced by already. */
static bool is_part(const struct fold *fold, const struct fold_site *site, struct byte_origin first)
{
	const struct ir_inst *a = fold_def(fold, site->a);

	if (site->p.op != IR_TRUNC)
		return false;
	return site->a == first.value || (a->op == IR_SHR_U && a->args[0] == first.value);
}

bool fold_bytes(struct fold *fold, const struct fold_site *site)
{
	uint32_t size = site->bits / 8;
	struct byte_origin first;
	enum ir_type type;
	ir_val v;

	if (size < 2)
		return false;
	first = origin_of(fold, site->p.res, 0, MAX_DEPTH);
	if (!first.value || first.value == site->p.res)
		return false;
	for (uint32_t k = 1; k < size; k++) {
		struct byte_origin next = origin_of(fold, site->p.res, k, MAX_DEPTH);

		if (next.value != first.value || next.byte != first.byte + k)
			return false;
	}
	v = first.value;
	type = fold->f->values[v].type;
	if (is_part(fold, site, first))
		return false;
	if (type == site->p.type)
		return fold_to_value(fold, site, v);
	if (first.byte)
		v = ir_at(fold->f, fold_new(fold, site, IR_SHR_U, type, v,
					    fold_const(fold, site, IR_B32, 8 * first.byte)))
			    ->res;
	return fold_to_convert(fold, site, IR_TRUNC, v);
}
