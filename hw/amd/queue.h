/* SPDX-License-Identifier: MIT */
/*
 * Queues and address spaces of gfx10.3 as user space sees them. Sources: amdgpu in Linux
 * (amd/amdgpu/gfx_v10_0.c, sdma_v5_2.c, amdgpu_doorbell.h, gmc_v10_0.c, amdgpu_vm.h;
 * amd/amdkfd/kfd_flat_memory.c for the apertures). Nothing here has been seen on a card.
 *
 * The size of a ring is a power of two. The write pointer has 64 bits, only grows, and is not
 * reduced modulo the ring size; user space writes it to memory and to the doorbell. One word of the
 * ring stays free. A compute queue reports the read pointer modulo the ring size, a copy queue does
 * not reduce it (ROCR-Runtime, amd_blit_sdma.cpp; its kfdtest, PM4Queue.cpp and SDMAQueue.cpp). Both
 * count words on a compute queue (PM4) and bytes on a copy queue (SDMA).
 */
#ifndef HW_AMD_QUEUE_H
#define HW_AMD_QUEUE_H

/* The driver chooses the addresses of the two pointers (CP_HQD_PQ_WPTR_POLL_ADDR and
 * CP_HQD_PQ_RPTR_REPORT_ADDR); ours use these offsets, 64 bits each. */
#define AMD_QUEUE_BYTES     64
#define AMD_QUEUE_PUT       0
#define AMD_QUEUE_GET       8

/* Doorbells: 64-bit slots in the pages of a process. Slots for user queues: */
#define AMD_DOORBELL_BYTES        8
#define AMD_DOORBELL_PAGE_BYTES   8192 /* two pages: kfd_doorbell_process_slice */
#define AMD_DOORBELL_FIRST_USER   0x0d
#define AMD_DOORBELL_LAST_USER    0x8a

/* Addresses have 48 bits, sign-extended; user space has the lower half. */
#define AMD_VA_BITS         47
/* Flat addresses of LDS and private memory, 4 GiB each. */
#define AMD_APERTURE_LDS     0x0001000000000000ull
#define AMD_APERTURE_PRIVATE 0x0002000000000000ull

/* Page tables: four levels of 512 entries of 8 bytes, pages of 4 KiB. */
#define AMD_PTE_VALID       (1ull << 0)
#define AMD_PTE_SYSTEM      (1ull << 1)
#define AMD_PTE_SNOOPED     (1ull << 2)
#define AMD_PTE_EXECUTE     (1ull << 4)
#define AMD_PTE_READ        (1ull << 5)
#define AMD_PTE_WRITE       (1ull << 6)
#define AMD_PTE_FRAGMENT(n) ((unsigned long long)(n) << 7) /* contiguous pages: 4 KiB << n */
#define AMD_PTE_ADDRESS     0x0000fffffffff000ull
#define AMD_PTE_MTYPE(n)    ((unsigned long long)(n) << 48) /* 0 NC, 3 UC */
#define AMD_PDE_IS_PTE      (1ull << 54)

#endif
