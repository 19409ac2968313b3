# SPDX-License-Identifier: MIT
# scenario
# kernels: trixie-backports
# results: 40
# card: gh100 --fault stubborn
# firmware: small
# A card whose GSP refuses to free channels, as in wedged.sh, so that it is wedged again and again: the driver resets it three times,
# then it stays wedged.
. /test/common.sh
card=$(cards)
modprobe sovgpu recover=1
is "$(bound "$card")" sovgpu "sovgpu.ko binds to the card"
node() {
	echo "/dev/dri/$(ls "$card/drm" 2>/dev/null | grep render)"
}
for i in 1 2 3; do
	RENDER_NODE=$(node) program /test/bin/_recover
	is "$(dmesg | grep -c 'recovery: the device will be reset')" $i "the driver logs recovery $i"
done
RENDER_NODE=$(node) program /test/bin/_wedged
says "recovery: too many resets; reset the device by hand" "$card"
ok $? "the driver logs that it does not reset the card a fourth time"
is "$(dmesg | grep -c 'recovery: the device will be reset')" 3 "the card is reset three times"
modprobe -r sovgpu
ok $? "sovgpu.ko unloads"
tap_done
