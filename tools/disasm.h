/* SPDX-License-Identifier: MIT */
/* Interface between sov disasm and the instruction sets. */
#ifndef TOOLS_DISASM_H
#define TOOLS_DISASM_H

#include "libsov/compiler/image/image.h"
#include "tools/tool.h"

struct disasm_line {
	uint32_t bytes; /* length of the instruction; of one word if it is unknown */
	bool known;
	char text[256], control[32]; /* control "": none */
};

struct disasm_isa {
	uint32_t word_bytes; /* size of an encoding word: 4 or 8 */
	/* Decodes the instruction at an offset; at least one word of code is left there. */
	void (*decode)(const struct image *im, const struct image_function *f, uint32_t at,
		       struct disasm_line *out);
	/* Adds members to the JSON object of a known instruction; NULL: none. */
	void (*json)(const struct image *im, const struct image_function *f, uint32_t at,
		     struct json *j);
};

extern const struct disasm_isa disasm_nv, disasm_amd;

#endif
