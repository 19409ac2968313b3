// SPDX-License-Identifier: MIT
/*
 * What packets order, and what they do not, in hazard mode and for several seeds of weak memory
 * mode: dispatches overlap unless a partial flush or a wait is between them, a release does not
 * stop the packets behind it, and caches keep lines until they are invalidated. Each way without
 * the packet must go wrong sometimes, and with it never.
 */
#include "_navi_programs.h"

#define ROUNDS 24
#define WORD   NAVI_DATA
#define OUT    (NAVI_DATA + 4096)

static struct navi_queue *q;
static uint32_t copies[2]; /* programs: *s[2:3] = *s[0:1], by vector and by scalar loads */
static uint32_t store;

static void make_programs(void)
{
	store = program_store();
	copies[0] = navi_program(&n);
	put(&n, AMD_v_mov_b32, V(1), I(0), 0, 0);
	put(&n, AMD_global_load_dword, V(2), V(1), 0, 0);
	put_imm(&n, AMD_s_waitcnt, 0, 0);
	put(&n, AMD_global_store_dword, 0, V(1), V(2), 2);
	put(&n, AMD_s_endpgm, 0, 0, 0, 0);
	copies[1] = navi_program(&n);
	put(&n, AMD_s_load_dword, 10, 0, AMD_NULL, 0);
	put(&n, AMD_v_mov_b32, V(1), I(0), 0, 0);
	put_imm(&n, AMD_s_waitcnt, 0, 0);
	put(&n, AMD_v_mov_b32, V(2), 10, 0, 0);
	put(&n, AMD_global_store_dword, 0, V(1), V(2), 2);
	put(&n, AMD_s_endpgm, 0, 0, 0, 0);
}

static struct navi_grid grid(uint32_t entry, uint64_t a, uint64_t b)
{
	return (struct navi_grid){.groups = 1, .threads = 1, .entry = entry, .user = {a, b}};
}

static void write_word(uint64_t va, uint32_t value)
{
	PM4(&n, q, AMD_PM4_WRITE_DATA, AMD_WRITE_TO_MEMORY | AMD_WRITE_CONFIRM, LOW(va), HIGH(va),
	    value);
}

static void flush(void)
{
	PM4(&n, q, AMD_PM4_EVENT_WRITE,
	    AMD_RELEASE_EVENT(AMD_EVENT_CS_PARTIAL_FLUSH, AMD_EVENT_INDEX_PARTIAL_FLUSH));
}

/* Each writes twice and returns whether the second write came last, or a copy saw it. */

static bool two_dispatches(bool ordered, uint32_t round)
{
	struct navi_grid first = grid(store, WORD, 2 * round), second = grid(store, WORD, round);

	first.no_flush = !ordered;
	navi_dispatch(&n, q, &first);
	navi_dispatch(&n, q, &second);
	return navi_finish(&n, q) && *navi_at(&n, WORD) == round;
}

static bool packet_behind_dispatch(bool ordered, uint32_t round)
{
	struct navi_grid first = grid(store, WORD, 2 * round);

	first.no_flush = true;
	navi_dispatch(&n, q, &first);
	if (ordered)
		flush();
	write_word(WORD, round);
	return navi_finish(&n, q) && *navi_at(&n, WORD) == round;
}

/* A wait for the release orders, too. */
static bool packet_behind_release(bool ordered, uint32_t round)
{
	struct navi_grid first = grid(store, WORD, 2 * round);
	uint64_t fence = NAVI_FENCE(q->number);

	first.no_flush = true;
	navi_dispatch(&n, q, &first);
	navi_release(&n, q);
	if (ordered)
		PM4(&n, q, AMD_PM4_WAIT_REG_MEM, AMD_WAIT_GREATER_EQUAL | AMD_WAIT_MEMORY,
		    LOW(fence), HIGH(fence), q->release, 0xffffffff, AMD_ACQUIRE_POLL);
	write_word(WORD, round);
	return navi_finish(&n, q) && *navi_at(&n, WORD) == round;
}

static bool reads_new(bool ordered, uint32_t round, uint32_t program)
{
	struct navi_grid first = grid(program, WORD, OUT), second = first;

	second.no_acquire = !ordered;
	write_word(WORD, 2 * round);
	navi_dispatch(&n, q, &first);
	write_word(WORD, round);
	navi_dispatch(&n, q, &second);
	return navi_finish(&n, q) && *navi_at(&n, OUT) == round;
}

static bool vector_load(bool ordered, uint32_t round)
{
	return reads_new(ordered, round, copies[0]);
}

static bool scalar_load(bool ordered, uint32_t round)
{
	return reads_new(ordered, round, copies[1]);
}

static uint32_t right(bool (*test)(bool, uint32_t), bool ordered)
{
	uint32_t round, count = 0;

	q = navi_queue(&n, 0, false);
	for (round = 1; round <= ROUNDS; round++)
		count += test(ordered, round);
	return count;
}

static void all(const char *mode)
{
	static const struct {
		bool (*test)(bool, uint32_t);
		const char *with, *without;
	} tests[] = {
		{two_dispatches, "a partial flush", "two dispatches"},
		{packet_behind_dispatch, "a partial flush", "a dispatch and a packet"},
		{packet_behind_release, "a wait for it", "a release and a packet"},
		{vector_load, "ACQUIRE_MEM", "vector loads of two dispatches"},
		{scalar_load, "ACQUIRE_MEM", "scalar loads of two dispatches"},
	};

	for (uint32_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		uint32_t ordered = right(tests[i].test, true);
		uint32_t loose = right(tests[i].test, false);

		ok(ordered == ROUNDS && loose < ROUNDS, "%s: %s orders %s, which nothing else does",
		   mode, tests[i].with, tests[i].without);
		diag("%u of %u with it, %u without", ordered, ROUNDS, loose);
	}
}

int main(void)
{
	static const char *const seeds[] = {"1", "2", "3"};
	char mode[32];

	unsetenv("TEST_WEAK");
	navi_open(&n, true, 1);
	make_programs();
	all("hazard mode");
	navi_close(&n);
	for (uint32_t i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++) {
		setenv("TEST_WEAK", seeds[i], 1);
		navi_open(&n, false, 1);
		make_programs();
		snprintf(mode, sizeof(mode), "weak=%s", seeds[i]);
		all(mode);
		navi_close(&n);
	}
	unsetenv("TEST_WEAK");
	navi_open(&n, false, 1);
	make_programs();
	ok(right(two_dispatches, false) == ROUNDS &&
		   right(packet_behind_dispatch, false) == ROUNDS &&
		   right(vector_load, false) == ROUNDS && right(scalar_load, false) == ROUNDS,
	   "without a mode each packet ends before the next one, and there are no caches");
	navi_close(&n);
	return tap_done();
}
