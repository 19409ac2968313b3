/* SPDX-License-Identifier: MIT */
/*
 * What AMD's queues are given, word for word: launches, fences, waits, copies. Expected words were worked out by hand
 * from the layouts of amdgpu's nvd.h and navi10_sdma_pkt_open.h, not by the code under test.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/gpu/amd/amd_gpu.h"
#include "tests/tap.h"

#define NOP          0xffff1002
#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static uint32_t words[700];

static bool are(const struct gpu_push *p, const uint32_t *expected, uint32_t count)
{
	uint32_t i;

	if (p->overflow || p->count != count) {
		diag("%u words%s, expected %u", p->count, p->overflow ? " and more" : "", count);
		return false;
	}
	for (i = 0; i < count; i++)
		if (p->words[i] != expected[i]) {
			diag("word %u is 0x%08x, expected 0x%08x", i, p->words[i], expected[i]);
			return false;
		}
	return true;
}
#define ARE(p, ...) \
	are(p, (const uint32_t[]){__VA_ARGS__}, \
	    sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static struct gpu_push begin(bool copying)
{
	return (struct gpu_push){.words = words, .capacity = COUNT(words), .copying = copying};
}

/* ---- launches ---- */

static const struct amd_card navi21 = {
	.units = 80, .waves_per_unit = 32, .registers_per_unit = 65536, .lds_per_unit = 64 << 10};

static const struct gpu_local private_memory = {
	.thread_bytes = 96, .unit_bytes = 3072, .bytes = 3072 * 2560, .address = 0x7e1234560000};

static struct gpu_launch launch = {
	.grid = {7, 8, 9},
	.block = {64, 2, 1},
	.dynamic_shared = 100,
	.local = &private_memory,
	.id = 0x1122334455667788,
};

/* A kernel without private memory, which wants its arguments and the id of x. */
static void plain_launch(void)
{
	const struct amd_kernel k = {
		.entry = 0x123456789a00,
		.rsrc1 = 0x60af0081,
		.rsrc2 = 2 << 1 | 1 << 7,
		.properties = AMD_WAVE32 | AMD_KERNARG_SEGMENT_PTR,
		.lds_bytes = 500,
	};
	struct gpu_push p = begin(false);

	ok(amd_grid_fits(&k), "a kernel fits");
	amd_grid_push(&navi21, &k, &launch, 0x3000000000, 0x3000000200, &p);
	ok(ARE(&p, 0xc0065802, 0, 0xffffffff, 0x01ffffff, 0, 0, 10, 0xc3f0, /* ACQUIRE_MEM */
	       0xc0067602, 0x204, 0, 0, 0, 64, 2, 1,   /* START_X … NUM_THREAD_Z */
	       0xc0027602, 0x20c, 0x3456789a, 0x12,    /* PGM_LO, PGM_HI */
	       0xc0027602, 0x212, 0x60af0081, 0x10084, /* RSRC1, RSRC2: two units of LDS */
	       0xc0017602, 0x215, 0,                   /* RESOURCE_LIMITS */
	       0xc0017602, 0x218, 0,                   /* TMPRING_SIZE */
	       0xc0017602, 0x228, 0,                   /* RSRC3 */
	       0xc0027602, 0x240, 0x200, 0x30,         /* USER_DATA: the arguments */
	       0xc0031502, 7, 8, 9, 0x8005),           /* DISPATCH_DIRECT */
	   "its launch is these packets");
}

/* One that wants everything. */
static void greedy_launch(void)
{
	const struct amd_kernel k = {
		.entry = 0x100,
		.rsrc2 = 1 | 15 << 1,
		.rsrc3 = 5,
		.properties = AMD_WAVE32 | 0x7f,
		.private_bytes = 96,
	};
	struct gpu_launch l = launch;
	struct gpu_push p = begin(false);

	l.dynamic_shared = 0;
	l.new_code = true;
	amd_grid_push(&navi21, &k, &l, 0x3000000000, 0x3000000200, &p);
	ok(ARE(&p, 0xc0065802, 0, 0xffffffff, 0x01ffffff, 0, 0, 10, 0xc3f1, 0xc0067602, 0x204, 0, 0,
	       0, 64, 2, 1, 0xc0027602, 0x20c, 1, 0, 0xc0027602, 0x212, 0, 31, 0xc0017602, 0x215, 0,
	       0xc0017602, 0x218, 3 << 12 | 2560, 0xc0017602, 0x228, 5, 0xc00f7602, 0x240,
	       0x34560000, 0x80007e12, 0xffffffff, 0x31c16000, /* resource of private memory */
	       0, 0x30,                                        /* dispatch packet */
	       0x80, 0x30,                                     /* queue */
	       0x200, 0x30,                                    /* arguments */
	       0x55667788, 0x11223344,                         /* number of the launch */
	       0x34560000, 0x7e12,                             /* private memory */
	       96,                                             /* and how much of it */
	       0xc0031502, 7, 8, 9, 0x8005),
	   "user registers are in HSA's order, and private memory has a ring");
}

static void misfits(void)
{
	const struct amd_kernel good = {.entry = 0x100, .properties = AMD_WAVE32};
	struct amd_kernel k = good;

	k.entry = 0x180;
	ok(!amd_grid_fits(&k), "code begins at a multiple of 256");
	k = good;
	k.properties = 0;
	ok(!amd_grid_fits(&k), "waves have 32 lanes");
	k = good;
	k.private_bytes = AMD_PRIVATE_MAX + AMD_PRIVATE_ALIGN;
	ok(!amd_grid_fits(&k), "private memory has a limit");
	k = good;
	k.rsrc2 = 17 << 1;
	ok(!amd_grid_fits(&k), "there are sixteen user registers");
}

static void arguments(void)
{
	struct amd_kernel k = {.kernarg_bytes = 272};
	uint8_t bytes[272] = {0}, head[AMD_PLACE_HEAD];
	uint32_t h, word;

	for (h = 0; h < AMD_HIDDEN_COUNT; h++) {
		k.hidden[h].offset = 16 + amd_hidden_args[h].offset;
		k.hidden[h].bytes = amd_hidden_args[h].bytes;
	}
	amd_grid_hidden(&k, &launch, bytes);
	memcpy(&word, bytes + 16 + 4, 4);
	ok(word == 8, "hidden_block_count_y");
	ok(bytes[16 + 12] == 64 && bytes[16 + 14] == 2 && !bytes[16 + 18],
	   "group sizes, no remainder");
	ok(bytes[16 + 64] == 3 && bytes[16 + 120] == 100, "dimensions, dynamic LDS");
	memcpy(&word, bytes + 16 + 196, 4);
	ok(word == 0x00010000, "the window of LDS");
	amd_grid_head(&k, &launch, 0x3000000200, head);
	memcpy(&word, head + 12, 4);
	ok(head[4] == 64 && word == 7 * 64 && head[40] == 0 && head[41] == 2, "HSA's packet");
	memcpy(&word, head + AMD_PLACE_QUEUE + 68, 4);
	ok(word == 0x00020000, "the window of private memory in the queue");
}

static void occupancy(void)
{
	struct gpu_local l = amd_grid_local(&navi21, 33);

	ok(l.thread_bytes == 64 && l.unit_bytes == 2048 && l.bytes == 2048ull * 2560,
	   "private memory for 2,560 waves of 32 threads");
	ok(amd_grid_blocks(&navi21, 64, false, 1024, 0) == 2,
	   "1,024 threads of 64 registers: one a unit");
	ok(amd_grid_blocks(&navi21, 65, false, 1024, 0) == 0, "of 65: none");
	ok(amd_grid_blocks(&navi21, 128, true, 1024, 0) == 1, "by pairs 128: one");
	ok(amd_grid_blocks(&navi21, 1, false, 32, 0) == 64,
	   "of one wave, as many as there are waves");
	ok(amd_grid_blocks(&navi21, 1, false, 33, 0) == 32,
	   "of two, as many as there are barriers");
	ok(amd_grid_blocks(&navi21, 1, true, 64, 20 << 10) == 6, "128 KiB of LDS a pair");
}

/* ---- order ---- */

static void order(void)
{
	struct gpu_push p = begin(false);

	amd_gpu.acquire(&p, 0x1234567890, 42);
	ok(ARE(&p, 0xc0053c02, 0x15, 0x34567890, 0x12, 42, 0xffffffff, 10), "a wait");
	p = begin(false);
	amd_gpu.release(&p, 0x1234567890, 42, 0);
	ok(ARE(&p, 0xc0004602, 0x407, 0xc0064902, 0x06603514, 1u << 29, 0x34567890, 0x12, 42, 0, 0),
	   "a release waits for dispatches");
	p = begin(false);
	amd_gpu.release(&p, 0x1234567890, 42, GPU_RELEASE_TIMESTAMP | GPU_RELEASE_NO_WAIT);
	ok(ARE(&p, 0xc0064902, 0x06603514, 3u << 29, 0x34567898, 0x12, 0, 0, 0, 0xc0064902,
	       0x06603514, 1u << 29, 0x34567890, 0x12, 42, 0, 0),
	   "the time comes before the value");
	p = begin(false);
	amd_gpu.interrupt(&p);
	ok(ARE(&p, 0xc0064902, 0x06603514, 1u << 24, 0, 0, 0, 0, 0), "an interrupt");
	p = begin(false);
	amd_gpu.write(&p, 0x1234567890, "abcdefgh", 8);
	ok(ARE(&p, 0xc0043702, 0x100500, 0x34567890, 0x12, 0x64636261, 0x68676665),
	   "bytes in the packet");
	amd_gpu.pad(&p);
	ok(p.count == 8 && p.words[6] == 0xffff1002 && p.words[7] == 0xffff1002,
	   "buffers are multiples of eight words");
	p = begin(true);
	amd_gpu.acquire(&p, 0x1234567890, 42);
	ok(ARE(&p, 0xd0000008, 0x34567890, 0x12, 42, 0xffffffff, 0x0fff000a),
	   "a copy queue's wait");
	p = begin(true);
	amd_gpu.release(&p, 0x1234567890, 42, GPU_RELEASE_TIMESTAMP);
	ok(ARE(&p, 0x20d, 0x34567898, 0x12, 0x30005, 0x34567890, 0x12, 42), "its release");
	p = begin(true);
	amd_gpu.interrupt(&p);
	ok(ARE(&p, 6, 0), "its interrupt");
	p.capacity = p.count;
	amd_gpu.release(&p, 0, 0, 0);
	ok(p.overflow, "what does not fit is said");
}

/* ---- copies ---- */

static void copies(void)
{
	struct gpu_push p = begin(true);

	amd_gpu.copy(&p, 0x7e0000000001, 0x1122334455, 3, 0x1000, 9);
	ok(ARE(&p, 1, 2, 0, 0x22334455, 0x11, 1, 0x7e00), "a copy");
	p = begin(true);
	amd_gpu.fill(&p, 0x1000, 0xab, 1, 8, 0x2000, 9);
	ok(ARE(&p, 0x8000000b, 0x1000, 0, 0xabababab, 7), "bytes filled by words");
	p = begin(true);
	amd_gpu.fill(&p, 0x1002, 0xabcd, 2, 8, 0x2000, 9);
	ok(ARE(&p, 0x4000000b, 0x1002, 0, 0xabcdabcd, 1, 0x8000000b, 0x1004, 0, 0xabcdabcd, 3,
	       0x4000000b, 0x1008, 0, 0xabcdabcd, 1),
	   "but for what is no whole word");
	p = begin(true);
	amd_gpu.fill(&p, 0x1001, 0xab, 1, 2, 0x2000, 9);
	ok(ARE(&p, 0xb, 0x1001, 0, 0xabababab, 1), "two bytes inside of one");
}

static void lines(void)
{
	struct gpu_lines l = {.destination = 0x7e0000000010,
			      .source = 0x1000,
			      .bytes = 48,
			      .lines = 5,
			      .destination_pitch = 64,
			      .source_pitch = 128};
	struct gpu_push p = begin(true);

	amd_gpu.copy_lines(&p, &l, 0x2000, 9);
	ok(ARE(&p, 0x80000401, 0x1000, 0, 0, 7 << 13, 0, 0x10, 0x7e00, 0, 3 << 13, 0, 4 << 16 | 2,
	       0),
	   "a box of units of 16 bytes");
	l.source++;
	p = begin(true);
	amd_gpu.copy_lines(&p, &l, 0x2000, 9);
	ok(p.count == 5 * 7 && words[0] == 1 && words[3] == 0x1001 && words[10] == 0x1081,
	   "an odd one goes line by line");
	ok(amd_gpu.lines_most(&l) == 34, "of which 34 fit a piece");
	l.source--;
	l.bytes = l.source_pitch = l.destination_pitch = 3 << 18; /* three columns */
	l.lines = 20000;
	p = begin(true);
	amd_gpu.copy_lines(&p, &l, 0x2000, 9);
	ok(p.count == 6 * 13 && words[13 + 1] == 0x1000 + (1 << 18) && words[39 + 1] == 0x1000 &&
		   words[39 + 2] == 3 && words[39 + 11] == ((3615u << 16) | 0x3fff),
	   "a large one is cut into columns and rows");
	ok(amd_gpu.lines_most(&l) == 6 * 16384, "as many as fit a piece");
	l.bytes = 4;
	l.source_pitch = l.destination_pitch = 0xfffffffc;
	ok(amd_gpu.lines_most(&l) == 34, "lines too far apart go one by one");
}

/* ---- rings ---- */

static void rings(void)
{
	const struct gpu_completion end = {.semaphore = 0x1234567890, .payload = 42},
			     loud = {.semaphore = 0x1234567890, .payload = 42, .interrupt = true};
	uint32_t ring[4 * 16 + 1] = {0};
	struct winsys_queue_memory m = {.ring = (uint64_t *)(void *)ring, .ring_entries = 4};
	struct gpu_push entry = {.words = ring + 16, .count = 16};

	ok(amd_gpu.entry_bytes == 64, "entries have 16 words");
	ok(amd_gpu.enter(&m, 16, 4, gpu_span(0x9876543210, 24), false, NULL) == 32,
	   "a compute queue's put counts words");
	ok(ARE(&entry, 0xc0023f02, 0x76543210, 0x98, 1u << 23 | 24, NOP, NOP, NOP, NOP, NOP, NOP,
	       NOP, NOP, NOP, NOP, NOP, NOP) &&
		   !ring[15] && !ring[32],
	   "an indirect buffer and fillers");
	amd_gpu.enter(&m, 16, 4, gpu_span(0x9876543210, 24), false, &end);
	ok(ARE(&entry, 0xc0023f02, 0x76543210, 0x98, 1u << 23 | 24, 0xc0004602, 0x407, 0xc0064902,
	       0x06603514, 1u << 29, 0x34567890, 0x12, 42, 0, 0, NOP, NOP),
	   "which a release may follow, when dispatches have ended");
	amd_gpu.enter(&m, 16, 4, 0, false, &loud);
	ok(ARE(&entry, 0xc0004602, 0x407, 0xc0064902, 0x06603514, 1u << 29 | 2 << 24, 0x34567890,
	       0x12, 42, 0, 0, NOP, NOP, NOP, NOP, NOP, NOP),
	   "also with an interrupt, and without a buffer");
	ok(amd_gpu.enter(&m, 48, 4, gpu_span(0x9876543210, 24), false, NULL) == 0, "it wraps");
	ok(!ring[64], "and stays inside");
	ok(amd_gpu.enter(&m, 64, 4, gpu_span(0x9876543220, 24), true, &loud) == 128,
	   "a copy queue's counts bytes");
	ok(ARE(&entry, 0, 0, 4, 0x76543220, 0x98, 24, 0, 0, 0x30005, 0x34567890, 0x12, 42, 6, 0, 0,
	       0),
	   "a buffer that ends a group of eight words, a fence, an interrupt");
}

int main(void)
{
	plain_launch();
	greedy_launch();
	misfits();
	arguments();
	occupancy();
	order();
	copies();
	lines();
	rings();
	return tap_done();
}
