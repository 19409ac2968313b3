# SPDX-License-Identifier: MIT
# Generated files are what their generators write today: PTX of the test kernels, and the device services and functions of textures as C strings.
# Needs clang 19, which tests/oracles/setup installs; another version writes other PTX.
. tests/tap.sh
: "${CLANG:=clang-19}"
if ! command -v "$CLANG" >/dev/null; then
	echo "1..0 # SKIP no $CLANG here: apt-get install clang-19"
	exit
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
same() { # committed file; the new one is in $dir
	out=$(diff "$1" "$dir/${1##*/}" 2>&1 | head -n 10)
	is "$out" "" "$1 is what its generator writes"
}
libsov/kernels/ptx.sh "$dir"
ok $? "libsov/kernels/ptx.sh succeeds"
same libsov/kernels/device_services_ptx.c
libsov/kernels/gemm/ptx.sh "$dir"
ok $? "libsov/kernels/gemm/ptx.sh succeeds"
same libsov/kernels/gemm/wgmma.ptx
same libsov/kernels/gemm/doubles.ptx
libsov/compiler/library/ptx.sh "$dir"
ok $? "libsov/compiler/library/ptx.sh succeeds"
same libsov/compiler/library/texture_functions_ptx.c
same libsov/compiler/library/f64_functions_ptx.c
same libsov/compiler/library/opencl_functions_ptx.c
services=tests/userspace/runtime/module/device_services
$services/_ptx.sh "$dir"
ok $? "$services/_ptx.sh succeeds"
same $services/_kernels.ptx
tests/kernels/ptx.sh -o "$dir"
ok $? "tests/kernels/ptx.sh succeeds"
for ptx in tests/kernels/*.ptx; do
	same "$ptx"
done
tap_done
