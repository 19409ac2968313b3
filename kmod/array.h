/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Arrays in ioctl arguments, with extensible elements. */
#ifndef SOV_ARRAY_H
#define SOV_ARRAY_H

#include <linux/types.h>

struct drm_sovgpu_array;

void *sov_array_get(const struct drm_sovgpu_array *a, u32 max_count, size_t known, size_t min);

#endif
