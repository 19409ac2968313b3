#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes the .spv file of every shader and kernel in this folder, with glslang (14 or newer), SPIRV-Tools,
# clang 14 and llvm-spirv 14.
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
for f in *.cl; do
	clang-14 --target=spirv64 -x cl -cl-std=CL2.0 -O1 -Xclang -disable-llvm-passes -emit-llvm -c \
		-o "${f%.cl}.bc" "$f"
	llvm-spirv-14 -o "${f%.cl}.spv" "${f%.cl}.bc"
	rm "${f%.cl}.bc"
done
