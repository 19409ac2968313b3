#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs random kernels on a machine with a Hopper GPU, CUDA's driver, ptxas, make and a C compiler:
# our code in every mode and ptxas's code of the same PTX on the GPU (random.c), then many more on
# software GPUs, rotating through modes and chips (random_kernels). Both are compared with the IR
# interpreter. Ends with counts and "random: PASS" or "random: FAIL".
#   usage: tests/silicon/random.sh [KERNELS [SOFT-KERNELS [FIRST]]]
#   Run it in the root of the sources; the numbers are rounded up to whole batches.
#   environment: BUILD (build), PTXAS ("none": without ptxas's code), JOBS (cores),
#   GPU_SECONDS (420), SOFT_SECONDS (300), SHRINK_SECONDS (60); after these times only the
#   completed kernels count
# Errors of ptxas with a known cause (ptxas_faults) are counted separately and are no failures; all
# other differences are. Kernels that differ on the GPU for no known cause are reduced there; the
# results are in $BUILD/random/shrunk.log.
set -eu
: "${BUILD:=build}" "${JOBS:=$(nproc)}" "${CC:=cc}"
: "${GPU_SECONDS:=420}" "${SOFT_SECONDS:=300}" "${SHRINK_SECONDS:=60}"
kernels=${1:-10000} soft=${2:-100000} first=${3:-1}
PTXAS=${PTXAS:-$(command -v ptxas || echo /usr/local/cuda/bin/ptxas)}
work=$BUILD/random
mkdir -p "$work"
rm -f "$work"/*.log
make -s -j"$JOBS" BUILD="$BUILD" "$BUILD/libsov-all.a" \
	"$BUILD/tests/compiler/driver/random_kernels" >"$work/build.log" 2>&1 ||
	{ tail -n 20 "$work/build.log"; echo "random: FAIL: the build failed"; exit 1; }
drm=$(pkg-config --libs libdrm 2>/dev/null || true) # libsov-all.a uses it if the build found it
# shellcheck disable=SC2086 # CC may contain flags
$CC -O2 -std=c11 -D_GNU_SOURCE -I. tests/silicon/random.c "$BUILD/libsov-all.a" \
	-o "$work/random" -ldl -lm -pthread $drm

# Runs a command on the kernels $1 to $1+$2-1 in batches of $3, $JOBS at a time, with a limit of $5
# seconds and its output in the file $4. The first number and the size of a batch are appended to
# the command.
run_batches() {
	from=$1 count=$2 batch=$3 log=$4 limit=$5
	shift 5
	seq "$from" "$batch" $((from + count - 1)) |
		timeout "$limit" xargs -P "$JOBS" -I{} \
			sh -c '"$@" 2>&1' one timeout 400 "$@" {} "$batch" >"$log" || true
}

start=$(date +%s)
[ "$kernels" -eq 0 ] || run_batches "$first" "$kernels" 100 "$work/gpu.log" "$GPU_SECONDS" \
	"$work/random" "$PTXAS" "$work"
[ "$kernels" -eq 0 ] || awk '/^WRONG/ && $3 != "ptxas" { print $2, $3 }
	/^UNEXPLAINED/ { print $2, "ptxas" }' "$work/gpu.log" | sort -n -u -k1,1 |
	timeout "$SHRINK_SECONDS" xargs -P "$JOBS" -L 1 \
	timeout 60 "$work/random" "$PTXAS" "$work" shrink >"$work/shrunk.log" 2>&1 || true
middle=$(date +%s)
export SOV_CACHE_SIZE=0 SOV_NVRM=0
[ "$soft" -eq 0 ] || run_batches $((first + kernels)) "$soft" 250 "$work/soft.log" "$SOFT_SECONDS" \
	"$BUILD/tests/compiler/driver/random_kernels" rotate
end=$(date +%s)

grep -h '^UNEXPLAINED\|^WRONG\|^FAULT\|^HANG\|^DIED\|^REFUSED\|^BROKEN' \
	"$work/gpu.log" "$work/soft.log" 2>/dev/null | sort | uniq -c | sort -rn | head -n 60 || true
cat "$work/gpu.log" "$work/soft.log" 2>/dev/null | awk -v gpu=$((middle - start)) -v soft=$((end - middle)) '
	/^WRONG|^FAULT|^HANG|^DIED/ && $3 ~ /^ptxas/ { open[$2]; next }
	/^EXPLAINED/ { delete open[$2]; reasons[$3]++ }
	/^CRASH/ { crashes[$3]++ }
	/^WRONG|^FAULT|^HANG|^DIED|^REFUSED|^BROKEN/ { bad++ }
	/^batch .* interpreted/ {
		programs += $4; interpreted += $6
		for (i = 7; i < NF; i += 4) {
			names[$i]
			agree[$i] += $(i + 1); differ[$i] += $(i + 2); refused[$i] += $(i + 3)
		}
	}
	/^rotate/ { good[$2 " " $3] += $4; had[$2 " " $3] += $6; right += $4 }
	/^batch .* cpu/ { soft_programs += $4; cpu += $4 * $6 }
	END {
		for (n in open) unexplained++
		bad += unexplained
		printf "GPU: %d programs, %d interpreted, in %d s\n", programs, interpreted, gpu
		for (n in names)
			printf "  %s: %d agree, %d differ, %d rejected\n", n, agree[n], differ[n], refused[n]
		for (r in reasons) printf "  ptxas differs by a known fault, %s: %d\n", r, reasons[r]
		for (c in crashes) printf "  ptxas crashes by a known fault, %s: %d\n", c, crashes[c]
		printf "  ptxas differs for an unknown reason: %d\n", unexplained
		printf "software GPUs: %d programs, %d agree, in %d s, %.1f ms of CPU time each\n",
			soft_programs, right, soft, soft_programs ? cpu / soft_programs : 0
		for (c in had) printf "  %s: %d of %d\n", c, good[c], had[c]
		print "random: " (bad || !(programs + soft_programs) ? "FAIL" : "PASS")
		exit bad > 0
	}'
