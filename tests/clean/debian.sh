#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks that a clone builds on a clean system: creates a minimal Debian chroot, installs only git
# and make, clones the commit that is checked out here, and runs make demo and make check in it,
# without the virtual machines, which are Debian chroots themselves. Needs root and Debian's
# archive, which it takes from apt's settings.
#   usage: tests/clean/debian.sh bookworm|trixie [TARGET]...     (default targets: demo check)
#   environment: CLEAN_ROOT (/var/tmp; needs about 3 GiB, removed afterwards)
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
cleanup() {
	! mountpoint -q "$root/proc" || umount "$root/proc"
	rm -rf --one-file-system "$work"
}
trap cleanup EXIT
trap 'exit 1' INT TERM
inside() {
	chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive \
		VM_CACHE=none timeout -k 30 3600 "$@"
}
quietly() {
	"$@" >"$work/log" 2>&1 || { tail -n 30 "$work/log"; exit 1; }
}

echo "== Debian $suite, minimal"
quietly debootstrap --variant=minbase "$suite" "$root" "$mirror"
cp -r /etc/apt/apt.conf.d "$root/etc/apt/" # the archive may need a proxy
mount -t proc proc "$root/proc"
quietly inside apt-get update -qq
quietly inside apt-get install -y -qq --no-install-recommends git make
rm -rf "$root"/var/lib/apt/lists/* # a clean machine may have empty package lists
git bundle create -q "$root/sovgpu.bundle" HEAD
quietly inside git clone -q /sovgpu.bundle /sovgpu
for target; do
	echo "== make $target on $suite"
	inside make -C /sovgpu "$target"
done
