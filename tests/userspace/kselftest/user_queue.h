/* SPDX-License-Identifier: MIT */
/*
 * Fixture of the user queue tests: a queue test fixture whose group has a second queue, for which
 * the process writes ring entries and rings the doorbell itself. Its ring lies in the fixture's
 * buffer.
 */
#ifndef TESTS_KSELFTEST_USER_H
#define TESTS_KSELFTEST_USER_H

#include "hw/nv/registers.h"
#include "tests/userspace/kselftest/queue.h"

enum { RING_OFFSET = 0x300000, RING_ENTRIES = 8 }; /* offset in the fixture's buffer */

static uint64_t page_bytes;

struct user_queue {
	struct fixture m;
	uint32_t id, put;
	struct drm_sovgpu_queue_create c;
	uint8_t *userd; /* mapped page with GET and PUT */
	volatile uint32_t *userd_put, *userd_get, *doorbell;
};

static inline void *map_driver_page(int fd, uint64_t offset)
{
	return mmap(NULL, page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		    (off_t)(offset & ~(page_bytes - 1)));
}

/* Creates a user queue in the fixture's group and maps its pages; prints no TAP. */
static inline bool user_queue_attach(struct user_queue *u, uint32_t queue_class)
{
	page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	u->put = 0;
	u->c = (struct drm_sovgpu_queue_create){.group_id = u->m.group,
						.queue_class = queue_class,
						.mode = DRM_SOVGPU_QUEUE_USER,
						.ring_va = BUFFER_VA + RING_OFFSET,
						.ring_entries = RING_ENTRIES};
	if (gpu_ioctl(u->m.fd, DRM_IOCTL_SOVGPU_QUEUE_CREATE, &u->c))
		return false;
	u->id = u->c.id;
	u->userd = map_driver_page(u->m.fd, u->c.pointers_offset);
	uint8_t *doorbell = map_driver_page(u->m.fd, u->c.doorbell_offset);

	u->userd_put = (volatile uint32_t *)(u->userd + u->c.put_offset);
	u->userd_get = (volatile uint32_t *)(u->userd + u->c.get_offset);
	u->doorbell = (volatile uint32_t *)(doorbell + u->c.doorbell_offset % page_bytes);
	return (void *)u->userd != MAP_FAILED && (void *)doorbell != MAP_FAILED && !*u->userd_put &&
	       !*u->userd_get;
}

static inline void user_queue_detach(struct user_queue *u)
{
	munmap(u->userd, page_bytes);
	munmap((void *)((uintptr_t)u->doorbell & ~(uintptr_t)(page_bytes - 1)), page_bytes);
}

static inline bool user_queue_open(struct user_queue *u, uint32_t queue_class)
{
	*u = (struct user_queue){0};
	return fixture_open(&u->m, queue_class) &&
	       ok(user_queue_attach(u, queue_class),
		  "a user queue is created; its GET/PUT page and its doorbell are mapped");
}

static inline void user_queue_close(struct user_queue *u)
{
	user_queue_detach(u);
	fixture_close(&u->m);
}

/* Writes PUT and rings the doorbell. */
static inline void ring_set_put(struct user_queue *u, uint32_t put)
{
	__sync_synchronize();
	*u->userd_put = put;
	__sync_synchronize();
	(void)*u->userd_put; /* read back: PUT arrives before the doorbell write */
	*u->doorbell = u->c.doorbell_value;
}

static inline void ring_push(struct user_queue *u, const struct drm_sovgpu_job *j)
{
	volatile uint64_t *ring = (volatile uint64_t *)(u->m.memory + RING_OFFSET);

	ring[u->put] = nv_gp_entry_pack(j->va, j->size / 4);
	u->put = (u->put + 1) % RING_ENTRIES;
	ring_set_put(u, u->put);
}

/* Waits up to 10 s until the queue leaves the usable state: faults are reported asynchronously. */
static inline uint32_t wait_for_error_state(struct user_queue *u, uint32_t id)
{
	struct timespec pause = {.tv_nsec = 50000000};

	for (int i = 0; i < 200; i++, nanosleep(&pause, NULL))
		if (queue_state(u->m.fd, id).state)
			break;
	return queue_state(u->m.fd, id).state;
}

#endif
