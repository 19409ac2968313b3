#!/bin/sh
# SPDX-License-Identifier: MIT
# Compares the AMD instruction table with LLVM's assembler and disassemblers (LLVM 19) for gfx1030,
# by random legal instructions of every row in every form.
#   1. llvm-mc --disassemble prints our bytes as we do;
#   2. llvm-mc assembles our text to our bytes;
#   3. llvm-objdump prints an object that holds our bytes as we do.
# Every comparison has our bytes on one side: LLVM's own bytes of our text would agree with LLVM
# whatever our encoder does.
# Fails, never skips, without the tools. Run by make check-oracles, which builds the programs.
#   PER_FORM  random instructions per form of a row (1000)
#   SEED      (1)
set -u
: "${BUILD:=build}" "${PER_FORM:=1000}" "${SEED:=1}"
judges=$BUILD/oracles
work=$judges/amd
. tests/oracles/_result.sh

find_llvm_tool() { # NAME: prints the newest version, LLVM 19 or later
	for t in "$1-21" "$1-20" "$1-19" "$1"; do
		command -v "$t" >/dev/null || continue
		version=$("$t" --version | sed -n 's/.*LLVM version \([0-9]*\).*/\1/p')
		[ "${version:-0}" -lt 19 ] || { echo "$t"; return; }
	done
}
mc=$(find_llvm_tool llvm-mc) objdump=$(find_llvm_tool llvm-objdump)
for t in "mc:$mc" "objdump:$objdump"; do
	if [ -z "${t#*:}" ]; then
		result 1 "llvm-${t%:*} of LLVM 19 or newer is installed (apt-get install llvm-19)"
		echo "1..$results"
		exit 1
	fi
done

# Compares two files line by line. The second lacks lines that the tool rejected, so the number of
# lines is part of the verdict.
compare_lines() { # ours theirs test-name
	lines=$(wc -l <"$1")
	paste -d '\t' "$1" "$2" | awk -F '\t' -v name="$3" -v lines="$lines" '
		$1 == $2 { good++; next }
		bad++ < 10 { print "# ours   " $1 "\n# theirs " $2 }
		END { print "# count " name ": " lines " instructions, " good + 0 " agree"
		      exit good != lines || !good }'
	result $? "$3"
}

rm -rf "$work"
mkdir -p "$work"
count=$("$judges/amd_words" "$PER_FORM" "$SEED" "$work/text.s" "$work/bytes")
result $? "random instructions of every row of the AMD table encode and decode"
echo "# count gfx1030: ${count% *} rows of the table, ${count#* } forms," \
	"$PER_FORM instructions each"

"$mc" -arch=amdgcn -mcpu=gfx1030 --disassemble "$work/bytes" 2>"$work/errors" |
	sed -n 's/^[\t ]\+//; s/[\t ]\+/ /g; /^[^.]/p' >"$work/theirs"
head -4 "$work/errors" | sed 's/^/# /'
compare_lines "$work/text.s" "$work/theirs" "gfx1030: llvm-mc prints our bytes as we do"

"$mc" -arch=amdgcn -mcpu=gfx1030 --show-encoding "$work/text.s" 2>"$work/errors" |
	sed -n 's/.*; encoding: \[\(.*\)\]$/\1/p' >"$work/theirs"
head -4 "$work/errors" | sed 's/^/# /'
compare_lines "$work/bytes" "$work/theirs" "gfx1030: llvm-mc assembles our text to our bytes"

"$judges/amd_words" 20 $((SEED + 1)) "$work/few.s" "$work/few" >/dev/null &&
	sed 's/^/.byte /' "$work/few" >"$work/few.bytes.s" &&
	"$mc" -arch=amdgcn -mcpu=gfx1030 -filetype=obj "$work/few.bytes.s" -o "$work/few.o"
result $? "gfx1030: llvm-mc puts our bytes into an object"
"$objdump" -d --mcpu=gfx1030 "$work/few.o" |
	sed -n 's/^[\t ]\+\([a-z].*[^ ]\) *\/\/ [0-9A-F]*:.*$/\1/p' |
	sed 's/[\t ]*$//; s/[\t ]\+/ /g' >"$work/theirs"
compare_lines "$work/few.s" "$work/theirs" "gfx1030: llvm-objdump prints our bytes as we do"
echo "1..$results"
exit $failed
