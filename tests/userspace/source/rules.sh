# SPDX-License-Identifier: MIT
# Every file that is ours to write keeps the rules of CONTRIBUTING.md. Binary files and the fuzzers'
# corpus are data.
. tests/tap.sh

files=$(git ls-files --cached --others --exclude-standard | grep -v '^tests/fuzz/corpus/' | sort -u |
	while read -r f; do [ -s "$f" ] && grep -Iq . "$f" && echo "$f"; done)
found() { # promise, offenders
	[ -z "$2" ]
	ok $? "$1"
	[ -z "$2" ] || diag "$2"
}

[ "$(echo "$files" | wc -l)" -gt 20 ]
ok $? "the list of files is not empty"
found "every file names its licence in its first lines" \
	"$(for f in $files; do [ "$f" = LICENSE ] || head -n 3 "$f" | grep -q 'SPDX-License-Identifier: ' || echo "$f"; done)"
found "no file is longer than 900 lines" \
	"$(wc -l $files | awk '$1 > 900 && $2 != "total" { print $2 ": " $1 " lines" }')"
found "no line ends in white space" "$(grep -nE '[[:space:]]+$' $files | head -20)"
found "every file ends with a newline" "$(for f in $files; do [ -z "$(tail -c 1 "$f")" ] || echo "$f"; done)"
found "nothing is left to do later without a word why" "$(grep -nwE 'TODO|FIXME|XXX' $files | grep -v '^tests/userspace/source/' | head)"
tap_done
