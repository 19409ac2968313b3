// SPDX-License-Identifier: MIT
/*
 * Dispatches. The arguments of a launch are the descriptor tables or their addresses, the first
 * workgroup if the pipeline has that argument, and the push constants; they are taken when the
 * dispatch is recorded. Dynamic offsets and push descriptors make tables in the command buffer.
 */
#include "libsov/vulkan/driver.h"

struct dispatch {
	struct command command;
	sov_function function;
	uint32_t grid[3], argument_count;
	uint32_t base[3];
	sov_ptr sets[MAX_SETS];
	const void *arguments[MAX_SETS + 2];
	/* Of an indirect dispatch: where the grid stands, and its address for the host if it has
	 * one. */
	sov_ptr indirect;
	const uint32_t *indirect_cpu;
	uint8_t data[]; /* descriptor tables, push constants */
};

/* ---- launching ---- */

static VkResult dispatch_launch(VkQueue q, const struct dispatch *x, const uint32_t *grid)
{
	sov_launch l = {
		.size = sizeof(l),
		.grid = {grid[0], grid[1], grid[2]},
		.stream = q->stream,
		.arguments = x->arguments,
		.argument_count = x->argument_count,
	};

	if (!grid[0] || !grid[1] || !grid[2])
		return VK_SUCCESS;
	return result_of(sov_function_launch(x->function, &l));
}

static VkResult dispatch_run(VkQueue q, const struct command *c, bool may_wait)
{
	const struct dispatch *x = (const struct dispatch *)c;

	(void)may_wait;
	return dispatch_launch(q, x, x->grid);
}

static const struct command_kind dispatch_kind = {"vkCmdDispatch", dispatch_run};

/* The host reads the grid, so it waits for the work before. */
static VkResult dispatch_indirect_run(VkQueue q, const struct command *c, bool may_wait)
{
	const struct dispatch *x = (const struct dispatch *)c;
	uint32_t grid[3];
	sov_result r = sov_stream_wait(q->stream, may_wait ? SOV_FOREVER : SOV_NO_WAIT);

	if (r)
		return r == SOV_NOT_READY ? VK_NOT_READY : result_of(r);
	if (x->indirect_cpu) {
		memcpy(grid, x->indirect_cpu, sizeof(grid));
	} else {
		r = sov_memory_copy_async(q->stream, SOV_HOST(grid), x->indirect, sizeof(grid));
		if (r)
			return result_of(r);
	}
	return dispatch_launch(q, x, grid);
}

static const struct command_kind indirect_kind = {"vkCmdDispatchIndirect", dispatch_indirect_run};

/* ---- recording ---- */

/* A set that the shader does not use may have another layout, or be none. */
static void copy_set(uint8_t *to, uint32_t bytes, const struct bound_set *s)
{
	uint32_t there = s->table ? s->bytes : 0;

	if (there > bytes)
		there = bytes;
	if (there)
		memcpy(to, s->table, there);
	memset(to + there, 0, bytes - there);
}

static struct dispatch *record_dispatch(VkCommandBuffer b, const struct command_kind *kind)
{
	VkPipeline p = b->pipeline;
	struct dispatch *x = command_append(b, kind, sizeof(*x) + p->value_bytes + p->push_bytes);
	uint8_t *data;
	uint32_t i;

	if (!x)
		return NULL;
	data = x->data;
	x->function = p->function;
	x->argument_count = 0;
	for (i = 0; i < p->set_count; i++) {
		x->sets[i] = b->sets[i].address;
		x->arguments[x->argument_count++] =
			p->set_bytes[i] ? (const void *)data : &x->sets[i];
		copy_set(data, p->set_bytes[i], &b->sets[i]);
		data += p->set_bytes[i];
	}
	if (p->base_argument)
		x->arguments[x->argument_count++] = x->base;
	memset(x->base, 0, sizeof(x->base));
	if (p->push_bytes) {
		memcpy(data, b->push, p->push_bytes);
		x->arguments[x->argument_count++] = data;
	}
	return x;
}

VKAPI_ATTR void VKAPI_CALL vkCmdDispatch(VkCommandBuffer b, uint32_t x, uint32_t y, uint32_t z)
{
	vkCmdDispatchBase(b, 0, 0, 0, x, y, z);
}

VKAPI_ATTR void VKAPI_CALL vkCmdDispatchBase(VkCommandBuffer b, uint32_t base_x, uint32_t base_y,
					     uint32_t base_z, uint32_t x, uint32_t y, uint32_t z)
{
	struct dispatch *d = record_dispatch(b, &dispatch_kind);

	if (!d)
		return;
	memcpy(d->base, (uint32_t[]){base_x, base_y, base_z}, sizeof(d->base));
	memcpy(d->grid, (uint32_t[]){x, y, z}, sizeof(d->grid));
}

VKAPI_ATTR void VKAPI_CALL vkCmdDispatchIndirect(VkCommandBuffer b, VkBuffer buffer,
						 VkDeviceSize offset)
{
	struct dispatch *d = record_dispatch(b, &indirect_kind);
	VkDeviceMemory m = buffer->memory;

	if (!d)
		return;
	d->indirect = buffer->address + offset;
	d->indirect_cpu = NULL;
	if (m->cpu)
		d->indirect_cpu =
			(const uint32_t *)((uint8_t *)m->cpu + (d->indirect - m->address));
}

/* ---- state ---- */

VKAPI_ATTR void VKAPI_CALL vkCmdBindPipeline(VkCommandBuffer b, VkPipelineBindPoint point,
					     VkPipeline pipeline)
{
	if (point == VK_PIPELINE_BIND_POINT_COMPUTE)
		b->pipeline = pipeline;
}

VKAPI_ATTR void VKAPI_CALL vkCmdPushConstants(VkCommandBuffer b, VkPipelineLayout layout,
					      VkShaderStageFlags stages, uint32_t offset,
					      uint32_t bytes, const void *values)
{
	(void)layout;
	(void)stages;
	memcpy(b->push + offset, values, bytes);
}

/* A copy of the set's table with the offsets added, for the dispatches that follow. */
static sov_ptr table_with_offsets(VkCommandBuffer b, VkDescriptorSet s, const uint32_t *offsets,
				  const uint8_t **table)
{
	VkDescriptorSetLayout l = s->layout;
	sov_ptr address = 0;
	uint8_t *cpu = command_alloc_shared(b, s->bytes, &address);
	uint32_t i, k;

	*table = cpu;
	if (!cpu)
		return 0;
	memcpy(cpu, s->shadow, s->bytes);
	for (i = 0; i < l->binding_count; i++) {
		const struct binding *at = &l->bindings[i];

		for (k = 0; descriptor_is_dynamic(at->type) && k < at->count; k++) {
			uint32_t place = at->offset + k * at->stride;
			struct buffer_descriptor d;

			memcpy(&d, s->shadow + place, sizeof(d));
			if (d.address)
				d.address += offsets[at->dynamic + k];
			if (d.bytes & WHOLE_RANGE)
				d.bytes -= WHOLE_RANGE + offsets[at->dynamic + k];
			memcpy(cpu + place, &d, sizeof(d));
		}
	}
	return address;
}

VKAPI_ATTR void VKAPI_CALL vkCmdBindDescriptorSets(VkCommandBuffer b, VkPipelineBindPoint point,
						   VkPipelineLayout layout, uint32_t first,
						   uint32_t count, const VkDescriptorSet *sets,
						   uint32_t offset_count, const uint32_t *offsets)
{
	uint32_t i;

	(void)layout;
	(void)offset_count;
	if (point != VK_PIPELINE_BIND_POINT_COMPUTE)
		return;
	for (i = 0; i < count; i++) {
		VkDescriptorSet s = sets[i];
		struct bound_set *to = &b->sets[first + i];

		*to = (struct bound_set){.set = s};
		if (!s)
			continue;
		to->address = s->address;
		to->table = s->shadow;
		to->bytes = s->bytes;
		if (s->layout->dynamic_count) {
			to->address = table_with_offsets(b, s, offsets, &to->table);
			offsets += s->layout->dynamic_count;
		}
	}
}

/* ---- push descriptors ---- */

/* Makes the set's next table from its last one; earlier dispatches keep theirs. */
static bool push_table(VkCommandBuffer b, VkPipelineLayout layout, uint32_t set, struct table *t)
{
	VkDescriptorSetLayout l = layout->sets[set];
	struct bound_set *to = &b->sets[set];
	uint8_t *last = to->layout == l ? to->shadow : NULL;
	sov_ptr address = 0;

	t->layout = l;
	t->shadow = command_alloc(b, l->bytes);
	t->cpu = command_alloc_shared(b, l->bytes, &address);
	if (!t->shadow || !t->cpu)
		return false;
	if (last)
		memcpy(t->shadow, last, l->bytes);
	else
		memset(t->shadow, 0, l->bytes);
	memcpy(t->cpu, t->shadow, l->bytes);
	table_put_immutable(t, l->bytes);
	*to = (struct bound_set){.address = address,
				 .table = t->shadow,
				 .bytes = l->bytes,
				 .layout = l,
				 .shadow = t->shadow};
	return true;
}

VKAPI_ATTR void VKAPI_CALL vkCmdPushDescriptorSetKHR(VkCommandBuffer b, VkPipelineBindPoint point,
						     VkPipelineLayout layout, uint32_t set,
						     uint32_t count,
						     const VkWriteDescriptorSet *writes)
{
	struct table t;
	uint32_t i;

	if (point != VK_PIPELINE_BIND_POINT_COMPUTE || !push_table(b, layout, set, &t))
		return;
	for (i = 0; i < count; i++)
		table_write(&t, &writes[i]);
}

VKAPI_ATTR void VKAPI_CALL vkCmdPushDescriptorSetWithTemplateKHR(VkCommandBuffer b,
								 VkDescriptorUpdateTemplate u,
								 VkPipelineLayout layout,
								 uint32_t set, const void *data)
{
	struct table t;

	if (push_table(b, layout, set, &t))
		template_write(u, &t, data);
}
