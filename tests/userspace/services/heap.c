/* SPDX-License-Identifier: MIT */
/* malloc gives each thread memory of its own, until there is none left, and free gives it back. */
#include "tests/userspace/services/_services.h"

static struct printed printed;

static void blocks(sov_context c, sov_module m, uint32_t turns)
{
	uint32_t bad[256], wrong = 0, i;
	sov_ptr p;

	MUST(sov_memory_alloc(c, sizeof(bad), &p));
	MUST(start(m, "blocks", 4, 64, (const void *[]){&turns, &p}, 2));
	MUST(sov_memory_copy(c, SOV_HOST(bad), p, sizeof(bad)));
	for (i = 0; i < COUNT(bad); i++)
		wrong += bad[i];
	ok(!wrong, "256 threads have %u blocks each, one after another, and nobody else writes there",
	   turns);
	if (wrong)
		diag("wrong: %u", wrong);
	MUST(sov_memory_free(c, p));
}

static uint32_t exhaust(sov_context c, sov_module m, uint64_t bytes)
{
	uint32_t got;
	sov_ptr p;

	MUST(sov_memory_alloc(c, sizeof(got), &p));
	MUST(start(m, "exhaust", 1, 1, (const void *[]){&bytes, &p}, 2));
	MUST(sov_memory_copy(c, SOV_HOST(&got), p, sizeof(got)));
	MUST(sov_memory_free(c, p));
	return got;
}

int main(void)
{
	sov_context c;
	sov_module m;
	uint32_t first, again;

	setenv("SOV_SOFT", "gh100:vram=256M:hazard", 1);
	c = services_context(0, &printed, 0, 1 << 20);
	m = services_module(c);
	blocks(c, m, 24);
	blocks(c, m, 24);
	MUST(sov_context_destroy(c));

	c = services_context(0, &printed, 0, 1 << 20);
	m = services_module(c);
	first = exhaust(c, m, 1000);
	ok(first >= 900 && first <= 1048, "a heap of 1 MiB has %u blocks of 1000 bytes", first);
	again = exhaust(c, m, 1000);
	ok(again == first, "and as many when they were given back");
	ok(exhaust(c, m, 10) >= first, "which also serve for smaller ones");
	MUST(sov_context_destroy(c));
	return tap_done();
}
