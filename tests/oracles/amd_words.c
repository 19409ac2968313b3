// SPDX-License-Identifier: MIT
/*
 * Writes random legal instructions of every row and form of the AMD table, for comparison with
 * llvm-mc: our text to one file, our bytes in the format of llvm-mc --disassemble to another.
 *   usage: amd_words PER_FORM SEED text.s bytes.txt [NAME]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libsov/isa/amd/amd_row.h"

static uint64_t next_random(void *state) /* splitmix64 */
{
	uint64_t z = *(uint64_t *)state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static bool write_random(const struct amd_row *row, enum amd_form form, uint64_t *seed, FILE *text,
			 FILE *bytes)
{
	struct amd_inst in, back;
	uint32_t words[AMD_MAX_WORDS], n;
	const char *why = "does not decode";
	char line[256];

	amd_random(AMD_GFX1030, row, form, next_random, seed, &in);
	n = amd_encode(AMD_GFX1030, &in, words, &why);
	if (!n || amd_decode(AMD_GFX1030, words, n / 4, &back) != n) {
		fprintf(stderr, "%s, form %u: %s\n", row->name, form, why);
		return false;
	}
	amd_print(&back, line, sizeof(line));
	fprintf(text, "%s\n", line);
	for (uint32_t i = 0; i < n; i++)
		fprintf(bytes, "%s0x%02x", i ? "," : "", words[i / 4] >> (8 * (i % 4)) & 0xff);
	fprintf(bytes, "\n");
	return true;
}

int main(int argc, char **argv)
{
	uint32_t per, rows = 0, forms = 0;
	FILE *text, *bytes;
	uint64_t seed;

	if (argc < 5)
		return fprintf(stderr, "usage: amd_words PER_FORM SEED text.s bytes.txt [NAME]\n"),
		       2;
	per = (uint32_t)strtoul(argv[1], NULL, 0);
	seed = strtoull(argv[2], NULL, 0);
	text = fopen(argv[3], "w");
	bytes = fopen(argv[4], "w");
	if (!text || !bytes)
		return perror("amd_words"), 1;
	for (uint32_t op = 0; op < AMD_OP_COUNT; op++) {
		const struct amd_row *row = amd_row(op);

		if (argc > 5 && strcmp(argv[5], row->name))
			continue;
		rows++;
		for (uint32_t form = 0; form < AMD_FORMS; form++) {
			if (!amd_row_has(row, form) || !amd_layout(row, form))
				continue;
			forms++;
			for (uint32_t i = 0; i < per; i++)
				if (!write_random(row, form, &seed, text, bytes))
					return 1;
		}
	}
	printf("%u %u\n", rows, forms);
	return fclose(text) || fclose(bytes);
}
