// SPDX-License-Identifier: MIT
/*
 * Predication of short sides of branches that load. After register allocation, if_conversion.c
 * guards short sides, but then the order of the instructions is fixed: the loads of several sides
 * wait for each other. So a side that loads, or copies asynchronously, is moved into the block
 * before it, and the block after it is merged, before the instructions are scheduled:
 *
 *	before:  @P0 BRA join              before:  @!P0 LDG %t, [%p]
 *	side:    LDG %t, [%p]         =>            IADD3 %u, %t, %c
 *	         IADD3 %u, %t, %c                   SEL %v, %u, RZ, !P0
 *	join:    %v = phi [RZ], [%u]       join:    ...
 *
 * Memory is accessed under the condition only; instructions that only compute are executed always,
 * with any value in the place of one that was not loaded, and their results are not selected then.
 * A select costs a cycle after the load, which a guarded instruction does not, so that sides with
 * selects stay to if_conversion.c except in loops that multiply matrices: there the products hide
 * the latency of loads only if they are in the same block, and sides may be longer; and except in
 * chains of sides that load at least eight bytes under one condition, or sixteen under several, as
 * masked vectors of Triton are loaded: each would otherwise wait until the one before has arrived.
 */
#include "libsov/compiler/nv/mir.h"

/* Instructions of a side, the same as in if_conversion.c; with selects, near products. */
#define MAX_MOVED         8
#define MAX_MOVED_PRODUCT 20

/* Instructions without another effect than their results. */
static bool is_pure(const struct mir_inst *i)
{
	static const bool pure[SASS_OP_COUNT] = {
		[SASS_MOV] = true,   [SASS_IADD3] = true,     [SASS_VIADD] = true,
		[SASS_IMAD] = true,  [SASS_IMAD_HI] = true,   [SASS_IMAD_WIDE] = true,
		[SASS_LEA] = true,   [SASS_LEA_HI] = true,    [SASS_LEA_HI_SX32] = true,
		[SASS_LOP3] = true,  [SASS_PLOP3] = true,     [SASS_SHF] = true,
		[SASS_PRMT] = true,  [SASS_SEL] = true,       [SASS_ISETP] = true,
		[SASS_IABS] = true,  [SASS_VIMNMX] = true,    [SASS_IMNMX] = true,
		[SASS_SGXT] = true,  [SASS_FADD] = true,      [SASS_FMUL] = true,
		[SASS_FFMA] = true,  [SASS_FMNMX] = true,     [SASS_FSEL] = true,
		[SASS_FSETP] = true, [SASS_HADD2] = true,     [SASS_HMUL2] = true,
		[SASS_HFMA2] = true, [SASS_HADD2_F32] = true,
	};

	return pure[i->sass.op] && !i->memory.bytes && !i->return_address;
}

static bool is_access(const struct mir_inst *i)
{
	switch (i->sass.op) {
	case SASS_LDG:
	case SASS_LD:
	case SASS_LDS:
	case SASS_LDL:
	case SASS_LDGSTS:
		return !(i->memory.effect & MIR_ORDERED);
	default:
		return false;
	}
}

static bool is_constant_load(const struct mir_inst *i)
{
	return i->sass.op == SASS_LDC;
}

/* The instructions of a side that can be predicated and has an access; 0: it is not one. */
static uint32_t count_side(const struct mir_func *f, uint32_t b)
{
	uint32_t count = 0;
	bool accesses = false;

	mir_for_each(f, b, i) {
		bool access = is_access(i) || is_constant_load(i);

		if (i->members || i->terminator || i->sass.guard != SASS_PT || i->sass.guard_not ||
		    (!access && !is_pure(i)))
			return 0;
		accesses |= is_access(i);
		count++;
	}
	return accesses ? count : 0;
}

/* Whether a side loads a vector from global memory and can be predicated. */
static bool loads_vector(const struct mir_func *f, uint32_t b, uint32_t bytes)
{
	bool any = false;

	mir_for_each(f, b, i)
		any |= i->sass.op == SASS_LDG && i->memory.bytes >= bytes;
	return any && count_side(f, b);
}

static uint32_t pred_index(const struct mir_block *block, uint32_t pred)
{
	return block->preds[0] == pred ? 0 : 1;
}

static bool same_source(const struct mir_source *a, const struct mir_source *b)
{
	return a->op.kind == b->op.kind && a->op.flags == b->op.flags &&
	       a->ref.vreg == b->ref.vreg && a->ref.part == b->ref.part &&
	       (a->ref.vreg ||
		(a->op.reg == b->op.reg && a->op.value == b->op.value && a->op.aux == b->op.aux));
}

/* Selects that the phis of a join become; UINT32_MAX: one cannot. */
static uint32_t count_selects(const struct mir_func *f, uint32_t join)
{
	const struct mir_block *block = &f->blocks[join];
	uint32_t count = 0;

	for (uint32_t p = 0; p < block->nphis; p++) {
		const struct mir_phi *phi = &block->phis[p];
		uint32_t units = f->vregs[phi->vreg].units;

		if (f->vregs[phi->vreg].kind != SASS_GPR)
			return UINT32_MAX;
		for (uint32_t u = 0; u < units; u++)
			if (phi->args[u].op.flags || phi->args[units + u].op.flags)
				return UINT32_MAX;
		for (uint32_t u = 0; u < units; u++)
			count += !same_source(&phi->args[u], &phi->args[units + u]);
	}
	return count;
}

static bool has_product(const struct mir_func *f, uint32_t b)
{
	mir_for_each(f, b, i)
		if (sass_pipe(f->sm, &i->sass) == SASS_PIPE_TENSOR)
			return true;
	return false;
}

/* Whether the innermost loop around the block multiplies matrices: blocks that are reached without
 * leaving the loop's depth. */
static bool is_in_product_loop(const struct mir_func *f, uint32_t b)
{
	uint32_t *stack = arena_array(f->arena, f->nblocks, sizeof(*stack)), depth = 1;
	uint64_t *seen = bitset_new(f->arena, f->nblocks);

	stack[0] = b;
	bitset_add(seen, b);
	while (f->blocks[b].depth && depth) {
		const struct mir_block *block = &f->blocks[stack[--depth]];

		if (has_product(f, stack[depth]))
			return true;
		for (uint32_t s = 0; s < block->nsucc; s++) {
			uint32_t to = block->succ[s];

			if (f->blocks[to].depth < f->blocks[b].depth || bitset_has(seen, to))
				continue;
			bitset_add(seen, to);
			stack[depth++] = to;
		}
	}
	return false;
}

static bool is_general(const struct mir_source *s)
{
	return s->op.kind == SASS_GPR;
}

static struct mir_inst *append(struct mir_func *f, uint32_t b, enum sass_op op)
{
	struct mir_inst *i = mir_inst_new(f, op);

	i->line = f->blocks[b].line;
	mir_insert(f, b, NULL, i);
	return i;
}

/* d = taken ? yes : no */
static void append_select(struct mir_func *f, uint32_t b, struct mir_source d,
			  struct mir_source yes, struct mir_source no, struct mir_source taken)
{
	struct mir_source t;
	struct mir_inst *i;

	if (same_source(&yes, &no)) {
		i = mir_move(f, d, yes);
		i->line = f->blocks[b].line;
		mir_insert(f, b, NULL, i);
		return;
	}
	if (!is_general(&yes) && is_general(&no)) {
		t = yes;
		yes = no;
		no = t;
		taken.op.flags ^= SASS_NEG;
	}
	if (!is_general(&yes)) {
		t = mir_reg(SASS_GPR, (struct mir_ref){mir_vreg_new(f, SASS_GPR, 1), 0});
		i = mir_move(f, t, yes);
		i->line = f->blocks[b].line;
		mir_insert(f, b, NULL, i);
		yes = t;
	}
	i = append(f, b, SASS_SEL);
	mir_set_operand(i, 0, d);
	mir_set_operand(i, 1, yes);
	mir_set_operand(i, 2, no);
	mir_set_operand(i, 3, taken);
}

/* Replaces the phis of the join by selects at the end of b. */
static void select_phis(struct mir_func *f, uint32_t b, uint32_t side, uint32_t join,
			struct mir_source cond)
{
	struct mir_block *block = &f->blocks[join];
	uint32_t from_side = pred_index(block, side);

	for (uint32_t p = 0; p < block->nphis; p++) {
		const struct mir_phi phi = block->phis[p];
		uint32_t units = f->vregs[phi.vreg].units;

		f->vregs[phi.vreg].phi = false;
		for (uint32_t u = 0; u < units; u++)
			append_select(f, b,
				      mir_reg(SASS_GPR, (struct mir_ref){phi.vreg, (uint8_t)u}),
				      phi.args[from_side * units + u],
				      phi.args[!from_side * units + u], cond);
	}
	block->nphis = 0;
}

static void move_all(struct mir_func *f, uint32_t from, uint32_t to)
{
	mir_for_each_safe(f, from, i) {
		mir_remove(f, from, i);
		mir_insert(f, to, NULL, i);
	}
}

/* The join, whose only predecessor is now b, becomes its end. */
static void merge_join(struct mir_func *f, uint32_t b, uint32_t join)
{
	struct mir_block *block = &f->blocks[b], *next = &f->blocks[join];

	move_all(f, join, b);
	block->end = next->end;
	block->line = next->line;
	block->cond = next->cond;
	block->divergent = next->divergent;
	block->succ = next->succ;
	block->nsucc = next->nsucc;
	block->succ_capacity = next->succ_capacity;
	for (uint32_t s = 0; s < block->nsucc; s++) {
		struct mir_block *to = &f->blocks[block->succ[s]];

		for (uint32_t p = 0; p < to->npreds; p++)
			if (to->preds[p] == join)
				to->preds[p] = b;
	}
	next->nsucc = 0;
	next->npreds = 0;
	mir_block_remove(f, join);
}

static void predicate_side(struct mir_func *f, uint32_t b, uint32_t s)
{
	struct mir_block *block = &f->blocks[b];
	uint32_t side = block->succ[s], join = block->succ[!s];
	struct mir_source cond = block->cond;

	if (s)
		cond.op.flags ^= SASS_NEG;
	mir_for_each(f, side, i)
		if (is_access(i) || is_constant_load(i))
			mir_set_guard(i, cond);
	move_all(f, side, b);
	select_phis(f, b, side, join, cond);
	f->blocks[side].nsucc = 0;
	f->blocks[side].npreds = 0;
	mir_block_remove(f, side);
	merge_join(f, b, join);
}

/* Bytes of vectors for which sides under two conditions are moved together. */
static uint32_t vector_bytes_for(const struct mir_source *a, const struct mir_source *b)
{
	return a->ref.vreg == b->ref.vreg ? 8 : 16;
}

/* Whether a side under a condition and one that the block after it branches to are such. */
static bool loads_again(const struct mir_func *f, uint32_t side, const struct mir_source *cond,
			uint32_t join)
{
	const struct mir_block *block = &f->blocks[join];
	uint32_t least = vector_bytes_for(&block->cond, cond);

	for (uint32_t s = 0; block->end == MIR_END_BRANCH && s < 2; s++) {
		uint32_t next = block->succ[s];

		if (f->blocks[next].npreds == 1 && f->blocks[next].end == MIR_END_JUMP &&
		    f->blocks[next].succ[0] == block->succ[!s] && loads_vector(f, side, least) &&
		    loads_vector(f, next, least))
			return true;
	}
	return false;
}

/* Whether a side is one of a chain of sides that load vectors. */
static bool is_chained(const struct mir_func *f, uint32_t b, uint32_t side, uint32_t join,
		       const struct mir_source *chain)
{
	const struct mir_source *cond = &f->blocks[b].cond;

	return (chain->ref.vreg && loads_vector(f, side, vector_bytes_for(cond, chain))) ||
	       loads_again(f, side, cond, join);
}

/* The successor that is such a side, and leads to the other; 2: none. chain: the condition of the
 * side that was moved into the block before. */
static uint32_t find_side(const struct mir_func *f, uint32_t b, const struct mir_source *chain)
{
	const struct mir_block *block = &f->blocks[b];

	for (uint32_t s = 0; block->end == MIR_END_BRANCH && s < 2; s++) {
		uint32_t side = block->succ[s], join = block->succ[!s], moved, selects;
		const struct mir_block *beside = &f->blocks[side], *after = &f->blocks[join];

		if (side == join || join == b || side == f->entry || join == f->entry ||
		    beside->npreds != 1 || beside->end != MIR_END_JUMP || beside->nphis ||
		    beside->succ[0] != join || after->npreds != 2 || after->table_slot ||
		    beside->table_slot || after->end == MIR_END_JUMP_TABLE ||
		    beside->depth != block->depth || after->depth != block->depth)
			continue;
		moved = count_side(f, side);
		selects = moved ? count_selects(f, join) : UINT32_MAX;
		if (!selects && moved <= MAX_MOVED)
			return s;
		if (selects <= MAX_MOVED_PRODUCT && moved + selects <= MAX_MOVED_PRODUCT &&
		    is_in_product_loop(f, b))
			return s;
		if (moved <= MAX_MOVED / 2 && selects <= MAX_MOVED &&
		    is_chained(f, b, side, join, chain))
			return s;
	}
	return 2;
}

void nv_predicate_sides(struct mir_func *f)
{
	mir_for_each_block(f, b) {
		struct mir_source chain = {.ref.vreg = 0};
		uint32_t s;

		while (f->blocks[b].cond.ref.vreg && (s = find_side(f, b, &chain)) < 2) {
			chain = f->blocks[b].cond;
			predicate_side(f, b, s);
		}
	}
}
