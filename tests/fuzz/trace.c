// SPDX-License-Identifier: MIT
/*
 * Arbitrary text as a trace: the reader must sum it up or reject it with an offset, and the
 * complete part must end inside the text.
 */
#include <assert.h>
#include "tools/trace_summary.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct trace_summary sums;
	char why[128] = "";

	assert(trace_intact_bytes((const char *)data, size) <= size);
	if (trace_summarise((const char *)data, size, &sums, why, sizeof(why))) {
		for (uint32_t i = 0; i < sums.count; i++)
			assert(sums.rows[i].count && sums.rows[i].min_ns <= sums.rows[i].max_ns);
		trace_summary_free(&sums);
	} else {
		assert(*why);
	}
	return 0;
}
