// SPDX-License-Identifier: MIT
/*
 * Arbitrary IR text through the NVIDIA back end, with its internal checks enabled: it must compile
 * or reject the text and never report an internal error.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libsov/compiler/driver/compiler.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const targets[] = {"sm_90", "sm_80"};

	for (int t = 0; t < 2; t++) {
		struct compile_options o = {.source = COMPILE_IR,
					    .target = targets[t],
					    .verify = true,
					    .memory_limit = (size_t)256 << 20};
		struct compile_result r;
		bool good = compile((const char *)data, size, &o, &r);

		if (good ? !r.image_size
			 : !*r.messages || strstr(r.messages, "fault of the compiler")) {
			fputs(r.messages, stderr);
			abort();
		}
		compile_result_free(&r);
	}
	return 0;
}
