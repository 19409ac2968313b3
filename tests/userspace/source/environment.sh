# SPDX-License-Identifier: MIT
# libsov reads the environment by secure_getenv() only: a set-user-ID program gets its environment from the user who
# starts it. tests/userspace/runtime/setid.sh shows the effect.
. tests/tap.sh

files=$(git -c safe.directory='*' ls-files -c -o --exclude-standard 'libsov/*.[ch]' 'model/*.[ch]')
# shellcheck disable=SC2086 # a list of files
reads=$(grep -nwE 'getenv|secure_getenv|environ|__environ' $files)
[ "$(echo "$reads" | grep -c secure_getenv)" -gt 10 ]
ok $? "libsov reads variables by secure_getenv()"
is "$(echo "$reads" | grep -v secure_getenv)" "" "nothing in libsov and model reads the environment in another manner"
tap_done
