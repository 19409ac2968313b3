// SPDX-License-Identifier: MIT
/*
 * Machine IR as text. sass_print() prints each instruction, so modifiers and operand order match
 * the disassembler, with placeholder registers for its virtual registers (R128, R132 … so that
 * pairs and quads stay aligned; P0, P1 …). The placeholders are then replaced by virtual register
 * names.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "libsov/compiler/nv/mir.h"

#define PLACEHOLDER_GPR 128

struct placeholders {
	struct mir_ref gpr[SASS_MAX_OPERANDS], pred[SASS_MAX_OPERANDS + 1], ugpr[SASS_MAX_OPERANDS];
	uint32_t ngpr, npred, nugpr;
};

static uint8_t add_placeholder(const struct mir_func *f, struct placeholders *s, struct mir_ref r)
{
	if (f->vregs[r.vreg].kind == SASS_PRED) {
		s->pred[s->npred] = r;
		return (uint8_t)s->npred++;
	}
	if (f->vregs[r.vreg].kind == SASS_UGPR) {
		s->ugpr[s->nugpr] = r;
		return (uint8_t)(4 * s->nugpr++);
	}
	s->gpr[s->ngpr] = r;
	return (uint8_t)(PLACEHOLDER_GPR + 4 * s->ngpr++);
}

static struct mir_ref find_placeholder(const struct placeholders *s, char letter, long number)
{
	if (letter == 'P' && number < (long)s->npred)
		return s->pred[number];
	if (letter == 'U' && number < 4 * (long)s->nugpr)
		return s->ugpr[number / 4];
	if (letter == 'R' && number >= PLACEHOLDER_GPR &&
	    number < PLACEHOLDER_GPR + 4 * (long)s->ngpr)
		return s->gpr[(number - PLACEHOLDER_GPR) / 4];
	return (struct mir_ref){0};
}

static void print_ref(struct text *out, const struct mir_func *f, struct mir_ref r)
{
	static const char *const letters[] = {
		[SASS_GPR] = "r", [SASS_PRED] = "p", [SASS_UGPR] = "ur"};

	text_printf(out, "%%%s%u", letters[f->vregs[r.vreg].kind], r.vreg);
	if (r.part)
		text_printf(out, ".%u", r.part);
}

static void print_with_vregs(struct text *out, const struct mir_func *f,
			     const struct placeholders *s, const char *text)
{
	for (const char *c = text; *c; c++) {
		bool starts = c == text || !(isalnum((unsigned char)c[-1]) || c[-1] == '_');
		struct mir_ref r = {0};
		char *end = NULL;

		if (starts && (*c == 'R' || *c == 'P') && isdigit((unsigned char)c[1]))
			r = find_placeholder(s, *c, strtol(c + 1, &end, 10));
		else if (starts && *c == 'U' && c[1] == 'R' && isdigit((unsigned char)c[2]))
			r = find_placeholder(s, *c, strtol(c + 2, &end, 10));
		if (r.vreg) {
			print_ref(out, f, r);
			c = end - 1;
		} else {
			text_printf(out, "%c", *c);
		}
	}
}

static void print_inst(struct text *out, const struct mir_func *f, const struct mir_inst *i)
{
	struct placeholders s = {0};
	struct sass_inst copy = i->sass;
	char text[256];

	for (uint32_t k = 0; k < copy.nops && !f->allocated; k++) {
		if (i->ref[k].vreg)
			copy.ops[k].reg = add_placeholder(f, &s, i->ref[k]);
		if (i->uniform.vreg && copy.ops[k].kind == SASS_ADDR &&
		    copy.ops[k].aux != SASS_NO_UREG)
			copy.ops[k].aux = add_placeholder(f, &s, i->uniform);
		if (copy.ops[k].kind == SASS_TARGET)
			copy.ops[k].value = 0;
	}
	if (i->guard.vreg && !f->allocated)
		copy.guard = add_placeholder(f, &s, i->guard);
	if (!f->timed)
		copy.stall = 1;
	if (sass_print(f->sm, &copy, 0, text, sizeof(text)) < 0)
		snprintf(text, sizeof(text), "%s with operands that no form has",
			 sass_op_name(copy.op));
	if (i->target) /* the last operand; blocks have no offset yet */
		snprintf(strrchr(text, ' ') + 1, 12, "b%u", i->target);
	print_with_vregs(out, f, &s, text);
	if (i->identity_copy)
		text_printf(out, " (no move)");
}

static void print_reg(struct text *out, char letter, uint8_t reg, bool last)
{
	if (last)
		text_printf(out, letter == 'P' ? "PT" : "RZ");
	else
		text_printf(out, "%c%u", letter, reg);
}

static void print_source(struct text *out, const struct mir_func *f, const struct mir_source *s)
{
	if (s->op.flags & SASS_NEG)
		text_printf(out, "!");
	if (s->ref.vreg)
		print_ref(out, f, s->ref);
	else if (s->op.kind == SASS_IMM)
		text_printf(out, "0x%llx", (unsigned long long)s->op.value);
	else if (s->op.kind == SASS_CONST)
		text_printf(out, "c[0x%x][0x%llx]", s->op.aux, (unsigned long long)s->op.value);
	else if (s->op.kind == SASS_PRED)
		print_reg(out, 'P', s->op.reg, s->op.reg == SASS_PT);
	else
		print_reg(out, 'R', s->op.reg, s->op.reg == SASS_RZ);
}

static void print_phi(struct text *out, const struct mir_func *f, const struct mir_block *b,
		      const struct mir_phi *phi)
{
	uint32_t units = f->vregs[phi->vreg].units;

	text_printf(out, "\t");
	print_ref(out, f, (struct mir_ref){phi->vreg, 0});
	text_printf(out, " = phi");
	for (uint32_t p = 0; p < b->npreds; p++) {
		text_printf(out, "%s b%u:", p ? "," : "", b->preds[p]);
		for (uint32_t u = 0; u < units; u++) {
			text_printf(out, "%c", u ? ':' : ' ');
			print_source(out, f, &phi->args[p * units + u]);
		}
	}
	text_printf(out, "\n");
}

static void print_terminator(struct text *out, const struct mir_func *f, const struct mir_block *b)
{
	if (b->last && b->last->terminator)
		return; /* the terminator is an instruction already */
	switch (b->end) {
	case MIR_END_JUMP:
		text_printf(out, "\tjump b%u\n", b->succ[0]);
		break;
	case MIR_END_BRANCH:
		text_printf(out, "\tbranch ");
		print_source(out, f, &b->cond);
		text_printf(out, " ? b%u : b%u%s", b->succ[0], b->succ[1],
			    b->divergent ? " divergent" : "");
		text_printf(out, "\n");
		break;
	case MIR_END_JUMP_TABLE: /* always an instruction */
		break;
	case MIR_END_EXIT:
		text_printf(out, "\texit\n");
		break;
	case MIR_END_TRAP:
		text_printf(out, "\ttrap\n");
		break;
	case MIR_END_RETURN:
		text_printf(out, "\treturn\n");
		break;
	}
}

/* The control word: stall count, yield, scoreboards set and waited for. */
static void print_control(struct text *out, const struct sass_inst *s)
{
	text_printf(out, "S%02u %c W%c R%c ", s->stall, s->yield ? 'Y' : '-',
		    s->write_barrier == SASS_NO_SB ? '-' : '0' + s->write_barrier,
		    s->read_barrier == SASS_NO_SB ? '-' : '0' + s->read_barrier);
	for (int sb = 0; sb < 6; sb++)
		text_printf(out, "%c", s->wait & 1 << sb ? '0' + sb : '-');
	text_printf(out, "\t");
}

char *mir_text(const struct mir_func *f)
{
	struct text text = {.arena = f->arena}, *out = &text;

	text_printf(out, "kernel %s sm_%u\n", f->name, f->sm);
	mir_for_each_block(f, b) {
		const struct mir_block *block = &f->blocks[b];

		text_printf(out, "b%u:\n", b);
		for (uint32_t p = 0; p < block->nphis; p++)
			print_phi(out, f, block, &block->phis[p]);
		mir_for_each(f, b, i) {
			text_printf(out, "\t");
			if (f->timed)
				print_control(out, &i->sass);
			print_inst(out, f, i);
			text_printf(out, "\n");
		}
		print_terminator(out, f, block);
	}
	return text.s;
}

char *mir_text_inst(const struct mir_func *f, const struct mir_inst *i)
{
	struct text text = {.arena = f->arena};

	print_inst(&text, f, i);
	return text.s;
}
