#!/bin/sh
# SPDX-License-Identifier: MIT
# Counts how many kernels of a folder of PTX files compile, and lists why the others do not.
#
#   tests/bench/coverage.sh DIR [TARGET]
#
# TARGET dummy (the default) stops at the IR after all passes; sm_90 generates machine code. A
# kernel fails if a message names one of its lines; a message about anything else (a function, a
# variable, the whole file) counts against every kernel of its file. Prints each failure with its
# first reason, then all reasons by the number of affected kernels. Exit status 1: the compiler
# crashed on a file or took longer than a minute.
dir=${1:?usage: coverage.sh DIR [TARGET]}
target=${2:-dummy}
sov=${BUILD:-build}/sov
messages=$(mktemp) || exit 1
list=$(mktemp) || exit 1
trap 'rm -f "$messages" "$list"' EXIT
broken=0

for file in "$dir"/*.ptx; do
	timeout 60 "$sov" compile --target "$target" -o /dev/null "$file" >/dev/null 2>"$messages"
	status=$?
	[ $status -le 1 ] || { echo "BROKEN $file: exit status $status"; broken=1; }
	awk -v file="$(basename "$file")" -v status=$status '
	FILENAME == ARGV[1] { # messages: "FILE:12:3: error: …", "FILE: error: kernel '"'k'"': …", and lines of the source
		text = $0
		if (text ~ /^(sov:)? /)
			next
		if (match(text, /:[0-9]+:[0-9]+: error: /)) {
			split(substr(text, RSTART + 1), at, ":")
			line[++n] = at[1]
			why[n] = substr(text, RSTART + RLENGTH)
		} else {
			line[++n] = 0
			sub(/^.*: error: /, "", text)
			why[n] = text
		}
		next
	}
	/^[ \t]*(\.visible |\.weak |\.extern )*\.entry[ \t]/ {
		name = $0
		sub(/^.*\.entry[ \t]+/, "", name)
		sub(/[( \t].*$/, "", name)
		entry = FNR
		pending = 1
	}
	pending && /^[ \t]*;/ { pending = 0 } # a declaration
	pending && /^[ \t]*\{/ { first[++k] = entry; kernel[k] = name; pending = 0; depth = 1; next }
	depth && /^\}/ { last[k] = FNR; depth = 0 }
	END {
		for (i = 1; i <= k; i++)
			bad[i] = ""
		for (j = 1; j <= n; j++) {
			hit = 0
			for (i = 1; i <= k; i++)
				if ((line[j] >= first[i] && line[j] <= last[i]) ||
				    index(why[j], "kernel '"'"'" kernel[i] "'"'"'")) {
					hit = 1
					if (bad[i] == "")
						bad[i] = why[j]
				}
			for (i = 1; i <= k && !hit; i++)
				if (bad[i] == "")
					bad[i] = why[j]
		}
		for (i = 1; i <= k; i++) {
			if (bad[i] == "" && status > 1)
				bad[i] = "the compiler crashed or timed out"
			print (bad[i] == "" ? "good" : "bad") "\t" file "\t" kernel[i] "\t" bad[i]
		}
	}' "$messages" "$file" >>"$list"
done

awk -F '\t' '$1 == "bad" { print "FAIL " $2 ": " $3 ": " $4 }' "$list"
echo
awk -F '\t' '$1 == "bad" {
	why = $4
	sub(/^(compile: )?kernel [^ ]*: /, "", why)
	gsub(/%[A-Za-z0-9_$]+/, "%", why) # the same reason with another register
	if (index(why, "; forms:")) why = substr(why, 1, index(why, "; forms:") - 1)
	if (index(why, "; known:")) why = substr(why, 1, index(why, "; known:") - 1)
	count[why]++
}
END { for (w in count) printf "%6d  %s\n", count[w], w }' "$list" | sort -rn
awk -F '\t' -v target="$target" '{ n++; good += $1 == "good" }
END {
	printf "%d of %d kernels compile for %s (%.1f %%)\n", good, n, target, n ? 100 * good / n : 0
}' "$list"
exit $broken
