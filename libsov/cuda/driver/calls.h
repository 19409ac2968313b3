/* SPDX-License-Identifier: MIT */
/* The driver's entry points that are implemented. The runtime makes no other calls. */
#ifndef SOV_CUDA_CALLS_H
#define SOV_CUDA_CALLS_H

#include "libsov/cuda/abi.h"

struct CUuserObject_st;
struct cuda_context_params;
struct cuda_legacy_properties;
struct physical;

CUresult cuArray3DCreate_v2(CUarray *out, const CUDA_ARRAY3D_DESCRIPTOR *d);
CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *d, CUarray a);
CUresult cuArrayCreate_v2(CUarray *out, const CUDA_ARRAY_DESCRIPTOR *d);
CUresult cuArrayDestroy(CUarray a);
CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *d, CUarray a);
CUresult cuCtxAttach(CUcontext *out, unsigned flags);
CUresult cuCtxCreate(CUcontext *out, unsigned flags, CUdevice device);
CUresult cuCtxCreate_v2(CUcontext *out, unsigned flags, CUdevice device);
CUresult cuCtxCreate_v3(CUcontext *out, const void *affinity, int count, unsigned flags,
			CUdevice device);
CUresult cuCtxCreate_v4(CUcontext *out, const struct cuda_context_params *p, unsigned flags,
			CUdevice device);
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
CUresult cuGraphAddNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t count,
			CUgraphNodeParams *p);
CUresult cuGraphAddNode_v2(CUgraphNode *out, CUgraph g, const CUgraphNode *depends,
			   const CUgraphEdgeData *data, size_t count, CUgraphNodeParams *p);
CUresult cuGraphConditionalHandleCreate(uint64_t *out, CUgraph g, CUcontext c, unsigned initial,
					unsigned flags);
CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode n, CUevent event);
CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode n, CUevent event);
CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec exec, CUgraphNode n, CUevent event);
CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec exec, CUgraphNode n, CUevent event);
CUresult cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode n, CUgraphNodeParams *p);
CUresult cuGraphNodeSetParams(CUgraphNode n, CUgraphNodeParams *p);
CUresult cuGraphAddChildGraphNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends,
				  size_t count, CUgraph child);
CUresult cuGraphAddDependencies(CUgraph g, const CUgraphNode *from, const CUgraphNode *to,
				size_t count);
CUresult cuGraphAddDependencies_v2(CUgraph g, const CUgraphNode *from, const CUgraphNode *to,
				   const CUgraphEdgeData *data, size_t count);
CUresult cuGraphAddEmptyNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t count);
CUresult cuGraphAddEventRecordNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends,
				   size_t count, CUevent event);
CUresult cuGraphAddEventWaitNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends,
				 size_t count, CUevent event);
CUresult cuGraphAddHostNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t count,
			    const CUDA_HOST_NODE_PARAMS *p);
CUresult cuGraphAddKernelNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t count,
			      const CUDA_KERNEL_NODE_PARAMS *p);
CUresult cuGraphAddKernelNode_v2(CUgraphNode *out, CUgraph g, const CUgraphNode *depends,
				 size_t count, const CUDA_KERNEL_NODE_PARAMS *p);
CUresult cuGraphAddMemAllocNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends,
				size_t count, CUDA_MEM_ALLOC_NODE_PARAMS *p);
CUresult cuGraphAddMemFreeNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends,
			       size_t count, CUdeviceptr address);
CUresult cuGraphAddMemcpyNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t count,
			      const CUDA_MEMCPY3D *p, CUcontext c);
CUresult cuGraphAddMemsetNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t count,
			      const CUDA_MEMSET_NODE_PARAMS *p, CUcontext c);
CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode n, CUgraph *out);
CUresult cuGraphClone(CUgraph *out, CUgraph g);
CUresult cuGraphCreate(CUgraph *out, unsigned flags);
CUresult cuGraphDebugDotPrint(CUgraph g, const char *path, unsigned flags);
CUresult cuGraphDestroy(CUgraph g);
CUresult cuGraphDestroyNode(CUgraphNode n);
CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode n, CUevent *out);
CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode n, CUevent *out);
CUresult cuGraphExecDestroy(CUgraphExec exec);
CUresult cuGraphExecGetFlags(CUgraphExec exec, uint64_t *flags);
CUresult cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode n,
				      const CUDA_HOST_NODE_PARAMS *p);
CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode n,
					const CUDA_KERNEL_NODE_PARAMS *p);
CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode n,
					   const CUDA_KERNEL_NODE_PARAMS *p);
CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode n, const CUDA_MEMCPY3D *p,
					CUcontext c);
CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode n,
					const CUDA_MEMSET_NODE_PARAMS *p, CUcontext c);
CUresult cuGraphExecUpdate(CUgraphExec exec, CUgraph g, CUgraphNode *error, unsigned *result);
CUresult cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph g, CUgraphExecUpdateResultInfo *info);
CUresult cuGraphGetEdges(CUgraph g, CUgraphNode *from, CUgraphNode *to, size_t *count);
CUresult cuGraphGetEdges_v2(CUgraph g, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *data,
			    size_t *count);
CUresult cuGraphGetNodes(CUgraph g, CUgraphNode *out, size_t *count);
CUresult cuGraphGetRootNodes(CUgraph g, CUgraphNode *out, size_t *count);
CUresult cuGraphHostNodeGetParams(CUgraphNode n, CUDA_HOST_NODE_PARAMS *p);
CUresult cuGraphHostNodeSetParams(CUgraphNode n, const CUDA_HOST_NODE_PARAMS *p);
CUresult cuGraphInstantiate(CUgraphExec *out, CUgraph g, CUgraphNode *error, char *log,
			    size_t bytes);
CUresult cuGraphInstantiateWithFlags(CUgraphExec *out, CUgraph g, unsigned long long flags);
CUresult cuGraphInstantiateWithParams(CUgraphExec *out, CUgraph g,
				      CUDA_GRAPH_INSTANTIATE_PARAMS *p);
CUresult cuGraphInstantiate_v2(CUgraphExec *out, CUgraph g, CUgraphNode *error, char *log,
			       size_t bytes);
CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from);
CUresult cuGraphKernelNodeGetAttribute(CUgraphNode n, unsigned attribute, void *value);
CUresult cuGraphKernelNodeGetParams(CUgraphNode n, CUDA_KERNEL_NODE_PARAMS *p);
CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode n, CUDA_KERNEL_NODE_PARAMS *p);
CUresult cuGraphKernelNodeSetAttribute(CUgraphNode n, unsigned attribute, const void *value);
CUresult cuGraphKernelNodeSetParams(CUgraphNode n, const CUDA_KERNEL_NODE_PARAMS *p);
CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode n, const CUDA_KERNEL_NODE_PARAMS *p);
CUresult cuGraphLaunch(CUgraphExec exec, CUstream handle);
CUresult cuGraphMemAllocNodeGetParams(CUgraphNode n, CUDA_MEM_ALLOC_NODE_PARAMS *p);
CUresult cuGraphMemFreeNodeGetParams(CUgraphNode n, CUdeviceptr *out);
CUresult cuGraphMemcpyNodeGetParams(CUgraphNode n, CUDA_MEMCPY3D *p);
CUresult cuGraphMemcpyNodeSetParams(CUgraphNode n, const CUDA_MEMCPY3D *p);
CUresult cuGraphMemsetNodeGetParams(CUgraphNode n, CUDA_MEMSET_NODE_PARAMS *p);
CUresult cuGraphMemsetNodeSetParams(CUgraphNode n, const CUDA_MEMSET_NODE_PARAMS *p);
CUresult cuGraphNodeFindInClone(CUgraphNode *out, CUgraphNode original, CUgraph clone);
CUresult cuGraphNodeGetDependencies(CUgraphNode n, CUgraphNode *out, size_t *count);
CUresult cuGraphNodeGetDependencies_v2(CUgraphNode n, CUgraphNode *out, CUgraphEdgeData *data,
				       size_t *count);
CUresult cuGraphNodeGetDependentNodes(CUgraphNode n, CUgraphNode *out, size_t *count);
CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode n, CUgraphNode *out, CUgraphEdgeData *data,
					 size_t *count);
CUresult cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode n, unsigned *enabled);
CUresult cuGraphNodeGetType(CUgraphNode n, unsigned *type);
CUresult cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode n, unsigned enabled);
CUresult cuGraphReleaseUserObject(CUgraph g, struct CUuserObject_st *o, unsigned count);
CUresult cuGraphRemoveDependencies(CUgraph g, const CUgraphNode *from, const CUgraphNode *to,
				   size_t count);
CUresult cuGraphRemoveDependencies_v2(CUgraph g, const CUgraphNode *from, const CUgraphNode *to,
				      const CUgraphEdgeData *data, size_t count);
CUresult cuGraphRetainUserObject(CUgraph g, struct CUuserObject_st *o, unsigned count,
				 unsigned flags);
CUresult cuGraphUpload(CUgraphExec exec, CUstream stream);
CUresult cuIpcCloseMemHandle(CUdeviceptr address);
CUresult cuIpcGetEventHandle(CUipcEventHandle *handle, CUevent event);
CUresult cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr address);
CUresult cuIpcOpenEventHandle(CUevent *out, CUipcEventHandle handle);
CUresult cuIpcOpenMemHandle(CUdeviceptr *out, CUipcMemHandle handle, unsigned flags);
CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *out, CUipcMemHandle handle, unsigned flags);
CUresult cuInit(unsigned flags);
CUresult cuKernelGetAttribute(int *value, CUfunction_attribute attribute, CUkernel k,
			      CUdevice device);
CUresult cuKernelGetFunction(CUfunction *out, CUkernel k);
CUresult cuKernelGetLibrary(CUlibrary *out, CUkernel k);
CUresult cuKernelGetName(const char **name, CUkernel k);
CUresult cuKernelGetParamInfo(CUkernel k, size_t index, size_t *offset, size_t *bytes);
CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel k,
			      CUdevice device);
CUresult cuKernelSetCacheConfig(CUkernel k, unsigned config, CUdevice device);
CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
				   unsigned by, unsigned bz, unsigned shared, CUstream stream,
				   void **arguments);
CUresult cuLaunchHostFunc(CUstream handle, CUhostFn function, void *user);
CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
			unsigned by, unsigned bz, unsigned shared, CUstream stream,
			void **arguments, void **extra);
CUresult cuLaunchKernelEx(const CUlaunchConfig *c, CUfunction f, void **arguments, void **extra);
CUresult cuLibraryEnumerateKernels(CUkernel *out, unsigned count, CUlibrary l);
CUresult cuLibraryGetGlobal(CUdeviceptr *address, size_t *bytes, CUlibrary l, const char *name);
CUresult cuLibraryGetKernel(CUkernel *out, CUlibrary l, const char *name);
CUresult cuLibraryGetKernelCount(unsigned *count, CUlibrary l);
CUresult cuLibraryGetManaged(CUdeviceptr *address, size_t *bytes, CUlibrary l, const char *name);
CUresult cuLibraryGetModule(CUmodule *out, CUlibrary l);
CUresult cuLibraryLoadData(CUlibrary *out, const void *image, unsigned *jit, void **jit_values,
			   unsigned jit_count, unsigned *options, void **values, unsigned count);
CUresult cuLibraryLoadFromFile(CUlibrary *out, const char *path, unsigned *jit, void **jit_values,
			       unsigned jit_count, unsigned *options, void **values,
			       unsigned count);
CUresult cuLibraryUnload(CUlibrary l);
CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes);
CUresult cuMemAddressReserve(CUdeviceptr *out, size_t bytes, size_t alignment, CUdeviceptr wanted,
			     unsigned long long flags);
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
CUresult cuMemCreate(struct physical **out, size_t bytes, const CUmemAllocationProp *p,
		     unsigned long long flags);
CUresult cuMemFreeAsync(CUdeviceptr address, CUstream handle);
CUresult cuMemFreeHost(void *pointer);
CUresult cuMemFree_v2(CUdeviceptr address);
CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *where, CUdeviceptr address);
CUresult cuMemGetAddressRange_v2(CUdeviceptr *start, size_t *bytes, CUdeviceptr address);
CUresult cuMemGetAllocationGranularity(size_t *bytes, const CUmemAllocationProp *p,
				       unsigned option);
CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *out, struct physical *p);
CUresult cuMemGetInfo_v2(size_t *free_bytes, size_t *total);
CUresult cuMemHostAlloc(void **out, size_t bytes, unsigned flags);
CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *out, void *pointer, unsigned flags);
CUresult cuMemHostGetFlags(unsigned *flags, void *pointer);
CUresult cuMemHostRegister_v2(void *pointer, size_t bytes, unsigned flags);
CUresult cuMemHostUnregister(void *pointer);
CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset, struct physical *p,
		  unsigned long long flags);
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
CUresult cuMemRelease(struct physical *p);
CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc *access,
			size_t count);
CUresult cuMemUnmap(CUdeviceptr address, size_t bytes);
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
CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D *p);
CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D *p, CUstream stream);
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
CUresult cuLinkAddData_v2(CUlinkState s, unsigned type, void *data, size_t bytes, const char *name,
			  unsigned count, unsigned *options, void **values);
CUresult cuLinkAddFile_v2(CUlinkState s, unsigned type, const char *path, unsigned count,
			  unsigned *options, void **values);
CUresult cuLinkComplete(CUlinkState s, void **image, size_t *bytes);
CUresult cuLinkCreate_v2(unsigned count, unsigned *options, void **values, CUlinkState *out);
CUresult cuLinkDestroy(CUlinkState s);
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
CUresult cuStreamBeginCapture(CUstream s);
CUresult cuStreamBeginCaptureToGraph(CUstream s, CUgraph g, const CUgraphNode *depends,
				     const CUgraphEdgeData *data, size_t count, unsigned mode);
CUresult cuStreamBeginCapture_v2(CUstream s, unsigned mode);
CUresult cuStreamCopyAttributes(CUstream to, CUstream from);
CUresult cuStreamCreate(CUstream *out, unsigned flags);
CUresult cuStreamCreateWithPriority(CUstream *out, unsigned flags, int priority);
CUresult cuStreamDestroy(CUstream handle);
CUresult cuStreamDestroy_v2(CUstream handle);
CUresult cuStreamEndCapture(CUstream handle, CUgraph *out);
CUresult cuStreamGetAttribute(CUstream handle, unsigned attribute, void *value);
CUresult cuStreamGetCaptureInfo(CUstream stream, unsigned *status, uint64_t *id);
CUresult cuStreamGetCaptureInfo_v2(CUstream stream, unsigned *status, uint64_t *id, CUgraph *graph,
				   const CUgraphNode **depends, size_t *count);
CUresult cuStreamGetCaptureInfo_v3(CUstream handle, unsigned *status, uint64_t *id, CUgraph *graph,
				   const CUgraphNode **depends, const CUgraphEdgeData **data,
				   size_t *count);
CUresult cuStreamGetCtx(CUstream handle, CUcontext *out);
CUresult cuStreamGetDevice(CUstream handle, CUdevice *out);
CUresult cuStreamGetFlags(CUstream handle, unsigned *flags);
CUresult cuStreamGetId(CUstream handle, unsigned long long *id);
CUresult cuStreamGetPriority(CUstream handle, int *priority);
CUresult cuStreamIsCapturing(CUstream handle, unsigned *status);
CUresult cuStreamQuery(CUstream handle);
CUresult cuStreamSetAttribute(CUstream handle, unsigned attribute, const void *value);
CUresult cuStreamSynchronize(CUstream handle);
CUresult cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode *nodes, size_t count,
					   unsigned flags);
CUresult cuStreamUpdateCaptureDependencies_v2(CUstream handle, CUgraphNode *nodes,
					      const CUgraphEdgeData *data, size_t count,
					      unsigned flags);
CUresult cuStreamWaitEvent(CUstream handle, CUevent event, unsigned flags);
CUresult cuMipmappedArrayCreate(CUmipmappedArray *out, const CUDA_ARRAY3D_DESCRIPTOR *d,
				unsigned levels);
CUresult cuMipmappedArrayDestroy(CUmipmappedArray m);
CUresult cuMipmappedArrayGetLevel(CUarray *out, CUmipmappedArray m, unsigned level);
CUresult cuSurfObjectCreate(CUtexObject *out, const CUDA_RESOURCE_DESC *r);
CUresult cuSurfObjectDestroy(CUtexObject handle);
CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *r, CUtexObject handle);
CUresult cuStreamWaitValue32(CUstream handle, CUdeviceptr address, uint32_t value, unsigned flags);
CUresult cuStreamWaitValue32_v2(CUstream handle, CUdeviceptr address, uint32_t value,
				unsigned flags);
CUresult cuStreamWaitValue64(CUstream handle, CUdeviceptr address, uint64_t value, unsigned flags);
CUresult cuStreamWaitValue64_v2(CUstream handle, CUdeviceptr address, uint64_t value,
				unsigned flags);
CUresult cuStreamWriteValue32(CUstream handle, CUdeviceptr address, uint32_t value, unsigned flags);
CUresult cuStreamWriteValue32_v2(CUstream handle, CUdeviceptr address, uint32_t value,
				 unsigned flags);
CUresult cuStreamWriteValue64(CUstream handle, CUdeviceptr address, uint64_t value, unsigned flags);
CUresult cuStreamWriteValue64_v2(CUstream handle, CUdeviceptr address, uint64_t value,
				 unsigned flags);
CUresult cuStreamBatchMemOp(CUstream handle, unsigned count, CUstreamBatchMemOpParams *list,
			    unsigned flags);
CUresult cuStreamBatchMemOp_v2(CUstream handle, unsigned count, CUstreamBatchMemOpParams *list,
			       unsigned flags);
CUresult cuTensorMapEncodeTiled(CUtensorMap *map, unsigned type, uint32_t rank, void *address,
				const uint64_t *dimensions, const uint64_t *strides,
				const uint32_t *box, const uint32_t *steps, unsigned interleave,
				unsigned swizzle, unsigned promotion, unsigned fill);
CUresult cuTexObjectCreate(CUtexObject *out, const CUDA_RESOURCE_DESC *r,
			   const CUDA_TEXTURE_DESC *t, const void *view);
CUresult cuTexObjectDestroy(CUtexObject handle);
CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *r, CUtexObject handle);
CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *t, CUtexObject handle);
CUresult cuThreadExchangeStreamCaptureMode(unsigned *mode);
CUresult cuUserObjectCreate(struct CUuserObject_st **out, void *user, CUhostFn destroy,
			    unsigned references, unsigned flags);
CUresult cuUserObjectRelease(struct CUuserObject_st *o, unsigned count);
CUresult cuUserObjectRetain(struct CUuserObject_st *o, unsigned count);

#endif
