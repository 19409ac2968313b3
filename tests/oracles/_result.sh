# SPDX-License-Identifier: MIT
# TAP output for the oracle scripts, which source this file from the repository's root.
results=0 failed=0

result() { # EXIT-STATUS test name
	results=$((results + 1))
	if [ "$1" = 0 ]; then
		echo "ok $results - $2"
	else
		echo "not ok $results - $2"
		failed=1
	fi
}

# require_tools TOOL... : fails if a tool of LLVM 19 is missing.
require_tools() {
	for t; do
		if ! command -v "$t" >/dev/null; then
			result 1 "$t is installed (apt-get install clang-19 lld-19 llvm-19)"
			echo "1..$results"
			exit 1
		fi
	done
}
