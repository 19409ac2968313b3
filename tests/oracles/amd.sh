#!/bin/sh
# SPDX-License-Identifier: MIT
# The AMD instruction table against LLVM's assembler and disassemblers (LLVM 19), for gfx1030: random
# legal instructions of every row in every form.
#   1. llvm-mc --disassemble prints our bytes as we do;
#   2. llvm-mc assembles our text to our bytes;
#   3. llvm-objdump prints an object made of our text as we do.
# Fails, never skips, without the tools. Run by make check-oracles, which builds the programs.
#   PER_FORM  random instructions per form of a row (1000)
#   SEED      (1)
set -u
: "${BUILD:=build}" "${PER_FORM:=1000}" "${SEED:=1}"
judges=$BUILD/oracles
work=$judges/amd
. tests/oracles/_result.sh

tool() { # NAME: the newest under its plain or numbered name, LLVM 19 at least
	for t in "$1-21" "$1-20" "$1-19" "$1"; do
		command -v "$t" >/dev/null || continue
		version=$("$t" --version | sed -n 's/.*LLVM version \([0-9]*\).*/\1/p')
		[ "${version:-0}" -lt 19 ] || { echo "$t"; return; }
	done
}
mc=$(tool llvm-mc) objdump=$(tool llvm-objdump)
for t in "mc:$mc" "objdump:$objdump"; do
	if [ -z "${t#*:}" ]; then
		result 1 "llvm-${t%:*} of LLVM 19 or newer is there (apt-get install llvm-19)"
		echo "1..$results"
		exit 1
	fi
done

# Two files line by line; lines of the first that the tool refused are missing in the second, so the
# numbers of lines are part of the verdict.
compare() { # ours theirs what
	lines=$(wc -l <"$1")
	paste -d '\t' "$1" "$2" | awk -F '\t' -v what="$3" -v lines="$lines" '
		$1 == $2 { good++; next }
		bad++ < 10 { print "# ours   " $1 "\n# theirs " $2 }
		END { print "# count " what ": " lines " instructions, " good + 0 " agree"
		      exit good != lines || !good }'
	result $? "$3"
}

rm -rf "$work"
mkdir -p "$work"
count=$("$judges/amd_words" "$PER_FORM" "$SEED" "$work/text.s" "$work/bytes")
result $? "random settings of every row are encoded and decoded"
echo "# count gfx1030: ${count% *} rows of the table, ${count#* } forms, $PER_FORM settings each"

"$mc" -arch=amdgcn -mcpu=gfx1030 --disassemble "$work/bytes" 2>"$work/refused" |
	sed -n 's/^[\t ]\+//; s/[\t ]\+/ /g; /^[^.]/p' >"$work/theirs"
head -4 "$work/refused" | sed 's/^/# /'
compare "$work/text.s" "$work/theirs" "gfx1030: llvm-mc prints our bytes as we do"

"$mc" -arch=amdgcn -mcpu=gfx1030 --show-encoding "$work/text.s" 2>"$work/refused" |
	sed -n 's/.*; encoding: \[\(.*\)\]$/\1/p' >"$work/theirs"
head -4 "$work/refused" | sed 's/^/# /'
compare "$work/bytes" "$work/theirs" "gfx1030: llvm-mc assembles our text to our bytes"

"$judges/amd_words" 20 $((SEED + 1)) "$work/few.s" "$work/few" >/dev/null &&
	"$mc" -arch=amdgcn -mcpu=gfx1030 -filetype=obj "$work/few.s" -o "$work/few.o"
result $? "gfx1030: llvm-mc makes an object of our text"
"$objdump" -d --mcpu=gfx1030 "$work/few.o" |
	sed -n 's/^[\t ]\+\([a-z].*[^ ]\) *\/\/ [0-9A-F]*:.*$/\1/p' | sed 's/[\t ]*$//; s/[\t ]\+/ /g' \
	>"$work/theirs"
compare "$work/few.s" "$work/theirs" "gfx1030: llvm-objdump prints it as we do"
echo "1..$results"
exit $failed
