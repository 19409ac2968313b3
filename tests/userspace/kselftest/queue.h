/* SPDX-License-Identifier: MIT */
/*
 * Fixture of the queue tests: an open file with an address space, a queue group, a queue, and a
 * buffer mapped by both CPU and GPU that holds command streams; plus syncobj helpers. Command
 * streams are encoded for GH100.
 */
#ifndef TESTS_KSELFTEST_QUEUE_H
#define TESTS_KSELFTEST_QUEUE_H

#include <time.h>

#include "hw/nv/copy.h"
#include "hw/nv/host.h"
#include "tests/userspace/kselftest/device.h"

enum {
	COMPUTE = DRM_SOVGPU_QUEUE_COMPUTE,
	COPY = DRM_SOVGPU_QUEUE_COPY,
};

#define BUFFER_VA    GIB
#define BUFFER_BYTES (4 * MIB)
#define LIMIT_MS     5000
#define SECOND_NS    1000000000ull

static inline int group_create(int fd, uint32_t vm, uint32_t *id)
{
	struct drm_sovgpu_group_create c = {.vm_id = vm};
	int status = gpu_ioctl(fd, DRM_IOCTL_SOVGPU_GROUP_CREATE, &c);

	*id = status ? 0 : c.id;
	return status;
}

static inline int group_destroy(int fd, uint32_t id)
{
	struct drm_sovgpu_group_destroy d = {.id = id};

	return gpu_ioctl(fd, DRM_IOCTL_SOVGPU_GROUP_DESTROY, &d);
}

static inline int queue_create(int fd, uint32_t group, uint32_t queue_class, uint32_t entries,
			       uint32_t limit_ms, uint32_t *id)
{
	struct drm_sovgpu_queue_create c = {.group_id = group,
					    .queue_class = queue_class,
					    .ring_entries = entries,
					    .time_limit_ms = limit_ms};
	int status = gpu_ioctl(fd, DRM_IOCTL_SOVGPU_QUEUE_CREATE, &c);

	*id = status ? 0 : c.id;
	return status;
}

static inline int queue_destroy(int fd, uint32_t id)
{
	struct drm_sovgpu_queue_destroy d = {.id = id};

	return gpu_ioctl(fd, DRM_IOCTL_SOVGPU_QUEUE_DESTROY, &d);
}

static inline struct drm_sovgpu_queue_state queue_state(int fd, uint32_t id)
{
	struct drm_sovgpu_queue_state s = {.queue_id = id};

	if (gpu_ioctl(fd, DRM_IOCTL_SOVGPU_QUEUE_STATE, &s))
		s.state = UINT32_MAX;
	return s;
}

static inline int queue_submit(int fd, uint32_t queue, const struct drm_sovgpu_job *jobs,
			       uint32_t count, const struct drm_sovgpu_sync *syncs,
			       uint32_t sync_count)
{
	struct drm_sovgpu_queue_submit s = {
		.queue_id = queue,
		.jobs = {sizeof(*jobs), count, (uintptr_t)jobs},
		.syncs = {sizeof(*syncs), sync_count, (uintptr_t)syncs}};

	return gpu_ioctl(fd, DRM_IOCTL_SOVGPU_QUEUE_SUBMIT, &s);
}

static inline uint32_t syncobj_create(int fd)
{
	struct drm_syncobj_create c = {0};

	return gpu_ioctl(fd, DRM_IOCTL_SYNCOBJ_CREATE, &c) ? 0 : c.handle;
}

static inline uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * SECOND_NS + (uint64_t)t.tv_nsec;
}

/* Waits until a syncobj signals; 0, or -ETIME after the timeout. Point 0 means a binary syncobj. */
static inline int syncobj_wait(int fd, uint32_t handle, uint64_t point, unsigned seconds)
{
	struct drm_syncobj_timeline_wait w = {.handles = (uintptr_t)&handle,
					      .points = (uintptr_t)&point,
					      .count_handles = 1,
					      .timeout_nsec =
						      (int64_t)(now_ns() + seconds * SECOND_NS)};

	return gpu_ioctl(fd, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &w);
}

/* A command stream under construction. */
struct stream {
	uint32_t *words, count;
};

static inline void stream_method(struct stream *s, uint32_t subchannel, uint32_t number,
				 uint32_t count)
{
	s->words[s->count++] = nv_method_pack(NV_METHOD_INC, subchannel, number, count);
}

static inline void stream_data(struct stream *s, uint32_t word)
{
	s->words[s->count++] = word;
}

static inline void stream_address(struct stream *s, uint64_t va)
{
	stream_data(s, (uint32_t)(va >> 32));
	stream_data(s, (uint32_t)va);
}

static inline void stream_copy(struct stream *s, uint64_t to, uint64_t from, uint32_t bytes)
{
	stream_method(s, NV_SUBCHANNEL_COPY, NV_COPY_SET_OBJECT, 1);
	stream_data(s, NV_CLASS_HOPPER_COPY);
	stream_method(s, NV_SUBCHANNEL_COPY, NV_COPY_SRC_HIGH, 4);
	stream_address(s, from);
	stream_address(s, to);
	stream_method(s, NV_SUBCHANNEL_COPY, NV_COPY_LINE_BYTES, 1);
	stream_data(s, bytes);
	stream_method(s, NV_SUBCHANNEL_COPY, NV_COPY_LAUNCH, 1);
	stream_data(s, NV_COPY_TRANSFER_NON_PIPELINED | NV_COPY_FLUSH | NV_COPY_SRC_LINEAR |
			       NV_COPY_DST_LINEAR);
}

/* Makes the queue wait until the 64-bit word at va equals value. */
static inline void stream_acquire(struct stream *s, uint64_t va, uint64_t value)
{
	stream_method(s, 0, NV_HOST_SEM_ADDR_LO, 5);
	stream_data(s, (uint32_t)va);
	stream_data(s, (uint32_t)(va >> 32));
	stream_data(s, (uint32_t)value);
	stream_data(s, (uint32_t)(value >> 32));
	stream_data(s, NV_SEM_ACQUIRE | NV_SEM_PAYLOAD_64);
}

static inline void stream_release(struct stream *s, uint64_t va, uint64_t value)
{
	stream_method(s, 0, NV_HOST_SEM_ADDR_LO, 5);
	stream_data(s, (uint32_t)va);
	stream_data(s, (uint32_t)(va >> 32));
	stream_data(s, (uint32_t)value);
	stream_data(s, (uint32_t)(value >> 32));
	stream_data(s, NV_SEM_RELEASE | NV_SEM_RELEASE_WFI | NV_SEM_PAYLOAD_64);
	stream_method(s, 0, NV_HOST_NON_STALL_INTERRUPT, 1);
	stream_data(s, 0);
}

/* Objects that most queue tests start from. */
struct fixture {
	int fd;
	uint32_t vm, buffer, group, queue;
	uint8_t *memory; /* the buffer's CPU mapping; the GPU maps it at BUFFER_VA */
};

/* Prints no TAP, so that child processes can call it. */
static inline bool fixture_create(struct fixture *m, uint32_t queue_class, uint32_t entries,
				  uint32_t limit_ms)
{
	*m = (struct fixture){.fd = open_device()};
	bo_create(m->fd, SYSTEM, BUFFER_BYTES, MAPPABLE, &m->buffer);
	m->memory = bo_map(m->fd, m->buffer, BUFFER_BYTES);
	return m->memory != MAP_FAILED && !vm_create(m->fd, &m->vm) &&
	       !vm_map(m->fd, m->vm, m->buffer, 0, BUFFER_VA, BUFFER_BYTES) &&
	       !group_create(m->fd, m->vm, &m->group) &&
	       !queue_create(m->fd, m->group, queue_class, entries, limit_ms, &m->queue);
}

static inline bool fixture_open(struct fixture *m, uint32_t queue_class)
{
	return ok(fixture_create(m, queue_class, 16, LIMIT_MS),
		  "the render node opens and a %s queue is created",
		  queue_class == COPY ? "copy" : "compute");
}

static inline void fixture_close(struct fixture *m)
{
	munmap(m->memory, BUFFER_BYTES);
	close(m->fd);
}

/* Starts a stream at an offset of the fixture's buffer. */
static inline struct stream stream_at(struct fixture *m, uint32_t offset)
{
	return (struct stream){.words = (uint32_t *)(m->memory + offset)};
}

static inline struct drm_sovgpu_job stream_job(const struct fixture *m, const struct stream *s)
{
	return (struct drm_sovgpu_job){.va = BUFFER_VA +
					     (uint64_t)((uint8_t *)s->words - m->memory),
				       .size = 4 * s->count};
}

#endif
