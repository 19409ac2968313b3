/* SPDX-License-Identifier: MIT */
/*
 * Runs one-instruction tests (_instructions.h) on software GPUs through the public API, by kernels
 * that the caller has loaded.
 */
#ifndef TESTS_PTX_LAUNCH_INSTRUCTION_H
#define TESTS_PTX_LAUNCH_INSTRUCTION_H

#include "libsov/sov.h"
#include "tests/userspace/compiler/ptx/_instructions.h"

#define TIME_LIMIT UINT64_C(20000000000) /* for one kernel, ns */

static inline bool must(sov_result r, const char *doing)
{
	if (r)
		diag("%s: %s: %s", doing, sov_result_name(r), sov_last_error());
	return !r;
}

static inline bool create_texture(sov_context c, const struct test_parameter *p, sov_ptr *at)
{
	const struct texture *d = &p->description;
	sov_texture_options o = SOV_INIT(sov_texture_options);

	o.flags = (d->depths ? SOV_TEXTURE_DEPTHS : 0u) | (d->srgb ? SOV_TEXTURE_SRGB : 0u) |
		  (d->linear ? SOV_TEXTURE_LINEAR : 0u) |
		  (d->normalized ? SOV_TEXTURE_NORMALIZED : 0u) |
		  (d->level_linear ? SOV_TEXTURE_LEVEL_LINEAR : 0u) | SOV_TEXTURE_LEVEL_LIMITS;
	o.geometry = d->geometry;
	o.width = d->width, o.height = d->height, o.depth = d->depth;
	o.channels = d->channels;
	o.channel_bits = d->channel_bits;
	if (d->packed) {
		o.channels = d->packed == TEXTURE_11_11_10 ? 3 : 4;
		o.channel_bits = d->packed == TEXTURE_11_11_10 ? 11 : 10;
	}
	o.type = d->type;
	o.levels = d->last_level + 1u;
	o.level_bias = (float)d->bias / TEXTURE_DETAIL_ONE;
	o.min_level = (float)d->min_detail / TEXTURE_DETAIL_ONE;
	o.max_level = (float)d->max_detail / TEXTURE_DETAIL_ONE;
	o.compare = d->compare;
	for (uint32_t k = 0; k < 3; k++)
		o.address_modes[k] = d->address_mode[k];
	return must(sov_texture_create(c, &o, at), "creating a texture") &&
	       must(sov_texture_write(c, *at, p->memory), "writing texels");
}

/* Copies buffers to the GPU; arguments[i] points to a buffer's address or to the value. */
static inline bool copy_in(sov_context c, struct instruction_test *t, sov_ptr *at,
			   const void **arguments)
{
	bool good = true;

	for (uint32_t i = 0; good && i < t->count; i++) {
		struct test_parameter *p = &t->parameters[i];
		uint64_t bytes = p->count * p->bytes;

		arguments[i] = p->memory;
		if (!p->buffer)
			continue;
		arguments[i] = &at[i];
		if (p->texture) {
			good = create_texture(c, p, &at[i]);
			continue;
		}
		good = must(sov_memory_alloc(c, bytes, &at[i]), "allocating") &&
		       must(sov_memory_copy(c, at[i], SOV_HOST(p->memory), bytes), "copying in");
	}
	return good;
}

static inline bool copy_out(sov_context c, struct instruction_test *t, const sov_ptr *at)
{
	bool good = true;

	for (uint32_t i = 0; good && i < t->count; i++) {
		struct test_parameter *p = &t->parameters[i];

		if (p->texture)
			good = must(sov_texture_read(c, at[i], p->memory), "reading texels");
		else if (p->buffer)
			good = must(
				sov_memory_copy(c, SOV_HOST(p->memory), at[i], p->count * p->bytes),
				"copying out");
	}
	return good;
}

static inline sov_result launch_and_wait(sov_context c, const struct instruction_test *t,
					 sov_function f, const void **arguments)
{
	sov_launch l = SOV_INIT(sov_launch);
	sov_result r;

	l.grid[0] = t->grid, l.grid[1] = l.grid[2] = 1;
	l.block[0] = t->block, l.block[1] = l.block[2] = 1;
	l.shared_bytes = t->shared;
	l.arguments = arguments;
	l.argument_count = t->count;
	r = sov_function_launch(f, &l);
	return r ? r : sov_context_wait(c, TIME_LIMIT);
}

/* Launches the kernel on the test's inputs and compares its results, or expects the fault that the
 * test names. The context works afterwards. */
static inline bool run_instruction(sov_context c, struct instruction_test *t, sov_function f)
{
	sov_ptr at[TEST_MAX_PARAMETERS] = {0};
	const void *arguments[TEST_MAX_PARAMETERS];
	bool good;

	test_reset(t);
	good = copy_in(c, t, at, arguments);
	if (good && t->fails)
		good = launch_and_wait(c, t, f, arguments) == SOV_ERROR_FAULT;
	else if (good)
		good = must(launch_and_wait(c, t, f, arguments), "running") && copy_out(c, t, at) &&
		       test_compare(t);
	if (sov_context_status(c))
		good = must(sov_context_reset(c), "resetting") && good;
	for (uint32_t i = 0; i < t->count; i++)
		if (at[i] && t->parameters[i].texture)
			sov_texture_destroy(c, at[i]);
		else if (at[i])
			sov_memory_free(c, at[i]);
	return good;
}

#endif
