// SPDX-License-Identifier: MIT
/*
 * The PTX memory consistency model as an exhaustive checker: which outcomes of a small program are
 * legal. It follows the chapter "Memory Consistency Model" of the PTX ISA manual (8.x), whose names
 * it uses, and the formal model of Lustig, Sahasrabuddhe and Giroux, "A Formal Analysis of the
 * NVIDIA PTX Memory Consistency Model", ASPLOS 2019.
 *
 * The model is axiomatic because PTX's definition is: it has no machine whose steps one could
 * enumerate, and a machine of our own could forbid what PTX permits without anybody noticing. A
 * candidate execution chooses the write that each read returns (rf), the Fence-SC order, and the
 * coherence order of writes that are morally strong; everything else follows. Programs have at most
 * a dozen events, so all candidates are tried.
 *
 * The coherence order of PTX is partial: writes that race are unordered. All axioms only forbid, so
 * it is enough to try the smallest orders: the transitive closure of what causality requires, and
 * of an order of the morally strong pairs. A final value is that of any write without a successor.
 */
#include <string.h>
#include "tests/litmus/litmus.h"

#define MAX_EVENTS 32
#define MAX_SAME   5 /* writes to one variable, and sc fences, whose orders are enumerated */
#define NO_THREAD  UINT8_MAX
#define UNKNOWN    (-1)

enum event_kind { READ, WRITE, FENCE, ARRIVE, WAIT };

struct event {
	uint8_t kind, thread, op, var, order, scope;
	uint8_t partner;    /* the other half of an atomic operation; MAX_EVENTS: none */
	bool is_reduction;  /* of a red, which forms no acquire pattern */
	uint8_t observable; /* of a read that a register shows; UINT8_MAX: none */
	uint8_t barrier;    /* ordinal of the barrier in its thread */
	const struct litmus_op *source;
};

/* Row a has bit b if a precedes b. */
typedef uint32_t relation[MAX_EVENTS];

/* A release pattern from its first operation to its write, or an acquire pattern from its read to
 * its last operation. */
struct pattern {
	uint8_t from, to;
};

struct execution {
	const struct litmus_program *p;
	const uint8_t *blocks;
	struct event events[MAX_EVENTS];
	uint32_t count;
	struct pattern release[MAX_EVENTS * 4], acquire[MAX_EVENTS * 4];
	uint32_t releases, acquires;
	relation po, strong, dependency, fence_sc, cause, co;
	uint8_t rf[MAX_EVENTS]; /* of a read: the write */
	int value[MAX_EVENTS];
	uint8_t reads[MAX_EVENTS], read_count;
	uint8_t sc[MAX_EVENTS], sc_count;
	uint8_t writes[LITMUS_VARS][MAX_EVENTS], write_count[LITMUS_VARS];
	uint8_t *legal;
};

static bool has(const relation r, uint32_t a, uint32_t b)
{
	return r[a] >> b & 1;
}

static void set(relation r, uint32_t a, uint32_t b)
{
	r[a] |= UINT32_C(1) << b;
}

static void close_transitively(relation r, uint32_t count)
{
	for (uint32_t k = 0; k < count; k++)
		for (uint32_t a = 0; a < count; a++)
			if (has(r, a, k))
				r[a] |= r[k];
}

static bool is_acyclic(const relation r, uint32_t count)
{
	relation closed;

	memcpy(closed, r, sizeof(closed));
	close_transitively(closed, count);
	for (uint32_t a = 0; a < count; a++)
		if (has(closed, a, a))
			return false;
	return true;
}

/* ---- events ---- */

static bool acquires(const struct event *e)
{
	return e->order == LITMUS_ACQUIRE || e->order == LITMUS_ACQ_REL || e->order == LITMUS_SC;
}

static bool releases(const struct event *e)
{
	return e->order == LITMUS_RELEASE || e->order == LITMUS_ACQ_REL || e->order == LITMUS_SC;
}

static bool is_strong(const struct event *e)
{
	return e->order != LITMUS_WEAK;
}

static bool is_memory(const struct event *e)
{
	return e->kind == READ || e->kind == WRITE;
}

static bool scope_includes(const struct execution *x, const struct event *e, uint8_t thread)
{
	return e->scope >= LITMUS_GPU || x->blocks[e->thread] == x->blocks[thread];
}

/* "Morally Strong Operations"; initial values take part in no such relation. */
static bool morally_strong(const struct execution *x, const struct event *a, const struct event *b)
{
	if (a->thread == NO_THREAD || b->thread == NO_THREAD)
		return false;
	if (is_memory(a) && is_memory(b) && a->var != b->var)
		return false;
	if (a->thread == b->thread)
		return true;
	return is_strong(a) && is_strong(b) && scope_includes(x, a, b->thread) &&
	       scope_includes(x, b, a->thread);
}

static struct event *add_event(struct execution *x, enum event_kind kind, uint32_t thread,
			       uint32_t op, const struct litmus_op *source)
{
	struct event *e = &x->events[x->count++];

	*e = (struct event){.kind = (uint8_t)kind,
			    .thread = (uint8_t)thread,
			    .op = (uint8_t)op,
			    .partner = MAX_EVENTS,
			    .observable = UINT8_MAX,
			    .source = source};
	if (source) {
		e->order = source->order == LITMUS_VOLATILE ? LITMUS_RELAXED : source->order;
		e->scope = source->order == LITMUS_VOLATILE ? LITMUS_SYS : source->scope;
		e->is_reduction = source->kind == LITMUS_RED;
	}
	return e;
}

/* Vector accesses are one event per element, in no order among each other. */
static void add_access(struct execution *x, uint32_t thread, uint32_t op)
{
	const struct litmus_op *o = &x->p->ops[thread][op];
	uint32_t shown = x->p->first_register[thread] + o->reg;

	for (uint32_t k = 0; k < o->width; k++) {
		struct event *e = NULL;

		if (o->var[k] == LITMUS_PADDING)
			continue;
		if (o->kind != LITMUS_STORE) {
			e = add_event(x, READ, thread, op, o);
			e->var = o->var[k];
			if (o->kind != LITMUS_RED)
				e->observable = (uint8_t)shown++;
			x->reads[x->read_count++] = (uint8_t)(x->count - 1);
		}
		if (o->kind != LITMUS_LOAD) {
			e = add_event(x, WRITE, thread, op, o);
			e->var = o->var[k];
			x->writes[e->var][x->write_count[e->var]++] = (uint8_t)(x->count - 1);
		}
		if (e && (o->kind == LITMUS_ATOM || o->kind == LITMUS_RED)) {
			e[-1].partner = (uint8_t)(x->count - 1);
			e->partner = (uint8_t)(x->count - 2);
		}
	}
}

static void add_events(struct execution *x)
{
	for (uint32_t v = 0; v < x->p->vars; v++) {
		struct event *e = add_event(x, WRITE, NO_THREAD, 0, NULL);

		e->var = (uint8_t)v;
		x->writes[v][x->write_count[v]++] = (uint8_t)(x->count - 1);
	}
	for (uint32_t t = 0; t < x->p->threads; t++) {
		uint8_t barriers = 0;

		for (uint32_t k = 0; k < x->p->op_count[t]; k++) {
			const struct litmus_op *o = &x->p->ops[t][k];

			if (o->kind == LITMUS_FENCE) {
				add_event(x, FENCE, t, k, o);
				if (o->order == LITMUS_SC)
					x->sc[x->sc_count++] = (uint8_t)(x->count - 1);
			} else if (o->kind == LITMUS_BARRIER) {
				add_event(x, ARRIVE, t, k, o)->barrier = barriers;
				add_event(x, WAIT, t, k, o)->barrier = barriers++;
			} else {
				add_access(x, t, k);
			}
		}
	}
}

/* Program order, moral strength and dependencies, which are the same in every execution. */
static void relate_events(struct execution *x)
{
	for (uint32_t a = 0; a < x->count; a++)
		for (uint32_t b = 0; b < x->count; b++) {
			const struct event *e = &x->events[a], *f = &x->events[b];
			bool same = e->thread == f->thread && e->thread != NO_THREAD;

			if (a != b && morally_strong(x, e, f))
				set(x->strong, a, b);
			if (same && e->op < f->op)
				set(x->po, a, b);
			/* An atomic operation reads before it writes, a barrier arrives first. */
			if (same && e->op == f->op &&
			    ((e->kind == READ && e->partner == b) ||
			     (e->kind == ARRIVE && f->kind == WAIT)))
				set(x->po, a, b);
			if (e->kind == READ && e->partner == b)
				set(x->dependency, a, b);
			if (same && e->kind == READ && f->kind == WRITE && f->source &&
			    f->source->value_is_register && e->op < f->op &&
			    e->observable ==
				    x->p->first_register[e->thread] + (uint32_t)f->source->value)
				set(x->dependency, a, b);
		}
}

/* ---- values ---- */

static int written_value(const struct execution *x, uint32_t w)
{
	const struct event *e = &x->events[w];
	const struct litmus_op *o = e->source;
	int old;

	if (!o)
		return 0;
	if (o->value_is_register) {
		for (uint32_t r = 0; r < x->count; r++)
			if (has(x->dependency, r, w))
				return x->value[r];
		return UNKNOWN;
	}
	if (e->partner == MAX_EVENTS || o->rmw == LITMUS_EXCH)
		return o->value;
	old = x->value[e->partner];
	if (old == UNKNOWN)
		return UNKNOWN;
	if (o->rmw == LITMUS_ADD)
		return old + o->value;
	return old == o->compare ? o->value : old;
}

/* Axiom No-Thin-Air: rf and dependencies have no cycle, so every value is known in the end. */
static bool compute_values(struct execution *x)
{
	relation flow;

	memcpy(flow, x->dependency, sizeof(flow));
	for (uint32_t k = 0; k < x->read_count; k++)
		set(flow, x->rf[x->reads[k]], x->reads[k]);
	if (!is_acyclic(flow, x->count))
		return false;
	for (uint32_t i = 0; i < x->count; i++)
		x->value[i] = UNKNOWN;
	for (uint32_t round = 0; round < x->count; round++)
		for (uint32_t i = 0; i < x->count; i++) {
			if (x->events[i].kind == READ)
				x->value[i] = x->value[x->rf[i]];
			else if (x->events[i].kind == WRITE)
				x->value[i] = written_value(x, i);
		}
	return true;
}

/* ---- synchronisation ---- */

/* "Observation Order": from a write to a read, through atomic operations. */
static void observe(const struct execution *x, relation observation)
{
	memset(observation, 0, sizeof(relation));
	for (uint32_t k = 0; k < x->read_count; k++) {
		uint32_t r = x->reads[k], w = x->rf[r];

		if (has(x->strong, w, r))
			set(observation, w, r);
		/* The write half joins the chain, so that a closure finds W -> Z -> R. */
		if (x->events[r].partner != MAX_EVENTS)
			set(observation, r, x->events[r].partner);
	}
	close_transitively(observation, x->count);
}

/* "Release and Acquire Patterns". first releases and ends with the write w. */
static bool is_release_pattern(const struct execution *x, uint32_t first, uint32_t w)
{
	const struct event *e = &x->events[first], *f = &x->events[w];

	if (f->kind != WRITE || !is_strong(f) || !releases(e))
		return false;
	if (e->kind == FENCE)
		return has(x->po, first, w);
	return e->kind == WRITE && e->var == f->var && (first == w || has(x->po, first, w));
}

/* It begins with the read r, and last acquires. */
static bool is_acquire_pattern(const struct execution *x, uint32_t r, uint32_t last)
{
	const struct event *e = &x->events[r], *f = &x->events[last];

	if (e->kind != READ || !is_strong(e) || e->is_reduction || !acquires(f))
		return false;
	if (f->kind == FENCE)
		return has(x->po, r, last);
	return f->kind == READ && !f->is_reduction && e->var == f->var &&
	       (r == last || has(x->po, r, last));
}

/* Adds what synchronizes: barriers of a block, and release patterns with acquire patterns. */
static void synchronize(const struct execution *x, const relation observation, relation base)
{
	for (uint32_t a = 0; a < x->count; a++)
		for (uint32_t b = 0; b < x->count; b++) {
			const struct event *e = &x->events[a], *f = &x->events[b];

			if (e->kind == ARRIVE && f->kind == WAIT && e->barrier == f->barrier &&
			    x->blocks[e->thread] == x->blocks[f->thread])
				set(base, a, b);
		}
	for (uint32_t i = 0; i < x->releases; i++)
		for (uint32_t k = 0; k < x->acquires; k++)
			if (has(observation, x->release[i].to, x->acquire[k].from) &&
			    has(x->strong, x->release[i].from, x->acquire[k].to))
				set(base, x->release[i].from, x->acquire[k].to);
}

/* "Causality Order". */
static void relate_causes(struct execution *x)
{
	relation observation, base;

	observe(x, observation);
	for (uint32_t a = 0; a < x->count; a++)
		base[a] = x->po[a] | x->fence_sc[a];
	synchronize(x, observation, base);
	close_transitively(base, x->count);
	for (uint32_t a = 0; a < x->count; a++) {
		x->cause[a] = base[a];
		for (uint32_t z = 0; x->events[a].kind == WRITE && z < x->count; z++)
			if (x->events[z].kind == READ && has(observation, a, z))
				x->cause[a] |= base[z];
	}
}

static void find_patterns(struct execution *x)
{
	for (uint8_t a = 0; a < x->count; a++)
		for (uint8_t b = 0; b < x->count; b++) {
			if (is_release_pattern(x, a, b))
				x->release[x->releases++] = (struct pattern){a, b};
			if (is_acquire_pattern(x, a, b))
				x->acquire[x->acquires++] = (struct pattern){a, b};
		}
}

/* ---- axioms ---- */

/* Axiom Fence-SC, and the first half of axiom Causality. */
static bool respects_causes(const struct execution *x)
{
	for (uint32_t i = 0; i < x->sc_count; i++)
		for (uint32_t k = 0; k < x->sc_count; k++) {
			uint32_t a = x->sc[i], b = x->sc[k];

			if (has(x->cause, a, b) &&
			    (a == b || (has(x->strong, a, b) && !has(x->fence_sc, a, b))))
				return false;
		}
	for (uint32_t k = 0; k < x->read_count; k++)
		if (has(x->cause, x->reads[k], x->rf[x->reads[k]]))
			return false;
	return true;
}

/* A read precedes the writes that follow the one that it returns. */
static bool from_read(const struct execution *x, uint32_t r, uint32_t w)
{
	return x->events[r].kind == READ && x->events[w].kind == WRITE && has(x->co, x->rf[r], w);
}

/* Axiom Atomicity of an atomic operation whose halves are r and w. */
static bool is_atomic(const struct execution *x, uint32_t r, uint32_t w)
{
	for (uint32_t k = 0; k < x->count; k++)
		if (k != w && has(x->strong, r, k) && from_read(x, r, k) && has(x->strong, k, w) &&
		    has(x->co, k, w))
			return false;
	return true;
}

/* Axioms Atomicity, SC-per-Location, and the second half of Causality. */
static bool satisfies_axioms(const struct execution *x)
{
	relation local = {0};

	for (uint32_t a = 0; a < x->count; a++)
		for (uint32_t b = 0; b < x->count; b++) {
			const struct event *e = &x->events[a], *f = &x->events[b];
			bool communicates =
				(e->kind == WRITE && f->kind == READ && x->rf[b] == a) ||
				has(x->co, a, b) || from_read(x, a, b);

			if (!is_memory(e) || !is_memory(f) || e->var != f->var || a == b)
				continue;
			if (has(x->po, a, b) || (communicates && has(x->strong, a, b)))
				set(local, a, b);
			/* W precedes R in causality, and R reads from before W. */
			if (e->kind == WRITE && has(x->cause, a, b) && from_read(x, b, a))
				return false;
			if (e->kind == READ && e->partner == b && !is_atomic(x, a, b))
				return false;
		}
	return is_acyclic(local, x->count);
}

/* ---- outcomes ---- */

static uint32_t clamp(int value)
{
	return value >= LITMUS_VALUES ? LITMUS_VALUES - 1 : (uint32_t)value;
}

/* Chooses the final value of every observed variable among the writes without a successor. */
static void add_outcomes(const struct execution *x, uint32_t final, uint32_t outcome)
{
	const struct litmus_program *p = x->p;
	uint32_t v;

	if (final == p->finals) {
		x->legal[outcome] = 1;
		return;
	}
	v = p->final_var[final];
	for (uint32_t i = 0; i < x->write_count[v]; i++) {
		uint32_t w = x->writes[v][i], shift = LITMUS_BITS * (p->registers + final);

		if (!x->co[w])
			add_outcomes(x, final + 1, outcome | clamp(x->value[w]) << shift);
	}
}

static void judge(struct execution *x)
{
	uint32_t outcome = 0;

	if (!satisfies_axioms(x))
		return;
	for (uint32_t k = 0; k < x->read_count; k++) {
		uint32_t r = x->reads[k];

		if (x->events[r].observable != UINT8_MAX)
			outcome |= clamp(x->value[r]) << LITMUS_BITS * x->events[r].observable;
	}
	add_outcomes(x, 0, outcome);
}

/* ---- enumeration ---- */

/* Whether program order lets an element of a list come before the rest of it. */
static bool may_come_next(const struct execution *x, const uint8_t *list, uint32_t from,
			  uint32_t count, uint32_t next)
{
	for (uint32_t i = from; i < count; i++)
		if (has(x->po, list[i], list[next]))
			return false;
	return true;
}

/* Calls body with every permutation of list that follows program order: neither coherence nor
 * Fence-SC order may contradict causality, which includes it. */
static void permute(struct execution *x, uint8_t *list, uint32_t from, uint32_t count,
		    void (*body)(struct execution *x, uint32_t argument), uint32_t argument)
{
	if (from + 1 >= count) {
		body(x, argument);
		return;
	}
	for (uint32_t i = from; i < count; i++) {
		uint8_t t = list[from];

		if (!may_come_next(x, list, from, count, i))
			continue;
		list[from] = list[i];
		list[i] = t;
		permute(x, list, from + 1, count, body, argument);
		list[i] = list[from];
		list[from] = t;
	}
}

/* Coherence of one variable after the other; axiom Coherence. */
static void order_writes(struct execution *x, uint32_t v)
{
	if (v == x->p->vars) {
		memset(x->co, 0, sizeof(x->co));
		for (uint32_t k = 0; k < x->p->vars; k++)
			for (uint32_t i = 0; i < x->write_count[k]; i++)
				for (uint32_t j = 0; j < x->write_count[k]; j++) {
					uint32_t a = x->writes[k][i], b = x->writes[k][j];

					/* Position 0 is the initial value. */
					if ((i < j && (!i || has(x->strong, a, b))) ||
					    has(x->cause, a, b))
						set(x->co, a, b);
				}
		if (!is_acyclic(x->co, x->count))
			return;
		close_transitively(x->co, x->count);
		judge(x);
		return;
	}
	permute(x, x->writes[v], 1, x->write_count[v], order_writes, v + 1);
}

static void order_fences(struct execution *x, uint32_t unused)
{
	(void)unused;
	memset(x->fence_sc, 0, sizeof(x->fence_sc));
	for (uint32_t i = 0; i < x->sc_count; i++)
		for (uint32_t k = i + 1; k < x->sc_count; k++)
			if (has(x->strong, x->sc[i], x->sc[k]))
				set(x->fence_sc, x->sc[i], x->sc[k]);
	close_transitively(x->fence_sc, x->count);
	relate_causes(x);
	if (respects_causes(x))
		order_writes(x, 0);
}

static void choose_writes(struct execution *x, uint32_t k)
{
	uint32_t r, v;

	if (k == x->read_count) {
		if (compute_values(x))
			permute(x, x->sc, 0, x->sc_count, order_fences, 0);
		return;
	}
	r = x->reads[k];
	v = x->events[r].var;
	for (uint32_t i = 0; i < x->write_count[v]; i++)
		if (x->writes[v][i] != x->events[r].partner) {
			x->rf[r] = x->writes[v][i];
			choose_writes(x, k + 1);
		}
}

void litmus_legal(const struct litmus_program *p, const litmus_blocks blocks, uint8_t *legal)
{
	struct execution x = {.p = p, .blocks = blocks, .legal = legal};

	memset(legal, 0, LITMUS_OUTCOMES(p));
	add_events(&x);
	relate_events(&x);
	find_patterns(&x);
	choose_writes(&x, 0);
}
