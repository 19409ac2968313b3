/* SPDX-License-Identifier: MIT */
/*
 * Layout of constant bank 0, which the launch code fills and compiled code reads. Sources: the
 * offsets that ptxas 12.4 and 13.0 emit (nvdisasm of their output), and the values that CUDA writes
 * (a kernel that dumped its own bank on an H200). SM80 stands for SM70–SM89.
 */
#ifndef HW_NV_BANK0_H
#define HW_NV_BANK0_H

#define NV_BANK_BYTES 0x10000 /* of every constant bank */

#define NV_BANK0_NTID           0x000 /* x, y, z: 32 bits each */
#define NV_BANK0_NCTAID         0x00c /* x, y, z */
#define NV_BANK0_SHARED_WINDOW  0x018 /* 64 bits */
#define NV_BANK0_LOCAL_WINDOW   0x020 /* 64 bits */
#define NV_BANK0_STACK          0x028 /* initial stack pointer, R1 */
#define NV_BANK0_DYNAMIC_SHARED 0x02c /* bytes */
#define NV_BANK0_GRID_ID        0x030 /* 64 bits */
#define NV_BANK0_SM_COUNT       0x10c
#define NV_BANK0_RESERVED_SHARED 0x114 /* bytes */

#define NV_BANK0_SM80_BANK       0x040 /* address of this bank, 64 bits: cvta.param */
#define NV_BANK0_SM80_PARAMS_END 0x12c /* offset in this bank, 32 bits: isspacep.param */
#define NV_BANK0_SM80_ENVREGS    0x088 /* %envreg0 to %envreg31: 32 bits each */
#define NV_BANK0_SM80_CONSTANTS  0x050 /* address of constant bank 3, 64 bits: cvta.const */
#define NV_BANK0_SM80_DESCRIPTOR 0x118 /* global memory descriptor, 64 bits: 0 */
#define NV_BANK0_SM80_PARAMS     0x160
/* Where ptxas 12.4 and 13.0 place parameters of more than NV_BANK0_SMALL_PARAMS bytes. */
#define NV_BANK0_SM80_LARGE_PARAMS 0x1a80
#define NV_BANK0_SMALL_PARAMS    4352
#define NV_BANK0_SM90_ENVREGS    0x040
/* %envreg1 and %envreg2: high and low word of the address of a workspace by which the blocks of a
 * cooperative grid synchronise, 0 in other launches; it begins with 0 (CUDA 13.0's header
 * cooperative_groups/details/driver_abi.h). */
#define NV_BANK0_ENVREG_WORKSPACE 1
#define NV_BANK0_SM90_RESERVED_END 0x068 /* %reserved_smem_offset_end */
#define NV_BANK0_SM90_RESERVED_1 0x06c /* %reserved_smem_offset_1 */
#define NV_BANK0_SM90_CONSTANTS  0x0d0
/* Clusters: 1 if the launch has them; blocks of one by axis; 1.0f over these; clusters of the grid by
 * axis; blocks of one. */
#define NV_BANK0_SM90_CLUSTER_LAUNCH 0x140
#define NV_BANK0_SM90_CLUSTER_NCTAID 0x144
#define NV_BANK0_SM90_CLUSTER_RECIPROCAL 0x150
#define NV_BANK0_SM90_NCLUSTERID 0x15c
#define NV_BANK0_SM90_CLUSTER_NCTARANK 0x188
#define NV_BANK0_SM90_PARAMS_START 0x198 /* address of the first parameter, 64 bits: cvta.param */
#define NV_BANK0_SM90_PARAMS_END 0x1a0 /* address of their end, 64 bits: isspacep.param */
#define NV_BANK0_SM90_DESCRIPTOR 0x208
#define NV_BANK0_SM90_PARAMS     0x210

#define NV_BANK0_PARAMS(sm, bytes) \
	((sm) >= 90                        ? NV_BANK0_SM90_PARAMS \
	 : (bytes) > NV_BANK0_SMALL_PARAMS ? NV_BANK0_SM80_LARGE_PARAMS \
					   : NV_BANK0_SM80_PARAMS)

/* The constant bank that holds __constant__ variables. */
#define NV_CONSTANT_VARIABLES 3

/* Bytes at the start of each block's shared memory that Hopper reserves for the system. */
#define NV_SM90_RESERVED_SHARED 0x400
/* Where libraries of device code have an area in them (%reserved_smem_offset_1), and its end, as
 * CUDA places it. */
#define NV_SM90_RESERVED_1      0x20
#define NV_SM90_RESERVED_END    0x120

#endif
