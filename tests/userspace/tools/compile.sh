# SPDX-License-Identifier: MIT
# sov compile writes images that sov disasm can read, the same bytes each time, and explains itself.
. tests/tap.sh
sov=$BUILD/sov
json=$BUILD/tests/tools/_json
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$sov" compile -o "$work/new" tests/kernels/saxpy.ptx
head -c 1000000 /dev/zero >"$work/old"
"$sov" compile -o "$work/old" tests/kernels/saxpy.ptx && cmp -s "$work/new" "$work/old"
ok $? "what was in a longer file is gone"

for target in sm_90 sm_80; do
	for kernel in saxpy reduce; do
		for mode in "" --serial; do
			"$sov" compile --target $target $mode -o "$work/a" tests/kernels/$kernel.ptx
			ok $? "$kernel compiles for $target $mode"
			"$sov" compile --target $target $mode -o "$work/b" tests/kernels/$kernel.ptx
			cmp -s "$work/a" "$work/b"
			ok $? "and to the same bytes again"
			out=$("$sov" disasm "$work/a")
			ok $? "every word of it is an instruction we know"
			has "$out" "${kernel}_f64:  // $target" "the image holds ${kernel}_f64"
		done
	done
done

out=$("$sov" compile --stats -o "$work/x.cubin" tests/kernels/saxpy.ptx)
has "$out" "saxpy_f32 " "--stats has a line for each kernel"
has "$out" "sm_90: image of $(wc -c <"$work/x.cubin") bytes" "and says how large the image is"
out=$("$sov" compile -t gfx1030 --stats tests/kernels/saxpy.ptx)
has "$out" "registers     scalar " "compile --stats for gfx1030 has a column of scalar registers"
"$sov" compile --json tests/kernels/reduce.ptx | tee "$work/json" | "$json"
ok $? "--json is JSON"
has "$(cat "$work/json")" '"name": "reduce_f64"' "with figures for each kernel"
out=$("$sov" compile --print ssa-construction tests/kernels/saxpy.ptx)
has "$out" "kernel saxpy_f32(" "--print PASS prints the IR after it"
out=$("$sov" compile --print nosuch tests/kernels/saxpy.ptx 2>&1)
is "$? $out" "1 sov: compile: no pass 'nosuch'; --print all shows what each is called" "an unknown pass is refused"
for jobs in 1 2 7 0; do
	"$sov" compile -j $jobs -o "$work/j$jobs" tests/kernels/reduce.ptx && cmp -s "$work/j1" "$work/j$jobs"
	ok $? "-j $jobs makes the same bytes"
done
out=$("$sov" compile -j many -o "$work/x" tests/kernels/reduce.ptx 2>&1)
is "$? ${out%%
*}" "2 sov: compile: -j wants a number of threads up to 9999, not 'many'" "a number of threads that is none is refused"
out=$("$sov" compile -t sm_10 --stats tests/kernels/saxpy.ptx 2>&1)
is $? 2 "an unknown target is refused"
has "$out" "sov: compile: unknown target 'sm_10'; known: sm_90 sm_89 sm_86 sm_80" "and the known ones are named"

sed 's/mad.lo.s32/mad.la.s32/' tests/kernels/saxpy.ptx >"$work/bad.ptx"
line=$(grep -n mad.la "$work/bad.ptx" | head -n 1 | cut -d: -f1)
out=$("$sov" compile -o "$work/none" "$work/bad.ptx" 2>&1)
is $? 1 "PTX with an error is refused"
has "$out" "ptx: $line:" "the error has its line"
has "$out" "sov: compile: '$work/bad.ptx' was not compiled for sm_90" "and the file is named"
[ ! -e "$work/none" ]
ok $? "no image is written"
tap_done
