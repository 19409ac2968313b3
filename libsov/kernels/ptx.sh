#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes services.c of services.cu: what clang 19 compiles it to, as a string.
set -eu
cd "$(dirname "$0")"
: "${CLANG:=clang-19}"
{
	echo '/* SPDX-License-Identifier: MIT */'
	echo '/* services.cu as PTX; made by ptx.sh. */'
	echo '#include "libsov/kernels/device_services.h"'
	echo
	echo 'const char services_library[] ='
	"$CLANG" -x cuda --cuda-device-only -nocudainc -nocudalib -ffreestanding -fno-builtin -S -O2 \
		-fno-unroll-loops --cuda-gpu-arch=sm_80 --cuda-feature=+ptx70 \
		-o - services.cu 2>/dev/null |
		sed -e 's,[[:space:]]*//.*,,' -e 's/^[[:space:]]*//' -e '/^$/d' -e 's/\\/\\\\/g' \
			-e 's/"/\\"/g' |
		awk '{ if (length(line) + length($0) > 88) { print "\t\"" line "\""; line = "" }
		       line = line $0 "\\n" } END { print "\t\"" line "\";" }'
} >services.new
mv services.new services.c
