# SPDX-License-Identifier: MIT
# Bound and unbound again and again, as often as said or 50 times, and memory comes back each time.
. /test/common.sh
times=${1:-50}
card=$(cards)
address=${card##*/}
driver=/sys/bus/pci/drivers/sovgpu
# KiB that are free when the kernel has let go of what it keeps for later: caches of files, and slabs with the
# freed objects that KASAN holds back, up to a 32nd of all memory. Pages that processors keep at hand are free, too,
# though MemFree does not count them: up to an eighth of all memory.
page=$(awk '/^KernelPageSize/ { print $2; exit }' /proc/self/smaps)
free() {
	echo 3 >/proc/sys/vm/drop_caches
	for shrink in /sys/kernel/slab/*/shrink; do
		[ ! -e "$shrink" ] || echo 1 >"$shrink"
	done
	awk -v kib="$page" '/pages free|count:/ { pages += $NF } END { print pages * kib }' /proc/zoneinfo
}
# Binds and unbinds the card $1 times; prints how often it went well.
cycle() {
	good=0
	while [ $good -lt "$1" ] && echo "$address" >$driver/bind && [ -c /dev/dri/renderD128 ] &&
		echo "$address" >$driver/unbind && [ ! -e /dev/dri/renderD128 ]; do
		good=$((good + 1))
	done
	echo $good
}
modprobe sovgpu
modprobe sovgpu
ok $? "loading a module that is loaded does nothing"
echo "$address" >$driver/unbind
# The first fifth fills what a kernel keeps for itself.
warm=$((times / 5))
is "$(cycle $warm)" $warm "the card is bound and unbound $warm times"
before=$(free)
is "$(cycle $((times - warm)))" $((times - warm)) "and $((times - warm)) times more"
# A boot takes 60 MB and more; that much would be missing each time. What the kernel frees later
# (RCU, lazily unmapped areas) comes back within seconds; what is lost never does.
tries=0
lost=$((before - $(free)))
while [ $lost -ge 8192 ] && [ $tries -lt 20 ]; do
	sleep 1
	tries=$((tries + 1))
	lost=$((before - $(free)))
done
[ $lost -lt 8192 ]
ok $? "no memory is lost"
diag "$lost KiB less are free than $before after $tries s"
modprobe -r sovgpu
ok $? "sovgpu.ko unloads"
tap_done
