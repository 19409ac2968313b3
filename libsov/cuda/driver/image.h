/* SPDX-License-Identifier: MIT */
#ifndef SOV_CUDA_IMAGE_H
#define SOV_CUDA_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum image_kind { IMAGE_PTX = 1, IMAGE_CUBIN = 2 };

/* One image for a GPU: PTX text without its terminator, or a cubin. */
struct cuda_image {
	enum image_kind kind;
	unsigned sm; /* 90 */
	const void *data;
	size_t bytes;
	uint64_t flags; /* how it is compressed; 0: not */
	size_t full;    /* bytes once decompressed */
	void *owned;    /* data, if it was decompressed; NULL: it is part of the input */
};

/* The size of an image whose caller gives only its start: ELF, fat binary or text. 0: neither. */
size_t cuda_image_bytes(const void *data);
bool cuda_image_is_fat(const void *data);

/* What a fat binary contains. The next image at *position, which begins with 0; false at the end,
 * or with *why. */
bool cuda_fat_next(const void *data, size_t bytes, size_t *position, struct cuda_image *out,
		   const char **why);
/* Decompresses the image in place; cuda_image_free frees it. */
bool cuda_image_unpack(struct cuda_image *image, const char **why);
/* Whether it has __managed__ variables. */
bool cuda_image_has_managed(const struct cuda_image *image);
void cuda_image_free(struct cuda_image *image);

/* Decompression: the number of bytes written, or 0 if the input is damaged or does not fit. */
size_t cuda_lz4(const uint8_t *in, size_t in_bytes, uint8_t *out, size_t out_bytes);
size_t cuda_zstd(const uint8_t *in, size_t in_bytes, uint8_t *out, size_t out_bytes);

#endif
