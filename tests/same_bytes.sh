#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks that compiled images do not depend on how sov was built: every given command (for example
# build/sov and build/clang/sov, or "qemu-x86_64 FOLDER/sov") must produce the same images of all
# PTX files of the tests, for NVIDIA and AMD, and reject the same files with the same messages. The
# last line has a hash of all output, for comparison with other machines.
#   usage: tests/same_bytes.sh COMMAND...
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

compile_all() { # folder, command
	mkdir "$1"
	for ptx in tests/kernels/*.ptx tests/userspace/compiler/ptx/instructions/*.ptx \
		tests/userspace/compiler/driver/odd/*.ptx; do
		for mode in sm_90 gfx1030 'gfx1030 --spill'; do
			image=$1/$(basename "$ptx" .ptx).$(echo "$mode" | tr -d ' ')
			# shellcheck disable=SC2086 # commands and modes are words
			$2 compile --target $mode -o "$image" "$ptx" >"$image.says" 2>&1 ||
				echo refused >>"$image.says"
		done
	done
}

number=0
for command; do
	number=$((number + 1))
	compile_all "$work/$number" "$command"
	images=$(find "$work/$number" -type f ! -name '*.says' | wc -l)
	if [ "$images" -lt 800 ]; then
		echo "$command: only $images images, expected at least 800;" \
			"$(cat "$work/$number"/*.says | head -n 1)"
		exit 1
	fi
	if ! diff -rq "$work/1" "$work/$number" >"$work/difference"; then
		echo "$command and $1 produce different output:"
		head -n 5 "$work/difference"
		exit 1
	fi
done
echo "$images images, $# compilers, sum $(cd "$work/1" && sha256sum ./* | sha256sum | cut -c 1-16)"
