// SPDX-License-Identifier: MIT
/* The copy engine: lines, fills, its semaphore, and rejected modes. */
#include "tests/userspace/model/nv/_rig.h"

#define LINEAR \
	(NV_COPY_TRANSFER_NON_PIPELINED | NV_COPY_FLUSH | NV_COPY_SRC_LINEAR | NV_COPY_DST_LINEAR)
#define SRC (RIG_DATA + 0x10000)
#define DST (RIG_DATA + 0x20000)

static struct rig r;

static void set(uint64_t src, uint64_t dst, uint32_t bytes)
{
	rig_word(&r, nv_method_pack(NV_METHOD_INC, 4, NV_COPY_SRC_HIGH, 7));
	rig_word(&r, (uint32_t)(src >> 32));
	rig_word(&r, (uint32_t)src);
	rig_word(&r, (uint32_t)(dst >> 32));
	rig_word(&r, (uint32_t)dst);
	rig_word(&r, 100); /* pitches */
	rig_word(&r, 60);
	rig_word(&r, bytes);
}

static void clean(void)
{
	uint8_t *src = rig_at(&r, SRC), *dst = rig_at(&r, DST);

	for (uint32_t i = 0; i < 0x10000; i++)
		src[i] = (uint8_t)(i * 7 + (i >> 8) * 3 + 1);
	memset(dst, 0xee, 0x10000);
}

/* True if dst[at .. at + n) holds src[from ..) and its neighbours are unchanged. */
static bool copied(uint32_t at, uint32_t from, uint32_t n)
{
	uint8_t *src = rig_at(&r, SRC), *dst = rig_at(&r, DST);

	return !memcmp(dst + at, src + from, n) && dst[at + n] == 0xee &&
	       (!at || dst[at - 1] == 0xee);
}

static void test_lines(void)
{
	static const struct {
		uint32_t from, to, bytes;
	} cases[] = {{0, 0, 1}, {3, 5, 4097}, {4090, 1, 12}, {0, 4095, 0x8000}, {17, 99, 0}};
	uint8_t *src = rig_at(&r, SRC);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		clean();
		set(SRC + cases[i].from, DST + cases[i].to, cases[i].bytes);
		rig_method(&r, 4, NV_COPY_LAUNCH, LINEAR);
		ok(rig_go(&r) && copied(cases[i].to, cases[i].from, cases[i].bytes),
		   "copy of %u bytes from +%u to +%u", cases[i].bytes, cases[i].from, cases[i].to);
	}
	clean();
	set(SRC, DST, 10);
	rig_method(&r, 4, NV_COPY_LINES, 3);
	rig_method(&r, 4, NV_COPY_LAUNCH, LINEAR | NV_COPY_MULTI_LINE);
	ok(rig_go(&r) && copied(0, 0, 10) && copied(60, 100, 10) && copied(120, 200, 10),
	   "copy of three lines by pitch");
	clean();
	set(SRC, DST, 10);
	rig_method(&r, 4, NV_COPY_LINES, 3);
	rig_method(&r, 4, NV_COPY_LAUNCH, LINEAR);
	ok(rig_go(&r) && copied(0, 0, 10) && ((uint8_t *)rig_at(&r, DST))[60] == 0xee,
	   "without MULTI_LINE one line is copied");
	clean();
	set(SRC, SRC + 8, 64);
	rig_method(&r, 4, NV_COPY_LAUNCH, LINEAR);
	ok(rig_go(&r) && src[8] == 1 && src[71] == (uint8_t)(63 * 7 + 1),
	   "an overlapping copy behaves like memmove");
}

/* Pages that are adjacent in the address space need not be adjacent in memory. */
static void test_scattered(void)
{
	uint8_t *src = rig_at(&r, SRC), *dst = rig_at(&r, DST);
	uint32_t rights = MODEL_READ | MODEL_WRITE;
	bool good = !model_map(r.space, 0x50000, dst + 0x1000, 0x1000, rights) &&
		    !model_map(r.space, 0x51000, dst, 0x1000, rights) &&
		    !model_map(r.space, 0x60000, src + 0x3000, 0x1000, MODEL_READ) &&
		    !model_map(r.space, 0x61000, src + 0x1000, 0x1000, MODEL_READ);

	clean();
	set(0x60000 + 100, 0x50000 + 300, 0x1000);
	rig_method(&r, 4, NV_COPY_LAUNCH, LINEAR);
	good = good && rig_go(&r);
	for (uint32_t i = 0; i < 0x1000; i++) {
		uint32_t from = 100 + i < 0x1000 ? 0x3000 + 100 + i : 0x1000 + 100 + i - 0x1000;
		uint32_t to = 300 + i < 0x1000 ? 0x1000 + 300 + i : 300 + i - 0x1000;

		good &= dst[to] == src[from];
	}
	ok(good && dst[0x1000 + 299] == 0xee && dst[300] == 0xee,
	   "copy across pages scattered in memory");
	clean();
	set(SRC, 0x50000 + 0xff0, 8);
	rig_method(&r, 4, NV_COPY_REMAP_CONST_A, 0xabababab);
	rig_method(&r, 4, NV_COPY_REMAP_COMPONENTS, NV_COPY_REMAP_FILL(4));
	rig_method(&r, 4, NV_COPY_LAUNCH, LINEAR | NV_COPY_REMAP);
	ok(rig_go(&r) && dst[0x1ff0] == 0xab && dst[0x1fff] == 0xab && dst[0] == 0xab &&
		   dst[15] == 0xab && dst[16] == 0xee && dst[0x2000] == 0xee,
	   "fill across pages scattered in memory");
	model_unmap(r.space, 0x50000, 0x2000);
	model_unmap(r.space, 0x60000, 0x2000);
}

static void test_fill(void)
{
	static const uint32_t expect[] = {0, 0x78, 0x5678, 0, 0x12345678};

	for (uint32_t size = 1; size <= 4; size *= 2) {
		uint32_t n = 5000, wrong = 0;
		uint8_t *dst = rig_at(&r, DST);

		clean();
		set(SRC, DST + 8, n);
		rig_method(&r, 4, NV_COPY_REMAP_CONST_A, 0x12345678);
		rig_method(&r, 4, NV_COPY_REMAP_COMPONENTS, NV_COPY_REMAP_FILL(size));
		rig_method(&r, 4, NV_COPY_LAUNCH, LINEAR | NV_COPY_REMAP);
		ok(rig_go(&r), "a fill with %u-byte elements runs", size);
		for (uint32_t i = 0; i < n; i++)
			wrong += memcmp(dst + 8 + i * size, &expect[size], size) != 0;
		ok(!wrong && dst[7] == 0xee && dst[8 + n * size] == 0xee,
		   "a fill writes its 5000 elements and nothing else");
	}
}

static void test_semaphore(void)
{
	uint64_t *s = rig_at(&r, RIG_DATA + 0x40);

	for (uint32_t wide = 0; wide < 2; wide++) {
		memset(s, 0xff, 16);
		rig_word(&r, nv_method_pack(NV_METHOD_INC, 4, NV_COPY_SEMAPHORE_A, 4));
		rig_word(&r, (uint32_t)((RIG_DATA + 0x40) >> 32));
		rig_word(&r, (uint32_t)(RIG_DATA + 0x40));
		rig_word(&r, 0x89abcdef);
		rig_word(&r, 0x01234567);
		rig_method(&r, 4, NV_COPY_LAUNCH,
			   wide ? NV_COPY_RELEASE_TIMESTAMP | NV_COPY_PAYLOAD_64
				: NV_COPY_RELEASE_PLAIN);
		ok(rig_go(&r), "a semaphore is released without a copy");
		ok(wide ? s[0] == 0x0123456789abcdef && s[1] < UINT64_MAX
			: s[0] == 0xffffffff89abcdef && s[1] == UINT64_MAX,
		   wide ? "the release writes 64 bits and a timestamp"
			: "the release writes 32 bits and no more");
	}
}

static const struct {
	uint32_t launch, components;
	uint64_t src, dst;
	uint32_t xid;
	const char *text;
} refused[] = {
	{LINEAR & ~NV_COPY_SRC_LINEAR, 0, SRC, DST, 69, "block-linear memory is not modelled"},
	{LINEAR | NV_COPY_SRC_PHYSICAL, 0, SRC, DST, 69, "physical addresses"},
	{LINEAR | NV_COPY_DST_PHYSICAL, 0, SRC, DST, 69, "physical addresses"},
	{LINEAR | NV_COPY_DST_PHYSICAL | NV_COPY_REMAP, NV_COPY_REMAP_FILL(4), SRC, DST, 69,
	 "physical addresses"},
	{LINEAR | NV_COPY_SEMAPHORE_REDUCTION, 0, SRC, DST, 69, "semaphore reductions"},
	{LINEAR | NV_COPY_REMAP, 0, SRC, DST, 69, "modelled is a fill with constant A"},
	{LINEAR | NV_COPY_REMAP, NV_COPY_REMAP_FILL(4), SRC, DST + 2, 69, "aligned to their size"},
	{LINEAR, 0, RIG_HOLE, DST, 31, "the copy's source at 0x700000000 is not mapped"},
	{LINEAR, 0, SRC, RIG_HOLE + 8, 31, "the copy's destination at 0x700000008 is not mapped"},
	{LINEAR, 0, RIG_BASE + RIG_BYTES - 8, DST, 31,
	 "the copy's source at 0x104000000 is not mapped"},
};

static void test_refused(void)
{
	struct model_error e;

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		rig_renew(&r);
		set(refused[i].src, refused[i].dst, 64);
		rig_method(&r, 4, NV_COPY_REMAP_COMPONENTS, refused[i].components);
		rig_method(&r, 4, NV_COPY_LAUNCH, refused[i].launch);
		if (!ok(!rig_go(&r) && strstr(rig_error(&r, &e), refused[i].text) &&
				e.xid == refused[i].xid,
			"copy error: %s", refused[i].text))
			diag("%s", e.text);
	}
}

/* Resolves the first half of memory only. */
static uint8_t *physical(void *argument, uint32_t target, uint64_t address)
{
	struct rig *rig = argument;

	return target == NV_COPY_TARGET_VRAM && address < RIG_BYTES / 2 ? rig->vram + address
									: NULL;
}

/* A channel that may use physical addresses, and their limits. */
static void test_physical(void)
{
	struct model_channel_config c = {.ring_va = RIG_RING,
					 .ring_entries = RIG_ENTRIES,
					 .userd = r.userd,
					 .notifier = &r.notifier,
					 .privileged = true,
					 .physical = physical,
					 .argument = &r};
	struct model_error e;

	rig_renew(&r);
	model_channel_destroy(r.channel);
	if (model_channel_create(r.m, r.space, &c, &r.channel))
		abort();
	clean();
	set(SRC - RIG_BASE, DST, 64);
	rig_method(&r, 4, NV_COPY_LAUNCH, LINEAR | NV_COPY_SRC_PHYSICAL);
	rig_method(&r, 0, NV_HOST_MEM_OP_D, (uint32_t)NV_MEM_OP_D_TLB_INVALIDATE << 27);
	ok(rig_go(&r) && copied(0, 0, 64), "a privileged channel copies by physical address");
	set(SRC, DST, 64);
	rig_method(&r, 4, NV_COPY_DST_PHYSICAL_TARGET, NV_COPY_TARGET_PEER);
	rig_method(&r, 4, NV_COPY_LAUNCH, LINEAR | NV_COPY_DST_PHYSICAL);
	ok(!rig_go(&r) && rig_error(&r, &e) && e.xid == 31,
	   "a physical address that does not resolve is an MMU fault");
}

int main(void)
{
	rig_open(&r, "gh100", false, 1);
	test_lines();
	test_scattered();
	test_fill();
	test_semaphore();
	test_refused();
	test_physical();
	rig_close(&r);
	return tap_done();
}
