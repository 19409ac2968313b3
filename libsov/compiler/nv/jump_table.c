// SPDX-License-Identifier: MIT
/*
 * Jump tables. A tree or chain of branches that compares one register with constants, over and over,
 * asks which of its intervals a number is in: what becomes of brx.idx, and of a switch. From some
 * size on the number is better taken as a place in a table. The table is code: a jump to each
 * target, all of one size, behind a BRX that goes so many of them further (ptxas has a table of
 * addresses in a constant bank instead; reading that takes longer than a second jump).
 *
 *	min    i, number, last          numbers beyond the last constant go one way
 *	shl    i, i, 4
 *	BRX    i                        to the next instruction, plus i
 *	BRA    target of 0              "slots", a block each
 *	BRA    target of 1
 *	…
 *
 * Phis of a target keep an argument for each edge that led there from the tree: a block between
 * slots and target stands for that edge. Where nothing is copied in it, it goes later.
 */
#include <string.h>
#include "libsov/compiler/nv/mir.h"

#define LEAST_NODES 7 /* comparisons: eight targets */
#define MOST_SLOTS  4096
#define SPARSE      4 /* slots for each comparison */
#define SLOT_SHIFT  4 /* an instruction has 16 bytes */

struct node {
	uint32_t block;
	uint32_t bound; /* constant */
	uint8_t cmp;    /* of bits: less, equal, greater */
	bool is_signed, inverted;
	uint32_t next[2];    /* nodes + 1; 0: this edge leaves the tree … */
	uint32_t landing[2]; /* … by this block */
	bool taken[2];
};

struct tree {
	struct mir_func *f;
	uint32_t root;
	struct mir_ref number;
	struct node *nodes;
	uint32_t count, capacity;
	uint32_t last;           /* slot, where all greater numbers go */
	const uint32_t *readers; /* by register, see count_readers() */
};

/* By register: how often its value is wanted. */
static uint32_t *count_readers(const struct mir_func *f)
{
	uint32_t *readers = arena_array(f->arena, f->nvregs, sizeof(*readers));

	mir_for_each_block(f, b) {
		const struct mir_block *block = &f->blocks[b];

		readers[block->cond.ref.vreg]++;
		for (uint32_t p = 0; p < block->nphis; p++)
			for (uint32_t k = 0;
			     k < block->npreds * f->vregs[block->phis[p].vreg].units; k++)
				readers[block->phis[p].args[k].ref.vreg]++;
		mir_for_each(f, b, i) {
			uint32_t n;
			const struct mir_use *uses = mir_uses(f, i, &n);

			for (uint32_t u = 0; u < n; u++)
				readers[uses[u].ref.vreg] += !uses[u].write;
		}
	}
	return readers;
}

/* A constant operand: zero is a register. */
static bool constant(const struct mir_inst *i, uint32_t operand, uint64_t *value)
{
	const struct sass_operand *o = &i->sass.ops[operand];

	*value = o->kind == SASS_IMM ? (uint64_t)o->value : 0;
	return o->kind == SASS_IMM ||
	       (o->kind == SASS_GPR && o->reg == SASS_RZ && !i->ref[operand].vreg);
}

/* The comparison that decides a block's branch, in this block. */
static struct mir_inst *comparison(const struct mir_func *f, uint32_t b)
{
	const struct mir_block *block = &f->blocks[b];
	struct mir_inst *i = block->last;
	uint64_t bound;

	if (block->end != MIR_END_BRANCH || !block->cond.ref.vreg)
		return NULL;
	while (i && !(i->sass.op == SASS_ISETP && i->ref[0].vreg == block->cond.ref.vreg))
		i = i->prev;
	if (!i || i->sass.guard != SASS_PT || i->sass.mod[SASS_M_EX] || i->sass.mod[SASS_M_BOOL] ||
	    i->ref[1].vreg || i->ref[4].vreg || i->sass.ops[4].reg != SASS_PT ||
	    i->sass.ops[4].flags || i->sass.ops[2].kind != SASS_GPR || !i->ref[2].vreg ||
	    i->sass.ops[2].flags || !constant(i, 3, &bound) || bound >= MOST_SLOTS)
		return NULL;
	return i;
}

static bool add_node(struct tree *t, uint32_t b)
{
	const struct mir_inst *i = comparison(t->f, b);
	struct node n = {.block = b};
	uint64_t bound;

	if (!i || i->ref[2].vreg != t->number.vreg || i->ref[2].part != t->number.part)
		return false;
	constant(i, 3, &bound);
	n.bound = (uint32_t)bound;
	n.cmp = i->sass.mod[SASS_M_CMP];
	n.is_signed = i->sass.mod[SASS_M_SIGNED];
	n.inverted = t->f->blocks[b].cond.op.flags & SASS_NEG;
	t->nodes = arena_grow(t->f->arena, t->nodes, &t->capacity, t->count + 1, sizeof(*t->nodes));
	t->nodes[t->count++] = n;
	if (n.bound >= t->last)
		t->last = n.bound + 1;
	return true;
}

/* A block below that does nothing but compare, for its own branch alone, belongs to the tree. */
static bool belongs(const struct tree *t, uint32_t b)
{
	const struct mir_block *block = &t->f->blocks[b];

	return block->npreds == 1 && !block->nphis && block->first && block->first == block->last &&
	       t->readers[block->cond.ref.vreg] == 1;
}

static void grow(struct tree *t)
{
	for (uint32_t k = 0; k < t->count && t->count < MOST_SLOTS; k++) {
		const struct mir_block *block = &t->f->blocks[t->nodes[k].block];

		for (uint32_t s = 0; s < 2; s++)
			if (belongs(t, block->succ[s]) && add_node(t, block->succ[s]))
				t->nodes[k].next[s] = t->count;
	}
}

struct leaf {
	uint32_t node, side;
};

/* Where a number goes. */
static struct leaf find(const struct tree *t, uint32_t number)
{
	struct leaf l = {0, 0};

	for (;;) {
		const struct node *n = &t->nodes[l.node];
		bool less = n->is_signed ? (int32_t)number < (int32_t)n->bound : number < n->bound;
		uint8_t is = less ? SASS_CMP_LT : number == n->bound ? SASS_CMP_EQ : SASS_CMP_GT;

		l.side = !!(n->cmp & is) == n->inverted;
		if (!n->next[l.side])
			return l;
		l.node = n->next[l.side] - 1;
	}
}

static bool same(struct leaf a, struct leaf b)
{
	return a.node == b.node && a.side == b.side;
}

static uint32_t target_of(const struct tree *t, struct leaf l)
{
	return t->f->blocks[t->nodes[l.node].block].succ[l.side];
}

static uint32_t find_pred(const struct mir_func *f, uint32_t b, uint32_t from)
{
	uint32_t p = 0;

	while (f->blocks[b].preds[p] != from)
		p++;
	return p;
}

/* Whether two edges out of the tree lead to the same place with the same values. */
static bool alike(const struct tree *t, struct leaf a, struct leaf b)
{
	const struct mir_func *f = t->f;
	uint32_t to = target_of(t, a), x, y;

	if (to != target_of(t, b) || a.node == b.node)
		return false;
	x = find_pred(f, to, t->nodes[a.node].block);
	y = find_pred(f, to, t->nodes[b.node].block);
	for (uint32_t p = 0; p < f->blocks[to].nphis; p++) {
		const struct mir_phi *phi = &f->blocks[to].phis[p];
		uint32_t units = f->vregs[phi->vreg].units;

		if (memcmp(phi->args + x * units, phi->args + y * units,
			   units * sizeof(*phi->args)))
			return false;
	}
	return true;
}

/* No comparison tells numbers from last on apart, but for those that are negative. */
static bool measure(struct tree *t)
{
	struct leaf beyond = find(t, t->last), negative = find(t, UINT32_MAX);

	if (!same(beyond, negative) && !alike(t, beyond, negative))
		return false;
	while (t->last && same(find(t, t->last - 1), beyond))
		t->last--;
	if (t->last >= MOST_SLOTS || t->last > SPARSE * t->count)
		return false;
	for (uint32_t v = 0; v <= t->last; v++) {
		struct leaf l = find(t, v);

		t->nodes[l.node].taken[l.side] = true;
	}
	/* What no number leads to would be left without a way there. */
	for (uint32_t k = 0; k < t->count; k++)
		for (uint32_t s = 0; s < 2; s++)
			if (!t->nodes[k].next[s] && !t->nodes[k].taken[s] &&
			    !same((struct leaf){k, s}, negative))
				return false;
	return true;
}

/* ---- making the table ---- */

static struct mir_inst *append(struct tree *t, uint32_t b, enum sass_op op)
{
	struct mir_inst *i = mir_inst_new(t->f, op);

	i->line = t->f->blocks[b].line;
	mir_insert(t->f, b, NULL, i);
	return i;
}

static uint32_t new_block(struct tree *t, uint32_t after)
{
	uint32_t b = mir_block_new(t->f, after);

	t->f->blocks[b].end = MIR_END_JUMP;
	t->f->blocks[b].line = t->f->blocks[t->root].line;
	t->f->blocks[b].depth = t->f->blocks[t->root].depth;
	return b;
}

/* Takes the place of an edge out of the tree. */
static uint32_t make_landing(struct tree *t, const struct node *n, uint32_t side)
{
	uint32_t to = t->f->blocks[n->block].succ[side], b = new_block(t, t->root);

	mir_add_edge(t->f, b, to);
	t->f->blocks[to].npreds--; /* the old edge's place is the new one's */
	t->f->blocks[to].preds[find_pred(t->f, to, n->block)] = b;
	return b;
}

/* An edge out of the tree goes, for another is like it. */
static void drop_edge(struct tree *t, const struct node *n, uint32_t side)
{
	struct mir_func *f = t->f;
	uint32_t to = f->blocks[n->block].succ[side], p = find_pred(f, to, n->block);
	uint32_t behind = f->blocks[to].npreds - p - 1;

	for (uint32_t k = 0; k < f->blocks[to].nphis; k++) {
		struct mir_phi *phi = &f->blocks[to].phis[k];
		uint32_t units = f->vregs[phi->vreg].units;

		memmove(phi->args + p * units, phi->args + (p + 1) * units,
			behind * units * sizeof(*phi->args));
	}
	mir_remove_pred(f, n->block, to);
}

static void compute_place(struct tree *t)
{
	struct mir_func *f = t->f;
	uint32_t root = t->root;
	struct mir_ref pair = {mir_vreg_new(f, SASS_GPR, 2), 0};
	struct mir_source place =
		mir_reg(SASS_GPR, (struct mir_ref){mir_vreg_new(f, SASS_GPR, 1), 0});
	struct mir_inst *i = append(t, root, f->sm >= 90 ? SASS_VIMNMX : SASS_IMNMX);

	mir_set_operand(i, 0, place);
	mir_set_operand(i, 1, mir_reg(SASS_GPR, t->number));
	mir_set_operand(i, 2, mir_imm(t->last));
	mir_set_operand(i, 3, mir_pred_const(true)); /* the lesser */
	i = append(t, root, SASS_SHF);
	mir_set_operand(i, 0, mir_reg(SASS_GPR, pair));
	mir_set_operand(i, 1, place);
	mir_set_operand(i, 2, mir_imm(SLOT_SHIFT));
	mir_set_operand(i, 3, (struct mir_source){.op = {.kind = SASS_GPR, .reg = SASS_RZ}});
	i->sass.mod[SASS_M_SHTYPE] = SASS_SH_U32;
	i = append(t, root, SASS_MOV);
	mir_set_operand(i, 0, mir_reg(SASS_GPR, (struct mir_ref){pair.vreg, 1}));
	mir_set_operand(i, 1, mir_imm(0));
	i = append(t, root, SASS_BRX);
	mir_set_operand(i, 1, mir_reg(SASS_GPR, pair));
	mir_set_operand(i, 2, (struct mir_source){.op = {.kind = SASS_TARGET}});
	i->terminator = true;
}

static void make_table(struct tree *t)
{
	struct mir_func *f = t->f;
	uint32_t root = t->root, after = root;

	if (t->readers[f->blocks[root].cond.ref.vreg] == 1)
		mir_remove(f, root, comparison(f, root));
	compute_place(t);
	for (uint32_t k = 0; k < t->count; k++)
		for (uint32_t s = 0; s < 2; s++) {
			struct node *n = &t->nodes[k];

			if (n->taken[s])
				n->landing[s] = make_landing(t, n, s);
			else if (!n->next[s])
				drop_edge(t, n, s);
		}
	for (uint32_t k = 0; k < t->count; k++)
		f->blocks[t->nodes[k].block].nsucc = 0;
	for (uint32_t k = 1; k < t->count; k++) {
		f->blocks[t->nodes[k].block].npreds = 0;
		mir_block_remove(f, t->nodes[k].block);
	}
	for (uint32_t v = 0; v <= t->last; v++) {
		struct leaf l = find(t, v);

		after = new_block(t, after);
		f->blocks[after].slot = true;
		mir_add_edge(f, root, after);
		mir_add_edge(f, after, t->nodes[l.node].landing[l.side]);
	}
	f->blocks[root].end = MIR_END_JUMP_TABLE;
	f->blocks[root].cond = (struct mir_source){.op = {.kind = SASS_NONE}};
	f->blocks[root].last->target = f->blocks[root].succ[0];
}

void nv_jump_tables(struct mir_func *f)
{
	const uint32_t *readers = NULL;

	mir_for_each_block(f, b) {
		const struct mir_inst *i = comparison(f, b);
		struct tree t = {.f = f, .root = b};

		if (!i)
			continue;
		t.number = i->ref[2];
		if (!add_node(&t, b))
			continue;
		t.readers = readers = readers ? readers : count_readers(f);
		grow(&t);
		if (t.count >= LEAST_NODES && measure(&t))
			make_table(&t);
	}
}
