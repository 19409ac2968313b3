# SPDX-License-Identifier: MIT
# scenario
# kernels: trixie-backports
# results: 34
# card: gh100 --trap --vram 2048
# modules: nouveau
# Cross-check of the modelled card with another driver: Debian's unmodified nouveau with the same
# firmware. nouveau first binds and unbinds without channels, then with channels, and a program
# copies through them. The card checks nouveau's accesses as it checks sovgpu's. BAR1 goes through
# page tables here, so it is not mapped directly (--trap).
. /test/common.sh

card=$(cards)
milestones() { # texts that the kernel's log must contain
	for line; do
		says "$line"
		ok $? "nouveau logs: $line"
	done
}

modprobe nouveau noaccel=1
ok $? "nouveau loads without acceleration"
is "$(bound "$card")" nouveau "nouveau binds to the card"
milestones "NVIDIA GH100 (180000a1)" "gsp: RM version: 570.144" "drm: VRAM: 2048 MiB"
modprobe -r nouveau
ok $? "nouveau unloads"

dmesg -c | sed 's/^/guest: dmesg: /' # clear the log
modprobe nouveau
ok $? "nouveau loads with acceleration"
is "$(bound "$card")" nouveau "nouveau binds to the card"
milestones "gsp: RM version: 570.144" "drm: MM: using COPY for buffer copies"
[ -c /dev/dri/renderD128 ]
ok $? "nouveau registers a render node"
program /test/bin/_nouveau_copy
# The fault event of the card's firmware as nouveau decodes it: engine, Xid 31, address, page not
# present.
dmesg | grep -q 'gsp: rc engn:0000000[9a-d] .* type:31 .* fault_addr:0000000020000000 fault_type:00000002'
ok $? "nouveau logs the fault address of the failed copy"
dmesg | grep -q "_nouveau_copy.*: channel [0-9]* killed"
ok $? "nouveau kills the channel of the failed copy"
milestones "gsp: mmu fault queued"
modprobe -r nouveau
ok $? "nouveau unloads"
tap_done
