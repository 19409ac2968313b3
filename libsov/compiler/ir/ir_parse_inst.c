// SPDX-License-Identifier: MIT
/*
 * Parser of one instruction: results, operation with type, words, operands. The rows of ops.h and
 * ir_fields define what is accepted; this file checks the form of the text, and the verifier checks
 * the semantic rules.
 */
#include <string.h>
#include "libsov/compiler/ir/ir_parse.h"

/* ---- names ---- */

static bool need_value(struct parser *p, uint32_t *index)
{
	if (p->lex.token.kind != LEX_VALUE || !p->lex.token.length)
		return parse_expected(p, "a value (%name)");
	*index = parse_use(p, &p->values, &p->lex.token);
	ir_lex_next(&p->lex);
	return true;
}

static bool need_label(struct parser *p, uint32_t *index)
{
	if (p->lex.token.kind != LEX_WORD)
		return parse_expected(p, "a label");
	*index = parse_use(p, &p->labels, &p->lex.token);
	ir_lex_next(&p->lex);
	return true;
}

/* ---- the operation and its words ---- */

static bool parse_type(const char *s, size_t length, enum ir_type *type)
{
	for (enum ir_type t = IR_VOID + 1; t < IR_TYPE_COUNT; t++)
		if (length == strlen(ir_type_names[t]) && !memcmp(s, ir_type_names[t], length)) {
			*type = t;
			return true;
		}
	return false;
}

bool parse_need_type(struct parser *p, uint8_t *type)
{
	enum ir_type t;

	if (p->lex.token.kind != LEX_WORD || !parse_type(p->lex.token.s, p->lex.token.length, &t))
		return parse_expected(p, "a type (b1, b8, b16, b32, b64)");
	*type = t;
	ir_lex_next(&p->lex);
	return true;
}

static const char *type_list(struct parser *p, uint8_t types)
{
	struct text list = {.arena = p->arena};

	for (enum ir_type t = IR_VOID; t < IR_TYPE_COUNT; t++)
		if (types & 1 << t)
			text_printf(&list, " %s%s", t ? "." : "", t ? ir_type_names[t] : "none");
	return list.s;
}

/* "mulwide.u.b64" is an operation and, after the last dot, a type. */
static bool parse_op(struct parser *p, enum ir_op *op, enum ir_type *type)
{
	const struct ir_token t = p->lex.token;
	uint32_t length = t.length, dot = length;

	if (t.kind != LEX_WORD)
		return parse_expected(p, "an operation");
	while (dot && t.s[dot - 1] != '.')
		dot--;
	*type = IR_VOID;
	if (dot && parse_type(t.s + dot, length - dot, type))
		length = dot - 1;
	for (*op = 0; *op < IR_OP_COUNT; (*op)++)
		if (length == strlen(ir_ops[*op].text) && !memcmp(t.s, ir_ops[*op].text, length))
			break;
	if (*op == IR_OP_COUNT)
		return parse_error(p, &t, "unknown operation '%.*s'",
				   (int)(length < 40 ? length : 40), t.s);
	if (!(ir_ops[*op].types & 1 << *type))
		return parse_error(p, &t, "'%s' has no type '%s'; known:%s", ir_ops[*op].text,
				   ir_type_names[*type], type_list(p, ir_ops[*op].types));
	ir_lex_next(&p->lex);
	return true;
}

static const char *word_list(struct parser *p, enum ir_op op)
{
	struct text list = {.arena = p->arena};
	uint16_t attributes = ir_ops[op].attributes;

	for (uint32_t k = 0; k < ir_nfields; k++)
		if (ir_has_field(&ir_fields[k], op))
			for (uint32_t n = 0; n < ir_fields[k].count; n++)
				text_printf(&list, *ir_fields[k].names[n] ? " %s" : "%s",
					    ir_fields[k].names[n]);
	for (uint32_t k = 0; k < ir_nflags; k++)
		if (attributes & ir_flags[k].attribute)
			text_printf(&list, " %s", ir_flags[k].name);
	text_printf(&list, "%s%s", attributes & A_FROM ? " from" : "",
		    attributes & A_MEM ? " as align" : "");
	return list.s;
}

/* Accepts one word that sets a field or a flag of in; false when there is no such word. */
static bool accept_field(struct parser *p, struct ir_inst *in, uint64_t *seen, bool *twice)
{
	for (uint32_t k = 0; k < ir_nfields; k++) {
		const struct ir_field *field = &ir_fields[k];

		for (uint32_t n = 0; ir_has_field(field, in->op) && n < field->count; n++)
			if (parse_at_word(p, field->names[n])) {
				*twice = *seen & UINT64_C(1) << k;
				*seen |= UINT64_C(1) << k;
				((uint8_t *)in)[field->offset] = (uint8_t)(field->first + n);
				return true;
			}
	}
	for (uint32_t k = 0; k < ir_nflags; k++)
		if (ir_ops[in->op].attributes & ir_flags[k].attribute &&
		    parse_at_word(p, ir_flags[k].name)) {
			*twice = in->flags & ir_flags[k].bit;
			in->flags |= ir_flags[k].bit;
			return true;
		}
	return false;
}

static bool parse_words(struct parser *p, struct ir_inst *in)
{
	uint16_t attributes = ir_ops[in->op].attributes;
	uint64_t seen = 0;
	bool aligned = false, typed = false, twice = false;

	while (p->lex.token.kind == LEX_WORD) {
		if (attributes & (A_FROM | A_MEM) &&
		    parse_accept_word(p, attributes & A_FROM ? "from" : "as")) {
			if (!parse_need_type(p, &in->from))
				return false;
			typed = true;
		} else if (attributes & A_MEM && parse_accept_word(p, "align")) {
			if (!parse_need_u32(p, "an alignment", &in->align))
				return false;
			aligned = true;
		} else if (!accept_field(p, in, &seen, &twice)) {
			return parse_error(
				p, &p->lex.token, "unknown word '%.*s' on '%s'; known:%s",
				(int)(p->lex.token.length < 40 ? p->lex.token.length : 40),
				p->lex.token.s, ir_ops[in->op].text, word_list(p, in->op));
		} else if (twice) {
			return parse_error(p, &p->lex.token,
					   "'%.*s' sets an attribute that an earlier word has set",
					   (int)p->lex.token.length, p->lex.token.s);
		} else {
			ir_lex_next(&p->lex);
		}
	}
	for (uint32_t k = 0; k < ir_nfields; k++)
		if (ir_has_field(&ir_fields[k], in->op) && *ir_fields[k].names[0] &&
		    !(seen & UINT64_C(1) << k))
			return parse_error(p, &p->lex.token,
					   "'%s' needs one of its words; known:%s",
					   ir_ops[in->op].text, word_list(p, in->op));
	if (attributes & A_FROM && !typed)
		return parse_expected(p, "'from' and a type");
	if (typed && attributes & A_MEM && !aligned)
		in->align = ir_type_bits(in->from) / 8;
	return true;
}

/* ---- operands ---- */

struct operands {
	uint32_t *values; /* indices of names */
	uint32_t count, capacity;
	uint32_t listed; /* operands of any kind so far, for the commas */
};

static bool next_operand(struct parser *p, struct operands *o)
{
	return !o->listed++ || parse_need_sign(p, ',');
}

static bool add_value(struct parser *p, struct operands *o)
{
	o->values = arena_grow(p->arena, o->values, &o->capacity, o->count + 1, sizeof(*o->values));
	return need_value(p, &o->values[o->count++]);
}

static bool parse_offset(struct parser *p, uint64_t *imm)
{
	bool minus = parse_at_sign(p, '-');

	if (!minus && !parse_at_sign(p, '+'))
		return true;
	ir_lex_next(&p->lex);
	if (!parse_need_number(p, "an offset", INT64_MAX, imm))
		return false;
	*imm = minus ? 0 - *imm : *imm;
	return true;
}

static bool parse_memory(struct parser *p, struct ir_inst *in, struct operands *o)
{
	if (!parse_need_sign(p, '['))
		return false;
	if (p->lex.token.kind == LEX_NUMBER) {
		if (!parse_need_number(p, "an address", UINT64_MAX, &in->imm))
			return false;
	} else if (!add_value(p, o) || !parse_offset(p, &in->imm)) {
		return false;
	}
	return parse_need_sign(p, ']');
}

static bool parse_symbol_operand(struct parser *p, struct ir_inst *in)
{
	const struct ir_token *t;

	if (!parse_need_sign(p, '@'))
		return false;
	t = &p->lex.token;
	if (t->kind != LEX_WORD && t->kind != LEX_STRING)
		return parse_expected(p, "a variable's name");
	in->symbol = *name_map_get(&p->symbols, t->s, t->length) - 1;
	if (in->symbol == UINT32_MAX)
		return parse_error(p, t, "no variable @%.*s before this line",
				   (int)(t->length < 60 ? t->length : 60), t->s);
	ir_lex_next(&p->lex);
	return parse_offset(p, &in->imm);
}

/* The end of the text resolves the function; until then symbol is the index in the list of
 * calls. */
static bool parse_func_operand(struct parser *p, struct ir_inst *in)
{
	struct parse_call call = {.f = p->f};

	if (!parse_need_sign(p, '@'))
		return false;
	call.name = p->lex.token;
	if (call.name.kind != LEX_WORD && call.name.kind != LEX_STRING)
		return parse_expected(p, "a function's name");
	ir_lex_next(&p->lex);
	p->calls = arena_grow(p->arena, p->calls, &p->calls_capacity, p->ncalls + 1,
			      sizeof(*p->calls));
	in->symbol = p->ncalls;
	p->calls[p->ncalls++] = call;
	return true;
}

/* A constant may be written as an unsigned or a signed number of its width. */
static bool parse_const(struct parser *p, struct ir_inst *in)
{
	uint32_t bits = in->op == IR_CONST ? ir_type_bits(in->type) : 64; /* others: a number */
	uint64_t mask = UINT64_MAX >> (64 - bits);
	bool minus = parse_accept_sign(p, '-');

	if (!parse_need_number(p,
			       in->op == IR_CONST ? "a constant of the type's width" : "a number",
			       minus ? mask / 2 + 1 : mask, &in->imm))
		return false;
	in->imm = (minus ? 0 - in->imm : in->imm) & mask;
	return true;
}

static bool parse_reg(struct parser *p, struct ir_inst *in)
{
	const struct ir_token t = p->lex.token;
	uint32_t *reg;

	if (t.kind != LEX_WORD)
		return parse_expected(p, "a register (r1)");
	reg = name_map_get(&p->regs, t.s, t.length);
	if (!*reg)
		*reg = ir_reg_new(p->f, in->type);
	in->symbol = *reg;
	if (p->f->reg_types[*reg] != in->type)
		return parse_error(p, &t, "register %.*s is %s, not %s",
				   (int)(t.length < 40 ? t.length : 40), t.s,
				   ir_type_names[p->f->reg_types[*reg]], ir_type_names[in->type]);
	ir_lex_next(&p->lex);
	return true;
}

static bool parse_phi(struct parser *p, struct parse_phi *phi, struct operands *o)
{
	while (!parse_at_line_end(p)) {
		phi->labels = arena_grow(p->arena, phi->labels, &phi->capacity, phi->nlabels + 1,
					 sizeof(*phi->labels));
		if (!next_operand(p, o) || !parse_need_sign(p, '[') ||
		    !need_label(p, &phi->labels[phi->nlabels++]) || !parse_need_sign(p, ':') ||
		    !add_value(p, o) || !parse_need_sign(p, ']'))
			return false;
	}
	return true;
}

static bool parse_operands(struct parser *p, struct ir_inst *in, struct operands *o)
{
	uint16_t attributes = ir_ops[in->op].attributes;
	uint32_t nlabels = ir_successors(in->op);

	if (attributes & (A_MEM | A_SYMBOL | A_IMM | A_REG | A_FUNC)) {
		o->listed++;
		if (!(attributes & A_MEM      ? parse_memory(p, in, o)
		      : attributes & A_SYMBOL ? parse_symbol_operand(p, in)
		      : attributes & A_FUNC   ? parse_func_operand(p, in)
		      : attributes & A_IMM    ? parse_const(p, in)
					      : parse_reg(p, in)))
			return false;
	}
	while (nlabels ? o->listed < ir_ops[in->op].args : !parse_at_line_end(p))
		if (!next_operand(p, o) || !add_value(p, o))
			return false;
	for (; nlabels; nlabels--) {
		struct parse_edge e = {.from = p->block};

		if (!next_operand(p, o) || !need_label(p, &e.label))
			return false;
		p->edges = arena_grow(p->arena, p->edges, &p->edges_capacity, p->nedges + 1,
				      sizeof(*p->edges));
		p->edges[p->nedges++] = e;
	}
	return true;
}

/* ---- the line ---- */

struct results {
	struct ir_token tokens[IR_MAX_RESULTS];
	uint32_t count;
};

static bool parse_results(struct parser *p, struct results *r)
{
	if (p->lex.token.kind != LEX_VALUE)
		return true;
	do {
		if (p->lex.token.kind != LEX_VALUE || !p->lex.token.length)
			return parse_expected(p, "a value (%name)");
		if (r->count == IR_MAX_RESULTS)
			return parse_error(p, &p->lex.token, "more than %d results",
					   IR_MAX_RESULTS);
		if (!parse_define(p, &p->values, &p->lex.token))
			return false;
		r->tokens[r->count++] = p->lex.token;
		ir_lex_next(&p->lex);
	} while (parse_accept_sign(p, ','));
	return parse_need_sign(p, '=');
}

static bool add_inst(struct parser *p, const struct ir_inst *parsed, const struct operands *o,
		     const struct results *r, const struct ir_token *t, struct parse_phi *phi)
{
	struct ir_func *f = p->f;
	uint8_t need = ir_ops[parsed->op].results;
	struct ir_inst *in;
	ir_id i;

	if (need == IR_VARIADIC ? ir_ops[parsed->op].rule != R_CALL &&
					  (!r->count || r->count > ir_max_results(parsed->op))
				: r->count != need)
		return parse_error(p, t, "'%s' has %s results, not %u", ir_ops[parsed->op].text,
				   need == IR_VARIADIC
					   ? ir_max_results(parsed->op) > 4 ? "1 to 128" : "1 to 4"
					   : (const char *[]){"no", "1", "2"}[need],
				   r->count);
	i = ir_inst_new(f, parsed->op, parsed->type, o->values, o->count, r->count);
	in = ir_at(f, i);
	in->imm = parsed->imm;
	in->symbol = parsed->symbol;
	in->sub = parsed->sub;
	in->cond = parsed->cond;
	in->round = parsed->round;
	in->flags = parsed->flags;
	in->format = parsed->format;
	in->geometry = parsed->geometry;
	in->range = parsed->range;
	in->evict = parsed->evict;
	in->fetch = parsed->fetch;
	in->space = parsed->space;
	in->scope = parsed->scope;
	in->order = parsed->order;
	in->from = parsed->from;
	in->align = parsed->align;
	in->line = t->line;
	ir_append(f, p->block, i);
	if (ir_ops[in->op].attributes & A_FUNC)
		p->calls[in->symbol].inst = i;
	if (in->op == IR_PHI) {
		phi->inst = i;
		p->phis = arena_grow(p->arena, p->phis, &p->phis_capacity, p->nphis + 1,
				     sizeof(*p->phis));
		p->phis[p->nphis++] = *phi;
	}
	for (uint32_t k = 0; k < r->count; k++)
		parse_set_id(p, &p->values, &r->tokens[k], in->res + k);
	return true;
}

bool parse_inst(struct parser *p)
{
	struct operands o = {0};
	struct results r = {0};
	struct ir_token t;
	struct parse_phi phi = {0};
	struct ir_inst parsed = {0};
	enum ir_op op = IR_OP_COUNT;
	enum ir_type type = IR_VOID;

	if (!parse_results(p, &r))
		return false;
	t = phi.token = p->lex.token;
	if (!parse_op(p, &op, &type))
		return false;
	if (!p->block)
		return parse_error(p, &t, "'%s' precedes the first label", ir_ops[op].text);
	if (p->ended)
		return parse_error(p, &t,
				   "'%s' follows the end of its block; add a label before it",
				   ir_ops[op].text);
	p->ended = ir_ops[op].properties & P_TERM;
	parsed.op = op;
	parsed.type = type;
	if (ir_ops[op].attributes & A_MEM) {
		parsed.from = type;
		parsed.align = ir_type_bits(type) / 8;
	}
	if (ir_ops[op].attributes & A_WORDS && !parse_words(p, &parsed))
		return false;
	if (!(op == IR_PHI ? parse_phi(p, &phi, &o) : parse_operands(p, &parsed, &o)))
		return false;
	return add_inst(p, &parsed, &o, &r, &t, &phi);
}
