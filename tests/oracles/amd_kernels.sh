#!/bin/sh
# SPDX-License-Identifier: MIT
# Code that LLVM makes runs on the software Navi 21 and gives what C gives: 32 kernels in OpenCL C
# (divergent loops, LDS and barriers, scratch, atomics, 64-bit and 16-bit floats, lanes, calls),
# compiled for gfx1030 without optimisation and with, plain and in hazard mode. Every instruction of
# them decodes and prints as llvm-objdump prints it. Fails, never skips, without clang and lld 19.
set -u
: "${BUILD:=build}"
judges=$BUILD/oracles
work=$judges/amd-kernels
. tests/oracles/_result.sh

for t in clang-19 ld.lld-19 llvm-objdump-19; do
	if ! command -v "$t" >/dev/null; then
		result 1 "$t is there (apt-get install clang-19 lld-19 llvm-19)"
		echo "1..$results"
		exit 1
	fi
done
rm -rf "$work"
mkdir -p "$work"
for level in 0 1 2 3; do
	object=$work/O$level.co
	clang-19 -target amdgcn-amd-amdhsa -mcpu=gfx1030 -nogpulib -x cl -cl-std=CL2.0 \
		-Xclang -finclude-default-header -cl-fp32-correctly-rounded-divide-sqrt -O$level \
		-c tests/oracles/amd_kernels.cl -o "$work/O$level.o" &&
		ld.lld-19 -shared "$work/O$level.o" -o "$object"
	result $? "-O$level: LLVM compiles the kernels"
	for mode in plain hazard; do
		says=$("$judges/amd_kernels" "$object" $mode)
		result $? "-O$level, $mode: the software GPU gives what C gives"
		echo "$says" | sed '$s/^/# count -O'"$level $mode"': /'
	done
	# Waits that a function begins with may be for nothing: not all are missed.
	says=$("$judges/amd_kernels" "$object" mutate)
	echo "$says" | sed '$s/^/# count -O'"$level"': /'
	echo "$says" | awk 'END { exit !($1 > 100 && $1 >= 0.95 * $3) }'
	result $? "-O$level: 95 of 100 dropped wait counters are named, or more"
	# Bytes from the comment after each instruction: address, then words.
	llvm-objdump-19 -d --mcpu=gfx1030 "$object" |
		sed -n 's/^[\t ]\+\([a-z].*[^ ]\) *\/\/ [0-9A-F]*: *\(.*\)$/\2|\1/p' |
		sed 's/ <[^>]*>|/|/; s/[\t ]*$//' >"$work/theirs"
	"$judges/amd_text" <"$work/theirs" >"$work/verdict"
	result $? "-O$level: what LLVM made decodes, prints and encodes alike"
	sed 's/^/# count -O'"$level"': /' "$work/verdict"
done
echo "1..$results"
exit $failed
