# SPDX-License-Identifier: MIT
# The shared library exports exactly the calls of sov.h.
. tests/tap.sh
lib=$BUILD/libsov.so

exported=$(nm -D --defined-only "$lib" | awk '{ print $3 }' | sed 's/@.*//' | grep -v '^SOV_0$' | sort)
# The header after the preprocessor, a declaration a line, and the name before its parenthesis.
declared=$(cc -E -P libsov/sov.h | tr '\n;' ' \n' | grep 'visibility("default")' |
	grep -o 'sov_[a-z_]* *(' | tr -d ' (' | sort)

is "$(echo "$exported" | grep -v '^sov_')" "" "only names that begin with sov_ are exported"
[ "$(echo "$declared" | wc -l)" -gt 40 ]
ok $? "the header declares more than 40 calls"
is "$exported" "$declared" "the library exports exactly the calls that sov.h declares"
has "$(readelf -V "$lib")" "Name: SOV_0" "exported symbols have the version SOV_0"
# A call without a row is neither logged nor traced, and its implementation is not declared.
results=$(cc -E -P libsov/sov.h | tr '\n;' ' \n' | grep 'visibility("default"))) *sov_result ' |
	grep -o 'sov_[a-z_]* *(' | tr -d ' (' | sort)
is "$(sed -n 's/^CALL(\([a-z_]*\),.*/sov_\1/p' libsov/runtime/base/api_calls.h | sort)" "$results" \
	"every call that returns a sov_result has a row in api_calls.h"
is "$(grep -rhoE '^sov_result api_[a-z_]*' libsov/runtime --include='*.c' | sed 's/.* api_/sov_/' | sort)" "$results" \
	"every call that returns a sov_result has one implementation, named api_"
tap_done
