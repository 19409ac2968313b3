// SPDX-License-Identifier: MIT
/*
 * Descriptor pools and sets. A set is a table in the pool's memory, which the GPU reads; the host
 * reads a copy, since device memory is slow to read. Sets are allocated without allocating memory.
 */
#include "libsov/vulkan/driver.h"

/* ---- tables ---- */

struct table_cursor table_at(const struct table *t, uint32_t binding, uint32_t element)
{
	return (struct table_cursor){
		.table = t,
		.binding = set_layout_binding(t->layout, binding),
		.end = t->layout->bindings + t->layout->binding_count,
		.element = element,
	};
}

/* Past a binding's last descriptor stands the next binding's first; empty bindings are skipped. */
static bool cursor_settle(struct table_cursor *c)
{
	while (c->binding && c->binding < c->end && c->element >= c->binding->count) {
		c->element = 0;
		c->binding++;
	}
	return c->binding && c->binding < c->end;
}

static void table_store(const struct table *t, uint32_t offset, const void *data, uint32_t bytes)
{
	memcpy(t->shadow + offset, data, bytes);
	memcpy(t->cpu + offset, data, bytes);
}

/* What a table holds. All zero: a null descriptor. */
union descriptor {
	struct buffer_descriptor buffer;
	sov_image image;
	sov_sampled_texture sampled;
	sov_texture texture;
};

static void fill_buffer(VkDescriptorType type, const VkDescriptorBufferInfo *info,
			struct buffer_descriptor *b)
{
	if (!info->buffer)
		return;
	b->address = info->buffer->address + info->offset;
	b->bytes = info->range == VK_WHOLE_SIZE ? info->buffer->bytes - info->offset : info->range;
	if (info->range == VK_WHOLE_SIZE && descriptor_is_dynamic(type))
		b->bytes |= WHOLE_RANGE;
}

static sov_texture sampler_of(const struct table_cursor *c, const VkDescriptorImageInfo *info)
{
	if (c->binding->immutable)
		return c->binding->immutable[c->element];
	return info->sampler ? info->sampler->sampler : 0;
}

static void descriptor_fill(const struct table_cursor *c, VkDescriptorType type, const void *data,
			    union descriptor *x)
{
	const VkDescriptorImageInfo *info = data;
	const VkBufferView *view = data;

	switch (type) {
	case VK_DESCRIPTOR_TYPE_SAMPLER:
		x->texture = sampler_of(c, info);
		break;
	case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
		x->sampled.sampler = sampler_of(c, info);
		x->sampled.texture = info->imageView ? info->imageView->texture : 0;
		break;
	case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
		x->texture = info->imageView ? info->imageView->texture : 0;
		break;
	case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
		if (info->imageView)
			x->image = info->imageView->storage;
		break;
	case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
		x->texture = *view ? (*view)->texture : 0;
		break;
	case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
		if (*view)
			x->image = (*view)->storage;
		break;
	default:
		fill_buffer(type, data, &x->buffer);
	}
}

void table_put(struct table_cursor *c, VkDescriptorType type, const void *data)
{
	union descriptor x = {.image = {0}};

	if (!cursor_settle(c))
		return;
	descriptor_fill(c, type, data, &x);
	table_store(c->table, c->binding->offset + c->element * c->binding->stride, &x,
		    c->binding->stride);
	c->element++;
}

void table_put_immutable(const struct table *t, uint32_t bytes)
{
	uint32_t i, k;

	for (i = 0; i < t->layout->binding_count; i++) {
		const struct binding *b = &t->layout->bindings[i];

		if (!b->immutable || b->type != VK_DESCRIPTOR_TYPE_SAMPLER)
			continue;
		for (k = 0; k < b->count && b->offset + (k + 1) * b->stride <= bytes; k++)
			table_store(t, b->offset + k * b->stride, &b->immutable[k],
				    sizeof(sov_texture));
	}
}

void table_put_bytes(struct table_cursor *c, const void *data, uint32_t bytes)
{
	if (cursor_settle(c))
		table_store(c->table, c->binding->offset + c->element, data, bytes);
}

/* The element of the array that the type selects. */
static const void *written(const VkWriteDescriptorSet *w, uint32_t i)
{
	switch (w->descriptorType) {
	case VK_DESCRIPTOR_TYPE_SAMPLER:
	case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
	case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
	case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
		return &w->pImageInfo[i];
	case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
	case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
		return &w->pTexelBufferView[i];
	default:
		return &w->pBufferInfo[i];
	}
}

void table_write(const struct table *t, const VkWriteDescriptorSet *w)
{
	struct table_cursor c = table_at(t, w->dstBinding, w->dstArrayElement);
	const VkWriteDescriptorSetInlineUniformBlock *block;
	uint32_t i;

	if (w->descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK) {
		block = chain_find(w->pNext,
				   VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK);
		if (block)
			table_put_bytes(&c, block->pData, block->dataSize);
		return;
	}
	for (i = 0; i < w->descriptorCount; i++)
		table_put(&c, w->descriptorType, written(w, i));
}

static struct table set_table(VkDescriptorSet s)
{
	return (struct table){.layout = s->layout, .cpu = s->cpu, .shadow = s->shadow};
}

static void table_copy(const VkCopyDescriptorSet *copy)
{
	struct table from = set_table(copy->srcSet), to = set_table(copy->dstSet);
	struct table_cursor a = table_at(&from, copy->srcBinding, copy->srcArrayElement);
	struct table_cursor b = table_at(&to, copy->dstBinding, copy->dstArrayElement);
	uint32_t i;

	for (i = 0; i < copy->descriptorCount && cursor_settle(&a) && cursor_settle(&b); i++) {
		table_store(&to, b.binding->offset + b.element * b.binding->stride,
			    from.shadow + a.binding->offset + a.element * a.binding->stride,
			    b.binding->stride);
		a.element++;
		b.element++;
	}
}

VKAPI_ATTR void VKAPI_CALL vkUpdateDescriptorSets(VkDevice d, uint32_t write_count,
						  const VkWriteDescriptorSet *writes,
						  uint32_t copy_count,
						  const VkCopyDescriptorSet *copies)
{
	struct table t;
	uint32_t i;

	(void)d;
	for (i = 0; i < write_count; i++) {
		t = set_table(writes[i].dstSet);
		table_write(&t, &writes[i]);
	}
	for (i = 0; i < copy_count; i++)
		table_copy(&copies[i]);
}

/* ---- pools ---- */

static uint64_t pool_bytes(const VkDescriptorPoolCreateInfo *info)
{
	const VkDescriptorPoolInlineUniformBlockCreateInfo *blocks = chain_find(
		info->pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_INLINE_UNIFORM_BLOCK_CREATE_INFO);
	uint64_t bytes = TABLE_ALIGNMENT, descriptors = 0;
	uint32_t i;

	for (i = 0; i < info->poolSizeCount; i++) {
		descriptors += info->pPoolSizes[i].descriptorCount;
		bytes += (uint64_t)info->pPoolSizes[i].descriptorCount *
			 descriptor_bytes(info->pPoolSizes[i].type);
	}
	/* Programs that count the descriptors of one set, not of all (ggml of 2024), run on other
	 * drivers, which do not count. */
	if (descriptors < info->maxSets)
		bytes *= info->maxSets;
	/* Each block may need padding to the alignment. */
	bytes += (uint64_t)(blocks ? blocks->maxInlineUniformBlockBindings : 0) * TABLE_ALIGNMENT;
	return (bytes + TABLE_ALIGNMENT - 1) & ~(uint64_t)(TABLE_ALIGNMENT - 1);
}

static void pool_clear(VkDescriptorPool p)
{
	uint32_t i;

	p->first = p->last = p->free_objects = NULL;
	p->used = 0;
	for (i = p->max_sets; i; i--) {
		set_layout_put(p->objects[i - 1].layout);
		p->objects[i - 1].layout = NULL;
		p->objects[i - 1].next = p->free_objects;
		p->free_objects = &p->objects[i - 1];
	}
}

VKAPI_ATTR VkResult VKAPI_CALL vkCreateDescriptorPool(VkDevice d,
						      const VkDescriptorPoolCreateInfo *info,
						      const VkAllocationCallbacks *allocator,
						      VkDescriptorPool *pool)
{
	uint64_t bytes = pool_bytes(info);
	size_t objects = info->maxSets * sizeof(struct VkDescriptorSet_T);
	VkDescriptorPool p;
	VkResult r;

	if (bytes > UINT32_MAX)
		return VK_ERROR_OUT_OF_DEVICE_MEMORY;
	p = object_alloc(&d->allocator, allocator, sizeof(*p) + objects + bytes,
			 VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
	if (!p)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	p->objects = (struct VkDescriptorSet_T *)(p + 1);
	p->shadow = (uint8_t *)(p->objects + info->maxSets);
	p->max_sets = info->maxSets;
	p->bytes = (uint32_t)bytes;
	r = shared_memory_alloc(d, bytes, &p->memory);
	if (r) {
		object_free(&d->allocator, allocator, p);
		return r;
	}
	pool_clear(p);
	*pool = p;
	return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vkDestroyDescriptorPool(VkDevice d, VkDescriptorPool p,
						   const VkAllocationCallbacks *allocator)
{
	if (!p)
		return;
	pool_clear(p);
	shared_memory_free(d, &p->memory);
	object_free(&d->allocator, allocator, p);
}

VKAPI_ATTR VkResult VKAPI_CALL vkResetDescriptorPool(VkDevice d, VkDescriptorPool p,
						     VkDescriptorPoolResetFlags flags)
{
	(void)d;
	(void)flags;
	pool_clear(p);
	return VK_SUCCESS;
}

static uint32_t set_end(VkDescriptorSet s)
{
	return s ? s->offset + s->bytes : 0;
}

/* The set after which there is room, which is NULL for the pool's begin; false: nowhere. */
static bool pool_find_room(VkDescriptorPool p, uint32_t bytes, VkDescriptorSet *after)
{
	VkDescriptorSet s = NULL;

	*after = p->last;
	if (p->bytes - set_end(p->last) >= bytes)
		return true;
	do {
		VkDescriptorSet next = s ? s->next : p->first;

		*after = s;
		if (next && next->offset - set_end(s) >= bytes)
			return true;
		s = next;
	} while (s);
	return false;
}

static void pool_link(VkDescriptorPool p, VkDescriptorSet s, VkDescriptorSet after)
{
	s->previous = after;
	s->next = after ? after->next : p->first;
	*(after ? &after->next : &p->first) = s;
	*(s->next ? &s->next->previous : &p->last) = s;
}

static void pool_unlink(VkDescriptorPool p, VkDescriptorSet s)
{
	*(s->previous ? &s->previous->next : &p->first) = s->next;
	*(s->next ? &s->next->previous : &p->last) = s->previous;
}

/* Bytes of a set's table, the last binding of which may have fewer descriptors than its layout. */
static uint32_t set_bytes(VkDescriptorSetLayout l, const uint32_t *variable)
{
	const struct binding *b = l->binding_count ? &l->bindings[l->binding_count - 1] : NULL;

	if (!b || !variable || !(b->flags & VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT))
		return l->bytes;
	return (b->offset + *variable * b->stride + TABLE_ALIGNMENT - 1) &
	       ~(uint32_t)(TABLE_ALIGNMENT - 1);
}

static VkResult set_alloc(VkDescriptorPool p, VkDescriptorSetLayout l, const uint32_t *variable,
			  VkDescriptorSet *out)
{
	uint32_t bytes = set_bytes(l, variable);
	VkDescriptorSet s = p->free_objects, after;

	if (!s || bytes > p->bytes)
		return VK_ERROR_OUT_OF_POOL_MEMORY;
	if (!pool_find_room(p, bytes, &after))
		return p->bytes - p->used < bytes ? VK_ERROR_OUT_OF_POOL_MEMORY
						  : VK_ERROR_FRAGMENTED_POOL;
	p->free_objects = s->next;
	s->layout = l;
	set_layout_get(l);
	s->pool = p;
	s->bytes = bytes;
	s->offset = set_end(after);
	s->address = p->memory.address + s->offset;
	s->cpu = p->memory.cpu + s->offset;
	s->shadow = p->shadow + s->offset;
	pool_link(p, s, after);
	p->used += bytes;
	table_put_immutable(&(struct table){.layout = l, .cpu = s->cpu, .shadow = s->shadow},
			    bytes);
	*out = s;
	return VK_SUCCESS;
}

static void set_free(VkDescriptorPool p, VkDescriptorSet s)
{
	if (!s)
		return;
	pool_unlink(p, s);
	set_layout_put(s->layout);
	s->layout = NULL;
	s->next = p->free_objects;
	p->free_objects = s;
	p->used -= s->bytes;
}

VKAPI_ATTR VkResult VKAPI_CALL vkAllocateDescriptorSets(VkDevice d,
							const VkDescriptorSetAllocateInfo *info,
							VkDescriptorSet *sets)
{
	const VkDescriptorSetVariableDescriptorCountAllocateInfo *variable = chain_find(
		info->pNext,
		VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO);
	static const uint32_t none;
	VkResult r = VK_SUCCESS;
	uint32_t i, k;

	(void)d;
	for (i = 0; i < info->descriptorSetCount && !r; i++) {
		const uint32_t *count = !variable || !variable->descriptorSetCount
						? &none
						: &variable->pDescriptorCounts[i];

		r = set_alloc(info->descriptorPool, info->pSetLayouts[i], count, &sets[i]);
	}
	if (!r)
		return r;
	/* All or nothing: the failed one is the last that was tried. */
	for (k = 0; k + 1 < i; k++)
		set_free(info->descriptorPool, sets[k]);
	for (k = 0; k < info->descriptorSetCount; k++)
		sets[k] = VK_NULL_HANDLE;
	return r;
}

VKAPI_ATTR VkResult VKAPI_CALL vkFreeDescriptorSets(VkDevice d, VkDescriptorPool p, uint32_t count,
						    const VkDescriptorSet *sets)
{
	uint32_t i;

	(void)d;
	for (i = 0; i < count; i++)
		set_free(p, sets[i]);
	return VK_SUCCESS;
}
