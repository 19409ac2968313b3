// SPDX-License-Identifier: MIT
/*
 * The instruction table: one row per form, in the notation of the PTX manual. {} is optional, a
 * group such as .rnd stands for a choice, every other keyword for itself. Modifiers may come in any
 * order, but types (of cvt) only in the row's order.
 *
 * The second string holds what the manual states in prose, as clauses "names = meaning":
 *
 *   .type = .u32 .s32     the choices of a group, if not all that keywords.c lists
 *   b c = .u32            the type of these operands, if not the instruction's
 *   d = twice .type       twice as wide
 *   d = .type or wider    a register may be wider: loads extend, stores and conversions truncate
 *   a = .type or special  also a special register
 *   a = .type or variable also the address of a variable or parameter
 *   d = .type or parts    also a vector whose elements together have this width
 *   d = .type or vector   with .v2 or .v4, a vector of that many elements
 *   d = .type or nothing  also _
 *   a = .type or selected also a part of a register, such as r.b0
 *   a = .type or minus    also -r
 *   a = .type or predicate  also a predicate
 *   a = .type or fragment a vector of registers that hold parts of a matrix
 *   a = .type or words    a vector of .b32 that hold parts of a matrix
 *   a = unified           also [a].unified
 *   tgt = label           tlist = targets: a .branchtargets list
 *
 * d, p and q are written, all others read; brackets are an address. Operands after c are named e
 * to h, whatever the manual names them. The row ends with the function that lowers it and its main
 * IR operation.
 */
#include "libsov/compiler/ptx/front_end.h"

#define UNSIGNED ".u16 .u32 .u64"
#define SIGNED   ".s16 .s32 .s64"
#define INTEGER  UNSIGNED " " SIGNED
#define WORDS    ".u32 .s32 .u64 .s64"
#define BITS     ".b16 .b32 .b64"
#define F16      ".f16 .f16x2"
#define BF16     ".bf16 .bf16x2"
#define HALVES   F16 " " BF16
#define MEMORY   ".b8 .b16 .b32 .b64 .u8 .u16 .u32 .u64 .s8 .s16 .s32 .s64 .f32 .f64"
#define BYTES    ".u8 .u16 .u32 .u64 .s8 .s16 .s32 .s64"
#define BYTEPAIRS ".e4m3x2 .e5m2x2"
#define FLOATS   ".f16 .bf16 .f32 .f64"
#define ORDERED  ".eq .ne .lt .le .gt .ge"
#define FLOATCMP ORDERED " .equ .neu .ltu .leu .gtu .geu .num .nan"

#define POLICY "policy = .b64; "
#define VECTOR ".vec = .v2 .v4; "
#define LEVELS ".prefetch = .L2::64B .L2::128B .L2::256B; "
#define LOAD   POLICY LEVELS VECTOR ".type = " MEMORY " .b128; d = .type or wider or vector; a = unified; "
#define STORE  POLICY VECTOR ".type = " MEMORY " .b128; b = .type or wider or vector; "
#define LOADED ".cop = .ca .cg .cs .lu .cv; "
#define STORED ".cop = .wb .cg .cs .wt; "
#define SETP   "p q = .pred or nothing; c = .pred; "
#define SET    "a b = .atype; c = .pred; "
#define SET_WORD ".dtype = .u32 .s32 .f32 .f16 .bf16; "
#define SET_HALF ".u16 .s16 .u32 .s32"
#define CVT    "d = .dtype or wider; a = .atype or wider or special; "

#define SPACES  ".global .shared .shared::cta .shared::cluster"
#define SCOPES  ".scope = .cta .cluster .gpu .sys; "
#define ORDERED_LOAD  SCOPES ".sem = .relaxed .acquire; "
#define ORDERED_STORE SCOPES ".sem = .relaxed .release; "
#define ATOM_IN POLICY ".ss = " SPACES "; " SCOPES "d = .type or nothing or vector; b = .type or vector; "
#define ATOM    ATOM_IN ".sem = .relaxed .acquire .release .acq_rel; "
#define RED     ATOM_IN ".sem = .relaxed .release; "

#define COPY POLICY "c = .u32; e = .u32 or predicate; .cop = .ca .cg; " \
	".ss = .shared .shared::cta; .prefetch = .L2::64B .L2::128B .L2::256B"

#define BULK_FROM POLICY "c = .u32; "
#define MAP_SPACE ".ss = .global .shared::cta; "
#define TENSOR POLICY ".ss = .shared::cta .shared::cluster; c = .b32 or fragment; "
#define TENSOR_DIMS ".dim = .1d .2d .3d .4d .5d; "
#define TENSOR_OPS ".op = .add .min .max .inc .dec .and .or .xor"
#define IM2COL_DIMS ".dim = .3d .4d .5d; "
#define BULK BULK_FROM ".ss = .shared::cta .shared::cluster"

#define RED_ASYNC ".ss = .shared::cluster; b = .type; "
#define MBARRIER        ".ss = .shared .shared::cta; b = .u32"
#define MBARRIER_SCOPES ".scope = .cta .cluster; "
#define MBARRIER_BYTES  ".ss = .shared .shared::cta .shared::cluster; " MBARRIER_SCOPES ".sem = .relaxed; b = .u32"
#define MBARRIER_ARRIVE ".ss = .shared .shared::cta .shared::cluster; " MBARRIER_SCOPES ".sem = .release .relaxed; d = .b64 or nothing; b = .u32"
#define MBARRIER_OWN    ".ss = .shared .shared::cta; .scope = .cta; .sem = .release; d = .b64 or nothing; b = .u32"
#define MBARRIER_WAIT   ".ss = .shared .shared::cta; " MBARRIER_SCOPES ".sem = .acquire .relaxed; p = .pred; "

#define MATRIX_F32   "d c = .f32 or fragment; a b = .b32 or fragment"
#define MATRIX_WORDS "d a b c = .b32 or fragment"
#define LDMATRIX     "d = .b32 or fragment; .ss = .shared .shared::cta"
#define STMATRIX     "b = .b32 or fragment; .ss = .shared .shared::cta"
#define LAYOUTS      ".layout = .row .col; .blayout = .row .col; "
#define WMMA_SHAPES  ".shape = .m16n16k16 .m32n8k16 .m8n32k16; "
#define WMMA         LAYOUTS WMMA_SHAPES
#define WMMA_SMALL   ".ss = .global .shared .shared::cta; b = .u32; "
#define WMMA_IN      ".layout = .row .col; .ss = .global .shared .shared::cta; b = .u32; "
#define WMMA_OUT     ".layout = .row .col; .ss = .global .shared .shared::cta; c = .u32; "
#define WMMA_LOAD    WMMA_IN WMMA_SHAPES
#define WMMA_STORE   WMMA_OUT WMMA_SHAPES
#define MATRIX_F64   "d a b c = .f64 or fragment; .rnd = .rn"
#define MATRIX_BYTES MATRIX_WORDS "; .atype = .u8 .s8; .btype = .u8 .s8"
#define SPARSE       ".sparse = .sp .sp::ordered_metadata; e f = .b32; "
#define FLOATS8      "; .atype = .e4m3 .e5m2; .btype = .e4m3 .e5m2"
#define MATRIX_BITS  MATRIX_WORDS "; .BoolOp = .and .xor"
#define MATRIX_NIBBLES MATRIX_WORDS "; .atype = .u4 .s4; .btype = .u4 .s4"

#define GROUP_SHAPES_SMALL(k) ".shape = .m64n8k" k " .m64n16k" k " .m64n24k" k " .m64n32k" k
#define GROUP_SHAPES_EVEN(k) " .m64n48k" k " .m64n64k" k " .m64n80k" k " .m64n96k" k " .m64n112k" k \
	" .m64n128k" k " .m64n144k" k " .m64n160k" k " .m64n176k" k " .m64n192k" k " .m64n208k" k \
	" .m64n224k" k " .m64n240k" k " .m64n256k" k
#define GROUP_SHAPES_ODD(k) " .m64n40k" k " .m64n56k" k " .m64n72k" k " .m64n88k" k " .m64n104k" k \
	" .m64n120k" k " .m64n136k" k " .m64n152k" k " .m64n168k" k " .m64n184k" k " .m64n200k" k \
	" .m64n216k" k " .m64n232k" k " .m64n248k" k
#define GROUP_COMMON "a = .b64 or words; b = .b64; c = .pred; e f g h = .s32; "
#define GROUP(k)     GROUP_COMMON GROUP_SHAPES_SMALL(k) GROUP_SHAPES_EVEN(k) GROUP_SHAPES_ODD(k)
#define GROUP_INTEGER(k) "d = .b32 or fragment; " GROUP_COMMON GROUP_SHAPES_SMALL(k) GROUP_SHAPES_EVEN(k)
#define GROUP_SPARSE "metadata = .b32; selector = .u32; "
#define GROUP_F32(k) "d = .f32 or fragment; " GROUP(k)
#define GROUP_F16(k) "d = .b32 or fragment; " GROUP(k)

#define TEXTURES ".geom = .1d .2d .3d .a1d .a2d; "
#define CUBES    ".geom = .cube .acube; "
#define PLANES   ".geom = .2d .a2d .cube .acube; "
#define SAMPLED  "d = .dtype or vector; b = .b32 or fragment; "
#define SAMPLED_WORDS SAMPLED ".vec = .v4; .dtype = .u32 .s32 .f32; "
#define SAMPLED_HALVES SAMPLED ".vec = .v4; .dtype = .f16; "
#define SAMPLED_PAIRS SAMPLED ".vec = .v2; .dtype = .f16x2; "
#define EXTRAS   "p = .pred; f = .b32 or fragment; g = .f32; "
#define GRADIENTS "c e = .f32 or fragment"
#define SURFACE  TEXTURES ".bounds = .trap .clamp .zero; b = .b32 or fragment; "
#define SURFACE_ELEMENTS SURFACE VECTOR ".type = .b8 .b16 .b32 .b64; "

#define POLICIES ".prefetch = .L2::evict_last .L2::evict_normal .L2::evict_first .L2::evict_unchanged; "
#define RANGE    POLICIES ".ss = .global; b c = .u32"

#define VIDEO_TYPES ".dtype = .u32 .s32; .atype = .u32 .s32; .btype = .u32 .s32; "
#define VIDEO_IN    "d a b = .b32 or selected; c = .b32; .op = .add .min .max; "
#define VIDEO       VIDEO_TYPES VIDEO_IN
#define VIDEO_SHIFT ".dtype = .u32 .s32; .atype = .u32 .s32; .btype = .u32; " VIDEO_IN
#define VIDEO_SIMD  VIDEO_TYPES "d a b = .b32 or selected; c = .b32; .op = .add; "

#define ROW(form, where, lowering, op) {form, where, ptx_lower_##lowering, IR_##op}

/* clang-format off */
const struct ptx_row ptx_rows[] = {
	/* integer and float arithmetic */
	ROW("add.type d, a, b", ".type = " INTEGER, plain, ADD),
	ROW("add.sat.s32 d, a, b", "", saturating, ADD),
	ROW("add.cc.type d, a, b", ".type = " WORDS, carry, ADDC),
	ROW("add.type d, a, b", ".type = .u16x2 .s16x2", halves, ADD),
	ROW("add{.rnd}{.ftz}{.sat}.f32 d, a, b", "", plain, FADD),
	ROW("add{.rnd}.f64 d, a, b", "", plain, FADD),
	ROW("add{.rnd}{.ftz}{.sat}.type d, a, b", ".rnd = .rn; .type = " F16, plain, FADD),
	ROW("add{.rnd}.type d, a, b", ".rnd = .rn; .type = " BF16, plain, FADD),
	ROW("addc{.cc}.type d, a, b", ".type = " WORDS, carry, ADDC),
	ROW("sub.type d, a, b", ".type = " INTEGER, plain, SUB),
	ROW("sub.sat.s32 d, a, b", "", saturating, SUB),
	ROW("sub.cc.type d, a, b", ".type = " WORDS, carry, SUBC),
	ROW("sub{.rnd}{.ftz}{.sat}.f32 d, a, b", "", fsub, FADD),
	ROW("sub{.rnd}.f64 d, a, b", "", fsub, FADD),
	ROW("sub{.rnd}{.ftz}{.sat}.type d, a, b", ".rnd = .rn; .type = " F16, fsub, FADD),
	ROW("sub{.rnd}.type d, a, b", ".rnd = .rn; .type = " BF16, fsub, FADD),
	ROW("subc{.cc}.type d, a, b", ".type = " WORDS, carry, SUBC),
	ROW("mul.lo.type d, a, b", ".type = " INTEGER, plain, MUL),
	ROW("mul.hi.type d, a, b", ".type = " UNSIGNED, plain, MULHI_U),
	ROW("mul.hi.type d, a, b", ".type = " SIGNED, plain, MULHI_S),
	ROW("mul.wide.type d, a, b", ".type = .u16 .u32; d = twice .type", plain, MULWIDE_U),
	ROW("mul.wide.type d, a, b", ".type = .s16 .s32; d = twice .type", plain, MULWIDE_S),
	ROW("mul{.rnd}{.ftz}{.sat}.f32 d, a, b", "", plain, FMUL),
	ROW("mul{.rnd}.f64 d, a, b", "", plain, FMUL),
	ROW("mul{.rnd}{.ftz}{.sat}.type d, a, b", ".rnd = .rn; .type = " F16, plain, FMUL),
	ROW("mul{.rnd}.type d, a, b", ".rnd = .rn; .type = " BF16, plain, FMUL),
	ROW("mul24.lo.type d, a, b", ".type = .u32 .s32", mul24, MUL),
	ROW("mul24.hi.type d, a, b", ".type = .u32 .s32", mul24, MULHI_U),
	ROW("mad.lo.type d, a, b, c", ".type = " INTEGER, plain, MAD),
	ROW("mad.hi.type d, a, b, c", ".type = " UNSIGNED, mad, MULHI_U),
	ROW("mad.hi.type d, a, b, c", ".type = " SIGNED, mad, MULHI_S),
	ROW("mad.hi.sat.s32 d, a, b, c", "", saturating, MULHI_S),
	ROW("mad.wide.type d, a, b, c", ".type = .u16 .u32; d c = twice .type", mad, MULWIDE_U),
	ROW("mad.wide.type d, a, b, c", ".type = .s16 .s32; d c = twice .type", mad, MULWIDE_S),
	ROW("mad.lo.cc.type d, a, b, c", ".type = " WORDS, carry_mad, MUL),
	ROW("mad.hi.cc.type d, a, b, c", ".type = .u32 .u64", carry_mad, MULHI_U),
	ROW("mad.hi.cc.type d, a, b, c", ".type = .s32 .s64", carry_mad, MULHI_S),
	ROW("mad.rnd{.ftz}{.sat}.f32 d, a, b, c", "", plain, FMA),
	ROW("mad.rnd.f64 d, a, b, c", "", plain, FMA),
	ROW("madc.lo{.cc}.type d, a, b, c", ".type = " WORDS, carry_mad, MUL),
	ROW("madc.hi{.cc}.type d, a, b, c", ".type = .u32 .u64", carry_mad, MULHI_U),
	ROW("madc.hi{.cc}.type d, a, b, c", ".type = .s32 .s64", carry_mad, MULHI_S),
	ROW("mad24.lo.type d, a, b, c", ".type = .u32 .s32", mul24, MUL),
	ROW("mad24.hi.type d, a, b, c", ".type = .u32 .s32", mul24, MULHI_U),
	ROW("mad24.hi.sat.s32 d, a, b, c", "", mul24, MULHI_U),
	ROW("fma.rnd{.ftz}{.sat}.f32 d, a, b, c", "", plain, FMA),
	ROW("fma.rnd.f64 d, a, b, c", "", plain, FMA),
	ROW("fma.rnd{.ftz}{.sat}.type d, a, b, c", ".rnd = .rn; .type = " F16, float, FMA),
	ROW("fma.rnd{.ftz}.relu.type d, a, b, c", ".rnd = .rn; .type = " F16, float, FMA),
	ROW("fma.rnd{.relu}.type d, a, b, c", ".rnd = .rn; .type = " BF16, float, FMA),
	ROW("fma.rnd.oob{.relu}.type d, a, b, c", ".rnd = .rn; .type = " HALVES, oob, FMA),
	ROW("div.type d, a, b", ".type = " UNSIGNED, plain, DIV_U),
	ROW("div.type d, a, b", ".type = " SIGNED, plain, DIV_S),
	ROW("div.approx{.ftz}.f32 d, a, b", "", divide_approx, APPROX),
	ROW("div.full{.ftz}.f32 d, a, b", "", divide_full, APPROX),
	ROW("div.rnd{.ftz}.f32 d, a, b", "", plain, FDIV),
	ROW("div.rnd.f64 d, a, b", "", plain, FDIV),
	ROW("rem.type d, a, b", ".type = " UNSIGNED, plain, REM_U),
	ROW("rem.type d, a, b", ".type = " SIGNED, plain, REM_S),
	ROW("sad.type d, a, b, c", ".type = " INTEGER, sad, SUB),
	ROW("neg.type d, a", ".type = " SIGNED, plain, NEG),
	ROW("neg{.ftz}.f32 d, a", "", plain, FNEG),
	ROW("neg.f64 d, a", "", plain, FNEG),
	ROW("neg{.ftz}.type d, a", ".type = " F16, plain, FNEG),
	ROW("neg.type d, a", ".type = " BF16, plain, FNEG),
	ROW("abs.type d, a", ".type = " SIGNED, iabs, MAX_S),
	ROW("abs{.ftz}.f32 d, a", "", plain, FABS),
	ROW("abs.f64 d, a", "", plain, FABS),
	ROW("abs{.ftz}.type d, a", ".type = " F16, plain, FABS),
	ROW("abs.type d, a", ".type = " BF16, plain, FABS),
	ROW("min.type d, a, b", ".type = " UNSIGNED, plain, MIN_U),
	ROW("min.type d, a, b", ".type = " SIGNED, plain, MIN_S),
	ROW("min.relu.s32 d, a, b", "", relu, MIN_S),
	ROW("min.u16x2 d, a, b", "", halves, MIN_U),
	ROW("min{.relu}.s16x2 d, a, b", "", halves, MIN_S),
	ROW("min{.ftz}{.NaN}.f32 d, a, b", "", minmax, FMIN),
	ROW("min{.ftz}{.NaN}.xorsign.abs.f32 d, a, b", "", minmax, FMIN),
	ROW("min.f64 d, a, b", "", plain, FMIN),
	ROW("min{.ftz}{.NaN}.type d, a, b", ".type = " F16, minmax, FMIN),
	ROW("min{.ftz}{.NaN}.xorsign.abs.type d, a, b", ".type = " F16, minmax, FMIN),
	ROW("min{.NaN}.type d, a, b", ".type = " BF16, minmax, FMIN),
	ROW("min{.NaN}.xorsign.abs.type d, a, b", ".type = " BF16, minmax, FMIN),
	ROW("max.type d, a, b", ".type = " UNSIGNED, plain, MAX_U),
	ROW("max.type d, a, b", ".type = " SIGNED, plain, MAX_S),
	ROW("max.relu.s32 d, a, b", "", relu, MAX_S),
	ROW("max.u16x2 d, a, b", "", halves, MAX_U),
	ROW("max{.relu}.s16x2 d, a, b", "", halves, MAX_S),
	ROW("max{.ftz}{.NaN}.f32 d, a, b", "", minmax, FMAX),
	ROW("max{.ftz}{.NaN}.xorsign.abs.f32 d, a, b", "", minmax, FMAX),
	ROW("max.f64 d, a, b", "", plain, FMAX),
	ROW("max{.ftz}{.NaN}.type d, a, b", ".type = " F16, minmax, FMAX),
	ROW("max{.ftz}{.NaN}.xorsign.abs.type d, a, b", ".type = " F16, minmax, FMAX),
	ROW("max{.NaN}.type d, a, b", ".type = " BF16, minmax, FMAX),
	ROW("max{.NaN}.xorsign.abs.type d, a, b", ".type = " BF16, minmax, FMAX),

	/* functions, correctly rounded and approximate */
	ROW("rcp.approx{.ftz}.f32 d, a", "", approx, APPROX),
	ROW("rcp.approx.ftz.f64 d, a", "", approx, APPROX),
	ROW("rcp.rnd{.ftz}.f32 d, a", "", plain, FRCP),
	ROW("rcp.rnd.f64 d, a", "", plain, FRCP),
	ROW("sqrt.approx{.ftz}.f32 d, a", "", approx, APPROX),
	ROW("sqrt.rnd{.ftz}.f32 d, a", "", plain, FSQRT),
	ROW("sqrt.rnd.f64 d, a", "", plain, FSQRT),
	ROW("rsqrt.approx{.ftz}.f32 d, a", "", approx, APPROX),
	ROW("rsqrt.approx{.ftz}.f64 d, a", "", approx, APPROX),
	ROW("sin.approx{.ftz}.f32 d, a", "", approx, APPROX),
	ROW("cos.approx{.ftz}.f32 d, a", "", approx, APPROX),
	ROW("lg2.approx{.ftz}.f32 d, a", "", approx, APPROX),
	ROW("ex2.approx{.ftz}.f32 d, a", "", approx, APPROX),
	ROW("ex2.approx.type d, a", ".type = " F16, approx, APPROX),
	ROW("ex2.approx.ftz.type d, a", ".type = " BF16, approx, APPROX),
	ROW("tanh.approx.f32 d, a", "", approx, APPROX),
	ROW("tanh.approx.type d, a", ".type = " HALVES, approx, APPROX),
	ROW("copysign.type d, a, b", ".type = .f32 .f64", copysign, AND),
	ROW("testp.testp.type p, a", ".type = .f32 .f64; p = .pred", testp, ICMP),

	/* logic, bits and bytes */
	ROW("and.type d, a, b", ".type = .pred " BITS, plain, AND),
	ROW("or.type d, a, b", ".type = .pred " BITS, plain, OR),
	ROW("xor.type d, a, b", ".type = .pred " BITS, plain, XOR),
	ROW("not.type d, a", ".type = .pred " BITS, plain, NOT),
	ROW("cnot.type d, a", ".type = " BITS, cnot, SELECT),
	ROW("lop3.b32 d, a, b, c, e", "d = .b32 or nothing", lop3, LOGIC3),
	ROW("lop3.BoolOp.b32 d|p, a, b, c, e, f",
	    ".BoolOp = .and .or; d = .b32 or nothing; p f = .pred", lop3, LOGIC3),
	ROW("shl.type d, a, b", ".type = " BITS "; b = .u32", plain, SHL),
	ROW("shr.type d, a, b", ".type = " BITS " " UNSIGNED "; b = .u32", plain, SHR_U),
	ROW("shr.type d, a, b", ".type = " SIGNED "; b = .u32", plain, SHR_S),
	ROW("shf.dir.wrap.b32 d, a, b, c", "c = .u32", shf, SHL),
	ROW("popc.type d, a", ".type = .b32 .b64; d = .u32; a = .type", count, POPC),
	ROW("clz.type d, a", ".type = .b32 .b64; d = .u32; a = .type", count, CLZ),
	ROW("brev.type d, a", ".type = .b32 .b64", plain, BREV),
	ROW("bfe.type d, a, b, c", ".type = " WORDS "; b c = .u32", bfe, SHR_U),
	ROW("bfi.type d, a, b, c, e", ".type = .b32 .b64; c e = .u32", bfi, OR),
	ROW("fns.b32 d, a, b, c", "c = .s32", fns, POPC),
	ROW("bfind.type d, a", ".type = " WORDS "; d = .u32", bfind, CLZ),
	ROW("bfind.shiftamt.type d, a", ".type = " WORDS "; d = .u32", bfind, CLZ),
	ROW("bmsk.wrap.b32 d, a, b", "", bmsk, SHL),
	ROW("szext.wrap.type d, a, b", ".type = .u32 .s32; b = .u32", szext, SHL),
	ROW("prmt.b32{.prmt} d, a, b, c", "", prmt, PERMUTE),
	ROW("dp4a.atype.btype d, a, b, c",
	    ".atype = .u32 .s32; .btype = .u32 .s32; d a b c = .b32", dot, DOT),
	ROW("dp2a.lo.atype.btype d, a, b, c",
	    ".atype = .u32 .s32; .btype = .u32 .s32; d a b c = .b32", dot, DOT),
	ROW("dp2a.hi.atype.btype d, a, b, c",
	    ".atype = .u32 .s32; .btype = .u32 .s32; d a b c = .b32", dot, DOT),

	/* video */
	ROW("vadd.dtype.atype.btype{.sat}{.op} d, a, b{, c}", VIDEO, video, ADD),
	ROW("vsub.dtype.atype.btype{.sat}{.op} d, a, b{, c}", VIDEO, video, ADD),
	ROW("vabsdiff.dtype.atype.btype{.sat}{.op} d, a, b{, c}", VIDEO, video, ADD),
	ROW("vmin.dtype.atype.btype{.sat}{.op} d, a, b{, c}", VIDEO, video, ADD),
	ROW("vmax.dtype.atype.btype{.sat}{.op} d, a, b{, c}", VIDEO, video, ADD),
	ROW("vshl.dtype.atype.btype{.sat}.wrap{.op} d, a, b{, c}", VIDEO_SHIFT, video, ADD),
	ROW("vshr.dtype.atype.btype{.sat}.wrap{.op} d, a, b{, c}", VIDEO_SHIFT, video, ADD),
	ROW("vmad.dtype.atype.btype{.po}{.sat}{.scale} d, a, b, c",
	    VIDEO_TYPES "d = .b32; a b = .b32 or selected or minus; c = .b32 or minus", vmad, ADD),
	ROW("vset.atype.btype.CmpOp{.op} d, a, b{, c}", VIDEO ".CmpOp = " ORDERED, video, ADD),
	ROW("vadd2.dtype.atype.btype{.sat} d, a, b, c", VIDEO_SIMD, video_simd, ADD),
	ROW("vadd2.dtype.atype.btype.op d, a, b, c", VIDEO_SIMD, video_simd, ADD),
	ROW("vsub2.dtype.atype.btype{.sat} d, a, b, c", VIDEO_SIMD, video_simd, ADD),
	ROW("vsub2.dtype.atype.btype.op d, a, b, c", VIDEO_SIMD, video_simd, ADD),
	ROW("vavrg2.dtype.atype.btype{.sat} d, a, b, c", VIDEO_SIMD, video_simd, ADD),
	ROW("vavrg2.dtype.atype.btype.op d, a, b, c", VIDEO_SIMD, video_simd, ADD),
	ROW("vabsdiff2.dtype.atype.btype{.sat} d, a, b, c", VIDEO_SIMD, video_simd, ADD),
	ROW("vabsdiff2.dtype.atype.btype.op d, a, b, c", VIDEO_SIMD, video_simd, ADD),
	ROW("vmin2.dtype.atype.btype{.sat} d, a, b, c", VIDEO_SIMD, video_simd, ADD),
	ROW("vmin2.dtype.atype.btype.op d, a, b, c", VIDEO_SIMD, video_simd, ADD),
	ROW("vmax2.dtype.atype.btype{.sat} d, a, b, c", VIDEO_SIMD, video_simd, ADD),
	ROW("vmax2.dtype.atype.btype.op d, a, b, c", VIDEO_SIMD, video_simd, ADD),
	ROW("vset2.atype.btype.CmpOp{.op} d, a, b, c", VIDEO_SIMD ".CmpOp = " ORDERED, video_simd, ADD),
	ROW("vadd4.dtype.atype.btype{.sat} d, a, b, c", VIDEO_SIMD, video_simd, ADD),
	ROW("vadd4.dtype.atype.btype.op d, a, b, c", VIDEO_SIMD, video_simd, ADD),
	ROW("vsub4.dtype.atype.btype{.sat} d, a, b, c", VIDEO_SIMD, video_simd, ADD),
	ROW("vsub4.dtype.atype.btype.op d, a, b, c", VIDEO_SIMD, video_simd, ADD),
	ROW("vavrg4.dtype.atype.btype{.sat} d, a, b, c", VIDEO_SIMD, video_simd, ADD),
	ROW("vavrg4.dtype.atype.btype.op d, a, b, c", VIDEO_SIMD, video_simd, ADD),
	ROW("vabsdiff4.dtype.atype.btype{.sat} d, a, b, c", VIDEO_SIMD, video_simd, ADD),
	ROW("vabsdiff4.dtype.atype.btype.op d, a, b, c", VIDEO_SIMD, video_simd, ADD),
	ROW("vmin4.dtype.atype.btype{.sat} d, a, b, c", VIDEO_SIMD, video_simd, ADD),
	ROW("vmin4.dtype.atype.btype.op d, a, b, c", VIDEO_SIMD, video_simd, ADD),
	ROW("vmax4.dtype.atype.btype{.sat} d, a, b, c", VIDEO_SIMD, video_simd, ADD),
	ROW("vmax4.dtype.atype.btype.op d, a, b, c", VIDEO_SIMD, video_simd, ADD),
	ROW("vset4.atype.btype.CmpOp{.op} d, a, b, c", VIDEO_SIMD ".CmpOp = " ORDERED, video_simd, ADD),

	/* comparison and selection */
	ROW("setp.CmpOp{.BoolOp}.type p{|q}, a, b{, c}",
	    SETP ".CmpOp = .eq .ne; .type = " BITS, setp, ICMP),
	ROW("setp.CmpOp{.BoolOp}.type p{|q}, a, b{, c}",
	    SETP ".CmpOp = " ORDERED " .lo .ls .hi .hs; .type = " UNSIGNED, setp, ICMP),
	ROW("setp.CmpOp{.BoolOp}.type p{|q}, a, b{, c}",
	    SETP ".CmpOp = " ORDERED "; .type = " SIGNED, setp, ICMP),
	ROW("setp.CmpOp{.BoolOp}{.ftz}.type p{|q}, a, b{, c}",
	    SETP ".CmpOp = " FLOATCMP "; .type = .f32 .f16x2", setp, FCMP),
	ROW("setp.CmpOp{.BoolOp}.type p{|q}, a, b{, c}",
	    SETP ".CmpOp = " FLOATCMP "; .type = .f64 .bf16x2", setp, FCMP),
	ROW("setp.CmpOp{.BoolOp}{.ftz}.f16 p, a, b{, c}", SETP ".CmpOp = " FLOATCMP, setp, FCMP),
	ROW("setp.CmpOp{.BoolOp}.bf16 p, a, b{, c}", SETP ".CmpOp = " FLOATCMP, setp, FCMP),
	ROW("set.CmpOp{.BoolOp}.dtype.atype d, a, b{, c}",
	    SET SET_WORD ".CmpOp = .eq .ne; .atype = " BITS, set, ICMP),
	ROW("set.CmpOp{.BoolOp}.dtype.atype d, a, b{, c}",
	    SET SET_WORD ".CmpOp = " ORDERED " .lo .ls .hi .hs; .atype = " UNSIGNED, set, ICMP),
	ROW("set.CmpOp{.BoolOp}.dtype.atype d, a, b{, c}",
	    SET SET_WORD ".CmpOp = " ORDERED "; .atype = " SIGNED, set, ICMP),
	ROW("set.CmpOp{.BoolOp}.dtype.atype d, a, b{, c}",
	    SET SET_WORD ".CmpOp = " FLOATCMP "; .atype = .f32 .f64", set, FCMP),
	ROW("set.CmpOp{.BoolOp}.ftz.dtype.atype d, a, b{, c}",
	    SET ".dtype = .u32 .s32 .f32 .f16; .CmpOp = " FLOATCMP "; .atype = .f32", set, FCMP),
	ROW("set.CmpOp{.BoolOp}{.ftz}.dtype.atype d, a, b{, c}",
	    SET ".dtype = " SET_HALF " .f16; .CmpOp = " FLOATCMP "; .atype = .f16", set, FCMP),
	ROW("set.CmpOp{.BoolOp}.dtype.atype d, a, b{, c}",
	    SET ".dtype = " SET_HALF " .bf16; .CmpOp = " FLOATCMP "; .atype = .f16 .bf16", set, FCMP),
	ROW("set.CmpOp{.BoolOp}{.ftz}.dtype.atype d, a, b{, c}",
	    SET ".dtype = .u32 .s32 .f16x2; .CmpOp = " FLOATCMP "; .atype = .f16x2", set, FCMP),
	ROW("set.CmpOp{.BoolOp}.dtype.atype d, a, b{, c}",
	    SET ".dtype = .u32 .s32 .bf16x2; .CmpOp = " FLOATCMP "; .atype = .bf16x2", set, FCMP),
	ROW("selp.type d, a, b, c",
	    ".type = " BITS " " INTEGER " .f32 .f64; c = .pred", selp, SELECT),
	ROW("slct.dtype.atype d, a, b, c",
	    ".dtype = " BITS " " INTEGER " .f32 .f64; .atype = .s32; c = .atype", slct, SELECT),
	ROW("slct{.ftz}.dtype.atype d, a, b, c",
	    ".dtype = " BITS " " INTEGER " .f32 .f64; .atype = .f32; c = .atype", slct, SELECT),

	/* moves and conversions */
	ROW("mov.type d, a", ".type = .pred; a = .type or special", mov, COPY),
	ROW("mov.type d, a", ".type = " BITS "; d = .type or parts; "
	    "a = .type or parts or variable or special", mov, COPY),
	ROW("mov.type d, a", ".type = " INTEGER "; a = .type or variable or special", mov, COPY),
	ROW("mov.type d, a", ".type = .f32 .f64", mov, COPY),
	ROW("mov.b128 d, a", "d a = .b128 or parts", mov_wide, COPY),
	ROW("mov.vec.type d, a", VECTOR ".type = " BITS " " INTEGER " .f32 .f64; d = .type or vector; "
	    "a = .type or vector or special", mov_vector, COPY),
	ROW("cvt{.sat}.dtype.atype d, a", CVT ".dtype = " BYTES "; .atype = " BYTES, cvt, TRUNC),
	ROW("cvt{.rnd}{.irnd}{.ftz}{.sat}.dtype.atype d, a",
	    CVT ".dtype = " BYTES "; .atype = " FLOATS, cvt, TRUNC),
	ROW("cvt{.rnd}{.irnd}{.ftz}{.sat}.dtype.atype d, a",
	    CVT ".dtype = " FLOATS "; .atype = " BYTES, cvt, TRUNC),
	ROW("cvt{.rnd}{.irnd}{.ftz}{.sat}.dtype.atype d, a",
	    CVT ".dtype = " FLOATS "; .atype = " FLOATS, cvt, TRUNC),
	ROW("cvt.rnd{.relu}{.satfinite}.dtype.atype d, a",
	    ".rnd = .rn .rz; .dtype = .f16 .bf16; .atype = .f32; d = .dtype; a = .atype", cvt, TRUNC),
	ROW("cvt.rnd{.relu}{.satfinite}.f16x2.f32 d, a, b",
	    ".rnd = .rn .rz; d = .f16x2; a b = .f32", cvt_pair, TRUNC),
	ROW("cvt.rnd{.relu}{.satfinite}.bf16x2.f32 d, a, b",
	    ".rnd = .rn .rz; d = .bf16x2; a b = .f32", cvt_pair, TRUNC),
	ROW("cvt.rnd{.relu}.tf32.f32 d, a", ".rnd = .rn .rz; d = .b32; a = .f32", cvt_tf32, FTOF),
	ROW("cvt.rna{.satfinite}.tf32.f32 d, a", "d = .b32; a = .f32", cvt_tf32_away, ADD),
	ROW("cvt.rnd{.relu}.satfinite.dtype.atype d, a, b", ".rnd = .rn; .dtype = " BYTEPAIRS
	    "; .atype = .f32; a b = .atype", cvt_bytes, FTOF),
	ROW("cvt.rnd{.relu}.satfinite.dtype.atype d, a", ".rnd = .rn; .dtype = " BYTEPAIRS
	    "; .atype = .f16x2; a = .atype", cvt_bytes, FTOF),
	ROW("cvt.rnd{.relu}.dtype.atype d, a", ".rnd = .rn; .dtype = .f16x2; .atype = " BYTEPAIRS
	    "; a = .atype", cvt_bytes, FTOF),
	ROW("cvt.pack.sat.dtype.atype d, a, b",
	    ".dtype = .u16 .s16; .atype = .s32; d = .u32; a b = .s32", cvt_pack, TRUNC),
	ROW("cvt.pack.sat.dtype.atype.btype d, a, b, c",
	    ".dtype = .u8 .s8 .u4 .s4 .u2 .s2; .atype = .s32; .btype = .b32; d c = .b32; a b = .s32", cvt_pack,
	    TRUNC),
	ROW("cvta.ss.type d, a", ".ss = .const .local .param .param::entry " SPACES "; .type = .u64; "
	    "a = .type or variable", cvta, GENERIC),
	ROW("cvta.to.ss.type d, a", ".ss = .const .local .param .param::entry " SPACES "; .type = .u64", cvta,
	    TOSPACE),
	ROW("isspacep.ss p, a", ".ss = .const .local .param .param::entry " SPACES "; p = .pred; "
	    "a = .u64 or variable", isspacep, INSPACE),

	/* memory */
	ROW("alloca.type d, a{, b}", ".type = .u32 .u64; b = .u32", alloca, ALLOCA),
	ROW("stacksave.type d", ".type = .u32 .u64", plain, STACKSAVE),
	ROW("stackrestore.type a", ".type = .u32 .u64", stackrestore, STACKRESTORE),
	ROW("ld{.weak}{.global}{.cop}{.hint}{.prefetch}{.vec}.type d, [a]", LOAD LOADED, ld, LOAD),
	ROW("ld{.weak}{.global}{.cop}{.hint}.L2::cache_hint{.prefetch}{.vec}.type d, [a], policy", LOAD LOADED, ld, LOAD),
	ROW("ld{.weak}.ss{.cop}{.vec}.type d, [a]",
	    LOAD ".ss = .local .shared .shared::cta .shared::cluster .const .param .param::entry .param::func; " LOADED, ld, LOAD),
	ROW("ld.volatile{.ss}{.prefetch}{.vec}.type d, [a]", LOAD ".ss = .local " SPACES, ld, LOAD),
	ROW("ld.sem.scope{.global}{.hint}{.prefetch}{.vec}.type d, [a]", LOAD ORDERED_LOAD, ld, LOAD),
	ROW("ld.sem.scope{.global}{.hint}.L2::cache_hint{.prefetch}{.vec}.type d, [a], policy", LOAD ORDERED_LOAD, ld, LOAD),
	ROW("ld.sem.scope.ss{.vec}.type d, [a]", LOAD ORDERED_LOAD ".ss = .shared .shared::cta .shared::cluster", ld, LOAD),
	ROW("ld.mmio.relaxed.sys{.global}.type d, [a]", LOAD, ld, LOAD),
	ROW("ld.global{.cop}.nc{.hint}{.prefetch}{.vec}.type d, [a]", LOAD ".cop = .ca .cg .cs", ld, LOAD),
	ROW("ld.global{.cop}.nc{.hint}.L2::cache_hint{.prefetch}{.vec}.type d, [a], policy",
	    LOAD ".cop = .ca .cg .cs", ld, LOAD),
	ROW("ldu{.ss}{.vec}.type d, [a]", LOAD ".ss = .global", ld, LOAD),
	ROW("st{.weak}{.global}{.cop}{.hint}{.vec}.type [a], b", STORE STORED, st, STORE),
	ROW("st{.weak}{.global}{.cop}{.hint}.L2::cache_hint{.vec}.type [a], b, policy", STORE STORED, st, STORE),
	ROW("st{.weak}.ss{.cop}{.vec}.type [a], b",
	    STORE ".ss = .local .shared .shared::cta .shared::cluster .param .param::func; " STORED, st, STORE),
	ROW("st.volatile{.ss}{.vec}.type [a], b", STORE ".ss = .local " SPACES, st, STORE),
	ROW("st.sem.scope{.global}{.hint}{.vec}.type [a], b", STORE ORDERED_STORE, st, STORE),
	ROW("st.sem.scope{.global}{.hint}.L2::cache_hint{.vec}.type [a], b, policy", STORE ORDERED_STORE, st, STORE),
	ROW("st.sem.scope.ss{.vec}.type [a], b", STORE ORDERED_STORE ".ss = .shared .shared::cta .shared::cluster", st, STORE),
	ROW("st.mmio.relaxed.sys{.global}.type [a], b", STORE, st, STORE),
	ROW("st.async{.weak}{.ss}.mbarrier::complete_tx::bytes{.vec}.type [a], b, [c]",
	    ".ss = .shared .shared::cta .shared::cluster; .vec = .v2 .v4; .type = .b32 .b64 .u32 .u64 .s32 .s64 .f32 .f64; b = .type or vector", st_async, STOREASYNC),
	ROW("atom{.sem}{.scope}{.ss}.op{.L2::cache_hint}.type d, [a], b{, policy}",
	    ATOM ".op = .and .or .xor .exch; .type = .b32 .b64", atom, ATOM),
	ROW("atom{.sem}{.scope}{.ss}.add{.L2::cache_hint}.type d, [a], b{, policy}",
	    ATOM ".type = .u32 .s32 .u64 .f32 .f64", atom, ATOM),
	ROW("atom{.sem}{.scope}{.ss}.add.noftz{.L2::cache_hint}.type d, [a], b{, policy}",
	    ATOM ".type = " HALVES, atom, ATOM),
	ROW("atom{.sem}{.scope}{.ss}.add{.L2::cache_hint}.vec.f32 d, [a], b{, policy}",
	    ATOM VECTOR, atom, ATOM),
	ROW("atom{.sem}{.scope}{.ss}.op.noftz{.L2::cache_hint}.vec.type d, [a], b{, policy}",
	    ATOM VECTOR ".op = .add .min .max; .type = .f16x2 .bf16x2", atom, ATOM),
	ROW("atom{.sem}{.scope}{.ss}.op.noftz{.L2::cache_hint}.vec.type d, [a], b{, policy}",
	    ATOM ".op = .add .min .max; .type = .f16 .bf16", atom, ATOM),
	ROW("atom{.sem}{.scope}{.ss}.op{.L2::cache_hint}.type d, [a], b{, policy}",
	    ATOM ".op = .inc .dec; .type = .u32", atom, ATOM),
	ROW("atom{.sem}{.scope}{.ss}.op{.L2::cache_hint}.type d, [a], b{, policy}",
	    ATOM ".op = .min .max; .type = .u32 .u64 .s32 .s64", atom, ATOM),
	ROW("atom{.sem}{.scope}{.ss}.cas.type d, [a], b, c",
	    ATOM ".type = " BITS, cas, CAS),
	ROW("atom{.sem}{.scope}{.ss}.exch{.L2::cache_hint}.b128 d, [a], b{, policy}", ATOM, atom_wide, ATOM),
	ROW("atom{.sem}{.scope}{.ss}.cas.b128 d, [a], b, c", ATOM, atom_wide, CAS),
	ROW("red{.sem}{.scope}{.ss}.op{.L2::cache_hint}.type [a], b{, policy}",
	    RED ".op = .and .or .xor; .type = .b32 .b64", atom, ATOM),
	ROW("red{.sem}{.scope}{.ss}.add{.L2::cache_hint}.type [a], b{, policy}",
	    RED ".type = .u32 .s32 .u64 .f32 .f64", atom, ATOM),
	ROW("red{.sem}{.scope}{.ss}.add.noftz{.L2::cache_hint}.type [a], b{, policy}",
	    RED ".type = " HALVES, atom, ATOM),
	ROW("red{.sem}{.scope}{.ss}.add{.L2::cache_hint}.vec.f32 [a], b{, policy}", RED VECTOR, atom, ATOM),
	ROW("red{.sem}{.scope}{.ss}.op.noftz{.L2::cache_hint}.vec.type [a], b{, policy}",
	    RED VECTOR ".op = .add .min .max; .type = .f16x2 .bf16x2", atom, ATOM),
	ROW("red{.sem}{.scope}{.ss}.op.noftz{.L2::cache_hint}.vec.type [a], b{, policy}",
	    RED ".op = .add .min .max; .type = .f16 .bf16", atom, ATOM),
	ROW("red{.sem}{.scope}{.ss}.op{.L2::cache_hint}.type [a], b{, policy}",
	    RED ".op = .inc .dec; .type = .u32", atom, ATOM),
	ROW("red{.sem}{.scope}{.ss}.op{.L2::cache_hint}.type [a], b{, policy}",
	    RED ".op = .min .max; .type = .u32 .u64 .s32 .s64", atom, ATOM),
	ROW("red.async.relaxed.cluster{.ss}.mbarrier::complete_tx::bytes.op.type [a], b, [c]",
	    RED_ASYNC ".op = .inc .dec; .type = .u32", red_async, REDASYNC),
	ROW("red.async.relaxed.cluster{.ss}.mbarrier::complete_tx::bytes.op.type [a], b, [c]",
	    RED_ASYNC ".op = .min .max; .type = .u32 .s32", red_async, REDASYNC),
	ROW("red.async.relaxed.cluster{.ss}.mbarrier::complete_tx::bytes.add.type [a], b, [c]",
	    RED_ASYNC ".type = .u32 .s32 .u64", red_async, REDASYNC),
	ROW("red.async.relaxed.cluster{.ss}.mbarrier::complete_tx::bytes.op.type [a], b, [c]",
	    RED_ASYNC ".op = .and .or .xor; .type = .b32", red_async, REDASYNC),
	ROW("membar.scope", ".scope = .cta .gl .sys", fence, FENCE),
	ROW("membar.proxy.alias", "", fence_proxy, FENCE),
	ROW("fence{.sem}.scope", SCOPES ".sem = .sc .acq_rel .acquire .release", fence, FENCE),
	ROW("fence.proxy.alias", "", fence_proxy, FENCE),
	ROW("fence.proxy.async", "", fence_proxy, FENCE),
	ROW("fence.proxy.async.ss", ".ss = .global .shared::cta", fence_proxy, FENCE),
	ROW("fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster", "", fence_proxy, FENCE),
	ROW("fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster", "", fence_proxy, FENCE),
	ROW("fence.proxy.tensormap::generic.release.scope", SCOPES, fence_proxy, FENCE),
	ROW("fence.proxy.tensormap::generic.acquire.scope [a], b", SCOPES "b = .u32", fence_proxy, FENCE),
	ROW("fence.mbarrier_init.release.cluster", "", fence_proxy, FENCE),
	ROW("fence.acquire.sync_restrict::shared::cluster.cluster", "", fence_proxy, FENCE),
	ROW("fence.release.sync_restrict::shared::cta.cluster", "", fence_proxy, FENCE),
	ROW("prefetch{.ss}.prefetch [a]", ".ss = .global .local; .prefetch = .L1 .L2", nothing, FENCE),
	ROW("prefetch{.ss}.prefetch [a]", ".ss = .global; .prefetch = .L2::evict_last .L2::evict_normal",
	    nothing, FENCE),
	ROW("prefetch.ss.tensormap [a]", ".ss = .const .param", nothing, FENCE),
	ROW("prefetch.tensormap [a]", "", map_prefetch, MAPPREFETCH),
	ROW("prefetchu.L1 [a]", "", nothing, FENCE),
	ROW("applypriority{.ss}.prefetch [a], b", ".ss = .global; .prefetch = .L2::evict_normal; "
	    "b = .u32", nothing, FENCE),
	ROW("discard{.ss}.prefetch [a], b", ".ss = .global; .prefetch = .L2; b = .u32", nothing,
	    FENCE),
	ROW("createpolicy.fractional.prefetch.b64 d{, a}", POLICIES "a = .f32", createpolicy, CONST),
	ROW("createpolicy.fractional.prefetch.L2::evict_first.b64 d{, a}", POLICIES "a = .f32", createpolicy, CONST),
	ROW("createpolicy.fractional.prefetch.L2::evict_unchanged.b64 d{, a}", POLICIES "a = .f32", createpolicy, CONST),
	ROW("createpolicy.range{.ss}.prefetch.b64 d, [a], b, c", RANGE, createpolicy, CONST),
	ROW("createpolicy.range{.ss}.prefetch.L2::evict_first.b64 d, [a], b, c", RANGE, createpolicy, CONST),
	ROW("createpolicy.range{.ss}.prefetch.L2::evict_unchanged.b64 d, [a], b, c", RANGE, createpolicy, CONST),
	ROW("createpolicy.cvt.L2.b64 d, a", "", createpolicy, CONST),

	/* asynchronous copies */
	ROW("cp.async.cop.ss.global{.prefetch} [a], [b], c{, e}", COPY, copy, COPYASYNC),
	ROW("cp.async.cop.ss.global.L2::cache_hint{.prefetch} [a], [b], c{, e}, policy", COPY, copy, COPYASYNC),
	ROW("cp.async.commit_group", "", copy_commit, COPYCOMMIT),
	ROW("cp.async.wait_group a", "a = .u32", copy_wait, COPYWAIT),
	ROW("cp.async.wait_all", "", copy_wait, COPYWAIT),

	ROW("cp.async.mbarrier.arrive{.noinc}{.ss}.b64 [a]", ".ss = .shared .shared::cta", copy_arrive, COPYARRIVE),

	ROW("cp.async.bulk.ss.global.mbarrier::complete_tx::bytes [a], [b], c, [e]", BULK, bulk_copy, BULKCOPY),
	ROW("cp.async.bulk.ss.global.mbarrier::complete_tx::bytes.L2::cache_hint [a], [b], c, [e], policy", BULK, bulk_copy, BULKCOPY),
	ROW("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [a], [b], c, [e], f", BULK_FROM "f = .u16", bulk_multicast, BULKCOPY),
	ROW("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [a], [b], c, [e], f, policy", BULK_FROM "f = .u16", bulk_multicast, BULKCOPY),
	ROW("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [a], [b], c, [e]", "c = .u32", bulk_copy, BULKCOPY),
	ROW("cp.async.bulk.global.shared::cta.bulk_group [a], [b], c", "c = .u32", bulk_copy, BULKCOPY),
	ROW("cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [a], [b], c, policy", POLICY "c = .u32", bulk_copy, BULKCOPY),
	ROW("cp.async.bulk.cop.L2.global [a], b", ".cop = .prefetch; b = .u32", bulk_prefetch, BULKCOPY),
	ROW("cp.async.bulk.cop.L2.global.L2::cache_hint [a], b, policy", POLICY ".cop = .prefetch; b = .u32", bulk_prefetch, BULKCOPY),
	ROW("cp.reduce.async.bulk.global.shared::cta.bulk_group.op.type [a], [b], c", BULK_FROM ".op = .and .or .xor; .type = .b32 .b64", bulk_reduce, BULKREDUCE),
	ROW("cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.op.type [a], [b], c, policy", BULK_FROM ".op = .and .or .xor; .type = .b32 .b64", bulk_reduce, BULKREDUCE),
	ROW("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.type [a], [b], c", BULK_FROM ".type = .u32 .s32 .u64 .f32 .f64", bulk_reduce, BULKREDUCE),
	ROW("cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.add.type [a], [b], c, policy", BULK_FROM ".type = .u32 .s32 .u64 .f32 .f64", bulk_reduce, BULKREDUCE),
	ROW("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.type [a], [b], c", BULK_FROM ".type = .f16 .bf16", bulk_reduce, BULKREDUCE),
	ROW("cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.add.noftz.type [a], [b], c, policy", BULK_FROM ".type = .f16 .bf16", bulk_reduce, BULKREDUCE),
	ROW("cp.reduce.async.bulk.global.shared::cta.bulk_group.op.type [a], [b], c", BULK_FROM ".op = .inc .dec; .type = .u32", bulk_reduce, BULKREDUCE),
	ROW("cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.op.type [a], [b], c, policy", BULK_FROM ".op = .inc .dec; .type = .u32", bulk_reduce, BULKREDUCE),
	ROW("cp.reduce.async.bulk.global.shared::cta.bulk_group.op.type [a], [b], c", BULK_FROM ".op = .min .max; .type = .u32 .s32 .u64 .s64 .f16 .bf16", bulk_reduce, BULKREDUCE),
	ROW("cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.op.type [a], [b], c, policy", BULK_FROM ".op = .min .max; .type = .u32 .s32 .u64 .s64 .f16 .bf16", bulk_reduce, BULKREDUCE),
	ROW("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.op.type [a], [b], c, [e]", BULK_FROM ".op = .and .or .xor; .type = .b32", bulk_reduce, BULKREDUCE),
	ROW("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.type [a], [b], c, [e]", BULK_FROM ".type = .u32 .s32 .u64", bulk_reduce, BULKREDUCE),
	ROW("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.op.type [a], [b], c, [e]", BULK_FROM ".op = .inc .dec; .type = .u32", bulk_reduce, BULKREDUCE),
	ROW("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.op.type [a], [b], c, [e]", BULK_FROM ".op = .min .max; .type = .u32 .s32", bulk_reduce, BULKREDUCE),
	ROW("cp.async.bulk.tensor.dim.ss.global{.tile}.mbarrier::complete_tx::bytes [a], [b, c], [e]", TENSOR TENSOR_DIMS, tensor_load, TENSORCOPY),
	ROW("cp.async.bulk.tensor.dim.shared::cluster.global{.tile}.mbarrier::complete_tx::bytes.multicast::cluster [a], [b, c], [e], f", TENSOR TENSOR_DIMS "f = .u16", tensor_load, TENSORCOPY),
	ROW("cp.async.bulk.tensor.dim.ss.global.im2col.mbarrier::complete_tx::bytes [a], [b, c], [e], f", TENSOR IM2COL_DIMS "f = .u16 or fragment", tensor_load, TENSORCOPY),
	ROW("cp.async.bulk.tensor.dim.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster [a], [b, c], [e], f, g", TENSOR IM2COL_DIMS "f = .u16 or fragment; g = .u16", tensor_load, TENSORCOPY),
	ROW("cp.async.bulk.tensor.dim.global.shared::cta{.tile}.bulk_group [a, c], [b]", TENSOR TENSOR_DIMS, tensor_store, TENSORCOPY),
	ROW("cp.async.bulk.tensor.dim.global.shared::cta.im2col_no_offs.bulk_group [a, c], [b]", TENSOR IM2COL_DIMS, tensor_store, TENSORCOPY),
	ROW("cp.async.bulk.cop.tensor.dim.L2.global{.tile} [b, c]", TENSOR TENSOR_DIMS ".cop = .prefetch", tensor_prefetch, TENSORCOPY),
	ROW("cp.async.bulk.cop.tensor.dim.L2.global.im2col [b, c], f", TENSOR IM2COL_DIMS ".cop = .prefetch; f = .u16 or fragment", tensor_prefetch, TENSORCOPY),
	ROW("cp.async.bulk.tensor.dim.ss.global{.tile}.mbarrier::complete_tx::bytes.L2::cache_hint [a], [b, c], [e], policy", TENSOR TENSOR_DIMS, tensor_load, TENSORCOPY),
	ROW("cp.async.bulk.tensor.dim.shared::cluster.global{.tile}.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [a], [b, c], [e], f, policy", TENSOR TENSOR_DIMS "f = .u16", tensor_load, TENSORCOPY),
	ROW("cp.async.bulk.tensor.dim.ss.global.im2col.mbarrier::complete_tx::bytes.L2::cache_hint [a], [b, c], [e], f, policy", TENSOR IM2COL_DIMS "f = .u16 or fragment", tensor_load, TENSORCOPY),
	ROW("cp.async.bulk.tensor.dim.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [a], [b, c], [e], f, g, policy", TENSOR IM2COL_DIMS "f = .u16 or fragment; g = .u16", tensor_load, TENSORCOPY),
	ROW("cp.async.bulk.tensor.dim.global.shared::cta{.tile}.bulk_group.L2::cache_hint [a, c], [b], policy", TENSOR TENSOR_DIMS, tensor_store, TENSORCOPY),
	ROW("cp.async.bulk.tensor.dim.global.shared::cta.im2col_no_offs.bulk_group.L2::cache_hint [a, c], [b], policy", TENSOR IM2COL_DIMS, tensor_store, TENSORCOPY),
	ROW("cp.async.bulk.cop.tensor.dim.L2.global{.tile}.L2::cache_hint [b, c], policy", TENSOR TENSOR_DIMS ".cop = .prefetch", tensor_prefetch, TENSORCOPY),
	ROW("cp.async.bulk.cop.tensor.dim.L2.global.im2col.L2::cache_hint [b, c], f, policy", TENSOR IM2COL_DIMS ".cop = .prefetch; f = .u16 or fragment", tensor_prefetch, TENSORCOPY),
	ROW("cp.reduce.async.bulk.tensor.dim.global.shared::cta.op{.tile}.bulk_group [a, c], [b]", TENSOR TENSOR_DIMS TENSOR_OPS, tensor_store, TENSORCOPY),
	ROW("cp.reduce.async.bulk.tensor.dim.global.shared::cta.op.im2col_no_offs.bulk_group [a, c], [b]", TENSOR IM2COL_DIMS TENSOR_OPS, tensor_store, TENSORCOPY),
	ROW("cp.reduce.async.bulk.tensor.dim.global.shared::cta.op{.tile}.bulk_group.L2::cache_hint [a, c], [b], policy", TENSOR TENSOR_DIMS TENSOR_OPS, tensor_store, TENSORCOPY),
	ROW("cp.reduce.async.bulk.tensor.dim.global.shared::cta.op.im2col_no_offs.bulk_group.L2::cache_hint [a, c], [b], policy", TENSOR IM2COL_DIMS TENSOR_OPS, tensor_store, TENSORCOPY),
	ROW("cp.async.bulk.commit_group", "", copy_commit, BULKCOMMIT),
	ROW("cp.async.bulk.wait_group{.read} a", "a = .u32", copy_wait, BULKWAIT),
	ROW("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.scope.sync.aligned [a], [b], c", SCOPES "c = .b32", tensormap_copy, STORE),
	ROW("tensormap.replace.tile.global_address{.ss}.b1024.b64 [a], b", MAP_SPACE, tensormap_replace, STORE),
	ROW("tensormap.replace.tile.rank{.ss}.b1024.b32 [a], b", MAP_SPACE, tensormap_replace, STORE),
	ROW("tensormap.replace.tile.mapfield{.ss}.b1024.b32 [a], b, c", MAP_SPACE ".mapfield = .box_dim .global_dim .element_stride; b c = .b32", tensormap_replace, STORE),
	ROW("tensormap.replace.tile.global_stride{.ss}.b1024.b64 [a], b, c", MAP_SPACE "b = .b32", tensormap_replace, STORE),
	ROW("tensormap.replace.tile.mapfield{.ss}.b1024.b32 [a], b", MAP_SPACE ".mapfield = .elemtype .interleave_layout .swizzle_mode .fill_mode", tensormap_replace, STORE),

	/* barriers in memory */
	ROW("mbarrier.init{.ss}.b64 [a], b", MBARRIER, mbarrier, MBARRIER_INIT),
	ROW("mbarrier.inval{.ss}.b64 [a]", MBARRIER, mbarrier, MBARRIER_INVAL),
	ROW("mbarrier.expect_tx{.sem}{.scope}{.ss}.b64 [a], b", MBARRIER_BYTES, mbarrier_bytes, MBARRIER_ARRIVE),
	ROW("mbarrier.complete_tx{.sem}{.scope}{.ss}.b64 [a], b", MBARRIER_BYTES, mbarrier_bytes, MBARRIER_ARRIVE),
	ROW("mbarrier.arrive{.sem}{.scope}{.ss}.b64 d, [a]{, b}", MBARRIER_ARRIVE, mbarrier_arrive, MBARRIER_ARRIVE),
	ROW("mbarrier.arrive.expect_tx{.sem}{.scope}{.ss}.b64 d, [a], b", MBARRIER_ARRIVE, mbarrier_arrive, MBARRIER_ARRIVE),
	ROW("mbarrier.arrive.noComplete{.sem}{.scope}{.ss}.b64 d, [a], b", MBARRIER_OWN, mbarrier_arrive, MBARRIER_ARRIVE),
	ROW("mbarrier.arrive_drop{.sem}{.scope}{.ss}.b64 d, [a]{, b}", MBARRIER_ARRIVE, mbarrier_arrive, MBARRIER_ARRIVE),
	ROW("mbarrier.arrive_drop.expect_tx{.sem}{.scope}{.ss}.b64 d, [a], b", MBARRIER_ARRIVE, mbarrier_arrive, MBARRIER_ARRIVE),
	ROW("mbarrier.arrive_drop.noComplete{.sem}{.scope}{.ss}.b64 d, [a], b", MBARRIER_OWN, mbarrier_arrive, MBARRIER_ARRIVE),
	ROW("mbarrier.test_wait{.sem}{.scope}{.ss}.b64 p, [a], b", MBARRIER_WAIT "b = .b64", mbarrier_wait, MBARRIER_TEST),
	ROW("mbarrier.test_wait.parity{.sem}{.scope}{.ss}.b64 p, [a], b", MBARRIER_WAIT "b = .u32", mbarrier_wait, MBARRIER_TEST),
	ROW("mbarrier.try_wait{.sem}{.scope}{.ss}.b64 p, [a], b{, c}", MBARRIER_WAIT "b = .b64; c = .u32", mbarrier_wait, MBARRIER_TEST),
	ROW("mbarrier.try_wait.parity{.sem}{.scope}{.ss}.b64 p, [a], b{, c}", MBARRIER_WAIT "b c = .u32", mbarrier_wait, MBARRIER_TEST),
	ROW("mbarrier.pending_count.b64 d, a", "d = .u32", mbarrier_pending, MBARRIER_PENDING),

	/* clusters */
	ROW("mapa{.ss}.type d, a, b", ".ss = .shared::cluster; .type = .u32 .u64; a = .type or variable; b = .u32", mapa, AND),
	ROW("getctarank{.ss}.type d, a", ".ss = .shared::cluster; .type = .u32 .u64; d = .u32; a = .type or variable", getctarank, SHR_U),

	/* matrices */
	ROW("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 d, a, b, c", MATRIX_F32, mma, MMA),
	ROW("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 d, a, b, c", MATRIX_WORDS, mma, MMA),
	ROW("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 d, a, b, c", MATRIX_F32, mma, MMA),
	ROW("mma.sync.aligned.m8n8k4.layout.blayout.f16.f16.f16.f16 d, a, b, c", LAYOUTS MATRIX_WORDS, mma_quads, SHUFFLE),
	ROW("mma.sync.aligned.m8n8k4.layout.blayout.f32.f16.f16.f32 d, a, b, c", LAYOUTS MATRIX_F32, mma_quads, SHUFFLE),
	ROW("mma.sync.aligned.m8n8k4.layout.blayout.f32.f16.f16.f16 d, a, b, c", LAYOUTS "d = .f32 or fragment; a b c = .b32 or fragment", mma_quads, SHUFFLE),
	ROW("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 d, a, b, c", MATRIX_F32, mma, MMA),
	ROW("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 d, a, b, c", MATRIX_WORDS, mma, MMA),
	ROW("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 d, a, b, c", MATRIX_F32, mma, MMA),
	ROW("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 d, a, b, c", MATRIX_F32, mma, MMA),
	ROW("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 d, a, b, c", MATRIX_F32, mma, MMA),
	ROW("mma.sync.aligned.m8n8k4.row.col{.rnd}.f64.f64.f64.f64 d, a, b, c", MATRIX_F64, mma, MMA),
	ROW("mma.sync.aligned.m16n8k4.row.col{.rnd}.f64.f64.f64.f64 d, a, b, c", MATRIX_F64, mma, MMA),
	ROW("mma.sync.aligned.m16n8k8.row.col{.rnd}.f64.f64.f64.f64 d, a, b, c", MATRIX_F64, mma, MMA),
	ROW("mma.sync.aligned.m16n8k16.row.col{.rnd}.f64.f64.f64.f64 d, a, b, c", MATRIX_F64, mma, MMA),
	ROW("mma.sync.aligned.m8n8k16.row.col{.satfinite}.s32.atype.btype.s32 d, a, b, c", MATRIX_BYTES, mma, MMA),
	ROW("mma.sync.aligned.m16n8k16.row.col{.satfinite}.s32.atype.btype.s32 d, a, b, c", MATRIX_BYTES, mma, MMA),
	ROW("mma.sync.aligned.m16n8k32.row.col{.satfinite}.s32.atype.btype.s32 d, a, b, c", MATRIX_BYTES, mma, MMA),
	ROW("mma.sync.aligned.m8n8k32.row.col{.satfinite}.s32.atype.btype.s32 d, a, b, c", MATRIX_NIBBLES, mma, MMA),
	ROW("mma.sync.aligned.m16n8k32.row.col{.satfinite}.s32.atype.btype.s32 d, a, b, c", MATRIX_NIBBLES, mma, MMA),
	ROW("mma.sync.aligned.m16n8k64.row.col{.satfinite}.s32.atype.btype.s32 d, a, b, c", MATRIX_NIBBLES, mma, MMA),

	ROW("mma.sync.aligned.m16n8k16.row.col.f32.atype.btype.f32 d, a, b, c", MATRIX_F32 FLOATS8, mma, MMA),
	ROW("mma.sync.aligned.m16n8k16.row.col.f16.atype.btype.f16 d, a, b, c", MATRIX_WORDS FLOATS8, mma, MMA),
	ROW("mma.sync.aligned.m16n8k32.row.col.f32.atype.btype.f32 d, a, b, c", MATRIX_F32 FLOATS8, mma, MMA),
	ROW("mma.sync.aligned.m16n8k32.row.col.f16.atype.btype.f16 d, a, b, c", MATRIX_WORDS FLOATS8, mma, MMA),
	ROW("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.BoolOp.popc d, a, b, c", MATRIX_BITS, mma, MMA),
	ROW("mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.BoolOp.popc d, a, b, c", MATRIX_BITS, mma, MMA),
	ROW("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.BoolOp.popc d, a, b, c", MATRIX_BITS, mma, MMA),
	ROW("mma.sparse.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 d, a, b, c, e, f", SPARSE MATRIX_F32, mma, MMA),
	ROW("mma.sparse.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 d, a, b, c, e, f", SPARSE MATRIX_WORDS, mma, MMA),
	ROW("mma.sparse.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 d, a, b, c, e, f", SPARSE MATRIX_F32, mma, MMA),
	ROW("mma.sparse.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 d, a, b, c, e, f", SPARSE MATRIX_F32, mma, MMA),
	ROW("mma.sparse.sync.aligned.m16n8k32.row.col.f16.f16.f16.f16 d, a, b, c, e, f", SPARSE MATRIX_WORDS, mma, MMA),
	ROW("mma.sparse.sync.aligned.m16n8k32.row.col.f32.bf16.bf16.f32 d, a, b, c, e, f", SPARSE MATRIX_F32, mma, MMA),
	ROW("mma.sparse.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 d, a, b, c, e, f", SPARSE MATRIX_F32, mma, MMA),
	ROW("mma.sparse.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32 d, a, b, c, e, f", SPARSE MATRIX_F32, mma, MMA),
	ROW("mma.sparse.sync.aligned.m16n8k32.row.col{.satfinite}.s32.atype.btype.s32 d, a, b, c, e, f", SPARSE MATRIX_BYTES, mma, MMA),
	ROW("mma.sparse.sync.aligned.m16n8k64.row.col{.satfinite}.s32.atype.btype.s32 d, a, b, c, e, f", SPARSE MATRIX_BYTES, mma, MMA),
	ROW("mma.sparse.sync.aligned.m16n8k64.row.col{.satfinite}.s32.atype.btype.s32 d, a, b, c, e, f", SPARSE MATRIX_NIBBLES, mma, MMA),
	ROW("mma.sparse.sync.aligned.m16n8k128.row.col{.satfinite}.s32.atype.btype.s32 d, a, b, c, e, f", SPARSE MATRIX_NIBBLES, mma, MMA),
	ROW("mma.sparse.sync.aligned.m16n8k64.row.col.f32.atype.btype.f32 d, a, b, c, e, f", SPARSE MATRIX_F32 FLOATS8, mma, MMA),

	ROW("wgmma.fence.sync.aligned", "", wgmma_order, WARPSYNC),
	ROW("wgmma.commit_group.sync.aligned", "", wgmma_order, MMA_GROUP_COMMIT),
	ROW("wgmma.wait_group.sync.aligned a", "a = .u32", wgmma_order, MMA_GROUP_WAIT),
	ROW("wgmma.mma_async.sync.aligned.shape.f32.f16.f16 d, a, b, c, e, f, g{, h}", GROUP_F32("16"), wgmma, MMA_GROUP),
	ROW("wgmma.mma_async.sync.aligned.shape.f16.f16.f16 d, a, b, c, e, f, g{, h}", GROUP_F16("16"), wgmma, MMA_GROUP),
	ROW("wgmma.mma_async.sync.aligned.shape.f32.bf16.bf16 d, a, b, c, e, f, g{, h}", GROUP_F32("16"), wgmma, MMA_GROUP),
	ROW("wgmma.mma_async.sync.aligned.shape.f32.tf32.tf32 d, a, b, c, e, f", GROUP_F32("8"), wgmma, MMA_GROUP),
	ROW("wgmma.mma_async.sync.aligned.shape.f32.atype.btype d, a, b, c, e, f", GROUP_F32("32") FLOATS8, wgmma, MMA_GROUP),
	ROW("wgmma.mma_async.sync.aligned.shape.f16.atype.btype d, a, b, c, e, f", GROUP_F16("32") FLOATS8, wgmma, MMA_GROUP),
	ROW("wgmma.mma_async.sync.aligned.shape{.satfinite}.s32.atype.btype d, a, b, c", GROUP_INTEGER("32") "; .atype = .u8 .s8; .btype = .u8 .s8", wgmma, MMA_GROUP),
	ROW("wgmma.mma_async.sync.aligned.shape.s32.b1.b1.BoolOp.popc d, a, b, c", GROUP_INTEGER("256") "; .BoolOp = .and", wgmma, MMA_GROUP),
	ROW("wgmma.mma_async.sp.sync.aligned.shape.f32.f16.f16 d, a, b, metadata, selector, c, e, f, g{, h}", GROUP_SPARSE GROUP_F32("32"), wgmma, MMA_GROUP),
	ROW("wgmma.mma_async.sp.sync.aligned.shape.f16.f16.f16 d, a, b, metadata, selector, c, e, f, g{, h}", GROUP_SPARSE GROUP_F16("32"), wgmma, MMA_GROUP),
	ROW("wgmma.mma_async.sp.sync.aligned.shape.f32.bf16.bf16 d, a, b, metadata, selector, c, e, f, g{, h}", GROUP_SPARSE GROUP_F32("32"), wgmma, MMA_GROUP),
	ROW("wgmma.mma_async.sp.sync.aligned.shape.f32.tf32.tf32 d, a, b, metadata, selector, c, e, f", GROUP_SPARSE GROUP_F32("16"), wgmma, MMA_GROUP),
	ROW("wgmma.mma_async.sp.sync.aligned.shape.f32.atype.btype d, a, b, metadata, selector, c, e, f", GROUP_SPARSE GROUP_F32("64") FLOATS8, wgmma, MMA_GROUP),
	ROW("wgmma.mma_async.sp.sync.aligned.shape.f16.atype.btype d, a, b, metadata, selector, c, e, f", GROUP_SPARSE GROUP_F16("64") FLOATS8, wgmma, MMA_GROUP),
	ROW("wgmma.mma_async.sp.sync.aligned.shape{.satfinite}.s32.atype.btype d, a, b, metadata, selector, c", GROUP_SPARSE GROUP_INTEGER("64") "; .atype = .u8 .s8; .btype = .u8 .s8", wgmma, MMA_GROUP),
	ROW("ldmatrix.sync.aligned.m8n8.x1{.trans}{.ss}.b16 d, [a]", LDMATRIX, ldmatrix, LOADMATRIX),
	ROW("ldmatrix.sync.aligned.m8n8.x2{.trans}{.ss}.b16 d, [a]", LDMATRIX, ldmatrix, LOADMATRIX),
	ROW("ldmatrix.sync.aligned.m8n8.x4{.trans}{.ss}.b16 d, [a]", LDMATRIX, ldmatrix, LOADMATRIX),

	ROW("stmatrix.sync.aligned.m8n8.x1{.trans}{.ss}.b16 [a], b", STMATRIX, stmatrix, STORE),
	ROW("stmatrix.sync.aligned.m8n8.x2{.trans}{.ss}.b16 [a], b", STMATRIX, stmatrix, STORE),
	ROW("stmatrix.sync.aligned.m8n8.x4{.trans}{.ss}.b16 [a], b", STMATRIX, stmatrix, STORE),
	ROW("movmatrix.sync.aligned.m8n8.trans.b16 d, a", "d a = .b32", movmatrix, SHUFFLE),

	ROW("wmma.load.a.sync.aligned.layout.shape{.ss}.type d, [a]{, b}", WMMA_LOAD "d = .b32 or fragment; .type = .f16 .bf16 .u8 .s8", wmma_load, LOAD),
	ROW("wmma.load.b.sync.aligned.layout.shape{.ss}.type d, [a]{, b}", WMMA_LOAD "d = .b32 or fragment; .type = .f16 .bf16 .u8 .s8", wmma_load, LOAD),
	ROW("wmma.load.c.sync.aligned.layout.shape{.ss}.type d, [a]{, b}", WMMA_LOAD "d = .b32 or fragment; .type = .f16 .s32", wmma_load, LOAD),
	ROW("wmma.load.c.sync.aligned.layout.shape{.ss}.f32 d, [a]{, b}", WMMA_LOAD "d = .f32 or fragment", wmma_load, LOAD),
	ROW("wmma.load.a.sync.aligned.layout.m16n16k8{.ss}.tf32 d, [a]{, b}", WMMA_IN "d = .b32 or fragment", wmma_load, LOAD),
	ROW("wmma.load.b.sync.aligned.layout.m16n16k8{.ss}.tf32 d, [a]{, b}", WMMA_IN "d = .b32 or fragment", wmma_load, LOAD),
	ROW("wmma.load.c.sync.aligned.layout.m16n16k8{.ss}.f32 d, [a]{, b}", WMMA_IN "d = .f32 or fragment", wmma_load, LOAD),
	ROW("wmma.load.a.sync.aligned.layout.m8n8k4{.ss}.f64 d, [a]{, b}", WMMA_IN "d = .f64 or fragment", wmma_load, LOAD),
	ROW("wmma.load.b.sync.aligned.layout.m8n8k4{.ss}.f64 d, [a]{, b}", WMMA_IN "d = .f64 or fragment", wmma_load, LOAD),
	ROW("wmma.load.c.sync.aligned.layout.m8n8k4{.ss}.f64 d, [a]{, b}", WMMA_IN "d = .f64 or fragment", wmma_load, LOAD),
	ROW("wmma.store.d.sync.aligned.layout.shape{.ss}.type [a], b{, c}", WMMA_STORE "b = .b32 or fragment; .type = .f16 .s32", wmma_store, STORE),
	ROW("wmma.store.d.sync.aligned.layout.shape{.ss}.f32 [a], b{, c}", WMMA_STORE "b = .f32 or fragment", wmma_store, STORE),
	ROW("wmma.store.d.sync.aligned.layout.m16n16k8{.ss}.f32 [a], b{, c}", WMMA_OUT "b = .f32 or fragment", wmma_store, STORE),
	ROW("wmma.store.d.sync.aligned.layout.m8n8k4{.ss}.f64 [a], b{, c}", WMMA_OUT "b = .f64 or fragment", wmma_store, STORE),
	ROW("wmma.mma.sync.aligned.layout.blayout.shape.f16.f16 d, a, b, c", WMMA "d a b c = .b32 or fragment", wmma_mma, MMA),
	ROW("wmma.mma.sync.aligned.layout.blayout.shape.f16.f32 d, a, b, c", WMMA "d a b = .b32 or fragment; c = .f32 or fragment", wmma_mma, MMA),
	ROW("wmma.mma.sync.aligned.layout.blayout.shape.f32.f16 d, a, b, c", WMMA "a b c = .b32 or fragment; d = .f32 or fragment", wmma_mma, MMA),
	ROW("wmma.mma.sync.aligned.layout.blayout.shape.f32.f32 d, a, b, c", WMMA "a b = .b32 or fragment; c d = .f32 or fragment", wmma_mma, MMA),
	ROW("wmma.mma.sync.aligned.layout.blayout.shape.f32.bf16.bf16.f32 d, a, b, c", WMMA "a b = .b32 or fragment; c d = .f32 or fragment", wmma_mma, MMA),
	ROW("wmma.mma.sync.aligned.layout.blayout.m16n16k8.f32.tf32.tf32.f32 d, a, b, c", LAYOUTS "a b = .b32 or fragment; c d = .f32 or fragment", wmma_mma, MMA),
	ROW("wmma.mma.sync.aligned.layout.blayout.m8n8k4{.rnd}.f64.f64.f64.f64 d, a, b, c", LAYOUTS "a b c d = .f64 or fragment; .rnd = .rn", wmma_mma, MMA),
	ROW("wmma.mma.sync.aligned.layout.blayout.shape.s32.u8.u8.s32{.satfinite} d, a, b, c", WMMA "d a b c = .b32 or fragment", wmma_mma, MMA),
	ROW("wmma.mma.sync.aligned.layout.blayout.shape.s32.s8.s8.s32{.satfinite} d, a, b, c", WMMA "d a b c = .b32 or fragment", wmma_mma, MMA),

	ROW("wmma.load.a.sync.aligned.row.m8n8k32{.ss}.type d, [a]{, b}", WMMA_SMALL "d = .b32 or fragment; .type = .u4 .s4", wmma_load, LOAD),
	ROW("wmma.load.b.sync.aligned.col.m8n8k32{.ss}.type d, [a]{, b}", WMMA_SMALL "d = .b32 or fragment; .type = .u4 .s4", wmma_load, LOAD),
	ROW("wmma.load.c.sync.aligned.layout.m8n8k32{.ss}.s32 d, [a]{, b}", WMMA_IN "d = .b32 or fragment", wmma_load, LOAD),
	ROW("wmma.store.d.sync.aligned.layout.m8n8k32{.ss}.s32 [a], b{, c}", WMMA_OUT "b = .b32 or fragment", wmma_store, STORE),
	ROW("wmma.mma.sync.aligned.row.col.m8n8k32.s32.u4.u4.s32{.satfinite} d, a, b, c", MATRIX_WORDS, wmma_mma, MMA),
	ROW("wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.s4.s32{.satfinite} d, a, b, c", MATRIX_WORDS, wmma_mma, MMA),
	ROW("wmma.load.a.sync.aligned.row.m8n8k128{.ss}.b1 d, [a]{, b}", WMMA_SMALL "d = .b32 or fragment", wmma_load, LOAD),
	ROW("wmma.load.b.sync.aligned.col.m8n8k128{.ss}.b1 d, [a]{, b}", WMMA_SMALL "d = .b32 or fragment", wmma_load, LOAD),
	ROW("wmma.load.c.sync.aligned.layout.m8n8k128{.ss}.s32 d, [a]{, b}", WMMA_IN "d = .b32 or fragment", wmma_load, LOAD),
	ROW("wmma.store.d.sync.aligned.layout.m8n8k128{.ss}.s32 [a], b{, c}", WMMA_OUT "b = .b32 or fragment", wmma_store, STORE),
	ROW("wmma.mma.BoolOp.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32 d, a, b, c", MATRIX_BITS, wmma_mma, MMA),

	/* textures and surfaces */
	ROW("tex{.base}.geom.vec.dtype.atype d{|p}, [a, b]{, f}{, g}", SAMPLED_WORDS TEXTURES EXTRAS ".atype = .s32 .f32", tex, SAMPLE),
	ROW("tex.level.geom.vec.dtype.atype d{|p}, [a, b], c{, f}{, g}", SAMPLED_WORDS TEXTURES EXTRAS ".atype = .s32 .f32; c = .atype", tex, SAMPLE),
	ROW("tex.grad.geom.vec.dtype.atype d{|p}, [a, b], c, e{, f}{, g}", SAMPLED_WORDS TEXTURES EXTRAS ".atype = .f32; " GRADIENTS, tex, SAMPLE),
	ROW("tex{.base}.geom.vec.dtype.atype d{|p}, [a, b]{, f}{, g}", SAMPLED_WORDS CUBES EXTRAS ".atype = .f32", tex, SAMPLE),
	ROW("tex.level.geom.vec.dtype.atype d{|p}, [a, b], c{, f}{, g}", SAMPLED_WORDS CUBES EXTRAS ".atype = .f32; c = .f32", tex, SAMPLE),
	ROW("tex.grad.geom.vec.dtype.atype d{|p}, [a, b], c, e{, f}{, g}", SAMPLED_WORDS CUBES EXTRAS ".atype = .f32; " GRADIENTS, tex, SAMPLE),
	ROW("tex{.base}.geom.vec.dtype.atype d{|p}, [a, b]{, f}{, g}", SAMPLED_HALVES TEXTURES EXTRAS ".atype = .s32 .f32", tex, SAMPLE),
	ROW("tex.level.geom.vec.dtype.atype d{|p}, [a, b], c{, f}{, g}", SAMPLED_HALVES TEXTURES EXTRAS ".atype = .s32 .f32; c = .atype", tex, SAMPLE),
	ROW("tex.grad.geom.vec.dtype.atype d{|p}, [a, b], c, e{, f}{, g}", SAMPLED_HALVES TEXTURES EXTRAS ".atype = .f32; " GRADIENTS, tex, SAMPLE),
	ROW("tex{.base}.geom.vec.dtype.atype d{|p}, [a, b]{, f}{, g}", SAMPLED_HALVES CUBES EXTRAS ".atype = .f32", tex, SAMPLE),
	ROW("tex.level.geom.vec.dtype.atype d{|p}, [a, b], c{, f}{, g}", SAMPLED_HALVES CUBES EXTRAS ".atype = .f32; c = .f32", tex, SAMPLE),
	ROW("tex.grad.geom.vec.dtype.atype d{|p}, [a, b], c, e{, f}{, g}", SAMPLED_HALVES CUBES EXTRAS ".atype = .f32; " GRADIENTS, tex, SAMPLE),
	ROW("tex{.base}.geom.vec.dtype.atype d{|p}, [a, b]{, f}{, g}", SAMPLED_PAIRS TEXTURES EXTRAS ".atype = .s32 .f32", tex, SAMPLE),
	ROW("tex.level.geom.vec.dtype.atype d{|p}, [a, b], c{, f}{, g}", SAMPLED_PAIRS TEXTURES EXTRAS ".atype = .s32 .f32; c = .atype", tex, SAMPLE),
	ROW("tex.grad.geom.vec.dtype.atype d{|p}, [a, b], c, e{, f}{, g}", SAMPLED_PAIRS TEXTURES EXTRAS ".atype = .f32; " GRADIENTS, tex, SAMPLE),
	ROW("tex{.base}.geom.vec.dtype.atype d{|p}, [a, b]{, f}{, g}", SAMPLED_PAIRS CUBES EXTRAS ".atype = .f32", tex, SAMPLE),
	ROW("tex.level.geom.vec.dtype.atype d{|p}, [a, b], c{, f}{, g}", SAMPLED_PAIRS CUBES EXTRAS ".atype = .f32; c = .f32", tex, SAMPLE),
	ROW("tex.grad.geom.vec.dtype.atype d{|p}, [a, b], c, e{, f}{, g}", SAMPLED_PAIRS CUBES EXTRAS ".atype = .f32; " GRADIENTS, tex, SAMPLE),
	ROW("tld4.comp.geom.vec.dtype.atype d{|p}, [a, b]{, f}{, g}", SAMPLED_WORDS PLANES EXTRAS ".atype = .f32; .comp = .r .g .b .a", tld4, GATHER4),
	ROW("txq.query.b32 d, [a]", ".query = .width .height .depth .array_size .num_mipmap_levels", txq, TEXQUERY),
	ROW("txq.level.query.b32 d, [a], b", ".query = .width .height .depth; b = .u32", txq, TEXQUERY),
	ROW("txq.num_samples.b32 d, [a]", "", txq_one, TEXQUERY),
	ROW("suq.query.b32 d, [a]", ".query = .width .height .depth .array_size", txq, TEXQUERY),
	ROW("suld.b.geom{.cop}{.vec}.type.bounds d, [a, b]", SURFACE_ELEMENTS ".cop = .ca .cg .cs .cv; d = .type or wider or vector or fragment", suld, SURFLOAD),
	ROW("sust.b.geom{.cop}{.vec}.type.bounds [a, b], c", SURFACE_ELEMENTS ".cop = .wb .cg .cs .wt; c = .type or wider or vector or fragment", sust, SURFSTORE),
	ROW("sust.p.geom{.vec}.b32.bounds [a, b], c", SURFACE VECTOR "c = .b32 or vector or fragment", sust_p, SURFSTORE),
	ROW("sured.b.op.geom.type.bounds [a, b], c", SURFACE ".op = .add; .type = .u32 .s32 .u64", sured, SURFREDUCE),
	ROW("sured.b.op.geom.type.bounds [a, b], c", SURFACE ".op = .min .max; .type = .u32 .s32 .u64 .s64", sured, SURFREDUCE),
	ROW("sured.b.op.geom.b32.bounds [a, b], c", SURFACE ".op = .and .or", sured, SURFREDUCE),
	ROW("sured.p.op.geom.b32.bounds [a, b], c", ".geom = .1d .2d .3d; .bounds = .trap .clamp .zero; b = .b32 or fragment; .op = .add .min .max .and .or", sured, SURFREDUCE),

	/* lanes and blocks */
	ROW("shfl.sync.mode.b32 d{|p}, a, b, c, membermask",
	    "p = .pred or nothing; b c = .b32; membermask = .u32", shfl, SHUFFLE),
	ROW("shfl.mode.b32 d{|p}, a, b, c", "p = .pred or nothing; b c = .b32", shfl, SHUFFLE),
	ROW("vote.sync.vote.pred d, a, membermask",
	    ".vote = .all .any .uni; membermask = .u32", vote, VOTE),
	ROW("vote.sync.ballot.b32 d, a, membermask", "a = .pred; membermask = .u32", vote, VOTE),
	ROW("vote.vote.pred d, a", ".vote = .all .any .uni", vote, VOTE),
	ROW("vote.ballot.b32 d, a", "a = .pred", vote, VOTE),
	ROW("match.any.sync.type d, a, membermask",
	    ".type = .b32 .b64; d = .b32; membermask = .u32", match, MATCH_ANY),
	ROW("match.all.sync.type d{|p}, a, membermask",
	    ".type = .b32 .b64; d = .b32; p = .pred or nothing; membermask = .u32", match,
	    MATCH_ALL),
	ROW("redux.sync.op.type d, a, membermask",
	    ".op = .add .min .max; .type = .u32 .s32; membermask = .u32", redux, REDUCE),
	ROW("redux.sync.op.b32 d, a, membermask", ".op = .and .or .xor; membermask = .u32", redux,
	    REDUCE),
	ROW("activemask.b32 d", "", activemask, ACTIVE),
	ROW("elect.sync d|p, membermask", "d = .b32 or nothing; p = .pred; membermask = .u32",
	    elect, WARPSYNC),
	ROW("bar.warp.sync membermask", "membermask = .u32", warpsync, WARPSYNC),
	ROW("bar{.cta}.sync a{, b}", "a b = .u32", barrier, BARRIER),
	ROW("bar{.cta}.arrive a, b", "a b = .u32", barrier, BARRIER),
	ROW("bar{.cta}.red.popc.u32 d, a{, b}, c", "a b = .u32; c = .pred", barrier_red,
	    BARRIER_RED),
	ROW("bar{.cta}.red.BoolOp.pred p, a{, b}, c", ".BoolOp = .and .or; a b = .u32",
	    barrier_red, BARRIER_RED),
	ROW("barrier.cluster.arrive{.sem}{.aligned}", ".sem = .release .relaxed", cluster_arrive, CLUSTER_BARRIER),
	ROW("barrier.cluster.wait{.acquire}{.aligned}", "", cluster_wait, CLUSTER_BARRIER),
	ROW("barrier{.cta}.sync{.aligned} a{, b}", "a b = .u32", barrier, BARRIER),
	ROW("barrier{.cta}.arrive{.aligned} a, b", "a b = .u32", barrier, BARRIER),
	ROW("barrier{.cta}.red.popc{.aligned}.u32 d, a{, b}, c", "a b = .u32; c = .pred",
	    barrier_red, BARRIER_RED),
	ROW("barrier{.cta}.red.BoolOp{.aligned}.pred p, a{, b}, c",
	    ".BoolOp = .and .or; a b = .u32", barrier_red, BARRIER_RED),
	ROW("nanosleep.u32 a", "", nanosleep, SLEEP),
	ROW("setmaxnreg.inc.sync.aligned.u32 a", "", setmaxnreg, FENCE),
	ROW("setmaxnreg.dec.sync.aligned.u32 a", "", setmaxnreg, FENCE),
	ROW("griddepcontrol.launch_dependents", "", nothing, FENCE),
	ROW("griddepcontrol.wait", "", grid_wait, GRIDWAIT),
	ROW("pmevent a", "a = .u32", nothing, FENCE),
	ROW("pmevent.mask a", "a = .u32", nothing, FENCE),

	/* control */
	ROW("bra{.uni} tgt", "tgt = label", bra, BR),
	ROW("brx.idx{.uni} a, tlist", "a = .u32; tlist = targets", brx, CBR),
	ROW("ret{.uni}", "", ret, RET),
	ROW("exit", "", exit, RET),
	ROW("trap", "", trap, TRAP),
	ROW("brkpt", "", trap, TRAP),
	{NULL, NULL, NULL, 0},
};
/* clang-format on */

/* Instructions of PTX 9.0 that are not supported; the error names their feature. */
const struct ptx_unsupported ptx_unsupported[] = {
	{"tcgen05", "tensor core"},
	{"clusterlaunchcontrol", "cancelling clusters, which needs sm_100"},
	{"istypep", "types of handles of textures and surfaces"},
	{"multimem", "multicast addresses of sm_90, which name memory of several devices"},
	{NULL, NULL},
};

/* Words of PTX 9.0 that only targets after sm_90 know, and the first of these targets. */
const struct ptx_newer ptx_newer[] = {
	{"cvt",
	 ".e2m1x2 .e2m1x4 .e2m3x2 .e2m3x4 .e3m2x2 .e3m2x4 .e4m3x4 .e5m2x4 .ue8m0x2 .s2f6x2 .rs "
	 ".scaled::n2::ue8m0",
	 0, "sm_100a"},
	{"add sub mul fma", ".f32x2", 0, "sm_100"},
	{"add sub fma", ".f32.f16 .f32.bf16", 0, "sm_100"},
	{"min max", ".abs", 0, "sm_100"},
	{"min max", ".f32", 4, "sm_100"},
	{"ld st", ".v8 .L2::evict_last .L2::evict_normal .L2::evict_first", 0, "sm_100"},
	{"st", ".bulk", 0, "sm_100"},
	{"redux", ".f32", 0, "sm_100a"},
	{NULL, NULL, 0, NULL},
};
