# SPDX-License-Identifier: MIT
# tests/oracles/setup says what it installs and where, and what to do if it cannot. Nothing is downloaded: apt-get is a
# stub that finds no network.
. tests/tap.sh
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/bin"
printf '#!/bin/sh\necho "E: Failed to fetch $*"\nexit 100\n' >"$dir/bin/apt-get"
chmod +x "$dir/bin/apt-get"
for tool in sh sed grep head tr mkdir rm mktemp dpkg id cat; do
	ln -s "$(command -v $tool)" "$dir/bin/$tool"
done

setup() {
	out=$(PATH=$dir/bin SOV_ORACLES=$dir/oracles DEBIAN_MIRROR=http://archive.example/debian/ tests/oracles/setup "$@" 2>&1)
	status=$?
}
setup --help
is "$status" 0 "setup --help succeeds"
for word in nv llvm SOV_ORACLES nvdisasm clang licence; do
	has "$out" "$word" "setup --help names $word"
done
setup mesa
is "$status $out" "1 setup: unknown oracle 'mesa'; known: nv llvm" "an unknown oracle is an error that names the known ones"
setup nv
is "$status" 1 "setup nv fails without a network"
has "$out" "cannot get nvidia-cuda-toolkit from http://archive.example/debian/; this needs the network" \
	"setup nv names the package, the archive and the reason"
has "$out" "E: Failed to fetch" "setup nv shows apt's error"
setup llvm
is "$status" 1 "setup llvm fails without a network or without root"
has "$out" "clang-19 lld-19 llvm-19" "setup llvm names the packages"
rm "$dir/bin/apt-get"
setup nv
has "$out" "there is no apt-get here: install nvdisasm, cuobjdump and ptxas of CUDA 12.4 by other means" \
	"setup nv on a system without apt says what to install"
tap_done
