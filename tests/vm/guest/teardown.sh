# SPDX-License-Identifier: MIT
# scenario
# kernels: trixie-backports
# results: 73
# append: slab_debug=U,kmalloc-* stack_depot_disable=on
# firmware: small
# Abrupt teardown, $1 times each (100): processes are killed with work in flight, the card is reset
# or the driver is unbound while processes pass its files to each other. The module is unloaded as
# soon as they allow it, less often. Afterwards VRAM and the kernel memory that the driver holds
# must be exactly what they were.
. /test/common.sh
times=${1:-100}
others=${2:-$times}
resets=${3:-$times}
card=$(cards)
address=${card##*/}
driver=/sys/bus/pci/drivers/sovgpu
log_time() {
	echo "# $1: finished $(cut -d ' ' -f 1 /proc/uptime) s after boot"
}
# The card's render node. Its minor changes while a file of the previous one is open.
node() {
	for n in "$card"/drm/renderD*; do
		echo "/dev/dri/${n##*/}"
	done
}
# A fifo, not polling: starting a program for each poll would take most of an emulated machine's
# time.
mkfifo /tmp/busy_clients
exec 8<>/tmp/busy_clients
start_clients() { # starts processes; returns when they have work in flight
	RENDER_NODE=$(node) /test/bin/_busy_clients >&8 2>&1 8>&- &
	busy=$!
	line=nothing
	read -r -t 60 line <&8
	[ "$line" = "ready: 2 of 2 have work in flight" ] || echo "not ok - busy clients printed: $line"
}
# Removes the card under processes with work in flight, which must exit within a minute.
remove_in_use() { # sysfs file, value to write
	start_clients
	usleep $((round % 10 * 3000))
	echo "$2" >"$1" || return 1
	line=nothing
	read -r -t 60 line <&8
	kill -9 $busy 2>/dev/null
	[ "$line" = over ]
}
# Repeats a command until it fails; prints how often it succeeded.
repeat() { # times, command
	round=0
	while [ $round -lt "$1" ] && "$2"; do
		round=$((round + 1))
	done
	echo $round
}
unbind_in_use() {
	was=$(node)
	remove_in_use $driver/unbind "$address" && [ ! -e "$was" ] && echo "$address" >$driver/bind
}
reset_in_use() {
	remove_in_use "$card/reset" 1 && comes_back
}
# The module cannot be unloaded while a process has a file open.
reload_in_use() {
	start_clients
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
	read -r -t 60 line <&8
	[ ! -e /sys/module/sovgpu ] && modprobe sovgpu && [ "$(bound "$card")" = sovgpu ]
}

modprobe sovgpu
is "$(bound "$card")" sovgpu "sovgpu.ko binds to the card"
for warm in unbind_in_use reset_in_use reload_in_use; do # fills the kernel's caches
	is "$(repeat 1 $warm)" 1 "warm-up: $warm succeeds once"
done
RENDER_NODE=$(node) /test/bin/process_exit 6 >/dev/null
settled /tmp/held.before
log_time "setup"
RENDER_NODE=$(node) program /test/bin/process_exit "$times"
accounted /tmp/held.before "$times processes were killed"
log_time "kill -9 with work in flight, $times times"
is "$(repeat "$others" unbind_in_use)" "$others" \
	"the card is unbound with work in flight and bound again $others times"
accounted /tmp/held.before "unbound and bound $others times"
log_time "unbinding and binding, $others times"
is "$(repeat "$resets" reset_in_use)" "$resets" \
	"the card is reset with work in flight and works again $resets times"
accounted /tmp/held.before "reset $resets times"
log_time "reset, $resets times"
few=$((times / 50))
is "$(repeat $few reload_in_use)" $few \
	"the module is unloaded during races and loaded again $few times"
accounted /tmp/held.before "unloaded $few times"
log_time "unloading during races, $few times"
RENDER_NODE=$(node) program /test/bin/queue_submit
modprobe -r sovgpu
ok $? "sovgpu.ko unloads"
is "$(held | grep -v '^dma mappings 0')" "" \
	"the driver holds no kernel memory after sovgpu.ko is unloaded"
tap_done
