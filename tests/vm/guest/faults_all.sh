# SPDX-License-Identifier: MIT
# scenario of check-long
# kernels: trixie-debug
# memory: 2G
# card: gh100 --fault sweep:0:4:100000
# card: gh100 --fault sweep:1:4:100000
# card: gh100 --fault sweep:2:4:100000
# card: gh100 --fault sweep:3:4:100000
# Every fault with every message of a boot, of a little of everything and of the end, until there are no more messages. Four
# cards share the work, because most of it is waiting. Takes hours (VM_TIMEOUT); part of check-long.
. /test/common.sh
modprobe sovgpu
for n in 1 2 3 4; do
	(sh /test/faults.sh 100000 $n >/tmp/faults$n.out 2>&1; echo >/tmp/over$n) &
done
# A line now and then, for who waits; and what the kernel said, before it forgets.
while [ "$(ls /tmp/over[1-4] 2>/dev/null | wc -l)" -lt 4 ]; do
	sleep 60
	echo "# $(cat /tmp/faults[1-4].out | grep -c 'lets the card go') faults so far, $(cut -d . -f 1 /proc/uptime) s"
	dmesg -c | sed 's/^/guest: dmesg: /'
done
for n in 1 2 3 4; do
	sed '/^1\.\./d' /tmp/faults$n.out
	grep -q '^1\.\.' /tmp/faults$n.out
	ok $? "the sweep of card $n comes to its end"
done
modprobe -r sovgpu
ok $? "sovgpu.ko unloads"
tap_done
