// SPDX-License-Identifier: MIT
/*
 * Interprets the instruction table: finds the row whose form has the instruction's modifiers,
 * assigns a role to each operand, and checks kinds and types. Rows are parsed when they are first
 * tried; a program has few distinct spellings ("add.s32"), so the result is cached by spelling.
 */
#include <string.h>
#include "libsov/compiler/ptx/clause.h"
#include "libsov/compiler/ptx/front_end.h"

#define MAX_MODIFIER_FORMS 12

/* A modifier of a form. */
struct modifier_form {
	const char *text; /* ".rnd" */
	size_t length;
	enum ptx_slot group; /* SLOT_COUNT: the keyword itself */
	bool optional;
	bool type; /* a type, or a group of types */
	/* The words of the row's clause for it, once looked up; NULL: there is none. */
	bool looked_up;
	const char *list;
	size_t list_length;
};

/* The modifiers of a row's form, parsed when the row is first tried. */
struct ptx_row_forms {
	struct modifier_form list[MAX_MODIFIER_FORMS];
	uint32_t count;
};

/* An operand of a form. */
struct operand_form {
	enum ptx_role role;
	int separator; /* before it */
	bool address, optional;
};

/* The row's requirements for an operand, from its clauses. */
struct operand_rule {
	const struct ptx_type *type;
	bool wider, special, variable, parts, vector, nothing, label, targets, written, selected,
		minus, predicate, fragment, words, unified;
	const char *name; /* "d" */
};

struct ptx_match {
	const struct ptx_row *row;
	uint64_t present;
	uint8_t value[SLOT_COUNT];
	uint32_t nforms;
	struct operand_form forms[PTX_MAX_OPERANDS];
	struct operand_rule rules[ROLE_COUNT];
};

static const char *const role_names[ROLE_COUNT] = {
	"d", "p", "q",        "a",        "b",      "c",          "e",   "f",
	"g", "h", "metadata", "selector", "policy", "membermask", "tgt", "tlist",
};

/* ---- parsing rows ---- */

static size_t name_length(const char *form)
{
	return ptx_length_until(form, ".{ ");
}

static bool is_type_modifier(const struct modifier_form *forms)
{
	if (forms->group == SLOT_COUNT)
		return ptx_type_find(forms->text, forms->length);
	return forms->group == SLOT_TYPE || forms->group == SLOT_SOURCE_TYPE ||
	       forms->group == SLOT_THIRD_TYPE;
}

static uint32_t read_modifier_forms(const char *form, struct modifier_form *forms)
{
	const char *at = form + name_length(form);
	bool optional = false;
	uint32_t n = 0;

	while (*at && *at != ' ') {
		if (*at == '.' && n < MAX_MODIFIER_FORMS) {
			forms[n].text = at++;
			forms[n].length = 1 + ptx_skip_until(&at, ".{} ");
			forms[n].group = ptx_group_slot(forms[n].text, forms[n].length);
			forms[n].looked_up = false;
			forms[n].type = is_type_modifier(&forms[n]);
			forms[n++].optional = optional;
		} else {
			optional = *at++ == '{';
		}
	}
	return n;
}

static uint32_t read_operand_forms(const char *form, struct operand_form *forms)
{
	const char *at = strchr(form, ' ');
	struct operand_form next = {0};
	uint32_t n = 0;

	while (at && *at) {
		const char *name = at;
		size_t length = ptx_skip_until(&at, " ,|[]{}");

		for (int r = 0; length && r < ROLE_COUNT; r++) {
			if (strlen(role_names[r]) == length &&
			    !memcmp(role_names[r], name, length)) {
				next.role = r;
				forms[n++] = next;
				next = (struct operand_form){.optional = next.optional};
			}
		}
		if (*at == ',' || *at == '|')
			next.separator = *at;
		else if (*at == '[')
			next.address = true;
		else if (*at == '{' || *at == '}')
			next.optional = *at == '{';
		at += *at != '\0';
	}
	return n;
}

/* ---- modifiers ---- */

static bool is_row_of(const struct ptx_row *row, const char *name, size_t length)
{
	return !strncmp(row->form, name, length) && name_length(row->form) == length;
}

void ptx_index_build(struct ptx *x)
{
	uint32_t count = 0;

	x->rows.arena = x->spellings.arena = x->arena;
	for (uint32_t i = 0; ptx_rows[i].form; i++) {
		size_t n = name_length(ptx_rows[i].form);
		uint32_t *first;

		count++;
		if (i && is_row_of(&ptx_rows[i - 1], ptx_rows[i].form, n))
			continue;
		first = name_map_get(&x->rows, ptx_rows[i].form, (uint32_t)n);
		if (!*first)
			*first = i + 1;
	}
	x->row_forms = arena_array(x->arena, count, sizeof(struct ptx_row_forms *));
}

/* The next row of the same instruction, or NULL. */
static const struct ptx_row *next_row(const struct ptx_row *row)
{
	size_t n = name_length(row->form);

	return row[1].form && is_row_of(&row[1], row->form, n) ? row + 1 : NULL;
}

static void set_modifier(struct ptx_inst *in, enum ptx_slot slot, uint32_t value)
{
	in->present |= UINT64_C(1) << slot;
	in->value[slot] = (uint8_t)value;
}

/* A keyword that is part of the form has its usual value. */
static void set_keyword(struct ptx_inst *in, const struct ptx_token *t)
{
	const struct ptx_type *type = ptx_type_find(t->text, t->length);
	const struct ptx_keyword *word = ptx_keyword_find(SLOT_COUNT, t->text, t->length);

	if (type)
		set_modifier(in, SLOT_TYPE, (uint32_t)(type - ptx_types));
	else if (word)
		set_modifier(in, word->slot, word->value);
}

static bool match_modifier(struct ptx_inst *in, const struct ptx_row *row,
			   struct modifier_form *forms, const struct ptx_token *t)
{
	const struct ptx_keyword *word;
	const struct ptx_type *type;

	if (forms->group == SLOT_COUNT) {
		if (forms->length != t->length || memcmp(forms->text, t->text, t->length))
			return false;
		set_keyword(in, t);
		return true;
	}
	if (!forms->looked_up) {
		forms->list = ptx_find_clause(row->where, forms->text, forms->length,
					      &forms->list_length);
		forms->looked_up = true;
	}
	if (forms->list && !ptx_in_list(forms->list, forms->list_length, t->text, t->length))
		return false;
	if (forms->list && forms->group == SLOT_NONE) /* has no value */
		return true;
	if (forms->type) {
		type = ptx_type_find(t->text, t->length);
		if (type)
			set_modifier(in, forms->group, (uint32_t)(type - ptx_types));
		return type;
	}
	word = ptx_keyword_find(forms->group, t->text, t->length);
	if (word)
		set_modifier(in, forms->group, word->value);
	return word;
}

/* Types must come in the row's order: after all types to their left. */
static bool is_type_in_order(const struct modifier_form *forms, uint32_t i, uint32_t taken)
{
	for (uint32_t k = 0; forms[i].type && k < i; k++)
		if (forms[k].type && !(taken >> k & 1))
			return false;
	return true;
}

static struct ptx_row_forms *forms_of_row(struct ptx *x, const struct ptx_row *row)
{
	struct ptx_row_forms **forms = &x->row_forms[row - ptx_rows];

	if (!*forms) {
		*forms = arena_alloc(x->arena, sizeof(**forms));
		(*forms)->count = read_modifier_forms(row->form, (*forms)->list);
	}
	return *forms;
}

static bool match_row(struct ptx *x, struct ptx_inst *in, const struct ptx_row *row)
{
	struct ptx_row_forms *row_forms = forms_of_row(x, row);
	struct modifier_form *forms = row_forms->list;
	uint32_t n = row_forms->count, taken = 0;

	in->present = 0;
	for (uint32_t w = 0; w < in->nmodifiers; w++) {
		uint32_t i = 0;

		while (i < n && (taken >> i & 1 || !is_type_in_order(forms, i, taken) ||
				 !match_modifier(in, row, &forms[i], &in->modifiers[w])))
			i++;
		if (i == n)
			return false;
		taken |= 1u << i;
	}
	for (uint32_t i = 0; i < n; i++)
		if (!forms[i].optional && !(taken >> i & 1))
			return false;
	in->row = row;
	return true;
}

/* ---- errors when no row matches ---- */

const char *ptx_spelling(struct ptx *x, const struct ptx_inst *in)
{
	struct text t = {.arena = x->arena};

	text_printf(&t, "%.*s", TEXT(&in->name));
	for (uint32_t i = 0; i < in->nmodifiers; i++)
		text_printf(&t, "%.*s", TEXT(&in->modifiers[i]));
	return t.s;
}

static void add_known(struct text *t, const char *word, size_t length)
{
	if (!t->s || !ptx_in_list(t->s, t->length, word, length))
		text_printf(t, " %.*s", (int)length, word);
}

static void add_known_modifiers(struct text *t, const struct ptx_row *row,
				const struct modifier_form *forms)
{
	const char *list, *word;
	size_t left, n;

	if (forms->group == SLOT_COUNT) {
		add_known(t, forms->text, forms->length);
		return;
	}
	list = ptx_find_clause(row->where, forms->text, forms->length, &left);
	while (list && (word = ptx_next_word(&list, &left, &n)))
		add_known(t, word, n);
	for (uint32_t i = 0; !list && i < ptx_keyword_count; i++)
		if (ptx_keywords[i].slot == forms->group)
			add_known(t, ptx_keywords[i].text, strlen(ptx_keywords[i].text));
}

static const char *known_modifiers(struct ptx *x, const struct ptx_row *row)
{
	struct text t = {.arena = x->arena};
	struct modifier_form forms[MAX_MODIFIER_FORMS];

	for (; row; row = next_row(row)) {
		uint32_t n = read_modifier_forms(row->form, forms);

		for (uint32_t i = 0; i < n; i++)
			add_known_modifiers(&t, row, &forms[i]);
	}
	return t.s ? t.s : " none";
}

static const char *known_forms(struct ptx *x, const struct ptx_row *row)
{
	struct text t = {.arena = x->arena};

	for (; row; row = next_row(row))
		add_known(&t, row->form, ptx_length_until(row->form, " "));
	return t.s;
}

/* Whether the spelling contains one of the words as whole modifiers. */
static bool has_word_of(const char *spelling, const char *words)
{
	size_t left = strlen(words), n;
	const char *word;

	while ((word = ptx_next_word(&words, &left, &n)))
		for (const char *at = strchr(spelling, '.'); at; at = strchr(at + 1, '.'))
			if (!strncmp(at, word, n) && (!at[n] || at[n] == '.'))
				return true;
	return false;
}

/* Reports a form of a newer target; false: it is none. */
static bool report_newer(struct ptx *x, const struct ptx_inst *in)
{
	const char *spelling = ptx_spelling(x, in);

	for (const struct ptx_newer *n = ptx_newer; n->names; n++)
		if (ptx_in_list(n->names, strlen(n->names), in->name.text, in->name.length) &&
		    n->operands == in->noperands && has_word_of(spelling, n->words)) {
			ptx_error(x, &in->name, "'%s' needs the target %s or a newer one", spelling,
				  n->target);
			return true;
		}
	return false;
}

static void report_modifiers(struct ptx *x, const struct ptx_inst *in, const struct ptx_row *first)
{
	const char *known = known_modifiers(x, first);

	if (report_newer(x, in))
		return;
	for (uint32_t i = 0; i < in->nmodifiers; i++) {
		const struct ptx_token *t = &in->modifiers[i];

		if (!ptx_in_list(known, strlen(known), t->text, t->length)) {
			ptx_error(x, t, "unknown modifier '%.*s' on '%.*s'; known:%s", TEXT(t),
				  TEXT(&in->name), known);
			return;
		}
	}
	ptx_error(x, &in->name, "no form of '%.*s' is spelled '%s'; forms:%s", TEXT(&in->name),
		  ptx_spelling(x, in), known_forms(x, first));
}

static void report_unknown_instruction(struct ptx *x, const struct ptx_inst *in)
{
	for (uint32_t i = 0; ptx_unsupported[i].names; i++) {
		const char *names = ptx_unsupported[i].names;

		if (ptx_in_list(names, strlen(names), in->name.text, in->name.length)) {
			ptx_error(x, &in->name, "instruction '%.*s' is not supported: %s",
				  TEXT(&in->name), ptx_unsupported[i].kind);
			return;
		}
	}
	ptx_error(x, &in->name, "unknown instruction '%.*s'", TEXT(&in->name));
}

/* ---- operands ---- */

/* An optional operand is present if more operands are left than the required ones after it. */
static bool is_given(const struct operand_form *forms, uint32_t i, uint32_t n, uint32_t given)
{
	uint32_t required = 0;

	for (uint32_t k = i + 1; k < n; k++)
		required += !forms[k].optional;
	return !forms[i].optional || given > required;
}

/* An element of a variable is an address where the form has one. */
static struct ptx_operand *use_as(struct ptx_operand *o, const struct operand_form *form)
{
	o->address = form->address;
	return o;
}

static bool assign_roles(struct ptx *x, struct ptx_inst *in)
{
	const char *notation = strchr(in->row->form, ' ');
	const struct operand_form *forms = in->match->forms;
	uint32_t n = in->match->nforms, j = 0, i = 0, required = 0;

	for (uint32_t k = 0; k < n; k++)
		required += !forms[k].optional;
	for (; i < n; i++) {
		struct ptx_operand *o = &in->operands[j];

		if (j < in->noperands && o->separator == forms[i].separator &&
		    (o->address || (o->indexed && forms[i].address)) == forms[i].address &&
		    is_given(forms, i, n, in->noperands - j))
			in->role[forms[i].role] = use_as(&in->operands[j++], &forms[i]);
		else if (!forms[i].optional)
			break;
	}
	if (i == n && j == in->noperands)
		return true;
	if (report_newer(x, in))
		return false;
	if (!notation)
		ptx_error(x, &in->name, "'%s' takes no operands", ptx_spelling(x, in));
	else if (in->noperands < required || in->noperands > n)
		ptx_error(x, &in->name, "'%s' takes operands '%s', found %u", ptx_spelling(x, in),
			  notation + 1, in->noperands);
	else
		ptx_error(x, &in->operands[j].at,
			  "'%s' takes operands '%s'; '%.*s' has another form", ptx_spelling(x, in),
			  notation + 1, TEXT(&in->operands[j].at));
	return false;
}

/* The type of this class and width, such as .u64 for twice .u32. */
static const struct ptx_type *type_of_width(uint8_t class, uint32_t bits)
{
	for (uint32_t i = 0; i < ptx_type_count; i++)
		if (ptx_types[i].class == class && ptx_types[i].bits == bits)
			return &ptx_types[i];
	return NULL;
}

static void read_rule_type(struct operand_rule *rule, const struct ptx_inst *in, const char *word,
			   size_t n, bool twice)
{
	enum ptx_slot group = ptx_group_slot(word, n);

	rule->type = group == SLOT_COUNT ? ptx_type_find(word, n) : ptx_inst_type(in, group);
	if (twice)
		rule->type = type_of_width(rule->type->class, rule->type->bits * 2u);
}

static struct operand_rule read_operand_rule(const struct ptx_inst *in, enum ptx_role role)
{
	struct operand_rule rule = {.written = role <= ROLE_Q, .name = role_names[role]};
	const char *word, *list;
	bool twice = false;
	size_t left, n;
	struct {
		const char *word;
		bool *flag;
	} flags[] = {
		{"wider", &rule.wider},       {"special", &rule.special},
		{"variable", &rule.variable}, {"parts", &rule.parts},
		{"vector", &rule.vector},     {"nothing", &rule.nothing},
		{"label", &rule.label},       {"twice", &twice},
		{"targets", &rule.targets},   {"minus", &rule.minus},
		{"selected", &rule.selected}, {"predicate", &rule.predicate},
		{"fragment", &rule.fragment}, {"words", &rule.words},
		{"unified", &rule.unified},
	};

	if (ptx_has_modifier(in, SLOT_TYPE))
		rule.type = ptx_inst_type(in, SLOT_TYPE);
	list = ptx_find_clause(in->row->where, rule.name, strlen(rule.name), &left);
	while (list && (word = ptx_next_word(&list, &left, &n))) {
		if (*word == '.')
			read_rule_type(&rule, in, word, n, twice);
		for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
			if (strlen(flags[i].word) == n && !memcmp(flags[i].word, word, n))
				*flags[i].flag = true;
	}
	rule.vector = rule.vector && ptx_has_modifier(in, SLOT_VECTOR);
	return rule;
}

/* ---- spellings ---- */

/* The cache entry of a spelling, 0 for a new one; NULL: it contains blanks and is not cached. */
static uint32_t *find_spelling(struct ptx *x, const struct ptx_inst *in)
{
	const char *end = in->name.text + in->name.length;

	for (uint32_t i = 0; i < in->nmodifiers; i++) {
		if (in->modifiers[i].text != end)
			return NULL;
		end += in->modifiers[i].length;
	}
	return name_map_get(&x->spellings, in->name.text, (uint32_t)(end - in->name.text));
}

static void use_match(struct ptx_inst *in, const struct ptx_match *s)
{
	in->match = s;
	in->row = s->row;
	in->present = s->present;
	memcpy(in->value, s->value, sizeof(in->value));
}

/* Parses the row's operands. */
static struct ptx_match *match_new(struct ptx *x, const struct ptx_inst *in)
{
	struct ptx_match *s = arena_alloc(x->arena, sizeof(*s));

	s->row = in->row;
	s->present = in->present;
	memcpy(s->value, in->value, sizeof(s->value));
	s->nforms = read_operand_forms(in->row->form, s->forms);
	for (uint32_t i = 0; i < s->nforms; i++)
		s->rules[s->forms[i].role] = read_operand_rule(in, s->forms[i].role);
	return s;
}

static bool find_row(struct ptx *x, struct ptx_inst *in)
{
	uint32_t first = *name_map_get(&x->rows, in->name.text, in->name.length);

	if (!first) {
		report_unknown_instruction(x, in);
		return false;
	}
	for (const struct ptx_row *row = &ptx_rows[first - 1]; row; row = next_row(row))
		if (match_row(x, in, row))
			return true;
	report_modifiers(x, in, &ptx_rows[first - 1]);
	return false;
}

bool ptx_match_modifiers(struct ptx *x, struct ptx_inst *in)
{
	uint32_t *number = find_spelling(x, in);
	struct ptx_match *s;

	if (number && *number) {
		use_match(in, x->matches[*number - 1]);
		return true;
	}
	if (!find_row(x, in))
		return false;
	s = match_new(x, in);
	use_match(in, s);
	if (number) {
		x->matches = arena_grow(x->arena, x->matches, &x->matches_capacity, x->nmatches + 1,
					sizeof(*x->matches));
		x->matches[x->nmatches++] = s;
		*number = x->nmatches;
	}
	return true;
}

/* ---- checks ---- */

/* Integer instructions read and write registers of packed types, as in ptxas. */
static bool is_packed(const struct ptx_type *t)
{
	return t->format == IR_F16X2 || t->format == IR_BF16X2;
}

/* PTX ISA, "Operand Size Exceeding Instruction-Type Size" and the type rules before it: untyped
 * bits are compatible with any type of their width, signedness does not matter, floats and
 * integers do not mix. */
static bool types_compatible(const struct operand_rule *rule, const struct ptx_type *r)
{
	const struct ptx_type *t = rule->type;

	if (t->class == CLASS_PREDICATE || r->class == CLASS_PREDICATE)
		return t->class == r->class;
	if (r->bits < t->bits || (r->bits > t->bits && !(rule->wider && r->bits <= 64)))
		return false;
	if (r->class == CLASS_BITS || t->class == CLASS_BITS)
		return true;
	if (is_packed(r) && t->class != CLASS_FLOAT)
		return true;
	if (r->class == CLASS_FLOAT || t->class == CLASS_FLOAT)
		return r == t;
	return true;
}

struct check_context {
	struct ptx *x;
	const struct ptx_inst *in;
	struct operand_rule rule;
};

#define operand_error(c, o, fmt, ...) \
	(ptx_error((c)->x, &(o)->at, "operand %s of '%s' " fmt, (c)->rule.name, \
		   ptx_spelling((c)->x, (c)->in), __VA_ARGS__), \
	 false)

static bool check_constant(struct check_context *c, struct ptx_operand *o)
{
	struct ptx_constant k = {o->kind == OPERAND_FLOAT, o->is_unsigned, o->bits, o->value};

	if (c->rule.written)
		return operand_error(c, o, "must be a register, found '%.*s'", TEXT(&o->at));
	if (ptx_constant_bits(&k, c->rule.type, &o->value))
		return true;
	return operand_error(c, o, "is a %s, which '%.*s' does not fit", c->rule.type->name,
			     TEXT(&o->at));
}

/*
 * Addresses of global variables have 64 bits, those of others fit fewer. As in ptxas, the sum of
 * an address and an offset, and the address of a function, lose bits at their use like other
 * constants.
 */
static bool fits_address(const struct check_context *c, const struct ptx_operand *o)
{
	const struct ptx_type *t = c->rule.type;

	if (t->class == CLASS_PREDICATE)
		return false;
	if (o->kind == OPERAND_FUNCTION || t->bits == 64)
		return true;
	if (t->class == CLASS_FLOAT)
		return false;
	return o->kind != OPERAND_VARIABLE || o->value ||
	       c->x->module->symbols[o->name->symbol].space != IR_GLOBAL;
}

/* Instructions other than moves take what looks like a constant: a function, or a sum. */
static bool takes_address(const struct check_context *c, const struct ptx_operand *o)
{
	return c->rule.variable || o->kind == OPERAND_FUNCTION ||
	       (o->kind == OPERAND_VARIABLE && o->value && c->rule.type->class != CLASS_FLOAT &&
		!o->name->handle);
}

static bool check_variable(struct check_context *c, struct ptx_operand *o)
{
	if (!takes_address(c, o))
		return operand_error(c, o,
				     "must be a register or a constant, found variable '%.*s'",
				     TEXT(o->name));
	if (o->kind == OPERAND_OBJECT && !o->name->object->local && !o->name->object->reference)
		return operand_error(c, o,
				     "is the address of '%.*s'; a result of a function and a "
				     ".param of a call are reached by ld.param and st.param alone",
				     TEXT(o->name));
	if (fits_address(c, o))
		return true;
	return operand_error(c, o, "is a %s, too narrow for the address of '%.*s'",
			     c->rule.type->name, TEXT(o->name));
}

static bool check_register(struct check_context *c, struct ptx_operand *o)
{
	const struct ptx_type *r = o->name->type;

	if (c->rule.predicate && r->class == CLASS_PREDICATE) {
		o->type = r;
		return true;
	}
	if (o->negated && c->rule.type->class != CLASS_PREDICATE)
		return operand_error(c, o, "is a %s; '!' is for predicates", c->rule.type->name);
	if (o->negated && c->rule.written)
		return operand_error(c, o, "is written; '!%s' cannot be", "p");
	if (o->selector_length && !c->rule.selected)
		return operand_error(c, o, "is a whole register, found '%.*s'", TEXT(&o->at));
	if (types_compatible(&c->rule, r))
		return true;
	return operand_error(c, o, "is a %s, but '%.*s' is a %s register", c->rule.type->name,
			     TEXT(o->name), r->name);
}

static bool is_address_of_name(const struct ptx_operand *o)
{
	return o->kind == OPERAND_VARIABLE || o->kind == OPERAND_PARAMETER ||
	       o->kind == OPERAND_FUNCTION || o->kind == OPERAND_OBJECT;
}

/* An integer constant or an address of 128 bits: ptxas zero-extends 64 bits. */
static bool check_wide_constant(struct check_context *c, struct ptx_operand *o)
{
	const struct ptx_type *half = type_of_width(CLASS_BITS, 64);
	struct ptx_operand low = *o;

	c->rule.type = half;
	c->rule.variable = true;
	if (is_address_of_name(o) ? !check_variable(c, &low) : !check_constant(c, &low))
		return false;
	low.type = half;
	o->kind = OPERAND_VECTOR;
	o->count = 2;
	o->elements = arena_array(c->x->arena, o->count, sizeof(*o->elements));
	o->elements[0] = o->elements[1] = low;
	o->elements[1].kind = OPERAND_INTEGER;
	o->elements[1].value = 0;
	return true;
}

/* Replaces a 128-bit register by a vector of two 64-bit ones. */
static bool check_wide(struct check_context *c, struct ptx_operand *o)
{
	if (o->kind == OPERAND_BIT_BUCKET && c->rule.nothing)
		return true;
	if ((o->kind == OPERAND_INTEGER || is_address_of_name(o)) && c->rule.parts &&
	    !c->rule.written)
		return check_wide_constant(c, o);
	if (o->kind != OPERAND_REGISTER)
		return operand_error(c, o, "must be a .b128 register, found '%.*s'", TEXT(&o->at));
	if (!check_register(c, o))
		return false;
	ptx_split_register(c->x, o, 2, type_of_width(CLASS_BITS, 64));
	return true;
}

/* The width of a special register, for a message. */
static uint32_t special_bits(const struct ptx_operand *o)
{
	uint32_t widths = ptx_special_widths(o->at.text, o->at.length);

	return widths & 64 ? 64 : widths == 1 ? 1 : 32;
}

/* Conversions accept any width. */
static bool check_special(struct check_context *c, const struct ptx_operand *o)
{
	if (!c->rule.special)
		return operand_error(c, o, "cannot be '%.*s'", TEXT(&o->at));
	if (c->rule.wider || ptx_special_widths(o->at.text, o->at.length) & c->rule.type->bits)
		return true;
	return operand_error(c, o, "is a %s, but '%.*s' has %u bits", c->rule.type->name,
			     TEXT(&o->at), special_bits(o));
}

static bool check_scalar(struct check_context *c, struct ptx_operand *o)
{
	o->type = c->rule.type;
	if (o->kind == OPERAND_BAD)
		return false;
	if (o->minus && !(c->rule.minus && o->kind == OPERAND_REGISTER))
		return operand_error(c, o, "has no sign, found '%.*s'", TEXT(&o->at));
	if (c->rule.label)
		return o->kind == OPERAND_LABEL ||
		       operand_error(c, o, "must be a label, found '%.*s'", TEXT(&o->at));
	if (c->rule.targets)
		return o->kind == OPERAND_TARGETS ||
		       operand_error(c, o, "must be a .branchtargets list, found '%.*s'",
				     TEXT(&o->at));
	if (c->rule.type->bits == 128)
		return check_wide(c, o);
	if (o->kind == OPERAND_REGISTER)
		return check_register(c, o);
	if (o->negated)
		return operand_error(c, o, "must be a predicate, found '%.*s'", TEXT(&o->at));
	if (o->kind == OPERAND_INTEGER || o->kind == OPERAND_FLOAT)
		return check_constant(c, o);
	if (o->kind == OPERAND_BIT_BUCKET && c->rule.nothing)
		return true;
	if (c->rule.written)
		return operand_error(c, o, "must be a register, found '%.*s'", TEXT(&o->at));
	if (is_address_of_name(o))
		return check_variable(c, o);
	if (o->kind == OPERAND_SPECIAL)
		return check_special(c, o);
	return operand_error(c, o, "cannot be '%.*s'", TEXT(&o->at));
}

static bool check_vector(struct check_context *c, struct ptx_operand *o)
{
	uint32_t count = c->rule.vector ? c->in->value[SLOT_VECTOR] : o->count;
	bool good = true;

	o->type = c->rule.type;
	if (!c->rule.vector && !c->rule.fragment && !c->rule.words &&
	    !(c->rule.parts && (o->count == 2 || o->count == 4) &&
	      c->rule.type->bits / o->count >= 8))
		return operand_error(c, o, "cannot be a vector of %u", o->count);
	if (o->count != count)
		return operand_error(c, o, "must have %u elements, found %u", count, o->count);
	if (c->rule.parts)
		c->rule.type = type_of_width(CLASS_BITS, c->rule.type->bits / count);
	if (c->rule.words)
		c->rule.type = type_of_width(CLASS_BITS, 32);
	c->rule.nothing = c->rule.written;
	c->rule.variable = false;
	c->rule.special &= c->rule.vector;
	for (uint32_t i = 0; i < o->count; i++)
		good &= check_scalar(c, &o->elements[i]);
	return good;
}

static bool check_address(struct check_context *c, struct ptx_operand *o)
{
	if (o->kind == OPERAND_BAD)
		return false;
	if (o->unified && !c->rule.unified)
		return operand_error(c, o, "is not '%.*s'; .unified is for ld", TEXT(&o->at));
	if (o->kind == OPERAND_VARIABLE && o->name->handle &&
	    ir_ops[c->in->row->op].rule != R_TEXTURE)
		return operand_error(c, o, "is memory, not the texture or surface '%.*s'",
				     TEXT(o->name));
	if ((o->kind == OPERAND_REGISTER && !o->negated) || o->kind == OPERAND_VARIABLE ||
	    o->kind == OPERAND_PARAMETER || o->kind == OPERAND_OBJECT)
		return true;
	return operand_error(c, o, "must be a register or a variable in brackets, found '%.*s'",
			     TEXT(&o->at));
}

/* Moves, loads and stores take the braces of a vector around a scalar; so does ptxas. */
static bool takes_braces(const struct ptx_inst *in)
{
	switch (in->row->op) {
	case IR_COPY:
	case IR_LOAD:
	case IR_STORE:
		return !ptx_has_modifier(in, SLOT_VECTOR);
	default:
		return false;
	}
}

static bool check_operand(struct ptx *x, struct ptx_inst *in, enum ptx_role role)
{
	struct check_context c = {x, in, in->match->rules[role]};
	struct ptx_operand *o = in->role[role];

	if (o->kind == OPERAND_VECTOR && o->count == 1 && !c.rule.fragment && takes_braces(in))
		*o = o->elements[0];
	if (o->address)
		return check_address(&c, o);
	if (o->kind == OPERAND_VECTOR)
		return check_vector(&c, o);
	if (c.rule.vector && o->kind != OPERAND_BAD)
		return operand_error(&c, o, "must be a vector of %u, found '%.*s'",
				     in->value[SLOT_VECTOR], TEXT(&o->at));
	return check_scalar(&c, o);
}

bool ptx_match_operands(struct ptx *x, struct ptx_inst *in)
{
	bool good = true;

	if (!assign_roles(x, in))
		return false;
	for (int r = 0; r < ROLE_COUNT; r++)
		if (in->role[r])
			good &= check_operand(x, in, r);
	return good;
}
