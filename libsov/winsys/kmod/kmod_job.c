/* SPDX-License-Identifier: MIT */
/*
 * Queues whose work is handed over by calls, for GPUs on which a process cannot have rings of its
 * own. The driver writes the hardware's ring itself, so a queue's ring is ordinary memory here: the
 * runtime fills it as it would any other, and where another way rings a bell, this one hands the
 * new entries over as jobs. Each call signals the next point of the queue's timeline, by which
 * threads can sleep. Work is handed over by one thread at a time; others find that it has been.
 */
#include <errno.h>
#include <stdlib.h>
#include "hw/nv/host.h"
#include "libsov/winsys/kmod/kmod.h"

/* The driver gives a ring entry back when it has seen that the job is done, which is later than
 * when the runtime sees it; hence room for some rounds of the runtime's ring. */
#define ROUNDS 4

int kmod_jobs_init(struct winsys_queue *q, const struct winsys_queue_options *o)
{
	struct winsys_device *d = q->group->device;
	uint32_t entries = o->ring_entries * ROUNDS;
	struct drm_syncobj_create sync = {0};
	struct drm_sovgpu_queue_create c = {
		.mode = DRM_SOVGPU_QUEUE_KERNEL,
		.ring_entries = entries < d->ring_entries ? entries : d->ring_entries,
		.time_limit_ms = d->time_limit_ms,
	};
	int error;

	q->memory.ring = calloc(o->ring_entries, sizeof(*q->memory.ring));
	q->memory.ring_entries = o->ring_entries;
	q->memory.put = &q->put;
	q->memory.get = &q->get;
	q->jobs = calloc(o->ring_entries, sizeof(*q->jobs));
	if (!q->memory.ring || !q->jobs)
		return -ENOMEM;
	error = kmod_call(d->file, DRM_IOCTL_SYNCOBJ_CREATE, &sync, "making a timeline");
	if (error)
		return error;
	q->syncobj = sync.handle;
	return kmod_queue_make(q, o->engine, &c);
}

/* After the queue itself. */
void kmod_jobs_fini(struct winsys_queue *q)
{
	struct drm_syncobj_destroy sync = {.handle = q->syncobj};

	if (q->syncobj)
		kmod_drop(q->group->device->file, DRM_IOCTL_SYNCOBJ_DESTROY, &sync,
			  "giving back a timeline");
	free(q->memory.ring);
	free(q->jobs);
}

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
