/* SPDX-License-Identifier: MIT */
/* QUEUE_SUBMIT: jobs run in order, wait for what they are told to, and signal when they are done. */
#include "tests/userspace/kselftest/queue.h"

enum { FLAG = 0x80000, FROM = 0x100000, TO = 0x200000, BYTES = 0x10000, STREAM = 0x1000 };

static const uint32_t signal_flag = DRM_SOVGPU_SYNC_SIGNAL, timeline = DRM_SOVGPU_SYNC_TIMELINE;

static void fill(uint8_t *p, uint32_t seed)
{
	for (uint32_t i = 0; i < BYTES; i++)
		p[i] = (uint8_t)(i * 7 + i / 251 + seed);
}

static void one_copy(struct machine *m, const char *name)
{
	struct drm_sovgpu_sync done = {signal_flag, syncobj(m->fd), 0};
	struct stream s = at(m, 0);

	fill(m->memory + FROM, 1);
	memset(m->memory + TO, 0, BYTES);
	add_copy(&s, BUFFER_VA + TO, BUFFER_VA + FROM, BYTES);
	struct drm_sovgpu_job job = job_of(m, &s);

	ok(!submit(m->fd, m->queue, &job, 1, &done, 1), "%s: a job is taken", name);
	ok(!wait_for(m->fd, done.handle, 0, 20), "%s: its syncobj is signalled", name);
	ok(!memcmp(m->memory + TO, m->memory + FROM, BYTES), "%s: the bytes are there", name);
	ok(queue_state(m->fd, m->queue).state == DRM_SOVGPU_QUEUE_STATE_USABLE,
	   "%s: the queue is well", name);
}

/* Each job copies what the one before has copied: any other order leaves something out. */
static void in_order(struct machine *m)
{
	struct drm_sovgpu_sync done = {signal_flag | timeline, syncobj(m->fd), 7};
	struct drm_sovgpu_job jobs[16];
	const uint32_t piece = 4096;
	bool good = true;

	for (uint32_t i = 0; i < 16; i++) {
		struct stream s = at(m, i * STREAM);

		add_copy(&s, BUFFER_VA + TO + (i + 1) * piece, BUFFER_VA + TO + i * piece, piece);
		jobs[i] = job_of(m, &s);
	}
	memset(m->memory + TO, 0, 17 * piece);
	memset(m->memory + TO, 0x5a, piece);
	ok(!submit(m->fd, m->queue, jobs, 16, &done, 1),
	   "as many jobs as the queue holds are taken at once");
	ok(!wait_for(m->fd, done.handle, 7, 20),
	   "a point of a timeline is signalled after the last");
	for (uint32_t i = 0; i < 17 * piece; i++)
		good = good && m->memory[TO + i] == 0x5a;
	ok(good, "they ran in order");
	ok(submit(m->fd, m->queue, jobs, 17, &done, 1) == -EINVAL, "more are EINVAL");
	/* Three times what fits: the call waits for room. */
	for (uint32_t i = 0; i < 48; i++) {
		done.point = 8 + i;
		good = good && !submit(m->fd, m->queue, &jobs[i % 16], 1, &done, 1);
	}
	ok(good && !wait_for(m->fd, done.handle, 55, 20), "one call after the other finds room");
}

/* One queue waits for another, which waits for us. */
static void dependencies(struct machine *m)
{
	volatile uint64_t *flag = (volatile uint64_t *)(m->memory + FLAG);
	struct drm_sovgpu_sync first = {signal_flag, syncobj(m->fd), 0};
	struct drm_sovgpu_sync then[] = {{0, first.handle, 0},
					 {signal_flag | timeline, syncobj(m->fd), 1}};
	struct drm_sovgpu_job gate, copy;
	struct stream s = at(m, 0);
	uint32_t other;

	*flag = 0;
	add_acquire(&s, BUFFER_VA + FLAG, 1);
	gate = job_of(m, &s);
	s = at(m, STREAM);
	fill(m->memory + FROM, 3);
	memset(m->memory + TO, 0, BYTES);
	add_copy(&s, BUFFER_VA + TO, BUFFER_VA + FROM, BYTES);
	copy = job_of(m, &s);
	ok(!queue_create(m->fd, m->group, COPY, 4, LIMIT_MS, &other),
	   "a group has a second queue, of another class");
	ok(!submit(m->fd, m->queue, &gate, 1, &first, 1) &&
		   !submit(m->fd, other, &copy, 1, then, 2),
	   "a job that waits for memory, and one that waits for its fence");
	ok(wait_for(m->fd, then[1].handle, 1, 0) == -ETIME && !m->memory[TO + 5],
	   "neither is done before memory has the value");
	*flag = 1;
	ok(!wait_for(m->fd, then[1].handle, 1, 20), "then both are");
	ok(!memcmp(m->memory + TO, m->memory + FROM, BYTES), "and the bytes are there");
	ok(!queue_destroy(m->fd, other), "the second queue goes");
}

static void refused(struct machine *m)
{
	struct drm_sovgpu_sync syncs[] = {{signal_flag, syncobj(m->fd), 0}};
	struct drm_sovgpu_sync never = {0, syncobj(m->fd), 0};
	struct stream s = at(m, 0);

	add_copy(&s, BUFFER_VA + TO, BUFFER_VA + FROM, 16);
	struct drm_sovgpu_job job = job_of(m, &s);
	struct drm_sovgpu_queue_submit good = {.queue_id = m->queue,
					       .jobs = {sizeof(job), 1, (uintptr_t)&job},
					       .syncs = {sizeof(*syncs), 1, (uintptr_t)syncs}};
	static const struct spoiled rows[] = {
		SPOIL(queue_submit, queue_id, 0, -ENOENT, "no queue"),
		SPOIL(queue_submit, queue_id, NO_HANDLE, -ENOENT, "a queue that is none"),
		SPOIL(queue_submit, flags, 1, -EINVAL, "a flag"),
		SPOIL(queue_submit, jobs.count, 0, -EINVAL, "no jobs"),
		SPOIL(queue_submit, jobs.count, UINT32_MAX, -EINVAL, "too many jobs"),
		SPOIL(queue_submit, jobs.stride, 8, -EINVAL, "jobs that are too short"),
		SPOIL(queue_submit, jobs.array, 8, -EFAULT, "jobs that are not there"),
		SPOIL(queue_submit, syncs.count, 65, -EINVAL, "too many syncs"),
		SPOIL(queue_submit, syncs.array, 8, -EFAULT, "syncs that are not there"),
	};
	static const struct spoiled job_rows[] = {
		SPOIL(job, size, 0, -EINVAL, "an empty job"),
		SPOIL(job, size, 6, -EINVAL, "a job of an odd size"),
		SPOIL(job, size, UINT32_C(4) << 21, -EINVAL, "a job that is too long"),
		SPOIL(job, va, BUFFER_VA + 2, -EINVAL, "a job at an odd address"),
		SPOIL(job, va, (UINT64_C(1) << 40) - 4, -EINVAL, "a job that runs over the end"),
		SPOIL(job, va, UINT64_MAX & ~UINT64_C(3), -EINVAL, "a job at the last address"),
		SPOIL(job, pad, 1, -EINVAL, "a job's pad"),
	};
	static const struct spoiled sync_rows[] = {
		SPOIL(sync, flags, 4, -EINVAL, "an unknown flag of a sync"),
		SPOIL(sync, handle, 0, -ENOENT, "no syncobj"),
		SPOIL(sync, handle, NO_HANDLE, -ENOENT, "a syncobj that is none"),
		SPOIL(sync, point, 1, -EINVAL, "a point of a binary syncobj"),
		SPOIL(sync, flags, DRM_SOVGPU_SYNC_TIMELINE | DRM_SOVGPU_SYNC_SIGNAL, -EINVAL,
		      "point 0 of a timeline"),
	};

	refuses(m->fd, "QUEUE_SUBMIT", DRM_IOCTL_SOVGPU_QUEUE_SUBMIT, &good, rows, COUNT(rows));
	refuses_in(m->fd, "QUEUE_SUBMIT", DRM_IOCTL_SOVGPU_QUEUE_SUBMIT, &good, &job, job_rows,
		   COUNT(job_rows));
	refuses_in(m->fd, "QUEUE_SUBMIT", DRM_IOCTL_SOVGPU_QUEUE_SUBMIT, &good, syncs, sync_rows,
		   COUNT(sync_rows));
	ok(submit(m->fd, m->queue, &job, 1, &never, 1) == -EINVAL,
	   "to wait for what nobody will signal is EINVAL");
	ok(wait_for(m->fd, syncs[0].handle, 0, 0) == -EINVAL, "what was refused signals nothing");
	one_copy(m, "afterwards");
}

int main(void)
{
	struct machine m;

	if (!machine_open(&m, COPY))
		return tap_done();
	one_copy(&m, "copy queue");
	machine_close(&m);
	if (!machine_open(&m, COMPUTE))
		return tap_done();
	uint64_t before = free_vram(m.fd);

	one_copy(&m, "compute queue");
	in_order(&m);
	dependencies(&m);
	refused(&m);
	ok(free_vram(m.fd) <= before, "video memory is accounted for");
	machine_close(&m);
	return tap_done();
}
