/* SPDX-License-Identifier: MIT */
/* What a back end reports about an AMD GPU besides the vendor-neutral winsys_info. */
#ifndef SOV_WINSYS_AMD_INFO_H
#define SOV_WINSYS_AMD_INFO_H

#include <stdint.h>

struct winsys_amd_info {
	uint32_t shader_engines;
};

#endif
