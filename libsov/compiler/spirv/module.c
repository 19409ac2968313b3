// SPDX-License-Identifier: MIT
/*
 * Modules: everything before the functions, in one pass; decorations come before what they
 * decorate. Then a kernel is made of each entry point.
 */
#include <string.h>
#include "libsov/compiler/spirv/front_end.h"
#include "libsov/compiler/spirv/spirv.h"

#define MODEL_GLCOMPUTE 5
#define MODEL_KERNEL    6

const struct spirv_decoration *spirv_decoration_of(const struct spirv *s, uint32_t id,
						   uint32_t member, uint32_t kind)
{
	const struct spirv_decoration *d = id && id < s->bound ? s->ids[id].decorations : NULL;

	while (d && (d->kind != kind || d->member != member))
		d = d->next;
	return d;
}

bool spirv_is_decorated(const struct spirv *s, uint32_t id, uint32_t kind)
{
	return spirv_decoration_of(s, id, SPIRV_NO_MEMBER, kind) != NULL;
}

static void add_decoration(struct spirv *s, uint32_t id, uint32_t member, uint32_t kind,
			   const uint32_t *operands, uint32_t count)
{
	struct spirv_id *x = spirv_id_of(s, id);
	struct spirv_decoration *d = arena_alloc(s->arena, sizeof(*d));

	*d = (struct spirv_decoration){kind, member, operands, count, x->decorations};
	x->decorations = d;
}

static void read_decoration(struct spirv *s)
{
	bool member = s->in.opcode == SPIRV_OP_MEMBER_DECORATE;
	uint32_t first = member ? 4 : 3;

	add_decoration(s, spirv_word(s, 1), member ? spirv_word(s, 2) : SPIRV_NO_MEMBER,
		       spirv_word(s, first - 1), s->in.words + first, s->in.count - first);
}

static void copy_group(struct spirv *s, uint32_t group, uint32_t id, uint32_t member)
{
	for (const struct spirv_decoration *d = spirv_id_of(s, group)->decorations; d; d = d->next)
		add_decoration(s, id, member, d->kind, d->operands, d->count);
}

static void read_group(struct spirv *s)
{
	bool members = s->in.opcode == SPIRV_OP_GROUP_MEMBER_DECORATE;

	for (uint32_t k = 2; k < s->in.count; k += 1 + members)
		copy_group(s, spirv_word(s, 1), spirv_word(s, k),
			   members ? spirv_word(s, k + 1) : SPIRV_NO_MEMBER);
}

static const struct spirv_capability *find_capability(uint32_t number)
{
	for (uint32_t k = 0; k < spirv_capability_count; k++)
		if (spirv_capabilities[k].number == number)
			return &spirv_capabilities[k];
	return NULL;
}

static void read_capability(struct spirv *s)
{
	uint32_t number = spirv_word(s, 1);
	const struct spirv_capability *c = find_capability(number);

	if (!c)
		spirv_fail(s, "unknown capability %u", number);
	if (!c->supported)
		spirv_fail(s, "capability %s is not supported", c->name);
	/* WorkgroupMemoryExplicitLayoutKHR, and those of 8 and 16 bits, which include it */
	s->workgroup_layout |= number >= 4428 && number <= 4430;
}

static void read_set(struct spirv *s)
{
	static const struct {
		const char *name;
		enum spirv_set set;
	} sets[] = {
		{"GLSL.std.450", SPIRV_SET_GLSL},
		{"OpenCL.std", SPIRV_SET_OPENCL},
		{"SPV_AMD_shader_trinary_minmax", SPIRV_SET_TRINARY},
		{"SPV_AMD_shader_ballot", SPIRV_SET_LANES},
		{"SPV_AMD_gcn_shader", SPIRV_SET_CUBE},
		{"OpenCL.DebugInfo.100", SPIRV_SET_IGNORED},
		{"DebugInfo", SPIRV_SET_IGNORED},
	};
	const char *name = spirv_string(s, 2, NULL);
	struct spirv_id *x = spirv_id_of(s, spirv_word(s, 1));

	if (x->kind != SPIRV_ID_NONE)
		spirv_fail(s, "%s is defined twice", spirv_id_name(s, spirv_word(s, 1)));
	x->kind = SPIRV_ID_SET;
	for (uint32_t k = 0; k < sizeof(sets) / sizeof(sets[0]); k++)
		if (!strcmp(name, sets[k].name))
			x->set = sets[k].set;
	if (!strncmp(name, "NonSemantic.", 12))
		x->set = SPIRV_SET_IGNORED;
	if (!x->set)
		spirv_fail(s,
			   "unknown set of instructions '%s'; known: GLSL.std.450, OpenCL.std, "
			   "NonSemantic.*, three of SPV_*",
			   name);
}

static void read_memory_model(struct spirv *s)
{
	s->addressing = spirv_word(s, 1);
	s->memory_model = spirv_word(s, 2);
	s->kernel_environment = s->memory_model == 2;
	s->vulkan_memory_model = s->memory_model == 3;
	if (s->kernel_environment && s->addressing != 2)
		spirv_fail(s, "kernels need the addressing model Physical64, not number %u",
			   s->addressing);
}

static void read_entry(struct spirv *s)
{
	struct spirv_entry *e = arena_alloc(s->arena, sizeof(*e)), **at = &s->entries;

	e->model = spirv_word(s, 1);
	e->id = spirv_word(s, 2);
	spirv_id_of(s, e->id);
	e->name = spirv_string(s, 3, NULL);
	e->at = s->in.at;
	if (e->model != MODEL_GLCOMPUTE && e->model != MODEL_KERNEL)
		return;
	for (; *at; at = &(*at)->next)
		if (!strcmp((*at)->name, e->name))
			spirv_fail(s, "two entry points have the name '%s'", e->name);
	if (!*e->name)
		spirv_fail(s, "the entry point has no name");
	*at = e;
}

static uint32_t number_of(struct spirv *s, uint32_t id, uint32_t kind, uint32_t otherwise,
			  bool *has)
{
	const struct spirv_decoration *d = spirv_decoration_of(s, id, SPIRV_NO_MEMBER, kind);

	*has = d && d->count;
	return *has ? d->operands[0] : otherwise;
}

static void read_variable(struct spirv *s)
{
	const struct spirv_type *t = spirv_type_of(s, spirv_word(s, 1));
	uint32_t id = spirv_word(s, 2);
	struct spirv_id *x = spirv_id_of(s, id);
	struct spirv_variable *v = arena_alloc(s->arena, sizeof(*v));
	bool has;

	if (x->kind != SPIRV_ID_NONE)
		spirv_fail(s, "%s is defined twice", spirv_id_name(s, id));
	if (t->kind != SPIRV_POINTER || !t->element)
		spirv_fail(s, "%s is no pointer", spirv_id_name(s, t->id));
	v->id = id;
	v->storage = spirv_word(s, 3);
	v->type = t->element;
	v->set = number_of(s, id, SPIRV_DECORATION_DESCRIPTOR_SET, 0, &v->has_set);
	v->binding = number_of(s, id, SPIRV_DECORATION_BINDING, 0, &v->has_binding);
	v->builtin = (int32_t)number_of(s, id, SPIRV_DECORATION_BUILT_IN, UINT32_MAX, &has);
	v->coherent = spirv_is_decorated(s, id, SPIRV_DECORATION_COHERENT);
	v->is_volatile = spirv_is_decorated(s, id, SPIRV_DECORATION_VOLATILE);
	v->non_writable = spirv_is_decorated(s, id, SPIRV_DECORATION_NON_WRITABLE);
	v->restricted = spirv_is_decorated(s, id, SPIRV_DECORATION_RESTRICT);
	if (s->in.count > 4) {
		const struct spirv_id *c = spirv_id_of(s, spirv_word(s, 4));

		if (c->kind != SPIRV_ID_CONSTANT || c->constant->type->leaves != v->type->leaves)
			spirv_fail(s, "the initial value %s is no constant of this type",
				   spirv_id_name(s, spirv_word(s, 4)));
		v->initializer = c->constant;
	}
	x->kind = SPIRV_ID_VARIABLE;
	x->at = s->in.at;
	x->variable = v;
	s->variables = arena_grow(s->arena, s->variables, &s->variables_capacity, s->nvariables + 1,
				  sizeof(*s->variables));
	s->variables[s->nvariables++] = v;
}

/* Notes where a function is, up to OpFunctionEnd; returns the offset after it. */
static uint32_t read_function(struct spirv *s)
{
	struct spirv_function *fn = arena_alloc(s->arena, sizeof(*fn));
	struct spirv_id *x = spirv_id_of(s, spirv_word(s, 2));
	uint32_t at = s->in.at;

	if (x->kind != SPIRV_ID_NONE)
		spirv_fail(s, "%s is defined twice", spirv_id_name(s, spirv_word(s, 2)));
	fn->id = spirv_word(s, 2);
	fn->at = at;
	fn->result = spirv_type_of(s, spirv_word(s, 1));
	fn->type = spirv_type_of(s, spirv_word(s, 4));
	if (fn->type->kind != SPIRV_FUNCTION || fn->type->element != fn->result)
		spirv_fail(s, "%s is no type of functions with this result",
			   spirv_id_name(s, fn->type->id));
	x->kind = SPIRV_ID_FUNCTION;
	x->at = at;
	x->function = fn;
	s->functions = arena_grow(s->arena, s->functions, &s->functions_capacity, s->nfunctions + 1,
				  sizeof(*s->functions));
	s->functions[s->nfunctions++] = fn;
	for (at += s->in.count; spirv_fetch(s, at); at += s->in.count) {
		if (s->in.opcode == SPIRV_OP_FUNCTION)
			spirv_fail(s, "a function inside of a function");
		if (s->in.opcode == SPIRV_OP_FUNCTION_END) {
			fn->end = at;
			return at + s->in.count;
		}
	}
	spirv_fail(s, "the function %s has no end", spirv_id_name(s, fn->id));
}

static void read_line(struct spirv *s)
{
	s->line_file = 0;
	if (s->in.opcode == SPIRV_OP_NO_LINE)
		return;
	if (spirv_id_of(s, spirv_word(s, 1))->kind != SPIRV_ID_STRING)
		spirv_fail(s, "%s is no string", spirv_id_name(s, spirv_word(s, 1)));
	s->line_file = spirv_word(s, 1);
	s->line = spirv_word(s, 2);
	s->column = spirv_word(s, 3);
}

/* Reads an instruction outside of functions. */
static void read_global(struct spirv *s)
{
	struct spirv_id *x;

	switch (s->in.opcode) {
	case SPIRV_OP_CAPABILITY:
		read_capability(s);
		break;
	case SPIRV_OP_EXT_INST_IMPORT:
		read_set(s);
		break;
	case SPIRV_OP_MEMORY_MODEL:
		read_memory_model(s);
		break;
	case SPIRV_OP_ENTRY_POINT:
		read_entry(s);
		break;
	case SPIRV_OP_STRING:
		x = spirv_id_of(s, spirv_word(s, 1));
		x->kind = SPIRV_ID_STRING;
		x->text = spirv_string(s, 2, NULL);
		break;
	case SPIRV_OP_NAME:
		spirv_id_of(s, spirv_word(s, 1))->name = spirv_string(s, 2, NULL);
		break;
	case SPIRV_OP_LINE:
	case SPIRV_OP_NO_LINE:
		read_line(s);
		break;
	case SPIRV_OP_DECORATE:
	case SPIRV_OP_MEMBER_DECORATE:
	case SPIRV_OP_DECORATE_ID:
		read_decoration(s);
		break;
	case SPIRV_OP_GROUP_DECORATE:
	case SPIRV_OP_GROUP_MEMBER_DECORATE:
		read_group(s);
		break;
	case SPIRV_OP_VARIABLE:
		read_variable(s);
		break;
	case SPIRV_OP_NOP:
	case SPIRV_OP_EXTENSION:
	case SPIRV_OP_SOURCE:
	case SPIRV_OP_SOURCE_CONTINUED:
	case SPIRV_OP_SOURCE_EXTENSION:
	case SPIRV_OP_MEMBER_NAME:
	case SPIRV_OP_MODULE_PROCESSED:
	case SPIRV_OP_EXECUTION_MODE:
	case SPIRV_OP_EXECUTION_MODE_ID:
	case SPIRV_OP_DECORATION_GROUP:
	case SPIRV_OP_DECORATE_STRING:
	case SPIRV_OP_MEMBER_DECORATE_STRING:
	case SPIRV_OP_EXT_INST: /* debug information */
		break;
	case SPIRV_OP_UNDEF:
		spirv_read_constant(s);
		break;
	default:
		if (!strncmp(s->in.grammar->name, "Type", 4))
			spirv_read_type(s);
		else if (!strncmp(s->in.grammar->name, "Constant", 8) ||
			 !strncmp(s->in.grammar->name, "SpecConstant", 12))
			spirv_read_constant(s);
		else
			spirv_fail(s, "the instruction is not allowed outside of functions");
	}
}

void spirv_read_module(struct spirv *s)
{
	uint32_t at = 5;

	while (spirv_fetch(s, at)) {
		if (s->in.opcode == SPIRV_OP_FUNCTION) {
			at = read_function(s);
			continue;
		}
		read_global(s);
		at += s->in.count;
	}
	s->in = (struct spirv_inst){0};
	s->line_file = 0;
}

static void parse(struct spirv *s, const char *data, size_t bytes)
{
	bool found = false;

	spirv_read_words(s, data, bytes);
	spirv_read_module(s);
	if (!s->entries)
		spirv_fail(s, "the module has no entry point of model GLCompute or Kernel");
	for (struct spirv_entry *e = s->entries; e; e = e->next)
		if (!s->options->entry_point || !strcmp(s->options->entry_point, e->name)) {
			spirv_lower_entry(s, e);
			found = true;
		}
	if (!found)
		spirv_fail(s, "the module has no entry point '%s'; its first is '%s'",
			   s->options->entry_point, s->entries->name);
}

bool spirv_parse(struct compile_job *job, const char *data, size_t bytes, struct ir_module **out)
{
	static const struct spirv_options defaults;
	struct spirv *s = arena_alloc(&job->arena, sizeof(*s));

	*out = ir_module_new(&job->arena);
	s->job = job;
	s->arena = &job->arena;
	s->module = *out;
	s->options = job->options.spirv ? job->options.spirv : &defaults;
	if (setjmp(s->failure))
		return false;
	parse(s, data, bytes);
	return true;
}
