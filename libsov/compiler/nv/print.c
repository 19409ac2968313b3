/* SPDX-License-Identifier: MIT */
/*
 * Machine IR as text. Modifiers and operand order are the disassembler's: an instruction is printed
 * by sass_print with stand-ins for its virtual registers (R128, R132 … so that pairs and quads stay
 * aligned; P0, P1 …), and these are then replaced by the names of the virtual registers.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "libsov/compiler/nv/mir.h"

#define STAND_IN_GPR 128

struct stand_ins {
	struct mir_ref gpr[SASS_MAX_OPERANDS], pred[SASS_MAX_OPERANDS + 1];
	uint32_t ngpr, npred;
};

static uint8_t add_stand_in(const struct mir_func *f, struct stand_ins *s, struct mir_ref r)
{
	if (f->vregs[r.vreg].kind == SASS_PRED) {
		s->pred[s->npred] = r;
		return (uint8_t)s->npred++;
	}
	s->gpr[s->ngpr] = r;
	return (uint8_t)(STAND_IN_GPR + 4 * s->ngpr++);
}

static struct mir_ref find_stand_in(const struct stand_ins *s, char letter, long number)
{
	if (letter == 'P' && number < (long)s->npred)
		return s->pred[number];
	if (letter == 'R' && number >= STAND_IN_GPR && number < STAND_IN_GPR + 4 * (long)s->ngpr)
		return s->gpr[(number - STAND_IN_GPR) / 4];
	return (struct mir_ref){0};
}

static void print_ref(FILE *out, const struct mir_func *f, struct mir_ref r)
{
	fprintf(out, "%%%c%u", f->vregs[r.vreg].kind == SASS_PRED ? 'p' : 'r', r.vreg);
	if (r.part)
		fprintf(out, ".%u", r.part);
}

static void print_replaced(FILE *out, const struct mir_func *f, const struct stand_ins *s,
			   const char *text)
{
	for (const char *c = text; *c; c++) {
		bool starts = c == text || !(isalnum((unsigned char)c[-1]) || c[-1] == '_');
		struct mir_ref r = {0};
		char *end = NULL;

		if (starts && (*c == 'R' || *c == 'P') && isdigit((unsigned char)c[1]))
			r = find_stand_in(s, *c, strtol(c + 1, &end, 10));
		if (r.vreg) {
			print_ref(out, f, r);
			c = end - 1;
		} else {
			fputc(*c, out);
		}
	}
}

static void print_inst(FILE *out, const struct mir_func *f, const struct mir_inst *i)
{
	struct stand_ins s = {0};
	struct sass_inst copy = i->sass;
	char text[256];

	for (uint32_t k = 0; k < copy.nops && !f->allocated; k++) {
		if (i->ref[k].vreg)
			copy.ops[k].reg = add_stand_in(f, &s, i->ref[k]);
		if (copy.ops[k].kind == SASS_TARGET)
			copy.ops[k].value = 0;
	}
	if (i->guard.vreg && !f->allocated)
		copy.guard = add_stand_in(f, &s, i->guard);
	if (sass_print(f->sm, &copy, 0, text, sizeof(text)) < 0)
		snprintf(text, sizeof(text), "%s with operands that no form has",
			 sass_op_name(copy.op));
	print_replaced(out, f, &s, text);
	if (i->target)
		fprintf(out, " -> b%u", i->target);
	if (i->copy)
		fprintf(out, " (no move)");
}

static void print_source(FILE *out, const struct mir_func *f, const struct mir_source *s)
{
	if (s->op.flags & SASS_NEG)
		fputc('!', out);
	if (s->ref.vreg)
		print_ref(out, f, s->ref);
	else if (s->op.kind == SASS_IMM)
		fprintf(out, "0x%llx", (unsigned long long)s->op.value);
	else if (s->op.kind == SASS_CONST)
		fprintf(out, "c[0x%x][0x%llx]", s->op.aux, (unsigned long long)s->op.value);
	else if (s->op.kind == SASS_PRED)
		fprintf(out, s->op.reg == SASS_PT ? "PT" : "P%u", s->op.reg);
	else
		fprintf(out, s->op.reg == SASS_RZ ? "RZ" : "R%u", s->op.reg);
}

static void print_phi(FILE *out, const struct mir_func *f, const struct mir_block *b,
		      const struct mir_phi *phi)
{
	uint32_t units = f->vregs[phi->vreg].units;

	fputc('\t', out);
	print_ref(out, f, (struct mir_ref){phi->vreg, 0});
	fprintf(out, " = phi");
	for (uint32_t p = 0; p < b->npreds; p++) {
		fprintf(out, "%s b%u:", p ? "," : "", b->preds[p]);
		for (uint32_t u = 0; u < units; u++) {
			fputc(u ? ':' : ' ', out);
			print_source(out, f, &phi->args[p * units + u]);
		}
	}
	fputc('\n', out);
}

static void print_end(FILE *out, const struct mir_func *f, const struct mir_block *b)
{
	if (b->last && b->last->keep_last)
		return; /* is an instruction already */
	switch (b->end) {
	case MIR_END_JUMP:
		fprintf(out, "\tjump b%u\n", b->succ[0]);
		break;
	case MIR_END_BRANCH:
		fprintf(out, "\tbranch ");
		print_source(out, f, &b->cond);
		fprintf(out, " ? b%u : b%u%s", b->succ[0], b->succ[1], b->divergent ? " divergent" : "");
		if (b->divergent && b->reconverge)
			fprintf(out, ", meet at b%u", b->reconverge);
		fputc('\n', out);
		break;
	case MIR_END_EXIT:
	case MIR_END_TRAP:
		fprintf(out, "\t%s\n", b->end == MIR_END_EXIT ? "exit" : "trap");
		break;
	}
}

/* The schedule, as far as it has been made: stall, yield, scoreboards set and waited for. */
static void print_control(FILE *out, const struct sass_inst *s)
{
	fprintf(out, "S%02u %c W%c R%c ", s->stall, s->yield ? 'Y' : '-',
		s->write_barrier == SASS_NO_SB ? '-' : '0' + s->write_barrier,
		s->read_barrier == SASS_NO_SB ? '-' : '0' + s->read_barrier);
	for (int sb = 0; sb < 6; sb++)
		fputc(s->wait & 1 << sb ? '0' + sb : '-', out);
	fputc('\t', out);
}

void mir_print(const struct mir_func *f, FILE *out)
{
	fprintf(out, "kernel %s sm_%u\n", f->name, f->sm);
	mir_for_each_block(f, b) {
		const struct mir_block *block = &f->blocks[b];

		fprintf(out, "b%u:\n", b);
		for (uint32_t p = 0; p < block->nphis; p++)
			print_phi(out, f, block, &block->phis[p]);
		mir_for_each(f, b, i) {
			fputc('\t', out);
			if (f->timed)
				print_control(out, &i->sass);
			print_inst(out, f, i);
			fputc('\n', out);
		}
		print_end(out, f, block);
	}
}

char *mir_text(const struct mir_func *f, const struct mir_inst *i)
{
	char *text = NULL, *copy;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return arena_printf(f->arena, "%s", sass_op_name(i->sass.op));
	print_inst(out, f, i);
	fclose(out);
	copy = arena_strndup(f->arena, text ? text : "", size);
	free(text);
	return copy;
}
