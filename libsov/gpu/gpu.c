// SPDX-License-Identifier: MIT
/* The list of GPU vendors. */
#include "libsov/gpu/gpu.h"

extern const struct gpu nv_gpu, amd_gpu;

static const struct gpu *const gpus[] = {
	[WINSYS_VENDOR_UNKNOWN] = NULL,
	[WINSYS_VENDOR_NV] = &nv_gpu,
	[WINSYS_VENDOR_AMD] = &amd_gpu,
};

const struct gpu *gpu_find(const struct winsys_info *i)
{
	return gpus[i->vendor];
}
