// SPDX-License-Identifier: MIT
/* The card's MMU reads what the driver writes into page tables of both versions: the file that the
 * kernel compiles maps, splits and unmaps at random, and after each step the modelled MMU, which
 * shares no code with it, finds every page at its address and no other. */
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

#include "tests/tap.h"
#include "kmod/nv/mmu.c"
#include "model/card/page_table.h"

#define VRAM_BYTES (16u << 20)
#define PAGES      2048 /* 8 MiB are checked, from the middle of a slot on */
#define BASE       (0x1234567ull << 21 | 0x100000)
#define BITS       (u->format->page | u->format->system)
#define MAPPED     1 /* in expected[]; all addresses are multiples of 4096 */

/* The versions: the format that the driver writes, and the one that the MMU reads. */
static const struct version {
	const char *name;
	const struct nv_mmu_format *format;
	const struct mmu_version *version;
	uint32_t va_bits, directories; /* directories: above a huge page, without the root */
	u64 address;                   /* bits of an entry */
} versions[] =
	{
		{"version 2", &nv_mmu_ver2, &mmu_ver2, 49, 3, 0x003fffffffffff00},
		{"version 3", &nv_mmu_ver3, &mmu_ver3, 57, 4, 0x000ffffffffff000},
},
  *u; /* under test */

static uint8_t vram[VRAM_BYTES];
static uint32_t tables;
/* holds a table; entry 0 stays free */
static bool taken[VRAM_BYTES / NV_MMU3_TABLE_BYTES] = {true};
static uint32_t allow = UINT32_MAX; /* allocations until a limit rejects one */
static uint32_t granted;            /* allocations that no limit could reject */
static u64 expected[PAGES];         /* address of each 4 KiB page, with MAPPED; 0: none */

static int alloc(void *owner, u32 children, bool surely, struct nv_mmu_table **table)
{
	struct nv_mmu_table *t;
	uint32_t at = 0;

	(void)owner;
	while (at < VRAM_BYTES / NV_MMU3_TABLE_BYTES && taken[at])
		at++;
	if (at == VRAM_BYTES / NV_MMU3_TABLE_BYTES)
		return -ENOMEM;
	if (!allow && !surely)
		return -ENOSPC;
	granted += surely;
	allow -= !surely;
	taken[at] = true;
	t = calloc(1, sizeof(*t));
	t->address = (u64)at * NV_MMU3_TABLE_BYTES;
	memset(vram + t->address, 0, NV_MMU3_TABLE_BYTES);
	t->children = calloc(children ? children : 1, sizeof(*t->children));
	tables++;
	*table = t;
	return 0;
}
static void release(void *owner, struct nv_mmu_table *t)
{
	(void)owner;
	if (!t)
		return;
	/* A stale reader finds invalid entries. */
	memset(vram + t->address, 0xff, NV_MMU3_TABLE_BYTES);
	taken[t->address / NV_MMU3_TABLE_BYTES] = false;
	free(t->children);
	free(t);
	tables--;
}
static u64 read_word(void *owner, struct nv_mmu_table *t, u32 index)
{
	u64 value;

	(void)owner;
	memcpy(&value, vram + t->address + 8 * index, 8);
	return value;
}
static void write_word(void *owner, struct nv_mmu_table *t, u32 index, u64 value)
{
	(void)owner;
	memcpy(vram + t->address + 8 * index, &value, 8);
}
static const struct nv_mmu_ops memory = {alloc, release, read_word, write_word};

static u64 rng = 1;
static u64 random_below(u64 n)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return rng % n;
}

/* Checks every page of the window, and its neighbours. */
static bool mmu_agrees(struct nv_mmu *mmu, const char *when)
{
	struct mmu_page p;
	const char *wrong;

	for (int64_t i = -1; i <= PAGES; i++) {
		u64 va = BASE + (u64)i * 4096, want = i >= 0 && i < PAGES ? expected[i] : 0,
		    got = 0;

		if (mmu_find(u->version, vram, VRAM_BYTES, mmu->root->address, va, &p, &wrong))
			got = (p.address + (va - p.va)) | MAPPED;
		if (got && (!p.system || !p.cached || !p.writable || !p.atomics || p.privileged))
			wrong = "other access rights";
		if (got != want || wrong) {
			diag("%s: page %lld: got 0x%llx, want 0x%llx%s%s", when, (long long)i,
			     (unsigned long long)got, (unsigned long long)want, wrong ? ": " : "",
			     wrong ? wrong : "");
			return false;
		}
	}
	return true;
}

static void expect(u32 first, u32 count, u64 entry)
{
	for (u32 i = 0; i < count; i++)
		expected[first + i] = entry ? entry + i * 4096ull : 0;
}

static int unmap(struct nv_mmu *mmu, u32 first, u32 count)
{
	u64 va = BASE + first * 4096ull, end = va + count * 4096ull;

	if (nv_mmu_split(mmu, va) || nv_mmu_split(mmu, end))
		return -1;
	nv_mmu_unmap(mmu, va, end - va);
	return 0;
}

/* A random range; large steps are aligned, so that all page sizes occur. */
static void pick_range(u32 *first, u32 *count, u64 *address)
{
	static const u32 steps[] = {1, 16, 512};
	u32 step = steps[random_below(3)], offset = (BASE >> 12) % step;

	*first = (u32)random_below(PAGES) / step * step + (step - offset) % step;
	*first %= PAGES;
	*count = 1 + (u32)random_below(step == 1 ? 40 : 2 * step);
	if (*count > PAGES - *first)
		*count = PAGES - *first;
	*address = (1 + random_below(1 << 16)) << 21 |
		   (random_below(2) ? ((BASE >> 12) + *first) % 512 << 12 : 0);
}

static void sizes(void)
{
	struct nv_mmu mmu;
	struct mmu_page p = {0};
	const char *wrong;
	u64 va = 0x40000000000;

	nv_mmu_init(&mmu, u->format, &memory, NULL);
	ok(!nv_mmu_map(&mmu, va, 2 * HUGE_BYTES, 0x80000000, BITS) &&
		   mmu_find(u->version, vram, VRAM_BYTES, mmu.root->address, va + HUGE_BYTES + 5,
			    &p, &wrong) &&
		   p.shift == 21,
	   "page size: aligned memory is mapped by pages of 2 MiB");
	ok(!nv_mmu_map(&mmu, va + 2 * HUGE_BYTES, 0x30000, 0x90010000, BITS) &&
		   mmu_find(u->version, vram, VRAM_BYTES, mmu.root->address, va + 2 * HUGE_BYTES,
			    &p, &wrong) &&
		   p.shift == 16,
	   "page size: memory aligned to 64 KiB is mapped by pages of 64 KiB");
	ok(!nv_mmu_map(&mmu, va + 2 * HUGE_BYTES + 0x30000, 0x2000, 0x90101000, BITS) &&
		   mmu_find(u->version, vram, VRAM_BYTES, mmu.root->address,
			    va + 2 * HUGE_BYTES + 0x31000, &p, &wrong) &&
		   p.shift == 12 && p.address == 0x90102000,
	   "page size: other memory is mapped by pages of 4 KiB");
	ok(mmu_find(u->version, vram, VRAM_BYTES, mmu.root->address, va, &p, &wrong) &&
		   (p.entry & ~u->address) == (BITS | NV_MMU3_VALID),
	   "page size: permissions and kind are as requested");
	ok(!nv_mmu_map(&mmu, (1ull << u->va_bits) - 4096, 4096, 0x1000, BITS) &&
		   mmu_find(u->version, vram, VRAM_BYTES, mmu.root->address,
			    (1ull << u->va_bits) - 1, &p, &wrong),
	   "page size: the last page of the address space can be mapped");
	nv_mmu_fini(&mmu);
	ok(!tables, "page size: all tables are freed");
}

static bool random_step(struct nv_mmu *mmu)
{
	u32 first, count;
	u64 address;

	pick_range(&first, &count, &address);
	if (unmap(mmu, first, count))
		return false;
	expect(first, count, 0);
	if (random_below(2))
		nv_mmu_reap(mmu);
	if (random_below(4)) {
		if (nv_mmu_map(mmu, BASE + first * 4096ull, count * 4096ull, address, BITS))
			return false;
		expect(first, count, address | MAPPED);
	}
	return mmu_agrees(mmu, "random steps");
}

static void random_steps(void)
{
	u32 rounds = 200 / TAP_SLOWNESS, left = 0;
	bool good = true;

	for (u32 round = 0; good && round < rounds; round++) {
		struct nv_mmu mmu;

		memset(vram, 0, sizeof(vram));
		memset(expected, 0, sizeof(expected));
		nv_mmu_init(&mmu, u->format, &memory, NULL);
		for (u32 i = 0; good && i < 12; i++)
			good = random_step(&mmu);
		good &= !unmap(&mmu, 0, PAGES);
		nv_mmu_reap(&mmu);
		left += tables - 1;
		nv_mmu_fini(&mmu);
	}
	ok(!left, "random: an empty address space has no table but the root");
	ok(good, "random: in %u address spaces the MMU finds every page at its address", rounds);
	ok(!tables, "random: all tables are freed");
	memset(expected, 0, sizeof(expected));
}

static void no_memory(void)
{
	u32 after;
	bool good = true;

	for (after = 0; after < 12; after++) {
		struct nv_mmu mmu;

		memset(vram, 0, sizeof(vram));
		if (nv_mmu_init(&mmu, u->format, &memory, NULL))
			break;
		allow = after;
		int status = nv_mmu_map(&mmu, BASE, 0x300000 + 4096, 0x40001000, BITS);

		allow = UINT32_MAX;
		expect(0, 0x301, status ? 0 : 0x40001000 | MAPPED);
		good = good && (!status || status == -ENOSPC) && mmu_agrees(&mmu, "no memory");
		nv_mmu_fini(&mmu);
		memset(expected, 0, sizeof(expected));
		if (!status)
			break;
	}
	ok(good && after > 3 && !tables,
	   "out of memory: without memory for tables nothing is mapped or lost");
}

/* Tables that replace a page when a mapping is split are always granted, so every mapping can be
 * unmapped, also in part. */
static void at_a_limit(void)
{
	u64 va = BASE + 0x100000; /* start of a slot */
	struct nv_mmu mmu;

	memset(vram, 0, sizeof(vram));
	granted = 0;
	ok(!nv_mmu_init(&mmu, u->format, &memory, NULL) &&
		   !nv_mmu_map(&mmu, va, HUGE_BYTES, HUGE_BYTES, BITS) &&
		   tables == 1 + u->directories,
	   "limit: a page of 2 MiB needs a root and the directories of each level");
	expect(256, 512, HUGE_BYTES | MAPPED);
	allow = 0;
	ok(nv_mmu_map(&mmu, va + HUGE_BYTES, 4096, 0x1000, BITS) == -ENOSPC &&
		   nv_mmu_map(&mmu, 0, HUGE_BYTES, 0, BITS) == -ENOSPC,
	   "limit: at the limit nothing more is mapped");
	nv_mmu_reap(&mmu);
	ok(tables == 1 + u->directories && mmu_agrees(&mmu, "refused"),
	   "limit: a rejected mapping leaves no table");
	ok(!unmap(&mmu, 256, 1) && granted == 2 && tables == 3 + u->directories,
	   "limit: a part can be unmapped, with two granted tables");
	expect(256, 1, 0);
	ok(mmu_agrees(&mmu, "a part was unmapped"), "limit: the rest stays mapped");
	ok(!unmap(&mmu, 256, 512), "limit: the whole range can be unmapped");
	nv_mmu_reap(&mmu);
	ok(tables == 1, "limit: only the root is left of the tables");
	nv_mmu_fini(&mmu);
	ok(!tables, "limit: the root is freed with the address space");
	allow = UINT32_MAX;
	memset(expected, 0, sizeof(expected));
}

/* A card that has fallen off the bus reads as all ones, and takes no writes. */
static void lost_card(void)
{
	u64 va = BASE + 0x100000; /* start of a slot */
	struct nv_mmu mmu;

	memset(vram, 0, sizeof(vram));
	nv_mmu_init(&mmu, u->format, &memory, NULL);
	nv_mmu_map(&mmu, va + 2 * HUGE_BYTES, 4096, 0x1000, BITS);
	nv_mmu_map(&mmu, va + 3 * HUGE_BYTES, HUGE_BYTES, HUGE_BYTES, BITS);
	memset(vram, 0xff, sizeof(vram));
	nv_mmu_unmap(&mmu, va, 5 * HUGE_BYTES);
	nv_mmu_reap(&mmu);
	ok(tables == 1, "lost card: all tables but the root are found empty and freed");
	nv_mmu_fini(&mmu);
	ok(!tables, "lost card: the root is freed, too");
}

/* Directories whose last entry RM writes. */
static void reserved_range(void)
{
	const u64 va = 0x100000000;
	u64 path[NV_MMU_MAX_LEVELS - 1] = {0};
	struct nv_mmu mmu;
	struct mmu_page p;
	const char *wrong;
	bool linked = true;

	memset(vram, 0, sizeof(vram));
	nv_mmu_init(&mmu, u->format, &memory, NULL);
	ok(!nv_mmu_reserve(&mmu, va, path) && tables == u->directories &&
		   path[0] == mmu.root->address,
	   "reserved range: the root and the directories but the last exist");
	for (u32 i = 0; i + 1 < u->directories; i++) {
		u32 index = nv_mmu_index(&mmu, i, va);

		linked &= (read_word(NULL, &(struct nv_mmu_table){.address = path[i]}, index) &
			   u->address)
				  << u->format->address_shift ==
			  path[i + 1];
	}
	ok(linked, "reserved range: each directory points to the next");
	ok(!nv_mmu_map(&mmu, 0, 4096, 0x1000, BITS) &&
		   mmu_find(u->version, vram, VRAM_BYTES, mmu.root->address, 0, &p, &wrong),
	   "reserved range: other addresses below the same directories can be mapped");
	nv_mmu_unmap(&mmu, 0, 4096);
	nv_mmu_reap(&mmu);
	ok(tables == u->directories,
	   "reserved range: its directories stay when nothing else is mapped there");
	nv_mmu_fini(&mmu);
	ok(!tables, "reserved range: they are freed with the address space");
	allow = u->directories - 2;
	memset(vram, 0, sizeof(vram));
	nv_mmu_init(&mmu, u->format, &memory, NULL);
	ok(nv_mmu_reserve(&mmu, va, path) == -ENOSPC, "reserved range: a table limit is an error");
	allow = UINT32_MAX;
	nv_mmu_fini(&mmu);
	ok(!tables, "reserved range: after which nothing is left");
}

/* The entry of address 0 in a root table at 4096, with video memory that ends before, in and right
 * after it. */
static void end_of_memory(void)
{
	struct mmu_page p;
	const char *wrong[3];

	memset(vram, 0, sizeof(vram));
	for (u32 i = 0; i < 3; i++)
		mmu_find(u->version, vram, 4096 + 4 * i, 4096, 0, &p, &wrong[i]);
	ok(wrong[0] && wrong[1] && !wrong[2],
	   "end of memory: an entry must lie in video memory with all of its 8 bytes");
}

/* Each access right of the driver's format is the one that the MMU reads. */
static void access_rights(void)
{
	const struct nv_mmu_format *f = u->format;
	const struct {
		u64 bits;
		bool system, cached, writable, privileged;
		const char *what;
	} rows[] = {
		{f->page, false, true, true, false, "video memory"},
		{f->page | f->system | f->uncached, true, false, true, false, "system memory"},
		{f->page | f->read_only, false, true, false, false, "read-only memory"},
		{f->page | f->privileged, false, true, true, true, "privileged memory"},
	};
	const char *wrong;
	struct nv_mmu mmu;
	struct mmu_page p;

	memset(vram, 0, sizeof(vram));
	nv_mmu_init(&mmu, f, &memory, NULL);
	for (u32 i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		ok(!nv_mmu_map(&mmu, i * 4096, 4096, 0x123456000, rows[i].bits) &&
			   mmu_find(u->version, vram, VRAM_BYTES, mmu.root->address, i * 4096, &p,
				    &wrong) &&
			   p.address == 0x123456000 && p.system == rows[i].system &&
			   p.cached == rows[i].cached && p.writable == rows[i].writable &&
			   p.atomics == rows[i].writable && p.privileged == rows[i].privileged,
		   "access: the MMU reads the rights of %s", rows[i].what);
	nv_mmu_fini(&mmu);
}

static void test_version(void)
{
	diag("page tables of %s", u->name);
	sizes();
	access_rights();
	end_of_memory();
	random_steps();
	no_memory();
	at_a_limit();
	lost_card();
	reserved_range();
}

int main(void)
{
	for (u = versions; u < versions + sizeof(versions) / sizeof(*versions); u++)
		test_version();
	return tap_done();
}
