/* SPDX-License-Identifier: MIT */
/*
 * Methods of the compute class, which start grids. The methods used here have the same numbers from
 * Volta to Hopper: open-gpu-doc classes/compute/clc3c0.h, clc5c0.h, clc6c0.h and clcbc0.h. The
 * methods that a launch needs, and their order, were measured on an H200.
 */
#ifndef HW_NV_COMPUTE_H
#define HW_NV_COMPUTE_H

#define NV_CLASS_VOLTA_COMPUTE    0xc3c0
#define NV_CLASS_TURING_COMPUTE   0xc5c0
#define NV_CLASS_AMPERE_COMPUTE   0xc6c0 /* GA100 */
#define NV_CLASS_AMPERE_COMPUTE_B 0xc7c0 /* GA10x */
#define NV_CLASS_ADA_COMPUTE      0xc9c0
#define NV_CLASS_HOPPER_COMPUTE   0xcbc0

#define NV_COMPUTE_SET_OBJECT    0x0000
#define NV_COMPUTE_NO_OPERATION  0x0100
#define NV_COMPUTE_WAIT_FOR_IDLE 0x0110 /* delays later launches until earlier ones have ended */

/* A generic address inside a window accesses shared or local memory. Each window has 4 GiB, and its
 * base is 4 GiB aligned. Both windows must be set before the first launch and must not overlap. */
#define NV_COMPUTE_SHARED_WINDOW_A 0x02a0 /* address bits 48:32 */
#define NV_COMPUTE_SHARED_WINDOW_B 0x02a4 /* address bits 31:0 */
#define NV_COMPUTE_LOCAL_WINDOW_A  0x07b0
#define NV_COMPUTE_LOCAL_WINDOW_B  0x07b4
#define NV_WINDOW_BYTES            (1ull << 32)

/* Local memory: one allocation for all resident threads, divided among the TPCs. */
#define NV_COMPUTE_LOCAL_MEMORY_A     0x0790 /* address, high bits */
#define NV_COMPUTE_LOCAL_MEMORY_B     0x0794
#define NV_COMPUTE_LOCAL_MEMORY_TPC_A 0x02e4 /* bytes per TPC, high bits */
#define NV_COMPUTE_LOCAL_MEMORY_TPC_B 0x02e8
#define NV_COMPUTE_LOCAL_MEMORY_TPC_C 0x02ec /* maximum number of SMs */
#define NV_LOCAL_MEMORY_ALL_SMS       0xff   /* all SMs of the chip (H200: 132) */
#define NV_LOCAL_MEMORY_WARP_ALIGN    0x200
#define NV_LOCAL_MEMORY_TPC_ALIGN     0x8000
/* Local addresses have 24 bits; the high part of a thread's local memory ends here. */
#define NV_LOCAL_MEMORY_TOP           0x1000000

#define NV_COMPUTE_SET_QMD_VERSION        0x0288 /* Hopper rejects versions below 4 with Xid 69 */
#define NV_COMPUTE_INVALIDATE_SKED_CACHES 0x0298

/* Launch: write the descriptor's address >> 8, then an action. */
#define NV_COMPUTE_SEND_PCAS_A                     0x02b4
#define NV_COMPUTE_SEND_SIGNALING_PCAS_B           0x02bc /* bit 0 invalidate, bit 1 schedule */
#define NV_COMPUTE_SEND_SIGNALING_PCAS2_B          0x02c0 /* from Ampere on: action in 3:0 */
#define NV_PCAS_INVALIDATE                         (1u << 0)
#define NV_PCAS_SCHEDULE                           (1u << 1)
#define NV_PCAS2_NOP                               0
#define NV_PCAS2_INVALIDATE                        1
#define NV_PCAS2_SCHEDULE                          2
#define NV_PCAS2_INVALIDATE_COPY_SCHEDULE          3
#define NV_PCAS2_PREFETCH                          8
#define NV_PCAS2_PREFETCH_SCHEDULE                 9
#define NV_PCAS2_INVALIDATE_PREFETCH_COPY_SCHEDULE 10

/*
 * Inline data, which the engine writes from the method stream to memory: set length and address,
 * launch, then send the data words to one non-incrementing method. The unused bytes of the last
 * word may have any value.
 */
#define NV_COMPUTE_INLINE_BYTES   0x0180
#define NV_COMPUTE_INLINE_LINES   0x0184
#define NV_COMPUTE_INLINE_TO_HIGH 0x0188
#define NV_COMPUTE_INLINE_TO_LOW  0x018c
#define NV_COMPUTE_INLINE_LAUNCH  0x01b0
#define NV_COMPUTE_INLINE_DATA    0x01b4
#define NV_INLINE_LINEAR          (1u << 0) /* 0: block-linear */
#define NV_INLINE_SYSMEMBAR_OFF   (1u << 6)

/* The pools of texture headers and samplers (texture.h). */
#define NV_COMPUTE_TEXTURE_SAMPLERS_A 0x155c /* address, high bits */
#define NV_COMPUTE_TEXTURE_SAMPLERS_B 0x1560
#define NV_COMPUTE_TEXTURE_SAMPLERS_C 0x1564 /* the largest number */
#define NV_COMPUTE_TEXTURE_HEADERS_A  0x1574
#define NV_COMPUTE_TEXTURE_HEADERS_B  0x1578
#define NV_COMPUTE_TEXTURE_HEADERS_C  0x157c

/* Cache invalidation. Without one of these methods, or the invalidate bits of the descriptor, the
 * hardware may use stale code, data and constants that another agent has overwritten. */
#define NV_COMPUTE_INVALIDATE_SHADER_CACHES        0x021c /* waits for idle */
#define NV_COMPUTE_INVALIDATE_SHADER_CACHES_NO_WFI 0x1698
#define NV_INVALIDATE_INSTRUCTION                  (1u << 0)
#define NV_INVALIDATE_DATA                         (1u << 4)
#define NV_INVALIDATE_CONSTANT                     (1u << 12)

#endif
