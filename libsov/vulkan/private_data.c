// SPDX-License-Identifier: MIT
/* Private data: a value per object and slot, in a hash table of each slot that grows. */
#include "libsov/vulkan/driver.h"

struct entry {
	uint64_t object; /* 0: free */
	uint64_t value;
};

struct VkPrivateDataSlot_T {
	uint32_t count, capacity; /* capacity: 0 or a power of two */
	struct entry *entries;
};

VKAPI_ATTR VkResult VKAPI_CALL vkCreatePrivateDataSlot(VkDevice d,
						       const VkPrivateDataSlotCreateInfo *info,
						       const VkAllocationCallbacks *allocator,
						       VkPrivateDataSlot *slot)
{
	(void)info;
	*slot = object_alloc(&d->allocator, allocator, sizeof(**slot),
			     VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
	return *slot ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

VKAPI_ATTR void VKAPI_CALL vkDestroyPrivateDataSlot(VkDevice d, VkPrivateDataSlot s,
						    const VkAllocationCallbacks *allocator)
{
	if (!s)
		return;
	object_free(&d->allocator, NULL, s->entries);
	object_free(&d->allocator, allocator, s);
}

/* The object's entry, or the free one where it belongs. The table has a free entry. */
static struct entry *entry_find(const struct VkPrivateDataSlot_T *s, uint64_t object)
{
	uint32_t i = (uint32_t)((object * UINT64_C(0x9e3779b97f4a7c15)) >> 32);

	while (s->entries[i & (s->capacity - 1)].object &&
	       s->entries[i & (s->capacity - 1)].object != object)
		i++;
	return &s->entries[i & (s->capacity - 1)];
}

static bool slot_grow(VkDevice d, struct VkPrivateDataSlot_T *s)
{
	struct VkPrivateDataSlot_T bigger = {.capacity = s->capacity ? 2 * s->capacity : 16};
	uint32_t i;

	bigger.entries = object_alloc(&d->allocator, NULL, bigger.capacity * sizeof(struct entry),
				      VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
	if (!bigger.entries)
		return false;
	bigger.count = s->count;
	for (i = 0; i < s->capacity; i++)
		if (s->entries[i].object)
			*entry_find(&bigger, s->entries[i].object) = s->entries[i];
	object_free(&d->allocator, NULL, s->entries);
	*s = bigger;
	return true;
}

VKAPI_ATTR VkResult VKAPI_CALL vkSetPrivateData(VkDevice d, VkObjectType type, uint64_t object,
						VkPrivateDataSlot s, uint64_t value)
{
	VkResult r = VK_SUCCESS;
	struct entry *e;

	(void)type;
	pthread_mutex_lock(&d->lock);
	if (2 * s->count >= s->capacity && !slot_grow(d, s)) {
		r = VK_ERROR_OUT_OF_HOST_MEMORY;
	} else {
		e = entry_find(s, object);
		s->count += !e->object;
		*e = (struct entry){object, value};
	}
	pthread_mutex_unlock(&d->lock);
	return r;
}

VKAPI_ATTR void VKAPI_CALL vkGetPrivateData(VkDevice d, VkObjectType type, uint64_t object,
					    VkPrivateDataSlot s, uint64_t *value)
{
	(void)type;
	pthread_mutex_lock(&d->lock);
	*value = s->capacity ? entry_find(s, object)->value : 0;
	pthread_mutex_unlock(&d->lock);
}
