// SPDX-License-Identifier: MIT
/*
 * Extensions and features. They are those of the driver and of the SPIR-V front end, the same for
 * every device. A structure that an extension or a feature group has of its own is a part of one of
 * the structures of core versions, so a table says where each part lies.
 */
#include "libsov/vulkan/driver.h"

#define EXTENSION(name) {VK_##name##_EXTENSION_NAME, VK_##name##_SPEC_VERSION}

const VkExtensionProperties instance_extensions[] = {
	EXTENSION(EXT_DEBUG_UTILS),
	EXTENSION(KHR_DEVICE_GROUP_CREATION),
	EXTENSION(KHR_EXTERNAL_FENCE_CAPABILITIES),
	EXTENSION(KHR_EXTERNAL_MEMORY_CAPABILITIES),
	EXTENSION(KHR_EXTERNAL_SEMAPHORE_CAPABILITIES),
	EXTENSION(KHR_GET_PHYSICAL_DEVICE_PROPERTIES_2),
};
const uint32_t instance_extension_count = COUNT(instance_extensions);

const VkExtensionProperties device_extensions[] = {
	EXTENSION(EXT_CALIBRATED_TIMESTAMPS),
	EXTENSION(EXT_DESCRIPTOR_INDEXING),
	EXTENSION(EXT_EXTERNAL_MEMORY_HOST),
	EXTENSION(EXT_HOST_QUERY_RESET),
	EXTENSION(EXT_IMAGE_ROBUSTNESS),
	EXTENSION(EXT_INLINE_UNIFORM_BLOCK),
	EXTENSION(EXT_MEMORY_BUDGET),
	EXTENSION(EXT_PIPELINE_CREATION_CACHE_CONTROL),
	EXTENSION(EXT_PIPELINE_CREATION_FEEDBACK),
	EXTENSION(EXT_PRIVATE_DATA),
	EXTENSION(EXT_ROBUSTNESS_2),
	EXTENSION(EXT_SCALAR_BLOCK_LAYOUT),
	EXTENSION(EXT_SHADER_ATOMIC_FLOAT),
	EXTENSION(EXT_SUBGROUP_SIZE_CONTROL),
	EXTENSION(EXT_TOOLING_INFO),
	EXTENSION(KHR_16BIT_STORAGE),
	EXTENSION(KHR_8BIT_STORAGE),
	EXTENSION(KHR_BIND_MEMORY_2),
	EXTENSION(KHR_BUFFER_DEVICE_ADDRESS),
	EXTENSION(KHR_COOPERATIVE_MATRIX),
	EXTENSION(KHR_COPY_COMMANDS_2),
	EXTENSION(KHR_DEDICATED_ALLOCATION),
	EXTENSION(KHR_DESCRIPTOR_UPDATE_TEMPLATE),
	EXTENSION(KHR_DEVICE_GROUP),
	EXTENSION(KHR_DRIVER_PROPERTIES),
	EXTENSION(KHR_EXTERNAL_FENCE),
	EXTENSION(KHR_EXTERNAL_MEMORY),
	EXTENSION(KHR_EXTERNAL_SEMAPHORE),
	EXTENSION(KHR_GET_MEMORY_REQUIREMENTS_2),
	EXTENSION(KHR_MAINTENANCE1),
	EXTENSION(KHR_MAINTENANCE3),
	EXTENSION(KHR_MAINTENANCE_4),
	EXTENSION(KHR_PUSH_DESCRIPTOR),
	EXTENSION(KHR_RELAXED_BLOCK_LAYOUT),
	EXTENSION(KHR_SHADER_ATOMIC_INT64),
	EXTENSION(KHR_SHADER_CLOCK),
	EXTENSION(KHR_SHADER_FLOAT16_INT8),
	EXTENSION(KHR_SHADER_FLOAT_CONTROLS),
	EXTENSION(KHR_SHADER_INTEGER_DOT_PRODUCT),
	EXTENSION(KHR_SHADER_NON_SEMANTIC_INFO),
	EXTENSION(KHR_SHADER_SUBGROUP_EXTENDED_TYPES),
	EXTENSION(KHR_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW),
	EXTENSION(KHR_SPIRV_1_4),
	EXTENSION(KHR_STORAGE_BUFFER_STORAGE_CLASS),
	EXTENSION(KHR_SYNCHRONIZATION_2),
	EXTENSION(KHR_TIMELINE_SEMAPHORE),
	EXTENSION(KHR_UNIFORM_BUFFER_STANDARD_LAYOUT),
	EXTENSION(KHR_VARIABLE_POINTERS),
	EXTENSION(KHR_VULKAN_MEMORY_MODEL),
	EXTENSION(KHR_WORKGROUP_MEMORY_EXPLICIT_LAYOUT),
	EXTENSION(KHR_ZERO_INITIALIZE_WORKGROUP_MEMORY),
};
_Static_assert(COUNT(device_extensions) <= 64, "VkDevice_T has a bit for each");
const uint32_t device_extension_count = COUNT(device_extensions);

bool extension_known(const VkExtensionProperties *list, uint32_t count, const char *name)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		if (!strcmp(list[i].extensionName, name))
			return true;
	return false;
}

/* ---- features ---- */

static const VkPhysicalDeviceFeatures core_features = {
	.robustBufferAccess = VK_TRUE,
	.imageCubeArray = VK_TRUE,
	.shaderImageGatherExtended = VK_TRUE,
	.shaderStorageImageExtendedFormats = VK_TRUE,
	.shaderStorageImageWriteWithoutFormat = VK_TRUE,
	.shaderUniformBufferArrayDynamicIndexing = VK_TRUE,
	.shaderSampledImageArrayDynamicIndexing = VK_TRUE,
	.shaderStorageBufferArrayDynamicIndexing = VK_TRUE,
	.shaderStorageImageArrayDynamicIndexing = VK_TRUE,
	.shaderFloat64 = VK_TRUE,
	.shaderInt64 = VK_TRUE,
	.shaderInt16 = VK_TRUE,
};

static const VkPhysicalDeviceVulkan11Features features11 = {
	.storageBuffer16BitAccess = VK_TRUE,
	.uniformAndStorageBuffer16BitAccess = VK_TRUE,
	.storagePushConstant16 = VK_TRUE,
	.variablePointersStorageBuffer = VK_TRUE,
	.variablePointers = VK_TRUE,
};

static const VkPhysicalDeviceVulkan12Features features12 = {
	.storageBuffer8BitAccess = VK_TRUE,
	.uniformAndStorageBuffer8BitAccess = VK_TRUE,
	.storagePushConstant8 = VK_TRUE,
	.shaderBufferInt64Atomics = VK_TRUE,
	.shaderSharedInt64Atomics = VK_TRUE,
	.shaderFloat16 = VK_TRUE,
	.shaderInt8 = VK_TRUE,
	.descriptorIndexing = VK_TRUE,
	.shaderUniformTexelBufferArrayDynamicIndexing = VK_TRUE,
	.shaderStorageTexelBufferArrayDynamicIndexing = VK_TRUE,
	.shaderUniformBufferArrayNonUniformIndexing = VK_TRUE,
	.shaderSampledImageArrayNonUniformIndexing = VK_TRUE,
	.shaderStorageBufferArrayNonUniformIndexing = VK_TRUE,
	.shaderStorageImageArrayNonUniformIndexing = VK_TRUE,
	.shaderUniformTexelBufferArrayNonUniformIndexing = VK_TRUE,
	.shaderStorageTexelBufferArrayNonUniformIndexing = VK_TRUE,
	.descriptorBindingUniformBufferUpdateAfterBind = VK_TRUE,
	.descriptorBindingSampledImageUpdateAfterBind = VK_TRUE,
	.descriptorBindingStorageImageUpdateAfterBind = VK_TRUE,
	.descriptorBindingStorageBufferUpdateAfterBind = VK_TRUE,
	.descriptorBindingUniformTexelBufferUpdateAfterBind = VK_TRUE,
	.descriptorBindingStorageTexelBufferUpdateAfterBind = VK_TRUE,
	.descriptorBindingUpdateUnusedWhilePending = VK_TRUE,
	.descriptorBindingPartiallyBound = VK_TRUE,
	.descriptorBindingVariableDescriptorCount = VK_TRUE,
	.runtimeDescriptorArray = VK_TRUE,
	.scalarBlockLayout = VK_TRUE,
	.uniformBufferStandardLayout = VK_TRUE,
	.shaderSubgroupExtendedTypes = VK_TRUE,
	.hostQueryReset = VK_TRUE,
	.timelineSemaphore = VK_TRUE,
	.bufferDeviceAddress = VK_TRUE,
	.vulkanMemoryModel = VK_TRUE,
	.vulkanMemoryModelDeviceScope = VK_TRUE,
	.vulkanMemoryModelAvailabilityVisibilityChains = VK_TRUE,
	.subgroupBroadcastDynamicId = VK_TRUE,
};

static const VkPhysicalDeviceVulkan13Features features13 = {
	.robustImageAccess = VK_TRUE,
	.inlineUniformBlock = VK_TRUE,
	.descriptorBindingInlineUniformBlockUpdateAfterBind = VK_TRUE,
	.pipelineCreationCacheControl = VK_TRUE,
	.privateData = VK_TRUE,
	.subgroupSizeControl = VK_TRUE,
	.computeFullSubgroups = VK_TRUE,
	.synchronization2 = VK_TRUE,
	.shaderZeroInitializeWorkgroupMemory = VK_TRUE,
	.shaderIntegerDotProduct = VK_TRUE,
	.maintenance4 = VK_TRUE,
};

static const VkPhysicalDeviceRobustness2FeaturesEXT robustness2 = {
	.robustBufferAccess2 = VK_TRUE,
	.nullDescriptor = VK_TRUE,
};

static const VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomic_float = {
	.shaderBufferFloat32Atomics = VK_TRUE,
	.shaderBufferFloat32AtomicAdd = VK_TRUE,
	.shaderBufferFloat64Atomics = VK_TRUE,
	.shaderBufferFloat64AtomicAdd = VK_TRUE,
	.shaderSharedFloat32Atomics = VK_TRUE,
	.shaderSharedFloat32AtomicAdd = VK_TRUE,
	.shaderSharedFloat64Atomics = VK_TRUE,
	.shaderSharedFloat64AtomicAdd = VK_TRUE,
};

static const VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR workgroup_layout = {
	.workgroupMemoryExplicitLayout = VK_TRUE,
	.workgroupMemoryExplicitLayoutScalarBlockLayout = VK_TRUE,
	.workgroupMemoryExplicitLayout8BitAccess = VK_TRUE,
	.workgroupMemoryExplicitLayout16BitAccess = VK_TRUE,
};

/* Lanes reconverge where their paths join, which is more than the extension asks for. */
static const VkPhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR uniform_flow = {
	.shaderSubgroupUniformControlFlow = VK_TRUE,
};

static const VkPhysicalDeviceShaderClockFeaturesKHR clocks = {
	.shaderSubgroupClock = VK_TRUE,
	.shaderDeviceClock = VK_TRUE,
};

/* Each piece of a matrix is checked. */
static const VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrices = {
	.cooperativeMatrix = VK_TRUE,
	.cooperativeMatrixRobustBufferAccess = VK_TRUE,
};

/* The bools of a structure, which follow its header, and where their values lie. */
static const struct feature_group {
	VkStructureType type;
	uint32_t count;
	const void *first;
} groups[] = {
#define TYPE(name)                         VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##name
#define GROUP(type, count, source, member) {TYPE(type), count, &(source).member}
	GROUP(FEATURES_2, sizeof(core_features) / 4, core_features, robustBufferAccess),
	GROUP(VULKAN_1_1_FEATURES, 12, features11, storageBuffer16BitAccess),
	GROUP(VULKAN_1_2_FEATURES, 47, features12, samplerMirrorClampToEdge),
	GROUP(VULKAN_1_3_FEATURES, 15, features13, robustImageAccess),
	GROUP(16BIT_STORAGE_FEATURES, 4, features11, storageBuffer16BitAccess),
	GROUP(MULTIVIEW_FEATURES, 3, features11, multiview),
	GROUP(VARIABLE_POINTERS_FEATURES, 2, features11, variablePointersStorageBuffer),
	GROUP(PROTECTED_MEMORY_FEATURES, 1, features11, protectedMemory),
	GROUP(SAMPLER_YCBCR_CONVERSION_FEATURES, 1, features11, samplerYcbcrConversion),
	GROUP(SHADER_DRAW_PARAMETERS_FEATURES, 1, features11, shaderDrawParameters),
	GROUP(8BIT_STORAGE_FEATURES, 3, features12, storageBuffer8BitAccess),
	GROUP(SHADER_ATOMIC_INT64_FEATURES, 2, features12, shaderBufferInt64Atomics),
	GROUP(SHADER_FLOAT16_INT8_FEATURES, 2, features12, shaderFloat16),
	GROUP(DESCRIPTOR_INDEXING_FEATURES, 20, features12,
	      shaderInputAttachmentArrayDynamicIndexing),
	GROUP(SCALAR_BLOCK_LAYOUT_FEATURES, 1, features12, scalarBlockLayout),
	GROUP(IMAGELESS_FRAMEBUFFER_FEATURES, 1, features12, imagelessFramebuffer),
	GROUP(UNIFORM_BUFFER_STANDARD_LAYOUT_FEATURES, 1, features12, uniformBufferStandardLayout),
	GROUP(SHADER_SUBGROUP_EXTENDED_TYPES_FEATURES, 1, features12, shaderSubgroupExtendedTypes),
	GROUP(SEPARATE_DEPTH_STENCIL_LAYOUTS_FEATURES, 1, features12, separateDepthStencilLayouts),
	GROUP(HOST_QUERY_RESET_FEATURES, 1, features12, hostQueryReset),
	GROUP(TIMELINE_SEMAPHORE_FEATURES, 1, features12, timelineSemaphore),
	GROUP(BUFFER_DEVICE_ADDRESS_FEATURES, 3, features12, bufferDeviceAddress),
	GROUP(VULKAN_MEMORY_MODEL_FEATURES, 3, features12, vulkanMemoryModel),
	GROUP(IMAGE_ROBUSTNESS_FEATURES, 1, features13, robustImageAccess),
	GROUP(INLINE_UNIFORM_BLOCK_FEATURES, 2, features13, inlineUniformBlock),
	GROUP(PIPELINE_CREATION_CACHE_CONTROL_FEATURES, 1, features13,
	      pipelineCreationCacheControl),
	GROUP(PRIVATE_DATA_FEATURES, 1, features13, privateData),
	GROUP(SHADER_DEMOTE_TO_HELPER_INVOCATION_FEATURES, 1, features13,
	      shaderDemoteToHelperInvocation),
	GROUP(SHADER_TERMINATE_INVOCATION_FEATURES, 1, features13, shaderTerminateInvocation),
	GROUP(SUBGROUP_SIZE_CONTROL_FEATURES, 2, features13, subgroupSizeControl),
	GROUP(SYNCHRONIZATION_2_FEATURES, 1, features13, synchronization2),
	GROUP(TEXTURE_COMPRESSION_ASTC_HDR_FEATURES, 1, features13, textureCompressionASTC_HDR),
	GROUP(ZERO_INITIALIZE_WORKGROUP_MEMORY_FEATURES, 1, features13,
	      shaderZeroInitializeWorkgroupMemory),
	GROUP(DYNAMIC_RENDERING_FEATURES, 1, features13, dynamicRendering),
	GROUP(SHADER_INTEGER_DOT_PRODUCT_FEATURES, 1, features13, shaderIntegerDotProduct),
	GROUP(MAINTENANCE_4_FEATURES, 1, features13, maintenance4),
	GROUP(ROBUSTNESS_2_FEATURES_EXT, 3, robustness2, robustBufferAccess2),
	GROUP(SHADER_ATOMIC_FLOAT_FEATURES_EXT, 12, atomic_float, shaderBufferFloat32Atomics),
	GROUP(WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR, 4, workgroup_layout,
	      workgroupMemoryExplicitLayout),
	GROUP(SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_FEATURES_KHR, 1, uniform_flow,
	      shaderSubgroupUniformControlFlow),
	GROUP(SHADER_CLOCK_FEATURES_KHR, 2, clocks, shaderSubgroupClock),
	GROUP(COOPERATIVE_MATRIX_FEATURES_KHR, 2, matrices, cooperativeMatrix),
#undef GROUP
};

static const struct feature_group *group_of(VkStructureType type)
{
	uint32_t i;

	for (i = 0; i < COUNT(groups); i++)
		if (groups[i].type == type)
			return &groups[i];
	return NULL;
}

void features_fill(VkPhysicalDeviceFeatures2 *features)
{
	VkBaseOutStructure *s;

	for (s = (VkBaseOutStructure *)features; s; s = s->pNext) {
		const struct feature_group *g = group_of(s->sType);

		if (g)
			memcpy(s + 1, g->first, g->count * sizeof(VkBool32));
	}
}

static bool group_supported(const VkBool32 *wanted, const struct feature_group *g)
{
	const VkBool32 *known = g->first;
	uint32_t i;

	for (i = 0; i < g->count; i++)
		if (wanted[i] && !known[i])
			return false;
	return true;
}

bool features_supported(const VkDeviceCreateInfo *info)
{
	const VkBaseInStructure *s;

	if (info->pEnabledFeatures &&
	    !group_supported((const VkBool32 *)info->pEnabledFeatures, &groups[0]))
		return false;
	for (s = info->pNext; s; s = s->pNext) {
		const struct feature_group *g = group_of(s->sType);

		if (g && !group_supported((const VkBool32 *)(s + 1), g))
			return false;
	}
	return true;
}

VKAPI_ATTR void VKAPI_CALL vkGetPhysicalDeviceFeatures(VkPhysicalDevice p,
						       VkPhysicalDeviceFeatures *out)
{
	(void)p;
	*out = core_features;
}

VKAPI_ATTR void VKAPI_CALL vkGetPhysicalDeviceFeatures2(VkPhysicalDevice p,
							VkPhysicalDeviceFeatures2 *out)
{
	(void)p;
	features_fill(out);
}

VKAPI_ATTR VkResult VKAPI_CALL vkEnumerateDeviceExtensionProperties(VkPhysicalDevice p,
								    const char *layer,
								    uint32_t *count,
								    VkExtensionProperties *out)
{
	(void)p;
	if (layer)
		return VK_ERROR_LAYER_NOT_PRESENT;
	return list_out(device_extensions, device_extension_count, sizeof(*out), count, out);
}

VKAPI_ATTR VkResult VKAPI_CALL vkEnumerateDeviceLayerProperties(VkPhysicalDevice p, uint32_t *count,
								VkLayerProperties *out)
{
	(void)p;
	return list_out(NULL, 0, sizeof(*out), count, out);
}

VKAPI_ATTR VkResult VKAPI_CALL vkGetPhysicalDeviceToolProperties(
	VkPhysicalDevice p, uint32_t *count, VkPhysicalDeviceToolProperties *out)
{
	(void)p;
	return list_out(NULL, 0, sizeof(*out), count, out);
}
