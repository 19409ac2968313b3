// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Calls to the GSP. There are two rings of pages in memory: ours with commands, the GSP's with
 * answers and events (message.c). One call is under way at a time; events that come before its
 * answer are handed on, and those that come without a call when the GSP's interrupt says so. What
 * comes from the GSP is checked like anything from outside, its number included: once one is lost
 * or wrong, no answer can be believed any more, and the card is given up. Nothing is allocated for
 * a call, because fences may wait for it.
 */
#include <drm/drm_print.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/slab.h>

#include "kmod/nv/message.h"
#include "kmod/nv/nv.h"

#define READ_LIMIT_MS 5000
#define LOOK_MS       50 /* how often who waits looks whether the card is still there */

/**
 * nv_rpc_init() - make the queues
 * @nv: the device; its GSP does not run
 *
 * Return: 0 or ENOMEM.
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
	/* The pages that hold the addresses have theirs in there, too. */
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
	return 0;
}

/**
 * nv_rpc_fini() - free the queues
 * @nv: the device; its GSP reaches no memory any more
 */
void nv_rpc_fini(struct nv_device *nv)
{
	nv_buffer_free(nv, &nv->gsp.shared);
	kvfree(nv->gsp.element);
	nv->gsp.element = NULL;
}

/* Looks at a register only now and then: it takes longer than to look at memory. */
static bool lost(struct nv_device *nv, unsigned long *look)
{
	if (time_before(jiffies, *look))
		return READ_ONCE(nv->lost);
	*look = jiffies + msecs_to_jiffies(LOOK_MS);
	return nv_lost(nv);
}

static int send(struct nv_device *nv, const struct nv_message *m)
{
	unsigned long deadline = jiffies + msecs_to_jiffies(READ_LIMIT_MS);
	unsigned long look = jiffies + msecs_to_jiffies(LOOK_MS);
	struct nv_gsp *gsp = &nv->gsp;
	u32 put = gsp->command->put, pages;

	pages = nv_message_build(gsp->element, gsp->sequence, m);
	if (!pages)
		return -E2BIG;
	while (nv_message_space(put, READ_ONCE(gsp->status->get) % NV_GSP_QUEUE_ELEMENTS) < pages) {
		if (lost(nv, &look))
			return -EIO;
		if (time_after(jiffies, deadline)) {
			drm_err(&nv->base.drm, "GSP: it does not read its commands\n");
			return -ETIMEDOUT;
		}
		usleep_range(50, 200);
	}
	nv_message_write(gsp->command, put, gsp->element, pages);
	dma_wmb(); /* the element before the pointer */
	WRITE_ONCE(gsp->command->put, (put + pages) % NV_GSP_QUEUE_ELEMENTS);
	nv_wr32(nv, NV_PGSP_QUEUE_HEAD, 0);
	gsp->sequence++;
	return 0;
}

/* The element at the head of the GSP's queue, copied out; EAGAIN: there is none. */
static int receive(struct nv_device *nv)
{
	struct nv_gsp *gsp = &nv->gsp;
	struct drm_device *drm = &nv->base.drm;
	u32 put = READ_ONCE(gsp->status->put), get = gsp->command->get;
	const char *wrong;
	u32 there, pages;

	if (put >= NV_GSP_QUEUE_ELEMENTS) {
		drm_err(drm, "GSP: its queue ends at %u of %u\n", put, NV_GSP_QUEUE_ELEMENTS);
		return -EIO;
	}
	there = nv_message_count(put, get);
	if (!there)
		return -EAGAIN;
	dma_rmb(); /* the pointer before the element */
	nv_message_read(gsp->status, get, gsp->element, 1);
	pages = gsp->element->pages;
	if (!pages || pages > NV_GSP_ELEMENT_PAGES || pages > there) {
		drm_err(drm, "GSP: element of %u pages, %u are there\n", pages, there);
		return -EIO;
	}
	nv_message_read(gsp->status, get, gsp->element, pages);
	mb(); /* all of it is read before the GSP may write there again */
	WRITE_ONCE(gsp->command->get, (get + pages) % NV_GSP_QUEUE_ELEMENTS);
	wrong = nv_message_check(gsp->element, gsp->expected, pages);
	if (wrong) {
		drm_err(drm, "GSP: element %u: %s\n", gsp->element->sequence, wrong);
		return -EIO;
	}
	gsp->expected++;
	return 0;
}

static int receive_until(struct nv_device *nv, unsigned long deadline)
{
	unsigned long look = jiffies + msecs_to_jiffies(LOOK_MS);
	int ret;

	for (;;) {
		bool late = time_after(jiffies, deadline);

		ret = receive(nv);
		if (ret != -EAGAIN)
			return ret;
		if (lost(nv, &look))
			return -EIO;
		if (late)
			return -ETIMEDOUT;
		usleep_range(50, 200);
	}
}

/* Copies the answer over what was asked; EREMOTEIO: it was understood, and refused. */
static int take(struct nv_device *nv, const struct nv_gsp_rpc *rpc, void *head, u32 head_bytes,
		void *body, u32 body_bytes)
{
	struct drm_device *drm = &nv->base.drm;
	u32 bytes = rpc->bytes - sizeof(*rpc);

	if (rpc->result) {
		drm_err(drm, "GSP: call %u fails with status 0x%x\n", rpc->function, rpc->result);
		return -EREMOTEIO;
	}
	if (bytes < head_bytes || bytes - head_bytes < body_bytes) {
		drm_err(drm, "GSP: call %u answers %u bytes, not %u\n", rpc->function, bytes,
			head_bytes + body_bytes);
		return -EIO;
	}
	if (head_bytes)
		memcpy(head, rpc + 1, head_bytes);
	if (body_bytes)
		memcpy(body, (const u8 *)(rpc + 1) + head_bytes, body_bytes);
	return 0;
}

static int wait(struct nv_device *nv, u32 function, void *head, u32 head_bytes, void *body,
		u32 body_bytes, u32 limit_ms)
{
	unsigned long deadline = jiffies + msecs_to_jiffies(limit_ms);
	const struct nv_gsp_rpc *rpc = nv_message_rpc(nv->gsp.element);
	int ret;

	for (;;) {
		ret = receive_until(nv, deadline);
		if (!ret && rpc->function == function)
			return take(nv, rpc, head, head_bytes, body, body_bytes);
		if (!ret && time_after(jiffies, deadline)) /* however much it has to say */
			ret = -ETIMEDOUT;
		if (ret && !READ_ONCE(nv->lost))
			drm_err(&nv->base.drm, "GSP: no answer to call %u: %pe\n", function,
				ERR_PTR(ret));
		if (ret)
			return ret;
		nv_event(nv, rpc);
	}
}

/**
 * nv_rpc_send() - say something that the GSP does not answer
 * @nv: the device
 * @function: number of the call
 * @payload: its arguments
 * @bytes: their size
 *
 * Return: 0 or a negative errno.
 */
int nv_rpc_send(struct nv_device *nv, u32 function, const void *payload, u32 bytes)
{
	struct nv_message m = { .function = function, .head = payload, .head_bytes = bytes };
	int ret;

	mutex_lock(&nv->gsp.lock);
	ret = send(nv, &m);
	mutex_unlock(&nv->gsp.lock);
	return ret;
}

/**
 * nv_rpc_wait() - wait for something that the GSP says by itself
 * @nv: the device
 * @function: number of the event
 * @limit_ms: how long to wait
 *
 * Return: 0 or a negative errno after a message.
 */
int nv_rpc_wait(struct nv_device *nv, u32 function, u32 limit_ms)
{
	int ret;

	mutex_lock(&nv->gsp.lock);
	ret = wait(nv, function, NULL, 0, NULL, 0, limit_ms);
	mutex_unlock(&nv->gsp.lock);
	return ret;
}

/*
 * A GSP that does not answer can stop nothing either. Nobody talks to it any more, and it is taken
 * off the bus, so that memory of the machine which it or a channel may still know can be freed.
 */
static void give_up(struct nv_device *nv)
{
	if (!nv->gsp.running)
		return;
	if (!READ_ONCE(nv->lost))
		drm_err(&nv->base.drm,
			"GSP: it is given up, and the card with it, until that is reset\n");
	nv->gsp.running = false;
	pci_clear_master(sov_pci(&nv->base));
	sov_wedge(&nv->base);
}

/**
 * nv_give_up() - what the card was told to stop or forget may still be in use
 * @nv: the device
 */
void nv_give_up(struct nv_device *nv)
{
	mutex_lock(&nv->gsp.lock);
	give_up(nv);
	mutex_unlock(&nv->gsp.lock);
}

/**
 * nv_rpc_call() - ask and wait for the answer, which replaces what was asked
 * @nv: the device
 * @function: number of the call
 * @head: first part of its arguments
 * @head_bytes: their size
 * @body: second part, or NULL
 * @body_bytes: their size
 * @limit_ms: how long to wait
 *
 * Return: 0; EIO after a message, or when the card was given up before; ENODEV when the GSP does
 * not run; E2BIG.
 */
int nv_rpc_call(struct nv_device *nv, u32 function, void *head, u32 head_bytes, void *body,
		u32 body_bytes, u32 limit_ms)
{
	struct nv_message m = { function, head, head_bytes, body, body_bytes };
	int ret = READ_ONCE(nv->base.wedged) ? -EIO : -ENODEV;

	mutex_lock(&nv->gsp.lock);
	if (nv->gsp.running) {
		ret = send(nv, &m);
		if (!ret)
			ret = wait(nv, function, head, head_bytes, body, body_bytes, limit_ms);
		if (ret && ret != -EREMOTEIO && ret != -E2BIG) /* which was not sent */
			give_up(nv);
		if (ret && ret != -E2BIG)
			ret = -EIO;
	}
	mutex_unlock(&nv->gsp.lock);
	return ret;
}

/**
 * nv_rpc_events() - hand on what the GSP has said by itself
 * @work: of the device; its interrupt has come
 */
void nv_rpc_events(struct work_struct *work)
{
	struct nv_device *nv = container_of(work, struct nv_device, gsp.events);
	u32 left = NV_GSP_QUEUE_ELEMENTS;
	int ret = 0;

	mutex_lock(&nv->gsp.lock);
	while (nv->gsp.running && left && !ret) {
		ret = receive(nv);
		if (!ret)
			nv_event(nv, nv_message_rpc(nv->gsp.element));
		left--;
	}
	if (ret && ret != -EAGAIN)
		give_up(nv);
	mutex_unlock(&nv->gsp.lock);
	if (!left) /* calls come in between, however much it has to say */
		queue_work(nv->base.wq, work);
}
