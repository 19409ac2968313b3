# SPDX-License-Identifier: MIT
# sov devices lists the software GPUs of SOV_SOFT, as text and as JSON.
. tests/tap.sh
export SOV_NVRM=0 SOV_KMOD=0 # software GPUs only
sov=$BUILD/sov
json=$BUILD/tests/tools/_json

out=$(SOV_SOFT=gh100,ga100 "$sov" devices)
ok $? "sov devices succeeds"
has "$out" "0  gh100.0 " "the first software GPU of SOV_SOFT has ordinal 0"
has "$out" "1  ga100.0 " "the second software GPU of SOV_SOFT has ordinal 1"
has "$out" "target           sm_90" "sov devices prints target sm_90 for gh100"
has "$out" "target           sm_80" "sov devices prints target sm_80 for ga100"
out=$(SOV_SOFT=gh100,ga100 "$sov" devices --json)
echo "$out" | "$json"
ok $? "sov devices --json prints valid JSON"
has "$out" '"name": "ga100.0"' "sov devices --json has device names"
has "$out" '"features": ["f64", "f16"' "sov devices --json lists features"
out=$(SOV_SOFT=gh100,ga100 SOV_VISIBLE_DEVICES=ga100.0 "$sov" devices)
has "$out" "0  ga100.0 " "a device that SOV_VISIBLE_DEVICES selects gets ordinal 0"
case $out in *gh100*) found=1 ;; *) found=0 ;; esac
ok $found "SOV_VISIBLE_DEVICES hides devices that it does not name"
is "$(SOV_SOFT=none "$sov" devices --json 2>/dev/null)" "[]" "sov devices --json without a device prints an empty list"
tap_done
