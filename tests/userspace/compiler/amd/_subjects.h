/* SPDX-License-Identifier: MIT */
/*
 * Test programs for the software AMD GPU: files of ptx/instructions and kernels of tests/kernels.
 */
#ifndef TESTS_AMD_SUBJECTS_H
#define TESTS_AMD_SUBJECTS_H

#include "tests/kernels/work.h"
#include "tests/userspace/compiler/amd/_launch.h"
#include "tests/userspace/compiler/ptx/_instructions.h"

static inline const struct image_kernel *
amd_test_instruction_kernel(const struct amd_test *g, const struct instruction_test *t)
{
	char name[128];

	snprintf(name, sizeof(name), "%.*s", (int)strlen(t->name) - 4, t->name);
	return amd_test_kernel(g, name);
}

/* Runs the kernel named like the file, with the parameters as they are. */
static inline bool amd_test_instruction(struct amd_test *g, struct instruction_test *t)
{
	const struct image_kernel *k = amd_test_instruction_kernel(g, t);
	uint32_t regions = g->nregions;
	uint8_t arguments[4096] = {0};
	bool good;

	if (!k || k->nparams != t->count) {
		snprintf(g->message, sizeof(g->message), "no kernel of %s with %u parameters",
			 t->name, t->count);
		return false;
	}
	for (uint32_t i = 0; i < t->count; i++) {
		struct test_parameter *p = &t->parameters[i];
		uint64_t address = (uint64_t)(uintptr_t)p->memory;

		if (p->texture) {
			test_describe(p, address);
			address = (uint64_t)(uintptr_t)&p->description;
			amd_test_map(g, &p->description, sizeof(p->description));
		}
		memcpy(arguments + k->params[i].offset, p->buffer ? (void *)&address : p->memory,
		       p->buffer ? 8 : p->count * p->bytes);
		amd_test_map(g, p->memory, (uint64_t)p->count * p->bytes);
	}
	good = amd_test_run(g, k, (uint32_t[]){t->grid, 1, 1}, (uint32_t[]){t->block, 1, 1},
			    t->shared, arguments);
	g->nregions = regions;
	return good;
}

/* Returns false with the reason in w->why. */
static inline bool amd_test_work(struct amd_test *t, struct work *w)
{
	const struct image_kernel *k = amd_test_kernel(t, w->kind->function);
	uint32_t regions = t->nregions;
	uint8_t arguments[4096] = {0};
	bool good;

	if (!k || k->nparams != w->narguments) {
		snprintf(w->why, sizeof(w->why), "no kernel '%s' with %u parameters",
			 w->kind->function, w->narguments);
		return false;
	}
	for (unsigned i = 0; i < w->nbuffers; i++)
		amd_test_map(t, w->buffers[i].data, w->buffers[i].bytes);
	for (unsigned i = 0; i < w->narguments; i++) {
		uint64_t bits = w->arguments[i].bits;

		if (w->arguments[i].buffer >= 0)
			bits = (uint64_t)(uintptr_t)w->buffers[w->arguments[i].buffer].data;
		memcpy(arguments + k->params[i].offset, &bits, k->params[i].size);
	}
	good = amd_test_run(t, k, (uint32_t[]){w->grid[0], w->grid[1], 1},
			    (uint32_t[]){w->block[0], w->block[1], 1}, 0, arguments);
	t->nregions = regions;
	if (!good)
		snprintf(w->why, sizeof(w->why), "%.250s", t->message);
	return good;
}

#endif
