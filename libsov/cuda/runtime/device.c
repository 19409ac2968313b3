// SPDX-License-Identifier: MIT
/* Devices of the runtime. Each thread has one, whose primary context becomes current when a call
 * needs a context. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libsov/cuda/runtime/device_properties.h"
#include "libsov/cuda/runtime/runtime.h"

#define MAX_DEVICES 64

static __thread int chosen = -1;
static CUcontext primaries[MAX_DEVICES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static CUresult make_current(int device)
{
	CUcontext c = NULL;
	CUresult e = cuInit(0);

	pthread_mutex_lock(&lock);
	if (!e && device >= 0 && device < MAX_DEVICES)
		c = primaries[device];
	if (!e && !c) {
		e = cuDevicePrimaryCtxRetain(&c, device);
		if (!e)
			primaries[device] = c;
	}
	pthread_mutex_unlock(&lock);
	return e ? e : cuCtxSetCurrent(c);
}

CUresult rt_ready(void)
{
	CUcontext c;

	cuCtxGetCurrent(&c);
	return c ? CUDA_SUCCESS : make_current(chosen < 0 ? 0 : chosen);
}

uint64_t rt_context_id(void)
{
	uint64_t id = 0;

	cuCtxGetId(NULL, &id);
	return id;
}

RT cudaSetDevice(int device)
{
	CUresult e = make_current(device);

	if (!e)
		chosen = device;
	return rt_return(e);
}

RT cudaInitDevice(int device, unsigned device_flags, unsigned flags)
{
	CUresult e = flags > 1 ? CUDA_ERROR_INVALID_VALUE : cuInit(0);

	if (!e && flags)
		e = cuDevicePrimaryCtxSetFlags_v2(device, device_flags);
	return rt_return(e ? e : make_current(device));
}

RT cudaGetDevice(int *device)
{
	CUdevice current;

	if (!device)
		return rt_return(CUDA_ERROR_INVALID_VALUE);
	*device = !cuCtxGetDevice(&current) ? current : chosen < 0 ? 0 : chosen;
	return CUDA_SUCCESS;
}

RT cudaGetDeviceCount(int *count)
{
	CUresult e = count ? cuInit(0) : CUDA_ERROR_INVALID_VALUE;

	if (count)
		*count = 0;
	return rt_return(e ? e : cuDeviceGetCount(count));
}

RT cudaDriverGetVersion(int *version)
{
	return rt_return(cuDriverGetVersion(version));
}

RT cudaRuntimeGetVersion(int *version)
{
	if (!version)
		return rt_return(CUDA_ERROR_INVALID_VALUE);
	*version = CUDART_MAJOR == 12 ? 12090 : 13000;
	return CUDA_SUCCESS;
}

RT cudaDeviceSynchronize(void)
{
	CALL(cuCtxSynchronize());
}

/* Of CUDA 12. */
RT cudaThreadSynchronize(void)
{
	return cudaDeviceSynchronize();
}

RT cudaDeviceReset(void)
{
	CUdevice device;
	CUresult e = rt_ready();

	if (!e)
		e = cuCtxGetDevice(&device);
	return rt_return(e ? e : cuDevicePrimaryCtxReset_v2(device));
}

RT cudaThreadExit(void)
{
	return cudaDeviceReset();
}

RT cudaDeviceSetLimit(unsigned limit, size_t value)
{
	CALL(cuCtxSetLimit((CUlimit)limit, value));
}

RT cudaDeviceGetLimit(size_t *value, unsigned limit)
{
	CALL(cuCtxGetLimit(value, (CUlimit)limit));
}

RT cudaDeviceGetCacheConfig(unsigned *config)
{
	CALL(cuCtxGetCacheConfig(config));
}

RT cudaDeviceSetCacheConfig(unsigned config)
{
	CALL(cuCtxSetCacheConfig(config));
}

RT cudaDeviceGetSharedMemConfig(unsigned *config)
{
	CALL(cuCtxGetSharedMemConfig(config));
}

RT cudaDeviceSetSharedMemConfig(unsigned config)
{
	CALL(cuCtxSetSharedMemConfig(config));
}

RT cudaCtxResetPersistingL2Cache(void)
{
	CALL(cuCtxResetPersistingL2Cache());
}

RT cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
	CALL(cuCtxGetStreamPriorityRange(least, greatest));
}

RT cudaGetDeviceFlags(unsigned *flags)
{
	CALL(cuCtxGetFlags(flags));
}

RT cudaSetDeviceFlags(unsigned flags)
{
	CUresult e = cuInit(0);

	return rt_return(e ? e : cuDevicePrimaryCtxSetFlags_v2(chosen < 0 ? 0 : chosen, flags));
}

RT cudaSetValidDevices(int *devices, int count)
{
	return rt_return(count && !devices ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS);
}

RT cudaDeviceGetAttribute(int *value, int attribute, int device)
{
	CUresult e = cuInit(0);

	return rt_return(e ? e : cuDeviceGetAttribute(value, attribute, device));
}

RT cudaDeviceGetPCIBusId(char *text, int bytes, int device)
{
	CUresult e = cuInit(0);

	return rt_return(e ? e : cuDeviceGetPCIBusId(text, bytes, device));
}

RT cudaDeviceGetByPCIBusId(int *device, const char *text)
{
	CUresult e = cuInit(0);

	return rt_return(e ? e : cuDeviceGetByPCIBusId(device, text));
}

RT cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
	CUresult e = cuInit(0);

	return rt_return(e ? e : cuDeviceCanAccessPeer(can, device, peer));
}

RT cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
	(void)peer, (void)flags;
	return rt_return(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
}

RT cudaDeviceDisablePeerAccess(int peer)
{
	(void)peer;
	return rt_return(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
}

RT cudaDeviceGetP2PAttribute(int *value, unsigned attribute, int device, int peer)
{
	CUresult e = cuInit(0);

	return rt_return(e ? e : cuDeviceGetP2PAttribute(value, (int)attribute, device, peer));
}

RT cudaDeviceGetTexture1DLinearMaxWidth(size_t *elements, const cudaChannelFormatDesc *d,
					int device)
{
	CUresult e = d ? cuInit(0) : CUDA_ERROR_INVALID_VALUE;

	return rt_return(
		e ? e
		  : cuDeviceGetTexture1DLinearMaxWidth(elements, CU_AD_FORMAT_FLOAT, 1, device));
}

/* ---- properties ---- */

#define MEMBER(type, name, count, a, b, c) type name[count];
#define NONE(type, name, count, a, b, c)
struct properties_12 {
	DEVICE_PROPERTIES(MEMBER, MEMBER, NONE)
};
struct properties_13 {
	DEVICE_PROPERTIES(MEMBER, NONE, MEMBER)
};
#if CUDART_MAJOR == 12
typedef struct properties_12 properties;
#define OLD(type, name, count, a, b, c) ROW(type, name, count, a, b, c)
#define NEW(type, name, count, a, b, c)
#else
typedef struct properties_13 properties;
#define OLD(type, name, count, a, b, c)
#define NEW(type, name, count, a, b, c) ROW(type, name, count, a, b, c)
#endif
#define ROW(type, name, count, a, b, c) {offsetof(properties, name), sizeof(type), {a, b, c}},

static const struct {
	size_t offset;
	size_t bytes;
	int attributes[3];
} rows[] = {DEVICE_PROPERTIES(ROW, OLD, NEW)};

static CUresult fill(properties *p, int device)
{
	CUresult e = CUDA_SUCCESS;
	int value;

	for (size_t k = 0; !e && k < sizeof(rows) / sizeof(rows[0]); k++)
		for (unsigned i = 0; !e && i < 3 && rows[k].attributes[i] > 0; i++) {
			char *at = (char *)p + rows[k].offset + i * rows[k].bytes;

			e = cuDeviceGetAttribute(&value, rows[k].attributes[i], device);
			if (rows[k].bytes == sizeof(size_t))
				*(size_t *)(void *)at = (size_t)value;
			else
				*(int *)(void *)at = value;
		}
	if (!e)
		e = cuDeviceGetName(p->name, sizeof(p->name), device);
	if (!e)
		e = cuDeviceGetUuid_v2((CUuuid *)(void *)p->uuid, device);
	return e ? e : cuDeviceTotalMem_v2(p->totalGlobalMem, device);
}

RT cudaGetDeviceProperties(properties *p, int device)
{
	CUresult e = p ? cuInit(0) : CUDA_ERROR_INVALID_VALUE;

	if (e)
		return rt_return(e);
	memset(p, 0, sizeof(*p));
	return rt_return(fill(p, device));
}

/* The name by which programs of CUDA 12 call it; there the old name has a shorter structure. */
RT cudaGetDeviceProperties_v2(properties *p, int device)
{
	return cudaGetDeviceProperties(p, device);
}

RT cudaChooseDevice(int *device, const properties *wanted)
{
	if (!device || !wanted)
		return rt_return(CUDA_ERROR_INVALID_VALUE);
	*device = 0;
	return CUDA_SUCCESS;
}

/* ---- the driver's own calls, profiling ---- */

RT cudaGetDriverEntryPointByVersion(const char *name, void **out, unsigned version, uint64_t flags,
				    unsigned *status)
{
	unsigned found;
	CUresult e;

	if (!name || !out)
		return rt_return(CUDA_ERROR_INVALID_VALUE);
	e = cuGetProcAddress_v2(name, out, (int)version, flags, status ? status : &found);
	return rt_return(status && e == CUDA_ERROR_NOT_FOUND ? CUDA_SUCCESS : e);
}

RT cudaGetDriverEntryPoint(const char *name, void **out, uint64_t flags, unsigned *status)
{
	return cudaGetDriverEntryPointByVersion(name, out, CUDART_MAJOR * 1000, flags, status);
}

RT cudaProfilerStart(void)
{
	return CUDA_SUCCESS;
}

RT cudaProfilerStop(void)
{
	return CUDA_SUCCESS;
}
