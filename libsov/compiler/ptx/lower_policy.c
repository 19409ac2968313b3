// SPDX-License-Identifier: MIT
/*
 * Lowering of cache policies and hints. A policy is a number of 64 bits that only the target's
 * accesses read; where it has none, they are lowered without. What createpolicy computes is mined
 * from ptxas 13.0 (-arch sm_80), bit by bit of the upper word; the lower one is 0:
 *
 *   24-28  the priority of the data: bit 28 and 2 for evict_first, 4 for evict_last, 6 for
 *          evict_normal, in bits 25 and 26; bit 24: the other data is evicted first
 *   20-23  fractional: the fraction of the data with that priority, in sixteenths less one
 *   27     range: bits 20-23 are the size of blocks, as a power of two from 4096 on, bits 12-18 the
 *          first block, bits 5-11 the number of blocks
 */
#include <string.h>
#include "libsov/compiler/ptx/front_end.h"
#include "libsov/compiler/base/target.h"

#define PRIORITY_SHIFT 20
#define POLICY         UINT32_C(0x10000000)
#define OTHERS_FIRST   UINT32_C(0x01000000)
#define FRACTION_SCALE UINT32_C(0x417fd70a) /* 15.99 */
#define FRACTION_SHIFT 20
#define FRACTION_MASK  UINT32_C(0x00f00000)
#define RANGE          UINT32_C(0x08000000)
#define EMPTY_RANGE    UINT32_C(0x18000000)
#define BLOCKS_BITS    7  /* blocks of the total size */
#define MIN_BLOCK      12 /* logarithm */
#define BLOCK_SHIFT    20
#define BLOCK_MASK     UINT32_C(0x00f00000)
#define START_SHIFT    12
#define START_MASK     UINT32_C(0x0007f000)
#define COUNT_SHIFT    5
#define MAX_COUNT      127
#define ONE            UINT32_C(0x3f800000)

static bool has_policy(const struct ptx *x, const struct ptx_inst *in)
{
	const struct target *t = x->job->target;

	return in->role[ROLE_POLICY] && t && t->cache_policies;
}

uint32_t ptx_read_policy(struct ptx *x, const struct ptx_inst *in, ir_val *policy)
{
	bool has = has_policy(x, in);

	if (has)
		*policy = ptx_read_role(x, in, ROLE_POLICY);
	return has;
}

void ptx_set_policy(struct ptx *x, const struct ptx_inst *in, ir_id i)
{
	if (has_policy(x, in))
		ir_at(x->func, i)->flags |= IR_POLICY;
}

uint8_t ptx_fetch_of(const struct ptx_inst *in)
{
	return ptx_is_spelled(in, ".L2::64B")    ? IR_FETCH_64
	       : ptx_is_spelled(in, ".L2::128B") ? IR_FETCH_128
	       : ptx_is_spelled(in, ".L2::256B") ? IR_FETCH_256
						 : IR_FETCH_NONE;
}

uint8_t ptx_eviction_of(const struct ptx_inst *in)
{
	if (ptx_has_modifier(in, SLOT_HINT))
		return in->value[SLOT_HINT];
	return ptx_has_modifier(in, SLOT_CACHE) && in->value[SLOT_CACHE] != CACHE_VOLATILE
		       ? in->value[SLOT_CACHE]
		       : IR_EVICT_NORMAL;
}

bool ptx_check_hints(struct ptx *x, const struct ptx_inst *in)
{
	bool policy = in->role[ROLE_POLICY],
	     shared = ptx_has_modifier(in, SLOT_SPACE) && in->value[SLOT_SPACE] != IR_GLOBAL;

	if (ptx_has_modifier(in, SLOT_HINT) && ptx_has_modifier(in, SLOT_CACHE))
		ptx_error(x, &in->name,
			  "'%s': a cache operator and an eviction priority exclude each other",
			  ptx_spelling(x, in));
	else if (ptx_is_spelled(in, ".L2::cache_hint") != policy)
		ptx_error(x, &in->name, "'%s' %s", ptx_spelling(x, in),
			  policy ? "has a cache policy, but not .L2::cache_hint"
				 : "has no cache policy, but .L2::cache_hint");
	else if (policy && shared)
		ptx_error(x, &in->name, "'%s': only global memory has cache policies",
			  ptx_spelling(x, in));
	else
		return true;
	return false;
}

/* The bits of the first priority that the instruction names, and of the second one. */
static uint32_t priorities_of(const struct ptx_inst *in)
{
	static const struct {
		const char *name;
		uint32_t bits;
	} priorities[] = {{".L2::evict_unchanged", 0},
			  {".L2::evict_first", 2},
			  {".L2::evict_last", 4},
			  {".L2::evict_normal", 6}};
	uint32_t bits = POLICY, found = 0;

	for (uint32_t m = 0; m < in->nmodifiers; m++) {
		const struct ptx_token *t = &in->modifiers[m];

		for (size_t k = 0; k < sizeof(priorities) / sizeof(priorities[0]); k++) {
			if (t->length != strlen(priorities[k].name) ||
			    memcmp(t->text, priorities[k].name, t->length))
				continue;
			if (!found++)
				bits |= priorities[k].bits << (PRIORITY_SHIFT + 4);
			else if (priorities[k].bits == 2)
				bits |= OTHERS_FIRST;
		}
	}
	return bits;
}

static ir_val word(struct ptx *x, uint32_t value)
{
	return ptx_emit_constant(x, IR_B32, value);
}

static ir_val shifted_field(struct ptx *x, ir_val v, uint32_t shift, uint32_t mask)
{
	v = ptx_op(x, IR_SHL, IR_B32, v, word(x, shift), 0);
	return ptx_op(x, IR_AND, IR_B32, v, word(x, mask), 0);
}

static ir_val fractional_policy(struct ptx *x, const struct ptx_inst *in)
{
	ir_val fraction = in->role[ROLE_A] ? ptx_read_role(x, in, ROLE_A) : word(x, ONE), count;

	fraction = ptx_op(x, IR_FMUL, IR_B32, fraction, word(x, FRACTION_SCALE), 0);
	count = ptx_op(x, IR_FTOU, IR_B32, fraction, 0, 0);
	ir_def(x->func, count)->from = IR_B32;
	ir_def(x->func, count)->round = IR_RZ;
	return ptx_op(x, IR_OR, IR_B32, shifted_field(x, count, FRACTION_SHIFT, FRACTION_MASK),
		      word(x, priorities_of(in)), 0);
}

/* The lowest 32 bits of an address over the size of a block. */
static ir_val block_of(struct ptx *x, ir_val address, ir_val size)
{
	return ptx_op(x, IR_SHR_U, IR_B64, address, size, 0);
}

static ir_val range_policy(struct ptx *x, const struct ptx_inst *in)
{
	ir_val address, total = ptx_read_role(x, in, ROLE_C), size, end, count, start, bits, fits;
	uint64_t offset;

	if (!ptx_read_address(x, in, in->role[ROLE_A], IR_GLOBAL, 1, &address, &offset))
		return 0;
	if (!address)
		address = ptx_emit_constant(x, IR_B64, offset);
	else if (offset)
		address =
			ptx_op(x, IR_ADD, IR_B64, address, ptx_emit_constant(x, IR_B64, offset), 0);
	/* the logarithm of the total size, rounded up, less that of the number of blocks */
	size = ptx_op(x, IR_CLZ, IR_B32, ptx_op(x, IR_SUB, IR_B32, total, word(x, 1), 0), 0, 0);
	size = ptx_op(x, IR_SUB, IR_B32, word(x, 32 - BLOCKS_BITS), size, 0);
	size = ptx_op(x, IR_MAX_S, IR_B32, size, word(x, MIN_BLOCK), 0);
	end = ptx_op(x, IR_SHL, IR_B32, word(x, 1), size, 0);
	end = ptx_op(x, IR_SUB, IR_B32, end, word(x, 1), 0);
	end = ptx_op(x, IR_ADD, IR_B32, end, ptx_read_role(x, in, ROLE_B), 0);
	end = ptx_op(x, IR_ADD, IR_B64, ptx_convert(x, IR_ZEXT, IR_B32, IR_B64, end), address, 0);
	start = block_of(x, address, size);
	count = ptx_op(x, IR_SUB, IR_B64, block_of(x, end, size), start, 0);
	count = ptx_op(x, IR_MIN_U, IR_B64, count, ptx_emit_constant(x, IR_B64, MAX_COUNT), 0);
	count = ptx_convert(x, IR_TRUNC, IR_B64, IR_B32, count);
	start = ptx_convert(x, IR_TRUNC, IR_B64, IR_B32, start);
	size = ptx_op(x, IR_SUB, IR_B32, size, word(x, MIN_BLOCK), 0);
	bits = ptx_op(x, IR_OR, IR_B32, shifted_field(x, size, BLOCK_SHIFT, BLOCK_MASK),
		      shifted_field(x, start, START_SHIFT, START_MASK), 0);
	bits = ptx_op(x, IR_OR, IR_B32, bits,
		      shifted_field(x, count, COUNT_SHIFT, MAX_COUNT << COUNT_SHIFT), 0);
	bits = ptx_op(x, IR_OR, IR_B32, bits, word(x, priorities_of(in) | RANGE), 0);
	fits = ptx_op(x, IR_ICMP, IR_B32, total, word(x, 0), 0);
	ir_def(x->func, fits)->cond = IR_NE;
	return ptx_op(x, IR_SELECT, IR_B32, fits, bits, word(x, EMPTY_RANGE));
}

/* createpolicy.cvt takes what an access property of CUDA C++ is: a policy. */
void ptx_lower_createpolicy(struct ptx *x, const struct ptx_inst *in)
{
	ir_val high;

	if (ptx_is_spelled(in, ".cvt")) {
		ptx_write_operand(x, in->role[ROLE_D], ptx_read_role(x, in, ROLE_A));
		return;
	}
	high = ptx_is_spelled(in, ".fractional") ? fractional_policy(x, in) : range_policy(x, in);
	if (high)
		ptx_write_operand(x, in->role[ROLE_D],
				  ptx_op(x, IR_PACK, IR_B64, word(x, 0), high, 0));
}
