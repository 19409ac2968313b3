// SPDX-License-Identifier: MIT
/*
 * Arbitrary AMD machine code: every instruction that decodes must encode to the same bytes, print
 * within the bounds of any buffer, and use registers that exist.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/isa/amd/amd_isa.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool good)
{
	if (!good)
		abort();
}

static void check_instruction(const struct amd_inst *in, const uint32_t *words, uint32_t bytes)
{
	uint32_t again[AMD_MAX_WORDS], n;
	struct amd_use uses[AMD_MAX_USES];
	char text[256], small[9];
	int length;

	check(amd_encode(AMD_GFX1030, in, again, NULL) == bytes && !memcmp(again, words, bytes));
	length = amd_print(in, text, sizeof(text));
	check(length > 0 && length < (int)sizeof(text) && (size_t)length == strlen(text));
	check(amd_print(in, small, sizeof(small)) == length && strlen(small) < sizeof(small));
	n = amd_uses(in, uses);
	check(n <= AMD_MAX_USES);
	for (uint32_t i = 0; i < n; i++)
		check(uses[i].count &&
		      (uses[i].reg < AMD_VGPR
			       ? uses[i].reg + uses[i].count <= 128 || uses[i].reg == AMD_SCC
			       : uses[i].reg + uses[i].count <= AMD_VGPR + 256));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t count = (uint32_t)(size / 4), *words = malloc(size + 4), n;
	struct amd_inst in;

	check(words);
	memcpy(words, data, size);
	for (uint32_t at = 0; at < count; at += n ? n / 4 : 1) {
		n = amd_decode(AMD_GFX1030, words + at, count - at, &in);
		check(n % 4 == 0 && n <= 4 * (count - at));
		if (n)
			check_instruction(&in, words + at, n);
	}
	free(words);
	return 0;
}
