# SPDX-License-Identifier: MIT
# Dependencies run in one direction: no cycle of includes and calls between files of the runtime, of the kernel driver's
# core or of its NVIDIA half, and no cycle of includes between folders. `sh tests/userspace/source/_cycles.sh FOLDER` lists the edges of a cycle.
. tests/tap.sh

# The finder itself: a call in one direction and an include in the other are a cycle.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/loop"
printf 'int b(void);\nint a(void)\n{\n\treturn b();\n}\n' >"$work/loop/a.c"
printf '#include "loop/a.h"\nint b(void)\n{\n\treturn 1;\n}\n' >"$work/loop/b.c"
printf 'int a(void);\n' >"$work/loop/a.h"
found=$(tree=$PWD && cd "$work" && sh "$tree/tests/userspace/source/_cycles.sh" loop)
is "$(echo "$found" | tail -n 1)" "1 cycles" "the search finds a cycle of a call and an include"

for folder in libsov/runtime kmod kmod/nv; do
	found=$(sh tests/userspace/source/_cycles.sh "$folder")
	is "$(echo "$found" | tail -n 1)" "0 cycles" "no dependency cycle between files of $folder"
	[ "$(echo "$found" | tail -n 1)" = "0 cycles" ] || diag "$found"
done

# Between folders, by includes: tsort names the folders of a loop.
loops=$(find kmod libsov model tools hw uapi -name '*.[ch]' | xargs grep -H '^#[[:space:]]*include "' |
	sed -n 's|^\(.*\)/[^/]*:#[[:space:]]*include "\([a-z].*\)/[^/]*".*|\1 \2|p' | grep -v '^\([^ ]*\) \1$' |
	grep -E ' (kmod|libsov|model|tools|hw|uapi)(/|$)' | sort -u | tsort 2>&1 >/dev/null)
is "$loops" "" "no include cycle between folders"
tap_done
