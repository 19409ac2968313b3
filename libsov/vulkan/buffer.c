// SPDX-License-Identifier: MIT
/* Buffers: ranges of memory. */
#include "libsov/vulkan/driver.h"

VKAPI_ATTR VkResult VKAPI_CALL vkCreateBuffer(VkDevice d, const VkBufferCreateInfo *info,
					      const VkAllocationCallbacks *allocator,
					      VkBuffer *buffer)
{
	VkBuffer b;

	if (info->size > d->physical->properties.memory_bytes)
		return VK_ERROR_OUT_OF_DEVICE_MEMORY;
	b = object_alloc(&d->allocator, allocator, sizeof(*b), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
	if (!b)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	b->bytes = info->size;
	*buffer = b;
	return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vkDestroyBuffer(VkDevice d, VkBuffer b,
					   const VkAllocationCallbacks *allocator)
{
	object_free(&d->allocator, allocator, b);
}

static void requirements_fill(uint64_t bytes, VkMemoryRequirements *out)
{
	out->size = (bytes + BUFFER_ALIGNMENT - 1) & ~(uint64_t)(BUFFER_ALIGNMENT - 1);
	out->alignment = BUFFER_ALIGNMENT;
	out->memoryTypeBits = (1u << MEMORY_TYPES) - 1;
}

static void requirements2_fill(uint64_t bytes, VkMemoryRequirements2 *out)
{
	VkMemoryDedicatedRequirements *dedicated =
		(void *)chain_find(out->pNext, VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS);

	requirements_fill(bytes, &out->memoryRequirements);
	if (dedicated) {
		dedicated->prefersDedicatedAllocation = VK_FALSE;
		dedicated->requiresDedicatedAllocation = VK_FALSE;
	}
}

VKAPI_ATTR void VKAPI_CALL vkGetBufferMemoryRequirements(VkDevice d, VkBuffer b,
							 VkMemoryRequirements *out)
{
	(void)d;
	requirements_fill(b->bytes, out);
}

VKAPI_ATTR void VKAPI_CALL vkGetBufferMemoryRequirements2(
	VkDevice d, const VkBufferMemoryRequirementsInfo2 *info, VkMemoryRequirements2 *out)
{
	(void)d;
	requirements2_fill(info->buffer->bytes, out);
}

VKAPI_ATTR void VKAPI_CALL vkGetDeviceBufferMemoryRequirements(
	VkDevice d, const VkDeviceBufferMemoryRequirements *info, VkMemoryRequirements2 *out)
{
	(void)d;
	requirements2_fill(info->pCreateInfo->size, out);
}

VKAPI_ATTR VkResult VKAPI_CALL vkBindBufferMemory(VkDevice d, VkBuffer b, VkDeviceMemory m,
						  VkDeviceSize offset)
{
	(void)d;
	b->memory = m;
	b->address = m->address + offset;
	return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL vkBindBufferMemory2(VkDevice d, uint32_t count,
						   const VkBindBufferMemoryInfo *infos)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		vkBindBufferMemory(d, infos[i].buffer, infos[i].memory, infos[i].memoryOffset);
	return VK_SUCCESS;
}

VKAPI_ATTR VkDeviceAddress VKAPI_CALL
vkGetBufferDeviceAddress(VkDevice d, const VkBufferDeviceAddressInfo *info)
{
	(void)d;
	return info->buffer->address;
}

VKAPI_ATTR uint64_t VKAPI_CALL
vkGetBufferOpaqueCaptureAddress(VkDevice d, const VkBufferDeviceAddressInfo *info)
{
	return vkGetBufferDeviceAddress(d, info);
}

/* ---- views ---- */

static VkResult view_init(VkDevice d, VkBufferView v, const VkBufferViewCreateInfo *info)
{
	const struct format *f = format_find(info->format);
	sov_texture_options o = SOV_INIT(sov_texture_options);
	uint64_t bytes =
		info->range == VK_WHOLE_SIZE ? info->buffer->bytes - info->offset : info->range;
	sov_result r;

	if (!f || !format_buffer_features(f))
		return VK_ERROR_FORMAT_NOT_SUPPORTED;
	bytes /= format_bytes(f);
	o.memory = info->buffer->address + info->offset;
	o.geometry = SOV_TEXTURE_1D;
	o.width = bytes > MAX_TEXEL_ELEMENTS ? MAX_TEXEL_ELEMENTS : (uint32_t)bytes;
	o.channels = f->channels;
	o.channel_bits = f->bits;
	o.type = f->type;
	r = sov_texture_create(d->context, &o, &v->texture);
	if (!r)
		r = sov_texture_get_image(d->context, v->texture, 0, &v->storage);
	return result_of(r);
}

static void view_destroy(VkDevice d, VkBufferView v, const VkAllocationCallbacks *allocator)
{
	if (v->texture)
		sov_texture_destroy(d->context, v->texture);
	object_free(&d->allocator, allocator, v);
}

VKAPI_ATTR VkResult VKAPI_CALL vkCreateBufferView(VkDevice d, const VkBufferViewCreateInfo *info,
						  const VkAllocationCallbacks *allocator,
						  VkBufferView *view)
{
	VkBufferView v = object_alloc(&d->allocator, allocator, sizeof(*v),
				      VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
	VkResult r;

	if (!v)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	r = view_init(d, v, info);
	if (r) {
		report_error(d->physical->instance, "vkCreateBufferView");
		view_destroy(d, v, allocator);
		return r;
	}
	*view = v;
	return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vkDestroyBufferView(VkDevice d, VkBufferView v,
					       const VkAllocationCallbacks *allocator)
{
	if (v)
		view_destroy(d, v, allocator);
}
