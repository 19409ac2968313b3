// SPDX-License-Identifier: MIT
/*
 * Queues. A queue is a stream of the library, and a submission walks its command buffers and makes
 * the calls of sov.h. The calling thread does that, without a lock, unless the submission has to
 * wait for something that no stream can wait for: the signal of a timeline semaphore that was not
 * submitted yet, an event that the host sets, or the words of an indirect dispatch, which the host
 * reads. Then the queue's worker thread continues it, and later submissions queue up behind it.
 */
#include <stdlib.h>
#include "libsov/vulkan/driver.h"

VkResult queue_init(VkQueue q, VkDevice d)
{
	set_loader_magic_value(q);
	q->device = d;
	q->last = &q->first;
	return result_of(sov_stream_create(d->context, 0, &q->stream));
}

/* ---- running a submission ---- */

static VkResult run_waits(VkQueue q, struct submission *s, bool may_wait)
{
	VkDevice d = q->device;
	VkResult r = VK_SUCCESS;

	if (s->waits_done == s->wait_count)
		return r;
	pthread_mutex_lock(&d->lock);
	while (s->waits_done < s->wait_count && !r) {
		struct semaphore_operation *w = &s->waits[s->waits_done];

		if (semaphore_ready(w->semaphore, w->value)) {
			r = semaphore_wait_on(w->semaphore, w->value, q);
			s->waits_done++;
		} else if (!may_wait) {
			r = VK_NOT_READY;
		} else if (q->stop || d->lost) {
			r = VK_ERROR_DEVICE_LOST;
		} else {
			device_sleep(d, UINT64_MAX);
		}
	}
	pthread_mutex_unlock(&d->lock);
	return r;
}

/* Runs the steps from *at on; *at is where to continue. */
static VkResult run_steps(VkQueue q, struct command **at, bool may_wait)
{
	VkResult r;

	for (; *at; *at = (*at)->next) {
		r = (*at)->kind->run(q, *at, may_wait);
		if (r)
			return r;
	}
	return VK_SUCCESS;
}

static VkResult run_commands(VkQueue q, struct submission *s, bool may_wait)
{
	VkResult r;

	while (s->commands_done < s->command_count) {
		if (!s->started)
			s->at = s->commands[s->commands_done]->first;
		s->started = true;
		for (; s->at; s->at = s->at->next) {
			if (s->at->kind != &execute_secondary_kind) {
				r = s->at->kind->run(q, s->at, may_wait);
			} else {
				if (!s->inner_started)
					s->inner =
						((struct execute_secondary *)s->at)->buffer->first;
				s->inner_started = true;
				r = run_steps(q, &s->inner, may_wait);
				if (!r)
					s->inner_started = false;
			}
			if (r)
				return r;
		}
		s->started = false;
		s->commands_done++;
	}
	return VK_SUCCESS;
}

static VkResult run_signals(VkQueue q, struct submission *s)
{
	VkDevice d = q->device;
	struct mark *m;
	VkResult r;
	uint32_t i;

	if (!s->signal_count && !s->fence)
		return VK_SUCCESS;
	pthread_mutex_lock(&d->lock);
	r = mark_create(q, &m);
	if (!r) {
		for (i = 0; i < s->signal_count && !r; i++)
			r = semaphore_signal_at(d, s->signals[i].semaphore, s->signals[i].value, m);
		if (s->fence)
			fence_signal_at(d, s->fence, m);
		mark_put(d, m);
		pthread_cond_broadcast(&d->changed);
	}
	pthread_mutex_unlock(&d->lock);
	return r;
}

static VkResult submission_run(VkQueue q, struct submission *s, bool may_wait)
{
	VkResult r = run_waits(q, s, may_wait);

	if (!r)
		r = run_commands(q, s, may_wait);
	if (!r)
		r = run_signals(q, s);
	return r;
}

/* Work of a submission may have been submitted already: it cannot be taken back. */
static VkResult queue_fail(VkQueue q)
{
	report_error(q->device->physical->instance, "vkQueueSubmit");
	pthread_mutex_lock(&q->device->lock);
	q->device->lost = true;
	pthread_cond_broadcast(&q->device->changed);
	pthread_mutex_unlock(&q->device->lock);
	return VK_ERROR_DEVICE_LOST;
}

/* ---- deferred submissions ---- */

static void *queue_work(void *arg)
{
	VkQueue q = arg;
	VkDevice d = q->device;
	struct submission *s;

	pthread_mutex_lock(&d->lock);
	while (!q->stop) {
		s = q->first;
		if (!s) {
			device_sleep(d, UINT64_MAX);
			continue;
		}
		pthread_mutex_unlock(&d->lock);
		if (submission_run(q, s, true))
			queue_fail(q);
		pthread_mutex_lock(&d->lock);
		q->first = s->next;
		if (!q->first)
			q->last = &q->first;
		free(s);
		pthread_cond_broadcast(&d->changed);
	}
	pthread_mutex_unlock(&d->lock);
	return NULL;
}

/* With the device's lock held. */
static VkResult queue_defer(VkQueue q, struct submission *s)
{
	if (!q->has_worker) {
		if (pthread_create(&q->worker, NULL, queue_work, q))
			return VK_ERROR_OUT_OF_HOST_MEMORY;
		q->has_worker = true;
	}
	s->next = NULL;
	*q->last = s;
	q->last = &s->next;
	pthread_cond_broadcast(&q->device->changed);
	return VK_SUCCESS;
}

/* Runs or defers the submission, which is freed. */
static VkResult queue_submit(VkQueue q, struct submission *s)
{
	VkDevice d = q->device;
	VkResult r = VK_SUCCESS;
	bool busy;

	pthread_mutex_lock(&d->lock);
	if (d->lost)
		r = VK_ERROR_DEVICE_LOST;
	if (s->fence && !r)
		s->fence->state = FENCE_PENDING;
	busy = q->first;
	if (busy && !r)
		r = queue_defer(q, s);
	pthread_mutex_unlock(&d->lock);
	if (r)
		free(s);
	if (r || busy)
		return r;
	r = submission_run(q, s, false);
	if (r == VK_NOT_READY) {
		pthread_mutex_lock(&d->lock);
		r = queue_defer(q, s);
		pthread_mutex_unlock(&d->lock);
		if (!r)
			return r;
	}
	free(s);
	return r ? queue_fail(q) : r;
}

void queue_stop(VkQueue q)
{
	pthread_mutex_lock(&q->device->lock);
	q->stop = true;
	pthread_cond_broadcast(&q->device->changed);
	pthread_mutex_unlock(&q->device->lock);
	if (q->has_worker)
		pthread_join(q->worker, NULL);
}

void queue_finish(VkQueue q)
{
	struct submission *s;

	while ((s = q->first)) {
		q->first = s->next;
		free(s);
	}
	sov_stream_destroy(q->stream);
}

VkResult queue_wait_idle(VkQueue q)
{
	VkDevice d = q->device;
	VkResult r = VK_SUCCESS;

	pthread_mutex_lock(&d->lock);
	while (q->first && !d->lost)
		device_sleep(d, UINT64_MAX);
	if (d->lost)
		r = VK_ERROR_DEVICE_LOST;
	pthread_mutex_unlock(&d->lock);
	if (r)
		return r;
	return result_of(sov_stream_wait(q->stream, SOV_FOREVER));
}

VKAPI_ATTR VkResult VKAPI_CALL vkQueueWaitIdle(VkQueue q)
{
	return queue_wait_idle(q);
}

/* ---- the calls ---- */

static struct submission *submission_alloc(uint32_t waits, uint32_t commands, uint32_t signals)
{
	size_t operations = (size_t)waits + signals;
	struct submission *s = malloc(sizeof(*s) + operations * sizeof(struct semaphore_operation) +
				      commands * sizeof(VkCommandBuffer));

	if (!s)
		return NULL;
	memset(s, 0, sizeof(*s));
	s->waits = (struct semaphore_operation *)(s + 1);
	s->signals = s->waits + waits;
	s->commands = (VkCommandBuffer *)(s->signals + signals);
	s->wait_count = waits;
	s->command_count = commands;
	s->signal_count = signals;
	return s;
}

static VkResult submit_empty(VkQueue q, VkFence fence)
{
	struct submission *s = submission_alloc(0, 0, 0);

	if (!s)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	s->fence = fence;
	return queue_submit(q, s);
}

static uint64_t value_at(const uint64_t *values, uint32_t count, uint32_t i)
{
	return values && i < count ? values[i] : 0;
}

static VkResult submit_batch(VkQueue q, const VkSubmitInfo *b, VkFence fence)
{
	static const VkTimelineSemaphoreSubmitInfo none;
	const VkTimelineSemaphoreSubmitInfo *t =
		chain_find(b->pNext, VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
	struct submission *s = submission_alloc(b->waitSemaphoreCount, b->commandBufferCount,
						b->signalSemaphoreCount);
	uint32_t i;

	if (!s)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	if (!t)
		t = &none;
	s->fence = fence;
	for (i = 0; i < s->wait_count; i++) {
		s->waits[i].semaphore = b->pWaitSemaphores[i];
		s->waits[i].value =
			value_at(t->pWaitSemaphoreValues, t->waitSemaphoreValueCount, i);
	}
	for (i = 0; i < s->signal_count; i++) {
		s->signals[i].semaphore = b->pSignalSemaphores[i];
		s->signals[i].value =
			value_at(t->pSignalSemaphoreValues, t->signalSemaphoreValueCount, i);
	}
	for (i = 0; i < s->command_count; i++)
		s->commands[i] = b->pCommandBuffers[i];
	return queue_submit(q, s);
}

VKAPI_ATTR VkResult VKAPI_CALL vkQueueSubmit(VkQueue q, uint32_t count, const VkSubmitInfo *batches,
					     VkFence fence)
{
	VkResult r = VK_SUCCESS;
	uint32_t i;

	if (!count && fence)
		return submit_empty(q, fence);
	for (i = 0; i < count && !r; i++)
		r = submit_batch(q, &batches[i], i + 1 == count ? fence : VK_NULL_HANDLE);
	return r;
}

static VkResult submit_batch2(VkQueue q, const VkSubmitInfo2 *b, VkFence fence)
{
	struct submission *s = submission_alloc(
		b->waitSemaphoreInfoCount, b->commandBufferInfoCount, b->signalSemaphoreInfoCount);
	uint32_t i;

	if (!s)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	s->fence = fence;
	for (i = 0; i < s->wait_count; i++) {
		s->waits[i].semaphore = b->pWaitSemaphoreInfos[i].semaphore;
		s->waits[i].value = b->pWaitSemaphoreInfos[i].value;
	}
	for (i = 0; i < s->signal_count; i++) {
		s->signals[i].semaphore = b->pSignalSemaphoreInfos[i].semaphore;
		s->signals[i].value = b->pSignalSemaphoreInfos[i].value;
	}
	for (i = 0; i < s->command_count; i++)
		s->commands[i] = b->pCommandBufferInfos[i].commandBuffer;
	return queue_submit(q, s);
}

VKAPI_ATTR VkResult VKAPI_CALL vkQueueSubmit2(VkQueue q, uint32_t count,
					      const VkSubmitInfo2 *batches, VkFence fence)
{
	VkResult r = VK_SUCCESS;
	uint32_t i;

	if (!count && fence)
		return submit_empty(q, fence);
	for (i = 0; i < count && !r; i++)
		r = submit_batch2(q, &batches[i], i + 1 == count ? fence : VK_NULL_HANDLE);
	return r;
}

/* There is no sparse memory: only the semaphores and the fence of a batch count. */
VKAPI_ATTR VkResult VKAPI_CALL vkQueueBindSparse(VkQueue q, uint32_t count,
						 const VkBindSparseInfo *batches, VkFence fence)
{
	VkResult r = VK_SUCCESS;
	uint32_t i;

	if (!count && fence)
		return submit_empty(q, fence);
	for (i = 0; i < count && !r; i++) {
		VkSubmitInfo b = {
			.pNext = batches[i].pNext,
			.waitSemaphoreCount = batches[i].waitSemaphoreCount,
			.pWaitSemaphores = batches[i].pWaitSemaphores,
			.signalSemaphoreCount = batches[i].signalSemaphoreCount,
			.pSignalSemaphores = batches[i].pSignalSemaphores,
		};

		r = submit_batch(q, &b, i + 1 == count ? fence : VK_NULL_HANDLE);
	}
	return r;
}
