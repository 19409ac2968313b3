// SPDX-License-Identifier: MIT
/* Allocation callbacks, pools, private data, features. */
#include "tests/userspace/vulkan/_vulkan.h"

/* ---- an allocator that counts, and fails when it is told to ---- */

static int32_t live, made, fail_after = INT32_MAX;

static void *VKAPI_PTR count_alloc(void *user, size_t bytes, size_t alignment,
				   VkSystemAllocationScope scope)
{
	void *p = NULL;

	(void)user;
	(void)scope;
	if (fail_after-- <= 0 || posix_memalign(&p, alignment < 16 ? 16 : alignment, bytes))
		return NULL;
	live++;
	made++;
	return p;
}

static void *VKAPI_PTR count_realloc(void *user, void *old, size_t bytes, size_t alignment,
				     VkSystemAllocationScope scope)
{
	(void)user;
	(void)alignment;
	(void)scope;
	return realloc(old, bytes);
}

static void VKAPI_PTR count_free(void *user, void *p)
{
	(void)user;
	live -= p != NULL;
	free(p);
}

static const VkAllocationCallbacks counting = {
	.pfnAllocation = count_alloc,
	.pfnReallocation = count_realloc,
	.pfnFree = count_free,
};

static void of_device(void)
{
	VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
					  .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
	VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
				      .pNext = &type};
	VkSemaphore s;
	VkResult r = VK_SUCCESS;
	VkDevice d;
	int32_t n;

	MUST(create_device(NULL, 0, &counting, &d));
	ok(live > 0, "a device is allocated by its callbacks");
	MUST(vkCreateSemaphore(d, &info, &counting, &s));
	vkDestroySemaphore(d, s, &counting);
	vkDestroyDevice(d, &counting);
	ok(!live, "everything was freed with it");
	if (getenv("TEST_VULKAN_LOADER")) /* the loader reports its own failures */
		return;
	for (n = 0; n < 8; n++) {
		fail_after = n;
		r = create_device(NULL, 0, &counting, &d);
		if (!r)
			break;
		if (r != VK_ERROR_OUT_OF_HOST_MEMORY || live)
			break;
	}
	fail_after = INT32_MAX;
	ok(!r && n > 0,
	   "each allocation that fails is VK_ERROR_OUT_OF_HOST_MEMORY, without a leak");
	if (!r)
		vkDestroyDevice(d, &counting);
}

static void record(VkCommandBuffer b, const struct memory *m)
{
	VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	static const uint8_t data[4096];
	uint32_t i;

	MUST(vkBeginCommandBuffer(b, &info));
	for (i = 0; i < 500; i++)
		vkCmdFillBuffer(b, m->buffer, 4 * i, 4, i);
	for (i = 0; i < 20; i++)
		vkCmdUpdateBuffer(b, m->buffer, 0, sizeof(data), data);
}

static void recording(void)
{
	VkCommandPoolCreateInfo pool_info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
		.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
	};
	VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
					    .commandBufferCount = 1};
	struct memory m = memory_create(4096, ON_DEVICE);
	VkCommandBuffer b;
	int32_t before;

	MUST(vkCreateCommandPool(device, &pool_info, &counting, &info.commandPool));
	MUST(vkAllocateCommandBuffers(device, &info, &b));
	record(b, &m);
	MUST(vkEndCommandBuffer(b));
	before = made;
	record(b, &m);
	MUST(vkEndCommandBuffer(b));
	MUST(vkResetCommandPool(device, info.commandPool, 0));
	record(b, &m);
	MUST(vkEndCommandBuffer(b));
	ok(made == before && before > 3, "recording again allocates no memory");
	MUST(vkResetCommandPool(device, info.commandPool,
				VK_COMMAND_POOL_RESET_RELEASE_RESOURCES_BIT));
	ok(live < before, "a pool gives its memory back when it is told to");
	fail_after = 1;
	record(b, &m);
	gives(vkEndCommandBuffer(b), VK_ERROR_OUT_OF_HOST_MEMORY,
	      "a failure while recording is returned at its end");
	fail_after = INT32_MAX;
	vkDestroyCommandPool(device, info.commandPool, &counting);
	ok(!live, "a destroyed pool leaves nothing");
	memory_destroy(&m);
}

/* ---- descriptor pools ---- */

static VkDescriptorSetLayout layout_of(uint32_t count)
{
	VkDescriptorSetLayoutBinding binding = {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, count,
						VK_SHADER_STAGE_COMPUTE_BIT, NULL};
	VkDescriptorSetLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
		.bindingCount = 1,
		.pBindings = &binding,
	};
	VkDescriptorSetLayout l;

	MUST(vkCreateDescriptorSetLayout(device, &info, NULL, &l));
	return l;
}

static void descriptor_pools(void)
{
	VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 8};
	VkDescriptorPoolCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
		.flags = VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT,
		.maxSets = 4,
		.poolSizeCount = 1,
		.pPoolSizes = &size,
	};
	VkDescriptorSetLayout two = layout_of(2), four = layout_of(4);
	VkDescriptorSetLayout layouts[5] = {two, two, two, two, two};
	VkDescriptorSetAllocateInfo alloc = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
		.descriptorSetCount = 5,
		.pSetLayouts = layouts,
	};
	VkDescriptorSet sets[5], big;
	bool layers = getenv("TEST_VULKAN_LOADER"); /* which forbid to ask for too much */

	MUST(vkCreateDescriptorPool(device, &info, NULL, &alloc.descriptorPool));
	if (!layers) {
		gives(vkAllocateDescriptorSets(device, &alloc, sets), VK_ERROR_OUT_OF_POOL_MEMORY,
		      "more sets than a pool has are VK_ERROR_OUT_OF_POOL_MEMORY");
		ok(!sets[0] && !sets[4], "and none of them is allocated");
	}
	alloc.descriptorSetCount = 4;
	gives(vkAllocateDescriptorSets(device, &alloc, sets), VK_SUCCESS,
	      "a pool has as many sets as it says");
	MUST(vkFreeDescriptorSets(device, alloc.descriptorPool, 1, &sets[0]));
	MUST(vkFreeDescriptorSets(device, alloc.descriptorPool, 1, &sets[2]));
	alloc.descriptorSetCount = 1;
	alloc.pSetLayouts = &four;
	if (!layers)
		gives(vkAllocateDescriptorSets(device, &alloc, &big), VK_ERROR_FRAGMENTED_POOL,
		      "free room in two pieces is VK_ERROR_FRAGMENTED_POOL");
	MUST(vkFreeDescriptorSets(device, alloc.descriptorPool, 1, &sets[1]));
	gives(vkAllocateDescriptorSets(device, &alloc, &big), VK_SUCCESS,
	      "room of neighbours that were freed can be used together");
	MUST(vkResetDescriptorPool(device, alloc.descriptorPool, 0));
	alloc.descriptorSetCount = 4;
	alloc.pSetLayouts = layouts;
	gives(vkAllocateDescriptorSets(device, &alloc, sets), VK_SUCCESS, "a reset pool is empty");
	vkDestroyDescriptorPool(device, alloc.descriptorPool, NULL);
	vkDestroyDescriptorSetLayout(device, two, NULL);
	vkDestroyDescriptorSetLayout(device, four, NULL);
}

/* ---- others ---- */

static void private_data(void)
{
	VkPrivateDataSlotCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_PRIVATE_DATA_SLOT_CREATE_INFO};
	VkFence fences[40];
	VkPrivateDataSlot slot;
	uint64_t value, bad = 0, i;

	MUST(vkCreatePrivateDataSlot(device, &info, NULL, &slot));
	for (i = 0; i < 40; i++) {
		fences[i] = fence_create(0);
		if (i % 2)
			MUST(vkSetPrivateData(device, VK_OBJECT_TYPE_FENCE, (uint64_t)fences[i],
					      slot, i));
	}
	for (i = 0; i < 40; i++) {
		vkGetPrivateData(device, VK_OBJECT_TYPE_FENCE, (uint64_t)fences[i], slot, &value);
		bad += value != (i % 2 ? i : 0);
		vkDestroyFence(device, fences[i], NULL);
	}
	ok(!bad, "private data of 20 objects are kept, of 20 others they are 0");
	vkDestroyPrivateDataSlot(device, slot, NULL);
}

static void cache(void)
{
	VkPipelineCacheCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
	VkPipelineCacheHeaderVersionOne header = {0};
	VkPhysicalDeviceProperties properties;
	size_t bytes = 0;
	VkPipelineCache c;

	vkGetPhysicalDeviceProperties(physical, &properties);
	MUST(vkCreatePipelineCache(device, &info, NULL, &c));
	MUST(vkGetPipelineCacheData(device, c, &bytes, NULL));
	ok(bytes == 32, "a pipeline cache has a header of 32 bytes");
	MUST(vkGetPipelineCacheData(device, c, &bytes, &header));
	ok(header.headerSize == 32 && header.vendorID == properties.vendorID &&
		   !memcmp(header.pipelineCacheUUID, properties.pipelineCacheUUID, VK_UUID_SIZE),
	   "which names the device");
	bytes = 31;
	gives(vkGetPipelineCacheData(device, c, &bytes, &header), VK_INCOMPLETE,
	      "a header that does not fit is VK_INCOMPLETE");
	vkDestroyPipelineCache(device, c, NULL);
}

static void features(void)
{
	static const float priority = 1;
	VkPhysicalDeviceVulkan13Features wanted = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
		.dynamicRendering = VK_TRUE,
	};
	VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
					 .queueCount = 1,
					 .pQueuePriorities = &priority};
	VkDeviceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
		.pNext = &wanted,
		.queueCreateInfoCount = 1,
		.pQueueCreateInfos = &queue,
	};
	VkPhysicalDeviceSubgroupProperties subgroup = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
	VkPhysicalDeviceVulkan11Properties p11 = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES,
		.pNext = &subgroup};
	VkPhysicalDeviceProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &p11};
	VkQueueFamilyProperties family;
	uint32_t count = 1;
	VkDevice d;

	if (!getenv("TEST_VULKAN_LOADER"))
		gives(vkCreateDevice(physical, &info, NULL, &d), VK_ERROR_FEATURE_NOT_PRESENT,
		      "a device with a feature that does not exist is refused");
	vkGetPhysicalDeviceProperties2(physical, &properties);
	ok(subgroup.subgroupSize == 32 && p11.subgroupSize == 32 &&
		   subgroup.supportedOperations == p11.subgroupSupportedOperations,
	   "a structure of an extension has the values of the core structure");
	vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, &family);
	ok(family.queueFlags == (VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT),
	   "the queues are for compute and transfer, not for graphics");
}

#define TYPE(name) VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##name##_FEATURES_KHR

/* Features that come with extensions. */
static void extension_features(void)
{
	static const char *const names[] = {
		VK_KHR_SHADER_CLOCK_EXTENSION_NAME,
		VK_KHR_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_EXTENSION_NAME,
		VK_KHR_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_EXTENSION_NAME};
	VkPhysicalDeviceShaderClockFeaturesKHR clocks = {.sType = TYPE(SHADER_CLOCK)};
	VkPhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR flow = {
		.sType = TYPE(SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW), .pNext = &clocks};
	VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR layout = {
		.sType = TYPE(WORKGROUP_MEMORY_EXPLICIT_LAYOUT), .pNext = &flow};
	VkPhysicalDeviceFeatures2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
					 .pNext = &layout};
	VkDevice d = VK_NULL_HANDLE;

	vkGetPhysicalDeviceFeatures2(physical, &all);
	ok(clocks.shaderSubgroupClock && clocks.shaderDeviceClock, "shaders have clocks");
	ok(flow.shaderSubgroupUniformControlFlow, "subgroups reconverge in uniform control flow");
	ok(layout.workgroupMemoryExplicitLayout &&
		   layout.workgroupMemoryExplicitLayoutScalarBlockLayout &&
		   layout.workgroupMemoryExplicitLayout8BitAccess &&
		   layout.workgroupMemoryExplicitLayout16BitAccess,
	   "workgroup memory can have explicit layouts");
	gives(create_device(names, COUNT(names), NULL, &d), VK_SUCCESS,
	      "a device takes their extensions");
	vkDestroyDevice(d, NULL);
}

int main(void)
{
	open_device();
	of_device();
	recording();
	descriptor_pools();
	private_data();
	cache();
	features();
	extension_features();
	return close_device();
}
