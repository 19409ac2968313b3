/* SPDX-License-Identifier: MIT */
/*
 * The binary interface of CUDA's driver and runtime, as far as these libraries implement it: the
 * values and layouts that compiled programs use, under CUDA's names.
 * tests/oracles/cuda_abi.sh compares them with NVIDIA's headers.
 */
#ifndef SOV_CUDA_ABI_H
#define SOV_CUDA_ABI_H

#include <stddef.h>
#include <stdint.h>

#define CUDA_EXPORT __attribute__((visibility("default")))

typedef int CUdevice;
typedef uint64_t CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUlib_st *CUlibrary;
typedef struct CUkern_st *CUkernel;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUarray_st *CUarray;
typedef struct CUmipmappedArray_st *CUmipmappedArray;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct CUmemPoolHandle_st *CUmemoryPool;
typedef struct CUlinkState_st *CUlinkState;
typedef uint64_t CUtexObject;
typedef void (*CUhostFn)(void *user);

#define CU_STREAM_LEGACY     ((CUstream)0x1)
#define CU_STREAM_PER_THREAD ((CUstream)0x2)

/* Error values are those of the runtime too: cudaErrorInvalidValue is 1. NAME, value, sentence. */
#define CUDA_ERRORS(E) \
	E(SUCCESS, cudaSuccess, 0, "no error") \
	E(ERROR_INVALID_VALUE, cudaErrorInvalidValue, 1, "invalid argument") \
	E(ERROR_OUT_OF_MEMORY, cudaErrorMemoryAllocation, 2, "out of memory") \
	E(ERROR_NOT_INITIALIZED, cudaErrorInitializationError, 3, "initialization error") \
	E(ERROR_DEINITIALIZED, cudaErrorCudartUnloading, 4, "driver shutting down") \
	E(ERROR_PROFILER_DISABLED, cudaErrorProfilerDisabled, 5, "profiler disabled") \
	E(ERROR_RT_INVALID_CONFIGURATION, cudaErrorInvalidConfiguration, 9, \
	  "invalid configuration argument") \
	E(ERROR_RT_INVALID_PITCH, cudaErrorInvalidPitchValue, 12, "invalid pitch argument") \
	E(ERROR_RT_INVALID_SYMBOL, cudaErrorInvalidSymbol, 13, "invalid device symbol") \
	E(ERROR_RT_INVALID_HOST_POINTER, cudaErrorInvalidHostPointer, 16, "invalid host pointer") \
	E(ERROR_RT_INVALID_DEVICE_POINTER, cudaErrorInvalidDevicePointer, 17, \
	  "invalid device pointer") \
	E(ERROR_RT_INVALID_TEXTURE, cudaErrorInvalidTexture, 18, "invalid texture reference") \
	E(ERROR_RT_INVALID_CHANNEL, cudaErrorInvalidChannelDescriptor, 20, \
	  "invalid channel descriptor") \
	E(ERROR_RT_INVALID_DIRECTION, cudaErrorInvalidMemcpyDirection, 21, \
	  "invalid copy direction for memcpy") \
	E(ERROR_RT_INSUFFICIENT_DRIVER, cudaErrorInsufficientDriver, 35, \
	  "CUDA driver version is insufficient for CUDA runtime version") \
	E(ERROR_RT_MISSING_CONFIGURATION, cudaErrorMissingConfiguration, 52, \
	  "__global__ function call is not configured") \
	E(ERROR_RT_INVALID_FUNCTION, cudaErrorInvalidDeviceFunction, 98, \
	  "invalid device function") \
	E(ERROR_NO_DEVICE, cudaErrorNoDevice, 100, "no CUDA-capable device is detected") \
	E(ERROR_INVALID_DEVICE, cudaErrorInvalidDevice, 101, "invalid device ordinal") \
	E(ERROR_INVALID_IMAGE, cudaErrorInvalidKernelImage, 200, "device kernel image is invalid") \
	E(ERROR_INVALID_CONTEXT, cudaErrorDeviceUninitialized, 201, "invalid device context") \
	E(ERROR_MAP_FAILED, cudaErrorMapBufferObjectFailed, 205, \
	  "mapping of buffer object failed") \
	E(ERROR_NO_BINARY_FOR_GPU, cudaErrorNoKernelImageForDevice, 209, \
	  "no kernel image is available for execution on the device") \
	E(ERROR_UNSUPPORTED_LIMIT, cudaErrorUnsupportedLimit, 215, \
	  "limit is not supported on this architecture") \
	E(ERROR_CONTEXT_ALREADY_IN_USE, cudaErrorDeviceAlreadyInUse, 216, \
	  "exclusive-thread device already in use by a different thread") \
	E(ERROR_PEER_ACCESS_UNSUPPORTED, cudaErrorPeerAccessUnsupported, 217, \
	  "peer access is not supported between these two devices") \
	E(ERROR_INVALID_PTX, cudaErrorInvalidPtx, 218, "a PTX JIT compilation failed") \
	E(ERROR_UNSUPPORTED_PTX_VERSION, cudaErrorUnsupportedPtxVersion, 222, \
	  "the provided PTX was compiled with an unsupported toolchain.") \
	E(ERROR_INVALID_SOURCE, cudaErrorInvalidSource, 300, "device kernel image is invalid") \
	E(ERROR_FILE_NOT_FOUND, cudaErrorFileNotFound, 301, "file not found") \
	E(ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, cudaErrorSharedObjectSymbolNotFound, 302, \
	  "shared object symbol not found") \
	E(ERROR_SHARED_OBJECT_INIT_FAILED, cudaErrorSharedObjectInitFailed, 303, \
	  "shared object initialization failed") \
	E(ERROR_OPERATING_SYSTEM, cudaErrorOperatingSystem, 304, \
	  "OS call failed or operation not supported on this OS") \
	E(ERROR_INVALID_HANDLE, cudaErrorInvalidResourceHandle, 400, "invalid resource handle") \
	E(ERROR_ILLEGAL_STATE, cudaErrorIllegalState, 401, \
	  "the operation cannot be performed in the present state") \
	E(ERROR_NOT_FOUND, cudaErrorSymbolNotFound, 500, "named symbol not found") \
	E(ERROR_NOT_READY, cudaErrorNotReady, 600, "device not ready") \
	E(ERROR_ILLEGAL_ADDRESS, cudaErrorIllegalAddress, 700, \
	  "an illegal memory access was encountered") \
	E(ERROR_LAUNCH_OUT_OF_RESOURCES, cudaErrorLaunchOutOfResources, 701, \
	  "too many resources requested for launch") \
	E(ERROR_LAUNCH_TIMEOUT, cudaErrorLaunchTimeout, 702, \
	  "the launch timed out and was terminated") \
	E(ERROR_PEER_ACCESS_ALREADY_ENABLED, cudaErrorPeerAccessAlreadyEnabled, 704, \
	  "peer access is already enabled") \
	E(ERROR_PEER_ACCESS_NOT_ENABLED, cudaErrorPeerAccessNotEnabled, 705, \
	  "peer access has not been enabled") \
	E(ERROR_PRIMARY_CONTEXT_ACTIVE, cudaErrorSetOnActiveProcess, 708, \
	  "cannot set while device is active in this process") \
	E(ERROR_CONTEXT_IS_DESTROYED, cudaErrorContextIsDestroyed, 709, "context is destroyed") \
	E(ERROR_ASSERT, cudaErrorAssert, 710, "device-side assert triggered") \
	E(ERROR_HOST_MEMORY_ALREADY_REGISTERED, cudaErrorHostMemoryAlreadyRegistered, 712, \
	  "part or all of the requested memory range is already mapped") \
	E(ERROR_HOST_MEMORY_NOT_REGISTERED, cudaErrorHostMemoryNotRegistered, 713, \
	  "pointer does not correspond to a registered memory region") \
	E(ERROR_ILLEGAL_INSTRUCTION, cudaErrorIllegalInstruction, 715, \
	  "an illegal instruction was encountered") \
	E(ERROR_MISALIGNED_ADDRESS, cudaErrorMisalignedAddress, 716, "misaligned address") \
	E(ERROR_LAUNCH_FAILED, cudaErrorLaunchFailure, 719, "unspecified launch failure") \
	E(ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, cudaErrorCooperativeLaunchTooLarge, 720, \
	  "too many blocks in cooperative launch") \
	E(ERROR_NOT_PERMITTED, cudaErrorNotPermitted, 800, "operation not permitted") \
	E(ERROR_NOT_SUPPORTED, cudaErrorNotSupported, 801, "operation not supported") \
	E(ERROR_STREAM_CAPTURE_UNSUPPORTED, cudaErrorStreamCaptureUnsupported, 900, \
	  "operation not permitted when stream is capturing") \
	E(ERROR_STREAM_CAPTURE_INVALIDATED, cudaErrorStreamCaptureInvalidated, 901, \
	  "operation failed due to a previous error during capture") \
	E(ERROR_STREAM_CAPTURE_MERGE, cudaErrorStreamCaptureMerge, 902, \
	  "operation would result in a merge of separate capture sequences") \
	E(ERROR_STREAM_CAPTURE_UNMATCHED, cudaErrorStreamCaptureUnmatched, 903, \
	  "capture was not ended in the same stream as it began") \
	E(ERROR_STREAM_CAPTURE_UNJOINED, cudaErrorStreamCaptureUnjoined, 904, \
	  "capturing stream has unjoined work") \
	E(ERROR_STREAM_CAPTURE_ISOLATION, cudaErrorStreamCaptureIsolation, 905, \
	  "dependency created on uncaptured work in another stream") \
	E(ERROR_STREAM_CAPTURE_IMPLICIT, cudaErrorStreamCaptureImplicit, 906, \
	  "operation would make the legacy stream depend on a capturing blocking stream") \
	E(ERROR_CAPTURED_EVENT, cudaErrorCapturedEvent, 907, \
	  "operation not permitted on an event last recorded in a capturing stream") \
	E(ERROR_TIMEOUT, cudaErrorTimeout, 909, "wait operation timed out") \
	E(ERROR_GRAPH_EXEC_UPDATE_FAILURE, cudaErrorGraphExecUpdateFailure, 910, \
	  "the graph update was not performed because it included changes which violated " \
	  "constraints specific to instantiated graph update") \
	E(ERROR_INVALID_CLUSTER_SIZE, cudaErrorInvalidClusterSize, 912, \
	  "cluster target block count exceeds the device's limit") \
	E(ERROR_UNKNOWN, cudaErrorUnknown, 999, "unknown error")

typedef enum {
#define E(name, runtime_name, value, text) CUDA_##name = (value),
	CUDA_ERRORS(E)
#undef E
} CUresult;

enum {
	CU_STREAM_NON_BLOCKING = 1,
	CU_EVENT_BLOCKING_SYNC = 1,
	CU_EVENT_DISABLE_TIMING = 2,
	CU_EVENT_INTERPROCESS = 4,
	CU_MEMORYTYPE_HOST = 1,
	CU_MEMORYTYPE_DEVICE = 2,
	CU_MEMORYTYPE_ARRAY = 3,
	CU_MEMORYTYPE_UNIFIED = 4,
	CU_MEMHOSTALLOC_PORTABLE = 1,
	CU_MEMHOSTALLOC_DEVICEMAP = 2,
	CU_MEMHOSTALLOC_WRITECOMBINED = 4,
	CU_ARRAY_LAYERED = 1,
	CU_ARRAY_CUBEMAP = 4,
};

typedef enum {
	CU_LIMIT_STACK_SIZE = 0,
	CU_LIMIT_PRINTF_FIFO_SIZE = 1,
	CU_LIMIT_MALLOC_HEAP_SIZE = 2,
	CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH = 3,
	CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT = 4,
	CU_LIMIT_MAX_L2_FETCH_GRANULARITY = 5,
	CU_LIMIT_PERSISTING_L2_CACHE_SIZE = 6,
	CU_LIMITS = 7,
} CUlimit;

typedef enum {
	CU_FUNC_MAX_THREADS_PER_BLOCK = 0,
	CU_FUNC_SHARED_SIZE_BYTES = 1,
	CU_FUNC_CONST_SIZE_BYTES = 2,
	CU_FUNC_LOCAL_SIZE_BYTES = 3,
	CU_FUNC_NUM_REGS = 4,
	CU_FUNC_PTX_VERSION = 5,
	CU_FUNC_BINARY_VERSION = 6,
	CU_FUNC_CACHE_MODE_CA = 7,
	CU_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
	CU_FUNC_PREFERRED_SHARED_MEMORY_CARVEOUT = 9,
	CU_FUNC_CLUSTER_SIZE_MUST_BE_SET = 10,
	CU_FUNC_REQUIRED_CLUSTER_WIDTH = 11,
	CU_FUNC_REQUIRED_CLUSTER_HEIGHT = 12,
	CU_FUNC_REQUIRED_CLUSTER_DEPTH = 13,
	CU_FUNC_NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14,
	CU_FUNC_CLUSTER_SCHEDULING_POLICY_PREFERENCE = 15,
	CU_FUNC_ATTRIBUTES = 16,
} CUfunction_attribute;

typedef struct {
	unsigned char bytes[16];
} CUuuid;

/* ---- copies and arrays ---- */

typedef struct {
	size_t srcXInBytes, srcY;
	unsigned srcMemoryType;
	const void *srcHost;
	CUdeviceptr srcDevice;
	CUarray srcArray;
	size_t srcPitch;
	size_t dstXInBytes, dstY;
	unsigned dstMemoryType;
	void *dstHost;
	CUdeviceptr dstDevice;
	CUarray dstArray;
	size_t dstPitch;
	size_t WidthInBytes, Height;
} CUDA_MEMCPY2D;

/* Also CUDA_MEMCPY3D_PEER, which has contexts where this one has reserved0 and reserved1. */
typedef struct {
	size_t srcXInBytes, srcY, srcZ, srcLOD;
	unsigned srcMemoryType;
	const void *srcHost;
	CUdeviceptr srcDevice;
	CUarray srcArray;
	void *reserved0;
	size_t srcPitch, srcHeight;
	size_t dstXInBytes, dstY, dstZ, dstLOD;
	unsigned dstMemoryType;
	void *dstHost;
	CUdeviceptr dstDevice;
	CUarray dstArray;
	void *reserved1;
	size_t dstPitch, dstHeight;
	size_t WidthInBytes, Height, Depth;
} CUDA_MEMCPY3D;

typedef enum {
	CU_AD_FORMAT_UNSIGNED_INT8 = 0x01,
	CU_AD_FORMAT_UNSIGNED_INT16 = 0x02,
	CU_AD_FORMAT_UNSIGNED_INT32 = 0x03,
	CU_AD_FORMAT_SIGNED_INT8 = 0x08,
	CU_AD_FORMAT_SIGNED_INT16 = 0x09,
	CU_AD_FORMAT_SIGNED_INT32 = 0x0a,
	CU_AD_FORMAT_HALF = 0x10,
	CU_AD_FORMAT_FLOAT = 0x20,
} CUarray_format;

typedef struct {
	size_t Width, Height;
	CUarray_format Format;
	unsigned NumChannels;
} CUDA_ARRAY_DESCRIPTOR;

typedef struct {
	size_t Width, Height, Depth;
	CUarray_format Format;
	unsigned NumChannels;
	unsigned Flags;
} CUDA_ARRAY3D_DESCRIPTOR;

enum {
	CU_RESOURCE_ARRAY = 0,
	CU_RESOURCE_MIPMAPPED = 1,
	CU_RESOURCE_LINEAR = 2,
	CU_RESOURCE_PITCH2D = 3
};

typedef struct {
	unsigned resType;
	union {
		CUarray array;
		CUmipmappedArray mipmapped;
		struct {
			CUdeviceptr devPtr;
			CUarray_format format;
			unsigned numChannels;
			size_t sizeInBytes;
		} linear;
		struct {
			CUdeviceptr devPtr;
			CUarray_format format;
			unsigned numChannels;
			size_t width, height, pitchInBytes;
		} pitch2D;
		int reserved[32];
	} res;
	unsigned flags;
} CUDA_RESOURCE_DESC;

enum { CU_TRSF_READ_AS_INTEGER = 1, CU_TRSF_NORMALIZED_COORDINATES = 2, CU_TRSF_SRGB = 16 };

typedef struct {
	unsigned addressMode[3], filterMode, flags, maxAnisotropy, mipmapFilterMode;
	float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
	float borderColor[4];
	int reserved[12];
} CUDA_TEXTURE_DESC;

/* ---- stream memory operations ---- */

/* Waits and writes; other operations have no more than the first word and flags. */
typedef struct {
	unsigned operation;
	CUdeviceptr address;
	union {
		uint32_t value;
		uint64_t value64;
	} value;
	unsigned flags;
	CUdeviceptr alias;
	uint64_t pad;
} CUstreamBatchMemOpParams;

/* ---- tensor maps ---- */

enum {
	CU_TENSOR_MAP_DATA_TYPE_UINT8 = 0,
	CU_TENSOR_MAP_DATA_TYPE_UINT16 = 1,
	CU_TENSOR_MAP_DATA_TYPE_UINT32 = 2,
	CU_TENSOR_MAP_DATA_TYPE_INT32 = 3,
	CU_TENSOR_MAP_DATA_TYPE_UINT64 = 4,
	CU_TENSOR_MAP_DATA_TYPE_INT64 = 5,
	CU_TENSOR_MAP_DATA_TYPE_FLOAT16 = 6,
	CU_TENSOR_MAP_DATA_TYPE_FLOAT32 = 7,
	CU_TENSOR_MAP_DATA_TYPE_FLOAT64 = 8,
	CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 = 9,
	CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ = 10,
	CU_TENSOR_MAP_DATA_TYPE_TFLOAT32 = 11,
	CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ = 12,
};

typedef struct {
	_Alignas(64) uint64_t words[16];
} CUtensorMap;

/* ---- launches ---- */

enum {
	CU_LAUNCH_COOPERATIVE = 2,
	CU_LAUNCH_CLUSTER_DIMENSION = 4,
	CU_LAUNCH_PROGRAMMATIC_EVENT = 7,
	CU_LAUNCH_COMPLETION_EVENT = 12,
};

typedef struct {
	unsigned id;
	char pad[4];
	union {
		char pad[64];
		int cooperative;
		struct {
			unsigned x, y, z;
		} clusterDim;
		struct {
			CUevent event;
			int flags, triggerAtBlockStart;
		} event;
	} value;
} CUlaunchAttribute;

typedef struct {
	unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
	CUstream hStream;
	CUlaunchAttribute *attrs;
	unsigned numAttrs;
} CUlaunchConfig;

#define CU_LAUNCH_PARAM_END            ((void *)0)
#define CU_LAUNCH_PARAM_BUFFER_POINTER ((void *)1)
#define CU_LAUNCH_PARAM_BUFFER_SIZE    ((void *)2)

/* ---- memory pools and places ---- */

typedef struct {
	unsigned type; /* 1: device, 2: host */
	int id;
} CUmemLocation;

typedef struct {
	CUmemLocation location;
	unsigned flags;
} CUmemAccessDesc;

typedef struct {
	unsigned allocType, handleTypes;
	CUmemLocation location;
	void *win32SecurityAttributes;
	size_t maxSize;
	unsigned short usage;
	unsigned char reserved[54];
} CUmemPoolProps;

typedef struct {
	unsigned type, requestedHandleTypes;
	CUmemLocation location;
	void *win32HandleMetaData;
	struct {
		unsigned char compressionType, gpuDirectRDMACapable;
		unsigned short usage;
		unsigned char reserved[4];
	} allocFlags;
} CUmemAllocationProp;

/* ---- graphs ---- */

enum {
	CU_GRAPH_NODE_KERNEL = 0,
	CU_GRAPH_NODE_MEMCPY = 1,
	CU_GRAPH_NODE_MEMSET = 2,
	CU_GRAPH_NODE_HOST = 3,
	CU_GRAPH_NODE_GRAPH = 4,
	CU_GRAPH_NODE_EMPTY = 5,
	CU_GRAPH_NODE_WAIT_EVENT = 6,
	CU_GRAPH_NODE_EVENT_RECORD = 7,
	CU_GRAPH_NODE_MEM_ALLOC = 10,
	CU_GRAPH_NODE_MEM_FREE = 11,
	CU_GRAPH_NODE_CONDITIONAL = 13,
};

enum {
	CU_GRAPH_COND_TYPE_IF = 0,
	CU_GRAPH_COND_TYPE_WHILE = 1,
	CU_GRAPH_COND_TYPE_SWITCH = 2,
	CU_GRAPH_COND_ASSIGN_DEFAULT = 1,
};

/* The first version ends before kern. */
typedef struct {
	CUfunction func;
	unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
	void **kernelParams;
	void **extra;
	CUkernel kern;
	CUcontext ctx;
} CUDA_KERNEL_NODE_PARAMS;

typedef struct {
	CUdeviceptr dst;
	size_t pitch;
	unsigned value, elementSize;
	size_t width, height;
} CUDA_MEMSET_NODE_PARAMS;

typedef struct {
	CUhostFn fn;
	void *userData;
} CUDA_HOST_NODE_PARAMS;

typedef struct {
	CUmemPoolProps poolProps;
	const CUmemAccessDesc *accessDescs;
	size_t accessDescCount, bytesize;
	CUdeviceptr dptr;
} CUDA_MEM_ALLOC_NODE_PARAMS;

typedef struct {
	uint64_t handle;
	unsigned type, size;
	CUgraph *phGraph_out;
	CUcontext ctx;
} CUDA_CONDITIONAL_NODE_PARAMS;

/* Parameters of a node of any type. */
typedef struct {
	unsigned type;
	int reserved0[3];
	union {
		int64_t reserved1[29];
		CUDA_KERNEL_NODE_PARAMS kernel;
		struct {
			int flags, reserved;
			CUcontext copyCtx;
			CUDA_MEMCPY3D copyParams;
		} memcpy;
		struct {
			CUDA_MEMSET_NODE_PARAMS params;
			CUcontext ctx;
		} memset;
		CUDA_HOST_NODE_PARAMS host;
		CUgraph graph;
		CUevent event;
		CUDA_MEM_ALLOC_NODE_PARAMS alloc;
		CUdeviceptr freed;
		CUDA_CONDITIONAL_NODE_PARAMS conditional;
	};
	int64_t reserved2;
} CUgraphNodeParams;

/* Handles that other processes open; calls take them by value. */
typedef struct {
	char reserved[64];
} CUipcMemHandle;
typedef struct {
	char reserved[64];
} CUipcEventHandle;
enum { CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS = 1 };

typedef struct {
	unsigned char from_port, to_port, type, reserved[5];
} CUgraphEdgeData;

typedef struct {
	unsigned result;
	CUgraphNode errorNode, errorFromNode;
} CUgraphExecUpdateResultInfo;

typedef struct {
	uint64_t flags;
	CUstream hUploadStream;
	CUgraphNode hErrNode_out;
	unsigned result_out;
} CUDA_GRAPH_INSTANTIATE_PARAMS;

#endif
