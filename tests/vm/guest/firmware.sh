# SPDX-License-Identifier: MIT
# The driver names missing and corrupt firmware files, and binds once they are correct.
. /test/common.sh
card=$(cards)
address=${card##*/}
driver=/sys/bus/pci/drivers/sovgpu
file=/lib/firmware/nvidia/gh100/gsp/bootloader-570.144.bin
mv $file /tmp/kept
modprobe sovgpu
ok $? "sovgpu.ko loads without the boot loader's firmware file"
is "$(bound "$card")" "" "the driver does not bind without the boot loader's firmware file"
says "firmware nvidia/gh100/gsp/bootloader-570.144.bin" "$card"
ok $? "the driver logs the name of the missing firmware file"
head -c 1000 /tmp/kept >$file
echo "$address" >$driver/bind 2>/dev/null
says "firmware bootloader-570.144.bin: bad header" "$card"
ok $? "a truncated firmware file is rejected"
mv /tmp/kept $file
fmc=${file%/*}/fmc-570.144.bin
cp $fmc /tmp/kept
# Zero the size of its last section, the image.
dd if=/dev/zero of=$fmc bs=1 seek=272 count=4 conv=notrunc 2>/dev/null
echo "$address" >$driver/bind 2>/dev/null
says "firmware fmc-570.144.bin: empty or oversized section" "$card"
ok $? "a firmware file with an empty image is rejected"
mv /tmp/kept $fmc
echo "$address" >$driver/bind
is "$(bound "$card")" sovgpu "the driver binds once the firmware files are correct"
modprobe -r sovgpu
ok $? "sovgpu.ko unloads"
tap_done
