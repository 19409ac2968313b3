/* SPDX-License-Identifier: MIT */
/*
 * The host unit, which fetches commands and dispatches them to engines. A channel has a ring
 * (GPFIFO) of 8-byte entries in GPU memory. Each entry names a segment (push buffer) of 32-bit
 * words: method headers followed by data. GP_PUT and GP_GET lie in the channel's USERD, and a
 * doorbell tells the host that GP_PUT has moved. The host executes methods below 0x100 of any
 * subchannel itself and sends others to the engine whose class is bound to the subchannel.
 */
#ifndef HW_NV_HOST_H
#define HW_NV_HOST_H

#ifdef __KERNEL__
#include <linux/build_bug.h>
#include <linux/types.h>
#else
#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#endif

/* Classes: open-gpu-doc classes/host/clc36f.h, clc46f.h, clc56f.h; the number for Hopper comes from the open
 * kernel modules and an H200. */
#define NV_CLASS_VOLTA_CHANNEL  0xc36f
#define NV_CLASS_TURING_CHANNEL 0xc46f
#define NV_CLASS_AMPERE_CHANNEL 0xc56f
#define NV_CLASS_HOPPER_CHANNEL 0xc86f

/* USERD: open-gpu-doc classes/host/clc76f.h, Nvc76fControl. */
#define NV_USERD_BYTES  512
#define NV_USERD_GP_GET 0x88
#define NV_USERD_GP_PUT 0x8c

/*
 * Ring entry: open-gpu-doc classes/host/clc76f.h, GP_ENTRY. An entry of length 0 is a control entry
 * with an opcode in the low byte of its high word. Push buffers lie below 2^40.
 */
#define NV_GP_ENTRY_BYTES  8
#define NV_GP_ADDRESS_BITS 40
#define NV_GP_MAX_WORDS    0x1fffff
#define NV_GP_SYNC_WAIT    (1ull << 63) /* start only after earlier segments have been fetched */
#define NV_GP_OPCODE_NOP   0

struct nv_gp_entry {
	uint64_t address; /* of the segment's first word */
	uint32_t words;   /* 0: control entry, see opcode */
	uint8_t opcode;
	bool conditional, wait;
};

static inline uint64_t nv_gp_entry_pack(uint64_t address, uint32_t words)
{
	return (address & 0xfffffffffcull) | (uint64_t)(words & NV_GP_MAX_WORDS) << 42;
}

static inline struct nv_gp_entry nv_gp_entry_unpack(uint64_t e)
{
	return (struct nv_gp_entry){
		.address = e & 0xfffffffffcull,
		.words = (uint32_t)(e >> 42) & NV_GP_MAX_WORDS,
		.opcode = (uint8_t)(e >> 32),
		.conditional = e & 1,
		.wait = e & NV_GP_SYNC_WAIT,
	};
}

/*
 * Method header: open-gpu-doc classes/host/clc76f.h, NVC76F_DMA_*. The method field is in words, so
 * the largest method is 0x3ffc; count is at most 0x1fff. Kinds 0 and 2 are those of older chips.
 */
enum nv_method_kind { /* SEC_OP */
		      NV_METHOD_GRP0 = 0,
		      NV_METHOD_INC = 1, /* each data word goes to the next method */
		      NV_METHOD_GRP2 = 2,
		      NV_METHOD_NON_INC = 3, /* all data words go to the same method */
		      NV_METHOD_IMMD_DATA =
			      4, /* no data words: the count field holds 13 bits of data */
		      NV_METHOD_ONE_INC =
			      5, /* first data word to the method, all others to the next */
		      NV_METHOD_RESERVED = 6,
		      NV_METHOD_END_PB_SEGMENT = 7, /* skips the rest of the segment */
};
#define NV_METHOD_MAX_COUNT 0x1fff
#define NV_SUBCHANNELS      8

struct nv_method {
	enum nv_method_kind kind;
	uint32_t subchannel, method, count; /* count: data words, or the immediate data */
};

static inline uint32_t nv_method_pack(enum nv_method_kind kind, uint32_t subchannel,
				      uint32_t method, uint32_t count)
{
	return (uint32_t)kind << 29 | (count & NV_METHOD_MAX_COUNT) << 16 | (subchannel & 7) << 13 |
	       (method >> 2 & 0xfff);
}

static inline struct nv_method nv_method_unpack(uint32_t header)
{
	return (struct nv_method){
		.kind = (enum nv_method_kind)(header >> 29),
		.subchannel = header >> 13 & 7,
		.method = (header & 0xfff) << 2,
		.count = header >> 16 & NV_METHOD_MAX_COUNT,
	};
}

/* Subchannels that NVIDIA's drivers use by convention; SET_OBJECT can bind any class to any. */
#define NV_SUBCHANNEL_COMPUTE 1
#define NV_SUBCHANNEL_COPY    4

/* Host methods: open-gpu-doc classes/host/clc76f.h. */
#define NV_HOST_METHODS_END         0x100
#define NV_HOST_SET_OBJECT          0x00 /* class in 15:0, engine in 20:16 */
#define NV_HOST_NOP                 0x08
#define NV_HOST_NON_STALL_INTERRUPT 0x20
#define NV_HOST_MEM_OP_A            0x28
#define NV_HOST_MEM_OP_B            0x2c
#define NV_HOST_MEM_OP_C            0x30
#define NV_HOST_MEM_OP_D            0x34 /* operation in 31:27 */
#define NV_HOST_SET_REFERENCE       0x50
#define NV_HOST_SEM_ADDR_LO         0x5c
#define NV_HOST_SEM_ADDR_HI         0x60
#define NV_SEM_ADDR_HI              0xffu      /* its bits up to clc56f.h */
#define NV_SEM_ADDR_HI_HOPPER       0x1ffffffu /* from clc86f.h on */
#define NV_HOST_SEM_PAYLOAD_LO      0x64
#define NV_HOST_SEM_PAYLOAD_HI      0x68
#define NV_HOST_SEM_EXECUTE         0x6c
#define NV_HOST_WFI                 0x78
#define NV_HOST_YIELD               0x80

#define NV_MEM_OP_D_OPERATION(data)         ((data) >> 27)
#define NV_MEM_OP_D_MEMBAR                  0x05
#define NV_MEM_OP_D_TLB_INVALIDATE          0x09
#define NV_MEM_OP_D_TLB_INVALIDATE_TARGETED 0x0a
#define NV_MEM_OP_D_L2_PEERMEM_INVALIDATE   0x0d
#define NV_MEM_OP_D_L2_SYSMEM_INVALIDATE    0x0e
#define NV_MEM_OP_D_L2_CLEAN_COMPTAGS       0x0f
#define NV_MEM_OP_D_L2_FLUSH_DIRTY          0x10
#define NV_MEM_OP_D_ACCESS_COUNTER_CLEAR    0x16

/* SEM_EXECUTE. A release with timestamp writes 16 bytes: the payload, and nanoseconds at +8. */
#define NV_SEM_OPERATION(data)    ((data) & 7)
#define NV_SEM_ACQUIRE            0 /* until *a == payload */
#define NV_SEM_RELEASE            1
#define NV_SEM_ACQUIRE_STRICT_GEQ 2 /* until *a >= payload, unsigned */
#define NV_SEM_ACQUIRE_CIRC_GEQ   3 /* until *a - payload, as a signed number, is >= 0 */
#define NV_SEM_ACQUIRE_AND        4 /* until *a & payload is not 0 */
#define NV_SEM_ACQUIRE_NOR        5 /* until *a | payload is not all ones */
#define NV_SEM_REDUCTION          6
#define NV_SEM_ACQUIRE_SWITCH_TSG (1u << 12)
#define NV_SEM_RELEASE_WFI        (1u << 20)
#define NV_SEM_PAYLOAD_64         (1u << 24)
#define NV_SEM_RELEASE_TIMESTAMP  (1u << 25)
#define NV_SEM_REDUCTION_OP(data) ((data) >> 27 & 15) /* enum nv_reduction */
#define NV_SEM_REDUCTION_UNSIGNED (1u << 31)
#define NV_SEM_TIMESTAMP_OFFSET   8

enum nv_reduction { /* of host and copy-engine semaphores */
		    NV_REDUCTION_MIN,
		    NV_REDUCTION_MAX,
		    NV_REDUCTION_XOR,
		    NV_REDUCTION_AND,
		    NV_REDUCTION_OR,
		    NV_REDUCTION_ADD,
		    NV_REDUCTION_INC,
		    NV_REDUCTION_DEC,
};

/*
 * Error notifier, entry 0, and the Xids in info32: measured on an H200 under driver 580 with
 * deliberately broken channels.
 */
struct nv_notification {
	uint64_t time_ns;
	uint32_t info32; /* Xid */
	uint16_t info16; /* engine: 1 */
	uint16_t status; /* 0xffff after an error */
};
static_assert(sizeof(struct nv_notification) == 16, "notifier entry");
#define NV_NOTIFICATION_ERROR 0xffff

#define NV_XID_GRAPHICS_EXCEPTION 13 /* trap, misaligned, shared range, bad QMD */
#define NV_XID_MMU_FAULT          31
#define NV_XID_CHANNEL_HOST       32 /* the method stream is malformed */
#define NV_XID_STOPPED            45
#define NV_XID_CLASS_ERROR        69 /* the class rejects a method or its data */

#endif
