#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the tests of the Vulkan driver through the system's loader under the Khronos validation layers
# (Debian vulkan-validationlayers), which must report nothing.
#	tests/oracles/vulkan_layers.sh
set -eu
: "${BUILD:=build}"
. tests/oracles/_result.sh
[ -e "$BUILD/libvulkan_sov.so" ] || { echo "1..0 # SKIP this build has no Vulkan driver: libvulkan-dev is missing"; exit 0; }
layer=$(find /usr/share/vulkan /usr/local/share/vulkan -name '*khronos_validation*' 2>/dev/null | head -n 1)
[ "$layer" ] || { echo "1..0"; echo "no validation layers: install vulkan-validationlayers"; exit 1; }
library=$(find /usr/lib /usr/local/lib -name libVkLayer_khronos_validation.so 2>/dev/null | head -n 1)
export VK_DRIVER_FILES="$PWD/$BUILD/sov_icd.json" VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation TEST_VULKAN_LOADER=1
for test in "$BUILD"/tests/vulkan/*; do
	status=0
	if [ "${test##*/}" = cooperative_matrix ] && ! grep -q VK_KHR_cooperative_matrix "$library"; then
		results=$((results + 1))
		echo "ok $results - ${test##*/} # SKIP the layers are older than VK_KHR_cooperative_matrix"
		continue
	fi
	out=$("$test" 2>&1) || status=$?
	echo "$out" | grep -A 3 '^not ok\|^# message' | cut -c1-400 | sed 's/^/# /' || true
	result $status "the layers accept the calls of ${test##*/}"
done
echo "1..$results"
exit $failed
