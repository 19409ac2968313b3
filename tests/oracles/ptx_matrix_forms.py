#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Forms for ptx_legal.py: products of matrices, and loads, stores and transposition of matrices. See ptx_forms.py."""
from ptx_forms import form

FACTORS = "f16 bf16 tf32 f64 u8 s8 u4 s4 b1 e4m3 e5m2 f32".split()
SUMS = "f16 f32 f64 s32 bf16".split()
BITS = {"f16": 16, "bf16": 16, "tf32": 32, "f64": 64, "u8": 8, "s8": 8, "u4": 4, "s4": 4, "b1": 1, "e4m3": 8, "e5m2": 8, "f32": 32,
        "s32": 32}


def registers(t, n, first=1):
    """A vector of n registers; only a few exist, and sources may be the same."""
    kind = "%l" if t == "f64" else "%r"
    return "{" + ",".join(f"{kind}{(first + k) % 8}" for k in range(n)) + "}"


def counts(rows, columns, t):
    """The registers of a lane that hold its part of a matrix."""
    return rows * columns // 32 if t == "f64" else rows * columns * BITS[t] // 1024 or 1


def mma():
    shapes = [(8, 8, 4), (8, 8, 16), (8, 8, 32), (8, 8, 128), (16, 8, 4), (16, 8, 8), (16, 8, 16), (16, 8, 32), (16, 8, 64),
              (16, 8, 128), (16, 8, 256), (32, 8, 16)]

    def product(shape):
        m, n, k = shape
        for sparse in ("", ".sp", ".sp::ordered_metadata"):
            for a in FACTORS:
                b = [a] + {"u8": ["s8"], "s8": ["u8"], "u4": ["s4"], "e4m3": ["e5m2"]}.get(a, [])
                for b in b:
                    for d in SUMS:
                        for extra in ("", ".satfinite", ".rn") if not sparse else ("",):
                            for op in (".xor.popc", ".and.popc") if a == "b1" else ("",):
                                for layout in (".row.col", ".col.row", ".row.row") if not extra and not sparse else (".row.col",):
                                    for wrong in (0, 1) if layout == ".row.col" and not extra else (0,):
                                        words = counts(m, k, a) // (2 if sparse else 1) or 1
                                        da, ca = (registers(d, counts(m, n, d) or 1, f) for f in (0, 1))
                                        text = (f"mma{sparse}.sync.aligned.m{m}n{n}k{k}{layout}{extra}.{d}.{a}.{b}.{d}{op} "
                                                f"{da},{registers(a, words + wrong)},{registers(b, counts(k, n, b))},{ca}")
                                        form(text + (",%r1,0x0;" if sparse else ";"))
    for shape in shapes:
        yield "mma m{}n{}k{}".format(*shape), lambda shape=shape: product(shape)


def wmma():
    def accesses():
        for shape in ("m16n16k16", "m8n32k16", "m32n8k16", "m8n8k32", "m8n8k128", "m16n16k8", "m8n8k4"):
            for which in ("a", "b", "c", "d"):
                for layout, space, at in ((".row", "", "%at"), (".col", ".shared", "%shared")):
                    for t in FACTORS + ["s32"]:
                        for n in (1, 2, 4, 8) if not space else (8,):
                            w = "load" if which != "d" else "store"
                            r = registers(t, n, 0)
                            o = f"{r},[{at}],%r1" if which != "d" else f"[{at}],{r},%r1"
                            form(f"wmma.{w}.{which}.sync.aligned{layout}.{shape}{space}.{t} {o};")
    yield "wmma.load and wmma.store", accesses

    def products():
        for shape, (m, n, k) in (("m16n16k16", (16, 16, 16)), ("m8n32k16", (8, 32, 16)), ("m32n8k16", (32, 8, 16)),
                                 ("m8n8k32", (8, 8, 32)), ("m8n8k128", (8, 8, 128)), ("m16n16k8", (16, 16, 8)),
                                 ("m8n8k4", (8, 8, 4))):
            for la, lb in ((".row", ".col"), (".col", ".col"), (".row", ".row")):
                for a in FACTORS:
                    for d in SUMS:
                        for c in sorted({d, "f32"}):
                            for sat in ("", ".satfinite"):
                                na, nb = (8, 8) if a == "f16" else (counts(m, k, a), counts(k, n, a))
                                types = f".{d}.{c}" if a == "f16" else f".{d}.{a}.{a}.{c}"
                                op = ".xor.popc" if a == "b1" else ""
                                form(f"wmma.mma{op}.sync.aligned{la}{lb}.{shape}{types}{sat} "
                                     f"{registers(d, counts(m, n, d), 0)},{registers(a, na)},{registers(a, nb)},"
                                     f"{registers(c, counts(m, n, c))};")
    yield "wmma.mma", products


def wgmma():
    def products():
        for n in (8, 12, 24, 256):
            for k in (8, 16, 32, 256):
                for a in FACTORS:
                    for b in sorted({a, {"u8": "s8", "e4m3": "e5m2"}.get(a, a)}):
                        for d in SUMS:
                            if n > 24 and (k, a) not in ((16, "f16"), (32, "s8")):
                                continue
                            words = {"f16": n // 4, "f64": n}.get(d, n // 2)
                            for at in ("%l1", "{%r1,%r2,%r3,%r4}"):
                                for last in (",1,1,1,0,0", ",1,1,1", ",%p1", ",%p1,1,-1,1", ""):
                                    for sat in ("", ".satfinite") if d == "s32" else ("",):
                                        op = ".and.popc" if a == "b1" else ""
                                        form(f"wgmma.mma_async.sync.aligned.m64n{n}k{k}{sat}.{d}.{a}.{b}{op} "
                                             f"{registers(d, words, 0)},{at},%l2{last};")
    yield "wgmma.mma_async", products

    def groups():
        for w in ("fence", "commit_group", "wait_group"):
            for n in ("", " 0", " 7", " 8", " %r1", " -1"):
                form(f"wgmma.{w}.sync.aligned{n};")
                form(f"wgmma.{w}{n};")
    yield "wgmma groups", groups


def moves():
    def matrices():
        for name in ("ldmatrix", "stmatrix"):
            for shape in (".m8n8", ".m16n16", ".m8n16", ".m16n8", ""):
                for num in (".x1", ".x2", ".x4", ".x3", ""):
                    for trans in ("", ".trans"):
                        for space in ("", ".shared", ".shared::cta", ".shared::cluster", ".global"):
                            for t in (".b16", ".b8", ".b32", ".u16", ".b8x16.b6x16_p32", ".b8x16.b4x16_p64"):
                                for n in (1, 2, 4):
                                    r = "{" + ",".join(f"%r{k}" for k in range(n)) + "}"
                                    for at in ("%shared",) if space else ("%generic", "sv"):
                                        o = f"{r},[{at}]" if name == "ldmatrix" else f"[{at}],{r}"
                                        form(f"{name}.sync.aligned{shape}{num}{trans}{space}{t} {o};")
        for d in ("%r0", "{%r0}", "%l0", "%h0"):
            for t in (".trans", ""):
                for b in (".b16", ".b32", ".b8"):
                    form(f"movmatrix.sync.aligned.m8n8{t}{b} {d},%r1;")
                    form(f"movmatrix.sync.aligned.m8n8{t}{b} {d},3;")
    yield "ldmatrix, stmatrix and movmatrix", matrices


FAMILIES = (mma, wmma, wgmma, moves)
