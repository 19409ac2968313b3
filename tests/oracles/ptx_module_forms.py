#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Modules for ptx_legal.py: headers, linking and performance directives, variables and their initial values,
functions, prototypes, debug information. A form is a whole module without its header; a form that starts
with .version has its own."""
from ptx_forms import each, forms

KERNEL = ".visible .entry k() { ret; }"
BODY = "{ ret; }"


def module(text, *more):
    for t in (text,) + more:
        forms.append((t, ""))


def directives():
    def headers():
        for v in ("9.0", "8.0", "7.0", "6.4", "6.0", "5.0", "4.0", "3.0", "9.1", "10.0", "9", "9.0.0", "1.0", "8.8", "2.3", "x"):
            for t in ("sm_90", "sm_90a", "sm_80", "sm_70"):
                module(f".version {v}\n.target {t}\n.address_size 64\n{KERNEL}")
        for t in ("sm_50", "sm_53", "sm_60", "sm_61", "sm_72", "sm_75", "sm_86", "sm_87", "sm_89", "sm_100", "sm_100a", "sm_100f", "sm_120", "sm_20",
                  "sm_30", "sm_35", "sm_99", "compute_90", "sm_90, debug", "debug, sm_90", "sm_90, texmode_unified", "sm_90, texmode_independent", "sm_90, map_f64_to_f32",
                  "sm_90 debug", "sm_80, sm_90", "debug", "", "sm_90, foo", "sm_80a", "sm_90f", "sm_90, debug, texmode_unified", "sm_103", "sm_110"):
            module(f".version 9.0\n.target {t}\n.address_size 64\n{KERNEL}")
        module(f".version 9.0\n.target sm_90\n{KERNEL}", f".version 9.0\n.target sm_90\n.address_size 32\n{KERNEL}",
               f".version 9.0\n.target sm_90\n.address_size 64\n.address_size 64\n{KERNEL}", f".target sm_90\n.version 9.0\n{KERNEL}",
               f".version 9.0\n.target sm_90\n.address_size 16\n{KERNEL}", f".version 9.0\n.version 9.0\n.target sm_90\n{KERNEL}",
               ".version 9.0\n.target sm_90\n.address_size 64", f".version 9.0\n.target sm_90\n.target sm_90\n{KERNEL}", "", ".version 9.0",
               f".version 9.0\n.target sm_90\n.address_size 64\n#line 4\n{KERNEL}", f".version 9.0;\n.target sm_90\n{KERNEL}")
    yield "headers", headers

    def kernels():
        tuning = (".maxntid 128", ".maxntid 16,16", ".maxntid 8,8,8", ".maxntid 1024,2", ".maxntid 0", ".maxntid 2048", ".reqntid 128", ".reqntid 1,1,1025", ".reqntid 8,8,8,8",
                  ".minnctapersm 2", ".maxnctapersm 4", ".maxnreg 32", ".maxnreg 256", ".maxnreg 0", ".maxnreg 1000", ".pragma \"nounroll\";", ".pragma \"foo\";", ".noreturn", ".minnctapersm 0",
                  ".maxntid 128 .minnctapersm 2", ".maxntid 128 .maxnreg 32", ".minnctapersm 2 .maxnreg 32", ".reqntid 128 .maxntid 128", ".reqntid 128 .maxntid 64", ".maxntid 128 .maxntid 64",
                  ".maxntid 128 .minnctapersm 2 .maxnctapersm 4", ".minnctapersm 4", ".maxntid x", ".maxntid", ".foo 3", ".local_maxnreg 32", ".reqntid 128 .minnctapersm 100", ".maxntid -1",
                  ".maxntid 128;", ".abi_preserve 4", ".maxntid 4+4", ".maxntid 0x80", ".language_version 3")
        for t in tuning:
            module(f".visible .entry k() {t} {BODY}", f".entry k {t} {BODY}", f".func f() {t} {BODY}\n{KERNEL}", f".visible .entry k() {t};\n.visible .entry k() {t} {BODY}")
        for p in (".param .u32 a", ".param .b8 a[4]", ".param .align 16 .b8 a[32]", ".param .align 3 .b8 a[32]", ".param .u64 .ptr a", ".param .u64 .ptr .global a",
                  ".param .u64 .ptr .global .align 16 a", ".param .u64 .ptr .align 16 a", ".param .u64 .ptr .shared .align 4 a", ".param .u64 .ptr .const a", ".param .u64 .ptr .local a",
                  ".param .u32 .ptr a", ".param .f16 a", ".param .bf16 a", ".param .f16x2 a", ".param .pred a", ".param .b128 a", ".param .v2 .u32 a", ".param .v4 .f32 a", ".param .u32 a, .param .u32 b",
                  ".param .u32 a .param .u32 b", ".param .u32 a,", ".reg .u32 a", ".param .u32 a[]", ".param .u32 a[2][3]", ".param .u32 a = 4", ".u32 a", ".param .u32", ".param .align 8 .u32 a",
                  ".param .align 256 .b8 a[256]", ".param .align 128 .b8 a[256]", ".param .align 64 .b8 a[64]", ".param .b8 a[4096]", ".param .b8 a[32764]", ".param .b8 a[32765]", ".param .b8 a[0]",
                  ".param .u32 a, .param .u32 a", ".param .u64 .ptr .global .align 16 a[2]", ".param .u64 .ptr .generic a", ".param .u32 %a", ".param .u32 $a", ".param .u32 _a", ".param .u32 a, .param .align 8 .b8 b[8], .param .f64 c",
                  ".param .b8 a", ".param .s8 a", ".param .texref a", ".param .u64 .ptr .param a", ".param .u64 .ptr .global .align 3 a", ".param .attribute(.unified) .u64 a", ".param .u64 .unified a"):
            module(f".visible .entry k({p}) {BODY}", f".func f({p}) {BODY}\n{KERNEL}", f".func ({p}) f() {BODY}\n{KERNEL}")
            module(".entry k() { p: .callprototype _ (" + p + "); ret; }", ".entry k() { p: .callprototype (" + p + ") _ (); ret; }")
        for linking in each(["", ".visible ", ".extern ", ".weak ", ".common ", ".visible .weak ", ".extern .weak "], [".entry k()", ".func k()", ".func (.reg .u32 r) k()"], [" { ret; }", ";", " ;"]):
            module(linking, f"{linking}\n{linking}", f"{linking}\n.visible .entry other() {BODY}")
        module(".entry k() {", ".entry k() }", ".entry k() { ret; } }", ".entry () { ret; }", ".entry k() ret;", ".entry k(() { ret; }", ".entry k() { ret }", ".entry k { ret; }", ".entry k() {}", ".entry k() { nop; }",
               ".entry %k() { ret; }", ".entry $k() { ret; }", ".entry _k() { ret; }", ".entry k$1() { ret; }", ".entry 1k() { ret; }", ".entry k.x() { ret; }", ".entry ret() { ret; }", ".entry add() { ret; }", ".entry _() { ret; }",
               ".entry k() { ret; }\n.entry k() { ret; }", ".entry k() { a: ret; a: ret; }", ".entry k() { .reg .u32 a; .reg .u32 a; ret; }", ".entry k() { .reg .u32 WARP_SZ; ret; }")
    yield "kernels", kernels

    def functions():
        module(".func f() .noreturn { trap; }\n" + KERNEL, ".func .noreturn f() { trap; }\n" + KERNEL, ".extern .func .noreturn f;\n" + KERNEL, ".extern .func f .noreturn;\n" + KERNEL,
               ".extern .func f() .noreturn;\n" + KERNEL, ".func .attribute(.unified(1,2)) f() { ret; }\n" + KERNEL, ".func f() .attribute(.unified(1,2)) { ret; }\n" + KERNEL,
               ".entry .attribute(.unified(1,2)) f() { ret; }", ".func .attribute(.unified(0xAB,0xCD)) f;\n" + KERNEL, ".func f() .abi_preserve 4 { ret; }\n" + KERNEL,
               ".func f() .abi_preserve_control 1 { ret; }\n" + KERNEL, ".func f() .abi_preserve 4 .abi_preserve_control 1 { ret; }\n" + KERNEL, ".func f() .local_maxnreg 4 { ret; }\n" + KERNEL,
               ".func (.reg .u32 r) f(.reg .u32 a) { add.u32 r,a,1; ret; }\n" + KERNEL, ".func (.reg .pred r) f(.reg .pred a) { mov.pred r,a; ret; }\n" + KERNEL,
               ".func (.reg .u32 r, .reg .u32 s) f() { mov.u32 r,1; mov.u32 s,1; ret; }\n" + KERNEL, ".func (.param .u32 r, .param .u32 s) f() { ret; }\n" + KERNEL,
               ".func f(.reg .b128 a) { ret; }\n" + KERNEL, ".func f(.reg .f16 a) { ret; }\n" + KERNEL, ".func f(.reg .u8 a) { ret; }\n" + KERNEL, ".func f(.param .b8 a[]) { ret; }\n" + KERNEL,
               ".func f(.param .align 16 .b8 a[]) { ret; }\n" + KERNEL, ".extern .func (.param .b32 r) f(.param .b32 a, .param .align 4 .b8 b[]);\n" + KERNEL, ".func f(.param .align 16 .b8 a[4096]) { ret; }\n" + KERNEL,
               ".func f;\n.func f() { ret; }\n" + KERNEL, ".func f();\n.func f(.reg .u32 a) { ret; }\n" + KERNEL, ".func (.param .u32 r) f();\n.func f() { ret; }\n" + KERNEL, ".func f(.reg .u32 _) { ret; }\n" + KERNEL,
               ".extern .func f(.param .u32 _, .param .u32 _);\n" + KERNEL, ".extern .func f(.param .u32, .param .u32);\n" + KERNEL, ".func f(.local .u32 a) { ret; }\n" + KERNEL, ".func f(...) { ret; }\n" + KERNEL)
        module(".func f() { ret; }\n.alias g, f;\n" + KERNEL, ".func f() { ret; }\n.visible .func g();\n.alias g, f;\n" + KERNEL, ".alias g, f;\n.func f() { ret; }\n" + KERNEL, ".func g() { ret; }\n.func f() { ret; }\n.alias g, f;\n" + KERNEL,
               ".func f() { ret; }\n.func g();\n.alias g, f;\n.entry k() { call g; ret; }", ".func f();\n.func g();\n.alias g, f;\n" + KERNEL, ".func f() { ret; }\n.func g(.reg .u32 a);\n.alias g, f;\n" + KERNEL,
               ".weak .func f() { ret; }\n.func g();\n.alias g, f;\n" + KERNEL, ".global .u32 a;\n.global .u32 b;\n.alias b, a;\n" + KERNEL, ".func f() { ret; }\n.func g();\n.entry k() { call g; ret; }\n.alias g, f;",
               ".entry e() { ret; }\n.func g();\n.alias g, e;\n" + KERNEL, ".func f() { ret; }\n.visible .func g();\n.alias g f;\n" + KERNEL)
        for body in ("p: .callprototype _ ();", "p: .callprototype (.param .u32 _) _ (.param .u32 _);", "p: .callprototype (.param .u32 r) _ (.param .u32 a, .param .f32 b);", "p: .callprototype _ (.param .b8 a[12]);",
                     "p: .callprototype _ (.param .u32 a, .param .align 4 .b8 b[]);", "p: .callprototype _ (...);", "p: .callprototype _ (.param .u32 a, ...);", "p: .callprototype _ () .noreturn;", "p: .callprototype _ (.reg .u32 a);",
                     "p: .callprototype _;", "p: .callprototype ();", "p: .callprototype .noreturn _ ();", "p: .callprototype _ () .abi_preserve 3;", "p: .calltargets f;", "p: .calltargets f, f;", "p: .calltargets f, g;", "p: .calltargets k;",
                     "p: .calltargets;", "p: .branchtargets a, b;", "p: .branchtargets a<3>;", "p: .branchtargets nowhere;", "p: .branchtargets;", ".callprototype _ ();", "p: .callprototype (.reg .u32 r) f (.reg .u32 a);",
                     "p: .callprototype _ (.param .u64 .ptr .global .align 16 a);", "p: .calltargets f; p: .calltargets f;"):
            module(".func f() { ret; }\n.func g(.reg .u32 a) { ret; }\n.entry k() { " + body + " a: ret; b: ret; a0: ret; a1: ret; a2: ret; }",
                   ".func f() { ret; }\n.func g(.reg .u32 a) { ret; }\n.entry k() { .reg .b64 l; a: " + body + " mov.b64 l,f; call l,(),p; b: ret; }")
        for name in ("vprintf", "__assertfail", "malloc", "free", "cudaGetParameterBufferV2", "cudaLaunchDeviceV2", "cudaDeviceSynchronize", "memcpy", "f"):
            module(f".extern .func {name}();\n.entry k() {{ call {name}; ret; }}", f".extern .func (.param .b32 r) {name}(.param .b64 a, .param .b64 b);\n" + KERNEL,
                   f".weak .func (.param .b32 r) {name}(.param .b64 a) {{ st.param.b32 [r],30; ret; }}\n" + KERNEL)
    yield "functions", functions

    def debug():
        body = "{ %s ret; }"
        for loc in (".loc 1 1 0", ".loc 1 1 0;", ".loc 1 2 3, function_name name, inlined_at 1 2 3", ".loc 1 2 3, function_name name+4, inlined_at 1 2 3", ".loc 1 1", ".loc 2 1 1", ".loc 1 1 1 prologue_end", ".loc 1 1 1 is_stmt 0", ".loc", ".loc 1 -1 0",
                    ".file 2 \"b.c\"", ".loc 1 1 0, function_name name", ".loc 1 1 0, inlined_at 1 2 3"):
            module(".file 1 \"a.c\"\n.entry k()\n{\n" + loc + "\nret;\n}\n.section .debug_str { name: .b8 65, 0, 66, 67, 0, 0 }", ".file 1 \"a.c\"\n.entry k()\n{\n" + loc + "\nret;\n}")
        for f in (".file 1 \"a.c\"", ".file 1 \"a.c\", 10, 20", ".file \"a.c\"", ".file 1", ".file 1 \"a.c\";", ".file 0 \"a.c\"", ".file -1 \"a.c\"", ".file 1 \"a.c\", 10"):
            module(f + "\n" + KERNEL, KERNEL + "\n" + f)
        for s in (".section .debug_info { .b32 1 }", ".section .debug_abbrev { .b8 1, 2, 3 .b16 4 }", ".section .debug_info { x: .b64 x }", ".section .debug_info { .b32 .debug_abbrev }", ".section .debug_str { a: .b8 0 }",
                  ".section .debug_info { .b32 .debug_str+4 }", ".section .debug_info { .u32 1 }", ".section .foo { .b8 1 }", ".section .debug_loc { }", ".section .debug_info { .b64 k }", ".section .debug_info { .b8 256 }", ".section .debug_info { .b32 a-b a: b: }",
                  ".section .debug_line { .b8 1 }", ".section .debug_ranges { .b64 1 }", ".section .debug_pubnames { .b8 1 }", ".section .debug_macinfo { .b8 0 }", ".section .debug_info { .b32 -1 }", ".section .debug_info { .b8 1, }", ".section .debug_info",
                  "@@DWARF .section .debug_info\n@@DWARF .4byte 1", ".pragma \"foo\";", ".pragma \"nounroll\";", ".pragma \"a\", \"b\";", ".pragma foo;"):
            module(s + "\n" + KERNEL, KERNEL + "\n" + s)
        module(".entry k() { .pragma \"nounroll\"; ret; }", "// comment\n" + KERNEL, "/* comment */" + KERNEL, "/* open\n" + KERNEL, KERNEL + " \\\n", ".entry k() { ret; } // end", KERNEL.replace(" ", "\n"), KERNEL.replace(" ", "\t"), KERNEL + "\0", body % "\f" + KERNEL)
    yield "debug information", debug


def variables():
    spaces = (".global", ".const", ".shared")

    def types():
        for s in spaces:
            for t in "b8 b16 b32 b64 b128 u8 u16 u32 u64 s8 s16 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64 pred tf32 e4m3 e4m3x2 u16x2 texref v2".split():
                for v in ("", " .v2", " .v4", " .v8"):
                    module(f"{s}{v} .{t} a;\n{KERNEL}")
                module(f"{s} .{t} a[4];\n{KERNEL}", f"{s} .{t} a = 1;\n{KERNEL}", f"{s} .{t} a[2] = {{1, 2}};\n{KERNEL}", f"{s} .{t} a = 1.5;\n{KERNEL}", f"{s} .{t} a = -1;\n{KERNEL}", f"{s} .{t} a = 0x1FFFFFFFF;\n{KERNEL}", f"{s} .{t} a = g;\n{KERNEL}".replace("a = g", "a = x"),
                       f"{s} .{t} a[2] = {{0f3F800000, 0d3FF0000000000000}};\n{KERNEL}")
                module(f".entry k() {{ .reg .{t} r; ret; }}", f".entry k() {{ .local .{t} a; ret; }}", f".entry k() {{ .param .{t} a; ret; }}", f".entry k() {{ .reg .v2 .{t} r; ret; }}", f".entry k() {{ .reg .{t} r<3>; ret; }}")
    yield "variable types", types

    def shapes():
        for s in (".global", ".const", ".shared", ".local", ".param", ".reg", ".sreg", ".tex"):
            for d in (".align 1 .u32 a", ".align 2 .u32 a", ".align 3 .u32 a", ".align 4 .u32 a", ".align 16 .u32 a", ".align 128 .b8 a[1]", ".align 256 .b8 a[1]", ".align 512 .b8 a[1]", ".align 1024 .b8 a[1]", ".align 65536 .b8 a[1]", ".align 0 .b8 a[1]",
                      ".u32 a, b", ".u32 a[2], b[3]", ".u32 a[2][3][4]", ".u32 a[]", ".u32 a[][4]", ".u32 a[4][]", ".u32 a[0]", ".u32 a[-1]", ".u32 a[2+2]", ".u32 a[WARP_SZ]", ".u32 a<4>", ".attribute(.managed) .u32 a", ".attribute(.unified(19,95)) .u32 a",
                      ".attribute(.managed, .unified(19,95)) .u32 a", ".attribute(.foo) .u32 a", ".attribute() .u32 a", ".u32 .align 4 a", ".v2 .align 8 .u32 a", ".u32 a[4294967296]", ".u32 a[1000000]", ".u32", "a", ".u32 1a", ".u32 %a", ".u32 $a", ".u32 a.b", ".b8 a[65536]", ".b8 a[65537]"):
                for linking in ("", ".visible ", ".extern ", ".weak ", ".common "):
                    module(f"{linking}{s} {d};\n{KERNEL}")
                module(f".entry k() {{ {s} {d}; ret; }}")
    yield "variable shapes", shapes

    def initial_values():
        values = """1 -1 1.5 0f3F800000 {1} {1,2} {1,2,3,4} {1,2,3,4,5} {} {{1,2},{3,4}} {{1},{3,4}} {{1,2}} {1,{2}} {1,2,} {,} x x+4 x-4 4+x x+x &x {x,y} {x,0} generic(x) generic(x)+4 generic(x+4) {generic(x),1}
f {f,f} generic(f) k 0xFF(x) 0xFF00(x) 0xFF0000(x) 0xFF(generic(x)) 0xFF(f) 0x0F(x) 0xFF(x+4) sh generic(sh) co generic(co) "abc" 'a' nothing 1+2 (1+2)*3 WARP_SZ 1.5+1 {1.5,2} sizeof(x) 1<<40 -0x8000000000000000 18446744073709551615 ~0 !1 1e3 a""".split()
        for s in (".global", ".const", ".shared"):
            for t in (".u32 a", ".u64 a", ".u64 a[2]", ".u32 a[4]", ".b8 a[4]", ".f32 a[4]", ".u32 a[2][2]", ".f64 a", ".f16 a", ".u32 a[]", ".v4 .u32 a", ".v2 .f32 a[2]", ".b128 a"):
                for v in values:
                    module(f".global .u32 x;\n.global .u32 y;\n.shared .u32 sh;\n.const .u32 co;\n.func f() {{ ret; }}\n{s} {t} = {v};\n{KERNEL}")
    yield "initial values", initial_values


FAMILIES = (directives, variables)
