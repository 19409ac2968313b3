# SPDX-License-Identifier: MIT
# What takes more than a second names itself on a terminal, and erases its line at the end. Nothing here is slow by itself: what
# the program waits for comes when the line is there.
. tests/tap.sh
if ! command -v script >/dev/null; then
	echo "1..0 # SKIP script is not installed"
	exit 0
fi
sov=$PWD/$BUILD/sov
case $BUILD in /*) sov=$BUILD/sov ;; esac
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export SOV_NVRM=0 SOV_KMOD=0
# shows TEXT COMMAND...: runs the command on a terminal, whose output goes to $dir/out, and does `release` when the text is there.
shows() {
	text=$1
	shift
	: >"$dir/out"
	timeout 120 script -qefc "$*" "$dir/out" >/dev/null 2>&1 </dev/null &
	pid=$!
	found=1
	for _ in $(seq 600); do
		case $(cat "$dir/out") in *"$text"*) found=0 && break ;; esac
		kill -0 $pid 2>/dev/null || break
		sleep 0.1
	done
	release
	wait $pid
	status=$?
}
erased=$(printf '\r\033[K')

# A compiler of GLSL that waits for a file.
mkdir "$dir/bin"
cat >"$dir/bin/glslangValidator" <<'STOP'
#!/bin/sh
while [ ! -e "$RELEASE" ]; do sleep 0.1; done
exit 3
STOP
chmod 755 "$dir/bin/glslangValidator"
echo 'void main() {}' >"$dir/x.comp"
export RELEASE="$dir/release"
release() { : >"$RELEASE"; }
shows "sov: translating, 1 s" "PATH=$dir/bin:\$PATH '$sov' compile --stats '$dir/x.comp'"
ok $found "the translation of a source names itself"
is "$status" 1 "and the program goes on"
has "$(cat "$dir/out")" "${erased}sov: compile: '$dir/bin/glslangValidator' could not translate" "the line is erased before the message"

# A machine one of whose files is a pipe.
device=$dir/machine/sys/bus/pci/devices/0000:01:00.0
mkdir -p "$device"
echo 0x030200 >"$device/class"
echo 0x2335 >"$device/device"
mkfifo "$device/vendor"
release() { timeout 60 sh -c "echo 0x10de >'$device/vendor'"; rm "$device/vendor"; echo 0x10de >"$device/vendor"; }
shows "sov: looking for GPUs, 1 s" "'$sov' doctor --root '$dir/machine'"
ok $found "sov doctor names itself"
has "$(cat "$dir/out")" "${erased}GPU 0000:01:00.0" "the line is erased before the report"
tap_done
