/* SPDX-License-Identifier: MIT */
/* What sov disasm has to know of an instruction set. */
#ifndef TOOLS_DISASM_H
#define TOOLS_DISASM_H

#include "libsov/compiler/image/image.h"
#include "tools/tool.h"

struct disasm_line {
	uint32_t bytes; /* of the instruction; of one word where it is not known */
	bool known;
	char text[256], control[32]; /* control "": there is none */
};

struct disasm_isa {
	uint32_t word_bytes; /* how its words are shown: 4, 8 */
	/* The instruction at an offset of a kernel's or a function's code, of which there is a word at
	 * least. */
	void (*decode)(const struct image *im, const struct image_function *f, uint32_t at,
		       struct disasm_line *out);
	/* What JSON has beside the text of a known one; NULL: nothing. */
	void (*json)(const struct image *im, const struct image_function *f, uint32_t at,
		     struct json *j);
};

extern const struct disasm_isa disasm_nv, disasm_amd;

#endif
