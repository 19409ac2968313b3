// SPDX-License-Identifier: MIT
/*
 * Modules in a context: an image's code and variables are written into two buffers of video memory,
 * and its kernels become functions. module_load.c makes an image of PTX or a file; lazy_compile.c
 * compiles the kernels of large modules on first use.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libsov/runtime/base/aligned.h"
#include "libsov/runtime/base/api_calls.h"
#include "libsov/runtime/base/error.h"
#include "libsov/runtime/context/context_wait.h"
#include "libsov/runtime/memory/allocation.h"
#include "libsov/runtime/module/module.h"
#include "libsov/runtime/profile/profile.h"

#define PREFETCH_BYTES 4096u /* mapped after the last kernel: instruction fetch runs ahead */

sov_result set_source_error(const char *text)
{
	module_messages_set(strdup(text));
	return set_error(SOV_ERROR_INVALID_SOURCE, "%s", text);
}

static sov_result module_check_kernels(const struct context *c, const struct module *m)
{
	const struct image *im = &m->image;
	char text[320], wants[64];
	uint32_t i;

	if (!c->gpu->supports(c->chip, im, wants, sizeof(wants))) {
		snprintf(text, sizeof(text), "the image is for %s; %s runs %s", wants,
			 c->device->properties.name, c->device->properties.target);
		return set_source_error(text);
	}
	if (im->ndeclared && !m->lazy) {
		snprintf(text, sizeof(text),
			 "kernel '%.128s' is declared here and defined in another image; link them "
			 "first",
			 im->declared[0].name);
		return set_source_error(text);
	}
	for (i = 0; i < im->nkernels; i++) {
		uint32_t bytes = c->gpu->constant_bytes(&im->kernels[i]);

		if (bytes > GPU_MAX_LARGE_CONSTANTS) {
			snprintf(text, sizeof(text),
				 "kernel '%.128s' needs %u bytes of arguments and other constants; "
				 "at "
				 "most %u can be given",
				 im->kernels[i].name, bytes, GPU_MAX_LARGE_CONSTANTS);
			return set_source_error(text);
		}
	}
	return SOV_OK;
}

/* ---- uploading ---- */

/* A unit uses the data of its module. */
static bool part_is_shared(const struct module *m, enum image_part part)
{
	return m->whole && part == IMAGE_DATA;
}

/* Allocates one part of the image. */
static sov_result module_create_part(struct context *c, struct module *m, enum image_part part)
{
	uint64_t bytes = m->image.part_bytes[part];
	sov_result r = SOV_OK;

	if (!bytes)
		return SOV_OK;
	if (part_is_shared(m, part)) {
		m->parts[part] = m->whole->parts[part];
		return SOV_OK;
	}
	if (part == IMAGE_CODE)
		bytes += PREFETCH_BYTES;
	else
		r = allocation_reserve_entry(c);
	if (!r && part == IMAGE_DATA && m->host_variables)
		return host_create_variables(c, bytes, m, &m->parts[part]);
	if (!r)
		r = buffer_create_mapped(c, WINSYS_VRAM, false, bytes, &m->parts[part]);
	if (r || part == IMAGE_CODE)
		return r;
	m->parts[part]->module = m;
	allocation_insert(c, m->parts[part]);
	return SOV_OK;
}

static sov_result module_upload(struct context *c, struct module *m)
{
	struct image_addresses at = {{0}, {0}};
	sov_result r = SOV_OK;
	uint32_t i;

	for (i = 0; !r && i < IMAGE_PARTS; i++) {
		r = module_create_part(c, m, (enum image_part)i);
		if (m->parts[i])
			at.base[i] = m->parts[i]->va;
	}
	if (r)
		return r;
	c->services_ops->addresses(c, at.services);
	for (i = 0; i < IMAGE_PARTS; i++)
		if (m->parts[i] && !part_is_shared(m, (enum image_part)i))
			image_load_part(&m->image, (enum image_part)i, &at, m->parts[i]->cpu);
	c->code_writes++;
	for (i = 0; !r && i < m->image.nkernels; i++) {
		m->functions[i].va = at.base[IMAGE_CODE] + m->image.kernels[i].code_offset;
		r = function_plan(c, &m->functions[i], &m->image, at.base);
	}
	return r;
}

static void function_destroy(struct object *o)
{
	struct function *f = (struct function *)o;

	object_put(&f->module->member.object);
}

static void module_retire_functions(struct module *m)
{
	uint32_t i, n = m->image.nkernels;

	if (m->lazy)
		m->lazy_ops->retire(m->lazy);
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

void module_discard(struct module *m)
{
	struct module *whole = m->whole;
	uint32_t i;

	for (i = 0; m->functions && i < m->image.nkernels; i++)
		free(m->functions[i].plan.gpu);
	image_free(&m->image);
	if (m->lazy)
		m->lazy_ops->free(m->lazy);
	free(m->functions);
	free(m->file);
	free(m);
	if (whole)
		object_put(&whole->member.object);
}

static void module_destroy(struct object *o)
{
	struct module *m = (struct module *)o;
	struct context *c = m->member.context;
	uint32_t i;

	pthread_mutex_lock(&c->lock);
	list_del(&m->member.link);
	for (i = 0; i < IMAGE_PARTS; i++) {
		if (!m->parts[i] || part_is_shared(m, (enum image_part)i))
			continue;
		if (m->parts[i]->module)
			allocation_remove(c, m->parts[i]);
		buffer_destroy(c, m->parts[i]);
	}
	pthread_mutex_unlock(&c->lock);
	module_discard(m);
	object_put(&c->object);
}

/* Publishes all functions; each holds a reference to the module. */
static sov_result module_publish_functions(struct context *c, struct module *m)
{
	sov_result r = SOV_OK;
	uint32_t i;

	for (i = 0; !r && i < m->image.nkernels; i++) {
		struct function *f = &m->functions[i];

		f->module = m;
		f->kernel = &m->image.kernels[i];
		f->info = (struct kernel_info){.name = f->kernel->name, .unloading = &m->unloading};
		f->max_threads = function_max_threads(c, f->kernel);
		f->member.context = c;
		r = object_publish(&f->member.object, OBJECT_FUNCTION, function_destroy);
		if (!r)
			object_reference(&m->member.object);
	}
	return r;
}

sov_result module_prepare(struct context *c, struct module *m)
{
	sov_result r = module_check_kernels(c, m);

	if (!r && m->image.services)
		r = c->services_ops->need(c, &m->image);
	if (r)
		return r;
	m->functions = aligned_calloc(_Alignof(struct function), m->image.nkernels + 1,
				      sizeof(*m->functions));
	return m->functions
		       ? SOV_OK
		       : set_error(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for functions");
}

static void module_retired(struct member *m)
{
	module_retire_functions(container_of(m, struct module, member));
}

static const struct member_ops module_member_ops = {
	.kind = OBJECT_MODULE,
	.destroy = module_destroy,
	.retired = module_retired,
};

static void module_add_to_profile(const struct context *c, const struct module *m)
{
	uint32_t i;

	for (i = 0; i < m->image.nkernels; i++)
		profile_add_kernel(c, &m->image, &m->image.kernels[i], m->functions[i].va);
}

sov_result module_install(struct context *c, struct module *m, sov_module *handle)
{
	sov_result r = member_publish(&m->member, c, &c->modules, &module_member_ops);

	if (r) {
		module_discard(m);
		return context_leave(c, r);
	}
	r = module_publish_functions(c, m);
	if (!r)
		r = module_upload(c, m);
	if (!r) {
		module_add_to_profile(c, m);
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

static sov_result module_prepare_unit(struct context *c, struct module *m, const void *image,
				      size_t bytes)
{
	char text[256];

	m->file = malloc(bytes);
	if (!m->file)
		return set_error(SOV_ERROR_OUT_OF_HOST_MEMORY,
				 "no %zu bytes of host memory for an image", bytes);
	memcpy(m->file, image, bytes);
	if (!image_read(&m->image, m->file, bytes, text, sizeof(text)))
		return set_source_error(text);
	if (m->image.part_bytes[IMAGE_DATA] != m->whole->image.part_bytes[IMAGE_DATA])
		return set_error(SOV_ERROR_INTERNAL,
				 "a unit has %llu bytes of variables, its module %llu",
				 (unsigned long long)m->image.part_bytes[IMAGE_DATA],
				 (unsigned long long)m->whole->image.part_bytes[IMAGE_DATA]);
	m->image.services =
		m->whole->image.services; /* the services' addresses are in the module's data */
	return module_prepare(c, m);
}

sov_result module_install_unit(struct module *whole, const void *image, size_t bytes,
			       struct module **unit)
{
	struct context *c = whole->member.context;
	struct module *m = calloc(1, sizeof(*m));
	sov_result r;

	if (!m)
		return set_error(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a module");
	object_reference(&whole->member.object);
	m->whole = whole;
	r = module_prepare_unit(c, m, image, bytes);
	pthread_mutex_lock(&c->lock);
	if (!r)
		r = context_check(c);
	if (!r && whole->unloading)
		r = set_error(SOV_ERROR_BUSY, "another thread is unloading the module");
	if (!r) {
		object_reference(&c->object); /* module_install drops it */
		*unit = m;
		return module_install(c, m, NULL);
	}
	pthread_mutex_unlock(&c->lock);
	module_discard(m);
	return r;
}

void module_drop(struct module *unit)
{
	module_retire(unit);
	object_put(&unit->member.object);
}

/* ---- unloading ---- */

static void module_set_unloading(struct module *m, bool unloading)
{
	m->unloading = unloading;
	if (m->lazy)
		m->lazy_ops->set_unloading(m->lazy, unloading);
}

sov_result api_module_unload(sov_module module)
{
	sov_result r;
	struct module *m = member_enter_failed(module, OBJECT_MODULE, &r);
	bool keep;

	if (!m)
		return r;
	if (m->unloading)
		return member_leave(
			m, set_error(SOV_ERROR_BUSY, "another thread is unloading the module"));
	module_set_unloading(m, true);
	r = context_drain_to_free(m->member.context, &keep);
	module_set_unloading(m, !keep);
	pthread_mutex_unlock(&m->member.context->lock);
	if (!keep)
		module_retire(m);
	object_put(&m->member.object);
	return r;
}

static void modules_retire(struct context *c, struct member **retired)
{
	context_retire_members(&c->modules, retired);
}

/* The code is at the same addresses, in a new group. */
static sov_result modules_restart(struct context *c)
{
	struct list_head *l;

	list_for_each(l, &c->modules)
	{
		module_add_to_profile(c, container_of(l, struct module, member.link));
	}
	return SOV_OK;
}

const struct context_part module_part = {.restart = modules_restart, .retire = modules_retire};
