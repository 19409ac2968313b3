// SPDX-License-Identifier: MIT
/*
 * List scheduling within a block: of the instructions that can go next, the one with the longest
 * way to the block's end. It runs twice with the same code. Before registers are assigned only true
 * dependences hold instructions back, and loads move away from their uses; where that would make
 * too many values live at once, the instruction that frees most goes first. Afterwards it sees
 * registers, and mends what predication and phi moves have added.
 *
 * Memory operations keep their order where one of two writes and they may touch the same place;
 * loads pass loads. Convergent operations keep their order among each other, and neither they nor
 * memory operations cross an EXIT.
 */
#include <string.h>
#include "libsov/compiler/nv/mir.h"

/* Live units above which freeing comes first: 64 registers let 1024 threads run on an SM. */
#define COMFORTABLE 56

struct edge {
	uint32_t to, latency;
	struct edge *next;
};

struct node {
	struct mir_inst *inst;
	struct edge *out;
	uint32_t waits;    /* predecessors not yet scheduled */
	uint32_t earliest; /* cycle */
	uint32_t height;   /* cycles to the end */
};

struct access { /* a node that names a resource, and how */
	uint32_t node;
	struct sass_reg_use use;
	struct access *next;
};

struct resource {
	uint32_t stamp; /* block in which the rest is valid */
	struct access write; /* the last one; node 0 = none */
	struct access *reads; /* since then */
	uint32_t left; /* mentions still to come */
};

struct scheduler {
	struct mir_func *f;
	uint32_t block, stamp;
	struct node *nodes; /* from 1, in the old order */
	uint32_t count, capacity;
	struct resource *resources;
	uint32_t nresources;
	uint32_t live; /* GPR units, as far as known */
};

/* What an operand names: a register, or before registers are assigned a unit. */
static uint32_t resource_of(const struct mir_func *f, const struct mir_use *u)
{
	if (f->allocated)
		return mir_resource(u->kind, u->reg);
	return u->ref.vreg ? mir_unit(f, u->ref) : UINT32_MAX;
}

static struct resource *resource_at(struct scheduler *s, uint32_t r)
{
	struct resource *res = &s->resources[r];

	if (res->stamp != s->stamp)
		*res = (struct resource){.stamp = s->stamp};
	return res;
}

static void add_edge(struct scheduler *s, uint32_t from, uint32_t to, uint32_t latency)
{
	struct edge *e;

	if (!from || from == to)
		return;
	e = arena_alloc(s->f->arena, sizeof(*e));
	*e = (struct edge){.to = to, .latency = latency, .next = s->nodes[from].out};
	s->nodes[from].out = e;
	s->nodes[to].waits++;
}

/* Dependences through registers. */

static uint32_t result_latency(const struct scheduler *s, const struct access *w,
			       const struct mir_inst *reader, const struct sass_reg_use *read)
{
	const struct sass_inst *writer = &s->nodes[w->node].inst->sass;
	uint32_t least = sass_raw(s->f->sm, writer, &w->use, &reader->sass, read);
	uint32_t typical = sass_variable(s->f->sm, writer) ? sass_estimate(s->f->sm, writer) : 0;

	return least > typical ? least : typical;
}

static void depend_read(struct scheduler *s, uint32_t n, uint32_t r, const struct sass_reg_use *use)
{
	struct resource *res = resource_at(s, r);
	struct access *a;

	if (res->write.node)
		add_edge(s, res->write.node, n,
			 result_latency(s, &res->write, s->nodes[n].inst, use));
	a = arena_alloc(s->f->arena, sizeof(*a));
	*a = (struct access){.node = n, .use = *use, .next = res->reads};
	res->reads = a;
}

static void depend_write(struct scheduler *s, uint32_t n, uint32_t r,
			 const struct sass_reg_use *use)
{
	struct resource *res = resource_at(s, r);
	const struct sass_inst *in = &s->nodes[n].inst->sass;

	if (res->write.node) {
		const struct sass_inst *first = &s->nodes[res->write.node].inst->sass;
		uint32_t least = sass_waw(s->f->sm, first, in);
		uint32_t typical =
			sass_variable(s->f->sm, first) ? sass_estimate(s->f->sm, first) : 0;

		add_edge(s, res->write.node, n, least > typical ? least : typical);
	}
	for (const struct access *a = res->reads; a; a = a->next) {
		const struct sass_inst *reader = &s->nodes[a->node].inst->sass;

		add_edge(s, a->node, n,
			 sass_reads_late(s->f->sm, reader) ? sass_estimate(s->f->sm, reader) / 2
							   : 1);
	}
	res->write = (struct access){.node = n, .use = *use};
	res->reads = NULL;
}

static void depend_registers(struct scheduler *s, uint32_t n)
{
	struct mir_use uses[SASS_MAX_USES];
	struct sass_reg_use found[SASS_MAX_USES];
	uint32_t count = mir_uses(s->nodes[n].inst, uses);

	sass_uses(&s->nodes[n].inst->sass, found);
	for (int writes = 0; writes < 2; writes++) {
		for (uint32_t u = 0; u < count; u++) {
			uint32_t r = resource_of(s->f, &uses[u]);

			if (r == UINT32_MAX || uses[u].write != (bool)writes)
				continue;
			for (uint32_t k = 0; k < uses[u].count; k++) {
				if (writes)
					depend_write(s, n, r + k, &found[u]);
				else
					depend_read(s, n, r + k, &found[u]);
			}
		}
	}
}

/* Dependences through memory and the rest of the world. */

static const struct sass_operand *address_of(const struct mir_inst *i, struct mir_ref *base)
{
	for (uint32_t k = 0; k < i->sass.nops; k++) {
		if (i->sass.ops[k].kind == SASS_ADDR) {
			*base = i->ref[k];
			return &i->sass.ops[k];
		}
	}
	return NULL;
}

/* Same base (a name of SSA form: the same value), and apart by their offsets. */
static bool apart(const struct mir_inst *a, const struct mir_inst *b)
{
	struct mir_ref base_a = {0}, base_b = {0};
	const struct sass_operand *x = address_of(a, &base_a), *y = address_of(b, &base_b);

	if (!x || !y || base_a.vreg != base_b.vreg || base_a.part != base_b.part ||
	    (!base_a.vreg && x->reg != y->reg))
		return false;
	return x->value + a->memory.bytes <= y->value || y->value + b->memory.bytes <= x->value;
}

static bool memory_conflict(const struct mir_inst *a, const struct mir_inst *b)
{
	uint8_t both = a->memory.effect & b->memory.effect,
		any = a->memory.effect | b->memory.effect;

	if (!a->memory.effect || !b->memory.effect)
		return false;
	if (both & MIR_ORDERED)
		return true;
	if (!(any & MIR_WRITES))
		return false;
	if (a->memory.space != IR_SPACE_COUNT && b->memory.space != IR_SPACE_COUNT &&
	    a->memory.space != b->memory.space)
		return false;
	return !apart(a, b);
}

static bool must_keep_order(const struct mir_inst *a, const struct mir_inst *b)
{
	bool exit_a = a->sass.op == SASS_EXIT, exit_b = b->sass.op == SASS_EXIT;

	if (exit_a && exit_b)
		return true;
	if (exit_a || exit_b) {
		const struct mir_inst *other = exit_a ? b : a;

		/* A load that a lane should never have reached might fault. */
		return other->memory.effect || other->memory.bytes || other->members;
	}
	return (a->members && b->members) || memory_conflict(a, b);
}

static bool has_order(const struct mir_inst *i)
{
	return i->memory.effect || i->memory.bytes || i->members || i->sass.op == SASS_EXIT;
}

/* Nodes that have an order are few; each is compared with all before it, back to one that is in
 * order with everything. */
static void depend_order(struct scheduler *s, uint32_t n)
{
	const struct mir_inst *i = s->nodes[n].inst;

	if (!has_order(i))
		return;
	for (uint32_t k = n - 1; k; k--) {
		const struct mir_inst *before = s->nodes[k].inst;

		if (has_order(before) && must_keep_order(before, i))
			add_edge(s, k, n, 1);
	}
}

/* A phi's next value had better be written after the last read of the phi: then the two can share a
 * register, and the edge needs no move. Reads that came before in the old order can stay before. */
static void depend_phi(struct scheduler *s, const struct mir_phi *phi, uint32_t u,
		       struct mir_ref next)
{
	uint32_t old = s->f->vregs[phi->vreg].first_unit + u;
	struct resource *read, *written;

	if (!next.vreg)
		return;
	read = resource_at(s, old);
	written = resource_at(s, mir_unit(s->f, next));
	for (const struct access *a = read->reads; a && written->write.node; a = a->next) {
		if (a->node < written->write.node)
			add_edge(s, a->node, written->write.node, 0);
	}
}

static void depend_phis(struct scheduler *s)
{
	const struct mir_func *f = s->f;
	const struct mir_block *block = &f->blocks[s->block];

	for (uint32_t k = 0; k < block->nsucc; k++) {
		const struct mir_block *to = &f->blocks[block->succ[k]];

		for (uint32_t p = 0; p < to->nphis; p++) {
			uint32_t units = f->vregs[to->phis[p].vreg].units;

			for (uint32_t n = 0; n < to->npreds * units; n++) {
				if (to->preds[n / units] == s->block)
					depend_phi(s, &to->phis[p], n % units,
						   to->phis[p].args[n].ref);
			}
		}
	}
}

static void add_node(struct scheduler *s, struct mir_inst *i)
{
	uint32_t n = ++s->count;

	s->nodes = arena_grow(s->f->arena, s->nodes, &s->capacity, n + 1, sizeof(*s->nodes));
	s->nodes[n] = (struct node){.inst = i};
	i->number = n;
}

static void build(struct scheduler *s)
{
	s->count = 0;
	s->stamp++;
	mir_for_each(s->f, s->block, i)
		add_node(s, i);
	for (uint32_t n = 1; n <= s->count; n++) {
		depend_registers(s, n);
		depend_order(s, n);
		/* What ends the block comes after everything. */
		for (uint32_t k = 1; s->nodes[n].inst->keep_last && k < n; k++)
			add_edge(s, k, n, 0);
	}
	if (!s->f->allocated)
		depend_phis(s);
	for (uint32_t n = s->count; n; n--) {
		struct node *node = &s->nodes[n];

		node->height = 1;
		for (const struct edge *e = node->out; e; e = e->next) {
			uint32_t height = s->nodes[e->to].height + e->latency;

			if (height > node->height)
				node->height = height;
		}
	}
}

/* Pressure: how many GPR units would be live after the instruction, compared with now. */

static void count_mentions(struct scheduler *s)
{
	struct mir_func *f = s->f;
	struct mir_use uses[SASS_MAX_USES];

	s->live = 0;
	for (uint32_t v = 1; v < f->nvregs; v++) {
		for (uint32_t k = 0; f->vregs[v].kind == SASS_GPR && k < f->vregs[v].units; k++)
			s->live += mir_has(f->blocks[s->block].live_in, f->vregs[v].first_unit + k);
	}
	for (uint32_t n = 1; n <= s->count; n++) {
		uint32_t count = mir_uses(s->nodes[n].inst, uses);

		for (uint32_t u = 0; u < count; u++) {
			for (uint32_t k = 0; uses[u].ref.vreg && k < uses[u].count; k++)
				resource_at(s, mir_unit(f, uses[u].ref) + k)->left++;
		}
	}
}

static int pressure_change(struct scheduler *s, const struct mir_inst *i)
{
	const struct mir_func *f = s->f;
	struct mir_use uses[SASS_MAX_USES];
	uint32_t count = mir_uses(i, uses);
	int change = 0;

	for (uint32_t u = 0; u < count; u++) {
		struct mir_ref r = uses[u].ref;

		if (!r.vreg || uses[u].kind != SASS_GPR)
			continue;
		if (uses[u].write && f->vregs[r.vreg].leader == i)
			change += f->vregs[r.vreg].units;
		for (uint32_t k = 0; !uses[u].write && k < uses[u].count; k++) {
			uint32_t unit = mir_unit(f, r) + k;

			change -= resource_at(s, unit)->left == 1 &&
				  !mir_has(f->blocks[s->block].live_out, unit);
		}
	}
	return change;
}

static void mention(struct scheduler *s, const struct mir_inst *i)
{
	struct mir_use uses[SASS_MAX_USES];
	uint32_t count = mir_uses(i, uses);

	s->live = (uint32_t)((int)s->live + pressure_change(s, i));
	for (uint32_t u = 0; u < count; u++) {
		for (uint32_t k = 0; uses[u].ref.vreg && k < uses[u].count; k++)
			resource_at(s, mir_unit(s->f, uses[u].ref) + k)->left--;
	}
}

/* Whether a goes before b at this cycle. */
static bool better(struct scheduler *s, const struct node *a, const struct node *b, uint32_t cycle)
{
	uint32_t wait_a = a->earliest > cycle ? a->earliest : cycle;
	uint32_t wait_b = b->earliest > cycle ? b->earliest : cycle;

	if (!s->f->allocated && s->live > COMFORTABLE) {
		int change_a = pressure_change(s, a->inst), change_b = pressure_change(s, b->inst);

		if (change_a != change_b)
			return change_a < change_b;
		return a < b;
	}
	if (wait_a != wait_b)
		return wait_a < wait_b;
	return a->height > b->height;
}

static uint32_t choose(struct scheduler *s, const uint32_t *ready, uint32_t nready, uint32_t cycle)
{
	uint32_t best = 0;

	for (uint32_t k = 1; k < nready; k++) {
		const struct node *a = &s->nodes[ready[k]], *b = &s->nodes[ready[best]];

		if (better(s, a, b, cycle) || (!better(s, b, a, cycle) && a < b))
			best = k;
	}
	return best;
}

static void schedule_block(struct scheduler *s)
{
	struct mir_func *f = s->f;
	uint32_t *ready, nready = 0, cycle = 0;

	build(s);
	if (!f->allocated)
		count_mentions(s);
	ready = arena_array(f->arena, s->count + 1, sizeof(*ready));
	for (uint32_t n = 1; n <= s->count; n++) {
		if (!s->nodes[n].waits)
			ready[nready++] = n;
	}
	f->blocks[s->block].first = f->blocks[s->block].last = NULL;
	while (nready) {
		uint32_t k = choose(s, ready, nready, cycle);
		struct node *node = &s->nodes[ready[k]];

		ready[k] = ready[--nready];
		if (node->earliest > cycle)
			cycle = node->earliest;
		mir_insert(f, s->block, NULL, node->inst);
		if (!f->allocated)
			mention(s, node->inst);
		for (const struct edge *e = node->out; e; e = e->next) {
			struct node *to = &s->nodes[e->to];

			if (cycle + e->latency > to->earliest)
				to->earliest = cycle + e->latency;
			if (!--to->waits)
				ready[nready++] = e->to;
		}
		cycle++;
	}
}

void nv_schedule(struct mir_func *f)
{
	struct scheduler s = {.f = f};

	if (!f->allocated)
		nv_liveness(f);
	s.nresources = f->allocated ? (uint32_t)MIR_RESOURCES : f->nunits;
	s.resources = arena_array(f->arena, s.nresources + 1, sizeof(*s.resources));
	mir_for_each_block(f, b) {
		s.block = b;
		schedule_block(&s);
	}
}
