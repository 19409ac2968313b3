# SPDX-License-Identifier: MIT
# scenario
# kernels: trixie-backports
# results: 40
# kernels of check-long: trixie-debug
# card: gh100 --runlist-mode sliced
# card: gh100 --runlist-mode held
# card: gh100 --stop 1000
# Time limits and time slices: on a card that time-slices its groups, on one where a group keeps the
# engine while it has work, and on one that needs a second to stop a group.
. /test/common.sh
modprobe sovgpu
for n in 128 129 130; do
	[ -c /dev/dri/renderD$n ]
	ok $? "render node $n exists"
done
RENDER_NODE=/dev/dri/renderD128 program /test/bin/_time_slices sliced
RENDER_NODE=/dev/dri/renderD129 program /test/bin/_time_slices held
RENDER_NODE=/dev/dri/renderD130 program /test/bin/_hung_groups
modprobe -r sovgpu
ok $? "sovgpu.ko unloads"
tap_done
