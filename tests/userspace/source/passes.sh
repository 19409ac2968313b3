# SPDX-License-Identifier: MIT
# docs/compiler.md documents the compiler's passes: each pass of the pipeline table in
# libsov/compiler/passes/pass.c has a row in the table of passes there, and each row names a pass.
. tests/tap.sh

table=libsov/compiler/passes/pass.c
manual=docs/compiler.md

# Names in the rows {"name", function, ...} of passes[].
pipeline=$(awk '/^const struct pass passes\[\]/ { inside = 1 }
	inside && /^\t\{"/ { split($0, part, "\""); print part[2] }
	inside && /^\};/ { exit }' "$table" | sort -u)
# Names in the rows | `name` | text | that follow the table's heading.
rows=$(awk '/^\| pass \| what it does \|/ { inside = 1; next }
	inside && !/^\|/ { exit }
	inside && /^\| `/ { split($0, part, "`"); print part[2] }' "$manual" | sort -u)

[ -n "$pipeline" ]
ok $? "$table has a pipeline table of passes"
for name in $pipeline; do
	echo "$rows" | grep -qx "$name"
	ok $? "pass $name of the pipeline is documented in $manual"
done
for name in $rows; do
	echo "$pipeline" | grep -qx "$name"
	ok $? "pass $name documented in $manual is in the pipeline"
done
tap_done
