# SPDX-License-Identifier: MIT
# scenario
# kernels: trixie-debug
# card: gh100 --fault stubborn
# card: gh100 --fault deaf
# firmware: small
# Cards that do not stop what they are told to stop: one says so, one says nothing any more. Both are given up. A reset brings
# them back, whether the driver has them or not.
. /test/common.sh
# shellcheck disable=SC2046 # words
set -- $(cards)
modprobe sovgpu
is "$(bound "$1") $(bound "$2")" "sovgpu sovgpu" "sovgpu.ko binds to both"
says_given_up() { # card
	says "GSP: device is wedged until it is reset" "$1"
	ok $? "the driver says that it gives the card up"
}
RENDER_NODE=/dev/dri/renderD128 program /test/bin/_wedged
says_given_up "$1"
RENDER_NODE=/dev/dri/renderD129 program /test/bin/_wedged
says_given_up "$2"
echo "${1##*/}" >/sys/bus/pci/drivers/sovgpu/unbind
is "$(bound "$1")" "" "it can be unbound"
echo "${1##*/}" >/sys/bus/pci/drivers/sovgpu/bind 2>/dev/null
is "$(bound "$1")" "" "and not bound again"
says "reset the device first" "$1"
ok $? "before it is reset"
echo 1 >"$1/reset"
echo "${1##*/}" >/sys/bus/pci/drivers/sovgpu/bind
is "$(bound "$1")" sovgpu "then it is"
node() {
	echo "/dev/dri/$(ls "$card/drm" 2>/dev/null | grep render)"
}
card=$1
RENDER_NODE=$(node) program /test/bin/bo_create
card=$2
before=$(dmesg | grep -c 'reset: contexts and VRAM contents are lost')
echo 1 >"$2/reset"
ok $? "one that is given up and bound can be reset"
comes_back
ok $? "and comes back"
is $(($(dmesg | grep -c 'reset: contexts and VRAM contents are lost') - before)) 1 "the driver says so once"
RENDER_NODE=$(node) program /test/bin/bo_create
modprobe -r sovgpu
ok $? "sovgpu.ko unloads"
tap_done
