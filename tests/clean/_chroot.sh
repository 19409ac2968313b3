# SPDX-License-Identifier: MIT
# A clean Debian in a chroot for the tests of packages: sourced by scripts that set $name. Each makes $root with make_chroot
# and runs commands in it with `inside`; it is removed at the end. Debian's archive and a proxy are those of apt's settings.
#   environment: CLEAN_ROOT (/var/tmp)  CLEAN_SUITE (trixie)
#                CLEAN_BASE (a folder with a minimal Debian of that suite, copied instead of made by debootstrap)
#                DEBS (a folder with packages that make deb built; default: they are built in a chroot of that suite)
#                KEEP_DEBS (a folder: packages that were built are copied there, for DEBS of the next test)
[ "$(id -u)" -eq 0 ] || { echo "$name: a chroot needs root" >&2; exit 1; }
suite=${CLEAN_SUITE:-trixie}
work=$(mktemp -d "${CLEAN_ROOT:-/var/tmp}/sov-$name.XXXXXX")
root=$work/root
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -v security | head -n 1)
[ -n "$mirror" ] || { echo "$name: no Debian archive in apt's settings; run apt-get update" >&2; exit 1; }

unmount_root() {
	for mounted in dev/pts sys proc; do
		! mountpoint -q "$root/$mounted" || umount -l "$root/$mounted"
	done
}
at_exit=: # a script may stop what it started
trap '$at_exit; unmount_root; rm -rf --one-file-system "$work"' EXIT
trap 'exit 1' INT TERM

inside() {
	chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
		SOV_NVRM=0 SOV_KMOD=0 "$@"
}
quietly() {
	"$@" >"$work/log" 2>&1 || { tail -n 30 "$work/log"; return 1; }
}
install_in_chroot() {
	quietly inside apt-get install -y -qq --no-install-recommends -o Dpkg::Options::=--force-unsafe-io "$@"
}

# make_chroot [ROOT]: a minimal Debian, with package lists.
make_chroot() {
	root=${1:-$root}
	if [ -n "${CLEAN_BASE:-}" ]; then
		cp -a "$CLEAN_BASE" "$root"
	else
		command -v debootstrap >/dev/null || apt-get install -y -qq debootstrap >/dev/null
		quietly debootstrap --variant=minbase "$suite" "$root" "$mirror"
	fi
	# The archive may need a proxy; a file of a package would be a conflict when it is installed.
	apt-config dump | grep -E '^Acquire::.*[Pp]roxy' >"$root/etc/apt/apt.conf.d/99proxy" || true
	mount -t proc proc "$root/proc"
	quietly inside apt-get update -qq
}

# build_debs: fills $debs with the packages of the checked-out commit, and $newer with those of a later revision.
build_debs() {
	debs=$work/debs newer=$work/newer
	mkdir "$debs" "$newer"
	if [ -n "${DEBS:-}" ]; then
		cp "$DEBS"/*.deb "$debs"
	else
		make_chroot "$work/build"
		install_in_chroot build-essential git debhelper dh-dkms dh-python libdrm-dev libvulkan-dev pkgconf python3
		git bundle create -q "$root/sovgpu.bundle" HEAD
		quietly inside git clone -q /sovgpu.bundle /sovgpu
		quietly inside make -C /sovgpu deb
		cp "$root"/sovgpu/build/deb/*.deb "$debs"
		[ -z "${KEEP_DEBS:-}" ] || { mkdir -p "$KEEP_DEBS" && cp "$debs"/*.deb "$KEEP_DEBS"; }
		unmount_root
		rm -rf --one-file-system "$root"
		root=$work/root
	fi
	rm -f "$debs"/*-dbgsym_*.deb
	# A later version has the same files: its numbers are what matters to dpkg.
	for deb in "$debs"/*.deb; do
		dpkg-deb -R "$deb" "$work/unpacked"
		sed -i -E '/^(Version|Depends|Suggests):/s/\b0\.1\.0\b/&+1/g' "$work/unpacked/DEBIAN/control"
		dpkg-deb -b --root-owner-group -Znone "$work/unpacked" "$newer" >/dev/null
		rm -rf "$work/unpacked"
	done
}
