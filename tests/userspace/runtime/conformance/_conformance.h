/* SPDX-License-Identifier: MIT */
/*
 * What the conformance tests share. They promise what any way to a GPU has to keep: on a software
 * GPU by default, on the first device there is when SOV_CONFORMANCE is set. TEST_CARD says that this one
 * is a card of a virtual machine: software, too, behind our kernel driver.
 */
#include <pthread.h>
#include <time.h>
#include "tests/userspace/runtime/_api.h"
#include "tests/userspace/runtime/_ptx.h"

#define MIB (UINT64_C(1) << 20)

static bool conformance_software; /* executes the kernels: sizes are for its patience */
static bool conformance_card;     /* through our kernel driver: of a virtual machine */
static bool conformance_nvrm;     /* through NVIDIA's */
static uint64_t conformance_memory;

UNUSED static sov_device conformance_device(void)
{
	sov_device_properties p = SOV_INIT(sov_device_properties);
	sov_device d;

	if (!getenv("SOV_CONFORMANCE")) {
		soft_gpus("gh100:vram=512M");
		setenv("SOV_VISIBLE_DEVICES", soft_name("gh100.0"), 1);
	}
	MUST(sov_device_open(0, &d));
	MUST(sov_device_get_properties(d, &p));
	conformance_software = p.features & SOV_FEATURE_SOFTWARE || getenv("TEST_CARD");
	conformance_card = !strcmp(p.winsys, "kmod");
	conformance_nvrm = !strcmp(p.winsys, "nvrm");
	conformance_memory = p.memory_bytes;
	diag("on %s by %s", p.name, p.winsys);
	return d;
}

UNUSED static sov_context conformance_context(void)
{
	sov_context c;

	MUST(sov_context_create(conformance_device(), NULL, &c));
	return c;
}

/* How much of the device is free, as another context sees it. */
UNUSED static uint64_t conformance_free(sov_context watch)
{
	uint64_t bytes;

	MUST(sov_memory_info(watch, &bytes, NULL));
	return bytes;
}

/*
 * Whether a context has given back what it used, while it lives. NVIDIA's driver keeps some of it until
 * it goes: page directories of addresses that were used once, 4 KiB for each 512 MiB of them, in
 * pieces of 64 KiB (an H200 was found to miss one; whether this is the reason
 * tests/silicon/vram_retained.c is to show). In the 64 GiB in which the library goes round these are
 * 512 KiB, and twice that is leave enough.
 */
UNUSED static bool conformance_given_back(uint64_t before, uint64_t after)
{
	return after == before || (conformance_nvrm && before < after + MIB);
}

/* The same numbers each time. */
UNUSED static uint32_t next_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*state >> 32);
}

UNUSED static uint64_t clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}
