# SPDX-License-Identifier: MIT
# Unbinds the card while a process uses it, and unloads the module while a process holds a fence.
. /test/common.sh
card=$(cards)
modprobe sovgpu
program /test/bin/_unplug "${card##*/}"
modprobe -r sovgpu
ok $? "sovgpu.ko unloads"
modprobe sovgpu
program /test/bin/_fence_outlives_file
tap_done
