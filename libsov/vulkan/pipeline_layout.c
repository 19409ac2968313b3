// SPDX-License-Identifier: MIT
/* Shader modules, pipeline layouts and pipeline caches. The library caches compilations on disk, so
 * a pipeline cache holds nothing but its header. */
#include "libsov/vulkan/driver.h"

/* ---- shader modules ---- */

VKAPI_ATTR VkResult VKAPI_CALL vkCreateShaderModule(VkDevice d,
						    const VkShaderModuleCreateInfo *info,
						    const VkAllocationCallbacks *allocator,
						    VkShaderModule *module)
{
	VkShaderModule m = object_alloc(&d->allocator, allocator, sizeof(*m) + info->codeSize,
					VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);

	if (!m)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	m->bytes = info->codeSize;
	memcpy(m->code, info->pCode, info->codeSize);
	*module = m;
	return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vkDestroyShaderModule(VkDevice d, VkShaderModule m,
						 const VkAllocationCallbacks *allocator)
{
	object_free(&d->allocator, allocator, m);
}

/* ---- layouts ---- */

VKAPI_ATTR VkResult VKAPI_CALL vkCreatePipelineLayout(VkDevice d,
						      const VkPipelineLayoutCreateInfo *info,
						      const VkAllocationCallbacks *allocator,
						      VkPipelineLayout *layout)
{
	VkPipelineLayout l = object_alloc(&d->allocator, allocator, sizeof(*l),
					  VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
	uint32_t i;

	if (!l)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	l->references = 1;
	l->allocator = allocator ? *allocator : d->allocator;
	l->set_count = info->setLayoutCount;
	for (i = 0; i < l->set_count; i++) {
		l->sets[i] = info->pSetLayouts[i];
		if (l->sets[i])
			set_layout_get(l->sets[i]);
	}
	for (i = 0; i < info->pushConstantRangeCount; i++) {
		const VkPushConstantRange *r = &info->pPushConstantRanges[i];

		if (l->push_bytes < r->offset + r->size)
			l->push_bytes = r->offset + r->size;
	}
	*layout = l;
	return VK_SUCCESS;
}

static void layout_put(VkPipelineLayout l)
{
	VkAllocationCallbacks a;
	uint32_t i;

	if (!l || __atomic_sub_fetch(&l->references, 1, __ATOMIC_ACQ_REL))
		return;
	for (i = 0; i < l->set_count; i++)
		set_layout_put(l->sets[i]);
	a = l->allocator;
	object_free(&a, NULL, l);
}

VKAPI_ATTR void VKAPI_CALL vkDestroyPipelineLayout(VkDevice d, VkPipelineLayout l,
						   const VkAllocationCallbacks *allocator)
{
	(void)d;
	(void)allocator;
	layout_put(l);
}

/* ---- caches ---- */

VKAPI_ATTR VkResult VKAPI_CALL vkCreatePipelineCache(VkDevice d,
						     const VkPipelineCacheCreateInfo *info,
						     const VkAllocationCallbacks *allocator,
						     VkPipelineCache *cache)
{
	(void)info;
	/* A handle of its own; there is nothing in it. */
	*cache = object_alloc(&d->allocator, allocator, 16, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
	return *cache ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

VKAPI_ATTR void VKAPI_CALL vkDestroyPipelineCache(VkDevice d, VkPipelineCache cache,
						  const VkAllocationCallbacks *allocator)
{
	object_free(&d->allocator, allocator, cache);
}

VKAPI_ATTR VkResult VKAPI_CALL vkGetPipelineCacheData(VkDevice d, VkPipelineCache cache,
						      size_t *bytes, void *data)
{
	VkPipelineCacheHeaderVersionOne header = {
		.headerSize = sizeof(header),
		.headerVersion = VK_PIPELINE_CACHE_HEADER_VERSION_ONE,
	};
	VkPhysicalDeviceProperties p;

	(void)cache;
	if (!data) {
		*bytes = sizeof(header);
		return VK_SUCCESS;
	}
	if (*bytes < sizeof(header)) {
		*bytes = 0;
		return VK_INCOMPLETE;
	}
	vkGetPhysicalDeviceProperties(d->physical, &p);
	header.vendorID = p.vendorID;
	header.deviceID = p.deviceID;
	memcpy(header.pipelineCacheUUID, p.pipelineCacheUUID, VK_UUID_SIZE);
	memcpy(data, &header, sizeof(header));
	*bytes = sizeof(header);
	return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL vkMergePipelineCaches(VkDevice d, VkPipelineCache to, uint32_t count,
						     const VkPipelineCache *from)
{
	(void)d;
	(void)to;
	(void)count;
	(void)from;
	return VK_SUCCESS;
}
