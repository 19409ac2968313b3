# SPDX-License-Identifier: MIT
# scenario
# kernels: trixie-backports
# kernels of check-long: trixie-debug
# card: gh100 --runlist-mode sliced
# card: gh100 --runlist-mode held
# card: gh100 --stop 1000
# What a file may have, whose time counts how, and how long it takes to stop what hangs: on a card whose groups take turns,
# one where they keep the engine as long as they like, and one that takes its time to stop.
. /test/common.sh
modprobe sovgpu
for n in 128 129 130; do
	[ -c /dev/dri/renderD$n ]
	ok $? "there is a render node $n"
done
RENDER_NODE=/dev/dri/renderD128 program /test/bin/_fair sliced
RENDER_NODE=/dev/dri/renderD129 program /test/bin/_fair held
RENDER_NODE=/dev/dri/renderD130 program /test/bin/_stuck
modprobe -r sovgpu
ok $? "sovgpu.ko unloads"
tap_done
