#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds a kernel with debug checkers (debug.config) from Debian's kernel source; runs in the
# chroot, with this folder as /run/tests. Leaves the kernel in /kernel, as prepare.sh does for
# Debian's kernels, the files for building modules in /debug, and checkpatch. Prints its progress.
#   usage: debug_kernel.sh SUITE ARCHITECTURE IMAGE
set -eu
suite=$1 arch=$2 image=$3

rm -rf /debug
mkdir -p /debug/deb /debug/source /debug/build
cd /debug/deb
echo "source"
package=$(apt-cache depends -o "APT::Default-Release=$suite" linux-source |
	sed -n 's/.*Depends: \(linux-source-.*\)/\1/p' | head -n 1)
apt-get download -qq -t "$suite" "$package"
dpkg -x linux-source-*.deb .
tar -xf usr/src/linux-source-*.tar.xz --strip-components=1 -C /debug/source
cd /debug/source
rm -r /debug/deb

# DRM helpers have no Kconfig prompt: drivers select them, and so does this option.
cat >>drivers/gpu/drm/Kconfig <<'EOK'

config SOVGPU_NEEDS
	bool "Helpers that sovgpu.ko needs"
	depends on DRM=y
	select DRM_BUDDY
	select DRM_EXEC
	select DRM_GPUVM
	select DRM_SCHED
EOK
# 6.12 releases a minor whose device could not be created with put_device() of an error pointer,
# which would crash every run in which that allocation fails.
minor=drivers/gpu/drm/drm_drv.c
sed -i '/^static void drm_minor_alloc_release/,/^}/s/^\tput_device(minor->kdev);/\tif (!IS_ERR(minor->kdev))\n\t&/' $minor
grep -A12 '^static void drm_minor_alloc_release' $minor | grep -q IS_ERR ||
	echo "drm_minor_alloc_release was not patched" >&2
make -s O=/debug/build allnoconfig
cat /run/tests/debug.config "/run/tests/debug-$arch.config" >/debug/wanted
scripts/kconfig/merge_config.sh -m -O /debug/build /debug/build/.config /debug/wanted >/dev/null
make -s O=/debug/build olddefconfig
lost=$(grep -E '^(# )?CONFIG_[A-Z0-9_]+(=| is not set)' /debug/wanted | while read -r line; do
	case $line in
	*=*) grep -qxF "$line" /debug/build/.config || echo "$line" ;;
	*) ! grep -q "^$(echo "$line" | cut -d' ' -f2)=" /debug/build/.config || echo "$line" ;;
	esac
done)
[ -z "$lost" ] || { echo "this kernel does not accept: $lost" >&2; exit 1; }

log=/debug/build.log
make O=/debug/build -j"$(nproc)" "${image##*/}" modules >"$log" 2>&1 &
build=$!
seconds=0
while kill -0 $build 2>/dev/null; do
	sleep 5
	seconds=$((seconds + 5))
	[ $((seconds % 60)) -ne 0 ] || echo "$(grep -c '^  CC ' "$log") of about 780 files compiled"
done
wait $build || { grep -B5 -A5 -iE 'error' "$log" | head -n 40; exit 1; }

release=$(make -s O=/debug/build kernelrelease)
rm -rf "/kernel/$release" "/lib/modules/$release"
mkdir -p "/kernel/$release/usr/lib/modules/$release" "/lib/modules/$release"
cp "/debug/build/$image" "/kernel/$release/vmlinuz"
ln -s usr/lib "/kernel/$release/lib"
cp /debug/build/modules.order /debug/build/modules.builtin /debug/build/modules.builtin.modinfo \
	"/kernel/$release/lib/modules/$release"
depmod -b "/kernel/$release" "$release"
ln -s /debug/build "/lib/modules/$release/build"
# Modules need only headers and scripts; the rest is ten times as large.
rm -rf Documentation drivers fs net sound samples
find /debug/build -name '*.o' ! -path '*/scripts/*' ! -path '*/tools/*' -delete
find /debug/build -maxdepth 1 -name 'vmlinux*' ! -name vmlinux.symvers -delete
echo "$release" >/debug/release
