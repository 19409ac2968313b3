/* SPDX-License-Identifier: MIT */
/*
 * Interprets the table: finds the row whose form has the instruction's modifiers, gives each
 * operand its role, and checks kinds and types. The rows are read as they are written; there is no
 * second form of them. A program has few spellings ("add.s32"), so what a row says about one is
 * read once and kept.
 */
#include <string.h>
#include "libsov/compiler/ptx/front_end.h"

#define MAX_ELEMENTS 12

/* A modifier's place in a form. */
struct element {
	const char *text; /* ".rnd" */
	size_t length;
	enum ptx_slot group; /* SLOT_COUNT: the word itself */
	bool optional;
};

/* An operand's place in a form. */
struct place {
	enum ptx_role role;
	int separator; /* before it */
	bool address, optional;
};

/* What the clauses say about an operand. */
struct wanted {
	const struct ptx_type *type;
	bool wider, special, variable, parts, vector, nothing, label, targets, written;
	const char *name; /* "d" */
};

struct ptx_spelled {
	const struct ptx_row *row;
	uint64_t said;
	uint8_t value[SLOT_COUNT];
	uint32_t nplaces;
	struct place places[PTX_MAX_OPERANDS];
	struct wanted wanted[ROLE_COUNT];
};

static const char *const role_names[ROLE_COUNT] = {
	"d", "p", "q", "a", "b", "c", "e", "f", "policy", "membermask", "tgt", "tlist",
};

/* ---- reading rows ---- */

/* Characters up to a stop or the end. (strcspn makes a table of the stops first, which takes longer than
 * our words are.) */
static size_t until(const char *s, const char *stops)
{
	size_t n = 0;

	for (; s[n]; n++)
		for (const char *stop = stops; *stop; stop++)
			if (s[n] == *stop)
				return n;
	return n;
}

static size_t blanks(const char *s)
{
	size_t n = 0;

	while (s[n] == ' ')
		n++;
	return n;
}

static size_t name_length(const char *form)
{
	return until(form, ".{ ");
}

/* The next piece of text up to a stop character; *at moves past it. */
static size_t span(const char **at, const char *stops)
{
	size_t n = until(*at, stops);

	*at += n;
	return n;
}

static uint32_t read_elements(const char *form, struct element *e)
{
	const char *at = form + name_length(form);
	bool optional = false;
	uint32_t n = 0;

	while (*at && *at != ' ') {
		if (*at == '.' && n < MAX_ELEMENTS) {
			e[n].text = at++;
			e[n].length = 1 + span(&at, ".{} ");
			e[n].group = ptx_group_slot(e[n].text, e[n].length);
			e[n++].optional = optional;
		} else {
			optional = *at++ == '{';
		}
	}
	return n;
}

static uint32_t read_places(const char *form, struct place *p)
{
	const char *at = strchr(form, ' ');
	struct place next = {0};
	uint32_t n = 0;

	while (at && *at) {
		const char *name = at;
		size_t length = span(&at, " ,|[]{}");

		for (int r = 0; length && r < ROLE_COUNT; r++) {
			if (strlen(role_names[r]) == length &&
			    !memcmp(role_names[r], name, length)) {
				next.role = r;
				p[n++] = next;
				next = (struct place){.optional = next.optional};
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

/* The meaning of a name in the row's clauses: the words after '='; NULL when there is no clause. */
static const char *find_clause(const char *where, const char *name, size_t length, size_t *words)
{
	while (*where) {
		bool mine = false;

		while (*where && *where != '=') {
			const char *word = where;
			size_t n = span(&where, " =");

			mine |= n == length && !memcmp(word, name, n);
			where += *where == ' ';
		}
		where += *where == '=';
		where += blanks(where);
		*words = until(where, ";");
		if (mine)
			return where;
		where += *words;
		where += *where == ';';
		where += blanks(where);
	}
	return NULL;
}

/* Takes the next word of a list; NULL at its end. */
static const char *next_word(const char **list, size_t *left, size_t *length)
{
	size_t before = blanks(*list);
	const char *word;

	if (before >= *left)
		return NULL;
	word = *list + before;
	*left -= before;
	*length = until(word, " ;");
	*list = word + *length;
	*left -= *length;
	return word;
}

static bool in_list(const char *list, size_t left, const char *text, size_t length)
{
	const char *word;
	size_t n;

	while ((word = next_word(&list, &left, &n)))
		if (n == length && !memcmp(word, text, n))
			return true;
	return false;
}

/* ---- modifiers ---- */

void ptx_index_build(struct ptx *x)
{
	x->rows.arena = x->spellings.arena = x->arena;
	for (uint32_t i = 0; ptx_rows[i].form; i++) {
		uint32_t *first =
			name_map_get(&x->rows, ptx_rows[i].form, name_length(ptx_rows[i].form));

		if (!*first)
			*first = i + 1;
	}
}

/* The next row of the same instruction, or NULL. */
static const struct ptx_row *next_row(const struct ptx_row *row)
{
	size_t n = name_length(row->form);

	if (!row[1].form || name_length(row[1].form) != n || memcmp(row[1].form, row->form, n))
		return NULL;
	return row + 1;
}

static void say(struct ptx_inst *in, enum ptx_slot slot, uint32_t value)
{
	in->said |= UINT64_C(1) << slot;
	in->value[slot] = (uint8_t)value;
}

/* A word that stands for itself says what it says anywhere. */
static void say_word(struct ptx_inst *in, const struct ptx_token *t)
{
	const struct ptx_type *type = ptx_type_find(t->text, t->length);
	const struct ptx_word *word = ptx_word_find(SLOT_COUNT, t->text, t->length);

	if (type)
		say(in, SLOT_TYPE, (uint32_t)(type - ptx_types));
	else if (word)
		say(in, word->slot, word->value);
}

static bool is_type(const struct element *e)
{
	if (e->group == SLOT_COUNT)
		return ptx_type_find(e->text, e->length);
	return e->group == SLOT_TYPE || e->group == SLOT_SOURCE_TYPE || e->group == SLOT_THIRD_TYPE;
}

static bool accepts(struct ptx_inst *in, const struct ptx_row *row, const struct element *e,
		    const struct ptx_token *t)
{
	const struct ptx_word *word;
	const struct ptx_type *type;
	const char *list;
	size_t n;

	if (e->group == SLOT_COUNT) {
		if (e->length != t->length || memcmp(e->text, t->text, t->length))
			return false;
		say_word(in, t);
		return true;
	}
	list = find_clause(row->where, e->text, e->length, &n);
	if (list && !in_list(list, n, t->text, t->length))
		return false;
	type = ptx_type_find(t->text, t->length);
	if (is_type(e)) {
		if (type)
			say(in, e->group, (uint32_t)(type - ptx_types));
		return type;
	}
	word = ptx_word_find(e->group, t->text, t->length);
	if (word)
		say(in, e->group, word->value);
	return word;
}

/* Types come in the row's order: none before those that stand to its left. */
static bool in_turn(const struct element *e, uint32_t i, uint32_t taken)
{
	for (uint32_t k = 0; is_type(&e[i]) && k < i; k++)
		if (is_type(&e[k]) && !(taken >> k & 1))
			return false;
	return true;
}

static bool match_row(struct ptx_inst *in, const struct ptx_row *row)
{
	struct element e[MAX_ELEMENTS];
	uint32_t n = read_elements(row->form, e), taken = 0;

	in->said = 0;
	for (uint32_t w = 0; w < in->nwords; w++) {
		uint32_t i = 0;

		while (i < n && (taken >> i & 1 || !in_turn(e, i, taken) ||
				 !accepts(in, row, &e[i], &in->words[w])))
			i++;
		if (i == n)
			return false;
		taken |= 1u << i;
	}
	for (uint32_t i = 0; i < n; i++)
		if (!e[i].optional && !(taken >> i & 1))
			return false;
	in->row = row;
	return true;
}

/* ---- what to say when no row matches ---- */

const char *ptx_spelling(struct ptx *x, const struct ptx_inst *in)
{
	struct text t = {.arena = x->arena};

	text_printf(&t, "%.*s", TEXT(&in->name));
	for (uint32_t i = 0; i < in->nwords; i++)
		text_printf(&t, "%.*s", TEXT(&in->words[i]));
	return t.s;
}

static void add_known(struct text *t, const char *word, size_t length)
{
	if (!t->s || !in_list(t->s, t->length, word, length))
		text_printf(t, " %.*s", (int)length, word);
}

static void add_known_of(struct text *t, const struct ptx_row *row, const struct element *e)
{
	const char *list, *word;
	size_t left, n;

	if (e->group == SLOT_COUNT) {
		add_known(t, e->text, e->length);
		return;
	}
	list = find_clause(row->where, e->text, e->length, &left);
	while (list && (word = next_word(&list, &left, &n)))
		add_known(t, word, n);
	for (uint32_t i = 0; !list && i < ptx_word_count; i++)
		if (ptx_words[i].slot == e->group)
			add_known(t, ptx_words[i].text, strlen(ptx_words[i].text));
}

static const char *known_words(struct ptx *x, const struct ptx_row *row)
{
	struct text t = {.arena = x->arena};
	struct element e[MAX_ELEMENTS];

	for (; row; row = next_row(row)) {
		uint32_t n = read_elements(row->form, e);

		for (uint32_t i = 0; i < n; i++)
			add_known_of(&t, row, &e[i]);
	}
	return t.s ? t.s : " none";
}

static const char *known_forms(struct ptx *x, const struct ptx_row *row)
{
	struct text t = {.arena = x->arena};

	for (; row; row = next_row(row))
		add_known(&t, row->form, until(row->form, " "));
	return t.s;
}

static void report_words(struct ptx *x, const struct ptx_inst *in, const struct ptx_row *first)
{
	const char *known = known_words(x, first);

	for (uint32_t i = 0; i < in->nwords; i++) {
		const struct ptx_token *t = &in->words[i];

		if (!in_list(known, strlen(known), t->text, t->length)) {
			ptx_error(x, t, "unknown modifier '%.*s' on '%.*s'; known:%s", TEXT(t),
				  TEXT(&in->name), known);
			return;
		}
	}
	ptx_error(x, &in->name, "no form of '%.*s' is spelled '%s'; forms:%s", TEXT(&in->name),
		  ptx_spelling(x, in), known_forms(x, first));
}

static void report_name(struct ptx *x, const struct ptx_inst *in)
{
	for (uint32_t i = 0; ptx_absent[i].names; i++) {
		const char *names = ptx_absent[i].names;

		if (in_list(names, strlen(names), in->name.text, in->name.length)) {
			ptx_error(x, &in->name, "instruction '%.*s' is not supported: %s",
				  TEXT(&in->name), ptx_absent[i].kind);
			return;
		}
	}
	ptx_error(x, &in->name, "unknown instruction '%.*s'", TEXT(&in->name));
}

/* ---- operands ---- */

/* An optional operand in the middle is there when more are given than those after it need. */
static bool leaves_enough(const struct place *p, uint32_t i, uint32_t n, uint32_t given)
{
	uint32_t required = 0;

	for (uint32_t k = i + 1; k < n; k++)
		required += !p[k].optional;
	return !p[i].optional || given > required;
}

static bool assign_roles(struct ptx *x, struct ptx_inst *in)
{
	const char *notation = strchr(in->row->form, ' ');
	const struct place *p = in->spelled->places;
	uint32_t n = in->spelled->nplaces, j = 0, i = 0, required = 0;

	for (uint32_t k = 0; k < n; k++)
		required += !p[k].optional;
	for (; i < n; i++) {
		struct ptx_operand *o = &in->operands[j];

		if (j < in->noperands && o->separator == p[i].separator &&
		    o->address == p[i].address && leaves_enough(p, i, n, in->noperands - j))
			in->role[p[i].role] = &in->operands[j++];
		else if (!p[i].optional)
			break;
	}
	if (i == n && j == in->noperands)
		return true;
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

/* A type of a class with given bits, such as .u64 for twice .u32. */
static const struct ptx_type *sibling(uint8_t class, uint32_t bits)
{
	for (uint32_t i = 0; i < ptx_type_count; i++)
		if (ptx_types[i].class == class && ptx_types[i].bits == bits)
			return &ptx_types[i];
	return NULL;
}

static void read_type(struct wanted *w, const struct ptx_inst *in, const char *word, size_t n,
		      bool twice)
{
	enum ptx_slot group = ptx_group_slot(word, n);

	w->type = group == SLOT_COUNT ? ptx_type_find(word, n) : ptx_inst_type(in, group);
	if (twice)
		w->type = sibling(w->type->class, w->type->bits * 2u);
}

static struct wanted read_wanted(const struct ptx_inst *in, enum ptx_role role)
{
	struct wanted w = {.written = role <= ROLE_Q, .name = role_names[role]};
	const char *word, *list;
	bool twice = false;
	size_t left, n;
	struct {
		const char *word;
		bool *flag;
	} flags[] = {
		{"wider", &w.wider}, {"special", &w.special}, {"variable", &w.variable},
		{"parts", &w.parts}, {"vector", &w.vector},   {"nothing", &w.nothing},
		{"label", &w.label}, {"twice", &twice},       {"targets", &w.targets},
	};

	if (ptx_said(in, SLOT_TYPE))
		w.type = ptx_inst_type(in, SLOT_TYPE);
	list = find_clause(in->row->where, w.name, strlen(w.name), &left);
	while (list && (word = next_word(&list, &left, &n))) {
		if (*word == '.')
			read_type(&w, in, word, n, twice);
		for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
			if (strlen(flags[i].word) == n && !memcmp(flags[i].word, word, n))
				*flags[i].flag = true;
	}
	w.vector = w.vector && ptx_said(in, SLOT_VECTOR);
	return w;
}

/* ---- spellings ---- */

/* The number of a spelling among those known, 0 for a new one; NULL when blanks are in it. */
static uint32_t *spelling_number(struct ptx *x, const struct ptx_inst *in)
{
	const char *end = in->name.text + in->name.length;

	for (uint32_t i = 0; i < in->nwords; i++) {
		if (in->words[i].text != end)
			return NULL;
		end += in->words[i].length;
	}
	return name_map_get(&x->spellings, in->name.text, (uint32_t)(end - in->name.text));
}

static void use_spelled(struct ptx_inst *in, const struct ptx_spelled *s)
{
	in->spelled = s;
	in->row = s->row;
	in->said = s->said;
	memcpy(in->value, s->value, sizeof(in->value));
}

/* What the row says about the instruction's operands. */
static struct ptx_spelled *read_row(struct ptx *x, const struct ptx_inst *in)
{
	struct ptx_spelled *s = arena_alloc(x->arena, sizeof(*s));

	s->row = in->row;
	s->said = in->said;
	memcpy(s->value, in->value, sizeof(s->value));
	s->nplaces = read_places(in->row->form, s->places);
	for (uint32_t i = 0; i < s->nplaces; i++)
		s->wanted[s->places[i].role] = read_wanted(in, s->places[i].role);
	return s;
}

static bool find_row(struct ptx *x, struct ptx_inst *in)
{
	uint32_t first = *name_map_get(&x->rows, in->name.text, in->name.length);

	if (!first) {
		report_name(x, in);
		return false;
	}
	for (const struct ptx_row *row = &ptx_rows[first - 1]; row; row = next_row(row))
		if (match_row(in, row))
			return true;
	report_words(x, in, &ptx_rows[first - 1]);
	return false;
}

bool ptx_match_words(struct ptx *x, struct ptx_inst *in)
{
	uint32_t *number = spelling_number(x, in);
	struct ptx_spelled *s;

	if (number && *number) {
		use_spelled(in, x->spelled[*number - 1]);
		return true;
	}
	if (!find_row(x, in))
		return false;
	s = read_row(x, in);
	use_spelled(in, s);
	if (number) {
		x->spelled = arena_grow(x->arena, x->spelled, &x->spelled_capacity, x->nspelled + 1,
					sizeof(*x->spelled));
		x->spelled[x->nspelled++] = s;
		*number = x->nspelled;
	}
	return true;
}

/* ---- checks ---- */

/* PTX ISA, "Operand Size Exceeding Instruction-Type Size" and the type rules before it: untyped
 * bits go with everything of their width, signedness does not matter, floats and integers do not
 * mix. */
static bool suits(const struct wanted *w, const struct ptx_type *r)
{
	const struct ptx_type *t = w->type;

	if (t->class == CLASS_PREDICATE || r->class == CLASS_PREDICATE)
		return t->class == r->class;
	if (r->bits < t->bits || (r->bits > t->bits && !(w->wider && r->bits <= 64)))
		return false;
	if (r->class == CLASS_BITS || t->class == CLASS_BITS)
		return true;
	if (r->class == CLASS_FLOAT || t->class == CLASS_FLOAT)
		return r == t;
	return true;
}

struct check {
	struct ptx *x;
	const struct ptx_inst *in;
	struct wanted w;
};

#define complain(c, o, fmt, ...) \
	(ptx_error((c)->x, &(o)->at, "operand %s of '%s' " fmt, (c)->w.name, \
		   ptx_spelling((c)->x, (c)->in), __VA_ARGS__), \
	 false)

static bool check_constant(struct check *c, struct ptx_operand *o)
{
	struct ptx_constant k = {o->kind == OPERAND_FLOAT, o->is_unsigned, o->bits, o->value};

	if (c->w.written)
		return complain(c, o, "must be a register, found '%.*s'", TEXT(&o->at));
	if (ptx_constant_bits(&k, c->w.type, &o->value))
		return true;
	return complain(c, o, "is a %s, which '%.*s' does not fit", c->w.type->name, TEXT(&o->at));
}

/* Shared and local memory and parameters also have 32-bit addresses. */
static bool has_narrow_address(struct ptx *x, const struct ptx_operand *o)
{
	enum ir_space s;

	if (o->kind == OPERAND_PARAMETER)
		return true;
	s = x->module->symbols[o->name->symbol].space;
	return s == IR_SHARED || s == IR_LOCAL;
}

static bool check_variable(struct check *c, struct ptx_operand *o)
{
	uint8_t bits = c->w.type->bits;

	if (!c->w.variable)
		return complain(c, o, "must be a register or a constant, found variable '%.*s'",
				TEXT(o->name));
	if (o->kind == OPERAND_OBJECT)
		return complain(c, o,
				"is the address of '%.*s'; a .param of a function or call "
				"is reached by ld.param and st.param alone",
				TEXT(o->name));
	if (bits == 64 ||
	    (bits == 32 && o->kind != OPERAND_FUNCTION && has_narrow_address(c->x, o)))
		return true;
	return complain(c, o, "is a %s, too narrow for the address of '%.*s'", c->w.type->name,
			TEXT(o->name));
}

static bool check_register(struct check *c, struct ptx_operand *o)
{
	const struct ptx_type *r = o->name->type;

	if (o->negated && c->w.type->class != CLASS_PREDICATE)
		return complain(c, o, "is a %s; '!' is for predicates", c->w.type->name);
	if (o->negated && c->w.written)
		return complain(c, o, "is written; '!%s' cannot be", "p");
	if (suits(&c->w, r))
		return true;
	return complain(c, o, "is a %s, but '%.*s' is a %s register", c->w.type->name,
			TEXT(o->name), r->name);
}

/* A register of 128 bits is a vector of two of 64. */
static bool check_wide(struct check *c, struct ptx_operand *o)
{
	struct ptx_name *n = o->name;

	if (o->kind == OPERAND_NOTHING && c->w.nothing)
		return true;
	if (o->kind != OPERAND_REGISTER)
		return complain(c, o, "must be a .b128 register, found '%.*s'", TEXT(&o->at));
	if (!check_register(c, o))
		return false;
	if (!n->halves) {
		n->halves = arena_array(c->x->arena, 2, sizeof(*n->halves));
		for (uint32_t k = 0; k < 2; k++) {
			n->halves[k] = *n;
			n->halves[k].halves = NULL;
			n->halves[k].type = sibling(CLASS_BITS, 64);
		}
	}
	o->kind = OPERAND_VECTOR;
	o->count = 2;
	o->elements = arena_array(c->x->arena, o->count, sizeof(*o->elements));
	for (uint32_t k = 0; k < o->count; k++) {
		o->elements[k] = (struct ptx_operand){.kind = OPERAND_REGISTER, .at = o->at};
		o->elements[k].name = &n->halves[k];
		o->elements[k].type = n->halves[k].type;
	}
	return true;
}

/* Conversions take the bits that they want. */
static bool check_special(struct check *c, const struct ptx_operand *o)
{
	if (!c->w.special)
		return complain(c, o, "cannot be '%.*s'", TEXT(&o->at));
	if (c->w.wider || ptx_special_widths(o->at.text, o->at.length) & c->w.type->bits)
		return true;
	return complain(c, o, "is a %s, but '%.*s' has %u bits", c->w.type->name, TEXT(&o->at),
			ptx_special_widths(o->at.text, o->at.length) & 64 ? 64 : 32);
}

static bool check_scalar(struct check *c, struct ptx_operand *o)
{
	o->type = c->w.type;
	if (o->kind == OPERAND_BAD)
		return false;
	if (c->w.label)
		return o->kind == OPERAND_LABEL ||
		       complain(c, o, "must be a label, found '%.*s'", TEXT(&o->at));
	if (c->w.targets)
		return o->kind == OPERAND_TARGETS ||
		       complain(c, o, "must be a .branchtargets list, found '%.*s'", TEXT(&o->at));
	if (c->w.type->bits == 128)
		return check_wide(c, o);
	if (o->kind == OPERAND_REGISTER)
		return check_register(c, o);
	if (o->negated)
		return complain(c, o, "must be a predicate, found '%.*s'", TEXT(&o->at));
	if (o->kind == OPERAND_INTEGER || o->kind == OPERAND_FLOAT)
		return check_constant(c, o);
	if (o->kind == OPERAND_NOTHING && c->w.nothing)
		return true;
	if (c->w.written)
		return complain(c, o, "must be a register, found '%.*s'", TEXT(&o->at));
	if (o->kind == OPERAND_VARIABLE || o->kind == OPERAND_PARAMETER ||
	    o->kind == OPERAND_FUNCTION || o->kind == OPERAND_OBJECT)
		return check_variable(c, o);
	if (o->kind == OPERAND_SPECIAL)
		return check_special(c, o);
	return complain(c, o, "cannot be '%.*s'", TEXT(&o->at));
}

static bool check_vector(struct check *c, struct ptx_operand *o)
{
	uint32_t count = c->w.vector ? c->in->value[SLOT_VECTOR] : o->count;
	bool good = true;

	o->type = c->w.type;
	if (!c->w.vector &&
	    !(c->w.parts && (o->count == 2 || o->count == 4) && c->w.type->bits / o->count >= 8))
		return complain(c, o, "cannot be a vector of %u", o->count);
	if (o->count != count)
		return complain(c, o, "must have %u elements, found %u", count, o->count);
	if (c->w.parts)
		c->w.type = sibling(CLASS_BITS, c->w.type->bits / count);
	c->w.nothing = c->w.written;
	c->w.variable = false;
	c->w.special &= c->w.vector;
	for (uint32_t i = 0; i < o->count; i++)
		good &= check_scalar(c, &o->elements[i]);
	return good;
}

static bool check_address(struct check *c, struct ptx_operand *o)
{
	if (o->kind == OPERAND_BAD)
		return false;
	if ((o->kind == OPERAND_REGISTER && !o->negated) || o->kind == OPERAND_VARIABLE ||
	    o->kind == OPERAND_PARAMETER || o->kind == OPERAND_OBJECT)
		return true;
	return complain(c, o, "must be a register or a variable in brackets, found '%.*s'",
			TEXT(&o->at));
}

static bool check_operand(struct ptx *x, struct ptx_inst *in, enum ptx_role role)
{
	struct check c = {x, in, in->spelled->wanted[role]};
	struct ptx_operand *o = in->role[role];

	if (o->address)
		return check_address(&c, o);
	if (o->kind == OPERAND_VECTOR)
		return check_vector(&c, o);
	if (c.w.vector && o->kind != OPERAND_BAD)
		return complain(&c, o, "must be a vector of %u, found '%.*s'",
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
