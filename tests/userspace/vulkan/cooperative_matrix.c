// SPDX-License-Identifier: MIT
/* VK_KHR_cooperative_matrix: features, the list of products, and one in a pipeline. */
#include <sys/wait.h>
#include "tests/userspace/vulkan/_vulkan.h"

#define SHADER "tests/userspace/compiler/spirv/shaders/cooperative_f16.spv"
#define N      256 /* elements of a matrix */

static void check_features(void)
{
	VkPhysicalDeviceCooperativeMatrixFeaturesKHR f = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR};
	VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
					      .pNext = &f};
	VkPhysicalDeviceCooperativeMatrixPropertiesKHR p = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_PROPERTIES_KHR};
	VkPhysicalDeviceProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &p};

	vkGetPhysicalDeviceFeatures2(physical, &features);
	ok(f.cooperativeMatrix && f.cooperativeMatrixRobustBufferAccess,
	   "the device has cooperative matrices, also with robust access");
	vkGetPhysicalDeviceProperties2(physical, &properties);
	ok(p.cooperativeMatrixSupportedStages == VK_SHADER_STAGE_COMPUTE_BIT,
	   "compute shaders have cooperative matrices");
}

static void check_list(void)
{
	VkCooperativeMatrixPropertiesKHR list[32] = {0};
	uint32_t count = 0, some = 2, found = 0, i;

	for (i = 0; i < COUNT(list); i++)
		list[i].sType = VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR;
	MUST(vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR(physical, &count, NULL));
	ok(count > 2 && count <= COUNT(list), "a device with matrix units lists products");
	gives(vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR(physical, &some, list),
	      VK_INCOMPLETE, "a list that is too short is incomplete");
	ok(some == 2 && list[1].MSize == 16 && !list[2].MSize, "it is as long as the caller said");
	MUST(vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR(physical, &count, list));
	for (i = 0; i < count; i++)
		found += list[i].MSize == 16 && list[i].NSize == 16 && list[i].KSize == 16 &&
			 list[i].AType == VK_COMPONENT_TYPE_FLOAT16_KHR &&
			 list[i].BType == list[i].AType &&
			 list[i].CType == VK_COMPONENT_TYPE_FLOAT32_KHR &&
			 list[i].ResultType == list[i].CType && !list[i].saturatingAccumulation &&
			 list[i].scope == VK_SCOPE_SUBGROUP_KHR && !list[i].pNext;
	ok(found == 1, "16 x 16 x 16 of f16 with sums of f32 is among them");
}

/* A device without matrix units, in a process of its own: devices are found once. */
static void check_navi(void)
{
	uint32_t count = 1;
	int status = 1;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		if (!freopen("/dev/null", "w", stdout))
			_exit(1);
		setenv("TEST_CHIP", "navi21:vram=256M", 1);
		setenv("SOV_NVRM", "0", 1);
		unsetenv("TEST_CARD");
		open_instance();
		MUST(vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR(physical, &count, NULL));
		_exit(count != 0);
	}
	ok(child > 0 && waitpid(child, &status, 0) == child && status == 0,
	   "a device without matrix units lists no product");
}

static VkPipeline create_pipeline(VkPipelineLayout layout)
{
	VkShaderModuleCreateInfo module = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
	VkComputePipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		.stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
			  .pName = "main"},
		.layout = layout,
	};
	static uint32_t code[4096];
	FILE *f = fopen(SHADER, "rb");
	VkPipeline p;

	if (!ok(f, SHADER " is there"))
		exit(tap_done());
	module.codeSize = fread(code, 1, sizeof(code), f);
	module.pCode = code;
	fclose(f);
	MUST(vkCreateShaderModule(device, &module, NULL, &info.stage.module));
	MUST(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &p));
	vkDestroyShaderModule(device, info.stage.module, NULL);
	return p;
}

/* A of ones by B of twos plus C of threes. */
static void check_product(void)
{
	VkDescriptorSetLayoutBinding bindings[5];
	VkDescriptorSetLayoutCreateInfo set = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
		.flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR,
		.bindingCount = 5,
		.pBindings = bindings,
	};
	VkPipelineLayoutCreateInfo layout_info = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1};
	VkDescriptorBufferInfo buffers[5];
	VkWriteDescriptorSet writes[5];
	struct memory m[5];
	VkDescriptorSetLayout set_layout;
	VkPipelineLayout layout;
	VkPipeline pipeline;
	VkCommandBuffer b;
	uint32_t k, wrong = 0;

	for (k = 0; k < 5; k++) {
		bindings[k] = (VkDescriptorSetLayoutBinding){k, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
							     1, VK_SHADER_STAGE_COMPUTE_BIT, NULL};
		m[k] = memory_create(N * 4, ON_HOST);
		buffers[k] = (VkDescriptorBufferInfo){m[k].buffer, 0, VK_WHOLE_SIZE};
		writes[k] = (VkWriteDescriptorSet){
			.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
			.dstBinding = k,
			.descriptorCount = 1,
			.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
			.pBufferInfo = &buffers[k],
		};
	}
	for (k = 0; k < N; k++) {
		((uint16_t *)m[0].cpu)[k] = 0x3c00;
		((uint16_t *)m[1].cpu)[k] = 0x4000;
		((float *)m[2].cpu)[k] = 3;
	}
	MUST(vkCreateDescriptorSetLayout(device, &set, NULL, &set_layout));
	layout_info.pSetLayouts = &set_layout;
	MUST(vkCreatePipelineLayout(device, &layout_info, NULL, &layout));
	pipeline = create_pipeline(layout);
	b = begin();
	vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
	vkCmdPushDescriptorSetKHR(b, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 5, writes);
	vkCmdDispatch(b, 1, 1, 1);
	barrier(b);
	MUST(finish(b));
	for (k = 0; k < N; k++)
		wrong += ((float *)m[3].cpu)[k] != 35 || ((float *)m[4].cpu)[k] != 35;
	ok(!wrong, "a pipeline multiplies cooperative matrices");
	vkDestroyPipeline(device, pipeline, NULL);
	vkDestroyPipelineLayout(device, layout, NULL);
	vkDestroyDescriptorSetLayout(device, set_layout, NULL);
	for (k = 0; k < 5; k++)
		memory_destroy(&m[k]);
}

int main(void)
{
	static const char *const names[] = {VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME,
					    VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME,
					    VK_EXT_ROBUSTNESS_2_EXTENSION_NAME};
	VkPhysicalDeviceCooperativeMatrixFeaturesKHR wanted = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR};

	check_navi();
	open_instance();
	check_features();
	check_list();
	wanted_features = &wanted;
	MUST(create_device(names, COUNT(names), NULL, &device));
	vkGetDeviceQueue(device, 0, 0, &queues[0]);
	check_product();
	return close_device();
}
