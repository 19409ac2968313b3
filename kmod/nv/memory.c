// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Contiguous memory for the hardware: DMA buffers and video memory, charged to an account. */
#include <linux/dma-mapping.h>

#include "kmod/limits.h"
#include "kmod/nv/device_types.h"
#include "kmod/nv/memory.h"

/**
 * nv_buffer_alloc() - allocate a zeroed coherent DMA buffer
 * @nv: The device.
 * @account: Account to charge; NULL if the buffer belongs to the driver itself.
 * @b: An empty buffer.
 * @bytes: Size; whole pages are allocated and charged.
 *
 * Return: 0 or -ENOMEM.
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
 * nv_buffer_free() - free a DMA buffer
 * @nv: The device.
 * @b: The buffer, which may be empty.
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
 * nv_vram_alloc() - allocate zeroed, contiguous video memory
 * @nv: The device.
 * @account: Account to charge; NULL if the memory belongs to the driver itself.
 * @v: Zero-initialised descriptor.
 * @bytes: Size, which is rounded up to whole pages of 4 KiB.
 *
 * Return: 0, -ENOSPC, -ENOMEM, -EINTR, -ENODEV or -EIO.
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
 * nv_vram_free() - free video memory
 * @nv: The device.
 * @v: The descriptor, which may be empty.
 */
void nv_vram_free(struct nv_device *nv, struct nv_vram *v)
{
	if (v->bytes) {
		sov_vram_free(&nv->base, &v->blocks);
		sov_account_uncharge(v->account, SOV_LIMIT_VRAM, v->bytes);
	}
	*v = (struct nv_vram){};
}
