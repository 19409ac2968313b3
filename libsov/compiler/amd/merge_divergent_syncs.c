// SPDX-License-Identifier: MIT
/*
 * Lanes that meet in different places (places.c). A wave runs one place after the other, so who comes first has to
 * wait until all others are at theirs. All such places of a kernel become one meeting: lanes bring there what they
 * have and the number of their place, and wait for the next turn if somebody is missing:
 *
 *	place n:  site = n; members, arguments = …        meeting: alive = lanes that have not ended
 *	          br meeting                                       on to the kind of the place
 *	behind n: x = result                              kind:    same = lanes here that name the same members
 *	                                                           cbr some alive member is not among them, meeting, do
 *	                                                  do:      result = shuffle arguments, members
 *	                                                           on to behind n, by site
 *
 * The meeting is the header of the loop that it makes (control.c), so lanes that wait there let all others run, and
 * those come to a place, or end. Between two visits others may run through the same code: what lanes carry
 * past a place is their own, in vector registers. Places and barriers that stood for all lanes of the wave may be come
 * to in different turns, once they are in that loop: so they are places as well, barriers for all that are alive.
 */
#include <string.h>
#include "libsov/compiler/amd/mir.h"
#include "libsov/compiler/passes/expand.h"
#include "libsov/compiler/analysis/cfg_walk.h"
#include "libsov/compiler/passes/lower.h"
#include "libsov/compiler/passes/pass.h"

#define MOST_ARGS    4
#define MOST_RESULTS 2

struct site {
	ir_id id;
	struct ir_inst in;
	uint32_t kind;           /* those of one kind stand one after the other */
	ir_block before, behind; /* what stood around it */
};

struct meeting {
	struct ir_func *f;
	struct arena *arena;
	struct site *sites;
	uint32_t nsites;
	uint32_t site, members; /* registers: the place's number, who meets there, … */
	uint32_t args[MOST_ARGS][2],
		results[MOST_RESULTS]; /* … words and pairs that lanes bring, what they get */
	ir_block block;
	uint32_t words;  /* of a set of values */
	uint64_t *alive; /* by block: values that are used in it or behind it, and made before */
	bool *inside;    /* by block: of the loop */
	uint32_t *reg;   /* by value: the register that carries it past places; 0: none */
};

bool gcn_is_meeting(const struct ir_func *f, ir_block b)
{
	return ir_at(f, cfg_first_non_phi(f, b))->op == IR_ALIVE;
}

static bool is_barrier(const struct ir_inst *in)
{
	return in->op == IR_BARRIER || in->op == IR_BARRIER_RED;
}

static bool is_constant(const struct ir_func *f, ir_val v)
{
	return ir_def(f, v)->op == IR_CONST || ir_def(f, v)->op == IR_UNDEF;
}

/* ---- which places ---- */

static void flood(const struct ir_func *f, ir_block *stack, uint32_t depth, bool *met,
		  bool backwards)
{
	while (depth) {
		const struct ir_bb *bb = &f->blocks[stack[--depth]];
		uint32_t n = backwards ? bb->npreds : bb->nsucc;

		for (uint32_t k = 0; k < n; k++) {
			ir_block to = backwards ? bb->preds[k] : bb->succ[k];

			if (met[to])
				continue;
			met[to] = true;
			stack[depth++] = to;
		}
	}
}

/* What lanes come to between two places, they come to in different turns. */
static void mark_between(const struct ir_func *f, bool *marked)
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
		flood(f, stack, depth, backwards ? before : after, backwards);
	}
	ir_for_each_block(f, b) {
		ir_id last = 0;
		bool behind = after[b];

		ir_for_each_inst(f, b, i)
			last = marked[i] ? i : last;
		ir_for_each_inst(f, b, i) {
			bool was = marked[i];

			if (behind && (last || before[b]) &&
			    (is_sync_site(f, i, &kind) || is_barrier(ir_at(f, i))))
				marked[i] = true;
			behind |= was;
			if (i == last)
				last = 0;
		}
	}
}

/* A barrier is of a kind of its own: what it is told does not go through registers. */
static uint32_t kind_of(const struct ir_inst *in, ir_id i)
{
	return is_barrier(in) ? IR_SYNC_KINDS + i : ir_sync_kind(in);
}

static void list_sites(struct meeting *m, const bool *marked)
{
	uint32_t count = 0, ninsts = m->f->ninsts;

	for (ir_id i = 1; i < ninsts; i++)
		count += marked[i];
	m->sites = arena_array(m->arena, count + 1, sizeof(*m->sites));
	for (ir_id i = 1; i < ninsts; i++) {
		uint32_t at = m->nsites, kind;

		if (!marked[i])
			continue;
		kind = kind_of(ir_at(m->f, i), i);
		for (; at && m->sites[at - 1].kind > kind; at--)
			m->sites[at] = m->sites[at - 1];
		m->sites[at] = (struct site){.id = i, .in = *ir_at(m->f, i), .kind = kind};
		m->nsites++;
	}
	for (uint32_t k = 0; k < m->nsites; k++) {
		ir_block before = ir_at(m->f, m->sites[k].id)->block,
			 behind = cfg_split_block(m->f, m->sites[k].id);

		ir_append(m->f, before, ir_inst_new(m->f, IR_BR, IR_VOID, NULL, 0, 0));
		ir_edge(m->f, before, behind);
	}
	for (uint32_t k = 0; k < m->nsites; k++) {
		m->sites[k].behind = ir_at(m->f, m->sites[k].id)->block;
		m->sites[k].before = m->f->blocks[m->sites[k].behind].preds[0];
	}
}

/* ---- the way there and back ---- */

static void write_reg(struct expand *e, uint32_t reg, ir_val v)
{
	ir_id i = ir_inst_new(e->f, IR_WRITE, e->f->reg_types[reg], &v, 1, 0);

	ir_at(e->f, i)->symbol = reg;
	ir_insert_before(e->f, e->at, i);
}

static ir_val read_reg(struct expand *e, uint32_t reg)
{
	ir_id i = ir_inst_new(e->f, IR_READ, e->f->reg_types[reg], NULL, 0, 1);

	ir_at(e->f, i)->symbol = reg;
	ir_insert_before(e->f, e->at, i);
	return ir_at(e->f, i)->res;
}

/* A predicate goes as a word. */
static void keep(struct expand *e, uint32_t reg, ir_val v)
{
	if (e->f->values[v].type == IR_B1)
		v = expand_select(e, v, expand_const(e, IR_B32, 1), expand_const(e, IR_B32, 0));
	write_reg(e, reg, v);
}

static ir_val kept(struct expand *e, uint32_t reg, enum ir_type t)
{
	ir_val v = read_reg(e, reg);

	return t == IR_B1 ? expand_compare_imm(e, IR_NE, v, 0) : v;
}

static uint32_t argument(struct meeting *m, uint32_t k, enum ir_type t)
{
	return m->args[k][t == IR_B64];
}

/* What the operation itself is told; the last of an operation between lanes is its members. */
static uint32_t arguments(const struct site *s)
{
	return is_barrier(&s->in) ? s->in.nargs : s->in.nargs - 1;
}

static void leave(struct meeting *m, uint32_t number)
{
	const struct site *s = &m->sites[number];
	struct expand e = {.f = m->f, .at = m->f->blocks[s->before].last, .line = s->in.line};

	write_reg(&e, m->site, expand_const(&e, IR_B32, number));
	if (!is_barrier(&s->in))
		write_reg(&e, m->members, s->in.args[s->in.nargs - 1]);
	for (uint32_t k = 0; k < arguments(s); k++)
		if (!is_constant(m->f, s->in.args[k]) || !is_barrier(&s->in))
			keep(&e, argument(m, k, m->f->values[s->in.args[k]].type), s->in.args[k]);
}

static void come_back(struct meeting *m, const struct site *s)
{
	ir_id at = m->f->blocks[s->behind].first;
	struct expand e = {.f = m->f, .at = at, .line = s->in.line};

	for (uint32_t k = 0; k < s->in.nres; k++)
		ir_replace_uses(m->f, s->in.res + k,
				kept(&e, m->results[k], m->f->values[s->in.res + k].type));
}

/* ---- the meeting ---- */

/* A block that ends in a branch; without a condition a plain one. The instruction is where code goes. */
static struct expand begin(struct meeting *m, ir_block *b, uint32_t line)
{
	*b = ir_block_new(m->f, NULL);
	ir_append(m->f, *b, ir_inst_new(m->f, IR_BR, IR_VOID, NULL, 0, 0));
	return (struct expand){.f = m->f, .at = m->f->blocks[*b].last, .line = line};
}

static void finish(struct expand *e, ir_block b, ir_val condition, ir_block yes, ir_block no)
{
	if (condition) {
		ir_remove(e->f, e->at);
		ir_append(e->f, b, ir_inst_new(e->f, IR_CBR, IR_VOID, &condition, 1, 0));
		ir_edge(e->f, b, yes);
	}
	ir_edge(e->f, b, no);
}

/* From one block on to one of the places from first to before last. */
static void fan_out(struct meeting *m, struct expand e, ir_block b, uint32_t first, uint32_t last)
{
	for (; first + 1 < last; first++) {
		ir_block next;
		struct expand after = begin(m, &next, e.line);

		finish(&e, b, expand_compare_imm(&e, IR_EQ, read_reg(&e, m->site), first),
		       m->sites[first].behind, next);
		e = after;
		b = next;
	}
	finish(&e, b, 0, 0, m->sites[first].behind);
}

/* The operation itself, for lanes whose members are all there. */
static ir_block carry_out(struct meeting *m, uint32_t first, uint32_t last)
{
	const struct site *s = &m->sites[first];
	ir_val args[MOST_ARGS];
	ir_block b;
	struct expand e = begin(m, &b, s->in.line);
	ir_id i;

	for (uint32_t k = 0; k < arguments(s); k++) {
		enum ir_type t = m->f->values[s->in.args[k]].type;

		if (is_barrier(&s->in) && is_constant(m->f, s->in.args[k]))
			args[k] = expand_const(&e, t, ir_def(m->f, s->in.args[k])->imm);
		else
			args[k] = kept(&e, argument(m, k, t), t);
	}
	if (!is_barrier(&s->in))
		args[s->in.nargs - 1] = read_reg(&e, m->members);
	i = ir_inst_new(m->f, s->in.op, s->in.type, args, s->in.nargs, s->in.nres);
	ir_at(m->f, i)->sub = s->in.sub;
	ir_at(m->f, i)->line = s->in.line;
	ir_insert_before(m->f, e.at, i);
	for (uint32_t k = 0; k < s->in.nres; k++)
		keep(&e, m->results[k], ir_at(m->f, i)->res + k);
	fan_out(m, e, b, first, last);
	return b;
}

/* Lanes of one kind: those who miss nobody go on. */
static ir_block gather(struct meeting *m, ir_val alive, uint32_t first, uint32_t last)
{
	ir_block b, then = carry_out(m, first, last);
	struct expand e = begin(m, &b, m->sites[first].in.line);
	ir_val here = expand_op(&e, IR_ACTIVE, IR_B32, 0, 0, 0), members = alive, missing;

	if (!is_barrier(&m->sites[first].in)) {
		members = read_reg(&e, m->members);
		here = expand_op(&e, IR_MATCH_ANY, IR_B32, members, here, 0);
		members = expand_op(&e, IR_AND, IR_B32, members, alive, 0);
	}
	missing = expand_op(&e, IR_AND, IR_B32, members, expand_op(&e, IR_NOT, IR_B32, here, 0, 0),
			    0);
	finish(&e, b, expand_compare_imm(&e, IR_NE, missing, 0), m->block, then);
	return b;
}

static void make_meeting(struct meeting *m)
{
	struct expand e = begin(m, &m->block, 0);
	ir_val alive = expand_op(&e, IR_ALIVE, IR_B32, 0, 0, 0);
	ir_block b = m->block;

	for (uint32_t first = 0, last; first < m->nsites; first = last) {
		struct expand after;
		ir_block next, kind;

		for (last = first + 1;
		     last < m->nsites && m->sites[last].kind == m->sites[first].kind;)
			last++;
		kind = gather(m, alive, first, last);
		if (last == m->nsites) {
			finish(&e, b, 0, 0, kind);
			break;
		}
		after = begin(m, &next, 0);
		finish(&e, b, expand_compare_imm(&e, IR_LT_U, read_reg(&e, m->site), last), kind,
		       next);
		e = after;
		b = next;
	}
}

/* ---- what lanes carry past places ---- */

static uint64_t *alive_in(const struct meeting *m, ir_block b)
{
	return m->alive + (size_t)b * m->words;
}

static void find_alive(struct meeting *m)
{
	const struct ir_func *f = m->f;
	uint64_t *set;
	bool changed = true;

	m->words = (f->nvalues + 63) / 64;
	m->alive = arena_array(m->arena, (size_t)f->nblocks * m->words, sizeof(*m->alive));
	set = arena_array(m->arena, m->words, sizeof(*set));
	while (changed) {
		changed = false;
		for (ir_block b = f->last_block; b; b = f->blocks[b].prev) {
			const struct ir_bb *bb = &f->blocks[b];

			memset(set, 0, m->words * sizeof(*set));
			for (uint32_t k = 0; k < bb->nsucc; k++) {
				uint32_t p = 0;

				for (uint32_t w = 0; w < m->words; w++)
					set[w] |= alive_in(m, bb->succ[k])[w];
				while (f->blocks[bb->succ[k]].preds[p] != b)
					p++;
				ir_for_each_inst(f, bb->succ[k], i)
					if (ir_at(f, i)->op == IR_PHI)
						set[ir_at(f, i)->args[p] / 64] |=
							UINT64_C(1) << ir_at(f, i)->args[p] % 64;
			}
			for (ir_id i = bb->last; i; i = ir_at(f, i)->prev) {
				const struct ir_inst *in = ir_at(f, i);

				for (uint32_t r = 0; r < in->nres; r++)
					set[(in->res + r) / 64] &=
						~(UINT64_C(1) << (in->res + r) % 64);
				for (uint32_t k = 0; k < in->nargs && in->op != IR_PHI; k++)
					set[in->args[k] / 64] |= UINT64_C(1) << in->args[k] % 64;
			}
			if (!memcmp(set, alive_in(m, b), m->words * sizeof(*set)))
				continue;
			memcpy(alive_in(m, b), set, m->words * sizeof(*set));
			changed = true;
		}
	}
}

static void find_inside(struct meeting *m)
{
	bool *from = arena_array(m->arena, m->f->nblocks, sizeof(*from));
	ir_block *stack = arena_array(m->arena, 2 * (size_t)m->f->nblocks + 1, sizeof(*stack));

	m->inside = arena_array(m->arena, m->f->nblocks, sizeof(*m->inside));
	stack[0] = m->block;
	flood(m->f, stack, 1, from, false);
	stack[0] = m->block;
	flood(m->f, stack, 1, m->inside, true);
	for (uint32_t b = 0; b < m->f->nblocks; b++)
		m->inside[b] &= from[b];
}

/* Who is made before all of this, for all who come, stays where it is. */
static void choose_carried(struct meeting *m)
{
	const struct ir_cfg *cfg = ir_cfg_build(m->f);
	uint32_t nvalues = 64 * m->words < m->f->nvalues ? 64 * m->words : m->f->nvalues;

	m->reg = arena_array(m->arena, m->f->nvalues, sizeof(*m->reg));
	for (ir_val v = 1; v < nvalues; v++) {
		ir_block def = ir_def(m->f, v)->block;
		enum ir_type t = m->f->values[v].type;
		bool across = false;

		for (uint32_t k = 0; k < m->nsites; k++)
			across |= gcn_has(alive_in(m, m->sites[k].behind), v);
		if (across && (m->inside[def] || !ir_dominates(cfg, def, m->block)))
			m->reg[v] = ir_reg_new(m->f, t == IR_B1 ? IR_B32 : t);
	}
}

/* What a use behind a place finds: the register's, or the constant anew. */
static ir_val carried(struct meeting *m, struct expand *e, ir_val v)
{
	struct ir_inst *d = ir_def(m->f, v);
	ir_id i;

	if (!is_constant(m->f, v))
		return kept(e, m->reg[v], m->f->values[v].type);
	i = ir_inst_new(m->f, d->op, d->type, NULL, 0, 1);
	ir_at(m->f, i)->imm = ir_def(m->f, v)->imm;
	ir_insert_before(m->f, e->at, i);
	return ir_at(m->f, i)->res;
}

static void carry_uses(struct meeting *m, uint32_t nvalues)
{
	struct ir_func *f = m->f;

	ir_for_each_block(f, b)
		ir_for_each_inst_safe(f, b, i)
			for (uint32_t k = 0; k < ir_at(f, i)->nargs; k++) {
				ir_val v = ir_at(f, i)->args[k];
				bool phi = ir_at(f, i)->op == IR_PHI;
				ir_block at = phi ? f->blocks[b].preds[k] : b;
				struct expand e = {.f = f, .at = phi ? f->blocks[at].last : i};

				if (v >= nvalues || !m->reg[v] || ir_def(f, v)->block == at)
					continue;
				v = carried(m, &e, v);
				ir_at(f, i)->args[k] = v;
			}
}

static void carry_definitions(struct meeting *m, uint32_t nvalues)
{
	struct ir_func *f = m->f;

	for (ir_val v = 1; v < nvalues; v++) {
		ir_id def = m->reg[v] ? f->values[v].def : 0;
		struct expand e = {.f = f};

		if (!def || is_constant(f, v))
			continue;
		e.at = ir_at(f, def)->op == IR_PHI ? cfg_first_non_phi(f, ir_at(f, def)->block)
						   : ir_at(f, def)->next;
		keep(&e, m->reg[v], v);
	}
}

/* On each way to the meeting a copy, so that it is the lane's there and not the wave's. */
static void carry_to_meeting(struct meeting *m, uint32_t nvalues)
{
	for (uint32_t k = 0; k < m->nsites; k++) {
		struct expand e = {.f = m->f, .at = m->f->blocks[m->sites[k].before].last};

		for (ir_val v = 1; v < nvalues; v++)
			if (m->reg[v] && !is_constant(m->f, v) &&
			    gcn_has(alive_in(m, m->sites[k].behind), v)) {
				ir_val x = read_reg(&e, m->reg[v]);

				write_reg(&e, m->reg[v],
					  expand_op(&e, IR_COPY, m->f->values[x].type, x, 0, 0));
			}
	}
}

static void carry(struct meeting *m)
{
	uint32_t nvalues = m->f->nvalues;

	find_inside(m);
	choose_carried(m);
	carry_uses(m, nvalues);
	carry_definitions(m, nvalues);
	carry_to_meeting(m, nvalues);
}

/* ---- what there is no meeting for ---- */

/* Lanes that are in a function do not meet those that are elsewhere. */
bool gcn_meets_in_calls(const struct ir_func *f, const struct gcn_control *c, uint32_t *line)
{
	struct ir_cfg cfg = *ir_cfg_build(f);
	const bool *marked;

	cfg.ipdom = c->meet;
	marked = divergent_sync_sites(f, &cfg, c->divergence);
	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i) {
			const struct ir_inst *in = ir_at(f, i);
			bool *seen;

			*line = in->line;
			if (f->kind == IR_FUNCTION && marked[i])
				return true;
			if (in->op != IR_CALL || !(c->masked[b] || c->structure_of[b]))
				continue;
			seen = arena_array(f->module->arena, f->module->nfuncs, sizeof(*seen));
			if (reaches_sync_site(f->module, in->symbol, seen))
				return true;
		}
	return false;
}

void gcn_meet(struct ir_func *f)
{
	struct meeting m = {.f = f, .arena = f->module->arena};
	const struct gcn_control *c = gcn_control_find(f, false);
	struct ir_cfg cfg = *ir_cfg_build(f);
	bool *marked;

	cfg.ipdom = c->meet;
	marked = divergent_sync_sites(f, &cfg, c->divergence);
	mark_between(f, marked);
	list_sites(&m, marked);
	if (!m.nsites)
		return;
	m.site = ir_reg_new(f, IR_B32);
	m.members = ir_reg_new(f, IR_B32);
	for (uint32_t k = 0; k < MOST_ARGS; k++)
		for (uint32_t wide = 0; wide < 2; wide++)
			m.args[k][wide] = ir_reg_new(f, wide ? IR_B64 : IR_B32);
	for (uint32_t k = 0; k < MOST_RESULTS; k++)
		m.results[k] = ir_reg_new(f, IR_B32);
	f->ssa = false;
	for (uint32_t k = 0; k < m.nsites; k++)
		come_back(&m, &m.sites[k]);
	for (uint32_t k = 0; k < m.nsites; k++) {
		leave(&m, k);
		ir_remove(f, m.sites[k].id);
	}
	find_alive(&m);
	make_meeting(&m);
	for (uint32_t k = 0; k < m.nsites; k++)
		ir_edge_redirect(f, m.sites[k].before, m.sites[k].behind, m.block);
	carry(&m);
	pass_ssa_construction(f, NULL);
}
