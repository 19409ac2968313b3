// SPDX-License-Identifier: MIT
/*
 * Allocations: device, pitched, host, registered and managed memory, and questions about addresses.
 * Managed memory is pinned host memory, which kernels and the host reach at one address at any
 * time;
 * it never moves to the device.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/cuda/driver/driver.h"

#define PITCH 512u /* bytes: alignment of rows, as of textures */

static CUresult remember(CUcontext c, uint64_t address, uint64_t bytes, enum memory_kind kind,
			 unsigned flags)
{
	struct memory_range range = {address, bytes, c, kind, flags, NULL};

	return cuda_memory_add(&range);
}

API cuMemAlloc_v2(CUdeviceptr *out, size_t bytes)
{
	CUresult e;
	CUcontext c = cuda_context(&e);
	sov_ptr address;

	if (!c)
		return e;
	if (!out || !bytes)
		return CUDA_ERROR_INVALID_VALUE;
	e = cuda_context_result(c, sov_memory_alloc(c->sov, bytes, &address));
	if (!e)
		e = remember(c, address, bytes, MEMORY_DEVICE, 0);
	if (!e)
		*out = address;
	return e;
}

API cuMemAllocPitch_v2(CUdeviceptr *out, size_t *pitch, size_t width, size_t height,
		       unsigned element)
{
	if (!out || !pitch || !width || !height || width > SIZE_MAX - PITCH)
		return CUDA_ERROR_INVALID_VALUE;
	if (element != 4 && element != 8 && element != 16)
		return CUDA_ERROR_INVALID_VALUE;
	*pitch = (width + PITCH - 1) / PITCH * PITCH;
	if (height > SIZE_MAX / *pitch)
		return CUDA_ERROR_OUT_OF_MEMORY;
	return cuMemAlloc_v2(out, *pitch * height);
}

static CUresult range_free(const struct memory_range *range)
{
	sov_context c = range->context->sov;

	switch (range->kind) {
	case MEMORY_DEVICE:
	case MEMORY_POOL:
	case MEMORY_IPC:
		return cuda_context_result(range->context, sov_memory_free(c, range->address));
	case MEMORY_HOST:
	case MEMORY_MANAGED:
		return cuda_context_result(range->context,
					   sov_host_free(c, (void *)(uintptr_t)range->address));
	default:
		return cuda_context_result(
			range->context, sov_host_unregister(c, (void *)(uintptr_t)range->address));
	}
}

/* Frees memory of one of the kinds, whose bits are in kinds. */
static CUresult free_kinds(uint64_t address, unsigned kinds)
{
	struct memory_range range;

	if (!cuda_memory_find(address, &range) || range.address != address ||
	    !(kinds & 1u << range.kind) || !cuda_memory_take(address, &range))
		return CUDA_ERROR_INVALID_VALUE;
	return range_free(&range);
}

API cuMemFree_v2(CUdeviceptr address)
{
	CUresult e;

	if (!address)
		return CUDA_SUCCESS;
	if (!cuda_context(&e))
		return e;
	return free_kinds(address, 1u << MEMORY_DEVICE | 1u << MEMORY_MANAGED | 1u << MEMORY_POOL);
}

/* ---- host memory ---- */

static CUresult host_alloc(void **out, size_t bytes, enum memory_kind kind, unsigned flags)
{
	CUresult e;
	CUcontext c = cuda_context(&e);

	if (!c)
		return e;
	if (!out || !bytes)
		return CUDA_ERROR_INVALID_VALUE;
	e = cuda_context_result(c, sov_host_alloc(c->sov, bytes, out));
	return e ? e : remember(c, (uintptr_t)*out, bytes, kind, flags);
}

API cuMemHostAlloc(void **out, size_t bytes, unsigned flags)
{
	if (flags & ~7u)
		return CUDA_ERROR_INVALID_VALUE;
	return host_alloc(out, bytes, MEMORY_HOST, flags);
}

API cuMemAllocHost_v2(void **out, size_t bytes)
{
	return host_alloc(out, bytes, MEMORY_HOST, CU_MEMHOSTALLOC_DEVICEMAP);
}

API cuMemFreeHost(void *pointer)
{
	CUresult e;

	if (!pointer)
		return CUDA_SUCCESS;
	if (!cuda_context(&e))
		return e;
	return free_kinds((uintptr_t)pointer, 1u << MEMORY_HOST);
}

API cuMemHostRegister_v2(void *pointer, size_t bytes, unsigned flags)
{
	struct memory_range range;
	CUresult e;
	CUcontext c = cuda_context(&e);

	if (!c)
		return e;
	if (!pointer || !bytes || flags & ~15u)
		return CUDA_ERROR_INVALID_VALUE;
	if (cuda_memory_find((uintptr_t)pointer, &range) ||
	    cuda_memory_find((uintptr_t)pointer + bytes - 1, &range))
		return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
	e = cuda_context_result(c, sov_host_register(c->sov, pointer, bytes));
	return e ? e : remember(c, (uintptr_t)pointer, bytes, MEMORY_REGISTERED, flags);
}

API cuMemHostUnregister(void *pointer)
{
	CUresult e;

	if (!cuda_context(&e))
		return e;
	e = free_kinds((uintptr_t)pointer, 1u << MEMORY_REGISTERED);
	return e == CUDA_ERROR_INVALID_VALUE ? CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED : e;
}

API cuMemHostGetDevicePointer_v2(CUdeviceptr *out, void *pointer, unsigned flags)
{
	struct memory_range range;

	if (!out || flags || !cuda_memory_find((uintptr_t)pointer, &range) ||
	    range.kind == MEMORY_DEVICE || range.kind == MEMORY_POOL || range.kind == MEMORY_IPC)
		return CUDA_ERROR_INVALID_VALUE;
	*out = (uintptr_t)pointer;
	return CUDA_SUCCESS;
}

API cuMemHostGetFlags(unsigned *flags, void *pointer)
{
	struct memory_range range;

	if (!flags || !cuda_memory_find((uintptr_t)pointer, &range) ||
	    (range.kind != MEMORY_HOST && range.kind != MEMORY_REGISTERED))
		return CUDA_ERROR_INVALID_VALUE;
	/* Mapped always: addresses are unified. */
	*flags = range.flags | CU_MEMHOSTALLOC_DEVICEMAP;
	return CUDA_SUCCESS;
}

/* ---- managed memory ---- */

API cuMemAllocManaged(CUdeviceptr *out, size_t bytes, unsigned flags)
{
	void *pointer = NULL;
	CUresult e;

	if (!out || (flags != 1 && flags != 2 && flags != 4))
		return CUDA_ERROR_INVALID_VALUE;
	e = host_alloc(&pointer, bytes, MEMORY_MANAGED, flags);
	if (!e)
		*out = (uintptr_t)pointer;
	return e;
}

/* Advice and prefetches are hints about memory that does not move. */
static CUresult check_managed(CUdeviceptr address, size_t bytes)
{
	struct memory_range range;

	if (!bytes || !cuda_memory_find(address, &range))
		return CUDA_ERROR_INVALID_VALUE;
	return (range.kind == MEMORY_MANAGED || range.kind == MEMORY_VARIABLE) &&
			       bytes <= range.bytes - (address - range.address)
		       ? CUDA_SUCCESS
		       : CUDA_ERROR_INVALID_VALUE;
}

API cuMemAdvise(CUdeviceptr address, size_t bytes, unsigned advice, CUdevice device)
{
	(void)device;
	return !advice || advice > 6 ? CUDA_ERROR_INVALID_VALUE : check_managed(address, bytes);
}

API cuMemAdvise_v2(CUdeviceptr address, size_t bytes, unsigned advice, CUmemLocation location)
{
	(void)location;
	return !advice || advice > 6 ? CUDA_ERROR_INVALID_VALUE : check_managed(address, bytes);
}

API cuMemPrefetchAsync(CUdeviceptr address, size_t bytes, CUdevice device, CUstream stream)
{
	CUresult e;

	(void)device;
	return cuda_stream(stream, &e) ? check_managed(address, bytes) : e;
}

API cuMemPrefetchAsync_v2(CUdeviceptr address, size_t bytes, CUmemLocation location, unsigned flags,
			  CUstream stream)
{
	CUresult e;

	(void)location;
	if (flags)
		return CUDA_ERROR_INVALID_VALUE;
	return cuda_stream(stream, &e) ? check_managed(address, bytes) : e;
}

API cuMemRangeGetAttribute(void *data, size_t bytes, unsigned attribute, CUdeviceptr address,
			   size_t count)
{
	int value = attribute == 1 ? 0 : -2; /* not read-mostly; no preferred location */

	if (!data || bytes < sizeof(value) || !attribute || attribute > 8)
		return CUDA_ERROR_INVALID_VALUE;
	for (size_t k = 0; k + sizeof(value) <= bytes; k += sizeof(value))
		memcpy((char *)data + k, &value, sizeof(value));
	return check_managed(address, count);
}

API cuMemRangeGetAttributes(void **data, size_t *bytes, unsigned *attributes, size_t count,
			    CUdeviceptr address, size_t range)
{
	CUresult e = data && bytes && attributes ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;

	for (size_t k = 0; !e && k < count; k++)
		e = cuMemRangeGetAttribute(data[k], bytes[k], attributes[k], address, range);
	return e;
}

/* ---- questions ---- */

API cuMemGetInfo_v2(size_t *free_bytes, size_t *total)
{
	CUresult e;
	CUcontext c = cuda_context(&e);
	uint64_t f = 0, t = 0;

	if (!c)
		return e;
	e = cuda_context_result(c, sov_memory_info(c->sov, &f, &t));
	if (free_bytes)
		*free_bytes = f;
	if (total)
		*total = t;
	return e;
}

API cuMemGetAddressRange_v2(CUdeviceptr *start, size_t *bytes, CUdeviceptr address)
{
	struct memory_range range;
	uint64_t n = 0;
	sov_ptr base = 0;
	CUresult e;
	CUcontext c = cuda_context(&e);

	if (!c)
		return e;
	if (cuda_memory_find(address, &range)) {
		base = range.address;
		n = range.bytes;
	} else if (sov_memory_range(c->sov, address, &base, &n)) {
		return CUDA_ERROR_NOT_FOUND;
	}
	if (start)
		*start = base;
	if (bytes)
		*bytes = n;
	return CUDA_SUCCESS;
}

/* What an address is: registered memory, else device memory of the current context (variables). */
static bool describe(CUdeviceptr address, struct memory_range *out)
{
	CUcontext c = cuda_context_peek();
	sov_ptr base;
	uint64_t n;

	if (cuda_memory_find(address, out))
		return true;
	if (!c || !c->sov || sov_memory_range(c->sov, address, &base, &n))
		return false;
	*out = (struct memory_range){base, n, c, MEMORY_DEVICE, 0, NULL};
	return true;
}

static CUresult pointer_attribute(void *data, unsigned attribute, CUdeviceptr address)
{
	struct memory_range m;
	bool host;

	if (!describe(address, &m))
		return CUDA_ERROR_INVALID_VALUE;
	host = m.kind == MEMORY_HOST || m.kind == MEMORY_REGISTERED;
	switch (attribute) {
	case 1:
		*(CUcontext *)data = m.context;
		break;
	case 2:
		*(unsigned *)data = host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
		break;
	case 3:
		*(CUdeviceptr *)data = address;
		break;
	case 4:
		if (!host && m.kind != MEMORY_MANAGED && m.kind != MEMORY_VARIABLE)
			return CUDA_ERROR_INVALID_VALUE;
		*(CUdeviceptr *)data = address;
		break;
	case 6:
		*(int *)data = 1; /* synchronous copies are synchronous */
		break;
	case 7:
		*(uint64_t *)data = m.address >> 8;
		break;
	case 8:
		*(int *)data = m.kind == MEMORY_MANAGED || m.kind == MEMORY_VARIABLE;
		break;
	case 9:
		*(int *)data = m.context->ordinal;
		break;
	case 11:
	case 19:
		*(CUdeviceptr *)data = m.address;
		break;
	case 12:
	case 18:
		*(size_t *)data = m.bytes;
		break;
	case 10:
	case 15:
	case 21:
		*(int *)data = 0;
		break;
	case 13:
		*(int *)data = 1;
		break;
	case 14:
		*(uint64_t *)data = 0;
		break;
	case 16:
		*(unsigned *)data = 3; /* read and write */
		break;
	case 17:
		*(CUmemoryPool *)data = NULL;
		break;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
	return CUDA_SUCCESS;
}

API cuPointerGetAttribute(void *data, unsigned attribute, CUdeviceptr address)
{
	return data ? pointer_attribute(data, attribute, address) : CUDA_ERROR_INVALID_VALUE;
}

/* Attributes that an address does not have read as zero. */
API cuPointerGetAttributes(unsigned count, unsigned *attributes, void **data, CUdeviceptr address)
{
	static const unsigned char bytes[22] = {0, 8, 4, 8, 8, 0, 4, 8, 4, 4, 4,
						8, 8, 4, 8, 4, 4, 8, 8, 8, 8, 4};

	if (!count || !attributes || !data)
		return CUDA_ERROR_INVALID_VALUE;
	for (unsigned k = 0; k < count; k++) {
		if (attributes[k] >= sizeof(bytes) || !data[k])
			return CUDA_ERROR_INVALID_VALUE;
		memset(data[k], 0, bytes[attributes[k]]);
		if (attributes[k] == 9)
			*(int *)data[k] = -2;
		pointer_attribute(data[k], attributes[k], address);
	}
	return CUDA_SUCCESS;
}

API cuPointerSetAttribute(const void *value, unsigned attribute, CUdeviceptr address)
{
	struct memory_range m;

	if (!value || attribute != 6)
		return CUDA_ERROR_INVALID_VALUE;
	return describe(address, &m) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
