/* SPDX-License-Identifier: MIT */
/* Shared by the tests of the public API. They include sov.h and nothing else of the library. */
#ifndef TESTS_API_H
#define TESTS_API_H

#include <errno.h>
#include <stdint.h>
#include <sys/random.h>
#include "libsov/sov.h"
#include "tests/soft.h"
#include "tests/tap.h"

#define UNUSED        __attribute__((unused))
#define COUNT(array)  ((uint32_t)(sizeof(array) / sizeof(*(array))))
#define SECOND        UINT64_C(1000000000)
/* How many of a test's devices to use. TEST_CARD=1: only the first, where that is a card and
 * software GPUs would be slow. */
#define DEVICES(list) (getenv("TEST_CARD") ? 1 : COUNT(list))

UNUSED static bool good(sov_result r, const char *promise)
{
	if (!ok(r == SOV_OK, "%s", promise))
		diag("%s: %s", sov_result_name(r), sov_last_error());
	return r == SOV_OK;
}

/* Checks the result and a part of the error message. */
UNUSED static bool refused(sov_result r, sov_result want, const char *part, const char *promise)
{
	bool same = r == want && strstr(sov_last_error(), soft_message(part));

	if (!ok(same, "%s", promise)) {
		diag("got:  %s: %s", sov_result_name(r), sov_last_error());
		diag("want: %s: … %s …", sov_result_name(want), soft_message(part));
	}
	return same;
}

/* For steps that the rest of the test depends on. */
UNUSED static void must_(sov_result r, const char *call, int line)
{
	if (!r)
		return;
	ok(false, "line %d: %s", line, call);
	diag("%s: %s", sov_result_name(r), sov_last_error());
	exit(tap_done());
}
#define MUST(call) must_(call, #call, __LINE__)

UNUSED static sov_context context_on(const char *device_name, uint64_t kernel_time_limit)
{
	sov_context_options o = SOV_INIT(sov_context_options);
	sov_device d;
	sov_context c;

	o.kernel_time_limit = kernel_time_limit;
	MUST(sov_device_open_name(soft_name(device_name), &d));
	MUST(sov_context_create(d, &o, &c));
	return c;
}

/* Hardware devices precede those of SOV_SOFT and count in their names: the nth software GPU. */
UNUSED static const char *software(uint32_t n)
{
	static sov_device_properties p;
	uint32_t i, count;
	sov_device d;

	MUST(sov_device_count(&count));
	for (i = 0; i < count; i++) {
		p = SOV_INIT(sov_device_properties);
		MUST(sov_device_open(i, &d));
		MUST(sov_device_get_properties(d, &p));
		if (!strcmp(p.winsys, "soft") && !n--)
			return p.name;
	}
	ok(false, "there are as many software GPUs as SOV_SOFT asks for");
	exit(tap_done());
}

/* The winsys of a context's device: "soft", or one for hardware, which reports less. */
UNUSED static const char *winsys_of(sov_context c)
{
	static sov_device_properties p;
	sov_device d;

	p = SOV_INIT(sov_device_properties);
	MUST(sov_context_get_device(c, &d));
	MUST(sov_device_get_properties(d, &p));
	return p.winsys;
}

UNUSED static char *read_file(const char *path, size_t *bytes)
{
	FILE *f = fopen(path, "rb");
	char *text = malloc(1 << 20);

	if (!f || !text) {
		ok(false, "%s can be read", path);
		exit(tap_done());
	}
	*bytes = fread(text, 1, 1 << 20, f);
	fclose(f);
	return text;
}

UNUSED static sov_module module_from(sov_context c, const char *text, size_t bytes, uint32_t flags)
{
	sov_module_options o = SOV_INIT(sov_module_options);
	sov_module m;

	o.flags = flags;
	MUST(sov_module_load(c, text, bytes, &o, &m));
	return m;
}

UNUSED static sov_function function_of(sov_context c, const char *ptx, const char *name)
{
	sov_function f;

	MUST(sov_module_get_function(module_from(c, ptx, strlen(ptx), 0), name, &f));
	return f;
}

/* Launches with arguments of 4 or 8 bytes, whose sizes are given as "488". */
UNUSED static sov_result launch(sov_function f, sov_stream s, uint32_t blocks, uint32_t threads,
				const char *sizes, const void *const *arguments)
{
	sov_launch l = SOV_INIT(sov_launch);
	size_t bytes[16];

	l.grid[0] = blocks;
	l.block[0] = threads;
	l.grid[1] = l.grid[2] = l.block[1] = l.block[2] = 1;
	l.stream = s;
	l.arguments = arguments;
	l.argument_bytes = bytes;
	for (l.argument_count = 0; sizes[l.argument_count]; l.argument_count++)
		bytes[l.argument_count] = (size_t)(sizes[l.argument_count] - '0');
	return sov_function_launch(f, &l);
}
#define ARGUMENTS(...) ((const void *const[]){__VA_ARGS__})

/* Fresh numbers each run; the seed is printed so that a failure can be repeated with API_SEED. */
static uint64_t random_state;

UNUSED static void random_seed(void)
{
	const char *given = getenv("API_SEED");

	if (given)
		random_state = strtoull(given, NULL, 0);
	else if (getrandom(&random_state, sizeof(random_state), 0) != sizeof(random_state))
		random_state = 1;
	random_state |= 1;
	diag("API_SEED=%llu", (unsigned long long)random_state);
}

UNUSED static uint64_t random_u64(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state * UINT64_C(0x2545f4914f6cdd1d);
}

/* From -1 to 1. */
UNUSED static double random_real(void)
{
	return (double)(int64_t)random_u64() / 9223372036854775808.0;
}

#endif
