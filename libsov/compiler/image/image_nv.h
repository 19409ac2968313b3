/* SPDX-License-Identifier: MIT */
/* The NVIDIA-specific part of an image: the launch data of cubins. */
#ifndef SOV_COMPILER_IMAGE_NV_H
#define SOV_COMPILER_IMAGE_NV_H

#include "libsov/compiler/image/image.h"

#define IMAGE_NV_BANKS          8 /* constant banks; bank 0 belongs to the launch */
#define IMAGE_NV_MAX_BANK_BYTES 65536u

/* A constant bank: bytes of a part. */
struct image_nv_bank {
	enum image_part part;
	uint64_t offset;
	uint32_t bytes; /* 0: the kernel does not have this bank */
};

/* image_kernel.vendor of a cubin. */
struct image_nv_kernel {
	uint32_t barriers;
	uint32_t bank0_bytes;      /* size of constant bank 0, parameters included */
	uint32_t param_base;       /* offset of the parameters in bank 0 */
	bool independent_samplers; /* handles of textures name samplers, too */
	struct image_nv_bank banks[IMAGE_NV_BANKS]; /* all but bank 0 */
};

/* image.vendor of a cubin. */
struct image_nv {
	uint32_t sm; /* 80, 86, 89, 90 */
	struct image_nv_kernel kernels[];
};

static inline const struct image_nv_kernel *image_nv_kernel(const struct image_kernel *k)
{
	return k->vendor;
}

/* The architecture of the code; 0: the image is not a cubin. */
static inline uint32_t image_nv_sm(const struct image *im)
{
	return im->format == &image_cubin ? ((const struct image_nv *)im->vendor)->sm : 0;
}

#endif
