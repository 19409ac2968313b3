// SPDX-License-Identifier: MIT
/* Copies between images and buffers, and clears: each layer's texels are copied by a kernel. */
#include "libsov/vulkan/driver.h"

#define BLOCK_THREADS 64u

struct texel_copy {
	struct command command;
	sov_function function;
	uint32_t height, depth;
	struct image_copy arguments;
};

static VkResult texel_copy_run(VkQueue q, const struct command *c, bool may_wait)
{
	const struct texel_copy *x = (const struct texel_copy *)c;
	const void *arguments[] = {&x->arguments};
	sov_launch l = {
		.size = sizeof(l),
		.grid = {(x->arguments.width + BLOCK_THREADS - 1) / BLOCK_THREADS, x->height,
			 x->depth},
		.block = {BLOCK_THREADS, 1, 1},
		.stream = q->stream,
		.arguments = arguments,
		.argument_count = 1,
	};

	(void)may_wait;
	return result_of(sov_function_launch(x->function, &l));
}

static const struct command_kind copy_kind = {"vkCmdCopyImage", texel_copy_run};
static const struct command_kind clear_kind = {"vkCmdClearColorImage", texel_copy_run};

static uint32_t size_number(uint32_t bytes)
{
	uint32_t n = 0;

	while (1u << n < bytes)
		n++;
	return n;
}

static struct texel_copy *record(VkCommandBuffer b, const struct command_kind *kind,
				 uint32_t texel_bytes, const VkExtent3D *extent)
{
	VkDevice d = b->device;
	struct texel_copy *x;
	VkResult r;

	if (!extent->width || !extent->height || !extent->depth)
		return NULL;
	pthread_mutex_lock(&d->lock);
	r = image_kernels_load(d);
	pthread_mutex_unlock(&d->lock);
	if (r) {
		report_error(d->physical->instance, kind->name);
		b->error = b->error ? b->error : r;
		return NULL;
	}
	x = command_append(b, kind, sizeof(*x));
	if (!x)
		return NULL;
	x->function = (kind == &clear_kind ? d->image_kernels.fill
					   : d->image_kernels.copy)[size_number(texel_bytes)];
	x->height = extent->height;
	x->depth = extent->depth;
	x->arguments = (struct image_copy){.width = extent->width};
	return x;
}

/* The texels of a level from an offset on; a layer is a slice. */
static struct image_side image_side(VkCommandBuffer b, VkImage image,
				    const VkImageSubresourceLayers *where, VkOffset3D offset)
{
	sov_image level = {0};
	sov_result r =
		sov_texture_get_image(b->device->context, image->texture, where->mipLevel, &level);

	if (r && !b->error)
		b->error = result_of(r);
	return (struct image_side){
		.address = level.address,
		.slice_bytes = level.slice_bytes,
		.row_bytes = level.row_bytes,
		.layout = level.layout,
		.x_bytes = (uint32_t)offset.x * format_bytes(image->format),
		.y = (uint32_t)offset.y,
		.z = (uint32_t)offset.z + where->baseArrayLayer,
	};
}

static uint32_t layer_count(VkImage image, const VkImageSubresourceLayers *where)
{
	return where->layerCount == VK_REMAINING_ARRAY_LAYERS
		       ? image->layers - where->baseArrayLayer
		       : where->layerCount;
}

/* Layers are slices: an extent has one of both. */
static VkExtent3D with_layers(VkExtent3D extent, uint32_t layers)
{
	if (layers > extent.depth)
		extent.depth = layers;
	return extent;
}

/* ---- buffers ---- */

static struct image_side buffer_side(VkBuffer buffer, const VkBufferImageCopy2 *r,
				     uint32_t texel_bytes)
{
	uint32_t width = r->bufferRowLength ? r->bufferRowLength : r->imageExtent.width;
	uint32_t height = r->bufferImageHeight ? r->bufferImageHeight : r->imageExtent.height;
	uint32_t row = width * texel_bytes;

	return (struct image_side){
		.address = buffer->address + r->bufferOffset,
		.row_bytes = row,
		.slice_bytes = (uint64_t)row * height,
	};
}

static void record_buffer(VkCommandBuffer b, VkBuffer buffer, VkImage image,
			  const VkBufferImageCopy2 *r, bool to_image)
{
	uint32_t bytes = format_bytes(image->format);
	VkExtent3D extent = with_layers(r->imageExtent, layer_count(image, &r->imageSubresource));
	struct texel_copy *x = record(b, &copy_kind, bytes, &extent);
	struct image_side a, c;

	if (!x)
		return;
	a = image_side(b, image, &r->imageSubresource, r->imageOffset);
	c = buffer_side(buffer, r, bytes);
	x->arguments.destination = to_image ? a : c;
	x->arguments.source = to_image ? c : a;
}

static VkBufferImageCopy2 second_version(const VkBufferImageCopy *r)
{
	return (VkBufferImageCopy2){
		.bufferOffset = r->bufferOffset,
		.bufferRowLength = r->bufferRowLength,
		.bufferImageHeight = r->bufferImageHeight,
		.imageSubresource = r->imageSubresource,
		.imageOffset = r->imageOffset,
		.imageExtent = r->imageExtent,
	};
}

VKAPI_ATTR void VKAPI_CALL vkCmdCopyBufferToImage(VkCommandBuffer b, VkBuffer source,
						  VkImage destination, VkImageLayout layout,
						  uint32_t count, const VkBufferImageCopy *regions)
{
	uint32_t i;

	(void)layout;
	for (i = 0; i < count; i++) {
		VkBufferImageCopy2 r = second_version(&regions[i]);

		record_buffer(b, source, destination, &r, true);
	}
}

VKAPI_ATTR void VKAPI_CALL vkCmdCopyBufferToImage2(VkCommandBuffer b,
						   const VkCopyBufferToImageInfo2 *info)
{
	uint32_t i;

	for (i = 0; i < info->regionCount; i++)
		record_buffer(b, info->srcBuffer, info->dstImage, &info->pRegions[i], true);
}

VKAPI_ATTR void VKAPI_CALL vkCmdCopyImageToBuffer(VkCommandBuffer b, VkImage source,
						  VkImageLayout layout, VkBuffer destination,
						  uint32_t count, const VkBufferImageCopy *regions)
{
	uint32_t i;

	(void)layout;
	for (i = 0; i < count; i++) {
		VkBufferImageCopy2 r = second_version(&regions[i]);

		record_buffer(b, destination, source, &r, false);
	}
}

VKAPI_ATTR void VKAPI_CALL vkCmdCopyImageToBuffer2(VkCommandBuffer b,
						   const VkCopyImageToBufferInfo2 *info)
{
	uint32_t i;

	for (i = 0; i < info->regionCount; i++)
		record_buffer(b, info->dstBuffer, info->srcImage, &info->pRegions[i], false);
}

/* ---- images ---- */

static void record_image(VkCommandBuffer b, VkImage source, VkImage destination,
			 const VkImageCopy2 *r)
{
	VkExtent3D extent = with_layers(r->extent, layer_count(source, &r->srcSubresource));
	struct texel_copy *x = record(b, &copy_kind, format_bytes(destination->format), &extent);

	if (!x)
		return;
	x->arguments.destination = image_side(b, destination, &r->dstSubresource, r->dstOffset);
	x->arguments.source = image_side(b, source, &r->srcSubresource, r->srcOffset);
}

VKAPI_ATTR void VKAPI_CALL vkCmdCopyImage(VkCommandBuffer b, VkImage source,
					  VkImageLayout source_layout, VkImage destination,
					  VkImageLayout destination_layout, uint32_t count,
					  const VkImageCopy *regions)
{
	uint32_t i;

	(void)source_layout;
	(void)destination_layout;
	for (i = 0; i < count; i++) {
		VkImageCopy2 r = {
			.srcSubresource = regions[i].srcSubresource,
			.srcOffset = regions[i].srcOffset,
			.dstSubresource = regions[i].dstSubresource,
			.dstOffset = regions[i].dstOffset,
			.extent = regions[i].extent,
		};

		record_image(b, source, destination, &r);
	}
}

VKAPI_ATTR void VKAPI_CALL vkCmdCopyImage2(VkCommandBuffer b, const VkCopyImageInfo2 *info)
{
	uint32_t i;

	for (i = 0; i < info->regionCount; i++)
		record_image(b, info->srcImage, info->dstImage, &info->pRegions[i]);
}

/* ---- clears ---- */

static uint32_t of_level(uint32_t size, uint32_t level)
{
	return size >> level ? size >> level : 1;
}

static void record_clear(VkCommandBuffer b, VkImage image, const VkClearColorValue *color,
			 const VkImageSubresourceRange *range, uint32_t level)
{
	const VkImageSubresourceLayers where = {
		.mipLevel = level,
		.baseArrayLayer = range->baseArrayLayer,
		.layerCount = range->layerCount,
	};
	VkExtent3D extent = {
		of_level(image->extent.width, level),
		of_level(image->extent.height, level),
		image->type == VK_IMAGE_TYPE_3D ? of_level(image->extent.depth, level) : 1,
	};
	struct texel_copy *x;

	extent = with_layers(extent, layer_count(image, &where));
	x = record(b, &clear_kind, format_bytes(image->format), &extent);
	if (!x)
		return;
	x->arguments.destination = image_side(b, image, &where, (VkOffset3D){0, 0, 0});
	format_encode(image->format, color, (uint8_t *)x->arguments.value);
}

VKAPI_ATTR void VKAPI_CALL vkCmdClearColorImage(VkCommandBuffer b, VkImage image,
						VkImageLayout layout,
						const VkClearColorValue *color, uint32_t count,
						const VkImageSubresourceRange *ranges)
{
	uint32_t i, level, end;

	(void)layout;
	for (i = 0; i < count; i++) {
		end = ranges[i].levelCount == VK_REMAINING_MIP_LEVELS
			      ? image->levels
			      : ranges[i].baseMipLevel + ranges[i].levelCount;
		for (level = ranges[i].baseMipLevel; level < end; level++)
			record_clear(b, image, color, &ranges[i], level);
	}
}
