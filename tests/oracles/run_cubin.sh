#!/bin/sh
# SPDX-License-Identifier: MIT
# ptxas's code for tests/kernels on the software GPU: every optimisation level, both SMs, plainly and
# with hazards checked. ptxas is the one in PATH, and CUDA 13's where it is installed.
set -eu
: "${BUILD:=build}"
cubins=$BUILD/oracles/cubins
rm -rf "$cubins"
mkdir -p "$cubins"
command -v ptxas >/dev/null || { echo "1..0"; echo "ptxas is not there: run make check-oracles"; exit 1; }
for ptxas in ptxas /usr/local/cuda/bin/ptxas; do
	command -v "$ptxas" >/dev/null || continue
	version=$("$ptxas" --version | sed -n 's/.*release \([0-9.]*\),.*/\1/p')
	for file in saxpy reduce; do
		for sm in sm_80 sm_90; do
			for level in 0 1 2 3; do
				"$ptxas" -arch=$sm -O$level tests/kernels/$file.ptx \
					-o "$cubins/ptxas-$version-O$level-$sm-$file.cubin"
			done
		done
	done
done
echo "# count $(find "$cubins" -name '*.cubin' | wc -l) cubins made by ptxas"
"$BUILD/oracles/run_cubin" "$cubins"/*.cubin
