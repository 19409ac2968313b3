# SPDX-License-Identifier: MIT
# scenario
# kernels: trixie-debug
# card: gh100 --fault sweep:15:19:8
# The GSP goes wrong at another message of every boot, in every way that it can (model/card/fault_injection.c), while the driver boots it,
# asks it something or leaves. Whatever happens, calls come back, the card can be given up, and after a reset it is as
# good as new. So many times, or until for as many boots as there are ways nothing goes wrong, which is when there are no
# more messages (14: model/card/fault_injection.c has as many). With $ways and $most other faults are tried the same way: so many
# boots without one, and there are no more; so many lines about each, and no more.
. /test/common.sh
times=${1:-8}
card=$(cards | sed -n "${2:-1}p")
address=${card##*/}
ways=${ways:-14}
driver=/sys/bus/pci/drivers/sovgpu
up=0 clean=0 errors=0
said=/tmp/said$address
transcript=/tmp/out$address # others may do the same at the same time
cat /dev/kmsg >"$said" & # the kernel forgets what is long ago
reader=$!
modprobe sovgpu
ok $? "sovgpu.ko loads"
node() { # the card's
	echo "/dev/dri/$(ls "$card/drm" | grep renderD)"
}
i=1
while [ $i -lt "$times" ] && [ $clean -lt $ways ]; do
	if [ "$(bound "$card")" = sovgpu ]; then
		up=$((up + 1))
		RENDER_NODE=$(node) /test/bin/_exercise || echo "not ok $i - every call comes back"
		echo "$address" >$driver/unbind
	fi
	is "$(bound "$card")" "" "the driver lets the card go, time $i"
	clean=$((clean + 1))
	now=$(grep -F "$address" "$said" | grep -cF '*ERROR*')
	[ "$now" = "$errors" ] || clean=0
	[ $((now - errors)) -le "${most:-$now}" ]
	ok $? "and says no more about it than it needs to, time $i"
	[ $((now - errors)) -le "${most:-$now}" ] || diag "$(grep -F "$address" "$said" | grep -F '*ERROR*' | tail -n 5)"
	errors=$now
	echo 1 >"$card/reset" || break
	echo "$address" >$driver/bind 2>/dev/null
	i=$((i + 1))
done
[ $i -eq "$times" ] || [ $clean -eq $ways ]
ok $? "each time the card could be reset"
kill $reader
diag "count $up of $i boots came up$([ $clean -lt $ways ] || echo "; the last $clean had nothing wrong any more")"
[ "$(bound "$card")" != sovgpu ] || echo "$address" >$driver/unbind
echo 1 >"$card/reset"
echo "$address" >$driver/bind
is "$(bound "$card")" sovgpu "a card that has done with its faults comes up"
RENDER_NODE=$(node) program /test/bin/queue_submit
[ -z "${2:-}" ] || { tap_done; exit; } # others are not done yet
modprobe -r sovgpu
ok $? "sovgpu.ko unloads"
tap_done
