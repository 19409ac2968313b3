#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Generates random PTX kernels as input for another compiler: arithmetic of every width, data flow
between units, predicates, branches, loops, shared and global memory, shuffles, uniform values. The
results do not matter, but every value reaches memory.
  usage: ptx_random.py SM SEED [STATEMENTS] > kernel.ptx"""
import random
import re
import sys


def statements(text):
    return [s.strip() for s in text.replace('\n', ' ').split(';')]


# D destination, A B C sources, P Q O predicates, G S M K memory.
I = statements("""
add.s32 D,A,B; sub.s32 D,A,B; add.s32 D,A,17; mul.lo.s32 D,A,B; mad.lo.s32 D,A,B,C;
mul.hi.u32 D,A,B; mul.hi.s32 D,A,B; mad.hi.u32 D,A,B,C; and.b32 D,A,B; or.b32 D,A,B;
xor.b32 D,A,B; not.b32 D,A; lop3.b32 D,A,B,C,0x1e; shl.b32 D,A,B; shr.u32 D,A,B;
shr.s32 D,A,5; shf.l.wrap.b32 D,A,B,C; shf.r.clamp.b32 D,A,B,C; prmt.b32 D,A,B,C;
min.s32 D,A,B; max.u32 D,A,B; abs.s32 D,A; neg.s32 D,A; popc.b32 D,A; clz.b32 D,A;
brev.b32 D,A; bfind.u32 D,A; bfe.u32 D,A,5,9; bfe.s32 D,A,B,C; bfi.b32 D,A,B,3,11;
dp4a.s32.s32 D,A,B,C; dp4a.u32.s32 D,A,B,C; mul24.lo.u32 D,A,B; selp.b32 D,A,B,P;
sad.s32 D,A,B,C; mul.lo.u32 D,A,12; add.s32 D,A,0x12345; and.b32 D,A,0xff00;
szext.clamp.s32 D,A,B; bmsk.clamp.b32 D,A,B; fns.b32 D,A,B,1; div.u32 D,A,7; rem.u32 D,A,B;
shl.b32 D,A,4""")
F = statements("""
add.f32 D,A,B; sub.f32 D,A,B; mul.f32 D,A,B; fma.rn.f32 D,A,B,C; fma.rz.f32 D,A,B,C;
add.ftz.f32 D,A,B; mul.rp.f32 D,A,B; min.f32 D,A,B; max.ftz.f32 D,A,B; abs.f32 D,A;
neg.f32 D,A; add.sat.f32 D,A,B; selp.f32 D,A,B,P; rcp.approx.ftz.f32 D,A;
rsqrt.approx.ftz.f32 D,A; sqrt.approx.ftz.f32 D,A; ex2.approx.ftz.f32 D,A;
lg2.approx.ftz.f32 D,A; sin.approx.ftz.f32 D,A; cos.approx.f32 D,A; tanh.approx.f32 D,A;
add.f32 D,A,0f3fc00000; mul.f32 D,A,0f40490fdb; cvt.rni.f32.f32 D,A; cvt.rmi.f32.f32 D,A;
cvt.rzi.f32.f32 D,A; copysign.f32 D,A,B; div.full.f32 D,A,B; rcp.approx.f32 D,A;
ex2.approx.f32 D,A; fma.rn.f32 D,A,B,0f3f800000; fma.rn.f32 D,A,0f40000000,C""")
D = statements("""
add.f64 D,A,B; sub.f64 D,A,B; mul.f64 D,A,B; fma.rn.f64 D,A,B,C; neg.f64 D,A; abs.f64 D,A;
min.f64 D,A,B; add.rz.f64 D,A,B; selp.f64 D,A,B,P; add.f64 D,A,0d3ff8000000000000;
fma.rn.f64 D,A,0d4000000000000000,C; mul.f64 D,A,0d400921fb54442d18;
fma.rn.f64 D,A,B,0d3ff0000000000000; cvt.rzi.f64.f64 D,A""")
L = statements("""
add.s64 D,A,B; sub.s64 D,A,B; mul.lo.s64 D,A,B; mad.lo.s64 D,A,B,C; and.b64 D,A,B;
xor.b64 D,A,B; not.b64 D,A; selp.b64 D,A,B,P; min.s64 D,A,B; max.u64 D,A,B;
add.s64 D,A,0x123456789; neg.s64 D,A; mul.hi.u64 D,A,B; abs.s64 D,A; shl.b64 D,A,7;
shr.s64 D,A,3; shr.u64 D,A,33""")
H = statements("""
add.f16x2 D,A,B; mul.f16x2 D,A,B; fma.rn.f16x2 D,A,B,C; neg.f16x2 D,A; abs.f16x2 D,A;
fma.rn.bf16x2 D,A,B,C; fma.rn.relu.f16x2 D,A,B,C; fma.rn.sat.f16x2 D,A,B,C;
min.f16x2 D,A,B; max.NaN.f16x2 D,A,B; min.bf16x2 D,A,B; ex2.approx.f16x2 D,A;
tanh.approx.f16x2 D,A; dp2a.lo.u32.s32 D,A,B,C;
dp2a.hi.s32.u32 D,A,B,C""")
# Operations on uniform values.
U = statements("""
add.s32 D,A,B; sub.s32 D,A,B; add.s32 D,A,17; mul.lo.s32 D,A,B; mad.lo.s32 D,A,B,C; and.b32 D,A,B;
or.b32 D,A,0xf0; xor.b32 D,A,B; not.b32 D,A; lop3.b32 D,A,B,C,0x1e; shl.b32 D,A,3; shr.u32 D,A,2;
shr.s32 D,A,5; prmt.b32 D,A,B,0x5410; popc.b32 D,A; mul.lo.u32 D,A,12; shl.b32 D,A,B;
mad.lo.s32 D,A,3,B; selp.b32 D,A,B,P; brev.b32 D,A; bfe.u32 D,A,5,9; shf.l.wrap.b32 D,A,B,C""")
# Operations on uniform (U, V) and divergent values.
UNIFORM_AND_DIVERGENT = [
    ('r', 'add.s32 D,A,U'), ('r', 'sub.s32 D,A,U'), ('r', 'mad.lo.s32 D,A,U,B'),
    ('r', 'mad.lo.s32 D,A,B,U'), ('r', 'and.b32 D,A,U'), ('r', 'lop3.b32 D,A,B,U,0x96'),
    ('r', 'shl.b32 D,A,U'), ('r', 'shr.u32 D,U,A'), ('r', 'selp.b32 D,A,U,P'), ('r', 'mov.b32 D,U'),
    ('r', 'max.s32 D,A,U'), ('r', 'prmt.b32 D,A,U,0x3160'), ('r', 'mad.lo.u32 D,A,8,U'),
    ('l', 'mul.wide.u32 D,X,U'), ('l', 'mad.wide.u32 D,X,U,A'), ('r', 'shf.r.wrap.b32 D,A,B,U'),
    ('f', '{.reg .f32 x; mov.b32 x,U; fma.rn.f32 D,A,x,B;}'),
    ('f', '{.reg .f32 x; mov.b32 x,U; fma.rn.f32 D,A,B,x;}'),
    ('f', '{.reg .f32 x; mov.b32 x,U; add.f32 D,A,x;}'),
    ('f', '{.reg .f32 x; mov.b32 x,U; mul.f32 D,A,x;}'), ('f', 'cvt.rn.f32.s32 D,U'),
    ('f', '{.reg .f32 x; mov.b32 x,U; min.f32 D,A,x;}'),
    ('d', '{.reg .f64 x; mov.b64 x,{U,V}; fma.rn.f64 D,A,x,B;}'),
    ('d', '{.reg .f64 x; mov.b64 x,{U,V}; add.f64 D,A,x;}'),
    ('d', '{.reg .f64 x; mov.b64 x,{U,V}; mul.f64 D,A,x;}'),
    ('r', '{.reg .b32 x; and.b32 x,U,0x7f0; add.u32 x,x,sh; ld.shared.u32 D,[x+16];}'),
    ('r', '{.reg .b32 x; and.b32 x,U,0x7f0; add.u32 x,x,S; ld.shared.u32 D,[x+32];}'),
    ('r', '{.reg .b32 x; and.b32 x,U,0x7f0; add.u32 x,x,S; st.shared.u32 [x+48],A; mov.u32 D,A;}'),
    ('r', '{.reg .b32 x; and.b32 x,U,0x7f0; add.u32 x,x,S; atom.shared.add.u32 D,[x],A;}'),
    ('p', 'setp.lt.u32 D,X,U'), ('p', 'setp.eq.s32 D,U,V'), ('p', 'setp.gt.s32 D,U,7'),
]
# Moves and conversions between register kinds: (to, from, text).
CROSS = [
    ('r', 'f', 'mov.b32 D,A'), ('f', 'r', 'mov.b32 D,A'), ('r', 'f', 'cvt.rzi.s32.f32 D,A'),
    ('r', 'f', 'cvt.rni.u32.f32 D,A'), ('f', 'r', 'cvt.rn.f32.s32 D,A'),
    ('f', 'r', 'cvt.rn.f32.u32 D,A'), ('d', 'f', 'cvt.f64.f32 D,A'),
    ('f', 'd', 'cvt.rn.f32.f64 D,A'), ('d', 'r', 'cvt.rn.f64.s32 D,A'),
    ('r', 'd', 'cvt.rzi.s32.f64 D,A'), ('l', 'r', 'cvt.u64.u32 D,A'),
    ('l', 'r', 'cvt.s64.s32 D,A'), ('r', 'l', 'cvt.u32.u64 D,A'), ('l', 'd', 'mov.b64 D,A'),
    ('d', 'l', 'mov.b64 D,A'), ('l', 'rr', 'mov.b64 D,{A,B}'), ('l', 'rr', 'mul.wide.u32 D,A,B'),
    ('l', 'rr', 'mul.wide.s32 D,A,B'), ('l', 'rrl', 'mad.wide.u32 D,A,B,C'),
    ('d', 'rr', 'mov.b64 D,{A,B}'), ('r', 'ff', 'cvt.rn.f16x2.f32 D,A,B'),
    ('r', 'ff', 'cvt.rn.bf16x2.f32 D,A,B'), ('d', 'l', 'cvt.rn.f64.s64 D,A'),
    ('l', 'd', 'cvt.rzi.s64.f64 D,A'), ('f', 'l', 'cvt.rn.f32.s64 D,A'),
    ('r', 'r', 'cvt.s32.s8 D,A'), ('r', 'r', 'cvt.u32.u16 D,A'),
    ('f', 'r', '{.reg .b16 x,y; mov.b32 {x,y},A; cvt.f32.f16 D,x;}'),
    ('f', 'r', '{.reg .b16 x,y; mov.b32 {x,y},A; cvt.f32.f16 D,y;}'),
    ('f', 'r', '{.reg .b32 x; and.b32 x,A,255; cvt.rn.f32.u32 D,x;}'),
    ('r', 'f', '{.reg .b16 x; cvt.rn.f16.f32 x,A; mov.b32 D,{x,x};}'),
    ('r', 'rrr', '{.reg .pred x,y; setp.lt.f16x2 x|y,A,B; selp.b32 D,B,C,x;}'),
    ('r', 'rrr', '{.reg .pred x,y; setp.geu.f16x2 x|y,A,B; mov.b32 D,A; @y add.s32 D,A,C;}'),
    ('f', 'r', '{.reg .b16 x,y; mov.b32 {x,y},A; cvt.rn.f32.s16 D,x;}'),
    ('r', 'd', '{.reg .b32 x; mov.b64 {x,D},A;}'), ('r', 'l', '{.reg .b32 x; mov.b64 {D,x},A;}'),
    ('r', 'r', 'cvt.sat.s8.s32 D,A'), ('r', 'l', 'popc.b64 D,A'), ('r', 'l', 'clz.b64 D,A'),
]
LANES = [
    'shfl.sync.bfly.b32 D,A,1,31,-1', 'shfl.sync.down.b32 D,A,4,31,-1',
    'shfl.sync.idx.b32 D,A,B,31,-1', 'shfl.sync.up.b32 D,A,B,0,-1', 'vote.sync.ballot.b32 D,P,-1',
    'activemask.b32 D', 'match.any.sync.b32 D,A,-1', 'redux.sync.add.s32 D,A,-1',
    'redux.sync.max.u32 D,A,-1',
]
SPECIAL = [
    'mov.u32 D,%tid.x', 'mov.u32 D,%tid.y', 'mov.u32 D,%ctaid.x', 'mov.u32 D,%ntid.x',
    'mov.u32 D,%nctaid.y', 'mov.u32 D,%laneid', 'mov.u32 D,%lanemask_lt', 'mov.u32 D,%clock',
    'mov.u32 D,%smid', 'mov.u32 D,%warpid', 'ld.param.u32 D,[n]',
]
SETP = [
    'setp.gt.s32 P,A,B', 'setp.lt.u32 P,A,B', 'setp.eq.s32 P,A,0', 'setp.ne.and.s32 P,A,B,Q',
    'setp.le.or.u32 P,A,7,Q',
]
SETPF = [
    'setp.gt.f32 P,A,B', 'setp.neu.f32 P,A,B', 'setp.lt.ftz.f32 P,A,B', 'setp.nan.f32 P,A,B',
]
SETPD = [
    'setp.gt.f64 P,A,B', 'setp.geu.f64 P,A,B',
]
SETPL = [
    'setp.lt.s64 P,A,B', 'setp.eq.u64 P,A,B', 'setp.ge.u64 P,A,B',
]
PRED = [
    'and.pred P,Q,O', 'or.pred P,Q,O', 'xor.pred P,Q,O', 'not.pred P,Q',
    'vote.sync.all.pred P,Q,-1', 'vote.sync.any.pred P,Q,-1',
]
MEM = [
    'ld.global.u32 D,[G+O]', 'ld.global.u8 D,[G+O]', 'ld.global.s16 D,[G+O]',
    'ld.global.nc.u32 D,[G+O]', 'ld.global.cg.u32 D,[G+O]', 'ld.volatile.global.u32 D,[G+O]',
    'ld.shared.u32 D,[S+O]', 'ld.shared.u8 D,[S+O]', 'ld.u32 D,[G+O]',
    'atom.global.add.u32 D,[G+O],A', 'atom.global.cas.b32 D,[G+O],A,B',
    'atom.shared.add.u32 D,[S+O],A', 'atom.shared.cas.b32 D,[S+O],A,B',
    'atom.global.exch.b32 D,[G+O],A', 'atom.shared.min.s32 D,[S+O],A', 'ld.local.u32 D,[M+O]',
    'ld.const.u32 D,[K+O]',
]
STORE = [
    'st.global.u32 [G+O],A', 'st.global.u8 [G+O],A', 'st.global.u16 [G+O],A',
    'st.shared.u32 [S+O],A', 'red.global.add.u32 [G+O],A', 'red.shared.or.b32 [S+O],A',
    'st.u32 [G+O],A', 'st.local.u32 [M+O],A', 'st.volatile.global.u32 [G+O],A',
]
MEM64 = [
    ('f', 'ld.global.f32 D,[G+O]'), ('d', 'ld.global.f64 D,[G+O]'),
    ('d', 'ld.shared.f64 D,[S+O]'), ('l', 'ld.global.u64 D,[G+O]'),
    ('f', 'atom.global.add.f32 D,[G+O],A'), ('d', 'atom.global.add.f64 D,[G+O],A'),
    ('l', 'atom.global.add.u64 D,[G+O],A'), ('l', 'atom.global.cas.b64 D,[G+O],A,B'),
    ('f', 'atom.shared.add.f32 D,[S+O],A'), ('l', 'atom.shared.exch.b64 D,[S+O],A'),
]
STORE64 = [
    ('f', 'st.global.f32 [G+O],A'), ('d', 'st.global.f64 [G+O],A'),
    ('d', 'st.shared.f64 [S+O],A'), ('l', 'st.global.u64 [G+O],A'),
    ('f', 'red.global.add.f32 [G+O],A'), ('d', 'red.global.add.f64 [G+O],A'),
    ('f', 'st.shared.v2.f32 [S+O],{A,B}'), ('f', 'st.global.v4.f32 [G+O],{A,B,C,A}'),
]
FENCE = [
    'bar.sync 0', 'membar.gl', 'membar.cta', 'bar.warp.sync -1', 'fence.acq_rel.gpu',
    'barrier.sync 1', 'membar.sys',
]
# Statements that need a newer target: its SM version and a pattern.
NEWER = [
    (80, r'bf16|relu|redux|f16x2\.f32|(min|max)(\.NaN)?\.f16x2'), (75, r'tanh|ex2\.approx\.f16x2'),
]


def drop_newer(sm):
    for needed, pattern in NEWER:
        for rows in (F, H, CROSS, LANES):
            if sm < needed:
                rows[:] = [r for r in rows if not re.search(pattern, ' '.join(r) if isinstance(r, tuple) else r)]


class Kernel:
    def __init__(self, sm, seed, statements):
        self.rnd = random.Random(seed)
        self.out = []
        self.n = 0
        self.label = 0
        self.left = statements
        self.style = self.rnd.choice(['mixed', 'mixed', 'chain', 'int', 'float', 'double',
                                      'memory', 'predicate', 'uniform', 'uniform'])
        head = f""".version 8.0
.target sm_{sm}
.address_size 64
.const .align 16 .b8 K[1024];
.visible .entry k(.param .u64 p, .param .u32 n, .param .f64 x)
{{
.reg .b32 %r<9999>; .reg .f32 %f<9999>; .reg .f64 %d<9999>; .reg .b64 %l<9999>;
.reg .pred %p<9999>;
.reg .b64 G, GB; .reg .b32 S, sh, t;
.shared .align 16 .b8 shared_[8192]; .local .align 16 .b8 M[512];
ld.param.u64 G,[p]; mov.u32 t,%tid.x; mul.wide.u32 GB,t,64; add.s64 G,G,GB;
mov.u32 S,shared_; mov.u32 sh,S; shl.b32 t,t,4; add.u32 S,S,t;"""
        self.out.append(head)
        self.live = {k: [] for k in 'rfdlpu'}
        for source in ('%ctaid.x', '%ctaid.y', '%nctaid.x', '%ntid.y', '%ctaid.z'):
            self.emit(f'mov.u32 {self.new("u")},{source};')
        self.emit(f'ld.param.u32 {self.new("u")},[n];')
        for i in range(4):
            self.emit(f'ld.global.u32 {self.new("r")},[G+{4 * i}];')
            self.emit(f'ld.global.f32 {self.new("f")},[G+{16 + 4 * i}];')
        for i in range(3):
            self.emit(f'ld.global.f64 {self.new("d")},[G+{64 + 8 * i}];')
            self.emit(f'ld.global.u64 {self.new("l")},[G+{128 + 8 * i}];')
        self.emit(f'setp.gt.s32 {self.new("p")},{self.live["r"][0]},{self.live["r"][1]};')
        self.block(0)
        for kind, width in (('r', 4), ('f', 4), ('d', 8), ('l', 8)):
            for v in self.live[kind][-6:]:
                self.emit(f'st.global.b{width * 8} [G+{self.rnd.randrange(64) * 8}],{v};')
        self.out.append('ret;\n}')

    def emit(self, text):
        self.out.append(text)

    def new(self, kind):
        self.n += 1
        v = f'%{"r" if kind == "u" else kind}{self.n}'
        self.live[kind].append(v)
        return v

    def pick(self, kind):
        pool = self.live[kind]
        newest = self.style == 'chain' or self.rnd.random() < 0.35
        return pool[-1] if newest else self.rnd.choice(pool[-8:])

    def fill(self, text, dst, srcs):
        """Replaces the operand letters: D destination, A B C sources, P Q O predicates."""
        text = text.strip()
        offset = str(self.rnd.randrange(32) * 16)
        out = []
        if text.startswith('{'):
            body = text
            for c, s in zip('ABC', srcs):
                body = body.replace(c, s)
            return body.replace('D', dst)
        text = text.replace('+O]', '+' + offset + ']')
        name, _, ops = text.partition(' ')
        for c in ops:
            if c == 'D': out.append(dst)
            elif c in 'ABC': out.append(srcs['ABC'.index(c)])
            elif c == 'P': out.append(dst if dst and dst.startswith('%p') else self.pick('p'))
            elif c in 'QO': out.append(self.pick('p'))
            else: out.append(c)
        return name + ' ' + ''.join(out) + ';'

    def op(self, kind, text, guard=''):
        srcs = [self.pick(kind if kind != 'h' else 'r') for _ in range(3)]
        if guard:  # a guarded instruction writes an existing register
            dst = self.pick(kind)
        else:
            dst = self.new(kind)
        self.emit(guard + self.fill(text, dst, srcs))

    def mix_uniform(self):
        kind, text = self.rnd.choice(UNIFORM_AND_DIVERGENT)
        operands = {'U': self.pick('u'), 'V': self.pick('u'), 'X': self.pick('r')}
        text = re.sub(r'\b(U|V|X)\b', lambda m: operands[m[1]], text)
        srcs = [self.pick(kind if kind != 'p' else 'r') for _ in range(3)]
        self.emit(self.fill(text, self.new(kind), srcs))

    def statement(self):
        r = self.rnd.random()
        if self.style == 'uniform' and r < 0.5: return self.op('u', self.rnd.choice(U))
        if r < (0.8 if self.style == 'uniform' else 0.03): return self.mix_uniform()
        weights = {'mixed': (5, 4, 3, 2, 1), 'chain': (5, 3, 2, 2, 1), 'int': (8, 1, 0, 3, 0),
                   'float': (1, 8, 1, 0, 2), 'double': (1, 1, 8, 1, 0), 'memory': (4, 2, 2, 2, 0),
                   'predicate': (5, 3, 2, 1, 0), 'uniform': (5, 3, 2, 1, 0)}[self.style]
        kind = self.rnd.choices('rfdlh', weights)[0]
        if r < 0.05: return self.cross()
        if r < 0.08: return self.op('r', self.rnd.choice(LANES))
        if r < 0.11: return self.op('r', self.rnd.choice(SPECIAL))
        if r < (0.35 if self.style == 'predicate' else 0.17): return self.predicate()
        if r < (0.5 if self.style == 'memory' else 0.25): return self.memory()
        if r < 0.26: return self.emit(self.rnd.choice(FENCE) + ';')
        guard = ''
        if self.rnd.random() < (0.3 if self.style == 'predicate' else 0.06):
            guard = f'@{self.rnd.choice(["", "!"])}{self.pick("p")} '
        if self.rnd.random() < 0.15: return self.cross()
        text = self.rnd.choice({'r': I, 'f': F, 'd': D, 'l': L, 'h': H}[kind])
        if kind == 'h':
            srcs = [self.pick('r') for _ in range(3)]
            return self.emit(self.fill(text, self.new('r'), srcs))
        self.op(kind, text, guard)

    def cross(self):
        to, frm, text = self.rnd.choice(CROSS)
        srcs = [self.pick(k) for k in frm] + ['', '', '']
        self.emit(self.fill(text, self.new(to), srcs[:3]))

    def predicate(self):
        kind, table = self.rnd.choice([('r', SETP), ('r', SETP), ('f', SETPF), ('d', SETPD),
                                       ('l', SETPL), ('p', PRED)])
        srcs = [self.pick(kind) for _ in range(3)]
        text = self.rnd.choice(table)
        p = f'%p{self.n + 1}'
        self.n += 1
        self.emit(self.fill(text, p, srcs))
        self.live['p'].append(p)

    def memory(self):
        r = self.rnd.random()
        guard = f'@{self.pick("p")} ' if self.rnd.random() < 0.2 else ''
        if r < 0.4:
            dst = self.pick('r') if guard else self.new('r')
            text = self.rnd.choice(MEM)
            self.emit(guard + self.fill(text, dst, [self.pick('r'), self.pick('r'), '']))
        elif r < 0.65:
            self.emit(guard + self.fill(self.rnd.choice(STORE), '', [self.pick('r'), '', '']))
        elif r < 0.85:
            kind, text = self.rnd.choice(MEM64)
            dst = self.pick(kind) if guard else self.new(kind)
            self.emit(guard + self.fill(text, dst, [self.pick(kind), self.pick(kind), '']))
        else:
            kind, text = self.rnd.choice(STORE64)
            self.emit(guard + self.fill(text, '', [self.pick(kind) for _ in range(3)]))

    def block(self, depth):
        count = self.rnd.randrange(4, 30) if depth else self.left
        while count > 0 and self.left > 0:
            self.left -= 1
            count -= 1
            r = self.rnd.random()
            if depth < 3 and r < 0.02: self.branch(depth)
            elif depth < 3 and r < 0.03: self.loop(depth)
            else: self.statement()

    def scoped(self, depth):
        saved = {k: list(v) for k, v in self.live.items()}
        targets = {k: self.pick(k) for k in 'rfdu'}
        self.block(depth + 1)
        for k, t in targets.items():
            self.emit(f'mov.b{64 if k == "d" else 32} {t},{self.live[k][-1]};')
        self.live = saved

    def branch(self, depth):
        self.label += 1
        n, p = self.label, self.pick('p')
        self.emit(f'@{p} bra E{n};')
        self.scoped(depth)
        if self.rnd.random() < 0.5:
            self.emit(f'bra J{n};\nE{n}:')
            self.scoped(depth)
            self.emit(f'J{n}:')
        else:
            self.emit(f'E{n}:')

    def loop(self, depth):
        self.label += 1
        n = self.label
        i, p = self.new('r'), f'%p{self.n + 1}'
        self.n += 1
        self.live['r'].remove(i)
        limit = self.pick('u' if self.style == 'uniform' else 'r')
        self.emit(f'mov.u32 {i},0;\nL{n}:')
        self.scoped(depth)
        self.emit(f'add.s32 {i},{i},1; setp.lt.u32 {p},{i},{limit}; @{p} bra L{n};')


if __name__ == '__main__':
    sm, seed = int(sys.argv[1]), int(sys.argv[2])
    drop_newer(sm)
    print('\n'.join(Kernel(sm, seed, int(sys.argv[3]) if len(sys.argv) > 3 else 120).out))
