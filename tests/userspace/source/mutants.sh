# SPDX-License-Identifier: MIT
# Every mutation of tests/mutants/list and tests/vm/mutants changes its file: code that has moved on makes a mutant test
# nothing. The tests that must notice a mutant of the list exist, and no row is without a test.
. tests/tap.sh
tab=$(printf '\t')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
lost=$(BUILD=$work CHECK=1 tests/mutants/run | grep '^not ok')
is "$lost" "" "every mutation applies to its file"
missing=$(awk -F'\t' '!/^#/ { n = split($2, t, " "); if (!n) print $1 ": no test"; for (i = 1; i <= n; i++) print t[i] }' \
	tests/mutants/list | sort -u | while read -r t; do
	p=tests/userspace/${t#*:}
	[ -f "$p" ] || [ -f "$p.c" ] || echo "$t"
done)
is "$missing" "" "every test that a mutant names exists"
lost=$(grep -v '^#' tests/vm/mutants | while IFS=$tab read -r round _ file how _; do
	sed "$how" "kmod/$file" | cmp -s - "kmod/$file" && echo "round $round, $file: $how"
done)
is "$lost" "" "every mutation of the kernel driver applies to its file"
tap_done
