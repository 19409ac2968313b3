# SPDX-License-Identifier: MIT
# C sources are as clang-format writes them (.clang-format) and at most 100 columns wide, except for the hand-set tables
# that .clang-format-ignore lists. clang-format's output depends on its version; both Debian 12 and 13 have this one.
. tests/tap.sh

format=clang-format-19
sources=$(git -c safe.directory='*' ls-files -c -o --exclude-standard '*.c' '*.h' | grep -v '^tests/fuzz/corpus/')
set -f # patterns stay patterns
formatted=$(patterns=$(grep -v '^#' .clang-format-ignore)
	for file in $sources; do
		for pattern in $patterns; do
			# shellcheck disable=SC2254 # a pattern
			case $file in $pattern) continue 2 ;; esac
		done
		echo "$file"
	done)
set +f
[ "$(echo "$formatted" | wc -l)" -gt 500 ]
ok $? "the list of files to format is not empty"

if command -v $format >/dev/null; then
	found=$(echo "$formatted" | xargs -n 50 $format --dry-run 2>&1 | grep 'warning:' | head -n 20)
	is "$found" "" "$format changes no file"
else
	skip "$format changes no file" "$format is not installed; run make deps"
fi

# The width of a line: tabs end at multiples of eight, and only the first byte of a character counts.
# shellcheck disable=SC2086 # a list of files
wide=$(LC_ALL=C awk '{
		line = $0
		gsub(/[\200-\277]/, "", line)
		n = split(line, part, "\t")
		width = 0
		for (i = 1; i < n; i++)
			width += int(length(part[i]) / 8) * 8 + 8
		if (width + length(part[n]) > 100)
			print FILENAME ":" FNR ": " width + length(part[n]) " columns"
	}' $formatted)
is "$(echo "$wide" | head -n 20)" "" "no line of C outside of the hand-set tables is wider than 100 columns"

# The kernel's rule: // in .c files, /* */ in headers.
# shellcheck disable=SC2086 # a list of files
is "$(awk 'FNR == 1 && (FILENAME ~ /\.c$/ ? !/^\/\/ SPDX-License-Identifier: / : !/^\/\* SPDX-License-Identifier: .* \*\/$/) {
		print FILENAME
	}
	FNR == 1 { nextfile }' $sources | head -n 20)" "" "licence tags have one form: // in .c files, /* */ in headers"
tap_done
