/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Types of memory.h, in a separate header so that struct nv_device can embed them. */
#ifndef SOV_NV_MEMORY_TYPES_H
#define SOV_NV_MEMORY_TYPES_H

#include <linux/list.h>
#include <linux/types.h>

struct sov_account;

/**
 * struct nv_buffer - a coherent DMA buffer in system memory
 */
struct nv_buffer {
	/** @cpu: Kernel address of the buffer; NULL if the buffer is empty. */
	void *cpu;

	/** @bus: DMA address of the buffer. */
	dma_addr_t bus;

	/** @bytes: Size that was requested. */
	size_t bytes;

	/**
	 * @account: Account that is charged for the buffer and outlives it; NULL if the buffer
	 * belongs to the driver itself.
	 */
	struct sov_account *account;
};

/**
 * struct nv_vram - contiguous video memory
 */
struct nv_vram {
	/** @blocks: Allocation of the VRAM allocator. */
	struct list_head blocks;

	/** @address: Address in video memory. */
	u64 address;

	/** @bytes: Size; 0 if nothing is allocated. */
	u64 bytes;

	/**
	 * @account: Account that is charged for the memory and outlives it; NULL if the memory
	 * belongs to the driver itself.
	 */
	struct sov_account *account;
};

#endif
