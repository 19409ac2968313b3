/* SPDX-License-Identifier: MIT */
/*
 * SDMA 5.2: the packets that a copy queue reads. Sources: amdgpu in Linux
 * (amd/amdgpu/navi10_sdma_pkt_open.h, sdma_v5_2.c), Mesa (src/amd/common/sid.h,
 * ac_sdma.c: sizes on GFX10.3). Nothing here has been seen on a card.
 *
 * The ring's write and read pointers count bytes, not words as a compute queue's do
 * (sdma_v5_2_ring_set_wptr shifts by two).
 */
#ifndef HW_AMD_SDMA_H
#define HW_AMD_SDMA_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdint.h>
#endif

/* First word of a packet: operation and sub-operation. */
#define AMD_SDMA_OP(word)     ((word) & 0xff)
#define AMD_SDMA_SUB_OP(word) ((word) >> 8 & 0xff)
#define AMD_SDMA(op, sub)     ((uint32_t)(op) | (uint32_t)(sub) << 8)

enum {
	AMD_SDMA_NOP = 0,
	AMD_SDMA_COPY = 1,
	AMD_SDMA_WRITE = 2,
	AMD_SDMA_INDIRECT = 4,
	AMD_SDMA_FENCE = 5,
	AMD_SDMA_TRAP = 6,
	AMD_SDMA_POLL_REGMEM = 8,
	AMD_SDMA_CONST_FILL = 11,
	AMD_SDMA_TIMESTAMP = 13,
	AMD_SDMA_GCR_REQ = 17,
};

/* NOP: the upper half holds the number of further words to skip. */
#define AMD_SDMA_NOP_COUNT(word) ((word) >> 16 & 0x3fff)

/* Copy, 7 words: header, bytes - 1, 0, source (low, high), destination (low, high). */
enum { AMD_SDMA_COPY_LINEAR = 0, AMD_SDMA_COPY_SUB_WINDOW = 4 };
#define AMD_SDMA_COPY_WORDS   7
#define AMD_SDMA_COUNT(word)  ((word) & 0x3fffffff) /* 22 bits before GFX10.3 */
#define AMD_SDMA_MAX_BYTES    0x3fffff00u /* Mesa stays 255 bytes below the field's maximum */
#define AMD_SDMA_BROADCAST    (1u << 27) /* to two destinations; two more words */
#define AMD_SDMA_BACKWARDS    (1u << 25)

/*
 * Copy of a rectangle, 13 words: header with the element's size as a power of two, source (low,
 * high), source x and y, source z and pitch - 1, source slice pitch - 1, the same five for the
 * destination, width - 1 and height - 1, depth - 1. Everything counts elements, slice pitches
 * too.
 */
#define AMD_SDMA_COPY_RECT_WORDS        13
#define AMD_SDMA_ELEMENT(log2)    ((uint32_t)(log2) << 29)
#define AMD_SDMA_ELEMENT_LOG2(word) ((word) >> 29)
#define AMD_SDMA_MAX_ELEMENT_LOG2 4
#define AMD_SDMA_XY(x, y)         ((uint32_t)(x) | (uint32_t)(y) << 16)
#define AMD_SDMA_X(word)          ((word) & 0x3fff)
#define AMD_SDMA_Y(word)          ((word) >> 16 & 0x3fff)
#define AMD_SDMA_Z_PITCH(z, pitch) ((uint32_t)(z) | ((uint32_t)(pitch) - 1) << 13)
#define AMD_SDMA_Z(word)          ((word) & 0x7ff)
#define AMD_SDMA_PITCH(word)      (((word) >> 13) + 1)
#define AMD_SDMA_SLICE(word)      (((word) & 0xfffffff) + 1)
#define AMD_SDMA_MAX_EXTENT       0x4000u  /* elements of a line, lines of a slice */
#define AMD_SDMA_MAX_DEPTH        0x800u
#define AMD_SDMA_MAX_PITCH        0x80000u
#define AMD_SDMA_MAX_SLICE        0x10000000u

/* Words of the packet for memory: header, address (low, high), words - 1, data. */
#define AMD_SDMA_WRITE_WORDS      4
#define AMD_SDMA_WRITE_COUNT(word) ((word) & 0xfffff)

/*
 * Fill, 5 words: header with the size of the pattern, destination (low, high), data, bytes - 1.
 * Linux and ROCm use words (2); that 0 and 1 mean bytes and half words is inferred from the
 * field.
 */
#define AMD_SDMA_FILL_WORDS       5
/* The count has 22 bits before SDMA 6, also where that of copies has 30 (amdgpu, sdma_v5_2.c,
 * fill_max_bytes; Mesa, ac_emit_sdma_constant_fill). */
#define AMD_SDMA_FILL_COUNT_BITS  22
#define AMD_SDMA_FILL_MAX_BYTES   0x400000u
#define AMD_SDMA_FILL_SIZE(log2)  ((uint32_t)(log2) << 30)
#define AMD_SDMA_FILL_LOG2(word)  ((word) >> 30)

/* Fence, 4 words: header, address (low, high), data: the word is written after all earlier
 * packets. */
#define AMD_SDMA_FENCE_WORDS      4
#define AMD_SDMA_FENCE_MTYPE(n)   ((uint32_t)(n) << 16) /* 3: uncached */

/* Interrupt, 2 words: header, context. */
#define AMD_SDMA_TRAP_WORDS       2

/* Wait, 6 words: header, address (low, high), reference, mask, interval and retries. Functions are
 * those of PM4's WAIT_REG_MEM. */
#define AMD_SDMA_POLL_WORDS       6
#define AMD_SDMA_POLL_FUNCTION(n) ((uint32_t)(n) << 28)
#define AMD_SDMA_POLL_FUNCTION_OF(word) ((word) >> 28 & 7)
#define AMD_SDMA_POLL_MEMORY      (1u << 31) /* 0: a register */
#define AMD_SDMA_POLL_RETRY(word) ((word) >> 16 & 0xfff)
#define AMD_SDMA_POLL_FOR_EVER    (0xfffu << 16)
#define AMD_SDMA_POLL_INTERVAL    10u

/* Time stamp, 3 words: header, address (low, high; a multiple of 8): 64 bits, see AMD_CLOCK_HZ. */
enum { AMD_SDMA_TIMESTAMP_SET = 0, AMD_SDMA_TIMESTAMP_GET = 1, AMD_SDMA_TIMESTAMP_GET_GLOBAL = 2 };
#define AMD_SDMA_TIMESTAMP_WORDS  3

/*
 * Indirect buffer, 6 words: header, address (low, a multiple of 32; high), words, 0, 0. The packet
 * must end on a multiple of 8 words of the ring, so NOPs go before it, and the buffer is a multiple
 * of 8 words long, with NOPs at its end (sdma_v5_2_ring_emit_ib, _pad_ib). Buffers do not nest.
 */
#define AMD_SDMA_INDIRECT_WORDS   6
#define AMD_SDMA_INDIRECT_SIZE(word) ((word) & 0xfffff)
#define AMD_SDMA_INDIRECT_ALIGN   8 /* words */

/* Cache control, 5 words: header, base (low, high), limit (low, high); both 0: everything. The bits
 * of ACQUIRE_MEM (AMD_GCR_*) begin in the upper half of the third word and end in the low bits of
 * the fourth; the highest byte is the VMID, which a user's queue leaves 0
 * (sdma_v5_2_ring_emit_mem_sync). */
#define AMD_SDMA_GCR_WORDS        5
#define AMD_SDMA_GCR_LOW(bits)    ((uint32_t)(bits) << 16)
#define AMD_SDMA_GCR_HIGH(bits)   ((uint32_t)(bits) >> 16)
#define AMD_SDMA_GCR_BITS(third, fourth) ((third) >> 16 | ((fourth) & 7) << 16)

#endif
