/* SPDX-License-Identifier: MIT */
/*
 * The compute class: what a channel sends to start grids. Hopper's and Ampere's methods used here
 * have the same numbers: open-gpu-doc classes/compute/clcbc0.h and clc6c0.h. What a launch needs,
 * and in which order, was measured on an H200.
 */
#ifndef HW_NV_COMPUTE_H
#define HW_NV_COMPUTE_H

#define NV_CLASS_AMPERE_COMPUTE   0xc6c0 /* GA100 */
#define NV_CLASS_AMPERE_COMPUTE_B 0xc7c0 /* GA10x */
#define NV_CLASS_ADA_COMPUTE      0xc9c0
#define NV_CLASS_HOPPER_COMPUTE   0xcbc0

#define NV_COMPUTE_SET_OBJECT   0x0000
#define NV_COMPUTE_NO_OPERATION 0x0100
#define NV_COMPUTE_WAIT_FOR_IDLE 0x0110 /* later launches start when earlier ones have ended */

/* Generic addresses inside a window reach shared or local memory. Each window is 4 GiB and its base
 * 4 GiB aligned; both must be set before the first launch and may not overlap. */
#define NV_COMPUTE_SHARED_WINDOW_A 0x02a0 /* address bits 48:32 */
#define NV_COMPUTE_SHARED_WINDOW_B 0x02a4 /* address bits 31:0 */
#define NV_COMPUTE_LOCAL_WINDOW_A  0x07b0
#define NV_COMPUTE_LOCAL_WINDOW_B  0x07b4
#define NV_WINDOW_BYTES            (1ull << 32)

/* Local memory: one area for all threads that can be resident, cut up per TPC. */
#define NV_COMPUTE_LOCAL_MEMORY_A       0x0790 /* address, high bits */
#define NV_COMPUTE_LOCAL_MEMORY_B       0x0794
#define NV_COMPUTE_LOCAL_MEMORY_TPC_A   0x02e4 /* bytes per TPC, high bits */
#define NV_COMPUTE_LOCAL_MEMORY_TPC_B   0x02e8
#define NV_COMPUTE_LOCAL_MEMORY_TPC_C   0x02ec /* number of SMs, at most */
#define NV_LOCAL_MEMORY_ALL_SMS         0xff   /* as many as there are (H200: 132) */
#define NV_LOCAL_MEMORY_WARP_ALIGN      0x200
#define NV_LOCAL_MEMORY_TPC_ALIGN       0x8000
/* Addresses inside local memory have 24 bits; the high part of a thread's memory ends here. */
#define NV_LOCAL_MEMORY_TOP             0x1000000

#define NV_COMPUTE_SET_QMD_VERSION      0x0288 /* Hopper refuses versions below 4: Xid 69 */
#define NV_COMPUTE_INVALIDATE_SKED_CACHES 0x0298

/* Launch: the descriptor's address >> 8, then an action. */
#define NV_COMPUTE_SEND_PCAS_A            0x02b4
#define NV_COMPUTE_SEND_SIGNALING_PCAS_B  0x02bc /* bit 0 invalidate, bit 1 schedule */
#define NV_COMPUTE_SEND_SIGNALING_PCAS2_B 0x02c0 /* action in 3:0 */
#define NV_PCAS_INVALIDATE                (1u << 0)
#define NV_PCAS_SCHEDULE                  (1u << 1)
#define NV_PCAS2_NOP                      0
#define NV_PCAS2_INVALIDATE               1
#define NV_PCAS2_SCHEDULE                 2
#define NV_PCAS2_INVALIDATE_COPY_SCHEDULE 3
#define NV_PCAS2_PREFETCH                 8
#define NV_PCAS2_PREFETCH_SCHEDULE        9
#define NV_PCAS2_INVALIDATE_PREFETCH_COPY_SCHEDULE 10

/*
 * Data inside the method stream, written to memory: length and address, then a launch, then the
 * bytes in words to one method that does not increment; the last word is filled up with anything.
 */
#define NV_COMPUTE_INLINE_BYTES    0x0180
#define NV_COMPUTE_INLINE_LINES    0x0184
#define NV_COMPUTE_INLINE_TO_HIGH  0x0188
#define NV_COMPUTE_INLINE_TO_LOW   0x018c
#define NV_COMPUTE_INLINE_LAUNCH   0x01b0
#define NV_COMPUTE_INLINE_DATA     0x01b4
#define NV_INLINE_LINEAR           (1u << 0) /* 0: block-linear */
#define NV_INLINE_SYSMEMBAR_OFF    (1u << 6)

/* Caches. On hardware code, data and constants that were written by others are read stale until one
 * of these (or the descriptor's own invalidate bits) has been sent. */
#define NV_COMPUTE_INVALIDATE_SHADER_CACHES        0x021c /* waits for idle */
#define NV_COMPUTE_INVALIDATE_SHADER_CACHES_NO_WFI 0x1698
#define NV_INVALIDATE_INSTRUCTION                  (1u << 0)
#define NV_INVALIDATE_DATA                         (1u << 4)
#define NV_INVALIDATE_CONSTANT                     (1u << 12)

#endif
