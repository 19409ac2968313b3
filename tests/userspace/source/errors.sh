# SPDX-License-Identifier: MIT
# Refusals for which the library has no general advice (libsov/runtime/base/error.c: a result whose next is NULL) say
# themselves what to do: by a second half behind a semicolon, or what the value must be.
. tests/tap.sh

own=$(awk '/^#define R\(/ { on = 1; next } /^#undef R/ { on = 0 } on' libsov/runtime/base/error.c | tr -d '\n' | tr -s '\t ' ' ' |
	sed 's/ R(/\n/g' | sed -n 's/^\(SOV_ERROR_[A-Z_]*\),.*", NULL),.*/\1/p' | sort)
is "$(echo "$own" | tr '\n' ' ')" "SOV_ERROR_INVALID_ARGUMENT SOV_ERROR_INVALID_LAUNCH SOV_ERROR_NOT_FOUND SOV_ERROR_UNSUPPORTED " \
	"four results have no general advice"

# A call a line: its file, its result, the words of its strings.
calls=$(for f in $(find libsov/runtime -name "*.c" | sort); do
	tr '\n\t' '  ' <"$f" | sed 's/set_error(/\n&/g' | sed -n 's/^set_error(\(r = \)\{0,1\}\(SOV_ERROR_[A-Z_]*\),\(.*\)/\2 \3/p' |
		awk -v file="${f##*/}" '{
			text = ""; rest = substr($0, length($1) + 1); n = split(rest, part, /"/)
			# Up to the end of the statement, which stands outside of strings.
			for (i = 1; i <= n; i++) {
				if (i % 2 == 0) { text = text part[i]; continue }
				if (part[i] ~ /;/) break
			}
			if (text != "") print file, $1, text
		}'
done)
[ "$(echo "$calls" | wc -l)" -gt 150 ]
ok $? "$(echo "$calls" | wc -l) refusals are found"
poor=$(echo "$calls" | grep -E "^[^ ]* ($(echo "$own" | tr '\n' '|' | sed 's/|$//')) " |
	grep -vE '^[^ ]* [^ ]* (%s|.*(;|must|at most|at least|known|use |see |is NULL|are NULL|outside of it|is 0|another thread).*)$')
is "$poor" "" "each of those says what to do"
tap_done
