// SPDX-License-Identifier: MIT
/*
 * Queues. The ring is a buffer of the runtime. This file adds the page of the write and read
 * pointers and, for compute queues, the buffer for ends of RELEASE_MEM packets and the area to
 * which preempted waves are saved. A doorbell has 64 bits and takes the write pointer; the
 * doorbells of a process are mapped once per GPU.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "hw/amd/queue.h"
#include "libsov/winsys/kfd/kfd.h"

/* amdkfd's priorities that its table maps to low, normal and high (kfd_mqd_manager.c,
 * pipe_priority_map). */
static const uint32_t priorities[] = {0, 7, 15};

static int map_doorbells(struct winsys_device *d, uint64_t offset)
{
	void *p = NULL;

	pthread_mutex_lock(&d->lock);
	if (!d->doorbells) {
		p = kfd_os->map(AMD_DOORBELL_PAGE_BYTES, kfd.file,
				offset & ~(AMD_DOORBELL_PAGE_BYTES - 1ull));
		if (p != MAP_FAILED)
			d->doorbells = p;
	}
	pthread_mutex_unlock(&d->lock);
	if (p == MAP_FAILED)
		winsys_set_error("the CPU cannot map the doorbells of %s", d->info.chip);
	return p == MAP_FAILED ? -ENOMEM : 0;
}

static uint64_t save_area_bytes(const struct kfd_node *n)
{
	uint64_t bytes = n->save_bytes + n->debug_bytes;

	return (bytes + KFD_PAGE_BYTES - 1) / KFD_PAGE_BYTES * KFD_PAGE_BYTES;
}

static int create_compute_memory(struct winsys_queue *q)
{
	struct winsys_device *d = q->group->device;
	const struct kfd_node *n = &d->node;
	struct kfd_save_header *header;
	int error = kfd_buffer_new(d, WINSYS_VRAM, n->eop_bytes, &q->eop);

	if (!error)
		error = kfd_buffer_new(d, WINSYS_SYSTEM, save_area_bytes(n), &q->save_area);
	if (error)
		return error;
	header = q->save_area->cpu;
	*header = (struct kfd_save_header){
		.debug_offset = (uint32_t)n->save_bytes,
		.debug_bytes = (uint32_t)n->debug_bytes,
	};
	return 0;
}

static int create(struct winsys_queue *q, const struct winsys_queue_options *o)
{
	struct winsys_device *d = q->group->device;
	struct kfd_create_queue c = {
		.ring = o->ring_va,
		.write_pointer = q->pointers->va + AMD_QUEUE_PUT,
		.read_pointer = q->pointers->va + AMD_QUEUE_GET,
		.ring_bytes = o->ring_entries * o->ring_entry_bytes,
		.gpu_id = d->gpu_id,
		.type = o->engine == WINSYS_COPY ? KFD_QUEUE_SDMA : KFD_QUEUE_COMPUTE,
		.percentage = KFD_QUEUE_ALL_TIME,
		.priority = priorities[o->priority - KFD_MIN_PRIORITY],
	};
	int error;

	if (q->eop) {
		c.eop_buffer = q->eop->va;
		c.eop_bytes = q->eop->bytes;
		c.save_area = q->save_area->va;
		c.save_bytes = (uint32_t)d->node.save_bytes;
		c.control_stack_bytes = (uint32_t)d->node.control_stack_bytes;
	}
	error = kfd_ioctl(KFD_CREATE_QUEUE, &c,
			  o->engine == WINSYS_COPY ? "a copy queue" : "a compute queue");
	if (error)
		return error;
	q->queue_id = c.queue_id;
	q->created = true;
	error = map_doorbells(d, c.doorbell_offset);
	if (!error)
		q->doorbell = d->doorbells +
			      c.doorbell_offset % AMD_DOORBELL_PAGE_BYTES / AMD_DOORBELL_BYTES;
	return error;
}

int kfd_queue_create(struct winsys_group *g, const struct winsys_queue_options *o,
		     struct winsys_queue **out)
{
	struct winsys_queue *q;
	int error;

	if (!kfd_buffer_map(o->ring) || o->ring_offset ||
	    o->ring->bytes != (uint64_t)o->ring_entries * o->ring_entry_bytes) {
		winsys_set_error("a ring of amdgpu is a whole buffer that the CPU can map");
		return -EINVAL;
	}
	q = calloc(1, sizeof(*q));
	if (!q)
		return -ENOMEM;
	q->group = g;
	error = kfd_buffer_new(g->device, WINSYS_SYSTEM, KFD_PAGE_BYTES, &q->pointers);
	if (!error)
		memset(q->pointers->cpu, 0, KFD_PAGE_BYTES);
	if (!error && o->engine == WINSYS_COMPUTE)
		error = create_compute_memory(q);
	if (!error)
		error = create(q, o);
	if (error) {
		kfd_queue_destroy(q);
		return error;
	}
	q->memory = (struct winsys_queue_memory){
		.ring = o->ring->cpu,
		.ring_entries = o->ring_entries,
		.put = (uint32_t *)(void *)((uint8_t *)q->pointers->cpu + AMD_QUEUE_PUT),
		.get = (uint32_t *)(void *)((uint8_t *)q->pointers->cpu + AMD_QUEUE_GET),
		.wide = true,
		.event_mailbox = g->mailbox,
		.event_id = g->event_id,
	};
	*out = q;
	return 0;
}

void kfd_queue_destroy(struct winsys_queue *q)
{
	struct kfd_destroy_queue d = {.queue_id = q->queue_id};

	/* The GPU may be lost: its memory is freed nevertheless. */
	if (q->created && kfd_ioctl(KFD_DESTROY_QUEUE, &d, "destroying a queue"))
		(void)winsys_take_error();
	kfd_buffer_destroy(q->save_area);
	kfd_buffer_destroy(q->eop);
	kfd_buffer_destroy(q->pointers);
	free(q);
}

void kfd_queue_memory(struct winsys_queue *q, struct winsys_queue_memory *out)
{
	*out = q->memory;
}

void kfd_ring_doorbell(struct winsys_queue *q)
{
	uint64_t put = __atomic_load_n((uint64_t *)(void *)q->memory.put, __ATOMIC_RELAXED);

	kfd_os->ring(q->doorbell, put);
}
