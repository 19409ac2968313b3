# SPDX-License-Identifier: MIT
# scenario
# kernels: trixie-backports
# kernels of check-long: trixie-debug
# A card is reset while somebody uses it, and as often as said when nobody does; it sleeps.
. /test/common.sh
times=${1:-5}
card=$(cards)
modprobe sovgpu
is "$(bound "$card")" sovgpu "sovgpu.ko binds to the card"
node() {
	echo "/dev/dri/$(ls "$card/drm" 2>/dev/null | grep render)"
}
program /test/bin/_reset "$card"
is "$(dmesg | grep -c 'reset: contexts and VRAM contents are lost')" 1 "the driver says so once"
good=0
while [ $good -lt "$times" ] && echo 1 >"$card/reset" && comes_back; do
	good=$((good + 1))
done
is $good "$times" "a card that nobody uses is reset $times times and comes back"
is "$(ls /dev/dri | grep -c renderD)" 1 "there is one render node"
modprobe -r sovgpu
ok $? "sovgpu.ko unloads"
part sleep
tap_done
