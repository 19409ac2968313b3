// SPDX-License-Identifier: MIT
/* Weak memory mode and the life of memory: no pending store outlives the mapping that it went
 * through, and none is lost when a kernel fails. */
#include "tests/userspace/model/nv/_rig.h"

#define PAGE   0x600000000ull /* where the page is mapped, besides VRAM */
#define BYTES  4096
#define STORES 16
#define ROUNDS 20

static struct rig r;

static void load_page_address(void)
{
	rig_code(&r);
	INS(&r, SASS_MOV, (R(2), C0(r.params)));
	INS(&r, SASS_MOV, (R(3), C0(r.params + 4)));
	INS(&r, SASS_MOV, (R(4), IMM(1)));
}

static void store_words(void)
{
	for (int32_t i = 0; i < STORES; i++)
		INS(&r, SASS_STG, (AT(2, 4 * i), R(4)));
}

/* Launches without waiting for the end. */
static void launch(uint64_t address)
{
	rig_qmd(&r, 1, 32);
	rig_bank(&r, &address, 1);
	rig_launch(&r);
	rig_submit(&r);
}

static bool fails_with(enum model_fault fault)
{
	struct model_error e = {0};

	while (!model_channel_error(r.channel, &e))
		sched_yield();
	rig_renew(&r);
	return e.fault == fault;
}

/* The kernel stores to the page until it faults. */
static bool unmap_is_final(uint8_t *page)
{
	bool good;

	if (model_map(r.space, PAGE, page, BYTES, MODEL_READ | MODEL_WRITE))
		return false;
	load_page_address();
	store_words();
	INS(&r, SASS_BRA, (PT, TO(3)));
	memset(page, 0, BYTES);
	launch(PAGE);
	while (!__atomic_load_n((uint32_t *)page, __ATOMIC_RELAXED))
		sched_yield();
	good = !model_unmap(r.space, PAGE, BYTES);
	memset(page, 0xaa, BYTES);
	good &= fails_with(MODEL_FAULT_MMU);
	for (uint32_t i = 0; i < BYTES; i++)
		good &= page[i] == 0xaa;
	return good;
}

static bool stores_precede_trap(void)
{
	uint32_t *words = rig_words(&r, RIG_DATA), missing = 0;

	load_page_address();
	store_words();
	INS(&r, SASS_BPT, (IMM(1)));
	memset(words, 0, 4 * STORES);
	launch(RIG_DATA);
	if (!fails_with(MODEL_FAULT_TRAP))
		return false;
	for (uint32_t i = 0; i < STORES; i++)
		missing += words[i] != 1;
	return !missing;
}

int main(void)
{
	uint8_t *page = aligned_alloc(BYTES, BYTES);
	uint32_t final = 0, preceding = 0;

	setenv("TEST_WEAK", "1", 1);
	rig_open(&r, "gh100", false, 1);
	for (uint32_t i = 0; page && i < ROUNDS; i++) {
		final += unmap_is_final(page);
		preceding += stores_precede_trap();
	}
	ok(final == ROUNDS, "nothing is stored through a mapping after its unmap has returned");
	ok(preceding == ROUNDS, "a kernel's stores before its trap are performed");
	rig_close(&r);
	free(page);
	return tap_done();
}
