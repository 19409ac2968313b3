# SPDX-License-Identifier: MIT
# Runs faults.sh on every card until no faults are left; concurrently, because it mostly waits.
. /test/common.sh
modprobe sovgpu
count=$(cards | wc -l)
for n in $(seq "$count"); do
	(sh /test/faults.sh 100000 "$n" >/tmp/faults$n.out 2>&1; echo >/tmp/over$n) &
done
# Prints progress, and the kernel's log before its buffer wraps.
while [ "$(ls /tmp/over* 2>/dev/null | wc -l)" -lt "$count" ]; do
	sleep 60
	done=$(cat /tmp/faults*.out | grep -c 'unbinds from the faulty card')
	echo "# $done faults so far, $(cut -d . -f 1 /proc/uptime) s"
	dmesg -c | sed 's/^/guest: dmesg: /'
done
for n in $(seq "$count"); do
	sed '/^1\.\./d' /tmp/faults$n.out
	grep -q '^1\.\.' /tmp/faults$n.out
	ok $? "the fault sweep of card $n runs to completion"
done
modprobe -r sovgpu
ok $? "sovgpu.ko unloads"
tap_done
