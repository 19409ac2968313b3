# SPDX-License-Identifier: MIT
# scenario
# kernels: trixie-backports
# append: slab_debug=U,kmalloc-* stack_depot_disable=on
# firmware: small
# What ends badly, as often as said, or a hundred times each: processes are killed with work in flight, the card is reset or the
# driver is taken from it while processes pass its files to each other. The module is unloaded as soon as they let it, less
# often. Afterwards nothing of it is left: VRAM and what the kernel holds for the driver
# are accounted to the byte.
. /test/common.sh
times=${1:-100}
others=${2:-$times}
resets=${3:-$times}
card=$(cards)
address=${card##*/}
driver=/sys/bus/pci/drivers/sovgpu
since() {
	echo "# $1: until $(cut -d ' ' -f 1 /proc/uptime) s since the machine's start"
}
# The card's node. Its number is another as long as somebody has a file of the one before.
node() {
	for n in "$card"/drm/renderD*; do
		echo "/dev/dri/${n##*/}"
	done
}
# What they say is waited for, not looked for: a machine that is emulated does little else when it starts a program for each look.
mkfifo /tmp/restless
exec 8<>/tmp/restless
restless() { # processes that have work in flight when this returns
	RENDER_NODE=$(node) /test/bin/_restless >&8 2>&1 8>&- &
	busy=$!
	said=nothing
	read -r -t 60 said <&8
	[ "$said" = "ready: 2 of 2 have work in flight" ] || echo "not ok - restless says: $said"
}
# Others have work in flight, then the card goes. They end by themselves, within a minute.
under_way() { # file of the card's or the driver's folder, what to write there
	restless
	usleep $((round % 10 * 3000))
	echo "$2" >"$1" || return 1
	said=nothing
	read -r -t 60 said <&8
	kill -9 $busy 2>/dev/null
	[ "$said" = over ]
}
# Does it as often as said; prints how often all went well.
repeat() { # times, command
	round=0
	while [ $round -lt "$1" ] && "$2"; do
		round=$((round + 1))
	done
	echo $round
}
unbinds() {
	was=$(node)
	under_way $driver/unbind "$address" && [ ! -e "$was" ] && echo "$address" >$driver/bind
}
resets() {
	under_way "$card/reset" 1 && comes_back
}
# Who has a file open keeps the module, however hard it is tried.
reloads() {
	restless
	RENDER_NODE=$(node) /test/bin/races >/dev/null 2>&1 &
	other=$!
	modprobe -r sovgpu 2>/dev/null && return 1
	echo "$address" >$driver/unbind
	i=0
	while [ -e /sys/module/sovgpu ] && [ $i -lt 600 ]; do
		modprobe -r sovgpu 2>/dev/null || usleep 100000
		i=$((i + 1))
	done
	wait $busy $other
	read -r -t 60 said <&8
	[ ! -e /sys/module/sovgpu ] && modprobe sovgpu && [ "$(bound "$card")" = sovgpu ]
}

modprobe sovgpu
is "$(bound "$card")" sovgpu "sovgpu.ko binds to the card"
for warm in unbinds resets reloads; do # fills what the kernel keeps for later
	is "$(repeat 1 $warm)" 1 "once: $warm"
done
RENDER_NODE=$(node) /test/bin/ends 6 >/dev/null
settled /tmp/held.before
since "getting ready"
RENDER_NODE=$(node) program /test/bin/ends "$times"
accounted /tmp/held.before "$times processes were killed"
since "kill -9 with work in flight, $times times"
is "$(repeat "$others" unbinds)" "$others" "the card is unbound with work in flight and bound again $others times"
accounted /tmp/held.before "unbound and bound $others times"
since "unbinding and binding, $others times"
is "$(repeat "$resets" resets)" "$resets" "it is reset with work in flight and comes back $resets times"
accounted /tmp/held.before "reset $resets times"
since "reset, $resets times"
few=$((times / 50))
is "$(repeat $few reloads)" $few "the module is asked to go in the middle of races, and loaded again $few times"
accounted /tmp/held.before "unloaded $few times"
since "unloading during races, $few times"
RENDER_NODE=$(node) program /test/bin/queue_submit
modprobe -r sovgpu
ok $? "sovgpu.ko unloads"
is "$(held | grep -v '^dma mappings 0')" "" "and leaves nothing"
tap_done
