#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs the driver as a user would, checks the result, and uninstalls it; runs in a copy of the
# chroot that has the kernel RELEASE installed (inside -k). Leaves the module in
# /run/vm/module-RELEASE, and for machines with a real udev an initramfs part,
# /run/vm/installed.cpio: programs, rules, the installed modules that the driver needs and the
# kernel's module lists, in /debian.
#   usage: install.sh RELEASE
set -u
cd /run/source || exit 1
. tests/tap.sh
release=$1
modules=/lib/modules/$release
rule=/usr/lib/udev/rules.d/70-sovgpu.rules
example=/usr/share/doc/sovgpu/modprobe.conf

copy() { # file: copies it with its libraries to the same path in /debian
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
	# udev loads libkmod with dlopen.
	for f in $(ldconfig -p | awk '$1 == "libkmod.so.2" { print $NF }') /bin/sh /usr/bin/udevadm \
		/usr/sbin/modprobe /etc/passwd /etc/group /etc/nsswitch.conf \
		"$example" /usr/lib/udev/rules.d/* "$modules"/modules.* \
		$(modprobe -S "$release" --show-depends sovgpu | awk '$1 == "insmod" { print $2 }'); do
		copy "$f" || return 1
	done
	ln -s /usr/bin/udevadm /run/stage/debian/usr/bin/systemd-udevd
	cd /run/stage && find . | cpio --quiet -o -H newc >/run/vm/installed.cpio
}

make -s dkms-install "KERNEL=$release"
ok $? "make dkms-install builds and installs the module"
[ -f $rule ] && [ -f $example ]
ok $? "make dkms-install installs the udev rule and the modprobe.d example"
file=$(modprobe -S "$release" --show-depends sovgpu 2>/dev/null |
	awk '$1 == "insmod" { f = $2 } END { print f }')
case $file in
"$modules"/updates/*sovgpu.ko*) ok 0 "modprobe finds the installed module in updates" ;;
*) ok 1 "modprobe finds the installed module in updates: '$file'" ;;
esac
# Prints the drivers that modprobe would load for an H200. The example blacklists Debian's drivers.
drivers() { # modprobe configuration file
	modprobe -S "$release" -C "$1" -n -v pci:v000010DEd00002335sv000010DEsd000018BFbc03sc02i00 |
		sed -nE 's#.*/(nouveau|nova_core|sovgpu)\.ko.*#\1#p'
}
has " $(drivers /dev/null | tr '\n' ' ')" " sovgpu " "modprobe would load sovgpu for an H200"
is "$(drivers $example)" sovgpu "with the modprobe.d example modprobe would load only sovgpu for an H200"
rm -rf "/run/vm/module-$release"
mkdir "/run/vm/module-$release" && cp "$file" "/run/vm/module-$release/"
ok $? "the installed module is copied for the initramfs"
( pack )
ok $? "the files of a machine with udev are packed"
make -s dkms-uninstall
ok $? "make dkms-uninstall succeeds"
modprobe -S "$release" --show-depends sovgpu >/dev/null 2>&1
ok $((! $?)) "modprobe finds no module after make dkms-uninstall"
# Ignore regenerated module lists, dkms's key and /tmp.
is "$(cd /run/written && find . ! -type d | grep -vE '^\./(modules/modules\.|root/var/lib/dkms/mok\.|root/tmp/)')" "" \
	"make dkms-uninstall leaves no files"
tap_done
