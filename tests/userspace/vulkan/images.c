// SPDX-License-Identifier: MIT
/*
 * Images, views, samplers and texel buffers: what formats can do, copies and clears, and a shader
 * that uses each kind of descriptor. TEST_VULKAN_OTHER=1 asks for one queue and no extensions, so
 * that other drivers run the shader, too (tests/oracles/vulkan_images.sh).
 */
#include "tests/userspace/vulkan/_vulkan.h"

/* ---- images ---- */

struct image {
	VkImage image;
	VkDeviceMemory memory;
	VkMemoryRequirements needs;
	VkImageAspectFlags aspect;
};

static VkImageCreateInfo image_info(VkFormat format, uint32_t width, uint32_t height,
				    uint32_t depth, uint32_t levels, uint32_t layers,
				    VkImageUsageFlags usage)
{
	return (VkImageCreateInfo){
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.flags = layers == 6 ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0,
		.imageType = depth > 1 ? VK_IMAGE_TYPE_3D : VK_IMAGE_TYPE_2D,
		.format = format,
		.extent = {width, height, depth},
		.mipLevels = levels,
		.arrayLayers = layers,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.usage = usage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
	};
}

static struct image image_create(const VkImageCreateInfo *info, VkMemoryPropertyFlags flags)
{
	VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
	struct image i = {.aspect = info->format == VK_FORMAT_D32_SFLOAT
					    ? VK_IMAGE_ASPECT_DEPTH_BIT
					    : VK_IMAGE_ASPECT_COLOR_BIT};

	MUST(vkCreateImage(device, info, NULL, &i.image));
	vkGetImageMemoryRequirements(device, i.image, &i.needs);
	allocate.allocationSize = i.needs.size;
	allocate.memoryTypeIndex = memory_type(i.needs.memoryTypeBits, flags);
	MUST(vkAllocateMemory(device, &allocate, NULL, &i.memory));
	MUST(vkBindImageMemory(device, i.image, i.memory, 0));
	return i;
}

static void image_destroy(struct image *i)
{
	vkDestroyImage(device, i->image, NULL);
	vkFreeMemory(device, i->memory, NULL);
}

/* Makes the image usable by everything. */
static void to_general(VkCommandBuffer c, const struct image *i, VkImageLayout from)
{
	VkImageMemoryBarrier b = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
		.oldLayout = from,
		.newLayout = VK_IMAGE_LAYOUT_GENERAL,
		.image = i->image,
		.subresourceRange = {i->aspect, 0, VK_REMAINING_MIP_LEVELS, 0,
				     VK_REMAINING_ARRAY_LAYERS},
	};

	vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
			     VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &b);
}

static VkImageView view_create(const struct image *i, VkImageViewType type, VkFormat format,
			       uint32_t level, uint32_t levels, uint32_t layer, uint32_t layers,
			       VkComponentMapping mapping)
{
	VkImageViewCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
		.image = i->image,
		.viewType = type,
		.format = format,
		.components = mapping,
		.subresourceRange = {i->aspect, level, levels, layer, layers},
	};
	VkImageView v;

	MUST(vkCreateImageView(device, &info, NULL, &v));
	return v;
}

static const VkComponentMapping same;

static VkBufferImageCopy region(const struct image *i, uint64_t offset, uint32_t level,
				uint32_t layer, uint32_t layers, uint32_t width, uint32_t height,
				uint32_t depth)
{
	return (VkBufferImageCopy){
		.bufferOffset = offset,
		.imageSubresource = {i->aspect, level, layer, layers},
		.imageExtent = {width, height, depth},
	};
}

static void to_image(VkCommandBuffer c, const struct memory *m, const struct image *i,
		     VkBufferImageCopy r)
{
	vkCmdCopyBufferToImage(c, m->buffer, i->image, VK_IMAGE_LAYOUT_GENERAL, 1, &r);
}

static void to_buffer(VkCommandBuffer c, const struct image *i, const struct memory *m,
		      VkBufferImageCopy r)
{
	vkCmdCopyImageToBuffer(c, i->image, VK_IMAGE_LAYOUT_GENERAL, m->buffer, 1, &r);
}

/* ---- what formats can do ---- */

static void formats(void)
{
	VkFormatProperties3 three = {.sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3};
	VkFormatProperties2 two = {.sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2, .pNext = &three};
	VkImageFormatProperties image;
	VkFormatProperties p;
	VkPhysicalDeviceProperties all;

	vkGetPhysicalDeviceProperties(physical, &all);
	vkGetPhysicalDeviceFormatProperties(physical, VK_FORMAT_R32_UINT, &p);
	ok(p.optimalTilingFeatures & VK_FORMAT_FEATURE_STORAGE_IMAGE_ATOMIC_BIT &&
		   p.bufferFeatures & VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_ATOMIC_BIT &&
		   !(p.optimalTilingFeatures & VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT),
	   "words have atomics and no linear filter");
	vkGetPhysicalDeviceFormatProperties2(physical, VK_FORMAT_D32_SFLOAT, &two);
	ok(three.optimalTilingFeatures & VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_DEPTH_COMPARISON_BIT &&
		   !(three.optimalTilingFeatures & VK_FORMAT_FEATURE_2_STORAGE_IMAGE_BIT),
	   "depths can be compared, and are no storage images");
	vkGetPhysicalDeviceFormatProperties(physical, VK_FORMAT_BC1_RGB_UNORM_BLOCK, &p);
	ok(!p.optimalTilingFeatures && !p.linearTilingFeatures && !p.bufferFeatures,
	   "compressed formats have no features");
	gives(vkGetPhysicalDeviceImageFormatProperties(
		      physical, VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_TYPE_2D, VK_IMAGE_TILING_OPTIMAL,
		      VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT, 0, &image),
	      VK_SUCCESS, "four bytes are a storage image and a sampled one");
	ok(image.maxExtent.width == all.limits.maxImageDimension2D && image.maxMipLevels == 16 &&
		   image.maxArrayLayers >= 256 && image.sampleCounts == 1,
	   "with the limits of the device");
	gives(vkGetPhysicalDeviceImageFormatProperties(
		      physical, VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_TYPE_2D, VK_IMAGE_TILING_OPTIMAL,
		      VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, 0, &image),
	      VK_ERROR_FORMAT_NOT_SUPPORTED, "nothing is an attachment");
}

/* Writes words of the first row of an image with linear tiling. */
static void write_row(const struct image *i, uint32_t y, const void *words, uint32_t count)
{
	VkImageSubresource which = {i->aspect, 0, 0};
	VkSubresourceLayout layout;
	void *cpu;

	vkGetImageSubresourceLayout(device, i->image, &which, &layout);
	MUST(vkMapMemory(device, i->memory, 0, VK_WHOLE_SIZE, 0, &cpu));
	memcpy((uint8_t *)cpu + layout.offset + y * layout.rowPitch, words, 4 * count);
	vkUnmapMemory(device, i->memory);
}

/* ---- copies ---- */

/* Levels, layers and slices with rows that have gaps in the buffer. */
static void copy_levels(VkFormat format, uint32_t bytes)
{
	VkImageCreateInfo info = image_info(format, 37, 19, 1, 3, 2, VK_IMAGE_USAGE_SAMPLED_BIT);
	VkImageCreateInfo volume = image_info(format, 9, 5, 3, 1, 1, VK_IMAGE_USAGE_SAMPLED_BIT);
	struct image a = image_create(&info, ON_DEVICE), b = image_create(&volume, ON_DEVICE);
	struct memory in = memory_create(65536, ON_HOST), out = memory_create(65536, ON_HOST);
	VkBufferImageCopy first = region(&a, 64, 1, 0, 2, 18, 9, 1);
	VkImageCopy slices = {.srcSubresource = {a.aspect, 1, 0, 2},
			      .srcOffset = {3, 4, 0},
			      .dstSubresource = {a.aspect, 0, 0, 1},
			      .dstOffset = {1, 0, 1},
			      .extent = {7, 5, 2}};
	uint8_t *from = in.cpu, *to = out.cpu;
	VkCommandBuffer c = begin();
	bool right = true;
	uint32_t i;

	for (i = 0; i < 65536; i++)
		from[i] = (uint8_t)(i * 7 + i / 256);
	memset(to, 0x55, 65536);
	first.bufferRowLength = 20;
	first.bufferImageHeight = 11;
	to_general(c, &a, VK_IMAGE_LAYOUT_UNDEFINED);
	to_general(c, &b, VK_IMAGE_LAYOUT_UNDEFINED);
	to_image(c, &in, &a, first);
	barrier(c);
	vkCmdCopyImage(c, a.image, VK_IMAGE_LAYOUT_GENERAL, b.image, VK_IMAGE_LAYOUT_GENERAL, 1,
		       &slices);
	barrier(c);
	to_buffer(c, &a, &out, region(&a, 0, 1, 1, 1, 18, 9, 1));
	slices.extent.depth = 2;
	first = region(&b, 32768, 0, 0, 1, 7, 5, 2);
	first.imageOffset = (VkOffset3D){1, 0, 1};
	to_buffer(c, &b, &out, first);
	barrier(c);
	MUST(finish(c));
	for (i = 0; i < 18 * 9 * bytes; i++) {
		uint32_t x = i % (18 * bytes), y = i / (18 * bytes);

		right &= to[i] == from[64 + ((11 + y) * 20) * bytes + x];
	}
	ok(right && to[18 * 9 * bytes] == 0x55, "%u bytes a texel: a layer of a level comes back",
	   bytes);
	for (right = true, i = 0; i < 7 * 5 * 2 * bytes; i++) {
		uint32_t x = i % (7 * bytes), y = i / (7 * bytes) % 5, z = i / (35 * bytes);

		right &= to[32768 + i] == from[64 + ((11 * z + 4 + y) * 20 + 3) * bytes + x];
	}
	ok(right, "%u bytes a texel: layers become slices", bytes);
	image_destroy(&a);
	image_destroy(&b);
	memory_destroy(&in);
	memory_destroy(&out);
}

static void clears(void)
{
	static const struct {
		VkFormat format;
		VkClearColorValue color;
		uint32_t words[4], bytes;
	} rows[] = {
		{VK_FORMAT_R8G8B8A8_UNORM, {.float32 = {0, 0.2f, 2, 1}}, {0xffff3300}, 4},
		{VK_FORMAT_R16G16_SFLOAT, {.float32 = {1, -0.5f}}, {0xb8003c00}, 4},
		{VK_FORMAT_R16G16_SNORM, {.float32 = {-1, 1}}, {0x7fff8001}, 4},
		{VK_FORMAT_R32G32_SINT, {.int32 = {-2, 7}}, {0xfffffffe, 7}, 8},
		{VK_FORMAT_A2B10G10R10_UNORM_PACK32, {.float32 = {1, 0, 0.5f, 1}}, {0xe00003ff}, 4},
		{VK_FORMAT_B10G11R11_UFLOAT_PACK32, {.float32 = {1, 2, 0.5f}}, {0x702003c0}, 4},
		{VK_FORMAT_B8G8R8A8_SRGB, {.float32 = {1, 0.5f, 0.001f, 0.5f}}, {0x80ffbc03}, 4},
		{VK_FORMAT_B8G8R8A8_UNORM, {.float32 = {1, 0.2f, 0, 1}}, {0xffff3300}, 4},
	};
	struct memory out = memory_create(4096, ON_HOST);
	uint32_t i;

	for (i = 0; i < COUNT(rows); i++) {
		VkImageCreateInfo info =
			image_info(rows[i].format, 4, 4, 1, 2, 2, VK_IMAGE_USAGE_SAMPLED_BIT);
		struct image a = image_create(&info, ON_DEVICE);
		VkImageSubresourceRange level = {a.aspect, 1, VK_REMAINING_MIP_LEVELS, 0,
						 VK_REMAINING_ARRAY_LAYERS};
		VkCommandBuffer c = begin();

		to_general(c, &a, VK_IMAGE_LAYOUT_UNDEFINED);
		vkCmdClearColorImage(c, a.image, VK_IMAGE_LAYOUT_GENERAL, &rows[i].color, 1,
				     &level);
		barrier(c);
		to_buffer(c, &a, &out, region(&a, 0, 1, 1, 1, 2, 2, 1));
		barrier(c);
		MUST(finish(c));
		ok(!memcmp(out.cpu, rows[i].words, rows[i].bytes) &&
			   !memcmp((uint8_t *)out.cpu + 3 * rows[i].bytes, rows[i].words,
				   rows[i].bytes),
		   "format %d is cleared", rows[i].format);
		image_destroy(&a);
	}
	memory_destroy(&out);
}

static void linear_tiling(void)
{
	VkImageCreateInfo info =
		image_info(VK_FORMAT_R32_UINT, 5, 3, 1, 1, 1, VK_IMAGE_USAGE_SAMPLED_BIT);
	static const uint32_t rows[3][5] = {
		{1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}, {11, 12, 13, 14, 15}};
	struct memory out = memory_create(4096, ON_HOST);
	VkCommandBuffer c = begin();
	struct image a;
	uint32_t y;

	info.tiling = VK_IMAGE_TILING_LINEAR;
	info.initialLayout = VK_IMAGE_LAYOUT_PREINITIALIZED;
	a = image_create(&info, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT);
	for (y = 0; y < 3; y++)
		write_row(&a, y, rows[y], 5);
	to_general(c, &a, VK_IMAGE_LAYOUT_PREINITIALIZED);
	to_buffer(c, &a, &out, region(&a, 0, 0, 0, 1, 5, 3, 1));
	barrier(c);
	MUST(finish(c));
	ok(!memcmp(out.cpu, rows, sizeof(rows)), "the host writes rows of linear tiling");
	image_destroy(&a);
	memory_destroy(&out);
}

/* The entry points of later versions. */
static void later_versions(void)
{
	VkImageCreateInfo info =
		image_info(VK_FORMAT_R32_UINT, 4, 2, 1, 1, 1, VK_IMAGE_USAGE_SAMPLED_BIT);
	VkDeviceImageMemoryRequirements which = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_IMAGE_MEMORY_REQUIREMENTS, .pCreateInfo = &info};
	VkImageMemoryRequirementsInfo2 of = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2};
	VkImageSparseMemoryRequirementsInfo2 sparse = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_SPARSE_MEMORY_REQUIREMENTS_INFO_2};
	VkMemoryRequirements2 before = {.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2},
			      after = before;
	VkBindImageMemoryInfo bind = {.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO};
	VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
	VkBufferImageCopy2 in_region = {.sType = VK_STRUCTURE_TYPE_BUFFER_IMAGE_COPY_2,
					.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
					.imageExtent = {4, 2, 1}},
			   out_region = in_region;
	VkImageCopy2 row = {.sType = VK_STRUCTURE_TYPE_IMAGE_COPY_2,
			    .srcSubresource = in_region.imageSubresource,
			    .dstSubresource = in_region.imageSubresource,
			    .extent = {4, 1, 1}};
	VkCopyBufferToImageInfo2 in_info = {.sType = VK_STRUCTURE_TYPE_COPY_BUFFER_TO_IMAGE_INFO_2,
					    .dstImageLayout = VK_IMAGE_LAYOUT_GENERAL,
					    .regionCount = 1,
					    .pRegions = &in_region};
	VkCopyImageInfo2 copy = {.sType = VK_STRUCTURE_TYPE_COPY_IMAGE_INFO_2,
				 .srcImageLayout = VK_IMAGE_LAYOUT_GENERAL,
				 .dstImageLayout = VK_IMAGE_LAYOUT_GENERAL,
				 .regionCount = 1,
				 .pRegions = &row};
	VkCopyImageToBufferInfo2 out_info = {.sType = VK_STRUCTURE_TYPE_COPY_IMAGE_TO_BUFFER_INFO_2,
					     .srcImageLayout = VK_IMAGE_LAYOUT_GENERAL,
					     .regionCount = 1,
					     .pRegions = &out_region};
	struct memory m = memory_create(4096, ON_HOST);
	struct image a = {.aspect = VK_IMAGE_ASPECT_COLOR_BIT};
	struct image b = image_create(&info, ON_DEVICE);
	uint32_t *words = m.cpu, i, count = queue_count > 1 ? 7 : 0;
	VkCommandBuffer c = begin();

	MUST(vkCreateImage(device, &info, NULL, &a.image));
	of.image = sparse.image = bind.image = in_info.dstImage = copy.srcImage = a.image;
	vkGetDeviceImageMemoryRequirements(device, &which, &before);
	vkGetImageMemoryRequirements2(device, &of, &after);
	ok(before.memoryRequirements.size == after.memoryRequirements.size &&
		   before.memoryRequirements.alignment == after.memoryRequirements.alignment,
	   "the memory that an image needs is known before there is one");
	vkGetImageSparseMemoryRequirements2(device, &sparse, &count, NULL);
	ok(!count, "no image is sparse");
	allocate.allocationSize = after.memoryRequirements.size;
	allocate.memoryTypeIndex = memory_type(after.memoryRequirements.memoryTypeBits, ON_DEVICE);
	MUST(vkAllocateMemory(device, &allocate, NULL, &a.memory));
	bind.memory = a.memory;
	MUST(vkBindImageMemory2(device, 1, &bind));
	for (i = 0; i < 8; i++)
		words[i] = 50 + i;
	in_info.srcBuffer = out_info.dstBuffer = m.buffer;
	copy.dstImage = out_info.srcImage = b.image;
	row.dstOffset.y = 1;
	out_region.bufferOffset = 64;
	to_general(c, &a, VK_IMAGE_LAYOUT_UNDEFINED);
	to_general(c, &b, VK_IMAGE_LAYOUT_UNDEFINED);
	vkCmdCopyBufferToImage2(c, &in_info);
	barrier(c);
	vkCmdCopyImage2(c, &copy);
	row.dstOffset.y = 0;
	vkCmdCopyImage2(c, &copy);
	barrier(c);
	vkCmdCopyImageToBuffer2(c, &out_info);
	barrier(c);
	MUST(finish(c));
	ok(!memcmp(words + 16, words, 16) && !memcmp(words + 20, words, 16),
	   "copies of the second version copy rows");
	image_destroy(&a);
	image_destroy(&b);
	memory_destroy(&m);
}

/* ---- the shader images ---- */

static VkSampler sampler_create(VkFilter filter, bool compare)
{
	VkSamplerCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
		.magFilter = filter,
		.minFilter = filter,
		.addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
		.addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
		.addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
		.compareEnable = compare,
		.compareOp = VK_COMPARE_OP_LESS,
		.maxLod = VK_LOD_CLAMP_NONE,
	};
	VkSampler s;

	MUST(vkCreateSampler(device, &info, NULL, &s));
	return s;
}

static VkBufferView buffer_view(const struct memory *m, VkFormat format, uint64_t bytes)
{
	VkBufferViewCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
				       .buffer = m->buffer,
				       .format = format,
				       .range = bytes};
	VkBufferView v;

	MUST(vkCreateBufferView(device, &info, NULL, &v));
	return v;
}

enum { STORED, LEVELS, LAYERS, DEPTHS, VOLUME, CUBE, FACES, IMAGES };
#define BINDINGS 11

struct scene {
	struct image images[IMAGES];
	VkImageView views[IMAGES], second;
	bool linear_depths; /* the depths' tiling: copies of depths need a queue for graphics */
	VkSampler linear, nearest, compare;
	struct memory in, out, texels, counters;
	VkBufferView texel_view, counter_view;
	VkDescriptorSetLayout set_layout;
	VkPipelineLayout layout;
	VkPipeline pipeline;
	VkDescriptorPool descriptors;
	VkDescriptorSet set;
};

static const VkDescriptorType types[BINDINGS] = {
	VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,          VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
	VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,          VK_DESCRIPTOR_TYPE_SAMPLER,
	VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,   VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
	VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
	VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
	VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};

static void make_images(struct scene *s)
{
	const VkImageUsageFlags sampled = VK_IMAGE_USAGE_SAMPLED_BIT,
				storage = VK_IMAGE_USAGE_STORAGE_BIT;
	VkImageCreateInfo infos[IMAGES] = {
		[STORED] = image_info(VK_FORMAT_R32_SFLOAT, 8, 2, 1, 1, 1, storage),
		[LEVELS] = image_info(VK_FORMAT_R8G8B8A8_UNORM, 4, 4, 1, 3, 1, sampled),
		[LAYERS] = image_info(VK_FORMAT_R32G32_SFLOAT, 2, 2, 1, 1, 3, sampled),
		[DEPTHS] = image_info(VK_FORMAT_D32_SFLOAT, 2, 1, 1, 1, 1, sampled),
		[VOLUME] = image_info(VK_FORMAT_R8G8B8A8_UNORM, 8, 1, 2, 1, 1, storage),
		[CUBE] = image_info(VK_FORMAT_R8_UNORM, 2, 2, 1, 1, 6, sampled),
		[FACES] = image_info(VK_FORMAT_R8G8B8A8_UNORM, 2, 2, 1, 1, 6, storage),
	};
	static const VkImageViewType view_types[IMAGES] = {
		[STORED] = VK_IMAGE_VIEW_TYPE_2D,       [LEVELS] = VK_IMAGE_VIEW_TYPE_2D,
		[LAYERS] = VK_IMAGE_VIEW_TYPE_2D_ARRAY, [DEPTHS] = VK_IMAGE_VIEW_TYPE_2D,
		[VOLUME] = VK_IMAGE_VIEW_TYPE_3D,       [CUBE] = VK_IMAGE_VIEW_TYPE_CUBE,
		[FACES] = VK_IMAGE_VIEW_TYPE_CUBE};
	const VkComponentMapping swapped = {VK_COMPONENT_SWIZZLE_G, VK_COMPONENT_SWIZZLE_R,
					    VK_COMPONENT_SWIZZLE_ONE, VK_COMPONENT_SWIZZLE_ZERO};
	VkImageFormatProperties unused;
	uint32_t i;

	s->linear_depths = !vkGetPhysicalDeviceImageFormatProperties(
		physical, VK_FORMAT_D32_SFLOAT, VK_IMAGE_TYPE_2D, VK_IMAGE_TILING_LINEAR, sampled,
		0, &unused);
	if (s->linear_depths) {
		infos[DEPTHS].tiling = VK_IMAGE_TILING_LINEAR;
		infos[DEPTHS].initialLayout = VK_IMAGE_LAYOUT_PREINITIALIZED;
	}
	for (i = 0; i < IMAGES; i++) {
		s->images[i] = image_create(&infos[i], i == DEPTHS && s->linear_depths
							       ? VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT
							       : ON_DEVICE);
		s->views[i] =
			view_create(&s->images[i], view_types[i], infos[i].format, 0,
				    VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS, same);
	}
	s->second = view_create(&s->images[LAYERS], VK_IMAGE_VIEW_TYPE_2D_ARRAY,
				VK_FORMAT_R32G32_SFLOAT, 0, 1, 1, 2, swapped);
}

static VkPipeline pipeline_create(VkPipelineLayout layout, const char *path)
{
	VkComputePipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		.stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
			  .pName = "main"},
		.layout = layout};
	static uint32_t code[4096];
	VkShaderModuleCreateInfo shader = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
					   .pCode = code};
	FILE *f = fopen(path, "rb");
	VkPipeline p;

	if (!ok(f, "%s is there", path))
		exit(tap_done());
	shader.codeSize = fread(code, 1, sizeof(code), f);
	fclose(f);
	MUST(vkCreateShaderModule(device, &shader, NULL, &info.stage.module));
	MUST(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &p));
	vkDestroyShaderModule(device, info.stage.module, NULL);
	return p;
}

static void make_program(struct scene *s)
{
	VkDescriptorSetLayoutBinding bindings[BINDINGS];
	VkDescriptorSetLayoutCreateInfo set_info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
		.bindingCount = BINDINGS,
		.pBindings = bindings};
	VkPipelineLayoutCreateInfo layout_info = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
		.setLayoutCount = 1,
		.pSetLayouts = &s->set_layout};
	uint32_t i;

	for (i = 0; i < BINDINGS; i++)
		bindings[i] = (VkDescriptorSetLayoutBinding){i, types[i], i == 2 ? 2 : 1,
							     VK_SHADER_STAGE_COMPUTE_BIT, NULL};
	bindings[3].pImmutableSamplers = &s->nearest;
	MUST(vkCreateDescriptorSetLayout(device, &set_info, NULL, &s->set_layout));
	MUST(vkCreatePipelineLayout(device, &layout_info, NULL, &s->layout));
	s->pipeline = pipeline_create(s->layout, "tests/userspace/vulkan/shaders/images.spv");
}

static void make_set(struct scene *s)
{
	VkDescriptorPoolSize sizes[BINDINGS];
	VkDescriptorPoolCreateInfo pool_info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
		.maxSets = 1,
		.poolSizeCount = BINDINGS,
		.pPoolSizes = sizes};
	VkDescriptorSetAllocateInfo allocate = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
		.descriptorSetCount = 1,
		.pSetLayouts = &s->set_layout};
	const VkImageLayout general = VK_IMAGE_LAYOUT_GENERAL;
	const VkDescriptorImageInfo images[BINDINGS] = {
		[0] = {VK_NULL_HANDLE, s->views[STORED], general},
		[1] = {s->linear, s->views[LEVELS], general},
		[6] = {s->compare, s->views[DEPTHS], general},
		[7] = {VK_NULL_HANDLE, s->views[VOLUME], general},
		[8] = {s->nearest, s->views[CUBE], general},
		[9] = {VK_NULL_HANDLE, s->views[FACES], general},
	};
	const VkDescriptorImageInfo layers[2] = {{VK_NULL_HANDLE, s->views[LAYERS], general},
						 {VK_NULL_HANDLE, s->second, general}};
	const VkDescriptorBufferInfo out = {s->out.buffer, 0, VK_WHOLE_SIZE};
	uint32_t i;

	for (i = 0; i < BINDINGS; i++)
		sizes[i] = (VkDescriptorPoolSize){types[i], i == 2 ? 2 : 1};
	MUST(vkCreateDescriptorPool(device, &pool_info, NULL, &s->descriptors));
	allocate.descriptorPool = s->descriptors;
	MUST(vkAllocateDescriptorSets(device, &allocate, &s->set));
	for (i = 0; i < BINDINGS; i++) {
		VkWriteDescriptorSet w = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
					  .dstSet = s->set,
					  .dstBinding = i,
					  .descriptorCount = i == 2 ? 2 : 1,
					  .descriptorType = types[i],
					  .pImageInfo = i == 2 ? layers : &images[i],
					  .pBufferInfo = &out,
					  .pTexelBufferView =
						  i == 4 ? &s->texel_view : &s->counter_view};

		if (i != 3) /* its sampler is the layout's */
			vkUpdateDescriptorSets(device, 1, &w, 0, NULL);
	}
}

static void fill_images(VkCommandBuffer c, struct scene *s)
{
	static const uint32_t level1[4] = {0xff996633, 0xff996633, 0xff996633, 0xff996633};
	static const float depths[2] = {0.25f, 0.75f};
	static const uint16_t halves[8] = {0, 0, 0, 0, 0, 0, 0x3c00, 0xc000}; /* 1, -2 */
	uint8_t *in = s->in.cpu;
	uint32_t i;

	for (i = 0; i < 16; i++)
		((float *)(void *)in)[i] = (float)i + 1;
	for (i = 0; i < 24; i++)
		((float *)(void *)(in + 64))[i] = (float)i;
	memcpy(in + 256, level1, sizeof(level1));
	memcpy(in + 512, depths, sizeof(depths));
	memcpy(s->texels.cpu, halves, sizeof(halves));
	for (i = 0; i < IMAGES; i++)
		to_general(c, &s->images[i],
			   i == DEPTHS && s->linear_depths ? VK_IMAGE_LAYOUT_PREINITIALIZED
							   : VK_IMAGE_LAYOUT_UNDEFINED);
	if (s->linear_depths)
		write_row(&s->images[DEPTHS], 0, depths, 2);
	else
		to_image(c, &s->in, &s->images[DEPTHS],
			 region(&s->images[DEPTHS], 512, 0, 0, 1, 2, 1, 1));
	to_image(c, &s->in, &s->images[STORED], region(&s->images[STORED], 0, 0, 0, 1, 8, 2, 1));
	to_image(c, &s->in, &s->images[LAYERS], region(&s->images[LAYERS], 64, 0, 0, 3, 2, 2, 1));
	to_image(c, &s->in, &s->images[LEVELS], region(&s->images[LEVELS], 256, 1, 0, 1, 2, 2, 1));
	for (i = 0; i < 6; i++) {
		VkImageSubresourceRange face = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, i, 1};
		VkClearColorValue color = {.float32 = {(float)i / 5}};

		vkCmdClearColorImage(c, s->images[CUBE].image, VK_IMAGE_LAYOUT_GENERAL, &color, 1,
				     &face);
	}
	vkCmdFillBuffer(c, s->counters.buffer, 0, 16, 100);
}

static bool is_vector(const struct scene *s, uint32_t k, float x, float y, float z, float w)
{
	const float *got = (const float *)s->out.cpu + 4 * k, want[4] = {x, y, z, w};
	uint32_t i;

	for (i = 0; i < 4; i++)
		if (!(got[i] - want[i] < 1e-6f && want[i] - got[i] < 1e-6f)) {
			diag("vector %u, component %u is %g, want %g", k, i, (double)got[i],
			     (double)want[i]);
			return false;
		}
	return true;
}

static void check_scene(const struct scene *s)
{
	const float *row = (const float *)((uint8_t *)s->out.cpu + 1024);
	const uint32_t *volume = (const uint32_t *)s->out.cpu + 512, *faces = volume + 64;
	const uint32_t *counters = s->counters.cpu;
	bool right = true;
	uint32_t i;

	ok(is_vector(s, 0, 0.2f, 0.4f, 0.6f, 1), "a combined image is read at a level");
	ok(is_vector(s, 1, 17, 16, 1, 0),
	   "an element of an array of views is read at a layer, with a swizzle, by the layout's "
	   "sampler");
	ok(is_vector(s, 2, 1, -2, 4, 4), "texel buffers are read and have sizes");
	ok(is_vector(s, 3, 0, 1, 8, 2), "depths are compared");
	ok(is_vector(s, 4, 1, 0, 0, 1), "the face of a cube is read");
	ok(is_vector(s, 5, 2, 2, 3, 3), "views have sizes, layers and levels");
	ok(is_vector(s, 6, 9, 8, 1, 0), "a texel is fetched");
	ok(is_vector(s, 7, 8, 1, 2, 0), "loads beyond a storage image are 0");
	for (i = 0; i < 8; i++)
		right &= row[i] == 2 * (float)(i + 1);
	ok(right, "a storage image is loaded and stored");
	for (right = true, i = 0; i < 8; i++)
		right &= (volume[i] & 0xffffff00) == 0x4000ff00 && (volume[i] & 255) >= 127 &&
			 (volume[i] & 255) <= 128;
	ok(right, "a volume is stored without a format in the shader");
	ok(faces[0] == 0 && faces[2] == 0xffffffff, "a face of a cube is stored");
	for (right = true, i = 0; i < 4; i++)
		right &= counters[i] == 100 + i + (i + 4);
	ok(right, "atomics change texels of a buffer");
}

/* Views that differ between the invocations of a subgroup. */
static void own_views(const struct scene *s)
{
	VkPipeline p = pipeline_create(s->layout, "tests/userspace/vulkan/shaders/views.spv");
	VkCommandBuffer c = begin();
	bool right = true;
	uint32_t i;

	vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, p);
	vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, s->layout, 0, 1, &s->set, 0,
				NULL);
	vkCmdDispatch(c, 1, 1, 1);
	barrier(c);
	MUST(finish(c));
	for (i = 0; i < 8; i++)
		right &= i & 1 ? is_vector(s, 8 + i, i < 4 ? 9 : 11, i < 4 ? 8 : 10, 1, 0)
			       : is_vector(s, 8 + i, i < 4 ? 0 : 2, i < 4 ? 1 : 3, 0, 1);
	ok(right, "each invocation reads its own view");
	vkDestroyPipeline(device, p, NULL);
}

/* Writes null descriptors, by an update template, and runs the shader again. */
static void null_descriptors(struct scene *s)
{
	VkDescriptorUpdateTemplateEntry entries[BINDINGS];
	VkDescriptorUpdateTemplateCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO,
		.pDescriptorUpdateEntries = entries,
		.descriptorSetLayout = s->set_layout};
	struct {
		VkDescriptorImageInfo images[2];
		VkBufferView view;
	} data = {.images = {{s->linear, VK_NULL_HANDLE, VK_IMAGE_LAYOUT_GENERAL},
			     {s->linear, VK_NULL_HANDLE, VK_IMAGE_LAYOUT_GENERAL}}};
	VkDescriptorUpdateTemplate t;
	VkCommandBuffer c;
	bool right = true;
	uint32_t i;

	for (i = 0; i + 1 < BINDINGS; i++)
		if (i != 3)
			entries[info.descriptorUpdateEntryCount++] =
				(VkDescriptorUpdateTemplateEntry){
					.dstBinding = i,
					.descriptorCount = i == 2 ? 2 : 1,
					.descriptorType = types[i],
					.offset = i == 4 || i == 5 ? sizeof(data.images) : 0,
					.stride = sizeof(data.images[0]),
				};
	MUST(vkCreateDescriptorUpdateTemplate(device, &info, NULL, &t));
	vkUpdateDescriptorSetWithTemplate(device, s->set, t, &data);
	vkDestroyDescriptorUpdateTemplate(device, t, NULL);
	c = begin();
	vkCmdFillBuffer(c, s->out.buffer, 0, VK_WHOLE_SIZE, 0x3f800000);
	barrier(c);
	vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, s->pipeline);
	vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, s->layout, 0, 1, &s->set, 0,
				NULL);
	vkCmdDispatch(c, 1, 1, 1);
	barrier(c);
	gives(finish(c), VK_SUCCESS, "the shader runs with null descriptors");
	for (i = 0; i < 32; i++)
		right &= ((const float *)s->out.cpu)[i] == 0;
	ok(right, "null images and texel buffers read 0, and have no size");
}

static void scene_destroy(struct scene *s)
{
	uint32_t i;

	for (i = 0; i < IMAGES; i++) {
		vkDestroyImageView(device, s->views[i], NULL);
		image_destroy(&s->images[i]);
	}
	vkDestroyImageView(device, s->second, NULL);
	vkDestroySampler(device, s->linear, NULL);
	vkDestroySampler(device, s->nearest, NULL);
	vkDestroySampler(device, s->compare, NULL);
	vkDestroyBufferView(device, s->texel_view, NULL);
	vkDestroyBufferView(device, s->counter_view, NULL);
	vkDestroyDescriptorPool(device, s->descriptors, NULL);
	vkDestroyPipeline(device, s->pipeline, NULL);
	vkDestroyPipelineLayout(device, s->layout, NULL);
	vkDestroyDescriptorSetLayout(device, s->set_layout, NULL);
	memory_destroy(&s->in);
	memory_destroy(&s->out);
	memory_destroy(&s->texels);
	memory_destroy(&s->counters);
}

static void scene(void)
{
	struct scene s = {0};
	VkCommandBuffer c = begin();

	make_images(&s);
	s.linear = sampler_create(VK_FILTER_LINEAR, false);
	s.nearest = sampler_create(VK_FILTER_NEAREST, false);
	s.compare = sampler_create(VK_FILTER_NEAREST, true);
	s.in = memory_create(4096, ON_HOST);
	s.out = memory_create(4096, ON_HOST);
	s.texels = memory_create(256, ON_HOST);
	s.counters = memory_create(256, MAPPED_DEVICE);
	s.texel_view = buffer_view(&s.texels, VK_FORMAT_R16G16_SFLOAT, 16);
	s.counter_view = buffer_view(&s.counters, VK_FORMAT_R32_UINT, 16);
	make_program(&s);
	make_set(&s);
	fill_images(c, &s);
	barrier(c);
	vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, s.pipeline);
	vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, s.layout, 0, 1, &s.set, 0, NULL);
	vkCmdDispatch(c, 1, 1, 1);
	barrier(c);
	to_buffer(c, &s.images[STORED], &s.out,
		  (VkBufferImageCopy){.bufferOffset = 1024,
				      .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
				      .imageOffset = {0, 1, 0},
				      .imageExtent = {8, 1, 1}});
	to_buffer(c, &s.images[VOLUME], &s.out,
		  (VkBufferImageCopy){.bufferOffset = 2048,
				      .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
				      .imageOffset = {0, 0, 1},
				      .imageExtent = {8, 1, 1}});
	to_buffer(c, &s.images[FACES], &s.out, region(&s.images[FACES], 2304, 0, 5, 1, 2, 2, 1));
	barrier(c);
	gives(finish(c), VK_SUCCESS, "the shader runs");
	check_scene(&s);
	if (queue_count > 1) {
		own_views(&s);
		null_descriptors(&s);
	}
	scene_destroy(&s);
}

int main(void)
{
	if (getenv("TEST_VULKAN_OTHER")) {
		queue_count = 1;
		open_instance();
		MUST(create_device(NULL, 0, NULL, &device));
		vkGetDeviceQueue(device, 0, 0, &queues[0]);
	} else {
		open_device();
		formats();
	}
	copy_levels(VK_FORMAT_R8_UINT, 1);
	copy_levels(VK_FORMAT_R16_SFLOAT, 2);
	copy_levels(VK_FORMAT_R8G8B8A8_UNORM, 4);
	copy_levels(VK_FORMAT_R16G16B16A16_UINT, 8);
	copy_levels(VK_FORMAT_R32G32B32A32_SFLOAT, 16);
	clears();
	linear_tiling();
	later_versions();
	scene();
	return close_device();
}
