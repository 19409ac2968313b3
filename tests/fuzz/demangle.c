// SPDX-License-Identifier: MIT
/* Demangles any text: the result is the text itself or fits the buffer, and is not longer. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "libsov/runtime/base/demangle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const size_t sizes[] = {1, 16, 256, 4096};
	char *name = malloc(size + 3);

	if (!name)
		return 0;
	memcpy(name, "_Z", 2);
	memcpy(name + 2, data, size);
	name[size + 2] = 0;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		char *buffer = malloc(sizes[i]);
		const char *text = buffer ? demangle(name, buffer, sizes[i]) : name;

		if (text != name && (text != buffer || strlen(buffer) >= sizes[i]))
			abort();
		free(buffer);
	}
	free(name);
	return 0;
}
