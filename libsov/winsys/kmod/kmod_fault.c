/* SPDX-License-Identifier: MIT */
/*
 * What a failure was. The driver knows the state of each queue: one failed by itself, the others of
 * its group went down with it. It is asked at most once in a millisecond, and when it refuses work.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "hw/nv/host.h"
#include "libsov/winsys/kmod/kmod.h"
#include "libsov/winsys/nv_xid.h"

#define ASK_EVERY_NS 1000000u
#define PAGE         4096u

static int ask(struct winsys_queue *q, struct drm_sovgpu_queue_state *s)
{
	int error;

	*s = (struct drm_sovgpu_queue_state){.queue_id = q->id};
	error = kmod_call(q->group->device->file, DRM_IOCTL_SOVGPU_QUEUE_STATE, s,
			  "asking for a queue's state");
	(void)winsys_take_error();
	return error;
}

static void describe(struct winsys_queue *q, const struct drm_sovgpu_queue_state *s,
		     struct winsys_error *out)
{
	const char *words = nv_xid_text(s->fault_code);

	*out = (struct winsys_error){
		.queue = q,
		.vendor_code = s->fault_code,
		.timed_out = s->state == DRM_SOVGPU_QUEUE_STATE_TIMED_OUT,
		.memory = s->fault_code == NV_XID_MMU_FAULT,
		/* Real hardware tells the page. */
		.address = s->fault_address & ~(uint64_t)(PAGE - 1),
	};
	if (out->timed_out)
		snprintf(out->text, sizeof(out->text),
			 "it did not end within the driver's limit of %u.%03u s",
			 q->group->device->time_limit_ms / 1000,
			 q->group->device->time_limit_ms % 1000);
	else if (out->memory)
		snprintf(out->text, sizeof(out->text),
			 "invalid access in the page at 0x%llx: it is not mapped",
			 (unsigned long long)out->address);
	else
		snprintf(out->text, sizeof(out->text), "%s (Xid %u)",
			 words ? words : "the channel failed", s->fault_code);
}

/* With the lock held: which queue failed, and how. */
static void investigate(struct winsys_group *g)
{
	struct drm_sovgpu_queue_state s;
	struct winsys_queue *q;

	for (q = g->queues; q; q = q->next)
		if (!ask(q, &s) && (s.state == DRM_SOVGPU_QUEUE_STATE_FAULTED ||
				    s.state == DRM_SOVGPU_QUEUE_STATE_TIMED_OUT)) {
			describe(q, &s, &g->description);
			return;
		}
	g->description = (struct winsys_error){0};
	if (g->refused && g->refused != -EIO && g->refused != -ECANCELED && g->refused != -ENODEV)
		snprintf(g->description.text, sizeof(g->description.text),
			 "the driver refused work: %s", strerror(-g->refused));
	else
		snprintf(g->description.text, sizeof(g->description.text),
			 "the GPU is gone, or something that is not this context's took it down");
}

/* With the lock held: whether one of the driver's groups is down. One queue of each is enough to
 * know, since fate is the group's. */
static bool is_down(struct winsys_group *g)
{
	struct drm_sovgpu_queue_state s;
	struct winsys_queue *q;
	uint32_t asked = 0;
	int error;

	for (q = g->queues; q; q = q->next) {
		if (asked >> q->level & 1)
			continue;
		asked |= 1u << q->level;
		error = ask(q, &s);
		if (error && !g->refused)
			g->refused = error;
		if (error || s.state != DRM_SOVGPU_QUEUE_STATE_USABLE)
			return true;
	}
	return false;
}

static void look(struct winsys_group *g)
{
	pthread_mutex_lock(&g->lock);
	if (!g->failed && !g->stopped && g->queues && (g->refused || is_down(g))) {
		investigate(g);
		__atomic_store_n(&g->failed, true, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&g->lock);
}

void kmod_group_refused(struct winsys_group *g, int error)
{
	(void)winsys_take_error();
	pthread_mutex_lock(&g->lock);
	g->refused = error;
	pthread_mutex_unlock(&g->lock);
	look(g);
}

bool kmod_group_error(struct winsys_group *g, struct winsys_error *out)
{
	uint64_t now = kmod_now(), asked = __atomic_load_n(&g->asked, __ATOMIC_RELAXED);

	if (!__atomic_load_n(&g->failed, __ATOMIC_ACQUIRE) && now - asked >= ASK_EVERY_NS) {
		__atomic_store_n(&g->asked, now, __ATOMIC_RELAXED);
		look(g);
	}
	if (!__atomic_load_n(&g->failed, __ATOMIC_ACQUIRE))
		return false;
	pthread_mutex_lock(&g->lock);
	*out = g->description;
	pthread_mutex_unlock(&g->lock);
	return true;
}
