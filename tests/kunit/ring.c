// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Tests of a channel's ring: each job is the user's command stream, then the driver's, which
 * releases the seqno, then an interrupt that waits for the release. The ring wraps around, a full
 * ring differs from an empty one, and no write is outside of its memory.
 */
#include <kunit/test.h>

#include "kmod/nv/ring.c"

#define JOBS      8
#define VA        0x123456000ull
#define NUMBER_VA 0x7654321008ull

static void ring_expect_words(struct kunit *test, const u32 *w, u64 number)
{
	struct nv_method m = nv_method_unpack(w[0]);

	KUNIT_EXPECT_EQ(test, m.method, NV_HOST_SEM_ADDR_LO);
	KUNIT_EXPECT_EQ(test, m.count, 5);
	KUNIT_EXPECT_EQ(test, (u64)w[2] << 32 | w[1], NUMBER_VA);
	KUNIT_EXPECT_EQ(test, (u64)w[4] << 32 | w[3], number);
	m = nv_method_unpack(w[6]);
	KUNIT_EXPECT_EQ(test, m.method, NV_HOST_NON_STALL_INTERRUPT);
	KUNIT_EXPECT_EQ(test, m.count, 1);
}

/* Returns entry @n of the job whose first entry is @first. */
static struct nv_gp_entry ring_entry_of(const struct nv_ring *ring, u32 first, u32 n)
{
	return nv_gp_entry_unpack(ring->entries[(first + n) % (ring->jobs * 4)]);
}

static void ring_push_writes_job_entries(struct kunit *test)
{
	void *memory = kunit_kzalloc(test, nv_ring_bytes(JOBS), GFP_KERNEL);
	struct nv_ring ring;
	u32 first = 0;
	u64 number;

	KUNIT_ASSERT_NOT_NULL(test, memory);
	nv_ring_init(&ring, memory, VA, JOBS, NUMBER_VA);
	for (number = 1; number <= 5 * JOBS; number++) {
		u64 big = number << 32 | number;
		struct nv_gp_entry e, interrupt;
		u32 put;

		put = nv_ring_push(&ring, big, 0x10000 * number, 4 * number);
		KUNIT_EXPECT_EQ(test, put, (first + 3) % (4 * JOBS));
		e = ring_entry_of(&ring, first, 0);
		KUNIT_EXPECT_EQ(test, e.address, 0x10000 * number);
		KUNIT_EXPECT_EQ(test, e.words, number);
		KUNIT_EXPECT_FALSE(test, e.wait);
		e = ring_entry_of(&ring, first, 1);
		KUNIT_EXPECT_EQ(test, e.words, 6);
		KUNIT_ASSERT_GE(test, e.address, VA);
		KUNIT_ASSERT_LE(test, e.address + 4 * NV_RING_WORDS, VA + nv_ring_bytes(JOBS));
		interrupt = ring_entry_of(&ring, first, 2);
		KUNIT_EXPECT_EQ(test, interrupt.address, e.address + 4 * 6);
		KUNIT_EXPECT_EQ(test, interrupt.words, 2);
		KUNIT_EXPECT_TRUE(test, interrupt.wait); /* for the release of the seqno */
		ring_expect_words(test, memory + (e.address - VA), big);
		first = put;
	}
}

/*
 * A job is incomplete until the hardware has fetched its last entry, and unstarted until it has
 * fetched its first.
 */
static void ring_counts_incomplete_jobs(struct kunit *test)
{
	void *memory = kunit_kzalloc(test, nv_ring_bytes(JOBS), GFP_KERNEL);
	struct nv_ring ring;
	u32 get = 0, i, n;

	KUNIT_ASSERT_NOT_NULL(test, memory);
	nv_ring_init(&ring, memory, VA, JOBS, NUMBER_VA);
	KUNIT_EXPECT_EQ(test, nv_ring_incomplete(&ring, 0), 0);
	for (n = 0; n < 20; n++) {
		for (i = 0; i < JOBS; i++)
			nv_ring_push(&ring, i, 0x1000, 4);
		for (i = 0; i < 3 * JOBS; i++, get = (get + 1) % (4 * JOBS)) {
			KUNIT_EXPECT_EQ(test, nv_ring_incomplete(&ring, get), JOBS - i / 3);
			KUNIT_EXPECT_EQ(test, nv_ring_unstarted(&ring, get), JOBS - (i + 2) / 3);
		}
		KUNIT_EXPECT_EQ(test, nv_ring_incomplete(&ring, get), 0);
		KUNIT_EXPECT_EQ(test, nv_ring_unstarted(&ring, get), 0);
	}
	KUNIT_EXPECT_EQ(test, nv_ring_incomplete(&ring, (get + 1) % (4 * JOBS)), JOBS);
	KUNIT_EXPECT_EQ(test, nv_ring_incomplete(&ring, 4 * JOBS), JOBS);
	KUNIT_EXPECT_EQ(test, nv_ring_incomplete(&ring, U32_MAX), JOBS);
	KUNIT_EXPECT_EQ(test, nv_ring_unstarted(&ring, U32_MAX), JOBS);
}

/* A ring with the maximum number of jobs must not look empty to the device. */
static void ring_full_differs_from_empty(struct kunit *test)
{
	void *memory = kunit_kzalloc(test, nv_ring_bytes(JOBS), GFP_KERNEL);
	struct nv_ring ring;
	u32 begin, i, put = 0;

	KUNIT_ASSERT_NOT_NULL(test, memory);
	nv_ring_init(&ring, memory, VA, JOBS, NUMBER_VA);
	for (begin = 0; begin < 4 * JOBS; begin++) {
		u32 get = put;

		for (i = 0; i < JOBS; i++) {
			put = nv_ring_push(&ring, i, 0x1000, 4);
			KUNIT_EXPECT_NE(test, put, get);
		}
	}
}

static void ring_accepts_longest_job(struct kunit *test)
{
	void *memory = kunit_kzalloc(test, nv_ring_bytes(2), GFP_KERNEL);
	u64 va = BIT_ULL(NV_GP_ADDRESS_BITS) - 4;
	struct nv_gp_entry e;
	struct nv_ring ring;

	KUNIT_ASSERT_NOT_NULL(test, memory);
	nv_ring_init(&ring, memory, VA, 2, NUMBER_VA);
	nv_ring_push(&ring, 1, va, 4 * NV_GP_MAX_WORDS);
	e = nv_gp_entry_unpack(ring.entries[0]);
	KUNIT_EXPECT_EQ(test, e.words, NV_GP_MAX_WORDS);
	KUNIT_EXPECT_EQ(test, e.address, va);
}

/* Jobs share no words: the device may still read those of one job when the next is pushed. */
static void ring_jobs_have_separate_words(struct kunit *test)
{
	u64 bytes = nv_ring_bytes(JOBS);
	void *memory = kunit_kzalloc(test, bytes, GFP_KERNEL);
	struct nv_ring ring;
	u64 i, seen[JOBS] = {};

	KUNIT_ASSERT_NOT_NULL(test, memory);
	nv_ring_init(&ring, memory, VA, JOBS, NUMBER_VA);
	for (i = 0; i < JOBS; i++) {
		nv_ring_push(&ring, i, 0x1000, 4);
		seen[i] = ring_entry_of(&ring, 3 * i, 1).address;
		KUNIT_EXPECT_GE(test, seen[i], VA + 4 * JOBS * NV_GP_ENTRY_BYTES);
		if (i)
			KUNIT_EXPECT_GE(test, seen[i], seen[i - 1] + 4 * NV_RING_WORDS);
	}
}

static struct kunit_case ring_cases[] = {
	KUNIT_CASE(ring_push_writes_job_entries),  KUNIT_CASE(ring_full_differs_from_empty),
	KUNIT_CASE(ring_counts_incomplete_jobs),   KUNIT_CASE(ring_accepts_longest_job),
	KUNIT_CASE(ring_jobs_have_separate_words), {}};

static struct kunit_suite ring_suite = {
	.name = "sovgpu_ring",
	.test_cases = ring_cases,
};

kunit_test_suite(ring_suite);
