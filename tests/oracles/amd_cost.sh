#!/bin/sh
# SPDX-License-Identifier: MIT
# Compares the cost of our code for gfx1030 with LLVM's: clang 19 -O3 compiles the CUDA C of the
# kernels of tests/kernels to LLVM IR for AMD and llc -O3 to code; our compiler takes the PTX next
# to them. Both run on the software Navi 21, which counts the executed instructions. Prints a table,
# the distribution, geometric means and compile times. The results must be right; no figure is
# asserted. Fails, never skips, without clang and lld 19.
set -u
: "${BUILD:=build}"
work=$BUILD/oracles/amd-cost
. tests/oracles/_result.sh

require_tools clang-19 llc-19 ld.lld-19
rm -rf "$work"
mkdir -p "$work"
names=
for source in tests/kernels/*.cu; do
	name=$(basename "$source" .cu)
	names="$names $name"
	clang-19 -x hip --cuda-device-only --offload-arch=gfx1030 -nogpulib -nogpuinc -O3 \
		-mcode-object-version=5 -S -emit-llvm -o "$work/$name.ll" "$source" &&
		llc-19 -O3 -mcpu=gfx1030 -filetype=obj -o "$work/$name.o" "$work/$name.ll" &&
		ld.lld-19 -shared -o "$work/$name.co" "$work/$name.o"
	result $? "LLVM compiles $name for gfx1030"
done
# shellcheck disable=SC2086 # names without blanks
"$BUILD/oracles/amd_cost" "$work" $names >"$work/table"
result $? "our code and LLVM's of every kernel compute the right results"
sed 's/^/# /' "$work/table"
# shellcheck disable=SC2086
SOV_SOFT=navi21:vram=256M:hazard "$BUILD/oracles/amd_cost" "$work" $names >"$work/hazard"
result $? "hazard mode accepts our code and LLVM's of every kernel"
echo "1..$results"
exit $failed
