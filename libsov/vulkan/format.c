// SPDX-License-Identifier: MIT
/*
 * Formats. A row for each that the library's textures have: what is missing here has no features.
 * Every one can be read by shaders and copied; those that are no depths are storage images, too.
 */
#include <math.h>
#include "libsov/vulkan/driver.h"

#define ROWS(name1, name2, name4, bits, type) \
	{VK_FORMAT_##name1, 1, bits, SOV_TEXEL_##type, 0}, \
		{VK_FORMAT_##name2, 2, bits, SOV_TEXEL_##type, 0}, \
		{VK_FORMAT_##name4, 4, bits, SOV_TEXEL_##type, 0}

static const struct format formats[] = {
	ROWS(R8_UNORM, R8G8_UNORM, R8G8B8A8_UNORM, 8, UNORM),
	ROWS(R8_SNORM, R8G8_SNORM, R8G8B8A8_SNORM, 8, SNORM),
	ROWS(R8_UINT, R8G8_UINT, R8G8B8A8_UINT, 8, UINT),
	ROWS(R8_SINT, R8G8_SINT, R8G8B8A8_SINT, 8, SINT),
	ROWS(R16_UNORM, R16G16_UNORM, R16G16B16A16_UNORM, 16, UNORM),
	ROWS(R16_SNORM, R16G16_SNORM, R16G16B16A16_SNORM, 16, SNORM),
	ROWS(R16_UINT, R16G16_UINT, R16G16B16A16_UINT, 16, UINT),
	ROWS(R16_SINT, R16G16_SINT, R16G16B16A16_SINT, 16, SINT),
	ROWS(R16_SFLOAT, R16G16_SFLOAT, R16G16B16A16_SFLOAT, 16, FLOAT),
	ROWS(R32_UINT, R32G32_UINT, R32G32B32A32_UINT, 32, UINT),
	ROWS(R32_SINT, R32G32_SINT, R32G32B32A32_SINT, 32, SINT),
	ROWS(R32_SFLOAT, R32G32_SFLOAT, R32G32B32A32_SFLOAT, 32, FLOAT),
	{VK_FORMAT_A8B8G8R8_UNORM_PACK32, 4, 8, SOV_TEXEL_UNORM, 0},
	{VK_FORMAT_A8B8G8R8_SNORM_PACK32, 4, 8, SOV_TEXEL_SNORM, 0},
	{VK_FORMAT_A8B8G8R8_UINT_PACK32, 4, 8, SOV_TEXEL_UINT, 0},
	{VK_FORMAT_A8B8G8R8_SINT_PACK32, 4, 8, SOV_TEXEL_SINT, 0},
	{VK_FORMAT_A2B10G10R10_UNORM_PACK32, 4, 10, SOV_TEXEL_UNORM, 0},
	{VK_FORMAT_A2B10G10R10_UINT_PACK32, 4, 10, SOV_TEXEL_UINT, 0},
	{VK_FORMAT_B10G11R11_UFLOAT_PACK32, 3, 11, SOV_TEXEL_FLOAT, 0},
	{VK_FORMAT_B8G8R8A8_UNORM, 4, 8, SOV_TEXEL_UNORM, FORMAT_BGR},
	{VK_FORMAT_R8G8B8A8_SRGB, 4, 8, SOV_TEXEL_UNORM, FORMAT_SRGB},
	{VK_FORMAT_A8B8G8R8_SRGB_PACK32, 4, 8, SOV_TEXEL_UNORM, FORMAT_SRGB},
	{VK_FORMAT_B8G8R8A8_SRGB, 4, 8, SOV_TEXEL_UNORM, FORMAT_SRGB | FORMAT_BGR},
	{VK_FORMAT_D16_UNORM, 1, 16, SOV_TEXEL_UNORM, FORMAT_DEPTH},
	{VK_FORMAT_D32_SFLOAT, 1, 32, SOV_TEXEL_FLOAT, FORMAT_DEPTH},
};

const struct format *format_find(VkFormat format)
{
	uint32_t i;

	for (i = 0; i < COUNT(formats); i++)
		if (formats[i].format == format)
			return &formats[i];
	return NULL;
}

static bool is_packed(const struct format *f)
{
	return f->bits == 10 || f->bits == 11;
}

uint32_t format_bytes(const struct format *f)
{
	if (is_packed(f))
		return 4;
	return f->channels * f->bits / 8u;
}

static bool is_integer(const struct format *f)
{
	return f->type == SOV_TEXEL_UINT || f->type == SOV_TEXEL_SINT;
}

static bool has_atomics(const struct format *f)
{
	return f->channels == 1 && f->bits == 32 && is_integer(f);
}

VkFormatFeatureFlags2 format_image_features(const struct format *f)
{
	VkFormatFeatureFlags2 out = VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT |
				    VK_FORMAT_FEATURE_2_TRANSFER_SRC_BIT |
				    VK_FORMAT_FEATURE_2_TRANSFER_DST_BIT;

	if (!is_integer(f))
		out |= VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_FILTER_LINEAR_BIT;
	if (f->flags & (FORMAT_BGR | FORMAT_SRGB))
		return out;
	if (f->flags & FORMAT_DEPTH)
		return out | VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_DEPTH_COMPARISON_BIT;
	out |= VK_FORMAT_FEATURE_2_STORAGE_IMAGE_BIT |
	       VK_FORMAT_FEATURE_2_STORAGE_WRITE_WITHOUT_FORMAT_BIT;
	return out | (has_atomics(f) ? VK_FORMAT_FEATURE_2_STORAGE_IMAGE_ATOMIC_BIT : 0);
}

VkFormatFeatureFlags2 format_buffer_features(const struct format *f)
{
	if (f->flags)
		return 0;
	return VK_FORMAT_FEATURE_2_UNIFORM_TEXEL_BUFFER_BIT |
	       VK_FORMAT_FEATURE_2_STORAGE_TEXEL_BUFFER_BIT |
	       VK_FORMAT_FEATURE_2_STORAGE_WRITE_WITHOUT_FORMAT_BIT |
	       (has_atomics(f) ? VK_FORMAT_FEATURE_2_STORAGE_TEXEL_BUFFER_ATOMIC_BIT : 0);
}

/* ---- colours ---- */

/* A float of 5 bits of exponent without its sign, to nearest even. */
static uint32_t small_float(float value, uint32_t mantissa)
{
	uint32_t bits, half, rest, shift = 23 - mantissa, infinity = 31u << mantissa;
	int32_t exponent;

	memcpy(&bits, &value, sizeof(bits));
	exponent = (int32_t)(bits >> 23 & 255) - 112;
	bits &= 0x7fffff;
	if (exponent == 255 - 112)
		return infinity | (bits ? 1u << (mantissa - 1) : 0);
	if (exponent >= 31)
		return infinity;
	if (exponent < -10)
		return 0;
	if (exponent <= 0) {
		bits |= 0x800000;
		shift += (uint32_t)(1 - exponent);
		exponent = 0;
	}
	half = ((uint32_t)exponent << mantissa) + (bits >> shift);
	rest = bits & ((1u << shift) - 1);
	half += rest > 1u << (shift - 1) || (rest == 1u << (shift - 1) && half & 1);
	return half;
}

static uint32_t half_of(float value)
{
	return small_float(value, 10) | (value < 0 ? 0x8000 : 0);
}

/* A number from -1 to 1 as an integer of this magnitude, rounded to nearest. */
static uint32_t norm_of(float value, bool is_signed, uint32_t max)
{
	double v = value;

	if (!(v > (is_signed ? -1 : 0)))
		v = is_signed && v < 0 ? -1 : 0;
	v = (v > 1 ? 1 : v) * max;
	return (uint32_t)(int64_t)(v + (v < 0 ? -0.5 : 0.5));
}

static float linear_of(float c)
{
	return c <= 0.04045f ? c / 12.92f : powf((c + 0.055f) / 1.055f, 2.4f);
}

/* The byte whose range of encoded values has this linear one; IEC 61966-2-1. */
static uint32_t srgb_of(float value)
{
	uint32_t byte = 0;

	while (byte < 255 && value >= linear_of(((float)byte + 0.5f) / 255))
		byte++;
	return byte;
}

static uint32_t channel_of(const struct format *f, const VkClearColorValue *color, uint32_t k)
{
	uint32_t max = UINT32_MAX >> (32 - f->bits);

	if (f->flags & FORMAT_SRGB && k < 3)
		return srgb_of(color->float32[k]);
	switch (f->type) {
	case SOV_TEXEL_UNORM:
		return norm_of(color->float32[k], false, max);
	case SOV_TEXEL_SNORM:
		return norm_of(color->float32[k], true, max >> 1);
	case SOV_TEXEL_FLOAT:
		return f->bits == 16 ? half_of(color->float32[k]) : color->uint32[k];
	default:
		return color->uint32[k];
	}
}

/* Without sign: too large values become the largest finite one. */
static uint32_t positive_float(float value, uint32_t mantissa)
{
	uint32_t infinity = 31u << mantissa, bits = small_float(value, mantissa);

	if (value < 0)
		return 0;
	return bits == infinity && value < 1e30f ? infinity - 1 : bits;
}

static uint32_t packed_of(const struct format *f, const VkClearColorValue *c)
{
	uint32_t word = 0, k;

	if (f->bits == 11)
		return positive_float(c->float32[0], 6) | positive_float(c->float32[1], 6) << 11 |
		       positive_float(c->float32[2], 5) << 22;
	for (k = 0; k < 4; k++) {
		uint32_t max = k < 3 ? 1023 : 3;

		word |= (f->type == SOV_TEXEL_UNORM ? norm_of(c->float32[k], false, max)
						    : c->uint32[k] & max)
			<< 10 * k;
	}
	return word;
}

void format_encode(const struct format *f, const VkClearColorValue *color, uint8_t *texel)
{
	uint32_t k;

	if (is_packed(f)) {
		k = packed_of(f, color);
		memcpy(texel, &k, sizeof(k));
		return;
	}
	for (k = 0; k < f->channels; k++) {
		uint32_t word = channel_of(f, color, f->flags & FORMAT_BGR && k < 3 ? 2 - k : k);

		memcpy(texel + k * f->bits / 8u, &word, f->bits / 8u);
	}
}

/* ---- queries ---- */

VKAPI_ATTR void VKAPI_CALL vkGetPhysicalDeviceFormatProperties(VkPhysicalDevice p, VkFormat format,
							       VkFormatProperties *out)
{
	const struct format *f = format_find(format);
	/* The bits that the first version has, too. */
	const VkFormatFeatureFlags2 low = VK_FORMAT_FEATURE_2_STORAGE_READ_WITHOUT_FORMAT_BIT - 1;

	(void)p;
	memset(out, 0, sizeof(*out));
	if (!f)
		return;
	out->optimalTilingFeatures = (VkFormatFeatureFlags)(format_image_features(f) & low);
	out->linearTilingFeatures = out->optimalTilingFeatures;
	out->bufferFeatures = (VkFormatFeatureFlags)(format_buffer_features(f) & low);
}

VKAPI_ATTR void VKAPI_CALL vkGetPhysicalDeviceFormatProperties2(VkPhysicalDevice p, VkFormat format,
								VkFormatProperties2 *out)
{
	VkFormatProperties3 *three =
		(void *)chain_find(out->pNext, VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3);
	const struct format *f = format_find(format);

	vkGetPhysicalDeviceFormatProperties(p, format, &out->formatProperties);
	if (three) {
		three->optimalTilingFeatures = f ? format_image_features(f) : 0;
		three->linearTilingFeatures = three->optimalTilingFeatures;
		three->bufferFeatures = f ? format_buffer_features(f) : 0;
	}
}

static uint32_t level_count(uint32_t longest)
{
	uint32_t levels = 1;

	while (longest >>= 1)
		levels++;
	return levels;
}

static VkFormatFeatureFlags2 needed_features(VkImageUsageFlags usage)
{
	static const struct {
		VkImageUsageFlags usage;
		VkFormatFeatureFlags2 feature;
	} rows[] = {
		{VK_IMAGE_USAGE_SAMPLED_BIT, VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT},
		{VK_IMAGE_USAGE_STORAGE_BIT, VK_FORMAT_FEATURE_2_STORAGE_IMAGE_BIT},
		{VK_IMAGE_USAGE_TRANSFER_SRC_BIT, VK_FORMAT_FEATURE_2_TRANSFER_SRC_BIT},
		{VK_IMAGE_USAGE_TRANSFER_DST_BIT, VK_FORMAT_FEATURE_2_TRANSFER_DST_BIT},
	};
	VkFormatFeatureFlags2 out = 0;
	uint32_t i;

	for (i = 0; i < COUNT(rows); i++) {
		if (usage & rows[i].usage)
			out |= rows[i].feature;
		usage &= ~rows[i].usage;
	}
	return usage ? VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BIT : out; /* of graphics */
}

#define IMAGE_FLAGS \
	(VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT | \
	 VK_IMAGE_CREATE_ALIAS_BIT | VK_IMAGE_CREATE_EXTENDED_USAGE_BIT)

VKAPI_ATTR VkResult VKAPI_CALL vkGetPhysicalDeviceImageFormatProperties(
	VkPhysicalDevice p, VkFormat format, VkImageType type, VkImageTiling tiling,
	VkImageUsageFlags usage, VkImageCreateFlags flags, VkImageFormatProperties *out)
{
	const struct format *f = format_find(format);
	VkFormatFeatureFlags2 needs = needed_features(usage);
	bool cube = flags & VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT;

	memset(out, 0, sizeof(*out));
	if (!f || needs & ~format_image_features(f) || flags & ~(VkImageCreateFlags)IMAGE_FLAGS ||
	    tiling > VK_IMAGE_TILING_LINEAR || (cube && type != VK_IMAGE_TYPE_2D) ||
	    (tiling == VK_IMAGE_TILING_LINEAR && (type != VK_IMAGE_TYPE_2D || cube)))
		return VK_ERROR_FORMAT_NOT_SUPPORTED;
	out->maxExtent = (VkExtent3D){MAX_IMAGE_SIZE, 1, 1};
	if (type == VK_IMAGE_TYPE_2D)
		out->maxExtent.height = MAX_IMAGE_SIZE;
	if (type == VK_IMAGE_TYPE_3D)
		out->maxExtent = (VkExtent3D){MAX_IMAGE_DEPTH, MAX_IMAGE_DEPTH, MAX_IMAGE_DEPTH};
	out->maxMipLevels = level_count(out->maxExtent.width);
	out->maxArrayLayers = type == VK_IMAGE_TYPE_3D ? 1 : MAX_IMAGE_LAYERS;
	if (tiling == VK_IMAGE_TILING_LINEAR)
		out->maxMipLevels = out->maxArrayLayers = 1;
	out->sampleCounts = VK_SAMPLE_COUNT_1_BIT;
	out->maxResourceSize = p->properties.memory_bytes;
	return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL vkGetPhysicalDeviceImageFormatProperties2(
	VkPhysicalDevice p, const VkPhysicalDeviceImageFormatInfo2 *info,
	VkImageFormatProperties2 *out)
{
	const VkPhysicalDeviceExternalImageFormatInfo *external = chain_find(
		info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO);
	VkExternalImageFormatProperties *handles =
		(void *)chain_find(out->pNext, VK_STRUCTURE_TYPE_EXTERNAL_IMAGE_FORMAT_PROPERTIES);

	if (external && external->handleType)
		return VK_ERROR_FORMAT_NOT_SUPPORTED;
	if (handles)
		memset(&handles->externalMemoryProperties, 0,
		       sizeof(handles->externalMemoryProperties));
	return vkGetPhysicalDeviceImageFormatProperties(p, info->format, info->type, info->tiling,
							info->usage, info->flags,
							&out->imageFormatProperties);
}
