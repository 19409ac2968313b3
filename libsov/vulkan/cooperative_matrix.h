/* SPDX-License-Identifier: MIT */
/*
 * VK_KHR_cooperative_matrix for headers that are older than it (Vulkan 1.3.255): names and numbers
 * as the Vulkan specification has them.
 */
#ifndef SOV_VULKAN_COOPERATIVE_MATRIX_H
#define SOV_VULKAN_COOPERATIVE_MATRIX_H

#include <vulkan/vulkan.h>

#ifndef VK_KHR_cooperative_matrix
#define VK_KHR_cooperative_matrix                     1
#define VK_KHR_COOPERATIVE_MATRIX_SPEC_VERSION        2
#define VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME      "VK_KHR_cooperative_matrix"
#define VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_BASE_KHR 1000506000
#define VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR \
	((VkStructureType)VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_BASE_KHR)
#define VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR \
	((VkStructureType)(VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_BASE_KHR + 1))
#define VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_PROPERTIES_KHR \
	((VkStructureType)(VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_BASE_KHR + 2))

typedef enum VkComponentTypeKHR {
	VK_COMPONENT_TYPE_FLOAT16_KHR = 0,
	VK_COMPONENT_TYPE_FLOAT32_KHR = 1,
	VK_COMPONENT_TYPE_SINT8_KHR = 3,
	VK_COMPONENT_TYPE_SINT32_KHR = 5,
	VK_COMPONENT_TYPE_UINT8_KHR = 7,
	VK_COMPONENT_TYPE_UINT32_KHR = 9,
	VK_COMPONENT_TYPE_MAX_ENUM_KHR = 0x7fffffff
} VkComponentTypeKHR;

typedef enum VkScopeKHR {
	VK_SCOPE_DEVICE_KHR = 1,
	VK_SCOPE_WORKGROUP_KHR = 2,
	VK_SCOPE_SUBGROUP_KHR = 3,
	VK_SCOPE_QUEUE_FAMILY_KHR = 5,
	VK_SCOPE_MAX_ENUM_KHR = 0x7fffffff
} VkScopeKHR;

typedef struct VkCooperativeMatrixPropertiesKHR {
	VkStructureType sType;
	void *pNext;
	uint32_t MSize, NSize, KSize;
	VkComponentTypeKHR AType, BType, CType, ResultType;
	VkBool32 saturatingAccumulation;
	VkScopeKHR scope;
} VkCooperativeMatrixPropertiesKHR;

typedef struct VkPhysicalDeviceCooperativeMatrixFeaturesKHR {
	VkStructureType sType;
	void *pNext;
	VkBool32 cooperativeMatrix, cooperativeMatrixRobustBufferAccess;
} VkPhysicalDeviceCooperativeMatrixFeaturesKHR;

typedef struct VkPhysicalDeviceCooperativeMatrixPropertiesKHR {
	VkStructureType sType;
	void *pNext;
	VkShaderStageFlags cooperativeMatrixSupportedStages;
} VkPhysicalDeviceCooperativeMatrixPropertiesKHR;

typedef VkResult(VKAPI_PTR *PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR)(
	VkPhysicalDevice, uint32_t *, VkCooperativeMatrixPropertiesKHR *);
#ifndef VK_NO_PROTOTYPES
VKAPI_ATTR VkResult VKAPI_CALL vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR(
	VkPhysicalDevice p, uint32_t *count, VkCooperativeMatrixPropertiesKHR *out);
#endif
#endif

#endif
