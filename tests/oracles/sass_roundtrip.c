/* SPDX-License-Identifier: MIT */
/*
 * Disassembles the functions of cubins that another compiler made, one instruction a line, as one
 * long piece of code, which also goes to words.bin for another disassembler. A word that the table
 * does not have prints as "?"; one that is not encoded again to the same bits says so.
 *   usage: sass_code SM words.bin cubin...
 */
#include "tests/oracles/_cubin.h"
#include "libsov/isa/nv/sass.h"

static void print(uint32_t sm, struct sass_word w, uint64_t address)
{
	struct sass_word again;
	struct sass_inst in;
	char line[256];

	if (!sass_decode(sm, w, &in) || sass_print(sm, &in, address, line, sizeof(line)) < 0)
		printf("?\n");
	else if (!sass_encode(sm, &in, &again, NULL) || again.lo != w.lo || again.hi != w.hi)
		printf("other bits: %s\n", line);
	else
		printf("%s\n", line);
}

int main(int argc, char **argv)
{
	uint64_t address = 0;
	FILE *out;

	if (argc < 4)
		return fprintf(stderr, "usage: sass_code SM words.bin cubin...\n"), 2;
	out = fopen(argv[2], "wb");
	if (!out)
		return perror(argv[2]), 1;
	for (int i = 3; i < argc; i++) {
		const uint8_t *code;
		uint32_t section = 0;
		struct cubin c;
		size_t size;

		if (!cubin_read(argv[i], &c))
			return fprintf(stderr, "%s: not a cubin\n", argv[i]), 1;
		while ((code = cubin_function(&c, &section, &size))) {
			for (size_t at = 0; at + 16 <= size; at += 16, address += 16) {
				struct sass_word w;

				memcpy(&w, code + at, 16);
				print(strtoul(argv[1], NULL, 0), w, address);
				fwrite(&w, 16, 1, out);
			}
		}
		free(c.bytes);
	}
	return fclose(out);
}
