// SPDX-License-Identifier: MIT
/* The range allocator against a map with one byte per unit, over many random operations. */
#include "libsov/runtime/base/range.h"
#include "tests/tap.h"

#define SPACE         4096
#define MAX_ALLOCATED 64

static uint8_t taken[SPACE];
static struct range allocated[MAX_ALLOCATED];
static uint64_t state = 88172645463325252u;

static uint32_t next(uint32_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 33) % below;
}

/* Whether a range of this size and alignment fits anywhere. */
static bool room(uint64_t bytes, uint64_t align)
{
	uint64_t start, i;

	for (start = 0; start + bytes <= SPACE; start += align) {
		for (i = 0; i < bytes && !taken[start + i]; i++)
			;
		if (i == bytes)
			return true;
	}
	return false;
}

static bool mark(struct range p, uint8_t value)
{
	uint64_t i;

	for (i = 0; i < p.bytes; i++) {
		if (p.start + i >= SPACE || taken[p.start + i] == value)
			return false;
		taken[p.start + i] = value;
	}
	return true;
}

static uint64_t unmarked(void)
{
	uint64_t i, n = 0;

	for (i = 0; i < SPACE; i++)
		n += !taken[i];
	return n;
}

static void against_map(void)
{
	struct ranges r = {0};
	uint32_t step, overlaps = 0, wrong_failures = 0, misaligned = 0, wrong_counts = 0,
		       takes = 0;
	uint32_t failures = 0;

	ranges_add(&r, 0, SPACE / 2);
	ranges_add(&r, SPACE / 2, SPACE / 2);
	for (step = 0; step < 20000; step++) {
		struct range *p = &allocated[next(MAX_ALLOCATED)];

		if (p->bytes) {
			overlaps += !mark(*p, 0);
			ranges_give(&r, p->start, p->bytes);
			p->bytes = 0;
		} else {
			uint64_t align = 1u << next(8), bytes = 1 + next(200), start;

			if (ranges_take(&r, bytes, align, &start)) {
				*p = (struct range){start, bytes};
				overlaps += !mark(*p, 1);
				misaligned += start % align != 0;
				takes++;
			} else {
				wrong_failures += room(bytes, align);
				failures++;
			}
		}
		wrong_counts += r.free_bytes != unmarked();
	}
	ok(takes > 5000 && failures > 10, "the random test has %u allocations and %u failures",
	   takes, failures);
	ok(!overlaps, "allocated ranges never overlap or leave the space");
	ok(!misaligned, "every allocated range has its alignment");
	ok(!wrong_failures, "no allocation fails that would fit");
	ok(!wrong_counts, "the count of free bytes is right after every step");
	for (step = 0; step < MAX_ALLOCATED; step++)
		if (allocated[step].bytes)
			ranges_give(&r, allocated[step].start, allocated[step].bytes);
	ok(r.count == 1 && r.free_bytes == SPACE, "freeing everything leaves one free range");
	ranges_fini(&r);
}

static void goes_round(void)
{
	struct ranges r = {0};
	uint64_t first, second, third;

	ranges_add(&r, 0, 100);
	ranges_take(&r, 40, 1, &first);
	ranges_give(&r, first, 40);
	ranges_take(&r, 40, 1, &second);
	ok(second == 40, "a freed range is not reused immediately");
	ranges_take(&r, 40, 1, &third);
	ok(third == 0, "a freed range is reused after the end of the space is reached");
	ok(!ranges_take(&r, 0, 1, &first), "an allocation of 0 bytes fails");
	ok(!ranges_take(&r, UINT64_MAX, 1, &first) &&
		   !ranges_take(&r, 1, UINT64_C(1) << 63, &first),
	   "sizes and alignments that overflow fail");
	ranges_fini(&r);
}

int main(void)
{
	against_map();
	goes_round();
	return tap_done();
}
