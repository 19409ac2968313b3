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

wide=$(for file in $formatted; do
	tr -d '\200-\277' <"$file" | expand | awk -v file="$file" 'length > 100 { print file ":" FNR ": " length " columns" }'
done)
is "$(echo "$wide" | head -n 20)" "" "no line of C outside of the hand-set tables is wider than 100 columns"

# The kernel's rule: // in .c files, /* */ in headers.
is "$(for file in $sources; do
	case $file in
	*.c) head -n 1 "$file" | grep -q '^// SPDX-License-Identifier: ' || echo "$file" ;;
	*.h) head -n 1 "$file" | grep -q '^/\* SPDX-License-Identifier: .* \*/$' || echo "$file" ;;
	esac
done | head -n 20)" "" "licence tags have one form: // in .c files, /* */ in headers"
tap_done
