// SPDX-License-Identifier: MIT
/*
 * Fat binaries: what nvcc embeds in programs, a sequence of headers with images for several GPUs
 * each. Found by comparing outputs of fatbinary(1) of CUDA 12 and 13 for known inputs:
 *
 * header: u32 magic, u16 version, u16 header bytes, u64 bytes of the entries that follow
 * entry:  u16 kind (1 PTX, 2 cubin), u16 version, u32 header bytes, u64 bytes of the payload,
 *         u32 bytes of the compressed payload, u32, u16 minor, u16 major version, u32 SM (90),
 *         u32, u32, u64 flags (0x2000 LZ4, 0x8000 zstd), u64, u64 bytes once decompressed
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/cuda/driver/image.h"

#define FAT_MAGIC   0xba55ed50u
#define FAT_HEADER  16
#define FAT_ENTRY   64
#define FLAG_LZ4    0x2000u
#define FLAG_ZSTD   0x8000u
#define MAX_PAYLOAD (UINT64_C(1) << 30)

static uint64_t word(const uint8_t *p, unsigned bytes)
{
	uint64_t value = 0;

	for (unsigned k = 0; k < bytes; k++)
		value |= (uint64_t)p[k] << 8 * k;
	return value;
}

bool cuda_image_is_fat(const void *data)
{
	return word(data, 4) == FAT_MAGIC;
}

static size_t elf_bytes(const uint8_t *p)
{
	uint64_t programs = word(p + 32, 8) + word(p + 54, 2) * word(p + 56, 2);
	uint64_t sections = word(p + 40, 8) + word(p + 58, 2) * word(p + 60, 2);

	return programs > sections ? programs : sections;
}

size_t cuda_image_bytes(const void *data)
{
	const uint8_t *p = data;

	if (!memcmp(p, "\177ELF", 4))
		return elf_bytes(p);
	if (!cuda_image_is_fat(p))
		return strlen(data);
	return word(p + 6, 2) + word(p + 8, 8);
}

bool cuda_image_unpack(struct cuda_image *i, const char **why)
{
	size_t n;

	if (!i->flags)
		return true;
	if (!i->full || i->full > MAX_PAYLOAD) {
		*why = "a compressed image names an impossible size";
		return false;
	}
	i->owned = calloc(1, i->full + 1);
	if (!i->owned) {
		*why = "no host memory for an image";
		return false;
	}
	n = i->flags & FLAG_ZSTD ? cuda_zstd(i->data, i->bytes, i->owned, i->full)
				 : cuda_lz4(i->data, i->bytes, i->owned, i->full);
	if (n != i->full) {
		cuda_image_free(i);
		*why = "a compressed image is damaged";
		return false;
	}
	i->data = i->owned;
	i->bytes = i->kind == IMAGE_PTX ? strlen(i->owned) : n;
	return true;
}

static bool read_entry(const uint8_t *p, size_t bytes, size_t *size, struct cuda_image *out,
		       const char **why)
{
	uint64_t header = word(p + 4, 4), payload = word(p + 8, 8), flags = word(p + 40, 8);
	uint64_t compressed = word(p + 16, 4), full = word(p + 56, 8);

	if (header < FAT_ENTRY || header > bytes || payload > bytes - header) {
		*why = "an entry is longer than the fat binary";
		return false;
	}
	*size = header + payload;
	*out = (struct cuda_image){.kind = (enum image_kind)word(p, 2),
				   .sm = (unsigned)word(p + 28, 4),
				   .data = p + header,
				   .bytes = payload};
	out->flags = flags & (FLAG_LZ4 | FLAG_ZSTD);
	out->full = full;
	if (out->flags && compressed > payload) {
		*why = "a compressed image is longer than its entry";
		return false;
	}
	if (out->flags && compressed)
		out->bytes = compressed;
	else if (!out->flags && out->kind == IMAGE_PTX)
		out->bytes = strnlen(out->data, payload);
	return true;
}

bool cuda_fat_next(const void *data, size_t bytes, size_t *position, struct cuda_image *out,
		   const char **why)
{
	const uint8_t *p = data;
	size_t size;

	*why = NULL;
	while (bytes - *position >= FAT_HEADER && word(p + *position, 4) == FAT_MAGIC) {
		size = word(p + *position + 6, 2);
		if (size < FAT_HEADER || size > bytes - *position) {
			*why = "the header of a fat binary has an impossible size";
			return false;
		}
		*position += size;
	}
	if (bytes - *position < FAT_ENTRY)
		return false;
	if (!read_entry(p + *position, bytes - *position, &size, out, why))
		return false;
	*position += size;
	return true;
}

/* Of a cubin, symbols with this bit of st_other are managed variables (readelf of a cubin of ptxas
 * 13.0 with and without __managed__). */
#define STO_MANAGED 0x04u
#define STT_OBJECT  1u
#define SHT_SYMTAB  2u

static bool symbols_have_managed(const uint8_t *p, size_t bytes, size_t at, size_t count)
{
	for (size_t k = 0; k < count && at + 24 <= bytes; k++, at += 24)
		if ((p[at + 4] & 15) == STT_OBJECT && p[at + 5] == STO_MANAGED)
			return true;
	return false;
}

bool cuda_image_has_managed(const struct cuda_image *i)
{
	const uint8_t *p = i->data;
	uint64_t table, sections;

	if (i->kind == IMAGE_PTX)
		return memmem(p, i->bytes, ".managed", 8) != NULL;
	if (i->bytes < 64)
		return false;
	table = word(p + 40, 8);
	sections = word(p + 60, 2);
	for (uint64_t k = 0; k < sections && table <= i->bytes && 64 <= i->bytes - table;
	     k++, table += 64)
		if (word(p + table + 4, 4) == SHT_SYMTAB && word(p + table + 24, 8) < i->bytes &&
		    symbols_have_managed(p, i->bytes, word(p + table + 24, 8),
					 word(p + table + 32, 8) / 24))
			return true;
	return false;
}

void cuda_image_free(struct cuda_image *image)
{
	free(image->owned);
	image->owned = NULL;
}
