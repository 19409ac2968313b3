// SPDX-License-Identifier: MIT
/*
 * Declarations of registers and variables: .reg .b32 %r<15>, .shared .align 16 .f32 tile[32][33].
 * Registers are entries of the symbol table only; variables become symbols of the module.
 */
#include <string.h>
#include "libsov/compiler/ptx/front_end.h"

/* ---- types and sizes ---- */

bool ptx_parse_align(struct ptx *x, uint32_t *align)
{
	struct ptx_token t;
	uint64_t n;

	ptx_next(x);
	t = x->token;
	if (!ptx_parse_integer(x, "alignment", 1, PTX_MAX_ALIGN, &n))
		return false;
	*align = (uint32_t)n;
	if (!(n & (n - 1)))
		return true;
	ptx_error(x, &t, "alignment %u is not a power of two", *align);
	return false;
}

/* Whether variables may have the type; some exist for conversions alone. */
static bool is_declarable(const struct ptx_type *t)
{
	return t->format < IR_TF32 && (t->bits >= 8 || t->class == CLASS_PREDICATE);
}

static const struct ptx_type *parse_type(struct ptx *x)
{
	struct ptx_token t = x->token;
	const struct ptx_type *type =
		t.kind == TOKEN_KEYWORD ? ptx_type_find(t.text, t.length) : NULL;
	struct text known = {.arena = x->arena};

	if (type && is_declarable(type)) {
		ptx_next(x);
		return type;
	}
	if (t.kind == TOKEN_BAD)
		return NULL;
	for (uint32_t i = 0; i < ptx_type_count; i++)
		if (is_declarable(&ptx_types[i]))
			text_printf(&known, " %s", ptx_types[i].name);
	if (t.kind == TOKEN_KEYWORD)
		ptx_error(x, &t, "unknown type '%.*s'; known:%s", TEXT(&t), known.s);
	else
		ptx_error(x, &t, "expected a type, found %s", ptx_token_name(x, &t));
	return NULL;
}

/* .attribute(.managed), .attribute(.unified(…)): for the host; the code is the same. */
static void skip_attribute(struct ptx *x)
{
	uint32_t depth = 0;

	if (!ptx_is_keyword(&x->token, ".attribute"))
		return;
	ptx_next(x);
	do {
		depth += x->token.kind == '(';
		depth -= x->token.kind == ')' && depth;
		if (x->token.kind == ';' || x->token.kind == TOKEN_END)
			return;
		ptx_next(x);
	} while (depth);
}

bool ptx_parse_type_spec(struct ptx *x, struct ptx_shape *s)
{
	struct ptx_token t;

	skip_attribute(x);
	if (ptx_is_keyword(&x->token, ".align") && !ptx_parse_align(x, &s->align))
		return false;
	s->vector = 1;
	if (ptx_is_keyword(&x->token, ".v2") || ptx_is_keyword(&x->token, ".v4")) {
		s->vector = (uint32_t)(x->token.text[2] - '0');
		ptx_next(x);
	}
	t = x->token;
	s->handle = ptx_is_keyword(&t, ".texref") || ptx_is_keyword(&t, ".surfref");
	if (s->handle) {
		s->type = ptx_type_find(".b64", 4);
		ptx_next(x);
	} else {
		s->type = parse_type(x);
	}
	if (s->type && s->type->class == CLASS_PREDICATE) {
		ptx_error(x, &t, ".pred is a register type; memory has none");
		return false;
	}
	if (s->type && !s->align)
		s->align = s->vector * s->type->bits / 8;
	return s->type;
}

bool ptx_reject_handle(struct ptx *x, const struct ptx_shape *s)
{
	if (s->handle)
		ptx_error(x, &x->token,
			  "a parameter cannot be a .texref or .surfref; pass the handle as .u64");
	return s->handle;
}

bool ptx_parse_dimensions(struct ptx *x, struct ptx_shape *s)
{
	uint64_t max_count = PTX_MAX_BYTES / (s->vector * s->type->bits / 8);
	uint64_t n;
	bool open = false;

	for (uint32_t i = 0; ptx_accept(x, '['); i++) {
		struct ptx_token t = x->token;

		if (i == PTX_MAX_DIMENSIONS) {
			ptx_error(x, &t, "more than %d dimensions", PTX_MAX_DIMENSIONS);
			return false;
		}
		s->ndimensions = i + 1;
		if (!i && ptx_accept(x, ']')) {
			open = true;
			continue;
		}
		if (!ptx_parse_integer(x, "array size", 1, PTX_MAX_BYTES, &n))
			return false;
		if (!ptx_expect(x, ']', "']'", "an array size"))
			return false;
		if (n > max_count / s->count) {
			ptx_error(x, &t, "array is larger than %llu bytes",
				  (unsigned long long)PTX_MAX_BYTES);
			return false;
		}
		s->dimensions[i] = n;
		s->count *= n;
	}
	if (open)
		s->count = 0;
	return true;
}

uint64_t ptx_shape_bytes(const struct ptx_shape *s)
{
	return s->count * s->vector * s->type->bits / 8;
}

/* ---- registers ---- */

static bool declare_register(struct ptx *x, const struct ptx_type *type, uint8_t vector)
{
	struct ptx_token t = x->token;
	struct ptx_name *n;
	uint64_t count;

	if (!ptx_expect(x, TOKEN_NAME, "a register name", "the type of .reg"))
		return false;
	if (!ptx_accept(x, '<')) {
		n = ptx_declare(x, NAME_REGISTER, &t);
		if (n) {
			n->type = type;
			n->vector = vector;
		}
		return true;
	}
	/* A literal only: a constant expression would parse the closing '>' as an operator. */
	count = x->token.integer;
	if (x->token.kind == TOKEN_INTEGER && (!count || count > 1000000000)) {
		ptx_error(x, &x->token, "number of registers must be from 1 to 1000000000");
		return false;
	}
	if (!ptx_expect(x, TOKEN_INTEGER, "a number of registers", "'<'") ||
	    !ptx_expect(x, '>', "'>'", "the number of registers"))
		return false;
	n = ptx_declare_range(x, &t, (uint32_t)count, type);
	if (n)
		n->vector = vector;
	return true;
}

void ptx_parse_registers(struct ptx *x)
{
	uint8_t vector = 0;
	const struct ptx_type *type;
	struct ptx_token t;
	bool good;

	if (ptx_is_keyword(&x->token, ".v2") || ptx_is_keyword(&x->token, ".v4")) {
		vector = (uint8_t)(x->token.text[2] - '0');
		ptx_next(x);
	}
	t = x->token;
	type = parse_type(x);
	good = type;
	if (good && vector && (type->class == CLASS_PREDICATE || type->bits * vector > 128)) {
		ptx_error(x, &t, "a vector of %u %s is not a register of up to 128 bits", vector,
			  type->name);
		good = false;
	}
	while (good && (good = declare_register(x, type, vector)) && ptx_accept(x, ','))
		;
	if (!good || !ptx_expect(x, ';', "',' or ';'", "a register"))
		ptx_skip_statement(x);
}

/* ---- variables ---- */

/* Variables of two kernels may have one name; symbols of a module may not. PTX names have no
 * dot. */
static const char *symbol_name(struct ptx *x, const struct ptx_token *t)
{
	uint32_t *used = name_map_get(&x->symbols, t->text, t->length);

	if (!(*used)++)
		return arena_strndup(x->arena, t->text, t->length);
	return arena_printf(x->arena, "%.*s.%u", (int)t->length, t->text, *used);
}

#define SHARED_ALIGN   16
#define CONSTANT_ALIGN 8     /* loads from constant memory have at most eight bytes */
#define CONSTANT_BYTES 65536 /* PTX ISA, constant state space */
#define LOCAL_ALIGN    16

/* A variable may be declared external any number of times, and be defined once. Returns the symbol
 * of an earlier declaration; NULL: none. */
static struct ir_symbol *find_declared(struct ptx *x, const struct ptx_token *t, uint8_t space,
				       bool external)
{
	struct ptx_name *n = ptx_lookup_innermost(x, t);

	if (!n || n->kind != NAME_VARIABLE || (!external && !n->external) ||
	    x->module->symbols[n->symbol].space != space)
		return NULL;
	n->external &= external;
	return &x->module->symbols[n->symbol];
}

/* Local memory is aligned to LOCAL_ALIGN bytes: a variable of larger alignment has room to align
 * its address at run time (ptx_address_of). */
static void pad_local(struct ptx_name *n, struct ir_symbol *symbol)
{
	if (symbol->align <= LOCAL_ALIGN || symbol->size > PTX_MAX_BYTES)
		return;
	n->align = symbol->align;
	symbol->size += symbol->align - LOCAL_ALIGN;
	symbol->align = LOCAL_ALIGN;
}

/* An external variable of known size that the module does not define has the value zero, as in a
 * whole-program compilation of ptxas; in a relocatable object it is an undefined symbol. */
static bool declare_named(struct ptx *x, struct ptx_token t, struct ptx_shape s,
			  enum ir_space space, bool external)
{
	struct ir_symbol symbol = {.space = space,
				   .linkage = x->linkage,
				   .align = s.align,
				   .owner = space == IR_LOCAL ? x->func : NULL},
			 *declared;
	bool relocatable = x->job->options.relocatable;
	struct ptx_name *n;

	if (s.handle && (x->token.kind == '[' || x->token.kind == '=')) {
		ptx_error(x, &x->token,
			  "'%.*s' is one handle without an initial value; the program writes it",
			  TEXT(&t));
		return false;
	}
	if (!ptx_parse_dimensions(x, &s))
		return false;
	if (x->token.kind == '=' && !ptx_parse_initializer(x, &s, &symbol))
		return false;
	symbol.external = external && (relocatable || !s.count);
	symbol.size = ptx_shape_bytes(&s);
	declared = find_declared(x, &t, space, external);
	if (declared) {
		symbol.name = declared->name;
		if (!external)
			*declared = symbol;
		return true;
	}
	n = ptx_declare(x, NAME_VARIABLE, &t);
	if (!n)
		return true;
	if (!s.count && (!external || (space != IR_SHARED && !relocatable))) {
		ptx_error(x, &t,
			  external ? "external variable '%.*s' has no size and is not defined here"
				   : "variable '%.*s' has no size",
			  TEXT(&t));
		n->kind = NAME_BAD;
		return true;
	}
	n->external = external;
	n->handle = s.handle;
	n->element = s.vector * s.type->bits / 8;
	symbol.name = symbol_name(x, &t);
	/* Over-align, so that accesses to neighbouring elements can be vectorised. */
	if (space == IR_SHARED && symbol.size >= SHARED_ALIGN && symbol.align < SHARED_ALIGN)
		symbol.align = SHARED_ALIGN;
	if (space == IR_LOCAL)
		pad_local(n, &symbol);
	n->symbol = ir_symbol_new(x->module, &symbol);
	return true;
}

#define MAX_NUMBERED 65536

/* "<4>" after a name declares name0 to name3 (PTX ISA, "Parameterized Variable Names"). The limit
 * is a literal: a constant expression would parse the closing '>' as an operator. */
static bool declare_numbered(struct ptx *x, const struct ptx_token *t, const struct ptx_shape *s,
			     enum ir_space space, bool external)
{
	struct ptx_token each = *t;
	uint64_t count = x->token.integer;

	if (x->token.kind == TOKEN_INTEGER && (!count || count > MAX_NUMBERED)) {
		ptx_error(x, &x->token, "number of variables must be from 1 to %d", MAX_NUMBERED);
		return false;
	}
	if (!ptx_expect(x, TOKEN_INTEGER, "a number of variables", "'<'") ||
	    !ptx_expect(x, '>', "'>'", "the number of variables"))
		return false;
	if (x->token.kind == '[' || x->token.kind == '=') {
		ptx_error(x, &x->token,
			  "variables '%.*s<%u>' are no arrays and have no initial "
			  "values",
			  TEXT(t), (unsigned)count);
		return false;
	}
	for (uint64_t k = 0; k < count; k++) {
		each.text = arena_printf(x->arena, "%.*s%u", TEXT(t), (unsigned)k);
		each.length = (uint32_t)strlen(each.text);
		if (!declare_named(x, each, *s, space, external))
			return false;
	}
	return true;
}

static bool declare_variable(struct ptx *x, struct ptx_shape s, enum ir_space space, bool external)
{
	struct ptx_token t = x->token;

	if (!ptx_expect(x, TOKEN_NAME, "a name", "the variable's type"))
		return false;
	return ptx_accept(x, '<') ? declare_numbered(x, &t, &s, space, external)
				  : declare_named(x, t, s, space, external);
}

static bool is_long_constant(const struct ir_symbol *s)
{
	return s->space == IR_CONSTANT && !s->external && s->size >= CONSTANT_ALIGN &&
	       s->align < CONSTANT_ALIGN;
}

/* Over-aligns constants as far as their space allows, for the same reason. A linker may place those
 * of a relocatable object elsewhere. */
void ptx_align_constants(struct ptx *x)
{
	struct ir_module *m = x->module;
	uint64_t bytes = 0;

	for (uint32_t k = 0; k < m->nsymbols; k++)
		if (m->symbols[k].space == IR_CONSTANT)
			bytes += m->symbols[k].size + (is_long_constant(&m->symbols[k])
							       ? CONSTANT_ALIGN
							       : m->symbols[k].align);
	for (uint32_t k = 0;
	     k < m->nsymbols && bytes <= CONSTANT_BYTES && !x->job->options.relocatable; k++)
		if (is_long_constant(&m->symbols[k]))
			m->symbols[k].align = CONSTANT_ALIGN;
}

void ptx_parse_variables(struct ptx *x, enum ir_space space, bool external)
{
	struct ptx_shape s = {.count = 1};
	struct ptx_token t = x->token;
	bool good = ptx_parse_type_spec(x, &s);

	if (good && s.handle && (space != IR_GLOBAL || x->func)) {
		ptx_error(x, &t, "handles of textures and surfaces are global variables");
		good = false;
	}
	x->braces = 0;
	if (good && space == IR_GLOBAL &&
	    ptx_accept(x, ';')) /* ptxas takes no name for no variable */
		return;
	while (good && (good = declare_variable(x, s, space, external)) && ptx_accept(x, ','))
		;
	if (!good || !ptx_expect(x, ';', "',' or ';'", "a variable"))
		ptx_skip_statement(x);
}
