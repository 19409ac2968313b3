// SPDX-License-Identifier: MIT
/*
 * To bf16 from whole numbers of 32 and 64 bits and from doubles, where machines know the way from singles only. Rounding
 * twice would be wrong, unless the first time keeps in its last bit whether anything was lost (rounding to odd; Boldo and
 * Melquiond, "When double rounding is odd", 2005): a single has 24 bits, and ten would do. Both formats have the same
 * exponents, so overflow and subnormal numbers are the second rounding's alone.
 */
#include "libsov/compiler/passes/expand.h"

/* Also where widths are the same: a number is not its bits. */
static ir_val convert(struct expand *e, enum ir_op op, enum ir_type to, ir_val x,
		      enum ir_round round)
{
	ir_val v = expand_op(e, op, to, x, 0, 0);

	ir_def(e->f, v)->from = e->f->values[x].type;
	ir_def(e->f, v)->round = round;
	return v;
}

ir_val expand_to_bf16(struct expand *e, const struct ir_inst *in)
{
	bool whole = in->op != IR_FTOF;
	enum ir_op undo = in->op == IR_STOF ? IR_FTOS : in->op == IR_UTOF ? IR_FTOU : IR_FTOF;
	ir_val x = in->args[0], single, exact, v;

	if (in->format != IR_BF16 || in->type != IR_B16 || in->flags & IR_SAT ||
	    (in->from != IR_B64 && !(whole && in->from == IR_B32)))
		return 0;
	single = convert(e, in->op, IR_B32, x, IR_RZ);
	v = convert(e, undo, in->from, single, IR_RZ);
	exact = expand_compare(e, whole ? IR_EQ : IR_FEQ, v, x);
	single = expand_select(e, exact, single, expand_op_imm(e, IR_OR, single, 1));
	v = convert(e, IR_FTOF, IR_B16, single, in->round);
	ir_def(e->f, v)->format = IR_BF16;
	return v;
}
