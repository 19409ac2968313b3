// SPDX-License-Identifier: MIT
/*
 * Compute pipelines. A pipeline is a module of the library, compiled from the shader's SPIR-V for
 * the pipeline layout, the specialisation constants and the entry point.
 */
#include <stdlib.h>
#include "libsov/vulkan/driver.h"

#define MAX_VALUE_BYTES 1024u /* of the sets that are arguments */
#define CHANGES_LATER \
	(VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT | \
	 VK_DESCRIPTOR_BINDING_UPDATE_UNUSED_WHILE_PENDING_BIT | \
	 VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT)

/* Whether dispatches may copy a set's descriptors: they do not change until it has run, and none is
 * an array, to which the shader may have pointers. A binding without descriptors may stand behind
 * the set's last byte. */
static bool set_is_value(VkDescriptorSetLayout s)
{
	uint32_t i;

	for (i = 0; i < s->binding_count; i++)
		if (s->bindings[i].count != 1 || s->bindings[i].flags & CHANGES_LATER ||
		    s->bindings[i].type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK)
			return false;
	return s->bytes;
}

/* Which sets are arguments. */
static void choose_values(VkPipeline p, VkPipelineLayout l)
{
	uint32_t set;

	for (set = 0; set < l->set_count; set++) {
		VkDescriptorSetLayout s = l->sets[set];

		if (!s || !set_is_value(s) || s->bytes > MAX_VALUE_BYTES - p->value_bytes)
			continue;
		p->set_bytes[set] = s->bytes;
		p->value_bytes += s->bytes;
	}
}

/* Number and list of the layout's bindings, the list only if there is one. */
static uint32_t layout_bindings(VkPipeline p, VkPipelineLayout l, sov_spirv_binding *out)
{
	uint32_t count = 0, set, i;

	for (set = 0; set < l->set_count; set++) {
		VkDescriptorSetLayout s = l->sets[set];

		for (i = 0; s && i < s->binding_count; i++, count++) {
			const struct binding *b = &s->bindings[i];
			bool block = b->type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK;

			if (!out)
				continue;
			out[count] = (sov_spirv_binding){
				.set = set,
				.binding = b->number,
				.offset = b->offset,
				.stride = block ? TABLE_ALIGNMENT : b->stride,
				.flags = block ? SOV_SPIRV_BINDING_INLINE : 0,
				.set_bytes = p->set_bytes[set],
			};
		}
	}
	return count;
}

/* The arguments of the kernel: each set up to the last one with bindings, the base
 * workgroup, and the push constants if the shader has them. */
static sov_result pipeline_arguments(VkPipeline p, const sov_spirv_binding *bindings,
				     uint32_t count)
{
	sov_function_attributes a = SOV_INIT(sov_function_attributes);
	sov_result r = sov_function_get_attributes(p->function, &a);
	uint32_t offset;

	p->set_count = count ? bindings[count - 1].set + 1 : 0;
	if (!r && a.parameters > p->set_count + p->base_argument)
		r = sov_function_get_parameter(p->function, a.parameters - 1, &offset,
					       &p->push_bytes);
	return !r && p->push_bytes > MAX_PUSH_CONSTANTS ? SOV_ERROR_INVALID_SOURCE : r;
}

static sov_result pipeline_load(VkDevice d, VkPipeline p, const VkComputePipelineCreateInfo *info,
				const sov_spirv_options *spirv)
{
	VkShaderModule m = info->stage.module;
	const VkShaderModuleCreateInfo *code =
		chain_find(info->stage.pNext, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
	sov_module_options options = SOV_INIT(sov_module_options);
	sov_result r;

	options.spirv = spirv;
	if (m)
		r = sov_module_load(d->context, m->code, m->bytes, &options, &p->module);
	else
		r = sov_module_load(d->context, code->pCode, code->codeSize, &options, &p->module);
	if (!r)
		r = sov_module_get_function(p->module, info->stage.pName, &p->function);
	if (!r)
		r = pipeline_arguments(p, spirv->bindings, spirv->binding_count);
	return r;
}

static VkResult pipeline_compile(VkDevice d, VkPipeline p, const VkComputePipelineCreateInfo *info)
{
	const VkSpecializationInfo *given = info->stage.pSpecializationInfo;
	uint32_t count = layout_bindings(p, info->layout, NULL), i;
	uint32_t constants = given ? given->mapEntryCount : 0;
	sov_spirv_binding *bindings = calloc(count + 1, sizeof(*bindings));
	sov_spirv_constant *values = calloc(constants + 1, sizeof(*values));
	sov_spirv_options spirv = SOV_INIT(sov_spirv_options);
	sov_result r = SOV_ERROR_OUT_OF_HOST_MEMORY;

	spirv.flags = SOV_SPIRV_LAYOUT | (d->robust_access ? SOV_SPIRV_ROBUST : 0) |
		      (p->base_argument ? SOV_SPIRV_BASE_WORKGROUP : 0);
	spirv.bindings = bindings;
	spirv.binding_count = count;
	spirv.constants = values;
	spirv.constant_count = constants;
	spirv.entry_point = info->stage.pName;
	if (bindings && values) {
		choose_values(p, info->layout);
		layout_bindings(p, info->layout, bindings);
		for (i = 0; i < constants; i++) {
			const VkSpecializationMapEntry *e = &given->pMapEntries[i];

			values[i] = (sov_spirv_constant){e->constantID, (uint32_t)e->size,
							 (const uint8_t *)given->pData + e->offset};
		}
		r = pipeline_load(d, p, info, &spirv);
	}
	free(bindings);
	free(values);
	if (r)
		report_error(d->physical->instance, "vkCreateComputePipelines");
	return result_of(r);
}

static void pipeline_destroy(VkDevice d, VkPipeline p, const VkAllocationCallbacks *allocator)
{
	if (p->module)
		sov_module_unload(p->module);
	object_free(&d->allocator, allocator, p);
}

static VkResult pipeline_create(VkDevice d, const VkComputePipelineCreateInfo *info,
				const VkAllocationCallbacks *allocator, VkPipeline *pipeline)
{
	VkPipeline p;
	VkResult r;

	*pipeline = VK_NULL_HANDLE;
	if (info->flags & VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT)
		return VK_PIPELINE_COMPILE_REQUIRED;
	p = object_alloc(&d->allocator, allocator, sizeof(*p), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
	if (!p)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	p->base_argument = info->flags & VK_PIPELINE_CREATE_DISPATCH_BASE_BIT;
	r = pipeline_compile(d, p, info);
	if (r)
		pipeline_destroy(d, p, allocator);
	else
		*pipeline = p;
	return r;
}

/* The duration of a pipeline's creation, which is that of its one stage. */
static void feedback_write(const VkComputePipelineCreateInfo *info, VkResult r, uint64_t start)
{
	const VkPipelineCreationFeedbackCreateInfo *f =
		chain_find(info->pNext, VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO);
	VkPipelineCreationFeedback written = {
		.flags = r ? 0 : VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT,
		.duration = monotonic_ns() - start,
	};
	uint32_t i;

	if (!f)
		return;
	*f->pPipelineCreationFeedback = written;
	for (i = 0; i < f->pipelineStageCreationFeedbackCount; i++)
		f->pPipelineStageCreationFeedbacks[i] = written;
}

VKAPI_ATTR VkResult VKAPI_CALL vkCreateComputePipelines(VkDevice d, VkPipelineCache cache,
							uint32_t count,
							const VkComputePipelineCreateInfo *infos,
							const VkAllocationCallbacks *allocator,
							VkPipeline *pipelines)
{
	VkResult all = VK_SUCCESS;
	bool stop = false;
	uint32_t i;

	(void)cache;
	for (i = 0; i < count; i++) {
		uint64_t start = monotonic_ns();
		VkResult r;

		pipelines[i] = VK_NULL_HANDLE;
		if (stop)
			continue;
		r = pipeline_create(d, &infos[i], allocator, &pipelines[i]);
		feedback_write(&infos[i], r, start);
		/* An error has precedence over a compilation that was not wanted. */
		if (r < 0 || (r && !all))
			all = r;
		stop = r && infos[i].flags & VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT;
	}
	return all;
}

VKAPI_ATTR void VKAPI_CALL vkDestroyPipeline(VkDevice d, VkPipeline p,
					     const VkAllocationCallbacks *allocator)
{
	if (p)
		pipeline_destroy(d, p, allocator);
}
