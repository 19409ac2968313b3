/* SPDX-License-Identifier: MIT */
/*
 * Shared by the tests of the Vulkan driver. They load the driver of the build folder as the loader
 * does; with TEST_VULKAN_LOADER=1 they load the system's loader instead, for validation layers.
 */
#ifndef TESTS_VULKAN_H
#define TESTS_VULKAN_H

#define VK_NO_PROTOTYPES
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <vulkan/vk_icd.h>
#include <vulkan/vulkan.h>
#include "libsov/vulkan/cooperative_matrix.h"
#include "tests/tap.h"

#define UNUSED       __attribute__((unused))
#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof(*(array))))
#define SECOND       UINT64_C(1000000000)
#define FOREVER      (60 * SECOND) /* a wait that ends, if it does not fail */

/* A pointer for each entry point, by its own name. */
#define CORE(scope, name)                     UNUSED static PFN_vk##name vk##name;
#define EXTENSION(scope, name, extension)     UNUSED static PFN_vk##name vk##name;
#define ALIAS(scope, name, extension, target) UNUSED static PFN_vk##name vk##name;
#include "libsov/vulkan/entry_points.h"

static VkInstance instance;
static VkDebugUtilsMessengerEXT messenger;
static VkPhysicalDevice physical;
static VkDevice device;
static VkQueue queues[4];
static uint32_t queue_count = 4; /* that a device is created with */
/* Features of extensions that a device is created with, as a chain; NULL: none but these here. */
UNUSED static void *wanted_features;
static uint32_t messages; /* of validation layers and the driver */
static char last_message[2048];

UNUSED static VkBool32 VKAPI_PTR message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
					 VkDebugUtilsMessageTypeFlagsEXT types,
					 const VkDebugUtilsMessengerCallbackDataEXT *data,
					 void *user)
{
	(void)severity;
	(void)types;
	(void)user;
	messages++;
	snprintf(last_message, sizeof(last_message), "%s", data->pMessage);
	diag("message: %s", data->pMessage);
	return VK_FALSE;
}

UNUSED static void must_(VkResult r, const char *call, int line)
{
	if (r == VK_SUCCESS)
		return;
	ok(false, "line %d: %s", line, call);
	diag("VkResult %d", r);
	exit(tap_done());
}
#define MUST(call) must_(call, #call, __LINE__)

UNUSED static bool gives(VkResult got, VkResult want, const char *promise)
{
	if (!ok(got == want, "%s", promise))
		diag("got VkResult %d, want %d", got, want);
	return got == want;
}

UNUSED static void *open_driver(void)
{
	char path[PATH_MAX + 64];
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX);
	void *library;
	int up;

	if (getenv("TEST_VULKAN_LOADER"))
		return dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
	/* BUILD/tests/vulkan/NAME */
	for (path[n] = 0, up = 0; up < 3; up++)
		*strrchr(path, '/') = 0;
	strcat(path, "/libvulkan_sov.so");
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		diag("%s", dlerror());
	return library;
}

static PFN_vkGetInstanceProcAddr get_address;

UNUSED static void load(VkInstance i)
{
#define LOAD(name) \
	if (get_address(i, "vk" #name)) \
		vk##name = (PFN_vk##name)get_address(i, "vk" #name);
#define CORE(scope, name)                     LOAD(name)
#define EXTENSION(scope, name, extension)     LOAD(name)
#define ALIAS(scope, name, extension, target) LOAD(name)
#include "libsov/vulkan/entry_points.h"
}

/* The driver's first call, without an instance. */
UNUSED static void start(void)
{
	void *library = open_driver();
	const char *first = getenv("TEST_VULKAN_LOADER") ? "vkGetInstanceProcAddr"
							 : "vk_icdGetInstanceProcAddr";

	if (!getenv("SOV_SOFT") || !getenv("TEST_CARD"))
		setenv("SOV_SOFT", getenv("TEST_CHIP") ? getenv("TEST_CHIP") : "gh100:vram=256M",
		       1);
	if (library)
		get_address = (PFN_vkGetInstanceProcAddr)dlsym(library, first);
	if (!ok(get_address, "the driver loads and has %s", first))
		exit(tap_done());
	vkCreateInstance = (PFN_vkCreateInstance)get_address(NULL, "vkCreateInstance");
	vkEnumerateInstanceExtensionProperties =
		(PFN_vkEnumerateInstanceExtensionProperties)get_address(
			NULL, "vkEnumerateInstanceExtensionProperties");
}

UNUSED static void open_instance(void)
{
	static const char *const names[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
	VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
					 .apiVersion = VK_API_VERSION_1_3};
	VkDebugUtilsMessengerCreateInfoEXT messenger_info = {
		.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
		.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
				   VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
		.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT |
			       VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
		.pfnUserCallback = message,
	};
	VkInstanceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
		.pApplicationInfo = &application,
		.enabledExtensionCount = COUNT(names),
		.ppEnabledExtensionNames = names,
	};
	uint32_t count = 1;

	start();
	MUST(vkCreateInstance(&info, NULL, &instance));
	load(instance);
	MUST(vkCreateDebugUtilsMessengerEXT(instance, &messenger_info, NULL, &messenger));
	MUST(vkEnumeratePhysicalDevices(instance, &count, &physical));
}

/* All features, and extensions by name. */
UNUSED static VkResult create_device(const char *const *extensions, uint32_t count,
				     const VkAllocationCallbacks *allocator, VkDevice *out)
{
	static const float priorities[4] = {1, 1, 1, 1};
	VkPhysicalDeviceRobustness2FeaturesEXT robust = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT,
		.pNext = wanted_features};
	VkPhysicalDeviceVulkan13Features f13 = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
		.pNext = count ? &robust : NULL};
	VkPhysicalDeviceVulkan12Features f12 = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, .pNext = &f13};
	VkPhysicalDeviceVulkan11Features f11 = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, .pNext = &f12};
	VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
					      .pNext = &f11};
	VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
					 .queueCount = queue_count,
					 .pQueuePriorities = priorities};
	VkDeviceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
		.pNext = &features,
		.queueCreateInfoCount = 1,
		.pQueueCreateInfos = &queue,
		.enabledExtensionCount = count,
		.ppEnabledExtensionNames = extensions,
	};

	vkGetPhysicalDeviceFeatures2(physical, &features);
	return vkCreateDevice(physical, &info, allocator, out);
}

UNUSED static void open_device(void)
{
	static const char *const names[] = {
		VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME,
		VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME,  VK_EXT_ROBUSTNESS_2_EXTENSION_NAME,
		VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME,
	};
	uint32_t i;

	open_instance();
	MUST(create_device(names, COUNT(names), NULL, &device));
	for (i = 0; i < queue_count; i++)
		vkGetDeviceQueue(device, 0, i, &queues[i]);
}

/* The last line of each test: nothing was reported to the messenger. */
UNUSED static int close_instance(void)
{
	vkDestroyDebugUtilsMessengerEXT(instance, messenger, NULL);
	vkDestroyInstance(instance, NULL);
	ok(!messages, "neither the driver nor a layer reported anything");
	return tap_done();
}

static VkCommandPool pool;

UNUSED static int close_device(void)
{
	vkDestroyCommandPool(device, pool, NULL);
	vkDestroyDevice(device, NULL);
	return close_instance();
}

/* ---- memory ---- */

struct memory {
	VkBuffer buffer;
	VkDeviceMemory memory;
	void *cpu; /* NULL: not host-visible */
	VkDeviceAddress address;
};

/* A type of memory that has exactly these properties, otherwise one that has more. */
UNUSED static uint32_t memory_type(uint32_t types, VkMemoryPropertyFlags flags)
{
	VkPhysicalDeviceMemoryProperties all;
	uint32_t found = 0, i;

	vkGetPhysicalDeviceMemoryProperties(physical, &all);
	for (i = all.memoryTypeCount; i; i--)
		if (types & 1u << (i - 1) && !(flags & ~all.memoryTypes[i - 1].propertyFlags))
			found = i - 1;
	for (i = 0; i < all.memoryTypeCount; i++)
		if (types & 1u << i && all.memoryTypes[i].propertyFlags == flags)
			found = i;
	return found;
}

/* A buffer with memory of these properties. */
UNUSED static struct memory memory_create(uint64_t bytes, VkMemoryPropertyFlags flags)
{
	VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.size = bytes,
		.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
			 VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
			 VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
			 VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT |
			 VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT |
			 VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
	};
	VkMemoryAllocateFlagsInfo address = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
					     .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
	VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
					 .pNext = &address};
	VkBufferDeviceAddressInfo where = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO};
	VkMemoryRequirements needs;
	struct memory m = {0};

	MUST(vkCreateBuffer(device, &info, NULL, &m.buffer));
	vkGetBufferMemoryRequirements(device, m.buffer, &needs);
	allocate.memoryTypeIndex = memory_type(needs.memoryTypeBits, flags);
	allocate.allocationSize = needs.size;
	MUST(vkAllocateMemory(device, &allocate, NULL, &m.memory));
	MUST(vkBindBufferMemory(device, m.buffer, m.memory, 0));
	if (flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT)
		MUST(vkMapMemory(device, m.memory, 0, VK_WHOLE_SIZE, 0, &m.cpu));
	where.buffer = m.buffer;
	m.address = vkGetBufferDeviceAddress(device, &where);
	return m;
}

#define ON_DEVICE VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT
#define ON_HOST \
	(VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | \
	 VK_MEMORY_PROPERTY_HOST_CACHED_BIT)
#define MAPPED_DEVICE \
	(VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | \
	 VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT)

UNUSED static void memory_destroy(struct memory *m)
{
	vkDestroyBuffer(device, m->buffer, NULL);
	vkFreeMemory(device, m->memory, NULL);
}

/* ---- commands ---- */

UNUSED static VkCommandBuffer begin(void)
{
	VkCommandPoolCreateInfo pool_info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
		.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
	};
	VkCommandBufferAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
		.commandBufferCount = 1,
	};
	VkCommandBufferBeginInfo begin_info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
		.flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
	};
	VkCommandBuffer b;

	if (!pool)
		MUST(vkCreateCommandPool(device, &pool_info, NULL, &pool));
	info.commandPool = pool;
	MUST(vkAllocateCommandBuffers(device, &info, &b));
	MUST(vkBeginCommandBuffer(b, &begin_info));
	return b;
}

UNUSED static void barrier(VkCommandBuffer b)
{
	VkMemoryBarrier all = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
		.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
	};

	vkCmdPipelineBarrier(b, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
			     VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
			     &all, 0, NULL, 0, NULL);
}

UNUSED static VkResult submit(VkQueue q, VkCommandBuffer b, VkFence fence)
{
	VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
			     .commandBufferCount = 1,
			     .pCommandBuffers = &b};

	return vkQueueSubmit(q, 1, &info, fence);
}

/* Ends, submits to the first queue, waits and frees. */
UNUSED static VkResult finish(VkCommandBuffer b)
{
	VkResult r = vkEndCommandBuffer(b);

	if (!r)
		r = submit(queues[0], b, VK_NULL_HANDLE);
	if (!r)
		r = vkQueueWaitIdle(queues[0]);
	vkFreeCommandBuffers(device, pool, 1, &b);
	return r;
}

/* ---- synchronisation ---- */

UNUSED static VkFence fence_create(VkFenceCreateFlags flags)
{
	VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, .flags = flags};
	VkFence f;

	MUST(vkCreateFence(device, &info, NULL, &f));
	return f;
}

UNUSED static VkSemaphore semaphore_create(bool timeline, uint64_t value)
{
	VkSemaphoreTypeCreateInfo type = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
		.semaphoreType = timeline ? VK_SEMAPHORE_TYPE_TIMELINE : VK_SEMAPHORE_TYPE_BINARY,
		.initialValue = value,
	};
	VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
				      .pNext = &type};
	VkSemaphore s;

	MUST(vkCreateSemaphore(device, &info, NULL, &s));
	return s;
}

/* Submits with at most one wait and one signal, by synchronization2. */
UNUSED static VkResult submit2(VkQueue q, VkCommandBuffer b, VkSemaphore wait, uint64_t wait_value,
			       VkSemaphore signal, uint64_t signal_value, VkFence fence)
{
	VkSemaphoreSubmitInfo w = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
				   .semaphore = wait,
				   .value = wait_value,
				   .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT};
	VkSemaphoreSubmitInfo s = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
				   .semaphore = signal,
				   .value = signal_value,
				   .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT};
	VkCommandBufferSubmitInfo c = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
				       .commandBuffer = b};
	VkSubmitInfo2 info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
		.waitSemaphoreInfoCount = wait != VK_NULL_HANDLE,
		.pWaitSemaphoreInfos = &w,
		.commandBufferInfoCount = b != NULL,
		.pCommandBufferInfos = &c,
		.signalSemaphoreInfoCount = signal != VK_NULL_HANDLE,
		.pSignalSemaphoreInfos = &s,
	};

	return vkQueueSubmit2(q, 1, &info, fence);
}

#endif
