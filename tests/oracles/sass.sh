#!/bin/sh
# SPDX-License-Identifier: MIT
# Compares the SASS table with NVIDIA's disassembler and the timing rules with NVIDIA's compiler.
# For SM70, SM75, SM80, SM86, SM89 and SM90:
#   1. nvdisasm prints random legal words of every row and form as we do;
#   2. every word of ptxas's code for our kernels and for random kernels decodes, prints as nvdisasm
#      prints it, and encodes to the same bits;
#   3. that code obeys every latency and scoreboard rule of sass_latency.c;
#   4. it leaves no distance shorter than the minimum that mined_distances.txt records, by which make
#      check finds latencies that are too small. MINE=1 writes that file anew.
# Fails, never skips, without the tools. Run by make check-oracles, which builds the programs.
#   SOV_ORACLES  folder of the tools            (~/.cache/sov-oracles)
#   PER_FORM     random words per form of a row (1000)
#   KERNELS      random kernels                 (40)
#   SEED         of both                        (1)
#   SMS          SM versions                    (all of them)
#   MINE         1: replace the recorded minimum distances of these
set -u
: "${BUILD:=build}" "${PER_FORM:=1000}" "${KERNELS:=40}" "${SEED:=1}" "${MINE:=0}"
: "${SMS:=70 75 80 86 89 90}"
mined=tests/userspace/isa/nv/mined_distances.txt
tools=${SOV_ORACLES:-$HOME/.cache/sov-oracles}/nv/usr/bin
newer=/usr/local/cuda/bin/ptxas # CUDA 13, used if it is installed
judges=$BUILD/oracles
work=$judges/sass
. tests/oracles/_result.sh

# Prints nvdisasm's text of raw words, one instruction per line; its messages go to $work/errors.
disassemble() { # SM words.bin
	"$tools/nvdisasm" -b "SM$1" --print-raw "$2" 2>"$work/errors" |
		sed -n 's|^ */\*[0-9a-f]*\*/ *\(.*[^ ]\) *;.*$|\1|p'
}

# Compares $work/ours with nvdisasm's text of the same words.
compare_text() { # SM words.bin description
	disassemble "$1" "$2" >"$work/theirs"
	head -5 "$work/errors" | sed 's/^/# /'
	paste -d '\n' "$work/ours" "$work/theirs" | awk -v name="SM$1: $3" '
		NR % 2 { ours = $0; next }
		ours == $0 { good++; next }
		bad++ < 10 { print "# ours   " ours "\n# theirs " $0 }
		END { print "# count " name ": " good + bad " words, " good + 0 " agree"
		      exit bad > 0 || !good }'
	result $? "SM$1: nvdisasm prints $3 as we do"
}

compile_by_ptxas() { # SM
	n=0
	for ptxas in "$tools/ptxas" "$newer"; do
		[ -x "$ptxas" ] || continue
		[ "$1" -ge 75 ] || [ "$ptxas" != "$newer" ] || continue # CUDA 13 begins with sm_75
		for ptx in tests/kernels/*.ptx; do
			[ "$1" -ge 80 ] || {
				sed "s/^\.target sm_80/.target sm_$1/" "$ptx" >"$work/kernel.ptx"
				ptx=$work/kernel.ptx
			}
			for level in 0 1 2 3; do
				n=$((n + 1))
				"$ptxas" -O$level -arch="sm_$1" "$ptx" -o "$work/kernel-$1-$n.O$level.cubin"
			done
		done
	done
	for i in $(seq "$KERNELS"); do
		cubin=$work/random-$1-$i.cubin
		python3 tests/oracles/ptx_random.py "$1" $((SEED + i)) $((60 + i % 7 * 50)) \
			>"$work/random.ptx" || return 1
		# ptxas crashes on a few of them; those kernels do not count.
		"$tools/ptxas" -arch="sm_$1" "$work/random.ptx" -o "$cubin" 2>/dev/null ||
			rm -f "$cubin"
	done
	[ "$(ls "$work/random-$1"-* | wc -l)" -gt $((KERNELS / 2)) ]
}

for tool in nvdisasm ptxas; do
	if [ ! -x "$tools/$tool" ]; then
		result 1 "$tools/$tool of CUDA 12.4 is installed (SOV_ORACLES names the folder of nv/)"
		echo "1..$results"
		exit 1
	fi
done
rm -rf "$work"
mkdir -p "$work"
for sm in $SMS; do
	count=$("$judges/sass_words" $sm "$PER_FORM" "$SEED" "$work/words.bin" "$work/ours")
	result $? "SM$sm: random instructions of every row of the SASS table encode"
	echo "# count SM$sm: ${count% *} rows of the table, $PER_FORM random words per form"
	compare_text $sm "$work/words.bin" "random words"
	compile_by_ptxas $sm
	result $? "SM$sm: ptxas compiles our kernels and random ones"
	for kind in kernel random; do
		"$judges/sass_roundtrip" $sm "$work/code.bin" "$work/$kind-$sm"-*.cubin >"$work/ours"
		cubins=$(ls "$work/$kind-$sm"-*.cubin | wc -l)
		compare_text $sm "$work/code.bin" "ptxas's code of $cubins $kind files"
	done
	"$judges/sass_hazards" $sm "$work"/*-$sm-*.cubin >"$work/hazards"
	result $? "SM$sm: ptxas's code obeys every timing rule"
	grep -v '^SM' "$work/hazards" | head -10 | sed 's/^/# /'
	grep '^SM' "$work/hazards" | sed 's/^/# count /'
	# Without optimisation ptxas stalls for 15 cycles after every instruction.
	find "$work" -name "*-$sm-*.cubin" ! -name '*.O0.cubin' -exec \
		"$judges/sass_hazards" --mine $sm {} + >>"$work/mined"
	result $? "SM$sm: the minimum distances of pairs of classes are mined"
done
# A minimum is evidence if the pair is frequent, several dependences have that distance, and one
# stall count can express it.
sort -k1,1n -k2,5 "$work/mined" | awk '$8 >= 20 && $7 >= 3 && $6 <= 15' >"$work/frequent"
if [ "$MINE" = 1 ]; then
	awk -v sms=" $SMS " '/^#/ || !index(sms, " " $1 " ")' $mined >"$work/others"
	{
		grep '^#' "$work/others"
		{ grep -v '^#' "$work/others"; cat "$work/frequent"; } | sort -k1,1n -k2,5
	} >$mined
fi
awk '/^#/ { next }
	{ pair = $1 " " $2 " " substr($3, 1, 1) " " $4 " " $5 }
	NR == FNR { recorded[pair] = $6; next }
	pair in recorded { seen++ }
	pair in recorded && $6 < recorded[pair] { print "# " pair ": " $6 " cycles, recorded: " recorded[pair]; bad++ }
	END { print "# count mined: " seen + 0 " recorded pairs of classes occur"; exit bad > 0 || !seen }' \
	$mined "$work/mined"
result $? "ptxas leaves no distance shorter than the recorded minimum"
echo "1..$results"
exit $failed
