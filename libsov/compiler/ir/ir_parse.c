// SPDX-License-Identifier: MIT
/*
 * Parser of IR text. Each line is one item: a variable, a function head, a label, an instruction, a
 * closing brace. After an error the parser skips the rest of the line and continues, so that it
 * reports all errors of a file.
 */
#include <stdio.h>
#include <string.h>
#include "libsov/compiler/ir/cluster.h"
#include "libsov/compiler/ir/ir_parse.h"

/* ---- tokens ---- */

bool parse_error(struct parser *p, const struct ir_token *where, const char *fmt, ...)
{
	va_list ap;
	char message[400];

	va_start(ap, fmt);
	vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	diag_error(p->lex.diag, where->line, where->column, "%s", message);
	return false;
}

bool parse_at_sign(const struct parser *p, char sign)
{
	return p->lex.token.kind == LEX_SIGN && p->lex.token.number == (uint8_t)sign;
}

bool parse_at_word(const struct parser *p, const char *word)
{
	const struct ir_token *t = &p->lex.token;

	return t->kind == LEX_WORD && t->length == strlen(word) && !memcmp(t->s, word, t->length);
}

bool parse_at_line_end(const struct parser *p)
{
	return p->lex.token.kind == LEX_LINE || p->lex.token.kind == LEX_END;
}

bool parse_expected(struct parser *p, const char *what)
{
	char buffer[40];

	return parse_error(p, &p->lex.token, "expected %s, not %s", what,
			   ir_lex_describe(&p->lex.token, buffer));
}

bool parse_accept_sign(struct parser *p, char sign)
{
	bool found = parse_at_sign(p, sign);

	if (found)
		ir_lex_next(&p->lex);
	return found;
}

bool parse_accept_word(struct parser *p, const char *word)
{
	bool found = parse_at_word(p, word);

	if (found)
		ir_lex_next(&p->lex);
	return found;
}

bool parse_need_sign(struct parser *p, char sign)
{
	return parse_accept_sign(p, sign) || parse_expected(p, (char[]){'\'', sign, '\'', 0});
}

bool parse_need_word(struct parser *p, const char *word)
{
	return parse_accept_word(p, word) ||
	       parse_expected(p, arena_printf(p->arena, "'%s'", word));
}

bool parse_need_number(struct parser *p, const char *what, uint64_t max, uint64_t *number)
{
	const struct ir_token *t = &p->lex.token;

	if (t->kind != LEX_NUMBER)
		return parse_expected(p, what);
	if (t->number > max)
		return parse_error(p, t, "%s is above %llu", what, (unsigned long long)max);
	*number = t->number;
	ir_lex_next(&p->lex);
	return true;
}

bool parse_need_u32(struct parser *p, const char *what, uint32_t *number)
{
	uint64_t wide = 0;

	if (!parse_need_number(p, what, UINT32_MAX, &wide))
		return false;
	*number = (uint32_t)wide;
	return true;
}

bool parse_need_name(struct parser *p, const char *what, const char **name)
{
	const struct ir_token *t = &p->lex.token;

	if ((t->kind != LEX_WORD && t->kind != LEX_STRING) || !t->length)
		return parse_expected(p, what);
	*name = arena_strndup(p->arena, t->s, t->length);
	ir_lex_next(&p->lex);
	return true;
}

/* ---- names of values and labels ---- */

uint32_t parse_use(struct parser *p, struct parse_names *names, const struct ir_token *t)
{
	uint32_t *index = name_map_get(&names->index, t->s, t->length);

	if (!*index) {
		if (!names->count)
			names->count = 1;
		names->list = arena_grow(p->arena, names->list, &names->capacity, names->count + 1,
					 sizeof(*names->list));
		names->list[names->count] = (struct parse_name){.first = *t};
		*index = names->count++;
	}
	return *index;
}

bool parse_define(struct parser *p, struct parse_names *names, const struct ir_token *t)
{
	uint32_t k = parse_use(p, names, t);
	char buffer[40];

	if (names->list[k].defined)
		return parse_error(p, t, "%s is defined twice", ir_lex_describe(t, buffer));
	names->list[k].defined = true;
	return true;
}

void parse_set_id(struct parser *p, struct parse_names *names, const struct ir_token *t,
		  uint32_t id)
{
	names->list[parse_use(p, names, t)].id = id;
}

/* ---- end of a function: resolve names to ids ---- */

static bool check_defined(struct parser *p, const struct parse_names *names, const char *what)
{
	bool good = true;
	char buffer[40];

	for (uint32_t k = 1; k < names->count; k++)
		if (!names->list[k].defined)
			good = parse_error(p, &names->list[k].first,
					   "%s %s is used but not defined", what,
					   ir_lex_describe(&names->list[k].first, buffer));
	return good;
}

/* Reorders the arguments to the order of the predecessors. */
static void resolve_phi(struct parser *p, const struct parse_phi *phi)
{
	struct ir_inst *in = ir_at(p->f, phi->inst);
	const struct ir_bb *bb = &p->f->blocks[in->block];
	ir_val *args = arena_array(p->arena, bb->npreds, sizeof(*args));

	if (in->nargs != bb->npreds) {
		parse_error(p, &phi->token,
			    "phi has %u arguments, but its block has %u predecessors", in->nargs,
			    bb->npreds);
		return;
	}
	for (uint32_t k = 0; k < bb->npreds; k++) {
		uint32_t j = 0;

		while (j < phi->nlabels &&
		       (!phi->labels[j] || p->labels.list[phi->labels[j]].id != bb->preds[k]))
			j++;
		if (j == phi->nlabels) {
			parse_error(p, &phi->token, "phi has no argument for the predecessor %s",
				    ir_text_block(p->f, bb->preds[k]));
			return;
		}
		args[k] = in->args[j];
		phi->labels[j] = 0; /* used: two edges from one block have an argument each */
	}
	in->args = args;
}

static void finish_func(struct parser *p)
{
	struct ir_func *f = p->f;
	bool good = check_defined(p, &p->values, "value");

	good &= check_defined(p, &p->labels, "label");
	if (!good || p->lex.diag->errors != p->errors)
		return;
	for (uint32_t k = 0; k < p->nedges; k++)
		ir_edge(f, p->edges[k].from, p->labels.list[p->edges[k].label].id);
	for (ir_id i = 1; i < f->ninsts; i++)
		for (uint32_t k = 0; k < f->insts[i].nargs; k++)
			f->insts[i].args[k] = p->values.list[f->insts[i].args[k]].id;
	for (uint32_t k = 0; k < p->nphis; k++)
		resolve_phi(p, &p->phis[k]);
	f->ssa = f->nregs == 1;
}

/* ---- kernels and functions ---- */

/* A word followed by a colon is a label. */
static bool at_label(const struct parser *p)
{
	return p->lex.token.kind == LEX_WORD && ir_lex_peek(&p->lex) == ':';
}

static bool parse_label(struct parser *p)
{
	const struct ir_token t = p->lex.token;

	ir_lex_next(&p->lex);
	ir_lex_next(&p->lex);
	p->block = ir_block_new(p->f, arena_strndup(p->arena, t.s, t.length));
	p->ended = false;
	p->f->blocks[p->block].rolled = parse_accept_word(p, "rolled");
	if (!parse_define(p, &p->labels, &t))
		return false;
	parse_set_id(p, &p->labels, &t, p->block);
	return true;
}

static void skip_line(struct parser *p)
{
	while (!parse_at_line_end(p))
		ir_lex_next(&p->lex);
	ir_lex_next(&p->lex);
}

/* Local variables of a function precede its first label. */
static bool at_variable(const struct parser *p)
{
	return parse_at_word(p, ir_space_names[IR_LOCAL]);
}

static void end_line(struct parser *p, bool good)
{
	if (good && !parse_at_line_end(p))
		parse_expected(p, "the end of the line");
	skip_line(p);
}

static bool parse_symbol(struct parser *p);

/* Parses from the head's name to the closing brace. */
static void parse_body(struct parser *p, const struct ir_token head, bool good)
{
	p->block = 0;
	p->ended = false;
	p->values = p->labels = (struct parse_names){.index.arena = p->arena};
	p->regs = (struct name_map){.arena = p->arena};
	p->nedges = p->nphis = 0;
	end_line(p, good);
	if (!p->f)
		/* after an error in the head, continue to find more */
		p->f = ir_func_new(p->module, "?");
	while (!parse_at_sign(p, '}')) {
		if (p->lex.token.kind == LEX_END) {
			parse_error(p, &head, "%s %s has no closing brace",
				    p->f->kind == IR_KERNEL ? "kernel" : "function", p->f->name);
			return;
		}
		end_line(p,
			 parse_at_line_end(p) || (at_label(p)                   ? parse_label(p)
						  : !p->block && at_variable(p) ? parse_symbol(p)
										: parse_inst(p)));
	}
	ir_lex_next(&p->lex);
	end_line(p, true);
	finish_func(p);
}

/* ---- variables ---- */

static bool parse_symbol(struct parser *p)
{
	struct ir_symbol s = {.external = p->external, .owner = p->f};
	uint8_t *bytes = NULL;
	uint32_t count = 0, *index;
	struct ir_token name;

	while (s.space < IR_SPACE_COUNT && !parse_accept_word(p, ir_space_names[s.space]))
		s.space++;
	if (s.space == IR_SPACE_COUNT)
		return parse_expected(p, "'kernel' or a variable's space");
	if (!parse_need_sign(p, '@'))
		return false;
	name = p->lex.token;
	if (!parse_need_name(p, "a variable's name", &s.name) || !parse_need_word(p, "align") ||
	    !parse_need_u32(p, "an alignment", &s.align) || !parse_need_word(p, "size") ||
	    !parse_need_number(p, "a size in bytes", UINT64_MAX, &s.size))
		return false;
	s.logical = parse_accept_word(p, "logical");
	if (parse_at_sign(p, '=')) {
		if (!ir_lex_bytes(&p->lex, &bytes, &count))
			return false;
		if (count != s.size)
			return parse_error(p, &name,
					   "@%s has a size of %llu bytes, but %u are given", s.name,
					   (unsigned long long)s.size, count);
		s.init = bytes;
	}
	index = name_map_get(&p->symbols, s.name, (uint32_t)strlen(s.name));
	if (*index)
		return parse_error(p, &name, "@%s is defined twice", s.name);
	*index = ir_symbol_new(p->module, &s) + 1;
	return true;
}

/* Parses one item of a module: a kernel or function with its body, or a line. */
static void parse_item(struct parser *p)
{
	struct ir_token head;
	bool good, preserve_all, body = false;

	p->f = NULL;
	p->errors = p->lex.diag->errors;
	p->external = parse_accept_word(p, "external");
	head = p->lex.token;
	if (!p->external && parse_accept_word(p, "kernel")) {
		head = p->lex.token;
		parse_body(p, head, parse_kernel_head(p));
		return;
	}
	if (p->external && parse_accept_word(p, "kernel")) {
		end_line(p, parse_external_kernel(p));
		return;
	}
	preserve_all = !p->external && parse_accept_word(p, "preserve_all");
	if (parse_accept_word(p, "function")) {
		head = p->lex.token;
		good = parse_function_head(p, p->external, preserve_all, &body);
		if (body)
			parse_body(p, head, good);
		else
			end_line(p, good);
	} else if (preserve_all) {
		end_line(p, parse_error(p, &head, "'preserve_all' may only precede 'function'"));
	} else if (!p->external && parse_accept_word(p, "prototype")) {
		end_line(p, parse_prototype(p));
	} else if (!p->external && parse_accept_word(p, "address")) {
		end_line(p, parse_address(p));
	} else {
		end_line(p, (!p->external && parse_at_line_end(p)) || parse_symbol(p));
	}
}

struct ir_module *ir_parse(struct arena *a, const char *text, size_t length, struct diag *d)
{
	struct parser p = {
		.arena = a, .module = ir_module_new(a), .symbols.arena = a, .funcs.arena = a};
	uint32_t errors = d->errors;

	if (length > UINT32_MAX) {
		diag_error(d, 0, 0, "the text is longer than 4 GiB");
		return NULL;
	}
	ir_lex_init(&p.lex, text, length, d);
	while (p.lex.token.kind != LEX_END)
		parse_item(&p);
	if (d->errors == errors)
		parse_resolve(&p);
	p.module->clusters = ir_names_clusters(p.module);
	return d->errors == errors ? p.module : NULL;
}
