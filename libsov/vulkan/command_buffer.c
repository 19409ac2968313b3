// SPDX-License-Identifier: MIT
/*
 * Command pools and command buffers. A command buffer is a list of steps in chunks of memory, which
 * a reset gives back to its pool: a pool that was used once allocates no memory any more.
 */
#include "libsov/vulkan/driver.h"

#define HOST_CHUNK_BYTES   16384u
#define SHARED_CHUNK_BYTES 65536u

/* A piece of host memory, or of shared memory. */
struct chunk {
	struct chunk *next;
	size_t used, bytes;
	struct shared_memory shared;
	uint8_t *data;
};

/* ---- chunks ---- */

static void chunk_destroy(VkCommandPool p, struct chunk *c)
{
	shared_memory_free(p->device, &c->shared);
	object_free(&p->allocator, NULL, c);
}

static void chunks_destroy(VkCommandPool p, struct chunk **list)
{
	struct chunk *c;

	while ((c = *list)) {
		*list = c->next;
		chunk_destroy(p, c);
	}
}

/* Takes a chunk with this much room from a list; NULL: none. */
static struct chunk *chunk_take(struct chunk **list, size_t bytes)
{
	struct chunk *c;

	for (; (c = *list); list = &c->next)
		if (c->bytes >= bytes) {
			*list = c->next;
			return c;
		}
	return NULL;
}

static struct chunk *chunk_create(VkCommandPool p, size_t bytes, bool shared, VkResult *r)
{
	size_t minimum = shared ? SHARED_CHUNK_BYTES : HOST_CHUNK_BYTES;
	size_t room = bytes > minimum ? bytes : minimum;
	struct chunk *c = object_alloc(&p->allocator, NULL, sizeof(*c) + (shared ? 0 : room),
				       VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);

	*r = c ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
	if (c && shared)
		*r = shared_memory_alloc(p->device, room, &c->shared);
	if (*r) {
		object_free(&p->allocator, NULL, c);
		return NULL;
	}
	c->bytes = room;
	c->data = shared ? c->shared.cpu : (uint8_t *)(c + 1);
	return c;
}

/* The command buffer's newest chunk if it has room, otherwise a new one; NULL after noting the
 * error. */
static struct chunk *chunk_with_room(VkCommandBuffer b, size_t bytes, bool shared)
{
	struct chunk **list = shared ? &b->shared : &b->chunks;
	struct chunk *c = *list;
	VkResult r = VK_SUCCESS;

	if (c && c->bytes - c->used >= bytes)
		return c;
	c = chunk_take(shared ? &b->pool->free_shared : &b->pool->free_chunks, bytes);
	if (!c)
		c = chunk_create(b->pool, bytes, shared, &r);
	if (!c) {
		b->error = b->error ? b->error : r;
		return NULL;
	}
	c->used = 0;
	c->next = *list;
	*list = c;
	return c;
}

void *command_alloc(VkCommandBuffer b, size_t bytes)
{
	size_t room = (bytes + 15) & ~(size_t)15;
	struct chunk *c = chunk_with_room(b, room, false);

	if (!c)
		return NULL;
	c->used += room;
	return c->data + c->used - room;
}

uint8_t *command_alloc_shared(VkCommandBuffer b, uint32_t bytes, sov_ptr *address)
{
	size_t room = (bytes + BUFFER_ALIGNMENT - 1) & ~(size_t)(BUFFER_ALIGNMENT - 1);
	struct chunk *c = chunk_with_room(b, room, true);

	if (!c)
		return NULL;
	*address = c->shared.address + c->used;
	c->used += room;
	return c->data + c->used - room;
}

void *command_append(VkCommandBuffer b, const struct command_kind *kind, size_t bytes)
{
	struct command *c = command_alloc(b, bytes);

	if (!c)
		return NULL;
	c->kind = kind;
	c->next = NULL;
	*b->last = c;
	b->last = &c->next;
	return c;
}

/* ---- command buffers ---- */

static void chunks_give_back(struct chunk **list, struct chunk **pool)
{
	struct chunk *c;

	while ((c = *list)) {
		*list = c->next;
		c->next = *pool;
		*pool = c;
	}
}

static void command_buffer_reset(VkCommandBuffer b)
{
	chunks_give_back(&b->chunks, &b->pool->free_chunks);
	chunks_give_back(&b->shared, &b->pool->free_shared);
	b->error = VK_SUCCESS;
	b->first = NULL;
	b->last = &b->first;
	b->pipeline = NULL;
	memset(b->sets, 0, sizeof(b->sets));
}

static VkResult command_buffer_create(VkCommandPool p, VkCommandBufferLevel level,
				      VkCommandBuffer *out)
{
	VkCommandBuffer b =
		object_alloc(&p->allocator, NULL, sizeof(*b), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);

	if (!b)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	set_loader_magic_value(b);
	b->device = p->device;
	b->pool = p;
	b->level = level;
	b->last = &b->first;
	b->next = p->buffers;
	p->buffers = b;
	*out = b;
	return VK_SUCCESS;
}

static void command_buffer_destroy(VkCommandBuffer b)
{
	VkCommandBuffer *at = &b->pool->buffers;

	while (*at != b)
		at = &(*at)->next;
	*at = b->next;
	command_buffer_reset(b);
	object_free(&b->pool->allocator, NULL, b);
}

VKAPI_ATTR VkResult VKAPI_CALL vkAllocateCommandBuffers(VkDevice d,
							const VkCommandBufferAllocateInfo *info,
							VkCommandBuffer *buffers)
{
	VkResult r = VK_SUCCESS;
	uint32_t i, k;

	(void)d;
	for (i = 0; i < info->commandBufferCount && !r; i++)
		r = command_buffer_create(info->commandPool, info->level, &buffers[i]);
	if (!r)
		return r;
	for (k = 0; k + 1 < i; k++)
		command_buffer_destroy(buffers[k]);
	for (k = 0; k < info->commandBufferCount; k++)
		buffers[k] = NULL;
	return r;
}

VKAPI_ATTR void VKAPI_CALL vkFreeCommandBuffers(VkDevice d, VkCommandPool p, uint32_t count,
						const VkCommandBuffer *buffers)
{
	uint32_t i;

	(void)d;
	(void)p;
	for (i = 0; i < count; i++)
		if (buffers[i])
			command_buffer_destroy(buffers[i]);
}

VKAPI_ATTR VkResult VKAPI_CALL vkBeginCommandBuffer(VkCommandBuffer b,
						    const VkCommandBufferBeginInfo *info)
{
	(void)info;
	command_buffer_reset(b);
	return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL vkEndCommandBuffer(VkCommandBuffer b)
{
	return b->error;
}

VKAPI_ATTR VkResult VKAPI_CALL vkResetCommandBuffer(VkCommandBuffer b,
						    VkCommandBufferResetFlags flags)
{
	command_buffer_reset(b);
	if (flags & VK_COMMAND_BUFFER_RESET_RELEASE_RESOURCES_BIT)
		vkTrimCommandPool(b->device, b->pool, 0);
	return VK_SUCCESS;
}

/* ---- pools ---- */

VKAPI_ATTR VkResult VKAPI_CALL vkCreateCommandPool(VkDevice d, const VkCommandPoolCreateInfo *info,
						   const VkAllocationCallbacks *allocator,
						   VkCommandPool *pool)
{
	VkCommandPool p = object_alloc(&d->allocator, allocator, sizeof(*p),
				       VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);

	if (!p)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	p->device = d;
	p->allocator = allocator ? *allocator : d->allocator;
	p->flags = info->flags;
	*pool = p;
	return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vkTrimCommandPool(VkDevice d, VkCommandPool p,
					     VkCommandPoolTrimFlags flags)
{
	(void)d;
	(void)flags;
	chunks_destroy(p, &p->free_chunks);
	chunks_destroy(p, &p->free_shared);
}

VKAPI_ATTR VkResult VKAPI_CALL vkResetCommandPool(VkDevice d, VkCommandPool p,
						  VkCommandPoolResetFlags flags)
{
	VkCommandBuffer b;

	for (b = p->buffers; b; b = b->next)
		command_buffer_reset(b);
	if (flags & VK_COMMAND_POOL_RESET_RELEASE_RESOURCES_BIT)
		vkTrimCommandPool(d, p, 0);
	return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vkDestroyCommandPool(VkDevice d, VkCommandPool p,
						const VkAllocationCallbacks *allocator)
{
	if (!p)
		return;
	while (p->buffers)
		command_buffer_destroy(p->buffers);
	vkTrimCommandPool(d, p, 0);
	object_free(&d->allocator, allocator, p);
}

/* ---- secondary command buffers ---- */

/* The queue runs the steps of the secondary one itself: they may have to continue later. */
const struct command_kind execute_secondary_kind = {.name = "vkCmdExecuteCommands"};

VKAPI_ATTR void VKAPI_CALL vkCmdExecuteCommands(VkCommandBuffer b, uint32_t count,
						const VkCommandBuffer *buffers)
{
	uint32_t i;

	for (i = 0; i < count; i++) {
		struct execute_secondary *e =
			command_append(b, &execute_secondary_kind, sizeof(*e));

		if (e)
			e->buffer = buffers[i];
	}
}

VKAPI_ATTR void VKAPI_CALL vkCmdSetDeviceMask(VkCommandBuffer b, uint32_t mask)
{
	(void)b;
	(void)mask;
}
