// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Tests of the page tables. A walk that uses only hw/nv/mmu_ver3.h must find every mapped page and
 * no other, after operations of all sizes and when the allocation of tables fails. Each table is a
 * separate allocation, so KASAN detects an index out of bounds, and kmemleak a leaked table.
 */
#include <kunit/test.h>
#include <linux/slab.h>

#include "kmod/nv/mmu.c"

#define PAGES      2048 /* 8 MiB are verified, from the middle of a huge page on */
#define BASE       (0x1234567ull << 21 | 0x100000)
#define BITS       (NV_MMU3_PTE_COHERENT | NV_MMU3_PCF_REGULAR | NV_MMU3_KIND_GENERIC)
#define MAX_TABLES 64

/* The allocated tables; the address of a table is 4096 times its index. */
struct tables {
	struct kunit *test;
	u64 *words[MAX_TABLES];
	u32 alive;
	u32 allow;   /* number of allocations that succeed */
	u32 granted; /* number of allocations without a limit */
	u64 random;
	u64 expected[PAGES]; /* entry of each 4 KiB, without VALID; 0: none */
};

static int mmu_test_table_alloc(void *owner, u32 children, bool granted,
				struct nv_mmu_table **table)
{
	struct tables *ts = owner;
	struct nv_mmu_table *t;
	u32 at;

	for (at = 1; at < MAX_TABLES && ts->words[at]; at++)
		;
	if (at == MAX_TABLES)
		return -ENOMEM;
	if (!ts->allow && !granted)
		return -ENOSPC;
	t = kzalloc(sizeof(*t), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(ts->test, t);
	t->children = kcalloc(children, sizeof(*t->children), GFP_KERNEL);
	ts->words[at] = kzalloc(NV_MMU3_TABLE_BYTES, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(ts->test, ts->words[at]);
	t->address = (u64)at * NV_MMU3_TABLE_BYTES;
	ts->granted += granted;
	ts->allow -= !granted;
	ts->alive++;
	*table = t;
	return 0;
}

static void mmu_test_table_free(void *owner, struct nv_mmu_table *t)
{
	struct tables *ts = owner;

	if (!t)
		return;
	kfree(ts->words[t->address / NV_MMU3_TABLE_BYTES]);
	ts->words[t->address / NV_MMU3_TABLE_BYTES] = NULL;
	kfree(t->children);
	kfree(t);
	ts->alive--;
}

static u64 mmu_test_table_read(void *owner, struct nv_mmu_table *t, u32 index)
{
	struct tables *ts = owner;

	return ts->words[t->address / NV_MMU3_TABLE_BYTES][index];
}

static void mmu_test_table_write(void *owner, struct nv_mmu_table *t, u32 index, u64 value)
{
	struct tables *ts = owner;

	ts->words[t->address / NV_MMU3_TABLE_BYTES][index] = value;
}

static const struct nv_mmu_ops mmu_test_memory = {
	mmu_test_table_alloc,
	mmu_test_table_free,
	mmu_test_table_read,
	mmu_test_table_write,
};

static struct tables *mmu_test_begin(struct kunit *test, struct nv_mmu *mmu)
{
	struct tables *ts = test->priv;

	ts->allow = U32_MAX;
	ts->granted = 0;
	memset(ts->expected, 0, sizeof(ts->expected));
	KUNIT_ASSERT_EQ(test, 0, nv_mmu_init(mmu, &nv_mmu_ver3, &mmu_test_memory, ts));
	return ts;
}

static void mmu_test_end(struct kunit *test, struct nv_mmu *mmu)
{
	struct tables *ts = test->priv;

	nv_mmu_fini(mmu);
	KUNIT_EXPECT_EQ_MSG(test, ts->alive, 0, "page tables leaked");
}

static const u64 *mmu_test_table_at(struct tables *ts, u64 entry)
{
	u64 number = (entry & NV_MMU3_ADDRESS) / NV_MMU3_TABLE_BYTES;

	KUNIT_ASSERT_EQ_MSG(ts->test, NV_MMU3_APERTURE(entry), 1, "entry 0x%llx", entry);
	KUNIT_ASSERT_LT(ts->test, number, MAX_TABLES);
	KUNIT_ASSERT_NOT_NULL_MSG(ts->test, ts->words[number], "freed page table is in use");
	return ts->words[number];
}

/* Returns the page table entry of an address and the size of its page; 0 if it is not mapped. */
static u64 mmu_test_walk(struct tables *ts, struct nv_mmu *mmu, u64 va, u32 *shift)
{
	static const u8 level_shifts[] = NV_MMU3_SHIFTS;
	static const u16 level_entries[] = NV_MMU3_ENTRIES;
	const u64 *t = ts->words[mmu->root->address / NV_MMU3_TABLE_BYTES];
	u64 big, small, page;
	int level;

	for (level = 0; level < 4; level++) {
		u64 entry = t[(va >> level_shifts[level]) % level_entries[level]];

		if (!entry)
			return 0;
		t = mmu_test_table_at(ts, entry);
	}
	t += 2 * ((va >> level_shifts[4]) % level_entries[4]);
	big = t[0];
	small = t[1];
	*shift = NV_MMU3_HUGE;
	if (big & NV_MMU3_VALID)
		return big;
	*shift = NV_MMU3_BIG;
	if (big) {
		page = mmu_test_table_at(ts, big)[(va >> NV_MMU3_BIG) % 32];
		if (page & NV_MMU3_VALID)
			return page;
	}
	*shift = NV_MMU3_SMALL;
	page = small ? mmu_test_table_at(ts, small)[(va >> NV_MMU3_SMALL) % 512] : 0;
	return page & NV_MMU3_VALID ? page : 0;
}

/* Verifies all pages, and one on either side. */
static void mmu_test_verify(struct kunit *test, struct nv_mmu *mmu)
{
	struct tables *ts = test->priv;
	int i;

	for (i = -1; i <= PAGES; i++) {
		u64 va = BASE + (s64)i * SMALL_BYTES, got, want;
		u32 shift = 0;

		want = i >= 0 && i < PAGES ? ts->expected[i] : 0;
		got = mmu_test_walk(ts, mmu, va, &shift);
		if (got)
			got = (got & ~NV_MMU3_VALID) + va % BIT64(shift);
		KUNIT_ASSERT_EQ_MSG(test, got, want, "page %d", i);
	}
}

static void mmu_test_expect(struct tables *ts, u32 first, u32 count, u64 entry)
{
	u32 i;

	for (i = 0; i < count; i++)
		ts->expected[first + i] = entry ? entry + i * SMALL_BYTES : 0;
}

static void mmu_map_selects_page_sizes(struct kunit *test)
{
	u64 va = 0x40000000000;
	struct nv_mmu mmu;
	struct tables *ts = mmu_test_begin(test, &mmu);
	u32 shift = 0;

	KUNIT_ASSERT_EQ(test, 0, nv_mmu_map(&mmu, va, 2 * HUGE_BYTES, 0x80000000, BITS));
	KUNIT_EXPECT_EQ(test, 0x80200000 | BITS | NV_MMU3_VALID,
			mmu_test_walk(ts, &mmu, va + HUGE_BYTES, &shift));
	KUNIT_EXPECT_EQ(test, shift, NV_MMU3_HUGE);
	va += 2 * HUGE_BYTES;
	KUNIT_ASSERT_EQ(test, 0, nv_mmu_map(&mmu, va, 0x30000, 0x90010000, BITS));
	KUNIT_EXPECT_EQ(test, 0x90010000 | BITS | NV_MMU3_VALID,
			mmu_test_walk(ts, &mmu, va, &shift));
	KUNIT_EXPECT_EQ(test, shift, NV_MMU3_BIG);
	KUNIT_ASSERT_EQ(test, 0, nv_mmu_map(&mmu, va + 0x30000, 0x2000, 0x90101000, BITS));
	KUNIT_EXPECT_EQ(test, 0x90102000 | BITS | NV_MMU3_VALID,
			mmu_test_walk(ts, &mmu, va + 0x31000, &shift));
	KUNIT_EXPECT_EQ(test, shift, NV_MMU3_SMALL);
	KUNIT_EXPECT_EQ(test, 0, mmu_test_walk(ts, &mmu, va + 0x32000, &shift));
	/* 2 MiB of memory that begins in the middle of a huge page. */
	va += HUGE_BYTES;
	KUNIT_ASSERT_EQ(test, 0, nv_mmu_map(&mmu, va, HUGE_BYTES, 0x90010000, BITS));
	KUNIT_EXPECT_EQ(test, 0x90010000 | BITS | NV_MMU3_VALID,
			mmu_test_walk(ts, &mmu, va, &shift));
	KUNIT_EXPECT_EQ(test, shift, NV_MMU3_BIG);
	mmu_test_end(test, &mmu);
}

static void mmu_maps_last_address(struct kunit *test)
{
	u64 last = BIT64(NV_MMU3_VA_BITS) - SMALL_BYTES;
	struct nv_mmu mmu;
	struct tables *ts = mmu_test_begin(test, &mmu);
	u32 shift;

	KUNIT_ASSERT_EQ(test, 0, nv_mmu_map(&mmu, last, SMALL_BYTES, 0x1000, BITS));
	KUNIT_EXPECT_EQ(test, 0x1000 | BITS | NV_MMU3_VALID, mmu_test_walk(ts, &mmu, last, &shift));
	KUNIT_EXPECT_EQ(test, 0, mmu_test_walk(ts, &mmu, last - SMALL_BYTES, &shift));
	nv_mmu_unmap(&mmu, last, SMALL_BYTES);
	KUNIT_EXPECT_EQ(test, 0, mmu_test_walk(ts, &mmu, last, &shift));
	mmu_test_end(test, &mmu);
}

static void mmu_split_preserves_mappings(struct kunit *test)
{
	u64 va = BASE + 0x100000; /* aligned to a huge page */
	struct nv_mmu mmu;
	struct tables *ts = mmu_test_begin(test, &mmu);

	KUNIT_ASSERT_EQ(test, 0, nv_mmu_map(&mmu, va, HUGE_BYTES, HUGE_BYTES, BITS));
	mmu_test_expect(ts, 256, 512, HUGE_BYTES | BITS);
	KUNIT_ASSERT_EQ(test, 0, nv_mmu_split(&mmu, va + 5 * SMALL_BYTES));
	mmu_test_verify(test, &mmu);
	KUNIT_ASSERT_EQ(test, 0, nv_mmu_split(&mmu, va + HUGE_BYTES - SMALL_BYTES));
	mmu_test_verify(test, &mmu);
	nv_mmu_unmap(&mmu, va + 5 * SMALL_BYTES, HUGE_BYTES - 6 * SMALL_BYTES);
	mmu_test_expect(ts, 256 + 5, 512 - 6, 0);
	mmu_test_verify(test, &mmu);
	mmu_test_end(test, &mmu);
}

static u64 mmu_test_random(struct tables *ts, u64 n)
{
	ts->random ^= ts->random << 13;
	ts->random ^= ts->random >> 7;
	ts->random ^= ts->random << 17;
	return ts->random % n;
}

static void mmu_test_random_step(struct kunit *test, struct nv_mmu *mmu)
{
	static const u32 steps[] = {1, 16, 512};
	struct tables *ts = test->priv;
	u32 step = steps[mmu_test_random(ts, 3)], first, count;
	u64 va, address;

	/* Aligned to the step, so that all page sizes occur. */
	first = mmu_test_random(ts, PAGES) / step * step + (step - (BASE >> 12) % step) % step;
	first %= PAGES;
	count = min_t(u32, 1 + mmu_test_random(ts, step == 1 ? 40 : 2 * step), PAGES - first);
	va = BASE + first * SMALL_BYTES;
	address = (1 + mmu_test_random(ts, 1 << 16)) << 21;
	if (mmu_test_random(ts, 2))
		address |= va % HUGE_BYTES;
	KUNIT_ASSERT_EQ(test, 0, nv_mmu_split(mmu, va));
	KUNIT_ASSERT_EQ(test, 0, nv_mmu_split(mmu, va + count * SMALL_BYTES));
	nv_mmu_unmap(mmu, va, count * SMALL_BYTES);
	if (mmu_test_random(ts, 2))
		nv_mmu_reap(mmu);
	mmu_test_expect(ts, first, count, 0);
	if (mmu_test_random(ts, 4)) {
		KUNIT_ASSERT_EQ(test, 0, nv_mmu_map(mmu, va, count * SMALL_BYTES, address, BITS));
		mmu_test_expect(ts, first, count, address | BITS);
	}
	mmu_test_verify(test, mmu);
}

static void mmu_random_operations_match_walk(struct kunit *test)
{
	struct tables *ts = test->priv;
	struct nv_mmu mmu;
	int round, i;

	for (round = 0; round < 20; round++) {
		mmu_test_begin(test, &mmu);
		for (i = 0; i < 12; i++)
			mmu_test_random_step(test, &mmu);
		KUNIT_ASSERT_EQ(test, 0, nv_mmu_split(&mmu, BASE));
		KUNIT_ASSERT_EQ(test, 0, nv_mmu_split(&mmu, BASE + PAGES * SMALL_BYTES));
		nv_mmu_unmap(&mmu, BASE, PAGES * SMALL_BYTES);
		nv_mmu_reap(&mmu);
		KUNIT_EXPECT_EQ_MSG(test, ts->alive, 1,
				    "page tables of an unmapped range are left");
		mmu_test_end(test, &mmu);
	}
}

static void mmu_map_fails_without_tables(struct kunit *test)
{
	const u64 bytes = 0x300000 + SMALL_BYTES;
	struct nv_mmu mmu;
	struct tables *ts;
	int status = -ENOSPC;
	u32 after;

	for (after = 0; status && after < 20; after++) {
		ts = mmu_test_begin(test, &mmu);
		ts->allow = after;
		status = nv_mmu_map(&mmu, BASE, bytes, 0x40001000, BITS);
		KUNIT_EXPECT_TRUE(test, status == 0 || status == -ENOSPC);
		mmu_test_expect(ts, 0, bytes / SMALL_BYTES, status ? 0 : 0x40001000 | BITS);
		mmu_test_verify(test, &mmu);
		mmu_test_end(test, &mmu);
	}
	KUNIT_EXPECT_EQ(test, status, 0);
	KUNIT_EXPECT_GT(test, after, 4);
}

/*
 * At the limit of tables, new mappings fail, but all existing ones can be unmapped, also in parts
 * of a large page: the tables that replace a large page are exempt from the limit.
 */
static void mmu_unmap_works_at_table_limit(struct kunit *test)
{
	u64 va = BASE + 0x100000; /* aligned to a huge page */
	struct nv_mmu mmu;
	struct tables *ts = mmu_test_begin(test, &mmu);
	u32 alive;

	KUNIT_ASSERT_EQ(test, 0, nv_mmu_map(&mmu, va, HUGE_BYTES, HUGE_BYTES, BITS));
	mmu_test_expect(ts, 256, 512, HUGE_BYTES | BITS);
	KUNIT_EXPECT_EQ(test, ts->alive, 5);
	KUNIT_EXPECT_EQ(test, ts->granted, 0);
	ts->allow = 0;
	alive = ts->alive;
	KUNIT_EXPECT_EQ(test, -ENOSPC,
			nv_mmu_map(&mmu, va + HUGE_BYTES, SMALL_BYTES, 0x1000, BITS));
	KUNIT_EXPECT_EQ(test, -ENOSPC, nv_mmu_map(&mmu, 0, HUGE_BYTES, 0, BITS));
	nv_mmu_reap(&mmu);
	KUNIT_EXPECT_EQ_MSG(test, ts->alive, alive, "failed mappings leave page tables");
	KUNIT_ASSERT_EQ(test, 0, nv_mmu_split(&mmu, va + SMALL_BYTES));
	KUNIT_EXPECT_EQ(test, ts->granted, 2);
	nv_mmu_unmap(&mmu, va, SMALL_BYTES);
	mmu_test_expect(ts, 256, 1, 0);
	mmu_test_verify(test, &mmu);
	nv_mmu_unmap(&mmu, va + SMALL_BYTES, HUGE_BYTES - SMALL_BYTES);
	nv_mmu_reap(&mmu);
	KUNIT_EXPECT_EQ_MSG(test, ts->alive, 1, "page tables of an unmapped range are left");
	mmu_test_end(test, &mmu);
}

static int mmu_test_init(struct kunit *test)
{
	struct tables *ts = kunit_kzalloc(test, sizeof(*ts), GFP_KERNEL);

	if (!ts)
		return -ENOMEM;
	ts->test = test;
	ts->random = 1;
	test->priv = ts;
	return 0;
}

static struct kunit_case mmu_cases[] = {KUNIT_CASE(mmu_map_selects_page_sizes),
					KUNIT_CASE(mmu_maps_last_address),
					KUNIT_CASE(mmu_split_preserves_mappings),
					KUNIT_CASE(mmu_random_operations_match_walk),
					KUNIT_CASE(mmu_map_fails_without_tables),
					KUNIT_CASE(mmu_unmap_works_at_table_limit),
					{}};

static struct kunit_suite mmu_suite = {
	.name = "sovgpu_mmu",
	.init = mmu_test_init,
	.test_cases = mmu_cases,
};

kunit_test_suite(mmu_suite);
