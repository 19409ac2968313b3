# SPDX-License-Identifier: MIT
# nvcc's default, a static runtime, becomes that of libsov/cuda by -L alone. Needs nvcc in CUDA_HOME (/usr/local/cuda).
. tests/oracles/_result.sh
nvcc=${CUDA_HOME:-/usr/local/cuda}/bin/nvcc
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export SOV_SOFT=gh100:vram=1G SOV_NVRM=0 SOV_KMOD=0
cat >"$work/program.cu" <<'END'
#include <cstdio>
__device__ int offset = 5;
__global__ void add(int *p, int n) { int k = blockIdx.x * blockDim.x + threadIdx.x; if (k < n) p[k] += k + offset; }
int main()
{
	int *p, wrong = 0, got[1000], six = 6;
	cudaDeviceProp properties;
	cudaMalloc(&p, sizeof(got));
	cudaMemset(p, 0, sizeof(got));
	add<<<8, 128>>>(p, 1000);
	cudaMemcpyToSymbol(offset, &six, sizeof(six));
	add<<<8, 128>>>(p, 1000);
	cudaMemcpy(got, p, sizeof(got), cudaMemcpyDeviceToHost);
	for (int k = 0; k < 1000; k++)
		wrong += got[k] != 2 * k + 11;
	cudaGetDeviceProperties(&properties, 0);
	printf("%d %d %d %s\n", wrong, properties.major, properties.multiProcessorCount, cudaGetErrorString(cudaGetLastError()));
}
END
major=$("$nvcc" --version | sed -n 's/.*release \([0-9]*\).*/\1/p')
folder=$(realpath "$BUILD/cuda")
[ "$major" = 12 ] && folder=$folder/12
"$nvcc" -arch=sm_90 "$work/program.cu" -o "$work/program" -L"$folder" >"$work/log" 2>&1
result $? "nvcc $major links a program with our static runtime"
sed 's/^/# /' "$work/log"
out=$("$BUILD/sov" run-cuda "$work/program" 2>&1)
[ "$out" = "0 9 132 no error" ]
result $? "the program runs on the software GPU: $out"
echo "1..$results"
