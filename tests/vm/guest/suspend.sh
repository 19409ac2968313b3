# SPDX-License-Identifier: MIT
# kernels: trixie-backports
# firmware: small
# Sleep, of the machine and of a card by itself: with something on the card it is refused, otherwise the GSP is ended and
# booted again. The card refuses to sleep while its GSP runs, and every access while it sleeps.
. /test/common.sh
card=$(cards)
modprobe sovgpu
is "$(bound "$card")" sovgpu "sovgpu.ko binds to the card"
node() {
	echo "/dev/dri/$(ls "$card/drm" 2>/dev/null | grep render)"
}
RENDER_NODE=$(node)
export RENDER_NODE
state() { # does the card come into this state of runtime_status within a minute?
	tries=0
	while [ "$(cat "$card/power/runtime_status")" != "$1" ] && [ $tries -lt 300 ]; do
		usleep 200000
		tries=$((tries + 1))
	done
	[ $tries -lt 300 ]
}
# The machine goes as far as devices' deepest state, and wakes up by itself after five seconds.
if echo platform >/sys/power/pm_test; then
	program /test/bin/_sleep busy
	is "$(dmesg | grep -c 'suspend refused: device in use (1 VMs, 1 groups, .* KiB of VRAM)')" 1 \
		"the driver says why, once"
	program /test/bin/_sleep idle
	is "$(dmesg | grep -c 'suspend refused: device in use (1 VMs, 0 groups, 1[0-9]* KiB')" 1 "and so for an address space and a buffer"
	program /test/bin/queue_submit
else
	skip "sleep" "this kernel cannot try it"
fi
if [ -e "$card/power/runtime_status" ]; then
	sleep 6
	is "$(cat "$card/power/runtime_status")" active "unless it is allowed in sysfs, a card stays awake while the machine is"
	echo 100 >"$card/power/autosuspend_delay_ms"
	echo auto >"$card/power/control"
	state suspended
	ok $? "then a card that nobody has open sleeps"
	is "$(cat "$card/power_state")" D3hot "in D3"
	exec 7<>"$RENDER_NODE"
	is "$(cat "$card/power/runtime_status") $(cat "$card/power_state")" "active D0" "who opens it wakes it up"
	sleep 1
	is "$(cat "$card/power/runtime_status")" active "an open file keeps it awake"
	exec 7>&-
	program /test/bin/queue_submit
	program /test/bin/_sleep passed "$card"
	echo 0 >"$card/power/autosuspend_delay_ms"
	program /test/bin/_sleep hurry
	state suspended
	ok $? "it sleeps again"
	mv /lib/firmware /lib/firmware.away
	/test/bin/bo_info >/dev/null
	says "resume failed, device is wedged until the next reset" "$card"
	ok $? "without its firmware it does not wake up, and is given up"
	mv /lib/firmware.away /lib/firmware
	echo 1 >"$card/reset"
	comes_back
	ok $? "a reset brings it back"
	RENDER_NODE=$(node) program /test/bin/queue_submit
	state suspended
	ok $? "it sleeps once more"
	above=$(dirname "$(readlink -f "$card")")/reset_subordinate
	if [ -e "$above" ]; then
		echo 1 >"$above"
		comes_back
		ok $? "a card that sleeps while the bus above it is reset comes back"
		RENDER_NODE=$(node) program /test/bin/queue_submit
		state suspended
		ok $? "and sleeps"
	else
		skip "the bus above a card that sleeps is reset" "this kernel does not offer it"
	fi
	if [ -e /sys/power/pm_test ]; then
		echo freeze >/sys/power/state
		ok $? "the machine sleeps while the card does"
		RENDER_NODE=$(node) program /test/bin/queue_submit
		state suspended
		ok $? "and the card sleeps on"
	fi
	echo "${card##*/}" >/sys/bus/pci/drivers/sovgpu/unbind
	is "$(bound "$card")" "" "in its sleep it can be unbound"
	echo "${card##*/}" >/sys/bus/pci/drivers/sovgpu/bind
	RENDER_NODE=$(node) program /test/bin/bo_info
	echo on >"$card/power/control"
else
	skip "a card sleeps by itself" "this kernel lets no device sleep"
fi
modprobe -r sovgpu
ok $? "sovgpu.ko unloads"
tap_done
