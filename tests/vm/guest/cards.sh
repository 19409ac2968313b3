# SPDX-License-Identifier: MIT
# scenario
# kernels: trixie-backports
# kernels of check-long: trixie-debug
# memory: 2G
# card: gh100
# card: gh100 --fault refuse
# card: gh100 --fault locked
# card: gh100 --fault silent
# card: gh100 --fault checksum
# card: gh100 --fault vanish
# card: gh100
# Several cards, of which some do not come up: the driver says why and keeps nothing of them, the others work,
# and one can go without the other.
. /test/common.sh
fails() { # card, words of the driver's message, what is wrong with the card
	is "$(bound "$1")" "" "$3: the driver does not bind to it"
	says "$2" "$1"
	ok $? "$3: it says why: $2"
}
nodes() {
	ls /dev/dri | grep -c renderD
}
# shellcheck disable=SC2046 # words
set -- $(cards)
is $# 7 "seven cards are on the bus"
modprobe sovgpu
ok $? "sovgpu.ko loads"
is "$(bound "$1") $(bound "$7")" "sovgpu sovgpu" "it binds to the first and the last"
fails "$2" "FSP rejected the firmware, error 0x00000001" "a card whose FSP does not accept the firmware"
fails "$3" "GSP boot timed out: registers are still locked down" "a card whose GSP never opens"
fails "$4" "no reply to RPC 4097" "a card whose GSP boots and never says so"
fails "$5" "element 0: bad checksum" "a card whose GSP speaks nonsense"
fails "$6" "GPU has fallen off the bus: registers read all ones" "a card that falls off the bus while it boots"
is "$(nodes)" 2 "there are two render nodes"
program /test/bin/_prime_cards
echo "${1##*/}" >/sys/bus/pci/drivers/sovgpu/unbind
[ ! -e /dev/dri/renderD128 ] && [ -c /dev/dri/renderD129 ]
ok $? "one is taken away, the other stays"
echo 1 >"$7/remove"
is "$(nodes)" 0 "the other is removed from the bus"
modprobe -r sovgpu
ok $? "sovgpu.ko unloads"
tap_done
