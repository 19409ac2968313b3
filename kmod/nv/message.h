/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Messages to and from the GSP, as data: how a call becomes an element, what an element must be to
 * be believed, and how elements lie in a ring of pages. Touches no hardware, waits for nothing.
 */
#ifndef SOV_NV_MESSAGE_H
#define SOV_NV_MESSAGE_H

#include <linux/types.h>

#include "hw/nv/gsp_570.h"

#define NV_MESSAGE_MAX_BYTES (NV_GSP_ELEMENT_PAGES * NV_GSP_PAGE) /* of the largest */

/**
 * struct nv_message - what a call says
 */
struct nv_message {
	/** @function: number of the call */
	u32 function;

	/** @head: first part of its payload */
	const void *head;

	/** @head_bytes: size of it */
	u32 head_bytes;

	/** @body: second part */
	const void *body;

	/** @body_bytes: size of it */
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
