# SPDX-License-Identifier: MIT
# Sourced by scripts of this folder, from the root of the tree on: run_program NAME builds NAME.c with
# the library as $BUILD/NAME and runs it with a time limit.
set -eu
export SOV_KERNEL_TIME_LIMIT="${SOV_KERNEL_TIME_LIMIT:-60s}" # a kernel has no limit on a GPU otherwise
: "${BUILD:=build}" "${CC:=cc}" "${MAKE:=make}"
cd "$(dirname "$0")/../.."
run_program() { # name
	"$MAKE" BUILD="$BUILD" "$BUILD/libsov-all.a" >/dev/null
	drm=$(pkg-config --libs libdrm 2>/dev/null || true) # libsov-all.a uses it if the build found it
	# shellcheck disable=SC2086 # CC and drm may be several words
	$CC -std=c11 -D_GNU_SOURCE -I. -O2 "tests/silicon/$1.c" "$BUILD/libsov-all.a" \
		-lm -ldl -pthread $drm -o "$BUILD/$1"
	timeout 300 "$BUILD/$1"
}
