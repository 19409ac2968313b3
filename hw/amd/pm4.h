/* SPDX-License-Identifier: MIT */
/*
 * PM4: the packets that a compute queue's command processor reads on gfx10.3, and the registers
 * that they set for a dispatch. Sources: amdgpu in Linux (amd/amdgpu/nvd.h,
 * gfx_v10_0.c, amd/include/asic_reg/gc/gc_10_3_0_offset.h and _sh_mask.h), Mesa
 * (src/amd/registers, src/amd/common/sid.h), LLVM's AMDGPU user guide for the registers that a
 * kernel descriptor fills. Nothing here has been seen on a card.
 */
#ifndef HW_AMD_PM4_H
#define HW_AMD_PM4_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdint.h>
#endif

/* Header of type 3: the number of words that follow, less one, and an opcode. A count of all ones
 * is a NOP without further words. Type 2 is a filler of one word. */
#define AMD_PM4_TYPE(header)   ((header) >> 30)
#define AMD_PM4_COUNT(header)  ((header) >> 16 & 0x3fff)
#define AMD_PM4_OPCODE(header) ((header) >> 8 & 0xff)
#define AMD_PM4_COMPUTE        (1u << 1) /* "shader type": registers of compute, not of graphics */
#define AMD_PM4_PREDICATE      (1u << 0)
#define AMD_PM4_NOP_ALONE      0x3fffu
/* words: number of words after the header */
#define AMD_PM4(opcode, words) \
	(3u << 30 | (((uint32_t)(words) - 1) & 0x3fff) << 16 | (uint32_t)(opcode) << 8 | \
	 AMD_PM4_COMPUTE)

enum {
	AMD_PM4_NOP = 0x10,
	AMD_PM4_DISPATCH_DIRECT = 0x15,
	AMD_PM4_DISPATCH_INDIRECT = 0x16,
	AMD_PM4_WRITE_DATA = 0x37,
	AMD_PM4_WAIT_REG_MEM = 0x3c,
	AMD_PM4_INDIRECT_BUFFER = 0x3f,
	AMD_PM4_COPY_DATA = 0x40,
	AMD_PM4_EVENT_WRITE = 0x46,
	AMD_PM4_RELEASE_MEM = 0x49,
	AMD_PM4_DMA_DATA = 0x50,
	AMD_PM4_ACQUIRE_MEM = 0x58,
	AMD_PM4_SET_SH_REG = 0x76,
	AMD_PM4_SET_UCONFIG_REG = 0x79,
};

/* INDIRECT_BUFFER, 3 words: address (low word a multiple of 4), control. A buffer may hold these
 * packets itself, one level deep (IB2). The chain bit leaves the buffer instead of coming back. */
#define AMD_PM4_IB_WORDS        3
#define AMD_PM4_IB_SIZE(control) ((control) & 0xfffff) /* words of the buffer */
#define AMD_PM4_IB_MAX_SIZE     0xfffffu
#define AMD_PM4_IB_CHAIN        (1u << 20)
#define AMD_PM4_IB_VALID        (1u << 23)
#define AMD_PM4_IB_VMID(n)      ((uint32_t)(n) << 24) /* a user's queue leaves it 0: its own */

/* SET_SH_REG: register as a word offset from 0x2c00 (byte address 0xb000), then values for it and
 * the registers after it. SET_UCONFIG_REG likewise from 0xc000. */
#define AMD_SH_REGISTERS        0xb000u
#define AMD_SH_OFFSET(reg)      (((reg) - AMD_SH_REGISTERS) / 4)

/* Registers of a dispatch, by byte address. */
#define AMD_COMPUTE_DISPATCH_INITIATOR 0xb800
#define AMD_COMPUTE_DIM_X         0xb804 /* y, z follow; DISPATCH_DIRECT sets them */
#define AMD_COMPUTE_START_X       0xb810 /* y, z follow */
#define AMD_COMPUTE_NUM_THREAD_X  0xb81c /* y, z follow; low half: threads of a workgroup, high
					  * half: of the last one if PARTIAL_TG_EN is set */
#define AMD_COMPUTE_PIPELINESTAT_ENABLE 0xb828
#define AMD_COMPUTE_PERFCOUNT_ENABLE 0xb82c
#define AMD_COMPUTE_PGM_LO        0xb830 /* address of the first instruction >> 8 */
#define AMD_COMPUTE_PGM_HI        0xb834
#define AMD_COMPUTE_DISPATCH_PKT_ADDR_LO 0xb838
#define AMD_COMPUTE_DISPATCH_PKT_ADDR_HI 0xb83c
#define AMD_COMPUTE_PGM_RSRC1     0xb848 /* hw/amd/kernel_descriptor.h */
#define AMD_COMPUTE_PGM_RSRC2     0xb84c
#define AMD_COMPUTE_VMID          0xb850 /* set by the kernel driver only */
#define AMD_COMPUTE_RESOURCE_LIMITS 0xb854 /* 0: none */
#define AMD_COMPUTE_STATIC_THREAD_MGMT_SE0 0xb858 /* compute units of a shader engine, two halves */
#define AMD_COMPUTE_STATIC_THREAD_MGMT_SE1 0xb85c
#define AMD_COMPUTE_TMPRING_SIZE  0xb860
#define AMD_COMPUTE_STATIC_THREAD_MGMT_SE2 0xb864
#define AMD_COMPUTE_STATIC_THREAD_MGMT_SE3 0xb868
#define AMD_COMPUTE_RESTART_X     0xb86c /* y, z follow */
#define AMD_COMPUTE_THREAD_TRACE_ENABLE 0xb878
#define AMD_COMPUTE_MISC_RESERVED 0xb87c
#define AMD_COMPUTE_DISPATCH_ID   0xb880
#define AMD_COMPUTE_REQ_CTRL      0xb888
#define AMD_COMPUTE_USER_ACCUM_0  0xb890 /* four */
#define AMD_COMPUTE_PGM_RSRC3     0xb8a0
#define AMD_COMPUTE_SHADER_CHKSUM 0xb8a8
#define AMD_COMPUTE_USER_DATA_0   0xb900 /* sixteen: initial values of s0 to s15 */
#define AMD_COMPUTE_USER_DATA_COUNT 16
#define AMD_COMPUTE_END           0xba00

/* PGM_RSRC2: the launch sets the LDS size, in units of 512 bytes; a kernel descriptor leaves it
 * 0. */
#define AMD_RSRC2_LDS_SIZE(r)   ((r) >> 15 & 0x1ff)
#define AMD_RSRC2_LDS_SHIFT     15
#define AMD_LDS_GRANULE         512u

/*
 * TMPRING_SIZE: private memory. A wave with SCRATCH_EN has one of `waves` slots while it runs; it
 * finds its slot number times the wave size, in bytes, in the scalar register after the workgroup
 * ids. User data, not a register, holds the address of the first slot.
 */
#define AMD_TMPRING_WAVES(r)     ((r) & 0xfff)
#define AMD_TMPRING_WAVE_SIZE(r) ((r) >> 12 & 0x1fff)
#define AMD_TMPRING_GRANULE      1024u /* bytes of a unit of wave size */
#define AMD_TMPRING(waves, size) ((uint32_t)(waves) | (uint32_t)(size) << 12)

/* DISPATCH_DIRECT, 4 words: workgroups (or threads) x, y, z, initiator. */
#define AMD_PM4_DISPATCH_WORDS  4
#define AMD_DISPATCH_SHADER_EN  (1u << 0)
#define AMD_DISPATCH_PARTIAL_TG (1u << 1)
#define AMD_DISPATCH_START_AT_0 (1u << 2)
#define AMD_DISPATCH_THREADS    (1u << 5) /* sizes are in threads */
#define AMD_DISPATCH_ORDER_MODE (1u << 6)
#define AMD_DISPATCH_WAVE32     (1u << 15)

/* Cache control: ACQUIRE_MEM's last word. GLI is the instruction cache, GLK the scalar one, GLV and
 * GL1 the vector caches, GL2 the shared L2 cache, GLM its metadata. */
#define AMD_GCR_GLI_INV   (1u << 0)
#define AMD_GCR_GLM_WB    (1u << 4)
#define AMD_GCR_GLM_INV   (1u << 5)
#define AMD_GCR_GLK_WB    (1u << 6)
#define AMD_GCR_GLK_INV   (1u << 7)
#define AMD_GCR_GLV_INV   (1u << 8)
#define AMD_GCR_GL1_INV   (1u << 9)
#define AMD_GCR_GL2_INV   (1u << 14)
#define AMD_GCR_GL2_WB    (1u << 15)

/* ACQUIRE_MEM, 7 words: 0, size in 256 bytes (low, high; all ones: everything), base >> 8 (low,
 * high), poll interval, cache control. */
#define AMD_PM4_ACQUIRE_WORDS   7
#define AMD_ACQUIRE_ALL_LOW     0xffffffffu
#define AMD_ACQUIRE_ALL_HIGH    0x01ffffffu
#define AMD_ACQUIRE_POLL        10

/*
 * RELEASE_MEM, 7 words: event and caches, selectors, address (low, high), data (low, high),
 * context of the interrupt. It waits until earlier dispatches have ended, writes caches back,
 * then writes the data. Addresses are aligned to the size of the data.
 */
#define AMD_PM4_RELEASE_WORDS   7
#define AMD_RELEASE_EVENT(event, index) ((uint32_t)(event) | (uint32_t)(index) << 8)
#define AMD_RELEASE_EVENT_TYPE(word)  ((word) & 63)
#define AMD_RELEASE_EVENT_INDEX(word) ((word) >> 8 & 15)
#define AMD_RELEASE_GLM_WB      (1u << 12)
#define AMD_RELEASE_GLM_INV     (1u << 13) /* must go with GLM_WB */
#define AMD_RELEASE_GLV_INV     (1u << 14)
#define AMD_RELEASE_GL1_INV     (1u << 15)
#define AMD_RELEASE_GL2_INV     (1u << 20)
#define AMD_RELEASE_GL2_WB      (1u << 21)
#define AMD_RELEASE_SEQ         (1u << 22)
#define AMD_RELEASE_CACHE_POLICY(n) ((uint32_t)(n) << 25) /* 3: bypass */
#define AMD_RELEASE_DATA(word)  ((word) >> 29)
#define AMD_RELEASE_INTERRUPT(word) ((word) >> 24 & 7)
enum { AMD_RELEASE_NO_DATA, AMD_RELEASE_32, AMD_RELEASE_64, AMD_RELEASE_CLOCK }; /* << 29 */
enum { /* << 24 */
	AMD_RELEASE_NO_INTERRUPT, AMD_RELEASE_ONLY_INTERRUPT, AMD_RELEASE_INTERRUPT_AFTER,
};
#define AMD_RELEASE_DATA_SHIFT      29
#define AMD_RELEASE_INTERRUPT_SHIFT 24

/* Events, and the index of each. */
#define AMD_EVENT_CS_PARTIAL_FLUSH         0x07 /* EVENT_WRITE, index 4: dispatches have ended */
#define AMD_EVENT_CACHE_FLUSH_AND_INV_TS   0x14 /* RELEASE_MEM, index 5 */
#define AMD_EVENT_BOTTOM_OF_PIPE_TS        0x28 /* RELEASE_MEM, index 5 */
#define AMD_EVENT_INDEX_OTHER              0
#define AMD_EVENT_INDEX_PARTIAL_FLUSH      4
#define AMD_EVENT_INDEX_END_OF_PIPE        5
#define AMD_PM4_EVENT_WORDS     1

/*
 * WAIT_REG_MEM, 6 words: control, address (low, high), reference, mask, poll interval. It waits
 * until the 32-bit word at address, and'ed with the mask, compares to the reference, both
 * unsigned. SDMA's POLL_REGMEM has the same functions.
 */
#define AMD_PM4_WAIT_WORDS      6
#define AMD_WAIT_FUNCTION(word) ((word) & 7)
enum {
	AMD_WAIT_ALWAYS, AMD_WAIT_LESS, AMD_WAIT_LESS_EQUAL, AMD_WAIT_EQUAL, AMD_WAIT_NOT_EQUAL,
	AMD_WAIT_GREATER_EQUAL, AMD_WAIT_GREATER,
};
#define AMD_WAIT_MEMORY         (1u << 4) /* 0: a register */
#define AMD_WAIT_OPERATION(word) ((word) >> 6 & 3) /* 0: just wait */

/* WRITE_DATA, 3 words and data: control, address (low, high). */
#define AMD_PM4_WRITE_WORDS     3
#define AMD_WRITE_TO(word)      ((word) >> 8 & 15)
#define AMD_WRITE_TO_MEMORY     (5u << 8)
#define AMD_WRITE_TO_L2         (2u << 8)
#define AMD_WRITE_ONE_ADDRESS   (1u << 16)
#define AMD_WRITE_CONFIRM       (1u << 20)

/* COPY_DATA, 5 words: control, source (low, high), destination (low, high): one word or two. */
#define AMD_PM4_COPY_WORDS      5
#define AMD_COPY_FROM(word)     ((word) & 15)
#define AMD_COPY_TO(word)       ((word) >> 8 & 15)
#define AMD_COPY_FROM_MEMORY    1u
#define AMD_COPY_FROM_L2        2u
#define AMD_COPY_FROM_IMMEDIATE 5u
#define AMD_COPY_FROM_CLOCK     9u
#define AMD_COPY_TO_MEMORY      (5u << 8)
#define AMD_COPY_TO_L2          (2u << 8)
#define AMD_COPY_64             (1u << 16)
#define AMD_COPY_CONFIRM        (1u << 20)

/* DMA_DATA, 6 words: control, source (low, high) or data, destination (low, high), command. */
#define AMD_PM4_DMA_WORDS       6
#define AMD_DMA_FROM(word)      ((word) >> 29 & 3) /* 0, 3: memory; 2: the low word itself */
#define AMD_DMA_TO(word)        ((word) >> 20 & 3) /* 0, 3: memory */
#define AMD_DMA_FROM_L2         (3u << 29)
#define AMD_DMA_FROM_DATA       (2u << 29)
#define AMD_DMA_TO_L2           (3u << 20)
#define AMD_DMA_SYNC            (1u << 31) /* later packets wait for it */
#define AMD_DMA_BYTES(command)  ((command) & 0x3ffffff)
#define AMD_DMA_MAX_BYTES       0x3ffffe0u

/* The clock of time stamps (RELEASE_MEM, COPY_DATA, SDMA, s_memrealtime): the reference clock,
 * 100 MHz on Navi 21 (Linux, amdgpu: "xclk", from the VBIOS' firmware info;
 * sienna_cichlid_ppt.c). */
#define AMD_CLOCK_HZ            100000000u
#define AMD_CLOCK_NANOSECONDS   10u

#endif
