// SPDX-License-Identifier: MIT
/* Inline-to-memory: any length to any address, and rejected modes. */
#include "libsov/gpu/nv/nv_gpu.h"
#include "tests/userspace/model/nv/_rig.h"

#define DST (RIG_DATA + 0x20000)

static struct rig r;

static void lengths(void)
{
	static const struct {
		uint32_t to, bytes;
	} cases[] = {{0, 1}, {1, 3}, {0, 4}, {3, 5}, {4094, 8}, {16, 256}, {7, 2047}, {0, 2048}};
	uint8_t *dst = rig_at(&r, DST), data[NV_PUSH_INLINE_MAX];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t words[600], n = cases[i].bytes, to = cases[i].to;
		struct gpu_push p = {.words = words, .capacity = 600};

		for (uint32_t k = 0; k < n; k++)
			data[k] = (uint8_t)(k * 7 + i + 1);
		memset(dst, 0xee, 0x2000);
		nv_push_inline(&p, DST + to, data, n);
		for (uint32_t k = 0; k < p.count; k++)
			rig_word(&r, words[k]);
		ok(rig_go(&r) && !p.overflow && !memcmp(dst + to, data, n) && dst[to + n] == 0xee &&
			   (!to || dst[to - 1] == 0xee),
		   "inline data writes %u bytes to +%u, and nothing else", n, to);
	}
}

static void too_little_room(void)
{
	uint32_t words[16], data[16] = {0};
	struct gpu_push p = {.words = words, .capacity = 16};

	nv_push_inline(&p, DST, data, sizeof(data));
	ok(p.overflow && p.count <= 16,
	   "inline data that overflows the push buffer is omitted and reported");
}

static const struct {
	uint32_t lines, launch, words;
	uint64_t to;
	uint32_t xid;
	const char *text;
} refused[] = {
	{1, 0, 2, DST, 69, "only one line to linear memory"},
	{2, NV_INLINE_LINEAR, 2, DST, 69, "only one line to linear memory"},
	{1, NV_INLINE_LINEAR | 2u << 4, 2, DST, 69, "without a semaphore"},
	{1, NV_INLINE_LINEAR, 3, DST, 69, "more data than the transfer's length"},
	{1, NV_INLINE_LINEAR, 1, DST, 69, "the previous transfer still expects data"},
	{1, NV_INLINE_LINEAR, 2, RIG_HOLE, 31, "inline data at 0x700000000 is not mapped"},
};

static void refusals(void)
{
	struct model_error e;

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		rig_renew(&r);
		rig_method(&r, 1, NV_COMPUTE_INLINE_BYTES, 8);
		rig_method(&r, 1, NV_COMPUTE_INLINE_LINES, refused[i].lines);
		rig_method(&r, 1, NV_COMPUTE_INLINE_TO_HIGH, (uint32_t)(refused[i].to >> 32));
		rig_method(&r, 1, NV_COMPUTE_INLINE_TO_LOW, (uint32_t)refused[i].to);
		rig_method(&r, 1, NV_COMPUTE_INLINE_LAUNCH, refused[i].launch);
		for (uint32_t k = 0; k < refused[i].words; k++)
			rig_method(&r, 1, NV_COMPUTE_INLINE_DATA, k);
		rig_method(&r, 1, NV_COMPUTE_INLINE_LAUNCH, refused[i].launch);
		if (!ok(!rig_go(&r) && strstr(rig_error(&r, &e), refused[i].text) &&
				e.xid == refused[i].xid,
			"inline data error: %s", refused[i].text))
			diag("%s", e.text);
	}
}

int main(void)
{
	rig_open(&r, "gh100", false, 1);
	lengths();
	too_little_room();
	refusals();
	rig_close(&r);
	return tap_done();
}
