# SPDX-License-Identifier: MIT
# Every card of the machine goes through its faults until there are no more (faults.sh), all at the same time, because most of
# it is waiting.
. /test/common.sh
modprobe sovgpu
count=$(cards | wc -l)
for n in $(seq "$count"); do
	(sh /test/faults.sh 100000 "$n" >/tmp/faults$n.out 2>&1; echo >/tmp/over$n) &
done
# A line now and then, for who waits; and what the kernel said, before it forgets.
while [ "$(ls /tmp/over* 2>/dev/null | wc -l)" -lt "$count" ]; do
	sleep 60
	echo "# $(cat /tmp/faults*.out | grep -c 'lets the card go') faults so far, $(cut -d . -f 1 /proc/uptime) s"
	dmesg -c | sed 's/^/guest: dmesg: /'
done
for n in $(seq "$count"); do
	sed '/^1\.\./d' /tmp/faults$n.out
	grep -q '^1\.\.' /tmp/faults$n.out
	ok $? "the sweep of card $n comes to its end"
done
modprobe -r sovgpu
ok $? "sovgpu.ko unloads"
tap_done
