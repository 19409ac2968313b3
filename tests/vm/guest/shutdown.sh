# SPDX-License-Identifier: MIT
# scenario
# kernels: trixie-backports
# kernels of check-long: trixie-debug
# card: gh100 --require-quiesced
# card: gh100 --require-quiesced
# firmware: small
# The machine switches off (init does, when this is over) while processes have work in flight on one card and another card
# sleeps: both must be left with their GSP stopped, without bus mastering and without interrupts, or the cards refuse it.
. /test/common.sh
modprobe sovgpu
set -- $(cards)
is "$(bound "$1") $(bound "$2")" "sovgpu sovgpu" "sovgpu.ko binds to both cards"
node() {
	echo "/dev/dri/$(ls "$1/drm" | grep render)"
}
mkfifo /tmp/restless
exec 8<>/tmp/restless
RENDER_NODE=$(node "$1") /test/bin/_restless >&8 2>&1 8>&- &
read -r said <&8
is "$said" "ready: 2 of 2 have work in flight" "processes have work in flight on one"
if [ -e "$2/power/runtime_status" ]; then
	echo 100 >"$2/power/autosuspend_delay_ms"
	echo auto >"$2/power/control"
	tries=0
	while [ "$(cat "$2/power/runtime_status")" != suspended ] && [ $tries -lt 300 ]; do
		usleep 200000
		tries=$((tries + 1))
	done
	is "$(cat "$2/power/runtime_status")" suspended "the other sleeps"
else
	skip "the other sleeps" "this kernel lets no device sleep"
fi
dmesg -n 5 # complaints from here on are seen, too
tap_done
