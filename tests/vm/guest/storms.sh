# SPDX-License-Identifier: MIT
# scenario
# kernels: trixie-backports
# results: 523
# card: gh100 --fault spurious
# card: gh100 --fault storm
# Interrupt and event storms: one card raises interrupts without a cause, the other card's GSP sends
# events without pause. Both cards must still do work, the machine must stay usable, and the kernel
# must not disable an interrupt.
. /test/common.sh
# shellcheck disable=SC2046 # words
set -- $(cards)
interrupt() { # number of the first card's interrupt
	awk '$NF == "sovgpu" { sub(":", "", $1); print $1; exit }' /proc/interrupts
}
last_unhandled() { # when the kernel last counted the first card's interrupt as unhandled
	sed -n 's/^last_unhandled //p' "/proc/irq/$(interrupt)/spurious"
}
modprobe sovgpu
is "$(bound "$1") $(bound "$2")" "sovgpu sovgpu" "sovgpu.ko binds to both cards"
for node in 128 129; do
	for t in queue_submit queue_state fence_wait queue_create_user vm_bind; do
		RENDER_NODE=/dev/dri/renderD$node program "/test/bin/$t"
	done
done
last=$(last_unhandled)
program /test/bin/_irq_storm "$(interrupt)"
# The kernel's count says nothing: it restarts after a tenth of a second without unhandled
# interrupts, which is as long as the driver's pauses.
is "$(last_unhandled)" "${last:-a time of the last unhandled interrupt}" \
	"the kernel counts none of the spurious interrupts as unhandled"
says "spurious interrupt storm" "$1"
ok $? "the driver logs the spurious interrupts"
echo "${1##*/}" >/sys/bus/pci/drivers/sovgpu/unbind
is "$(bound "$1")" "" "the driver unbinds from a card that raises interrupts"
echo "${1##*/}" >/sys/bus/pci/drivers/sovgpu/bind
is "$(bound "$1")" sovgpu "the driver binds to a card that raises interrupts"
modprobe -r sovgpu
ok $? "sovgpu.ko unloads"
tap_done
