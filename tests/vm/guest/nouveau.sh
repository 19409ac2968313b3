# SPDX-License-Identifier: MIT
# scenario
# kernels: trixie-backports
# card: gh100 --trap --vram 2048
# modules: nouveau
# A witness: the card under a driver that is not ours, Debian's unmodified nouveau, with the same firmware. First it
# brings the card up and leaves, then it does so with channels, and a program copies through them. The card
# refuses from it what it would refuse from us. Both windows to memory go through page tables here, so they are
# not mapped (--trap).
. /test/common.sh

card=$(cards)
milestones() { # lines of the kernel's log that must be there
	for line; do
		says "$line"
		ok $? "nouveau says: $line"
	done
}

modprobe nouveau noaccel=1
ok $? "nouveau loads, without acceleration"
is "$(bound "$card")" nouveau "it binds to the card"
milestones "NVIDIA GH100 (180000a1)" "gsp: RM version: 570.144" "drm: VRAM: 2048 MiB"
modprobe -r nouveau
ok $? "it unloads"

dmesg -c | sed 's/^/guest: dmesg: /' # the log begins anew
modprobe nouveau
ok $? "nouveau loads, with acceleration"
is "$(bound "$card")" nouveau "it binds to the card"
milestones "gsp: RM version: 570.144" "drm: MM: using COPY for buffer copies"
[ -c /dev/dri/renderD128 ]
ok $? "there is a render node"
program /test/bin/_nouveau_copy
# What the card's firmware says of a fault, as nouveau reads it: engine, Xid 31, address, page not there.
dmesg | grep -q 'gsp: rc engn:0000000[9a-d] .* type:31 .* fault_addr:0000000020000000 fault_type:00000002'
ok $? "nouveau hears which address the last copy missed"
dmesg | grep -q "_nouveau_copy.*: channel [0-9]* killed"
ok $? "and ends the channel"
milestones "gsp: mmu fault queued"
modprobe -r nouveau
ok $? "it unloads"
tap_done
