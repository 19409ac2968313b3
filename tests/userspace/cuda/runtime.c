// SPDX-License-Identifier: MIT
/* libcudart.so.13 on a software GPU: the calls that nvcc makes for <<<>>>, and errors. */
#include "libsov/cuda/abi.h"
#include "tests/soft.h"
#include "tests/tap.h"
#include "tests/userspace/cuda/_load.h"
#include "tests/userspace/cuda/_triple.h"

#define N 64

typedef struct {
	unsigned x, y, z;
} dim3;

static struct {
	int magic, version;
	const void *data;
	void *linked;
} wrapper = {0x466243b1, 1, triple_zstd, NULL};

void **__cudaRegisterFatBinary(const void *wrapper);
void __cudaRegisterFunction(void **handle, const void *host, char *device, const char *name,
			    int limit, void *tid, void *bid, void *block, void *grid, int *warp);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream);
int __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
int cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared,
		     void *stream);
int __cudaGetKernel(void **kernel, const void *function);
int __cudaLaunchKernel(void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared,
		       void *stream);
int cudaMalloc(void **out, size_t bytes);
int cudaFree(void *p);
int cudaMemcpy(void *to, const void *from, size_t bytes, unsigned kind);
int cudaMemset(void *p, int value, size_t bytes);
int cudaGetLastError(void);
int cudaPeekAtLastError(void);
int cudaDeviceSynchronize(void);
int cudaDeviceReset(void);
int cudaGetDeviceCount(int *count);
int cudaSetDevice(int device);
int cudaGetDevice(int *device);
const char *cudaGetErrorName(int error);

/* What nvcc generates for a kernel: a host function whose address stands for it. */
static int triple_stub(unsigned *out, unsigned n)
{
	void *arguments[] = {&out, &n}, *stream;
	dim3 grid, block;
	size_t shared;
	int e = CALL(__cudaPopCallConfiguration)(&grid, &block, &shared, &stream);

	return e ? e
		 : CALL(cudaLaunchKernel)((void *)(uintptr_t)triple_stub, grid, block, arguments,
					  shared, stream);
}

/* triple<<<grid, block>>>(out, n) */
static int launch(unsigned grid, unsigned block, unsigned *out, unsigned n)
{
	dim3 g = {grid, 1, 1}, b = {block, 1, 1};

	CALL(__cudaPushCallConfiguration)(g, b, 0, NULL);
	return triple_stub(out, n);
}

static bool all_tripled(const unsigned *device)
{
	unsigned got[N];
	bool good = !CALL(cudaMemcpy)(got, device, sizeof(got), 2);

	for (unsigned k = 0; k < N; k++)
		good &= got[k] == 3 * k;
	return good;
}

int main(void)
{
	unsigned *p = NULL, n = N;
	void **binary, *kernel = NULL, *arguments[] = {&p, &n};
	dim3 one = {1, 1, 1}, block = {N, 1, 1};
	int count = 0, device = -1;

	soft_gpus("gh100:vram=256M,gh100:vram=256M");
	load_library("libcudart.so.13");
	binary = CALL(__cudaRegisterFatBinary)(&wrapper);
	CALL(__cudaRegisterFunction)(binary, (void *)(uintptr_t)triple_stub, NULL, "triple", -1,
				     NULL, NULL, NULL, NULL, NULL);
	ok(!CALL(cudaMalloc)((void **)&p, N * 4), "the first call makes a context");
	ok(!launch(2, 32, p, N) && all_tripled(p), "a registered kernel runs");
	CALL(cudaMemset)(p, 0, N * 4);
	ok(!CALL(__cudaGetKernel)(&kernel, (void *)(uintptr_t)triple_stub) &&
		   !CALL(__cudaLaunchKernel)(kernel, one, block, arguments, 0, NULL) &&
		   all_tripled(p),
	   "a kernel runs by its handle");
	ok(launch(1, 2000, p, N) == 9 && CALL(cudaPeekAtLastError)() == 9 &&
		   CALL(cudaGetLastError)() == 9 && !CALL(cudaGetLastError)(),
	   "a block that is too large is an invalid configuration, which is reported once");
	ok(CALL(cudaLaunchKernel)(&count, one, one, NULL, 0, NULL) == 98,
	   "a function that is no kernel is an invalid device function");
	ok(CALL(cudaFree)(p + 1) == 1 && CALL(cudaGetLastError)() == 1,
	   "an address that was not allocated is an invalid argument");
	ok(!CALL(cudaGetDeviceCount)(&count) && count == 2 && !CALL(cudaSetDevice)(1) &&
		   !CALL(cudaGetDevice)(&device) && device == 1,
	   "a thread chooses its device");
	p = NULL;
	ok(!CALL(cudaMalloc)((void **)&p, N * 4) && !launch(2, 32, p, N) && all_tripled(p),
	   "a kernel runs on the second device too");
	ok(CALL(cudaSetDevice)(2) == 101 && CALL(cudaGetLastError)() == 101,
	   "a device that does not exist is an invalid device");
	launch(2, 32, (unsigned *)(uintptr_t)16, N);
	ok(CALL(cudaDeviceSynchronize)() == 700 && CALL(cudaMalloc)((void **)&p, 4) == 700,
	   "an illegal address is reported by each later call");
	CALL(cudaGetLastError)();
	ok(!CALL(cudaDeviceReset)() && !CALL(cudaMalloc)((void **)&p, N * 4) &&
		   !launch(2, 32, p, N) && all_tripled(p),
	   "after a reset the device works again");
	ok(!strcmp(CALL(cudaGetErrorName)(700), "cudaErrorIllegalAddress"), "errors have names");
	return tap_done();
}
