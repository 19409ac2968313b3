#!/bin/sh
# SPDX-License-Identifier: MIT
# Compiles every .cl file below folders (arguments) for sm_90 and gfx1030 and counts the files that clang
# refuses (mostly for want of macros that the host's program defines), that llvm-spirv cannot translate,
# that are not supported here, and that compile. OPTIONS: words for clang, such as -DBLOCK_SIZE=16.
# The files are not part of this tree.
#	tests/oracles/opencl_kernels.sh FOLDER...
set -eu
: "${BUILD:=build}"
. tests/oracles/_result.sh
[ $# != 0 ] || { echo "1..0 # SKIP give folders with OpenCL kernels"; exit 0; }
work=$BUILD/oracles/opencl_kernels.d
rm -rf "$work"
mkdir -p "$work"
find "$@" -name '*.cl' | sort >"$work/files"
for target in sm_90 gfx1030; do
	: >"$work/reasons"
	compiled=0 source=0 translator=0 ours=0
	while read -r file; do
		if "$BUILD/sov" compile --target $target --stats --compiler-options \
			"-w -I$(dirname "$file") ${OPTIONS-}" "$file" >"$work/out" 2>"$work/messages"; then
			compiled=$((compiled + 1))
		elif grep -q "clang-[0-9]*' could not translate" "$work/messages"; then
			source=$((source + 1))
		elif grep -q "llvm-spirv-[0-9]*' could not translate" "$work/messages"; then
			translator=$((translator + 1))
			echo "llvm-spirv: $file: $(head -n 1 "$work/messages")" >>"$work/reasons"
		else
			ours=$((ours + 1))
			echo "$file: $(head -n 1 "$work/messages")" >>"$work/reasons"
		fi
	done <"$work/files"
	echo "# count $target: compiled $compiled, not supported $ours, refused by clang $source, by llvm-spirv $translator"
	sed 's/^.*\.cl: //; s/word [0-9]*: //; s/%[0-9]*//g; s/@\?[0-9][0-9]*/N/g' "$work/reasons" | cut -c1-120 |
		sort | uniq -c | sort -rn | sed 's/^/# /'
	cp "$work/reasons" "$work/reasons.$target"
	[ $compiled != 0 ] && ! grep -v 'not supported\|^llvm-spirv: ' "$work/reasons" >"$work/other"
	result $? "what does not compile for $target is refused as not supported"
done
echo "1..$results"
exit $failed
