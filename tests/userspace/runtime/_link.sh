# SPDX-License-Identifier: MIT
# How a user's program is linked with the library of $BUILD; sourced by the scripts that do. A library with sanitizers
# runs only in programs of the same compiler with the same sanitizers: $build_cc and $sanitizers are those of $BUILD.
build_cc=$(sed 's/ -std=.*//' "$BUILD/flags")
sanitizers=$(grep -oE -- '-fsanitize=[a-z,]+' "$BUILD/flags" | sort -u | tr '\n' ' ')
link_libsov="-L$BUILD -lsov -Wl,-rpath,$(cd "$BUILD" && pwd)"
