# SPDX-License-Identifier: MIT
# sov info describes a device or an image, as text and as JSON, and reports an unusable device.
. tests/tap.sh
export SOV_NVRM=0 SOV_KMOD=0 # software GPUs only
sov=$BUILD/sov
json=$BUILD/tests/tools/_json
export SOV_SOFT=gh100:vram=64M,ga100:vram=64M

out=$("$sov" info)
ok $? "sov info succeeds"
has "$out" "$(printf '%-34s %s' name gh100.0)" "sov info without an operand describes device 0"
has "$out" "$(printf '%-34s %s' winsys soft)" "sov info prints the winsys"
has "$out" "$(printf '%-34s %s' driver 'libsov 0.')" "sov info prints the driver"
has "$out" "$(printf '%-34s %s' 'max grid dimensions' '2147483647 x 65535 x 65535')" \
	"sov info prints the grid limits"
has "$out" "$(printf '%-34s %s' 'memory bytes' 67108864)" "sov info prints the memory size"
uuid=$(echo "$out" | sed -n 's/^UUID  *\([0-9a-f-]*\) (derived from name and address)$/\1/p')
is "$(echo "$uuid" | sed 's/[0-9a-f]/x/g')" "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx" "sov info prints the UUID"
is "$("$sov" info --json | grep -o '"uuid": "[^"]*"')" "\"uuid\": \"$uuid\"" "sov info --json has the same UUID"
is "$(echo "$out" | grep -E '^(PCI|L2|temperature|power|core clock|multiprocessor clock|memory clock)')" "" "sov info leaves out what a software GPU does not have"
has "$out" "$(printf '%-34s %s' 'not modelled' 'L2 cache, clocks, temperature, power')" "and says what it does not model"
has "$("$sov" info --json)" '"not_modelled": ["L2 cache", "clocks", "temperature", "power"]' "sov info --json says so, too"
if command -v script >/dev/null; then
	bold=$(printf 'name                               \033[1mgh100.0\033[0m')
	has "$(script -qec "TERM=xterm '$sov' info" /dev/null)" "$bold" "on a terminal sov info has colours"
	case $(script -qec "TERM=xterm NO_COLOR=1 '$sov' info" /dev/null; "$sov" info) in *"$(printf '\033')"*) found=1 ;; *) found=0 ;; esac
	ok $found "with NO_COLOR and without a terminal it has none"
else
	skip "on a terminal sov info has colours" "script is not installed"
fi
has "$out" "free memory bytes " "sov info prints the free memory"
has "$("$sov" info ga100.0)" "$(printf '%-34s %s' target sm_80)" "sov info finds a device by name"
has "$("$sov" info 1)" "$(printf '%-34s %s' name ga100.0)" "sov info finds a device by ordinal"
out=$("$sov" info --json 1)
echo "$out" | "$json"
ok $? "sov info --json of a device prints valid JSON"
has "$out" '"name": "ga100.0"' "sov info --json has the device name"
has "$out" '"usable": true, "free_bytes": ' "sov info --json has the free memory"
has "$("$sov" info nosuch 2>&1)" "there is no device 'nosuch'; there are: 0 = gh100.0, 1 = ga100.0" \
	"sov info of an unknown device lists the known ones"
out=$("$sov" info tests/fuzz/corpus/image/hand.co)
has "$out" "target gfx1030: 3 kernels, 5 variables" \
	"sov info FILE prints target and counts of an image"
has "$out" "24 kernarg bytes; hidden arguments: block_count_x at 16" \
	"sov info FILE prints hidden arguments of a code object"
has "$out" "variable words: 16 bytes at 0x4 of data" "sov info FILE prints the offset of variables"
"$sov" info --json tests/fuzz/corpus/image/saxpy_sm90.cubin | "$json"
ok $? "sov info --json of a cubin prints valid JSON"
# One figure of shared memory: the kernel's own, without the KiB that launches reserve on Hopper.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf '.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p) {\n.shared .b8 room[2048];\n.reg .b64 %%a;\n.reg .b32 %%r;\nld.param.u64 %%a, [p];\nld.shared.u32 %%r, [room+4];\nst.global.u32 [%%a], %%r;\nret;\n}\n' >"$work/k.ptx"
for target in sm_80 sm_90 gfx1030; do
	is "$("$sov" compile -t $target --stats -o "$work/k" "$work/k.ptx" | awk '$1 == "k" { print $5 }')" 2048 \
		"sov compile --stats for $target prints the kernel's own shared memory"
	has "$("$sov" info "$work/k")" ", 2048 bytes of shared memory, " "sov info of an image for $target prints the same"
	has "$("$sov" info --json "$work/k")" '"shared_bytes": 2048' "sov info --json of an image for $target has the same"
done
out=$("$sov" info tests/kernels/saxpy.ptx 2>&1)
is "$?" 1 "sov info rejects a file that is not an image"
has "$out" "sov: info: 'tests/kernels/saxpy.ptx': cubin: " \
	"the message about a file that is not an image names the format"
# Without address space, context creation fails; sanitizers need terabytes of it themselves.
if nm "$sov" | grep -q __asan_init; then
	skip "sov info of an unusable device exits with 1" "sanitizers need the address space"
else
	out=$(ulimit -v 4000000 && "$sov" info)
	is $? 1 "sov info of an unusable device exits with 1"
	has "$out" "unusable " "sov info prints why a device is unusable"
fi
tap_done
