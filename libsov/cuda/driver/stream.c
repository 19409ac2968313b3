// SPDX-License-Identifier: MIT
/*
 * Streams. A context's legacy stream (NULL, or CU_STREAM_LEGACY) is the first stream of its
 * sov_context, and each thread has a per-thread stream on demand. Streams of sov.h do not
 * synchronise with each other; CUDA's legacy stream and its blocking streams do:
 *
 * - Work on the legacy stream follows all earlier work on blocking streams. blocking_work is set if
 *   there is such work that the legacy stream has not waited for.
 * - Work on a blocking stream follows all earlier work on the legacy stream. legacy_submits counts
 *   that work; legacy_seen is the count that a stream has waited for.
 *
 * Both checks are one load when nothing has happened on the other side (driver.h). Otherwise the
 * waiting stream gets events of sov.h that cost the GPU nothing to record.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/cuda/driver/driver.h"

__thread unsigned cuda_per_thread_default;
static __thread CUstream thread_stream; /* of the context with the id */
static __thread uint64_t thread_stream_context;
static uint64_t last_id;

static void stream_link(CUstream s)
{
	CUcontext c = s->context;

	s->next = c->streams;
	s->link = &c->streams;
	if (s->next)
		s->next->link = &s->next;
	c->streams = s;
}

static void stream_unlink(CUstream s)
{
	*s->link = s->next;
	if (s->next)
		s->next->link = s->link;
}

static CUstream stream_new(CUcontext c, unsigned flags, int priority)
{
	CUstream s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->magic = MAGIC_STREAM;
	s->context = c;
	s->flags = flags;
	s->priority = priority;
	s->orders = !(flags & CU_STREAM_NON_BLOCKING);
	s->id = __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED);
	return s;
}

static CUresult stream_make(CUcontext c, unsigned flags, int priority, CUstream *out)
{
	const sov_device_properties *p = &c->device->properties;
	int wanted = -priority;
	CUresult e;
	CUstream s;

	wanted = wanted < p->min_priority   ? p->min_priority
		 : wanted > p->max_priority ? p->max_priority
					    : wanted;
	s = stream_new(c, flags, -wanted);
	if (!s)
		return CUDA_ERROR_OUT_OF_MEMORY;
	e = cuda_context_result(c, sov_stream_create_with_priority(c->sov, 0, wanted, &s->sov));
	if (e) {
		free(s);
		return e;
	}
	pthread_mutex_lock(&c->lock);
	stream_link(s);
	pthread_mutex_unlock(&c->lock);
	*out = s;
	return CUDA_SUCCESS;
}

CUresult cuda_streams_create(CUcontext c)
{
	c->legacy = stream_new(c, 0, 0);
	if (!c->legacy)
		return CUDA_ERROR_OUT_OF_MEMORY;
	c->legacy->legacy = true;
	return CUDA_SUCCESS;
}

/* The sov_context, which is destroyed next, frees the sov_streams. */
void cuda_streams_destroy(CUcontext c)
{
	pthread_mutex_lock(&c->lock);
	while (c->streams) {
		CUstream s = c->streams;

		stream_unlink(s);
		s->magic = 0;
		free(s->depends);
		free(s);
	}
	if (c->legacy) {
		c->legacy->magic = 0;
		free(c->legacy);
	}
	c->legacy = NULL;
	c->id += UINT64_C(1) << 32; /* per-thread streams are made anew */
	pthread_mutex_unlock(&c->lock);
}

static CUstream per_thread_stream(CUcontext c, CUresult *r)
{
	if (thread_stream_context == c->id)
		return thread_stream;
	*r = stream_make(c, 0, 0, &thread_stream);
	if (*r)
		return NULL;
	thread_stream->per_thread = true;
	thread_stream_context = c->id;
	return thread_stream;
}

static CUstream legacy_stream(CUcontext c, CUresult *r)
{
	CUstream s = c->legacy;
	sov_stream sov;

	if (__atomic_load_n(&s->sov, __ATOMIC_ACQUIRE))
		return s;
	*r = cuda_context_result(c, sov_context_get_stream(c->sov, &sov));
	if (*r)
		return NULL;
	__atomic_store_n(&s->sov, sov, __ATOMIC_RELEASE);
	return s;
}

CUstream cuda_stream(CUstream handle, CUresult *r)
{
	CUcontext c;

	*r = CUDA_SUCCESS;
	if (handle > CU_STREAM_PER_THREAD) {
		if (((uintptr_t)handle & 7) || handle->magic != MAGIC_STREAM) {
			*r = CUDA_ERROR_INVALID_HANDLE;
			return NULL;
		}
		return handle;
	}
	c = cuda_context(r);
	if (!c)
		return NULL;
	if (handle == CU_STREAM_PER_THREAD || (!handle && cuda_per_thread_default))
		return per_thread_stream(c, r);
	return legacy_stream(c, r);
}

/* ---- order with the legacy stream ---- */

/* Makes later work on to wait for what was submitted to from. */
static CUresult wait_for(CUcontext c, CUstream to, CUstream from, sov_event *event)
{
	sov_result r = SOV_OK;

	if (!*event)
		r = sov_event_create(c->sov, SOV_EVENT_DISABLE_TIMING, event);
	if (!r)
		r = sov_event_record(*event, from->sov);
	if (!r)
		r = sov_stream_wait_event(to->sov, *event);
	return cuda_context_result(c, r);
}

CUresult cuda_stream_order_slow(CUstream s)
{
	CUcontext c = s->context;
	CUresult e = CUDA_SUCCESS;
	CUstream other;

	if (!s->legacy) {
		uint64_t submits = __atomic_load_n(&c->legacy_submits, __ATOMIC_ACQUIRE);

		pthread_mutex_lock(&c->lock);
		other = legacy_stream(c, &e);
		if (other)
			e = wait_for(c, s, other, &c->legacy_event);
		pthread_mutex_unlock(&c->lock);
		if (!e)
			__atomic_store_n(&s->legacy_seen, submits, __ATOMIC_RELEASE);
		return e;
	}
	pthread_mutex_lock(&c->lock);
	__atomic_store_n(&c->blocking_work, false, __ATOMIC_SEQ_CST);
	for (other = c->streams; other && !e; other = other->next)
		if (other->orders && __atomic_exchange_n(&other->dirty, false, __ATOMIC_SEQ_CST))
			e = wait_for(c, s, other, &other->order_event);
	pthread_mutex_unlock(&c->lock);
	return e;
}

/* ---- calls ---- */

API cuStreamCreateWithPriority(CUstream *out, unsigned flags, int priority)
{
	CUresult e;
	CUcontext c = cuda_context(&e);

	if (!c)
		return e;
	if (!out || flags & ~(unsigned)CU_STREAM_NON_BLOCKING)
		return CUDA_ERROR_INVALID_VALUE;
	return stream_make(c, flags, priority, out);
}

API cuStreamCreate(CUstream *out, unsigned flags)
{
	return cuStreamCreateWithPriority(out, flags, 0);
}

API cuStreamDestroy_v2(CUstream handle)
{
	CUcontext c;
	CUresult e;
	CUstream s;

	if (handle <= CU_STREAM_PER_THREAD)
		return CUDA_ERROR_INVALID_HANDLE;
	s = cuda_stream(handle, &e);
	if (!s)
		return e;
	c = s->context;
	pthread_mutex_lock(&c->lock);
	stream_unlink(s);
	s->magic = 0;
	pthread_mutex_unlock(&c->lock);
	/* Waits, which CUDA does not promise but allows. */
	e = cuda_context_result(c, sov_stream_destroy(s->sov));
	if (s->order_event)
		sov_event_destroy(s->order_event);
	if (thread_stream == s)
		thread_stream_context = 0;
	free(s->depends);
	free(s);
	return e;
}

API cuStreamDestroy(CUstream handle)
{
	return cuStreamDestroy_v2(handle);
}

static CUresult stream_sync(CUstream handle, uint64_t timeout)
{
	CUresult e;
	CUstream s = cuda_stream(handle, &e);

	if (!s)
		return e;
	if (s->capture)
		return cuda_capture_unsupported(s);
	e = cuda_stream_begin(s);
	return e ? e : cuda_context_result(s->context, sov_stream_wait(s->sov, timeout));
}

API cuStreamSynchronize(CUstream handle)
{
	return stream_sync(handle, SOV_FOREVER);
}

API cuStreamQuery(CUstream handle)
{
	return stream_sync(handle, SOV_NO_WAIT);
}

API cuStreamGetPriority(CUstream handle, int *priority)
{
	CUresult e;
	CUstream s = cuda_stream(handle, &e);

	if (!s || !priority)
		return s ? CUDA_ERROR_INVALID_VALUE : e;
	*priority = s->priority;
	return CUDA_SUCCESS;
}

API cuStreamGetFlags(CUstream handle, unsigned *flags)
{
	CUresult e;
	CUstream s = cuda_stream(handle, &e);

	if (!s || !flags)
		return s ? CUDA_ERROR_INVALID_VALUE : e;
	*flags = s->flags;
	return CUDA_SUCCESS;
}

API cuStreamGetId(CUstream handle, unsigned long long *id)
{
	CUresult e;
	CUstream s = cuda_stream(handle, &e);

	if (!s || !id)
		return s ? CUDA_ERROR_INVALID_VALUE : e;
	*id = s->id;
	return CUDA_SUCCESS;
}

API cuStreamGetCtx(CUstream handle, CUcontext *out)
{
	CUresult e;
	CUstream s = cuda_stream(handle, &e);

	if (!s || !out)
		return s ? CUDA_ERROR_INVALID_VALUE : e;
	*out = s->context;
	return CUDA_SUCCESS;
}

API cuStreamGetDevice(CUstream handle, CUdevice *out)
{
	CUresult e;
	CUstream s = cuda_stream(handle, &e);

	if (!s || !out)
		return s ? CUDA_ERROR_INVALID_VALUE : e;
	*out = s->context->ordinal;
	return CUDA_SUCCESS;
}

/* Attributes are hints, except the priority, which is fixed at creation. */
API cuStreamGetAttribute(CUstream handle, unsigned attribute, void *value)
{
	CUresult e;
	CUstream s = cuda_stream(handle, &e);

	if (!s || !value)
		return s ? CUDA_ERROR_INVALID_VALUE : e;
	memset(value, 0, 64);
	if (attribute == 8)
		memcpy(value, &s->priority, sizeof(s->priority));
	return CUDA_SUCCESS;
}

API cuStreamSetAttribute(CUstream handle, unsigned attribute, const void *value)
{
	CUresult e;
	CUstream s = cuda_stream(handle, &e);

	(void)attribute;
	if (!s || !value)
		return s ? CUDA_ERROR_INVALID_VALUE : e;
	return CUDA_SUCCESS;
}

API cuStreamCopyAttributes(CUstream to, CUstream from)
{
	CUresult e;

	return cuda_stream(to, &e) && cuda_stream(from, &e) ? CUDA_SUCCESS : e;
}

/* Managed memory is reachable from all streams anyway. */
API cuStreamAttachMemAsync(CUstream handle, CUdeviceptr address, size_t bytes, unsigned flags)
{
	CUresult e;

	(void)bytes, (void)flags;
	if (!cuda_stream(handle, &e))
		return e;
	return address ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* ---- host functions ---- */

API cuLaunchHostFunc(CUstream handle, CUhostFn function, void *user)
{
	CUresult e;
	CUstream s = cuda_stream(handle, &e);

	if (!s || !function)
		return s ? CUDA_ERROR_INVALID_VALUE : e;
	if (s->capture)
		return cuda_capture_host(s, function, user);
	e = cuda_stream_begin(s);
	if (!e)
		e = cuda_context_result(s->context,
					sov_stream_host_function(s->sov, function, user));
	cuda_stream_end(s);
	return e;
}

struct callback {
	void (*function)(CUstream stream, CUresult status, void *user);
	CUstream stream;
	void *user;
};

static void call_back(void *user)
{
	struct callback k = *(struct callback *)user;

	free(user);
	k.function(k.stream, CUDA_SUCCESS, k.user);
}

API cuStreamAddCallback(CUstream handle, void (*function)(CUstream, CUresult, void *), void *user,
			unsigned flags)
{
	struct callback *k;
	CUresult e;

	if (flags || !function)
		return CUDA_ERROR_INVALID_VALUE;
	k = malloc(sizeof(*k));
	if (!k)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*k = (struct callback){function, handle, user};
	e = cuLaunchHostFunc(handle, call_back, k);
	if (e)
		free(k);
	return e;
}
