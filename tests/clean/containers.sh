#!/bin/sh
# SPDX-License-Identifier: MIT
# The specification of sov cdi is used: podman reads it and starts containers, whose only file is sov, with a software GPU each.
# Prints TAP. Not part of make check: it needs root and podman (Debian: podman, crun).
#   usage: tests/clean/containers.sh        environment: BUILD (build)
set -eu
: "${BUILD:=build}"
. tests/tap.sh
command -v podman >/dev/null || { echo "1..0 # SKIP podman is not installed (apt-get install podman crun)"; exit 0; }
[ "$(id -u)" -eq 0 ] || { echo "1..0 # SKIP containers need root here"; exit 0; }
work=$(mktemp -d /var/tmp/sov-containers.XXXXXX)
specification=/etc/cdi/sovgpu-test.json
trap 'umount "$work/store/overlay" 2>/dev/null; rm -rf "$work" "$specification"' EXIT
trap 'exit 1' INT TERM
export SOV_NVRM=0 SOV_KMOD=0
mkdir -p "$work/image/bin" "$work/image/proc" "$work/image/sys" "$work/image/dev" "$work/image/tmp" "$work/image/etc" "$work/image/run" /etc/cdi
cp "$BUILD/sov" "$work/image/bin/"
if readelf -d "$BUILD/sov" 2>/dev/null | grep -q NEEDED; then
	echo "1..0 # SKIP $BUILD/sov is not static: the container would need its libraries"
	exit 0
fi
contain() { # DEVICE COMMAND...
	device=$1
	shift
	# A mount namespace with version 2 of control groups alone: crun refuses a mixture with version 1.
	timeout 60 unshare -m sh -c 'umount -R /sys/fs/cgroup; mount -t cgroup2 none /sys/fs/cgroup; exec "$@"' sh \
		podman --root "$work/store" --runroot "$work/run" --cgroup-manager cgroupfs --log-level error run --rm --network none \
		--cgroups disabled --ulimit nofile=1024:1024 --ulimit nproc=4096:4096 --device "$device" --rootfs "$work/image" "$@"
}
diag "$(podman --version), $(crun --version 2>/dev/null | head -n 1)"
SOV_SOFT=gh100:vram=256M,navi21 "$BUILD/sov" cdi >"$specification"
sees() { # DEVICE
	contain "sovgpu/gpu=$1" /bin/sov devices 2>&1 | sed -n 's/^\([0-9]\)  *\([a-z0-9.]*\) .*/\1 \2/p; s/^   memory *//p'
}
is "$(sees gh100.0)" "0 gh100.0
256 MiB" "a container with the device gh100.0 has it, with its options"
is "$(sees navi21.0 | head -n 1)" "0 navi21.0" "a container with the device navi21.0 has that one alone"
is "$(sees all | grep -v MiB)" "0 gh100.0
1 navi21.0" "a container with all devices has both"
out=$(contain sovgpu/gpu=gh100.7 /bin/sov devices 2>&1) || :
has "$out" "gh100.7" "a device that is not in the specification is refused by name"
sed 's/"name": "all"/"name": "?"/' "$specification" >"$work/broken" && cp "$work/broken" "$specification"
out=$(contain sovgpu/gpu=all /bin/sov devices 2>&1) || :
case $out in *gh100.0*Hopper*) accepted=1 ;; *) accepted=0 ;; esac
ok $accepted "a specification that is not valid is refused"
tap_done
