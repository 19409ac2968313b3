# SPDX-License-Identifier: MIT
# scenario
# kernels: trixie-backports trixie-debug
. /test/common.sh
modprobe sovgpu
program /test/bin/limits
program /test/bin/fdinfo
program /test/bin/group_create
program /test/bin/queue_state
modprobe -r sovgpu
ok $? "sovgpu.ko unloads"
tap_done
