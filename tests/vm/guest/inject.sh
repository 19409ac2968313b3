# SPDX-License-Identifier: MIT
# scenario
# kernels: trixie-debug
# firmware: small
# Allocations fail, one at a time: in each call of the driver, and while it binds to the card; some of them, in steps as said. (The
# whole image would be of 15,500 pages, each with its own failure.)
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
# Where vmalloc finds no memory the kernel says who asked, with a trace. Where it found none for a file of an interrupt's in
# /proc it says so when the interrupt goes. Neither is a complaint about the driver.
dmesg -c | awk '/vmalloc error: |page allocation failure: / { told = 1 }
	/WARNING: .* remove_proc_entry/ { sub("WARNING:", "not there:"); told = 1 }
	told && sub("Call trace:", "who asked:") { told = 0 }
	{ print "guest: dmesg: " $0 }'
tap_done
