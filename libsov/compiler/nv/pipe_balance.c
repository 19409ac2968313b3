// SPDX-License-Identifier: MIT
/*
 * Balance between the ALU pipe and the FMA pipe. Each accepts a warp's integer instruction every
 * second cycle (64 per clock and SM: CUDA C++ Programming Guide, "Arithmetic Instructions"), so
 * code that uses only the ALU runs at half of the possible rate. Copies, sums of two registers and
 * shifts to the left by a constant are IMADs as well. In blocks whose ALU instructions take longer
 * than their FMA instructions, this stage converts some of the former, evenly distributed, until
 * both take equally long, as ptxas does with IMAD.MOV, IMAD.IADD and IMAD.SHL.
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
};

static bool move_as_imad(const struct mir_inst *i, struct multiply_add *m)
{
	*m = (struct multiply_add){zero_reg(), zero_reg(), operand_of(i, 1), false};
	return i->sass.nops == 2;
}

static bool sum_as_imad(const struct mir_inst *i, struct multiply_add *m)
{
	uint32_t terms[3], n = 0;

	if (i->sass.mod[SASS_M_X] || !is_absent(i, 1) || !is_absent(i, 2))
		return false;
	for (uint32_t k = 3; k < 6; k++) {
		if (!is_zero_reg(i, k))
			terms[n++] = k;
	}
	if (n == 1) {
		*m = (struct multiply_add){zero_reg(), zero_reg(), operand_of(i, terms[0]), true};
		return true;
	}
	if (n != 2 || i->sass.ops[terms[0]].kind != SASS_GPR ||
	    i->sass.ops[terms[1]].kind != SASS_GPR)
		return false;
	*m = (struct multiply_add){operand_of(i, terms[0]), mir_imm(1), operand_of(i, terms[1]),
				   true};
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
	*m = (struct multiply_add){operand_of(i, 1), mir_imm(1u << i->sass.ops[2].value),
				   zero_reg(), false};
	return true;
}

/* Converts an ALU instruction to an IMAD; false: there is no equivalent one. Immediates that the
 * loader or the layout fills in stay where these expect them. */
static bool convert_to_imad(struct mir_func *f, struct mir_inst *i)
{
	struct sass_inst before = i->sass;
	struct mir_source d = operand_of(i, 0);
	struct multiply_add m;

	if (i->variable || i->callee || i->return_address || i->service || i->terminator)
		return false;
	if (!(before.op == SASS_MOV     ? move_as_imad(i, &m)
	      : before.op == SASS_IADD3 ? sum_as_imad(i, &m)
	      : before.op == SASS_SHF   ? shift_as_imad(i, &m)
					: false))
		return false;
	sass_init(&i->sass, SASS_IMAD);
	i->sass.guard = before.guard;
	i->sass.guard_not = before.guard_not;
	i->sass.mod[SASS_M_SIGNED] = m.is_signed;
	i->sass.ops[0] = d.op;
	i->sass.ops[1] = m.a.op;
	i->sass.ops[2] = m.b.op;
	i->sass.ops[3] = m.c.op;
	i->sass.nops = 4;
	if (!sass_has_form(f->sm, &i->sass)) {
		i->sass = before;
		return false;
	}
	i->ref[0] = d.ref;
	i->ref[1] = m.a.ref;
	i->ref[2] = m.b.ref;
	i->ref[3] = m.c.ref;
	for (uint32_t k = 4; k < SASS_MAX_OPERANDS; k++)
		i->ref[k] = (struct mir_ref){0};
	i->uses = NULL;
	return true;
}

/* Cycles for which an instruction occupies the FMA pipe. From sm_86 on it executes floats at twice
 * the rate of integers. */
static uint32_t fma_cycles(uint32_t sm, const struct mir_inst *i)
{
	bool is_float =
		i->sass.op == SASS_FADD || i->sass.op == SASS_FMUL || i->sass.op == SASS_FFMA;

	return is_float && sm != 80 ? ISSUE_CYCLES / 2 : ISSUE_CYCLES;
}

static void balance_block(struct mir_func *f, uint32_t b)
{
	uint32_t alu = 0, fma = 0, convertible;
	int lead = 0; /* of the ALU pipe, up to here */

	mir_for_each(f, b, i) {
		enum sass_pipe pipe = sass_pipe(f->sm, &i->sass);

		alu += pipe == SASS_PIPE_ALU ? ISSUE_CYCLES : 0;
		fma += pipe == SASS_PIPE_FMA ? fma_cycles(f->sm, i) : 0;
	}
	if (alu < ISSUE_CYCLES * MIN_ALU || alu <= fma)
		return;
	convertible = (alu - fma) / (2 * ISSUE_CYCLES);
	mir_for_each(f, b, i) {
		enum sass_pipe pipe = sass_pipe(f->sm, &i->sass);

		if (pipe == SASS_PIPE_ALU && convertible && lead > 0 && convert_to_imad(f, i)) {
			convertible--;
			pipe = SASS_PIPE_FMA;
		}
		if (pipe == SASS_PIPE_ALU)
			lead += ISSUE_CYCLES;
		else if (pipe == SASS_PIPE_FMA)
			lead -= (int)fma_cycles(f->sm, i);
	}
}

void nv_balance_pipes(struct mir_func *f)
{
	mir_for_each_block(f, b)
		balance_block(f, b);
}
