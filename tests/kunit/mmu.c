// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Page tables. A walk that knows only hw/nv/mmu_ver3.h must find every page where it was mapped and
 * none elsewhere, after steps of all sizes and when memory for tables runs out. Tables are memory
 * of their own, so KASAN sees an index that is too large, and kmemleak one that is forgotten.
 */
#include <kunit/test.h>
#include <linux/slab.h>

#include "kmod/nv/mmu.c"

#define PAGES      2048 /* 8 MiB are watched, from the middle of a slot on */
#define BASE       (0x1234567ull << 21 | 0x100000)
#define BITS       (NV_MMU3_PTE_COHERENT | NV_MMU3_PCF_REGULAR | NV_MMU3_KIND_GENERIC)
#define MAX_TABLES 64

/* Tables by their addresses, which are 4096 times their number. */
struct tables {
	struct kunit *test;
	u64 *words[MAX_TABLES];
	u32 alive;
	u32 allow;   /* until one is not to be had */
	u32 granted; /* that no limit could refuse */
	u64 random;
	u64 expected[PAGES]; /* entry of each 4 KiB, without VALID; 0: none */
};

static int table_alloc(void *owner, u32 children, bool granted, struct nv_mmu_table **table)
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

static void table_free(void *owner, struct nv_mmu_table *t)
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

static u64 table_read(void *owner, struct nv_mmu_table *t, u32 index)
{
	struct tables *ts = owner;

	return ts->words[t->address / NV_MMU3_TABLE_BYTES][index];
}

static void table_write(void *owner, struct nv_mmu_table *t, u32 index, u64 value)
{
	struct tables *ts = owner;

	ts->words[t->address / NV_MMU3_TABLE_BYTES][index] = value;
}

static const struct nv_mmu_ops table_memory = {
	table_alloc,
	table_free,
	table_read,
	table_write,
};

static struct tables *fresh(struct kunit *test, struct nv_mmu *mmu)
{
	struct tables *ts = test->priv;

	ts->allow = U32_MAX;
	ts->granted = 0;
	memset(ts->expected, 0, sizeof(ts->expected));
	KUNIT_ASSERT_EQ(test, 0, nv_mmu_init(mmu, &table_memory, ts));
	return ts;
}

static void finish(struct kunit *test, struct nv_mmu *mmu)
{
	struct tables *ts = test->priv;

	nv_mmu_fini(mmu);
	KUNIT_EXPECT_EQ_MSG(test, ts->alive, 0, "tables are not given back");
}

static const u64 *words_at(struct tables *ts, u64 entry)
{
	u64 number = (entry & NV_MMU3_ADDRESS) / NV_MMU3_TABLE_BYTES;

	KUNIT_ASSERT_EQ_MSG(ts->test, NV_MMU3_APERTURE(entry), 1, "entry 0x%llx", entry);
	KUNIT_ASSERT_LT(ts->test, number, MAX_TABLES);
	KUNIT_ASSERT_NOT_NULL_MSG(ts->test, ts->words[number], "a table that was given back");
	return ts->words[number];
}

/* The entry of the page of an address, and how large the page is; 0: there is none. */
static u64 walk(struct tables *ts, struct nv_mmu *mmu, u64 va, u32 *shift)
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
		t = words_at(ts, entry);
	}
	t += 2 * ((va >> level_shifts[4]) % level_entries[4]);
	big = t[0];
	small = t[1];
	*shift = NV_MMU3_HUGE;
	if (big & NV_MMU3_VALID)
		return big;
	*shift = NV_MMU3_BIG;
	if (big) {
		page = words_at(ts, big)[(va >> NV_MMU3_BIG) % 32];
		if (page & NV_MMU3_VALID)
			return page;
	}
	*shift = NV_MMU3_SMALL;
	page = small ? words_at(ts, small)[(va >> NV_MMU3_SMALL) % 512] : 0;
	return page & NV_MMU3_VALID ? page : 0;
}

/* Every page of the window, and its neighbours. */
static void expect_all(struct kunit *test, struct nv_mmu *mmu)
{
	struct tables *ts = test->priv;
	int i;

	for (i = -1; i <= PAGES; i++) {
		u64 va = BASE + (s64)i * SMALL_BYTES, got, want;
		u32 shift = 0;

		want = i >= 0 && i < PAGES ? ts->expected[i] : 0;
		got = walk(ts, mmu, va, &shift);
		if (got)
			got = (got & ~NV_MMU3_VALID) + va % BIT64(shift);
		KUNIT_ASSERT_EQ_MSG(test, got, want, "page %d", i);
	}
}

static void expect(struct tables *ts, u32 first, u32 count, u64 entry)
{
	u32 i;

	for (i = 0; i < count; i++)
		ts->expected[first + i] = entry ? entry + i * SMALL_BYTES : 0;
}

static void mmu_map_selects_page_sizes(struct kunit *test)
{
	u64 va = 0x40000000000;
	struct nv_mmu mmu;
	struct tables *ts = fresh(test, &mmu);
	u32 shift = 0;

	KUNIT_ASSERT_EQ(test, 0, nv_mmu_map(&mmu, va, 2 * HUGE_BYTES, 0x80000000, BITS));
	KUNIT_EXPECT_EQ(test, 0x80200000 | BITS | NV_MMU3_VALID,
			walk(ts, &mmu, va + HUGE_BYTES, &shift));
	KUNIT_EXPECT_EQ(test, shift, NV_MMU3_HUGE);
	va += 2 * HUGE_BYTES;
	KUNIT_ASSERT_EQ(test, 0, nv_mmu_map(&mmu, va, 0x30000, 0x90010000, BITS));
	KUNIT_EXPECT_EQ(test, 0x90010000 | BITS | NV_MMU3_VALID, walk(ts, &mmu, va, &shift));
	KUNIT_EXPECT_EQ(test, shift, NV_MMU3_BIG);
	KUNIT_ASSERT_EQ(test, 0, nv_mmu_map(&mmu, va + 0x30000, 0x2000, 0x90101000, BITS));
	KUNIT_EXPECT_EQ(test, 0x90102000 | BITS | NV_MMU3_VALID,
			walk(ts, &mmu, va + 0x31000, &shift));
	KUNIT_EXPECT_EQ(test, shift, NV_MMU3_SMALL);
	KUNIT_EXPECT_EQ(test, 0, walk(ts, &mmu, va + 0x32000, &shift));
	/* A whole slot of memory that begins in the middle of a huge page. */
	va += HUGE_BYTES;
	KUNIT_ASSERT_EQ(test, 0, nv_mmu_map(&mmu, va, HUGE_BYTES, 0x90010000, BITS));
	KUNIT_EXPECT_EQ(test, 0x90010000 | BITS | NV_MMU3_VALID, walk(ts, &mmu, va, &shift));
	KUNIT_EXPECT_EQ(test, shift, NV_MMU3_BIG);
	finish(test, &mmu);
}

static void mmu_maps_last_address(struct kunit *test)
{
	u64 last = BIT64(NV_MMU3_VA_BITS) - SMALL_BYTES;
	struct nv_mmu mmu;
	struct tables *ts = fresh(test, &mmu);
	u32 shift;

	KUNIT_ASSERT_EQ(test, 0, nv_mmu_map(&mmu, last, SMALL_BYTES, 0x1000, BITS));
	KUNIT_EXPECT_EQ(test, 0x1000 | BITS | NV_MMU3_VALID, walk(ts, &mmu, last, &shift));
	KUNIT_EXPECT_EQ(test, 0, walk(ts, &mmu, last - SMALL_BYTES, &shift));
	nv_mmu_unmap(&mmu, last, SMALL_BYTES);
	KUNIT_EXPECT_EQ(test, 0, walk(ts, &mmu, last, &shift));
	finish(test, &mmu);
}

static void mmu_split_preserves_mappings(struct kunit *test)
{
	u64 va = BASE + 0x100000; /* a slot begins there */
	struct nv_mmu mmu;
	struct tables *ts = fresh(test, &mmu);

	KUNIT_ASSERT_EQ(test, 0, nv_mmu_map(&mmu, va, HUGE_BYTES, HUGE_BYTES, BITS));
	expect(ts, 256, 512, HUGE_BYTES | BITS);
	KUNIT_ASSERT_EQ(test, 0, nv_mmu_split(&mmu, va + 5 * SMALL_BYTES));
	expect_all(test, &mmu);
	KUNIT_ASSERT_EQ(test, 0, nv_mmu_split(&mmu, va + HUGE_BYTES - SMALL_BYTES));
	expect_all(test, &mmu);
	nv_mmu_unmap(&mmu, va + 5 * SMALL_BYTES, HUGE_BYTES - 6 * SMALL_BYTES);
	expect(ts, 256 + 5, 512 - 6, 0);
	expect_all(test, &mmu);
	finish(test, &mmu);
}

static u64 random_below(struct tables *ts, u64 n)
{
	ts->random ^= ts->random << 13;
	ts->random ^= ts->random >> 7;
	ts->random ^= ts->random << 17;
	return ts->random % n;
}

static void random_step(struct kunit *test, struct nv_mmu *mmu)
{
	static const u32 steps[] = {1, 16, 512};
	struct tables *ts = test->priv;
	u32 step = steps[random_below(ts, 3)], first, count;
	u64 va, address;

	/* Aligned to the step, so that all sizes of pages are made. */
	first = random_below(ts, PAGES) / step * step + (step - (BASE >> 12) % step) % step;
	first %= PAGES;
	count = min_t(u32, 1 + random_below(ts, step == 1 ? 40 : 2 * step), PAGES - first);
	va = BASE + first * SMALL_BYTES;
	address = (1 + random_below(ts, 1 << 16)) << 21;
	if (random_below(ts, 2))
		address |= va % HUGE_BYTES;
	KUNIT_ASSERT_EQ(test, 0, nv_mmu_split(mmu, va));
	KUNIT_ASSERT_EQ(test, 0, nv_mmu_split(mmu, va + count * SMALL_BYTES));
	nv_mmu_unmap(mmu, va, count * SMALL_BYTES);
	if (random_below(ts, 2))
		nv_mmu_reap(mmu);
	expect(ts, first, count, 0);
	if (random_below(ts, 4)) {
		KUNIT_ASSERT_EQ(test, 0, nv_mmu_map(mmu, va, count * SMALL_BYTES, address, BITS));
		expect(ts, first, count, address | BITS);
	}
	expect_all(test, mmu);
}

static void mmu_random_operations_match_walk(struct kunit *test)
{
	struct tables *ts = test->priv;
	struct nv_mmu mmu;
	int round, i;

	for (round = 0; round < 20; round++) {
		fresh(test, &mmu);
		for (i = 0; i < 12; i++)
			random_step(test, &mmu);
		KUNIT_ASSERT_EQ(test, 0, nv_mmu_split(&mmu, BASE));
		KUNIT_ASSERT_EQ(test, 0, nv_mmu_split(&mmu, BASE + PAGES * SMALL_BYTES));
		nv_mmu_unmap(&mmu, BASE, PAGES * SMALL_BYTES);
		nv_mmu_reap(&mmu);
		KUNIT_EXPECT_EQ_MSG(test, ts->alive, 1, "where nothing is mapped tables are left");
		finish(test, &mmu);
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
		ts = fresh(test, &mmu);
		ts->allow = after;
		status = nv_mmu_map(&mmu, BASE, bytes, 0x40001000, BITS);
		KUNIT_EXPECT_TRUE(test, status == 0 || status == -ENOSPC);
		expect(ts, 0, bytes / SMALL_BYTES, status ? 0 : 0x40001000 | BITS);
		expect_all(test, &mmu);
		finish(test, &mmu);
	}
	KUNIT_EXPECT_EQ(test, status, 0);
	KUNIT_EXPECT_GT(test, after, 4);
}

/*
 * Where a limit allows no table more, nothing new is mapped, but all that is there can be given
 * back, in parts that are no whole pages, too: what takes the place of a page is granted.
 */
static void mmu_unmap_works_at_table_limit(struct kunit *test)
{
	u64 va = BASE + 0x100000; /* a slot begins there */
	struct nv_mmu mmu;
	struct tables *ts = fresh(test, &mmu);
	u32 alive;

	KUNIT_ASSERT_EQ(test, 0, nv_mmu_map(&mmu, va, HUGE_BYTES, HUGE_BYTES, BITS));
	expect(ts, 256, 512, HUGE_BYTES | BITS);
	KUNIT_EXPECT_EQ(test, ts->alive, 5);
	KUNIT_EXPECT_EQ(test, ts->granted, 0);
	ts->allow = 0;
	alive = ts->alive;
	KUNIT_EXPECT_EQ(test, -ENOSPC,
			nv_mmu_map(&mmu, va + HUGE_BYTES, SMALL_BYTES, 0x1000, BITS));
	KUNIT_EXPECT_EQ(test, -ENOSPC, nv_mmu_map(&mmu, 0, HUGE_BYTES, 0, BITS));
	nv_mmu_reap(&mmu);
	KUNIT_EXPECT_EQ_MSG(test, ts->alive, alive, "what was refused leaves tables");
	KUNIT_ASSERT_EQ(test, 0, nv_mmu_split(&mmu, va + SMALL_BYTES));
	KUNIT_EXPECT_EQ(test, ts->granted, 2);
	nv_mmu_unmap(&mmu, va, SMALL_BYTES);
	expect(ts, 256, 1, 0);
	expect_all(test, &mmu);
	nv_mmu_unmap(&mmu, va + SMALL_BYTES, HUGE_BYTES - SMALL_BYTES);
	nv_mmu_reap(&mmu);
	KUNIT_EXPECT_EQ_MSG(test, ts->alive, 1, "where nothing is mapped tables are left");
	finish(test, &mmu);
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
