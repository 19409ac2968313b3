/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Memory for what the hardware itself reads and writes, in one piece each. */
#ifndef SOV_NV_MEMORY_H
#define SOV_NV_MEMORY_H

#include <linux/list.h>
#include <linux/types.h>

struct nv_device;
struct sov_account;

/**
 * struct nv_buffer - memory of the machine that both sides see
 */
struct nv_buffer {
	void *cpu;
	dma_addr_t bus;
	size_t bytes;
	struct sov_account *account; /* whose it is, and outlives it; NULL: the driver's */
};

/**
 * struct nv_vram - video memory
 */
struct nv_vram {
	struct list_head blocks;
	u64 address, bytes;
	struct sov_account *account; /* likewise */
};

int nv_buffer_alloc(struct nv_device *nv, struct sov_account *account, struct nv_buffer *b,
		    size_t bytes);
void nv_buffer_free(struct nv_device *nv, struct nv_buffer *b);
int nv_vram_alloc(struct nv_device *nv, struct sov_account *account, struct nv_vram *v, u64 bytes);
void nv_vram_free(struct nv_device *nv, struct nv_vram *v);

#endif
