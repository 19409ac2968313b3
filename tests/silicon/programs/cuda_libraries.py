#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds public CUDA programs with nvcc -cudart shared and runs them on the CUDA libraries of this
project: on a GPU, or on a software GPU where there is none.

The sources are not part of this project: fetch the suites that `list` names, each into
SOURCES/SUITE, and have nvcc and make.

  usage: cuda_libraries.py --sources DIR --out DIR [--libraries build/cuda] [--only REGEX] [--small]
                           [--limit SECONDS] [--arch sm_90] [--list FILE] [--jobs N] [--built]

Prints a line per program and a summary. A program is right if it ends with status 0 and its output
has no line with a word of an error or a mismatch that is not expected; not every program checks its results. --small reduces the
numbers in HeCBench's commands for a software GPU; some programs do not take such numbers. With --built
OUT has programs that were built with the shared runtime elsewhere, such as OUT/build-sov of run.py
with "-cudart shared" in NVCC_APPEND_FLAGS; nothing is built. The status is 1 if a program is wrong.
"""
import argparse
import concurrent.futures
import os
import re
import shutil
import stat
import sys

import run as silicon

SUITES = ("samples", "hecbench", "rodinia", "polybench", "shoc", "llmc")
WRONG = re.compile(r"\bFAIL|[Ee]rror:(?!\s*[-+]?[0-9.])|mismatch|MISMATCH|incorrect|CUDA error|not supported|Error in|invalid ")
BUILD_LIMIT = 600  # seconds


def make_nvcc(out):
    """A folder with an nvcc that links the shared runtime."""
    folder = os.path.join(out, "bin")
    path = os.path.join(folder, "nvcc-shared")
    nvcc = os.path.realpath(shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc")
    os.makedirs(folder, exist_ok=True)
    with open(path, "w") as script:
        script.write('#!/bin/sh\nexec "%s" -cudart shared "$@"\n' % nvcc)
    os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
    return folder


def copy(options, suite, folder):
    """Returns the build folder of a program; None: there is no source."""
    source = os.path.join(options.sources, suite, folder)
    target = os.path.join(options.out, suite, folder)
    if not os.path.isdir(source):
        return None
    if not os.path.isdir(target):
        shutil.copytree(source, target, symlinks=True)
    return target


def smaller(command):
    """Reduces the numbers of a command; the last is how often the program repeats its kernels."""
    words = command.split(" ")
    numbers = [i for i, word in enumerate(words) if word.isdigit()]
    for i in numbers:
        value = int(words[i])
        words[i] = str(4096 if value >= 100000 else 256 if value >= 2048 else 64 if value >= 64 else value)
    if numbers and int(words[numbers[-1]]) <= 64:
        words[numbers[-1]] = "1"
    return " ".join(words)


def complaint(output):
    """The first line with a word of an error that is not expected."""
    for line in output.split("\n"):
        if WRONG.search(line) and "expected" not in line:
            return line.strip()[:80]
    return None


def build_program(program, options, path):
    """Returns the folder, or None and why not."""
    folder = copy(options, program["suite"], program["folder"])
    if not folder:
        return None, ("no source", "")
    build = (program["build"].replace("{nvcc}", "nvcc-shared").replace("{arch}", options.arch)
             .replace("{sm}", options.arch[3:]).replace("{here}", silicon.HERE))
    status, output, _ = silicon.run(build, folder, BUILD_LIMIT, dict(os.environ, PATH=path))
    if status:
        return None, ("not built", silicon.last_line(output))
    return folder, None


def try_program(program, options, path):
    if options.built:
        folder, failure = os.path.join(options.out, program["suite"], program["folder"]), None
        if not os.path.isdir(folder):
            return "not built", ""
    else:
        folder, failure = build_program(program, options, path)
    if failure:
        return failure
    command = program["command"]
    if options.small and program["suite"] == "hecbench":
        command = smaller(command)
    libraries = os.path.abspath(options.libraries)
    environment = dict(os.environ, LD_LIBRARY_PATH=libraries + ":" + os.path.dirname(libraries))
    status, output, seconds = silicon.run(command, folder, options.limit, environment)
    took, line = "%.1f s" % seconds, complaint(output)
    if status == 124:
        return "slow", took
    if status == 0 and not line:
        return "right", took
    return "wrong", "%s, status %d, %s" % (took, status, line or silicon.last_line(output))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--libraries", default="build/cuda")
    parser.add_argument("--only", default="")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--limit", type=float, default=60, help="seconds per run")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--list", default=os.path.join(silicon.HERE, "list"))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--built", action="store_true", help="OUT has the programs; build nothing")
    options = parser.parse_args()
    if not os.path.exists(os.path.join(options.libraries, "libcuda.so.1")):
        sys.exit("cuda_libraries: %s has no libcuda.so.1; run make, or give --libraries" % options.libraries)
    options.sources, options.out = os.path.abspath(options.sources), os.path.abspath(options.out)
    programs, shared = silicon.read_list(options.list)
    path = "" if options.built else make_nvcc(options.out) + ":" + os.environ["PATH"]
    counts = {}
    for suite in () if options.built else SUITES:
        for folder in shared.get(suite, []):
            copy(options, suite, folder)
    programs = [p for p in programs if p["suite"] in SUITES and re.search(options.only, p["suite"] + "/" + p["name"])]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = pool.map(lambda p: (p, try_program(p, options, path)), programs)
        for program, (verdict, detail) in results:
            counts[verdict] = counts.get(verdict, 0) + 1
            print("%-10s %s/%s %s" % (verdict, program["suite"], program["name"], detail), flush=True)
    print(", ".join("%d %s" % (counts[v], v) for v in sorted(counts)) or "no program")
    sys.exit(1 if counts.get("wrong") else 0)


if __name__ == "__main__":
    main()
