# SPDX-License-Identifier: MIT
# A set-user-ID program with libsov ignores every variable of sov(7): its environment comes from the user who starts it,
# the files that it opens are opened with the rights of its owner. Each variable gets the path of a file and the path of
# a folder, which no variable of the library may change. The same program without the mode bit shows that the variable
# is read at all. New variables are covered as soon as the manual has them.
. tests/tap.sh

promise="a set-user-ID program ignores the environment"
user="setpriv --reuid=65534 --regid=65534 --clear-groups env -i"
if [ "$(id -u)" != 0 ]; then
	skip "$promise" "only root can make such a program"
	tap_done
	exit
fi
if nm -D "$BUILD/libsov.so" | grep -q '__[at]san_init'; then
	skip "$promise" "sanitizers refuse to run in one; the plain build has the same sources"
	tap_done
	exit
fi

# A folder whose file system honours the mode bit, and that other users can search.
dir=
trap 'rm -rf "$dir"' EXIT
for base in "${TMPDIR:-/tmp}" /var/tmp "$(cd "$BUILD" && pwd)"; do
	dir=$(mktemp -d "$base/setid.XXXXXX") || continue
	chmod 755 "$dir"
	install -m 4755 "$(command -v id)" "$dir/id"
	[ "$($user "$dir/id" -u 2>/dev/null)" != 0 ] || break
	rm -rf "$dir"
	dir=
done
if [ -z "$dir" ]; then
	skip "$promise" "every file system here is mounted with nosuid"
	tap_done
	exit
fi

# The dynamic linker ignores LD_LIBRARY_PATH in such a program, but not the program's own search path.
install -m 755 "$(readlink -f "$BUILD/libsov.so")" "$dir/libsov.so"
soname=$(readelf -d "$dir/libsov.so" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
ln -s libsov.so "$dir/$soname"
cc -Ilibsov examples/saxpy.c -o "$dir/plain" -L"$dir" -lsov "-Wl,-rpath,$dir"
ok $? "a program for the test of set-user-ID programs is built"
install -m 4755 "$dir/plain" "$dir/setid"

prepare() {
	rm -rf "$dir/bait"
	mkdir -p "$dir/bait/folder" "$dir/bait/cache"
	echo untouched >"$dir/bait/file"
}
state() { # names, sizes, modes and contents below the bait
	(cd "$dir/bait" && find . -printf '%p %s %m %U\n' | sort && cat file)
}
# try COMMAND... : what a program prints and what it leaves in the bait; numbers, which differ in every run, are dropped.
try() {
	prepare
	"$@" 2>&1 | sed 's/[0-9][0-9a-fx.]*/N/g'
	state | sed 's/[0-9a-f]\{64\}/HASH/; s/[0-9][0-9]*/N/g'
}
set -- "SOV_LOG=info" "SOV_CACHE_DIR=$dir/bait/cache"
base=$(try env -i "$@" "$dir/plain")
has "$base" "context: created" "an ordinary program reads SOV_LOG"
has "$base" "./cache/HASH" "an ordinary program reads SOV_CACHE_DIR"
alone=$($user "$dir/setid" 2>&1)
has "$alone" "y[1023] = 3069" "a set-user-ID program with libsov runs"
prepare
clean=$(state)

names=$(awk '/^\.TP/ { getline; if ($1 ~ /^\.BR?$/ && $2 ~ /^SOV_/) print $2 }' docs/man/sov.7
	sed -n 's/.*\$\([A-Z_]*\)\/.*/\1/p' docs/man/sov.7)
[ "$(echo "$names" | wc -l)" -ge 15 ]
ok $? "the manual page sov(7) names $(echo "$names" | wc -l) variables"
read=$(grep -rhoE '(getenv|winsys_enabled)\("[A-Z_]+"|\{"[A-Z_]+", "[a-z/.]*"\}' libsov/runtime libsov/winsys | grep -oE '"[A-Z_]+"' | tr -d '"' | sort -u)
is "$read" "$(echo "$names" | sort -u)" "sov(7) names exactly the variables that libsov reads"

for name in $names; do
	ignored=0 effect=1 with=
	case $name in # they have no effect alone
	SOV_LOG_FILE) with=SOV_LOG=info ;;
	SOV_CHECK_FILE) with=SOV_CHECK=all ;;
	esac
	for value in "$dir/bait/file" "$dir/bait/folder"; do
		prepare
		out=$($user $with "$name=$value" "$dir/setid" 2>&1)
		[ "$out" = "$alone" ] && [ "$(state)" = "$clean" ] || {
			ignored=1
			diag "$name=$value: $out" "$(state)"
		}
		[ $effect -eq 0 ] || [ "$(try env -i "$@" "$name=$value" "$dir/plain")" = "$base" ] || effect=0
	done
	ok $ignored "$name has no effect on a set-user-ID program"
	# Read only where NVIDIA's kernel module is loaded, or where libdrm was found by the build.
	case $name in
	SOV_NVRM_ANY) continue ;;
	SOV_CHECK_FILE) continue ;; # written when there is a report: runtime/check.c
	SOV_KMOD) readelf -d "$dir/libsov.so" | grep -q 'NEEDED.*libdrm' || continue ;;
	HOME | XDG_CACHE_HOME)
		[ "$(try env -i "$name=$dir/bait/folder" "$dir/plain" | grep -c HASH)" -gt 0 ] && effect=0
		;;
	esac
	ok $effect "$name has an effect on an ordinary program"
done
tap_done
