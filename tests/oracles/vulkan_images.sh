#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the test of images on another driver, Mesa's lavapipe (Debian mesa-vulkan-drivers): what the
# test expects of a shader, copies and clears holds there, too.
#	tests/oracles/vulkan_images.sh
set -eu
: "${BUILD:=build}"
. tests/oracles/_result.sh
[ -e "$BUILD/tests/vulkan/images" ] || { echo "1..0 # SKIP this build has no Vulkan driver: libvulkan-dev is missing"; exit 0; }
driver=$(find /usr/share/vulkan /usr/local/share/vulkan -name 'lvp_icd*.json' 2>/dev/null | head -n 1)
[ "$driver" ] || { echo "1..0"; echo "no lavapipe: install mesa-vulkan-drivers"; exit 1; }
status=0
out=$(VK_DRIVER_FILES="$driver" TEST_VULKAN_LOADER=1 TEST_VULKAN_OTHER=1 "$BUILD/tests/vulkan/images" 2>&1) || status=$?
echo "$out" | grep -A 3 '^not ok\|^# message' | sed 's/^/# /' || true
result $status "lavapipe gives the results that tests/userspace/vulkan/images.c expects"
echo "1..$results"
exit $failed
