#!/bin/sh
# SPDX-License-Identifier: MIT
# Regenerates the PTX next to each kernel, or next to those named, from its CUDA C by clang 19.
# Needs no CUDA SDK: device.h has the declarations.
#   usage: tests/kernels/ptx.sh [-o FOLDER] [KERNEL.cu]...    -o: write the PTX there
set -eu
to=
if [ "${1:-}" = -o ]; then
	to=$(cd "$2" && pwd)
	shift 2
fi
cd "$(dirname "$0")"
: "${CLANG:=clang-19}"
[ $# -gt 0 ] || set -- *.cu
for source; do
	name=$(basename "$source" .cu)
	result=${to:-.}/$name
	{
		echo '// SPDX-License-Identifier: MIT'
		"$CLANG" -x cuda --cuda-device-only -nocudainc -nocudalib -S -O3 \
			--cuda-gpu-arch=sm_80 --cuda-feature=+ptx80 -o - "$name.cu" 2>/dev/null
	} >"$result.new"
	mv "$result.new" "$result.ptx"
done
