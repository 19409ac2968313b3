// SPDX-License-Identifier: MIT
/*
 * Merges divergent warp syncs (passes/divergent_syncs.c finds them). Lanes may execute one warp
 * sync at different sites, but a wave executes one site after the other. All such sites of a kernel
 * therefore become one sync header: lanes bring their arguments and site number, and wait there for
 * the next iteration while members are missing.
 *	site n:   site = n; members, args = ...   header: alive = lanes that have not ended
 *	          to header                               to the check of the site's kind
 *	after n:  x = result                      kind:   same = lanes here with the same members
 *	                                                  to header if alive members are missing
 *	                                          do:     result = shuffle args, members
 *	                                                  to after n, by site
 *
 * The sync header is the header of the loop that these edges form (exec_masks.c), so waiting lanes
 * let all others run until those reach a site or end. Other lanes may execute the same code in
 * between; values that are live across a site are per lane, in VGPRs. Warp syncs that were
 * convergent may be reached in different iterations once they lie in that loop, so they are merged
 * as well. Before aligned instructions in that loop (barriers, matrix products, calls of functions
 * with such), lanes wait at the sync header for all lanes that have not ended, and execute the
 * instruction where it is.
 */
#include <string.h>
#include "libsov/compiler/amd/mir.h"
#include "libsov/compiler/mir/liveness.h"
#include "libsov/compiler/passes/expand.h"
#include "libsov/compiler/analysis/cfg_walk.h"
#include "libsov/compiler/passes/lower.h"
#include "libsov/compiler/passes/pass.h"

#define MAX_ARGS    4
#define MAX_RESULTS 2

struct sync_site {
	ir_id id;
	struct ir_inst in;
	uint32_t kind;          /* as sync_kind(); sites of one kind are consecutive */
	ir_block before, after; /* the blocks around the site */
};

struct sync_merge {
	struct ir_func *f;
	struct arena *arena;
	struct sync_site *sites;
	uint32_t nsites;
	/* virtual registers: site number, member mask, arguments as words and as pairs, results */
	uint32_t site, members, args[MAX_ARGS][2], results[MAX_RESULTS];
	ir_block header;
	uint32_t words;      /* words of a value set */
	uint64_t *live_in;   /* by block: live-in values */
	bool *in_loop;       /* by block: in the loop of the sync header */
	uint32_t *value_reg; /* by value: the register that carries it across sites; 0: none */
};

bool gcn_is_sync_header(const struct ir_func *f, ir_block b)
{
	return ir_at(f, cfg_first_non_phi(f, b))->op == IR_ALIVE;
}

/* Whether a branch may keep some lanes of a wave from executing a block. */
static bool is_divergent_block(const struct gcn_control *c, ir_block b)
{
	return c->masked[b] || c->structure_of[b];
}

/* All lanes of a wave execute the instruction together, at one site. In a divergent block, nothing
 * says which lanes make a call. */
static bool is_aligned(const struct ir_func *f, const struct gcn_control *c, ir_id i)
{
	const struct ir_inst *in = ir_at(f, i);

	return is_aligned_sync(in) ||
	       (!is_divergent_block(c, in->block) && call_may_sync(f->module, in));
}

static bool is_constant_value(const struct ir_func *f, ir_val v)
{
	return ir_def(f, v)->op == IR_CONST || ir_def(f, v)->op == IR_UNDEF;
}

/* ---- finding sites ---- */

static void flood_reach(const struct ir_func *f, ir_block *stack, uint32_t depth, bool *reached,
			bool backwards)
{
	while (depth) {
		const struct ir_bb *bb = &f->blocks[stack[--depth]];
		uint32_t n = backwards ? bb->npreds : bb->nsucc;

		for (uint32_t k = 0; k < n; k++) {
			ir_block to = backwards ? bb->preds[k] : bb->succ[k];

			if (reached[to])
				continue;
			reached[to] = true;
			stack[depth++] = to;
		}
	}
}

/*
 * Lanes reach what lies between two sites in different iterations, so its warp syncs and aligned
 * instructions become sites, too.
 */
static void mark_sites_between(const struct ir_func *f, const struct gcn_control *c, bool *marked)
{
	struct arena *a = f->module->arena;
	bool *after = arena_array(a, f->nblocks, sizeof(*after)),
	     *before = arena_array(a, f->nblocks, sizeof(*before));
	ir_block *stack = arena_array(a, 2 * (size_t)f->nblocks + 1, sizeof(*stack));
	uint32_t depth = 0, kind;

	for (int backwards = 0; backwards < 2; backwards++, depth = 0) {
		ir_for_each_block(f, b) {
			bool any = false;

			ir_for_each_inst(f, b, i)
				any |= marked[i];
			if (any)
				stack[depth++] = b;
		}
		flood_reach(f, stack, depth, backwards ? before : after, backwards);
	}
	ir_for_each_block(f, b) {
		ir_id last = 0;
		bool follows = after[b];

		ir_for_each_inst(f, b, i)
			last = marked[i] ? i : last;
		ir_for_each_inst(f, b, i) {
			bool was = marked[i];

			if (follows && (last || before[b]) &&
			    (is_sync_site(f, i, &kind) || is_aligned(f, c, i)))
				marked[i] = true;
			follows |= was;
			if (i == last)
				last = 0;
		}
	}
}

/* Every aligned instruction is its own kind. */
static uint32_t sync_kind(const struct ir_inst *in, ir_id i)
{
	uint32_t kind = ir_sync_kind(in);

	return kind ? kind : IR_SYNC_KINDS + i;
}

static bool is_aligned_site(const struct sync_site *s)
{
	return s->kind >= IR_SYNC_KINDS;
}

static void split_sites(struct sync_merge *m, const bool *marked)
{
	uint32_t count = 0, ninsts = m->f->ninsts;

	for (ir_id i = 1; i < ninsts; i++)
		count += marked[i];
	m->sites = arena_array(m->arena, count + 1, sizeof(*m->sites));
	for (ir_id i = 1; i < ninsts; i++) {
		uint32_t at = m->nsites, kind;

		if (!marked[i])
			continue;
		kind = sync_kind(ir_at(m->f, i), i);
		for (; at && m->sites[at - 1].kind > kind; at--)
			m->sites[at] = m->sites[at - 1];
		m->sites[at] = (struct sync_site){.id = i, .in = *ir_at(m->f, i), .kind = kind};
		m->nsites++;
	}
	for (uint32_t k = 0; k < m->nsites; k++) {
		ir_block before = ir_at(m->f, m->sites[k].id)->block,
			 after = cfg_split_block(m->f, m->sites[k].id);

		ir_append(m->f, before, ir_inst_new(m->f, IR_BR, IR_VOID, NULL, 0, 0));
		ir_edge(m->f, before, after);
	}
	for (uint32_t k = 0; k < m->nsites; k++) {
		m->sites[k].after = ir_at(m->f, m->sites[k].id)->block;
		m->sites[k].before = m->f->blocks[m->sites[k].after].preds[0];
	}
}

/* ---- to the sync header and back ---- */

static void insert_reg_write(struct expand *e, uint32_t reg, ir_val v)
{
	ir_id i = ir_inst_new(e->f, IR_WRITE, e->f->reg_types[reg], &v, 1, 0);

	ir_at(e->f, i)->symbol = reg;
	ir_insert_before(e->f, e->at, i);
}

static ir_val insert_reg_read(struct expand *e, uint32_t reg)
{
	ir_id i = ir_inst_new(e->f, IR_READ, e->f->reg_types[reg], NULL, 0, 1);

	ir_at(e->f, i)->symbol = reg;
	ir_insert_before(e->f, e->at, i);
	return ir_at(e->f, i)->res;
}

/* Stores a value to a register, a predicate as 0 or 1. */
static void store_value(struct expand *e, uint32_t reg, ir_val v)
{
	if (e->f->values[v].type == IR_B1)
		v = expand_select(e, v, expand_const(e, IR_B32, 1), expand_const(e, IR_B32, 0));
	insert_reg_write(e, reg, v);
}

static ir_val load_value(struct expand *e, uint32_t reg, enum ir_type t)
{
	ir_val v = insert_reg_read(e, reg);

	return t == IR_B1 ? expand_compare_imm(e, IR_NE, v, 0) : v;
}

static uint32_t argument_reg(struct sync_merge *m, uint32_t k, enum ir_type t)
{
	return m->args[k][t == IR_B64];
}

static void lower_site_arguments(struct sync_merge *m, uint32_t number)
{
	const struct sync_site *s = &m->sites[number];
	struct expand e = {.f = m->f, .at = m->f->blocks[s->before].last, .line = s->in.line};

	insert_reg_write(&e, m->site, expand_const(&e, IR_B32, number));
	if (is_aligned_site(s))
		return;
	insert_reg_write(&e, m->members, s->in.args[s->in.nargs - 1]);
	for (uint32_t k = 0; k < s->in.nargs - 1u; k++)
		store_value(&e, argument_reg(m, k, m->f->values[s->in.args[k]].type),
			    s->in.args[k]);
}

static void lower_site_results(struct sync_merge *m, const struct sync_site *s)
{
	ir_id at = m->f->blocks[s->after].first;
	struct expand e = {.f = m->f, .at = at, .line = s->in.line};

	if (is_aligned_site(s))
		return;
	for (uint32_t k = 0; k < s->in.nres; k++)
		ir_replace_uses(m->f, s->in.res + k,
				load_value(&e, m->results[k], m->f->values[s->in.res + k].type));
}

/* ---- the sync header ---- */

/*
 * Creates a block with an unconditional branch; code is inserted before the branch. finish_block()
 * adds the edges and, given a condition, makes the branch conditional.
 */
static struct expand begin_block(struct sync_merge *m, ir_block *b, uint32_t line)
{
	*b = ir_block_new(m->f, NULL);
	ir_append(m->f, *b, ir_inst_new(m->f, IR_BR, IR_VOID, NULL, 0, 0));
	return (struct expand){.f = m->f, .at = m->f->blocks[*b].last, .line = line};
}

static void finish_block(struct expand *e, ir_block b, ir_val condition, ir_block yes, ir_block no)
{
	if (condition) {
		ir_remove(e->f, e->at);
		ir_append(e->f, b, ir_inst_new(e->f, IR_CBR, IR_VOID, &condition, 1, 0));
		ir_edge(e->f, b, yes);
	}
	ir_edge(e->f, b, no);
}

/* Dispatches from block b to the continuations of sites [first, last). */
static void dispatch_to_sites(struct sync_merge *m, struct expand e, ir_block b, uint32_t first,
			      uint32_t last)
{
	for (; first + 1 < last; first++) {
		ir_block next;
		struct expand after = begin_block(m, &next, e.line);

		finish_block(&e, b,
			     expand_compare_imm(&e, IR_EQ, insert_reg_read(&e, m->site), first),
			     m->sites[first].after, next);
		e = after;
		b = next;
	}
	finish_block(&e, b, 0, 0, m->sites[first].after);
}

static void emit_operation(struct sync_merge *m, struct expand *e, const struct sync_site *s)
{
	ir_val args[MAX_ARGS];
	uint32_t last = s->in.nargs - 1u;
	ir_id i;

	for (uint32_t k = 0; k < last; k++) {
		enum ir_type t = m->f->values[s->in.args[k]].type;

		args[k] = load_value(e, argument_reg(m, k, t), t);
	}
	args[last] = insert_reg_read(e, m->members);
	i = ir_inst_new(m->f, s->in.op, s->in.type, args, s->in.nargs, s->in.nres);
	ir_at(m->f, i)->sub = s->in.sub;
	ir_at(m->f, i)->line = s->in.line;
	ir_insert_before(m->f, e->at, i);
	for (uint32_t k = 0; k < s->in.nres; k++)
		store_value(e, m->results[k], ir_at(m->f, i)->res + k);
}

/* Emits what lanes execute whose members are all present: the operation, unless it is aligned. */
static ir_block emit_complete(struct sync_merge *m, uint32_t first, uint32_t last)
{
	const struct sync_site *s = &m->sites[first];
	ir_block b;
	struct expand e = begin_block(m, &b, s->in.line);

	if (!is_aligned_site(s))
		emit_operation(m, &e, s);
	dispatch_to_sites(m, e, b, first, last);
	return b;
}

/* Emits the check of one kind: lanes whose members are all present continue. */
static ir_block emit_kind_check(struct sync_merge *m, ir_val alive, uint32_t first, uint32_t last)
{
	ir_block b, then = emit_complete(m, first, last);
	struct expand e = begin_block(m, &b, m->sites[first].in.line);
	ir_val present_lanes = expand_op(&e, IR_ACTIVE, IR_B32, 0, 0, 0), members = alive, missing;

	if (!is_aligned_site(&m->sites[first])) {
		members = insert_reg_read(&e, m->members);
		present_lanes = expand_op(&e, IR_MATCH_ANY, IR_B32, members, present_lanes, 0);
		members = expand_op(&e, IR_AND, IR_B32, members, alive, 0);
	}
	missing = expand_op(&e, IR_AND, IR_B32, members,
			    expand_op(&e, IR_NOT, IR_B32, present_lanes, 0, 0), 0);
	finish_block(&e, b, expand_compare_imm(&e, IR_NE, missing, 0), m->header, then);
	return b;
}

static void emit_sync_header(struct sync_merge *m)
{
	struct expand e = begin_block(m, &m->header, 0);
	ir_val alive = expand_op(&e, IR_ALIVE, IR_B32, 0, 0, 0);
	ir_block b = m->header;

	for (uint32_t first = 0, last; first < m->nsites; first = last) {
		struct expand after;
		ir_block next, kind;

		for (last = first + 1;
		     last < m->nsites && m->sites[last].kind == m->sites[first].kind;)
			last++;
		kind = emit_kind_check(m, alive, first, last);
		if (last == m->nsites) {
			finish_block(&e, b, 0, 0, kind);
			break;
		}
		after = begin_block(m, &next, 0);
		finish_block(&e, b,
			     expand_compare_imm(&e, IR_LT_U, insert_reg_read(&e, m->site), last),
			     kind, next);
		e = after;
		b = next;
	}
}

/* ---- values live across sites ---- */

static uint64_t *live_in_set(const struct sync_merge *m, ir_block b)
{
	return m->live_in + (size_t)b * m->words;
}

static const uint32_t *block_successors(const void *func, uint32_t b, uint32_t *count)
{
	const struct ir_func *f = func;

	*count = f->blocks[b].nsucc;
	return f->blocks[b].succ;
}

static void add_phi_arguments(const void *func, uint32_t b, uint64_t *live)
{
	const struct ir_func *f = func;

	for (uint32_t k = 0; k < f->blocks[b].nsucc; k++) {
		ir_block s = f->blocks[b].succ[k];
		uint32_t p = 0;

		while (f->blocks[s].preds[p] != b)
			p++;
		ir_for_each_inst(f, s, i)
			if (ir_at(f, i)->op == IR_PHI)
				bitset_add(live, ir_at(f, i)->args[p]);
	}
}

static void step_over_block(const void *func, uint32_t b, uint64_t *live)
{
	const struct ir_func *f = func;

	for (ir_id i = f->blocks[b].last; i; i = ir_at(f, i)->prev) {
		const struct ir_inst *in = ir_at(f, i);

		for (uint32_t r = 0; r < in->nres; r++)
			bitset_remove(live, in->res + r);
		for (uint32_t k = 0; k < in->nargs && in->op != IR_PHI; k++)
			bitset_add(live, in->args[k]);
	}
}

static void solve_liveness(struct sync_merge *m)
{
	const struct ir_func *f = m->f;
	ir_block *order = arena_array(m->arena, f->nblocks, sizeof(*order));
	struct liveness l = {.arena = m->arena,
			     .func = f,
			     .nblocks = f->nblocks,
			     .nunits = f->nvalues,
			     .order = order,
			     .cfgs = {{.successors = block_successors}},
			     .ncfgs = 1,
			     .add_edge_uses = add_phi_arguments,
			     .transfer = step_over_block};

	m->words = bitset_words(f->nvalues);
	m->live_in = arena_array(m->arena, (size_t)f->nblocks * m->words, sizeof(*m->live_in));
	l.blocks = arena_array(m->arena, f->nblocks, sizeof(*l.blocks));
	ir_for_each_block(f, b) {
		order[l.count++] = b;
		l.blocks[b].in = live_in_set(m, b);
		l.blocks[b].out = bitset_new(m->arena, f->nvalues);
	}
	liveness_solve(&l);
}

static void find_loop_blocks(struct sync_merge *m)
{
	bool *from = arena_array(m->arena, m->f->nblocks, sizeof(*from));
	ir_block *stack = arena_array(m->arena, 2 * (size_t)m->f->nblocks + 1, sizeof(*stack));

	m->in_loop = arena_array(m->arena, m->f->nblocks, sizeof(*m->in_loop));
	stack[0] = m->header;
	flood_reach(m->f, stack, 1, from, false);
	stack[0] = m->header;
	flood_reach(m->f, stack, 1, m->in_loop, true);
	for (uint32_t b = 0; b < m->f->nblocks; b++)
		m->in_loop[b] &= from[b];
}

/* A value whose definition dominates the sync header from outside of the loop needs no carrying. */
static void choose_carried_values(struct sync_merge *m)
{
	const struct ir_cfg *cfg = ir_cfg_build(m->f);
	uint32_t nvalues = 64 * m->words < m->f->nvalues ? 64 * m->words : m->f->nvalues;

	m->value_reg = arena_array(m->arena, m->f->nvalues, sizeof(*m->value_reg));
	for (ir_val v = 1; v < nvalues; v++) {
		ir_block def = ir_def(m->f, v)->block;
		enum ir_type t = m->f->values[v].type;
		bool across = false;

		for (uint32_t k = 0; k < m->nsites; k++)
			across |= bitset_has(live_in_set(m, m->sites[k].after), v);
		if (across && (m->in_loop[def] || !ir_dominates(cfg, def, m->header)))
			m->value_reg[v] = ir_reg_new(m->f, t == IR_B1 ? IR_B32 : t);
	}
}

/* The value at a use after a site: read from its register, or the constant again. */
static ir_val carried_value(struct sync_merge *m, struct expand *e, ir_val v)
{
	struct ir_inst *d = ir_def(m->f, v);
	ir_id i;

	if (!is_constant_value(m->f, v))
		return load_value(e, m->value_reg[v], m->f->values[v].type);
	i = ir_inst_new(m->f, d->op, d->type, NULL, 0, 1);
	ir_at(m->f, i)->imm = ir_def(m->f, v)->imm;
	ir_insert_before(m->f, e->at, i);
	return ir_at(m->f, i)->res;
}

static void carry_uses(struct sync_merge *m, uint32_t nvalues)
{
	struct ir_func *f = m->f;

	ir_for_each_block(f, b)
		ir_for_each_inst_safe(f, b, i)
			for (uint32_t k = 0; k < ir_at(f, i)->nargs; k++) {
				ir_val v = ir_at(f, i)->args[k];
				bool phi = ir_at(f, i)->op == IR_PHI;
				ir_block at = phi ? f->blocks[b].preds[k] : b;
				struct expand e = {.f = f, .at = phi ? f->blocks[at].last : i};

				if (v >= nvalues || !m->value_reg[v] || ir_def(f, v)->block == at)
					continue;
				v = carried_value(m, &e, v);
				ir_at(f, i)->args[k] = v;
			}
}

static void carry_definitions(struct sync_merge *m, uint32_t nvalues)
{
	struct ir_func *f = m->f;

	for (ir_val v = 1; v < nvalues; v++) {
		ir_id def = m->value_reg[v] ? f->values[v].def : 0;
		struct expand e = {.f = f};

		if (!def || is_constant_value(f, v))
			continue;
		e.at = ir_at(f, def)->op == IR_PHI ? cfg_first_non_phi(f, ir_at(f, def)->block)
						   : ir_at(f, def)->next;
		store_value(&e, m->value_reg[v], v);
	}
}

/* Copies carried values on each edge to the header, so that they are per lane there. */
static void carry_to_header(struct sync_merge *m, uint32_t nvalues)
{
	for (uint32_t k = 0; k < m->nsites; k++) {
		struct expand e = {.f = m->f, .at = m->f->blocks[m->sites[k].before].last};

		for (ir_val v = 1; v < nvalues; v++)
			if (m->value_reg[v] && !is_constant_value(m->f, v) &&
			    bitset_has(live_in_set(m, m->sites[k].after), v)) {
				ir_val x = insert_reg_read(&e, m->value_reg[v]);

				insert_reg_write(
					&e, m->value_reg[v],
					expand_op(&e, IR_COPY, m->f->values[x].type, x, 0, 0));
			}
	}
}

static void carry_values(struct sync_merge *m)
{
	uint32_t nvalues = m->f->nvalues;

	find_loop_blocks(m);
	choose_carried_values(m);
	carry_uses(m, nvalues);
	carry_definitions(m, nvalues);
	carry_to_header(m, nvalues);
}

/* ---- unsupported syncs ---- */

/* Warp syncs in functions do not wait for lanes outside of the function. */
bool gcn_syncs_across_calls(const struct ir_func *f, const struct gcn_control *c, uint32_t *line)
{
	struct ir_cfg cfg = *ir_cfg_build(f);
	const bool *marked;

	cfg.ipdom = c->reconvergence;
	marked = divergent_sync_sites(f, &cfg, c->divergence);
	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i) {
			const struct ir_inst *in = ir_at(f, i);

			*line = in->line;
			if (f->kind == IR_FUNCTION && marked[i])
				return true;
			if (in->op != IR_CALL || !is_divergent_block(c, b))
				continue;
			if (reaches_sync_site(f->module, in->symbol))
				return true;
		}
	return false;
}

void gcn_merge_divergent_syncs(struct ir_func *f)
{
	struct sync_merge m = {.f = f, .arena = f->module->arena};
	const struct gcn_control *c = gcn_control_build(f, false);
	struct ir_cfg cfg = *ir_cfg_build(f);
	bool *marked;

	cfg.ipdom = c->reconvergence;
	marked = divergent_sync_sites(f, &cfg, c->divergence);
	mark_sites_between(f, c, marked);
	split_sites(&m, marked);
	if (!m.nsites)
		return;
	m.site = ir_reg_new(f, IR_B32);
	m.members = ir_reg_new(f, IR_B32);
	for (uint32_t k = 0; k < MAX_ARGS; k++)
		for (uint32_t wide = 0; wide < 2; wide++)
			m.args[k][wide] = ir_reg_new(f, wide ? IR_B64 : IR_B32);
	for (uint32_t k = 0; k < MAX_RESULTS; k++)
		m.results[k] = ir_reg_new(f, IR_B32);
	f->ssa = false;
	for (uint32_t k = 0; k < m.nsites; k++)
		lower_site_results(&m, &m.sites[k]);
	for (uint32_t k = 0; k < m.nsites; k++) {
		lower_site_arguments(&m, k);
		if (!is_aligned_site(&m.sites[k]))
			ir_remove(f, m.sites[k].id);
	}
	solve_liveness(&m);
	emit_sync_header(&m);
	for (uint32_t k = 0; k < m.nsites; k++)
		ir_edge_redirect(f, m.sites[k].before, m.sites[k].after, m.header);
	carry_values(&m);
	pass_ssa_construction(f, NULL);
}
