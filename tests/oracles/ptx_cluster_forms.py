#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Forms for ptx_legal.py: clusters, barriers in memory, bulk copies, asynchronous stores and reductions. See
ptx_forms.py."""
from ptx_forms import form

BYTES = ".mbarrier::complete_tx::bytes"
SHARED = ["", ".shared", ".shared::cta", ".shared::cluster", ".global"]
SCOPES = ["", ".cta", ".cluster", ".gpu"]
TYPES = "u8 s8 b8 u16 b16 f16 bf16 u32 s32 b32 f32 f16x2 bf16x2 u64 s64 b64 f64 b128".split()


def register(t, n):
    kinds = {"8": "h", "16": "h", "32": "r", "64": "l", "x2": "r", "28": "q"}
    return f"%{kinds[t[-2:] if t[-2:] in kinds else t[-1:]]}{n}"


def clusters():
    def addresses():
        for name in ("mapa", "getctarank"):
            for ss in ("", ".shared", ".shared::cta", ".shared::cluster", ".global"):
                for t in (".u32", ".u64", ".b32", ".b64", ".s32"):
                    for a in ("%r1", "%l1", "sv", "gv", "4"):
                        for b in (",%r2", ",3", ",%l2", "") if name == "mapa" else ("", ",%r2"):
                            form(f"{name}{ss}{t} %r0,{a}{b};", "%r0")
                            form(f"{name}{ss}{t} %l0,{a}{b};", "%l0")
    yield "cluster addresses", addresses

    def barriers():
        for w in ("arrive", "wait", "sync", "arrive.wait"):
            for o in ("", ".release", ".relaxed", ".acquire", ".acq_rel", ".sc"):
                for a in ("", ".aligned", ".sync"):
                    form(f"barrier.cluster.{w}{o}{a};")
                    form(f"barrier.cluster.{w}{a}{o};")
                    form(f"bar.cluster.{w}{o}{a};")
                    form(f"@%p1 barrier.cluster.{w}{o}{a};")
        form("barrier.cluster.arrive 0;")
        form("barrier.cluster.wait %r1;")
    yield "cluster barriers", barriers

    def registers():
        for r in ("clusterid", "nclusterid", "cluster_ctaid", "cluster_nctaid", "cluster_ctarank", "cluster_nctarank",
                  "is_explicit_cluster", "aggr_smem_size"):
            for p in ("", ".x", ".y", ".z", ".w"):
                for t, d in (("u32", "%r0"), ("b32", "%r0"), ("u64", "%l0"), ("pred", "%p0"), ("u16", "%h0")):
                    form(f"mov.{t} {d},%{r}{p};", d)
            form(f"add.u32 %r0,%{r},1;", "%r0")
            form(f"mov.v4.u32 {{%r4,%r5,%r6,%r7}},%{r};")
    yield "cluster registers", registers

    def grids():
        for m in ("", ".wait", ".launch_dependents", ".sync"):
            form(f"griddepcontrol{m};")
            form(f"@%p1 griddepcontrol{m};")
        for d in ("%r0|%p0", "_|%p0", "%p0|%p1", "%r0", "%p0", "%l0|%p0", "%r0|_"):
            for m in ("%r1", "-1", "0xffff", "%l1", ""):
                form(f"elect.sync {d}{',' * bool(m)}{m};")
        for way in (".inc", ".dec", ""):
            for n in ("24", "40", "232", "256", "264", "16", "42", "%r1", "-8"):
                for t in (".u32", ".s32", ""):
                    form(f"setmaxnreg{way}.sync.aligned{t} {n};")
                    form(f"setmaxnreg{way}{t} {n};")
    yield "grids and warp groups", grids


def mbarrier():
    def objects():
        for ss in SHARED:
            for a in ("[%shared]", "[sv]", "[sv+8]", "[%generic]", "[%at]", "[gv]", "%r1"):
                for b in (",%r1", ",1", ",%l1", "", ",-1"):
                    form(f"mbarrier.init{ss}.b64 {a}{b};")
                form(f"mbarrier.inval{ss}.b64 {a};")
                form(f"mbarrier.inval{ss} {a};")
                form(f"mbarrier.pending_count{ss}.b64 %r0,{a};", "%r0")
        form("mbarrier.pending_count.b64 %r0,%l1;", "%r0")
        form("mbarrier.pending_count.b64 %l0,%l1;", "%l0")
        form("mbarrier.pending_count.b64 %r0,%r1;", "%r0")
    yield "mbarrier objects", objects

    def arrivals():
        for name in ("arrive", "arrive_drop", "expect_tx", "complete_tx"):
            for how in ("", ".expect_tx", ".noComplete"):
                for sem in ("", ".release", ".relaxed", ".acquire"):
                    for scope in SCOPES:
                        for ss in SHARED:
                            for d in ("%l0,", "_,", ""):
                                for b in (",%r1", ""):
                                    form(f"mbarrier.{name}{how}{sem}{scope}{ss}.b64 {d}[%shared]{b};")
        for d in ("%l0", "_"):
            for ss in SHARED:
                for a in ("[%generic]", "[sv]"):
                    form(f"mbarrier.arrive{ss}.b64 {d},{a};")
                    form(f"mbarrier.arrive.expect_tx{ss}.b64 {d},{a},16;")
    yield "mbarrier arrivals", arrivals

    def waits():
        for name in ("test_wait", "try_wait"):
            for parity, state in (("", "%l1"), (".parity", "%r1"), (".parity", "0"), (".parity", "%l1"), ("", "%r1")):
                for sem in ("", ".acquire", ".relaxed", ".release"):
                    for scope in SCOPES:
                        for ss in SHARED:
                            for hint in ("", ",%r2", ",100"):
                                form(f"mbarrier.{name}{parity}{sem}{scope}{ss}.b64 %p0,[%shared],{state}{hint};")
    yield "mbarrier waits", waits


def bulk():
    spaces = [".shared::cta", ".shared::cluster", ".global", ".shared", ""]

    def copies():
        for to in spaces:
            for source in spaces:
                for done in (BYTES, ".bulk_group", "", BYTES + ".multicast::cluster"):
                    for hint in ("", ".L2::cache_hint"):
                        for last in ("", ",[%shared]", ",[%shared],%h1", ",[%shared],3", ",[%shared],%r1"):
                            for policy in ("", ",%l1"):
                                a = "%at" if to == ".global" else "%shared"
                                b = "%at" if source == ".global" else "%shared"
                                form(f"cp.async.bulk{to}{source}{done}{hint} [{a}],[{b}],%r1{last}{policy};")
        for size in ("16", "17", "0", "-16", "%r1", "%l1", "%h1"):
            form(f"cp.async.bulk.shared::cluster.global{BYTES} [sv],[%at],{size},[sv+16];")
            form(f"cp.async.bulk.global.shared::cta.bulk_group [%at],[sv],{size};")
            form(f"cp.async.bulk.prefetch.L2.global [%at],{size};")
            form(f"cp.async.bulk.prefetch.L2.global.L2::cache_hint [%at],{size},%l1;")
        for n in ("0", "3", "%r1", "-1", ""):
            form(f"cp.async.bulk.wait_group {n};")
            form(f"cp.async.bulk.wait_group.read {n};")
            form(f"cp.async.bulk.commit_group {n};")
    yield "bulk copies", copies

    def reductions():
        for op in ("and", "or", "xor", "add", "add.noftz", "inc", "dec", "min", "max", "min.noftz"):
            for t in TYPES:
                for h in ("", ".L2::cache_hint"):
                    p = ",%l1" if h else ""
                    form(f"cp.reduce.async.bulk.global.shared::cta.bulk_group{h}.{op}.{t} [%at],[%shared],%r1{p};")
                form(f"cp.reduce.async.bulk.shared::cluster.shared::cta{BYTES}.{op}.{t} [%shared],[%shared],%r1,[%shared];")
    yield "bulk reductions", reductions


def remote():
    def stores():
        for weak in ("", ".weak", ".relaxed", ".volatile"):
            for ss in SHARED:
                for t in TYPES:
                    for v, n in (("", 1), (".v2", 2), (".v4", 4), (".v2", 4), ("", 2)):
                        x = register(t, 1) if n == 1 else "{" + ",".join(register(t, k + 1) for k in range(n)) + "}"
                        form(f"st.async{weak}{ss}{BYTES}{v}.{t} [%shared],{x},[%shared];")
        for at in ("sv", "%generic", "%shared+16"):
            form(f"st.async.weak.shared::cluster{BYTES}.b32 [{at}],%r1,[sv];")
            form(f"st.async{BYTES}.b32 [{at}],%r1,[{at}];")
            form(f"st.async.shared::cluster{BYTES}.b32 [{at}],5,[{at}];")
            form(f"st.async.shared::cluster.b32 [{at}],5,[{at}];")
            form(f"st.async.shared::cluster{BYTES}.b32 [{at}],5;")
    yield "st.async", stores

    def reductions():
        for op in ("and", "or", "xor", "add", "inc", "dec", "min", "max", "exch"):
            for t in TYPES:
                for order in ("", ".relaxed", ".release", ".relaxed.cluster", ".relaxed.cta", ".relaxed.gpu", ".cluster"):
                    for ss in SHARED:
                        form(f"red.async{order}{ss}{BYTES}.{op}.{t} [%shared],{register(t, 1)},[%shared];")
        for at in ("sv", "%generic", "%shared+16"):
            form(f"red.async.relaxed.cluster{BYTES}.add.u32 [{at}],%r1,[{at}];")
            form(f"red.async.relaxed.cluster.shared::cluster{BYTES}.add.u32 [{at}],5,[{at}];")
            form(f"red.async.relaxed.cluster.shared::cluster.add.u32 [{at}],5,[{at}];")
    yield "red.async", reductions


FAMILIES = (clusters, mbarrier, bulk, remote)
