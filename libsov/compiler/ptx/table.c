/* SPDX-License-Identifier: MIT */
/*
 * The instructions, one row per form, in the notation of the PTX manual: {} is optional, a word
 * such as .rnd stands for a choice, every other word for itself. Modifiers may come in any order;
 * two of the same kind (cvt's types) come in the row's order.
 *
 * The second string says what the manual says in prose, as clauses "names = meaning":
 *
 *   .type = .u32 .s32     the choices of a group, where they are not all that words.c knows
 *   b c = .u32            the type of these operands, where it is not the instruction's
 *   d = twice .type       twice as wide
 *   d = .type or wider    a register may be wider: loads extend, stores and conversions cut off
 *   a = .type or special  also a special register
 *   a = .type or variable also the address of a variable or parameter
 *   d = .type or parts    also a vector whose elements together are as wide
 *   d = .type or vector   with .v2 or .v4, a vector of so many
 *   d = .type or nothing  also _
 *   tgt = label
 *
 * d, p and q are written, all others read; brackets are an address. The row then names the
 * function that lowers it and the IR operation that it is mainly about.
 */
#include "libsov/compiler/ptx/front.h"

#define UNSIGNED ".u16 .u32 .u64"
#define SIGNED   ".s16 .s32 .s64"
#define INTEGER  UNSIGNED " " SIGNED
#define BITS     ".b16 .b32 .b64"
#define MEMORY   ".b8 .b16 .b32 .b64 .u8 .u16 .u32 .u64 .s8 .s16 .s32 .s64 .f32 .f64"
#define BYTES    ".u8 .u16 .u32 .u64 .s8 .s16 .s32 .s64"
#define ORDERED  ".eq .ne .lt .le .gt .ge"
#define FLOATCMP ORDERED " .equ .neu .ltu .leu .gtu .geu .num .nan"

#define LOAD  ".type = " MEMORY "; d = .type or wider or vector; "
#define STORE ".type = " MEMORY "; b = .type or wider or vector; "
#define SETP  "p q = .pred or nothing; c = .pred; "

#define SPACES  ".global .shared .shared::cta"
#define SCOPES  ".scope = .cta .cluster .gpu .sys; "
#define ATOM_IN ".ss = " SPACES "; " SCOPES "d = .type or nothing; "
#define ATOM    ATOM_IN ".sem = .relaxed .acquire .release .acq_rel; "
#define RED     ATOM_IN ".sem = .relaxed .release; "

#define ROW(form, where, lowering, op) {form, where, ptx_lower_##lowering, IR_##op}

/* clang-format off */
const struct ptx_row ptx_rows[] = {
	/* integer and float arithmetic */
	ROW("add.type d, a, b", ".type = " INTEGER, plain, ADD),
	ROW("add{.rnd}{.ftz}{.sat}.f32 d, a, b", "", plain, FADD),
	ROW("add{.rnd}.f64 d, a, b", "", plain, FADD),
	ROW("sub.type d, a, b", ".type = " INTEGER, plain, SUB),
	ROW("sub{.rnd}{.ftz}{.sat}.f32 d, a, b", "", fsub, FADD),
	ROW("sub{.rnd}.f64 d, a, b", "", fsub, FADD),
	ROW("mul.lo.type d, a, b", ".type = " INTEGER, plain, MUL),
	ROW("mul.hi.type d, a, b", ".type = " UNSIGNED, plain, MULHI_U),
	ROW("mul.hi.type d, a, b", ".type = " SIGNED, plain, MULHI_S),
	ROW("mul.wide.type d, a, b", ".type = .u16 .u32; d = twice .type", plain, MULWIDE_U),
	ROW("mul.wide.type d, a, b", ".type = .s16 .s32; d = twice .type", plain, MULWIDE_S),
	ROW("mul{.rnd}{.ftz}{.sat}.f32 d, a, b", "", plain, FMUL),
	ROW("mul{.rnd}.f64 d, a, b", "", plain, FMUL),
	ROW("mad.lo.type d, a, b, c", ".type = " INTEGER, plain, MAD),
	ROW("mad.hi.type d, a, b, c", ".type = " UNSIGNED, mad, MULHI_U),
	ROW("mad.hi.type d, a, b, c", ".type = " SIGNED, mad, MULHI_S),
	ROW("mad.wide.type d, a, b, c", ".type = .u16 .u32; d c = twice .type", mad, MULWIDE_U),
	ROW("mad.wide.type d, a, b, c", ".type = .s16 .s32; d c = twice .type", mad, MULWIDE_S),
	ROW("mad.rnd{.ftz}{.sat}.f32 d, a, b, c", "", plain, FMA),
	ROW("mad.rnd.f64 d, a, b, c", "", plain, FMA),
	ROW("fma.rnd{.ftz}{.sat}.f32 d, a, b, c", "", plain, FMA),
	ROW("fma.rnd.f64 d, a, b, c", "", plain, FMA),
	ROW("div.type d, a, b", ".type = " UNSIGNED, plain, DIV_U),
	ROW("div.type d, a, b", ".type = " SIGNED, plain, DIV_S),
	ROW("rem.type d, a, b", ".type = " UNSIGNED, plain, REM_U),
	ROW("rem.type d, a, b", ".type = " SIGNED, plain, REM_S),
	ROW("neg.type d, a", ".type = " SIGNED, plain, NEG),
	ROW("neg{.ftz}.f32 d, a", "", plain, FNEG),
	ROW("neg.f64 d, a", "", plain, FNEG),
	ROW("abs.type d, a", ".type = " SIGNED, iabs, MAX_S),
	ROW("abs{.ftz}.f32 d, a", "", plain, FABS),
	ROW("abs.f64 d, a", "", plain, FABS),
	ROW("min.type d, a, b", ".type = " UNSIGNED, plain, MIN_U),
	ROW("min.type d, a, b", ".type = " SIGNED, plain, MIN_S),
	ROW("min{.ftz}.f32 d, a, b", "", plain, FMIN),
	ROW("min.f64 d, a, b", "", plain, FMIN),
	ROW("max.type d, a, b", ".type = " UNSIGNED, plain, MAX_U),
	ROW("max.type d, a, b", ".type = " SIGNED, plain, MAX_S),
	ROW("max{.ftz}.f32 d, a, b", "", plain, FMAX),
	ROW("max.f64 d, a, b", "", plain, FMAX),

	/* logic and shifts */
	ROW("and.type d, a, b", ".type = .pred " BITS, plain, AND),
	ROW("or.type d, a, b", ".type = .pred " BITS, plain, OR),
	ROW("xor.type d, a, b", ".type = .pred " BITS, plain, XOR),
	ROW("not.type d, a", ".type = .pred " BITS, plain, NOT),
	ROW("shl.type d, a, b", ".type = " BITS "; b = .u32", plain, SHL),
	ROW("shr.type d, a, b", ".type = " BITS " " UNSIGNED "; b = .u32", plain, SHR_U),
	ROW("shr.type d, a, b", ".type = " SIGNED "; b = .u32", plain, SHR_S),

	ROW("popc.type d, a", ".type = .b32 .b64; d = .u32; a = .type", count, POPC),
	ROW("clz.type d, a", ".type = .b32 .b64; d = .u32; a = .type", count, CLZ),
	ROW("brev.type d, a", ".type = .b32 .b64", plain, BREV),

	/* comparison and selection */
	ROW("setp.CmpOp{.BoolOp}.type p{|q}, a, b{, c}",
	    SETP ".CmpOp = .eq .ne; .type = " BITS, setp, ICMP),
	ROW("setp.CmpOp{.BoolOp}.type p{|q}, a, b{, c}",
	    SETP ".CmpOp = " ORDERED " .lo .ls .hi .hs; .type = " UNSIGNED, setp, ICMP),
	ROW("setp.CmpOp{.BoolOp}.type p{|q}, a, b{, c}",
	    SETP ".CmpOp = " ORDERED "; .type = " SIGNED, setp, ICMP),
	ROW("setp.CmpOp{.BoolOp}{.ftz}.f32 p{|q}, a, b{, c}",
	    SETP ".CmpOp = " FLOATCMP, setp, FCMP),
	ROW("setp.CmpOp{.BoolOp}.f64 p{|q}, a, b{, c}",
	    SETP ".CmpOp = " FLOATCMP, setp, FCMP),
	ROW("selp.type d, a, b, c",
	    ".type = " BITS " " INTEGER " .f32 .f64; c = .pred", selp, SELECT),

	/* moves and conversions */
	ROW("mov.type d, a", ".type = .pred", mov, COPY),
	ROW("mov.type d, a", ".type = " BITS "; d = .type or parts; "
	    "a = .type or parts or variable or special", mov, COPY),
	ROW("mov.type d, a", ".type = " INTEGER "; a = .type or variable or special", mov, COPY),
	ROW("mov.type d, a", ".type = .f32 .f64", mov, COPY),
	ROW("cvt{.sat}.dtype.atype d, a", ".dtype = " BYTES "; .atype = " BYTES "; "
	    "d = .dtype or wider; a = .atype or wider or special", cvt, TRUNC),
	ROW("cvta.ss.type d, a", ".ss = .const .local " SPACES "; .type = .u64; "
	    "a = .type or variable", cvta, GENERIC),
	ROW("cvta.to.ss.type d, a", ".ss = .const .local " SPACES "; .type = .u64", cvta, TOSPACE),

	/* memory */
	ROW("ld{.weak}{.ss}{.cop}{.hint}{.prefetch}{.vec}.type d, [a]",
	    LOAD ".ss = .local " SPACES "; .cop = .ca .cg .cs .lu .cv", ld, LOAD),
	ROW("ld{.weak}.ss{.vec}.type d, [a]", LOAD ".ss = .const .param .param::entry", ld, LOAD),
	ROW("ld.volatile{.ss}{.prefetch}{.vec}.type d, [a]", LOAD ".ss = .local " SPACES, ld, LOAD),
	ROW("ld.sem.scope{.ss}{.hint}{.prefetch}{.vec}.type d, [a]",
	    LOAD SCOPES ".sem = .relaxed .acquire; .ss = " SPACES, ld, LOAD),
	ROW("ld.global{.cop}.nc{.hint}{.prefetch}{.vec}.type d, [a]",
	    LOAD ".cop = .ca .cg .cs", ld, LOAD),
	ROW("st{.weak}{.ss}{.cop}{.hint}{.vec}.type [a], b",
	    STORE ".ss = .local .param " SPACES "; .cop = .wb .cg .cs .wt", st, STORE),
	ROW("st.volatile{.ss}{.vec}.type [a], b", STORE ".ss = .local " SPACES, st, STORE),
	ROW("st.sem.scope{.ss}{.hint}{.vec}.type [a], b",
	    STORE SCOPES ".sem = .relaxed .release; .ss = " SPACES, st, STORE),
	ROW("atom{.sem}{.scope}{.ss}.op.type d, [a], b",
	    ATOM ".op = .and .or .xor .exch; .type = .b32 .b64", atom, ATOM),
	ROW("atom{.sem}{.scope}{.ss}.add.type d, [a], b",
	    ATOM ".type = .u32 .s32 .u64 .f32 .f64", atom, ATOM),
	ROW("atom{.sem}{.scope}{.ss}.op.type d, [a], b",
	    ATOM ".op = .inc .dec; .type = .u32", atom, ATOM),
	ROW("atom{.sem}{.scope}{.ss}.op.type d, [a], b",
	    ATOM ".op = .min .max; .type = .u32 .u64 .s32 .s64", atom, ATOM),
	ROW("atom{.sem}{.scope}{.ss}.cas.type d, [a], b, c", ATOM ".type = .b32 .b64", cas, CAS),
	ROW("red{.sem}{.scope}{.ss}.op.type [a], b",
	    RED ".op = .and .or .xor; .type = .b32 .b64", atom, ATOM),
	ROW("red{.sem}{.scope}{.ss}.add.type [a], b",
	    RED ".type = .u32 .s32 .u64 .f32 .f64", atom, ATOM),
	ROW("red{.sem}{.scope}{.ss}.op.type [a], b",
	    RED ".op = .inc .dec; .type = .u32", atom, ATOM),
	ROW("red{.sem}{.scope}{.ss}.op.type [a], b",
	    RED ".op = .min .max; .type = .u32 .u64 .s32 .s64", atom, ATOM),
	ROW("membar.level", ".level = .cta .gl .sys", fence, FENCE),
	ROW("fence{.sem}.scope", SCOPES ".sem = .sc .acq_rel", fence, FENCE),

	/* lanes and blocks */
	ROW("shfl.sync.mode.b32 d{|p}, a, b, c, membermask",
	    "p = .pred or nothing; b c membermask = .u32", shfl, SHUFFLE),
	ROW("vote.sync.vote.pred d, a, membermask",
	    ".vote = .all .any .uni; membermask = .u32", vote, VOTE),
	ROW("vote.sync.ballot.b32 d, a, membermask", "a = .pred; membermask = .u32", vote, VOTE),
	ROW("bar{.cta}.sync a{, b}", "a b = .u32", barrier, BARRIER),
	ROW("bar{.cta}.arrive a, b", "a b = .u32", barrier, BARRIER),
	ROW("barrier{.cta}.sync{.aligned} a{, b}", "a b = .u32", barrier, BARRIER),
	ROW("barrier{.cta}.arrive{.aligned} a, b", "a b = .u32", barrier, BARRIER),

	/* control */
	ROW("bra{.uni} tgt", "tgt = label", bra, BR),
	ROW("ret{.uni}", "", ret, RET),
	ROW("exit", "", ret, RET),
	ROW("trap", "", trap, TRAP),
	{NULL, NULL, NULL, 0},
};
/* clang-format on */

/* Instructions of PTX 9.0 without a row: named as such, not as unknown. */
const char *const ptx_not_yet[] = {
	"activemask", "addc", "alloca", "applypriority", "bfe", "bfi", "bfind", "bmsk", "brkpt",
	"brx", "cnot", "copysign", "cos", "cp", "createpolicy", "discard", "dp2a", "dp4a",
	"elect", "ex2", "fns", "getctarank", "griddepcontrol", "isspacep", "istypep", "ldmatrix",
	"ldu", "lg2", "lop3", "mad24", "madc", "mapa", "match", "mbarrier", "mma", "movmatrix",
	"mul24", "multimem", "nanosleep", "pmevent", "prefetch", "prefetchu", "prmt", "rcp",
	"redux", "rsqrt", "sad", "set", "setmaxnreg", "shf", "sin", "slct", "sqrt",
	"stackrestore", "stacksave", "stmatrix", "subc", "suld", "suq", "sured", "sust", "szext",
	"tanh", "tcgen05", "tensormap", "testp", "tex", "tld4", "txq", "vabsdiff", "vabsdiff2",
	"vabsdiff4", "vadd", "vadd2", "vadd4", "vavrg2", "vavrg4", "vmad", "vmax", "vmax2",
	"vmax4", "vmin", "vmin2", "vmin4", "vset", "vset2", "vset4", "vshl", "vshr", "vsub",
	"vsub2", "vsub4", "wgmma", "wmma", NULL,
};
