// SPDX-License-Identifier: MIT
/* Address spaces: mapped pages are reachable, others are not, and after an unmap no reader reaches
 * the page. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

#include "model/core/model_internal.h"
#include "tests/tap.h"

#define MIB (1ull << 20)

static struct model *m;
static struct model_space *s;
static uint8_t *memory;

static const struct {
	const char *what;
	uint64_t va, bytes;
	uint32_t offset, access; /* of the backing */
	int status;
} rejected[] = {
	{"no bytes", 0x1000, 0, 0, MODEL_READ, -EINVAL},
	{"an unaligned address", 0x1800, 0x1000, 0, MODEL_READ, -EINVAL},
	{"an unaligned length", 0x1000, 0x800, 0, MODEL_READ, -EINVAL},
	{"unaligned memory", 0x1000, 0x1000, 64, MODEL_READ, -EINVAL},
	{"no access rights", 0x1000, 0x1000, 0, 0, -EINVAL},
	{"unknown access rights", 0x1000, 0x1000, 0, 8, -EINVAL},
	{"an address of 50 bits", 1ull << 49, 0x1000, 0, MODEL_READ, -EINVAL},
	{"an address of 51 bits", 1ull << 50, 0x1000, 0, MODEL_READ, -EINVAL},
	{"a range that ends beyond the space", (1ull << 49) - 0x1000, 0x2000, 0, MODEL_READ,
	 -EINVAL},
};

/* The host address that a reader translates to, NULL if none. */
static uint8_t *translate(uint64_t va, uint32_t access, enum mmu_result *why)
{
	struct mmu_reader *r = calloc(1, sizeof(*r));
	uint8_t *at;

	mmu_enter(r, s);
	at = mmu_translate(r, va, access, why);
	mmu_leave(r);
	free(r);
	return at;
}

static bool translates_to(uint64_t va, uint64_t bytes, uint8_t *backing)
{
	enum mmu_result why;

	for (uint64_t at = 0; at < bytes; at += 0x1000)
		if (translate(va + at, MODEL_READ, &why) != (backing ? backing + at : NULL))
			return false;
	return true;
}

static void test_map(void)
{
	enum mmu_result why = MMU_OK;

	for (size_t i = 0; i < sizeof(rejected) / sizeof(rejected[0]); i++)
		ok(model_map(s, rejected[i].va, memory + rejected[i].offset, rejected[i].bytes,
			     rejected[i].access) == rejected[i].status,
		   "map rejects %s", rejected[i].what);
	ok(!model_map(s, 0x10000, memory, 0x4000, MODEL_READ), "four pages are mapped");
	ok(translates_to(0x10000, 0x4000, memory), "every mapped page translates to its memory");
	ok(translates_to(0xf000, 0x1000, NULL) && translates_to(0x14000, 0x1000, NULL),
	   "pages next to a mapping are unmapped");
	ok(translate(0x10008, MODEL_READ, &why) == memory + 8,
	   "translation keeps the offset in a page");
	ok(!translate(0x10000, MODEL_WRITE, &why) && why == MMU_DENIED,
	   "writing a read-only page is denied");
	ok(!translate(0x20000, MODEL_READ, &why) && why == MMU_UNMAPPED,
	   "an unmapped page is distinguished from a denied access");
	ok(!translate(1ull << 50, MODEL_READ, &why) && why == MMU_UNMAPPED,
	   "an address of 51 bits is unmapped");
	ok(model_map(s, 0x13000, memory, 0x2000, MODEL_READ) == -EEXIST,
	   "mapping a mapped page again fails");
	ok(translates_to(0x14000, 0x1000, NULL), "a failed map leaves free pages unmapped");
	ok(model_unmap(s, 0x20000, 0x1000) == -ENOENT, "unmapping an unmapped range fails");
	ok(model_unmap(s, 0x10800, 0x1000) == -EINVAL, "unmap rejects an unaligned address");
	ok(!model_unmap(s, 0x11000, 0x1000), "a page in the middle of a mapping is unmapped");
	ok(translates_to(0x11000, 0x1000, NULL) && translates_to(0x10000, 0x1000, memory) &&
		   translates_to(0x12000, 0x2000, memory + 0x2000),
	   "the other pages stay mapped");
	ok(!model_unmap(s, 0x10000, 0x4000) && translates_to(0x10000, 0x4000, NULL),
	   "the rest is unmapped in one call");
}

/* Mappings of 2 MiB and more use large leaves, which must not be observable. */
static void test_large(void)
{
	uint64_t va = 6 * MIB + 0x1000;

	ok(!model_map(s, va, memory + 0x3000, 8 * MIB, MODEL_READ | MODEL_WRITE),
	   "8 MiB are mapped at an odd page");
	ok(translates_to(va, 8 * MIB, memory + 0x3000),
	   "every page of the 8 MiB translates correctly");
	ok(!model_unmap(s, 9 * MIB + 0x5000, 2 * MIB),
	   "2 MiB in the middle are unmapped, at odd ends");
	ok(translates_to(va, 9 * MIB + 0x5000 - va, memory + 0x3000) &&
		   translates_to(9 * MIB + 0x5000, 2 * MIB, NULL) &&
		   translates_to(11 * MIB + 0x5000, va + 8 * MIB - (11 * MIB + 0x5000),
				 memory + 0x3000 + (11 * MIB + 0x5000 - va)),
	   "both sides of the hole stay mapped");
	ok(!model_map(s, 9 * MIB + 0x5000, memory, 2 * MIB, MODEL_READ),
	   "the hole can be mapped again");
	ok(translates_to(9 * MIB + 0x5000, 2 * MIB, memory),
	   "the hole translates to the new memory");
	ok(!model_unmap(s, 0, 32 * MIB) && translates_to(0, 16 * MIB, NULL),
	   "one unmap clears everything");
}

/* A reader that never pauses, and an unmap that must wait for it. */
static struct {
	atomic_bool stop, touched_after;
	atomic_uint reads;
	_Atomic(uint8_t *) gone;
} race;

static void *race_main(void *arg)
{
	struct mmu_reader *r = calloc(1, sizeof(*r));
	enum mmu_result why;

	(void)arg;
	mmu_enter(r, s);
	while (!atomic_load(&race.stop)) {
		uint8_t *at = mmu_translate(r, 0x40000000, MODEL_READ, &why);

		sched_yield(); /* a slow access */
		if (at && at == atomic_load(&race.gone))
			atomic_store(&race.touched_after, true);
		atomic_fetch_add(&race.reads, 1);
		mmu_poll(r);
	}
	mmu_leave(r);
	free(r);
	return NULL;
}

static void test_race(void)
{
	pthread_t thread;
	bool good = true;

	pthread_create(&thread, NULL, race_main, NULL);
	for (uint32_t i = 0; i < 300; i++) {
		uint8_t *page = memory + (i % 64) * 0x1000;

		atomic_store(&race.gone, NULL);
		good &= !model_map(s, 0x40000000, page, 0x1000, MODEL_READ);
		for (uint32_t before = atomic_load(&race.reads);
		     atomic_load(&race.reads) < before + 3;)
			sched_yield();
		good &= !model_unmap(s, 0x40000000, 0x1000);
		atomic_store(&race.gone, page);
	}
	atomic_store(&race.stop, true);
	pthread_join(thread, NULL);
	ok(good && !atomic_load(&race.touched_after),
	   "after unmap no reader reaches the page (%u reads)", atomic_load(&race.reads));
}

int main(void)
{
	struct model_config c = {
		.chip = model_chip_find("gh100"), .vram_bytes = 1 << 20, .threads = 1};

	memory = mmap(NULL, 16 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED || model_create(&c, &m) || model_space_create(m, &s))
		return 1;
	test_map();
	test_large();
	test_race();
	model_space_destroy(s);
	model_destroy(m);
	munmap(memory, 16 * MIB);
	return tap_done();
}
