// SPDX-License-Identifier: MIT
/*
 * Identities of select. A tree of selects between the same two values is one select by a function
 * of the predicates, which comparisons compute for free. Reductions over pairs of a value and its
 * position consist of such trees.
 */
#include "libsov/compiler/passes/fold.h"

/* How a value is one of two others: always the first or the second, or the first where a predicate
 * holds, or the smaller or larger in 64 bits, which is a comparison and a select. */
struct pick {
	enum { PICK_FIRST, PICK_SECOND, PICK_BY, PICK_BY_NOT, PICK_COMPARED } how;
	ir_val p;           /* PICK_BY, PICK_BY_NOT */
	enum ir_cond first; /* PICK_COMPARED: the first is picked if it compares so to the second */
};

static bool match_pick(const struct fold *fold, ir_val v, const ir_val of[2], struct pick *pick)
{
	static const struct {
		uint8_t op, cond;
	} compared[] = {
		{IR_MIN_U, IR_LT_U}, {IR_MIN_S, IR_LT_S}, {IR_MAX_U, IR_GT_U}, {IR_MAX_S, IR_GT_S}};
	const struct ir_inst *d = fold_def(fold, v);

	*pick = (struct pick){.how = v == of[0] ? PICK_FIRST : PICK_SECOND};
	if (v == of[0] || v == of[1])
		return true;
	if (!fold_used_once(fold, v))
		return false;
	if (d->op == IR_SELECT) {
		*pick = (struct pick){.how = d->args[1] == of[0] ? PICK_BY : PICK_BY_NOT,
				      .p = d->args[0]};
		return (d->args[1] == of[0] && d->args[2] == of[1]) ||
		       (d->args[1] == of[1] && d->args[2] == of[0]);
	}
	for (uint32_t k = 0; k < sizeof(compared) / sizeof(compared[0]); k++) {
		if (d->op != compared[k].op || d->type != IR_B64)
			continue;
		*pick = (struct pick){.how = PICK_COMPARED, .first = compared[k].cond};
		return (d->args[0] == of[0] && d->args[1] == of[1]) ||
		       (d->args[0] == of[1] && d->args[1] == of[0]);
	}
	return false;
}

static ir_val new_predicate(struct fold *fold, const struct fold_site *site, enum ir_op op,
			    ir_val x, ir_val y)
{
	return ir_at(fold->f, fold_new(fold, site, op, IR_B1, x, y))->res;
}

/* The predicate by which the first value is picked; of a pick by predicate. */
static ir_val pick_predicate(struct fold *fold, const struct fold_site *site,
			     const struct pick *pick, const ir_val of[2])
{
	ir_id compare;

	if (pick->how == PICK_BY)
		return pick->p;
	if (pick->how == PICK_BY_NOT)
		return new_predicate(fold, site, IR_NOT, pick->p, 0);
	compare = fold_new(fold, site, IR_ICMP, IR_B64, of[0], of[1]);
	ir_at(fold->f, compare)->cond = pick->first;
	return ir_at(fold->f, compare)->res;
}

/* p and the pick's predicate; p or it, if the alternative is the first value itself. */
static ir_val combine_pick(struct fold *fold, const struct fold_site *site, ir_val p,
			   const struct pick *pick, const struct pick *otherwise,
			   const ir_val of[2])
{
	ir_val x = pick_predicate(fold, site, pick, of);

	if (otherwise->how != PICK_FIRST)
		return new_predicate(fold, site, IR_AND, p, x);
	return new_predicate(fold, site, IR_OR, new_predicate(fold, site, IR_NOT, p, 0), x);
}

/* A select between values each of which is one of the same two: one select by the select of the
 * predicates. */
static bool merge_selects(struct fold *fold, const struct fold_site *site)
{
	for (uint32_t k = 0; k < 2; k++) {
		const struct ir_inst *inner = fold_def(fold, k ? site->c : site->b);
		ir_val of[2] = {0}, p = site->a, not, yes;
		struct pick b, c;

		if (inner->op != IR_SELECT)
			continue;
		of[0] = inner->args[1];
		of[1] = inner->args[2];
		if (!match_pick(fold, site->b, of, &b) || !match_pick(fold, site->c, of, &c))
			continue;
		if (c.how <= PICK_SECOND) { /* then b is by predicate */
			yes = combine_pick(fold, site, p, &b, &c, of);
			return fold_to_op(fold, site, IR_SELECT, yes, of[0], of[1]);
		}
		not = new_predicate(fold, site, IR_NOT, p, 0);
		yes = combine_pick(fold, site, not, &c, &b, of);
		if (b.how > PICK_SECOND)
			yes = new_predicate(fold, site, IR_OR, yes,
					    combine_pick(fold, site, p, &b, &c, of));
		return fold_to_op(fold, site, IR_SELECT, yes, of[0], of[1]);
	}
	return false;
}

/* A 64-bit select between constants of 32 bits is one of 32 bits. */
static bool narrow_select(struct fold *fold, const struct fold_site *site)
{
	ir_val yes, no;
	uint64_t k;
	ir_id i;

	if (site->p.type != IR_B64 || !site->is_const || !ir_is_const(fold->f, site->c, &k) ||
	    (k | site->k) > UINT32_MAX)
		return false;
	yes = fold_const(fold, site, IR_B32, site->k);
	no = fold_const(fold, site, IR_B32, k);
	i = fold_new3(fold, site, IR_SELECT, IR_B32, site->a, yes, no);
	return fold_to_convert(fold, site, IR_ZEXT, ir_at(fold->f, i)->res);
}

bool fold_select(struct fold *fold, const struct fold_site *site)
{
	const struct ir_inst *a = fold_def(fold, site->a);
	uint64_t k, other;

	if (a->op == IR_CONST)
		return fold_to_value(fold, site, a->imm ? site->b : site->c);
	if (site->b == site->c)
		return fold_to_value(fold, site, site->b);
	if (a->op == IR_NOT)
		return fold_to_op(fold, site, IR_SELECT, a->args[0], site->c, site->b);
	if (site->is_const && ir_is_const(fold->f, site->c, &other) && site->k == other)
		return fold_to_value(fold, site, site->b);
	if (site->p.type != IR_B1) {
		if (site->is_const && site->k == 1 && ir_is_const(fold->f, site->c, &k) && !k)
			return fold_to_convert(fold, site, IR_ZEXT, site->a);
		return narrow_select(fold, site) || merge_selects(fold, site);
	}
	if (ir_is_const(fold->f, site->c, &k)) {
		if (site->is_const) /* and they differ */
			return site->k ? fold_to_value(fold, site, site->a)
				       : fold_to_op(fold, site, IR_NOT, site->a, 0, 0);
		return !k && fold_to_op(fold, site, IR_AND, site->a, site->b, 0);
	}
	return site->is_const && site->k && fold_to_op(fold, site, IR_OR, site->a, site->c, 0);
}
