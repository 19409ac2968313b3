// SPDX-License-Identifier: MIT
/*
 * What stands in a kernel or function: blocks in braces, declarations, labels, instructions with their guards.
 * Each instruction is matched against the table and lowered as soon as it is read, so the labels of
 * a block are looked for before its first statement.
 */
#include <string.h>
#include "libsov/compiler/ptx/front_end.h"

/* ---- labels ---- */

static void declare_label(struct ptx *x, const struct ptx_token *t, ir_block before)
{
	const char *name = arena_strndup(x->arena, t->text, t->length);

	if (ptx_find_here(x, t))
		return; /* reported when the label itself is read */
	ptx_declare(x, NAME_LABEL, t)->block = ir_block_new_before(x->func, before, name);
}

/* "name: .branchtargets …" is no label. */
static bool begins_list(const struct ptx_token *t)
{
	return ptx_is_word(t, ".branchtargets") || ptx_is_word(t, ".calltargets") ||
	       ptx_is_word(t, ".callprototype");
}

/* Declares the labels of the block that begins at the next token, and counts its statements. Labels of
 * inner blocks are theirs. */
static uint32_t find_labels(struct ptx *x)
{
	ir_block before = x->func->blocks[x->place].next;
	struct ptx_lexer l = x->lexer;
	struct ptx_token t = x->token, name;
	uint32_t depth = 0, braces = 0, statements = 0;
	bool start = true; /* of a statement */

	l.diag = NULL;
	while (t.kind != TOKEN_END) {
		name = t;
		if (start && (ptx_is_word(&t, ".loc") || ptx_is_word(&t, ".file"))) {
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
			if (!depth && !begins_list(&t))
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
				ptx_lex_over(&l);
		}
		ptx_lex(&l, &t);
	}
	return statements;
}

static void parse_label(struct ptx *x, const struct ptx_token *t)
{
	struct ptx_name *n = ptx_find_here(x, t);

	if (n->kind != NAME_LABEL || n->line != t->line || n->column != t->column) {
		ptx_error(x, t, "'%.*s' is already declared at %u:%u", TEXT(t), n->line, n->column);
		return;
	}
	if (x->block)
		ptx_jump(x, n->block);
	ptx_place(x, n->block);
}

/* ---- lists of targets ---- */

#define MAX_TARGETS 65536

static bool parse_names(struct ptx *x, struct ptx_name *n)
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
	} while (ptx_take(x, ','));
	return ptx_expect(x, ';', "',' or ';'", "a target");
}

/* Of .calltargets the first tells what all of them look like. */
static void find_signature(struct ptx *x, struct ptx_name *n)
{
	const struct ptx_name *first = ptx_find(x, &n->targets[0]);
	const struct ir_func *f = first && first->kind == NAME_FUNCTION ? first->func : NULL;
	const char *name = arena_printf(x->arena, "%s.%.*s", x->func->name, TEXT(n));

	if (!f) {
		ptx_error(x, &n->targets[0], "'%.*s' is no function", TEXT(&n->targets[0]));
		n->kind = NAME_BAD;
		return;
	}
	n->func = ir_function_new(x->module, IR_PROTOTYPE, name, f->arg_types, f->nargs,
				  f->result_types, f->nresults);
}

static void parse_list(struct ptx *x, const struct ptx_token *t)
{
	struct ptx_token kind = x->token;
	bool branches = ptx_is_word(&kind, ".branchtargets");
	struct ptx_name *n = ptx_declare(x, branches ? NAME_TARGETS : NAME_CALLEES, t);

	ptx_next(x);
	if (n && ptx_is_word(&kind, ".callprototype")) {
		ptx_prototype(x, n);
	} else if (!n || !parse_names(x, n)) {
		if (n)
			n->kind = NAME_BAD;
		ptx_skip_statement(x);
	} else if (!branches) {
		find_signature(x, n);
	}
}

/* ---- instructions ---- */

static bool parse_guard(struct ptx *x, struct ptx_inst *in)
{
	struct ptx_token t;

	in->guard_negated = ptx_take(x, '!');
	t = x->token;
	if (!ptx_expect(x, TOKEN_NAME, "a predicate", in->guard_negated ? "'@!'" : "'@'"))
		return false;
	in->guard = ptx_find(x, &t);
	if (!in->guard) {
		ptx_undeclared(x, &t, "predicate");
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
		while (ptx_take(x, TOKEN_WORD)) /* .uni */
			;
		ptx_call(x, in);
		return;
	}
	while (x->token.kind == TOKEN_WORD) {
		if (in->nwords == PTX_MAX_WORDS) {
			ptx_error(x, &x->token, "more than %d modifiers", PTX_MAX_WORDS);
			ptx_skip_statement(x);
			return;
		}
		in->words[in->nwords++] = x->token;
		ptx_next(x);
	}
	if (!ptx_match_words(x, in) || !ptx_operands(x, in)) {
		ptx_skip_statement(x);
		return;
	}
	if (ptx_match_operands(x, in))
		ptx_lower(x, in);
}

/* ---- statements ---- */

static void parse_block(struct ptx *x);

/* "nounroll" speaks of the loop that begins with this block; other advice is not taken. */
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

	if (ptx_is_word(&t, ".loc") || ptx_is_word(&t, ".file")) {
		*(t.text + 1) == 'l' ? ptx_place_in_source(x) : ptx_file(x);
		return;
	}
	ptx_next(x);
	if (ptx_is_word(&t, ".reg")) {
		ptx_register_declaration(x);
	} else if (ptx_is_word(&t, ".shared")) {
		ptx_variable_declaration(x, IR_SHARED, false);
	} else if (ptx_is_word(&t, ".local")) {
		ptx_variable_declaration(x, IR_LOCAL, false);
	} else if (ptx_is_word(&t, ".global")) {
		ptx_variable_declaration(x, IR_GLOBAL, false);
	} else if (ptx_is_word(&t, ".const")) {
		ptx_variable_declaration(x, IR_CONSTANT, false);
	} else if (ptx_is_word(&t, ".pragma")) {
		parse_pragma(x);
	} else if (ptx_is_word(&t, ".param")) {
		ptx_argument(x);
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
	if (x->token.kind == TOKEN_WORD) {
		parse_directive(x);
		return;
	}
	if (ptx_take(x, ';'))
		return;
	if (ptx_take(x, '@') && !parse_guard(x, &in)) {
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
	if (!in.guard && ptx_take(x, ':'))
		begins_list(&x->token) ? parse_list(x, &in.name) : parse_label(x, &in.name);
	else
		parse_instruction(x, &in);
}

static void parse_statements(struct ptx *x, const struct ptx_token *open)
{
	uint32_t statements = find_labels(x);

	if (!x->blocks) /* most become an operation, its result's way into a register, and a bit */
		ir_func_reserve(x->func, statements * 5 / 2);
	while (x->token.kind != '}' && x->token.kind != TOKEN_END)
		parse_statement(x);
	if (ptx_take(x, '}') || x->lexer.cut)
		return;
	ptx_error(x, open, "'{' is not closed; '}' is missing");
	x->lexer.cut = true; /* said once, for the innermost */
}

static void parse_block(struct ptx *x)
{
	struct ptx_token open = x->token;

	if (x->blocks == PTX_MAX_DEPTH) {
		ptx_error(x, &open, "blocks are nested deeper than %d", PTX_MAX_DEPTH);
		x->lexer.at = x->lexer.end; /* what follows could only be misread */
		x->lexer.cut = true;
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

void ptx_body(struct ptx *x)
{
	static const char carry[] = "CC.CF"; /* no name of PTX has a dot */
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
