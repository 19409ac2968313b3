// SPDX-License-Identifier: MIT
/* Kernels that contend for memory: fences, and float sums in shared memory. contention.c runs them. */
#define KERNEL extern "C" __global__ void

template <typename T> __device__ void sum_bins(const T *in, int n, T *out, T *bins, unsigned count, unsigned scale)
{
	for (unsigned k = threadIdx.x; k < count; k += blockDim.x)
		bins[k] = 0;
	__syncthreads();
	for (int i = 0; i < n; i++)
		atomicAdd(&bins[(threadIdx.x * scale + i * 40503u) / 64 % count], in[threadIdx.x + i * blockDim.x]);
	__syncthreads();
	for (unsigned k = threadIdx.x; k < count; k += blockDim.x)
		out[blockIdx.x * count + k] = bins[k];
}

KERNEL one_bin_f32(const float *in, int n, float *out, unsigned *) { __shared__ float s[1]; sum_bins(in, n, out, s, 1, 7); }
KERNEL bins_32_f32(const float *in, int n, float *out, unsigned *) { __shared__ float s[32]; sum_bins(in, n, out, s, 32, 7); }
KERNEL bins_1024_f32(const float *in, int n, float *out, unsigned *) { __shared__ float s[1024]; sum_bins(in, n, out, s, 1024, 2654435761u); }
KERNEL one_bin_f64(const double *in, int n, double *out, unsigned *) { __shared__ double s[1]; sum_bins(in, n, out, s, 1, 7); }
KERNEL bins_1024_f64(const double *in, int n, double *out, unsigned *) { __shared__ double s[1024]; sum_bins(in, n, out, s, 1024, 2654435761u); }

/* The last block to arrive adds the partial sums of all blocks, one after the other. */
KERNEL last_block_sum(const float *in, int n, volatile float *out, unsigned *arrived)
{
	__shared__ float partial[256];
	__shared__ bool last;
	float sum = 0;

	for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
		sum += in[i];
	partial[threadIdx.x] = sum;
	__syncthreads();
	for (int k = 128; k; k /= 2) {
		if (threadIdx.x < k)
			partial[threadIdx.x] += partial[threadIdx.x + k];
		__syncthreads();
	}
	if (threadIdx.x == 0) {
		out[blockIdx.x] = partial[0];
		__threadfence();
		last = atomicInc(arrived, gridDim.x - 1) == gridDim.x - 1;
	}
	__syncthreads();
	if (last && threadIdx.x == 0) {
		sum = 0;
		for (int i = 0; i < (int)gridDim.x; i++)
			sum += out[i];
		out[0] = sum;
	}
}

KERNEL fences_gpu(const float *in, int n, float *out, unsigned *)
{
	for (int i = 0; i < n; i++) {
		out[threadIdx.x + blockIdx.x * blockDim.x] = in[i];
		__threadfence();
	}
}

KERNEL fences_block(const float *in, int n, float *out, unsigned *)
{
	for (int i = 0; i < n; i++) {
		out[threadIdx.x + blockIdx.x * blockDim.x] = in[i];
		__threadfence_block();
	}
}
