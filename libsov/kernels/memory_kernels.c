// SPDX-License-Identifier: MIT
/*
 * Copy and fill kernels in PTX; the runtime compiles them on first use. A copy engine reaches
 * 500 GB/s inside the memory of an H200; only the SMs reach the full memory bandwidth.
 *
 * Each thread moves one unit of 16 bytes. On an H200 this copies 256 MiB in 128.6 us; two, four or
 * eight units per thread, or other cache hints, took 129.6 to 134.4 us. The first block also moves
 * the unaligned bytes at both ends.
 */
#include "libsov/kernels/memory_kernels.h"

/* Declares the registers and computes offsets. %i: index of the thread's unit of 1 << shift bytes;
 * %o: offset of that unit; %end: offset of the tail. */
#define THREAD_PROLOGUE(shift)                                                                     \
	"	.reg .pred %more, %p;\n"                                                            \
	"	.reg .b32 %t, %b, %head, %tail, %v<4>, %x;\n"                                       \
	"	.reg .b64 %i, %o, %n, %h, %w, %to, %from, %d, %s, %end;\n"                          \
	"	mov.u32 %t, %tid.x;\n"                                                              \
	"	mov.u32 %b, %ctaid.x;\n"                                                            \
	"	mul.wide.u32 %i, %b, 512;\n"                                                        \
	"	cvt.u64.u32 %w, %t;\n"                                                              \
	"	add.u64 %i, %i, %w;\n"                                                              \
	"	ld.param.u64 %n, [units];\n"                                                        \
	"	ld.param.u32 %head, [head];\n"                                                      \
	"	ld.param.u32 %tail, [tail];\n"                                                      \
	"	cvt.u64.u32 %h, %head;\n"                                                           \
	"	setp.lt.u64 %more, %i, %n;\n"                                                       \
	"	shl.b64 %o, %i, " shift ";\n"                                                      \
	"	add.u64 %o, %o, %h;\n"                                                              \
	"	shl.b64 %end, %n, " shift ";\n"                                                    \
	"	add.u64 %end, %end, %h;\n"                                                          \
	"	ld.param.u64 %to, [to];\n"                                                          \
	"	cvta.to.global.u64 %to, %to;\n"                                                     \
	"	add.u64 %d, %to, %o;\n"

/* Thread t of the first block moves byte t of the head and of the tail. The argument `byte` is the
 * code that moves the byte at offset %w. */
#define ENDS(byte)                                                                                 \
	"	setp.ne.u32 %p, %b, 0;\n"                                                           \
	"	@%p bra done;\n"                                                                    \
	"	setp.ge.u32 %p, %t, %head;\n"                                                       \
	"	@%p bra behind;\n" byte "behind:\n"                                                \
	"	setp.ge.u32 %p, %t, %tail;\n"                                                       \
	"	@%p bra done;\n"                                                                    \
	"	add.u64 %w, %w, %end;\n" byte "done:\n"                                            \
	"	ret;\n"                                                                             \
	"}\n"

#define COPY_BYTE                                                                                  \
	"	add.u64 %d, %to, %w;\n"                                                             \
	"	add.u64 %s, %from, %w;\n"                                                           \
	"	ld.global.u8 %x, [%s];\n"                                                           \
	"	st.global.u8 [%d], %x;\n"

/* Selects the byte of the fill word by the low two address bits. */
#define FILL_BYTE                                                                                  \
	"	add.u64 %d, %to, %w;\n"                                                             \
	"	cvt.u32.u64 %x, %d;\n"                                                              \
	"	and.b32 %x, %x, 3;\n"                                                               \
	"	shl.b32 %x, %x, 3;\n"                                                               \
	"	shr.u32 %x, %v0, %x;\n"                                                             \
	"	st.global.u8 [%d], %x;\n"

#define COPY(name, shift, load, store)                                                             \
	".visible .entry " name "(.param .u64 to, .param .u64 from, .param .u32 head, "            \
	".param .u64 units, .param .u32 tail)\n"                                                   \
	"	.maxntid 512, 1, 1\n"                                                               \
	"{\n" THREAD_PROLOGUE(shift)                                                               \
	"	ld.param.u64 %from, [from];\n"                                                      \
	"	cvta.to.global.u64 %from, %from;\n"                                                 \
	"	add.u64 %s, %from, %o;\n"                                                           \
	"	@!%more bra ends;\n"                                                                \
	"	" load ";\n"                                                                        \
	"	" store ";\n"                                                                       \
	"ends:\n" ENDS(COPY_BYTE)

const char memory_kernels[] =
	".version 8.0\n"
	".target sm_80\n"
	".address_size 64\n"
	COPY("sov_copy", "4", "ld.global.v4.u32 {%v0, %v1, %v2, %v3}, [%s]",
	     "st.global.v4.u32 [%d], {%v0, %v1, %v2, %v3}")
	COPY("sov_copy_words", "2", "ld.global.u32 %v0, [%s]", "st.global.u32 [%d], %v0")
	".visible .entry sov_fill(.param .u64 to, .param .u32 head, .param .u64 units, .param .u32 tail, "
	".param .u32 word)\n"
	"	.maxntid 512, 1, 1\n"
	"{\n" THREAD_PROLOGUE("4")
	"	ld.param.u32 %v0, [word];\n"
	"	@!%more bra ends;\n"
	"	st.global.v4.u32 [%d], {%v0, %v0, %v0, %v0};\n"
	"ends:\n" ENDS(FILL_BYTE);
