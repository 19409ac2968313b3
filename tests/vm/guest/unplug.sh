# SPDX-License-Identifier: MIT
# The card goes while somebody uses it, and the module while somebody has a fence of it.
. /test/common.sh
card=$(cards)
modprobe sovgpu
program /test/bin/_unplug "${card##*/}"
modprobe -r sovgpu
ok $? "sovgpu.ko unloads"
modprobe sovgpu
program /test/bin/_fence_kept
tap_done
