# SPDX-License-Identifier: MIT
# sov devices shows the devices that SOV_SOFT asks for, as text and as JSON.
. tests/tap.sh
export SOV_NVRM=0 SOV_KMOD=0 # this is about software GPUs
sov=$BUILD/sov
json=$BUILD/tests/tools/_json

out=$(SOV_SOFT=gh100,ga100 "$sov" devices)
ok $? "sov devices succeeds"
has "$out" "0  gh100.0 " "the first soft device has ordinal 0"
has "$out" "1  ga100.0 " "the second has ordinal 1"
has "$out" "compile for  sm_90" "the Hopper model names its target"
has "$out" "compile for  sm_80" "the Ampere model too"
out=$(SOV_SOFT=gh100,ga100 "$sov" devices --json)
echo "$out" | "$json"
ok $? "--json is JSON"
has "$out" '"name": "ga100.0"' "JSON names the devices"
has "$out" '"features": ["f64"' "JSON lists features"
out=$(SOV_SOFT=gh100,ga100 SOV_VISIBLE_DEVICES=ga100.0 "$sov" devices)
has "$out" "0  ga100.0 " "SOV_VISIBLE_DEVICES lets one through, and it gets ordinal 0"
case $out in *gh100*) ok 1 "and hides the other" ;; *) ok 0 "and hides the other" ;; esac
tap_done
