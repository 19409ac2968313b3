// SPDX-License-Identifier: MIT
/*
 * Virtual memory management. sov.h reserves address space whose memory grows from its start, so
 * ranges are mapped in order from the start of a reservation, and unmapped as a whole; a mapping
 * cannot be in two places. That is how programs let an allocation grow.
 */
#include <stdlib.h>
#include "libsov/cuda/driver/driver.h"

#define GRANULARITY (UINT64_C(2) << 20)

struct physical {
	uint64_t bytes;
	CUmemAllocationProp properties;
	unsigned references;
};

struct reservation {
	CUdeviceptr address;
	uint64_t bytes, mapped;
	CUcontext context;
	struct reservation *next;
};
static struct reservation *reservations;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct reservation *find(CUdeviceptr address)
{
	struct reservation *r = reservations;

	while (r && address - r->address >= r->bytes)
		r = r->next;
	return r;
}

API cuMemGetAllocationGranularity(size_t *bytes, const CUmemAllocationProp *p, unsigned option)
{
	if (!bytes || !p || option > 1)
		return CUDA_ERROR_INVALID_VALUE;
	*bytes = GRANULARITY;
	return CUDA_SUCCESS;
}

API cuMemAddressReserve(CUdeviceptr *out, size_t bytes, size_t alignment, CUdeviceptr wanted,
			unsigned long long flags)
{
	CUresult e;
	CUcontext c = cuda_context(&e);
	struct reservation *r;
	sov_ptr address;

	if (!c)
		return e;
	if (!out || !bytes || bytes % GRANULARITY || flags)
		return CUDA_ERROR_INVALID_VALUE;
	(void)wanted; /* a hint */
	e = cuda_context_result(c, sov_memory_reserve(c->sov, bytes, &address));
	if (e)
		return e;
	r = calloc(1, sizeof(*r));
	if (!r || (alignment && address % alignment)) {
		free(r);
		sov_memory_free(c->sov, address);
		return r ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_OUT_OF_MEMORY;
	}
	*r = (struct reservation){address, bytes, 0, c, NULL};
	pthread_mutex_lock(&lock);
	r->next = reservations;
	reservations = r;
	pthread_mutex_unlock(&lock);
	*out = address;
	return CUDA_SUCCESS;
}

API cuMemAddressFree(CUdeviceptr address, size_t bytes)
{
	struct reservation **link, *r;
	CUresult e;

	pthread_mutex_lock(&lock);
	for (link = &reservations; *link && (*link)->address != address;)
		link = &(*link)->next;
	r = *link;
	if (r && r->bytes == bytes && !r->mapped)
		*link = r->next;
	else
		r = NULL;
	pthread_mutex_unlock(&lock);
	if (!r)
		return CUDA_ERROR_INVALID_VALUE;
	e = cuda_context_result(r->context, sov_memory_free(r->context->sov, address));
	free(r);
	return e;
}

API cuMemCreate(struct physical **out, size_t bytes, const CUmemAllocationProp *p,
		unsigned long long flags)
{
	CUresult e;

	if (!out || !p || !bytes || bytes % GRANULARITY || flags || p->type != 1)
		return CUDA_ERROR_INVALID_VALUE;
	if (p->location.type != 1)
		return cuda_missing("cuMemCreate", "memory of the host");
	if (!cuda_device_get(p->location.id, &e))
		return e;
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return CUDA_ERROR_OUT_OF_MEMORY;
	**out = (struct physical){bytes, *p, 1};
	return CUDA_SUCCESS;
}

static void physical_put(struct physical *p)
{
	if (__atomic_sub_fetch(&p->references, 1, __ATOMIC_ACQ_REL) == 0)
		free(p);
}

API cuMemRelease(struct physical *p)
{
	if (!p)
		return CUDA_ERROR_INVALID_VALUE;
	physical_put(p);
	return CUDA_SUCCESS;
}

API cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *out, struct physical *p)
{
	if (!out || !p)
		return CUDA_ERROR_INVALID_VALUE;
	*out = p->properties;
	return CUDA_SUCCESS;
}

API cuMemMap(CUdeviceptr address, size_t bytes, size_t offset, struct physical *p,
	     unsigned long long flags)
{
	struct memory_range range;
	struct reservation *r;
	CUresult e = CUDA_SUCCESS;

	if (!p || offset || flags || bytes != p->bytes)
		return CUDA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&lock);
	r = find(address);
	if (!r || bytes > r->bytes - (address - r->address))
		e = CUDA_ERROR_INVALID_VALUE;
	else if (address != r->address + r->mapped)
		e = cuda_missing("cuMemMap", "a mapping that does not follow the previous one");
	if (!e)
		e = cuda_context_result(r->context, sov_memory_resize(r->context->sov, r->address,
								      r->mapped + bytes));
	if (!e) {
		r->mapped += bytes;
		range = (struct memory_range){address, bytes, r->context, MEMORY_DEVICE, 0, NULL};
		e = cuda_memory_add(&range);
	}
	pthread_mutex_unlock(&lock);
	return e;
}

/* The whole mapping at once, or its last part. */
API cuMemUnmap(CUdeviceptr address, size_t bytes)
{
	struct memory_range range;
	struct reservation *r;
	CUresult e = CUDA_SUCCESS;

	pthread_mutex_lock(&lock);
	r = find(address);
	if (!r || address + bytes < address || address + bytes > r->address + r->mapped)
		e = CUDA_ERROR_INVALID_VALUE;
	else if (address + bytes != r->address + r->mapped)
		e = cuda_missing("cuMemUnmap", "a mapping before others");
	if (!e)
		e = cuda_context_result(r->context, sov_memory_resize(r->context->sov, r->address,
								      address - r->address));
	if (!e) {
		r->mapped = address - r->address;
		for (CUdeviceptr at = address; at < address + bytes; at += range.bytes)
			if (!cuda_memory_take(at, &range))
				break;
	}
	pthread_mutex_unlock(&lock);
	return e;
}

API cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc *access, size_t count)
{
	struct reservation *r;
	CUresult e = CUDA_SUCCESS;

	pthread_mutex_lock(&lock);
	r = find(address);
	if (!r || !access || bytes > r->mapped)
		e = CUDA_ERROR_INVALID_VALUE;
	/* Peers cannot reach it; read-only access is not enforced. */
	for (size_t k = 0; !e && k < count; k++)
		if (access[k].location.id != r->context->ordinal && access[k].flags)
			e = CUDA_ERROR_INVALID_DEVICE;
	pthread_mutex_unlock(&lock);
	return e;
}

API cuMemGetAccess(unsigned long long *flags, const CUmemLocation *where, CUdeviceptr address)
{
	struct reservation *r;

	if (!flags || !where)
		return CUDA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&lock);
	r = find(address);
	*flags = r && where->type == 1 && where->id == r->context->ordinal ? 3 : 0;
	pthread_mutex_unlock(&lock);
	return r ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
