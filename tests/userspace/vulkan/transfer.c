// SPDX-License-Identifier: MIT
/* Memory, buffers, copies, fills and updates. */
#include "tests/userspace/vulkan/_vulkan.h"

#define WORDS 1024u

static bool all_are(const uint32_t *words, uint32_t first, uint32_t count, uint32_t value)
{
	uint32_t i;

	for (i = first; i < first + count; i++)
		if (words[i] != value) {
			diag("word %u is 0x%x, want 0x%x", i, words[i], value);
			return false;
		}
	return true;
}

static void properties(void)
{
	VkPhysicalDeviceMemoryBudgetPropertiesEXT budget = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
	VkPhysicalDeviceMemoryProperties2 two = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2, .pNext = &budget};
	struct memory m = memory_create(16 << 20, ON_DEVICE);
	uint64_t used;

	vkGetPhysicalDeviceMemoryProperties2(physical, &two);
	used = budget.heapUsage[0];
	ok(used >= 16 << 20 && used < budget.heapBudget[0],
	   "the budget counts memory that is in use");
	memory_destroy(&m);
	vkGetPhysicalDeviceMemoryProperties2(physical, &two);
	ok(budget.heapUsage[0] + (16 << 20) <= used, "and no longer when it was freed");
}

/* Fills, copies and updates between all kinds of memory. */
static void between(VkMemoryPropertyFlags from, VkMemoryPropertyFlags to, const char *names)
{
	struct memory a = memory_create(4 * WORDS, from), b = memory_create(4 * WORDS, to);
	struct memory result = memory_create(4 * WORDS, ON_HOST);
	VkBufferCopy pieces[2] = {{0, 0, 400}, {4 * 900, 400, 4}};
	VkBufferCopy whole = {0, 0, 4 * WORDS};
	uint32_t update[3] = {7, 8, 9}, *words = result.cpu;
	VkCommandBuffer c = begin();

	vkCmdFillBuffer(c, a.buffer, 0, VK_WHOLE_SIZE, 0x01020304);
	barrier(c);
	vkCmdFillBuffer(c, a.buffer, 4 * 900, 4, 5);
	vkCmdFillBuffer(c, b.buffer, 0, 4 * WORDS, 1);
	barrier(c);
	vkCmdCopyBuffer(c, a.buffer, b.buffer, 2, pieces);
	barrier(c);
	vkCmdUpdateBuffer(c, b.buffer, 4 * 200, sizeof(update), update);
	barrier(c);
	vkCmdCopyBuffer(c, b.buffer, result.buffer, 1, &whole);
	barrier(c);
	update[0] = 0; /* the command buffer has its copy */
	gives(finish(c), VK_SUCCESS, names);
	ok(all_are(words, 0, 100, 0x01020304) && words[100] == 5 && all_are(words, 101, 99, 1) &&
		   words[200] == 7 && words[201] == 8 && words[202] == 9 &&
		   all_are(words, 203, WORDS - 203, 1),
	   "%s: the words are right", names);
	memory_destroy(&a);
	memory_destroy(&b);
	memory_destroy(&result);
}

static void mapping(VkMemoryPropertyFlags flags, const char *name)
{
	struct memory m = memory_create(4 * WORDS, flags);
	struct memory result = memory_create(4 * WORDS, ON_HOST);
	VkBufferCopy2 region = {.sType = VK_STRUCTURE_TYPE_BUFFER_COPY_2,
				.srcOffset = 8,
				.dstOffset = 16,
				.size = 4};
	VkCopyBufferInfo2 info = {.sType = VK_STRUCTURE_TYPE_COPY_BUFFER_INFO_2,
				  .srcBuffer = m.buffer,
				  .dstBuffer = result.buffer,
				  .regionCount = 1,
				  .pRegions = &region};
	uint32_t *words = m.cpu;
	VkCommandBuffer c = begin();
	void *middle;

	vkCmdCopyBuffer2(c, &info);
	barrier(c);
	vkCmdFillBuffer(c, m.buffer, 0, 8, 3);
	barrier(c);
	words[2] = 4711; /* before the submission, after recording */
	MUST(finish(c));
	ok(((uint32_t *)result.cpu)[4] == 4711, "%s: the GPU reads what the host wrote", name);
	ok(words[0] == 3 && words[1] == 3 && words[2] == 4711,
	   "%s: the host reads what the GPU wrote", name);
	vkUnmapMemory(device, m.memory);
	MUST(vkMapMemory(device, m.memory, 8, 4, 0, &middle));
	ok(*(uint32_t *)middle == 4711, "%s: memory can be mapped again, from an offset on", name);
	memory_destroy(&m);
	memory_destroy(&result);
}

static void imported(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint32_t *mine = aligned_alloc(page, page);
	VkImportMemoryHostPointerInfoEXT import = {
		.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
		.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
		.pHostPointer = mine,
	};
	VkExternalMemoryBufferCreateInfo external = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
		.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
	};
	VkBufferCreateInfo buffer = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
				     .pNext = &external,
				     .size = page,
				     .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
	VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
				     .pNext = &import,
				     .allocationSize = page};
	VkMemoryHostPointerPropertiesEXT where = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};
	VkMemoryRequirements needs;
	VkDeviceMemory m;
	VkCommandBuffer c;
	VkBuffer b;

	MUST(vkGetMemoryHostPointerPropertiesEXT(device, import.handleType, mine, &where));
	while (!(where.memoryTypeBits >> info.memoryTypeIndex & 1))
		info.memoryTypeIndex++;
	if (!gives(vkAllocateMemory(device, &info, NULL, &m), VK_SUCCESS,
		   "memory of the program can be imported"))
		return;
	MUST(vkCreateBuffer(device, &buffer, NULL, &b));
	vkGetBufferMemoryRequirements(device, b, &needs);
	MUST(vkBindBufferMemory(device, b, m, 0));
	c = begin();
	vkCmdFillBuffer(c, b, 0, page, 42);
	barrier(c);
	MUST(finish(c));
	ok(all_are(mine, 0, (uint32_t)page / 4, 42), "the GPU writes imported memory");
	vkDestroyBuffer(device, b, NULL);
	vkFreeMemory(device, m, NULL);
	free(mine);
}

static void exhausted(void)
{
	VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
				     .allocationSize = 200 << 20};
	VkDeviceMemory a, b = VK_NULL_HANDLE;

	if (getenv("TEST_CARD"))
		return;
	MUST(vkAllocateMemory(device, &info, NULL, &a));
	gives(vkAllocateMemory(device, &info, NULL, &b), VK_ERROR_OUT_OF_DEVICE_MEMORY,
	      "memory that does not fit is VK_ERROR_OUT_OF_DEVICE_MEMORY");
	vkFreeMemory(device, a, NULL);
	gives(vkAllocateMemory(device, &info, NULL, &b), VK_SUCCESS, "freed memory is free");
	vkFreeMemory(device, b, NULL);
	vkFreeMemory(device, VK_NULL_HANDLE, NULL);
}

int main(void)
{
	open_device();
	properties();
	between(ON_DEVICE, ON_DEVICE, "device to device");
	between(ON_HOST, ON_DEVICE, "host to device");
	between(MAPPED_DEVICE, ON_HOST, "mapped device memory to host");
	mapping(ON_HOST, "host memory");
	mapping(MAPPED_DEVICE, "mapped device memory");
	imported();
	exhausted();
	return close_device();
}
