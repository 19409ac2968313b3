# SPDX-License-Identifier: MIT
# scenario
# kernels: trixie-debug
# card: gh100 --fault sweep:15:19:8
# The GSP goes wrong at another message of every boot, in every way that it can (model/card/fault.c), while the driver boots it,
# asks it something or leaves. Whatever happens, calls come back, the card can be given up, and after a reset it is as
# good as new.
. /test/common.sh
times=${1:-8}
card=$(cards)
address=${card##*/}
driver=/sys/bus/pci/drivers/sovgpu
up=0
modprobe sovgpu
ok $? "sovgpu.ko loads"
i=1
while [ $i -lt "$times" ]; do
	if [ "$(bound "$card")" = sovgpu ]; then
		up=$((up + 1))
		/test/bin/_exercise || echo "not ok $i - every call comes back"
		echo "$address" >$driver/unbind
	fi
	is "$(bound "$card")" "" "the driver lets the card go, time $i"
	echo 1 >"$card/reset" || break
	echo "$address" >$driver/bind 2>/dev/null
	i=$((i + 1))
done
is $i "$times" "each time the card could be reset"
diag "$up of $i boots came up"
[ "$(bound "$card")" != sovgpu ] || echo "$address" >$driver/unbind
echo 1 >"$card/reset"
echo "$address" >$driver/bind
is "$(bound "$card")" sovgpu "a card that has done with its faults comes up"
program /test/bin/queue_submit
modprobe -r sovgpu
ok $? "sovgpu.ko unloads"
tap_done
