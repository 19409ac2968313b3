// SPDX-License-Identifier: MIT
/*
 * Modules: PTX, cubins and fat binaries. Of a fat binary the cubin for the device's own
 * architecture is preferred, then the newest PTX that the device is not older than, as CUDA does;
 * CUDA_FORCE_PTX_JIT=1 prefers PTX. A cubin that sov.h refuses gives way to PTX.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libsov/cuda/driver/driver.h"
#include "libsov/cuda/driver/image.h"

#define MAX_LAYOUT 1024

/* ---- loading ---- */

unsigned cuda_image_rank(const struct cuda_image *i, const struct cuda_device *d)
{
	const char *force = secure_getenv("CUDA_FORCE_PTX_JIT");
	bool nvidia = !strncmp(d->properties.target, "sm_", 3);
	unsigned sm = (unsigned)(d->major * 10 + d->minor);

	if (i->kind == IMAGE_CUBIN)
		return nvidia && !(force && *force == '1') && i->sm / 10 == sm / 10 && i->sm <= sm
			       ? 10000 + i->sm
			       : 0;
	return i->kind == IMAGE_PTX && (i->sm <= sm || !nvidia) ? 1 + i->sm : 0;
}

static CUresult load_image(CUcontext c, const struct cuda_image *i, struct jit_options *jit,
			   CUmodule m)
{
	sov_module_options o = SOV_INIT(sov_module_options);
	sov_result r;

	/* Options are for PTX; an image is run as it is. */
	if (i->kind == IMAGE_PTX && c->device->properties.max_cluster_blocks > 1)
		o.flags |= SOV_MODULE_CLUSTERS;
	if (i->kind == IMAGE_PTX && jit && !jit->level)
		o.flags |= SOV_MODULE_UNOPTIMISED;
	if (cuda_image_has_managed(i))
		o.flags |= SOV_MODULE_HOST_VARIABLES, m->managed = true;
	r = sov_module_load(c->sov, i->data, i->bytes, &o, &m->sov);
	if (jit)
		cuda_jit_report(jit, r != SOV_OK);
	m->binary_version =
		(int)(i->sm ? i->sm : (unsigned)(c->device->major * 10 + c->device->minor));
	m->ptx_version = m->binary_version;
	if (r == SOV_ERROR_INVALID_SOURCE || r == SOV_ERROR_UNSUPPORTED) {
		cuda_result(r);
		return i->kind == IMAGE_PTX ? CUDA_ERROR_INVALID_PTX : CUDA_ERROR_INVALID_IMAGE;
	}
	return cuda_context_result(c, r);
}

/* Loads the image with the highest rank below limit; *rank is 0 if there is none. */
static CUresult load_best(CUcontext c, const void *data, size_t bytes, struct jit_options *jit,
			  unsigned limit, unsigned *rank, CUmodule m)
{
	const char *why;
	struct cuda_image image, best = {0};
	CUresult e = CUDA_ERROR_NO_BINARY_FOR_GPU;
	size_t position = 0;

	*rank = 0;
	while (cuda_fat_next(data, bytes, &position, &image, &why)) {
		unsigned r = cuda_image_rank(&image, c->device);

		if (r > *rank && r < limit) {
			best = image;
			*rank = r;
		}
	}
	if (why || (*rank && !cuda_image_unpack(&best, &why))) {
		cuda_log("fat binary: %s", why);
		e = CUDA_ERROR_INVALID_IMAGE;
	} else if (*rank) {
		e = load_image(c, &best, jit, m);
	}
	cuda_image_free(&best);
	return e;
}

static CUresult load_fat(CUcontext c, const void *data, size_t bytes, struct jit_options *jit,
			 CUmodule m)
{
	unsigned limit = UINT32_MAX, rank;
	CUresult e, first = CUDA_SUCCESS;

	do {
		e = load_best(c, data, bytes, jit, limit, &rank, m);
		first = first ? first : e;
		limit = rank;
	} while (rank && (e == CUDA_ERROR_INVALID_IMAGE || e == CUDA_ERROR_INVALID_PTX));
	return e && first ? first : e;
}

CUresult cuda_module_load(CUcontext c, const void *data, size_t bytes, struct jit_options *jit,
			  CUmodule *out)
{
	CUmodule m = calloc(1, sizeof(*m));
	struct cuda_image image;
	CUresult e;

	if (!m)
		return CUDA_ERROR_OUT_OF_MEMORY;
	m->magic = MAGIC_MODULE;
	m->context = c;
	if (bytes >= 16 && cuda_image_is_fat(data)) {
		e = load_fat(c, data, bytes, jit, m);
	} else {
		image = (struct cuda_image){.data = data, .bytes = bytes};
		image.kind = bytes >= 4 && !memcmp(data, "\177ELF", 4) ? IMAGE_CUBIN : IMAGE_PTX;
		e = load_image(c, &image, jit, m);
	}
	if (e) {
		free(m);
		return e;
	}
	pthread_mutex_lock(&c->lock);
	m->next = c->modules;
	m->link = &c->modules;
	if (m->next)
		m->next->link = &m->next;
	c->modules = m;
	pthread_mutex_unlock(&c->lock);
	*out = m;
	return CUDA_SUCCESS;
}

static void module_free(CUmodule m)
{
	while (m->functions) {
		CUfunction f = m->functions;

		m->functions = f->next;
		f->magic = 0;
		free(f->layout);
		free(f->name);
		free(f);
	}
	m->magic = 0;
	free(m);
}

CUresult cuda_module_unload(CUmodule m)
{
	CUcontext c = m->context;
	CUresult e = cuda_context_result(c, sov_module_unload(m->sov));

	cuda_memory_forget(c, m);
	pthread_mutex_lock(&c->lock);
	*m->link = m->next;
	if (m->next)
		m->next->link = m->link;
	pthread_mutex_unlock(&c->lock);
	module_free(m);
	return e;
}

/* The sov_context, which is destroyed next, frees the sov_modules. */
void cuda_modules_destroy(CUcontext c)
{
	while (c->modules) {
		CUmodule m = c->modules;

		c->modules = m->next;
		module_free(m);
	}
}

/* ---- functions ---- */

static CUresult function_layout(CUfunction f, uint32_t parameters)
{
	f->layout = calloc(parameters + 1, sizeof(*f->layout));
	if (!f->layout)
		return CUDA_ERROR_OUT_OF_MEMORY;
	for (uint32_t k = 0; k < parameters; k++) {
		sov_result r =
			sov_function_get_parameter(f->sov, k, &f->layout[k][0], &f->layout[k][1]);

		if (r)
			return cuda_result(r);
	}
	return CUDA_SUCCESS;
}

static CUresult function_new(CUmodule m, sov_function sov, CUfunction *out)
{
	const sov_device_properties *p = &m->context->device->properties;
	sov_function_attributes a = SOV_INIT(sov_function_attributes);
	CUresult e = cuda_context_result(m->context, sov_function_get_attributes(sov, &a));
	CUfunction f = e ? NULL : calloc(1, sizeof(*f));

	if (!f)
		return e ? e : CUDA_ERROR_OUT_OF_MEMORY;
	f->magic = MAGIC_FUNCTION;
	f->module = m;
	f->sov = sov;
	f->parameters = a.parameters;
	f->parameter_bytes = a.parameter_bytes;
	f->static_shared = a.shared_bytes;
	f->device_max_shared = p->max_shared_per_block;
	f->max_dynamic_shared = a.shared_bytes < 49152 ? 49152 - a.shared_bytes : 0;
	f->carveout = -1;
	f->name = strdup(a.name);
	e = function_layout(f, a.parameters);
	if (e) {
		free(f->layout);
		free(f->name);
		free(f);
		return e;
	}
	*out = f;
	return CUDA_SUCCESS;
}

/* One object per function of sov.h. */
static CUresult function_of(CUmodule m, sov_function sov, CUfunction *out)
{
	CUcontext c = m->context;
	CUresult e = CUDA_SUCCESS;
	CUfunction f;

	pthread_mutex_lock(&c->lock);
	for (f = m->functions; f && f->sov != sov;)
		f = f->next;
	if (!f) {
		e = function_new(m, sov, &f);
		if (!e) {
			f->next = m->functions;
			m->functions = f;
		}
	}
	pthread_mutex_unlock(&c->lock);
	*out = f;
	return e;
}

CUresult cuda_module_function(CUmodule m, const char *name, CUfunction *out)
{
	sov_function sov;
	sov_result r = sov_module_get_function(m->sov, name, &sov);

	if (r == SOV_ERROR_INVALID_SOURCE) {
		cuda_result(r);
		return CUDA_ERROR_INVALID_PTX;
	}
	return r ? cuda_context_result(m->context, r) : function_of(m, sov, out);
}

CUfunction cuda_function(CUfunction handle, CUresult *r)
{
	*r = CUDA_SUCCESS;
	if (IS(handle, FUNCTION))
		return handle;
	if (IS(handle, KERNEL)) {
		*r = cuKernelGetFunction(&handle, (CUkernel)(void *)handle);
		return *r ? NULL : handle;
	}
	*r = CUDA_ERROR_INVALID_HANDLE;
	return NULL;
}

/* ---- calls ---- */

API cuModuleLoadDataEx(CUmodule *out, const void *image, unsigned count, unsigned *options,
		       void **values)
{
	struct jit_options jit;
	CUresult e;
	CUcontext c = cuda_context(&e);

	if (!c)
		return e;
	if (!out || !image)
		return CUDA_ERROR_INVALID_VALUE;
	e = cuda_jit_read(&jit, count, options, values);
	if (e)
		return e;
	e = cuda_module_load(c, image, cuda_image_bytes(image), &jit, out);
	cuda_jit_finish(&jit);
	return e;
}

API cuModuleLoadData(CUmodule *out, const void *image)
{
	return cuModuleLoadDataEx(out, image, 0, NULL, NULL);
}

API cuModuleLoadFatBinary(CUmodule *out, const void *image)
{
	return cuModuleLoadDataEx(out, image, 0, NULL, NULL);
}

/* The file with a zero after its end; NULL: it cannot be read. */
void *cuda_read_file(const char *path, size_t *bytes)
{
	FILE *f = fopen(path, "rb");
	char *data = NULL, *more;
	size_t room = 1 << 16, n = 0, got;

	if (!f)
		return NULL;
	do {
		room *= 2;
		more = realloc(data, room + 1);
		if (!more)
			break;
		data = more;
		got = fread(data + n, 1, room - n, f);
		n += got;
	} while (n == room);
	if (!more || ferror(f)) {
		free(data);
		data = NULL;
	}
	fclose(f);
	if (data)
		data[n] = 0;
	*bytes = n;
	return data;
}

API cuModuleLoad(CUmodule *out, const char *path)
{
	CUresult e;
	CUcontext c = cuda_context(&e);
	size_t bytes;
	void *data;

	if (!c)
		return e;
	if (!out || !path)
		return CUDA_ERROR_INVALID_VALUE;
	data = cuda_read_file(path, &bytes);
	if (!data)
		return CUDA_ERROR_FILE_NOT_FOUND;
	e = cuda_module_load(c, data, bytes, NULL, out);
	free(data);
	return e;
}

API cuModuleUnload(CUmodule m)
{
	return IS(m, MODULE) ? cuda_module_unload(m) : CUDA_ERROR_INVALID_HANDLE;
}

API cuModuleGetLoadingMode(unsigned *mode)
{
	if (!mode)
		return CUDA_ERROR_INVALID_VALUE;
	*mode = 2; /* lazy */
	return CUDA_SUCCESS;
}

API cuModuleGetFunction(CUfunction *out, CUmodule m, const char *name)
{
	if (!IS(m, MODULE))
		return CUDA_ERROR_INVALID_HANDLE;
	return out && name ? cuda_module_function(m, name, out) : CUDA_ERROR_INVALID_VALUE;
}

API cuModuleGetFunctionCount(unsigned *count, CUmodule m)
{
	sov_function f;

	if (!IS(m, MODULE) || !count)
		return count ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
	for (*count = 0; !sov_module_get_function_at(m->sov, *count, &f);)
		++*count;
	return CUDA_SUCCESS;
}

API cuModuleEnumerateFunctions(CUfunction *out, unsigned count, CUmodule m)
{
	sov_function f;
	CUresult e = CUDA_SUCCESS;

	if (!IS(m, MODULE) || !out)
		return out ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
	for (unsigned k = 0; !e && k < count && !sov_module_get_function_at(m->sov, k, &f); k++)
		e = function_of(m, f, &out[k]);
	return e;
}

API cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes, CUmodule m, const char *name)
{
	struct memory_range range, known;
	uint64_t n = 0;
	sov_ptr p = 0;
	CUresult e;

	if (!IS(m, MODULE) || !name)
		return name ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
	e = cuda_context_result(m->context, sov_module_get_variable(m->sov, name, &p, &n));
	range = (struct memory_range){p, n, m->context, MEMORY_VARIABLE, 0, m};
	if (!e && m->managed && !cuda_memory_find(p, &known))
		e = cuda_memory_add(&range);
	if (address)
		*address = p;
	if (bytes)
		*bytes = n;
	return e;
}
