# SPDX-License-Identifier: MIT
# scenario
# card: gh100
# card: gh100
# Two cards are two devices, and one can go without the other.
. /test/common.sh
modprobe sovgpu
is "$(cards | wc -l)" 2 "two cards are on the bus"
is "$(for c in $(cards); do bound "$c"; done | tr '\n' ' ')" "sovgpu sovgpu " "both are bound"
[ -c /dev/dri/renderD128 ] && [ -c /dev/dri/renderD129 ]
ok $? "there are two render nodes"
program /test/bin/_prime_cards
first=$(cards | head -n 1)
echo "${first##*/}" >/sys/bus/pci/drivers/sovgpu/unbind
[ ! -e /dev/dri/renderD128 ] && [ -c /dev/dri/renderD129 ]
ok $? "one is taken away, the other stays"
modprobe -r sovgpu
ok $? "sovgpu.ko unloads"
