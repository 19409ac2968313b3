// SPDX-License-Identifier: MIT
/*
 * Loop-invariant code motion: what a loop computes anew in each turn from values that do not change
 * is computed once, in the loop's preheader, out of as many loops as possible. First all decisions
 * are taken, in reverse postorder so that arguments are decided before their users; then the
 * preheaders are made where something wants to go and none is there; then the code moves.
 *
 * Only pure operations move: they cannot trap, so that it does no harm when the loop would not have
 * reached them. Loads of what does not change move too: from a constant place among the parameters
 * always, since that cannot trap either; from elsewhere only out of the loop's header, which is
 * certain to run after the preheader, and only out of one loop. Convergent operations stay where
 * they are.
 *
 * A value that leaves a loop holds a register through all of it. So a loop takes in at most
 * MAX_WORDS 32-bit words of such values and MAX_FLAGS conditions (of which machines have few);
 * first come, first served. Constants cost nothing, because an instruction can hold them; they
 * follow their users.
 */
#include "libsov/compiler/analysis/cfg_walk.h"
#include "libsov/compiler/passes/pass.h"

#define MAX_WORDS 16
#define MAX_FLAGS 2

struct licm {
	struct ir_func *f;
	const struct ir_cfg *cfg;
	/* By instruction: header of the innermost loop around it, after the motion; header of the
	 * outermost loop that it leaves, 0 = stays. */
	ir_block *home, *out;
	uint8_t *words, *flags; /* by header: taken in so far */
	ir_block *preheader;    /* by header, once it is known */
	ir_id *moves;           /* in the order in which they were decided */
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

/* From within the parameters, which the verifier checks, and aligned. */
static bool cannot_trap(const struct ir_inst *load)
{
	return load->space == IR_PARAM && ir_address_arg(load) < 0 && load->imm % load->align == 0;
}

static bool may_leave(const struct licm *l, const struct ir_inst *p, ir_block header)
{
	const struct ir_cfg *c = l->cfg;
	bool sure = p->block == header && c->loop_header[p->block] == header;

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

/* Room in the loop for the results of p? If so, it is taken. */
static bool charge(struct licm *l, const struct ir_inst *p, ir_block header)
{
	uint32_t words = l->words[header], flags = l->flags[header];

	for (uint32_t k = 0; k < p->nres; k++) {
		uint32_t bits = ir_type_bits(l->f->values[p->res + k].type);

		words += bits > 1 ? (bits + 31) / 32 : 0;
		flags += bits == 1;
	}
	if (words > MAX_WORDS || flags > MAX_FLAGS)
		return false;
	l->words[header] = words;
	l->flags[header] = flags;
	return true;
}

static void decide(struct licm *l)
{
	for (uint32_t k = 0; k < l->cfg->nrpo; k++) {
		ir_block b = l->cfg->rpo[k];

		ir_for_each_inst(l->f, b, i) {
			const struct ir_inst *p = ir_at(l->f, i);
			ir_block h = l->home[i] = l->cfg->loop_header[b];

			while (h && !is_free(p) && may_leave(l, p, h) && charge(l, p, h)) {
				l->out[i] = h;
				h = l->home[i] = l->cfg->loop_parent[h];
			}
			if (l->out[i])
				l->moves[l->nmoves++] = i;
		}
	}
}

/* All ways into the loop from outside lead through a new block; what the header's phis received
 * along them meets there. */
static ir_block new_preheader(struct licm *l, ir_block header)
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

static ir_block preheader(struct licm *l, ir_block header)
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
		outside = new_preheader(l, header);
	return l->preheader[header] = outside;
}

static void move(struct licm *l, ir_id i, ir_block header)
{
	ir_block pre = preheader(l, header);
	ir_id end = l->f->blocks[pre].last;

	ir_remove(l->f, i);
	ir_insert_before(l->f, end, i);
	l->home[i] = l->cfg->loop_parent[header];
}

bool pass_licm(struct ir_func *f, const struct target *t)
{
	struct arena *a = f->module->arena;
	struct licm l = {.f = f, .cfg = ir_cfg_build(f)};

	(void)t;
	l.home = arena_array(a, f->ninsts, sizeof(*l.home));
	l.out = arena_array(a, f->ninsts, sizeof(*l.out));
	l.moves = arena_array(a, f->ninsts, sizeof(*l.moves));
	l.words = arena_array(a, f->nblocks, sizeof(*l.words));
	l.flags = arena_array(a, f->nblocks, sizeof(*l.flags));
	l.preheader = arena_array(a, f->nblocks, sizeof(*l.preheader));
	decide(&l);
	for (uint32_t m = 0; m < l.nmoves; m++) {
		ir_id i = l.moves[m];

		for (uint32_t k = 0; k < ir_at(f, i)->nargs; k++) {
			ir_id def = f->values[ir_at(f, i)->args[k]].def;

			if (is_free(ir_at(f, def)) && l.home[def] &&
			    ir_in_loop(l.cfg, l.home[def], l.out[i]))
				move(&l, def, l.out[i]);
		}
		move(&l, i, l.out[i]);
	}
	return l.nmoves > 0;
}
