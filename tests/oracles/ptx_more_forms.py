#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""More forms for ptx_legal.py: video instructions, formats and forms that only chips after Hopper have,
rarer memory instructions, copies, control flow and calls. See ptx_forms.py."""
from ptx_forms import ADDRESSES, MEMORY, ROUND, each, form, register, vector

NARROW = "e4m3 e5m2 e4m3x2 e5m2x2 e4m3x4 e5m2x4 e2m3x2 e3m2x2 e2m3x4 e3m2x4 e2m1x2 e2m1x4 ue8m0x2 s2f6x2".split()


def narrow_register(t, n):
    if t not in NARROW:
        return register(t, n)
    return ("%r" if t.endswith("x4") and t != "e2m1x4" else "%h") + str(n)


def video():
    types, parts = ["u32", "s32"], ["", ".b0", ".b3", ".h0", ".h1"]

    def scalar(name, shift=False):
        for d in types:
            for a in types:
                for b in types:
                    for sat in ("", ".sat"):
                        for wrap in (".clamp", ".wrap") if shift else ("",):
                            w = f"{name}.{d}.{a}.{b}{sat}{wrap}"
                            form(f"{w} %r0,%r1,%r2;", "%r0")
                            for op in (".add", ".min", ".max", ".mul", ""):
                                form(f"{w}{op} %r0,%r1,%r2,%r3;", "%r0")
        for pa in parts:
            for pb in parts:
                form(f"{name}.u32.u32.u32{'.wrap' if shift else ''} %r0,%r1{pa},%r2{pb};", "%r0")
                form(f"{name}.s32.s32.u32{'.wrap' if shift else ''} %r0{pa},%r1,%r2{pb},%r3;", "%r0")
        form(f"{name}.u32.u32.u32{'.wrap' if shift else ''} %r0,%r1,3;", "%r0")
        form(f"{name}.u32.u32.u32{'.wrap' if shift else ''} %r0,3,%r2;", "%r0")
        form(f"{name}.u32.u32.u32{'.wrap' if shift else ''} %r0,-%r1,%r2;", "%r0")
    for name in ("vadd", "vsub", "vabsdiff", "vmin", "vmax"):
        yield name, lambda name=name: scalar(name)
    for name in ("vshl", "vshr"):
        yield name, lambda name=name: scalar(name, True)

    def vmad():
        for t in each([".u32", ".s32"], [".u32", ".s32"], [".u32", ".s32"], ["", ".po"], ["", ".sat"], ["", ".shr7", ".shr15"]):
            for o in ("%r1,%r2,%r3", "%r1.b1,%r2.h1,%r3", "-%r1,%r2,%r3", "%r1,-%r2,%r3", "%r1,%r2,-%r3", "-%r1,-%r2,%r3",
                      "%r1,3,%r3", "%r1,%r2,3"):
                form(f"vmad{t} %r0,{o};", "%r0")
    yield "vmad", vmad

    def vset():
        for c in ("eq", "ne", "lt", "le", "gt", "ge", "lo", "equ"):
            for t in each([".u32", ".s32"], [".u32", ".s32"]):
                form(f"vset{t}.{c} %r0,%r1,%r2;", "%r0")
                form(f"vset{t}.{c} %r0,%r1.b2,%r2.h1;", "%r0")
                for op in (".add", ".min", ".max", ""):
                    form(f"vset{t}.{c}{op} %r0,%r1,%r2,%r3;", "%r0")
                    form(f"vset{t}.{c} %r0.b1,%r1,%r2,%r3;", "%r0")
    yield "vset", vset

    def simd(name, n):
        masks = {2: ["", ".h0", ".h1", ".h10", ".b0"], 4: ["", ".b0", ".b3", ".b10", ".b3210", ".h0"]}[n]
        selectors = {2: ["", ".h10", ".h32", ".h01", ".h23"], 4: ["", ".b7654", ".b0123", ".b3210", ".b44"]}[n]
        for t in each([".u32", ".s32"], [".u32", ".s32"], [".u32", ".s32"], ["", ".sat"], ["", ".add", ".min"]):
            form(f"{name}{n}{t} %r0,%r1,%r2,%r3;", "%r0")
            form(f"{name}{n}{t} %r0,%r1,%r2;", "%r0")
        for m in masks:
            for s in selectors:
                form(f"{name}{n}.u32.u32.u32 %r0{m},%r1{s},%r2,%r3;", "%r0")
                form(f"{name}{n}.u32.u32.u32 %r0{m},%r1,%r2{s},%r3;", "%r0")
                form(f"{name}{n}.u32.u32.u32.add %r0{m},%r1,%r2{s},%r3;", "%r0")
    for name in ("vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"):
        for n in (2, 4):
            yield f"{name}{n}", lambda name=name, n=n: simd(name, n)

    def vset_simd(n):
        for c in ("eq", "ne", "lt", "le", "gt", "ge", "lo"):
            for t in each([".u32", ".s32"], [".u32", ".s32"]):
                form(f"vset{n}{t}.{c} %r0,%r1,%r2,%r3;", "%r0")
                form(f"vset{n}{t}.{c}.add %r0,%r1,%r2,%r3;", "%r0")
                form(f"vset{n}{t}.{c} %r0,%r1,%r2;", "%r0")
    yield "vset2", lambda: vset_simd(2)
    yield "vset4", lambda: vset_simd(4)


def newer():
    """Three operands, mixed precision, pairs of f32, and formats of less than 16 bits."""
    def three(name):
        words = list(each(["", ".ftz"], ["", ".NaN"], ["", ".xorsign.abs", ".abs", ".relu"]))
        for t in ["f32", "f64", "f16", "u32", "s32", "f16x2", "bf16"]:
            for w in words:
                r = [register(t, n) for n in range(4)]
                form(f"{name}{w}.{t} {','.join(r)};", r[0])
    yield "min of three", lambda: three("min")
    yield "max of three", lambda: three("max")

    def mixed():
        for name, n in (("add", 1), ("sub", 1), ("mul", 1), ("fma", 2)):
            for t in ("f16", "bf16", "f32", "f64", "f16x2"):
                for w in each(ROUND, ["", ".sat"], ["", ".ftz"]):
                    a = ",".join(register(t, 1 + k) for k in range(n))
                    form(f"{name}{w}.f32.{t} %r0,{a},%r3;", "%r0")
    yield "mixed precision", mixed

    def pairs():
        for name, n in (("add", 2), ("sub", 2), ("mul", 2), ("fma", 3), ("min", 2), ("abs", 1)):
            for w in each(ROUND, ["", ".ftz"]):
                form(f"{name}{w}.f32x2 {','.join(f'%l{k}' for k in range(n + 1))};", "%l0")
    yield "pairs of f32", pairs

    def formats():
        wide = ["f32", "f16x2", "bf16x2", "f16", "bf16", "f64", "u8", "b32"]
        for narrow in NARROW:
            for t in wide:
                for r in ("", ".rn", ".rz", ".rp", ".rs", ".rna"):
                    for w in ("", ".relu", ".satfinite", ".relu.satfinite", ".satfinite.relu"):
                        d, a = narrow_register(narrow, 0), narrow_register(t, 1)
                        form(f"cvt{r}{w}.{narrow}.{t} {d},{a};", d)
                        form(f"cvt{r}{w}.{narrow}.{t} {d},{a},{narrow_register(t, 2)};", d)
                        d, a = narrow_register(t, 0), narrow_register(narrow, 1)
                        form(f"cvt{r}{w}.{t}.{narrow} {d},{a};", d)
                        if t in ("f16x2", "bf16x2"):
                            form(f"cvt{r}{w}.scaled::n2::ue8m0.{t}.{narrow} {d},{a},%h2;", d)
                    if narrow.endswith("x4"):
                        d = narrow_register(narrow, 0)
                        form(f"cvt{r}.satfinite.{narrow}.f32 {d},{{%r1,%r2,%r3,%r4}},%r5;", d)
        for t in ("f16x2", "bf16x2"):
            for r in (".rs", ".rs.relu", ".rs.satfinite"):
                form(f"cvt{r}.{t}.f32 %r0,%r1,%r2,%r3;", "%r0")
    yield "narrow formats", formats

    def integers():
        for name in ("mul", "mad", "sad", "div", "rem", "abs", "neg", "min", "max"):
            for t in ("u8", "s8", "u16x2", "s16x2", "u8x4", "s8x4", "b32", "u64", "s64"):
                for w in ("", ".lo", ".hi", ".wide", ".sat", ".relu"):
                    r = {"u8x4": "%r", "s8x4": "%r"}.get(t) or register(t, 0)[:2]
                    form(f"{name}{w}.{t} {r}0,{r}1,{r}2;", f"{r}0")
                    form(f"{name}{w}.{t} {r}0,{r}1;", f"{r}0")
    yield "packed integers", integers


def rare_memory():
    def mmio():
        for s in ("", ".global", ".shared", ".local", ".const"):
            for t in MEMORY:
                for scope in ("", ".sys", ".gpu", ".cta"):
                    for w in (".mmio", ".mmio.relaxed", ".relaxed.mmio"):
                        form(f"ld{w}{scope}{s}.{t} {register(t, 0)},[{ADDRESSES[s]}];", register(t, 0))
                        form(f"st{w}{scope}{s}.{t} [{ADDRESSES[s]}],{register(t, 0)};")
    yield "mmio", mmio

    def wide():
        for t in MEMORY:
            for w in ("", ".nc", ".relaxed.gpu", ".volatile", ".L1::evict_first", ".L2::evict_last", ".L2::evict_first",
                      ".L1::no_allocate.L2::evict_first", ".L2::evict_normal.L2::128B"):
                for v in (".v8", ".v4", ".v2", ""):
                    d, names = vector(t, v, 0)
                    form(f"ld.global{w}{v}.{t} {d},[%at];", *names)
                    if w != ".nc":
                        form(f"st.global{w}{v}.{t} [%at],{d};")
    yield "levels and vectors of eight", wide

    def unified():
        for name in ("ld", "ldu", "st", "atom.add", "prefetch"):
            for s in ("", ".global", ".param", ".const"):
                form(f"{name}{s}.unified.u32 %r0,[{ADDRESSES[s]}];")
                form(f"{name}{s}.u32 %r0,[{ADDRESSES[s]}].unified;")
    yield "unified", unified

    def orders():
        """Orders and scopes of every memory instruction."""
        for o in ("", ".weak", ".volatile", ".relaxed", ".acquire", ".release", ".acq_rel", ".sc", ".mmio"):
            for scope in ("", ".cta", ".cluster", ".gpu", ".sys", ".gl"):
                for s in ("", ".global", ".shared", ".shared::cta", ".local", ".const", ".param"):
                    for t in ("u32", "b64", "f16x2"):
                        r = register(t, 1)
                        form(f"ld{o}{scope}{s}.{t} {r},[{ADDRESSES[s]}];", r)
                        form(f"st{o}{scope}{s}.{t} [{ADDRESSES[s]}],{r};")
                    for op, t, more in (("add", "u32", ""), ("cas", "b64", ",%l3"), ("exch", "b32", ""), ("add.noftz", "f16x2", ""),
                                        ("cas", "b16", ",%h3"), ("min", "s64", ""), ("add", "f64", "")):
                        form(f"atom{o}{scope}{s}.{op}.{t} {register(t, 0)},[{ADDRESSES[s]}],{register(t, 1)}{more};",
                             register(t, 0))
                        if op != "cas" and op != "exch":
                            form(f"red{o}{scope}{s}.{op}.{t} [{ADDRESSES[s]}],{register(t, 1)};")
    yield "orders", orders

    def multimem():
        for op in ("min", "max", "add", "and", "or", "xor"):
            for t in ("b32", "u32", "s32", "u64", "s64", "f32", "f64", "f16", "f16x2", "bf16x2", "bf16", "b64"):
                for o in ("", ".weak", ".relaxed.gpu", ".relaxed.sys"):
                    for v in ("", ".v2", ".v4"):
                        x, names = vector(t, v, 0)
                        for acc in ("", ".acc::f32"):
                            form(f"multimem.ld_reduce{o}.global.{op}{acc}{v}.{t} {x},[%at];", *names)
                        form(f"multimem.st{o}.global{v}.{t} [%at],{x};")
                        form(f"multimem.red{o}.global.{op}{v}.{t} [%at],{x};")
    yield "multimem", multimem

    def proxies():
        for p in ("alias", "async", "async.global", "async.shared::cta", "tensormap::generic", "generic", "async.shared",
                  "texture", "surface", "constant"):
            form(f"fence.proxy.{p};")
            form(f"membar.proxy.{p};")
        for o in (".acquire", ".release", ".acq_rel", ""):
            for scope in ("", ".cta", ".cluster", ".gpu", ".sys"):
                form(f"fence.proxy.tensormap::generic{o}{scope} [%at],128;")
                form(f"fence.proxy.tensormap::generic{o}{scope};")
                form(f"fence.mbarrier_init{o}{scope};")
                form(f"fence{o}.sync_restrict::shared::cta{scope};")
                form(f"fence{o}.sync_restrict::shared::cluster{scope};")
                form(f"fence.proxy.async::generic{o}.sync_restrict::shared::cta{scope};")
                form(f"fence.proxy.async::generic{o}.sync_restrict::shared::cluster{scope};")
    yield "proxies", proxies

    def copies():
        for cop in (".ca", ".cg", ".cs", ""):
            for dst, src in ((".shared", ".global"), (".shared::cta", ".global"), ("", ".global"), (".shared", "")):
                for level in ("", ".L2::64B", ".L2::128B", ".L2::256B", ".L2::cache_hint", ".L2::cache_hint.L2::128B"):
                    policy = ",%l7" if "cache_hint" in level else ""
                    for size in ("4", "8", "16", "12", "2", "32", "%r1"):
                        form(f"cp.async{cop}{dst}{src}{level} [%shared],[%at],{size}{policy};")
                    for more in (",%r1", ",8", ",0", ",%p1", ",!%p1", ",16"):
                        form(f"cp.async{cop}{dst}{src}{level} [%shared],[%at],16{more}{policy};")
        for o in ("0", "3", "%r1", "-1", ""):
            form(f"cp.async.wait_group {o};")
        form("cp.async.wait_all;")
        form("cp.async.commit_group;")
        form("cp.async.wait_all 0;")
    yield "cp.async", copies

    def hints():
        for w in (".global", "", ".shared", ".local", ".const", ".param"):
            for level in (".L1", ".L2", ".L2::evict_last", ".L2::evict_normal", ".L1::evict_last", ".L2::evict_first", ".tensormap"):
                form(f"prefetch{w}{level} [{ADDRESSES[w]}];")
                form(f"prefetchu{w}{level} [{ADDRESSES[w]}];")
            for n in ("128", "64", "%r1", ""):
                form(f"applypriority{w}.L2::evict_normal [{ADDRESSES[w]}],{n};" if n else
                     f"applypriority{w}.L2::evict_normal [{ADDRESSES[w]}];")
                form(f"discard{w}.L2 [{ADDRESSES[w]}],{n};" if n else f"discard{w}.L2 [{ADDRESSES[w]}];")
    yield "hints", hints

    def addresses():
        for a in ("gv", "gv+4", "gv-4", "gv+-4", "4+gv", "gv+2*4", "%at", "%at+4", "%at-4", "%at+-4", "%at+2*4", "%at+(4)", "4096",
                  "-4", "0x1000", "%at+gv", "%at+%l1", "gv+%l1", "%at+0x7fffffff", "%at+0x100000000", "%at+-0x80000000",
                  "%at+4.0", "%r1", "%h1", "%q1", "%p1", "generic(gv)", "_", "{%at}", "%at+WARP_SZ", "WARP_SZ", "(%at)", "(gv+4)",
                  "helper", "end", "%tid.x"):
            form(f"ld.global.u32 %r0,[{a}];", "%r0")
            form(f"st.global.u32 [{a}],%r1;")
            form(f"atom.global.add.u32 %r0,[{a}],%r1;", "%r0")
            form(f"ld.u32 %r0,[{a}];", "%r0")
            form(f"prefetch.global.L2 [{a}];")
        for v in ("sv", "sv+4", "%shared", "%shared+4", "%shared-4", "%l1", "%h1", "16", "gv", "lv", "-4", "0xffffffff", "%shared+sv"):
            form(f"ld.shared.u32 %r0,[{v}];", "%r0")
            form(f"st.shared.u32 [{v}],%r1;")
            form(f"red.shared.add.u32 [{v}],%r1;")
        for v in ("lv", "lv+4", "%local", "%r1", "%local+4", "16", "gv"):
            form(f"ld.local.u32 %r0,[{v}];", "%r0")
            form(f"st.local.u32 [{v}],%r1;")
        for v in ("cv", "cv+4", "%const", "%r1", "16", "gv"):
            form(f"ld.const.u32 %r0,[{v}];", "%r0")
        for v in ("parameter", "parameter+4", "%r1", "%l1", "16", "gv", "out", "out+4", "out+8"):
            form(f"ld.param.u32 %r0,[{v}];", "%r0")
            form(f"ld.param.v2.u32 {{%r0,%r1}},[{v}];", "%r0")
            form(f"st.param.u32 [{v}],%r1;")
        for v in ("gv[4]", "gv[0]", "sv[4]", "cv[1]", "lv[4]", "parameter[4]"):
            form(f"ld.u32 %r0,{v};", "%r0")
            form(f"ld.global.u32 %r0,{v};", "%r0")
            form(f"ld.global.u32 %r0,[{v}];", "%r0")
            form(f"mov.u64 %l0,{v};", "%l0")
    yield "addresses", addresses


def control():
    def branches():
        for guard in ("", "@%p1 ", "@!%p1 ", "@%r1 ", "@1 "):
            for t in ("bra end;", "bra.uni end;", "bra nowhere;", "brx.idx %r1,list;", "brx.idx.uni %r1,list;", "brx.idx 1,list;",
                      "brx.idx %l1,list;", "brx.idx %r1,end;", "exit;", "ret;", "ret.uni;", "trap;", "brkpt;", "bra 4;", "bra %r1;",
                      "pmevent 3;", "pmevent.mask 3;", "pmevent 16;", "pmevent.mask 0x10000;", "pmevent -1;", "nanosleep.u32 5;",
                      "bar.sync 0;", "membar.gl;", "griddepcontrol.wait;", "griddepcontrol.launch_dependents;",
                      "griddepcontrol;", "exit.uni;", "exit 1;", "nanosleep.u32 1000001;", "nanosleep.u32 -1;"):
                form("{" + f"list: .branchtargets end, end2; {guard}{t}" + "}")
    yield "branches", branches

    def calls():
        for c in ("call (%r0),helper,(%r1);", "call.uni (%r0),helper,(%r1);", "call (%r0),helper,(3);", "call (%r0),helper,(1.5);",
                  "call helper,(%r1);", "call (%r0),helper;", "call (%r0),helper,(%r1,%r2);", "call (%r0),helper,(%l1);",
                  "call (%l0),helper,(%r1);", "call (_),helper,(%r1);", "@%p1 call (%r0),helper,(%r1);", "call (%r0),nothing,(%r1);",
                  "call (%r0),%l1,(%r1),proto;", "call (%r0),%l1,(%r1),targets;", "call (%r0),%l1,(%r1);", "call (%r0),%r1,(%r1),proto;",
                  "call plain;", "call plain,();", "call (),plain,();", "call.uni plain;", "call (%r0),helper,(%tid.x);",
                  "call (%r0),helper,(gv);", "call (%r0),helper,(%r1),proto;", "call (%p0),helper,(%r1);", "call (%r0,%r2),helper,(%r1);",
                  "call passed,(%at);", "call passed,(gv);", "call passed,(%generic);", "call (%r0),kernel,(%r1);", "call 4;"):
            form("{" + f"proto: .callprototype (.reg .b32 r) _ (.reg .b32 x); targets: .calltargets helper, helper2; {c}" + "}", "%r0")
        for t in ("b8", "u16", "b32", "u64", "f32", "f64", "f16", "bf16", "f16x2", "b128", "pred", "s8"):
            r = register(t, 1)
            form("{" + f".param .{t} a; st.param.{t} [a],{r}; .param .{t} r; ld.param.{t} {r},[r];" + "}")
        for a in (".param .b32 a;", ".param .align 8 .b8 a[8];", ".param .align 4 .b8 a[8];", ".param .b8 a[4];", ".param .b32 a[2];",
                  ".param .v2 .b32 a;", ".param .align 3 .b8 a[8];", ".param .b32 a,b;", ".param .u32 a;", ".param .f32 a;", ".param .b64 a;"):
            form("{" + f"{a} st.param.b32 [a],%r1; .param .b32 r; call (r),other,(a); ld.param.b32 %r0,[r];" + "}", "%r0")
            form("{" + f"{a} st.param.b32 [a+4],%r1; " + "}")
            form("{" + f"{a} st.param.v2.b32 [a],{{%r1,%r2}}; " + "}")
            form("{" + f"{a} st.param::func.b32 [a],%r1; " + "}")
            form("{" + f"{a} mov.u64 %l0,a; " + "}")
            form("{" + f"{a} cvta.param.u64 %l0,a; " + "}")
    yield "calls", calls

    def barriers():
        for name in ("bar", "barrier", "bar.cta", "barrier.cta"):
            for op in (".sync", ".arrive", ".red.popc", ".red.and", ".red.or", ".sync.aligned", ".arrive.aligned", ".red.popc.aligned",
                       ".red.and.aligned", "", ".aligned.sync"):
                for t in ("", ".u32", ".pred", ".s32"):
                    for o in ("", "0", "15", "16", "%r1", "%r1,%r2", "1,64", "1,33", "1,0", "1,-32", "%l1", "1,%r2", "%h1"):
                        if ".red" in op:
                            d = "%p0" if t == ".pred" else "%r0"
                            form(f"{name}{op}{t} {d},{o},%p1;", d)
                        elif not t:
                            form(f"{name}{op} {o};")
    yield "barriers", barriers

    def registers():
        for n in ("24", "40", "232", "256", "16", "25", "%r1", "0", "264"):
            for op in (".inc", ".dec", ""):
                for w in (".sync.aligned.u32", ".sync.aligned", ".sync.u32", ".aligned.u32"):
                    form(f"setmaxnreg{op}{w} {n};")
        for t in (".texref", ".samplerref", ".surfref", ".foo"):
            form(f"istypep{t} %p0,%l1;")
        for s in ("clock", "clock64", "pm0", "pm7", "pm8", "pm0_64", "envreg32", "tid", "tid.w", "nosuch", "aggr_smem_size", "gridid",
                  "reserved_smem_offset_begin", "reserved_smem_offset_end", "reserved_smem_offset_cap", "reserved_smem_offset_0",
                  "reserved_smem_offset_1", "reserved_smem_offset_2", "total_smem_size", "dynamic_smem_size", "current_graph_exec"):
            for t in ("u32", "b32", "u64", "b64", "u16", "s32", "f32", "pred"):
                form(f"mov.{t} {register(t, 0)},%{s};", register(t, 0))
                form(f"cvt.u32.{t} %r0,%{s};", "%r0")
            form(f"mov.v4.u32 {{%r0,%r1,%r2,%r3}},%{s};", "%r0")
            form(f"add.u32 %r0,%{s},1;", "%r0")
    yield "registers", registers

    def syntax():
        """White space, numbers, order of modifiers, blocks, pragmas, labels, scopes."""
        for t in ("add .u32 %r0,%r1,%r2;", "add. u32 %r0,%r1,%r2;", "ADD.u32 %r0,%r1,%r2;", "add.u32 %r0 , %r1 ,%r2 ;", "add.u32 %r0,%r1,%r2,;",
                  "add.u32 %r0 %r1,%r2;", "add.ftz.rn.f32 %r0,%r1,%r2;", "add.f32.rn %r0,%r1,%r2;", "add.sat.rn.ftz.f32 %r0,%r1,%r2;",
                  "ld.u32.global %r0,[%at];", "ld.v2.global.u32 {%r0,%r1},[%at];", "ld.global.u32.v2 {%r0,%r1},[%at];", "setp.u32.eq %p0,%r1,%r2;",
                  "setp.and.eq.u32 %p0,%r1,%r2,%p2;", "mul.u32.lo %r0,%r1,%r2;", "cvt.u32.u16 %r0,%h1;", "cvt.f32.u32.rn %r0,%r1;",
                  "add.u32 %r0,%r1,0b101;", "add.u32 %r0,%r1,017;", "add.u32 %r0,%r1,0x1F;", "add.u32 %r0,%r1,0X1F;", "add.u32 %r0,%r1,5U;",
                  "add.u32 %r0,%r1,5u;", "add.u32 %r0,%r1,08;", "add.u32 %r0,%r1,0B1;", "add.u32 %r0,%r1,1+2*3-4/2%3;", "add.u32 %r0,%r1,(1,2);",
                  "add.u32 %r0,%r1,~1;", "add.u32 %r0,%r1,!1;", "add.u32 %r0,%r1,1?2:3;", "add.u32 %r0,%r1,(s64)1;", "add.u32 %r0,%r1,(.s64)1;",
                  "add.u32 %r0,%r1,(.u64)1;", "add.u32 %r0,%r1,1<<3;", "add.u32 %r0,%r1,1==1;", "add.u32 %r0,%r1,1&&0;", "add.u32 %r0,%r1,1.5;",
                  "add.u32 %r0,%r1,1.0;", "add.f32 %r0,%r1,1;", "add.f32 %r0,%r1,0x3f800000;", "add.f32 %r0,%r1,1e3;", "add.f32 %r0,%r1,1.e3;",
                  "add.f32 %r0,%r1,.5;", "add.f32 %r0,%r1,1.0f;", "add.f32 %r0,%r1,0F3F800000;", "add.f32 %r0,%r1,0f3F8;", "add.f32 %r0,%r1,-1.5;",
                  "add.f32 %r0,%r1,-0f3F800000;", "add.f32 %r0,%r1,0d3FF0000000000000;", "add.f64 %l0,%l1,0f3F800000;", "add.f32 %r0,%r1,1.5+1;",
                  "add.f32 %r0,%r1,1.5+1.5;", "add.u32 %r0,%r1,4294967296;", "add.u32 %r0,%r1,-4294967295;", "add.s32 %r0,%r1,4294967295;",
                  "add.s16 %h0,%h1,65536;", "add.s16 %h0,%h1,65535;", "add.u16 %h0,%h1,-32769;", "add.u64 %l0,%l1,18446744073709551615;",
                  "add.u64 %l0,%l1,18446744073709551616;", "add.f16 %h0,%h1,1.5;", "add.f16 %h0,%h1,0x3c00;", "add.bf16 %h0,%h1,1.5;",
                  "fma.rn.f16x2 %r0,%r1,%r2,0x3c003c00;", "{.reg .u32 x; add.u32 x,%r1,1;}", "{.reg .u32 %r0; mov.u32 %r0,%r1;}",
                  "{add.u32 %r0,%r1,1;};", "{};", ";", ".pragma \"nounroll\";", ".pragma \"foo\";", ".pragma \"used_bytes_mask 4\";",
                  ".pragma \"enable_smem_spilling\";", ".pragma \"frequency 4\";", ".pragma nounroll;", "{here: add.u32 %r0,%r1,1;}", "{here2: bra here2;}",
                  "{bra inner; {inner: add.u32 %r0,%r1,1;}}", ".loc 1 2 3;", ".reg .u32 zz", "/* c */ add.u32 %r0,%r1,1; // c", "{.reg .b32 a<4>; mov.b32 a3,1;}",
                  "{.reg .b32 a<4>; mov.b32 a4,1;}", "{.reg .b32 a,b,c; mov.b32 b,1;}", "{.reg .v2 .b32 v; mov.b32 v.x,1;}", "{.reg .v4 .f32 v; mov.f32 v.w,1.0;}",
                  "{.reg .v4 .f32 v; ld.global.v4.f32 v,[%at]; st.global.v4.f32 [%at],v;}", "{.reg .v2 .b32 v; mov.v2.b32 v,v;}",
                  "{.reg .v2 .b32 v; mov.v2.b32 v,{%r1,%r2}; mov.b32 %r0,v.y;}", "{.reg .v4 .u32 v; mov.v4.u32 v,%tid;}", "{.reg .v3 .u32 v;}",
                  "{.reg .v2 .b32 v; mov.b64 %l0,v;}", "{.reg .v2 .b32 v; mov.b32 v.r,1;}", "{.reg .v4 .b32 v; mov.b32 v.b,v.a;}", "{.reg .v2 .b32 v<3>; mov.b32 v1.x,1;}",
                  "{.local .b32 x[4]; st.local.b32 [x],%r1;}", "{.shared .b32 x[4]; st.shared.b32 [x],%r1;}", "{.global .b32 x[4]; st.global.b32 [x],%r1;}",
                  "{.const .b32 x[4]; ld.const.b32 %r0,[x];}", "{.local .align 64 .b32 x[4]; st.local.b32 [x],%r1;}", "{.local .v4 .b32 x; st.local.b32 [x],%r1;}",
                  "{.local .b32 x; st.local.b32 [x],%r1;}", "{.local .f16 x; st.local.b16 [x],%h1;}", "{.local .b128 x; st.local.b128 [x],%q1;}", "{.shared .b128 x; st.shared.b128 [x],%q1;}",
                  "{.local .pred x;}", "{.shared .b32 x = 4;}", "{.local .b32 x = 4;}", "{.local .b32 x[];}", "{.shared .b32 x[];}", "{.extern .shared .b32 x[];}",
                  "{.global .b32 x = 4; ld.global.b32 %r0,[x];}", "{.const .b32 x = 4; ld.const.b32 %r0,[x];}", "{.param .b32 x; st.param.b32 [x],%r1;}"):
            form(t)
    yield "syntax", syntax


FAMILIES = (video, newer, rare_memory, control)
