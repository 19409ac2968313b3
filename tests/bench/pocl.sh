#!/bin/sh
# SPDX-License-Identifier: MIT
# Compares the software GPU, interpreting and translating, with pocl's CPU device: CPU milliseconds of a launch, the
# best of five, pocl's divided by ours (above 1: ours is faster), and the wall time to the first result.
# Needs pocl-opencl-icd, ocl-icd-opencl-dev and clang-19. Run it on an idle machine.
set -eu
BUILD=${BUILD:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
${CC:-cc} -O2 -D_GNU_SOURCE -I. tests/bench/_pocl.c -o "$work/pocl" -L"$BUILD" -lsov -lOpenCL -lm -Wl,-rpath,"$PWD/$BUILD"
cp tests/bench/_pocl_kernels.h "$work/kernels.cl"
"${CLANG:-clang-19}" -x cuda --cuda-device-only -nocudainc -nocudalib -S -O3 --cuda-gpu-arch=sm_80 \
	--cuda-feature=+ptx80 -I. -o "$work/kernels.ptx" tests/bench/_pocl_kernels.h 2>"$work/log" || { cat "$work/log"; exit 1; }
POCL_CACHE_DIR=$work/cache "$work/pocl" opencl "$work/kernels.cl" >"$work/opencl"
for mode in 0 1 avx2; do
	SOV_CACHE=0 SOV_SOFT=gh100 SOV_SOFT_TRANSLATE=$mode "$work/pocl" sov "$work/kernels.ptx" >"$work/sov.$mode"
done
paste -d' ' "$work/opencl" "$work/sov.0" "$work/sov.1" "$work/sov.avx2" | awk '
	BEGIN { printf "%-14s%9s%12s%12s%9s%12s%8s%8s%8s\n", "CPU ms", "pocl", "interpreted", "translated", "AVX2",
		"ratio: int.", "tr.", "AVX2", "first" }
	{
		printf "%-14s%9.2f%12.2f%12.2f%9.2f%12.2f%8.2f%8.2f%8.1f%s\n", $1, $3, $8, $13, $18, $3 / $8, $3 / $13,
			$3 / $18, $2 / $12, ($10 == $15 && $15 == $20 ? "" : "  DIFFERS") ($5 / $15 > 0.99 && $5 / $15 < 1.01 ? "" : "  pocl: " $5 ", ours: " $15)
		a += log($3 / $8); b += log($3 / $13); c += log($3 / $18); d += log($2 / $12)
	}
	END { printf "%-59s%9.2f%8.2f%8.2f%8.1f\n", "geometric mean", exp(a / NR), exp(b / NR), exp(c / NR), exp(d / NR) }'
