# SPDX-License-Identifier: MIT
# sov info shows all of one device, as text and as JSON, and says when it cannot be used.
. tests/tap.sh
export SOV_NVRM=0 SOV_KMOD=0 # this is about software GPUs
sov=$BUILD/sov
json=$BUILD/tests/tools/_json
export SOV_SOFT=gh100:vram=64M,ga100:vram=64M

out=$("$sov" info)
ok $? "sov info succeeds"
has "$out" "$(printf '%-34s %s' name gh100.0)" "without a name it is the first device"
has "$out" "$(printf '%-34s %s' 'the way to it' soft)" "the way to it is shown"
has "$out" "$(printf '%-34s %s' driver 'libsov 0.')" "so is the driver"
has "$out" "$(printf '%-34s %s' 'grid, at most' '2147483647 x 65535 x 65535')" "so are the limits"
has "$out" "$(printf '%-34s %s' 'memory, bytes' 67108864)" "so is its memory"
has "$out" "free now, bytes " "and how much is free"
has "$("$sov" info ga100.0)" "$(printf '%-34s %s' 'compile for' sm_80)" "another device by name"
has "$("$sov" info 1)" "$(printf '%-34s %s' name ga100.0)" "or by ordinal"
out=$("$sov" info --json 1)
echo "$out" | "$json"
ok $? "--json is JSON"
has "$out" '"name": "ga100.0"' "JSON names the device"
has "$out" '"usable": true, "free_bytes": ' "and says how much is free"
has "$("$sov" info nosuch 2>&1)" "there is no device 'nosuch'; there are: 0 = gh100.0, 1 = ga100.0" "an unknown one is named"
out=$("$sov" info tests/fuzz/corpus/image/hand.co)
has "$out" "for gfx1030: 3 kernels, 5 variables" "of a file: what is in it"
has "$out" "24 bytes of arguments; hidden: block_count_x at 16" "and which arguments the runtime adds"
has "$out" "variable words: 16 bytes at 0x4 of data" "and where variables are"
"$sov" info --json tests/fuzz/corpus/image/saxpy_sm90.cubin | "$json"
ok $? "also of a cubin, as JSON"
out=$("$sov" info tests/kernels/saxpy.ptx 2>&1)
is "$?" 1 "a file that is no image is refused"
has "$out" "sov: info: 'tests/kernels/saxpy.ptx': cubin: " "with a sentence"
# With no room for addresses no context can be made; a sanitizer needs terabytes of them itself.
if nm "$sov" | grep -q __asan_init; then
	skip "a device that cannot be used is a failure" "sanitizers need the address space"
else
	out=$(ulimit -v 4000000 && "$sov" info)
	is $? 1 "a device that cannot be used is a failure"
	has "$out" "it cannot be used " "whose reason is shown"
fi
tap_done
