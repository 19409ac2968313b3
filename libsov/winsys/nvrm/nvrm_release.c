// SPDX-License-Identifier: MIT
/* The interface differences between releases of NVIDIA's kernel module; sources: hw/nv/rm.h. */
#include <stdlib.h>
#include "libsov/winsys/nvrm/nvrm.h"

/* Of NV00DE_SHARED_DATA, which is the same in all tags of a release. */
#define SAMPLES_570 {464, 72, 112, 264, 280, 296, 368}
#define SAMPLES_580 {2600, 72, 1976, 2264, 2280, 2296, 2416}

static const struct nvrm_release releases[] = {
	/* newest first */
	{581,
	 sizeof(struct rm_map_gpu_580),
	 sizeof(struct rm_va_space_parameters),
	 sizeof(struct rm_schedule),
	 false,
	 {0}},
	{580, sizeof(struct rm_map_gpu_580), sizeof(struct rm_va_space_parameters),
	 sizeof(struct rm_schedule), true, SAMPLES_580},
	{571,
	 sizeof(struct rm_map_gpu_570),
	 RM_VA_SPACE_BYTES_570,
	 RM_SCHEDULE_BYTES_570,
	 false,
	 {0}},
	{570, sizeof(struct rm_map_gpu_570), RM_VA_SPACE_BYTES_570, RM_SCHEDULE_BYTES_570, true,
	 SAMPLES_570},
	{515,
	 sizeof(struct rm_map_gpu_570),
	 RM_VA_SPACE_BYTES_570,
	 RM_SCHEDULE_BYTES_570,
	 false,
	 {0}},
};

const struct nvrm_release *nvrm_release_find(const char *version, uint32_t *major)
{
	char *end;
	unsigned long number = strtoul(version, &end, 10);
	uint32_t i;

	*major = (uint32_t)number;
	if (end == version || *end != '.' || number > 9999 || *version < '0' || *version > '9')
		return NULL;
	for (i = 0; i < sizeof(releases) / sizeof(*releases); i++)
		if (number >= releases[i].major)
			return &releases[i];
	return NULL;
}
