// SPDX-License-Identifier: MIT
/*
 * Compute pipelines. A pipeline is a module of the library, compiled from the shader's SPIR-V for
 * the pipeline layout, the specialisation constants and the entry point.
 */
#include <stdlib.h>
#include "libsov/vulkan/driver.h"

static VkResult pipeline_compile(VkDevice d, VkPipeline p, const VkComputePipelineCreateInfo *info)
{
	VkShaderModule m = info->stage.module;
	sov_result r = sov_module_load(d->context, m->code, m->bytes, NULL, &p->module);

	if (!r)
		r = sov_module_get_function(p->module, info->stage.pName, &p->function);
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
