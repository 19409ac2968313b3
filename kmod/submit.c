// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * QUEUE_SUBMIT: from user space's arrays to jobs in a queue. All that can fail comes first. Then
 * there is a point of no return, at which jobs get their numbers, go into the queue together, and
 * the last one's fence is published.
 */
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <linux/err.h>
#include <linux/slab.h>

#include "kmod/array.h"
#include "kmod/device.h"
#include "kmod/fence.h"
#include "kmod/file.h"
#include "kmod/queue.h"
#include "kmod/syncobj.h"

static bool usable(struct sov_queue *queue)
{
	return READ_ONCE(queue->state) == DRM_SOVGPU_QUEUE_STATE_USABLE;
}

/* Room for so many jobs is theirs, or EINTR or ECANCELED. Bounded, because every job is. */
static int reserve(struct sov_queue *queue, u32 count)
{
	int ret = wait_event_interruptible(
		queue->space, !usable(queue) || READ_ONCE(queue->used) + count <= queue->entries);

	if (ret)
		return ret;
	return usable(queue) ? 0 : -ECANCELED;
}

/* The queue takes them all, or none when it was stopped meanwhile. */
static int publish(struct sov_queue *queue, struct list_head *jobs, u32 count,
		   struct sov_syncs *syncs)
{
	struct dma_fence *fence;
	struct sov_job *job;

	spin_lock_irq(&queue->lock);
	if (!usable(queue)) {
		spin_unlock_irq(&queue->lock);
		return -ECANCELED;
	}
	list_for_each_entry(job, jobs, link)
		sov_fence_begin(job->fence, queue->context, ++queue->number);
	fence = dma_fence_get(list_last_entry(jobs, struct sov_job, link)->fence);
	list_splice_tail_init(jobs, &queue->waiting);
	queue->used += count;
	spin_unlock_irq(&queue->lock);

	sov_syncs_signal(syncs, fence);
	dma_fence_put(fence);
	return 0;
}

static bool valid(struct sov_device *sov, const struct drm_sovgpu_job *j)
{
	u64 end = sov->queue_info.job_va_end;

	return !j->pad && j->size && !(j->size % sizeof(u32)) && !(j->va % sizeof(u32)) &&
	       j->va < end && j->size <= end - j->va && j->size <= sov->queue_info.job_size_max;
}

static int make_jobs(struct sov_queue *queue, const struct drm_sovgpu_array *a,
		     struct sov_device *sov, struct list_head *jobs)
{
	struct drm_sovgpu_job *list;
	struct sov_job *job;
	int ret = 0;
	u32 i;

	list = sov_array_get(a, queue->entries, sizeof(*list), sizeof(*list));
	if (IS_ERR(list))
		return PTR_ERR(list);
	for (i = 0; i < a->count && !ret; i++) {
		if (!valid(sov, &list[i])) {
			ret = -EINVAL;
			break;
		}
		job = sov_job_make(queue, list[i].va, list[i].size);
		if (job)
			list_add_tail(&job->link, jobs);
		else
			ret = -ENOMEM;
	}
	kvfree(list);
	return ret;
}

static int submit(struct sov_queue *queue, struct drm_sovgpu_queue_submit *s,
		  struct sov_device *sov, struct drm_file *file)
{
	struct sov_job *job, *next;
	struct sov_syncs syncs;
	LIST_HEAD(jobs);
	int ret;

	ret = sov_syncs_get(&syncs, &s->syncs, file);
	if (ret)
		return ret;
	ret = make_jobs(queue, &s->jobs, sov, &jobs);
	if (!ret)
		ret = mutex_lock_interruptible(&queue->submit);
	if (!ret) {
		ret = reserve(queue, s->jobs.count);
		if (!ret) {
			/* The first job waits for all. */
			job = list_first_entry(&jobs, struct sov_job, link);
			swap(job->waits, syncs.waits);
			swap(job->wait_count, syncs.wait_count);
			ret = publish(queue, &jobs, s->jobs.count, &syncs);
		}
		mutex_unlock(&queue->submit);
	}
	list_for_each_entry_safe(job, next, &jobs, link)
		sov_job_free(job);
	sov_syncs_put(&syncs);
	if (!ret)
		sov_queue_advance(queue);
	return ret;
}

/**
 * sov_queue_submit_ioctl() - hand jobs to a kernel queue
 * @drm: the device
 * @data: &struct drm_sovgpu_queue_submit
 * @file: who asks
 *
 * Return: 0; EINVAL, also for a user queue; ENOENT; E2BIG; EFAULT; ENOMEM; EINTR while it waits for
 * room; ECANCELED when the queue was stopped; ENODEV.
 */
int sov_queue_submit_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_sovgpu_queue_submit *s = data;
	struct sov_queue *queue;
	int ret;

	if (s->flags)
		return -EINVAL;
	queue = sov_queue_find(to_sov_file(file), s->queue_id);
	if (!queue)
		return -ENOENT;
	/* The device may go at any time: then the queue is stopped, and says so. */
	ret = -EINVAL;
	if (queue->mode == DRM_SOVGPU_QUEUE_KERNEL)
		ret = submit(queue, s, to_sov_device(drm), file);
	if (ret == -ECANCELED && drm_dev_is_unplugged(drm))
		ret = -ENODEV;
	sov_queue_put(queue);
	return ret;
}
