// SPDX-License-Identifier: MIT
/* Devices: a context of the library, and a stream for each queue. */
#include <errno.h>
#include <time.h>
#include "libsov/vulkan/driver.h"

uint64_t monotonic_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

void device_sleep(VkDevice d, uint64_t deadline)
{
	struct timespec t = {
		.tv_sec = (time_t)(deadline / UINT64_C(1000000000)),
		.tv_nsec = (long)(deadline % UINT64_C(1000000000)),
	};

	if (deadline == UINT64_MAX)
		pthread_cond_wait(&d->changed, &d->lock);
	else
		pthread_cond_timedwait(&d->changed, &d->lock, &t);
}

static VkResult device_create_queues(VkDevice d, const VkDeviceCreateInfo *info)
{
	uint32_t i, count = 0;
	VkResult r = VK_SUCCESS;

	for (i = 0; i < info->queueCreateInfoCount; i++)
		count += info->pQueueCreateInfos[i].queueCount;
	if (count > QUEUE_COUNT)
		return VK_ERROR_INITIALIZATION_FAILED;
	d->queues = object_alloc(&d->allocator, NULL, (count + 1) * sizeof(*d->queues),
				 VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
	if (!d->queues)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	for (i = 0; i < count && !r; i++) {
		r = queue_init(&d->queues[i], d);
		if (!r)
			d->queue_count++;
	}
	return r;
}

static VkResult device_check(const VkDeviceCreateInfo *info)
{
	uint32_t i;

	for (i = 0; i < info->enabledExtensionCount; i++)
		if (!extension_known(device_extensions, device_extension_count,
				     info->ppEnabledExtensionNames[i]))
			return VK_ERROR_EXTENSION_NOT_PRESENT;
	return features_supported(info) ? VK_SUCCESS : VK_ERROR_FEATURE_NOT_PRESENT;
}

static void device_init_lock(VkDevice d)
{
	pthread_condattr_t clock;

	pthread_mutex_init(&d->lock, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&d->changed, &clock);
	pthread_condattr_destroy(&clock);
}

static bool robust_access_requested(const VkDeviceCreateInfo *info)
{
	const VkPhysicalDeviceFeatures2 *two =
		chain_find(info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
	const VkPhysicalDeviceRobustness2FeaturesEXT *more = chain_find(
		info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT);

	return (info->pEnabledFeatures && info->pEnabledFeatures->robustBufferAccess) ||
	       (two && two->features.robustBufferAccess) ||
	       (more && (more->robustBufferAccess2 || more->nullDescriptor));
}

VKAPI_ATTR VkResult VKAPI_CALL vkCreateDevice(VkPhysicalDevice p, const VkDeviceCreateInfo *info,
					      const VkAllocationCallbacks *allocator,
					      VkDevice *device)
{
	VkResult r = device_check(info);
	VkDevice d;

	if (r)
		return r;
	d = object_alloc(&p->instance->allocator, allocator, sizeof(*d),
			 VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
	if (!d)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	set_loader_magic_value(d);
	d->physical = p;
	d->allocator = allocator ? *allocator : p->instance->allocator;
	d->robust_access = robust_access_requested(info);
	d->extensions =
		extensions_enabled(device_extensions, device_extension_count,
				   info->ppEnabledExtensionNames, info->enabledExtensionCount);
	device_init_lock(d);
	r = result_of(sov_context_create(p->device, NULL, &d->context));
	if (r == VK_ERROR_UNKNOWN)
		r = VK_ERROR_INITIALIZATION_FAILED;
	if (!r)
		r = device_create_queues(d, info);
	if (r) {
		vkDestroyDevice(d, allocator);
		return r;
	}
	pthread_mutex_lock(&p->lock);
	p->newest = d;
	pthread_mutex_unlock(&p->lock);
	*device = d;
	return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vkDestroyDevice(VkDevice d, const VkAllocationCallbacks *allocator)
{
	uint32_t i;

	if (!d)
		return;
	pthread_mutex_lock(&d->physical->lock);
	if (d->physical->newest == d)
		d->physical->newest = NULL;
	pthread_mutex_unlock(&d->physical->lock);
	for (i = 0; i < d->queue_count; i++)
		queue_stop(&d->queues[i]);
	for (i = 0; i < d->queue_count; i++)
		queue_finish(&d->queues[i]);
	marks_destroy(d);
	event_pages_destroy(d);
	image_kernels_unload(d);
	if (d->context)
		sov_context_destroy(d->context);
	pthread_cond_destroy(&d->changed);
	pthread_mutex_destroy(&d->lock);
	object_free(&d->allocator, NULL, d->queues);
	object_free(&d->physical->instance->allocator, allocator, d);
}

VKAPI_ATTR void VKAPI_CALL vkGetDeviceQueue(VkDevice d, uint32_t family, uint32_t index,
					    VkQueue *queue)
{
	*queue = !family && index < d->queue_count ? &d->queues[index] : NULL;
}

/* Queues with flags are queues of protected memory, which is not supported. */
VKAPI_ATTR void VKAPI_CALL vkGetDeviceQueue2(VkDevice d, const VkDeviceQueueInfo2 *info,
					     VkQueue *queue)
{
	*queue = NULL;
	if (!info->flags)
		vkGetDeviceQueue(d, info->queueFamilyIndex, info->queueIndex, queue);
}

VKAPI_ATTR VkResult VKAPI_CALL vkDeviceWaitIdle(VkDevice d)
{
	VkResult r = VK_SUCCESS;
	uint32_t i;

	for (i = 0; i < d->queue_count && !r; i++)
		r = queue_wait_idle(&d->queues[i]);
	return r;
}

VKAPI_ATTR void VKAPI_CALL vkGetDeviceGroupPeerMemoryFeatures(VkDevice d, uint32_t heap,
							      uint32_t local, uint32_t remote,
							      VkPeerMemoryFeatureFlags *features)
{
	(void)d;
	(void)heap;
	(void)local;
	(void)remote;
	*features = VK_PEER_MEMORY_FEATURE_COPY_SRC_BIT | VK_PEER_MEMORY_FEATURE_COPY_DST_BIT |
		    VK_PEER_MEMORY_FEATURE_GENERIC_SRC_BIT | VK_PEER_MEMORY_FEATURE_GENERIC_DST_BIT;
}

/* ---- calibrated timestamps ---- */

static const VkTimeDomainEXT time_domains[] = {
	VK_TIME_DOMAIN_DEVICE_EXT,
	VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT,
	VK_TIME_DOMAIN_CLOCK_MONOTONIC_RAW_EXT,
};

VKAPI_ATTR VkResult VKAPI_CALL vkGetPhysicalDeviceCalibrateableTimeDomainsEXT(VkPhysicalDevice p,
									      uint32_t *count,
									      VkTimeDomainEXT *out)
{
	(void)p;
	return list_out(time_domains, COUNT(time_domains), sizeof(*out), count, out);
}

static VkResult domain_time(VkDevice d, VkTimeDomainEXT domain, uint64_t *ns)
{
	struct timespec t;
	clockid_t clock = domain == VK_TIME_DOMAIN_CLOCK_MONOTONIC_RAW_EXT ? CLOCK_MONOTONIC_RAW
									   : CLOCK_MONOTONIC;

	if (domain == VK_TIME_DOMAIN_DEVICE_EXT)
		return result_of(sov_device_get_time(d->physical->device, ns));
	clock_gettime(clock, &t);
	*ns = (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
	return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
vkGetCalibratedTimestampsEXT(VkDevice d, uint32_t count, const VkCalibratedTimestampInfoEXT *infos,
			     uint64_t *times, uint64_t *deviation)
{
	uint64_t start = monotonic_ns();
	VkResult r = VK_SUCCESS;
	uint32_t i;

	for (i = 0; i < count && !r; i++)
		r = domain_time(d, infos[i].timeDomain, &times[i]);
	*deviation = monotonic_ns() - start + 1;
	return r;
}
