# SPDX-License-Identifier: MIT
# The card is seen, the module binds to it, answers, and goes without a trace.
. /test/common.sh

card=$(cards)
[ -n "$card" ]
ok $? "an NVIDIA card is on the bus"
is "$(cat "$card/device" "$card/class" "$card/subsystem_device" "$card/revision" | tr '\n' ' ')" \
	"0x2335 0x030200 0x18bf 0xa1 " "it is an H200: 10de:2335, 3D controller"
sizes=$(awk '{ print $1, $2 }' "$card/resource" | sed -n '1p;3p;5p' | while read -r first last; do
	printf '%d ' $(((last - first + 1) >> 20))
done)
is "$sizes" "16 262144 32 " "its windows have 16 MiB, 256 GiB and 32 MiB"

modprobe sovgpu
ok $? "sovgpu.ko loads"
is "$(bound "$card")" sovgpu "it binds to the card"
[ -c /dev/dri/renderD128 ]
ok $? "there is a render node"
# Where memory's types are a matter of address (x86), what processes map of the window is what was reserved.
types=/sys/kernel/debug/x86/pat_memtype_list
if [ -e $types ]; then
	window=$(awk 'NR == 3 { print $1, $2 }' "$card/resource" | while read -r first last; do
		printf '0x%016x-0x%016x' "$first" $((last + 1))
	done)
	grep -q "$window. write-combining" $types
	ok $? "the window to its memory is write-combining"
fi
insmod "/lib/modules/$(uname -r)/sovgpu.ko" 2>/tmp/twice
ok $((! $?)) "a second one is refused"
grep -q "File exists" /tmp/twice
ok $? "because it is there already"
is "$(bound "$card") $(ls /dev/dri | grep -c renderD)" "sovgpu 1" "which changes nothing for the first"
programs
modprobe -r sovgpu
ok $? "sovgpu.ko unloads"
[ ! -e /dev/dri/renderD128 ]
ok $? "the render node is gone"
is "$(lsmod | grep -c '^sovgpu ')" 0 "the module is gone"
modprobe sovgpu && modprobe -r sovgpu
ok $? "it loads and unloads a second time"
tap_done
