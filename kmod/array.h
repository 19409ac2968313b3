/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Arrays that callers pass by address, with elements of the size that the caller knows. */
#ifndef SOV_ARRAY_H
#define SOV_ARRAY_H

#include <linux/types.h>

struct drm_sovgpu_array;

void *sov_array_get(const struct drm_sovgpu_array *a, u32 most, size_t known, size_t least);

#endif
