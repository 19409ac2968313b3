# SPDX-License-Identifier: MIT
# What the judges' scripts say of one promise; sourced by them, from the repository's root.
results=0 failed=0

result() { # EXIT-STATUS promise
	results=$((results + 1))
	if [ "$1" = 0 ]; then
		echo "ok $results - $2"
	else
		echo "not ok $results - $2"
		failed=1
	fi
}

# wants TOOL... : of LLVM 19; without one there is nothing to judge by.
wants() {
	for t; do
		if ! command -v "$t" >/dev/null; then
			result 1 "$t is there (apt-get install clang-19 lld-19 llvm-19)"
			echo "1..$results"
			exit 1
		fi
	done
}
