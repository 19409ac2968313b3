# SPDX-License-Identifier: MIT
# scenario
# kernels: trixie-backports
# A card is reset while somebody uses it, and as often as said when nobody does; the machine does not sleep with it.
. /test/common.sh
times=${1:-5}
card=$(cards)
modprobe sovgpu
is "$(bound "$card")" sovgpu "sovgpu.ko binds to the card"
node() {
	echo "/dev/dri/$(ls "$card/drm" 2>/dev/null | grep render)"
}
program /test/bin/_reset "$card"
is "$(dmesg | grep -c 'it is reset: whoever uses it')" 1 "the driver says so once"
good=0
while [ $good -lt "$times" ] && echo 1 >"$card/reset" && comes_back; do
	good=$((good + 1))
done
is $good "$times" "a card that nobody uses is reset $times times and comes back"
is "$(ls /dev/dri | grep -c renderD)" 1 "there is one render node"
# If the machine slept it would do so only as far as drivers see it, and wake up by itself.
if echo platform >/sys/power/pm_test; then
	program env RENDER_NODE="$(node)" /test/bin/_sleep busy
	is "$(dmesg | grep -c 'no sleep: memory of the card would be lost, 1 files and 1 groups use it; unbind it first')" 1 \
		"the driver says why, once"
	program env RENDER_NODE="$(node)" /test/bin/_sleep idle
	program env RENDER_NODE="$(node)" /test/bin/queue_submit
else
	skip "sleep" "this kernel cannot try it"
fi
if [ -e "$card/power/runtime_status" ]; then
	echo auto >"$card/power/control"
	sleep 1
	is "$(cat "$card/power/runtime_status")" active "a card that nobody uses stays awake while the machine is"
else
	skip "it stays awake" "this kernel lets no device sleep"
fi
modprobe -r sovgpu
ok $? "sovgpu.ko unloads"
tap_done
