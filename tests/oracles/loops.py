#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Static figures of the loops that multiply matrices, of cubins for sm_90 by any compiler.
  usage: loops.py SOV CUBIN...

Prints a line for each innermost loop with HMMA, IMMA, DMMA or a product of a warp group: registers
of the kernel, instructions, products among them, the sum of stall counts, the cycles of the second
of two trips in which results of variable latency take the typical time below, how many of these an
instruction waits for a scoreboard, the number of such waits, and counts of instructions that tell
how well the loop is scheduled. Cycles are those of one warp that never waits for a pipe: they
compare two compilers, and predict no time."""
import json
import re
import subprocess
import sys

PRODUCT = re.compile(r"\b[HIQBD]G?MMA\b")
# Cycles until the result, and until a memory instruction has read its registers. Round figures.
LATENCY = {"LDSM": 33, "LDS": 30, "S2R": 30, "LDG": 400, "LDC": 40, "LDL": 40, "SHFL": 25}
OTHER_LATENCY, READ_LATENCY = 20, 12
COUNTS = {"copies": r"\bMOV\b|IMAD\.MOV", "local": r"\b(LDL|STL)", "LDSM": r"\bLDSM", "LDGSTS": r"\bLDGSTS",
          "R2UR": r"\bR2UR", "arrive": r"WARPGROUP\.ARRIVE", "depbar": r"WARPGROUP\.DEPBAR", "branches": r"\bBRA\b"}


def name_of(text):
    return re.split(r"[. ]", re.sub(r"^@!?U?P\w+ ", "", text))[0]


def product_loops(code):
    """The instructions of each innermost loop with products."""
    at = {i["address"]: k for k, i in enumerate(code)}
    last = {}
    for k, i in enumerate(code):
        found = re.search(r"\bBRA\b.*?(0x[0-9a-f]+)", i["text"])
        if found and at.get(int(found[1], 16), k) < k:
            last[at[int(found[1], 16)]] = k
    loops = [(a, b) for a, b in last.items() if any(PRODUCT.search(i["text"]) for i in code[a:b + 1])]
    inner = [x for x in loops if not any(y != x and x[0] <= y[0] and y[1] <= x[1] for y in loops)]
    return [code[a:b + 1] for a, b in sorted(inner)]


def run_twice(body):
    """Cycles of the second trip, how many of them it waits, and how often."""
    now, ready = 0, {}
    for _ in range(2):
        start, waited, waits = now, 0, 0
        for i in body:
            for board in range(6):
                late = ready.pop(board, now) - now if i["wait"] >> board & 1 else 0
                if late > 0:
                    now, waited, waits = now + late, waited + late, waits + 1
            if "read_barrier" in i:
                ready[i["read_barrier"]] = now + READ_LATENCY
            # Scoreboards of asynchronous copies are waited for by DEPBAR.
            if "write_barrier" in i and name_of(i["text"]) != "LDGDEPBAR":
                ready[i["write_barrier"]] = now + LATENCY.get(name_of(i["text"]), OTHER_LATENCY)
            now += max(1, i["stall"])
    return now - start, waited, waits


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    print(f"{'':24}", *(f"{c:>8}" for c in ["regs", "insts", "products", "stalls", "cycles", "waited", "waits", *COUNTS]))
    for path in sys.argv[2:]:
        done = subprocess.run([sys.argv[1], "disasm", "--json", path], capture_output=True, text=True, check=True)
        for kernel in json.loads(done.stdout)["kernels"]:
            # The table does not describe some instructions of others.
            code = [{"text": "", "stall": 1, "wait": 0} | i for i in kernel["instructions"]]
            for body in product_loops(code):
                row = [kernel["registers"], len(body), sum(bool(PRODUCT.search(i["text"])) for i in body),
                       sum(max(1, i["stall"]) for i in body), *run_twice(body),
                       *(sum(bool(re.search(c, i["text"])) for i in body) for c in COUNTS.values())]
                print(f"{kernel['name'][-16:]} {body[0]['address']:6x} ", *(f"{n:8}" for n in row))


main()
