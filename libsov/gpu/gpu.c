// SPDX-License-Identifier: MIT
/* The list of GPU vendors. */
#include <string.h>
#include "libsov/gpu/gpu.h"

extern const struct gpu nv_gpu, amd_gpu;

static const struct {
	const char *target_prefix;
	const struct gpu *gpu;
} vendors[] = {
	{"sm_", &nv_gpu},
	{"gfx", &amd_gpu},
};

const struct gpu *gpu_find(const struct winsys_info *i)
{
	uint32_t k;

	for (k = 0; k < sizeof(vendors) / sizeof(*vendors); k++)
		if (!strncmp(i->target, vendors[k].target_prefix, strlen(vendors[k].target_prefix)))
			return vendors[k].gpu;
	return NULL;
}
