// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What the GSP says by itself: a row for each event that we understand. They come while a call may
 * be under way, so what they start is only started here.
 */
#include <drm/drm_print.h>

#include "kmod/nv/nv.h"
#include "kmod/queue.h"

/* A channel was stopped. Numbers of channels are ours, so it is either known or already gone. */
static void on_rc(struct nv_device *nv, const void *payload)
{
	const struct nv_gsp_rc *rc = payload;
	u64 address = (u64)rc->fault_high << 32 | rc->fault_low;
	struct nv_queue *queue;

	xa_lock_irq(&nv->channels);
	queue = xa_load(&nv->channels, rc->channel);
	if (queue)
		sov_queue_fault(&queue->base, rc->type, rc->engine, address, rc->fault_type);
	xa_unlock_irq(&nv->channels);
	/* Any process can make as many of these as it likes. */
	dev_info_ratelimited(nv->base.drm.dev,
			     "channel %u of engine %u: Xid %u, address 0x%llx, kind %u%s\n",
			     rc->channel, rc->engine, rc->type, address, rc->fault_type,
			     queue ? "" : "; it is gone already");
}

static void on_error_log(struct nv_device *nv, const void *payload)
{
	const struct nv_gsp_error *e = payload;

	dev_info_ratelimited(nv->base.drm.dev, "GSP: Xid %u, channel %u: %.*s\n", e->type,
			     e->channel, (int)sizeof(e->text), e->text);
}

static void on_fault(struct nv_device *nv, const void *payload)
{
	drm_dbg(&nv->base.drm, "GSP: a fault was queued\n");
}

static const struct {
	u32 function, bytes;
	void (*handle)(struct nv_device *nv, const void *payload);
} rows[] = {
	{ NV_GSP_EVENT_RC_TRIGGERED, sizeof(struct nv_gsp_rc), on_rc },
	{ NV_GSP_EVENT_MMU_FAULT_QUEUED, 0, on_fault },
	{ NV_GSP_EVENT_OS_ERROR_LOG, sizeof(struct nv_gsp_error), on_error_log },
};

/**
 * nv_event() - hand on what the GSP says by itself
 * @nv: the device
 * @rpc: what it says, checked as a message
 */
void nv_event(struct nv_device *nv, const struct nv_gsp_rpc *rpc)
{
	u32 bytes = rpc->bytes - sizeof(*rpc);
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		if (rows[i].function != rpc->function)
			continue;
		if (bytes < rows[i].bytes)
			drm_err(&nv->base.drm, "GSP: event 0x%x has %u bytes\n", rpc->function,
				bytes);
		else
			rows[i].handle(nv, rpc + 1);
		return;
	}
	drm_dbg(&nv->base.drm, "GSP: event 0x%x, %u bytes\n", rpc->function, bytes);
}
