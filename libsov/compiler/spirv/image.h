/* SPDX-License-Identifier: MIT */
/* Images: what the files that lower their instructions share. */
#ifndef SOV_COMPILER_SPIRV_IMAGE_H
#define SOV_COMPILER_SPIRV_IMAGE_H

#include "libsov/compiler/base/image_handle.h"
#include "libsov/compiler/spirv/front_end.h"

struct spirv_image_format {
	uint8_t number, channels, bits, type; /* enum texture_type */
	uint8_t packed;                       /* enum texture_packed */
};

/* NULL: Unknown, or one that no texture has. */
const struct spirv_image_format *spirv_image_format_of(uint32_t number);
/* The four channels, as tex returns them, of a texel that these words hold. */
void spirv_image_unpack(struct spirv *s, const struct spirv_image_format *f, const ir_val *words,
			ir_val *channels);

#endif
