// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Calls to the GSP. There are two rings of pages in memory: ours with commands, the GSP's with
 * answers and events. An element is a header with a checksum, the call's header and its payload,
 * and fills whole pages, which may go around the end of the ring. What comes from the GSP is
 * checked like anything from outside.
 */
#include <drm/drm_print.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/slab.h>

#include "kmod/nv/nv.h"

#define CALL_LIMIT_MS 5000

static u8 *page_of(struct nv_gsp_queue *q, u32 index)
{
	return (u8 *)q + NV_GSP_PAGE * (1 + index % NV_GSP_QUEUE_ELEMENTS);
}

/* Xor of all words; 0 when the element is whole. */
static u32 checksum(const void *element, u32 pages)
{
	const u32 *word = element;
	u32 sum = 0, i;

	for (i = 0; i < pages * (NV_GSP_PAGE / sizeof(*word)); i++)
		sum ^= word[i];
	return sum;
}

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

	/* The pages that hold the addresses have theirs in there, too. */
	pages += DIV_ROUND_UP((pages + 1) * sizeof(u64), NV_GSP_PAGE);
	ret = nv_buffer_alloc(nv, &gsp->shared, pages * NV_GSP_PAGE);
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
	return 0;
}

/* Free pages in our queue, as far as the GSP says it has read. */
static u32 space(struct nv_gsp *gsp)
{
	u32 get = READ_ONCE(gsp->status->get) % NV_GSP_QUEUE_ELEMENTS;

	return (get + NV_GSP_QUEUE_ELEMENTS - gsp->command->put - 1) % NV_GSP_QUEUE_ELEMENTS;
}

static int push(struct nv_device *nv, struct nv_gsp_element *e)
{
	struct nv_gsp *gsp = &nv->gsp;
	unsigned long deadline = jiffies + msecs_to_jiffies(CALL_LIMIT_MS);
	u32 i;

	while (space(gsp) < e->pages) {
		if (time_after(jiffies, deadline)) {
			drm_err(&nv->base.drm, "GSP: it does not read its commands\n");
			return -ETIMEDOUT;
		}
		usleep_range(50, 200);
	}
	for (i = 0; i < e->pages; i++)
		memcpy(page_of(gsp->command, gsp->command->put + i),
		       (u8 *)e + (size_t)i * NV_GSP_PAGE, NV_GSP_PAGE);
	dma_wmb(); /* the element before the pointer */
	WRITE_ONCE(gsp->command->put, (gsp->command->put + e->pages) % NV_GSP_QUEUE_ELEMENTS);
	nv_wr32(nv, NV_PGSP_QUEUE_HEAD, 0);
	return 0;
}

static int send(struct nv_device *nv, u32 function, const void *payload, u32 bytes)
{
	struct nv_gsp *gsp = &nv->gsp;
	struct nv_gsp_element *e;
	struct nv_gsp_rpc *rpc;
	u32 pages;
	int ret;

	if (bytes > NV_GSP_MAX_PAYLOAD)
		return -E2BIG;
	pages = DIV_ROUND_UP(NV_GSP_HEADERS + bytes, NV_GSP_PAGE);
	e = kvzalloc(pages * NV_GSP_PAGE, GFP_KERNEL);
	if (!e)
		return -ENOMEM;
	e->sequence = gsp->sequence++;
	e->pages = pages;
	rpc = (void *)(e + 1);
	*rpc = (struct nv_gsp_rpc){
		.version = NV_GSP_RPC_VERSION,
		.signature = NV_GSP_RPC_SIGNATURE,
		.bytes = sizeof(*rpc) + bytes,
		.function = function,
		.result = NV_GSP_RPC_PENDING,
		.result_private = NV_GSP_RPC_PENDING,
	};
	memcpy(rpc + 1, payload, bytes);
	e->checksum = checksum(e, pages);
	ret = push(nv, e);
	kvfree(e);
	return ret;
}

/* The element at the head of the GSP's queue, copied out; ERR_PTR(-EAGAIN): there is none. */
static struct nv_gsp_element *pop(struct nv_device *nv)
{
	struct nv_gsp *gsp = &nv->gsp;
	struct drm_device *drm = &nv->base.drm;
	u32 put = READ_ONCE(gsp->status->put), get = gsp->command->get;
	u32 there, pages, i;
	struct nv_gsp_element *e;

	if (put >= NV_GSP_QUEUE_ELEMENTS) {
		drm_err(drm, "GSP: its queue ends at %u of %u\n", put, NV_GSP_QUEUE_ELEMENTS);
		return ERR_PTR(-EIO);
	}
	there = (put + NV_GSP_QUEUE_ELEMENTS - get) % NV_GSP_QUEUE_ELEMENTS;
	if (!there)
		return ERR_PTR(-EAGAIN);
	dma_rmb(); /* the pointer before the element */
	pages = ((struct nv_gsp_element *)page_of(gsp->status, get))->pages;
	if (!pages || pages > NV_GSP_ELEMENT_PAGES || pages > there) {
		drm_err(drm, "GSP: element of %u pages, %u are there\n", pages, there);
		return ERR_PTR(-EIO);
	}
	e = kvmalloc(pages * NV_GSP_PAGE, GFP_KERNEL);
	if (!e)
		return ERR_PTR(-ENOMEM);
	for (i = 0; i < pages; i++)
		memcpy((u8 *)e + (size_t)i * NV_GSP_PAGE, page_of(gsp->status, get + i),
		       NV_GSP_PAGE);
	mb(); /* all of it is read before the GSP may write there again */
	WRITE_ONCE(gsp->command->get, (get + pages) % NV_GSP_QUEUE_ELEMENTS);
	if (checksum(e, pages)) {
		drm_err(drm, "GSP: checksum of element %u is wrong\n", e->sequence);
		kvfree(e);
		return ERR_PTR(-EIO);
	}
	e->pages = pages; /* not what memory says now */
	return e;
}

static struct nv_gsp_element *receive(struct nv_device *nv, unsigned long deadline)
{
	struct nv_gsp_element *e;

	for (;;) {
		bool late = time_after(jiffies, deadline);

		e = pop(nv);
		if (PTR_ERR_OR_ZERO(e) != -EAGAIN)
			return e;
		if (late)
			return ERR_PTR(-ETIMEDOUT);
		usleep_range(50, 200);
	}
}

/* Copies the payload out; 0 or what the GSP says. */
static int take(struct nv_device *nv, const struct nv_gsp_rpc *rpc, void *reply, u32 bytes)
{
	struct drm_device *drm = &nv->base.drm;

	if (rpc->result) {
		drm_err(drm, "GSP: call %u fails with status 0x%x\n", rpc->function, rpc->result);
		return -EIO;
	}
	if (rpc->bytes - sizeof(*rpc) < bytes) {
		drm_err(drm, "GSP: call %u answers %zu bytes, not %u\n", rpc->function,
			rpc->bytes - sizeof(*rpc), bytes);
		return -EIO;
	}
	memcpy(reply, rpc + 1, bytes);
	return 0;
}

static int wait(struct nv_device *nv, u32 function, void *reply, u32 bytes, u32 limit_ms)
{
	unsigned long deadline = jiffies + msecs_to_jiffies(limit_ms);
	struct drm_device *drm = &nv->base.drm;

	for (;;) {
		struct nv_gsp_element *e = receive(nv, deadline);
		struct nv_gsp_rpc *rpc;
		int ret = -EAGAIN;

		if (IS_ERR(e)) {
			drm_err(drm, "GSP: no answer to call %u: %pe\n", function, e);
			return PTR_ERR(e);
		}
		rpc = (void *)(e + 1);
		if (rpc->version != NV_GSP_RPC_VERSION || rpc->signature != NV_GSP_RPC_SIGNATURE ||
		    rpc->bytes < sizeof(*rpc) || rpc->bytes > e->pages * NV_GSP_PAGE - sizeof(*e)) {
			drm_err(drm, "GSP: element %u holds no call\n", e->sequence);
			ret = -EIO;
		} else if (rpc->function == function) {
			ret = take(nv, rpc, reply, bytes);
		} else {
			drm_dbg(drm, "GSP: event 0x%x, %u bytes\n", rpc->function, rpc->bytes);
		}
		kvfree(e);
		if (ret != -EAGAIN)
			return ret;
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
	int ret;

	mutex_lock(&nv->gsp.lock);
	ret = send(nv, function, payload, bytes);
	mutex_unlock(&nv->gsp.lock);
	return ret;
}

/**
 * nv_rpc_wait() - wait for something that the GSP says by itself
 * @nv: the device
 * @function: number of the event
 * @reply: where its payload goes
 * @bytes: at least this much is wanted
 * @limit_ms: how long to wait
 *
 * Return: 0 or a negative errno after a message.
 */
int nv_rpc_wait(struct nv_device *nv, u32 function, void *reply, u32 bytes, u32 limit_ms)
{
	int ret;

	mutex_lock(&nv->gsp.lock);
	ret = wait(nv, function, reply, bytes, limit_ms);
	mutex_unlock(&nv->gsp.lock);
	return ret;
}

/**
 * nv_rpc_call() - ask and wait for the answer
 * @nv: the device
 * @function: number of the call
 * @payload: its arguments
 * @bytes: their size
 * @reply: where the answer goes
 * @reply_bytes: at least this much is wanted
 *
 * Return: 0 or a negative errno after a message.
 */
int nv_rpc_call(struct nv_device *nv, u32 function, const void *payload, u32 bytes, void *reply,
		u32 reply_bytes)
{
	int ret;

	mutex_lock(&nv->gsp.lock);
	ret = send(nv, function, payload, bytes);
	if (!ret)
		ret = wait(nv, function, reply, reply_bytes, CALL_LIMIT_MS);
	mutex_unlock(&nv->gsp.lock);
	return ret;
}
