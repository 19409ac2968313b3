// SPDX-License-Identifier: MIT
/* The AMD back end (_back_end.h). Its corpus is that of the NVIDIA back end. */
#include "libsov/isa/amd/amd_isa.h"
#include "tests/fuzz/_back_end.h"

static bool decode_amd(const uint8_t *code, uint64_t bytes)
{
	uint32_t words[AMD_MAX_WORDS], n;
	struct amd_inst in;

	for (uint64_t at = 0; at < bytes; at += n) {
		uint64_t rest = bytes - at < sizeof(words) ? bytes - at : sizeof(words);

		memcpy(words, code + at, rest);
		n = amd_decode(AMD_GFX1030, words, (uint32_t)rest / 4, &in);
		if (!n)
			return false;
	}
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check_back_end(data, size, "gfx1030", decode_amd);
	return 0;
}
