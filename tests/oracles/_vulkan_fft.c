// SPDX-License-Identifier: MIT
/*
 * Transforms by VkFFT on the first Vulkan device, forward and inverse, compared with a direct sum.
 * The arguments are numbers of points; each is done in f32 and in f64. vulkan_fft.sh builds this.
 */
#include "vkFFT.h"
#include <complex.h>

static VkInstance instance;
static VkPhysicalDevice physical;
static VkDevice device;
static VkQueue queue;
static VkCommandPool pool;
static VkFence fence;

static void must(int failed, const char *what)
{
	if (!failed)
		return;
	printf("not ok 1 - %s: %d\n1..1\n", what, failed);
	exit(1);
}

static void open_device(void)
{
	VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
					 .apiVersion = VK_API_VERSION_1_2};
	VkInstanceCreateInfo instance_info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
					      .pApplicationInfo = &application};
	float priority = 1;
	VkDeviceQueueCreateInfo queue_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
					      .queueCount = 1,
					      .pQueuePriorities = &priority};
	VkPhysicalDeviceFeatures features = {.shaderFloat64 = VK_TRUE};
	VkDeviceCreateInfo device_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
					  .queueCreateInfoCount = 1,
					  .pQueueCreateInfos = &queue_info,
					  .pEnabledFeatures = &features};
	VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
	VkFenceCreateInfo fence_info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	uint32_t count = 1;

	must(vkCreateInstance(&instance_info, NULL, &instance), "vkCreateInstance");
	vkEnumeratePhysicalDevices(instance, &count, &physical);
	must(!count, "no device");
	must(vkCreateDevice(physical, &device_info, NULL, &device), "vkCreateDevice");
	vkGetDeviceQueue(device, 0, 0, &queue);
	must(vkCreateCommandPool(device, &pool_info, NULL, &pool), "vkCreateCommandPool");
	must(vkCreateFence(device, &fence_info, NULL, &fence), "vkCreateFence");
}

/* A buffer in memory that the host has mapped. */
static void *buffer_create(uint64_t bytes, VkBuffer *buffer, VkDeviceMemory *memory)
{
	VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
				   .size = bytes,
				   .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
					    VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
					    VK_BUFFER_USAGE_TRANSFER_DST_BIT};
	VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
	VkPhysicalDeviceMemoryProperties types;
	VkMemoryRequirements needs;
	void *cpu;

	vkGetPhysicalDeviceMemoryProperties(physical, &types);
	must(vkCreateBuffer(device, &info, NULL, buffer), "vkCreateBuffer");
	vkGetBufferMemoryRequirements(device, *buffer, &needs);
	allocate.allocationSize = needs.size;
	while (!(types.memoryTypes[allocate.memoryTypeIndex].propertyFlags &
		 VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT))
		allocate.memoryTypeIndex++;
	must(vkAllocateMemory(device, &allocate, NULL, memory), "vkAllocateMemory");
	must(vkBindBufferMemory(device, *buffer, *memory, 0), "vkBindBufferMemory");
	must(vkMapMemory(device, *memory, 0, bytes, 0, &cpu), "vkMapMemory");
	return cpu;
}

static void transform(VkFFTApplication *application, int direction)
{
	VkCommandBufferAllocateInfo allocate = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.commandPool = pool,
		.commandBufferCount = 1};
	VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	VkFFTLaunchParams launch = {0};
	VkCommandBuffer b;
	VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
			       .commandBufferCount = 1,
			       .pCommandBuffers = &b};

	must(vkAllocateCommandBuffers(device, &allocate, &b), "vkAllocateCommandBuffers");
	must(vkBeginCommandBuffer(b, &begin), "vkBeginCommandBuffer");
	launch.commandBuffer = &b;
	must(VkFFTAppend(application, direction, &launch), "VkFFTAppend");
	must(vkEndCommandBuffer(b), "vkEndCommandBuffer");
	must(vkQueueSubmit(queue, 1, &submit, fence), "vkQueueSubmit");
	must(vkWaitForFences(device, 1, &fence, VK_TRUE, UINT64_MAX), "vkWaitForFences");
	vkResetFences(device, 1, &fence);
	vkFreeCommandBuffers(device, pool, 1, &b);
}

static double complex value(const void *data, int wide, uint64_t i)
{
	return wide ? ((const double complex *)data)[i] : ((const float complex *)data)[i];
}

/* Relative error in the L2 norm. */
static double error_of(const void *got, int wide, const double complex *want, double scale,
		       uint64_t n)
{
	double difference = 0, norm = 0;
	uint64_t i;

	for (i = 0; i < n; i++) {
		difference += pow(cabs(value(got, wide, i) - want[i] * scale), 2);
		norm += pow(cabs(want[i] * scale), 2);
	}
	return sqrt(difference / norm);
}

static int check(uint64_t n, int wide, double *forward, double *inverse)
{
	uint64_t bytes = n * (wide ? 16 : 8), i, k;
	double complex *in = calloc(n, sizeof(*in)), *out = calloc(n, sizeof(*out));
	VkFFTConfiguration c = {0};
	VkFFTApplication application = {0};
	VkDeviceMemory memory;
	VkBuffer buffer;
	void *cpu = buffer_create(bytes, &buffer, &memory);

	srand(1);
	for (i = 0; i < n; i++) {
		float re = (float)rand() / (float)RAND_MAX - .5f;

		in[i] = re + I * ((float)rand() / (float)RAND_MAX - .5f);
		if (wide)
			((double complex *)cpu)[i] = in[i];
		else
			((float complex *)cpu)[i] = (float complex)in[i];
	}
	for (k = 0; k < n; k++)
		for (i = 0; i < n; i++)
			out[k] += in[i] * cexp(-2 * I * M_PI * (double)(i * k % n) / (double)n);
	c.FFTdim = 1;
	c.size[0] = n;
	c.device = &device;
	c.queue = &queue;
	c.fence = &fence;
	c.commandPool = &pool;
	c.physicalDevice = &physical;
	c.isCompilerInitialized = 1;
	c.doublePrecision = (uint64_t)wide;
	c.buffer = &buffer;
	c.bufferSize = &bytes;
	must(initializeVkFFT(&application, c), "initializeVkFFT");
	transform(&application, -1);
	*forward = error_of(cpu, wide, out, 1, n);
	transform(&application, 1);
	*inverse = error_of(cpu, wide, in, (double)n, n);
	deleteVkFFT(&application);
	vkDestroyBuffer(device, buffer, NULL);
	vkFreeMemory(device, memory, NULL);
	free(in);
	free(out);
	return *forward < (wide ? 2e-15 : 1e-6) && *inverse < (wide ? 2e-15 : 1e-6);
}

int main(int argc, char **argv)
{
	int i, wide, tests = 0, failed = 0;

	open_device();
	glslang_initialize_process();
	for (i = 1; i < argc; i++)
		for (wide = 0; wide < 2; wide++) {
			double forward, inverse;
			int good = check(strtoull(argv[i], NULL, 10), wide, &forward, &inverse);

			failed += !good;
			printf("%sok %d - VkFFT transforms %s points in f%d and back: %.1e, %.1e\n",
			       good ? "" : "not ", ++tests, argv[i], wide ? 64 : 32, forward,
			       inverse);
			fflush(stdout);
		}
	printf("1..%d\n", tests);
	return failed != 0;
}
