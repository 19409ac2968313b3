/* SPDX-License-Identifier: MIT */
/* Small kernels for the tests of the public API. */
#ifndef TESTS_API_PTX_H
#define TESTS_API_PTX_H

#define PTX_HEADER ".version 8.0\n.target sm_80\n.address_size 64\n"

/* *p += n: right only if launches of one stream execute one after the other. */
#define PTX_ADD \
	PTX_HEADER \
	".visible .entry add(.param .u64 p, .param .u32 n) {\n" \
	"	.reg .b32 %r<4>;\n" \
	"	.reg .b64 %a<3>;\n" \
	"	ld.param.u64 %a1, [p];\n" \
	"	ld.param.u32 %r1, [n];\n" \
	"	cvta.to.global.u64 %a2, %a1;\n" \
	"	ld.global.u32 %r2, [%a2];\n" \
	"	add.u32 %r3, %r2, %r1;\n" \
	"	st.global.u32 [%a2], %r3;\n" \
	"	ret;\n" \
	"}\n"

/* gate runs until *gate is not 0 and stores it in *out; open sets it. */
#define PTX_GATE \
	PTX_HEADER \
	".visible .entry gate(.param .u64 gate, .param .u64 out) {\n" \
	"	.reg .pred %p<2>;\n" \
	"	.reg .b32 %r<2>;\n" \
	"	.reg .b64 %a<5>;\n" \
	"	ld.param.u64 %a1, [gate];\n" \
	"	ld.param.u64 %a2, [out];\n" \
	"	cvta.to.global.u64 %a3, %a1;\n" \
	"	cvta.to.global.u64 %a4, %a2;\n" \
	"again:\n" \
	"	ld.volatile.global.u32 %r1, [%a3];\n" \
	"	setp.eq.u32 %p1, %r1, 0;\n" \
	"	@%p1 bra again;\n" \
	"	st.global.u32 [%a4], %r1;\n" \
	"	ret;\n" \
	"}\n" \
	".visible .entry open(.param .u64 gate, .param .u32 n) {\n" \
	"	.reg .b32 %r<2>;\n" \
	"	.reg .b64 %a<3>;\n" \
	"	ld.param.u64 %a1, [gate];\n" \
	"	ld.param.u32 %r1, [n];\n" \
	"	cvta.to.global.u64 %a2, %a1;\n" \
	"	st.volatile.global.u32 [%a2], %r1;\n" \
	"	ret;\n" \
	"}\n"

#endif
