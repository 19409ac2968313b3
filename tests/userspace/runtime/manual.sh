# SPDX-License-Identifier: MIT
# libsov(3) names every call and result, sov(7) every variable; they format without a warning, and the example runs.
. tests/tap.sh
page=docs/man/libsov.3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

missing() { # pattern with @ for the name, page; names on standard input
	while read -r name; do
		grep -q "$(echo "$1" | sed "s/@/$name/")" "$2" || echo "$name"
	done
}
is "$(grep -o 'sov_[a-z_]*(' libsov/sov.h | tr -d '(' | grep -v sov_init_of | sort -u | missing '[ *]@(' $page)" "" \
	"every call has its place in the manual"
is "$(grep -oE '^	SOV_(OK|NOT_READY|ERROR_[A-Z_]*) =' libsov/sov.h | tr -d '	 =' | missing '^.B @$' $page)" "" \
	"so has every result"
is "$(grep -rhoE 'getenv\("SOV_[A-Z_]*' libsov | sed 's/.*"//' | sort -u | missing '^.B @$' docs/man/sov.7)" "" \
	"so has every environment variable, in sov(7)"
if command -v groff >/dev/null; then
	for each in docs/man/*; do
		is "$(groff -man -Tutf8 -ww -rLL=100n "$each" 2>&1 >/dev/null)" "" "${each##*/} formats without a warning"
	done
fi

# The example stands between the first .nf behind EXAMPLES and its .fi, with \e for a backslash.
awk '/^.SH EXAMPLES/ { on = 1 } on && /^.fi/ { exit } on && code { print } on && /^.nf/ { code = 1 }' $page |
	sed 's/\\e/\\/g' >"$dir/example.c"
# A library with sanitizers runs in programs of the same compiler only; then compiling must do.
if nm -D "$BUILD/libsov.so" | grep -q __asan_init; then
	out=$(cc -std=c11 -Wall -Wextra -Werror -Ilibsov -c "$dir/example.c" -o "$dir/example.o" 2>&1 && echo 42 1)
else
	out=$(cc -std=c11 -Wall -Wextra -Werror -Ilibsov "$dir/example.c" -o "$dir/example" -L"$BUILD" -lsov \
		-Wl,-rpath,"$(cd "$BUILD" && pwd)" 2>&1 && SOV_SOFT=gh100 "$dir/example")
fi
is "$out" "42 1" "its example does what it says"
tap_done
