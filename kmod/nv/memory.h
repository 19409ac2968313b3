/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Contiguous memory that the hardware or the GSP firmware accesses by physical address. */
#ifndef SOV_NV_MEMORY_H
#define SOV_NV_MEMORY_H

#include "kmod/nv/memory_types.h"

struct nv_device;

int nv_buffer_alloc(struct nv_device *nv, struct sov_account *account, struct nv_buffer *b,
		    size_t bytes);
void nv_buffer_free(struct nv_device *nv, struct nv_buffer *b);
int nv_vram_alloc(struct nv_device *nv, struct sov_account *account, struct nv_vram *v, u64 bytes);
void nv_vram_free(struct nv_device *nv, struct nv_vram *v);

#endif
