// SPDX-License-Identifier: MIT
/*
 * Parser of bodies: blocks in braces, declarations, labels, instructions with their predicate
 * guards. Each instruction is matched and lowered as soon as it is read, so a lookahead declares
 * the labels of a block before its first statement.
 */
#include <string.h>
#include "libsov/compiler/ptx/front_end.h"

/* ---- labels ---- */

static void declare_label(struct ptx *x, const struct ptx_token *t, ir_block before)
{
	const char *name = arena_strndup(x->arena, t->text, t->length);

	if (ptx_lookup_innermost(x, t))
		return; /* parse_label reports the duplicate */
	ptx_declare(x, NAME_LABEL, t)->block = ir_block_new_before(x->func, before, name);
}

/* "name: .branchtargets …" declares a list, not a label. */
static bool starts_target_list(const struct ptx_token *t)
{
	return ptx_is_keyword(t, ".branchtargets") || ptx_is_keyword(t, ".calltargets") ||
	       ptx_is_keyword(t, ".callprototype");
}

/* Declares the labels of the block that starts at the next token, excluding those of inner blocks,
 * and returns the number of its statements. */
static uint32_t declare_labels(struct ptx *x)
{
	ir_block before = x->func->blocks[x->last_block].next;
	struct ptx_lexer l = x->lexer;
	struct ptx_token t = x->token, name;
	uint32_t depth = 0, braces = 0, statements = 0;
	bool start = true; /* of a statement */

	l.diag = NULL;
	while (t.kind != TOKEN_END) {
		name = t;
		if (start && (ptx_is_keyword(&t, ".loc") || ptx_is_keyword(&t, ".file"))) {
			while (t.kind != TOKEN_END && t.line == name.line)
				ptx_lex(&l, &t);
			continue;
		}
		if (start && name.kind == TOKEN_NAME) {
			ptx_lex(&l, &t);
			start = t.kind == ':';
			if (!start)
				continue;
			ptx_lex(&l, &t);
			if (!depth && !starts_target_list(&t))
				declare_label(x, &name, before);
			continue;
		}
		if (name.kind == '{') {
			*(start ? &depth : &braces) += 1;
		} else if (name.kind == '}' && braces) {
			braces--;
		} else if (name.kind == '}') {
			if (!depth--)
				break;
			start = true;
		} else {
			start = name.kind == ';';
			statements += start;
			if (!start)
				ptx_lex_skip(&l);
		}
		ptx_lex(&l, &t);
	}
	return statements;
}

static void parse_label(struct ptx *x, const struct ptx_token *t)
{
	struct ptx_name *n = ptx_lookup_innermost(x, t);

	if (n->kind != NAME_LABEL || n->line != t->line || n->column != t->column) {
		ptx_error(x, t, "'%.*s' is already declared at %u:%u", TEXT(t), n->line, n->column);
		return;
	}
	if (x->block)
		ptx_jump(x, n->block);
	ptx_set_block(x, n->block);
}

/* ---- target lists ---- */

#define MAX_TARGETS 65536

/* After "a<" in the list: "4>" stands for a0 to a3. */
static bool parse_numbered_targets(struct ptx *x, struct ptx_name *n, uint32_t *capacity)
{
	struct ptx_token t = n->targets[--n->count], number = x->token;

	if (!ptx_expect(x, TOKEN_INTEGER, "a number of targets", "'<'") ||
	    !ptx_expect(x, '>', "'>'", "the number of targets"))
		return false;
	if (!number.integer || number.integer > MAX_TARGETS - n->count) {
		ptx_error(x, &number, "more than %d targets, or none", MAX_TARGETS);
		return false;
	}
	n->targets = arena_grow(x->arena, n->targets, capacity, n->count + (uint32_t)number.integer,
				sizeof(*n->targets));
	for (uint32_t k = 0; k < number.integer; k++) {
		struct ptx_token each = t;

		each.text = arena_printf(x->arena, "%.*s%u", TEXT(&t), k);
		each.length = (uint32_t)strlen(each.text);
		n->targets[n->count++] = each;
	}
	return true;
}

static bool parse_targets(struct ptx *x, struct ptx_name *n)
{
	uint32_t capacity = 0;

	do {
		if (n->count == MAX_TARGETS) {
			ptx_error(x, &x->token, "more than %d targets", MAX_TARGETS);
			return false;
		}
		n->targets = arena_grow(x->arena, n->targets, &capacity, n->count + 1,
					sizeof(*n->targets));
		n->targets[n->count++] = x->token;
		if (!ptx_expect(x, TOKEN_NAME, "a name", "a list of targets"))
			return false;
		if (ptx_accept(x, '<') && !parse_numbered_targets(x, n, &capacity))
			return false;
	} while (ptx_accept(x, ','));
	return ptx_expect(x, ';', "',' or ';'", "a target");
}

/* The first function of .calltargets determines the signature of all. */
static void set_signature(struct ptx *x, struct ptx_name *n)
{
	const struct ptx_name *first = ptx_lookup(x, &n->targets[0]);
	const struct ir_func *f = first && first->kind == NAME_FUNCTION ? first->func : NULL;
	const char *name = arena_printf(x->arena, "%s.%.*s", x->func->name, TEXT(n));

	if (!f) {
		ptx_error(x, &n->targets[0], "'%.*s' is no function", TEXT(&n->targets[0]));
		n->kind = NAME_BAD;
		return;
	}
	n->func = ir_function_new(x->module, IR_PROTOTYPE, name, f->arg_types, f->nargs,
				  f->result_types, f->nresults);
	n->passing = first->passing;
}

static void parse_target_list(struct ptx *x, const struct ptx_token *t)
{
	struct ptx_token kind = x->token;
	bool branches = ptx_is_keyword(&kind, ".branchtargets");
	struct ptx_name *n = ptx_declare(x, branches ? NAME_TARGETS : NAME_CALLEES, t);

	ptx_next(x);
	if (n && ptx_is_keyword(&kind, ".callprototype")) {
		ptx_parse_prototype(x, n);
	} else if (!n || !parse_targets(x, n)) {
		if (n)
			n->kind = NAME_BAD;
		ptx_skip_statement(x);
	} else if (!branches) {
		set_signature(x, n);
	}
}

/* ---- instructions ---- */

static bool parse_guard(struct ptx *x, struct ptx_inst *in)
{
	struct ptx_token t;

	in->guard_negated = ptx_accept(x, '!');
	t = x->token;
	if (!ptx_expect(x, TOKEN_NAME, "a predicate", in->guard_negated ? "'@!'" : "'@'"))
		return false;
	in->guard = ptx_lookup(x, &t);
	if (!in->guard) {
		ptx_report_undeclared(x, &t, "predicate");
		return false;
	}
	if (in->guard->kind == NAME_REGISTER && in->guard->type->class == CLASS_PREDICATE)
		return true;
	if (in->guard->kind != NAME_BAD)
		ptx_error(x, &t, "guard '%.*s' is not a predicate", TEXT(&t));
	return false;
}

static void parse_instruction(struct ptx *x, struct ptx_inst *in)
{
	if (in->name.length == 4 && !memcmp(in->name.text, "call", 4)) {
		while (ptx_accept(x, TOKEN_KEYWORD)) /* .uni */
			;
		ptx_call_statement(x, in);
		return;
	}
	while (x->token.kind == TOKEN_KEYWORD) {
		if (in->nmodifiers == PTX_MAX_MODIFIERS) {
			ptx_error(x, &x->token, "more than %d modifiers", PTX_MAX_MODIFIERS);
			ptx_skip_statement(x);
			return;
		}
		in->modifiers[in->nmodifiers++] = x->token;
		ptx_next(x);
	}
	if (!ptx_match_modifiers(x, in) || !ptx_parse_operands(x, in)) {
		ptx_skip_statement(x);
		return;
	}
	if (ptx_match_operands(x, in))
		ptx_lower(x, in);
}

/* ---- statements ---- */

static void parse_block(struct ptx *x);

/* "nounroll" applies to the loop that starts with this block; other pragmas are ignored. */
static void parse_pragma(struct ptx *x)
{
	static const char nounroll[] = "nounroll";

	if (x->block && x->token.kind == TOKEN_STRING && x->token.length == strlen(nounroll) &&
	    !memcmp(x->token.text, nounroll, strlen(nounroll)))
		x->func->blocks[x->block].rolled = true;
	ptx_skip_statement(x);
}

static void parse_directive(struct ptx *x)
{
	struct ptx_token t = x->token;

	if (ptx_is_keyword(&t, ".loc") || ptx_is_keyword(&t, ".file")) {
		*(t.text + 1) == 'l' ? ptx_parse_loc(x) : ptx_parse_file(x);
		return;
	}
	ptx_next(x);
	if (ptx_is_keyword(&t, ".reg")) {
		ptx_parse_registers(x);
	} else if (ptx_is_keyword(&t, ".shared")) {
		ptx_parse_variables(x, IR_SHARED, false);
	} else if (ptx_is_keyword(&t, ".local")) {
		ptx_parse_variables(x, IR_LOCAL, false);
	} else if (ptx_is_keyword(&t, ".global")) {
		ptx_parse_variables(x, IR_GLOBAL, false);
	} else if (ptx_is_keyword(&t, ".const")) {
		ptx_parse_variables(x, IR_CONSTANT, false);
	} else if (ptx_is_keyword(&t, ".pragma")) {
		parse_pragma(x);
	} else if (ptx_is_keyword(&t, ".param")) {
		ptx_parse_param_variable(x);
	} else {
		ptx_error(x, &t,
			  "unknown directive '%.*s' in a kernel; known: .reg .param .shared "
			  ".local .global .const .pragma .loc .file",
			  TEXT(&t));
		ptx_skip_statement(x);
	}
}

static void parse_statement(struct ptx *x)
{
	struct ptx_inst in = {0};

	x->braces = 0;
	if (x->token.kind == '{') {
		parse_block(x);
		return;
	}
	if (x->token.kind == TOKEN_KEYWORD) {
		parse_directive(x);
		return;
	}
	if (ptx_accept(x, ';'))
		return;
	if (ptx_accept(x, '@') && !parse_guard(x, &in)) {
		ptx_skip_statement(x);
		return;
	}
	in.name = x->token;
	if (in.name.kind != TOKEN_NAME) {
		if (in.name.kind != TOKEN_BAD)
			ptx_error(x, &in.name, "expected an instruction, found %s",
				  ptx_token_name(x, &in.name));
		ptx_skip_statement(x);
		return;
	}
	ptx_next(x);
	if (!in.guard && ptx_accept(x, ':'))
		starts_target_list(&x->token) ? parse_target_list(x, &in.name)
					      : parse_label(x, &in.name);
	else
		parse_instruction(x, &in);
}

static void parse_statements(struct ptx *x, const struct ptx_token *open)
{
	uint32_t statements = declare_labels(x);

	if (!x->blocks) /* a statement becomes up to 3 IR instructions */
		ir_func_reserve(x->func, statements * 3);
	while (x->token.kind != '}' && x->token.kind != TOKEN_END)
		parse_statement(x);
	if (ptx_accept(x, '}') || x->lexer.truncated)
		return;
	ptx_error(x, open, "'{' is not closed; '}' is missing");
	x->lexer.truncated = true; /* report only the innermost block */
}

static void parse_block(struct ptx *x)
{
	struct ptx_token open = x->token;

	if (x->blocks == PTX_MAX_DEPTH) {
		ptx_error(x, &open, "blocks are nested deeper than %d", PTX_MAX_DEPTH);
		x->lexer.at = x->lexer.end; /* the rest would only cause follow-up errors */
		x->lexer.truncated = true;
		ptx_next(x);
		return;
	}
	ptx_next(x);
	x->blocks++;
	ptx_scope_open(x);
	parse_statements(x, &open);
	ptx_scope_close(x);
	x->blocks--;
}

void ptx_parse_body(struct ptx *x)
{
	static const char carry[] = "CC.CF"; /* the dot keeps it distinct from PTX names */
	struct ptx_token open = x->token, flag = {.text = carry, .length = sizeof(carry) - 1};

	ptx_next(x);
	x->carry = ptx_declare(x, NAME_REGISTER, &flag);
	x->carry->type = ptx_type_find(".pred", 5);
	parse_statements(x, &open);
	x->line = 0;
	if (x->block)
		ptx_lower_ret(x, NULL);
	x->func = NULL;
}
