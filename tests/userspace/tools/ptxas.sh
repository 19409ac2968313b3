# SPDX-License-Identifier: MIT
# sov ptxas has the command line, the messages and the statistics of NVIDIA's ptxas.
. tests/tap.sh
ptxas=$BUILD/ptxas
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/k.ptx" <<'PTX'
.version 8.0
.target sm_80
.address_size 64
.global .align 4 .b8 table[400];
.const .align 4 .b8 factors[40];
.visible .entry first(.param .u64 p, .param .u32 n)
{
	.reg .b64 %rd<6>;
	.reg .b32 %r<3>;
	.reg .f32 %f<5>;
	.shared .align 4 .b8 block[256];
	ld.param.u64 %rd1, [p];
	ld.param.u32 %r1, [n];
	mul.wide.u32 %rd2, %r1, 4;
	mov.u64 %rd3, table;
	add.s64 %rd4, %rd3, %rd2;
	ld.global.f32 %f1, [%rd4];
	ld.const.f32 %f2, [factors+8];
	mul.f32 %f3, %f1, %f2;
	add.f32 %f4, %f3, %f1;
	st.shared.f32 [block], %f4;
	bar.sync 0;
	st.global.f32 [%rd1], %f4;
	ret;
}
.visible .entry second(.param .u64 p)
{
	.reg .b64 %rd<2>;
	.reg .f64 %fd<2>;
	ld.param.u64 %rd1, [p];
	ld.global.f64 %fd1, [%rd1];
	st.global.f64 [%rd1+8], %fd1;
	ret;
}
PTX

# Statistics: the lines of ptxas 13.0 but for the number of registers and the compile time.
properties="    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads"
for arch in sm_90 sm_80; do
	banks= module="400 bytes gmem"
	[ $arch = sm_90 ] || banks=", 364 bytes cmem[0]" module="400 bytes gmem, 40 bytes cmem[3], 8 bytes cmem[4]"
	out=$("$ptxas" -v -arch=$arch -m64 "$work/k.ptx" -o "$work/k.cubin" 2>&1 | sed 's/Used [0-9]* /Used N /')
	is "$out" "ptxas info    : $module
ptxas info    : Compiling entry function 'second' for '$arch'
ptxas info    : Function properties for second
$properties
ptxas info    : Used N registers, used 0 barriers${banks:+, 360 bytes cmem[0]}
ptxas info    : Compiling entry function 'first' for '$arch'
ptxas info    : Function properties for first
$properties
ptxas info    : Used N registers, used 1 barriers, 256 bytes smem$banks" "ptxas -v prints ptxas's statistics for $arch"
done
"$BUILD/sov" compile -o "$work/compile.cubin" -t sm_80 "$work/k.ptx" && cmp -s "$work/k.cubin" "$work/compile.cubin"
ok $? "ptxas writes the image of sov compile"

# Every spelling of a command line that nvcc, Triton or a build writes.
while read -r line; do
	rm -f "$work/out"
	(cd "$work" && eval "$OLDPWD/$ptxas $line -o out k.ptx") >"$work/log" 2>&1 && [ -s "$work/out" ]
	ok $? "ptxas takes $line"
done <<'LINES'
-arch=sm_90 -m64
-arch sm_90 -m 64 -O3
--gpu-name=sm_90a -lineinfo -v
--gpu-name sm_86 --machine 64 --opt-level 0
-arch=sm_89 -O4 -w -Werror
-arch=sm_90 -m64 -g --dont-merge-basicblocks --return-at-end
-arch=sm_90 -m64 --generate-line-info --suppress-debug-info
-arch=sm_90 -maxrregcount=32 --allow-expensive-optimizations true -split-compile=0
-arch=sm_90 --maxrregcount archmin --override-directive-values
-arch=sm_90 -dlcm=ca --def-store-cache wb -fmad=false
-arch=sm_90 -ewp -pic=true --preserve-relocs --device-function-maxrregcount 64
-arch=sm_90 --maxntid 128,2 --minnctapersm 4 -warn-spills -warn-lmem-usage
-arch=sm_90 -e first,second --disable-optimizer-constants -regUsageLevel=3 --regAllocOptLevel=2
LINES

printf '%s\n' '-arch sm_90' "--output-file '$work/two words'" "-v $work/k.ptx" >"$work/options"
"$ptxas" --options-file "$work/options" 2>/dev/null && [ -s "$work/two words" ]
ok $? "ptxas --options-file reads options, quoted words and inputs"
"$ptxas" -arch sm_90 -ias "$(cat "$work/k.ptx")" -o "$work/string" && "$ptxas" -arch sm_90 "$work/k.ptx" -o "$work/out" &&
	cmp -s "$work/string" "$work/out"
ok $? "ptxas --input-as-string compiles the text of its value"
"$ptxas" -arch sm_90 - <"$work/k.ptx" -o "$work/stdin" && cmp -s "$work/stdin" "$work/out"
ok $? "ptxas - reads standard input"
(cd "$work" && rm -f elf.o && "$OLDPWD/$ptxas" k.ptx && [ -s elf.o ])
ok $? "ptxas writes elf.o without --output-file"
out=$("$ptxas" -v -e second "$work/k.ptx" -o "$work/out" 2>&1)
case $out in *"'first'"*) ok 1 "ptxas --entry leaves other kernels out" ;; *) ok 0 "ptxas --entry leaves other kernels out" ;; esac
has "$("$ptxas" --version)" "release 13.0" "ptxas --version names a CUDA release, which Triton parses"
has "$("$ptxas" --help)" "--maxrregcount" "ptxas --help lists the options"

# Options that change code.
fma() { "$ptxas" "$@" "$work/k.ptx" -o "$work/out" && "$BUILD/sov" disasm "$work/out" | grep -c FFMA; }
is "$(fma) $(fma -fmad=false)" "1 0" "ptxas --fmad=false does not fuse multiplication and addition"
sed 's/^\tbar.sync/.file 1 "k.cu"\n.loc 1 7 0\n&/' "$work/k.ptx" >"$work/lines.ptx"
lines() { "$ptxas" "$@" "$work/lines.ptx" -o "$work/out" && readelf -SW "$work/out" 2>/dev/null | grep -c ' .debug_line'; }
is "$(lines) $(lines -lineinfo) $(lines -g) $(lines -g -suppress-debug-info)" "0 1 1 0" \
	"ptxas keeps source lines with -lineinfo or -g"
is "$(lines -c) $(lines -c -lineinfo)" "0 1" "ptxas -c keeps source lines with -lineinfo"
"$ptxas" -c -lineinfo "$work/lines.ptx" -o "$work/lines.o" && "$BUILD/sov" link -o "$work/linked" "$work/lines.o"
lines -lineinfo >"$work/count"
is "$("$BUILD/sov" disasm "$work/linked" | grep 'k.cu:7$')" "$("$BUILD/sov" disasm "$work/out" | grep 'k.cu:7$')" \
	"sov link keeps the source lines of objects"
registers() { "$ptxas" -v "$@" -o "$work/out" 2>&1 | sed -n 's/.*Used \([0-9]*\) registers.*/\1/p'; }
{
	printf '.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry many(.param .u64 p)\n{\n'
	printf '.reg .b64 %%p;\n.reg .f32 %%f<101>;\nld.param.u64 %%p, [p];\n'
	for i in $(seq 0 99); do echo "ld.volatile.global.f32 %f$i, [%p+$((4 * i))];"; done
	for i in $(seq 99 -1 0); do echo "st.volatile.global.f32 [%p+$((4 * i))], %f$i;"; done
	echo 'ret; }'
} >"$work/many.ptx"
[ "$(registers "$work/many.ptx")" -gt 100 ] && [ "$(registers -maxrregcount 40 "$work/many.ptx")" -le 40 ]
ok $? "ptxas --maxrregcount limits the registers"
sed -e 's/\.entry many(.param .u64 p)/.func many(.param .b64 p)/' "$work/many.ptx" >"$work/function.ptx"
printf '.version 8.0\n.target sm_80\n.address_size 64\n.extern .func many(.param .b64 p);\n.visible .entry k(.param .u64 q)\n{\n.reg .b64 %%p;\n' >"$work/caller.ptx"
printf 'ld.param.u64 %%p, [q];\n{ .param .b64 a; st.param.b64 [a], %%p; call many, (a); }\nret; }\n' >>"$work/caller.ptx"
linked() { # OPTIONS: registers of a kernel that calls a function of an object
	"$ptxas" -c "$@" "$work/function.ptx" -o "$work/function.o" && "$ptxas" -c "$work/caller.ptx" -o "$work/caller.o" &&
		"$BUILD/sov" link -o "$work/linked" "$work/function.o" "$work/caller.o" &&
		"$BUILD/sov" info "$work/linked" 2>&1 | grep -o '[0-9]* registers' | head -1 | cut -d' ' -f1
}
[ "$(linked)" -gt 100 ] && [ "$(linked -maxrregcount 40)" -le 40 ]
ok $? "ptxas -c --maxrregcount limits the registers of functions"
# Prototypes, which nvlink compares: a letter for each type and the number of an array's elements, as ptxas 13.0 writes them.
cat >"$work/prototypes.ptx" <<'PTX'
.version 8.3
.target sm_80
.address_size 64
.extern .func (.param .b64 r) launch(.param .b64 p, .param .align 4 .b8 q[12], .param .align 4 .b8 s[12], .param .b32 t);
.extern .func (.param .align 8 .b8 r[24]) of_structs(.param .align 8 .b8 p[16], .param .b32 q[1], .param .f32 s[3]);
.extern .func of_types(.param .b8 p, .param .b16 q, .param .f16 s, .param .f32 t, .param .f64 u, .param .b128 v);
.visible .entry k()
{
	.param .b64 r; .param .b64 p; .param .align 4 .b8 q[12]; .param .align 4 .b8 s[12]; .param .b32 t;
	.param .align 8 .b8 r24[24]; .param .align 8 .b8 p16[16]; .param .b32 q1[1]; .param .f32 s3[3];
	.param .b8 p8; .param .b16 q16; .param .f16 s16; .param .f32 t32; .param .f64 u64; .param .b128 v128;
	call (r), launch, (p, q, s, t);
	call (r24), of_structs, (p16, q1, s3);
	call of_types, (p8, q16, s16, t32, u64, v128);
	ret;
}
PTX
"$ptxas" -c "$work/prototypes.ptx" -o "$work/prototypes.o"
is "$(grep -ao '#[a-z][a-z0-9]*' "$work/prototypes.o" | sort | tr '\n' ' ')" "#b24b16i1f3 #llb12b12i #vbhhfdx " "an object has ptxas's prototypes"
[ "$(registers -maxntid 1024 "$work/many.ptx")" -le 64 ]
ok $? "ptxas --maxntid 1024 leaves a block room in the register file"
[ "$(registers -maxntid 256 -minnctapersm 5 "$work/many.ptx")" -le 48 ]
ok $? "ptxas --minnctapersm leaves the blocks room in the register file"
[ "$(registers -maxntid 65536,65536 -minnctapersm 65536 "$work/many.ptx")" -le 64 ]
ok $? "ptxas limits bounds to the largest block and ignores more blocks than an SM holds"
sed 's/(.param .u64 p)/& .maxntid 512, 2/' "$work/many.ptx" >"$work/bound.ptx"
[ "$(registers "$work/bound.ptx")" -le 64 ]
ok $? "a kernel with .maxntid 512, 2 uses at most 64 registers, so that it can be launched"
out=$("$ptxas" -maxrregcount 40 -warn-spills -warn-lmem-usage "$work/many.ptx" -o "$work/out" 2>&1)
is "$(echo "$out" | sed 's/[0-9][0-9]* bytes/N bytes/g')" \
	"ptxas warning : Registers are spilled to local memory in function 'many', N bytes spill stores, N bytes spill loads
ptxas warning : Local memory used for function 'many', size of stack frame: N bytes" \
	"ptxas --warn-on-spills and --warn-on-local-memory-usage warn"
"$ptxas" -maxrregcount 40 -warn-spills -Werror "$work/many.ptx" -o "$work/none" >/dev/null 2>&1
is "$? $(ls "$work/none" 2>&1 | grep -c 'cannot access')" "255 1" "ptxas -Werror fails after a warning and writes no file"
is "$("$ptxas" -maxrregcount 40 -warn-spills -w "$work/many.ptx" -o "$work/out" 2>&1)" "" "ptxas -w prints no warnings"
out=$("$ptxas" -warn-double-usage "$work/k.ptx" -o "$work/out" 2>&1)
is "$out" "ptxas $work/k.ptx, line 31; warning : Program is doing double precision computations.
ptxas $work/k.ptx, line 32; warning : Program is doing double precision computations." \
	"ptxas --warn-on-double-precision-use names the instructions"

# Errors.
fails() { # OUTPUT LINE NAME
	out=$("$ptxas" $1 2>&1 >/dev/null)
	is "$? ${out%%
*}" "255 $2" "$3"
}
# Kernels that launch kernels: handles of the kernels, and of one of another object.
cat >"$work/launch.ptx" <<'END'
.version 8.0
.target sm_90
.address_size 64
.extern .entry elsewhere(.param .u32 a);
.visible .entry later(.param .u64 p);
.visible .entry launches(.param .u64 p)
{
	.reg .b64 %d<3>;
	ld.param.u64 %d0, [p];
	mov.u64 %d1, later;
	mov.u64 %d2, elsewhere;
	st.global.u64 [%d0], %d1;
	st.global.u64 [%d0+8], %d2;
	mov.u64 %d1, launches;
	st.global.u64 [%d0+16], %d1;
	ret;
}
.visible .entry later(.param .u64 p) { ret; }
END
"$ptxas" -c -arch=sm_90 "$work/launch.ptx" -o "$work/out"
is "$(readelf -rW "$work/out" 2>/dev/null | sed -n 's/.*unrecognized: \(3[ef]\)  *0* \([a-z]*\) .*/\1 \2/p' | sort | tr '\n' ' ')" \
	"3e elsewhere 3e later 3e launches 3f elsewhere 3f later 3f launches " \
	"an object has relocations for the handles of kernels that it may launch"
is "$(readelf -sW "$work/out" 2>/dev/null | grep -c 'FUNC  *GLOBAL DEFAULT *\[<other>: 10\] *UND elsewhere')" 1 \
	"a kernel of another object is an undefined symbol that is marked as a kernel"
fails "-arch=sm_90 $work/launch.ptx" "ptxas $work/launch.ptx, line 10; error   : 'later' is a kernel, which has an address in \
relocatable objects only (option -c), for launches from the device" "a program that takes a kernel's address is refused with the way out"
printf '.version 8.0\n.target sm_90\n.address_size 64\n.visible .entry elsewhere(.param .u32 a) { ret; }\n' >"$work/elsewhere.ptx"
has "$("$BUILD/sov" link -o "$work/linked" "$work/out" "$work/elsewhere.ptx" 2>&1)" \
	"'launches' launches kernel 'later' from the device, which needs NVIDIA's runtime; link it with nvlink" \
	"sov link refuses launches from the device by name"

fails "--bogus $work/k.ptx" "ptxas fatal   : Unknown option '-bogus'; ptxas --help lists the known ones" \
	"ptxas names an unknown option"
fails "-vx $work/k.ptx" "ptxas fatal   : Unknown option 'vx'; ptxas --help lists the known ones" \
	"ptxas does not combine short options"
fails "-arch=sm_60 $work/k.ptx" \
	"ptxas fatal   : Value 'sm_60' is not defined for option 'gpu-name'; known: sm_90 sm_89 sm_86 sm_80 sm_75 sm_70 sm_90a" \
	"ptxas names an unsupported GPU and the supported ones"
fails "$work/k.ptx -arch" "ptxas fatal   : argument expected after '-arch'" "ptxas misses a value"
fails "-lineinfo=3 $work/k.ptx" "ptxas fatal   : no argument expected after '-lineinfo'" \
	"ptxas refuses the value of a flag"
fails "-m32 $work/k.ptx" "ptxas fatal   : Value '32' is not defined for option 'machine'" "ptxas refuses 32 bits"
fails "-maxrregcount=abc $work/k.ptx" "ptxas fatal   : Invalid value 'abc' for option 'maxrregcount'" \
	"ptxas refuses a register count that is not a number"
fails "-fmad=maybe $work/k.ptx" "ptxas fatal   : 'maybe': expected true or false" "ptxas refuses --fmad=maybe"
fails "--sanitize memcheck $work/k.ptx" \
	"ptxas fatal   : option '--sanitize memcheck' asks for code that this compiler does not generate" \
	"ptxas refuses to leave out instrumentation that was asked for"
fails "-e third $work/k.ptx" "ptxas error   : compile: the module has no kernel 'third'" "ptxas names a kernel that --entry misses"
sed 's/bar.sync/bar.sink/' "$work/k.ptx" >"$work/bad.ptx"
out=$("$ptxas" "$work/bad.ptx" -o "$work/none" 2>&1)
is "$? $(echo "$out" | sed 's/; error   : .*/; error/')" "255 ptxas $work/bad.ptx, line 22; error
ptxas fatal   : Ptx assembly aborted due to errors" "ptxas names file and line of an error"
sed 's/first/third/; s/second/fourth/; s/table/table2/; s/factors/factors2/' "$work/bad.ptx" >"$work/bad2.ptx"
has "$("$ptxas" "$work/k.ptx" "$work/bad2.ptx" -o "$work/none" 2>&1)" "ptxas $work/bad2.ptx, line 22; error" \
	"ptxas names the second of two files with an error"
sed 's/bar.sink/bar.sync/' "$work/bad2.ptx" >"$work/good2.ptx"
out=$("$ptxas" -v "$work/k.ptx" "$work/good2.ptx" -o "$work/out" 2>&1)
is "$(echo "$out" | grep -c Compiling)" 4 "ptxas compiles several files to one image"
tap_done
