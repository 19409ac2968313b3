#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds public CUDA programs twice with nvcc, once with NVIDIA's ptxas and once with sov in its
place, runs both under NVIDIA's runtime on a real GPU, and compares exit status, verdicts, output
without timings, and the programs' own timers.

The sources are not part of this project: fetch the suites that `list` names, each into
SOURCES/SUITE, and have nvcc, make and a GPU. No program may use managed memory.

  usage: run.py --sources DIR --sov FILE --out DIR [--only REGEX] [--jobs N] [--repeat N]
                [--limit SECONDS] [--arch sm_90] [--budget SECONDS] [--list FILE] [--build-only] [--resume]

Prints one line per program and a summary. The status is 1 if a program is wrong with sov. The first runs share the
machine with --jobs others. What they leave in doubt runs again alone: a run of ours that did not end where ptxas's
did, once with twice the limit; different output, twice with both. Timed runs are alone; a program whose times differ by
less than 5 % in the first is not run --repeat times, and one whose times differ by more than 10 % is run that often once
more and again: many measure a few launches. --resume goes on where a run into the same --out ended.

--build-only builds and runs nothing, so needs no GPU; the status is 1 if sov refuses what ptxas takes. Its folder --out
can be copied to a machine with a GPU: --resume runs there what was built here.
"""
import argparse
import concurrent.futures
import json
import math
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ASSEMBLERS = ("ptxas", "sov")

UNITS = {
    "ns": 1e-9, "nsec": 1e-9, "us": 1e-6, "usec": 1e-6, "microseconds": 1e-6, "ms": 1e-3,
    "msec": 1e-3, "msecs": 1e-3, "milliseconds": 1e-3, "s": 1.0, "sec": 1.0, "secs": 1.0,
    "second": 1.0, "seconds": 1.0,
}
NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
UNIT = "|".join(sorted(UNITS, key=len, reverse=True))
TIMER = re.compile(r"(%s)\s*[\[(]?\s*(%s)\b(?!/)" % (NUMBER, UNIT))
UNIT_FIRST = re.compile(r"[\[(\t](%s)[\])\t]\s*[:=]?\s*(%s)" % (UNIT, NUMBER))
SECONDS_LAST = re.compile(r"\bseconds\)?\s*[:=]\s*(%s)\s*$" % NUMBER)
RATE_UNIT = r"(?:[KMGT]?i?(?:B|bytes?|flops?|items|elements|options|bodies|keys)\s*/\s*s(?:ec(?:ond)?)?|[KMGT]flops)\b"
RATE = re.compile(r"(%s)\s*[\[(]?\s*%s" % (NUMBER, RATE_UNIT), re.I)
RATE_UNIT_FIRST = re.compile(r"%s[\])]?\s*[:=]?\s*(%s)" % (RATE_UNIT, NUMBER), re.I)
TIMED_LINE = re.compile(r"time|second|\bsec\b|\bms\b|\bus\b|\bns\b|elapsed|/s\b|bandwidth|throughput|"
                        r"flop|speed|perf|clock|cycles|duration|latency|took|cost|overlap|\d\s+s\b", re.I)
HOST_LINE = re.compile(r"host|cpu|serial|reference|memcpy|copy|transfer|total exec|wall|init|setup|\bread|"
                       r"alloc|h2d|d2h|load|overall|end-to-end|compil|\balo\b|\bfre\b", re.I)
TOKEN = re.compile(NUMBER + r"|[^\s]+")


def read_list(path):
    """Returns the programs and, by suite, the folders that its programs share (the row named *)."""
    programs, shared = [], {}
    with open(path) as rows:
        for row in rows:
            if row.startswith("#") or not row.strip():
                continue
            suite, name, folder, build, command, why = (row.rstrip("\n").split("\t") + [""] * 6)[:6]
            if name == "*":
                shared[suite] = folder.split()
            else:
                programs.append(dict(suite=suite, name=name, folder=folder, build=build, command=command, why=why))
    return programs, shared


def make_cuda_folders(out, sov):
    """Makes OUT/cuda-ptxas and OUT/cuda-sov: nvcc looks for ptxas in the folder it is called from."""
    nvcc = os.path.realpath(shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc")
    top = os.path.dirname(os.path.dirname(nvcc))
    for assembler in ASSEMBLERS:
        folder = os.path.join(out, "cuda-" + assembler)
        os.makedirs(folder + "/bin", exist_ok=True)
        for parent, target in ((top, folder), (top + "/bin", folder + "/bin")):
            for entry in os.listdir(parent):
                link = os.path.join(target, entry)
                if not os.path.lexists(link) and entry != "bin":
                    os.symlink(os.path.join(parent, entry), link)
        if assembler == "sov":
            if os.path.lexists(folder + "/bin/ptxas"):
                os.remove(folder + "/bin/ptxas")
            os.symlink(os.path.abspath(sov), folder + "/bin/ptxas")


def copy_shared_folders(options, suites, shared):
    for suite in suites:
        for assembler in ASSEMBLERS:
            for folder in shared.get(suite, []):
                source = os.path.join(options.sources, suite, folder)
                target = os.path.join(options.out, "build-" + assembler, suite, folder)
                if os.path.isdir(source) and not os.path.isdir(target):
                    shutil.copytree(source, target, symlinks=True)


def run(command, folder, limit, environment=None):
    """Runs a shell command in a process group of its own; returns status, output, seconds."""
    begin = time.monotonic()
    with subprocess.Popen(command, shell=True, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, start_new_session=True, env=environment) as process:
        try:
            output, _ = process.communicate(timeout=limit)
            status = process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            status = 124
    return status, output.decode(errors="replace"), time.monotonic() - begin


class Folders:
    """Programs that share a folder are built one at a time, and once if the command is the same."""

    def __init__(self):
        self.mutex = threading.Lock()
        self.locks = {}
        self.results = {}

    def lock(self, folder):
        with self.mutex:
            return self.locks.setdefault(folder, threading.Lock())


class Program:
    def __init__(self, row, options, folders):
        self.row = row
        self.options = options
        self.folders = folders
        self.name = row["suite"] + "/" + row["name"]
        self.built = {}
        self.outputs = {a: [] for a in ASSEMBLERS}
        self.log = {}
        self.known_ratio = None  # of an earlier run
        self.checked = False     # by an earlier run
        self.in_doubt = False    # there was no time to run it again alone

    def restore(self, record):
        """Takes over what an earlier run built and measured."""
        self.built, self.log, self.known_ratio = record["built"], record["log"], record["ratio"]
        self.outputs = {a: [tuple(o) for o in record["outputs"][a]] for a in ASSEMBLERS}
        self.checked = len(self.built) == len(ASSEMBLERS) and (all(self.outputs.values()) or not self.can_run())

    def folder(self, assembler):
        return os.path.join(self.options.out, "build-" + assembler, self.row["suite"], self.row["folder"])

    def build(self, assembler):
        target = self.folder(assembler)
        key = (target, self.row["build"])
        if self.built.get(assembler) and os.path.isdir(target):
            return  # by an earlier run
        with self.folders.lock(target):
            if key not in self.folders.results:
                self.folders.results[key] = self.build_in(target, assembler)
        self.built[assembler], self.log[assembler] = self.folders.results[key]

    def build_in(self, target, assembler):
        source = os.path.join(self.options.sources, self.row["suite"], self.row["folder"])
        if not os.path.isdir(source):
            return False, "no such folder: " + source
        if not os.path.isdir(target):
            shutil.copytree(source, target, symlinks=True)
        cuda = os.path.join(self.options.out, "cuda-" + assembler)
        environment = dict(os.environ, PATH=cuda + "/bin:" + os.environ["PATH"], CUDA_HOME=cuda)
        command = self.row["build"]
        for key, value in (("nvcc", cuda + "/bin/nvcc"), ("arch", self.options.arch), ("sm", self.options.arch[3:]),
                           ("here", os.path.dirname(os.path.abspath(self.options.list)))):
            command = command.replace("{" + key + "}", value)
        status, output, _ = run(command, target, 400, environment)
        return status == 0, output

    def execute(self, assembler, limit=None):
        limit = limit or self.options.limit
        self.outputs[assembler].append(run(self.row["command"], self.folder(assembler), limit))

    def can_run(self):
        return all(self.built.get(a) for a in ASSEMBLERS)

    def late(self):
        """Whether ours did not end in time and ptxas's did: programs beside it may be the cause."""
        return (any(status == 124 for status, _, _ in self.outputs["sov"])
                and all(status != 124 for status, _, _ in self.outputs["ptxas"]))

    def settle(self):
        """Runs alone what the runs beside other programs left in doubt."""
        if self.late():
            self.outputs["sov"] = []
            self.execute("sov", 2 * self.options.limit)
        if self.compare()[0] == "DIFFERENT":
            for _ in range(2):
                for assembler in ASSEMBLERS:
                    self.execute(assembler)

    def verdict(self):
        """As compare(); what differs for a reason that the list states is "explained", what could not be settled "in doubt"."""
        state, words = self.compare()
        if self.in_doubt and state in ("DIFFERENT", "WRONG"):
            return "in doubt", "was not run again alone: " + words
        if self.row["why"] and state in ("DIFFERENT", "WRONG", "unsteady"):
            return "explained", "%s: %s" % (words, self.row["why"])
        return state, words

    def compare(self):
        """Returns (state, words): same, close, different, wrong, slow, or why there is no comparison."""
        if not self.built.get("ptxas"):
            return "unbuilt", first_error(self.log.get("ptxas", ""))
        if not self.built.get("sov"):
            return "refused", first_error(self.log.get("sov", ""))
        ours, theirs = self.outputs["sov"], self.outputs["ptxas"]
        if not theirs or not ours:
            return "unrun", ""
        if any(status == 124 for status, _, _ in theirs):
            return "endless", "does not end in time with ptxas"
        if theirs[0][0] != 0 and all(o[0] == theirs[0][0] for o in ours):
            return "failing", "status %d with both" % theirs[0][0]
        for status, output, _ in ours:
            if status == 124:
                return "WRONG", "does not end in time; %.1f s with ptxas" % theirs[0][2]
            if status != theirs[0][0]:
                return "WRONG", "status %d instead of %d: %s" % (status, theirs[0][0], last_line(output))
        return compare_outputs([o for _, o, _ in theirs], [o for _, o, _ in ours])

    def ratio(self):
        """The geometric mean over the program's timers of ptxas's time divided by ours."""
        values = {a: [timers(o) for s, o, _ in self.outputs[a] if s == 0] for a in ASSEMBLERS}
        if any(not v for v in values.values()):
            return None
        count = {len(t) for v in values.values() for t in v}
        if len(count) != 1 or not count.pop():
            return None
        logs = []
        for i in range(len(values["sov"][0])):
            seconds = {a: statistics.median(t[i][1] for t in values[a]) for a in ASSEMBLERS}
            if min(seconds.values()) > 1.5e-6:
                logs.append(math.log(seconds["ptxas"] / seconds["sov"]))
        return math.exp(sum(logs) / len(logs)) if logs else None


def first_error(text):
    for line in text.splitlines():
        if re.search(r"error|sov:|fatal|No such|undefined", line):
            return line.strip()[:160]
    return last_line(text)


def last_line(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:160] if lines else ""


def lines(output):
    """The lines; a line that ends with a colon and the number alone on the next are one."""
    joined = []
    for line in output.splitlines():
        if joined and joined[-1].rstrip().endswith(":") and re.fullmatch(NUMBER, line.strip()):
            joined[-1] += " " + line.strip()
        else:
            joined.append(line)
    return joined


def search_all(output, patterns):
    """(label, match) of the first pattern that each line about the device's times or rates has."""
    found = []
    for line in lines(output):
        if HOST_LINE.search(line) or not TIMED_LINE.search(line):
            continue
        for pattern, value in patterns:
            match = pattern.search(line)
            if match:
                found.append((line[:match.start()], value(match)))
                break
    return [(label, seconds) for label, seconds in found if seconds > 0]


def inverse(match):
    rate = float(match.group(1))
    return 1 / rate if rate > 0 else 0


TIMES = (
    (TIMER, lambda m: float(m.group(1)) * UNITS[m.group(2)]),
    (UNIT_FIRST, lambda m: float(m.group(2)) * UNITS[m.group(1)]),
    (SECONDS_LAST, lambda m: float(m.group(1))),
)
RATES = ((RATE, inverse), (RATE_UNIT_FIRST, inverse))


def timers(output):
    """(label, seconds) of each line that gives a time of the device, or, if none does, the inverse of a rate."""
    return search_all(output, TIMES) or search_all(output, RATES)


def tokens(output):
    kept = []
    for line in lines(output):
        if not TIMED_LINE.search(line):
            kept += TOKEN.findall(line)
    return kept


def compare_outputs(theirs, ours):
    theirs, ours = [tokens(o) for o in theirs], [tokens(o) for o in ours]
    if len({len(t) for t in theirs}) != 1:
        return "unsteady", "output of varying length with ptxas"
    worst = 0.0
    for output in ours:
        if len(output) != len(theirs[0]):
            return "DIFFERENT", "%d words of output instead of %d" % (len(output), len(theirs[0]))
        for i, token in enumerate(output):
            wanted = {t[i] for t in theirs}
            if token in wanted or len(wanted) > 1 and not re.match(r"(?i)pass|fail|ok|true|false", token):
                continue
            try:
                a, b = float(token), float(theirs[0][i])
            except ValueError:
                return "DIFFERENT", "'%s' instead of '%s'" % (token, theirs[0][i])
            if math.isnan(a) and math.isnan(b):
                continue
            error = abs(a - b) / max(abs(a), abs(b), 1e-30)
            if not error < 1e-3:
                return "DIFFERENT", "%s instead of %s" % (token, theirs[0][i])
            worst = max(worst, error)
    return ("close", "%.1e" % worst) if worst else ("same", "")


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", required=True)
    parser.add_argument("--sov", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--list", default=os.path.join(HERE, "list"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--repeat", type=int, default=3, help="timed runs of each build, one at a time")
    parser.add_argument("--limit", type=float, default=60, help="seconds per run")
    parser.add_argument("--budget", type=float, default=1e9, help="start nothing new after this many seconds")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--resume", action="store_true", help="go on where a run into the same --out ended")
    parser.add_argument("--build-only", action="store_true", help="run nothing")
    options = parser.parse_args()
    for key in ("out", "sources", "sov"):
        setattr(options, key, os.path.abspath(getattr(options, key)))
    options.begin = time.monotonic()
    return options


def restore_all(programs, options):
    by_name = {p.name: p for p in programs}
    with open(os.path.join(options.out, "programs.json")) as log:
        for record in map(json.loads, log):
            if record["name"] in by_name:
                by_name[record["name"]].restore(record)


def elapsed(options):
    return time.monotonic() - options.begin


def check_all(programs, options):
    """Both builds and both runs of each, so that programs that wait do not hold up those that are built."""
    def in_time():
        return elapsed(options) < options.budget

    def check(p):
        if p.checked:
            return
        for assembler in ASSEMBLERS:
            if in_time():
                p.build(assembler)
        if not options.build_only and p.can_run():
            for assembler in ASSEMBLERS:
                if in_time():
                    p.execute(assembler)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for i, future in enumerate(concurrent.futures.as_completed([pool.submit(check, p) for p in programs])):
            future.result()
            if i % 25 == 24:
                print("# %d of %d, %.0f s" % (i + 1, len(programs), elapsed(options)), flush=True)
    for p in programs:
        if not all(p.outputs.values()) or p.known_ratio:
            continue
        if in_time():
            p.settle()
        else:
            p.in_doubt = True


def time_all(programs, options):
    """Returns ptxas's time divided by ours by the name of the program; runs one program at a time."""
    timed = [p for p in programs if all(p.outputs.values())
             and all(s == 0 for a in ASSEMBLERS for s, _, _ in p.outputs[a]) and p.ratio()]
    timed.sort(key=lambda p: sum(p.outputs[a][0][2] for a in ASSEMBLERS))
    print("# timing %d programs, %.0f s so far" % (len(timed), elapsed(options)), flush=True)
    ratios = {p.name: p.known_ratio for p in timed if p.known_ratio}
    for p in timed:
        if p.known_ratio:
            continue
        checked, p.outputs = p.outputs, {a: [] for a in ASSEMBLERS}
        for i in range(3 * options.repeat):
            for assembler in ASSEMBLERS:
                if elapsed(options) < options.budget:
                    p.execute(assembler)
            difference = abs(math.log(p.ratio() or 1))
            if (i == 0 and difference < 0.05) or (i >= options.repeat - 1 and difference < 0.1):
                break
        if len({len(p.outputs[a]) for a in ASSEMBLERS}) == 1 and p.outputs["sov"]:
            ratios[p.name] = p.ratio()
        p.outputs = {a: checked[a] + p.outputs[a] for a in ASSEMBLERS}
    return ratios


def report(programs, ratios, options):
    """Prints a line per program, writes OUT/programs.json and returns how many programs have each state."""
    counts = {}
    with open(os.path.join(options.out, "programs.json"), "w") as log:
        for p in programs:
            state, words = p.verdict()
            if options.build_only and state == "unrun":
                state = "built"
            counts[state] = counts.get(state, 0) + 1
            ratio = ratios.get(p.name)
            print("%-40s %-9s %6s  %s" % (p.name, state, "%.2f" % ratio if ratio else "", words), flush=True)
            outputs = {a: [(s, o[-100000:], t) for s, o, t in p.outputs[a]] for a in ASSEMBLERS}
            log.write(json.dumps(dict(name=p.name, state=state, words=words, ratio=ratio, log=p.log,
                                      built=p.built, outputs=outputs)) + "\n")
    print("# " + ", ".join("%d %s" % (n, state) for state, n in sorted(counts.items())))
    speeds = sorted(r for r in ratios.values() if r)
    if speeds:
        mean = math.exp(sum(math.log(r) for r in speeds) / len(speeds))
        print("# speed over %d programs: geometric mean %.3f, worst %.2f, below 0.9: %d, below 0.8: %d" % (
            len(speeds), mean, speeds[0], sum(r < 0.9 for r in speeds), sum(r < 0.8 for r in speeds)))
    return counts


def main():
    options = parse_options()
    make_cuda_folders(options.out, options.sov)
    rows, shared = read_list(options.list)
    folders = Folders()
    programs = [Program(row, options, folders) for row in rows
                if re.search(options.only, row["suite"] + "/" + row["name"])]
    copy_shared_folders(options, {p.row["suite"] for p in programs}, shared)
    if options.resume:
        restore_all(programs, options)
    print("# building%s %d programs twice" % ("" if options.build_only else " and running", len(programs)), flush=True)
    check_all(programs, options)
    ratios = {} if options.build_only else time_all(programs, options)
    counts = report(programs, ratios, options)
    failures = ["WRONG", "DIFFERENT"] + (["refused"] if options.build_only else [])
    return 1 if any(counts.get(state) for state in failures) else 0


if __name__ == "__main__":
    sys.exit(main())
