# SPDX-License-Identifier: MIT
# The bundle for real GPUs can be made, and its runner judges: right code passes, wrong code fails.
# The software GPU stands in for libcuda.so.1 here.
. tests/tap.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags=
[ -z "$(nm "$BUILD/libsov.so" 2>/dev/null | grep __asan_init)" ] || flags="-fsanitize=address,undefined"

out=$(BUILD=$BUILD tests/silicon/bundle.sh 2>&1)
ok $? "make silicon makes the bundle"
diag "$out"
tar -xzf "$BUILD/silicon.tar.gz" -C "$work"
ok $? "the archive unpacks"
cc $flags -O2 -std=c11 -D_GNU_SOURCE -I. -shared -fPIC tests/silicon/_cuda_on_sov.c -o "$work/libcuda.so.1" \
	-L"$BUILD" -lsov -Wl,-rpath,"$(realpath "$BUILD")" &&
	cc $flags -O2 -std=c11 "$work/silicon/runner.c" -o "$work/silicon/runner" -ldl -lm
ok $? "the runner builds"

cd "$work/silicon" || exit 1
run() {
	LD_LIBRARY_PATH=$work ASAN_OPTIONS=detect_leaks=0 ./runner --small "$@" 2>&1
}
out=$(run --no-timing default serial)
ok $? "all values are right on the software GPU, default and serial"
diag "$out"
has "$out" "silicon: PASS: " "the verdict says so"
has "$(run default serial)" "serial/default" "the table compares variants"

cp saxpy.default.cubin saxpy.wrong.cubin
cp saxpy.default.cubin reduce.wrong.cubin
out=$(run --no-timing wrong)
[ $? -eq 1 ] && echo "$out" | grep -q "silicon: FAIL"
ok $? "an image without the kernel fails"
tap_done
