# SPDX-License-Identifier: MIT
# make silicon builds the test bundle for real GPUs; its programs accept correct code and
# reject wrong code. Here a software GPU behind a libcuda.so.1 replaces the real one.
. tests/tap.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags=
[ -z "$(nm "$BUILD/libsov.so" 2>/dev/null | grep __asan_init)" ] || flags="-fsanitize=address,undefined"
drm=$(pkg-config --libs libdrm 2>/dev/null) # libsov-all.a uses it if the build found it
sov=$(realpath "$BUILD/sov")
waiting=$(grep -l '^// machine code: not yet$' tests/userspace/compiler/ptx/instructions/*.ptx | wc -l)

out=$(BUILD=$BUILD tests/silicon/bundle.sh 2>&1)
ok $? "make silicon builds the bundle"
diag "$out"
tar -xzf "$BUILD/silicon.tar.gz" -C "$work"
ok $? "the silicon bundle unpacks"
cc $flags -O2 -std=c11 -D_GNU_SOURCE -I. -shared -fPIC tests/silicon/_cuda_on_sov.c -o "$work/libcuda.so.1" \
	-L"$BUILD" -lsov -Wl,-rpath,"$(realpath "$BUILD")"
ok $? "the libcuda.so.1 replacement on the software GPU compiles"

# Programs that need a real GPU are only compiled.
for program in tests/silicon/*.c; do
	cc -w -Werror=implicit-function-declaration -std=c11 -D_GNU_SOURCE -I. -fsyntax-only "$program" || echo "$program"
done >"$work/refused" 2>&1
is "$(cat "$work/refused")" "" "every program in tests/silicon compiles"

# The comparison with CUDA; on a real machine it links the library that was built there.
cc $flags -O2 -std=c11 -I. -Itests/silicon tests/silicon/cuda_compare.c "$BUILD/libsov-all.a" -o "$work/cuda_compare" \
	-lm -ldl -pthread $drm
ok $? "tests/silicon/cuda_compare.c compiles"
out=$(ASAN_OPTIONS=detect_leaks=0 LD_LIBRARY_PATH="$work" SOV_SOFT=gh100:vram=64M SOV_SOFT_TRANSLATE=0 \
	"$work/cuda_compare" --small "$work/silicon/store.default.cubin" 2>&1)
ok $? "cuda_compare finds all values correct on the software GPU"
has "$out" "sov: software GPU, Hopper GH100 by soft (libsov 0.1, in the process, interpreting); 0 mappings of NVIDIA's libraries" \
	"cuda_compare finds no mapping of NVIDIA's libraries in the process of libsov"
is "$(echo "$out" | grep -c '^| [a-z]')" 60 "cuda_compare prints all 60 rows of its table"
has "$out" "cuda_compare: 0 wrong" "cuda_compare reports 0 wrong values"

# The tokens that an H200 returned (docs/results/2026-11-18-h200.md).
cc $flags -O2 -std=c11 -D_GNU_SOURCE -I. tests/silicon/mbarrier_objects.c "$BUILD/libsov-all.a" -o "$work/mbarrier_objects" \
	-lm -ldl -pthread $drm
out=$(ASAN_OPTIONS=detect_leaks=0 LD_LIBRARY_PATH="$work" SOV_SOFT=gh100:vram=64M "$work/mbarrier_objects" 2>&1 |
	sed -n 's/.* token \([0-9a-f]*\) .*/\1/p' | uniq | tr '\n' ' ')
is "$out" "00000000 7fffd800 7fffe000 7ffff3fe ffffd800 ffffe000 ffffe800 7fffe000 " \
	"barriers in memory return the tokens of an H200"
cc $flags -O2 -std=c11 -D_GNU_SOURCE -I. tests/silicon/tensor_maps.c "$BUILD/libsov-all.a" -o "$work/tensor_maps" \
	-lm -ldl -pthread $drm
out=$(ASAN_OPTIONS=detect_leaks=0 LD_LIBRARY_PATH="$work" SOV_SOFT=gh100:vram=64M "$work/tensor_maps" 2>&1)
is "$out" "BROKEN libcuda.so.1 does not encode tensor maps" "tensor_maps compiles, and needs NVIDIA's driver"

cc $flags -O2 -std=c11 -D_GNU_SOURCE -I. tests/silicon/lane_stores.c "$BUILD/libsov-all.a" -o "$work/lane_stores" \
	-lm -ldl -pthread $drm
out=$(ASAN_OPTIONS=detect_leaks=0 LD_LIBRARY_PATH="$work" SOV_SOFT=gh100:vram=64M "$work/lane_stores" 2>&1)
echo "$out" | awk '/^this tree/ { cycles[$3] = $NF } END { exit !(cycles["one"] && cycles["all"] < 2 * cycles["one"]) }'
ok $? "lane_stores finds that a store of all lanes costs what that of one lane does"
diag "$out"

out=$(ASAN_OPTIONS=detect_leaks=0 LD_LIBRARY_PATH="$work" SOV_SOFT=gh100 "$BUILD/litmus" --cuda --small --runs 64 'MP+ra.*' 2>&1)
ok $? "litmus tests run through the CUDA driver API"
has "$out" "cuda, software GPU, Hopper GH100: 17 tests" "every message passing test with release and acquire runs through it"

cc $flags -O2 -std=c11 -I. -Itests/silicon tests/silicon/cuda_compare_runtime.c "$BUILD/libsov-all.a" -o "$work/cuda_compare_runtime" \
	-lm -ldl -pthread $drm
ok $? "tests/silicon/cuda_compare_runtime.c compiles"
out=$(ASAN_OPTIONS=detect_leaks=0 SOV_NVRM=0 SOV_SOFT=gh100:vram=64M "$work/cuda_compare_runtime" --small 2>&1)
ok $? "cuda_compare_runtime finds all values correct on the software GPU"

cd "$work/silicon" || exit 1
export LD_LIBRARY_PATH="$work" ASAN_OPTIONS=detect_leaks=0
out=$(CC="cc $flags" ./run.sh --small 2>&1)
ok $? "run.sh of the bundle finds all values correct on the software GPU"
diag "$out"
has "$out" "kernels: 416 right, 0 wrong" "run.sh reports all kernels right, default and serial"
has "$out" "instructions, default: " "run.sh runs the one-instruction tests in default mode"
has "$out" "instructions, serial: " "run.sh runs the one-instruction tests in serial mode"
has "$out" " 0 wrong, $waiting not compiled" "run.sh counts the tests without machine code"
has "$out" "serial/default" "run.sh prints a table of serial versus default"
has "$out" "codegen: 34 right, 0 wrong" "run.sh reports all codegen kernels right"
[ "$(echo "$out" | tail -n 1)" = "silicon: PASS" ]
ok $? "run.sh ends with silicon: PASS"

cp saxpy.default.cubin saxpy.wrong.cubin
cp saxpy.default.cubin reduce.wrong.cubin
out=$(./runner --small --no-timing wrong 2>&1)
[ $? -eq 2 ] && echo "$out" | grep -q "^BROKEN reduce_f32: "
ok $? "runner fails if an image lacks the kernel"

sed 's/neg.f64/abs.f64/' kernels/su3.ptx >su3.ptx
"$sov" compile --target sm_90 -o kernels/su3.default.cubin su3.ptx
out=$(./codegen --small default 2>&1)
[ $? -eq 1 ] && echo "$out" | grep -q "^WRONG su3 default: re"
ok $? "codegen names a kernel that computes wrong values"
diag "$out"

# Four kinds of wrong tests among correct ones.
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
ok $? "instructions fails for wrong tests"
diag "$out"
has "$out" "instructions, default: 3 right, 4 wrong, 0 not compiled; " \
	"instructions runs the remaining tests after a failure"
has "$out" "WRONG sub_s32 default: parameter 2, element 0: got 0x" \
	"instructions names a wrong value"
has "$out" "WRONG mul_f32 default: CUDA_ERROR_LAUNCH_FAILED (719)" "instructions names a fault"
has "$out" "WRONG brev_b32 default: memory before parameter 2 was written" \
	"instructions names a store outside the buffer"
has "$out" "WRONG trap default: the kernel completed without a fault" \
	"instructions names a trap that does not stop its kernel"
tap_done
