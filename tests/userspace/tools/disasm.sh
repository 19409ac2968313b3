# SPDX-License-Identifier: MIT
# sov disasm shows code with what it waits for, and refuses what is no image.
. tests/tap.sh
sov=$BUILD/sov
json=$BUILD/tests/tools/_json
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$sov" compile -o "$work/saxpy" tests/kernels/saxpy.ptx

out=$("$sov" disasm "$work/saxpy" saxpy_f32)
has "$out" "saxpy_f32:  // sm_90, " "the kernel's head names it and its target"
has "$out" "FFMA" "saxpy_f32 multiplies and adds"
has "$out" "EXIT ;" "and ends"
case $out in *DFMA*) ok 1 "only the kernel asked for is shown" ;; *) ok 0 "only the kernel asked for is shown" ;; esac
has "$("$sov" disasm "$work/saxpy")" "DFMA" "without a name all kernels are shown"
"$sov" disasm -c "$work/saxpy" saxpy_f32 | grep -qE '^ +/\*0000\*/  \[[0-5-]{6}:R[0-5-]:W[0-5-]:[Y-]:S[0-9]{2}\] '
ok $? "--control shows scoreboards, yield and stall"
"$sov" disasm -r "$work/saxpy" saxpy_f32 | grep -qE '/\* 0x[0-9a-f]{16} 0x[0-9a-f]{16} \*/$'
ok $? "--raw shows both words"
"$sov" disasm --json "$work/saxpy" | tee "$work/json" | "$json"
ok $? "--json is JSON"
has "$(cat "$work/json")" '"name": "saxpy_f64"' "with every kernel"

{
	printf '.version 8.0\n.target sm_80\n.address_size 64\n.file 1 "there.cu"\n'
	printf '.visible .entry k(.param .u64 p)\n{\n.reg .b64 %%l;\n.loc 1 31 4\n'
	printf 'ld.param.u64 %%l, [p];\nst.global.u32 [%%l], 1;\n.loc 1 32 1\nret;\n}\n'
} >"$work/lines.ptx"
"$sov" compile -o "$work/lines" "$work/lines.ptx"
"$sov" disasm "$work/lines" | tr -d '\n' | grep -qE '// there.cu:31 .* STG.* // there.cu:32 +[^ ]+ +EXIT'
ok $? "source lines stand before their instructions"
has "$("$sov" disasm --json "$work/lines")" '"source": "there.cu:31"' "also in JSON"

out=$("$sov" disasm --raw tests/fuzz/corpus/image/hand.co)
has "$out" "table_kernel:  // gfx1030, 2 registers, 64 bytes of shared memory" "code objects are shown, too"
echo "$out" | grep -qE '/\*000c\*/  s_add_u32 s6, s6, 0x[0-9a-f]+  <counter> +/\* 0x8006ff06 0x[0-9a-f]{8} \*/$'
ok $? "in LLVM's syntax, with the variable that code refers to"
has "$out" "// /src/hand.cu:13" "and source lines"
echo "$out" | grep -qE 's_add_u32 s10, s10, 0x[0-9a-f]+  <twice> '
ok $? "and the function that it calls"
echo "$out" | grep -A 3 '^twice:  // gfx1030, a function$' | tr -d '\n' |
	grep -qE '// /src/hand.cu:40 .* s_lshl_b32 s8, s8, 1 .* s_setpc_b64 s\[30:31\]'
ok $? "which is shown too, with its lines"
is "$("$sov" disasm --raw tests/fuzz/corpus/image/hand.co twice)" "$(echo "$out" | grep -A 3 '^twice:')" "or alone"
"$sov" disasm --json tests/fuzz/corpus/image/hand.co | tee "$work/json" | "$json"
ok $? "and as JSON"
has "$(cat "$work/json")" '"functions": [{"name": "twice", "code_bytes": 8, ' "with the function"
"$sov" compile --target gfx1030 -o "$work/table" tests/userspace/compiler/ptx/instructions/call_by_address.ptx
out=$("$sov" disasm "$work/table" 2>&1)
is "$? $(echo "$out" | grep '^[^ ]*:' | sed 's/, [0-9]* registers.*//' | tr '\n' ' ')" \
	"0 hundred:  // gfx1030, a function twice:  // gfx1030, a function call_by_address:  // gfx1030 \
.no_function:  // gfx1030, a function .functions:  // gfx1030, data " "code that calls by address is shown whole, in its order"
is "$(echo "$out" | grep -cE '^ +/\*00[01][048c]\*/  \.long 0xffff[0-9a-f]{4}$')" 5 "the table of functions is no instructions"

refused() { # message, then the words
	want=$1
	shift
	out=$("$sov" disasm "$@" 2>&1)
	is "$? $out" "1 $want" "refused: $want"
}
refused "sov: disasm: there is no kernel or function 'nosuch' in the file" "$work/saxpy" nosuch
head -c 40 "$work/saxpy" >"$work/short"
out=$("$sov" disasm "$work/short" 2>&1)
is $? 1 "a truncated image is refused"
has "$out" "sov: disasm: '$work/short': " "and named"
out=$("$sov" disasm tests/kernels/saxpy.ptx 2>&1)
is $? 1 "PTX is no image"
tap_done
