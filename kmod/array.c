// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Arrays from user space. An element may be shorter than ours (the rest is zero) or longer (the
 * rest must be zero), as with any structure that may grow.
 */
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "kmod/array.h"
#include "uapi/sovgpu_drm.h"

/* Longer elements than this are no structure of ours, now or later. */
#define SOV_MAX_STRIDE 4096

/**
 * sov_array_get() - copy an array from user space
 * @a: the array, not empty
 * @most: elements that are accepted
 * @known: bytes of an element as we know it
 * @least: bytes of its oldest version
 *
 * Return: @a->count elements of @known bytes, to be freed with kvfree(); or EINVAL, E2BIG, ENOMEM,
 * EFAULT.
 */
void *sov_array_get(const struct drm_sovgpu_array *a, u32 most, size_t known, size_t least)
{
	const char __user *from = u64_to_user_ptr(a->array);
	char *to;
	u32 i;
	int ret;

	if (!a->count || a->count > most || a->stride < least || a->stride > SOV_MAX_STRIDE ||
	    a->stride % sizeof(u64))
		return ERR_PTR(-EINVAL);
	to = kvcalloc(a->count, known, GFP_KERNEL_ACCOUNT);
	if (!to)
		return ERR_PTR(-ENOMEM);
	for (i = 0; i < a->count; i++) {
		ret = copy_struct_from_user(to + i * known, known, from + (u64)i * a->stride,
					    a->stride);
		if (ret) {
			kvfree(to);
			return ERR_PTR(ret);
		}
	}
	return to;
}
