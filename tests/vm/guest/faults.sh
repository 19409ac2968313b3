# SPDX-License-Identifier: MIT
# scenario
# kernels: trixie-debug
# results: 76
# card: gh100 --fault sweep:15:19:8
# GSP fault injection: in each boot another message fails, in each of the model's fault modes
# (model/card/fault_injection.c), while the driver boots the GSP, uses it or unbinds. Calls must
# return, the driver must unbind, and after a reset the card must work. Runs $1 boots, or stops
# after $quiet_boots boots in a row without an error in the log: then there are no more messages to
# fail (14 fault modes: model/card/fault_injection.c). Other scenarios set $quiet_boots, and
# $max_errors, the number of log lines allowed per boot.
. /test/common.sh
times=${1:-8}
card=$(cards | sed -n "${2:-1}p")
address=${card##*/}
quiet_boots=${quiet_boots:-14}
driver=/sys/bus/pci/drivers/sovgpu
up=0 clean=0 errors=0
kmsg=/tmp/kmsg$address
transcript=/tmp/out$address # fault_sweeps.sh runs several instances concurrently
cat /dev/kmsg >"$kmsg" & # the kernel's log buffer wraps
reader=$!
modprobe sovgpu
ok $? "sovgpu.ko loads"
node() { # the card's render node
	echo "/dev/dri/$(ls "$card/drm" | grep renderD)"
}
i=1
while [ $i -lt "$times" ] && [ $clean -lt $quiet_boots ]; do
	if [ "$(bound "$card")" = sovgpu ]; then
		up=$((up + 1))
		RENDER_NODE=$(node) /test/bin/_exercise || echo "not ok $i - every call returns"
		echo "$address" >$driver/unbind
	fi
	is "$(bound "$card")" "" "the driver unbinds from the faulty card, boot $i"
	clean=$((clean + 1))
	now=$(grep -F "$address" "$kmsg" | grep -cF '*ERROR*')
	[ "$now" = "$errors" ] || clean=0
	[ $((now - errors)) -le "${max_errors:-$now}" ]
	ok $? "the driver logs no more errors than allowed, boot $i"
	[ $((now - errors)) -le "${max_errors:-$now}" ] ||
		diag "$(grep -F "$address" "$kmsg" | grep -F '*ERROR*' | tail -n 5)"
	errors=$now
	echo 1 >"$card/reset" || break
	echo "$address" >$driver/bind 2>/dev/null
	i=$((i + 1))
done
[ $i -eq "$times" ] || [ $clean -eq $quiet_boots ]
ok $? "the card can be reset after every fault"
kill $reader
diag "count $up of $i boots came up$([ $clean -lt $quiet_boots ] ||
	echo "; the last $clean were without errors")"
[ "$(bound "$card")" != sovgpu ] || echo "$address" >$driver/unbind
echo 1 >"$card/reset"
echo "$address" >$driver/bind
is "$(bound "$card")" sovgpu "the driver binds to the card after its last fault"
RENDER_NODE=$(node) program /test/bin/queue_submit
[ -z "${2:-}" ] || { tap_done; exit; } # other cards are still in use
modprobe -r sovgpu
ok $? "sovgpu.ko unloads"
tap_done
