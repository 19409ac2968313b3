#!/bin/sh
# SPDX-License-Identifier: MIT
# Compares the software GPU, interpreting and translating, with pocl's CPU device, whose launches alternate with
# ours: CPU milliseconds of a launch, the best of fifteen, and pocl's of the same run divided by ours (above 1: ours is
# faster), and pocl's wall time to the first result divided by ours.
# Needs pocl-opencl-icd, ocl-icd-opencl-dev and clang-19. MODES: values of SOV_SOFT_TRANSLATE.
set -eu
BUILD=${BUILD:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
${CC:-cc} -O2 -D_GNU_SOURCE -I. tests/bench/_pocl.c -o "$work/pocl" -L"$BUILD" -lsov -lOpenCL -lm -Wl,-rpath,"$PWD/$BUILD"
cp tests/bench/_pocl_kernels.h "$work/kernels.cl"
"${CLANG:-clang-19}" -x cuda --cuda-device-only -nocudainc -nocudalib -S -O3 --cuda-gpu-arch=sm_80 \
	--cuda-feature=+ptx80 -I. -o "$work/kernels.ptx" tests/bench/_pocl_kernels.h 2>"$work/log" || { cat "$work/log"; exit 1; }
for mode in ${MODES:-0 1 avx2}; do
	POCL_CACHE_DIR=$work/cache.$mode SOV_CACHE=0 SOV_SOFT=gh100 SOV_SOFT_TRANSLATE=$mode "$work/pocl" \
		"$work/kernels.cl" "$work/kernels.ptx" >"$work/$mode"
	awk -v mode="$mode" '
		BEGIN { printf "%-14s%9s%9s%8s%8s   SOV_SOFT_TRANSLATE=%s\n", "CPU ms", "pocl", "ours", "ratio", "first", mode }
		{
			printf "%-14s%9.2f%9.2f%8.2f%8.1f%s\n", $1, $3, $6, $3 / $6, $2 / $5,
				($4 / $7 > 0.99 && $4 / $7 < 1.01 ? "" : "  pocl: " $4 ", ours: " $7)
			ratio += log($3 / $6); first += log($2 / $5)
		}
		END { printf "%-32s%8.2f%8.1f\n", "geometric mean", exp(ratio / NR), exp(first / NR) }' "$work/$mode"
done
