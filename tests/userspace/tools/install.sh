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
for f in bin/sov lib/sovgpu/ptxas include/sov.h lib/libsov.so.0 lib/libsov.so lib/libsov.a lib/pkgconfig/sov.pc \
	lib/cmake/sov/sov-config.cmake share/man/man1/sov.1 \
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
# Sanitizers add symbols of their own.
static=$(nm -g --defined-only "$work/usr/lib/libsov.a" | awk 'NF == 3 { print $3 }' | grep -v '^__\(asan\|odr\|ubsan\)' | sort -u)
is "$static" "$declared" "libsov.a exports exactly the functions that sov.h declares"
export PKG_CONFIG_PATH="$work/usr/lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$work"
is "$("$work/usr/bin/sov" --version)" "sov $(pkg-config --modversion sov)" "the installed sov and pkg-config name one version"
cc -std=c11 $flags examples/saxpy.c -o "$work/saxpy" $(pkg-config --cflags --libs sov)
ok $? "a program builds with the flags of pkg-config"
is "$(LD_LIBRARY_PATH=$work/usr/lib "$work/saxpy")" "y[1] = 3, y[1023] = 3069" \
	"a program that pkg-config built runs"
# shellcheck disable=SC2046 # lists of options
cc -std=c11 $flags examples/saxpy.c -o "$work/static" $(pkg-config --cflags sov) "$work/usr/lib/libsov.a" \
	$(pkg-config --static --libs sov | sed 's/ *-lsov//')
ok $? "a program builds with the static library"
is "$(readelf -d "$work/static" | grep -c libsov)" 0 "a program with the static library does not need the shared one"
is "$("$work/static")" "y[1] = 3, y[1023] = 3069" "a program with the static library runs"

# A program's CMakeLists.txt, with both libraries.
mkdir "$work/project"
cp examples/saxpy.c "$work/project/"
cat >"$work/project/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.21)
project(example C)
find_package(sov 0.1 REQUIRED)
add_executable(shared saxpy.c)
target_link_libraries(shared sov::sov)
add_executable(static saxpy.c)
target_link_libraries(static sov::sov_static)
END
if command -v cmake >/dev/null; then
	CFLAGS=$flags cmake -S "$work/project" -B "$work/project/build" -Dsov_DIR="$work/usr/lib/cmake/sov" >"$work/log" 2>&1 &&
		cmake --build "$work/project/build" >>"$work/log" 2>&1
	ok $? "a program builds with CMake's find_package(sov)"
	diag "$(grep -i -A3 error "$work/log")"
	for kind in shared static; do
		is "$("$work/project/build/$kind")" "y[1] = 3, y[1023] = 3069" "the $kind library that CMake found runs"
	done
	is "$(cd "$work" && sed 's/sov 0.1/sov 0.0/' project/CMakeLists.txt >CMakeLists.txt &&
		cmake -S . -B other -Dsov_DIR="$work/usr/lib/cmake/sov" 2>&1 | grep -c 'sov-config.cmake, version: 0.1.0')" 1 \
		"CMake refuses another minor version"
	rm -rf "$work/other" "$work/CMakeLists.txt"
else
	skip "a program builds with CMake's find_package(sov)" "cmake is not installed"
fi

$make uninstall >"$work/log" 2>&1
is "$(find "$work/usr" ! -type d)" "" "make uninstall removes every file"
# A target with flags of its own, made first, does not count as a change of the flags: make install would compile all again.
make_in() { make -s BUILD="$work/again" CC="${build_cc:-cc}" V= "$@" >"$work/log" 2>&1; }
make_in "$work/again/obj/tools/cuda.o" && cp "$work/again/flags" "$work/flags" && make_in "$work/again/flags"
ok $? "an object with flags of its own is made"
is "$(cat "$work/again/flags")" "$(cat "$work/flags" 2>/dev/null)" "its flags are not those of all objects"
tap_done
