// SPDX-License-Identifier: MIT
/*
 * Parser of the module level: header, variables, kernels with their parameters and performance
 * directives. After an error the parser recovers at the next ';' or the end of the block, so that
 * one run reports every error of a file.
 */
#include <string.h>
#include "libsov/compiler/ir/cluster.h"
#include "libsov/compiler/image/image.h"
#include "libsov/compiler/ptx/front_end.h"

/* ---- tokens ---- */

void ptx_next(struct ptx *x)
{
	ptx_lex(&x->lexer, &x->token);
}

bool ptx_accept(struct ptx *x, int kind)
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
	if (ptx_accept(x, kind))
		return true;
	if (x->token.kind != TOKEN_BAD)
		ptx_error(x, &x->token, "expected %s after %s, found %s", what, after,
			  ptx_token_name(x, &x->token));
	return false;
}

bool ptx_is_keyword(const struct ptx_token *t, const char *word)
{
	return t->kind == TOKEN_KEYWORD && t->length == strlen(word) &&
	       !memcmp(t->text, word, t->length);
}

static bool accept_keyword(struct ptx *x, const char *word)
{
	if (!ptx_is_keyword(&x->token, word))
		return false;
	ptx_next(x);
	return true;
}

/* ---- error recovery ---- */

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

/* Skips from '{' past its '}'. */
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
	if (depth && !x->lexer.truncated)
		ptx_error(x, &open, "'{' is not closed; '}' is missing");
}

/* At module level a block may precede the next ';'. */
void ptx_skip_declaration(struct ptx *x)
{
	x->braces = 0;
	while (x->token.kind != TOKEN_END) {
		if (x->token.kind == '{') {
			skip_block(x);
			return;
		}
		if (ptx_accept(x, ';'))
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
	10, 11, 12, 13, 20, 30, 32, 35, 37, 50,  52,  53,  60,  61,  62,
	70, 72, 75, 80, 86, 87, 88, 89, 90, 100, 101, 103, 110, 120, 121,
};

/* The number of "sm_90" or "sm_90a"; 0: unknown. */
static uint32_t parse_architecture(const struct ptx_token *t, bool *specific)
{
	uint32_t n = t->length, version = 0, prefix = 3;

	*specific = n > 3 && (t->text[n - 1] == 'a' || t->text[n - 1] == 'f');
	if (*specific)
		n--;
	if (n > 8 && !memcmp(t->text, "compute_", 8)) /* as ptxas takes it */
		prefix = 8;
	else if (n < 3 || memcmp(t->text, "sm_", 3))
		return 0;
	if (n < prefix + 2 || n > prefix + 3)
		return 0;
	for (uint32_t i = prefix; i < n; i++) {
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
	uint32_t version = parse_architecture(t, &specific);

	x->is_specific |= specific;
	x->architecture = version;
	if (!version)
		ptx_error(x, t, "unknown target '%.*s'; known: sm_10 to sm_121, debug", TEXT(t));
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

/* "debug", and how textures and samplers are named. */
static bool is_target_option(const struct ptx_token *t)
{
	static const char *const options[] = {"debug", "texmode_unified", "texmode_independent"};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (t->length == strlen(options[i]) && !memcmp(t->text, options[i], t->length))
			return true;
	return false;
}

static void parse_target(struct ptx *x)
{
	static const char independent[] = "texmode_independent";

	do {
		struct ptx_token t = x->token;

		if (!ptx_expect(x, TOKEN_NAME, "a target such as sm_90", ".target"))
			return;
		if (!is_target_option(&t))
			check_architecture(x, &t);
		else if (t.length == strlen(independent) && !memcmp(t.text, independent, t.length))
			x->independent_samplers = true;
	} while (ptx_accept(x, ','));
}

static void parse_address_size(struct ptx *x)
{
	struct ptx_token t = x->token;
	uint64_t bits;

	if (ptx_parse_integer(x, "address size", 0, 1024, &bits) && bits != 64)
		ptx_error(x, &t, "address size %u is not supported; only 64 is", (unsigned)bits);
}

/* ---- kernels ---- */

/* After ".ptr": ".global .align 16". */
static void parse_pointer_attribute(struct ptx *x)
{
	static const char *const spaces[] = {".global", ".shared", ".const", ".local"};
	uint32_t align;

	for (size_t i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++)
		if (accept_keyword(x, spaces[i]))
			break;
	if (ptx_is_keyword(&x->token, ".align"))
		ptx_parse_align(x, &align);
}

/* The next offset that satisfies an alignment, if parameters begin at that distance from it. */
static uint64_t next_offset(uint64_t end, uint32_t align, uint32_t params_at)
{
	return ((params_at + end + align - 1) & ~(uint64_t)(align - 1)) - params_at;
}

/* Many parameters begin at another address, which counts for their alignment. */
static void place_many_parameters(struct ptx *x)
{
	const struct target *t = x->job->target;
	struct ir_func *f = x->func;
	uint64_t end = 0;

	if (!t || f->param_bytes <= t->small_params || t->params_at == t->large_params_at)
		return;
	for (uint32_t k = 0; k < f->nparams; k++) {
		struct ir_param *p = &f->params[k];

		p->offset = (uint32_t)next_offset(end, p->align, t->large_params_at);
		end = (uint64_t)p->offset + p->size;
	}
	f->param_bytes = (uint32_t)end;
}

/* Appends a parameter at the next offset that satisfies its alignment. */
static void add_parameter(struct ptx *x, const struct ptx_token *t, const struct ptx_shape *s,
			  bool pointer)
{
	struct ir_func *f = x->func;
	uint64_t size = ptx_shape_bytes(s);
	const struct target *target = x->job->target;
	uint64_t offset = next_offset(f->param_bytes, s->align, target ? target->params_at : 0);
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

	if (!accept_keyword(x, ".param")) {
		ptx_error(x, &x->token, "expected .param, found %s", ptx_token_name(x, &x->token));
		return false;
	}
	if (!ptx_parse_type_spec(x, &s) || ptx_reject_handle(x, &s))
		return false;
	pointer = accept_keyword(x, ".ptr");
	if (pointer)
		parse_pointer_attribute(x);
	t = x->token;
	if (!ptx_expect(x, TOKEN_NAME, "a name", "the parameter's type") ||
	    !ptx_parse_dimensions(x, &s))
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
	if (!ptx_accept(x, '(') || ptx_accept(x, ')'))
		return true;
	do {
		if (!parse_parameter(x))
			return false;
	} while (ptx_accept(x, ','));
	place_many_parameters(x);
	return ptx_expect(x, ')', "',' or ')'", "a parameter");
}

/* ".maxntid 32, 8": omitted dimensions are 1. More than the target has are as many as it has,
 * unless they are required. */
static void parse_block_shape(struct ptx *x, const char *word, bool required, uint32_t threads[3])
{
	const struct target *target = x->job->target;
	uint32_t limit = target && !strcmp(target->family, "nv") ? target->max_threads : 1024;
	struct ptx_token t = x->token;
	uint64_t n[3] = {1, 1, 1};
	int i = 0;

	do {
		if (!ptx_parse_integer(x, word, 1, required ? limit : UINT16_MAX, &n[i]))
			return;
	} while (++i < 3 && ptx_accept(x, ','));
	if (n[0] * n[1] * n[2] > limit && required)
		ptx_error(x, &t, "%s of %u x %u x %u threads is more than the target's %u", word,
			  (unsigned)n[0], (unsigned)n[1], (unsigned)n[2], limit);
	if (n[0] * n[1] * n[2] > limit) {
		n[0] = limit;
		n[1] = n[2] = 1;
	}
	for (i = 0; i < 3; i++)
		threads[i] = (uint32_t)n[i];
}

/* Performance-tuning directives between a kernel's parameters and its body. */
static bool parse_kernel_directives(struct ptx *x)
{
	uint64_t n;

	while (x->token.kind == TOKEN_KEYWORD) {
		struct ptx_token t = x->token;

		ptx_next(x);
		if (ptx_is_keyword(&t, ".maxntid")) {
			parse_block_shape(x, ".maxntid", false, x->func->max_threads);
		} else if (ptx_is_keyword(&t, ".reqntid")) {
			parse_block_shape(x, ".reqntid", true, x->func->required_threads);
		} else if (ptx_is_keyword(&t, ".minnctapersm")) {
			if (ptx_parse_integer(x, ".minnctapersm", 1, 1024, &n))
				x->func->min_ctas = (uint32_t)n;
		} else if (ptx_is_keyword(&t, ".maxnreg")) {
			if (ptx_parse_integer(x, ".maxnreg", 1, 1024, &n))
				x->func->max_registers = (uint32_t)n;
		} else if (ptx_is_keyword(&t, ".maxnctapersm") ||
			   ptx_is_keyword(&t, ".local_maxnreg")) {
			/* The first is deprecated, the second in no manual: ptxas takes it, and it
			 * changes no code. */
			ptx_parse_integer(x, "limit", 1, 1024, &n);
		} else if (ptx_is_keyword(&t, ".pragma")) {
			ptx_expect(x, TOKEN_STRING, "a string", ".pragma");
			ptx_accept(x, ';');
		} else if (ptx_is_keyword(&t, ".blocksareclusters")) {
			ptx_error(x, &t, "kernel directive '%.*s' is not supported: clusters",
				  TEXT(&t));
			return false;
		} else if (!ptx_parse_cluster_directive(x, &t)) {
			ptx_error(x, &t,
				  "kernel directive '%.*s' is not supported; supported: .maxntid "
				  ".reqntid .minnctapersm .maxnctapersm .maxnreg .pragma "
				  ".reqnctapercluster .explicitcluster .maxclusterrank",
				  TEXT(&t));
			return false;
		}
	}
	ptx_check_cluster(x);
	return true;
}

/* Skips the rest of a declaration without a body; false: it has one. */
static bool skip_forward_declaration(struct ptx *x)
{
	struct ptx_lexer l = x->lexer;
	struct ptx_token t = x->token;
	int last = 0;

	l.diag = NULL;
	while (t.kind != TOKEN_END && t.kind != '{' && (t.kind != ';' || last == TOKEN_STRING)) {
		last = t.kind; /* a string is that of .pragma, whose ';' ends no declaration */
		ptx_lex(&l, &t);
	}
	if (t.kind != ';')
		return false;
	while (!ptx_accept(x, ';'))
		ptx_next(x);
	return true;
}

/* The name of a kernel, declared here or before; NULL: it is another name, or has a body. */
static struct ptx_name *declare_kernel(struct ptx *x, const struct ptx_token *t)
{
	struct ptx_name *n = ptx_lookup_innermost(x, t);

	if (n && n->kernel && n->kernel->kind == IR_EXTERNAL_KERNEL)
		return n;
	n = ptx_declare(x, NAME_FUNCTION, t);
	if (n)
		n->kernel = ir_function_new(x->module, IR_EXTERNAL_KERNEL,
					    arena_strndup(x->arena, t->text, t->length), NULL, 0,
					    NULL, 0);
	return n;
}

/* A declaration alone: objects may take the kernel's address. */
static bool declares_kernel(struct ptx *x, const struct ptx_token *t)
{
	const struct ptx_name *n = t->kind == TOKEN_NAME ? ptx_lookup_innermost(x, t) : NULL;

	if (t->kind != TOKEN_NAME || !skip_forward_declaration(x))
		return false;
	if (!n)
		declare_kernel(x, t);
	return true;
}

static void parse_entry(struct ptx *x)
{
	struct ptx_token t = x->token;
	const struct ptx_name *n;

	if (declares_kernel(x, &t))
		return;
	n = ptx_expect(x, TOKEN_NAME, "a name", ".entry") ? declare_kernel(x, &t) : NULL;
	if (!n) {
		ptx_skip_declaration(x);
		return;
	}
	x->func = n->kernel;
	ir_func_define(x->func);
	x->func->linkage = x->linkage;
	x->linkage = IR_LINK_STATIC; /* of the variables in its body */
	ptx_scope_open(x);
	if (!parse_parameters(x) || !parse_kernel_directives(x)) {
		ptx_skip_declaration(x);
	} else if (x->token.kind == '{') {
		ptx_set_block(x, ir_block_new(x->func, NULL));
		ptx_parse_body(x);
	} else {
		ptx_expect(x, '{', "'{'", "the head of a kernel");
		ptx_skip_declaration(x);
	}
	ptx_scope_close(x);
}

/* ---- source locations ---- */

#define MAX_FILES 65536

/* ".file 1 "name" …" */
void ptx_parse_file(struct ptx *x)
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

/* ".loc file line column …" */
void ptx_parse_loc(struct ptx *x)
{
	struct ir_module *m = x->module;
	struct ir_source_loc loc = {.text_line = x->token.line};
	uint32_t *numbers[] = {&loc.file, &loc.line, &loc.column};
	uint32_t n = 0;

	ptx_next(x);
	while (n < 3 && x->token.kind == TOKEN_INTEGER && x->token.line == loc.text_line &&
	       x->token.integer <= UINT32_MAX) {
		*numbers[n++] = (uint32_t)x->token.integer;
		ptx_next(x);
	}
	if (n == 3) {
		m->source_locs = arena_grow(x->arena, m->source_locs, &m->source_locs_capacity,
					    m->nsource_locs + 1, sizeof(*m->source_locs));
		m->source_locs[m->nsource_locs++] = loc;
	}
	if (x->token.line == loc.text_line)
		ptx_skip_line(x);
}

/* ---- module ---- */

/* A kernel, function or variable after its linking directives. */
static void parse_definition(struct ptx *x)
{
	bool external = false;

	x->linkage = IR_LINK_STATIC;
	for (;;) {
		if (accept_keyword(x, ".extern"))
			external = true;
		else if (accept_keyword(x, ".visible"))
			x->linkage = IR_LINK_VISIBLE;
		else if (accept_keyword(x, ".weak") || accept_keyword(x, ".common"))
			x->linkage = IR_LINK_WEAK;
		else
			break;
	}
	if (accept_keyword(x, ".entry"))
		parse_entry(x);
	else if (accept_keyword(x, ".func"))
		ptx_parse_function(x);
	else if (accept_keyword(x, ".global"))
		ptx_parse_variables(x, IR_GLOBAL, external);
	else if (accept_keyword(x, ".const"))
		ptx_parse_variables(x, IR_CONSTANT, external);
	else if (accept_keyword(x, ".shared"))
		ptx_parse_variables(x, IR_SHARED, external);
	else {
		if (x->token.kind == TOKEN_KEYWORD)
			ptx_error(x, &x->token,
				  "unknown directive '%.*s'; known: .version .target .address_size "
				  ".visible .extern .weak .common .entry .func .global .const "
				  ".shared .alias .file .section .pragma",
				  TEXT(&x->token));
		else if (x->token.kind != TOKEN_BAD)
			ptx_error(x, &x->token, "expected a directive, found %s",
				  ptx_token_name(x, &x->token));
		if (!ptx_accept(x, '}'))
			ptx_skip_declaration(x);
	}
}

static void parse_module_statement(struct ptx *x)
{
	if (accept_keyword(x, ".version"))
		parse_version(x);
	else if (accept_keyword(x, ".target"))
		parse_target(x);
	else if (accept_keyword(x, ".address_size"))
		parse_address_size(x);
	else if (ptx_is_keyword(&x->token, ".file"))
		ptx_parse_file(x);
	else if (accept_keyword(x, ".alias"))
		ptx_parse_alias(x);
	else if (ptx_is_keyword(&x->token, ".section") || ptx_is_keyword(&x->token, ".pragma"))
		ptx_skip_declaration(x); /* debug information and hints */
	else
		parse_definition(x);
}

/* A module begins with .version, then .target. */
static void parse_module(struct ptx *x)
{
	ptx_next(x);
	if (!ptx_is_keyword(&x->token, ".version"))
		ptx_error(x, &x->token, "a PTX module begins with .version, such as .version 8.0");
	else
		parse_module_statement(x);
	if (!ptx_is_keyword(&x->token, ".target"))
		ptx_error(x, &x->token, "expected .target after .version, such as .target sm_90");
	while (x->token.kind != TOKEN_END)
		parse_module_statement(x);
}

bool ptx_parse_into(struct compile_job *job, const char *text, size_t length, struct ir_module *m)
{
	struct ptx x = {.job = job, .arena = &job->arena, .diag = &job->diag, .module = m};
	const char *prefix = job->diag.prefix;
	uint32_t before = job->diag.errors;

	job->diag.prefix = "ptx";
	if (length > INT32_MAX) {
		diag_error(x.diag, 0, 0, "the text is longer than 2 GiB");
	} else {
		x.lexer = (struct ptx_lexer){text, text + length, text, 1, x.diag, false};
		x.symbols.arena = x.arena;
		ptx_index_build(&x);
		ptx_scope_open(&x);
		parse_module(&x);
		if (!job->options.relocatable && job->diag.errors == before)
			ptx_check_externals(&x);
		ptx_align_constants(&x);
		x.module->clusters |= ir_names_clusters(x.module) ||
				      (job->options.clusters && ptx_has_clusters(&x));
		if (x.module->clusters)
			ir_cluster_addresses(x.module);
	}
	job->diag.prefix = prefix;
	return job->diag.errors == before;
}

bool ptx_parse(struct compile_job *job, const char *text, size_t length, struct ir_module **out)
{
	*out = ir_module_new(&job->arena);
	return ptx_parse_into(job, text, length, *out);
}
