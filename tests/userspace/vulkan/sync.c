// SPDX-License-Identifier: MIT
/* Fences, semaphores and events. */
#include "tests/userspace/vulkan/_vulkan.h"

static struct memory words;

static uint32_t word(uint32_t i)
{
	return ((volatile uint32_t *)words.cpu)[i];
}

static VkCommandBuffer filler(uint32_t index, uint32_t value)
{
	VkCommandBuffer b = begin();

	vkCmdFillBuffer(b, words.buffer, 4 * index, 4, value);
	barrier(b);
	MUST(vkEndCommandBuffer(b));
	return b;
}

/* words[to] = words[from] */
static VkCommandBuffer copier(uint32_t to, uint32_t from)
{
	VkBufferCopy region = {4 * from, 4 * to, 4};
	VkCommandBuffer b = begin();

	vkCmdCopyBuffer(b, words.buffer, words.buffer, 1, &region);
	barrier(b);
	MUST(vkEndCommandBuffer(b));
	return b;
}

static void drop(VkCommandBuffer b)
{
	vkFreeCommandBuffers(device, pool, 1, &b);
}

static void fences(void)
{
	VkFence f[2] = {fence_create(0), fence_create(VK_FENCE_CREATE_SIGNALED_BIT)};
	VkCommandBuffer b = filler(0, 1);

	gives(vkGetFenceStatus(device, f[0]), VK_NOT_READY, "a new fence is not signalled");
	gives(vkGetFenceStatus(device, f[1]), VK_SUCCESS, "unless it was created so");
	gives(vkWaitForFences(device, 2, f, VK_FALSE, 0), VK_SUCCESS, "one of two is signalled");
	gives(vkWaitForFences(device, 2, f, VK_TRUE, 0), VK_TIMEOUT, "not both");
	gives(vkWaitForFences(device, 1, f, VK_TRUE, 1000000), VK_TIMEOUT, "a wait ends in time");
	MUST(submit(queues[0], b, f[0]));
	gives(vkWaitForFences(device, 2, f, VK_TRUE, UINT64_MAX), VK_SUCCESS,
	      "a submission signals its fence");
	ok(word(0) == 1, "when its work is done");
	MUST(vkResetFences(device, 2, f));
	gives(vkGetFenceStatus(device, f[1]), VK_NOT_READY, "a reset fence is not signalled");
	MUST(vkQueueSubmit(queues[1], 0, NULL, f[1]));
	gives(vkWaitForFences(device, 1, &f[1], VK_TRUE, FOREVER), VK_SUCCESS,
	      "a fence can be submitted without work");
	drop(b);
	vkDestroyFence(device, f[0], NULL);
	vkDestroyFence(device, f[1], NULL);
}

static void binary(void)
{
	VkSemaphore s = semaphore_create(false, 0);
	VkFence f = fence_create(0);
	VkCommandBuffer a = filler(1, 11), b = copier(2, 1);
	VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
	VkSubmitInfo signal = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
			       .commandBufferCount = 1,
			       .pCommandBuffers = &a,
			       .signalSemaphoreCount = 1,
			       .pSignalSemaphores = &s};
	VkSubmitInfo wait = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
			     .waitSemaphoreCount = 1,
			     .pWaitSemaphores = &s,
			     .pWaitDstStageMask = &stage,
			     .commandBufferCount = 1,
			     .pCommandBuffers = &b};
	uint32_t i, bad = 0;

	for (i = 0; i < 20; i++) {
		((uint32_t *)words.cpu)[1] = 0;
		MUST(vkQueueSubmit(queues[0], 1, &signal, VK_NULL_HANDLE));
		MUST(vkQueueSubmit(queues[1], 1, &wait, f));
		MUST(vkWaitForFences(device, 1, &f, VK_TRUE, FOREVER));
		MUST(vkResetFences(device, 1, &f));
		bad += word(2) != 11;
		((uint32_t *)words.cpu)[2] = 0;
	}
	ok(!bad, "a queue waits for another one by a binary semaphore, 20 times over");
	drop(a);
	drop(b);
	vkDestroySemaphore(device, s, NULL);
	vkDestroyFence(device, f, NULL);
}

static uint64_t value_of(VkSemaphore s)
{
	uint64_t value = UINT64_MAX;

	MUST(vkGetSemaphoreCounterValue(device, s, &value));
	return value;
}

static VkResult wait_value(VkSemaphore s, uint64_t value, uint64_t timeout)
{
	VkSemaphoreWaitInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
				    .semaphoreCount = 1,
				    .pSemaphores = &s,
				    .pValues = &value};

	return vkWaitSemaphores(device, &info, timeout);
}

static void signal_value(VkSemaphore s, uint64_t value)
{
	VkSemaphoreSignalInfo info = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = s, .value = value};

	MUST(vkSignalSemaphore(device, &info));
}

static void timeline(void)
{
	VkSemaphore s = semaphore_create(true, 5);
	VkCommandBuffer b = filler(3, 33);

	ok(value_of(s) == 5, "a timeline semaphore has its first value");
	gives(wait_value(s, 5, 0), VK_SUCCESS, "which waits find");
	gives(wait_value(s, 6, 1000000), VK_TIMEOUT, "a wait for a later one ends in time");
	signal_value(s, 8);
	ok(value_of(s) == 8, "the host signals a value");
	MUST(submit2(queues[0], b, VK_NULL_HANDLE, 0, s, 10, VK_NULL_HANDLE));
	/* The layers of 1.3.239 report a bug of their own on a wait for less than the signal. */
	gives(wait_value(s, getenv("TEST_VULKAN_LOADER") ? 10 : 9, FOREVER), VK_SUCCESS,
	      "a submission signals a value");
	ok(value_of(s) == 10 && word(3) == 33, "when its work is done");
	drop(b);
	vkDestroySemaphore(device, s, NULL);
}

/* Waits that are submitted before their signals. */
static void wait_before_signal(void)
{
	VkSemaphore s = semaphore_create(true, 0), t = semaphore_create(true, 0);
	VkFence f = fence_create(0), g = fence_create(0);
	VkCommandBuffer first = filler(4, 44), second = copier(5, 4), third = copier(6, 5);

	((uint32_t *)words.cpu)[4] = 1;
	MUST(submit2(queues[1], second, s, 7, t, 1, f));
	MUST(submit(queues[1], third, g));
	gives(vkWaitForFences(device, 1, &f, VK_TRUE, 2000000), VK_TIMEOUT,
	      "a submission waits for a value that nothing signals yet");
	gives(vkGetFenceStatus(device, g), VK_NOT_READY, "and later ones of the queue behind it");
	MUST(submit2(queues[0], first, VK_NULL_HANDLE, 0, s, 7, VK_NULL_HANDLE));
	gives(vkWaitForFences(device, 1, &g, VK_TRUE, FOREVER), VK_SUCCESS,
	      "a later submission of another queue lets them go on");
	ok(word(5) == 44 && word(6) == 44 && value_of(t) == 1, "in order");
	MUST(vkResetFences(device, 1, &f));
	MUST(submit2(queues[1], second, t, 2, VK_NULL_HANDLE, 0, f));
	gives(vkWaitForFences(device, 1, &f, VK_TRUE, 2000000), VK_TIMEOUT,
	      "a submission waits for the host");
	signal_value(t, 2);
	gives(vkWaitForFences(device, 1, &f, VK_TRUE, FOREVER), VK_SUCCESS,
	      "and goes on when the host signals");
	MUST(vkDeviceWaitIdle(device));
	drop(first);
	drop(second);
	drop(third);
	vkDestroyFence(device, f, NULL);
	vkDestroyFence(device, g, NULL);
	vkDestroySemaphore(device, s, NULL);
	vkDestroySemaphore(device, t, NULL);
}

static void *signal_later(void *arg)
{
	VkSemaphore *s = arg;
	struct timespec pause = {.tv_nsec = 3000000};

	nanosleep(&pause, NULL);
	signal_value(*s, 1);
	return NULL;
}

static void any_of(void)
{
	VkSemaphore s[2] = {semaphore_create(true, 0), semaphore_create(true, 0)};
	uint64_t values[2] = {1, 1};
	VkSemaphoreWaitInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
				    .flags = VK_SEMAPHORE_WAIT_ANY_BIT,
				    .semaphoreCount = 2,
				    .pSemaphores = s,
				    .pValues = values};
	pthread_t thread;

	gives(vkWaitSemaphores(device, &info, 1000), VK_TIMEOUT, "none of two values is reached");
	pthread_create(&thread, NULL, signal_later, &s[1]);
	gives(vkWaitSemaphores(device, &info, FOREVER), VK_SUCCESS,
	      "a wait for any value ends when a thread signals the second");
	pthread_join(thread, NULL);
	info.flags = 0;
	gives(vkWaitSemaphores(device, &info, 1000), VK_TIMEOUT, "a wait for all does not");
	vkDestroySemaphore(device, s[0], NULL);
	vkDestroySemaphore(device, s[1], NULL);
}

static VkEvent event_create(void)
{
	VkEventCreateInfo info = {.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
	VkEvent e;

	MUST(vkCreateEvent(device, &info, NULL, &e));
	return e;
}

static void events_of_queue(void)
{
	VkDependencyInfo all = {.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
	VkEvent e = event_create();
	VkCommandBuffer b = begin();

	gives(vkGetEventStatus(device, e), VK_EVENT_RESET, "a new event is not set");
	MUST(vkSetEvent(device, e));
	gives(vkGetEventStatus(device, e), VK_EVENT_SET, "the host sets an event");
	MUST(vkResetEvent(device, e));
	gives(vkGetEventStatus(device, e), VK_EVENT_RESET, "and resets it");
	vkCmdFillBuffer(b, words.buffer, 4 * 7, 4, 77);
	vkCmdSetEvent2(b, e, &all);
	vkCmdWaitEvents2(b, 1, &e, &all);
	vkCmdFillBuffer(b, words.buffer, 4 * 8, 4, 88);
	barrier(b);
	gives(finish(b), VK_SUCCESS, "a command buffer sets an event and waits for it");
	ok(word(7) == 77 && word(8) == 88, "and its commands are executed");
	gives(vkGetEventStatus(device, e), VK_EVENT_SET, "the host sees that the queue set it");
	b = begin();
	vkCmdResetEvent(b, e, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
	MUST(finish(b));
	gives(vkGetEventStatus(device, e), VK_EVENT_RESET, "and that the queue reset it");
	vkDestroyEvent(device, e, NULL);
}

static void event_of_host(void)
{
	VkEvent e = event_create();
	VkFence f = fence_create(0);
	VkCommandBuffer b = begin();

	vkCmdWaitEvents(b, 1, &e, VK_PIPELINE_STAGE_HOST_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0,
			NULL, 0, NULL, 0, NULL);
	vkCmdFillBuffer(b, words.buffer, 4 * 9, 4, 99);
	barrier(b);
	MUST(vkEndCommandBuffer(b));
	MUST(submit(queues[2], b, f));
	gives(vkWaitForFences(device, 1, &f, VK_TRUE, 2000000), VK_TIMEOUT,
	      "a queue waits for an event that the host has not set");
	ok(word(9) != 99, "its commands behind the wait are not executed");
	MUST(vkSetEvent(device, e));
	gives(vkWaitForFences(device, 1, &f, VK_TRUE, FOREVER), VK_SUCCESS,
	      "it goes on when the host sets the event");
	ok(word(9) == 99, "and executes them");
	drop(b);
	vkDestroyFence(device, f, NULL);
	vkDestroyEvent(device, e, NULL);
}

int main(void)
{
	open_device();
	words = memory_create(4096, ON_HOST);
	fences();
	binary();
	timeline();
	wait_before_signal();
	any_of();
	events_of_queue();
	event_of_host();
	memory_destroy(&words);
	return close_device();
}
