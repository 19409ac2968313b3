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
