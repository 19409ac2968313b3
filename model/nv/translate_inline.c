// SPDX-License-Identifier: MIT
/* Loads and stores without a call: words of a whole warp in global memory or in the block's shared
 * memory, of which each half of the lanes (16: blocks are often as wide) has adjacent ones, or for
 * loads the same one. The address of a half's first lane is checked against the span that the
 * instruction used last (struct mmu_site), the others against their distance from it. All other
 * accesses are calls after the end of the block. */
#include "model/nv/translate_block.h"

#if EMIT_HOST

#define HALVES 2u
/* Vectors: first words and high words of a half, differences, what must be zero, offsets of the
 * lanes, results. */
enum { FIRST, HIGH, DISTANCE, OTHER, ANY_DISTANCE, ANY_OTHER, ANY_HIGH, OFFSETS, RESULT };

struct access {
	struct block *b;
	const struct op *op;
	bool store, shared;
	struct late_call *late;
};

static void leave_if(struct access *a, enum condition c)
{
	a->late->from[a->late->jumps++] = emit_jump(a->b->e, c);
}

static uint32_t row_at(uint32_t row, uint32_t lane)
{
	return row * ROW_BYTES + lane * 4;
}

static uint32_t site_at(const struct access *a, size_t member)
{
	return (uint32_t)(offsetof(struct exec, thread.reader.sites[a->store][a->op->span_site]) +
			  member);
}

/* d becomes the host address of the half's first lane. Destroys S_2 and S_4. */
static void half_in_global(struct access *a, enum scalar d, uint32_t half)
{
	const struct op *op = a->op;
	struct emit *e = a->b->e;

	emit_scalar_load(e, d, S_ROWS, row_at(op->address.row, half * LANES / HALVES));
	if (op->address.offset) { /* with it, low words could wrap around inside of a span */
		emit_scalar_op_constant(e, S_CMP, d, UINT32_MAX - 64);
		leave_if(a, IF_ABOVE);
	}
	emit_scalar_load(e, S_4, S_ROWS, row_at(op->address.row + 1u, 0));
	emit_scalar_shift64(e, V_LEFT, S_4, 32);
	emit_scalar64(e, S_ADD, d, S_4);
	if (op->address.offset)
		emit_scalar64_constant(e, S_ADD, d, (int32_t)op->address.offset);
	emit_scalar_load64(e, S_2, S_WARP, OF_WARP(exec));
	emit_scalar64_memory(e, S_SUB, d, S_2, site_at(a, offsetof(struct mmu_site, start)));
	emit_scalar64_memory(e, S_CMP, d, S_2, site_at(a, offsetof(struct mmu_site, limit)));
	leave_if(a, IF_NOT_BELOW);
	emit_test_constant(e, d, 3);
	leave_if(a, IF_NOT_ZERO);
	emit_scalar64_memory(e, S_ADD, d, S_2, site_at(a, offsetof(struct mmu_site, host)));
}

static void half_in_shared(struct access *a, enum scalar d, uint32_t half)
{
	struct emit *e = a->b->e;

	emit_scalar_load(e, d, S_ROWS, row_at(a->op->address.row, half * LANES / HALVES));
	if (a->op->address.offset)
		emit_scalar_op_constant(e, S_ADD, d, (uint32_t)a->op->address.offset);
	emit_test_constant(e, d, 3);
	leave_if(a, IF_NOT_ZERO);
	emit_scalar_load(e, S_4, S_GRID, (uint32_t)offsetof(struct grid, shared_bytes));
	emit_scalar64_constant(e, S_SUB, S_4, 64);
	emit_scalar64(e, S_CMP, d, S_4);
	leave_if(a, IF_GREATER);
	emit_scalar_load64(e, S_4, S_WARP, OF_WARP(cta));
	emit_scalar64_memory(e, S_ADD, d, S_4, (uint32_t)offsetof(struct cta, shared));
}

/* Ors what differs from the first lane of the half into the vectors ANY_... */
static void compare_half(struct access *a, uint32_t half)
{
	uint32_t chunks = a->b->e->chunks / HALVES, lanes = a->b->e->lanes;
	const struct op *op = a->op;
	struct emit *e = a->b->e;

	emit_broadcast(e, FIRST, S_ROWS, row_at(op->address.row, half * LANES / HALVES));
	if (!a->shared)
		emit_broadcast(e, HIGH, S_ROWS, row_at(op->address.row + 1u, 0));
	for (uint32_t c = 0; c < chunks; c++) {
		uint32_t chunk = half * chunks + c;
		int distance = c ? DISTANCE : ANY_DISTANCE, other = c ? OTHER : ANY_OTHER;

		block_row(a->b, distance, op->address.row, chunk);
		emit_vector(e, V_SUB, distance, distance, FIRST);
		emit_word_offsets(e, OFFSETS, c * lanes);
		emit_vector(e, V_XOR, other, distance, OFFSETS);
		if (c) {
			emit_vector(e, V_OR, ANY_DISTANCE, ANY_DISTANCE, distance);
			emit_vector(e, V_OR, ANY_OTHER, ANY_OTHER, other);
		}
		if (a->shared)
			continue;
		block_row(a->b, c ? OTHER : ANY_HIGH, op->address.row + 1u, chunk);
		emit_vector(e, V_XOR, c ? OTHER : ANY_HIGH, c ? OTHER : ANY_HIGH, HIGH);
		if (c)
			emit_vector(e, V_OR, ANY_HIGH, ANY_HIGH, OTHER);
	}
	if (!a->shared)
		emit_vector(e, V_OR, ANY_OTHER, ANY_OTHER, ANY_HIGH);
}

static void load_half(struct access *a, enum scalar host, uint32_t half)
{
	uint32_t chunks = a->b->e->chunks / HALVES, lanes = a->b->e->lanes;
	struct emit *e = a->b->e;
	emit_jump_at other = emit_jump_any(e, ANY_OTHER), done;

	for (uint32_t c = 0; c < chunks; c++)
		emit_load(e, RESULT + (int)(half * chunks + c), host, c * lanes * 4);
	done = emit_jump(e, ALWAYS);
	emit_here(e, other);
	if (!a->shared)
		emit_vector(e, V_OR, ANY_DISTANCE, ANY_DISTANCE, ANY_HIGH);
	a->late->from[a->late->jumps++] = emit_jump_any(e, ANY_DISTANCE);
	for (uint32_t c = 0; c < chunks; c++)
		emit_broadcast(e, RESULT + (int)(half * chunks + c), host, 0);
	emit_here(e, done);
}

static bool is_simple(const struct op *op, bool store, bool shared)
{
	if (op->inst->mod[SASS_M_WIDTH] != SASS_WIDTH_32 || op->address.urow != UREG_ZERO ||
	    op->address.offset != (int32_t)op->address.offset)
		return false;
	if (store ? op->s[0].kind != SOURCE_ROW : op->d >= ROW_ZERO)
		return false;
	return shared ? !op->address.wide : op->address.wide && op->address.row < ROW_ZERO;
}

bool block_inline_access(struct block *b, const struct op *op, run_fn *fn)
{
	bool store = op->inst->op == SASS_STG || op->inst->op == SASS_STS;
	bool shared = op->inst->op == SASS_LDS || op->inst->op == SASS_STS;
	const struct sass_operand *o = &op->inst->ops[op->data[1]];
	struct access a = {.b = b, .op = op, .store = store, .shared = shared};
	struct emit *e = b->e;

	if (!b->whole || b->late_count == MAX_LATE_CALLS || !is_simple(op, store, shared))
		return false;
	a.late = block_late_call(b, fn);
	emit_scalar_op_constant(e, S_CMP, b->lanes, ALL_LANES);
	leave_if(&a, IF_NOT_ZERO);
	if (!shared && o->flags & SASS_DESC && o->aux != SASS_URZ) {
		emit_compare_memory(e, S_WARP, OF_WARP(ur) + 4u * o->aux, 0);
		leave_if(&a, IF_NOT_ZERO);
	}
	if (shared) {
		emit_compare_memory_byte(e, S_GRID, (uint32_t)offsetof(struct grid, has_clusters),
					 0);
		leave_if(&a, IF_NOT_ZERO);
	}
	for (uint32_t half = 0; half < HALVES; half++) {
		enum scalar host = half ? S_1 : S_0;

		if (shared)
			half_in_shared(&a, host, half);
		else
			half_in_global(&a, host, half);
		compare_half(&a, half);
		if (store)
			a.late->from[a.late->jumps++] = emit_jump_any(e, ANY_OTHER);
		else
			load_half(&a, host, half);
	}
	for (uint32_t c = 0; c < e->chunks; c++) {
		uint32_t chunks = e->chunks / HALVES;

		if (!store) {
			block_destination(b, 0, RESULT + (int)c, c);
			continue;
		}
		block_row(b, RESULT, op->s[0].row, c);
		emit_store(e, c / chunks ? S_1 : S_0, c % chunks * e->lanes * 4, RESULT);
	}
	block_late_return(b, a.late);
	return true;
}

#endif
