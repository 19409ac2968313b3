// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Events from the GSP: a table with a row for each event that the driver handles. Handlers run
 * with the GSP's lock held and possibly in the middle of an RPC, so they only start further work.
 */
#include <drm/drm_print.h>

#include "hw/nv/gsp_rm.h"
#include "kmod/nv/device_types.h"
#include "kmod/nv/event.h"
#include "kmod/nv/queue.h"

/*
 * RC_TRIGGERED: the GSP stopped a channel. The driver chose the channel's id, so the lookup finds
 * the queue unless the driver has already removed it.
 */
static void nv_event_rc_triggered(struct nv_device *nv, const void *payload)
{
	const struct nv_gsp_rc *rc = payload;
	u64 address = (u64)rc->fault_high << 32 | rc->fault_low;
	struct nv_queue *queue;

	xa_lock_irq(&nv->channels);
	queue = xa_load(&nv->channels, rc->channel);
	if (queue)
		sov_queue_fault(&queue->base, rc->type, rc->engine, address, rc->fault_type);
	xa_unlock_irq(&nv->channels);
	/* Any process can cause these at will. */
	dev_info_ratelimited(nv->base.drm.dev,
			     "channel %u on engine %u: Xid %u, address 0x%llx, fault type %u%s\n",
			     rc->channel, rc->engine, rc->type, address, rc->fault_type,
			     queue ? "" : " (already removed)");
}

static void nv_event_error_log(struct nv_device *nv, const void *payload)
{
	const struct nv_gsp_error *e = payload;

	dev_info_ratelimited(nv->base.drm.dev, "GSP: Xid %u, channel %u: %.*s\n", e->type,
			     e->channel, (int)sizeof(e->text), e->text);
}

static void nv_event_mmu_fault(struct nv_device *nv, const void *payload)
{
	drm_dbg(&nv->base.drm, "GSP: MMU fault queued\n");
}

static const struct {
	u32 function, min_bytes;
	void (*handle)(struct nv_device *nv, const void *payload);
} nv_event_handlers[] = {
	{ NV_GSP_EVENT_RC_TRIGGERED, sizeof(struct nv_gsp_rc), nv_event_rc_triggered },
	{ NV_GSP_EVENT_MMU_FAULT_QUEUED, 0, nv_event_mmu_fault },
	{ NV_GSP_EVENT_OS_ERROR_LOG, sizeof(struct nv_gsp_error), nv_event_error_log },
};

/**
 * nv_event_handle() - dispatch an event
 * @nv: The device.
 * @rpc: The event, which was checked as a message.
 */
void nv_event_handle(struct nv_device *nv, const struct nv_gsp_rpc *rpc)
{
	u32 bytes = rpc->bytes - sizeof(*rpc);
	int i;

	for (i = 0; i < ARRAY_SIZE(nv_event_handlers); i++) {
		if (nv_event_handlers[i].function != rpc->function)
			continue;
		if (bytes < nv_event_handlers[i].min_bytes)
			drm_err(&nv->base.drm, "GSP: event 0x%x too short: %u bytes\n",
				rpc->function, bytes);
		else
			nv_event_handlers[i].handle(nv, rpc + 1);
		return;
	}
	drm_dbg(&nv->base.drm, "GSP: unhandled event 0x%x, %u bytes\n", rpc->function, bytes);
}
