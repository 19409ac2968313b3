// SPDX-License-Identifier: MIT
/*
 * The software Navi 21 as a card: packets launch kernels, fences and waits order queues, copies and
 * fills reach memory, queues run beside each other and are stopped at any time, and what is wrong with
 * a packet or a kernel is an error of its queue alone, by name.
 */
#include "_navi.h"

static struct navi n;
static uint64_t seed = 1;

static uint32_t random_word(void) /* splitmix64 */
{
	uint64_t z = seed += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return (uint32_t)(z >> 32);
}

#define WAIT_ALL 0 /* s_waitcnt: every counter that it knows */

static void nap(void)
{
	struct timespec t = {.tv_nsec = 2000000};

	nanosleep(&t, NULL);
}

/* ---- programs ---- */

/* data[group * threads + thread] += 3 * that number, by the address in s[0:1]. */
static uint32_t program_add(uint32_t threads)
{
	uint32_t at = navi_program(&n);

	put_literal(&n, AMD_s_mul_i32, 10, threads, 8);
	put(&n, AMD_v_add_nc_u32, V(1), 10, V(0), 0);
	put(&n, AMD_v_lshlrev_b32, V(2), I(2), V(1), 0);
	put(&n, AMD_global_load_dword, V(3), V(2), 0, 0);
	put(&n, AMD_v_mul_u32_u24, V(4), I(3), V(1), 0);
	put_imm(&n, AMD_s_waitcnt, 0, WAIT_ALL);
	put(&n, AMD_v_add_nc_u32, V(3), V(3), V(4), 0);
	put(&n, AMD_global_store_dword, 0, V(2), V(3), 0);
	put(&n, AMD_s_endpgm, 0, 0, 0, 0);
	return at;
}

/* Stores what s[2:3] says at the address in s[0:1], one word. */
static uint32_t program_store(void)
{
	uint32_t at = navi_program(&n);

	put(&n, AMD_v_mov_b32, V(1), I(0), 0, 0);
	put(&n, AMD_v_mov_b32, V(2), 2, 0, 0);
	put(&n, AMD_global_store_dword, 0, V(1), V(2), 0);
	put(&n, AMD_s_endpgm, 0, 0, 0, 0);
	return at;
}

/* Waits until the word at s[0:1] is s2; sleeps between looks when told. */
static uint32_t program_spin(bool sleeps)
{
	uint32_t at = navi_program(&n), top;

	put(&n, AMD_v_mov_b32, V(1), I(0), 0, 0);
	top = n.code;
	put_field(&n, AMD_global_load_dword, V(2), V(1), 0, 0, AMD_F_GLC, 1);
	if (sleeps)
		put_imm(&n, AMD_s_sleep, 0, 1);
	put_imm(&n, AMD_s_waitcnt, 0, WAIT_ALL);
	put(&n, AMD_v_readfirstlane_b32, 11, V(2), 0, 0);
	put(&n, AMD_s_cmp_lg_u32, 0, 11, 2, 0);
	put_imm(&n, AMD_s_cbranch_scc1, 0, (int32_t)(0xffff & (top - n.code - 1)));
	put(&n, AMD_s_endpgm, 0, 0, 0, 0);
	return at;
}

/* Every lane adds 1 to the word at s[0:1]; then waits until it is s2: all threads of all groups. */
static uint32_t program_meet(void)
{
	uint32_t at = navi_program(&n), top;

	put(&n, AMD_v_mov_b32, V(1), I(0), 0, 0);
	put(&n, AMD_v_mov_b32, V(2), I(1), 0, 0);
	put(&n, AMD_global_atomic_add, V(0), V(1), V(2), 0);
	top = n.code;
	put_field(&n, AMD_global_load_dword, V(3), V(1), 0, 0, AMD_F_GLC, 1);
	put_imm(&n, AMD_s_waitcnt, 0, WAIT_ALL);
	put(&n, AMD_v_readfirstlane_b32, 11, V(3), 0, 0);
	put(&n, AMD_s_cmp_lg_u32, 0, 11, 2, 0);
	put_imm(&n, AMD_s_cbranch_scc1, 0, (int32_t)(0xffff & (top - n.code - 1)));
	put(&n, AMD_s_endpgm, 0, 0, 0, 0);
	return at;
}

static uint32_t program_for_ever(void)
{
	uint32_t at = navi_program(&n);

	put_imm(&n, AMD_s_branch, 0, 0xffff);
	return at;
}

/* Private memory: writes the lane's number to word 3 of it, for a while something else to word 0,
 * reads word 3 back and stores it at data[group * 64 + thread]. s[2:3]: where private memory begins;
 * s9: the wave's offset. */
static uint32_t program_private(void)
{
	uint32_t at = navi_program(&n);

	put(&n, AMD_s_add_u32, 12, 2, 9, 0);
	put(&n, AMD_s_addc_u32, 13, 3, I(0), 0);
	put_imm(&n, AMD_s_setreg_b32, 12, 20 | 31 << 11); /* FLAT_SCR */
	put_imm(&n, AMD_s_setreg_b32, 13, 21 | 31 << 11);
	put(&n, AMD_s_lshl_b32, 10, 8, I(6), 0);
	put(&n, AMD_v_add_nc_u32, V(1), 10, V(0), 0);
	put(&n, AMD_v_mov_b32, V(5), I(0), 0, 0);
	put_field(&n, AMD_scratch_store_dword, 0, V(5), V(1), AMD_NULL, AMD_F_OFFSET, 12);
	put_field(&n, AMD_scratch_store_dword, 0, V(5), V(5), AMD_NULL, AMD_F_OFFSET, 0);
	put_imm(&n, AMD_s_waitcnt_vscnt, AMD_NULL, 0);
	put_field(&n, AMD_scratch_load_dword, V(6), V(5), 0, AMD_NULL, AMD_F_OFFSET, 12);
	put(&n, AMD_v_lshlrev_b32, V(2), I(2), V(1), 0);
	put_imm(&n, AMD_s_waitcnt, 0, WAIT_ALL);
	put(&n, AMD_global_store_dword, 0, V(2), V(6), 0);
	put(&n, AMD_s_endpgm, 0, 0, 0, 0);
	return at;
}

/* ---- launches ---- */

static bool launched(void)
{
	enum { GROUPS = 200, THREADS = 96 };
	struct navi_queue *q = navi_queue(&n, 0, false);
	uint32_t *data = navi_at(&n, NAVI_DATA);

	for (uint32_t i = 0; i < GROUPS * THREADS; i++)
		data[i] = i ^ 0x55;
	navi_dispatch(&n, q,
		      &(struct navi_grid){.groups = GROUPS,
					  .threads = THREADS,
					  .user = {NAVI_DATA},
					  .entry = program_add(THREADS)});
	if (!navi_finish(&n, q)) {
		struct model_error e;

		return diag("%s", navi_error(q, &e)), false;
	}
	for (uint32_t i = 0; i < GROUPS * THREADS; i++)
		if (data[i] != (i ^ 0x55) + 3 * i)
			return diag("word %u is %u", i, data[i]), false;
	return true;
}

/* Many more packets than the ring holds, so that both pointers go around. */
static bool ring_goes_around(void)
{
	struct navi_queue *q = navi_queue(&n, 0, false);

	for (uint32_t i = 0; i < 1500; i++)
		if (!navi_finish(&n, q))
			return diag("submission %u", i), false;
	return q->put == 6000 && __atomic_load_n(&q->pointers[AMD_QUEUE_GET / 8],
						 __ATOMIC_ACQUIRE) == 6000 % NAVI_WORDS;
}

static bool meetings(uint32_t groups)
{
	struct navi_queue *q = navi_queue(&n, 0, false);
	uint32_t *data = navi_at(&n, NAVI_DATA);

	data[0] = 0;
	navi_dispatch(&n, q,
		      &(struct navi_grid){.groups = groups,
					  .threads = 64,
					  .user = {NAVI_DATA, 64 * groups},
					  .entry = program_meet()});
	return navi_finish(&n, q) && data[0] == 64 * groups;
}

static bool private_slots(uint32_t slots)
{
	enum { GROUPS = 100 };
	struct navi_queue *q = navi_queue(&n, 0, false);
	uint32_t *data = navi_at(&n, NAVI_DATA);

	memset(data, 0xff, GROUPS * 64 * 4);
	navi_dispatch(&n, q,
		      &(struct navi_grid){.groups = GROUPS,
					  .threads = 64,
					  .slots = slots,
					  .wave_kib = 1,
					  .user = {NAVI_DATA, NAVI_SCRATCH},
					  .entry = program_private()});
	if (!navi_finish(&n, q)) {
		struct model_error e;

		return diag("%s", navi_error(q, &e)), false;
	}
	for (uint32_t i = 0; i < GROUPS * 64; i++)
		if (data[i] != i)
			return diag("thread %u read %u", i, data[i]), false;
	return navi_at(&n, NAVI_SCRATCH + 1024ull * slots)[3 * 32] == 0;
}

/* Code that was written over is not seen before the instruction cache is invalidated. */
static bool stale_code(void)
{
	struct navi_queue *q = navi_queue(&n, 0, false);
	uint32_t entry = navi_program(&n), *data = navi_at(&n, NAVI_DATA), first, second;
	struct navi_grid g = {.groups = 1, .threads = 1, .user = {NAVI_DATA, 7}, .entry = entry};

	program_store();
	navi_dispatch(&n, q, &g);
	navi_finish(&n, q);
	n.code = entry;
	put(&n, AMD_v_mov_b32, V(1), I(0), 0, 0);
	put(&n, AMD_v_mov_b32, V(2), I(9), 0, 0);
	data[0] = 0;
	PM4(&n, q, AMD_PM4_DISPATCH_DIRECT, 1, 1, 1,
	    AMD_DISPATCH_SHADER_EN | AMD_DISPATCH_START_AT_0 | AMD_DISPATCH_WAVE32);
	navi_finish(&n, q);
	first = data[0];
	navi_dispatch(&n, q, &g);
	navi_finish(&n, q);
	second = data[0];
	n.code = entry + 64;
	return first == 7 && second == 9;
}

/* ---- packets ---- */

static bool timestamps(void)
{
	struct navi_queue *q = navi_queue(&n, 0, false), *s = navi_queue(&n, 1, true);
	uint64_t *data = (uint64_t *)navi_at(&n, NAVI_DATA), before, after;
	uint32_t interrupts = n.interrupts;

	memset(data, 0, 64);
	before = model_nanoseconds() / AMD_CLOCK_NANOSECONDS;
	PM4(&n, q, AMD_PM4_RELEASE_MEM,
	    AMD_RELEASE_EVENT(AMD_EVENT_BOTTOM_OF_PIPE_TS, AMD_EVENT_INDEX_END_OF_PIPE),
	    (uint32_t)AMD_RELEASE_CLOCK << AMD_RELEASE_DATA_SHIFT |
		    AMD_RELEASE_INTERRUPT_AFTER << AMD_RELEASE_INTERRUPT_SHIFT,
	    LOW(NAVI_DATA), HIGH(NAVI_DATA), 0, 0, 0);
	PM4(&n, q, AMD_PM4_COPY_DATA, AMD_COPY_FROM_CLOCK | AMD_COPY_TO_MEMORY | AMD_COPY_64, 0, 0,
	    LOW(NAVI_DATA + 8), HIGH(NAVI_DATA + 8));
	PM4(&n, q, AMD_PM4_RELEASE_MEM,
	    AMD_RELEASE_EVENT(AMD_EVENT_CACHE_FLUSH_AND_INV_TS, AMD_EVENT_INDEX_END_OF_PIPE),
	    (uint32_t)AMD_RELEASE_64 << AMD_RELEASE_DATA_SHIFT, LOW(NAVI_DATA + 24),
	    HIGH(NAVI_DATA + 24), 0x11111111, 0x22222222, 0);
	if (!navi_finish(&n, q))
		return false;
	PACKET(&n, s, AMD_SDMA(AMD_SDMA_TIMESTAMP, AMD_SDMA_TIMESTAMP_GET_GLOBAL),
	       LOW(NAVI_DATA + 16), HIGH(NAVI_DATA + 16));
	PACKET(&n, s, AMD_SDMA(AMD_SDMA_TRAP, 0), 0);
	if (!navi_finish(&n, s))
		return false;
	after = model_nanoseconds() / AMD_CLOCK_NANOSECONDS;
	return before <= data[0] && data[0] <= data[1] && data[1] <= data[2] && data[2] <= after &&
	       data[3] == 0x2222222211111111 && n.interrupts == interrupts + 2;
}

static bool words_written(void)
{
	struct navi_queue *q = navi_queue(&n, 0, false);
	uint32_t *data = navi_at(&n, NAVI_DATA);

	memset(data, 0, 256);
	PM4(&n, q, AMD_PM4_NOP, 1, 2, 3, 4, 5);
	navi_word(&n, q, 3u << 30 | AMD_PM4_NOP_ALONE << 16 | AMD_PM4_NOP << 8);
	navi_word(&n, q, 2u << 30);
	PM4(&n, q, AMD_PM4_WRITE_DATA, AMD_WRITE_TO_MEMORY | AMD_WRITE_CONFIRM, LOW(NAVI_DATA),
	    HIGH(NAVI_DATA), 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
	    27);
	PM4(&n, q, AMD_PM4_WRITE_DATA, AMD_WRITE_TO_L2 | AMD_WRITE_ONE_ADDRESS,
	    LOW(NAVI_DATA + 128), HIGH(NAVI_DATA + 128), 30, 31, 32);
	PM4(&n, q, AMD_PM4_COPY_DATA, AMD_COPY_FROM_MEMORY | AMD_COPY_TO_MEMORY, LOW(NAVI_DATA + 4),
	    HIGH(NAVI_DATA), LOW(NAVI_DATA + 136), HIGH(NAVI_DATA));
	PM4(&n, q, AMD_PM4_COPY_DATA, AMD_COPY_FROM_IMMEDIATE | AMD_COPY_TO_L2, 77, 0,
	    LOW(NAVI_DATA + 140), HIGH(NAVI_DATA));
	PM4(&n, q, AMD_PM4_DMA_DATA, AMD_DMA_FROM_DATA | AMD_DMA_TO_L2 | AMD_DMA_SYNC, 99, 0,
	    LOW(NAVI_DATA + 144), HIGH(NAVI_DATA), 8);
	PM4(&n, q, AMD_PM4_DMA_DATA, AMD_DMA_FROM_L2 | AMD_DMA_TO_L2 | AMD_DMA_SYNC,
	    LOW(NAVI_DATA + 1), HIGH(NAVI_DATA), LOW(NAVI_DATA + 160), HIGH(NAVI_DATA), 7);
	if (!navi_finish(&n, q))
		return false;
	for (uint32_t i = 0; i < 18; i++)
		if (data[i] != 10 + i)
			return diag("word %u: %u", i, data[i]), false;
	return data[32] == 32 && !data[33] && data[34] == 11 && data[35] == 77 && data[36] == 99 &&
	       data[37] == 99 && !data[38] &&
	       !memcmp((uint8_t *)data + 160, (uint8_t *)data + 1, 7) &&
	       ((uint8_t *)data)[167] == 0;
}

/* A buffer that points at another, which goes on in a third. */
static bool nested_buffers(void)
{
	struct navi_queue *q = navi_queue(&n, 0, false);
	uint64_t second = NAVI_DATA + 0x1000, third = NAVI_DATA + 0x2000;
	const uint32_t words[] = {AMD_PM4(AMD_PM4_WRITE_DATA, 4),
				  AMD_WRITE_TO_MEMORY,
				  LOW(NAVI_DATA),
				  HIGH(NAVI_DATA),
				  1,
				  AMD_PM4(AMD_PM4_INDIRECT_BUFFER, 3),
				  LOW(third),
				  HIGH(third),
				  5 | AMD_PM4_IB_CHAIN | AMD_PM4_IB_VALID};
	const uint32_t more[] = {AMD_PM4(AMD_PM4_WRITE_DATA, 4), AMD_WRITE_TO_MEMORY,
				 LOW(NAVI_DATA + 4), HIGH(NAVI_DATA), 2};
	uint32_t *data = navi_at(&n, NAVI_DATA);

	data[0] = data[1] = data[2] = 0;
	memcpy(navi_at(&n, second), words, sizeof(words));
	memcpy(navi_at(&n, third), more, sizeof(more));
	PM4(&n, q, AMD_PM4_INDIRECT_BUFFER, LOW(second), HIGH(second), 9 | AMD_PM4_IB_VALID);
	PM4(&n, q, AMD_PM4_WRITE_DATA, AMD_WRITE_TO_MEMORY, LOW(NAVI_DATA + 8), HIGH(NAVI_DATA), 3);
	return navi_finish(&n, q) && data[0] == 1 && data[1] == 2 && data[2] == 3;
}

/* ---- waits ---- */

/* The second queue waits for a word that the first writes; each way of comparing. */
static bool waits(uint32_t function, uint32_t before, uint32_t after, uint32_t reference,
		  uint32_t mask, bool copy)
{
	struct navi_queue *a = navi_queue(&n, 0, false), *b = navi_queue(&n, 1, copy);
	uint32_t *data = navi_at(&n, NAVI_DATA);

	__atomic_store_n(data, before, __ATOMIC_RELEASE);
	if (copy)
		PACKET(&n, b,
		       AMD_SDMA(AMD_SDMA_POLL_REGMEM, 0) | AMD_SDMA_POLL_FUNCTION(function) |
			       AMD_SDMA_POLL_MEMORY,
		       LOW(NAVI_DATA), HIGH(NAVI_DATA), reference, mask,
		       AMD_SDMA_POLL_FOR_EVER | AMD_SDMA_POLL_INTERVAL);
	else
		PM4(&n, b, AMD_PM4_WAIT_REG_MEM, function | AMD_WAIT_MEMORY, LOW(NAVI_DATA),
		    HIGH(NAVI_DATA), reference, mask, 4);
	navi_release(&n, b);
	navi_submit(&n, b);
	nap();
	if (__atomic_load_n(navi_at(&n, NAVI_FENCE(1)), __ATOMIC_ACQUIRE) != 0)
		return diag("function %u did not wait", function), false;
	PM4(&n, a, AMD_PM4_WRITE_DATA, AMD_WRITE_TO_MEMORY, LOW(NAVI_DATA), HIGH(NAVI_DATA), after);
	return navi_finish(&n, a) && navi_wait(&n, b);
}

static bool all_waits(bool copy)
{
	return waits(AMD_WAIT_LESS, 5, 4, 5, ~0u, copy) &&
	       waits(AMD_WAIT_LESS_EQUAL, 0xffffffff, 5, 5, ~0u, copy) &&
	       waits(AMD_WAIT_EQUAL, 4, 0x105, 5, 0xff, copy) &&
	       waits(AMD_WAIT_NOT_EQUAL, 0x105, 4, 5, 0xff, copy) &&
	       waits(AMD_WAIT_GREATER_EQUAL, 4, 5, 5, ~0u, copy) &&
	       waits(AMD_WAIT_GREATER_EQUAL, 4, 0x80000000, 5, ~0u, copy) &&
	       waits(AMD_WAIT_GREATER, 5, 6, 5, ~0u, copy);
}

/* ---- copies and fills ---- */

#define SPACE 0x40000u /* bytes that copies play in */

static bool sdma_alike(const uint8_t *expected, struct navi_queue *s, const char *what)
{
	struct model_error e;

	if (!navi_finish(&n, s))
		return diag("%s: %s", what, navi_error(s, &e)), false;
	for (uint32_t i = 0; i < 2 * SPACE; i++)
		if (((uint8_t *)navi_at(&n, NAVI_DATA))[i] != expected[i])
			return diag("%s: byte %u", what, i), false;
	return true;
}

static bool copies(void)
{
	struct navi_queue *s = navi_queue(&n, 1, true);
	uint8_t *data = (uint8_t *)navi_at(&n, NAVI_DATA), *expected = malloc(2 * SPACE);
	bool good = true;

	for (uint32_t i = 0; i < 2 * SPACE; i++)
		data[i] = (uint8_t)random_word();
	memcpy(expected, data, 2 * SPACE);
	for (uint32_t k = 0; k < 60 && good; k++) {
		uint32_t bytes = 1 + random_word() % (k % 2 ? 100 : 30000);
		uint32_t from = random_word() % (SPACE - bytes),
			 to = random_word() % (SPACE - bytes);

		memcpy(expected + SPACE + to, expected + from, bytes);
		PACKET(&n, s, AMD_SDMA(AMD_SDMA_COPY, AMD_SDMA_COPY_LINEAR), bytes - 1, 0,
		       LOW(NAVI_DATA + from), HIGH(NAVI_DATA), LOW(NAVI_DATA + SPACE + to),
		       HIGH(NAVI_DATA));
		good = sdma_alike(expected, s, "copy");
	}
	free(expected);
	return good;
}

static bool boxes(void)
{
	struct navi_queue *s = navi_queue(&n, 1, true);
	uint8_t *data = (uint8_t *)navi_at(&n, NAVI_DATA), *expected = malloc(2 * SPACE);
	bool good = true;

	for (uint32_t i = 0; i < 2 * SPACE; i++)
		data[i] = (uint8_t)random_word();
	memcpy(expected, data, 2 * SPACE);
	for (uint32_t k = 0; k < 40 && good; k++) {
		uint32_t log2 = random_word() % 5, w = 1 + random_word() % 20,
			 h = 1 + random_word() % 10;
		uint32_t d = 1 + random_word() % 4, x[2], y[2], z[2], pitch[2], slice[2];

		for (uint32_t e = 0; e < 2; e++) {
			x[e] = random_word() % 8, y[e] = random_word() % 4,
			z[e] = random_word() % 3;
			pitch[e] = x[e] + w + random_word() % 9;
			slice[e] = pitch[e] * (y[e] + h) + random_word() % 50;
		}
		for (uint32_t c = 0; c < d; c++)
			for (uint32_t b = 0; b < h; b++)
				memcpy(expected + SPACE +
					       (((z[1] + c) * slice[1] + (y[1] + b) * pitch[1] +
						 x[1])
						<< log2),
				       expected + (((z[0] + c) * slice[0] + (y[0] + b) * pitch[0] +
						    x[0])
						   << log2),
				       (size_t)w << log2);
		PACKET(&n, s,
		       AMD_SDMA(AMD_SDMA_COPY, AMD_SDMA_COPY_SUB_WINDOW) | AMD_SDMA_ELEMENT(log2),
		       LOW(NAVI_DATA), HIGH(NAVI_DATA), AMD_SDMA_XY(x[0], y[0]),
		       AMD_SDMA_Z_PITCH(z[0], pitch[0]), slice[0] - 1, LOW(NAVI_DATA + SPACE),
		       HIGH(NAVI_DATA), AMD_SDMA_XY(x[1], y[1]), AMD_SDMA_Z_PITCH(z[1], pitch[1]),
		       slice[1] - 1, AMD_SDMA_XY(w - 1, h - 1), d - 1);
		good = sdma_alike(expected, s, "box");
	}
	free(expected);
	return good;
}

static bool fills(void)
{
	struct navi_queue *s = navi_queue(&n, 1, true);
	uint8_t *data = (uint8_t *)navi_at(&n, NAVI_DATA), *expected = malloc(2 * SPACE);
	bool good = true;

	memset(data, 0, 2 * SPACE);
	memset(expected, 0, 2 * SPACE);
	for (uint32_t k = 0; k < 45 && good; k++) {
		uint32_t log2 = k % 3, size = 1u << log2, count = 1 + random_word() % 5000;
		uint32_t to = random_word() % (SPACE / 4) * size, value = random_word();

		for (uint32_t i = 0; i < count; i++)
			memcpy(expected + to + i * size, &value, size);
		PACKET(&n, s, AMD_SDMA(AMD_SDMA_CONST_FILL, 0) | AMD_SDMA_FILL_SIZE(log2),
		       LOW(NAVI_DATA + to), HIGH(NAVI_DATA), value, count * size - 1);
		good = sdma_alike(expected, s, "fill");
	}
	PACKET(&n, s, AMD_SDMA(AMD_SDMA_NOP, 0) | 3 << 16, 1, 2, 3);
	PACKET(&n, s, AMD_SDMA(AMD_SDMA_GCR_REQ, 0), 0, 0, 0, 0);
	PACKET(&n, s, AMD_SDMA(AMD_SDMA_WRITE, 0), LOW(NAVI_DATA), HIGH(NAVI_DATA), 1, 0x01020304,
	       0x05060708);
	memcpy(expected, (uint32_t[]){0x01020304, 0x05060708}, 8);
	good = good && sdma_alike(expected, s, "write");
	free(expected);
	return good;
}

/* ---- queues beside each other ---- */

/* Two kernels that each wait for what the other stores: they must run at the same time. */
static bool overlapping(bool sleeps)
{
	struct navi_queue *a = navi_queue(&n, 0, false), *b = navi_queue(&n, 2, false);
	uint32_t *data = navi_at(&n, NAVI_DATA), spin = program_spin(sleeps),
		 store = program_store();

	data[0] = data[1] = 0;
	for (uint32_t k = 0; k < 2; k++) {
		struct navi_queue *q = k ? b : a;

		navi_dispatch(&n, q,
			      &(struct navi_grid){.groups = 1,
						  .threads = 32,
						  .entry = store,
						  .user = {NAVI_DATA + 4 * k, 5}});
		navi_dispatch(&n, q,
			      &(struct navi_grid){.groups = 8,
						  .threads = 64,
						  .entry = spin,
						  .user = {NAVI_DATA + 4 * !k, 5}});
		navi_release(&n, q);
	}
	navi_submit(&n, a);
	nap();
	navi_submit(&n, b);
	return navi_wait(&n, a) && navi_wait(&n, b);
}

/* A small launch on another queue ends, whatever the first does. */
static bool launched_beside(uint32_t number)
{
	struct navi_queue *b = navi_queue(&n, number, false);
	uint32_t *data = navi_at(&n, NAVI_DATA);

	data[0] = 0;
	navi_dispatch(&n, b,
		      &(struct navi_grid){.groups = 4,
					  .threads = 32,
					  .entry = program_store(),
					  .user = {NAVI_DATA, 6}});
	return navi_finish(&n, b) && data[0] == 6;
}

static bool stopped_kernel(void)
{
	struct navi_queue *a = navi_queue(&n, 0, false);
	uint64_t start;

	navi_dispatch(
		&n, a,
		&(struct navi_grid){.groups = 1000, .threads = 1024, .entry = program_for_ever()});
	navi_submit(&n, a);
	nap();
	if (!launched_beside(2))
		return false;
	start = model_nanoseconds();
	model_channel_destroy(a->channel);
	a->channel = NULL;
	return model_nanoseconds() - start < 5000000000ull;
}

/* Waits end with their queue too. */
static bool stopped_waits(void)
{
	struct navi_queue *a = navi_queue(&n, 0, false), *s = navi_queue(&n, 1, true);

	navi_at(&n, NAVI_DATA)[0] = 0;
	PM4(&n, a, AMD_PM4_WAIT_REG_MEM, AMD_WAIT_EQUAL | AMD_WAIT_MEMORY, LOW(NAVI_DATA),
	    HIGH(NAVI_DATA), 1, ~0u, 4);
	navi_submit(&n, a);
	PACKET(&n, s,
	       AMD_SDMA(AMD_SDMA_POLL_REGMEM, 0) | AMD_SDMA_POLL_FUNCTION(AMD_WAIT_EQUAL) |
		       AMD_SDMA_POLL_MEMORY,
	       LOW(NAVI_DATA), HIGH(NAVI_DATA), 1, ~0u, AMD_SDMA_POLL_FOR_EVER);
	navi_submit(&n, s);
	nap();
	model_channel_destroy(a->channel);
	model_channel_destroy(s->channel);
	a->channel = s->channel = NULL;
	return true;
}

/* Memory goes away under a kernel that looks at it: a fault, and the memory is free at once. */
static bool unmapped_under(void)
{
	struct navi_queue *a = navi_queue(&n, 0, false);
	uint8_t *page = aligned_alloc(4096, 4096);
	struct model_error e;
	bool good;

	memset(page, 0, 4096);
	if (model_map(n.space, NAVI_HOLE, page, 4096, MODEL_READ))
		return false;
	navi_dispatch(&n, a,
		      &(struct navi_grid){.groups = 1,
					  .threads = 32,
					  .user = {NAVI_HOLE, 1},
					  .entry = program_spin(false)});
	navi_submit(&n, a);
	nap();
	good = !model_unmap(n.space, NAVI_HOLE, 4096);
	free(page);
	navi_error(a, &e);
	return good && e.fault == MODEL_FAULT_MMU && e.address == NAVI_HOLE;
}

/* ---- errors ---- */

static bool says(const char *text, const char *part)
{
	return strstr(text, part) || (diag("\"%s\" does not say \"%s\"", text, part), false);
}

/* The queue fails with that, and others go on. */
static bool fails(struct navi_queue *q, enum model_fault fault, const char *part)
{
	uint32_t failures = n.failures;
	struct model_error e;

	navi_submit(&n, q);
	if (!says(navi_error(q, &e), part) || e.fault != fault)
		return diag("\"%s\", fault %u", e.text, e.fault), false;
	for (uint32_t i = 0; i < 1000 && n.failures == failures; i++)
		nap();
	return n.failures == failures + 1 && launched_beside(3);
}

static const struct {
	const char *part;
	uint32_t count, words[16];
} pm4_errors[] = {
	{"0x12345678", 1, {0x12345678}},
	{"packet 0xfe", 2, {AMD_PM4(0xfe, 1), 0}},
	{"DISPATCH_DIRECT with 3 words", 4, {AMD_PM4(AMD_PM4_DISPATCH_DIRECT, 3), 1, 1, 1}},
	{"WRITE_DATA has 100 words, but only", 3, {AMD_PM4(AMD_PM4_WRITE_DATA, 99), 0, 0}},
	{"0xb850", 3, {AMD_PM4(AMD_PM4_SET_SH_REG, 2), AMD_SH_OFFSET(AMD_COMPUTE_VMID), 1}},
	{"0xb800", 3, {AMD_PM4(AMD_PM4_SET_SH_REG, 2), AMD_SH_OFFSET(0xb800), 1}},
	{"0xb940", 4, {AMD_PM4(AMD_PM4_SET_SH_REG, 3), AMD_SH_OFFSET(0xb93c), 1, 2}},
	{"predicates", 3, {AMD_PM4(AMD_PM4_NOP, 2) | AMD_PM4_PREDICATE, 0, 0}},
	{"VMID 3", 4, {AMD_PM4(AMD_PM4_INDIRECT_BUFFER, 3), 0, 1, 4 | AMD_PM4_IB_VMID(3)}},
	{"no words", 4, {AMD_PM4(AMD_PM4_INDIRECT_BUFFER, 3), 0, 1, AMD_PM4_IB_VALID}},
	{"not at the end",
	 5,
	 {AMD_PM4(AMD_PM4_INDIRECT_BUFFER, 3), 0, 1, 4 | AMD_PM4_IB_CHAIN, 2u << 30}},
	{"the buffer of packets at 0x700000000", 4, {AMD_PM4(AMD_PM4_INDIRECT_BUFFER, 3), 0, 7, 4}},
	{"no multiple of 4", 4, {AMD_PM4(AMD_PM4_INDIRECT_BUFFER, 3), 2, 1, 4}},
	{"EVENT_WRITE: event 0x7 with index 0", 2, {AMD_PM4(AMD_PM4_EVENT_WRITE, 1), 7}},
	{"RELEASE_MEM: event 0x7", 8, {AMD_PM4(AMD_PM4_RELEASE_MEM, 7), 7 | 4 << 8}},
	{"data of kind 5", 8, {AMD_PM4(AMD_PM4_RELEASE_MEM, 7), 0x514, 5u << 29}},
	{"interrupt of kind 3", 8, {AMD_PM4(AMD_PM4_RELEASE_MEM, 7), 0x514, 3 << 24}},
	{"no multiple of 8", 8, {AMD_PM4(AMD_PM4_RELEASE_MEM, 7), 0x514, 2u << 29, 4, 1}},
	{"the fence at 0x700000000 is not mapped",
	 8,
	 {AMD_PM4(AMD_PM4_RELEASE_MEM, 7), 0x514, 2u << 29, 0, 7}},
	{"registers are not", 7, {AMD_PM4(AMD_PM4_WAIT_REG_MEM, 6), AMD_WAIT_EQUAL}},
	{"operation 1", 7, {AMD_PM4(AMD_PM4_WAIT_REG_MEM, 6), AMD_WAIT_MEMORY | 1 << 6}},
	{"comparison 7", 7, {AMD_PM4(AMD_PM4_WAIT_REG_MEM, 6), AMD_WAIT_MEMORY | 7, 0, 1}},
	{"the word to wait for at 0x700000000",
	 7,
	 {AMD_PM4(AMD_PM4_WAIT_REG_MEM, 6), AMD_WAIT_MEMORY | 3, 0, 7}},
	{"destination 0", 5, {AMD_PM4(AMD_PM4_WRITE_DATA, 4), 0, 0, 1, 5}},
	{"the word to write at 0x700000000",
	 5,
	 {AMD_PM4(AMD_PM4_WRITE_DATA, 4), AMD_WRITE_TO_MEMORY, 0, 7, 5}},
	{"source 7", 6, {AMD_PM4(AMD_PM4_COPY_DATA, 5), 7 | AMD_COPY_TO_MEMORY, 0, 1, 0, 1}},
	{"destination 4", 6, {AMD_PM4(AMD_PM4_COPY_DATA, 5), 1 | 4 << 8, 0, 1, 0, 1}},
	{"the word to copy at 0x700000000",
	 6,
	 {AMD_PM4(AMD_PM4_COPY_DATA, 5), 1 | AMD_COPY_TO_MEMORY, 0, 7, 0, 1}},
	{"only memory and a constant", 7, {AMD_PM4(AMD_PM4_DMA_DATA, 6), 1u << 29, 0, 1, 0, 1, 4}},
	{"the copy's source at 0x700000000", 7, {AMD_PM4(AMD_PM4_DMA_DATA, 6), 0, 0, 7, 0, 1, 4}},
	{"6 bytes", 7, {AMD_PM4(AMD_PM4_DMA_DATA, 6), AMD_DMA_FROM_DATA, 0, 0, 0, 1, 6}},
};

static const struct {
	const char *part;
	uint32_t count, words[16];
} sdma_errors[] = {
	{"packet 14.0", 1, {AMD_SDMA(14, 0)}},
	{"packet 1.1", 1, {AMD_SDMA(1, 1)}},
	{"NOP has 200 words, but only", 1, {AMD_SDMA(0, 0) | 199 << 16}},
	{"two places", 7, {AMD_SDMA(1, 0) | AMD_SDMA_BROADCAST}},
	{"the copy's source at 0x700000000 is not mapped", 7, {AMD_SDMA(1, 0), 0, 0, 0, 7, 0, 1}},
	{"the copy's destination at 0x700000000", 7, {AMD_SDMA(1, 0), 0, 0, 0, 1, 0, 7}},
	{"elements of 32 bytes", 13, {AMD_SDMA(1, 4) | 5u << 29}},
	{"2 elements from 0 and to 0 on, in lines of 1",
	 13,
	 {AMD_SDMA(1, 4), 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1}},
	{"in a buffer; buffers do not nest", 6, {AMD_SDMA(4, 0), 0, 1, 8}},
	{"the fence at 0x700000000", 4, {AMD_SDMA(5, 0), 0, 7, 1}},
	{"FENCE: the address 0x100000002", 4, {AMD_SDMA(5, 0), 2, 1, 1}},
	{"registers are not", 6, {AMD_SDMA(8, 0), 0, 1}},
	{"gives up after 5 times", 6, {AMD_SDMA(8, 0) | 1u << 31, 0, 1, 0, 0, 5 << 16}},
	{"size 3", 5, {AMD_SDMA(11, 0) | 3u << 30, 0, 1, 0, 3}},
	{"6 bytes, no multiple of 4", 5, {AMD_SDMA(11, 0) | 2u << 30, 0, 1, 0, 5}},
	{"the fill's destination at 0x700000000", 5, {AMD_SDMA(11, 0), 0, 7, 0, 5}},
	{"TIMESTAMP: the address 0x100000004", 3, {AMD_SDMA(13, 2), 4, 1}},
	{"packet 13.0", 3, {AMD_SDMA(13, 0), 0, 1}},
};

static enum model_fault fault_of(const char *part)
{
	return strstr(part, "at 0x7") ? MODEL_FAULT_MMU : MODEL_FAULT_PACKET;
}

static uint32_t malformed(void)
{
	uint32_t bad = 0;

	for (uint32_t i = 0; i < sizeof(pm4_errors) / sizeof(pm4_errors[0]); i++) {
		struct navi_queue *q = navi_queue(&n, 0, false);

		navi_packet(&n, q, pm4_errors[i].words, pm4_errors[i].count);
		bad += !fails(q, fault_of(pm4_errors[i].part), pm4_errors[i].part);
	}
	for (uint32_t i = 0; i < sizeof(sdma_errors) / sizeof(sdma_errors[0]); i++) {
		struct navi_queue *q = navi_queue(&n, 1, true);

		navi_packet(&n, q, sdma_errors[i].words, sdma_errors[i].count);
		bad += !fails(q, fault_of(sdma_errors[i].part), sdma_errors[i].part);
	}
	return bad;
}

/* Rings themselves: a pointer that is none, a packet that is not whole, an indirect one out of step. */
static bool bad_rings(void)
{
	struct navi_queue *q = navi_queue(&n, 1, true);
	struct model_error e;
	bool good;

	q->pointers[0] = 6;
	model_doorbell(n.m, model_channel_token(q->channel));
	good = says(navi_error(q, &e), "put is 6 bytes") && e.fault == MODEL_FAULT_RING;
	q = navi_queue(&n, 1, true);
	navi_ring(&n, q, AMD_SDMA(AMD_SDMA_INDIRECT, 0));
	for (uint32_t i = 0; i < 5; i++)
		navi_ring(&n, q, 8);
	navi_ring_doorbell(&n, q);
	good &= says(navi_error(q, &e), "at word 0 of the ring") && e.fault == MODEL_FAULT_PACKET;
	q = navi_queue(&n, 0, false);
	navi_ring(&n, q, AMD_PM4(AMD_PM4_NOP, 20));
	navi_ring_doorbell(&n, q);
	good &= says(navi_error(q, &e), "NOP has 21 words, but only 1");
	q = navi_queue(&n, 0, false);
	navi_ring(&n, q, AMD_PM4(AMD_PM4_INDIRECT_BUFFER, 3));
	navi_ring(&n, q, 0);
	navi_ring(&n, q, 1);
	navi_ring(&n, q, 4 | AMD_PM4_IB_CHAIN);
	navi_ring_doorbell(&n, q);
	return good & says(navi_error(q, &e), "a ring is not left");
}

/* A buffer that points at itself. */
static bool endless_nesting(void)
{
	struct navi_queue *q = navi_queue(&n, 0, false);

	PM4(&n, q, AMD_PM4_INDIRECT_BUFFER, LOW(NAVI_BUFFER(0)), HIGH(NAVI_BUFFER(0)), 4);
	return fails(q, MODEL_FAULT_PACKET, "nest 2 deep");
}

#define INITIATOR (AMD_DISPATCH_SHADER_EN | AMD_DISPATCH_START_AT_0 | AMD_DISPATCH_WAVE32)

static const struct {
	const char *part;
	uint32_t reg, value, initiator;
} dispatch_errors[] = {
	{"COMPUTE_SHADER_EN", 0, 0, AMD_DISPATCH_WAVE32},
	{"CS_W32_EN", 0, 0, AMD_DISPATCH_SHADER_EN},
	{"partial workgroups", 0, 0, INITIATOR | AMD_DISPATCH_PARTIAL_TG},
	{"numbered from 5 on", AMD_COMPUTE_START_X, 5,
	 AMD_DISPATCH_SHADER_EN | AMD_DISPATCH_WAVE32},
	{"1 to 1024 threads", AMD_COMPUTE_NUM_THREAD_X, 0, INITIATOR},
	{"1 to 1024 threads", AMD_COMPUTE_NUM_THREAD_X + 4, 33, INITIATOR},
	{"64 KiB of LDS", AMD_COMPUTE_PGM_RSRC2, 129 << 15, INITIATOR},
	{"16 user registers", AMD_COMPUTE_PGM_RSRC2, 17 << 1, INITIATOR},
	{"COMPUTE_TMPRING_SIZE is 0x0", AMD_COMPUTE_PGM_RSRC2, 1, INITIATOR},
	{"round to nearest", AMD_COMPUTE_PGM_RSRC1, 0, INITIATOR},
	{"256 vector registers", AMD_COMPUTE_PGM_RSRC1, 63 | AMD_FLOAT_MODE_DEFAULT << 12,
	 INITIATOR},
};

static bool bad_dispatches(void)
{
	bool good = true;

	for (uint32_t i = 0; i < sizeof(dispatch_errors) / sizeof(dispatch_errors[0]); i++) {
		struct navi_queue *q = navi_queue(&n, 0, false);

		navi_dispatch(&n, q,
			      &(struct navi_grid){.groups = 1,
						  .threads = 32,
						  .entry = program_store(),
						  .user = {NAVI_DATA}});
		if (dispatch_errors[i].reg)
			navi_set(&n, q, dispatch_errors[i].reg, dispatch_errors[i].value);
		PM4(&n, q, AMD_PM4_DISPATCH_DIRECT, 1, 1, 1, dispatch_errors[i].initiator);
		good &= fails(q, MODEL_FAULT_DISPATCH, dispatch_errors[i].part);
	}
	return good;
}

/* A workgroup of 32 waves with 128 vector registers: one unit cannot hold it, two together can. */
static bool pairs_of_units(void)
{
	struct navi_queue *q = navi_queue(&n, 0, false);
	struct navi_grid g = {
		.groups = 1, .threads = 1024, .entry = program_store(), .user = {NAVI_DATA}};
	uint32_t rsrc1 = 15 | AMD_FLOAT_MODE_DEFAULT << 12;

	navi_dispatch(&n, q, &g);
	navi_set(&n, q, AMD_COMPUTE_PGM_RSRC1, rsrc1 | 1u << 29);
	PM4(&n, q, AMD_PM4_DISPATCH_DIRECT, 1, 1, 1, INITIATOR);
	if (!navi_finish(&n, q))
		return false;
	navi_set(&n, q, AMD_COMPUTE_PGM_RSRC1, rsrc1);
	PM4(&n, q, AMD_PM4_DISPATCH_DIRECT, 1, 1, 1, INITIATOR);
	return fails(q, MODEL_FAULT_DISPATCH, "more vector registers than a compute unit has");
}

static bool no_workgroups(void)
{
	struct navi_queue *q = navi_queue(&n, 0, false);

	navi_dispatch(&n, q,
		      &(struct navi_grid){.groups = 0, .threads = 32, .entry = program_for_ever()});
	return navi_finish(&n, q);
}

/* Faults of a kernel: where, in which thread, at which instruction. */
static bool faults(void)
{
	struct navi_queue *q = navi_queue(&n, 0, false);
	uint32_t entry = navi_program(&n), at;
	struct model_error e;
	bool good;

	/* Lane 13 of workgroup 2's second wave stores where nothing is. */
	put(&n, AMD_v_mov_b32, V(1), I(0), 0, 0);
	put(&n, AMD_s_cmp_lg_u32, 0, 8, I(2), 0);
	put_imm(&n, AMD_s_cbranch_scc1, 0, 5);
	put(&n, AMD_v_cmp_eq_u32, 0, I(45), V(0), 0);
	put(&n, AMD_s_and_saveexec_b32, 10, AMD_VCC, 0, 0);
	put_imm(&n, AMD_s_cbranch_execz, 0, 2);
	at = n.code;
	put(&n, AMD_global_store_dword, 0, V(1), V(1), 0);
	put(&n, AMD_s_endpgm, 0, 0, 0, 0);
	navi_dispatch(
		&n, q,
		&(struct navi_grid){
			.groups = 4, .threads = 64, .entry = entry, .user = {NAVI_HOLE + 64}});
	good = fails(q, MODEL_FAULT_MMU,
		     "store of 4 bytes, memory at 0x700000040, which is not mapped");
	model_channel_error(q->channel, &e);
	good &= e.address == NAVI_HOLE + 64 && e.pc == NAVI_CODE + 4ull * at &&
		e.program == NAVI_CODE + 4ull * entry && e.cta[0] == 2 && e.thread[0] == 45;
	q = navi_queue(&n, 0, false);
	entry = navi_program(&n);
	put_imm(&n, AMD_s_trap, 0, 2);
	navi_dispatch(&n, q, &(struct navi_grid){.groups = 1, .threads = 32, .entry = entry});
	good &= fails(q, MODEL_FAULT_TRAP, "trap 2");
	q = navi_queue(&n, 0, false);
	entry = navi_program(&n);
	put_literal(&n, AMD_v_mov_b32, V(1), 510, 0);
	put(&n, AMD_ds_read_b32, V(2), V(1), 0, 0);
	navi_dispatch(&n, q,
		      &(struct navi_grid){.groups = 1, .threads = 32, .lds = 100, .entry = entry});
	good &= fails(q, MODEL_FAULT_SHARED_RANGE, "LDS at 0x1fe");
	q = navi_queue(&n, 0, false);
	navi_dispatch(
		&n, q,
		&(struct navi_grid){
			.groups = 1, .threads = 64, .slots = 1, .wave_kib = 1, .entry = entry});
	return fails(q, MODEL_FAULT_DISPATCH, "fewer waves than a workgroup has") && good;
}

/* Rights of pages. */
static bool rights(void)
{
	struct navi_queue *q = navi_queue(&n, 0, false);
	uint8_t *page = aligned_alloc(4096, 4096);
	bool good;

	if (model_map(n.space, NAVI_HOLE, page, 4096, MODEL_READ) ||
	    model_map(n.space, 1ull << 47, page, 4096, MODEL_READ) != -22)
		return false;
	navi_dispatch(&n, q,
		      &(struct navi_grid){.groups = 1,
					  .threads = 32,
					  .user = {NAVI_HOLE, 1},
					  .entry = program_store()});
	good = fails(q, MODEL_FAULT_MMU, "without that right");
	model_unmap(n.space, NAVI_HOLE, 4096);
	free(page);
	return good;
}

int main(void)
{
	navi_open(&n, true, 3);
	ok(launched(), "a kernel runs in 200 workgroups, by packets, with hazards watched");
	ok(ring_goes_around(), "pointers go around the ring");
	ok(meetings(TAP_SLOWNESS > 1 ? 6 : 24), "workgroups that wait for each other get on");
	ok(private_slots(2) && private_slots(16),
	   "waves have private memory of their own, and no more than there is");
	ok(stale_code(), "code is read anew when its cache is invalidated, and not before");
	ok(timestamps(), "fences, time stamps and interrupts");
	ok(words_written(), "words are written and copied by packets");
	ok(nested_buffers(), "buffers nest and go on in others");
	ok(all_waits(false), "a compute queue waits for each kind of comparison");
	ok(all_waits(true), "a copy queue waits for each kind of comparison");
	ok(copies(), "bytes are copied");
	ok(boxes(), "boxes are copied");
	ok(fills(), "memory is filled with bytes, halves and words");
	ok(overlapping(false) && overlapping(true), "kernels of two queues run at the same time");
	ok(stopped_kernel(), "an endless kernel delays nobody and is stopped");
	ok(stopped_waits(), "waits are stopped");
	ok(unmapped_under(), "memory can go under a kernel, which faults");
	ok(!malformed(), "each malformed packet is an error of its queue, by name");
	ok(bad_rings(), "rings that are wrong are named");
	ok(endless_nesting(), "buffers do not nest for ever");
	ok(bad_dispatches(), "each bad dispatch is named");
	ok(pairs_of_units(), "a workgroup must fit its compute units");
	ok(no_workgroups(), "a dispatch of no workgroups does nothing");
	ok(faults(), "a kernel's fault has address, instruction, workgroup and thread");
	ok(rights(), "pages have rights, and addresses an end");
	navi_close(&n);
	return tap_done();
}
