#!/bin/sh
# SPDX-License-Identifier: MIT
# Coverage-guided ioctl fuzzing on the debug kernel (guest/fuzzing.sh) for FUZZ_SECONDS from
# FUZZ_SEED. Part of check-long. Leaves programs with new coverage in $BUILD/vm/kept, each in a file
# named by its hash; tests/fuzz/corpus/calls consists of such files.
#   usage: tests/vm/fuzz.sh     environment: BUILD (build)  VM_CACHE  FUZZ_SECONDS (1200)  FUZZ_SEED (1)
set -u
cd "$(dirname "$0")/../.."
: "${BUILD:=build}" "${FUZZ_SECONDS:=1200}" "${FUZZ_SEED:=1}"
export BUILD VM_TIMEOUT=$((3 * FUZZ_SECONDS + 900)) append="fuzz=$FUZZ_SECONDS seed=$FUZZ_SEED"
tests/vm/run.sh fuzzing
status=$?
kept=$BUILD/vm/kept
mkdir -p "$kept"
sed -n 's/^# kept: //p' "$BUILD"/vm/*/fuzzing.log | while read -r bytes; do
	for byte in $(echo "$bytes" | sed 's/../0x& /g'); do
		# shellcheck disable=SC2059 # the format is the byte
		printf "\\$(printf %03o "$byte")"
	done >"$kept/new"
	mv "$kept/new" "$kept/$(sha1sum <"$kept/new" | cut -c 1-12)"
done
exit $status
