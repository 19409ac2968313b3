# SPDX-License-Identifier: MIT
# The CUDA libraries as files: what they export, and how sov starts programs with them.
. tests/tap.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

exports()
{
	nm -D --defined-only "$1" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort -u
}
listed()
{
	sed -n "$2"'s/^[A-Z_12]*(\([A-Za-z0-9_]*\).*/\1/p' "$1" | sort -u
}
is "$(exports "$BUILD/cuda/libcuda.so.1")" "$(listed libsov/cuda/driver/entries.def)" \
	"libcuda.so.1 exports exactly the calls of its table"
is "$(exports "$BUILD/cuda/libnvidia-ml.so.1")" "$(listed libsov/cuda/management/entries.def)" \
	"libnvidia-ml.so.1 exports exactly the calls of its table"
for major in 12 13; do
	exports "$BUILD/cuda/libcudart.so.$major" >"$work/exports"
	[ $major = 12 ] && all= || all='/^WORKS_12/d; '
	listed libsov/cuda/runtime/entries.def "$all" >"$work/listed"
	is "$(comm -13 "$work/exports" "$work/listed")" "" "libcudart.so.$major exports the calls of its table"
	has "$(nm -D "$BUILD/cuda/libcudart.so.$major")" " cudaMalloc@@libcudart.so.$major" \
		"libcudart.so.$major has NVIDIA's symbol version"
done
is "$(sh libsov/cuda/manual.sh)" "$(cat docs/man/libcuda.7)" "libcuda(7) has the calls of the tables"

"$BUILD/sov" cuda-env >"$work/env"
has "$(. "$work/env"; echo "$LD_LIBRARY_PATH")" "$(realpath "$BUILD/cuda")" "sov cuda-env names the folder of the libraries"
has "$("$BUILD/sov" run-cuda sh -c 'echo $LD_LIBRARY_PATH; exit 3')" "$(realpath "$BUILD/cuda")" \
	"sov run-cuda puts the libraries first"
"$BUILD/sov" run-cuda sh -c 'exit 3'
is $? 3 "sov run-cuda exits with the status of its program"
printf '#!/bin/sh\n# .nv_fatbin\n' >"$work/static"
chmod +x "$work/static"
has "$("$BUILD/sov" run-cuda "$work/static" 2>&1)" "build it with nvcc -cudart shared" \
	"sov run-cuda explains why a program with the static runtime cannot run"
tap_done
