// SPDX-License-Identifier: MIT
/* How the loader finds the driver's entry points. */
#include "tests/userspace/vulkan/_vulkan.h"

static void interface(void)
{
	PFN_vkNegotiateLoaderICDInterfaceVersion negotiate =
		(PFN_vkNegotiateLoaderICDInterfaceVersion)get_address(
			NULL, "vk_icdNegotiateLoaderICDInterfaceVersion");
	uint32_t version = 100;

	if (getenv("TEST_VULKAN_LOADER"))
		return;
	gives(negotiate(&version), VK_SUCCESS, "the driver negotiates an interface version");
	ok(version == 7, "it answers a newer loader with version 7");
	version = 5;
	negotiate(&version);
	ok(version == 5, "it takes an older loader's version");
	ok(get_address(NULL, "vk_icdGetPhysicalDeviceProcAddr"),
	   "the interface's functions can be queried, as version 7 has it");
}

static void global(void)
{
	VkInstance i = instance;
	VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
	static const char *const unknown = "VK_KHR_no_such_extension";
	uint32_t count = 0, few = 1;
	VkExtensionProperties one;

	ok(get_address(NULL, "vkEnumerateInstanceVersion") && get_address(NULL, "vkCreateInstance"),
	   "global functions exist without an instance");
	ok(!get_address(NULL, "vkCreateDevice") && !get_address(NULL, "vkCmdDispatch"),
	   "other functions do not");
	ok(get_address(i, "vkCreateDevice") && get_address(i, "vkCmdDispatch"),
	   "an instance has functions of physical devices and of devices");
	ok(!get_address(i, "vkEnumerateInstanceVersion") && get_address(i, "vkGetInstanceProcAddr"),
	   "it has no global functions but vkGetInstanceProcAddr");
	ok(!get_address(i, "vkNoSuchFunction"), "an unknown function is NULL");
	vkEnumerateInstanceExtensionProperties(NULL, &count, NULL);
	ok(count >= 6, "instance extensions are counted");
	gives(vkEnumerateInstanceExtensionProperties(NULL, &few, &one), VK_INCOMPLETE,
	      "a list that does not fit is VK_INCOMPLETE");
	ok(few == 1, "and has as many items as there was room for");
	info.enabledExtensionCount = 1;
	info.ppEnabledExtensionNames = &unknown;
	gives(vkCreateInstance(&info, NULL, &i), VK_ERROR_EXTENSION_NOT_PRESENT,
	      "an instance with an unknown extension is refused");
}

static void of_devices(void)
{
	static const char *const push = VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME;
	static const char *const unknown = "VK_KHR_swapchain";
	VkDevice d;

	MUST(create_device(NULL, 0, NULL, &d));
	ok(vkGetDeviceProcAddr(d, "vkCmdDispatch") && vkGetDeviceProcAddr(d, "vkGetDeviceProcAddr"),
	   "a device has its functions");
	ok(!vkGetDeviceProcAddr(d, "vkCreateDevice") && !vkGetDeviceProcAddr(d, "vkCreateInstance"),
	   "a device has no functions of instances and physical devices");
	ok(!vkGetDeviceProcAddr(d, "vkCmdPushDescriptorSetKHR"),
	   "a device without an extension has no functions of it");
	ok(vkGetDeviceProcAddr(d, "vkSetDebugUtilsObjectNameEXT"),
	   "a device has functions of the instance's extensions");
	vkDestroyDevice(d, NULL);
	MUST(create_device(&push, 1, NULL, &d));
	ok(vkGetDeviceProcAddr(d, "vkCmdPushDescriptorSetKHR"),
	   "a device with an extension has its functions");
	vkDestroyDevice(d, NULL);
	if (!getenv("TEST_VULKAN_LOADER"))
		gives(create_device(&unknown, 1, NULL, &d), VK_ERROR_EXTENSION_NOT_PRESENT,
		      "a device with an unknown extension is refused");
}

int main(void)
{
	open_instance();
	interface();
	global();
	of_devices();
	return close_instance();
}
