// SPDX-License-Identifier: MIT
/*
 * Query pools of time stamps. A time stamp is an event of the library, which carries the GPU's
 * time. A copy of results to a buffer is made by the host: it waits for the work before.
 */
#include "libsov/vulkan/driver.h"

VKAPI_ATTR VkResult VKAPI_CALL vkCreateQueryPool(VkDevice d, const VkQueryPoolCreateInfo *info,
						 const VkAllocationCallbacks *allocator,
						 VkQueryPool *pool)
{
	VkQueryPool p;

	/* Occlusion and statistics belong to graphics, or to features that are not offered. */
	if (info->queryType != VK_QUERY_TYPE_TIMESTAMP)
		return VK_ERROR_FEATURE_NOT_PRESENT;
	p = object_alloc(&d->allocator, allocator,
			 sizeof(*p) + info->queryCount * sizeof(struct query),
			 VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
	if (!p)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	p->count = info->queryCount;
	*pool = p;
	return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vkDestroyQueryPool(VkDevice d, VkQueryPool p,
					      const VkAllocationCallbacks *allocator)
{
	uint32_t i;

	if (!p)
		return;
	for (i = 0; i < p->count; i++)
		if (p->queries[i].event)
			sov_event_destroy(p->queries[i].event);
	object_free(&d->allocator, allocator, p);
}

static void queries_reset(VkDevice d, VkQueryPool p, uint32_t first, uint32_t count)
{
	uint32_t i;

	pthread_mutex_lock(&d->lock);
	for (i = 0; i < count; i++)
		p->queries[first + i].recorded = false;
	pthread_mutex_unlock(&d->lock);
}

VKAPI_ATTR void VKAPI_CALL vkResetQueryPool(VkDevice d, VkQueryPool p, uint32_t first,
					    uint32_t count)
{
	queries_reset(d, p, first, count);
}

/* ---- results ---- */

/* VK_SUCCESS: *time is the result. VK_NOT_READY. Never waits for the GPU. */
static VkResult query_poll(VkDevice d, const struct query *q, uint64_t *time)
{
	if (d->lost)
		return VK_ERROR_DEVICE_LOST;
	return q->recorded ? result_of(sov_event_get_time(q->event, time)) : VK_NOT_READY;
}

/* With the device's lock held, which it releases while it waits. */
static VkResult query_wait(VkDevice d, const struct query *q, uint64_t *time)
{
	VkResult r;

	while ((r = query_poll(d, q, time)) == VK_NOT_READY) {
		sov_event e = q->recorded ? q->event : NULL;
		sov_result waited = SOV_OK;

		if (!e) {
			device_sleep(d, UINT64_MAX);
			continue;
		}
		pthread_mutex_unlock(&d->lock);
		waited = sov_event_wait(e, SOV_FOREVER);
		pthread_mutex_lock(&d->lock);
		if (waited && waited != SOV_ERROR_TIMEOUT)
			return result_of(waited);
	}
	return r;
}

static void result_put(uint8_t *to, uint32_t index, uint64_t value, bool wide)
{
	uint32_t narrow = (uint32_t)value;

	if (wide)
		memcpy(to + 8 * index, &value, 8);
	else
		memcpy(to + 4 * index, &narrow, 4);
}

/* With the device's lock held. VK_NOT_READY: some are not available. */
static VkResult results_write(VkDevice d, VkQueryPool p, uint32_t first, uint32_t count,
			      uint8_t *to, uint64_t stride, VkQueryResultFlags flags)
{
	bool wide = flags & VK_QUERY_RESULT_64_BIT;
	VkResult all = VK_SUCCESS, r;
	uint32_t i;

	for (i = 0; i < count; i++, to += stride) {
		const struct query *q = &p->queries[first + i];
		uint64_t time = 0;

		r = flags & VK_QUERY_RESULT_WAIT_BIT ? query_wait(d, q, &time)
						     : query_poll(d, q, &time);
		if (r < 0)
			return r;
		if (!r || flags & VK_QUERY_RESULT_PARTIAL_BIT)
			result_put(to, 0, time, wide);
		if (flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT)
			result_put(to, 1, !r, wide);
		if (r)
			all = VK_NOT_READY;
	}
	return all;
}

VKAPI_ATTR VkResult VKAPI_CALL vkGetQueryPoolResults(VkDevice d, VkQueryPool p, uint32_t first,
						     uint32_t count, size_t bytes, void *data,
						     VkDeviceSize stride, VkQueryResultFlags flags)
{
	VkResult r;

	(void)bytes;
	pthread_mutex_lock(&d->lock);
	r = results_write(d, p, first, count, data, stride, flags);
	pthread_mutex_unlock(&d->lock);
	return r;
}

/* ---- commands ---- */

struct query_command {
	struct command command;
	VkQueryPool pool;
	uint32_t first, count;
	/* of a copy */
	sov_ptr destination;
	uint64_t stride;
	VkQueryResultFlags flags;
};

static VkResult reset_run(VkQueue q, const struct command *c, bool may_wait)
{
	const struct query_command *x = (const struct query_command *)c;

	(void)may_wait;
	queries_reset(q->device, x->pool, x->first, x->count);
	return VK_SUCCESS;
}

static VkResult timestamp_run(VkQueue q, const struct command *c, bool may_wait)
{
	const struct query_command *x = (const struct query_command *)c;
	struct query *to = &x->pool->queries[x->first];
	VkDevice d = q->device;
	sov_result r = SOV_OK;

	(void)may_wait;
	pthread_mutex_lock(&d->lock);
	if (!to->event)
		r = sov_event_create(d->context, 0, &to->event);
	if (!r)
		r = sov_event_record(to->event, q->stream);
	if (!r)
		to->recorded = true;
	pthread_cond_broadcast(&d->changed);
	pthread_mutex_unlock(&d->lock);
	return result_of(r);
}

/* Results are written one by one, since the bytes between them are not the query's. */
static VkResult copy_results(VkQueue q, const struct query_command *x)
{
	uint32_t word = x->flags & VK_QUERY_RESULT_64_BIT ? 8 : 4;
	bool availability = x->flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT;
	VkResult r = VK_SUCCESS;
	uint32_t i;

	for (i = 0; i < x->count && r >= 0; i++) {
		sov_ptr to = x->destination + i * x->stride;
		uint8_t words[16] = {0};
		sov_result copied = SOV_OK;

		pthread_mutex_lock(&q->device->lock);
		r = results_write(q->device, x->pool, x->first + i, 1, words, 0, x->flags);
		pthread_mutex_unlock(&q->device->lock);
		if (r < 0)
			break;
		if (!r || x->flags & VK_QUERY_RESULT_PARTIAL_BIT)
			copied = sov_memory_copy_async(q->stream, to, SOV_HOST(words), word);
		if (!copied && availability)
			copied = sov_memory_copy_async(q->stream, to + word, SOV_HOST(words + word),
						       word);
		r = result_of(copied);
	}
	return r < 0 ? r : VK_SUCCESS;
}

static VkResult copy_results_run(VkQueue q, const struct command *c, bool may_wait)
{
	sov_result r = sov_stream_wait(q->stream, may_wait ? SOV_FOREVER : SOV_NO_WAIT);

	if (r)
		return r == SOV_NOT_READY ? VK_NOT_READY : result_of(r);
	return copy_results(q, (const struct query_command *)c);
}

static const struct command_kind reset_kind = {"vkCmdResetQueryPool", reset_run};
static const struct command_kind timestamp_kind = {"vkCmdWriteTimestamp", timestamp_run};
static const struct command_kind copy_kind = {"vkCmdCopyQueryPoolResults", copy_results_run};

static struct query_command *record_query(VkCommandBuffer b, const struct command_kind *kind,
					  VkQueryPool pool, uint32_t first, uint32_t count)
{
	struct query_command *x = command_append(b, kind, sizeof(*x));

	if (x) {
		x->pool = pool;
		x->first = first;
		x->count = count;
	}
	return x;
}

VKAPI_ATTR void VKAPI_CALL vkCmdResetQueryPool(VkCommandBuffer b, VkQueryPool pool, uint32_t first,
					       uint32_t count)
{
	record_query(b, &reset_kind, pool, first, count);
}

VKAPI_ATTR void VKAPI_CALL vkCmdWriteTimestamp(VkCommandBuffer b, VkPipelineStageFlagBits stage,
					       VkQueryPool pool, uint32_t query)
{
	(void)stage;
	record_query(b, &timestamp_kind, pool, query, 1);
}

VKAPI_ATTR void VKAPI_CALL vkCmdWriteTimestamp2(VkCommandBuffer b, VkPipelineStageFlags2 stage,
						VkQueryPool pool, uint32_t query)
{
	(void)stage;
	record_query(b, &timestamp_kind, pool, query, 1);
}

VKAPI_ATTR void VKAPI_CALL vkCmdCopyQueryPoolResults(VkCommandBuffer b, VkQueryPool pool,
						     uint32_t first, uint32_t count,
						     VkBuffer destination, VkDeviceSize offset,
						     VkDeviceSize stride, VkQueryResultFlags flags)
{
	struct query_command *x = record_query(b, &copy_kind, pool, first, count);

	if (!x)
		return;
	x->destination = destination->address + offset;
	x->stride = stride;
	x->flags = flags;
}
