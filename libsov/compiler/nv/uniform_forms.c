// SPDX-License-Identifier: MIT
/* Instructions of the uniform datapath, and vector instructions that read a uniform register. */
#include <string.h>
#include "libsov/compiler/nv/uniform_forms.h"

/* Vector operations and their equivalents on the uniform datapath, with the same operands. */
static const struct nv_uniform_op uniform_ops[] = {
	{SASS_MOV, SASS_UMOV, 2, 0},     {SASS_S2R, SASS_S2UR, 2, 0},
	{SASS_IADD3, SASS_UIADD3, 8, 0}, {SASS_IMAD, SASS_UIMAD, 4, 0},
	{SASS_LEA, SASS_ULEA, 5, 0},     {SASS_LOP3, SASS_ULOP3, 7, 1},
	{SASS_SHF, SASS_USHF, 4, 0},     {SASS_PRMT, SASS_UPRMT, 4, 0},
	{SASS_LDC, SASS_ULDC, 2, 0},     {SASS_SEL, SASS_USEL, 4, 0},
};

const struct nv_uniform_op *nv_find_uniform_op(const struct mir_inst *i)
{
	for (uint32_t t = 0; t < sizeof(uniform_ops) / sizeof(uniform_ops[0]); t++) {
		if (uniform_ops[t].op == i->sass.op)
			return &uniform_ops[t];
	}
	return NULL;
}

/* Converts an operand to the uniform datapath. A physical register is the stack pointer, and a
 * virtual predicate differs by lane: neither can be converted. */
bool nv_to_uniform_operand(struct sass_operand *o, struct mir_ref r)
{
	switch (o->kind) {
	case SASS_GPR:
		if (!r.vreg && o->reg != SASS_RZ)
			return false;
		o->kind = SASS_UGPR;
		o->reg = r.vreg ? 0 : SASS_URZ;
		return true;
	case SASS_PRED:
		o->kind = SASS_UPRED;
		return !r.vreg && o->reg == SASS_PT;
	case SASS_SREG:
		return o->value >= SASS_SR_CTAID_X && o->value <= SASS_SR_CTAID_Z;
	case SASS_CONST:
		o->reg = r.vreg ? 0 : o->reg;
		return r.vreg || o->reg == SASS_RZ;
	default:
		return true;
	}
}

static bool loads_constant(const struct mir_inst *i)
{
	return i->sass.op == SASS_LDC ||
	       (i->sass.op == SASS_MOV && i->sass.ops[1].kind == SASS_CONST);
}

bool nv_make_uniform_comparison(const struct nv_uniform_forms *forms, const struct mir_inst *from,
				struct sass_inst *out)
{
	sass_init(out, SASS_UISETP);
	memcpy(out->mod, from->sass.mod, sizeof(out->mod));
	out->nops = from->sass.nops;
	for (uint32_t k = 0; k < out->nops; k++) {
		out->ops[k] = from->sass.ops[k];
		if (k && !nv_to_uniform_operand(&out->ops[k], from->ref[k]))
			return false;
		if (out->ops[k].kind == SASS_CONST)
			return false;
	}
	out->ops[0] = (struct sass_operand){.kind = SASS_UPRED};
	return sass_has_form(forms->sm, out);
}

/* The comparison that a SEL depends on, if the uniform datapath can do it; NULL otherwise. */
const struct mir_inst *nv_comparison_of(const struct nv_uniform_forms *forms,
					const struct mir_inst *sel)
{
	uint32_t v = sel->sass.op == SASS_SEL ? sel->ref[NV_SEL_CONDITION].vreg : 0;
	const struct mir_inst *i = forms->recompares && v ? forms->comparisons[v] : NULL;
	struct sass_inst uniform_op;

	return i && i->sass.guard == SASS_PT && !i->sass.mod[SASS_M_EX] &&
			       nv_make_uniform_comparison(forms, i, &uniform_op)
		       ? i
		       : NULL;
}

/* The equivalent instruction of the uniform datapath; false if there is none. A constant bank
 * operand must first be loaded into a register, which costs an instruction: only in loops. */
bool nv_make_uniform(const struct nv_uniform_forms *forms, const struct mir_inst *i, uint32_t depth,
		     struct sass_inst *out)
{
	const struct nv_uniform_op *t = nv_find_uniform_op(i);

	if (!t || i->sass.guard != SASS_PT || i->sass.mod[SASS_M_X] || i->callee || i->variable ||
	    i->return_address || (i->sass.op == SASS_SEL && !nv_comparison_of(forms, i)))
		return false;
	if (loads_constant(i))
		sass_init(out, i->ref[1].vreg ? SASS_ULDC_UREG : SASS_ULDC);
	else
		sass_init(out, t->uniform_op);
	memcpy(out->mod, i->sass.mod, sizeof(out->mod));
	if (loads_constant(i) && i->sass.op == SASS_MOV)
		out->mod[SASS_M_WIDTH] = SASS_WIDTH_32;
	for (uint32_t k = 0; k < i->sass.nops && k < t->nops; k++) {
		out->ops[k] = i->sass.ops[k];
		out->nops = (uint8_t)(k + 1);
		if (i->sass.op == SASS_SEL && k == NV_SEL_CONDITION) {
			out->ops[k].kind = SASS_UPRED;
			out->ops[k].reg = 0;
			continue;
		}
		if (!nv_to_uniform_operand(&out->ops[k], i->ref[k]))
			return false;
		if (out->ops[k].kind == SASS_CONST && !loads_constant(i) && depth)
			out->ops[k] = (struct sass_operand){.kind = SASS_UGPR,
							    .flags = out->ops[k].flags};
	}
	return sass_has_form(forms->sm, out);
}

/*
 * Operands of vector instructions that may be uniform registers. Two operands may be swapped, with
 * an adjustment of the rest.
 */
enum { ADJUST_NONE, ADJUST_COMPARE, ADJUST_SELECT, ADJUST_TRUTH_TABLE };
static const struct {
	uint16_t op;
	uint8_t a, b, adjust; /* a == b: no swap */
} uniform_operands[] = {
	{SASS_MOV, 1, 1, ADJUST_NONE},         {SASS_IADD3, 3, 4, ADJUST_NONE},
	{SASS_IADD3, 3, 5, ADJUST_NONE},       {SASS_IMAD, 1, 2, ADJUST_NONE},
	{SASS_IMAD_WIDE, 2, 3, ADJUST_NONE},   {SASS_LEA, 3, 3, ADJUST_NONE},
	{SASS_LOP3, 2, 3, ADJUST_TRUTH_TABLE}, {SASS_LOP3, 2, 4, ADJUST_TRUTH_TABLE},
	{SASS_ISETP, 2, 3, ADJUST_COMPARE},    {SASS_SEL, 1, 2, ADJUST_SELECT},
	{SASS_FADD, 1, 2, ADJUST_NONE},        {SASS_FMUL, 1, 2, ADJUST_NONE},
	{SASS_FFMA, 1, 2, ADJUST_NONE},        {SASS_FSETP, 2, 3, ADJUST_COMPARE},
	{SASS_DADD, 1, 2, ADJUST_NONE},        {SASS_DMUL, 1, 2, ADJUST_NONE},
	{SASS_DFMA, 1, 2, ADJUST_NONE},        {SASS_DSETP, 2, 3, ADJUST_COMPARE},
	{SASS_LDS, 1, 1, ADJUST_NONE},         {SASS_STS, 0, 0, ADJUST_NONE},
	{SASS_ATOMS, 1, 1, ADJUST_NONE},
};

/* Truth table of a function of three inputs with two of them swapped. */
static uint8_t swap_table_inputs(uint8_t table, uint32_t x, uint32_t y)
{
	uint8_t out = 0;

	for (uint32_t row = 0; row < 8; row++) {
		uint32_t from = row & ~(1u << x | 1u << y);

		from |= (row >> x & 1) << y | (row >> y & 1) << x;
		out |= (uint8_t)((table >> from & 1) << row);
	}
	return out;
}

static void swap_operands(struct mir_inst *i, uint32_t a, uint32_t b, uint8_t adjust)
{
	struct sass_operand op = i->sass.ops[a];
	struct mir_ref ref = i->ref[a];
	uint8_t cmp = i->sass.mod[SASS_M_CMP];

	i->sass.ops[a] = i->sass.ops[b];
	i->sass.ops[b] = op;
	i->ref[a] = i->ref[b];
	i->ref[b] = ref;
	if (adjust == ADJUST_COMPARE) /* less and greater are its lowest and its third bit */
		i->sass.mod[SASS_M_CMP] = (uint8_t)((cmp & ~5) | (cmp & 1) << 2 | (cmp >> 2 & 1));
	else if (adjust == ADJUST_SELECT)
		i->sass.ops[3].flags ^= SASS_NEG;
	else if (adjust == ADJUST_TRUTH_TABLE) /* operands 2, 3, 4 are truth table bits 2, 1, 0 */
		i->sass.ops[5].value =
			swap_table_inputs((uint8_t)i->sass.ops[5].value, 4 - a, 4 - b);
}

struct nv_operand_fit nv_fit_operand(const struct nv_uniform_forms *forms, const struct mir_inst *i,
				     uint32_t k)
{
	struct sass_inst in;

	for (uint32_t t = 0; t < sizeof(uniform_operands) / sizeof(uniform_operands[0]); t++) {
		uint8_t a = uniform_operands[t].a, b = uniform_operands[t].b;
		struct sass_operand o;

		if (uniform_operands[t].op != i->sass.op)
			continue;
		if (i->sass.ops[k].kind == SASS_ADDR)
			return (struct nv_operand_fit){.fits = i->sass.ops[k].aux == SASS_NO_UREG};
		in = i->sass;
		in.ops[k].kind = SASS_UGPR;
		if (sass_has_form(forms->sm, &in))
			return (struct nv_operand_fit){.fits = true};
		/* The comparison of the low halves has fixed the operand order. */
		if (a == b || (k != a && k != b) || in.mod[SASS_M_EX])
			continue;
		o = in.ops[a];
		in.ops[a] = in.ops[b];
		in.ops[b] = o;
		if (sass_has_form(forms->sm, &in))
			return (struct nv_operand_fit){true, a, b, uniform_operands[t].adjust};
	}
	return (struct nv_operand_fit){.fits = false};
}

void nv_apply_fit(struct mir_inst *i, uint32_t k, struct nv_operand_fit fit)
{
	struct sass_operand *o = &i->sass.ops[k];

	i->uses = NULL;
	if (o->kind == SASS_ADDR) {
		o->reg = SASS_RZ;
		o->aux = 0;
		i->uniform = i->ref[k];
		i->ref[k] = (struct mir_ref){0};
		return;
	}
	o->kind = SASS_UGPR;
	if (fit.a != fit.b)
		swap_operands(i, fit.a, fit.b, fit.adjust);
}
