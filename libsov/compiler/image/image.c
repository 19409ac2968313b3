/* SPDX-License-Identifier: MIT */
/*
 * The image of a file, read by whoever knows its machine, and on its way into memory: sections to
 * their places, addresses into what refers to them. The reader has checked everything, so nothing can go
 * wrong there.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "libsov/compiler/image/image.h"

/* The first is asked about files that are nobody's. */
static const struct image_format *const formats[] = {&image_cubin, &image_code_object};

bool image_read(struct image *im, const void *file, size_t size, char *message, size_t message_size)
{
	Elf64_Ehdr header = {0};

	memset(im, 0, sizeof(*im));
	if (message_size)
		message[0] = 0;
	if (size >= sizeof(header))
		memcpy(&header, file, sizeof(header));
	im->format = formats[0];
	for (size_t i = 1; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (formats[i]->machine == header.e_machine)
			im->format = formats[i];
	return im->format->read(im, file, size, message, message_size);
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
	im->format->patch(im, r, address, addresses->base[at->part] + offset, memory + offset);
}

void image_load_part(const struct image *im, enum image_part part,
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
	free(im->functions);
	free(im->declared);
	free(im->sections);
	free(im->variables);
	free(im->relocations);
	free(im->line_starts);
	memset(im, 0, sizeof(*im));
}
