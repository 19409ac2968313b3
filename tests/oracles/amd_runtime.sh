#!/bin/sh
# SPDX-License-Identifier: MIT
# libsov loads and launches LLVM's code objects on the software Navi 21, in normal and in hazard
# mode: arguments, hidden arguments, LDS, private memory, atomics, at every optimisation level. awk
# computed the expected values. Fails, never skips, without clang and lld 19.
set -u
: "${BUILD:=build}"
work=$BUILD/oracles/amd-runtime
. tests/oracles/_result.sh

require_tools clang-19 ld.lld-19
rm -rf "$work"
mkdir -p "$work"

run_kernel() { # KERNEL GRID ARGUMENT... : prints the last buffer
	kernel=$1 grid=$2
	shift 2
	SOV_SOFT=navi21:vram=256M$mode timeout 120 \
		"$BUILD/sov" run --kernel "$kernel" --grid "$grid" --block 256 "$object" "$@" |
		sed -n 's/^argument.*]: //p'
}
expect() { # TEST-NAME EXPECTED GOT
	[ "$2" = "$3" ]
	result $? "-O$level${mode:+, hazard mode}: $1"
	[ "$2" = "$3" ] || echo "# expected $2, got $3"
}

for level in 0 1 2 3; do
	object=$work/O$level.co
	clang-19 -target amdgcn-amd-amdhsa -mcpu=gfx1030 -nogpulib -x cl -cl-std=CL2.0 -O$level \
		-c tests/oracles/amd_runtime.cl -o "$work/O$level.o" &&
		ld.lld-19 -shared "$work/O$level.o" -o "$object"
	result $? "-O$level: LLVM compiles the kernels"
	for mode in '' :hazard; do
		expect "saxpy reads its arguments" "1 3 5 7 9 11 13 15 ..." \
			"$(run_kernel saxpy 4 u32:1000 f32:2 buf:f32:1024:iota buf:f32:1024:fill=1:print=8)"
		expect "a kernel exchanges data through LDS and a barrier" "255 254 253 252 251 250 249 248 ..." \
			"$(run_kernel reverse 4 buf:u32:1024:iota:print=8)"
		expect "a kernel indexes private memory" \
			"$(awk 'BEGIN {
				for (i = 0; i < 8; i++) { s = 4950 + 28 * i; printf "%d ", s }
				print "..." }')" \
			"$(run_kernel squares 4 buf:u32:1024:print=8 u32:8)"
		expect "a kernel reads the number of workgroups and adds by atomics" "2304 0 0 0" \
			"$(run_kernel count 3,1,1 buf:u32:4:print=4 | sed 's/ *\.*$//')"
	done
done
echo "1..$results"
exit $failed
