// SPDX-License-Identifier: MIT
/*
 * Memory of other processes. CUDA's handle is that of sov.h: both have 64 bytes. A handle that is
 * opened again in a context gives the same address, which is closed as often as it was opened.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/cuda/driver/driver.h"

struct opened {
	CUcontext context;
	CUipcMemHandle handle;
	CUdeviceptr address;
	unsigned count;
	struct opened *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct opened *all;

_Static_assert(sizeof(CUipcMemHandle) == sizeof(sov_memory_handle), "a handle holds that of sov.h");

CUresult cuda_ipc_result(CUcontext c, sov_result r)
{
	switch (r) {
	case SOV_ERROR_INVALID_ARGUMENT:
		return CUDA_ERROR_INVALID_CONTEXT; /* of this process */
	case SOV_ERROR_INVALID_HANDLE:
		return CUDA_ERROR_INVALID_HANDLE;
	case SOV_ERROR_NOT_FOUND:
		return CUDA_ERROR_MAP_FAILED;
	default:
		return cuda_context_result(c, r);
	}
}

API cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr address)
{
	struct memory_range range;
	sov_memory_handle h;
	CUresult e;

	if (!handle || !cuda_memory_find(address, &range) || range.kind != MEMORY_DEVICE)
		return CUDA_ERROR_INVALID_VALUE;
	e = cuda_context_result(range.context,
				sov_memory_export(range.context->sov, range.address, &h));
	if (!e)
		memcpy(handle, &h, sizeof(h));
	return e;
}

/* With the lock held. */
static struct opened *find(CUcontext c, const CUipcMemHandle *handle)
{
	struct opened *o = all;

	while (o && (o->context != c || memcmp(&o->handle, handle, sizeof(*handle))))
		o = o->next;
	return o;
}

static CUresult open_new(CUcontext c, const CUipcMemHandle *handle, struct opened **out)
{
	struct opened *o = calloc(1, sizeof(*o));
	sov_memory_handle h;
	uint64_t bytes;
	CUresult e;

	if (!o)
		return CUDA_ERROR_OUT_OF_MEMORY;
	memcpy(&h, handle, sizeof(h));
	*o = (struct opened){.context = c, .handle = *handle};
	e = cuda_ipc_result(c, sov_memory_import(c->sov, &h, &o->address, &bytes));
	if (!e) {
		e = cuda_memory_add(
			&(struct memory_range){o->address, bytes, c, MEMORY_IPC, 0, NULL});
		if (e)
			sov_memory_free(c->sov, o->address);
	}
	if (e) {
		free(o);
		return e;
	}
	o->next = all;
	all = o;
	*out = o;
	return CUDA_SUCCESS;
}

API cuIpcOpenMemHandle_v2(CUdeviceptr *out, CUipcMemHandle handle, unsigned flags)
{
	CUresult e;
	CUcontext c = cuda_context(&e);
	struct opened *o;

	if (!c)
		return e;
	if (!out || flags != CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS)
		return CUDA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&lock);
	o = find(c, &handle);
	if (!o)
		e = open_new(c, &handle, &o);
	if (!e) {
		o->count++;
		*out = o->address;
	}
	pthread_mutex_unlock(&lock);
	return e;
}

API cuIpcOpenMemHandle(CUdeviceptr *out, CUipcMemHandle handle, unsigned flags)
{
	return cuIpcOpenMemHandle_v2(out, handle, flags);
}

/* Removes what the last of its openings closes; NULL after *e otherwise. With the lock held. */
static struct opened *take(CUdeviceptr address, CUresult *e)
{
	struct opened **p = &all, *o;

	while (*p && (*p)->address != address)
		p = &(*p)->next;
	o = *p;
	*e = o ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
	if (!o || --o->count)
		return NULL;
	*p = o->next;
	return o;
}

API cuIpcCloseMemHandle(CUdeviceptr address)
{
	struct memory_range range;
	struct opened *o;
	CUresult e;

	pthread_mutex_lock(&lock);
	o = take(address, &e);
	pthread_mutex_unlock(&lock);
	if (!o)
		return e;
	cuda_memory_take(address, &range);
	e = cuda_context_result(o->context, sov_memory_free(o->context->sov, address));
	free(o);
	return e;
}

void cuda_ipc_forget(CUcontext c)
{
	struct opened **p = &all;

	pthread_mutex_lock(&lock);
	while (*p) {
		struct opened *o = *p;

		if (o->context == c) {
			*p = o->next;
			free(o);
		} else {
			p = &o->next;
		}
	}
	pthread_mutex_unlock(&lock);
}
