/* SPDX-License-Identifier: MIT */
/*
 * The winsys back end for sovgpu.ko, as its files share it:
 *
 *   kmod_call.c    libdrm calls behind a table that tests replace, ioctls with error messages
 *   kmod_device.c  device enumeration and queries
 *   kmod_memory.c  buffer objects, CPU mappings, VM bindings
 *   kmod_fault.c   queue state and fault descriptions
 *   kmod_job.c     queues whose work is submitted by ioctl
 *   kmod_queue.c   groups and queues
 *   kmod_wait.c    sleeping until work completes
 *   kmod.c         the table of functions
 *
 * Functions return 0 or a negative errno and leave a message for it (winsys_set_error).
 */
#ifndef SOV_WINSYS_KMOD_H
#define SOV_WINSYS_KMOD_H

#include <pthread.h>
#include <sys/types.h>
#include <xf86drm.h>
#include "libsov/winsys/nv_chip.h"
#include "uapi/sovgpu_drm.h"

#define KMOD_DRIVER      "sovgpu"
#define KMOD_MAX_DEVICES 64

/* ---- kmod_call.c ---- */

/* The libdrm and system calls that reach the kernel; tests replace the table. */
struct kmod_os {
	int (*get_devices)(uint32_t flags, drmDevicePtr devices[], int max_devices);
	void (*free_devices)(drmDevicePtr devices[], int count);
	/* Whether the driver of this render node is sovgpu.ko; does not open the node. */
	bool (*is_sovgpu)(const char *render_node);
	int (*open)(const char *path); /* for reading and writing */
	int (*close)(int fd);
	drmVersionPtr (*get_version)(int fd);
	void (*free_version)(drmVersionPtr version);
	int (*ioctl)(int fd, unsigned long request, void *argument);
	int (*close_buffer)(int fd, uint32_t handle);
	int (*syncobj_create)(int fd, uint32_t flags, uint32_t *handle);
	int (*syncobj_destroy)(int fd, uint32_t handle);
	int (*syncobj_query)(int fd, uint32_t *handles, uint64_t *points, uint32_t count);
	int (*syncobj_timeline_wait)(int fd, uint32_t *handles, uint64_t *points, unsigned count,
				     int64_t deadline_ns, unsigned flags,
				     uint32_t *first_signalled);
	void *(*mmap)(size_t bytes, int fd, uint64_t offset); /* MAP_FAILED on failure */
	int (*munmap)(void *address, size_t bytes);
};
extern const struct kmod_os *kmod_os;

/* Issues an ioctl. action completes the error message: "creating a queue". */
int kmod_ioctl(int fd, unsigned long request, void *argument, const char *action);
/* Issues an ioctl that releases something: its failure is logged and ignored. */
void kmod_release(int fd, unsigned long request, void *argument, const char *action);
/* Logs the outcome of a libdrm call and sets the error message. error is 0 or a negative errno. */
int kmod_result(int error, const char *action);

/* ---- kmod_device.c ---- */

struct winsys_device {
	int fd;
	char path[64];
	struct winsys_info info;
	uint32_t max_ring_entries;
	uint32_t time_limit_ms;
	bool user_queues; /* rings are mapped into the process; otherwise work goes by ioctl */

	pthread_mutex_t lock;   /* protects what follows */
	uint8_t *doorbell_page; /* NULL until the first queue maps it */
};

int kmod_enumerate(uint32_t devices_before, struct winsys_device ***devices, uint32_t *count,
		   char *message, size_t message_bytes);
void kmod_forget(void);
void kmod_info(struct winsys_device *d, struct winsys_info *out);
uint64_t kmod_gpu_time(struct winsys_device *d);
void kmod_memory_info(struct winsys_device *d, uint64_t *free_bytes, uint64_t *total_bytes);
uint32_t kmod_page_bytes(void); /* of the host */
/* Closes all devices, so that the next enumeration starts again. For tests. */
void kmod_close_devices(void);

/* ---- kmod_memory.c ---- */

struct winsys_buffer {
	struct winsys_device *device;
	uint64_t bytes;
	uint32_t handle;
	bool imported;
	void *cpu;
};

int kmod_buffer_create(struct winsys_device *d, enum winsys_placement placement, uint64_t bytes,
		       struct winsys_buffer **out);
int kmod_buffer_import(struct winsys_device *d, void *memory, uint64_t bytes,
		       struct winsys_buffer **out);
void kmod_buffer_destroy(struct winsys_buffer *b);
void *kmod_buffer_map(struct winsys_buffer *b);
int kmod_bind(struct winsys_group *g, struct winsys_buffer *b, uint64_t va);
int kmod_unbind(struct winsys_group *g, struct winsys_buffer *b, uint64_t va);

/* ---- groups and queues ---- */

#define KMOD_PRIORITIES 2 /* 0 and the one below it */

struct winsys_group {
	struct winsys_device *device;
	uint32_t vm;
	uint32_t ids[KMOD_PRIORITIES]; /* the driver's groups by priority; 0: not created */
	bool stopped;
	uint64_t state_queried_ns; /* when queue states were last queried; atomic */
	bool failed;               /* atomic, set after description */

	pthread_mutex_t lock; /* protects what follows */
	struct winsys_queue *queues;
	uint64_t retired_points; /* timeline points of destroyed queues */
	int submit_error;        /* errno of a rejected submission */
	struct winsys_error description;
};

struct winsys_queue {
	struct winsys_group *group;
	struct winsys_queue *next;
	uint32_t id;
	uint32_t level; /* index of the driver's group */
	struct winsys_queue_memory memory;
	uint8_t *pointers; /* page with GET and PUT of a user queue; NULL: a kernel queue */

	uint32_t syncobj;
	uint32_t put; /* the word that memory.put points to */
	uint32_t get;
	uint64_t completed; /* last timeline point seen signalled; protected by group->lock */
	_Atomic uint64_t submitted; /* timeline points, one per ioctl */

	pthread_mutex_t lock; /* protects what follows: one thread submits at a time */
	struct drm_sovgpu_job *jobs;
	uint32_t sent; /* ring index of the first entry that the driver does not have */
};

/* ---- kmod_fault.c ---- */

bool kmod_group_error(struct winsys_group *g, struct winsys_error *out);
/* The driver rejected work, which means that the group has failed. */
void kmod_group_submit_failed(struct winsys_group *g, int error);

/* ---- kmod_job.c ---- */

/* Creates the driver's queue. */
int kmod_queue_ioctl(struct winsys_queue *q, enum winsys_engine engine,
		     struct drm_sovgpu_queue_create *c);
int kmod_jobs_init(struct winsys_queue *q, const struct winsys_queue_options *o);
void kmod_jobs_fini(struct winsys_queue *q);
void kmod_ring_doorbell(struct winsys_queue *q);

/* ---- kmod_queue.c ---- */

int kmod_group_create(struct winsys_device *d, struct winsys_group **out);
void kmod_group_stop(struct winsys_group *g);
void kmod_group_destroy(struct winsys_group *g);
int kmod_queue_create(struct winsys_group *g, const struct winsys_queue_options *o,
		      struct winsys_queue **out);
void kmod_queue_destroy(struct winsys_queue *q);
void kmod_queue_memory(struct winsys_queue *q, struct winsys_queue_memory *out);

/* ---- kmod_wait.c ---- */

void kmod_wait(struct winsys_group *g, uint32_t *seen, uint64_t nanoseconds);

#endif
