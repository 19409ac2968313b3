// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The way of jobs through a queue, see queue.h: from waiting to running to their end. Everything
 * here happens under the queue's lock and allocates nothing; the vendor's functions that are called
 * under it write memory and a doorbell, and read a number.
 */
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "kmod/device.h"
#include "kmod/fence.h"
#include "kmod/file.h"
#include "kmod/group.h"
#include "kmod/queue.h"

/*
 * Time. A limit is time of the engine, and groups take turns on it. The hardware does not say whose
 * turn it is; it says which jobs it has begun. So a job's time passes at the pace at which it gets
 * turns: half as fast when two groups have begun something on its engine, a third for three, and
 * slower yet when its own turns are shorter than theirs. Queues of processes always count, because
 * their work is not seen. A job that has not begun waits behind others, and no job can wait or
 * share longer than its limit times this.
 */
#define MAX_SHARE 16

/* How often a job that runs is looked at, so that a change of pace is not missed by much. */
#define LOOK_NS (20 * NSEC_PER_MSEC)

static struct sov_device *device_of(struct sov_queue *queue)
{
	return queue->group->sov;
}

/**
 * sov_job_make() - a job that nobody knows yet
 * @queue: where it will go
 * @va: its command stream
 * @size: bytes of it
 *
 * Return: the job, or NULL.
 */
struct sov_job *sov_job_make(struct sov_queue *queue, u64 va, u32 size)
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

/* All but the fence itself. */
static void forget(struct sov_job *job)
{
	u32 i;

	for (i = 0; i < job->wait_count; i++)
		dma_fence_put(job->waits[i]);
	kfree(job->waits);
	kfree(job);
}

/**
 * sov_job_free() - give up a job whose fence nobody has seen
 * @job: the job, in no list
 */
void sov_job_free(struct sov_job *job)
{
	sov_fence_free(job->fence);
	forget(job);
}

static void end(struct sov_queue *queue, struct sov_job *job, int error)
{
	list_del(&job->link);
	queue->used--;
	if (error)
		dma_fence_set_error(job->fence, error);
	dma_fence_signal(job->fence);
	dma_fence_put(job->fence);
	forget(job);
}

/**
 * sov_queue_set_busy() - count a queue among those that share its engine, or not
 * @queue: the queue, with its lock held or known to nobody else
 * @busy: whether it may have the engine now
 */
void sov_queue_set_busy(struct sov_queue *queue, bool busy)
{
	atomic_t *queues = &queue->group->busy[queue->queue_class];
	atomic_t *turns_us = &device_of(queue)->turns_us[queue->queue_class];

	if (queue->busy == busy)
		return;
	queue->busy = busy;
	if (busy && atomic_inc_return(queues) == 1)
		atomic_add(queue->group->time_slice_us, turns_us);
	else if (!busy && atomic_dec_and_test(queues))
		atomic_sub(queue->group->time_slice_us, turns_us);
}

/* What the first job that runs has used since it was looked at. */
static void count_time(struct sov_queue *queue)
{
	struct sov_job *job = list_first_entry(&queue->running, struct sov_job, link);
	struct sov_device *sov = device_of(queue);
	u64 now = ktime_get_ns();
	u32 share = MAX_SHARE;

	if (sov->vendor->queue_begun(queue) >= job->fence->seqno) {
		sov_queue_set_busy(queue, true);
		share = DIV_ROUND_UP(atomic_read(&sov->turns_us[queue->queue_class]),
				     queue->group->time_slice_us);
		share = clamp(share, 1, MAX_SHARE);
	}
	queue->used_ns += div_u64(now - queue->looked_ns, share);
	queue->looked_ns = now;
}

/* Looks again when the time of the first job that runs may be over, or soon. */
static void watch(struct sov_queue *queue, bool soon)
{
	u64 allowed = (u64)queue->time_limit_ms * NSEC_PER_MSEC;
	u64 left = soon || queue->used_ns >= allowed ? 0 : allowed - queue->used_ns;

	left = min_t(u64, left, LOOK_NS);
	mod_delayed_work(device_of(queue)->work, &queue->limit, nsecs_to_jiffies(left) + 1);
}

/* The time of the first job that runs begins now. */
static void start_clock(struct sov_queue *queue)
{
	queue->started_ns = ktime_get_ns();
	queue->looked_ns = queue->started_ns;
	queue->used_ns = 0;
	watch(queue, false);
}

/*
 * Runs with interrupts off, under a lock that is not ours. Once the job is not armed any more it
 * may end and its queue may be stopped; sov_queue_cancel() waits for a grace period, so the queue
 * is still there when its work is queued.
 */
static void on_signalled(struct dma_fence *fence, struct dma_fence_cb *wake)
{
	struct sov_job *job = container_of(wake, struct sov_job, wake);
	struct sov_queue *queue = job->queue;

	smp_store_release(&job->armed, false); /* we are done with it */
	queue_work(device_of(queue)->work, &queue->advance);
}

/* Does it still depend on something? Then the queue is told when that is signalled. */
static bool waits(struct sov_job *job)
{
	if (smp_load_acquire(&job->armed)) /* the callback is done with it */
		return true;
	while (job->waited < job->wait_count) {
		struct dma_fence *fence = job->waits[job->waited++];

		job->armed = true;
		if (!dma_fence_add_callback(fence, &job->wake, on_signalled))
			return true;
		job->armed = false;
	}
	return false;
}

/**
 * sov_queue_advance() - hand over what can run
 * @queue: the queue
 */
void sov_queue_advance(struct sov_queue *queue)
{
	struct sov_job *job, *next;
	unsigned long flags;

	spin_lock_irqsave(&queue->lock, flags);
	list_for_each_entry_safe(job, next, &queue->waiting, link) {
		if (queue->state != DRM_SOVGPU_QUEUE_STATE_USABLE || waits(job))
			break;
		queue->pushed = job->fence->seqno;
		device_of(queue)->vendor->queue_push(queue, queue->pushed, job->va, job->size);
		if (list_empty(&queue->running))
			start_clock(queue);
		list_move_tail(&job->link, &queue->running);
	}
	spin_unlock_irqrestore(&queue->lock, flags);
}

static void advance(struct work_struct *work)
{
	bool cookie = dma_fence_begin_signalling();

	sov_queue_advance(container_of(work, struct sov_queue, advance));
	dma_fence_end_signalling(cookie);
}

/* A number that no job has yet: a program has written where it has no business. */
static void forged(struct sov_queue *queue)
{
	queue->state = DRM_SOVGPU_QUEUE_STATE_FAULTED;
	sov_group_stop_later(queue->group);
}

/*
 * Ends what is done: what has written its number, and what the hardware itself has left behind,
 * because a program can write numbers, too. When the second lacks it is looked for again soon.
 */
static void progress(struct sov_queue *queue)
{
	const struct sov_vendor *vendor = device_of(queue)->vendor;
	u64 done = vendor->queue_done(queue), passed;
	struct sov_job *job, *next;
	bool any = false;

	if (done > queue->pushed) {
		if (queue->state == DRM_SOVGPU_QUEUE_STATE_USABLE)
			forged(queue);
		return;
	}
	if (list_empty(&queue->running)) /* the hardware is asked over the bus, interrupts off */
		return;
	passed = vendor->queue_passed(queue);
	list_for_each_entry_safe(job, next, &queue->running, link) {
		if (job->fence->seqno > min(done, passed))
			break;
		atomic64_add(ktime_get_ns() - queue->started_ns,
			     &queue->owner->busy_ns[queue->queue_class]);
		end(queue, job, 0);
		queue->started_ns = ktime_get_ns();
		queue->looked_ns = queue->started_ns;
		queue->used_ns = 0;
		any = true;
	}
	if (list_empty(&queue->running)) {
		sov_queue_set_busy(queue, false);
		cancel_delayed_work(&queue->limit);
	} else if (any || done > passed) {
		watch(queue, done > passed);
	}
	if (any)
		wake_up_all(&queue->space);
}

/**
 * sov_queues_retire() - end all jobs that the hardware has done, on every queue
 * @sov: the device; its interrupt said that some may be
 */
void sov_queues_retire(struct sov_device *sov)
{
	struct sov_queue *queue;
	unsigned long flags;

	spin_lock_irqsave(&sov->queues_lock, flags);
	list_for_each_entry(queue, &sov->queues, device_link) {
		spin_lock(&queue->lock);
		if (queue->live)
			progress(queue);
		spin_unlock(&queue->lock);
	}
	spin_unlock_irqrestore(&sov->queues_lock, flags);
	sov_interrupt(sov);
}

/* An interrupt may have been lost, so what the hardware says is looked at once more. */
static void limit(struct work_struct *work)
{
	struct sov_queue *queue = container_of(to_delayed_work(work), struct sov_queue, limit);
	u64 allowed = (u64)queue->time_limit_ms * NSEC_PER_MSEC;
	bool late = false, cookie = dma_fence_begin_signalling();

	spin_lock_irq(&queue->lock);
	if (queue->live && queue->state == DRM_SOVGPU_QUEUE_STATE_USABLE)
		progress(queue);
	if (queue->live && queue->state == DRM_SOVGPU_QUEUE_STATE_USABLE &&
	    !list_empty(&queue->running)) {
		count_time(queue);
		late = queue->used_ns >= allowed;
		if (late)
			queue->state = DRM_SOVGPU_QUEUE_STATE_TIMED_OUT;
		else if (!delayed_work_pending(&queue->limit))
			watch(queue, false);
	}
	spin_unlock_irq(&queue->lock);
	if (late)
		sov_group_stop_later(queue->group);
	dma_fence_end_signalling(cookie);
}

/**
 * sov_queue_cancel() - end all jobs of a queue that the hardware does not have any more
 * @queue: the queue, not live
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
		end(queue, job, errors[queue->state]);
	list_for_each_entry_safe(job, next, &queue->waiting, link) {
		if (smp_load_acquire(&job->armed)) /* otherwise the callback is done with it */
			dma_fence_remove_callback(job->waits[job->waited - 1], &job->wake);
		end(queue, job, -ECANCELED);
	}
	wake_up_all(&queue->space);
	spin_unlock_irq(&queue->lock);
	synchronize_rcu(); /* on_signalled() */
	cancel_delayed_work_sync(&queue->limit);
	cancel_work_sync(&queue->advance);
}

/**
 * sov_queue_init() - an empty queue
 * @queue: zeros, with its group
 */
void sov_queue_init(struct sov_queue *queue)
{
	kref_init(&queue->ref);
	mutex_init(&queue->submit);
	spin_lock_init(&queue->lock);
	INIT_LIST_HEAD(&queue->device_link);
	INIT_LIST_HEAD(&queue->waiting);
	INIT_LIST_HEAD(&queue->running);
	init_waitqueue_head(&queue->space);
	INIT_WORK(&queue->advance, advance);
	INIT_DELAYED_WORK(&queue->limit, limit);
	queue->context = dma_fence_context_alloc(1);
}
