# SPDX-License-Identifier: MIT
# sov cdi prints a specification that hands each device on: software GPUs by SOV_SOFT, others by their device files.
. tests/tap.sh
export SOV_NVRM=0 SOV_KMOD=0 # software GPUs only
sov=$BUILD/sov
json=$BUILD/tests/tools/_json

out=$(SOV_SOFT=gh100:vram=256M,navi21,gh100:threads=1 "$sov" cdi)
ok $? "sov cdi succeeds"
echo "$out" | "$json"
ok $? "sov cdi prints valid JSON"
is "$out" '{"cdiVersion": "0.5.0", "kind": "sovgpu/gpu", "devices": [{"name": "gh100.0", "containerEdits": {"env": ["SOV_SOFT=gh100:vram=256M"]}}, '\
'{"name": "navi21.0", "containerEdits": {"env": ["SOV_SOFT=navi21"]}}, {"name": "gh100.1", "containerEdits": {"env": ["SOV_SOFT=gh100:threads=1"]}}, '\
'{"name": "all", "containerEdits": {"env": ["SOV_SOFT=gh100:vram=256M,navi21,gh100:threads=1"]}}]}' \
	"a software GPU is its entry of SOV_SOFT, with its options"
has "$(env -u SOV_SOFT "$sov" cdi)" '"name": "gh100.0", "containerEdits": {"env": ["SOV_SOFT=gh100"]}' \
	"the software GPU that is there without SOV_SOFT is its chip"
out=$(SOV_SOFT=gh100:vram=256M,gh100:threads=1 SOV_VISIBLE_DEVICES=gh100.1 "$sov" cdi)
has "$out" '"all", "containerEdits": {"env": ["SOV_SOFT=gh100:threads=1"]}' "devices that are hidden are not handed on"
# What a container gets makes the device that the specification names.
for name in gh100.0 navi21.0 gh100.1; do
	variable=$(SOV_SOFT=gh100:vram=256M,navi21,gh100:threads=1 "$sov" cdi |
		sed "s/.*\"name\": \"$name\", \"containerEdits\": {\"env\": \[\"\([^\"]*\)\".*/\1/")
	has "$(env "$variable" "$sov" devices)" "0  ${name%.*}.0 " "the variable of $name makes a $name"
done
is "$(SOV_SOFT=none "$sov" cdi 2>&1)" "sov: cdi: 0 devices; a specification has 1 to 64: see sov doctor" \
	"without a device there is no specification"
is "$("$sov" cdi x 2>&1 | head -n 1)" "sov: cdi: unexpected operand 'x'" "an operand is a usage error"
tap_done
