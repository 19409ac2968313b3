/* SPDX-License-Identifier: MIT */
/*
 * Modules: programs in a context. Whatever comes in (PTX text or an image) becomes an image for the
 * device's machine; its code and its variables are written into two buffers of device memory, and its
 * kernels become functions. Of a module with many kernels only the variables are there at first; the rest
 * comes a unit at a time (lazy.h).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libsov/compiler/driver/compiler.h"
#include "libsov/runtime/module/lazy_compile.h"
#include "libsov/runtime/base/log.h"
#include "libsov/runtime/runtime.h"

#define MODULE_LIBRARY (1u << 31) /* beside the public flags: device code of services.c */
#define SPIRV_MAGIC    0x07230203u
#define FATBIN_MAGIC   0xba55ed50u
#define PREFETCH_BYTES 4096u /* mapped behind the last kernel: instruction fetch runs ahead */

static sov_result refuse_source(const char *sentence)
{
	module_messages_set(strdup(sentence));
	return refuse(SOV_ERROR_INVALID_SOURCE, "%s", sentence);
}

/* ---- what came in ---- */

static sov_result read_lazy(bool *eager)
{
	const char *text = getenv("SOV_LAZY");

	*eager |= text && !strcmp(text, "0");
	if (!text || !*text || !strcmp(text, "0") || !strcmp(text, "1"))
		return SOV_OK;
	return refuse(SOV_ERROR_INVALID_ARGUMENT, "SOV_LAZY is '%s'; it must be 0 or 1", text);
}

static sov_result compile_ptx(const struct context *c, const char *text, size_t bytes,
			      uint32_t flags, struct module *m, size_t *image_bytes)
{
	struct compile_options o = {
		.source = COMPILE_PTX,
		.target = c->device->info.target,
		.unoptimised = flags & SOV_MODULE_UNOPTIMISED,
		.serial = flags & SOV_MODULE_SERIAL,
		.library = flags & MODULE_LIBRARY,
	};
	bool eager = flags & (SOV_MODULE_EAGER | MODULE_LIBRARY) || dump_wanted();
	const char *zero = memchr(text, 0, bytes);
	struct compile_result result;
	char sentence[128];
	sov_result r;
	bool good;

	if (zero) {
		snprintf(sentence, sizeof(sentence),
			 "the text holds a zero byte at offset %zu; bytes counts no terminator",
			 (size_t)(zero - text));
		return refuse_source(sentence);
	}
	r = read_lazy(&eager);
	if (r)
		return r;
	good = lazy_compile(text, bytes, &o, eager, &result, &m->lazy);
	m->file = result.image;
	*image_bytes = result.image_size;
	result.image = NULL;
	module_messages_set(result.messages);
	result.messages = NULL;
	compile_result_free(&result);
	if (good)
		return SOV_OK;
	/* The first message; all of them are in sov_module_messages. */
	return refuse(SOV_ERROR_INVALID_SOURCE, "%.*s", (int)strcspn(sov_module_messages(), "\n"),
		      sov_module_messages());
}

static sov_result take_image(const struct context *c, const void *data, size_t bytes,
			     uint32_t flags, struct module *m, size_t *image_bytes)
{
	uint32_t magic = 0;

	memcpy(&magic, data, bytes < sizeof(magic) ? bytes : sizeof(magic));
	if (magic == SPIRV_MAGIC || magic == __builtin_bswap32(SPIRV_MAGIC))
		return refuse(SOV_ERROR_UNSUPPORTED,
			      "this is SPIR-V, which this version (%d.%d) cannot compile; give PTX",
			      SOV_VERSION_MAJOR, SOV_VERSION_MINOR);
	if (magic == FATBIN_MAGIC)
		return refuse(SOV_ERROR_UNSUPPORTED,
			      "this is a fat binary; take PTX or a cubin out of it");
	if (bytes < 4 || memcmp(data, "\177ELF", 4))
		return compile_ptx(c, data, bytes, flags, m, image_bytes);
	if (flags & ~SOV_MODULE_EAGER)
		return refuse(SOV_ERROR_INVALID_ARGUMENT,
			      "sov_module_options.flags 0x%x are for PTX; an image is run as it is",
			      flags);
	m->file = malloc(bytes);
	if (!m->file)
		return refuse(SOV_ERROR_OUT_OF_HOST_MEMORY,
			      "no %zu bytes of host memory for an image", bytes);
	memcpy(m->file, data, bytes);
	*image_bytes = bytes;
	return SOV_OK;
}

static sov_result check_kernels(const struct context *c, const struct module *m)
{
	const struct image *im = &m->image;
	char sentence[320], wants[64];
	uint32_t i;

	if (!c->gpu->supports(c->chip, im, wants, sizeof(wants))) {
		snprintf(sentence, sizeof(sentence), "the image is for %s; %s runs %s", wants,
			 c->device->properties.name, c->device->properties.target);
		return refuse_source(sentence);
	}
	if (im->ndeclared && !m->lazy) {
		snprintf(sentence, sizeof(sentence),
			 "kernel '%.128s' is declared here and defined in another image; give all "
			 "of it",
			 im->declared[0].name);
		return refuse_source(sentence);
	}
	for (i = 0; i < im->nkernels; i++) {
		uint32_t bytes = c->gpu->constant_bytes(&im->kernels[i]);

		if (bytes > GPU_MAX_CONSTANTS) {
			snprintf(sentence, sizeof(sentence),
				 "kernel '%.128s' needs %u bytes of arguments and other constants; "
				 "at "
				 "most %u can be given",
				 im->kernels[i].name, bytes, GPU_MAX_CONSTANTS);
			return refuse_source(sentence);
		}
	}
	return SOV_OK;
}

/* ---- into the context ---- */

/* It is the whole module's. */
static bool is_shared(const struct module *m, enum image_part part)
{
	return m->whole && part == IMAGE_DATA;
}

/* One of the image's parts, with everything in it but the references. */
static sov_result create_part(struct context *c, struct module *m, enum image_part part)
{
	uint64_t bytes = m->image.part_bytes[part];
	sov_result r = SOV_OK;

	if (!bytes)
		return SOV_OK;
	if (is_shared(m, part)) {
		m->parts[part] = m->whole->parts[part];
		return SOV_OK;
	}
	if (part == IMAGE_CODE)
		bytes += PREFETCH_BYTES;
	else
		r = memory_reserve(c);
	if (!r)
		r = buffer_create_mapped(c, WINSYS_VRAM, false, bytes, &m->parts[part]);
	if (r || part == IMAGE_CODE)
		return r;
	m->parts[part]->module = m;
	memory_insert(c, m->parts[part]);
	return SOV_OK;
}

static sov_result upload(struct context *c, struct module *m)
{
	struct image_addresses at = {{0}, {0}};
	sov_result r = SOV_OK;
	uint32_t i;

	for (i = 0; !r && i < IMAGE_PARTS; i++) {
		r = create_part(c, m, (enum image_part)i);
		if (m->parts[i])
			at.base[i] = m->parts[i]->va;
	}
	if (r)
		return r;
	services_addresses(c, at.services);
	for (i = 0; i < IMAGE_PARTS; i++)
		if (m->parts[i] && !is_shared(m, (enum image_part)i))
			image_load_part(&m->image, (enum image_part)i, &at, m->parts[i]->cpu);
	c->code_writes++;
	for (i = 0; !r && i < m->image.nkernels; i++) {
		m->functions[i].va = at.base[IMAGE_CODE] + m->image.kernels[i].code_offset;
		r = function_plan(c, &m->functions[i], at.base);
	}
	return r;
}

static uint32_t max_threads(const struct context *c, const struct image_kernel *k)
{
	uint32_t threads = c->device->info.max_threads_per_block;

	if (k->max_threads && k->max_threads < threads)
		threads = k->max_threads;
	while (threads && !c->gpu->occupancy(c->chip, k, threads, 0))
		threads = (threads - 1) / 32 * 32;
	return threads;
}

uint32_t function_reserved_shared(const struct function *f)
{
	uint32_t reserved = f->member.context->gpu->reserved_shared(&f->module->image);

	return reserved < f->kernel->shared_bytes ? reserved : f->kernel->shared_bytes;
}

static void function_free(struct object *o)
{
	struct function *f = (struct function *)o;

	object_put(&f->module->member.object);
}

void module_retire_functions(struct module *m)
{
	uint32_t i, n = m->image.nkernels;

	if (m->lazy)
		lazy_retire(m->lazy);
	for (i = 0; i < n; i++)
		if (object_retire(&m->functions[i].member.object))
			object_put(&m->functions[i].member.object);
}

static void module_retire(struct module *m)
{
	if (object_retire(&m->member.object)) {
		module_retire_functions(m);
		object_put(&m->member.object);
	}
}

static void discard(struct module *m)
{
	struct module *whole = m->whole;
	uint32_t i;

	for (i = 0; m->functions && i < m->image.nkernels; i++)
		free(m->functions[i].plan.gpu);
	image_free(&m->image);
	lazy_free(m->lazy);
	free(m->functions);
	free(m->file);
	free(m);
	if (whole)
		object_put(&whole->member.object);
}

static void module_free(struct object *o)
{
	struct module *m = (struct module *)o;
	struct context *c = m->member.context;
	uint32_t i;

	pthread_mutex_lock(&c->lock);
	list_remove(&m->member.link);
	for (i = 0; i < IMAGE_PARTS; i++) {
		if (!m->parts[i] || is_shared(m, (enum image_part)i))
			continue;
		if (m->parts[i]->module)
			memory_forget(c, m->parts[i]);
		buffer_destroy(c, m->parts[i]);
	}
	pthread_mutex_unlock(&c->lock);
	discard(m);
	object_put(&c->object);
}

/* Handles for all functions; each holds a reference to the module. */
static sov_result publish_functions(struct context *c, struct module *m)
{
	sov_result r = SOV_OK;
	uint32_t i;

	for (i = 0; !r && i < m->image.nkernels; i++) {
		struct function *f = &m->functions[i];

		f->module = m;
		f->kernel = &m->image.kernels[i];
		f->max_threads = max_threads(c, f->kernel);
		f->member.context = c;
		r = object_publish(&f->member.object, OBJECT_FUNCTION, function_free);
		if (!r)
			object_reference(&m->member.object);
	}
	return r;
}

static void dump(const struct context *c, const void *data, size_t bytes, uint32_t flags,
		 const struct module *m, size_t image_bytes, bool readable)
{
	bool image = bytes >= 4 && !memcmp(data, "\177ELF", 4);
	struct dump d = {
		.target = c->device->info.target,
		.serial = flags & SOV_MODULE_SERIAL,
		.unoptimised = flags & SOV_MODULE_UNOPTIMISED,
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

/* The image is there: what it needs of the context before the lock is taken. */
static sov_result prepare_image(struct context *c, struct module *m)
{
	sov_result r = check_kernels(c, m);

	if (!r && m->image.services)
		r = services_need(c, &m->image);
	if (r)
		return r;
	m->functions = calloc(m->image.nkernels + 1, sizeof(*m->functions));
	return m->functions ? SOV_OK
			    : refuse(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for functions");
}

/* Compiling takes its time and needs nothing of the context but its device: without the lock. */
static sov_result prepare(struct context *c, const void *data, size_t bytes, uint32_t flags,
			  struct module *m)
{
	char sentence[256];
	size_t image_bytes = 0;
	uint64_t start = now_ns();
	sov_result r = take_image(c, data, bytes, flags, m, &image_bytes);

	if (!r && !image_read(&m->image, m->file, image_bytes, sentence, sizeof(sentence)))
		r = refuse_source(sentence);
	if (dump_wanted())
		dump(c, data, bytes, flags, m, image_bytes, !r);
	if (r)
		return r;
	LOG(MODULE, INFO, "%u kernels%s, an image of %zu bytes made of %zu in %llu us",
	    m->image.nkernels + m->image.ndeclared, m->lazy ? " to be compiled when asked for" : "",
	    image_bytes, bytes, (unsigned long long)(now_ns() - start) / 1000);
	return prepare_image(c, m);
}

/* With the lock held, which is let go. The module is used up. A handle, or a reference where there is no
 * place for one. */
static sov_result install(struct context *c, struct module *m, sov_module *handle)
{
	sov_result r = member_publish(&m->member, c, &c->modules, OBJECT_MODULE, module_free);

	if (r) {
		discard(m);
		return context_leave(c, r);
	}
	r = publish_functions(c, m);
	if (!r)
		r = upload(c, m);
	if (!r) {
		if (handle)
			*handle = object_handle(&m->member.object);
		else
			object_reference(&m->member.object);
		return context_leave(c, SOV_OK);
	}
	pthread_mutex_unlock(&c->lock);
	module_retire(m);
	object_put(&c->object);
	return r;
}

/* ---- units ---- */

static sov_result prepare_unit(struct context *c, struct module *m, const void *image, size_t bytes)
{
	char sentence[256];

	m->file = malloc(bytes);
	if (!m->file)
		return refuse(SOV_ERROR_OUT_OF_HOST_MEMORY,
			      "no %zu bytes of host memory for an image", bytes);
	memcpy(m->file, image, bytes);
	if (!image_read(&m->image, m->file, bytes, sentence, sizeof(sentence)))
		return refuse_source(sentence);
	if (m->image.part_bytes[IMAGE_DATA] != m->whole->image.part_bytes[IMAGE_DATA])
		return refuse(SOV_ERROR_INTERNAL,
			      "a unit has %llu bytes of variables, its module %llu",
			      (unsigned long long)m->image.part_bytes[IMAGE_DATA],
			      (unsigned long long)m->whole->image.part_bytes[IMAGE_DATA]);
	m->image.services = m->whole->image.services; /* the addresses are in the module's data */
	return prepare_image(c, m);
}

sov_result module_install_unit(struct module *whole, const void *image, size_t bytes,
			       struct module **unit)
{
	struct context *c = whole->member.context;
	struct module *m = calloc(1, sizeof(*m));
	sov_result r;

	if (!m)
		return refuse(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a module");
	object_reference(&whole->member.object);
	m->whole = whole;
	r = prepare_unit(c, m, image, bytes);
	pthread_mutex_lock(&c->lock);
	if (!r)
		r = context_check(c);
	if (!r && whole->unloading)
		r = refuse(SOV_ERROR_BUSY, "another thread is unloading the module");
	if (!r) {
		object_reference(&c->object); /* install gives it back */
		*unit = m;
		return install(c, m, NULL);
	}
	pthread_mutex_unlock(&c->lock);
	discard(m);
	return r;
}

void module_drop(struct module *unit)
{
	module_retire(unit);
	object_put(&unit->member.object);
}

/* ---- loading and unloading ---- */

static sov_result load(sov_context context, const void *data, size_t bytes, uint32_t flags,
		       sov_module *module)
{
	sov_result r;
	struct context *c = context_enter(context, &r);
	struct module *m;

	if (!c)
		return r;
	pthread_mutex_unlock(&c->lock);
	m = calloc(1, sizeof(*m));
	if (m)
		m->library = flags & MODULE_LIBRARY;
	r = m ? prepare(c, data, bytes, flags, m)
	      : refuse(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a module");
	pthread_mutex_lock(&c->lock);
	if (!r)
		r = context_check(c);
	if (!r)
		return install(c, m, module);
	if (m)
		discard(m);
	return context_leave(c, r);
}

sov_result module_load_services(struct context *c, const char *ptx, size_t bytes,
				sov_module *module)
{
	char *messages = strdup(sov_module_messages()); /* the user's, of his own module */
	sov_result r = load(object_handle(&c->object), ptx, bytes, MODULE_LIBRARY, module);

	module_messages_set(messages);
	return r;
}

sov_result sov_module_load(sov_context context, const void *data, size_t bytes,
			   const sov_module_options *options, sov_module *module)
{
	sov_module_options o = SOV_INIT(sov_module_options);
	sov_result r;

	module_messages_set(NULL);
	if (!data || !bytes || !module)
		return refuse(SOV_ERROR_INVALID_ARGUMENT, "%s",
			      !module ? "module is NULL"
			      : data  ? "bytes is 0"
				      : "data is NULL");
	if (options && (r = struct_in("sov_module_options", &o, sizeof(o), options)))
		return r;
	if (o.flags & ~(SOV_MODULE_SERIAL | SOV_MODULE_UNOPTIMISED | SOV_MODULE_EAGER))
		return refuse(SOV_ERROR_INVALID_ARGUMENT,
			      "sov_module_options.flags is 0x%x; known: SOV_MODULE_SERIAL, "
			      "SOV_MODULE_UNOPTIMISED, SOV_MODULE_EAGER",
			      o.flags);
	return load(context, data, bytes, o.flags, module);
}

static void set_unloading(struct module *m, bool unloading)
{
	m->unloading = unloading;
	if (m->lazy)
		lazy_set_unloading(m->lazy, unloading);
}

sov_result sov_module_unload(sov_module module)
{
	sov_result r;
	struct module *m = member_enter_failed(module, OBJECT_MODULE, &r);
	bool keep;

	if (!m)
		return r;
	if (m->unloading)
		return member_leave(
			m, refuse(SOV_ERROR_BUSY, "another thread is unloading the module"));
	set_unloading(m, true);
	r = context_drain_to_free(m->member.context, &keep);
	set_unloading(m, !keep);
	pthread_mutex_unlock(&m->member.context->lock);
	if (!keep)
		module_retire(m);
	object_put(&m->member.object);
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

/* Kernel number k, compiled now if it was not before; leaves the module. */
static sov_result get_function(struct module *m, uint32_t k, sov_function *function)
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

sov_result sov_module_get_function(sov_module module, const char *name, sov_function *function)
{
	sov_result r;
	struct module *m;
	uint32_t i, n;

	if (!name || !function)
		return refuse(SOV_ERROR_INVALID_ARGUMENT, "%s is NULL", name ? "function" : "name");
	m = member_enter(module, OBJECT_MODULE, &r);
	if (!m)
		return r;
	n = count_kernels(m);
	for (i = 0; i < n && strcmp(kernel_name(m, i), name); i++)
		;
	if (i < n)
		return get_function(m, i, function);
	return member_leave(m, refuse(SOV_ERROR_NOT_FOUND,
				      "the module has no kernel '%s'; its first of %u is '%s'",
				      name, n, n ? kernel_name(m, 0) : ""));
}

sov_result sov_module_get_function_at(sov_module module, uint32_t index, sov_function *function)
{
	sov_result r;
	struct module *m;

	if (!function)
		return refuse(SOV_ERROR_INVALID_ARGUMENT, "function is NULL");
	m = member_enter(module, OBJECT_MODULE, &r);
	if (!m)
		return r;
	if (index < count_kernels(m))
		return get_function(m, index, function);
	return member_leave(m, refuse(SOV_ERROR_NOT_FOUND,
				      "the module has %u kernels; there is no number %u",
				      count_kernels(m), index));
}

sov_result sov_module_get_variable(sov_module module, const char *name, sov_ptr *address,
				   uint64_t *bytes)
{
	const struct image_variable *v = NULL;
	struct module *m;
	sov_result r;
	uint32_t i;

	if (!name)
		return refuse(SOV_ERROR_INVALID_ARGUMENT, "name is NULL");
	m = member_enter(module, OBJECT_MODULE, &r);
	if (!m)
		return r;
	for (i = 0; !v && i < m->image.nvariables; i++)
		if (!strcmp(m->image.variables[i].name, name))
			v = &m->image.variables[i];
	if (!v)
		return member_leave(
			m, refuse(SOV_ERROR_NOT_FOUND,
				  "the module has no variable '%s'; its first of %u is '%s'", name,
				  m->image.nvariables,
				  m->image.nvariables ? m->image.variables[0].name : ""));
	if (address)
		*address = m->parts[v->part]->va + v->offset;
	if (bytes)
		*bytes = v->bytes;
	return member_leave(m, SOV_OK);
}

sov_result sov_function_get_attributes(sov_function function, sov_function_attributes *attributes)
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
	a.shared_bytes = k->shared_bytes - function_reserved_shared(f);
	a.local_bytes = f->plan.local_bytes;
	a.max_threads_per_block = f->max_threads;
	a.code_bytes = k->code_bytes;
	a.parameters = k->nparams;
	a.parameter_bytes = k->param_bytes;
	snprintf(a.name, sizeof(a.name), "%s", k->name);
	return member_leave(f, struct_out("sov_function_attributes", attributes, &a, sizeof(a)));
}

sov_result sov_function_get_occupancy(sov_function function, uint32_t threads,
				      uint32_t shared_bytes, uint32_t *blocks)
{
	struct function *f;
	sov_result r;

	if (!blocks || !threads)
		return refuse(SOV_ERROR_INVALID_ARGUMENT,
			      blocks ? "threads is 0" : "blocks is NULL");
	f = member_enter(function, OBJECT_FUNCTION, &r);
	if (!f)
		return r;
	*blocks = function_occupancy(f, threads, shared_bytes);
	return member_leave(f, SOV_OK);
}

sov_result sov_function_get_parameter(sov_function function, uint32_t index, uint32_t *offset,
				      uint32_t *bytes)
{
	sov_result r;
	struct function *f = member_enter(function, OBJECT_FUNCTION, &r);

	if (!f)
		return r;
	if (index >= f->kernel->nparams)
		return member_leave(f,
				    refuse(SOV_ERROR_NOT_FOUND,
					   "kernel '%s' has %u parameters; there is no number %u",
					   f->kernel->name, f->kernel->nparams, index));
	if (offset)
		*offset = f->kernel->params[index].offset;
	if (bytes)
		*bytes = f->kernel->params[index].size;
	return member_leave(f, SOV_OK);
}
