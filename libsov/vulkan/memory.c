// SPDX-License-Identifier: MIT
/* Device memory, and the memory that the driver shares with the GPU for itself. */
#include <unistd.h>
#include "libsov/vulkan/driver.h"

static VkResult memory_import(VkDevice d, VkDeviceMemory m,
			      const VkImportMemoryHostPointerInfoEXT *import)
{
	sov_result r = sov_host_register(d->context, import->pHostPointer, m->bytes);

	if (r)
		return r == SOV_ERROR_OUT_OF_HOST_MEMORY ? VK_ERROR_OUT_OF_HOST_MEMORY
							 : VK_ERROR_INVALID_EXTERNAL_HANDLE;
	m->imported = true;
	m->cpu = import->pHostPointer;
	m->address = SOV_HOST(m->cpu);
	return VK_SUCCESS;
}

static VkResult memory_alloc(VkDevice d, VkDeviceMemory m)
{
	sov_result r;

	if (m->type == MEMORY_HOST) {
		r = sov_host_alloc(d->context, m->bytes, &m->cpu);
		m->address = SOV_HOST(m->cpu);
		return result_of(r);
	}
	r = sov_memory_alloc(d->context, m->bytes, &m->address);
	if (!r && m->type == MEMORY_DEVICE_MAPPED) {
		r = sov_memory_map(d->context, m->address, &m->cpu);
		if (r) {
			sov_memory_free(d->context, m->address);
			r = SOV_ERROR_OUT_OF_MEMORY;
		}
	}
	return result_of(r);
}

VKAPI_ATTR VkResult VKAPI_CALL vkAllocateMemory(VkDevice d, const VkMemoryAllocateInfo *info,
						const VkAllocationCallbacks *allocator,
						VkDeviceMemory *memory)
{
	const VkImportMemoryHostPointerInfoEXT *import =
		chain_find(info->pNext, VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT);
	VkDeviceMemory m = object_alloc(&d->allocator, allocator, sizeof(*m),
					VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
	VkResult r;

	if (!m)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	m->type = (enum memory_type)info->memoryTypeIndex;
	m->bytes = info->allocationSize;
	if (import && import->handleType)
		r = memory_import(d, m, import);
	else
		r = memory_alloc(d, m);
	if (r)
		object_free(&d->allocator, allocator, m);
	else
		*memory = m;
	return r;
}

VKAPI_ATTR void VKAPI_CALL vkFreeMemory(VkDevice d, VkDeviceMemory m,
					const VkAllocationCallbacks *allocator)
{
	if (!m)
		return;
	if (m->imported)
		sov_host_unregister(d->context, m->cpu);
	else if (m->type == MEMORY_HOST)
		sov_host_free(d->context, m->cpu);
	else
		sov_memory_free(d->context, m->address);
	object_free(&d->allocator, allocator, m);
}

VKAPI_ATTR VkResult VKAPI_CALL vkMapMemory(VkDevice d, VkDeviceMemory m, VkDeviceSize offset,
					   VkDeviceSize bytes, VkMemoryMapFlags flags,
					   void **pointer)
{
	(void)d;
	(void)bytes;
	(void)flags;
	if (!m->cpu)
		return VK_ERROR_MEMORY_MAP_FAILED;
	*pointer = (uint8_t *)m->cpu + offset;
	return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vkUnmapMemory(VkDevice d, VkDeviceMemory m)
{
	(void)d;
	(void)m;
}

/* All mapped memory is coherent. */
VKAPI_ATTR VkResult VKAPI_CALL vkFlushMappedMemoryRanges(VkDevice d, uint32_t count,
							 const VkMappedMemoryRange *ranges)
{
	(void)d;
	(void)count;
	(void)ranges;
	return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL vkInvalidateMappedMemoryRanges(VkDevice d, uint32_t count,
							      const VkMappedMemoryRange *ranges)
{
	return vkFlushMappedMemoryRanges(d, count, ranges);
}

VKAPI_ATTR void VKAPI_CALL vkGetDeviceMemoryCommitment(VkDevice d, VkDeviceMemory m,
						       VkDeviceSize *bytes)
{
	(void)d;
	*bytes = m->bytes;
}

VKAPI_ATTR uint64_t VKAPI_CALL vkGetDeviceMemoryOpaqueCaptureAddress(
	VkDevice d, const VkDeviceMemoryOpaqueCaptureAddressInfo *info)
{
	(void)d;
	return info->memory->address;
}

VKAPI_ATTR VkResult VKAPI_CALL
vkGetMemoryHostPointerPropertiesEXT(VkDevice d, VkExternalMemoryHandleTypeFlagBits type,
				    const void *pointer, VkMemoryHostPointerPropertiesEXT *out)
{
	(void)d;
	(void)pointer;
	out->memoryTypeBits = type == VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT
				      ? 1u << MEMORY_HOST
				      : 0;
	return VK_SUCCESS;
}

VkResult shared_memory_alloc(VkDevice d, uint64_t bytes, struct shared_memory *m)
{
	void *cpu = NULL;
	sov_result r = sov_memory_alloc(d->context, bytes, &m->address);

	m->pinned = false;
	if (!r && sov_memory_map(d->context, m->address, &cpu)) {
		sov_memory_free(d->context, m->address);
		r = sov_host_alloc(d->context, bytes, &cpu);
		m->address = SOV_HOST(cpu);
		m->pinned = true;
	}
	m->cpu = r ? NULL : cpu;
	return result_of(r);
}

void shared_memory_free(VkDevice d, struct shared_memory *m)
{
	if (m->cpu && m->pinned)
		sov_host_free(d->context, m->cpu);
	else if (m->cpu)
		sov_memory_free(d->context, m->address);
	m->cpu = NULL;
}
