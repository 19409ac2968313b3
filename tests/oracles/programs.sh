#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs ptxas's code of programs.cu on the software GPUs: four targets, -O0 and -O3, in normal and in
# hazard mode; also linked by nvlink, which assigns addresses to functions and variables.
set -eu
: "${BUILD:=build}" "${CLANG:=clang-19}"
work=$BUILD/oracles/programs-cubins
rm -rf "$work"
mkdir -p "$work"
command -v ptxas >/dev/null || { echo "1..0"; echo "no ptxas in PATH: run make check-oracles"; exit 1; }
command -v "$CLANG" >/dev/null || CLANG=clang
"$CLANG" -x cuda --cuda-device-only -nocudainc -nocudalib -S -O3 --cuda-gpu-arch=sm_80 \
	--cuda-feature=+ptx80 tests/oracles/programs.cu -o "$work/programs.ptx" 2>"$work/messages"
for ptxas in ptxas /usr/local/cuda/bin/ptxas; do
	command -v "$ptxas" >/dev/null || continue
	version=$("$ptxas" --version | sed -n 's/.*release \([0-9.]*\),.*/\1/p')
	for sm in sm_80 sm_86 sm_89 sm_90; do
		for level in 0 3; do
			"$ptxas" -arch=$sm -O$level "$work/programs.ptx" \
				-o "$work/ptxas-$version-O$level-$sm.cubin" 2>"$work/messages"
		done
	done
done
for sm in sm_80 sm_90; do
	ptxas -c -arch=$sm "$work/programs.ptx" -o "$work/object.o" 2>"$work/messages"
	nvlink -arch=$sm "$work/object.o" -o "$work/linked-$sm.cubin" 2>"$work/messages"
done
echo "# count $(find "$work" -name '*.cubin' | wc -l) cubins made by ptxas and nvlink"
"$BUILD/oracles/programs" "$work"/*.cubin
