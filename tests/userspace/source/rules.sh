# SPDX-License-Identifier: MIT
# Checks the file rules of CONTRIBUTING.md in every text file of the repository except the fuzzers'
# corpus and the texts of the licences.
. tests/tap.sh

# grep -I skips binary files: those with a zero byte.
files=$(git -c safe.directory='*' ls-files -z --cached --others --exclude-standard | grep -zvE '^(tests/fuzz/corpus|LICENSES)/' |
	xargs -0 grep -Il . 2>/dev/null | sort -u)
found() { # test name, violations
	[ -z "$2" ]
	ok $? "$1"
	[ -z "$2" ] || diag "$2"
}

[ "$(echo "$files" | wc -l)" -gt 100 ]
ok $? "the file rules cover more than 100 files"
found "every file has an SPDX licence tag in its first three lines" \
	"$(awk 'FNR == 1 { if (seen == 0 && last != "") print last; last = FILENAME; seen = FILENAME == "LICENSE" }
		FNR <= 3 && /SPDX-License-Identifier: / { seen = 1 }
		END { if (!seen) print last }' $files)"
# Operators and parentheses of a licence expression separate names of licences and of exceptions.
names=$(awk 'FNR <= 3 && sub(/.*SPDX-License-Identifier: /, "") {
		sub(/ *(\*\/|-->).*/, "")
		print
		nextfile
	}' $files | tr ' ()' '\n\n\n' | grep -vxE 'AND|OR|WITH|' | sort -u)
is "$names" "$(ls LICENSES | sed 's/\.txt$//' | sort)" "LICENSES has the text of every licence that a file names, and no other"
found "no file is longer than 900 lines, except frozen words and PTX of kernels, which scripts write" \
	"$(wc -l $files | awk '$1 > 900 && $2 != "total" && $2 !~ /(frozen_words[.]txt|^libsov\/kernels\/.*[.]ptx|_functions_ptx[.]c)$/ { print $2 ": " $1 " lines" }')"
found "no line ends with white space" "$(grep -nE '[[:space:]]+$' $files | head -n 20)"
found "every file ends with a newline" "$(grep -LPz '\n\z' $files)"
found "no file contains a TODO, FIXME or XXX marker" \
	"$(grep -nwE 'TODO|FIXME|XXX' $files | grep -v '^tests/userspace/source/' | head -n 20)"
tap_done
