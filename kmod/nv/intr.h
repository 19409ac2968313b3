/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Interrupts. */
#ifndef SOV_NV_INTR_H
#define SOV_NV_INTR_H

struct nv_device;

int nv_intr_start(struct nv_device *nv);
void nv_intr_stop(struct nv_device *nv);

#endif
