// SPDX-License-Identifier: MIT
/*
 * Events. An event is a word in pinned memory, which the GPU fills in stream order and the host
 * reads. The driver also keeps the value that the word will have after everything that was
 * submitted: a wait for an event that a submission sets earlier in the same stream costs nothing,
 * and a wait for one that the host has yet to set defers the submission.
 */
#include "libsov/vulkan/driver.h"

#define PAGE_BYTES 4096u

/* Words of events, and the events that are not in use. */
struct event_page {
	struct event_page *next;
	uint32_t *words;
	struct VkEvent_T *free;
	struct VkEvent_T events[PAGE_BYTES / sizeof(uint32_t)];
};

static struct event_page *event_page_create(VkDevice d)
{
	struct event_page *p =
		object_alloc(&d->allocator, NULL, sizeof(*p), VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
	void *words;
	uint32_t i;

	if (!p)
		return NULL;
	if (sov_host_alloc(d->context, PAGE_BYTES, &words)) {
		object_free(&d->allocator, NULL, p);
		return NULL;
	}
	p->words = words;
	for (i = COUNT(p->events); i; i--) {
		VkEvent e = &p->events[i - 1];

		e->word = &p->words[i - 1];
		e->page = p;
		e->next_free = p->free;
		p->free = e;
	}
	p->next = d->event_pages;
	d->event_pages = p;
	return p;
}

void event_pages_destroy(VkDevice d)
{
	struct event_page *p;

	while ((p = d->event_pages)) {
		d->event_pages = p->next;
		sov_host_free(d->context, p->words);
		object_free(&d->allocator, NULL, p);
	}
}

/* Events are parts of pages; the program's allocator is not needed for them. */
VKAPI_ATTR VkResult VKAPI_CALL vkCreateEvent(VkDevice d, const VkEventCreateInfo *info,
					     const VkAllocationCallbacks *allocator, VkEvent *event)
{
	struct event_page *p;
	VkEvent e = NULL;

	(void)info;
	(void)allocator;
	pthread_mutex_lock(&d->lock);
	for (p = d->event_pages; p && !p->free; p = p->next)
		;
	if (!p)
		p = event_page_create(d);
	if (p) {
		e = p->free;
		p->free = e->next_free;
		e->submitted = 0;
		__atomic_store_n(e->word, 0, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&d->lock);
	*event = e;
	return e ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

VKAPI_ATTR void VKAPI_CALL vkDestroyEvent(VkDevice d, VkEvent e,
					  const VkAllocationCallbacks *allocator)
{
	(void)allocator;
	if (!e)
		return;
	pthread_mutex_lock(&d->lock);
	e->next_free = e->page->free;
	e->page->free = e;
	pthread_mutex_unlock(&d->lock);
}

VKAPI_ATTR VkResult VKAPI_CALL vkGetEventStatus(VkDevice d, VkEvent e)
{
	if (d->lost)
		return VK_ERROR_DEVICE_LOST;
	return __atomic_load_n(e->word, __ATOMIC_ACQUIRE) ? VK_EVENT_SET : VK_EVENT_RESET;
}

static void event_write(VkDevice d, VkEvent e, uint32_t value)
{
	pthread_mutex_lock(&d->lock);
	e->submitted = value;
	__atomic_store_n(e->word, value, __ATOMIC_RELEASE);
	pthread_cond_broadcast(&d->changed);
	pthread_mutex_unlock(&d->lock);
}

VKAPI_ATTR VkResult VKAPI_CALL vkSetEvent(VkDevice d, VkEvent e)
{
	event_write(d, e, 1);
	return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL vkResetEvent(VkDevice d, VkEvent e)
{
	event_write(d, e, 0);
	return VK_SUCCESS;
}

/* ---- commands ---- */

struct event_command {
	struct command command;
	VkEvent event;
	uint32_t value;
};

static VkResult event_fill_run(VkQueue q, const struct command *c, bool may_wait)
{
	const struct event_command *e = (const struct event_command *)c;
	sov_result r;

	(void)may_wait;
	r = sov_memory_fill_async(q->stream, SOV_HOST(e->event->word), e->value, 4, 1);
	pthread_mutex_lock(&q->device->lock);
	e->event->submitted = e->value;
	pthread_cond_broadcast(&q->device->changed);
	pthread_mutex_unlock(&q->device->lock);
	return result_of(r);
}

static VkResult event_wait_run(VkQueue q, const struct command *c, bool may_wait)
{
	const struct event_command *e = (const struct event_command *)c;
	VkDevice d = q->device;
	VkResult r = VK_SUCCESS;

	pthread_mutex_lock(&d->lock);
	while (!e->event->submitted && !r) {
		if (!may_wait)
			r = VK_NOT_READY;
		else if (q->stop || d->lost)
			r = VK_ERROR_DEVICE_LOST;
		else
			device_sleep(d, UINT64_MAX);
	}
	pthread_mutex_unlock(&d->lock);
	return r;
}

static const struct command_kind set_kind = {"vkCmdSetEvent", event_fill_run};
static const struct command_kind reset_kind = {"vkCmdResetEvent", event_fill_run};
static const struct command_kind wait_kind = {"vkCmdWaitEvents", event_wait_run};

static void record_event(VkCommandBuffer b, const struct command_kind *kind, VkEvent event,
			 uint32_t value)
{
	struct event_command *e = command_append(b, kind, sizeof(*e));

	if (!e)
		return;
	e->event = event;
	e->value = value;
}

VKAPI_ATTR void VKAPI_CALL vkCmdSetEvent(VkCommandBuffer b, VkEvent e, VkPipelineStageFlags stages)
{
	(void)stages;
	record_event(b, &set_kind, e, 1);
}

VKAPI_ATTR void VKAPI_CALL vkCmdSetEvent2(VkCommandBuffer b, VkEvent e,
					  const VkDependencyInfo *info)
{
	(void)info;
	record_event(b, &set_kind, e, 1);
}

VKAPI_ATTR void VKAPI_CALL vkCmdResetEvent(VkCommandBuffer b, VkEvent e,
					   VkPipelineStageFlags stages)
{
	(void)stages;
	record_event(b, &reset_kind, e, 0);
}

VKAPI_ATTR void VKAPI_CALL vkCmdResetEvent2(VkCommandBuffer b, VkEvent e,
					    VkPipelineStageFlags2 stages)
{
	(void)stages;
	record_event(b, &reset_kind, e, 0);
}

static void record_waits(VkCommandBuffer b, uint32_t count, const VkEvent *events)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		record_event(b, &wait_kind, events[i], 1);
}

VKAPI_ATTR void VKAPI_CALL vkCmdWaitEvents(VkCommandBuffer b, uint32_t count, const VkEvent *events,
					   VkPipelineStageFlags from, VkPipelineStageFlags to,
					   uint32_t memory_count, const VkMemoryBarrier *memory,
					   uint32_t buffer_count,
					   const VkBufferMemoryBarrier *buffers,
					   uint32_t image_count, const VkImageMemoryBarrier *images)
{
	(void)from;
	(void)to;
	(void)memory_count;
	(void)memory;
	(void)buffer_count;
	(void)buffers;
	(void)image_count;
	(void)images;
	record_waits(b, count, events);
}

VKAPI_ATTR void VKAPI_CALL vkCmdWaitEvents2(VkCommandBuffer b, uint32_t count,
					    const VkEvent *events, const VkDependencyInfo *infos)
{
	(void)infos;
	record_waits(b, count, events);
}
