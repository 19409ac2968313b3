// SPDX-License-Identifier: MIT
/*
 * Kernel queues: work is submitted by ioctl, for GPUs that cannot map rings into a process. The
 * driver writes the hardware's ring, so the ring that the runtime fills is ordinary memory, and
 * ringing the doorbell submits its new entries as jobs. Each ioctl signals the next point of the
 * queue's timeline syncobj, for which threads sleep. One thread submits at a time; threads that
 * come later find their entries already submitted.
 */
#include <errno.h>
#include <stdlib.h>
#include "hw/nv/host.h"
#include "libsov/winsys/kmod/kmod.h"

/* The driver frees a ring entry when it observes that the job is complete, which is later than the
 * runtime does. So the driver's ring holds several times the runtime's entries. */
#define RING_FACTOR 4

int kmod_queue_ioctl(struct winsys_queue *q, enum winsys_engine engine,
		     struct drm_sovgpu_queue_create *c)
{
	bool copy = engine == WINSYS_COPY;
	int error;

	c->group_id = q->group->ids[q->level];
	c->queue_class = copy ? DRM_SOVGPU_QUEUE_COPY : DRM_SOVGPU_QUEUE_COMPUTE;
	error = kmod_ioctl(q->group->device->fd, DRM_IOCTL_SOVGPU_QUEUE_CREATE, c,
			   copy ? "creating a copy queue" : "creating a compute queue");
	q->id = error ? 0 : c->id;
	return error;
}

int kmod_jobs_init(struct winsys_queue *q, const struct winsys_queue_options *o)
{
	struct winsys_device *d = q->group->device;
	uint32_t entries = o->ring_entries * RING_FACTOR;
	struct drm_sovgpu_queue_create c = {
		.mode = DRM_SOVGPU_QUEUE_KERNEL,
		.ring_entries = entries < d->max_ring_entries ? entries : d->max_ring_entries,
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
	error = kmod_result(kmod_os->syncobj_create(d->fd, 0, &q->syncobj) < 0 ? -errno : 0,
			    "creating a timeline");
	if (error)
		return error;
	return kmod_queue_ioctl(q, o->engine, &c);
}

/* Called after the driver's queue is destroyed. */
void kmod_jobs_fini(struct winsys_queue *q)
{
	if (q->syncobj)
		(void)kmod_os->syncobj_destroy(q->group->device->fd, q->syncobj);
	free(q->memory.ring);
	free(q->jobs);
}

static int submit_jobs(struct winsys_queue *q, uint32_t count)
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
	int error = kmod_ioctl(q->group->device->fd, DRM_IOCTL_SOVGPU_QUEUE_SUBMIT, &s,
			       "submitting work");

	if (!error)
		q->submitted++;
	return error;
}

void kmod_ring_doorbell(struct winsys_queue *q)
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
		error = submit_jobs(q, count);
	pthread_mutex_unlock(&q->lock);
	if (error)
		kmod_group_submit_failed(q->group, error);
}
