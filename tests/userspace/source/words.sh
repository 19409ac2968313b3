# SPDX-License-Identifier: MIT
# Retired words (docs/glossary.md, last table) do not come back, neither in names nor in prose: the field has words for
# what they meant. Dated results are records and stay as they were written.
. tests/tap.sh

files=$(git -c safe.directory='*' ls-files -c -o --exclude-standard '*.c' '*.h' '*.S' '*.cu' '*.sh' '*.py' '*.md' '*.[1-9]' \
	Makefile Kbuild tests/check tests/run |
	grep -vE '^(docs/glossary\.md|docs/results/|tests/fuzz/corpus/|tests/userspace/source/words\.sh)')
retired='turns?|ways|meets?|meeting|apart|lends?|lent|bury|buried|rebirth|belongings|awaken|condemned|doomed'
retired="$retired|bells?|whoever|nobody|somebody|everybody|seeing|so many|so much"
retired="$retired|[A-Za-z_]*(MOST|LEAST)_[A-Z_]*|[A-Z_]*_(MOST|LEAST)"
retired="$retired|(most|least)_[a-z_]+|[a-z_]+_(most|least)"
# Names that cannot change: a flag of the uAPI, and a PTX function in random kernels whose text is hashed by a test.
# shellcheck disable=SC2086 # a list of files
found=$(grep -nowE "($retired)" $files | grep -vE ':(DRM_SOVGPU_FENCE_AT_LEAST|SOVGPU_FENCE_AT_LEAST)$' |
	grep -vE '^tests/userspace/compiler/driver/_random(_operations)?\.h:[0-9]+:turn$')
is "$(echo "$found" | head -n 40)" "" "no retired word stands in code, messages or documents"
[ -z "$found" ] || diag "$(echo "$found" | wc -l) in all"
tap_done
