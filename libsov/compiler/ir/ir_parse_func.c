// SPDX-License-Identifier: MIT
/*
 * Heads of kernels and functions in IR text, relocations of variables, and resolution at the end of
 * the text: a call may precede the function that it names.
 */
#include <string.h>
#include "libsov/compiler/ir/ir_parse.h"

static bool parse_param(struct parser *p, struct ir_param *param)
{
	if (!parse_need_name(p, "a parameter's name", &param->name) || !parse_need_sign(p, ':') ||
	    !parse_need_u32(p, "a size in bytes", &param->size) || !parse_need_word(p, "at") ||
	    !parse_need_u32(p, "an offset in bytes", &param->offset))
		return false;
	param->align = param->size;
	if (parse_accept_word(p, "align") && !parse_need_u32(p, "an alignment", &param->align))
		return false;
	param->pointer = parse_accept_word(p, "pointer");
	if (param->size > UINT32_MAX - param->offset)
		return parse_error(p, &p->lex.token, "parameter %s ends above 0xffffffff",
				   param->name);
	if (param->offset + param->size > p->f->param_bytes)
		p->f->param_bytes = param->offset + param->size;
	return true;
}

static bool parse_params(struct parser *p)
{
	struct ir_func *f = p->f;
	uint32_t capacity = 0;

	if (!parse_need_sign(p, '('))
		return false;
	while (!parse_accept_sign(p, ')')) {
		if (f->nparams && !parse_need_sign(p, ','))
			return false;
		f->params = arena_grow(p->arena, f->params, &capacity, f->nparams + 1,
				       sizeof(*f->params));
		if (!parse_param(p, &f->params[f->nparams++]))
			return false;
	}
	return true;
}

bool parse_kernel_head(struct parser *p)
{
	const char *name;
	struct ir_func *f;

	if (!parse_need_name(p, "a kernel's name", &name))
		return false;
	f = p->f = ir_func_new(p->module, name);
	*name_map_get(&p->funcs, name, (uint32_t)strlen(name)) = f->index + 1;
	if (!parse_params(p))
		return false;
	while (p->lex.token.kind == LEX_WORD) {
		uint32_t *threads = parse_accept_word(p, "max_threads")        ? f->max_threads
				    : parse_accept_word(p, "required_threads") ? f->required_threads
				    : parse_accept_word(p, "cluster")          ? f->cluster
									       : NULL;

		if (threads) {
			for (int k = 0; k < 3; k++)
				if (!parse_need_u32(p, "a number of threads", &threads[k]))
					return false;
		} else if (parse_accept_word(p, "min_ctas")) {
			if (!parse_need_u32(p, "a number of blocks", &f->min_ctas))
				return false;
		} else if (parse_accept_word(p, "max_registers")) {
			if (!parse_need_u32(p, "a number of registers", &f->max_registers))
				return false;
		} else if (parse_accept_word(p, "max_cluster")) {
			if (!parse_need_u32(p, "a number of blocks", &f->max_cluster))
				return false;
		} else if (parse_accept_word(p, "explicit_cluster")) {
			f->explicit_cluster = true;
		} else {
			return parse_expected(p, "max_threads, required_threads, min_ctas, "
						 "max_registers, cluster, max_cluster, "
						 "explicit_cluster or '{'");
		}
	}
	return parse_need_sign(p, '{');
}

/* "(b32, b64)" */
static bool parse_types(struct parser *p, uint8_t *types, uint32_t *n)
{
	if (!parse_need_sign(p, '('))
		return false;
	for (*n = 0; !parse_accept_sign(p, ')'); (*n)++) {
		if (*n && !parse_need_sign(p, ','))
			return false;
		if (*n == IR_MAX_RESULTS)
			return parse_error(p, &p->lex.token, "more than %d types", IR_MAX_RESULTS);
		if (!parse_need_type(p, &types[*n]))
			return false;
	}
	return true;
}

/* "f(b32, b64) -> (b32)" */
static bool parse_signature(struct parser *p, enum ir_kind kind)
{
	uint8_t args[IR_MAX_RESULTS], results[IR_MAX_RESULTS];
	uint32_t nargs, nresults = 0, *index;
	const struct ir_token t = p->lex.token;
	const char *name;

	if (!parse_need_name(p, "a function's name", &name) || !parse_types(p, args, &nargs))
		return false;
	if (parse_accept_sign(p, '-') &&
	    (!parse_need_sign(p, '>') || !parse_types(p, results, &nresults)))
		return false;
	index = name_map_get(&p->funcs, name, (uint32_t)strlen(name));
	if (*index)
		return parse_error(p, &t, "@%s is defined twice", name);
	p->f = ir_function_new(p->module, kind, name, args, nargs, results, nresults);
	*index = p->f->index + 1;
	return true;
}

bool parse_function_head(struct parser *p, bool external, bool preserve_all, bool *body)
{
	*body = !external;
	if (!parse_signature(p, external ? IR_EXTERNAL : IR_FUNCTION))
		return false;
	p->f->preserve_all = preserve_all;
	return external || parse_need_sign(p, '{');
}

/* "external kernel k()": its parameters do not matter here. */
bool parse_external_kernel(struct parser *p)
{
	return parse_signature(p, IR_EXTERNAL_KERNEL);
}

bool parse_prototype(struct parser *p)
{
	return parse_signature(p, IR_PROTOTYPE);
}

/* "@table + 8 = generic variable @x + 4 bytes 8 shift 0" */
bool parse_address(struct parser *p)
{
	struct parse_address a = {0};
	uint64_t bytes = 0, shift = 0;
	struct ir_token t;

	if (!parse_need_sign(p, '@'))
		return false;
	t = p->lex.token;
	a.symbol = *name_map_get(&p->symbols, t.s, t.length) - 1;
	if (a.symbol == UINT32_MAX)
		return parse_error(p, &t, "no variable @%.*s before this line",
				   (int)(t.length < 60 ? t.length : 60), t.s);
	ir_lex_next(&p->lex);
	if (!parse_need_sign(p, '+') ||
	    !parse_need_number(p, "an offset", UINT64_MAX, &a.address.offset) ||
	    !parse_need_sign(p, '='))
		return false;
	a.address.generic = parse_accept_word(p, "generic");
	a.address.function = parse_accept_word(p, "function");
	if ((!a.address.function && !parse_need_word(p, "variable")) || !parse_need_sign(p, '@'))
		return false;
	a.target = p->lex.token;
	ir_lex_next(&p->lex);
	if (!parse_need_sign(p, '+') ||
	    !parse_need_number(p, "an offset", UINT64_MAX, &a.address.addend) ||
	    !parse_need_word(p, "bytes") || !parse_need_number(p, "a size", 8, &bytes) ||
	    !parse_need_word(p, "shift") || !parse_need_number(p, "a shift", 56, &shift))
		return false;
	a.address.bytes = (uint8_t)bytes;
	a.address.shift = (uint8_t)shift;
	p->addresses = arena_grow(p->arena, p->addresses, &p->addresses_capacity, p->naddresses + 1,
				  sizeof(*p->addresses));
	p->addresses[p->naddresses++] = a;
	return true;
}

static void resolve_address(struct parser *p, const struct parse_address *a)
{
	struct name_map *names = a->address.function ? &p->funcs : &p->symbols;
	uint32_t index = *name_map_get(names, a->target.s, a->target.length);
	struct ir_symbol *s = &p->module->symbols[a->symbol];
	struct ir_address *all;

	if (!index) {
		parse_error(p, &a->target, "no %s @%.*s in the module",
			    a->address.function ? "function" : "variable",
			    (int)(a->target.length < 60 ? a->target.length : 60), a->target.s);
		return;
	}
	all = arena_array(p->arena, s->naddresses + 1, sizeof(*all));
	if (s->naddresses)
		memcpy(all, s->addresses, s->naddresses * sizeof(*all));
	all[s->naddresses] = a->address;
	all[s->naddresses++].target = index - 1;
	s->addresses = all;
}

/* Sets the callee's index and the types of the results. */
static void resolve_call(struct parser *p, const struct parse_call *c)
{
	uint32_t index = *name_map_get(&p->funcs, c->name.s, c->name.length);
	struct ir_inst *in = ir_at(c->f, c->inst);
	const struct ir_func *callee;

	if (!index) {
		parse_error(p, &c->name, "no function @%.*s in the module",
			    (int)(c->name.length < 60 ? c->name.length : 60), c->name.s);
		return;
	}
	in->symbol = index - 1;
	callee = p->module->table[in->symbol];
	if (ir_ops[in->op].rule != R_CALL)
		return;
	if (in->nres != callee->nresults) {
		parse_error(p, &c->name, "@%s has %u results, not %u", callee->name,
			    callee->nresults, in->nres);
		return;
	}
	for (uint32_t k = 0; k < in->nres; k++)
		c->f->values[in->res + k].type = callee->result_types[k];
}

void parse_resolve(struct parser *p)
{
	for (uint32_t k = 0; k < p->naddresses; k++)
		resolve_address(p, &p->addresses[k]);
	for (uint32_t k = 0; k < p->ncalls; k++)
		resolve_call(p, &p->calls[k]);
}
