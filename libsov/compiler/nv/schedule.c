// SPDX-License-Identifier: MIT
/*
 * List scheduling within a block with critical path priority: of the ready instructions, take the
 * one with the longest latency-weighted path to the block's end. The same code runs twice. Before
 * register allocation only true dependences constrain it, and loads move away from their uses;
 * above a register pressure threshold, the instruction that frees most registers goes first. After
 * allocation it sees physical registers and schedules the instructions that if-conversion and phi
 * copies have added.
 *
 * Memory operations that may alias keep their order if one of them writes; loads pass loads.
 * Convergent operations (warp syncs, block barriers, calls) keep their order among each other, and
 * neither they nor memory operations cross an EXIT.
 */
#include <string.h>
#include "libsov/compiler/nv/mir.h"

/* Register pressure above which reducing it has priority: with 64 registers 1024 threads fit on
 * an SM. */
#define PRESSURE_THRESHOLD 56
/* Lookahead: distance from the first unscheduled instruction to the last that may be chosen. */
#define LOOKAHEAD          256
/* Ordered instructions that are compared pairwise; the next one becomes a fence for all of them. */
#define MAX_ORDERED        128

struct edge {
	uint32_t to, latency;
	struct edge *next;
};

struct node {
	struct mir_inst *inst;
	const struct mir_use *uses;
	uint32_t nuses;
	struct edge *out;
	uint32_t npreds_left;   /* predecessors not yet scheduled */
	uint32_t earliest;      /* earliest issue cycle */
	uint32_t height;        /* length of the critical path to the block's end */
	int64_t pressure_delta; /* change of the pressure if scheduled next */
	bool done;
};

struct access { /* a node that accesses a resource */
	uint32_t node;
	struct sass_reg_use use;
	struct access *next;
};

struct resource {
	uint32_t stamp;         /* block in which the rest is valid */
	struct access write;    /* last definition; node 0 = none */
	struct access *reads;   /* since then */
	uint32_t mentions_left; /* mentions not yet scheduled */
	/* XOR of their nodes: the node itself if only one is left. */
	uint32_t mentions_xor;
};

/* An entry of the ready list, with its priorities. */
struct ready {
	uint32_t node, earliest, height;
};

struct scheduler {
	struct mir_func *f;
	uint32_t block, stamp;
	struct node *nodes; /* from 1, in the original order */
	uint32_t count, capacity;
	struct resource *resources;
	uint32_t nresources;
	uint32_t live;                           /* GPR pressure */
	uint32_t ordered[MAX_ORDERED], nordered; /* ordered nodes since fence */
	uint32_t fence;                          /* node ordered with all ordered nodes; 0 = none */
	uint32_t last_call;                      /* last call: no node crosses it; 0 = none */
	struct ready *ready;
	uint32_t nready;
	uint32_t first; /* first unscheduled node */
};

/* The resource of an operand: a physical register, or before allocation a unit. */
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
	s->nodes[to].npreds_left++;
}

/* Register dependences. */

static uint32_t result_latency(const struct scheduler *s, const struct access *w,
			       const struct mir_inst *reader, const struct sass_reg_use *read)
{
	const struct sass_inst *writer = &s->nodes[w->node].inst->sass;
	uint32_t min_latency = sass_raw_latency(s->f->sm, writer, &w->use, &reader->sass, read);
	uint32_t estimate = sass_has_variable_latency(s->f->sm, writer)
				    ? sass_typical_latency(s->f->sm, writer)
				    : 0;

	return min_latency > estimate ? min_latency : estimate;
}

static void add_read_dependence(struct scheduler *s, uint32_t n, uint32_t r,
				const struct sass_reg_use *use)
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

static void add_write_dependences(struct scheduler *s, uint32_t n, uint32_t r,
				  const struct sass_reg_use *use)
{
	struct resource *res = resource_at(s, r);
	const struct sass_inst *in = &s->nodes[n].inst->sass;

	if (res->write.node) {
		const struct sass_inst *first = &s->nodes[res->write.node].inst->sass;
		uint32_t min_latency = sass_waw_latency(s->f->sm, first, in);
		uint32_t estimate = sass_has_variable_latency(s->f->sm, first)
					    ? sass_typical_latency(s->f->sm, first)
					    : 0;

		add_edge(s, res->write.node, n, min_latency > estimate ? min_latency : estimate);
	}
	for (const struct access *a = res->reads; a; a = a->next) {
		const struct sass_inst *reader = &s->nodes[a->node].inst->sass;

		add_edge(s, a->node, n,
			 sass_reads_late(s->f->sm, reader)
				 ? sass_typical_latency(s->f->sm, reader) / 2
				 : sass_war_latency(reader, in, use->kind));
	}
	res->write = (struct access){.node = n, .use = *use};
	res->reads = NULL;
}

static void add_register_dependences(struct scheduler *s, uint32_t n)
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
					add_write_dependences(s, n, r + k, &found);
				else
					add_read_dependence(s, n, r + k, &found);
			}
		}
	}
}

/* Memory and ordering dependences. */

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

/* Same base register (in SSA form the same value) and disjoint ranges of offsets. */
static bool are_disjoint(const struct mir_inst *a, const struct mir_inst *b)
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
	/* A strong load and a weak one of the same location are coherent in program order. */
	if (!(any & (MIR_WRITES | MIR_ORDERED)))
		return false;
	if (a->memory.space != IR_SPACE_COUNT && b->memory.space != IR_SPACE_COUNT &&
	    a->memory.space != b->memory.space)
		return false;
	return !are_disjoint(a, b);
}

static bool must_keep_order(const struct mir_inst *a, const struct mir_inst *b)
{
	bool exit_a = a->sass.op == SASS_EXIT, exit_b = b->sass.op == SASS_EXIT;

	if (exit_a && exit_b)
		return true;
	if (exit_a || exit_b) {
		const struct mir_inst *other = exit_a ? b : a;

		/* A load in a lane that should have exited might fault. */
		return other->memory.effect || other->memory.bytes || other->members;
	}
	return (a->members && b->members) || memory_conflict(a, b);
}

static bool is_ordered(const struct mir_inst *i)
{
	return i->memory.effect || i->memory.bytes || i->members || i->sass.op == SASS_EXIT;
}

/* Compares each ordered node with those since the last fence. */
static void add_order_dependences(struct scheduler *s, uint32_t n)
{
	const struct mir_inst *i = s->nodes[n].inst;
	bool fence = s->nordered == MAX_ORDERED;

	if (!is_ordered(i))
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

/* Writes the next value of a loop phi after the last read of the phi, so that both can share a
 * register and the edge needs no copy. Only reads that come first in the original order. */
static void add_phi_antidependence(struct scheduler *s, const struct mir_phi *phi, uint32_t u,
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

static void add_phi_antidependences(struct scheduler *s)
{
	const struct mir_func *f = s->f;
	const struct mir_block *block = &f->blocks[s->block];

	for (uint32_t k = 0; k < block->nsucc; k++) {
		const struct mir_block *to = &f->blocks[block->succ[k]];

		for (uint32_t p = 0; p < to->nphis; p++) {
			uint32_t units = f->vregs[to->phis[p].vreg].units;

			for (uint32_t n = 0; n < to->npreds * units; n++) {
				if (to->preds[n / units] == s->block)
					add_phi_antidependence(s, &to->phis[p], n % units,
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

static void build_dag(struct scheduler *s)
{
	s->count = s->nordered = s->fence = s->last_call = 0;
	s->stamp++;
	mir_for_each(s->f, s->block, i)
		add_node(s, i);
	for (uint32_t n = 1; n <= s->count; n++) {
		add_register_dependences(s, n);
		add_order_dependences(s, n);
		add_edge(s, s->last_call, n, 1);
		for (uint32_t k = s->last_call + 1; mir_is_call(s->nodes[n].inst) && k < n; k++)
			add_edge(s, k, n, 1);
		if (mir_is_call(s->nodes[n].inst))
			s->last_call = n;
		/* The terminator follows everything. */
		for (uint32_t k = 1; s->nodes[n].inst->terminator && k < n; k++)
			add_edge(s, k, n, 0);
	}
	if (!s->f->allocated)
		add_phi_antidependences(s);
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

/* Register pressure: change of the live GPR units by an instruction. */

static int pressure_change(struct scheduler *s, const struct node *node)
{
	const struct mir_func *f = s->f;
	int pressure_delta = 0;

	for (uint32_t u = 0; u < node->nuses; u++) {
		const struct mir_use *use = &node->uses[u];

		if (!use->ref.vreg || use->kind != SASS_GPR)
			continue;
		if (use->write && f->vregs[use->ref.vreg].first_def == node->inst)
			pressure_delta += f->vregs[use->ref.vreg].units;
		for (uint32_t k = 0; !use->write && k < use->count; k++) {
			uint32_t unit = mir_unit(f, use->ref) + k;

			pressure_delta -= resource_at(s, unit)->mentions_left == 1 &&
					  !bitset_has(f->blocks[s->block].live_out, unit);
		}
	}
	return pressure_delta;
}

static void count_mentions(struct scheduler *s)
{
	struct mir_func *f = s->f;

	s->live = 0;
	bitset_for_each(f->blocks[s->block].live_in, f->nunits, unit) s->live +=
		f->vregs[f->unit_vreg[unit]].kind == SASS_GPR;
	for (uint32_t n = 1; n <= s->count; n++) {
		for (uint32_t u = 0; u < s->nodes[n].nuses; u++) {
			const struct mir_use *use = &s->nodes[n].uses[u];

			for (uint32_t k = 0; use->ref.vreg && k < use->count; k++) {
				struct resource *r = resource_at(s, mir_unit(f, use->ref) + k);

				r->mentions_left++;
				r->mentions_xor ^= n;
			}
		}
	}
	for (uint32_t n = 1; n <= s->count; n++)
		s->nodes[n].pressure_delta = pressure_change(s, &s->nodes[n]);
}

/* Updates the pressure after a node is scheduled. The last remaining mention of a unit now frees
 * it. */
static void note_scheduled(struct scheduler *s, uint32_t n)
{
	const struct node *node = &s->nodes[n];

	s->live = (uint32_t)((int)s->live + node->pressure_delta);
	for (uint32_t u = 0; u < node->nuses; u++) {
		const struct mir_use *use = &node->uses[u];

		for (uint32_t k = 0; use->ref.vreg && k < use->count; k++) {
			struct resource *r = resource_at(s, mir_unit(s->f, use->ref) + k);

			r->mentions_left--;
			r->mentions_xor ^= n;
			if (r->mentions_left == 1 && r->mentions_xor != n)
				s->nodes[r->mentions_xor].pressure_delta =
					pressure_change(s, &s->nodes[r->mentions_xor]);
		}
	}
}

/* Selects from the ready list: under register pressure the node that frees most registers, else
 * the one that can issue first, then the longest critical path. Ties keep the original order. */
static uint32_t select_ready(const struct scheduler *s, uint32_t cycle)
{
	bool high_pressure = !s->f->allocated && s->live > PRESSURE_THRESHOLD;
	uint64_t best_key = UINT64_MAX;
	uint32_t best = 0;

	for (uint32_t k = 0; k < s->nready; k++) {
		const struct ready *r = &s->ready[k];
		uint32_t issue = r->earliest > cycle ? r->earliest : cycle;
		uint64_t key = (uint64_t)issue << 32 | (UINT32_MAX - r->height);

		if (high_pressure)
			key = (uint64_t)(s->nodes[r->node].pressure_delta - INT32_MIN);
		if (key < best_key || (key == best_key && r->node < s->ready[best].node)) {
			best_key = key;
			best = k;
		}
	}
	return best;
}

/* Adds a node without unscheduled predecessors to the ready list once the window reaches it. */
static void add_if_ready(struct scheduler *s, uint32_t n)
{
	const struct node *node = &s->nodes[n];

	if (!node->npreds_left && n < s->first + LOOKAHEAD)
		s->ready[s->nready++] = (struct ready){n, node->earliest, node->height};
}

static void advance_window(struct scheduler *s)
{
	while (s->first <= s->count && s->nodes[s->first].done) {
		s->first++;
		if (s->first + LOOKAHEAD - 1 <= s->count)
			add_if_ready(s, s->first + LOOKAHEAD - 1);
	}
}

static void schedule_block(struct scheduler *s)
{
	struct mir_func *f = s->f;
	uint32_t cycle = 0;

	build_dag(s);
	if (!f->allocated)
		count_mentions(s);
	s->first = 1;
	s->nready = 0;
	for (uint32_t n = 1; n <= s->count; n++)
		add_if_ready(s, n);
	f->blocks[s->block].first = f->blocks[s->block].last = NULL;
	while (s->nready) {
		uint32_t k = select_ready(s, cycle), n = s->ready[k].node;
		struct node *node = &s->nodes[n];

		s->ready[k] = s->ready[--s->nready];
		if (node->earliest > cycle)
			cycle = node->earliest;
		mir_insert(f, s->block, NULL, node->inst);
		node->done = true;
		if (!f->allocated)
			note_scheduled(s, n);
		for (const struct edge *e = node->out; e; e = e->next) {
			struct node *to = &s->nodes[e->to];

			if (cycle + e->latency > to->earliest)
				to->earliest = cycle + e->latency;
			to->npreds_left--;
			add_if_ready(s, e->to);
		}
		advance_window(s);
		cycle++;
	}
}

void nv_schedule(struct mir_func *f)
{
	struct scheduler s = {.f = f};
	struct arena_mark scratch;

	if (!f->allocated)
		nv_liveness(f);
	mir_cache_all_uses(f);
	scratch = arena_mark(f->arena);
	s.nresources = f->allocated ? (uint32_t)MIR_RESOURCES : f->nunits;
	s.resources = arena_array(f->arena, s.nresources + 1, sizeof(*s.resources));
	s.ready = arena_array(f->arena, LOOKAHEAD, sizeof(*s.ready));
	mir_for_each_block(f, b) {
		s.block = b;
		schedule_block(&s);
	}
	arena_rewind(f->arena, scratch);
}
