// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Memory for the hardware, see memory.h. Video memory is found again by its address alone. */
#include <linux/dma-mapping.h>

#include "kmod/limits.h"
#include "kmod/nv/memory.h"
#include "kmod/nv/nv.h"

/**
 * nv_buffer_alloc() - zeroed memory that both sides see
 * @nv: the device
 * @account: of the file that it is for; NULL: the driver itself
 * @b: an empty buffer
 * @bytes: how much; whole pages of the machine are taken and counted
 *
 * Return: 0 or ENOMEM.
 */
int nv_buffer_alloc(struct nv_device *nv, struct sov_account *account, struct nv_buffer *b,
		    size_t bytes)
{
	int ret = sov_account_charge(account, SOV_LIMIT_SYSTEM, PAGE_ALIGN(bytes));

	if (ret)
		return ret;
	b->cpu = dma_alloc_coherent(nv->base.drm.dev, bytes, &b->bus, GFP_KERNEL);
	if (!b->cpu) {
		sov_account_uncharge(account, SOV_LIMIT_SYSTEM, PAGE_ALIGN(bytes));
		return -ENOMEM;
	}
	b->bytes = bytes;
	b->account = account;
	return 0;
}

/**
 * nv_buffer_free() - give it back
 * @nv: the device
 * @b: a buffer; may be empty
 */
void nv_buffer_free(struct nv_device *nv, struct nv_buffer *b)
{
	if (b->cpu) {
		dma_free_coherent(nv->base.drm.dev, b->bytes, b->cpu, b->bus);
		sov_account_uncharge(b->account, SOV_LIMIT_SYSTEM, PAGE_ALIGN(b->bytes));
	}
	*b = (struct nv_buffer){};
}

/**
 * nv_vram_alloc() - zeroed video memory in one piece
 * @nv: the device
 * @account: of the file that it is for; NULL: the driver itself
 * @v: zeros
 * @bytes: how much, rounded up to whole pages of 4 KiB
 *
 * Return: 0; ENOSPC; ENOMEM; EINTR; ENODEV; EIO.
 */
int nv_vram_alloc(struct nv_device *nv, struct sov_account *account, struct nv_vram *v, u64 bytes)
{
	int ret;

	INIT_LIST_HEAD(&v->blocks);
	bytes = ALIGN(bytes, SOV_VRAM_MIN_BLOCK);
	ret = sov_account_charge(account, SOV_LIMIT_VRAM, bytes);
	if (ret)
		return ret;
	ret = sov_vram_alloc(&nv->base, bytes, SOV_VRAM_MIN_BLOCK, true, &v->blocks);
	if (ret) {
		sov_account_uncharge(account, SOV_LIMIT_VRAM, bytes);
		return ret;
	}
	v->account = account;
	v->bytes = bytes;
	v->address = sov_vram_address(&v->blocks, 0);
	return 0;
}

/**
 * nv_vram_free() - give it back
 * @nv: the device
 * @v: video memory; may be none
 */
void nv_vram_free(struct nv_device *nv, struct nv_vram *v)
{
	if (v->bytes) {
		sov_vram_free(&nv->base, &v->blocks);
		sov_account_uncharge(v->account, SOV_LIMIT_VRAM, v->bytes);
	}
	*v = (struct nv_vram){};
}
