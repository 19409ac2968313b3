// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Booter is the signed program for the falcon SEC2 that copies the GSP's images into the protected
 * region and starts the GSP; another file of the same format unloads the GSP. Files are untrusted
 * input, so every offset is checked before it is used.
 */
#include <linux/errno.h>
#include <linux/string.h>

#include "hw/nv/falcon.h"
#include "hw/nv/gsp_570.h"
#include "hw/nv/vbios.h"
#include "kmod/nv/booter.h"

#define MAX_SIGNATURES 16 /* more than any file has */

static bool nv_booter_copy(const u8 *file, size_t bytes, u32 at, void *to, size_t size)
{
	if (at > bytes || size > bytes - at)
		return false;
	memcpy(to, file + at, size);
	return true;
}

static bool nv_booter_word(const u8 *file, size_t bytes, u32 at, u32 *value)
{
	return nv_booter_copy(file, bytes, at, value, sizeof(*value));
}

static bool nv_booter_has(const struct nv_falcon_image *image, const struct nv_falcon_part *part)
{
	return part->bytes && part->from % NV_FALCON_BLOCK_BYTES == 0 &&
	       part->from <= image->bytes && part->bytes <= image->bytes - part->from;
}

static bool nv_booter_read_signatures(const u8 *file, size_t bytes,
				      const struct nv_booter_header *h,
				      struct nv_falcon_image *image)
{
	struct nv_booter_meta meta;
	u32 count, first;

	if (h->meta_bytes < sizeof(meta) ||
	    !nv_booter_copy(file, bytes, h->meta, &meta, sizeof(meta)) ||
	    !nv_booter_word(file, bytes, h->count, &count) ||
	    !nv_booter_word(file, bytes, h->first, &first) || !count || count > MAX_SIGNATURES ||
	    h->signatures_bytes != count * NV_FALCON_SIGNATURE_BYTES || h->signatures > bytes ||
	    first > bytes - h->signatures || h->signatures_bytes > bytes - h->signatures - first)
		return false;
	image->signatures = file + h->signatures + first;
	image->signature_count = count;
	image->newest = meta.fuse_version;
	image->engines = meta.engines;
	image->program = meta.program;
	return true;
}

/**
 * nv_booter_parse() - find the program in a booter file
 * @file: Contents of the file.
 * @bytes: Size of the file.
 * @image: On success, the program; it points into @file.
 *
 * Return: 0, or -EINVAL if the file is malformed.
 */
int nv_booter_parse(const u8 *file, size_t bytes, struct nv_falcon_image *image)
{
	struct nv_firmware_header f;
	struct nv_booter_header h;
	struct nv_booter_load load;
	u32 patch;

	if (!nv_booter_copy(file, bytes, 0, &f, sizeof(f)) || f.magic != NV_FIRMWARE_MAGIC ||
	    f.version != 1 || !nv_booter_copy(file, bytes, f.header, &h, sizeof(h)) ||
	    h.load_bytes < sizeof(load) ||
	    !nv_booter_copy(file, bytes, h.load, &load, sizeof(load)) || !load.applications ||
	    !nv_booter_word(file, bytes, h.patch, &patch) || f.data > bytes ||
	    f.data_bytes > bytes - f.data)
		return -EINVAL;
	*image = (struct nv_falcon_image){
		.data = file + f.data,
		.bytes = f.data_bytes,
		.imem = { load.first.offset, 0, load.first.bytes },
		.dmem = { load.data, 0, load.data_bytes },
		.boot = load.first.offset,
	};
	if (!nv_booter_has(image, &image->imem) || !nv_booter_has(image, &image->dmem) ||
	    !nv_booter_read_signatures(file, bytes, &h, image) ||
	    image->dmem.bytes < NV_FALCON_SIGNATURE_BYTES ||
	    patch - load.data > image->dmem.bytes - NV_FALCON_SIGNATURE_BYTES)
		return -EINVAL;
	image->signature = patch - load.data;
	return 0;
}
