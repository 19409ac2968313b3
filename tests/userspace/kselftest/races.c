/* SPDX-License-Identifier: MIT */
/*
 * Eight threads on one file make, use and destroy things under the same few numbers, so that each finds what another
 * has just made, is using or has just destroyed. Which errno a call gets is luck, but only some can be had; in the
 * end nothing is left. Threads that have nothing to do with the others (a second file) see nothing of it. The real
 * judge is a kernel with KASAN and lockdep.
 */
#include <pthread.h>

#include "tests/userspace/kselftest/queue.h"

#define THREADS 8
#define ROUNDS  150
#define NUMBERS 4 /* names are guessed below this */

static int fd;
static uint32_t shared_vm;
static unsigned unexpected, done[16];

struct thread {
	pthread_t id;
	uint64_t random;
	uint8_t *memory;
};

static uint32_t next(struct thread *t, uint32_t below)
{
	t->random = t->random * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(t->random >> 33) % below;
}

static uint32_t guess(struct thread *t)
{
	return 1 + next(t, NUMBERS);
}

static int make_buffer(struct thread *t)
{
	uint32_t handle;

	return bo_create(fd, next(t, 2) ? VRAM : SYSTEM, VRAM_PAGE, MAPPABLE, &handle);
}
static int drop_buffer(struct thread *t)
{
	int status =
		bo_close(fd, 2 + next(t, NUMBERS)); /* not the one that everybody writes streams in */

	return status == -EINVAL ? -ENOENT : status; /* GEM_CLOSE has its own word */
}
static int touch_buffer(struct thread *t)
{
	uint8_t *p = bo_map(fd, guess(t), VRAM_PAGE);

	if (p == MAP_FAILED)
		return -errno;
	p[next(t, (uint32_t)VRAM_PAGE)] = 1;
	munmap(p, VRAM_PAGE);
	return 0;
}
static int share_buffer(struct thread *t)
{
	int file = prime_export(fd, guess(t));
	uint32_t again;

	if (file < 0)
		return file;
	int status = prime_import(fd, file, &again);

	close(file);
	return status;
}
static int make_vm(struct thread *t)
{
	uint32_t id;

	(void)t;
	return vm_create(fd, &id);
}
static int drop_vm(struct thread *t)
{
	return vm_destroy(fd, shared_vm + guess(t));
}
static int bind(struct thread *t)
{
	uint64_t va = GIB * (2 + next(t, 2)) + next(t, 4) * VRAM_PAGE;

	if (next(t, 3) == 0)
		return vm_unmap(fd, next(t, 2) ? shared_vm : guess(t), va, 2 * VRAM_PAGE);
	return vm_map(fd, next(t, 2) ? shared_vm : guess(t), guess(t), 0, va, VRAM_PAGE);
}
static int make_group(struct thread *t)
{
	uint32_t id;

	return group_create(fd, next(t, 2) ? shared_vm : guess(t), &id);
}
static int drop_group(struct thread *t)
{
	return group_destroy(fd, guess(t));
}
static int make_queue(struct thread *t)
{
	uint32_t id;

	return queue_create(fd, guess(t), next(t, 2), 16, LIMIT_MS, &id);
}
static int drop_queue(struct thread *t)
{
	return queue_destroy(fd, guess(t));
}
static int look(struct thread *t)
{
	struct drm_sovgpu_queue_state q = {.queue_id = guess(t)};
	struct drm_sovgpu_vm_state v = {.vm_id = guess(t)};
	int status = gpu_ioctl(fd, DRM_IOCTL_SOVGPU_QUEUE_STATE, &q);

	return status ? status : gpu_ioctl(fd, DRM_IOCTL_SOVGPU_VM_STATE, &v);
}
static int run(struct thread *t)
{
	struct stream s = {.words = (uint32_t *)(t->memory + 4096 * next(t, 8))};
	struct drm_sovgpu_sync done_sync = {DRM_SOVGPU_SYNC_SIGNAL, syncobj_create(fd), 0};

	stream_release(&s, BUFFER_VA + MIB, 1);
	struct drm_sovgpu_job job = {.va = BUFFER_VA + (uint64_t)((uint8_t *)s.words - t->memory),
				     .size = 4 * s.count};
	int status = queue_submit(fd, guess(t), &job, 1, &done_sync, 1);
	struct drm_syncobj_destroy d = {.handle = done_sync.handle};

	if (!status && next(t, 2))
		status = syncobj_wait(fd, done_sync.handle, 0, 60);
	gpu_ioctl(fd, DRM_IOCTL_SYNCOBJ_DESTROY, &d);
	return status;
}
static int sleep_on_memory(struct thread *t)
{
	struct drm_sovgpu_fence_wait w = {.handle = guess(t),
					  .value = next(t, 2),
					  .mask = 1,
					  .deadline_ns = (int64_t)(now_ns() + 1000000)};

	return gpu_ioctl(fd, DRM_IOCTL_SOVGPU_FENCE_WAIT, &w);
}

/* What may come of each: done, or the thing is not there, or one of these. */
static const struct deed {
	const char *name;
	int (*run)(struct thread *t);
	int others[4];
} deeds[] = {
	{"BO_CREATE", make_buffer, {-ENOSPC}},
	{"GEM_CLOSE", drop_buffer, {0}},
	{"mmap", touch_buffer, {-EACCES, -EINVAL}},
	{"PRIME", share_buffer, {-EPERM}},
	{"VM_CREATE", make_vm, {-ENOSPC}},
	{"VM_DESTROY", drop_vm, {0}},
	{"VM_BIND", bind, {-EINVAL}},
	{"GROUP_CREATE", make_group, {-ENOSPC}},
	{"GROUP_DESTROY", drop_group, {0}},
	/* EIO: its group has failed on the device, which the driver has not heard yet. */
	{"QUEUE_CREATE", make_queue, {-ENOSPC, -ECANCELED, -EIO}},
	{"QUEUE_DESTROY", drop_queue, {0}},
	{"QUEUE_STATE, VM_STATE", look, {0}},
	{"QUEUE_SUBMIT", run, {-ECANCELED}},
	{"FENCE_WAIT", sleep_on_memory, {-ETIME, -EINVAL}},
};

static void *live(void *argument)
{
	struct thread *t = argument;

	for (int i = 0; i < ROUNDS; i++) {
		uint32_t which = next(t, COUNT(deeds));
		const struct deed *d = &deeds[which];
		int status = d->run(t);
		bool good = !status || status == -ENOENT;

		for (size_t k = 0; k < COUNT(d->others); k++)
			good = good || (d->others[k] && status == d->others[k]);
		if (!good && __atomic_fetch_add(&unexpected, 1, __ATOMIC_RELAXED) < 10)
			diag("%s: %d (%s)", d->name, status, strerror(-status));
		if (!status)
			__atomic_fetch_add(&done[which], 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

int main(void)
{
	struct thread threads[THREADS];
	struct fixture beside;
	uint32_t buffer;

	if (!fixture_open(&beside, COPY))
		return tap_done();
	uint64_t before = free_vram_bytes(beside.fd);

	fd = open_device();
	bo_create(fd, SYSTEM, BUFFER_BYTES, MAPPABLE, &buffer);
	uint8_t *memory = bo_map(fd, buffer, BUFFER_BYTES);

	if (!ok(memory != MAP_FAILED && !vm_create(fd, &shared_vm) &&
			!vm_map(fd, shared_vm, buffer, 0, BUFFER_VA, BUFFER_BYTES),
		"eight threads share a file"))
		return tap_done();
	for (uint32_t i = 0; i < THREADS; i++) {
		threads[i] = (struct thread){.random = i + 1, .memory = memory + i * 8 * 4096};
		pthread_create(&threads[i].id, NULL, live, &threads[i]);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i].id, NULL);
	ok(!unexpected, "%u calls of theirs end as they may", THREADS * ROUNDS);
	bool all = true;

	for (size_t i = 0; i < COUNT(deeds); i++) {
		all = all && done[i];
		diag("%s: %u done", deeds[i].name, done[i]);
	}
	ok(all, "each kind was done at least once");
	munmap(memory, BUFFER_BYTES);
	close(fd);
	ok(free_vram_bytes(beside.fd) == before, "when the file is closed all memory is free again");
	struct stream s = stream_at(&beside, 0);
	struct drm_sovgpu_sync sync = {DRM_SOVGPU_SYNC_SIGNAL, syncobj_create(beside.fd), 0};

	stream_release(&s, BUFFER_VA + MIB, 9);
	struct drm_sovgpu_job job = stream_job(&beside, &s);

	ok(!queue_submit(beside.fd, beside.queue, &job, 1, &sync, 1) &&
		   !syncobj_wait(beside.fd, sync.handle, 0, 60) &&
		   *(uint64_t *)(beside.memory + MIB) == 9,
	   "another file did not notice");
	fixture_close(&beside);
	return tap_done();
}
