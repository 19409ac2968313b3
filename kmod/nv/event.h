/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Events: messages that the GSP sends on its own. */
#ifndef SOV_NV_EVENT_H
#define SOV_NV_EVENT_H

struct nv_device;
struct nv_gsp_rpc;

void nv_event_handle(struct nv_device *nv, const struct nv_gsp_rpc *rpc);

#endif
