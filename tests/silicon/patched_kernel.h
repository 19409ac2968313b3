/* SPDX-License-Identifier: MIT */
/*
 * A kernel whose machine code is replaced: our compiler makes a kernel with enough registers and
 * instructions, and a program writes its own instructions over those before its EXIT, which stays
 * at its offset because the image lists it. The kernel has one parameter, a pointer.
 */
#ifndef TESTS_SILICON_PATCHED_KERNEL_H
#define TESTS_SILICON_PATCHED_KERNEL_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libsov/compiler/driver/compiler.h"
#include "libsov/compiler/image/image.h"
#include "libsov/isa/nv/sass.h"

#define PATCHED_SM        90
#define PATCHED_KERNEL    "probe"
#define PATCHED_STORES    240
#define PATCHED_MIN_WORDS 256 /* before EXIT */
#define PATCHED_MAX_WORDS 384

#define REG(n)       {.kind = SASS_GPR, .reg = (n)}
#define UREG(n)      {.kind = SASS_UGPR, .reg = (n)}
#define PREDICATE(n) {.kind = SASS_PRED, .reg = (n)}
#define NUMBER(n)    {.kind = SASS_IMM, .value = (n)}
#define PARAM(n)     {.kind = SASS_CONST, .reg = SASS_RZ, .value = (n)}
#define ABSENT       {.kind = SASS_NONE}
#define BUILD_INST(in, op, ...) \
	build_inst(in, SASS_##op, (const struct sass_operand[]){__VA_ARGS__}, \
		   sizeof((const struct sass_operand[]){__VA_ARGS__}) / \
			   sizeof(struct sass_operand))

static void build_inst(struct sass_inst *in, enum sass_op op, const struct sass_operand *ops,
		       size_t count)
{
	sass_init(in, op);
	memcpy(in->ops, ops, count * sizeof(*ops));
	in->nops = (uint8_t)count;
}

struct patched_image {
	uint8_t *bytes;
	size_t size, code; /* offset of the kernel's code */
	uint32_t words;    /* before EXIT */
	struct compile_result result;
};

/* A kernel with enough registers and instructions to replace. */
static bool open_patched_image(struct patched_image *im)
{
	static char text[16384];
	struct compile_options o = {.source = COMPILE_PTX, .target = "sm_90"};
	char message[256];
	struct image read;
	size_t n = 0;

	n += (size_t)snprintf(text + n, sizeof(text) - n,
			      ".version 8.0\n.target sm_90\n.address_size 64\n"
			      ".visible .entry " PATCHED_KERNEL
			      "(.param .u64 p)\n{\n.reg .u64 %%a;\n"
			      ".reg .u32 %%r<48>;\nld.param.u64 %%a, [p];\n");
	for (int i = 0; i < 40; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      "ld.volatile.global.u32 %%r%d, [%%a+%d];\n", i, 4 * i);
	for (int i = 0; i < PATCHED_STORES; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      "st.volatile.global.u32 [%%a+%d], %%r%d;\n", 4 * i, i % 40);
	n += (size_t)snprintf(text + n, sizeof(text) - n, "ret;\n}\n");
	if (!compile(text, n, &o, &im->result)) {
		fprintf(stderr, "patched kernel: %s\n", im->result.messages);
		return false;
	}
	im->bytes = im->result.image;
	im->size = im->result.image_size;
	if (!image_read(&read, im->bytes, im->size, message, sizeof(message)))
		return false;
	im->code = (size_t)(read.kernels[0].code - im->bytes);
	for (im->words = 0; im->words < read.kernels[0].code_bytes / 16; im->words++) {
		struct sass_inst in;
		struct sass_word w;

		memcpy(&w, im->bytes + im->code + 16 * (size_t)im->words, 16);
		if (!sass_decode(PATCHED_SM, w, &in) || in.op == SASS_EXIT)
			break;
	}
	image_free(&read);
	return im->words >= PATCHED_MIN_WORDS && im->words <= PATCHED_MAX_WORDS;
}

struct patched_code {
	struct sass_word words[PATCHED_MAX_WORDS];
	uint32_t n;
	const char *why;
};

/* Appends an instruction that waits for all scoreboards of earlier ones. */
static void append_inst(struct patched_code *c, struct sass_inst *in, uint32_t stall, uint8_t wait)
{
	in->stall = (uint8_t)stall;
	in->yield = stall > 11;
	in->wait = wait;
	if (c->n == PATCHED_MAX_WORDS)
		c->why = "the kernel is too long";
	else if (!sass_encode(PATCHED_SM, in, &c->words[c->n++], &c->why))
		fprintf(stderr, "patched kernel: %s: %s\n", sass_op_name(in->op), c->why);
}

static void append_nop(struct patched_code *c, uint8_t wait)
{
	struct sass_inst in;

	sass_init(&in, SASS_NOP);
	append_inst(c, &in, 15, wait);
}

/* Replaces the image's code, up to its EXIT; NOPs follow. */
static bool patch_image(struct patched_image *im, struct patched_code *c)
{
	if (c->why || c->n > im->words)
		return false;
	while (c->n < im->words)
		append_nop(c, 0);
	memcpy(im->bytes + im->code, c->words, c->n * sizeof(c->words[0]));
	return true;
}

#endif
