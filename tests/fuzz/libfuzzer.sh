#!/bin/sh
# SPDX-License-Identifier: MIT
# make fuzz: runs every target under libFuzzer with sanitizers for FUZZ_SECONDS. Inputs that reach
# new code stay in $BUILD/libfuzzer/corpus; crashing inputs are saved as
# $BUILD/libfuzzer/NAME-crash-*.
set -eu
: "${BUILD:=build}" "${MAKE:=make}" "${FUZZ_SECONDS:=60}"
out=$BUILD/libfuzzer
"$MAKE" --no-print-directory -j"$(nproc)" BUILD="$out" CC=clang SAN=1 \
	CFLAGS=-fsanitize=fuzzer-no-link "$out/libsov-all.a"
drm=$(pkg-config --libs libdrm 2>/dev/null || true) # libsov-all.a uses it if the build found it
failed=0
for source in tests/fuzz/[!_]*.c; do
	name=$(basename "$source" .c)
	mkdir -p "$out/corpus/$name"
	# shellcheck disable=SC2086 # drm may be several words
	clang -std=c11 -D_GNU_SOURCE -I. -g -O1 -fsanitize=fuzzer,address,undefined \
		-fno-sanitize-recover=all "$source" "$out/libsov-all.a" -o "$out/$name" \
		-lm -ldl -pthread $drm
	echo "== $name for $FUZZ_SECONDS s"
	"$out/$name" -max_total_time="$FUZZ_SECONDS" -timeout=10 -rss_limit_mb=2048 \
		-print_final_stats=1 -artifact_prefix="$out/$name-crash-" \
		"$out/corpus/$name" "tests/fuzz/corpus/$name" >"$out/$name.log" 2>&1 || { failed=1; tail -40 "$out/$name.log"; }
	grep -E '^stat::number_of_executed_units|DONE' "$out/$name.log" || true
done
exit $failed
