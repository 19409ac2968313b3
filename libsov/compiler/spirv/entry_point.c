// SPDX-License-Identifier: MIT
/*
 * Entry points: kernels with the arguments by which they find their resources. Without a layout of
 * descriptors, each buffer, texture or array of them that the entry point uses is an argument, in
 * order of set and binding; with one, each set is. In both cases push constants come last.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/compiler/spirv/front_end.h"

/* ---- which variables the entry point uses ---- */

static void visit_function(struct spirv *s, struct spirv_function *fn, uint32_t depth);

/* An operand may be a literal that equals an id: then a variable counts as used that is not. */
static void visit_id(struct spirv *s, uint32_t id, uint32_t depth)
{
	if (!id || id >= s->bound)
		return;
	if (s->ids[id].kind == SPIRV_ID_VARIABLE)
		s->ids[id].variable->used = true;
	if (s->ids[id].kind == SPIRV_ID_FUNCTION)
		visit_function(s, s->ids[id].function, depth + 1);
}

/* Visits the operands that are ids, by the letters of the shape; what follows a mask, all words. */
static void visit_operands(struct spirv *s, uint32_t depth)
{
	struct spirv_inst in = s->in;
	const char *shape = in.grammar->shape;

	for (uint32_t k = 1; k < in.count && *shape; k++) {
		bool many = shape[1] == '*';

		if (*shape == 's' || *shape == 'n')
			return;
		if (*shape == 'm') {
			for (; k < in.count; k++)
				visit_id(s, in.words[k], depth);
			return;
		}
		if (*shape == 'i' || *shape == 'I' || *shape == 'J')
			visit_id(s, in.words[k], depth);
		if (*shape == 'L' || *shape == 'I' || *shape == 'J') {
			k++;
			if (*shape != 'I' && k < in.count)
				visit_id(s, in.words[k], depth);
		}
		if (!many)
			shape += shape[1] == '?' ? 2 : 1;
	}
}

static void visit_function(struct spirv *s, struct spirv_function *fn, uint32_t depth)
{
	uint32_t at = fn->at;

	if (fn->visited)
		return;
	if (depth > SPIRV_MAX_DEPTH)
		spirv_fail(s, "calls are nested more than %d deep", SPIRV_MAX_DEPTH);
	fn->visited = true;
	for (spirv_fetch(s, at); at < fn->end; at += s->in.count, spirv_fetch(s, at)) {
		uint32_t count = s->in.count;

		visit_operands(s, depth);
		s->in.count = count;
	}
}

static void find_used(struct spirv *s, struct spirv_function *fn)
{
	for (uint32_t k = 0; k < s->nvariables; k++)
		s->variables[k]->used = false;
	for (uint32_t k = 0; k < s->nfunctions; k++)
		s->functions[k]->visited = false;
	visit_function(s, fn, 0);
}

/* ---- execution modes ---- */

static uint32_t mode_number(struct spirv *s, uint32_t k, bool is_id)
{
	uint64_t n = spirv_word(s, k);

	if (is_id)
		n = spirv_constant_integer(s, (uint32_t)n, "a size of the workgroup");
	if (!n || n > UINT32_MAX)
		spirv_fail(s, "a size of %llu", (unsigned long long)n);
	return (uint32_t)n;
}

static void read_mode(struct spirv *s)
{
	uint32_t mode = spirv_word(s, 2), width;
	bool *widths = NULL;

	switch (mode) {
	case SPIRV_MODE_LOCAL_SIZE:
	case SPIRV_MODE_LOCAL_SIZE_ID:
		for (uint32_t axis = 0; axis < 3; axis++)
			s->local_size[axis] =
				mode_number(s, 3 + axis, mode == SPIRV_MODE_LOCAL_SIZE_ID);
		break;
	case SPIRV_MODE_CONTRACTION_OFF:
		s->no_contraction = true;
		break;
	case SPIRV_MODE_DENORM_PRESERVE:
		widths = s->preserve_denormals;
		break;
	case SPIRV_MODE_DENORM_FLUSH_TO_ZERO:
		widths = s->flush_denormals;
		break;
	case SPIRV_MODE_ROUNDING_MODE_RTZ:
		widths = s->round_to_zero;
		break;
	case SPIRV_MODE_SUBGROUP_SIZE:
		if (spirv_word(s, 3) != SPIRV_SUBGROUP)
			spirv_fail(s, "subgroups of %u invocations; they have %d", spirv_word(s, 3),
				   SPIRV_SUBGROUP);
		break;
	default: /* hints, and what holds anyway: rounding is to nearest */
		break;
	}
	if (!widths)
		return;
	width = spirv_word(s, 3);
	if (width != 16 && width != 32 && width != 64)
		spirv_fail(s, "floats of %u bits", width);
	widths[width == 16 ? 0 : width == 32 ? 1 : 2] = true;
}

/* A constant that is decorated as WorkgroupSize overrides the execution mode. */
static void find_workgroup_size(struct spirv *s)
{
	for (uint32_t id = 1; id < s->bound; id++) {
		const struct spirv_decoration *d =
			spirv_decoration_of(s, id, SPIRV_NO_MEMBER, SPIRV_DECORATION_BUILT_IN);
		const struct spirv_constant *c = s->ids[id].constant;

		if (!d || !d->count || d->operands[0] != SPIRV_BUILTIN_WORKGROUP_SIZE ||
		    s->ids[id].kind != SPIRV_ID_CONSTANT || c->type->leaves != 3 || !c->bits)
			continue;
		for (uint32_t axis = 0; axis < 3; axis++)
			s->local_size[axis] = (uint32_t)c->bits[axis];
	}
}

static void read_modes(struct spirv *s)
{
	uint64_t threads = 1;

	memset(s->local_size, 0, sizeof(s->local_size));
	memset(s->flush_denormals, 0, sizeof(s->flush_denormals));
	memset(s->preserve_denormals, 0, sizeof(s->preserve_denormals));
	memset(s->round_to_zero, 0, sizeof(s->round_to_zero));
	s->no_contraction = s->job->options.no_contraction;
	for (uint32_t at = 5; spirv_fetch(s, at) && s->in.opcode != SPIRV_OP_FUNCTION;
	     at += s->in.count)
		if ((s->in.opcode == SPIRV_OP_EXECUTION_MODE ||
		     s->in.opcode == SPIRV_OP_EXECUTION_MODE_ID) &&
		    spirv_word(s, 1) == s->entry->id)
			read_mode(s);
	find_workgroup_size(s);
	s->in = (struct spirv_inst){0};
	for (uint32_t axis = 0; axis < 3; axis++)
		threads *= s->local_size[axis] > 4096 ? 4096 : s->local_size[axis];
	if (threads > s->job->target->max_threads)
		spirv_fail(s,
			   "entry point '%s': a workgroup of %u x %u x %u invocations; the maximum "
			   "is %u",
			   s->entry->name, s->local_size[0], s->local_size[1], s->local_size[2],
			   s->job->target->max_threads);
	if (s->local_size[0] && !threads)
		spirv_fail(s, "entry point '%s': a size of the workgroup is 0", s->entry->name);
	if (!s->local_size[0] && !s->kernel_environment)
		spirv_fail(s, "entry point '%s' states no size of its workgroup", s->entry->name);
}

/* ---- arguments ---- */

static uint32_t add_param(struct spirv *s, const char *name, uint32_t size, uint32_t align)
{
	struct ir_func *f = s->f;
	uint32_t at = (f->param_bytes + align - 1) / align * align;
	struct ir_param *params = arena_array(s->arena, f->nparams + 1, sizeof(*params));

	if (f->nparams)
		memcpy(params, f->params, f->nparams * sizeof(*params));
	params[f->nparams++] = (struct ir_param){
		.name = arena_strndup(s->arena, name, strlen(name)),
		.offset = at,
		.size = size,
		.align = align,
	};
	f->params = params;
	f->param_bytes = at + size;
	return at;
}

static bool is_resource(const struct spirv_variable *v)
{
	return v->storage == SPIRV_CLASS_UNIFORM || v->storage == SPIRV_CLASS_STORAGE_BUFFER ||
	       v->storage == SPIRV_CLASS_UNIFORM_CONSTANT;
}

static int compare_bindings(const void *a, const void *b)
{
	const struct spirv_variable *x = *(struct spirv_variable *const *)a,
				    *y = *(struct spirv_variable *const *)b;

	if (x->set != y->set)
		return x->set < y->set ? -1 : 1;
	if (x->binding != y->binding)
		return x->binding < y->binding ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

/* The resources that the entry point uses, in order. */
static struct spirv_variable **resources(struct spirv *s, uint32_t *count)
{
	struct spirv_variable **list = arena_array(s->arena, s->nvariables + 1, sizeof(*list));

	*count = 0;
	for (uint32_t k = 0; k < s->nvariables; k++) {
		struct spirv_variable *v = s->variables[k];

		if (!v->used || !is_resource(v) || (s->kernel_environment && !v->has_binding))
			continue;
		if (!v->has_binding)
			spirv_fail(s, "the resource %s has no binding", spirv_id_name(s, v->id));
		list[(*count)++] = v;
	}
	qsort(list, *count, sizeof(*list), compare_bindings);
	return list;
}

static const char *variable_name(struct spirv *s, const struct spirv_variable *v)
{
	const char *name = s->ids[v->id].name;

	return name && *name ? name : arena_printf(s->arena, "v%u", v->id);
}

/* The last argument gets at least this size. */
static void grow_param(struct ir_func *f, uint32_t size)
{
	struct ir_param *last = &f->params[f->nparams - 1];

	if (last->size < size)
		last->size = size;
	f->param_bytes = last->offset + last->size;
}

/* Variables of one binding are one argument, as large as the largest of them. */
static void add_resource(struct spirv *s, struct spirv_variable *v,
			 const struct spirv_variable *before)
{
	const struct spirv_type *t = v->type;
	bool same = before && before->set == v->set && before->binding == v->binding;
	uint64_t count = 1;
	uint32_t bytes;

	for (; t->kind == SPIRV_ARRAY; t = t->element)
		count *= t->count;
	v->by_address = t->kind == SPIRV_RUNTIME_ARRAY;
	if (same && v->by_address != before->by_address)
		spirv_fail(s, "%s and %s have one binding, but only one of them has a length",
			   spirv_id_name(s, before->id), spirv_id_name(s, v->id));
	bytes = v->by_address ? 8 : spirv_descriptor_bytes(t);
	if (count > 256)
		spirv_fail(s,
			   "%s is an array of %llu descriptors; as kernel argument it has at most "
			   "256: use a layout of descriptors (sov_spirv_options)",
			   spirv_id_name(s, v->id), (unsigned long long)count);
	if (same) {
		v->param = before->param;
		grow_param(s->f, (uint32_t)count * bytes);
		return;
	}
	v->param = add_param(s, variable_name(s, v), (uint32_t)count * bytes, 8);
}

static void find_row(struct spirv *s, struct spirv_variable *v)
{
	v->row = NULL;
	for (uint32_t k = 0; k < s->options->nbindings; k++)
		if (s->options->bindings[k].set == v->set &&
		    s->options->bindings[k].binding == v->binding)
			v->row = &s->options->bindings[k];
	if (!v->row)
		spirv_fail(s, "the layout of descriptors has no set %u, binding %u, which %s uses",
			   v->set, v->binding, spirv_id_name(s, v->id));
}

static void add_push_constants(struct spirv *s)
{
	s->push_constants = 0;
	for (uint32_t k = 0; k < s->nvariables; k++) {
		struct spirv_variable *v = s->variables[k];

		if (!v->used || v->storage != SPIRV_CLASS_PUSH_CONSTANT)
			continue;
		if (v->type->kind != SPIRV_STRUCT || !v->type->bytes || v->type->bytes > 3072)
			spirv_fail(s, "push constants of %llu bytes; the maximum is 3072",
				   (unsigned long long)v->type->bytes);
		/* Entry points have one block of push constants; it may have several names. */
		if (!s->push_constants)
			s->push_constants =
				1 + add_param(s, "push_constants",
					      (uint32_t)((v->type->bytes + 3) & ~3u), 16);
		v->param = s->push_constants - 1;
	}
}

/* The sets of the layout, used or not, so that the arguments do not depend on the code. */
static void add_sets(struct spirv *s)
{
	uint32_t sets = 0, *bytes;

	for (uint32_t k = 0; k < s->options->nbindings; k++)
		if (s->options->bindings[k].set >= sets)
			sets = s->options->bindings[k].set + 1;
	s->set_params = arena_array(s->arena, sets + 1, sizeof(*s->set_params));
	bytes = arena_array(s->arena, sets + 1, sizeof(*bytes));
	for (uint32_t k = 0; k < s->options->nbindings; k++)
		bytes[s->options->bindings[k].set] = s->options->bindings[k].set_bytes;
	for (uint32_t k = 0; k < sets; k++)
		s->set_params[k] = add_param(s, arena_printf(s->arena, "set%u", k),
					     bytes[k] ? bytes[k] : 8, 8);
}

static void add_params(struct spirv *s)
{
	uint32_t count;
	struct spirv_variable **list = resources(s, &count);

	if (s->options->layout)
		add_sets(s);
	for (uint32_t k = 0; k < count; k++) {
		if (!s->options->layout) {
			add_resource(s, list[k], k ? list[k - 1] : NULL);
			continue;
		}
		find_row(s, list[k]);
		list[k]->param = s->set_params[list[k]->set];
	}
	s->base_workgroup = 0;
	if (s->options->base_workgroup)
		s->base_workgroup = 1 + add_param(s, "base_workgroup", 12, 4);
	add_push_constants(s);
}

/* ---- the kernel ---- */

static uint32_t add_argument(struct spirv *s, uint32_t k, const struct spirv_type *t)
{
	if (!t->bytes || t->bytes > 3072)
		spirv_fail(s, "parameter %u of '%s' has %llu bytes; the maximum is 3072", k,
			   s->entry->name, (unsigned long long)t->bytes);
	return add_param(s, arena_printf(s->arena, "p%u", k), (uint32_t)t->bytes,
			 t->align > 16 ? 16 : t->align);
}

/* A pointer to workgroup memory is an offset in that of the launch, a word. */
static void workgroup_argument(struct spirv *s, uint32_t k, struct spirv_value *out)
{
	struct ir_symbol symbol = {
		.name = "sov.dynamic", .space = IR_SHARED, .external = true, .align = 16};
	uint32_t at = add_param(s, arena_printf(s->arena, "p%u", k), 4, 4);
	ir_id i;

	if (!s->dynamic_shared)
		s->dynamic_shared = 1 + ir_symbol_new(s->module, &symbol);
	i = spirv_emit(s, IR_ADDR, IR_B32, 1, 0, NULL);
	ir_at(s->f, i)->symbol = s->dynamic_shared - 1;
	out->leaves = arena_array(s->arena, 1, sizeof(ir_val));
	out->leaves[0] =
		spirv_op(s, IR_ADD, IR_B32, ir_at(s->f, i)->res, spirv_param(s, IR_B32, at), 0);
}

/* A pointer to private memory stands for a structure that is passed by value. */
static void value_argument(struct spirv *s, uint32_t k, const struct spirv_function *fn,
			   struct spirv_value *out)
{
	const struct spirv_type *t = fn->type->parameters[k];
	struct spirv_pointer *p = arena_alloc(s->arena, sizeof(*p));

	*p = spirv_argument_copy(s, t->element, fn->id, add_argument(s, k, t->element));
	out->pointer = p;
}

/* Arguments of an OpenCL kernel are the parameters of its function. */
static struct spirv_value *kernel_arguments(struct spirv *s, const struct spirv_function *fn)
{
	struct spirv_value *arguments =
		arena_array(s->arena, fn->type->count + 1, sizeof(*arguments));

	if (fn->type->count && !s->kernel_environment)
		spirv_fail(s, "entry point '%s' has parameters", s->entry->name);
	for (uint32_t k = 0; k < fn->type->count; k++) {
		const struct spirv_type *t = fn->type->parameters[k];
		struct spirv_pointer p = {.pointee = t, .space = IR_PARAM, .align = t->align};

		arguments[k].type = t;
		if (t->kind == SPIRV_POINTER && t->storage == SPIRV_CLASS_WORKGROUP) {
			workgroup_argument(s, k, &arguments[k]);
			continue;
		}
		if (t->kind == SPIRV_POINTER && t->storage == SPIRV_CLASS_FUNCTION && t->element) {
			value_argument(s, k, fn, &arguments[k]);
			continue;
		}
		if (t->kind >= SPIRV_IMAGE)
			spirv_fail(s, "parameter %u of '%s' is an image, sampler or event", k,
				   s->entry->name);
		p.imm = add_argument(s, k, t);
		arguments[k].leaves = arena_array(s->arena, t->leaves + 1, sizeof(ir_val));
		spirv_load(s, &p, t, arguments[k].leaves);
	}
	return arguments;
}

static void start_variables(struct spirv *s)
{
	for (uint32_t k = 0; k < s->nvariables; k++) {
		struct spirv_variable *v = s->variables[k];

		v->symbol = v->storage == SPIRV_CLASS_PRIVATE ? 0 : v->symbol;
		if (v->used && v->storage == SPIRV_CLASS_PRIVATE)
			spirv_local_variable(s, v);
	}
}

void spirv_lower_entry(struct spirv *s, struct spirv_entry *e)
{
	struct spirv_id *x = spirv_id_of(s, e->id);
	struct spirv_frame frame = {0};
	struct spirv_value *arguments;

	s->entry = e;
	if (x->kind != SPIRV_ID_FUNCTION)
		spirv_fail(s, "entry point '%s' is no function", e->name);
	frame.function = x->function;
	find_used(s, x->function);
	s->f = ir_func_new(s->module, e->name);
	s->block = spirv_block_new(s);
	read_modes(s);
	memcpy(s->f->required_threads, s->local_size, sizeof(s->local_size));
	if (!s->local_size[0])
		memset(s->f->required_threads, 0, sizeof(s->f->required_threads));
	add_params(s);
	start_variables(s);
	if (!s->kernel_environment)
		spirv_zero_workgroup_memory(s);
	arguments = kernel_arguments(s, x->function);
	s->frame = NULL;
	spirv_lower_function(s, x->function, arguments, &frame);
	s->in = (struct spirv_inst){0};
	s->line_file = 0;
}
