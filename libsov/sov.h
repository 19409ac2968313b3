/* SPDX-License-Identifier: MIT */
/*
 * libsov, version 0: run compute kernels on a GPU, real or software, with no vendor's compiler or
 * runtime. See libsov(3).
 *
 * Every call returns a sov_result; sov_result_name and sov_result_string explain it, and
 * sov_last_error says what went wrong in particular, for the calling thread. All calls may be made
 * from any thread at any time.
 *
 * A context is the unit of fate. Work runs asynchronously; when it fails, the next call on its
 * context returns the error, sov_last_error names kernel and cause, and every later call on that
 * context returns the same error until sov_context_reset or sov_context_destroy. Calls that give
 * something back (free, unload, destroy) do so even then, and still return the error. Other
 * contexts are not touched.
 *
 * No call waits without a limit. Times are nanoseconds. Handles are names, not pointers: one that
 * was destroyed is found out and refused, never followed.
 *
 * Structures begin with their size, set by the caller (SOV_INIT does it), so that they can grow:
 * members that an older caller does not know read as zero, members that an older library does not
 * know must be zero.
 */
#ifndef SOV_H
#define SOV_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
template <class T> inline T sov_init_of()
{
	T t = T();
	t.size = static_cast<uint32_t>(sizeof(T));
	return t;
}
#define SOV_INIT(type) (sov_init_of<type>())
extern "C" {
#else
#define SOV_INIT(type) ((type){.size = (uint32_t)sizeof(type)})
#endif

#define SOV_VERSION_MAJOR 0
#define SOV_VERSION_MINOR 1

#if defined(__GNUC__)
#define SOV_API __attribute__((visibility("default")))
#else
#define SOV_API
#endif

typedef enum sov_result {
	SOV_OK = 0,
	SOV_NOT_READY = 1,              /* asked without waiting, and not finished: not an error */
	SOV_ERROR_INVALID_ARGUMENT = 2, /* or an environment variable */
	SOV_ERROR_INVALID_HANDLE = 3,   /* not a live object, or of another context */
	SOV_ERROR_INVALID_ADDRESS = 4,  /* no allocation, already freed, or range outside of it */
	SOV_ERROR_NO_DEVICE = 5,
	SOV_ERROR_OUT_OF_MEMORY = 6, /* of the device */
	SOV_ERROR_OUT_OF_HOST_MEMORY = 7,
	SOV_ERROR_INVALID_SOURCE = 8,  /* PTX, SPIR-V or image refused; the messages say where */
	SOV_ERROR_NOT_FOUND = 9,       /* no such kernel or variable */
	SOV_ERROR_INVALID_LAUNCH = 10, /* grid, block, shared memory or arguments do not fit */
	SOV_ERROR_TIMEOUT = 11,        /* the wait's limit passed; the work goes on */
	SOV_ERROR_UNSUPPORTED = 12,    /* not by this device or not in this version; says which */
	SOV_ERROR_FAULT = 13,          /* sticky: a kernel or copy faulted */
	SOV_ERROR_HANG = 14,        /* sticky: a kernel ran past its time limit and was stopped */
	SOV_ERROR_DEVICE_LOST = 15, /* sticky */
	SOV_ERROR_BUSY = 16,        /* another thread is using the object in this moment */
	SOV_ERROR_INTERNAL = 17,
	SOV_ERROR_CANCELLED = 18, /* another thread reset or destroyed the context meanwhile */
	SOV_ERROR_ASSERT = 19     /* sticky: an assertion of a kernel failed, or a bad free */
} sov_result;

SOV_API const char *sov_result_name(sov_result r);     /* "SOV_ERROR_FAULT" */
SOV_API const char *sov_result_string(sov_result r); /* "A kernel or copy faulted." */
/* What the calling thread's last failed call has to say; "" when none. Valid until its next
 * call. */
SOV_API const char *sov_last_error(void);
/* Version of the library, major << 16 | minor. */
SOV_API uint32_t sov_version(void);

#define SOV_NO_WAIT  UINT64_C(0)
/* Longest wait that can be asked for: one hour. */
#define SOV_MAX_WAIT UINT64_C(3600000000000)

/* ---- devices ---- */

typedef struct sov_device_t *sov_device; /* lives as long as the process */
typedef struct sov_context_t *sov_context;
typedef struct sov_module_t *sov_module;
typedef struct sov_function_t *sov_function; /* lives as long as its module */
typedef struct sov_stream_t *sov_stream;
typedef struct sov_event_t *sov_event;
typedef struct sov_graph_t *sov_graph;
typedef struct sov_graph_exec_t *sov_graph_exec;
/* An address on a GPU; unique across all devices and the process's host memory. 0 is never one. */
typedef uint64_t sov_ptr;

typedef enum sov_feature {
	SOV_FEATURE_F64 = 1u << 0,
	SOV_FEATURE_F16 = 1u << 1,
	SOV_FEATURE_SOFTWARE = 1u << 2,     /* a software GPU */
	SOV_FEATURE_HAZARD_CHECK = 1u << 3, /* it checks stalls and scoreboards */
	SOV_FEATURE_TIMESTAMPS = 1u << 4
} sov_feature;

typedef struct sov_device_properties {
	uint32_t size;
	uint32_t ordinal;
	char name[64];     /* "gh100.0": for sov_device_open_name and SOV_VISIBLE_DEVICES */
	char product[64];  /* for people */
	char target[16];   /* what to compile for: "sm_90" */
	char winsys[16];   /* the way to it: "soft", "nvrm", "kmod" */
	uint32_t features; /* sov_feature bits */
	uint32_t warp_size;
	uint32_t multiprocessors;
	uint32_t max_threads_per_block;
	uint32_t max_block[3];
	uint32_t max_grid[3];
	uint32_t max_shared_per_block, shared_per_multiprocessor;
	uint32_t registers_per_multiprocessor;
	uint32_t max_threads_per_multiprocessor;
	uint64_t memory_bytes;
	char driver[64]; /* what stands behind the way to it, with its version; for people */
	int32_t min_priority, max_priority; /* of streams */
} sov_device_properties;

/* Devices that SOV_VISIBLE_DEVICES lets through, in its order; without it all, real ones first.
 * Ordinals are 0 … count - 1. */
SOV_API sov_result sov_device_count(uint32_t *count);
SOV_API sov_result sov_device_open(uint32_t ordinal, sov_device *device);
SOV_API sov_result sov_device_open_name(const char *name, sov_device *device);
/* The first device with all of these; zero members ask for nothing. */
typedef struct sov_device_requirements {
	uint32_t size;
	uint32_t features;          /* must have */
	uint32_t features_excluded; /* must not have, e.g. SOV_FEATURE_SOFTWARE */
	uint32_t multiprocessors;   /* at least */
	uint64_t memory_bytes;      /* at least */
	const char *target;         /* exactly; NULL = any */
} sov_device_requirements;
SOV_API sov_result sov_device_open_matching(const sov_device_requirements *wish, sov_device *device);
SOV_API sov_result sov_device_get_properties(sov_device device, sov_device_properties *properties);

/* ---- contexts ---- */

typedef struct sov_context_options {
	uint32_t size;
	uint32_t flags; /* 0 */
	/* A kernel that runs longer, from when a call first sees it running, is stopped by the next
	 * call on the context other than a launch, or by the call that waits for it:
	 * SOV_ERROR_HANG. A launch can have a limit of its own. 0: as SOV_KERNEL_TIME_LIMIT says,
	 * without it 10 s, on a software GPU 10 minutes. */
	uint64_t kernel_time_limit;
	/* Stack of each thread beyond what kernels are known to need, for those of which nobody can say
	 * how much that is: their functions call each other in a circle or through pointers. Both
	 * together are at most what a thread can have. 0 = 1 KiB; at most 512 KiB, AMD 262,112 bytes. */
	uint32_t stack_bytes;
	/* Kernels may call printf, assert, malloc and free. What they print is read while threads
	 * wait for the GPU, at the latest when such a wait ends, and goes to stdout, or to print,
	 * which must not call the library. Nothing on the GPU waits for that: lines that do not fit
	 * into print_bytes, a power of two, are lost, and that is said. 0 = 8 MiB; both. */
	uint64_t print_bytes;
	uint64_t heap_bytes; /* for malloc */
	void (*print)(void *user, const char *text, size_t bytes);
	void *print_user;
} sov_context_options;
SOV_API sov_result sov_context_create(sov_device device, const sov_context_options *options,
				      sov_context *context);
/* Frees everything in it; waits for running work only until it can be stopped. */
SOV_API sov_result sov_context_destroy(sov_context context);
/* Clears a sticky error and drops all pending work. Memory keeps its content; modules, functions,
 * streams and events stay; an event whose record was dropped counts as never recorded. */
SOV_API sov_result sov_context_reset(sov_context context);
/* The sticky error, without any other effect. */
SOV_API sov_result sov_context_status(sov_context context);
/* For everything that was submitted to any stream of the context before. */
SOV_API sov_result sov_context_wait(sov_context context, uint64_t limit);
SOV_API sov_result sov_context_get_device(sov_context context, sov_device *device);

typedef struct sov_fault {
	uint32_t size;
	sov_result result;
	char kernel[128]; /* "" when not a kernel */
	char cause[256];  /* one sentence */
	uint64_t address; /* of the access; 0 = none */
	uint64_t pc;      /* byte offset in the kernel's code; UINT64_MAX = none */
	uint32_t block[3], thread[3];
	char instruction[128]; /* disassembled; "" when unknown */
	uint32_t has_thread;       /* 1: block and thread are known; a real GPU does not tell */
	char source[256];      /* "file:line" of the instruction; "" when the image does not tell */
} sov_fault;
/* What is known about the sticky error; SOV_ERROR_NOT_FOUND when there is none. */
SOV_API sov_result sov_context_get_fault(sov_context context, sov_fault *fault);

/* ---- memory ---- */

SOV_API sov_result sov_memory_alloc(sov_context context, uint64_t bytes, sov_ptr *address);
/* Waits for work that was launched before, then frees. Address must be what alloc returned. */
SOV_API sov_result sov_memory_free(sov_context context, sov_ptr address);
/* Each side is a GPU address or a host address, told apart by value; at least one is a GPU address.
 * GPU ranges are checked against their allocation and may not overlap. Runs on the context's first
 * stream and returns when the copy is done. */
SOV_API sov_result sov_memory_copy(sov_context context, sov_ptr destination, sov_ptr source,
				   uint64_t bytes);
/* Host memory that is pinned is the copy's until the stream has reached it. Other host memory is not:
 * the call returns when it may be read (destination) or written (source) again. */
SOV_API sov_result sov_memory_copy_async(sov_stream stream, sov_ptr destination, sov_ptr source,
					 uint64_t bytes);
/* Repeats the low element_bytes (1, 2 or 4) of value, count times, on the context's first stream;
 * the address is a multiple of element_bytes. Returns when it is done. */
SOV_API sov_result sov_memory_fill(sov_context context, sov_ptr address, uint32_t value,
				   uint32_t element_bytes, uint64_t count);
SOV_API sov_result sov_memory_fill_async(sov_stream stream, sov_ptr address, uint32_t value,
					 uint32_t element_bytes, uint64_t count);
/* A box of bytes: rows of width_bytes, height of them in a slice, depth slices. Rows of a side are
 * its pitch apart, its slices so many rows; 0 = packed. Otherwise as sov_memory_copy_async. */
typedef struct sov_copy_rect {
	uint32_t size;
	uint32_t reserved;
	sov_ptr destination, source;
	uint64_t destination_pitch, source_pitch;
	uint64_t destination_rows, source_rows;
	uint64_t width_bytes, height, depth; /* height and depth: 0 = 1 */
} sov_copy_rect;
SOV_API sov_result sov_memory_copy_rect_async(sov_stream stream, const sov_copy_rect *box);
SOV_API sov_result sov_memory_info(sov_context context, uint64_t *free_bytes,
				   uint64_t *total_bytes);
/* Allocation that holds the address. */
SOV_API sov_result sov_memory_range(sov_context context, sov_ptr address, sov_ptr *start,
				    uint64_t *bytes);

/* Address space for max_bytes, of which the first bytes, none at first, are memory: resize makes
 * them more or less in place. To make it less waits for work that was launched before.
 * sov_memory_free frees both. */
SOV_API sov_result sov_memory_reserve(sov_context context, uint64_t max_bytes, sov_ptr *address);
SOV_API sov_result sov_memory_resize(sov_context context, sov_ptr address, uint64_t bytes);

/* Memory of the context's pool, in the order of a stream: it may be used by work that is
 * submitted to the stream after alloc_async and before free_async, and by other streams that wait
 * for what lies between. Neither waits for the GPU, unless its memory is full or much of the pool's
 * was freed that it still uses. Addresses are multiples of 256. sov_memory_free frees them, too. */
SOV_API sov_result sov_memory_alloc_async(sov_stream stream, uint64_t bytes, sov_ptr *address);
SOV_API sov_result sov_memory_free_async(sov_stream stream, sov_ptr address);
/* Gives back to the device what the pool holds and nobody uses, until it holds keep_bytes. */
SOV_API sov_result sov_pool_trim(sov_context context, uint64_t keep_bytes);
/* The pool holds at most so much; what is over is SOV_ERROR_OUT_OF_MEMORY. 0 = no limit. */
SOV_API sov_result sov_pool_set_limit(sov_context context, uint64_t bytes);
typedef struct sov_pool_statistics {
	uint32_t size;
	uint32_t reserved;
	uint64_t used_bytes, peak_used_bytes; /* as asked for */
	uint64_t held_bytes, peak_held_bytes; /* of the device's memory */
	uint64_t limit_bytes;
	uint64_t allocations;         /* of the pool, so far */
	uint64_t backing_allocations; /* of the device, for them */
} sov_pool_statistics;
SOV_API sov_result sov_pool_get_statistics(sov_context context, sov_pool_statistics *statistics);
#define SOV_HOST(pointer) ((sov_ptr)(uintptr_t)(pointer))

/* Host memory that the GPU reaches, at the same address: SOV_HOST(pointer) may be given to kernels,
 * copied from and to without a detour, and filled. It is pinned: as long as it is, the host cannot
 * take its pages away. It belongs to one context; to others it is host memory like any other.
 * What alloc gives is zeroed, begins a page, and goes with its context. */
SOV_API sov_result sov_host_alloc(sov_context context, uint64_t bytes, void **pointer);
/* Both wait for work that was launched before. Pointer must be what alloc returned, or what
 * register was given. */
SOV_API sov_result sov_host_free(sov_context context, void *pointer);
SOV_API sov_result sov_host_unregister(sov_context context, void *pointer);
/* Pins memory of the caller's own, whole pages around it; no page of it may be registered already.
 * It must stay mapped until it is unregistered, or its context destroyed. */
SOV_API sov_result sov_host_register(sov_context context, void *pointer, uint64_t bytes);

/* ---- modules and functions ---- */

typedef struct sov_module_options {
	uint32_t size;
	uint32_t flags; /* SOV_MODULE_… */
} sov_module_options;
#define SOV_MODULE_SERIAL      1u /* every instruction waits: to find faults of scheduling */
#define SOV_MODULE_UNOPTIMISED 2u /* as it stands in the PTX (-O0): to find faults of optimising */
#define SOV_MODULE_EAGER       4u /* all kernels are compiled now, by all processors: see below */

/* PTX text, SPIR-V (not yet) or an image (cubin), told apart by content; bytes counts no
 * terminator. The data may be given back afterwards. All of a text is read, and its errors are
 * reported; the machine code of many kernels is made when each is first asked for, by get_function,
 * which then reports what makes that impossible (too many registers or too much memory). */
SOV_API sov_result sov_module_load(sov_context context, const void *data, size_t bytes,
				   const sov_module_options *options, sov_module *module);
/* Waits for launches of its functions, then frees it and them. */
SOV_API sov_result sov_module_unload(sov_module module);
/* Messages of the compiler for the calling thread's last sov_module_load, or get_function that
 * failed; "" when none. */
SOV_API const char *sov_module_messages(void);
SOV_API sov_result sov_module_get_function(sov_module module, const char *name,
					   sov_function *function);
/* SOV_ERROR_NOT_FOUND past the last. */
SOV_API sov_result sov_module_get_function_at(sov_module module, uint32_t index,
					      sov_function *function);

/* A variable of the module, in global or constant memory: where it is and how large. It has its
 * initial value when the module has been loaded and lives as long as the module; it may be copied to
 * and from like any memory, but not freed. What is written to constant memory is seen by launches
 * that come after. address and bytes may be NULL. */
SOV_API sov_result sov_module_get_variable(sov_module module, const char *name, sov_ptr *address,
					   uint64_t *bytes);

typedef struct sov_function_attributes {
	uint32_t size;
	uint32_t registers;
	uint32_t shared_bytes;          /* static, without what the hardware keeps for itself */
	uint32_t local_bytes;           /* per thread */
	uint32_t max_threads_per_block; /* by the device, the kernel's bound and its registers */
	uint32_t code_bytes;
	uint32_t parameters, parameter_bytes;
	char name[128]; /* cut off when longer */
} sov_function_attributes;
SOV_API sov_result sov_function_get_attributes(sov_function function,
					       sov_function_attributes *attributes);
/* Blocks of so many threads, with so much dynamic shared memory, that one multiprocessor holds at the
 * same time; 0: not even one. */
SOV_API sov_result sov_function_get_occupancy(sov_function function, uint32_t threads,
					      uint32_t shared_bytes, uint32_t *blocks);
SOV_API sov_result sov_function_get_parameter(sov_function function, uint32_t index,
					      uint32_t *offset, uint32_t *bytes);

/* ---- streams, launches, waits ---- */

/* Work on one stream runs in order. NULL names the context's own first stream; it is ordered like
 * any other: there is no implicit order between streams. */
SOV_API sov_result sov_stream_create(sov_context context, uint32_t flags, sov_stream *stream);
/* One of another priority than 0, which sov_stream_create's streams have: larger is more urgent. It
 * is advice: the GPU gives more of its time to what is more urgent, and work that runs goes on to run.
 * Kernels of one priority run beside each other; those of different priorities may take turns. A
 * device has few of them, see sov_device_properties; others are refused. */
SOV_API sov_result sov_stream_create_with_priority(sov_context context, uint32_t flags,
						   int32_t priority, sov_stream *stream);
SOV_API sov_result sov_stream_get_priority(sov_stream stream, int32_t *priority);
/* Waits for its work first. The context's first stream goes with the context only. */
SOV_API sov_result sov_stream_destroy(sov_stream stream);
/* For what was submitted to the stream before. SOV_NO_WAIT asks: SOV_NOT_READY. */
SOV_API sov_result sov_stream_wait(sov_stream stream, uint64_t limit);
/* Later work on the stream starts when the event's last record so far has been reached. */
SOV_API sov_result sov_stream_wait_event(sov_stream stream, sov_event event);
/* The context's first stream. */
SOV_API sov_result sov_context_get_stream(sov_context context, sov_stream *stream);

typedef struct sov_launch {
	uint32_t size;
	uint32_t shared_bytes; /* dynamic */
	uint32_t grid[3], block[3];
	sov_stream stream;            /* NULL: the context's first stream */
	const void *const *arguments; /* one pointer per parameter */
	const size_t *argument_bytes; /* NULL, or one size per argument, to be checked */
	uint32_t argument_count;
	uint32_t flags;      /* SOV_LAUNCH_COOPERATIVE */
	uint64_t time_limit; /* of this kernel, as kernel_time_limit; 0: the context's */
} sov_launch;
/* All blocks are on the GPU at the same time, so that they may wait for each other; a grid that has
 * more of them than fit is refused. Kernels of other streams may delay its start. */
#define SOV_LAUNCH_COOPERATIVE 1u
SOV_API sov_result sov_function_launch(sov_function function, const sov_launch *launch);

/* Events mark points in streams and carry the GPU's time. Recording again moves the mark; records
 * of one event are reached in the order in which they were made, also across streams. */
SOV_API sov_result sov_event_create(sov_context context, uint32_t flags, sov_event *event);
#define SOV_EVENT_DISABLE_TIMING 1u /* no time is taken: recording costs the GPU nothing */
SOV_API sov_result sov_event_destroy(sov_event event);
SOV_API sov_result sov_event_record(sov_event event, sov_stream stream);
/* SOV_NO_WAIT asks: SOV_NOT_READY. An event that was never recorded is an invalid argument. */
SOV_API sov_result sov_event_wait(sov_event event, uint64_t limit);
/* GPU time from one recorded event to another; SOV_NOT_READY when one has not been reached. */
SOV_API sov_result sov_event_elapsed(sov_event from, sov_event to, uint64_t *nanoseconds);

/* A function of the host's in the stream: it runs when all work before it is done, in a thread of the
 * library, and work behind it when it has returned. It must not wait for its own context, whose host
 * functions all run in that thread; nor can it destroy it: SOV_ERROR_BUSY. When the context fails or
 * is reset before its turn, it is not called. sov_context_destroy waits for one that runs. */
SOV_API sov_result sov_stream_host_function(sov_stream stream, void (*function)(void *user), void *user);

/* ---- graphs ---- */

/* Work with its order, written down once and run many times: kernels, copies, fills and host
 * functions. Nodes have numbers from 1; each comes after those that are named, and its arguments are
 * taken when it is added. Both sides of a copy are memory that the GPU reaches. node may be NULL. */
typedef uint32_t sov_node;
SOV_API sov_result sov_graph_create(sov_context context, uint32_t flags, sov_graph *graph);
SOV_API sov_result sov_graph_destroy(sov_graph graph);
/* launch's stream does not matter. */
SOV_API sov_result sov_graph_add_kernel(sov_graph graph, const sov_node *after, uint32_t count,
					sov_function function, const sov_launch *launch,
					sov_node *node);
SOV_API sov_result sov_graph_add_copy(sov_graph graph, const sov_node *after, uint32_t count,
				      sov_ptr destination, sov_ptr source, uint64_t bytes,
				      sov_node *node);
/* Each slice of the box is a node; the one that is told comes after all of them. */
SOV_API sov_result sov_graph_add_copy_rect(sov_graph graph, const sov_node *after, uint32_t count,
				     const sov_copy_rect *box, sov_node *node);
SOV_API sov_result sov_graph_add_fill(sov_graph graph, const sov_node *after, uint32_t count,
				      sov_ptr address, uint32_t value, uint32_t element_bytes,
				      uint64_t elements, sov_node *node);
SOV_API sov_result sov_graph_add_host_function(sov_graph graph, const sov_node *after, uint32_t count,
				      void (*function)(void *user), void *user, sov_node *node);
/* One more node that to comes after. */
SOV_API sov_result sov_graph_add_dependency(sov_graph graph, sov_node from, sov_node to);
/* Until the end, work for the stream becomes nodes of the graph, and is not run: launches,
 * copy_async, copy_box_async, fill_async, call. Events carry the order to other streams, which are captured as well
 * from when they wait for one; in the end the first stream has to have waited for all of them. */
SOV_API sov_result sov_stream_begin_capture(sov_stream stream, sov_graph graph);
SOV_API sov_result sov_stream_end_capture(sov_stream stream);
/* The graph as it is now, ready to run; what is added later is not in it. Circles are refused. */
SOV_API sov_result sov_graph_instantiate(sov_graph graph, sov_graph_exec *run);
/* Waits for work that was launched before. */
SOV_API sov_result sov_graph_exec_destroy(sov_graph_exec run);
/* Other arguments for a kernel of it; waits until it does not run. */
SOV_API sov_result sov_graph_exec_set_arguments(sov_graph_exec run, sov_node node,
					       const void *const *arguments, uint32_t count);
/* All of it, as one piece of work of the stream; host functions make it several. One run comes after
 * the other, also on different streams. */
SOV_API sov_result sov_graph_launch(sov_graph_exec run, sov_stream stream);

#ifdef __cplusplus
}
#endif

#endif
