/* SPDX-License-Identifier: MIT */
/*
 * Disassembles raw words of machine code that another compiler made, one line each, and checks that
 * every one of them is encoded again to the same bits. A word that the table does not have prints as
 * "?".
 *   usage: sass_code SM words.bin
 */
#include <stdio.h>
#include <stdlib.h>

#include "libsov/isa/sass.h"

int main(int argc, char **argv)
{
	struct sass_word w, again;
	struct sass_inst in;
	uint64_t address;
	char line[256];
	uint32_t sm;
	FILE *f;

	if (argc != 3)
		return fprintf(stderr, "usage: sass_code SM words.bin\n"), 2;
	sm = strtoul(argv[1], NULL, 0);
	f = fopen(argv[2], "rb");
	if (!f)
		return perror(argv[2]), 1;
	for (address = 0; fread(&w, 16, 1, f) == 1; address += 16) {
		if (!sass_decode(sm, w, &in) || sass_print(sm, &in, address, line, sizeof(line)) < 0)
			printf("?\n");
		else if (!sass_encode(sm, &in, &again, NULL) || again.lo != w.lo || again.hi != w.hi)
			printf("other bits: %s\n", line);
		else
			printf("%s\n", line);
	}
	return fclose(f);
}
