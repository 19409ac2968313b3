// SPDX-License-Identifier: MIT
/* Samplers: textures of the library without texels. */
#include "libsov/vulkan/driver.h"

#define MAX_LEVEL 16.0f

static uint32_t address_mode(VkSamplerAddressMode m)
{
	switch (m) {
	case VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT:
		return SOV_ADDRESS_MIRROR;
	case VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE:
		return SOV_ADDRESS_CLAMP;
	case VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER:
		return SOV_ADDRESS_BORDER;
	default:
		return SOV_ADDRESS_WRAP;
	}
}

static void set_border(sov_texture_options *o, VkBorderColor color)
{
	const uint32_t one = color & 1 ? 1 : 0x3f800000; /* integers have odd numbers */
	uint32_t k;

	if (color < VK_BORDER_COLOR_FLOAT_OPAQUE_BLACK)
		return;
	for (k = 0; k < 4; k++)
		o->border[k] = k == 3 || color >= VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE ? one : 0;
}

static float level(float v)
{
	return v < -MAX_LEVEL ? -MAX_LEVEL : v > MAX_LEVEL ? MAX_LEVEL : v;
}

static sov_texture_options sampler_options(const VkSamplerCreateInfo *info)
{
	sov_texture_options o = SOV_INIT(sov_texture_options);
	float least = info->minLod > 0 ? info->minLod : 0;

	o.flags = SOV_TEXTURE_LEVEL_LIMITS;
	if (info->minFilter == VK_FILTER_LINEAR)
		o.flags |= SOV_TEXTURE_LINEAR;
	if (info->mipmapMode == VK_SAMPLER_MIPMAP_MODE_LINEAR)
		o.flags |= SOV_TEXTURE_LEVEL_LINEAR;
	if (!info->unnormalizedCoordinates)
		o.flags |= SOV_TEXTURE_NORMALIZED;
	o.address_modes[0] = address_mode(info->addressModeU);
	o.address_modes[1] = address_mode(info->addressModeV);
	o.address_modes[2] = address_mode(info->addressModeW);
	set_border(&o, info->borderColor);
	o.level_bias = level(info->mipLodBias);
	o.min_level = level(least);
	o.max_level = level(info->maxLod > least ? info->maxLod : least);
	/* Both begin with "never". */
	o.compare = info->compareEnable ? SOV_COMPARE_NEVER + info->compareOp : SOV_COMPARE_NONE;
	return o;
}

VKAPI_ATTR VkResult VKAPI_CALL vkCreateSampler(VkDevice d, const VkSamplerCreateInfo *info,
					       const VkAllocationCallbacks *allocator,
					       VkSampler *sampler)
{
	sov_texture_options o = sampler_options(info);
	VkSampler s = object_alloc(&d->allocator, allocator, sizeof(*s),
				   VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
	sov_result r;

	if (!s)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	r = sov_sampler_create(d->context, &o, &s->sampler);
	if (r) {
		report_error(d->physical->instance, "vkCreateSampler");
		object_free(&d->allocator, allocator, s);
		return result_of(r);
	}
	*sampler = s;
	return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vkDestroySampler(VkDevice d, VkSampler s,
					    const VkAllocationCallbacks *allocator)
{
	if (!s)
		return;
	sov_texture_destroy(d->context, s->sampler);
	object_free(&d->allocator, allocator, s);
}
