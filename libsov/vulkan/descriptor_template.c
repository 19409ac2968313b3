// SPDX-License-Identifier: MIT
/* Descriptor update templates. */
#include "libsov/vulkan/driver.h"

VKAPI_ATTR VkResult VKAPI_CALL vkCreateDescriptorUpdateTemplate(
	VkDevice d, const VkDescriptorUpdateTemplateCreateInfo *info,
	const VkAllocationCallbacks *allocator, VkDescriptorUpdateTemplate *out)
{
	uint32_t count = info->descriptorUpdateEntryCount;
	VkDescriptorUpdateTemplate u =
		object_alloc(&d->allocator, allocator, sizeof(*u) + count * sizeof(*u->entries),
			     VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);

	if (!u)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	u->count = count;
	memcpy(u->entries, info->pDescriptorUpdateEntries, count * sizeof(*u->entries));
	*out = u;
	return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vkDestroyDescriptorUpdateTemplate(VkDevice d,
							     VkDescriptorUpdateTemplate u,
							     const VkAllocationCallbacks *allocator)
{
	object_free(&d->allocator, allocator, u);
}

void template_write(VkDescriptorUpdateTemplate u, const struct table *t, const void *data)
{
	uint32_t i, k;

	for (i = 0; i < u->count; i++) {
		const VkDescriptorUpdateTemplateEntry *e = &u->entries[i];
		const uint8_t *at = (const uint8_t *)data + e->offset;
		struct table_cursor c = table_at(t, e->dstBinding, e->dstArrayElement);

		if (e->descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK) {
			table_put_bytes(&c, at, e->descriptorCount);
			continue;
		}
		for (k = 0; k < e->descriptorCount; k++)
			table_put(&c, e->descriptorType, at + k * e->stride);
	}
}

VKAPI_ATTR void VKAPI_CALL vkUpdateDescriptorSetWithTemplate(VkDevice d, VkDescriptorSet s,
							     VkDescriptorUpdateTemplate u,
							     const void *data)
{
	struct table t = {.layout = s->layout, .cpu = s->cpu, .shadow = s->shadow};

	(void)d;
	template_write(u, &t, data);
}
