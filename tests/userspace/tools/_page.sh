# SPDX-License-Identifier: MIT
# What every page of sov for browsers must be. For the shell; json is tests/tools/_json.
# check_page FILE MEMBER COUNT
check_page() {
	sed -n '/type="application\/json">/,/<\/script>/p' "$1" | sed '1d;$d' | "$json"
	ok $? "the data of the page is valid JSON"
	has "$(cat "$1")" "default-src 'none'" "the page forbids itself the network"
	is "$(grep -cE '@(TITLE|DATA)@|<(link|img|iframe)|src=|@import|fetch\(' "$1")" 0 "the page refers to no other file"
	if command -v node >/dev/null; then
		is "$(node tests/userspace/tools/_page.js "$1" "$2" 2>&1)" "$3" "the script of the page runs and finds $2"
	else
		skip "the script of the page runs and finds $2" "node is not installed"
	fi
}
