#!/bin/sh
# SPDX-License-Identifier: MIT
# Measures the benefit of uniform registers on a machine with a Hopper GPU, CUDA's driver, make and
# a C compiler: the kernels of tests/kernels compiled with and without them, and by ptxas if it is
# installed; codegen.c checks the values and compares the times. Then runs random kernels that
# exercise uniform registers, on the GPU by libsov and on software GPUs, against the IR interpreter.
# Ends with "uniform: PASS" or "uniform: FAIL".
#   usage: tests/silicon/uniform.sh [KERNELS]
#   Run it in the root of the sources; of the random kernels (8000) one in eight runs on the GPU.
#   environment: BUILD (build), PTXAS, JOBS (cores), CC
set -eu
export SOV_KERNEL_TIME_LIMIT="${SOV_KERNEL_TIME_LIMIT:-60s}" # a kernel has no limit on a GPU otherwise
: "${BUILD:=build}" "${JOBS:=$(nproc)}" "${CC:=cc}"
count=${1:-8000}
PTXAS=${PTXAS:-$(command -v ptxas || echo /usr/local/cuda/bin/ptxas)}
work=$BUILD/uniform
verdict=PASS
mkdir -p "$work/kernels"
make -s -j"$JOBS" BUILD="$BUILD" "$BUILD/sov" "$BUILD/libsov-all.a" \
	"$BUILD/tests/compiler/driver/uniform" >"$work/build.log" 2>&1 ||
	{ tail -n 20 "$work/build.log"; echo "uniform: FAIL: the build failed"; exit 1; }
variants="default vector"
[ ! -x "$PTXAS" ] || variants="$variants ptxas"
for ptx in tests/kernels/*.ptx; do
	to=$work/kernels/$(basename "$ptx" .ptx)
	"$BUILD/sov" compile --target sm_90 -o "$to.default.cubin" "$ptx"
	"$BUILD/sov" compile --target sm_90 --no-uniform -o "$to.vector.cubin" "$ptx"
	[ ! -x "$PTXAS" ] || "$PTXAS" -O3 -arch=sm_90 -o "$to.ptxas.cubin" "$ptx"
done
# shellcheck disable=SC2086 # CC may contain flags
$CC -O2 -std=c11 -I. -Itests/silicon tests/silicon/codegen.c -o "$work/codegen" -ldl -lm
# shellcheck disable=SC2086 # one word per variant
(cd "$work" && ./codegen $variants) || verdict=FAIL
SOV_NVRM=1 SOV_CACHE_SIZE=0 timeout 300 "$BUILD/tests/compiler/driver/uniform" 1 "$count" \
	>"$work/random.log" 2>&1 || verdict=FAIL
grep -A 3 '^not ok' "$work/random.log" | head -n 40 || true
echo "random kernels: $(grep -c '^ok' "$work/random.log") agree," \
	"$(grep -c '^not ok' "$work/random.log" || true) differ"
echo "uniform: $verdict"
[ "$verdict" = PASS ]
