#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs ptxas's code of saxpy and reduce on the software GPU: every optimisation level, two SMs, in
# normal and in hazard mode. Uses the ptxas in PATH, and CUDA 13's if it is installed.
set -eu
: "${BUILD:=build}"
cubins=$BUILD/oracles/cubins
rm -rf "$cubins"
mkdir -p "$cubins"
command -v ptxas >/dev/null || { echo "1..0"; echo "no ptxas in PATH: run make check-oracles"; exit 1; }
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
echo "# count $(find "$cubins" -name '*.cubin' | wc -l) cubins compiled by ptxas"
"$BUILD/oracles/run_cubin" "$cubins"/*.cubin
