// SPDX-License-Identifier: MIT
/*
 * Images and their views. An image is memory in the GPU's own layout, or with linear tiling rows;
 * once it is bound, it is a texture of the library. A view is another texture of the same texels,
 * and what the descriptor of a storage image holds.
 */
#include "libsov/vulkan/driver.h"

#define LINEAR_ALIGNMENT 64u

static uint32_t depth_of(const struct VkImage_T *image)
{
	return image->type == VK_IMAGE_TYPE_3D ? image->extent.depth : image->layers;
}

static void set_format(sov_texture_options *o, const struct format *f)
{
	o->channels = f->channels;
	o->channel_bits = f->bits;
	o->type = f->type;
	if (f->flags & FORMAT_DEPTH)
		o->flags |= SOV_TEXTURE_DEPTHS;
	if (f->flags & FORMAT_SRGB)
		o->flags |= SOV_TEXTURE_SRGB;
}

/* The texture of all layers and levels. */
static sov_texture_options image_options(const struct VkImage_T *image)
{
	static const uint8_t geometries[] = {SOV_TEXTURE_1D_LAYERS, SOV_TEXTURE_2D_LAYERS,
					     SOV_TEXTURE_3D};
	sov_texture_options o = SOV_INIT(sov_texture_options);

	set_format(&o, image->format);
	o.flags |= SOV_TEXTURE_NORMALIZED;
	o.geometry = image->linear ? SOV_TEXTURE_2D : geometries[image->type];
	o.width = image->extent.width;
	o.height = image->extent.height;
	o.depth = depth_of(image);
	o.levels = image->levels;
	if (image->linear)
		o.row_bytes = image->row_bytes;
	else
		o.flags |= SOV_TEXTURE_GPU_LAYOUT;
	return o;
}

static VkResult image_init(VkDevice d, const VkImageCreateInfo *info, struct VkImage_T *image)
{
	sov_texture_options o;

	*image = (struct VkImage_T){
		.type = info->imageType,
		.format = format_find(info->format),
		.extent = info->extent,
		.levels = info->mipLevels,
		.layers = info->arrayLayers,
		.linear = info->tiling == VK_IMAGE_TILING_LINEAR,
	};
	if (!image->format)
		return VK_ERROR_FORMAT_NOT_SUPPORTED;
	image->row_bytes = (uint64_t)info->extent.width * format_bytes(image->format);
	image->row_bytes =
		(image->row_bytes + LINEAR_ALIGNMENT - 1) & ~(uint64_t)(LINEAR_ALIGNMENT - 1);
	image->bytes = image->row_bytes * info->extent.height;
	image->alignment = LINEAR_ALIGNMENT;
	if (image->linear)
		return VK_SUCCESS;
	o = image_options(image);
	return result_of(
		sov_texture_get_requirements(d->context, &o, &image->bytes, &image->alignment));
}

VKAPI_ATTR VkResult VKAPI_CALL vkCreateImage(VkDevice d, const VkImageCreateInfo *info,
					     const VkAllocationCallbacks *allocator, VkImage *image)
{
	VkImage i = object_alloc(&d->allocator, allocator, sizeof(*i),
				 VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
	VkResult r;

	if (!i)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	r = image_init(d, info, i);
	if (r) {
		report_error(d->physical->instance, "vkCreateImage");
		object_free(&d->allocator, allocator, i);
		return r;
	}
	*image = i;
	return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vkDestroyImage(VkDevice d, VkImage image,
					  const VkAllocationCallbacks *allocator)
{
	if (!image)
		return;
	if (image->texture)
		sov_texture_destroy(d->context, image->texture);
	object_free(&d->allocator, allocator, image);
}

/* ---- memory ---- */

/* Textures have device memory. */
static void requirements_fill(const struct VkImage_T *image, VkMemoryRequirements *out)
{
	out->alignment = image->alignment;
	out->size = (image->bytes + image->alignment - 1) & ~(image->alignment - 1);
	out->memoryTypeBits = 1u << MEMORY_DEVICE | 1u << MEMORY_DEVICE_MAPPED;
}

static void requirements2_fill(const struct VkImage_T *image, VkMemoryRequirements2 *out)
{
	VkMemoryDedicatedRequirements *dedicated =
		(void *)chain_find(out->pNext, VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS);

	requirements_fill(image, &out->memoryRequirements);
	if (dedicated) {
		dedicated->prefersDedicatedAllocation = VK_FALSE;
		dedicated->requiresDedicatedAllocation = VK_FALSE;
	}
}

VKAPI_ATTR void VKAPI_CALL vkGetImageMemoryRequirements(VkDevice d, VkImage image,
							VkMemoryRequirements *out)
{
	(void)d;
	requirements_fill(image, out);
}

VKAPI_ATTR void VKAPI_CALL vkGetImageMemoryRequirements2(VkDevice d,
							 const VkImageMemoryRequirementsInfo2 *info,
							 VkMemoryRequirements2 *out)
{
	(void)d;
	requirements2_fill(info->image, out);
}

VKAPI_ATTR void VKAPI_CALL vkGetDeviceImageMemoryRequirements(
	VkDevice d, const VkDeviceImageMemoryRequirements *info, VkMemoryRequirements2 *out)
{
	struct VkImage_T image;

	image_init(d, info->pCreateInfo, &image);
	requirements2_fill(&image, out);
}

/* No image is sparse. */
VKAPI_ATTR void VKAPI_CALL vkGetImageSparseMemoryRequirements(VkDevice d, VkImage image,
							      uint32_t *count,
							      VkSparseImageMemoryRequirements *out)
{
	(void)d;
	(void)image;
	(void)out;
	*count = 0;
}

VKAPI_ATTR void VKAPI_CALL
vkGetImageSparseMemoryRequirements2(VkDevice d, const VkImageSparseMemoryRequirementsInfo2 *info,
				    uint32_t *count, VkSparseImageMemoryRequirements2 *out)
{
	(void)d;
	(void)info;
	(void)out;
	*count = 0;
}

VKAPI_ATTR void VKAPI_CALL
vkGetDeviceImageSparseMemoryRequirements(VkDevice d, const VkDeviceImageMemoryRequirements *info,
					 uint32_t *count, VkSparseImageMemoryRequirements2 *out)
{
	(void)d;
	(void)info;
	(void)out;
	*count = 0;
}

VKAPI_ATTR VkResult VKAPI_CALL vkBindImageMemory(VkDevice d, VkImage image, VkDeviceMemory m,
						 VkDeviceSize offset)
{
	sov_texture_options o = image_options(image);

	o.memory = m->address + offset;
	return result_of(sov_texture_create(d->context, &o, &image->texture));
}

VKAPI_ATTR VkResult VKAPI_CALL vkBindImageMemory2(VkDevice d, uint32_t count,
						  const VkBindImageMemoryInfo *infos)
{
	VkResult r = VK_SUCCESS;
	uint32_t i;

	for (i = 0; i < count && !r; i++)
		r = vkBindImageMemory(d, infos[i].image, infos[i].memory, infos[i].memoryOffset);
	return r;
}

VKAPI_ATTR void VKAPI_CALL vkGetImageSubresourceLayout(VkDevice d, VkImage image,
						       const VkImageSubresource *which,
						       VkSubresourceLayout *out)
{
	(void)d;
	(void)which; /* linear tiling has one level and layer */
	*out = (VkSubresourceLayout){
		.size = image->bytes,
		.rowPitch = image->row_bytes,
		.arrayPitch = image->bytes,
		.depthPitch = image->bytes,
	};
}

/* ---- views ---- */

static uint32_t remaining(uint32_t count, uint32_t first, uint32_t all)
{
	return count == VK_REMAINING_MIP_LEVELS ? all - first : count;
}

/* The values of VkComponentSwizzle are those of sov_swizzle. */
static void set_swizzle(sov_texture_options *o, const VkComponentMapping *m, bool bgr)
{
	const VkComponentSwizzle given[4] = {m->r, m->g, m->b, m->a};
	uint32_t k;

	for (k = 0; k < 4; k++) {
		o->swizzle[k] = given[k];
		if (bgr && given[k] == VK_COMPONENT_SWIZZLE_IDENTITY)
			o->swizzle[k] = SOV_SWIZZLE_R + k;
		if (bgr && (o->swizzle[k] == SOV_SWIZZLE_R || o->swizzle[k] == SOV_SWIZZLE_B))
			o->swizzle[k] = SOV_SWIZZLE_R + SOV_SWIZZLE_B - o->swizzle[k];
	}
}

static VkResult view_init(VkDevice d, VkImageView v, const VkImageViewCreateInfo *info)
{
	static const uint8_t geometries[] = {
		[VK_IMAGE_VIEW_TYPE_1D] = SOV_TEXTURE_1D,
		[VK_IMAGE_VIEW_TYPE_2D] = SOV_TEXTURE_2D,
		[VK_IMAGE_VIEW_TYPE_3D] = SOV_TEXTURE_3D,
		[VK_IMAGE_VIEW_TYPE_CUBE] = SOV_TEXTURE_CUBE,
		[VK_IMAGE_VIEW_TYPE_1D_ARRAY] = SOV_TEXTURE_1D_LAYERS,
		[VK_IMAGE_VIEW_TYPE_2D_ARRAY] = SOV_TEXTURE_2D_LAYERS,
		[VK_IMAGE_VIEW_TYPE_CUBE_ARRAY] = SOV_TEXTURE_CUBE_LAYERS,
	};
	const VkImageSubresourceRange *range = &info->subresourceRange;
	const struct format *f = format_find(info->format);
	VkImage image = info->image;
	sov_texture_options o = image_options(image);
	bool cube = info->viewType == VK_IMAGE_VIEW_TYPE_CUBE ||
		    info->viewType == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY;
	sov_result r;

	if (!f)
		return VK_ERROR_FORMAT_NOT_SUPPORTED;
	o.flags = SOV_TEXTURE_NORMALIZED;
	o.row_bytes = 0;
	set_format(&o, f);
	o.geometry = geometries[info->viewType];
	o.texels = image->texture;
	o.first_level = range->baseMipLevel;
	o.levels = remaining(range->levelCount, range->baseMipLevel, image->levels);
	if (image->type != VK_IMAGE_TYPE_3D) {
		o.first_layer = range->baseArrayLayer;
		o.depth = remaining(range->layerCount, range->baseArrayLayer, image->layers);
	}
	set_swizzle(&o, &info->components, f->flags & FORMAT_BGR);
	r = sov_texture_create(d->context, &o, &v->texture);
	if (!r && cube) {
		o.geometry = SOV_TEXTURE_2D_LAYERS;
		r = sov_texture_create(d->context, &o, &v->faces);
	}
	if (!r)
		r = sov_texture_get_image(d->context, cube ? v->faces : v->texture, 0, &v->storage);
	return result_of(r);
}

static void view_destroy(VkDevice d, VkImageView v, const VkAllocationCallbacks *allocator)
{
	if (v->texture)
		sov_texture_destroy(d->context, v->texture);
	if (v->faces)
		sov_texture_destroy(d->context, v->faces);
	object_free(&d->allocator, allocator, v);
}

VKAPI_ATTR VkResult VKAPI_CALL vkCreateImageView(VkDevice d, const VkImageViewCreateInfo *info,
						 const VkAllocationCallbacks *allocator,
						 VkImageView *view)
{
	VkImageView v = object_alloc(&d->allocator, allocator, sizeof(*v),
				     VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
	VkResult r;

	if (!v)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	r = view_init(d, v, info);
	if (r) {
		report_error(d->physical->instance, "vkCreateImageView");
		view_destroy(d, v, allocator);
		return r;
	}
	*view = v;
	return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vkDestroyImageView(VkDevice d, VkImageView v,
					      const VkAllocationCallbacks *allocator)
{
	if (v)
		view_destroy(d, v, allocator);
}
