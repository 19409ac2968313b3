// SPDX-License-Identifier: MIT
/* The software Navi 21 as a card: packets launch kernels, fences and waits order queues, queues run
 * concurrently and are stopped at any time. */
#include "_navi_programs.h"

#define WAIT_ALL 0 /* waits for every counter of s_waitcnt */

/* Programs. */

/* data[group * threads + thread] += 3 * index, with the address of data in s[0:1]. */
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

/* Polls the word at s[0:1] until it equals s2, optionally with s_sleep in between. */
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

/* A grid barrier: each lane adds 1 to the word at s[0:1] and polls until it equals s2. */
static uint32_t program_grid_barrier(void)
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

/* Private memory: writes the thread's index to word 3 and zero to word 0, reads word 3 back and
 * stores it at data[group * 64 + thread]. s[2:3]: base of private memory; s9: offset of the
 * wave. */
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

/* Launches. */

static bool launch_adds(void)
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

/* Many more packets than the ring holds, so that both pointers wrap. */
static bool ring_wraps(void)
{
	struct navi_queue *q = navi_queue(&n, 0, false);

	for (uint32_t i = 0; i < 1500; i++)
		if (!navi_finish(&n, q))
			return diag("submission %u", i), false;
	return q->put == 6000 && __atomic_load_n(&q->pointers[AMD_QUEUE_GET / 8],
						 __ATOMIC_ACQUIRE) == 6000 % NAVI_WORDS;
}

static bool grid_barrier(uint32_t groups)
{
	struct navi_queue *q = navi_queue(&n, 0, false);
	uint32_t *data = navi_at(&n, NAVI_DATA);

	data[0] = 0;
	navi_dispatch(&n, q,
		      &(struct navi_grid){.groups = groups,
					  .threads = 64,
					  .user = {NAVI_DATA, 64 * groups},
					  .entry = program_grid_barrier()});
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

/* Overwritten code is not visible before the instruction cache is invalidated. */
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

/* Packets. */

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

/* An indirect buffer that refers to another, which chains to a third. */
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

/* Waits. */

/* The second queue waits for a word that the first writes, with each comparison. */
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

/* Concurrent queues. */

/* Two kernels that each wait for the other's store must run concurrently. */
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

static bool stopped_kernel(void)
{
	struct navi_queue *a = navi_queue(&n, 0, false);
	uint64_t start;

	navi_dispatch(
		&n, a,
		&(struct navi_grid){.groups = 1000, .threads = 1024, .entry = program_endless()});
	navi_submit(&n, a);
	nap();
	if (!other_queue_works(2))
		return false;
	start = model_nanoseconds();
	model_channel_destroy(a->channel);
	a->channel = NULL;
	return model_nanoseconds() - start < 5000000000ull;
}

/* Destroying a queue also ends its waits. */
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

/* Unmapping memory under a kernel that polls it: the kernel faults, and the memory can be freed at
 * once. */
static bool unmapped_while_used(void)
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

int main(void)
{
	navi_open(&n, true, 3);
	ok(launch_adds(), "a kernel launched by PM4 packets runs in 200 workgroups in hazard mode");
	ok(ring_wraps(), "the ring's pointers wrap at its end");
	ok(grid_barrier(TAP_SLOWNESS > 1 ? 6 : 24),
	   "workgroups that wait for each other in a grid barrier make progress");
	ok(private_slots(2) && private_slots(16),
	   "each wave has separate private memory, with 2 and with 16 slots");
	ok(stale_code(),
	   "overwritten code executes after an instruction cache invalidate, not before");
	ok(timestamps(), "release fences, timestamps and interrupts of compute and copy queues");
	ok(words_written(), "WRITE_DATA, COPY_DATA and DMA_DATA write and copy words");
	ok(nested_buffers(), "indirect buffers nest and chain");
	ok(all_waits(false), "a compute queue waits in memory with each comparison");
	ok(all_waits(true), "a copy queue waits in memory with each comparison");
	ok(overlapping(false) && overlapping(true),
	   "kernels of two compute queues run concurrently");
	ok(stopped_kernel(), "an endless kernel does not delay another queue and is stopped");
	ok(stopped_waits(), "destroying a queue ends its waits");
	ok(unmapped_while_used(), "a kernel faults when its memory is unmapped");
	navi_close(&n);
	return tap_done();
}
