# SPDX-License-Identifier: MIT
# make install installs everything that a program needs; make uninstall removes it all.
. tests/tap.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# -o all keeps make from rebuilding with other flags.
make="make -s --no-print-directory -o all BUILD=$BUILD DESTDIR=$work PREFIX=/usr"
flags=
[ -z "$(nm "$BUILD/libsov.so" | grep __asan_init)" ] || flags=-fsanitize=address,undefined

$make install >"$work/log" 2>&1
ok $? "make install with DESTDIR and PREFIX=/usr succeeds"
for f in bin/sov lib/sovgpu/ptxas include/sov.h lib/libsov.so.0 lib/libsov.so lib/pkgconfig/sov.pc share/man/man1/sov.1 \
	share/bash-completion/completions/sov share/zsh/site-functions/_sov share/fish/vendor_completions.d/sov.fish \
	share/man/man3/libsov.3; do
	[ -e "$work/usr/$f" ]
	ok $? "make install installs $f"
done
has "$(readelf -d "$work/usr/lib/libsov.so")" "[libsov.so.0]" \
	"the soname of libsov.so is libsov.so.0"
exported=$(nm -D --defined-only "$work/usr/lib/libsov.so" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort -u)
declared=$(grep '^SOV_API' libsov/sov.h | grep -o '\bsov_[a-z_0-9]*(' | tr -d '(' | sort -u)
is "$exported" "$declared" "libsov.so exports exactly the functions that sov.h declares"
export PKG_CONFIG_PATH="$work/usr/lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$work"
is "$("$work/usr/bin/sov" --version)" "sov $(pkg-config --modversion sov)" "the installed sov and pkg-config name one version"
cc -std=c11 $flags examples/saxpy.c -o "$work/saxpy" $(pkg-config --cflags --libs sov)
ok $? "a program builds with the flags of pkg-config"
is "$(LD_LIBRARY_PATH=$work/usr/lib "$work/saxpy")" "y[1] = 3, y[1023] = 3069" \
	"a program that pkg-config built runs"

$make uninstall >"$work/log" 2>&1
is "$(find "$work/usr" ! -type d)" "" "make uninstall removes every file"
tap_done
