// SPDX-License-Identifier: MIT
/*
 * Parser of operands: registers, constants, special registers, addresses in brackets, vectors in
 * braces, variables and labels. It resolves names; match.c checks operands against the instruction.
 */
#include <string.h>
#include "libsov/compiler/ptx/front_end.h"

/* Extends the operand's text up to the current token. */
static void extend_text(struct ptx *x, struct ptx_operand *o)
{
	const char *end = x->token.text;

	while (end > o->at.text + 1 && strchr(" \t\r\n", end[-1]))
		end--;
	if (x->token.line == o->at.line && end > o->at.text)
		o->at.length = (uint32_t)(end - o->at.text);
}

/* The lexer splits "%tid.x" into "%tid" and ".x". */
static int parse_special(struct ptx *x, struct ptx_token *t)
{
	const struct ptx_token *suffix = &x->token;
	int found = -1;

	if (suffix->kind == TOKEN_KEYWORD && suffix->text == t->text + t->length)
		found = ptx_special_find(t->text, t->length + suffix->length);
	if (found == -1)
		return ptx_special_find(t->text, t->length);
	t->length += suffix->length;
	ptx_next(x);
	return found;
}

static void make_special_vector(struct ptx *x, struct ptx_operand *o, const struct ptx_token *t,
				uint32_t first)
{
	o->kind = OPERAND_VECTOR;
	o->count = 4;
	o->elements = arena_array(x->arena, o->count, sizeof(*o->elements));
	for (uint32_t k = 0; k < o->count; k++) {
		o->elements[k].kind = OPERAND_SPECIAL;
		o->elements[k].at = *t;
		o->elements[k].special = (uint8_t)(k < 3 ? first + k : SPECIAL_ZERO);
	}
}

static void resolve_special(struct ptx *x, struct ptx_operand *o, struct ptx_token *t,
			    const char *what)
{
	int special = parse_special(x, t);

	o->kind = OPERAND_BAD;
	if (special >= SPECIAL_VECTOR) {
		make_special_vector(x, o, t, (uint32_t)special - SPECIAL_VECTOR);
	} else if (special >= 0) {
		o->kind = OPERAND_SPECIAL;
		o->special = (uint8_t)special;
	} else if (special == -2) {
		ptx_error(x, t, "special register '%.*s' is not supported", TEXT(t));
	} else {
		ptx_report_undeclared(x, t, what);
	}
}

/* Replaces a register that has parts by a vector of them. */
void ptx_split_register(struct ptx *x, struct ptx_operand *o, uint32_t count,
			const struct ptx_type *type)
{
	struct ptx_name *n = o->name;

	if (!n->parts) {
		n->parts = arena_array(x->arena, count, sizeof(*n->parts));
		for (uint32_t k = 0; k < count; k++) {
			n->parts[k] = *n;
			n->parts[k].parts = NULL;
			n->parts[k].vector = 0;
			n->parts[k].type = type;
		}
	}
	o->kind = OPERAND_VECTOR;
	o->count = count;
	o->elements = arena_array(x->arena, count, sizeof(*o->elements));
	for (uint32_t k = 0; k < count; k++) {
		o->elements[k] = (struct ptx_operand){.kind = OPERAND_REGISTER, .at = o->at};
		o->elements[k].name = &n->parts[k];
		o->elements[k].type = type;
	}
}

/* The element that ".x" or ".r" names (PTX ISA, "Vectors as Operands"); -1: none. */
static int element_of(const struct ptx_token *t, uint32_t count)
{
	static const char *const names[] = {".x", ".y", ".z", ".w", ".r", ".g", ".b", ".a"};

	for (uint32_t k = 0; k < 8; k++)
		if (ptx_is_keyword(t, names[k]) && k % 4 < count)
			return (int)k % 4;
	return -1;
}

/* A vector register, or the element that the next token names. */
static void resolve_vector(struct ptx *x, struct ptx_operand *o)
{
	int element = element_of(&x->token, o->name->vector);

	ptx_split_register(x, o, o->name->vector, o->name->type);
	if (element < 0)
		return;
	o->kind = OPERAND_REGISTER;
	o->name = o->elements[element].name;
	ptx_next(x);
}

static void resolve_name(struct ptx *x, struct ptx_operand *o, struct ptx_token *t,
			 const char *what)
{
	static const uint8_t kinds[] = {
		[NAME_REGISTER] = OPERAND_REGISTER,
		[NAME_VARIABLE] = OPERAND_VARIABLE,
		[NAME_PARAMETER] = OPERAND_PARAMETER,
		[NAME_LABEL] = OPERAND_LABEL,
		[NAME_FUNCTION] = OPERAND_FUNCTION,
		[NAME_OBJECT] = OPERAND_OBJECT,
		[NAME_TARGETS] = OPERAND_TARGETS,
		[NAME_CALLEES] = OPERAND_BAD,
		[NAME_BAD] = OPERAND_BAD,
	};

	o->name = ptx_lookup(x, t);
	if (!o->name) {
		resolve_special(x, o, t, what);
		return;
	}
	o->kind = kinds[o->name->kind];
	if (o->name->vector)
		resolve_vector(x, o);
	if (o->kind == OPERAND_FUNCTION && !o->name->func && !x->job->options.relocatable) {
		ptx_error(x, t,
			  "'%.*s' is a kernel, which has an address in relocatable objects only "
			  "(option -c), for launches from the device",
			  TEXT(t));
		o->kind = OPERAND_BAD;
	}
	if (o->name->kind == NAME_CALLEES)
		ptx_error(x, t, "'%.*s' describes callees and is no operand of this instruction",
			  TEXT(t));
}

static bool parse_constant(struct ptx *x, struct ptx_operand *o)
{
	struct ptx_constant c;

	if (!ptx_parse_constant(x, &c))
		return false;
	o->kind = c.is_float ? OPERAND_FLOAT : OPERAND_INTEGER;
	o->value = c.value;
	o->bits = c.bits;
	o->is_unsigned = c.is_unsigned;
	return true;
}

/* "+4" or "+-4" after a name. */
static bool parse_offset(struct ptx *x, struct ptx_operand *o)
{
	struct ptx_token t = x->token;
	struct ptx_constant c;

	if (x->token.kind != '-' && !ptx_accept(x, '+')) /* ptxas reads [a-4] as well */
		return true;
	if (x->token.kind == TOKEN_NAME && !ptx_constant_starts(&x->token)) {
		ptx_error(x, &x->token, "an offset must be a constant, found '%.*s'",
			  TEXT(&x->token));
		return false;
	}
	if (!ptx_parse_constant(x, &c))
		return false;
	o->value = c.value;
	if (!c.is_float && (int64_t)c.value >= INT32_MIN && (int64_t)c.value <= INT32_MAX)
		return true;
	ptx_error(x, &t, "offset does not fit 32 bits");
	return false;
}

/* "[4]" after a variable (PTX ISA, "Arrays as Operands"). */
static bool parse_index(struct ptx *x, struct ptx_operand *o)
{
	struct ptx_token t = x->token;
	uint64_t n;

	ptx_next(x);
	if (x->token.kind == TOKEN_NAME && !ptx_constant_starts(&x->token)) {
		ptx_error(x, &x->token, "an index must be a constant, found '%.*s'",
			  TEXT(&x->token));
		return false;
	}
	if (!ptx_parse_integer(x, "index", 0, INT32_MAX / 16, &n) ||
	    !ptx_expect(x, ']', "']'", "an index"))
		return false;
	o->indexed = true;
	o->value = n * o->name->element;
	if (o->value <= INT32_MAX)
		return true;
	ptx_error(x, &t, "offset does not fit 32 bits");
	return false;
}

static bool parse_name(struct ptx *x, struct ptx_operand *o, const char *what)
{
	struct ptx_token t = x->token;

	ptx_next(x);
	if (t.length == 1 && *t.text == '_') {
		o->kind = OPERAND_BIT_BUCKET;
		return true;
	}
	resolve_name(x, o, &t, what);
	if (o->kind == OPERAND_REGISTER && !o->address && x->token.kind == TOKEN_KEYWORD &&
	    x->token.text == t.text + t.length && x->token.length <= UINT8_MAX &&
	    x->token.text - o->at.text <= UINT16_MAX) {
		o->selector_at = (uint16_t)(x->token.text - o->at.text);
		o->selector_length = (uint8_t)x->token.length;
		ptx_next(x);
	}
	if (!o->address && o->kind == OPERAND_VARIABLE && x->token.kind == '[')
		return parse_index(x, o);
	if (o->address || o->kind == OPERAND_VARIABLE || o->kind == OPERAND_PARAMETER ||
	    o->kind == OPERAND_OBJECT)
		return parse_offset(x, o);
	return true;
}

static bool parse_scalar(struct ptx *x, struct ptx_operand *o, const char *what)
{
	struct ptx_lexer after = x->lexer;
	struct ptx_token second;

	if (x->token.kind == TOKEN_NAME && !ptx_constant_starts(&x->token))
		return parse_name(x, o, what);
	/* a negated predicate, a register with a sign, or the start of a constant */
	if (x->token.kind == '!' || x->token.kind == '-') {
		after.diag = NULL;
		ptx_lex(&after, &second);
		if (second.kind == TOKEN_NAME && !ptx_constant_starts(&second)) {
			*(x->token.kind == '!' ? &o->negated : &o->minus) = true;
			ptx_next(x);
			return parse_name(x, o, what);
		}
	}
	if (ptx_constant_starts(&x->token))
		return parse_constant(x, o);
	if (x->token.kind != TOKEN_BAD)
		ptx_error(x, &x->token, "expected an operand, found %s",
			  ptx_token_name(x, &x->token));
	return false;
}

static bool parse_vector(struct ptx *x, struct ptx_operand *o)
{
	struct ptx_operand elements[PTX_MAX_VECTOR] = {0};

	o->kind = OPERAND_VECTOR;
	x->braces++;
	do {
		if (o->count == PTX_MAX_VECTOR) {
			ptx_error(x, &x->token, "a vector has at most %d elements", PTX_MAX_VECTOR);
			return false;
		}
		elements[o->count].at = x->token;
		if (!parse_scalar(x, &elements[o->count], "register"))
			return false;
		extend_text(x, &elements[o->count++]);
	} while (ptx_accept(x, ','));
	if (!ptx_expect(x, '}', "',' or '}'", "an element of a vector"))
		return false;
	x->braces--;
	o->elements = arena_array(x->arena, o->count, sizeof(*o->elements));
	memcpy(o->elements, elements, o->count * sizeof(*elements));
	return true;
}

static bool parse_address(struct ptx *x, struct ptx_operand *o)
{
	o->address = true;
	if (!parse_scalar(x, o, "name"))
		return false;
	if (o->open && x->token.kind == ',')
		return true;
	o->open = false;
	if (!ptx_expect(x, ']', "']'", "an address"))
		return false;
	o->unified = ptx_is_keyword(&x->token, ".unified");
	if (o->unified)
		ptx_next(x);
	return true;
}

bool ptx_parse_operand(struct ptx *x, struct ptx_operand *o, const char *what)
{
	bool good;

	o->at = x->token;
	if (ptx_accept(x, '['))
		good = parse_address(x, o);
	else if (ptx_accept(x, '{'))
		good = parse_vector(x, o);
	else
		good = parse_scalar(x, o, what);
	extend_text(x, o);
	return good;
}

/* How to describe an undeclared name in a message. */
static const char *expected_name(const struct ptx *x, const struct ptx_inst *in)
{
	if (in->row->op == IR_BR || in->row->op == IR_CBR)
		return "label";
	return x->token.kind == TOKEN_NAME && *x->token.text == '%' ? "register" : "name";
}

/* "[texture, sampler, coordinates]": takes the sampler out of the operands since first. */
static void take_sampler(struct ptx_inst *in, uint32_t first)
{
	if (!(ir_ops[in->row->op].attributes & A_GEOMETRY) || in->noperands != first + 3)
		return;
	in->sampler = in->operands[first + 1];
	if (in->sampler.kind == OPERAND_BAD)
		in->operands[first].kind = OPERAND_BAD;
	in->operands[first + 1] = in->operands[first + 2];
	in->operands[first + 2] = (struct ptx_operand){0};
	in->noperands--;
}

bool ptx_parse_operands(struct ptx *x, struct ptx_inst *in)
{
	bool coordinates =
		     ir_ops[in->row->op].attributes & A_GEOMETRY || ptx_is_spelled(in, ".tensor"),
	     open = false;
	uint32_t first = 0; /* in brackets */
	int separator = 0;

	if (ptx_accept(x, ';'))
		return true;
	do {
		struct ptx_operand *o = &in->operands[in->noperands];

		if (in->noperands == PTX_MAX_OPERANDS) {
			ptx_error(x, &x->token, "more than %d operands", PTX_MAX_OPERANDS);
			return false;
		}
		o->separator = separator;
		o->open = coordinates && !open;
		if (!ptx_parse_operand(x, o, expected_name(x, in)))
			return false;
		in->noperands++;
		if (o->address)
			first = in->noperands - 1;
		open = o->address ? o->open : open;
		if (open && x->token.kind != ',') {
			open = false;
			if (!ptx_expect(x, ']', "',' or ']'", "a coordinate"))
				return false;
			take_sampler(in, first);
		}
		separator = x->token.kind;
	} while (ptx_accept(x, ',') || ptx_accept(x, '|'));
	return ptx_expect(x, ';', "',' or ';'", "an operand");
}
