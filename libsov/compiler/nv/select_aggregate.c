// SPDX-License-Identifier: MIT
/*
 * Warp aggregation of atomics. When all active lanes name the same address, one lane combines the
 * operands of all and accesses memory once; the memory system would execute the lanes' accesses one
 * after the other. For addition with a result, each lane's old value is that of the warp plus the
 * operands of the active lanes below it:
 *
 *	VOTE.ANY here, PT              S2R above, SR_GTMASK
 *	REDUX.SUM all, x               LOP3 P = here & above
 *	@!P RED [a], all
 *
 * The instructions act on whatever lanes are active, so this needs no warp sync in divergent code.
 * ptxas does the same for the same operations.
 */
#include "libsov/compiler/nv/select.h"

/* How an operation combines the operands of several lanes. */
static const struct {
	bool known;
	bool idempotent; /* the same operand from several lanes has the effect of one */
	uint8_t reduction;
} combinations[IR_ATOM_COUNT] = {
	[IR_ATOM_ADD] = {true, false, IR_REDUCE_ADD},
	[IR_ATOM_MIN_U] = {true, true, IR_REDUCE_MIN_U},
	[IR_ATOM_MIN_S] = {true, true, IR_REDUCE_MIN_S},
	[IR_ATOM_MAX_U] = {true, true, IR_REDUCE_MAX_U},
	[IR_ATOM_MAX_S] = {true, true, IR_REDUCE_MAX_S},
	[IR_ATOM_AND] = {true, true, IR_REDUCE_AND},
	[IR_ATOM_OR] = {true, true, IR_REDUCE_OR},
	[IR_ATOM_XOR] = {true, false, IR_REDUCE_XOR},
};

static bool is_uniform(const struct select *s, ir_val v)
{
	return !s->divergence->value[v];
}

static bool is_constant_word(const struct select *s, ir_val v)
{
	uint64_t k;

	return ir_is_const(s->ir, v, &k) && k <= UINT32_MAX;
}

/* Operands that differ between lanes need REDUX, which has 32 bits, and tell nothing about the old
 * values of single lanes. */
bool can_aggregate(struct select *s, const struct ir_inst *in)
{
	bool uniform = is_uniform(s, in->args[1]), wide = in->type == IR_B64;

	if (s->job->options.unoptimised || in->nres > 1 || !combinations[in->sub].known ||
	    in->order > IR_RELAXED || !is_uniform(s, in->args[0]))
		return false;
	if (s->f->sm < 80 &&
	    !(uniform && (combinations[in->sub].idempotent || in->sub == IR_ATOM_ADD)))
		return false; /* no REDUX */
	if (is_needed(s, in->res, NEED_PAIR))
		return in->sub == IR_ATOM_ADD && uniform && !wide;
	return !wide || (uniform && combinations[in->sub].idempotent) ||
	       (in->sub == IR_ATOM_ADD && is_constant_word(s, in->args[1]));
}

static struct mir_source read_special(struct select *s, uint32_t number)
{
	struct mir_source d = new_temp(s, SASS_GPR, 1);

	EMIT(s, S2R, d, (struct mir_source){.op = {.kind = SASS_SREG, .value = number}});
	return d;
}

static struct mir_source count_lanes(struct select *s, struct mir_source mask)
{
	struct mir_source d = new_temp(s, SASS_GPR, 1);

	EMIT(s, POPC, d, mask);
	return d;
}

/* d = a * b + c */
static void emit_multiply_add(struct select *s, struct mir_source d, struct mir_source a,
			      struct mir_source b, struct mir_source c)
{
	set_mod(EMIT(s, IMAD, d, a, b, c), SASS_M_SIGNED, 1);
}

/* The operand of one lane, as a factor. */
static struct mir_source factor(struct select *s, const struct ir_inst *in)
{
	uint64_t k;

	if (ir_is_const(s->ir, in->args[1], &k))
		return mir_imm((uint32_t)k);
	return in_reg(s, arg_word(s, in->args[1]));
}

/* The combined operand of all active lanes. */
static struct mir_source combine(struct select *s, const struct ir_inst *in, struct mir_source here)
{
	bool uniform = is_uniform(s, in->args[1]);
	struct mir_source d;

	if (uniform && combinations[in->sub].idempotent)
		return in->type == IR_B64 ? in_pair(s, arg_pair(s, in->args[1]))
					  : in_reg(s, arg_word(s, in->args[1]));
	if (in->type == IR_B64) {
		d = new_temp(s, SASS_GPR, 2);
		EMIT(s, IMAD_WIDE, d, NONE, count_lanes(s, here), factor(s, in), rz());
		return d;
	}
	d = new_temp(s, SASS_GPR, 1);
	if (uniform && in->sub == IR_ATOM_ADD) {
		emit_multiply_add(s, d, count_lanes(s, here), factor(s, in), rz());
		return d;
	}
	emit_reduction(s, combinations[in->sub].reduction, d, in_reg(s, arg_word(s, in->args[1])),
		       MIR_ACTIVE_LANES);
	return d;
}

/* It is the same everywhere, so the function reads it once. */
static struct mir_source lanes_above(struct select *s)
{
	if (!s->lanes_above.ref.vreg)
		s->lanes_above = new_temp(s, SASS_GPR, 1);
	return s->lanes_above;
}

void define_lanes_above(struct select *s)
{
	struct mir_source number = {.op = {.kind = SASS_SREG, .value = SASS_SR_GTMASK}};

	if (!s->lanes_above.ref.vreg)
		return;
	s->block = s->f->entry;
	s->anchor = s->f->blocks[s->block].first;
	EMIT(s, S2R, s->lanes_above, number);
}

struct aggregate begin_aggregate(struct select *s, const struct ir_inst *in)
{
	struct aggregate a = {
		.here = emit_ballot(s, new_temp(s, SASS_GPR, 1), mir_pred_const(true)),
		.others_above = new_temp(s, SASS_PRED, 1)};

	EMIT(s, LOP3, a.others_above, rz(), a.here, lanes_above(s), rz(), mir_imm(0xc0),
	     mir_pred_const(false));
	a.x = combine(s, in, a.here);
	if (is_needed(s, in->res, NEED_PAIR)) {
		a.old = new_temp(s, SASS_GPR, 1);
		EMIT(s, MOV, a.old, rz()); /* the guarded atomic does not define it in every lane */
	} else {
		a.old = rz();
	}
	return a;
}

void finish_aggregate(struct select *s, const struct ir_inst *in, const struct aggregate *a,
		      struct mir_inst *atomic)
{
	struct mir_source below, last, shared, rank;
	struct mir_inst *i;

	mir_set_guard(atomic, with_flags(a->others_above, SASS_NEG));
	if (!is_needed(s, in->res, NEED_PAIR))
		return;
	below = new_temp(s, SASS_GPR, 1);
	last = new_temp(s, SASS_GPR, 1);
	shared = new_temp(s, SASS_GPR, 1);
	EMIT(s, FLO, last, NONE, a->here);
	i = EMIT(s, SHFL, NONE, shared, a->old, last, mir_imm(0x1f));
	set_mod(i, SASS_M_SHFL, SASS_SHFL_IDX);
	i->members = MIR_ACTIVE_LANES;
	EMIT(s, LOP3, NONE, below, a->here, read_special(s, SASS_SR_LTMASK), rz(), mir_imm(0xc0),
	     mir_pred_const(false));
	rank = count_lanes(s, below);
	emit_multiply_add(s, result(s, in->res), rank, factor(s, in), shared);
}
