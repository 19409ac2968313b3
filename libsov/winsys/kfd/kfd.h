/* SPDX-License-Identifier: MIT */
/*
 * The internals of the back end for amdkfd, the compute interface of Linux' amdgpu driver.
 *
 *   kfd_call.c     the system calls, and the ioctls with their messages
 *   kfd_topology.c the parser of the topology in sysfs, and the table of chips
 *   kfd_device.c   enumeration of GPUs
 *   kfd_memory.c   buffers and their GPU mappings
 *   kfd_queue.c    queues
 *   kfd_trap.c     the trap handler, and what it reports
 *   kfd_event.c    groups: sleeping until the GPU interrupts, and exceptions
 *
 * Functions return 0 or a negative errno, and describe the failure by winsys_set_error.
 */
#ifndef SOV_WINSYS_KFD_H
#define SOV_WINSYS_KFD_H

#include <pthread.h>
#include "hw/amd/kfd.h"
#include "libsov/winsys/winsys.h"

#define KFD_PAGE_BYTES  4096u
#define KFD_MAX_DEVICES 16

/* ---- kfd_call.c ---- */

/* The system calls; tests replace them. */
struct kfd_os {
	int (*open)(const char *path); /* for reading and writing */
	int (*close)(int file);
	int (*ioctl)(int file, unsigned long request, void *argument);
	void *(*map)(size_t bytes, int file, uint64_t offset); /* MAP_FAILED */
	int (*unmap)(void *address, size_t bytes);
	/* Reads a file up to bytes; returns the number read, or a negative errno. */
	int (*read)(const char *path, char *text, size_t bytes);
	void (*ring)(uint64_t *doorbell, uint64_t value);
};
extern const struct kfd_os *kfd_os;

/* what: the object for messages, as in "a queue". */
int kfd_ioctl(unsigned long request, void *argument, const char *what);

/* ---- kfd_topology.c ---- */

struct kfd_chip {
	uint32_t gfx_version; /* as the topology has it */
	const char *chip, *title;
};
/* NULL: a chip that libsov has no code for. */
const struct kfd_chip *kfd_chip_find(uint64_t gfx_version);

struct kfd_node { /* the properties of a GPU that libsov uses; those not in the file are 0 */
	uint64_t simd_count, simd_per_cu, max_waves_per_simd, lds_kib, wave_lanes;
	uint64_t arrays, arrays_per_engine, xccs;
	uint64_t gfx_version, vendor_id, device_id, location_id, domain, render_minor;
	uint64_t sdma_engines;
	/* Of a queue, from Linux 6.12 on. */
	uint64_t save_bytes, control_stack_bytes, eop_bytes, debug_bytes;
};
/* Parse the text of a node's properties file and of a memory bank's. They return false and a
 * message if a line is not a name and a number, or a value is implausible. */
bool kfd_node_parse(const char *text, size_t bytes, struct kfd_node *out, char *message,
		    size_t message_bytes);
struct kfd_bank {
	uint64_t heap_type, bytes;
};
#define KFD_HEAP_VRAM_PUBLIC  1 /* that the CPU can map */
#define KFD_HEAP_VRAM_PRIVATE 2
bool kfd_bank_parse(const char *text, size_t bytes, struct kfd_bank *out, char *message,
		    size_t message_bytes);
/* Parses a number that is alone in its file. */
bool kfd_number_parse(const char *text, size_t bytes, uint64_t *out);
/* Whether the node describes a GPU that libsov can use, with the sizes of its queues filled in. */
bool kfd_node_check(struct kfd_node *node, char *message, size_t message_bytes);
static inline uint32_t kfd_node_units(const struct kfd_node *n)
{
	return (uint32_t)(n->simd_count / n->simd_per_cu);
}

/* ---- kfd_device.c ---- */

struct winsys_device {
	uint32_t index, gpu_id;
	int render_file;
	struct kfd_node node;
	const struct kfd_chip *chip;
	struct winsys_info info;
	struct kfd_apertures apertures;
	/* The trap handler's code and reports, with kfd.lock; NULL: not installed yet. */
	struct winsys_buffer *trap;

	pthread_mutex_t lock; /* for the members below */
	bool acquired;        /* the address space */
	uint64_t *doorbells;  /* NULL: not mapped yet */
	bool lost;            /* also read without the lock: error is valid */
	struct winsys_error error;
};

/* The process's state. */
struct kfd {
	int file; /* -1: not open */
	struct kfd_version version;
	struct winsys_device *devices[KFD_MAX_DEVICES];
	uint32_t count;

	pthread_mutex_t lock; /* for the members below, which are created on first use */
	bool has_events;
	/* Mapped by all GPUs with an address space. amdkfd takes one in the life of a process, even
	 * if the call that offers it fails, and frees it with the process. */
	struct winsys_buffer *event_page;
	bool event_page_offered;
	uint32_t memory_event, hardware_event;
};
extern struct kfd kfd;

int kfd_enumerate(uint32_t devices_before, struct winsys_device ***devices, uint32_t *count,
		  char *message, size_t message_bytes);
/* Acquires the address space, once. */
int kfd_device_acquire(struct winsys_device *d);
/* Closes all devices; the next enumeration starts over. */
void kfd_close(void);
struct winsys_device *kfd_device_of(uint32_t gpu_id);

/* ---- kfd_memory.c ---- */

struct winsys_buffer {
	struct winsys_device *device;
	enum winsys_placement placement;
	uint64_t bytes, va, handle, mmap_offset;
	bool allocated; /* at va: amdkfd has memory with an address only */
	bool imported;
	bool own_va;     /* va is this back end's */
	uint32_t mapped; /* bits of the devices that map it */
	void *cpu;
};

int kfd_buffer_create(struct winsys_device *d, enum winsys_placement placement, uint64_t bytes,
		      struct winsys_buffer **out);
int kfd_buffer_import(struct winsys_device *d, void *memory, uint64_t bytes,
		      struct winsys_buffer **out);
void kfd_buffer_destroy(struct winsys_buffer *b);
void *kfd_buffer_map(struct winsys_buffer *b);
void kfd_memory_info(struct winsys_device *d, uint64_t *free_bytes, uint64_t *total_bytes);
int kfd_bind(struct winsys_group *g, struct winsys_buffer *b, uint64_t va);
int kfd_unbind(struct winsys_group *g, struct winsys_buffer *b, uint64_t va);
/* A buffer at an address of its own that the device maps; mapped for the CPU as well if it is in
 * system memory. */
int kfd_buffer_new(struct winsys_device *d, enum winsys_placement placement, uint64_t bytes,
		   struct winsys_buffer **out);
/* Maps the buffer on a further device. */
int kfd_buffer_map_on(struct winsys_buffer *b, struct winsys_device *d);

/* ---- kfd_event.c ---- */

#define KFD_MIN_PRIORITY (-1)
#define KFD_MAX_PRIORITY 1

struct winsys_group {
	struct winsys_device *device;
	uint32_t event_id;
	uint64_t mailbox; /* GPU address */

	pthread_mutex_t lock; /* for the members below */
	pthread_cond_t waited;
	bool waiting; /* a thread is in the kernel; the others wait for it */
	uint32_t interrupts;
};

int kfd_group_create(struct winsys_device *d, struct winsys_group **out);
void kfd_group_stop(struct winsys_group *g);
void kfd_group_destroy(struct winsys_group *g);
bool kfd_group_error(struct winsys_group *g, struct winsys_error *out);
void kfd_wait(struct winsys_group *g, uint32_t *seen, uint64_t nanoseconds);
void kfd_events_destroy(void);

/* ---- kfd_trap.c ---- */

/* Gives the GPU a trap handler if it has none yet; with kfd.lock. */
int kfd_trap_install(struct winsys_device *d);
/* Frees the handler's memory. */
void kfd_trap_remove(struct winsys_device *d);
/* Completes the error of a memory exception with what the handler has reported. */
void kfd_trap_describe(const struct winsys_device *d, struct winsys_error *e);
/* The handler. */
extern const uint32_t kfd_trap_code[];
extern const uint32_t kfd_trap_code_words;

/* ---- kfd_queue.c ---- */

struct winsys_queue {
	struct winsys_group *group;
	uint32_t queue_id;
	bool created;
	uint64_t *doorbell;
	struct winsys_buffer *pointers, *eop, *save_area;
	struct winsys_queue_memory memory;
};

int kfd_queue_create(struct winsys_group *g, const struct winsys_queue_options *o,
		     struct winsys_queue **out);
void kfd_queue_destroy(struct winsys_queue *q);
void kfd_queue_memory(struct winsys_queue *q, struct winsys_queue_memory *out);
void kfd_ring_doorbell(struct winsys_queue *q);

#endif
