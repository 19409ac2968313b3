// SPDX-License-Identifier: MIT
/*
 * Fences and semaphores.
 *
 * The end of a submission is a mark: an event of the library without timing, which costs the GPU
 * nothing. All fences and semaphores that the submission signals share it. A wait of another queue
 * is a wait of its stream for the event; a wait of the same queue is none, since streams are in
 * order.
 *
 * A timeline semaphore is a value and the list of the signals that were submitted. A submission
 * that waits for a value which no submission signals yet is deferred (queue.c).
 */
#include <stdlib.h>
#include "libsov/vulkan/driver.h"

/* How long a wait for any of several things sleeps on one of them. */
#define ANY_SLICE_NS UINT64_C(100000)

/* ---- marks ---- */

VkResult mark_create(VkQueue q, struct mark **out)
{
	VkDevice d = q->device;
	struct mark *m = d->free_marks;
	sov_result r = SOV_OK;

	if (m) {
		d->free_marks = m->next_free;
	} else {
		m = object_alloc(&d->allocator, NULL, sizeof(*m),
				 VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
		if (!m)
			return VK_ERROR_OUT_OF_HOST_MEMORY;
		r = sov_event_create(d->context, SOV_EVENT_DISABLE_TIMING, &m->event);
		if (r) {
			object_free(&d->allocator, NULL, m);
			return result_of(r);
		}
	}
	m->references = 1;
	m->queue = q;
	r = sov_event_record(m->event, q->stream);
	if (r)
		mark_put(d, m);
	else
		*out = m;
	return result_of(r);
}

void mark_get(struct mark *m)
{
	m->references++;
}

void mark_put(VkDevice d, struct mark *m)
{
	if (!m || --m->references)
		return;
	m->next_free = d->free_marks;
	d->free_marks = m;
}

void marks_destroy(VkDevice d)
{
	struct mark *m;

	while ((m = d->free_marks)) {
		d->free_marks = m->next_free;
		sov_event_destroy(m->event);
		object_free(&d->allocator, NULL, m);
	}
}

VkResult mark_poll(struct mark *m)
{
	return result_of(sov_event_wait(m->event, SOV_NO_WAIT));
}

/* ---- fences ---- */

VKAPI_ATTR VkResult VKAPI_CALL vkCreateFence(VkDevice d, const VkFenceCreateInfo *info,
					     const VkAllocationCallbacks *allocator, VkFence *fence)
{
	VkFence f = object_alloc(&d->allocator, allocator, sizeof(*f),
				 VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);

	if (!f)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	f->state = info->flags & VK_FENCE_CREATE_SIGNALED_BIT ? FENCE_SIGNALLED : FENCE_RESET;
	*fence = f;
	return VK_SUCCESS;
}

static void fence_reset(VkDevice d, VkFence f)
{
	mark_put(d, f->mark);
	f->mark = NULL;
	f->state = FENCE_RESET;
}

VKAPI_ATTR void VKAPI_CALL vkDestroyFence(VkDevice d, VkFence f,
					  const VkAllocationCallbacks *allocator)
{
	if (!f)
		return;
	pthread_mutex_lock(&d->lock);
	fence_reset(d, f);
	pthread_mutex_unlock(&d->lock);
	object_free(&d->allocator, allocator, f);
}

VKAPI_ATTR VkResult VKAPI_CALL vkResetFences(VkDevice d, uint32_t count, const VkFence *fences)
{
	uint32_t i;

	pthread_mutex_lock(&d->lock);
	for (i = 0; i < count; i++)
		fence_reset(d, fences[i]);
	pthread_mutex_unlock(&d->lock);
	return VK_SUCCESS;
}

void fence_signal_at(VkDevice d, VkFence f, struct mark *m)
{
	mark_get(m);
	mark_put(d, f->mark);
	f->mark = m;
	f->state = FENCE_SUBMITTED;
}

static VkResult fence_poll(VkDevice d, VkFence f)
{
	VkResult r = VK_NOT_READY;

	if (f->state == FENCE_SIGNALLED)
		return VK_SUCCESS;
	if (f->state == FENCE_SUBMITTED)
		r = mark_poll(f->mark);
	if (r == VK_NOT_READY && d->lost)
		r = VK_ERROR_DEVICE_LOST;
	if (!r) {
		fence_reset(d, f);
		f->state = FENCE_SIGNALLED;
	}
	return r;
}

VKAPI_ATTR VkResult VKAPI_CALL vkGetFenceStatus(VkDevice d, VkFence f)
{
	VkResult r;

	pthread_mutex_lock(&d->lock);
	r = fence_poll(d, f);
	pthread_mutex_unlock(&d->lock);
	return r;
}

/* ---- semaphores ---- */

VKAPI_ATTR VkResult VKAPI_CALL vkCreateSemaphore(VkDevice d, const VkSemaphoreCreateInfo *info,
						 const VkAllocationCallbacks *allocator,
						 VkSemaphore *semaphore)
{
	const VkSemaphoreTypeCreateInfo *type =
		chain_find(info->pNext, VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
	VkSemaphore s = object_alloc(&d->allocator, allocator, sizeof(*s),
				     VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);

	if (!s)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	s->timeline = type && type->semaphoreType == VK_SEMAPHORE_TYPE_TIMELINE;
	s->value = s->timeline ? type->initialValue : 0;
	*semaphore = s;
	return VK_SUCCESS;
}

static void point_remove(VkDevice d, struct timeline_point **at)
{
	struct timeline_point *p = *at;

	*at = p->next;
	mark_put(d, p->mark);
	object_free(&d->allocator, NULL, p);
}

VKAPI_ATTR void VKAPI_CALL vkDestroySemaphore(VkDevice d, VkSemaphore s,
					      const VkAllocationCallbacks *allocator)
{
	if (!s)
		return;
	pthread_mutex_lock(&d->lock);
	mark_put(d, s->mark);
	while (s->points)
		point_remove(d, &s->points);
	pthread_mutex_unlock(&d->lock);
	object_free(&d->allocator, allocator, s);
}

/* Takes over the values of signals that were reached. */
static VkResult timeline_advance(VkDevice d, VkSemaphore s)
{
	struct timeline_point **at = &s->points;
	VkResult r = VK_SUCCESS;

	while (*at && r >= 0) {
		r = mark_poll((*at)->mark);
		if (r) {
			at = &(*at)->next;
			continue;
		}
		if ((*at)->value > s->value)
			s->value = (*at)->value;
		point_remove(d, at);
	}
	return r < 0 ? r : VK_SUCCESS;
}

/* The first submitted signal that reaches the value; NULL: none. */
static struct timeline_point *timeline_point_for(VkSemaphore s, uint64_t value)
{
	struct timeline_point *p;

	for (p = s->points; p && p->value < value; p = p->next)
		;
	return p;
}

bool semaphore_ready(VkSemaphore s, uint64_t value)
{
	if (!s->timeline)
		return s->mark;
	return s->value >= value || timeline_point_for(s, value);
}

static VkResult stream_wait_mark(VkQueue q, struct mark *m)
{
	return m->queue == q ? VK_SUCCESS : result_of(sov_stream_wait_event(q->stream, m->event));
}

VkResult semaphore_wait_on(VkSemaphore s, uint64_t value, VkQueue q)
{
	struct timeline_point *p;
	VkResult r;

	if (s->timeline) {
		p = s->value >= value ? NULL : timeline_point_for(s, value);
		return p ? stream_wait_mark(q, p->mark) : VK_SUCCESS;
	}
	r = stream_wait_mark(q, s->mark);
	mark_put(q->device, s->mark);
	s->mark = NULL;
	return r;
}

VkResult semaphore_signal_at(VkDevice d, VkSemaphore s, uint64_t value, struct mark *m)
{
	struct timeline_point *p, **at;

	if (!s->timeline) {
		mark_put(d, s->mark);
		mark_get(m);
		s->mark = m;
		return VK_SUCCESS;
	}
	timeline_advance(d, s);
	p = object_alloc(&d->allocator, NULL, sizeof(*p), VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
	if (!p)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	mark_get(m);
	p->mark = m;
	p->value = value;
	for (at = &s->points; *at && (*at)->value < value; at = &(*at)->next)
		;
	p->next = *at;
	*at = p;
	return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL vkGetSemaphoreCounterValue(VkDevice d, VkSemaphore s,
							  uint64_t *value)
{
	VkResult r;

	pthread_mutex_lock(&d->lock);
	r = d->lost ? VK_ERROR_DEVICE_LOST : timeline_advance(d, s);
	*value = s->value;
	pthread_mutex_unlock(&d->lock);
	return r;
}

VKAPI_ATTR VkResult VKAPI_CALL vkSignalSemaphore(VkDevice d, const VkSemaphoreSignalInfo *info)
{
	pthread_mutex_lock(&d->lock);
	info->semaphore->value = info->value;
	pthread_cond_broadcast(&d->changed);
	pthread_mutex_unlock(&d->lock);
	return VK_SUCCESS;
}

/* ---- waits of the host ---- */

/* What a thread waits for: fences, or values of timeline semaphores. */
struct host_wait {
	uint32_t count;
	bool all;
	const VkFence *fences;
	const VkSemaphore *semaphores;
	const uint64_t *values;
};

/* VK_NOT_READY: *mark is what to wait for; NULL if that was not submitted yet. */
static VkResult wait_item_poll(VkDevice d, const struct host_wait *w, uint32_t i,
			       struct mark **mark)
{
	struct timeline_point *p;
	VkSemaphore s;
	VkResult r;

	*mark = NULL;
	if (w->fences) {
		r = fence_poll(d, w->fences[i]);
		*mark = w->fences[i]->mark;
		return r;
	}
	s = w->semaphores[i];
	r = timeline_advance(d, s);
	if (r || s->value >= w->values[i])
		return r;
	p = timeline_point_for(s, w->values[i]);
	*mark = p ? p->mark : NULL;
	return d->lost ? VK_ERROR_DEVICE_LOST : VK_NOT_READY;
}

/* VK_SUCCESS: the wait is over. VK_NOT_READY: *mark is the first thing to wait for, if any. */
static VkResult wait_poll(VkDevice d, const struct host_wait *w, struct mark **mark)
{
	uint32_t i, ready = 0;
	struct mark *m;
	VkResult r;

	*mark = NULL;
	for (i = 0; i < w->count; i++) {
		r = wait_item_poll(d, w, i, &m);
		if (r < 0)
			return r;
		ready += !r;
		if (r && m && !*mark)
			*mark = m;
	}
	return (w->all ? ready == w->count : ready > 0) ? VK_SUCCESS : VK_NOT_READY;
}

/* Sleeps, with the device's lock released, until the mark is reached or the time has come. */
static VkResult wait_for_mark(VkDevice d, struct mark *m, uint64_t ns)
{
	sov_result r;

	mark_get(m);
	pthread_mutex_unlock(&d->lock);
	r = sov_event_wait(m->event, ns);
	pthread_mutex_lock(&d->lock);
	mark_put(d, m);
	return r == SOV_ERROR_TIMEOUT || r == SOV_NOT_READY ? VK_SUCCESS : result_of(r);
}

static VkResult host_wait(VkDevice d, const struct host_wait *w, uint64_t timeout)
{
	uint64_t start = timeout ? monotonic_ns() : 0, now = start;
	uint64_t deadline = timeout < UINT64_MAX - start ? start + timeout : UINT64_MAX;
	struct mark *m;
	VkResult r;

	pthread_mutex_lock(&d->lock);
	while ((r = wait_poll(d, w, &m)) == VK_NOT_READY) {
		uint64_t left = deadline - now;

		if (now >= deadline) {
			r = VK_TIMEOUT;
			break;
		}
		if (!m)
			device_sleep(d, deadline);
		else
			r = wait_for_mark(d, m,
					  w->all || w->count == 1 || left < ANY_SLICE_NS
						  ? left
						  : ANY_SLICE_NS);
		if (r < 0)
			break;
		now = monotonic_ns();
	}
	pthread_mutex_unlock(&d->lock);
	if (r == VK_ERROR_DEVICE_LOST)
		report_error(d->physical->instance, "the device was lost");
	return r;
}

VKAPI_ATTR VkResult VKAPI_CALL vkWaitForFences(VkDevice d, uint32_t count, const VkFence *fences,
					       VkBool32 all, uint64_t timeout)
{
	struct host_wait w = {.count = count, .all = all, .fences = fences};

	return host_wait(d, &w, timeout);
}

VKAPI_ATTR VkResult VKAPI_CALL vkWaitSemaphores(VkDevice d, const VkSemaphoreWaitInfo *info,
						uint64_t timeout)
{
	struct host_wait w = {
		.count = info->semaphoreCount,
		.all = !(info->flags & VK_SEMAPHORE_WAIT_ANY_BIT),
		.semaphores = info->pSemaphores,
		.values = info->pValues,
	};

	return host_wait(d, &w, timeout);
}
