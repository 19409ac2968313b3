# SPDX-License-Identifier: MIT
# sov profile counts what hand-made kernels are known to do.
. tests/tap.sh
. tests/userspace/tools/_page.sh
sov=$(realpath "$BUILD/sov")
json=$BUILD/tests/tools/_json
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export SOV_SOFT=gh100:vram=64M:threads=4

cat >"$dir/k.ptx" <<END
.version 8.0
.target sm_80
.address_size 64
.file 1 "$dir/k.cu"
.visible .entry global(.param .u64 p, .param .u32 stride, .param .u32 start)
{
	.reg .u32 %r<9>; .reg .u64 %d<9>; .reg .f32 %f<9>;
	ld.param.u64 %d1, [p];
	ld.param.u32 %r1, [stride];
	ld.param.u32 %r2, [start];
	mov.u32 %r3, %tid.x;
	mad.lo.u32 %r4, %r3, %r1, %r2;
	cvt.u64.u32 %d2, %r4;
	add.u64 %d3, %d1, %d2;
	.loc 1 2 1
	ld.volatile.global.f32 %f1, [%d3];
	.loc 1 3 1
	st.volatile.global.f32 [%d1], %f1;
	ret;
}
.visible .entry shared(.param .u32 stride)
{
	.reg .u32 %r<9>;
	.shared .align 16 .b8 s[8192];
	ld.param.u32 %r1, [stride];
	mov.u32 %r3, %tid.x;
	mov.u32 %r5, s;
	mad.lo.u32 %r4, %r3, %r1, %r5;
	.loc 1 5 1
	st.volatile.shared.u32 [%r4], %r3;
	.loc 1 6 1
	and.b32 %r6, %r4, 0xfffffff8;
	st.volatile.shared.v2.u32 [%r6], {%r3, %r3};
	.loc 1 7 1
	and.b32 %r6, %r4, 0xfffffff0;
	st.volatile.shared.v4.u32 [%r6], {%r3, %r3, %r3, %r3};
	ret;
}
.visible .entry loop(.param .u64 p)
{
	.reg .u32 %r<9>; .reg .u64 %d<9>; .reg .pred %p<3>;
	ld.param.u64 %d1, [p];
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, 0;
again:
	.loc 1 9 1
	st.volatile.global.u32 [%d1], %r2;
	.loc 1 10 1
	add.u32 %r2, %r2, 1;
	setp.le.u32 %p1, %r2, %r1;
	@%p1 bra again;
	ret;
}
END
printf 'kernel\n\tx = *p;\n\t*q = x;\nend\n' >"$dir/k.cu"
profile() { # KERNEL ARGUMENT... : of one launch, into $dir/p
	kernel=$1
	shift
	"$sov" profile -n 0 -o "$dir/p" "$sov" run --kernel "$kernel" --grid "${grid:-1}" --block "${block:-32}" \
		"$dir/k.ptx" "$@" >"$dir/out" 2>"$dir/text" || diag "$(cat "$dir/text")"
}
column() { # LINE COLUMN
	awk -v place="k.cu:$1" -v column="$2" '$0 ~ place "( |$)" { print substr($0, column, column == 1 ? 15 : 9) + 0 }' "$dir/text"
}
executed=1 lanes=24 sectors=32 waves=42

# Global memory: a request of 32 lanes with 4 bytes each.
for case in "4 0 4" "4 4 5" "8 0 8" "32 0 32" "0 0 1" "128 64 32"; do
	# shellcheck disable=SC2086 # words
	set -- $case
	profile global buf:u32:2048 "u32:$1" "u32:$2"
	is "$(column 2 $sectors)" "$3" "lanes $1 bytes from each other, from byte $2 on, need $3 sectors"
done
is "$(column 3 $sectors)" 1 "a store to one address needs one sector"
is "$(column 2 $executed) $(column 2 $lanes)" "1 32" "one warp with 32 lanes loads once"
has "$(cat "$dir/text")" "k.cu:2  x = *p;" "the table shows the source line"
grid=10 block=256 profile global buf:u32:2048 u32:4 u32:0
is "$(column 2 $executed) $(column 2 $sectors)" "80 4" "ten blocks of eight warps load 80 times"
has "$(cat "$dir/text")" "; 1024 bytes touched" "what ten blocks touch is counted once"

# Shared memory: 32 banks of 4 bytes.
for case in "4 1 1 1" "8 2 2 2" "16 4 4 4" "64 16 8 8" "128 32 16 8" "0 1 2 4"; do
	# shellcheck disable=SC2086 # words
	set -- $case
	profile shared "u32:$1"
	is "$(column 5 $waves)" "$2" "words $1 bytes from each other take $2 wavefronts"
done
profile shared u32:8
is "$(column 6 $waves)" 2 "8 bytes per lane take two wavefronts"
profile shared u32:16
is "$(column 6 $waves) $(column 7 $waves)" "4 4" "16 bytes from each other: 8 bytes take 4 wavefronts, 16 bytes take 4"

# Divergence: lane n leaves the loop after n + 1 rounds.
profile loop buf:u32:8
is "$(column 9 $executed) $(column 9 $lanes)" "32 16.5" "a loop that each lane leaves later than the one before is executed with half of the lanes"
has "$(cat "$dir/text")" "31 divergent branches" "its branch diverges in all rounds but the last"

# AMD's software GPU: a wave counts as a warp, LDS as shared memory; scalar loads are accesses to global memory by one lane.
gh100=$SOV_SOFT
export SOV_SOFT=navi21:vram=64M:threads=4
for case in "4 0 4" "4 4 5" "8 0 8" "0 0 1"; do
	# shellcheck disable=SC2086 # words
	set -- $case
	profile global buf:u32:2048 "u32:$1" "u32:$2"
	is "$(column 2 $sectors)" "$3" "Navi 21: lanes $1 bytes from each other, from byte $2 on, need $3 sectors"
done
grid=10 block=256 profile global buf:u32:2048 u32:4 u32:0
is "$(column 2 $executed)" 80 "Navi 21: ten blocks of eight waves load 80 times"
has "$(cat "$dir/text")" "; 1056 bytes touched" "Navi 21: they touch 1,024 bytes and the sector of the arguments"
for case in "4 1 2" "16 4 4" "128 32 32" "0 1 2"; do
	# shellcheck disable=SC2086 # words
	set -- $case
	profile shared "u32:$1"
	is "$(column 5 $waves) $(column 6 $waves)" "$2 $3" \
		"Navi 21: words $1 bytes from each other take $2 wavefronts, two words each $3"
done
has "$(cat "$dir/text")" "8 of 32 warps, limited by shared memory" "Navi 21: 8 KiB of LDS allow eight waves"
profile loop buf:u32:8
half=$(column 9 $lanes | awk '{ print ($1 >= 16 && $1 <= 17) }')
is "$half" 1 "Navi 21: the loop is executed with half of the lanes"
has "$(cat "$dir/text")" "31 divergent branches" "Navi 21: EXEC loses a lane in all rounds but the last"
SOV_SOFT=$gh100

# Processes, JSON, pages.
"$sov" profile -o "$dir/two" sh -c "for i in 1 2; do '$sov' run --kernel loop --block 32 '$dir/k.ptx' buf:u32:8; done" >/dev/null 2>"$dir/text"
has "$(cat "$dir/text")" "loop on gh100.0 (sm_90), 2 launches" "the launches of two processes are added up"
is "$(column 9 $executed)" 64 "so are their counters"
"$sov" profile --read "$dir/two" --json >"$dir/json"
"$json" <"$dir/json"
ok $? "sov profile --json prints valid JSON"
has "$(cat "$dir/json")" '"counts": {"executed": 64, "lanes": 1056, "threads": 1056, "global_requests": 64, "global_sectors": 64' \
	"the JSON has the counters of a line"
"$sov" profile --read "$dir/two" --html "$dir/two.html" >/dev/null
check_page "$dir/two.html" kernels 1
sed 's/^\(kernel .*\) loop$/\1 <\/script><b>/' "$dir/two" >"$dir/evil"
"$sov" profile --read "$dir/evil" --html "$dir/evil.html" >/dev/null
is "$(grep -c '</script><b>' "$dir/evil.html")" 0 "a kernel's name cannot end the script of the page"
# The first line of the code, and again after a click on the title of the lines. What precedes the first .loc of the kernel
# belongs to the last line of the kernel before it.
cat >"$dir/click" <<END
<script>
const first = () => document.querySelector('#one table td').textContent;
document.body.dataset.before = first();
document.querySelector('#one table th').click();
document.body.dataset.after = first();
</script>
END
sed "/<.body>/{
	r $dir/click
}" "$dir/two.html" >"$dir/click.html"
if command -v chromium >/dev/null; then
	dom=$(HOME=$dir timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --dump-dom "file://$dir/click.html" 2>/dev/null)
	has "$dom" 'data-kernels="1"' "a browser shows the page"
	is "$(echo "$dom" | grep -c "<h3>Time at least [0-9]")" 1 "and what the chip needs at least"
	is "$(echo "$dom" | grep -o "data-before=.*\"" | head -n 1)" "data-before=\"k.cu:10\" data-after=\"k.cu:7\"" "a click sorts the lines"
else
	skip "a browser shows the page" "chromium is not installed"
	skip "and what the chip needs at least" "chromium is not installed"
	skip "a click sorts the lines" "chromium is not installed"
fi

# What limits occupancy, by a profile that is written by hand.
shape() { # REGISTERS SHARED BLOCK
	printf 'process 1 0\nkernel %s %s k\nlaunches 1 0 0\nshape 1 500 1 1 %s 1 1 1 %s %s 0\ncode \nend\n' "${chip:-gh100.0}" "${target:-sm_90}" "$3" "$1" "$2" >"$dir/shape"
	"$sov" profile --read "$dir/shape" | sed -n 's/^  occupancy *//p'
}
is "$(shape 32 0 256)" "64 of 64 warps, limited by nothing: all warps fit" "32 registers allow all warps"
is "$(shape 64 0 256)" "32 of 64 warps, limited by registers" "64 registers allow half of them"
is "$(shape 16 65536 128)" "12 of 64 warps, limited by shared memory" "64 KiB of shared memory allow three blocks"
is "$(shape 16 0 32)" "32 of 64 warps, limited by blocks per multiprocessor" "blocks of one warp fill half of the multiprocessor"
is "$(chip=navi21.0 target=gfx1030 shape 72 0 32)" "24 of 32 warps, limited by registers" "Navi 21: 72 registers of 1,024 per SIMD are 80 allocated ones"
is "$(shape 16 0 992)" "62 of 64 warps, limited by block size" "blocks of 31 warps leave two warps free"

# Errors.
wrong() { # TEXT ERROR
	printf '%b' "$1" >"$dir/wrong"
	is "$("$sov" profile --read "$dir/wrong" 2>&1)" "sov: profile: '$dir/wrong' is not a profile: $2" "rejected: $2"
}
wrong '' "line 0: the profile is empty"
wrong 'hello\n' "line 1: 'hello' is not a word of a profile"
wrong 'kernel g sm_90 k\n' "line 1: the first line begins with 'process'"
wrong 'process 1 0\nat 0 1\n' "line 2: 'at' belongs to no kernel"
wrong 'process 1 0\nkernel g sm_90 k\ncode 0g\n' "line 3: code: whole instructions in hexadecimal are needed, once"
wrong 'process 1 0\nkernel g sm_90 k\nat 0 1 1 1 0 0 0 0 0 0 0 0 0 0 0\n' "line 3: at: 0 is no offset in the code, or out of order"
wrong 'process 1 0\nkernel g sm_90 k\nshape 1 0 1 1 1 1 1 1 1 1 1\n' "line 3: shape: there is no such grid or block"
is "$("$sov" profile true 2>&1; echo $?)" "sov: profile: 'true' wrote no profile: it did not call libsov with a device, or did not exit by itself
1" "a program that does not use libsov is an error"
is "$("$sov" profile sh -c 'exit 7' >/dev/null 2>&1; echo $?)" 7 "the exit status is the program's"
is "$("$sov" profile 2>&1 | head -n 1)" "sov: profile: missing operand: PROGRAM" "a program is needed"
is "$(SOV_PROFILE=$dir "$sov" run --kernel loop --block 32 "$dir/k.ptx" buf:u32:8 2>&1 | grep -o "SOV_PROFILE: .*")" \
	"SOV_PROFILE: cannot write '$dir': Is a directory; name a file that can be written" "SOV_PROFILE that cannot be written is an error"
mkfifo "$dir/fifo"
has "$(SOV_PROFILE=$dir/fifo timeout 60 "$sov" run --kernel loop --block 32 "$dir/k.ptx" buf:u32:8 2>&1)" "SOV_PROFILE: cannot write '$dir/fifo'" \
	"a FIFO without a reader is an error, and nothing waits for one"
tap_done
