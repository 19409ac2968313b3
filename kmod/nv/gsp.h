/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The GSP: the processor on the GPU that runs NVIDIA's resource manager (RM) and that alone may
 * access most of the hardware. boot.c and fsp.c boot it, rpc.c exchanges messages with it through
 * two queues in system memory, and rm.c allocates and controls RM objects through these messages.
 */
#ifndef SOV_NV_GSP_H
#define SOV_NV_GSP_H

struct nv_device;

int nv_gsp_start(struct nv_device *nv);
void nv_gsp_stop(struct nv_device *nv);

#endif
