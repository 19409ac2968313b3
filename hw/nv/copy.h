/* SPDX-License-Identifier: MIT */
/*
 * Methods of the copy engine class: set addresses, length and optionally a semaphore, then launch.
 * The methods used here have the same numbers from Volta to Hopper: open-gpu-doc
 * classes/dma-copy/clc3b5.h, clc5b5.h, clc6b5.h and clc8b5.h. On Hopper a compute channel may also use the class
 * (measured on an H200).
 */
#ifndef HW_NV_COPY_H
#define HW_NV_COPY_H

#define NV_CLASS_VOLTA_COPY    0xc3b5
#define NV_CLASS_TURING_COPY   0xc5b5
#define NV_CLASS_AMPERE_COPY   0xc6b5 /* GA100 */
#define NV_CLASS_AMPERE_COPY_B 0xc7b5 /* GA10x, Ada */
#define NV_CLASS_HOPPER_COPY   0xc8b5

#define NV_COPY_SET_OBJECT             0x000
#define NV_COPY_NOP                    0x100
#define NV_COPY_SEMAPHORE_A            0x240 /* address, high bits */
#define NV_COPY_SEMAPHORE_B            0x244
#define NV_COPY_SEMAPHORE_PAYLOAD      0x248
#define NV_COPY_SEMAPHORE_PAYLOAD_HIGH 0x24c /* Hopper only */
#define NV_COPY_SRC_PHYSICAL_TARGET    0x260 /* 1:0: aperture of the address in physical mode */
#define NV_COPY_DST_PHYSICAL_TARGET    0x264
#define NV_COPY_LAUNCH                 0x300
#define NV_COPY_SRC_HIGH               0x400
#define NV_COPY_SRC_LOW                0x404
#define NV_COPY_DST_HIGH               0x408
#define NV_COPY_DST_LOW                0x40c
#define NV_COPY_SRC_PITCH              0x410
#define NV_COPY_DST_PITCH              0x414
#define NV_COPY_LINE_BYTES             0x418 /* with remap: elements */
#define NV_COPY_LINES                  0x41c
#define NV_COPY_REMAP_CONST_A          0x700
#define NV_COPY_REMAP_CONST_B          0x704
#define NV_COPY_REMAP_COMPONENTS       0x708

/* NV_COPY_LAUNCH */
#define NV_COPY_TRANSFER(data)         ((data) & 3)
#define NV_COPY_TRANSFER_NONE          0
#define NV_COPY_TRANSFER_PIPELINED     1 /* may overlap the previous copy */
#define NV_COPY_TRANSFER_NON_PIPELINED 2
#define NV_COPY_FLUSH                  (1u << 2)
#define NV_COPY_SEMAPHORE(data)        ((data) >> 3 & 3)
#define NV_COPY_SEMAPHORE_NONE         0
#define NV_COPY_SEMAPHORE_PLAIN        1 /* payload only */
#define NV_COPY_SEMAPHORE_TIMESTAMP    2 /* 16 bytes: payload, nanoseconds at +8 */
#define NV_COPY_RELEASE_PLAIN          (1u << 3)
#define NV_COPY_RELEASE_TIMESTAMP      (2u << 3)
#define NV_COPY_SRC_LINEAR             (1u << 7) /* 0: block-linear */
#define NV_COPY_DST_LINEAR             (1u << 8)
#define NV_COPY_MULTI_LINE             (1u << 9)
#define NV_COPY_REMAP                  (1u << 10)
#define NV_COPY_SRC_PHYSICAL           (1u << 12)
#define NV_COPY_DST_PHYSICAL           (1u << 13)
#define NV_COPY_SEMAPHORE_REDUCTION    (1u << 19)
#define NV_COPY_PAYLOAD_64             (1u << 27) /* Hopper only */

/* NV_COPY_SRC_PHYSICAL_TARGET, NV_COPY_DST_PHYSICAL_TARGET */
#define NV_COPY_TARGET_VRAM        0
#define NV_COPY_TARGET_COHERENT    1 /* system memory */
#define NV_COPY_TARGET_NONCOHERENT 2
#define NV_COPY_TARGET_PEER        3

/* NV_COPY_REMAP_COMPONENTS: a destination component that takes a constant fills memory with it. */
#define NV_COPY_REMAP_DST_X(data)     ((data) & 7)
#define NV_COPY_REMAP_SRC_X           0
#define NV_COPY_REMAP_TAKE_CONST_A    4
#define NV_COPY_REMAP_TAKE_CONST_B    5
#define NV_COPY_REMAP_NO_WRITE        6
#define NV_COPY_REMAP_SIZE(data)      (((data) >> 16 & 3) + 1) /* bytes of a component */
#define NV_COPY_REMAP_SRC_COUNT(data) (((data) >> 20 & 3) + 1)
#define NV_COPY_REMAP_DST_COUNT(data) (((data) >> 24 & 3) + 1)
/* Every element takes one constant of 1, 2 or 4 bytes. */
#define NV_COPY_REMAP_FILL(bytes) \
	(NV_COPY_REMAP_TAKE_CONST_A | NV_COPY_REMAP_NO_WRITE << 4 | NV_COPY_REMAP_NO_WRITE << 8 | \
	 NV_COPY_REMAP_NO_WRITE << 12 | ((bytes) - 1u) << 16)

#endif
