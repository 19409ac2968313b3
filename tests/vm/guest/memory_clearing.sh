# SPDX-License-Identifier: MIT
# scenario
# kernels: trixie-backports
# kernels of check-long: trixie-debug
# card: gh100 --vram 320
# A card of so little memory that a test can fill all of it, and see all of it again.
. /test/common.sh
modprobe sovgpu
ok $? "sovgpu.ko loads"
program /test/bin/leftovers
modprobe -r sovgpu
ok $? "sovgpu.ko unloads"
tap_done
