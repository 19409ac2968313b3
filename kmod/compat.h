/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Wrappers for kernel functions whose signature differs between kernels. The driver calls the
 * wrapper, which calls the function as the target kernel declares it. features.sh tests for each
 * feature instead of comparing version numbers, because interfaces also change within a stable
 * series.
 */
#ifndef SOV_COMPAT_H
#define SOV_COMPAT_H

#include <drm/drm_gpuvm.h>

#include "kmod/features.h"

/* drm_gpuvm_sm_map(), whose arguments became a structure in newer kernels. */
static inline int sov_gpuvm_sm_map(struct drm_gpuvm *gpuvm, void *data, u64 va, u64 size,
				   struct drm_gem_object *obj, u64 offset)
{
#ifdef HAVE_GPUVM_MAP_REQ
	struct drm_gpuvm_map_req request = {
		.map.va.addr = va,
		.map.va.range = size,
		.map.gem.obj = obj,
		.map.gem.offset = offset,
	};

	return drm_gpuvm_sm_map(gpuvm, data, &request);
#else
	return drm_gpuvm_sm_map(gpuvm, data, va, size, obj, offset);
#endif
}

#endif
