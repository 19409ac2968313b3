# SPDX-License-Identifier: MIT
# scenario of check-long
# kernels: trixie-debug
# Allocations fail, one at a time: in each call of the driver, every seventh or in steps as said, and if there is a second word
# while it binds to the card, in such steps.
. /test/common.sh
card=$(cards)
address=${card##*/}
modprobe sovgpu
is "$(bound "$card")" sovgpu "sovgpu.ko binds to the card"
program /test/bin/_inject calls "${1:-7}"
echo "# calls: $(cut -d ' ' -f 1 /proc/uptime) s since the machine's start"
if [ -n "${2:-}" ]; then
	echo "$address" >/sys/bus/pci/drivers/sovgpu/unbind
	program /test/bin/_inject bind "$address" "$2"
	echo "# binding: $(cut -d ' ' -f 1 /proc/uptime) s since the machine's start"
	echo "$address" >/sys/bus/pci/drivers/sovgpu/bind
fi
program /test/bin/queue_submit
modprobe -r sovgpu
ok $? "sovgpu.ko unloads"
# Where vmalloc finds no memory the kernel says who asked, with a trace. That is no complaint about the driver.
dmesg -c | awk '/vmalloc error: |page allocation failure: / { told = 1 }
	told && sub("Call trace:", "who asked:") { told = 0 }
	{ print "guest: dmesg: " $0 }'
tap_done
