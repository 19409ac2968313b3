// SPDX-License-Identifier: MIT
/* The NVIDIA back end (_back_end.h), for its newest and its oldest SM version. */
#include "libsov/isa/nv/sass.h"
#include "tests/fuzz/_back_end.h"

static uint32_t sm;

static bool decode_nv(const uint8_t *code, uint64_t bytes)
{
	struct sass_word word;
	struct sass_inst in;

	for (uint64_t at = 0; at < bytes; at += sizeof(word)) {
		memcpy(&word, code + at, sizeof(word));
		if (!sass_decode(sm, word, &in))
			return false;
	}
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct {
		const char *name;
		uint32_t sm;
	} targets[] = {{"sm_90", 90}, {"sm_80", 80}};

	for (int t = 0; t < 2; t++) {
		sm = targets[t].sm;
		check_back_end(data, size, targets[t].name, decode_nv);
	}
	return 0;
}
