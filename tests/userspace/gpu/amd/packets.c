// SPDX-License-Identifier: MIT
/*
 * The packets of AMD's compute and copy queues, word for word. The expected words were derived by
 * hand from the layouts in amdgpu's nvd.h and navi10_sdma_pkt_open.h, not by the code under test.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/gpu/amd/amd_gpu.h"
#include "tests/tap.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static uint32_t words[700];

static bool words_equal(const struct gpu_push *p, const uint32_t *expected, uint32_t count)
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
#define WORDS_EQUAL(p, ...) \
	words_equal(p, (const uint32_t[]){__VA_ARGS__}, \
		    sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static struct gpu_push new_push(bool copy_queue)
{
	return (struct gpu_push){
		.words = words, .capacity = COUNT(words), .copy_queue = copy_queue};
}

/* ---- launches ---- */

static const struct amd_gpu_config navi21 = {
	.units = 80,
	.waves_per_unit = 32,
	.registers_per_unit = 65536,
	.lds_per_unit = 64 << 10,
	.engines = 4,
};

static const struct gpu_local scratch = {
	.thread_bytes = 96, .unit_bytes = 3072, .bytes = 3072 * 2560, .address = 0x7e1234560000};

static struct gpu_launch launch = {
	.grid = {7, 8, 9},
	.block = {64, 2, 1},
	.dynamic_shared = 100,
	.local = &scratch,
	.id = 0x1122334455667788,
};

/* A kernel without scratch that uses its arguments and the workgroup id of x. */
static void test_minimal_launch(void)
{
	const struct amd_kernel k = {
		.entry = 0x123456789a00,
		.rsrc1 = 0x60af0081,
		.rsrc2 = 2 << 1 | 1 << 7,
		.properties = AMD_WAVE32 | AMD_KERNARG_SEGMENT_PTR,
		.lds_bytes = 500,
	};
	struct gpu_push p = new_push(false);

	ok(amd_dispatch_fits(&k), "amd: a kernel with valid fields can be dispatched");
	amd_dispatch_push(&navi21, &k, &launch, 0x3000000000, 0x3000000200, &p);
	ok(WORDS_EQUAL(&p, 0xc0065802, 0, 0xffffffff, 0x01ffffff, 0, 0, 10,
		       0xc3f0,                                 /* ACQUIRE_MEM */
		       0xc0067602, 0x204, 0, 0, 0, 64, 2, 1,   /* START_X … NUM_THREAD_Z */
		       0xc0027602, 0x20c, 0x3456789a, 0x12,    /* PGM_LO, PGM_HI */
		       0xc0027602, 0x212, 0x60af0081, 0x10084, /* RSRC1, RSRC2: two units of LDS */
		       0xc0017602, 0x215, 0,                   /* RESOURCE_LIMITS */
		       0xc0017602, 0x218, 0,                   /* TMPRING_SIZE */
		       0xc0017602, 0x228, 0,                   /* RSRC3 */
		       0xc0027602, 0x240, 0x200, 0x30,         /* USER_DATA: kernarg */
		       0xc0031502, 7, 8, 9, 0x8005),           /* DISPATCH_DIRECT */
	   "amd: a launch without scratch writes the expected packets");
}

/* A kernel that requests all user SGPRs. */
static void test_full_launch(void)
{
	const struct amd_kernel k = {
		.entry = 0x100,
		.rsrc2 = 1 | 15 << 1,
		.rsrc3 = 5,
		.properties = AMD_WAVE32 | 0x7f,
		.scratch_bytes = 96,
	};
	struct gpu_launch l = launch;
	struct gpu_push p = new_push(false);

	l.dynamic_shared = 0;
	l.new_code = true;
	amd_dispatch_push(&navi21, &k, &l, 0x3000000000, 0x3000000200, &p);
	ok(WORDS_EQUAL(&p, 0xc0004602, 0x407, /* other kernels' waves have left the area */
		       0xc0065802, 0, 0xffffffff, 0x01ffffff, 0, 0, 10, 0xc3f1, 0xc0067602, 0x204,
		       0, 0, 0, 64, 2, 1, 0xc0027602, 0x20c, 1, 0, 0xc0027602, 0x212, 0, 31,
		       0xc0017602, 0x215, 0, 0xc0017602, 0x218, 3 << 12 | 2560, 0xc0017602, 0x228,
		       5, 0xc00f7602, 0x240, 0x34560000, 0x80007e12, 0xffffffff,
		       0x31c16000,             /* resource of private memory */
		       0, 0x30,                /* dispatch packet */
		       0x80, 0x30,             /* queue */
		       0x200, 0x30,            /* arguments */
		       0x55667788, 0x11223344, /* dispatch id */
		       0x34560000, 0x7e12,     /* flat scratch init */
		       96,                     /* private segment size */
		       0xc0031502, 7, 8, 9, 0x8005),
	   "amd: user SGPRs are in HSA's order and TMPRING_SIZE describes scratch");
}

static void test_invalid_kernels(void)
{
	const struct amd_kernel good = {.entry = 0x100, .properties = AMD_WAVE32};
	struct amd_kernel k = good;

	k.entry = 0x180;
	ok(!amd_dispatch_fits(&k), "amd: an entry point that is not 256-byte aligned is rejected");
	k = good;
	k.properties = 0;
	ok(!amd_dispatch_fits(&k), "amd: a wave64 kernel is rejected");
	k = good;
	k.scratch_bytes = AMD_SCRATCH_MAX + AMD_SCRATCH_ALIGN;
	ok(!amd_dispatch_fits(&k), "amd: scratch above the limit is rejected");
	k = good;
	k.rsrc2 = 17 << 1;
	ok(!amd_dispatch_fits(&k), "amd: more than 16 user SGPRs are rejected");
}

static void test_hidden_arguments(void)
{
	struct amd_kernel k = {.kernarg_bytes = 272};
	uint8_t bytes[272] = {0}, head[AMD_SLOT_HEAD_BYTES];
	uint32_t h, word;

	for (h = 0; h < AMD_HIDDEN_COUNT; h++) {
		k.hidden[h].offset = 16 + amd_hidden_args[h].offset;
		k.hidden[h].bytes = amd_hidden_args[h].bytes;
	}
	amd_dispatch_hidden_args(&k, &launch, bytes);
	memcpy(&word, bytes + 16 + 4, 4);
	ok(word == 8, "amd: hidden_block_count_y is the grid's height");
	ok(bytes[16 + 12] == 64 && bytes[16 + 14] == 2 && !bytes[16 + 18],
	   "amd: hidden_group_size is the block's size and hidden_remainder is 0");
	ok(bytes[16 + 64] == 3 && bytes[16 + 120] == 100,
	   "amd: hidden_grid_dims and hidden_dynamic_lds_size are set");
	memcpy(&word, bytes + 16 + 196, 4);
	ok(word == 0x00010000, "amd: hidden_shared_base is the LDS aperture");
	amd_dispatch_slot_head(&k, &launch, 0x3000000200, head);
	memcpy(&word, head + 12, 4);
	ok(head[4] == 64 && word == 7 * 64 && head[40] == 0 && head[41] == 2,
	   "amd: the slot contains HSA's dispatch packet");
	memcpy(&word, head + AMD_SLOT_AMD_QUEUE + 68, 4);
	ok(word == 0x00020000, "amd: amd_queue_t contains the private aperture");
}

static void test_occupancy(void)
{
	struct gpu_local l = amd_dispatch_scratch(&navi21, 33, 1000000, 256);

	ok(l.thread_bytes == 64 && l.unit_bytes == 2048 && l.bytes == 2048ull * 2560,
	   "amd: scratch of a large grid covers 2,560 waves of 32 threads");
	ok(amd_dispatch_scratch(&navi21, 16384, 1, 256).bytes == 16384ull * 32 * 8 * 4,
	   "amd: scratch of one workgroup covers its waves on each of four shader engines");
	ok(amd_dispatch_scratch(&navi21, 33, 9, 33).bytes == 2048ull * 4 * 2 * 4,
	   "amd: scratch of nine workgroups covers four of them on each shader engine");
	ok(amd_dispatch_occupancy(&navi21, 64, false, 1024, 0) == 2,
	   "amd: two workgroups of 1,024 threads with 64 VGPRs fit a WGP");
	ok(amd_dispatch_occupancy(&navi21, 65, false, 1024, 0) == 0,
	   "amd: no workgroup of 1,024 threads with 65 VGPRs fits a compute unit");
	ok(amd_dispatch_occupancy(&navi21, 128, true, 1024, 0) == 1,
	   "amd: one workgroup of 1,024 threads with 128 VGPRs fits a WGP in WGP mode");
	ok(amd_dispatch_occupancy(&navi21, 1, false, 32, 0) == 64,
	   "amd: the wave limit bounds workgroups of one wave");
	ok(amd_dispatch_occupancy(&navi21, 1, false, 33, 0) == 32,
	   "amd: the barrier limit bounds workgroups of two waves");
	ok(amd_dispatch_occupancy(&navi21, 1, true, 64, 20 << 10) == 6,
	   "amd: 128 KiB of LDS per WGP bound the workgroups");
}

/* ---- semaphores ---- */

static void test_semaphores(void)
{
	struct gpu_push p = new_push(false);

	amd_gpu.acquire(&p, 0x1234567890, 42);
	ok(WORDS_EQUAL(&p, 0xc0053c02, 0x15, 0x34567890, 0x12, 42, 0xffffffff, 10),
	   "amd: an acquire on a compute queue is WAIT_REG_MEM");
	p = new_push(false);
	amd_gpu.release(&p, 0x1234567890, 42, 0);
	ok(WORDS_EQUAL(&p, 0xc0004602, 0x407, 0xc0064902, 0x06603514, 1u << 29, 0x34567890, 0x12,
		       42, 0, 0),
	   "amd: a release waits for dispatches by CS_PARTIAL_FLUSH");
	p = new_push(false);
	amd_gpu.release(&p, 0x1234567890, 42, GPU_RELEASE_TIMESTAMP | GPU_RELEASE_NO_WAIT);
	ok(WORDS_EQUAL(&p, 0xc0064902, 0x06603514, 3u << 29, 0x34567898, 0x12, 0, 0, 0, 0xc0064902,
		       0x06603514, 1u << 29, 0x34567890, 0x12, 42, 0, 0),
	   "amd: a release writes the time stamp before the payload");
	p = new_push(false);
	amd_gpu.interrupt(&p);
	ok(WORDS_EQUAL(&p, 0xc0064902, 0x06603514, 1u << 24, 0, 0, 0, 0, 0),
	   "amd: an interrupt is RELEASE_MEM without data");
	p = new_push(false);
	amd_gpu.write_inline(&p, 0x1234567890, "abcdefgh", 8);
	ok(WORDS_EQUAL(&p, 0xc0043702, 0x100500, 0x34567890, 0x12, 0x64636261, 0x68676665),
	   "amd: inline data is WRITE_DATA");
	amd_gpu.pad(&p);
	ok(p.count == 8 && p.words[6] == 0xffff1002 && p.words[7] == 0xffff1002,
	   "amd: padding fills an IB to a multiple of eight words");
	p = new_push(true);
	amd_gpu.acquire(&p, 0x1234567890, 42);
	ok(WORDS_EQUAL(&p, 0xd0000008, 0x34567890, 0x12, 42, 0xffffffff, 0x0fff000a),
	   "amd: an acquire on a copy queue is POLL_REGMEM");
	p = new_push(true);
	amd_gpu.release(&p, 0x1234567890, 42, GPU_RELEASE_TIMESTAMP);
	ok(WORDS_EQUAL(&p, 0x20d, 0x34567898, 0x12, 0x30005, 0x34567890, 0x12, 42),
	   "amd: a release on a copy queue is TIMESTAMP and FENCE");
	p = new_push(true);
	amd_gpu.interrupt(&p);
	ok(WORDS_EQUAL(&p, 6, 0), "amd: an interrupt on a copy queue is TRAP");
	p.capacity = p.count;
	amd_gpu.release(&p, 0, 0, 0);
	ok(p.overflow, "amd: a packet that does not fit sets overflow");
	p = new_push(false);
	amd_gpu.interrupt(&p);
	p.capacity = p.count - 1;
	p.count = 0;
	amd_gpu.interrupt(&p);
	ok(p.overflow && p.count <= p.capacity,
	   "amd: a packet that is one word too long sets overflow");
}

/* ---- copies ---- */

/* GCR_REQ: write back L2, its metadata and the scalar cache; write back and invalidate all data
 * caches. */
#define WRITE_BACK 17, 0, 0x80500000, 0, 0
#define INVALIDATE 17, 0, 0xc3b00000, 0, 0

static void test_copies(void)
{
	struct gpu_push p = new_push(true);

	amd_gpu.copy(&p, 0x7e0000000001, 0x1122334455, 3, 0x1000, 9);
	ok(WORDS_EQUAL(&p, WRITE_BACK, 1, 2, 0, 0x22334455, 0x11, 1, 0x7e00, INVALIDATE),
	   "amd: a copy is a linear COPY packet");
	p = new_push(true);
	amd_gpu.fill(&p, 0x1000, 0xab, 1, 8, 0x2000, 9);
	ok(WORDS_EQUAL(&p, WRITE_BACK, 0x8000000b, 0x1000, 0, 0xabababab, 7, INVALIDATE),
	   "amd: an aligned byte fill uses words");
	p = new_push(true);
	amd_gpu.fill(&p, 0x1002, 0xabcd, 2, 8, 0x2000, 9);
	ok(WORDS_EQUAL(&p, WRITE_BACK, 0x4000000b, 0x1002, 0, 0xabcdabcd, 1, 0x8000000b, 0x1004, 0,
		       0xabcdabcd, 3, 0x4000000b, 0x1008, 0, 0xabcdabcd, 1, INVALIDATE),
	   "amd: an unaligned fill uses small elements at its ends");
	p = new_push(true);
	amd_gpu.fill(&p, 0x1001, 0xab, 1, 2, 0x2000, 9);
	ok(WORDS_EQUAL(&p, WRITE_BACK, 0xb, 0x1001, 0, 0xabababab, 1, INVALIDATE),
	   "amd: a fill inside one word uses bytes");
	p = new_push(true);
	amd_gpu.fill(&p, 0xfffffffc, 7, 4, 0x800004, 0x2000, 9);
	ok(WORDS_EQUAL(&p, WRITE_BACK, 0x8000000b, 0xfffffffc, 0, 7, 0x3fffff, 0x8000000b, 0x3ffffc,
		       1, 7, 0x3fffff, 0x8000000b, 0x7ffffc, 1, 7, 3, INVALIDATE),
	   "amd: a fill of more than 4 MiB is divided, because its count has 22 bits");
	p = new_push(true);
	amd_gpu.fill(&p, 1, 7, 1, amd_gpu.max_fill_bytes, 0x2000, 9);
	ok(!p.overflow && p.count <= amd_gpu.max_node_words,
	   "amd: the largest fill fits a graph's node");
}

/* On a compute queue: DMA_DATA through the L2, with later packets waiting for it. */
static void test_compute_copies(void)
{
	struct gpu_push p = new_push(false);

	amd_gpu.copy(&p, 0x7e0000000001, 0x1122334455, 3, 0x1000, 9);
	ok(WORDS_EQUAL(&p, 0xc0055002, 0xe0300000, 0x22334455, 0x11, 1, 0x7e00, 3),
	   "amd: a copy on a compute queue is DMA_DATA");
	p = new_push(false);
	p.va = 0x500000000;
	amd_gpu.fill(&p, 0x1002, 0xabcd, 2, 8, 0x2000, 9);
	ok(WORDS_EQUAL(&p, 0xc0001002, 0xabcdabcd, 0xc0055002, 0xe0300000, 6, 5, 0x1002, 0, 2,
		       0xc0055002, 0xe0300000, 4, 5, 0x1008, 0, 2, 0xc0055002, 0xc0300000,
		       0xabcdabcd, 0, 0x1004, 0, 4),
	   "amd: an unaligned fill on a compute queue copies its ends from its own words");
	p = new_push(false);
	amd_gpu.copy(&p, 0x7e0000000000, 0x1000, amd_gpu.max_copy_bytes, 0x1000, 9);
	ok(!p.overflow && p.count == 17 * 7 && words[7 + 2] == 0x1000 + 0x3ffffe0,
	   "amd: the largest copy is 17 packets on a compute queue");
}

static void test_copy_lines(void)
{
	struct gpu_lines l = {.destination = 0x7e0000000010,
			      .source = 0x1000,
			      .bytes = 48,
			      .lines = 5,
			      .destination_pitch = 64,
			      .source_pitch = 128};
	struct gpu_push p = new_push(true);

	amd_gpu.copy_lines(&p, &l, 0x2000, 9);
	ok(WORDS_EQUAL(&p, WRITE_BACK, 0x80000401, 0x1000, 0, 0, 7 << 13, 0, 0x10, 0x7e00, 0,
		       3 << 13, 0, 4 << 16 | 2, 0, INVALIDATE),
	   "amd: an aligned pitched copy is a sub-window copy of 16-byte elements");
	l.source++;
	p = new_push(true);
	amd_gpu.copy_lines(&p, &l, 0x2000, 9);
	ok(p.count == 5 * 7 + 10 && words[5] == 1 && words[8] == 0x1001 && words[15] == 0x1081,
	   "amd: an unaligned pitched copy is one linear copy per line");
	ok(amd_gpu.max_lines(&l, true) == 34, "amd: a submission holds 34 unaligned lines");
	l.source--;
	l.bytes = l.source_pitch = l.destination_pitch = 3 << 18; /* three columns */
	l.lines = 20000;
	p = new_push(true);
	amd_gpu.copy_lines(&p, &l, 0x2000, 9);
	ok(p.count == 6 * 13 + 10 && words[18 + 1] == 0x1000 + (1 << 18) &&
		   words[44 + 1] == 0x1000 && words[44 + 2] == 3 &&
		   words[44 + 11] == ((3615u << 16) | 0x3fff),
	   "amd: a large pitched copy is divided into columns and rows");
	ok(amd_gpu.max_lines(&l, true) == 6 * 16384,
	   "amd: max_lines counts the rows of three columns that fit a submission");
	l.bytes = 4;
	l.source_pitch = l.destination_pitch = 0xfffffffc;
	ok(amd_gpu.max_lines(&l, true) == 34,
	   "amd: lines with too large a pitch are copied one by one");
}

/* ---- rings ---- */

/* A ring of 64 words. */
static void test_ring_entries(void)
{
	const struct gpu_completion completion = {.semaphore = 0x1234567890, .payload = 42},
				    with_interrupt = {.semaphore = 0x1234567890,
						      .payload = 42,
						      .interrupt = true};
	static const uint32_t fence[] = {0x30005, 0x34567890, 0x12, 42};
	static const uint32_t copy[] = {0xa0, 0xa1, 0xa2, 0xa3, 0xa4};
	const uint64_t span = gpu_span(0x9876543210, 24);
	uint32_t ring[65] = {0};
	struct winsys_queue_memory m = {.ring = (uint64_t *)(void *)ring, .ring_entries = 64};
	struct gpu_push entry = {.words = ring + 16, .count = 4};

	ok(amd_gpu.ring_entry_bytes == 4, "amd: a ring counts words");
	ok(amd_gpu.write_ring_entry(&m, 16, span, NULL, false, NULL) == 20 &&
		   WORDS_EQUAL(&entry, 0xc0023f02, 0x76543210, 0x98, 1u << 23 | 24),
	   "amd: a compute queue's entry is INDIRECT_BUFFER, and PUT counts words");
	entry.count = 14;
	ok(amd_gpu.write_ring_entry(&m, 0x100000010, span, NULL, false, &completion) ==
			   0x10000001e &&
		   WORDS_EQUAL(&entry, 0xc0023f02, 0x76543210, 0x98, 1u << 23 | 24, 0xc0004602,
			       0x407, 0xc0064902, 0x06603514, 1u << 29, 0x34567890, 0x12, 42, 0, 0),
	   "amd: a completion adds a release after CS_PARTIAL_FLUSH, and PUT has 64 bits");
	entry.count = 10;
	amd_gpu.write_ring_entry(&m, 16, 0, NULL, false, &with_interrupt);
	ok(WORDS_EQUAL(&entry, 0xc0004602, 0x407, 0xc0064902, 0x06603514, 1u << 29 | 2 << 24,
		       0x34567890, 0x12, 42, 0, 0),
	   "amd: a completion without a span releases and interrupts");
	ok(amd_gpu.write_ring_entry(&m, 62, span, NULL, false, NULL) == 66 &&
		   ring[63] == 0x76543210 && ring[0] == 0x98 && ring[1] == (1u << 23 | 24) &&
		   !ring[64],
	   "amd: words wrap at the end of the ring, PUT does not");
	ok(amd_gpu.write_ring_entry(&m, 64, gpu_span(0x9876543220, 5), copy, true, &completion) ==
			   100 &&
		   !memcmp(ring + 16, copy, sizeof(copy)) &&
		   !memcmp(ring + 21, fence, sizeof(fence)),
	   "amd: a copy queue's words and its FENCE are in the ring, and PUT counts bytes");
	m.event_mailbox = 0x7000000008;
	m.event_id = 77;
	entry.count = 10;
	amd_gpu.write_ring_entry(&m, 64, 0, NULL, true, &with_interrupt);
	ok(WORDS_EQUAL(&entry, 0x30005, 0x34567890, 0x12, 42, 0x30005, 8, 0x70, 77, 6, 77),
	   "amd: a copy queue writes an event's mailbox before the TRAP with the event's number");
	entry.count = 18;
	amd_gpu.write_ring_entry(&m, 16, 0, NULL, false, &with_interrupt);
	ok(WORDS_EQUAL(&entry, 0xc0004602, 0x407, 0xc0064902, 0x06603514, 1u << 29, 0x34567890,
		       0x12, 42, 0, 0, 0xc0064902, 0x06603514, 1u << 29 | 2 << 24, 8, 0x70, 77, 0,
		       77),
	   "amd: a compute queue interrupts after it has written an event's mailbox");
}

int main(void)
{
	test_minimal_launch();
	test_full_launch();
	test_invalid_kernels();
	test_hidden_arguments();
	test_occupancy();
	test_semaphores();
	test_copies();
	test_compute_copies();
	test_copy_lines();
	test_ring_entries();
	return tap_done();
}
