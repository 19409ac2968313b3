// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Copies arrays of extensible structures from user space. An element may be shorter than the
 * kernel's structure (the tail is zero-filled) or longer (its tail must be zero), as
 * copy_struct_from_user() defines it for a single structure.
 */
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "kmod/array.h"
#include "uapi/sovgpu_drm.h"

/* No element structure will ever be longer than this. */
#define SOV_MAX_STRIDE 4096

/**
 * sov_array_get() - copy an array from user space
 * @a: The array. An empty array is rejected.
 * @max_count: Maximum number of elements.
 * @known: Size of the element structure that this kernel knows.
 * @min: Size of the first published version of the element structure.
 *
 * Return: @a->count elements of @known bytes, to be freed with kvfree(), or an ERR_PTR: -EINVAL,
 * -E2BIG, -ENOMEM or -EFAULT.
 */
void *sov_array_get(const struct drm_sovgpu_array *a, u32 max_count, size_t known, size_t min)
{
	const char __user *from = u64_to_user_ptr(a->array);
	char *to;
	u32 i;
	int ret;

	if (!a->count || a->count > max_count || a->stride < min || a->stride > SOV_MAX_STRIDE ||
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
