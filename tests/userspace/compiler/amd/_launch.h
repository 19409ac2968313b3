/* SPDX-License-Identifier: MIT */
/*
 * Runs PTX kernels on the software AMD GPU without a runtime: compiles for gfx1030, loads into the
 * test's memory and launches as a command processor would. GPU addresses are host addresses;
 * accesses outside of mapped ranges fault.
 */
#ifndef TESTS_AMD_LAUNCH_H
#define TESTS_AMD_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libsov/compiler/driver/compiler.h"
#include "libsov/compiler/image/image_amd.h"
#include "model/amd/amd.h"

#define AMD_TEST_REGIONS 64
#define AMD_TEST_STACK   8192 /* per thread, where the stack depth is unknown */

struct amd_test {
	struct compile_result compiled;
	struct image image;
	uint8_t *part[IMAGE_PARTS];
	struct {
		uint8_t *at;
		uint64_t bytes;
	} regions[AMD_TEST_REGIONS];
	uint32_t nregions;
	struct amd_memory memory;
	bool hazard, inexact;
	struct amd_probe *probe; /* may be NULL */
	char message[600];
};

static inline void *amd_test_at(void *context, uint64_t va, uint32_t bytes, bool write)
{
	struct amd_test *t = context;

	(void)write;
	for (uint32_t k = 0; k < t->nregions; k++) {
		uint64_t offset = va - (uint64_t)(uintptr_t)t->regions[k].at;

		if (offset < t->regions[k].bytes && bytes <= t->regions[k].bytes - offset)
			return t->regions[k].at + offset;
	}
	return NULL;
}

/* Maps these bytes for kernels. */
static inline void amd_test_map(struct amd_test *t, void *at, uint64_t bytes)
{
	if (t->nregions == AMD_TEST_REGIONS)
		abort();
	t->regions[t->nregions].at = at;
	t->regions[t->nregions++].bytes = bytes;
}

static inline void amd_test_free(struct amd_test *t)
{
	image_free(&t->image);
	compile_result_free(&t->compiled);
	for (uint32_t p = 0; p < IMAGE_PARTS; p++)
		free(t->part[p]);
	memset(t, 0, sizeof(*t));
}

/* Returns false with the reason in message. */
static inline bool amd_test_load(struct amd_test *t, const char *text, size_t length,
				 const struct compile_options *options)
{
	struct image_addresses addresses = {0};
	struct compile_options o = *options;

	memset(t, 0, sizeof(*t));
	t->hazard = true;
	t->memory = (struct amd_memory){amd_test_at, t};
	o.target = "gfx1030";
	if (!compile(text, length, &o, &t->compiled)) {
		snprintf(t->message, sizeof(t->message), "%s", t->compiled.messages);
		return false;
	}
	if (!image_read(&t->image, t->compiled.image, t->compiled.image_size, t->message,
			sizeof(t->message)))
		return false;
	for (uint32_t p = 0; p < IMAGE_PARTS; p++) {
		t->part[p] = aligned_alloc(4096, (t->image.part_bytes[p] + 2 * 4096) / 4096 * 4096);
		addresses.base[p] = (uint64_t)(uintptr_t)t->part[p];
	}
	for (uint32_t p = 0; p < IMAGE_PARTS; p++)
		if (t->image.part_bytes[p]) {
			image_load_part(&t->image, p, &addresses, t->part[p]);
			amd_test_map(t, t->part[p], t->image.part_bytes[p]);
		}
	return true;
}

static inline const struct image_kernel *amd_test_kernel(const struct amd_test *t, const char *name)
{
	for (uint32_t k = 0; k < t->image.nkernels; k++)
		if (!strcmp(t->image.kernels[k].name, name))
			return &t->image.kernels[k];
	return NULL;
}

static inline void amd_test_hidden(const struct image_kernel *k, enum amd_hidden h,
				   uint8_t *arguments, uint32_t value)
{
	const struct image_amd_hidden *hidden = &image_amd_kernel(k)->hidden[h];

	if (hidden->bytes)
		memcpy(arguments + hidden->offset, &value, hidden->bytes < 4 ? hidden->bytes : 4);
}

/* arguments: param_bytes bytes, laid out as the kernel's parameters. */
static inline bool amd_test_run(struct amd_test *t, const struct image_kernel *k,
				const uint32_t grid[3], const uint32_t block[3], uint32_t shared,
				const void *arguments)
{
	const struct amd_kernel_descriptor *d = &image_amd_kernel(k)->descriptor;
	uint8_t *kernarg = calloc(1, image_amd_kernel(k)->kernarg_bytes + 8), *scratch;
	uint32_t regions = t->nregions;
	struct amd_launch l = {
		.memory = &t->memory,
		.entry = (uint64_t)(uintptr_t)t->part[IMAGE_CODE] + k->code_offset,
		.kernarg = (uint64_t)(uintptr_t)kernarg,
		.rsrc1 = d->rsrc1,
		.rsrc2 = d->rsrc2,
		.properties = d->properties,
		.lds_bytes = d->group_segment_bytes + shared,
		.private_bytes = d->private_segment_bytes + (k->calls ? AMD_TEST_STACK : 0),
		.groups = {grid[0], grid[1], grid[2]},
		.threads = {block[0], block[1], block[2]},
		.hazard = t->hazard,
		.inexact = t->inexact,
		.probe = t->probe,
		.limit = 50000000,
	};
	bool good;

	memcpy(kernarg, arguments, k->param_bytes);
	for (uint32_t axis = 0; axis < 3; axis++) {
		amd_test_hidden(k, AMD_HIDDEN_BLOCK_COUNT_X + axis, kernarg, grid[axis]);
		amd_test_hidden(k, AMD_HIDDEN_GROUP_SIZE_X + axis, kernarg, block[axis]);
	}
	amd_test_hidden(k, AMD_HIDDEN_DYNAMIC_LDS_SIZE, kernarg, shared);
	scratch = malloc(amd_scratch_bytes(&l) + 1);
	l.scratch = (uint64_t)(uintptr_t)scratch;
	amd_test_map(t, kernarg, image_amd_kernel(k)->kernarg_bytes + 8);
	amd_test_map(t, scratch, amd_scratch_bytes(&l));
	good = amd_run(&l, t->message, sizeof(t->message));
	t->nregions = regions;
	free(kernarg);
	free(scratch);
	return good;
}

#endif
