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
#define COMFORTABLE  56
/* How far ahead of the first instruction that is still to come another may be taken. */
#define WINDOW       256
/* Instructions with an order that are compared with each other; then comes one that all wait for. */
#define MOST_ORDERED 128

struct edge {
	uint32_t to, latency;
	struct edge *next;
};

struct node {
	struct mir_inst *inst;
	const struct mir_use *uses;
	uint32_t nuses;
	struct edge *out;
	uint32_t waits;    /* predecessors not yet scheduled */
	uint32_t earliest; /* cycle */
	uint32_t height;   /* cycles to the end */
	int64_t change;    /* of the units that are live, if it went next */
	bool done;
};

struct access { /* a node that names a resource, and how */
	uint32_t node;
	struct sass_reg_use use;
	struct access *next;
};

struct resource {
	uint32_t stamp;       /* block in which the rest is valid */
	struct access write;  /* the last one; node 0 = none */
	struct access *reads; /* since then */
	uint32_t left;        /* mentions still to come … */
	uint32_t who;         /* … and their nodes, exclusive-or: of the last one, its number */
};

/* A node that waits for no other, and what of it counts then. */
struct ready {
	uint32_t node, earliest, height;
};

struct scheduler {
	struct mir_func *f;
	uint32_t block, stamp;
	struct node *nodes; /* from 1, in the old order */
	uint32_t count, capacity;
	struct resource *resources;
	uint32_t nresources;
	uint32_t live;                            /* GPR units, as far as known */
	uint32_t ordered[MOST_ORDERED], nordered; /* nodes that have an order, since fence */
	uint32_t fence; /* node that is in order with all that have one; 0 = none */
	uint32_t wall;  /* node that nothing passes, a call; 0 = none */
	struct ready *ready;
	uint32_t nready;
	uint32_t first; /* node that is not done */
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
	uint32_t least = sass_raw_latency(s->f->sm, writer, &w->use, &reader->sass, read);
	uint32_t typical = sass_has_variable_latency(s->f->sm, writer) ? sass_typical_latency(s->f->sm, writer) : 0;

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
		uint32_t least = sass_waw_latency(s->f->sm, first, in);
		uint32_t typical =
			sass_has_variable_latency(s->f->sm, first) ? sass_typical_latency(s->f->sm, first) : 0;

		add_edge(s, res->write.node, n, least > typical ? least : typical);
	}
	for (const struct access *a = res->reads; a; a = a->next) {
		const struct sass_inst *reader = &s->nodes[a->node].inst->sass;

		add_edge(s, a->node, n,
			 sass_reads_late(s->f->sm, reader) ? sass_typical_latency(s->f->sm, reader) / 2
							   : sass_war_latency(reader, in, use->kind));
	}
	res->write = (struct access){.node = n, .use = *use};
	res->reads = NULL;
}

static void depend_registers(struct scheduler *s, uint32_t n)
{
	const struct node *node = &s->nodes[n];

	for (int writes = 0; writes < 2; writes++) {
		for (uint32_t u = 0; u < node->nuses; u++) {
			const struct mir_use *use = &node->uses[u];
			struct sass_reg_use found = mir_sass_use(use);
			uint32_t r = resource_of(s->f, use);

			if (r == UINT32_MAX || use->write != (bool)writes)
				continue;
			for (uint32_t k = 0; k < use->count; k++) {
				if (writes)
					depend_write(s, n, r + k, &found);
				else
					depend_read(s, n, r + k, &found);
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
	    (!base_a.vreg && x->reg != y->reg) || a->uniform.vreg != b->uniform.vreg ||
	    a->uniform.part != b->uniform.part)
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

/* Each node that has an order is compared with those before it, up to one that all wait for. */
static void depend_order(struct scheduler *s, uint32_t n)
{
	const struct mir_inst *i = s->nodes[n].inst;
	bool fence = s->nordered == MOST_ORDERED;

	if (!has_order(i))
		return;
	add_edge(s, s->fence, n, 1);
	for (uint32_t k = s->nordered; k-- > 0;) {
		if (fence || must_keep_order(s->nodes[s->ordered[k]].inst, i))
			add_edge(s, s->ordered[k], n, 1);
	}
	if (fence) {
		s->fence = n;
		s->nordered = 0;
	} else {
		s->ordered[s->nordered++] = n;
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
	s->nodes[n].uses = mir_uses(s->f, i, &s->nodes[n].nuses);
	i->number = n;
}

static void build(struct scheduler *s)
{
	s->count = s->nordered = s->fence = s->wall = 0;
	s->stamp++;
	mir_for_each(s->f, s->block, i)
		add_node(s, i);
	for (uint32_t n = 1; n <= s->count; n++) {
		depend_registers(s, n);
		depend_order(s, n);
		add_edge(s, s->wall, n, 1);
		for (uint32_t k = s->wall + 1; mir_is_call(s->nodes[n].inst) && k < n; k++)
			add_edge(s, k, n, 1);
		if (mir_is_call(s->nodes[n].inst))
			s->wall = n;
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

static int pressure_change(struct scheduler *s, const struct node *node)
{
	const struct mir_func *f = s->f;
	int change = 0;

	for (uint32_t u = 0; u < node->nuses; u++) {
		const struct mir_use *use = &node->uses[u];

		if (!use->ref.vreg || use->kind != SASS_GPR)
			continue;
		if (use->write && f->vregs[use->ref.vreg].leader == node->inst)
			change += f->vregs[use->ref.vreg].units;
		for (uint32_t k = 0; !use->write && k < use->count; k++) {
			uint32_t unit = mir_unit(f, use->ref) + k;

			change -= resource_at(s, unit)->left == 1 &&
				  !mir_has(f->blocks[s->block].live_out, unit);
		}
	}
	return change;
}

static void count_mentions(struct scheduler *s)
{
	struct mir_func *f = s->f;

	s->live = 0;
	for (uint32_t w = 0; w < mir_set_words(f); w++) {
		for (uint64_t bits = f->blocks[s->block].live_in[w]; bits; bits &= bits - 1) {
			uint32_t unit = 64 * w + (uint32_t)__builtin_ctzll(bits);

			s->live += f->vregs[f->unit_vreg[unit]].kind == SASS_GPR;
		}
	}
	for (uint32_t n = 1; n <= s->count; n++) {
		for (uint32_t u = 0; u < s->nodes[n].nuses; u++) {
			const struct mir_use *use = &s->nodes[n].uses[u];

			for (uint32_t k = 0; use->ref.vreg && k < use->count; k++) {
				struct resource *r = resource_at(s, mir_unit(f, use->ref) + k);

				r->left++;
				r->who ^= n;
			}
		}
	}
	for (uint32_t n = 1; n <= s->count; n++)
		s->nodes[n].change = pressure_change(s, &s->nodes[n]);
}

/* The node is done. Whoever is the last to mention one of its registers will free that. */
static void mention(struct scheduler *s, uint32_t n)
{
	const struct node *node = &s->nodes[n];

	s->live = (uint32_t)((int)s->live + node->change);
	for (uint32_t u = 0; u < node->nuses; u++) {
		const struct mir_use *use = &node->uses[u];

		for (uint32_t k = 0; use->ref.vreg && k < use->count; k++) {
			struct resource *r = resource_at(s, mir_unit(s->f, use->ref) + k);

			r->left--;
			r->who ^= n;
			if (r->left == 1 && r->who != n)
				s->nodes[r->who].change = pressure_change(s, &s->nodes[r->who]);
		}
	}
}

/* Who is chosen, among those of one order the first in the block: when registers are short whoever
 * frees most, else whoever waits least and has the longest way to go. */
static uint32_t choose(const struct scheduler *s, uint32_t cycle)
{
	bool pressed = !s->f->allocated && s->live > COMFORTABLE;
	uint64_t least = UINT64_MAX;
	uint32_t best = 0;

	for (uint32_t k = 0; k < s->nready; k++) {
		const struct ready *r = &s->ready[k];
		uint32_t wait = r->earliest > cycle ? r->earliest : cycle;
		uint64_t order = (uint64_t)wait << 32 | (UINT32_MAX - r->height);

		if (pressed)
			order = (uint64_t)(s->nodes[r->node].change - INT32_MIN);
		if (order < least || (order == least && r->node < s->ready[best].node)) {
			least = order;
			best = k;
		}
	}
	return best;
}

/* A node that waits for no other can go once the window has come to it. */
static void offer(struct scheduler *s, uint32_t n)
{
	const struct node *node = &s->nodes[n];

	if (!node->waits && n < s->first + WINDOW)
		s->ready[s->nready++] = (struct ready){n, node->earliest, node->height};
}

static void move_window(struct scheduler *s)
{
	while (s->first <= s->count && s->nodes[s->first].done) {
		s->first++;
		if (s->first + WINDOW - 1 <= s->count)
			offer(s, s->first + WINDOW - 1);
	}
}

static void schedule_block(struct scheduler *s)
{
	struct mir_func *f = s->f;
	uint32_t cycle = 0;

	build(s);
	if (!f->allocated)
		count_mentions(s);
	s->first = 1;
	s->nready = 0;
	for (uint32_t n = 1; n <= s->count; n++)
		offer(s, n);
	f->blocks[s->block].first = f->blocks[s->block].last = NULL;
	while (s->nready) {
		uint32_t k = choose(s, cycle), n = s->ready[k].node;
		struct node *node = &s->nodes[n];

		s->ready[k] = s->ready[--s->nready];
		if (node->earliest > cycle)
			cycle = node->earliest;
		mir_insert(f, s->block, NULL, node->inst);
		node->done = true;
		if (!f->allocated)
			mention(s, n);
		for (const struct edge *e = node->out; e; e = e->next) {
			struct node *to = &s->nodes[e->to];

			if (cycle + e->latency > to->earliest)
				to->earliest = cycle + e->latency;
			to->waits--;
			offer(s, e->to);
		}
		move_window(s);
		cycle++;
	}
}

void nv_schedule(struct mir_func *f)
{
	struct scheduler s = {.f = f};
	struct arena_mark scratch;

	if (!f->allocated)
		nv_liveness(f);
	mir_keep_all_uses(f);
	scratch = arena_mark(f->arena);
	s.nresources = f->allocated ? (uint32_t)MIR_RESOURCES : f->nunits;
	s.resources = arena_array(f->arena, s.nresources + 1, sizeof(*s.resources));
	s.ready = arena_array(f->arena, WINDOW, sizeof(*s.ready));
	mir_for_each_block(f, b) {
		s.block = b;
		schedule_block(&s);
	}
	arena_rewind(f->arena, scratch);
}
