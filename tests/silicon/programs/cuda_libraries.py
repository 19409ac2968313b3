#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds public CUDA programs with nvcc -cudart shared and runs them on the CUDA libraries of this
project: on a GPU, or on a software GPU where there is none.

The sources are not part of this project: fetch the suites that `list` names, each into
SOURCES/SUITE, and have nvcc and make.

  usage: cuda_libraries.py --sources DIR --out DIR [--libraries build/cuda] [--only REGEX] [--small]
                           [--limit SECONDS] [--arch sm_90] [--list FILE] [--jobs N] [--built]
                           [--budget SECONDS] [--beside PATH] [--mappings FILE]

Prints a line per program and a summary. A program is right if it ends with status 0 and its output
has no line with a word of an error or a mismatch that is not expected; not every program checks its results. A program
that needs another library of NVIDIA's (cuBLAS and so on) or graphics is foreign and does not run.

--small is for a software GPU: the limit is CPU time, and the numbers in HeCBench's commands are reduced, still more if the program
is slow. Some programs do not take such numbers, so one that is wrong runs once more with its own. With --built
OUT has programs that were built with the shared runtime elsewhere, such as OUT/build-sov of run.py
with "-cudart shared" in NVCC_APPEND_FLAGS; nothing is built. The status is 1 if a program is wrong.

With --budget the programs run in an order of their own, in which the first ones are of every suite, and none
begins after these seconds. With --beside each program runs with NVIDIA's libraries too, which the loader finds in
the folders PATH, first and again if it is short; the line has the better time of both and their ratio, and the
summary the geometric mean. A program that is not right with NVIDIA's libraries is left out. --mappings FILE is
mappings.so of cuda_figures.sh: a program that loaded a library of NVIDIA's is wrong.
"""
import argparse
import concurrent.futures
import hashlib
import math
import os
import re
import shutil
import signal
import stat
import sys
import tempfile
import time

import run as silicon

SUITES = ("samples", "hecbench", "rodinia", "polybench", "shoc", "llmc")
WRONG = re.compile(r"\bFAIL|[Ee]rror:(?!\s*[-+]?[0-9.])|mismatch|MISMATCH|incorrect|CUDA error|not supported|Error in|invalid ")
FOREIGN = re.compile(rb"lib(?:cu(?:blas|fft|rand|sparse|solver|dnn|tensor)|npp|nv|GL|glut|EGL)[A-Za-z0-9]*\.so")
BUILD_LIMIT = 600  # seconds
WALL_FACTOR = 6    # wall time for a limit of CPU time, on a machine that others use
SHORT = 3.0        # seconds: a program that takes less runs twice beside NVIDIA's libraries


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


def smaller(command, sizes):
    """Reduces the numbers of a command; the last is how often the program repeats its kernels."""
    words = command.split(" ")
    numbers = [i for i, word in enumerate(words) if word.isdigit()]
    for i in numbers:
        value = int(words[i])
        words[i] = str(next((size for least, size in sizes if value >= least), value))
    if numbers and int(words[numbers[-1]]) <= 64:
        words[numbers[-1]] = "1"
    return " ".join(words)


SMALL = ((100000, 4096), (2048, 256), (64, 64))
SMALLER = ((100000, 1024), (2048, 64), (16, 16))


def foreign_need(folder, command):
    """Another library of NVIDIA's, or of graphics, that a program names; None: there is none."""
    try:
        path = next(word for word in command.split(" ") if "=" not in word)
        with open(os.path.join(folder, path), "rb") as program:
            found = FOREIGN.search(program.read())
    except OSError:
        return None
    return found.group().decode() if found else None


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


def foreign_library(path, libraries):
    """A GPU library that a program loaded from outside the folder; None: it loaded only ours."""
    with open(path) as lines:
        loaded = set(line.strip() for line in lines)
    for library in sorted(loaded):
        if not library.startswith(libraries + "/"):
            return library
    return None


def execute(options, folder, path, command):
    """Runs a command with the libraries of a path; returns verdict, detail and seconds."""
    limit = options.limit
    if options.small:
        command, limit = "ulimit -t %d; %s" % (limit, command), WALL_FACTOR * limit
    environment = dict(os.environ, LD_LIBRARY_PATH=path)
    ours, mappings = path == options.path, None
    if ours and options.mappings:
        handle, mappings = tempfile.mkstemp()
        os.close(handle)
        environment.update(LD_PRELOAD=os.path.abspath(options.mappings), SILICON_MAPPINGS=mappings)
    status, output, seconds = silicon.run(command, folder, limit, environment)
    took, line = "%.2f s" % seconds, complaint(output)
    foreign = foreign_library(mappings, os.path.dirname(os.path.realpath(options.libraries))) if mappings else None
    if mappings:
        os.remove(mappings)
    if status == 124 or status % 128 in (signal.SIGXCPU, signal.SIGKILL) or -status in (signal.SIGXCPU, signal.SIGKILL):
        return "slow", took, seconds
    if foreign:
        return "wrong", "%s, loaded %s" % (took, foreign), seconds
    if status == 0 and not line:
        return "right", took, seconds
    return "wrong", "%s, status %d, %s" % (took, status, line or silicon.last_line(output)), seconds


def execute_small(program, options, folder):
    """Runs a program with reduced numbers."""
    own, command = program["command"], program["command"]
    if program["suite"] == "hecbench":
        command = smaller(own, SMALL)
    result = execute(options, folder, options.path, command)
    if result[0] == "slow" and program["suite"] == "hecbench" and smaller(own, SMALLER) != command:
        command = smaller(own, SMALLER)
        result = execute(options, folder, options.path, command)
    if result[0] == "wrong" and command != own:
        again = execute(options, folder, options.path, own)
        result = again if again[0] != "slow" else result
    return result


def compare(program, options, folder):
    """Runs a program with NVIDIA's libraries and with ours; returns verdict, detail and ours over theirs."""
    best = {}
    for again in (False, True):
        for path in (options.beside, options.path):
            verdict, detail, seconds = execute(options, folder, path, program["command"])
            if verdict != "right":
                return ("left out", "with NVIDIA's: " + detail, None) if path == options.beside else (verdict, detail, None)
            best[path] = min(seconds, best.get(path, seconds))
        if again or sum(best.values()) > SHORT:
            break
    ratio = best[options.path] / best[options.beside]
    return "right", "%.2f s, NVIDIA's %.2f s, ratio %.2f" % (best[options.path], best[options.beside], ratio), ratio


def try_program(program, options, path):
    """Returns verdict, detail, and the ratio of the times beside NVIDIA's libraries, or None."""
    if options.budget and time.monotonic() - options.begin > options.budget:
        return "unrun", "the time is over", None
    if options.built:
        folder, failure = os.path.join(options.out, program["suite"], program["folder"]), None
        if not os.path.isdir(folder):
            return "not built", "", None
    else:
        folder, failure = build_program(program, options, path)
    if failure:
        return failure + (None,)
    foreign = foreign_need(folder, program["command"])
    if foreign:
        return "foreign", foreign, None
    if options.beside:
        return compare(program, options, folder)
    if options.small:
        return execute_small(program, options, folder)[:2] + (None,)
    return execute(options, folder, options.path, program["command"])[:2] + (None,)


def shuffled(program):
    return hashlib.sha256((program["suite"] + "/" + program["name"]).encode()).digest()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--libraries", default="build/cuda")
    parser.add_argument("--only", default="")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--limit", type=float, default=60, help="seconds per run; of CPU time with --small")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--list", default=os.path.join(silicon.HERE, "list"))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--built", action="store_true", help="OUT has the programs; build nothing")
    parser.add_argument("--budget", type=float, default=0, help="seconds after which no program begins")
    parser.add_argument("--beside", help="LD_LIBRARY_PATH of NVIDIA's libraries")
    parser.add_argument("--mappings", help="mappings.so")
    options = parser.parse_args()
    if not os.path.exists(os.path.join(options.libraries, "libcuda.so.1")):
        sys.exit("cuda_libraries: %s has no libcuda.so.1; run make, or give --libraries" % options.libraries)
    options.sources, options.out = os.path.abspath(options.sources), os.path.abspath(options.out)
    programs, shared = silicon.read_list(options.list)
    path = "" if options.built else make_nvcc(options.out) + ":" + os.environ["PATH"]
    libraries = os.path.abspath(options.libraries)
    options.path, options.begin = libraries + ":" + os.path.dirname(libraries), time.monotonic()
    counts, ratios = {}, []
    for suite in () if options.built else SUITES:
        for folder in shared.get(suite, []):
            copy(options, suite, folder)
    programs = [p for p in programs if p["suite"] in SUITES and re.search(options.only, p["suite"] + "/" + p["name"])]
    if options.budget:
        programs.sort(key=shuffled)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = pool.map(lambda p: (p, try_program(p, options, path)), programs)
        for program, (verdict, detail, ratio) in results:
            counts[verdict] = counts.get(verdict, 0) + 1
            if ratio:
                ratios.append(ratio)
            if verdict in ("unrun", "not built") and options.budget:
                continue
            print("%-10s %s/%s %s" % (verdict, program["suite"], program["name"], detail), flush=True)
    print(", ".join("%d %s" % (counts[v], v) for v in sorted(counts)) or "no program")
    if ratios:
        mean = math.exp(sum(math.log(r) for r in ratios) / len(ratios))
        print("whole programs: %d right with both, fastest %.2f, slowest %.2f | | geometric mean | %.2f"
              % (len(ratios), min(ratios), max(ratios), mean))
    sys.exit(1 if counts.get("wrong") else 0)


if __name__ == "__main__":
    main()
