// SPDX-License-Identifier: MIT
/*
 * Arbitrary VBIOS contents and booter files in the kernel driver's parsers: each part of a program
 * that they return lies inside the input, so that signing and commanding a copy stay inside it.
 */
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

#include "kmod/nv/booter.c"
#include "kmod/nv/falcon_image.c"
#include "kmod/nv/vbios.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool good)
{
	if (!good)
		abort();
}

static u8 *check_image(const struct nv_falcon_image *image, const uint8_t *data, size_t size)
{
	u8 *copy = malloc(image->bytes);

	check(image->data >= data && (size_t)(image->data - data) <= size &&
	      image->bytes <= size - (size_t)(image->data - data));
	check(image->imem.bytes <= image->bytes - image->imem.from);
	check(image->dmem.bytes <= image->bytes - image->dmem.from);
	check(image->imem.from % NV_FALCON_BLOCK_BYTES == 0);
	check(image->dmem.from % NV_FALCON_BLOCK_BYTES == 0);
	memcpy(copy, image->data, image->bytes);
	for (u32 fuse = 0; fuse <= 33; fuse++)
		nv_falcon_sign(image, fuse, copy);
	return copy;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nv_falcon_image booter;
	struct nv_fwsec fwsec;

	if (!nv_vbios_find_fwsec(data, size < UINT32_MAX ? (u32)size : UINT32_MAX, &fwsec)) {
		u8 *copy = check_image(&fwsec.image, data, size);

		nv_fwsec_set_frts(&fwsec, copy, 1 << 30, 1 << 20);
		nv_fwsec_set_sb(&fwsec, copy);
		free(copy);
	}
	if (!nv_booter_parse(data, size, &booter))
		free(check_image(&booter, data, size));
	return 0;
}
