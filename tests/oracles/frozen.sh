#!/bin/sh
# SPDX-License-Identifier: MIT
# Confirms the frozen words of both instruction sets, which make check compares with our tables
# without any other tool: nvdisasm prints each word as its line does, and llvm-mc prints the bytes of
# each line as its text and assembles the text to the bytes; LLVM's descriptions of the AMD words name
# the registers of the line. With WRITE=1 the files are written
# anew, after a change of a table: each line must be confirmed, or nothing is written.
# Fails, never skips, without the tools. Run by make check-oracles, which builds the programs.
#   SOV_ORACLES  folder of nvdisasm (~/.cache/sov-oracles)
#   WRITE        1: replace the files by words that cover today's tables
set -u
: "${BUILD:=build}" "${WRITE:=0}"
nvdisasm=${SOV_ORACLES:-$HOME/.cache/sov-oracles}/nv/usr/bin/nvdisasm
work=$BUILD/oracles/frozen
. tests/oracles/_result.sh
. tests/oracles/_llvm_uses.sh

require_tools llvm-mc-19
if [ ! -x "$nvdisasm" ]; then
	result 1 "$nvdisasm of CUDA 12.4 is installed (SOV_ORACLES names the folder of nv/)"
	echo "1..$results"
	exit 1
fi
rm -rf "$work"
mkdir -p "$work"
build_llvm_uses "$work/llvm"

# Prints the lines of two files that differ; fails if any does or if there are none.
same_lines() { # ours theirs name
	[ "$(wc -l <"$1")" = "$(wc -l <"$2")" ] || echo "# $3: not as many lines"
	paste -d '\t' "$1" "$2" | awk -F '\t' -v name="$3" '
		$1 == $2 { good++; next }
		bad++ < 10 { print "# ours   " $1 "\n# theirs " $2 }
		END { print "# count " name ": " NR " lines, " good + 0 " confirmed"
		      exit bad > 0 || !good }'
}

confirm_nv() { # file
	for sm in 80 86 89 90; do
		"$BUILD/tests/isa/nv/frozen_words" --words $sm "$1" "$work/words" "$work/ours" || return 1
		"$nvdisasm" -b SM$sm --print-raw "$work/words" 2>"$work/errors" |
			sed -n 's|^ */\*[0-9a-f]*\*/ *\(.*[^ ]\) *;.*$|\1|p' >"$work/theirs"
		same_lines "$work/ours" "$work/theirs" "SM$sm" || return 1
	done
	# The text of the lines themselves is ours of the same words, at address 0.
	"$BUILD/tests/isa/nv/frozen_words" "$1" >"$work/test" || { grep '^#' "$work/test"; return 1; }
}

confirm_amd() { # file
	"$BUILD/tests/isa/amd/frozen_words" --bytes "$1" "$work/bytes" "$work/ours" || return 1
	llvm-mc-19 -arch=amdgcn -mcpu=gfx1030 --disassemble "$work/bytes" 2>"$work/errors" |
		sed -n 's/^[\t ]\+//; s/[\t ]\+/ /g; /^[^.]/p' >"$work/theirs"
	same_lines "$work/ours" "$work/theirs" "gfx1030, llvm-mc's text of our bytes" || return 1
	llvm-mc-19 -arch=amdgcn -mcpu=gfx1030 --show-encoding "$work/ours" 2>"$work/errors" |
		sed -n 's/.*; encoding: \[\(.*\)\]$/\1/p' >"$work/theirs"
	same_lines "$work/bytes" "$work/theirs" "gfx1030, llvm-mc's bytes of our text" || return 1
	"$work/llvm" <"$work/bytes" >"$work/theirs" &&
		"$BUILD/oracles/amd_uses" --compare "$work/bytes" "$work/theirs" >"$work/differences" ||
		{ head -10 "$work/differences" | sed 's/^/# /'; return 1; }
	sed -n '$s/^/# count gfx1030: /p' "$work/differences"
	"$BUILD/tests/isa/amd/frozen_words" "$1" >"$work/test" || { grep '^#' "$work/test"; return 1; }
}

for isa in nv amd; do
	file=tests/userspace/isa/$isa/frozen_words.txt
	judge=$([ $isa = nv ] && echo nvdisasm || echo llvm-mc)
	if [ "$WRITE" = 1 ]; then
		{
			echo "# SPDX-License-Identifier: MIT"
			echo "# Written by tests/oracles/frozen.sh; $judge confirmed each line."
			"$BUILD/tests/isa/$isa/frozen_words" --candidates
		} >"$work/new" && confirm_$isa "$work/new" && cp "$work/new" $file
		result $? "$file is written from lines that $judge confirms"
	else
		confirm_$isa $file
		result $? "$judge confirms every line of $file"
	fi
done
echo "1..$results"
exit $failed
