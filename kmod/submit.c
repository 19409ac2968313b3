// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * QUEUE_SUBMIT: converts the user's arrays to jobs of a kernel queue. All steps that can fail come
 * first. sov_submit_publish() is the point of no return: it assigns the seqnos, appends all jobs to
 * the queue under one lock, and publishes the fence of the last one.
 */
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <linux/err.h>
#include <linux/slab.h>

#include "kmod/array.h"
#include "kmod/device.h"
#include "kmod/fence.h"
#include "kmod/job.h"
#include "kmod/queue.h"
#include "kmod/submit.h"
#include "kmod/syncobj.h"

static bool sov_queue_is_usable(struct sov_queue *queue)
{
	return READ_ONCE(queue->state) == DRM_SOVGPU_QUEUE_STATE_USABLE;
}

static bool sov_submit_wait_is_over(struct sov_queue *queue, u32 count)
{
	return !sov_queue_is_usable(queue) || READ_ONCE(queue->job_count) + count <= queue->entries;
}

/*
 * Waits for space for @count jobs; returns -ERESTARTSYS or -ECANCELED on failure. The caller holds
 * the submit lock, so the space stays free. Every job has a time limit, which bounds the wait.
 */
static int sov_submit_wait_for_space(struct sov_queue *queue, u32 count)
{
	int ret;

	ret = wait_event_interruptible(queue->space_wq, sov_submit_wait_is_over(queue, count));
	if (ret)
		return ret;
	return sov_queue_is_usable(queue) ? 0 : -ECANCELED;
}

/* The queue accepts all jobs, or none if it has been stopped. */
static int sov_submit_publish(struct sov_queue *queue, struct list_head *jobs, u32 count,
			      struct sov_syncs *syncs)
{
	struct dma_fence *fence;
	struct sov_job *job;

	spin_lock_irq(&queue->lock);
	if (!sov_queue_is_usable(queue)) {
		spin_unlock_irq(&queue->lock);
		return -ECANCELED;
	}
	list_for_each_entry(job, jobs, link)
		sov_fence_init(job->fence, queue->fence_context, ++queue->last_seqno);
	fence = dma_fence_get(list_last_entry(jobs, struct sov_job, link)->fence);
	list_splice_tail_init(jobs, &queue->pending);
	queue->job_count += count;
	spin_unlock_irq(&queue->lock);

	sov_syncs_signal(syncs, fence);
	dma_fence_put(fence);
	return 0;
}

static bool sov_submit_job_is_valid(struct sov_device *sov, const struct drm_sovgpu_job *j)
{
	u64 end = sov->queue_info.job_va_end;

	return !j->pad && j->size && !(j->size % sizeof(u32)) && !(j->va % sizeof(u32)) &&
	       j->va < end && j->size <= end - j->va && j->size <= sov->queue_info.job_size_max;
}

/* On failure @jobs holds the jobs so far. */
static int sov_submit_create_jobs(struct sov_queue *queue, const struct drm_sovgpu_array *a,
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
		if (!sov_submit_job_is_valid(sov, &list[i])) {
			ret = -EINVAL;
			break;
		}
		job = sov_job_alloc(queue, list[i].va, list[i].size);
		if (job)
			list_add_tail(&job->link, jobs);
		else
			ret = -ENOMEM;
	}
	kvfree(list);
	return ret;
}

static int sov_submit_jobs(struct sov_queue *queue, struct drm_sovgpu_queue_submit *s,
			   struct sov_device *sov, struct drm_file *file)
{
	struct sov_job *job, *next;
	struct sov_syncs syncs;
	LIST_HEAD(jobs);
	int ret;

	ret = sov_syncs_get(&syncs, &s->syncs, file);
	if (ret)
		return ret;
	ret = sov_submit_create_jobs(queue, &s->jobs, sov, &jobs);
	if (ret)
		goto out_free_jobs;
	ret = mutex_lock_interruptible(&queue->submit_lock);
	if (ret)
		goto out_free_jobs;
	ret = sov_submit_wait_for_space(queue, s->jobs.count);
	if (ret)
		goto out_unlock;
	/* The first job waits for all input fences. */
	job = list_first_entry(&jobs, struct sov_job, link);
	swap(job->deps, syncs.waits);
	swap(job->dep_count, syncs.wait_count);
	ret = sov_submit_publish(queue, &jobs, s->jobs.count, &syncs);
out_unlock:
	mutex_unlock(&queue->submit_lock);
out_free_jobs:
	/* Empty if the queue has accepted the jobs. */
	list_for_each_entry_safe(job, next, &jobs, link)
		sov_job_free(job);
	sov_syncs_put(&syncs);
	if (!ret)
		sov_queue_advance(queue);
	return ret;
}

/**
 * sov_queue_submit_ioctl() - submit jobs to a kernel queue
 * @drm: The device.
 * @data: &struct drm_sovgpu_queue_submit.
 * @file: The calling file.
 *
 * Return: 0; -EINVAL, also for a user queue; -ENOENT; -E2BIG; -EFAULT; -ENOMEM; -ERESTARTSYS while
 * the queue is full; -ECANCELED if the queue is stopped; -ENODEV.
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
	/* No drm_dev_enter() is needed: an unplug stops the queue, and a stopped queue refuses. */
	ret = -EINVAL;
	if (queue->mode == DRM_SOVGPU_QUEUE_KERNEL)
		ret = sov_submit_jobs(queue, s, to_sov_device(drm), file);
	if (ret == -ECANCELED && drm_dev_is_unplugged(drm))
		ret = -ENODEV;
	sov_queue_put(queue);
	return ret;
}
