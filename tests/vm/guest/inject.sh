# SPDX-License-Identifier: MIT
# scenario
# kernels: trixie-debug
# results: 99
# firmware: small
# Memory allocation failures, one at a time: in each ioctl, and while the driver binds; every $1-th
# and $2-th allocation. (The real firmware image would add 15,500 pages, each with its own failure.)
. /test/common.sh
card=$(cards)
address=${card##*/}
modprobe sovgpu
is "$(bound "$card")" sovgpu "sovgpu.ko binds to the card"
program /test/bin/_inject calls "${1:-61}"
echo "$address" >/sys/bus/pci/drivers/sovgpu/unbind
program /test/bin/_inject bind "$address" "${2:-149}"
echo "$address" >/sys/bus/pci/drivers/sovgpu/bind
program /test/bin/queue_submit
modprobe -r sovgpu
ok $? "sovgpu.ko unloads"
# A failed vmalloc logs the caller with a trace, and a failed /proc file of an interrupt logs a
# warning when the interrupt is freed. Rewrite both, so that they do not count as kernel complaints.
dmesg -c | awk '/vmalloc error: |page allocation failure: / { pending = 1 }
	/WARNING: .* remove_proc_entry/ { sub("WARNING:", "missing entry:"); pending = 1 }
	pending && sub("Call trace:", "caller:") { pending = 0 }
	{ print "guest: dmesg: " $0 }'
tap_done
