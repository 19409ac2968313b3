# SPDX-License-Identifier: MIT
# scenario
# Bound and unbound again and again, memory comes back each time; wrong and missing firmware are named.
. /test/common.sh
card=$(cards)
address=${card##*/}
driver=/sys/bus/pci/drivers/sovgpu
free() {
	sync
	echo 3 >/proc/sys/vm/drop_caches
	awk '/^MemFree/ { print $2 }' /proc/meminfo
}
modprobe sovgpu
modprobe sovgpu
ok $? "loading a module that is loaded does nothing"
echo "$address" >$driver/unbind
before=$(free)
good=0
for i in 1 2 3 4 5; do
	echo "$address" >$driver/bind && [ -c /dev/dri/renderD128 ] && echo "$address" >$driver/unbind && good=$((good + 1))
done
is $good 5 "the card is bound and unbound five times"
lost=$((before - $(free)))
# A boot needs 60 MB and more; that much would be missing five times.
[ $lost -lt 16384 ]
ok $? "no memory is lost"
diag "$lost KiB less are free"

file=/lib/firmware/nvidia/gh100/gsp/bootloader-570.144.bin
mv $file /tmp/kept
echo "$address" >$driver/bind 2>/dev/null
is "$(bound "$card")" "" "without its boot loader the card does not come up"
says "firmware nvidia/gh100/gsp/bootloader-570.144.bin"
ok $? "the missing file is named"
head -c 1000 /tmp/kept >$file
echo "$address" >$driver/bind 2>/dev/null
says "firmware bootloader-570.144.bin: its header is wrong"
ok $? "a file that is cut off is refused"
mv /tmp/kept $file
echo "$address" >$driver/bind
is "$(bound "$card")" sovgpu "with the right file it comes up again"
modprobe -r sovgpu
ok $? "sovgpu.ko unloads"
