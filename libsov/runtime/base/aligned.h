/* SPDX-License-Identifier: MIT */
/* Zeroed memory for types that are aligned to cache lines; free() releases it. */
#ifndef SOV_ALIGNED_H
#define SOV_ALIGNED_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static inline void *aligned_calloc(size_t alignment, size_t count, size_t bytes)
{
	void *memory =
		bytes && count > SIZE_MAX / bytes ? NULL : aligned_alloc(alignment, count * bytes);

	return memory ? memset(memory, 0, count * bytes) : NULL;
}

#endif
