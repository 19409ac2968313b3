#!/bin/sh
# SPDX-License-Identifier: MIT
# The driver is installed as a user does it, looked at, and taken away again; runs in a copy of the chroot
# that has the kernel RELEASE installed (inside -k). Leaves the module in /run/vm/module-RELEASE, and for
# machines with a real udev a piece of initramfs, /run/vm/installed.cpio: below /debian the programs, the
# rules, and the installed modules that the driver needs, with the kernel's whole list of modules.
#   usage: install.sh RELEASE
set -u
cd /run/source || exit 1
. tests/tap.sh
release=$1
modules=/lib/modules/$release
rule=/usr/lib/udev/rules.d/70-sovgpu.rules
example=/usr/share/doc/sovgpu/modprobe.conf

copy() { # a file, to the same place below /debian, with the libraries that it is linked with
	for f in "$1" $(ldd "$1" 2>/dev/null | awk '{ for (i = 1; i <= NF; i++) if ($i ~ "^/") print $i }'); do
		mkdir -p "/run/stage/debian$(dirname "$f")"
		cp -L "$f" "/run/stage/debian$f" || return 1
	done
}

pack() {
	mkdir -p /run/stage/debian/usr/bin /run/stage/debian/usr/lib /run/stage/debian/usr/sbin \
		/run/stage/debian/etc/modprobe.d /run/stage/debian/dev /run/stage/debian/proc \
		/run/stage/debian/sys /run/stage/debian/run || return 1
	for link in bin lib sbin; do
		ln -s "usr/$link" "/run/stage/debian/$link"
	done
	# udev opens the library of modprobe by itself.
	for f in $(ldconfig -p | awk '$1 == "libkmod.so.2" { print $NF }') /bin/sh /usr/bin/udevadm /usr/sbin/modprobe /etc/passwd /etc/group /etc/nsswitch.conf \
		"$example" /usr/lib/udev/rules.d/* "$modules"/modules.* $(modprobe -S "$release" --show-depends sovgpu |
		awk '$1 == "insmod" { print $2 }'); do
		copy "$f" || return 1
	done
	ln -s /usr/bin/udevadm /run/stage/debian/usr/bin/systemd-udevd
	cd /run/stage && find . | cpio --quiet -o -H newc >/run/vm/installed.cpio
}

make -s dkms-install "KERNEL=$release"
ok $? "make dkms-install builds and installs the module"
[ -f $rule ] && [ -f $example ]
ok $? "with the rule for udev and the example for modprobe"
file=$(modprobe -S "$release" --show-depends sovgpu 2>/dev/null | awk '$1 == "insmod" { f = $2 } END { print f }')
case $file in
"$modules"/updates/*sovgpu.ko*) ok 0 "modprobe finds it among the updates" ;;
*) ok 1 "modprobe finds it among the updates: '$file'" ;;
esac
# What would be loaded for an H200 when the bus shows one. The example leaves out Debian's own driver, if any.
drivers() { # file of settings
	modprobe -S "$release" -C "$1" -n -v pci:v000010DEd00002335sv000010DEsd000018BFbc03sc02i00 |
		sed -nE 's#.*/(nouveau|nova_core|sovgpu)\.ko.*#\1#p'
}
has " $(drivers /dev/null | tr '\n' ' ')" " sovgpu " "it would be loaded for an H200"
is "$(drivers $example)" sovgpu "with the example for modprobe it alone"
rm -rf "/run/vm/module-$release"
mkdir "/run/vm/module-$release" && cp "$file" "/run/vm/module-$release/"
ok $? "it can be packed"
( pack )
ok $? "and so can what a machine with udev needs"
make -s dkms-uninstall
ok $? "make dkms-uninstall takes it away"
modprobe -S "$release" --show-depends sovgpu >/dev/null 2>&1
ok $((! $?)) "modprobe finds it no more"
# Lists of modules are made anew; the key is dkms's own, and /tmp anybody's.
is "$(cd /run/written && find . ! -type d | grep -vE '^\./(modules/modules\.|root/var/lib/dkms/mok\.|root/tmp/)')" "" \
	"nothing of it is left"
tap_done
