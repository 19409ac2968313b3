# SPDX-License-Identifier: MIT
# sov compile and sov run translate GLSL, WGSL and OpenCL C by other compilers: what they execute,
# whose absence or failure they report, and that no temporary file is left. The compilers here are
# scripts; those that are installed translate a source at the end.
. tests/tap.sh
sov=$BUILD/sov
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/tmp" "$work/games"
TMPDIR=$work/tmp
export TMPDIR
real=$PATH
# The tools that the scripts use, and no compiler.
for tool in sh cp cat sleep grep; do
	ln -s "$(command -v $tool)" "$work/bin/$tool"
done
printf '#version 450\n' >"$work/x.comp"
for suffix in glsl wgsl cl; do
	cp "$work/x.comp" "$work/x.$suffix"
done
cp "$work/x.comp" "$work/-x.comp"
binary=$PWD/tests/userspace/compiler/spirv/shaders/reduction.spv

# compiler NAME LINE... : makes a compiler of these lines; it notes its arguments.
compiler() {
	name=$1
	shift
	{
		echo '#!/bin/sh'
		echo "printf '%s\\n' \"\$@\" >'$work/arguments.$name'"
		printf '%s\n' "$@"
	} >"$work/bin/$name"
	chmod +x "$work/bin/$name"
}
# compile FILE OPTION... : with the scripts alone in PATH; status, and first line of the messages.
compile() {
	file=$1
	shift
	(cd "$work" && PATH=$work/bin "$sov" compile --stats "$@" -- "$file") >"$work/out" 2>"$work/err"
	status=$?
	message=$(head -n 1 "$work/err")
}
clean() {
	is "$(ls -A "$work/tmp")" "" "no temporary file is left $1"
}
case $sov in /*) ;; *) sov=$PWD/$sov ;; esac

compile x.comp
is "$status $message" "1 sov: compile: 'x.comp' is GLSL, which needs a compiler: install glslangValidator (Debian: glslang-tools) or glslc (Debian: glslc)" \
	"a source in GLSL without a compiler names the compilers and their packages"
compile x.wgsl
is "$message" "sov: compile: 'x.wgsl' is WGSL, which needs a compiler: install tint or naga (not packaged in Debian 12 and 13)" \
	"a source in WGSL without a compiler names the compilers"
compiler clang-15 'exit 0'
compile x.cl
is "$message" "sov: compile: 'x.cl' is OpenCL C, which needs a compiler: install clang and llvm-spirv of the same version (Debian 12: clang-14 llvm-spirv-14, Debian 13: clang-19 llvm-spirv-19)" \
	"clang without llvm-spirv of its version is no compiler of OpenCL C"

# The last argument but two is "-o".
take='while [ "$1" != -o ]; do shift; done'
compiler glslangValidator "$take" "cp '$binary' \"\$2\""
compile x.comp
is "$status" 0 "glslangValidator's SPIR-V is compiled"
has "$(cat "$work/out")" "main " "the statistics name the shader's entry point"
is "$(tr '\n' ' ' <"$work/arguments.glslangValidator" | sed "s|$work/tmp/sov-......|T|")" \
	"--target-env vulkan1.3 -V -S comp -o T/out.spv x.comp " "glslangValidator gets its arguments"
clean "after a compilation"
compile -x.comp --compiler-options '-DA=1  -Idir'
has "$(cat "$work/arguments.glslangValidator")" "./-x.comp" "a source whose name begins with a dash is no option"
has "$(cat "$work/arguments.glslangValidator")" "-DA=1
-Idir" "--compiler-options passes words on"
(cd "$work" && PATH=$work/bin SOV_SOFT=gh100:vram=1G "$sov" run --block 8 --grid 3 x.glsl \
	buf:f32:20:iota buf:f32:3:print buf:u32:5:print \
	u32:20 2>&1) >"$work/out"
has "$(cat "$work/out")" "argument 3 of kernel 'main' has 32 bytes; 4 given" \
	"sov run translates a source, too, and passes buffers with their sizes"

compiler glslangValidator 'echo x.comp' "echo 'ERROR: x.comp:3: unexpected'" 'exit 2'
compile x.comp
is "$status $message" "1 ERROR: x.comp:3: unexpected" "a compiler's messages are passed on, without glslang's line of the name"
has "$(cat "$work/err")" "sov: compile: '$work/bin/glslangValidator' could not translate 'x.comp' (exit status 2)" \
	"a compiler's failure names the compiler, the source and the status"
clean "after a failure"
compiler glslangValidator 'kill -SEGV $$'
compile x.comp
has "$(cat "$work/err")" "glslangValidator' was ended by signal 11" "a compiler's crash is reported"
clean "after a crash"
compiler glslangValidator 'exit 0'
compile x.comp
has "$(cat "$work/err")" "glslangValidator' has written no SPIR-V for 'x.comp'" "a compiler without output is reported"
compiler glslangValidator 'sleep 1000 & sleep 1000'
compile x.comp --compiler-limit 1
has "$(cat "$work/err")" "took longer than 1 s for 'x.comp'; --compiler-limit changes that (0: no limit)" \
	"a compiler that takes too long is ended"
clean "after the time limit"
compile x.comp --compiler-limit soon
is "$status $message" "2 sov: compile: compiler limit 'soon' is not an integer from 0 to 4294967295" \
	"a time limit that is no number is refused"
# The script tells when it has started; then sov gets the signal.
compiler glslangValidator "echo >'$work/started'" 'sleep 1000'
mkfifo "$work/started"
(cd "$work" && PATH=$work/bin exec "$sov" compile --stats x.comp --compiler-limit 0) >"$work/out" 2>"$work/err" &
child=$!
read -r _ <"$work/started"
kill -TERM $child
wait $child
is $? 143 "a signal ends sov while it waits for a compiler"
clean "after a signal"
compile none.comp
is "$message" "sov: compile: cannot read 'none.comp': No such file or directory" "a missing source is reported before a compiler runs"
printf '#!/none\n' >"$work/bin/glslangValidator"
compile x.comp
is "$message" "sov: compile: cannot start '$work/bin/glslangValidator': No such file or directory" "a compiler that cannot be executed is reported"
clean "then"
TMPDIR=$work/none compile x.comp
is "$message" "sov: compile: cannot make a temporary folder in '$work/none': No such file or directory" \
	"a folder for temporary files that is missing is reported"
rm "$work/bin/glslangValidator"
compiler glslc "$take" "cp '$binary' \"\$2\""
compile x.glsl
is "$status" 0 "glslc takes the place of glslangValidator"

compiler tint "$take" "cp '$binary' \"\$2\""
compile x.wgsl
is "$status" 0 "tint's SPIR-V is compiled"
mv "$work/bin/tint" "$work/games/tint"
compiler naga "cp '$binary' \"\$2\""
(cd "$work" && PATH=$work/games:$work/bin "$sov" compile --stats x.wgsl) >"$work/out" 2>"$work/err"
ok $? "a program tint in a folder of games is no compiler; naga is"

compiler clang-14 'exit 1'
compiler llvm-spirv-14 'exit 1'
compiler clang-15 "$take" "cp '$binary' \"\$2\""
compiler llvm-spirv-15 "$take" 'cp "$3" "$2"'
compile x.cl
is "$status" 0 "clang and llvm-spirv of the newest version that has both compile OpenCL C" || diag "$(cat "$work/err")"
clean "after two steps"

PATH=$real
cat >"$work/y.comp" <<'GLSL'
#version 450
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer A { uint a[]; };
void main() { a[gl_GlobalInvocationID.x] *= 3; }
GLSL
cat >"$work/y.wgsl" <<'WGSL'
@group(0) @binding(0) var<storage, read_write> a: array<u32>;
@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) i: vec3<u32>) { a[i.x] *= 3u; }
WGSL
cat >"$work/y.cl" <<'CL'
kernel void times(global uint *a) { a[get_global_id(0)] *= 3; }
CL
# translates FILE COMPILER... : the compilers are installed, or the test is left out.
translates() {
	file=$1
	shift
	for program; do
		command -v "$program" >/dev/null || { skip "sov run runs $file by $*" "no $program"; return; }
	done
	out=$(SOV_SOFT=gh100:vram=1G "$sov" run --block 4 "$work/$file" buf:u32:4:iota:print 2>&1)
	has "$out" "u32[4]: 0 3 6 9" "sov run runs $file by $*"
}
translates y.comp glslangValidator
translates y.wgsl tint
translates y.cl clang-15 llvm-spirv-15
translates y.cl clang-14 llvm-spirv-14
translates y.cl clang-19 llvm-spirv-19
tap_done
