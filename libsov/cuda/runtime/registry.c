// SPDX-License-Identifier: MIT
/*
 * The code that programs register when they start: fat binaries, the host functions that stand for
 * kernels, and variables. A binary becomes a module of a context when one of its kernels or
 * variables is first used there.
 *
 * Kernels and variables are found by the host's address in a hash table, which grows under a lock
 * and is read without one.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/cuda/runtime/runtime.h"

/* sov run-cuda tells this runtime from NVIDIA's by it, where it is part of a program. */
__attribute__((used)) static const char mark[] = "libcudart of sovgpu";

/* What a registered address refers to: nvcc's wrapper around a fat binary. */
struct wrapper {
	int magic, version;
	const void *data;
	void *linked;
};
#define WRAPPER_MAGIC 0x466243b1

/* A module or function in one context. */
struct instance {
	uint64_t context;
	void *handle;
	struct instance *next;
};

struct variable {
	const char *name;
	const void *host; /* of a managed variable: where its address is stored */
	size_t bytes;
	bool managed;
	struct binary *binary;
	struct variable *next;
};

struct binary {
	const void *image;
	pthread_mutex_t lock;
	struct instance *modules;
	struct variable *variables;
	struct rt_kernel *kernels;
	bool has_managed;
};

#define KERNEL_MAGIC UINT64_C(0x736f764b65726e31)
struct rt_kernel {
	uint64_t magic;
	struct binary *binary;
	const char *name;
	struct instance *functions;
	struct rt_kernel *next;
	const void *host;
};

/* ---- the table of host addresses ---- */

struct slot {
	const void *host;
	void *object; /* struct rt_kernel or struct variable */
	bool kernel;
};
struct table {
	size_t mask;
	struct slot slots[];
};
static struct table *table;
static size_t used;
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;

static size_t hash(const void *host, size_t mask)
{
	uint64_t h = (uintptr_t)host * UINT64_C(0x9e3779b97f4a7c15);

	return (size_t)(h >> 20) & mask;
}

static struct slot *slot_of(struct table *t, const void *host)
{
	size_t k = hash(host, t->mask);
	const void *seen;

	while ((seen = __atomic_load_n(&t->slots[k].host, __ATOMIC_ACQUIRE)) && seen != host)
		k = (k + 1) & t->mask;
	return &t->slots[k];
}

static void slot_set(struct slot *s, const void *host, void *object, bool kernel)
{
	s->object = object;
	s->kernel = kernel;
	__atomic_store_n(&s->host, host, __ATOMIC_RELEASE);
}

/* Old tables stay: another thread may be reading them. They add up to the size of the new one. */
static bool table_grow(void)
{
	size_t room = table ? (table->mask + 1) * 2 : 256;
	struct table *t = calloc(1, sizeof(*t) + room * sizeof(t->slots[0]));

	if (!t)
		return false;
	t->mask = room - 1;
	for (size_t k = 0; table && k <= table->mask; k++)
		if (table->slots[k].host)
			slot_set(slot_of(t, table->slots[k].host), table->slots[k].host,
				 table->slots[k].object, table->slots[k].kernel);
	__atomic_store_n(&table, t, __ATOMIC_RELEASE);
	return true;
}

static void table_add(const void *host, void *object, bool kernel)
{
	pthread_mutex_lock(&table_lock);
	if ((table && used * 2 <= table->mask) || table_grow()) {
		slot_set(slot_of(table, host), host, object, kernel);
		used++;
	}
	pthread_mutex_unlock(&table_lock);
}

static void *table_find(const void *host, bool kernel)
{
	struct table *t = __atomic_load_n(&table, __ATOMIC_ACQUIRE);
	struct slot *s = t && host ? slot_of(t, host) : NULL;

	return s && s->host && s->kernel == kernel ? s->object : NULL;
}

/* ---- registration, called by code that nvcc generates ---- */

CUDA_EXPORT void **__cudaRegisterFatBinary(const struct wrapper *w)
{
	struct binary *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	pthread_mutex_init(&b->lock, NULL);
	b->image = w->magic == WRAPPER_MAGIC ? w->data : (const void *)w;
	return (void **)b;
}

CUDA_EXPORT void __cudaRegisterFatBinaryEnd(void **handle)
{
	(void)handle;
}

/* Runs at exit, when other threads may still be in calls: the memory stays. */
CUDA_EXPORT void __cudaUnregisterFatBinary(void **handle)
{
	(void)handle;
}

CUDA_EXPORT void __cudaRegisterFunction(void **handle, const void *host, char *device,
					const char *name, int limit, void *tid, void *bid,
					void *block, void *grid, int *warp)
{
	struct binary *b = (struct binary *)handle;
	struct rt_kernel *k = calloc(1, sizeof(*k));

	(void)device, (void)limit, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
	if (!k || !b)
		return;
	k->magic = KERNEL_MAGIC;
	k->binary = b;
	k->name = name;
	k->host = host;
	k->next = b->kernels;
	b->kernels = k;
	table_add(host, k, true);
}

static void register_variable(struct binary *b, const void *host, const char *name, size_t bytes,
			      bool managed)
{
	struct variable *v = calloc(1, sizeof(*v));

	if (!v || !b)
		return;
	*v = (struct variable){name, host, bytes, managed, b, b->variables};
	b->variables = v;
	b->has_managed |= managed;
	table_add(host, v, false);
}

CUDA_EXPORT void __cudaRegisterVar(void **handle, char *host, char *device, const char *name,
				   int external, size_t bytes, int constant, int global)
{
	(void)device, (void)external, (void)constant, (void)global;
	register_variable((struct binary *)handle, host, name, bytes, false);
}

CUDA_EXPORT void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t bytes)
{
	register_variable((struct binary *)handle, host, name, bytes, false);
}

CUDA_EXPORT void __cudaRegisterManagedVar(void **handle, void **host, char *device,
					  const char *name, int external, size_t bytes,
					  int constant, int global)
{
	(void)device, (void)external, (void)constant, (void)global;
	register_variable((struct binary *)handle, host, name, bytes, true);
}

/* Textures and surfaces as variables, which CUDA 12 has dropped: their kernels are not found. */
CUDA_EXPORT void __cudaRegisterTexture(void **handle, const void *host, const void **device,
				       const char *name, int dimensions, int normalized,
				       int external)
{
	(void)handle, (void)host, (void)device, (void)name;
	(void)dimensions, (void)normalized, (void)external;
}

CUDA_EXPORT void __cudaRegisterSurface(void **handle, const void *host, const void **device,
				       const char *name, int dimensions, int external)
{
	(void)handle, (void)host, (void)device, (void)name, (void)dimensions, (void)external;
}

CUDA_EXPORT void __cudaRegisterUnifiedTable(void **handle, void *unused)
{
	(void)handle, (void)unused;
}

/* ---- modules and functions of the current context ---- */

static void *instance_find(struct instance *const *list, uint64_t context)
{
	struct instance *i = __atomic_load_n(list, __ATOMIC_ACQUIRE);

	while (i && i->context != context)
		i = i->next;
	return i ? i->handle : NULL;
}

static CUresult instance_add(struct instance **list, uint64_t context, void *handle)
{
	struct instance *i = malloc(sizeof(*i));

	if (!i)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*i = (struct instance){context, handle, *list};
	__atomic_store_n(list, i, __ATOMIC_RELEASE);
	return CUDA_SUCCESS;
}

/* The addresses of managed variables, which the host reads through pointers. */
static CUresult publish_managed(struct binary *b, CUmodule m)
{
	CUdeviceptr address;
	size_t bytes;
	CUresult e = CUDA_SUCCESS;

	for (struct variable *v = b->variables; v && !e; v = v->next) {
		if (!v->managed)
			continue;
		e = cuModuleGetGlobal_v2(&address, &bytes, m, v->name);
		if (!e)
			*(void **)(uintptr_t)v->host = (void *)(uintptr_t)address;
	}
	return e;
}

static CUresult binary_module(struct binary *b, uint64_t context, CUmodule *out)
{
	CUresult e = CUDA_SUCCESS;

	*out = instance_find(&b->modules, context);
	if (*out)
		return CUDA_SUCCESS;
	pthread_mutex_lock(&b->lock);
	*out = instance_find(&b->modules, context);
	if (!*out) {
		e = cuModuleLoadFatBinary(out, b->image);
		if (!e && b->has_managed)
			e = publish_managed(b, *out);
		if (!e)
			e = instance_add(&b->modules, context, *out);
	}
	pthread_mutex_unlock(&b->lock);
	return e;
}

static CUresult function_slow(struct rt_kernel *k, uint64_t context, CUfunction *out)
{
	CUmodule m;
	CUresult e = binary_module(k->binary, context, &m);

	if (e)
		return e;
	pthread_mutex_lock(&k->binary->lock);
	*out = instance_find(&k->functions, context);
	if (!*out) {
		e = cuModuleGetFunction(out, m, k->name);
		if (!e)
			e = instance_add(&k->functions, context, *out);
	}
	pthread_mutex_unlock(&k->binary->lock);
	return e == CUDA_ERROR_NOT_FOUND ? CUDA_ERROR_RT_INVALID_FUNCTION : e;
}

CUresult rt_kernel_function(struct rt_kernel *k, CUfunction *out)
{
	uint64_t context;
	CUresult e = rt_ready();

	if (e)
		return e;
	context = rt_context_id();
	*out = instance_find(&k->functions, context);
	return *out ? CUDA_SUCCESS : function_slow(k, context, out);
}

struct rt_kernel *rt_kernel_find(const void *function)
{
	struct rt_kernel *k = table_find(function, true);

	return k;
}

/* The first word of a driver's object is a 32-bit number; of a kernel here, KERNEL_MAGIC. */
static bool is_rt_kernel(const void *p)
{
	return p && !((uintptr_t)p & 7) && *(const uint64_t *)p == KERNEL_MAGIC;
}

CUresult rt_function(const void *function, CUfunction *out)
{
	struct rt_kernel *k = rt_kernel_find(function);

	if (k)
		return rt_kernel_function(k, out);
	if (!function)
		return CUDA_ERROR_RT_INVALID_FUNCTION;
	/* Handles of cudaGetKernel and cudaLibraryGetKernel pass for functions. */
	if (is_rt_kernel(function))
		return rt_kernel_function((struct rt_kernel *)(uintptr_t)function, out);
	*out = (CUfunction)(uintptr_t)function;
	return cuFuncLoad(*out) ? CUDA_ERROR_RT_INVALID_FUNCTION : CUDA_SUCCESS;
}

CUDA_EXPORT cudaError_t __cudaGetKernel(void **kernel, const void *function)
{
	*kernel = rt_kernel_find(function);
	return *kernel ? CUDA_SUCCESS : rt_return(CUDA_ERROR_RT_INVALID_FUNCTION);
}

RT cudaGetKernel(void **kernel, const void *function)
{
	return kernel ? __cudaGetKernel(kernel, function) : rt_return(CUDA_ERROR_INVALID_VALUE);
}

RT cudaGetFuncBySymbol(CUfunction *out, const void *function)
{
	READY();
	return rt_return(out ? rt_function(function, out) : CUDA_ERROR_INVALID_VALUE);
}

/* Loads a module whose managed variables the host is about to use. */
CUDA_EXPORT char __cudaInitModule(void **handle)
{
	struct binary *b = (struct binary *)handle;
	CUmodule m;

	if (!b || rt_return(rt_ready()))
		return 0;
	return !rt_return(binary_module(b, rt_context_id(), &m));
}

/* ---- variables ---- */

CUresult rt_symbol(const void *symbol, CUdeviceptr *address, size_t *bytes)
{
	struct variable *v = table_find(symbol, false);
	CUresult e = rt_ready();
	CUmodule m;

	if (!v || e)
		return e ? e : CUDA_ERROR_RT_INVALID_SYMBOL;
	e = binary_module(v->binary, rt_context_id(), &m);
	if (!e)
		e = cuModuleGetGlobal_v2(address, bytes, m, v->name);
	return e == CUDA_ERROR_NOT_FOUND ? CUDA_ERROR_RT_INVALID_SYMBOL : e;
}

RT cudaGetSymbolAddress(void **out, const void *symbol)
{
	CUdeviceptr address = 0;
	CUresult e = out ? rt_symbol(symbol, &address, NULL) : CUDA_ERROR_INVALID_VALUE;

	if (!e)
		*out = (void *)(uintptr_t)address;
	return rt_return(e);
}

RT cudaGetSymbolSize(size_t *bytes, const void *symbol)
{
	return rt_return(bytes ? rt_symbol(symbol, NULL, bytes) : CUDA_ERROR_INVALID_VALUE);
}
