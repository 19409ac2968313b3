// SPDX-License-Identifier: MIT
/*
 * Narrowing of phis. Addresses of shared and local memory and of constants have 32 bits in
 * hardware and often 64 bits in PTX. Back ends compute only the low half of such a value, except in
 * a loop: a phi and the addition that advances it keep the other's high half alive. This pass finds
 * the 64-bit phis whose high half no instruction outside of such cycles reads, and replaces them by
 * 32-bit ones:
 *
 *	%p = phi.b64 [entry: %a], [loop: %n]         %t = trunc %a           (in entry)
 *	%x = load.b32 constant [%p]            =>    %q = phi.b32 [entry: %t], [loop: %u]
 *	%n = add.b64 %p, %step                       %p = sext %q
 *	                                             …
 *	                                             %u = trunc %n
 *
 * The analysis is optimistic: it assumes that no high half is needed, then propagates the needs of
 * all instructions from results to arguments. Sign extension keeps the value of every address
 * within such a space, and of what lies at most 2 GiB before one.
 */
#include "libsov/compiler/analysis/cfg_walk.h"
#include "libsov/compiler/analysis/uses.h"
#include "libsov/compiler/passes/pass.h"

struct narrow_phis {
	struct ir_func *f;
	const struct target *target;
	bool *wide;    /* by value: its high half is needed */
	ir_val *stack; /* values found to be wide whose arguments need a visit */
	uint32_t depth;
};

/* Whether the low half of the result depends only on the low halves of the arguments. */
static bool passes_need_on(enum ir_op op)
{
	switch (op) {
	case IR_PHI:
	case IR_COPY:
	case IR_ADD:
	case IR_SUB:
	case IR_MUL:
	case IR_MAD:
	case IR_NEG:
	case IR_AND:
	case IR_OR:
	case IR_XOR:
	case IR_NOT:
	case IR_SHL:
	case IR_SELECT:
		return true;
	default:
		return false;
	}
}

static bool reads_low_half(const struct narrow_phis *s, const struct ir_inst *in, uint32_t arg)
{
	if (in->op == IR_TRUNC)
		return ir_type_bits(in->type) <= 32;
	return (int)arg == ir_address_arg(in) &&
	       (in->space == IR_SHARED || in->space == IR_LOCAL ||
		(in->space == IR_CONSTANT && s->target->narrow_constants));
}

static void need_high_half(struct narrow_phis *s, ir_val v)
{
	if (s->f->values[v].type != IR_B64 || s->wide[v])
		return;
	s->wide[v] = true;
	s->stack[s->depth++] = v;
}

static void find_wide_values(struct narrow_phis *s)
{
	ir_for_each_block(s->f, b)
		ir_for_each_inst(s->f, b, i) {
			const struct ir_inst *in = ir_at(s->f, i);

			for (uint32_t k = 0; k < in->nargs && !passes_need_on(in->op); k++)
				if (!reads_low_half(s, in, k))
					need_high_half(s, in->args[k]);
		}
	while (s->depth) {
		const struct ir_inst *in = ir_def(s->f, s->stack[--s->depth]);

		for (uint32_t k = 0; k < in->nargs && passes_need_on(in->op); k++)
			need_high_half(s, in->args[k]);
	}
}

static ir_val append_low_half(struct uses *uses, ir_block b, ir_val v)
{
	struct ir_func *f = uses->f;
	ir_id last = f->blocks[b].last, i;
	uint64_t constant;

	if (ir_is_const(f, v, &constant))
		return uses_const(uses, last, IR_B32, (uint32_t)constant);
	i = uses_insert(uses, last, IR_TRUNC, IR_B32, &v, 1);
	ir_at(f, i)->from = IR_B64;
	return ir_at(f, i)->res;
}

static void narrow_phi(struct uses *uses, ir_id old)
{
	struct ir_func *f = uses->f;
	const struct ir_inst in = *ir_at(f, old);
	ir_val *args = arena_array(f->module->arena, in.nargs, sizeof(*args)), low;
	ir_id extension;

	for (uint32_t k = 0; k < in.nargs; k++)
		args[k] = append_low_half(uses, f->blocks[in.block].preds[k], in.args[k]);
	low = ir_at(f, uses_insert(uses, old, IR_PHI, IR_B32, args, in.nargs))->res;
	extension = uses_insert(uses, cfg_first_non_phi(f, in.block), IR_SEXT, IR_B64, &low, 1);
	ir_at(f, extension)->from = IR_B32;
	uses_replace(uses, in.res, ir_at(f, extension)->res);
	uses_remove(uses, old);
}

bool pass_narrow_phis(struct ir_func *f, const struct target *t)
{
	struct narrow_phis s = {.f = f, .target = t};
	struct uses uses;
	bool changed = false;

	s.wide = arena_array(f->module->arena, f->nvalues, sizeof(*s.wide));
	s.stack = arena_array(f->module->arena, f->nvalues, sizeof(*s.stack));
	find_wide_values(&s);
	ir_for_each_block(f, b)
		ir_for_each_inst_safe(f, b, i) {
			if (ir_at(f, i)->op != IR_PHI)
				break;
			if (ir_at(f, i)->type != IR_B64 || s.wide[ir_at(f, i)->res])
				continue;
			if (!changed)
				uses_init(&uses, f);
			changed = true;
			narrow_phi(&uses, i);
		}
	return changed;
}
