// SPDX-License-Identifier: MIT
/*
 * Properties and limits of a physical device. The structures of core versions are filled from the
 * library's properties; those of extensions and of parts of a version are copied from them, as a
 * table says. Limits of what a compute device does not have are 0.
 */
#include <stdio.h>
#include <unistd.h>
#include "libsov/vulkan/driver.h"

#define MAX_DESCRIPTORS 1048576u /* of one kind, in a set or a stage */
#define MAX_SAMPLERS    4000u    /* of the 4095 textures of a context */
#define COMPUTE         VK_SHADER_STAGE_COMPUTE_BIT

static uint32_t at_least_one(uint32_t x)
{
	return x ? x : 1;
}

static void limits_fill(const sov_device_properties *s, VkPhysicalDeviceLimits *l)
{
	uint32_t i;

	*l = (VkPhysicalDeviceLimits){
		.maxImageDimension1D = MAX_IMAGE_SIZE,
		.maxImageDimension2D = MAX_IMAGE_SIZE,
		.maxImageDimension3D = MAX_IMAGE_DEPTH,
		.maxImageDimensionCube = MAX_IMAGE_SIZE,
		.maxImageArrayLayers = MAX_IMAGE_LAYERS,
		.maxTexelBufferElements = MAX_TEXEL_ELEMENTS,
		.maxUniformBufferRange = UINT32_MAX,
		.maxStorageBufferRange = UINT32_MAX,
		.maxPushConstantsSize = MAX_PUSH_CONSTANTS,
		.maxMemoryAllocationCount = 1u << 20,
		.maxSamplerAllocationCount = MAX_SAMPLERS,
		.bufferImageGranularity = 1,
		.maxBoundDescriptorSets = MAX_SETS,
		.maxPerStageDescriptorUniformBuffers = MAX_DESCRIPTORS,
		.maxPerStageDescriptorStorageBuffers = MAX_DESCRIPTORS,
		.maxPerStageDescriptorSamplers = MAX_DESCRIPTORS,
		.maxPerStageDescriptorSampledImages = MAX_DESCRIPTORS,
		.maxPerStageDescriptorStorageImages = MAX_DESCRIPTORS,
		.maxPerStageResources = MAX_DESCRIPTORS,
		.maxDescriptorSetUniformBuffers = MAX_DESCRIPTORS,
		.maxDescriptorSetUniformBuffersDynamic = 64,
		.maxDescriptorSetStorageBuffers = MAX_DESCRIPTORS,
		.maxDescriptorSetStorageBuffersDynamic = 64,
		.maxDescriptorSetSamplers = MAX_DESCRIPTORS,
		.maxDescriptorSetSampledImages = MAX_DESCRIPTORS,
		.maxDescriptorSetStorageImages = MAX_DESCRIPTORS,
		.maxComputeSharedMemorySize = s->max_shared_per_block,
		.maxComputeWorkGroupInvocations = s->max_threads_per_block,
		.minMemoryMapAlignment = 4096,
		.minTexelBufferOffsetAlignment = 16,
		.minUniformBufferOffsetAlignment = BUFFER_ALIGNMENT,
		.minStorageBufferOffsetAlignment = 16,
		.mipmapPrecisionBits = 8,
		.subTexelPrecisionBits = 8,
		.maxSamplerLodBias = 15.99609375f,
		.maxSamplerAnisotropy = 1,
		.minTexelOffset = -8,
		.maxTexelOffset = 7,
		.minTexelGatherOffset = -32,
		.maxTexelGatherOffset = 31,
		.sampledImageColorSampleCounts = VK_SAMPLE_COUNT_1_BIT,
		.sampledImageIntegerSampleCounts = VK_SAMPLE_COUNT_1_BIT,
		.sampledImageDepthSampleCounts = VK_SAMPLE_COUNT_1_BIT,
		.storageImageSampleCounts = VK_SAMPLE_COUNT_1_BIT,
		.timestampComputeAndGraphics = VK_TRUE,
		.timestampPeriod = 1, /* the library's times are nanoseconds */
		.discreteQueuePriorities = 2,
		.strictLines = VK_TRUE,
		.optimalBufferCopyOffsetAlignment = 16,
		.optimalBufferCopyRowPitchAlignment = 16,
		.nonCoherentAtomSize = 64,
	};
	for (i = 0; i < 3; i++) {
		l->maxComputeWorkGroupCount[i] = at_least_one(s->max_grid[i]);
		l->maxComputeWorkGroupSize[i] = at_least_one(s->max_block[i]);
	}
}

/* The ids of PCI's list for the vendor of the compilation target. */
static uint32_t vendor_id(const sov_device_properties *s)
{
	return !strncmp(s->target, "sm_", 3) ? 0x10de : 0x1002;
}

bool has_matrix_units(VkPhysicalDevice p)
{
	return vendor_id(&p->properties) == 0x10de;
}

static void device_uuid(const sov_device_properties *s, uint8_t *uuid)
{
	uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */
	char text[160];
	size_t i;

	memset(uuid, 0, VK_UUID_SIZE);
	snprintf(text, sizeof(text), "%s %s %s", s->winsys, s->name, s->product);
	for (i = 0; text[i]; i++)
		hash = (hash ^ (uint8_t)text[i]) * UINT64_C(1099511628211);
	memcpy(uuid, &hash, sizeof(hash));
	memcpy(uuid + sizeof(hash), s->target, 8);
}

static void driver_uuid(uint8_t *uuid)
{
	uint32_t version = sov_version();

	memset(uuid, 0, VK_UUID_SIZE);
	memcpy(uuid, "sovgpu", 6);
	memcpy(uuid + 8, &version, sizeof(version));
}

VkResult physical_device_init(VkPhysicalDevice p, VkInstance instance, uint32_t ordinal)
{
	sov_result r;

	set_loader_magic_value(p);
	p->instance = instance;
	p->properties = SOV_INIT(sov_device_properties);
	r = sov_device_open(ordinal, &p->device);
	if (!r)
		r = sov_device_get_properties(p->device, &p->properties);
	if (r)
		return result_of(r);
	device_uuid(&p->properties, p->uuid);
	pthread_mutex_init(&p->lock, NULL);
	return VK_SUCCESS;
}

void physical_device_finish(VkPhysicalDevice p)
{
	pthread_mutex_destroy(&p->lock);
}

uint64_t host_memory_bytes(void)
{
	return (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
}

VKAPI_ATTR void VKAPI_CALL vkGetPhysicalDeviceProperties(VkPhysicalDevice p,
							 VkPhysicalDeviceProperties *out)
{
	const sov_device_properties *s = &p->properties;
	bool software = s->features & SOV_FEATURE_SOFTWARE;

	memset(out, 0, sizeof(*out));
	out->apiVersion = API_VERSION;
	out->driverVersion = sov_version();
	out->vendorID = vendor_id(s);
	/* The library does not know PCI device ids; this one is the same for the same device. */
	memcpy(&out->deviceID, p->uuid, sizeof(out->deviceID));
	out->deviceType =
		software ? VK_PHYSICAL_DEVICE_TYPE_CPU : VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
	snprintf(out->deviceName, sizeof(out->deviceName), "%s (%s, %s)", s->product, s->name,
		 s->winsys);
	driver_uuid(out->pipelineCacheUUID);
	memcpy(out->pipelineCacheUUID + 12, s->target, 4);
	limits_fill(s, &out->limits);
}

struct all_properties {
	VkPhysicalDeviceVulkan11Properties v11;
	VkPhysicalDeviceVulkan12Properties v12;
	VkPhysicalDeviceVulkan13Properties v13;
	VkPhysicalDeviceRobustness2PropertiesEXT robustness2;
	VkPhysicalDevicePushDescriptorPropertiesKHR push;
	VkPhysicalDeviceExternalMemoryHostPropertiesEXT host;
	VkPhysicalDeviceCooperativeMatrixPropertiesKHR matrices;
};

static void fill_11(VkPhysicalDevice p, VkPhysicalDeviceVulkan11Properties *v)
{
	memcpy(v->deviceUUID, p->uuid, VK_UUID_SIZE);
	driver_uuid(v->driverUUID);
	v->subgroupSize = p->properties.warp_size;
	v->subgroupSupportedStages = COMPUTE;
	v->subgroupSupportedOperations =
		VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_VOTE_BIT |
		VK_SUBGROUP_FEATURE_ARITHMETIC_BIT | VK_SUBGROUP_FEATURE_BALLOT_BIT |
		VK_SUBGROUP_FEATURE_SHUFFLE_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT |
		VK_SUBGROUP_FEATURE_CLUSTERED_BIT | VK_SUBGROUP_FEATURE_QUAD_BIT;
	v->subgroupQuadOperationsInAllStages = VK_FALSE;
	v->maxPerSetDescriptors = MAX_DESCRIPTORS;
	v->maxMemoryAllocationSize = p->properties.memory_bytes;
}

static void fill_12(VkPhysicalDevice p, VkPhysicalDeviceVulkan12Properties *v)
{
	uint32_t version = sov_version();

	/* The registry of driver ids has none for this driver. */
	v->driverID = 0;
	snprintf(v->driverName, sizeof(v->driverName), "sovgpu");
	snprintf(v->driverInfo, sizeof(v->driverInfo), "libsov %u.%u, %s", version >> 16,
		 version & 0xffff, p->properties.driver);
	v->denormBehaviorIndependence = VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL;
	v->roundingModeIndependence = VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL;
	v->shaderSignedZeroInfNanPreserveFloat16 = VK_TRUE;
	v->shaderSignedZeroInfNanPreserveFloat32 = VK_TRUE;
	v->shaderSignedZeroInfNanPreserveFloat64 = VK_TRUE;
	v->shaderDenormPreserveFloat16 = VK_TRUE;
	v->shaderDenormPreserveFloat32 = VK_TRUE;
	v->shaderDenormPreserveFloat64 = VK_TRUE;
	v->shaderDenormFlushToZeroFloat32 = VK_TRUE;
	v->shaderRoundingModeRTEFloat16 = VK_TRUE;
	v->shaderRoundingModeRTEFloat32 = VK_TRUE;
	v->shaderRoundingModeRTEFloat64 = VK_TRUE;
	v->maxUpdateAfterBindDescriptorsInAllPools = MAX_DESCRIPTORS;
	v->shaderUniformBufferArrayNonUniformIndexingNative = VK_TRUE;
	v->shaderStorageBufferArrayNonUniformIndexingNative = VK_TRUE;
	v->robustBufferAccessUpdateAfterBind = VK_TRUE;
	v->maxPerStageDescriptorUpdateAfterBindUniformBuffers = MAX_DESCRIPTORS;
	v->maxPerStageDescriptorUpdateAfterBindStorageBuffers = MAX_DESCRIPTORS;
	v->maxPerStageDescriptorUpdateAfterBindSamplers = MAX_DESCRIPTORS;
	v->maxPerStageDescriptorUpdateAfterBindSampledImages = MAX_DESCRIPTORS;
	v->maxPerStageDescriptorUpdateAfterBindStorageImages = MAX_DESCRIPTORS;
	v->maxPerStageUpdateAfterBindResources = MAX_DESCRIPTORS;
	v->maxDescriptorSetUpdateAfterBindSamplers = MAX_DESCRIPTORS;
	v->maxDescriptorSetUpdateAfterBindSampledImages = MAX_DESCRIPTORS;
	v->maxDescriptorSetUpdateAfterBindStorageImages = MAX_DESCRIPTORS;
	v->maxDescriptorSetUpdateAfterBindUniformBuffers = MAX_DESCRIPTORS;
	v->maxDescriptorSetUpdateAfterBindUniformBuffersDynamic = 64;
	v->maxDescriptorSetUpdateAfterBindStorageBuffers = MAX_DESCRIPTORS;
	v->maxDescriptorSetUpdateAfterBindStorageBuffersDynamic = 64;
	v->maxTimelineSemaphoreValueDifference = UINT64_MAX;
}

static void fill_13(VkPhysicalDevice p, VkPhysicalDeviceVulkan13Properties *v)
{
	const sov_device_properties *s = &p->properties;

	v->minSubgroupSize = s->warp_size;
	v->maxSubgroupSize = s->warp_size;
	v->maxComputeWorkgroupSubgroups = s->max_threads_per_block / s->warp_size;
	v->requiredSubgroupSizeStages = COMPUTE;
	v->maxInlineUniformBlockSize = 4096;
	v->maxPerStageDescriptorInlineUniformBlocks = 64;
	v->maxPerStageDescriptorUpdateAfterBindInlineUniformBlocks = 64;
	v->maxDescriptorSetInlineUniformBlocks = 64;
	v->maxDescriptorSetUpdateAfterBindInlineUniformBlocks = 64;
	v->maxInlineUniformTotalSize = 64 * 4096;
	v->maxBufferSize = s->memory_bytes;
}

/* The members from first on of a structure, which another one has after its header. */
struct property_group {
	VkStructureType type;
	size_t offset, bytes;
};

static const struct property_group groups[] = {
#define TYPE(name) VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##name
#define AT(part, member) \
	(offsetof(struct all_properties, part) + \
	 offsetof(__typeof__(((struct all_properties *)0)->part), member))
#define SIZE(part, member) sizeof(((struct all_properties *)0)->part.member)
#define GROUP(type, part, first, last) \
	{TYPE(type), AT(part, first), AT(part, last) + SIZE(part, last) - AT(part, first)}
	GROUP(VULKAN_1_1_PROPERTIES, v11, deviceUUID, maxMemoryAllocationSize),
	GROUP(VULKAN_1_2_PROPERTIES, v12, driverID, framebufferIntegerColorSampleCounts),
	GROUP(VULKAN_1_3_PROPERTIES, v13, minSubgroupSize, maxBufferSize),
	GROUP(ID_PROPERTIES, v11, deviceUUID, deviceLUIDValid),
	GROUP(SUBGROUP_PROPERTIES, v11, subgroupSize, subgroupQuadOperationsInAllStages),
	GROUP(POINT_CLIPPING_PROPERTIES, v11, pointClippingBehavior, pointClippingBehavior),
	GROUP(MULTIVIEW_PROPERTIES, v11, maxMultiviewViewCount, maxMultiviewInstanceIndex),
	GROUP(PROTECTED_MEMORY_PROPERTIES, v11, protectedNoFault, protectedNoFault),
	GROUP(MAINTENANCE_3_PROPERTIES, v11, maxPerSetDescriptors, maxMemoryAllocationSize),
	GROUP(DRIVER_PROPERTIES, v12, driverID, conformanceVersion),
	GROUP(FLOAT_CONTROLS_PROPERTIES, v12, denormBehaviorIndependence,
	      shaderRoundingModeRTZFloat64),
	GROUP(DESCRIPTOR_INDEXING_PROPERTIES, v12, maxUpdateAfterBindDescriptorsInAllPools,
	      maxDescriptorSetUpdateAfterBindInputAttachments),
	GROUP(DEPTH_STENCIL_RESOLVE_PROPERTIES, v12, supportedDepthResolveModes,
	      independentResolve),
	GROUP(SAMPLER_FILTER_MINMAX_PROPERTIES, v12, filterMinmaxSingleComponentFormats,
	      filterMinmaxImageComponentMapping),
	GROUP(TIMELINE_SEMAPHORE_PROPERTIES, v12, maxTimelineSemaphoreValueDifference,
	      maxTimelineSemaphoreValueDifference),
	GROUP(SUBGROUP_SIZE_CONTROL_PROPERTIES, v13, minSubgroupSize, requiredSubgroupSizeStages),
	GROUP(INLINE_UNIFORM_BLOCK_PROPERTIES, v13, maxInlineUniformBlockSize,
	      maxDescriptorSetUpdateAfterBindInlineUniformBlocks),
	GROUP(SHADER_INTEGER_DOT_PRODUCT_PROPERTIES, v13, integerDotProduct8BitUnsignedAccelerated,
	      integerDotProductAccumulatingSaturating64BitMixedSignednessAccelerated),
	GROUP(TEXEL_BUFFER_ALIGNMENT_PROPERTIES, v13, storageTexelBufferOffsetAlignmentBytes,
	      uniformTexelBufferOffsetSingleTexelAlignment),
	GROUP(MAINTENANCE_4_PROPERTIES, v13, maxBufferSize, maxBufferSize),
	GROUP(ROBUSTNESS_2_PROPERTIES_EXT, robustness2, robustStorageBufferAccessSizeAlignment,
	      robustUniformBufferAccessSizeAlignment),
	GROUP(PUSH_DESCRIPTOR_PROPERTIES_KHR, push, maxPushDescriptors, maxPushDescriptors),
	GROUP(EXTERNAL_MEMORY_HOST_PROPERTIES_EXT, host, minImportedHostPointerAlignment,
	      minImportedHostPointerAlignment),
	GROUP(COOPERATIVE_MATRIX_PROPERTIES_KHR, matrices, cooperativeMatrixSupportedStages,
	      cooperativeMatrixSupportedStages),
#undef GROUP
};

static void group_copy(const struct all_properties *all, VkBaseOutStructure *to)
{
	uint32_t i;

	for (i = 0; i < COUNT(groups); i++)
		if (groups[i].type == to->sType)
			memcpy(to + 1, (const uint8_t *)all + groups[i].offset, groups[i].bytes);
}

VKAPI_ATTR void VKAPI_CALL vkGetPhysicalDeviceProperties2(VkPhysicalDevice p,
							  VkPhysicalDeviceProperties2 *out)
{
	struct all_properties all = {
		.robustness2 = {.robustStorageBufferAccessSizeAlignment = 1,
				.robustUniformBufferAccessSizeAlignment = 1},
		.push = {.maxPushDescriptors = 32},
		.host = {.minImportedHostPointerAlignment = (VkDeviceSize)sysconf(_SC_PAGESIZE)},
		.matrices = {.cooperativeMatrixSupportedStages = COMPUTE},
	};
	VkBaseOutStructure *s;

	vkGetPhysicalDeviceProperties(p, &out->properties);
	fill_11(p, &all.v11);
	fill_12(p, &all.v12);
	fill_13(p, &all.v13);
	for (s = out->pNext; s; s = s->pNext)
		group_copy(&all, s);
}
