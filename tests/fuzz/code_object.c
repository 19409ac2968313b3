// SPDX-License-Identifier: MIT
/*
 * AMD code objects of any kind: refused with a sentence, or everything that they name lies inside
 * the file and they can be placed in memory.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/compiler/amd/code_object.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool good)
{
	if (!good)
		abort();
}

#define PLACED_BYTES (1u << 20) /* larger images are right too, but take their time */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct amd_object o;
	char message[200];

	if (!amd_object_read(&o, data, size, message, sizeof(message))) {
		check(!strncmp(message, "code object: ", 13) && !o.kernels);
		return 0;
	}
	check(!message[0]);
	for (uint32_t i = 0; i < o.kernels_count; i++) {
		const struct amd_kernel *k = &o.kernels[i];

		check(k->name[0] && memchr(k->name, 0, sizeof(k->name)));
		check(k->entry % 4 == 0 && k->entry < o.image_bytes);
		check(k->descriptor_at + 64 <= o.image_bytes);
		for (uint32_t a = 0; a < k->arguments_count; a++)
			check(k->arguments[a].offset + k->arguments[a].bytes <= k->kernarg_bytes);
	}
	if (o.image_bytes <= PLACED_BYTES) {
		uint8_t *memory = malloc(o.image_bytes);

		check(memory);
		amd_object_place(&o, memory);
		free(memory);
	}
	amd_object_free(&o);
	return 0;
}
