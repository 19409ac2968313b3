// SPDX-License-Identifier: MIT
/*
 * Debug utilities. The driver reports its errors to the program's messengers with the library's
 * message, which says more than a VkResult: the fault of a kernel, the line of a shader. Names and
 * labels of objects are accepted and not used.
 */
#include <stdio.h>
#include "libsov/vulkan/driver.h"

struct VkDebugUtilsMessengerEXT_T {
	VkDebugUtilsMessengerEXT next;
	VkDebugUtilsMessageSeverityFlagsEXT severities;
	VkDebugUtilsMessageTypeFlagsEXT types;
	PFN_vkDebugUtilsMessengerCallbackEXT call;
	void *user;
};

VKAPI_ATTR VkResult VKAPI_CALL vkCreateDebugUtilsMessengerEXT(
	VkInstance i, const VkDebugUtilsMessengerCreateInfoEXT *info,
	const VkAllocationCallbacks *allocator, VkDebugUtilsMessengerEXT *messenger)
{
	VkDebugUtilsMessengerEXT m = object_alloc(&i->allocator, allocator, sizeof(*m),
						  VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);

	if (!m)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	m->severities = info->messageSeverity;
	m->types = info->messageType;
	m->call = info->pfnUserCallback;
	m->user = info->pUserData;
	pthread_mutex_lock(&i->lock);
	m->next = i->messengers;
	i->messengers = m;
	pthread_mutex_unlock(&i->lock);
	*messenger = m;
	return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vkDestroyDebugUtilsMessengerEXT(VkInstance i, VkDebugUtilsMessengerEXT m,
							   const VkAllocationCallbacks *allocator)
{
	VkDebugUtilsMessengerEXT *at;

	if (!m)
		return;
	pthread_mutex_lock(&i->lock);
	for (at = &i->messengers; *at && *at != m; at = &(*at)->next)
		;
	if (*at)
		*at = m->next;
	pthread_mutex_unlock(&i->lock);
	object_free(&i->allocator, allocator, m);
}

VKAPI_ATTR void VKAPI_CALL vkSubmitDebugUtilsMessageEXT(
	VkInstance i, VkDebugUtilsMessageSeverityFlagBitsEXT severity,
	VkDebugUtilsMessageTypeFlagsEXT types, const VkDebugUtilsMessengerCallbackDataEXT *data)
{
	VkDebugUtilsMessengerEXT m;

	pthread_mutex_lock(&i->lock);
	for (m = i->messengers; m; m = m->next)
		if (m->severities & severity && m->types & types)
			m->call(severity, types, data, m->user);
	pthread_mutex_unlock(&i->lock);
}

void report_error(VkInstance i, const char *what)
{
	char text[2048];
	VkDebugUtilsMessengerCallbackDataEXT data = {
		.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CALLBACK_DATA_EXT,
		.pMessageIdName = "sovgpu",
		.pMessage = text,
	};

	snprintf(text, sizeof(text), "%s: %s", what, sov_last_error());
	vkSubmitDebugUtilsMessageEXT(i, VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
				     VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT, &data);
}

VKAPI_ATTR VkResult VKAPI_CALL
vkSetDebugUtilsObjectNameEXT(VkDevice d, const VkDebugUtilsObjectNameInfoEXT *info)
{
	(void)d;
	(void)info;
	return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL vkSetDebugUtilsObjectTagEXT(VkDevice d,
							   const VkDebugUtilsObjectTagInfoEXT *info)
{
	(void)d;
	(void)info;
	return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vkQueueBeginDebugUtilsLabelEXT(VkQueue q,
							  const VkDebugUtilsLabelEXT *label)
{
	(void)q;
	(void)label;
}

VKAPI_ATTR void VKAPI_CALL vkQueueEndDebugUtilsLabelEXT(VkQueue q)
{
	(void)q;
}

VKAPI_ATTR void VKAPI_CALL vkQueueInsertDebugUtilsLabelEXT(VkQueue q,
							   const VkDebugUtilsLabelEXT *label)
{
	(void)q;
	(void)label;
}

VKAPI_ATTR void VKAPI_CALL vkCmdBeginDebugUtilsLabelEXT(VkCommandBuffer b,
							const VkDebugUtilsLabelEXT *label)
{
	(void)b;
	(void)label;
}

VKAPI_ATTR void VKAPI_CALL vkCmdEndDebugUtilsLabelEXT(VkCommandBuffer b)
{
	(void)b;
}

VKAPI_ATTR void VKAPI_CALL vkCmdInsertDebugUtilsLabelEXT(VkCommandBuffer b,
							 const VkDebugUtilsLabelEXT *label)
{
	(void)b;
	(void)label;
}
