// SPDX-License-Identifier: MIT
/*
 * Groups and queues. Where the driver offers user queues, ring, PUT and doorbell are mapped into
 * the process and submitting makes no system call. Otherwise work is submitted by ioctl
 * (kmod_job.c).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "libsov/winsys/kmod/kmod.h"

/* ---- groups ---- */

/* The driver's priority 0 is the default, 1 is less urgent. */
static uint32_t level_of(int32_t priority)
{
	return (uint32_t)-priority;
}

/* Creates the driver's group for a priority when it is first used. All groups share one address
 * space, and a fault in one fails all of them (kmod_fault.c). */
static int group_create_level(struct winsys_group *g, uint32_t level)
{
	struct drm_sovgpu_group_create group = {.vm_id = g->vm, .priority = level};
	int error;

	if (g->ids[level])
		return 0;
	error = kmod_ioctl(g->device->fd, DRM_IOCTL_SOVGPU_GROUP_CREATE, &group,
			   "creating a queue group");
	if (!error)
		g->ids[level] = group.id;
	return error;
}

int kmod_group_create(struct winsys_device *d, struct winsys_group **out)
{
	struct drm_sovgpu_vm_create vm = {0};
	struct winsys_group *g = calloc(1, sizeof(*g));
	int error;

	if (!g)
		return -ENOMEM;
	g->device = d;
	error = kmod_ioctl(d->fd, DRM_IOCTL_SOVGPU_VM_CREATE, &vm, "creating an address space");
	if (error) {
		free(g);
		return error;
	}
	g->vm = vm.id;
	pthread_mutex_init(&g->lock, NULL);
	error = group_create_level(g, 0);
	if (error) {
		kmod_group_destroy(g);
		return error;
	}
	*out = g;
	return 0;
}

/* Ends all work of the group; its queues remain as handles that are destroyed later. */
void kmod_group_stop(struct winsys_group *g)
{
	uint32_t i;

	for (i = 0; i < KMOD_PRIORITIES; i++) {
		struct drm_sovgpu_group_destroy d = {.id = g->ids[i]};

		if (g->ids[i])
			kmod_release(g->device->fd, DRM_IOCTL_SOVGPU_GROUP_DESTROY, &d,
				     "stopping a group");
		g->ids[i] = 0;
	}
	pthread_mutex_lock(&g->lock);
	g->stopped = true;
	pthread_mutex_unlock(&g->lock);
}

void kmod_group_destroy(struct winsys_group *g)
{
	struct drm_sovgpu_vm_destroy d = {.id = g->vm};

	kmod_group_stop(g);
	kmod_release(g->device->fd, DRM_IOCTL_SOVGPU_VM_DESTROY, &d, "destroying an address space");
	pthread_mutex_destroy(&g->lock);
	free(g);
}

/* ---- queues ---- */

static uint8_t *map_page(struct winsys_device *d, uint64_t offset, const char *what)
{
	void *page = kmod_os->mmap(kmod_page_bytes(), d->fd, offset);

	if (page != MAP_FAILED)
		return page;
	winsys_set_error("mapping %s of %s: %s", what, d->path, strerror(errno));
	return NULL;
}

/* All queues of a device share one doorbell page; it stays mapped until the device is closed. */
static uint8_t *doorbell_page(struct winsys_device *d, uint64_t offset)
{
	uint8_t *page;

	pthread_mutex_lock(&d->lock);
	if (!d->doorbell_page)
		d->doorbell_page = map_page(d, offset, "the doorbell");
	page = d->doorbell_page;
	pthread_mutex_unlock(&d->lock);
	return page;
}

static int check_offsets(const struct winsys_queue *q, const struct drm_sovgpu_queue_create *c)
{
	uint32_t page = kmod_page_bytes();

	if (c->put_offset % 4 == 0 && c->put_offset <= page - 4 && c->get_offset % 4 == 0 &&
	    c->get_offset <= page - 4 && c->doorbell_offset % 4 == 0)
		return 0;
	winsys_set_error("%s: implausible queue: pointers at %u and %u, doorbell at 0x%llx",
			 q->group->device->path, c->put_offset, c->get_offset,
			 (unsigned long long)c->doorbell_offset);
	return -EPROTO;
}

static int user_queue_init(struct winsys_queue *q, const struct winsys_queue_options *o)
{
	struct winsys_device *d = q->group->device;
	struct drm_sovgpu_queue_create c = {
		.mode = DRM_SOVGPU_QUEUE_USER,
		.ring_va = o->ring_va,
		.ring_entries = o->ring_entries,
	};
	uint64_t in_page;
	uint8_t *ring = kmod_buffer_map(o->ring), *doorbell;
	int error;

	if (!ring)
		return -ENOMEM;
	error = kmod_queue_ioctl(q, o->engine, &c);
	if (!error)
		error = check_offsets(q, &c);
	if (error)
		return error;
	in_page = c.doorbell_offset % kmod_page_bytes();
	q->pointers = map_page(d, c.pointers_offset, "GET and PUT");
	doorbell = doorbell_page(d, c.doorbell_offset - in_page);
	if (!q->pointers || !doorbell)
		return -ENOMEM;
	q->memory = (struct winsys_queue_memory){
		.ring = (uint64_t *)(ring + o->ring_offset),
		.ring_entries = o->ring_entries,
		.put = (uint32_t *)(q->pointers + c.put_offset),
		.get = (uint32_t *)(q->pointers + c.get_offset),
		.doorbell = (uint32_t *)(doorbell + in_page),
		.doorbell_value = c.doorbell_value,
		.doorbell_passes_writes = true,
	};
	return 0;
}

static void queue_free(struct winsys_queue *q)
{
	struct winsys_device *d = q->group->device;
	struct drm_sovgpu_queue_destroy queue = {.id = q->id};

	if (q->id)
		kmod_release(d->fd, DRM_IOCTL_SOVGPU_QUEUE_DESTROY, &queue, "destroying a queue");
	if (q->pointers)
		kmod_os->munmap(q->pointers, kmod_page_bytes());
	if (!d->user_queues)
		kmod_jobs_fini(q);
	pthread_mutex_destroy(&q->lock);
	free(q);
}

int kmod_queue_create(struct winsys_group *g, const struct winsys_queue_options *o,
		      struct winsys_queue **out)
{
	struct winsys_queue *q = calloc(1, sizeof(*q));
	int error;

	if (!q)
		return -ENOMEM;
	q->group = g;
	pthread_mutex_init(&q->lock, NULL);
	q->level = level_of(o->priority);
	error = group_create_level(g, q->level);
	if (!error)
		error = g->device->user_queues ? user_queue_init(q, o) : kmod_jobs_init(q, o);
	if (error) {
		queue_free(q);
		return error;
	}
	pthread_mutex_lock(&g->lock);
	q->next = g->queues;
	g->queues = q;
	pthread_mutex_unlock(&g->lock);
	*out = q;
	return 0;
}

void kmod_queue_destroy(struct winsys_queue *q)
{
	struct winsys_group *g = q->group;
	struct winsys_queue **p;

	pthread_mutex_lock(&g->lock);
	for (p = &g->queues; *p != q; p = &(*p)->next)
		;
	*p = q->next;
	g->retired_points += q->completed;
	pthread_mutex_unlock(&g->lock);
	queue_free(q);
}

void kmod_queue_memory(struct winsys_queue *q, struct winsys_queue_memory *out)
{
	*out = q->memory;
}
