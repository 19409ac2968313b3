# SPDX-License-Identifier: MIT
# sov smi shows what is known of software GPUs, and a dash for the rest.
. tests/tap.sh
export SOV_NVRM=0 SOV_KMOD=0 SOV_SOFT=gh100:vram=256M,ga100:vram=1G
sov=$BUILD/sov

out=$("$sov" smi)
ok $? "sov smi succeeds"
has "$out" "1  ga100.0 " "each device has its ordinal and name"
is "$(echo "$out" | grep -c ' UUID [0-9a-f]\{8\}-[0-9a-f]\{4\}-8[0-9a-f]\{3\}-[89ab][0-9a-f]\{3\}-[0-9a-f]\{12\}$')" 2 \
	"each device has a UUID, and no PCI address"
is "$(echo "$out" | sed -n '/USED MiB.*BUSY/{n;p}' | tr -s ' ' | sed 's/^ //')" "0 256 - - - - - -
0 1024 - - - - - -" "memory is known, and a dash stands for the rest"
out=$("$sov" smi --json)
echo "$out" | "$BUILD/tests/tools/_json"
ok $? "sov smi --json prints valid JSON"
has "$out" '"memory_bytes": 268435456, "memory_used": 0, "processes": []' "JSON has what is known and nothing else"
uuid=$(echo "$out" | sed 's/.*ga100.0.*"uuid": "\([^"]*\)".*/\1/')
has "$(SOV_SOFT=navi21,ga100 "$sov" smi --json)" "\"uuid\": \"$uuid\"" "a device keeps its UUID"
"$sov" smi all 2>/dev/null
is $? 2 "an operand is a usage error"
has "$(SOV_SOFT=none "$sov" smi)" "no devices" "sov smi says that there are no devices"
tap_done
