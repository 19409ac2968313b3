/* SPDX-License-Identifier: MIT */
/* SOV_PROFILE: what software GPUs counted, per kernel and instruction, as a file for
 * `sov profile`. */
#ifndef SOV_PROFILE_H
#define SOV_PROFILE_H

#include "libsov/compiler/image/image.h"
#include "libsov/runtime/context/context.h"

/* Reads SOV_PROFILE and opens the file. Before devices are enumerated. */
sov_result profile_init(void);
/* The kernel of the image is in the context's memory now, its code at va. With the context's
 * lock. */
void profile_add_kernel(const struct context *c, const struct image *im,
			const struct image_kernel *k, uint64_t va);

#endif
