/* SPDX-License-Identifier: MIT */
/*
 * A context is the unit of fault containment: one queue group with its address space, and the
 * memory, modules, streams, events and graphs in it.
 *
 * context.c knows none of these by name. Each kind of object, and each service that a context
 * offers, is a struct context_part: a table of hooks that its own file defines. context_api.c
 * lists the parts and states the order in which their hooks run.
 *
 * Submitting work and waiting for it take no lock (stream/submit.c). The context's lock guards
 * everything else. A thread that holds the lock and has to wait for the GPU does so in
 * context_block, which releases the lock while it sleeps. Lock order, outermost first:
 * services_loading, a stream's staging ring, an event's recording lock, a graph's execution lock,
 * the context's lock, the services' reader lock, the lock of all buffer caches, then the leaf locks
 * of object.c, address_space.c, the trace and the winsys.
 */
#ifndef SOV_CONTEXT_H
#define SOV_CONTEXT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "libsov/gpu/gpu.h"
#include "libsov/runtime/base/gate.h"
#include "libsov/runtime/base/list.h"
#include "libsov/runtime/base/object.h"
#include "libsov/runtime/context/device.h"

struct context;
struct member;

/*
 * The hooks of one part; NULL where the part has nothing to do. All run with the context's lock
 * held, except close and destroy.
 */
struct context_part {
	/* The context is new. On failure the context is closed and destroyed. */
	sov_result (*create)(struct context *c);

	/* Closes the stream gates, so that no thread submits; true: submitted work is pending. */
	bool (*quiesce)(struct context *c);
	/* Opens the gates again; on a failed context they stay closed. */
	void (*resume)(struct context *c);
	/* Waits until the threads that are submitting have finished; later ones see earlier
	 * writes. */
	void (*flush_submitters)(struct context *c);
	/* All submitted work is complete. */
	bool (*idle)(struct context *c);
	/* Waits for all work that was submitted before. */
	sov_result (*drain)(struct context *c, uint64_t timeout);
	/* Checks for work past its time limit and describes it. */
	bool (*overdue)(struct context *c, sov_fault *f);

	/* Device memory ran out: frees what contexts on the device keep unused; false: nothing. */
	bool (*give_memory_back)(struct context *c);

	/* The queue group is about to be destroyed: destroys the queues in it. */
	void (*stop)(struct context *c);
	/* Reads what kernels wrote for the host (printf). Also called without the lock. */
	void (*collect_output)(struct context *c);
	/* Prints what the device found in a checked program. */
	void (*print_reports)(struct context *c);
	/* Turns a winsys error into a fault record: which kernel, instruction, allocation. */
	void (*attribute_fault)(const struct context *c, const struct winsys_error *e,
				sov_fault *f);
	/* Replaces the record if a failed assertion raised the trap. */
	void (*check_assertion)(const struct context *c, sov_fault *f);

	/* sov_context_reset: before the new group exists, and inside it. */
	void (*reset)(struct context *c);
	sov_result (*restart)(struct context *c);

	/* sov_context_destroy: retires the handles of its members (context_retire_members); then,
	 * without the lock, ends its threads. */
	void (*retire)(struct context *c, struct member **retired);
	void (*close)(struct context *c);
	/* The last reference is gone. Also called when create failed or never ran. */
	void (*destroy)(struct context *c);
};

struct context {
	/* Read by every launch: two cache lines. */
	_Alignas(64) struct object object;
	struct device *device;
	const struct winsys *winsys;
	const struct gpu *gpu;    /* command encoder … */
	void *chip;               /* … and its state for this chip */
	const void *first_handle; /* of the first stream */
	/* NULL: failed or closed. Written while all stream gates and sleepers are closed, hence
	 * read with the lock held or from inside one of these gates. The same holds for local. */
	struct winsys_group *group;
	struct local_memory {               /* memory/local_memory.c */
		uint64_t serial;            /* incremented for each new area */
		struct gpu_local per_queue; /* one queue's part; address: the first queue's */
		uint32_t queues;            /* parts of the area; 1 where all queues use one */
		struct buffer *area;
		struct local_area *retired; /* areas before it that kernels may still use */
	} local;
	_Atomic uint32_t stream_count; /* live streams */
	/* Up to this many streams end a kernel with a wait-for-idle; with more of them that would
	 * stall the others (stream/submit.c). */
	uint32_t max_streams_sharing_wfi;

	const struct context_part *const *parts; /* NULL-terminated */
	uint64_t kernel_time_limit;              /* default of a launch */
	uint64_t other_time_limit;               /* minimum for work other than kernels */
	uint32_t stack_bytes;                    /* per thread, for kernels that recurse */
	bool sync;                               /* SOV_SYNC: every call waits for its work */

	pthread_mutex_t lock;
	struct gate sleepers; /* threads that sleep in winsys->wait */
	bool closed;
	_Atomic uint64_t epoch;  /* counts failures, resets and the close */
	uint64_t code_writes;    /* counts modules loaded */
	uint64_t stream_serial;  /* counts streams created */
	uint64_t capture_serial; /* counts captures begun */

	_Atomic sov_result error; /* sticky */
	sov_fault fault;
	char message[1024]; /* the sticky error's */

	struct list_head buffers, modules, streams, events, graphs; /* members, oldest first */

	/* State of the parts, opaque here; NULL while unused. */
	struct allocation_table *allocations;
	struct pool *pool;
	struct buffer_cache *buffer_cache;
	struct textures *textures;
	struct stream_spares *spares;
	struct semaphore *free_semaphores;
	struct semaphore_page *semaphore_pages;
	_Atomic(struct host_functions *) host_functions;
	struct services *services;
	struct copy_kernels *copy_kernels;
	struct checked_context *checked;
	const void *bodies_stream; /* handle: for bodies of conditional nodes; NULL: none yet */
	const struct capture_ops *capture_ops;   /* stream/stream.h */
	const struct services_ops *services_ops; /* module/module.h */
	pthread_mutex_t services_loading;

	/* sov_context_options of the device services. */
	uint64_t print_bytes, heap_bytes;
	void (*print)(void *user, const char *text, size_t bytes);
	void *print_user;
};

/* ---- members: objects with a handle that live in a context ---- */

struct member_ops {
	enum object_kind kind;
	void (*destroy)(struct object *o);
	/* The context is being destroyed and the handle is retired; called without the lock. */
	void (*retired)(struct member *m);
};

struct member {
	struct object object;
	struct context *context; /* a reference */
	const struct member_ops *ops;
	struct list_head link;
	struct member *next_retired;
};

/* Publishes the handle and adds the member to the context, of which it holds a reference. */
sov_result member_publish(struct member *m, struct context *c, struct list_head *list,
			  const struct member_ops *ops);
/* Retires the handles of all members of a list and pushes the members onto *retired. */
void context_retire_members(struct list_head *list, struct member **retired);

/*
 * Look up a handle, take the context's lock and check the context for errors. NULL with *r set on
 * failure. The _failed variants also enter a failed context, with its sticky error in *r. Each
 * enter is paired with a leave, which returns r.
 */
struct context *context_enter(sov_context handle, sov_result *r);
struct context *context_enter_failed(sov_context handle, sov_result *r);
sov_result context_leave(struct context *c, sov_result r);
void *member_enter(const void *handle, enum object_kind kind, sov_result *r);
void *member_enter_failed(const void *handle, enum object_kind kind, sov_result *r);
sov_result member_leave(void *member, sov_result r);

/* The context's sticky error; takes the lock. */
sov_result context_status(struct context *c);

/* ---- with the lock held ---- */

/* Detects new errors and kernels past their time limit, and returns the sticky error. */
sov_result context_check(struct context *c);
/* Records the fault as the sticky error and tears the queue group down. */
void context_fail(struct context *c, const sov_fault *f);
/* Destroys the queue group and all queues in it; pending work is lost. */
void context_stop(struct context *c);
/* Prints what was found so far, if the program is checked (SOV_CHECK). */
void context_print_reports(struct context *c);
/* Reads what kernels have printed; with or without the lock. */
void context_collect_output(struct context *c);

/* Reports a winsys call that failed with a negative errno. */
sov_result set_winsys_error(int error, const char *what);

#endif
