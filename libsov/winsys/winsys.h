/* SPDX-License-Identifier: MIT */
/*
 * A way to a GPU. The runtime knows devices, buffers, address spaces, queue groups and queues; what
 * stands behind them (a software GPU in the process, NVIDIA's kernel module, our own) is one table
 * of functions. All functions return 0 or a negative errno; nothing here waits.
 */
#ifndef SOV_WINSYS_H
#define SOV_WINSYS_H

#include <stdbool.h>
#include <stdint.h>

struct winsys;
struct winsys_device;
struct winsys_buffer;
struct winsys_group; /* unit of fate and of time slicing */
struct winsys_queue;

struct winsys_info {
	char name[64], product[64], target[16];
	uint32_t sm, multiprocessors, warps_per_sm, max_threads_per_block;
	uint32_t shared_per_block, shared_per_sm, registers_per_sm;
	uint16_t host_class, compute_class, copy_class;
	uint64_t memory_bytes;
	bool software, hazard;
};

enum winsys_placement { WINSYS_VRAM, WINSYS_SYSTEM };

struct winsys_error {
	uint32_t xid;
	bool memory;           /* an access fault: address is valid */
	uint64_t address, pc, program; /* GPU addresses; 0 = none */
	uint32_t block[3], thread[3];
	char text[256];
};

struct winsys_queue_memory { /* what a submitter writes */
	uint64_t *ring;           /* CPU address of the ring */
	uint32_t ring_entries;
	volatile uint32_t *put, *get;
};

struct winsys {
	const char *name;
	/* Devices found, in order; NULL ends. */
	int (*enumerate)(struct winsys_device ***devices, uint32_t *count);
	void (*info)(struct winsys_device *d, struct winsys_info *out);

	/* Memory. The GPU address is the caller's choice (va.c); cpu may be NULL (no CPU mapping). */
	int (*buffer_create)(struct winsys_device *d, enum winsys_placement where, uint64_t bytes,
			     struct winsys_buffer **out);
	void (*buffer_destroy)(struct winsys_buffer *b);
	void *(*buffer_cpu)(struct winsys_buffer *b);
	void (*memory_info)(struct winsys_device *d, uint64_t *free_bytes, uint64_t *total_bytes);

	/* A group has an address space of its own. */
	int (*group_create)(struct winsys_device *d, struct winsys_group **out);
	void (*group_destroy)(struct winsys_group *g); /* stops what runs */
	int (*bind)(struct winsys_group *g, struct winsys_buffer *b, uint64_t va);
	int (*unbind)(struct winsys_group *g, uint64_t va, uint64_t bytes);

	int (*queue_create)(struct winsys_group *g, uint64_t ring_va, struct winsys_buffer *ring,
			    uint32_t ring_entries, struct winsys_queue **out);
	void (*queue_destroy)(struct winsys_queue *q);
	void (*queue_memory)(struct winsys_queue *q, struct winsys_queue_memory *out);
	void (*doorbell)(struct winsys_queue *q);
	/* true: the group is dead, and why. */
	bool (*group_error)(struct winsys_group *g, struct winsys_error *out);
};

extern const struct winsys winsys_soft;

#endif
