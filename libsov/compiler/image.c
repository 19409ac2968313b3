/* SPDX-License-Identifier: MIT */
/*
 * The image of a file, read by whoever knows its machine, and on its way into memory: sections to
 * their places, addresses into what refers to them. The reader has checked everything, so nothing can go
 * wrong there.
 */
#include <stdlib.h>
#include <string.h>
#include "hw/amd/code_object.h"
#include "hw/nv/cubin.h"
#include "libsov/compiler/amd/code_object.h"
#include "libsov/compiler/nv/cubin_reader.h"
#include "libsov/compiler/image.h"

bool image_read(struct image *im, const void *file, size_t size, char *message, size_t message_size)
{
	Elf64_Ehdr header = {.e_machine = NV_ELF_MACHINE};

	memset(im, 0, sizeof(*im));
	if (message_size)
		message[0] = 0;
	if (size >= sizeof(header))
		memcpy(&header, file, sizeof(header));
	return header.e_machine == AMD_ELF_MACHINE
		       ? amd_object_read(im, file, size, message, message_size)
		       : cubin_read(im, file, size, message, message_size);
}

/* Bits low to low + width - 1 of a 16-byte instruction. */
static void set_bits(uint64_t word[2], uint32_t low, uint32_t width, uint64_t value)
{
	uint64_t mask = (1ull << width) - 1;

	value &= mask;
	if (low < 64) {
		word[0] = (word[0] & ~(mask << low)) | value << low;
		if (low + width > 64)
			word[1] = (word[1] & ~(mask >> (64 - low))) | value >> (64 - low);
	} else {
		word[1] = (word[1] & ~(mask << (low - 64))) | value << (low - 64);
	}
}

/* An instruction has one relocation at most: what is around its field comes out of the file. */
static void patch_code(const struct image_relocation *r, uint64_t word[2], uint64_t address)
{
	switch (r->kind) {
	case NV_R_CODE_LOW:
		set_bits(word, 32, 32, address);
		break;
	case NV_R_CODE_HIGH:
		set_bits(word, 32, 32, address >> 32);
		break;
	case NV_R_CALL:
		set_bits(word, 34, 47, address >> 2);
		break;
	case NV_R_CALL_SM90:
		set_bits(word, 16, 8, address >> 2);
		set_bits(word, 34, 47, address >> 10);
		break;
	}
}

static void patch_nv(const struct image_section *at, const struct image_relocation *r,
		     uint64_t address, uint8_t *place)
{
	uint64_t word[2];

	switch (r->kind) {
	case NV_R_ADDRESS_32:
	case NV_R_GENERIC_32:
		memcpy(place, &(uint32_t){(uint32_t)address}, 4);
		break;
	case NV_R_ADDRESS_64:
	case NV_R_GENERIC_64:
		memcpy(place, &address, 8);
		break;
	default:
		memcpy(word, at->data + r->offset, sizeof(word));
		patch_code(r, word, address);
		memcpy(place, word, sizeof(word));
	}
}

/* from: where on the GPU the place is. */
static void patch_amd(const struct image_relocation *r, uint64_t address, uint64_t from,
		      uint8_t *place)
{
	uint64_t distance = address - from;

	switch (r->kind) {
	case AMD_R_REL32_LO:
		memcpy(place, &(uint32_t){(uint32_t)distance}, 4);
		break;
	case AMD_R_REL32_HI:
		memcpy(place, &(uint32_t){(uint32_t)(distance >> 32)}, 4);
		break;
	default:
		memcpy(place, &address, 8);
	}
}

static void patch(const struct image *im, const struct image_relocation *r,
		  const struct image_addresses *addresses, uint8_t *memory)
{
	const struct image_section *at = &im->sections[r->section];
	uint64_t offset = at->offset + r->offset, address = r->addend;

	if (r->service)
		address += addresses->services[r->service - 1];
	else if (r->target != UINT32_MAX)
		address += addresses->base[im->sections[r->target].part] +
			   im->sections[r->target].offset;
	if (im->vendor == IMAGE_AMD)
		patch_amd(r, address, addresses->base[at->part] + offset, memory + offset);
	else
		patch_nv(at, r, address, memory + offset);
}

void image_place(const struct image *im, enum image_part part,
		 const struct image_addresses *addresses, uint8_t *memory)
{
	uint64_t end = 0;

	for (uint32_t i = 0; i < im->nsections; i++) {
		const struct image_section *s = &im->sections[i];

		if (s->part != part)
			continue;
		memset(memory + end, 0, s->offset - end);
		if (s->data)
			memcpy(memory + s->offset, s->data, s->bytes);
		else
			memset(memory + s->offset, 0, s->bytes);
		end = s->offset + s->bytes;
	}
	memset(memory + end, 0, im->part_bytes[part] - end);
	for (uint32_t i = 0; i < im->nrelocations; i++)
		if (im->sections[im->relocations[i].section].part == part)
			patch(im, &im->relocations[i], addresses, memory);
}

void image_free(struct image *im)
{
	for (uint32_t k = 0; k < im->nkernels; k++)
		free(im->kernels[k].params);
	free(im->kernels);
	free(im->declared);
	free(im->sections);
	free(im->variables);
	free(im->relocations);
	free(im->line_starts);
	memset(im, 0, sizeof(*im));
}
