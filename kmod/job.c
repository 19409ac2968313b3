// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Execution of jobs: from pending to running to completed. The code runs under the queue's lock and
 * allocates nothing. The vendor's functions that it calls write the ring and the doorbell, and read
 * seqnos.
 */
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "kmod/device.h"
#include "kmod/fence.h"
#include "kmod/group.h"
#include "kmod/job.h"
#include "kmod/queue.h"
#include "kmod/trace.h"

/*
 * A time limit counts engine time, and groups share an engine by time slices. The hardware does not
 * report which group runs, but it reports which jobs have started. So a started job is charged the
 * elapsed time divided by its slowdown: the sum of the time slices of all groups that are active on
 * the engine, divided by the slice of its own group. User queues always count as active, because
 * the kernel does not see their work. A job that has not started waits for others. It is charged
 * with the maximum slowdown, so every job ends within its limit times this factor.
 */
#define SOV_MAX_SLOWDOWN 16

/* Sampling period, short enough for the slowdown to change little in between. */
#define SOV_SAMPLE_NS (20 * NSEC_PER_MSEC)

static struct sov_device *sov_queue_device(struct sov_queue *queue)
{
	return queue->group->sov;
}

/**
 * sov_job_alloc() - allocate a job
 * @queue: The queue that will execute the job.
 * @va: GPU address of the command stream.
 * @size: Size of the command stream in bytes.
 *
 * Return: The job or NULL.
 */
struct sov_job *sov_job_alloc(struct sov_queue *queue, u64 va, u32 size)
{
	struct sov_job *job = kzalloc(sizeof(*job), GFP_KERNEL_ACCOUNT);

	if (!job)
		return NULL;
	job->fence = sov_fence_alloc();
	if (!job->fence) {
		kfree(job);
		return NULL;
	}
	job->queue = queue;
	job->va = va;
	job->size = size;
	return job;
}

/* Frees everything but the fence. */
static void sov_job_release(struct sov_job *job)
{
	u32 i;

	for (i = 0; i < job->dep_count; i++)
		dma_fence_put(job->deps[i]);
	kfree(job->deps);
	kfree(job);
}

/**
 * sov_job_free() - free a job whose fence is not initialised
 * @job: The job, which is on no list of its queue.
 */
void sov_job_free(struct sov_job *job)
{
	sov_fence_free(job->fence);
	sov_job_release(job);
}

static void sov_job_complete(struct sov_queue *queue, struct sov_job *job, int error)
{
	list_del(&job->link);
	queue->job_count--;
	trace_sov_job_done(sov_queue_device(queue)->drm.dev, queue->fence_context,
			   job->fence->seqno, error);
	if (error)
		dma_fence_set_error(job->fence, error);
	dma_fence_signal(job->fence);
	dma_fence_put(job->fence);
	sov_job_release(job);
}

/* Charges the first running job for the time since the last sample. */
static void sov_queue_charge_time(struct sov_queue *queue)
{
	struct sov_job *job = list_first_entry(&queue->running, struct sov_job, link);
	struct sov_device *sov = sov_queue_device(queue);
	u64 now = ktime_get_ns();
	u32 slowdown = SOV_MAX_SLOWDOWN;

	if (sov->vendor->queue_started_seqno(queue) >= job->fence->seqno) {
		sov_queue_set_active(queue, true);
		slowdown = DIV_ROUND_UP(atomic_read(&sov->active_slices_us[queue->queue_class]),
					queue->group->time_slice_us);
		slowdown = clamp(slowdown, 1, SOV_MAX_SLOWDOWN);
	}
	queue->charged_ns += div_u64(now - queue->sampled_ns, slowdown);
	queue->sampled_ns = now;
}

/* Schedules the next sample: immediately, or when the limit may expire, or after the period. */
static void sov_queue_schedule_sample(struct sov_queue *queue, bool soon)
{
	u64 limit_ns = (u64)queue->time_limit_ms * NSEC_PER_MSEC;
	u64 delay = soon || queue->charged_ns >= limit_ns ? 0 : limit_ns - queue->charged_ns;

	delay = min_t(u64, delay, SOV_SAMPLE_NS);
	mod_delayed_work(sov_queue_device(queue)->wq, &queue->timeout_work,
			 nsecs_to_jiffies(delay) + 1);
}

/* Restarts the clock for a new first running job. */
static void sov_queue_start_clock(struct sov_queue *queue)
{
	queue->started_ns = ktime_get_ns();
	queue->sampled_ns = queue->started_ns;
	queue->charged_ns = 0;
	sov_queue_schedule_sample(queue, false);
}

/*
 * Runs with interrupts disabled, under the lock of a foreign fence. As soon as dep_armed is false,
 * the job may complete and its queue may be stopped. sov_queue_stop() waits for an RCU grace
 * period, so the queue still exists when its work is queued.
 */
static void sov_job_dep_signalled(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	struct sov_job *job = container_of(cb, struct sov_job, dep_cb);
	struct sov_queue *queue = job->queue;

	smp_store_release(&job->dep_armed, false); /* pairs with the loads below */
	queue_work(sov_queue_device(queue)->wq, &queue->advance_work);
}

/* Returns true if a dependency is not signalled; its callback will advance the queue. */
static bool sov_job_is_blocked(struct sov_job *job)
{
	if (smp_load_acquire(&job->dep_armed)) /* pairs with sov_job_dep_signalled() */
		return true;
	while (job->next_dep < job->dep_count) {
		struct dma_fence *fence = job->deps[job->next_dep++];

		job->dep_armed = true;
		if (!dma_fence_add_callback(fence, &job->dep_cb, sov_job_dep_signalled))
			return true;
		job->dep_armed = false;
	}
	return false;
}

static void sov_job_trace_push(struct sov_job *job)
{
	struct sov_queue *queue = job->queue;

	trace_sov_job_push(sov_queue_device(queue)->drm.dev, queue->fence_context,
			   queue->queue_class, job->fence->seqno, job->va, job->size);
}

/**
 * sov_queue_advance() - push all jobs whose dependencies are signalled
 * @queue: The queue.
 */
void sov_queue_advance(struct sov_queue *queue)
{
	struct sov_job *job, *next;
	unsigned long flags;

	spin_lock_irqsave(&queue->lock, flags);
	list_for_each_entry_safe(job, next, &queue->pending, link) {
		if (queue->state != DRM_SOVGPU_QUEUE_STATE_USABLE || sov_job_is_blocked(job))
			break;
		queue->pushed_seqno = job->fence->seqno;
		sov_job_trace_push(job);
		sov_queue_device(queue)->vendor->queue_push(queue, queue->pushed_seqno, job->va,
							    job->size);
		if (list_empty(&queue->running))
			sov_queue_start_clock(queue);
		list_move_tail(&job->link, &queue->running);
	}
	spin_unlock_irqrestore(&queue->lock, flags);
}

static void sov_queue_advance_work(struct work_struct *work)
{
	bool cookie = dma_fence_begin_signalling();

	sov_queue_advance(container_of(work, struct sov_queue, advance_work));
	dma_fence_end_signalling(cookie);
}

/* A program on the GPU has overwritten the semaphore with a seqno of no pushed job. */
static void sov_queue_forged_seqno(struct sov_queue *queue)
{
	queue->state = DRM_SOVGPU_QUEUE_STATE_FAULTED;
	sov_group_schedule_stop(queue->group);
}

/*
 * Completes the jobs whose seqno is released and whose ring entries are all fetched. Programs can
 * forge the first condition, but not the second, which may become true a little later: then the
 * queue is sampled again soon.
 */
static void sov_queue_retire(struct sov_queue *queue)
{
	const struct sov_vendor *vendor = sov_queue_device(queue)->vendor;
	u64 completed = vendor->queue_completed_seqno(queue), consumed;
	struct sov_job *job, *next;
	bool any = false;

	if (completed > queue->pushed_seqno) {
		if (queue->state == DRM_SOVGPU_QUEUE_STATE_USABLE)
			sov_queue_forged_seqno(queue);
		return;
	}
	/* An interrupt may be any queue's: avoid the register read below. */
	job = list_first_entry_or_null(&queue->running, struct sov_job, link);
	if (!job || job->fence->seqno > completed)
		return;
	consumed = vendor->queue_consumed_seqno(queue);
	list_for_each_entry_safe(job, next, &queue->running, link) {
		if (job->fence->seqno > min(completed, consumed))
			break;
		atomic64_add(ktime_get_ns() - queue->started_ns,
			     &queue->owner->busy_ns[queue->queue_class]);
		sov_job_complete(queue, job, 0);
		queue->started_ns = ktime_get_ns();
		queue->sampled_ns = queue->started_ns;
		queue->charged_ns = 0;
		any = true;
	}
	if (list_empty(&queue->running)) {
		sov_queue_set_active(queue, false);
		cancel_delayed_work(&queue->timeout_work);
	} else if (any || completed > consumed) {
		sov_queue_schedule_sample(queue, completed > consumed);
	}
	if (any)
		wake_up_all(&queue->space_wq);
}

/**
 * sov_queues_retire() - complete all finished jobs of all kernel queues
 * @sov: The device, which has raised an interrupt.
 *
 * Context: Any.
 */
void sov_queues_retire(struct sov_device *sov)
{
	struct sov_queue *queue;
	unsigned long flags;

	spin_lock_irqsave(&sov->queues_lock, flags);
	list_for_each_entry(queue, &sov->queues, device_link) {
		spin_lock(&queue->lock);
		if (queue->live)
			sov_queue_retire(queue);
		spin_unlock(&queue->lock);
	}
	spin_unlock_irqrestore(&sov->queues_lock, flags);
	sov_notify_waiters(sov);
}

static void sov_queue_time_out(struct sov_queue *queue)
{
	struct sov_job *job = list_first_entry(&queue->running, struct sov_job, link);

	queue->state = DRM_SOVGPU_QUEUE_STATE_TIMED_OUT;
	trace_sov_job_timeout(sov_queue_device(queue)->drm.dev, queue->fence_context,
			      job->fence->seqno, queue->time_limit_ms);
}

/* Retires jobs before it checks the limit, because an interrupt may be lost. */
static void sov_queue_timeout_work(struct work_struct *work)
{
	struct sov_queue *queue =
		container_of(to_delayed_work(work), struct sov_queue, timeout_work);
	u64 limit_ns = (u64)queue->time_limit_ms * NSEC_PER_MSEC;
	bool timed_out = false, cookie = dma_fence_begin_signalling();

	spin_lock_irq(&queue->lock);
	if (queue->live && queue->state == DRM_SOVGPU_QUEUE_STATE_USABLE)
		sov_queue_retire(queue);
	if (queue->live && queue->state == DRM_SOVGPU_QUEUE_STATE_USABLE &&
	    !list_empty(&queue->running)) {
		sov_queue_charge_time(queue);
		timed_out = queue->charged_ns >= limit_ns;
		if (timed_out)
			sov_queue_time_out(queue);
		else if (!delayed_work_pending(&queue->timeout_work))
			sov_queue_schedule_sample(queue, false);
	}
	spin_unlock_irq(&queue->lock);
	if (timed_out)
		sov_group_schedule_stop(queue->group);
	dma_fence_end_signalling(cookie);
}

/**
 * sov_queue_cancel() - complete all jobs of a stopped queue with an error
 * @queue: The queue, which is not on the hardware any more.
 */
void sov_queue_cancel(struct sov_queue *queue)
{
	static const int errors[] = {
		[DRM_SOVGPU_QUEUE_STATE_FAULTED] = -EIO,
		[DRM_SOVGPU_QUEUE_STATE_TIMED_OUT] = -ETIME,
		[DRM_SOVGPU_QUEUE_STATE_INNOCENT] = -ECANCELED,
	};
	struct sov_job *job, *next;

	spin_lock_irq(&queue->lock);
	list_for_each_entry_safe(job, next, &queue->running, link)
		sov_job_complete(queue, job, errors[queue->state]);
	list_for_each_entry_safe(job, next, &queue->pending, link) {
		if (smp_load_acquire(&job->dep_armed)) /* pairs with sov_job_dep_signalled() */
			dma_fence_remove_callback(job->deps[job->next_dep - 1], &job->dep_cb);
		sov_job_complete(queue, job, -ECANCELED);
	}
	wake_up_all(&queue->space_wq);
	spin_unlock_irq(&queue->lock);
}

/**
 * sov_queue_settle() - wait until no work item of a cancelled queue runs
 * @queue: The queue. An RCU grace period, for sov_job_dep_signalled(), has ended since
 *         sov_queue_cancel().
 */
void sov_queue_settle(struct sov_queue *queue)
{
	cancel_delayed_work_sync(&queue->timeout_work);
	cancel_work_sync(&queue->advance_work);
}

/**
 * sov_queue_init() - initialise a queue without jobs
 * @queue: The zero-initialised queue; its group is set.
 */
void sov_queue_init(struct sov_queue *queue)
{
	kref_init(&queue->ref);
	mutex_init(&queue->submit_lock);
	spin_lock_init(&queue->lock);
	INIT_LIST_HEAD(&queue->device_link);
	INIT_LIST_HEAD(&queue->pending);
	INIT_LIST_HEAD(&queue->running);
	init_waitqueue_head(&queue->space_wq);
	INIT_WORK(&queue->advance_work, sov_queue_advance_work);
	INIT_DELAYED_WORK(&queue->timeout_work, sov_queue_timeout_work);
	queue->fence_context = dma_fence_context_alloc(1);
}
