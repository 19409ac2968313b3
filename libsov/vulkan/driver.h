/* SPDX-License-Identifier: MIT */
/*
 * The Vulkan driver: what its files share. It is a client of sov.h like any other.
 *
 * A Vulkan handle is the address of the object that has the type's name in the Vulkan headers
 * (struct VkBuffer_T and so on), so handles are used without a cast. Dispatchable objects begin
 * with the word that the loader owns.
 */
#ifndef SOV_VULKAN_DRIVER_H
#define SOV_VULKAN_DRIVER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <vulkan/vk_icd.h>
#include <vulkan/vulkan.h>
#include "libsov/sov.h"
#include "libsov/vulkan/cooperative_matrix.h"

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof(*(array))))

#define API_VERSION        VK_MAKE_API_VERSION(0, 1, 3, VK_HEADER_VERSION)
#define QUEUE_COUNT        4 /* of the one queue family */
#define MAX_SETS           8 /* of a pipeline layout */
#define MAX_PUSH_CONSTANTS 256
/* Every memory and descriptor alignment that the driver reports. */
#define BUFFER_ALIGNMENT   64
#define TABLE_ALIGNMENT    16
#define MAX_IMAGE_SIZE     32768 /* 16 levels */
#define MAX_IMAGE_DEPTH    2048
#define MAX_IMAGE_LAYERS   2048
#define MAX_TEXEL_ELEMENTS (1u << 27) /* of a buffer */

/* ---- object.c: memory of objects, results, chains ---- */

void *object_alloc(const VkAllocationCallbacks *parent, const VkAllocationCallbacks *own,
		   size_t bytes, VkSystemAllocationScope scope); /* zeroed; NULL: none left */
void object_free(const VkAllocationCallbacks *parent, const VkAllocationCallbacks *own,
		 void *object);
extern const VkAllocationCallbacks default_allocator;

/* The structure of this type in a pNext chain; NULL: none. */
const void *chain_find(const void *chain, VkStructureType type);
/* The Vulkan error for a failed call of sov.h. */
VkResult result_of(sov_result r);

/* Returns items of a known list by Vulkan's protocol of count and array. */
VkResult list_out(const void *items, uint32_t available, size_t item_bytes, uint32_t *count,
		  void *out);

/* ---- capabilities.c: what every device of the driver can do ---- */

extern const VkExtensionProperties instance_extensions[], device_extensions[];
extern const uint32_t instance_extension_count, device_extension_count;
bool extension_known(const VkExtensionProperties *list, uint32_t count, const char *name);
void features_fill(VkPhysicalDeviceFeatures2 *features);
/* Whether all features that a device asks for exist. */
bool features_supported(const VkDeviceCreateInfo *info);

/* ---- properties.c ---- */

/* Whether the device multiplies matrices in hardware. */
bool has_matrix_units(VkPhysicalDevice p);

/* ---- debug.c ---- */

/* Reports an error to the program's messengers, with the library's message. */
void report_error(VkInstance instance, const char *what);

/* ---- instance.c, physical_device.c ---- */

struct VkPhysicalDevice_T {
	VK_LOADER_DATA loader;
	VkInstance instance;
	sov_device device;
	sov_device_properties properties;
	uint8_t uuid[VK_UUID_SIZE];
	/* A context of a Vulkan device on it, which knows how much memory is free; NULL: none. */
	pthread_mutex_t lock;
	VkDevice newest;
};

struct VkInstance_T {
	VK_LOADER_DATA loader;
	VkAllocationCallbacks allocator;
	uint64_t extensions; /* a bit per row of instance_extensions */
	uint32_t device_count;
	struct VkPhysicalDevice_T *devices;
	pthread_mutex_t lock; /* of messengers */
	VkDebugUtilsMessengerEXT messengers;
};

enum memory_type { MEMORY_DEVICE, MEMORY_HOST, MEMORY_DEVICE_MAPPED, MEMORY_TYPES };
enum memory_heap { HEAP_DEVICE, HEAP_HOST, MEMORY_HEAPS };

VkResult physical_device_init(VkPhysicalDevice p, VkInstance instance, uint32_t ordinal);
void physical_device_finish(VkPhysicalDevice p);
uint64_t host_memory_bytes(void);

/* ---- device.c ---- */

#define TEXEL_SIZES 5 /* 1, 2, 4, 8 and 16 bytes */

struct image_kernels {
	sov_module module;
	sov_function copy[TEXEL_SIZES], fill[TEXEL_SIZES];
};

struct VkDevice_T {
	VK_LOADER_DATA loader;
	VkPhysicalDevice physical;
	VkAllocationCallbacks allocator;
	sov_context context;
	uint32_t queue_count;
	struct VkQueue_T *queues;
	bool robust_access;
	struct image_kernels image_kernels;
	uint64_t extensions; /* a bit per row of device_extensions */
	/* Guards the state of fences, semaphores, events and private data, and what changes with
	 * it; changed is broadcast when a host wait or a deferred submission may go on. */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool lost;
	struct mark *free_marks;
	struct event_page *event_pages;
};

/* ---- sync.c: marks, fences and semaphores ---- */

/* A point in a queue's work, which fences and semaphores share. Its references are counted under
 * the device's lock. */
struct mark {
	struct mark *next_free;
	sov_event event;
	VkQueue queue;
	uint32_t references;
};
/* All with the device's lock held. */
VkResult mark_create(VkQueue queue, struct mark **out); /* records it now; one reference */
void mark_get(struct mark *m);
void mark_put(VkDevice device, struct mark *m);
void marks_destroy(VkDevice device);
/* VK_SUCCESS: reached; VK_NOT_READY. */
VkResult mark_poll(struct mark *m);

struct VkFence_T {
	enum { FENCE_RESET, FENCE_PENDING, FENCE_SUBMITTED, FENCE_SIGNALLED } state;
	struct mark *mark; /* SUBMITTED: its last submission's end */
};

/* A signal of a timeline semaphore that was submitted. */
struct timeline_point {
	struct timeline_point *next;
	uint64_t value;
	struct mark *mark;
};

struct VkSemaphore_T {
	bool timeline;
	/* binary */
	struct mark *mark; /* of the pending signal; NULL: none */
	/* timeline */
	uint64_t value;                /* reached */
	struct timeline_point *points; /* pending, by value */
};

/* What a submission does to semaphores. With the device's lock held. */
bool semaphore_ready(VkSemaphore s, uint64_t value);
VkResult semaphore_wait_on(VkSemaphore s, uint64_t value, VkQueue queue);
VkResult semaphore_signal_at(VkDevice device, VkSemaphore s, uint64_t value, struct mark *m);
void fence_signal_at(VkDevice device, VkFence f, struct mark *m);

uint64_t monotonic_ns(void);
/* Sleeps on device->changed until the time, which UINT64_MAX makes endless. */
void device_sleep(VkDevice device, uint64_t deadline);

/* ---- event.c ---- */

struct VkEvent_T {
	uint32_t *word;     /* pinned memory: what the host sees */
	uint32_t submitted; /* the word's value after all that was submitted; device's lock */
	VkEvent next_free;
	struct event_page *page;
};
void event_pages_destroy(VkDevice d);

/* ---- queue.c ---- */

struct semaphore_operation {
	VkSemaphore semaphore;
	uint64_t value;
};

/* One batch of vkQueueSubmit. It runs at once, or on the queue's worker thread if it has to wait
 * for something that no stream can wait for. */
struct submission {
	struct submission *next;
	VkFence fence;
	uint32_t wait_count, command_count, signal_count;
	struct semaphore_operation *waits, *signals;
	VkCommandBuffer *commands;
	/* Where a submission that was deferred continues. */
	uint32_t waits_done, commands_done;
	bool started, inner_started;
	struct command *at;    /* in the command buffer */
	struct command *inner; /* in a secondary one */
};

struct VkQueue_T {
	VK_LOADER_DATA loader;
	VkDevice device;
	sov_stream stream;
	/* Deferred submissions, the running one first; device's lock. While there is one, later
	 * submissions queue up behind it. */
	struct submission *first, **last;
	pthread_t worker;
	bool has_worker, stop;
};

VkResult queue_init(VkQueue q, VkDevice device);
void queue_finish(VkQueue q);
void queue_stop(VkQueue q);
VkResult queue_wait_idle(VkQueue q);

/* ---- memory.c, buffer.c ---- */

struct VkDeviceMemory_T {
	enum memory_type type;
	uint64_t bytes;
	sov_ptr address;
	void *cpu;
	bool imported; /* memory of the program */
};

struct VkBuffer_T {
	uint64_t bytes;
	sov_ptr address; /* 0: not bound */
	VkDeviceMemory memory;
};

/* ---- format.c ---- */

#define FORMAT_BGR   1 /* blue is first in memory */
#define FORMAT_DEPTH 2
#define FORMAT_SRGB  4

/* A format of texels that the library has. */
struct format {
	VkFormat format;
	uint8_t channels, bits, type; /* enum sov_texel_type */
	uint8_t flags;                /* FORMAT_* */
};
/* NULL: the library has no such texels. */
const struct format *format_find(VkFormat format);
uint32_t format_bytes(const struct format *f); /* of a texel */
/* Writes the texel of a colour; 16 bytes are enough. */
void format_encode(const struct format *f, const VkClearColorValue *color, uint8_t *texel);
VkFormatFeatureFlags2 format_image_features(const struct format *f);
VkFormatFeatureFlags2 format_buffer_features(const struct format *f);

/* ---- image.c, sampler.c ---- */

struct VkImage_T {
	VkImageType type;
	const struct format *format;
	VkExtent3D extent;
	uint32_t levels, layers;
	bool linear;                          /* tiling */
	uint64_t bytes, alignment, row_bytes; /* row_bytes: of linear tiling */
	sov_texture texture;                  /* all layers and levels; 0: not bound */
};

struct VkImageView_T {
	sov_texture texture;
	sov_texture faces; /* of a cube that is a storage image: layers; 0: none */
	sov_image storage;
};

struct VkSampler_T {
	sov_texture sampler;
};

struct VkBufferView_T {
	sov_texture texture;
	sov_image storage;
};

/* ---- image_kernel.c: kernels that copy and fill texels ---- */

/* Loads them once; with the device's lock held. */
VkResult image_kernels_load(VkDevice d);
void image_kernels_unload(VkDevice d);

/* One side of a copy, as the kernels take it: where its texels lie, and its first one. */
struct image_side {
	uint64_t address, slice_bytes;
	uint32_t row_bytes, layout, x_bytes, y, z, reserved;
};
struct image_copy {
	struct image_side destination, source;
	uint32_t width, reserved[3]; /* texels */
	uint32_t value[4];           /* of a fill */
};

/* Memory that the driver writes and the GPU reads: device memory that can be mapped, otherwise
 * pinned host memory. */
struct shared_memory {
	sov_ptr address;
	uint8_t *cpu;
	bool pinned;
};
VkResult shared_memory_alloc(VkDevice device, uint64_t bytes, struct shared_memory *m);
void shared_memory_free(VkDevice device, struct shared_memory *m);

/* ---- descriptor_layout.c, descriptor_set.c ---- */

struct buffer_descriptor {
	uint64_t address, bytes;
};
/* In bytes of a dynamic descriptor, which the GPU reads only from tables with the offsets: its
 * range reaches to the end of the buffer, so an offset shortens it. */
#define WHOLE_RANGE (UINT64_C(1) << 63)

struct binding {
	VkDescriptorType type;
	uint32_t number, count; /* count: descriptors, or bytes of an inline uniform block */
	uint32_t offset, stride;
	uint32_t dynamic;             /* the first of its dynamic offsets in the set */
	const sov_texture *immutable; /* samplers; NULL: none */
	VkDescriptorBindingFlags flags;
};

struct VkDescriptorSetLayout_T {
	uint32_t references; /* atomic: pipeline layouts and sets use it after its destruction */
	uint32_t binding_count;
	uint32_t bytes; /* of a set's table, without a variable last binding's descriptors */
	uint32_t dynamic_count;
	bool push;
	VkAllocationCallbacks allocator;
	struct binding bindings[]; /* by number */
};
void set_layout_get(VkDescriptorSetLayout l);
void set_layout_put(VkDescriptorSetLayout l);
const struct binding *set_layout_binding(VkDescriptorSetLayout l, uint32_t number);
bool descriptor_is_dynamic(VkDescriptorType t);
uint32_t descriptor_bytes(VkDescriptorType t);

struct VkDescriptorSet_T {
	VkDescriptorSetLayout layout;
	VkDescriptorPool pool;
	VkDescriptorSet next, previous; /* of the pool, by offset; next free object */
	uint32_t offset, bytes;
	sov_ptr address;
	uint8_t *cpu;    /* the table that the GPU reads; written only */
	uint8_t *shadow; /* the same, to be read by the host */
};

struct VkDescriptorPool_T {
	struct shared_memory memory;
	uint8_t *shadow;
	uint32_t bytes, used, max_sets;
	VkDescriptorSet first, last; /* by offset */
	VkDescriptorSet free_objects;
	struct VkDescriptorSet_T *objects;
};

/* A set's table: what the GPU reads, which is only written, and a copy for the host. */
struct table {
	VkDescriptorSetLayout layout;
	uint8_t *cpu, *shadow;
};
/* A place in a table, which goes on to the next binding behind a binding's last descriptor. */
struct table_cursor {
	const struct table *table;
	const struct binding *binding, *end;
	uint32_t element;
};
struct table_cursor table_at(const struct table *t, uint32_t binding, uint32_t element);
/* Writes the samplers that the layout has to a table of this size. */
void table_put_immutable(const struct table *t, uint32_t bytes);
/* Writes one descriptor; data is what VkWriteDescriptorSet's array holds for the type. */
void table_put(struct table_cursor *c, VkDescriptorType type, const void *data);
/* Writes bytes of an inline uniform block. */
void table_put_bytes(struct table_cursor *c, const void *data, uint32_t bytes);
void table_write(const struct table *t, const VkWriteDescriptorSet *w);

struct VkDescriptorUpdateTemplate_T {
	uint32_t count;
	VkDescriptorUpdateTemplateEntry entries[];
};
void template_write(VkDescriptorUpdateTemplate u, const struct table *t, const void *data);

/* ---- pipeline_layout.c, compute_pipeline.c ---- */

struct VkPipelineLayout_T {
	uint32_t references; /* atomic */
	VkAllocationCallbacks allocator;
	uint32_t set_count, push_bytes;
	VkDescriptorSetLayout sets[MAX_SETS];
};

struct VkShaderModule_T {
	size_t bytes;
	uint32_t code[];
};

struct VkPipeline_T {
	sov_module module;
	sov_function function;
	uint32_t set_count, push_bytes;
	uint32_t set_bytes
		[MAX_SETS];   /* of a set that is an argument; 0: the argument is an address */
	uint32_t value_bytes; /* all of them */
	bool base_argument;
};

/* ---- command_buffer.c, command_record.c ---- */

/* A step of a command buffer. run returns VK_NOT_READY if the step waits for something that no
 * stream can wait for; with may_wait, on the queue's worker, it waits instead. */
struct command_kind {
	const char *name;
	VkResult (*run)(VkQueue q, const struct command *c, bool may_wait);
};

struct command {
	const struct command_kind *kind;
	struct command *next;
};

struct chunk;

struct VkCommandPool_T {
	VkDevice device;
	VkAllocationCallbacks allocator;
	VkCommandPoolCreateFlags flags;
	VkCommandBuffer buffers;
	struct chunk *free_chunks, *free_shared; /* of host memory, of shared memory */
};

struct bound_set {
	sov_ptr address;
	const uint8_t *table;         /* what stands there, to be read by the host … */
	uint32_t bytes;               /* … and how much */
	VkDescriptorSet set;          /* NULL: push descriptors, which have … */
	VkDescriptorSetLayout layout; /* … a layout … */
	uint8_t *shadow;              /* … and a table in the command buffer */
};

struct VkCommandBuffer_T {
	VK_LOADER_DATA loader;
	VkDevice device;
	VkCommandPool pool;
	VkCommandBuffer next;
	VkCommandBufferLevel level;
	VkResult error; /* the first failure while recording; vkEndCommandBuffer returns it */
	struct chunk *chunks, *shared;
	struct command *first, **last;
	VkPipeline pipeline;
	struct bound_set sets[MAX_SETS];
	uint8_t push[MAX_PUSH_CONSTANTS];
};

/* Memory of the command buffer; NULL after noting the error. */
void *command_alloc(VkCommandBuffer b, size_t bytes);
/* The same of memory that the GPU reads. */
uint8_t *command_alloc_shared(VkCommandBuffer b, uint32_t bytes, sov_ptr *address);
/* Appends a step with bytes of memory, which begins with a struct command. */
void *command_append(VkCommandBuffer b, const struct command_kind *kind, size_t bytes);
extern const struct command_kind execute_secondary_kind;
struct execute_secondary {
	struct command command;
	VkCommandBuffer buffer;
};

/* ---- query.c ---- */

struct query {
	sov_event event;
	bool recorded;
};

struct VkQueryPool_T {
	uint32_t count;
	struct query queries[]; /* device's lock */
};

/* ---- entry_points.c ---- */

/* A bit for each extension of the list that the names enable. */
uint64_t extensions_enabled(const VkExtensionProperties *list, uint32_t count,
			    const char *const *names, uint32_t name_count);
/* What the loader exports of a driver. */
#define EXPORTED __attribute__((visibility("default")))

#endif
