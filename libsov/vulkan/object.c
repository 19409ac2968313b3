// SPDX-License-Identifier: MIT
/* Memory of objects through the program's allocation callbacks, and small helpers of all files. */
#include <stdlib.h>
#include "libsov/vulkan/driver.h"

static VKAPI_ATTR void *VKAPI_CALL default_alloc(void *user, size_t bytes, size_t alignment,
						 VkSystemAllocationScope scope)
{
	void *p = NULL;

	(void)user;
	(void)scope;
	if (alignment < sizeof(void *))
		alignment = sizeof(void *);
	return posix_memalign(&p, alignment, bytes) ? NULL : p;
}

static VKAPI_ATTR void *VKAPI_CALL default_realloc(void *user, void *old, size_t bytes,
						   size_t alignment, VkSystemAllocationScope scope)
{
	(void)user;
	(void)alignment;
	(void)scope;
	return realloc(old, bytes);
}

static VKAPI_ATTR void VKAPI_CALL default_free(void *user, void *p)
{
	(void)user;
	free(p);
}

const VkAllocationCallbacks default_allocator = {
	.pfnAllocation = default_alloc,
	.pfnReallocation = default_realloc,
	.pfnFree = default_free,
};

void *object_alloc(const VkAllocationCallbacks *parent, const VkAllocationCallbacks *own,
		   size_t bytes, VkSystemAllocationScope scope)
{
	const VkAllocationCallbacks *a = own ? own : parent;
	void *p = a->pfnAllocation(a->pUserData, bytes, 16, scope);

	return p ? memset(p, 0, bytes) : NULL;
}

void object_free(const VkAllocationCallbacks *parent, const VkAllocationCallbacks *own,
		 void *object)
{
	const VkAllocationCallbacks *a = own ? own : parent;

	if (object)
		a->pfnFree(a->pUserData, object);
}

const void *chain_find(const void *chain, VkStructureType type)
{
	const VkBaseInStructure *s;

	for (s = chain; s; s = s->pNext)
		if (s->sType == type)
			return s;
	return NULL;
}

VkResult result_of(sov_result r)
{
	static const VkResult results[] = {
		[SOV_OK] = VK_SUCCESS,
		[SOV_NOT_READY] = VK_NOT_READY,
		[SOV_ERROR_OUT_OF_MEMORY] = VK_ERROR_OUT_OF_DEVICE_MEMORY,
		[SOV_ERROR_OUT_OF_HOST_MEMORY] = VK_ERROR_OUT_OF_HOST_MEMORY,
		[SOV_ERROR_TIMEOUT] = VK_TIMEOUT,
		[SOV_ERROR_FAULT] = VK_ERROR_DEVICE_LOST,
		[SOV_ERROR_HANG] = VK_ERROR_DEVICE_LOST,
		[SOV_ERROR_DEVICE_LOST] = VK_ERROR_DEVICE_LOST,
		[SOV_ERROR_ASSERT] = VK_ERROR_DEVICE_LOST,
		[SOV_ERROR_CANCELLED] = VK_ERROR_DEVICE_LOST,
		[SOV_ERROR_NO_DEVICE] = VK_ERROR_INITIALIZATION_FAILED,
	};

	if ((uint32_t)r < COUNT(results) && (!r || results[r]))
		return results[r];
	return VK_ERROR_UNKNOWN;
}

VkResult list_out(const void *items, uint32_t available, size_t item_bytes, uint32_t *count,
		  void *out)
{
	uint32_t n = available;

	if (!out) {
		*count = available;
		return VK_SUCCESS;
	}
	if (n > *count)
		n = *count;
	if (n)
		memcpy(out, items, n * item_bytes);
	*count = n;
	return n < available ? VK_INCOMPLETE : VK_SUCCESS;
}
