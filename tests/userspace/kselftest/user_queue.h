/* SPDX-License-Identifier: MIT */
/*
 * What the tests of user queues share: a machine whose group has a second queue, which the process writes itself. Its ring
 * lies in the machine's buffer.
 */
#ifndef TESTS_KSELFTEST_USER_H
#define TESTS_KSELFTEST_USER_H

#include "hw/nv/registers.h"
#include "tests/userspace/kselftest/queue.h"

enum { RING = 0x300000, ENTRIES = 8 }; /* of a machine's buffer */

static uint64_t page_bytes;

struct user {
	struct machine m;
	uint32_t id, put;
	struct drm_sovgpu_queue_create c;
	uint8_t *page;
	volatile uint32_t *ends_put, *ends_get, *bell;
};

static inline void *map_at(int fd, uint64_t offset)
{
	return mmap(NULL, page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		    (off_t)(offset & ~(page_bytes - 1)));
}

/* A queue of the process's own in the machine's group, without a word of TAP. */
static inline bool user_attach(struct user *u, uint32_t queue_class)
{
	page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	u->put = 0;
	u->c = (struct drm_sovgpu_queue_create){.group_id = u->m.group,
						.queue_class = queue_class,
						.mode = DRM_SOVGPU_QUEUE_USER,
						.ring_va = BUFFER_VA + RING,
						.ring_entries = ENTRIES};
	if (call(u->m.fd, DRM_IOCTL_SOVGPU_QUEUE_CREATE, &u->c))
		return false;
	u->id = u->c.id;
	u->page = map_at(u->m.fd, u->c.pointers_offset);
	uint8_t *bell = map_at(u->m.fd, u->c.doorbell_offset);

	u->ends_put = (volatile uint32_t *)(u->page + u->c.put_offset);
	u->ends_get = (volatile uint32_t *)(u->page + u->c.get_offset);
	u->bell = (volatile uint32_t *)(bell + u->c.doorbell_offset % page_bytes);
	return (void *)u->page != MAP_FAILED && (void *)bell != MAP_FAILED && !*u->ends_put &&
	       !*u->ends_get;
}

static inline void user_detach(struct user *u)
{
	munmap(u->page, page_bytes);
	munmap((void *)((uintptr_t)u->bell & ~(uintptr_t)(page_bytes - 1)), page_bytes);
}

static inline bool user_open(struct user *u, uint32_t queue_class)
{
	*u = (struct user){0};
	return machine_open(&u->m, queue_class) &&
	       ok(user_attach(u, queue_class),
		  "a queue of the process's own: its pointers and its doorbell are mapped");
}

static inline void user_close(struct user *u)
{
	user_detach(u);
	machine_close(&u->m);
}

/* The ring ends there, and the device is told. */
static inline void ring_until(struct user *u, uint32_t put)
{
	__sync_synchronize();
	*u->ends_put = put;
	__sync_synchronize();
	(void)*u->ends_put; /* it has arrived */
	*u->bell = u->c.doorbell_value;
}

static inline void push(struct user *u, const struct drm_sovgpu_job *j)
{
	volatile uint64_t *ring = (volatile uint64_t *)(u->m.memory + RING);

	ring[u->put] = nv_gp_entry_pack(j->va, j->size / 4);
	u->put = (u->put + 1) % ENTRIES;
	ring_until(u, u->put);
}

/* A fault is told, and the group is stopped, some time later. */
static inline uint32_t state_after(struct user *u, uint32_t id)
{
	struct timespec pause = {.tv_nsec = 50000000};

	for (int i = 0; i < 200; i++, nanosleep(&pause, NULL))
		if (queue_state(u->m.fd, id).state)
			break;
	return queue_state(u->m.fd, id).state;
}

#endif
