#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares which PTX is legal for ptxas and for us: the forms of ptx_forms.py, ptx_more_forms.py,
ptx_operand_forms.py, ptx_cluster_forms.py, ptx_matrix_forms.py and ptx_texture_forms.py, and the modules of
ptx_module_forms.py. Prints the forms that only one of the two accepts, and counts.
  usage: ptx_legal.py SOV PTXAS [--target sm_90a] [--version 9.0] [FAMILY...]

A form of which ptxas warns that its address is narrower than .address_size counts as rejected: with optimisation
ptxas stops at it. Lines with errors are removed until the rest compiles; if a compiler names no line, the file is
bisected."""
import argparse
import re
import subprocess
import sys
import tempfile

import ptx_cluster_forms
import ptx_forms
import ptx_matrix_forms
import ptx_module_forms
import ptx_more_forms
import ptx_operand_forms
import ptx_texture_forms

MODULE = "//\n.version VERSION\n.target TARGET\n.address_size 64\n"
HEAD = MODULE + f""".global .align 16 .b8 gv[64];
.const .align 16 .b8 cv[64];
.shared .align 16 .b8 sv[64];
.func (.reg .b32 r) helper(.reg .b32 x) {{ add.u32 r,x,1; ret; }}
.func (.reg .b32 r) helper2(.reg .b32 x) {{ add.u32 r,x,2; ret; }}
.func (.param .b32 r) other(.param .b32 x) {{ .reg .b32 y; ld.param.b32 y,[x]; st.param.b32 [r],y; ret; }}
.func passed(.reg .b64 x) {{ ret; }}
.func plain() {{ ret; }}
.visible .entry kernel(.param .align 16 .b8 parameter[64], .param .u64 out)
{{
	.local .align 16 .b8 lv[64];
	.reg .pred %p<12>; .reg .b16 %h<12>; .reg .b32 %r<12>; .reg .b64 %l<12>; .reg .b128 %q<12>;
	{ptx_operand_forms.REGISTERS}
	.reg .b64 %at,%generic,%const,%local; .reg .b32 %shared;
	ld.param.u64 %at,[out]; mov.u64 %generic,%at; mov.u64 %const,cv; mov.u64 %local,lv; mov.u32 %shared,sv;
	ld.global.v4.b32 {{%r1,%r2,%r3,%r4}},[%at]; ld.global.v2.b64 {{%l1,%l2}},[%at+16]; mov.b64 %l3,%l1; mov.b64 %l4,%l2;
	mov.b64 %l7,0; mov.b128 %q1,{{%l1,%l2}}; mov.b128 %q2,{{%l2,%l1}}; mov.b128 %q3,%q2;
	cvt.u16.u32 %h1,%r1; cvt.u16.u32 %h2,%r2; cvt.u16.u32 %h3,%r3; cvt.u16.u32 %h4,%r4;
	mov.b32 %r5,%r1; mov.b32 %r6,%r2; mov.b32 %r7,%r3; mov.b32 %r0,%r1; mov.b64 %l0,%l1; mov.b16 %h0,%h1; mov.b128 %q0,%q1;
	mov.b16 %h5,%h1; mov.b16 %h6,%h2; mov.b16 %h7,%h3; mov.b64 %l5,%l1; mov.b64 %l6,%l2; mov.b128 %q4,%q1;
	setp.ne.u32 %p1,%r1,0; {ptx_operand_forms.INITIAL} setp.ne.u32 %p2,%r2,0; setp.ne.u32 %p3,%r3,0; setp.ne.u32 %p0,%r4,0; setp.ne.u32 %p4,%r1,9;
"""
TAIL = "end:\n\tret;\nend2:\n\tret;\n}\n"
FIRST = HEAD.count("\n") + 1
ALONE = ("syntax", "wmma.load and wmma.store")  # families whose errors may spread over several lines


class Compiler:
    def __init__(self, command, line):
        self.command, self.line = command, re.compile(line)
        self.narrow = re.compile(r"(Program uses \d+-bit address) on line '(\d+)'")

    def messages(self, work, text):
        """What the compiler says about a module; None: it accepts it."""
        with open(f"{work}/x.ptx", "w", encoding="utf-8") as f:
            f.write(text)
        r = subprocess.run([c.format(work=work) for c in self.command], capture_output=True, text=True, check=False)
        said = r.stdout + r.stderr
        return said if r.returncode or self.narrow.search(said) else None

    def rejected_modules(self, work, target, batch, head, tail):
        """As rejected_forms, with a module for each form."""
        bad = {}
        for n, form in enumerate(batch):
            own = not head and form[0].startswith((".version", ".target")) or not head and not form[0]
            said = self.messages(work, ("" if own else (head or MODULE).replace("TARGET", target)) + form[0] + tail)
            if said is not None:
                bad[n] = re.sub(r"^.*?(?:error|fatal|ptx: [0-9:]*|compile: [0-9:]*)\s*:? ", "", said.strip().split("\n")[0])
        return bad

    def rejected_forms(self, work, target, batch):
        """Returns the indices of the batch's rejected forms, each with its message."""
        left, bad = list(range(len(batch))), {}
        while left:
            text = HEAD.replace("TARGET", target) + "".join(f"\t{batch[n][0]} {batch[n][1]}\n" for n in left) + TAIL
            said = self.messages(work, text)
            if said is None:
                return bad
            found = {}
            for m in self.line.finditer(said):
                at = int(m.group(1)) - FIRST
                if 0 <= at < len(left):
                    found.setdefault(left[at], m.group(2).strip())
            for m in self.narrow.finditer(said):
                at = int(m.group(2)) - FIRST
                if 0 <= at < len(left):
                    found.setdefault(left[at], m.group(1))
            if not found:
                if len(left) == 1:
                    bad[left[0]] = said.strip().split("\n")[0]
                    return bad
                for half in (left[:len(left) // 2], left[len(left) // 2:]):
                    for n, why in self.rejected_forms(work, target, [batch[k] for k in half]).items():
                        bad[half[n]] = why
                return bad
            bad.update(found)
            left = [n for n in left if n not in found]
        return bad


def judge(compiler, work, target, name, batch, modules):
    if modules:
        return compiler.rejected_modules(work, target, batch, "", "\n")
    if name in ALONE:
        return compiler.rejected_modules(work, target, batch, HEAD, "\n" + TAIL)
    return compiler.rejected_forms(work, target, batch)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("sov")
    options.add_argument("ptxas")
    options.add_argument("--target", default="sm_90a")
    options.add_argument("--version", default="9.0", help="of PTX; ptxas 12.4, which alone knows sm_70, has 8.4")
    options.add_argument("families", nargs="*")
    given = options.parse_intermixed_args()
    global MODULE, HEAD
    MODULE, HEAD = (text.replace("VERSION", given.version) for text in (MODULE, HEAD))
    ours = Compiler([given.sov, "compile", "--target", given.target.rstrip("af"), "-O0", "-o", "{work}/x.cubin", "{work}/x.ptx"],
                    r"(?:ptx|compile): (\d+):\d+: (.*)")
    theirs = Compiler([given.ptxas, f"-arch={given.target}", "-O0", "{work}/x.ptx", "-o", "{work}/y.cubin"],
                      r"line (\d+); (?:error|fatal)\s*: (.*)")
    total = [0, 0, 0, 0]
    with tempfile.TemporaryDirectory() as work:
        for compiler in (ours, theirs):
            said = compiler.messages(work, HEAD.replace("TARGET", given.target) + TAIL)
            if said is not None:
                sys.exit("the kernel without a form is rejected: " + said)
        for source in (ptx_forms, ptx_more_forms, ptx_operand_forms, ptx_cluster_forms, ptx_matrix_forms, ptx_texture_forms,
                       ptx_module_forms):
            for name, make in (f for family in source.FAMILIES for f in family()):
                if given.families and name not in given.families:
                    continue
                ptx_forms.forms.clear()
                make()
                tried = list(dict.fromkeys(ptx_forms.forms))
                count = [0, 0, 0, 0]
                for at in range(0, len(tried), 400):
                    batch = tried[at:at + 400]
                    we, they = (judge(c, work, given.target, name, batch, source is ptx_module_forms) for c in (ours, theirs))
                    for n, form in enumerate(batch):
                        count[2 * (n in we) + (n in they)] += 1
                        if (n in we) != (n in they):
                            text = form[0].replace("\n", " ")
                            print(f"{'ONLY PTXAS' if n in we else 'ONLY SOV'}\t{text}\t{we.get(n) or they.get(n)}")
                total = [a + b for a, b in zip(total, count)]
                print("# {}: {} forms: accepted by both {}, by neither {}, only by sov {}, only by ptxas {}".format(
                    name, len(tried), count[0], count[3], count[1], count[2]), flush=True)
    print("# count all: {} forms: accepted by both {}, by neither {}, only by sov {}, only by ptxas {}".format(
        sum(total), total[0], total[3], total[1], total[2]))


main()
