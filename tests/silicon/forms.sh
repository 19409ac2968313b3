#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs every instruction form of forms.py on this machine's GPU and on the software GPU, as ptxas
# compiles it; then the sequences that are one instruction as this compiler does, whose code the
# software GPU also compares with that of ptxas. Needs ptxas and a CUDA driver. Exit status 0: all
# results agree.
set -eu
: "${BUILD:=build}" "${CC:=cc}" "${MAKE:=make}"
cd "$(dirname "$0")/../.."
"$MAKE" BUILD="$BUILD" "$BUILD/libsov-all.a" "$BUILD/sov" >/dev/null
python3 tests/silicon/forms.py >"$BUILD/forms.ptx"
ptxas -arch=sm_90 "$BUILD/forms.ptx" -o "$BUILD/forms.cubin"
python3 tests/silicon/forms.py 90 combined >"$BUILD/forms_combined.ptx"
"$BUILD/sov" ptxas -arch sm_90 "$BUILD/forms_combined.ptx" -o "$BUILD/forms_combined.cubin"
drm=$(pkg-config --libs libdrm 2>/dev/null || true) # libsov-all.a uses it if the build found it
# shellcheck disable=SC2086 # CC and drm may be several words
$CC -std=c11 -D_GNU_SOURCE -I. -O2 tests/silicon/forms.c "$BUILD/libsov-all.a" \
	-lm -ldl -pthread $drm -o "$BUILD/forms"
"$BUILD/forms" --soft "$BUILD/forms_combined.cubin" "$BUILD/forms.cubin"
"$BUILD/forms" "$@" "$BUILD/forms_combined.cubin"
"$BUILD/forms" "$@" "$BUILD/forms.cubin"
