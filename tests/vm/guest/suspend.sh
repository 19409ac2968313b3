# SPDX-License-Identifier: MIT
# kernels: trixie-backports
# firmware: small
# System suspend and runtime suspend: refused while the card holds objects; otherwise the driver
# stops the GSP and boots it again on resume. The modelled card rejects D3 while its GSP runs, and
# every access in D3.
. /test/common.sh
card=$(cards)
modprobe sovgpu
is "$(bound "$card")" sovgpu "sovgpu.ko binds to the card"
node() {
	echo "/dev/dri/$(ls "$card/drm" 2>/dev/null | grep render)"
}
RENDER_NODE=$(node)
export RENDER_NODE
state() { # waits up to a minute until the card's runtime_status has this value
	tries=0
	while [ "$(cat "$card/power/runtime_status")" != "$1" ] && [ $tries -lt 300 ]; do
		usleep 200000
		tries=$((tries + 1))
	done
	[ $tries -lt 300 ]
}
# pm_test stops suspend after the device phase and resumes after five seconds.
if echo platform >/sys/power/pm_test; then
	program /test/bin/_suspend busy
	is "$(dmesg | grep -c 'suspend refused: device in use (1 VMs, 1 groups, .* KiB of VRAM)')" 1 \
		"the driver logs once why it refuses to suspend"
	program /test/bin/_suspend idle
	is "$(dmesg | grep -c 'suspend refused: device in use (1 VMs, 0 groups, 1[0-9]* KiB')" 1 \
		"the driver logs that an address space and a buffer prevent suspend"
	program /test/bin/queue_submit
else
	skip "system suspend" "this kernel has no pm_test"
fi
if [ -e "$card/power/runtime_status" ]; then
	sleep 6
	is "$(cat "$card/power/runtime_status")" active \
		"by default the card does not runtime-suspend"
	echo 100 >"$card/power/autosuspend_delay_ms"
	echo auto >"$card/power/control"
	state suspended
	ok $? "a card without open files runtime-suspends once power/control allows it"
	is "$(cat "$card/power_state")" D3hot "a runtime-suspended card is in D3hot"
	exec 7<>"$RENDER_NODE"
	is "$(cat "$card/power/runtime_status") $(cat "$card/power_state")" "active D0" \
		"opening the render node resumes the card"
	sleep 1
	is "$(cat "$card/power/runtime_status")" active "an open file prevents runtime suspend"
	exec 7>&-
	program /test/bin/queue_submit
	program /test/bin/_suspend exported "$card"
	echo 0 >"$card/power/autosuspend_delay_ms"
	program /test/bin/_suspend reopen
	state suspended
	ok $? "the card runtime-suspends again"
	mv /lib/firmware /lib/firmware.away
	/test/bin/bo_info >/dev/null
	says "resume failed, device is wedged until the next reset" "$card"
	ok $? "a card whose firmware is missing fails to resume and is declared wedged"
	mv /lib/firmware.away /lib/firmware
	echo 1 >"$card/reset"
	comes_back
	ok $? "a card that failed to resume works after a reset"
	RENDER_NODE=$(node) program /test/bin/queue_submit
	state suspended
	ok $? "the card runtime-suspends after a reset"
	bridge_reset=$(dirname "$(readlink -f "$card")")/reset_subordinate
	if [ -e "$bridge_reset" ]; then
		echo 1 >"$bridge_reset"
		comes_back
		ok $? "a runtime-suspended card works after a reset of its bus"
		RENDER_NODE=$(node) program /test/bin/queue_submit
		state suspended
		ok $? "the card runtime-suspends after a reset of its bus"
	else
		skip "a runtime-suspended card works after a reset of its bus" \
			"this kernel has no reset_subordinate"
	fi
	if [ -e /sys/power/pm_test ]; then
		echo freeze >/sys/power/state
		ok $? "the system suspends while the card is runtime-suspended"
		RENDER_NODE=$(node) program /test/bin/queue_submit
		state suspended
		ok $? "the card runtime-suspends after a system suspend"
	fi
	echo "${card##*/}" >/sys/bus/pci/drivers/sovgpu/unbind
	is "$(bound "$card")" "" "the driver unbinds from a runtime-suspended card"
	echo "${card##*/}" >/sys/bus/pci/drivers/sovgpu/bind
	RENDER_NODE=$(node) program /test/bin/bo_info
	echo on >"$card/power/control"
else
	skip "runtime suspend" "this kernel has no runtime power management"
fi
modprobe -r sovgpu
ok $? "sovgpu.ko unloads"
tap_done
