/* SPDX-License-Identifier: MIT */
/*
 * What the files of libcuda.so.1 share: the objects behind CUDA's handles, each a thin layer over
 * an object of sov.h.
 */
#ifndef SOV_CUDA_DRIVER_H
#define SOV_CUDA_DRIVER_H

#include <pthread.h>
#include <stdbool.h>
#include "libsov/cuda/abi.h"
#include "libsov/cuda/driver/calls.h"
#include "libsov/sov.h"

#define CUDA_VERSION 13000
#define MAX_DEVICES  64

/* An entry point; entries.def lists all. */
#define API CUDA_EXPORT CUresult

/* The first word of an object: a handle of another kind, or of a destroyed object, is rejected. */
enum cuda_magic {
	MAGIC_CONTEXT = 0x63747831,
	MAGIC_STREAM = 0x73747231,
	MAGIC_EVENT = 0x65766e31,
	MAGIC_MODULE = 0x6d6f6431,
	MAGIC_FUNCTION = 0x66756e31,
	MAGIC_LIBRARY = 0x6c696231,
	MAGIC_KERNEL = 0x6b726e31,
	MAGIC_GRAPH = 0x67726831,
	MAGIC_NODE = 0x6e6f6431,
	MAGIC_EXEC = 0x65786531,
	MAGIC_ARRAY = 0x61727231,
	MAGIC_LINK = 0x6c6e6b31,
	MAGIC_MIPMAPPED = 0x6d697031,
};
#define IS(handle, kind) ((handle) && *(const uint32_t *)(handle) == MAGIC_##kind)

/* ---- errors: error.c ---- */

CUresult cuda_result(sov_result r);
/* The result of a call on a context, whose sticky error has details. */
CUresult cuda_context_result(CUcontext c, sov_result r);
/* Writes a line if SOV_LOG has "cuda" or a level. */
void cuda_log(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A call that is not implemented. */
CUresult cuda_missing(const char *call, const char *why);

/* ---- devices: device.c ---- */

struct cuda_device {
	sov_device sov;
	sov_device_properties properties;
	sov_device_identity identity;
	int major, minor;
	CUcontext primary;
	unsigned primary_flags;
};
CUresult cuda_initialise(void);
/* NULL: no such device, or not initialised; *r says which. */
struct cuda_device *cuda_device_get(CUdevice ordinal, CUresult *r);
int cuda_device_count(void);

/* ---- contexts: context.c ---- */

struct CUctx_st {
	uint32_t magic;
	CUdevice ordinal;
	struct cuda_device *device;
	struct CUctx_st *next_destroyed;
	bool primary;
	unsigned retained, flags;
	uint64_t id;
	pthread_mutex_t lock; /* of the lists, and of the creation of sov */
	sov_context sov;      /* NULL until the first call that needs it, so that limits count */
	size_t limits[CU_LIMITS];
	CUstream streams; /* all, linked */
	CUstream legacy;
	/* Order between the legacy stream and blocking streams: stream.c. */
	bool blocking_work;
	uint64_t legacy_submits;
	sov_event legacy_event;
	CUmodule modules;
	unsigned captures; /* active ones of streams that the legacy stream waits for */
	struct destroyed_event *destroyed_events; /* whose memory work may still use */
};

/* The memory of an event between processes that the program destroyed: shared_event.c. */
struct destroyed_event {
	struct destroyed_event *next;
	sov_ptr memory;
};

/* The thread's current context, ready for use; NULL after *r. */
CUcontext cuda_context(CUresult *r);
CUresult cuda_context_ready(CUcontext c);
CUcontext cuda_context_peek(void);
void cuda_context_set(CUcontext c);
CUresult cuda_primary_retain(CUdevice ordinal, CUcontext *out);

/* ---- streams and events: stream.c, event.c ---- */

struct capture;
struct CUstream_st {
	uint32_t magic;
	unsigned flags;
	CUcontext context;
	sov_stream sov;
	CUstream next, *link;
	int priority;
	uint64_t id;
	bool orders; /* a stream that synchronises with the legacy stream, or the legacy one */
	bool legacy, per_thread, dirty; /* dirty: has work that the legacy stream has not seen */
	uint64_t legacy_seen;
	sov_event order_event;
	struct capture *capture; /* NULL: not capturing */
	CUgraphNode *depends;    /* what its next captured node depends on */
	uint32_t depend_count;
};
/* The stream that a handle names, with its context ready; NULL after *r. */
CUstream cuda_stream(CUstream handle, CUresult *r);
CUresult cuda_stream_order_slow(CUstream s);
/* Before and after work is submitted to a stream. */
static inline CUresult cuda_stream_begin(CUstream s)
{
	CUcontext c = s->context;

	if (!s->orders)
		return CUDA_SUCCESS;
	if (s->legacy ? !__atomic_load_n(&c->blocking_work, __ATOMIC_ACQUIRE)
		      : __atomic_load_n(&s->legacy_seen, __ATOMIC_ACQUIRE) ==
				__atomic_load_n(&c->legacy_submits, __ATOMIC_ACQUIRE))
		return CUDA_SUCCESS;
	return cuda_stream_order_slow(s);
}
static inline void cuda_stream_end(CUstream s)
{
	CUcontext c = s->context;

	if (!s->orders)
		return;
	if (s->legacy) {
		__atomic_fetch_add(&c->legacy_submits, 1, __ATOMIC_RELEASE);
	} else if (!__atomic_load_n(&s->dirty, __ATOMIC_RELAXED) ||
		   !__atomic_load_n(&c->blocking_work, __ATOMIC_RELAXED)) {
		__atomic_store_n(&s->dirty, true, __ATOMIC_RELEASE);
		__atomic_store_n(&c->blocking_work, true, __ATOMIC_RELEASE);
	}
}
/* Calls of the form _ptds and _ptsz mean the per-thread stream by NULL. */
extern __thread unsigned cuda_per_thread_default;
CUresult cuda_streams_create(CUcontext c);
void cuda_streams_destroy(CUcontext c);

struct CUevent_st {
	uint32_t magic;
	unsigned flags;
	CUcontext context;
	sov_event sov;
	bool recorded;
	/* shared_event.c: memory that processes share, its mapping, and whose handle it has. */
	sov_ptr shared;
	uint64_t *counters;
	bool has_handle;
	CUipcEventHandle handle;
	uint64_t capture_id; /* of the last record, if it was captured; else 0 */
	CUgraphNode *depends;
	uint32_t depend_count;
};

/* Of events between processes: shared_event.c. */
CUresult cuda_shared_event_create(CUevent event);
CUresult cuda_shared_event_open(CUevent event, const CUipcEventHandle *handle);
CUresult cuda_shared_event_destroy(CUevent event);
/* The context is destroyed, with its memory. */
void cuda_shared_events_forget(CUcontext c);
CUresult cuda_shared_event_record(CUevent event, CUstream s);
CUresult cuda_shared_event_stream_wait(CUevent event, CUstream s);
CUresult cuda_shared_event_wait(CUevent event, bool poll);

/* ---- memory: memory.c ---- */

enum memory_kind {
	MEMORY_DEVICE,
	MEMORY_HOST,
	MEMORY_REGISTERED,
	MEMORY_MANAGED,
	MEMORY_POOL,
	MEMORY_VARIABLE, /* a managed variable of a module */
	MEMORY_IPC       /* of another process */
};
struct memory_range {
	uint64_t address, bytes;
	CUcontext context;
	enum memory_kind kind;
	unsigned flags;
	CUmodule module; /* of a variable */
};
/* The registered range that contains the address. */
bool cuda_memory_find(uint64_t address, struct memory_range *out);
CUresult cuda_memory_add(const struct memory_range *range);
bool cuda_memory_take(uint64_t address, struct memory_range *out);
/* Forgets what belongs to a context, or to one of its modules. */
void cuda_memory_forget(CUcontext c, CUmodule m);
/* ipc.c: a result of sov_memory_import; the end of a context with memory of other processes. */
CUresult cuda_ipc_result(CUcontext c, sov_result r);
void cuda_ipc_forget(CUcontext c);
CUresult cuda_copy(CUcontext c, CUstream s, CUdeviceptr to, CUdeviceptr from, size_t bytes,
		   bool wait);
CUresult cuda_copy_3d(CUcontext c, CUstream s, const CUDA_MEMCPY3D *p, bool wait);
CUresult cuda_fill(CUstream s, CUdeviceptr to, size_t pitch, unsigned value, unsigned element,
		   size_t width, size_t height, bool wait);
/* A 3D copy as two addresses and pitches; false: it has an array without linear memory. */
bool cuda_copy_rect(const CUDA_MEMCPY3D *p, sov_copy_rect *out);
/* Whether an address is not pinned, or is any host memory, which the host may copy itself. */
bool cuda_is_pageable(CUcontext c, CUdeviceptr address);
bool cuda_is_host(CUcontext c, CUdeviceptr address);

/* ---- arrays: texture.c ---- */

struct CUarray_st {
	uint32_t magic;
	CUcontext context;
	CUDA_ARRAY3D_DESCRIPTOR d;
	size_t row_bytes, height, depth; /* of texels; height and depth are at least 1 */
	CUdeviceptr memory;              /* pitched rows; 0: the texture's own layout */
	size_t pitch;
	sov_texture texels;      /* in its own layout; of a level alone */
	CUmipmappedArray levels; /* whose level it is; NULL: its own array */
	unsigned level;
};

#define MAX_LEVELS 16
struct CUmipmappedArray_st {
	uint32_t magic;
	CUcontext context;
	CUDA_ARRAY3D_DESCRIPTOR d;
	unsigned count;
	sov_texture texels;
	struct CUarray_st level[MAX_LEVELS];
};
size_t cuda_format_bytes(CUarray_format f);

/* ---- modules: module.c, image.c ---- */

struct CUfunc_st {
	uint32_t magic;
	uint32_t parameters;
	sov_function sov;
	CUmodule module;
	uint32_t static_shared, max_dynamic_shared, device_max_shared;
	bool needs_large_shared; /* dynamic shared memory above 48 KiB needs an attribute */
	int carveout, cluster_large;
	uint32_t parameter_bytes;
	struct CUfunc_st *next;
	uint32_t (*layout)[2]; /* offset and size of each parameter */
	char *name;
};
struct CUmod_st {
	uint32_t magic;
	CUcontext context;
	sov_module sov;
	CUfunction functions;
	int binary_version, ptx_version;
	bool managed; /* its variables are host memory */
	CUmodule next, *link;
};
/* Options of a load or link: jit.c. */
struct jit_options {
	unsigned count;
	const unsigned *options;
	void **values;
	char *info, *error;
	size_t info_bytes, error_bytes;
	unsigned level; /* of optimisation; 4: default */
	double start;   /* milliseconds */
};
CUresult cuda_jit_read(struct jit_options *jit, unsigned count, const unsigned *options,
		       void **values);
/* Writes the messages of the last load or link to a log. */
void cuda_jit_report(struct jit_options *jit, bool failed);
/* Writes the values that CUDA returns in the array of values. */
void cuda_jit_finish(struct jit_options *jit);
struct cuda_image;
/* How much the device prefers an image of a fat binary; 0: it cannot run it. */
unsigned cuda_image_rank(const struct cuda_image *i, const struct cuda_device *d);
CUresult cuda_module_load(CUcontext c, const void *image, size_t bytes, struct jit_options *jit,
			  CUmodule *out);
CUresult cuda_module_unload(CUmodule m);
/* A file with a zero after its end; NULL: it cannot be read. */
void *cuda_read_file(const char *path, size_t *bytes);
CUresult cuda_module_function(CUmodule m, const char *name, CUfunction *out);
void cuda_modules_destroy(CUcontext c);
/* The function of a handle, which may be a kernel of a library. */
CUfunction cuda_function(CUfunction handle, CUresult *r);

/* ---- launches: launch.c ---- */

struct launch {
	CUfunction function;
	unsigned grid[3], block[3], shared, cluster[3];
	bool cooperative;
};
bool cuda_launch_is_empty(const struct launch *l);
CUresult cuda_launch(const struct launch *l, CUstream s, void *const *arguments);

/* ---- graphs ---- */

/* Adds a node for a stream that captures. */
CUresult cuda_capture_kernel(CUstream s, const struct launch *l, void *const *arguments);
CUresult cuda_capture_copy(CUstream s, const CUDA_MEMCPY3D *p);
CUresult cuda_capture_fill(CUstream s, const CUDA_MEMSET_NODE_PARAMS *p);
CUresult cuda_capture_host(CUstream s, CUhostFn function, void *user);
CUresult cuda_capture_alloc(CUstream s, size_t bytes, CUdeviceptr *out);
CUresult cuda_capture_free(CUstream s, CUdeviceptr address);
CUresult cuda_capture_record(CUstream s, CUevent e);
/* The stream waits for an event that was recorded in a capture. */
CUresult cuda_capture_wait(CUstream s, CUevent e);
CUresult cuda_capture_unsupported(CUstream s);

#endif
