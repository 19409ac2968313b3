/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The FSP, the security processor that boots first and authenticates the GSP's firmware. */
#ifndef SOV_NV_FSP_H
#define SOV_NV_FSP_H

struct nv_device;
struct nv_fsp_cot;

int nv_fsp_wait_boot(struct nv_device *nv);
int nv_fsp_send_cot(struct nv_device *nv, const struct nv_fsp_cot *cot);

#endif
