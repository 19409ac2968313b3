// SPDX-License-Identifier: MIT
/*
 * Video memory that the driver retains after a free. 2 MiB are bound and freed repeatedly in one
 * queue group: first always at the same address, then each time at the next. Memory that is
 * missing only after the second loop is the driver's, kept per address range (presumably page
 * directories); tests/userspace/runtime/conformance/_conformance.h allows for that.
 *
 *   vram_retained
 */
#include <stdio.h>
#include <stdlib.h>
#include "libsov/runtime/context/device.h"
#include "libsov/runtime/memory/address_space.h"

#define STEP (UINT64_C(2) << 20)

static struct device *d;
static struct winsys_group *group;

static uint64_t free_bytes(void)
{
	uint64_t bytes, total;

	d->winsys->memory_info(d->winsys_device, &bytes, &total);
	return bytes;
}

static void bind_and_free(uint64_t va)
{
	struct winsys_buffer *b;

	if (d->winsys->buffer_create(d->winsys_device, WINSYS_VRAM, STEP, &b) ||
	    d->winsys->bind(group, b, va) || d->winsys->unbind(group, b, va)) {
		printf("BROKEN: %s\n", winsys_take_error());
		exit(2);
	}
	d->winsys->buffer_destroy(b);
}

int main(void)
{
	uint64_t va, at_first, before, same, spread, i, n = 16384;
	sov_device device;

	if (sov_device_open(0, &device) || !va_alloc(false, n * STEP, STEP, &va)) {
		printf("BROKEN: %s\n", sov_last_error());
		return 2;
	}
	d = object_get(device, OBJECT_DEVICE);
	at_first = free_bytes();
	if (d->winsys->group_create(d->winsys_device, &group)) {
		printf("BROKEN: %s\n", winsys_take_error());
		return 2;
	}
	bind_and_free(va);
	before = free_bytes();
	for (i = 0; i < n; i++)
		bind_and_free(va);
	same = free_bytes();
	for (i = 0; i < n; i++)
		bind_and_free(va + i * STEP);
	spread = free_bytes();
	d->winsys->group_destroy(group);
	printf("%llu times at one address: %lld bytes missing; over %llu GiB of addresses: %lld "
	       "more; after destroying the group: %lld\n",
	       (unsigned long long)n, (long long)(before - same),
	       (unsigned long long)(n * STEP >> 30), (long long)(same - spread),
	       (long long)(at_first - free_bytes()));
	return before == same && same - spread <= (1 << 20) ? 0 : 1;
}
