// SPDX-License-Identifier: MIT
/*
 * Global value numbering: replaces an instruction by an equal one that dominates it. The pass walks
 * the dominator tree with a scoped hash table, so that every entry dominates the current block.
 * Instructions are equal when operation, type, attributes and arguments agree, with the arguments
 * of commutative operations in either order. Candidates are pure operations, phis of one block, and
 * loads of memory that does not change while a kernel runs: invariant loads, parameters and
 * constant memory.
 *
 * Other loads are candidates only within one block and without an aliasing store, barrier, fence,
 * or ordered or volatile access in between. An epoch number, part of the key, enforces this: each
 * such access and each block start a new epoch.
 *
 * A comparison becomes the negation of an earlier one of the block with the opposite condition.
 *
 * Convergent operations are never replaced: the same shuffle at two sites is executed by different
 * sets of lanes.
 */
#include "libsov/compiler/ir/cond.h"
#include "libsov/compiler/analysis/cfg_walk.h"
#include "libsov/compiler/passes/pass.h"

struct entry {
	ir_id inst;
	uint32_t hash, epoch;
	uint32_t next; /* in its bucket */
};

struct gvn {
	struct ir_func *f;
	struct arena *arena;
	ir_val *leader; /* by value: its replacement; 0: none */
	uint32_t *buckets, mask;
	struct entry *entries; /* a stack; entry 0 is unused */
	uint32_t nentries, entries_capacity;
	uint32_t epoch[IR_SPACE_COUNT], last_epoch; /* epoch 0 is for values that never change */
};

/* The key of an instruction: its attributes and its arguments in canonical order. */
struct key {
	struct ir_inst inst;
	ir_val args[3];
};

static void make_key(const struct ir_inst *p, struct key *n)
{
	bool compare = p->op == IR_ICMP || p->op == IR_FCMP;
	bool swaps = ir_ops[p->op].properties & P_COMM || p->op == IR_MAD || p->op == IR_FMA;

	n->inst = *p;
	if (!compare && !swaps)
		return;
	for (uint32_t k = 0; k < p->nargs; k++)
		n->args[k] = p->args[k];
	n->inst.args = n->args;
	if (n->args[0] > n->args[1]) {
		n->args[0] = p->args[1];
		n->args[1] = p->args[0];
		if (compare)
			n->inst.cond = cond_mirrored[p->cond];
	}
}

static uint32_t hash_mix(uint32_t h, uint64_t x)
{
	h = (h ^ (uint32_t)x) * 0x9e3779b1u;
	h = (h ^ (uint32_t)(x >> 32) ^ h >> 15) * 0x85ebca6bu;
	return h ^ h >> 13;
}

static uint32_t hash_inst(const struct ir_inst *p, uint32_t epoch)
{
	uint32_t h = hash_mix(epoch, p->op | p->type << 8 | p->sub << 16 | (uint32_t)p->from << 24);

	h = hash_mix(h, p->imm);
	h = hash_mix(h, (uint64_t)p->symbol << 32 | p->cond << 16 | p->space << 8 | p->flags);
	for (uint32_t k = 0; k < p->nargs; k++)
		h = hash_mix(h, p->args[k]);
	return h;
}

static bool is_equal(const struct ir_inst *a, const struct ir_inst *b)
{
	if (a->op != b->op || a->type != b->type || a->nargs != b->nargs || a->nres != b->nres ||
	    a->imm != b->imm || a->symbol != b->symbol || a->sub != b->sub || a->cond != b->cond ||
	    a->round != b->round || a->format != b->format || a->flags != b->flags ||
	    a->space != b->space || a->from != b->from || a->align != b->align ||
	    a->evict != b->evict || a->fetch != b->fetch)
		return false;
	if (a->op == IR_PHI && a->block != b->block)
		return false;
	for (uint32_t k = 0; k < a->nargs; k++)
		if (a->args[k] != b->args[k])
			return false;
	return true;
}

static bool is_plain(const struct ir_inst *p) /* neither ordered nor volatile */
{
	return p->order == IR_WEAK && !(p->flags & IR_VOLATILE);
}

/* Whether an instruction is a candidate, and its epoch. */
static bool is_candidate(const struct gvn *g, const struct ir_inst *p, uint32_t *epoch)
{
	*epoch = 0;
	if (ir_ops[p->op].properties & P_PURE || p->op == IR_PHI)
		return true;
	if (p->op != IR_LOAD || !is_plain(p))
		return false;
	if (!(p->flags & IR_INVARIANT) && p->space != IR_PARAM && p->space != IR_CONSTANT)
		*epoch = g->epoch[p->space];
	return true;
}

static void new_epochs(struct gvn *g)
{
	g->last_epoch++;
	for (uint32_t s = 0; s < IR_SPACE_COUNT; s++)
		g->epoch[s] = g->last_epoch;
}

/* Starts a new epoch for the spaces that an instruction may write. */
static void update_epochs(struct gvn *g, const struct ir_inst *p)
{
	const struct ir_op_info *info = &ir_ops[p->op];

	if (!(info->properties & (P_READ | P_WRITE)) || (p->op == IR_LOAD && is_plain(p)))
		return;
	if (!(info->attributes & A_MEM) || !is_plain(p) || p->space == IR_GENERIC_SPACE) {
		new_epochs(g);
	} else {
		g->last_epoch++;
		g->epoch[p->space] = g->epoch[IR_GENERIC_SPACE] = g->last_epoch;
	}
}

/* The instruction of this key; 0: there is none. */
static ir_id find(const struct gvn *g, const struct key *mine, uint32_t h, uint32_t epoch)
{
	struct key other;

	for (uint32_t e = g->buckets[h & g->mask]; e; e = g->entries[e].next) {
		if (g->entries[e].hash != h || g->entries[e].epoch != epoch)
			continue;
		make_key(ir_at(g->f, g->entries[e].inst), &other);
		if (is_equal(&mine->inst, &other.inst))
			return g->entries[e].inst;
	}
	return 0;
}

/* Negates the result of an opposite comparison instead. The longer life of a predicate is worth it
 * within a block. */
static bool reuse_opposite(struct gvn *g, struct ir_inst *p)
{
	struct ir_inst opposite = *p;
	struct key key;
	ir_id first;

	if (p->op != IR_ICMP && p->op != IR_FCMP)
		return false;
	opposite.cond = cond_inverse[p->cond];
	make_key(&opposite, &key);
	first = find(g, &key, hash_inst(&key.inst, 0), 0);
	if (!first || ir_at(g->f, first)->block != p->block)
		return false;
	p->op = IR_NOT;
	p->type = IR_B1;
	p->cond = p->flags = p->format = 0;
	p->nargs = 1;
	p->args[0] = ir_at(g->f, first)->res;
	return true;
}

static ir_id find_or_add(struct gvn *g, ir_id i, uint32_t epoch)
{
	struct key mine;
	uint32_t h;
	ir_id first;

	make_key(ir_at(g->f, i), &mine);
	h = hash_inst(&mine.inst, epoch);
	first = find(g, &mine, h, epoch);
	if (first)
		return first;
	g->entries = arena_grow(g->arena, g->entries, &g->entries_capacity, g->nentries + 1,
				sizeof(*g->entries));
	g->entries[g->nentries] = (struct entry){
		.inst = i,
		.hash = h,
		.epoch = epoch,
		.next = g->buckets[h & g->mask],
	};
	g->buckets[h & g->mask] = g->nentries++;
	return i;
}

static void replace_args(struct gvn *g, struct ir_inst *p)
{
	for (uint32_t k = 0; k < p->nargs; k++)
		if (g->leader[p->args[k]])
			p->args[k] = g->leader[p->args[k]];
}

static bool number_block(struct gvn *g, ir_block b)
{
	bool changed = false;

	new_epochs(g);
	ir_for_each_inst_safe(g->f, b, i) {
		struct ir_inst *p = ir_at(g->f, i);
		uint32_t epoch;
		ir_id first;

		replace_args(g, p);
		if (!is_candidate(g, p, &epoch)) {
			update_epochs(g, p);
			continue;
		}
		changed |= reuse_opposite(g, p);
		first = find_or_add(g, i, epoch);
		if (first == i)
			continue;
		for (uint32_t k = 0; k < p->nres; k++)
			g->leader[p->res + k] = ir_at(g->f, first)->res + k;
		ir_remove(g->f, i);
		changed = true;
	}
	return changed;
}

bool pass_gvn(struct ir_func *f, const struct target *t)
{
	struct arena *a = f->module->arena;
	struct cfg_domtree tree = cfg_domtree_build(f, ir_cfg_build(f));
	struct gvn g = {.f = f, .arena = a, .nentries = 1, .mask = 63};
	uint32_t *mark = arena_array(a, tree.count + 1, sizeof(*mark)); /* by depth */
	uint32_t depth = 0;
	bool changed = false;

	(void)t;
	while (g.mask < f->ninsts)
		g.mask = 2 * g.mask + 1;
	g.buckets = arena_array(a, (size_t)g.mask + 1, sizeof(*g.buckets));
	g.leader = arena_array(a, f->nvalues, sizeof(*g.leader));
	for (uint32_t k = 0; k < tree.count; k++) {
		for (; depth > tree.depth[tree.order[k]]; depth--) {
			while (g.nentries > mark[depth]) {
				struct entry *e = &g.entries[--g.nentries];

				g.buckets[e->hash & g.mask] = e->next;
			}
		}
		mark[++depth] = g.nentries;
		changed |= number_block(&g, tree.order[k]);
	}
	/* Back-edge arguments of phis were not numbered yet when the phi was visited. */
	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i)
			replace_args(&g, ir_at(f, i));
	return changed;
}
