#!/bin/sh
# SPDX-License-Identifier: MIT
# Proof that a clone is enough: makes a minimal Debian in a folder, installs git and make there and
# nothing else, clones the commit that is checked out here, and runs make demo and make check inside,
# without its virtual machines, which are Debians in a folder themselves.
# Needs root and Debian's archive, which it finds in apt's own settings.
#   usage: tests/clean/debian.sh bookworm|trixie [TARGET]...     (targets: demo check)
#   environment: CLEAN_ROOT (/var/tmp; about 3 GiB are used there, and freed)
set -eu
suite=${1:?usage: tests/clean/debian.sh bookworm|trixie [TARGET]...}
shift
[ $# -gt 0 ] || set -- demo check
[ "$(id -u)" -eq 0 ] || { echo "clean: a chroot needs root" >&2; exit 1; }
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -v security | head -n 1)
[ -n "$mirror" ] || { echo "clean: no Debian archive in apt's settings; run apt-get update" >&2; exit 1; }
command -v debootstrap >/dev/null || apt-get install -y -qq debootstrap >/dev/null

work=$(mktemp -d "${CLEAN_ROOT:-/var/tmp}/sov-clean-$suite.XXXXXX")
root=$work/root
leave() {
	! mountpoint -q "$root/proc" || umount "$root/proc"
	rm -rf --one-file-system "$work"
}
trap leave EXIT
trap 'exit 1' INT TERM
inside() {
	chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive VM_CACHE=none \
		timeout -k 30 3600 "$@"
}
quietly() {
	"$@" >"$work/log" 2>&1 || { tail -n 30 "$work/log"; exit 1; }
}

echo "== Debian $suite, minimal"
quietly debootstrap --variant=minbase "$suite" "$root" "$mirror"
cp -r /etc/apt/apt.conf.d "$root/etc/apt/" # the way to the archive may need a proxy
mount -t proc proc "$root/proc"
quietly inside apt-get update -qq
quietly inside apt-get install -y -qq --no-install-recommends git make
rm -rf "$root"/var/lib/apt/lists/* # a clean machine's lists may be empty
git bundle create -q "$root/sovgpu.bundle" HEAD
quietly inside git clone -q /sovgpu.bundle /sovgpu
for target; do
	echo "== make $target on $suite"
	inside make -C /sovgpu "$target"
done
