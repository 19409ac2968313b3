// SPDX-License-Identifier: MIT
/* QUEUE_CREATE: kernel queues of both classes, within the limits that DEV_QUERY reports. */
#include "tests/userspace/kselftest/queue.h"

static struct drm_sovgpu_queue_info info;

static void test_sizes(int fd, uint32_t group)
{
	uint32_t id;

	ok(!queue_create(fd, group, COMPUTE, info.ring_entries_min, 1, &id) && id &&
		   !queue_destroy(fd, id),
	   "a queue with the smallest ring and the shortest time limit is created");
	ok(!queue_create(fd, group, COPY, info.ring_entries_max, info.time_limit_ms_max, &id) &&
		   id && !queue_destroy(fd, id),
	   "a queue with the largest ring and the longest time limit is created");
	ok(queue_create(fd, group, COPY, 2 * info.ring_entries_max, LIMIT_MS, &id) == -EINVAL &&
		   queue_create(fd, group, COPY, info.ring_entries_min / 2, LIMIT_MS, &id) ==
			   -EINVAL &&
		   queue_create(fd, group, COPY, 16, info.time_limit_ms_max + 1, &id) == -EINVAL,
	   "a ring size or time limit one step beyond its bounds is EINVAL");
}

/* Creates queues until the file or the card is full; that is one errno, and no queue is lost. */
static void test_queue_limit(int fd, uint32_t group)
{
	static uint32_t ids[300];
	uint32_t made = 0;
	int status = 0;

	while (made < COUNT(ids) && !status) {
		status = queue_create(fd, group, COPY, 2, LIMIT_MS, &ids[made]);
		made += !status;
	}
	ok(status == -ENOSPC && made >= 16, "%u queues are created, then QUEUE_CREATE is ENOSPC",
	   made);
	diag("status %d", status);
	bool destroyed = true;

	while (made)
		destroyed = destroyed && !queue_destroy(fd, ids[--made]);
	ok(destroyed, "every queue up to the limit is destroyed");
}

/*
 * The hardware knows of a failed group before the driver does; QUEUE_CREATE must then report the
 * failure.
 */
static void test_group_just_failed(void)
{
	uint32_t wrong = 0, times = 8;
	int got = 0;

	for (uint32_t i = 0; i < times; i++) {
		struct fixture m = {.fd = open_device()};
		uint32_t id;

		bo_create(m.fd, SYSTEM, BUFFER_BYTES, MAPPABLE, &m.buffer);
		m.memory = bo_map(m.fd, m.buffer, BUFFER_BYTES);
		vm_create(m.fd, &m.vm);
		vm_map(m.fd, m.vm, m.buffer, 0, BUFFER_VA, BUFFER_BYTES);
		group_create(m.fd, m.vm, &m.group);
		queue_create(m.fd, m.group, COPY, 16, LIMIT_MS, &m.queue);
		struct stream s = stream_at(&m, 0);

		stream_copy(&s, 3 * GIB, BUFFER_VA, 4096);
		struct drm_sovgpu_job job = stream_job(&m, &s);
		int status = queue_submit(m.fd, m.queue, &job, 1, NULL, 0);
		uint64_t end = now_ns() + 20 * SECOND_NS;

		while (!status && now_ns() < end) {
			status = queue_create(m.fd, m.group, COPY, 2, LIMIT_MS, &id);
			if (!status)
				queue_destroy(m.fd, id);
		}
		if (status != -ECANCELED) {
			wrong++;
			got = status;
		}
		fixture_close(&m);
	}
	if (!ok(!wrong, "QUEUE_CREATE in a group that has just faulted is ECANCELED"))
		diag("%u of %u times not; got %d (%s)", wrong, times, got, strerror(-got));
}

int main(void)
{
	static const struct bad_member rows[] = {
		BAD_MEMBER(queue_create, group_id, 0, -ENOENT, "group ID 0"),
		BAD_MEMBER(queue_create, group_id, 63, -ENOENT, "an unallocated group ID"),
		BAD_MEMBER(queue_create, queue_class, 2, -EINVAL, "an undefined queue class"),
		BAD_MEMBER(queue_create, queue_class, UINT32_MAX, -EINVAL,
			   "queue class 0xffffffff"),
		BAD_MEMBER(queue_create, mode, 2, -EINVAL, "an undefined queue mode"),
		BAD_MEMBER(queue_create, flags, 1, -EINVAL, "an unknown flag"),
		BAD_MEMBER(queue_create, ring_va, 4096, -EINVAL,
			   "a ring address for a kernel queue"),
		BAD_MEMBER(queue_create, ring_entries, 0, -EINVAL, "a ring of 0 entries"),
		BAD_MEMBER(queue_create, ring_entries, 17, -EINVAL, "a ring of 17 entries"),
		BAD_MEMBER(queue_create, ring_entries, UINT32_C(1) << 31, -EINVAL,
			   "a ring of 2^31 entries"),
		BAD_MEMBER(queue_create, time_limit_ms, 0, -EINVAL, "time limit 0"),
		BAD_MEMBER(queue_create, time_limit_ms, UINT32_MAX, -EINVAL,
			   "time limit 0xffffffff"),
		BAD_MEMBER(queue_create, id, 1, -EINVAL, "a nonzero output ID"),
		BAD_MEMBER(queue_create, doorbell_value, 1, -EINVAL,
			   "a nonzero output doorbell value"),
		BAD_MEMBER(queue_create, doorbell_offset, 1, -EINVAL,
			   "a nonzero output doorbell offset"),
		BAD_MEMBER(queue_create, pointers_offset, 1, -EINVAL,
			   "a nonzero output GET/PUT page offset"),
		BAD_MEMBER(queue_create, put_offset, 1, -EINVAL, "a nonzero output PUT offset"),
		BAD_MEMBER(queue_create, get_offset, 1, -EINVAL, "a nonzero output GET offset"),
	};
	struct drm_sovgpu_queue_create good = {
		.queue_class = COPY, .ring_entries = 16, .time_limit_ms = LIMIT_MS};
	int fd = open_device();
	uint32_t vm;

	if (!ok(fd >= 0, "the render node opens"))
		return tap_done();
	uint64_t before = free_vram_bytes(fd);

	ok(!dev_query(fd, DRM_SOVGPU_DEV_QUERY_QUEUE, sizeof(info), &info, NULL) &&
		   info.classes == 3 && info.modes,
	   "DEV_QUERY_QUEUE returns the queue classes and modes");
	vm_create(fd, &vm);
	group_create(fd, vm, &good.group_id);
	test_sizes(fd, good.group_id);
	expect_refused(fd, "QUEUE_CREATE", DRM_IOCTL_SOVGPU_QUEUE_CREATE, &good, rows, COUNT(rows));
	good.mode = DRM_SOVGPU_QUEUE_USER;
	if (!(info.modes & 1 << DRM_SOVGPU_QUEUE_USER))
		ok(gpu_ioctl(fd, DRM_IOCTL_SOVGPU_QUEUE_CREATE, &good) == -EOPNOTSUPP,
		   "a queue mode that the device does not support is EOPNOTSUPP");
	test_queue_limit(fd, good.group_id);
	group_destroy(fd, good.group_id);
	vm_destroy(fd, vm);
	test_group_just_failed();
	ok(free_vram_bytes(fd) == before, "all VRAM is free after the queues are destroyed");
	return tap_done();
}
