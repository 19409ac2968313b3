/* SPDX-License-Identifier: MIT */
/*
 * What the files of libcudart share. The runtime is a layer over the driver's calls only: it keeps
 * the programs' fat binaries, the thread's last error and the choice of a device.
 *
 * The same sources make libcudart.so.12 and .13; CUDART_MAJOR is the difference.
 */
#ifndef SOV_CUDA_RUNTIME_H
#define SOV_CUDA_RUNTIME_H

#include <pthread.h>
#include <stdbool.h>
#include "libsov/cuda/abi.h"
#include "libsov/cuda/driver/calls.h"

#define RT CUDA_EXPORT cudaError_t

typedef CUresult cudaError_t;
typedef struct {
	unsigned x, y, z;
} dim3;
typedef struct {
	int x, y, z, w;
	unsigned kind; /* 0 signed, 1 unsigned, 2 float, 3 none */
} cudaChannelFormatDesc;
typedef struct {
	size_t width, height, depth;
} cudaExtent;
typedef struct {
	void *ptr;
	size_t pitch, xsize, ysize;
} cudaPitchedPtr;
typedef struct {
	size_t x, y, z;
} cudaPos;

typedef struct {
	CUarray srcArray;
	cudaPos srcPos;
	cudaPitchedPtr srcPtr;
	CUarray dstArray;
	cudaPos dstPos;
	cudaPitchedPtr dstPtr;
	cudaExtent extent;
	unsigned kind;
} cudaMemcpy3DParms;

typedef struct {
	CUarray srcArray;
	cudaPos srcPos;
	cudaPitchedPtr srcPtr;
	int srcDevice;
	CUarray dstArray;
	cudaPos dstPos;
	cudaPitchedPtr dstPtr;
	int dstDevice;
	cudaExtent extent;
} cudaMemcpy3DPeerParms;

enum {
	HOST_TO_HOST = 0,
	HOST_TO_DEVICE = 1,
	DEVICE_TO_HOST = 2,
	DEVICE_TO_DEVICE = 3,
	COPY_DEFAULT = 4
};

/* ---- errors and contexts: error.c, device.c ---- */

/* Makes the error the thread's last one, unless it is none. */
cudaError_t rt_return(CUresult e);
/* Makes a context current if none is. */
CUresult rt_ready(void);
#define READY() \
	do { \
		CUresult ready_error = rt_ready(); \
		if (ready_error) \
			return rt_return(ready_error); \
	} while (0)
/* Runs a driver call in the current context. */
#define CALL(call) \
	do { \
		READY(); \
		return rt_return(call); \
	} while (0)
/* A number that names the current context, and changes when it is reset. */
uint64_t rt_context_id(void);
cudaError_t rt_missing(const char *call);

/* ---- registered code: registry.c ---- */

struct rt_kernel;
/* The kernel of a host function, or of a handle of __cudaGetKernel; NULL: none. */
struct rt_kernel *rt_kernel_find(const void *function);
CUresult rt_kernel_function(struct rt_kernel *k, CUfunction *out);
/* The function of the current context for what a program passes as one. */
CUresult rt_function(const void *function, CUfunction *out);
/* The address of a variable; host addresses of symbols and their names are symbols. */
CUresult rt_symbol(const void *symbol, CUdeviceptr *address, size_t *bytes);
/* Calls of the form _ptsz and _ptds. */
extern __thread unsigned rt_per_thread;
static inline CUstream rt_stream(CUstream s)
{
	return !s && rt_per_thread ? CU_STREAM_PER_THREAD : s;
}
cudaError_t rt_launch_error(CUresult e);

#endif
