#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes the .spv file of every shader in this folder, with glslang and SPIRV-Tools.
set -eu
cd "$(dirname "$0")"
for f in *.comp; do
	glslangValidator --quiet -V --target-env vulkan1.3 -o "${f%.comp}.spv" "$f"
done
for f in *.spvasm; do
	spirv-as --target-env vulkan1.3 -o "${f%.spvasm}.spv" "$f"
	# spirv-val takes these functions of f32 and f16 alone, and refuses the others itself
	case $f in functions64* | refused*) continue ;; esac
	spirv-val --target-env vulkan1.3 "${f%.spvasm}.spv"
done
