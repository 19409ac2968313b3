#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares which PTX is legal for ptxas and for us: every mnemonic of scalar PTX (no tensor cores,
asynchronous copies, clusters, textures, video) with all plausible combinations of modifiers and
types, right and wrong. Prints the forms that only one of the two accepts, and counts.
  usage: ptx_legal.py SOV PTXAS [MNEMONIC...]
TARGET and VERSION in the environment replace sm_90 and PTX 9.0; ptxas 12.4 knows PTX up to 8.4, and
before sm_75 only it has targets.

Each form is one line of a kernel, with a store of its result, so that no compiler eliminates it.
Lines with errors are removed until the rest compiles; if a compiler names no line, the file is
bisected."""
import itertools
import os
import re
import subprocess
import sys
import tempfile

VERSION, TARGET = os.environ.get("VERSION", "9.0"), os.environ.get("TARGET", "sm_90")
INTEGERS = "u16 u32 u64 s16 s32 s64".split()
BITS = "b16 b32 b64".split()
HALVES = "f16 f16x2 bf16 bf16x2".split()
FLOATS = ["f32", "f64"] + HALVES
BYTES = "u8 s8 b8".split()
PLAIN = BITS + INTEGERS + FLOATS
ODD = "u16x2 s16x2 b128 f32x2 tf32 b8 u8 s8 pred".split()
EVERY = PLAIN + ODD
ROUND = ["", ".rn", ".rz", ".rm", ".rp"]
ORDERED = "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan".split()

forms = []
mnemonic = ""


def bits(t):
    sizes = {"pred": 1, "tf32": 32, "e4m3x2": 16, "e5m2x2": 16}
    if t in sizes:
        return sizes[t]
    return int(re.sub(r"x2$", "", t)[1 if t[0] != "b" or t[1] != "f" else 2:]) * (2 if t.endswith("x2") else 1)


def register(t, n, min_bits=16):
    """Untyped (.b) registers fit every type of their size."""
    size = max(bits(t), min_bits) if t != "pred" else 1
    return "%" + {1: "p", 16: "h", 32: "r", 64: "l", 128: "q"}[size] + str(n)


STORES = {"p": "{.reg .b32 x; selp.u32 x,1,0,%s; st.global.b32 [%%at],x;}", "h": "st.global.b16 [%%at],%s;",
          "r": "st.global.b32 [%%at],%s;", "l": "st.global.b64 [%%at],%s;",
          "q": "{.reg .b64 x,y; mov.b128 {x,y},%s; st.global.v2.b64 [%%at],{x,y};}"}


def keep(r):
    return STORES[r[1]] % r


def form(text, *results):
    forms.append((mnemonic, text, " ".join(keep(r) for r in results)))


def each(*groups):
    """All concatenations of one word of each group."""
    return ("".join(words) for words in itertools.product(*groups))


def number(t):
    return ("1.5" if t in ("f32", "f64") else "0x3C00" if t in HALVES else "3")


def operation(name, words, types, sources, result=None, numbers=True):
    """Forms name.words.type d, a, b, ...; some with immediates instead of registers."""
    for t in types:
        d = register(result(t) if result else t, 0)
        a = [register(t, 1 + n) for n in range(sources)]
        for w in words:
            form(f"{name}{w}.{t} {d},{','.join(a)};", d)
        if numbers:
            for n in range(sources):
                mixed = a[:n] + [number(t)] + a[n + 1:]
                form(f"{name}{words[0]}.{t} {d},{','.join(mixed)};", d)


def twice(t):
    return {"u16": "u32", "s16": "s32", "u32": "u64", "s32": "s64"}.get(t, t)


def arithmetic():
    common = list(each(["", ".sat", ".cc"], ROUND, ["", ".ftz"]))
    yield "add", lambda: operation("add", common + [".rn.ftz.sat", ".rz.sat", ".rm.ftz.sat"], EVERY, 2)
    yield "sub", lambda: operation("sub", common + [".rn.ftz.sat", ".rz.sat", ".rm.ftz.sat"], EVERY, 2)
    yield "addc", lambda: operation("addc", ["", ".cc", ".sat"], EVERY, 2)
    yield "subc", lambda: operation("subc", ["", ".cc", ".sat"], EVERY, 2)
    sizes = ["", ".lo", ".hi"]

    def mul():
        operation("mul", list(each(sizes, ROUND, ["", ".ftz"], ["", ".sat"])), EVERY, 2)
        operation("mul", [".wide"], INTEGERS, 2, twice)
    yield "mul", mul

    def mad():
        operation("mad", list(each(sizes, ROUND, ["", ".ftz"], ["", ".sat", ".cc"])), EVERY, 3)
        for t in INTEGERS:
            d, c = register(twice(t), 0), register(twice(t), 3)
            for w in ("", ".cc", ".sat"):
                form(f"mad.wide{w}.{t} {d},{register(t, 1)},{register(t, 2)},{c};", d)
    yield "mad", mad
    yield "madc", lambda: operation("madc", list(each(sizes, ["", ".cc", ".sat"])), EVERY, 3)
    yield "fma", lambda: operation("fma", list(each(ROUND, ["", ".ftz"], ["", ".sat", ".relu", ".oob", ".oob.relu"])), EVERY, 3)
    yield "mul24", lambda: operation("mul24", sizes + [".hi.sat", ".lo.sat"], EVERY, 2)
    yield "mad24", lambda: operation("mad24", sizes + [".hi.sat", ".lo.sat"], EVERY, 3)
    yield "sad", lambda: operation("sad", [""], EVERY, 3)
    yield "div", lambda: operation("div", list(each(ROUND + [".approx", ".full"], ["", ".ftz"], ["", ".sat"])), EVERY, 2)
    yield "rem", lambda: operation("rem", [""], EVERY, 2)
    for name in ("abs", "neg"):
        yield name, lambda name=name: operation(name, ["", ".ftz", ".sat"], EVERY, 1)
    for name in ("min", "max"):
        words = list(each(["", ".ftz"], ["", ".NaN"], ["", ".xorsign.abs", ".relu"]))
        yield name, lambda name=name, words=words: (operation(name, words, EVERY, 2), operation(name, [""], ["f32"], 3))
    yield "copysign", lambda: operation("copysign", [""], EVERY, 2)

    def testp():
        for what in ("finite", "infinite", "number", "notanumber", "normal", "subnormal"):
            for t in EVERY:
                form(f"testp.{what}.{t} %p0,{register(t, 1)};", "%p0")
    yield "testp", testp
    functions = list(each(["", ".approx", ".rn", ".rz", ".rm", ".rp"], ["", ".ftz"]))
    for name in ("rcp", "sqrt", "rsqrt", "sin", "cos", "lg2", "ex2", "tanh"):
        yield name, lambda name=name: operation(name, functions, FLOATS, 1)


def logic():
    for name in ("and", "or", "xor"):
        yield name, lambda name=name: operation(name, [""], EVERY, 2)
    for name in ("not", "cnot"):
        yield name, lambda name=name: operation(name, [""], EVERY, 1)

    def lop3():
        for t in BITS:
            d = register(t, 0)
            form(f"lop3.{t} {d},{register(t, 1)},{register(t, 2)},{register(t, 3)},0x96;", d)
            form(f"lop3.{t} {d},{register(t, 1)},3,{register(t, 3)},0x96;", d)
            for op in ("and", "or", "xor"):
                form(f"lop3.{op}.{t} {d}|%p0,{register(t, 1)},{register(t, 2)},{register(t, 3)},0x96,%p1;", d, "%p0")
                form(f"lop3.{op}.{t} _|%p0,{register(t, 1)},{register(t, 2)},{register(t, 3)},0x96,%p1;", "%p0")
                form(f"lop3.{op}.{t} {d}|%p0,{register(t, 1)},{register(t, 2)},{register(t, 3)},0x96,!%p1;", d, "%p0")
    yield "lop3", lop3

    def shift(name):
        for t in EVERY:
            d, a = register(t, 0), register(t, 1)
            for b in ("%r2", "%h2", "%l2", "3"):
                form(f"{name}.{t} {d},{a},{b};", d)
            form(f"{name}.{t} {d},{number(t)},%r2;", d)
    for name in ("shl", "shr"):
        yield name, lambda name=name: shift(name)

    def shf():
        for w in each([".l", ".r", ""], [".clamp", ".wrap", ""], [".b32", ".b64", ".u32"]):
            form(f"shf{w} %r0,%r1,%r2,%r3;", "%r0")
        form("shf.l.wrap.b32 %r0,%r1,%r2,3;", "%r0")
    yield "shf", shf

    def count(name):
        for t in EVERY:
            for d in ("%r0", "%l0", "%h0"):
                form(f"{name}.{t} {d},{register(t, 1)};", d)
    for name in ("popc", "clz"):
        yield name, lambda name=name: count(name)

    def bfind():
        for t in EVERY:
            for w in ("", ".shiftamt"):
                form(f"bfind{w}.{t} %r0,{register(t, 1)};", "%r0")
    yield "bfind", bfind
    yield "brev", lambda: operation("brev", [""], EVERY, 1)

    def bfe():
        for t in EVERY:
            d, a = register(t, 0), register(t, 1)
            for b in ("%r2,%r3", "3,%r3", "%r2,7", "3,7"):
                form(f"bfe.{t} {d},{a},{b};", d)
    yield "bfe", bfe

    def bfi():
        for t in EVERY:
            d, a = register(t, 0), register(t, 1)
            for b in ("%r2,%r3", "3,%r3", "%r2,7", "3,7"):
                form(f"bfi.{t} {d},{a},{register(t, 4)},{b};", d)
                form(f"bfi.{t} {d},3,{register(t, 4)},{b};", d)
    yield "bfi", bfi

    def fns():
        for t in BITS:
            form(f"fns.{t} %r0,%r1,%r2,%r3;", "%r0")
        form("fns.b32 %r0,%r1,0,1;", "%r0")
        form("fns.b32 %r0,%r1,0,-2;", "%r0")
    yield "fns", fns

    def narrow(name):
        for t in EVERY:
            for w in ("", ".clamp", ".wrap"):
                form(f"{name}{w}.{t} %r0,%r1,%r2;", "%r0")
        form(f"{name}.clamp.{'u32' if name == 'szext' else 'b32'} %r0,3,7;", "%r0")
    for name in ("szext", "bmsk"):
        yield name, lambda name=name: narrow(name)

    def prmt():
        for mode in ("", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"):
            for t in BITS + ["u32"]:
                form(f"prmt.{t}{mode} %r0,%r1,%r2,%r3;", "%r0")
                form(f"prmt.{t}{mode} %r0,%r1,%r2,0x5410;", "%r0")
                form(f"prmt.{t}{mode} %r0,%r1,0,%r3;", "%r0")
    yield "prmt", prmt

    def dot():
        for w in each([".u32", ".s32", ".b32", ""], [".u32", ".s32", ".b32", ""]):
            form(f"dp4a{w} %r0,%r1,%r2,%r3;", "%r0")
            for half in ("", ".lo", ".hi"):
                form(f"dp2a{half}{w} %r0,%r1,%r2,%r3;", "%r0")
    yield "dp4a", dot


def comparison():
    def setp():
        for op in ORDERED:
            for t in EVERY:
                a, b = register(t, 1), register(t, 2)
                for ftz in ("", ".ftz"):
                    form(f"setp.{op}{ftz}.{t} %p0,{a},{b};", "%p0")
                    for boolean in (".and", ".or", ".xor", ".popc"):
                        form(f"setp.{op}{boolean}{ftz}.{t} %p0|%p1,{a},{b},!%p2;", "%p0", "%p1")
                form(f"setp.{op}.{t} %p0|%p1,{a},{b};", "%p0", "%p1")
                form(f"setp.{op}.{t} %p0,{a},{number(t)};", "%p0")
                form(f"setp.{op}.{t} %p0,{number(t)},{b};", "%p0")
        form("setp.eq.u32 _|%p0,%r1,%r2;", "%p0")
        form("setp.eq.u32 %p0|_,%r1,%r2;", "%p0")
    yield "setp", setp

    def sets():
        for op in ORDERED:
            for t in EVERY:
                a, b = register(t, 1), register(t, 2)
                for to in ("u32", "s32", "f32", "u16", "s16", "f16", "bf16", "f16x2", "bf16x2", "u64", "b32", "f64"):
                    d = register(to, 0)
                    form(f"set.{op}.{to}.{t} {d},{a},{b};", d)
                    form(f"set.{op}.ftz.{to}.{t} {d},{a},{b};", d)
                    form(f"set.{op}.and.{to}.{t} {d},{a},{b},%p1;", d)
    yield "set", sets

    def selp():
        for t in EVERY:
            d, a, b = (register(t, n) for n in range(3))
            for x in (f"{a},{b},%p1", f"{a},{number(t)},%p1", f"{number(t)},{b},%p1", f"{a},{b},!%p1"):
                form(f"selp.{t} {d},{x};", d)
    yield "selp", selp

    def slct():
        for t in EVERY:
            d, a, b = (register(t, n) for n in range(3))
            for of in ("s32", "f32", "u32", "s64", "f64"):
                for ftz in ("", ".ftz"):
                    form(f"slct{ftz}.{t}.{of} {d},{a},{b},{register(of, 3)};", d)
            form(f"slct.{t}.s32 {d},{a},{number(t)},%r3;", d)
            form(f"slct.{t}.s32 {d},{number(t)},{b},%r3;", d)
    yield "slct", slct


SPECIAL = """tid.x tid.y tid.z ntid.x ntid.z ctaid.x ctaid.z nctaid.y laneid warpid nwarpid smid nsmid gridid lanemask_eq
lanemask_le lanemask_lt lanemask_ge lanemask_gt clock clock_hi clock64 globaltimer globaltimer_lo globaltimer_hi
dynamic_smem_size total_smem_size envreg0 envreg31 current_graph_exec is_explicit_cluster""".split()


def moves():
    def mov():
        for t in EVERY:
            d = register(t, 0)
            form(f"mov.{t} {d},{register(t, 1)};", d)
            form(f"mov.{t} {d},{number(t)};", d)
            for s in SPECIAL:
                form(f"mov.{t} {d},%{s};", d)
            for v in ("gv", "sv", "lv", "cv", "parameter", "gv+4", "sv+8", "cv+4", "helper", "kernel", "generic(gv)"):
                form(f"mov.{t} {d},{v};", d)
            for size, count in ((8, 2), (8, 4), (16, 2), (16, 4), (32, 2), (32, 4), (64, 2)):
                r = {8: "h", 16: "h", 32: "r", 64: "l"}[size]
                parts = ",".join(f"%{r}{n}" for n in range(2, 2 + count))
                form(f"mov.{t} {d},{{{parts}}};", d)
                form(f"mov.{t} {{{parts}}},{register(t, 1)};", f"%{r}2", f"%{r}3")
        form("mov.b64 {%r0,_},%l1;", "%r0")
        form("mov.b64 {_,%r0},%l1;", "%r0")
        form("mov.b32 {_,%h0},%r1;", "%h0")
        form("mov.b128 {_,%l0},%q1;", "%l0")
        form("mov.b32 %r0,WARP_SZ;", "%r0")
        form("mov.u32 %r0,0x80000000;", "%r0")
        form("mov.s32 %r0,-2147483648;", "%r0")
        form("mov.u32 %r0,-1;", "%r0")
        form("mov.u16 %h0,65535;", "%h0")
        form("mov.u32 %r0,3+4*2;", "%r0")
        form("mov.u32 %r0,(1<<4)|3;", "%r0")
        form("mov.b64 %l0,0xffffffffffffffff;", "%l0")
        form("mov.f32 %r0,0f3F800000;", "%r0")
        form("mov.f64 %l0,0d3FF0000000000000;", "%l0")
        form("mov.f32 %r0,1;", "%r0")
        form("mov.f64 %l0,1.0e-3;", "%l0")
        form("mov.b32 %r0,0f3F800000;", "%r0")
        form("mov.b64 %l0,0d3FF0000000000000;", "%l0")
        form("mov.b32 %r0,1.5;", "%r0")
    yield "mov", mov

    def cvt():
        types = BYTES + INTEGERS + FLOATS + ["tf32", "e4m3x2", "e5m2x2"]
        for to in types:
            for t in types:
                d, a = register(to, 0), register(t, 1)
                for r in ("", ".rn", ".rz", ".rm", ".rp", ".rni", ".rzi", ".rmi", ".rpi", ".rna"):
                    for w in ("", ".ftz", ".sat", ".ftz.sat", ".relu", ".satfinite", ".relu.satfinite"):
                        form(f"cvt{r}{w}.{to}.{t} {d},{a};", d)
                if to.endswith("x2"):
                    for r in (".rn", ".rz", ""):
                        for w in ("", ".relu", ".satfinite", ".relu.satfinite"):
                            form(f"cvt{r}{w}.{to}.{t} {d},{a},{register(t, 2)};", d)
        for to in ("u8", "s8", "u16", "s16", "u32", "s32"):
            for t in ("u8", "s8", "u16", "s16", "u32", "s32"):
                for d in ("%r0", "%l0"):
                    for a in ("%r1", "%l1", "%h1"):
                        form(f"cvt.{to}.{t} {d},{a};", d)
        form("cvt.u32.u64 %r0,3;", "%r0")
        form("cvt.rn.f32.s32 %r0,3;", "%r0")
    yield "cvt", cvt

    def pack():
        for to in ("u2", "s2", "u4", "s4", "u8", "s8", "u16", "s16", "u32"):
            for t in ("s32", "u32"):
                for sat in ("", ".sat"):
                    form(f"cvt.pack{sat}.{to}.{t} %r0,%r1,%r2;", "%r0")
                    form(f"cvt.pack{sat}.{to}.{t}.b32 %r0,%r1,%r2,%r3;", "%r0")
    yield "cvt.pack", pack

    def cvta():
        for space, variable in (("global", "gv"), ("shared", "sv"), ("local", "lv"), ("const", "cv"), ("param", "parameter"),
                                ("param::entry", "parameter"), ("shared::cta", "sv")):
            for size in ("u32", "u64", "b64", "s64"):
                for to in ("", ".to"):
                    form(f"cvta{to}.{space}.{size} {register(size, 0)},{register(size, 1)};", register(size, 0))
                    form(f"cvta{to}.{space}.{size} {register(size, 0)},{variable};", register(size, 0))
                form(f"cvta.{space}.{size} {register(size, 0)},{variable}+4;", register(size, 0))
    yield "cvta", cvta

    def isspacep():
        for space in ("global", "shared", "shared::cta", "local", "const", "param", "param::entry"):
            for a in ("%l1", "%r1", "gv"):
                form(f"isspacep.{space} %p0,{a};", "%p0")
    yield "isspacep", isspacep


ADDRESSES = {"": "%generic", ".global": "%at", ".shared": "%shared", ".shared::cta": "%shared", ".local": "%local",
          ".const": "%const", ".param": "parameter", ".param::entry": "parameter"}
MEMORY = "b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64 b128 f16 bf16 f16x2 pred".split()


def vector(t, v, n):
    r = register(t, n)
    if not v:
        return r, [r]
    names = [register(t, n + k) for k in range(int(v[2:]))]
    return "{" + ",".join(names) + "}", names


def memory():
    def ld(name, words, spaces, types=MEMORY, vectors=("", ".v2", ".v4"), after="", hint=""):
        for w in words:
            for s in spaces:
                for v in vectors:
                    for t in types:
                        d, names = vector(t, v, 0)
                        form(f"{name}{w[0]}{s}{w[1]}{v}.{t} {d},[{ADDRESSES[s]}{after}]{hint};", *names)

    def loads():
        orders = ["", ".weak", ".volatile"] + list(each([".relaxed", ".acquire"], ["", ".cta", ".gpu", ".sys", ".cluster"]))
        ld("ld", [(o, "") for o in orders], ADDRESSES)
        ld("ld", [("", c) for c in (".ca", ".cg", ".cs", ".lu", ".cv")], ADDRESSES, ["b32", "b128", "u8"])
        ld("ld", [("", c) for c in (".nc", ".ca.nc", ".cg.nc", ".cs.nc", ".lu.nc", ".cv.nc")], ["", ".global", ".shared"])
        levels = [".L1::evict_normal", ".L1::evict_unchanged", ".L1::evict_first", ".L1::evict_last", ".L1::no_allocate",
                  ".L2::64B", ".L2::128B", ".L2::256B", ".L1::no_allocate.L2::128B"]
        ld("ld", [("", c) for c in levels], ["", ".global", ".shared"], ["b32", "f64"])
        ld("ld", [("", c) for c in (".nc" + x for x in levels)], ["", ".global"], ["b32", "f64"])
        ld("ld", [("", ".L2::cache_hint"), ("", ".nc.L2::cache_hint"), (".relaxed.gpu", ".L2::cache_hint")],
           ["", ".global", ".shared"], ["b32", "b64"], hint=",%l7")
        ld("ld", [("", "")], ADDRESSES, ["b32", "b64"], after="+16")
        ld("ld", [("", "")], [".global"], ["b32"], after="+-16")
        for t in ("u8", "s8", "b8", "u16", "s16", "b16", "u32", "s32", "b32", "f32", "f64"):
            for d in ("%h0", "%r0", "%l0"):
                form(f"ld.global.{t} {d},[%at];", d)
        form("ld.global.b32 %r0,[gv];", "%r0")
        form("ld.global.b32 %r0,[gv+4];", "%r0")
        form("ld.shared.b32 %r0,[sv+4];", "%r0")
        form("ld.const.b32 %r0,[cv+4];", "%r0")
        form("ld.local.b32 %r0,[lv+4];", "%r0")
        form("ld.b32 %r0,[gv];", "%r0")
        form("ld.global.b32 %r0,[%r1];", "%r0")
        form("ld.shared.b32 %r0,[%l1];", "%r0")
        form("ld.global.b32 %r0,[4096];", "%r0")
        form("ld.shared.b32 %r0,[16];", "%r0")
        form("ld.global.v2.b32 {%r0,_},[%at];", "%r0")
        form("ld.global.v4.b32 {_,%r0,_,_},[%at];", "%r0")
    yield "ld", loads
    yield "ldu", lambda: ld("ldu", [("", "")], ["", ".global", ".shared", ".const"])

    def st(words, spaces, types=MEMORY, vectors=("", ".v2", ".v4"), after="", hint=""):
        for w in words:
            for s in spaces:
                for v in vectors:
                    for t in types:
                        form(f"st{w[0]}{s}{w[1]}{v}.{t} [{ADDRESSES[s]}{after}],{vector(t, v, 0)[0]}{hint};")

    def stores():
        orders = ["", ".weak", ".volatile"] + list(each([".relaxed", ".release"], ["", ".cta", ".gpu", ".sys", ".cluster"]))
        st([(o, "") for o in orders], ADDRESSES)
        st([("", c) for c in (".wb", ".cg", ".cs", ".wt", ".ca")], ADDRESSES, ["b32", "b128", "u8"])
        levels = [".L1::evict_normal", ".L1::evict_unchanged", ".L1::evict_first", ".L1::evict_last", ".L1::no_allocate"]
        st([("", c) for c in levels], ["", ".global", ".shared"], ["b32", "f64"])
        st([("", ".L2::cache_hint"), (".relaxed.gpu", ".L2::cache_hint")], ["", ".global", ".shared"], ["b32", "b64"],
           hint=",%l7")
        for t in ("u8", "s8", "b8", "u16", "s16", "b16", "u32", "s32", "b32", "f32", "f64"):
            for d in ("%h0", "%r0", "%l0"):
                form(f"st.global.{t} [%at],{d};")
            form(f"st.global.{t} [%at],{number(t)};")
        form("st.global.v2.b32 [%at],{%r0,3};")
        form("st.global.v4.f32 [%at],{%r0,1.5,%r1,0f00000000};")
        form("st.b32 [gv],%r0;")
        form("st.shared.b32 [sv+4],%r0;")
    yield "st", stores

    def atomics(name):
        operations = "and or xor exch cas add inc dec min max".split()
        for o in operations:
            for s in ("", ".global", ".shared", ".shared::cta", ".local", ".const"):
                for t in EVERY:
                    d, a, b = (register(t, n) for n in range(3))
                    more = f",{b}" if o == "cas" else ""
                    for noftz in ("", ".noftz") if o in ("add", "min", "max") else ("",):
                        for v in ("", ".v2", ".v4", ".v8") if s in ("", ".global") and t in FLOATS else ("",):
                            x, y = vector(t, v, 0)[0], vector(t, v, 0)[0]
                            if name == "red":
                                form(f"red{s}.{o}{noftz}{v}.{t} [{ADDRESSES[s]}],{y}{more};")
                            elif not v:
                                form(f"atom{s}.{o}{noftz}.{t} {d},[{ADDRESSES[s]}],{a}{more};", d)
                            else:
                                form(f"atom{s}.{o}{noftz}{v}.{t} {x},[{ADDRESSES[s]}],{y};", register(t, 0))
        for order in ("", ".relaxed", ".acquire", ".release", ".acq_rel", ".sc", ".weak", ".volatile"):
            for scope in ("", ".cta", ".cluster", ".gpu", ".sys"):
                for s in ("", ".global", ".shared"):
                    if name == "red":
                        form(f"red{order}{scope}{s}.add.u32 [{ADDRESSES[s]}],%r1;")
                    else:
                        form(f"atom{order}{scope}{s}.add.u32 %r0,[{ADDRESSES[s]}],%r1;", "%r0")
                        form(f"atom{order}{scope}{s}.exch.b128 %q0,[{ADDRESSES[s]}],%q1;", "%q0")
        if name == "atom":
            form("atom.global.add.u32 _,[%at],%r1;")
            form("atom.global.exch.b128 _,[%at],%q1;")
            form("atom.global.cas.b128 _,[%at],%q1,%q2;")
            form("atom.global.add.u32 %r0,[%at],3;", "%r0")
            form("atom.global.add.f32 %r0,[%at],1.5;", "%r0")
            form("atom.global.cas.b32 %r0,[%at],0,1;", "%r0")
            form("atom.global.add.L2::cache_hint.u32 %r0,[%at],%r1,%l7;", "%r0")
            form("atom.global.exch.L2::cache_hint.b128 %q0,[%at],%q1,%l7;", "%q0")
            form("atom.shared.add.u32 %r0,[sv],%r1;", "%r0")
            form("atom.global.add.u32 %r0,[gv+4],%r1;", "%r0")
        else:
            form("red.global.add.u32 [%at],3;")
            form("red.global.add.L2::cache_hint.u32 [%at],%r1,%l7;")
    yield "atom", lambda: atomics("atom")
    yield "red", lambda: atomics("red")

    def fences():
        for scope in ("", ".cta", ".cluster", ".gpu", ".sys", ".gl"):
            form(f"membar{scope};")
            for order in ("", ".sc", ".acq_rel", ".acquire", ".release", ".relaxed"):
                form(f"fence{order}{scope};")
    yield "fence", fences

    def advice():
        for s in ("", ".global", ".local", ".shared"):
            for level in (".L1", ".L2", ".L2::evict_last", ".L2::evict_normal", ""):
                form(f"prefetch{s}{level} [{ADDRESSES[s]}];")
            form(f"applypriority{s}.L2::evict_normal [{ADDRESSES[s]}],128;")
            form(f"discard{s}.L2 [{ADDRESSES[s]}],128;")
        form("prefetchu.L1 [%generic];")
        form("prefetchu.L2 [%generic];")
    yield "prefetch", advice

    def policy():
        first = (".L2::evict_last", ".L2::evict_normal", ".L2::evict_first", ".L2::evict_unchanged")
        second = ("", ".L2::evict_first", ".L2::evict_unchanged", ".L2::evict_last")
        for w in each(first, second):
            for a in ("", ",1.0", ",0.5", ",%r1"):
                form(f"createpolicy.fractional{w}.b64 %l0{a};", "%l0")
            form(f"createpolicy.range.global{w}.b64 %l0,[%at],0x100000,0x200000;", "%l0")
            form(f"createpolicy.range{w}.b64 %l0,[%generic],%r1,%r2;", "%l0")
        form("createpolicy.cvt.L2.b64 %l0,%l1;", "%l0")
    yield "createpolicy", policy


def lanes():
    def shfl():
        for mode in ("up", "down", "bfly", "idx"):
            for t in ("b32", "b64", "u32", "f32"):
                form(f"shfl.sync.{mode}.{t} %r0,%r1,%r2,%r3,%r4;", "%r0")
                form(f"shfl.sync.{mode}.{t} %r0|%p0,%r1,1,31,-1;", "%r0", "%p0")
                form(f"shfl.{mode}.{t} %r0|%p0,%r1,%r2,%r3;", "%r0", "%p0")
        form("shfl.sync.bfly.b32 %r0|_,%r1,1,31,-1;", "%r0")
        form("shfl.sync.bfly.b32 %r0,3,1,31,-1;", "%r0")
    yield "shfl", shfl

    def vote():
        for sync, mask in ((".sync", ",%r1"), (".sync", ",0xffffffff"), ("", "")):
            for mode in ("all", "any", "uni"):
                for a in ("%p1", "!%p1", "1"):
                    form(f"vote{sync}.{mode}.pred %p0,{a}{mask};", "%p0")
            form(f"vote{sync}.ballot.b32 %r0,%p1{mask};", "%r0")
            form(f"vote{sync}.ballot.b32 %r0,!%p1{mask};", "%r0")
    yield "vote", vote

    def match():
        for t in ("b32", "b64", "b16", "u32"):
            a = register(t, 1)
            form(f"match.any.sync.{t} %r0,{a},-1;", "%r0")
            form(f"match.all.sync.{t} %r0,{a},%r2;", "%r0")
            form(f"match.all.sync.{t} %r0|%p0,{a},%r2;", "%r0", "%p0")
            form(f"match.any.sync.{t} %r0|%p0,{a},%r2;", "%r0", "%p0")
        form("match.any.sync.b32 %r0,3,-1;", "%r0")
    yield "match", match

    def redux():
        for o in ("add", "min", "max", "and", "or", "xor"):
            for t in ("u32", "s32", "b32", "f32"):
                for w in ("", ".abs", ".NaN", ".abs.NaN"):
                    form(f"redux.sync.{o}{w}.{t} %r0,%r1,%r2;", "%r0")
        form("redux.sync.add.u32 %r0,%r1,0xffffffff;", "%r0")
    yield "redux", redux

    def others():
        form("activemask.b32 %r0;", "%r0")
        form("activemask.u32 %r0;", "%r0")
        form("elect.sync %r0|%p0,%r1;", "%r0", "%p0")
        form("elect.sync _|%p0,-1;", "%p0")
        form("elect.sync %r0,-1;", "%r0")
        form("bar.warp.sync %r1;")
        form("bar.warp.sync 0xffffffff;")
        for name, w in (("bar", ("",)), ("barrier", ("", ".aligned"))):
            for cta in ("", ".cta"):
                for a in w:
                    for o in ("0", "%r1", "1,64", "%r1,%r2", "1,%r2"):
                        form(f"{name}{cta}.sync{a} {o};")
                        form(f"{name}{cta}.arrive{a} {o};")
                        form(f"{name}{cta}.red.popc{a}.u32 %r0,{o},%p1;", "%r0")
                        form(f"{name}{cta}.red.and{a}.pred %p0,{o},!%p1;", "%p0")
                        form(f"{name}{cta}.red.or{a}.pred %p0,{o},%p1;", "%p0")
                        form(f"{name}{cta}.red.xor{a}.pred %p0,{o},%p1;", "%p0")
        form("nanosleep.u32 20;")
        form("nanosleep.u32 %r1;")
        form("nanosleep.u64 %l1;")
        form("griddepcontrol.wait;")
        form("griddepcontrol.launch_dependents;")
        form("pmevent 3;")
        form("pmevent.mask 3;")
        form("pmevent %r1;")
        form("@%p1 trap;")
        form("@%p1 brkpt;")
        form("@%p1 exit;")
        form("@%p1 ret;")
        form("@%p1 ret.uni;")
        form("@!%p1 bra.uni end;")
        form("@!%p1 bra end;")
        for t in ("u32", "u64", "b32", "s32"):
            r = register(t, 0)
            form(f"stacksave.{t} {r};", r)
            form(f"stackrestore.{t} {register(t, 1)};")
            form(f"alloca.{t} {r},{register(t, 1)};", r)
            form(f"alloca.{t} {r},{register(t, 1)},16;", r)
            form(f"alloca.{t} {r},64,16;", r)
    yield "others", others


HEAD = f"""//
.version {VERSION}
.target {TARGET}
.address_size 64
.global .align 16 .b8 gv[64];
.const .align 16 .b8 cv[64];
.shared .align 16 .b8 sv[64];
.func (.reg .b32 r) helper(.reg .b32 x) {{ add.u32 r,x,1; ret; }}
.visible .entry kernel(.param .align 16 .b8 parameter[64], .param .u64 out)
{{
	.local .align 16 .b8 lv[64];
	.reg .pred %p<12>; .reg .b16 %h<12>; .reg .b32 %r<12>; .reg .b64 %l<12>; .reg .b128 %q<12>;
	.reg .b64 %at,%generic,%const,%local; .reg .b32 %shared;
	ld.param.u64 %at,[out]; mov.u64 %generic,%at; mov.u64 %const,cv; mov.u64 %local,lv; mov.u32 %shared,sv;
	ld.global.v4.b32 {{%r1,%r2,%r3,%r4}},[%at]; ld.global.v2.b64 {{%l1,%l2}},[%at+16]; mov.b64 %l3,%l1; mov.b64 %l4,%l2;
	mov.b64 %l7,0; mov.b128 %q1,{{%l1,%l2}}; mov.b128 %q2,{{%l2,%l1}}; mov.b128 %q3,%q2;
	cvt.u16.u32 %h1,%r1; cvt.u16.u32 %h2,%r2; cvt.u16.u32 %h3,%r3; cvt.u16.u32 %h4,%r4;
	mov.b32 %r5,%r1; mov.b32 %r6,%r2; mov.b32 %r7,%r3; mov.b32 %r0,%r1; mov.b64 %l0,%l1; mov.b16 %h0,%h1; mov.b128 %q0,%q1;
	mov.b16 %h5,%h1; mov.b16 %h6,%h2; mov.b16 %h7,%h3; mov.b64 %l5,%l1; mov.b64 %l6,%l2; mov.b128 %q4,%q1;
	setp.ne.u32 %p1,%r1,0; setp.ne.u32 %p2,%r2,0; setp.ne.u32 %p3,%r3,0; setp.ne.u32 %p0,%r4,0; setp.ne.u32 %p4,%r1,9;
"""
TAIL = "end:\n\tret;\n}\n"
FIRST = HEAD.count("\n") + 1


class Compiler:
    def __init__(self, command, line):
        self.command, self.line = command, re.compile(line)

    def rejected_forms(self, work, batch):
        """Returns the indices of the batch's rejected forms, each with its message."""
        left, bad = list(range(len(batch))), {}
        while left:
            with open(f"{work}/x.ptx", "w") as f:
                f.write(HEAD + "".join(f"\t{batch[n][1]} {batch[n][2]}\n" for n in left) + TAIL)
            r = subprocess.run([c.format(work=work) for c in self.command], capture_output=True, text=True, check=False)
            if not r.returncode:
                return bad
            found = {}
            for m in self.line.finditer(r.stdout + r.stderr):
                at = int(m.group(1)) - FIRST
                if 0 <= at < len(left):
                    found.setdefault(left[at], m.group(2).strip())
            if not found:
                if len(left) == 1:
                    bad[left[0]] = (r.stdout + r.stderr).strip().split("\n")[0]
                    return bad
                for half in (left[:len(left) // 2], left[len(left) // 2:]):
                    for n, why in self.rejected_forms(work, [batch[k] for k in half]).items():
                        bad[half[n]] = why
                return bad
            bad.update(found)
            left = [n for n in left if n not in found]
        return bad


def main():
    global mnemonic
    ours = Compiler([sys.argv[1], "compile", "--target", TARGET, "-O0", "-o", "{work}/x.cubin", "{work}/x.ptx"],
                    r"(?:ptx|compile): (\d+):\d+: (.*)")
    theirs = Compiler([sys.argv[2], f"-arch={TARGET}", "-O0", "{work}/x.ptx", "-o", "{work}/y.cubin"],
                      r"line (\d+); (?:error|fatal)\s*: (.*)")
    total = [0, 0, 0, 0]
    with tempfile.TemporaryDirectory() as work:
        for family in (arithmetic, logic, comparison, moves, memory, lanes):
            for name, make in family():
                if len(sys.argv) > 3 and name not in sys.argv[3:]:
                    continue
                forms.clear()
                mnemonic = name
                make()
                tried = list(dict.fromkeys(forms))
                count = [0, 0, 0, 0]
                for at in range(0, len(tried), 400):
                    batch = tried[at:at + 400]
                    we, they = ours.rejected_forms(work, batch), theirs.rejected_forms(work, batch)
                    for n, f in enumerate(batch):
                        count[2 * (n in we) + (n in they)] += 1
                        if (n in we) != (n in they):
                            print(f"{'ONLY PTXAS' if n in we else 'ONLY SOV'}\t{f[1]}\t{we.get(n) or they.get(n)}")
                total = [a + b for a, b in zip(total, count)]
                print("# {}: {} forms: accepted by both {}, by neither {}, only by sov {}, only by ptxas {}".format(
                    name, len(tried), count[0], count[3], count[1], count[2]), flush=True)
    print("# count all: {} forms: accepted by both {}, by neither {}, only by sov {}, only by ptxas {}".format(
        sum(total), total[0], total[3], total[1], total[2]))


main()
