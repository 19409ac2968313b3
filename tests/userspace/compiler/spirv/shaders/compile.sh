#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes the .spv file of every shader in this folder, with glslang and SPIRV-Tools.
set -eu
cd "$(dirname "$0")"
for f in *.comp; do
	glslangValidator --quiet -V --target-env "${SPIRV_ENV:-vulkan1.3}" -o "${f%.comp}.spv" "$f"
done
for f in *.spvasm; do
	[ -e "$f" ] || continue
	spirv-as --target-env "${SPIRV_ENV:-vulkan1.3}" -o "${f%.spvasm}.spv" "$f"
	spirv-val --target-env "${SPIRV_ENV:-vulkan1.3}" "${f%.spvasm}.spv"
done
