# SPDX-License-Identifier: MIT
# scenario
# kernels: trixie-backports
# results: 327
# kernels of check-long: trixie-debug
# Resets the card while a process uses it and $1 times (5) while it is idle; then suspend.
. /test/common.sh
times=${1:-5}
card=$(cards)
modprobe sovgpu
is "$(bound "$card")" sovgpu "sovgpu.ko binds to the card"
node() {
	echo "/dev/dri/$(ls "$card/drm" 2>/dev/null | grep render)"
}
program /test/bin/_reset "$card"
is "$(dmesg | grep -c 'reset: contexts and VRAM contents are lost')" 1 "the driver logs the reset once"
good=0
while [ $good -lt "$times" ] && echo 1 >"$card/reset" && comes_back; do
	good=$((good + 1))
done
is $good "$times" "an idle card is reset $times times and works again"
is "$(ls /dev/dri | grep -c renderD)" 1 "there is one render node after the resets"
modprobe -r sovgpu
ok $? "sovgpu.ko unloads"
part suspend
tap_done
