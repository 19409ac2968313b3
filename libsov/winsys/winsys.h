/* SPDX-License-Identifier: MIT */
/*
 * A way to a GPU. The runtime knows devices, buffers, address spaces, queue groups and queues; what
 * stands behind them (a software GPU in the process, NVIDIA's kernel module, our own) is one table
 * of functions. Those that can fail return 0 or a negative errno. Nothing here waits for the GPU,
 * except wait, and that destroying a group or queue stops what runs on it.
 *
 * Calls on different groups may be made at the same time, calls on one group and its queues not;
 * group_error, wait and doorbell may be made at any time between create and destroy.
 */
#ifndef SOV_WINSYS_H
#define SOV_WINSYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct winsys;
struct winsys_device;
struct winsys_buffer;
struct winsys_group; /* unit of fate and of time slicing */
struct winsys_queue;

struct winsys_info {
	char chip[48], product[64], target[16]; /* "gh100", for people, "sm_90" */
	char driver[64]; /* what stands behind this way, with its version; for people */
	uint32_t sm, multiprocessors, warps_per_multiprocessor, max_threads_per_block;
	uint32_t sms_per_tpc, tpcs; /* tpcs: as many as local memory must be made for */
	uint32_t shared_per_block, shared_per_multiprocessor, registers_per_multiprocessor;
	uint16_t host_class, compute_class, copy_class;
	uint32_t page_bytes;        /* buffers are whole pages, bound at multiples of this */
	uint32_t large_page_bytes;  /* see buffer_create */
	uint32_t import_page_bytes; /* see buffer_import */
	uint64_t memory_bytes;
	bool copy_queues; /* queues of WINSYS_COPY can be made */
	/* How many compute queues to have in reserve; 0: one can be made at any time, also while a
	 * block of the group runs for seconds. */
	uint32_t spare_queues;
	/* Of queues: 0 is the usual one, larger is more urgent. */
	int32_t min_priority, max_priority;
	bool software, hazard;
};

enum winsys_placement { WINSYS_VRAM, WINSYS_SYSTEM };

/* A copy queue runs beside compute queues and takes the copy class alone; a compute queue takes
 * both classes. */
enum winsys_engine { WINSYS_COMPUTE, WINSYS_COPY };

enum winsys_access { WINSYS_UNKNOWN_ACCESS, WINSYS_READ, WINSYS_WRITE, WINSYS_ATOMIC };

struct winsys_error {
	struct winsys_queue *queue; /* where it happened; NULL: not known */
	uint32_t xid;
	bool overdue; /* it took longer than the driver allows, and was stopped */
	bool stopped; /* it is what group_stop did */
	bool memory;  /* an access to memory was refused: address is valid */
	enum winsys_access access;
	uint64_t address, pc, program; /* GPU addresses; 0 = none */
	bool place;                    /* block and thread are valid */
	uint32_t block[3], thread[3];
	char text[256];
};

struct winsys_queue_options {
	enum winsys_engine engine;
	struct winsys_buffer *ring;
	uint64_t ring_offset;      /* where the ring begins in its buffer */
	uint64_t ring_va;          /* and where that is bound */
	uint32_t ring_entries;     /* a power of two … */
	uint32_t ring_entry_bytes; /* … of so many bytes, by what the GPU reads: gpu.h */
	int32_t priority;          /* within what the device has */
};

/*
 * What a submitter writes, and in which order: what the entry points at, the entry,
 * winsys_write_barrier(), put, winsys_write_barrier(), bell or doorbell. Video memory is write-combined:
 * it is written once, in order, and reading from it takes a microsecond. Where the bell overtakes
 * what is written there, put is read before it is rung (winsys_read_back).
 */
struct winsys_queue_memory {
	uint64_t *ring; /* CPU address of the ring */
	uint32_t ring_entries;
	uint32_t *put, *get; /* as the GPU counts them; to be accessed atomically */
	/* Where hardware listens: storing token here rings. The word lives as long as the process, and
	 * rung for a queue that is gone it does no harm. NULL: call doorbell. */
	uint32_t *bell, token;
	bool overtakes; /* see above */
};

struct winsys {
	const char *name;
	/* Devices of this way, in order; they live as long as the process. already says how many
	 * devices other ways have found. A failure leaves one sentence in message. */
	int (*enumerate)(uint32_t already, struct winsys_device ***devices, uint32_t *count,
			 char *message, size_t message_bytes);
	void (*info)(struct winsys_device *d, struct winsys_info *out);
	/* Nanoseconds now, on the clock of semaphore time stamps. */
	uint64_t (*gpu_time)(struct winsys_device *d);

	/*
	 * Memory. bytes is a multiple of the page size; a buffer in video memory of a whole number
	 * of large pages is made of those, and is bound at multiples of them. The GPU address is
	 * the caller's choice. An imported buffer is the caller's own memory, whole pages of
	 * import_page_bytes, pinned until the buffer is destroyed.
	 */
	int (*buffer_create)(struct winsys_device *d, enum winsys_placement where, uint64_t bytes,
			     struct winsys_buffer **out);
	int (*buffer_import)(struct winsys_device *d, void *memory, uint64_t bytes,
			     struct winsys_buffer **out);
	void (*buffer_destroy)(struct winsys_buffer *b);
	/* Made by the first call, which is not to be made twice at the same time. NULL: the CPU
	 * cannot reach it. */
	void *(*buffer_map)(struct winsys_buffer *b);
	void (*memory_info)(struct winsys_device *d, uint64_t *free_bytes, uint64_t *total_bytes);

	/* A group has an address space of its own. Its queues are destroyed before it, and if they
	 * may still be at work it is stopped before: what runs ends soon, and it takes no more. A
	 * failure that a card tells late may be known after that. */
	int (*group_create)(struct winsys_device *d, struct winsys_group **out);
	void (*group_stop)(struct winsys_group *g);
	void (*group_destroy)(struct winsys_group *g);
	int (*bind)(struct winsys_group *g, struct winsys_buffer *b, uint64_t va);
	int (*unbind)(struct winsys_group *g, struct winsys_buffer *b, uint64_t va);
	/* true: something in the group failed, and what; the group is to be destroyed. While all is
	 * well it costs one read of memory. */
	bool (*group_error)(struct winsys_group *g, struct winsys_error *out);
	/*
	 * Sleeps until something in the group interrupts (NON_STALL_INTERRUPT in a method stream,
	 * an error) or the time is over; may return for nothing. *seen, 0 at first, is what the
	 * caller has seen of interrupts: look at memory after each return, and none is missed.
	 */
	void (*wait)(struct winsys_group *g, uint32_t *seen, uint64_t nanoseconds);

	int (*queue_create)(struct winsys_group *g, const struct winsys_queue_options *o,
			    struct winsys_queue **out);
	void (*queue_destroy)(struct winsys_queue *q);
	void (*queue_memory)(struct winsys_queue *q, struct winsys_queue_memory *out);
	/* For queues without a bell. */
	void (*doorbell)(struct winsys_queue *q);
};

/* The sentence for a failure of this thread that an errno says too little about: a way leaves it,
 * who reports the failure takes it; "" for none. */
void winsys_set_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
const char *winsys_take_error(void);

/* Everything written so far reaches memory before what is written next, also from a CPU's
 * write-combining buffers, about which an atomic store says nothing. */
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

/* The same, right behind an atomic exchange: on x86 a locked instruction empties the write-combining
 * buffers as well (Intel SDM 3A, memory types, WC; AMD APM 2, write-combining). */
static inline void winsys_write_barrier_after_exchange(void)
{
#if !defined(__x86_64__)
	winsys_write_barrier();
#endif
}

/* Behind a barrier: what was written to video memory up to this word has arrived there. On Arm a read could be answered
 * by what the CPU still holds back. */
static inline void winsys_read_back(const uint32_t *word)
{
#if defined(__aarch64__)
	__asm__ volatile("dsb osh" ::: "memory");
#endif
	(void)__atomic_load_n(word, __ATOMIC_ACQUIRE);
}

extern const struct winsys winsys_kmod, winsys_nvrm, winsys_soft;

#endif
