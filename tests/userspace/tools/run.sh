# SPDX-License-Identifier: MIT
# sov run launches kernels from PTX and images: buffer contents, files, output and errors.
. tests/tap.sh
export SOV_NVRM=0 SOV_KMOD=0 # software GPUs only
sov=$BUILD/sov
json=$BUILD/tests/tools/_json
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
saxpy="tests/kernels/saxpy.ptx"

# values OPTION... : runs a kernel and prints only the lines of buffers
values() {
	"$sov" run "$@" | sed -n 's/^argument //p'
}
is "$(values --kernel saxpy_f32 --block 8 $saxpy u32:6 f32:2.5 buf:f32:8:iota buf:f32:8:fill=1:print)" \
	"3, f32[8]: 1 3.5 6 8.5 11 13.5 1 1" "saxpy_f32 from PTX changes only the first n elements"
is "$(values --kernel saxpy_f64 --grid 2 --block 3 $saxpy u32:6 f64:0.1 buf:f64:6:iota buf:f64:6:print=3)" \
	"3, f64[6]: 0 0.1 0.2 ..." \
	"saxpy_f64 in two blocks is correct, and print=3 prints three elements"
is "$(values --kernel saxpy_f32 --block 4 $saxpy u32:4 f32:1 buf:f32:4:fill=inf buf:f32:4:iota:print)" \
	"3, f32[4]: inf inf inf inf" "sov run prints infinities as inf"
is "$(values --kernel reduce_f64 --grid 3 --block 96 tests/kernels/reduce.ptx u32:1000 buf:f64:1000:iota \
	buf:f64:1:fill=0.5:print)" "2, f64[1]: 499500.5" \
	"reduce_f64 adds to the initial value of its result"
"$sov" compile -o "$work/cubin" $saxpy
is "$(values --kernel saxpy_f32 --block 8 "$work/cubin" u32:8 f32:-1 buf:f32:8:iota buf:f32:8:print)" \
	"3, f32[8]: 0 -1 -2 -3 -4 -5 -6 -7" "sov run launches a kernel of an image"
is "$(values --serial --kernel saxpy_f32 --block 4 $saxpy u32:4 f32:2 buf:f32:4:iota buf:f32:4:print)" \
	"3, f32[4]: 0 2 4 6" "serial code computes the same"
is "$(SOV_SOFT=gh100,ga100 "$sov" run --device ga100.0 --kernel saxpy_f32 --block 4 $saxpy u32:4 f32:2 \
	buf:f32:4:iota buf:f32:4:print | sed -n 's/^argument //p; s/^saxpy_f32 on \([^ ]*\).*/\1/p' | tr '\n' ' ')" \
	"ga100.0 3, f32[4]: 0 2 4 6 " "sov run --device accepts a device name"
is "$(SOV_SOFT=gh100,ga100 "$sov" run -d 1 --kernel saxpy_f32 --block 4 $saxpy u32:4 f32:2 buf:f32:4 buf:f32:4 |
	sed -n 's/^saxpy_f32 on \([^ ]*\).*/\1/p')" "ga100.0" "sov run --device accepts an ordinal"
has "$("$sov" run --time --block 4 $saxpy u32:4 f32:2 buf:f32:4 buf:f32:4)" "time: " \
	"sov run --time prints the run time"

# Files and seeds.
"$sov" run --kernel saxpy_f32 --block 32 $saxpy u32:32 f32:0 buf:f32:32 buf:f32:32:random=7:out="$work/a" >"$work/out"
ok $? "sov run writes a buffer with out=PATH"
"$sov" run --kernel saxpy_f32 --block 32 $saxpy u32:32 f32:0 buf:f32:32 buf:f32:32:random=7:out="$work/b" >"$work/out"
cmp -s "$work/a" "$work/b"
ok $? "random=SEED repeats its numbers"
"$sov" run --kernel saxpy_f32 --block 32 $saxpy u32:32 f32:0 buf:f32:32 buf:f32:32:random=8:out="$work/b" >"$work/out"
cmp -s "$work/a" "$work/b"
[ $? -eq 1 ]
ok $? "another SEED gives different numbers"
"$sov" run --kernel saxpy_f32 --block 32 $saxpy u32:32 f32:0 buf:f32:32 buf:f32:32:file="$work/a":out="$work/b" >"$work/out"
cmp -s "$work/a" "$work/b"
ok $? "file=PATH reads the file that out=PATH wrote"

"$sov" run --json --time --kernel saxpy_f32 --block 4 $saxpy u32:4 f32:1 buf:f32:4:fill=nan buf:f32:4:print |
	tee "$work/json" | "$json"
ok $? "sov run --json prints valid JSON for NaN values"
has "$(cat "$work/json")" '"values": ["nan", "nan", "nan", "nan"]' \
	"sov run --json prints NaN as a string"
has "$(cat "$work/json")" '"grid": [1, 1, 1], "block": [4, 1, 1]' \
	"sov run --json has grid and block dimensions"

refused() { # part of the message, words
	want=$1
	shift
	out=$("$sov" run "$@" 2>&1)
	is $? 1 "exit status 1 of: sov run $*"
	has "$out" "$want" "sov run prints '$want' for: $*"
}
a="buf:f32:4"
refused "cannot read 'none.ptx': No such file or directory" --block 1 none.ptx
refused "SOV_ERROR_NOT_FOUND" --kernel nosuch --block 1 $saxpy u32:4 f32:2 $a $a
refused "SOV_ERROR_INVALID_LAUNCH" --kernel saxpy_f32 --block 1 $saxpy u32:4 f32:2 $a
refused "SOV_ERROR_INVALID_LAUNCH" --kernel saxpy_f32 --block 1 $saxpy u64:4 f32:2 $a $a
refused "SOV_ERROR_INVALID_LAUNCH" --kernel saxpy_f32 --block 2048 $saxpy u32:4 f32:2 $a $a
refused "SOV_ERROR_FAULT" --kernel saxpy_f32 --block 256 --grid 4096 $saxpy u32:1000000 f32:2 $a $a
refused "opening the device: SOV_ERROR_" --device nosuch --block 1 $saxpy
refused "argument 3: '$work/a' has 128 bytes, 4 elements of type f32 need 16" \
	--kernel saxpy_f32 --block 1 $saxpy u32:4 f32:2 $a $a:file="$work/a"
tap_done
