# SPDX-License-Identifier: MIT
# sov check runs a program and prints what its kernels do wrong.
. tests/tap.sh
sov=$(realpath "$BUILD/sov")
json=$BUILD/tests/tools/_json
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export SOV_SOFT=gh100:vram=64M
saxpy() {
	echo "$sov run --block 32 --kernel saxpy_f32 tests/kernels/saxpy.ptx u32:32 f32:2 buf:f32:$1:iota buf:f32:32:fill=1:print=2"
}

# shellcheck disable=SC2046 # words
"$sov" check $(saxpy 32) >"$dir/out" 2>"$dir/err"
is "$? $(cat "$dir/err")" "0 sov check: 0 reports" "sov check reports nothing for a program without errors"
has "$(cat "$dir/out")" "f32[32]: 1 3" "standard output of sov check is the program's"
# shellcheck disable=SC2046 # words
"$sov" check $(saxpy 31) >/dev/null 2>"$dir/err"
is $? 1 "sov check exits with 1 if there are reports"
has "$(cat "$dir/err")" "0 bytes past the end of 124 allocated bytes" "sov check says how far an access is out of bounds"
has "$(cat "$dir/err")" "kernel 'saxpy_f32' on gh100.0, block (0, 0, 0), thread (31, 0, 0), at +0x" "sov check names kernel, block, thread and instruction"
has "$(cat "$dir/err")" "allocated by " "sov check says who allocated the memory"
is "$(tail -n 1 "$dir/err")" "sov check: 1 report" "the last line of sov check counts the reports"
# shellcheck disable=SC2046 # words
"$sov" check --json $(saxpy 31) >/dev/null 2>"$dir/err"
"$json" <"$dir/err"
ok $? "sov check --json prints valid JSON"
has "$(cat "$dir/err")" '"kind": "out-of-bounds"' "the JSON of sov check has the kind of each report"
# shellcheck disable=SC2046 # words
"$sov" check --checks race $(saxpy 31) >/dev/null 2>"$dir/err"
is "$? $(cat "$dir/err")" "0 sov check: 0 reports" "sov check --checks race does not check for bounds"
"$sov" check sh -c 'exit 7' 2>/dev/null
is $? 7 "sov check exits with the status 7 of its program"
out=$("$sov" check 2>&1)
is "$? $(echo "$out" | head -n 1)" "2 sov: check: missing operand: PROGRAM" "sov check without a program is a usage error"
out=$(SOV_CHECK=memory,luck "$sov" devices 2>&1)
has "$out" "SOV_CHECK: 'luck' is no check; known: memory init race sync all" "an unknown check is refused"
# shellcheck disable=SC2046 # words
SOV_SOFT=navi21:vram=64M "$sov" check $(saxpy 31) >/dev/null 2>"$dir/err"
is $? 1 "sov check exits with 1 for reports on AMD's software GPU"
has "$(cat "$dir/err")" "load of 4 bytes at 0x" "a load past the end is reported there"
has "$(cat "$dir/err")" "kernel 'saxpy_f32' on navi21.0, block (0, 0, 0), thread (31, 0, 0), at +0x" "with kernel, block, thread and instruction"
cat >"$dir/amd.ptx" <<'PTX'
.version 7.0
.target sm_70
.address_size 64
.visible .entry counts(.param .u64 p, .param .u64 out)
{
	.reg .u32 %r<3>;
	.reg .u64 %d<6>;
	ld.param.u64 %d1, [p];
	ld.param.u64 %d2, [out];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %d3, %r1, 4;
	add.u64 %d4, %d1, %d3;
	add.u64 %d5, %d2, %d3;
	mov.u32 %r2, 1;
	red.global.add.u32 [%d4], %r2;
	st.global.u32 [%d5], %r1;
	ret;
}
.visible .entry shares(.param .u64 out)
{
	.reg .pred %p;
	.reg .u32 %r<2>;
	.reg .u64 %d<4>;
	.shared .align 4 .b8 s[4];
	ld.param.u64 %d1, [out];
	mov.u64 %d2, s;
	cvta.shared.u64 %d2, %d2;
	mov.u32 %r1, %tid.x;
	setp.eq.u32 %p, %r1, 0;
	@%p st.u32 [%d2], 0;
	bar.sync 0;
	setp.ne.u64 %p, %d1, 0;
	selp.b64 %d3, %d2, %d1, %p;
	atom.add.u32 %r1, [%d3], 1;
	ret;
}
.visible .entry traps()
{
	trap;
	ret;
}
PTX
out=$(SOV_SOFT=navi21:vram=64M "$sov" check "$sov" run --block 32 --kernel counts "$dir/amd.ptx" buf:u32:31 buf:u32:32:print=32 2>"$dir/err")
is $? 1 "an atomic past the end that returns nothing is reported there"
has "$out" " 29 30 31" "and its lanes keep their registers"
SOV_SOFT=navi21:vram=64M "$sov" check "$sov" run --block 64 --kernel shares "$dir/amd.ptx" buf:u32:1 >/dev/null 2>"$dir/err"
is "$? $(cat "$dir/err")" "0 sov check: 0 reports" "atomics of shared memory by generic addresses are no race there"
SOV_SOFT=navi21:vram=64M "$sov" check "$sov" run --block 32 --kernel traps "$dir/amd.ptx" >/dev/null 2>"$dir/err"
has "$(cat "$dir/err")" "SOV_ERROR_FAULT: kernel 'traps' on navi21.0: it executed a trap" "a trap there is an error, not a dropped store"
tap_done
