// SPDX-License-Identifier: MIT
/*
 * Latency of a dispatch, in nanoseconds: "vulkan" submits a recorded command buffer and waits for
 * its fence, "cuda" launches the same kernel through the CUDA driver API and synchronises its
 * stream. Both wait for each launch before the next. Prints the medians with and without the wait,
 * and fails if the kernel did not run as often as it was launched. vulkan.sh alternates both.
 *   vulkan_latency vulkan DRIVER SHADER.spv SAMPLES
 *   vulkan_latency cuda SAMPLES
 */
#define _GNU_SOURCE
#define VK_NO_PROTOTYPES
#include <string.h>
#include <time.h>
#include <vulkan/vk_icd.h>
#include <vulkan/vulkan.h>
#include "tests/silicon/driver.h"

#define TIME_LIMIT 60 /* seconds */
#define MAX_WAIT   UINT64_C(5000000000)
#define WARM       50u /* samples that are not counted */

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

struct samples {
	uint32_t count, taken;
	uint64_t *issue, *wait;
};

static struct samples samples_create(const char *text)
{
	struct samples s = {.count = (uint32_t)strtoul(text, NULL, 10)};

	s.issue = calloc(s.count + 1ull, sizeof(*s.issue));
	s.wait = calloc(s.count + 1ull, sizeof(*s.wait));
	if (!s.count || !s.issue || !s.wait) {
		fprintf(stderr, "BROKEN '%s' is no number of samples\n", text);
		exit(EXIT_BROKEN);
	}
	return s;
}

static void samples_add(struct samples *s, uint64_t from, uint64_t issued, uint64_t end)
{
	if (s->taken++ < WARM)
		return;
	s->issue[s->taken - 1 - WARM] = issued - from;
	s->wait[s->taken - 1 - WARM] = end - from;
}

static int samples_print(struct samples *s, uint32_t counted)
{
	qsort(s->issue, s->count, sizeof(*s->issue), compare_u64);
	qsort(s->wait, s->count, sizeof(*s->wait), compare_u64);
	if (counted != s->taken) {
		printf("WRONG %u dispatches counted to %u\n", s->taken, counted);
		return EXIT_WRONG;
	}
	printf("%llu %llu\n", (unsigned long long)s->wait[s->count / 2],
	       (unsigned long long)s->issue[s->count / 2]);
	free(s->issue);
	free(s->wait);
	return 0;
}

/* ---- Vulkan ---- */

#define VULKAN_FUNCTIONS(F) \
	F(EnumeratePhysicalDevices) \
	F(GetPhysicalDeviceMemoryProperties) \
	F(CreateDevice) \
	F(GetDeviceQueue) \
	F(CreateBuffer) \
	F(GetBufferMemoryRequirements) \
	F(AllocateMemory) \
	F(BindBufferMemory) \
	F(MapMemory) \
	F(CreateShaderModule) \
	F(CreateDescriptorSetLayout) \
	F(CreatePipelineLayout) \
	F(CreateComputePipelines) \
	F(CreateDescriptorPool) \
	F(AllocateDescriptorSets) \
	F(UpdateDescriptorSets) \
	F(CreateCommandPool) \
	F(AllocateCommandBuffers) \
	F(BeginCommandBuffer) \
	F(CmdBindPipeline) \
	F(CmdBindDescriptorSets) \
	F(CmdPushConstants) \
	F(CmdDispatch) \
	F(CmdPipelineBarrier) \
	F(EndCommandBuffer) \
	F(CreateFence) \
	F(QueueSubmit) \
	F(WaitForFences) \
	F(ResetFences)
#define VULKAN_DECLARE(name) static PFN_vk##name vk##name;
VULKAN_FUNCTIONS(VULKAN_DECLARE)

static void must_vulkan(VkResult r, const char *call)
{
	if (!r)
		return;
	printf("BROKEN %s: VkResult %d\n", call, r);
	exit(EXIT_BROKEN);
}
#define MUST(call) must_vulkan(call, #call)

static VkInstance open_driver(const char *path)
{
	VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
					 .apiVersion = VK_API_VERSION_1_3};
	VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
				     .pApplicationInfo = &application};
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	PFN_vkGetInstanceProcAddr get;
	PFN_vkCreateInstance create;
	VkInstance i;

	get = library ? (PFN_vkGetInstanceProcAddr)dlsym(library, "vk_icdGetInstanceProcAddr")
		      : NULL;
	if (!get) {
		printf("BROKEN no Vulkan driver: %s\n", dlerror());
		exit(EXIT_BROKEN);
	}
	create = (PFN_vkCreateInstance)get(NULL, "vkCreateInstance");
	MUST(create(&info, NULL, &i));
#define VULKAN_LOOK_UP(name) \
	vk##name = (PFN_vk##name)get(i, "vk" #name); \
	if (!vk##name) { \
		printf("BROKEN the driver has no vk" #name "\n"); \
		exit(EXIT_BROKEN); \
	}
	VULKAN_FUNCTIONS(VULKAN_LOOK_UP)
	return i;
}

struct dispatch {
	VkPhysicalDevice physical;
	VkDevice device;
	VkQueue queue;
	VkBuffer buffer;
	volatile uint32_t *word;
	VkPipelineLayout layout;
	VkPipeline pipeline;
	VkDescriptorSet set;
	VkDescriptorSetLayout set_layout;
	VkCommandBuffer commands;
	VkFence fence;
};

static void open_device(struct dispatch *d)
{
	const float priority = 1;
	VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
					 .queueCount = 1,
					 .pQueuePriorities = &priority};
	VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
				   .queueCreateInfoCount = 1,
				   .pQueueCreateInfos = &queue};

	MUST(vkCreateDevice(d->physical, &info, NULL, &d->device));
	vkGetDeviceQueue(d->device, 0, 0, &d->queue);
}

/* A type of memory that the host can map, in the device if there is one. */
static uint32_t mapped_type(VkPhysicalDevice physical, uint32_t allowed)
{
	const VkMemoryPropertyFlags mapped = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
	const VkMemoryPropertyFlags best = mapped | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
	VkPhysicalDeviceMemoryProperties types;
	uint32_t found = 0, i;

	vkGetPhysicalDeviceMemoryProperties(physical, &types);
	for (i = 0; i < types.memoryTypeCount; i++)
		if (allowed >> i & 1 && types.memoryTypes[i].propertyFlags & mapped)
			found = i;
	for (i = 0; i < types.memoryTypeCount; i++)
		if (allowed >> i & 1 && (types.memoryTypes[i].propertyFlags & best) == best)
			found = i;
	return found;
}

/* The word that the shader counts in. */
static void create_word(struct dispatch *d)
{
	VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
				   .size = 4,
				   .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
	VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
	VkMemoryRequirements needs;
	VkDeviceMemory memory;
	void *cpu;

	MUST(vkCreateBuffer(d->device, &info, NULL, &d->buffer));
	vkGetBufferMemoryRequirements(d->device, d->buffer, &needs);
	allocate.memoryTypeIndex = mapped_type(d->physical, needs.memoryTypeBits);
	allocate.allocationSize = needs.size;
	MUST(vkAllocateMemory(d->device, &allocate, NULL, &memory));
	MUST(vkBindBufferMemory(d->device, d->buffer, memory, 0));
	MUST(vkMapMemory(d->device, memory, 0, VK_WHOLE_SIZE, 0, &cpu));
	d->word = cpu;
	*d->word = 0;
}

static void create_pipeline(struct dispatch *d, const char *shader)
{
	static uint32_t code[4096];
	VkShaderModuleCreateInfo module = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
					   .pCode = code};
	VkDescriptorSetLayoutBinding binding = {.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
						.descriptorCount = 1,
						.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
	VkDescriptorSetLayoutCreateInfo set = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
		.bindingCount = 1,
		.pBindings = &binding};
	VkPushConstantRange push = {VK_SHADER_STAGE_COMPUTE_BIT, 0, 4};
	VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
					     .setLayoutCount = 1,
					     .pSetLayouts = &d->set_layout,
					     .pushConstantRangeCount = 1,
					     .pPushConstantRanges = &push};
	VkComputePipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		.stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
			  .pName = "main"}};
	FILE *f = fopen(shader, "rb");

	if (!f) {
		printf("BROKEN no shader %s\n", shader);
		exit(EXIT_BROKEN);
	}
	module.codeSize = fread(code, 1, sizeof(code), f);
	fclose(f);
	MUST(vkCreateShaderModule(d->device, &module, NULL, &info.stage.module));
	MUST(vkCreateDescriptorSetLayout(d->device, &set, NULL, &d->set_layout));
	MUST(vkCreatePipelineLayout(d->device, &layout, NULL, &d->layout));
	info.layout = d->layout;
	MUST(vkCreateComputePipelines(d->device, VK_NULL_HANDLE, 1, &info, NULL, &d->pipeline));
}

static void create_set(struct dispatch *d)
{
	VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1};
	VkDescriptorPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
					   .maxSets = 1,
					   .poolSizeCount = 1,
					   .pPoolSizes = &size};
	VkDescriptorSetAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
					    .descriptorSetCount = 1,
					    .pSetLayouts = &d->set_layout};
	VkDescriptorBufferInfo buffer = {d->buffer, 0, VK_WHOLE_SIZE};
	VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
				      .descriptorCount = 1,
				      .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
				      .pBufferInfo = &buffer};

	MUST(vkCreateDescriptorPool(d->device, &pool, NULL, &info.descriptorPool));
	MUST(vkAllocateDescriptorSets(d->device, &info, &d->set));
	write.dstSet = d->set;
	vkUpdateDescriptorSets(d->device, 1, &write, 0, NULL);
}

static void record(struct dispatch *d)
{
	VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
	VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
					    .commandBufferCount = 1};
	VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	VkMemoryBarrier to_host = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
				   .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
				   .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
	const uint32_t one = 1;

	MUST(vkCreateCommandPool(d->device, &pool, NULL, &info.commandPool));
	MUST(vkAllocateCommandBuffers(d->device, &info, &d->commands));
	MUST(vkBeginCommandBuffer(d->commands, &begin));
	vkCmdBindPipeline(d->commands, VK_PIPELINE_BIND_POINT_COMPUTE, d->pipeline);
	vkCmdBindDescriptorSets(d->commands, VK_PIPELINE_BIND_POINT_COMPUTE, d->layout, 0, 1,
				&d->set, 0, NULL);
	vkCmdPushConstants(d->commands, d->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &one);
	vkCmdDispatch(d->commands, 1, 1, 1);
	vkCmdPipelineBarrier(d->commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
			     VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &to_host, 0, NULL, 0, NULL);
	MUST(vkEndCommandBuffer(d->commands));
	MUST(vkCreateFence(d->device, &fence, NULL, &d->fence));
}

static int measure_vulkan(char **argv)
{
	struct samples s = samples_create(argv[4]);
	VkInstance i = open_driver(argv[2]);
	struct dispatch d = {0};
	VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
			       .commandBufferCount = 1,
			       .pCommandBuffers = &d.commands};
	uint32_t count = 1, counted;
	VkResult r = vkEnumeratePhysicalDevices(i, &count, &d.physical);

	must_vulkan(r == VK_INCOMPLETE ? VK_SUCCESS : r, "vkEnumeratePhysicalDevices");
	open_device(&d);
	create_word(&d);
	create_pipeline(&d, argv[3]);
	create_set(&d);
	record(&d);
	while (s.taken < s.count + WARM) {
		uint64_t from = now_ns(), issued;

		MUST(vkQueueSubmit(d.queue, 1, &submit, d.fence));
		issued = now_ns();
		MUST(vkWaitForFences(d.device, 1, &d.fence, VK_TRUE, MAX_WAIT));
		samples_add(&s, from, issued, now_ns());
		MUST(vkResetFences(d.device, 1, &d.fence));
	}
	counted = *d.word;
	/* The end of the process frees the other objects. */
	return samples_print(&s, counted);
}

/* ---- CUDA ---- */

static const char ptx[] =
	".version 7.0\n.target sm_50\n.address_size 64\n"
	".visible .entry count(.param .u64 p, .param .u32 n) {\n"
	"	.reg .b64 %p;\n	.reg .b32 %n, %x;\n"
	"	ld.param.u64 %p, [p];\n	ld.param.u32 %n, [n];\n	ld.global.u32 %x, [%p];\n"
	"	add.u32 %x, %x, %n;\n	st.global.u32 [%p], %x;\n	ret;\n}\n";

static int measure_cuda(char **argv)
{
	struct samples s = samples_create(argv[2]);
	cuda_handle module, function, stream;
	uint32_t one = 1, counted = 0;
	cuda_ptr word;
	void *arguments[] = {&word, &one};

	cuda_open();
	must(cuModuleLoadData(&module, ptx), "loading the kernel");
	must(cuModuleGetFunction(&function, module, "count"), "finding the kernel");
	must(cuStreamCreate(&stream, 1), "creating a stream");
	must(cuMemAlloc_v2(&word, 4), "allocating");
	must(cuMemcpyHtoD_v2(word, &counted, 4), "copying");
	while (s.taken < s.count + WARM) {
		uint64_t from = now_ns(), issued;

		must(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL),
		     "launching");
		issued = now_ns();
		must(cuStreamSynchronize(stream), "waiting");
		samples_add(&s, from, issued, now_ns());
	}
	must(cuMemcpyDtoH_v2(&counted, word, 4), "copying");
	return samples_print(&s, counted);
}

int main(int argc, char **argv)
{
	limit_time(TIME_LIMIT);
	if (argc == 5 && !strcmp(argv[1], "vulkan"))
		return measure_vulkan(argv);
	if (argc == 3 && !strcmp(argv[1], "cuda"))
		return measure_cuda(argv);
	fprintf(stderr, "usage: vulkan_latency vulkan DRIVER SHADER.spv SAMPLES | cuda SAMPLES\n");
	return EXIT_BROKEN;
}
