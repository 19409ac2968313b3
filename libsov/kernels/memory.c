/* SPDX-License-Identifier: MIT */
/*
 * Copy and fill as kernels, in PTX, compiled for the device by whoever needs them first. A copy
 * engine moves 240 GB/s inside an H200's memory; its processors are what its memory is as fast as.
 *
 * All loads of a thread come before its stores, so that each thread has four on their way; a block's
 * threads touch neighbours, so that every line is moved whole. Only the last block has units that
 * may be out of range. The first also moves the odd bytes at both ends.
 */
#include "libsov/kernels/memory.h"

/* i = this thread's first unit; %more0 … %more3: whether its units are in range. */
#define PLACE                                                                                      \
	"	mov.u32 %t, %tid.x;\n"                                                              \
	"	mov.u32 %b, %ctaid.x;\n"                                                            \
	"	mul.wide.u32 %i0, %b, 1024;\n"                                                      \
	"	cvt.u64.u32 %w, %t;\n"                                                              \
	"	add.u64 %i0, %i0, %w;\n"                                                            \
	"	add.u64 %i1, %i0, 256;\n"                                                           \
	"	add.u64 %i2, %i0, 512;\n"                                                           \
	"	add.u64 %i3, %i0, 768;\n"                                                           \
	"	ld.param.u64 %n, [units];\n"                                                        \
	"	ld.param.u32 %head, [head];\n"                                                      \
	"	ld.param.u32 %tail, [tail];\n"                                                      \
	"	cvt.u64.u32 %h, %head;\n"                                                           \
	"	setp.lt.u64 %more0, %i0, %n;\n"                                                     \
	"	setp.lt.u64 %more1, %i1, %n;\n"                                                     \
	"	setp.lt.u64 %more2, %i2, %n;\n"                                                     \
	"	setp.lt.u64 %more3, %i3, %n;\n"                                                     \
	"	shl.b64 %o0, %i0, 4;\n"                                                             \
	"	shl.b64 %end, %n, 4;\n"                                                             \
	"	add.u64 %end, %end, %h;\n"

#define REGISTERS                                                                                  \
	"	.reg .pred %more<4>, %p, %q;\n"                                                     \
	"	.reg .b32 %t, %b, %head, %tail, %v<16>, %x, %y;\n"                                   \
	"	.reg .b64 %i<4>, %o0, %n, %h, %w, %to, %from, %d, %s, %end;\n"

/* Thread t of the first block does byte t of head and tail. */
#define ENDS(head_byte, tail_byte)                                                                 \
	"	setp.ne.u32 %p, %b, 0;\n"                                                           \
	"	@%p bra done;\n"                                                                    \
	"	setp.ge.u32 %p, %t, %head;\n"                                                       \
	"	@%p bra behind;\n" head_byte "behind:\n"                                            \
	"	setp.ge.u32 %p, %t, %tail;\n"                                                       \
	"	@%p bra done;\n" tail_byte "done:\n"                                                \
	"	ret;\n"                                                                             \
	"}\n"

#define COPY_BYTE                                                                                  \
	"	add.u64 %d, %to, %w;\n"                                                             \
	"	add.u64 %s, %from, %w;\n"                                                           \
	"	ld.global.u8 %x, [%s];\n"                                                           \
	"	st.global.u8 [%d], %x;\n"

/* The byte of the word that belongs at this address. */
#define FILL_BYTE                                                                                  \
	"	add.u64 %d, %to, %w;\n"                                                             \
	"	cvt.u32.u64 %y, %d;\n"                                                              \
	"	and.b32 %y, %y, 3;\n"                                                               \
	"	shl.b32 %y, %y, 3;\n"                                                               \
	"	shr.u32 %y, %v0, %y;\n"                                                             \
	"	st.global.u8 [%d], %y;\n"

const char memory_kernels[] =
	".version 8.0\n"
	".target sm_80\n"
	".address_size 64\n"
	".visible .entry sov_copy(.param .u64 to, .param .u64 from, .param .u32 head, .param .u64 units, "
	".param .u32 tail)\n"
	"	.maxntid 256, 1, 1\n"
	"{\n" REGISTERS PLACE
	"	ld.param.u64 %to, [to];\n"
	"	ld.param.u64 %from, [from];\n"
	"	cvta.to.global.u64 %to, %to;\n"
	"	cvta.to.global.u64 %from, %from;\n"
	"	add.u64 %s, %from, %h;\n"
	"	add.u64 %s, %s, %o0;\n"
	"	add.u64 %d, %to, %h;\n"
	"	add.u64 %d, %d, %o0;\n"
	"	@!%more3 bra some;\n"
	"	ld.global.v4.u32 {%v0, %v1, %v2, %v3}, [%s];\n"
	"	ld.global.v4.u32 {%v4, %v5, %v6, %v7}, [%s+4096];\n"
	"	ld.global.v4.u32 {%v8, %v9, %v10, %v11}, [%s+8192];\n"
	"	ld.global.v4.u32 {%v12, %v13, %v14, %v15}, [%s+12288];\n"
	"	st.global.v4.u32 [%d], {%v0, %v1, %v2, %v3};\n"
	"	st.global.v4.u32 [%d+4096], {%v4, %v5, %v6, %v7};\n"
	"	st.global.v4.u32 [%d+8192], {%v8, %v9, %v10, %v11};\n"
	"	st.global.v4.u32 [%d+12288], {%v12, %v13, %v14, %v15};\n"
	"	bra.uni ends;\n"
	"some:\n"
	"	@%more0 ld.global.v4.u32 {%v0, %v1, %v2, %v3}, [%s];\n"
	"	@%more1 ld.global.v4.u32 {%v4, %v5, %v6, %v7}, [%s+4096];\n"
	"	@%more2 ld.global.v4.u32 {%v8, %v9, %v10, %v11}, [%s+8192];\n"
	"	@%more3 ld.global.v4.u32 {%v12, %v13, %v14, %v15}, [%s+12288];\n"
	"	@%more0 st.global.v4.u32 [%d], {%v0, %v1, %v2, %v3};\n"
	"	@%more1 st.global.v4.u32 [%d+4096], {%v4, %v5, %v6, %v7};\n"
	"	@%more2 st.global.v4.u32 [%d+8192], {%v8, %v9, %v10, %v11};\n"
	"	@%more3 st.global.v4.u32 [%d+12288], {%v12, %v13, %v14, %v15};\n"
	"ends:\n"
	ENDS(COPY_BYTE, "	add.u64 %w, %w, %end;\n" COPY_BYTE)
	".visible .entry sov_fill(.param .u64 to, .param .u32 head, .param .u64 units, .param .u32 tail, "
	".param .u32 word)\n"
	"	.maxntid 256, 1, 1\n"
	"{\n" REGISTERS PLACE
	"	ld.param.u64 %to, [to];\n"
	"	cvta.to.global.u64 %to, %to;\n"
	"	ld.param.u32 %v0, [word];\n"
	"	add.u64 %d, %to, %h;\n"
	"	add.u64 %d, %d, %o0;\n"
	"	@%more0 st.global.v4.u32 [%d], {%v0, %v0, %v0, %v0};\n"
	"	@%more1 st.global.v4.u32 [%d+4096], {%v0, %v0, %v0, %v0};\n"
	"	@%more2 st.global.v4.u32 [%d+8192], {%v0, %v0, %v0, %v0};\n"
	"	@%more3 st.global.v4.u32 [%d+12288], {%v0, %v0, %v0, %v0};\n"
	ENDS(FILL_BYTE, "	add.u64 %w, %w, %end;\n" FILL_BYTE);
