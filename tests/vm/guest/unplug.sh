# SPDX-License-Identifier: MIT
# The card goes while somebody uses it.
. /test/common.sh
card=$(cards)
modprobe sovgpu
program /test/bin/_unplug "${card##*/}"
modprobe -r sovgpu
ok $? "sovgpu.ko unloads"
tap_done
