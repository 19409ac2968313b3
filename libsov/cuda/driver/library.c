// SPDX-License-Identifier: MIT
/* Libraries: code that is independent of contexts. A library keeps its image and becomes a module
 * of each context that uses it. */
#include <stdlib.h>
#include <string.h>
#include "libsov/cuda/driver/driver.h"
#include "libsov/cuda/driver/image.h"

struct library_module {
	uint64_t context;
	CUmodule module;
	struct library_module *next;
};

struct CUlib_st {
	uint32_t magic;
	pthread_mutex_t lock;
	void *image;
	size_t bytes;
	struct library_module *modules;
	struct CUkern_st *kernels;
};

struct CUkern_st {
	uint32_t magic;
	CUlibrary library;
	struct CUkern_st *next;
	char name[];
};

static CUresult library_module(CUlibrary l, CUmodule *out)
{
	CUresult e;
	CUcontext c = cuda_context(&e);
	struct library_module *m;

	if (!c)
		return e;
	pthread_mutex_lock(&l->lock);
	for (m = l->modules; m && m->context != c->id;)
		m = m->next;
	if (!m) {
		m = calloc(1, sizeof(*m));
		e = m ? cuda_module_load(c, l->image, l->bytes, NULL, &m->module)
		      : CUDA_ERROR_OUT_OF_MEMORY;
		if (e) {
			free(m);
			m = NULL;
		} else {
			m->context = c->id;
			m->next = l->modules;
			l->modules = m;
		}
	}
	pthread_mutex_unlock(&l->lock);
	if (m)
		*out = m->module;
	return e;
}

static CUresult library_new(const void *image, size_t bytes, CUlibrary *out)
{
	CUlibrary l = calloc(1, sizeof(*l));

	if (!l || !(l->image = malloc(bytes + 1))) {
		free(l);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	l->magic = MAGIC_LIBRARY;
	pthread_mutex_init(&l->lock, NULL);
	memcpy(l->image, image, bytes);
	((char *)l->image)[bytes] = 0;
	l->bytes = bytes;
	*out = l;
	return CUDA_SUCCESS;
}

/* Where a context is current, a bad image is reported now. */
static CUresult library_check(CUlibrary *out)
{
	CUmodule m;
	CUresult e = cuda_context_peek() ? library_module(*out, &m) : CUDA_SUCCESS;

	if (e)
		cuLibraryUnload(*out);
	return e;
}

API cuLibraryLoadData(CUlibrary *out, const void *image, unsigned *jit, void **jit_values,
		      unsigned jit_count, unsigned *options, void **values, unsigned count)
{
	CUresult e;

	(void)jit, (void)jit_values, (void)jit_count, (void)options, (void)values, (void)count;
	if (!out || !image)
		return CUDA_ERROR_INVALID_VALUE;
	e = library_new(image, cuda_image_bytes(image), out);
	return e ? e : library_check(out);
}

API cuLibraryLoadFromFile(CUlibrary *out, const char *path, unsigned *jit, void **jit_values,
			  unsigned jit_count, unsigned *options, void **values, unsigned count)
{
	size_t bytes;
	void *data;
	CUresult e;

	(void)jit, (void)jit_values, (void)jit_count, (void)options, (void)values, (void)count;
	if (!out || !path)
		return CUDA_ERROR_INVALID_VALUE;
	data = cuda_read_file(path, &bytes);
	if (!data)
		return CUDA_ERROR_FILE_NOT_FOUND;
	e = library_new(data, bytes, out);
	free(data);
	return e ? e : library_check(out);
}

API cuLibraryUnload(CUlibrary l)
{
	CUresult e;
	CUcontext c = cuda_context_peek();

	if (!IS(l, LIBRARY))
		return CUDA_ERROR_INVALID_HANDLE;
	while (l->modules) {
		struct library_module *m = l->modules;

		l->modules = m->next;
		if (c && m->context == c->id)
			e = cuda_module_unload(m->module);
		free(m);
	}
	while (l->kernels) {
		CUkernel k = l->kernels;

		l->kernels = k->next;
		k->magic = 0;
		free(k);
	}
	(void)e;
	l->magic = 0;
	free(l->image);
	free(l);
	return CUDA_SUCCESS;
}

static CUresult kernel_of(CUlibrary l, const char *name, CUkernel *out)
{
	CUkernel k;

	pthread_mutex_lock(&l->lock);
	for (k = l->kernels; k && strcmp(k->name, name);)
		k = k->next;
	if (!k) {
		k = calloc(1, sizeof(*k) + strlen(name) + 1);
		if (k) {
			k->magic = MAGIC_KERNEL;
			k->library = l;
			strcpy(k->name, name);
			k->next = l->kernels;
			l->kernels = k;
		}
	}
	pthread_mutex_unlock(&l->lock);
	*out = k;
	return k ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

API cuLibraryGetKernel(CUkernel *out, CUlibrary l, const char *name)
{
	CUfunction f;
	CUmodule m;
	CUresult e;

	if (!IS(l, LIBRARY) || !out || !name)
		return CUDA_ERROR_INVALID_VALUE;
	e = library_module(l, &m);
	if (!e)
		e = cuda_module_function(m, name, &f);
	return e ? e : kernel_of(l, name, out);
}

API cuLibraryGetModule(CUmodule *out, CUlibrary l)
{
	return IS(l, LIBRARY) && out ? library_module(l, out) : CUDA_ERROR_INVALID_VALUE;
}

API cuLibraryGetKernelCount(unsigned *count, CUlibrary l)
{
	CUmodule m;
	CUresult e = IS(l, LIBRARY) && count ? library_module(l, &m) : CUDA_ERROR_INVALID_VALUE;

	return e ? e : cuModuleGetFunctionCount(count, m);
}

API cuLibraryEnumerateKernels(CUkernel *out, unsigned count, CUlibrary l)
{
	CUfunction *functions = calloc(count + 1, sizeof(*functions));
	CUmodule m;
	CUresult e = IS(l, LIBRARY) && out && functions ? library_module(l, &m)
							: CUDA_ERROR_INVALID_VALUE;

	if (!e)
		e = cuModuleEnumerateFunctions(functions, count, m);
	for (unsigned k = 0; !e && k < count && functions[k]; k++)
		e = kernel_of(l, functions[k]->name, &out[k]);
	free(functions);
	return e;
}

API cuLibraryGetGlobal(CUdeviceptr *address, size_t *bytes, CUlibrary l, const char *name)
{
	CUmodule m;
	CUresult e = IS(l, LIBRARY) ? library_module(l, &m) : CUDA_ERROR_INVALID_HANDLE;

	return e ? e : cuModuleGetGlobal_v2(address, bytes, m, name);
}

API cuLibraryGetManaged(CUdeviceptr *address, size_t *bytes, CUlibrary l, const char *name)
{
	return cuLibraryGetGlobal(address, bytes, l, name);
}

API cuKernelGetFunction(CUfunction *out, CUkernel k)
{
	CUmodule m;
	CUresult e =
		IS(k, KERNEL) && out ? library_module(k->library, &m) : CUDA_ERROR_INVALID_HANDLE;

	return e ? e : cuda_module_function(m, k->name, out);
}

API cuKernelGetName(const char **name, CUkernel k)
{
	if (!IS(k, KERNEL) || !name)
		return CUDA_ERROR_INVALID_VALUE;
	*name = k->name;
	return CUDA_SUCCESS;
}

API cuKernelGetLibrary(CUlibrary *out, CUkernel k)
{
	if (!IS(k, KERNEL) || !out)
		return CUDA_ERROR_INVALID_VALUE;
	*out = k->library;
	return CUDA_SUCCESS;
}

API cuKernelGetAttribute(int *value, CUfunction_attribute attribute, CUkernel k, CUdevice device)
{
	(void)device;
	return cuFuncGetAttribute(value, attribute, (CUfunction)(void *)k);
}

API cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel k, CUdevice device)
{
	(void)device;
	return cuFuncSetAttribute((CUfunction)(void *)k, attribute, value);
}

API cuKernelSetCacheConfig(CUkernel k, unsigned config, CUdevice device)
{
	(void)device;
	return cuFuncSetCacheConfig((CUfunction)(void *)k, config);
}

API cuKernelGetParamInfo(CUkernel k, size_t index, size_t *offset, size_t *bytes)
{
	return cuFuncGetParamInfo((CUfunction)(void *)k, index, offset, bytes);
}
