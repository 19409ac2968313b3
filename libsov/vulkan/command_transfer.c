// SPDX-License-Identifier: MIT
/* Copies, fills and updates of buffers; and barriers, which cost nothing: a stream is in order, and
 * each of its steps sees what the earlier ones wrote. */
#include "libsov/vulkan/driver.h"

struct copy {
	struct command command;
	sov_ptr destination, source;
	uint64_t bytes;
};

static VkResult copy_run(VkQueue q, const struct command *c, bool may_wait)
{
	const struct copy *copy = (const struct copy *)c;

	(void)may_wait;
	return result_of(
		sov_memory_copy_async(q->stream, copy->destination, copy->source, copy->bytes));
}

static const struct command_kind copy_kind = {"vkCmdCopyBuffer", copy_run};
static const struct command_kind update_kind = {"vkCmdUpdateBuffer", copy_run};

static void record_copy(VkCommandBuffer b, sov_ptr destination, sov_ptr source, uint64_t bytes)
{
	struct copy *c = command_append(b, &copy_kind, sizeof(*c));

	if (!c)
		return;
	c->destination = destination;
	c->source = source;
	c->bytes = bytes;
}

VKAPI_ATTR void VKAPI_CALL vkCmdCopyBuffer(VkCommandBuffer b, VkBuffer source, VkBuffer destination,
					   uint32_t count, const VkBufferCopy *regions)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		record_copy(b, destination->address + regions[i].dstOffset,
			    source->address + regions[i].srcOffset, regions[i].size);
}

VKAPI_ATTR void VKAPI_CALL vkCmdCopyBuffer2(VkCommandBuffer b, const VkCopyBufferInfo2 *info)
{
	uint32_t i;

	for (i = 0; i < info->regionCount; i++)
		record_copy(b, info->dstBuffer->address + info->pRegions[i].dstOffset,
			    info->srcBuffer->address + info->pRegions[i].srcOffset,
			    info->pRegions[i].size);
}

VKAPI_ATTR void VKAPI_CALL vkCmdUpdateBuffer(VkCommandBuffer b, VkBuffer destination,
					     VkDeviceSize offset, VkDeviceSize bytes,
					     const void *data)
{
	struct copy *c = command_append(b, &update_kind, sizeof(*c) + bytes);

	if (!c)
		return;
	memcpy(c + 1, data, bytes);
	c->destination = destination->address + offset;
	c->source = SOV_HOST(c + 1);
	c->bytes = bytes;
}

struct fill {
	struct command command;
	sov_ptr address;
	uint32_t value;
	uint64_t words;
};

static VkResult fill_run(VkQueue q, const struct command *c, bool may_wait)
{
	const struct fill *f = (const struct fill *)c;

	(void)may_wait;
	return result_of(sov_memory_fill_async(q->stream, f->address, f->value, 4, f->words));
}

static const struct command_kind fill_kind = {"vkCmdFillBuffer", fill_run};

VKAPI_ATTR void VKAPI_CALL vkCmdFillBuffer(VkCommandBuffer b, VkBuffer destination,
					   VkDeviceSize offset, VkDeviceSize bytes, uint32_t value)
{
	uint64_t words = (bytes == VK_WHOLE_SIZE ? destination->bytes - offset : bytes) / 4;
	struct fill *f = words ? command_append(b, &fill_kind, sizeof(*f)) : NULL;

	if (!f)
		return;
	f->address = destination->address + offset;
	f->value = value;
	f->words = words;
}

VKAPI_ATTR void VKAPI_CALL
vkCmdPipelineBarrier(VkCommandBuffer b, VkPipelineStageFlags from, VkPipelineStageFlags to,
		     VkDependencyFlags flags, uint32_t memory_count, const VkMemoryBarrier *memory,
		     uint32_t buffer_count, const VkBufferMemoryBarrier *buffers,
		     uint32_t image_count, const VkImageMemoryBarrier *images)
{
	(void)b;
	(void)from;
	(void)to;
	(void)flags;
	(void)memory_count;
	(void)memory;
	(void)buffer_count;
	(void)buffers;
	(void)image_count;
	(void)images;
}

VKAPI_ATTR void VKAPI_CALL vkCmdPipelineBarrier2(VkCommandBuffer b, const VkDependencyInfo *info)
{
	(void)b;
	(void)info;
}
