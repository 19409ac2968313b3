// SPDX-License-Identifier: MIT
/* Time stamps: query pools and calibrated time stamps. */
#include "tests/userspace/vulkan/_vulkan.h"

#define QUERIES 4u
#define WAIT    (VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT)

static VkQueryPool queries;

static void stamps(void)
{
	struct memory m = memory_create(1 << 20, ON_DEVICE);
	uint64_t now[2] = {0}, pair[2] = {1, 1}, times[2] = {0};
	VkCommandBuffer b = begin();
	uint32_t narrow = 0;

	vkCmdResetQueryPool(b, queries, 0, QUERIES);
	vkCmdWriteTimestamp(b, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, queries, 0);
	vkCmdFillBuffer(b, m.buffer, 0, VK_WHOLE_SIZE, 1);
	barrier(b);
	vkCmdWriteTimestamp2(b, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, queries, 1);
	MUST(finish(b));
	gives(vkGetQueryPoolResults(device, queries, 0, 2, sizeof(times), times, 8, WAIT),
	      VK_SUCCESS, "time stamps have results");
	ok(times[0] && times[1] > times[0], "the second is later than the first");
	gives(vkGetQueryPoolResults(device, queries, 2, 1, sizeof(pair), pair, 16,
				    VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT),
	      VK_NOT_READY, "a query that was not written is not ready");
	ok(pair[0] == 1 && pair[1] == 0, "its result is left alone, its availability is 0");
	MUST(vkGetQueryPoolResults(device, queries, 1, 1, 4, &narrow, 4, 0));
	ok(narrow == (uint32_t)times[1], "a 32-bit result has the low bits");
	vkGetQueryPoolResults(device, queries, 1, 1, sizeof(now), now, 16,
			      VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT);
	ok(now[0] == times[1] && now[1] == 1, "availability is 1 beside a result");
	vkResetQueryPool(device, queries, 0, 1);
	gives(vkGetQueryPoolResults(device, queries, 0, 1, 8, times, 8, VK_QUERY_RESULT_64_BIT),
	      VK_NOT_READY, "the host resets a query");
	memory_destroy(&m);
}

static void copied(void)
{
	struct memory m = memory_create(64, ON_HOST);
	uint64_t *words = m.cpu, time;
	VkCommandBuffer b = begin();

	memset(words, 0xff, 64);
	vkCmdResetQueryPool(b, queries, 0, QUERIES);
	vkCmdWriteTimestamp(b, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, queries, 0);
	vkCmdCopyQueryPoolResults(b, queries, 0, 1, m.buffer, 8, 8, WAIT);
	vkCmdCopyQueryPoolResults(b, queries, 0, 2, m.buffer, 24, 16,
				  VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT);
	barrier(b);
	MUST(finish(b));
	MUST(vkGetQueryPoolResults(device, queries, 0, 1, 8, &time, 8, WAIT));
	ok(words[1] == time && words[0] == UINT64_MAX && words[2] == UINT64_MAX,
	   "a command copies a result to a buffer");
	ok(words[3] == time && words[4] == 1 && words[5] == UINT64_MAX && words[6] == 0,
	   "with availability, of a missing result only that");
	memory_destroy(&m);
}

static void calibrated(void)
{
	VkCalibratedTimestampInfoEXT infos[2] = {
		{.sType = VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT,
		 .timeDomain = VK_TIME_DOMAIN_DEVICE_EXT},
		{.sType = VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT,
		 .timeDomain = VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT},
	};
	uint64_t before[2], after[2], deviation = 0, stamp;
	VkCommandBuffer b = begin();

	MUST(vkGetCalibratedTimestampsEXT(device, 2, infos, before, &deviation));
	vkCmdResetQueryPool(b, queries, 0, 1);
	vkCmdWriteTimestamp(b, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, queries, 0);
	MUST(finish(b));
	MUST(vkGetCalibratedTimestampsEXT(device, 2, infos, after, &deviation));
	MUST(vkGetQueryPoolResults(device, queries, 0, 1, 8, &stamp, 8, WAIT));
	ok(before[0] <= stamp && stamp <= after[0],
	   "a time stamp lies between two readings of the device's clock");
	ok(before[1] < after[1] && deviation > 0, "the host's clock runs, and has a deviation");
}

int main(void)
{
	VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
				      .queryType = VK_QUERY_TYPE_TIMESTAMP,
				      .queryCount = QUERIES};

	open_device();
	MUST(vkCreateQueryPool(device, &info, NULL, &queries));
	vkResetQueryPool(device, queries, 0, QUERIES);
	stamps();
	copied();
	calibrated();
	vkDestroyQueryPool(device, queries, NULL);
	return close_device();
}
