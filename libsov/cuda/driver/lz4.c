// SPDX-License-Identifier: MIT
/* Decompression of an LZ4 block, after its public format description: sequences of literals and a
 * match, whose offset looks back into the output. */
#include <string.h>
#include "libsov/cuda/driver/image.h"

/* A length of 15 goes on in the following bytes; false: the input ends. */
static bool read_length(const uint8_t **in, const uint8_t *end, size_t *length)
{
	uint8_t byte = 255;

	if (*length != 15)
		return true;
	while (byte == 255) {
		if (*in == end)
			return false;
		byte = *(*in)++;
		*length += byte;
	}
	return true;
}

size_t cuda_lz4(const uint8_t *in, size_t in_bytes, uint8_t *out, size_t out_bytes)
{
	const uint8_t *end = in + in_bytes;
	size_t at = 0;

	while (in < end) {
		uint8_t token = *in++;
		size_t literals = token >> 4, match = token & 15, offset;

		if (!read_length(&in, end, &literals) || literals > (size_t)(end - in) ||
		    literals > out_bytes - at)
			return 0;
		memcpy(out + at, in, literals);
		in += literals;
		at += literals;
		if (in == end) /* the last sequence has no match */
			return at;
		if (end - in < 2)
			return 0;
		offset = in[0] | in[1] << 8;
		in += 2;
		if (!read_length(&in, end, &match) || !offset || offset > at)
			return 0;
		match += 4;
		if (match > out_bytes - at)
			return 0;
		for (; match; match--, at++)
			out[at] = out[at - offset];
	}
	return at;
}
