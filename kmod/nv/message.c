// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Messages, see message.h. An element is a header with a checksum, the call's header and its
 * payload, and fills whole pages, which may go around the end of the ring. A ring with one page
 * less than it has is full, so that a full one and an empty one look different.
 */
#include <linux/string.h>

#include "kmod/nv/message.h"

static u8 *page_of(const struct nv_gsp_queue *q, u32 index)
{
	return (u8 *)q + NV_GSP_PAGE * (1 + index % NV_GSP_QUEUE_ELEMENTS);
}

/* Xor of all words; 0 when the element is whole. */
static u32 checksum(const struct nv_gsp_element *e, u32 pages)
{
	const u32 *word = (const u32 *)e;
	u32 sum = 0, i;

	for (i = 0; i < pages * (NV_GSP_PAGE / sizeof(*word)); i++)
		sum ^= word[i];
	return sum;
}

/**
 * nv_message_build() - make an element
 * @e: NV_MESSAGE_MAX_BYTES
 * @sequence: its number
 * @m: what it says
 *
 * Return: its pages; 0: the call is too large.
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
	e->checksum = checksum(e, pages);
	return pages;
}

/**
 * nv_message_check() - is this an element that can be believed?
 * @e: a copy of it, which nobody else writes
 * @sequence: the number that is next
 * @pages: that it has
 *
 * Return: NULL, or what is wrong with it.
 */
const char *nv_message_check(const struct nv_gsp_element *e, u32 sequence, u32 pages)
{
	const struct nv_gsp_rpc *rpc = (const struct nv_gsp_rpc *)(e + 1);

	if (!pages || pages > NV_GSP_ELEMENT_PAGES || e->pages != pages)
		return "its size is wrong";
	if (checksum(e, pages))
		return "its checksum is wrong";
	if (e->sequence != sequence)
		return "its number is not the next";
	if (rpc->version != NV_GSP_RPC_VERSION || rpc->signature != NV_GSP_RPC_SIGNATURE)
		return "it holds no call";
	if (rpc->bytes < sizeof(*rpc) || rpc->bytes > pages * NV_GSP_PAGE - sizeof(*e))
		return "its call does not fit";
	return NULL;
}

/**
 * nv_message_count() - pages that wait in a ring
 * @put: where the writer is, below NV_GSP_QUEUE_ELEMENTS
 * @get: where the reader is, likewise
 *
 * Return: their number.
 */
u32 nv_message_count(u32 put, u32 get)
{
	return (put + NV_GSP_QUEUE_ELEMENTS - get) % NV_GSP_QUEUE_ELEMENTS;
}

/**
 * nv_message_space() - pages that a ring can take
 * @put: where the writer is, below NV_GSP_QUEUE_ELEMENTS
 * @get: where the reader is, likewise
 *
 * Return: their number.
 */
u32 nv_message_space(u32 put, u32 get)
{
	return NV_GSP_QUEUE_ELEMENTS - 1 - nv_message_count(put, get);
}

/**
 * nv_message_write() - put an element into a ring that has room
 * @q: the ring
 * @put: first page
 * @e: the element
 * @pages: that it has
 */
void nv_message_write(struct nv_gsp_queue *q, u32 put, const struct nv_gsp_element *e, u32 pages)
{
	u32 i;

	for (i = 0; i < pages; i++)
		memcpy(page_of(q, put + i), (const u8 *)e + i * NV_GSP_PAGE, NV_GSP_PAGE);
}

/**
 * nv_message_read() - copy an element out of a ring
 * @q: the ring
 * @get: first page
 * @e: where to, NV_MESSAGE_MAX_BYTES
 * @pages: at most NV_GSP_ELEMENT_PAGES
 */
void nv_message_read(const struct nv_gsp_queue *q, u32 get, struct nv_gsp_element *e, u32 pages)
{
	u32 i;

	for (i = 0; i < pages; i++)
		memcpy((u8 *)e + i * NV_GSP_PAGE, page_of(q, get + i), NV_GSP_PAGE);
}
