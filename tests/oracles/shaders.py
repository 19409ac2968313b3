#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles compute shaders of public programs: GLSL by glslangValidator, WGSL by tint, SPIR-V assembly by spirv-as, and
what spirv-val accepts by sov for each target. Prints a row for each folder, the reasons of refusals with their counts, and
compile times. A module that spirv-val rejects is compiled too: it must end with a message. Fails if a compilation crashes
or finds no end, or if fewer than --least of the modules compile.
	tests/oracles/shaders.py [--sov SOV] [--tint TINT] [--keep DIR] [--least PERCENT] FOLDER...
A file glslang.args in FOLDER has more arguments for glslangValidator, one on each line; a script edit.sed changes each
source first, for example where it is a template. A row counts files, and then modules: of each kernel of a WGSL file. Modules stay in DIR; LOG, there, has
a line for each refusal.
"""
import argparse, collections, concurrent.futures, hashlib, os, re, signal, struct, subprocess, sys, threading

LIMIT = 120  # seconds for a compilation
TARGETS = ("sm_90", "gfx1030")
KERNEL_MODELS = (5, 6)  # GLCompute, Kernel


def run(command):
    """Exit status (negative for a signal, None for no end), messages, CPU seconds."""
    p = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    late = threading.Event()
    timer = threading.Timer(LIMIT, lambda: (late.set(), os.kill(p.pid, signal.SIGKILL)))
    timer.start()
    text = p.stdout.read().decode(errors="replace").strip()
    _, status, usage = os.wait4(p.pid, 0)
    timer.cancel()
    p.stdout.close()
    p.returncode = os.waitstatus_to_exitcode(status)
    if late.is_set():
        return None, "no end in %d s" % LIMIT, usage.ru_utime + usage.ru_stime
    return p.returncode, text, usage.ru_utime + usage.ru_stime


def words(data):
    order = "<" if data[:4] == b"\x03\x02\x23\x07" else ">"
    return struct.unpack(order + "%dI" % (len(data) // 4), data[:len(data) & ~3])


def has_kernel(data):
    """Whether a module has an entry point that is a kernel: OpEntryPoint is instruction 15."""
    code, at = words(data), 5
    while at < len(code) and code[at] >> 16:
        if code[at] & 0xffff == 15 and at + 1 < len(code) and code[at + 1] in KERNEL_MODELS:
            return True
        at += code[at] >> 16
    return False


def sources(folder):
    """Files and what they are, with the name of a kernel where a compiler wants one: tint makes a module of one kernel."""
    for root, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            path = os.path.join(root, name)
            kind = "spvasm" if name.endswith(".asm.comp") else name.rsplit(".", 1)[-1]
            if kind in ("comp", "glsl", "wgsl", "spv", "spvasm") and os.path.isfile(path):
                text = open(path, "rb").read()
                if kind == "wgsl" and b"@compute" not in text or kind == "glsl" and b"local_size" not in text:
                    continue
                kernels = re.findall(rb"@compute[^{};]*?\bfn\s+(\w+)", text) if kind == "wgsl" else [b""]
                for kernel in kernels:
                    yield path, kind, kernel.decode()


def front_end(path, kind, kernel, extra, edit, tint, out):
    """Makes a module of a source file and returns the compiler's complaint, or an empty string."""
    if os.path.exists(edit) and kind in ("wgsl", "comp", "glsl"):
        edited = out + "." + kind
        with open(edited, "wb") as f:
            subprocess.run(["sed", "-E", "-f", edit, path], stdout=f, check=True)
        path = edited
    if kind == "spv":
        open(out, "wb").write(open(path, "rb").read())
        return ""
    version = re.search(rb"^; Version: (\d\.\d)", open(path, "rb").read(), re.M)
    assembler = ["--target-env", "spv" + version.group(1).decode()] if version else []
    command = {"comp": ["glslangValidator", "-V", "--target-env", "vulkan1.3", "-S", "comp", *extra, "-o", out, path],
               "wgsl": [tint, "--format", "spirv", "--ep", kernel, "-o", out, path],
               "spvasm": ["spirv-as", *assembler, "-o", out, path]}
    status, text, _ = run(command.get(kind, command["comp"]))
    if status == 0 and os.path.exists(out):
        return ""
    lines = [l for l in text.splitlines() if "rror" in l]
    return (lines or text.splitlines() or ["status %s" % status])[0]


def reason(text):
    """A message without file, word and ids, so that equal causes count together."""
    line = (text.splitlines() or [""])[0]
    line = re.sub(r"^.*?(spirv|error): (word \d+: )?", "", line)
    line = re.sub(r"line \d+(:\d+)?: ", "", line)
    return re.sub(r"\b\d+\b", "N", re.sub(r"%\w+", "%N", line))[:110]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sov", default="build/sov")
    parser.add_argument("--tint", default="tint")
    parser.add_argument("--keep", default="build/oracles/shaders.d")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--least", type=float, default=98)
    parser.add_argument("folders", nargs="+")
    args = parser.parse_args()
    os.makedirs(args.keep, exist_ok=True)
    log = open(os.path.join(args.keep, "LOG"), "w", buffering=1)
    seen, guard = set(), threading.Lock()
    reasons = {target: collections.Counter() for target in TARGETS}
    total, times = collections.Counter(), {target: [] for target in TARGETS}
    columns = ("files", "built", "kernels", "distinct", "valid") + TARGETS + ("both", "crashes")
    print(("%-34s" + " %8s" * len(columns)) % (("folder",) + columns))

    def compile_source(source, extra, edit, count):
        path, kind, kernel = source
        key = hashlib.sha1((path + kernel + "\n".join(extra)).encode()).hexdigest()[:16]
        module = os.path.join(args.keep, key + ".spv")
        image = os.path.join(args.keep, key + ".image")
        complaint = "" if os.path.exists(module) else front_end(path, kind, kernel, extra, edit, args.tint, module)
        if complaint:
            log.write("front end: %s: %s\n" % (path, complaint))
            return
        data = open(module, "rb").read()
        digest = hashlib.sha1(data).digest()
        with guard:
            count["built"] += 1
            if not has_kernel(data):
                return
            count["kernels"] += 1
            if digest in seen:
                return
            seen.add(digest)
            count["distinct"] += 1
        status, text, _ = run(["spirv-val", "--target-env", "vulkan1.3", "--scalar-block-layout", module])
        valid = status == 0
        if not valid:
            log.write("spirv-val: %s: %s: %s\n" % (path, module, (text.splitlines() or [""])[0]))
        ends = [run([args.sov, "compile", "-t", target, "-j", "1", "-o", image, module]) for target in TARGETS]
        if os.path.exists(image):
            os.unlink(image)
        with guard:
            count["valid"] += valid
            for target, (status, text, seconds) in zip(TARGETS, ends):
                if status is None or status < 0:
                    count["crashes"] += 1
                    log.write("CRASH %s: %s: %s: %s\n" % (target, path, module, text.splitlines()[:1] or status))
                if valid and status == 0:
                    count[target] += 1
                    times[target].append((seconds, path))
                elif valid:
                    reasons[target][reason(text)] += 1
                    log.write("%s: %s: %s: %s\n" % (target, path, module, (text.splitlines() or [""])[0]))
            count["both"] += valid and all(status == 0 for status, _, _ in ends)

    for folder in args.folders:
        name = os.path.basename(folder.rstrip("/"))
        extra_file = os.path.join(folder, "glslang.args")
        extra = open(extra_file).read().splitlines() if os.path.exists(extra_file) else []
        count = collections.Counter()
        files = list(sources(folder))
        count["files"] = len({path for path, _, _ in files})
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            for done in [pool.submit(compile_source, f, extra, os.path.join(folder, "edit.sed"), count) for f in files]:
                done.result()
        total += count
        print(("%-34s" + " %8d" * len(columns)) % ((name[:34],) + tuple(count[c] for c in columns)), flush=True)
    print(("%-34s" + " %8d" * len(columns)) % (("all",) + tuple(total[c] for c in columns)))
    for target in TARGETS:
        for text, n in sorted(reasons[target].items(), key=lambda item: -item[1]):
            print("%s: %4d %s" % (target, n, text))
        if times[target]:
            ordered = sorted(times[target])
            print("%s: CPU time of a process: median %.0f ms, sum %.1f s, longest %.2f s (%s)" %
                  (target, 1e3 * ordered[len(ordered) // 2][0], sum(t for t, _ in ordered), *ordered[-1]))
    share = 100 * total["both"] / max(total["valid"], 1)
    print("%.2f %% of %d valid modules compile for %s" % (share, total["valid"], " and ".join(TARGETS)))
    sys.exit(bool(total["crashes"]) or share < args.least)


main()
