// SPDX-License-Identifier: MIT
/*
 * Loop-invariant code motion: hoists invariant computations to the preheader, out of as many loops
 * as possible. The pass first decides what to hoist, in reverse postorder so that arguments are
 * decided before their users; then it creates missing preheaders and moves the code.
 *
 * Only pure operations move: they cannot trap, so hoisting is safe even if the loop would not have
 * reached them. Invariant loads move as well: from a constant parameter address always, since that
 * cannot trap either; from other addresses only out of the loop's header, which certainly executes
 * after the preheader, and only out of one loop. Convergent operations stay.
 *
 * A hoisted value occupies a register throughout the loop, so a loop accepts at most MAX_WORDS
 * 32-bit words of such values and MAX_FLAGS conditions (of which machines have few), first come,
 * first served. Constants are free, because instructions hold them as immediates; they follow their
 * users.
 *
 * The pass runs a second time after legalisation, as licm-late, for the parts of expansions that
 * depend only on invariant values, such as the reciprocal of a divisor. Then only code that every
 * iteration executes moves, because slow paths rarely run. In a chain only the last values stay in
 * registers, so a value counts no longer once all of its uses have left the loop, too.
 */
#include "libsov/compiler/analysis/cfg_walk.h"
#include "libsov/compiler/passes/pass.h"

#define MAX_WORDS 16
#define MAX_FLAGS 2

struct licm {
	struct ir_func *f;
	const struct ir_cfg *cfg;
	/* By instruction: header of the innermost loop around it after the motion; header of the
	 * outermost loop that it leaves, 0: stays. */
	ir_block *home, *out;
	uint8_t *words, *flags; /* by header: accepted so far */
	ir_block *preheader;    /* by header, once known */
	uint32_t *remaining;    /* by value: uses that were not hoisted; late only */
	bool late;
	ir_id *moves; /* in order of decision */
	uint32_t nmoves;
};

static bool is_free(const struct ir_inst *p)
{
	return p->op == IR_CONST || p->op == IR_UNDEF;
}

static bool is_unchanging_load(const struct ir_inst *p)
{
	return p->op == IR_LOAD && !(p->flags & IR_VOLATILE) && p->order == IR_WEAK &&
	       (p->flags & IR_INVARIANT || p->space == IR_PARAM || p->space == IR_CONSTANT);
}

/* The verifier checks the bounds of parameter loads; only alignment is left to check. */
static bool cannot_trap(const struct ir_inst *load)
{
	if (load->flags & IR_DEREFERENCEABLE)
		return true;
	return load->space == IR_PARAM && ir_address_arg(load) < 0 && load->imm % load->align == 0;
}

/* Whether every iteration of the loop executes the block: it dominates all latches. */
static bool is_always_executed(const struct licm *l, ir_block b, ir_block header)
{
	const struct ir_bb *h = &l->f->blocks[header];

	for (uint32_t k = 0; k < h->npreds; k++)
		if (ir_in_loop(l->cfg, h->preds[k], header) &&
		    !ir_dominates(l->cfg, b, h->preds[k]))
			return false;
	return true;
}

static bool can_hoist(const struct licm *l, const struct ir_inst *p, ir_block header)
{
	const struct ir_cfg *c = l->cfg;
	bool sure = p->block == header && c->loop_header[p->block] == header;

	if (l->late && !is_always_executed(l, p->block, header))
		return false;

	if (is_unchanging_load(p)) {
		if (!sure && !cannot_trap(p))
			return false;
	} else if (!(ir_ops[p->op].properties & P_PURE)) {
		return false;
	}
	for (uint32_t k = 0; k < p->nargs; k++) {
		ir_id def = l->f->values[p->args[k]].def;

		if (!is_free(ir_at(l->f, def)) && l->home[def] &&
		    ir_in_loop(c, l->home[def], header))
			return false;
	}
	return true;
}

static void count_registers(const struct licm *l, ir_val v, int sign, uint32_t *words,
			    uint32_t *flags)
{
	uint32_t bits = ir_type_bits(l->f->values[v].type);

	*words += (uint32_t)sign * (bits > 1 ? (bits + 31) / 32 : 0);
	*flags += (uint32_t)sign * (bits == 1);
}

/* Reserves registers in the loop for the results of p; false when the limit is reached. */
static bool reserve_registers(struct licm *l, const struct ir_inst *p, ir_block header)
{
	uint32_t words = l->words[header], flags = l->flags[header];

	for (uint32_t k = 0; k < p->nres; k++)
		count_registers(l, p->res + k, 1, &words, &flags);
	for (uint32_t k = 0; l->late && k < p->nargs; k++) {
		ir_id def = l->f->values[p->args[k]].def;

		if (l->out[def] && ir_in_loop(l->cfg, header, l->out[def]) &&
		    l->remaining[p->args[k]] == 1)
			count_registers(l, p->args[k], -1, &words, &flags);
	}
	if (words > MAX_WORDS || flags > MAX_FLAGS)
		return false;
	l->words[header] = words;
	l->flags[header] = flags;
	return true;
}

static void decide_hoists(struct licm *l)
{
	for (uint32_t k = 0; k < l->cfg->nrpo; k++) {
		ir_block b = l->cfg->rpo[k];

		ir_for_each_inst(l->f, b, i) {
			const struct ir_inst *p = ir_at(l->f, i);
			ir_block h = l->home[i] = l->cfg->loop_header[b];

			while (h && !is_free(p) && can_hoist(l, p, h) &&
			       reserve_registers(l, p, h)) {
				l->out[i] = h;
				h = l->home[i] = l->cfg->loop_parent[h];
			}
			if (!l->out[i])
				continue;
			l->moves[l->nmoves++] = i;
			for (uint32_t a = 0; l->late && a < p->nargs; a++)
				l->remaining[p->args[a]]--;
		}
	}
}

/* Creates a preheader: redirects all entry edges of the loop to it and moves the phi arguments of
 * these edges to new phis. */
static ir_block insert_preheader(struct licm *l, ir_block header)
{
	struct ir_func *f = l->f;
	ir_block pre = ir_block_new_before(f, header, NULL);
	uint32_t n = f->blocks[header].npreds, entries = 0;
	ir_block *from = arena_array(f->module->arena, n, sizeof(*from));
	uint32_t *slot = arena_array(f->module->arena, n, sizeof(*slot));
	ir_val *args = arena_array(f->module->arena, n, sizeof(*args));

	for (uint32_t k = 0; k < n; k++) {
		if (!ir_in_loop(l->cfg, f->blocks[header].preds[k], header)) {
			slot[entries] = k;
			from[entries++] = f->blocks[header].preds[k];
		}
	}
	ir_append(f, pre, ir_inst_new(f, IR_BR, IR_VOID, NULL, 0, 0));
	for (ir_id i = f->blocks[header].first; ir_at(f, i)->op == IR_PHI; i = ir_at(f, i)->next) {
		ir_id phi;
		bool equal = true;

		for (uint32_t k = 0; k < entries; k++) {
			args[k] = ir_at(f, i)->args[slot[k]];
			equal &= args[k] == args[0];
		}
		if (equal) {
			ir_arg_append(f, i, args[0]);
			continue;
		}
		phi = ir_inst_new(f, IR_PHI, ir_at(f, i)->type, args, entries, 1);
		ir_insert_before(f, f->blocks[pre].last, phi);
		ir_arg_append(f, i, ir_at(f, phi)->res);
	}
	ir_edge(f, pre, header);
	for (uint32_t k = 0; k < entries; k++)
		ir_edge_redirect(f, from[k], header, pre);
	return pre;
}

static ir_block get_preheader(struct licm *l, ir_block header)
{
	const struct ir_bb *h = &l->f->blocks[header];
	ir_block outside = 0;
	uint32_t entries = 0;

	if (l->preheader[header])
		return l->preheader[header];
	for (uint32_t k = 0; k < h->npreds; k++) {
		if (!ir_in_loop(l->cfg, h->preds[k], header)) {
			outside = h->preds[k];
			entries++;
		}
	}
	if (entries != 1 || l->f->blocks[outside].nsucc != 1)
		outside = insert_preheader(l, header);
	return l->preheader[header] = outside;
}

static void hoist(struct licm *l, ir_id i, ir_block header)
{
	ir_block pre = get_preheader(l, header);
	ir_id end = l->f->blocks[pre].last;

	ir_remove(l->f, i);
	ir_insert_before(l->f, end, i);
	l->home[i] = l->cfg->loop_parent[header];
}

static void count_uses(struct licm *l)
{
	l->remaining = arena_array(l->f->module->arena, l->f->nvalues, sizeof(*l->remaining));
	ir_for_each_block(l->f, b)
		ir_for_each_inst(l->f, b, i)
			for (uint32_t k = 0; k < ir_at(l->f, i)->nargs; k++)
				l->remaining[ir_at(l->f, i)->args[k]]++;
}

static bool run_licm(struct ir_func *f, bool late)
{
	struct arena *a = f->module->arena;
	struct licm l = {.f = f, .cfg = ir_cfg_build(f), .late = late};

	if (late)
		count_uses(&l);
	l.home = arena_array(a, f->ninsts, sizeof(*l.home));
	l.out = arena_array(a, f->ninsts, sizeof(*l.out));
	l.moves = arena_array(a, f->ninsts, sizeof(*l.moves));
	l.words = arena_array(a, f->nblocks, sizeof(*l.words));
	l.flags = arena_array(a, f->nblocks, sizeof(*l.flags));
	l.preheader = arena_array(a, f->nblocks, sizeof(*l.preheader));
	decide_hoists(&l);
	for (uint32_t m = 0; m < l.nmoves; m++) {
		ir_id i = l.moves[m];

		for (uint32_t k = 0; k < ir_at(f, i)->nargs; k++) {
			ir_id def = f->values[ir_at(f, i)->args[k]].def;

			if (is_free(ir_at(f, def)) && l.home[def] &&
			    ir_in_loop(l.cfg, l.home[def], l.out[i]))
				hoist(&l, def, l.out[i]);
		}
		hoist(&l, i, l.out[i]);
	}
	return l.nmoves > 0;
}

bool pass_licm(struct ir_func *f, const struct target *t)
{
	(void)t;
	return run_licm(f, false);
}

bool pass_licm_late(struct ir_func *f, const struct target *t)
{
	(void)t;
	return run_licm(f, true);
}
