# SPDX-License-Identifier: MIT
# What make install puts down is what a program needs, and make uninstall takes it all away.
. tests/tap.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Whatever flags this build was made with, it is not made again (-o).
make="make -s --no-print-directory -o all BUILD=$BUILD DESTDIR=$work PREFIX=/usr"
flags=
[ -z "$(nm "$BUILD/libsov.so" | grep __asan_init)" ] || flags=-fsanitize=address,undefined

$make install >"$work/log" 2>&1
ok $? "make install DESTDIR= PREFIX=/usr"
for f in bin/sov include/sov.h lib/libsov.so.0 lib/libsov.so lib/pkgconfig/sov.pc share/man/man1/sov.1 \
	share/man/man3/libsov.3; do
	[ -e "$work/usr/$f" ]
	ok $? "there is $f"
done
has "$(readelf -d "$work/usr/lib/libsov.so")" "[libsov.so.0]" "the library's soname is libsov.so.0"
exported=$(nm -D --defined-only "$work/usr/lib/libsov.so" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort -u)
declared=$(grep '^SOV_API' libsov/sov.h | grep -o '\bsov_[a-z_0-9]*(' | tr -d '(' | sort -u)
is "$exported" "$declared" "it exports what sov.h declares and nothing else"
"$work/usr/bin/sov" --version >/dev/null
ok $? "the installed tool runs"

export PKG_CONFIG_PATH="$work/usr/lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$work"
cc -std=c11 $flags examples/saxpy.c -o "$work/saxpy" $(pkg-config --cflags --libs sov)
ok $? "a program builds with pkg-config alone"
is "$(LD_LIBRARY_PATH=$work/usr/lib "$work/saxpy")" "y[1] = 3, y[1023] = 3069" "and runs"

$make uninstall >"$work/log" 2>&1
is "$(find "$work/usr" ! -type d)" "" "make uninstall leaves nothing"
tap_done
