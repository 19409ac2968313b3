#!/bin/sh
# SPDX-License-Identifier: MIT
# Dependencies between the files of a folder: a node is X.c together with X.h, an edge A -> B means that A includes
# B's header or names, in code, a function or variable that B defines for others. Prints the strongly connected components with
# more than one file, and the edges inside of them; the last line counts.
#   usage: cycles.sh FOLDER    (kmod: without kmod/nv; others with their subfolders)
folder=$1
case $folder in
kmod) files=$(ls kmod/*.[ch]) ;;
*) files=$(find "$folder" -name '*.[ch]' | sort) ;;
esac
# shellcheck disable=SC2086 # a list of files
awk '
function node(path) { sub(/\.[ch]$/, "", path); return path }
# Comments and strings do not count.
function strip(line,    out, c, i) {
	if (inside) {
		i = index(line, "*/")
		if (!i)
			return ""
		line = substr(line, i + 2)
		inside = 0
	}
	gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
	gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, " ", line)
	sub(/\/\/.*/, "", line)
	i = index(line, "/*")
	if (i) {
		line = substr(line, 1, i - 1)
		inside = 1
	}
	return line
}
# The name that a declarator at the left margin gives: the identifier before "(" , "[", "=" or ";".
function defined_name(text,    t, n, part) {
	t = text
	gsub(/__attribute__ *\(\([^)]*\)+\)?\)/, "", t)
	sub(/[=;].*/, "", t)
	sub(/[(\[].*/, "", t)
	gsub(/[^A-Za-z0-9_]+/, " ", t)
	n = split(t, part, " ")
	return n > 1 ? part[n] : ""
}
FNR == 1 { inside = body = 0; head = ""; me = node(FILENAME); nodes[me] = 1 }
{
	if ($0 ~ /^#[ \t]*include "/) {
		path = $0
		sub(/^[^"]*"/, "", path)
		sub(/".*/, "", path)
		include[me, node(path)] = 1
		next
	}
	line = strip($0)
	if (line ~ /^#/ || line ~ /^[ \t]*$/)
		next
	# Declarations in a header are no use of what they declare; bodies of its inline functions are.
	if (FILENAME ~ /\.h$/) {
		if (line ~ /^\{/)
			body = 1
		if (line ~ /^\}/)
			body = 0
		if (!body)
			next
	}
	rest = line
	while (match(rest, /[A-Za-z_][A-Za-z0-9_]*/)) {
		word = substr(rest, RSTART, RLENGTH)
		if (!((me, word) in used)) {
			used[me, word] = 1
			words[me] = words[me] " " word
		}
		rest = substr(rest, RSTART + RLENGTH)
	}
	if (FILENAME !~ /\.c$/)
		next
	if (line ~ /^[A-Za-z_]/ && line !~ /^(static|typedef|struct [A-Za-z0-9_]* *\{|enum|union|extern|MODULE_|EXPORT_)/ && line !~ /:$/)
		head = line
	else if (line ~ /^(static|typedef|extern|enum|struct [A-Za-z0-9_]* *\{)/)
		head = ""
	else if (head != "" && line ~ /^[ \t)]/)
		head = head " " line
	if (head != "" && (line ~ /^\{/ || line ~ /= *\{?$/ || line ~ /= .*;$/ || (line ~ /;$/ && line ~ /^[A-Za-z_]/ && head !~ /\(/))) {
		name = defined_name(head)
		if (name != "" && !(name in owner))
			owner[name] = me
		head = ""
	} else if (line ~ /;$/)
		head = ""
}
END {
	for (key in include) {
		split(key, k, SUBSEP)
		if ((k[2] in nodes) && k[1] != k[2])
			print k[1], k[2], "include"
	}
	for (n in nodes) {
		count = split(words[n], list, " ")
		for (i = 1; i <= count; i++)
			if ((list[i] in owner) && owner[list[i]] != n)
				print n, owner[list[i]], list[i]
	}
}' $files | sort -u | awk '
# Tarjan, with an explicit stack of calls by recursion; components of more than one node are cycles.
{ if (!(($1, $2) in edge)) { edge[$1, $2] = $3; next_of[$1] = next_of[$1] " " $2 } else edge[$1, $2] = edge[$1, $2] "," $3
  seen[$1] = seen[$2] = 1 }
function visit(v,    list, n, i, w, members, size) {
	number[v] = low[v] = ++counter
	stack[++top] = v
	on[v] = 1
	n = split(next_of[v], list, " ")
	for (i = 1; i <= n; i++) {
		w = list[i]
		if (!(w in number)) {
			visit(w)
			if (low[w] < low[v])
				low[v] = low[w]
		} else if (on[w] && number[w] < low[v])
			low[v] = number[w]
	}
	if (low[v] == number[v]) {
		size = 0
		do {
			w = stack[top--]
			on[w] = 0
			size++
			component[w] = v
			members = members " " w
		} while (w != v)
		if (size > 1) {
			cycles++
			print "cycle of " size " files:" members
			root[v] = 1
		}
	}
}
END {
	for (v in seen)
		if (!(v in number))
			visit(v)
	for (key in edge) {
		split(key, k, SUBSEP)
		if (component[k[1]] == component[k[2]] && (component[k[1]] in root))
			print "  " k[1] " -> " k[2] ": " substr(edge[key], 1, 100) | "sort"
	}
	close("sort")
	print cycles + 0 " cycles"
}'
