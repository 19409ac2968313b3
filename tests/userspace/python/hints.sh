# SPDX-License-Identifier: MIT
# Python: mypy finds no error in the package's type hints, and finds those in a program that uses it wrongly.
. tests/tap.sh
if ! command -v mypy >/dev/null; then
	echo "1..0 # SKIP mypy is not installed"
	exit 0
fi
cache=$(mktemp -d)
trap 'rm -rf "$cache"' EXIT
check() { # FILE: line numbers and kinds of errors
	MYPYPATH=python mypy --config-file python/pyproject.toml --cache-dir "$cache" --no-color-output --no-error-summary "$@" 2>&1
}
is "$(check python/sov)" "" "the package has no error of types"
is "$(check --allow-untyped-calls tests/userspace/python/_hints.py | sed -n 's/.*_hints.py:\([0-9]*\): error: .*\[\(.*\)\]$/\1 \2/p')" \
	"$(sed -n '=; s/.*# error: \(.*\)/\1/p' tests/userspace/python/_hints.py | awk '/^[0-9]+$/ { n = $1; next } { print n, $0 }')" \
	"in a program, wrong arguments, names and types are errors, and nothing else is"
tap_done
