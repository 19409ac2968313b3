#!/bin/sh
# SPDX-License-Identifier: MIT
# Compiles _kernels.cu to _kernels.ptx with clang 19.
#   usage: _ptx.sh [FOLDER]    FOLDER (that of this script): where the file is written
set -eu
to=$(cd "${1:-$(dirname "$0")}" && pwd)
cd "$(dirname "$0")"
{
	echo '// SPDX-License-Identifier: MIT'
	"${CLANG:-clang-19}" -x cuda --cuda-device-only -nocudainc -nocudalib -S -O3 --cuda-gpu-arch=sm_80 \
		--cuda-feature=+ptx70 -fno-builtin-malloc -fno-builtin-free -fno-unroll-loops -Wno-everything \
		-o - _kernels.cu
} | sed 's/[[:space:]]*$//; /^$/d' >"$to/_kernels.new"
mv "$to/_kernels.new" "$to/_kernels.ptx"
