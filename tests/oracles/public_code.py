#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles PTX files of public programs with sov and with ptxas, for sm_90a, and prints a row for each file: kernels,
instructions, and loads and stores of local memory among them, summed over the kernels that both have; CPU time; and the kernels whose code by sov is longest beside ptxas's, or spills where that does not.
	tests/oracles/public_code.py [--sov SOV] [--ptxas PTXAS] FILE.ptx...
"""
import argparse, os, resource, struct, subprocess, sys, tempfile

LIMIT = 600  # seconds for a compilation


def text_sections(path):
    """Instructions of each kernel of a cubin: bytes of its code section without trailing padding, by 16."""
    data = open(path, "rb").read()
    shoff, = struct.unpack_from("<Q", data, 40)
    shentsize, shnum, shstrndx = struct.unpack_from("<HHH", data, 58)
    headers = [struct.unpack_from("<IIQQQQ", data, shoff + i * shentsize) for i in range(shnum)]
    names = headers[shstrndx][4]
    counts = {}
    for name, kind, flags, addr, offset, size in headers:
        text = data[names + name:data.index(b"\0", names + name)].decode()
        if not text.startswith(".text."):
            continue
        words = [data[offset + i:offset + i + 16] for i in range(0, size, 16)]
        nop = 0x918  # the opcode of NOP, which pads the end
        while words and struct.unpack_from("<H", words[-1])[0] & 0xfff == nop:
            words.pop()
        # Loads and stores of local memory: LDL 0x983, STL 0x387.
        local = sum(struct.unpack_from("<H", w)[0] & 0xfff in (0x983, 0x387) for w in words)
        counts[text[6:]] = (len(words), local)
    return counts


def compile_with(command, out):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        p = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
        message = (p.stderr + p.stdout).strip() if p.returncode else ""
    except subprocess.TimeoutExpired:
        message = "no end in %d s" % LIMIT
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return message, seconds, {} if message else text_sections(out)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sov", default="build/sov")
    parser.add_argument("--ptxas", default="ptxas")
    parser.add_argument("files", nargs="+")
    args = parser.parse_args()
    work = tempfile.mkdtemp()
    print("%-34s %7s %17s %6s %15s %s" % ("file", "kernels", "instructions", "ratio", "local accesses", "CPU s"))
    failed = 0
    for path in args.files:
        name = os.path.basename(path)[:-4]
        out = [os.path.join(work, "sov.cubin"), os.path.join(work, "ptxas.cubin")]
        ours = compile_with([args.sov, "compile", "-t", "sm_90", "-j", "1", "-o", out[0], path], out[0])
        theirs = compile_with([args.ptxas, "-O3", "-arch=sm_90a", "-o", out[1], path], out[1])
        for who, result in (("sov", ours), ("ptxas", theirs)):
            if result[0]:
                lines = [l for l in result[0].splitlines() if "error" in l or "sov" in l or "no end" in l] or [result[0]]
                print("%-34s refused by %s: %s" % (name[:34], who, lines[0][:300]))
                failed += who == "sov"
        both = sorted(set(ours[2]) & set(theirs[2]))
        if not both:
            continue
        total = [[sum(r[2][k][c] for k in both) for c in range(2)] for r in (ours, theirs)]
        print("%-34s %7d %8d/%8d %6.2f %7d/%7d %.1f/%.1f" % (
            name[:34], len(both), total[0][0], total[1][0], total[0][0] / max(1, total[1][0]), total[0][1], total[1][1], ours[1], theirs[1]))
        worst = sorted(both, key=lambda k: -ours[2][k][0] / max(1, theirs[2][k][0]))[:1]
        spills = sorted((k for k in both if ours[2][k][1] > theirs[2][k][1] + 4), key=lambda k: theirs[2][k][1] - ours[2][k][1])
        for what, kernels in (("longest", worst), ("spills", spills[:3])):
            for k in kernels:
                print("    %s: %d/%d instructions, %d/%d local: %s" % (
                    what, ours[2][k][0], theirs[2][k][0], ours[2][k][1], theirs[2][k][1],
                    k[:80]))
        sys.stdout.flush()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
