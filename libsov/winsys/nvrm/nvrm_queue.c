// SPDX-License-Identifier: MIT
/*
 * Groups and queues. A group is a VA space and one channel group (TSG) for each engine and priority
 * in use; a queue is a channel of such a TSG. All channels of a group share one error notifier, so
 * that one word of memory tells whether the group has failed, and one page of USERD with 512 bytes
 * for the GP_PUT and GP_GET of each channel. USERD lies in video memory, as rings do, because the
 * GPU fetches from there in half the time (measured on an H200).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "libsov/winsys/nvrm/nvrm.h"

/* ---- groups ---- */

void nvrm_group_destroy(struct winsys_group *g)
{
	uint32_t i;

	for (i = 0; i < NVRM_PRIORITIES; i++) {
		rm_unwind(&g->channel_groups[i][WINSYS_COPY].scope, 0);
		rm_unwind(&g->channel_groups[i][WINSYS_COMPUTE].scope, 0);
	}
	rm_unwind(&g->scope, 0);
	nvrm_buffer_destroy(g->userd);
	nvrm_buffer_destroy(g->notifier);
	pthread_mutex_destroy(&g->lock);
	free(g);
}

static int create_va_space(struct winsys_group *g)
{
	struct winsys_device *d = g->device;
	struct rm_va_space_parameters space = {0};
	struct rm_range_parameters range = {0};
	int error = rm_alloc(&g->scope, d->device, RM_CLASS_VA_SPACE, &space,
			     d->rm->release->va_space_bytes, &g->va_space, "a VA space");

	range.va_space = g->va_space;
	if (!error)
		error = rm_alloc(&g->scope, d->device, RM_CLASS_MEMORY_RANGE, &range, sizeof(range),
				 &g->va_range, "a VA range");
	return error;
}

static int create_zeroed_page(struct winsys_device *d, enum winsys_placement placement,
			      struct winsys_buffer **out)
{
	int error = nvrm_buffer_create(d, placement, NVRM_PAGE_BYTES, out);

	if (error)
		return error;
	if (!nvrm_buffer_map(*out))
		return -ENOMEM;
	memset((*out)->cpu, 0, NVRM_PAGE_BYTES);
	return 0;
}

int nvrm_group_create(struct winsys_device *d, struct winsys_group **out)
{
	struct winsys_group *g;
	uint32_t i;
	int error = nvrm_map_usermode(d);

	if (error)
		return error;
	g = calloc(1, sizeof(*g));
	if (!g)
		return -ENOMEM;
	g->device = d;
	g->scope.rm = d->rm;
	for (i = 0; i < NVRM_PRIORITIES; i++)
		g->channel_groups[i][WINSYS_COMPUTE].scope.rm =
			g->channel_groups[i][WINSYS_COPY].scope.rm = d->rm;
	pthread_mutex_init(&g->lock, NULL);
	error = create_va_space(g);
	if (!error)
		error = create_zeroed_page(d, WINSYS_SYSTEM, &g->notifier);
	if (!error)
		error = create_zeroed_page(d, WINSYS_VRAM, &g->userd);
	if (error) {
		nvrm_group_destroy(g);
		return error;
	}
	g->error = g->notifier->cpu;
	*out = g;
	return 0;
}

/* ---- channel groups ---- */

/*
 * RM expresses a priority by the time slice of a TSG, which any process may set, and by its
 * interleave level on the runlist, which needs privileges. Without them only the time slice
 * differs.
 */
static const struct {
	uint64_t slice_us; /* 0: RM's default */
	uint32_t interleave;
} priorities[NVRM_PRIORITIES] = {{500, 0}, {0, 0}, {8000, RM_INTERLEAVE_HIGH}};

static struct nvrm_channel_group *channel_group_of(struct winsys_group *g, int32_t priority,
						   enum winsys_engine engine)
{
	return &g->channel_groups[priority - NVRM_MIN_PRIORITY][engine];
}

static int set_priority(struct rm *rm, uint32_t group, int32_t priority)
{
	struct rm_time_slice slice = {.us = priorities[priority - NVRM_MIN_PRIORITY].slice_us};
	struct rm_interleave interleave = {
		.level = priorities[priority - NVRM_MIN_PRIORITY].interleave};
	int error = 0;

	if (interleave.level &&
	    rm_control(rm, group, RM_CONTROL_INTERLEAVE, &interleave, sizeof(interleave),
		       "a channel group's interleave level"))
		(void)winsys_take_error();
	if (slice.us)
		error = rm_control(rm, group, RM_CONTROL_TIME_SLICE, &slice, sizeof(slice),
				   "a channel group's time slice");
	return error;
}

static void channel_group_destroy(struct nvrm_channel_group *e)
{
	rm_unwind(&e->scope, 0);
	e->handle = e->context_share = 0;
	e->preemptible = false;
}

static int channel_group_create(struct winsys_group *g, int32_t priority, enum winsys_engine engine)
{
	struct nvrm_channel_group *e = channel_group_of(g, priority, engine);
	struct rm_channel_group_parameters group = {.notifier = g->notifier->memory,
						    .va_space = g->va_space};
	struct rm_context_share_parameters share = {.va_space = g->va_space,
						    .flags = RM_CONTEXT_SHARE_ASYNC};
	int error = 0;

	if (e->handle)
		return 0;
	e->engine = RM_ENGINE_GRAPHICS;
	if (engine == WINSYS_COPY)
		error = nvrm_choose_copy_engine(g->device, &e->engine);
	group.engine = e->engine;
	if (!error)
		error = rm_alloc(&e->scope, g->device->device, RM_CLASS_CHANNEL_GROUP, &group,
				 sizeof(group), &e->handle, "a channel group");
	if (!error)
		error = set_priority(g->device->rm, e->handle, priority);
	/* RM accepts no asynchronous context share on a copy engine, which needs none. */
	if (!error && engine == WINSYS_COMPUTE)
		error = rm_alloc(&e->scope, e->handle, RM_CLASS_CONTEXT_SHARE, &share,
				 sizeof(share), &e->context_share, "a context share");
	if (error)
		channel_group_destroy(e);
	return error;
}

/*
 * Enables preemption at block (CTA) boundaries. Without it other processes wait until our grids
 * end, and after some seconds RM kills them (Xid 109). A finer mode would need a trap handler.
 */
static int enable_preemption(struct winsys_group *g, const struct winsys_queue *q)
{
	struct nvrm_channel_group *e = channel_group_of(g, q->priority, q->engine);
	struct rm_preemption p = {
		.flags = RM_PREEMPTION_SET_COMPUTE,
		.channel = q->channel,
		.compute = RM_PREEMPTION_BLOCK,
	};
	int error;

	if (q->engine != WINSYS_COMPUTE || e->preemptible)
		return 0;
	error = rm_control(g->device->rm, g->device->subdevice, RM_CONTROL_PREEMPTION, &p,
			   sizeof(p), "the preemption mode");
	e->preemptible = !error;
	return error;
}

/* ---- queues ---- */

/* Destroys the TSG with its last channel: RM rejects new channels in a TSG that has become empty
 * (status 0x40, H200). */
static void channel_group_put(struct winsys_queue *q)
{
	struct nvrm_channel_group *e = channel_group_of(q->group, q->priority, q->engine);

	if (!--e->queues)
		channel_group_destroy(e);
}

static bool userd_slot_alloc(struct winsys_group *g, uint32_t *slot)
{
	for (*slot = 0; *slot < NVRM_MAX_QUEUES; ++*slot)
		if (!(g->userd_used[*slot / 64] >> *slot % 64 & 1)) {
			g->userd_used[*slot / 64] |= UINT64_C(1) << *slot % 64;
			return true;
		}
	winsys_set_error("a group has at most %u queues", NVRM_MAX_QUEUES);
	return false;
}

static int channel_create(struct winsys_queue *q, const struct winsys_queue_options *o)
{
	struct winsys_group *g = q->group;
	const struct winsys_nv_chip *chip = g->device->chip;
	struct nvrm_channel_group *e = channel_group_of(g, q->priority, q->engine);
	struct rm_channel_parameters c = {
		.notifier = g->notifier->memory,
		.ring = o->ring_va,
		.ring_entries = o->ring_entries,
		.context_share = e->context_share,
		.userd_memory = {g->userd->memory},
		.userd_offset = {(uint64_t)q->userd_slot * NV_USERD_BYTES},
		.engine = e->engine,
	};
	struct rm_copy_parameters copy = {.version = 1, .engine = e->engine};
	int error = rm_alloc(&q->scope, e->handle, chip->channel_class, &c, sizeof(c), &q->channel,
			     "a channel");

	if (error)
		return error;
	if (q->engine == WINSYS_COPY)
		return rm_alloc(&q->scope, q->channel, chip->copy_class, &copy, sizeof(copy),
				&q->engine_object, "a copy object");
	return rm_alloc(&q->scope, q->channel, chip->compute_class, NULL, 0, &q->engine_object,
			"a compute object");
}

static int channel_start(struct winsys_queue *q)
{
	struct rm *rm = q->group->device->rm;
	struct rm_schedule schedule = {.enable = 1};
	struct rm_token t = {0};
	int error = enable_preemption(q->group, q);

	if (!error)
		error = rm_control(rm, q->channel, RM_CONTROL_TOKEN, &t, sizeof(t),
				   "a channel's work submit token");
	if (!error)
		error = rm_control(rm, channel_group_of(q->group, q->priority, q->engine)->handle,
				   RM_CONTROL_SCHEDULE, &schedule, rm->release->schedule_bytes,
				   "a channel group's scheduling");
	q->memory.doorbell_value = t.token;
	return error;
}

static void init_queue_memory(struct winsys_queue *q, const struct winsys_queue_options *o)
{
	uint8_t *userd = (uint8_t *)q->group->userd->cpu + q->userd_slot * NV_USERD_BYTES;
	const struct winsys_device *d = q->group->device;

	q->memory.ring = (uint64_t *)((uint8_t *)o->ring->cpu + o->ring_offset);
	q->memory.ring_entries = o->ring_entries;
	q->memory.put = (uint32_t *)(userd + NV_USERD_GP_PUT);
	q->memory.get = (uint32_t *)(userd + NV_USERD_GP_GET);
	q->memory.doorbell = (uint32_t *)((d->bar1_usermode ? d->bar1_usermode : d->usermode) +
					  RM_USER_DOORBELL);
	q->memory.doorbell_passes_writes = !d->bar1_usermode;
	/* The slot may hold the indices of a destroyed queue. */
	memset(userd, 0, NV_USERD_BYTES);
	winsys_write_barrier();
}

int nvrm_queue_create(struct winsys_group *g, const struct winsys_queue_options *o,
		      struct winsys_queue **out)
{
	struct winsys_queue *q;
	int error = channel_group_create(g, o->priority, o->engine);

	if (error)
		return error;
	if (!nvrm_buffer_map(o->ring))
		return -ENOMEM;
	q = calloc(1, sizeof(*q));
	if (!q)
		return -ENOMEM;
	q->group = g;
	q->engine = o->engine;
	q->priority = o->priority;
	q->scope.rm = g->device->rm;
	channel_group_of(g, q->priority, q->engine)->queues++;
	if (!userd_slot_alloc(g, &q->userd_slot)) {
		channel_group_put(q);
		free(q);
		return -ENOSPC;
	}
	init_queue_memory(q, o);
	error = channel_create(q, o);
	if (!error)
		error = channel_start(q);
	if (error) {
		nvrm_queue_destroy(q);
		return error;
	}
	pthread_mutex_lock(&g->lock);
	q->next = g->queues;
	g->queues = q;
	pthread_mutex_unlock(&g->lock);
	*out = q;
	return 0;
}

void nvrm_queue_destroy(struct winsys_queue *q)
{
	struct winsys_group *g = q->group;
	struct winsys_queue **p;

	pthread_mutex_lock(&g->lock);
	for (p = &g->queues; *p && *p != q; p = &(*p)->next)
		;
	if (*p) /* not listed if its creation failed */
		*p = q->next;
	pthread_mutex_unlock(&g->lock);
	rm_unwind(&q->scope, 0);
	channel_group_put(q);
	g->userd_used[q->userd_slot / 64] &= ~(UINT64_C(1) << q->userd_slot % 64);
	free(q);
}

void nvrm_queue_memory(struct winsys_queue *q, struct winsys_queue_memory *out)
{
	*out = q->memory;
}
