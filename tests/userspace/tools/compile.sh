# SPDX-License-Identifier: MIT
# sov compile writes deterministic images that sov disasm decodes; statistics, IR and messages.
. tests/tap.sh
sov=$BUILD/sov
json=$BUILD/tests/tools/_json
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$sov" compile -o "$work/new" tests/kernels/saxpy.ptx
head -c 1000000 /dev/zero >"$work/old"
"$sov" compile -o "$work/old" tests/kernels/saxpy.ptx && cmp -s "$work/new" "$work/old"
ok $? "sov compile -o truncates a longer existing file"

for target in sm_90 sm_80; do
	for kernel in saxpy reduce; do
		for mode in "" --serial; do
			"$sov" compile --target $target $mode -o "$work/a" tests/kernels/$kernel.ptx
			ok $? "$kernel compiles for $target $mode"
			"$sov" compile --target $target $mode -o "$work/b" tests/kernels/$kernel.ptx
			cmp -s "$work/a" "$work/b"
			ok $? "$kernel compiles to the same bytes again for $target $mode"
			out=$("$sov" disasm "$work/a")
			ok $? "sov disasm knows every instruction of $kernel for $target $mode"
			has "$out" "${kernel}_f64:  // $target" \
				"the image of $kernel for $target $mode contains ${kernel}_f64"
		done
	done
done

out=$("$sov" compile --stats -o "$work/x.cubin" tests/kernels/saxpy.ptx)
has "$out" "saxpy_f32 " "sov compile --stats prints a line for each kernel"
has "$out" "sm_90: image of $(wc -c <"$work/x.cubin") bytes" \
	"sov compile --stats prints the image size"
out=$("$sov" compile -t gfx1030 --stats tests/kernels/saxpy.ptx)
has "$out" "registers     scalar " "sov compile --stats for gfx1030 prints scalar registers"
"$sov" compile --json tests/kernels/reduce.ptx | tee "$work/json" | "$json"
ok $? "sov compile --json prints valid JSON"
has "$(cat "$work/json")" '"name": "reduce_f64"' "sov compile --json has statistics of each kernel"
out=$("$sov" compile --print ssa-construction tests/kernels/saxpy.ptx)
has "$out" "kernel saxpy_f32(" "sov compile --print PASS prints the IR after the pass"
out=$("$sov" compile --print nosuch tests/kernels/saxpy.ptx 2>&1)
is "$? $out" "1 sov: compile: unknown pass 'nosuch'; --print all prints after every pass, with its name" \
	"sov compile --print rejects an unknown pass"
for jobs in 1 2 7 0; do
	"$sov" compile -j $jobs -o "$work/j$jobs" tests/kernels/reduce.ptx && cmp -s "$work/j1" \
	"$work/j$jobs"
	ok $? "sov compile -j $jobs writes the same bytes as -j 1"
done
out=$("$sov" compile -j many -o "$work/x" tests/kernels/reduce.ptx 2>&1)
is "$? ${out%%
*}" "2 sov: compile: jobs 'many' is not an integer from 0 to 9999" \
	"sov compile -j rejects a value that is not an integer"
out=$("$sov" compile -t sm_10 --stats tests/kernels/saxpy.ptx 2>&1)
is $? 2 "sov compile rejects an unknown target"
has "$out" "sov: compile: unknown target 'sm_10'; known: sm_90 sm_89 sm_86 sm_80" \
	"the message about an unknown target lists the known targets"

sed 's/mad.lo.s32/mad.la.s32/' tests/kernels/saxpy.ptx >"$work/bad.ptx"
line=$(grep -n mad.la "$work/bad.ptx" | head -n 1 | cut -d: -f1)
out=$("$sov" compile -o "$work/none" "$work/bad.ptx" 2>&1)
is $? 1 "sov compile fails for PTX with an error"
message=$(echo "$out" | head -n 3)
has "$message" "$work/bad.ptx:$line:5: error: unknown modifier '.la' on 'mad'; known: .lo" \
	"a PTX error message names file, line and column"
is "$(echo "$message" | tail -n 2)" " $(sed -n "${line}p" "$work/bad.ptx")
 	   ^" "a PTX error message shows the line and points at the column"
if command -v script >/dev/null; then
	in_terminal() { # variables and command: standard error is a terminal
		script -qec "$1 '$sov' compile -o '$work/none' '$work/bad.ptx'" /dev/null </dev/null | tr -d '\r'
	}
	has "$(in_terminal "TERM=xterm NO_COLOR=")" "$(printf '\033[1;31merror:\033[0m unknown modifier')" "errors are red on a terminal"
	for off in "TERM=xterm NO_COLOR=1" "TERM=dumb NO_COLOR="; do
		has "$(in_terminal "$off")" "$work/bad.ptx:$line:5: error: unknown modifier" "with $off they are not"
	done
else
	skip "errors are red on a terminal" "script is not installed"
fi
has "$out" "sov: compile: could not compile '$work/bad.ptx' for sm_90" \
	"the message about a failed compilation names file and target"
[ ! -e "$work/none" ]
ok $? "a failed compilation writes no image"
tap_done
