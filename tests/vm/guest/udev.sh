# SPDX-License-Identifier: MIT
# scenario
# kernels: trixie-backports
# results: 19
# card: gh100
# card: gh100
# modules: installed
# A machine with the installed driver (tests/vm/install.sh) and a real udev: udev loads the module
# when it finds the card, and the rule gives each card its /dev/sovgpuN link and its group.
. /test/common.sh
debian() { # Debian program; the variable keeps udev's programs from refusing to run in a chroot
	SYSTEMD_IGNORE_CHROOT=1 chroot /debian "$@"
}
settled() {
	debian /usr/bin/udevadm settle --timeout=60
	ok $? "udev has settled: $1"
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
settled "cards are found"
is "$(bound "$1") $(bound "$2")" "sovgpu sovgpu" "udev loads the module, which binds to both cards"
is "$(link 0) $(link 1)" "dri/renderD128 dri/renderD129" "each card has a /dev/sovgpuN link"
group=$(awk -F : '$1 == "render" { print $3 }' /debian/etc/group)
is "$(stat -c '%a %g' /dev/dri/renderD128)" "660 $group" "the render nodes belong to group render"
/test/bin/bo_info >/tmp/out
ok $? "the first card works under udev"
echo "${1##*/}" >/sys/bus/pci/drivers/sovgpu/unbind
settled "one card is unbound"
is "$(ls /dev | grep sovgpu)" sovgpu1 "udev removes the link of the unbound card alone"
echo "${1##*/}" >/sys/bus/pci/drivers/sovgpu/bind
settled "the card is bound again"
is "$(link 0) $(link 1)" "dri/renderD128 dri/renderD129" \
	"a card that is bound again gets its previous link"
debian /usr/sbin/modprobe -r sovgpu
ok $? "sovgpu.ko unloads"
settled "the module is unloaded"
is "$(ls /dev | grep sovgpu)" "" "udev removes the links when the module is unloaded"
debian /usr/bin/udevadm control --exit
ok $? "udev exits"
tap_done
