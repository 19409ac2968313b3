# SPDX-License-Identifier: MIT
# scenario
# kernels: trixie-backports
# card: gh100
# card: gh100
# modules: installed
# A machine where the driver was installed (tests/vm/install.sh) and a real udev runs: the module comes by
# itself when the card is seen, and the rule gives each card its second name and its group.
. /test/common.sh
debian() { # path of a program of Debian's; udev's own believe that they do nothing good in a chroot
	SYSTEMD_IGNORE_CHROOT=1 chroot /debian "$@"
}
settled() {
	debian /usr/bin/udevadm settle --timeout=60
	ok $? "udev has done its work: $1"
}
link() { # number
	readlink "/dev/sovgpu$1"
}
# shellcheck disable=SC2046 # two words
set -- $(cards)
for fs in proc:proc sysfs:sys devtmpfs:dev tmpfs:run; do
	mount -t "${fs%:*}" "${fs%:*}" "/debian/${fs#*:}"
done
cp /debian/usr/share/doc/sovgpu/modprobe.conf /debian/etc/modprobe.d/sovgpu.conf
debian /usr/bin/systemd-udevd --daemon
ok $? "udev starts"
debian /usr/bin/udevadm trigger --action=add --subsystem-match=pci
settled "cards are seen"
is "$(bound "$1") $(bound "$2")" "sovgpu sovgpu" "the module came by itself and has both"
is "$(link 0) $(link 1)" "dri/renderD128 dri/renderD129" "each has a second name"
group=$(awk -F : '$1 == "render" { print $3 }' /debian/etc/group)
is "$(stat -c '%a %g' /dev/dri/renderD128)" "660 $group" "their nodes are for the group render"
/test/bin/bo_info >/tmp/out
ok $? "and work"
echo "${1##*/}" >/sys/bus/pci/drivers/sovgpu/unbind
settled "one card goes"
is "$(ls /dev | grep sovgpu)" sovgpu1 "its name goes with it, and the other stays"
echo "${1##*/}" >/sys/bus/pci/drivers/sovgpu/bind
settled "it comes back"
is "$(link 0) $(link 1)" "dri/renderD128 dri/renderD129" "with its old name"
debian /usr/sbin/modprobe -r sovgpu
ok $? "sovgpu.ko unloads"
settled "both are gone"
is "$(ls /dev | grep sovgpu)" "" "no name is left"
debian /usr/bin/udevadm control --exit
ok $? "udev ends"
tap_done
