#!/bin/sh
# SPDX-License-Identifier: MIT
# Compares the time of fences and contended atomics in ptxas's code and in ours, on the first GPU
# under NVIDIA's driver: contention.cu compiled by nvcc, and its PTX by sov.
#   usage: tests/silicon/contention.sh [ANOTHER_SOV]...     environment: NVCC (nvcc), ARCH (sm_90)
set -eu
export SOV_KERNEL_TIME_LIMIT="${SOV_KERNEL_TIME_LIMIT:-60s}" # a kernel has no limit on a GPU otherwise
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nvcc=${NVCC:-nvcc} arch=${ARCH:-sm_90}
timeout 300 make -s -j"$(nproc)" BUILD="$work/build" "$work/build/sov" >"$work/log" 2>&1 || { tail -n 20 "$work/log"; exit 1; }
cc -O2 -I. -Itests/silicon -o "$work/contention" tests/silicon/contention.c -ldl -lm
"$nvcc" -arch="$arch" -cubin -o "$work/ptxas.cubin" tests/silicon/contention.cu
"$nvcc" -arch="$arch" -ptx -o "$work/contention.ptx" tests/silicon/contention.cu
set -- "$work/build/sov" "$@"
cubins=$work/ptxas.cubin
for sov; do
	cubin=$work/$(echo "$sov" | cksum | cut -d ' ' -f 1).cubin
	"$sov" compile --target "$arch" -o "$cubin" "$work/contention.ptx"
	cubins="$cubins $cubin"
done
echo "columns: ptxas, $*; then ptxas's time divided by each"
# shellcheck disable=SC2086 # a list of files
timeout 120 "$work/contention" $cubins
