/* SPDX-License-Identifier: MIT */
/*
 * The structure of a module: its header, its variables, its kernels with their parameters and
 * limits. An error is reported and reading goes on after the next ';' (or the block's end), so that
 * one run finds every error of a file.
 */
#include <string.h>
#include "libsov/compiler/image/image.h"
#include "libsov/compiler/ptx/front_end.h"

/* ---- tokens ---- */

void ptx_next(struct ptx *x)
{
	ptx_lex(&x->lexer, &x->token);
}

bool ptx_take(struct ptx *x, int kind)
{
	if (x->token.kind != kind)
		return false;
	ptx_next(x);
	return true;
}

const char *ptx_token_name(struct ptx *x, const struct ptx_token *t)
{
	if (t->kind == TOKEN_END)
		return "the end of the file";
	if (t->kind == TOKEN_STRING)
		return "a string";
	return arena_printf(x->arena, "'%.*s'", TEXT(t));
}

bool ptx_expect(struct ptx *x, int kind, const char *what, const char *after)
{
	if (ptx_take(x, kind))
		return true;
	if (x->token.kind != TOKEN_BAD)
		ptx_error(x, &x->token, "expected %s after %s, found %s", what, after,
			  ptx_token_name(x, &x->token));
	return false;
}

bool ptx_is_word(const struct ptx_token *t, const char *word)
{
	return t->kind == TOKEN_WORD && t->length == strlen(word) &&
	       !memcmp(t->text, word, t->length);
}

static bool take_word(struct ptx *x, const char *word)
{
	if (!ptx_is_word(&x->token, word))
		return false;
	ptx_next(x);
	return true;
}

/* ---- recovery ---- */

void ptx_skip_statement(struct ptx *x)
{
	uint32_t braces = x->braces;

	for (; x->token.kind != TOKEN_END; ptx_next(x)) {
		if (x->token.kind == ';' && !braces) {
			ptx_next(x);
			break;
		}
		if (x->token.kind == '}' && !braces)
			break;
		if (x->token.kind == '}')
			braces--;
		else if (x->token.kind == '{')
			braces++;
	}
	x->braces = 0;
}

void ptx_skip_line(struct ptx *x)
{
	uint32_t line = x->token.line;

	while (x->token.kind != TOKEN_END && x->token.line == line)
		ptx_next(x);
}

/* From '{' past its '}'. */
static void skip_block(struct ptx *x)
{
	struct ptx_token open = x->token;
	uint32_t depth = 0;

	do {
		if (x->token.kind == '{')
			depth++;
		else if (x->token.kind == '}')
			depth--;
		ptx_next(x);
	} while (depth && x->token.kind != TOKEN_END);
	if (depth && !x->lexer.cut)
		ptx_error(x, &open, "'{' is not closed; '}' is missing");
}

/* At module level a block may be in the way of the next ';'. */
void ptx_skip_declaration(struct ptx *x)
{
	x->braces = 0;
	while (x->token.kind != TOKEN_END) {
		if (x->token.kind == '{') {
			skip_block(x);
			return;
		}
		if (ptx_take(x, ';'))
			return;
		ptx_next(x);
	}
}

/* ---- header ---- */

static void parse_version(struct ptx *x)
{
	struct ptx_token t = x->token;
	unsigned major = 0, minor = 0, *part = &major;
	bool good = t.kind == TOKEN_FLOAT && !t.bits && t.length <= 8;

	for (uint32_t i = 0; good && i < t.length; i++) {
		if (t.text[i] == '.')
			part = &minor;
		else if (t.text[i] >= '0' && t.text[i] <= '9')
			*part = *part * 10 + (unsigned)(t.text[i] - '0');
		else
			good = false;
	}
	if (t.kind != TOKEN_END)
		ptx_next(x);
	if (!good)
		ptx_error(x, &t, "expected a version such as 8.0 after .version, found %s",
			  ptx_token_name(x, &t));
	else if (major > PTX_VERSION_MAJOR ||
		 (major == PTX_VERSION_MAJOR && minor > PTX_VERSION_MINOR))
		ptx_error(x, &t, "PTX version %u.%u is not known; the newest known is %d.%d", major,
			  minor, PTX_VERSION_MAJOR, PTX_VERSION_MINOR);
}

/* Architectures that PTX 9.0 names (PTX ISA 9.0, section 12, .target). */
static const uint16_t architectures[] = {
	50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 88, 89, 90, 100, 101, 103, 110, 120, 121,
};

/* "sm_90", "sm_90a": the number; 0 when it is not known. */
static uint32_t architecture(const struct ptx_token *t, bool *specific)
{
	uint32_t n = t->length, version = 0;

	*specific = n > 3 && (t->text[n - 1] == 'a' || t->text[n - 1] == 'f');
	if (*specific)
		n--;
	if (n < 5 || n > 6 || memcmp(t->text, "sm_", 3))
		return 0;
	for (uint32_t i = 3; i < n; i++) {
		if (t->text[i] < '0' || t->text[i] > '9')
			return 0;
		version = version * 10 + (uint32_t)(t->text[i] - '0');
	}
	for (size_t i = 0; i < sizeof(architectures) / sizeof(architectures[0]); i++)
		if (architectures[i] == version)
			return version;
	return 0;
}

static void check_architecture(struct ptx *x, const struct ptx_token *t)
{
	const struct target *target = x->job->target;
	bool specific;
	uint32_t version = architecture(t, &specific);

	if (!version)
		ptx_error(x, t, "unknown target '%.*s'; known: sm_50 to sm_121, debug", TEXT(t));
	else if (!target || strcmp(target->family, "nv"))
		return;
	else if (version > target->version)
		ptx_error(x, t, "target '%.*s' is newer than %s, for which this is compiled",
			  TEXT(t), target->name);
	else if (specific && version != target->version)
		ptx_error(x, t,
			  "target '%.*s' runs on that architecture only, and this is compiled "
			  "for %s",
			  TEXT(t), target->name);
}

static void parse_target(struct ptx *x)
{
	do {
		struct ptx_token t = x->token;

		if (!ptx_expect(x, TOKEN_NAME, "a target such as sm_90", ".target"))
			return;
		if (t.length != 5 || memcmp(t.text, "debug", 5))
			check_architecture(x, &t);
	} while (ptx_take(x, ','));
}

static void parse_address_size(struct ptx *x)
{
	struct ptx_token t = x->token;
	uint64_t bits;

	if (ptx_integer(x, "address size", 0, 1024, &bits) && bits != 64)
		ptx_error(x, &t, "address size %u is not supported; only 64 is", (unsigned)bits);
}

/* ---- kernels ---- */

static void parse_pointer(struct ptx *x)
{
	static const char *const spaces[] = {".global", ".shared", ".const", ".local"};
	uint32_t align;

	for (size_t i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++)
		if (take_word(x, spaces[i]))
			break;
	if (ptx_is_word(&x->token, ".align"))
		ptx_align(x, &align);
}

/* Parameters lie behind each other, each at its alignment. */
static void add_parameter(struct ptx *x, const struct ptx_token *t, const struct ptx_shape *s,
			  bool pointer)
{
	struct ir_func *f = x->func;
	uint64_t size = ptx_shape_bytes(s);
	uint64_t offset = ((uint64_t)f->param_bytes + s->align - 1) & ~(uint64_t)(s->align - 1);
	struct ptx_name *n = ptx_declare(x, NAME_PARAMETER, t);
	struct ir_param *params;

	if (!n)
		return;
	if (offset + size > IMAGE_MAX_PARAM_BYTES) {
		ptx_error(x, t, "parameters of '%s' need more than %d bytes", f->name,
			  IMAGE_MAX_PARAM_BYTES);
		n->kind = NAME_BAD;
		return;
	}
	params = arena_array(x->arena, f->nparams + 1, sizeof(*params));
	if (f->nparams)
		memcpy(params, f->params, f->nparams * sizeof(*params));
	params[f->nparams] = (struct ir_param){
		.name = arena_strndup(x->arena, t->text, t->length),
		.offset = (uint32_t)offset,
		.size = (uint32_t)size,
		.align = s->align,
		.pointer = pointer,
	};
	n->symbol = f->nparams++;
	f->params = params;
	f->param_bytes = (uint32_t)(offset + size);
}

static bool parse_parameter(struct ptx *x)
{
	struct ptx_shape s = {.count = 1};
	struct ptx_token t;
	bool pointer;

	if (!take_word(x, ".param")) {
		ptx_error(x, &x->token, "expected .param, found %s", ptx_token_name(x, &x->token));
		return false;
	}
	if (!ptx_shape_type(x, &s))
		return false;
	pointer = take_word(x, ".ptr");
	if (pointer)
		parse_pointer(x);
	t = x->token;
	if (!ptx_expect(x, TOKEN_NAME, "a name", "the parameter's type") ||
	    !ptx_shape_dimensions(x, &s))
		return false;
	if (!s.count) {
		ptx_error(x, &t, "parameter '%.*s' has no size", TEXT(&t));
		return true;
	}
	add_parameter(x, &t, &s, pointer);
	return true;
}

static bool parse_parameters(struct ptx *x)
{
	if (!ptx_take(x, '(') || ptx_take(x, ')'))
		return true;
	do {
		if (!parse_parameter(x))
			return false;
	} while (ptx_take(x, ','));
	return ptx_expect(x, ')', "',' or ')'", "a parameter");
}

/* .maxntid 32, 8: the dimensions that are not given are 1. */
static void parse_threads(struct ptx *x, const char *word, uint32_t threads[3])
{
	const struct target *target = x->job->target;
	uint32_t limit = target && !strcmp(target->family, "nv") ? target->max_threads : 1024;
	struct ptx_token t = x->token;
	uint64_t n[3] = {1, 1, 1};
	int i = 0;

	do {
		if (!ptx_integer(x, word, 1, limit, &n[i]))
			return;
	} while (++i < 3 && ptx_take(x, ','));
	if (n[0] * n[1] * n[2] > limit)
		ptx_error(x, &t, "%s of %u x %u x %u threads is more than the target's %u", word,
			  (unsigned)n[0], (unsigned)n[1], (unsigned)n[2], limit);
	for (i = 0; i < 3; i++)
		threads[i] = (uint32_t)n[i];
}

static bool is_cluster_directive(const struct ptx_token *t)
{
	return ptx_is_word(t, ".reqnctapercluster") || ptx_is_word(t, ".explicitcluster") ||
	       ptx_is_word(t, ".maxclusterrank") || ptx_is_word(t, ".blocksareclusters");
}

/* Directives between a kernel's parameters and its body. */
static bool parse_limits(struct ptx *x)
{
	uint64_t n;

	while (x->token.kind == TOKEN_WORD) {
		struct ptx_token t = x->token;

		ptx_next(x);
		if (ptx_is_word(&t, ".maxntid")) {
			parse_threads(x, ".maxntid", x->func->max_threads);
		} else if (ptx_is_word(&t, ".reqntid")) {
			parse_threads(x, ".reqntid", x->func->required_threads);
		} else if (ptx_is_word(&t, ".minnctapersm")) {
			if (ptx_integer(x, ".minnctapersm", 1, 64, &n))
				x->func->min_ctas = (uint32_t)n;
		} else if (ptx_is_word(&t, ".maxnreg")) {
			if (ptx_integer(x, ".maxnreg", 1, 1024, &n))
				x->func->max_registers = (uint32_t)n;
		} else if (ptx_is_word(&t, ".maxnctapersm")) {
			ptx_integer(x, "limit", 1, 1024, &n); /* of old, for .minnctapersm */
		} else if (ptx_is_word(&t, ".pragma")) {
			ptx_expect(x, TOKEN_STRING, "a string", ".pragma");
			ptx_take(x, ';');
		} else if (is_cluster_directive(&t)) {
			ptx_error(x, &t, "kernel directive '%.*s' is not supported: clusters",
				  TEXT(&t));
			return false;
		} else {
			ptx_error(x, &t,
				  "kernel directive '%.*s' is not supported; supported: .maxntid "
				  ".reqntid .minnctapersm .maxnctapersm .maxnreg .pragma",
				  TEXT(&t));
			return false;
		}
	}
	return true;
}

/* A kernel may be declared before it is defined; the declaration says nothing new. */
static bool skip_declared(struct ptx *x)
{
	struct ptx_lexer l = x->lexer;
	struct ptx_token t = x->token;

	l.diag = NULL;
	while (t.kind != TOKEN_END && t.kind != ';' && t.kind != '{')
		ptx_lex(&l, &t);
	if (t.kind != ';')
		return false;
	while (!ptx_take(x, ';'))
		ptx_next(x);
	return true;
}

static void parse_entry(struct ptx *x)
{
	struct ptx_token t = x->token;
	char *name;

	if (t.kind == TOKEN_NAME && skip_declared(x))
		return;
	if (!ptx_expect(x, TOKEN_NAME, "a name", ".entry") || !ptx_declare(x, NAME_FUNCTION, &t)) {
		ptx_skip_declaration(x);
		return;
	}
	name = arena_strndup(x->arena, t.text, t.length);
	x->func = ir_func_new(x->module, name);
	ptx_scope_open(x);
	if (!parse_parameters(x) || !parse_limits(x)) {
		ptx_skip_declaration(x);
	} else if (x->token.kind == '{') {
		ptx_place(x, ir_block_new(x->func, NULL));
		ptx_body(x);
	} else {
		ptx_expect(x, '{', "'{'", "the head of a kernel");
		ptx_skip_declaration(x);
	}
	ptx_scope_close(x);
}

/* ---- places in the source ---- */

#define MAX_FILES 65536

/* .file 1 "name" … */
void ptx_file(struct ptx *x)
{
	struct ir_module *m = x->module;
	uint32_t line = x->token.line;
	uint64_t number;

	ptx_next(x);
	number = x->token.integer;
	if (x->token.kind == TOKEN_INTEGER && x->token.line == line && number < MAX_FILES) {
		ptx_next(x);
		if (x->token.kind == TOKEN_STRING && x->token.line == line) {
			m->files = arena_grow(x->arena, m->files, &m->files_capacity,
					      (uint32_t)number + 1, sizeof(*m->files));
			m->files[number] = arena_strndup(x->arena, x->token.text, x->token.length);
			if (m->nfiles <= number)
				m->nfiles = (uint32_t)number + 1;
		}
	}
	if (x->token.line == line)
		ptx_skip_line(x);
}

/* .loc file line column … */
void ptx_place_in_source(struct ptx *x)
{
	struct ir_module *m = x->module;
	struct ir_source_loc p = {.text_line = x->token.line};
	uint32_t *numbers[] = {&p.file, &p.line, &p.column};
	uint32_t n = 0;

	ptx_next(x);
	while (n < 3 && x->token.kind == TOKEN_INTEGER && x->token.line == p.text_line &&
	       x->token.integer <= UINT32_MAX) {
		*numbers[n++] = (uint32_t)x->token.integer;
		ptx_next(x);
	}
	if (n == 3) {
		m->source_locs = arena_grow(x->arena, m->source_locs, &m->source_locs_capacity, m->nsource_locs + 1,
				       sizeof(*m->source_locs));
		m->source_locs[m->nsource_locs++] = p;
	}
	if (x->token.line == p.text_line)
		ptx_skip_line(x);
}

/* ---- module ---- */

static void parse_linked(struct ptx *x)
{
	bool external = false;

	for (;;) {
		if (take_word(x, ".extern"))
			external = true;
		else if (!take_word(x, ".visible") && !take_word(x, ".weak") &&
			 !take_word(x, ".common"))
			break;
	}
	if (take_word(x, ".entry"))
		parse_entry(x);
	else if (take_word(x, ".func"))
		ptx_function(x);
	else if (take_word(x, ".global"))
		ptx_variable_declaration(x, IR_GLOBAL, external);
	else if (take_word(x, ".const"))
		ptx_variable_declaration(x, IR_CONSTANT, external);
	else if (take_word(x, ".shared"))
		ptx_variable_declaration(x, IR_SHARED, external);
	else {
		if (x->token.kind == TOKEN_WORD)
			ptx_error(x, &x->token,
				  "unknown directive '%.*s'; known: .version .target .address_size "
				  ".visible .extern .weak .common .entry .func .global .const "
				  ".shared .alias .file .section .pragma",
				  TEXT(&x->token));
		else if (x->token.kind != TOKEN_BAD)
			ptx_error(x, &x->token, "expected a directive, found %s",
				  ptx_token_name(x, &x->token));
		if (!ptx_take(x, '}'))
			ptx_skip_declaration(x);
	}
}

static void parse_statement(struct ptx *x)
{
	if (take_word(x, ".version"))
		parse_version(x);
	else if (take_word(x, ".target"))
		parse_target(x);
	else if (take_word(x, ".address_size"))
		parse_address_size(x);
	else if (ptx_is_word(&x->token, ".file"))
		ptx_file(x);
	else if (take_word(x, ".alias"))
		ptx_alias(x);
	else if (ptx_is_word(&x->token, ".section") || ptx_is_word(&x->token, ".pragma"))
		ptx_skip_declaration(x); /* debug information and advice */
	else
		parse_linked(x);
}

/* A module begins with .version, then .target. */
static void parse_module(struct ptx *x)
{
	ptx_next(x);
	if (!ptx_is_word(&x->token, ".version"))
		ptx_error(x, &x->token, "a PTX module begins with .version, such as .version 8.0");
	else
		parse_statement(x);
	if (!ptx_is_word(&x->token, ".target"))
		ptx_error(x, &x->token, "expected .target after .version, such as .target sm_90");
	while (x->token.kind != TOKEN_END)
		parse_statement(x);
}

bool ptx_parse(struct compile_job *job, const char *text, size_t length, struct ir_module **out)
{
	struct ptx x = {.job = job, .arena = &job->arena, .diag = &job->diag};
	const char *prefix = job->diag.prefix;
	uint32_t before = job->diag.errors;

	job->diag.prefix = "ptx";
	if (length > INT32_MAX) {
		diag_error(x.diag, 0, 0, "the text is longer than 2 GiB");
	} else {
		x.lexer = (struct ptx_lexer){text, text + length, text, 1, x.diag, false};
		x.module = ir_module_new(x.arena);
		x.symbols.arena = x.arena;
		ptx_index_build(&x);
		ptx_scope_open(&x);
		parse_module(&x);
	}
	job->diag.prefix = prefix;
	*out = x.module;
	return job->diag.errors == before;
}
