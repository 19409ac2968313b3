// SPDX-License-Identifier: MIT
/*
 * Cubins of any kind: either they are refused with a sentence, or everything that the image then
 * names lies inside the file.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/compiler/image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool good)
{
	if (!good)
		abort();
}

static void check_kernel(const struct image_kernel *k, const uint8_t *data, size_t size)
{
	const uint8_t *name = (const uint8_t *)k->name;

	check(k->code >= data && k->code_bytes <= size &&
	      (size_t)(k->code - data) <= size - k->code_bytes && k->code_bytes % 16 == 0);
	check(name >= data && name < data + size && memchr(name, 0, (size_t)(data + size - name)));
	check(k->registers >= 1 && k->registers <= 256);
	check(k->param_bytes <= IMAGE_MAX_PARAM_BYTES &&
	      k->param_base + k->param_bytes <= k->bank0_bytes);
	for (uint32_t p = 0; p < k->nparams; p++)
		check(k->params[p].size &&
		      k->params[p].offset + k->params[p].size <= k->param_bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct image im;
	char message[200];

	if (image_read(&im, data, size, message, sizeof(message))) {
		check(im.nkernels && !message[0]);
		for (uint32_t k = 0; k < im.nkernels; k++)
			check_kernel(&im.kernels[k], data, size);
	} else {
		check(!strncmp(message, "cubin: ", 7));
	}
	image_free(&im);
	return 0;
}
