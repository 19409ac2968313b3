# SPDX-License-Identifier: MIT
# Every mutation of tests/mutants/list changes its file: code that has moved on makes a mutant test nothing. The tests
# that must notice a mutant exist, and no row is without a test.
. tests/tap.sh
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
tap_done
