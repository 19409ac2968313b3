/* SPDX-License-Identifier: MIT */
/*
 * Test case reduction: minimises a kernel on which the IR interpreter and another execution
 * disagree. It removes lines between RANDOM_BEGIN and RANDOM_END, large chunks first, until no
 * removal preserves the failure. Barriers stay: without them threads would race. The other
 * execution is our code in one mode on one device, or ptxas's code.
 */
#ifndef TESTS_COMPILER_SHRINK_H
#define TESTS_COMPILER_SHRINK_H

#include "tests/userspace/compiler/driver/_random.h"

struct shrink_other {
	bool (*agrees)(const struct shrink_other *o,
		       /* with the interpreter; true also when it yields no result */
		       const char *ptx);
	const char *ptxas;             /* NULL: our code */
	const struct agree_mode *mode; /* mode of our code */
	uint32_t device;
};

static inline size_t shrink_read(const char *path, void *data, size_t size)
{
	FILE *f = fopen(path, "rb");
	size_t n = f ? fread(data, 1, size, f) : 0;

	if (f)
		fclose(f);
	return n;
}

/* Compiles the text with ptxas; NULL: failed. */
static inline const void *shrink_ptxas(const char *ptxas, const char *target, const char *ptx,
				       size_t *size)
{
	static char image[1 << 24];
	char command[600], folder[] = "/tmp/random-XXXXXX", path[64];
	FILE *f;

	*size = 0;
	if (!mkdtemp(folder))
		return NULL;
	snprintf(path, sizeof(path), "%s/k.ptx", folder);
	f = fopen(path, "wb");
	if (f) {
		fputs(ptx, f);
		fclose(f);
	}
	snprintf(command, sizeof(command), "'%s' -w -O3 -arch=%s -o %s/k.cubin %s 2>%s/errors",
		 ptxas, target, folder, path, folder);
	if (!system(command)) {
		snprintf(path, sizeof(path), "%s/k.cubin", folder);
		*size = shrink_read(path, image, sizeof(image));
	}
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command) || !*size ? NULL : image;
}

/* On a software GPU. */
static inline bool shrink_soft_agrees(const struct shrink_other *o, const char *ptx)
{
	const void *image;
	size_t size;

	if (!o->ptxas)
		return agree_device(o->device, ptx, o->mode);
	image = shrink_ptxas(o->ptxas, agree.properties[o->device].target, ptx, &size);
	return !image || agree_image(o->device, image, size);
}

/* Whether the text is still valid and the results still differ. */
static inline bool shrink_fails(const struct shrink_other *o, const char *ptx)
{
	bool differ;

	tap_quiet = true;
	differ = agree_interpret(ptx) && !o->agrees(o, ptx);
	tap_quiet = false;
	return differ;
}

/* Finds the first software GPU from the given one on, and its mode, that disagrees with the
 * interpreter; false: none. */
static inline bool shrink_find(struct shrink_other *o, const char *ptx)
{
	o->agrees = shrink_soft_agrees;
	if (o->ptxas) {
		o->device = AGREE_PLAIN;
		return shrink_fails(o, ptx);
	}
	for (; o->device < AGREE_DEVICES; o->device++)
		for (o->mode = agree_modes; o->mode < agree_modes + AGREE_MODES; o->mode++)
			if (shrink_fails(o, ptx))
				return true;
	return false;
}

/* Copies the text without count random lines from first on; *all: number of random lines. */
static inline char *shrink_without(const char *text, size_t first, size_t count, size_t *all)
{
	char *out = malloc(strlen(text) + 1), *at = out;
	bool random = false;

	for (*all = 0; out && *text;) {
		size_t length = strcspn(text, "\n") + 1;
		const char *barrier = strstr(text, "\tbar.");

		random &= strncmp(text, RANDOM_END, length) != 0;
		if (!random || *all < first || *all >= first + count ||
		    (barrier && barrier < text + length)) {
			memcpy(at, text, length);
			at += length;
		}
		*all += random;
		random |= !strncmp(text, RANDOM_BEGIN, length);
		text += length;
	}
	if (out)
		*at = 0;
	return out;
}

/* Takes and returns malloc'ed text. */
static inline char *shrink(const struct shrink_other *o, char *ptx)
{
	size_t lines, last = SIZE_MAX, chunk, first;

	for (free(shrink_without(ptx, 0, 0, &lines)); lines < last;) {
		last = lines;
		for (chunk = lines; chunk; chunk /= 2)
			for (first = 0; first < lines;) {
				size_t n;
				char *less = shrink_without(ptx, first, chunk, &n);

				if (less && strlen(less) < strlen(ptx) && shrink_fails(o, less)) {
					free(ptx);
					ptx = less;
					free(shrink_without(ptx, 0, 0, &lines));
				} else {
					free(less);
					first += chunk;
				}
			}
	}
	return ptx;
}

#endif
