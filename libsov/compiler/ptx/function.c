// SPDX-License-Identifier: MIT
/*
 * Functions: .func (.param .b32 r) f (.param .b64 a, .param .align 8 .b8 s[24]) { … }. Parameters
 * and results are .param variables (lower_call.c) or, in older PTX, registers; each of their cells
 * is an argument or result of the IR function, except that large ones are passed by reference. A
 * function may be declared any number of times; if it is never defined, it is external. Prototypes
 * give the signature of indirect calls.
 */
#include <inttypes.h>
#include <string.h>
#include "libsov/compiler/ir/device_services.h"
#include "libsov/compiler/ptx/front_end.h"

/* A formal parameter or result. */
struct formal {
	struct ptx_token name;
	struct ptx_shape shape;
	bool is_register, is_named;
};

struct signature {
	struct formal *results, *args;
	uint32_t nresults, nargs;
	struct ptx_passing passing;
};

#define MAX_BYTES     (4 * IR_MAX_RESULTS) /* of all arguments, or results, that are values */
#define CROWDED_BYTES 16                   /* of each, if all have more together */
#define MAX_OBJECT    (512u << 10)         /* the local memory of a thread */

static uint32_t cells_of(const struct formal *f, enum ir_type *cell)
{
	bool scalar = !f->shape.ndimensions && f->shape.vector == 1 && f->shape.type->bits <= 64;

	*cell = scalar && f->shape.type->class != CLASS_PREDICATE ? f->shape.type->ir : IR_B32;
	return scalar ? 1 : (uint32_t)((ptx_shape_bytes(&f->shape) + 3) / 4);
}

/* ---- parsing ---- */

static bool at_keyword(const struct ptx *x, const char *word)
{
	return ptx_is_keyword(&x->token, word);
}

static void skip_pointer_attribute(struct ptx *x)
{
	uint32_t align;

	if (!at_keyword(x, ".ptr"))
		return;
	ptx_next(x);
	while (at_keyword(x, ".global") || at_keyword(x, ".shared") || at_keyword(x, ".const") ||
	       at_keyword(x, ".local"))
		ptx_next(x);
	if (at_keyword(x, ".align"))
		ptx_parse_align(x, &align);
}

static bool parse_formal(struct ptx *x, struct formal *f)
{
	f->is_register = at_keyword(x, ".reg");
	if (!f->is_register && !at_keyword(x, ".param")) {
		ptx_error(x, &x->token, "expected .param or .reg, found %s",
			  ptx_token_name(x, &x->token));
		return false;
	}
	ptx_next(x);
	f->shape = (struct ptx_shape){.count = 1};
	if (f->is_register && at_keyword(x, ".pred")) { /* passed as a number */
		if (x->job->options.relocatable) {
			ptx_error(
				x, &x->token,
				"a .pred cannot be passed in a relocatable object; pass a number");
			return false;
		}
		f->shape.type = ptx_type_find(".pred", 5);
		f->shape.vector = 1;
		ptx_next(x);
	} else if (!ptx_parse_type_spec(x, &f->shape) || ptx_reject_handle(x, &f->shape))
		return false;
	skip_pointer_attribute(x);
	f->name = x->token;
	f->is_named = ptx_accept(x, TOKEN_NAME);
	if (f->is_named && f->name.length == 1 && *f->name.text == '_')
		f->is_named = false;
	return f->shape.type->class == CLASS_PREDICATE || ptx_parse_dimensions(x, &f->shape);
}

/* "( … )", which may be absent. */
static bool parse_formals(struct ptx *x, struct formal **list, uint32_t *n)
{
	uint32_t capacity = 0;

	*n = 0;
	if (!ptx_accept(x, '(') || ptx_accept(x, ')'))
		return true;
	do {
		if (*n == IR_MAX_RESULTS) {
			ptx_error(x, &x->token, "more than %d parameters", IR_MAX_RESULTS);
			return false;
		}
		*list = arena_grow(x->arena, *list, &capacity, *n + 1, sizeof(**list));
		if (!parse_formal(x, &(*list)[(*n)++]))
			return false;
	} while (ptx_accept(x, ','));
	return ptx_expect(x, ')', "',' or ')'", "a parameter");
}

/* ---- passing by reference ---- */

/* Marks what is unsized or too large for registers, and if all formals are too many for them, each
 * of more than CROWDED_BYTES. Returns how many are by reference. */
static uint32_t find_references(struct ptx *x, const struct formal *list, uint32_t n,
				struct ptx_passed **out)
{
	struct ptx_passed *passed = arena_array(x->arena, n + 1, sizeof(*passed));
	uint32_t found = 0;
	uint64_t all = 0;

	for (uint32_t k = 0; k < n; k++)
		all += list[k].is_register ? 1 : (ptx_shape_bytes(&list[k].shape) + 3) / 4;
	for (uint32_t k = 0; k < n; k++) {
		uint64_t bytes = ptx_shape_bytes(&list[k].shape);

		if (list[k].is_register || (list[k].shape.count && bytes <= CROWDED_BYTES))
			continue;
		passed[k].by_reference = !list[k].shape.count || all > IR_MAX_RESULTS;
		passed[k].bytes = (uint32_t)bytes;
		found += passed[k].by_reference;
	}
	*out = passed;
	return found;
}

/* false: an error, reported. */
static bool find_passing(struct ptx *x, struct signature *sig)
{
	struct ptx_passing *p = &sig->passing;
	uint32_t found;

	for (uint32_t k = 0; k < sig->nargs + sig->nresults; k++) {
		const struct formal *f =
			k < sig->nargs ? &sig->args[k] : &sig->results[k - sig->nargs];

		if (k >= sig->nargs && !f->shape.count) {
			ptx_error(x, &f->name, "result '%.*s' has no size", TEXT(&f->name));
			return false;
		}
		if (f->is_register && !f->shape.count) {
			ptx_error(x, &f->name, "register '%.*s' has no size", TEXT(&f->name));
			return false;
		}
		if (ptx_shape_bytes(&f->shape) <= MAX_OBJECT)
			continue;
		ptx_error(x, &f->name, "a parameter or result has at most %u bytes", MAX_OBJECT);
		return false;
	}
	p->nargs = sig->nargs;
	p->nresults = sig->nresults;
	found = find_references(x, sig->args, sig->nargs, &p->args) +
		find_references(x, sig->results, sig->nresults, &p->results);
	if (!found || !x->job->options.relocatable)
		return true;
	ptx_error(x, sig->nargs ? &sig->args[0].name : &sig->results[0].name,
		  "parameters or results that are unsized or have more than %d bytes together are "
		  "not supported in relocatable objects; pass a pointer",
		  MAX_BYTES);
	return false;
}

static bool list_types(struct ptx *x, const struct formal *list, const struct ptx_passed *passed,
		       uint32_t n, uint8_t *types, uint32_t *count)
{
	for (uint32_t k = 0; k < n; k++) {
		enum ir_type cell;
		uint32_t cells = cells_of(&list[k], &cell);

		if (passed[k].by_reference)
			cells = 1;
		if (cells > IR_MAX_RESULTS - *count) {
			ptx_error(x, &list[k].name, "more than %d parameters or results",
				  IR_MAX_RESULTS);
			return false;
		}
		memset(types + *count, passed[k].by_reference ? IR_B32 : cell, cells);
		*count += cells;
	}
	return true;
}

/* The types of the IR function's arguments and results. */
static bool list_signature(struct ptx *x, const struct signature *sig, uint8_t *args,
			   uint32_t *nargs, uint8_t *results, uint32_t *nresults)
{
	struct formal values[IR_MAX_RESULTS];
	struct ptx_passed none[IR_MAX_RESULTS] = {{0}};
	uint32_t n = 0;

	*nargs = *nresults = 0;
	for (uint32_t k = 0; k < sig->nresults; k++) {
		if (sig->passing.results[k].by_reference)
			args[(*nargs)++] = IR_B32;
		else
			values[n++] = sig->results[k];
	}
	return list_types(x, sig->args, sig->passing.args, sig->nargs, args, nargs) &&
	       list_types(x, values, none, n, results, nresults);
}

/* Alignments by value, as in struct ir_func. NULL if any is passed by reference: relocatable
 * objects, the only reader, have none of those. */
static const uint8_t *list_aligns(struct ptx *x, const struct formal *list,
				  const struct ptx_passed *passed, uint32_t n, uint32_t count)
{
	uint8_t *aligns = arena_array(x->arena, count + 1, sizeof(*aligns));
	uint32_t at = 0;

	for (uint32_t k = 0; k < n; k++) {
		enum ir_type cell;
		uint32_t cells = cells_of(&list[k], &cell), align = list[k].shape.align;

		if (passed[k].by_reference)
			return NULL;
		if (cells == 1 && ir_type_bits(cell) / 8 > align)
			align = ir_type_bits(cell) / 8;
		aligns[at] = (uint8_t)(align ? align : 1);
		at += cells;
	}
	return aligns;
}

/* A letter for the type, and the number of an array's elements. */
static void append_formal(struct text *t, const struct formal *f)
{
	static const char letters[][2] = {
		[1] = "bb", [2] = "hh", [4] = "if", [8] = "ld", [16] = "xx"};
	const struct ptx_type *type = f->shape.type;

	text_printf(t, "%c", letters[type->bits / 8][type->class == CLASS_FLOAT]);
	if (f->shape.ndimensions)
		text_printf(t, "%" PRIu64, f->shape.count);
}

static const char *prototype_text(struct ptx *x, const struct signature *sig)
{
	struct text t = {.arena = x->arena};

	text_printf(&t, sig->nresults ? "#" : "#v");
	for (uint32_t k = 0; k < sig->nresults; k++)
		append_formal(&t, &sig->results[k]);
	for (uint32_t k = 0; k < sig->nargs; k++)
		append_formal(&t, &sig->args[k]);
	return t.s;
}

static struct ir_func *function_from_signature(struct ptx *x, const struct signature *sig,
					       enum ir_kind kind, const char *name)
{
	uint8_t args[IR_MAX_RESULTS], results[IR_MAX_RESULTS];
	uint32_t nargs, nresults;
	struct ir_func *f;

	if (!list_signature(x, sig, args, &nargs, results, &nresults))
		return NULL;
	f = ir_function_new(x->module, kind, name, args, nargs, results, nresults);
	f->arg_aligns = list_aligns(x, sig->args, sig->passing.args, sig->nargs, nargs);
	f->result_aligns =
		list_aligns(x, sig->results, sig->passing.results, sig->nresults, nresults);
	if (x->job->options.relocatable)
		f->prototype = prototype_text(x, sig);
	return f;
}

static bool same_passed(const struct ptx_passed *a, uint32_t na, const struct ptx_passed *b,
			uint32_t nb)
{
	for (uint32_t k = 0; k < na || k < nb; k++) {
		struct ptx_passed none = {0}, one = k < na ? a[k] : none,
				  other = k < nb ? b[k] : none;

		if (one.by_reference != other.by_reference ||
		    (one.by_reference && one.bytes != other.bytes))
			return false;
	}
	return true;
}

/* Whether a declaration agrees with an earlier one. */
static bool same_signature(struct ptx *x, const struct signature *sig, const struct ptx_name *n)
{
	const struct ptx_passing *a = &sig->passing, *b = n->passing;
	const struct ir_func *f = n->func;
	uint8_t args[IR_MAX_RESULTS], results[IR_MAX_RESULTS];
	uint32_t nargs, nresults;

	return list_signature(x, sig, args, &nargs, results, &nresults) && nargs == f->nargs &&
	       nresults == f->nresults && (!nargs || !memcmp(args, f->arg_types, nargs)) &&
	       (!nresults || !memcmp(results, f->result_types, nresults)) &&
	       same_passed(a->args, a->nargs, b->args, b->nargs) &&
	       same_passed(a->results, a->nresults, b->results, b->nresults);
}

/* ---- .param variables ---- */

static bool is_large(const struct formal *f)
{
	return !f->shape.count || ptx_shape_bytes(&f->shape) > MAX_BYTES;
}

/* A large object has memory, so that its cells are no registers. */
static struct ptx_name *declare_formal(struct ptx *x, const struct formal *f)
{
	struct ptx_name *n = ptx_declare(x, f->is_register ? NAME_REGISTER : NAME_OBJECT, &f->name);
	struct ptx_object *o;

	if (!n)
		return NULL;
	n->type = f->shape.type;
	if (f->is_register)
		return n;
	o = n->object = arena_alloc(x->arena, sizeof(*o));
	o->size = (uint32_t)ptx_shape_bytes(&f->shape);
	o->ncells = cells_of(f, &o->cell);
	if (is_large(f))
		return n;
	o->regs = arena_array(x->arena, o->ncells, sizeof(*o->regs));
	for (uint32_t k = 0; k < o->ncells; k++)
		o->regs[k] = ir_reg_new(x->func, o->cell);
	return n;
}

/* Zeroes the cells, so that a read may be wider than the preceding writes. */
static void clear_object(struct ptx *x, const struct ptx_object *o)
{
	if (o->local || o->reference) {
		ptx_copy_local(x, ptx_object_address(x, o), 0, 4 * o->ncells);
		return;
	}
	for (uint32_t k = 0; k < o->ncells; k++)
		ptx_cell_write(x, o, k, ptx_emit_constant(x, o->cell, 0));
}

/* PTX ISA, "Parameter State Space": a parameter whose address is taken is copied to the stack, and
 * the address is one of local memory. */
static void move_to_local(struct ptx *x, const struct ptx_name *n, uint32_t align)
{
	struct ptx_object *o = n->object;
	struct ir_symbol symbol = {
		.name = arena_printf(x->arena, "%.*s.%u", TEXT(n), x->module->nsymbols),
		.space = IR_LOCAL,
		.size = o->ncells * (ir_type_bits(o->cell) / 8),
		.align = align < 16 ? align : 16,
		.owner = x->func};

	if (symbol.align < ir_type_bits(o->cell) / 8)
		symbol.align = ir_type_bits(o->cell) / 8;
	o->local = ir_symbol_new(x->module, &symbol) + 1;
}

/* .param in a body: arguments and results of calls. */
void ptx_parse_param_variable(struct ptx *x)
{
	struct formal f = {.shape = {.count = 1}};
	struct ptx_name *n;

	do {
		if (!f.shape.type &&
		    (!ptx_parse_type_spec(x, &f.shape) || ptx_reject_handle(x, &f.shape)))
			break;
		f.name = x->token;
		f.shape.count = 1;
		f.shape.ndimensions = 0;
		if (!ptx_expect(x, TOKEN_NAME, "a name", "the type of .param") ||
		    !ptx_parse_dimensions(x, &f.shape))
			break;
		if (!f.shape.count || ptx_shape_bytes(&f.shape) > MAX_OBJECT) {
			ptx_error(x, &f.name, "'%.*s' must have from 1 to %u bytes", TEXT(&f.name),
				  MAX_OBJECT);
			ptx_declare(x, NAME_BAD, &f.name);
			break;
		}
		n = declare_formal(x, &f);
		if (!n)
			break;
		if (!x->block)
			ptx_set_block(x, ptx_block_new(x));
		if (is_large(&f))
			move_to_local(x, n, f.shape.align);
		clear_object(x, n->object);
		if (ptx_accept(x, ';'))
			return;
	} while (ptx_expect(x, ',', "',' or ';'", "a .param"));
	ptx_skip_statement(x);
}

/* ---- bodies ---- */

/* Marks the parameters that the body, which starts at the next token, names other than in brackets
 * after a comma, as loads do: it takes the parameter's address, passes it on, or stores to it. */
static void find_addresses(const struct ptx *x, const struct signature *sig, bool *taken)
{
	struct ptx_lexer l = x->lexer;
	struct ptx_token t = x->token;
	uint32_t depth = 0;
	int before = 0, earlier;

	l.diag = NULL;
	do {
		bool loaded;

		depth += t.kind == '{';
		depth -= t.kind == '}';
		earlier = before;
		before = t.kind;
		ptx_lex(&l, &t);
		loaded = before == '[' && earlier == ',';
		for (uint32_t k = 0; t.kind == TOKEN_NAME && !loaded && k < sig->nargs; k++)
			taken[k] |= t.length == sig->args[k].name.length &&
				    !memcmp(t.text, sig->args[k].name.text, t.length);
	} while (depth && t.kind != TOKEN_END);
}

/* An argument of the IR function. */
static ir_val read_arg(struct ptx *x, uint32_t number, enum ir_type t)
{
	ir_val v = ptx_op(x, IR_ARG, t, 0, 0, 0);

	ir_def(x->func, v)->imm = number;
	return v;
}

/* An object in the caller's local memory. */
static void bind_reference(struct ptx *x, struct ptx_object *o, uint32_t arg)
{
	ir_val v = read_arg(x, arg, IR_B32);
	uint32_t reg = ir_reg_new(x->func, IR_B32);

	ir_at(x->func, ptx_emit(x, IR_WRITE, IR_B32, 0, 1, &v))->symbol = reg;
	o->reference = reg + 1;
}

/* Zeroes the results. Those by reference are written where the caller wants them. */
static void bind_results(struct ptx *x, const struct signature *sig, uint32_t *arg)
{
	x->results = arena_array(x->arena, sig->nresults, sizeof(*x->results));
	for (uint32_t k = 0; k < sig->nresults; k++) {
		bool by_reference = sig->passing.results[k].by_reference;
		struct ptx_name *r = declare_formal(x, &sig->results[k]);

		if (by_reference)
			(*arg)++;
		if (!r)
			continue;
		if (by_reference)
			bind_reference(x, r->object, *arg - 1);
		else
			x->results[x->nresults++] = r;
		if (r->kind == NAME_OBJECT)
			clear_object(x, r->object);
		else
			ptx_write_register(x, r, ptx_emit_constant(x, r->type->ir, 0));
	}
}

/* The parameter is the caller's variable, or a copy of it if the function may write it. */
static void bind_argument_reference(struct ptx *x, struct ptx_name *a, const struct formal *f,
				    uint32_t arg, bool taken)
{
	ir_val from;

	if (!taken || !f->shape.count) {
		bind_reference(x, a->object, arg);
		return;
	}
	move_to_local(x, a, f->shape.align);
	from = read_arg(x, arg, IR_B32);
	ptx_copy_local(x, ptx_object_address(x, a->object), from, 4 * a->object->ncells);
}

/* Copies the IR arguments into the parameters. */
static void bind_formals(struct ptx *x, const struct signature *sig)
{
	bool taken[IR_MAX_RESULTS] = {false};
	uint32_t n = 0;

	if (sig->nargs)
		find_addresses(x, sig, taken);
	bind_results(x, sig, &n);
	for (uint32_t k = 0; k < sig->nargs; k++) {
		enum ir_type cell;
		uint32_t cells = cells_of(&sig->args[k], &cell);
		struct ptx_name *a =
			sig->args[k].is_named ? declare_formal(x, &sig->args[k]) : NULL;

		if (sig->passing.args[k].by_reference) {
			if (a)
				bind_argument_reference(x, a, &sig->args[k], n, taken[k]);
			n++;
			continue;
		}
		if (a && a->kind == NAME_OBJECT && taken[k])
			move_to_local(x, a, sig->args[k].shape.align);

		for (uint32_t c = 0; c < cells; c++, n++) {
			ir_val v;

			if (!a)
				continue;
			v = read_arg(x, n, cell);
			if (a->kind == NAME_OBJECT)
				ptx_cell_write(x, a->object, c, v);
			else
				ptx_write_register(x, a,
						   ptx_convert(x, IR_TRUNC, cell, a->type->ir, v));
		}
	}
}

static void parse_body(struct ptx *x, const struct signature *sig, struct ir_func *f)
{
	x->func = f;
	ptx_scope_open(x);
	ptx_set_block(x, ir_block_new(f, NULL));
	bind_formals(x, sig);
	ptx_parse_body(x);
	ptx_scope_close(x);
	x->nresults = 0;
}

/* .noreturn and performance directives between signature and body. */
static void skip_attributes(struct ptx *x)
{
	while (x->token.kind == TOKEN_KEYWORD || x->token.kind == TOKEN_INTEGER ||
	       x->token.kind == TOKEN_STRING)
		ptx_next(x);
}

/* The signature, in the arena, outlives the name. */
static struct ptx_name *declare_function(struct ptx *x, const struct signature *sig,
					 const struct ptx_token *t)
{
	struct ptx_name *n = ptx_lookup_innermost(x, t);

	if (n && (n->kind != NAME_FUNCTION || !n->func)) {
		ptx_error(x, t, "'%.*s' is already declared at %u:%u", TEXT(t), n->line, n->column);
		return NULL;
	}
	if (n && !same_signature(x, sig, n)) {
		ptx_error(x, t, "function '%.*s' has other parameters than at %u:%u", TEXT(t),
			  n->line, n->column);
		return NULL;
	}
	if (n)
		return n;
	n = ptx_declare(x, NAME_FUNCTION, t);
	n->passing = &sig->passing;
	n->func = function_from_signature(x, sig, IR_EXTERNAL,
					  arena_strndup(x->arena, t->text, t->length));
	if (!n->func)
		n->kind = NAME_BAD;
	return n->func ? n : NULL;
}

void ptx_parse_function(struct ptx *x)
{
	struct signature *sig = arena_alloc(x->arena, sizeof(*sig));
	struct ptx_name *n = NULL;
	struct ptx_token t;

	if (parse_formals(x, &sig->results, &sig->nresults)) {
		t = x->token;
		if (ptx_expect(x, TOKEN_NAME, "a name", ".func") &&
		    parse_formals(x, &sig->args, &sig->nargs) && find_passing(x, sig)) {
			skip_attributes(x);
			n = declare_function(x, sig, &t);
		}
	}
	if (!n) {
		ptx_skip_declaration(x);
		return;
	}
	if (ptx_accept(x, ';'))
		return;
	if (x->token.kind != '{') {
		ptx_expect(x, '{', "';' or '{'", "the head of a function");
		ptx_skip_declaration(x);
		return;
	}
	if (n->func->kind == IR_FUNCTION) {
		ptx_error(x, &t, "function '%.*s' has a body already, at %u:%u", TEXT(&t), n->line,
			  n->column);
		ptx_skip_declaration(x);
		return;
	}
	ir_func_define(n->func);
	n->func->linkage = x->linkage;
	x->linkage = IR_LINK_STATIC; /* of the variables in its body */
	parse_body(x, sig, n->func);
}

void ptx_parse_prototype(struct ptx *x, struct ptx_name *n)
{
	struct signature *sig = arena_alloc(x->arena, sizeof(*sig));
	const char *name = arena_printf(x->arena, "%s.%.*s", x->func->name, TEXT(n));

	if (parse_formals(x, &sig->results, &sig->nresults) &&
	    ptx_expect(x, TOKEN_NAME, "'_'", ".callprototype") &&
	    parse_formals(x, &sig->args, &sig->nargs) && find_passing(x, sig)) {
		skip_attributes(x);
		n->passing = &sig->passing;
		n->func = function_from_signature(x, sig, IR_PROTOTYPE, name);
		if (n->func && ptx_expect(x, ';', "';'", "a prototype"))
			return;
	}
	n->kind = NAME_BAD;
	ptx_skip_statement(x);
}

/* Redirects calls that precede the .alias directive. */
static void replace_calls(struct ir_module *m, const struct ir_func *of, const struct ir_func *with)
{
	for (struct ir_func *f = m->funcs; f; f = f->next)
		for (ir_id i = 1; i < f->ninsts; i++)
			if (ir_ops[f->insts[i].op].attributes & A_FUNC &&
			    f->insts[i].symbol == of->index)
				f->insts[i].symbol = with->index;
}

/* ".alias new, old;" */
void ptx_parse_alias(struct ptx *x)
{
	struct ptx_token t = x->token, old;
	struct ptx_name *n, *alias;

	if (ptx_expect(x, TOKEN_NAME, "a name", ".alias") &&
	    ptx_expect(x, ',', "','", "the name of an alias")) {
		old = x->token;
		if (ptx_expect(x, TOKEN_NAME, "a name", "','") &&
		    ptx_expect(x, ';', "';'", ".alias")) {
			n = ptx_lookup(x, &old);
			alias = ptx_lookup(x, &t);
			if (!n || n->kind != NAME_FUNCTION || !n->func)
				ptx_error(x, &old, "'%.*s' is no function", TEXT(&old));
			else if (alias && alias->kind != NAME_FUNCTION)
				ptx_error(x, &t, "'%.*s' is already declared at %u:%u", TEXT(&t),
					  alias->line, alias->column);
			else if (!alias)
				alias = ptx_declare(x, NAME_FUNCTION, &t);
			if (alias && alias->kind == NAME_FUNCTION && n && n->func) {
				if (alias->func)
					replace_calls(x->module, alias->func, n->func);
				alias->func = n->func;
				alias->passing = n->passing;
			}
			return;
		}
	}
	ptx_skip_declaration(x);
}

static bool is_missing(const struct ir_func *f)
{
	enum service s = f->kind == IR_EXTERNAL ? service_find(f->name) : SERVICES;

	return f->kind == IR_EXTERNAL && (s == SERVICES || !service_fits(s, f));
}

void ptx_check_externals(struct ptx *x)
{
	const struct ir_module *m = x->module;

	for (const struct ir_func *f = m->funcs; f; f = f->next)
		ir_for_each_block(f, b)
			ir_for_each_inst(f, b, i) {
				const struct ir_inst *in = ir_at(f, i);
				const struct ir_func *callee =
					in->op == IR_CALL ? m->table[in->symbol] : NULL;

				if (!callee || !is_missing(callee))
					continue;
				if (service_find(callee->name) != SERVICES)
					diag_error(x->diag, in->line, 0,
						   "'%s' is called with other parameters than the "
						   "device service of that name has",
						   callee->name);
				else
					diag_error(x->diag, in->line, 0,
						   "'%s' is called, but has no body: %s",
						   callee->name, service_lack(callee->name));
			}
}
