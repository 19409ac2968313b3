/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Kernels differ, also within one stable series, so what is asked is never a version but whether a
 * thing is there. Code uses the newest names; here older kernels learn them.
 */
#ifndef SOV_COMPAT_H
#define SOV_COMPAT_H

#include "kmod/features.h"

#ifdef HAVE_GPU_BUDDY
#include <linux/gpu_buddy.h>
#else
#include <drm/drm_buddy.h>
#define gpu_buddy drm_buddy
#define gpu_buddy_block drm_buddy_block
#define gpu_buddy_init drm_buddy_init
#define gpu_buddy_fini drm_buddy_fini
#define gpu_buddy_alloc_blocks drm_buddy_alloc_blocks
#define gpu_buddy_free_list drm_buddy_free_list
#define gpu_buddy_block_offset drm_buddy_block_offset
#define gpu_buddy_block_size drm_buddy_block_size
#endif

#endif
