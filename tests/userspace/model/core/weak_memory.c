// SPDX-License-Identifier: MIT
/* The machine of weak memory mode: which agents see a store at which stage, what each kind of load
 * and each invalidation reads, and for random programs that every location is coherent. */
#include <stdlib.h>

#include "model/core/weak_memory.h"
#include "tests/tap.h"

#define PAGE      4096 /* lines are read as a whole, also those near a loaded one */
#define LINE      128
#define SEEDS     200
#define LOCATIONS 3
#define UNITS     3
#define AGENTS    2 /* per unit */
#define OBSERVERS (UNITS * AGENTS)
#define MAX_VALUE 400

static _Alignas(PAGE) uint8_t bytes[PAGE];
static uint32_t *const x = (uint32_t *)bytes, *const y = (uint32_t *)(bytes + 2 * LINE);

static struct weak_memory *memory;
static struct weak_unit *unit[UNITS];

static void begin(uint64_t seed, bool shared_caches)
{
	memset(bytes, 0, sizeof(bytes));
	memory = weak_memory_create(seed, shared_caches);
	for (uint32_t i = 0; memory && i < UNITS; i++) {
		unit[i] = weak_unit_create(memory);
		if (!unit[i])
			exit(1);
		weak_unit_start(unit[i], NULL);
	}
	if (!memory)
		exit(1);
}

static void end(void)
{
	for (uint32_t i = 0; i < UNITS; i++)
		weak_unit_destroy(unit[i]);
	weak_memory_destroy(memory);
}

static uint32_t load(uint32_t u, uint32_t agent, enum weak_path path, const uint32_t *at)
{
	uint32_t value;

	weak_load(unit[u], agent, path, (const uint8_t *)at, &value, 4);
	return value;
}

static void store(uint32_t u, uint32_t agent, uint32_t *at, uint32_t value)
{
	weak_store(unit[u], agent, 0, (uint8_t *)at, &value, 4);
}

static void test_stages(void)
{
	begin(1, false);
	store(0, 0, x, 1);
	ok(load(0, 0, WEAK_CACHED, x) == 1 && load(0, 0, WEAK_STRONG, x) == 1,
	   "an agent sees its own store at once");
	ok(!load(0, 1, WEAK_STRONG, x) && !*x,
	   "no other agent sees a store before it is published");
	weak_publish(unit[0], 1);
	ok(!load(0, 1, WEAK_STRONG, x), "an agent publishes its own stores only");
	weak_publish(unit[0], 0);
	ok(load(0, 1, WEAK_CACHED, x) == 1, "the unit's other agents see a published store");
	ok(!load(1, 0, WEAK_STRONG, x) && !*x, "other units do not see a published store");
	store(0, 1, y, 1);
	weak_fence(unit[0], 0);
	ok(*x == 1, "a fence performs the agent's stores");
	ok(!*y, "a fence does not perform stores that the agent cannot have seen");
	weak_publish(unit[0], 1);
	weak_fence(unit[0], 0);
	ok(*y == 1, "a fence performs published stores of others: it is cumulative");
	end();
}

static void test_order(void)
{
	uint64_t wide = 0x2222222211111111;

	begin(1, false);
	weak_store(unit[0], 0, 0, bytes, &wide, 8);
	store(0, 0, x + 1, 3);
	ok(load(0, 0, WEAK_CACHED, x) == 0x11111111 && load(0, 0, WEAK_CACHED, x + 1) == 3,
	   "a load takes each byte from the last store to it");
	store(0, 0, y, 1);
	weak_atomic(unit[0], 0, (uint8_t *)(x + 1), 4);
	ok(x[0] == 0x11111111 && x[1] == 3 && !*y,
	   "an atomic performs the stores to its bytes, in order, and no others");
	weak_fence(unit[0], 0);
	weak_store(unit[0], 0, 1, (uint8_t *)x, &(uint32_t){7}, 4);
	weak_store(unit[0], 1, 1, (uint8_t *)y, &(uint32_t){7}, 4);
	weak_store(unit[0], 0, 2, (uint8_t *)(x + 32), &(uint32_t){7}, 4);
	weak_perform_until(unit[0], 0, 1);
	ok(*x == 7 && *y != 7 && x[32] != 7,
	   "waiting for a count performs the agent's oldest stores only");
	while (!weak_unit_drain(unit[0]))
		;
	ok(*y == 7 && x[32] == 7, "the end of a block performs all of its stores");
	for (uint32_t i = 0; i < 5000; i++)
		store(0, i % 2, x + i % 64, i);
	weak_memory_flush(memory);
	ok(x[63] == 4991 && x[0] == 4992,
	   "more stores than the buffer holds are performed in order");
	end();
}

static void test_caches(void)
{
	begin(1, false);
	load(1, 0, WEAK_CACHED, x);
	store(0, 0, x, 1);
	weak_fence(unit[0], 0);
	ok(!load(1, 0, WEAK_CACHED, x), "a cached load reads a stale line");
	ok(!load(1, 1, WEAK_CACHED, x), "all agents of a unit have one cache");
	ok(load(2, 0, WEAK_CACHED, x) == 1, "another unit does not");
	weak_invalidate(unit[1]);
	ok(load(1, 0, WEAK_CACHED, x) == 1, "an invalidation makes the unit read memory again");
	*x = 2;
	weak_atomic(unit[1], 0, bytes, 4);
	ok(load(1, 0, WEAK_CACHED, x) == 2, "an atomic evicts its line");
	store(1, 0, x + 1, 5);
	*x = 3;
	weak_fence(unit[1], 0);
	ok(load(1, 0, WEAK_CACHED, x) == 2 && load(1, 0, WEAK_CACHED, x + 1) == 5,
	   "a store updates its own bytes of the line when it is performed");
	weak_memory_flush(memory);
	ok(load(1, 0, WEAK_CACHED, x) == 3, "a flush leaves no line");
	end();
}

/* Two units with one cache between them and memory; a third elsewhere. */
static void test_shared_caches(void)
{
	begin(1, true);
	weak_unit_start(unit[1], unit[0]);
	do { /* until it has another one */
		weak_memory_flush(memory);
		weak_unit_start(unit[2], NULL);
		*x = 0;
		load(2, 0, WEAK_SHARED, x);
		*x = 1;
	} while (load(0, 0, WEAK_SHARED, x) != 1);
	*x = 2;
	ok(load(1, 0, WEAK_SHARED, x) == 1 && load(1, 0, WEAK_CACHED, x) == 1,
	   "GLC alone reads the cache that units share");
	ok(!load(2, 0, WEAK_SHARED, x), "each shared cache has its own copy");
	ok(load(2, 0, WEAK_STRONG, x) == 2 && load(2, 0, WEAK_SHARED, x) == 2,
	   "GLC and DLC read memory and refresh the shared cache");
	weak_invalidate(unit[1]);
	ok(load(1, 0, WEAK_CACHED, x) == 1, "L0 is filled from L1: invalidating it is not enough");
	weak_invalidate_shared(unit[1]);
	ok(load(1, 0, WEAK_CACHED, x) == 1, "nor is invalidating L1 alone");
	weak_invalidate(unit[1]);
	ok(load(1, 0, WEAK_CACHED, x) == 2, "invalidating both is");
	load(1, 0, WEAK_SCALAR, x);
	*x = 3;
	weak_invalidate(unit[1]);
	weak_invalidate_shared(unit[1]);
	ok(load(1, 0, WEAK_SCALAR, x) == 2, "scalar loads have a cache of their own");
	weak_invalidate_scalar(unit[1]);
	ok(load(1, 0, WEAK_SCALAR, x) == 3, "which its own instruction invalidates");
	end();
}

/*
 * Coherence. Random agents access a few words, some of which share a line. Each value is stored
 * once. Whatever an agent sees after another value, its own stores included, is later in the order
 * of the location's stores; the union of what all agents see must have no cycle.
 */
static bool later[LOCATIONS][MAX_VALUE][MAX_VALUE];
static uint8_t mark[MAX_VALUE];

static bool has_cycle(uint32_t location, uint32_t value, uint32_t values)
{
	if (mark[value])
		return mark[value] == 1;
	mark[value] = 1;
	for (uint32_t next = 0; next < values; next++)
		if (later[location][value][next] && has_cycle(location, next, values))
			return true;
	mark[value] = 2;
	return false;
}

static bool is_coherent(uint64_t seed, bool shared_caches)
{
	uint32_t *const words[LOCATIONS] = {x, x + 1, y};
	uint32_t last[OBSERVERS][LOCATIONS] = {0}, values = 1;
	bool good = true;

	begin(seed, shared_caches);
	memset(later, 0, sizeof(later));
	while (values < MAX_VALUE) {
		uint32_t who = weak_random(memory, OBSERVERS), at = weak_random(memory, LOCATIONS);
		uint32_t u = who / AGENTS, agent = who % AGENTS, seen, act;

		/* Scalar loads are not coherent with others, and there is no shared cache on
		 * NVIDIA. */
		static const enum weak_path paths[] = {WEAK_CACHED, WEAK_STRONG, WEAK_SHARED};

		act = weak_random(memory, 16);
		if (act < 8) {
			seen = load(u, agent, paths[act % (shared_caches ? 3 : 2)], words[at]);
		} else if (act < 11) {
			seen = values++;
			weak_store(unit[u], agent, 0, (uint8_t *)words[at], &seen, 4);
		} else if (act == 11) { /* an exchange, which sees the old value and then its own */
			weak_atomic(unit[u], agent, (uint8_t *)words[at], 4);
			if (*words[at] != last[who][at])
				later[at][last[who][at]][*words[at]] = true;
			last[who][at] = *words[at];
			seen = *words[at] = values++;
		} else {
			if (act == 12)
				weak_fence(unit[u], agent);
			else if (act == 13)
				weak_invalidate(unit[u]);
			else
				weak_unit_tick(unit[u]);
			continue;
		}
		if (seen != last[who][at])
			later[at][last[who][at]][seen] = true;
		last[who][at] = seen;
	}
	for (uint32_t at = 0; at < LOCATIONS; at++) {
		memset(mark, 0, sizeof(mark));
		for (uint32_t value = 0; value < values; value++)
			good &= !has_cycle(at, value, values);
	}
	end();
	return good;
}

static void test_coherence(bool shared_caches, const char *what)
{
	uint32_t seeds = SEEDS / TAP_SLOWNESS, bad = 0, first = 0;

	for (uint32_t seed = 1; seed <= seeds; seed++) {
		if (is_coherent(seed, shared_caches))
			continue;
		bad++;
		first = first ? first : seed;
	}
	if (!ok(!bad, "%u random programs %s see one order of each location's stores", seeds, what))
		diag("%u do not, the first with seed %u", bad, first);
}

int main(void)
{
	test_stages();
	test_order();
	test_caches();
	test_shared_caches();
	test_coherence(false, "with one cache per unit");
	test_coherence(true, "with a shared cache");
	return tap_done();
}
