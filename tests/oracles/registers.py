#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the registers of our code with those of ptxas -O3, for PTX files of any origin.
  usage: registers.py [--cache FILE] [--arch sm_90] SOV PTXAS PTX...

PTX is a file or a folder of files. Prints a line per kernel: registers per thread, warps that an SM
holds with that many, bytes of local memory and static instructions, ours / ptxas's; then a summary.
Kernels that one of the two does not compile are counted and left out. With --cache, ptxas's figures
are kept in FILE, keyed by the content of the PTX: they do not change while the compiler does."""
import argparse
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
NOP = 0x918  # low twelve bits of the opcode; ptxas pads code with it


def warps(registers):
    granted = (max(registers, 1) + GRANULE - 1) // GRANULE * GRANULE * 32
    return PARTITIONS * min(PARTITION_WARPS, PARTITION_REGISTERS // granted)


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


def print_summary(rows, refused, crashed):
    fewer = sum(warps(a["registers"]) < warps(b["registers"]) for a, b in rows)
    more = sum(warps(a["registers"]) > warps(b["registers"]) for a, b in rows)
    local = sum(a["local"] > 0 and b["local"] == 0 for a, b in rows)
    count = max(len(rows), 1)
    print(f"kernels {len(rows)}; refused by us alone {refused}; crashes {crashed}")
    print(f"registers, ours / theirs, geometric mean {geometric_mean([a['registers'] / b['registers'] for a, b in rows]):.3f}")
    print(f"fewer warps per SM {fewer} ({100 * fewer / count:.1f} %), more {more} ({100 * more / count:.1f} %)")
    print(f"local memory where ptxas has none {local}")
    print(f"instructions, ours / theirs, geometric mean {geometric_mean([a['instructions'] / b['instructions'] for a, b in rows]):.3f}")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--cache")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("sov")
    parser.add_argument("ptxas")
    parser.add_argument("ptx", nargs="+")
    args = parser.parse_args()
    cache, rows, refused, crashed = Cache(args.cache), [], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for path in files_of(args.ptx):
            theirs = cache.theirs(args, path, folder)
            ours = compile_ours(args.sov, args.arch, path) if theirs else {}
            if ours is None:
                print(f"CRASH {path}")
                crashed += 1
                ours = {}
            for name, b in theirs.items():
                if name not in ours:
                    refused += 1
                    continue
                a = ours[name]
                rows.append((a, b))
                print(f"registers {a['registers']} / {b['registers']}  warps {warps(a['registers'])} / {warps(b['registers'])}"
                      f"  local {a['local']} / {b['local']}  instructions {a['instructions']} / {b['instructions']}"
                      f"  {os.path.basename(path)} {name}")
    cache.save()
    print_summary(rows, refused, crashed)
    return 1 if crashed else 0


if __name__ == "__main__":
    sys.exit(main())
