#!/bin/sh
# SPDX-License-Identifier: MIT
# Compiles the CUDA C of this folder to PTX with clang 19, without a CUDA SDK.
#   usage: libsov/kernels/gemm/ptx.sh [FOLDER]    FOLDER (that of this script): where the files are written
set -eu
to=$(cd "${1:-$(dirname "$0")}" && pwd)
cd "$(dirname "$0")"
: "${CLANG:=clang-19}"
trap 'rm -f "$to/gemm.new"' EXIT
compile() { # name, architecture
	{
		echo '// SPDX-License-Identifier: MIT'
		"$CLANG" -x cuda --cuda-device-only -nocudainc -nocudalib -S -O3 --cuda-gpu-arch="$2" \
			--cuda-feature=+ptx80 -Wno-unknown-cuda-version -o - "$1.cu" | sed 's,[[:space:]]*//.*,,; /^$/d'
	} >"$to/gemm.new"
	mv "$to/gemm.new" "$to/$1.ptx"
}
compile wgmma sm_90a
compile doubles sm_90
