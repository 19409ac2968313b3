# SPDX-License-Identifier: MIT
# libcudart_static.a, which nvcc links by default: -L with its folder is enough.
. tests/tap.sh
. tests/userspace/runtime/_link.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export SOV_SOFT=gh100:vram=256M SOV_NVRM=0 SOV_KMOD=0

cat >"$work/program.c" <<'END'
#include <stddef.h>
#include <stdio.h>
extern int cudaMalloc(void **, size_t), cudaMemset(void *, int, size_t), cudaMemcpy(void *, const void *, size_t, int),
	cudaRuntimeGetVersion(int *);
const char section[] = ".nv_fatbin";
int rt_return(int e) { return e + 1; } /* a name of the runtime's own */
int main(void)
{
	unsigned char got[4] = {0};
	int version = 0;
	void *p = NULL;
	int e = cudaMalloc(&p, 4) || cudaMemset(p, 7, 4) || cudaMemcpy(got, p, 4, 2) || cudaRuntimeGetVersion(&version);

	printf("%d %d %d %d\n", e, got[0] + got[3], version / 1000, rt_return(1));
	return 0;
}
END
for major in 13 12; do
	folder=$(realpath "$BUILD/cuda")
	[ $major = 13 ] || folder=$folder/12
	# shellcheck disable=SC2086 # lists of words
	is "$($build_cc $sanitizers "$work/program.c" -o "$work/program" -L"$folder" -lcudart_static -lpthread -ldl 2>&1)" "" \
		"a program links with the static runtime of CUDA $major"
	is "$("$BUILD/sov" run-cuda "$work/program")" "0 14 $major 2" "it runs, with names of its own"
	needed=$(readelf -d "$work/program" | grep NEEDED)
	has "$needed" "[libcuda.so.1]" "it needs the driver"
	case $needed in *libcudart*) found=1 ;; *) found=0 ;; esac
	ok $found "it needs no shared runtime"
done
tap_done
