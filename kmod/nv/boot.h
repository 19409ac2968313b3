/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Boot sequence of the GSP. */
#ifndef SOV_NV_BOOT_H
#define SOV_NV_BOOT_H

struct nv_device;

int nv_gsp_boot(struct nv_device *nv);

#endif
