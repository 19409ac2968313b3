#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes the .spv file of every shader in this folder, with glslc and SPIRV-Tools.
set -eu
cd "$(dirname "$0")"
for f in *.comp; do
	glslc --target-env=vulkan1.2 -O "$f" -o "${f%.comp}.spv"
	spirv-val --target-env vulkan1.2 "${f%.comp}.spv"
done
