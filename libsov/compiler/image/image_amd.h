/* SPDX-License-Identifier: MIT */
/* The AMD-specific part of an image: the launch data of code objects. */
#ifndef SOV_COMPILER_IMAGE_AMD_H
#define SOV_COMPILER_IMAGE_AMD_H

#include "libsov/compiler/image/amd_abi.h"
#include "libsov/compiler/image/image.h"

/* A hidden argument as the kernel's metadata declare it. */
struct image_amd_hidden {
	uint16_t offset, bytes; /* bytes 0: the kernel does not read it */
};

/* image_kernel.vendor of a code object. Parameters start at offset 0 of the kernarg segment. */
struct image_amd_kernel {
	struct amd_kernel_descriptor descriptor;
	uint64_t descriptor_offset; /* in the part IMAGE_CODE */
	uint32_t kernarg_bytes;     /* all arguments, hidden ones included */
	struct image_amd_hidden hidden[AMD_HIDDEN_COUNT];
};

static inline const struct image_amd_kernel *image_amd_kernel(const struct image_kernel *k)
{
	return k->vendor;
}

#endif
