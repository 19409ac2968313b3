# SPDX-License-Identifier: MIT
# Checks that error messages tell the caller what to do. Results with general advice get it from the table of
# libsov/runtime/base/error.c (`next`). The messages of all other results, whose `next` is NULL, give advice after a
# semicolon or name the valid values.
. tests/tap.sh

own=$(awk '/^#define R\(/ { on = 1; next } /^#undef R/ { on = 0 } on' libsov/runtime/base/error.c | tr -d '\n' | tr -s '\t ' ' ' |
	sed 's/ R(/\n/g' | sed -n 's/^\(SOV_ERROR_[A-Z_]*\),.*", NULL),.*/\1/p' | sort)
is "$(echo "$own" | tr '\n' ' ')" "SOV_ERROR_INVALID_ARGUMENT SOV_ERROR_INVALID_LAUNCH SOV_ERROR_NOT_FOUND SOV_ERROR_UNSUPPORTED " \
	"exactly four results have no general advice in error.c"

# One set_error() call per line: its file, its result, the text of its strings.
calls=$(for f in $(find libsov/runtime -name "*.c" | sort); do
	tr '\n\t' '  ' <"$f" | sed 's/set_error(/\n&/g' | sed -n 's/^set_error(\(r = \)\{0,1\}\(SOV_ERROR_[A-Z_]*\),\(.*\)/\2 \3/p' |
		awk -v file="${f##*/}" '{
			text = ""; rest = substr($0, length($1) + 1); n = split(rest, part, /"/)
			# Stop at the semicolon outside of strings, which ends the statement.
			for (i = 1; i <= n; i++) {
				if (i % 2 == 0) { text = text part[i]; continue }
				if (part[i] ~ /;/) break
			}
			if (text != "") print file, $1, text
		}'
done)
[ "$(echo "$calls" | wc -l)" -gt 150 ]
ok $? "more than 150 set_error() calls are found: $(echo "$calls" | wc -l)"
poor=$(echo "$calls" | grep -E "^[^ ]* ($(echo "$own" | tr '\n' '|' | sed 's/|$//')) " |
	grep -vE '^[^ ]* [^ ]* (%s|.*(;|must|at most|at least|known|use |see |is NULL|are NULL|outside of it|is 0|another thread).*)$')
is "$poor" "" "every message of a result without general advice tells the caller what to do"
tap_done
