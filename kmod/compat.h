/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Kernels differ, also within one stable series, so what is asked is never a version but whether a
 * thing is there. Code uses the newest names; here older kernels learn them.
 */
#ifndef SOV_COMPAT_H
#define SOV_COMPAT_H

#include <drm/drm_gpuvm.h>

#include "kmod/features.h"

/* What a new range does to those that are there; its arguments have become a structure. */
static inline int sov_gpuvm_map(struct drm_gpuvm *gpuvm, void *data, u64 va, u64 size,
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
