#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds the Debian packages in a clean chroot, and in another one checks them with lintian, installs them, compiles and runs
# a program by pkg-config and by CMake, shared and static, runs the tool and Python, upgrades to a later version, removes and
# purges: nothing is left. Prints TAP. Not part of make check: it needs root and Debian's archive.
#   usage: tests/clean/packages.sh        environment: see tests/clean/_chroot.sh
set -eu
name=packages
. tests/clean/_chroot.sh
. tests/tap.sh
try() { # NAME COMMAND...: passes if the command succeeds
	what=$1
	shift
	if quietly "$@" >"$work/tail"; then ok 0 "$what"; else ok 1 "$what"; diag "$(cat "$work/tail")"; fi
}
# Every path of the system but what changes by itself.
all_files() {
	(cd "$root" && find . -xdev \( -path ./proc -o -path ./debs -o -path ./newer -o -path ./tmp -o -path ./var/lib/dpkg -o \
		-path ./var/log -o -path ./var/cache -o -path ./var/lib/apt -o -path ./root -o -name __pycache__ \) -prune -o -print | sort)
}
answer="y[1] = 3, y[1023] = 3069"

build_debs
make_chroot
cp -r "$debs" "$root/debs"
cp -r "$newer" "$root/newer"
diag "$(cd "$debs" && ls -s --block-size=K -- *.deb)"
is "$(cd "$debs" && ls | sed 's/_.*//' | sort | tr '\n' ' ')" \
	"libsov-cuda libsov-dev libsov0 python3-sov sov-tools sov-vulkan-driver sovgpu-dkms " "make deb builds every package"

# What they depend on comes first, so that what is left afterwards is theirs.
install_in_chroot gcc libc6-dev cmake make pkgconf python3-numpy libdrm-dev dkms udev libvulkan1 lintian >/dev/null
all_files >"$work/before"
is "$(inside sh -c 'cd /debs && lintian --fail-on error,warning *.deb 2>&1' | grep '^[EW]:')" "" "lintian has no error and no warning"
try "apt installs every package" install_in_chroot $(cd "$root" && ls debs/*.deb | sed 's|^|/|')
is "$(inside sov --version)" "sov $(sed -n 's/.*SOV_VERSION_\(MAJOR\|MINOR\) //p' libsov/sov.h | paste -sd.).0" "the installed sov has the version of sov.h"
has "$(inside sov devices 2>&1)" "0  gh100.0 " "the installed sov lists the software GPU"

mkdir -p "$root/root/project"
cp examples/saxpy.c "$root/root/project/"
cat >"$root/root/project/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.21)
project(example C)
find_package(sov 0.1 REQUIRED)
add_executable(shared saxpy.c)
target_link_libraries(shared sov::sov)
add_executable(static saxpy.c)
target_link_libraries(static sov::sov_static)
END
try "a program compiles by pkg-config" inside sh -c 'cd /root/project && cc saxpy.c $(pkg-config --cflags --libs sov) -o saxpy'
is "$(inside /root/project/saxpy 2>&1)" "$answer" "the program that pkg-config compiled runs"
try "a program compiles by CMake" inside sh -c 'cd /root/project && cmake -B build && cmake --build build'
for kind in shared static; do
	is "$(inside "/root/project/build/$kind" 2>&1)" "$answer" "the $kind program of CMake runs"
done
has "$(inside ldd /root/project/build/shared)" "libsov.so.0 => /lib" "the shared program finds the packaged library"
is "$(inside ldd /root/project/build/static | grep -c libsov)" 0 "the static program needs no library of ours"
is "$(inside python3 -c 'import sov; print(sov.ones(3).get(), sov.__version__)' 2>&1)" "[1. 1. 1.] 0.1.0" "Python runs from its package"
has "$(inside man -w sov 2>&1 || inside ls /usr/share/man/man1)" "sov.1" "the manual of sov is installed"
is "$(inside sh -c 'readlink -e /usr/lib/*/sovgpu/ptxas')" "/usr/bin/sov" "ptxas is sov"
driver=$(inside sh -c "sed -n 's/.*\"library_path\": *\"\\(.*\\)\".*/\\1/p' /usr/share/vulkan/icd.d/sov_icd.*.json")
try "the Vulkan driver that its manifest names exists and loads" inside python3 -c "import ctypes; ctypes.CDLL('$driver')"
try "the CUDA driver library loads" inside sh -c 'python3 -c "import ctypes, glob
library = ctypes.CDLL(glob.glob(\"/usr/lib/*/sovgpu/cuda/libcuda.so.1\")[0])
assert library.cuInit(0) == 0"'
has "$(inside cat /usr/lib/udev/rules.d/70-sovgpu.rules)" 'GROUP="render"' "the rule of udev is installed"
has "$(inside getent group render)" "render:" "the group of the rule exists"
has "$(inside dkms status 2>&1)" "sovgpu/" "DKMS knows the kernel driver"

all_files >"$work/installed"
try "apt upgrades every package" install_in_chroot $(cd "$root" && ls newer/*.deb | sed 's|^|/|')
is "$(inside dpkg-query -W -f '${Version}\n' libsov0 libsov-dev python3-sov sovgpu-dkms | sort -u)" "0.1.0+1" "every package has the later version"
all_files >"$work/upgraded"
is "$(diff "$work/installed" "$work/upgraded" | grep -v '^[0-9]' | head)" "" "an upgrade to the same files leaves the same files"
is "$(inside /root/project/saxpy 2>&1)" "$answer" "a program compiled before the upgrade runs after it"
is "$(inside dkms status 2>&1 | grep -c '^sovgpu/')" 1 "DKMS knows one version of the kernel driver"

ours=$(cd "$debs" && ls | sed 's/_.*//')
# shellcheck disable=SC2086 # a list of words
try "apt removes every package" inside apt-get remove -y -qq $ours
# shellcheck disable=SC2086 # a list of words
try "dpkg purges every package" inside dpkg --purge $ours
all_files >"$work/after"
is "$(diff "$work/before" "$work/after" | grep '^[<>]' | head -n 20)" "" "no file of the packages is left"
is "$(inside dkms status 2>&1 | grep -c '^sovgpu/')" 0 "DKMS has forgotten the kernel driver"
tap_done
