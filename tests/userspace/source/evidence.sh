# SPDX-License-Identifier: MIT
# docs/evidence.md is a matrix that can be trusted: every row has a known kind of evidence, a date and a command unless
# its kind is none, commands and records exist, and every compiler target and software GPU has rows.
. tests/tap.sh

# CHIP|LAYER|KIND|DATE|COMMAND|RECORD
rows=$(sed -n 's/^| \(.*\) |$/\1/p' docs/evidence.md | grep -v '^chip |\|^---' | sed 's/ *| */|/g')
[ "$(echo "$rows" | wc -l)" -gt 30 ]
ok $? "the matrix has rows"
is "$(echo "$rows" | awk -F '|' 'NF != 6')" "" "every row has six columns"
is "$(echo "$rows" | awk -F '|' '$3 !~ /^(silicon|other tool|other driver|own model|none)$/')" "" "every row names a known kind"
is "$(echo "$rows" | awk -F '|' '$3 != "none" && ($4 !~ /^20[0-9][0-9]-[01][0-9]-[0-3][0-9]$/ || $5 == "" || $6 == "")')" "" \
	"evidence has a date, a command and a record"
is "$(echo "$rows" | awk -F '|' '$3 == "none" && ($4 != "" || $5 != "" || $6 != "")')" "" "what was not tried has none of them"

missing=$(echo "$rows" | awk -F '|' '$5 != "" { gsub(/`/, "", $5); print $5 }' | sort -u | while read -r command rest; do
	case $command in
	make) grep -qE "^([a-z-]+ )*${rest%% *}( [a-z-]+)*:" Makefile || echo "make $rest" ;;
	build/tests/*) [ -e "tests/userspace/${command#build/tests/}.c" ] || echo "$command" ;;
	*) [ -e "$command" ] || echo "$command" ;;
	esac
done)
is "$missing" "" "every command exists"
is "$(awk 'length > 260 { print FNR ": " length }' docs/evidence.md)" "" "rows are short: figures belong into the records"

# A clean run is evidence for the commit and with the last line that its row gives.
is "$(echo "$rows" | awk -F '|' '$5 ~ /tests\/clean\/debian/ && $2 !~ /: [0-9]+ passed, [0-9]+ failed, [0-9]+ skipped at [0-9a-f]+$/ { print $2 }')" "" \
	"every clean run has its last line and its commit"
is "$(for debian in 12 13; do echo "$rows" | grep -q "on a clean Debian $debian" || echo "$debian"; done)" "" \
	"Debian 12 and 13 have a row for a clean run"

targets=$("$BUILD/sov" compile --stats --target none /dev/null 2>&1 | grep -oE '\b(sm|gfx)_?[0-9]+' | sort -u)
chips=$(SOV_KMOD=0 SOV_NVRM=0 SOV_SOFT=none:x "$BUILD/sov" devices 2>&1 | grep -oE '\b(gh|ga|ad|tu|navi)[0-9][0-9a-z]*' | sort -u)
[ -n "$targets" ]
ok $? "the compiler names its targets: $(echo "$targets" | tr '\n' ' ')"
[ -n "$chips" ]
ok $? "the software GPUs are named: $(echo "$chips" | tr '\n' ' ')"
is "$(for name in $targets $chips; do echo "$rows" | cut -d '|' -f 1 | grep -qw "$name" || echo "$name"; done)" "" \
	"every target and every software GPU has rows"
tap_done
