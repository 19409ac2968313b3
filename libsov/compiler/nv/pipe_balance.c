// SPDX-License-Identifier: MIT
/*
 * Balance between the ALU pipe and the FMA pipe. Each accepts a warp's integer instruction every
 * second cycle (64 per clock and SM: CUDA C++ Programming Guide, "Arithmetic Instructions"), so
 * code that uses only the ALU runs at half of the possible rate. Copies, sums of two registers and
 * shifts to the left by a constant are IMADs as well, and on Hopper sums with a constant are
 * VIADDs. In blocks whose ALU instructions take longer than their FMA instructions, this stage
 * converts some of the former, evenly distributed, until both take equally long, as ptxas does with
 * IMAD.MOV, IMAD.IADD and IMAD.SHL.
 *
 * That VIADD is an instruction of the FMA pipe is ptxas's model of its latency (sass_latency.c).
 */
#include "libsov/compiler/nv/mir.h"

#define ISSUE_CYCLES 2 /* of an integer instruction */
#define MIN_ALU      8 /* fewer ALU instructions in a block do not limit it */

static bool is_zero_reg(const struct mir_inst *i, uint32_t k)
{
	return i->sass.ops[k].kind == SASS_GPR && i->sass.ops[k].reg == SASS_RZ;
}

static bool is_absent(const struct mir_inst *i, uint32_t k)
{
	const struct sass_operand *o = &i->sass.ops[k];

	return k >= i->sass.nops || o->kind == SASS_NONE ||
	       (o->kind == SASS_PRED && o->reg == SASS_PT && !o->flags);
}

static bool is_false(const struct mir_inst *i, uint32_t k)
{
	const struct sass_operand *o = &i->sass.ops[k];

	return k >= i->sass.nops || o->kind == SASS_NONE ||
	       (o->kind == SASS_PRED && o->reg == SASS_PT && o->flags);
}

static struct mir_source operand_of(const struct mir_inst *i, uint32_t k)
{
	return (struct mir_source){.op = i->sass.ops[k], .ref = i->ref[k]};
}

static struct mir_source zero_reg(void)
{
	return (struct mir_source){.op = {.kind = SASS_GPR, .reg = SASS_RZ}};
}

/* Factors and addend of the equivalent IMAD. */
struct multiply_add {
	struct mir_source a, b, c;
	bool is_signed; /* as ptxas writes it; the low word does not depend on it */
	bool carries;
	struct mir_source carry; /* added if carries */
};

static bool move_as_imad(const struct mir_inst *i, struct multiply_add *m)
{
	*m = (struct multiply_add){.a = zero_reg(), .b = zero_reg(), .c = operand_of(i, 1)};
	return i->sass.nops == 2;
}

static bool sum_as_imad(const struct mir_inst *i, struct multiply_add *m)
{
	bool carries = i->sass.mod[SASS_M_X];
	uint32_t terms[3], n = 0;

	if (!is_absent(i, 1) || !is_absent(i, 2) || (carries && !is_false(i, 7)))
		return false;
	for (uint32_t k = 3; k < 6; k++) {
		if (carries && i->sass.ops[k].flags)
			return false; /* an inverted term */
		if (!is_zero_reg(i, k))
			terms[n++] = k;
	}
	if (n == 1) {
		*m = (struct multiply_add){zero_reg(), zero_reg(), operand_of(i, terms[0]),
					   true,       carries,    operand_of(i, 6)};
		return true;
	}
	if (n != 2 || i->sass.ops[terms[0]].kind != SASS_GPR ||
	    i->sass.ops[terms[1]].kind != SASS_GPR)
		return false;
	*m = (struct multiply_add){
		operand_of(i, terms[0]), mir_imm(1), operand_of(i, terms[1]), true, carries,
		operand_of(i, 6)};
	if (m->a.op.flags) {
		struct mir_source t = m->a;

		m->a = m->c;
		m->c = t;
	}
	return !m->a.op.flags;
}

static bool shift_as_imad(const struct mir_inst *i, struct multiply_add *m)
{
	const uint8_t *mod = i->sass.mod;

	if (mod[SASS_M_RIGHT] || mod[SASS_M_HI] || mod[SASS_M_WRAP] ||
	    mod[SASS_M_SHTYPE] != SASS_SH_U32 || i->sass.ops[2].kind != SASS_IMM ||
	    i->sass.ops[2].value >= 32 || i->sass.ops[2].value < 0)
		return false;
	*m = (struct multiply_add){
		.a = operand_of(i, 1), .b = mir_imm(1u << i->sass.ops[2].value), .c = zero_reg()};
	return true;
}

/* Gives the instruction another operation and operands; false, and no change, if no encoding has
 * these. */
static bool become(struct mir_func *f, struct mir_inst *i, enum sass_op op, bool is_signed,
		   bool carries, const struct mir_source *ops, uint32_t n)
{
	struct sass_inst before = i->sass;

	sass_init(&i->sass, op);
	i->sass.guard = before.guard;
	i->sass.guard_not = before.guard_not;
	i->sass.mod[SASS_M_SIGNED] = is_signed;
	i->sass.mod[SASS_M_X] = carries;
	for (uint32_t k = 0; k < n; k++)
		i->sass.ops[k] = ops[k].op;
	i->sass.nops = (uint8_t)n;
	if (!sass_has_form(f->sm, &i->sass)) {
		i->sass = before;
		return false;
	}
	for (uint32_t k = 0; k < SASS_MAX_OPERANDS; k++)
		i->ref[k] = k < n ? ops[k].ref : (struct mir_ref){0};
	i->uses = NULL;
	return true;
}

/* A register and a constant. */
static bool convert_to_viadd(struct mir_func *f, struct mir_inst *i)
{
	struct mir_source ops[3] = {operand_of(i, 0), operand_of(i, 3), operand_of(i, 4)};

	if (f->sm < 90 || i->sass.op != SASS_IADD3 || i->sass.mod[SASS_M_X] || !is_absent(i, 1) ||
	    !is_absent(i, 2) || !is_zero_reg(i, 5) || ops[1].op.flags || ops[1].op.kind != SASS_GPR)
		return false;
	return become(f, i, SASS_VIADD, false, false, ops, 3);
}

/* Converts an ALU instruction to one of the FMA pipe; false: there is no equivalent one. Immediates
 * that the loader or the layout fills in stay where these expect them. */
static bool convert_to_fma_pipe(struct mir_func *f, struct mir_inst *i)
{
	struct multiply_add m;

	if (i->variable || i->callee || i->return_address || i->service || i->terminator)
		return false;
	if (!(i->sass.op == SASS_MOV     ? move_as_imad(i, &m)
	      : i->sass.op == SASS_IADD3 ? sum_as_imad(i, &m)
	      : i->sass.op == SASS_SHF   ? shift_as_imad(i, &m)
					 : false))
		return convert_to_viadd(f, i);
	return become(f, i, SASS_IMAD, m.is_signed, m.carries,
		      (struct mir_source[]){operand_of(i, 0), m.a, m.b, m.c, m.carry},
		      m.carries ? 5 : 4);
}

static void balance_block(struct mir_func *f, uint32_t b)
{
	uint32_t alu = 0, fma = 0, convertible;
	int lead = 0; /* of the ALU pipe, up to here */

	mir_for_each(f, b, i) {
		enum sass_pipe pipe = sass_pipe(f->sm, &i->sass);

		alu += pipe == SASS_PIPE_ALU ? ISSUE_CYCLES : 0;
		fma += pipe == SASS_PIPE_FMA ? sass_issue_cycles(f->sm, &i->sass) : 0;
	}
	if (alu < ISSUE_CYCLES * MIN_ALU || alu <= fma)
		return;
	convertible = (alu - fma) / (2 * ISSUE_CYCLES);
	mir_for_each(f, b, i) {
		enum sass_pipe pipe = sass_pipe(f->sm, &i->sass);

		if (pipe == SASS_PIPE_ALU && convertible && lead > 0 && convert_to_fma_pipe(f, i)) {
			convertible--;
			pipe = SASS_PIPE_FMA;
		}
		if (pipe == SASS_PIPE_ALU)
			lead += ISSUE_CYCLES;
		else if (pipe == SASS_PIPE_FMA)
			lead -= (int)sass_issue_cycles(f->sm, &i->sass);
	}
}

void nv_balance_pipes(struct mir_func *f)
{
	mir_for_each_block(f, b)
		balance_block(f, b);
}
