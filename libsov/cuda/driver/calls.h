/* SPDX-License-Identifier: MIT */
/* The driver's entry points that are implemented. The runtime makes no other calls. */
#ifndef SOV_CUDA_CALLS_H
#define SOV_CUDA_CALLS_H

#include "libsov/cuda/abi.h"

struct cuda_legacy_properties;

CUresult cuCtxAttach(CUcontext *out, unsigned flags);
CUresult cuCtxCreate(CUcontext *out, unsigned flags, CUdevice device);
CUresult cuCtxCreate_v2(CUcontext *out, unsigned flags, CUdevice device);
CUresult cuCtxCreate_v3(CUcontext *out, const void *affinity, int count, unsigned flags,
			CUdevice device);
CUresult cuCtxCreate_v4(CUcontext *out, void *const *parameters, unsigned flags, CUdevice device);
CUresult cuCtxDestroy(CUcontext c);
CUresult cuCtxDestroy_v2(CUcontext c);
CUresult cuCtxDetach(CUcontext c);
CUresult cuCtxDisablePeerAccess(CUcontext peer);
CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags);
CUresult cuCtxGetApiVersion(CUcontext c, unsigned *version);
CUresult cuCtxGetCacheConfig(unsigned *config);
CUresult cuCtxGetCurrent(CUcontext *out);
CUresult cuCtxGetDevice(CUdevice *out);
CUresult cuCtxGetDevice_v2(CUdevice *out, CUcontext c);
CUresult cuCtxGetFlags(unsigned *flags);
CUresult cuCtxGetId(CUcontext c, uint64_t *id);
CUresult cuCtxGetLimit(size_t *value, CUlimit limit);
CUresult cuCtxGetSharedMemConfig(unsigned *config);
CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest);
CUresult cuCtxPopCurrent(CUcontext *out);
CUresult cuCtxPopCurrent_v2(CUcontext *out);
CUresult cuCtxPushCurrent(CUcontext c);
CUresult cuCtxPushCurrent_v2(CUcontext c);
CUresult cuCtxResetPersistingL2Cache(void);
CUresult cuCtxSetCacheConfig(unsigned config);
CUresult cuCtxSetCurrent(CUcontext c);
CUresult cuCtxSetFlags(unsigned flags);
CUresult cuCtxSetLimit(CUlimit limit, size_t value);
CUresult cuCtxSetSharedMemConfig(unsigned config);
CUresult cuCtxSynchronize(void);
CUresult cuCtxSynchronize_v2(CUcontext c);
CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer);
CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device);
CUresult cuDeviceGet(CUdevice *out, int ordinal);
CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device);
CUresult cuDeviceGetByPCIBusId(CUdevice *out, const char *text);
CUresult cuDeviceGetCount(int *count);
CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *out, CUdevice device);
CUresult cuDeviceGetExecAffinitySupport(int *support, unsigned type, CUdevice device);
CUresult cuDeviceGetLuid(char *luid, unsigned *mask, CUdevice device);
CUresult cuDeviceGetMemPool(CUmemoryPool *out, CUdevice device);
CUresult cuDeviceGetName(char *name, int bytes, CUdevice device);
CUresult cuDeviceGetP2PAttribute(int *value, int attribute, CUdevice device, CUdevice peer);
CUresult cuDeviceGetPCIBusId(char *text, int bytes, CUdevice device);
CUresult cuDeviceGetProperties(struct cuda_legacy_properties *out, CUdevice device);
CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t *elements, CUarray_format format,
					    unsigned channels, CUdevice device);
CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device);
CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device);
CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active);
CUresult cuDevicePrimaryCtxRelease(CUdevice device);
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device);
CUresult cuDevicePrimaryCtxReset(CUdevice device);
CUresult cuDevicePrimaryCtxReset_v2(CUdevice device);
CUresult cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice device);
CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags);
CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags);
CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool);
CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device);
CUresult cuDriverGetVersion(int *version);
CUresult cuEventCreate(CUevent *out, unsigned flags);
CUresult cuEventDestroy(CUevent event);
CUresult cuEventDestroy_v2(CUevent event);
CUresult cuEventElapsedTime(float *milliseconds, CUevent from, CUevent to);
CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent from, CUevent to);
CUresult cuEventQuery(CUevent event);
CUresult cuEventRecord(CUevent event, CUstream handle);
CUresult cuEventRecordWithFlags(CUevent event, CUstream handle, unsigned flags);
CUresult cuEventSynchronize(CUevent event);
CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction handle);
CUresult cuFuncGetModule(CUmodule *out, CUfunction handle);
CUresult cuFuncGetName(const char **name, CUfunction handle);
CUresult cuFuncGetParamInfo(CUfunction handle, size_t index, size_t *offset, size_t *bytes);
CUresult cuFuncIsLoaded(int *state, CUfunction handle);
CUresult cuFuncLoad(CUfunction handle);
CUresult cuFuncSetAttribute(CUfunction handle, CUfunction_attribute attribute, int value);
CUresult cuFuncSetBlockShape(CUfunction f, int x, int y, int z);
CUresult cuFuncSetCacheConfig(CUfunction handle, unsigned config);
CUresult cuFuncSetSharedMemConfig(CUfunction handle, unsigned config);
CUresult cuGetErrorName(CUresult error, const char **name);
CUresult cuGetErrorString(CUresult error, const char **text);
CUresult cuGetExportTable(const void **table, const CUuuid *id);
CUresult cuGetProcAddress(const char *name, void **out, int version, uint64_t flags);
CUresult cuGetProcAddress_v2(const char *name, void **out, int version, uint64_t flags,
			     unsigned *status);
CUresult cuInit(unsigned flags);
CUresult cuKernelGetFunction(CUfunction *out, CUkernel k);
CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
				   unsigned by, unsigned bz, unsigned shared, CUstream stream,
				   void **arguments);
CUresult cuLaunchHostFunc(CUstream handle, CUhostFn function, void *user);
CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
			unsigned by, unsigned bz, unsigned shared, CUstream stream,
			void **arguments, void **extra);
CUresult cuLaunchKernelEx(const CUlaunchConfig *c, CUfunction f, void **arguments, void **extra);
CUresult cuMemAdvise(CUdeviceptr address, size_t bytes, unsigned advice, CUdevice device);
CUresult cuMemAdvise_v2(CUdeviceptr address, size_t bytes, unsigned advice, CUmemLocation location);
CUresult cuMemAllocAsync(CUdeviceptr *out, size_t bytes, CUstream handle);
CUresult cuMemAllocFromPoolAsync(CUdeviceptr *out, size_t bytes, CUmemoryPool pool,
				 CUstream handle);
CUresult cuMemAllocHost_v2(void **out, size_t bytes);
CUresult cuMemAllocManaged(CUdeviceptr *out, size_t bytes, unsigned flags);
CUresult cuMemAllocPitch_v2(CUdeviceptr *out, size_t *pitch, size_t width, size_t height,
			    unsigned element);
CUresult cuMemAlloc_v2(CUdeviceptr *out, size_t bytes);
CUresult cuMemFreeAsync(CUdeviceptr address, CUstream handle);
CUresult cuMemFreeHost(void *pointer);
CUresult cuMemFree_v2(CUdeviceptr address);
CUresult cuMemGetAddressRange_v2(CUdeviceptr *start, size_t *bytes, CUdeviceptr address);
CUresult cuMemGetInfo_v2(size_t *free_bytes, size_t *total);
CUresult cuMemHostAlloc(void **out, size_t bytes, unsigned flags);
CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *out, void *pointer, unsigned flags);
CUresult cuMemHostGetFlags(unsigned *flags, void *pointer);
CUresult cuMemHostRegister_v2(void *pointer, size_t bytes, unsigned flags);
CUresult cuMemHostUnregister(void *pointer);
CUresult cuMemPoolCreate(CUmemoryPool *out, const CUmemPoolProps *properties);
CUresult cuMemPoolDestroy(CUmemoryPool p);
CUresult cuMemPoolGetAccess(unsigned *flags, CUmemoryPool p, const CUmemLocation *location);
CUresult cuMemPoolGetAttribute(CUmemoryPool p, unsigned attribute, void *value);
CUresult cuMemPoolSetAccess(CUmemoryPool p, const CUmemAccessDesc *access, size_t count);
CUresult cuMemPoolSetAttribute(CUmemoryPool p, unsigned attribute, void *value);
CUresult cuMemPoolTrimTo(CUmemoryPool p, size_t keep);
CUresult cuMemPrefetchAsync(CUdeviceptr address, size_t bytes, CUdevice device, CUstream stream);
CUresult cuMemPrefetchAsync_v2(CUdeviceptr address, size_t bytes, CUmemLocation location,
			       unsigned flags, CUstream stream);
CUresult cuMemRangeGetAttribute(void *data, size_t bytes, unsigned attribute, CUdeviceptr address,
				size_t count);
CUresult cuMemRangeGetAttributes(void **data, size_t *bytes, unsigned *attributes, size_t count,
				 CUdeviceptr address, size_t range);
CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes);
CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *p, CUstream stream);
CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *p);
CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *p);
CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *p, CUstream stream);
CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *p);
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream);
CUresult cuMemcpyAtoD_v2(CUdeviceptr to, CUarray from, size_t offset, size_t bytes);
CUresult cuMemcpyAtoHAsync_v2(void *to, CUarray from, size_t offset, size_t bytes, CUstream stream);
CUresult cuMemcpyAtoH_v2(void *to, CUarray from, size_t offset, size_t bytes);
CUresult cuMemcpyDtoA_v2(CUarray to, size_t offset, CUdeviceptr from, size_t bytes);
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream);
CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes);
CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream);
CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes);
CUresult cuMemcpyHtoAAsync_v2(CUarray to, size_t offset, const void *from, size_t bytes,
			      CUstream stream);
CUresult cuMemcpyHtoA_v2(CUarray to, size_t offset, const void *from, size_t bytes);
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream stream);
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes);
CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
		      CUcontext from_context, size_t bytes);
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
			   CUcontext from_context, size_t bytes, CUstream stream);
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream);
CUresult cuMemsetD16_v2(CUdeviceptr to, unsigned short value, size_t count);
CUresult cuMemsetD2D16Async(CUdeviceptr to, size_t pitch, unsigned short value, size_t width,
			    size_t height, CUstream stream);
CUresult cuMemsetD2D16_v2(CUdeviceptr to, size_t pitch, unsigned short value, size_t width,
			  size_t height);
CUresult cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned value, size_t width,
			    size_t height, CUstream stream);
CUresult cuMemsetD2D32_v2(CUdeviceptr to, size_t pitch, unsigned value, size_t width,
			  size_t height);
CUresult cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char value, size_t width,
			   size_t height, CUstream stream);
CUresult cuMemsetD2D8_v2(CUdeviceptr to, size_t pitch, unsigned char value, size_t width,
			 size_t height);
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream);
CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned value, size_t count);
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream);
CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t count);
CUresult cuModuleEnumerateFunctions(CUfunction *out, unsigned count, CUmodule m);
CUresult cuModuleGetFunction(CUfunction *out, CUmodule m, const char *name);
CUresult cuModuleGetFunctionCount(unsigned *count, CUmodule m);
CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes, CUmodule m, const char *name);
CUresult cuModuleGetLoadingMode(unsigned *mode);
CUresult cuModuleLoad(CUmodule *out, const char *path);
CUresult cuModuleLoadData(CUmodule *out, const void *image);
CUresult cuModuleLoadDataEx(CUmodule *out, const void *image, unsigned count, unsigned *options,
			    void **values);
CUresult cuModuleLoadFatBinary(CUmodule *out, const void *image);
CUresult cuModuleUnload(CUmodule m);
CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, CUfunction handle, int blocks,
						 int threads);
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction handle, int threads,
						     size_t shared);
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction handle,
							      int threads, size_t shared,
							      unsigned flags);
CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction handle, const CUlaunchConfig *c);
CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction handle,
					  size_t (*shared_of)(int), size_t shared, int limit);
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, CUfunction handle,
						   size_t (*shared_of)(int), size_t shared,
						   int limit, unsigned flags);
CUresult cuOccupancyMaxPotentialClusterSize(int *size, CUfunction handle, const CUlaunchConfig *c);
CUresult cuPointerGetAttribute(void *data, unsigned attribute, CUdeviceptr address);
CUresult cuPointerGetAttributes(unsigned count, unsigned *attributes, void **data,
				CUdeviceptr address);
CUresult cuPointerSetAttribute(const void *value, unsigned attribute, CUdeviceptr address);
CUresult cuProfilerStart(void);
CUresult cuProfilerStop(void);
CUresult cuStreamAddCallback(CUstream handle, void (*function)(CUstream, CUresult, void *),
			     void *user, unsigned flags);
CUresult cuStreamAttachMemAsync(CUstream handle, CUdeviceptr address, size_t bytes, unsigned flags);
CUresult cuStreamCopyAttributes(CUstream to, CUstream from);
CUresult cuStreamCreate(CUstream *out, unsigned flags);
CUresult cuStreamCreateWithPriority(CUstream *out, unsigned flags, int priority);
CUresult cuStreamDestroy(CUstream handle);
CUresult cuStreamDestroy_v2(CUstream handle);
CUresult cuStreamGetAttribute(CUstream handle, unsigned attribute, void *value);
CUresult cuStreamGetCtx(CUstream handle, CUcontext *out);
CUresult cuStreamGetDevice(CUstream handle, CUdevice *out);
CUresult cuStreamGetFlags(CUstream handle, unsigned *flags);
CUresult cuStreamGetId(CUstream handle, unsigned long long *id);
CUresult cuStreamGetPriority(CUstream handle, int *priority);
CUresult cuStreamQuery(CUstream handle);
CUresult cuStreamSetAttribute(CUstream handle, unsigned attribute, const void *value);
CUresult cuStreamSynchronize(CUstream handle);
CUresult cuStreamWaitEvent(CUstream handle, CUevent event, unsigned flags);

#endif
