/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Wire format of GSP messages: builds a queue element from an RPC, validates a received element,
 * and copies elements into and out of a ring of pages. Pure functions without hardware access.
 */
#ifndef SOV_NV_MESSAGE_H
#define SOV_NV_MESSAGE_H

#include <linux/types.h>

#include "hw/nv/gsp_570.h"

#define NV_MESSAGE_MAX_BYTES (NV_GSP_ELEMENT_PAGES * NV_GSP_PAGE)

/**
 * struct nv_message - an RPC to send
 */
struct nv_message {
	/** @function: RPC function number. */
	u32 function;

	/** @head: First part of the payload. */
	const void *head;

	/** @head_bytes: Size of @head. */
	u32 head_bytes;

	/** @body: Second part of the payload. */
	const void *body;

	/** @body_bytes: Size of @body. */
	u32 body_bytes;
};

u32 nv_message_build(struct nv_gsp_element *e, u32 sequence, const struct nv_message *m);
const char *nv_message_check(const struct nv_gsp_element *e, u32 sequence, u32 pages);
u32 nv_message_count(u32 put, u32 get);
u32 nv_message_space(u32 put, u32 get);
void nv_message_write(struct nv_gsp_queue *q, u32 put, const struct nv_gsp_element *e, u32 pages);
void nv_message_read(const struct nv_gsp_queue *q, u32 get, struct nv_gsp_element *e, u32 pages);

static inline struct nv_gsp_rpc *nv_message_rpc(struct nv_gsp_element *e)
{
	return (struct nv_gsp_rpc *)(e + 1);
}

#endif
