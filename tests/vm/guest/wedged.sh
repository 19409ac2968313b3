# SPDX-License-Identifier: MIT
# scenario
# kernels: trixie-debug
# results: 158
# card: gh100 --fault stubborn
# card: gh100 --fault deaf
# firmware: small
# Cards whose firmware does not free a channel: one returns an error, one stops answering. The
# driver declares both wedged. A reset recovers them, whether the driver is bound or not.
. /test/common.sh
# shellcheck disable=SC2046 # words
set -- $(cards)
modprobe sovgpu
is "$(bound "$1") $(bound "$2")" "sovgpu sovgpu" "sovgpu.ko binds to both cards"
says_given_up() { # card
	says "GSP: device is wedged until it is reset" "$1"
	ok $? "the driver logs that the card is wedged"
}
RENDER_NODE=/dev/dri/renderD128 program /test/bin/_wedged
says_given_up "$1"
RENDER_NODE=/dev/dri/renderD129 program /test/bin/_wedged
says_given_up "$2"
echo "${1##*/}" >/sys/bus/pci/drivers/sovgpu/unbind
is "$(bound "$1")" "" "the driver unbinds from a wedged card"
echo "${1##*/}" >/sys/bus/pci/drivers/sovgpu/bind 2>/dev/null
is "$(bound "$1")" "" "the driver does not bind to a wedged card"
says "reset the device first" "$1"
ok $? "the driver logs that a wedged card needs a reset"
echo 1 >"$1/reset"
echo "${1##*/}" >/sys/bus/pci/drivers/sovgpu/bind
is "$(bound "$1")" sovgpu "the driver binds to a wedged card after a reset"
node() {
	echo "/dev/dri/$(ls "$card/drm" 2>/dev/null | grep render)"
}
card=$1
RENDER_NODE=$(node) program /test/bin/bo_create
card=$2
before=$(dmesg | grep -c 'reset: contexts and VRAM contents are lost')
echo 1 >"$2/reset"
ok $? "a wedged card can be reset while the driver is bound"
comes_back
ok $? "a wedged card works after a reset"
is $(($(dmesg | grep -c 'reset: contexts and VRAM contents are lost') - before)) 1 \
	"the driver logs the reset of a wedged card once"
RENDER_NODE=$(node) program /test/bin/bo_create
modprobe -r sovgpu
ok $? "sovgpu.ko unloads"
tap_done
