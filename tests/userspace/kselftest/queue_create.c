/* SPDX-License-Identifier: MIT */
/* QUEUE_CREATE: queues of both classes in a group, as DEV_QUERY says that they can be. */
#include "tests/userspace/kselftest/queue.h"

static struct drm_sovgpu_queue_info info;

static void sizes(int fd, uint32_t group)
{
	uint32_t id;

	ok(!queue_create(fd, group, COMPUTE, info.ring_entries_min, 1, &id) && id &&
		   !queue_destroy(fd, id),
	   "the smallest ring and the shortest limit");
	ok(!queue_create(fd, group, COPY, info.ring_entries_max, info.time_limit_ms_max, &id) &&
		   id && !queue_destroy(fd, id),
	   "the largest ring and the longest limit");
	ok(queue_create(fd, group, COPY, 2 * info.ring_entries_max, LIMIT_MS, &id) == -EINVAL &&
		   queue_create(fd, group, COPY, info.ring_entries_min / 2, LIMIT_MS, &id) ==
			   -EINVAL &&
		   queue_create(fd, group, COPY, 16, info.time_limit_ms_max + 1, &id) == -EINVAL,
	   "one step beyond is EINVAL");
}

/* As many as the file or the card has room for; then one errno, and none is lost. */
static void many(int fd, uint32_t group)
{
	static uint32_t ids[300];
	uint32_t made = 0;
	int status = 0;

	while (made < COUNT(ids) && !status) {
		status = queue_create(fd, group, COPY, 2, LIMIT_MS, &ids[made]);
		made += !status;
	}
	ok(status == -ENOSPC && made >= 16, "%u queues are made, then ENOSPC", made);
	diag("status %d", status);
	bool gone = true;

	while (made)
		gone = gone && !queue_destroy(fd, ids[--made]);
	ok(gone, "all of them are destroyed");
}

/* The hardware knows first that a group has failed; whoever makes a queue in it then is told so. */
static void just_failed(void)
{
	uint32_t wrong = 0, times = 8;
	int got = 0;

	for (uint32_t i = 0; i < times; i++) {
		struct machine m = {.fd = open_device()};
		uint32_t id;

		create(m.fd, SYSTEM, BUFFER_BYTES, MAPPABLE, &m.buffer);
		m.memory = map(m.fd, m.buffer, BUFFER_BYTES);
		vm_create(m.fd, &m.vm);
		vm_map(m.fd, m.vm, m.buffer, 0, BUFFER_VA, BUFFER_BYTES);
		group_create(m.fd, m.vm, &m.group);
		queue_create(m.fd, m.group, COPY, 16, LIMIT_MS, &m.queue);
		struct stream s = at(&m, 0);

		add_copy(&s, 3 * GIB, BUFFER_VA, 4096);
		struct drm_sovgpu_job job = job_of(&m, &s);
		int status = submit(m.fd, m.queue, &job, 1, NULL, 0);
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
		machine_close(&m);
	}
	if (!ok(!wrong, "a queue in a group that has just failed is ECANCELED"))
		diag("%u of %u times not; got %d (%s)", wrong, times, got, strerror(-got));
}

int main(void)
{
	static const struct spoiled rows[] = {
		SPOIL(queue_create, group_id, 0, -ENOENT, "no group"),
		SPOIL(queue_create, group_id, 63, -ENOENT, "a group that is none"),
		SPOIL(queue_create, queue_class, 2, -EINVAL, "a class that does not exist"),
		SPOIL(queue_create, queue_class, UINT32_MAX, -EINVAL, "the largest class"),
		SPOIL(queue_create, mode, 2, -EINVAL, "a mode that does not exist"),
		SPOIL(queue_create, flags, 1, -EINVAL, "a flag"),
		SPOIL(queue_create, ring_va, 4096, -EINVAL, "a ring for a kernel queue"),
		SPOIL(queue_create, ring_entries, 0, -EINVAL, "a ring without entries"),
		SPOIL(queue_create, ring_entries, 17, -EINVAL, "17 entries"),
		SPOIL(queue_create, ring_entries, UINT32_C(1) << 31, -EINVAL, "2 billion entries"),
		SPOIL(queue_create, time_limit_ms, 0, -EINVAL, "no limit"),
		SPOIL(queue_create, time_limit_ms, UINT32_MAX, -EINVAL, "the longest limit"),
		SPOIL(queue_create, id, 1, -EINVAL, "a number to begin with"),
		SPOIL(queue_create, doorbell_value, 1, -EINVAL, "a doorbell to begin with"),
		SPOIL(queue_create, doorbell_offset, 1, -EINVAL,
		      "a doorbell's place to begin with"),
		SPOIL(queue_create, pointers_offset, 1, -EINVAL, "pointers to begin with"),
		SPOIL(queue_create, put_offset, 1, -EINVAL, "a place for put to begin with"),
		SPOIL(queue_create, get_offset, 1, -EINVAL, "a place for get to begin with"),
	};
	struct drm_sovgpu_queue_create good = {
		.queue_class = COPY, .ring_entries = 16, .time_limit_ms = LIMIT_MS};
	int fd = open_device();
	uint32_t vm;

	if (!ok(fd >= 0, "the render node opens"))
		return tap_done();
	uint64_t before = free_vram(fd);

	ok(!query(fd, DRM_SOVGPU_DEV_QUERY_QUEUE, sizeof(info), &info, NULL) && info.classes == 3 &&
		   info.modes,
	   "the device says what queues it has");
	vm_create(fd, &vm);
	group_create(fd, vm, &good.group_id);
	sizes(fd, good.group_id);
	refuses(fd, "QUEUE_CREATE", DRM_IOCTL_SOVGPU_QUEUE_CREATE, &good, rows, COUNT(rows));
	good.mode = DRM_SOVGPU_QUEUE_USER;
	if (!(info.modes & 1 << DRM_SOVGPU_QUEUE_USER))
		ok(call(fd, DRM_IOCTL_SOVGPU_QUEUE_CREATE, &good) == -EOPNOTSUPP,
		   "a mode that this device does not have is EOPNOTSUPP");
	many(fd, good.group_id);
	group_destroy(fd, good.group_id);
	vm_destroy(fd, vm);
	just_failed();
	ok(free_vram(fd) == before, "all memory is free again");
	return tap_done();
}
