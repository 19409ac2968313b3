#!/bin/sh
# SPDX-License-Identifier: MIT
# The shared library exports the calls of sov.h, all of them and nothing else.
set -u
lib=$BUILD/libsov.so
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT

nm -D --defined-only "$lib" | awk '{ print $3 }' | sed 's/@.*//' | grep -v '^SOV_0$' | sort >"$dir/exported"
# The header after the preprocessor, one declaration a line, names before an opening parenthesis.
${CC:-cc} -E -P libsov/sov.h | tr '\n;' ' \n' | grep 'visibility("default")' |
	grep -o 'sov_[a-z_]* *(' | tr -d ' (' | sort >"$dir/declared"

n=0
result() { n=$((n + 1)); echo "$1 $n - $2"; }
if [ -s "$dir/declared" ] && ! grep -v '^sov_' "$dir/exported"; then
	result ok "only names that begin with sov_ are exported"
else
	result "not ok" "only names that begin with sov_ are exported"
fi
if diff "$dir/declared" "$dir/exported"; then
	result ok "$(wc -l <"$dir/declared") calls are declared, and exactly those are exported"
else
	result "not ok" "the calls that are declared are those that are exported"
fi
if readelf -V "$lib" | grep -q 'Name: SOV_0'; then
	result ok "they carry the version SOV_0"
else
	result "not ok" "they carry the version SOV_0"
fi
echo "1..$n"
