// SPDX-License-Identifier: MIT
/*
 * Contexts. Each thread has a stack of them, whose top is current. A context becomes a context of
 * sov.h with the first call that needs one, so that limits which a program sets before it (stack,
 * printf buffer, heap) take effect.
 */
#include <stdlib.h>
#include "libsov/cuda/driver/driver.h"

#define STACK 64

static __thread CUcontext stack[STACK];
static __thread unsigned depth; /* stack[depth - 1] is current */
static pthread_mutex_t primary_lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t last_id;

static const size_t default_limits[CU_LIMITS] = {
	[CU_LIMIT_STACK_SIZE] = 1024,
	[CU_LIMIT_PRINTF_FIFO_SIZE] = 8 << 20,
	[CU_LIMIT_MALLOC_HEAP_SIZE] = 8 << 20,
	[CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH] = 2,
	[CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT] = 2048,
	[CU_LIMIT_MAX_L2_FETCH_GRANULARITY] = 128,
};

CUcontext cuda_context_peek(void)
{
	return depth ? stack[depth - 1] : NULL;
}

void cuda_context_set(CUcontext c)
{
	if (!depth)
		depth = 1;
	stack[depth - 1] = c;
}

static uint64_t power_of_two(uint64_t n)
{
	uint64_t p = 4096;

	while (p < n && p < UINT64_C(1) << 30)
		p *= 2;
	return p;
}

CUresult cuda_context_ready(CUcontext c)
{
	sov_context_options o = SOV_INIT(sov_context_options);
	sov_context made;
	CUresult e = CUDA_SUCCESS;

	if (__atomic_load_n(&c->sov, __ATOMIC_ACQUIRE))
		return CUDA_SUCCESS;
	pthread_mutex_lock(&c->lock);
	if (!c->sov) {
		o.stack_bytes = (uint32_t)c->limits[CU_LIMIT_STACK_SIZE];
		o.print_bytes = power_of_two(c->limits[CU_LIMIT_PRINTF_FIFO_SIZE]);
		o.heap_bytes = c->limits[CU_LIMIT_MALLOC_HEAP_SIZE];
		o.kernel_time_limit = SOV_FOREVER; /* CUDA has none */
		e = cuda_result(sov_context_create(c->device->sov, &o, &made));
		if (!e)
			__atomic_store_n(&c->sov, made, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&c->lock);
	return e;
}

CUcontext cuda_context(CUresult *r)
{
	CUcontext c = cuda_context_peek();

	if (!c) {
		*r = cuda_device_count() ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_NOT_INITIALIZED;
		return NULL;
	}
	if (c->magic != MAGIC_CONTEXT) {
		*r = CUDA_ERROR_CONTEXT_IS_DESTROYED;
		return NULL;
	}
	*r = cuda_context_ready(c);
	return *r ? NULL : c;
}

/* ---- creation and destruction ---- */

static CUresult context_create(CUdevice ordinal, unsigned flags, CUcontext *out)
{
	CUresult e;
	struct cuda_device *d = cuda_device_get(ordinal, &e);
	CUcontext c;

	if (!d)
		return e;
	c = calloc(1, sizeof(*c));
	if (!c)
		return CUDA_ERROR_OUT_OF_MEMORY;
	c->magic = MAGIC_CONTEXT;
	c->ordinal = ordinal;
	c->device = d;
	c->flags = flags;
	c->id = __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED);
	pthread_mutex_init(&c->lock, NULL);
	for (unsigned k = 0; k < CU_LIMITS; k++)
		c->limits[k] = default_limits[k];
	e = cuda_streams_create(c);
	if (e) {
		free(c);
		return e;
	}
	*out = c;
	return CUDA_SUCCESS;
}

/* Frees what the context holds. The record itself stays for a primary context, which may come to
 * life again, and as a tombstone that threads whose current context it is recognise. */
static void context_release(CUcontext c)
{
	sov_context s = c->sov;

	if (s)
		sov_context_wait(s, SOV_FOREVER);
	cuda_modules_destroy(c);
	cuda_streams_destroy(c);
	cuda_memory_forget(c, NULL);
	cuda_ipc_forget(c);
	cuda_shared_events_forget(c);
	c->sov = NULL;
	c->legacy_event = NULL;
	c->blocking_work = false;
	if (s)
		sov_context_destroy(s);
}

static CUresult create_and_push(CUcontext *out, unsigned flags, CUdevice device)
{
	CUcontext c;
	CUresult e;

	if (!out || depth == STACK)
		return CUDA_ERROR_INVALID_VALUE;
	e = context_create(device, flags, &c);
	if (e)
		return e;
	stack[depth++] = c;
	*out = c;
	return CUDA_SUCCESS;
}

API cuCtxCreate_v2(CUcontext *out, unsigned flags, CUdevice device)
{
	return create_and_push(out, flags, device);
}

API cuCtxCreate(CUcontext *out, unsigned flags, CUdevice device)
{
	return create_and_push(out, flags, device);
}

API cuCtxCreate_v3(CUcontext *out, const void *affinity, int count, unsigned flags, CUdevice device)
{
	(void)affinity;
	return count ? cuda_missing("cuCtxCreate_v3", "execution affinity")
		     : create_and_push(out, flags, device);
}

struct cuda_context_params {
	void *affinity;
	int affinity_count;
	void *graphics;
};

API cuCtxCreate_v4(CUcontext *out, const struct cuda_context_params *p, unsigned flags,
		   CUdevice device)
{
	return p && (p->affinity_count || p->graphics)
		       ? cuda_missing("cuCtxCreate_v4", "execution affinity and graphics")
		       : create_and_push(out, flags, device);
}

/* Destroyed contexts stay, so that their handles are recognised as invalid. */
static CUcontext destroyed;

API cuCtxDestroy_v2(CUcontext c)
{
	if (!IS(c, CONTEXT) || c->primary)
		return CUDA_ERROR_INVALID_CONTEXT;
	context_release(c);
	c->magic = 0;
	pthread_mutex_lock(&primary_lock);
	c->next_destroyed = destroyed;
	destroyed = c;
	pthread_mutex_unlock(&primary_lock);
	if (cuda_context_peek() == c)
		depth--;
	return CUDA_SUCCESS;
}

API cuCtxDestroy(CUcontext c)
{
	return cuCtxDestroy_v2(c);
}

API cuCtxDetach(CUcontext c)
{
	return cuCtxDestroy_v2(c);
}

API cuCtxAttach(CUcontext *out, unsigned flags)
{
	(void)flags;
	if (!out)
		return CUDA_ERROR_INVALID_VALUE;
	*out = cuda_context_peek();
	return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

/* ---- the primary context ---- */

CUresult cuda_primary_retain(CUdevice ordinal, CUcontext *out)
{
	CUresult e;
	struct cuda_device *d = cuda_device_get(ordinal, &e);

	if (!d)
		return e;
	pthread_mutex_lock(&primary_lock);
	if (!d->primary) {
		e = context_create(ordinal, d->primary_flags, &d->primary);
		if (!e)
			d->primary->primary = true;
	} else if (!d->primary->legacy) {
		e = cuda_streams_create(d->primary);
	}
	if (!e) {
		d->primary->retained++;
		*out = d->primary;
	}
	pthread_mutex_unlock(&primary_lock);
	return e;
}

API cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice device)
{
	return out ? cuda_primary_retain(device, out) : CUDA_ERROR_INVALID_VALUE;
}

API cuDevicePrimaryCtxReset_v2(CUdevice device)
{
	CUresult e;
	struct cuda_device *d = cuda_device_get(device, &e);

	if (!d)
		return e;
	pthread_mutex_lock(&primary_lock);
	if (d->primary) {
		context_release(d->primary);
		for (unsigned k = 0; k < CU_LIMITS; k++)
			d->primary->limits[k] = default_limits[k];
		e = cuda_streams_create(d->primary);
	}
	pthread_mutex_unlock(&primary_lock);
	return e;
}

API cuDevicePrimaryCtxReset(CUdevice device)
{
	return cuDevicePrimaryCtxReset_v2(device);
}

API cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
	CUresult e;
	struct cuda_device *d = cuda_device_get(device, &e);
	bool last;

	if (!d)
		return e;
	pthread_mutex_lock(&primary_lock);
	if (!d->primary || !d->primary->retained)
		e = CUDA_ERROR_INVALID_CONTEXT;
	last = !e && --d->primary->retained == 0;
	pthread_mutex_unlock(&primary_lock);
	return last ? cuDevicePrimaryCtxReset_v2(device) : e;
}

API cuDevicePrimaryCtxRelease(CUdevice device)
{
	return cuDevicePrimaryCtxRelease_v2(device);
}

API cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags)
{
	CUresult e;
	struct cuda_device *d = cuda_device_get(device, &e);

	if (!d)
		return e;
	d->primary_flags = flags;
	if (d->primary)
		d->primary->flags = flags;
	return CUDA_SUCCESS;
}

API cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags)
{
	return cuDevicePrimaryCtxSetFlags_v2(device, flags);
}

API cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active)
{
	CUresult e;
	struct cuda_device *d = cuda_device_get(device, &e);

	if (!d || !flags || !active)
		return d ? CUDA_ERROR_INVALID_VALUE : e;
	*flags = d->primary_flags;
	*active = d->primary && d->primary->retained;
	return CUDA_SUCCESS;
}

/* ---- the stack ---- */

API cuCtxSetCurrent(CUcontext c)
{
	if (c && !IS(c, CONTEXT))
		return CUDA_ERROR_INVALID_CONTEXT;
	if (!cuda_device_count())
		return CUDA_ERROR_NOT_INITIALIZED;
	cuda_context_set(c);
	if (!c)
		depth--;
	return CUDA_SUCCESS;
}

API cuCtxGetCurrent(CUcontext *out)
{
	if (!out)
		return CUDA_ERROR_INVALID_VALUE;
	*out = cuda_context_peek();
	return CUDA_SUCCESS;
}

API cuCtxPushCurrent_v2(CUcontext c)
{
	if (!IS(c, CONTEXT))
		return CUDA_ERROR_INVALID_CONTEXT;
	if (depth == STACK)
		return CUDA_ERROR_INVALID_VALUE;
	stack[depth++] = c;
	return CUDA_SUCCESS;
}

API cuCtxPushCurrent(CUcontext c)
{
	return cuCtxPushCurrent_v2(c);
}

API cuCtxPopCurrent_v2(CUcontext *out)
{
	if (!depth)
		return CUDA_ERROR_INVALID_CONTEXT;
	depth--;
	if (out)
		*out = stack[depth];
	return CUDA_SUCCESS;
}

API cuCtxPopCurrent(CUcontext *out)
{
	return cuCtxPopCurrent_v2(out);
}

/* ---- queries and settings ---- */

API cuCtxGetDevice(CUdevice *out)
{
	CUcontext c = cuda_context_peek();

	if (!out)
		return CUDA_ERROR_INVALID_VALUE;
	if (!IS(c, CONTEXT))
		return CUDA_ERROR_INVALID_CONTEXT;
	*out = c->ordinal;
	return CUDA_SUCCESS;
}

API cuCtxGetDevice_v2(CUdevice *out, CUcontext c)
{
	if (!c)
		return cuCtxGetDevice(out);
	if (!out || !IS(c, CONTEXT))
		return out ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_INVALID_VALUE;
	*out = c->ordinal;
	return CUDA_SUCCESS;
}

API cuCtxGetId(CUcontext c, uint64_t *id)
{
	if (!c)
		c = cuda_context_peek();
	if (!IS(c, CONTEXT) || !id)
		return id ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_INVALID_VALUE;
	*id = c->id;
	return CUDA_SUCCESS;
}

API cuCtxGetApiVersion(CUcontext c, unsigned *version)
{
	(void)c;
	if (!version)
		return CUDA_ERROR_INVALID_VALUE;
	*version = CUDA_VERSION;
	return CUDA_SUCCESS;
}

API cuCtxGetFlags(unsigned *flags)
{
	CUcontext c = cuda_context_peek();

	if (!IS(c, CONTEXT) || !flags)
		return flags ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_INVALID_VALUE;
	*flags = c->flags;
	return CUDA_SUCCESS;
}

API cuCtxSetFlags(unsigned flags)
{
	CUcontext c = cuda_context_peek();

	if (!IS(c, CONTEXT))
		return CUDA_ERROR_INVALID_CONTEXT;
	c->flags = flags;
	return CUDA_SUCCESS;
}

API cuCtxGetLimit(size_t *value, CUlimit limit)
{
	CUcontext c = cuda_context_peek();

	if (!IS(c, CONTEXT))
		return CUDA_ERROR_INVALID_CONTEXT;
	if (!value || (unsigned)limit >= CU_LIMITS)
		return value ? CUDA_ERROR_UNSUPPORTED_LIMIT : CUDA_ERROR_INVALID_VALUE;
	*value = c->limits[limit];
	return CUDA_SUCCESS;
}

/* Stack, printf buffer and heap are sized when the context starts to work. A larger stack later is
 * no loss where the compiler knows the stack's size, which it does without recursion. */
API cuCtxSetLimit(CUlimit limit, size_t value)
{
	CUcontext c = cuda_context_peek();

	if (!IS(c, CONTEXT))
		return CUDA_ERROR_INVALID_CONTEXT;
	if ((unsigned)limit >= CU_LIMITS)
		return CUDA_ERROR_UNSUPPORTED_LIMIT;
	if (c->sov && limit <= CU_LIMIT_MALLOC_HEAP_SIZE && value > c->limits[limit]) {
		cuda_log("cuCtxSetLimit: limit %d is %zu since the context's first work; set it "
			 "before the first allocation, stream or module",
			 (int)limit, c->limits[limit]);
		if (limit == CU_LIMIT_MALLOC_HEAP_SIZE)
			return CUDA_ERROR_INVALID_VALUE;
	}
	c->limits[limit] = value;
	return CUDA_SUCCESS;
}

/* The driver chooses the division of the cache. */
API cuCtxGetCacheConfig(unsigned *config)
{
	if (!config)
		return CUDA_ERROR_INVALID_VALUE;
	*config = 0;
	return CUDA_SUCCESS;
}

API cuCtxSetCacheConfig(unsigned config)
{
	return config > 3 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

API cuCtxGetSharedMemConfig(unsigned *config)
{
	if (!config)
		return CUDA_ERROR_INVALID_VALUE;
	*config = 1; /* banks of four bytes */
	return CUDA_SUCCESS;
}

API cuCtxSetSharedMemConfig(unsigned config)
{
	return config > 2 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

API cuCtxResetPersistingL2Cache(void)
{
	CUresult e;

	cuda_context(&e);
	return e;
}

API cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
	CUresult e;
	CUcontext c = cuda_context(&e);

	if (!c)
		return e;
	/* CUDA's priorities grow downwards. */
	if (least)
		*least = -c->device->properties.min_priority;
	if (greatest)
		*greatest = -c->device->properties.max_priority;
	return CUDA_SUCCESS;
}

API cuCtxSynchronize(void)
{
	CUresult e;
	CUcontext c = cuda_context(&e);

	if (!c)
		return e;
	if (__atomic_load_n(&c->captures, __ATOMIC_RELAXED))
		return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	return cuda_context_result(c, sov_context_wait(c->sov, SOV_FOREVER));
}

API cuCtxSynchronize_v2(CUcontext c)
{
	CUresult e;

	if (!c)
		return cuCtxSynchronize();
	if (!IS(c, CONTEXT))
		return CUDA_ERROR_INVALID_CONTEXT;
	e = cuda_context_ready(c);
	return e ? e : cuda_context_result(c, sov_context_wait(c->sov, SOV_FOREVER));
}

API cuCtxEnablePeerAccess(CUcontext peer, unsigned flags)
{
	if (!IS(peer, CONTEXT))
		return CUDA_ERROR_INVALID_CONTEXT;
	return flags ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
}

API cuCtxDisablePeerAccess(CUcontext peer)
{
	return IS(peer, CONTEXT) ? CUDA_ERROR_PEER_ACCESS_NOT_ENABLED : CUDA_ERROR_INVALID_CONTEXT;
}
