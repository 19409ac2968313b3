# SPDX-License-Identifier: MIT
# scenario
# kernels: trixie-backports
# card: gh100 --fault spurious
# card: gh100 --fault storm
# Cards that never hold their tongue: one interrupts all the time without a reason, the other's GSP has something to say all
# the time. Work is done on both all the same, the machine stays usable, and the kernel need not switch an interrupt off.
. /test/common.sh
# shellcheck disable=SC2046 # words
set -- $(cards)
interrupt() { # the number of the first card's
	awk '$NF == "sovgpu" { sub(":", "", $1); print $1; exit }' /proc/interrupts
}
nobodys() { # when the kernel last took an interrupt of the first card for nobody's
	sed -n 's/^last_unhandled //p' "/proc/irq/$(interrupt)/spurious"
}
modprobe sovgpu
is "$(bound "$1") $(bound "$2")" "sovgpu sovgpu" "sovgpu.ko binds to both"
for node in 128 129; do
	for t in queue_submit queue_state fence_wait queue_user vm_bind; do
		RENDER_NODE=/dev/dri/renderD$node program "/test/bin/$t"
	done
done
last=$(nobodys)
program /test/bin/_storm "$(interrupt)"
# How many it has counted says nothing: it begins anew after a tenth of a second without any, and so long is a pause.
is "$(nobodys)" "${last:-there is such a time}" "the kernel takes none of them for nobody's"
says "spurious interrupt storm" "$1"
ok $? "and are spoken of"
echo "${1##*/}" >/sys/bus/pci/drivers/sovgpu/unbind
is "$(bound "$1")" "" "the driver lets go of a card that interrupts"
echo "${1##*/}" >/sys/bus/pci/drivers/sovgpu/bind
is "$(bound "$1")" sovgpu "and takes it again"
modprobe -r sovgpu
ok $? "sovgpu.ko unloads"
tap_done
