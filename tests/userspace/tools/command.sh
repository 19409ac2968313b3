# SPDX-License-Identifier: MIT
# Command line of sov: help of every verb, message and exit status of every usage error.
. tests/tap.sh
sov=$BUILD/sov
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# refused STATUS MESSAGE WORD... : checks the exit status and the first line on standard error.
refused() {
	want=$1 message=$2
	shift 2
	"$sov" "$@" >"$work/out" 2>"$work/err"
	is "$? $(head -n 1 "$work/err")" "$want $message" "usage error or failure of: sov $*"
	[ ! -s "$work/out" ] || { ok 1 "a failing sov command prints nothing on standard output"; diag "$(cat "$work/out")"; }
}

out=$("$sov" --help)
is $? 0 "sov --help succeeds"
for verb in devices info doctor top trace compile disasm run bench ptxas link cdi profile check; do
	has "$out" "  $verb " "sov --help lists $verb"
	has "$("$sov" $verb --help)" "Usage: sov $verb " "sov $verb --help prints its usage"
	has "$("$sov" $verb -h)" "-h, --help" "sov $verb -h lists --help"
done
has "$("$sov" run --help)" "buf:TYPE:COUNT" "sov run --help explains arguments"
for verb in devices info doctor top trace compile disasm run bench ptxas link cdi profile check; do
	for option in $("$sov" $verb --help | grep -oE '^ .{4}--[a-z]+' | sed 's/.*--//'); do
		[ "$option" = help ] || grep -q "\\\\-\\\\-$option" docs/man/sov.1
		ok $? "sov(1) documents --$option of sov $verb"
	done
done
is "$("$sov" --version)" "sov $(make -s --no-print-directory version)" "sov --version prints the version of the build"
is "$("$sov" help)" "$("$sov" --help)" "sov help prints what sov --help prints"
is "$("$sov" help run)" "$("$sov" run --help)" "sov help run prints what sov run --help prints"
refused 2 "sov: unknown verb 'fly'; known: devices info doctor top trace compile disasm run bench ptxas link run-cuda cuda-env smi cdi profile check" help fly
refused 2 "sov: help: unexpected operand 'top'" help run top

refused 2 "sov: no verb; known: devices info doctor top trace compile disasm run bench ptxas link run-cuda cuda-env smi cdi profile check"
refused 2 "sov: unknown verb 'fly'; known: devices info doctor top trace compile disasm run bench ptxas link run-cuda cuda-env smi cdi profile check" fly
refused 2 "sov: devices: unknown option '--jsn'" devices --jsn
refused 2 "sov: devices: unexpected operand 'x'" devices x
refused 2 "sov: devices: option '--json' takes no value, but got '1'" devices --json=1
refused 2 "sov: info: unexpected operand 'y'" info x y
refused 2 "sov: bench: unexpected operand 'x'" bench x
refused 2 "sov: bench: repeat '0' is not an integer from 1 to 1000000" bench --repeat 0
refused 2 "sov: bench: seconds 'x' is not an integer from 1 to 3600" bench --seconds x
refused 2 "sov: bench: largest '3' is not an integer from 4 to 68719476736" bench --largest 3
refused 2 "sov: bench: no row has 'zzz' in its name; rows: launch and wait, issue after idle, issue in a burst of 100, kernel in a chain of 100, pinned host to device, device to pinned host, host to device, device to host, device to device" bench --only zzz
SOV_SOFT=none SOV_NVRM=0 SOV_KMOD=0 refused 1 "sov: devices: no devices; check SOV_VISIBLE_DEVICES and SOV_SOFT, or run sov doctor" devices
refused 2 "sov: compile: missing operand: SOURCE" compile
refused 2 "sov: compile: unexpected operand 'b'" compile a b
refused 2 "sov: compile: option '--target' needs a value: TARGET" compile a --target
refused 2 "sov: compile: nothing to do: give -o FILE, --stats, --json or --print PASS" compile a.ptx
refused 2 "sov: compile: --json and --print both write to standard output; use only one" compile a.ptx --json --print ssa-construction
refused 1 "sov: compile: cannot read '$work/none.ptx': No such file or directory" compile --stats \
	"$work/none.ptx"
refused 1 "sov: compile: cannot read '$work': Is a directory" compile --stats "$work"
refused 1 "sov: compile: cannot write '$work/no/x.cubin': No such file or directory" \
	compile -o "$work/no/x.cubin" tests/kernels/saxpy.ptx
refused 2 "sov: disasm: missing operand: FILE" disasm
refused 2 "sov: disasm: unexpected operand 'c'" disasm a b c
refused 1 "sov: disasm: cannot read 'none.cubin': No such file or directory" disasm none.cubin
refused 2 "sov: run: missing operand: FILE" run
refused 2 "sov: run: missing option: --block X[,Y[,Z]]" run a.ptx
refused 2 "sov: run: block '0' is not an integer from 1 to 4294967295" run --block 0 a.ptx
refused 2 "sov: run: grid '1,2,3,4' is not X, X,Y or X,Y,Z" run --block 1 --grid 1,2,3,4 a.ptx
refused 2 "sov: run: grid '' is not an integer from 1 to 4294967295" run --block 1 --grid 1, a.ptx
refused 2 "sov: run: shared memory 'x' is not an integer from 0 to 4294967295" run --block 1 --shared x a.ptx
refused 2 "sov: run: limit '0' is not an integer from 1 to 18446744073" run --block 1 --limit 0 a.ptx

# Kernel arguments.
argument() { # word, message
	refused 2 "sov: run: argument 0 '$1': $2" run --block 1 a.ptx "$1"
}
argument 5 "not TYPE:VALUE or buf:TYPE:COUNT[:ITEM]..."
argument buf "not TYPE:VALUE or buf:TYPE:COUNT[:ITEM]..."
argument u31:5 "unknown type 'u31'; known: u8 s8 u16 s16 u32 s32 u64 s64 f32 f64"
argument u8:256 "'256' is not a value of type u8"
argument u32:-1 "'-1' is not a value of type u32"
argument s8:-129 "'-129' is not a value of type s8"
argument s64:9223372036854775808 "'9223372036854775808' is not a value of type s64"
argument u32: "'' is not a value of type u32"
argument "u32: 1" "' 1' is not a value of type u32"
argument f32:1.5x "'1.5x' is not a value of type f32"
argument buf:f32:0 "'0' is not a valid number of elements"
argument buf:f32:1T "'1T' is not a valid number of elements"
argument buf:f32:1025G "'1025G' is not a valid number of elements"
argument buf:f32:8:ramp "unknown item 'ramp'; known: zero iota random fill file print out"
argument buf:f32:8:fill "'fill' needs a value after '='"
argument buf:f32:8:out= "'out' needs a value after '='"
argument buf:f32:8:iota=3 "'iota' takes no value"
argument buf:u8:8:fill=300 "'300' is not a value of type u8"
argument buf:f32:8:random=x "seed 'x' is not an unsigned integer"
argument buf:f32:8:iota:fill=1 "a buffer takes only one of iota, random, fill and file"
argument buf:f32:8:print=0 "'0' is not a valid number of elements"

# Failing writes are errors.
if [ -e /dev/full ]; then
	is "$("$sov" devices 2>&1 >/dev/full)" \
		"sov: devices: cannot write to standard output: No space left on device" \
		"sov devices reports a full disk on standard output"
	# A symbolic link protects /dev/full itself if the test fails.
	ln -s /dev/full "$work/full"
	is "$("$sov" compile -o "$work/full" tests/kernels/saxpy.ptx 2>&1)" \
		"sov: compile: cannot write '$work/full': No space left on device" \
		"sov compile reports a device that is full"
	[ -L "$work/full" ]
	ok $? "sov compile does not remove a device after a failed write"
fi
tap_done
