/* SPDX-License-Identifier: MIT */
/*
 * libsov, version 0: runs compute kernels on a GPU, hardware or software, without any vendor's
 * compiler or runtime. libsov(3) is the manual.
 *
 * Errors. Every call returns a sov_result. sov_last_error describes the calling thread's last
 * failure. GPU work is asynchronous: when it fails, the next call on its context returns the error,
 * and so does every later call (a sticky error) until sov_context_reset or sov_context_destroy.
 * Calls that free something (free, unload, destroy) do so even then, and still return the error. A
 * fault in one context does not affect others.
 *
 * Threads. Any call may be made from any thread at any time.
 *
 * Waits. Every wait has a timeout. All times are nanoseconds.
 *
 * Handles are checked: a call with a destroyed handle fails and does not crash.
 *
 * Structures begin with their size, which SOV_INIT sets and which versions them: a newer library
 * reads the members that an older program does not know as zero; an older library rejects unknown
 * members that are not zero.
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
	SOV_NOT_READY = 1,              /* polled with SOV_NO_WAIT, not complete: not an error */
	SOV_ERROR_INVALID_ARGUMENT = 2, /* or an invalid environment variable */
	SOV_ERROR_INVALID_HANDLE = 3,   /* destroyed, of another kind, or of another context */
	SOV_ERROR_INVALID_ADDRESS = 4,  /* not inside one live allocation */
	SOV_ERROR_NO_DEVICE = 5,
	SOV_ERROR_OUT_OF_MEMORY = 6, /* device memory */
	SOV_ERROR_OUT_OF_HOST_MEMORY = 7,
	SOV_ERROR_INVALID_SOURCE = 8,  /* PTX or image rejected; see sov_module_messages */
	SOV_ERROR_NOT_FOUND = 9,       /* no kernel, variable or parameter of that name or index */
	SOV_ERROR_INVALID_LAUNCH = 10, /* grid, block, shared memory or arguments do not fit */
	SOV_ERROR_TIMEOUT = 11,        /* the wait timed out; the work continues */
	SOV_ERROR_UNSUPPORTED = 12,    /* by the device or by this version of the library */
	SOV_ERROR_FAULT = 13,          /* sticky: a kernel or copy faulted */
	SOV_ERROR_HANG = 14,        /* sticky: a kernel exceeded its time limit and was stopped */
	SOV_ERROR_DEVICE_LOST = 15, /* sticky */
	SOV_ERROR_BUSY = 16,        /* the object is in use */
	SOV_ERROR_INTERNAL = 17,    /* a bug in the library */
	SOV_ERROR_CANCELLED = 18,   /* another thread reset or destroyed the context */
	SOV_ERROR_ASSERT = 19       /* sticky: assert() failed in a kernel, or an invalid free() */
} sov_result;

/* "SOV_ERROR_FAULT" */
SOV_API const char *sov_result_name(sov_result r);
/* "A kernel or copy faulted." */
SOV_API const char *sov_result_string(sov_result r);
/* Describes the calling thread's last failed call; "" if none failed. Valid until the thread's next
 * call. */
SOV_API const char *sov_last_error(void);
/* The library's version: major << 16 | minor. */
SOV_API uint32_t sov_version(void);

/* Timeouts of waits: poll without waiting, and no timeout. */
#define SOV_NO_WAIT UINT64_C(0)
#define SOV_FOREVER UINT64_MAX

/* ---- devices ---- */

typedef struct sov_device_t *sov_device; /* never destroyed */
typedef struct sov_context_t *sov_context;
typedef struct sov_module_t *sov_module;
typedef struct sov_function_t *sov_function; /* a kernel; destroyed with its module */
typedef struct sov_stream_t *sov_stream;
typedef struct sov_event_t *sov_event;
typedef struct sov_graph_t *sov_graph;
typedef struct sov_graph_exec_t *sov_graph_exec;
/* A GPU address. Addresses are unified: unique across all devices and the process's host memory. 0
 * is never valid. */
typedef uint64_t sov_ptr;
/* The address of host memory. */
#define SOV_HOST(pointer) ((sov_ptr)(uintptr_t)(pointer))

typedef enum sov_feature {
	SOV_FEATURE_F64 = 1u << 0,
	SOV_FEATURE_F16 = 1u << 1,
	SOV_FEATURE_SOFTWARE = 1u << 2, /* a software GPU */
	SOV_FEATURE_HAZARD_CHECK =
		1u << 3, /* a software GPU that reports missing stalls and scoreboard waits */
	SOV_FEATURE_TIMESTAMPS = 1u << 4
} sov_feature;

typedef struct sov_device_properties {
	uint32_t size;
	uint32_t ordinal;
	char name[64];     /* "gh100.0": for sov_device_open_name and SOV_VISIBLE_DEVICES */
	char product[64];  /* marketing name */
	char target[16];   /* compilation target: "sm_90" */
	char winsys[16];   /* the back end that drives it: "soft", "nvrm", "kmod" */
	uint32_t features; /* sov_feature bits */
	uint32_t warp_size;
	uint32_t multiprocessors;
	uint32_t max_threads_per_block;
	uint32_t max_block[3];
	uint32_t max_grid[3];
	uint32_t max_shared_per_block, shared_per_multiprocessor; /* bytes */
	uint32_t registers_per_multiprocessor;
	uint32_t max_threads_per_multiprocessor;
	uint64_t memory_bytes;
	char driver[64];                    /* the kernel driver and its version, human-readable */
	int32_t min_priority, max_priority; /* of streams; larger is more urgent */
	uint32_t max_cluster_blocks;        /* 1: the device has no clusters */
	uint32_t l2_bytes; /* of the L2 cache; 0: not known, or a software GPU, which models none */
} sov_device_properties;

/* The devices that SOV_VISIBLE_DEVICES names, in its order; by default all, hardware first.
 * Ordinals run from 0 to count - 1. */
SOV_API sov_result sov_device_count(uint32_t *count);
SOV_API sov_result sov_device_open(uint32_t ordinal, sov_device *device);
SOV_API sov_result sov_device_open_name(const char *name, sov_device *device);

/* Requirements of a device; members that are zero require nothing. */
typedef struct sov_device_requirements {
	uint32_t size;
	uint32_t features;          /* required */
	uint32_t features_excluded; /* forbidden, e.g. SOV_FEATURE_SOFTWARE */
	uint32_t multiprocessors;   /* minimum */
	uint64_t memory_bytes;      /* minimum */
	const char *target;         /* NULL: any */
} sov_device_requirements;
/* Opens the first device that satisfies all requirements. */
SOV_API sov_result sov_device_open_matching(const sov_device_requirements *requirements,
					    sov_device *device);
SOV_API sov_result sov_device_get_properties(sov_device device, sov_device_properties *properties);

/* The present time of the device's clock, which is that of its events. It has no relation to the
 * host's clocks. */
SOV_API sov_result sov_device_get_time(sov_device device, uint64_t *nanoseconds);

typedef enum sov_device_identity_bit {
	SOV_IDENTITY_PCI = 1u << 0,  /* the device is at the PCI address */
	SOV_IDENTITY_UUID = 1u << 1, /* the device itself reports the UUID */
	SOV_IDENTITY_FILE = 1u << 2  /* the device file has the number */
} sov_device_identity_bit;

/* Members whose bit is not in known are 0. */
typedef struct sov_device_identity {
	uint32_t size;
	uint32_t known; /* sov_device_identity_bit */
	/* For a device that reports none: derived from its name and PCI address, so that it is the
	 * same in each process. */
	uint8_t uuid[16];
	uint32_t pci_domain, pci_bus, pci_device, pci_function;
	uint32_t pci_vendor_id, pci_device_id;
	uint32_t pci_subsystem; /* id << 16 | vendor id; 0: unknown */
	uint32_t file_number;   /* N of /dev/nvidiaN, /dev/sovgpuN, or amdgpu's renderDN */
} sov_device_identity;
SOV_API sov_result sov_device_get_identity(sov_device device, sov_device_identity *identity);

typedef enum sov_device_state_bit {
	SOV_STATE_MEMORY = 1u << 0,
	SOV_STATE_UTILIZATION = 1u << 1,
	SOV_STATE_TEMPERATURE = 1u << 2,
	SOV_STATE_POWER = 1u << 3,
	SOV_STATE_POWER_LIMIT = 1u << 4,
	SOV_STATE_CLOCKS = 1u << 5,
	SOV_STATE_PERFORMANCE = 1u << 6
} sov_device_state_bit;

/* What the device does now. Members whose bit is not in known are 0: the way to the device does not
 * report them. */
typedef struct sov_device_state {
	uint32_t size;
	uint32_t known;                        /* sov_device_state_bit */
	uint64_t memory_bytes, memory_free;    /* by all processes; software GPUs: by this one */
	uint32_t busy_percent, memory_percent; /* time with a kernel running, and with traffic */
	int32_t temperature;                   /* of the chip, thousandths of a degree Celsius */
	uint32_t power, power_limit;           /* milliwatts */
	uint32_t core_mhz, multiprocessor_mhz, memory_mhz; /* clocks */
	uint32_t performance;                              /* NVIDIA's P-state: 0 is the fastest */
	uint32_t reserved;
} sov_device_state;
/* The first call for a device that samples its state waits for the first sample, at most a
 * second. */
SOV_API sov_result sov_device_get_state(sov_device device, sov_device_state *state);

/* A process that computes on the device. */
typedef struct sov_device_process {
	uint32_t pid;
	uint32_t reserved;
	uint64_t memory_bytes; /* of the device; UINT64_MAX: unknown */
} sov_device_process;
/* Writes up to capacity processes; *count is their number, also if it is larger.
 * SOV_ERROR_UNSUPPORTED: the way to the device does not know them. */
SOV_API sov_result sov_device_get_processes(sov_device device, uint32_t capacity,
					    sov_device_process *processes, uint32_t *count);

/* ---- contexts ---- */

typedef struct sov_context_options {
	uint32_t size;
	uint32_t flags; /* 0 */
	/*
	 * Time limit of a kernel, measured from the first call that sees it running. A wait for the
	 * kernel, or the next call on the context other than a launch, stops a kernel that exceeds
	 * it: SOV_ERROR_HANG. A launch may set its own limit. SOV_FOREVER: no limit.
	 * 0: SOV_KERNEL_TIME_LIMIT, by default none, on a software GPU 10 minutes.
	 */
	uint64_t kernel_time_limit;
	/* Stack per thread for kernels whose stack the compiler cannot bound (recursion, calls
	 * through pointers), in addition to the stack that it knows of. 0: 1 KiB. The sum is at
	 * most 512 KiB, on AMD 262,112 bytes. */
	uint32_t stack_bytes;
	/*
	 * printf() in kernels writes into a ring buffer of print_bytes, a power of two (0: 8 MiB).
	 * A thread that waits for the GPU reads the buffer, at the latest when its wait ends, and
	 * passes the text to print, which must not call the library, or to stdout. Kernels never
	 * wait for that: lines that do not fit are dropped, and their number is reported.
	 */
	uint64_t print_bytes;
	uint64_t heap_bytes; /* heap of malloc() in kernels; 0: 8 MiB */
	void (*print)(void *user, const char *text, size_t bytes);
	void *print_user;
} sov_context_options;
/* options may be NULL. */
SOV_API sov_result sov_context_create(sov_device device, const sov_context_options *options,
				      sov_context *context);
/* Stops running work and frees everything in the context. */
SOV_API sov_result sov_context_destroy(sov_context context);
/* Clears a sticky error and discards all pending work. Memory keeps its content; modules,
 * functions, streams, events and graphs remain valid. An event whose record was discarded counts as
 * never recorded. */
SOV_API sov_result sov_context_reset(sov_context context);
/* Returns the sticky error. */
SOV_API sov_result sov_context_status(sov_context context);
/* Waits for all work that was submitted before to any stream of the context. */
SOV_API sov_result sov_context_wait(sov_context context, uint64_t timeout);
SOV_API sov_result sov_context_get_device(sov_context context, sov_device *device);

typedef enum sov_fault_kind {
	SOV_FAULT_OTHER = 0,      /* a trap, a limit, or not known */
	SOV_FAULT_ADDRESS = 1,    /* no memory that may be accessed so is at the address */
	SOV_FAULT_MISALIGNED = 2, /* the address is no multiple of the access's size */
	SOV_FAULT_INSTRUCTION = 3 /* an instruction that the device does not have */
} sov_fault_kind;

typedef struct sov_fault {
	uint32_t size;
	sov_result result;
	char kernel[128]; /* "" if no kernel is known to be the cause */
	char cause[256];
	uint64_t address; /* of the faulting access; 0: none */
	uint64_t pc;      /* byte offset in the kernel's code; UINT64_MAX: unknown */
	uint32_t block[3], thread[3];
	char instruction[128]; /* disassembly; "" if unknown */
	uint32_t has_thread;   /* 1: block and thread are valid; hardware does not report them */
	char source[256];      /* "file:line"; "" if the image has no line information */
	uint32_t kind;         /* sov_fault_kind */
	uint32_t reserved;
} sov_fault;
/* Details of the sticky error; SOV_ERROR_NOT_FOUND if there is none. */
SOV_API sov_result sov_context_get_fault(sov_context context, sov_fault *fault);

/* ---- memory ---- */

/* The contents are undefined. */
SOV_API sov_result sov_memory_alloc(sov_context context, uint64_t bytes, sov_ptr *address);
/* Waits for work that was submitted before, then frees. address is what an alloc call returned. The
 * context may keep the memory for its next allocations (SOV_MEMORY_CACHE, sov(7)). */
SOV_API sov_result sov_memory_free(sov_context context, sov_ptr address);
/* Copies and waits, on the context's first stream. Each side is a GPU address or SOV_HOST(pointer);
 * at least one is a GPU address or pinned host memory. Ranges of either must lie inside one
 * allocation and must not overlap. */
SOV_API sov_result sov_memory_copy(sov_context context, sov_ptr destination, sov_ptr source,
				   uint64_t bytes);
/* Copies in stream order. Pinned host memory must stay untouched until the stream has executed the
 * copy. For pageable host memory the call returns when the memory may be used again. */
SOV_API sov_result sov_memory_copy_async(sov_stream stream, sov_ptr destination, sov_ptr source,
					 uint64_t bytes);
/* Writes the low element_bytes (1, 2 or 4) of value, count times, and waits; on the context's first
 * stream. address is a multiple of element_bytes. */
SOV_API sov_result sov_memory_fill(sov_context context, sov_ptr address, uint32_t value,
				   uint32_t element_bytes, uint64_t count);
SOV_API sov_result sov_memory_fill_async(sov_stream stream, sov_ptr address, uint32_t value,
					 uint32_t element_bytes, uint64_t count);

/* A 2D or 3D copy: depth slices of height rows of width_bytes. */
typedef struct sov_copy_rect {
	uint32_t size;
	uint32_t reserved;
	sov_ptr destination, source;
	uint64_t destination_pitch, source_pitch; /* bytes from row to row; 0: width_bytes */
	uint64_t destination_rows, source_rows;   /* rows from slice to slice; 0: height */
	uint64_t width_bytes, height, depth;      /* height, depth: 0 means 1 */
} sov_copy_rect;
/* Otherwise like sov_memory_copy_async. */
SOV_API sov_result sov_memory_copy_rect_async(sov_stream stream, const sov_copy_rect *rect);

SOV_API sov_result sov_memory_info(sov_context context, uint64_t *free_bytes,
				   uint64_t *total_bytes);
/* The allocation that contains the address. */
SOV_API sov_result sov_memory_range(sov_context context, sov_ptr address, sov_ptr *start,
				    uint64_t *bytes);

/* Maps device memory that sov_memory_alloc returned into the process, at *pointer, until it is
 * freed or its context is destroyed; a second call returns the same pointer. The mapping of a real
 * GPU's memory is write-combined: fast to write in order and slow to read. Work sees what was
 * written before it was submitted, a thread what the work wrote for which it has waited. */
SOV_API sov_result sov_memory_map(sov_context context, sov_ptr address, void **pointer);

/* Names memory for other processes, which get the 64 bytes in any way. */
typedef struct sov_memory_handle {
	uint64_t words[8];
} sov_memory_handle;
/* A handle of memory that sov_memory_alloc returned, until it is freed. The first call for an
 * address waits for work that was submitted before; later work and other threads must not write the
 * memory until it returns. SOV_ERROR_UNSUPPORTED: the way to the device has no such memory;
 * software GPUs have it. */
SOV_API sov_result sov_memory_export(sov_context context, sov_ptr address,
				     sov_memory_handle *handle);
/* The memory of another process of the same user, on the same device; bytes may be NULL.
 * sov_memory_free ends the use of it, which may last longer than that of the process that allocated
 * it. The handle of memory that was freed is a SOV_ERROR_NOT_FOUND. */
SOV_API sov_result sov_memory_import(sov_context context, const sov_memory_handle *handle,
				     sov_ptr *address, uint64_t *bytes);

/* Reserves address space for an allocation of at most max_bytes. It begins empty; resize changes
 * its size in place. Shrinking waits for work that was submitted before. sov_memory_free frees the
 * memory and the address space. */
SOV_API sov_result sov_memory_reserve(sov_context context, uint64_t max_bytes, sov_ptr *address);
SOV_API sov_result sov_memory_resize(sov_context context, sov_ptr address, uint64_t bytes);

/*
 * Stream-ordered allocation from the context's memory pool, as cudaMallocAsync. Work that is
 * submitted to the stream between alloc_async and free_async may use the memory, as may work on
 * other streams that is ordered between them by events. The calls do not wait for the GPU, unless
 * device memory is exhausted or much freed memory is still in use. Addresses are multiples of 256.
 * sov_memory_free frees pool memory too.
 */
SOV_API sov_result sov_memory_alloc_async(sov_stream stream, uint64_t bytes, sov_ptr *address);
SOV_API sov_result sov_memory_free_async(sov_stream stream, sov_ptr address);
/* Returns unused pool memory to the device until the pool holds at most keep_bytes, and all memory
 * that the context keeps after sov_memory_free. */
SOV_API sov_result sov_pool_trim(sov_context context, uint64_t keep_bytes);
/* Limits what the pool holds; allocations beyond it fail with SOV_ERROR_OUT_OF_MEMORY. 0: no
 * limit. */
SOV_API sov_result sov_pool_set_limit(sov_context context, uint64_t bytes);

typedef struct sov_pool_statistics {
	uint32_t size;
	uint32_t reserved;
	uint64_t used_bytes, peak_used_bytes; /* allocated by the program */
	uint64_t held_bytes, peak_held_bytes; /* device memory in the pool */
	uint64_t limit_bytes;
	uint64_t allocations;         /* alloc_async calls so far */
	uint64_t backing_allocations; /* allocations of device memory for them */
} sov_pool_statistics;
SOV_API sov_result sov_pool_get_statistics(sov_context context, sov_pool_statistics *statistics);

/* ---- textures and surfaces ---- */

/* A texture, and a surface of the same texels: a kernel takes it as a 64-bit parameter, as CUDA's
 * texture and surface objects. 0 is none. */
typedef uint64_t sov_texture;

typedef enum sov_texture_geometry {
	SOV_TEXTURE_1D = 0,
	SOV_TEXTURE_2D = 1,
	SOV_TEXTURE_3D = 2,
	SOV_TEXTURE_1D_LAYERS = 3,
	SOV_TEXTURE_2D_LAYERS = 4,
	SOV_TEXTURE_CUBE = 5,
	SOV_TEXTURE_CUBE_LAYERS = 6
} sov_texture_geometry;

typedef enum sov_texel_type {
	SOV_TEXEL_UINT = 0,
	SOV_TEXEL_SINT = 1,
	SOV_TEXEL_FLOAT = 2, /* 16 or 32 bits */
	SOV_TEXEL_UNORM = 3, /* unsigned integers of 8 or 16 bits that are read as 0 to 1 */
	SOV_TEXEL_SNORM = 4  /* signed ones that are read as -1 to 1 */
} sov_texel_type;

typedef enum sov_address_mode {
	SOV_ADDRESS_WRAP = 0, /* with normalized coordinates; otherwise like CLAMP */
	SOV_ADDRESS_CLAMP = 1,
	SOV_ADDRESS_MIRROR = 2, /* like WRAP */
	SOV_ADDRESS_BORDER = 3
} sov_address_mode;

typedef enum sov_texture_flag {
	SOV_TEXTURE_LINEAR = 1u << 0,       /* linear filter, not of integers */
	SOV_TEXTURE_NORMALIZED = 1u << 1,   /* coordinates from 0 to 1 */
	SOV_TEXTURE_LEVEL_LINEAR = 1u << 2, /* filter between two levels, not of integers */
	SOV_TEXTURE_LEVEL_LIMITS = 1u << 3, /* min_level and max_level limit the level */
	/* memory has the GPU's own layout, see sov_texture_get_requirements; strides are 0 */
	SOV_TEXTURE_GPU_LAYOUT = 1u << 4,
	/* texels are depths, a channel of f32 or of 16 bits as unorm: samplers may compare them */
	SOV_TEXTURE_DEPTHS = 1u << 5,
	/* of 4 channels of 8 bits as unorm, kernels read the first three as linear */
	SOV_TEXTURE_SRGB = 1u << 6
} sov_texture_flag;

/* What an operand of a depth comparison must be in relation to a texel. */
typedef enum sov_compare {
	SOV_COMPARE_NONE = 0, /* texels are read, not compared */
	SOV_COMPARE_NEVER = 1,
	SOV_COMPARE_LESS = 2,
	SOV_COMPARE_EQUAL = 3,
	SOV_COMPARE_LESS_EQUAL = 4,
	SOV_COMPARE_GREATER = 5,
	SOV_COMPARE_NOT_EQUAL = 6,
	SOV_COMPARE_GREATER_EQUAL = 7,
	SOV_COMPARE_ALWAYS = 8
} sov_compare;

typedef enum sov_swizzle {
	SOV_SWIZZLE_SAME = 0,
	SOV_SWIZZLE_ZERO = 1,
	SOV_SWIZZLE_ONE = 2,
	SOV_SWIZZLE_R = 3,
	SOV_SWIZZLE_G = 4,
	SOV_SWIZZLE_B = 5,
	SOV_SWIZZLE_A = 6
} sov_swizzle;

typedef struct sov_texture_options {
	uint32_t size;
	uint32_t flags;                /* sov_texture_flag bits */
	uint32_t geometry;             /* sov_texture_geometry */
	uint32_t width, height, depth; /* texels; 0 means 1; depth: slices, layers, or faces */
	uint32_t channels;             /* 1, 2 or 4; 3 of 11 bits */
	/* 8, 16 or 32. 10: a word of 10, 10, 10 and 2 bits, UINT or UNORM; 11: one of 11, 11 and 10
	 * bits, FLOAT without sign. Red is in the low bits. */
	uint32_t channel_bits;
	uint32_t type;             /* sov_texel_type of each channel */
	uint32_t address_modes[3]; /* sov_address_mode of x, y, z */
	uint32_t border[4];        /* what is read beyond the border: integers or f32 */
	/* Texels in memory of the program, in rows of row_bytes (0: without gaps) and slices of
	 * slice_bytes; it must stay allocated. 0: in memory of the texture, whose layout is the
	 * GPU's own; sov_texture_write and sov_texture_read reach it. */
	sov_ptr memory;
	uint64_t row_bytes, slice_bytes;
	/* With memory 0: read the texels of this texture, which has the same width, height and
	 * bytes of a texel, and must outlive this one: layers from first_layer on, where a face is
	 * a layer, and three dimensions have all slices. 0: new ones. */
	sov_texture texels;
	/* Levels, each of half the size of the one before, at least 1; 0 means 1. More than one
	 * need SOV_TEXTURE_NORMALIZED, and memory 0 or SOV_TEXTURE_GPU_LAYOUT. With texels: how
	 * many levels of it are read, from first_level on, 0: all; a surface is the first. */
	uint32_t levels, first_level;
	/* Is added to the level that a kernel asks for, from -16 to 16; and limits from 0 to 16,
	 * which count from the first level on. */
	float level_bias, min_level, max_level;
	uint32_t compare;        /* sov_compare; of one channel of f32, or of 16 bits as unorm */
	uint32_t max_anisotropy; /* 0 or 1: no other filter is supported */
	uint32_t first_layer;    /* with texels */
	uint32_t swizzle[4]; /* sov_swizzle: what kernels read as each channel; not of surfaces */
} sov_texture_options;
SOV_API sov_result sov_texture_create(sov_context context, const sov_texture_options *options,
				      sov_texture *texture);
/* Waits for work that was submitted before. */
SOV_API sov_result sov_texture_destroy(sov_context context, sov_texture texture);
/* What memory a texture with SOV_TEXTURE_GPU_LAYOUT needs; the options' memory is not used. */
SOV_API sov_result sov_texture_get_requirements(sov_context context,
						const sov_texture_options *options, uint64_t *bytes,
						uint64_t *alignment);
/* A sampler without texels: SPIR-V combines it with a texture. The members that describe texels are
 * 0, and sov_texture_destroy destroys it. */
SOV_API sov_result sov_sampler_create(sov_context context, const sov_texture_options *options,
				      sov_texture *sampler);
/* Where the texels of a level lie, which counts from the first that is read on. Row and slice
 * strides of layout 1 are those of NVIDIA's blocks of 64 bytes and 8 rows (docs/spirv.md). */
typedef struct sov_image {
	sov_texture texture;
	sov_ptr address;
	uint64_t slice_bytes;
	uint32_t row_bytes, layout; /* 0: rows */
	uint32_t width, height, depth;
	uint32_t reserved;
} sov_image;
SOV_API sov_result sov_texture_get_image(sov_context context, sov_texture texture, uint32_t level,
					 sov_image *image);
/* Copy all texels that are read from or to host memory, where they lie without gaps, and wait. Each
 * layer or face has its levels one after the other, three dimensions have each level's slices. */
SOV_API sov_result sov_texture_write(sov_context context, sov_texture texture, const void *texels);
SOV_API sov_result sov_texture_read(sov_context context, sov_texture texture, void *texels);

/* Pinned host memory. The GPU addresses it as SOV_HOST(pointer): kernels may access it, and copies
 * and fills are direct. It belongs to one context; other contexts treat it as pageable. Allocated
 * memory is zeroed, page-aligned, and freed with its context at the latest. */
SOV_API sov_result sov_host_alloc(sov_context context, uint64_t bytes, void **pointer);
/* Waits for work that was submitted before. pointer is what sov_host_alloc returned. */
SOV_API sov_result sov_host_free(sov_context context, void *pointer);
/* The same for memory that sov_host_register pinned. */
SOV_API sov_result sov_host_unregister(sov_context context, void *pointer);
/* Pins the pages of existing memory, none of which may be pinned already. The memory must stay
 * mapped until it is unregistered or its context is destroyed. */
SOV_API sov_result sov_host_register(sov_context context, void *pointer, uint64_t bytes);

/* ---- modules and functions ---- */

/* The value of a specialisation constant; a bool has 4 bytes. */
typedef struct sov_spirv_constant {
	uint32_t id, bytes;
	const void *data;
} sov_spirv_constant;

/* Where the descriptors of a binding are in the memory of their set: number n stands at
 * offset + n * stride. */
typedef struct sov_spirv_binding {
	uint32_t set, binding;   /* set: below 256 */
	uint32_t offset, stride; /* bytes; multiples of 8 */
	uint32_t flags;          /* SOV_SPIRV_BINDING_* */
	/* 0: the argument of the set is the address of its descriptors. Otherwise it is these bytes
	 * of descriptors themselves, at most 2048, which the launch copies; NVIDIA GPUs have them
	 * in constant memory then. The same for all bindings of a set, none of which is inline. */
	uint32_t set_bytes;
} sov_spirv_binding;
/* At offset stands not a descriptor but the data of an inline uniform block. */
#define SOV_SPIRV_BINDING_INLINE 1u

/* The descriptor of a storage or uniform buffer. The address is a multiple of 16. */
typedef struct sov_buffer {
	sov_ptr address;
	uint64_t bytes;
} sov_buffer;

/* The descriptor of a sampled image: a texture, and the sampler of the same or another one. */
typedef struct sov_sampled_texture {
	sov_texture texture, sampler;
} sov_sampled_texture;

/*
 * How SPIR-V is loaded. Without SOV_SPIRV_LAYOUT, each resource that an entry point statically
 * uses is an argument of its kernel, in order of set and binding: a buffer is a sov_buffer, a
 * storage image or storage texel buffer a sov_image of level 0, another image or a sampler a
 * sov_texture, both combined a sov_sampled_texture, an array of descriptors an array of these, and
 * an array without a length the address of its descriptors' memory. With SOV_SPIRV_LAYOUT, each set
 * from 0 to the last one in bindings is an argument, also if the entry point does not use it: the
 * address of the memory of its descriptors, which bindings describe and which are the same
 * structures. Then follows, with SOV_SPIRV_BASE_WORKGROUP, an argument of three words that are
 * added to the numbers of the workgroup. The block of push constants, if the entry point uses one,
 * is the last argument.
 *
 * The samples of an image that has several are layers of a texture of two dimensions: sample s of
 * layer k is layer k * samples + s. Its handle has the logarithm of the number of samples from bit
 * SOV_SPIRV_SAMPLES_SHIFT on.
 */
typedef struct sov_spirv_options {
	uint32_t size;
	uint32_t flags; /* SOV_SPIRV_* */
	const sov_spirv_constant *constants;
	const sov_spirv_binding *bindings;
	uint32_t constant_count, binding_count;
	const char *entry_point; /* make a kernel of this one alone; NULL: of all */
} sov_spirv_options;
/* Accesses beyond the bytes of a buffer, and of images whose handle is 0, load 0, and store and
 * change nothing. */
#define SOV_SPIRV_ROBUST         1u
#define SOV_SPIRV_LAYOUT         2u
#define SOV_SPIRV_BASE_WORKGROUP 4u
#define SOV_SPIRV_SAMPLES_SHIFT  61

typedef struct sov_module_options {
	uint32_t size;
	uint32_t flags;                 /* SOV_MODULE_* */
	const sov_spirv_options *spirv; /* NULL: all defaults */
} sov_module_options;
#define SOV_MODULE_SERIAL         1u /* debugging: every instruction waits for the one before it */
#define SOV_MODULE_UNOPTIMISED    2u /* debugging: -O0 */
#define SOV_MODULE_EAGER          4u /* compile all kernels now, in parallel */
/* Kernels with shared memory may be launched with clusters, also if the source names none. */
#define SOV_MODULE_CLUSTERS       8u
/* The __device__ variables are in pinned host memory: the host may use them at the address that
 * sov_module_get_variable returns, like memory of sov_host_alloc (CUDA's __managed__). PTX with
 * .attribute(.managed) needs no flag, also when it is linked. Images do not have the attribute: for
 * one with such variables, give the flag to sov_module_link_image, and to sov_module_load. */
#define SOV_MODULE_HOST_VARIABLES 16u

/*
 * Loads PTX text, SPIR-V or an image (cubin, code object), distinguished by content. bytes does not
 * include a terminator, and data may be freed afterwards. PTX and SPIR-V are parsed and checked
 * completely; machine code for the kernels of a large module is generated when
 * sov_module_get_function first asks for each, which then reports errors of code generation (too
 * many registers, too much local memory). The kernels of SPIR-V are its entry points; with options
 * for SPIR-V all of them are compiled now. options may be NULL.
 */
SOV_API sov_result sov_module_load(sov_context context, const void *data, size_t bytes,
				   const sov_module_options *options, sov_module *module);
/* An input of sov_module_link. */
typedef struct sov_module_input {
	const char *name; /* for messages; NULL: "input N" */
	const void *data;
	size_t bytes;
} sov_module_input;

/*
 * Links several inputs to one module: PTX texts and relocatable objects (ptxas -c) in any order. A
 * function or variable that one input declares .extern is the .visible one of another; two
 * definitions, or none, are an error that names the symbol and the inputs; .weak ones give way.
 * NVIDIA targets only. All kernels are compiled now.
 */
SOV_API sov_result sov_module_link(sov_context context, const sov_module_input *inputs,
				   uint32_t count, const sov_module_options *options,
				   sov_module *module);
/* Links in the same way to an image, which sov_module_load takes and free() frees. */
SOV_API sov_result sov_module_link_image(sov_context context, const sov_module_input *inputs,
					 uint32_t count, const sov_module_options *options,
					 void **image, size_t *bytes);
/* Waits for launches of the module's functions, then frees the module and its functions. */
SOV_API sov_result sov_module_unload(sov_module module);
/* The compiler's messages for the calling thread's last sov_module_load, or sov_module_get_function
 * that failed; "" if none. */
SOV_API const char *sov_module_messages(void);
SOV_API sov_result sov_module_get_function(sov_module module, const char *name,
					   sov_function *function);
/* By index; SOV_ERROR_NOT_FOUND after the last kernel. */
SOV_API sov_result sov_module_get_function_at(sov_module module, uint32_t index,
					      sov_function *function);
/* A __device__ or __constant__ variable. It may be copied to and from like an allocation, but not
 * freed. Launches see what was written to constant memory before them. address and bytes may be
 * NULL. */
SOV_API sov_result sov_module_get_variable(sov_module module, const char *name, sov_ptr *address,
					   uint64_t *bytes);

typedef struct sov_function_attributes {
	uint32_t size;
	uint32_t registers;             /* per thread */
	uint32_t shared_bytes;          /* static, without the hardware's own reserve */
	uint32_t local_bytes;           /* per thread */
	uint32_t max_threads_per_block; /* by the device, launch bounds and registers */
	uint32_t code_bytes;
	uint32_t parameters, parameter_bytes;
	char name[128]; /* truncated if longer */
} sov_function_attributes;
SOV_API sov_result sov_function_get_attributes(sov_function function,
					       sov_function_attributes *attributes);
/* Occupancy: how many blocks with this many threads and bytes of dynamic shared memory are resident
 * on a multiprocessor; 0: a block does not fit. */
SOV_API sov_result sov_function_get_occupancy(sov_function function, uint32_t threads,
					      uint32_t shared_bytes, uint32_t *blocks);
/* How many clusters of this shape, x, y and z, are resident on the device at once; 0: a block or a
 * cluster does not fit. */
SOV_API sov_result sov_function_get_cluster_occupancy(sov_function function,
						      const uint32_t *cluster, uint32_t threads,
						      uint32_t shared_bytes, uint32_t *clusters);
/* Offset and size of a parameter; SOV_ERROR_NOT_FOUND after the last. */
SOV_API sov_result sov_function_get_parameter(sov_function function, uint32_t index,
					      uint32_t *offset, uint32_t *bytes);

/* ---- tensor maps ---- */

/* What cp.async.bulk.tensor copies: a box of a tensor in GPU memory. A kernel takes the map as a
 * parameter of 128 bytes that is aligned to 64, or by the address of a copy in GPU memory. */
typedef struct sov_tensor_map {
	uint64_t words[16];
} sov_tensor_map;

typedef enum sov_tensor_type {
	SOV_TENSOR_U8,
	SOV_TENSOR_U16,
	SOV_TENSOR_U32,
	SOV_TENSOR_S32,
	SOV_TENSOR_U64,
	SOV_TENSOR_S64,
	SOV_TENSOR_F16,
	SOV_TENSOR_F32,
	SOV_TENSOR_F32_FTZ,
	SOV_TENSOR_F64,
	SOV_TENSOR_BF16,
	SOV_TENSOR_TF32,
	SOV_TENSOR_TF32_FTZ,
} sov_tensor_type;

typedef struct sov_tensor_map_options {
	uint32_t size;
	sov_tensor_type type;
	sov_ptr address;        /* a multiple of 16 */
	uint32_t rank;          /* dimensions: 1 to 5; elements of dimension 0 are neighbours */
	uint32_t swizzle;       /* of the box in shared memory, bytes: 0 (none), 32, 64 or 128 */
	uint64_t dimensions[5]; /* elements: 1 to 2^32 */
	uint64_t strides[5]; /* bytes between neighbours, from dimension 1 on: multiples of 16 below
				2^40; that of dimension 0 is not read */
	uint32_t box[5];     /* elements: 1 to 256; dimension 0 has a multiple of 16 bytes */
	uint32_t steps
		[5]; /* only every n-th element of the box is copied: 0 or 1 (all) to 8; that of
			      dimension 0 is not read */
} sov_tensor_map_options;
SOV_API sov_result sov_tensor_map_encode(const sov_tensor_map_options *options,
					 sov_tensor_map *map);

/* ---- streams, launches, events ---- */

/* Work on one stream executes in order. There is no implicit order between streams: the context's
 * first stream is like any other. NULL names it in every call that also takes another object of the
 * context; sov_context_get_stream returns its handle for calls that take only a stream. */
SOV_API sov_result sov_stream_create(sov_context context, uint32_t flags, sov_stream *stream);
/* With a priority between the device's min_priority and max_priority; the default is 0, larger is
 * more urgent. Priorities are hints: they do not preempt running work. Kernels of the same priority
 * run concurrently; those of different priorities may be time-sliced. */
SOV_API sov_result sov_stream_create_with_priority(sov_context context, uint32_t flags,
						   int32_t priority, sov_stream *stream);
SOV_API sov_result sov_stream_get_priority(sov_stream stream, int32_t *priority);
/* Waits for the stream's work, then destroys it. The context's first stream cannot be destroyed. */
SOV_API sov_result sov_stream_destroy(sov_stream stream);
/* Waits for work that was submitted to the stream before. SOV_NO_WAIT polls: SOV_NOT_READY. */
SOV_API sov_result sov_stream_wait(sov_stream stream, uint64_t timeout);
/* Makes later work on the stream wait for the event's most recent record. NULL: the first stream of
 * the event's context. */
SOV_API sov_result sov_stream_wait_event(sov_stream stream, sov_event event);

typedef enum sov_wait_condition {
	SOV_WAIT_REACHED = 0, /* the number in memory minus value, as a signed number, is >= 0 */
	SOV_WAIT_EQUAL = 1,
	SOV_WAIT_AND = 2, /* both have a common bit */
	SOV_WAIT_NOR = 3  /* a bit is 0 in both */
} sov_wait_condition;
/*
 * Later work on the stream waits until the number of bytes (4 or 8) at address, a multiple of
 * bytes in device memory or pinned host memory, satisfies the condition. The host, another stream
 * or another process's device may write it. The memory must stay allocated; a wait that never ends
 * ends with sov_context_reset or sov_context_destroy.
 */
SOV_API sov_result sov_stream_wait_value(sov_stream stream, sov_ptr address, uint64_t value,
					 uint32_t bytes, uint32_t condition);
/* Writes the number when all earlier work on the stream has finished and its writes are visible. */
SOV_API sov_result sov_stream_write_value(sov_stream stream, sov_ptr address, uint64_t value,
					  uint32_t bytes);
/* The context's first stream. */
SOV_API sov_result sov_context_get_stream(sov_context context, sov_stream *stream);

typedef struct sov_launch {
	uint32_t size;
	uint32_t shared_bytes; /* dynamic shared memory per block */
	/* 0 in y or z means 1. block all 0: the one that the kernel requires. */
	uint32_t grid[3], block[3];
	sov_stream stream;            /* NULL: the context's first stream */
	const void *const *arguments; /* one pointer per parameter; messages count from 0 */
	const size_t *argument_bytes; /* NULL, or one size per argument, to be checked */
	uint32_t argument_count;
	uint32_t flags;      /* SOV_LAUNCH_* */
	uint64_t time_limit; /* see kernel_time_limit; 0: the context's */
	/* Blocks of a cluster by axis; the grid is a multiple of them. All 0: the kernel's own
	 * shape, or none. */
	uint32_t cluster[3];
	uint32_t reserved; /* 0 */
} sov_launch;
/* All blocks are resident at the same time, so that they may synchronise with each other; a grid
 * that does not fit the device is rejected. Kernels of other streams may delay its start. */
#define SOV_LAUNCH_COOPERATIVE   1u
/* Clusters may have up to 16 blocks, more than max_cluster_blocks, on devices that have clusters;
 * programs that rely on it may not run on others. */
#define SOV_LAUNCH_LARGE_CLUSTER 2u
SOV_API sov_result sov_function_launch(sov_function function, const sov_launch *launch);

/* Events mark a point in a stream and carry the GPU's time. A new record replaces the previous one.
 * Records of one event complete in the order of the calls, even on different streams. */
SOV_API sov_result sov_event_create(sov_context context, uint32_t flags, sov_event *event);
#define SOV_EVENT_DISABLE_TIMING 1u /* no time stamp: a record costs the GPU nothing */
SOV_API sov_result sov_event_destroy(sov_event event);
SOV_API sov_result sov_event_record(sov_event event, sov_stream stream);
/* Waits for the most recent record; an event that was never recorded is an invalid argument.
 * SOV_NO_WAIT polls: SOV_NOT_READY. */
SOV_API sov_result sov_event_wait(sov_event event, uint64_t timeout);
/* GPU time between two records; SOV_NOT_READY if one has not completed. */
SOV_API sov_result sov_event_elapsed(sov_event from, sov_event to, uint64_t *nanoseconds);

/* The GPU's time when it reached the event's most recent record, on the clock of
 * sov_device_get_time; SOV_NOT_READY if it has not. */
SOV_API sov_result sov_event_get_time(sov_event event, uint64_t *nanoseconds);

/*
 * Runs a function on the host in stream order: after the stream's earlier work and before its later
 * work, in a thread of the library that all host functions of the context share. The function must
 * not wait for work of its own context, and cannot destroy the context: SOV_ERROR_BUSY. It is not
 * called if the context fails or is reset before. sov_context_destroy waits for a running host
 * function.
 */
SOV_API sov_result sov_stream_host_function(sov_stream stream, void (*function)(void *user),
					    void *user);

/* ---- graphs ---- */

/*
 * A graph of kernels, copies, fills and host functions that is built once and launched many times.
 * Nodes are numbered from 1; each executes after the nodes in dependencies, and its arguments are
 * read when it is added. Copies in graphs need pinned host memory. node may be NULL.
 */
typedef uint32_t sov_node;
SOV_API sov_result sov_graph_create(sov_context context, uint32_t flags, sov_graph *graph);
SOV_API sov_result sov_graph_destroy(sov_graph graph);
/* launch->stream is ignored. */
SOV_API sov_result sov_graph_add_kernel(sov_graph graph, const sov_node *dependencies,
					uint32_t count, sov_function function,
					const sov_launch *launch, sov_node *node);
SOV_API sov_result sov_graph_add_copy(sov_graph graph, const sov_node *dependencies, uint32_t count,
				      sov_ptr destination, sov_ptr source, uint64_t bytes,
				      sov_node *node);
/* Adds a node per slice; *node is the last one, which depends on the others. */
SOV_API sov_result sov_graph_add_copy_rect(sov_graph graph, const sov_node *dependencies,
					   uint32_t count, const sov_copy_rect *rect,
					   sov_node *node);
SOV_API sov_result sov_graph_add_fill(sov_graph graph, const sov_node *dependencies, uint32_t count,
				      sov_ptr address, uint32_t value, uint32_t element_bytes,
				      uint64_t element_count, sov_node *node);
SOV_API sov_result sov_graph_add_host_function(sov_graph graph, const sov_node *dependencies,
					       uint32_t count, void (*function)(void *user),
					       void *user, sov_node *node);
/* What a conditional node executes. */
#define SOV_CONDITIONAL_IF     1u /* bodies[0] unless the condition is 0; then bodies[1], if any */
#define SOV_CONDITIONAL_WHILE  2u /* bodies[0] for as long as the condition is not 0 */
#define SOV_CONDITIONAL_SWITCH 3u /* bodies[condition]; nothing if there are not as many */
/*
 * Adds a node that executes other graphs as a condition says, which kernels have set: 32 bits in
 * pinned host memory at an aligned address, written by a store or by CUDA's device function
 * cudaGraphSetConditional, whose first argument is the address. The bodies are copied when the node
 * is added; they may have conditional nodes, SOV_MAX_CONDITIONAL_DEPTH of them in each other. The
 * host evaluates conditions in the thread of host functions, so each costs a round trip.
 */
SOV_API sov_result sov_graph_add_conditional(sov_graph graph, const sov_node *dependencies,
					     uint32_t count, uint32_t kind, sov_ptr condition,
					     const sov_graph *bodies, uint32_t body_count,
					     sov_node *node);
#define SOV_MAX_CONDITIONAL_DEPTH 8
/* Makes node to depend on node from. */
SOV_API sov_result sov_graph_add_dependency(sov_graph graph, sov_node from, sov_node to);

/* Captures a stream: until end_capture, launches, asynchronous copies and fills and host functions
 * for the stream become nodes of the graph and are not executed. A stream that waits for an event
 * of the capture joins it; before end_capture the first stream must wait for all streams that
 * joined. */
SOV_API sov_result sov_stream_begin_capture(sov_stream stream, sov_graph graph);
SOV_API sov_result sov_stream_end_capture(sov_stream stream);

/* Makes an executable copy of the graph; later changes of the graph do not affect it. Cycles are
 * rejected. */
SOV_API sov_result sov_graph_instantiate(sov_graph graph, sov_graph_exec *exec);
/* Waits for work that was submitted before. */
SOV_API sov_result sov_graph_exec_destroy(sov_graph_exec exec);
/* Replaces the arguments of a kernel node; waits for pending launches of the graph. */
SOV_API sov_result sov_graph_exec_set_arguments(sov_graph_exec exec, sov_node node,
						const void *const *arguments, uint32_t count);
/* Launches the graph in stream order, as one submission unless it has host functions. Launches of
 * one executable graph never overlap, even on different streams. */
SOV_API sov_result sov_graph_launch(sov_graph_exec exec, sov_stream stream);

#ifdef __cplusplus
}
#endif

#endif
