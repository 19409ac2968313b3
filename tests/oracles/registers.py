#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the registers of our code with those of ptxas -O3, for PTX files of any origin.
  usage: registers.py [--cache FILE] [--arch sm_90] [--json FILE] [-j JOBS] SOV PTXAS PTX...

PTX is a file or a folder of files. Prints a line per kernel: registers per thread, warps that an SM
holds with that many, bytes of local memory and static instructions, ours / ptxas's; then a summary.
Warps are counted twice: those that the registers alone allow, and those of whole blocks, of the
size that the kernel states (.reqntid, .maxntid) or else of the mean over several sizes. --json
writes the same rows and summary to FILE. Kernels that one of the two does not compile are counted
and left out. With --cache, ptxas's figures are kept in FILE, keyed by the content of the PTX: they
do not change while the compiler does."""
import argparse
import concurrent.futures
import hashlib
import json
import math
import os
import re
import struct
import subprocess
import sys
import tempfile

# An SM of sm_90 has four partitions of 16,384 registers and at most 16 warps each. A warp gets
# registers in units of 256, eight per lane (CUDA C++ Programming Guide, "Compute Capabilities",
# and the occupancy calculator's "register allocation unit size").
PARTITIONS, PARTITION_REGISTERS, PARTITION_WARPS, GRANULE = 4, 16384, 16, 8
SM_BLOCKS = 32
# Sizes of blocks for kernels that do not state one.
BLOCK_THREADS = (64, 128, 256, 512, 1024)
NOP = 0x918  # low twelve bits of the opcode; ptxas pads code with it


def warps(registers):
    granted = (max(registers, 1) + GRANULE - 1) // GRANULE * GRANULE * 32
    return PARTITIONS * min(PARTITION_WARPS, PARTITION_REGISTERS // granted)


def block_warps(registers, threads):
    """Warps of the whole blocks that an SM holds."""
    size = (threads + 31) // 32
    return min(warps(registers) // size, SM_BLOCKS) * size


def stated_threads(path):
    """Threads per block by kernel, from .reqntid and .maxntid; only kernels that state them."""
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read()
    found = {}
    for entry in re.finditer(r"\.entry\s+([\w$]+)\s*(?:\([^)]*\))?([^{;]*)", text):
        bound = re.search(r"\.(?:reqntid|maxntid)\s+(\d+(?:\s*,\s*\d+)*)", entry[2])
        if bound:
            found[entry[1]] = math.prod(int(n) for n in bound[1].split(","))
    return found


def text_sections(path):
    """Code by kernel: the contents of the ELF sections .text.NAME."""
    with open(path, "rb") as file:
        data = file.read()
    offset, = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    rows = [struct.unpack_from("<IIQQQQ", data, offset + k * size) for k in range(count)]
    strings = rows[names][4]
    found = {}
    for row in rows:
        name = data[strings + row[0]:data.index(b"\0", strings + row[0])].decode()
        if name.startswith(".text."):
            found[name[6:]] = data[row[4]:row[4] + row[5]]
    return found


def count_instructions(code):
    opcodes = [struct.unpack_from("<H", code, at)[0] & 0xfff for at in range(0, len(code), 16)]
    while opcodes and opcodes[-1] == NOP:
        opcodes.pop()
    return len(opcodes)


def run(command):
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)


def compile_theirs(ptxas, arch, path, folder):
    """Figures by kernel; empty if ptxas refuses the file."""
    cubin = os.path.join(folder, "theirs.cubin")
    done = run([ptxas, "-arch=" + arch, "-O3", "-v", "-o", cubin, path])
    if done.returncode:
        return {}
    kernels, name, stack = {}, None, 0
    code = text_sections(cubin)
    for line in done.stderr.splitlines():
        if found := re.search(r"Compiling entry function '(\S+)'", line):
            name, stack = found[1], 0
        elif found := re.search(r"(\d+) bytes stack frame", line):
            stack = max(stack, int(found[1]))
        elif (found := re.search(r"Used (\d+) registers", line)) and name in code:
            total = re.search(r"(\d+) bytes cumulative stack size", line)
            kernels[name] = {"registers": int(found[1]), "instructions": count_instructions(code[name]),
                             "local": max(stack, int(total[1]) if total else 0)}
            name = None
    return kernels


def compile_ours(sov, arch, path):
    """Figures by kernel; None if the compiler ends by a signal."""
    done = run([sov, "compile", "--target", arch, "--json", "-o", "/dev/null", path])
    if done.returncode < 0:
        return None
    try:
        kernels = json.loads(done.stdout)["kernels"]
    except (ValueError, KeyError):
        return {}
    return {k["name"]: {"registers": k["registers"], "instructions": k["instructions"],
                        "local": k["stack_bytes"]} for k in kernels}


def geometric_mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else float("nan")


def files_of(paths):
    for path in paths:
        if os.path.isdir(path):
            yield from sorted(os.path.join(path, n) for n in os.listdir(path) if n.endswith(".ptx"))
        else:
            yield path


class Cache:
    def __init__(self, path):
        self.path, self.rows = path, {}
        if path and os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                self.rows = json.load(file)

    def theirs(self, args, path, folder):
        with open(path, "rb") as file:
            key = args.arch + " " + hashlib.sha256(file.read()).hexdigest()
        if key not in self.rows:
            self.rows[key] = compile_theirs(args.ptxas, args.arch, path, folder)
        return self.rows[key]

    def save(self):
        if self.path:
            with open(self.path, "w", encoding="utf-8") as file:
                json.dump(self.rows, file)


def compare_file(args, cache, path):
    """A file's rows, and whether the compiler crashed on it."""
    with tempfile.TemporaryDirectory() as folder:
        theirs = cache.theirs(args, path, folder)
    ours = compile_ours(args.sov, args.arch, path) if theirs else {}
    threads = stated_threads(path) if ours else {}
    return [{"file": os.path.basename(path), "kernel": name, "threads": threads.get(name),
             "ours": (ours or {}).get(name), "theirs": b} for name, b in theirs.items()], ours is None


def compare_blocks(row):
    """Shares of the block sizes with which an SM holds fewer, and more, warps of whole blocks."""
    sizes = (row["threads"],) if row["threads"] else BLOCK_THREADS
    pairs = [[block_warps(row[who]["registers"], n) for who in ("ours", "theirs")] for n in sizes]
    return (sum(a < b for a, b in pairs) / len(sizes), sum(a > b for a, b in pairs) / len(sizes))


def ratio_mean(rows, what):
    ratios = [row["ours"][what] / row["theirs"][what] for row in rows]
    return round(geometric_mean(ratios), 4)


def summarise(rows, refused, crashed):
    pairs = [[warps(row[who]["registers"]) for who in ("ours", "theirs")] for row in rows]
    blocks = [compare_blocks(row) for row in rows]
    return {
        "kernels": len(rows), "refused": refused, "crashes": crashed,
        "registers": ratio_mean(rows, "registers"), "instructions": ratio_mean(rows, "instructions"),
        "fewer_warps": sum(a < b for a, b in pairs), "more_warps": sum(a > b for a, b in pairs),
        "fewer_block_warps": round(sum(fewer for fewer, _ in blocks), 1),
        "more_block_warps": round(sum(more for _, more in blocks), 1),
        "local": sum(row["ours"]["local"] > 0 and row["theirs"]["local"] == 0 for row in rows),
        "local_theirs": sum(row["ours"]["local"] == 0 and row["theirs"]["local"] > 0 for row in rows),
    }


def print_summary(s):
    def share(what):
        return f"{s[what]} ({100 * s[what] / max(s['kernels'], 1):.1f} %)"
    print(f"kernels {s['kernels']}; refused by us alone {s['refused']}; crashes {s['crashes']}")
    print(f"registers, ours / theirs, geometric mean {s['registers']:.3f}")
    print(f"fewer warps per SM {share('fewer_warps')}, more {share('more_warps')}")
    print(f"in whole blocks: fewer {share('fewer_block_warps')}, more {share('more_block_warps')}")
    print(f"local memory where ptxas has none {s['local']}; where only ptxas has some {s['local_theirs']}")
    print(f"instructions, ours / theirs, geometric mean {s['instructions']:.3f}")


def print_row(row):
    a, b = row["ours"], row["theirs"]
    print(f"registers {a['registers']} / {b['registers']}  warps {warps(a['registers'])} / {warps(b['registers'])}"
          f"  local {a['local']} / {b['local']}  instructions {a['instructions']} / {b['instructions']}"
          f"  {row['file']} {row['kernel']}")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--cache")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--json")
    parser.add_argument("-j", "--jobs", type=int, default=1)
    parser.add_argument("sov")
    parser.add_argument("ptxas")
    parser.add_argument("ptx", nargs="+")
    args = parser.parse_args()
    cache, rows, refused, crashed = Cache(args.cache), [], 0, 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        paths = list(files_of(args.ptx))
        for path, (found, crash) in zip(paths, pool.map(lambda p: compare_file(args, cache, p), paths)):
            if crash:
                print(f"CRASH {path}")
            crashed += crash
            for row in found:
                refused += not row["ours"]
                if row["ours"]:
                    rows.append(row)
                    print_row(row)
    cache.save()
    summary = summarise(rows, refused, crashed)
    print_summary(summary)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump({"summary": summary, "rows": rows}, file, indent=1)
    return 1 if crashed else 0


if __name__ == "__main__":
    sys.exit(main())
