/* SPDX-License-Identifier: MIT */
/*
 * Code of single threads of random kernels (_random.h): rows of PTX with slots to fill in. Every
 * row has one defined result: no division by zero, no NaN whose bits hardware may choose, no sum
 * that may be fused with a product, no memory that another thread writes, except commutatively.
 * Rows also avoid PTX that ptxas 13.0 compiles against the manual (docs/evidence.md).
 *
 *	$r $l $h $p     registers of 32, 64, 16 bits, predicates; $R $L: or a number
 *	$f              a register for a single whose NaN is canonical on NVIDIA hardware only
 *	$T $d $a $A     one of the row's types; a register of it; the same; or a number
 *	$b $w           the type's width in bits; a register of twice the width
 *	$S $M           a state space and a private address in it; $G: not local memory
 *	$o4             an offset there, aligned to that number of bytes
 *	$2 $4 $D        distinct registers: two, four of 32 bits, two of 64, in braces
 *	$5 $8           a number of that many bits
 *	<a|b|c>         one of these
 */
#ifndef TESTS_COMPILER_RANDOM_OPERATIONS_H
#define TESTS_COMPILER_RANDOM_OPERATIONS_H

#include <stddef.h>

#define INTEGERS      "u16 s16 u32 s32 u64 s64"
#define ROUND         "<.rn|.rz|.rm|.rp>"
#define FLOAT_COMPARE "<eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan>"

/* Hardware may propagate the payload of a NaN; these macros canonicalise it. */
#define F16(operation) \
	"{.reg .b16 d; .reg .pred n; " operation \
	" setp.nan.f16 n, d, d; selp.b16 $h, 0x7FFF, d, n;}"
#define F32(operation) \
	"{.reg .f32 d; .reg .pred n; " operation \
	" setp.nan.f32 n, d, d; selp.f32 $r, 0f7FFFFFFF, d, n;}"
#define F64(operation) \
	"{.reg .f64 d; .reg .pred n; " operation \
	" setp.nan.f64 n, d, d; selp.f64 $l, 0d7FF8000000000000, d, n;}"
/* Integral numbers, so no NaN, in a register x. */
#define BF16(operation) \
	"{.reg .b16 x; .reg .f32 f; cvt.rn.f32.s16 f, $h; cvt.rn.bf16.f32 x, f; " operation "}"
/* A private address from a register, in j. */
#define INDEXED(mask, operation) \
	"{.reg .b32 i; .reg .b64 j; and.b32 i, $r, " mask \
	"; cvt.u64.u32 j, i; add.s64 j, j, $M; " operation "}"

static const struct random_row {
	const char *types, *text;
} random_rows[] = {
	/* integers */
	{INTEGERS, "<add|sub|mul.lo|min|max>.$T $d, $a, $A;"},
	{INTEGERS, "<add|sub|mul.lo|mul.hi|min|max>.$T $d, $a, $a;"},
	{INTEGERS, "mad.<lo|hi>.$T $d, $a, $a, $A;"},
	{INTEGERS, "sad.$T $d, $a, $a, $a;"},
	{"u16 s16 u32 s32", "mul.wide.$T $w, $a, $A;"},
	{"u16 s16 u32 s32", "mad.wide.$T $w, $a, $a, $w;"},
	{"s16 s32 s64", "<abs|neg>.$T $d, $a;"},
	{"s32", "<add|sub>.sat.s32 $d, $a, $A;"},
	{"s32", "mad.hi.sat.s32 $d, $a, $a, $a;"},
	{"u32 s32", "mul24.<lo|hi>.$T $d, $a, $a;"},
	{"u32 s32", "mad24.<lo|hi>.$T $d, $a, $a, $a;"},
	{"u16 u32 u64", "{.reg .b$b e; or.b$b e, $a, 1; <div|rem>.$T $d, $a, e;}"},
	{"s16 s32 s64",
	 "{.reg .b$b n, e; shr.$T n, $a, 1; or.b$b e, $a, 1; <div|rem>.$T $d, n, e;}"},
	{INTEGERS, "<div|rem>.$T $d, $a, <1|2|3|5|7|10|12|16|100|641|1000|4096|12345|32767>;"},
	{"s16 s32 s64", "<div|rem>.$T $d, $a, <-2|-3|-7|-12|-64|-1000|-32768>;"},
	{"u32", "add.cc.u32 $r, $r, $R; addc.cc.u32 $r, $r, $r; addc.u32 $r, $r, $R;"},
	{"u32", "sub.cc.u32 $r, $r, $R; subc.cc.u32 $r, $r, $r; subc.u32 $r, $r, $r;"},
	{"u32", "mad.lo.cc.u32 $r, $r, $r, $r; madc.hi.cc.u32 $r, $r, $r, $r; addc.u32 $r, $r, 0;"},
	{"u64", "add.cc.u64 $l, $l, $l; addc.u64 $l, $l, $L;"},
	{"u64", "sub.cc.u64 $l, $l, $L; subc.u64 $l, $l, $l;"},
	/* bits */
	{"b16 b32 b64", "<and|or|xor>.$T $d, $a, $A;"},
	{"b16 b32 b64", "<not|cnot>.$T $d, $a;"},
	{"b16 b32 b64", "shl.$T $d, $a, <$r|$5>;"},
	{INTEGERS, "shr.$T $d, $a, <$r|$5>;"},
	{"b32", "shl.b32 $d, $a, $R;"},
	{"u32 s32", "shr.$T $d, $a, $R;"},
	{"b16 b32 b64", "mov.$T $d, $a;"},
	{"u32 u64", "mov.$T $d, $A;"},
	{"b32 b64", "<popc|clz>.$T $r, $a;"},
	{"b32 b64", "brev.$T $d, $a;"},
	{"u32 s32 u64 s64", "bfind<|.shiftamt>.$T $r, $a;"},
	{"u32 s32 u64 s64", "bfe.$T $d, $a, $5, $8;"},
	{"u32 s32 u64 s64",
	 "{.reg .b32 x, y; and.b32 x, $r, 31; and.b32 y, $r, 31; bfe.$T $d, $a, x, y;}"},
	{"b32 b64", "bfi.$T $d, $a, $a, $5, $5;"},
	{"b32 b64", "{.reg .b32 x, y; and.b32 x, $r, <63|255>; and.b32 y, $r, <31|255>; bfi.$T $d, "
		    "$a, $a, x, y;}"},
	{"b32", "lop3.b32 $r, $r, $r, $r, $8;"},
	{"b32", "shf.<l|r>.<wrap|clamp>.b32 $r, $r, $r, $R;"},
	{"b32", "prmt.b32<|.f4e|.b4e|.rc8|.ecl|.ecr|.rc16> $r, $r, $r, $R;"},
	{"u32 s32", "szext.<clamp|wrap>.$T $r, $r, $R;"},
	{"b32", "bmsk.<clamp|wrap>.b32 $r, $r, $R;"},
	{"b32", "dp4a.<u32|s32>.<u32|s32> $r, $r, $r, $r;"},
	{"b32", "dp2a.<lo|hi>.<u32|s32>.<u32|s32> $r, $r, $r, $r;"},
	{"b64", "mov.b64 $l, {$r, $r};"},
	{"b64", "mov.b64 $2, $l;"},
	{"b32", "mov.b32 $r, {$h, $h};"},
	{"b64", "mov.b64 $l, {$h, $h, $h, $h};"},
	{"b32", "{.reg .b16 x, y; mov.b32 {x, y}, $r; xor.b16 $h, x, y;}"},
	/* halves */
	{"f16 f16x2", "<add|sub|mul>.rn<|.ftz><|.sat>.$T $d, $a, $a;"},
	{"f16 f16x2", "fma.rn<|.ftz><|.sat|.relu>.$T $d, $a, $a, $a;"},
	{"bf16 bf16x2", "fma.rn<|.relu>.$T $d, $a, $a, $a;"},
	{"f16", "<min|max><|.ftz><|.NaN>.f16 $h, %h<0|1>, %h<2|3>;"},
	{"bf16", "<min|max><|.NaN>.bf16 $h, %h<0|1>, %h<2|3>;"},
	{"f16x2", "<min|max><|.ftz><|.NaN>.f16x2 $r, %r<0|2|4|6>, %r<1|3|5|7>;"},
	{"bf16x2", "<min|max><|.NaN>.bf16x2 $r, %r<0|2|4|6>, %r<1|3|5|7>;"},
	{"f16", F16("<neg|abs><|.ftz>.f16 d, $h;")},
	{"bf16", BF16("<neg|abs>.bf16 $h, x;")},
	{"f16", F16("cvt" ROUND "<|.sat>.f16.<s16|u16> d, $h;")},
	{"f16", F16("cvt" ROUND ".f16.<s32|u32> d, $r;")},
	{"f16", F16("cvt" ROUND ".f16.<s64|u64> d, $l;")},
	{"f16", F16("cvt<.rn|.rz><|.ftz><|.sat>.f16.f32 d, $r;")},
	{"f16", F16("cvt.rn.f16.f64 d, $l;")},
	{"f16", F16("cvt<.rni|.rzi|.rmi|.rpi>.f16.f16 d, $h;")},
	{"f16", F32("cvt<|.ftz><|.sat>.f32.f16 d, $h;")},
	{"f16", F64("cvt.f64.f16 d, $h;")},
	{"f16", "cvt<.rni|.rzi|.rmi|.rpi>.<s16|u16>.f16 $h, $h;"},
	{"f16", "cvt<.rni|.rzi|.rmi|.rpi>.<s32|u32>.f16 $r, $h;"},
	{"f16x2", "cvt<.rn|.rz><|.relu>.<f16x2|bf16x2>.f32 $r, $r, $r;"},
	{"bf16", "cvt<.rn|.rz><|.relu>.bf16.f32 $h, $r;"},
	{"f16", "setp." FLOAT_COMPARE "<|.ftz>.f16 $p, $h, $h;"},
	{"f16x2", "setp." FLOAT_COMPARE "<|.ftz>.f16x2 %p1|%p6, $r, $r;"},
	{"f16", "set." FLOAT_COMPARE ".<u32|s32>.f16 $r, $h, $h;"},
	/* floats */
	{"f32", "<add|sub|mul>" ROUND "<|.ftz><|.sat>.f32 $f, $r, $r;"},
	{"f32", "fma" ROUND "<|.ftz><|.sat>.f32 $f, $r, $r, $r;"},
	{"f32",
	 "<add|mul>.rn.f32 $f, $r, <0f3F800000|0fBF000000|0f40490FDB|0f7F800000|0f00000001>;"},
	{"f32", "<min|max><|.ftz><|.NaN>.f32 $r, %r<0|2|4|6|8|10>, %r<1|3|5|7|9|11>;"},
	{"f32", F32("<neg|abs><|.ftz>.f32 d, $r;")},
	{"f32", F32("copysign.f32 d, $r, $r;")},
	{"f32", "div" ROUND "<|.ftz>.f32 $f, $r, $r;"},
	{"f32", "<rcp|sqrt>" ROUND "<|.ftz>.f32 $f, $r;"},
	{"f64", F64("<add|sub|mul|div>" ROUND ".f64 d, $l, $l;")},
	{"f64", F64("fma" ROUND ".f64 d, $l, $l, $l;")},
	{"f64", F64("<rcp|sqrt>" ROUND ".f64 d, $l;")},
	{"f64", F64("<min|max>.f64 d, $l, $l;")},
	{"f64", F64("<neg|abs>.f64 d, $l;")},
	{"f64", F64("<add|mul>.rn.f64 d, $l, "
		    "<0d3FF8000000000000|0dBFD5555555555555|0d0000000000000001>;")},
	{"f32 f64", "testp.<finite|infinite|number|notanumber|normal|subnormal>.$T $p, $a;"},
	{"f32", "setp." FLOAT_COMPARE "<|.ftz>.f32 $p, $r, $r;"},
	{"f32", "setp." FLOAT_COMPARE "<|.ftz><.and|.or|.xor>.f32 $p, $r, $r, $p;"},
	{"f64", "setp." FLOAT_COMPARE ".f64 $p, $l, $l;"},
	{"f32 f64", "set." FLOAT_COMPARE ".<u32|s32|f32>.$T $r, $a, $a;"},
	{"f32", "slct.<b32|f32|s32>.f32 $r, $r, $r, $r;"},
	/* conversions */
	{"s8 u8 s16 u16 s32 u32", "cvt.$T.<s8|u8|s16|u16|s32|u32> $r, $r;"},
	{"s8 u8 s16 u16", "cvt.sat.$T.<s32|u32> $r, $r;"},
	{"s32 u32", "cvt.sat.$T.<s64|u64> $r, $l;"},
	{"s64 u64", "cvt.$T.<s8|u8|s16|u16|s32|u32> $l, $r;"},
	{"s8 u8 s16 u16 s32 u32", "cvt.$T.<s64|u64> $r, $l;"},
	{"s16 u16", "cvt.$T.<s32|u32> $h, $r;"},
	{"s32 u32", "cvt.$T.<s16|u16> $r, $h;"},
	{"s8 u8 s16 u16 s32 u32", "cvt" ROUND "<|.sat>.f32.$T $r, $r;"},
	{"s64 u64", "cvt" ROUND ".<f32.$T $r|f64.$T $l>, $l;"},
	{"s32 u32", "cvt" ROUND ".f64.$T $l, $r;"},
	{"s16 u16 s32 u32", "cvt<.rni|.rzi|.rmi|.rpi><|.ftz>.$T.f32 $r, $r;"},
	{"s64 u64", "cvt<.rni|.rzi|.rmi|.rpi>.$T.f32 $l, $r;"},
	{"s32 u32", "cvt<.rni|.rzi|.rmi|.rpi>.$T.f64 $r, $l;"},
	{"s64 u64", "cvt<.rni|.rzi|.rmi|.rpi>.$T.f64 $l, $l;"},
	{"f32", F32("cvt<.rni|.rzi|.rmi|.rpi><|.ftz>.f32.f32 d, $r;")},
	{"f64", F64("cvt<.rni|.rzi|.rmi|.rpi>.f64.f64 d, $l;")},
	{"f64", F64("cvt<|.ftz>.f64.f32 d, $r;")},
	{"f32", F32("cvt" ROUND "<|.ftz><|.sat>.f32.f64 d, $l;")},
	/* comparisons and selects */
	{"s16 s32 s64", "setp.<eq|ne|lt|le|gt|ge>.$T $p, $a, $A;"},
	{"u16 u32 u64", "setp.<eq|ne|lo|ls|hi|hs|lt|ge>.$T $p, $a, $A;"},
	{"s16 s32 u32 s64", "setp.<eq|ne|lt|le|gt|ge><.and|.or|.xor>.$T $p, $a, $A, <|!>$p;"},
	{"b16 b32 b64", "setp.<eq|ne>.$T %p2|%p5, $a, $A;"},
	{"s32 u64", "setp.<lt|gt><.and|.or|.xor>.$T %p7|%p0, $a, $A, !$p;"},
	{"u16 s32 u64", "set.<eq|ne|lt|ge>.<u32|s32|f32>.$T $r, $a, $A;"},
	{"b1", "<and|or|xor>.pred $p, $p, $p;"},
	{"b1", "<not|mov>.pred $p, $p;"},
	{"b16 b32 b64", "selp.$T $d, $a, $A, $p;"},
	{"b16 b32 b64", "slct.$T.s32 $d, $a, $a, $r;"},
	/* private memory of the thread */
	{"u32 s32 b32 f32", "ld$S.$T $r, [$M+$o4];"},
	{"u32 s32 b32 f32", "st$S.$T [$M+$o4], $r;"},
	{"u8 s8", "ld$S.$T $r, [$M+$o1];"},
	{"u8 s8", "st$S.$T [$M+$o1], $r;"},
	{"u16 s16", "ld$S.$T $r, [$M+$o2];"},
	{"u16 b16", "<ld$S.$T $h, [$M+$o2]|st$S.$T [$M+$o2], $h>;"},
	{"u64 s64 b64 f64", "ld$S.$T $l, [$M+$o8];"},
	{"u64 s64 b64 f64", "st$S.$T [$M+$o8], $l;"},
	{"u32 f32", "ld$S.v2.$T $2, [$M+$o8];"},
	{"u32 f32", "ld$S.v4.$T $4, [$M+$o16];"},
	{"u64 f64", "ld$S.v2.$T $D, [$M+$o16];"},
	{"u32 f32", "st$S.v2.$T [$M+$o8], {$r, $r};"},
	{"u32 f32", "st$S.v4.$T [$M+$o16], {$r, $r, $r, $r};"},
	{"u64 f64", "st$S.v2.$T [$M+$o16], {$l, $l};"},
	{"u16", "st$S.v2.u16 [$M+$o4], {$h, $h};"},
	{"u8", "ld$S.v2.u8 {%h0, %h2}, [$M+$o2];"},
	{"u32", "ld.volatile$G.u32 $r, [$M+$o4];"},
	{"u32", "st.volatile$G.u32 [$M+$o4], $r;"},
	{"u32", "ld.<relaxed|acquire>.<cta|gpu|sys>$G.u32 $r, [$M+$o4];"},
	{"u64", "st.<relaxed|release>.<cta|gpu|sys>$G.u64 [$M+$o8], $l;"},
	{"u32", "ld.global<.ca|.cg|.cs|.cv|.lu>.u32 $r, [%own+$o4];"},
	{"u32", "st.global<.wb|.cg|.cs|.wt>.u32 [%own+$o4], $r;"},
	{"u32", INDEXED("60", "ld$S.u32 $r, [j];")},
	{"u32", INDEXED("60", "st$S.u32 [j], $r;")},
	{"u64", INDEXED("56", "ld$S.u64 $l, [j];")},
	{"u64", INDEXED("56", "st$S.u64 [j], $l;")},
	{"u8", INDEXED("63", "<ld$S.s8 $r, [j]|st$S.u8 [j], $r>;")},
	{"u32",
	 "<ld.local.u32 $r, [kept+$o4]|st.local.u32 [kept+$o4], $r|st.local.u8 [kept+$o1], $r>;"},
	{"u64", "<ld.local.v2.u32 $2, [kept+$o8]|st.local.u64 [kept+$o8], $l|ld.local.u64 $l, "
		"[kept+$o8]>;"},
	{"u32", "selp.b64 %any, <%any|%own_any|%mine_any>, <%any|%stack_any|%heap_any>, $p;"},
	{"u32", "selp.b64 %far, <%far|%own_any>, <%mine_any|%heap_any>, $p;"},
	{"u32", "isspacep.<global|shared|local> $p, %any;"},
	/* read-only memory */
	{"u32", "{.reg .b32 i; .reg .b64 j; and.b32 i, $r, 63; mad.wide.u32 j, i, 8, %input; "
		"ld.global<|.nc>.u64 $l, [j];}"},
	{"u32", "{.reg .b32 i; .reg .b64 j; and.b32 i, $r, 63; mad.wide.u32 j, i, 8, %input; "
		"ld.global.u32 $r, [j+4];}"},
	{"u32", "<ld.const.u32 $r, [constants+$o4]|ld.const.s8 $r, [constants+$o1]|ld.const.u64 "
		"$l, [constants+$o8]>;"},
	{"u32", "ld.const.v4.u32 $4, [constants+$o16];"},
	{"u32", "{.reg .b32 i; .reg .b64 j, c; and.b32 i, $r, 60; cvt.u64.u32 j, i; mov.u64 c, "
		"constants; add.s64 j, j, c; "
		"<ld.const.u32 $r, [j]|cvta.const.u64 j, j; ld.u32 $r, [j]>;}"},
	/* atomics */
	{"u32 s32 u64",
	 "atom<|.relaxed|.acq_rel|.acquire|.release><|.cta|.gpu|.sys>$G.add.$T $d, [$M+$o8], $a;"},
	{"u32 s32 u64 s64", "atom$G.<min|max>.$T $d, [$M+$o8], $a;"},
	{"b32 b64", "atom$G.<and|or|xor|exch>.$T $d, [$M+$o8], $a;"},
	{"b16 b32 b64", "atom$G.cas.$T $d, [$M+$o8], $a, $a;"},
	{"u32", "atom$G.<inc|dec>.u32 $r, [$M+$o4], $r;"},
	{"u32 u64", "red$G.add.$T [$M+$o8], $a;"},
	{"b32 b64", "red<|.cta|.gpu>$G.<and|or|xor>.$T [$M+$o8], $a;"},
	{"f32", "{.reg .f32 x, y; cvt.rn.f32.s16 x, $h; cvt.rn.f32.s32 y, $r; st$G.f32 [$M+8], x; "
		"atom$G.add.f32 $r, [$M+8], y;}"},
	{"f64", "{.reg .f64 x, y; cvt.rn.f64.s32 x, $r; cvt.rn.f64.s32 y, $r; st$G.f64 [$M+8], x; "
		"atom$G.add.f64 $l, [$M+8], y;}"},
	{"f16x2",
	 "{.reg .b32 x, y; .reg .b16 f; cvt.rn.f16.s16 f, $h; mov.b32 x, {f, f}; mov.b32 y, "
	 "0x3C00C000; "
	 "and.b32 x, x, 0xbfffbfff; st$G.b32 [$M+4], x; atom$G.add.noftz.f16x2 $r, [$M+4], y;}"},
	/* commutative updates by all threads */
	{"u32", "red.global.add.u32 [%common+4], $r;"},
	{"u64", "red.global.max.u64 [%common+8], $l;"},
	{"s32", "red.global.min.s32 [%common+16], $r;"},
	{"b32", "red.global.or.b32 [%common+20], $r;"},
	{"b64", "red.global.and.b64 [%common+24], $l;"},
	{"b32", "red.global.xor.b32 [%common+32], $r;"},
	{"u64", "red<|.relaxed|.release>.global.add.u64 [%common+40], $l;"},
	{"u32", "red.global.inc.u32 [%common+48], 1000;"},
	{"u32", "red.shared.add.u32 [tally], $r;"},
	{"u32", "red.shared.max.u32 [tally+4], $r;"},
	{"u64", "red.shared.xor.b64 [tally+8], $l;"},
	/* others */
	{"u32", "<fence.acq_rel.cta|fence.sc.gpu|membar.gl|membar.cta>;"},
	{"u32", "mov.u32 $r, "
		"<%lanemask_lt|%lanemask_ge|%nctaid.x|%ctaid.x|%tid.x|%tid.y|%ntid.z|WARP_SZ>;"},
	{"u32", "{.reg .b32 d; call (d), mix, ($r, $r); mov.b32 $r, d;}"},
	{"u32", "{.reg .b32 d; call (d), mix, ($R, 3); mov.b32 $r, d;}"},
	{"u32", "{.param .align 8 .b8 x[16], y[16]; st.param.b64 [x], $l; st.param.b32 [x+8], $r; "
		"st.param.b32 [x+12], $r; "
		"call (y), turn, (x); ld.param.b64 $l, [y+8]; ld.param.b32 $r, [y+4];}"},
};

#define RANDOM_ROWS (sizeof(random_rows) / sizeof(random_rows[0]))

/* 128-bit atomics on Hopper: a compare-and-swap removes what an exchange stored, and a second one
 * fails. Only some kernels have it (RANDOM_WIDE), so that the numbers of all others keep their
 * meaning. */
static const struct random_row random_wide_row = {
	"b64",
	"{.reg .b64 j, x, y; ld$G.b64 x, [$M]; add.s64 j, $M, $o16; ld$G.v2.b64 {x, y}, "
	"[j]; st$G.v2.b64 [j], $D;\n" AGREE_HOPPER "{.reg .b128 a, b, c; mov.b128 b, {x, y}; "
	"atom<|.relaxed.gpu|.acq_rel.cta>$G.exch.b128 c, [j], b; "
	"atom$G.cas.b128 a, [j], b, c; atom<|.acquire.sys>$G.cas.b128 c, [j], b, b; "
	"mov.b128 {x, y}, a;}\n"
	"mov.b64 $l, x; xor.b64 $l, $l, y;}"};
#define RANDOM_WIDE(number) ((number) % 256 == 177)

#endif
