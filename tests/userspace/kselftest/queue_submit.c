// SPDX-License-Identifier: MIT
/* QUEUE_SUBMIT: jobs run in order, wait for their dependencies, and signal their fences. */
#include "tests/userspace/kselftest/queue.h"

enum { FLAG = 0x80000, FROM = 0x100000, TO = 0x200000, BYTES = 0x10000, STREAM = 0x1000 };

static const uint32_t signal_flag = DRM_SOVGPU_SYNC_SIGNAL, timeline = DRM_SOVGPU_SYNC_TIMELINE;

static void fill_pattern(uint8_t *p, uint32_t seed)
{
	for (uint32_t i = 0; i < BYTES; i++)
		p[i] = (uint8_t)(i * 7 + i / 251 + seed);
}

static void test_copy(struct fixture *m, const char *name)
{
	struct drm_sovgpu_sync done = {signal_flag, syncobj_create(m->fd), 0};
	struct stream s = stream_at(m, 0);

	fill_pattern(m->memory + FROM, 1);
	memset(m->memory + TO, 0, BYTES);
	stream_copy(&s, BUFFER_VA + TO, BUFFER_VA + FROM, BYTES);
	struct drm_sovgpu_job job = stream_job(m, &s);

	ok(!queue_submit(m->fd, m->queue, &job, 1, &done, 1), "%s: a copy job is submitted", name);
	ok(!syncobj_wait(m->fd, done.handle, 0, 20), "%s: the syncobj of a copy job signals", name);
	ok(!memcmp(m->memory + TO, m->memory + FROM, BYTES), "%s: a copy job copies its bytes",
	   name);
	ok(queue_state(m->fd, m->queue).state == DRM_SOVGPU_QUEUE_STATE_USABLE,
	   "%s: the queue is usable after a copy job", name);
}

/* Each job copies the output of the one before, so any other order shows in the result. */
static void test_order(struct fixture *m)
{
	struct drm_sovgpu_sync done = {signal_flag | timeline, syncobj_create(m->fd), 7};
	struct drm_sovgpu_job jobs[16];
	const uint32_t chunk = 4096;
	bool good = true;

	for (uint32_t i = 0; i < 16; i++) {
		struct stream s = stream_at(m, i * STREAM);

		stream_copy(&s, BUFFER_VA + TO + (i + 1) * chunk, BUFFER_VA + TO + i * chunk,
			    chunk);
		jobs[i] = stream_job(m, &s);
	}
	memset(m->memory + TO, 0, 17 * chunk);
	memset(m->memory + TO, 0x5a, chunk);
	ok(!queue_submit(m->fd, m->queue, jobs, 16, &done, 1),
	   "one QUEUE_SUBMIT fills the whole ring");
	ok(!syncobj_wait(m->fd, done.handle, 7, 20),
	   "a timeline point signals after the last job of a submission");
	for (uint32_t i = 0; i < 17 * chunk; i++)
		good = good && m->memory[TO + i] == 0x5a;
	ok(good, "the jobs of a submission run in order");
	ok(queue_submit(m->fd, m->queue, jobs, 17, &done, 1) == -EINVAL,
	   "QUEUE_SUBMIT of more jobs than ring entries is EINVAL");
	/* Three times the ring's capacity: the call waits for free entries. */
	for (uint32_t i = 0; i < 48; i++) {
		done.point = 8 + i;
		good = good && !queue_submit(m->fd, m->queue, &jobs[i % 16], 1, &done, 1);
	}
	ok(good && !syncobj_wait(m->fd, done.handle, 55, 20),
	   "QUEUE_SUBMIT waits for free ring entries");
}

/* One queue waits for another, which waits for the test. */
static void test_dependencies(struct fixture *m)
{
	volatile uint64_t *flag = (volatile uint64_t *)(m->memory + FLAG);
	struct drm_sovgpu_sync first = {signal_flag, syncobj_create(m->fd), 0};
	struct drm_sovgpu_sync then[] = {{0, first.handle, 0},
					 {signal_flag | timeline, syncobj_create(m->fd), 1}};
	struct drm_sovgpu_job gate, copy;
	struct stream s = stream_at(m, 0);
	uint32_t other;

	*flag = 0;
	stream_acquire(&s, BUFFER_VA + FLAG, 1);
	gate = stream_job(m, &s);
	s = stream_at(m, STREAM);
	fill_pattern(m->memory + FROM, 3);
	memset(m->memory + TO, 0, BYTES);
	stream_copy(&s, BUFFER_VA + TO, BUFFER_VA + FROM, BYTES);
	copy = stream_job(m, &s);
	ok(!queue_create(m->fd, m->group, COPY, 4, LIMIT_MS, &other),
	   "a copy queue is created in a group with a compute queue");
	ok(!queue_submit(m->fd, m->queue, &gate, 1, &first, 1) &&
		   !queue_submit(m->fd, other, &copy, 1, then, 2),
	   "a job that waits for a memory word and one that waits for its fence are submitted");
	ok(syncobj_wait(m->fd, then[1].handle, 1, 0) == -ETIME && !m->memory[TO + 5],
	   "dependent jobs do not run before the memory word is written");
	*flag = 1;
	ok(!syncobj_wait(m->fd, then[1].handle, 1, 20),
	   "dependent jobs complete after the memory word is written");
	ok(!memcmp(m->memory + TO, m->memory + FROM, BYTES), "the dependent copy copies its bytes");
	ok(!queue_destroy(m->fd, other), "the second queue is destroyed");
}

static void test_invalid_arguments(struct fixture *m)
{
	struct drm_sovgpu_sync syncs[] = {{signal_flag, syncobj_create(m->fd), 0}};
	struct drm_sovgpu_sync never = {0, syncobj_create(m->fd), 0};
	struct stream s = stream_at(m, 0);

	stream_copy(&s, BUFFER_VA + TO, BUFFER_VA + FROM, 16);
	struct drm_sovgpu_job job = stream_job(m, &s);
	struct drm_sovgpu_queue_submit good = {.queue_id = m->queue,
					       .jobs = {sizeof(job), 1, (uintptr_t)&job},
					       .syncs = {sizeof(*syncs), 1, (uintptr_t)syncs}};
	static const struct bad_member rows[] = {
		BAD_MEMBER(queue_submit, queue_id, 0, -ENOENT, "queue ID 0"),
		BAD_MEMBER(queue_submit, queue_id, NO_HANDLE, -ENOENT, "an unallocated queue ID"),
		BAD_MEMBER(queue_submit, flags, 1, -EINVAL, "an unknown flag"),
		BAD_MEMBER(queue_submit, jobs.count, 0, -EINVAL, "a job count of 0"),
		BAD_MEMBER(queue_submit, jobs.count, UINT32_MAX, -EINVAL,
			   "a job count of 0xffffffff"),
		BAD_MEMBER(queue_submit, jobs.stride, 8, -EINVAL,
			   "a job stride below the struct size"),
		BAD_MEMBER(queue_submit, jobs.array, 8, -EFAULT, "a job array in unmapped memory"),
		BAD_MEMBER(queue_submit, syncs.count, 65, -EINVAL, "65 syncs"),
		BAD_MEMBER(queue_submit, syncs.array, 8, -EFAULT,
			   "a sync array in unmapped memory"),
	};
	static const struct bad_member job_rows[] = {
		BAD_MEMBER(job, size, 0, -EINVAL, "a job of size 0"),
		BAD_MEMBER(job, size, 6, -EINVAL, "a job whose size is not a multiple of 4"),
		BAD_MEMBER(job, size, UINT32_C(4) << 21, -EINVAL, "a job above the maximum size"),
		BAD_MEMBER(job, va, BUFFER_VA + 2, -EINVAL, "a job at an unaligned address"),
		BAD_MEMBER(job, va, (UINT64_C(1) << 40) - 4, -EINVAL,
			   "a job that crosses the end of the address space"),
		BAD_MEMBER(job, va, UINT64_MAX & ~UINT64_C(3), -EINVAL,
			   "a job at the last address"),
		BAD_MEMBER(job, pad, 1, -EINVAL, "a job with a nonzero pad"),
	};
	static const struct bad_member sync_rows[] = {
		BAD_MEMBER(sync, flags, 4, -EINVAL, "a sync with an undefined flag"),
		BAD_MEMBER(sync, handle, 0, -ENOENT, "syncobj handle 0"),
		BAD_MEMBER(sync, handle, NO_HANDLE, -ENOENT, "an unallocated syncobj handle"),
		BAD_MEMBER(sync, point, 1, -EINVAL, "a timeline point for a binary syncobj"),
		BAD_MEMBER(sync, flags, DRM_SOVGPU_SYNC_TIMELINE | DRM_SOVGPU_SYNC_SIGNAL, -EINVAL,
			   "timeline point 0"),
	};

	expect_refused(m->fd, "QUEUE_SUBMIT", DRM_IOCTL_SOVGPU_QUEUE_SUBMIT, &good, rows,
		       COUNT(rows));
	expect_refused_in(m->fd, "QUEUE_SUBMIT", DRM_IOCTL_SOVGPU_QUEUE_SUBMIT, &good, &job,
			  job_rows, COUNT(job_rows));
	expect_refused_in(m->fd, "QUEUE_SUBMIT", DRM_IOCTL_SOVGPU_QUEUE_SUBMIT, &good, syncs,
			  sync_rows, COUNT(sync_rows));
	ok(queue_submit(m->fd, m->queue, &job, 1, &never, 1) == -EINVAL,
	   "QUEUE_SUBMIT that waits for a syncobj without a fence is EINVAL");
	ok(syncobj_wait(m->fd, syncs[0].handle, 0, 0) == -EINVAL,
	   "a refused QUEUE_SUBMIT attaches no fence to its syncobj");
	test_copy(m, "after refused submissions");
}

int main(void)
{
	struct fixture m;

	if (!fixture_open(&m, COPY))
		return tap_done();
	test_copy(&m, "copy queue");
	fixture_close(&m);
	if (!fixture_open(&m, COMPUTE))
		return tap_done();
	uint64_t before = free_vram_bytes(m.fd);

	test_copy(&m, "compute queue");
	test_order(&m);
	test_dependencies(&m);
	test_invalid_arguments(&m);
	ok(free_vram_bytes(m.fd) <= before, "submissions do not increase the free VRAM");
	fixture_close(&m);
	return tap_done();
}
