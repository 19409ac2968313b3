# SPDX-License-Identifier: MIT
# The bundle for real GPUs can be made, and its programs judge: right code passes, wrong code fails.
# The software GPU stands in for libcuda.so.1 here.
. tests/tap.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags=
[ -z "$(nm "$BUILD/libsov.so" 2>/dev/null | grep __asan_init)" ] || flags="-fsanitize=address,undefined"
sov=$(realpath "$BUILD/sov")
waiting=$(grep -l '^// machine code: not yet$' tests/userspace/compiler/ptx/instructions/*.ptx | wc -l)

out=$(BUILD=$BUILD tests/silicon/bundle.sh 2>&1)
ok $? "make silicon makes the bundle"
diag "$out"
tar -xzf "$BUILD/silicon.tar.gz" -C "$work"
ok $? "the archive unpacks"
cc $flags -O2 -std=c11 -D_GNU_SOURCE -I. -shared -fPIC tests/silicon/_cuda_on_sov.c -o "$work/libcuda.so.1" \
	-L"$BUILD" -lsov -Wl,-rpath,"$(realpath "$BUILD")"
ok $? "the software GPU can stand in for CUDA"

# Programs that only a real GPU runs.
for program in tests/silicon/*.c; do
	cc -w -std=c11 -D_GNU_SOURCE -I. -fsyntax-only "$program" || echo "$program"
done >"$work/refused" 2>&1
is "$(cat "$work/refused")" "" "all programs for real GPUs compile"

# The comparison with CUDA, which on a real machine links the library that was built there.
cc $flags -O2 -std=c11 -I. -Itests/silicon tests/silicon/cuda_compare.c "$BUILD/libsov-all.a" -o "$work/cuda_compare" -lm -ldl -pthread
ok $? "the comparison with CUDA compiles"
out=$(ASAN_OPTIONS=detect_leaks=0 LD_LIBRARY_PATH="$work" SOV_SOFT=gh100:vram=64M "$work/cuda_compare" --small \
	"$work/silicon/store.default.cubin" 2>&1)
ok $? "and finds all values right"
has "$out" "sov: software GPU, Hopper GH100 by soft (libsov 0.1, in the process); 0 mappings of NVIDIA's libraries" \
	"libsov's process holds nothing of NVIDIA's"
is "$(echo "$out" | grep -c '^| [a-z]')" 60 "every row of its table is there"
has "$out" "cuda_compare: 0 wrong" "nothing is wrong"

cc $flags -O2 -std=c11 -I. -Itests/silicon tests/silicon/cuda_compare_runtime.c "$BUILD/libsov-all.a" -o "$work/cuda_compare_runtime" \
	-lm -ldl -pthread
ok $? "so does that of the runtime"
out=$(ASAN_OPTIONS=detect_leaks=0 SOV_NVRM=0 SOV_SOFT=gh100:vram=64M "$work/cuda_compare_runtime" --small 2>&1)
ok $? "which finds all values right, too"

cd "$work/silicon" || exit 1
export LD_LIBRARY_PATH="$work" ASAN_OPTIONS=detect_leaks=0
out=$(CC="cc $flags" ./run.sh --small 2>&1)
ok $? "run.sh finds all values right on the software GPU"
diag "$out"
has "$out" "kernels: 416 right, 0 wrong" "the kernels run, default and serial"
has "$out" "instructions, default: " "the one-instruction tests run"
has "$out" "instructions, serial: " "the one-instruction tests run in serial mode"
has "$out" " 0 wrong, $waiting not compiled" "what has no machine code is counted"
has "$out" "serial/default" "the table compares variants"
has "$out" "codegen: 34 right, 0 wrong" "the kernels that measure our code are right"
[ "$(echo "$out" | tail -n 1)" = "silicon: PASS" ]
ok $? "the verdict comes last"

cp saxpy.default.cubin saxpy.wrong.cubin
cp saxpy.default.cubin reduce.wrong.cubin
out=$(./runner --small --no-timing wrong 2>&1)
[ $? -eq 2 ] && echo "$out" | grep -q "^BROKEN reduce_f32: "
ok $? "an image without the kernel is no success"

sed 's/neg.f64/abs.f64/' kernels/su3.ptx >su3.ptx
"$sov" compile --target sm_90 -o kernels/su3.default.cubin su3.ptx
out=$(./codegen --small default 2>&1)
[ $? -eq 1 ] && echo "$out" | grep -q "^WRONG su3 default: re"
ok $? "a kernel that computes something else is named"
diag "$out"

# Tests that are wrong, each in its way, among right ones.
tests=tests/userspace/compiler/ptx/instructions
mkdir kept
mv $tests/*.ptx kept/
cp kept/add_s32.ptx kept/not_b32.ptx kept/trap.ptx kept/vote.ptx $tests/
sed 's/^\(\/\/ out .*:\) [^ ]*/\1 77/' kept/sub_s32.ptx >$tests/sub_s32.ptx
sed 's/mad.wide.u32 %pd, .*/mov.u64 %pd, 16;/' kept/mul_f32.ptx >mul_f32.ptx
"$sov" compile --target sm_90 -o $tests/mul_f32.default.cubin mul_f32.ptx
cp kept/mul_f32.ptx $tests/
sed 's/ret;/mov.u32 %i, 8; ld.param.u64 %pd, [d]; st.global.u32 [%pd+32], %i; ret;/' kept/brev_b32.ptx >brev_b32.ptx
"$sov" compile --target sm_90 -o $tests/brev_b32.default.cubin brev_b32.ptx
cp kept/brev_b32.ptx $tests/
sed 's/^\ttrap;//' kept/trap.ptx >trap.ptx
"$sov" compile --target sm_90 -o $tests/trap.default.cubin trap.ptx
out=$(./instructions --small default 2>&1)
[ $? -eq 1 ]
ok $? "a wrong value fails the run"
diag "$out"
has "$out" "instructions, default: 3 right, 4 wrong, 0 not compiled; " "others run in spite of it"
has "$out" "WRONG sub_s32 default: parameter 2, element 0: got 0x" "a wrong value is named"
has "$out" "WRONG mul_f32 default: CUDA_ERROR_LAUNCH_FAILED (719)" "a fault is named"
has "$out" "WRONG brev_b32 default: memory before parameter 2 was written" "a stray store is named"
has "$out" "WRONG trap default: the kernel completed without a fault" "a trap that does not stop a kernel is named"
tap_done
