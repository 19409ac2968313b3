// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Signatures of falcon programs. A program has several, because a fuse of the chip may revoke
 * older versions of it: the boot ROM accepts the one for the fuse's version only.
 */
#include <linux/errno.h>
#include <linux/string.h>

#include "hw/nv/vbios.h"
#include "kmod/nv/falcon_image.h"

static u32 nv_falcon_count_bits(u32 mask)
{
	u32 n = 0;

	for (; mask; mask &= mask - 1)
		n++;
	return n;
}

/**
 * nv_falcon_signature() - choose the signature that the boot ROM accepts
 * @image: The program.
 * @fuse: Version in the fuse of the program.
 *
 * Return: The signature, or NULL if there is none for this version.
 */
const u8 *nv_falcon_signature(const struct nv_falcon_image *image, u32 fuse)
{
	u32 index;

	if (image->versions) {
		if (fuse >= 32 || !(image->versions >> fuse & 1))
			return NULL;
		index = nv_falcon_count_bits(image->versions & ((1u << fuse) - 1));
	} else {
		index = fuse ? image->newest - fuse : image->signature_count - 1;
	}
	if (index >= image->signature_count)
		return NULL;
	return image->signatures + index * NV_FALCON_SIGNATURE_BYTES;
}

/**
 * nv_falcon_sign() - put the right signature into a copy of the image
 * @image: The program.
 * @fuse: Version in the fuse of the program.
 * @copy: Copy of the image.
 *
 * Return: 0, or -ENOKEY if there is no signature for the version.
 */
int nv_falcon_sign(const struct nv_falcon_image *image, u32 fuse, u8 *copy)
{
	const u8 *signature = nv_falcon_signature(image, fuse);

	if (!signature)
		return -ENOKEY;
	memcpy(copy + image->dmem.from + image->signature, signature, NV_FALCON_SIGNATURE_BYTES);
	return 0;
}
