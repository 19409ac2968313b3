/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A signed program for a falcon, whether it comes from the VBIOS (vbios.c) or from a file
 * (booter.c). The parsers are pure functions that trust nothing in their input.
 */
#ifndef SOV_NV_FALCON_IMAGE_H
#define SOV_NV_FALCON_IMAGE_H

#include <linux/types.h>

/**
 * struct nv_falcon_part - a part of an image that goes into one of a falcon's memories
 */
struct nv_falcon_part {
	/** @from: Offset in the image. */
	u32 from;

	/** @to: Address in the memory. */
	u32 to;

	/** @bytes: Size. */
	u32 bytes;
};

/**
 * struct nv_falcon_image - a signed program
 *
 * Every offset was checked: parts and the room for the signature lie inside the image.
 */
struct nv_falcon_image {
	/** @data: The image as stored, without a signature. */
	const u8 *data;

	/** @bytes: Size of the image. */
	u32 bytes;

	/** @imem: Code. */
	struct nv_falcon_part imem;

	/** @dmem: Data. */
	struct nv_falcon_part dmem;

	/** @boot: Virtual address at which the program starts. */
	u32 boot;

	/** @signature: Offset in the data part at which the boot ROM expects the signature. */
	u32 signature;

	/** @signatures: One signature for each fuse version. */
	const u8 *signatures;

	/** @signature_count: Number of signatures. */
	u32 signature_count;

	/** @versions: Mask of the fuse versions that have a signature; 0: see @newest. */
	u32 versions;

	/**
	 * @newest: If @versions is 0: fuse version of the first signature. Those of the versions
	 * below follow; the last is also the one for chips whose fuse is not burnt.
	 */
	u32 newest;

	/** @engines: Mask of the engines that may run the program, for the boot ROM. */
	u32 engines;

	/** @program: Number of the program, which selects its fuse. */
	u32 program;
};

const u8 *nv_falcon_signature(const struct nv_falcon_image *image, u32 fuse);
int nv_falcon_sign(const struct nv_falcon_image *image, u32 fuse, u8 *copy);

#endif
