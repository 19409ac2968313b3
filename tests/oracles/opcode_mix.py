#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares our instruction selection with ptxas's. Compiles every PTX file of a folder with both
for one target, disassembles both images with nvdisasm and prints, over the kernels that both have,
the number of instructions of each opcode, the geometric mean of the ratio of instructions per
kernel, and the kernels with the highest ratio. The counts are static: each instruction counts
once, wherever it stands.
  usage: opcode_mix.py [--sm 90] [--ptxas PTXAS] [--nvdisasm NVDISASM] [--keep DIR] [--worst 20]
                       [--full] SOV FOLDER
--keep stores the disassembly there and takes ptxas's from there the next time. --full counts
opcodes with their modifiers, such as IMAD.WIDE."""
import argparse
import collections
import glob
import math
import os
import re
import subprocess
import sys
import tempfile

LINE = re.compile(r"^\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_.]*)")


def run(command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def disassemble(args, command, listing):
    """Writes the listing of an image that the command makes; False: the command refuses the source."""
    with tempfile.NamedTemporaryFile(suffix=".cubin") as image:
        if run(command + ["-o", image.name]).returncode:
            return False
        text = run([args.nvdisasm, "-c", image.name]).stdout
    with open(listing, "w") as f:
        f.write(text)
    return True


def count(listing, full):
    """Opcode counts by section of code. Padding after the last instruction does not count."""
    sections, name = {}, None
    with open(listing) as f:
        for line in f:
            if line.startswith(".text."):
                name = line.strip()[len(".text."):-1]
                sections[name] = []
            found = LINE.match(line)
            if name and found:
                sections[name].append(found[1] if full else found[1].split(".")[0])
    for ops in sections.values():
        while ops and ops[-1] in ("NOP", "BRA"):
            ops.pop()
    return {name: collections.Counter(ops) for name, ops in sections.items() if ops}


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--sm", default="90")
    parser.add_argument("--ptxas", default="ptxas")
    parser.add_argument("--nvdisasm", default="nvdisasm")
    parser.add_argument("--keep")
    parser.add_argument("--worst", type=int, default=20)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("sov")
    parser.add_argument("folder")
    args = parser.parse_args()
    keep = args.keep or tempfile.mkdtemp()
    os.makedirs(keep, exist_ok=True)
    ours, theirs, kernels, refused = collections.Counter(), collections.Counter(), [], 0
    for ptx in sorted(glob.glob(os.path.join(args.folder, "*.ptx"))):
        base = os.path.join(keep, os.path.basename(ptx)[:-4] + ".sm_" + args.sm)
        reference, listing = base + ".ptxas", base + ".ours"
        if not os.path.exists(reference) and not disassemble(
                args, [args.ptxas, "-arch=sm_" + args.sm, "-O3", ptx], reference):
            open(reference, "w").close()
        if not os.path.getsize(reference):
            continue
        if not disassemble(args, [args.sov, "compile", "--target", "sm_" + args.sm, ptx], listing):
            refused += 1
            continue
        a, b = count(listing, args.full), count(reference, args.full)
        for name in a.keys() & b.keys():
            ours += a[name]
            theirs += b[name]
            n, m = sum(a[name].values()), sum(b[name].values())
            kernels.append((n / m, n, m, os.path.basename(ptx)[:-4], name))
    if not kernels:
        sys.exit(f"{args.folder}: no kernel that both compile; {refused} files refused by sov")
    kernels.sort(reverse=True)
    print(f"{'ours':>8} {'ptxas':>8} {'more':>8}  opcode")
    for op in sorted(ours | theirs, key=lambda op: theirs[op] - ours[op]):
        if ours[op] != theirs[op]:
            print(f"{ours[op]:8} {theirs[op]:8} {ours[op] - theirs[op]:+8}  {op}")
    mean = math.exp(sum(math.log(k[0]) for k in kernels) / len(kernels))
    print(f"\n{'ratio':>8} {'ours':>8} {'ptxas':>8}  kernel")
    for ratio, n, m, ptx, name in kernels[:args.worst]:
        print(f"{ratio:8.2f} {n:8} {m:8}  {ptx} {name[:60]}")
    print(f"\n{len(kernels)} kernels, {refused} files refused; instructions {sum(ours.values())} against"
          f" {sum(theirs.values())}, geometric mean of the ratio per kernel {mean:.3f}")


main()
