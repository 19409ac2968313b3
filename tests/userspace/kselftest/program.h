/* SPDX-License-Identifier: MIT */
/*
 * Small GH100 kernels, each with one memory access or fault, as `sov compile` produced them. They
 * take two 64-bit parameters, p and q, and use fewer than 16 registers.
 */
#ifndef TESTS_KSELFTEST_PROGRAM_H
#define TESTS_KSELFTEST_PROGRAM_H

#include <stdint.h>

#define PROGRAM_REGISTERS 16

enum program {
	PROGRAM_LOAD,          /* q[0] = p[0] */
	PROGRAM_STORE,         /* p[0] = 0x600df00d */
	PROGRAM_ADD,           /* atomicAdd(p, 1) */
	PROGRAM_SWAP,          /* atomicCAS(p, 0, 1) */
	PROGRAM_LOAD_GENERIC,  /* PROGRAM_LOAD through a generic address */
	PROGRAM_STORE_GENERIC, /* PROGRAM_STORE through a generic address */
	PROGRAM_LOOP,          /* endless loop */
	PROGRAM_TRAP,          /* trap */
	PROGRAM_STORE_LOCAL,   /* stores 0x600df00d to local memory at p */
	PROGRAM_LOAD_SHARED,   /* q[0] = shared memory at p */
};

/* Two words per instruction, low word first. */
static const uint64_t program_words[][16] = {
	[PROGRAM_LOAD] =
		{
			0x0000840000007a02, 0x000fe20000000f00, /* MOV R0, c[0x0][0x210] */
			0x0000850000017a02, 0x000fe20000000f00, /* MOV R1, c[0x0][0x214] */
			0x0000860000027a02, 0x000fe20000000f00, /* MOV R2, c[0x0][0x218] */
			0x0000870000037a02, 0x000fc60000000f00, /* MOV R3, c[0x0][0x21c] */
			0x0000000000047381, 0x000e2400001e0900, /* LDG.E R4, [R0] */
			0x0000000402007386, 0x001fe20000100900, /* STG.E [R2], R4 */
			0x000000000000794d, 0x000fea0003800000, /* EXIT */
			0xfffffffc00fc7947, 0x000fc0000383ffff, /* BRA 0x70 */
		},
	[PROGRAM_STORE] =
		{
			0x0000840000007a02, 0x000fe20000000f00, /* MOV R0, c[0x0][0x210] */
			0x0000850000017a02, 0x000fe20000000f00, /* MOV R1, c[0x0][0x214] */
			0x600df00d00027802, 0x000fca0000000f00, /* MOV R2, 0x600df00d */
			0x0000000200007386, 0x000fe20000100900, /* STG.E [R0], R2 */
			0x000000000000794d, 0x000fea0003800000, /* EXIT */
			0xfffffffc00fc7947, 0x000fc0000383ffff, /* BRA 0x50 */
		},
	[PROGRAM_ADD] =
		{
			0x0000840000007a02, 0x000fe20000000f00, /* MOV R0, c[0x0][0x210] */
			0x0000850000017a02, 0x000fe20000000f00, /* MOV R1, c[0x0][0x214] */
			0x0000000100027802, 0x000fca0000000f00, /* MOV R2, 0x1 */
			0x000000020000798e, 0x000fe2000010e100, /* REDG.E.ADD.STRONG.GPU [R0], R2 */
			0x000000000000794d, 0x000fea0003800000, /* EXIT */
			0xfffffffc00fc7947, 0x000fc0000383ffff, /* BRA 0x50 */
		},
	[PROGRAM_SWAP] =
		{
			0x0000840000007a02, 0x000fe20000000f00, /* MOV R0, c[0x0][0x210] */
			0x0000850000017a02, 0x000fe20000000f00, /* MOV R1, c[0x0][0x214] */
			0x0000000100027802, 0x000fca0000000f00, /* MOV R2, 0x1 */
			0x000000ff00ff73a9,
			0x000fe200001ee102, /* ATOMG.E.CAS.STRONG.GPU PT, RZ, [R0], RZ, R2 */
			0x000000000000794d, 0x000fea0003800000, /* EXIT */
			0xfffffffc00fc7947, 0x000fc0000383ffff, /* BRA 0x50 */
		},
	[PROGRAM_LOAD_GENERIC] =
		{
			0x0000840000007a02, 0x000fe20000000f00, /* MOV R0, c[0x0][0x210] */
			0x0000850000017a02, 0x000fe20000000f00, /* MOV R1, c[0x0][0x214] */
			0x0000860000027a02, 0x000fe20000000f00, /* MOV R2, c[0x0][0x218] */
			0x0000870000037a02, 0x000fc60000000f00, /* MOV R3, c[0x0][0x21c] */
			0x0000000000047980, 0x000e240000100900, /* LD.E R4, [R0] */
			0x0000000402007386, 0x001fe20000100900, /* STG.E [R2], R4 */
			0x000000000000794d, 0x000fea0003800000, /* EXIT */
			0xfffffffc00fc7947, 0x000fc0000383ffff, /* BRA 0x70 */
		},
	[PROGRAM_STORE_GENERIC] =
		{
			0x0000840000007a02, 0x000fe20000000f00, /* MOV R0, c[0x0][0x210] */
			0x0000850000017a02, 0x000fe20000000f00, /* MOV R1, c[0x0][0x214] */
			0x600df00d00027802, 0x000fca0000000f00, /* MOV R2, 0x600df00d */
			0x0000000200007985, 0x000fe2000c10093f, /* ST.E [R0.64+URZ], R2 */
			0x000000000000794d, 0x000fea0003800000, /* EXIT */
			0xfffffffc00fc7947, 0x000fc0000383ffff, /* BRA 0x50 */
		},
	[PROGRAM_LOOP] =
		{
			0xfffffffc00fc7947, 0x000fea000383ffff, /* BRA 0x0 */
			0xfffffffc00fc7947, 0x000fc0000383ffff, /* BRA 0x10 */
		},
	[PROGRAM_TRAP] =
		{
			0x000000040000795c, 0x000fe20000300000, /* BPT.TRAP 0x1 */
			0x000000000000794d, 0x000fea0003800000, /* EXIT */
			0xfffffffc00fc7947, 0x000fc0000383ffff, /* BRA 0x20 */
		},
	[PROGRAM_STORE_LOCAL] =
		{
			0x0000840000007a02, 0x000fe20000000f00, /* MOV R0, c[0x0][0x210] */
			0x600df00d00027802, 0x000fca0000000f00, /* MOV R2, 0x600df00d */
			0x0000000200007387, 0x000fe20000100800, /* STL [R0], R2 */
			0x000000000000794d, 0x000fea0003800000, /* EXIT */
			0xfffffffc00fc7947, 0x000fc0000383ffff, /* BRA 0x40 */
		},
	[PROGRAM_LOAD_SHARED] =
		{
			0x0000840000007a02, 0x000fe20000000f00, /* MOV R0, c[0x0][0x210] */
			0x0000860000027a02, 0x000fe20000000f00, /* MOV R2, c[0x0][0x218] */
			0x0000870000037a02, 0x000fc60000000f00, /* MOV R3, c[0x0][0x21c] */
			0x0000000000047984, 0x000e240000000800, /* LDS R4, [R0] */
			0x0000000402007386, 0x001fe20000100900, /* STG.E [R2], R4 */
			0x000000000000794d, 0x000fea0003800000, /* EXIT */
			0xfffffffc00fc7947, 0x000fc0000383ffff, /* BRA 0x60 */
		},
};

#endif
