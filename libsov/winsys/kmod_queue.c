/* SPDX-License-Identifier: MIT */
/*
 * Groups and queues. The driver writes the hardware's rings itself, so a queue's ring is ordinary
 * memory here: the runtime fills it as it would any other, and where another way rings a bell, this
 * one hands the new entries over as jobs. Each call signals the next point of the queue's timeline,
 * by which threads can sleep. Work is handed over by one thread at a time; others find that it has
 * been.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "hw/nv/host.h"
#include "libsov/winsys/kmod.h"

/* The driver gives a ring entry back when it has seen that the job is done, which is later than
 * when the runtime sees it; hence room for some rounds of the runtime's ring. */
#define ROUNDS 4

/* ---- groups ---- */

/* The driver's priority 0 is the usual one, 1 is less urgent. */
static uint32_t level_of(int32_t priority)
{
	return (uint32_t)-priority;
}

/* One of the driver's groups for each priority that is used, all in one address space; their fate is
 * made one here. */
static int need_level(struct winsys_group *g, uint32_t level)
{
	struct drm_sovgpu_group_create group = {.vm_id = g->vm, .priority = level};
	int error;

	if (g->ids[level])
		return 0;
	error = kmod_call(g->device->file, DRM_IOCTL_SOVGPU_GROUP_CREATE, &group,
			  "making a queue group");
	if (!error)
		g->ids[level] = group.id;
	return error;
}

int kmod_group_create(struct winsys_device *d, struct winsys_group **out)
{
	struct drm_sovgpu_vm_create vm = {0};
	struct winsys_group *g = calloc(1, sizeof(*g));
	int error;

	if (!g)
		return -ENOMEM;
	g->device = d;
	error = kmod_call(d->file, DRM_IOCTL_SOVGPU_VM_CREATE, &vm, "making an address space");
	if (error) {
		free(g);
		return error;
	}
	g->vm = vm.id;
	pthread_mutex_init(&g->lock, NULL);
	error = need_level(g, 0);
	if (error) {
		kmod_group_destroy(g);
		return error;
	}
	*out = g;
	return 0;
}

/* Nothing of it is at work afterwards; its queues are names that are still to be given back. */
void kmod_group_stop(struct winsys_group *g)
{
	uint32_t i;

	for (i = 0; i < KMOD_PRIORITIES; i++) {
		struct drm_sovgpu_group_destroy d = {.id = g->ids[i]};

		if (g->ids[i])
			kmod_drop(g->device->file, DRM_IOCTL_SOVGPU_GROUP_DESTROY, &d,
				  "stopping a group");
		g->ids[i] = 0;
	}
	pthread_mutex_lock(&g->lock);
	g->stopped = true;
	pthread_mutex_unlock(&g->lock);
}

void kmod_group_destroy(struct winsys_group *g)
{
	struct drm_sovgpu_vm_destroy d = {.id = g->vm};

	kmod_group_stop(g);
	kmod_drop(g->device->file, DRM_IOCTL_SOVGPU_VM_DESTROY, &d, "giving back an address space");
	pthread_mutex_destroy(&g->lock);
	free(g);
}

/* ---- queues ---- */

static int make_queue(struct winsys_queue *q, enum winsys_engine engine, uint32_t entries)
{
	struct winsys_device *d = q->group->device;
	struct drm_syncobj_create sync = {0};
	struct drm_sovgpu_queue_create c = {
		.group_id = q->group->ids[q->level],
		.queue_class =
			engine == WINSYS_COPY ? DRM_SOVGPU_QUEUE_COPY : DRM_SOVGPU_QUEUE_COMPUTE,
		.mode = DRM_SOVGPU_QUEUE_KERNEL,
		.ring_entries = entries,
		.time_limit_ms = d->time_limit_ms,
	};
	int error = kmod_call(d->file, DRM_IOCTL_SYNCOBJ_CREATE, &sync, "making a timeline");

	if (error)
		return error;
	q->syncobj = sync.handle;
	error = kmod_call(d->file, DRM_IOCTL_SOVGPU_QUEUE_CREATE, &c,
			  engine == WINSYS_COPY ? "making a copy queue" : "making a compute queue");
	q->id = error ? 0 : c.id;
	return error;
}

static void queue_free(struct winsys_queue *q)
{
	struct winsys_device *d = q->group->device;
	struct drm_sovgpu_queue_destroy queue = {.id = q->id};
	struct drm_syncobj_destroy sync = {.handle = q->syncobj};

	if (q->id)
		kmod_drop(d->file, DRM_IOCTL_SOVGPU_QUEUE_DESTROY, &queue, "giving back a queue");
	if (q->syncobj)
		kmod_drop(d->file, DRM_IOCTL_SYNCOBJ_DESTROY, &sync, "giving back a timeline");
	pthread_mutex_destroy(&q->lock);
	free(q->memory.ring);
	free(q->jobs);
	free(q);
}

int kmod_queue_create(struct winsys_group *g, const struct winsys_queue_options *o,
		      struct winsys_queue **out)
{
	uint32_t most = g->device->ring_entries, entries = o->ring_entries * ROUNDS;
	struct winsys_queue *q = calloc(1, sizeof(*q));
	int error = -ENOMEM;

	if (!q)
		return error;
	q->group = g;
	pthread_mutex_init(&q->lock, NULL);
	q->memory.ring = calloc(o->ring_entries, sizeof(*q->memory.ring));
	q->memory.ring_entries = o->ring_entries;
	q->memory.put = &q->put;
	q->memory.get = &q->get;
	q->jobs = calloc(o->ring_entries, sizeof(*q->jobs));
	q->level = level_of(o->priority);
	if (q->memory.ring && q->jobs)
		error = need_level(g, q->level);
	if (!error)
		error = make_queue(q, o->engine, entries < most ? entries : most);
	if (error) {
		queue_free(q);
		return error;
	}
	pthread_mutex_lock(&g->lock);
	q->next = g->queues;
	g->queues = q;
	pthread_mutex_unlock(&g->lock);
	*out = q;
	return 0;
}

void kmod_queue_destroy(struct winsys_queue *q)
{
	struct winsys_group *g = q->group;
	struct winsys_queue **p;

	pthread_mutex_lock(&g->lock);
	for (p = &g->queues; *p != q; p = &(*p)->next)
		;
	*p = q->next;
	g->retired += q->done;
	pthread_mutex_unlock(&g->lock);
	queue_free(q);
}

void kmod_queue_memory(struct winsys_queue *q, struct winsys_queue_memory *out)
{
	*out = q->memory;
}

/* ---- handing over ---- */

static int submit(struct winsys_queue *q, uint32_t count)
{
	struct drm_sovgpu_sync done = {
		.flags = DRM_SOVGPU_SYNC_TIMELINE | DRM_SOVGPU_SYNC_SIGNAL,
		.handle = q->syncobj,
		.point = q->submitted + 1,
	};
	struct drm_sovgpu_queue_submit s = {
		.queue_id = q->id,
		.jobs = {sizeof(*q->jobs), count, (uintptr_t)q->jobs},
		.syncs = {sizeof(done), 1, (uintptr_t)&done},
	};
	int error = kmod_call(q->group->device->file, DRM_IOCTL_SOVGPU_QUEUE_SUBMIT, &s,
			      "handing over work");

	if (!error)
		q->submitted++;
	return error;
}

void kmod_doorbell(struct winsys_queue *q)
{
	uint32_t put, count = 0;
	int error = 0;

	pthread_mutex_lock(&q->lock);
	put = __atomic_load_n(&q->put, __ATOMIC_ACQUIRE);
	for (; q->sent != put; q->sent = (q->sent + 1) % q->memory.ring_entries) {
		struct nv_gp_entry e = nv_gp_entry_unpack(q->memory.ring[q->sent]);

		q->jobs[count++] = (struct drm_sovgpu_job){.va = e.address, .size = e.words * 4};
	}
	if (count)
		error = submit(q, count);
	pthread_mutex_unlock(&q->lock);
	if (error)
		kmod_group_refused(q->group, error);
}
