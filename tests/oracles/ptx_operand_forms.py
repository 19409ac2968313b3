#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Operand kinds for ptx_legal.py: a form of each instruction, with every operand replaced by every kind of
operand: registers of all types, numbers, special registers, variables, vectors. See ptx_forms.py."""
from ptx_forms import forms

TYPES = "pred b8 u8 s8 b16 u16 s16 f16 b32 u32 s32 f32 f16x2 b64 u64 s64 f64 b128".split()
REGISTERS = " ".join(f".reg .{t} %{t}_<6>;" for t in TYPES)
INITIAL = " ".join("mov.pred %pred_1,%p1;" if t == "pred" else f"cvt.u8.u32 %{t}_1,%r1;" if t.endswith("8") and t != "b128"
                   else f"mov.b{'32' if t == 'f16x2' else t[1:]} %{t}_1,{source}1;"
                   for t in TYPES for source in [{"16": "%h", "32": "%r", "64": "%l", "128": "%q"}.get(t[1:], "%r")])
KINDS = [f"%{t}_1" for t in TYPES] + """3 -3 0 1 0xff 255 65536 4294967296 0xffffffffffffffff 1.5 0f3F800000 0d3FF0000000000000
0b11 (1+2) WARP_SZ %tid.x %clock64 %laneid %ctaid gv gv+4 sv lv cv helper kernel end {%r1,%r2} {%h1,%h2} {%l1,%l2} _ !%p1 -%r1
%r1.x %r1.b0 [%at] !%r1 {%r1,%r2,%r3,%r4} {_,%r1} {3,%r1} 1 -1""".split()

# Every instruction with its operands; results come first and are marked by '='.
TEMPLATES = """add.u32 =%r0 %r1 %r2|add.s64 =%l0 %l1 %l2|add.u16 =%h0 %h1 %h2|add.f32 =%r0 %r1 %r2|add.f64 =%l0 %l1 %l2
add.f16 =%h0 %h1 %h2|add.f16x2 =%r0 %r1 %r2|add.bf16 =%h0 %h1 %h2|add.bf16x2 =%r0 %r1 %r2|add.s16x2 =%r0 %r1 %r2|add.cc.u32 =%r0 %r1 %r2
addc.u32 =%r0 %r1 %r2|sub.s32 =%r0 %r1 %r2|sub.f64 =%l0 %l1 %l2|mul.lo.u32 =%r0 %r1 %r2|mul.hi.s64 =%l0 %l1 %l2|mul.wide.u16 =%r0 %h1 %h2
mul.wide.s32 =%l0 %r1 %r2|mul.f32 =%r0 %r1 %r2|mul.f16x2 =%r0 %r1 %r2|mad.lo.s32 =%r0 %r1 %r2 %r3|mad.wide.u32 =%l0 %r1 %r2 %l3
mad.hi.u16 =%h0 %h1 %h2 %h3|mad.lo.cc.u32 =%r0 %r1 %r2 %r3|mul24.lo.u32 =%r0 %r1 %r2|mad24.lo.s32 =%r0 %r1 %r2 %r3|sad.u32 =%r0 %r1 %r2 %r3
fma.rn.f32 =%r0 %r1 %r2 %r3|fma.rn.f64 =%l0 %l1 %l2 %l3|fma.rn.f16 =%h0 %h1 %h2 %h3|fma.rn.bf16x2 =%r0 %r1 %r2 %r3|div.u32 =%r0 %r1 %r2
div.rn.f32 =%r0 %r1 %r2|rem.s64 =%l0 %l1 %l2|abs.s32 =%r0 %r1|abs.f16x2 =%r0 %r1|neg.f32 =%r0 %r1|neg.bf16 =%h0 %h1|min.s16 =%h0 %h1 %h2
max.f32 =%r0 %r1 %r2|min.u16x2 =%r0 %r1 %r2|max.bf16x2 =%r0 %r1 %r2|max.relu.s32 =%r0 %r1 %r2|rcp.approx.ftz.f32 =%r0 %r1|rcp.rn.f64 =%l0 %l1|sqrt.rn.f32 =%r0 %r1
rsqrt.approx.f32 =%r0 %r1|sin.approx.f32 =%r0 %r1|lg2.approx.f32 =%r0 %r1|ex2.approx.f16 =%h0 %h1|ex2.approx.ftz.bf16x2 =%r0 %r1|tanh.approx.f32 =%r0 %r1
tanh.approx.bf16 =%h0 %h1|copysign.f32 =%r0 %r1 %r2|testp.finite.f64 =%p0 %l1|and.b32 =%r0 %r1 %r2|or.pred =%p0 %p1 %p2|xor.b64 =%l0 %l1 %l2
not.b16 =%h0 %h1|cnot.b32 =%r0 %r1|lop3.b32 =%r0 %r1 %r2 %r3 5|lop3.and.b32 =%r0|%p0 %r1 %r2 %r3 5 %p1|shl.b32 =%r0 %r1 %r2|shr.s64 =%l0 %l1 %r2|shr.u16 =%h0 %h1 %r2
shf.l.wrap.b32 =%r0 %r1 %r2 %r3|popc.b32 =%r0 %r1|clz.b64 =%r0 %l1|bfind.u32 =%r0 %r1|brev.b64 =%l0 %l1|bfe.s32 =%r0 %r1 %r2 %r3
bfi.b64 =%l0 %l1 %l2 %r3 %r4|fns.b32 =%r0 %r1 %r2 %r3|szext.wrap.s32 =%r0 %r1 %r2|bmsk.clamp.b32 =%r0 %r1 %r2|prmt.b32 =%r0 %r1 %r2 %r3
dp4a.u32.s32 =%r0 %r1 %r2 %r3|dp2a.lo.s32.u32 =%r0 %r1 %r2 %r3|setp.eq.u32 =%p0 %r1 %r2|setp.lt.and.s16 =%p0 %h1 %h2 %p1|setp.lt.f64 =%p0 %l1 %l2
setp.ltu.or.f32 =%p0|%p3 %r1 %r2 %p1|setp.gt.f16 =%p0 %h1 %h2|setp.gt.f16x2 =%p0|%p3 %r1 %r2|setp.le.bf16 =%p0 %h1 %h2|set.eq.u32.u32 =%r0 %r1 %r2|set.eq.f32.f64 =%r0 %l1 %l2
set.eq.f16x2.f16x2 =%r0 %r1 %r2|set.lt.xor.u32.f32 =%r0 %r1 %r2 %p1|selp.b32 =%r0 %r1 %r2 %p1|selp.f64 =%l0 %l1 %l2 %p1|selp.b16 =%h0 %h1 %h2 %p1|slct.u32.s32 =%r0 %r1 %r2 %r3
slct.f64.f32 =%l0 %l1 %l2 %r3|mov.u32 =%r0 %r1|mov.b64 =%l0 %l1|mov.pred =%p0 %p1|mov.f32 =%r0 %r1|mov.u16 =%h0 %h1|mov.b128 =%q0 %q1|mov.f64 =%l0 %l1|mov.b16 =%h0 %h1
cvt.u32.u16 =%r0 %h1|cvt.u8.u32 =%h0 %r1|cvt.rn.f32.s32 =%r0 %r1|cvt.rzi.s32.f32 =%r0 %r1|cvt.rn.f16.f32 =%h0 %r1|cvt.rn.bf16x2.f32 =%r0 %r1 %r2|cvt.f64.f32 =%l0 %r1
cvt.rn.satfinite.e4m3x2.f32 =%h0 %r1 %r2|cvt.rn.f16x2.e5m2x2 =%r0 %h1|cvt.rna.tf32.f32 =%r0 %r1|cvt.pack.sat.u8.s32.b32 =%r0 %r1 %r2 %r3|cvt.s64.s8 =%l0 %h1|cvt.rn.bf16.f32 =%h0 %r1
cvta.global.u64 =%l0 %l1|cvta.to.shared.u64 =%l0 %l1|isspacep.global =%p0 %l1|ld.global.u32 =%r0 [%at]|ld.global.u8 =%h0 [%at]|ld.global.f32 =%r0 [%at]|ld.global.f64 =%l0 [%at]
ld.global.b64 =%l0 [%at]|ld.global.s16 =%h0 [%at]|ld.global.b128 =%q0 [%at]|ld.global.v2.u32 ={%r0,%r1} [%at]|ld.param.u32 =%r0 [parameter]|st.global.u32 [%at] %r1|st.global.u8 [%at] %h1|st.global.f64 [%at] %l1
st.global.v2.f32 [%at] {%r1,%r2}|st.shared.s16 [%shared] %h1|st.global.f32 [%at] %r1|st.global.b16 [%at] %h1|st.global.L2::cache_hint.b32 [%at] %r1 %l7|atom.global.add.u32 =%r0 [%at] %r1|atom.global.cas.b64 =%l0 [%at] %l1 %l2
atom.global.add.f32 =%r0 [%at] %r1|atom.global.add.noftz.f16x2 =%r0 [%at] %r1|atom.global.exch.b32 =%r0 [%at] %r1|atom.global.min.s64 =%l0 [%at] %l1|atom.global.cas.b16 =%h0 [%at] %h1 %h2|red.global.add.f64 [%at] %l1
red.global.inc.u32 [%at] %r1|red.global.and.b32 [%at] %r1|cp.async.ca.shared.global [%shared] [%at] 16 %r1|shfl.sync.idx.b32 =%r0 %r1 %r2 %r3 %r4|vote.sync.all.pred =%p0 %p1 %r1
vote.sync.ballot.b32 =%r0 %p1 %r1|match.any.sync.b64 =%r0 %l1 %r2|redux.sync.add.s32 =%r0 %r1 %r2|activemask.b32 =%r0|bar.sync %r1 %r2|bar.red.popc.u32 =%r0 %r1 %r2 %p1|bar.red.and.pred =%p0 %r1 %r2 %p1
bar.warp.sync %r1|nanosleep.u32 %r1|elect.sync =%r0|%p0 %r1|vadd.u32.u32.u32 =%r0 %r1 %r2|vmad.u32.u32.u32 =%r0 %r1 %r2 %r3|vadd4.u32.u32.u32 =%r0 %r1 %r2 %r3|vset.u32.u32.eq =%r0 %r1 %r2
brx.idx %r1 list|createpolicy.fractional.L2::evict_last.b64 =%l0 %r1|createpolicy.range.global.L2::evict_last.b64 =%l0 [%at] %r1 %r2|alloca.u64 =%l0 %l1 16|stackrestore.u64 %l1|discard.global.L2 [%at] 128
pmevent 3|prefetch.global.L2 [%at]"""


def split(template):
    """Name and operands; a '|' between blanks-free words, as in %r0|%p0, joins two results."""
    name, *operands = template.split()
    return name, operands


def templates():
    text, out = TEMPLATES.replace("\n", "|"), []
    for part in text.split("|"):
        if part.startswith("%p"):
            out[-1] += "|" + part
        else:
            out.append(part)
    return out


def store(operand):
    """A result that is a typed register is stored as bits; others are not stored."""
    name = operand.lstrip("=").split("|")[0]
    if name.startswith("%") and "_" in name:
        t = name[1:].split("_")[0]
        if t == "pred":
            return "{.reg .b32 x; selp.u32 x,1,0,%pred_1; st.global.b32 [%at],x;}"
        size = {"f16x2": "32", "bf16x2": "32", "bf16": "16"}.get(t) or t[1:]
        return f"st.global.b{size} [%at],{name};" if size != "128" else ""
    return ""


def operand_forms(template):
    name, operands = split(template)
    for at, operand in enumerate(operands):
        mark = "=" if operand.startswith("=") else ""
        kinds = KINDS
        if "|" in operand:
            kinds = [k + "|%p0" for k in KINDS] + [operand[1:].split("|")[0] + "|" + k for k in KINDS]
        for kind in kinds:
            mixed = [o.lstrip("=") for o in operands]
            mixed[at] = kind
            target = "list: .branchtargets end, end2; " if name.startswith("brx") else ""
            text = f"{name} {','.join(mixed)};"
            forms.append(("{" + target + text + "}" if target else text, store(mark + kind) if mark else ""))


def operands():
    for template in templates():
        yield "operands of " + template.split()[0], lambda template=template: operand_forms(template)


FAMILIES = (operands,)
