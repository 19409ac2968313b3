/* SPDX-License-Identifier: MIT */
/*
 * The winsys interface (Mesa's term): one table of functions per kernel driver through which libsov
 * reaches a GPU. It knows devices, buffers, address spaces, queue groups and queues. Functions that
 * can fail return 0 or a negative errno. None waits for the GPU, except wait; destroying a group or
 * queue stops its work.
 *
 * Calls on different groups may be concurrent, calls on one group and its queues may not;
 * group_error, wait and ring_doorbell may be called at any time between create and destroy.
 */
#ifndef SOV_WINSYS_H
#define SOV_WINSYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libsov/winsys/amd_info.h"
#include "libsov/winsys/nv_info.h"

struct winsys;
struct winsys_device;
struct winsys_buffer;
struct winsys_group; /* fault domain and unit of time slicing */
struct winsys_queue;

enum winsys_vendor { WINSYS_VENDOR_UNKNOWN, WINSYS_VENDOR_NV, WINSYS_VENDOR_AMD };

/* See sov_device_identity, whose bits known has. */
struct winsys_identity {
	uint32_t known;
	uint8_t uuid[16];
	uint32_t pci_domain, pci_bus, pci_device, pci_function;
	uint32_t pci_vendor_id, pci_device_id, pci_subsystem, file_number;
};

/* See sov_device_state, whose bits known has; memory_info knows the memory. */
struct winsys_state {
	uint32_t known;
	uint32_t busy_percent, memory_percent;
	int32_t temperature; /* thousandths of a degree Celsius */
	uint32_t power, power_limit;
	uint32_t core_mhz, multiprocessor_mhz, memory_mhz;
	uint32_t performance;
};

struct winsys_process {
	uint32_t pid;
	uint64_t memory_bytes; /* UINT64_MAX: unknown */
};

struct winsys_info {
	char chip[48], product[64], target[16]; /* "gh100", marketing name, "sm_90" */
	char driver[64];                        /* kernel driver and its version */
	uint32_t multiprocessors, warps_per_multiprocessor, max_threads_per_block;
	uint32_t shared_per_block, shared_per_multiprocessor, registers_per_multiprocessor;
	/* The GPU may see late what the CPU writes to video memory: buffers that the CPU writes go
	 * to system memory. */
	bool host_writes_to_system;
	uint32_t page_bytes;        /* size and binding granularity of buffers */
	uint32_t large_page_bytes;  /* see buffer_create */
	uint32_t import_page_bytes; /* see buffer_import */
	uint64_t memory_bytes;
	uint32_t l2_bytes; /* 0: not known */
	bool copy_queues;  /* WINSYS_COPY queues exist */
	/* Compute queues to create in advance, where creating one waits for the group's running
	 * blocks; 0: creation never waits. */
	uint32_t spare_queues;
	/* Where queue_create waits for running work: how long the caller lets that work finish
	 * before it gives up, in nanoseconds. With a longer wait the driver loses the group. */
	uint64_t queue_create_patience;
	/* GPU addresses that the driver uses in every address space; 0 bytes: none. */
	uint64_t driver_va, driver_va_bytes;
	/* Queue priorities: 0 is the default, larger is more urgent. */
	int32_t min_priority, max_priority;
	bool software, hazard;
	/* Programs are checked: the functions for allocations and reports below are not NULL, and
	 * this many bytes after each allocation stay unused. */
	bool checks;
	uint32_t redzone_bytes;
	enum winsys_vendor vendor;
	struct winsys_identity identity;
	/* For the command builders of the vendor. */
	union {
		struct winsys_nv_info nv;
		struct winsys_amd_info amd;
	};
};

enum winsys_placement { WINSYS_VRAM, WINSYS_SYSTEM };

/* A copy queue runs concurrently with compute queues and accepts the copy class only; a compute
 * queue accepts both classes. */
enum winsys_engine { WINSYS_COMPUTE, WINSYS_COPY };

enum winsys_access { WINSYS_UNKNOWN_ACCESS, WINSYS_READ, WINSYS_WRITE, WINSYS_ATOMIC };

struct winsys_error {
	struct winsys_queue *queue; /* guilty queue; NULL: unknown */
	uint32_t vendor_code;       /* the vendor's error number (NVIDIA: Xid); 0: none */
	bool timed_out;             /* stopped by the driver's time limit */
	bool stopped;               /* stopped by group_stop */
	bool memory;                /* invalid memory access: address is valid */
	bool misaligned;            /* of memory: the address is not aligned */
	bool illegal_instruction;   /* and certainly no trap */
	enum winsys_access access;
	uint64_t address, pc, program; /* GPU addresses; 0 = none */
	bool has_thread;               /* block and thread are valid */
	uint32_t block[3], thread[3];
	char text[256];
};

/* How another process finds a buffer. */
struct winsys_export {
	uint32_t process, number;
	uint64_t token[2];
};

/* Checked programs (SOV_CHECK): who did something, innermost first; an allocation; an error. */
struct winsys_origin {
	uint32_t count;
	void *frames[8];
};

struct winsys_allocation {
	uint64_t va, bytes;
	uint64_t mapped;  /* from va on; what lies after bytes may not be accessed */
	bool initialised; /* as a whole, from elsewhere */
	bool parts;       /* allocations lie in it; only they may be accessed */
	struct winsys_origin origin;
};

struct winsys_report_site {
	char access[48]; /* "store of 4 bytes" */
	uint64_t pc, program;
	uint32_t block[3], thread[3];
};

struct winsys_report {
	const char *kind; /* "out-of-bounds" */
	char text[256];   /* what is wrong, without the sites */
	uint32_t site_count;
	struct winsys_report_site sites[2]; /* the second one's access came first */
	uint64_t address, count;
	bool has_allocation, is_freed;
	uint64_t va, bytes;
	struct winsys_origin allocated, freed;
};

struct winsys_queue_options {
	enum winsys_engine engine;
	struct winsys_buffer *ring;
	uint64_t ring_offset;      /* of the ring in its buffer */
	uint64_t ring_va;          /* GPU address of the ring */
	uint32_t ring_entries;     /* a power of two */
	uint32_t ring_entry_bytes; /* defined by the GPU's command format: gpu.h */
	int32_t priority;          /* between min_priority and max_priority */
};

/*
 * Order of a submission's writes: the commands, the ring entry, winsys_write_barrier(), PUT,
 * winsys_write_barrier(), the doorbell. Video memory is write-combined: write it once and in order;
 * a read takes a microsecond. Where the doorbell can pass writes to video memory, read PUT back
 * before ringing (winsys_read_back).
 */
struct winsys_queue_memory {
	uint64_t *ring; /* CPU address of the ring */
	uint32_t ring_entries;
	uint32_t *put, *get; /* ring indices, accessed atomically */
	/* PUT has 64 bits and never wraps, and the doorbell takes it: ring_doorbell, which passes
	 * it on, must follow before another thread stores a larger PUT. */
	bool wide;
	/* A command that interrupts writes event_id to this GPU address first; 0: it need not. */
	uint64_t event_mailbox;
	uint32_t event_id;
	/* Storing doorbell_value to doorbell notifies the GPU. The address stays valid as long as
	 * the process, and ringing for a destroyed queue is harmless. NULL: call ring_doorbell. */
	uint32_t *doorbell, doorbell_value;
	bool doorbell_passes_writes; /* see above */
};

struct winsys {
	const char *name;
	/* Lists the devices, which live as long as the process. devices_before is the number that
	 * other back ends have found. A failure leaves one sentence in message. */
	int (*enumerate)(uint32_t devices_before, struct winsys_device ***devices, uint32_t *count,
			 char *message, size_t message_bytes);
	/* In a child of fork(): forgets the devices of the parent, which it cannot use, without
	 * a call for them; enumerate finds new ones. */
	void (*forget)(void);
	void (*info)(struct winsys_device *d, struct winsys_info *out);
	/* The present time on the clock of semaphore time stamps, in nanoseconds. */
	uint64_t (*gpu_time)(struct winsys_device *d);
	/* What the device does now; may wait for a first sample. NULL: nothing is known. */
	void (*state)(struct winsys_device *d, struct winsys_state *out);
	/* Writes up to capacity processes that compute on the device; *count is their number. NULL:
	 * they are not known. */
	int (*processes)(struct winsys_device *d, struct winsys_process *out, uint32_t capacity,
			 uint32_t *count);

	/*
	 * Memory. bytes is a multiple of page_bytes. A buffer in video memory whose size is a
	 * multiple of large_page_bytes consists of large pages and is bound at multiples of them.
	 * The caller chooses the GPU address. An imported buffer is memory of the caller, in units
	 * of import_page_bytes, pinned until the buffer is destroyed.
	 */
	int (*buffer_create)(struct winsys_device *d, enum winsys_placement placement,
			     uint64_t bytes, struct winsys_buffer **out);
	int (*buffer_import)(struct winsys_device *d, void *memory, uint64_t bytes,
			     struct winsys_buffer **out);
	/* Makes a buffer in video memory one that other processes can open while it exists; a
	 * second call returns the same. NULL: the kernel driver has no such call. Nothing may write
	 * the buffer meanwhile. */
	int (*buffer_export)(struct winsys_buffer *b, struct winsys_export *out);
	/* Opens such a buffer of another process, of this size; -ESTALE: it is no more. */
	int (*buffer_open)(struct winsys_device *d, const struct winsys_export *e, uint64_t bytes,
			   struct winsys_buffer **out);
	void (*buffer_destroy)(struct winsys_buffer *b);
	/* The CPU mapping, created by the first call, which must not be concurrent with another.
	 * NULL: the buffer cannot be mapped. */
	void *(*buffer_map)(struct winsys_buffer *b);
	void (*memory_info)(struct winsys_device *d, uint64_t *free_bytes, uint64_t *total_bytes);

	/* A group has an address space of its own. Its queues must be destroyed first, and if they
	 * may be busy the group must be stopped before them: running work ends soon, and new work
	 * is not accepted. A fault that the device reports late may become known after the stop. */
	int (*group_create)(struct winsys_device *d, struct winsys_group **out);
	void (*group_stop)(struct winsys_group *g);
	void (*group_destroy)(struct winsys_group *g);
	int (*bind)(struct winsys_group *g, struct winsys_buffer *b, uint64_t va);
	int (*unbind)(struct winsys_group *g, struct winsys_buffer *b, uint64_t va);
	/* Whether the group has failed, and how; a failed group must be destroyed. Costs one read
	 * of memory while there is no error. */
	bool (*group_error)(struct winsys_group *g, struct winsys_error *out);
	/*
	 * Sleeps until the group interrupts (a command that requests it, an error) or the time has
	 * passed; may return early. *seen, initially 0, is the caller's interrupt count. Check
	 * memory after each return, so that no interrupt is missed.
	 */
	void (*wait)(struct winsys_group *g, uint32_t *seen, uint64_t nanoseconds);

	int (*queue_create)(struct winsys_group *g, const struct winsys_queue_options *o,
			    struct winsys_queue **out);
	void (*queue_destroy)(struct winsys_queue *q);
	void (*queue_memory)(struct winsys_queue *q, struct winsys_queue_memory *out);
	/* For queues whose winsys_queue_memory has no doorbell. */
	void (*ring_doorbell)(struct winsys_queue *q);

	/* For devices that check programs. Memory of which nothing is said is not checked. May be
	 * called at any time between group_create and group_destroy. */
	int (*memory_allocated)(struct winsys_group *g, const struct winsys_allocation *a);
	void (*memory_freed)(struct winsys_group *g, uint64_t va,
			     const struct winsys_origin *origin);
	/* The CPU may write the allocation from now on. */
	void (*memory_initialised)(struct winsys_group *g, uint64_t va);
	/* Takes the next report; false: there is none. */
	bool (*report)(struct winsys_group *g, struct winsys_report *out);
};

/* What software GPUs counted in a launch that has ended (libsov/isa/counts.h), by the group and on
 * a thread of the GPU. Set it before devices are enumerated; NULL: nothing is counted. */
struct launch_counts;
typedef void winsys_counted_fn(const struct winsys_group *g, const struct launch_counts *l);
extern winsys_counted_fn *winsys_counted;

/* The calling thread's message for a failure that an errno does not describe. The back end sets it,
 * the code that reports the failure takes it; "" if there is none. */
void winsys_set_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
const char *winsys_take_error(void);

/* Reads the environment variable of a back end: 0 disables it, 1, the default, enables it, and 2
 * stands for the word variant, which may be NULL. -EINVAL: another value, which reason names. */
int winsys_enabled(const char *variable, const char *variant, char *reason, size_t reason_bytes);

/* Orders earlier writes before later ones, including writes in the CPU's write-combining buffers,
 * which an atomic store does not order. */
static inline void winsys_write_barrier(void)
{
#if defined(__x86_64__)
	__asm__ volatile("sfence" ::: "memory");
#elif defined(__aarch64__)
	__asm__ volatile("dmb oshst" ::: "memory");
#else
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

/* Orders earlier reads before later ones. */
static inline void winsys_read_barrier(void)
{
#if defined(__x86_64__)
	__asm__ volatile("lfence" ::: "memory");
#elif defined(__aarch64__)
	__asm__ volatile("dmb ishld" ::: "memory");
#else
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

/* As winsys_write_barrier(), directly after an atomic exchange: on x86 a locked instruction also
 * drains the write-combining buffers (Intel SDM 3A, memory types, WC; AMD APM 2,
 * write-combining). */
static inline void winsys_write_barrier_after_exchange(void)
{
#if !defined(__x86_64__)
	winsys_write_barrier();
#endif
}

/* After a barrier: reads the word back, so that writes to video memory up to it have arrived. On
 * Arm the read could otherwise be satisfied from the CPU's write buffer. */
static inline void winsys_read_back(const uint32_t *word)
{
#if defined(__aarch64__)
	__asm__ volatile("dsb osh" ::: "memory");
#endif
	(void)__atomic_load_n(word, __ATOMIC_ACQUIRE);
}

extern const struct winsys winsys_kmod, winsys_nvrm, winsys_kfd, winsys_soft;

/* The back ends of this build, in the order in which their devices are numbered. winsys_kmod is
 * among them if the build found libdrm. */
#define WINSYS_MAX_BACKENDS 4
extern const struct winsys *const winsys_backends[WINSYS_MAX_BACKENDS]; /* NULL at the end */

#endif
