# SPDX-License-Identifier: MIT
# Section 3 of the manual documents every call of sov.h with its prototype, libsov(3) every result, sov(7) every
# environment variable; the pages format without a warning, and the example in libsov(3) runs.
. tests/tap.sh
. tests/userspace/runtime/_link.sh
page=docs/man/libsov.3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

missing() { # pattern with @ for the name, page; names on standard input
	while read -r name; do
		grep -q "$(echo "$1" | sed "s/@/$name/")" "$2" || echo "$name"
	done
}
# Prototypes as words: the manual's without font changes, the header's without attributes and line breaks.
cat docs/man/*.3 | sed 's/\\f[BIR]//g; s/^\.[BI]* *//; s/["]//g' | tr -s ' ' >"$dir/manual"
prototypes=$(cc -E -P libsov/sov.h | tr '\n;' ' \n' | sed -n 's/.*visibility("default"))) *//p' | tr -s '\t ' ' ' | sed 's/ *$//')
[ "$(echo "$prototypes" | wc -l)" -gt 50 ]
ok $? "the header's prototypes are found"
is "$(echo "$prototypes" | while read -r prototype; do
	grep -qF -- "$prototype" "$dir/manual" || echo "$prototype"
done)" "" "every call of sov.h has its prototype in section 3 of the manual"
is "$(grep -oE '^	SOV_(OK|NOT_READY|ERROR_[A-Z_]*) =' libsov/sov.h | tr -d '	 =' | missing '^.B @$' $page)" "" \
	"libsov(3) describes every result"
is "$(grep -rhoE 'getenv\("SOV_[A-Z_]*' libsov | sed 's/.*"//' | sort -u | missing '^.B @$' docs/man/sov.7)" "" \
	"sov(7) describes every environment variable"
if command -v groff >/dev/null; then
	for each in docs/man/*; do
		is "$(groff -man -Tutf8 -ww -rLL=100n "$each" 2>&1 >/dev/null)" "" "${each##*/} formats without a warning"
	done
fi

# The example stands between the first .nf after EXAMPLES and its .fi, with \e for a backslash.
awk '/^.SH EXAMPLES/ { on = 1 } on && /^.fi/ { exit } on && code { print } on && /^.nf/ { code = 1 }' $page |
	sed 's/\\e/\\/g' >"$dir/example.c"
# shellcheck disable=SC2086 # lists of words
out=$($build_cc $sanitizers -std=c11 -Wall -Wextra -Werror -Ilibsov "$dir/example.c" -o "$dir/example" $link_libsov 2>&1 &&
	SOV_SOFT=gh100 "$dir/example")
is "$out" "42 1" "the example of libsov(3) prints what it should"
tap_done
