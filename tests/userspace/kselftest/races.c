// SPDX-License-Identifier: MIT
/*
 * Race test: eight threads on one file create, use and destroy objects under the same few IDs, so
 * that each hits objects that another thread has just created, is using or has just destroyed. Any
 * of a known set of errnos may come back; in the end nothing is left, and a second file is not
 * affected. KASAN and lockdep find the actual races.
 */
#include <pthread.h>

#include "tests/userspace/kselftest/queue.h"

#define THREADS 8
#define ROUNDS  150
#define MAX_ID  4 /* IDs are guessed up to this */

static int fd;
static uint32_t shared_vm;
static unsigned unexpected, done[16];

struct thread {
	pthread_t id;
	uint64_t random;
	uint8_t *memory;
};

static uint32_t random_below(struct thread *t, uint32_t below)
{
	t->random = t->random * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(t->random >> 33) % below;
}

static uint32_t guess_id(struct thread *t)
{
	return 1 + random_below(t, MAX_ID);
}

static int create_buffer(struct thread *t)
{
	uint32_t handle;

	return bo_create(fd, random_below(t, 2) ? VRAM : SYSTEM, VRAM_PAGE, MAPPABLE, &handle);
}
static int close_buffer(struct thread *t)
{
	int status = bo_close(
		fd, 2 + random_below(t, MAX_ID)); /* not the buffer that holds the streams */

	return status == -EINVAL ? -ENOENT : status; /* GEM_CLOSE returns EINVAL */
}
static int touch_buffer(struct thread *t)
{
	uint8_t *p = bo_map(fd, guess_id(t), VRAM_PAGE);

	if (p == MAP_FAILED)
		return -errno;
	p[random_below(t, (uint32_t)VRAM_PAGE)] = 1;
	munmap(p, VRAM_PAGE);
	return 0;
}
static int share_buffer(struct thread *t)
{
	int file = prime_export(fd, guess_id(t));
	uint32_t again;

	if (file < 0)
		return file;
	int status = prime_import(fd, file, &again);

	close(file);
	return status;
}
static int create_vm(struct thread *t)
{
	uint32_t id;

	(void)t;
	return vm_create(fd, &id);
}
static int destroy_vm(struct thread *t)
{
	return vm_destroy(fd, shared_vm + guess_id(t));
}
static int bind_or_unbind(struct thread *t)
{
	uint64_t va = GIB * (2 + random_below(t, 2)) + random_below(t, 4) * VRAM_PAGE;

	if (random_below(t, 3) == 0)
		return vm_unmap(fd, random_below(t, 2) ? shared_vm : guess_id(t), va,
				2 * VRAM_PAGE);
	return vm_map(fd, random_below(t, 2) ? shared_vm : guess_id(t), guess_id(t), 0, va,
		      VRAM_PAGE);
}
static int create_group(struct thread *t)
{
	uint32_t id;

	return group_create(fd, random_below(t, 2) ? shared_vm : guess_id(t), &id);
}
static int destroy_group(struct thread *t)
{
	return group_destroy(fd, guess_id(t));
}
static int create_queue(struct thread *t)
{
	uint32_t id;

	return queue_create(fd, guess_id(t), random_below(t, 2), 16, LIMIT_MS, &id);
}
static int destroy_queue(struct thread *t)
{
	return queue_destroy(fd, guess_id(t));
}
static int query_states(struct thread *t)
{
	struct drm_sovgpu_queue_state q = {.queue_id = guess_id(t)};
	struct drm_sovgpu_vm_state v = {.vm_id = guess_id(t)};
	int status = gpu_ioctl(fd, DRM_IOCTL_SOVGPU_QUEUE_STATE, &q);

	return status ? status : gpu_ioctl(fd, DRM_IOCTL_SOVGPU_VM_STATE, &v);
}
static int submit_job(struct thread *t)
{
	struct stream s = {.words = (uint32_t *)(t->memory + 4096 * random_below(t, 8))};
	struct drm_sovgpu_sync done_sync = {DRM_SOVGPU_SYNC_SIGNAL, syncobj_create(fd), 0};

	stream_release(&s, BUFFER_VA + MIB, 1);
	struct drm_sovgpu_job job = {.va = BUFFER_VA + (uint64_t)((uint8_t *)s.words - t->memory),
				     .size = 4 * s.count};
	int status = queue_submit(fd, guess_id(t), &job, 1, &done_sync, 1);
	struct drm_syncobj_destroy d = {.handle = done_sync.handle};

	if (!status && random_below(t, 2))
		status = syncobj_wait(fd, done_sync.handle, 0, 60);
	gpu_ioctl(fd, DRM_IOCTL_SYNCOBJ_DESTROY, &d);
	return status;
}
static int fence_wait(struct thread *t)
{
	struct drm_sovgpu_fence_wait w = {.handle = guess_id(t),
					  .value = random_below(t, 2),
					  .mask = 1,
					  .deadline_ns = (int64_t)(now_ns() + 1000000)};

	return gpu_ioctl(fd, DRM_IOCTL_SOVGPU_FENCE_WAIT, &w);
}

/* Each may succeed, return ENOENT, or one of these. */
static const struct operation {
	const char *name;
	int (*submit_job)(struct thread *t);
	int allowed[4];
} operations[] = {
	{"BO_CREATE", create_buffer, {-ENOSPC}},
	{"GEM_CLOSE", close_buffer, {0}},
	{"mmap", touch_buffer, {-EACCES, -EINVAL}},
	{"PRIME", share_buffer, {-EPERM}},
	{"VM_CREATE", create_vm, {-ENOSPC}},
	{"VM_DESTROY", destroy_vm, {0}},
	{"VM_BIND", bind_or_unbind, {-EINVAL}},
	{"GROUP_CREATE", create_group, {-ENOSPC}},
	{"GROUP_DESTROY", destroy_group, {0}},
	/* EIO: the group has failed on the device, and the driver has not been notified yet. */
	{"QUEUE_CREATE", create_queue, {-ENOSPC, -ECANCELED, -EIO}},
	{"QUEUE_DESTROY", destroy_queue, {0}},
	{"QUEUE_STATE, VM_STATE", query_states, {0}},
	{"QUEUE_SUBMIT", submit_job, {-ECANCELED}},
	{"FENCE_WAIT", fence_wait, {-ETIME, -EINVAL}},
};

static void *run_thread(void *argument)
{
	struct thread *t = argument;

	for (int i = 0; i < ROUNDS; i++) {
		uint32_t which = random_below(t, COUNT(operations));
		const struct operation *d = &operations[which];
		int status = d->submit_job(t);
		bool good = !status || status == -ENOENT;

		for (size_t k = 0; k < COUNT(d->allowed); k++)
			good = good || (d->allowed[k] && status == d->allowed[k]);
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
	struct fixture bystander;
	uint32_t buffer;

	if (!fixture_open(&bystander, COPY))
		return tap_done();
	uint64_t before = free_vram_bytes(bystander.fd);

	fd = open_device();
	bo_create(fd, SYSTEM, BUFFER_BYTES, MAPPABLE, &buffer);
	uint8_t *memory = bo_map(fd, buffer, BUFFER_BYTES);

	if (!ok(memory != MAP_FAILED && !vm_create(fd, &shared_vm) &&
			!vm_map(fd, shared_vm, buffer, 0, BUFFER_VA, BUFFER_BYTES),
		"a file is set up for eight threads"))
		return tap_done();
	for (uint32_t i = 0; i < THREADS; i++) {
		threads[i] = (struct thread){.random = i + 1, .memory = memory + i * 8 * 4096};
		pthread_create(&threads[i].id, NULL, run_thread, &threads[i]);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i].id, NULL);
	ok(!unexpected, "%u racing calls return only allowed results", THREADS * ROUNDS);
	bool all = true;

	for (size_t i = 0; i < COUNT(operations); i++) {
		all = all && done[i];
		diag("%s: %u successful", operations[i].name, done[i]);
	}
	ok(all, "every kind of racing call succeeds at least once");
	munmap(memory, BUFFER_BYTES);
	close(fd);
	ok(free_vram_bytes(bystander.fd) == before,
	   "all VRAM is free after the raced file is closed");
	struct stream s = stream_at(&bystander, 0);
	struct drm_sovgpu_sync sync = {DRM_SOVGPU_SYNC_SIGNAL, syncobj_create(bystander.fd), 0};

	stream_release(&s, BUFFER_VA + MIB, 9);
	struct drm_sovgpu_job job = stream_job(&bystander, &s);

	ok(!queue_submit(bystander.fd, bystander.queue, &job, 1, &sync, 1) &&
		   !syncobj_wait(bystander.fd, sync.handle, 0, 60) &&
		   *(uint64_t *)(bystander.memory + MIB) == 9,
	   "a queue of another file works after the races");
	fixture_close(&bystander);
	return tap_done();
}
