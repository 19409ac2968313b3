/* SPDX-License-Identifier: MIT */
/* What a back end reports about an NVIDIA GPU besides the vendor-neutral winsys_info. */
#ifndef SOV_WINSYS_NV_INFO_H
#define SOV_WINSYS_NV_INFO_H

#include <stdint.h>

struct winsys_nv_info {
	uint32_t sm; /* compute capability: 90 for sm_90 */
	uint32_t sms_per_tpc;
	uint32_t tpcs; /* local memory is sized for this many */
	uint16_t host_class, compute_class, copy_class;
};

#endif
