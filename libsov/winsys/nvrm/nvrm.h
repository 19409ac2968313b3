/* SPDX-License-Identifier: MIT */
/*
 * The internals of the back end for NVIDIA's open kernel module.
 *
 *   nvrm_call.c    the ioctls of RM, one function each, and the scopes that free RM's objects
 *   nvrm_release.c the interface differences between releases of the module
 *   nvrm_device.c  enumeration of GPUs
 *   nvrm_memory.c  buffers and their GPU mappings
 *   nvrm_queue.c   groups and queues
 *   nvrm_wait.c    sleeping until the GPU interrupts
 *   nvrm_fault.c   error reports and stopping
 *   nvrm_state.c   identity, samples of the state, processes
 *
 * Functions return 0 or a negative errno, and describe the failure by winsys_set_error.
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

/* The system calls; tests replace them. */
struct nvrm_os {
	int (*open)(const char *path); /* for reading and writing */
	int (*close)(int file);
	int (*ioctl)(int file, unsigned long request, void *argument);
	void *(*map)(size_t bytes, int file, bool writable); /* MAP_FAILED */
	int (*unmap)(void *address, size_t bytes);
	int (*poll)(int file, uint64_t nanoseconds); /* 1: readable */
};
extern const struct nvrm_os *nvrm_os;

struct rm {       /* the process's RM client */
	int file; /* /dev/nvidiactl */
	const struct nvrm_release *release;
	char version[64]; /* of the module */
	uint32_t client;
};

/* RM objects in order of allocation; rm_unwind frees them in reverse order. */
#define RM_SCOPE_OBJECTS 6
struct rm_scope {
	struct rm *rm;
	uint32_t count;
	struct {
		uint32_t parent, handle;
	} objects[RM_SCOPE_OBJECTS];
};

/* what, here and below: the object for messages, as in "a channel". */
int rm_ioctl(int file, uint32_t number, void *argument, uint32_t bytes, const char *what);
/* bytes 0: no parameters. */
int rm_alloc(struct rm_scope *s, uint32_t parent, uint32_t class, void *parameters, uint32_t bytes,
	     uint32_t *handle, const char *what);
/* Frees all objects but the first keep. */
void rm_unwind(struct rm_scope *s, uint32_t keep);
int rm_control(struct rm *rm, uint32_t object, uint32_t command, void *parameters, uint32_t bytes,
	       const char *what);
/* path: the device file that maps the memory. */
int rm_map_cpu(struct rm *rm, uint32_t device, uint32_t memory, uint64_t bytes, uint32_t flags,
	       const char *path, void **address);
/* va_range: the RM object of the address range, NV01_MEMORY_VIRTUAL. */
int rm_map_gpu(struct rm *rm, uint32_t device, uint32_t va_range, uint32_t memory, uint64_t bytes,
	       uint32_t flags, uint64_t address);
int rm_unmap_gpu(struct rm *rm, uint32_t device, uint32_t va_range, uint32_t memory, uint64_t bytes,
		 uint64_t address);
/* Pins pages of the process as a memory object. file: the GPU's device file. */
int rm_pin(struct rm_scope *s, int file, uint32_t device, void *memory, uint64_t bytes,
	   uint32_t *handle);

/* ---- nvrm_release.c ---- */

/* Offsets in RM's page of samples; bytes 0: the release has none, or an unknown one. */
struct nvrm_samples {
	uint32_t bytes;
	uint32_t clocks, utilization, performance, power_limit, temperature, power;
};

/* The interface differences of a range of releases. */
struct nvrm_release {
	uint32_t major; /* the first; the next row's is the end */
	uint32_t map_gpu_bytes, va_space_bytes, schedule_bytes;
	bool tested; /* other releases require SOV_NVRM_ANY=1 */
	struct nvrm_samples samples;
};
/* Returns NULL if the text is not a version or the module is too old. */
const struct nvrm_release *nvrm_release_find(const char *version, uint32_t *major);

/* ---- nvrm_device.c ---- */

struct winsys_device {
	struct rm *rm;
	int file; /* /dev/nvidiaN, open as long as the RM device exists */
	char path[32];
	struct rm_scope scope;
	uint32_t device, subdevice;
	const struct winsys_nv_chip *chip;
	struct winsys_info info;

	pthread_mutex_t lock;   /* for the members below, which are created on first use */
	uint8_t *usermode;      /* register page (USERMODE class): doorbell and timer */
	uint8_t *bar1_usermode; /* the same page behind BAR1; NULL: not supported */
	uint32_t copy_engine;   /* RM_ENGINE_*; 0: not chosen yet */
	uint8_t *samples;       /* RM's page of samples; NULL: not mapped yet */
	struct rm_scope samples_scope;
	bool samples_failed; /* the page cannot be mapped */
	bool sampled;        /* the first sample has been waited for */
	bool has_events;
	bool has_copy_event; /* also for the copy engine */
	int event_file;
	struct rm_scope event_scope;
	pthread_cond_t poll_done;
	bool polling; /* a thread is in poll(); the others wait for poll_done */
	uint32_t interrupts;
};

int nvrm_enumerate(uint32_t devices_before, struct winsys_device ***devices, uint32_t *count,
		   char *message, size_t message_bytes);
void nvrm_info(struct winsys_device *d, struct winsys_info *out);
uint64_t nvrm_gpu_time(struct winsys_device *d);
void nvrm_memory_info(struct winsys_device *d, uint64_t *free_bytes, uint64_t *total_bytes);
int nvrm_map_usermode(struct winsys_device *d);
int nvrm_choose_copy_engine(struct winsys_device *d, uint32_t *engine);
/* Closes all devices and the client; the next enumeration starts over. */
void nvrm_close(void);

/* ---- nvrm_memory.c ---- */

struct winsys_buffer {
	struct winsys_device *device;
	enum winsys_placement placement;
	uint64_t bytes;
	struct rm_scope scope;
	uint32_t memory;
	bool imported;
	void *cpu;
};

int nvrm_buffer_create(struct winsys_device *d, enum winsys_placement placement, uint64_t bytes,
		       struct winsys_buffer **out);
int nvrm_buffer_import(struct winsys_device *d, void *memory, uint64_t bytes,
		       struct winsys_buffer **out);
void nvrm_buffer_destroy(struct winsys_buffer *b);
void *nvrm_buffer_map(struct winsys_buffer *b);
int nvrm_bind(struct winsys_group *g, struct winsys_buffer *b, uint64_t va);
int nvrm_unbind(struct winsys_group *g, struct winsys_buffer *b, uint64_t va);

/* ---- nvrm_queue.c ---- */

#define NVRM_MIN_PRIORITY (-1)
#define NVRM_PRIORITIES   3
#define NVRM_MAX_QUEUES   (NVRM_PAGE_BYTES / NV_USERD_BYTES) /* per group */

/* A channel group (TSG). It exists while it has queues. */
struct nvrm_channel_group {
	struct rm_scope scope;
	uint32_t engine, handle, context_share, queues;
	bool preemptible;
};

struct winsys_group {
	struct winsys_device *device;
	struct rm_scope scope;
	uint32_t va_space, va_range;
	struct winsys_buffer *notifier, *userd;
	const struct nv_notification *error; /* error notifier of all channels */
	/* By priority, from the lowest, and enum winsys_engine. */
	struct nvrm_channel_group channel_groups[NVRM_PRIORITIES][2];
	uint64_t userd_used[NVRM_MAX_QUEUES / 64];

	pthread_mutex_t lock; /* for the members below */
	struct winsys_queue *queues;
	bool stopped; /* by nvrm_group_stop */
	bool described;
	struct winsys_error description; /* of the error, if described */
};

struct winsys_queue {
	struct winsys_group *group;
	struct winsys_queue *next;
	enum winsys_engine engine;
	int32_t priority;
	struct rm_scope scope;
	uint32_t userd_slot, channel, engine_object;
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
void nvrm_events_destroy(struct winsys_device *d);

/* ---- nvrm_state.c ---- */

/* Fills in the identity of the device. */
void nvrm_identify(struct winsys_device *d, const struct rm_card *card);
void nvrm_state(struct winsys_device *d, struct winsys_state *out);
int nvrm_processes(struct winsys_device *d, struct winsys_process *out, uint32_t capacity,
		   uint32_t *count);
void nvrm_samples_destroy(struct winsys_device *d);

/* ---- nvrm_fault.c ---- */

void nvrm_group_stop(struct winsys_group *g);

bool nvrm_group_error(struct winsys_group *g, struct winsys_error *out);
/* Describes an error from what RM reports; faults and errors may be NULL. */
void nvrm_describe_error(uint32_t xid, const struct rm_mmu_faults *faults,
			 const struct rm_sm_errors *errors, struct winsys_error *out);

#endif
