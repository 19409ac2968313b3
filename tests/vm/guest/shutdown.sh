# SPDX-License-Identifier: MIT
# scenario
# kernels: trixie-backports
# results: 8
# kernels of check-long: trixie-debug
# card: gh100 --require-quiesced
# card: gh100 --require-quiesced
# firmware: small
# System shutdown (by init, after this script) while processes have work in flight on one card and
# another card is runtime-suspended. The driver must leave both with the GSP stopped, bus mastering
# off and interrupts off, or the modelled cards report an error.
. /test/common.sh
modprobe sovgpu
set -- $(cards)
is "$(bound "$1") $(bound "$2")" "sovgpu sovgpu" "sovgpu.ko binds to both cards"
node() {
	echo "/dev/dri/$(ls "$1/drm" | grep render)"
}
mkfifo /tmp/busy_clients
exec 8<>/tmp/busy_clients
RENDER_NODE=$(node "$1") /test/bin/_busy_clients >&8 2>&1 8>&- &
read -r line <&8
is "$line" "ready: 2 of 2 have work in flight" "processes have work in flight on the first card"
if [ -e "$2/power/runtime_status" ]; then
	echo 100 >"$2/power/autosuspend_delay_ms"
	echo auto >"$2/power/control"
	tries=0
	while [ "$(cat "$2/power/runtime_status")" != suspended ] && [ $tries -lt 300 ]; do
		usleep 200000
		tries=$((tries + 1))
	done
	is "$(cat "$2/power/runtime_status")" suspended "the second card is runtime-suspended"
else
	skip "the second card is runtime-suspended" "this kernel has no runtime power management"
fi
dmesg -n 5 # show later kernel warnings on the console
tap_done
