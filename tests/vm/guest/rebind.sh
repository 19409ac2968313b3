# SPDX-License-Identifier: MIT
# Binds and unbinds the driver $1 times (50) and checks that no memory is lost.
. /test/common.sh
times=${1:-50}
card=$(cards)
address=${card##*/}
driver=/sys/bus/pci/drivers/sovgpu
# Free memory in KiB after the kernel has dropped its caches: page cache, and slabs with freed
# objects that KASAN quarantines, up to a 32nd of all memory. Counts per-CPU free pages too, up to
# an eighth of all memory, which MemFree does not include.
page=$(awk '/^KernelPageSize/ { print $2; exit }' /proc/self/smaps)
free_kib() {
	echo 3 >/proc/sys/vm/drop_caches
	for shrink in /sys/kernel/slab/*/shrink; do
		[ ! -e "$shrink" ] || echo 1 >"$shrink"
	done
	awk -v kib="$page" '/pages free|count:/ { pages += $NF } END { print pages * kib }' /proc/zoneinfo
}
# Binds and unbinds the card $1 times; prints how often that succeeded.
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
ok $? "loading sovgpu.ko a second time is a no-op"
echo "$address" >$driver/unbind
# The first fifth of the rounds fills the kernel's caches.
warm=$((times / 5))
is "$(cycle $warm)" $warm "the card is bound and unbound $warm times to warm up"
before=$(free_kib)
is "$(cycle $((times - warm)))" $((times - warm)) \
	"the card is bound and unbound $((times - warm)) more times"
# A boot takes at least 60 MB, so a leak would show each time. Deferred frees (RCU, lazy vmap)
# return within seconds; a leak never does.
tries=0
lost=$((before - $(free_kib)))
while [ $lost -ge 8192 ] && [ $tries -lt 20 ]; do
	sleep 1
	tries=$((tries + 1))
	lost=$((before - $(free_kib)))
done
[ $lost -lt 8192 ]
ok $? "binding and unbinding loses no memory"
diag "$lost KiB less than $before KiB are free after $tries s"
modprobe -r sovgpu
ok $? "sovgpu.ko unloads"
tap_done
