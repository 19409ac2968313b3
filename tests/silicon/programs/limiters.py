#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Finds what limits programs that are slower with sov than with ptxas: profiles both builds that
run.py left in --out with Nsight Compute (ncu), and names for each program the kernel that loses
most time, and what its warps wait for longer.

  usage: limiters.py --out DIR [--below RATIO] [--only REGEX] [--limit SECONDS] [--budget SECONDS]
                     [--list FILE] [--keep DIR] [--jobs N]

Prints a row of a Markdown table per program: ptxas's time divided by ours by the program's timers,
the kernel, its time, instructions, registers and active warps, ours / ptxas's, and the reasons. One
launch of each kernel and launch configuration is profiled, with the GPU's clocks and caches as they
are. --jobs programs are started at the same time; ncu profiles one kernel at a time, but kernels that
it does not profile may run beside it. --keep is a folder for the profiles as CSV, with the samples of each instruction. The status is 1
if a program was not profiled.
"""
import argparse
import concurrent.futures
import csv
import json
import os
import re
import shlex
import subprocess
import sys
import time

import run

SECTIONS = ("WarpStateStats", "SpeedOfLight", "Occupancy", "LaunchStats", "InstructionStats")
STALL = re.compile(r"smsp__average_warps_issue_stalled_(\w+)_per_issue_active\.ratio$")
WORDS = {
    "long_scoreboard": "global and local memory", "short_scoreboard": "shared memory, shuffles and special functions",
    "wait": "fixed latencies", "math_pipe_throttle": "arithmetic pipes", "imc_miss": "misses of the constant cache",
    "no_instruction": "misses of the instruction cache", "barrier": "block barriers",
    "branch_resolving": "branches", "mio_throttle": "queue of shared memory and special functions",
    "lg_throttle": "queue of global memory", "not_selected": "issue slots", "selected": "instructions",
    "dispatch_stall": "register banks and dispatch", "membar": "memory fences", "drain": "stores at the exit",
    "tex_throttle": "queue of textures", "sleeping": "sleep", "misc": "other",
}
# A kernel whose time differs by less is as fast; so is a program whose kernels all are: then its timer
# measures launches, or varies.
SAME = 1.04


def number(text):
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return 0.0


class Kernel:
    """A row of ncu's raw page."""

    def __init__(self, row):
        self.name = re.sub(r"\(.*|<.*", "", re.sub(r"^void ", "", row["Kernel Name"]))
        self.key = (row["Kernel Name"], row["Grid Size"], row["Block Size"])
        self.time = number(row["gpu__time_duration.sum"])
        self.instructions = number(row["smsp__inst_executed.sum"])
        self.registers = number(row["launch__registers_per_thread"])
        self.warps = number(row["sm__warps_active.avg.pct_of_peak_sustained_active"])
        ratios = {STALL.match(k).group(1): number(v) for k, v in row.items() if STALL.match(k)}
        # cycles of all warps in each state
        self.cycles = {reason: ratio * self.instructions for reason, ratio in ratios.items()}


def read_kernels(text):
    """The kernels by name and launch configuration; ncu's second row has the units, which are the same in both."""
    rows = list(csv.reader(text.splitlines()))
    kernels = [Kernel(dict(zip(rows[0], row))) for row in rows[2:] if len(row) == len(rows[0])] if rows else []
    return {k.key: k for k in kernels}


def reasons(theirs, ours):
    """The states in which our warps spend more time, in shares of the time of ptxas's warps."""
    total = sum(theirs.cycles.values()) / max(theirs.warps, 1)
    more = {r: (ours.cycles[r] / max(ours.warps, 1) - theirs.cycles.get(r, 0) / max(theirs.warps, 1)) / max(total, 1)
            for r in ours.cycles}
    found = sorted(((share, r) for r, share in more.items() if share > 0.03), reverse=True)[:3]
    return ", ".join("%s +%.0f %%" % (WORDS.get(r, r), 100 * share) for share, r in found) or "nothing in particular"


def describe(theirs, ours):
    """The kernel that loses most time and why; None if none does."""
    pairs = [(theirs[key], ours[key]) for key in ours if key in theirs]
    if not pairs:
        return None
    slower = [(t, o) for t, o in pairs if o.time > SAME * t.time]
    if not slower:
        return "| | | | | | kernels as fast as ptxas's: launches, or noise |"
    t, o = max(slower, key=lambda p: p[1].time - p[0].time)
    return "| %s | %.2f | %.2f | %d / %d | %.0f / %.0f %% | %s |" % (
        t.name, o.time / t.time, o.instructions / max(t.instructions, 1), o.registers, t.registers, o.warps, t.warps,
        reasons(t, o))


def export(report, page, *options):
    command = ["ncu", "-i", report, "--page", page, "--print-units", "base", "--csv", *options]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def profile(row, options, assembler):
    folder = os.path.join(options.out, "build-" + assembler, row["suite"], row["folder"])
    report = os.path.join(options.keep, "%s-%s.%s" % (row["suite"], row["name"], assembler))
    sections = " ".join("--section " + s for s in SECTIONS + (("SourceCounters",) if options.samples else ()))
    run.run("ncu --clock-control none --cache-control none --target-processes all --filter-mode per-launch-config "
            "--launch-count 1 %s -f -o %s sh -c %s" % (sections, report, shlex.quote(row["command"])),
            folder, options.limit)
    report += ".ncu-rep"
    if not os.path.exists(report):
        return {}
    raw = export(report, "raw")
    if options.samples:
        for page, text in (("raw", raw), ("source", export(report, "source", "--print-source", "sass"))):
            with open(report.replace("ncu-rep", page + ".csv"), "w") as out:
                out.write(text)
    os.remove(report)
    return read_kernels(raw)


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, help="that of run.py")
    parser.add_argument("--below", type=float, default=1.0)
    parser.add_argument("--only", default="")
    parser.add_argument("--list", default=os.path.join(run.HERE, "list"))
    parser.add_argument("--limit", type=float, default=30, help="seconds per profile")
    parser.add_argument("--budget", type=float, default=1e9, help="start nothing new after this many seconds")
    parser.add_argument("--jobs", type=int, default=1, help="programs at the same time")
    parser.add_argument("--keep", help="folder for the profiles, with samples of each instruction")
    options = parser.parse_args()
    options.samples = bool(options.keep)
    options.out = os.path.abspath(options.out)
    options.keep = os.path.abspath(options.keep or options.out)
    options.begin = time.monotonic()
    os.makedirs(options.keep, exist_ok=True)
    return options


def main():
    options = parse_options()
    rows = {r["suite"] + "/" + r["name"]: r for r in run.read_list(options.list)[0]}
    with open(os.path.join(options.out, "programs.json")) as log:
        ratios = {r["name"]: r["ratio"] for r in map(json.loads, log) if r["ratio"]}
    slow = sorted((ratio, name) for name, ratio in ratios.items()
                  if ratio < options.below and re.search(options.only, name) and name in rows)
    print("| program | ptxas / ours | kernel | time | instructions | registers | active warps | more time in |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)

    def limiter(name):
        if time.monotonic() - options.begin >= options.budget:
            return None
        return describe(*(profile(rows[name], options, a) for a in run.ASSEMBLERS))

    missing = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for (ratio, name), words in zip(slow, pool.map(limiter, [name for _, name in slow])):
            missing += not words
            print("| %s | %.2f %s" % (name, ratio, words or "| | | | | | not profiled |"), flush=True)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
