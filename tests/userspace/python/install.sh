# SPDX-License-Identifier: MIT
# Python: pip installs the package from its source, with its type information, and it runs from there.
. tests/tap.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python=
for candidate in python3 /usr/bin/python3; do
	[ -n "$python" ] || ! "$candidate" -c 'import setuptools as s, wheel, pip, numpy; assert int(s.__version__.split(".")[0]) > 60' \
		2>/dev/null || python=$candidate
done
if [ -z "$python" ]; then
	echo "1..0 # SKIP no python3 here has numpy, pip, wheel and setuptools 61 or newer"
	exit 0
fi
cp -r python "$work/source"
"$python" -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps --no-index \
	--target "$work/site" "$work/source" >"$work/log" 2>&1
ok $? "pip installs the package without a network"
diag "$(cat "$work/log")"
for file in __init__.py py.typed; do
	[ -e "$work/site/sov/$file" ]
	ok $? "pip installs sov/$file"
done
is "$(cd "$work/site/sov" && ls ./*.py)" "$(cd python/sov && ls ./*.py)" "pip installs every module of the package"
run() {
	PYTHONPATH=$work/site SOV_LIBRARY=$1 SOV_NVRM=0 SOV_KMOD=0 "$python" -c "$2" 2>&1
}
if nm "$BUILD/libsov.so" | grep -q __asan_init; then
	skip "the installed package runs" "the interpreter was not built with sanitizers"
else
	is "$(run "$BUILD/libsov.so.0" 'import sov; print(sov.ones(3).get())')" "[1. 1. 1.]" "the installed package runs"
fi
out=$(run /none/libsov.so.0 'import sov' | tail -n 1)
has "$out" "ImportError: sov needs the library libsov and cannot load '/none/libsov.so.0'" \
	"without the library the import says what is missing"
tap_done
