// SPDX-License-Identifier: MIT
/* The notation of litmus tests, and texts of outcomes. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/litmus/litmus.h"

static const char var_names[] = "xyzw";

static const char *const order_names[] = {"weak",    "volatile", "relaxed", "acquire",
					  "release", "acq_rel",  "sc"};
static const char *const scope_names[] = {"cta", "cluster", "gpu", "sys"};
static const char *const rmw_names[] = {"exch", "add", "cas"};
static const struct {
	const char *name;
	uint8_t kind;
} kinds[] = {{"ld", LITMUS_LOAD},    {"st", LITMUS_STORE},    {"atom", LITMUS_ATOM},
	     {"red", LITMUS_RED},    {"fence", LITMUS_FENCE}, {"membar", LITMUS_FENCE},
	     {"bar", LITMUS_BARRIER}};

struct parser {
	const char *at;
	char *error;
	struct litmus_program *p;
};

#define COUNT(a) (sizeof(a) / sizeof(*(a)))

__attribute__((format(printf, 2, 3))) static bool fail(struct parser *s, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(s->error, 256, fmt, ap);
	va_end(ap);
	if (n >= 0 && n < 256)
		snprintf(s->error + n, 256 - (size_t)n, " at '%.24s'", s->at);
	return false;
}

static void skip_spaces(struct parser *s)
{
	while (*s->at == ' ')
		s->at++;
}

/* Reads a word of lower-case letters, digits and "_". */
static bool next_word(struct parser *s, char word[16])
{
	size_t n = 0;

	while (n < 15 && (islower((unsigned char)s->at[n]) || isdigit((unsigned char)s->at[n]) ||
			  s->at[n] == '_'))
		n++;
	memcpy(word, s->at, n);
	word[n] = 0;
	s->at += n;
	return n;
}

static bool find_name(const char *const names[], size_t count, const char *word, uint8_t *out)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(names[i], word)) {
			*out = (uint8_t)i;
			return true;
		}
	return false;
}

/* One modifier of an operation. */
static bool modifier(struct parser *s, struct litmus_op *o, const char *word)
{
	if (o->is_membar && !strcmp(word, "gl")) {
		o->scope = LITMUS_GPU;
		return true;
	}
	if (!strcmp(word, "v2") || !strcmp(word, "v4")) {
		o->width = (uint8_t)(word[1] - '0');
		return true;
	}
	return find_name(order_names, COUNT(order_names), word, &o->order) ||
	       find_name(scope_names, COUNT(scope_names), word, &o->scope) ||
	       find_name(rmw_names, COUNT(rmw_names), word, &o->rmw) ||
	       fail(s, "unknown modifier '%s'", word);
}

static bool mnemonic(struct parser *s, struct litmus_op *o)
{
	char word[16];
	size_t i;

	*o = (struct litmus_op){.width = 1, .scope = LITMUS_SYS};
	if (!next_word(s, word))
		return fail(s, "an operation is missing");
	for (i = 0; i < COUNT(kinds) && strcmp(kinds[i].name, word); i++)
		;
	if (i == COUNT(kinds))
		return fail(s, "unknown operation '%s'", word);
	o->kind = kinds[i].kind;
	o->is_membar = !strcmp(word, "membar");
	o->order = o->is_membar ? LITMUS_SC : LITMUS_WEAK;
	while (*s->at == '.') {
		s->at++;
		next_word(s, word);
		if (!modifier(s, o, word))
			return false;
	}
	return true;
}

static bool variable(struct parser *s, uint8_t *var)
{
	const char *found = *s->at ? strchr(var_names, *s->at) : NULL;

	if (*s->at == '_') {
		*var = LITMUS_PADDING;
	} else if (found) {
		*var = (uint8_t)(found - var_names);
		if (*var >= s->p->vars)
			s->p->vars = *var + 1u;
	} else {
		return fail(s, "a variable (x, y, z, w) is missing");
	}
	s->at++;
	return true;
}

/* "x", or the elements of a vector: "x:y:_:_". */
static bool variables(struct parser *s, struct litmus_op *o)
{
	skip_spaces(s);
	for (uint8_t k = 0; k < o->width; k++) {
		if (k && *s->at++ != ':')
			return fail(s, "a vector of %d elements has fewer variables", o->width);
		if (!variable(s, &o->var[k]))
			return false;
		if (k && o->var[k] != LITMUS_PADDING) {
			s->p->line[o->var[k]] = o->var[0];
			s->p->element[o->var[k]] = k;
		}
	}
	return o->var[0] != LITMUS_PADDING || fail(s, "the first element is padding");
}

static bool number(struct parser *s, int *value)
{
	skip_spaces(s);
	if (!isdigit((unsigned char)*s->at))
		return fail(s, "a value is missing");
	*value = *s->at++ - '0';
	return true;
}

static bool operands(struct parser *s, uint32_t thread, struct litmus_op *o)
{
	struct litmus_program *p = s->p;

	if (o->kind == LITMUS_FENCE || o->kind == LITMUS_BARRIER)
		return true;
	if (!variables(s, o))
		return false;
	if (o->kind == LITMUS_LOAD || o->kind == LITMUS_ATOM) {
		o->reg = (uint8_t)p->register_count[thread];
		for (uint8_t k = 0; k < o->width; k++)
			p->register_count[thread] += o->var[k] != LITMUS_PADDING;
	}
	if (o->kind == LITMUS_LOAD)
		return true;
	if (o->rmw == LITMUS_CAS && !number(s, &o->compare))
		return false;
	skip_spaces(s);
	if (o->kind == LITMUS_STORE && *s->at == 'r') {
		s->at++;
		o->value_is_register = true;
	}
	return number(s, &o->value);
}

static bool thread_operations(struct parser *s, uint32_t thread)
{
	struct litmus_program *p = s->p;

	for (;;) {
		struct litmus_op *o = &p->ops[thread][p->op_count[thread]];

		skip_spaces(s);
		if (p->op_count[thread] == LITMUS_OPS)
			return fail(s, "a thread has more than %d operations", LITMUS_OPS);
		if (!mnemonic(s, o) || !operands(s, thread, o))
			return false;
		p->op_count[thread]++;
		skip_spaces(s);
		if (*s->at != ';')
			return true;
		s->at++;
	}
}

static bool final_values(struct parser *s)
{
	struct litmus_program *p = s->p;

	for (skip_spaces(s); *s->at; skip_spaces(s)) {
		if (p->finals == LITMUS_VARS || !variable(s, &p->final_var[p->finals]))
			return fail(s, "the observed variables are wrong");
		p->finals++;
	}
	return true;
}

bool litmus_parse(const char *text, struct litmus_program *p, char *error)
{
	struct parser s = {.at = text, .error = error, .p = p};

	memset(p, 0, sizeof(*p));
	for (uint8_t v = 0; v < LITMUS_VARS; v++)
		p->line[v] = v;
	for (;;) {
		if (p->threads == LITMUS_THREADS)
			return fail(&s, "more than %d threads", LITMUS_THREADS);
		if (!thread_operations(&s, p->threads++))
			return false;
		if (!strncmp(s.at, "||", 2)) {
			s.at += 2;
			if (!final_values(&s))
				return false;
		}
		if (!*s.at)
			break;
		if (*s.at++ != '|')
			return fail(&s, "';', '|' or '||' is missing");
	}
	for (uint32_t t = 0; t < p->threads; t++) {
		p->first_register[t] = p->registers;
		p->registers += p->register_count[t];
	}
	p->observables = p->registers + p->finals;
	if (p->registers > LITMUS_REGISTERS || p->observables > LITMUS_OBSERVABLES)
		return fail(&s, "more than %d observed values", LITMUS_OBSERVABLES);
	return true;
}

/* "1:r0" or "x" */
static void observable_name(const struct litmus_program *p, uint32_t k, char name[8])
{
	uint32_t t = 0;

	if (k >= p->registers) {
		snprintf(name, 8, "%c", var_names[p->final_var[k - p->registers]]);
		return;
	}
	while (t + 1 < p->threads && p->first_register[t + 1] <= k)
		t++;
	snprintf(name, 8, "%u:r%u", t & 7, (k - p->first_register[t]) & 7);
}

const char *litmus_outcome_text(const struct litmus_program *p, uint32_t outcome, char text[128])
{
	size_t n = 0;

	text[0] = 0;
	for (uint32_t k = 0; k < p->observables; k++) {
		char name[8];

		observable_name(p, k, name);
		n += (size_t)snprintf(text + n, 128 - n, "%s%s=%u", k ? " " : "", name,
				      litmus_observed(outcome, k));
	}
	return text;
}

bool litmus_condition(const struct litmus_program *p, const char *text, uint32_t *mask,
		      uint32_t *value)
{
	*mask = *value = 0;
	while (*text) {
		size_t n = strcspn(text, "=");
		uint32_t k;

		for (k = 0; k < p->observables; k++) {
			char name[8];

			observable_name(p, k, name);
			if (strlen(name) == n && !strncmp(name, text, n))
				break;
		}
		if (k == p->observables || text[n] != '=')
			return false;
		*mask |= (uint32_t)(LITMUS_VALUES - 1) << LITMUS_BITS * k;
		*value |= (uint32_t)(text[n + 1] - '0') << LITMUS_BITS * k;
		text += n + 2;
		text += *text == ' ';
	}
	return true;
}
