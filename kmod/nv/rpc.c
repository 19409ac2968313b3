// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * RPCs to the GSP. Two rings of pages in system memory carry messages (message.c): the driver's
 * ring carries commands, the GSP's ring carries replies and events. One RPC is in flight at a time;
 * the driver handles events that precede the reply while it waits, and other events when the GSP
 * raises its interrupt. Every received element is validated, including its sequence number: after
 * one lost or corrupt element no later reply can be trusted, so the driver wedges the device. An
 * RPC allocates no memory, because fences may wait for it.
 */
#include <drm/drm_print.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/slab.h>

#include "kmod/nv/memory.h"
#include "kmod/nv/message.h"
#include "kmod/nv/regs.h"
#include "kmod/nv/rpc.h"

#define SEND_LIMIT_MS 5000
#define LOST_CHECK_MS 50 /* interval between checks whether the device is still on the bus */
#define POLL_MIN_US   50
#define POLL_MAX_US   200

/**
 * nv_rpc_init() - allocate the message queues
 * @nv: The device; its GSP does not run.
 *
 * Return: 0 or -ENOMEM. On failure, too, the caller must call nv_rpc_fini().
 */
int nv_rpc_init(struct nv_device *nv)
{
	struct nv_gsp *gsp = &nv->gsp;
	u32 pages = 2 * NV_GSP_QUEUE_BYTES / NV_GSP_PAGE;
	u64 *addresses;
	u32 i;
	int ret;

	gsp->element = kvzalloc(NV_MESSAGE_MAX_BYTES, GFP_KERNEL);
	if (!gsp->element)
		return -ENOMEM;
	/* The table of page addresses also lists the pages of the table itself. */
	pages += DIV_ROUND_UP((pages + 1) * sizeof(u64), NV_GSP_PAGE);
	ret = nv_buffer_alloc(nv, NULL, &gsp->shared, pages * NV_GSP_PAGE);
	if (ret)
		return ret;
	addresses = gsp->shared.cpu;
	for (i = 0; i < pages; i++)
		addresses[i] = gsp->shared.bus + (u64)i * NV_GSP_PAGE;
	gsp->status = gsp->shared.cpu + gsp->shared.bytes - NV_GSP_QUEUE_BYTES;
	gsp->command = (void *)gsp->status - NV_GSP_QUEUE_BYTES;
	*gsp->command = (struct nv_gsp_queue){
		.bytes = NV_GSP_QUEUE_BYTES,
		.element_bytes = NV_GSP_PAGE,
		.elements = NV_GSP_QUEUE_ELEMENTS,
		.flags = 1,
		.get_offset = NV_GSP_QUEUE_GET,
		.elements_offset = NV_GSP_PAGE,
	};
	gsp->sequence = 0;
	gsp->expected = 0;
	gsp->halted = false;
	return 0;
}

/**
 * nv_rpc_fini() - free the message queues
 * @nv: The device; its GSP can no longer access memory.
 */
void nv_rpc_fini(struct nv_device *nv)
{
	nv_buffer_free(nv, &nv->gsp.shared);
	kvfree(nv->gsp.element);
	nv->gsp.element = NULL;
}

/*
 * Whether there is no GSP to wait for. Reads a register only every LOST_CHECK_MS, because that is
 * slower than polling memory.
 */
static bool nv_rpc_check_lost(struct nv_device *nv, unsigned long *next_check)
{
	if (READ_ONCE(nv->gsp.halted))
		return true;
	if (time_before(jiffies, *next_check))
		return READ_ONCE(nv->lost);
	*next_check = jiffies + msecs_to_jiffies(LOST_CHECK_MS);
	return nv_regs_lost(nv);
}

static int nv_rpc_send_locked(struct nv_device *nv, const struct nv_message *m)
{
	unsigned long deadline = jiffies + msecs_to_jiffies(SEND_LIMIT_MS);
	unsigned long next_check = jiffies + msecs_to_jiffies(LOST_CHECK_MS);
	struct nv_gsp *gsp = &nv->gsp;
	u32 put = gsp->command->put, pages;

	pages = nv_message_build(gsp->element, gsp->sequence, m);
	if (!pages)
		return -E2BIG;
	while (nv_message_space(put, READ_ONCE(gsp->status->get) % NV_GSP_QUEUE_ELEMENTS) < pages) {
		if (nv_rpc_check_lost(nv, &next_check))
			return -EIO;
		if (time_after(jiffies, deadline)) {
			drm_err(&nv->base.drm, "GSP: command queue is full and stalled\n");
			return -ETIMEDOUT;
		}
		usleep_range(POLL_MIN_US, POLL_MAX_US);
	}
	nv_message_write(gsp->command, put, gsp->element, pages);
	dma_wmb(); /* order the element before the put index */
	WRITE_ONCE(gsp->command->put, (put + pages) % NV_GSP_QUEUE_ELEMENTS);
	nv_wr32(nv, NV_PGSP_QUEUE_HEAD, 0);
	gsp->sequence++;
	return 0;
}

/* Copies the next element out of the status queue; returns -EAGAIN if there is none. */
static int nv_rpc_receive(struct nv_device *nv)
{
	struct nv_gsp *gsp = &nv->gsp;
	struct drm_device *drm = &nv->base.drm;
	u32 put = READ_ONCE(gsp->status->put), get = gsp->command->get;
	const char *error;
	u32 available, pages;

	if (put >= NV_GSP_QUEUE_ELEMENTS) {
		drm_err(drm, "GSP: status queue index %u out of range, limit %u\n", put,
			NV_GSP_QUEUE_ELEMENTS);
		return -EIO;
	}
	available = nv_message_count(put, get);
	if (!available)
		return -EAGAIN;
	dma_rmb(); /* order the put index before the element */
	nv_message_read(gsp->status, get, gsp->element, 1);
	pages = gsp->element->pages;
	if (!pages || pages > NV_GSP_ELEMENT_PAGES || pages > available) {
		drm_err(drm, "GSP: element claims %u pages, %u are available\n", pages, available);
		return -EIO;
	}
	nv_message_read(gsp->status, get, gsp->element, pages);
	mb(); /* finish reading before the GSP may reuse the pages */
	WRITE_ONCE(gsp->command->get, (get + pages) % NV_GSP_QUEUE_ELEMENTS);
	error = nv_message_check(gsp->element, gsp->expected, pages);
	if (error) {
		drm_err(drm, "GSP: element %u: %s\n", gsp->element->sequence, error);
		return -EIO;
	}
	gsp->expected++;
	return 0;
}

static int nv_rpc_receive_until(struct nv_device *nv, unsigned long deadline)
{
	unsigned long next_check = jiffies + msecs_to_jiffies(LOST_CHECK_MS);
	int ret;

	for (;;) {
		bool late = time_after(jiffies, deadline);

		ret = nv_rpc_receive(nv);
		if (ret != -EAGAIN)
			return ret;
		if (nv_rpc_check_lost(nv, &next_check))
			return -EIO;
		if (late)
			return -ETIMEDOUT;
		usleep_range(POLL_MIN_US, POLL_MAX_US);
	}
}

/* Copies the reply over the request; returns -EREMOTEIO if the GSP rejected the RPC. */
static int nv_rpc_copy_reply(struct nv_device *nv, const struct nv_gsp_rpc *rpc, void *head,
			     u32 head_bytes, void *body, u32 body_bytes)
{
	struct drm_device *drm = &nv->base.drm;
	u32 bytes = rpc->bytes - sizeof(*rpc);

	if (rpc->result) {
		drm_err(drm, "GSP: RPC %u failed with status 0x%x\n", rpc->function, rpc->result);
		return -EREMOTEIO;
	}
	if (bytes < head_bytes || bytes - head_bytes < body_bytes) {
		drm_err(drm, "GSP: reply to RPC %u has %u bytes, expected %u\n", rpc->function,
			bytes, head_bytes + body_bytes);
		return -EIO;
	}
	if (head_bytes)
		memcpy(head, rpc + 1, head_bytes);
	if (body_bytes)
		memcpy(body, (const u8 *)(rpc + 1) + head_bytes, body_bytes);
	return 0;
}

/* Waits for the reply to an RPC, or for an event, and handles the events that arrive before it. */
static int nv_rpc_wait_locked(struct nv_device *nv, u32 function, void *head, u32 head_bytes,
			      void *body, u32 body_bytes, u32 limit_ms)
{
	unsigned long deadline = jiffies + msecs_to_jiffies(limit_ms);
	const struct nv_gsp_rpc *rpc = nv_message_rpc(nv->gsp.element);
	int ret;

	for (;;) {
		ret = nv_rpc_receive_until(nv, deadline);
		if (!ret && rpc->function == function)
			return nv_rpc_copy_reply(nv, rpc, head, head_bytes, body, body_bytes);
		if (!ret &&
		    time_after(jiffies, deadline)) /* a stream of events must not delay it */
			ret = -ETIMEDOUT;
		if (ret && !READ_ONCE(nv->lost))
			drm_err(&nv->base.drm, "GSP: no reply to RPC %u: %pe\n", function,
				ERR_PTR(ret));
		if (ret)
			return ret;
		nv->gsp.handle_event(nv, rpc);
	}
}

/**
 * nv_rpc_send() - send an RPC that has no reply
 * @nv: The device.
 * @function: RPC function number.
 * @payload: Arguments of the RPC.
 * @bytes: Size of @payload.
 *
 * Return: 0 or a negative errno.
 */
int nv_rpc_send(struct nv_device *nv, u32 function, const void *payload, u32 bytes)
{
	struct nv_message m = { .function = function, .head = payload, .head_bytes = bytes };
	int ret;

	mutex_lock(&nv->gsp.lock);
	ret = nv_rpc_send_locked(nv, &m);
	mutex_unlock(&nv->gsp.lock);
	return ret;
}

/**
 * nv_rpc_wait_event() - wait for an event
 * @nv: The device.
 * @function: Number of the event.
 * @limit_ms: Time limit in milliseconds.
 *
 * Return: 0 or a negative errno after a log message.
 */
int nv_rpc_wait_event(struct nv_device *nv, u32 function, u32 limit_ms)
{
	int ret;

	mutex_lock(&nv->gsp.lock);
	ret = nv_rpc_wait_locked(nv, function, NULL, 0, NULL, 0, limit_ms);
	mutex_unlock(&nv->gsp.lock);
	return ret;
}

/*
 * A GSP that does not reply cannot stop channels either. Stop sending RPCs, and clear bus mastering
 * so that system memory which the GSP or a channel may still address can be freed.
 */
static void nv_rpc_wedge_locked(struct nv_device *nv)
{
	if (!nv->gsp.running)
		return;
	if (!READ_ONCE(nv->lost))
		drm_err(&nv->base.drm, "GSP: device is wedged until it is reset\n");
	nv->gsp.running = false;
	pci_clear_master(sov_pci(&nv->base));
	queue_work(nv->base.reap_wq, &nv->gsp.dump_work);
	sov_wedge(&nv->base);
}

/**
 * nv_rpc_wedge() - declare the device wedged
 * @nv: The device.
 *
 * For callers that failed to stop or unmap something, which the GPU may therefore still use.
 */
void nv_rpc_wedge(struct nv_device *nv)
{
	mutex_lock(&nv->gsp.lock);
	nv_rpc_wedge_locked(nv);
	mutex_unlock(&nv->gsp.lock);
}

/**
 * nv_rpc_call() - send an RPC and wait for the reply, which overwrites the arguments
 * @nv: The device.
 * @function: RPC function number.
 * @head: First part of the arguments.
 * @head_bytes: Size of @head.
 * @body: Second part of the arguments, or NULL.
 * @body_bytes: Size of @body.
 * @limit_ms: Time limit in milliseconds.
 *
 * Return: 0; -EIO after a log message, or if the device is already wedged; -ENODEV if the GSP does
 * not run; -E2BIG if the arguments are too large.
 */
int nv_rpc_call(struct nv_device *nv, u32 function, void *head, u32 head_bytes, void *body,
		u32 body_bytes, u32 limit_ms)
{
	struct nv_message m = { function, head, head_bytes, body, body_bytes };
	int ret = READ_ONCE(nv->base.wedged) ? -EIO : -ENODEV;

	mutex_lock(&nv->gsp.lock);
	if (!nv->gsp.running)
		goto out;
	ret = nv_rpc_send_locked(nv, &m);
	if (ret == -E2BIG) /* not sent */
		goto out;
	if (!ret)
		ret = nv_rpc_wait_locked(nv, function, head, head_bytes, body, body_bytes,
					 limit_ms);
	if (ret && ret != -EREMOTEIO)
		nv_rpc_wedge_locked(nv);
	if (ret)
		ret = -EIO;
out:
	mutex_unlock(&nv->gsp.lock);
	return ret;
}

/**
 * nv_rpc_event_work() - handle the events in the status queue
 * @work: event_work of the GSP.
 */
void nv_rpc_event_work(struct work_struct *work)
{
	struct nv_device *nv = container_of(work, struct nv_device, gsp.event_work);
	u32 left = NV_GSP_QUEUE_ELEMENTS;
	int ret = 0;

	mutex_lock(&nv->gsp.lock);
	while (nv->gsp.running && left && !ret) {
		ret = nv_rpc_receive(nv);
		if (!ret)
			nv->gsp.handle_event(nv, nv_message_rpc(nv->gsp.element));
		left--;
	}
	if (READ_ONCE(nv->gsp.halted))
		ret = -EIO; /* its last messages are handled */
	if (ret && ret != -EAGAIN)
		nv_rpc_wedge_locked(nv);
	mutex_unlock(&nv->gsp.lock);
	if (!left) /* requeue, so that a stream of events cannot starve RPCs */
		queue_work(nv->base.wq, work);
}
