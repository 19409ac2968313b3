// SPDX-License-Identifier: MIT
/* Arbitrary text as a DRM driver's fdinfo: sov top parses or rejects it. */
#include <assert.h>
#include "tools/top_sample.c"
#include "tools/top_software.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct top_client c;
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	if (size)
		memcpy(text, data, size);
	text[size] = 0;
	if (top_parse_fdinfo(text, &c))
		assert(*c.driver && strlen(c.driver) < sizeof(c.driver) && *c.gpu &&
		       strlen(c.gpu) < sizeof(c.gpu));
	free(text);
	return 0;
}
