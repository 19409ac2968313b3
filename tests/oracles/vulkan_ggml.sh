#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs ggml's test-backend-ops, built with its Vulkan back end, on the Vulkan driver: each operation is
# compared with ggml's own CPU back end. The program is not part of this tree; its folder is the argument.
# SOV_SOFT selects the software GPU, OPS the operations (default: all).
#	tests/oracles/vulkan_ggml.sh FOLDER
set -eu
: "${BUILD:=build}"
. tests/oracles/_result.sh
[ $# = 1 ] || { echo "1..0 # SKIP give the folder of ggml's test-backend-ops"; exit 0; }
export VK_DRIVER_FILES="$PWD/$BUILD/sov_icd.json"
export SOV_SOFT="${SOV_SOFT:-gh100}"
work=$BUILD/oracles/vulkan_ggml.d
mkdir -p "$work"
: >"$work/log"
status=0
if [ "${OPS:-}" ]; then
	for op in $OPS; do
		"$1/test-backend-ops" test -b Vulkan0 -o "$op" >>"$work/log" 2>&1 || status=1
	done
else
	"$1/test-backend-ops" test -b Vulkan0 >"$work/log" 2>&1 || status=1
fi
# The program colours its results.
sed -i 's/\x1b\[[0-9;]*m//g' "$work/log"
grep FAIL "$work/log" | cut -c1-200 | sed 's/^/# /' || true
for word in OK FAIL "not supported"; do
	echo "# count $word: $(grep -c "): .*$word" "$work/log" || true)"
done
grep -q '): OK$' "$work/log" || status=1
result $status "every operation that the back end supports agrees with ggml's CPU back end"
echo "1..$results"
exit $failed
