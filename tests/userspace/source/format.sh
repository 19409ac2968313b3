# SPDX-License-Identifier: MIT
# C sources are as clang-format writes them (.clang-format) and at most 100 columns wide, except for the hand-set tables
# that .clang-format-ignore lists. clang-format's output depends on its version: the reference is Debian 12's default, which
# Debian 13 does not have. On other systems a binary named clang-format-14 is used if there is one.
. tests/tap.sh

reference=14
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

command=clang-format-$reference
command -v "$command" >/dev/null || command=clang-format
version=$("$command" --version 2>/dev/null | sed -n 's/.*version \([0-9]*\).*/\1/p')
if [ "$version" = "$reference" ]; then
	found=$(echo "$formatted" | xargs -n 50 "$command" --dry-run 2>&1 | grep 'warning:' | head -n 20)
	is "$found" "" "clang-format $reference changes no file"
else
	skip "clang-format changes no file" "clang-format ${version:-(none)} formats otherwise than version $reference; \
install clang-format-$reference (Debian 12's archive, or pip install clang-format==$reference.0.6), or run this test on Debian 12"
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
