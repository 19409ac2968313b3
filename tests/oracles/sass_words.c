// SPDX-License-Identifier: MIT
/*
 * Writes random legal words of every row of the SASS table for one SM, for comparison with another
 * disassembler: raw words to one file, our text, one line per word, to another.
 *   usage: sass_words SM PER_FORM SEED words.bin words.txt [OP]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libsov/isa/nv/sass_row.h"

static uint64_t next_random(void *state) /* splitmix64 */
{
	uint64_t z = *(uint64_t *)state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

int main(int argc, char **argv)
{
	uint32_t sm, per, i, n, address = 0, rows = 0;
	FILE *words, *text;
	uint64_t seed;

	if (argc < 6)
		return fprintf(stderr,
			       "usage: sass_words SM PER_FORM SEED words.bin words.txt [OP]\n"),
		       2;
	sm = strtoul(argv[1], NULL, 0);
	per = strtoul(argv[2], NULL, 0);
	seed = strtoull(argv[3], NULL, 0);
	words = fopen(argv[4], "wb");
	text = fopen(argv[5], "w");
	if (!words || !text)
		return perror("sass_words"), 1;
	for (i = 0; i < sass_form_count(); i++) {
		const struct sass_form *f = sass_form_at(i);

		if (!sass_form_in(f, sm) || (argc > 6 && strcmp(argv[6], f->name)))
			continue;
		rows++;
		for (n = 0; n < per * (uint32_t)__builtin_popcount(f->forms); n++, address += 16) {
			struct sass_inst in, back;
			struct sass_word w;
			const char *why;
			char line[256];

			sass_random(f, sm, next_random, &seed, &in);
			if (!sass_encode(sm, &in, &w, &why) || !sass_decode(sm, w, &back) ||
			    sass_print(sm, &back, address, line, sizeof(line)) < 0) {
				fprintf(stderr, "row %u %s: cannot encode and decode: %s\n", i,
					f->name, why);
				return 1;
			}
			fwrite(&w, 16, 1, words);
			fprintf(text, "%s\n", line);
		}
	}
	printf("%u %u\n", rows, address / 16);
	return fclose(words) || fclose(text);
}
