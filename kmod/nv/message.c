// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Wire format of GSP messages. A queue element is a header with a checksum, the RPC header and the
 * payload, and occupies whole pages, which may wrap around the end of the ring. One page of the
 * ring always stays free, so that a full ring differs from an empty one.
 */
#include <linux/string.h>

#include "kmod/nv/message.h"

static u8 *nv_message_page(const struct nv_gsp_queue *q, u32 index)
{
	return (u8 *)q + NV_GSP_PAGE * (1 + index % NV_GSP_QUEUE_ELEMENTS);
}

/*
 * XOR of the words of an element from its header to the end of the RPC; 0 if they are intact. The
 * sum is of 64-bit words, the last of which the sender fills up with zeros. What follows in the
 * page is undefined, and is in no sum (open-gpu-kernel-modules, message_queue_cpu.c).
 */
static u32 nv_message_checksum(const struct nv_gsp_element *e)
{
	const struct nv_gsp_rpc *rpc = (const struct nv_gsp_rpc *)(e + 1);
	u32 words = (sizeof(*e) + rpc->bytes + 7) / 8 * 2, sum = 0, i;

	for (i = 0; i < words; i++)
		sum ^= ((const u32 *)e)[i];
	return sum;
}

/**
 * nv_message_build() - build an element
 * @e: Memory of NV_MESSAGE_MAX_BYTES for the element.
 * @sequence: Sequence number of the element.
 * @m: The RPC.
 *
 * Return: The number of pages of the element, or 0 if the RPC is too large.
 */
u32 nv_message_build(struct nv_gsp_element *e, u32 sequence, const struct nv_message *m)
{
	struct nv_gsp_rpc *rpc = nv_message_rpc(e);
	u64 bytes = (u64)m->head_bytes + m->body_bytes;
	u32 pages;

	if (bytes > NV_GSP_MAX_PAYLOAD)
		return 0;
	pages = (NV_GSP_HEADERS + bytes + NV_GSP_PAGE - 1) / NV_GSP_PAGE;
	memset(e, 0, pages * NV_GSP_PAGE);
	e->sequence = sequence;
	e->pages = pages;
	rpc->version = NV_GSP_RPC_VERSION;
	rpc->signature = NV_GSP_RPC_SIGNATURE;
	rpc->bytes = sizeof(*rpc) + bytes;
	rpc->function = m->function;
	rpc->result = NV_GSP_RPC_PENDING;
	rpc->result_private = NV_GSP_RPC_PENDING;
	if (m->head_bytes)
		memcpy(rpc + 1, m->head, m->head_bytes);
	if (m->body_bytes)
		memcpy((u8 *)(rpc + 1) + m->head_bytes, m->body, m->body_bytes);
	e->checksum = nv_message_checksum(e);
	return pages;
}

/**
 * nv_message_check() - validate a received element
 * @e: Private copy of the element, which the GSP cannot change.
 * @sequence: Expected sequence number.
 * @pages: Number of pages that were received.
 *
 * Return: NULL if the element is valid, otherwise the reason for the log.
 */
const char *nv_message_check(const struct nv_gsp_element *e, u32 sequence, u32 pages)
{
	const struct nv_gsp_rpc *rpc = (const struct nv_gsp_rpc *)(e + 1);

	if (!pages || pages > NV_GSP_ELEMENT_PAGES || e->pages != pages)
		return "bad size";
	if (rpc->bytes < sizeof(*rpc) || rpc->bytes > pages * NV_GSP_PAGE - sizeof(*e))
		return "bad RPC length";
	if (nv_message_checksum(e))
		return "bad checksum";
	if (e->sequence != sequence)
		return "unexpected sequence number";
	if (rpc->version != NV_GSP_RPC_VERSION || rpc->signature != NV_GSP_RPC_SIGNATURE)
		return "bad RPC header";
	return NULL;
}

/**
 * nv_message_count() - number of filled pages in a ring
 * @put: The writer's index, below NV_GSP_QUEUE_ELEMENTS.
 * @get: The reader's index, below NV_GSP_QUEUE_ELEMENTS.
 *
 * Return: The number of pages.
 */
u32 nv_message_count(u32 put, u32 get)
{
	return (put + NV_GSP_QUEUE_ELEMENTS - get) % NV_GSP_QUEUE_ELEMENTS;
}

/**
 * nv_message_space() - number of pages that can be written to a ring
 * @put: The writer's index, below NV_GSP_QUEUE_ELEMENTS.
 * @get: The reader's index, below NV_GSP_QUEUE_ELEMENTS.
 *
 * Return: The number of pages.
 */
u32 nv_message_space(u32 put, u32 get)
{
	return NV_GSP_QUEUE_ELEMENTS - 1 - nv_message_count(put, get);
}

/**
 * nv_message_write() - copy an element into a ring that has room for it
 * @q: The ring.
 * @put: Index of the first page.
 * @e: The element.
 * @pages: Number of pages of the element.
 */
void nv_message_write(struct nv_gsp_queue *q, u32 put, const struct nv_gsp_element *e, u32 pages)
{
	u32 i;

	for (i = 0; i < pages; i++)
		memcpy(nv_message_page(q, put + i), (const u8 *)e + i * NV_GSP_PAGE, NV_GSP_PAGE);
}

/**
 * nv_message_read() - copy an element out of a ring
 * @q: The ring.
 * @get: Index of the first page.
 * @e: Destination of NV_MESSAGE_MAX_BYTES.
 * @pages: Number of pages, at most NV_GSP_ELEMENT_PAGES.
 */
void nv_message_read(const struct nv_gsp_queue *q, u32 get, struct nv_gsp_element *e, u32 pages)
{
	u32 i;

	for (i = 0; i < pages; i++)
		memcpy((u8 *)e + i * NV_GSP_PAGE, nv_message_page(q, get + i), NV_GSP_PAGE);
}
