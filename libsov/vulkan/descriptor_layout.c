// SPDX-License-Identifier: MIT
/*
 * Descriptor set layouts: where each descriptor stands in a set's table. A kernel takes the address
 * of the table of each set that it uses; the compiler gets offset and stride of each binding.
 * Descriptors are the structures of sov.h, padded to 16 bytes.
 */
#include <stdlib.h>
#include "libsov/vulkan/driver.h"

/* A multiple of TABLE_ALIGNMENT. */
uint32_t descriptor_bytes(VkDescriptorType t)
{
	if (t == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK)
		return 1;
	return t == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE || t == VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER
		       ? sizeof(sov_image)
		       : sizeof(struct buffer_descriptor);
}

bool descriptor_is_dynamic(VkDescriptorType t)
{
	return t == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC ||
	       t == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
}

static int binding_compare(const void *a, const void *b)
{
	const struct binding *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

static uint32_t aligned(uint32_t bytes)
{
	return (bytes + TABLE_ALIGNMENT - 1) & ~(uint32_t)(TABLE_ALIGNMENT - 1);
}

/* Gives each binding its place. */
static void layout_place(VkDescriptorSetLayout l)
{
	uint32_t i;

	for (i = 0; i < l->binding_count; i++) {
		struct binding *b = &l->bindings[i];

		b->stride = descriptor_bytes(b->type);
		b->offset = l->bytes;
		b->dynamic = l->dynamic_count;
		l->bytes += aligned(b->count * b->stride);
		if (descriptor_is_dynamic(b->type))
			l->dynamic_count += b->count;
	}
}

static bool has_immutable(const VkDescriptorSetLayoutBinding *b)
{
	return b->pImmutableSamplers &&
	       (b->descriptorType == VK_DESCRIPTOR_TYPE_SAMPLER ||
		b->descriptorType == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER);
}

static uint32_t immutable_count(const VkDescriptorSetLayoutCreateInfo *info)
{
	uint32_t count = 0, i;

	for (i = 0; i < info->bindingCount; i++)
		if (has_immutable(&info->pBindings[i]))
			count += info->pBindings[i].descriptorCount;
	return count;
}

VKAPI_ATTR VkResult VKAPI_CALL
vkCreateDescriptorSetLayout(VkDevice d, const VkDescriptorSetLayoutCreateInfo *info,
			    const VkAllocationCallbacks *allocator, VkDescriptorSetLayout *layout)
{
	const VkDescriptorSetLayoutBindingFlagsCreateInfo *flags = chain_find(
		info->pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO);
	uint32_t samplers = immutable_count(info), i, k;
	VkDescriptorSetLayout l =
		object_alloc(&d->allocator, allocator,
			     sizeof(*l) + info->bindingCount * sizeof(struct binding) +
				     samplers * sizeof(sov_texture),
			     VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
	sov_texture *immutable;

	if (!l)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	immutable = (sov_texture *)(l->bindings + info->bindingCount);
	l->references = 1;
	l->allocator = allocator ? *allocator : d->allocator;
	l->push = info->flags & VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR;
	l->binding_count = info->bindingCount;
	for (i = 0; i < l->binding_count; i++) {
		struct binding *b = &l->bindings[i];

		b->type = info->pBindings[i].descriptorType;
		b->number = info->pBindings[i].binding;
		b->count = info->pBindings[i].descriptorCount;
		if (flags && flags->bindingCount)
			b->flags = flags->pBindingFlags[i];
		if (!has_immutable(&info->pBindings[i]))
			continue;
		b->immutable = immutable;
		for (k = 0; k < b->count; k++)
			*immutable++ = info->pBindings[i].pImmutableSamplers[k]->sampler;
	}
	qsort(l->bindings, l->binding_count, sizeof(*l->bindings), binding_compare);
	layout_place(l);
	*layout = l;
	return VK_SUCCESS;
}

void set_layout_get(VkDescriptorSetLayout l)
{
	__atomic_fetch_add(&l->references, 1, __ATOMIC_RELAXED);
}

void set_layout_put(VkDescriptorSetLayout l)
{
	VkAllocationCallbacks a;

	if (!l || __atomic_sub_fetch(&l->references, 1, __ATOMIC_ACQ_REL))
		return;
	a = l->allocator;
	object_free(&a, NULL, l);
}

VKAPI_ATTR void VKAPI_CALL vkDestroyDescriptorSetLayout(VkDevice d, VkDescriptorSetLayout l,
							const VkAllocationCallbacks *allocator)
{
	(void)d;
	(void)allocator;
	set_layout_put(l);
}

const struct binding *set_layout_binding(VkDescriptorSetLayout l, uint32_t number)
{
	uint32_t low = 0, high = l->binding_count;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (l->bindings[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low < l->binding_count && l->bindings[low].number == number ? &l->bindings[low]
									   : NULL;
}

static bool type_supported(VkDescriptorType t)
{
	return t <= VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC ||
	       t == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK;
}

VKAPI_ATTR void VKAPI_CALL vkGetDescriptorSetLayoutSupport(
	VkDevice d, const VkDescriptorSetLayoutCreateInfo *info, VkDescriptorSetLayoutSupport *out)
{
	VkDescriptorSetVariableDescriptorCountLayoutSupport *variable = (void *)chain_find(
		out->pNext,
		VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_LAYOUT_SUPPORT);
	VkPhysicalDeviceVulkan11Properties limits = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES};
	VkPhysicalDeviceProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &limits};
	uint64_t total = 0;
	uint32_t i;

	vkGetPhysicalDeviceProperties2(d->physical, &properties);
	out->supported = VK_TRUE;
	for (i = 0; i < info->bindingCount; i++) {
		total += info->pBindings[i].descriptorCount;
		if (info->pBindings[i].descriptorCount &&
		    !type_supported(info->pBindings[i].descriptorType))
			out->supported = VK_FALSE;
	}
	if (total > limits.maxPerSetDescriptors)
		out->supported = VK_FALSE;
	if (variable)
		variable->maxVariableDescriptorCount =
			out->supported ? limits.maxPerSetDescriptors : 0;
}
