# SPDX-License-Identifier: MIT
# scenario
# kernels: trixie-backports
# results: 24
# kernels of check-long: trixie-debug
# card: gh100 --vram 320
# A card with so little VRAM that the test can allocate all of it, and all of it again.
. /test/common.sh
modprobe sovgpu
ok $? "sovgpu.ko loads"
program /test/bin/memory_clearing
modprobe -r sovgpu
ok $? "sovgpu.ko unloads"
tap_done
