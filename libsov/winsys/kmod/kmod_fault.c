// SPDX-License-Identifier: MIT
/*
 * Fault reports. The driver keeps a state per queue: the guilty queue says what happened, the other
 * queues of its group are innocent. The state is queried at most once per millisecond, and when the
 * driver rejects work.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "hw/nv/host.h"
#include "libsov/runtime/base/clock.h"
#include "libsov/winsys/kmod/kmod.h"
#include "libsov/winsys/nv_xid.h"

#define QUERY_INTERVAL_NS 1000000u
#define PAGE              4096u

static int query_state(struct winsys_queue *q, struct drm_sovgpu_queue_state *s)
{
	int error;

	*s = (struct drm_sovgpu_queue_state){.queue_id = q->id};
	error = kmod_ioctl(q->group->device->fd, DRM_IOCTL_SOVGPU_QUEUE_STATE, s,
			   "querying a queue's state");
	(void)winsys_take_error();
	return error;
}

static void describe_fault(struct winsys_queue *q, const struct drm_sovgpu_queue_state *s,
			   struct winsys_error *out)
{
	const char *words = nv_xid_text(s->fault_code);

	*out = (struct winsys_error){
		.queue = q,
		.vendor_code = s->fault_code,
		.timed_out = s->state == DRM_SOVGPU_QUEUE_STATE_TIMED_OUT,
		.memory = s->fault_code == NV_XID_MMU_FAULT,
		/* Hardware reports the page. */
		.address = s->fault_address & ~(uint64_t)(PAGE - 1),
	};
	if (out->timed_out)
		snprintf(out->text, sizeof(out->text),
			 "it exceeded the driver's time limit of %u.%03u s",
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

/* Finds the guilty queue. Called with g->lock held. */
static void describe_group(struct winsys_group *g)
{
	struct drm_sovgpu_queue_state s;
	struct winsys_queue *q;

	for (q = g->queues; q; q = q->next)
		if (!query_state(q, &s) && (s.state == DRM_SOVGPU_QUEUE_STATE_FAULTED ||
					    s.state == DRM_SOVGPU_QUEUE_STATE_TIMED_OUT)) {
			describe_fault(q, &s, &g->description);
			return;
		}
	g->description = (struct winsys_error){0};
	if (g->submit_error && g->submit_error != -EIO && g->submit_error != -ECANCELED &&
	    g->submit_error != -ENODEV)
		snprintf(g->description.text, sizeof(g->description.text),
			 "the driver rejected work: %s", strerror(-g->submit_error));
	else
		snprintf(g->description.text, sizeof(g->description.text),
			 "the GPU was removed or reset, or another context caused it to fail");
}

/* Whether one of the driver's groups has failed. One queue of each group is enough: a fault fails
 * the whole group. Called with g->lock held. */
static bool group_has_failed(struct winsys_group *g)
{
	struct drm_sovgpu_queue_state s;
	struct winsys_queue *q;
	uint32_t queried = 0;
	int error;

	for (q = g->queues; q; q = q->next) {
		if (queried >> q->level & 1)
			continue;
		queried |= 1u << q->level;
		error = query_state(q, &s);
		if (error && !g->submit_error)
			g->submit_error = error;
		if (error || s.state != DRM_SOVGPU_QUEUE_STATE_USABLE)
			return true;
	}
	return false;
}

static void check_group(struct winsys_group *g)
{
	pthread_mutex_lock(&g->lock);
	if (!g->failed && !g->stopped && g->queues && (g->submit_error || group_has_failed(g))) {
		describe_group(g);
		__atomic_store_n(&g->failed, true, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&g->lock);
}

void kmod_group_submit_failed(struct winsys_group *g, int error)
{
	(void)winsys_take_error();
	pthread_mutex_lock(&g->lock);
	g->submit_error = error;
	pthread_mutex_unlock(&g->lock);
	check_group(g);
}

bool kmod_group_error(struct winsys_group *g, struct winsys_error *out)
{
	uint64_t now = now_ns(), queried = __atomic_load_n(&g->state_queried_ns, __ATOMIC_RELAXED);

	if (!__atomic_load_n(&g->failed, __ATOMIC_ACQUIRE) && now - queried >= QUERY_INTERVAL_NS) {
		__atomic_store_n(&g->state_queried_ns, now, __ATOMIC_RELAXED);
		check_group(g);
	}
	if (!__atomic_load_n(&g->failed, __ATOMIC_ACQUIRE))
		return false;
	pthread_mutex_lock(&g->lock);
	*out = g->description;
	pthread_mutex_unlock(&g->lock);
	return true;
}
