# SPDX-License-Identifier: MIT
# TAP for shell scripts: source this file, call ok, is, has or skip, and end with tap_done. See
# tap.h.
tap_count=0 tap_failed=0

# ok STATUS NAME : passes if STATUS is 0.
ok() {
	tap_count=$((tap_count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $tap_count - $2"
	else
		tap_failed=$((tap_failed + 1))
		echo "not ok $tap_count - $2"
	fi
}
diag() {
	[ -z "$*" ] || printf '%s\n' "$*" | sed 's/^/# /'
}
# is GOT WANT NAME
is() {
	if [ "$1" = "$2" ]; then
		ok 0 "$3"
	else
		ok 1 "$3"
		diag "got:  $1"
		diag "want: $2"
	fi
}
# has TEXT SUBSTRING NAME
has() {
	case $1 in
	*"$2"*) ok 0 "$3" ;;
	*)
		ok 1 "$3"
		diag "got:  $1"
		diag "want: …$2…"
		;;
	esac
}
# skip NAME REASON
skip() {
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}
tap_done() {
	echo "1..$tap_count"
	[ "$tap_failed" -eq 0 ]
}
