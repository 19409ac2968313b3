# SPDX-License-Identifier: MIT
# Relative links of the documents lead to files that exist, and every page is reachable from README.md.
. tests/tap.sh

pages=$(git -c safe.directory='*' ls-files -c -o --exclude-standard '*.md')
# PAGE TARGET, a line per relative link; anchors are cut off.
links=$(for page in $pages; do
	grep -oE '\]\([^)]*\)' "$page" | sed -e 's/^](//' -e 's/)$//' -e 's/#.*//' | grep -vE '^$|^[a-z]+:' |
		while read -r target; do
			case $target in
			/*) echo "$page $target" ;;
			*) echo "$page $(dirname "$page")/$target" ;;
			esac
		done
done)
[ "$(echo "$links" | wc -l)" -gt 20 ]
ok $? "the search finds the links of the documents"
dead=$(echo "$links" | while read -r page target; do [ -e "$target" ] || echo "$page: $target"; done)
is "$dead" "" "every relative link leads to a file"

reached=README.md
while :; do
	more=$(echo "$links" | while read -r page target; do
		case " $(echo "$reached" | tr '\n' ' ') " in
		*" $page "*) realpath -m --relative-to=. "$target" ;;
		esac
	done)
	# A link to a folder reaches the pages in it.
	more=$(for path in $more; do [ -d "$path" ] && ls "$path"/*.md 2>/dev/null || echo "$path"; done)
	next=$(printf '%s\n%s\n' "$reached" "$more" | grep '\.md$' | sort -u)
	[ "$next" != "$reached" ] || break
	reached=$next
done
is "$(echo "$pages" | sort -u | grep -vxF "$reached")" "" "every document is reachable from README.md"
tap_done
