# SPDX-License-Identifier: MIT
# Bound and unbound again and again, as often as said or 50 times, and memory comes back each time.
. /test/common.sh
times=${1:-50}
card=$(cards)
address=${card##*/}
driver=/sys/bus/pci/drivers/sovgpu
free() {
	sync
	echo 3 >/proc/sys/vm/drop_caches
	awk '/^MemFree/ { print $2 }' /proc/meminfo
}
modprobe sovgpu
modprobe sovgpu
ok $? "loading a module that is loaded does nothing"
echo "$address" >$driver/unbind
before=$(free)
good=0
while [ $good -lt "$times" ] && echo "$address" >$driver/bind && [ -c /dev/dri/renderD128 ] &&
	echo "$address" >$driver/unbind && [ ! -e /dev/dri/renderD128 ]; do
	good=$((good + 1))
done
is $good "$times" "the card is bound and unbound $times times"
lost=$((before - $(free)))
# A boot takes 60 MB and more; that much would be missing each time.
[ $lost -lt 16384 ]
ok $? "no memory is lost"
diag "$lost KiB less are free"
modprobe -r sovgpu
ok $? "sovgpu.ko unloads"
tap_done
