/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Clearing of video memory by a copy engine. */
#ifndef SOV_NV_CLEAR_H
#define SOV_NV_CLEAR_H

#include <linux/types.h>

struct nv_device;
struct sov_device;

int nv_clear_start(struct nv_device *nv);
void nv_clear_stop(struct nv_device *nv);
int nv_clear_vram(struct sov_device *sov, u64 address, u64 bytes);

#endif
