// SPDX-License-Identifier: MIT
/* What a physical device has: queues, memory, external handles. */
#include "libsov/vulkan/driver.h"

VKAPI_ATTR void VKAPI_CALL vkGetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice p,
								    uint32_t *count,
								    VkQueueFamilyProperties *out)
{
	static const VkQueueFamilyProperties family = {
		.queueFlags = VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT,
		.queueCount = QUEUE_COUNT,
		.timestampValidBits = 64,
		.minImageTransferGranularity = {1, 1, 1},
	};

	(void)p;
	list_out(&family, 1, sizeof(family), count, out);
}

VKAPI_ATTR void VKAPI_CALL vkGetPhysicalDeviceQueueFamilyProperties2(VkPhysicalDevice p,
								     uint32_t *count,
								     VkQueueFamilyProperties2 *out)
{
	vkGetPhysicalDeviceQueueFamilyProperties(p, count,
						 out ? &out->queueFamilyProperties : NULL);
}

/*
 * Device memory, which is the fastest; host memory, pinned and cached; and device memory that the
 * host has mapped, for what the host writes and the device reads often. Mapped device memory stands
 * last, so that a program that searches for host-visible memory finds host memory first.
 */
VKAPI_ATTR void VKAPI_CALL
vkGetPhysicalDeviceMemoryProperties(VkPhysicalDevice p, VkPhysicalDeviceMemoryProperties *out)
{
	const VkMemoryPropertyFlags visible =
		VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

	memset(out, 0, sizeof(*out));
	out->memoryHeapCount = MEMORY_HEAPS;
	out->memoryHeaps[HEAP_DEVICE] =
		(VkMemoryHeap){p->properties.memory_bytes, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
	out->memoryHeaps[HEAP_HOST] = (VkMemoryHeap){host_memory_bytes() / 2, 0};
	out->memoryTypeCount = MEMORY_TYPES;
	out->memoryTypes[MEMORY_DEVICE] =
		(VkMemoryType){VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, HEAP_DEVICE};
	out->memoryTypes[MEMORY_HOST] =
		(VkMemoryType){visible | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, HEAP_HOST};
	out->memoryTypes[MEMORY_DEVICE_MAPPED] =
		(VkMemoryType){visible | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, HEAP_DEVICE};
}

static void memory_budget(VkPhysicalDevice p, VkPhysicalDeviceMemoryBudgetPropertiesEXT *b)
{
	uint64_t free_bytes = p->properties.memory_bytes, total = p->properties.memory_bytes;

	pthread_mutex_lock(&p->lock);
	if (p->newest && sov_memory_info(p->newest->context, &free_bytes, &total))
		free_bytes = total;
	pthread_mutex_unlock(&p->lock);
	memset(b->heapBudget, 0, sizeof(b->heapBudget));
	memset(b->heapUsage, 0, sizeof(b->heapUsage));
	b->heapBudget[HEAP_DEVICE] = total;
	b->heapUsage[HEAP_DEVICE] = total - free_bytes;
	b->heapBudget[HEAP_HOST] = host_memory_bytes() / 2;
}

VKAPI_ATTR void VKAPI_CALL
vkGetPhysicalDeviceMemoryProperties2(VkPhysicalDevice p, VkPhysicalDeviceMemoryProperties2 *out)
{
	void *budget = (void *)chain_find(
		out->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT);

	vkGetPhysicalDeviceMemoryProperties(p, &out->memoryProperties);
	if (budget)
		memory_budget(p, budget);
}

VKAPI_ATTR void VKAPI_CALL vkGetPhysicalDeviceSparseImageFormatProperties(
	VkPhysicalDevice p, VkFormat format, VkImageType type, VkSampleCountFlagBits samples,
	VkImageUsageFlags usage, VkImageTiling tiling, uint32_t *count,
	VkSparseImageFormatProperties *out)
{
	(void)p;
	(void)format;
	(void)type;
	(void)samples;
	(void)usage;
	(void)tiling;
	(void)out;
	*count = 0;
}

VKAPI_ATTR void VKAPI_CALL vkGetPhysicalDeviceSparseImageFormatProperties2(
	VkPhysicalDevice p, const VkPhysicalDeviceSparseImageFormatInfo2 *info, uint32_t *count,
	VkSparseImageFormatProperties2 *out)
{
	(void)p;
	(void)info;
	(void)out;
	*count = 0;
}

/* Host memory can be imported; nothing can be exported. */
VKAPI_ATTR void VKAPI_CALL vkGetPhysicalDeviceExternalBufferProperties(
	VkPhysicalDevice p, const VkPhysicalDeviceExternalBufferInfo *info,
	VkExternalBufferProperties *out)
{
	VkExternalMemoryProperties *m = &out->externalMemoryProperties;

	(void)p;
	memset(m, 0, sizeof(*m));
	m->compatibleHandleTypes = info->handleType;
	if (info->handleType == VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT)
		m->externalMemoryFeatures = VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT;
}

VKAPI_ATTR void VKAPI_CALL vkGetPhysicalDeviceExternalFenceProperties(
	VkPhysicalDevice p, const VkPhysicalDeviceExternalFenceInfo *info,
	VkExternalFenceProperties *out)
{
	(void)p;
	(void)info;
	out->exportFromImportedHandleTypes = 0;
	out->compatibleHandleTypes = 0;
	out->externalFenceFeatures = 0;
}

VKAPI_ATTR void VKAPI_CALL vkGetPhysicalDeviceExternalSemaphoreProperties(
	VkPhysicalDevice p, const VkPhysicalDeviceExternalSemaphoreInfo *info,
	VkExternalSemaphoreProperties *out)
{
	(void)p;
	(void)info;
	out->exportFromImportedHandleTypes = 0;
	out->compatibleHandleTypes = 0;
	out->externalSemaphoreFeatures = 0;
}
