#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the cost of our code for gfx1030 with LLVM's for public OpenCL kernels: clang -O3 compiles each file for AMD, and to PTX
that our compiler takes; public_kernels launches both with random arguments on the software Navi 21. Counted are kernels that
leave the same memory. amd_public.h stands in for OpenCL's library; a file that needs more of it is left out, and printed. No figure is asserted.
	tests/oracles/amd_public.py [--clang CLANG] [--lld LLD] [--seed N] [--take N] [-v] [-D NAME=VALUE]... FILE.cl...
With --take N, N of the files are drawn at random."""
import argparse, math, os, random, re, subprocess

COST = re.compile(r"cost: \S+ (\S+) \d+: executed (\d+) (\d+) registers (\d+) (\d+)")


def keep_implementations(path):
    """clang 21 emits each kernel twice for NVPTX: an empty one, and its code under a longer name, which takes the empty one's place."""
    text = open(path).read()
    for name in re.findall(r"\.entry __clang_ocl_kern_imp_(\w+)\(", text):
        text = re.sub(r"\.visible \.entry " + name + r"\([^)]*\)[^{]*\{[^}]*\}", "", text, count=1)
    open(path, "w").write(text.replace("__clang_ocl_kern_imp_", ""))


def compile_file(args, source, base):
    """The first message if it fails."""
    flags = ["-x", "cl", "-cl-std=CL1.2", "-cl-no-stdinc", "-cl-fp32-correctly-rounded-divide-sqrt", "-w", "-O3", "-nogpulib",
             "-include", "tests/oracles/amd_public.h", "-I" + os.path.dirname(source)] + ["-D" + d for d in args.define]
    for command in (
            [args.clang, "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1030", "-mcode-object-version=5", *flags, "-c", "-o", base + ".o", source],
            [args.lld, "-shared", "-o", base + ".co", base + ".o"],
            [args.clang, "-target", "nvptx64-nvidia-cuda", "-Xclang", "-target-cpu", "-Xclang", "sm_80", *flags, "-S", "-o", base + ".ptx", source],
            [args.build + "/sov", "compile", "-t", "gfx1030", "-o", base + ".ours", base + ".ptx"]):
        p = subprocess.run(command, capture_output=True, text=True)
        if p.returncode:
            return next((l for l in p.stderr.splitlines() if "error" in l or "sov" in l), "failed")
        if command[-2].endswith(".ptx"):
            keep_implementations(base + ".ptx")
    return ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--clang", default="clang-19")
    parser.add_argument("--lld", default="ld.lld-19")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--take", type=int)
    parser.add_argument("-D", dest="define", action="append", default=[])
    parser.add_argument("-v", action="store_true")
    parser.add_argument("files", nargs="+")
    args = parser.parse_args()
    args.build = os.environ.get("BUILD", "build")
    work = args.build + "/oracles/amd-public"
    os.makedirs(work, exist_ok=True)
    files = sorted(args.files)
    if args.take:
        files = random.Random(args.seed).sample(files, min(args.take, len(files)))
    costs, refused, wrong = {}, 0, 0
    for number, source in enumerate(files):
        base = "%s/%d" % (work, number)
        message = compile_file(args, source, base)
        if message:
            refused += 1
            print("left out: %s: %s" % (source, message[:160]))
            continue
        out = subprocess.run([args.build + "/oracles/public_kernels", "navi21", base + ".co", base + ".ours", "costs"],
                             capture_output=True, text=True).stdout
        wrong += out.count("words differ")
        for name, *numbers in COST.findall(out):
            total = costs.setdefault((source, name), [0, 0, 0, 0])
            ours, theirs, total[2], total[3] = map(int, numbers)
            total[0] += ours
            total[1] += theirs
    rows = sorted(((c[0] / c[1], key, c) for key, c in costs.items()), reverse=True)
    for ratio, (source, name), c in rows:
        if args.v or ratio > 1.5:
            print("%.2f %s %s: executed %d %d, VGPRs %d %d" % (ratio, source, name, *c))

    def mean(logarithms):
        return math.exp(sum(logarithms) / max(1, len(logarithms)))
    print("%d files, %d left out; %d kernels; ours over LLVM's, geometric means: executed %.3f (%.2f to %.2f, above 1.5: %d), VGPRs %.3f; "
          "%d launches left different memory and do not count" % (
              len(files), refused, len(rows), mean([math.log(r[0]) for r in rows]), rows[-1][0] if rows else 0, rows[0][0] if rows else 0,
              sum(r[0] > 1.5 for r in rows), mean([math.log(r[2][2] / r[2][3]) for r in rows]), wrong))
    return not rows


raise SystemExit(main())
