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

is "$(run 2>&1 >/dev/null)" "" "without SOV_LOG nothing is logged"
out=$(SOV_LOG=info run 2>&1 >/dev/null)
has "$out" "] 0.0" "a log line begins with thread and time"
has "$out" " device: 0 is gh100.0: " "devices are logged"
has "$out" " module: 2 kernels, " "modules are logged"
has "$out" " context: created on gh100.0" "contexts are logged"
has "$out" " context: destroyed on gh100.0" "destroyed contexts are logged"
has "$out" " stream: 1 created" "streams are logged"
has "$(SOV_LOG=launch run 2>&1)" " launch: SOV_OK: 'saxpy_f32' grid 1,1,1 block 32,1,1 shared 0" "launches are logged"
is "$(echo "$out" | grep -vc '^sov\[[0-9]*\] [0-9]*\.[0-9]\{6\} [a-z]*: ')" 0 "every log line has the same form"
out=$(SOV_LOG=copy run 2>&1 >/dev/null)
has "$out" " copy: 128 bytes " "SOV_LOG with an area logs everything of the area"
is "$(echo "$out" | grep -vc ' copy: ')" 0 "SOV_LOG with an area logs no other area"
out=$(SOV_LOG=debug,copy=off run 2>&1 >/dev/null)
is "$(echo "$out" | grep -c ' copy: ')" 0 "an area can be disabled after a level for all areas"
has "$out" " memory: 128 bytes at 0x" "other areas stay enabled when one is disabled"
out=$(SOV_LOG=call=error SOV_LOG_FILE=$dir/log "$sov" run --device nosuch --block 1 tests/kernels/saxpy.ptx 2>&1)
has "$(cat "$dir/log")" " call: SOV_ERROR_NO_DEVICE: there is no device" "the log is written to SOV_LOG_FILE"
SOV_LOG=call=error SOV_LOG_FILE=$dir/log "$sov" run --device nosuch --block 1 tests/kernels/saxpy.ptx 2>/dev/null
is "$(wc -l <"$dir/log")" 2 "SOV_LOG_FILE is appended to"
out=$(SOV_LOG=call run 2>&1 >/dev/null)
has "$out" " call: sov_device_open(ordinal=0, *device=0x" "calls are logged with their arguments, from the first on"
has "$out" " call: sov_module_get_function(module=0x" "the call log shows handles by value"
has "$out" ', name="saxpy_f32", *function=0x' "the call log shows strings and results"
has "$out" "launch={grid 1,1,1 block 32,1,1 shared 0 stream (nil) arguments 4}) = SOV_OK, " "the call log shows grid and block of launches"
is "$(echo "$out" | grep -vcE ' call: sov_[a-z_]+\(.*\) = SOV_[A-Z_]+, [0-9]+\.[0-9]{3} us$')" 0 \
	"each line of the call log has arguments, result and microseconds"
out=$(SOV_LOG=call "$sov" run --device nosuch --block 1 tests/kernels/saxpy.ptx 2>&1)
has "$out" 'sov_device_open_name(name="nosuch", device=0x' "the call log shows an unset result by its address"
has "$out" ") = SOV_ERROR_NO_DEVICE, " "the call log shows results by name"
has "$(SOV_LOG=loud "$sov" devices 2>&1)" "SOV_LOG: 'loud' is not LEVEL, AREA or AREA=LEVEL; levels: off" \
	"an unknown word in SOV_LOG is rejected"
has "$(SOV_LOG=info,=debug "$sov" devices 2>&1)" "SOV_LOG: '=debug' is not" "a level without area in SOV_LOG is rejected"
has "$(SOV_LOG=info, "$sov" devices 2>&1)" "SOV_LOG: '' is not" "an empty item in SOV_LOG is rejected"
has "$(SOV_LOG=info SOV_LOG_FILE=$dir/none/log "$sov" devices 2>&1)" "SOV_LOG_FILE: cannot write '$dir/none/log'" \
	"an unwritable SOV_LOG_FILE is an error"

# A kernel that faults, launched and then waited for: with SOV_SYNC it is the launch that fails.
fault() {
	"$sov" run --block 32 --kernel saxpy_f32 tests/kernels/saxpy.ptx u32:32 f32:2 u64:64 u64:64 2>&1
}
has "$(fault)" "sov: run: running: SOV_ERROR_FAULT: kernel 'saxpy_f32'" "a fault is reported by the wait"
has "$(SOV_SYNC=1 fault)" "sov: run: launching: SOV_ERROR_FAULT: kernel 'saxpy_f32'" "with SOV_SYNC=1 a fault is reported by the launch"
has "$(SOV_SYNC=0 fault)" "sov: run: running: SOV_ERROR_FAULT" "with SOV_SYNC=0 a fault is reported by the wait"
has "$(SOV_SYNC=yes fault)" "SOV_SYNC is 'yes'; it must be 0 or 1" "an invalid SOV_SYNC is rejected"
has "$(SOV_SYNC=1 SOV_LOG=context run 2>&1)" "created on gh100.0, synchronous" "the log reports a synchronous context"

mkdir "$dir/dump"
SOV_DUMP_DIR=$dir/dump run >/dev/null
ok $? "a kernel runs with SOV_DUMP_DIR"
stem=$(cd "$dir/dump" && echo *.ptx)
stem=$dir/dump/${stem%.ptx}
cmp -s "$stem.ptx" tests/kernels/saxpy.ptx
ok $? "the dump has the source unchanged"
"$sov" compile -o "$dir/saxpy.cubin" tests/kernels/saxpy.ptx
cmp -s "$stem.cubin" "$dir/saxpy.cubin"
ok $? "the dump has the image"
has "$(cat "$stem.ir")" "saxpy_f32" "the dump has the IR after each pass"
has "$(cat "$stem.sass")" "FFMA" "the dump has the disassembly"
case ${stem##*/} in [0-9]*-0-saxpy_f32) ok 0 "dump files are named by process, number and kernel" ;; *) ok 1 "name: $stem" ;; esac
SOV_DUMP_DIR=$dir/dump run >/dev/null
is "$(find "$dir/dump" -name '*.cubin' | wc -l)" 2 "another process does not overwrite dump files"
printf 'not a program' >"$dir/wrong.ptx"
mkdir "$dir/wrong"
SOV_DUMP_DIR=$dir/wrong "$sov" run --block 1 "$dir/wrong.ptx" >/dev/null 2>&1
is "$(cat "$dir"/wrong/*.ptx)" "not a program" "a rejected program is dumped"
mkdir "$dir/image"
SOV_DUMP_DIR=$dir/image "$sov" run --block 32 "$dir/saxpy.cubin" u32:32 f32:2 buf:f32:32 buf:f32:32 >/dev/null
is "$(cd "$dir/image" && echo * | sed 's/[0-9]*-0-saxpy_f32//g')" ".cubin .sass" "the dump of an image has no source"
sed 's/saxpy_f32/_Z5saxpy$x/' tests/kernels/saxpy.ptx >"$dir/name.ptx"
mkdir "$dir/name"
SOV_DUMP_DIR=$dir/name "$sov" run --block 32 "$dir/name.ptx" u32:32 f32:2 buf:f32:32 buf:f32:32 >/dev/null
is "$(find "$dir/name" -name '*-0-_Z5saxpy_x.cubin' | wc -l)" 1 "dump file names are sanitised"
has "$(SOV_DUMP_DIR=$dir/none "$sov" devices 2>&1)" "SOV_DUMP_DIR: '$dir/none': No such file or directory" \
	"a missing SOV_DUMP_DIR is an error"
has "$(SOV_DUMP_DIR=$dir/log "$sov" devices 2>&1)" "is not a writable directory" "an SOV_DUMP_DIR that is a file is an error"
tap_done
