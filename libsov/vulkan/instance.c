// SPDX-License-Identifier: MIT
/* Instances: the list of physical devices, one per device of the library. */
#include "libsov/vulkan/driver.h"

VKAPI_ATTR VkResult VKAPI_CALL vkEnumerateInstanceVersion(uint32_t *version)
{
	*version = API_VERSION;
	return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL vkEnumerateInstanceExtensionProperties(const char *layer,
								      uint32_t *count,
								      VkExtensionProperties *out)
{
	if (layer)
		return VK_ERROR_LAYER_NOT_PRESENT;
	return list_out(instance_extensions, instance_extension_count, sizeof(*out), count, out);
}

VKAPI_ATTR VkResult VKAPI_CALL vkEnumerateInstanceLayerProperties(uint32_t *count,
								  VkLayerProperties *out)
{
	return list_out(NULL, 0, sizeof(*out), count, out);
}

static VkResult instance_add_devices(VkInstance i)
{
	VkResult r = VK_SUCCESS;
	uint32_t count = 0, k;
	sov_result found = sov_device_count(&count);

	/* An instance without devices is valid. */
	if (found || !count)
		return found == SOV_ERROR_OUT_OF_HOST_MEMORY ? VK_ERROR_OUT_OF_HOST_MEMORY
							     : VK_SUCCESS;
	i->devices = object_alloc(&i->allocator, NULL, count * sizeof(*i->devices),
				  VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE);
	if (!i->devices)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	for (k = 0; k < count && !r; k++) {
		r = physical_device_init(&i->devices[k], i, k);
		if (!r)
			i->device_count++;
	}
	return r;
}

VKAPI_ATTR VkResult VKAPI_CALL vkCreateInstance(const VkInstanceCreateInfo *info,
						const VkAllocationCallbacks *allocator,
						VkInstance *instance)
{
	VkInstance i;
	VkResult r;
	uint32_t k;

	if (info->enabledLayerCount)
		return VK_ERROR_LAYER_NOT_PRESENT;
	for (k = 0; k < info->enabledExtensionCount; k++)
		if (!extension_known(instance_extensions, instance_extension_count,
				     info->ppEnabledExtensionNames[k]))
			return VK_ERROR_EXTENSION_NOT_PRESENT;
	i = object_alloc(&default_allocator, allocator, sizeof(*i),
			 VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE);
	if (!i)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	set_loader_magic_value(i);
	i->allocator = allocator ? *allocator : default_allocator;
	i->extensions =
		extensions_enabled(instance_extensions, instance_extension_count,
				   info->ppEnabledExtensionNames, info->enabledExtensionCount);
	pthread_mutex_init(&i->lock, NULL);
	r = instance_add_devices(i);
	if (r)
		vkDestroyInstance(i, allocator);
	else
		*instance = i;
	return r;
}

VKAPI_ATTR void VKAPI_CALL vkDestroyInstance(VkInstance i, const VkAllocationCallbacks *allocator)
{
	uint32_t k;

	if (!i)
		return;
	for (k = 0; k < i->device_count; k++)
		physical_device_finish(&i->devices[k]);
	object_free(&i->allocator, NULL, i->devices);
	pthread_mutex_destroy(&i->lock);
	object_free(&default_allocator, allocator, i);
}

VKAPI_ATTR VkResult VKAPI_CALL vkEnumeratePhysicalDevices(VkInstance i, uint32_t *count,
							  VkPhysicalDevice *out)
{
	uint32_t k;

	if (!out) {
		*count = i->device_count;
		return VK_SUCCESS;
	}
	for (k = 0; k < *count && k < i->device_count; k++)
		out[k] = &i->devices[k];
	*count = k;
	return k < i->device_count ? VK_INCOMPLETE : VK_SUCCESS;
}

/* Every device is a group of its own. */
VKAPI_ATTR VkResult VKAPI_CALL vkEnumeratePhysicalDeviceGroups(VkInstance i, uint32_t *count,
							       VkPhysicalDeviceGroupProperties *out)
{
	uint32_t k;

	if (!out) {
		*count = i->device_count;
		return VK_SUCCESS;
	}
	for (k = 0; k < *count && k < i->device_count; k++) {
		out[k].physicalDeviceCount = 1;
		memset(out[k].physicalDevices, 0, sizeof(out[k].physicalDevices));
		out[k].physicalDevices[0] = &i->devices[k];
		out[k].subsetAllocation = VK_FALSE;
	}
	*count = k;
	return k < i->device_count ? VK_INCOMPLETE : VK_SUCCESS;
}
