#!/bin/sh
# SPDX-License-Identifier: MIT
# make demo: compiles, disassembles and runs kernels step by step, and checks their results.
set -eu
: "${BUILD:=build}"
sov=$BUILD/sov
trap 'echo "demo: FAIL"' EXIT

step() {
	printf '\n== %s\n' "$1"
}
# check_elements FILE COUNT CONDITION: checks that FILE, the output of sov run, has COUNT elements that
# all satisfy CONDITION, an awk expression of the index i and the value v.
check_elements() {
	sed -n 's/^argument [0-9]*, [^:]*: //p' "$1" | awk -v want="$2" "{
		for (i = 0; i < NF; i++) { v = \$(i + 1) + 0; if (!($3)) { print \"element \" i \" is \" v; exit 1 } }
		if (NF != want) { print NF \" elements, not \" want; exit 1 } }"
}

step "Devices"
"$sov" devices

step "Compile PTX to native Hopper code (tests/kernels/saxpy.ptx)"
"$sov" compile --target sm_90 --stats -o "$BUILD/demo.cubin" tests/kernels/saxpy.ptx
"$sov" disasm --control "$BUILD/demo.cubin" saxpy_f32

step "Run the image: y = 2 x + y for 1000 of 1024 elements, x = 0 1 2 ..., y = 1"
"$sov" run --kernel saxpy_f32 --grid 4 --block 256 --time "$BUILD/demo.cubin" \
	u32:1000 f32:2 buf:f32:1024:iota buf:f32:1024:fill=1:print=1024 >"$BUILD/demo.saxpy"
cut -c 1-100 "$BUILD/demo.saxpy"
check_elements "$BUILD/demo.saxpy" 1024 'v == (i < 1000 ? 2 * i + 1 : 1)'

step "Shared memory, shuffles, atomics, f64: the sum of 0 ... 99999"
"$sov" run --kernel reduce_f64 --grid 8 --block 256 tests/kernels/reduce.ptx \
	u32:100000 buf:f64:100000:iota buf:f64:1:print >"$BUILD/demo.reduce"
cat "$BUILD/demo.reduce"
check_elements "$BUILD/demo.reduce" 1 'v == 4999950000'

step "The same from C (examples/saxpy.c)"
"$BUILD/examples/saxpy" | tee "$BUILD/demo.c"
[ "$(cat "$BUILD/demo.c")" = "y[1] = 3, y[1023] = 3069" ]

trap - EXIT
device=$(sed -n '1s/^[^ ]* on \(.*\), grid.*/\1/p' "$BUILD/demo.saxpy")
printf '\ndemo: PASS: all values are correct on %s\n' "$device"
