// SPDX-License-Identifier: MIT
/*
 * Reads lines "WORDS|TEXT", hexadecimal words of an instruction and another disassembler's text,
 * and says which of them we do not decode, print alike and encode to the same words. usage:
 * amd_text <lines
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libsov/isa/amd/amd_isa.h"

/* One blank between words. */
static void squeeze(char *s)
{
	char *to = s;

	for (; *s; s++)
		if (!(*s == ' ' || *s == '\t') || (s[1] && s[1] != ' ' && s[1] != '\t'))
			*to++ = *s == '\t' ? ' ' : *s;
	*to = 0;
}

static bool agrees(const char *hex, const char *theirs)
{
	uint32_t words[AMD_MAX_WORDS] = {0}, again[AMD_MAX_WORDS], count = 0, bytes;
	struct amd_inst in;
	char ours[256] = "nothing";
	char *end;

	for (; count < AMD_MAX_WORDS; count++, hex = end) {
		words[count] = (uint32_t)strtoul(hex, &end, 16);
		if (end == hex)
			break;
	}
	bytes = amd_decode(AMD_GFX1030, words, count, &in);
	if (bytes)
		amd_print(&in, ours, sizeof(ours));
	if (bytes == 4 * count && amd_encode(AMD_GFX1030, &in, again, NULL) == bytes &&
	    !memcmp(words, again, bytes) && !strcmp(ours, theirs))
		return true;
	printf("ours %s, theirs %s\n", ours, theirs);
	return false;
}

int main(void)
{
	uint32_t good = 0, all = 0;
	char line[512];

	while (fgets(line, sizeof(line), stdin)) {
		char *text = strchr(line, '|');

		line[strcspn(line, "\n")] = 0;
		if (!text)
			continue;
		*text++ = 0;
		squeeze(text);
		all++;
		good += agrees(line, text);
	}
	printf("%u of %u instructions\n", good, all);
	return good != all || !all;
}
