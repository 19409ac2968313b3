// SPDX-License-Identifier: MIT
/*
 * Runs a compute shader on the first Vulkan device, with buffers and push constants that its
 * declarations ask for and random values for all numbers in them. The values depend on the seed
 * alone, so runs on two devices can be compared.
 *	_vulkan_shader MODULE SEED write FILE      the values that the buffers have afterwards
 *	_vulkan_shader MODULE SEED compare FILE    their differences from FILE
 *	_vulkan_shader MODULE REPEATS cost FILE    the driver's statistics and assembly, and the
 *						   least time to make a pipeline
 * An even seed makes a grid in two dimensions, in which shaders for one dimension race.
 * Exits with 3 if the module needs what this program does not offer: images, buffer addresses,
 * more than one kernel.
 */
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <vulkan/vulkan.h>

#define BUFFER_BYTES 65536 /* of a buffer that ends in an array without length */
#define MAX_BINDINGS 64
#define MAX_SETS     8
#define EXECUTABLE   VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR
#define TIME_LIMIT   120 /* seconds */

/* Opcodes, decorations and storage classes of the SPIR-V specification. */
enum {
	OP_ENTRY_POINT = 15,
	OP_TYPE_INT = 21,
	OP_TYPE_FLOAT = 22,
	OP_TYPE_VECTOR = 23,
	OP_TYPE_MATRIX = 24,
	OP_TYPE_ARRAY = 28,
	OP_TYPE_RUNTIME_ARRAY = 29,
	OP_TYPE_STRUCT = 30,
	OP_TYPE_POINTER = 32,
	OP_CONSTANT = 43,
	OP_SPEC_CONSTANT = 50,
	OP_VARIABLE = 59,
	OP_DECORATE = 71,
	OP_MEMBER_DECORATE = 72,
	DECORATION_SPEC_ID = 1,
	DECORATION_BUFFER_BLOCK = 3,
	DECORATION_ROW_MAJOR = 4,
	DECORATION_ARRAY_STRIDE = 6,
	DECORATION_MATRIX_STRIDE = 7,
	DECORATION_BUILT_IN = 11,
	DECORATION_BINDING = 33,
	DECORATION_SET = 34,
	DECORATION_OFFSET = 35,
	STORAGE_UNIFORM_CONSTANT = 0,
	STORAGE_UNIFORM = 2,
	STORAGE_PUSH_CONSTANT = 9,
	STORAGE_BUFFER = 12,
	OP_EXECUTION_MODE_ID = 331,
	MODE_LOCAL_SIZE_ID = 38,
	MODEL_COMPUTE = 5,
	BUILT_IN_WORKGROUP_SIZE = 25,
};

static uint32_t *code, words, bound;
static uint32_t **definition; /* the instruction that defines an id */
static const char *kernel;

struct binding {
	uint32_t set, number, count, type; /* type: the id of the structure */
	bool uniform;
	uint64_t bytes;
	VkBuffer buffer[8];
	uint8_t *data[8];
};
static struct binding bindings[MAX_BINDINGS];
static uint32_t binding_count, push_type, push_bytes;

static VkDevice device;
static VkPhysicalDevice physical;
static VkQueue queue;

__attribute__((noreturn, format(printf, 2, 3))) static void end(int status, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
	exit(status);
}

static void must(int failed, const char *what)
{
	if (failed)
		end(2, "%s: %d", what, failed);
}

/* The module. */

static uint32_t opcode(const uint32_t *at)
{
	return *at & 0xffff;
}

static uint32_t length(const uint32_t *at)
{
	return *at >> 16;
}

/* A decoration's value, or absent. Member -1 is the id itself. */
static uint32_t decoration(uint32_t id, int member, uint32_t which, uint32_t absent)
{
	for (uint32_t at = 5; at < words; at += length(code + at)) {
		const uint32_t *i = code + at;
		uint32_t skip = member < 0 ? 0 : 1;

		if (opcode(i) != (member < 0 ? OP_DECORATE : OP_MEMBER_DECORATE) || i[1] != id ||
		    i[2 + skip] != which)
			continue;
		if (skip && i[2] != (uint32_t)member)
			continue;
		return length(i) > 3 + skip ? i[3 + skip] : 1;
	}
	return absent;
}

static uint32_t constant(uint32_t id)
{
	uint32_t *i = definition[id];

	if (opcode(i) != OP_CONSTANT && opcode(i) != OP_SPEC_CONSTANT)
		end(3, "the length of an array is no plain constant");
	return i[3];
}

typedef void (*leaf_function)(void *data, uint64_t at, uint32_t bits, bool is_float);

/*
 * Calls a function for each number of a value of a type at an offset below limit; returns the end
 * of the value. Matrices take their stride from the member that holds them.
 */
static uint64_t walk(uint32_t id, uint64_t at, uint64_t limit, uint32_t matrix_stride,
		     bool row_major, leaf_function leaf, void *data)
{
	uint32_t *i = definition[id], count, stride;
	uint64_t end_of = at;

	switch (opcode(i)) {
	case OP_TYPE_INT:
	case OP_TYPE_FLOAT:
		if (leaf && at + i[2] / 8 <= limit)
			leaf(data, at, i[2], opcode(i) == OP_TYPE_FLOAT);
		return at + i[2] / 8;
	case OP_TYPE_VECTOR:
		for (uint32_t n = 0; n < i[3]; n++)
			end_of = walk(i[2], end_of, limit, 0, false, leaf, data);
		return end_of;
	case OP_TYPE_MATRIX: {
		uint32_t *column = definition[i[2]];
		uint32_t rows = column[3], columns = i[3];

		for (uint32_t c = 0; c < columns; c++)
			for (uint32_t r = 0; r < rows; r++) {
				uint32_t element = definition[column[2]][2] / 8;
				uint64_t offset = row_major ? r * matrix_stride + c * element
							    : c * matrix_stride + r * element;

				walk(column[2], at + offset, limit, 0, false, leaf, data);
			}
		return at + (uint64_t)matrix_stride * (row_major ? rows : columns);
	}
	case OP_TYPE_ARRAY:
	case OP_TYPE_RUNTIME_ARRAY:
		stride = decoration(id, -1, DECORATION_ARRAY_STRIDE, 0);
		if (!stride)
			end(3, "an array has no stride");
		count = opcode(i) == OP_TYPE_ARRAY ? constant(i[3])
			: at < limit               ? (limit - at) / stride
						   : 0;
		for (uint32_t n = 0; n < count; n++)
			walk(i[2], at + (uint64_t)n * stride, limit, matrix_stride, row_major, leaf,
			     data);
		return at + (uint64_t)count * stride;
	case OP_TYPE_STRUCT:
		for (uint32_t m = 0; m + 2 < length(i); m++) {
			uint64_t member =
				walk(i[2 + m], at + decoration(id, m, DECORATION_OFFSET, 0), limit,
				     decoration(id, m, DECORATION_MATRIX_STRIDE, matrix_stride),
				     decoration(id, m, DECORATION_ROW_MAJOR, 0), leaf, data);

			if (member > end_of)
				end_of = member;
		}
		return end_of;
	}
	end(3, "a buffer holds what this program does not fill (instruction %u)", opcode(i));
}

static bool has_runtime_array(uint32_t id)
{
	uint32_t *i = definition[id];

	if (opcode(i) == OP_TYPE_RUNTIME_ARRAY)
		return true;
	return opcode(i) == OP_TYPE_STRUCT && length(i) > 2 && has_runtime_array(i[length(i) - 1]);
}

static void add_binding(uint32_t variable, uint32_t type, bool uniform)
{
	struct binding *b = bindings + binding_count;

	if (binding_count == MAX_BINDINGS)
		end(3, "more than %d bindings", MAX_BINDINGS);
	b->count = 1;
	if (opcode(definition[type]) == OP_TYPE_RUNTIME_ARRAY)
		end(3, "an array of descriptors without length");
	if (opcode(definition[type]) == OP_TYPE_ARRAY) {
		b->count = constant(definition[type][3]);
		type = definition[type][2];
	}
	if (b->count > 8)
		end(3, "more than 8 descriptors in an array");
	b->set = decoration(variable, -1, DECORATION_SET, 0);
	b->number = decoration(variable, -1, DECORATION_BINDING, 0);
	b->uniform = uniform && !decoration(type, -1, DECORATION_BUFFER_BLOCK, 0);
	b->type = type;
	for (uint32_t n = 0; n < binding_count; n++)
		if (bindings[n].set == b->set && bindings[n].number == b->number)
			end(3, "two variables share a binding");
	if (b->set >= MAX_SETS)
		end(3, "more than %d sets", MAX_SETS);
	b->bytes = has_runtime_array(type) ? BUFFER_BYTES : walk(type, 0, 0, 0, false, NULL, NULL);
	b->bytes = (b->bytes + 15) & ~15ull;
	if (b->bytes > 64 << 20)
		end(3, "a buffer of more than 64 MB");
	binding_count++;
}

static void read_module(const char *path)
{
	FILE *file = fopen(path, "rb");
	long bytes;

	must(!file, path);
	fseek(file, 0, SEEK_END);
	bytes = ftell(file);
	rewind(file);
	code = calloc(1, bytes + 4);
	words = fread(code, 4, bytes / 4, file);
	fclose(file);
	if (words < 5 || code[0] != 0x07230203)
		end(3, "no SPIR-V in this machine's byte order");
	bound = code[3];
	definition = calloc(bound, sizeof(*definition));
	for (uint32_t at = 5; at < words; at += length(code + at)) {
		uint32_t *i = code + at, type;

		switch (opcode(i)) {
		case OP_ENTRY_POINT:
			if (i[1] != MODEL_COMPUTE || kernel)
				end(3, "more than one entry point, or no compute shader");
			kernel = (const char *)(i + 3);
			break;
		case OP_TYPE_INT ... OP_TYPE_POINTER:
			definition[i[1]] = i;
			break;
		case OP_CONSTANT ... OP_SPEC_CONSTANT + 2:
			definition[i[2]] = i;
			break;
		case OP_VARIABLE:
			type = definition[i[1]][3];
			if (i[3] == STORAGE_UNIFORM || i[3] == STORAGE_BUFFER) {
				add_binding(i[2], type, i[3] == STORAGE_UNIFORM);
			} else if (i[3] == STORAGE_PUSH_CONSTANT) {
				push_type = type;
				push_bytes = (walk(type, 0, 0, 0, false, NULL, NULL) + 3) & ~3u;
			} else if (i[3] == STORAGE_UNIFORM_CONSTANT) {
				end(3, "an image or a sampler");
			}
			break;
		}
		if (!length(i))
			end(3, "an instruction of no words");
	}
	if (!kernel)
		end(3, "no entry point");
}

/* Random values: small integers, since shaders take them as sizes and indices; modest floats. */

static uint64_t random_state;
static bool in_a_plane;

static uint32_t random_word(void)
{
	random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
	return random_state >> 33;
}

static uint16_t half_bits(float value)
{
	uint32_t bits, exponent;

	memcpy(&bits, &value, 4);
	exponent = bits >> 23 & 0xff;
	return exponent < 113
		       ? 0
		       : (bits >> 16 & 0x8000) | (exponent - 112) << 10 | (bits >> 13 & 0x3ff);
}

static void fill(void *data, uint64_t at, uint32_t bits, bool is_float)
{
	uint8_t *to = (uint8_t *)data + at;
	uint64_t integer = random_word() % 16;
	float value = (int32_t)(random_word() % 65536 - 32768) / 16384.f;
	double wide = value;
	uint16_t half = half_bits(value);

	memcpy(to,
	       is_float ? bits == 64   ? (void *)&wide
			  : bits == 16 ? (void *)&half
				       : (void *)&value
			: (void *)&integer,
	       bits / 8);
}

/* Differences. */

struct difference {
	const uint8_t *ours, *theirs;
	uint64_t numbers, unequal, wrong, first;
	double greatest;
};

static double number(const uint8_t *from, uint32_t bits)
{
	float value;
	double wide;
	uint16_t half;

	if (bits == 64) {
		memcpy(&wide, from, 8);
		return wide;
	}
	if (bits == 32) {
		memcpy(&value, from, 4);
		return value;
	}
	memcpy(&half, from, 2);
	if ((half & 0x7c00) == 0x7c00)
		return half & 0x3ff ? NAN : half & 0x8000 ? -INFINITY : INFINITY;
	wide = half & 0x7c00 ? ldexp((half & 0x3ff) + 1024, (half >> 10 & 31) - 25)
			     : ldexp(half & 0x3ff, -24);
	return half & 0x8000 ? -wide : wide;
}

/*
 * Vulkan bounds each operation's error, in ulp, and not a shader's: 2^-12 of the value in 32 bits
 * leaves room for some hundred operations, and 2^-18 for a difference that cancelled. Any NaN is as
 * good as another.
 */
static void compare(void *data, uint64_t at, uint32_t bits, bool is_float)
{
	struct difference *d = data;
	double ours, theirs, error, relative, absolute;

	d->numbers++;
	if (!memcmp(d->ours + at, d->theirs + at, bits / 8))
		return;
	d->unequal++;
	if (is_float) {
		ours = number(d->ours + at, bits);
		theirs = number(d->theirs + at, bits);
		if (isnan(ours) && isnan(theirs))
			return;
		if (ours == theirs)
			return;
		relative = bits == 64 ? 0x1p-40 : bits == 32 ? 0x1p-12 : 0x1p-6;
		absolute = relative / 64;
		error = fabs(ours - theirs);
		if (isfinite(error) && theirs != 0 && error / fabs(theirs) > d->greatest)
			d->greatest = error / fabs(theirs);
		if (error <= absolute || error <= relative * fabs(theirs))
			return;
	}
	if (!d->wrong++)
		d->first = at;
}

/* The device. */

static bool cost; /* the third command */

static VkBool32 VKAPI_CALL message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
				   VkDebugUtilsMessageTypeFlagsEXT type,
				   const VkDebugUtilsMessengerCallbackDataEXT *what, void *data)
{
	(void)severity, (void)type, (void)data;
	printf("%s\n", what->pMessage);
	return VK_FALSE;
}

static void open_device(void)
{
	VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
					 .apiVersion = VK_API_VERSION_1_3};
	VkDebugUtilsMessengerCreateInfoEXT messenger_info = {
		.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
		.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
		.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT |
			       VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
		.pfnUserCallback = message};
	const char *instance_extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
	VkInstanceCreateInfo instance_info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
					      .pApplicationInfo = &application,
					      .enabledExtensionCount = 1,
					      .ppEnabledExtensionNames = &instance_extension};
	VkDebugUtilsMessengerEXT messenger;
	PFN_vkCreateDebugUtilsMessengerEXT create_messenger;
	VkPhysicalDeviceRobustness2FeaturesEXT robust = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT};
	VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomic = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT};
	VkPhysicalDeviceVulkan13Features features13 = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
	VkPhysicalDeviceVulkan12Features features12 = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
		.pNext = &features13};
	VkPhysicalDeviceVulkan11Features features11 = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
		.pNext = &features12};
	VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
					      .pNext = &features11};
	float priority = 1;
	VkDeviceQueueCreateInfo queue_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
					      .queueCount = 1,
					      .pQueuePriorities = &priority};
	const char *extensions[3];
	VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR executable = {.sType = EXECUTABLE};
	VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
				   .pNext = &features,
				   .queueCreateInfoCount = 1,
				   .pQueueCreateInfos = &queue_info,
				   .ppEnabledExtensionNames = extensions};
	VkExtensionProperties properties[512];
	uint32_t count = 1, property_count = 512;
	VkInstance instance;

	must(vkCreateInstance(&instance_info, NULL, &instance), "vkCreateInstance");
	create_messenger = (PFN_vkCreateDebugUtilsMessengerEXT)vkGetInstanceProcAddr(
		instance, "vkCreateDebugUtilsMessengerEXT");
	if (create_messenger)
		must(create_messenger(instance, &messenger_info, NULL, &messenger),
		     "vkCreateDebugUtilsMessengerEXT");
	vkEnumeratePhysicalDevices(instance, &count, &physical);
	must(!count, "no device");
	vkEnumerateDeviceExtensionProperties(physical, NULL, &property_count, properties);
	for (uint32_t i = 0; i < property_count; i++) {
		if (!strcmp(properties[i].extensionName, VK_EXT_ROBUSTNESS_2_EXTENSION_NAME)) {
			extensions[info.enabledExtensionCount++] =
				VK_EXT_ROBUSTNESS_2_EXTENSION_NAME;
			robust.pNext = features.pNext;
			features.pNext = &robust;
		}
		if (cost && !strcmp(properties[i].extensionName,
				    VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME)) {
			extensions[info.enabledExtensionCount++] =
				VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME;
			executable.pNext = features.pNext;
			features.pNext = &executable;
		}
		if (!strcmp(properties[i].extensionName,
			    VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME)) {
			extensions[info.enabledExtensionCount++] =
				VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME;
			atomic.pNext = features.pNext;
			features.pNext = &atomic;
		}
	}
	vkGetPhysicalDeviceFeatures2(physical, &features);
	if (cost) /* as sov compiles by default */
		features.features.robustBufferAccess = features13.robustImageAccess =
			robust.robustBufferAccess2 = robust.robustImageAccess2 =
				robust.nullDescriptor = VK_FALSE;
	features13.privateData = features13.inlineUniformBlock = VK_FALSE;
	must(vkCreateDevice(physical, &info, NULL, &device), "vkCreateDevice");
	vkGetDeviceQueue(device, 0, 0, &queue);
}

static uint8_t *buffer_create(uint64_t bytes, bool uniform, VkBuffer *buffer)
{
	VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
				   .size = bytes,
				   .usage = uniform ? VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT
						    : VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
	VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
	VkPhysicalDeviceMemoryProperties properties;
	VkMemoryRequirements needs;
	VkDeviceMemory memory;
	void *mapped;
	VkMemoryPropertyFlags wanted =
		VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

	must(vkCreateBuffer(device, &info, NULL, buffer), "vkCreateBuffer");
	vkGetBufferMemoryRequirements(device, *buffer, &needs);
	vkGetPhysicalDeviceMemoryProperties(physical, &properties);
	allocate.allocationSize = needs.size;
	while (allocate.memoryTypeIndex < properties.memoryTypeCount &&
	       (!(needs.memoryTypeBits >> allocate.memoryTypeIndex & 1) ||
		(properties.memoryTypes[allocate.memoryTypeIndex].propertyFlags & wanted) !=
			wanted))
		allocate.memoryTypeIndex++;
	must(vkAllocateMemory(device, &allocate, NULL, &memory), "vkAllocateMemory");
	must(vkBindBufferMemory(device, *buffer, memory, 0), "vkBindBufferMemory");
	must(vkMapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, &mapped), "vkMapMemory");
	memset(mapped, 0, bytes);
	return mapped;
}

static void make_buffers(void)
{
	for (uint32_t n = 0; n < binding_count; n++) {
		struct binding *b = bindings + n;

		if (!b->bytes)
			end(3, "an empty buffer");
		for (uint32_t i = 0; i < b->count; i++) {
			b->data[i] = buffer_create(b->bytes, b->uniform, b->buffer + i);
			walk(b->type, 0, b->bytes, 0, false, fill, b->data[i]);
		}
	}
}

static VkDescriptorType descriptor_type(const struct binding *b)
{
	return b->uniform ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
}

static VkPipelineLayout make_sets(VkDescriptorSet *sets, uint32_t *set_count)
{
	VkDescriptorPoolSize sizes[2] = {{VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 8 * MAX_BINDINGS},
					 {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 8 * MAX_BINDINGS}};
	VkDescriptorPoolCreateInfo pool_info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
		.maxSets = MAX_SETS,
		.poolSizeCount = 2,
		.pPoolSizes = sizes};
	VkDescriptorSetLayout layouts[MAX_SETS];
	VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, push_bytes};
	VkPipelineLayoutCreateInfo layout_info = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
		.pSetLayouts = layouts,
		.pushConstantRangeCount = push_bytes != 0,
		.pPushConstantRanges = &range};
	VkDescriptorSetAllocateInfo allocate = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .pSetLayouts = layouts};
	VkDescriptorPool pool;
	VkPipelineLayout layout;

	*set_count = 0;
	for (uint32_t n = 0; n < binding_count; n++)
		if (bindings[n].set >= *set_count)
			*set_count = bindings[n].set + 1;
	for (uint32_t s = 0; s < *set_count; s++) {
		VkDescriptorSetLayoutBinding rows[MAX_BINDINGS];
		VkDescriptorSetLayoutCreateInfo info = {
			.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
			.pBindings = rows};

		for (uint32_t n = 0; n < binding_count; n++)
			if (bindings[n].set == s)
				rows[info.bindingCount++] = (VkDescriptorSetLayoutBinding){
					bindings[n].number, descriptor_type(bindings + n),
					bindings[n].count, VK_SHADER_STAGE_COMPUTE_BIT, NULL};
		must(vkCreateDescriptorSetLayout(device, &info, NULL, layouts + s),
		     "vkCreateDescriptorSetLayout");
	}
	layout_info.setLayoutCount = allocate.descriptorSetCount = *set_count;
	must(vkCreatePipelineLayout(device, &layout_info, NULL, &layout), "vkCreatePipelineLayout");
	if (cost)
		return layout;
	must(vkCreateDescriptorPool(device, &pool_info, NULL, &pool), "vkCreateDescriptorPool");
	allocate.descriptorPool = pool;
	if (*set_count)
		must(vkAllocateDescriptorSets(device, &allocate, sets), "vkAllocateDescriptorSets");
	for (uint32_t n = 0; n < binding_count; n++)
		for (uint32_t i = 0; i < bindings[n].count; i++) {
			VkDescriptorBufferInfo buffer = {bindings[n].buffer[i], 0, VK_WHOLE_SIZE};
			VkWriteDescriptorSet write = {
				.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
				.dstSet = sets[bindings[n].set],
				.dstBinding = bindings[n].number,
				.dstArrayElement = i,
				.descriptorCount = 1,
				.descriptorType = descriptor_type(bindings + n),
				.pBufferInfo = &buffer};

			vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
		}
	return layout;
}

static void specialise_axes(VkSpecializationInfo *info, VkSpecializationMapEntry *entries,
			    const uint32_t *ids)
{
	for (uint32_t axis = 0; axis < 3; axis++) {
		uint32_t number = decoration(ids[axis], -1, DECORATION_SPEC_ID, UINT32_MAX);

		if (number == UINT32_MAX || info->mapEntryCount == 3)
			continue;
		entries[info->mapEntryCount++] = (VkSpecializationMapEntry){number, 4 * axis, 4};
	}
}

/* Specialisation constants that size the workgroup, whose defaults are often 1: 32 invocations. */
static void specialise_workgroup(VkSpecializationInfo *info)
{
	static const uint32_t sizes[2][3] = {{32, 1, 1}, {8, 4, 1}};
	static VkSpecializationMapEntry entries[3];

	*info = (VkSpecializationInfo){
		.pMapEntries = entries, .dataSize = sizeof(sizes[0]), .pData = sizes[in_a_plane]};
	for (uint32_t at = 5; at < words; at += length(code + at)) {
		uint32_t *i = code + at;

		if (opcode(i) == OP_EXECUTION_MODE_ID && i[2] == MODE_LOCAL_SIZE_ID)
			specialise_axes(info, entries, i + 3);
		if (opcode(i) == OP_DECORATE && i[2] == DECORATION_BUILT_IN &&
		    i[3] == BUILT_IN_WORKGROUP_SIZE && definition[i[1]])
			specialise_axes(info, entries, definition[i[1]] + 3);
	}
}

/* Writes what the driver tells about a pipeline. */
static void write_executable(VkPipeline pipeline, FILE *file)
{
	PFN_vkGetPipelineExecutableStatisticsKHR statistics =
		(PFN_vkGetPipelineExecutableStatisticsKHR)vkGetDeviceProcAddr(
			device, "vkGetPipelineExecutableStatisticsKHR");
	PFN_vkGetPipelineExecutableInternalRepresentationsKHR texts =
		(PFN_vkGetPipelineExecutableInternalRepresentationsKHR)vkGetDeviceProcAddr(
			device, "vkGetPipelineExecutableInternalRepresentationsKHR");
	VkPipelineExecutableInfoKHR info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR,
					    .pipeline = pipeline};
	VkPipelineExecutableStatisticKHR numbers[64];
	VkPipelineExecutableInternalRepresentationKHR all[16];
	uint32_t count = 64;

	if (!statistics || !texts)
		end(3, "the driver tells nothing about pipelines");
	for (uint32_t n = 0; n < 64; n++)
		numbers[n] = (VkPipelineExecutableStatisticKHR){
			.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR};
	must(statistics(device, &info, &count, numbers), "statistics");
	for (uint32_t n = 0; n < count; n++)
		fprintf(file, "statistic %s: %lu\n", numbers[n].name, numbers[n].value.u64);
	count = 16;
	for (uint32_t n = 0; n < 16; n++)
		all[n] = (VkPipelineExecutableInternalRepresentationKHR){
			.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INTERNAL_REPRESENTATION_KHR};
	must(texts(device, &info, &count, all), "representations");
	for (uint32_t n = 0; n < count; n++)
		must(!(all[n].pData = calloc(1, all[n].dataSize + 1)), "memory");
	must(texts(device, &info, &count, all), "representations");
	for (uint32_t n = 0; n < count; n++)
		if (all[n].isText)
			fprintf(file, "text %s\n%s\n", all[n].name, (char *)all[n].pData);
}

/* Leaves the driver's cache of a pipeline, which has its machine code, in /tmp/cache. */
static void write_cache(const VkComputePipelineCreateInfo *info)
{
	VkPipelineCacheCreateInfo cache_info = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
	FILE *file = fopen("/tmp/cache", "wb");
	VkPipelineCache cache;
	VkPipeline pipeline;
	size_t bytes = 0;
	void *data;

	must(!file, "/tmp/cache");
	must(vkCreatePipelineCache(device, &cache_info, NULL, &cache), "vkCreatePipelineCache");
	must(vkCreateComputePipelines(device, cache, 1, info, NULL, &pipeline),
	     "vkCreateComputePipelines");
	vkDestroyPipeline(device, pipeline, NULL);
	must(vkGetPipelineCacheData(device, cache, &bytes, NULL), "vkGetPipelineCacheData");
	data = malloc(bytes);
	must(!data || vkGetPipelineCacheData(device, cache, &bytes, data),
	     "vkGetPipelineCacheData");
	must(fwrite(data, 1, bytes, file) != bytes || fclose(file), "/tmp/cache");
	free(data);
}

static void measure(VkComputePipelineCreateInfo *info, uint64_t repeats, const char *path)
{
	double least = INFINITY;
	FILE *file = fopen(path, "w");
	VkPipeline pipeline;

	must(!file, path);
	for (uint64_t n = 0; n < repeats; n++) {
		struct timespec before, after;
		double took;

		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
		must(vkCreateComputePipelines(device, NULL, 1, info, NULL, &pipeline),
		     "vkCreateComputePipelines");
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
		vkDestroyPipeline(device, pipeline, NULL);
		took = 1e3 * (double)(after.tv_sec - before.tv_sec) +
		       1e-6 * (double)(after.tv_nsec - before.tv_nsec);
		least = fmin(least, took);
	}
	write_cache(info);
	info->flags = VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR |
		      VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR;
	must(vkCreateComputePipelines(device, NULL, 1, info, NULL, &pipeline),
	     "vkCreateComputePipelines");
	write_executable(pipeline, file);
	fprintf(file, "milliseconds %.3f\n", least);
	must(fclose(file), path);
}

static void dispatch(uint64_t repeats, const char *path)
{
	VkDescriptorSet sets[MAX_SETS];
	uint32_t set_count;
	VkPipelineLayout layout = make_sets(sets, &set_count);
	VkSpecializationInfo specialisation;
	VkShaderModuleCreateInfo module_info = {.sType =
							VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
						.codeSize = 4ul * words,
						.pCode = code};
	VkComputePipelineCreateInfo pipeline_info = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		.stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
			  .pName = kernel,
			  .pSpecializationInfo = &specialisation},
		.layout = layout};
	VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
	VkCommandBufferAllocateInfo allocate = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandBufferCount = 1};
	VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
				   .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
				   .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
	VkFenceCreateInfo fence_info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1};
	VkPipeline pipeline;
	VkCommandBuffer commands;
	VkFence fence;
	uint8_t push[4096] = {0};

	if (!cost)
		specialise_workgroup(&specialisation);
	else
		pipeline_info.stage.pSpecializationInfo = NULL;
	if (push_bytes > sizeof(push))
		end(3, "%u bytes of push constants", push_bytes);
	if (push_bytes)
		walk(push_type, 0, push_bytes, 0, false, fill, push);
	must(vkCreateShaderModule(device, &module_info, NULL, &pipeline_info.stage.module),
	     "vkCreateShaderModule");
	if (cost) {
		measure(&pipeline_info, repeats, path);
		return;
	}
	must(vkCreateComputePipelines(device, NULL, 1, &pipeline_info, NULL, &pipeline),
	     "vkCreateComputePipelines");
	must(vkCreateCommandPool(device, &pool_info, NULL, &allocate.commandPool),
	     "vkCreateCommandPool");
	must(vkAllocateCommandBuffers(device, &allocate, &commands), "vkAllocateCommandBuffers");
	must(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
	vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
	if (set_count)
		vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0,
					set_count, sets, 0, NULL);
	if (push_bytes)
		vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, push_bytes,
				   push);
	vkCmdDispatch(commands, 2, in_a_plane ? 2 : 1, 1);
	vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
			     VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, NULL, 0, NULL);
	must(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
	must(vkCreateFence(device, &fence_info, NULL, &fence), "vkCreateFence");
	submit.pCommandBuffers = &commands;
	must(vkQueueSubmit(queue, 1, &submit, fence), "vkQueueSubmit");
	must(vkWaitForFences(device, 1, &fence, VK_TRUE, TIME_LIMIT * 1000000000ull),
	     "vkWaitForFences");
}

static void write_results(const char *path)
{
	FILE *file = fopen(path, "wb");

	must(!file, path);
	for (uint32_t n = 0; n < binding_count; n++)
		for (uint32_t i = 0; i < bindings[n].count; i++)
			must(fwrite(bindings[n].data[i], bindings[n].bytes, 1, file) != 1, path);
	must(fclose(file), path);
}

static int compare_results(const char *path, uint64_t changed)
{
	FILE *file = fopen(path, "rb");
	struct difference sum = {0};

	must(!file, path);
	for (uint32_t n = 0; n < binding_count; n++)
		for (uint32_t i = 0; i < bindings[n].count; i++) {
			uint8_t *theirs = malloc(bindings[n].bytes);
			struct difference d = {.ours = bindings[n].data[i], .theirs = theirs};

			must(!theirs || fread(theirs, bindings[n].bytes, 1, file) != 1, path);
			walk(bindings[n].type, 0, bindings[n].bytes, 0, false, compare, &d);
			sum.numbers += d.numbers;
			sum.unequal += d.unequal;
			sum.greatest = fmax(sum.greatest, d.greatest);
			if (d.wrong)
				printf("set %u binding %u[%u]: %lu of %lu differ, the first at "
				       "byte %lu: %08x, expected %08x\n",
				       bindings[n].set, bindings[n].number, i, d.wrong, d.numbers,
				       d.first,
				       *(uint32_t *)(bindings[n].data[i] + (d.first & ~3ull)),
				       *(uint32_t *)(theirs + (d.first & ~3ull)));
			sum.wrong += d.wrong;
			free(theirs);
		}
	fclose(file);
	printf("numbers %lu changed-bytes %lu unequal %lu wrong %lu relative %.3g\n", sum.numbers,
	       changed, sum.unequal, sum.wrong, sum.greatest);
	return sum.wrong ? 1 : 0;
}

int main(int argc, char **argv)
{
	uint64_t changed = 0;

	if (argc != 5)
		end(2, "usage: %s MODULE SEED write|compare|cost FILE", argv[0]);
	alarm(TIME_LIMIT + 30);
	read_module(argv[1]);
	random_state = strtoull(argv[2], NULL, 0);
	in_a_plane = random_state % 2 == 0;
	cost = !strcmp(argv[3], "cost");
	open_device();
	if (cost) {
		dispatch(random_state, argv[4]);
		return 0;
	}
	make_buffers();
	uint8_t *before[MAX_BINDINGS];

	for (uint32_t n = 0; n < binding_count; n++) {
		before[n] = malloc(bindings[n].bytes);
		memcpy(before[n], bindings[n].data[0], bindings[n].bytes);
	}
	dispatch(0, NULL);
	for (uint32_t n = 0; n < binding_count; n++)
		for (uint64_t i = 0; i < bindings[n].bytes; i++)
			changed += before[n][i] != bindings[n].data[0][i];
	if (!strcmp(argv[3], "compare"))
		return compare_results(argv[4], changed);
	write_results(argv[4]);
	return 0;
}
