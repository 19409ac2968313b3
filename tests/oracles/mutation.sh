#!/bin/sh
# SPDX-License-Identifier: MIT
# Mutation test of hazard mode on our code and ptxas's; see mutate.c.
set -eu
: "${BUILD:=build}"
cubins=$BUILD/oracles/mutation
rm -rf "$cubins"
mkdir -p "$cubins"
command -v ptxas >/dev/null || { echo "1..0"; echo "no ptxas in PATH: run make check-oracles"; exit 1; }
for file in saxpy reduce sgemm dgemm jacobi histogram scan; do
	for sm in sm_80 sm_90; do
		for level in 3; do
			ptxas -arch=$sm -O$level tests/kernels/$file.ptx -o "$cubins/O$level-$sm-$file.cubin"
		done
	done
done
"$BUILD/oracles/mutate" "$cubins"/*.cubin
