/* SPDX-License-Identifier: MIT */
/*
 * Shared by the conformance tests, which every winsys has to pass: on a software GPU by default, on
 * the first device if SOV_CONFORMANCE is set. TEST_CARD says that this device is the card of a
 * virtual machine: a software GPU behind our kernel driver.
 */
#include <pthread.h>
#include <time.h>
#include "tests/userspace/runtime/_api.h"
#include "tests/userspace/runtime/_ptx.h"

#define MIB (UINT64_C(1) << 20)

static bool conformance_software; /* a software GPU executes the kernels: sizes are small */
static bool conformance_card;     /* through our kernel driver, in a virtual machine */
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

/* Free device memory, as another context sees it. */
UNUSED static uint64_t conformance_free(sov_context watch)
{
	uint64_t bytes;

	MUST(sov_memory_info(watch, &bytes, NULL));
	return bytes;
}

/*
 * Whether a living context has freed what it used. NVIDIA's driver keeps some memory until the
 * context is destroyed: page directories of addresses that were used once, 4 KiB for each 512 MiB
 * of them, in units of 64 KiB (an H200 was found to miss one; tests/silicon/vram_retained.c is to
 * show whether this is the reason). The 64 GiB that the library cycles through need 512 KiB; twice
 * that is allowed.
 */
UNUSED static bool conformance_given_back(uint64_t before, uint64_t after)
{
	return after == before || (conformance_nvrm && before < after + MIB);
}

/* Deterministic numbers. */
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
