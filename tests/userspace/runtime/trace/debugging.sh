# SPDX-License-Identifier: MIT
# SOV_LOG tells what happens, in the areas and as much as asked for; SOV_DUMP_DIR keeps every program.
. tests/tap.sh
sov=$BUILD/sov
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export SOV_SOFT=gh100:vram=64M
run() { # a kernel, once
	"$sov" run --block 32 --kernel saxpy_f32 "$@" tests/kernels/saxpy.ptx u32:32 f32:2 buf:f32:32:iota buf:f32:32
}

is "$(run 2>&1 >/dev/null)" "" "without SOV_LOG nothing is said"
out=$(SOV_LOG=info run 2>&1 >/dev/null)
has "$out" "] 0.0" "a line begins with thread and time"
has "$out" " device: 0 is gh100.0: " "devices are logged"
has "$out" " module: 2 kernels, " "modules are logged"
has "$out" " context: created on gh100.0" "contexts are logged"
has "$out" " context: destroyed on gh100.0" "also their end"
has "$out" " stream: 1 created" "streams are logged"
has "$(SOV_LOG=launch run 2>&1)" " launch: SOV_OK: 'saxpy_f32' grid 1,1,1 block 32,1,1 shared 0" "launches are logged"
is "$(echo "$out" | grep -vc '^sov\[[0-9]*\] [0-9]*\.[0-9]\{6\} [a-z]*: ')" 0 "every line has the same form"
out=$(SOV_LOG=copy run 2>&1 >/dev/null)
has "$out" " copy: 128 bytes " "an area alone means everything of it"
is "$(echo "$out" | grep -vc ' copy: ')" 0 "and nothing of the others"
out=$(SOV_LOG=debug,copy=off run 2>&1 >/dev/null)
is "$(echo "$out" | grep -c ' copy: ')" 0 "an area can be silenced behind a level for all"
has "$out" " memory: 128 bytes at 0x" "while others are not"
out=$(SOV_LOG=call=error SOV_LOG_FILE=$dir/log "$sov" run --device nosuch --block 1 tests/kernels/saxpy.ptx 2>&1)
has "$(cat "$dir/log")" " call: SOV_ERROR_NO_DEVICE: there is no device" "SOV_LOG_FILE takes the lines"
SOV_LOG=call=error SOV_LOG_FILE=$dir/log "$sov" run --device nosuch --block 1 tests/kernels/saxpy.ptx 2>/dev/null
is "$(wc -l <"$dir/log")" 2 "and is appended to"
out=$(SOV_LOG=call run 2>&1 >/dev/null)
has "$out" " call: sov_device_open(ordinal=0, *device=0x" "calls are logged with their arguments, from the first on"
has "$out" " call: sov_module_get_function(module=0x" "handles by their value"
has "$out" ', name="saxpy_f32", *function=0x' "texts and answers as they are"
has "$out" "launch={grid 1,1,1 block 32,1,1 shared 0 stream (nil) arguments 4}) = SOV_OK, " "launches by their shape"
is "$(echo "$out" | grep -vcE ' call: sov_[a-z_]+\(.*\) = SOV_[A-Z_]+, [0-9]+\.[0-9]{3} us$')" 0 \
	"each line has arguments, result and microseconds"
out=$(SOV_LOG=call "$sov" run --device nosuch --block 1 tests/kernels/saxpy.ptx 2>&1)
has "$out" 'sov_device_open_name(name="nosuch", device=0x' "an answer that did not come is shown by its place"
has "$out" ") = SOV_ERROR_NO_DEVICE, " "and a result by its name"
has "$(SOV_LOG=loud "$sov" devices 2>&1)" "SOV_LOG: 'loud' is not LEVEL, AREA or AREA=LEVEL; levels: off" \
	"an unknown word is refused"
has "$(SOV_LOG=info,=debug "$sov" devices 2>&1)" "SOV_LOG: '=debug' is not" "so is a level without area"
has "$(SOV_LOG=info, "$sov" devices 2>&1)" "SOV_LOG: '' is not" "and an empty item"
has "$(SOV_LOG=info SOV_LOG_FILE=$dir/none/log "$sov" devices 2>&1)" "SOV_LOG_FILE: cannot write '$dir/none/log'" \
	"a log that cannot be written is an error"

# A kernel that faults, launched and then waited for: with SOV_SYNC it is the launch that fails.
fault() {
	"$sov" run --block 32 --kernel saxpy_f32 tests/kernels/saxpy.ptx u32:32 f32:2 u64:64 u64:64 2>&1
}
has "$(fault)" "sov: run: running: SOV_ERROR_FAULT: kernel 'saxpy_f32'" "a fault is found by the wait"
has "$(SOV_SYNC=1 fault)" "sov: run: launching: SOV_ERROR_FAULT: kernel 'saxpy_f32'" "with SOV_SYNC by the launch"
has "$(SOV_SYNC=0 fault)" "sov: run: running: SOV_ERROR_FAULT" "SOV_SYNC=0 is as usual"
has "$(SOV_SYNC=yes fault)" "SOV_SYNC is 'yes'; it must be 0 or 1" "another value is refused"
has "$(SOV_SYNC=1 SOV_LOG=context run 2>&1)" "created on gh100.0, synchronous" "the log tells of it"

mkdir "$dir/dump"
SOV_DUMP_DIR=$dir/dump run >/dev/null
ok $? "a kernel runs while its program is dumped"
stem=$(cd "$dir/dump" && echo *.ptx)
stem=$dir/dump/${stem%.ptx}
cmp -s "$stem.ptx" tests/kernels/saxpy.ptx
ok $? "the source is there as it came"
"$sov" compile -o "$dir/saxpy.cubin" tests/kernels/saxpy.ptx
cmp -s "$stem.cubin" "$dir/saxpy.cubin"
ok $? "so is the image"
has "$(cat "$stem.ir")" "saxpy_f32" "so is what the passes make of it"
has "$(cat "$stem.sass")" "FFMA" "so is the machine code"
case ${stem##*/} in [0-9]*-0-saxpy_f32) ok 0 "named by process, number and kernel" ;; *) ok 1 "name: $stem" ;; esac
SOV_DUMP_DIR=$dir/dump run >/dev/null
is "$(find "$dir/dump" -name '*.cubin' | wc -l)" 2 "another process leaves them alone"
printf 'not a program' >"$dir/wrong.ptx"
mkdir "$dir/wrong"
SOV_DUMP_DIR=$dir/wrong "$sov" run --block 1 "$dir/wrong.ptx" >/dev/null 2>&1
is "$(cat "$dir"/wrong/*.ptx)" "not a program" "a program that is refused is dumped too"
mkdir "$dir/image"
SOV_DUMP_DIR=$dir/image "$sov" run --block 32 "$dir/saxpy.cubin" u32:32 f32:2 buf:f32:32 buf:f32:32 >/dev/null
is "$(cd "$dir/image" && echo * | sed 's/[0-9]*-0-saxpy_f32//g')" ".cubin .sass" "an image has no source"
sed 's/saxpy_f32/_Z5saxpy$x/' tests/kernels/saxpy.ptx >"$dir/name.ptx"
mkdir "$dir/name"
SOV_DUMP_DIR=$dir/name "$sov" run --block 32 "$dir/name.ptx" u32:32 f32:2 buf:f32:32 buf:f32:32 >/dev/null
is "$(find "$dir/name" -name '*-0-_Z5saxpy_x.cubin' | wc -l)" 1 "a file's name has harmless letters only"
has "$(SOV_DUMP_DIR=$dir/none "$sov" devices 2>&1)" "SOV_DUMP_DIR: '$dir/none': No such file or directory" \
	"a folder that is not there is an error"
has "$(SOV_DUMP_DIR=$dir/log "$sov" devices 2>&1)" "is no folder that can be written to" "so is a file"
tap_done
