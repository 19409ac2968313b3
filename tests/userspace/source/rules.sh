# SPDX-License-Identifier: MIT
# Every file that is ours to write keeps the rules of CONTRIBUTING.md. Binary files and the fuzzers'
# corpus are data.
. tests/tap.sh

# Text files only: grep -I takes a file with a zero byte for none.
files=$(git -c safe.directory='*' ls-files -z --cached --others --exclude-standard | grep -zv '^tests/fuzz/corpus/' |
	xargs -0 grep -Il . 2>/dev/null | sort -u)
found() { # promise, offenders
	[ -z "$2" ]
	ok $? "$1"
	[ -z "$2" ] || diag "$2"
}

[ "$(echo "$files" | wc -l)" -gt 100 ]
ok $? "the list of files is not empty"
found "every file names its licence in its first lines" \
	"$(awk 'FNR == 1 { if (seen == 0 && last != "") print last; last = FILENAME; seen = FILENAME == "LICENSE" }
		FNR <= 3 && /SPDX-License-Identifier: / { seen = 1 }
		END { if (!seen) print last }' $files)"
found "no file is longer than 900 lines" \
	"$(wc -l $files | awk '$1 > 900 && $2 != "total" { print $2 ": " $1 " lines" }')"
found "no line ends in white space" "$(grep -nE '[[:space:]]+$' $files | head -n 20)"
found "every file ends with a newline" "$(for f in $files; do tail -c 1 "$f" | read -r _ || echo "$f"; done)"
found "nothing is left to do later without a word why" \
	"$(grep -nwE 'TODO|FIXME|XXX' $files | grep -v '^tests/userspace/source/' | head -n 20)"
tap_done
