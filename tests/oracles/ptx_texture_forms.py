#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Forms for ptx_legal.py: textures, surfaces and copies of tensors. See ptx_forms.py."""
from ptx_forms import form

GEOMETRIES = {"1d": 1, "2d": 2, "3d": 4, "a1d": 2, "a2d": 4, "cube": 4, "acube": 4, "2dms": 4, "a2dms": 4, "4d": 4}
BYTES = ".mbarrier::complete_tx::bytes"


def registers(kind, first, count):
    return "{" + ",".join(f"%{kind}{first + k}" for k in range(count)) + "}"


def textures():
    def sampled(name, level="", last=""):
        for g, n in GEOMETRIES.items():
            for t, d in (("f32", registers("r", 4, 4)), ("u32", registers("r", 4, 4)), ("s32", registers("r", 4, 4)),
                         ("f16", registers("h", 4, 4)), ("b32", registers("r", 4, 4))):
                for a in ("f32", "s32", "u32"):
                    form(f"{name}{level}.{g}.v4.{t}.{a} {d},[%l1,{registers('r', 0, n)}]{last};", *d[1:-1].split(","))
            for a in ("f32", "s32"):
                form(f"{name}{level}.{g}.v2.f16x2.{a} {{%r4,%r5}},[%l1,{registers('r', 0, n)}]{last};", "%r4", "%r5")
                form(f"{name}{level}.{g}.v2.f32.{a} {{%r4,%r5}},[%l1,{registers('r', 0, n)}]{last};", "%r4", "%r5")

    def levels(name):
        sampled(name, ".level", ",%r3")
        for n in (1, 2, 4):
            sampled(name, ".grad", f",{registers('r', 0, n)},{registers('r', 1, n)}")
        sampled(name, ".base")

    def extras(name):
        for n in (1, 2, 4):
            sampled(name, "", "," + registers("r", 0, n))
        sampled(name, "", ",%r3")
        sampled(name, "", ",{%r0,%r1},%r3")
    yield "tex", lambda: sampled("tex")
    yield "tex with levels", lambda: levels("tex")
    yield "tex with offsets and comparison", lambda: extras("tex")

    def gathers():
        for c in (".r", ".g", ".b", ".a", ""):
            sampled("tld4" + c)
        extras("tld4.r")
    yield "tld4", gathers

    def queries():
        for name in ("txq", "suq"):
            for level in ("", ".level"):
                for q in ("width height depth array_size channel_data_type channel_order normalized_coords num_mipmap_levels "
                          "num_samples force_unnormalized_coords filter_mode addr_mode_0 addr_mode_1 addr_mode_2 "
                          "memory_layout size").split():
                    for t in ("b32", "u32", "b64"):
                        form(f"{name}{level}.{q}.{t} %r0,[%l1]{',%r1' if level else ''};", "%r0")
        for q in ("texref", "samplerref", "surfref"):
            for a in ("%l1", "gv", "%r1"):
                form(f"istypep.{q} %p0,{a};", "%p0")
    yield "queries", queries


def surfaces():
    def accesses():
        for g in ("1d", "2d", "3d", "a1d", "a2d", "cube"):
            n = GEOMETRIES[g]
            for kind in ("b", "p"):
                for v, d in (("", "{%r4}"), (".v2", "{%r4,%r5}"), (".v4", "{%r4,%r5,%r6,%r7}")):
                    for t in ("b8", "b16", "b32", "b64", "u32", "s32", "f32"):
                        e = d.replace("%r", {"b8": "%h", "b16": "%h", "b64": "%l"}.get(t, "%r"))
                        for bounds in (".trap", ".clamp", ".zero", ""):
                            for cop in ("", ".cg") if kind == "b" and bounds == ".trap" else ("",):
                                form(f"suld.{kind}.{g}{cop}{v}.{t}{bounds} {e},[%l1,{registers('r', 0, n)}];",
                                     *e[1:-1].split(","))
                                form(f"sust.{kind}.{g}{cop}{v}.{t}{bounds} [%l1,{registers('r', 0, n)}],{e};")
    yield "suld and sust", accesses

    def reductions():
        for kind in ("b", "p"):
            for op in ("add", "min", "max", "and", "or", "xor", "inc"):
                for g in ("1d", "2d", "3d", "a1d", "a2d"):
                    for t in ("u32", "s32", "u64", "s64", "b32", "b64", "f32"):
                        for bounds in (".trap", ".clamp", ".zero"):
                            x = "%l2" if t.endswith("64") else "%r3"
                            form(f"sured.{kind}.{op}.{g}.{t}{bounds} [%l1,{registers('r', 0, GEOMETRIES[g])}],{x};")
    yield "sured", reductions


def tensors():
    modes = ("", ".tile", ".im2col", ".im2col_no_offs", ".tile::gather4", ".im2col::w")

    def copies():
        for d in range(0, 7):
            at = registers("r", 0, max(d, 1))
            for mode in modes:
                for cast in ("", ".multicast::cluster"):
                    for hint in ("", ".L2::cache_hint"):
                        for to in (".shared::cluster", ".shared::cta", ".shared"):
                            for offsets in ("", ",{%h1}", ",{%h1,%h2}", ",{%h1,%h2,%h3}"):
                                last = offsets + (",%h4" if cast else "") + (",%l2" if hint else "")
                                form(f"cp.async.bulk.tensor.{d}d{to}.global{mode}{BYTES}{cast}{hint} [sv],[%l1,{at}],[sv+8]{last};")
                for hint in ("", ".L2::cache_hint"):
                    last = ",%l2" if hint else ""
                    form(f"cp.async.bulk.tensor.{d}d.global.shared::cta{mode}.bulk_group{hint} [%l1,{at}],[sv]{last};")
                    for op in ("add", "min", "max", "inc", "dec", "and", "or", "xor", "exch"):
                        form(f"cp.reduce.async.bulk.tensor.{d}d.global.shared::cta.{op}{mode}.bulk_group{hint} "
                             f"[%l1,{at}],[sv]{last};")
                    for offsets in ("", ",{%h1}", ",{%h1,%h2}", ",{%h1,%h2,%h3}"):
                        form(f"cp.async.bulk.prefetch.tensor.{d}d.L2.global{mode}{hint} [%l1,{at}]{offsets}{last};")
    yield "copies of tensors", copies

    def maps():
        for a in ("[%l1]", "[gv]", "[%at]", "[sv]", "%l1"):
            for s in ("", ".param", ".const", ".global", ".shared::cta", ".tensormap"):
                form(f"prefetch{s}.tensormap {a};")
                form(f"prefetch{s} {a};")
        for field in ("global_address", "rank", "box_dim", "global_dim", "global_stride", "element_stride", "elemtype",
                      "interleave_layout", "swizzle_mode", "swizzle_atomicity", "fill_mode"):
            for s in ("", ".global", ".shared::cta", ".shared"):
                for t in (".b1024.b32", ".b1024.b64", ".b32"):
                    for last in (",%r1", ",%l1", ",0,%r1", ",0,%l1", ",1", ",4", ",0x10"):
                        a = "sv" if "shared" in s else "%at"
                        form(f"tensormap.replace.tile.{field}{s}{t} [{a}]{last};")
        for order in ("release", "acquire"):
            for scope in ("cta", "cluster", "gpu", "sys"):
                for last in ("", " [%at],128", " [%at],64"):
                    form(f"fence.proxy.tensormap::generic.{order}.{scope}{last};")
                form(f"tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.{order}.{scope}.sync.aligned [%at],[sv],128;")
    yield "tensor maps", maps


FAMILIES = (textures, surfaces, tensors)
