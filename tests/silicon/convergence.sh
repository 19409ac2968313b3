#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds and runs convergence.c on this machine's Hopper GPU; less than a minute.
set -eu
: "${BUILD:=build}" "${CC:=cc}" "${MAKE:=make}"
cd "$(dirname "$0")/../.."
"$MAKE" BUILD="$BUILD" "$BUILD/libsov-all.a" >/dev/null
drm=$(pkg-config --libs libdrm 2>/dev/null || true) # libsov-all.a uses it if the build found it
# shellcheck disable=SC2086 # CC and drm may be several words
$CC -std=c11 -D_GNU_SOURCE -I. -O2 tests/silicon/convergence.c "$BUILD/libsov-all.a" \
	-lm -ldl -pthread $drm -o "$BUILD/convergence"
timeout 300 "$BUILD/convergence"
