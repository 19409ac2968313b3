#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""PTX with one kernel per instruction form: out[i] = form(a[i], b[i], c[i]), 64-bit words.

Each kernel loads three words and has them as %a %b %c (64 bits), %a32 … (low halves), %f1 %f2 %f3
(floats), %fd1 … (doubles) and %h1 … (halves); its text leaves the answer in %d, or in %d32, %f0, %fd0
or %h0, which the form's kind then moves to %d. Forms whose results are only close to the true value
have names that begin with approx_. forms.c runs the kernels and compares.
"""

FLOATS = "mov.b32 %f1,%a32; mov.b32 %f2,%b32; mov.b32 %f3,%c32;"
DOUBLES = "mov.b64 %fd1,%a; mov.b64 %fd2,%b; mov.b64 %fd3,%c;"
HALVES = "mov.b32 {%h1,%h4},%a32; mov.b32 {%h2,%h5},%b32; mov.b32 {%h3,%h6},%c32;"
# kind: what comes before the text, where the answer is
KINDS = {
    "w": ("", "cvt.u64.u32 %d,%d32;"),
    "d": ("", ""),
    "ff": (FLOATS, "mov.b32 %d32,%f0; cvt.u64.u32 %d,%d32;"),
    "fw": (FLOATS, "cvt.u64.u32 %d,%d32;"),
    "fd": (FLOATS, ""),
    "fD": (FLOATS, "mov.b64 %d,%fd0;"),
    "fh": (FLOATS, "cvt.u64.u16 %d,%h0;"),
    "DD": (DOUBLES, "mov.b64 %d,%fd0;"),
    "Df": (DOUBLES, "mov.b32 %d32,%f0; cvt.u64.u32 %d,%d32;"),
    "Dw": (DOUBLES, "cvt.u64.u32 %d,%d32;"),
    "Dd": (DOUBLES, ""),
    "Dh": (DOUBLES, "cvt.u64.u16 %d,%h0;"),
    "hh": (HALVES, "cvt.u64.u16 %d,%h0;"),
    "hw": (HALVES, "cvt.u64.u32 %d,%d32;"),
    "hd": (HALVES, ""),
    "hf": (HALVES, "mov.b32 %d32,%f0; cvt.u64.u32 %d,%d32;"),
    "hD": (HALVES, "mov.b64 %d,%fd0;"),
    "wh": ("cvt.u16.u32 %h1,%a32;", "cvt.u64.u16 %d,%h0;"),
    "wf": ("cvt.u16.u32 %h1,%a32;", "mov.b32 %d32,%f0; cvt.u64.u32 %d,%d32;"),
    "wD": ("cvt.u16.u32 %h1,%a32;", "mov.b64 %d,%fd0;"),
}
ROUND = ("rn", "rz", "rm", "rp")
ROUND_INT = ("rni", "rzi", "rmi", "rpi")
COMPARE = "eq ne lt le gt ge equ neu ltu leu gtu geu num nan".split()
INTEGERS = ("s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64")

forms = []


def form(kind, name, text):
    forms.append((kind, name.replace(".", "_"), text))


def plain(kind, instruction, operands):
    form(kind, instruction, f"{instruction} {operands};")


def arithmetic():
    for ftz in ("", ".ftz"):
        for r in ROUND:
            for sat in ("", ".sat"):
                plain("ff", f"add.{r}{ftz}{sat}.f32", "%f0,%f1,%f2")
                plain("ff", f"mul.{r}{ftz}{sat}.f32", "%f0,%f1,%f2")
                plain("ff", f"fma.{r}{ftz}{sat}.f32", "%f0,%f1,%f2,%f3")
            plain("ff", f"div.{r}{ftz}.f32", "%f0,%f1,%f2")
            plain("ff", f"rcp.{r}{ftz}.f32", "%f0,%f1")
            plain("ff", f"sqrt.{r}{ftz}.f32", "%f0,%f1")
        for nan in ("", ".NaN"):
            plain("ff", f"min{ftz}{nan}.f32", "%f0,%f1,%f2")
            plain("ff", f"max{ftz}{nan}.f32", "%f0,%f1,%f2")
        plain("ff", f"abs{ftz}.f32", "%f0,%f1")
        plain("ff", f"neg{ftz}.f32", "%f0,%f1")
        for c in COMPARE:
            form("fw", f"setp.{c}{ftz}.f32", f"setp.{c}{ftz}.f32 %p,%f1,%f2; selp.u32 %d32,1,0,%p;")
        for name in ("rcp", "sqrt", "rsqrt", "ex2", "lg2", "sin", "cos"):
            form("ff", f"approx.{name}{ftz}.f32", f"{name}.approx{ftz}.f32 %f0,%f1;")
        form("ff", f"approx.div{ftz}.f32", f"div.approx{ftz}.f32 %f0,%f1,%f2;")
        form("ff", f"approx.div.full{ftz}.f32", f"div.full{ftz}.f32 %f0,%f1,%f2;")
    form("ff", "approx.tanh.f32", "tanh.approx.f32 %f0,%f1;")
    for r in ROUND:
        for name in ("add", "mul", "div"):
            plain("DD", f"{name}.{r}.f64", "%fd0,%fd1,%fd2")
        plain("DD", f"fma.{r}.f64", "%fd0,%fd1,%fd2,%fd3")
        plain("DD", f"rcp.{r}.f64", "%fd0,%fd1")
        plain("DD", f"sqrt.{r}.f64", "%fd0,%fd1")
    for name in ("min", "max"):
        plain("DD", f"{name}.f64", "%fd0,%fd1,%fd2")
    for c in COMPARE:
        form("Dw", f"setp.{c}.f64", f"setp.{c}.f64 %p,%fd1,%fd2; selp.u32 %d32,1,0,%p;")
    form("DD", "approx.rcp.f64", "rcp.approx.ftz.f64 %fd0,%fd1;")
    form("DD", "approx.rsqrt.f64", "rsqrt.approx.ftz.f64 %fd0,%fd1;")
    for ftz in ("", ".ftz"):
        for sat in ("", ".sat"):
            plain("w", f"add.rn{ftz}{sat}.f16x2", "%d32,%a32,%b32")
            plain("w", f"mul.rn{ftz}{sat}.f16x2", "%d32,%a32,%b32")
            plain("w", f"fma.rn{ftz}{sat}.f16x2", "%d32,%a32,%b32,%c32")
    plain("w", "fma.rn.bf16x2", "%d32,%a32,%b32,%c32")


def conversions():
    for kind, source, register, ftzs in (("f", "f32", "%f1", ("", ".ftz")), ("D", "f64", "%fd1", ("",)),
                                         ("h", "f16", "%h1", ("",))):
        for ftz in ftzs:
            for r in ROUND_INT:
                for t in INTEGERS:
                    where = {"8": ("w", "%d32"), "16": ("h", "%h0"), "32": ("w", "%d32"), "64": ("d", "%d")}
                    out, answer = where[t[1:]]
                    plain(kind + out, f"cvt.{r}{ftz}.{t}.{source}", f"{answer},{register}")
                same = {"f": "%f0", "D": "%fd0", "h": "%h0"}[kind]
                plain(kind + kind, f"cvt.{r}{ftz}.{source}.{source}", f"{same},{register}")
    for t in INTEGERS[2:]:
        register = {"16": "%h1", "32": "%a32", "64": "%a"}[t[1:]]
        for r in ROUND:
            plain("wf", f"cvt.{r}.f32.{t}", f"%f0,{register}")
            plain("wD", f"cvt.{r}.f64.{t}", f"%fd0,{register}")
        plain("wh", f"cvt.rn.f16.{t}", f"%h0,{register}")
    for ftz in ("", ".ftz"):
        plain("fD", f"cvt{ftz}.f64.f32", "%fd0,%f1")
        plain("hf", f"cvt{ftz}.f32.f16", "%f0,%h1")
        for r in ROUND:
            plain("Df", f"cvt.{r}{ftz}.f32.f64", "%f0,%fd1")
        for r in ROUND[:2]:
            plain("fh", f"cvt.{r}{ftz}.f16.f32", "%h0,%f1")
    plain("ff", "cvt.sat.f32.f32", "%f0,%f1")
    plain("Dh", "cvt.rn.f16.f64", "%h0,%fd1")
    plain("hD", "cvt.f64.f16", "%fd0,%h1")
    plain("fh", "cvt.rn.bf16.f32", "%h0,%f1")
    for t in ("f16x2", "bf16x2", "relu.f16x2"):
        plain("fw", f"cvt.rn.{t}.f32", "%d32,%f1,%f2")


def integers():
    for name, t in (("add", "s"), ("sub", "s"), ("mul.lo", "s"), ("and", "b"), ("or", "b"), ("xor", "b")):
        plain("w", f"{name}.{t}32", "%d32,%a32,%b32")
        plain("d", f"{name}.{t}64", "%d,%a,%b")
    for s in "su":
        for name in ("mul.hi", "div", "rem", "min", "max"):
            plain("w", f"{name}.{s}32", "%d32,%a32,%b32")
            plain("d", f"{name}.{s}64", "%d,%a,%b")
        plain("d", f"mul.wide.{s}32", "%d,%a32,%b32")
        plain("d", f"mad.wide.{s}32", "%d,%a32,%b32,%c")
        plain("w", f"mad.lo.{s}32", "%d32,%a32,%b32,%c32")
        plain("w", f"mad.hi.{s}32", "%d32,%a32,%b32,%c32")
        for c in COMPARE[:6]:
            form("w", f"setp.{c}.{s}32", f"setp.{c}.{s}32 %p,%a32,%b32; selp.u32 %d32,1,0,%p;")
            form("w", f"setp.{c}.{s}64", f"setp.{c}.{s}64 %p,%a,%b; selp.u32 %d32,1,0,%p;")
        plain("w", f"shr.{s}32", "%d32,%a32,%b32")
        plain("d", f"shr.{s}64", "%d,%a,%b32")
        plain("w", f"bfe.{s}32", "%d32,%a32,%b32,%c32")
        plain("d", f"bfe.{s}64", "%d,%a,%b32,%c32")
        plain("w", f"bfind.{s}32", "%d32,%a32")
        plain("w", f"bfind.shiftamt.{s}32", "%d32,%a32")
        plain("w", f"bfind.{s}64", "%d32,%a")
        plain("w", f"sad.{s}32", "%d32,%a32,%b32,%c32")
        for s2 in "su":
            plain("w", f"dp4a.{s}32.{s2}32", "%d32,%a32,%b32,%c32")
        for mode in ("clamp", "wrap"):
            plain("w", f"szext.{mode}.{s}32", "%d32,%a32,%b32")
    plain("w", "shl.b32", "%d32,%a32,%b32")
    plain("d", "shl.b64", "%d,%a,%b32")
    for mode in ("clamp", "wrap"):
        plain("w", f"shf.l.{mode}.b32", "%d32,%a32,%b32,%c32")
        plain("w", f"shf.r.{mode}.b32", "%d32,%a32,%b32,%c32")
        plain("w", f"bmsk.{mode}.b32", "%d32,%a32,%b32")
    plain("w", "bfi.b32", "%d32,%a32,%b32,%c32,%t")
    plain("d", "bfi.b64", "%d,%a,%b,%c32,%t")
    for name in ("popc", "clz"):
        plain("w", f"{name}.b32", "%d32,%a32")
        plain("w", f"{name}.b64", "%d32,%a")
    plain("w", "brev.b32", "%d32,%a32")
    plain("d", "brev.b64", "%d,%a")
    plain("w", "abs.s32", "%d32,%a32")
    plain("d", "abs.s64", "%d,%a")
    for table in (0x96, 0x1b, 0xe8, 0x02, 0x80, 0xca, 0x6a, 0xf8):
        form("w", f"lop3.{table:02x}", f"lop3.b32 %d32,%a32,%b32,%c32,{table};")
    for mode in ("", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"):
        plain("w", f"prmt.b32{mode}", "%d32,%a32,%b32,%c32")
    form("d", "add3.s64", "add.s64 %d,%a,%b; add.s64 %d,%d,%c;")
    form("d", "sub3.s64", "sub.s64 %d,%a,%b; sub.s64 %d,%d,%c;")
    halves = "mov.b64 {%t,%u},%a; mov.b64 {%v,%x},%b;"
    form("d", "add.cc", halves + "add.cc.u32 %t,%t,%v; addc.cc.u32 %u,%u,%x; addc.u32 %u,%u,0;"
         "mov.b64 %d,{%t,%u};")
    form("d", "sub.cc", halves + "sub.cc.u32 %t,%t,%v; subc.u32 %u,%u,%x; mov.b64 %d,{%t,%u};")
    form("d", "mad.cc", "mov.b64 {%t,%u},%c; mad.lo.cc.u32 %t,%a32,%b32,%t; madc.hi.u32 %u,%a32,%b32,%u;"
         "mov.b64 %d,{%t,%u};")


def lanes_and_memory():
    for mode in ("up", "down", "bfly", "idx"):
        form("w", f"shfl.{mode}", f"and.b32 %t,%b32,0xfff; and.b32 %u,%c32,0x1f1f;"
             f"shfl.sync.{mode}.b32 %d32|%p,%a32,%t,%u,-1; selp.u32 %t,0x80000000,0,%p; xor.b32 %d32,%d32,%t;")
    form("w", "vote.ballot", "setp.lt.s32 %p,%a32,%b32; vote.sync.ballot.b32 %d32,%p,-1;")
    form("w", "match.any", "and.b32 %t,%a32,3; match.any.sync.b32 %d32,%t,-1;")
    for name in ("add.s32", "min.s32", "max.u32", "xor.b32"):
        form("w", f"redux.{name}", f"redux.sync.{name} %d32,%a32,-1;")
    # On the thread's own word: old value above, new value below.
    both = "ld.global.u32 %t,[%at]; mov.b64 %d,{%t,%d32};"
    for name in ("add.u32", "min.s32", "min.u32", "max.s32", "inc.u32", "dec.u32", "exch.b32"):
        form("d", f"atom.{name}", f"st.global.u64 [%at],%a; atom.global.{name} %d32,[%at],%b32;" + both)
    form("fd", "atom.add.f32", "st.global.u64 [%at],%a; atom.global.add.f32 %f0,[%at],%f2; mov.b32 %d32,%f0;" + both)
    form("Dd", "red.add.f64", "st.global.u64 [%at],%a; red.global.add.f64 [%at],%fd2; ld.global.u64 %d,[%at];")
    form("fd", "red.add.f32", "st.global.u64 [%at],%a; red.global.add.f32 [%at],%f2; ld.global.u64 %d,[%at];")
    form("d", "red.add.noftz.f16x2", "st.global.u64 [%at],%a; red.global.add.noftz.f16x2 [%at],%b32;"
         "ld.global.u64 %d,[%at];")
    form("d", "atom.cas.b32", "st.global.u64 [%at],%a; and.b32 %t,%b32,1; setp.eq.u32 %p,%t,0;"
         "selp.b32 %t,%a32,%b32,%p; atom.global.cas.b32 %d32,[%at],%t,%c32;" + both)
    form("ff", "atom.shared.add.f32", "mov.u32 %t,area; and.b32 %u,%i,0xff; mad.lo.u32 %t,%u,4,%t;"
         "st.shared.u32 [%t],%a32; atom.shared.add.f32 %f0,[%t],%f2; ld.shared.f32 %f0,[%t];")


def kernel(kind, name, text):
    before, after = KINDS[kind]
    return f""".visible .entry {name}(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 po)
{{
	.reg .b64 %a, %b, %c, %d, %at, %offset, %high;
	.reg .b32 %a32, %b32, %c32, %d32, %i, %t, %u, %v, %x;
	.reg .f32 %f<4>;
	.reg .f64 %fd<4>;
	.reg .b16 %h<7>;
	.reg .pred %p;
	mov.u32 %t, %ctaid.x;
	mov.u32 %u, %ntid.x;
	mov.u32 %i, %tid.x;
	mad.lo.u32 %i, %t, %u, %i;
	mul.wide.u32 %offset, %i, 8;
	ld.param.u64 %a, [pa];
	ld.param.u64 %b, [pb];
	ld.param.u64 %c, [pc];
	ld.param.u64 %at, [po];
	add.u64 %a, %a, %offset;
	add.u64 %b, %b, %offset;
	add.u64 %c, %c, %offset;
	add.u64 %at, %at, %offset;
	ld.global.u64 %a, [%a];
	ld.global.u64 %b, [%b];
	ld.global.u64 %c, [%c];
	cvt.u32.u64 %a32, %a;
	cvt.u32.u64 %b32, %b;
	cvt.u32.u64 %c32, %c;
	shr.u64 %high, %a, 32;
	cvt.u32.u64 %t, %high;
	{before}
	{text}
	{after}
	st.global.u64 [%at], %d;
	ret;
}}
"""


if __name__ == "__main__":
    arithmetic()
    conversions()
    integers()
    lanes_and_memory()
    print(".version 8.4\n.target sm_90\n.address_size 64\n.shared .align 16 .b8 area[1024];")
    for one in forms:
        print(kernel(*one))
