/* SPDX-License-Identifier: MIT */
/*
 * A way to a GPU. The runtime knows devices, buffers, address spaces, queue groups and queues; what
 * stands behind them (a software GPU in the process, NVIDIA's kernel module, our own) is one table
 * of functions. All functions return 0 or a negative errno; nothing here waits for the GPU, except
 * that destroying a group or queue stops what runs on it.
 *
 * Calls on different groups may be made at the same time, calls on one group and its queues not.
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
	uint32_t sm, multiprocessors, warps_per_sm, max_threads_per_block;
	uint32_t shared_per_block, shared_per_sm, registers_per_sm;
	uint16_t host_class, compute_class, copy_class;
	uint32_t page_bytes; /* buffers are whole pages, bound at multiples of this */
	uint64_t memory_bytes;
	bool software, hazard;
};

enum winsys_placement { WINSYS_VRAM, WINSYS_SYSTEM };

struct winsys_error {
	struct winsys_queue *queue; /* where it happened; NULL: not known */
	uint32_t xid;
	bool memory;           /* an access fault: address is valid */
	uint64_t address, pc, program; /* GPU addresses; 0 = none */
	uint32_t block[3], thread[3];
	char text[256];
};

struct winsys_queue_memory { /* what a submitter writes */
	uint64_t *ring;           /* CPU address of the ring */
	uint32_t ring_entries;
	uint32_t *put, *get;      /* to be accessed atomically */
};

struct winsys {
	const char *name;
	/* Devices of this way, in order; they live as long as the process. already says how many
	 * devices other ways have found. A failure leaves one sentence in message. */
	int (*enumerate)(uint32_t already, struct winsys_device ***devices, uint32_t *count,
			 char *message, size_t message_bytes);
	void (*info)(struct winsys_device *d, struct winsys_info *out);

	/* Memory. bytes is a multiple of the page size. The GPU address is the caller's choice. */
	int (*buffer_create)(struct winsys_device *d, enum winsys_placement where, uint64_t bytes,
			     struct winsys_buffer **out);
	void (*buffer_destroy)(struct winsys_buffer *b);
	void *(*buffer_cpu)(struct winsys_buffer *b); /* NULL: the CPU cannot reach it */
	void (*memory_info)(struct winsys_device *d, uint64_t *free_bytes, uint64_t *total_bytes);

	/* A group has an address space of its own. Its queues are destroyed before it. */
	int (*group_create)(struct winsys_device *d, struct winsys_group **out);
	void (*group_destroy)(struct winsys_group *g);
	int (*bind)(struct winsys_group *g, struct winsys_buffer *b, uint64_t va);
	int (*unbind)(struct winsys_group *g, uint64_t va, uint64_t bytes);
	/* true: something in the group failed, and what; the group is to be destroyed. */
	bool (*group_error)(struct winsys_group *g, struct winsys_error *out);

	/* The ring begins ring_offset bytes into its buffer and is bound at ring_va. */
	int (*queue_create)(struct winsys_group *g, struct winsys_buffer *ring,
			    uint64_t ring_offset, uint64_t ring_va, uint32_t ring_entries,
			    struct winsys_queue **out);
	void (*queue_destroy)(struct winsys_queue *q);
	void (*queue_memory)(struct winsys_queue *q, struct winsys_queue_memory *out);
	void (*doorbell)(struct winsys_queue *q);
};

extern const struct winsys winsys_soft;

#endif
