/* SPDX-License-Identifier: MIT */
/* The makes of GPUs that there are. */
#include <string.h>
#include "libsov/gpu/gpu.h"

extern const struct gpu nv_gpu, amd_gpu;

static const struct {
	const char *targets; /* how their names begin */
	const struct gpu *gpu;
} makes[] = {
	{"sm_", &nv_gpu},
	{"gfx", &amd_gpu},
};

const struct gpu *gpu_find(const struct winsys_info *i)
{
	uint32_t k;

	for (k = 0; k < sizeof(makes) / sizeof(*makes); k++)
		if (!strncmp(i->target, makes[k].targets, strlen(makes[k].targets)))
			return makes[k].gpu;
	return NULL;
}
