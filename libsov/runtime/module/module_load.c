// SPDX-License-Identifier: MIT
/*
 * Loading modules: PTX and SPIR-V are compiled, or read from the cache; an image is used as it is.
 * Also the calls that look up kernels and variables.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libsov/compiler/driver/compiler.h"
#include "libsov/runtime/base/api_calls.h"
#include "libsov/runtime/base/clock.h"
#include "libsov/runtime/base/error.h"
#include "libsov/runtime/base/log.h"
#include "libsov/runtime/module/dump.h"
#include "libsov/runtime/module/lazy_compile.h"
#include "libsov/runtime/module/module_load.h"
#include "libsov/runtime/module/spirv_options.h"

#define MODULE_LIBRARY (1u << 31) /* with the public flags: device code of device_services.c */
#define SPIRV_MAGIC    0x07230203u
#define FATBIN_MAGIC   0xba55ed50u

/* What a module is loaded with. */
struct load_options {
	uint32_t flags;
	struct spirv_options spirv;
	bool has_spirv;
};

/* ---- from PTX or file to image ---- */

static sov_result read_lazy_variable(bool *eager)
{
	const char *text = secure_getenv("SOV_LAZY");

	*eager |= text && !strcmp(text, "0");
	if (!text || !*text || !strcmp(text, "0") || !strcmp(text, "1"))
		return SOV_OK;
	return set_error(SOV_ERROR_INVALID_ARGUMENT, "SOV_LAZY is '%s'; it must be 0 or 1", text);
}

static bool is_spirv(const void *data, size_t bytes)
{
	uint32_t magic = 0;

	memcpy(&magic, data, bytes < sizeof(magic) ? bytes : sizeof(magic));
	return magic == SPIRV_MAGIC || magic == __builtin_bswap32(SPIRV_MAGIC);
}

/* Whether PTX has variables that the host uses, too: .attribute(.managed). Elsewhere the word only
 * costs the speed of video memory. */
static bool has_managed(const void *data, size_t bytes)
{
	static const char word[] = ".managed";

	return !is_spirv(data, bytes) && memmem(data, bytes, word, sizeof(word) - 1);
}

static sov_result compile_source(const struct context *c, const char *text, size_t bytes,
				 const struct load_options *l, struct module *m,
				 size_t *image_bytes)
{
	uint32_t flags = l->flags;
	struct compile_options o = {
		.source = is_spirv(text, bytes) ? COMPILE_SPIRV : COMPILE_PTX,
		.spirv = l->has_spirv ? &l->spirv : NULL,
		.target = c->device->info.target,
		.unoptimised = flags & SOV_MODULE_UNOPTIMISED,
		.serial = flags & SOV_MODULE_SERIAL,
		.library = flags & MODULE_LIBRARY,
		.clusters = flags & SOV_MODULE_CLUSTERS,
	};
	/* The options for SPIR-V refer to data of the program, which may be freed afterwards. */
	bool eager = flags & (SOV_MODULE_EAGER | MODULE_LIBRARY) || dump_wanted() || l->has_spirv;
	const char *zero = o.source == COMPILE_PTX ? memchr(text, 0, bytes) : NULL;
	struct compile_result result;
	char text_error[128];
	sov_result r;
	bool good;

	if (zero) {
		snprintf(text_error, sizeof(text_error),
			 "the text contains a zero byte at offset %zu; bytes must not include a "
			 "terminator",
			 (size_t)(zero - text));
		return set_source_error(text_error);
	}
	r = read_lazy_variable(&eager);
	if (r)
		return r;
	good = lazy_compile(text, bytes, &o, eager, &result, &m->lazy);
	m->lazy_ops = &lazy_compile_ops;
	m->file = result.image;
	*image_bytes = result.image_size;
	result.image = NULL;
	module_messages_set(result.messages);
	result.messages = NULL;
	compile_result_free(&result);
	if (good)
		return SOV_OK;
	/* The first message; all of them are in sov_module_messages. */
	return set_error(SOV_ERROR_INVALID_SOURCE, "%.*s",
			 (int)strcspn(sov_module_messages(), "\n"), sov_module_messages());
}

static sov_result module_make_image(const struct context *c, const void *data, size_t bytes,
				    const struct load_options *l, struct module *m,
				    size_t *image_bytes)
{
	uint32_t magic = 0;

	memcpy(&magic, data, bytes < sizeof(magic) ? bytes : sizeof(magic));
	if (l->has_spirv && !is_spirv(data, bytes))
		return set_error(SOV_ERROR_INVALID_ARGUMENT,
				 "sov_module_options.spirv must be NULL: this is no SPIR-V");
	if (magic == FATBIN_MAGIC)
		return set_error(SOV_ERROR_UNSUPPORTED,
				 "this is a fat binary; take PTX or a cubin out of it");
	if (bytes < 4 || memcmp(data, "\177ELF", 4))
		return compile_source(c, data, bytes, l, m, image_bytes);
	if (l->flags & ~SOV_MODULE_EAGER)
		return set_error(
			SOV_ERROR_INVALID_ARGUMENT,
			"sov_module_options.flags 0x%x are for PTX; an image is run as it is",
			l->flags);
	m->file = malloc(bytes);
	if (!m->file)
		return set_error(SOV_ERROR_OUT_OF_HOST_MEMORY,
				 "no %zu bytes of host memory for an image", bytes);
	memcpy(m->file, data, bytes);
	*image_bytes = bytes;
	return SOV_OK;
}

static void module_dump(const struct context *c, const void *data, size_t bytes,
			const struct load_options *l, const struct module *m, size_t image_bytes,
			bool readable)
{
	uint32_t flags = l->flags;
	bool image = bytes >= 4 && !memcmp(data, "\177ELF", 4);
	struct dump d = {
		.target = c->device->info.target,
		.serial = flags & SOV_MODULE_SERIAL,
		.unoptimised = flags & SOV_MODULE_UNOPTIMISED,
		.clusters = flags & SOV_MODULE_CLUSTERS,
		.spirv = l->has_spirv ? &l->spirv : NULL,
		.source = image ? NULL : data,
		.source_bytes = bytes,
		.file = image ? data : m->file,
		.file_bytes = image ? bytes : image_bytes,
		.image = readable ? &m->image : NULL,
		.gpu = c->gpu,
		.chip = c->chip,
	};

	dump_module(&d);
}

/* Compiles without the lock: it is slow and needs only the context's device. */
static sov_result module_compile(struct context *c, const void *data, size_t bytes,
				 const struct load_options *l, struct module *m)
{
	char text[256];
	size_t image_bytes = 0;
	uint64_t start = now_ns();
	sov_result r = module_make_image(c, data, bytes, l, m, &image_bytes);

	if (!r && !image_read(&m->image, m->file, image_bytes, text, sizeof(text)))
		r = set_source_error(text);
	if (dump_wanted())
		module_dump(c, data, bytes, l, m, image_bytes, !r);
	if (r)
		return r;
	LOG(MODULE, INFO, "%u kernels%s, an image of %zu bytes made of %zu in %llu us",
	    m->image.nkernels + m->image.ndeclared, m->lazy ? " to be compiled on first use" : "",
	    image_bytes, bytes, (unsigned long long)(now_ns() - start) / 1000);
	return module_prepare(c, m);
}

/* ---- loading ---- */

static sov_result module_load(sov_context context, const void *data, size_t bytes,
			      const struct load_options *l, sov_module *module)
{
	struct load_options own = *l;
	sov_result r;
	struct context *c = context_enter(context, &r);
	struct module *m;

	if (!c)
		return r;
	pthread_mutex_unlock(&c->lock);
	m = calloc(1, sizeof(*m));
	if (m)
		m->library = l->flags & MODULE_LIBRARY;
	if (m)
		m->host_variables =
			l->flags & SOV_MODULE_HOST_VARIABLES || has_managed(data, bytes);
	own.flags &= ~SOV_MODULE_HOST_VARIABLES; /* the code is the same */
	r = m ? module_compile(c, data, bytes, &own, m)
	      : set_error(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a module");
	pthread_mutex_lock(&c->lock);
	if (!r)
		r = context_check(c);
	if (!r)
		return module_install(c, m, module);
	if (m)
		module_discard(m);
	return context_leave(c, r);
}

sov_result module_load_services(struct context *c, const char *ptx, size_t bytes,
				sov_module *module)
{
	char *messages = strdup(sov_module_messages()); /* of the program's own load */
	struct load_options l = {.flags = MODULE_LIBRARY};
	sov_result r = module_load(object_handle(&c->object), ptx, bytes, &l, module);

	module_messages_set(messages);
	return r;
}

static sov_result read_module_options(const sov_module_options *options, struct load_options *l)
{
	sov_module_options o = SOV_INIT(sov_module_options);
	sov_result r;

	if (options && (r = struct_in("sov_module_options", &o, sizeof(o), options)))
		return r;
	if (o.flags & ~(SOV_MODULE_SERIAL | SOV_MODULE_UNOPTIMISED | SOV_MODULE_EAGER |
			SOV_MODULE_CLUSTERS | SOV_MODULE_HOST_VARIABLES))
		return set_error(SOV_ERROR_INVALID_ARGUMENT,
				 "sov_module_options.flags is 0x%x; known: SOV_MODULE_SERIAL, "
				 "SOV_MODULE_UNOPTIMISED, SOV_MODULE_EAGER, SOV_MODULE_CLUSTERS, "
				 "SOV_MODULE_HOST_VARIABLES",
				 o.flags);
	*l = (struct load_options){.flags = o.flags, .has_spirv = o.spirv != NULL};
	return o.spirv ? spirv_options_read(o.spirv, &l->spirv) : SOV_OK;
}

sov_result api_module_load(sov_context context, const void *data, size_t bytes,
			   const sov_module_options *options, sov_module *module)
{
	struct load_options l;
	sov_result r;

	module_messages_set(NULL);
	if (!data || !bytes || !module)
		return set_error(SOV_ERROR_INVALID_ARGUMENT, "%s",
				 !module ? "module is NULL"
				 : data  ? "bytes is 0"
					 : "data is NULL");
	r = read_module_options(options, &l);
	if (r)
		return r;
	r = module_load(context, data, bytes, &l, module);
	spirv_options_free(&l.spirv);
	return r;
}

/* ---- linking ---- */

static sov_result link_image(const char *target, const struct link_input *inputs, uint32_t count,
			     uint32_t flags, struct compile_result *result)
{
	struct compile_options o = {
		.source = COMPILE_PTX,
		.target = target,
		.unoptimised = flags & SOV_MODULE_UNOPTIMISED,
		.serial = flags & SOV_MODULE_SERIAL,
		.clusters = flags & SOV_MODULE_CLUSTERS,
	};
	bool good = compile_link(inputs, count, &o, result);

	module_messages_set(result->messages);
	result->messages = NULL;
	if (good)
		return SOV_OK;
	return set_error(SOV_ERROR_INVALID_SOURCE, "%.*s",
			 (int)strcspn(sov_module_messages(), "\n"), sov_module_messages());
}

/* Copies the inputs, with names for those that have none. */
static sov_result copy_inputs(const sov_module_input *inputs, uint32_t count,
			      struct link_input *out, char (*names)[32])
{
	for (uint32_t k = 0; k < count; k++) {
		if (!inputs[k].data || !inputs[k].bytes)
			return set_error(SOV_ERROR_INVALID_ARGUMENT, "inputs[%u].%s", k,
					 inputs[k].data ? "bytes is 0" : "data is NULL");
		snprintf(names[k], sizeof(names[k]), "input %u", k);
		out[k] = (struct link_input){inputs[k].name ? inputs[k].name : names[k],
					     inputs[k].data, inputs[k].bytes};
	}
	return SOV_OK;
}

static sov_result link_inputs(sov_context context, const sov_module_input *inputs, uint32_t count,
			      uint32_t flags, struct compile_result *result)
{
	struct link_input *list = calloc(count, sizeof(*list));
	char(*names)[32] = calloc(count, sizeof(*names));
	sov_result r = SOV_OK;
	struct context *c;

	if (!list || !names)
		r = set_error(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for %u inputs", count);
	if (!r)
		r = copy_inputs(inputs, count, list, names);
	c = r ? NULL : context_enter(context, &r);
	if (c) {
		const char *target = c->device->info.target;

		context_leave(c, SOV_OK);
		r = link_image(target, list, count, flags, result);
	}
	free(names);
	free(list);
	return r;
}

/* missing: the message if there is no place for the result. */
static sov_result link_with_options(sov_context context, const sov_module_input *inputs,
				    uint32_t count, const sov_module_options *options,
				    const void *out, const char *missing, struct load_options *l,
				    struct compile_result *result)
{
	sov_result r;

	module_messages_set(NULL);
	if (!inputs || !count || !out)
		return set_error(SOV_ERROR_INVALID_ARGUMENT, "%s",
				 !out     ? missing
				 : inputs ? "count is 0"
					  : "inputs is NULL");
	r = read_module_options(options, l);
	if (!r && l->has_spirv) {
		spirv_options_free(&l->spirv);
		r = set_error(SOV_ERROR_INVALID_ARGUMENT,
			      "sov_module_options.spirv must be NULL: SPIR-V cannot be linked");
	}
	return r ? r : link_inputs(context, inputs, count, l->flags, result);
}

/* The first input with variables that the host uses; count: none. */
static uint32_t find_managed(const sov_module_input *inputs, uint32_t count)
{
	uint32_t k = 0;

	while (k < count && !has_managed(inputs[k].data, inputs[k].bytes))
		k++;
	return k;
}

/* The image is loaded like one that the program read from a file. */
sov_result api_module_link(sov_context context, const sov_module_input *inputs, uint32_t count,
			   const sov_module_options *options, sov_module *module)
{
	struct compile_result result = {0};
	struct load_options l, image = {.flags = SOV_MODULE_EAGER};
	sov_result r = link_with_options(context, inputs, count, options, module, "module is NULL",
					 &l, &result);

	if (!r) {
		image.flags |= l.flags & SOV_MODULE_HOST_VARIABLES;
		if (find_managed(inputs, count) < count)
			image.flags |= SOV_MODULE_HOST_VARIABLES;
		r = module_load(context, result.image, result.image_size, &image, module);
	}
	compile_result_free(&result);
	return r;
}

sov_result api_module_link_image(sov_context context, const sov_module_input *inputs,
				 uint32_t count, const sov_module_options *options, void **image,
				 size_t *bytes)
{
	struct compile_result result = {0};
	struct load_options l;
	sov_result r = link_with_options(context, inputs, count, options, bytes ? image : NULL,
					 image ? "bytes is NULL" : "image is NULL", &l, &result);
	uint32_t managed =
		r || l.flags & SOV_MODULE_HOST_VARIABLES ? count : find_managed(inputs, count);

	if (managed < count)
		r = set_error(SOV_ERROR_UNSUPPORTED,
			      "inputs[%u] has .attribute(.managed), which images do not keep; use "
			      "sov_module_link, or set SOV_MODULE_HOST_VARIABLES here and when the "
			      "image is loaded",
			      managed);
	if (!r) {
		*image = result.image;
		*bytes = result.image_size;
		result.image = NULL;
	}
	compile_result_free(&result);
	return r;
}

/* ---- functions ---- */

static uint32_t count_kernels(const struct module *m)
{
	return m->lazy ? m->image.ndeclared : m->image.nkernels;
}

static const char *kernel_name(const struct module *m, uint32_t k)
{
	return m->lazy ? m->image.declared[k].name : m->image.kernels[k].name;
}

/* Returns kernel k, compiled now if necessary; leaves the module. */
static sov_result module_get_function(struct module *m, uint32_t k, sov_function *function)
{
	sov_result r;

	if (!m->lazy) {
		*function = object_handle(&m->functions[k].member.object);
		return member_leave(m, SOV_OK);
	}
	pthread_mutex_unlock(&m->member.context->lock);
	r = lazy_function(m, k, function);
	object_put(&m->member.object);
	return r;
}

sov_result api_module_get_function(sov_module module, const char *name, sov_function *function)
{
	sov_result r;
	struct module *m;
	uint32_t i, n;

	if (!name || !function)
		return set_error(SOV_ERROR_INVALID_ARGUMENT, "%s is NULL",
				 name ? "function" : "name");
	m = member_enter(module, OBJECT_MODULE, &r);
	if (!m)
		return r;
	n = count_kernels(m);
	for (i = 0; i < n && strcmp(kernel_name(m, i), name); i++)
		;
	if (i < n)
		return module_get_function(m, i, function);
	if (!n)
		return member_leave(
			m, set_error(SOV_ERROR_NOT_FOUND,
				     "the module has no kernels; load the one that defines '%s'",
				     name));
	return member_leave(m, set_error(SOV_ERROR_NOT_FOUND,
					 "the module has no kernel '%s'; its first of %u is '%s'",
					 name, n, kernel_name(m, 0)));
}

sov_result api_module_get_function_at(sov_module module, uint32_t index, sov_function *function)
{
	sov_result r;
	struct module *m;

	if (!function)
		return set_error(SOV_ERROR_INVALID_ARGUMENT, "function is NULL");
	m = member_enter(module, OBJECT_MODULE, &r);
	if (!m)
		return r;
	if (index < count_kernels(m))
		return module_get_function(m, index, function);
	return member_leave(m, set_error(SOV_ERROR_NOT_FOUND,
					 "the module has %u kernels; there is no index %u",
					 count_kernels(m), index));
}

sov_result api_module_get_variable(sov_module module, const char *name, sov_ptr *address,
				   uint64_t *bytes)
{
	const struct image_variable *v = NULL;
	struct module *m;
	sov_result r;
	uint32_t i;

	if (!name)
		return set_error(SOV_ERROR_INVALID_ARGUMENT, "name is NULL");
	m = member_enter(module, OBJECT_MODULE, &r);
	if (!m)
		return r;
	for (i = 0; !v && i < m->image.nvariables; i++)
		if (!strcmp(m->image.variables[i].name, name))
			v = &m->image.variables[i];
	if (!v)
		return member_leave(
			m, set_error(SOV_ERROR_NOT_FOUND,
				     "the module has no variable '%s'; its first of %u is '%s'",
				     name, m->image.nvariables,
				     m->image.nvariables ? m->image.variables[0].name : ""));
	if (address)
		*address = m->parts[v->part]->va + v->offset;
	if (bytes)
		*bytes = v->bytes;
	return member_leave(m, SOV_OK);
}

sov_result api_function_get_attributes(sov_function function, sov_function_attributes *attributes)
{
	sov_function_attributes a = SOV_INIT(sov_function_attributes);
	const struct image_kernel *k;
	struct function *f;
	sov_result r;

	f = member_enter(function, OBJECT_FUNCTION, &r);
	if (!f)
		return r;
	k = f->kernel;
	a.registers = k->registers;
	a.shared_bytes =
		k->shared_bytes - function_reserved_shared(f->member.context, &f->module->image, k);
	a.local_bytes = f->info.local_bytes;
	a.max_threads_per_block = f->max_threads;
	a.code_bytes = k->code_bytes;
	a.parameters = k->nparams;
	a.parameter_bytes = k->param_bytes;
	snprintf(a.name, sizeof(a.name), "%s", k->name);
	return member_leave(f, struct_out("sov_function_attributes", attributes, &a, sizeof(a)));
}

sov_result api_function_get_occupancy(sov_function function, uint32_t threads,
				      uint32_t shared_bytes, uint32_t *blocks)
{
	struct function *f;
	sov_result r;

	if (!blocks || !threads)
		return set_error(SOV_ERROR_INVALID_ARGUMENT,
				 blocks ? "threads is 0" : "blocks is NULL");
	f = member_enter(function, OBJECT_FUNCTION, &r);
	if (!f)
		return r;
	*blocks = function_occupancy(f, threads, shared_bytes);
	return member_leave(f, SOV_OK);
}

sov_result api_function_get_cluster_occupancy(sov_function function, const uint32_t *cluster,
					      uint32_t threads, uint32_t shared_bytes,
					      uint32_t *clusters)
{
	const struct context *c;
	struct function *f;
	uint64_t blocks;
	sov_result r;

	if (!clusters || !cluster || !threads)
		return set_error(SOV_ERROR_INVALID_ARGUMENT, "%s",
				 !clusters  ? "clusters is NULL"
				 : !cluster ? "cluster is NULL"
					    : "threads is 0");
	blocks = (uint64_t)cluster[0] * cluster[1];
	blocks = blocks > UINT32_MAX ? blocks : blocks * cluster[2];
	if (!blocks)
		return set_error(SOV_ERROR_INVALID_ARGUMENT,
				 "a cluster of %u x %u x %u has no blocks; each must be at least 1",
				 cluster[0], cluster[1], cluster[2]);
	f = member_enter(function, OBJECT_FUNCTION, &r);
	if (!f)
		return r;
	c = f->member.context;
	*clusters = 0;
	if (function_occupancy(f, threads, shared_bytes) &&
	    blocks <= (c->device->properties.max_cluster_blocks > 1 ? GPU_MAX_LARGE_CLUSTER : 1))
		*clusters = (uint32_t)c->gpu->max_resident_clusters(
			c->chip, f->kernel, threads,
			(uint64_t)f->kernel->shared_bytes + shared_bytes, (uint32_t)blocks);
	return member_leave(f, SOV_OK);
}

sov_result api_function_get_parameter(sov_function function, uint32_t index, uint32_t *offset,
				      uint32_t *bytes)
{
	sov_result r;
	struct function *f = member_enter(function, OBJECT_FUNCTION, &r);

	if (!f)
		return r;
	if (index >= f->kernel->nparams)
		return member_leave(f,
				    set_error(SOV_ERROR_NOT_FOUND,
					      "kernel '%s' has %u parameters; there is no index %u",
					      f->kernel->name, f->kernel->nparams, index));
	if (offset)
		*offset = f->kernel->params[index].offset;
	if (bytes)
		*bytes = f->kernel->params[index].size;
	return member_leave(f, SOV_OK);
}
