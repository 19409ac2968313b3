/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Access to the registers in BAR 0. */
#ifndef SOV_NV_REGS_H
#define SOV_NV_REGS_H

#include <linux/io.h>

#include "hw/nv/registers.h"
#include "kmod/nv/device_types.h"

static inline u32 nv_rd32(struct nv_device *nv, u32 offset)
{
	return readl(nv->regs + offset);
}

static inline void nv_wr32(struct nv_device *nv, u32 offset, u32 value)
{
	writel(value, nv->regs + offset);
}

bool nv_regs_lost(struct nv_device *nv);

#endif
