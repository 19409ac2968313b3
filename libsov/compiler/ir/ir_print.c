// SPDX-License-Identifier: MIT
/*
 * Printer of IR text. An instruction is
 *
 *	results = op.type words operands
 *
 * The words are the attributes that differ from their defaults, in the order of ir_fields. Values
 * and registers are numbered in layout order, so two modules with the same code print the same
 * text, whatever passes they went through. Invalid functions print as well, because the verifier
 * quotes them: a value that is not in the layout prints as %?ID.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "libsov/compiler/ir/ir.h"
#include "libsov/compiler/base/name_map.h"

struct printer {
	const struct ir_func *f;
	struct text *out;
	uint32_t *values, *regs; /* id -> printed number; 0: none */
	uint32_t *layout_index;  /* block -> index in the layout, from 1; 0: not in it */
	const char **labels;     /* block -> label */
	const char *separator;   /* printed before the next operand */
};

/* ---- numbering ---- */

/* A source label is printed if it is a word, the first of its name, and does not look like the
 * label of an unnamed block. */
static bool is_printable_label(const char *name)
{
	return name && *name && ir_word_length(name, strlen(name)) == strlen(name) &&
	       !(name[0] == 'b' && name[1] && !name[1 + strspn(name + 1, "0123456789")]);
}

static void number_blocks(struct printer *p)
{
	const struct ir_func *f = p->f;
	struct name_map seen = {.arena = f->module->arena};
	uint32_t n = 0;

	p->layout_index = arena_array(f->module->arena, f->nblocks, sizeof(*p->layout_index));
	p->labels = arena_array(f->module->arena, f->nblocks, sizeof(*p->labels));
	ir_for_each_block(f, b) {
		const char *name = f->blocks[b].name;

		p->layout_index[b] = ++n;
		if (is_printable_label(name) && !(*name_map_get(&seen, name, strlen(name)))++)
			p->labels[b] = name;
		else
			p->labels[b] = arena_printf(f->module->arena, "b%u", n);
	}
}

static void number_values(struct printer *p)
{
	const struct ir_func *f = p->f;
	uint32_t nvalues = 0, nregs = 0;

	p->values = arena_array(f->module->arena, f->nvalues, sizeof(*p->values));
	p->regs = arena_array(f->module->arena, f->nregs, sizeof(*p->regs));
	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i) {
			const struct ir_inst *in = ir_at(f, i);

			for (uint32_t k = 0; k < in->nres; k++)
				p->values[in->res + k] = ++nvalues;
			if (ir_ops[in->op].attributes & A_REG && in->symbol < f->nregs &&
			    !p->regs[in->symbol])
				p->regs[in->symbol] = ++nregs;
		}
}

static struct printer printer_new(const struct ir_func *f, struct text *out)
{
	struct printer p = {.f = f, .out = out};

	number_blocks(&p);
	number_values(&p);
	return p;
}

/* ---- parts of an instruction ---- */

static void print_name(struct text *out, const char *name)
{
	if (*name && ir_word_length(name, strlen(name)) == strlen(name)) {
		text_printf(out, "%s", name);
		return;
	}
	text_printf(out, "\"");
	for (; *name; name++) {
		if (*name == '"' || *name == '\\' || *name < ' ' || *name > '~')
			text_printf(out, "\\%02x", (uint8_t)*name);
		else
			text_printf(out, "%c", *name);
	}
	text_printf(out, "\"");
}

static void print_value(struct printer *p, ir_val v)
{
	if (v < p->f->nvalues && p->values[v])
		text_printf(p->out, "%%%u", p->values[v]);
	else
		text_printf(p->out, "%%?%u", v);
}

static const char *block_label(const struct printer *p, ir_block b)
{
	return b < p->f->nblocks && p->labels[b] ? p->labels[b] : "?";
}

static void print_separator(struct printer *p)
{
	text_printf(p->out, "%s", p->separator);
	p->separator = ", ";
}

/* A signed offset that is added to the preceding operand. */
static void print_offset(struct printer *p, uint64_t imm)
{
	if ((int64_t)imm < 0)
		text_printf(p->out, " - %" PRIu64, 0 - imm);
	else if (imm)
		text_printf(p->out, " + %" PRIu64, imm);
}

static void print_words(struct printer *p, const struct ir_inst *in)
{
	uint16_t attributes = ir_ops[in->op].attributes;

	for (uint32_t k = 0; k < ir_nfields; k++) {
		const struct ir_field *field = &ir_fields[k];
		uint8_t value = ((const uint8_t *)in)[field->offset] - field->first;

		if (!ir_has_field(field, in->op))
			continue;
		if (value >= field->count)
			text_printf(p->out, " ?%u", value);
		else if (*field->names[value])
			text_printf(p->out, " %s", field->names[value]);
	}
	for (uint32_t k = 0; k < ir_nflags; k++)
		if (attributes & ir_flags[k].attribute && in->flags & ir_flags[k].bit)
			text_printf(p->out, " %s", ir_flags[k].name);
	if (in->from < IR_TYPE_COUNT) {
		if (attributes & A_FROM)
			text_printf(p->out, " from %s", ir_type_names[in->from]);
		if (attributes & A_MEM && in->from != in->type)
			text_printf(p->out, " as %s", ir_type_names[in->from]);
		if (attributes & A_MEM && in->align != ir_type_bits(in->from) / 8)
			text_printf(p->out, " align %u", in->align);
	}
}

static void print_memory_operand(struct printer *p, const struct ir_inst *in)
{
	print_separator(p);
	text_printf(p->out, "[");
	if (ir_address_arg(in) >= 0) {
		print_value(p, in->args[0]);
		print_offset(p, in->imm);
	} else {
		text_printf(p->out, "%" PRIu64, in->imm);
	}
	text_printf(p->out, "]");
}

/* Prints the arguments in layout order of the predecessors, which is the order that the parser will
 * build; another order would not survive printing and parsing. */
static void print_phi_operands(struct printer *p, const struct ir_inst *in)
{
	const struct ir_bb *bb = &p->f->blocks[in->block];
	uint32_t n = bb->npreds < in->nargs ? bb->npreds : in->nargs;
	uint32_t last = 0, last_k = 0;

	for (uint32_t done = 0; done < n; done++) {
		uint32_t best = 0, best_index = UINT32_MAX;

		for (uint32_t k = 0; k < n; k++) {
			uint32_t layout_index = p->layout_index[bb->preds[k]];
			bool later = layout_index > last || (layout_index == last && k > last_k) ||
				     !done;

			if (later && layout_index < best_index) {
				best = k;
				best_index = layout_index;
			}
		}
		print_separator(p);
		text_printf(p->out, "[%s: ", block_label(p, bb->preds[best]));
		print_value(p, in->args[best]);
		text_printf(p->out, "]");
		last = best_index;
		last_k = best;
	}
}

static void print_operands(struct printer *p, const struct ir_inst *in)
{
	const struct ir_module *m = p->f->module;
	uint16_t attributes = ir_ops[in->op].attributes;
	uint32_t first = 0;

	if (in->op == IR_PHI) {
		print_phi_operands(p, in);
		return;
	}
	if (attributes & A_MEM) {
		print_memory_operand(p, in);
		first = ir_address_arg(in) + 1;
	} else if (attributes & A_SYMBOL) {
		print_separator(p);
		text_printf(p->out, "@");
		print_name(p->out, in->symbol < m->nsymbols ? m->symbols[in->symbol].name : "?");
		print_offset(p, in->imm);
	} else if (attributes & A_FUNC) {
		print_separator(p);
		text_printf(p->out, "@");
		print_name(p->out, in->symbol < m->nfuncs ? m->table[in->symbol]->name : "?");
	} else if (attributes & A_IMM) {
		print_separator(p);
		text_printf(p->out, "0x%" PRIx64, in->imm);
	} else if (attributes & A_REG) {
		print_separator(p);
		text_printf(p->out, "r%u", in->symbol < p->f->nregs ? p->regs[in->symbol] : 0);
	}
	for (uint32_t k = first; k < in->nargs; k++) {
		print_separator(p);
		print_value(p, in->args[k]);
	}
	if (ir_ops[in->op].properties & P_TERM && in->block)
		for (uint32_t k = 0; k < p->f->blocks[in->block].nsucc; k++) {
			print_separator(p);
			text_printf(p->out, "%s", block_label(p, p->f->blocks[in->block].succ[k]));
		}
}

static void print_inst(struct printer *p, ir_id i)
{
	const struct ir_inst *in = ir_at(p->f, i);

	p->separator = "";
	for (uint32_t k = 0; k < in->nres; k++) {
		print_separator(p);
		print_value(p, in->res + k);
	}
	text_printf(p->out, "%s%s", in->nres ? " = " : "", ir_ops[in->op].text);
	if (in->type)
		text_printf(p->out, ".%s",
			    in->type < IR_TYPE_COUNT ? ir_type_names[in->type] : "?");
	print_words(p, in);
	p->separator = " ";
	print_operands(p, in);
}

/* ---- declarations ---- */

static void print_symbol(struct text *out, const struct ir_symbol *s)
{
	text_printf(out, "%s%s%s @", s->owner ? "\t" : "", s->external ? "external " : "",
		    ir_space_names[s->space]);
	print_name(out, s->name);
	text_printf(out, " align %u size %" PRIu64 "%s", s->align, s->size,
		    s->logical ? " logical" : "");
	if (s->init) {
		text_printf(out, " = ");
		for (uint64_t k = 0; k < s->size; k++)
			text_printf(out, "%s%02x", k ? " " : "", s->init[k]);
	}
	text_printf(out, "\n");
}

/* Relocations follow all variables: they may refer to any of them. */
static void print_addresses(struct text *out, const struct ir_module *m, const struct ir_symbol *s)
{
	for (uint32_t k = 0; k < s->naddresses; k++) {
		const struct ir_address *a = &s->addresses[k];

		text_printf(out, "address @");
		print_name(out, s->name);
		text_printf(out, " + %" PRIu64 " = %s%s @", a->offset, a->generic ? "generic " : "",
			    a->function ? "function" : "variable");
		print_name(out,
			   a->function ? m->table[a->target]->name : m->symbols[a->target].name);
		text_printf(out, " + %" PRIu64 " bytes %u shift %u\n", a->addend, a->bytes,
			    a->shift);
	}
}

static void print_threads(struct text *out, const char *word, const uint32_t t[3])
{
	if (t[0] || t[1] || t[2])
		text_printf(out, " %s %u %u %u", word, t[0], t[1], t[2]);
}

static void print_types(struct text *out, const uint8_t *types, uint32_t n)
{
	text_printf(out, "(");
	for (uint32_t k = 0; k < n; k++)
		text_printf(out, "%s%s", k ? ", " : "", ir_type_names[types[k]]);
	text_printf(out, ")");
}

/* "function f(b32, b64) -> (b32)" */
static void print_signature(struct text *out, const struct ir_func *f)
{
	static const char *const words[] = {[IR_FUNCTION] = "function",
					    [IR_EXTERNAL] = "external function",
					    [IR_EXTERNAL_KERNEL] = "external kernel",
					    [IR_PROTOTYPE] = "prototype"};

	text_printf(out, "%s%s ", f->preserve_all ? "preserve_all " : "", words[f->kind]);
	print_name(out, f->name);
	print_types(out, f->arg_types, f->nargs);
	if (f->nresults) {
		text_printf(out, " -> ");
		print_types(out, f->result_types, f->nresults);
	}
}

static void print_head(struct text *out, const struct ir_func *f)
{
	if (f->kind != IR_KERNEL) {
		print_signature(out, f);
		text_printf(out, " {\n");
		return;
	}
	text_printf(out, "kernel ");
	print_name(out, f->name);
	text_printf(out, "(");
	for (uint32_t k = 0; k < f->nparams; k++) {
		const struct ir_param *param = &f->params[k];

		text_printf(out, "%s", k ? ", " : "");
		print_name(out, param->name);
		text_printf(out, ": %u at %u", param->size, param->offset);
		if (param->align != param->size)
			text_printf(out, " align %u", param->align);
		text_printf(out, "%s", param->pointer ? " pointer" : "");
	}
	text_printf(out, ")");
	print_threads(out, "max_threads", f->max_threads);
	print_threads(out, "required_threads", f->required_threads);
	if (f->min_ctas)
		text_printf(out, " min_ctas %u", f->min_ctas);
	if (f->max_registers)
		text_printf(out, " max_registers %u", f->max_registers);
	print_threads(out, "cluster", f->cluster);
	if (f->max_cluster)
		text_printf(out, " max_cluster %u", f->max_cluster);
	if (f->explicit_cluster)
		text_printf(out, " explicit_cluster");
	text_printf(out, " {\n");
}

static void print_func(const struct ir_func *f, struct text *out)
{
	struct printer p = printer_new(f, out);

	print_head(out, f);
	for (uint32_t k = 0; k < f->module->nsymbols; k++)
		if (f->module->symbols[k].owner == f)
			print_symbol(out, &f->module->symbols[k]);
	ir_for_each_block(f, b) {
		text_printf(out, "%s:%s\n", p.labels[b], f->blocks[b].rolled ? " rolled" : "");
		ir_for_each_inst(f, b, i) {
			text_printf(out, "\t");
			print_inst(&p, i);
			text_printf(out, "\n");
		}
	}
	text_printf(out, "}\n");
}

/* ---- entry points ---- */

char *ir_text(const struct ir_module *m)
{
	struct text out = {.arena = m->arena};

	text_printf(&out, "%s", "");
	for (uint32_t k = 0; k < m->nsymbols; k++)
		if (!m->symbols[k].owner)
			print_symbol(&out, &m->symbols[k]);
	for (uint32_t k = 0; k < m->nfuncs; k++)
		if (m->table[k]->kind != IR_KERNEL && m->table[k]->kind != IR_FUNCTION) {
			print_signature(&out, m->table[k]);
			text_printf(&out, "\n");
		}
	for (uint32_t k = 0; k < m->nsymbols; k++)
		print_addresses(&out, m, &m->symbols[k]);
	for (const struct ir_func *f = m->funcs; f; f = f->next) {
		if (out.length)
			text_printf(&out, "\n");
		print_func(f, &out);
	}
	return out.s;
}

void ir_print(const struct ir_module *m, FILE *out)
{
	fputs(ir_text(m), out);
}

void ir_print_func(const struct ir_func *f, FILE *out)
{
	struct text text = {.arena = f->module->arena};

	print_func(f, &text);
	fputs(text.s, out);
}

char *ir_text_inst(const struct ir_func *f, ir_id i)
{
	struct text text = {.arena = f->module->arena};
	struct printer p = printer_new(f, &text);

	print_inst(&p, i);
	return text.s;
}

const char *ir_text_block(const struct ir_func *f, ir_block b)
{
	struct printer p = {.f = f};

	number_blocks(&p);
	return block_label(&p, b);
}
