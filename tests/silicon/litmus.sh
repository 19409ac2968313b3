#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the litmus tests (tests/litmus) on the first GPU: our code by libsov, and the same PTX by
# NVIDIA's driver and compiler. Writes the full table to FILE and prints a short one: tests in which
# an outcome that is not sequentially consistent was seen, anything that is not legal, and totals.
#   usage: tests/silicon/litmus.sh FILE [RUNS [SEEDS]]
# RUNS: instances of each test and seed (default 1048576); SEEDS: a list (default "1 2"). Needs a C
# compiler and make; takes two to three minutes and stops a run that takes longer than two. OURS and THEIRS replace
# the two commands, to try the script without a GPU. Exit status 0: every outcome was legal.
set -eu
export SOV_KERNEL_TIME_LIMIT="${SOV_KERNEL_TIME_LIMIT:-60s}" # a kernel has no limit on a GPU otherwise
out=$1
runs=${2:-1048576}
seeds=${3:-1 2}
cd "$(dirname "$0")/../.."
case $out in /*) ;; *) out=$OLDPWD/$out ;; esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
: "${BUILD:=$work/build}"
if [ -z "${OURS:-}" ] || [ -z "${THEIRS:-}" ]; then
	timeout 300 make -s -j"$(nproc)" BUILD="$BUILD" "$BUILD/litmus" >"$work/log" 2>&1 ||
		{ tail -n 20 "$work/log"; exit 2; }
fi
OURS=${OURS:-$BUILD/litmus}
THEIRS=${THEIRS:-$BUILD/litmus --cuda}

# Runs the tests with every seed; a status other than "all legal" is remembered.
status=0
measure() { # name, command...
	name=$1
	shift
	for seed in $seeds; do
		timeout -k 10 120 "$@" --tsv --runs "$runs" --seed "$seed" \
			>>"$work/$name.tsv" 2>>"$work/$name.totals" || status=1
	done
	tail -n 12 "$work/$name.totals"
}
# shellcheck disable=SC2086 # commands with options
measure ours $OURS
# shellcheck disable=SC2086
measure theirs $THEIRS

# Sums the seeds and joins both compilers: test, outcome, verdict, ours, theirs, instances.
awk -F '\t' -v OFS='\t' '
	{ key = $1 OFS $2 OFS $3 }
	!(key in seen) { seen[key] = 1; order[++n] = key }
	FILENAME ~ /ours/ { ours[key] += $4; runs[key] += $5; next }
	{ theirs[key] += $4; others[key] += $5 }
	END {
		for (i = 1; i <= n; i++) {
			k = order[i]
			print k, ours[k] + 0, theirs[k] + 0, (runs[k] > others[k] ? runs[k] : others[k])
		}
	}' "$work/ours.tsv" "$work/theirs.tsv" >"$work/table"
heading='| test | outcome | verdict | ours | ptxas | instances each |
| --- | --- | --- | --- | --- | --- |'
row='{ printf "| %s | %s | %s | %d | %d | %d |\n", $1, $2, $3, $4, $5, $6 }'
{
	echo "$heading"
	awk -F '\t' "$row" "$work/table"
} >"$out"
echo
echo "$heading"
awk -F '\t' "\$3 == \"NOT LEGAL\" || (\$3 == \"legal\" && \$4 + \$5) $row" "$work/table"
awk -F '\t' '
	!($1 in tests) { tests[$1] = 1; count++ }
	$3 == "legal" { allowed++; ours += $4 > 0; theirs += $5 > 0 }
	$3 == "forbidden" { bad += $4; worse += $5; instances += $6 }
	END {
		printf "\n%d tests, %.0f instances with each compiler. Weak outcomes that PTX permits: %d;", \
			count, instances, allowed
		printf " seen with our code %d, with ptxas %d.\n", ours, theirs
		printf "Outcomes that PTX forbids: %d instances with our code, %d with ptxas.\n", bad, worse
	}' "$work/table"
[ $status -eq 0 ] && echo "litmus: PASS" || echo "litmus: FAIL"
exit $status
