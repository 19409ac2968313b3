/* SPDX-License-Identifier: MIT */
/*
 * The kernel descriptor of AMD code objects (64 bytes, symbol NAME.kd) and the register values in
 * it. Sources: LLVM's "User Guide for AMDGPU Backend", code object kernel descriptor; RDNA2 ISA
 * manual for the meaning of the register values.
 */
#ifndef HW_AMD_KERNEL_DESCRIPTOR_H
#define HW_AMD_KERNEL_DESCRIPTOR_H

#ifdef __KERNEL__
#include <linux/build_bug.h>
#include <linux/types.h>
#else
#include <assert.h>
#include <stdint.h>
#endif

struct amd_kernel_descriptor {
	uint32_t group_segment_bytes;   /* static LDS of a workgroup */
	uint32_t private_segment_bytes; /* scratch of a lane */
	uint32_t kernarg_bytes;
	uint32_t reserved0;
	int64_t entry_offset;           /* from the descriptor to the first instruction */
	uint8_t reserved1[20];
	uint32_t rsrc3, rsrc1, rsrc2;
	uint16_t properties;
	uint16_t kernarg_preload;
	uint32_t reserved2;
};
static_assert(sizeof(struct amd_kernel_descriptor) == 64, "the hardware's layout");

/* rsrc1 */
#define AMD_RSRC1_VGPRS(r)      ((((r) & 63) + 1) * 8) /* wave32: granules of eight */
#define AMD_RSRC1_FLOAT_MODE(r) ((r) >> 12 & 255)
#define AMD_FLOAT_MODE_DEFAULT  0xf0 /* round to nearest, all denormals */
#define AMD_RSRC1_SET_VGPRS(n)      ((n) ? ((n) - 1) / 8 : 0u)
#define AMD_RSRC1_SET_FLOAT_MODE(m) ((uint32_t)(m) << 12)
#define AMD_RSRC1_DX10_CLAMP    (1u << 21)
#define AMD_RSRC1_IEEE          (1u << 23)
#define AMD_RSRC1_WGP_MODE      (1u << 29) /* a workgroup runs on both compute units of a WGP */
#define AMD_RSRC1_MEM_ORDERED   (1u << 30)
/* rsrc2 */
#define AMD_RSRC2_SCRATCH(r)    ((r) & 1)
#define AMD_RSRC2_USER_SGPRS(r) ((r) >> 1 & 31)
#define AMD_RSRC2_GROUP_ID(r, axis) ((r) >> (7 + (axis)) & 1)
#define AMD_RSRC2_GROUP_INFO(r) ((r) >> 10 & 1)
#define AMD_RSRC2_THREAD_IDS(r) (((r) >> 11 & 3) + 1) /* x, xy, xyz in v0–v2 */
#define AMD_RSRC2_SET_SCRATCH       1u
#define AMD_RSRC2_SET_USER_SGPRS(n) ((uint32_t)(n) << 1)
#define AMD_RSRC2_SET_GROUP_IDS(m)  ((uint32_t)(m) << 7)
#define AMD_RSRC2_SET_THREAD_IDS(n) ((uint32_t)((n) - 1) << 11)
/* properties: user SGPRs in this order, with the number of registers of each */
enum {
	AMD_PRIVATE_SEGMENT_BUFFER = 1 << 0, /* 4 */
	AMD_DISPATCH_PTR = 1 << 1,           /* 2 */
	AMD_QUEUE_PTR = 1 << 2,              /* 2 */
	AMD_KERNARG_SEGMENT_PTR = 1 << 3,    /* 2 */
	AMD_DISPATCH_ID = 1 << 4,            /* 2 */
	AMD_FLAT_SCRATCH_INIT = 1 << 5,      /* 2 */
	AMD_PRIVATE_SEGMENT_SIZE = 1 << 6,   /* 1 */
	AMD_WAVE32 = 1 << 10,
	AMD_DYNAMIC_STACK = 1 << 11,
};

#endif
