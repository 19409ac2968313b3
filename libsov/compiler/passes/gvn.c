// SPDX-License-Identifier: MIT
/*
 * Value numbering: of several computations of the same value, the first stays and the others become
 * it, where the first dominates them. The dominator tree is walked with a scoped hash table, so
 * that what is found is always in force. Two instructions are the same when they agree in
 * operation, type, attributes and arguments, the arguments of commutative operations in either
 * order. Pure operations qualify, phis of one block, and loads of what does not change while a
 * kernel runs: marked invariant, or from parameters or constant memory.
 *
 * Another load may be shared only where nothing can have written in between: within one block, with
 * no write to a space that might overlap, barrier, fence, or ordered or volatile access between the
 * two. That is said by an epoch, a number that goes into the comparison and that is new after each
 * of these and in each block.
 *
 * Convergent operations are never shared: the same shuffle at two places is executed by different
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
	ir_val *leader; /* by value: what stands for it, 0 = itself */
	uint32_t *buckets, mask;
	struct entry *entries; /* a stack; entry 0 is unused */
	uint32_t nentries, entries_capacity;
	uint32_t epoch[IR_SPACE_COUNT], last_epoch; /* epoch 0 never ends */
};

/* An instruction as it is compared: its attributes and its arguments in their one order. */
struct form {
	struct ir_inst inst;
	ir_val args[3];
};

static void normalise(const struct ir_inst *p, struct form *n)
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

static uint32_t mix(uint32_t h, uint64_t x)
{
	h = (h ^ (uint32_t)x) * 0x9e3779b1u;
	h = (h ^ (uint32_t)(x >> 32) ^ h >> 15) * 0x85ebca6bu;
	return h ^ h >> 13;
}

static uint32_t hash(const struct ir_inst *p, uint32_t epoch)
{
	uint32_t h = mix(epoch, p->op | p->type << 8 | p->sub << 16 | (uint32_t)p->from << 24);

	h = mix(h, p->imm);
	h = mix(h, (uint64_t)p->symbol << 32 | p->cond << 16 | p->space << 8 | p->flags);
	for (uint32_t k = 0; k < p->nargs; k++)
		h = mix(h, p->args[k]);
	return h;
}

static bool same(const struct ir_inst *a, const struct ir_inst *b)
{
	if (a->op != b->op || a->type != b->type || a->nargs != b->nargs || a->nres != b->nres ||
	    a->imm != b->imm || a->symbol != b->symbol || a->sub != b->sub || a->cond != b->cond ||
	    a->round != b->round || a->format != b->format || a->flags != b->flags ||
	    a->space != b->space || a->from != b->from || a->align != b->align)
		return false;
	if (a->op == IR_PHI && a->block != b->block)
		return false;
	for (uint32_t k = 0; k < a->nargs; k++)
		if (a->args[k] != b->args[k])
			return false;
	return true;
}

static bool is_plain(const struct ir_inst *p) /* of a memory operation */
{
	return p->order == IR_WEAK && !(p->flags & IR_VOLATILE);
}

/* May it be shared, and until when? */
static bool may_share(const struct gvn *g, const struct ir_inst *p, uint32_t *epoch)
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

static void end_epochs(struct gvn *g)
{
	g->last_epoch++;
	for (uint32_t s = 0; s < IR_SPACE_COUNT; s++)
		g->epoch[s] = g->last_epoch;
}

/* After this instruction, which loads may give something new? */
static void note_memory(struct gvn *g, const struct ir_inst *p)
{
	const struct ir_op_info *info = &ir_ops[p->op];

	if (!(info->properties & (P_READ | P_WRITE)) || (p->op == IR_LOAD && is_plain(p)))
		return;
	if (!(info->attributes & A_MEM) || !is_plain(p) || p->space == IR_GENERIC_SPACE) {
		end_epochs(g);
	} else {
		g->last_epoch++;
		g->epoch[p->space] = g->epoch[IR_GENERIC_SPACE] = g->last_epoch;
	}
}

static ir_id find_or_add(struct gvn *g, ir_id i, uint32_t epoch)
{
	struct form mine, other;
	uint32_t h;

	normalise(ir_at(g->f, i), &mine);
	h = hash(&mine.inst, epoch);
	for (uint32_t e = g->buckets[h & g->mask]; e; e = g->entries[e].next) {
		if (g->entries[e].hash != h || g->entries[e].epoch != epoch)
			continue;
		normalise(ir_at(g->f, g->entries[e].inst), &other);
		if (same(&mine.inst, &other.inst))
			return g->entries[e].inst;
	}
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

static void take_leaders(struct gvn *g, struct ir_inst *p)
{
	for (uint32_t k = 0; k < p->nargs; k++)
		if (g->leader[p->args[k]])
			p->args[k] = g->leader[p->args[k]];
}

static bool number_block(struct gvn *g, ir_block b)
{
	bool changed = false;

	end_epochs(g);
	ir_for_each_inst_safe(g->f, b, i) {
		struct ir_inst *p = ir_at(g->f, i);
		uint32_t epoch;
		ir_id first;

		take_leaders(g, p);
		if (!may_share(g, p, &epoch)) {
			note_memory(g, p);
			continue;
		}
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
	/* What comes back along a loop was not yet numbered when its phi was visited. */
	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i)
			take_leaders(&g, ir_at(f, i));
	return changed;
}
