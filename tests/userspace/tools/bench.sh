# SPDX-License-Identifier: MIT
# sov bench prints every row on a software GPU, as text and as JSON.
. tests/tap.sh
. tests/userspace/tools/_page.sh
export SOV_NVRM=0 SOV_KMOD=0 # software GPUs only
sov=$BUILD/sov
json=$BUILD/tests/tools/_json
export SOV_SOFT=gh100:vram=64M

out=$("$sov" bench --repeat 3 --seconds 600)
ok $? "sov bench succeeds"
for row in "launch and wait" "issue after idle" "issue in a burst of 100" "kernel in a chain of 100"; do
	has "$out" "$row " "sov bench prints the row: $row"
done
for row in "pinned host to device" "device to pinned host" "host to device" "device to host" "device to device"; do
	is "$(echo "$out" | grep -c "^$row  *[0-9]* [KM]*i*B ")" 8 \
		"sov bench prints eight sizes of: $row"
done
is "$(echo "$out" | awk 'NR > 2 && $(NF) != 3' | wc -l)" 0 \
	"sov bench --repeat 3 takes three samples per row"
out=$("$sov" bench --repeat 2 --json --only "device to device" --largest 100)
ok $? "sov bench --only --largest --json succeeds"
echo "$out" | "$json"
ok $? "sov bench --json prints valid JSON"
is "$(echo "$out" | grep -o '"name"' | wc -l)" 2 "sov bench --only prints only the matching rows"
has "$out" '{"name": "device to device", "bytes": 64, "median_ns": ' \
	"sov bench --json reports the median in nanoseconds"
has "$("$sov" bench --only launch --largest 67108864 2>&1)" "sov: bench: allocating: SOV_ERROR_OUT_OF_MEMORY" \
	"sov bench --largest beyond device memory fails with SOV_ERROR_OUT_OF_MEMORY"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
out=$("$sov" bench --repeat 2 --largest 4096 --html "$work/page.html")
ok $? "sov bench --html succeeds"
has "$out" "launch and wait " "sov bench --html prints the rows, too"
check_page "$work/page.html" rows 24
"$sov" bench --repeat 2 --only "launch and wait" --html "$work/page.html" --json | "$json"
ok $? "sov bench --html --json prints valid JSON"
check_page "$work/page.html" rows 1
tap_done
