/* SPDX-License-Identifier: MIT */
/*
 * Arbitrary IR text through a back end, with its internal checks enabled: it must compile or reject
 * the text and never report a fault of its own. The image must be readable, and every instruction
 * in it must decode.
 */
#ifndef TESTS_FUZZ_BACK_END_H
#define TESTS_FUZZ_BACK_END_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libsov/compiler/driver/compiler.h"
#include "libsov/compiler/image/image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fail(const char *target, const char *what, const char *message)
{
	fprintf(stderr, "fuzz: %s: %s: %s\n", target, what, message);
	abort();
}

/* Whether all of a piece of code decodes. */
typedef bool decode_fn(const uint8_t *code, uint64_t bytes);

static void check_image(const struct compile_result *r, const char *target, decode_fn *decode)
{
	char message[200];
	struct image im;

	if (!image_read(&im, r->image, r->image_size, message, sizeof(message)))
		fail(target, "the image is not readable", message);
	for (uint32_t k = 0; k < im.nkernels; k++)
		if (!decode(im.kernels[k].code, im.kernels[k].code_bytes))
			fail(target, "code does not decode", im.kernels[k].name);
	for (uint32_t k = 0; k < im.nfunctions; k++)
		if (!im.functions[k].data &&
		    !decode(im.functions[k].code, im.functions[k].code_bytes))
			fail(target, "code does not decode", im.functions[k].name);
	image_free(&im);
}

static void check_back_end(const uint8_t *data, size_t size, const char *target, decode_fn *decode)
{
	struct compile_options o = {.source = COMPILE_IR,
				    .target = target,
				    .verify = true,
				    .memory_limit = (size_t)256 << 20};
	struct compile_result r;
	bool good = compile((const char *)data, size, &o, &r);

	if (r.fault)
		fail(target, "fault of the compiler", r.messages);
	if (good)
		check_image(&r, target, decode);
	else if (!*r.messages)
		fail(target, "rejected", "without a message");
	compile_result_free(&r);
}

#endif
