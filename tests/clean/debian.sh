#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks that a clone builds on clean systems: for each suite, creates a minimal Debian chroot, installs
# only git and make, clones the commit that is checked out here, and runs make demo and make check in
# it, without the virtual machines, which are Debian chroots themselves. Ends with the last line of
# each target, for docs/evidence.md. Needs root and Debian's archive, which it takes from apt's
# settings.
#   usage: tests/clean/debian.sh [bookworm] [trixie]     (default: both)
#   environment: TARGETS (demo check)  CLEAN_ROOT (/var/tmp; needs about 3 GiB, removed afterwards)
set -eu
known="bookworm trixie"
# shellcheck disable=SC2086 # a list of words
[ $# -gt 0 ] || set -- $known
for suite; do
	case " $known " in
	*" $suite "*) ;;
	*) echo "clean: unknown suite '$suite'; known: $known" >&2 && exit 1 ;;
	esac
done
[ "$(id -u)" -eq 0 ] || { echo "clean: a chroot needs root" >&2; exit 1; }
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -v security | head -n 1)
[ -n "$mirror" ] || { echo "clean: no Debian archive in apt's settings; run apt-get update" >&2; exit 1; }
command -v debootstrap >/dev/null || apt-get install -y -qq debootstrap >/dev/null

work=$(mktemp -d "${CLEAN_ROOT:-/var/tmp}/sov-clean.XXXXXX")
root=$work/root
remove_root() {
	! mountpoint -q "$root/proc" || umount "$root/proc"
	rm -rf --one-file-system "$root"
}
trap 'remove_root; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
inside() {
	chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive \
		VM_CACHE=none "$@"
}
quietly() {
	"$@" >"$work/log" 2>&1 || { tail -n 30 "$work/log"; return 1; }
}

prepare() { # suite
	echo "== Debian $1, minimal"
	quietly debootstrap --variant=minbase "$1" "$root" "$mirror" || return 1
	cp -r /etc/apt/apt.conf.d "$root/etc/apt/" # the archive may need a proxy
	mount -t proc proc "$root/proc" &&
		quietly inside apt-get update -qq &&
		quietly inside apt-get install -y -qq --no-install-recommends git make || return 1
	rm -rf "$root"/var/lib/apt/lists/* # a clean machine may have empty package lists
	git bundle create -q "$root/sovgpu.bundle" HEAD && quietly inside git clone -q /sovgpu.bundle /sovgpu
}

status=0
commit=$(git rev-parse --short=8 HEAD)
: >"$work/last_lines"
for suite; do
	if prepare "$suite"; then
		for target in ${TARGETS:-demo check}; do
			echo "== make $target on $suite"
			{ inside make -C /sovgpu "$target" 2>&1 && echo 0 >"$work/status" || echo 1 >"$work/status"; } |
				tee "$work/output"
			[ "$(cat "$work/status")" = 0 ] || status=1
			# The line before make's own error messages.
			echo "$suite, $commit, make $target: $(grep -vE '^make(\[[0-9]+\])?: ' "$work/output" | tail -n 1)" \
				>>"$work/last_lines"
		done
	else
		status=1
		echo "$suite, $commit: could not be prepared" >>"$work/last_lines"
	fi
	remove_root
done
echo "== last lines"
cat "$work/last_lines"
exit $status
