#!/bin/sh
# SPDX-License-Identifier: MIT
# Compile time and peak memory of sov and of ptxas -O3, one thread each, over PTX files (arguments;
# by default the kernels of tests/kernels and the shapes of compiler/driver/growth). Prints a line
# per file, the geometric means of the ratios sov / ptxas and the worst ratios. Fails if sov takes
# longer than ptxas for a file; differences below 20 ms are the clock's.
#	tests/oracles/compile_speed.sh [FILE.ptx]...
set -eu
: "${BUILD:=build}"
. tests/oracles/_result.sh
command -v ptxas >/dev/null || { echo "1..0"; echo "no ptxas in PATH: run make check-oracles"; exit 1; }
command -v python3 >/dev/null || { echo "1..0"; echo "no python3"; exit 1; }
work=$BUILD/oracles/compile_speed
rm -rf "$work"
mkdir -p "$work"
if [ $# = 0 ]; then
	growth=$BUILD/tests/compiler/driver/growth
	for shape in $("$growth" list); do
		"$growth" "$shape" "${SHAPE_SIZE:-1000}" >"$work/$shape.ptx"
	done
	set -- tests/kernels/*.ptx "$work"/*.ptx
fi
status=0
python3 - "$BUILD/sov" "$work/out" "$@" <<'END' || status=1
import math, os, sys

# posix_spawn, because a forked copy of this interpreter would take milliseconds to leave.
def run(command):
    pid = os.posix_spawnp(command[0], command, os.environ, file_actions=[
        (os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0), (os.POSIX_SPAWN_DUP2, 1, 2)])
    _, status, usage = os.wait4(pid, 0)
    return status, usage.ru_utime + usage.ru_stime, usage.ru_maxrss

sov, out, files = sys.argv[1], sys.argv[2], sys.argv[3:]
times, memories, slower, refused = [], [], [], []
for f in files:
    theirs = run(["ptxas", "-O3", "-arch=sm_90", "-o", out, f])
    if theirs[0]:
        continue
    ours = run([sov, "compile", "-j1", "-t", "sm_90", "-o", out, f])
    if ours[0]:
        refused.append(f)
        continue
    times.append((max(ours[1], 0.0005) / max(theirs[1], 0.0005), f))
    memories.append((ours[2] / theirs[2], f))
    if ours[1] > theirs[1] + 0.02:
        slower.append(f)
    print("# %-50s %8.3f s %8.3f s  %7.1f MiB %7.1f MiB" % (os.path.basename(f)[-50:], ours[1], theirs[1],
          ours[2] / 1024, theirs[2] / 1024))
mean = lambda r: math.exp(sum(math.log(x) for x, _ in r) / len(r)) if r else 0
print("# count files compared: %d, refused by sov: %d" % (len(times), len(refused)))
if times:
    print("# sov / ptxas: time %.3f (geometric mean), worst %.3f (%s)" % (mean(times), *max(times)))
    print("# sov / ptxas: peak memory %.3f (geometric mean), worst %.3f (%s)" % (mean(memories), *max(memories)))
for f in slower:
    print("# slower than ptxas: " + f)
sys.exit(1 if slower or not times else 0)
END
result $status "sov compiles every file in less time than ptxas -O3"
echo "1..$results"
exit $failed
