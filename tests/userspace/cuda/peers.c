// SPDX-License-Identifier: MIT
/* Copies between two devices by CUDA's driver API, and what is said about peer access. */
#include "libsov/cuda/driver/calls.h"
#include "tests/soft.h"
#include "tests/tap.h"
#include "tests/userspace/cuda/_load.h"

#define WIDTH  40u /* of a box of bytes … */
#define HEIGHT 3u
#define DEPTH  2u
#define PITCH  64u /* … in rows of these bytes, HEIGHT + 1 per slice */
#define BYTES  (PITCH * (HEIGHT + 1) * DEPTH)

static CUcontext contexts[2];
static CUdeviceptr memory[2];
static unsigned char out[BYTES], in[BYTES];

static void copies(void)
{
	for (unsigned k = 0; k < BYTES; k++)
		out[k] = (unsigned char)(k * 7 + 1);
	ok(!CALL(cuMemcpyHtoD_v2)(memory[0], out, BYTES) &&
		   !CALL(cuMemcpyDtoH_v2)(in, memory[0], BYTES) && !memcmp(in, out, BYTES),
	   "the host copies to and from a device that is not the current one");
	ok(!CALL(cuMemcpyPeer)(memory[1], contexts[1], memory[0], contexts[0], BYTES) &&
		   !CALL(cuMemcpyDtoH_v2)(in, memory[1], BYTES) && !memcmp(in, out, BYTES),
	   "a copy between devices copies");
	memset(in, 5, BYTES);
	CALL(cuMemcpyHtoD_v2)(memory[0], in, BYTES);
	ok(!CALL(cuMemcpyPeerAsync)(memory[1], contexts[1], memory[0], contexts[0], 9, NULL) &&
		   !CALL(cuCtxSynchronize)() && !CALL(cuMemcpyDtoH_v2)(in, memory[1], BYTES) &&
		   in[8] == 5 && in[9] == out[9],
	   "an asynchronous one copies its bytes alone");
}

/* The box begins at x 3, y 1, z 0 of the source and at 0 of the destination. */
static bool box_arrived(void)
{
	for (unsigned z = 0; z < DEPTH; z++)
		for (unsigned y = 0; y < HEIGHT + 1; y++)
			for (unsigned x = 0; x < PITCH; x++) {
				unsigned at = (z * (HEIGHT + 1) + y) * PITCH + x;
				bool inside = x < WIDTH && y < HEIGHT;

				if (in[at] != (inside ? out[at + PITCH + 3] : 0))
					return false;
			}
	return true;
}

static void boxes(void)
{
	CUDA_MEMCPY3D p = {.srcXInBytes = 3,
			   .srcY = 1,
			   .srcMemoryType = CU_MEMORYTYPE_DEVICE,
			   .srcDevice = memory[0],
			   .srcPitch = PITCH,
			   .srcHeight = HEIGHT + 1,
			   .dstMemoryType = CU_MEMORYTYPE_DEVICE,
			   .dstDevice = memory[1],
			   .dstPitch = PITCH,
			   .dstHeight = HEIGHT + 1,
			   .WidthInBytes = WIDTH,
			   .Height = HEIGHT,
			   .Depth = DEPTH};

	p.reserved0 = contexts[0];
	p.reserved1 = contexts[1];
	CALL(cuMemcpyHtoD_v2)(memory[0], out, BYTES);
	for (int asynchronous = 0; asynchronous < 2; asynchronous++) {
		CUresult e = CALL(cuMemsetD8_v2)(memory[1], 0, BYTES);

		if (!e)
			e = asynchronous ? CALL(cuMemcpy3DPeerAsync)(&p, NULL)
					 : CALL(cuMemcpy3DPeer)(&p);
		ok(!e && !CALL(cuCtxSynchronize)() &&
			   !CALL(cuMemcpyDtoH_v2)(in, memory[1], BYTES) && box_arrived(),
		   "%s copy of a box between devices copies it alone",
		   asynchronous ? "an asynchronous" : "a");
	}
	p.srcPitch = WIDTH - 1;
	ok(CALL(cuMemcpy3DPeer)(&p) == CUDA_ERROR_INVALID_VALUE &&
		   CALL(cuMemcpy3DPeer)(NULL) == CUDA_ERROR_INVALID_VALUE,
	   "a pitch below the width, and no parameters, are invalid");
}

int main(void)
{
	int can = 1;

	soft_gpus("gh100:vram=256M,ga100:vram=256M");
	load_library("libcuda.so.1");
	CALL(cuInit)(0);
	for (int k = 0; k < 2; k++)
		if (CALL(cuCtxCreate_v2)(&contexts[k], 0, k) ||
		    CALL(cuMemAlloc_v2)(&memory[k], BYTES)) {
			ok(false, "each of two devices has memory");
			return tap_done();
		}
	copies();
	boxes();
	ok(!CALL(cuDeviceCanAccessPeer)(&can, 0, 1) && !can &&
		   CALL(cuCtxEnablePeerAccess)(contexts[0], 0) ==
			   CUDA_ERROR_PEER_ACCESS_UNSUPPORTED,
	   "kernels of a device cannot reach the memory of another one, and this is said");
	return tap_done();
}
