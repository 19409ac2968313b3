// SPDX-License-Identifier: MIT
/*
 * Arbitrary relocatable objects: the linker must reject them with a message, or write a program
 * that the reader of images accepts or rejects with a message, and loads. An input is several
 * objects after each other; each begins with the mark of ELF files.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/compiler/driver/compiler.h"
#include "libsov/compiler/image/image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_OBJECTS      4
#define MAX_LOADED_BYTES (1u << 20) /* loading more is legal but slow */

static void check(bool good)
{
	if (!good)
		abort();
}

/* Bytes up to the next object. */
static size_t object_bytes(const uint8_t *data, size_t size)
{
	const uint8_t *next = size > 4 ? memmem(data + 1, size - 1, "\177ELF", 4) : NULL;

	return next ? (size_t)(next - data) : size;
}

/* Each object in memory of its own, so that a sanitizer sees any overrun. */
static uint32_t split_objects(const uint8_t *data, size_t size, struct link_input *in)
{
	uint32_t count = 0;

	while (size && count < MAX_OBJECTS) {
		size_t bytes = count < MAX_OBJECTS - 1 ? object_bytes(data, size) : size;
		uint8_t *copy = malloc(bytes);

		check(copy);
		in[count++] = (struct link_input){"object", memcpy(copy, data, bytes), bytes};
		data += bytes;
		size -= bytes;
	}
	return count;
}

static void load_program(const uint8_t *program, size_t bytes)
{
	const struct image_addresses addresses = {{0x7e0000000000, 0x7f0000000000},
						  {0x7d0000000000}};
	struct image im;
	char message[200];

	if (!image_read(&im, program, bytes, message, sizeof(message)))
		check(!strncmp(message, "cubin: ", 7));
	for (uint32_t part = 0; !message[0] && part < IMAGE_PARTS; part++) {
		uint8_t *memory;

		if (im.part_bytes[part] > MAX_LOADED_BYTES)
			continue;
		memory = malloc(im.part_bytes[part] ? im.part_bytes[part] : 1);
		check(memory);
		image_load_part(&im, (enum image_part)part, &addresses, memory);
		free(memory);
	}
	image_free(&im);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct link_input in[MAX_OBJECTS] = {{0}};
	uint32_t count = split_objects(data, size, in);
	char message[200] = "";
	uint8_t *program = NULL;
	size_t bytes;

	if (count)
		program = target_find("sm_90")->backend->link_objects(in, count, &bytes, message,
								      sizeof(message));
	if (program)
		load_program(program, bytes);
	else
		check(!count || !strncmp(message, "link: ", 6));
	free(program);
	for (uint32_t k = 0; k < count; k++)
		free((void *)in[k].data);
	return 0;
}
