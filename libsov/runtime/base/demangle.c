// SPDX-License-Identifier: MIT
/*
 * Demangles the names of kernels for messages: "_Z5scalePfi" is scale(float*, int). The grammar is
 * that of the Itanium C++ ABI (section 5.1): nested and local names, templates with types and
 * literals, substitutions, builtin types, pointers, references, arrays and functions. Other forms
 * (expressions in template arguments, decltype) leave the name as it is. The C++ runtime has a
 * function for all of them, but libsov does not depend on that.
 *
 * A type is text before and after a declarator: "int (*" and ")(float)". Substitutions keep both.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "libsov/runtime/base/demangle.h"

#define MAX_SUBSTITUTIONS 64
#define MAX_ARGUMENTS     32
#define MAX_DEPTH         48
#define MAX_TEXT          16384
#define MAX_STEPS         2000

/* A part of the parser's text. */
struct piece {
	uint32_t start, length;
};

struct type {
	struct piece before, after;
	bool function_or_array; /* a pointer to it needs parentheses */
	bool reference, rvalue; /* references to references collapse */
};

struct parser {
	const char *at, *end;
	char text[MAX_TEXT];
	uint32_t used, depth, steps;
	struct type substitutions[MAX_SUBSTITUTIONS];
	uint32_t substitution_count;
	struct type arguments[MAX_ARGUMENTS]; /* of the last template: T_, T0_ … */
	uint32_t argument_count;
	bool failed;
};

/* What a function's name tells about its type. */
struct encoding {
	bool is_function;        /* not a type */
	bool is_template;        /* the return type comes first, except of … */
	bool no_return;          /* … constructors, destructors and conversions */
	struct piece qualifiers; /* of a member function: " const" */
};

static const struct piece empty;

static struct piece fail(struct parser *p)
{
	p->failed = true;
	return empty;
}

static struct type fail_type(struct parser *p)
{
	p->failed = true;
	return (struct type){{0, 0}, {0, 0}, false, false, false};
}

/* ---- text ---- */

static struct piece add(struct parser *p, const char *s, size_t n)
{
	struct piece r = {p->used, (uint32_t)n};

	if (n > MAX_TEXT - p->used)
		return fail(p);
	memcpy(p->text + p->used, s, n);
	p->used += (uint32_t)n;
	return r;
}

static struct piece literal(struct parser *p, const char *s)
{
	return add(p, s, strlen(s));
}

static struct piece join(struct parser *p, struct piece a, struct piece b)
{
	struct piece r = {p->used, a.length + b.length};

	if (!a.length || !b.length)
		return a.length ? a : b;
	add(p, p->text + a.start, a.length);
	add(p, p->text + b.start, b.length);
	return p->failed ? empty : r;
}

static struct piece append(struct parser *p, struct piece a, const char *s)
{
	return join(p, a, literal(p, s));
}

static struct piece prepend(struct parser *p, const char *s, struct piece a)
{
	return join(p, literal(p, s), a);
}

static struct piece whole(struct parser *p, struct type t)
{
	return join(p, t.before, t.after);
}

/* ---- input ---- */

static char next(const struct parser *p)
{
	return p->at < p->end ? *p->at : 0;
}

static char after_next(const struct parser *p)
{
	return p->end - p->at > 1 ? p->at[1] : 0;
}

static bool take(struct parser *p, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(p->end - p->at) < n || memcmp(p->at, word, n))
		return false;
	p->at += n;
	return true;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static uint32_t number(struct parser *p)
{
	uint32_t n = 0;

	if (!is_digit(next(p)))
		p->failed = true;
	while (is_digit(next(p)) && !p->failed) {
		p->failed = n > 10000;
		n = 10 * n + (uint32_t)(*p->at++ - '0');
	}
	return n;
}

/* "_" is 0, "0_" is 1, with digits to base 36 for substitutions. */
static uint32_t sequence_number(struct parser *p, uint32_t base)
{
	uint32_t n = 0;

	if (take(p, "_"))
		return 0;
	while (!p->failed && next(p) != '_') {
		char c = next(p);
		uint32_t digit = is_digit(c)                          ? (uint32_t)(c - '0')
				 : base == 36 && c >= 'A' && c <= 'Z' ? (uint32_t)(c - 'A' + 10)
								      : 99;

		if (digit >= base || n > 10000) {
			fail(p);
			return 0;
		}
		n = n * base + digit;
		p->at++;
	}
	if (!take(p, "_"))
		p->failed = true;
	return n + 1;
}

/* Each recursion counts: input cannot use up the stack or much time. */
static bool enter(struct parser *p)
{
	if (++p->depth > MAX_DEPTH || ++p->steps > MAX_STEPS)
		p->failed = true;
	return !p->failed;
}

static struct type simple(struct piece text)
{
	return (struct type){text, {0, 0}, false, false, false};
}

static struct type remember(struct parser *p, struct type t)
{
	if (p->substitution_count == MAX_SUBSTITUTIONS)
		p->failed = true;
	if (!p->failed)
		p->substitutions[p->substitution_count++] = t;
	return t;
}

/* ---- names ---- */

static struct type parse_type(struct parser *p);
static struct piece parse_encoding(struct parser *p);
static struct piece parse_name(struct parser *p, struct encoding *e);

static struct piece parse_source_name(struct parser *p)
{
	uint32_t n = number(p);
	struct piece r;

	if (p->failed || !n || n > (size_t)(p->end - p->at))
		return fail(p);
	if (n >= 10 && !memcmp(p->at, "_GLOBAL__N", 10))
		r = literal(p, "(anonymous namespace)");
	else
		r = add(p, p->at, n);
	p->at += n;
	return r;
}

static const struct {
	char code[3];
	const char *text;
} operators[] = {
	{"nw", "operator new"},      {"na", "operator new[]"}, {"dl", "operator delete"},
	{"da", "operator delete[]"}, {"ng", "operator-"},      {"ps", "operator+"},
	{"ad", "operator&"},         {"de", "operator*"},      {"co", "operator~"},
	{"pl", "operator+"},         {"mi", "operator-"},      {"ml", "operator*"},
	{"dv", "operator/"},         {"rm", "operator%"},      {"an", "operator&"},
	{"or", "operator|"},         {"eo", "operator^"},      {"aS", "operator="},
	{"pL", "operator+="},        {"mI", "operator-="},     {"mL", "operator*="},
	{"dV", "operator/="},        {"rM", "operator%="},     {"aN", "operator&="},
	{"oR", "operator|="},        {"eO", "operator^="},     {"ls", "operator<<"},
	{"rs", "operator>>"},        {"lS", "operator<<="},    {"rS", "operator>>="},
	{"eq", "operator=="},        {"ne", "operator!="},     {"lt", "operator<"},
	{"gt", "operator>"},         {"le", "operator<="},     {"ge", "operator>="},
	{"nt", "operator!"},         {"aa", "operator&&"},     {"oo", "operator||"},
	{"pp", "operator++"},        {"mm", "operator--"},     {"cm", "operator,"},
	{"pm", "operator->*"},       {"pt", "operator->"},     {"cl", "operator()"},
	{"ix", "operator[]"},
};

/* "Ut0_" and "UliE0_": unnamed types and lambdas, which are numbered. */
static struct piece parse_unnamed(struct parser *p)
{
	struct piece r = literal(p, next(p) == 't' ? "{unnamed type" : "{lambda(");
	bool lambda = take(p, "l"), first = true;
	char text[24];

	if (!lambda && !take(p, "t"))
		return fail(p);
	while (lambda && !p->failed && !take(p, "E")) {
		struct piece t = whole(p, parse_type(p));

		if (!first)
			r = append(p, r, ", ");
		else if (t.length == 4 && !memcmp(p->text + t.start, "void", 4))
			t = empty;
		r = join(p, r, t);
		first = false;
	}
	snprintf(text, sizeof(text), "%s#%u}", lambda ? ")" : "", sequence_number(p, 10) + 1);
	return append(p, r, text);
}

/* The last component of a name; parent: the class whose name a constructor has. */
static struct piece parse_unqualified(struct parser *p, struct piece parent, struct encoding *e)
{
	struct piece r = empty;
	char c = next(p), d = after_next(p);

	take(p, "L"); /* internal linkage */
	if (is_digit(next(p))) {
		r = parse_source_name(p);
	} else if ((c == 'C' || c == 'D') && d >= '0' && d <= '5') {
		p->at += 2;
		e->no_return = true;
		r = c == 'D' ? prepend(p, "~", parent) : parent;
	} else if (c == 'U' && (d == 't' || d == 'l')) {
		p->at++;
		r = parse_unnamed(p);
	} else if (take(p, "cv")) {
		e->no_return = true;
		r = prepend(p, "operator ", whole(p, parse_type(p)));
	} else {
		for (size_t i = 0; !r.length && i < sizeof(operators) / sizeof(*operators); i++)
			if (take(p, operators[i].code))
				r = literal(p, operators[i].text);
		if (!r.length)
			return fail(p);
	}
	while (!p->failed && take(p, "B")) { /* ABI tags */
		struct piece tag = parse_source_name(p);

		r = append(p, join(p, append(p, r, "[abi:"), tag), "]");
	}
	return r;
}

/* What stands between L and E: "Lb1E" is true, "Li5E" is 5, "Lm5E" is 5ul. */
static struct piece parse_literal(struct parser *p)
{
	static const struct {
		char code;
		const char *suffix;
	} suffixes[] = {{'i', ""}, {'j', "u"}, {'l', "l"}, {'m', "ul"}, {'x', "ll"}, {'y', "ull"}};
	char code = next(p);
	struct piece r = empty, type;
	const char *start;

	if (take(p, "_Z")) { /* an object or function */
		r = parse_encoding(p);
		return take(p, "E") ? prepend(p, "&", r) : fail(p);
	}
	if (take(p, "DnE"))
		return literal(p, "nullptr");
	type = whole(p, parse_type(p));
	if (take(p, "n"))
		r = literal(p, "-");
	start = p->at;
	while (is_digit(next(p)))
		p->at++;
	if (p->failed || start == p->at || next(p) != 'E')
		return fail(p); /* floating-point numbers are written as bits */
	if (code == 'b' && p->at - start == 1) {
		r = literal(p, *start == '0' ? "false" : "true");
		type = empty;
	} else {
		r = join(p, r, add(p, start, (size_t)(p->at - start)));
	}
	p->at++;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++)
		if (code == suffixes[i].code)
			return append(p, r, suffixes[i].suffix);
	if (code == 'b')
		return r;
	return join(p, append(p, prepend(p, "(", type), ")"), r);
}

static struct type parse_template_parameter(struct parser *p);

static struct type parse_template_argument(struct parser *p)
{
	struct piece r = empty;
	bool first = true;

	if (take(p, "L"))
		return simple(parse_literal(p));
	if (take(p, "XadL")) { /* the address of a function */
		struct piece of = parse_literal(p);

		if (p->failed || p->text[of.start] != '&' || !take(p, "E"))
			return fail_type(p);
		of = (struct piece){of.start + 1, of.length - 1};
		return simple(append(p, prepend(p, "&(", of), ")"));
	}
	if (take(p, "XspT")) { /* a pack of numbers */
		struct type t = parse_template_parameter(p);

		return take(p, "E") ? t : fail_type(p);
	}
	if (!take(p, "J"))
		return parse_type(p);
	if (!enter(p))
		return fail_type(p);
	while (!p->failed && !take(p, "E")) { /* a pack */
		if (!first)
			r = append(p, r, ", ");
		r = join(p, r, whole(p, parse_template_argument(p)));
		first = false;
	}
	p->depth--;
	return simple(r);
}

/* After "I". own: of the name of the function, whose arguments T_ names in its type. */
static struct piece parse_template_arguments(struct parser *p, bool own)
{
	struct type arguments[MAX_ARGUMENTS];
	struct piece r = literal(p, "<");
	uint32_t count = 0, shown = 0;

	if (!enter(p))
		return empty;
	while (!p->failed && !take(p, "E")) {
		struct type t = parse_template_argument(p);
		struct piece text = whole(p, t);

		if (count == MAX_ARGUMENTS)
			return fail(p);
		arguments[count++] = t;
		if (!text.length) /* an empty pack */
			continue;
		if (shown++)
			r = append(p, r, ", ");
		r = join(p, r, text);
	}
	p->depth--;
	if (p->failed)
		return empty;
	if (own) {
		memcpy(p->arguments, arguments, count * sizeof(*arguments));
		p->argument_count = count;
	}
	return append(p, r, p->text[r.start + r.length - 1] == '>' ? " >" : ">");
}

static const struct {
	char code;
	const char *text, *last;
} standard[] = {
	{'t', "std", ""},
	{'a', "std::allocator", "allocator"},
	{'b', "std::basic_string", "basic_string"},
	{'s', "std::string", "string"},
	{'i', "std::istream", "istream"},
	{'o', "std::ostream", "ostream"},
	{'d', "std::iostream", "iostream"},
};

/* After "S". */
static struct type parse_substitution(struct parser *p)
{
	uint32_t n;

	for (size_t i = 0; i < sizeof(standard) / sizeof(*standard); i++)
		if (next(p) == standard[i].code) {
			p->at++;
			return simple(literal(p, standard[i].text));
		}
	n = sequence_number(p, 36);
	return p->failed || n >= p->substitution_count ? fail_type(p) : p->substitutions[n];
}

/* After "T". A kernel's own template arguments are known when its type is parsed. */
static struct type parse_template_parameter(struct parser *p)
{
	uint32_t n = sequence_number(p, 10);

	return p->failed || n >= p->argument_count ? fail_type(p) : p->arguments[n];
}

/* What follows the last "::", without template arguments: a constructor's name. */
static struct piece last_component(const struct parser *p, struct piece name)
{
	uint32_t depth = 0, i, start = 0, end = name.length;
	const char *s = p->text + name.start;

	for (i = 0; i < name.length; i++) {
		if (s[i] == '<' && !depth++)
			end = i;
		if (s[i] == '>')
			depth -= depth > 0;
		if (!depth && s[i] == ':' && i + 1 < name.length && s[i + 1] == ':') {
			start = i + 2;
			end = name.length;
		}
	}
	return end < start ? name : (struct piece){name.start + start, end - start};
}

/* "operator<" is not followed by another "<" immediately. */
static struct piece template_name(struct parser *p, struct piece name)
{
	bool less = name.length && p->text[name.start + name.length - 1] == '<';

	return less ? append(p, name, " ") : name;
}

/* After "N". */
static struct piece parse_nested(struct parser *p, struct encoding *e)
{
	struct piece r = empty, component = empty;

	while (strchr("rVKRO", next(p)) && next(p)) {
		const char *word = next(p) == 'K'   ? " const"
				   : next(p) == 'V' ? " volatile"
				   : next(p) == 'R' ? " &"
				   : next(p) == 'O' ? " &&"
						    : " __restrict";
		p->at++;
		e->qualifiers = append(p, e->qualifiers, word);
	}
	while (!p->failed && !take(p, "E")) {
		bool remembered = true;

		e->is_template = false;
		if (take(p, "I")) {
			if (!r.length)
				return fail(p);
			r = join(p, template_name(p, r),
				 parse_template_arguments(p, e->is_function));
			e->is_template = true;
		} else if (next(p) == 'S' && !r.length) {
			p->at++;
			remembered = false;
			r = whole(p, parse_substitution(p));
			component = last_component(p, r);
		} else if (next(p) == 'T' && !r.length) {
			p->at++;
			r = whole(p, parse_template_parameter(p));
			component = last_component(p, r);
		} else {
			component = parse_unqualified(p, component, e);
			r = r.length ? join(p, append(p, r, "::"), component) : component;
		}
		if (!p->failed && remembered && next(p) != 'E')
			remember(p, simple(r));
	}
	return r;
}

/* After "Z": a name inside of a function. */
static struct piece parse_local(struct parser *p, struct encoding *e)
{
	struct piece function = parse_encoding(p), r;

	if (!take(p, "E"))
		return fail(p);
	if (take(p, "s")) {
		r = append(p, function, "::string literal");
	} else {
		r = parse_name(p, e);
		r = join(p, append(p, function, "::"), r);
	}
	if (take(p, "__")) {
		number(p);
		take(p, "_");
	} else if (next(p) == '_' && is_digit(after_next(p))) {
		p->at += 2;
	}
	return r;
}

static struct piece parse_name(struct parser *p, struct encoding *e)
{
	struct piece r;
	bool substituted = false;

	if (!enter(p))
		return empty;
	if (take(p, "N")) {
		r = parse_nested(p, e);
	} else if (take(p, "Z")) {
		r = parse_local(p, e);
	} else {
		if (take(p, "St")) {
			r = prepend(p, "std::", parse_unqualified(p, empty, e));
		} else if (take(p, "S")) {
			r = whole(p, parse_substitution(p));
			substituted = true;
		} else {
			r = parse_unqualified(p, empty, e);
		}
		if (!p->failed && next(p) == 'I') {
			if (!substituted)
				remember(p, simple(r));
			p->at++;
			r = join(p, template_name(p, r),
				 parse_template_arguments(p, e->is_function));
			e->is_template = true;
		}
	}
	p->depth--;
	return p->failed ? empty : r;
}

/* ---- types ---- */

static const struct {
	char code[3];
	const char *text;
} builtins[] = {
	{"v", "void"},        {"w", "wchar_t"},
	{"b", "bool"},        {"c", "char"},
	{"a", "signed char"}, {"h", "unsigned char"},
	{"s", "short"},       {"t", "unsigned short"},
	{"i", "int"},         {"j", "unsigned int"},
	{"l", "long"},        {"m", "unsigned long"},
	{"x", "long long"},   {"y", "unsigned long long"},
	{"n", "__int128"},    {"o", "unsigned __int128"},
	{"f", "float"},       {"d", "double"},
	{"e", "long double"}, {"g", "__float128"},
	{"z", "..."},         {"Dh", "half"},
	{"Ds", "char16_t"},   {"Di", "char32_t"},
	{"Du", "char8_t"},    {"Dn", "decltype(nullptr)"},
	{"Da", "auto"},
};

/* After the parameters' first letter; e: of a function's name. Ends at "E" or the end. */
static struct piece parse_parameters(struct parser *p)
{
	struct piece r = literal(p, "(");
	uint32_t shown = 0;

	if (next(p) == 'v' && (after_next(p) == 'E' || p->end - p->at == 1)) {
		p->at++;
		return append(p, r, ")");
	}
	while (!p->failed && p->at < p->end && next(p) != 'E' && next(p) != '.') {
		struct piece t = whole(p, parse_type(p));

		if (!t.length)
			continue;
		if (shown++)
			r = append(p, r, ", ");
		r = join(p, r, t);
	}
	return append(p, r, ")");
}

/* After "F". */
static struct type parse_function_type(struct parser *p)
{
	struct type result, t;

	take(p, "Y");
	result = parse_type(p);
	t.before = append(p, result.before, " ");
	t.after = join(p, parse_parameters(p), result.after);
	t.function_or_array = true;
	t.reference = t.rvalue = false;
	return take(p, "E") ? t : fail_type(p);
}

/* After "A". */
static struct type parse_array_type(struct parser *p)
{
	const char *start = p->at;
	struct piece size;
	struct type t;

	while (is_digit(next(p)))
		p->at++;
	size = add(p, start, (size_t)(p->at - start));
	if (take(p, "T"))
		size = whole(p, parse_template_parameter(p));
	if (!take(p, "_"))
		return fail_type(p);
	t = parse_type(p);
	if (!t.function_or_array)
		t.before = append(p, t.before, " ");
	t.after = join(p, append(p, prepend(p, "[", size), "]"), t.after);
	t.function_or_array = true;
	return t;
}

/* A pointer or reference to the type. */
static struct type point(struct parser *p, const char *mark)
{
	struct type t = parse_type(p);

	if (t.reference && *mark == '&') { /* only && of && stays && */
		if (!t.rvalue || mark[1])
			return t;
		t.before.length--;
		t.rvalue = false;
		return t;
	}
	if (t.function_or_array) {
		t.before = append(p, t.before, "(");
		t.after = prepend(p, p->text[t.after.start] == '[' ? ") " : ")", t.after);
	}
	t.before = append(p, t.before, mark);
	t.function_or_array = false;
	t.reference = *mark == '&';
	t.rvalue = mark[0] && mark[1];
	return t;
}

static struct type parse_qualified(struct parser *p)
{
	bool restricted = take(p, "r"), is_volatile = take(p, "V"), constant = take(p, "K");
	struct type t = parse_type(p);
	struct piece *end = t.function_or_array ? &t.after : &t.before;

	/* An array's qualifiers are its elements'. */
	if (t.function_or_array && p->text[t.after.start] == '[') {
		end = &t.before;
		if (t.before.length)
			t.before.length--; /* the space before the declarator */
	}
	if (constant)
		*end = append(p, *end, " const");
	if (is_volatile)
		*end = append(p, *end, " volatile");
	if (restricted)
		*end = append(p, *end, " restrict");
	if (end == &t.before && t.function_or_array)
		*end = append(p, *end, " ");
	return t;
}

/* After "M": a pointer to a member. */
static struct type parse_member_pointer(struct parser *p)
{
	struct piece class = whole(p, parse_type(p));
	struct type t = parse_type(p);

	if (t.function_or_array) {
		t.before = append(p, t.before, "(");
		t.after = prepend(p, ")", t.after);
	} else {
		t.before = append(p, t.before, " ");
	}
	t.before = append(p, join(p, t.before, class), "::*");
	t.function_or_array = false;
	return t;
}

static struct type parse_class_type(struct parser *p)
{
	struct encoding e = {.is_function = false};

	return simple(parse_name(p, &e));
}

/* A substitution or template parameter, with template arguments if they follow. */
static struct type parse_reused(struct parser *p)
{
	bool parameter = next(p) == 'T';
	struct type t;

	if (!parameter && after_next(p) == 't')
		return remember(p, parse_class_type(p));
	p->at++;
	t = parameter ? remember(p, parse_template_parameter(p)) : parse_substitution(p);
	if (!take(p, "I"))
		return t;
	return remember(p, simple(join(p, whole(p, t), parse_template_arguments(p, false))));
}

static struct type parse_vector(struct parser *p)
{
	uint32_t n = number(p);
	char text[32];
	struct type t;

	if (!take(p, "_"))
		return fail_type(p);
	t = parse_type(p);
	snprintf(text, sizeof(text), " __vector(%u)", n);
	t.before = append(p, t.before, text);
	return t;
}

static struct type parse_type_body(struct parser *p)
{
	struct type t;

	for (size_t i = 0; i < sizeof(builtins) / sizeof(*builtins); i++)
		if (take(p, builtins[i].code))
			return simple(literal(p, builtins[i].text));
	if (take(p, "P"))
		return remember(p, point(p, "*"));
	if (take(p, "R"))
		return remember(p, point(p, "&"));
	if (take(p, "O"))
		return remember(p, point(p, "&&"));
	if (next(p) == 'r' || next(p) == 'V' || next(p) == 'K')
		return remember(p, parse_qualified(p));
	if (take(p, "F"))
		return remember(p, parse_function_type(p));
	if (take(p, "A"))
		return remember(p, parse_array_type(p));
	if (take(p, "M"))
		return remember(p, parse_member_pointer(p));
	if (take(p, "Dv"))
		return remember(p, parse_vector(p));
	if (take(p, "Dp"))
		return remember(p, parse_type(p));
	if (take(p, "u"))
		return remember(p, simple(parse_source_name(p)));
	if (next(p) == 'S' || next(p) == 'T')
		return parse_reused(p);
	if (!is_digit(next(p)) && next(p) != 'N' && next(p) != 'Z')
		return fail_type(p);
	t = parse_class_type(p);
	return remember(p, t);
}

static struct type parse_type(struct parser *p)
{
	struct type t;

	if (!enter(p))
		return fail_type(p);
	t = parse_type_body(p);
	p->depth--;
	return p->failed ? fail_type(p) : t;
}

/* ---- declarations ---- */

static struct piece parse_encoding(struct parser *p)
{
	struct encoding e = {.is_function = true};
	struct type result = simple(empty);
	struct piece name, parameters;

	if (!enter(p))
		return empty;
	name = parse_name(p, &e);
	p->depth--;
	if (p->failed || p->at == p->end || next(p) == 'E' || next(p) == '.')
		return join(p, name, e.qualifiers);
	if (e.is_template && !e.no_return) {
		result = parse_type(p);
		if (!result.after.length)
			result.before = append(p, result.before, " ");
	}
	parameters = parse_parameters(p);
	name = join(p, join(p, result.before, name), parameters);
	return join(p, join(p, name, e.qualifiers), result.after);
}

const char *demangle(const char *name, char *buffer, size_t bytes)
{
	struct parser p;
	struct piece r;

	if (strncmp(name, "_Z", 2))
		return name;
	p.at = name + 2;
	p.end = name + strlen(name);
	p.used = p.depth = p.steps = 0;
	p.substitution_count = p.argument_count = 0;
	p.failed = false;
	r = parse_encoding(&p);
	if (p.failed || p.at != p.end || !r.length || r.length >= bytes)
		return name;
	memcpy(buffer, p.text + r.start, r.length);
	buffer[r.length] = 0;
	return buffer;
}
