# SPDX-License-Identifier: MIT
# Wrong and missing firmware is named, and the right one is taken afterwards.
. /test/common.sh
card=$(cards)
address=${card##*/}
driver=/sys/bus/pci/drivers/sovgpu
file=/lib/firmware/nvidia/gh100/gsp/bootloader-570.144.bin
mv $file /tmp/kept
modprobe sovgpu
ok $? "without its boot loader sovgpu.ko loads all the same"
is "$(bound "$card")" "" "the card does not come up"
says "firmware nvidia/gh100/gsp/bootloader-570.144.bin" "$card"
ok $? "the missing file is named"
head -c 1000 /tmp/kept >$file
echo "$address" >$driver/bind 2>/dev/null
says "firmware bootloader-570.144.bin: bad header" "$card"
ok $? "a file that is cut off is refused"
mv /tmp/kept $file
fmc=${file%/*}/fmc-570.144.bin
cp $fmc /tmp/kept
dd if=/dev/zero of=$fmc bs=1 seek=272 count=4 conv=notrunc 2>/dev/null # the size of its last section, the image
echo "$address" >$driver/bind 2>/dev/null
says "firmware fmc-570.144.bin: empty or oversized section" "$card"
ok $? "a file with an empty image is refused"
mv /tmp/kept $fmc
echo "$address" >$driver/bind
is "$(bound "$card")" sovgpu "with the right file it comes up"
modprobe -r sovgpu
ok $? "sovgpu.ko unloads"
tap_done
