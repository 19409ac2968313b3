#!/bin/sh
# SPDX-License-Identifier: MIT
# The instruction table against NVIDIA's disassembler, and the timing rules against NVIDIA's
# compiler. For SM80 and SM90:
#   1. random legal words of every row and form are printed alike by nvdisasm and by us;
#   2. every word that ptxas makes of our kernels and of random kernels decodes, is printed alike
#      and is encoded again to the same bits;
#   3. that code keeps every latency and scoreboard rule of sass_latency.c.
# Fails, never skips, without the tools.
#   SOV_ORACLES  folder of the tools            (~/.cache/sov-oracles)
#   PER_FORM     random words per form of a row (1000)
#   KERNELS      random kernels                 (40)
#   SEED         of both                        (1)
set -u
BUILD=${BUILD:-build}; CC=${CC:-cc}; PER_FORM=${PER_FORM:-1000}; KERNELS=${KERNELS:-40}; SEED=${SEED:-1}
tools=${SOV_ORACLES:-$HOME/.cache/sov-oracles}/nv/usr/bin
work=$BUILD/oracles/sass; rm -rf "$work"; mkdir -p "$work"
failed=0

fail() { echo "sass: FAIL: $*"; failed=1; }
die() { echo "sass: FAIL: $*"; exit 1; }

for tool in nvdisasm ptxas; do
	[ -x "$tools/$tool" ] || die "no $tools/$tool; set SOV_ORACLES to the folder that has nv/usr/bin/$tool (CUDA 12.4)"
done
make -s BUILD="$BUILD" "$BUILD/libsov-all.a" || die "the library does not build"
for program in sass_words sass_code sass_hazards; do
	$CC -std=c11 -D_GNU_SOURCE -O2 -I. -Wall -Wextra -Werror "tests/oracles/$program.c" "$BUILD/libsov-all.a" \
		-o "$work/$program" -lm -ldl -pthread || die "$program does not build"
done

# nvdisasm's text of raw words, one instruction a line. It names every word that it refuses.
disassemble() { # SM words.bin
	"$tools/nvdisasm" -b "SM$1" --print-raw "$2" 2>"$work/refused" |
		sed -n 's|^ */\*[0-9a-f]*\*/ *\(.*[^ ]\) *;.*$|\1|p'
	[ ! -s "$work/refused" ] || { fail "SM$1: nvdisasm refuses words of $2"; sed 's/^/  /' "$work/refused" | head -5; }
}

compare() { # SM what ours theirs
	total=$(wc -l <"$3")
	[ "$(wc -l <"$4")" = "$total" ] || fail "SM$1: $2: $total instructions, nvdisasm prints $(wc -l <"$4")"
	paste -d '\n' "$3" "$4" | awk -v what="SM$1: $2" '
		NR % 2 { ours = $0; next }
		{ if (ours == $0) good++; else if (bad++ < 10) print "  ours  " ours "\n  theirs " $0 }
		END { print "sass: " what ": " good + bad " words, " good + 0 " agree"; exit bad > 0 }' || fail "SM$1: $2 differ"
}

for sm in 80 90; do
	count=$("$work/sass_words" $sm "$PER_FORM" "$SEED" "$work/words.bin" "$work/ours") || die "SM$sm: sass_words"
	echo "sass: SM$sm: ${count% *} rows, ${count#* } random words, $PER_FORM per form"
	disassemble $sm "$work/words.bin" >"$work/theirs"
	compare $sm "random words" "$work/ours" "$work/theirs"

	for ptxas in "$tools/ptxas" ${SOV_PTXAS:-/usr/local/cuda/bin/ptxas}; do
		[ -x "$ptxas" ] || { echo "sass: $ptxas is not there and was not asked"; continue; }
		for ptx in tests/kernels/*.ptx; do
			for level in 0 1 2 3; do
				name=$(basename "$ptx" .ptx)-$level-$(echo "$ptxas" | cksum | cut -d' ' -f1)
				"$ptxas" -O$level -arch=sm_$sm "$ptx" -o "$work/kernel-$sm-$name.cubin" || fail "ptxas $ptx"
			done
		done
	done
	i=0
	while [ $i -lt "$KERNELS" ]; do
		python3 tests/oracles/ptx_random.py $sm $((SEED + i)) $((60 + i % 7 * 50)) >"$work/random.ptx"
		# ptxas has been seen to crash on a few of them; those kernels do not count.
		"$tools/ptxas" -arch=sm_$sm "$work/random.ptx" -o "$work/random-$sm-$i.cubin" 2>/dev/null ||
			rm -f "$work/random-$sm-$i.cubin"
		i=$((i + 1))
	done
	for kind in kernel random; do
		"$work/sass_code" $sm "$work/code.bin" "$work/$kind-$sm"-*.cubin >"$work/ours" || die "SM$sm: sass_code"
		disassemble $sm "$work/code.bin" >"$work/theirs"
		compare $sm "ptxas, $kind code of $(ls "$work/$kind-$sm"-*.cubin | wc -l) cubins" "$work/ours" "$work/theirs"
	done
	"$work/sass_hazards" $sm "$work"/*-$sm-*.cubin >"$work/hazards" || fail "SM$sm: timing rules are broken"
	grep -v '^SM' "$work/hazards" | head -10 | sed 's/^/  /'
	grep '^SM' "$work/hazards" | sed 's/^/sass: /'
done
[ $failed = 0 ] && echo "sass: PASS"
exit $failed
