/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Remote procedure calls to the GSP. */
#ifndef SOV_NV_RPC_H
#define SOV_NV_RPC_H

#include <linux/types.h>

struct nv_device;
struct work_struct;

int nv_rpc_init(struct nv_device *nv);
void nv_rpc_fini(struct nv_device *nv);
int nv_rpc_send(struct nv_device *nv, u32 function, const void *payload, u32 bytes);
int nv_rpc_wait_event(struct nv_device *nv, u32 function, u32 limit_ms);
int nv_rpc_call(struct nv_device *nv, u32 function, void *head, u32 head_bytes, void *body,
		u32 body_bytes, u32 limit_ms);
void nv_rpc_event_work(struct work_struct *work);
void nv_rpc_wedge(struct nv_device *nv);

#endif
