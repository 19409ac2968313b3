// SPDX-License-Identifier: MIT
/*
 * Compiles SPIR-V as the Vulkan driver does, with descriptors in sets and without robust access,
 * and prints the least CPU time of several compilations in milliseconds.
 *   shader_image TARGET MODULE IMAGE [REPEATS]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "libsov/compiler/driver/compiler.h"

#define MAX_BINDINGS 256
#define DESCRIPTOR   16 /* bytes */
#define DESCRIPTORS  16 /* at most, of a binding */
#define VALUE_BYTES  1024

enum {
	OP_TYPE_ARRAY = 28,
	OP_TYPE_RUNTIME_ARRAY = 29,
	OP_TYPE_POINTER = 32,
	OP_VARIABLE = 59,
	OP_DECORATE = 71,
	DECORATION_BINDING = 33,
	DECORATION_SET = 34
};

static uint32_t decoration(const uint32_t *code, size_t words, uint32_t id, uint32_t which)
{
	for (size_t at = 5; at < words && code[at] >> 16; at += code[at] >> 16)
		if ((code[at] & 0xffff) == OP_DECORATE && code[at + 1] == id &&
		    code[at + 2] == which)
			return code[at + 3];
	return 0;
}

/* The instruction that has an id at this place. */
static const uint32_t *find(const uint32_t *code, size_t words, uint32_t place, uint32_t id)
{
	for (size_t at = 5; at < words && code[at] >> 16; at += code[at] >> 16)
		if (code[at] >> 16 > place && code[at + place] == id &&
		    ((code[at] & 0xffff) == OP_VARIABLE ? place == 2
		     : (code[at] & 0xffff) >= OP_TYPE_ARRAY &&
				     (code[at] & 0xffff) <= OP_TYPE_POINTER
			     ? place == 1
			     : false))
			return code + at;
	return NULL;
}

/* Whether a variable is an array of descriptors. */
static bool is_array(const uint32_t *code, size_t words, uint32_t variable)
{
	const uint32_t *v = find(code, words, 2, variable);
	const uint32_t *pointer = v ? find(code, words, 1, v[1]) : NULL;
	const uint32_t *pointee = pointer ? find(code, words, 1, pointer[3]) : NULL;

	return pointee && ((*pointee & 0xffff) == OP_TYPE_ARRAY ||
			   (*pointee & 0xffff) == OP_TYPE_RUNTIME_ARRAY);
}

/* Small sets without arrays are arguments, as in the Vulkan driver. */
static void choose_values(struct spirv_binding *bindings, uint32_t count, const bool *arrays)
{
	for (uint32_t k = 0; k < count; k++) {
		uint32_t end = 0;
		bool array = false;

		for (uint32_t n = 0; n < count; n++)
			if (bindings[n].set == bindings[k].set) {
				array |= arrays[n];
				if (end < bindings[n].offset + DESCRIPTOR)
					end = bindings[n].offset + DESCRIPTOR;
			}
		bindings[k].set_bytes = array || end > VALUE_BYTES ? 0 : end;
	}
}

/* Puts the descriptors of each binding one after the other. */
static uint32_t lay_out(const uint32_t *code, size_t words, struct spirv_binding *bindings)
{
	static bool arrays[MAX_BINDINGS];
	uint32_t count = 0;

	for (size_t at = 5; at < words && code[at] >> 16; at += code[at] >> 16) {
		struct spirv_binding b = {.stride = DESCRIPTOR};
		uint32_t n = 0;

		if ((code[at] & 0xffff) != OP_DECORATE || code[at + 2] != DECORATION_BINDING)
			continue;
		b.set = decoration(code, words, code[at + 1], DECORATION_SET);
		b.binding = code[at + 3];
		b.offset = b.binding * DESCRIPTOR * (b.binding < 8 ? 1 : DESCRIPTORS);
		while (n < count && (bindings[n].set != b.set || bindings[n].binding != b.binding))
			n++;
		if (n == count && count < MAX_BINDINGS)
			bindings[count++] = b;
		if (n < MAX_BINDINGS)
			arrays[n] |= is_array(code, words, code[at + 1]);
	}
	choose_values(bindings, count, arrays);
	return count;
}

int main(int argc, char **argv)
{
	static uint32_t code[1 << 22];
	static struct spirv_binding bindings[MAX_BINDINGS];
	struct spirv_options spirv = {.bindings = bindings, .layout = true};
	struct compile_options options = {.source = COMPILE_SPIRV, .spirv = &spirv, .threads = 1};
	uint32_t repeats = argc > 4 ? (uint32_t)atoi(argv[4]) : 1;
	double least = INFINITY;
	FILE *file;
	size_t bytes;

	if (argc < 4 || !(file = fopen(argv[2], "rb"))) {
		fprintf(stderr, "usage: shader_image TARGET MODULE IMAGE [REPEATS]\n");
		return 2;
	}
	bytes = fread(code, 1, sizeof(code), file);
	fclose(file);
	options.target = argv[1];
	spirv.nbindings = lay_out(code, bytes / 4, bindings);
	for (uint32_t n = 0; n < repeats; n++) {
		struct timespec before, after;
		struct compile_result r;
		bool good;

		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
		good = compile((const char *)code, bytes, &options, &r);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
		if (!good) {
			fputs(r.messages, stderr);
			return 1;
		}
		least = fmin(least, 1e3 * (double)(after.tv_sec - before.tv_sec) +
					    1e-6 * (double)(after.tv_nsec - before.tv_nsec));
		if (!n) {
			file = fopen(argv[3], "wb");
			if (!file || fwrite(r.image, 1, r.image_size, file) != r.image_size ||
			    fclose(file)) {
				perror(argv[3]);
				return 1;
			}
		}
		compile_result_free(&r);
	}
	printf("milliseconds %.3f\n", least);
	return 0;
}
