#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares our code of compute shaders with that of Mesa's compilers: ACO for Navi 21, NAK for sm_80. Prints for each shader
instructions, estimated latency and compile time of both, and geometric means of ours over theirs. Both are compiled with
descriptors in sets and without robust access. Counted in the same way on both sides: instructions of the code, without the
padding at its end; for AMD the cycles that llvm-mca gives the code for one pass through all blocks; for NVIDIA a pass in which
an instruction starts when the control bits of the one before and its scoreboards allow, with the same latency for each kind
of instruction that a scoreboard waits for. Loops count once.
	tests/oracles/shader_cost.py --mesa ROOT MODULE.spv...
ROOT is a Debian root file system with Mesa 25 or newer, its drm-shim, gcc and libvulkan-dev; ROOT/w/libnvcls.so, if there, is
preloaded for NAK.
"""
import argparse, math, os, re, shutil, subprocess, sys

SCOREBOARD_CYCLES = {"LDG": 300, "LD": 300, "ATOMG": 300, "ATOM": 300, "LDS": 30, "ATOMS": 60, "LDC": 30, "LDL": 60, "S2R": 20,
                     "S2UR": 20, "MUFU": 20, "SHFL": 25, "R2UR": 12}
OTHER_CYCLES = 20
REPEATS = 5
LIMIT = 120  # seconds


def call(command, **rest):
    p = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, **rest)
    if p.returncode:
        raise RuntimeError((p.stderr + p.stdout).strip()[-200:] or "status %d" % p.returncode)
    return p.stdout


def mesa(root, module, chip, environment):
    """Statistics, texts and milliseconds of Mesa's driver for a chip."""
    shutil.copy(module, os.path.join(root, "tmp/in.spv"))
    call(["chroot", root, "env", "MESA_SHADER_CACHE_DISABLE=1", *environment, "/w/vulkan_shader", "/tmp/in.spv", str(REPEATS),
          "cost", "/tmp/out"])
    text = open(os.path.join(root, "tmp/out")).read()
    numbers = {n: int(v) for n, v in re.findall(r"^statistic (.*): (\d+)$", text, re.M)}
    return numbers, text, float(re.search(r"^milliseconds (.*)$", text, re.M).group(1))


def mca(lines):
    """Instructions and llvm-mca's cycles for lines of AMD assembly: branches end no block for it, so they become pauses."""
    code = []
    for line in lines:
        line = re.sub(r"(//|;).*", "", line).strip()
        if not re.match(r"[a-z]+_\w+", line) or line.endswith(":"):  # labels, and ACO's constants
            continue
        if re.match(r"s_(cbranch|branch|endpgm|setpc|swappc|barrier)", line):
            line = "s_sleep 0"
        # llvm-mca 19 dies of accesses through a buffer's descriptor, which take as long as global ones.
        buffer = re.match(r"buffer_(\w+) (v\S+), (\w+), s\[(\d+):\d+\]", line)
        if buffer:
            what, data, offset, base = buffer.groups()
            offset = "v255" if offset == "off" else offset
            order = (offset, data) if re.match("store|atomic", what) else (data, offset)
            line = "global_%s %s, %s, s[%s:%d]" % (what, *order, base, int(base) + 1)
        code.append(line)
    while code and code[-1] == "s_code_end":
        code.pop()
    out = call(["llvm-mca-19", "-mtriple=amdgcn-amd-amdhsa", "-mcpu=gfx1030", "-iterations=1"], input="\n".join(code) + "\n")
    return len(code), int(re.search(r"Total Cycles: *(\d+)", out).group(1))


def amd_ours(image):
    text = call(["llvm-objdump-19", "-d", "--mcpu=gfx1030", image])
    return mca(l for l in text.splitlines() if l.startswith("\t"))


def amd_theirs(text):
    code = text[text.index("\ntext Assembly"):].split("\n", 2)[2]
    return mca(l for l in code.splitlines() if l.startswith("\t"))


def sass(code, nvdisasm, work):
    """Instructions and estimated cycles of code for sm_80, whose control bits are 105 to 125."""
    raw = os.path.join(work, "code.bin")
    open(raw, "wb").write(code)
    names = re.findall(r"/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P[T0-9]+ )?([A-Z0-9]+)", call([nvdisasm, "-b", "SM80", raw]))
    words = [int.from_bytes(code[i:i + 16], "little") for i in range(0, len(code), 16)]
    while names and (names[-1] == "NOP" or names[-1] == "BRA" and words[len(names) - 1] >> 32 & 0xffffffff == 0xfffffff0):
        names.pop()
    now, ready = 0, [0] * 6
    for name, word in zip(names, words):
        control = word >> 105
        for b in range(6):
            if control >> 11 >> b & 1:
                now = max(now, ready[b])
        for b, late in ((control >> 5 & 7, SCOREBOARD_CYCLES.get(name, OTHER_CYCLES)), (control >> 8 & 7, OTHER_CYCLES)):
            if b < 6:
                ready[b] = max(ready[b], now + late)
        now += max(control & 15, 1)
    return len(names), now


def text_section(path):
    data = open(path, "rb").read()
    number = lambda at, size: int.from_bytes(data[at:at + size], "little")
    start, size, count = number(40, 8), number(58, 2), number(60, 2)
    names = number(start + number(62, 2) * size + 24, 8)
    for s in range(start, start + count * size, size):
        name = data[names + number(s, 4):].split(b"\0", 1)[0]
        if name.startswith(b".text."):
            return data[number(s + 24, 8):number(s + 24, 8) + number(s + 32, 8)]
    raise RuntimeError("no code in the image")


def nak_code(root, text):
    """The code is in NAK's pipeline cache, behind its size; nothing else tells it."""
    data = open(os.path.join(root, "tmp/cache"), "rb").read()
    size = int(re.search(r"^statistic Code size: (\d+)$", text, re.M).group(1))
    at = data.find(size.to_bytes(4, "little"))
    while at >= 0:
        for skip in (8, 4):
            code = data[at + skip:at + skip + size]
            # A word of control bits has none above bit 125.
            if len(code) == size and any(code[:8]) and all(code[i + 15] >> 6 == 0 for i in range(0, size, 16)):
                return code
        at = data.find(size.to_bytes(4, "little"), at + 1)
    raise RuntimeError("no code in the pipeline cache")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mesa", required=True)
    parser.add_argument("--image", default="build/oracles/shader_image")
    parser.add_argument("--nvdisasm", default=os.path.expanduser("~/.cache/sov-oracles/nv/usr/bin/nvdisasm"))
    parser.add_argument("--work", default="build/oracles/shader_cost.d")
    parser.add_argument("modules", nargs="+")
    args = parser.parse_args()
    os.makedirs(args.work, exist_ok=True)
    shutil.copy("tests/oracles/_vulkan_shader.c", os.path.join(args.mesa, "w"))
    call(["chroot", args.mesa, "gcc", "-O1", "-w", "-o", "/w/vulkan_shader", "/w/_vulkan_shader.c", "-lvulkan", "-lm"])
    lib = "/usr/lib/%s/" % call(["gcc", "-print-multiarch"]).strip()
    preload = [p for p in ("/w/libnvcls.so",) if os.path.exists(args.mesa + p)]
    compilers = {
        "gfx1030": ["AMDGPU_GPU_ID=navi21", "RADV_DEBUG=nocache", "RADV_PERFTEST=cswave32", "LD_PRELOAD=%slibamdgpu_noop_drm_shim.so" % lib,
                    "VK_ICD_FILENAMES=/usr/share/vulkan/icd.d/radeon_icd.json"],
        "sm_80": ["NVK_I_WANT_A_BROKEN_VULKAN_DRIVER=1", "NOUVEAU_CHIPSET=170",
                  "LD_PRELOAD=" + ":".join(preload + [lib + "libnouveau_noop_drm_shim.so"]),
                  "VK_ICD_FILENAMES=/usr/share/vulkan/icd.d/nouveau_icd.json"]}
    ratios = {chip: [] for chip in compilers}
    print("%-24s %-8s %22s %26s %26s" % ("module", "target", "instructions", "cycles", "milliseconds"))
    for module in args.modules:
        name = os.path.basename(module)[:-4]
        for chip, environment in compilers.items():
            image = os.path.join(args.work, "image")
            try:
                spent = float(call([args.image, chip, module, image, str(REPEATS)]).split()[1])
                _, text, theirs_spent = mesa(args.mesa, module, chip, environment)
                if chip == "gfx1030":
                    ours, theirs = amd_ours(image), amd_theirs(text)
                else:
                    ours = sass(text_section(image), args.nvdisasm, args.work)
                    theirs = sass(nak_code(args.mesa, text), args.nvdisasm, args.work)
            except (RuntimeError, subprocess.TimeoutExpired) as e:
                print("%-24s %-8s %s" % (name, chip, str(e).replace("\n", " ")[:150]), flush=True)
                continue
            row = (ours[0] / theirs[0], ours[1] / theirs[1], spent / theirs_spent)
            ratios[chip].append((row, name))
            print("%-24s %-8s %7d %7d %6.2f %9d %9d %6.2f %9.2f %9.2f %6.2f" %
                  (name, chip, ours[0], theirs[0], row[0], ours[1], theirs[1], row[1], spent, theirs_spent, row[2]), flush=True)
    for chip, rows in ratios.items():
        for k, what in enumerate(("instructions", "cycles", "compile time")):
            if rows:
                mean = math.exp(sum(math.log(r[k]) for r, _ in rows) / len(rows))
                worst = max((r[k], n) for r, n in rows)
                print("# %s, %d shaders, ours over theirs: %s %.3f (geometric mean), worst %.2f (%s)" %
                      (chip, len(rows), what, mean, *worst))


main()
