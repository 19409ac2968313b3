// SPDX-License-Identifier: MIT
/* Arbitrary fat binaries, and arbitrary input of the decompressors: they must be rejected, or yield
 * images within their bounds. The first byte selects. */
#include <stdlib.h>
#include <string.h>
#include "libsov/cuda/driver/image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define OUT_BYTES 65536u

static void walk(const uint8_t *data, size_t size)
{
	struct cuda_image image;
	size_t position = 0;
	const char *why;

	while (cuda_fat_next(data, size, &position, &image, &why)) {
		if (position > size)
			abort();
		if (image.full <= OUT_BYTES && cuda_image_unpack(&image, &why))
			cuda_image_has_managed(&image);
		cuda_image_free(&image);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy, *out;
	size_t n;

	if (!size)
		return 0;
	/* Memory of its own, so that a sanitizer sees any overrun. */
	copy = malloc(size - 1 + !(size - 1));
	out = malloc(OUT_BYTES);
	if (!copy || !out)
		abort();
	memcpy(copy, data + 1, size - 1);
	if (*data & 1) {
		walk(copy, size - 1);
	} else {
		n = *data & 2 ? cuda_zstd(copy, size - 1, out, OUT_BYTES)
			      : cuda_lz4(copy, size - 1, out, OUT_BYTES);
		if (n > OUT_BYTES)
			abort();
	}
	free(copy);
	free(out);
	return 0;
}
