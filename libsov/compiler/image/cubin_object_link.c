// SPDX-License-Identifier: MIT
/*
 * The linker of relocatable cubins, by sov or ptxas -c. It resolves symbols by name, merges the
 * sections of variables, assigns addresses in shared memory and in constant bank 3 and writes these
 * into the code, and computes what each kernel needs from the call graph: registers, barriers,
 * stack, shared memory (cubin_object_link_needs.c). Addresses of code and of global variables stay
 * relocations, which the loader applies (cubin_link.c).
 *
 * Objects are input from outside: every offset is checked against its section.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "hw/nv/cubin.h"
#include "libsov/compiler/image/cubin_object_link_state.h"
#include "libsov/compiler/ir/ir.h"

#define MEMORY_LIMIT  ((size_t)1 << 30)
#define MAX_CONSTANTS 0x10000

bool link_fail(struct linker *l, const char *fmt, ...)
{
	int n = snprintf(l->message, l->message_size, "link: ");
	va_list ap;

	va_start(ap, fmt);
	if (n > 0 && (size_t)n < l->message_size)
		vsnprintf(l->message + n, l->message_size - (size_t)n, fmt, ap);
	va_end(ap);
	return false;
}

static bool fail_in(struct linker *l, const struct object *o, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static bool fail_in(struct linker *l, const struct object *o, const char *fmt, ...)
{
	char text[192];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return link_fail(l, "%s: %s", o->name, text);
}

/* ---- symbols ---- */

/* Static symbols of two objects may have one name. */
static const char *unique_name(struct linker *l, const char *name)
{
	uint32_t *uses = name_map_get(&l->unique, name, (uint32_t)strlen(name));

	return (*uses)++ ? arena_printf(&l->arena, "%s.%u", name, *uses) : name;
}

static void define(struct symbol *s, uint32_t object, const Elf64_Sym *e)
{
	s->defined = true;
	s->object = object;
	s->section = e->st_shndx;
	s->value = e->st_value;
	s->size = e->st_size;
	s->entry = e->st_other & NV_STO_ENTRY;
	s->weak = ELF64_ST_BIND(e->st_info) == STB_WEAK;
	s->linkage = s->weak ? IR_LINK_WEAK : s->local ? IR_LINK_STATIC : IR_LINK_VISIBLE;
}

static struct symbol *new_symbol(struct linker *l, const char *name, const Elf64_Sym *e)
{
	struct symbol *s = arena_alloc(&l->arena, sizeof(*s));

	s->function = ELF64_ST_TYPE(e->st_info) == STT_FUNC;
	s->local = ELF64_ST_BIND(e->st_info) == STB_LOCAL;
	s->weak = true; /* until something defines it or needs it */
	s->name = s->local ? unique_name(l, name) : name;
	return s;
}

static struct symbol *global_symbol(struct linker *l, const char *name, const Elf64_Sym *e)
{
	uint32_t *at = name_map_get(&l->names, name, (uint32_t)strlen(name));

	if (*at)
		return l->globals[*at - 1];
	l->globals = arena_grow(&l->arena, l->globals, &l->globals_capacity, l->nglobals + 1,
				sizeof(struct symbol *));
	l->globals[l->nglobals++] = new_symbol(l, name, e);
	*at = l->nglobals;
	name_map_get(&l->unique, name, (uint32_t)strlen(name))[0]++;
	return l->globals[*at - 1];
}

static bool read_symbol(struct linker *l, uint32_t object, uint32_t index)
{
	struct object *o = &l->objects[object];
	struct symbol *s;
	const char *name;
	Elf64_Sym e;
	uint8_t type;

	cubin_symbol(&o->reader, index, &e);
	type = ELF64_ST_TYPE(e.st_info);
	name = cubin_symbol_name(&o->reader, &e);
	if ((type != STT_FUNC && type != NV_STT_VARIABLE && type != STT_OBJECT) || !*name)
		return true;
	if (e.st_shndx >= o->reader.header.e_shnum)
		return fail_in(l, o, "symbol '%.64s' is in section %u, which does not exist", name,
			       e.st_shndx);
	s = ELF64_ST_BIND(e.st_info) == STB_LOCAL ? new_symbol(l, name, &e)
						  : global_symbol(l, name, &e);
	o->symbols[index] = s;
	if (s->function != (type == STT_FUNC))
		return link_fail(l, "'%.64s' is a function in one input and a variable in another",
				 name);
	if (e.st_shndx == SHN_UNDEF) {
		if (ELF64_ST_BIND(e.st_info) != STB_WEAK && !s->defined)
			s->weak = false;
		s->dynamic_shared |= e.st_other == NV_STO_SHARED;
		return true;
	}
	if (s->defined && !s->weak && ELF64_ST_BIND(e.st_info) != STB_WEAK)
		return link_fail(l, "'%.64s' is defined in %s and in %s", name,
				 l->objects[s->object].name, o->name);
	if (!s->defined || (s->weak && ELF64_ST_BIND(e.st_info) != STB_WEAK))
		define(s, object, &e);
	o->next[index] = o->first[e.st_shndx];
	o->first[e.st_shndx] = index;
	return true;
}

static bool read_symbols(struct linker *l, uint32_t object)
{
	struct object *o = &l->objects[object];

	o->nsymbols = (uint32_t)(o->reader.symtab.sh_size / sizeof(Elf64_Sym));
	o->symbols = arena_array(&l->arena, o->nsymbols + 1, sizeof(struct symbol *));
	o->next = arena_array(&l->arena, o->nsymbols + 1, sizeof(*o->next));
	o->first = arena_array(&l->arena, o->reader.header.e_shnum + 1, sizeof(*o->first));
	for (uint32_t k = 1; k < o->nsymbols; k++)
		if (!read_symbol(l, object, k))
			return false;
	return true;
}

/* False: another input's definition has precedence. */
static bool is_own(const struct symbol *s, uint32_t object, uint32_t section)
{
	return s->defined && s->object == object && s->section == section;
}

static bool check_undefined(struct linker *l)
{
	for (uint32_t o = 0; o < l->nobjects; o++) {
		for (uint32_t k = 1; k < l->objects[o].nsymbols; k++) {
			const struct symbol *s = l->objects[o].symbols[k];

			if (s && !s->defined && !s->weak && !s->dynamic_shared &&
			    !(s->function && service_find(s->name) != SERVICES))
				return link_fail(
					l, "'%.64s' is used by %s, but no input defines it: %s",
					s->name, l->objects[o].name, service_lack(s->name));
		}
	}
	return true;
}

/* ---- variables ---- */

static enum cubin_data_section data_section(const Elf64_Shdr *s, const char *name)
{
	if (!strcmp(name, ".nv.global.init") && cubin_has_bytes(s))
		return CUBIN_GLOBAL_INIT;
	if (!strcmp(name, ".nv.global"))
		return CUBIN_GLOBAL_ZERO;
	if (!strcmp(name, ".nv.constant3") && cubin_has_bytes(s))
		return CUBIN_CONSTANT_VARIABLES;
	return s->sh_type == NV_SHT_SHARED ? CUBIN_SHARED : CUBIN_DATA_SECTIONS;
}

static void add_variable(struct linker *l, struct symbol *s, struct cubin_variable v)
{
	l->variables = arena_grow(&l->arena, l->variables, &l->variables_capacity,
				  l->nvariables + 1, sizeof(*l->variables));
	v.name = s->name;
	v.linkage = s->linkage;
	l->variables[l->nvariables++] = v;
	s->variable = l->nvariables;
}

static bool read_data_section(struct linker *l, uint32_t object, uint32_t index,
			      enum cubin_data_section to)
{
	struct object *o = &l->objects[object];
	Elf64_Shdr s = cubin_section(&o->reader, index);
	uint64_t align = s.sh_addralign ? s.sh_addralign : 1;
	bool bits = to == CUBIN_GLOBAL_INIT || to == CUBIN_CONSTANT_VARIABLES;

	if (align > IMAGE_ALIGN || s.sh_size > UINT32_MAX / 2 || l->bytes[to] > UINT32_MAX / 2)
		return fail_in(l, o, "section %u has %" PRIu64 " bytes aligned to %" PRIu64, index,
			       s.sh_size, align);
	o->base[index] = (l->bytes[to] + align - 1) / align * align;
	o->data_of[index] = (uint8_t)(1 + to);
	if (to != CUBIN_SHARED)
		l->bytes[to] = o->base[index] + s.sh_size;
	if (to == CUBIN_CONSTANT_VARIABLES && l->bytes[to] > MAX_CONSTANTS)
		return fail_in(l, o,
			       "all constants together have %" PRIu64 " bytes, at most %u fit",
			       l->bytes[to], MAX_CONSTANTS);
	for (uint32_t k = o->first[index]; k; k = o->next[k]) {
		struct symbol *v = o->symbols[k];

		if (!is_own(v, object, index))
			continue;
		if (to == CUBIN_SHARED) {
			v->shared = true;
			if (!v->value || v->value > 1024 || v->value & (v->value - 1) ||
			    v->size > UINT32_MAX / 2)
				return fail_in(l, o,
					       "shared variable '%.64s' has alignment %" PRIu64,
					       v->name, v->value);
			continue;
		}
		if (!cubin_inside(v->value, v->size, s.sh_size))
			return fail_in(l, o, "variable '%.64s' ends beyond its section", v->name);
		add_variable(l, v,
			     (struct cubin_variable){.section = (uint8_t)to,
						     .align = (uint32_t)align,
						     .offset = o->base[index] + v->value,
						     .size = v->size,
						     .init = bits ? o->reader.file + s.sh_offset +
									     v->value
								  : NULL});
	}
	return true;
}

/* ---- code ---- */

static bool read_code_section(struct linker *l, uint32_t object, uint32_t index)
{
	struct object *o = &l->objects[object];
	Elf64_Shdr s = cubin_section(&o->reader, index);
	struct symbol *owner = NULL;
	struct function *f;

	for (uint32_t k = o->first[index]; k; k = o->next[k])
		if (is_own(o->symbols[k], object, index) && o->symbols[k]->function &&
		    !o->symbols[k]->value)
			owner = o->symbols[k];
	if (!owner)
		return true; /* another input defines the function */
	if (!s.sh_size || s.sh_size % 16 || s.sh_size > INT32_MAX)
		return fail_in(l, o, "'%.64s' has 0x%" PRIx64 " bytes of code", owner->name,
			       s.sh_size);
	l->functions = arena_grow(&l->arena, l->functions, &l->functions_capacity,
				  l->nfunctions + 1, sizeof(*l->functions));
	f = &l->functions[l->nfunctions++];
	*f = (struct function){.symbol = owner, .object = object, .section = index};
	owner->code = o->code_of[index] = l->nfunctions;
	f->out = (struct cubin_kernel){
		.name = owner->name,
		.code = memcpy(arena_alloc(&l->arena, s.sh_size), o->reader.file + s.sh_offset,
			       s.sh_size),
		.code_bytes = (uint32_t)s.sh_size,
		.function = !owner->entry,
		.linkage = owner->linkage,
		.shared_align = LINK_DYNAMIC_ALIGN,
	};
	if (o->reader.abi == NV_ELF_ABI_CUDA12)
		f->out.barriers = NV_TEXT_BARRIERS((uint32_t)s.sh_flags);
	return true;
}

static void copy_words(struct linker *l, const struct cubin_attribute *a, const uint32_t **words,
		       uint32_t *count)
{
	uint32_t *copy = arena_array(&l->arena, *count + a->value / 4 + 1, sizeof(*copy));

	if (*count)
		memcpy(copy, *words, *count * sizeof(*copy));
	for (uint32_t k = 0; k < a->value / 4u; k++)
		copy[(*count)++] = cubin_attribute_word(a, k);
	*words = copy;
}

static bool read_param(struct linker *l, struct function *f, const struct cubin_attribute *a)
{
	uint32_t ordinal = cubin_attribute_word(a, 1) & 0xffff;

	if (!f->params)
		f->params = arena_array(&l->arena, IMAGE_MAX_PARAM_BYTES, sizeof(*f->params));
	if (ordinal >= IMAGE_MAX_PARAM_BYTES)
		return fail_in(l, &l->objects[f->object], "'%.64s' has parameter %u", f->out.name,
			       ordinal);
	f->params[ordinal] = (struct cubin_param){cubin_attribute_word(a, 1) >> 16,
						  NV_KPARAM_SIZE(cubin_attribute_word(a, 2))};
	f->out.params = f->params;
	if (ordinal >= f->out.nparams)
		f->out.nparams = ordinal + 1;
	return true;
}

static bool read_function_attribute(struct linker *l, struct function *f,
				    const struct cubin_attribute *a)
{
	switch (a->code) {
	case NV_INFO_PARAM_CBANK:
		f->out.param_base = cubin_attribute_word(a, 1) & 0xffff;
		f->out.param_bytes = cubin_attribute_word(a, 1) >> 16;
		return true;
	case NV_INFO_KPARAM:
		return read_param(l, f, a);
	case NV_INFO_BARRIERS:
		f->out.barriers = a->value & 0xff;
		return true;
	case NV_INFO_MAX_THREADS:
	case NV_INFO_REQUIRED_THREADS:
		for (uint32_t k = 0; k < 3; k++)
			(a->code == NV_INFO_MAX_THREADS ? f->out.max_threads
							: f->out.required_threads)[k] =
				cubin_attribute_word(a, k);
		return true;
	case NV_INFO_CLUSTER:
		for (uint32_t k = 0; k < 3; k++)
			f->out.cluster[k] = cubin_attribute_word(a, k);
		return true;
	case NV_INFO_MAX_CLUSTER:
		f->out.max_cluster = cubin_attribute_word(a, 0);
		return true;
	case NV_INFO_EXPLICIT_CLUSTER:
		f->out.explicit_cluster = true;
		return true;
	case NV_INFO_EXITS:
		copy_words(l, a, &f->out.exits, &f->out.nexits);
		return true;
	default:
		return true;
	}
}

/* .nv.info: attributes that name their function by its symbol. */
static bool read_module_attribute(struct linker *l, struct object *o,
				  const struct cubin_attribute *a)
{
	uint32_t index = a->form == NV_INFO_SIZED && a->value >= 8 ? cubin_attribute_word(a, 0) : 0;
	const struct symbol *s = index < o->nsymbols ? o->symbols[index] : NULL;
	struct function *f = s && s->code ? &l->functions[s->code - 1] : NULL;

	/* A weak function may be that of another input. */
	if (!f || &l->objects[f->object] != o)
		return true;
	if (a->code == NV_INFO_REGISTERS)
		f->out.registers = cubin_attribute_word(a, 1);
	else if (a->code == NV_INFO_FRAME_SIZE)
		f->out.frame_bytes = cubin_attribute_word(a, 1);
	return true;
}

static bool read_attributes(struct linker *l, uint32_t object, const Elf64_Shdr *s)
{
	struct object *o = &l->objects[object];
	bool module = !strcmp(cubin_section_name(&o->reader, s), ".nv.info"), fault = false;
	uint32_t code =
		!module && s->sh_info < o->reader.header.e_shnum ? o->code_of[s->sh_info] : 0;
	struct cubin_attribute a;
	uint64_t at = 0;

	if (!module && !code)
		return true;
	while (cubin_next_attribute(&o->reader, s, &at, &a, &fault)) {
		int known = cubin_check_attribute(&o->reader, s, &a);

		if (a.code == NV_INFO_EXITS && a.form == NV_INFO_SIZED)
			known = 1;
		if (known < 0)
			return fail_in(l, o, "%s", o->text);
		if (known && (module ? !read_module_attribute(l, o, &a)
				     : !read_function_attribute(l, &l->functions[code - 1], &a)))
			return false;
	}
	return !fault || fail_in(l, o, "%s", o->text);
}

/* ---- call graph ---- */

static void add_callee(struct linker *l, struct function *f, const struct symbol *callee)
{
	enum service service = callee->defined ? SERVICES : service_find(callee->name);

	if (service != SERVICES)
		f->services |= 1u << service;
	if (!callee->code)
		return;
	f->callees = arena_grow(&l->arena, f->callees, &f->callees_capacity, f->ncallees + 1,
				sizeof(*f->callees));
	f->callees[f->ncallees++] = callee->code - 1;
}

/* Pairs of words; 0 and -1, -2, -3, -4 begin the lists of calls, of functions whose address is
 * taken, of indirect calls, and one that is not needed. */
static bool read_call_graph(struct linker *l, uint32_t object, const Elf64_Shdr *s)
{
	struct object *o = &l->objects[object];
	int32_t list = 0;

	for (uint64_t at = 0; at + 8 <= s->sh_size; at += 8) {
		uint32_t pair[2];
		struct symbol *first, *second;
		struct function *f;

		memcpy(pair, o->reader.file + s->sh_offset + at, sizeof(pair));
		if (!pair[0] && pair[1] >= (uint32_t)-4) {
			list = (int32_t)pair[1];
			continue;
		}
		first = pair[0] < o->nsymbols ? o->symbols[pair[0]] : NULL;
		second = list == -1 && pair[1] < o->nsymbols ? o->symbols[pair[1]] : NULL;
		if (!first || (list == -1 && !second))
			return fail_in(l, o, "the call graph names symbol %u, which is no function",
				       first ? pair[1] : pair[0]);
		f = first->code ? &l->functions[first->code - 1] : NULL;
		if (f && list == -2)
			f->address_taken = true;
		if (!f || f->object != object)
			continue;
		if (list == -1)
			add_callee(l, f, second);
		else if (list == -3)
			f->indirect = true;
	}
	return true;
}

/* ---- relocations ---- */

static void name_shared(struct linker *l, struct function *f, struct symbol *s)
{
	f->dynamic_shared |= !s->shared;
	s->named_by_function |= f->out.function;
	for (uint32_t k = 0; k < f->nshared; k++)
		if (f->shared[k] == s)
			return;
	f->shared = arena_grow(&l->arena, f->shared, &f->shared_capacity, f->nshared + 1,
			       sizeof(struct symbol *));
	f->shared[f->nshared++] = s;
	s->shared_users++;
}

/* The address of a function that is taken is that of its code. */
static uint32_t plain_kind(uint32_t kind)
{
	return kind == NV_R_FUNCTION_LOW    ? NV_R_CODE_LOW
	       : kind == NV_R_FUNCTION_HIGH ? NV_R_CODE_HIGH
					    : kind;
}

static bool is_code_kind(uint32_t kind)
{
	return kind == NV_R_CODE_LOW || kind == NV_R_CODE_HIGH || kind == NV_R_CALL ||
	       kind == NV_R_CALL_SM90;
}

static bool read_code_relocation(struct linker *l, struct object *o, struct function *f,
				 const Elf64_Rela *r)
{
	uint32_t kind = plain_kind((uint32_t)ELF64_R_TYPE(r->r_info));
	struct symbol *s = o->symbols[ELF64_R_SYM(r->r_info)];
	bool shared = kind == NV_R_CODE_SHARED || kind == NV_R_SHARED_OFFSET;

	if (r->r_offset % 16 || !cubin_inside(r->r_offset, 16, f->out.code_bytes))
		return fail_in(l, o, "'%.64s': a relocation at 0x%" PRIx64 " is not in its code",
			       f->out.name, (uint64_t)r->r_offset);
	if (!s->defined && s->weak && !shared)
		return true; /* address 0, which the code holds */
	if (kind == NV_R_KERNEL_LOW || kind == NV_R_KERNEL_HIGH)
		return fail_in(l, o,
			       "'%.64s' launches kernel '%.64s' from the device, which needs "
			       "NVIDIA's runtime; link it with nvlink",
			       f->out.name, s->name);
	if (shared && (s->shared || s->dynamic_shared))
		name_shared(l, f, s);
	else if (kind == NV_R_CODE_CONST || kind == NV_R_CONST_FIELD) {
		if (!s->variable ||
		    l->variables[s->variable - 1].section != CUBIN_CONSTANT_VARIABLES)
			return fail_in(l, o, "'%.64s' takes '%.64s' for a constant", f->out.name,
				       s->name);
	} else if (!is_code_kind(kind) || shared) {
		return fail_in(l, o, "'%.64s': relocation kind %u of '%.64s' is not known",
			       f->out.name, kind, s->name);
	}
	f->addresses = arena_grow(&l->arena, f->addresses, &f->addresses_capacity,
				  f->out.naddresses + 1, sizeof(*f->addresses));
	f->addresses[f->out.naddresses++] =
		(struct cubin_code_address){.offset = (uint32_t)r->r_offset,
					    .addend = (uint64_t)r->r_addend,
					    .symbol = (const char *)s, /* until resolve_code() */
					    .relocation = (uint8_t)kind};
	return true;
}

static bool read_data_relocation(struct linker *l, struct object *o, uint32_t section,
				 const Elf64_Rela *r)
{
	uint32_t kind = (uint32_t)ELF64_R_TYPE(r->r_info);
	const struct symbol *s = o->symbols[ELF64_R_SYM(r->r_info)];

	if (!s->defined && s->weak)
		return true;
	if ((kind != NV_R_ADDRESS_64 && kind != NV_R_GENERIC_64 && kind != NV_R_FUNCTION_64) ||
	    (!s->code && !s->variable) ||
	    !cubin_inside(r->r_offset, 8, cubin_section(&o->reader, section).sh_size))
		return fail_in(l, o, "relocation kind %u of '%.64s' in data is not known", kind,
			       s->name);
	l->addresses = arena_grow(&l->arena, l->addresses, &l->addresses_capacity,
				  l->naddresses + 1, sizeof(*l->addresses));
	l->addresses[l->naddresses++] =
		(struct cubin_address){.section = (uint8_t)(o->data_of[section] - 1),
				       .offset = o->base[section] + r->r_offset,
				       .variable = s->code ? 0 : s->variable - 1,
				       .addend = (uint64_t)r->r_addend,
				       .function = s->code ? s->name : NULL};
	return true;
}

static bool read_relocations(struct linker *l, uint32_t object, const Elf64_Shdr *s)
{
	struct object *o = &l->objects[object];
	uint64_t entry = s->sh_type == SHT_RELA ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
	uint32_t of = s->sh_info, code = of < o->reader.header.e_shnum ? o->code_of[of] : 0;

	if (!code && (of >= o->reader.header.e_shnum || !o->data_of[of]))
		return true; /* of a section that is not loaded */
	for (uint64_t at = 0; at + entry <= s->sh_size; at += entry) {
		Elf64_Rela r = {0};
		uint64_t index;

		memcpy(&r, o->reader.file + s->sh_offset + at, entry);
		index = ELF64_R_SYM(r.r_info);
		if (index >= o->nsymbols || !o->symbols[index])
			return fail_in(l, o,
				       "a relocation names symbol %" PRIu64
				       ", which is no function or variable",
				       index);
		if (code ? !read_code_relocation(l, o, &l->functions[code - 1], &r)
			 : !read_data_relocation(l, o, of, &r))
			return false;
	}
	return true;
}

/* ---- the output ---- */

static void patch_code(uint8_t *at, uint32_t low, uint32_t width, uint64_t value)
{
	uint64_t word, mask = ((1ull << width) - 1) << low;

	memcpy(&word, at, sizeof(word));
	word = (word & ~mask) | (value << low & mask);
	memcpy(at, &word, sizeof(word));
}

/* Writes addresses in shared memory and constant bank 3 into the code; other relocations stay. */
static void resolve_code(struct linker *l, struct function *f, uint32_t dynamic_at)
{
	uint32_t kept = 0;

	for (uint32_t k = 0; k < f->out.naddresses; k++) {
		struct cubin_code_address a = f->addresses[k];
		const struct symbol *s = (const struct symbol *)a.symbol;
		uint8_t *at = (uint8_t *)f->out.code + a.offset;
		uint64_t value = a.addend;

		if (a.relocation == NV_R_CODE_SHARED) {
			patch_code(at, 32, 32, value + link_shared_address(s, dynamic_at));
		} else if (a.relocation == NV_R_SHARED_OFFSET) {
			patch_code(at, 40, 24, value + link_shared_address(s, dynamic_at));
		} else if (a.relocation == NV_R_CODE_CONST || a.relocation == NV_R_CONST_FIELD) {
			value += l->variables[s->variable - 1].offset;
			if (a.relocation == NV_R_CODE_CONST)
				patch_code(at, 32, 16, value);
			else
				patch_code(at, 38, 21, 3 << 16 | value);
		} else {
			a.symbol = s->name;
			f->addresses[kept++] = a;
		}
	}
	f->out.addresses = f->addresses;
	f->out.naddresses = kept;
}

static void write_program(struct linker *l, uint32_t dynamic_at)
{
	struct cubin_kernel *kernels = arena_array(&l->arena, l->nfunctions + 1, sizeof(*kernels));
	struct cubin_module m = {.sm = l->sm,
				 .kernels = kernels,
				 .nkernels = l->nfunctions,
				 .variables = l->variables,
				 .nvariables = l->nvariables,
				 .addresses = l->addresses,
				 .naddresses = l->naddresses,
				 .line_section = l->lines.data,
				 .line_bytes = l->lines.size,
				 .line_starts = l->line_starts,
				 .nline_starts = l->nline_starts,
				 .linked = true};
	uint8_t *file;

	memcpy(m.bytes, l->bytes, sizeof(m.bytes));
	for (uint32_t k = 0; k < l->nfunctions; k++) {
		resolve_code(l, &l->functions[k], dynamic_at);
		kernels[k] = l->functions[k].out;
	}
	file = cubin_write_object(&l->arena, &m, &l->result_size);
	l->result = malloc(l->result_size);
	if (l->result)
		memcpy(l->result, file, l->result_size);
}

static bool open_object(struct linker *l, uint32_t k, const struct link_input *in)
{
	struct object *o = &l->objects[k];

	*o = (struct object){.name = in->name};
	o->reader = (struct cubin_reader){.image = &o->image,
					  .file = in->data,
					  .size = in->bytes,
					  .message = o->text,
					  .message_size = sizeof(o->text),
					  .object = true};
	if (!cubin_open(&o->reader))
		return fail_in(l, o, "%s", o->text);
	if (k && o->reader.sm != l->sm)
		return fail_in(l, o, "it is for sm_%u, but %s is for sm_%u", o->reader.sm,
			       l->objects[0].name, l->sm);
	l->sm = o->reader.sm;
	o->code_of = arena_array(&l->arena, o->reader.header.e_shnum, sizeof(*o->code_of));
	o->data_of = arena_array(&l->arena, o->reader.header.e_shnum, sizeof(*o->data_of));
	o->base = arena_array(&l->arena, o->reader.header.e_shnum, sizeof(*o->base));
	return read_symbols(l, k);
}

/* Sections that define something. */
static bool read_definitions(struct linker *l, uint32_t object)
{
	struct object *o = &l->objects[object];

	for (uint32_t k = 1; k < o->reader.header.e_shnum; k++) {
		Elf64_Shdr s = cubin_section(&o->reader, k);
		const char *name = cubin_section_name(&o->reader, &s);
		enum cubin_data_section data = data_section(&s, name);

		if (cubin_name_after(name, ".nv.constant") &&
		    !cubin_name_after(name, ".nv.constant0.") && data == CUBIN_DATA_SECTIONS)
			return fail_in(l, o, "section '%.64s' cannot be linked here", name);
		if (data != CUBIN_DATA_SECTIONS && !read_data_section(l, object, k, data))
			return false;
		if (s.sh_type == SHT_PROGBITS && cubin_name_after(name, ".text.") &&
		    !read_code_section(l, object, k))
			return false;
	}
	return true;
}

/* Sections that refer to definitions. */
static bool read_references(struct linker *l, uint32_t object)
{
	struct object *o = &l->objects[object];

	for (uint32_t k = 1; k < o->reader.header.e_shnum; k++) {
		Elf64_Shdr s = cubin_section(&o->reader, k);
		bool good = true;

		/* This also bounds the reading time by the file size. */
		if (s.sh_type == NV_SHT_INFO || s.sh_type == NV_SHT_CALLGRAPH ||
		    s.sh_type == SHT_RELA || s.sh_type == SHT_REL)
			o->reader.relocation_bytes += s.sh_size;
		if (o->reader.relocation_bytes > o->reader.size)
			return fail_in(l, o, "section %u overlaps others", k);
		if (s.sh_type == NV_SHT_INFO)
			good = read_attributes(l, object, &s);
		else if (s.sh_type == NV_SHT_CALLGRAPH)
			good = read_call_graph(l, object, &s);
		else if (s.sh_type == SHT_RELA || s.sh_type == SHT_REL)
			good = read_relocations(l, object, &s);
		if (!good)
			return false;
	}
	return true;
}

static void link_in_arena(struct linker *l, const struct link_input *in, uint32_t count)
{
	uint32_t dynamic_at;
	bool good = true;

	arena_init(&l->arena, MEMORY_LIMIT, &l->no_memory);
	if (setjmp(l->no_memory)) {
		link_fail(l, "out of memory");
		return;
	}
	l->names.arena = l->unique.arena = l->lines.arena = &l->arena;
	l->objects = arena_array(&l->arena, count + 1, sizeof(*l->objects));
	for (l->nobjects = 0; good && l->nobjects < count; l->nobjects++)
		good = open_object(l, l->nobjects, &in[l->nobjects]);
	good = good && check_undefined(l);
	for (uint32_t k = 0; good && k < count; k++)
		good = read_definitions(l, k);
	for (uint32_t k = 0; good && k < count; k++)
		good = read_references(l, k);
	for (uint32_t k = 0; good && k < count; k++)
		link_add_lines(l, k);
	if (good && link_measure_kernels(l, &dynamic_at)) {
		write_program(l, dynamic_at);
		if (!l->result)
			link_fail(l, "out of memory");
	}
}

uint8_t *cubin_link_objects(const struct link_input *in, uint32_t count, size_t *bytes,
			    char *message, size_t message_size)
{
	/* On the heap: after a longjmp, changed local variables are indeterminate. */
	struct linker *l = calloc(1, sizeof(*l));
	uint8_t *result;

	if (!l) {
		snprintf(message, message_size, "link: out of memory");
		return NULL;
	}
	l->message = message;
	l->message_size = message_size;
	link_in_arena(l, in, count);
	arena_free(&l->arena);
	result = l->result;
	*bytes = l->result_size;
	free(l);
	return result;
}
