/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Discovery of engines and runlists. */
#ifndef SOV_NV_ENGINE_H
#define SOV_NV_ENGINE_H

struct nv_device;

int nv_engine_start(struct nv_device *nv);

#endif
