#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs every instruction form of tests/silicon/forms.py on the software GPUs, as two versions of
# ptxas compile it for six targets: different code for one form must give the same results.
# tests/silicon/forms.sh compares with a real GPU.
set -eu
: "${BUILD:=build}" "${CC:=cc}" "${MAKE:=make}"
work=$BUILD/oracles/forms
rm -rf "$work"
mkdir -p "$work"
command -v ptxas >/dev/null || { echo "1..0"; echo "no ptxas in PATH: run make check-oracles"; exit 1; }
drm=$(pkg-config --libs libdrm 2>/dev/null || true) # libsov-all.a uses it if the build found it
# shellcheck disable=SC2086 # CC and drm may be several words
$CC -std=c11 -D_GNU_SOURCE -I. -O2 tests/silicon/forms.c "$BUILD/libsov-all.a" \
	-lm -ldl -pthread $drm -o "$work/forms"
set -- # newest target first: it has all forms
for sm in 90 89 86 80 75 70; do
	python3 tests/silicon/forms.py $sm >"$work/forms-$sm.ptx"
	for ptxas in ptxas /usr/local/cuda/bin/ptxas; do
		command -v "$ptxas" >/dev/null || continue
		[ $sm -ge 75 ] || [ "$ptxas" = ptxas ] || continue # CUDA 13 begins with sm_75
		version=$("$ptxas" --version | sed -n 's/.*release \([0-9.]*\),.*/\1/p')
		"$ptxas" -arch=sm_$sm "$work/forms-$sm.ptx" -o "$work/$version-$sm.cubin"
		set -- "$@" "$work/$version-$sm.cubin"
	done
done
status=0
"$work/forms" --soft "$@" >"$work/log" || status=1
grep -v ' 0 of .* differ' "$work/log" | head -40 | sed 's/^/# /'
sed -n 's/^forms: /# count forms in '$#' files: /p' "$work/log"
name="ptxas's code of every instruction form agrees on all software GPUs"
[ $status = 0 ] && echo "ok 1 - $name" || echo "not ok 1 - $name"
echo "1..1"
exit $status
