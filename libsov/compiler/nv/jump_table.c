// SPDX-License-Identifier: MIT
/*
 * Jump tables. A tree or chain of branches that compares one register with constants over and over
 * selects an interval of that register's value: brx.idx and switch statements compile to it. From
 * MIN_COMPARISONS on, indexing a table is faster. The table is code: a BRA to each target, after a
 * BRX that jumps to one of them (ptxas has a table of addresses in a constant bank instead; reading
 * that takes longer than a second jump).
 *
 *	min    i, value, last           values beyond the last constant have one target
 *	shl    i, i, 4
 *	BRX    i                        to the next instruction, plus i
 *	BRA    target of 0              slots, a block each
 *	BRA    target of 1
 *	…
 *
 * Phis of a target keep an argument for each edge from the tree: a landing block between slots and
 * target stands for that edge. If-conversion removes it if no copy is placed there.
 */
#include <string.h>
#include "libsov/compiler/nv/mir.h"

#define MIN_COMPARISONS    7 /* for eight targets */
#define MAX_SLOTS          4096
#define MAX_SLOTS_PER_NODE 4 /* slots per comparison */
#define SLOT_SHIFT         4 /* an instruction has 16 bytes */

struct node {
	uint32_t block;
	uint32_t bound; /* constant */
	uint8_t cmp;    /* mask of SASS_CMP_ bits: less, equal, greater */
	bool is_signed, inverted;
	uint32_t next[2];    /* nodes + 1; 0: the edge leaves the tree … */
	uint32_t landing[2]; /* … through this block */
	bool taken[2];
};

struct tree {
	struct mir_func *f;
	uint32_t root;
	struct mir_ref value;
	struct node *nodes;
	uint32_t count, capacity;
	uint32_t last;           /* slot of all greater values */
	const uint32_t *readers; /* by vreg: see mir_count_reads() */
};

/* A constant operand: zero is a register. */
static bool is_constant(const struct mir_inst *i, uint32_t operand, uint64_t *value)
{
	const struct sass_operand *o = &i->sass.ops[operand];

	*value = o->kind == SASS_IMM ? (uint64_t)o->value : 0;
	return o->kind == SASS_IMM ||
	       (o->kind == SASS_GPR && o->reg == SASS_RZ && !i->ref[operand].vreg);
}

/* The comparison that decides a block's branch, in this block. */
static struct mir_inst *find_comparison(const struct mir_func *f, uint32_t b)
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
	    i->sass.ops[2].flags || !is_constant(i, 3, &bound) || bound >= MAX_SLOTS)
		return NULL;
	return i;
}

static bool add_node(struct tree *t, uint32_t b)
{
	const struct mir_inst *i = find_comparison(t->f, b);
	struct node n = {.block = b};
	uint64_t bound;

	if (!i || i->ref[2].vreg != t->value.vreg || i->ref[2].part != t->value.part)
		return false;
	is_constant(i, 3, &bound);
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

/* A successor that only compares, for its own branch alone, belongs to the tree. */
static bool is_inner_node(const struct tree *t, uint32_t b)
{
	const struct mir_block *block = &t->f->blocks[b];

	return block->npreds == 1 && !block->nphis && block->first && block->first == block->last &&
	       t->readers[block->cond.ref.vreg] == 1;
}

static void grow_tree(struct tree *t)
{
	for (uint32_t k = 0; k < t->count && t->count < MAX_SLOTS; k++) {
		const struct mir_block *block = &t->f->blocks[t->nodes[k].block];

		for (uint32_t s = 0; s < 2; s++)
			if (is_inner_node(t, block->succ[s]) && add_node(t, block->succ[s]))
				t->nodes[k].next[s] = t->count;
	}
}

struct leaf {
	uint32_t node, side;
};

/* The edge that a value takes out of the tree. */
static struct leaf find_leaf(const struct tree *t, uint32_t value)
{
	struct leaf l = {0, 0};

	for (;;) {
		const struct node *n = &t->nodes[l.node];
		bool less = n->is_signed ? (int32_t)value < (int32_t)n->bound : value < n->bound;
		uint8_t is = less ? SASS_CMP_LT : value == n->bound ? SASS_CMP_EQ : SASS_CMP_GT;

		l.side = !!(n->cmp & is) == n->inverted;
		if (!n->next[l.side])
			return l;
		l.node = n->next[l.side] - 1;
	}
}

static bool same_leaf(struct leaf a, struct leaf b)
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

/* Whether two edges out of the tree lead to the same block with the same phi arguments. */
static bool is_duplicate_edge(const struct tree *t, struct leaf a, struct leaf b)
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

/* Computes last and the edges that values take; false if no table is possible or worth it. No
 * comparison distinguishes values from last on, except negative ones. */
static bool plan_table(struct tree *t)
{
	struct leaf beyond = find_leaf(t, t->last), negative = find_leaf(t, UINT32_MAX);

	if (!same_leaf(beyond, negative) && !is_duplicate_edge(t, beyond, negative))
		return false;
	while (t->last && same_leaf(find_leaf(t, t->last - 1), beyond))
		t->last--;
	if (t->last >= MAX_SLOTS || t->last > MAX_SLOTS_PER_NODE * t->count)
		return false;
	for (uint32_t v = 0; v <= t->last; v++) {
		struct leaf l = find_leaf(t, v);

		t->nodes[l.node].taken[l.side] = true;
	}
	/* The target of an edge that no value takes would become unreachable. */
	for (uint32_t k = 0; k < t->count; k++)
		for (uint32_t s = 0; s < 2; s++)
			if (!t->nodes[k].next[s] && !t->nodes[k].taken[s] &&
			    !same_leaf((struct leaf){k, s}, negative))
				return false;
	return true;
}

/* ---- building the table ---- */

static struct mir_inst *append_inst(struct tree *t, uint32_t b, enum sass_op op)
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

/* Replaces an edge out of the tree by a landing block. */
static uint32_t make_landing(struct tree *t, const struct node *n, uint32_t side)
{
	uint32_t to = t->f->blocks[n->block].succ[side], b = new_block(t, t->root);

	mir_add_edge(t->f, b, to);
	t->f->blocks[to].npreds--; /* the new edge takes the old one's position */
	t->f->blocks[to].preds[find_pred(t->f, to, n->block)] = b;
	return b;
}

/* Removes an edge out of the tree that duplicates another one. */
static void drop_edge(struct tree *t, const struct node *n, uint32_t side)
{
	struct mir_func *f = t->f;
	uint32_t to = f->blocks[n->block].succ[side], p = find_pred(f, to, n->block);
	uint32_t following = f->blocks[to].npreds - p - 1;

	for (uint32_t k = 0; k < f->blocks[to].nphis; k++) {
		struct mir_phi *phi = &f->blocks[to].phis[k];
		uint32_t units = f->vregs[phi->vreg].units;

		memmove(phi->args + p * units, phi->args + (p + 1) * units,
			following * units * sizeof(*phi->args));
	}
	mir_remove_pred(f, n->block, to);
}

static void emit_index(struct tree *t)
{
	struct mir_func *f = t->f;
	uint32_t root = t->root;
	struct mir_ref pair = {mir_vreg_new(f, SASS_GPR, 2), 0};
	struct mir_source index =
		mir_reg(SASS_GPR, (struct mir_ref){mir_vreg_new(f, SASS_GPR, 1), 0});
	struct mir_source inside = mir_pred_const(true);
	struct mir_inst *i;

	if (f->sm < 75) { /* no IMNMX */
		inside = mir_reg(SASS_PRED, (struct mir_ref){mir_vreg_new(f, SASS_PRED, 1), 0});
		i = append_inst(t, root, SASS_ISETP);
		mir_set_operand(i, 0, inside);
		mir_set_operand(i, 2, mir_reg(SASS_GPR, t->value));
		mir_set_operand(i, 3, mir_imm(t->last));
		mir_set_operand(i, 4, mir_pred_const(true));
		i->sass.mod[SASS_M_CMP] = SASS_CMP_LT;
	}
	i = append_inst(t, root, f->sm >= 90 ? SASS_VIMNMX : f->sm >= 75 ? SASS_IMNMX : SASS_SEL);
	mir_set_operand(i, 0, index);
	mir_set_operand(i, 1, mir_reg(SASS_GPR, t->value));
	mir_set_operand(i, 2, mir_imm(t->last));
	mir_set_operand(i, 3, inside); /* minimum */
	i = append_inst(t, root, SASS_SHF);
	mir_set_operand(i, 0, mir_reg(SASS_GPR, pair));
	mir_set_operand(i, 1, index);
	mir_set_operand(i, 2, mir_imm(SLOT_SHIFT));
	mir_set_operand(i, 3, (struct mir_source){.op = {.kind = SASS_GPR, .reg = SASS_RZ}});
	i->sass.mod[SASS_M_SHTYPE] = SASS_SH_U32;
	i = append_inst(t, root, SASS_MOV);
	mir_set_operand(i, 0, mir_reg(SASS_GPR, (struct mir_ref){pair.vreg, 1}));
	mir_set_operand(i, 1, mir_imm(0));
	i = append_inst(t, root, SASS_BRX);
	mir_set_operand(i, 1, mir_reg(SASS_GPR, pair));
	mir_set_operand(i, 2, (struct mir_source){.op = {.kind = SASS_TARGET}});
	i->terminator = true;
}

static void build_table(struct tree *t)
{
	struct mir_func *f = t->f;
	uint32_t root = t->root, after = root;

	if (t->readers[f->blocks[root].cond.ref.vreg] == 1)
		mir_remove(f, root, find_comparison(f, root));
	emit_index(t);
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
		struct leaf l = find_leaf(t, v);

		after = new_block(t, after);
		f->blocks[after].table_slot = true;
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
	struct tree t = {.f = f};

	mir_for_each_block(f, b) {
		const struct mir_inst *i = find_comparison(f, b);

		if (!i)
			continue;
		t = (struct tree){.f = f,
				  .root = b,
				  .value = i->ref[2],
				  .nodes = t.nodes,
				  .capacity = t.capacity};
		if (!add_node(&t, b))
			continue;
		t.readers = readers = readers ? readers : mir_count_reads(f);
		grow_tree(&t);
		if (t.count >= MIN_COMPARISONS && plan_table(&t))
			build_table(&t);
	}
}
