// SPDX-License-Identifier: MIT
/* Pipelines, descriptors and dispatches. Shaders are in the folder shaders. */
#include "tests/userspace/vulkan/_vulkan.h"

#define N 64

static struct memory x, y, block, grid;
static VkDescriptorPool descriptors;

static int32_t *words(const struct memory *m)
{
	return m->cpu;
}

static VkShaderModule shader(const char *name)
{
	VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
	static uint32_t code[4096];
	char path[256];
	VkShaderModule m;
	FILE *f;

	snprintf(path, sizeof(path), "tests/userspace/vulkan/shaders/%s.spv", name);
	f = fopen(path, "rb");
	if (!ok(f, "%s is there", path))
		exit(tap_done());
	info.codeSize = fread(code, 1, sizeof(code), f);
	info.pCode = code;
	fclose(f);
	MUST(vkCreateShaderModule(device, &info, NULL, &m));
	return m;
}

/* ---- the shader everything ---- */

struct program {
	VkDescriptorSetLayout sets[3];
	VkPipelineLayout layout;
	VkPipeline pipeline;
	VkDescriptorSet values, block_set;
};

static VkDescriptorSetLayout set_layout(const VkDescriptorSetLayoutBinding *bindings,
					uint32_t count, VkDescriptorSetLayoutCreateFlags flags)
{
	VkDescriptorSetLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
		.flags = flags,
		.bindingCount = count,
		.pBindings = bindings,
	};
	VkDescriptorSetLayout l;

	MUST(vkCreateDescriptorSetLayout(device, &info, NULL, &l));
	return l;
}

static VkPipelineLayout pipeline_layout(const VkDescriptorSetLayout *sets, uint32_t count,
					uint32_t push_bytes)
{
	VkPushConstantRange push = {VK_SHADER_STAGE_COMPUTE_BIT, 0, push_bytes};
	VkPipelineLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
		.setLayoutCount = count,
		.pSetLayouts = sets,
		.pushConstantRangeCount = 1,
		.pPushConstantRanges = &push,
	};
	VkPipelineLayout l;

	MUST(vkCreatePipelineLayout(device, &info, NULL, &l));
	return l;
}

static VkPipeline pipeline(VkPipelineLayout layout, VkShaderModule m,
			   const VkSpecializationInfo *constants, VkPipelineCreateFlags flags)
{
	VkComputePipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		.flags = flags,
		.stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
			  .module = m,
			  .pName = "main",
			  .pSpecializationInfo = constants},
		.layout = layout,
	};
	VkPipeline p = VK_NULL_HANDLE;

	MUST(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &p));
	return p;
}

/* Set 0 has two storage buffers, which may be pushed, set 1 nothing, set 2 the block. */
static void program_create(struct program *p, VkDescriptorType block_type, bool push)
{
	VkDescriptorSetLayoutBinding values[] = {
		{3, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
		{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
	};
	VkDescriptorSetLayoutBinding of_block = {
		1, block_type, block_type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK ? 16 : 1,
		VK_SHADER_STAGE_COMPUTE_BIT, NULL};
	uint32_t constants[2] = {16, 1000};
	VkSpecializationMapEntry entries[2] = {{0, 0, 4}, {1, 4, 4}};
	VkSpecializationInfo specialised = {2, entries, sizeof(constants), constants};
	VkShaderModule m = shader("everything");

	p->sets[0] = set_layout(values, 2,
				push ? VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR : 0);
	p->sets[1] = set_layout(NULL, 0, 0);
	p->sets[2] = set_layout(&of_block, 1, 0);
	p->layout = pipeline_layout(p->sets, 3, 8);
	p->pipeline = pipeline(p->layout, m, &specialised, VK_PIPELINE_CREATE_DISPATCH_BASE_BIT);
	vkDestroyShaderModule(device, m, NULL);
}

static VkDescriptorSet set_alloc(VkDescriptorSetLayout layout)
{
	VkDescriptorSetAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
		.descriptorPool = descriptors,
		.descriptorSetCount = 1,
		.pSetLayouts = &layout,
	};
	VkDescriptorSet s;

	MUST(vkAllocateDescriptorSets(device, &info, &s));
	return s;
}

static VkWriteDescriptorSet write_of(VkDescriptorSet s, uint32_t binding, VkDescriptorType type,
				     const VkDescriptorBufferInfo *buffer)
{
	return (VkWriteDescriptorSet){
		.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
		.dstSet = s,
		.dstBinding = binding,
		.descriptorCount = 1,
		.descriptorType = type,
		.pBufferInfo = buffer,
	};
}

static void program_destroy(struct program *p)
{
	uint32_t i;

	vkDestroyPipeline(device, p->pipeline, NULL);
	vkDestroyPipelineLayout(device, p->layout, NULL);
	for (i = 0; i < 3; i++)
		vkDestroyDescriptorSetLayout(device, p->sets[i], NULL);
	MUST(vkResetDescriptorPool(device, descriptors, 0));
}

static void inputs(void)
{
	int32_t i;

	for (i = 0; i < N; i++) {
		words(&x)[i] = 10 * i;
		words(&y)[i] = -1;
	}
}

/* y[i] = a * x[i] + 1000 + plus for first <= i < end, and -1 elsewhere. */
static void expect(int32_t first, int32_t end, int32_t a, int32_t plus, const char *promise)
{
	int32_t i, want;

	for (i = 0; i < N; i++) {
		want = i >= first && i < end ? a * 10 * i + 1000 + plus : -1;
		if (words(&y)[i] != want)
			break;
	}
	if (!ok(i == N, "%s", promise))
		diag("y[%d] is %d, want %d", i, words(&y)[i], want);
	inputs();
}

static void push(VkCommandBuffer b, const struct program *p, int32_t a, int32_t n)
{
	int32_t values[2] = {a, n};

	vkCmdPushConstants(b, p->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &values[0]);
	vkCmdPushConstants(b, p->layout, VK_SHADER_STAGE_COMPUTE_BIT, 4, 4, &values[1]);
}

/* Descriptor sets, an inline uniform block, and every kind of dispatch. */
static void dispatches(void)
{
	VkDescriptorBufferInfo buffers[2] = {{x.buffer, 0, VK_WHOLE_SIZE}, {y.buffer, 0, 4 * N}};
	int32_t data[4] = {70000, 0, 0, 0};
	VkWriteDescriptorSetInlineUniformBlock in_line = {
		.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK,
		.dataSize = 16,
		.pData = data,
	};
	VkWriteDescriptorSet writes[3];
	struct program p;
	VkCommandBuffer b;

	program_create(&p, VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, false);
	p.values = set_alloc(p.sets[0]);
	p.block_set = set_alloc(p.sets[2]);
	writes[0] = write_of(p.values, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &buffers[0]);
	writes[1] = write_of(p.values, 3, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &buffers[1]);
	writes[2] = write_of(p.block_set, 1, VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, NULL);
	writes[2].pNext = &in_line;
	writes[2].descriptorCount = 16;
	vkUpdateDescriptorSets(device, 3, writes, 0, NULL);
	inputs();
	b = begin();
	vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_COMPUTE, p.pipeline);
	vkCmdBindDescriptorSets(b, VK_PIPELINE_BIND_POINT_COMPUTE, p.layout, 0, 1, &p.values, 0,
				NULL);
	vkCmdBindDescriptorSets(b, VK_PIPELINE_BIND_POINT_COMPUTE, p.layout, 2, 1, &p.block_set, 0,
				NULL);
	push(b, &p, 3, 60);
	vkCmdDispatch(b, 4, 1, 1);
	barrier(b);
	MUST(finish(b));
	expect(0, 60, 3, 70000,
	       "a dispatch reads buffers, push constants, an inline block and constants");

	b = begin();
	vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_COMPUTE, p.pipeline);
	vkCmdBindDescriptorSets(b, VK_PIPELINE_BIND_POINT_COMPUTE, p.layout, 0, 1, &p.values, 0,
				NULL);
	vkCmdBindDescriptorSets(b, VK_PIPELINE_BIND_POINT_COMPUTE, p.layout, 2, 1, &p.block_set, 0,
				NULL);
	push(b, &p, 2, N);
	vkCmdDispatchBase(b, 1, 0, 0, 2, 1, 1);
	vkCmdDispatch(b, 0, 1, 1);
	barrier(b);
	MUST(finish(b));
	expect(16, 48, 2, 70000, "a dispatch begins at a base workgroup; one of none does nothing");

	b = begin();
	vkCmdFillBuffer(b, grid.buffer, 0, 4, 3);
	vkCmdFillBuffer(b, grid.buffer, 4, 8, 1);
	barrier(b);
	vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_COMPUTE, p.pipeline);
	vkCmdBindDescriptorSets(b, VK_PIPELINE_BIND_POINT_COMPUTE, p.layout, 0, 1, &p.values, 0,
				NULL);
	vkCmdBindDescriptorSets(b, VK_PIPELINE_BIND_POINT_COMPUTE, p.layout, 2, 1, &p.block_set, 0,
				NULL);
	push(b, &p, 5, N);
	vkCmdDispatchIndirect(b, grid.buffer, 0);
	barrier(b);
	MUST(finish(b));
	expect(0, 48, 5, 70000, "an indirect dispatch has the grid that the queue wrote before");
	program_destroy(&p);
}

/* A dynamic uniform buffer, a set that is a copy of another one, and a secondary buffer. */
static void dynamic(void)
{
	VkDescriptorBufferInfo buffers[3] = {
		{x.buffer, 0, 4 * N}, {y.buffer, 0, 4 * N}, {block.buffer, 0, 16}};
	VkCommandBufferInheritanceInfo inherited = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
	VkCommandBufferBeginInfo begin_info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
		.flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
		.pInheritanceInfo = &inherited,
	};
	VkCommandBufferAllocateInfo second_info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.level = VK_COMMAND_BUFFER_LEVEL_SECONDARY,
		.commandBufferCount = 1,
	};
	VkWriteDescriptorSet writes[3];
	VkCopyDescriptorSet copies[2];
	uint32_t offset = 256, i;
	VkDescriptorSet sets[2];
	VkCommandBuffer b, second;
	struct program p;

	program_create(&p, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, false);
	p.values = set_alloc(p.sets[0]);
	p.block_set = set_alloc(p.sets[2]);
	sets[0] = set_alloc(p.sets[0]);
	writes[0] = write_of(sets[0], 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &buffers[0]);
	writes[1] = write_of(sets[0], 3, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &buffers[1]);
	writes[2] =
		write_of(p.block_set, 1, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, &buffers[2]);
	vkUpdateDescriptorSets(device, 3, writes, 0, NULL);
	for (i = 0; i < 2; i++)
		copies[i] = (VkCopyDescriptorSet){
			.sType = VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET,
			.srcSet = sets[0],
			.srcBinding = i ? 3 : 0,
			.dstSet = p.values,
			.dstBinding = i ? 3 : 0,
			.descriptorCount = 1,
		};
	vkUpdateDescriptorSets(device, 0, NULL, 2, copies);
	words(&block)[0] = 1;
	words(&block)[64] = 2;
	b = begin();
	second_info.commandPool = pool;
	MUST(vkAllocateCommandBuffers(device, &second_info, &second));
	MUST(vkBeginCommandBuffer(second, &begin_info));
	vkCmdBindPipeline(second, VK_PIPELINE_BIND_POINT_COMPUTE, p.pipeline);
	vkCmdBindDescriptorSets(second, VK_PIPELINE_BIND_POINT_COMPUTE, p.layout, 0, 1, &p.values,
				0, NULL);
	vkCmdBindDescriptorSets(second, VK_PIPELINE_BIND_POINT_COMPUTE, p.layout, 2, 1,
				&p.block_set, 1, &offset);
	push(second, &p, 1, N);
	vkCmdDispatch(second, 4, 1, 1);
	MUST(vkEndCommandBuffer(second));
	vkCmdExecuteCommands(b, 1, &second);
	barrier(b);
	MUST(finish(b));
	expect(0, N, 1, 2, "a secondary command buffer uses a dynamic offset and a copied set");
	vkFreeCommandBuffers(device, pool, 1, &second);
	program_destroy(&p);
}

/* Push descriptors: each dispatch sees those that were pushed before it. */
static void pushed(void)
{
	VkDescriptorBufferInfo buffers[4] = {{x.buffer, 0, 4 * N},
					     {y.buffer, 0, 4 * N},
					     {block.buffer, 0, 16},
					     {y.buffer, 128, 128}};
	VkDescriptorUpdateTemplateEntry entry = {
		.dstBinding = 1,
		.descriptorCount = 1,
		.descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
		.stride = sizeof(*buffers),
	};
	VkDescriptorUpdateTemplateCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO,
		.descriptorUpdateEntryCount = 1,
		.pDescriptorUpdateEntries = &entry,
		.templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_DESCRIPTOR_SET,
	};
	VkWriteDescriptorSet writes[2];
	VkDescriptorUpdateTemplate u;
	struct program p;
	VkCommandBuffer b;
	int32_t i, bad = 0;

	program_create(&p, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, true);
	p.block_set = set_alloc(p.sets[2]);
	info.descriptorSetLayout = p.sets[2];
	MUST(vkCreateDescriptorUpdateTemplate(device, &info, NULL, &u));
	vkUpdateDescriptorSetWithTemplate(device, p.block_set, u, &buffers[2]);
	words(&block)[0] = 9;
	b = begin();
	vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_COMPUTE, p.pipeline);
	vkCmdBindDescriptorSets(b, VK_PIPELINE_BIND_POINT_COMPUTE, p.layout, 2, 1, &p.block_set, 0,
				NULL);
	writes[0] = write_of(VK_NULL_HANDLE, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &buffers[0]);
	writes[1] = write_of(VK_NULL_HANDLE, 3, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &buffers[1]);
	vkCmdPushDescriptorSetKHR(b, VK_PIPELINE_BIND_POINT_COMPUTE, p.layout, 0, 2, writes);
	push(b, &p, 1, 32);
	vkCmdDispatch(b, 2, 1, 1);
	writes[1].pBufferInfo = &buffers[3];
	vkCmdPushDescriptorSetKHR(b, VK_PIPELINE_BIND_POINT_COMPUTE, p.layout, 0, 1, &writes[1]);
	push(b, &p, 4, 32);
	vkCmdDispatch(b, 2, 1, 1);
	barrier(b);
	MUST(finish(b));
	for (i = 0; i < 32; i++)
		bad += words(&y)[i] != 10 * i + 1009 || words(&y)[32 + i] != 40 * i + 1009;
	ok(!bad, "dispatches have the descriptors that were pushed before them");
	inputs();

	/* y has 32 words for robust access; the pipeline writes 64. */
	b = begin();
	vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_COMPUTE, p.pipeline);
	vkCmdBindDescriptorSets(b, VK_PIPELINE_BIND_POINT_COMPUTE, p.layout, 2, 1, &p.block_set, 0,
				NULL);
	buffers[0].range = 64;
	buffers[3].offset = 0;
	vkCmdPushDescriptorSetKHR(b, VK_PIPELINE_BIND_POINT_COMPUTE, p.layout, 0, 2, writes);
	push(b, &p, 1, N);
	vkCmdDispatch(b, 4, 1, 1);
	barrier(b);
	MUST(finish(b));
	for (i = bad = 0; i < N; i++)
		bad += words(&y)[i] != (i < 16 ? 10 * i + 1009 : i < 32 ? 1009 : -1);
	ok(!bad, "reads past a buffer's range give 0, writes change nothing");
	inputs();
	vkDestroyDescriptorUpdateTemplate(device, u, NULL);
	program_destroy(&p);
}

/* An array of descriptors without a length, and a buffer's address. */
static void indexed(void)
{
	VkDescriptorSetLayoutBinding list = {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 8,
					     VK_SHADER_STAGE_COMPUTE_BIT, NULL};
	VkDescriptorBindingFlags variable = VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT |
					    VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT;
	VkDescriptorSetLayoutBindingFlagsCreateInfo flags = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
		.bindingCount = 1,
		.pBindingFlags = &variable,
	};
	VkDescriptorSetLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
		.pNext = &flags,
		.bindingCount = 1,
		.pBindings = &list,
	};
	uint32_t length = 4;
	VkDescriptorSetVariableDescriptorCountAllocateInfo count = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO,
		.descriptorSetCount = 1,
		.pDescriptorCounts = &length,
	};
	VkDescriptorSetAllocateInfo alloc = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
		.pNext = &count,
		.descriptorPool = descriptors,
		.descriptorSetCount = 1,
	};
	VkDescriptorBufferInfo buffers[3];
	struct {
		uint64_t address;
		int32_t count;
	} values = {y.address, 3};
	VkDescriptorSetLayout l;
	VkWriteDescriptorSet w;
	VkPipelineLayout layout;
	VkShaderModule m = shader("indexed");
	VkDescriptorSet s;
	VkCommandBuffer b;
	VkPipeline p;
	int32_t i, bad = 0;

	MUST(vkCreateDescriptorSetLayout(device, &info, NULL, &l));
	layout = pipeline_layout(&l, 1, 12);
	p = pipeline(layout, m, NULL, 0);
	alloc.pSetLayouts = &l;
	MUST(vkAllocateDescriptorSets(device, &alloc, &s));
	for (i = 0; i < 3; i++)
		buffers[i] = (VkDescriptorBufferInfo){x.buffer, (uint64_t)i * 64, 64};
	w = write_of(s, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, buffers);
	w.descriptorCount = 3;
	vkUpdateDescriptorSets(device, 1, &w, 0, NULL);
	b = begin();
	vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_COMPUTE, p);
	vkCmdBindDescriptorSets(b, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &s, 0, NULL);
	vkCmdPushConstants(b, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 12, &values);
	vkCmdDispatch(b, 1, 1, 1);
	barrier(b);
	MUST(finish(b));
	for (i = 0; i < 4; i++)
		bad += words(&y)[i] != 10 * (i + i + 16 + i + 32);
	ok(!bad, "a shader indexes descriptors and stores through an address");
	inputs();
	vkDestroyPipeline(device, p, NULL);
	vkDestroyPipelineLayout(device, layout, NULL);
	vkDestroyDescriptorSetLayout(device, l, NULL);
	vkDestroyShaderModule(device, m, NULL);
	MUST(vkResetDescriptorPool(device, descriptors, 0));
}

int main(void)
{
	VkDescriptorPoolSize sizes[] = {
		{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 16},
		{VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 2},
		{VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 2},
		{VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, 16},
	};
	VkDescriptorPoolInlineUniformBlockCreateInfo blocks = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_INLINE_UNIFORM_BLOCK_CREATE_INFO,
		.maxInlineUniformBlockBindings = 1,
	};
	VkDescriptorPoolCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
		.pNext = &blocks,
		.maxSets = 4,
		.poolSizeCount = COUNT(sizes),
		.pPoolSizes = sizes,
	};

	open_device();
	x = memory_create(4 * N, ON_HOST);
	y = memory_create(4 * N, ON_HOST);
	block = memory_create(512, MAPPED_DEVICE);
	grid = memory_create(12, ON_DEVICE);
	MUST(vkCreateDescriptorPool(device, &info, NULL, &descriptors));
	inputs();
	dispatches();
	dynamic();
	pushed();
	indexed();
	vkDestroyDescriptorPool(device, descriptors, NULL);
	memory_destroy(&x);
	memory_destroy(&y);
	memory_destroy(&block);
	memory_destroy(&grid);
	return close_device();
}
