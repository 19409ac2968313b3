// SPDX-License-Identifier: MIT
/*
 * Conversions to bf16 from 32- and 64-bit integers and from doubles, for targets that convert from
 * singles only. Rounding twice would be wrong unless the first rounding is to odd, which keeps in
 * its last bit whether anything was lost (Boldo and Melquiond, "When double rounding is odd",
 * 2005): a single has 24 bits, and ten would suffice. Both formats have the same exponents, so
 * overflow and subnormals concern the second rounding only.
 */
#include "libsov/compiler/passes/expand.h"

/* Converts also between equal widths, unlike expand_convert: an integer is not its bits as a
 * float. */
static ir_val convert_value(struct expand *e, enum ir_op op, enum ir_type to, ir_val x,
			    enum ir_round round)
{
	ir_val v = expand_op(e, op, to, x, 0, 0);

	ir_def(e->f, v)->from = e->f->values[x].type;
	ir_def(e->f, v)->round = round;
	return v;
}

ir_val expand_to_bf16(struct expand *e, const struct ir_inst *in)
{
	bool from_int = in->op != IR_FTOF;
	enum ir_op undo = in->op == IR_STOF ? IR_FTOS : in->op == IR_UTOF ? IR_FTOU : IR_FTOF;
	ir_val x = in->args[0], single, exact, v;

	if (in->format != IR_BF16 || in->type != IR_B16 || in->flags & IR_SAT ||
	    (in->from != IR_B64 && !(from_int && in->from == IR_B32)))
		return 0;
	single = convert_value(e, in->op, IR_B32, x, IR_RZ);
	v = convert_value(e, undo, in->from, single, IR_RZ);
	exact = expand_compare(e, from_int ? IR_EQ : IR_FEQ, v, x);
	single = expand_select(e, exact, single, expand_op_imm(e, IR_OR, single, 1));
	v = convert_value(e, IR_FTOF, IR_B16, single, in->round);
	ir_def(e->f, v)->format = IR_BF16;
	return v;
}
