#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs compute shaders on another Vulkan driver and on ours, on software GPUs, with the same random values in all buffers
# and push constants, and compares what the buffers hold afterwards (tests/oracles/_vulkan_shader.c says how near floats
# must be). Prints a line for each shader that differs or fails, and the counts. A shader that changes no buffer proves
# nothing and is not counted as agreeing. Many of the shaders take what they read as an index of a local array, or race.
#	tests/oracles/shader_results.sh MODULE.spv...
# THEIR_DRIVER is the manifest of the other driver (default: lavapipe, Debian mesa-vulkan-drivers), SEEDS the seeds.
set -eu
: "${BUILD:=build}" "${SEEDS:=1 2}"
: "${THEIR_DRIVER:=$(echo /usr/share/vulkan/icd.d/lvp_icd.*.json)}"
. tests/oracles/_result.sh
[ $# != 0 ] || { echo "1..0 # SKIP give modules, such as those that shaders.py keeps"; exit 0; }
[ -e "$THEIR_DRIVER" ] || { echo "1..0 # SKIP no $THEIR_DRIVER: install mesa-vulkan-drivers"; exit 0; }
[ -e "$BUILD/libvulkan_sov.so" ] || { echo "1..0 # SKIP this build has no Vulkan driver: libvulkan-dev is missing"; exit 0; }
work=$BUILD/oracles/shader_results.d
mkdir -p "$work"
gcc -O1 -w -o "$work/run" tests/oracles/_vulkan_shader.c -lvulkan -lm
: >"$work/log"
for module; do
	for seed in $SEEDS; do
		status=0
		VK_DRIVER_FILES=$THEIR_DRIVER "$work/run" "$module" "$seed" write "$work/theirs" >"$work/out" 2>&1 || status=$?
		if [ $status != 0 ]; then
			kind=theirs-failed
			[ $status != 3 ] || kind=unsuitable
			echo "$kind $(basename "$module") $(tail -n 1 "$work/out" | cut -c1-200)" >>"$work/log"
			break
		fi
		for chip in gh100 navi21; do
			status=0
			VK_DRIVER_FILES=$PWD/$BUILD/sov_icd.json SOV_SOFT=$chip "$work/run" "$module" "$seed" compare "$work/theirs" \
				>"$work/out" 2>&1 || status=$?
			kind=failed
			case $status in
			0) kind=equal && ! grep -q 'changed-bytes 0 ' "$work/out" || kind=idle ;;
			1) kind=different ;;
			esac
			echo "$kind $module seed $seed $chip $(tr '\n' ' ' <"$work/out" | cut -c1-300)" >>"$work/log"
		done
	done
done
grep -E '^(different|failed|theirs-failed)' "$work/log" | sed 's/^/# /' || true
for kind in equal idle different failed theirs-failed unsuitable; do
	echo "# count $kind: $(grep -c "^$kind " "$work/log" || true)"
done
agree=$(awk '$1 == "equal" { n[$2]++ } $1 == "different" || $1 == "failed" { bad[$2] = 1 }
	END { for (m in n) agree += !(m in bad); print agree + 0 }' "$work/log")
echo "# shaders that agree on both chips in all runs: $agree"
[ "$agree" -gt 0 ]
result $? "some shader's results agree with those of the other driver"
echo "1..$results"
exit $failed
