/* SPDX-License-Identifier: MIT */
/*
 * What the files of the way through our own kernel driver share.
 *
 *   kmod.c         calls, and the table of functions
 *   kmod_device.c  finding GPUs, and what they are
 *   kmod_memory.c  buffers and where they are bound
 *   kmod_queue.c   groups and queues
 *   kmod_job.c     queues whose work is handed over by calls
 *   kmod_wait.c    sleeping until work is done
 *   kmod_fault.c   what a failure was
 *
 * Functions return 0 or a negative errno, and leave a sentence (winsys_set_error) with it.
 */
#ifndef SOV_WINSYS_KMOD_H
#define SOV_WINSYS_KMOD_H

#include <pthread.h>
#include <sys/types.h>
#include "libsov/winsys/nv_chip.h"
#include "uapi/sovgpu_drm.h"

#define KMOD_DRIVER      "sovgpu"
#define KMOD_MAX_DEVICES 64

/* ---- kmod.c ---- */

/* The system calls, so that tests can stand in for the kernel. */
struct kmod_os {
	/* Render nodes of our driver, in order: the number of the first that is not below the
	 * given one; -1: none. */
	int (*next_node)(int number);
	int (*open)(const char *path); /* for reading and writing */
	int (*close)(int file);
	int (*ioctl)(int file, unsigned long request, void *argument);
	void *(*map)(size_t bytes, int file, uint64_t offset); /* MAP_FAILED */
	int (*unmap)(void *address, size_t bytes);
};
extern const struct kmod_os *kmod_os;

/* doing: for sentences, as "making a queue". */
int kmod_call(int file, unsigned long request, void *argument, const char *doing);
/* For giving back: nobody could do anything about a failure. */
void kmod_drop(int file, unsigned long request, void *argument, const char *doing);

/* ---- kmod_device.c ---- */

struct winsys_device {
	int file;
	char path[32];
	struct winsys_info info;
	uint32_t ring_entries; /* of a queue, at most */
	uint32_t time_limit_ms;
	bool user_queues; /* rings are the process's own; otherwise work goes by calls */

	pthread_mutex_t lock; /* for what follows */
	uint8_t *bell_page;   /* NULL: none is mapped yet */
};

int kmod_enumerate(uint32_t already, struct winsys_device ***devices, uint32_t *count,
		   char *message, size_t message_bytes);
void kmod_info(struct winsys_device *d, struct winsys_info *out);
uint64_t kmod_gpu_time(struct winsys_device *d);
void kmod_memory_info(struct winsys_device *d, uint64_t *free_bytes, uint64_t *total_bytes);
uint32_t kmod_page_bytes(void); /* of this machine */
/* Gives everything back, as if nobody had asked for devices. */
void kmod_forget(void);

/* ---- kmod_memory.c ---- */

struct winsys_buffer {
	struct winsys_device *device;
	uint64_t bytes;
	uint32_t handle;
	bool imported;
	void *cpu;
};

int kmod_buffer_create(struct winsys_device *d, enum winsys_placement where, uint64_t bytes,
		       struct winsys_buffer **out);
int kmod_buffer_import(struct winsys_device *d, void *memory, uint64_t bytes,
		       struct winsys_buffer **out);
void kmod_buffer_destroy(struct winsys_buffer *b);
void *kmod_buffer_map(struct winsys_buffer *b);
int kmod_bind(struct winsys_group *g, struct winsys_buffer *b, uint64_t va);
int kmod_unbind(struct winsys_group *g, struct winsys_buffer *b, uint64_t va);

/* ---- kmod_queue.c ---- */

#define KMOD_PRIORITIES 2 /* 0 and the one below it */

struct winsys_group {
	struct winsys_device *device;
	uint32_t vm;
	uint32_t ids[KMOD_PRIORITIES]; /* the driver's groups, by its priority; 0: none yet */
	bool stopped;
	uint64_t asked; /* when the driver was last asked how the group is, ns; atomic */
	bool failed;    /* atomic, set when the description is there */

	pthread_mutex_t lock; /* for what follows */
	struct winsys_queue *queues;
	uint64_t retired; /* points of queues that are gone */
	int refused;      /* errno with which work was refused */
	struct winsys_error description;
};

struct winsys_queue {
	struct winsys_group *group;
	struct winsys_queue *next;
	uint32_t id;
	uint32_t level; /* which of the driver's groups it is in */
	struct winsys_queue_memory memory;
	uint8_t *
		pointers; /* page with both ends of a ring of the process's own; or NULL, and then: */

	uint32_t syncobj;
	uint32_t put; /* behind memory.put */
	uint32_t get;
	uint64_t done; /* the last point that was seen to be signalled; the group's lock's */
	_Atomic uint64_t submitted; /* points of its timeline: one for each call */

	pthread_mutex_t lock; /* for what follows: work is handed over by one thread at a time */
	struct drm_sovgpu_job *jobs;
	uint32_t sent; /* where in the ring what the driver does not have yet begins */
};

int kmod_group_create(struct winsys_device *d, struct winsys_group **out);
void kmod_group_stop(struct winsys_group *g);
void kmod_group_destroy(struct winsys_group *g);
int kmod_queue_create(struct winsys_group *g, const struct winsys_queue_options *o,
		      struct winsys_queue **out);
void kmod_queue_destroy(struct winsys_queue *q);
void kmod_queue_memory(struct winsys_queue *q, struct winsys_queue_memory *out);
int kmod_queue_make(struct winsys_queue *q, enum winsys_engine engine,
		    struct drm_sovgpu_queue_create *c);

/* ---- kmod_job.c ---- */

int kmod_jobs_init(struct winsys_queue *q, const struct winsys_queue_options *o);
void kmod_jobs_fini(struct winsys_queue *q);
void kmod_doorbell(struct winsys_queue *q);

/* ---- kmod_wait.c ---- */

uint64_t kmod_now(void); /* CLOCK_MONOTONIC, ns */
void kmod_wait(struct winsys_group *g, uint32_t *seen, uint64_t nanoseconds);

/* ---- kmod_fault.c ---- */

bool kmod_group_error(struct winsys_group *g, struct winsys_error *out);
/* Work was refused, which is not supposed to happen while the group is well. */
void kmod_group_refused(struct winsys_group *g, int error);

#endif
