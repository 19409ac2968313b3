# SPDX-License-Identifier: MIT
# scenario
# kernels: trixie-backports
# results: 33
# kernels of check-long: trixie-debug
# memory: 2G
# card: gh100
# card: gh100 --fault refuse
# card: gh100 --fault locked
# card: gh100 --fault silent
# card: gh100 --fault checksum
# card: gh100 --fault vanish
# card: gh100
# Several cards, some of which fail to boot: the driver logs why and keeps nothing of them, the
# others work, and one can be removed without affecting another.
. /test/common.sh
fails() { # card, part of the driver's message, description of the card
	is "$(bound "$1")" "" "$3: the driver does not bind to it"
	says "$2" "$1"
	ok $? "$3: the driver logs the reason: $2"
}
count_render_nodes() {
	ls /dev/dri | grep -c renderD
}
# shellcheck disable=SC2046 # words
set -- $(cards)
is $# 7 "seven cards are on the PCI bus"
modprobe sovgpu
ok $? "sovgpu.ko loads"
is "$(bound "$1") $(bound "$7")" "sovgpu sovgpu" "sovgpu.ko binds to the two cards without faults"
fails "$2" "FSP rejected the firmware, error 0x00000001" "a card whose FSP rejects the firmware"
fails "$3" "GSP boot timed out: registers are still locked down" "a card whose GSP registers stay locked"
fails "$4" "no reply to RPC 4097" "a card whose GSP boots and sends no message"
fails "$5" "element 0: bad checksum" "a card whose GSP sends corrupt messages"
fails "$6" "GPU has fallen off the bus: registers read all ones" \
	"a card that falls off the bus during its boot"
is "$(count_render_nodes)" 2 "there are two render nodes for seven cards"
program /test/bin/_prime_cards
echo "${1##*/}" >/sys/bus/pci/drivers/sovgpu/unbind
[ ! -e /dev/dri/renderD128 ] && [ -c /dev/dri/renderD129 ]
ok $? "unbinding one card leaves the other's render node"
echo 1 >"$7/remove"
is "$(count_render_nodes)" 0 "removing the other card from the bus removes its render node"
modprobe -r sovgpu
ok $? "sovgpu.ko unloads"
tap_done
