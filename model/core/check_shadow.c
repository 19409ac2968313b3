// SPDX-License-Identifier: MIT
/* What is known of each byte of a page or of shared memory: whether it was written, and the last
 * accesses. A line of 32 bytes has one set of marks for instructions by which a warp accesses all
 * of it, the usual case; other accesses are in cells, which exist where they are needed. */
#include <stdlib.h>

#include "model/core/check_internal.h"

#define WORD_SHIFT 2u

static uint32_t line_count(const struct shadow *m)
{
	return (m->bytes + LINE_BYTES - 1) / LINE_BYTES;
}

struct shadow *shadow_create(uint32_t bytes)
{
	uint32_t lines = (bytes + LINE_BYTES - 1) / LINE_BYTES;
	struct shadow *m = calloc(1, sizeof(*m) + lines * sizeof(m->lines[0]));

	if (!m)
		return NULL;
	m->bytes = bytes;
	m->shift = WORD_SHIFT;
	return m;
}

void shadow_destroy(struct shadow *m)
{
	if (!m)
		return;
	free(m->cells);
	free(m);
}

void shadow_forget(struct shadow *m)
{
	for (uint32_t i = 0; i < line_count(m); i++) {
		uint32_t written = m->lines[i].written;

		m->lines[i] = (struct line){.written = written};
	}
	free(m->cells);
	m->cells = NULL;
	m->shift = WORD_SHIFT;
}

bool shadow_is_written(const struct shadow *m, uint32_t at, uint32_t bytes)
{
	while (bytes) {
		uint32_t n = LINE_BYTES - at % LINE_BYTES, bits;

		n = n < bytes ? n : bytes;
		bits = line_bits(at, n);
		if ((m->lines[at / LINE_BYTES].written & bits) != bits)
			return false;
		at += n;
		bytes -= n;
	}
	return true;
}

void shadow_set_written(struct shadow *m, uint32_t at, uint32_t bytes, bool written)
{
	while (bytes) {
		uint32_t n = LINE_BYTES - at % LINE_BYTES,
			 *bits = &m->lines[at / LINE_BYTES].written;

		n = n < bytes ? n : bytes;
		*bits = written ? *bits | line_bits(at, n) : *bits & ~line_bits(at, n);
		at += n;
		bytes -= n;
	}
}
