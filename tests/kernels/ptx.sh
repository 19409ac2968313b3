#!/bin/sh
# SPDX-License-Identifier: MIT
# The PTX beside each kernel is what clang 19 makes of its CUDA C, without an SDK: device.h has what is
# needed of it. Rewrites the files, or those that are named.
set -eu
cd "$(dirname "$0")"
: "${CLANG:=clang-19}"
[ $# -gt 0 ] || set -- *.cu
for source; do
	name=$(basename "$source" .cu)
	{
		echo '// SPDX-License-Identifier: MIT'
		"$CLANG" -x cuda --cuda-device-only -nocudainc -nocudalib -S -O3 --cuda-gpu-arch=sm_80 \
			--cuda-feature=+ptx80 -o - "$name.cu" 2>/dev/null
	} >"$name.new"
	mv "$name.new" "$name.ptx"
done
