// SPDX-License-Identifier: MIT
/*
 * All copy methods are equivalent: random offsets and lengths are compared with the same operation
 * on the CPU, so that a byte too many shows.
 */
#include "libsov/kernels/memory_kernels.h"
#include "libsov/runtime/copy/copy_method.h"
#include "libsov/runtime/stream/stream.h"
#include "tests/userspace/runtime/_api.h"

#define AREA (6u * MEMORY_BLOCK)

static sov_context c;
static struct stream *s;
static sov_ptr from, to;
static uint8_t *source, *before, *after; /* of AREA bytes each */

static void finish(sov_result r, uint64_t number)
{
	MUST(r);
	MUST(stream_wait_for(s, number, 60 * SECOND));
	MUST(sov_memory_copy(c, SOV_HOST(after), to, AREA));
}

static void start(void)
{
	uint32_t i;

	for (i = 0; i < AREA; i++) {
		source[i] = (uint8_t)random_u64();
		before[i] = (uint8_t)random_u64();
	}
	MUST(sov_memory_copy(c, from, SOV_HOST(source), AREA));
	MUST(sov_memory_copy(c, to, SOV_HOST(before), AREA));
}

static uint32_t length(uint32_t i, uint32_t most)
{
	static const uint32_t corners[] = {1,
					   2,
					   15,
					   16,
					   17,
					   31,
					   32,
					   33,
					   4095,
					   4096,
					   4097,
					   MEMORY_BLOCK - 1,
					   MEMORY_BLOCK,
					   MEMORY_BLOCK + 1,
					   4 * MEMORY_BLOCK + 16};
	uint32_t n = i < COUNT(corners) ? corners[i]
					: 1 + (uint32_t)(random_u64() % (i % 2 ? 100 : AREA / 2));

	return n < most ? n : most;
}

static void copies(enum copy_method method, const char *name)
{
	uint32_t i, right = 0, n = 40 / TAP_SLOWNESS + 15;

	for (i = 0; i < n; i++) {
		uint32_t bytes = length(
			i, method == COPY_INLINE ? s->member.context->gpu->max_inline_bytes : AREA);
		uint32_t a = (uint32_t)(random_u64() % 64), b = (uint32_t)(random_u64() % 64);
		uint64_t number = 0;

		if (!copy_method_fits(s->member.context->gpu, method, to + b, from + a,
				      bytes)) /* with the same alignment, modulo words or units */
			a = b + (i % 2 ? 4 * (uint32_t)(random_u64() % 8) : 0);
		if (method == COPY_INLINE &&
		    !copy_method_fits(s->member.context->gpu, method, to + b, from + a, bytes)) {
			b -= b % 4; /* only whole words */
			bytes = bytes < 4 ? 4 : bytes - bytes % 4;
		}
		start();
		if (method == COPY_INLINE)
			finish(copy_inline(s, to + b, source + a, bytes, &number), number);
		else
			finish(copy_by(s, method, to + b, from + a, bytes, &number), number);
		memcpy(before + b, source + a, bytes);
		if (!memcmp(before, after, AREA))
			right++;
		else
			diag("%s: %u bytes from +%u to +%u", name, bytes, a, b);
	}
	ok(right == n, "%s: copies of any length between any offsets (%u of %u)", name, right, n);
}

static void fills(enum copy_method method, const char *name)
{
	uint32_t i, k, right = 0, n = 40 / TAP_SLOWNESS + 15;

	for (i = 0; i < n; i++) {
		uint32_t element = 1u << i % 3, bytes = length(i, AREA - 64) / element * element;
		uint32_t at = (uint32_t)(random_u64() % 64) / element * element,
			 value = (uint32_t)random_u64();
		uint64_t number = 0;

		if (!bytes)
			bytes = element;
		start();
		finish(fill_by(s, method, to + at, value, element, bytes, &number), number);
		for (k = 0; k < bytes; k += element)
			memcpy(before + at + k, &value, element);
		if (!memcmp(before, after, AREA))
			right++;
		else
			diag("%s: %u bytes at +%u in elements of %u", name, bytes, at, element);
	}
	ok(right == n, "%s: fills of any length, offset and element (%u of %u)", name, right, n);
}

/* Compiling copy kernels does not change the thread's compiler messages. */
static void messages_stay(void)
{
	static const char wrong[] = ".version 8.0\nnonsense";
	char said[256];
	sov_context other = context_on("gh100.0", 0);
	struct context *o = object_get(other, OBJECT_CONTEXT);
	struct stream *first = stream_find(o, NULL);
	uint64_t number = 0;
	sov_module m;
	sov_ptr p;

	MUST(sov_memory_alloc(other, 64, &p));
	sov_module_load(other, wrong, sizeof(wrong) - 1, NULL, &m);
	snprintf(said, sizeof(said), "%s", sov_module_messages());
	MUST(copy_by(first, COPY_KERNEL, p, p + 32, 16, &number));
	MUST(stream_wait_for(first, number, 60 * SECOND));
	ok(*said && !strcmp(said, sov_module_messages()),
	   "compiling copy kernels leaves the program's compiler messages alone");
	object_put(&first->member.object);
	object_put(&o->object);
	MUST(sov_context_destroy(other));
}

int main(void)
{
	static const char *const devices[] = {"gh100.0", "ga100.0"};
	uint32_t d;

	soft_gpus("gh100:vram=64M:hazard,ga100:vram=64M");
	random_seed();
	source = malloc(AREA);
	before = malloc(AREA);
	after = malloc(AREA);
	for (d = 0; d < COUNT(devices); d++) {
		struct context *inside;

		diag("%s", devices[d]);
		c = context_on(devices[d], 0);
		inside = object_get(c, OBJECT_CONTEXT);
		s = stream_find(inside, NULL);
		MUST(sov_memory_alloc(c, AREA, &from));
		MUST(sov_memory_alloc(c, AREA, &to));
		copies(COPY_INLINE, "methods");
		copies(COPY_KERNEL, "kernel");
		copies(COPY_ENGINE, "engine");
		fills(COPY_KERNEL, "kernel");
		fills(COPY_ENGINE, "engine");
		object_put(&s->member.object);
		object_put(&inside->object);
		MUST(sov_context_destroy(c));
	}
	messages_stay();
	free(source);
	free(before);
	free(after);
	return tap_done();
}
