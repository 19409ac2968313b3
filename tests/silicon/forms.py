#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Generates PTX with one kernel per instruction form: out[i] = form(a[i], b[i], c[i]), 64-bit words.

Each kernel loads three words into %a %b %c (64 bits), %a32 ... (low halves), %f1 %f2 %f3 (floats),
%fd1 ... (doubles) and %h1 ... (halves). The form's text leaves the result in %d, or in %d32, %f0,
%fd0 or %h0, which the form's kind then moves to %d. Names of forms with approximate results begin
with approx_. forms.c runs the kernels and compares.
  usage: forms.py [SM [GROUP...]]        the forms that this target has (90), of these functions below
"""
import re
import sys

FLOATS = "mov.b32 %f1,%a32; mov.b32 %f2,%b32; mov.b32 %f3,%c32;"
DOUBLES = "mov.b64 %fd1,%a; mov.b64 %fd2,%b; mov.b64 %fd3,%c;"
HALVES = "mov.b32 {%h1,%h4},%a32; mov.b32 {%h2,%h5},%b32; mov.b32 {%h3,%h6},%c32;"
# kind: (code before the text, code that moves the result to %d)
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
    "wd": ("cvt.u16.u32 %h1,%a32;", ""),
    "w2": ("cvt.u16.u32 %h1,%a32;", "cvt.u64.u32 %d,%d32;"),
}
# Address of the thread's sixteen bytes of shared memory, in %s.
SHARED = "mov.u32 %s,area; and.b32 %u,%i,0xff; mad.lo.u32 %s,%u,16,%s;"
ROUND = ("rn", "rz", "rm", "rp")
ROUND_INT = ("rni", "rzi", "rmi", "rpi")
COMPARE = "eq ne lt le gt ge equ neu ltu leu gtu geu num nan".split()
INTEGERS = ("s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64")

target = int(sys.argv[1]) if len(sys.argv) > 1 else 90
forms = []


def needed(text):
    """The oldest target of a form that all targets from sm_80 on have."""
    if re.search(r"bf16|relu|NaN|redux|tf32|f16x2\.f32|cp\.async|policy|256B|evict_(last|normal)|discard"
                 r"|(min|max)(\.ftz)?\.f16", text):
        return 80
    # ptxas uses HADD2 of a 32-bit source, and HADD2.F32.SAT, which the SASS tables lack.
    if re.search(r"cvt\.rz\S*\.f16\.f32|cvt\.sat\.f32\.f16", text):
        return 80
    return 75 if re.search(r"tanh|ex2\S*\.f16|ldmatrix|movmatrix|mma|L2::", text) else 70


def form(kind, name, text, needs=80):
    if target >= (needed(text) if needs == 80 else needs):
        forms.append((kind, name.replace(".", "_").replace("::", "_"), text))


def plain(kind, instruction, operands, needs=80):
    form(kind, instruction, f"{instruction} {operands};", needs)


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


def halves():
    """Half precision: scalars in %h, pairs in 32-bit registers."""
    for t, needs in (("f16", 80), ("bf16", 90)):
        pair, ftzs = t + "x2", ("", ".ftz") if t == "f16" else ("",)
        for ftz in ftzs:
            for sat in ("", ".sat") if t == "f16" else ("",):
                for name in ("add", "sub", "mul"):
                    if (name, ftz, sat) != ("sub", "", ""):
                        plain("hh", f"{name}.rn{ftz}{sat}.{t}", "%h0,%h1,%h2", needs)
                plain("w", f"sub.rn{ftz}{sat}.{pair}", "%d32,%a32,%b32", needs)
                plain("hh", f"fma.rn{ftz}{sat}.{t}", "%h0,%h1,%h2,%h3")
            plain("hh", f"fma.rn{ftz}.relu.{t}", "%h0,%h1,%h2,%h3")
            plain("w", f"fma.rn{ftz}.relu.{pair}", "%d32,%a32,%b32,%c32")
            for name in ("abs", "neg"):
                plain("hh", f"{name}{ftz}.{t}", "%h0,%h1")
                plain("w", f"{name}{ftz}.{pair}", "%d32,%a32")
            for name in ("min", "max"):
                for nan in ("", ".NaN"):
                    for xorsign in ("", ".xorsign.abs"):
                        plain("hh", f"{name}{ftz}{nan}{xorsign}.{t}", "%h0,%h1,%h2", 86 if xorsign else 80)
                        plain("w", f"{name}{ftz}{nan}{xorsign}.{pair}", "%d32,%a32,%b32", 86 if xorsign else 80)
            for c in COMPARE:
                form("hw", f"setp.{c}{ftz}.{t}", f"setp.{c}{ftz}.{t} %p,%h1,%h2; selp.u32 %d32,1,0,%p;", needs)
                form("w", f"setp.{c}{ftz}.{pair}", f"setp.{c}{ftz}.{pair} %p|%q,%a32,%b32;"
                     "selp.u32 %d32,1,0,%p; selp.u32 %t,2,0,%q; or.b32 %d32,%d32,%t;", needs)
            for c in ("lt", "geu", "nan"):
                plain("hh", f"set.{c}{ftz}.{t}.{t}", "%h0,%h1,%h2", needs)
                plain("w", f"set.{c}{ftz}.{pair}.{pair}", "%d32,%a32,%b32", needs)
                plain("hw", f"set.{c}{ftz}.u32.{t}", "%d32,%h1,%h2", needs)
        if t == "bf16":
            plain("w", "mul.rn.bf16x2", "%d32,%a32,%b32", needs)
            plain("w", "add.rn.bf16x2", "%d32,%a32,%b32", needs)
            plain("w", "fma.rn.bf16x2", "%d32,%a32,%b32,%c32")
        for relu in ("", ".relu"):
            plain("hh", f"fma.rn.oob{relu}.{t}", "%h0,%h1,%h2,%h3", 90)
            plain("w", f"fma.rn.oob{relu}.{pair}", "%d32,%a32,%b32,%c32", 90)
        ftz = "" if t == "f16" else ".ftz"
        form("hh", f"approx.tanh.{t}", f"tanh.approx.{t} %h0,%h1;", needs)
        form("w", f"approx.tanh.{pair}", f"tanh.approx.{pair} %d32,%a32;", needs)
        form("hh", f"approx.ex2.{t}", f"ex2.approx{ftz}.{t} %h0,%h1;", needs)
        form("w", f"approx.ex2.{pair}", f"ex2.approx{ftz}.{pair} %d32,%a32;", needs)


def more_floats():
    for ftz in ("", ".ftz"):
        for name in ("min", "max"):
            for nan in ("", ".NaN"):
                plain("ff", f"{name}{ftz}{nan}.xorsign.abs.f32", "%f0,%f1,%f2", 86)
        for c in ("lt", "equ", "num"):
            plain("ff", f"set.{c}{ftz}.f32.f32", "%f0,%f1,%f2")
            plain("fw", f"set.{c}{ftz}.u32.f32", "%d32,%f1,%f2")
            form("fw", f"setp.{c}.or{ftz}.f32", f"setp.gt.f32 %q,%f2,%f3; setp.{c}.or{ftz}.f32 %p,%f1,%f2,%q;"
                 "selp.u32 %d32,1,0,%p;")
        plain("ff", f"slct{ftz}.f32.f32", "%f0,%f1,%f2,%f3")
    for kind in ("finite", "infinite", "number", "notanumber", "normal", "subnormal"):
        form("fw", f"testp.{kind}.f32", f"testp.{kind}.f32 %p,%f1; selp.u32 %d32,1,0,%p;")
        form("Dw", f"testp.{kind}.f64", f"testp.{kind}.f64 %p,%fd1; selp.u32 %d32,1,0,%p;")
    plain("ff", "copysign.f32", "%f0,%f1,%f2")
    plain("DD", "copysign.f64", "%fd0,%fd1,%fd2")
    plain("DD", "abs.f64", "%fd0,%fd1")
    plain("DD", "neg.f64", "%fd0,%fd1")
    plain("Dw", "set.lt.u32.f64", "%d32,%fd1,%fd2")
    plain("Df", "set.gtu.f32.f64", "%f0,%fd1,%fd2")
    form("DD", "approx.rsqrt.plain.f64", "rsqrt.approx.f64 %fd0,%fd1;")


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
    for r in ("rn", "rz"):
        for relu in ("", ".relu"):
            for t in ("f16x2", "bf16x2"):
                plain("fw", f"cvt.{r}{relu}.{t}.f32", "%d32,%f1,%f2")
            if r != "rn" or relu:
                plain("fh", f"cvt.{r}{relu}.bf16.f32", "%h0,%f1")
                if relu:
                    plain("fh", f"cvt.{r}{relu}.f16.f32", "%h0,%f1")
            plain("fw", f"cvt.{r}{relu}.tf32.f32", "%d32,%f1", 90)
    plain("fw", "cvt.rna.tf32.f32", "%d32,%f1")
    plain("fw", "cvt.rna.satfinite.tf32.f32", "%d32,%f1")
    for t in ("e4m3x2", "e5m2x2"):
        for relu in ("", ".relu"):
            plain("fh", f"cvt.rn.satfinite{relu}.{t}.f32", "%h0,%f1,%f2", 89)
            plain("wh", f"cvt.rn.satfinite{relu}.{t}.f16x2", "%h0,%a32", 89)
            plain("w2", f"cvt.rn{relu}.f16x2.{t}", "%d32,%h1", 89)


def more_conversions():
    for t in INTEGERS:
        for u in INTEGERS:
            where = {"8": ("w", "%d32"), "16": ("h", "%h0"), "32": ("w", "%d32"), "64": ("d", "%d")}
            source = {"8": "%h1", "16": "%h1", "32": "%a32", "64": "%a"}[u[1:]]
            kind, answer = where[t[1:]]
            kind = {"w": "w2", "h": "wh", "d": "wd"}[kind]
            plain(kind, f"cvt.{t}.{u}", f"{answer},{source}")
            if int(u[1:]) > int(t[1:]) or (u[0] == "s" and t[0] == "u") or (u[0] == "u" and t[1:] == u[1:] and t != u):
                plain(kind, f"cvt.sat.{t}.{u}", f"{answer},{source}")
    for t in ("s8", "u8"):
        for r in ROUND:
            plain("wf", f"cvt.{r}.f32.{t}", "%f0,%h1")
            plain("wD", f"cvt.{r}.f64.{t}", "%fd0,%h1")
            plain("wh", f"cvt.{r}.f16.{t}", "%h0,%h1")
    for t in INTEGERS:
        register = {"8": "%h1", "16": "%h1", "32": "%a32", "64": "%a"}[t[1:]]
        for r in ROUND[1:]:
            if t not in ("s8", "u8"):
                plain("wh", f"cvt.{r}.f16.{t}", f"%h0,{register}")
        if t not in ("s8", "u8"):
            plain("wh", f"cvt.rn.bf16.{t}", f"%h0,{register}", 90)
        for r in () if t in ("s8", "u8") else ROUND_INT:
            where = {"8": ("w", "%d32"), "16": ("h", "%h0"), "32": ("w", "%d32"), "64": ("d", "%d")}
            out, answer = where[t[1:]]
            plain("h" + out, f"cvt.{r}.{t}.bf16", f"{answer},%h1", 90)
    for r in ROUND_INT:
        plain("hh", f"cvt.{r}.bf16.bf16", "%h0,%h1", 90)
        plain("ff", f"cvt.{r}.sat.f32.f32", "%f0,%f1")
    for r in ROUND[1:]:
        plain("Dh", f"cvt.{r}.f16.f64", "%h0,%fd1")
    for sat in ("", ".sat"):
        for r in ROUND:
            if sat:
                plain("Df", f"cvt.{r}.sat.f32.f64", "%f0,%fd1")
                plain("fh", f"cvt.{r}.sat.f16.f32", "%h0,%f1")
            elif r in ("rm", "rp"):
                plain("fh", f"cvt.{r}.f16.f32", "%h0,%f1")
    plain("hf", "cvt.sat.f32.f16", "%f0,%h1")
    plain("hh", "cvt.sat.f16.f16", "%h0,%h1")
    plain("fD", "cvt.sat.f64.f32", "%fd0,%f1")
    plain("DD", "cvt.sat.f64.f64", "%fd0,%fd1")
    plain("hf", "cvt.f32.bf16", "%f0,%h1", 90)
    plain("hD", "cvt.f64.bf16", "%fd0,%h1", 90)
    plain("hh", "cvt.rn.f16.bf16", "%h0,%h1", 90)
    plain("hh", "cvt.rn.bf16.f16", "%h0,%h1", 90)
    for r in ROUND:
        plain("Dh", f"cvt.{r}.bf16.f64", "%h0,%fd1", 90)


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


def more_integers():
    for s in "su":
        for name in ("min", "max", "div", "rem", "mul.hi", "shr"):
            second = "%b32" if name == "shr" else "%h2"
            plain("hh", f"{name}.{s}16", f"%h0,%h1,{second}")
        plain("hw", f"mul.wide.{s}16", "%d32,%h1,%h2")
        plain("hw", f"mad.wide.{s}16", "%d32,%h1,%h2,%c32")
        plain("hh", f"mad.hi.{s}16", "%h0,%h1,%h2,%h3")
        plain("hh", f"sad.{s}16", "%h0,%h1,%h2,%h3")
        plain("d", f"sad.{s}64", "%d,%a,%b,%c")
        plain("d", f"mad.lo.{s}64", "%d,%a,%b,%c")
        plain("d", f"mad.hi.{s}64", "%d,%a,%b,%c")
        for c in COMPARE[:6]:
            form("hw", f"setp.{c}.{s}16", f"setp.{c}.{s}16 %p,%h1,%h2; selp.u32 %d32,1,0,%p;")
        for c in ("lt", "ge"):
            plain("w", f"set.{c}.u32.{s}32", "%d32,%a32,%b32")
            plain("ff", f"set.{c}.f32.{s}32", "%f0,%a32,%b32")
            for boolean in ("and", "or", "xor"):
                form("w", f"setp.{c}.{boolean}.{s}32", f"setp.lt.s32 %q,%b32,%c32;"
                     f"setp.{c}.{boolean}.{s}32 %p|%q,%a32,%b32,!%q; selp.u32 %d32,1,0,%p;"
                     "selp.u32 %t,2,0,%q; or.b32 %d32,%d32,%t;")
        for half in ("lo", "hi"):
            plain("w", f"mul24.{half}.{s}32", "%d32,%a32,%b32")
            plain("w", f"mad24.{half}.{s}32", "%d32,%a32,%b32,%c32")
            for s2 in "su":
                plain("w", f"dp2a.{half}.{s}32.{s2}32", "%d32,%a32,%b32,%c32")
        plain("w", f"bfind.shiftamt.{s}64", "%d32,%a")
        for name in ("min", "max"):
            plain("w", f"{name}.{s}16x2", "%d32,%a32,%b32", 90)
    plain("w", "add.u16x2", "%d32,%a32,%b32", 90)
    for name in ("min", "max"):
        plain("w", f"{name}.relu.s32", "%d32,%a32,%b32", 90)
        plain("w", f"{name}.relu.s16x2", "%d32,%a32,%b32", 90)
    for name in ("add", "sub", "mul.lo"):
        plain("hh", f"{name}.s16", "%h0,%h1,%h2")
    for name in ("and", "or", "xor"):
        plain("hh", f"{name}.b16", "%h0,%h1,%h2")
    plain("hh", "shl.b16", "%h0,%h1,%b32")
    for name, t in (("neg", "s"), ("not", "b"), ("cnot", "b"), ("abs", "s")):
        plain("hh", f"{name}.{t}16", "%h0,%h1")
        if name != "abs":
            plain("w", f"{name}.{t}32", "%d32,%a32")
            plain("d", f"{name}.{t}64", "%d,%a")
    plain("w", "add.sat.s32", "%d32,%a32,%b32")
    plain("w", "sub.sat.s32", "%d32,%a32,%b32")
    plain("w", "mad.hi.sat.s32", "%d32,%a32,%b32,%c32")
    plain("w", "mad24.hi.sat.s32", "%d32,%a32,%b32,%c32")
    plain("w", "slct.b32.s32", "%d32,%a32,%b32,%c32")
    plain("d", "slct.b64.s32", "%d,%a,%b,%c32")
    form("w", "fns", "and.b32 %t,%b32,31; fns.b32 %d32,%a32,%t,1;")
    form("w", "lop3.or", "setp.lt.s32 %q,%b32,%c32; lop3.or.b32 %d32|%p,%a32,%b32,%c32,0x3f,%q;"
         "selp.u32 %t,1,0,%p; xor.b32 %d32,%d32,%t;")
    form("w", "lop3.and", "setp.lt.s32 %q,%b32,%c32; lop3.and.b32 %d32|%p,%a32,%b32,%c32,0x81,%q;"
         "selp.u32 %t,1,0,%p; xor.b32 %d32,%d32,%t;")
    form("d", "add.cc.u64", "add.cc.u64 %d,%a,%b; addc.u64 %c,%c,0; xor.b64 %d,%d,%c;")
    form("d", "sub.cc.s64", "sub.cc.s64 %d,%a,%b; subc.cc.s64 %c,%c,%b; subc.u64 %a,%a,0; xor.b64 %d,%d,%c;"
         "add.u64 %d,%d,%a;")
    form("d", "mad.cc.u64", "mad.lo.cc.u64 %d,%a,%b,%c; madc.hi.u64 %c,%a,%b,%c; xor.b64 %d,%d,%c;")
    form("w", "madc.lo.cc", "mad.hi.cc.u32 %t,%a32,%b32,%c32; madc.lo.cc.s32 %u,%b32,%c32,%t; addc.u32 %d32,%u,%t;")
    form("d", "predicates", "setp.lt.s32 %p,%a32,%b32; setp.lt.s32 %q,%b32,%c32; xor.pred %p,%p,%q; not.pred %q,%q;"
         "and.pred %p,%p,%q; selp.b64 %d,%a,%b,%p;")


def combined():
    """Sequences that are one instruction: minima of sums and of three values, of words and of pairs of
    halves, rotations, absolute differences, conversions of two values, sums with sign extension."""
    pairs = (("add", "%u,%a32,%b32"), ("sub", "%u,%a32,%b32"), ("add", "%u,%a32,77"))
    for name in ("min", "max"):
        for s in "su":
            for k, (op, operands) in enumerate(pairs):
                form("w", f"{op}{k}.{name}.{s}32", f"{op}.{s}32 {operands}; {name}.{s}32 %d32,%u,%c32;", 90)
            form("w", f"add.{name}.immediate.{s}32", f"add.{s}32 %u,%a32,%b32; {name}.{s}32 %d32,%u,-5000;", 90)
            form("w", f"{name}3.{s}32", f"{name}.{s}32 %u,%a32,%b32; {name}.{s}32 %d32,%u,%c32;", 90)
            form("w", f"{name}3.immediate.{s}32", f"{name}.{s}32 %u,%a32,12345; {name}.{s}32 %d32,%u,%c32;", 90)
            form("w", f"add.{name}.{s}16x2", f"add.{s}16x2 %u,%a32,%b32; {name}.{s}16x2 %d32,%u,%c32;", 90)
            form("w", f"{name}3.{s}16x2", f"{name}.{s}16x2 %u,%a32,%b32; {name}.{s}16x2 %d32,%u,%c32;", 90)
            form("hh", f"add.{name}.{s}16", f"add.{s}16 %h0,%h1,%h2; {name}.{s}16 %h0,%h0,%h3;")
            form("hh", f"{name}3.{s}16", f"{name}.{s}16 %h0,%h1,%h2; {name}.{s}16 %h0,%h0,%h3;")
            form("hw", f"{name}.high.{s}16", f"{name}.{s}16 %h0,%h4,%h5; cvt.{s}32.{s}16 %d32,%h0;")
        form("w", f"add.{name}.relu.s32", f"add.s32 %u,%a32,%b32; {name}.relu.s32 %d32,%u,%c32;", 90)
        form("w", f"{name}3.relu.s32", f"{name}.s32 %u,%a32,%b32; {name}.relu.s32 %d32,%u,%c32;", 90)
        form("w", f"add.{name}.relu.s16x2", f"add.s16x2 %u,%a32,%b32; {name}.relu.s16x2 %d32,%u,%c32;", 90)
        form("w", f"{name}3.relu.s16x2", f"{name}.s16x2 %u,%a32,%b32; {name}.relu.s16x2 %d32,%u,%c32;", 90)
        form("w", f"sub.{name}.s16x2", "mov.b32 {%h1,%h2},%b32; neg.s16 %h1,%h1; neg.s16 %h2,%h2; mov.b32 %u,{%h1,%h2};"
             f"add.s16x2 %u,%a32,%u; {name}.s16x2 %d32,%u,%c32;", 90)
    form("w", "sub.s16x2", "mov.b32 {%h1,%h2},%b32; neg.s16 %h1,%h1; neg.s16 %h2,%h2; mov.b32 %u,{%h1,%h2};"
         "add.s16x2 %d32,%a32,%u;", 90)
    for by in (1, 7, 16, 31):
        form("w", f"rotate.{by}", f"shl.b32 %u,%a32,{by}; shr.u32 %d32,%a32,{32 - by}; or.b32 %d32,%d32,%u;")
        form("w", f"funnel.{by}", f"shl.b32 %u,%a32,{by}; shr.u32 %d32,%b32,{32 - by}; add.u32 %d32,%d32,%u;")
        form("w", f"shf.l.{by}", f"shf.l.wrap.b32 %d32,%a32,%b32,{by};")
        form("w", f"shf.r.{by}", f"shf.r.wrap.b32 %d32,%a32,%b32,{by};")
    for s in "su":
        form("w", f"vabsdiff4.{s}32.add", f"vabsdiff4.u32.{s}32.{s}32.add %d32,%a32,%b32,%c32;")
        form("w", f"vabsdiff4.{s}32", f"vabsdiff4.u32.{s}32.{s}32 %d32,%a32,%b32,%c32;")
        form("w", f"vabsdiff4.{s}32.zero", f"mov.u32 %u,0; vabsdiff4.u32.{s}32.{s}32 %d32,%a32,%b32,%u;")
    for t in ("f16", "bf16"):
        for r in ("rn", "rz"):
            form("fw", f"cvt.{r}.{t}.pack", f"cvt.{r}.{t}.f32 %h0,%f1; cvt.{r}.{t}.f32 %h1,%f2; mov.b32 %d32,{{%h0,%h1}};",
                 90 if (t, r) == ("bf16", "rz") else 80)
    form("hw", "pack.high", "mov.b32 %d32,{%h4,%h5};")
    form("hw", "pack.mixed", "mov.b32 %d32,{%h4,%h2};")
    form("d", "add.extended", "cvt.s64.s32 %d,%a32; add.s64 %d,%d,%at; sub.s64 %d,%d,%at;")
    for first, second in (("abs", "neg"), ("neg", ""), ("abs", "")):
        sign = f"{first}.f32 %f0,%f1;" + (f"{second}.f32 %f0,%f0;" if second else "")
        form("ff", f"selp.{first}.{second}", sign + "setp.lt.s32 %p,%c32,0; selp.f32 %f0,%f0,%f2,%p;")
    form("ff", "copysign.bits", "and.b32 %t,%a32,0x7fffffff; and.b32 %u,%b32,0x80000000; or.b32 %t,%t,%u;"
         "mov.b32 %f0,%t;")


def lanes_and_memory():
    for mode in ("up", "down", "bfly", "idx"):
        form("w", f"shfl.{mode}", f"and.b32 %t,%b32,0xfff; and.b32 %u,%c32,0x1f1f;"
             f"shfl.sync.{mode}.b32 %d32|%p,%a32,%t,%u,-1; selp.u32 %t,0x80000000,0,%p; xor.b32 %d32,%d32,%t;")
    for mode in ("all", "any", "uni"):
        form("w", f"vote.{mode}", f"setp.lt.s32 %p,%a32,%b32; vote.sync.{mode}.pred %p,%p,-1; selp.u32 %d32,1,0,%p;")
    form("w", "activemask", "setp.lt.s32 %p,%a32,%b32; @%p activemask.b32 %d32; @!%p mov.u32 %d32,0;")
    form("w", "match.any.b64", "and.b64 %a,%a,0x0000000100000001; match.any.sync.b64 %d32,%a,-1;")
    form("w", "match.all", "shr.u32 %t,%a32,31; match.all.sync.b32 %d32|%p,%t,-1; selp.u32 %t,1,0,%p;"
         "xor.b32 %d32,%d32,%t;")
    form("w", "match.all.b64", "and.b64 %a,%a,0x0000000100000000; match.all.sync.b64 %d32|%p,%a,-1;"
         "selp.u32 %t,1,0,%p; xor.b32 %d32,%d32,%t;")
    form("w", "elect", "elect.sync %d32|%p,-1; selp.u32 %t,32,0,%p; add.u32 %d32,%d32,%t;", 90)
    form("w", "vote.ballot", "setp.lt.s32 %p,%a32,%b32; vote.sync.ballot.b32 %d32,%p,-1;")
    form("w", "match.any", "and.b32 %t,%a32,3; match.any.sync.b32 %d32,%t,-1;")
    for name in ("add.s32", "add.u32", "min.s32", "min.u32", "max.s32", "max.u32", "and.b32", "or.b32", "xor.b32"):
        form("w", f"redux.{name}", f"redux.sync.{name} %d32,%a32,-1;")
    # Atomics on a word of the thread: old value in the upper half of the result, new value in the
    # lower. In every state space.
    both = "mov.b64 %d,{%t,%d32};"
    for where, at, prepare in (("global", "%at", ""), ("generic", "%g", "cvta.global.u64 %g,%at;"),
                               ("shared", "%s", SHARED), ("generic.shared", "%g", SHARED + "cvt.u64.u32 %g,%s;"
                                                          "cvta.shared.u64 %g,%g;")):
        space = "" if where.startswith("generic") else "." + where
        start = prepare + f"st{space}.u64 [{at}],%a;"
        for name in ("add.u32", "min.s32", "min.u32", "max.s32", "max.u32", "inc.u32", "dec.u32", "exch.b32", "and.b32",
                     "or.b32", "xor.b32"):
            form("d", f"atom.{where}.{name}", start + f"atom{space}.{name} %d32,[{at}],%b32; ld{space}.u32 %t,[{at}];"
                 + both)
            if "exch" not in name:
                form("d", f"red.{where}.{name}", start + f"red{space}.{name} [{at}],%b32; ld{space}.u64 %d,[{at}];")
        for name in ("add.u64", "min.s64", "min.u64", "max.s64", "max.u64", "exch.b64", "and.b64", "or.b64", "xor.b64"):
            form("d", f"atom.{where}.{name}", start + f"atom{space}.{name} %d,[{at}],%b; ld{space}.u64 %c,[{at}];"
                 "shl.b64 %c,%c,1; add.u64 %d,%d,%c;")
            if "exch" not in name:
                form("d", f"red.{where}.{name}", start + f"red{space}.{name} [{at}],%b; ld{space}.u64 %d,[{at}];")
        form("d", f"atom.{where}.cas.b32", start + "and.b32 %t,%b32,1; setp.eq.u32 %p,%t,0; selp.b32 %t,%a32,%b32,%p;"
             f"atom{space}.cas.b32 %d32,[{at}],%t,%c32; ld{space}.u32 %t,[{at}];" + both)
        form("d", f"atom.{where}.cas.b64", start + "and.b32 %t,%b32,1; setp.eq.u32 %p,%t,0; selp.b64 %b,%a,%b,%p;"
             f"atom{space}.cas.b64 %d,[{at}],%b,%c; ld{space}.u64 %c,[{at}]; shl.b64 %c,%c,1; add.u64 %d,%d,%c;")
        form("d", f"atom.{where}.cas.b16", start + "and.b32 %t,%b32,1; setp.eq.u32 %p,%t,0; selp.b32 %t,%a32,%b32,%p;"
             f"cvt.u16.u32 %h1,%t; cvt.u16.u32 %h2,%c32; atom{space}.cas.b16 %h0,[{at}],%h1,%h2; cvt.u64.u16 %d,%h0;"
             f"ld{space}.u64 %c,[{at}]; add.u64 %d,%d,%c;")
        form("fd", f"atom.{where}.add.f32", start + f"atom{space}.add.f32 %f0,[{at}],%f2; mov.b32 %d32,%f0;"
             f"ld{space}.u32 %t,[{at}];" + both)
        form("Dd", f"atom.{where}.add.f64", start + f"atom{space}.add.f64 %fd0,[{at}],%fd2; mov.b64 %d,%fd0;"
             f"ld{space}.u64 %c,[{at}]; xor.b64 %d,%d,%c;")
        form("fd", f"red.{where}.add.f32", start + f"red{space}.add.f32 [{at}],%f2; ld{space}.u64 %d,[{at}];")
        form("Dd", f"red.{where}.add.f64", start + f"red{space}.add.f64 [{at}],%fd2; ld{space}.u64 %d,[{at}];")
        for t, needs in (("f16x2", 80), ("bf16x2", 90), ("f16", 80), ("bf16", 90)):
            b, old = ("%b32", "%d32") if t.endswith("x2") else ("%h2", "%h0")
            widen = "" if t.endswith("x2") else "cvt.u32.u16 %d32,%h0;"
            form("hd", f"atom.{where}.add.noftz.{t}", start + f"atom{space}.add.noftz.{t} {old},[{at}],{b};" + widen +
                 f"ld{space}.u32 %t,[{at}];" + both, needs)
            form("hd", f"red.{where}.add.noftz.{t}", start + f"red{space}.add.noftz.{t} [{at}],{b};"
                 f"ld{space}.u64 %d,[{at}];", needs)
    # 128-bit atomics; all 64-bit halves contribute to the result. A third of the comparisons match,
    # a third match in one half.
    own = "mul.wide.u32 %x,%i,16; mov.u64 %y,wide; add.u64 %x,%x,%y;"
    for where, prepare in (("global", own), ("generic", own + "cvta.global.u64 %x,%x;"),
                           ("shared", SHARED + "cvt.u64.u32 %x,%s;"),
                           ("generic.shared", SHARED + "cvt.u64.u32 %x,%s; cvta.shared.u64 %x,%x;")):
        space = "" if where.startswith("generic") else "." + where
        start = "{.reg .b64 %x,%y,%z; .reg .b128 %q<3>;" + prepare + f"st{space}.v2.b64 [%x],{{%a,%b}};"
        end = (f"mov.b128 {{%d,%y}},%q0; mad.lo.u64 %d,%y,3,%d; ld{space}.v2.b64 {{%y,%z}},[%x];"
               "mad.lo.u64 %d,%y,5,%d; mad.lo.u64 %d,%z,7,%d;}")
        choose = ("rem.u32 %t,%i,3; setp.eq.u32 %p,%t,0; setp.eq.u32 %q,%t,1; selp.b64 %y,%c,%a,%p; selp.b64 %z,%c,%b,%q;"
                  "mov.b128 %q1,{%y,%z}; mov.b128 %q2,{%c,%a};")
        for order in ("", ".relaxed.cta", ".acquire.gpu", ".release.gpu", ".acq_rel.sys"):
            form("d", f"atom{order}.{where}.exch.b128", start + f"mov.b128 %q1,{{%c,%a}}; atom{order}{space}.exch.b128 "
                 "%q0,[%x],%q1;" + end, 90)
            form("d", f"atom{order}.{where}.cas.b128", start + choose + f"atom{order}{space}.cas.b128 %q0,[%x],%q1,%q2;"
                 + end, 90)
    for scope in ("cta", "gpu", "sys"):
        for order in ("relaxed", "acquire", "release", "acq_rel"):
            form("d", f"atom.{order}.{scope}", "st.global.u64 [%at],%a;"
                 f"atom.{order}.{scope}.global.add.u32 %d32,[%at],%b32; ld.global.u32 %t,[%at];" + both)
        for order, fence in (("relaxed", "fence.acq_rel"), ("acquire", "fence.sc")):
            form("d", f"ld.{order}.{scope}", f"st.relaxed.{scope}.global.u64 [%at],%a; {fence}.{scope};"
                 f"st.release.{scope}.global.u64 [%at],%b; ld.{order}.{scope}.global.u64 %d,[%at];")
    for fence in ("membar.cta", "membar.gl", "membar.sys", "fence.acq_rel.gpu", "fence.sc.sys"):
        form("d", fence, f"st.global.u64 [%at],%a; {fence}; ld.global.u64 %d,[%at];")


def accesses():
    """Accesses to sixteen bytes of the thread: every space, width, vector and cache operator."""
    spaces = (("global", "%at", ""), ("generic", "%g", "cvta.global.u64 %g,%at;"), ("shared", "%s", SHARED),
              ("local", "%s", "mov.u32 %s,own;"), ("generic.local", "%g", "mov.u64 %g,own; cvta.local.u64 %g,%g;"),
              ("generic.shared", "%g", SHARED + "cvt.u64.u32 %g,%s; cvta.shared.u64 %g,%g;"))
    for where, at, prepare in spaces:
        space = "" if where.startswith("generic") else "." + where
        start = prepare + f"st{space}.u64 [{at}],%a;"
        for t in INTEGERS:
            register = {"8": "%h0", "16": "%h0", "32": "%d32", "64": "%d"}[t[1:]]
            widen = {"8": f"cvt.{t[0]}64.{t} %d,%h0;", "16": f"cvt.{t[0]}64.{t} %d,%h0;", "32": f"cvt.{t[0]}64.{t} %d,%d32;",
                     "64": ""}[t[1:]]
            stored = {"8": "%h2", "16": "%h2", "32": "%b32", "64": "%b"}[t[1:]]
            form("hd", f"st.ld.{where}.{t}", start + f"st{space}.{t} [{at}],{stored}; ld{space}.u64 %c,[{at}];"
                 f"ld{space}.{t} {register},[{at}];" + widen + "xor.b64 %d,%d,%c;")
        form("d", f"v2.b32.{where}", prepare + f"st{space}.v2.b32 [{at}],{{%a32,%b32}}; ld{space}.v2.b32 {{%t,%u}},[{at}];"
             "mov.b64 %d,{%u,%t};")
        form("hd", f"v4.b16.{where}", prepare + f"st{space}.v4.b16 [{at}],{{%h1,%h2,%h3,%h1}};"
             f"ld{space}.v4.b16 {{%h0,%h1,%h2,%h3}},[{at}]; mov.b64 %d,{{%h3,%h0,%h2,%h1}};")
        form("hd", f"v4.b8.{where}", prepare + f"st{space}.v4.b8 [{at}],{{%h1,%h2,%h3,%h1}};"
             f"ld{space}.v4.s8 {{%h0,%h1,%h2,%h3}},[{at}]; mov.b64 %d,{{%h3,%h0,%h2,%h1}};")
        if space != ".global" and where != "generic":
            form("d", f"v4.b32.{where}", prepare + f"st{space}.v4.b32 [{at}],{{%a32,%b32,%c32,%a32}};"
                 f"ld{space}.v2.b64 {{%a,%d}},[{at}]; xor.b64 %d,%d,%a;")
    for operator in (".ca", ".cg", ".cs", ".lu", ".cv", ".volatile", ".nc", ".nc.L1::no_allocate", ".L1::evict_first",
                     ".L1::evict_last", ".L1::evict_unchanged", ".L1::no_allocate", ".L2::64B", ".L2::128B", ".L2::256B"):
        form("d", f"ld{operator}", (f"ld{operator}.global.u64 %d,[%pa];" if operator == ".volatile" else
             f"ld.global{operator}.u64 %d,[%pa];"))
    for operator in (".wb", ".cg", ".cs", ".wt", ".volatile", ".L1::evict_first", ".L1::evict_last", ".L1::no_allocate"):
        form("d", f"st{operator}", (f"st{operator}.global.u64 [%at],%a;" if operator == ".volatile" else
             f"st.global{operator}.u64 [%at],%a;") + "ld.global.u64 %d,[%at];")
    form("d", "cache.hint", "createpolicy.fractional.L2::evict_last.b64 %c,1.0;"
         "ld.global.L2::cache_hint.u64 %d,[%pa],%c;"
         "st.global.L2::cache_hint.u64 [%at],%d,%c; atom.global.add.L2::cache_hint.u64 %d,[%at],%b,%c;"
         "red.global.add.L2::cache_hint.u64 [%at],%b,%c; ld.global.u64 %d,[%at];")
    form("d", "prefetch", "prefetch.global.L1 [%at]; prefetch.global.L2 [%at]; prefetchu.L1 [%at];"
         "prefetch.global.L2::evict_last [%at]; mov.u64 %d,%a;")
    form("w", "constant", "and.b32 %t,%a32,15; shl.b32 %t,%t,2; mov.u32 %u,table; add.u32 %t,%t,%u; ld.const.u32 %d32,[%t];")
    form("w", "constant.u8", "and.b32 %t,%a32,63; mov.u32 %u,table; add.u32 %t,%t,%u; ld.const.s8 %d32,[%t];")
    form("d", "constant.v2", "and.b32 %t,%a32,7; shl.b32 %t,%t,3; mov.u32 %u,table; add.u32 %t,%t,%u;"
         "ld.const.v2.u32 {%t,%u},[%t]; mov.b64 %d,{%u,%t};")
    form("w", "constant.generic", "and.b32 %t,%a32,15; mul.wide.u32 %c,%t,4; mov.u64 %g,table; cvta.const.u64 %g,%g;"
         "add.u64 %g,%g,%c; ld.u32 %d32,[%g];")
    form("w", "global.variable", "and.b32 %t,%a32,15; mul.wide.u32 %c,%t,4; mov.u64 %g,variable; add.u64 %g,%g,%c;"
         "ld.global.u32 %d32,[%g];")
    form("w", "isspacep", "mov.u64 %g,own; cvta.local.u64 %g,%g; isspacep.local %p,%g; selp.u32 %d32,1,0,%p;"
         "isspacep.shared %p,%g; selp.u32 %t,2,0,%p; or.b32 %d32,%d32,%t; cvta.global.u64 %g,%at; isspacep.global %p,%g;"
         "selp.u32 %t,4,0,%p; or.b32 %d32,%d32,%t; mov.u32 %t,area; cvt.u64.u32 %c,%t; cvta.shared.u64 %c,%c;"
         "isspacep.shared %p,%c; selp.u32 %t,8,0,%p; or.b32 %d32,%d32,%t; isspacep.const %p,%c; selp.u32 %t,16,0,%p;"
         "or.b32 %d32,%d32,%t;")
    form("d", "local.indexed", "and.b32 %t,%a32,12; mov.u32 %s,own; add.u32 %t,%t,%s; st.local.v4.b32 [%s],"
         "{%a32,%b32,%c32,%i}; st.local.u32 [%t],%c32; ld.local.v2.u64 {%d,%c},[%s]; add.u64 %d,%d,%c;")


def control():
    form("d", "brx", "and.b32 %t,%a32,3; ts: .branchtargets l0,l1,l2,l3; brx.idx %t,ts; l0: add.u64 %d,%a,%b; bra done;"
         "l1: sub.u64 %d,%a,%b; bra done; l2: xor.b64 %d,%a,%b; bra done; l3: mul.lo.u64 %d,%a,%b; done:")
    form("d", "call", "{ .param .b64 x; .param .b64 y; .param .b64 r; st.param.b64 [x],%a; st.param.b64 [y],%b;"
         "call (r),mix,(x,y); ld.param.b64 %d,[r]; }")
    form("d", "call.indirect", "{ .param .b64 x; .param .b64 y; .param .b64 r; st.param.b64 [x],%a; st.param.b64 [y],%b;"
         "and.b32 %t,%c32,1; mul.wide.u32 %c,%t,8; mov.u64 %g,functions; add.u64 %g,%g,%c; ld.global.u64 %g,[%g];"
         "kind: .callprototype (.param .b64 _) _ (.param .b64 _, .param .b64 _);"
         "call (r),%g,(x,y),kind; ld.param.b64 %d,[r]; }")
    form("d", "recursion", "{ .param .b64 x; .param .b32 y; .param .b64 r; st.param.b64 [x],%a; and.b32 %t,%b32,15;"
         "st.param.b32 [y],%t; call (r),down,(x,y); ld.param.b64 %d,[r]; }")
    form("d", "divergent.loop", "and.b32 %t,%b32,31; mov.u64 %d,%a; again: mad.lo.u64 %d,%d,%c,%a; sub.u32 %t,%t,1;"
         "setp.ge.s32 %p,%t,0; @%p bra again;")
    form("w", "warp.sync", "mov.u32 %d32,%a32; setp.lt.s32 %p,%a32,0; @%p bra left; add.u32 %d32,%d32,5; bra join;"
         "left: xor.b32 %d32,%d32,%b32; join: bar.warp.sync -1; shfl.sync.bfly.b32 %d32,%d32,1,31,-1;")
    for name in ("popc.u32", "and.pred", "or.pred"):
        answer = "%d32" if name == "popc.u32" else "%p"
        after = "" if name == "popc.u32" else "selp.u32 %d32,1,0,%p;"
        form("w", f"bar.red.{name}", f"and.b32 %t,%a32,255; setp.lt.u32 %p,%t,255; bar.red.{name} {answer},1,%p;" + after)
        form("w", f"bar.red.count.{name}", f"and.b32 %t,%a32,255; setp.lt.u32 %p,%t,255;"
             f"bar.red.{name} {answer},2,256,!%p;" + after)
    exchange = "xor.b32 %u,%v,1; shl.b32 %u,%u,4; mov.u32 %t,area; add.u32 %t,%t,%u; ld.shared.u32 %d32,[%t];"
    form("w", "bar.sync", "mov.u32 %v,%tid.x;" + SHARED + "st.shared.u32 [%s],%a32; bar.sync 0;" + exchange)
    form("w", "bar.sync.count", "mov.u32 %v,%tid.x;" + SHARED + "st.shared.u32 [%s],%a32; bar.sync 3,256;" + exchange)
    form("w", "bar.sync.register", "mov.u32 %v,%tid.x; mov.u32 %x,%ctaid.x; and.b32 %x,%x,7;" + SHARED +
         "st.shared.u32 [%s],%a32; bar.sync %x;" + exchange)
    form("w", "bar.sync.half", "mov.u32 %v,%tid.x; shr.u32 %x,%v,7; add.u32 %x,%x,4;" + SHARED +
         "st.shared.u32 [%s],%a32; bar.sync %x,128;" + exchange)
    form("w", "barrier.arrive", "mov.u32 %v,%tid.x; and.b32 %x,%v,128; setp.eq.u32 %p,%x,0;" + SHARED +
         "st.shared.u32 [%s],%a32; @%p bra give; bar.sync 5,256; bra take; give: bar.arrive 5,256; bar.sync 6,128;"
         "take: bar.sync 0;" + exchange)
    form("w", "special", SHARED + "st.shared.u32 [%s],%a32; mov.u32 %d32,%laneid; mov.u32 %t,%ntid.x; mad.lo.u32 %d32,%d32,3,%t; mov.u32 %t,%lanemask_lt;"
         "xor.b32 %d32,%d32,%t; mov.u32 %t,%lanemask_ge; mad.lo.u32 %d32,%t,7,%d32; mov.u32 %t,%lanemask_eq;"
         "add.u32 %d32,%d32,%t; mov.u32 %t,%lanemask_gt; xor.b32 %d32,%d32,%t; mov.u32 %t,%lanemask_le;"
         "mad.lo.u32 %d32,%d32,5,%t; mov.u32 %t,%nctaid.x; add.u32 %d32,%d32,%t; mov.u32 %t,%nctaid.y;"
         "add.u32 %d32,%d32,%t; mov.u32 %t,%ntid.z; add.u32 %d32,%d32,%t; mov.u32 %t,%tid.y; add.u32 %d32,%d32,%t;"
         "mov.u32 %t,%ctaid.z; add.u32 %d32,%d32,%t; mov.u32 %t,WARP_SZ; add.u32 %d32,%d32,%t;"
         "mov.u32 %t,%dynamic_smem_size; add.u32 %d32,%d32,%t; mov.u32 %t,%total_smem_size; add.u32 %d32,%d32,%t;")
    form("w", "clocks", "mov.u32 %t,%clock; mov.u64 %c,%clock64; mov.u64 %g,%globaltimer; mov.u32 %u,%globaltimer_lo;"
         "mov.u32 %v,%globaltimer_hi; mov.u32 %x,%clock_hi; nanosleep.u32 20; mov.u64 %d,%clock64; sub.u64 %d,%d,%c;"
         "shr.u64 %d,%d,40; cvt.u32.u64 %d32,%d; mov.u64 %b,%globaltimer; sub.u64 %b,%b,%g; shr.u64 %b,%b,50;"
         "cvt.u32.u64 %t,%b; add.u32 %d32,%d32,%t;")
    form("w", "position", "mov.u32 %t,%smid; mov.u32 %u,%nsmid; setp.lt.u32 %p,%t,%u; selp.u32 %d32,1,0,%p; mov.u32 %t,%warpid;"
         "mov.u32 %u,%nwarpid; setp.lt.u32 %p,%t,%u; selp.u32 %t,2,0,%p; add.u32 %d32,%d32,%t; mov.u64 %c,%gridid;"
         "setp.ne.u64 %p,%c,0; selp.u32 %t,4,0,%p; add.u32 %d32,%d32,%t;")


FUNCTIONS = """
.func (.param .b64 r) mix(.param .b64 x, .param .b64 y)
{
	.reg .b64 %x, %y;
	ld.param.b64 %x, [x];
	ld.param.b64 %y, [y];
	mad.lo.u64 %x, %x, %y, 3;
	st.param.b64 [r], %x;
	ret;
}
.func (.param .b64 r) less(.param .b64 x, .param .b64 y)
{
	.reg .b64 %x, %y;
	ld.param.b64 %x, [x];
	ld.param.b64 %y, [y];
	sub.u64 %x, %x, %y;
	st.param.b64 [r], %x;
	ret;
}
.func (.param .b64 r) down(.param .b64 x, .param .b32 y)
{
	.reg .b64 %x, %y, %z;
	.reg .b32 %n;
	.reg .pred %p;
	ld.param.b64 %x, [x];
	ld.param.b32 %n, [y];
	setp.eq.u32 %p, %n, 0;
	@%p bra end;
	sub.u32 %n, %n, 1;
	add.u64 %y, %x, 11;
	{
		.param .b64 a;
		.param .b32 b;
		.param .b64 c;
		st.param.b64 [a], %y;
		st.param.b32 [b], %n;
		call (c), down, (a, b);
		ld.param.b64 %z, [c];
	}
	mad.lo.u64 %x, %z, %x, %y;
end:
	st.param.b64 [r], %x;
	ret;
}
.global .align 8 .u64 functions[2] = {mix, less};
.global .align 16 .b8 wide[524288];
.const .align 16 .b32 table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 0xfffffff3};
.global .align 4 .u32 variable[16] = {2, 7, 1, 8, 2, 8, 1, 8, 2, 8, 4, 5, 9, 0, 4, 5};
"""


def kernel(kind, name, text):
    before, after = KINDS[kind]
    return f""".visible .entry {name}(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 po)
{{
	.reg .b64 %a, %b, %c, %d, %g, %pa, %at, %offset, %high;
	.reg .b32 %a32, %b32, %c32, %d32, %i, %s, %t, %u, %v, %x;
	.reg .f32 %f<4>;
	.reg .f64 %fd<4>;
	.reg .b16 %h<7>;
	.reg .pred %p, %q;
	.local .align 16 .b8 own[16];
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
	mov.u64 %pa, %a;
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
    groups = (arithmetic, halves, more_floats, conversions, more_conversions, integers, more_integers, combined,
              lanes_and_memory, accesses, control)
    for group in groups:
        if len(sys.argv) < 3 or group.__name__ in sys.argv[2:]:
            group()
    assert len({name for _, name, _ in forms}) == len(forms)
    print(f".version 8.4\n.target sm_{target}\n.address_size 64\n.shared .align 16 .b8 area[4096];" + FUNCTIONS)
    for one in forms:
        print(kernel(*one))
