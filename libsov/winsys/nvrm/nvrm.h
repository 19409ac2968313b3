/* SPDX-License-Identifier: MIT */
/*
 * What the files of the way through NVIDIA's kernel module share.
 *
 *   nvrm_call.c    ioctls, one function each; what was made is kept in a table that is unwound
 *   nvrm_release.c releases of the module that are known
 *   nvrm_device.c  finding GPUs
 *   nvrm_memory.c  buffers and where they are bound
 *   nvrm_queue.c   groups and queues
 *   nvrm_wait.c    sleeping until the GPU interrupts
 *   nvrm_fault.c   what a failure was
 *
 * Functions return 0 or a negative errno, and leave a sentence (winsys_set_error) with it.
 */
#ifndef SOV_WINSYS_NVRM_H
#define SOV_WINSYS_NVRM_H

#include <pthread.h>
#include <sys/types.h>
#include "hw/nv/host.h"
#include "hw/nv/rm.h"
#include "libsov/winsys/nv_chip.h"

#define NVRM_CONTROL_FILE     "/dev/nvidiactl"
#define NVRM_PAGE_BYTES       0x10000u
#define NVRM_LARGE_PAGE_BYTES 0x200000u
#define NVRM_HOST_PAGE_BYTES  0x1000u

/* ---- nvrm_call.c ---- */

/* The system calls, so that tests can stand in for the kernel. */
struct nvrm_os {
	int (*open)(const char *path); /* for reading and writing */
	int (*close)(int file);
	int (*ioctl)(int file, unsigned long request, void *argument);
	void *(*map)(size_t bytes, int file); /* MAP_FAILED */
	int (*unmap)(void *address, size_t bytes);
	int (*poll)(int file, uint64_t nanoseconds); /* 1: something to read */
};
extern const struct nvrm_os *nvrm_os;

struct rm {       /* our client */
	int file; /* /dev/nvidiactl */
	const struct nvrm_release *release;
	char version[64]; /* the module's, as it says */
	uint32_t client;
};

/* Objects in the order in which they were made; the last goes first. */
#define RM_SCOPE_OBJECTS 6
struct rm_scope {
	struct rm *rm;
	uint32_t count;
	struct {
		uint32_t parent, handle;
	} objects[RM_SCOPE_OBJECTS];
};

int rm_ioctl(int file, uint32_t number, void *argument, uint32_t bytes, const char *what);
/* bytes 0: no parameters. what: for sentences, as "a channel". */
int rm_alloc(struct rm_scope *s, uint32_t parent, uint32_t class, void *parameters, uint32_t bytes,
	     uint32_t *handle, const char *what);
/* Frees all but the first keep. */
void rm_unwind(struct rm_scope *s, uint32_t keep);
int rm_control(struct rm *rm, uint32_t object, uint32_t command, void *parameters, uint32_t bytes,
	       const char *what);
/* path: the file through which the memory is reached. */
int rm_map_cpu(struct rm *rm, uint32_t device, uint32_t memory, uint64_t bytes, uint32_t flags,
	       const char *path, void **address);
int rm_map_gpu(struct rm *rm, uint32_t device, uint32_t range, uint32_t memory, uint64_t bytes,
	       uint32_t flags, uint64_t address);
int rm_unmap_gpu(struct rm *rm, uint32_t device, uint32_t range, uint32_t memory, uint64_t bytes,
		 uint64_t address);
/* The caller's pages as a memory object; file: the GPU's. */
int rm_pin(struct rm_scope *s, int file, uint32_t device, void *memory, uint64_t bytes,
	   uint32_t *handle);

/* ---- nvrm_release.c ---- */

/* What differs between releases of the module. */
struct nvrm_release {
	uint32_t major; /* and all up to the next row */
	uint32_t map_gpu_bytes, va_space_bytes, schedule_bytes;
	bool tried; /* others need SOV_NVRM_ANY=1 */
};
/* NULL: the text is no version, or that of a module too old. */
const struct nvrm_release *nvrm_release_find(const char *version, uint32_t *major);

/* ---- nvrm_device.c ---- */

struct winsys_device {
	struct rm *rm;
	int file; /* /dev/nvidiaN, open as long as the device object lives */
	char path[32];
	struct rm_scope scope;
	uint32_t device, subdevice;
	const struct winsys_nv_chip *chip;
	struct winsys_info info;

	pthread_mutex_t lock; /* for what follows, which is made at first use */
	uint8_t *user;        /* page of registers with doorbell and timer */
	uint8_t *bell; /* page with the doorbell behind memory's window; NULL: there is none */
	uint32_t copy_engine; /* RM_ENGINE; 0: not chosen yet */
	bool waiting;         /* events are set up */
	bool copy_event;      /* also the copy engine's */
	int event_file;
	struct rm_scope event_scope;
	pthread_cond_t woken;
	bool polling; /* a thread is in poll(); the others wait for it */
	uint32_t interrupts;
};

int nvrm_enumerate(uint32_t already, struct winsys_device ***devices, uint32_t *count,
		   char *message, size_t message_bytes);
void nvrm_info(struct winsys_device *d, struct winsys_info *out);
uint64_t nvrm_gpu_time(struct winsys_device *d);
void nvrm_memory_info(struct winsys_device *d, uint64_t *free_bytes, uint64_t *total_bytes);
/* Maps the user pages. */
int nvrm_device_start(struct winsys_device *d);
int nvrm_copy_engine(struct winsys_device *d, uint32_t *engine);
/* Gives everything back, as if nobody had asked for devices. */
void nvrm_forget(void);

/* ---- nvrm_memory.c ---- */

struct winsys_buffer {
	struct winsys_device *device;
	enum winsys_placement where;
	uint64_t bytes;
	struct rm_scope scope;
	uint32_t memory;
	bool imported;
	void *cpu;
};

int nvrm_buffer_create(struct winsys_device *d, enum winsys_placement where, uint64_t bytes,
		       struct winsys_buffer **out);
int nvrm_buffer_import(struct winsys_device *d, void *memory, uint64_t bytes,
		       struct winsys_buffer **out);
void nvrm_buffer_destroy(struct winsys_buffer *b);
void *nvrm_buffer_map(struct winsys_buffer *b);
int nvrm_bind(struct winsys_group *g, struct winsys_buffer *b, uint64_t va);
int nvrm_unbind(struct winsys_group *g, struct winsys_buffer *b, uint64_t va);

/* ---- nvrm_queue.c ---- */

#define NVRM_MIN_PRIORITY (-1)
#define NVRM_PRIORITIES     3
#define NVRM_QUEUES         (NVRM_PAGE_BYTES / NV_USERD_BYTES) /* in a group */

struct nvrm_engine { /* a channel group; made for its first queue, gone with its last */
	struct rm_scope scope;
	uint32_t engine, group, share, queues;
	bool preemptible;
};

struct winsys_group {
	struct winsys_device *device;
	struct rm_scope scope;
	uint32_t va_space, range;
	struct winsys_buffer *notifier, *userd;
	const struct nv_notification *error; /* one for all channels */
	/* By priority, the least first, and enum winsys_engine. */
	struct nvrm_engine engines[NVRM_PRIORITIES][2];
	uint64_t userd_used[NVRM_QUEUES / 64];

	pthread_mutex_t lock; /* for what follows */
	struct winsys_queue *queues;
	bool stopped; /* by us */
	bool described;
	struct winsys_error description;
};

struct winsys_queue {
	struct winsys_group *group;
	struct winsys_queue *next;
	enum winsys_engine engine;
	int32_t priority;
	struct rm_scope scope;
	uint32_t slot, channel, object;
	struct winsys_queue_memory memory;
};

int nvrm_group_create(struct winsys_device *d, struct winsys_group **out);
void nvrm_group_destroy(struct winsys_group *g);
int nvrm_queue_create(struct winsys_group *g, const struct winsys_queue_options *o,
		      struct winsys_queue **out);
void nvrm_queue_destroy(struct winsys_queue *q);
void nvrm_queue_memory(struct winsys_queue *q, struct winsys_queue_memory *out);

/* ---- nvrm_wait.c ---- */

void nvrm_wait(struct winsys_group *g, uint32_t *seen, uint64_t nanoseconds);
void nvrm_wait_stop(struct winsys_device *d);

/* ---- nvrm_fault.c ---- */

void nvrm_group_stop(struct winsys_group *g);

bool nvrm_group_error(struct winsys_group *g, struct winsys_error *out);
/* What is known of a failure in words; either of the two may be NULL. */
void nvrm_describe(uint32_t xid, const struct rm_mmu_faults *faults,
		   const struct rm_sm_errors *errors, struct winsys_error *out);

#endif
