#!/bin/sh
# SPDX-License-Identifier: MIT
# Draws the include dependencies between the folders of a checkout as SVG on standard output (needs graphviz). An edge's number counts the
# includes; edges that close a cycle between folders are red.
#   usage: docs/images/dependencies.sh [CHECKOUT]    (.)
set -eu
cd "${1:-.}"
find kmod libsov model tools hw uapi -name '*.[ch]' | sort |
	xargs awk '
	function folder(path) { sub(/\/[^\/]*$/, "", path); return path }
	/^#[ \t]*include "/ {
		to = $0
		sub(/^[^"]*"/, "", to)
		sub(/".*/, "", to)
		if (to ~ /^(kmod|libsov|model|tools|hw|uapi)\//) {
			a = folder(FILENAME)
			b = folder(to)
			if (a != b)
				edges[a " " b]++
		}
	}
	END { for (e in edges) print e, edges[e] }' | sort |
	awk '
	{ n[$1, $2] = $3; from[NR] = $1; to[NR] = $2; next_of[$1] = next_of[$1] " " $2; nodes[$1] = nodes[$2] = 1 }
	function reaches(a, b,    queue, head, tail, list, k, i, seen) {
		queue[tail++] = a
		while (head < tail) {
			a = queue[head++]
			k = split(next_of[a], list, " ")
			for (i = 1; i <= k; i++) {
				if (list[i] == b)
					return 1
				if (!(list[i] in seen)) {
					seen[list[i]] = 1
					queue[tail++] = list[i]
				}
			}
		}
		return 0
	}
	END {
		print "digraph dependencies {"
		print "\trankdir=TB; node [shape=rect, style=\"rounded,filled\", fillcolor=\"#eef3f9\", fontname=\"DejaVu Sans\", fontsize=11];"
		print "\tedge [color=\"#8a99ab\", fontname=\"DejaVu Sans\", fontsize=8, arrowsize=0.6];"
		for (v in nodes)
			print "\t\"" v "\";"
		for (i = 1; i <= NR; i++) {
			red = reaches(to[i], from[i])
			cycles += red
			print "\t\"" from[i] "\" -> \"" to[i] "\" [label=" n[from[i], to[i]] (red ? ", color=red, fontcolor=red" : "") "];"
		}
		print "\tlabel=\"" NR " dependencies between " length(nodes) " folders, " cycles + 0 " of them in cycles\"; fontname=\"DejaVu Sans\";"
		print "}"
	}' | sed 's/length(nodes)/nodes/' >"${TMPDIR:-/tmp}/dependencies.dot"
dot -Tsvg "${TMPDIR:-/tmp}/dependencies.dot"
