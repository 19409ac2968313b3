// SPDX-License-Identifier: MIT
/*
 * List scheduling within a block with critical path priority: of the ready instructions, take the
 * one with the longest latency-weighted path to the block's end. The same code runs twice. Before
 * register allocation only true dependences constrain it, and loads move away from their uses;
 * above a register pressure threshold, the instruction that frees most registers goes first. After
 * allocation it sees physical registers and schedules the instructions that if-conversion and phi
 * copies have added; then the pipes of all instructions are known, and one that would wait for its
 * pipe leaves its issue slot to another.
 *
 * instruction_order.c says which instructions keep their order for reasons other than registers.
 */
#include <assert.h>
#include <string.h>
#include "libsov/compiler/nv/schedule.h"
#include "libsov/compiler/nv/spill.h"

/* A round figure without congestion. */
#define LATE_READ_CYCLES 24

/* The resource of an operand: a physical register, or before allocation a unit. */
#define UPREDS 8

static uint32_t resource_of(const struct mir_func *f, const struct mir_use *u)
{
	if (f->allocated)
		return mir_resource(u->kind, u->reg);
	if (u->kind == SASS_UPRED) /* never virtual */
		return f->nunits + u->reg;
	return u->ref.vreg ? mir_unit(f, u->ref) : UINT32_MAX;
}

static struct resource *resource_at(struct scheduler *s, uint32_t r)
{
	struct resource *res = &s->resources[r];

	if (res->stamp != s->stamp)
		*res = (struct resource){.stamp = s->stamp};
	return res;
}

#define EDGES_AT_ONCE 16

static void add_edge(struct scheduler *s, uint32_t from, uint32_t to, uint32_t latency)
{
	struct edge *e;

	if (!from || from == to)
		return;
	if (!s->nedges) {
		s->nedges = EDGES_AT_ONCE;
		s->edges = arena_array(s->f->arena, s->nedges, sizeof(*s->edges));
	}
	e = &s->edges[--s->nedges];
	*e = (struct edge){.to = to, .latency = latency, .next = s->nodes[from].out};
	s->nodes[from].out = e;
	s->nodes[to].npreds++;
}

/* Register dependences. */

static uint32_t result_latency(const struct scheduler *s, const struct access *w,
			       const struct mir_inst *reader, const struct sass_reg_use *read)
{
	const struct sass_inst *writer = &s->nodes[w->node].inst->sass;
	uint32_t min_latency = sass_raw_latency(s->f->sm, writer, &w->use, &reader->sass, read);
	uint32_t estimate = s->nodes[w->node].estimate;

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

/* Cycles from an instruction that reads a register until another may overwrite it. Memory
 * instructions read their operands when they leave their queue, in order. */
static uint32_t overwrite_latency(uint32_t sm, const struct sass_inst *reader,
				  const struct sass_inst *writer, uint8_t kind)
{
	if (!sass_reads_late(sm, reader))
		return sass_war_latency(reader, writer, kind);
	return sass_same_queue(sm, reader, writer) ? 1 : LATE_READ_CYCLES;
}

static void add_write_dependences(struct scheduler *s, uint32_t n, uint32_t r,
				  const struct sass_reg_use *use)
{
	struct resource *res = resource_at(s, r);
	const struct sass_inst *in = &s->nodes[n].inst->sass;

	if (res->write.node) {
		const struct sass_inst *first = &s->nodes[res->write.node].inst->sass;
		uint32_t min_latency = sass_waw_latency(s->f->sm, first, in);
		uint32_t estimate = s->nodes[res->write.node].estimate;

		add_edge(s, res->write.node, n, min_latency > estimate ? min_latency : estimate);
	}
	for (const struct access *a = res->reads; a; a = a->next)
		add_edge(s, a->node, n,
			 overwrite_latency(s->f->sm, &s->nodes[a->node].inst->sass, in, use->kind));
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

/* Compares each ordered node with those since the last fence. Exchanges of values between lanes,
 * which may be many products of matrices, are compared only with what may not pass them. */
static void add_order_dependences(struct scheduler *s, uint32_t n)
{
	const struct mir_inst *i = s->nodes[n].inst;
	bool fence = s->nordered == MAX_ORDERED && !nv_is_exchange(i);

	if (!nv_is_ordered(i))
		return;
	add_edge(s, s->fence, n, 1);
	for (uint32_t k = s->nordered; k-- > 0;) {
		if (fence || nv_must_keep_order(s->nodes[s->ordered[k]].inst, i))
			add_edge(s, s->ordered[k], n, 1);
	}
	if (!nv_may_pass_exchanges(i))
		for (uint32_t k = s->exchange; k; k = s->nodes[k].exchange)
			if (nv_must_keep_order(s->nodes[k].inst, i))
				add_edge(s, k, n, 1);
	if (nv_is_exchange(i)) {
		s->nodes[n].exchange = s->exchange;
		s->exchange = n;
		return;
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

/* Shared memory has the queue and the rate of other memory. */
static uint8_t pipe_of(uint32_t sm, const struct sass_inst *in)
{
	enum sass_pipe pipe = sass_pipe(sm, in);

	return (uint8_t)(pipe == SASS_PIPE_SHARED ? SASS_PIPE_MEMORY : pipe);
}

static void add_nodes(struct scheduler *s)
{
	uint32_t n = 0;

	mir_for_each(s->f, s->block, i)
		n++;
	s->nodes = arena_array(s->f->arena, n + 1, sizeof(*s->nodes));
	s->count = n;
	n = 0;
	mir_for_each(s->f, s->block, i) {
		struct node *node = &s->nodes[++n];

		node->inst = i;
		node->pipe = pipe_of(s->f->sm, &i->sass);
		if (sass_has_variable_latency(s->f->sm, &i->sass))
			node->estimate = sass_typical_latency(s->f->sm, &i->sass);
		/* Before allocation the pipes of only some instructions are known. */
		node->issue_cycles = (uint8_t)(s->f->allocated || node->pipe == SASS_PIPE_TENSOR
						       ? sass_issue_cycles(s->f->sm, &i->sass)
						       : 1);
		node->uses = mir_uses(s->f, i, &node->nuses);
		for (uint32_t u = 0; u < node->nuses; u++)
			node->partial |= nv_is_partial_write(s->f, &node->uses[u]);
		i->number = n;
	}
}

/*
 * Addresses of loads. A computation that has begun needs registers until the load has issued, and
 * the load then needs those of its result. Where registers are scarce, a few loads that issue are
 * better than many addresses that wait, so that a computation begins only if its load will fit.
 */

#define FEEDS_OTHERS UINT32_MAX

static bool is_slow_load(const struct scheduler *s, const struct mir_inst *i)
{
	return i->memory.bytes && !(i->memory.effect & MIR_WRITES) &&
	       sass_pipe(s->f->sm, &i->sass) == SASS_PIPE_MEMORY;
}

/* The load that is fed by all units that the node writes. */
static uint32_t fed_load(struct scheduler *s, const struct node *node)
{
	const struct live_set *live_out = &s->f->blocks[s->block].live_out;
	uint32_t load = 0;

	for (uint32_t u = 0; u < node->nuses; u++) {
		const struct mir_use *use = &node->uses[u];

		for (uint32_t k = 0; use->write && use->ref.vreg && k < use->count; k++) {
			uint32_t unit = mir_unit(s->f, use->ref) + k;
			uint32_t feeds = resource_at(s, unit)->feeds;

			if (live_set_has(live_out, unit) || feeds == FEEDS_OTHERS ||
			    (load && feeds != load))
				return 0;
			load = feeds;
		}
	}
	return load;
}

static void note_fed(struct scheduler *s, const struct node *node)
{
	uint32_t load = node->load ? node->load : FEEDS_OTHERS;

	for (uint32_t u = 0; u < node->nuses; u++) {
		const struct mir_use *use = &node->uses[u];

		for (uint32_t k = 0; !use->write && use->ref.vreg && k < use->count; k++) {
			struct resource *r = resource_at(s, mir_unit(s->f, use->ref) + k);

			r->feeds = !r->feeds || r->feeds == load ? load : FEEDS_OTHERS;
		}
	}
}

static void find_load_addresses(struct scheduler *s)
{
	for (uint32_t n = s->count; n; n--) {
		struct node *node = &s->nodes[n];
		bool slow = is_slow_load(s, node->inst);

		node->load = slow ? n : fed_load(s, node);
		for (uint32_t u = 0; slow && u < node->nuses; u++)
			if (node->uses[u].write && node->uses[u].kind == SASS_GPR)
				node->result += node->uses[u].count;
		note_fed(s, node);
	}
}

/*
 * Products of a warp group read registers that WARPGROUP.ARRIVE says are written. One arrival is
 * enough for all products whose registers were written before the first of them, unless the writes
 * move between them: each that does costs an arrival, for which the lanes of four warps wait.
 */
static void add_arrival(struct scheduler *s, uint32_t n)
{
	const struct node *node = &s->nodes[n];
	bool late = !s->arrival;

	for (uint32_t pass = 0; pass < 2; pass++) {
		for (uint32_t u = 0; u < node->nuses; u++) {
			const struct mir_use *use = &node->uses[u];

			for (uint32_t k = 0; use->kind == SASS_GPR && k < use->count; k++) {
				uint32_t r = resource_of(s->f, use), w;

				w = r == UINT32_MAX ? 0 : resource_at(s, r + k)->write.node;
				if (!w || sass_is_group_product(&s->nodes[w].inst->sass))
					continue;
				late |= w > s->arrival;
				if (pass)
					add_edge(s, w, s->arrival, 1);
			}
		}
		if (late) {
			s->arrival = n;
			return;
		}
	}
}

void nv_build_dag(struct scheduler *s)
{
	s->nordered = s->fence = s->exchange = s->last_call = s->arrival = 0;
	s->nedges = 0; /* the memory of the last graph may be rewound */
	s->stamp++;
	add_nodes(s);
	for (uint32_t n = 1; n <= s->count; n++) {
		if (s->f->sums == SUMS_AMPLE && sass_is_group_product(&s->nodes[n].inst->sass))
			add_arrival(s, n);
		else if (s->nodes[n].inst->sass.op == SASS_WARPGROUP_DEPBAR)
			s->arrival = 0;
		add_register_dependences(s, n);
		add_order_dependences(s, n);
		add_edge(s, s->last_call, n, 1);
		for (uint32_t k = s->last_call + 1; mir_is_boundary(s->nodes[n].inst) && k < n; k++)
			add_edge(s, k, n, 1);
		if (mir_is_boundary(s->nodes[n].inst))
			s->last_call = n;
		/* The terminator follows everything. */
		for (uint32_t k = 1; s->nodes[n].inst->terminator && k < n; k++)
			add_edge(s, k, n, 0);
	}
	if (!s->f->allocated) {
		add_phi_antidependences(s);
		find_load_addresses(s);
		nv_find_mentions(s);
	}
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

/* The first cycle in which a ready node can issue. */
static uint32_t issue_cycle(const struct scheduler *s, const struct ready *r, uint32_t cycle)
{
	uint32_t free = s->pipe_free[r->pipe];

	if (r->earliest > cycle)
		cycle = r->earliest;
	return free > cycle ? free : cycle;
}

/*
 * Loads of constants at an index into uniform registers. A miss of the small cache for them stops
 * the warp, and meanwhile other warps replace its lines: with other instructions between six such
 * loads of one line, every one missed on an H200 (HeCBench's fhd took 2.5 times as long). So
 * those of a line follow each other.
 */
#define CONSTANT_LINE 64

static bool are_in_line(const struct scheduler *s, uint32_t m, uint32_t n)
{
	const struct mir_inst *a = s->nodes[m].inst, *b = s->nodes[n].inst;
	const struct sass_operand *x = &a->sass.ops[1], *y = &b->sass.ops[1];

	return x->aux == y->aux && x->reg == y->reg && a->ref[1].vreg == b->ref[1].vreg &&
	       a->ref[1].part == b->ref[1].part && x->value < y->value + CONSTANT_LINE &&
	       y->value < x->value + CONSTANT_LINE;
}

/* Whether r can follow the load of constants that was scheduled last. */
static bool continues_line(const struct scheduler *s, const struct ready *r, uint32_t cycle)
{
	return s->line && s->nodes[r->node].inst->sass.op == SASS_ULDC_UREG &&
	       issue_cycle(s, r, cycle) == cycle && are_in_line(s, s->line, r->node);
}

static void note_line(struct scheduler *s, uint32_t n)
{
	if (s->nodes[n].inst->sass.op != SASS_ULDC_UREG)
		s->line = 0;
	else if (!s->line || !are_in_line(s, s->line, n))
		s->line = n;
}

/* Selects from the ready list: of the nodes that fit below the limit of the pressure the one that
 * can issue first, then the longest critical path. If none fits, the first in the original order,
 * which leads to the next node that frees registers. */
static uint32_t select_ready(struct scheduler *s, uint32_t cycle)
{
	bool limits = !s->f->allocated && !nv_all_fit_limits(s);
	uint64_t best_key = UINT64_MAX;
	uint32_t best = 0;

	s->ahead_known = false;
	assert(s->f->allocated || !compile_verifies(s->f->job) || nv_are_changes_current(s));
	for (uint32_t k = 0; k < s->nready; k++) {
		const struct ready *r = &s->ready[k];
		uint32_t issue = issue_cycle(s, r, cycle);
		uint64_t key = (uint64_t)issue << 32 | (UINT32_MAX - r->height);

		if (continues_line(s, r, cycle))
			return k;
		if (key > best_key && (!limits || s->limited))
			continue;
		if (limits && s->nodes[r->node].grows && !nv_fits_limits(s, &s->nodes[r->node])) {
			key = (uint64_t)1 << 63 | r->node;
			s->limited = true;
		}
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

	if (!node->npreds_left && n < s->first + s->lookahead)
		s->ready[s->nready++] = (struct ready){n, node->earliest, node->height, node->pipe};
}

static void advance_window(struct scheduler *s)
{
	while (s->first <= s->count && s->nodes[s->first].done) {
		s->first++;
		if (s->first + s->lookahead - 1 <= s->count)
			add_if_ready(s, s->first + s->lookahead - 1);
	}
}

/* Runs the list scheduler over the dependence graph; returns the cycles until the last node
 * issues. */
uint32_t nv_run_list_scheduler(struct scheduler *s, struct mir_inst **order)
{
	uint32_t cycle = 0, count = 0;

	if (!s->f->allocated)
		nv_start_pressure(s);
	memset(s->pipe_free, 0, sizeof(s->pipe_free));
	s->first = 1;
	s->nready = s->line = 0;
	if (s->reserve == RESERVE_FOR_HEIGHT) {
		memcpy(s->waiting, s->loads, s->nloads * sizeof(*s->loads));
		s->nwaiting = s->nloads;
	}
	for (uint32_t n = 1; n <= s->count; n++) {
		s->nodes[n].npreds_left = s->nodes[n].npreds;
		s->nodes[n].earliest = 0;
		s->nodes[n].done = false;
	}
	for (uint32_t n = 1; n <= s->count; n++)
		add_if_ready(s, n);
	while (s->nready) {
		uint32_t k = select_ready(s, cycle), n = s->ready[k].node;
		struct node *node = &s->nodes[n];

		cycle = issue_cycle(s, &s->ready[k], cycle);
		s->pipe_free[node->pipe] = cycle + node->issue_cycles;
		s->ready[k] = s->ready[--s->nready];
		note_line(s, n);
		order[count++] = node->inst;
		node->done = true;
		if (!s->f->allocated)
			nv_note_scheduled(s, n);
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
	return cycle;
}

void nv_set_order(struct mir_func *f, uint32_t b, struct mir_inst **order, uint32_t count)
{
	f->blocks[b].first = f->blocks[b].last = NULL;
	for (uint32_t k = 0; k < count; k++)
		mir_insert(f, b, NULL, order[k]);
}

static void schedule_allocated(struct scheduler *s)
{
	mir_for_each_block(s->f, b) {
		struct mir_inst **order;

		s->block = b;
		s->lookahead = LOOKAHEAD;
		nv_build_dag(s);
		order = arena_array(s->f->arena, s->count + 1, sizeof(struct mir_inst *));
		nv_run_list_scheduler(s, order);
		nv_set_order(s->f, b, order, s->count);
	}
}

static void allocate_resources(struct scheduler *s)
{
	struct mir_func *f = s->f;

	s->nresources = f->allocated ? (uint32_t)MIR_RESOURCES : f->nunits + UPREDS;
	s->resources = arena_array(f->arena, s->nresources + 1, sizeof(*s->resources));
	if (!f->allocated)
		s->mentioned = arena_array(f->arena, f->nunits, sizeof(*s->mentioned));
	s->opened = arena_array(f->arena, f->nvregs, sizeof(*s->opened));
	s->ready = arena_array(f->arena, LOOKAHEAD, sizeof(*s->ready));
}

void nv_schedule(struct mir_func *f)
{
	struct scheduler s = {.f = f};
	struct arena_mark scratch;
	uint32_t pressure = 0;

	if (!f->allocated) {
		nv_liveness(f);
		mir_cache_all_uses(f);
		scratch = arena_mark(f->arena);
		allocate_resources(&s);
		nv_order_for_pressure(&s);
		arena_rewind(f->arena, scratch);
		pressure = nv_rematerialise_for_occupancy(f);
		nv_liveness(f);
	}
	mir_cache_all_uses(f);
	scratch = arena_mark(f->arena);
	allocate_resources(&s);
	if (f->allocated)
		schedule_allocated(&s);
	else
		nv_schedule_for_occupancy(&s, pressure);
	arena_rewind(f->arena, scratch);
}
