#!/bin/sh
# SPDX-License-Identifier: MIT
# Transforms of VkFFT (Debian libvkfft-dev, glslang-dev) on the Vulkan driver against a direct sum. The header is
# patched so that gcc and Debian's glslang take it: it initialises a handle by {}, and fills the table of the
# compiler's limits in the order of an older version. Sizes of primes above 13 are left out: VkFFT 1.2 binds null
# buffers for them.
#	tests/oracles/vulkan_fft.sh [POINTS]...
set -eu
: "${BUILD:=build}"
header=/usr/include/vkFFT.h
[ -e "$header" ] || { echo "1..0 # SKIP no $header: install libvkfft-dev and glslang-dev"; exit 0; }
[ -e "$BUILD/libvulkan_sov.so" ] || { echo "1..0 # SKIP this build has no Vulkan driver: libvulkan-dev is missing"; exit 0; }
[ $# != 0 ] || set -- 7 8 64 81 100 169 343 1024 2048
work=$BUILD/oracles/vulkan_fft.d
mkdir -p "$work"
sed -E -e 's/^(\s*Vk(CommandBuffer|Fence|Buffer|DeviceMemory|CommandPool|Queue|Pipeline|ShaderModule) \w+) = \{ *\};/\1 = 0;/' -e 's/&default_resource,/glslang_default_resource(),/' \
	-e 's|#include <glslang/Include/glslang_c_interface.h>|&\n#include <glslang/Public/resource_limits_c.h>|' "$header" >"$work/vkFFT.h"
gcc -O1 -w -DVKFFT_BACKEND=0 -I"$work" -c tests/oracles/_vulkan_fft.c -o "$work/fft.o"
g++ "$work/fft.o" -o "$work/fft" -lglslang -lSPIRV -lMachineIndependent -lOSDependent -lOGLCompiler -lGenericCodeGen \
	-lSPIRV-Tools-opt -lSPIRV-Tools -lglslang-default-resource-limits -lvulkan -lm -pthread
VK_DRIVER_FILES=$PWD/$BUILD/sov_icd.json SOV_SOFT=${SOV_SOFT:-gh100} "$work/fft" "$@"
